//! Memory of the joints that a peer was sent of an entity, for hit checks by what it saw.
//!
//! Like a [`Rewind`](reckoning::Rewind) for turrets: what was sent and when it arrived rebuild the
//! picture that the peer had at a moment. What is neither acknowledged nor lost counts as shown once
//! it should have arrived, so a peer that acknowledges nothing gains nothing.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::time::Duration;

use reckoning::SimTime;

use super::Host;
use crate::joint_picture::JointPicture;
use crate::kinds::{JointKind, JointRef, Joints, KindId, MAX_SENT_JOINTS, SentJoint, Show};
use crate::wire::{EntityId, PeerId};

/// Datagrams that are kept apart; of older ones only the picture they led to.
const MAX_KEPT: usize = 32;

/// What a peer was sent of the joints of one entity.
#[derive(Clone, Debug)]
pub(crate) struct JointMemory {
    kind: KindId,
    /// Which of the entity's stays in the peer's interest set it is about.
    epoch: u32,
    /// The joints as the forgotten datagrams left them.
    base: Vec<JointPicture>,
    /// Oldest first.
    sent: VecDeque<SentCodes>,
}

/// The joints of one datagram.
#[derive(Clone, Copy, Debug)]
struct SentCodes {
    datagram: u64,
    sent: SimTime,
    mask: u8,
    codes: [u16; MAX_SENT_JOINTS],
    outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Unknown,
    Arrived(SimTime),
    Lost,
}

impl SentCodes {
    /// When it was shown from; `None` for what was lost.
    fn shown_from(&self, way: Duration) -> Option<SimTime> {
        match self.outcome {
            Outcome::Unknown => Some(self.sent + way),
            Outcome::Arrived(at) => Some(at),
            Outcome::Lost => None,
        }
    }

    fn show(&self, kinds: &[JointKind], pictures: &mut [JointPicture], arrived: SimTime) {
        for (place, (picture, kind)) in pictures.iter_mut().zip(kinds.all_sent()).enumerate() {
            if self.mask & 1 << place != 0 {
                let sent = (self.datagram, self.sent);
                picture.accept(kind, self.codes[place], sent, arrived);
            }
        }
    }
}

impl JointMemory {
    pub(crate) fn new(kind: KindId, epoch: u32, kinds: &[JointKind]) -> Self {
        let base = kinds.all_sent().map(JointPicture::new).collect();
        Self { kind, epoch, base, sent: VecDeque::new() }
    }

    pub(crate) fn is_of(&self, kind: KindId, epoch: u32) -> bool {
        (self.kind, self.epoch) == (kind, epoch)
    }

    /// Remembers what is being sent, and forgets what is too old to be told apart.
    pub(crate) fn sent(
        &mut self,
        kinds: &[JointKind],
        (datagram, sent): (u64, SimTime),
        (mask, codes): (u8, [u16; MAX_SENT_JOINTS]),
        way: Duration,
    ) {
        if self.sent.len() >= MAX_KEPT
            && let Some(oldest) = self.sent.pop_front()
            && let Some(arrived) = oldest.shown_from(way)
        {
            oldest.show(kinds, &mut self.base, arrived);
        }
        let outcome = Outcome::Unknown;
        self.sent.push_back(SentCodes { datagram, sent, mask, codes, outcome });
    }

    pub(crate) fn arrived(&mut self, datagram: u64, at: SimTime) {
        self.note(datagram, Outcome::Arrived(at));
    }

    pub(crate) fn lost(&mut self, datagram: u64) {
        self.note(datagram, Outcome::Lost);
    }

    fn note(&mut self, datagram: u64, outcome: Outcome) {
        if let Some(sent) = self.sent.iter_mut().find(|it| it.datagram == datagram) {
            sent.outcome = outcome;
        }
    }

    /// The angle of a joint that was drawn at a moment; `way` is what a datagram takes.
    fn angle_at(
        &self,
        kinds: &[JointKind],
        (place, kind): (usize, &SentJoint),
        at: SimTime,
        way: Duration,
    ) -> Option<f64> {
        let mut shown: Vec<(SimTime, &SentCodes)> =
            self.sent.iter().filter_map(|it| Some((it.shown_from(way)?, it))).collect();
        shown.retain(|(from, _)| *from <= at);
        shown.sort_by_key(|(from, it)| (*from, it.datagram));
        let mut pictures = self.base.clone();
        for (from, codes) in shown {
            codes.show(kinds, &mut pictures, from);
        }
        Some(pictures.get(place)?.angle_at(kind, at))
    }
}

