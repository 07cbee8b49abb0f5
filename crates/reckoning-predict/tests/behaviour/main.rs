//! Contract of behaviours, with numbers worked out from the documents.

mod any;
mod interest;
mod patterns;
mod pheromone;
mod reference;
mod trend;

use reckoning::random::SplitMix64;
use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_predict::{Behaviour, KnownBody, Patterns, PatternsConfig, Scene};

fn at(x: f64, y: f64) -> DVec3 {
    DVec3::new(x, y, 0.0)
}

/// A body of full health and ammunition, 100 and 10.
fn player(id: u32, team: i32, position: DVec3, velocity: DVec3) -> KnownBody {
    let seen = Kinematics::moving(SimTime::from_millis(5_000), position, velocity);
    let mut player = KnownBody::new(id, team, seen);
    (player.health, player.max_health) = (100.0, 100.0);
    (player.ammo, player.max_ammo) = (10.0, 10.0);
    player.top_speed_mps = 240.0;
    player
}

fn ekb() -> Patterns {
    Patterns::new(PatternsConfig::default()).unwrap()
}

fn oaekb() -> Patterns {
    let mut config = PatternsConfig::default();
    config.avoid_walls = true;
    Patterns::new(config).unwrap()
}

/// Where body 0 is at each of the horizons.
fn roll(behaviour: &Behaviour, scene: &Scene<'_>, horizons_s: &[f64]) -> Vec<DVec3> {
    let mut out = vec![DVec3::NAN; horizons_s.len()];
    assert!(behaviour.roll_out(scene, 0, horizons_s, &mut out));
    out
}

/// Where body 0 is after each of so many ticks at 60 Hz.
fn ticks(behaviour: &Behaviour, scene: &Scene<'_>, count: u32) -> Vec<DVec3> {
    let horizons_s: Vec<f64> = (1..=count).map(|tick| f64::from(tick) / 60.0).collect();
    roll(behaviour, scene, &horizons_s)
}

fn assert_near(got: DVec3, want: DVec3, within: f64) {
    assert!(got.distance(want) <= within, "{got} is not within {within} of {want}");
}

/// Random scenes.
struct Scatter(SplitMix64);

impl Scatter {
    const fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0.between(low, high)
    }

    fn place(&mut self, extent: f64) -> DVec3 {
        at(self.between(0.0, extent), self.between(0.0, extent))
    }

    /// Players of two teams, scattered over a square.
    fn players(&mut self, count: u32, extent: f64) -> Vec<KnownBody> {
        (0..count)
            .map(|id| {
                let velocity = at(self.between(-240.0, 240.0), self.between(-240.0, 240.0));
                let position = self.place(extent);
                let mut player = player(id, i32::from(self.unit() < 0.5), position, velocity);
                player.health = (self.unit() * 100.0) as f32;
                player.ammo = (self.unit() * 10.0) as f32;
                player
            })
            .collect()
    }
}
