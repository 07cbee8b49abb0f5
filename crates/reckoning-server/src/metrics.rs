//! What the server counts, and the text that Prometheus reads.
//!
//! Counting is one relaxed atomic addition, so it may stand anywhere. The tick loop owns what
//! only it knows (peers, verdicts) and stores it here after each step.

use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reckoning_net::TrafficStats;

/// A number that other threads may read.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    /// Counts one more.
    pub fn one(&self) {
        self.add(1);
    }

    /// Counts `more`.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// Replaces the number.
    pub fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }

    /// The number.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why something a client sent or was owed did not get through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Drop {
    /// The client sends faster than it may.
    PeerRate,
    /// All clients of the address together send faster than they may.
    AddressRate,
    /// Longer than a datagram may be.
    TooLong,
    /// More came than one step takes from one client.
    QueueFull,
    /// The way out to the client is full: the oldest waiting was given up for the newest.
    SendBuffer,
    /// The connection closed before it could be sent.
    Closed,
}

/// Why a connection was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// The address has enough connections.
    AddressConnections,
    /// The address connects too often.
    AddressRate,
    /// Too many addresses at once.
    Addresses,
    /// Too many handshakes under way.
    Handshakes,
    /// A handshake or a request took too long.
    HandshakeTimeout,
    /// A handshake failed.
    HandshakeFailed,
    /// Too many clients.
    Full,
    /// The client connected and did not join.
    JoinTimeout,
    /// The client's token was not good.
    Token,
    /// The client flooded us.
    Flood,
    /// Someone of this address flooded us a short while ago.
    Banned,
}

const DROPS: [(&str, Drop); 6] = [
    ("peer_rate", Drop::PeerRate),
    ("address_rate", Drop::AddressRate),
    ("too_long", Drop::TooLong),
    ("queue_full", Drop::QueueFull),
    ("send_buffer", Drop::SendBuffer),
    ("closed", Drop::Closed),
];

const REFUSED: [(&str, Refused); 11] = [
    ("address_connections", Refused::AddressConnections),
    ("address_rate", Refused::AddressRate),
    ("addresses", Refused::Addresses),
    ("handshakes", Refused::Handshakes),
    ("handshake_timeout", Refused::HandshakeTimeout),
    ("handshake_failed", Refused::HandshakeFailed),
    ("full", Refused::Full),
    ("join_timeout", Refused::JoinTimeout),
    ("token", Refused::Token),
    ("flood", Refused::Flood),
    ("banned", Refused::Banned),
];

/// Why the host drops messages, as its own statistics name it.
pub const HOST_DROPS: [&str; 11] = [
    "malformed",
    "copy",
    "too_old",
    "flooded",
    "unexpected",
    "false_ack",
    "unknown_entity",
    "not_owner",
    "no_baseline",
    "stale",
    "no_room",
];

/// Upper ends of the tick histogram in microseconds: from idle to twice a step of 60 Hz.
const TICK_BOUNDS_US: [u64; 11] =
    [50, 100, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000];

/// Fine buckets in each doubling: a quantile is at most a sixteenth too long.
const FINE_PER_DOUBLING: u64 = 16;
const FINE_LOG2: u32 = FINE_PER_DOUBLING.trailing_zeros();
/// Up to 2^20 us, a second; the last bucket holds what is longer.
const FINE: usize = ((20 - FINE_LOG2 as usize) + 1) * FINE_PER_DOUBLING as usize;

/// How long steps took: coarsely for Prometheus, finely for [`Histogram::quantile_us`].
#[derive(Debug)]
pub struct Histogram {
    buckets: [Count; TICK_BOUNDS_US.len() + 1],
    fine: [Count; FINE],
    sum_us: Count,
}

impl Default for Histogram {
    fn default() -> Self {
        let fine = std::array::from_fn(|_| Count::default());
        Self { buckets: std::array::from_fn(|_| Count::default()), fine, sum_us: Count::default() }
    }
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
    pub fn note(&self, took: Duration) {
        let took_us = took.as_micros() as u64;
        let bucket = TICK_BOUNDS_US.iter().position(|bound| took_us <= *bound);
        self.buckets[bucket.unwrap_or(TICK_BOUNDS_US.len())].one();
        self.fine[fine_bucket(took_us)].one();
        self.sum_us.add(took_us);
    }

