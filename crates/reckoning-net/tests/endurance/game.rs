//! The game that is played: bodies on straight lines, and settings of both ends.

use std::time::Duration;

use reckoning::{DVec3, Kinematics, Model, Quantiser, SimTime, Threshold};
use reckoning_net::{Format, HostConfig, Registry, SessionConfig, ZoneClass, ZoneConfig};

/// The step of position.
pub const STEP_M: f64 = 0.01;
/// Bodies further away than this are in nobody's interest set, and how far the near ones are.
pub const REACH_M: f64 = 120.0;
pub const NEAR_M: f64 = 60.0;
/// What a prediction may be off, near and far.
pub const NEAR_THRESHOLD_M: f64 = 0.25;
pub const FAR_THRESHOLD_M: f64 = 1.0;

pub fn format() -> Format {
    let steps = Quantiser {
        position_m: STEP_M,
        velocity_mps: 0.03,
        acceleration_mps2: 0.1,
        angular_velocity_radps: 0.01,
        orientation: 0.01,
    };
    Format::new(true, 1_000, steps, &[Model::Linear], Registry::default()).unwrap()
}

fn class(radius_m: f64, threshold_m: f64, coarser_log2: u8) -> ZoneClass {
    let mut class = ZoneClass::default();
    (class.radius_m, class.coarser_log2) = (radius_m, coarser_log2);
    class.threshold = Threshold::metres(threshold_m).unwrap();
    class
}

pub fn host_config() -> HostConfig {
    let mut config = HostConfig::new(format());
    let mut zones = ZoneConfig::default();
    zones.classes = vec![class(NEAR_M, NEAR_THRESHOLD_M, 0), class(REACH_M, FAR_THRESHOLD_M, 2)];
    config.zones = zones;
    config
}

pub fn session_config(token: u32) -> SessionConfig {
    let mut config = SessionConfig::default();
    config.token = token.to_le_bytes().repeat(2);
    config
}

/// A body that moves straight on from a moment until another, and then stands; by the true time.
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    begins: SimTime,
    ends: SimTime,
    from: DVec3,
    velocity: DVec3,
}

impl Motion {
    pub fn parked(at: DVec3) -> Self {
        let never = SimTime::ZERO;
        Self { begins: never, ends: never, from: at, velocity: DVec3::ZERO }
    }

    /// Drives off from where it is.
    pub fn drive(&mut self, now: SimTime, velocity: DVec3, span: Duration) {
        *self = Self { begins: now, ends: now + span, from: self.position(now), velocity };
    }

    pub fn position(&self, now: SimTime) -> DVec3 {
        let drove_s = now.min(self.ends).secs_since(self.begins).max(0.0);
        self.from + self.velocity * drove_s
    }

    fn is_parked(&self, now: SimTime) -> bool {
        now >= self.ends
    }

    /// Stays where it is from now on.
    pub fn park(&mut self, now: SimTime) {
        if self.ends > now {
            self.drive(now, DVec3::ZERO, Duration::from_micros(1));
        }
    }

    pub fn parks_at(&self) -> SimTime {
        self.ends
    }

    /// The truth at `now`, stamped `at`.
    pub fn truth(&self, now: SimTime, at: SimTime) -> Kinematics {
        let velocity = if self.is_parked(now) { DVec3::ZERO } else { self.velocity };
        Kinematics::moving(at, self.position(now), velocity)
    }
}
