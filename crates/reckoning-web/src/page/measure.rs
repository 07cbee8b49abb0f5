//! All meters of the page, and the plotted series made of them.

use std::collections::BTreeMap;

use reckoning::{DVec3, SimTime};
use reckoning_arena::host::BlendStyle;

use super::live::errors;
use crate::compared::Compared;
use crate::comparison::InterpolationFacts;
use crate::headline::{Circumstances, SettledErrors};
use crate::jitter_buffer::JitterBuffer;
use crate::meter::{DisplayMethod, ErrorMeter, FrameMeter, PathMeter, Rate, StepMeter};
use crate::motion::MotionMeter;
use crate::plot::Series;
use crate::scene::SceneBody;
use crate::state::{Frames, InterpolationState, MotionState, PageState, Paths, PerMethod};

/// Totals that rates are made of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    pub updates: u64,
    pub snapshot_updates: u64,
    pub bytes: u64,
    pub snapshot_bytes: u64,
}

/// All meters.
#[derive(Debug, Default)]
pub struct Meters {
    pub errors: ErrorMeter,
    /// Of interpolation, were every datagram in time.
    pub best: ErrorMeter,
    /// What the headline is made of.
    pub settled: SettledErrors,
    /// The one that is compared.
    pub compared: Compared,
    pub steps: StepMeter,
    pub paths: PathMeter,
    pub motion: MotionMeter,
    pub frames: FrameMeter,
    /// Between the beginnings of two frames.
    pub intervals: FrameMeter,
    pub updates: Rate,
    pub snapshot_updates: Rate,
    pub bytes: Rate,
    pub snapshot_bytes: Rate,
    /// Where each body was drawn in the frame before, each way.
    before: BTreeMap<u32, [Option<DVec3>; 3]>,
    pub error_series: [Series; 3],
    pub update_series: [Series; 2],
    pub byte_series: [Series; 2],
}

impl Meters {
    /// A body of somebody else in this frame. One that leapt, by birth, is no jump.
    pub fn look(&mut self, now: SimTime, dt_s: f64, body: &SceneBody, has_leapt: bool) {
        if body.is_alive && body.is_settled {
            for (method, error_px) in errors(body) {
                self.note_error(now, method, error_px);
            }
            if let Some((place, truth)) = body.interpolated_at_best.zip(body.truth) {
                self.best.note(now, DisplayMethod::Interpolation, place.distance(truth));
            }
        }
        let places = [Some(body.shown), body.naive, body.interpolated];
        let before = self.before.insert(body.entity, places);
        let is_judged = !has_leapt && body.is_alive && body.is_settled;
        let Some(before) = before.filter(|_| is_judged) else { return };
        self.paths.note(body.path_px_s, body.offset_px);
        for (at, method) in DisplayMethod::ALL.into_iter().enumerate() {
            if let (Some(from), Some(to)) = (before[at], places[at]) {
                self.steps.note(method, from.distance(to), dt_s);
            }
        }
    }

    /// A body was shown so far from where it was: for the figures and for the headline.
    pub fn note_error(&mut self, now: SimTime, method: DisplayMethod, error: f64) {
        self.errors.note(now, method, error);
        self.settled.note(now, method, error);
    }

    /// Things are like this: what was measured under others does not count in the headline.
    pub fn follow(&mut self, now: SimTime, circumstances: Circumstances) {
        self.settled.follow(now, circumstances);
    }

    /// How interpolation is done at present.
    pub fn interpolation(&self, buffer: &JitterBuffer) -> Option<InterpolationFacts> {
        let buffer_ms = buffer.buffer()?.as_secs_f64() * 1e3;
        let best = self.best.summary(DisplayMethod::Interpolation);
        Some(InterpolationFacts { buffer_ms, best: (best.count > 0).then_some(best.mean_px) })
    }

    /// A body is out of the picture.
    pub fn forget(&mut self, entity: u32) {
        self.before.remove(&entity);
    }

    /// Forgets the bodies that are out of the picture.
    pub fn keep(&mut self, is_shown: impl Fn(u32) -> bool) {
        self.motion.keep(&is_shown);
        self.before.retain(|entity, _| is_shown(*entity));
    }

    /// Clears what tests look at.
    pub fn reset(&mut self) {
        (self.errors, self.steps) = (ErrorMeter::default(), StepMeter::default());
        self.best = ErrorMeter::default();
        (self.paths, self.motion) = (PathMeter::default(), MotionMeter::default());
        (self.frames, self.intervals) = (FrameMeter::default(), FrameMeter::default());
    }

    /// A tenth of a second passed.
    pub fn tick(&mut self, now: SimTime, totals: Totals) {
        self.updates.note(now, totals.updates);
        self.snapshot_updates.note(now, totals.snapshot_updates);
        self.bytes.note(now, totals.bytes);
        self.snapshot_bytes.note(now, totals.snapshot_bytes);
        for (series, method) in self.error_series.iter_mut().zip(DisplayMethod::ALL) {
            series.push(self.errors.recent(method).mean_px);
        }
        self.update_series[0].push(self.updates.per_s());
        self.update_series[1].push(self.snapshot_updates.per_s());
        self.byte_series[0].push(self.bytes.per_s());
        self.byte_series[1].push(self.snapshot_bytes.per_s());
    }

    /// Writes what is known into the state.
    pub fn report(&self, now: SimTime, buffer: Option<&JitterBuffer>, state: &mut PageState) {
        let (times, text) = self.settled.verdict(now).texts();
        state.headline = format!("{times} {text}");
        let facts = buffer.and_then(|it| self.interpolation(it));
        state.interpolation =
            facts.map(|it| InterpolationState { buffer_ms: it.buffer_ms, best: it.best });
        let per_method = |value: &dyn Fn(DisplayMethod) -> f64| PerMethod {
            reckoning: value(DisplayMethod::Reckoning),
            naive: value(DisplayMethod::Naive),
            interpolation: value(DisplayMethod::Interpolation),
        };
        state.error = per_method(&|method| self.errors.summary(method).mean_px);
        state.error_p95 = per_method(&|method| self.errors.summary(method).p95_px);
        let motion = |style| {
            let it = self.motion.figures(style)?;
            let (error, restless) = (it.error_px, it.restless_px_s2);
            Some((BlendStyle::name(style), MotionState { error, restless }))
        };
        state.motion = BlendStyle::ALL.into_iter().filter_map(motion).collect();
        state.error_count = self.errors.summary(DisplayMethod::Reckoning).count;
        state.step = per_method(&|method| self.steps.largest_px_s(method));
        state.paths = Paths {
            speed_px_s: self.paths.largest_speed_px_s(),
            offset_px: self.paths.largest_offset_px(),
        };
        state.updates_per_s = self.updates.per_s();
        state.plain_updates_per_s = self.snapshot_updates.per_s();
        state.bytes_per_s = self.bytes.per_s();
        state.plain_bytes_per_s = self.snapshot_bytes.per_s();
        state.frames = Frames {
            count: self.frames.count(),
            late: self.frames.late(),
            worst_ms: self.frames.worst_ms(),
            p99_ms: self.frames.p99_ms(),
        };
    }
}
