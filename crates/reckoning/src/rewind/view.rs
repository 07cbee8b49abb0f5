//! One shooter's view of one entity, rebuilt from what it was sent.
//!
//! Ghosts depend on all updates they ever received, so the view keeps one ghost from just
//! before the span that can be asked about and what was sent since; asking replays that.
//!
//! When something sent came to be shown is known from the shooter alone: by a reference, which
//! is exact, or by an acknowledgement, which is near. Neither can be proven, so both are bounded:
//! it is shown once its deadline has passed, whatever the shooter says or keeps to itself.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::time::Duration;

use super::shown_ghost::{RewindView, ShownGhost};
use super::{HitRefusal, ShownAs};
use crate::ground::Pose;
use crate::{SimTime, Update};

/// So long what was sent is kept after it can no longer be asked about, because later blends
/// began with it.
const HELD_AFTER: Duration = Duration::from_secs(1);

/// Something about an entity that was sent to a shooter.
#[derive(Clone, Copy, Debug, PartialEq)]
// Nearly all of them are updates.
#[allow(clippy::large_enum_variant)]
#[non_exhaustive]
pub enum Sent {
    /// The entity enters the picture with this update; one that is in it takes it as an update.
    Enter(Update),
    /// An update, dropped by those who do not show the entity.
    Update(Update),
    /// The entity leaves the picture.
    Exit,
}

/// What an acknowledgement was about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Acknowledged {
    Known,
    /// Something that is not remembered.
    Unknown,
    /// The exit: the entity is in the picture no longer, but shots at it may be under way.
    Gone,
}

/// How long something sent may wait to be shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadlines {
    /// By a shooter that does not say what became of it.
    pub(super) usual: Duration,
    /// Where it was reported lost.
    pub(super) lost: Duration,
}

/// What references said of something sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claimed {
    Nothing,
    Arrived(SimTime),
    /// A later update was shown and this one never was.
    Absent,
}

#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant)]
enum Change {
    Sent(Sent),
    /// The shooter shows by other settings.
    View(RewindView),
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u64,
    sent_at: SimTime,
    change: Change,
    /// When it arrived by its acknowledgement, and when that came in.
    acknowledged: Option<(SimTime, SimTime)>,
    claimed: Claimed,
    lost: bool,
}

/// What one shooter saw of one entity.
#[derive(Clone, Debug)]
pub(super) struct ShooterView {
    /// The settings by which `past` is shown.
    view: RewindView,
    /// The settings by which every shooter shows the entity, whatever it states.
    prescribed: Option<RewindView>,
    /// As it was after `heard`; `None` while the entity is not in the picture.
    past: Option<ShownGhost>,
    heard: SimTime,
    /// The key of the newest that `past` has.
    past_key: Option<u64>,
    /// In the order of sending.
    since: VecDeque<Entry>,
    /// The newest update that a reference named, and the latest moment of one: what was sent
    /// after that update was not shown at that moment.
    claimed_key: Option<u64>,
    claimed_at: SimTime,
}

impl ShooterView {
    pub(super) fn new(prescribed: Option<RewindView>, stated: RewindView) -> Self {
        Self {
            view: prescribed.unwrap_or(stated),
            prescribed,
            past: None,
            heard: SimTime::MIN,
            past_key: None,
            since: VecDeque::new(),
            claimed_key: None,
            claimed_at: SimTime::MIN,
        }
    }

    /// Something was sent. Sent again under the same key it counts from the first time.
    pub(super) fn sent(&mut self, key: u64, sent: Sent, now: SimTime) {
        let newest = self.since.back().map(|entry| entry.key).or(self.past_key);
        if newest.is_none_or(|newest| newest < key) {
            self.push(key, Change::Sent(sent), Claimed::Nothing, now);
        }
    }

    /// The settings by which every shooter shows the entity, if there are such.
    pub(super) const fn prescribed(&self) -> Option<RewindView> {
        self.prescribed
    }

    /// The shooter shows by other settings from `at` on.
    pub(super) fn set_view(&mut self, view: RewindView, at: SimTime) {
        if self.prescribed.is_some() {
            return;
        }
        let key = self.since.back().map(|entry| entry.key).or(self.past_key).unwrap_or_default();
        self.push(key, Change::View(view), Claimed::Arrived(at), at);
    }

