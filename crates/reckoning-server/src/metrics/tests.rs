use std::time::Duration;

use super::*;

/// Every series with its value after the steps of [`metrics`], in the order of their names.
const SERIES: &str = include_str!("series.txt");

fn metrics() -> Metrics {
    let metrics = Metrics::default();
    for took_us in [10, 60, 90, 70_000] {
        metrics.tick.observe(Duration::from_micros(took_us));
    }
    metrics
}

fn sorted<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut lines: Vec<&str> = lines.collect();
    lines.sort_unstable();
    lines
}

#[test]
fn series_keep_the_names_that_dashboards_ask_for() {
    let text = metrics().openmetrics();
    let series = text.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(sorted(series), sorted(SERIES.lines()));
}

#[test]
fn the_text_is_openmetrics() {
    let text = metrics().openmetrics();
    assert!(text.ends_with("\n# EOF\n"), "{text}");
    // A counter's family has no `_total`; each family is described once, with one full stop.
    let help = "# HELP reckoning_drops Datagrams lost here, by cause.\n\
                # TYPE reckoning_drops counter\n\
                reckoning_drops_total{cause=\"peer_rate\"} 0\n";
    assert!(text.contains(help), "{text}");
    assert_eq!(text.matches("# TYPE reckoning_").count(), 26);
    assert!(text.contains("# TYPE reckoning_tick_seconds histogram\n"), "{text}");
}

#[test]
fn each_cause_is_counted_under_its_own_name() {
    let drops = [
        ("peer_rate", DropReason::PeerRate),
        ("address_rate", DropReason::AddressRate),
        ("too_long", DropReason::TooLong),
        ("queue_full", DropReason::QueueFull),
        ("send_buffer", DropReason::SendBuffer),
        ("closed", DropReason::Closed),
    ];
    assert_eq!(drops.map(|(name, cause)| (name, cause as usize)), numbered(DROPS));
    let rejects = [
        ("address_connections", RejectReason::AddressConnections),
        ("address_rate", RejectReason::AddressRate),
        ("addresses", RejectReason::Addresses),
        ("handshakes", RejectReason::Handshakes),
        ("handshake_timeout", RejectReason::HandshakeTimeout),
        ("handshake_failed", RejectReason::HandshakeFailed),
        ("full", RejectReason::Full),
        ("join_timeout", RejectReason::JoinTimeout),
        ("token", RejectReason::Token),
        ("flood", RejectReason::Flood),
        ("banned", RejectReason::Banned),
        ("overload", RejectReason::Overload),
        ("origin", RejectReason::Origin),
        ("requests", RejectReason::Requests),
        ("http_connections", RejectReason::HttpConnections),
        ("displaced", RejectReason::Displaced),
        ("draining", RejectReason::Draining),
        ("version", RejectReason::Version),
        ("game", RejectReason::Game),
    ];
    assert_eq!(rejects.map(|(name, cause)| (name, cause as usize)), numbered(REJECTS));
}

fn numbered<const N: usize>(names: [&str; N]) -> [(&str, usize); N] {
    std::array::from_fn(|place| (names[place], place))
}

#[test]
fn counting_shows_in_the_text() {
    let metrics = Metrics::default();
    metrics.count_drop(DropReason::SendBuffer);
    metrics.count_reject(RejectReason::Flood);
    let mut traffic = TrafficStats::default();
    (traffic.not_owner, traffic.corrected) = (7, 3);
    metrics.set_host(&traffic);
    let text = metrics.openmetrics();
    for line in [
        "reckoning_drops_total{cause=\"send_buffer\"} 1\n",
        "reckoning_refused_total{cause=\"flood\"} 1\n",
        "reckoning_host_drops_total{cause=\"not_owner\"} 7\n",
        "reckoning_guard_total{verdict=\"correct\"} 3\n",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[test]
fn the_quantile_of_tick_times_is_the_end_of_its_bucket() {
    let metrics = metrics();
    assert_eq!(metrics.tick.count(), 4);
    assert_eq!(metrics.tick.quantile_us(0.5), 61);
    assert_eq!(metrics.tick.quantile_us(1.0), 73_727);
}

#[test]
fn quantiles_are_never_short_and_at_most_a_sixteenth_long() {
    for took_us in (0..4_000).chain((4_000..1_000_000).step_by(997)) {
        let histogram = Histogram::default();
        histogram.observe(Duration::from_millis(400));
        let before = histogram.counts();
        histogram.observe(Duration::from_micros(took_us));
        let said = histogram.quantile_us_since(&before, 0.5);
        assert!((took_us..=took_us + took_us / 16).contains(&said), "{took_us}: {said}");
    }
    let histogram = Histogram::default();
    histogram.observe(Duration::from_secs(2));
    assert_eq!(histogram.quantile_us(0.5), u64::MAX);
}
