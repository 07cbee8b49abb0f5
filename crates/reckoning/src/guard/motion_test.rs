//! Sequential test of whether somebody moves as bodies do, or so many times as fast.
//!
//! An envelope catches what no body can do. Whoever is slow and goes half as fast again stays within
//! it; what gives that away is that speeds and turns *together*, over some seconds, are more likely
//! for a faster game than for the real one. Two densities are learnt from honest play: of pace and
//! change of pace as they are, and as they would be if time ran `times` as fast (pace times that,
//! change of pace times its square). Their log likelihood ratios add up, never below zero (Page's
//! CUSUM, the sequential form of the likelihood ratio test), and at a level that honest play does not reach
//! there is an alarm.

use alloc::vec::Vec;

use glam::DVec3;
use libm::log;

use crate::{Kinematics, SimTime};

/// Cells of each of the two densities, from fine to coarse a factor of `RATIO` apart.
const CELLS: usize = 20;
const RATIO: f64 = 1.25;
/// Seconds between two samples, at least.
const STEP_S: f64 = 0.2;
/// A gap longer than this says nothing of turns.
const GAP_S: f64 = 0.6;
/// What a cell has before anything was seen in it.
const PRIOR: f64 = 0.5;
/// One sample says no more than this.
const MOST: f64 = 5.0;
/// How much higher than in training the level has to get.
const MARGIN: f64 = 1.1;

type Cells = [[f64; CELLS]; CELLS];

/// A test of honest pace, learnt from honest play; see [`GuardConfig::motion`](super::GuardConfig::motion).
#[derive(Clone, Debug, PartialEq)]
pub struct MotionTest {
    /// Upper ends of the slowest cell of pace and of change of pace.
    slowest: [f64; 2],
    log_ratio: Cells,
    alarm_at: f64,
}

