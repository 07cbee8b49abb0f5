//! The nine dead-reckoning models of IEEE 1278.1 (DIS).
//!
//! Take a [`DisModel`] as the [`Model`](crate::Model) of bodies that DIS peers see, and
//! [`DisFields`] to fill and read the fields of an Entity State PDU.
//!
//! ```
//! use reckoning::dis::{DisAlgorithm, DisFields, DisModel};
//! use reckoning::{DVec3, Kinematics, Model, Publisher, PublisherConfig, SimTime};
//!
//! let model = DisModel::new(DisAlgorithm::Fpw);
//! let truth = Kinematics::moving(SimTime::ZERO, DVec3::ZERO, DVec3::X * 30.0);
//! let (publisher, first) = Publisher::start(PublisherConfig::dis(Model::Dis(model)), &truth)?;
//! let pdu = DisFields::from_kinematics(first.kinematics(), model);
//! assert_eq!(pdu.velocity, DVec3::X * 30.0);
//! assert_eq!(pdu.to_kinematics(model, SimTime::ZERO), truth);
//! # Ok::<(), reckoning::ConfigError>(())
//! ```
//!
//! The name of a model stands for three properties: does the body turn (`R`) or not (`F`), is
//! the rate of its position (`P`) or of its velocity (`V`) constant, and in which axes, the
//! world's (`W`) or its own (`B`).
//!
//! ```text
//!    W    V(s) = V + A s                  turning changes the orientation only
//!    B    V(s) = exp([w]x s) (V + B s)    the velocity turns along; B is d(V_body)/dt
//! ```
//!
//! The engine keeps everything in world axes, so a [`DisModel`] works on plain
//! [`Kinematics`] and the axes of the standard exist in [`DisFields`] alone, which converts
//! both ways. The integrals behind the rotating `B` models are in `model/spin.rs`; at
//! no rate, however small, is a curve replaced by a straight line.
//!
//! The layout of the PDU around the fields is left to the caller.

mod euler;

use glam::{DQuat, DVec3};

use crate::math::{rotation, sqrt};
use crate::model::spin::Spin;
use crate::{Kinematics, SimTime};

pub use euler::{euler_from_quat, quat_from_euler};

/// Which of the standard's models a body follows; the numbers are those on the wire.
///
/// The `F` models take no notice of the angular velocity, not even in the way they go; MIXR
/// and KDIS bend the path of `Fpb` and `Fvb` with it, Open-DIS Java's `DeadReckoner` does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DisAlgorithm {
    /// Does not move.
    Static = 1,
    /// Keeps its velocity.
    Fpw = 2,
    /// Keeps its velocity and turns.
    Rpw = 3,
    /// Keeps its acceleration and turns.
    Rvw = 4,
    /// Keeps its acceleration.
    Fvw = 5,
    /// Keeps its velocity; the same as [`Fpw`](Self::Fpw) with other axes on the wire.
    Fpb = 6,
    /// Turns, and its velocity turns with it: arcs and helices.
    Rpb = 7,
    /// Turns, and its velocity turns with it while growing steadily along body axes.
    Rvb = 8,
    /// Keeps its acceleration; the same as [`Fvw`](Self::Fvw) with other axes on the wire.
    Fvb = 9,
}

impl DisAlgorithm {
    /// All nine, in the order of their numbers.
    pub const ALL: [Self; 9] = [
        Self::Static,
        Self::Fpw,
        Self::Rpw,
        Self::Rvw,
        Self::Fvw,
        Self::Fpb,
        Self::Rpb,
        Self::Rvb,
        Self::Fvb,
    ];

    /// The model with this number on the wire; `None` for zero ("other") and above nine.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.number() == number)
    }

    /// The number on the wire, 1 to 9.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Whether the orientation changes.
    #[must_use]
    pub const fn rotates(self) -> bool {
        matches!(self, Self::Rpw | Self::Rvw | Self::Rpb | Self::Rvb)
    }

    /// Whether the acceleration is used.
    #[must_use]
    pub const fn accelerates(self) -> bool {
        matches!(self, Self::Rvw | Self::Fvw | Self::Rvb | Self::Fvb)
    }

    /// Whether velocity and acceleration are in body axes on the wire.
    #[must_use]
    pub const fn in_body_axes(self) -> bool {
        matches!(self, Self::Fpb | Self::Rpb | Self::Rvb | Self::Fvb)
    }

    /// Whether the velocity turns along with the body.
    const fn carries_velocity_around(self) -> bool {
        self.rotates() && self.in_body_axes()
    }
}

