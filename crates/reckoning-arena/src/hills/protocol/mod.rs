//! What server and clients of the hills say beside what the flat arena says.
//!
//! [`ClientMessage`](crate::protocol::ClientMessage) and
//! [`ServerMessage`](crate::protocol::ServerMessage) hold here as well where they fit: `Hello`,
//! `SetLink`, `Subscribe`; `You`, `Points`, `Died`, `RoundOver`, `Link`, `Refused`. The first bytes of
//! these here are different ones, so a receiver knows which to decode.

mod datagram;
mod message;

#[cfg(test)]
mod tests;

use reckoning::{DQuat, DVec3, SimTime};

use super::body::Aim;
use super::craft::Part;
use crate::protocol::Picture;

pub use datagram::{MAX_SNAPSHOT_BODIES, MAX_TRUTH_BODIES};

/// How joints reach watchers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointsChoice {
    /// As their owners aim them.
    #[default]
    Sent,
    /// Not sent: turrets are taken to point at the nearest enemy in sight.
    Derived,
    /// Not sent, and not shown.
    Off,
}

/// What can be switched for everyone, to see what it is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HillsTuning {
    /// An update is sent once the guess is off by more; within [`Self::THRESHOLDS_M`].
    pub threshold_m: f32,
    /// No motion is published that leads into the ground.
    pub prevents: bool,
    /// How joints reach watchers.
    pub joints: JointsChoice,
    /// The train rides its track in what is sent: progress and speed, nothing else.
    pub train_on_path: bool,
    /// The merchant is shown as it was a moment ago.
    pub merchant_delayed: bool,
}

impl Default for HillsTuning {
    fn default() -> Self {
        Self {
            threshold_m: 0.25,
            prevents: true,
            joints: JointsChoice::Sent,
            train_on_path: true,
            merchant_delayed: true,
        }
    }
}

impl HillsTuning {
    /// The least and the most of a threshold.
    pub const THRESHOLDS_M: [f32; 2] = [0.05, 5.0];
}

/// From a client to the server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum HillsCommand {
    /// Pulls the trigger of the gun: straight ahead.
    Fire {
        /// The moment that the screen showed, by the host's clock.
        shown_at: SimTime,
        /// Where the muzzle was.
        from: DVec3,
        /// Where it pointed.
        aim: DVec3,
        /// Of what the pictures of those along the way were made.
        pictures: Vec<Picture>,
    },
    /// Lobs a shell where the barrel points.
    Lob,
    /// Wishes for other settings.
    SetTuning(HillsTuning),
}

/// From the server to a client.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum HillsNotice {
    /// These settings hold.
    Tuning(HillsTuning),
    /// A gun was fired.
    Shot {
        /// By the body of that number.
        shooter: u16,
        /// From here.
        from: DVec3,
        /// To here.
        to: DVec3,
    },
    /// A body was hit.
    Hit {
        /// Its number.
        victim: u16,
        /// Who hit it.
        by: u16,
        /// Where.
        part: Part,
        /// The health it took.
        damage: f32,
    },
    /// A shell burst.
    Burst {
        /// Where.
        at: DVec3,
    },
}

/// A body as it truly is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HillsTruthBody {
    /// Its entity.
    pub entity: u32,
    /// Where it is.
    pub position: DVec3,
    /// How fast.
    pub velocity: DVec3,
    /// How it is turned.
    pub orientation: DQuat,
    /// Its turret; rates are not told.
    pub aim: Aim,
}

/// Datagrams beside the protocol, for the demonstration only.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum HillsDatagram {
    /// How things truly are.
    Truth {
        /// When.
        at: SimTime,
        /// Everyone, or a part of them.
        bodies: Vec<HillsTruthBody>,
    },
    /// What a game without dead reckoning would send, twenty times a second; velocities are zero.
    Snapshot {
        /// When.
        at: SimTime,
        /// Everyone, or a part of them.
        bodies: Vec<HillsTruthBody>,
    },
    /// What a client says of its own body, for the truth of others.
    OwnState {
        /// When.
        at: SimTime,
        /// Its body.
        body: HillsTruthBody,
    },
}