impl MotionTest {
    /// Learns what tells honest play from play that is `times` as fast, and the level at which
    /// there are at most `per_hour` false alarms in an hour of play: each half of the tracks is
    /// tried with what the other half taught.
    ///
    /// `None` if the tracks are too short to learn from.
    pub fn learnt_from<'a>(
        tracks: impl IntoIterator<Item = &'a [Kinematics]>,
        times: f64,
        per_hour: f64,
    ) -> Option<Self> {
        let tracks: Vec<Vec<[f64; 2]>> = tracks.into_iter().map(samples).collect();
        let hours = tracks.iter().flatten().count() as f64 * STEP_S / 3_600.0;
        let mut peaks = Vec::new();
        for fold in 0..2 {
            let teach = tracks.iter().enumerate().filter(|(place, _)| place % 2 != fold);
            let half = Self::fitted(teach.map(|(_, track)| track.as_slice()), times)?;
            let tried = tracks.iter().enumerate().filter(|(place, _)| place % 2 == fold);
            tried.for_each(|(_, track)| half.add_peaks(track, &mut peaks));
        }
        peaks.sort_by(|a, b| b.total_cmp(a));
        let allowed = (hours * per_hour) as usize;
        let alarm_at = peaks.get(allowed).or(peaks.last()).copied()? * MARGIN;
        let all = Self::fitted(tracks.iter().map(Vec::as_slice), times)?;
        Some(Self { alarm_at: alarm_at.max(MOST), ..all })
    }

    fn fitted<'a>(tracks: impl Iterator<Item = &'a [[f64; 2]]>, times: f64) -> Option<Self> {
        let seen: Vec<[f64; 2]> = tracks.flatten().copied().collect();
        let fastest = [0, 1].map(|axis| seen.iter().map(|it| it[axis]).fold(0.0, f64::max));
        if fastest.iter().any(|most| *most <= 0.0) {
            return None;
        }
        // The last cell begins where honest play ends.
        let slowest = fastest.map(|most| (2..CELLS).fold(most, |end, _| end / RATIO));
        let mut test = Self { slowest, log_ratio: [[0.0; CELLS]; CELLS], alarm_at: f64::INFINITY };
        let (mut honest, mut fast) = ([[PRIOR; CELLS]; CELLS], [[PRIOR; CELLS]; CELLS]);
        for [pace, turn] in &seen {
            test.add(&mut honest, [*pace, *turn]);
            test.add(&mut fast, [pace * times, turn * times * times]);
        }
        for (row, (fast, honest)) in test.log_ratio.iter_mut().zip(fast.iter().zip(&honest)) {
            for (cell, (fast, honest)) in row.iter_mut().zip(fast.iter().zip(honest)) {
                *cell = log(fast / honest).clamp(-MOST, MOST);
            }
        }
        Some(test)
    }

    fn add(&self, cells: &mut Cells, sample: [f64; 2]) {
        let [pace, turn] = self.place(sample);
        cells[pace][turn] += 1.0;
    }

    fn place(&self, sample: [f64; 2]) -> [usize; 2] {
        [0, 1].map(|axis| {
            let mut end = self.slowest[axis];
            let mut place = 0;
            while place + 1 < CELLS && sample[axis] > end {
                end *= RATIO;
                place += 1;
            }
            place
        })
    }

    /// What a sample says for the faster game.
    fn log_ratio(&self, sample: [f64; 2]) -> f64 {
        let [pace, turn] = self.place(sample);
        self.log_ratio[pace][turn]
    }

    /// The highest levels between two returns to zero.
    fn add_peaks(&self, track: &[[f64; 2]], peaks: &mut Vec<f64>) {
        let (mut level, mut peak) = (0.0_f64, 0.0_f64);
        for sample in track {
            level = (level + self.log_ratio(*sample)).max(0.0);
            peak = peak.max(level);
            if level == 0.0 && peak > 0.0 {
                peaks.push(core::mem::take(&mut peak));
            }
        }
        if peak > 0.0 {
            peaks.push(peak);
        }
    }

    /// When the test first raises an alarm on a track, if it does.
    #[must_use]
    pub fn alarm(&self, track: &[Kinematics]) -> Option<SimTime> {
        let mut level = MotionLevel::default();
        track.iter().find(|seen| level.observe(self, seen)).map(|seen| seen.at)
    }
}

fn samples(track: &[Kinematics]) -> Vec<[f64; 2]> {
    let mut steps = Steps::default();
    track.iter().filter_map(|seen| steps.observe(seen)).collect()
}

/// Samples of a body, in the order of time.
#[derive(Clone, Copy, Debug, Default)]
struct Steps {
    last: Option<(SimTime, DVec3)>,
    velocity: Option<DVec3>,
}

impl Steps {
    /// Pace and change of pace since the last sample, if it is time for one.
    fn observe(&mut self, seen: &Kinematics) -> Option<[f64; 2]> {
        let Some((at, place)) = self.last else {
            self.last = Some((seen.at, seen.position));
            return None;
        };
        let run_s = seen.at.secs_since(at);
        if run_s < STEP_S {
            return None;
        }
        self.last = Some((seen.at, seen.position));
        let velocity = (seen.position - place) / run_s;
        let before = self.velocity.replace(velocity);
        if run_s > GAP_S {
            self.velocity = None;
        }
        let sample = [velocity.length(), (velocity - before?).length() / run_s];
        (run_s <= GAP_S && sample.iter().all(|it| it.is_finite())).then_some(sample)
    }
}

/// Level of a [`MotionTest`] for one body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MotionLevel {
    steps: Steps,
    level: f64,
}

impl MotionLevel {
    /// Notes an accepted state; whether that raises an alarm, after which the test begins anew.
    pub(super) fn observe(&mut self, test: &MotionTest, seen: &Kinematics) -> bool {
        if let Some(sample) = self.steps.observe(seen) {
            self.level = (self.level + test.log_ratio(sample)).max(0.0);
        }
        let alarm = self.level >= test.alarm_at;
        if alarm {
            *self = Self::default();
        }
        alarm
    }
}
