//! Counters and gauges of the server, and the text that Prometheus reads.
//!
//! Types and text format come from `prometheus_client`; the text is `OpenMetrics` 1.0. Counting is
//! one relaxed atomic addition, so it may stand anywhere: label sets are resolved once, when the
//! metrics are made, and no lock is taken until a scraper asks. The tick loop owns what only it
//! knows (peers, verdicts) and stores it here after each step.

mod export_error;
mod histogram;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use prometheus_client::encoding::{EncodeMetric, MetricEncoder, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge;
use prometheus_client::registry::Registry;
use reckoning::SimTime;
use reckoning_net::{Host, TrafficStats};

use crate::token::{TOKEN_ERRORS, TokenError};

use export_error::ExportErrors;
pub use histogram::Histogram;
pub use prometheus_client::metrics::counter::Counter;

/// A whole number that rises and falls.
pub type Gauge = gauge::Gauge<u64, AtomicU64>;

/// The media type of [`Metrics::openmetrics`].
pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Reason for which a datagram from or to a client was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DropReason {
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

/// Reason for which a connection or a client was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RejectReason {
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
    /// Steps do not fit into their period.
    Overload,
    /// A page of a foreign origin.
    Origin,
    /// The address asks for pages too often.
    Requests,
    /// Too many HTTP connections.
    HttpConnections,
    /// Gave way to someone whose address had fewer places.
    Displaced,
    /// The server is about to stop.
    Draining,
    /// The client speaks another version of the protocol.
    Version,
    /// The game did not want the client.
    Game,
}

/// The label of each [`DropReason`], in its order.
const DROPS: [&str; 6] =
    ["peer_rate", "address_rate", "too_long", "queue_full", "send_buffer", "closed"];

/// The label of each [`RejectReason`], in its order.
const REJECTS: [&str; 19] = [
    "address_connections",
    "address_rate",
    "addresses",
    "handshakes",
    "handshake_timeout",
    "handshake_failed",
    "full",
    "join_timeout",
    "token",
    "flood",
    "banned",
    "overload",
    "origin",
    "requests",
    "http_connections",
    "displaced",
    "draining",
    "version",
    "game",
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

/// Counters of one metric, one for each value of its only label, in a fixed order.
///
/// A `Family` of the library would look the label set up at every addition and print in the
/// order of a hash map.
#[derive(Clone, Debug)]
struct Labelled<const N: usize> {
    label: &'static str,
    values: [&'static str; N],
    counters: [Counter; N],
}

impl<const N: usize> Labelled<N> {
    fn new(label: &'static str, values: [&'static str; N]) -> Self {
        Self { label, values, counters: std::array::from_fn(|_| Counter::default()) }
    }
}

impl<const N: usize> EncodeMetric for Labelled<N> {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        for (value, counter) in self.values.iter().zip(&self.counters) {
            counter.encode(encoder.encode_family(&[(self.label, *value)])?)?;
        }
        Ok(())
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Counter
    }
}

/// Time between two lines about what was rejected.
const LOG_EVERY: Duration = Duration::from_secs(1);

/// What the log knows of rejected connections and clients.
#[derive(Debug, Default)]
struct RejectLog {
    next: SimTime,
    logged: [u64; REJECTS.len()],
}

/// Everything the server counts.
#[derive(Debug)]
pub struct Metrics {
    /// Clients that play.
    pub peers: Gauge,
    /// Connections open.
    pub connections: Gauge,
    /// Entities there are.
    pub entities: Gauge,
    /// How much is left out because steps do not fit: 0 nothing, 4 the most.
    pub overload: Gauge,
    /// Datagrams that came in.
    pub datagrams_in: Counter,
    /// Their bytes.
    pub bytes_in: Counter,
    /// Datagrams that went out.
    pub datagrams_out: Counter,
    /// Their bytes.
    pub bytes_out: Counter,
    /// How long steps took.
    pub tick: Histogram,
    /// Steps that began late by more than a whole step.
    pub late_ticks: Counter,
    /// Updates of clients that were accepted.
    pub accepted: Counter,
    /// Updates of clients that the guard corrected.
    pub corrected: Counter,
    /// Updates of clients that the guard rejected.
    pub rejected: Counter,
    /// Clients that the guard disconnected.
    pub kicked: Counter,
    /// Steps that the recording should hold: the sum of the next four.
    pub recording_offered: Counter,
    /// Steps that are on the disk.
    pub recorded_steps: Counter,
    /// Steps that the recording's full queue lost.
    pub recording_drops: Counter,
    /// Steps that could not be written.
    pub recording_failed: Counter,
    /// Steps that wait for the disk, beside those in the queue.
    pub recording_waiting: Gauge,
    /// Writes of the recording that failed; they are tried again.
    pub recording_errors: Counter,
    /// Files of the recording that were begun.
    pub recording_files: Counter,
    /// Files that could not be closed; they hold what was synced.
    pub recording_unclosed: Counter,
    /// What the host dropped of what clients sent, by the reason at the same place of
    /// [`HOST_DROPS`].
    pub host_drops: [Counter; HOST_DROPS.len()],
    token_errors: [Counter; TOKEN_ERRORS.len()],
    drops: [Counter; DROPS.len()],
    rejects: [Counter; REJECTS.len()],
    reject_log: Mutex<RejectLog>,
    export_errors: ExportErrors,
    registry: Registry,
}

impl Default for Metrics {
    fn default() -> Self {
        let drops = Labelled::new("cause", DROPS);
        let host_drops = Labelled::new("cause", HOST_DROPS);
        let rejects = Labelled::new("cause", REJECTS);
        let token_errors = Labelled::new("cause", TOKEN_ERRORS);
        let verdicts = Labelled::new("verdict", ["accept", "correct", "reject", "disconnect"]);
        let [accepted, corrected, rejected, kicked] = verdicts.counters.clone();
        let mut metrics = Self {
            peers: Gauge::default(),
            connections: Gauge::default(),
            entities: Gauge::default(),
            overload: Gauge::default(),
            datagrams_in: Counter::default(),
            bytes_in: Counter::default(),
            datagrams_out: Counter::default(),
            bytes_out: Counter::default(),
            tick: Histogram::default(),
            late_ticks: Counter::default(),
            accepted,
            corrected,
            rejected,
            kicked,
            recording_offered: Counter::default(),
            recorded_steps: Counter::default(),
            recording_drops: Counter::default(),
            recording_failed: Counter::default(),
            recording_waiting: Gauge::default(),
            recording_errors: Counter::default(),
            recording_files: Counter::default(),
            recording_unclosed: Counter::default(),
            host_drops: host_drops.counters.clone(),
            token_errors: token_errors.counters.clone(),
            drops: drops.counters.clone(),
            rejects: rejects.counters.clone(),
            reject_log: Mutex::default(),
            export_errors: ExportErrors::default(),
            registry: Registry::with_prefix("reckoning"),
        };
        metrics.register_singles();
        // The library ends each help text with a full stop and each counter's name with `_total`.
        let registry = &mut metrics.registry;
        registry.register("drops", "Datagrams lost here, by cause", drops);
        let help = "What the host dropped of what clients sent, by cause";
        registry.register("host_drops", help, host_drops);
        registry.register("refused", "Connections and clients not taken, by cause", rejects);
        registry.register("tokens_refused", "Tokens not taken, by cause", token_errors);
        registry.register("guard", "Updates of clients, by the guard's verdict", verdicts);
        metrics.export_errors.register(registry);
        registry.register("tick_seconds", "How long a step of the game took", metrics.tick.clone());
        metrics
    }
}

impl Metrics {
    /// Registers gauges and counters without labels.
    fn register_singles(&mut self) {
        let registry = &mut self.registry;
        for (name, help, gauge) in [
            ("peers", "Clients that play", &self.peers),
            ("connections", "Connections open", &self.connections),
            ("entities", "Entities there are", &self.entities),
            ("overload", "What is left out, 0 to 4", &self.overload),
            ("recording_waiting", "Steps that wait for the disk", &self.recording_waiting),
        ] {
            registry.register(name, help, gauge.clone());
        }
        for (name, help, counter) in [
            ("datagrams_in", "Datagrams that came in", &self.datagrams_in),
            ("bytes_in", "Bytes that came in", &self.bytes_in),
            ("datagrams_out", "Datagrams that went out", &self.datagrams_out),
            ("bytes_out", "Bytes that went out", &self.bytes_out),
            ("late_ticks", "Steps late by a whole step", &self.late_ticks),
            ("recording_offered", "Steps to be recorded", &self.recording_offered),
            ("recorded_steps", "Steps that are on the disk", &self.recorded_steps),
            ("recording_drops", "Steps lost by a full queue", &self.recording_drops),
            ("recording_failed", "Steps that could not be written", &self.recording_failed),
            ("recording_errors", "Writes that failed", &self.recording_errors),
            ("recording_files", "Files begun", &self.recording_files),
            ("recording_unclosed", "Files not closed", &self.recording_unclosed),
        ] {
            registry.register(name, help, counter.clone());
        }
    }

