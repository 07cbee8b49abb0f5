//! Rival of dead reckoning: snapshots at a steady rate through a predictive entropy coder.
//!
//! The other school of netcode sends every body many times a second and makes each time as cheap
//! as it can: positions are rounded to steps, foreseen from what the receiver has acknowledged,
//! and what is left is written by an adaptive range coder. This is such a coder, made to be
//! beaten: the frontier lays it beside our own updates.
//!
//! ```text
//! snapshot -> off three acknowledged ones -> corrections -> range coder -> bytes
//!                  ^ and what was learned of the bits by the newest of them
//! ```
//!
//! ```
//! use reckoning::{DQuat, DVec3};
//! use reckoning_lab::codec::{BodyPose, CodecConfig, Poses, SnapshotDecoder, SnapshotEncoder};
//!
//! let config = CodecConfig { step: 0.01, turn_step_rad: 0.0 };
//! let (mut encoder, mut decoder) = (SnapshotEncoder::new(config), SnapshotDecoder::new(config));
//! for tick in 0..30 {
//!     let position = DVec3::X * f64::from(tick) * 0.2;
//!     let poses = Poses::from([(7, BodyPose::new(0, position, DQuat::IDENTITY, config.step))]);
//!     let bytes = encoder.encode(&poses);
//!     let (number, read) = decoder.decode(&bytes)?;
//!     assert_eq!(read[&7].position, poses[&7].position);
//!     encoder.handle_ack(number); // here your network says that it arrived
//! }
//! # Ok::<(), reckoning_lab::codec::CodecError>(())
//! ```
//!
//! Losses need no repair: a snapshot counts only on acknowledged ones, and the learned chances
//! of the bits are those that the receiver had after the newest of them.

mod pose;
mod range_coder;
mod snapshot;

use std::collections::BTreeMap;
use std::fmt;

pub use pose::{BodyPose, Poses};
use range_coder::{RangeDecoder, RangeEncoder};
use snapshot::{Baselines, CodingState, code_snapshot};

/// Snapshots that an end remembers; a baseline is at most this old.
const REMEMBERED: u16 = 250;
/// Number of the snapshot, age of the newest baseline, ages of two earlier ones before it.
pub(crate) const HEADER_BYTES: usize = 5;

/// Settings that both ends share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CodecConfig {
    /// Positions are rounded to this, in units of the world. Above zero.
    pub step: f64,
    /// Turns are rounded to this; zero does not send them.
    pub turn_step_rad: f64,
}

/// Why a snapshot could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CodecError {
    /// Fewer bytes than a header has.
    Short,
    /// It counts on a snapshot that is not here.
    NoBaseline {
        /// Which.
        number: u16,
    },
    /// More bodies than a snapshot may have.
    TooManyBodies,
    /// A body outside of the world.
    OutOfRange,
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short => write!(f, "shorter than a header of {HEADER_BYTES} bytes"),
            Self::NoBaseline { number } => write!(f, "baseline {number} is not here"),
            Self::TooManyBodies => write!(f, "more than {} bodies", snapshot::MAX_BODIES),
            Self::OutOfRange => write!(f, "a body beyond {} steps", pose::MAX_STEPS),
        }
    }
}

impl std::error::Error for CodecError {}

/// A snapshot as both ends have it, with what was learned by then.
#[derive(Clone, Debug)]
struct Remembered {
    poses: Poses,
    state: CodingState,
    acknowledged: bool,
}

/// The past of one end.
#[derive(Clone, Debug, Default)]
struct History(BTreeMap<u16, Remembered>);

impl History {
    fn keep(&mut self, number: u16, poses: Poses, state: CodingState) {
        self.0.insert(number, Remembered { poses, state, acknowledged: false });
        self.0.retain(|&kept, _| {
            number.wrapping_sub(kept) <= REMEMBERED || kept.wrapping_sub(number) <= REMEMBERED
        });
    }

    /// What a snapshot counts on, by the ages in its header.
    fn baselines(
        &self,
        number: u16,
        [newest, ages @ ..]: [u8; 3],
    ) -> Result<Option<(Baselines<'_>, &CodingState)>, CodecError> {
        if newest == 0 {
            return Ok(None);
        }
        let find = |number: u16| self.0.get(&number).ok_or(CodecError::NoBaseline { number });
        let base = number.wrapping_sub(u16::from(newest));
        let found = find(base)?;
        let mut earlier = [None; 2];
        for (earlier, age) in earlier.iter_mut().zip(ages).filter(|(_, age)| *age > 0) {
            let poses = &find(base.wrapping_sub(u16::from(age)))?.poses;
            *earlier = Some((poses, i64::from(age)));
        }
        let baselines = Baselines { newest: &found.poses, earlier, ahead: i64::from(newest) };
        Ok(Some((baselines, &found.state)))
    }
}

