//! The tank of BZFlag, driven as in the experiments of THESIS.

use reckoning::random::SplitMix64;
use reckoning::{DVec3, Kinematics, Model, SimTime};

use crate::TICK_HZ;

/// Top speed of a tank in BZFlag, whose units we take for metres.
const TOP_SPEED_MPS: f64 = 25.0;
/// How fast a tank in BZFlag turns: an eighth of a circle in a second.
const TOP_TURN_RADPS: f64 = std::f64::consts::FRAC_PI_4;

/// What the driver does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TankDrive {
    /// Along a line, sometimes faster and sometimes slower.
    Linear,
    /// Round circles, sometimes wider and sometimes narrower.
    Circular,
    /// A new speed and turn rate once in a second on average.
    Random,
    /// Two seconds at top speed, two seconds standing.
    Stopping,
}

impl TankDrive {
    pub(super) const ALL: [Self; 4] = [Self::Linear, Self::Circular, Self::Random, Self::Stopping];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Circular => "circular",
            Self::Random => "random",
            Self::Stopping => "stopping",
        }
    }

    /// The truth of every tick. A tank changes its speed and its turning at once, as in the
    /// game, and drives exact arcs in between.
    pub(super) fn track(self, seconds: u32, seed: u64) -> Vec<Kinematics> {
        let mut random = SplitMix64::new(seed).fork(self as u64);
        let mut tank = Kinematics::moving(SimTime::ZERO, DVec3::ZERO, DVec3::X * TOP_SPEED_MPS);
        let mut heading = DVec3::X;
        let ticks = i64::from(seconds * TICK_HZ);
        let mut track = Vec::new();
        for tick in 0..=ticks {
            if let Some((speed_mps, turn_radps)) = self.command(tick, &mut random) {
                tank.velocity = heading * speed_mps;
                tank.angular_velocity = DVec3::Z * turn_radps;
            }
            track.push(tank);
            let next = SimTime::from_tick(tick + 1, TICK_HZ);
            heading = turned(heading, &tank, next);
            let position = Model::Arc.position_at(&tank, next);
            let velocity = heading * tank.velocity.length();
            tank = Kinematics { at: next, position, velocity, ..tank };
        }
        track
    }

    /// A new speed and turn rate, if the driver wants one at this tick.
    fn command(self, tick: i64, random: &mut SplitMix64) -> Option<(f64, f64)> {
        let every_s = |seconds: f64| 1.0 / (seconds * f64::from(TICK_HZ));
        let slow = |random: &mut SplitMix64| TOP_SPEED_MPS * random.between(0.5, 1.0);
        match self {
            Self::Linear => random.chance(every_s(4.0)).then(|| (slow(random), 0.0)),
            Self::Circular => (tick == 0 || random.chance(every_s(4.0)))
                .then(|| (slow(random), TOP_TURN_RADPS * random.between(0.5, 1.0))),
            Self::Random => random.chance(every_s(1.0)).then(|| {
                (TOP_SPEED_MPS * random.unit(), TOP_TURN_RADPS * random.between(-1.0, 1.0))
            }),
            Self::Stopping => {
                let phase = tick % i64::from(4 * TICK_HZ);
                let change = phase % i64::from(2 * TICK_HZ) == 0;
                change.then_some((if phase == 0 { TOP_SPEED_MPS } else { 0.0 }, 0.0))
            }
        }
    }
}

/// The heading a moment later; kept apart from the velocity, since a standing tank has one.
fn turned(heading: DVec3, tank: &Kinematics, at: SimTime) -> DVec3 {
    let (sin, cos) = libm::sincos(tank.angular_velocity.z * at.secs_since(tank.at));
    DVec3::new(heading.x * cos - heading.y * sin, heading.x * sin + heading.y * cos, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tank_never_jumps_nor_exceeds_its_speed() {
        for drive in TankDrive::ALL {
            for pair in drive.track(60, 3).windows(2) {
                let moved_m = pair[1].position.distance(pair[0].position);
                let most_m = pair[0].velocity.length() * pair[1].at.secs_since(pair[0].at);
                assert!(moved_m <= most_m + 1e-9, "{drive:?} at {}", pair[0].at);
                assert!(pair[0].velocity.length() <= TOP_SPEED_MPS + 1e-9);
            }
        }
    }
}
