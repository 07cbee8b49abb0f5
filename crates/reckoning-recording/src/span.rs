//! Spans of time, and what of a recording lies in them.

use std::time::Duration;

use reckoning::SimTime;

use super::{Recording, Track};

/// A span of time: from its start, up to but without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimSpan {
    /// Its first moment.
    pub start: SimTime,
    /// The first moment after it.
    pub end: SimTime,
}

impl SimSpan {
    /// Everything.
    pub const ALL: Self =
        Self { start: SimTime::from_micros(i64::MIN), end: SimTime::from_micros(i64::MAX) };

    /// From one moment of a recording that begins at `first` to another; without the second, to its
    /// end.
    #[must_use]
    pub fn after(first: SimTime, from: Duration, to: Option<Duration>) -> Self {
        let at = |after: Duration| {
            let micros = i64::try_from(after.as_micros()).unwrap_or(i64::MAX);
            SimTime::from_micros(first.as_micros().saturating_add(micros))
        };
        Self { start: at(from), end: to.map_or(Self::ALL.end, at) }
    }

    /// Whether a moment is in it. The end of all time is in [`SimSpan::ALL`].
    #[must_use]
    pub fn contains(self, at: SimTime) -> bool {
        self.start <= at && (at < self.end || self.end == Self::ALL.end)
    }
}

impl Recording {
    /// Leaves out what happens outside of a span of time, and bodies without a sample in it.
    pub fn keep_within(&mut self, span: SimSpan) {
        self.tracks.retain_mut(|track| track.keep_within(span));
        self.inputs.retain(|it| span.contains(it.at));
        self.births.retain(|it| span.contains(it.at));
        self.deaths.retain(|it| span.contains(it.at));
        self.item_events.retain(|it| span.contains(it.at));
        self.snapshots.retain(|it| span.contains(it.at));
    }
}

impl Track {
    /// Leaves out samples outside of a span of time; `false` when that leaves none of them. A track
    /// that has none stays.
    pub(crate) fn keep_within(&mut self, span: SimSpan) -> bool {
        let is_inside: Vec<bool> = self.samples.iter().map(|it| span.contains(it.at)).collect();
        if is_inside.iter().all(|it| *it) {
            return true;
        }
        let Some(first) = is_inside.iter().position(|it| *it) else {
            return false;
        };
        self.team = self.team_at(self.samples[first].at);
        let start = self.samples[first].at;
        self.team_changes.retain(|(from, _)| *from > start && span.contains(*from));
        keep(&mut self.samples, &is_inside);
        for column in &mut self.extras {
            keep(&mut column.values, &is_inside);
        }
        true
    }
}

fn keep<T>(values: &mut Vec<T>, is_kept: &[bool]) {
    let mut flags = is_kept.iter();
    values.retain(|_| flags.next().copied().unwrap_or(false));
}
