//! Histogram of step times: lock-free, with quantiles.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prometheus_client::encoding::{EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

/// Upper ends of the tick histogram in microseconds: from idle to twice a step of 60 Hz.
const TICK_BOUNDS_US: [u64; 11] =
    [50, 100, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000];

/// Fine buckets in each doubling: a quantile is at most a sixteenth too long.
const FINE_PER_DOUBLING: u64 = 16;
const FINE_LOG2: u32 = FINE_PER_DOUBLING.trailing_zeros();
/// Up to 2^20 us, a second; the last bucket holds what is longer.
const FINE: usize = ((20 - FINE_LOG2 as usize) + 1) * FINE_PER_DOUBLING as usize;

/// How long steps took: coarsely for Prometheus, finely for [`Histogram::quantile_us`]. A clone
/// counts into the same buckets.
///
/// The library's own histogram takes a lock for every observation and has no quantiles.
#[derive(Clone, Debug, Default)]
pub struct Histogram(Arc<Buckets>);

#[derive(Debug)]
struct Buckets {
    coarse: [AtomicU64; TICK_BOUNDS_US.len() + 1],
    fine: [AtomicU64; FINE],
    sum_us: AtomicU64,
}

impl Default for Buckets {
    fn default() -> Self {
        Self {
            coarse: std::array::from_fn(|_| AtomicU64::default()),
            fine: std::array::from_fn(|_| AtomicU64::default()),
            sum_us: AtomicU64::default(),
        }
    }
}

fn add(to: &AtomicU64, more: u64) {
    to.fetch_add(more, Ordering::Relaxed);
}

fn get(from: &AtomicU64) -> u64 {
    from.load(Ordering::Relaxed)
}

/// The fine bucket of a length: exact below 16 us, then sixteen to each doubling.
fn fine_bucket(took_us: u64) -> usize {
    if took_us < FINE_PER_DOUBLING {
        return took_us as usize;
    }
    let shift = took_us.ilog2() - FINE_LOG2;
    let place = u64::from(shift) * FINE_PER_DOUBLING + (took_us >> shift);
    (place as usize).min(FINE - 1)
}

/// The longest whole length in a fine bucket.
const fn fine_end_us(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < FINE_PER_DOUBLING {
        return bucket;
    }
    let shift = bucket / FINE_PER_DOUBLING - 1;
    ((bucket % FINE_PER_DOUBLING + FINE_PER_DOUBLING + 1) << shift) - 1
}

impl Histogram {
    /// Notes one step.
    pub fn observe(&self, took: Duration) {
        let took_us = took.as_micros() as u64;
        let bucket = TICK_BOUNDS_US.iter().position(|bound| took_us <= *bound);
        add(&self.0.coarse[bucket.unwrap_or(TICK_BOUNDS_US.len())], 1);
        add(&self.0.fine[fine_bucket(took_us)], 1);
        add(&self.0.sum_us, took_us);
    }

    /// How many steps were noted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.coarse.iter().map(get).sum()
    }

    /// How many steps were noted so far, bucket by bucket, to ask about those after.
    #[must_use]
    pub fn counts(&self) -> Vec<u64> {
        self.0.fine.iter().map(get).collect()
    }

    /// What the fraction `q` of all steps stay within, in microseconds: at most a sixteenth too
    /// long, and `u64::MAX` when it is more than a second.
    #[must_use]
    pub fn quantile_us(&self, q: f64) -> u64 {
        self.quantile_us_since(&[], q)
    }

    /// The same for the steps after those of `before`, which [`Histogram::counts`] gave.
    #[must_use]
    pub fn quantile_us_since(&self, before: &[u64], q: f64) -> u64 {
        let since = |bucket: usize| {
            get(&self.0.fine[bucket]) - before.get(bucket).copied().unwrap_or_default()
        };
        let wanted = q * (0..FINE).map(since).sum::<u64>() as f64;
        let mut below = 0;
        for bucket in 0..FINE - 1 {
            below += since(bucket);
            if below as f64 >= wanted {
                return fine_end_us(bucket);
            }
        }
        u64::MAX
    }
}

impl EncodeMetric for Histogram {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        let bounds_s = TICK_BOUNDS_US.iter().map(|bound_us| *bound_us as f64 / 1e6);
        // The library prints its largest number as +Inf.
        let bounds_s = bounds_s.chain([f64::MAX]);
        let buckets: Vec<(f64, u64)> = bounds_s.zip(self.0.coarse.iter().map(get)).collect();
        let count = buckets.iter().map(|(_, count)| count).sum();
        let sum_s = get(&self.0.sum_us) as f64 / 1e6;
        encoder.encode_histogram::<NoLabelSet>(sum_s, count, &buckets, None)
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Histogram
    }
}
