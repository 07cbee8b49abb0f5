//! What lines and curves cost a body, headers included.
//!
//! A curve stays good for longer, a line has fewer bytes; which of them costs less depends on the
//! motion and on what each update costs besides its body. So both are followed in the shadow, as if
//! each alone were published: whenever the path that is foreseen now has left what a shadow says, it
//! is charged an update and begins anew.

use glam::DVec3;

use super::AimConfig;
use crate::{Kinematics, Model, SimTime};

/// Lines last this much shorter than curves, as long as nothing is known of a body: about what the
/// recordings of three games gave.
const LINES_PER_CURVE: f64 = 1.6;
/// Updates of curves that this opinion is worth.
const PRIOR_UPDATES: f64 = 8.0;
/// What is kept of old costs at each forecast: half after seven seconds of twenty a second.
const KEPT: f64 = 0.995;
/// The other payload must be this much cheaper before it is taken.
const CHEAPER: f64 = 0.9;

/// Costs of both payloads, and which of them is published.
#[derive(Clone, Copy, Debug)]
pub(super) struct PayloadCost {
    /// Bytes of one update: line, curve.
    each_bytes: [f64; 2],
    spent_bytes: [f64; 2],
    shadows: [Option<(Kinematics, Model)>; 2],
    lines: bool,
}

const LINE: usize = 0;
const CURVE: usize = 1;

impl PayloadCost {
    pub(super) fn new(config: &AimConfig) -> Self {
        let each_bytes =
            [config.line_bytes, config.curve_bytes].map(|it| it + config.overhead_bytes);
        let spent_bytes =
            [each_bytes[LINE] * LINES_PER_CURVE * PRIOR_UPDATES, each_bytes[CURVE] * PRIOR_UPDATES];
        let lines = spent_bytes[LINE] <= spent_bytes[CURVE];
        Self { each_bytes, spent_bytes, shadows: [None; 2], lines }
    }

    pub(super) const fn favours_lines(&self) -> bool {
        self.lines
    }

    /// Whether nothing that could be learnt would change the choice: a curve is dearer than any
    /// line, or costs less bytes than a line does.
    pub(super) fn is_settled(&self) -> bool {
        self.each_bytes[CURVE] == f64::INFINITY || self.each_bytes[CURVE] <= self.each_bytes[LINE]
    }

    /// Takes what is foreseen of a truth, and the line that would be published of it.
    pub(super) fn observe(
        &mut self,
        truth: &Kinematics,
        foreseen: &Model,
        line: &Kinematics,
        ahead_s: f64,
        bound_m: f64,
    ) {
        let reached = foreseen.position_after(truth, ahead_s);
        let payloads = [(*line, Model::Linear), (*truth, *foreseen)];
        for (place, payload) in payloads.into_iter().enumerate() {
            let strayed = self.shadows[place]
                .is_none_or(|shadow| guess(&shadow, truth.at, ahead_s).distance(reached) > bound_m);
            self.spent_bytes[place] *= KEPT;
            if strayed {
                self.spent_bytes[place] += self.each_bytes[place];
                self.shadows[place] = Some(payload);
            }
        }
        let [line, curve] = self.spent_bytes;
        self.lines = if self.lines { curve >= line * CHEAPER } else { line < curve * CHEAPER };
    }

    /// The body is somewhere else, which is nobody's loss.
    pub(super) const fn restart(&mut self) {
        self.shadows = [None; 2];
    }
}

fn guess((seen, model): &(Kinematics, Model), now: SimTime, ahead_s: f64) -> DVec3 {
    model.position_after(seen, now.secs_since(seen.at) + ahead_s)
}
