//! Entities of others, as a gateway knows them.

use reckoning::dis::{DisAlgorithm, DisModel};
use reckoning::{Kinematics, Model, SimTime};

use crate::place::TangentFrame;
use crate::wire::{EntityState, PartRecord, Timestamp};

/// An entity that somebody else simulates.
#[derive(Clone, Debug)]
pub struct Entity {
    pub(super) state: EntityState,
    /// As the newest PDU said, in the local frame, by our clock.
    pub(super) seen: Kinematics,
    pub(super) model: DisModel,
    pub(super) kind: String,
    pub(super) team: Option<u8>,
    pub(super) joints: Vec<JointAngle>,
    pub(super) stamp: Timestamp,
    pub(super) heard: SimTime,
    /// PDUs about it so far.
    pub(super) pdus: u64,
}

/// The angle of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointAngle {
    /// The joint's name on the server.
    pub name: String,
    /// Its angle when the entity was seen, to the left or up.
    pub angle_rad: f64,
    /// How fast that grows.
    pub rate_radps: f64,
}

impl Entity {
    /// Everything that its newest PDU says.
    #[must_use]
    pub const fn state(&self) -> &EntityState {
        &self.state
    }

    /// The kind of bodies that it is mapped to.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The team that its force is mapped to.
    #[must_use]
    pub const fn team(&self) -> Option<u8> {
        self.team
    }

    /// By which of the standard's models it goes on: [`Static`](DisAlgorithm::Static) while it is
    /// frozen.
    #[must_use]
    pub const fn model(&self) -> Model {
        Model::Dis(self.model)
    }

    /// How it was when it was seen last, in the local frame.
    #[must_use]
    pub const fn seen(&self) -> &Kinematics {
        &self.seen
    }

    /// When it was heard of last.
    #[must_use]
    pub const fn heard(&self) -> SimTime {
        self.heard
    }

    /// PDUs about it so far.
    #[must_use]
    pub const fn pdus(&self) -> u64 {
        self.pdus
    }

    /// Where it is believed to be now, in the local frame, and how it moves.
    #[must_use]
    pub fn kinematics_at(&self, now: SimTime) -> Kinematics {
        reckoned(&self.seen, self.model, now)
    }

    /// Its joints at `now`.
    pub fn joints_at(&self, now: SimTime) -> impl Iterator<Item = JointAngle> + '_ {
        let secs = now.secs_since(self.seen.at).max(0.0);
        self.joints.iter().map(move |joint| JointAngle {
            angle_rad: joint.angle_rad + joint.rate_radps * secs,
            ..joint.clone()
        })
    }
}

/// The motion that a model makes of a state.
pub(super) fn reckoned(seen: &Kinematics, model: DisModel, now: SimTime) -> Kinematics {
    let secs = now.secs_since(seen.at);
    let orientation = model.orientation_after(seen, secs);
    // Where the velocity turns along with the body, so does its rate.
    let turned = match model.algorithm {
        DisAlgorithm::Rpb | DisAlgorithm::Rvb => {
            (orientation * seen.orientation.conjugate()) * seen.acceleration
        }
        _ => seen.acceleration,
    };
    Kinematics {
        at: now,
        position: model.position_after(seen, secs),
        velocity: model.velocity_after(seen, secs),
        acceleration: turned,
        orientation,
        angular_velocity: seen.angular_velocity,
    }
}

/// Its motion in the local frame; `None` where its numbers make no sense.
pub(super) fn motion(
    state: &EntityState,
    frame: &TangentFrame,
    at: SimTime,
) -> Option<(Kinematics, DisModel)> {
    let known = state.algorithm().unwrap_or(DisAlgorithm::Static);
    let seen = state.fields()?.to_kinematics(DisModel::new(known), at);
    let model = DisModel::new(if state.is_frozen() { DisAlgorithm::Static } else { known });
    let mut local = frame.from_geocentric(&seen);
    if model.algorithm == DisAlgorithm::Static {
        local.velocity = reckoning::DVec3::ZERO;
    }
    Some((local, model))
}

/// The value of an articulation parameter.
pub(super) fn parameter(parts: &[PartRecord], attached: u16, wanted: u32) -> Option<f64> {
    parts.iter().find_map(|part| match *part {
        PartRecord::Articulated { attached_to, parameter, value, .. }
            if (attached_to, parameter) == (attached, wanted) && value.is_finite() =>
        {
            Some(f64::from(value))
        }
        _ => None,
    })
}
