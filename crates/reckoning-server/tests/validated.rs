//! Settings and host rules filled in by a program: whatever is wrong is refused by name at the start,
//! and nothing panics afterwards.

mod support;

use std::time::Duration;

use reckoning::SimTime;
use reckoning_net::{Session, SessionConfig};
use reckoning_server::settings::Settings;
use reckoning_server::{HealthState, HostConfig, Relay, Server, host_config};

use support::settings;

type Change<T> = (&'static str, fn(&mut T));

const NAN: f64 = f64::NAN;
const FOREVER: Duration = Duration::MAX;

/// One change for each rule that a struct can break.
const WRONG: &[Change<Settings>] = &[
    ("tick_hz", |it| it.tick_hz = 0),
    ("tick_hz", |it| it.tick_hz = 241),
    ("token_server", |it| it.token_server.clear()),
    ("token_audience", |it| it.token_audience.clear()),
    ("certificate.days", |it| it.certificate.days = 0),
    ("certificate.names", |it| it.certificate.names.clear()),
    ("certificate.key_file", |it| it.certificate.chain_file = Some("chain.pem".into())),
    ("limits.peers", |it| it.limits.peers = 0),
    ("limits.connections_per_address", |it| it.limits.connections_per_address = 0),
    ("limits.connects_per_s_per_address", |it| it.limits.connects_per_s_per_address = 0),
    ("limits.requests_per_s_per_address", |it| it.limits.requests_per_s_per_address = 0),
    ("limits.connects_per_s", |it| it.limits.connects_per_s = 0),
    ("limits.addresses", |it| it.limits.addresses = 0),
    ("limits.pending_handshakes", |it| it.limits.pending_handshakes = 0),
    ("limits.handshake_timeout_s", |it| it.limits.handshake_timeout = Duration::ZERO),
    ("limits.join_timeout_s", |it| it.limits.join_timeout = FOREVER),
    ("limits.idle_timeout_s", |it| it.limits.idle_timeout = Duration::ZERO),
    ("limits.http_connections", |it| it.limits.http_connections = 0),
    ("limits.datagrams_per_s", |it| it.limits.datagrams_per_s = 0),
    ("limits.datagrams_per_s_per_address", |it| it.limits.datagrams_per_s_per_address = 0),
    ("limits.queued_datagrams", |it| it.limits.queued_datagrams = 0),
    ("limits.datagram_bytes", |it| it.limits.datagram_bytes = 0),
    ("limits.send_buffer_bytes", |it| it.limits.send_buffer_bytes = 0),
    ("limits.flood_datagrams", |it| it.limits.flood_datagrams = 0),
    ("limits.flood_ban_s", |it| it.limits.flood_ban = FOREVER),
    ("replication.rounds_hz", |it| it.replication.rounds_hz = 0),
    ("replication.budget_bytes_per_s", |it| it.replication.budget_bytes_per_s = 0),
    ("replication.peer_timeout_s", |it| it.replication.peer_timeout = Duration::ZERO),
    ("replication.grace_s", |it| it.replication.grace = FOREVER),
    ("replication.entities", |it| it.replication.entities = 0),
    ("replication.fairness_k", |it| it.replication.fairness_k = 0),
    ("replication.fairness_budget", |it| it.replication.fairness_budget = NAN),
    ("replication.fairness_budget", |it| it.replication.fairness_budget = f64::INFINITY),
    ("replication.fairness_cost", |it| it.replication.fairness_cost = -1.0),
    ("replication.fairness_weights", |it| it.replication.fairness_weights = [0.5, 0.5, 0.5]),
    ("replication.fairness_weights", |it| it.replication.fairness_weights = [NAN, 0.5, 0.5]),
    ("guard.top_speed_mps", |it| it.guard.top_speed_mps = NAN),
    ("guard.top_speed_mps", |it| it.guard.top_speed_mps = -1.0),
    ("guard.top_acceleration_mps2", |it| it.guard.top_acceleration_mps2 = 0.0),
    ("guard.tolerance_m", |it| it.guard.tolerance_m = NAN),
    ("recording.rate_hz", |it| it.recording.rate_hz = 0),
    ("recording.queued_steps", |it| it.recording.queued_steps = 0),
    ("recording.write_every_s", |it| it.recording.write_every = Duration::ZERO),
    ("recording.rotate_bytes", |it| it.recording.rotate_bytes = 0),
    ("recording.rotate_after_s", |it| it.recording.rotate_after = Duration::ZERO),
    ("watchdog.hang_s", |it| it.watchdog.hang = Duration::ZERO),
    ("shutdown.drain_s", |it| it.shutdown.drain = FOREVER),
    ("shutdown.farewell_s", |it| it.shutdown.farewell = FOREVER),
];

#[test]
fn every_rule_holds_for_settings_filled_in_by_a_program() {
    for (name, change) in WRONG {
        let mut settings = settings(&[]);
        change(&mut settings);
        let Err(error) = Server::new(settings).start(Relay::default()) else {
            panic!("{name}: it started")
        };
        let said = error.to_string();
        assert!(said.contains(&format!("setting {name}")), "{name}: {said}");
    }
}

/// Rules of replication that a game may set to nonsense.
const HOSTS: &[Change<HostConfig>] = &[
    ("tick", |it| it.tick = Duration::ZERO),
    ("zone_interval", |it| it.zone_interval = Duration::ZERO),
    ("bytes_per_s", |it| it.bytes_per_s = 0),
    ("max_datagram_bytes", |it| it.max_datagram_bytes = 0),
    ("max_datagrams_per_s", |it| it.max_datagrams_per_s = 0),
    ("command_repeats", |it| it.command_repeats = 0),
    ("join_within", |it| it.join_within = Duration::ZERO),
    ("timeout", |it| it.timeout = Duration::ZERO),
    ("timeout", |it| it.timeout = FOREVER),
    ("grace", |it| it.grace = FOREVER),
    ("max_peers", |it| it.max_peers = 0),
    ("max_entities", |it| it.max_entities = 0),
];

#[test]
fn a_host_of_zero_rates_is_refused_or_runs_and_never_panics() {
    for (name, change) in HOSTS {
        let settings = settings(&[]);
        let mut host = host_config(&settings);
        change(&mut host);
        let mut server = Server::new(settings);
        server.set_host(host);
        let Ok(running) = server.start(Relay::default()) else { continue };
        // Some steps with a client that knocks.
        let mut player = support::Native::new(running.address());
        for _ in 0..20 {
            player.frame();
            std::thread::sleep(support::FRAME);
        }
        assert_eq!(running.health(), HealthState::Ok, "{name}");
        running.try_stop().unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

const SESSIONS: &[Change<SessionConfig>] = &[
    ("join_retry", |it| it.join_retry = Duration::ZERO),
    ("ack_delay", |it| it.ack_delay = Duration::ZERO),
    ("timeout", |it| it.timeout = Duration::ZERO),
    ("timeout", |it| it.timeout = FOREVER),
    ("command_repeats", |it| it.command_repeats = 0),
    ("max_datagram_bytes", |it| it.max_datagram_bytes = 0),
    ("max_ghosts", |it| it.max_ghosts = 0),
    ("publisher.heartbeat", |it| it.publisher.heartbeat = Duration::ZERO),
];

#[test]
fn a_session_of_zero_rates_is_refused_or_runs_and_never_panics() {
    for (name, change) in SESSIONS {
        let mut config = SessionConfig::default();
        change(&mut config);
        let Ok(mut session) = Session::new(config) else { continue };
        let mut buffer = [0; 1_200];
        for step in 0..200 {
            let now = SimTime::from_millis(step * 50);
            session.handle_timeout(now);
            let sent = (0..100).take_while(|_| session.poll_datagram(now, &mut buffer).is_some());
            assert!(sent.count() < 100, "{name}: it never stops sending");
            while session.poll_event().is_some() {}
        }
    }
}