    /// How many steps were noted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(Count::get).sum()
    }

    /// How many steps were noted so far, bucket by bucket, to ask about those after.
    #[must_use]
    pub fn counts(&self) -> Vec<u64> {
        self.fine.iter().map(Count::get).collect()
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
            self.fine[bucket].get() - before.get(bucket).copied().unwrap_or_default()
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

/// Everything the server counts.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Clients that play.
    pub peers: Count,
    /// Connections open.
    pub links: Count,
    /// Entities there are.
    pub entities: Count,
    /// Datagrams that came in.
    pub datagrams_in: Count,
    /// Their bytes.
    pub bytes_in: Count,
    /// Datagrams that went out.
    pub datagrams_out: Count,
    /// Their bytes.
    pub bytes_out: Count,
    /// How long steps took.
    pub tick: Histogram,
    /// Steps that began late by more than a whole step.
    pub late_ticks: Count,
    /// Updates of clients that were accepted.
    pub accepted: Count,
    /// Updates of clients that were put right.
    pub corrected: Count,
    /// Updates of clients that were not taken.
    pub rejected: Count,
    /// Clients that the guard sent away.
    pub expelled: Count,
    /// Steps that reached the recording.
    pub recorded_steps: Count,
    /// Steps that the recording's full queue lost.
    pub recording_drops: Count,
    /// Writes of the recording that failed.
    pub recording_errors: Count,
    /// What the host dropped of what clients sent, by the cause at the same place of
    /// [`HOST_DROPS`].
    pub host_drops: [Count; HOST_DROPS.len()],
    drops: [Count; DROPS.len()],
    refused: [Count; REFUSED.len()],
}

impl Metrics {
    /// Counts something lost.
    pub fn dropped(&self, cause: Drop) {
        self.drops[cause as usize].one();
    }

    /// Counts a connection not taken.
    pub fn refused(&self, cause: Refused) {
        self.refused[cause as usize].one();
    }

    /// How much was lost for this cause.
    #[must_use]
    pub fn drops(&self, cause: Drop) -> u64 {
        self.drops[cause as usize].get()
    }

    /// How many were turned away for this cause.
    #[must_use]
    pub fn refusals(&self, cause: Refused) -> u64 {
        self.refused[cause as usize].get()
    }

    /// Takes over what the host counted.
    pub fn host(&self, traffic: &TrafficStats) {
        self.accepted.set(traffic.updates_in);
        self.corrected.set(traffic.corrected);
        self.rejected.set(traffic.rejected);
        let drops = [
            traffic.malformed,
            traffic.duplicates,
            traffic.too_old,
            traffic.flooded,
            traffic.unexpected,
            traffic.false_acks,
            traffic.unknown_entity,
            traffic.not_owner,
            traffic.no_baseline,
            traffic.stale,
            traffic.no_room,
        ];
        self.host_drops.iter().zip(drops).for_each(|(count, value)| count.set(value));
    }

    /// All of it, in the text format of Prometheus.
    #[must_use]
    pub fn prometheus(&self) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        for (name, what, value) in self.gauges() {
            single(out, name, what, "gauge", value.get())?;
        }
        for (name, what, value) in self.counters() {
            single(out, name, what, "counter", value.get())?;
        }
        let drops = DROPS.map(|(name, cause)| (name, self.drops(cause)));
        labelled(out, "reckoning_drops_total", "Datagrams lost here, by cause.", "cause", &drops)?;
        let host = std::array::from_fn::<_, { HOST_DROPS.len() }, _>(|place| {
            (HOST_DROPS[place], self.host_drops[place].get())
        });
        let what = "What the host dropped of what clients sent, by cause.";
        labelled(out, "reckoning_host_drops_total", what, "cause", &host)?;
        let refused = REFUSED.map(|(name, cause)| (name, self.refusals(cause)));
        let what = "Connections and clients not taken, by cause.";
        labelled(out, "reckoning_refused_total", what, "cause", &refused)?;
        let verdicts = [
            ("accept", self.accepted.get()),
            ("correct", self.corrected.get()),
            ("reject", self.rejected.get()),
            ("disconnect", self.expelled.get()),
        ];
        let what = "Updates of clients, by the guard's verdict.";
        labelled(out, "reckoning_guard_total", what, "verdict", &verdicts)?;
        self.write_ticks(out)
    }

    fn gauges(&self) -> [(&'static str, &'static str, &Count); 3] {
        [
            ("reckoning_peers", "Clients that play.", &self.peers),
            ("reckoning_connections", "Connections open.", &self.links),
            ("reckoning_entities", "Entities there are.", &self.entities),
        ]
    }

    fn counters(&self) -> [(&'static str, &'static str, &Count); 8] {
        [
            ("reckoning_datagrams_in_total", "Datagrams that came in.", &self.datagrams_in),
            ("reckoning_bytes_in_total", "Bytes that came in.", &self.bytes_in),
            ("reckoning_datagrams_out_total", "Datagrams that went out.", &self.datagrams_out),
            ("reckoning_bytes_out_total", "Bytes that went out.", &self.bytes_out),
            ("reckoning_late_ticks_total", "Steps late by a whole step.", &self.late_ticks),
            ("reckoning_recorded_steps_total", "Steps recorded.", &self.recorded_steps),
            ("reckoning_recording_drops_total", "Steps not recorded.", &self.recording_drops),
            ("reckoning_recording_errors_total", "Writes that failed.", &self.recording_errors),
        ]
    }

    fn write_ticks(&self, out: &mut String) -> fmt::Result {
        let name = "reckoning_tick_seconds";
        writeln!(out, "# HELP {name} How long a step of the game took.")?;
        writeln!(out, "# TYPE {name} histogram")?;
        let mut below = 0;
        for (bucket, bound_us) in self.tick.buckets.iter().zip(TICK_BOUNDS_US) {
            below += bucket.get();
            writeln!(out, "{name}_bucket{{le=\"{}\"}} {below}", bound_us as f64 / 1e6)?;
        }
        let count = self.tick.count();
        writeln!(out, "{name}_bucket{{le=\"+Inf\"}} {count}")?;
        writeln!(out, "{name}_sum {}", self.tick.sum_us.get() as f64 / 1e6)?;
        writeln!(out, "{name}_count {count}")
    }
}

