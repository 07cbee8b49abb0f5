//! The path of a guarded body as listeners are shown it, by the host's clock.
//!
//! What an owner claims is judged by the stamps it carries. What everybody sees is something else: the
//! promise of the newest update, followed until the next one takes it back. A curve that runs away,
//! a promise that overshoots and returns, old stamps that suddenly catch up: all of them move the
//! picture further than the body can, although every claim is sound. So the picture has a bound of
//! its own:
//!
//! ```text
//!   shown within any span s up to a second  <=  reach(s + slack), at most reach(1 s), + tolerance
//! ```
//!
//! The slack is what the delay of the owner's link makes inevitable at a turn: the picture has run on
//! the old way while the news was under way. An update that would break the bound is not refused, since an honest
//! client on a slow link sends such ones; the picture is *restrained*: it lags behind the claim and
//! catches up as fast as a body can.

use alloc::collections::VecDeque;

use glam::DVec3;

use super::envelope::{Envelope, within};
use crate::time::span_of;
use crate::{Kinematics, Model, SimTime, Update, UpdateKind};

/// The picture is bounded over spans up to this.
const WINDOW_S: f64 = 1.0;
/// What is remembered of it is this far apart.
const STEP_S: f64 = 0.05;
/// How much of the envelope the picture may use. A tenth more is promised, which is what blends on
/// screens add by going on the old way for a moment.
const SHARE: f64 = 1.0;
/// How much it uses while it catches up, so that it need not slow down again after a step.
const CATCH_UP_SHARE: f64 = 0.99;
/// Moments after `now` at which a promise is asked, up to where ghosts have long come to rest.
const AHEAD_S: [f64; 12] = [0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0];
/// A promise that goes this many times the bound within half a second is no overshoot. Honest
/// publishers of accelerations exceed three in recordings, and did not exceed this.
const WILD: f64 = 6.0;
/// Delay that a turn is forgiven, at most and as long as none is measured, and what sampling adds.
const MAX_SLACK_S: f64 = 0.3;
const SAMPLING_S: f64 = 0.05;
/// Halvings of the search for how far the picture lags.
const HALVINGS: usize = 10;

/// How far the picture may move in how long.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownBound {
    reach_m: [f64; 6],
    most_m: f64,
    slack_s: f64,
    tolerance_m: f64,
    speed_mps: f64,
    share: f64,
}

impl ShownBound {
    pub(super) fn new(envelope: &Envelope, tolerance_m: f64, round_trip_s: Option<f64>) -> Self {
        let slack_s = round_trip_s.unwrap_or(MAX_SLACK_S).clamp(0.0, MAX_SLACK_S) + SAMPLING_S;
        let most_m = within(&envelope.reach_m, WINDOW_S);
        let speed_mps = envelope.speed_mps.min(most_m / WINDOW_S);
        Self { reach_m: envelope.reach_m, most_m, slack_s, tolerance_m, speed_mps, share: SHARE }
    }

    const fn catching_up(self) -> Self {
        Self { share: CATCH_UP_SHARE, ..self }
    }

    fn after(&self, span_s: f64) -> f64 {
        let reach_m = within(&self.reach_m, span_s + self.slack_s).min(self.most_m);
        reach_m * self.share + self.tolerance_m
    }
}

/// A picture within its bound.
pub(super) enum Picture {
    /// The update may be shown as it is.
    AsClaimed,
    /// It is to be shown so, at constant velocity; the claim is this far ahead of it.
    Restrained(Kinematics, f64),
}

/// What listeners were shown of a body in the last second, and what they are shown now.
#[derive(Clone, Debug)]
pub(super) struct ShownPath {
    places: VecDeque<(SimTime, DVec3)>,
    current: Update,
}

impl From<&Kinematics> for ShownPath {
    fn from(start: &Kinematics) -> Self {
        let current = Update::from_checked(*start, Model::Linear, UpdateKind::Full);
        Self { places: VecDeque::from([(start.at, start.position)]), current }
    }
}

impl ShownPath {
    /// Remembers what was shown up to `now`.
    pub(super) fn advance(&mut self, now: SimTime) {
        let last = self.places.back().map_or(now, |(at, _)| *at);
        let first = last.max(now - span_of(WINDOW_S + STEP_S));
        let steps = (now.secs_since(first).max(0.0) / STEP_S) as usize;
        for step in (0..=steps.min(64)).rev() {
            let at = now - span_of(step as f64 * STEP_S);
            if at >= last {
                self.places.push_back((at, self.current.position_at(at)));
            }
        }
        while self.places.len() > 1
            && self.places.get(1).is_some_and(|(at, _)| now.secs_since(*at) > WINDOW_S + STEP_S)
        {
            self.places.pop_front();
        }
        while self.places.len() > 512 {
            self.places.pop_front();
        }
    }

    /// This is shown from `now` on.
    pub(super) fn show(&mut self, update: &Update, now: SimTime) {
        self.current = *update;
        self.places.push_back((now, update.position_at(now)));
    }

