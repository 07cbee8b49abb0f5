//! Joints of a session: those it aims, and those that it watches.

use alloc::vec::Vec;
use core::time::Duration;

use libm::atan2;
use reckoning::joints::Steering;
use reckoning::orientation::{heading_rad, shortest_turn_rad};
use reckoning::{DVec3, Joint, SimTime, wheel_spin_rad};

use super::Session;
use super::facing::FacingState;
use super::remote_ghost::RemoteGhost;
use crate::channel::{Arriving, SentItem};
use crate::host::config::ClockMode;
use crate::joint_picture::JointPicture;
use crate::kinds::{JointKind, JointRef, JointSource, Joints, MAX_SENT_JOINTS, SentJoint};
use crate::wire::{EntityId, Message, PacketWriter};

/// The turn of a body is taken over this span, to steer its wheels.
const STEERING_SPAN: Duration = Duration::from_millis(50);

/// Joints of an entity of ours, by their place among those that are sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnedJoints {
    joints: [OwnedJoint; MAX_SENT_JOINTS],
    /// A bit for each that has to be sent.
    due: u8,
}

#[derive(Clone, Copy, Debug, Default)]
struct OwnedJoint {
    truth: Option<Joint>,
    /// What watchers predict from.
    exported: Option<Joint>,
}

impl OwnedJoints {
    fn aim(&mut self, place: usize, kind: &SentJoint, truth: Joint) {
        let Some(joint) = self.joints.get_mut(place) else { return };
        joint.truth = Some(truth);
        if joint.exported.is_none_or(|exported| kind.is_due(&exported, &truth)) {
            self.due |= 1 << place;
        }
    }

    pub(super) const fn needs_sending(&self) -> bool {
        self.due != 0
    }

    pub(super) const fn lost(&mut self, mask: u8) {
        self.due |= mask;
    }

    /// The codes of what is due, evaluated at `at`, which listeners take for the truth from now on.
    fn export(&mut self, kinds: &[JointKind], at: SimTime) -> (u8, [u16; MAX_SENT_JOINTS]) {
        let (mut mask, mut codes) = (0, [0; MAX_SENT_JOINTS]);
        for (place, (joint, kind)) in self.joints.iter_mut().zip(kinds.all_sent()).enumerate() {
            if self.due & 1 << place == 0 {
                continue;
            }
            let Some(truth) = joint.truth else { continue };
            codes[place] = kind.encode(&kind.later(&truth, at));
            joint.exported = Some(kind.decode(codes[place], at));
            mask |= 1 << place;
        }
        self.due = 0;
        (mask, codes)
    }
}

/// Joints of an entity of others, by their place in its kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct WatchedJoints {
    list: Vec<WatchedJoint>,
}

#[derive(Clone, Debug)]
enum WatchedJoint {
    Sent(JointPicture),
    /// How far a wheel has turned, and where its hub was then.
    Wheel {
        spin_rad: f64,
        hub: Option<DVec3>,
    },
    Steering,
}

impl WatchedJoint {
    fn new(kind: &JointKind) -> Self {
        match &kind.source {
            JointSource::Sent(sent) => Self::Sent(JointPicture::new(sent)),
            JointSource::Wheel { .. } => Self::Wheel { spin_rad: 0.0, hub: None },
            JointSource::Steering { .. } => Self::Steering,
        }
    }

    /// The angle on a body that is shown by `ghost` at `at`.
    fn angle_at(
        &mut self,
        kind: &JointKind,
        (ghost, facing): (&RemoteGhost, &FacingState),
        at: SimTime,
    ) -> f64 {
        match (self, &kind.source) {
            (Self::Sent(picture), JointSource::Sent(kind)) => {
                picture.angle_at(kind, at - ghost.delay_at(at))
            }
            (Self::Wheel { spin_rad, hub: before }, JointSource::Wheel { hub, radius_m }) => {
                let pose = facing.pose_at(ghost, at);
                let here = pose.position + pose.orientation * *hub;
                let from = before.replace(here).unwrap_or(here);
                *spin_rad = wheel_spin_rad(*spin_rad, from, here, pose.orientation, *radius_m);
                *spin_rad
            }
            (_, &JointSource::Steering { wheelbase_m, max_rad, min_speed_mps }) => {
                let mut steering = Steering::default();
                (steering.wheelbase_m, steering.max_rad) = (wheelbase_m, max_rad);
                steering.min_speed_mps = min_speed_mps;
                let nose = facing.pose_at(ghost, at).orientation * DVec3::X;
                let speed_mps = ghost.velocity_at(at).dot(nose);
                let turn_rad = turned_rad(ghost, facing.is_derived(), at);
                steering.angle_rad(speed_mps, turn_rad / STEERING_SPAN.as_secs_f64())
            }
            _ => 0.0,
        }
    }
}

/// How far a body has turned in the last [`STEERING_SPAN`]: itself, or its way.
fn turned_rad(ghost: &RemoteGhost, by_way: bool, at: SimTime) -> f64 {
    let heading_at = |at| {
        let way = ghost.velocity_at(at);
        if by_way { atan2(way.y, way.x) } else { heading_rad(ghost.orientation_at(at)) }
    };
    shortest_turn_rad(heading_at(at - STEERING_SPAN), heading_at(at))
}

