//! Validation of settings: the range of each, and combinations that contradict each other.

use std::time::Duration;

use reckoning::fairness::Weights;

use super::{Access, Settings, SettingsError};
use crate::token::MAX_NAME_BYTES;

/// Name, value, smallest, largest.
type Rule = (&'static str, f64, f64, f64);

pub(super) fn all(settings: &Settings) -> Result<(), SettingsError> {
    for (name, got, min, max) in rules(settings) {
        if !(min..=max).contains(&got) {
            return Err(SettingsError::Range { name, got, min, max });
        }
    }
    together(settings)
}

pub(super) fn rules(it: &Settings) -> Vec<Rule> {
    let mut rules = limits(it);
    rules.extend([
        ("token_server", it.token_server.len() as f64, 1.0, MAX_NAME_BYTES as f64),
        ("token_audience", it.token_audience.len() as f64, 1.0, MAX_NAME_BYTES as f64),
        ("tick_hz", f64::from(it.tick_hz), 1.0, 240.0),
        ("certificate.days", f64::from(it.certificate.days), 1.0, 14.0),
        ("replication.budget_bytes_per_s", f64::from(it.replication.budget_bytes_per_s), 1e3, 1e8),
        ("replication.rounds_hz", f64::from(it.replication.rounds_hz), 1.0, 240.0),
        ("replication.grace_s", secs(it.replication.grace), 0.0, 3_600.0),
        ("replication.entities", it.replication.entities as f64, 1.0, 1e6),
        ("replication.nearest", it.replication.nearest as f64, 0.0, 1e6),
        ("replication.peer_timeout_s", secs(it.replication.peer_timeout), 1.0, 600.0),
        ("replication.fairness_k", f64::from(it.replication.fairness_k), 1.0, 100.0),
        ("replication.fairness_budget", it.replication.fairness_budget, 0.01, 1.0),
        ("replication.fairness_cost", it.replication.fairness_cost, 0.0, 10.0),
        ("guard.top_speed_mps", it.guard.top_speed_mps, 0.0, 1e5),
        ("guard.top_acceleration_mps2", it.guard.top_acceleration_mps2, 0.001, 1e6),
        ("guard.tolerance_m", it.guard.tolerance_m, 0.0, 1e3),
        ("guard.max_trail_s", secs(it.guard.max_trail), 0.0, 60.0),
        ("recording.rate_hz", f64::from(it.recording.rate_hz), 1.0, 240.0),
        ("recording.queued_steps", it.recording.queued_steps as f64, 1.0, 10_000.0),
        ("recording.write_every_s", secs(it.recording.write_every), 0.05, 1.0),
        ("recording.rotate_bytes", it.recording.rotate_bytes as f64, 1e4, 1e12),
        ("recording.rotate_after_s", secs(it.recording.rotate_after), 1.0, 604_800.0),
        ("watchdog.hang_s", secs(it.watchdog.hang), 2.0, 600.0),
        ("shutdown.drain_s", secs(it.shutdown.drain), 0.0, 86_400.0),
        ("shutdown.farewell_s", secs(it.shutdown.farewell), 0.0, 60.0),
    ]);
    rules
}

fn limits(it: &Settings) -> Vec<Rule> {
    const MANY: f64 = 65_535.0;
    let it = &it.limits;
    vec![
        ("limits.peers", it.peers as f64, 1.0, MANY),
        ("limits.connections_per_address", it.connections_per_address as f64, 1.0, MANY),
        ("limits.connects_per_s_per_address", f64::from(it.connects_per_s_per_address), 1.0, MANY),
        ("limits.requests_per_s_per_address", f64::from(it.requests_per_s_per_address), 1.0, MANY),
        ("limits.connects_per_s", f64::from(it.connects_per_s), 1.0, MANY),
        ("limits.reserved_peers", it.reserved_peers as f64, 0.0, MANY),
        ("limits.addresses", it.addresses as f64, 1.0, 1e6),
        ("limits.pending_handshakes", it.pending_handshakes as f64, 1.0, MANY),
        ("limits.handshake_timeout_s", secs(it.handshake_timeout), 0.1, 60.0),
        ("limits.join_timeout_s", secs(it.join_timeout), 0.1, 60.0),
        ("limits.idle_timeout_s", secs(it.idle_timeout), 1.0, 600.0),
        ("limits.http_connections", it.http_connections as f64, 1.0, MANY),
        ("limits.datagrams_per_s", f64::from(it.datagrams_per_s), 10.0, 1e5),
        (
            "limits.datagrams_per_s_per_address",
            f64::from(it.datagrams_per_s_per_address),
            10.0,
            1e6,
        ),
        ("limits.queued_datagrams", it.queued_datagrams as f64, 1.0, 4_096.0),
        ("limits.guest_bodies", it.guest_bodies as f64, 0.0, 256.0),
        ("limits.datagram_bytes", it.datagram_bytes as f64, 200.0, 1_200.0),
        ("limits.send_buffer_bytes", it.send_buffer_bytes as f64, 1_200.0, 1e6),
        ("limits.flood_datagrams", f64::from(it.flood_datagrams), 10.0, 1e6),
        ("limits.flood_ban_s", secs(it.flood_ban), 0.0, 3_600.0),
    ]
}

fn secs(span: Duration) -> f64 {
    span.as_secs_f64()
}

fn together(it: &Settings) -> Result<(), SettingsError> {
    let [error, recent, waiting] = it.replication.fairness_weights;
    if Weights::new(error, recent, waiting).is_err() {
        return Err(SettingsError::Together {
            name: "replication.fairness_weights",
            wrong: "shares of a claim are from 0 to 1, and their sum is 1",
            remedy: "write [1, 0, 0] to go by the error alone",
        });
    }
    if it.access == Access::Token && it.token_key_file.is_none() {
        return Err(SettingsError::Together {
            name: "token_key_file",
            wrong: "access = \"token\" needs a key",
            remedy: "name a file made with `reckon token --new-key`",
        });
    }
    let reserves = it.access == Access::Open && it.token_key_file.is_some();
    if reserves && it.limits.reserved_peers >= it.limits.peers {
        return Err(SettingsError::Together {
            name: "limits.reserved_peers",
            wrong: "nobody could join without a token",
            remedy: "reserve fewer than limits.peers, or write access = \"token\"",
        });
    }
    if it.origins.iter().any(|origin| !is_origin(origin)) {
        return Err(SettingsError::Together {
            name: "origins",
            wrong: "an origin is a scheme, a host and, if it is not the usual one, a port",
            remedy: "write them as https://example.org, or * for all",
        });
    }
    let kinds = it.kinds()?;
    if !it.relay_kind.is_empty() && kinds.named(&it.relay_kind).is_none() {
        return Err(SettingsError::Together {
            name: "relay_kind",
            wrong: "no [[kind]] has that name",
            remedy: "name one of those declared, or none",
        });
    }
    if it.certificate.chain_file.is_some() != it.certificate.key_file.is_some() {
        return Err(SettingsError::Together {
            name: "certificate.key_file",
            wrong: "a chain and a key come together",
            remedy: "name both chain_file and key_file, or neither",
        });
    }
    if it.certificate.chain_file.is_none() && it.certificate.names.is_empty() {
        return Err(SettingsError::Together {
            name: "certificate.names",
            wrong: "a certificate must be good for some name",
            remedy: "write names = [\"localhost\"]",
        });
    }
    Ok(())
}

fn is_origin(text: &str) -> bool {
    let named = text.split_once("://").is_some_and(|(scheme, host)| {
        !scheme.is_empty() && !host.is_empty() && !host.contains('/')
    });
    named || text == "*" || text == "null"
}