    fn push(&mut self, key: u64, change: Change, claimed: Claimed, now: SimTime) {
        let entry = Entry { key, sent_at: now, change, acknowledged: None, claimed, lost: false };
        self.since.push_back(entry);
    }

    /// Forgets what can no longer be asked about.
    pub(super) fn forget(&mut self, deadlines: Deadlines, kept: usize, now: SimTime) {
        let held = deadlines.lost + HELD_AFTER;
        let is_old = |entry: &Entry| entry.sent_at + held < now;
        while self.since.len() > kept || self.since.front().is_some_and(is_old) {
            let first = (0..self.since.len())
                .min_by_key(|place| (self.shown_from(&self.since[*place], deadlines), *place));
            let Some(entry) = first.and_then(|place| self.since.remove(place)) else { return };
            let at = self.shown_from(&entry, deadlines);
            let mut picture = Picture::of_past(self);
            picture.apply(&entry, at);
            (self.view, self.past, self.past_key) = (picture.view, picture.ghost, picture.key);
            self.heard = self.heard.max(at);
        }
    }

    /// An acknowledgement dates an arrival.
    pub(super) fn acknowledged(
        &mut self,
        key: u64,
        arrived: SimTime,
        now: SimTime,
    ) -> Acknowledged {
        let Some(entry) = self.entry_mut(key) else { return Acknowledged::Unknown };
        entry.acknowledged = entry.acknowledged.or(Some((arrived, now)));
        let exits = matches!(entry.change, Change::Sent(Sent::Exit));
        if exits { Acknowledged::Gone } else { Acknowledged::Known }
    }

    /// Whether the last that was sent is an exit that was acknowledged by `by`.
    pub(super) fn is_gone(&self, by: SimTime) -> bool {
        let is_sent = |entry: &&Entry| matches!(entry.change, Change::Sent(_));
        self.since.iter().rev().find(is_sent).is_some_and(|last| {
            let exits = matches!(last.change, Change::Sent(Sent::Exit));
            exits && last.acknowledged.is_some_and(|(_, acknowledged_at)| acknowledged_at <= by)
        })
    }

    pub(super) fn lost(&mut self, key: u64) {
        if let Some(entry) = self.entry_mut(key) {
            entry.lost = true;
        }
    }

    fn entry_mut(&mut self, key: u64) -> Option<&mut Entry> {
        let is_it =
            |entry: &&mut Entry| entry.key == key && matches!(entry.change, Change::Sent(_));
        self.since.iter_mut().rev().find(is_it)
    }

    /// Takes the shooter's word for what it was shown, as far as it agrees with what was sent and
    /// with what the shooter said before.
    pub(super) fn claim(
        &mut self,
        shown: &ShownAs,
        max_lead: Duration,
        now: SimTime,
    ) -> Result<(), HitRefusal> {
        let past = self.past_key;
        for update in shown.updates() {
            let Some(entry) = self.entry_mut(update.key) else {
                // The past may have it, though something older that was lost is still waited for.
                if past.is_some_and(|past| update.key <= past) {
                    continue;
                }
                return Err(HitRefusal::NotSent);
            };
            let earliest = entry.sent_at - max_lead;
            if update.arrived < earliest || update.arrived > now + max_lead {
                return Err(HitRefusal::NotArrived);
            }
            let before = entry.acknowledged.is_none_or(|(_, by)| update.arrived <= by + max_lead);
            let agrees = matches!(entry.claimed, Claimed::Nothing)
                || entry.claimed == Claimed::Arrived(update.arrived);
            if !before || !agrees {
                return Err(HitRefusal::Contradicted);
            }
        }
        self.take_word(shown);
        Ok(())
    }

