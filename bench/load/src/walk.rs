//! What moves: bodies that turn so hard that nobody can carry them on for a twentieth of a second.
//!
//! Each runs at 9 m/s along an arc of 4 to 6 rad/s, left or right, and draws a new arc every
//! second. After 50 ms a straight line is 4.5 cm off at least, more than twice the
//! [`THRESHOLD_M`], so that every body is exported in every round; nothing ever jumps.

use reckoning::{DVec3, Kinematics, SimTime};

/// Bodies in the world.
pub const BODIES: u32 = 256;
/// Exports of each body in a second.
pub const ROUNDS_HZ: u32 = 20;
/// How far a belief may be off before it is put right.
pub const THRESHOLD_M: f64 = 0.02;

const SPEED_MPS: f64 = 9.0;
const ARC_S: f64 = 1.0;

/// One body.
pub struct Walker {
    at: SimTime,
    position: DVec3,
    heading_rad: f64,
    turn_radps: f64,
    climb_mps: f64,
    arc_ends: SimTime,
    dice: u64,
}

impl Walker {
    /// The body with this number, on a grid of 10 m.
    pub fn new(number: u32) -> Self {
        let position = DVec3::new(f64::from(number % 16), f64::from(number / 16), 0.0) * 10.0;
        Self {
            at: SimTime::ZERO,
            position,
            heading_rad: f64::from(number),
            turn_radps: 5.0,
            climb_mps: 0.0,
            // Not all at once.
            arc_ends: SimTime::from_millis(i64::from(number) * 4),
            dice: u64::from(number) + 1,
        }
    }

    /// Moves on to `now` and says where it is.
    pub fn step(&mut self, now: SimTime) -> Kinematics {
        if now >= self.arc_ends {
            self.turn_radps =
                (4.0 + 2.0 * self.roll()) * if self.roll() < 0.5 { -1.0 } else { 1.0 };
            // Whoever is high sinks, so that all stay about.
            self.climb_mps = self.roll() * if self.position.z > 0.0 { -1.0 } else { 1.0 };
            self.arc_ends = now + std::time::Duration::from_secs_f64(ARC_S);
        }
        let t = now.secs_since(self.at).max(0.0);
        let middle_rad = self.heading_rad + 0.5 * self.turn_radps * t;
        self.position += self.velocity(middle_rad) * t;
        self.heading_rad += self.turn_radps * t;
        self.at = now;
        Kinematics::moving(now, self.position, self.velocity(self.heading_rad))
    }

    fn velocity(&self, heading_rad: f64) -> DVec3 {
        let (sin, cos) = heading_rad.sin_cos();
        DVec3::new(cos * SPEED_MPS, sin * SPEED_MPS, self.climb_mps)
    }

    /// From 0 to 1 (xorshift64*).
    fn roll(&mut self) -> f64 {
        self.dice ^= self.dice >> 12;
        self.dice ^= self.dice << 25;
        self.dice ^= self.dice >> 27;
        (self.dice.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// All bodies.
pub fn crowd() -> Vec<Walker> {
    (0..BODIES).map(Walker::new).collect()
}