    /// Where it is shown at a moment that is not yet over.
    pub(super) fn position_at(&self, now: SimTime) -> DVec3 {
        self.current.position_at(now)
    }

    /// Whether the promise alone goes further than any overshoot of an honest one.
    pub(super) fn is_wild(update: &Update, now: SimTime, bound: &ShownBound) -> bool {
        let path: [DVec3; 6] = core::array::from_fn(|place| ahead(update, now, AHEAD_S[place]));
        let far = |from: usize, to: usize| {
            let most_m = bound.after(AHEAD_S[to] - AHEAD_S[from]) * WILD;
            path[from].distance(path[to]) > most_m
        };
        (0..path.len()).any(|to| (0..to).any(|from| far(from, to)))
    }

    /// The update as it may be shown from `now` on. [`advance`](Self::advance) was called for `now`.
    pub(super) fn restrain(&self, update: &Update, now: SimTime, bound: &ShownBound) -> Picture {
        if self.fits(|ahead_s| ahead(update, now, ahead_s), now, bound) {
            return Picture::AsClaimed;
        }
        let (claimed, velocity) = (update.position_at(now), update.velocity_at(now));
        let velocity = velocity.clamp_length_max(bound.speed_mps);
        let shown = self.position_at(now);
        let behind = self.least_behind((claimed, shown), velocity, now, &bound.catching_up());
        let (place, velocity) = match behind {
            Some(behind) => (claimed.lerp(shown, behind), velocity),
            None => (shown, velocity * self.most_speed(shown, velocity, now, bound)),
        };
        let state = straight(update.kinematics(), place, velocity, now);
        // What is claimed by the stamp, not what a bold model makes of it.
        let behind_m = place.distance(claimed).min(place.distance(update.kinematics().position));
        Picture::Restrained(state, behind_m)
    }

    /// The place nearest to `wanted` that a body at rest may be shown at from `now` on.
    pub(super) fn rest_near(&self, wanted: DVec3, now: SimTime, bound: &ShownBound) -> DVec3 {
        let shown = self.position_at(now);
        let behind = self.least_behind((wanted, shown), DVec3::ZERO, now, bound);
        wanted.lerp(shown, behind.unwrap_or(1.0))
    }

    /// The least share of the way back from what is claimed to what is shown at which a body that
    /// goes straight on keeps the bound, if any does.
    fn least_behind(
        &self,
        (claimed, shown): (DVec3, DVec3),
        velocity: DVec3,
        now: SimTime,
        bound: &ShownBound,
    ) -> Option<f64> {
        let fits = |behind: f64| {
            let place = claimed.lerp(shown, behind);
            self.fits(|ahead_s| place + velocity * ahead_s, now, bound)
        };
        fits(1.0).then(|| halved(0.0, 1.0, fits))
    }

    /// The largest share of its velocity that a body may go on with from where it is shown.
    fn most_speed(&self, shown: DVec3, velocity: DVec3, now: SimTime, bound: &ShownBound) -> f64 {
        let fits =
            |share: f64| self.fits(|ahead_s| shown + velocity * (share * ahead_s), now, bound);
        halved(1.0, 0.0, fits)
    }

    /// Whether a path, by seconds from `now` on, keeps the bound beside what was shown and in itself.
    fn fits(&self, path: impl Fn(f64) -> DVec3, now: SimTime, bound: &ShownBound) -> bool {
        let ahead = AHEAD_S.map(|ahead_s| (ahead_s, path(ahead_s)));
        let keeps = |span_s: f64, from: DVec3, to: DVec3| {
            span_s > WINDOW_S || from.distance(to) <= bound.after(span_s)
        };
        let in_itself = (0..ahead.len()).all(|end| {
            let (end_s, to) = ahead[end];
            ahead[..end].iter().all(|(start_s, from)| keeps(end_s - start_s, *from, to))
        });
        in_itself
            && self.places.iter().all(|(at, from)| {
                let age_s = now.secs_since(*at).max(0.0);
                let window_ends = path((WINDOW_S - age_s).max(0.0));
                keeps(age_s.max(WINDOW_S), *from, window_ends)
                    && ahead.iter().all(|(ahead_s, to)| keeps(age_s + ahead_s, *from, *to))
            })
    }
}

/// The value nearest to `breaks` that still fits, by halving; `holds` fits.
fn halved(mut breaks: f64, mut holds: f64, fits: impl Fn(f64) -> bool) -> f64 {
    if fits(breaks) {
        return breaks;
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (breaks + holds);
        if fits(middle) { holds = middle } else { breaks = middle }
    }
    holds
}

fn ahead(update: &Update, now: SimTime, ahead_s: f64) -> DVec3 {
    update.position_at(now + span_of(ahead_s))
}

/// A state with the stamp of `seen` that is at `place` at `now` and goes straight on.
fn straight(seen: &Kinematics, place: DVec3, velocity: DVec3, now: SimTime) -> Kinematics {
    let position = place - velocity * now.secs_since(seen.at);
    Kinematics { position, velocity, acceleration: DVec3::ZERO, ..*seen }
}
