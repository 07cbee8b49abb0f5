//! One shooter: how far behind the host it is, how it shows others, and when it shot.

use core::time::Duration;

use super::view::Deadlines;
use super::{HitRefusal, RewindConfig, RewindView};
use crate::SimTime;
use crate::token_bucket::TokenBucket;

/// Seconds that a shooter may make up in a second: jitter brings shots closer together than they
/// were fired, time and again.
const MADE_UP_PER_S: f64 = 0.5;
/// Views that a shooter may state at once, and in a second in the long run: a slider is pulled
/// now and then, and nobody chooses a blend for each shot.
const VIEWS_AT_ONCE: f64 = 4.0;
const VIEWS_PER_S: f64 = 0.2;

#[derive(Clone, Debug)]
pub(super) struct Shooter {
    pub(super) round_trip: Option<Duration>,
    pub(super) view: RewindView,
    requests: TokenBucket,
    views: TokenBucket,
    /// Seconds that may be made up.
    made_up_s: TokenBucket,
    /// When the last shot came in, and the moment it was about.
    shot: Option<(SimTime, SimTime)>,
}

impl Shooter {
    pub(super) fn new(config: &RewindConfig, now: SimTime) -> Self {
        Self {
            round_trip: None,
            view: config.view,
            requests: TokenBucket::new(now, config.requests_per_s, config.burst),
            views: TokenBucket::new(now, VIEWS_PER_S, VIEWS_AT_ONCE),
            made_up_s: TokenBucket::new(now, MADE_UP_PER_S, config.max_banked.as_secs_f64()),
            shot: None,
        }
    }

    /// How old the picture of a shot may be when it comes in.
    pub(super) fn max_age(&self, config: &RewindConfig) -> Duration {
        let by_way = self.round_trip.map(|round_trip| round_trip.saturating_add(config.margin));
        by_way.map_or(config.max_past, |by_way| by_way.min(config.max_past))
    }

    pub(super) fn deadlines(&self, config: &RewindConfig) -> Deadlines {
        Deadlines { usual: self.max_age(config), lost: config.max_past }
    }

    pub(super) fn try_state_view(&mut self, view: RewindView, now: SimTime) -> bool {
        let may = self.views.try_take(now, 1.0);
        if may {
            self.view = view;
        }
        may
    }

    /// Admits a shot at what was shown at a moment, if that moment follows the last one's no
    /// faster than time passes. What it runs ahead, or goes back, is taken from an allowance.
    pub(super) fn admit(
        &mut self,
        shown_at: SimTime,
        config: &RewindConfig,
        now: SimTime,
    ) -> Result<(), HitRefusal> {
        if !self.requests.try_take(now, 1.0) {
            return Err(HitRefusal::TooOften);
        }
        if shown_at > now + config.max_lead {
            return Err(HitRefusal::Future);
        }
        if shown_at + self.max_age(config) < now {
            return Err(HitRefusal::TooOld);
        }
        let made_up_s = self.shot.map_or(0.0, |(then, shown_then)| {
            let passed_s = now.secs_since(then).max(0.0);
            let shown_s = shown_at.secs_since(shown_then);
            if shown_s < 0.0 { -shown_s } else { (shown_s - passed_s).max(0.0) }
        });
        if !self.made_up_s.try_take(now, made_up_s) {
            return Err(HitRefusal::Banked);
        }
        self.shot = Some((now, shown_at));
        Ok(())
    }
}
