//! A hundred thousand walkers, shown in one pass per frame.
//!
//! `cargo run --release --example crowd --features std`

use reckoning::crowd::{CrowdError, CrowdView};
use reckoning::{Crowd, DVec3, Kinematics, Model, SimTime};
use reckoning::{Update, UpdateKind};

const WALKERS: usize = 100_000;
const FRAMES: i64 = 120;
const HZ: u32 = 60;

fn main() -> Result<(), CrowdError> {
    let camera = DVec3::new(5_000.0, 500.0, 0.0);
    let mut crowd = Crowd::new(camera, SimTime::ZERO);
    let mut ids = Vec::with_capacity(WALKERS);
    for walker in 0..WALKERS {
        ids.push(crowd.insert(&heard(walker, SimTime::ZERO), SimTime::ZERO)?);
    }

    let mut view = CrowdView::with_capacity(WALKERS);
    for frame in 1..=FRAMES {
        let now = SimTime::from_tick(frame, HZ);
        // Each frame brings news of every thirtieth walker.
        for walker in (frame as usize % 30..WALKERS).step_by(30) {
            crowd.accept(ids[walker], &heard(walker, now), now)?;
        }
        crowd.show(now, &mut view);
        draw(&view);
    }
    let nearest = view.positions().map(|p| p[0].hypot(p[1])).fold(f32::INFINITY, f32::min);
    println!("{} walkers, {FRAMES} frames, the nearest at {nearest:.1} m", view.len());
    Ok(())
}

/// What the network brought: walkers on a grid who go round in small circles.
fn heard(walker: usize, at: SimTime) -> Update {
    let home = DVec3::new((walker % 1_000) as f64, (walker / 1_000) as f64, 0.0) * 10.0;
    let (sin, cos) = sin_cos(at.as_secs_f64() + walker as f64);
    let seen = Kinematics {
        at,
        position: home + DVec3::new(cos, sin, 0.0),
        velocity: DVec3::new(-sin, cos, 0.0),
        ..Kinematics::default()
    };
    Update::new(seen, Model::Linear, UpdateKind::Partial).expect("all numbers are finite")
}

#[expect(clippy::disallowed_methods, reason = "nothing here is replayed")]
fn sin_cos(angle_rad: f64) -> (f64, f64) {
    angle_rad.sin_cos()
}

/// Here your renderer uploads the three arrays.
fn draw(view: &CrowdView) {
    assert_eq!(view.x().len(), view.y().len());
}