/// What a peer puts into the acceleration field of a body that turns in body axes.
///
/// The two differ by `w x V`. Both hold `d(V_body)/dt` constant from then on, so this
/// matters where fields are read and written and not to the motion itself. It makes no
/// difference to the `F` and `W` models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BodyAcceleration {
    /// The rate of the velocity's components in body axes: zero for a tank that drives a
    /// circle at a steady speed.
    ///
    /// So do Open-DIS Java (`DIS_DR_RVB_08`, and `DeadReckoner` after Towers and Hines) and
    /// MIXR (`navDR`): both apply the standard's `R2` to the field as it stands.
    #[default]
    BodyRate,
    /// The inertial acceleration, as an accelerometer without gravity feels it, along body
    /// axes: for that tank it points to the centre of the circle.
    ///
    /// So does GRILL DIS: for Unreal and Unity it subtracts `w x V` before it applies `R2`,
    /// and for Unreal the sender adds it. KDIS adds it when it receives: its `Rvb` and `Fvb`
    /// follow neither reading.
    Inertial,
}

/// One of the standard's models, and how its peers mean the acceleration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DisModel {
    /// How the body moves.
    pub algorithm: DisAlgorithm,
    /// How [`DisFields::acceleration`] is meant.
    pub acceleration: BodyAcceleration,
}

impl DisModel {
    /// The model with the acceleration meant as most peers do.
    #[must_use]
    pub const fn new(algorithm: DisAlgorithm) -> Self {
        Self { algorithm, acceleration: BodyAcceleration::BodyRate }
    }

    /// Where the body is believed to be, `t_s` seconds after `seen.at`.
    #[must_use]
    pub fn position_after(&self, seen: &Kinematics, t_s: f64) -> DVec3 {
        if self.algorithm == DisAlgorithm::Static {
            return seen.position;
        }
        let push = self.push(seen);
        let way = if self.algorithm.carries_velocity_around() {
            let spin = Spin::new(seen.angular_velocity, t_s);
            spin.swept(seen.velocity) + spin.ramped(push)
        } else {
            seen.velocity * t_s + push * (0.5 * t_s * t_s)
        };
        seen.position + way
    }

    /// How fast that position changes, in world axes, `t_s` seconds after `seen.at`.
    ///
    /// Zero for a [`Static`](DisAlgorithm::Static) body, whatever its velocity field holds.
    #[must_use]
    pub fn velocity_after(&self, seen: &Kinematics, t_s: f64) -> DVec3 {
        if self.algorithm == DisAlgorithm::Static {
            return DVec3::ZERO;
        }
        let velocity = seen.velocity + self.push(seen) * t_s;
        if self.algorithm.carries_velocity_around() {
            Spin::new(seen.angular_velocity, t_s).turned(velocity)
        } else {
            velocity
        }
    }

    /// How the body is believed to be turned, from body to world axes, `t_s` seconds after
    /// `seen.at`.
    #[must_use]
    pub fn orientation_after(&self, seen: &Kinematics, t_s: f64) -> DQuat {
        if self.algorithm.rotates() {
            rotation(seen.angular_velocity * t_s) * seen.orientation
        } else {
            seen.orientation
        }
    }

    /// The constant rate of the velocity in the axes the model thinks in, as they stand at
    /// `seen.at`.
    fn push(self, seen: &Kinematics) -> DVec3 {
        if self.algorithm.accelerates() {
            seen.acceleration - self.carried(seen)
        } else {
            DVec3::ZERO
        }
    }

    /// The part of the acceleration that comes from the velocity being turned along.
    fn carried(self, seen: &Kinematics) -> DVec3 {
        if self.algorithm.carries_velocity_around() {
            seen.angular_velocity.cross(seen.velocity)
        } else {
            DVec3::ZERO
        }
    }

    /// The part of the world acceleration that the acceleration field leaves out.
    fn left_out_of_field(self, seen: &Kinematics) -> DVec3 {
        match self.acceleration {
            BodyAcceleration::BodyRate => self.carried(seen),
            BodyAcceleration::Inertial => DVec3::ZERO,
        }
    }
}

/// The moving parts of an Entity State PDU, in the axes the standard gives them.
///
/// Body axes are x ahead, y right, z down. The numbers carry over from and to
/// [`Kinematics`] whether or not the model uses them, so nothing is lost on the way but the
/// last bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DisFields {
    /// Entity location; the standard's world is geocentric, ours need not be.
    pub position: DVec3,
    /// Rotation from body to world axes; the wire's angles become one in
    /// [`quat_from_euler`].
    pub orientation: DQuat,
    /// Linear velocity, in world axes or, for the `B` models, in body axes.
    pub velocity: DVec3,
    /// Linear acceleration, in the same axes, read as [`BodyAcceleration`] defines.
    pub acceleration: DVec3,
    /// Angular velocity, in body axes for all models.
    pub angular_velocity: DVec3,
}

