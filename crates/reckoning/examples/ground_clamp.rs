//! A jeep drives over a hill while its listeners know only its speed: without a clamp its
//! ghost goes straight through.

use reckoning::ground::{ClampMode, GroundClampConfig, Pose};
use reckoning::terrain::HeightField;
use reckoning::{DQuat, DVec3, GroundClamp, Kinematics, SimTime, Terrain};

fn main() -> Result<(), reckoning::ConfigError> {
    let hill = hill()?;
    let mut config = GroundClampConfig::default();
    config.mode = ClampMode::Always;
    let mut clamp = GroundClamp::new(config)?;

    // The last update: at the foot of the hill, 10 m/s along x. Nothing was heard since.
    let seen = Kinematics::moving(SimTime::ZERO, DVec3::new(5.0, 20.0, 0.0), DVec3::X * 10.0);

    println!("   s    x m   guess z   shown z   nose up");
    for tick in 0..=10 {
        let now = SimTime::from_tick(tick, 2);
        let guess = seen.position + seen.velocity * now.secs_since(seen.at);
        let guess = Pose { position: guess, orientation: DQuat::IDENTITY };

        let shown = clamp.clamp(guess, &hill, 30.0, now);

        let nose = shown.orientation * DVec3::X;
        let pitch_deg = libm::asin(nose.z).to_degrees();
        println!(
            "{:4.1}  {:5.1}  {:6.2} m  {:6.2} m  {pitch_deg:6.1}°",
            now.as_secs_f64(),
            shown.position.x,
            guess.position.z,
            shown.position.z,
        );
    }

    // A publisher that asks first can tell its listeners less speed instead.
    if let Some(hit) = hill.first_hit(seen.position, seen.position + DVec3::X * 40.0) {
        println!("the straight way enters the hill at x = {:.1} m", hit.point.x);
    }
    Ok(())
}

/// 60 m by 40 m, with a round hill of 6 m in the middle.
fn hill() -> Result<HeightField, reckoning::error::TerrainError> {
    let height_at = |x: f64, y: f64| {
        let from_top = ((x - 30.0) / 20.0).hypot((y - 20.0) / 20.0).min(1.0);
        6.0 * (1.0 - from_top * from_top) * (1.0 - from_top * from_top)
    };
    let heights = (0..41).flat_map(|y| (0..61).map(move |x| height_at(x.into(), y.into())));
    HeightField::new(DVec3::ZERO, 1.0, 61, 41, heights.collect())
}