    /// Counts a dropped datagram.
    pub(crate) fn count_drop(&self, reason: DropReason) {
        self.drops[reason as usize].inc();
    }

    /// Counts a rejected connection or client.
    pub(crate) fn count_reject(&self, reason: RejectReason) {
        self.rejects[reason as usize].inc();
    }

    /// Counts a token that was not taken.
    pub(crate) fn count_token_error(&self, error: &TokenError) {
        self.token_errors[error.index()].inc();
    }

    /// How many tokens were not taken for a reason like this one.
    #[must_use]
    pub fn token_errors(&self, error: &TokenError) -> u64 {
        self.token_errors[error.index()].get()
    }

    /// Logs what was rejected since the last line of the same reason, at most a line a second for
    /// each: strangers must not fill the disk of an operator who wants to know.
    pub(crate) fn log_rejects(&self, now: SimTime) {
        let mut log = self.reject_log.lock().unwrap_or_else(PoisonError::into_inner);
        if now < log.next {
            return;
        }
        log.next = now + LOG_EVERY;
        for ((reason, counter), logged) in REJECTS.iter().zip(&self.rejects).zip(&mut log.logged) {
            let count = counter.get() - std::mem::replace(logged, counter.get());
            if count > 0 {
                tracing::info!(reason, count, "refused");
            }
        }
    }

