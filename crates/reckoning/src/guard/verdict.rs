//! Verdicts of a guard, and their counters.

use core::fmt;

use crate::Kinematics;

/// Verdict on an update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// An honest client could have sent it. What listeners are to be shown of it may be less: see
    /// [`Guard::restrained`](super::Guard::restrained).
    Accept,
    /// It goes too far; the client must be moved here and go on from here.
    Correct(Kinematics),
    /// It must be dropped; the client need not be notified.
    Reject(Offence),
    /// The offences do not stop; the connection must be closed.
    Disconnect(Offence),
}

/// What is wrong with an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Offence {
    /// Faster than a body can be.
    Speed,
    /// Further, or by a longer way, than a body gets in that time.
    Distance,
    /// Its velocity changed more than a body's can.
    Acceleration,
    /// Turned faster than a body can.
    Turn,
    /// Through a wall.
    Wall,
    /// A teleport that was not granted.
    Teleport,
    /// Timestamped in the host's future, all of a sudden.
    Future,
    /// Timestamps crept into the host's future: more time claimed than passed.
    FastClock,
    /// Too old to matter.
    TooOld,
    /// Not newer than the last accepted one: a duplicate, or overtaken.
    NotNewer,
    /// Again and again silence, and then a burst.
    LagSwitch,
    /// More updates than anyone needs.
    Spam,
    /// Sent before the client obeyed a correction.
    Disobeyed,
    /// Carries a model that owners may not use.
    Model,
    /// Its model promises more than any body does.
    Promise,
    /// Further than a body gets by the host's clock, although the stamps allow it.
    Burst,
    /// For some seconds more like a faster game than like this one, though each move is possible.
    Pace,
}

impl Offence {
    /// All of them, in the order of [`GuardStats::offences`].
    pub const ALL: [Self; 17] = [
        Self::Speed,
        Self::Distance,
        Self::Acceleration,
        Self::Turn,
        Self::Wall,
        Self::Teleport,
        Self::Future,
        Self::FastClock,
        Self::TooOld,
        Self::NotNewer,
        Self::LagSwitch,
        Self::Spam,
        Self::Disobeyed,
        Self::Model,
        Self::Promise,
        Self::Burst,
        Self::Pace,
    ];

    /// A short name for tables and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Speed => "speed",
            Self::Distance => "distance",
            Self::Acceleration => "acceleration",
            Self::Turn => "turn",
            Self::Wall => "wall",
            Self::Teleport => "teleport",
            Self::Future => "future",
            Self::FastClock => "fast clock",
            Self::TooOld => "too old",
            Self::NotNewer => "not newer",
            Self::LagSwitch => "lag switch",
            Self::Spam => "spam",
            Self::Disobeyed => "disobeyed",
            Self::Model => "model",
            Self::Promise => "promise",
            Self::Burst => "burst",
            Self::Pace => "pace",
        }
    }
}

impl fmt::Display for Offence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Counters of a [`Guard`](super::Guard).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GuardStats {
    /// Updates judged.
    pub judged: u64,
    /// Accepted, small offences included.
    pub accepted: u64,
    /// Of those, the ones that listeners are shown otherwise.
    pub restrained: u64,
    /// Corrected.
    pub corrected: u64,
    /// Dropped.
    pub rejected: u64,
    /// Verdicts to disconnect.
    pub disconnected: u64,
    /// Offences noted, by [`Offence::ALL`].
    pub offences: [u64; 17],
}

impl GuardStats {
    /// How often this was noted.
    #[must_use]
    pub const fn of(&self, offence: Offence) -> u64 {
        self.offences[offence as usize]
    }

    pub(super) const fn count(&mut self, offence: Offence) {
        self.offences[offence as usize] += 1;
    }
}