fn single(out: &mut String, name: &str, what: &str, kind: &str, value: u64) -> fmt::Result {
    writeln!(out, "# HELP {name} {what}\n# TYPE {name} {kind}\n{name} {value}")
}

fn labelled(
    out: &mut String,
    name: &str,
    what: &str,
    label: &str,
    values: &[(&str, u64)],
) -> fmt::Result {
    writeln!(out, "# HELP {name} {what}\n# TYPE {name} counter")?;
    values.iter().try_for_each(|(it, value)| writeln!(out, "{name}{{{label}=\"{it}\"}} {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_is_counted_under_its_own_name() {
        for (index, (name, cause)) in DROPS.into_iter().enumerate() {
            assert_eq!(cause as usize, index, "{name}");
        }
        for (index, (name, cause)) in REFUSED.into_iter().enumerate() {
            assert_eq!(cause as usize, index, "{name}");
        }
        let metrics = Metrics::default();
        metrics.dropped(Drop::SendBuffer);
        metrics.refused(Refused::Flood);
        let text = metrics.prometheus();
        assert!(text.contains("reckoning_drops_total{cause=\"send_buffer\"} 1\n"), "{text}");
        assert!(text.contains("reckoning_refused_total{cause=\"flood\"} 1\n"), "{text}");
    }

    #[test]
    fn tick_times_add_up_in_the_histogram() {
        let metrics = Metrics::default();
        for took_us in [10, 60, 90, 70_000] {
            metrics.tick.note(Duration::from_micros(took_us));
        }
        let text = metrics.prometheus();
        assert!(text.contains("reckoning_tick_seconds_bucket{le=\"0.00005\"} 1\n"), "{text}");
        assert!(text.contains("reckoning_tick_seconds_bucket{le=\"0.0001\"} 3\n"), "{text}");
        assert!(text.contains("reckoning_tick_seconds_bucket{le=\"0.064\"} 3\n"), "{text}");
        assert!(text.contains("reckoning_tick_seconds_bucket{le=\"+Inf\"} 4\n"), "{text}");
        assert!(text.contains("reckoning_tick_seconds_count 4\n"), "{text}");
        assert_eq!(metrics.tick.quantile_us(0.5), 61);
        assert_eq!(metrics.tick.quantile_us(1.0), 73_727);
    }

    #[test]
    fn quantiles_are_never_short_and_at_most_a_sixteenth_long() {
        for took_us in (0..4_000).chain((4_000..1_000_000).step_by(997)) {
            let histogram = Histogram::default();
            histogram.note(Duration::from_millis(400));
            let before = histogram.counts();
            histogram.note(Duration::from_micros(took_us));
            let said = histogram.quantile_us_since(&before, 0.5);
            assert!((took_us..=took_us + took_us / 16).contains(&said), "{took_us}: {said}");
        }
        let histogram = Histogram::default();
        histogram.note(Duration::from_secs(2));
        assert_eq!(histogram.quantile_us(0.5), u64::MAX);
    }
}