/// Writes snapshots for one receiver.
#[derive(Clone, Debug)]
pub struct SnapshotEncoder {
    config: CodecConfig,
    history: History,
    next: u16,
}

impl SnapshotEncoder {
    /// An encoder for a receiver that has nothing yet.
    #[must_use]
    pub fn new(config: CodecConfig) -> Self {
        Self { config, history: History::default(), next: 0 }
    }

    /// The bytes of the next snapshot. Numbers of bodies below 4,096.
    pub fn encode(&mut self, poses: &Poses) -> Vec<u8> {
        let number = self.next;
        self.next = number.wrapping_add(1);
        let ages = self.ages(number);
        let [low, high] = number.to_le_bytes();
        let mut coder = RangeEncoder::new(vec![low, high, ages[0], ages[1], ages[2]]);
        // The ages are of snapshots that are here.
        let known = self.history.baselines(number, ages).ok().flatten();
        let mut state = known.map_or_else(CodingState::default, |(_, state)| state.clone());
        let baselines = known.map(|(baselines, _)| baselines);
        let written =
            code_snapshot(&mut coder, &mut state, &self.config, baselines.as_ref(), poses);
        self.history.keep(number, written.unwrap_or_default(), state);
        coder.finish()
    }

    /// What a receiver has of a snapshot that it acknowledged or will: rounded.
    #[must_use]
    pub fn written(&self, number: u16) -> Option<&Poses> {
        self.history.0.get(&number).map(|kept| &kept.poses)
    }

    /// The receiver has this snapshot.
    pub fn handle_ack(&mut self, number: u16) {
        if let Some(kept) = self.history.0.get_mut(&number) {
            kept.acknowledged = true;
        }
    }

    /// Ages of the newest acknowledged snapshot, and of two before it: half and twice as far from
    /// it as it is old. Near ones follow turns, far ones are spoilt less by rounding.
    fn ages(&self, number: u16) -> [u8; 3] {
        let acknowledged = |&age: &u16| {
            self.history.0.get(&number.wrapping_sub(age)).is_some_and(|kept| kept.acknowledged)
        };
        let Some(newest) = (1..REMEMBERED / 2).find(acknowledged) else { return [0; 3] };
        let before = |span: u16| {
            let all = (newest + 1..REMEMBERED / 2).filter(acknowledged);
            let nearest = all.min_by_key(|&age| age.abs_diff(newest + span));
            nearest.map_or(0, |age| (age - newest) as u8)
        };
        [newest as u8, before(newest.div_ceil(2)), before(2 * newest)]
    }
}

/// Reads snapshots of one sender.
#[derive(Clone, Debug)]
pub struct SnapshotDecoder {
    config: CodecConfig,
    history: History,
}

impl SnapshotDecoder {
    /// A decoder that has nothing yet.
    #[must_use]
    pub fn new(config: CodecConfig) -> Self {
        Self { config, history: History::default() }
    }

    /// The number of a snapshot, to be acknowledged, and its bodies.
    ///
    /// # Errors
    /// Says what of the bytes cannot be; then nothing has changed.
    pub fn decode(&mut self, bytes: &[u8]) -> Result<(u16, Poses), CodecError> {
        let Some((&[low, high, ages @ ..], code)) = bytes.split_first_chunk::<HEADER_BYTES>()
        else {
            return Err(CodecError::Short);
        };
        let number = u16::from_le_bytes([low, high]);
        let known = self.history.baselines(number, ages)?;
        let mut state = known.map_or_else(CodingState::default, |(_, state)| state.clone());
        let baselines = known.map(|(baselines, _)| baselines);
        let mut coder = RangeDecoder::new(code);
        let none = Poses::new();
        let poses = code_snapshot(&mut coder, &mut state, &self.config, baselines.as_ref(), &none)?;
        self.history.keep(number, poses.clone(), state);
        Ok((number, poses))
    }
}

#[cfg(test)]
mod tests;