impl Host {
    /// The angle at which a peer drew a joint of an entity at a moment, for hits on turrets: dated by
    /// acknowledgements, as exact as these are. `None` unless
    /// [`HostConfig::rewind`](crate::HostConfig::rewind) is set, when the peer was sent no joint of
    /// the entity, and where the kind has it shown with a delay.
    #[must_use]
    pub fn joint_shown_at<'a>(
        &self,
        peer: PeerId,
        id: EntityId,
        joint: impl Into<JointRef<'a>>,
        at: SimTime,
    ) -> Option<f64> {
        let peer = self.peers.get(&peer)?;
        let place = peer.entity_states.binary_search_by_key(&id, |state| state.entity).ok()?;
        let state = peer.entity_states.get(place)?;
        let memory = peer.joints.memory.get(&id)?;
        let kind = self.config.kinds.get(memory.kind)?;
        if matches!(kind.show_in(state.class), Show::Delayed(_)) {
            return None;
        }
        let place = kind.joints.sent_place(joint.into())?;
        let sent = kind.joints.all_sent().nth(place)?;
        memory.angle_at(&kind.joints, (place, sent), at, peer.way())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAY: Duration = Duration::from_millis(100);

    fn ms(ms: i64) -> SimTime {
        SimTime::from_millis(ms)
    }

    fn turret() -> [JointKind; 1] {
        let mut joint = SentJoint::default();
        joint.blend = Duration::from_millis(200);
        [JointKind::sent("turret", joint)]
    }

    struct Shooter {
        memory: JointMemory,
        kinds: [JointKind; 1],
    }

    impl Shooter {
        fn new() -> Self {
            let kinds = turret();
            Self { memory: JointMemory::new(KindId(1), 0, &kinds), kinds }
        }

        fn joint(&self) -> SentJoint {
            *self.kinds.all_sent().next().unwrap()
        }

        fn send(&mut self, datagram: u64, at: i64, angle_rad: f64) {
            let joint = reckoning::Joint { at: ms(at), angle_rad, rate_radps: 0.0 };
            let mut codes = [0; MAX_SENT_JOINTS];
            codes[0] = self.joint().encode(&joint);
            self.memory.sent(&self.kinds, (datagram, ms(at)), (1, codes), WAY);
        }

        fn saw(&self, at: i64) -> f64 {
            let joint = self.joint();
            self.memory.angle_at(&self.kinds, (0, &joint), ms(at), WAY).unwrap()
        }
    }

    #[test]
    fn a_turret_is_remembered_as_it_was_drawn() {
        let mut shooter = Shooter::new();
        shooter.send(1, 0, 1.0);
        shooter.memory.arrived(1, ms(80));
        shooter.send(2, 500, 2.0);
        shooter.memory.arrived(2, ms(600));
        let near = |got: f64, want: f64| assert!((got - want).abs() < 0.01, "{got}, not {want}");
        near(shooter.saw(50), 0.0); // not there yet
        near(shooter.saw(100), 1.0);
        near(shooter.saw(599), 1.0);
        near(shooter.saw(700), 1.5); // half way through the blend
        near(shooter.saw(900), 2.0);
    }

    #[test]
    fn what_was_lost_or_overtaken_was_not_drawn() {
        let mut shooter = Shooter::new();
        shooter.send(1, 0, 1.0);
        shooter.memory.arrived(1, ms(80));
        shooter.send(2, 500, 2.0);
        shooter.memory.lost(2);
        shooter.send(3, 600, 3.0);
        shooter.send(4, 620, 0.5);
        shooter.memory.arrived(4, ms(700));
        shooter.memory.arrived(3, ms(750));
        assert!((shooter.saw(650) - 1.0).abs() < 0.01);
        assert!((shooter.saw(2_000) - 0.5).abs() < 0.01);
    }

    /// Whoever acknowledges nothing was shown everything all the same, a way after it was sent.
    #[test]
    fn silence_does_not_make_an_old_turret_last() {
        let mut shooter = Shooter::new();
        shooter.send(1, 0, 1.0);
        shooter.send(2, 500, 2.0);
        assert!((shooter.saw(590) - 1.0).abs() < 0.01);
        assert!((shooter.saw(900) - 2.0).abs() < 0.01);
    }

    #[test]
    fn what_was_forgotten_leaves_its_picture() {
        let mut shooter = Shooter::new();
        shooter.send(1, 0, 1.0);
        for datagram in 2..100 {
            let nothing = (0, [0; MAX_SENT_JOINTS]);
            shooter.memory.sent(&turret(), (datagram, ms(0)), nothing, WAY);
        }
        assert!((shooter.saw(5_000) - 1.0).abs() < 0.01);
    }
}
