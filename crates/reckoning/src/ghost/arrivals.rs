//! Estimate of the interval between arriving updates.

use core::time::Duration;

use super::BlendSpan;
use crate::SimTime;
use crate::math::sqrt;

/// A gap counts for an eighth: steady within a few updates, not thrown by one.
const WEIGHT: f64 = 0.125;

/// Running average of the time between arrivals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrivals {
    last: SimTime,
    average_s: Option<f64>,
}

impl Arrivals {
    pub(super) const fn first(now: SimTime) -> Self {
        Self { last: now, average_s: None }
    }

    pub(super) fn record(&mut self, now: SimTime) {
        let gap_s = now.secs_since(self.last).max(0.0);
        self.last = now;
        self.average_s = Some(match self.average_s {
            None => gap_s,
            Some(average_s) => average_s + WEIGHT * (gap_s - average_s),
        });
    }

    /// How long the next blend should take, from a picture that is this far off.
    pub(super) fn span_s(&self, span: BlendSpan, off_m: f64) -> f64 {
        let seconds = Duration::as_secs_f64;
        match span {
            BlendSpan::Fixed(span) => seconds(&span),
            BlendSpan::FromArrivals { min, max } => {
                self.average_s.unwrap_or(0.0).clamp(seconds(&min), seconds(&max))
            }
            BlendSpan::ByError { min, max, per_metre } => {
                (off_m * seconds(&per_metre)).max(seconds(&min)).min(seconds(&max))
            }
            BlendSpan::ByErrorRoot { min, max, at_metre } => {
                (sqrt(off_m) * seconds(&at_metre)).max(seconds(&min)).min(seconds(&max))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_span_follows_the_arrivals_within_bounds() {
        let span = BlendSpan::FromArrivals {
            min: Duration::from_millis(50),
            max: Duration::from_millis(400),
        };
        let mut arrivals = Arrivals::first(SimTime::ZERO);
        assert_eq!(arrivals.span_s(span, 0.0), 0.05);
        for k in 1..50 {
            arrivals.record(SimTime::from_millis(200 * k));
        }
        assert!((arrivals.span_s(span, 0.0) - 0.2).abs() < 1e-9);
        arrivals.record(SimTime::from_millis(1_000_000));
        assert_eq!(arrivals.span_s(span, 0.0), 0.4);
    }
}