impl WatchedJoints {
    /// The entity is of another kind.
    pub(super) fn forget(&mut self) {
        self.list.clear();
    }

    fn of_kind(&mut self, kinds: &[JointKind]) -> &mut [WatchedJoint] {
        if self.list.len() != kinds.len() {
            self.list = kinds.iter().map(WatchedJoint::new).collect();
        }
        &mut self.list
    }

    /// A bit for each joint that was taken, of those that the datagram of that number brought.
    fn accept(
        &mut self,
        kinds: &[JointKind],
        (mask, codes): (u8, &[u16]),
        sent: (u64, SimTime),
        arrived: SimTime,
    ) -> u8 {
        let mut taken = 0;
        let is_sent =
            |it: &(&mut WatchedJoint, &JointKind)| matches!(it, (WatchedJoint::Sent(_), _));
        let joints = self.of_kind(kinds).iter_mut().zip(kinds).filter(is_sent);
        for (place, (joint, kind)) in joints.enumerate() {
            let (WatchedJoint::Sent(picture), JointSource::Sent(kind)) = (joint, &kind.source)
            else {
                continue;
            };
            let code = codes.get(place).copied().unwrap_or(0);
            if mask & 1 << place != 0 && picture.accept(kind, code, sent, arrived) {
                taken |= 1 << place;
            }
        }
        taken
    }
}

impl Session {
    /// Aims a joint of an entity of ours: its angle at `now` by our clock and how fast it turns;
    /// each frame. What is beyond its range or rate is clamped. Returns whether the entity is ours
    /// and its kind has such a joint that is sent.
    pub fn aim<'a>(
        &mut self,
        now: SimTime,
        entity: EntityId,
        joint: impl Into<JointRef<'a>>,
        angle_rad: f64,
        rate_radps: f64,
    ) -> bool {
        let Some(at) = self.timeline_at(now) else { return false };
        let Some(owned) = self.owned.get_mut(&entity) else { return false };
        let kinds = self.kinds.joints(owned.kind);
        let Some(place) = kinds.sent_place(joint.into()) else { return false };
        let Some(kind) = kinds.all_sent().nth(place) else { return false };
        let Some(truth) = kind.possible(Joint { at, angle_rad, rate_radps }) else { return false };
        owned.joints.aim(place, kind, truth);
        true
    }

    /// The angle at which to draw a joint of an entity of others at `now` by our clock; each frame
    /// for wheels, which turn with the way that was drawn. A joint that was never aimed is at zero,
    /// or where its range is nearest to that. `None` when the entity is not in the interest set or
    /// its kind has no such joint.
    pub fn joint_at<'a>(
        &mut self,
        entity: EntityId,
        joint: impl Into<JointRef<'a>>,
        now: SimTime,
    ) -> Option<f64> {
        let at = self.timeline_at(now)?;
        let remote = self.ghosts.get_mut(&entity)?;
        let kinds = self.kinds.joints(remote.kind);
        let place = kinds.place(joint.into())?;
        let watched = remote.joints.of_kind(kinds).get_mut(place)?;
        Some(watched.angle_at(kinds.get(place)?, (&remote.ghost, &remote.facing), at))
    }

    /// Handles joints of an entity. False for what came before the entry.
    pub(super) fn handle_joints(
        &mut self,
        now: SimTime,
        datagram: &Arriving,
        entity: EntityId,
        sent: (u8, &[u16]),
    ) -> bool {
        let arrived = self.timeline_at(now).unwrap_or(SimTime::from_millis(datagram.sent_ms));
        let dated = match self.clock_mode {
            ClockMode::Synchronised => SimTime::from_millis(datagram.sent_ms),
            ClockMode::PerHop => now - self.way.delay().unwrap_or_default(),
        };
        let Some(remote) = self.ghosts.get_mut(&entity) else {
            self.stats.unknown_entity += 1;
            return self.exited.covers(entity, datagram.sequence);
        };
        let kinds = self.kinds.joints(remote.kind);
        if remote.entered > datagram.sequence {
            self.stats.stale += 1;
        } else if u32::from(sent.0) >> kinds.all_sent().count() != 0 {
            self.stats.malformed += 1;
        } else {
            let moment = arrived - remote.ghost.delay_at(arrived);
            let dated = (datagram.sequence.number(), dated);
            let taken = remote.joints.accept(kinds, sent, dated, moment);
            self.stats.joints_in += u64::from(taken.count_ones());
            self.stats.stale += u64::from(taken == 0);
        }
        true
    }

    /// Writes the joints of ours that are due, as they are at the moment of sending.
    pub(super) fn write_joints(
        &mut self,
        out: &mut PacketWriter,
        items: &mut Vec<SentItem>,
        sent_ms: i64,
    ) {
        let at = SimTime::from_millis(sent_ms);
        for (&entity, owned) in &mut self.owned {
            if !owned.joints.needs_sending() {
                continue;
            }
            let mut after = owned.joints.clone();
            let (mask, codes) = after.export(self.kinds.joints(owned.kind), at);
            if mask != 0 {
                if !out.push(None, &Message::Joints { entity, mask, codes }) {
                    return;
                }
                items.push(SentItem::Joints { entity, mask, epoch: 0 });
                self.stats.joints_out += u64::from(mask.count_ones());
            }
            owned.joints = after;
        }
    }
}
