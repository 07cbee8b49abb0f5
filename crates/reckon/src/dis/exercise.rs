//! An exercise that was joined: its gateway, its socket and its clock.

use std::fmt::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reckoning::SimTime;
use reckoning_dis::gateway::{Gateway, GatewayConfig, GatewayStats};
use reckoning_dis::mapping::Mapping;
use reckoning_dis::place::TangentFrame;
use reckoning_recording::read_text_file;

use super::failed;
use super::wire::Wire;
use crate::args;
use crate::failure::Failure;

/// The longest mapping that is read.
const MAX_MAPPING_BYTES: u64 = 1 << 20;
/// Seconds of an hour.
const HOUR_S: f64 = 3_600.0;

pub struct Exercise {
    pub gateway: Gateway,
    wire: Wire,
    until: Option<SimTime>,
}

impl Exercise {
    /// Joins, at `now` of the clock by which everything is driven.
    pub fn join(command: &args::Exercise, now: SimTime) -> Result<Self, Failure> {
        let frame = TangentFrame::new(command.origin);
        let mut config =
            GatewayConfig::new(command.number, command.site, command.application, frame);
        config.version = command.protocol;
        config.utc_past_hour_s =
            (!command.relative).then(|| (utc_secs() - now.as_secs_f64()).rem_euclid(HOUR_S));
        if command.once {
            config.repeat_after = None;
        }
        if let Some(path) = &command.mapping {
            let text = read_text_file(path, MAX_MAPPING_BYTES)
                .map_err(|error| Failure::File { path: path.clone(), error })?;
            config.mapping = Mapping::from_toml(&text)
                .map_err(|error| failed(format!("{}: {error}", path.display())))?;
        }
        let gateway = Gateway::new(config).map_err(Failure::server)?;
        let until = command.seconds.map(|seconds| now + Duration::from_secs(seconds));
        Ok(Self { gateway, wire: Wire::open(command)?, until })
    }

    /// Whether it is over.
    pub fn is_over(&self, now: SimTime) -> bool {
        self.until.is_some_and(|until| now >= until)
    }

    /// Takes in what came by `now`.
    pub fn receive(&mut self, now: SimTime) -> Result<(), Failure> {
        let gateway = &mut self.gateway;
        self.wire.receive(now, |datagram| gateway.handle_datagram(now, datagram))?;
        self.gateway.handle_timeout(now);
        Ok(())
    }

    /// Sends what is due.
    pub fn send(&mut self) {
        while let Some(datagram) = self.gateway.poll_datagram() {
            self.wire.send(&datagram);
        }
    }

    /// What was counted, as lines.
    pub fn summary(&self) -> String {
        let stats: &GatewayStats = self.gateway.stats();
        let mut text = format!(
            "received {} PDUs in {} datagrams: {} late, {} our own, {} of other gateways, {} of other exercises, \
             {} entities too many\nsent {} PDUs, {} bytes; {} not taken by the system\n",
            stats.pdus,
            stats.datagrams,
            stats.late,
            stats.own,
            stats.echoes,
            stats.other_exercises,
            stats.too_many,
            stats.sent,
            stats.sent_bytes,
            self.wire.unsent,
        );
        for (name, count) in stats.unmapped() {
            let _ = writeln!(text, "not mapped: {name}, {count} times");
        }
        text
    }
}

/// Seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "the shell is where the wall clock is read")]
fn utc_secs() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}