    /// How many datagrams were dropped for this reason.
    #[must_use]
    pub fn drops(&self, reason: DropReason) -> u64 {
        self.drops[reason as usize].get()
    }

    /// How many connections and clients were rejected for this reason.
    #[must_use]
    pub fn rejects(&self, reason: RejectReason) -> u64 {
        self.rejects[reason as usize].get()
    }

    /// Takes over the host's counters.
    pub fn set_host(&self, traffic: &TrafficStats) {
        // The host counts up as well, so these stay counters.
        let set = |counter: &Counter, value| counter.inner().store(value, Ordering::Relaxed);
        set(&self.accepted, traffic.updates_in);
        set(&self.corrected, traffic.corrected);
        set(&self.rejected, traffic.rejected);
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
        self.host_drops.iter().zip(drops).for_each(|(counter, value)| set(counter, value));
    }

    /// Takes over what the host knows of clients' export errors, about once a second; `singly` for
    /// each client as well.
    pub(crate) fn set_export_errors(&self, host: &Host, singly: bool, now: SimTime) {
        if self.export_errors.are_due(now) {
            let errors = host.listener_errors(now);
            self.export_errors.set(now, errors, singly, host.threshold_scale());
        }
    }

    /// All metrics, in the text format of `OpenMetrics` 1.0, which Prometheus reads.
    #[must_use]
    pub fn openmetrics(&self) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = text::encode(&mut out, &self.registry);
        out
    }
}

#[cfg(test)]
mod tests;