impl DisFields {
    /// The fields in the engine's terms. Its acceleration is the true one in
    /// world axes, including what the turning of the body contributes.
    #[must_use]
    pub fn to_kinematics(&self, model: DisModel, at: SimTime) -> Kinematics {
        let to_world = unit(self.orientation);
        let axes = if model.algorithm.in_body_axes() { to_world } else { DQuat::IDENTITY };
        let mut seen = Kinematics {
            at,
            position: self.position,
            velocity: axes * self.velocity,
            acceleration: axes * self.acceleration,
            orientation: self.orientation,
            angular_velocity: to_world * self.angular_velocity,
        };
        seen.acceleration += model.left_out_of_field(&seen);
        seen
    }

    /// The fields that make a peer with this model see `seen`: the inverse of
    /// [`to_kinematics`](Self::to_kinematics).
    #[must_use]
    pub fn from_kinematics(seen: &Kinematics, model: DisModel) -> Self {
        let to_body = unit(seen.orientation).conjugate();
        let axes = if model.algorithm.in_body_axes() { to_body } else { DQuat::IDENTITY };
        Self {
            position: seen.position,
            orientation: seen.orientation,
            velocity: axes * seen.velocity,
            acceleration: axes * (seen.acceleration - model.left_out_of_field(seen)),
            angular_velocity: to_body * seen.angular_velocity,
        }
    }
}

/// The rotation itself, when rounding on some wire has changed the quaternion's length:
/// turning a vector must not stretch it.
fn unit(orientation: DQuat) -> DQuat {
    let length = sqrt(orientation.length_squared());
    if length > 0.0 { orientation / length } else { DQuat::IDENTITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dis::quat_from_euler;
    use core::f64::consts::PI;

    /// A tank that drives a circle of 20 m at 10 m/s, turned and pitched.
    fn tank() -> DisFields {
        DisFields {
            position: DVec3::new(4.0e6, 1.0e6, 4.8e6),
            orientation: quat_from_euler(0.6, -0.2, 0.1),
            velocity: DVec3::X * 10.0,
            acceleration: DVec3::ZERO,
            angular_velocity: DVec3::Z * 0.5,
        }
    }

    #[test]
    fn numbers_and_models_are_the_same_thing() {
        for number in 0..=255 {
            let algorithm = DisAlgorithm::from_number(number);
            assert_eq!(algorithm.is_some(), (1..=9).contains(&number), "{number}");
            assert!(algorithm.is_none_or(|a| a.number() == number), "{number}");
        }
    }

    #[test]
    fn a_circle_closes_in_either_reading() {
        let full_turn_s = PI / 0.25;
        let mut inertial = tank();
        inertial.acceleration = DVec3::Y * 5.0; // v w, to the right, where z down turns to
        let readings =
            [(tank(), BodyAcceleration::BodyRate), (inertial, BodyAcceleration::Inertial)];
        for (fields, acceleration) in readings {
            let model = DisModel { algorithm: DisAlgorithm::Rvb, acceleration };
            let seen = fields.to_kinematics(model, SimTime::ZERO);
            assert!((seen.acceleration.length() - 5.0).abs() < 1e-12, "{acceleration:?}");
            let end = model.position_after(&seen, full_turn_s);
            assert!((end - seen.position).length() < 1e-8, "{acceleration:?}: {end}");
            let across = model.position_after(&seen, full_turn_s / 2.0);
            assert!(((across - seen.position).length() - 40.0).abs() < 1e-8, "{across}");
        }
    }

    #[test]
    fn the_true_acceleration_is_the_slope_of_the_velocity() {
        let mut fields = tank();
        fields.acceleration = DVec3::new(1.0, -2.0, 3.0);
        for algorithm in DisAlgorithm::ALL.into_iter().filter(|a| a.accelerates()) {
            for acceleration in [BodyAcceleration::BodyRate, BodyAcceleration::Inertial] {
                let model = DisModel { algorithm, acceleration };
                let seen = fields.to_kinematics(model, SimTime::ZERO);
                let dt = 1e-5;
                let change = model.velocity_after(&seen, dt) - model.velocity_after(&seen, -dt);
                let off = (change / (2.0 * dt) - seen.acceleration).length();
                assert!(off < 1e-8, "{model:?}: off by {off}");
            }
        }
    }

    #[test]
    fn a_static_body_stays_whatever_its_fields_say() {
        let model = DisModel::new(DisAlgorithm::Static);
        let seen = tank().to_kinematics(model, SimTime::ZERO);
        assert_eq!(model.position_after(&seen, 9.0), seen.position);
        assert_eq!(model.velocity_after(&seen, 9.0), DVec3::ZERO);
        assert_eq!(model.orientation_after(&seen, 9.0), seen.orientation);
    }
}
