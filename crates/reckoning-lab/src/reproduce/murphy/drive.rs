//! MURPHY's circle: how far what is shown is from a vehicle that drives round and round.
//!
//! Published (Table 18.1): projective velocity blending is closer than a cubic Bezier by
//! 7.24 % at one update a second, 6.38 % at three, 5.57 % at five. Speed, radius and frame
//! rate are not printed, so a grid of them is run. The engine's own test of the circle reads
//! this file, too, so it knows nothing of the lab.

use std::time::Duration;

use reckoning::{
    Blend, BlendSpan, DVec3, Ghost, GhostConfig, Kinematics, Model, SimTime, Update, UpdateKind,
};

const FRAMES_PER_S: i64 = 60;
const FRAMES: i64 = 40 * FRAMES_PER_S;

/// Updates a second, and by how many percent projective velocity was published to be closer.
pub const PUBLISHED: [(i64, f64); 3] = [(1, 7.24), (3, 6.38), (5, 5.57)];

/// One circle of the grid.
#[derive(Clone, Copy, Debug)]
pub struct CircleDrive {
    /// How fast.
    pub speed_mps: f64,
    /// Round which circle.
    pub radius_m: f64,
    /// Updates a second.
    pub updates_per_s: i64,
    /// Whether the updates carry acceleration.
    pub accelerating: bool,
}

impl CircleDrive {
    /// Where it is, and how it moves.
    pub fn truth(&self, at: SimTime) -> Kinematics {
        let rate = self.speed_mps / self.radius_m;
        let (sin, cos) = libm::sincos(rate * at.as_secs_f64());
        Kinematics {
            velocity: DVec3::new(-sin, cos, 0.0) * self.speed_mps,
            acceleration: DVec3::new(-cos, -sin, 0.0) * (self.speed_mps * rate),
            ..Kinematics::at_rest(at, DVec3::new(cos, sin, 0.0) * self.radius_m)
        }
    }

    fn update(&self, at: SimTime) -> Update {
        let model = if self.accelerating {
            Model::Accelerating { trust: Duration::from_secs(10) }
        } else {
            Model::Linear
        };
        let update = Update::new(self.truth(at), model, UpdateKind::Partial);
        update.expect("a circle is finite")
    }

    /// Mean distance between truth and shown over all frames, without any delay.
    pub fn mean_error_m(&self, blend: Blend) -> f64 {
        let mut config = GhostConfig::default();
        config.blend = blend;
        config.span =
            BlendSpan::Fixed(Duration::from_micros(1_000_000 / self.updates_per_s as u64));
        let started = Ghost::with_config(config, self.update(SimTime::ZERO), SimTime::ZERO);
        let mut ghost = started.expect("the span is not zero");
        let mut sum_m = 0.0;
        for frame in 1..=FRAMES {
            let now = SimTime::from_tick(frame, FRAMES_PER_S as u32);
            if frame % (FRAMES_PER_S / self.updates_per_s) == 0 {
                ghost.accept(self.update(now), now);
            }
            sum_m += ghost.position_at(now).distance(self.truth(now).position);
        }
        sum_m / FRAMES as f64
    }

    /// How many percent closer than the Bezier curve a blend is.
    pub fn closer_percent(&self, blend: Blend) -> f64 {
        let bezier_m = self.mean_error_m(Blend::Bezier);
        100.0 * (bezier_m - self.mean_error_m(blend)) / bezier_m
    }

    /// Radians driven between two updates.
    pub fn turn_rad(&self) -> f64 {
        self.speed_mps / self.radius_m / self.updates_per_s as f64
    }
}

/// Every circle: 25 for each rate, with acceleration and without.
pub fn grid() -> impl Iterator<Item = CircleDrive> {
    let speeds = [2.0, 5.0, 10.0, 20.0, 40.0];
    let radii = [5.0, 10.0, 20.0, 50.0, 100.0];
    let kinds = PUBLISHED.into_iter().flat_map(|(rate, _)| [(rate, false), (rate, true)]);
    kinds.flat_map(move |(updates_per_s, accelerating)| {
        speeds.into_iter().flat_map(move |speed_mps| {
            radii.into_iter().map(move |radius_m| CircleDrive {
                speed_mps,
                radius_m,
                updates_per_s,
                accelerating,
            })
        })
    })
}
