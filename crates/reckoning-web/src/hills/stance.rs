//! How a body stands: where it is, how it is turned, and its turret.

use reckoning::ground::Pose;
use reckoning::math::angle_between;
use reckoning::orientation::shortest_turn_rad;
use reckoning::{DQuat, DVec3};
use reckoning_arena::hills::Craft;

/// A pose with a turret.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stance {
    /// Where and how.
    pub pose: Pose,
    /// The turret on the hull.
    pub turret_rad: f64,
    /// The barrel in the turret.
    pub barrel_rad: f64,
}

impl Default for Stance {
    fn default() -> Self {
        let pose = Pose { position: DVec3::ZERO, orientation: DQuat::IDENTITY };
        Self { pose, turret_rad: 0.0, barrel_rad: 0.0 }
    }
}

impl Stance {
    /// Between two, or a little beyond: `share` 0 is this one.
    #[must_use]
    pub fn towards(&self, to: &Self, share: f64) -> Self {
        let way = to.pose.position - self.pose.position;
        let turn = |from: f64, to: f64| from + shortest_turn_rad(from, to) * share;
        Self {
            pose: Pose {
                position: self.pose.position + way * share,
                orientation: self
                    .pose
                    .orientation
                    .slerp(to.pose.orientation, share.clamp(0.0, 1.0)),
            },
            turret_rad: turn(self.turret_rad, to.turret_rad),
            barrel_rad: self.barrel_rad + (to.barrel_rad - self.barrel_rad) * share,
        }
    }

    /// How far off this picture of a body is: metres, degrees of the hull, degrees of the turret.
    #[must_use]
    pub fn off(&self, truth: &Self) -> [f64; 3] {
        let turned = angle_between(self.pose.orientation, truth.pose.orientation);
        let turret = shortest_turn_rad(self.turret_rad, truth.turret_rad).abs();
        let apart_m = self.pose.position.distance(truth.pose.position);
        [apart_m, turned.to_degrees(), turret.to_degrees()]
    }
}

/// With whose errors that of a body counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counted {
    /// With those of all that is shown as reckoned in the present.
    #[default]
    Together,
    /// By itself: it is shown late or coarsely on purpose.
    Apart,
}

/// A body in the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct HillsBody {
    /// Its entity.
    pub entity: u32,
    /// Its number in the game, if it has one.
    pub number: Option<u16>,
    /// What it is.
    pub craft: Craft,
    /// Its side; 2 for what has none.
    pub team: u8,
    /// What it is called.
    pub name: String,
    /// From 0 to 1, if it has health.
    pub health_share: Option<f64>,
    /// Whether it takes part.
    pub is_alive: bool,
    /// Whether it is ours.
    pub is_me: bool,
    /// How it is drawn.
    pub shown: Stance,
    /// How far each wheel has rolled.
    pub wheels_rad: [f64; 4],
    /// How the front wheels steer.
    pub steering_rad: f64,
    /// How it really is.
    pub truth: Option<Stance>,
    /// As a naive game shows it.
    pub naive: Option<Stance>,
    /// As interpolation shows it.
    pub interpolated: Option<Stance>,
    /// As that would show it, were every datagram in time.
    pub interpolated_at_best: Option<Stance>,
    /// Whether pictures of it may be judged.
    pub is_settled: bool,
    /// Whether its error counts with that of all others.
    pub counted: Counted,
}

impl HillsBody {
    /// One of which nothing else is known.
    #[must_use]
    pub fn new(entity: u32, craft: Craft) -> Self {
        Self {
            entity,
            number: None,
            craft,
            team: 2,
            name: String::new(),
            health_share: None,
            is_alive: true,
            is_me: false,
            shown: Stance::default(),
            wheels_rad: [0.0; 4],
            steering_rad: 0.0,
            truth: None,
            naive: None,
            interpolated: None,
            interpolated_at_best: None,
            is_settled: false,
            counted: Counted::Together,
        }
    }

    /// Shows it elsewhere; its wheels roll over the way.
    pub fn show(&mut self, to: Stance) {
        let way = to.pose.position - self.shown.pose.position;
        let along_m = way.dot(to.pose.orientation * DVec3::X);
        for (spin_rad, wheel) in self.wheels_rad.iter_mut().zip(self.craft.shape().wheels) {
            *spin_rad += along_m / wheel.radius_m;
        }
        self.shown = to;
    }
}

#[cfg(test)]
mod tests {
    use reckoning::math::rotation;

    use super::*;

    #[test]
    fn wheels_roll_over_the_way_that_is_shown() {
        let mut body = HillsBody::new(1, Craft::Car);
        let mut to = Stance::default();
        to.pose.position = DVec3::X * 0.84;
        body.show(to);
        assert!(body.wheels_rad.iter().all(|it| (it - 2.0).abs() < 1e-9), "{body:?}");
        assert_eq!(body.shown, to);
    }

    #[test]
    fn half_way_is_half_the_way_and_the_shorter_turn() {
        let mut to = Stance { turret_rad: 3.0, ..Stance::default() };
        let from = Stance { turret_rad: -3.0, ..Stance::default() };
        to.pose.position = DVec3::X * 4.0;
        to.pose.orientation = rotation(DVec3::Z);
        let half = from.towards(&to, 0.5);
        assert_eq!(half.pose.position, DVec3::X * 2.0);
        assert!((half.turret_rad.abs() - std::f64::consts::PI).abs() < 1e-9);
        let [apart_m, turned_deg, turret_deg] = half.off(&to);
        assert!((apart_m - 2.0).abs() < 1e-9);
        assert!((turned_deg - 0.5_f64.to_degrees()).abs() < 1e-6, "{turned_deg}");
        assert!(turret_deg < 10.0);
    }
}
