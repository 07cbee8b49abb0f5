//! A body in free fall above a level floor: a jump, a thrown thing.

use glam::DVec3;

use crate::Kinematics;
use crate::error::ModelError;
use crate::math::sqrt;

/// What a falling body does when it meets the floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landing {
    /// Stays where it fell.
    Stop,
    /// Keeps its horizontal velocity: a runner who jumped.
    Run,
}

/// Free fall with a floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ballistic {
    gravity_mps2: f64,
    floor_m: f64,
    landing: Landing,
}

impl Ballistic {
    /// Falls by `gravity_mps2` (positive is down) until its height is `floor_m`. A body
    /// seen below the floor counts as standing at its own height.
    ///
    /// # Errors
    /// Refuses values that are not finite.
    pub fn new(gravity_mps2: f64, floor_m: f64, landing: Landing) -> Result<Self, ModelError> {
        for (name, got) in [("gravity", gravity_mps2), ("floor height", floor_m)] {
            if !got.is_finite() {
                return Err(ModelError::NotFinite { name, got });
            }
        }
        Ok(Self { gravity_mps2, floor_m, landing })
    }

    /// Downward acceleration in metres per second squared.
    #[must_use]
    pub const fn gravity_mps2(&self) -> f64 {
        self.gravity_mps2
    }

    /// Height of the floor.
    #[must_use]
    pub const fn floor_m(&self) -> f64 {
        self.floor_m
    }

    /// What happens on the floor.
    #[must_use]
    pub const fn landing(&self) -> Landing {
        self.landing
    }

    pub(super) fn position(&self, seen: &Kinematics, t_s: f64) -> DVec3 {
        let fall_s = t_s.min(self.touches_after(seen));
        let flat = DVec3::new(seen.velocity.x, seen.velocity.y, 0.0);
        let run_s = match self.landing {
            Landing::Stop => fall_s,
            Landing::Run => t_s,
        };
        let height = if t_s > fall_s {
            self.floor_m.min(seen.position.z)
        } else {
            seen.position.z + (seen.velocity.z - 0.5 * self.gravity_mps2 * fall_s) * fall_s
        };
        (seen.position + flat * run_s).with_z(height)
    }

    pub(super) fn velocity(&self, seen: &Kinematics, t_s: f64) -> DVec3 {
        if t_s <= self.touches_after(seen) {
            return seen.velocity - DVec3::Z * (self.gravity_mps2 * t_s);
        }
        match self.landing {
            Landing::Stop => DVec3::ZERO,
            Landing::Run => seen.velocity.with_z(0.0),
        }
    }

    /// Seconds until the body meets the floor; infinite when it never does.
    fn touches_after(&self, seen: &Kinematics) -> f64 {
        let above_m = (seen.position.z - self.floor_m).max(0.0);
        let (up_mps, g) = (seen.velocity.z, self.gravity_mps2);
        if g <= 0.0 {
            return if up_mps < 0.0 {
                fall_without_pull(above_m, up_mps, g)
            } else {
                f64::INFINITY
            };
        }
        // The form of the quadratic's larger root that does not cancel.
        let root = sqrt(up_mps * up_mps + 2.0 * g * above_m);
        if up_mps >= 0.0 { (up_mps + root) / g } else { 2.0 * above_m / (root - up_mps) }
    }
}

/// Time to the floor when nothing pulls the body down but it sinks all the same.
fn fall_without_pull(above_m: f64, up_mps: f64, g: f64) -> f64 {
    let under_root = up_mps * up_mps + 2.0 * g * above_m;
    if under_root < 0.0 {
        return f64::INFINITY;
    }
    2.0 * above_m / (sqrt(under_root) - up_mps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimTime;

    fn jump() -> Kinematics {
        Kinematics::moving(SimTime::ZERO, DVec3::ZERO, DVec3::new(3.0, 0.0, 5.0))
    }

    #[test]
    fn a_jumper_lands_and_runs_on() {
        let model = Ballistic::new(10.0, 0.0, Landing::Run).unwrap();
        assert_eq!(model.position(&jump(), 0.5), DVec3::new(1.5, 0.0, 1.25));
        assert_eq!(model.position(&jump(), 2.0), DVec3::new(6.0, 0.0, 0.0));
        assert_eq!(model.velocity(&jump(), 2.0), DVec3::X * 3.0);
    }

    #[test]
    fn a_thrown_thing_stays_where_it_fell() {
        let model = Ballistic::new(10.0, 0.0, Landing::Stop).unwrap();
        assert_eq!(model.position(&jump(), 2.0), DVec3::X * 3.0);
        assert_eq!(model.velocity(&jump(), 2.0), DVec3::ZERO);
    }

    #[test]
    fn a_body_under_the_floor_stays_at_its_height() {
        let model = Ballistic::new(10.0, 0.0, Landing::Stop).unwrap();
        let sunk = Kinematics::at_rest(SimTime::ZERO, DVec3::NEG_Z);
        assert_eq!(model.position(&sunk, 3.0), DVec3::NEG_Z);
    }

    #[test]
    fn without_gravity_it_still_meets_the_floor() {
        let model = Ballistic::new(0.0, 0.0, Landing::Stop).unwrap();
        let sinking = Kinematics::moving(SimTime::ZERO, DVec3::Z * 4.0, DVec3::NEG_Z * 2.0);
        assert_eq!(model.position(&sinking, 1.0), DVec3::Z * 2.0);
        assert_eq!(model.position(&sinking, 9.0), DVec3::ZERO);
        assert!(Ballistic::new(f64::NAN, 0.0, Landing::Stop).is_err());
    }
}
