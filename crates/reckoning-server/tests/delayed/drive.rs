//! The tank of BZFlag on the drives of THESIS, as a path through real time.

use reckoning::random::SplitMix64;
use reckoning::{DVec3, Kinematics, Model, SimTime};

use super::TICK_HZ;

/// Top speed of a tank in BZFlag, whose units we take for metres.
const TOP_SPEED_MPS: f64 = 25.0;
/// How fast it turns: an eighth of a circle in a second.
const TOP_TURN_RADPS: f64 = std::f64::consts::FRAC_PI_4;

/// What the driver does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drive {
    /// Along a line, sometimes faster and sometimes slower.
    Linear,
    /// Round circles, sometimes wider and sometimes narrower.
    Circular,
    /// A new speed and turn rate once in a second on average.
    Random,
    /// Two seconds at top speed, two seconds standing.
    Stopping,
}

impl Drive {
    pub const ALL: [Self; 4] = [Self::Linear, Self::Circular, Self::Random, Self::Stopping];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Circular => "circular",
            Self::Random => "random",
            Self::Stopping => "stopping",
        }
    }

    /// A new speed and turn rate, if the driver wants one at this tick.
    fn command(self, tick: i64, random: &mut SplitMix64) -> Option<(f64, f64)> {
        let every_s = |seconds: f64| 1.0 / (seconds * f64::from(TICK_HZ));
        let slow = |random: &mut SplitMix64| TOP_SPEED_MPS * random.between(0.5, 1.0);
        match self {
            _ if tick == 0 && self != Self::Circular => Some((TOP_SPEED_MPS, 0.0)),
            Self::Linear => random.chance(every_s(4.0)).then(|| (slow(random), 0.0)),
            Self::Circular => (tick == 0 || random.chance(every_s(4.0)))
                .then(|| (slow(random), TOP_TURN_RADPS * random.between(0.5, 1.0))),
            Self::Random => random.chance(every_s(1.0)).then(|| {
                (TOP_SPEED_MPS * random.unit(), TOP_TURN_RADPS * random.between(-1.0, 1.0))
            }),
            Self::Stopping => {
                let half = tick / i64::from(2 * TICK_HZ);
                let changes = tick % i64::from(2 * TICK_HZ) == 0;
                changes.then_some((if half % 2 == 0 { TOP_SPEED_MPS } else { 0.0 }, 0.0))
            }
        }
    }
}

/// Where the tank is at any moment: arcs between the driver's commands.
#[derive(Clone, Debug)]
pub struct Track {
    keys: Vec<Kinematics>,
}

impl Track {
    pub fn new(drive: Drive, seconds: u32, seed: u64) -> Self {
        let mut random = SplitMix64::new(seed).fork(drive as u64);
        let (mut tank, mut heading) = (Kinematics::default(), DVec3::X);
        let mut keys: Vec<Kinematics> = Vec::new();
        for tick in 0..i64::from(seconds * TICK_HZ) {
            let Some((speed_mps, turn_radps)) = drive.command(tick, &mut random) else { continue };
            let at = SimTime::from_tick(tick, TICK_HZ);
            if let Some(last) = keys.last() {
                tank = carried(last, at);
                heading = turned(heading, last, at);
            }
            tank.velocity = heading * speed_mps;
            tank.angular_velocity = DVec3::Z * turn_radps;
            keys.push(tank);
        }
        Self { keys }
    }

    /// The truth at a moment of the drive; before it begins the tank stands.
    pub fn at(&self, at: SimTime) -> Kinematics {
        let passed = self.keys.partition_point(|key| key.at <= at);
        match passed.checked_sub(1).and_then(|place| self.keys.get(place)) {
            Some(key) => carried(key, at),
            None => Kinematics::at_rest(at, DVec3::ZERO),
        }
    }
}

fn carried(key: &Kinematics, at: SimTime) -> Kinematics {
    let position = Model::Arc.position_at(key, at);
    Kinematics { at, position, velocity: Model::Arc.velocity_at(key, at), ..*key }
}

/// The heading a moment later; kept apart from the velocity, since a standing tank has one.
fn turned(heading: DVec3, key: &Kinematics, at: SimTime) -> DVec3 {
    let angle = key.angular_velocity.z * at.secs_since(key.at);
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    DVec3::new(heading.x * cos - heading.y * sin, heading.x * sin + heading.y * cos, 0.0)
}
