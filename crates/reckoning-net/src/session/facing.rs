//! Which way a remote entity is drawn: as sent, or derived from how it is drawn to move.
//!
//! A body that stands keeps the way it was turned, so derived ways are kept from frame to frame: see
//! [`Session::handle_timeout`](crate::Session::handle_timeout).

use reckoning::ground::Pose;
use reckoning::orientation::heading_and_pitch_from_velocity;
use reckoning::{DQuat, DVec3, SimTime, heading_from_velocity, two_point};

use super::Session;
use super::remote_ghost::RemoteGhost;
use crate::kinds::Facing;

/// How one entity is turned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FacingState {
    facing: Facing,
    /// How it was turned in the last frame.
    turned: DQuat,
    /// Where its back end was then.
    back: DVec3,
}

impl FacingState {
    /// It begins as it was sent.
    pub(super) fn new(facing: Facing, ghost: &RemoteGhost, at: SimTime) -> Self {
        let pose = ghost.pose_at(at);
        let mut this = Self { facing, turned: pose.orientation, back: DVec3::ZERO };
        this.put(pose.position);
        this
    }

    /// The body is of another kind: it goes on turned as it is.
    pub(super) fn set(&mut self, facing: Facing, ghost: &RemoteGhost, at: SimTime) {
        let pose = self.pose_at(ghost, at);
        (self.facing, self.turned) = (facing, pose.orientation);
        self.put(pose.position);
    }

    /// It is somewhere else, turned as it was.
    pub(super) fn put(&mut self, front: DVec3) {
        if let Facing::TwoPoint { length_m } = self.facing {
            self.back = front - self.turned * DVec3::X * length_m;
        }
    }

    pub(super) const fn is_derived(&self) -> bool {
        self.facing.is_derived()
    }

    /// A frame is drawn.
    fn keep(&mut self, ghost: &RemoteGhost, at: SimTime) {
        let pose = self.pose_at(ghost, at);
        self.turned = pose.orientation;
        self.put(pose.position);
    }

    /// Where and how to draw the body.
    pub(super) fn pose_at(&self, ghost: &RemoteGhost, at: SimTime) -> Pose {
        let position = ghost.position_at(at);
        let orientation = match self.facing {
            Facing::Sent => ghost.orientation_at(at),
            Facing::Heading { min_speed_mps } => {
                heading_from_velocity(way_of(ghost, at), self.turned, min_speed_mps)
            }
            Facing::HeadingAndPitch { min_speed_mps } => {
                heading_and_pitch_from_velocity(way_of(ghost, at), self.turned, min_speed_mps)
            }
            Facing::TwoPoint { .. } => {
                two_point(position, self.back, DVec3::Z).unwrap_or(self.turned)
            }
        };
        Pose { position, orientation }
    }
}

/// The way a body goes, for its nose to follow: as it is drawn, but not where that only slides back
/// to where the body stopped or turned.
fn way_of(ghost: &RemoteGhost, at: SimTime) -> DVec3 {
    let drawn = ghost.velocity_at(at);
    let Some(reckoned) = ghost.reckoned() else { return drawn };
    let believed = reckoned.update().velocity_at(at);
    if drawn.dot(believed) > 0.0 { drawn } else { believed }
}

impl Session {
    /// Keeps how bodies are turned whose way is derived.
    pub(super) fn keep_facings(&mut self, now: SimTime) {
        let Some(at) = self.timeline_at(now) else { return };
        for remote in self.ghosts.values_mut().filter(|it| it.facing.is_derived()) {
            remote.facing.keep(&remote.ghost, at);
        }
    }
}
