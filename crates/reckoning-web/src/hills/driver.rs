//! The own vehicle, moved at once by the rules of the hills.
//!
//! The client publishes where it is, and the server objects only when that is impossible. Its
//! corrections are not drawn as jumps: the difference fades, unless the vehicle was born again.

use reckoning::ground::Pose;
use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_arena::TICKS_PER_S;
use reckoning_arena::hills::{Body, BodyId, Craft, DriverInput, HillsLevel, drive};

use super::stance::Stance;

/// The length of a step.
const TICK_US: i64 = 1_000_000 / TICKS_PER_S as i64;
/// A page that slept does not make up for more than this.
const MAX_TICKS: u32 = 15;
/// How fast the picture forgets a correction.
const FADE_S: f64 = 0.08;
/// A correction further than this is a birth.
const BIRTH_M: f64 = 20.0;

/// A vehicle that its owner's machine moves.
#[derive(Clone, Debug)]
pub struct LocalDriver {
    body: Body,
    /// Up to when it has been moved.
    ticked: SimTime,
    /// What the picture still has to forget.
    off: DVec3,
    off_at: SimTime,
}

impl LocalDriver {
    /// One that the server says is here.
    #[must_use]
    pub fn new(craft: Craft, seen: &Kinematics, now: SimTime) -> Self {
        let mut body = Body::standing(BodyId(0), craft, 0, seen.position);
        (body.orientation, body.velocity) = (seen.orientation, seen.velocity);
        Self { body, ticked: now, off: DVec3::ZERO, off_at: now }
    }

    /// The server says where it is. Returns whether that was a birth.
    pub fn correct(&mut self, now: SimTime, seen: &Kinematics) -> bool {
        let shown = self.shown_at(now).pose.position;
        (self.body.position, self.body.velocity) = (seen.position, seen.velocity);
        (self.body.orientation, self.body.angular_velocity) =
            (seen.orientation, seen.angular_velocity);
        self.ticked = now;
        let off = shown - seen.position;
        let is_birth = off.length() > BIRTH_M;
        self.off = if is_birth { DVec3::ZERO } else { off };
        self.off_at = now;
        is_birth
    }

    /// Moves it up to `now`, a step at a time. `on_step` gets each step's motion.
    pub fn advance(
        &mut self,
        now: SimTime,
        input: &DriverInput,
        level: &HillsLevel,
        mut on_step: impl FnMut(&Kinematics),
    ) {
        let mut steps = 0;
        while now.as_micros() - self.ticked.as_micros() >= TICK_US {
            if steps == MAX_TICKS {
                self.ticked = now;
                break;
            }
            steps += 1;
            drive(&mut self.body, input, level);
            self.ticked = SimTime::from_micros(self.ticked.as_micros() + TICK_US);
            on_step(&self.body.kinematics(self.ticked));
        }
    }

    /// What was destroyed stays where it is, and time passes over it.
    pub const fn rest(&mut self, now: SimTime) {
        self.ticked = now;
    }

    /// How to draw it: between two steps it goes straight on.
    #[must_use]
    pub fn shown_at(&self, now: SimTime) -> Stance {
        let past_s = now.secs_since(self.ticked).clamp(0.0, TICK_US as f64 * 1e-6);
        let left = libm::exp(-now.secs_since(self.off_at).max(0.0) / FADE_S);
        let position = self.body.position + self.body.velocity * past_s + self.off * left;
        Stance {
            pose: Pose { position, orientation: self.body.orientation },
            turret_rad: self.body.aim.turret_rad,
            barrel_rad: self.body.aim.barrel_rad,
        }
    }

    /// Its state after the last step.
    #[must_use]
    pub const fn body(&self) -> &Body {
        &self.body
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ms;

    fn driver() -> (HillsLevel, LocalDriver) {
        let level = HillsLevel::built_in();
        let spawn = level.file().spawns[0];
        let [x, y] = spawn.at;
        let place = DVec3::new(x, y, level.height_m(x, y));
        let seen = Kinematics::moving(ms(0), place, DVec3::ZERO);
        (level, LocalDriver::new(Craft::Tank, &seen, ms(0)))
    }

    #[test]
    fn a_throttle_drives_within_a_second() {
        let (level, mut driver) = driver();
        let from = driver.body().position;
        let input = DriverInput { throttle: 1.0, ..DriverInput::default() };
        let mut steps = 0;
        for frame in 1..=120 {
            driver.advance(ms(frame * 16), &input, &level, |_| steps += 1);
        }
        assert!((114..=116).contains(&steps), "{steps}");
        assert!(driver.body().position.distance(from) > 1.5, "{:?}", driver.body());
    }

    #[test]
    fn a_small_correction_fades_and_a_birth_does_not() {
        let (_, mut driver) = driver();
        let shown = driver.shown_at(ms(0)).pose.position;
        let near = Kinematics::moving(ms(0), shown + DVec3::X, DVec3::ZERO);
        assert!(!driver.correct(ms(0), &near));
        assert!(driver.shown_at(ms(0)).pose.position.distance(shown) < 1e-9);
        assert!(driver.shown_at(ms(900)).pose.position.distance(near.position) < 1e-3);
        let far = Kinematics::moving(ms(900), shown + DVec3::X * 90.0, DVec3::ZERO);
        assert!(driver.correct(ms(900), &far));
        assert_eq!(driver.shown_at(ms(900)).pose.position, far.position);
    }
}