    fn take_word(&mut self, shown: &ShownAs) {
        let keys = shown.updates().iter().map(|update| update.key);
        let (first, newest) = (keys.clone().min().unwrap_or(0), keys.max().unwrap_or(0));
        for entry in self.since.iter_mut().filter(|entry| matches!(entry.change, Change::Sent(_))) {
            if let Some(arrived) = shown.arrival(entry.key) {
                entry.claimed = Claimed::Arrived(arrived);
            } else if (first..newest).contains(&entry.key) && entry.claimed == Claimed::Nothing {
                entry.claimed = Claimed::Absent;
            }
        }
        self.claimed_key = self.claimed_key.max(Some(newest));
        self.claimed_at = self.claimed_at.max(shown.shown_at);
    }

    /// From when on something sent counts as shown.
    fn shown_from(&self, entry: &Entry, deadlines: Deadlines) -> SimTime {
        if let (Change::View(_), Claimed::Arrived(at)) = (&entry.change, entry.claimed) {
            return at;
        }
        let wait = if entry.lost { deadlines.lost } else { deadlines.usual };
        let deadline = entry.sent_at + wait;
        let arrived = match (entry.claimed, entry.acknowledged) {
            (Claimed::Arrived(at), _) => at,
            (Claimed::Nothing, Some((at, _))) => at.max(self.not_before(entry.key)),
            (Claimed::Nothing, None) | (Claimed::Absent, _) => deadline,
        };
        arrived.min(deadline).min(self.not_after(entry))
    }

    /// An update is only shown of what had entered before, so who names one had the entry by then.
    fn not_after(&self, entry: &Entry) -> SimTime {
        let enters = matches!(entry.change, Change::Sent(Sent::Enter(_)));
        if !enters || entry.claimed == Claimed::Absent {
            return SimTime::MAX;
        }
        let later = self.since.iter().filter(|later| later.key > entry.key);
        let claimed = later.filter_map(|later| match (later.change, later.claimed) {
            (Change::Sent(Sent::Update(_)), Claimed::Arrived(at)) => Some(at),
            _ => None,
        });
        claimed.min().unwrap_or(SimTime::MAX)
    }

    /// What was sent after the newest update of a reference was shown later than its picture.
    fn not_before(&self, key: u64) -> SimTime {
        let is_later = self.claimed_key.is_some_and(|claimed| key > claimed);
        if is_later { self.claimed_at + Duration::from_micros(1) } else { SimTime::MIN }
    }

    /// What was shown then, and how far in the past; `None` while it was not in the picture and
    /// before the first thing remembered.
    pub(super) fn pose_at(&self, at: SimTime, deadlines: Deadlines) -> Option<(Pose, Duration)> {
        if at < self.heard {
            return None;
        }
        let dated = self.since.iter().map(|entry| (self.shown_from(entry, deadlines), entry));
        let mut shown: Vec<(SimTime, &Entry)> = dated.filter(|(from, _)| *from <= at).collect();
        shown.sort_by_key(|(from, _)| *from);
        let mut picture = Picture::of_past(self);
        for (from, entry) in shown {
            picture.apply(entry, from);
        }
        picture.ghost.map(|ghost| (ghost.pose_at(at), ghost.delay_at(at)))
    }
}

/// A picture while it is rebuilt.
struct Picture {
    view: RewindView,
    ghost: Option<ShownGhost>,
    /// Key of the newest that took effect. An update of what is not in the picture has none: its
    /// entry may come after it.
    key: Option<u64>,
}

impl Picture {
    fn of_past(view: &ShooterView) -> Self {
        Self { view: view.view, ghost: view.past.clone(), key: view.past_key }
    }

    fn apply(&mut self, entry: &Entry, at: SimTime) {
        let is_newest = self.key.is_none_or(|key| key <= entry.key);
        match (entry.change, &mut self.ghost) {
            (Change::View(view), ghost) => {
                self.view = view;
                if let Some(ghost) = ghost {
                    ghost.set_view(&view, at);
                }
                return;
            }
            (Change::Sent(Sent::Enter(update) | Sent::Update(update)), Some(ghost)) => {
                ghost.accept(update, at);
            }
            (Change::Sent(Sent::Enter(update)), ghost) if is_newest => {
                *ghost = ShownGhost::born(&self.view, update, at).ok();
            }
            (Change::Sent(Sent::Exit), ghost) if is_newest => *ghost = None,
            (Change::Sent(_), _) => return,
        }
        self.key = self.key.max(Some(entry.key));
    }
}
