//! Settings and counters of a rewind.

use core::time::Duration;

use super::shown_ghost::ShownGhost;
use super::{HitRefusal, RewindView};
use crate::GhostConfig;
use crate::error::SettingError;

/// Settings for a [`Rewind`](super::Rewind).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RewindConfig {
    /// How shooters show other bodies until they state a view of their own. Default:
    /// [`RewindView::Now`] with the default [`GhostConfig`]. Settings that a ghost of that kind
    /// accepts.
    pub view: RewindView,
    /// The cap: how far back a shot reaches at most, whatever the shooter's round trip, the delay
    /// of a delayed view included, unless the host prescribes that view. Also the longest that an update reported lost may be missing
    /// in a picture. Default: 250 ms. Above zero.
    pub max_past: Duration,
    /// What is added to a shooter's round trip: so old its picture may be, and so long may
    /// something sent to it wait to be shown. Default: 100 ms. Any span.
    pub margin: Duration,
    /// How far a shooter's clock may be ahead of the host's; its shots are then judged by what it
    /// was shown when they came in. Default: 100 ms. Any span.
    pub max_lead: Duration,
    /// How much of the time that a shooter's picture lags behind it may make up at once, as when
    /// shots that were fired one after the other come in together. Default: 100 ms. Above zero.
    pub max_banked: Duration,
    /// The longest blend, and the longest delay, of a view that a shooter states. Default: 500 ms.
    /// Any span.
    pub max_view_span: Duration,
    /// A target that has been out of the shooter's sight, or safe by the game's word, for longer
    /// than this when the shot comes in is not hit; `None`: the shooter's picture alone counts.
    /// Default: `None`.
    pub cover_after: Option<Duration>,
    /// Truths kept per entity. Default: 96. From 2 to a million.
    pub kept_per_entity: usize,
    /// What was sent, kept per shooter and entity. Default: 48. From 2 to a million.
    pub kept_per_view: usize,
    /// How far from where the host knows it a shooter may claim to have stood. Default: 1 m.
    /// Finite, not negative.
    pub origin_tolerance_m: f64,
    /// Requests a second per shooter, in the long run. Default: 12. Finite, not negative.
    pub requests_per_s: f64,
    /// Requests a shooter may make at once. Default: 6. Finite, at least 1.
    pub burst: f64,
}

impl Default for RewindConfig {
    /// A shooter with ten shots a second, seen with default ghosts.
    fn default() -> Self {
        Self {
            view: RewindView::Now(GhostConfig::default()),
            max_past: Duration::from_millis(250),
            margin: Duration::from_millis(100),
            max_lead: Duration::from_millis(100),
            max_banked: Duration::from_millis(100),
            max_view_span: Duration::from_millis(500),
            cover_after: None,
            kept_per_entity: 96,
            kept_per_view: 48,
            origin_tolerance_m: 1.0,
            requests_per_s: 12.0,
            burst: 6.0,
        }
    }
}

impl RewindConfig {
    pub(super) fn validate(&self) -> Result<(), SettingError> {
        let spans = [("max_past", self.max_past), ("max_banked", self.max_banked)];
        if let Some((name, _)) = spans.into_iter().find(|(_, span)| span.is_zero()) {
            return Err(SettingError::SpanZero { name });
        }
        SettingError::in_range("kept_per_entity", self.kept_per_entity as f64, 2.0, 1e6)?;
        SettingError::in_range("kept_per_view", self.kept_per_view as f64, 2.0, 1e6)?;
        SettingError::in_range("origin_tolerance_m", self.origin_tolerance_m, 0.0, f64::MAX)?;
        SettingError::in_range("requests_per_s", self.requests_per_s, 0.0, f64::MAX)?;
        SettingError::in_range("burst", self.burst, 1.0, f64::MAX)?;
        ShownGhost::validate(&self.view)
    }

    /// A view that a shooter states: one that ghosts accept and that keeps no old picture for
    /// longer than others do.
    pub(super) fn validate_stated(&self, view: &RewindView) -> Result<(), SettingError> {
        ShownGhost::validate(view)?;
        let (span, delay) = view.longest();
        let most = self.max_view_span;
        if span > most {
            return Err(SettingError::SpanTooLong { name: "blend span", got: span, most });
        }
        if delay > most.min(self.max_past) {
            let most = most.min(self.max_past);
            return Err(SettingError::SpanTooLong { name: "delay", got: delay, most });
        }
        Ok(())
    }
}

/// Counters of a [`Rewind`](super::Rewind).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RewindStats {
    /// Requests that were hits.
    pub hits: u64,
    /// Requests that were misses.
    pub misses: u64,
    /// Requests refused, by [`HitRefusal::ALL`].
    pub refused: [u64; HitRefusal::ALL.len()],
    /// Acknowledgements of what was no longer, or never, remembered.
    pub unknown: u64,
    /// Views that shooters stated and that were refused.
    pub views_refused: u64,
}
