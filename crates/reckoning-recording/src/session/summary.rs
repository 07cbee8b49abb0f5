//! What a session file holds, told without keeping its samples.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use reckoning::SimTime;

use super::stream::SessionStream;
use crate::meta::team_play;
use crate::{
    Level, MEMORY_CAP_BYTES, MemoryBudget, Meta, Player, Recording, RecordingError, SimSpan, Track,
};

/// What a session file holds, without its samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionSummary {
    /// Which game or sport.
    pub source: String,
    /// Name of the session.
    pub session: String,
    /// Rate, units, sizes and origin.
    pub meta: Meta,
    /// Walls, floors and items, as far as they are known.
    pub level: Level,
    /// Everyone who was named, as last named.
    pub players: BTreeMap<i32, Player>,
    /// Its bodies, in order of first appearance.
    pub bodies: Vec<BodySummary>,
    /// What sort each body is, as last told; without those of which it is not known.
    pub kinds: BTreeMap<i32, String>,
    /// Names of the joints that some body has.
    pub joints: BTreeSet<String>,
    /// The lowest and the highest `z` of all samples; `None` without any.
    pub heights: Option<(f64, f64)>,
    /// How many births.
    pub births: u64,
    /// How many deaths.
    pub deaths: u64,
    /// How many inputs.
    pub inputs: u64,
    /// How many snapshots.
    pub snapshots: u64,
    /// Where the file is cut off, if it is.
    pub truncated_at: Option<u64>,
}

/// What a session file holds of one body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodySummary {
    /// Whose body.
    pub id: i32,
    /// Its side at the beginning; −1 is neutral.
    pub team: i32,
    /// How many samples.
    pub samples: u64,
    /// How many stretches of continuous motion.
    pub segments: u64,
    /// First and last moment of its samples.
    pub span: Option<(SimTime, SimTime)>,
    /// Whether its orientation is known beyond its yaw.
    pub oriented: bool,
}

/// Reads a session file through, keeping no sample.
///
/// # Errors
/// Names the byte where it is no session file, or damaged.
pub fn summarize_session(from: impl Read) -> Result<SessionSummary, RecordingError> {
    match salvage_summary(from)? {
        (summary, None) => Ok(summary),
        (_, Some(damage)) => Err(damage),
    }
}

/// Reads a session file up to its first damage, keeping no sample, and tells of the damage.
///
/// Names of players and the list of bodies may take [`MEMORY_CAP_BYTES`]; more of them count as
/// damage.
///
/// # Errors
/// When not even the header is that of a session file.
pub fn salvage_summary(
    from: impl Read,
) -> Result<(SessionSummary, Option<RecordingError>), RecordingError> {
    let mut stream = SessionStream::open(from)?;
    let mut tally = Tally::default();
    let damage = loop {
        match stream.next() {
            Ok(Some(part)) => {
                if let Err(error) = tally.add(&part) {
                    break Some(error);
                }
            }
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    tally.summary.truncated_at = stream.truncated_at();
    Ok((tally.finish(), damage))
}

impl SessionSummary {
    /// First and last moment of all samples; `None` without any.
    #[must_use]
    pub fn span(&self) -> Option<(SimTime, SimTime)> {
        self.bodies.iter().filter_map(|body| body.span).reduce(both)
    }

    /// Whether more than a plan is known: heights that differ, an orientation or a joint.
    #[must_use]
    pub fn is_spatial(&self) -> bool {
        let rises = self.heights.is_some_and(|(lowest, highest)| lowest < highest);
        rises || !self.joints.is_empty() || self.bodies.iter().any(|body| body.oriented)
    }

    /// How many samples all bodies have.
    #[must_use]
    pub fn sample_count(&self) -> u64 {
        self.bodies.iter().map(|body| body.samples).sum()
    }
}

impl From<&Recording> for SessionSummary {
    /// Of a recording that is whole.
    fn from(recording: &Recording) -> Self {
        let team_play = recording.meta.team_play;
        let mut tally = Tally { budget: MemoryBudget::capped(u64::MAX), ..Tally::default() };
        // Nothing is refused without a limit.
        let _ = tally.add(recording);
        tally.summary.meta.team_play = team_play;
        tally.summary
    }
}

impl BodySummary {
    /// Whether some of its samples may be in a span of time.
    #[must_use]
    pub fn is_within(&self, span: SimSpan) -> bool {
        self.span.is_some_and(|(first, last)| first < span.end && last >= span.start)
    }
}

/// A summary of a csv, made from its pieces.
pub(crate) struct CsvTally {
    tally: Tally,
    /// Of each body, whether it was alive last.
    alive: BTreeMap<i32, bool>,
}

impl CsvTally {
    /// Begins with what lies beside the rows.
    pub(crate) fn new(beside: &Recording) -> Result<Self, RecordingError> {
        let mut tally = Tally::default();
        tally.add(beside)?;
        // Where nothing names the source, its settings count all the same.
        tally.summary.meta = beside.meta.clone();
        Ok(Self { tally, alive: BTreeMap::new() })
    }

    pub(crate) fn add(&mut self, part: &Recording) -> Result<(), RecordingError> {
        self.tally.add(part)?;
        for track in &part.tracks {
            let alive = self.alive.entry(track.id).or_default();
            for sample in &track.samples {
                let was = std::mem::replace(alive, sample.alive);
                self.tally.summary.births += u64::from(!was && sample.alive);
                self.tally.summary.deaths += u64::from(was && !sample.alive);
            }
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> SessionSummary {
        self.tally.finish()
    }
}

fn both(a: (SimTime, SimTime), b: (SimTime, SimTime)) -> (SimTime, SimTime) {
    (a.0.min(b.0), a.1.max(b.1))
}

/// What a word takes beside its letters, in a tree.
const WORD_BYTES: u64 = 96;

struct Tally {
    summary: SessionSummary,
    /// Where each body is, and the segment of its last sample.
    places: BTreeMap<i32, (usize, Option<u32>)>,
    budget: MemoryBudget,
}

impl Default for Tally {
    fn default() -> Self {
        let budget = MemoryBudget::capped(MEMORY_CAP_BYTES);
        Self { summary: SessionSummary::default(), places: BTreeMap::new(), budget }
    }
}

impl Tally {
    fn add(&mut self, part: &Recording) -> Result<(), RecordingError> {
        let summary = &mut self.summary;
        if !(part.source.is_empty() && part.session.is_empty()) {
            (summary.source, summary.session, summary.meta) =
                (part.source.clone(), part.session.clone(), part.meta.clone());
        }
        if part.level != Level::default() {
            summary.level = part.level.clone();
        }
        summary.births += part.births.len() as u64;
        summary.deaths += part.deaths.len() as u64;
        summary.inputs += part.inputs.len() as u64;
        summary.snapshots += part.snapshots.len() as u64;
        for player in &part.players {
            self.budget.hold_each::<(i32, Player)>(2)?;
            self.budget.hold(player.name.len() as u64)?;
            if let Some(before) = self.summary.players.insert(player.id, player.clone()) {
                self.budget.release(2 * size_of::<(i32, Player)>() as u64);
                self.budget.release(before.name.len() as u64);
            }
        }
        part.tracks.iter().try_for_each(|track| self.add_track(track))
    }

    fn add_track(&mut self, track: &Track) -> Result<(), RecordingError> {
        let bodies = &mut self.summary.bodies;
        if !self.places.contains_key(&track.id) {
            self.budget.hold_each::<(i32, usize, Option<u32>)>(2)?;
            self.budget.reserve(bodies, 1)?;
            self.places.insert(track.id, (bodies.len(), None));
            bodies.push(BodySummary { id: track.id, team: track.team, ..BodySummary::default() });
        }
        let Some((place, last)) = self.places.get_mut(&track.id) else { return Ok(()) };
        let Some(body) = bodies.get_mut(*place) else { return Ok(()) };
        body.samples += track.samples.len() as u64;
        body.oriented |= track.has_orientation();
        for sample in &track.samples {
            body.segments += u64::from(last.replace(sample.segment) != Some(sample.segment));
            let moment = (sample.at, sample.at);
            body.span = Some(body.span.map_or(moment, |span| both(span, moment)));
            let z = sample.position.z;
            let heights = &mut self.summary.heights;
            *heights = Some(heights.map_or((z, z), |(low, high)| (low.min(z), high.max(z))));
        }
        self.add_words(track)
    }

    /// Names of joints, and the kind.
    fn add_words(&mut self, track: &Track) -> Result<(), RecordingError> {
        for (joint, column) in track.joints() {
            let known = column.values.iter().any(|value| value.is_finite());
            if known && !self.summary.joints.contains(joint) {
                self.budget.hold(WORD_BYTES + joint.len() as u64)?;
                self.summary.joints.insert(joint.to_string());
            }
        }
        let Some(kind) = track.last_kind() else { return Ok(()) };
        if self.summary.kinds.get(&track.id).is_some_and(|known| known == kind) {
            return Ok(());
        }
        self.budget.hold(WORD_BYTES + kind.len() as u64)?;
        if let Some(before) = self.summary.kinds.insert(track.id, kind.to_string()) {
            self.budget.release(WORD_BYTES + before.len() as u64);
        }
        Ok(())
    }

    fn finish(mut self) -> SessionSummary {
        let said = team_play(&self.summary.meta.other);
        self.summary.meta.team_play = said.unwrap_or_else(|| self.has_teams());
        self.summary
    }

    /// Whether some side has two or more bodies.
    fn has_teams(&self) -> bool {
        let mut sides: Vec<i32> = self.summary.bodies.iter().map(|body| body.team).collect();
        sides.sort_unstable();
        sides.windows(2).any(|pair| pair[0] == pair[1] && pair[0] >= 0)
    }
}
