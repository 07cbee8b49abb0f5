//! A measurement of shown errors over real sockets with delays, and its twin in virtual time.
//!
//! ```text
//! Track -> Game -> server === road === client    shown against the track at the same moment
//!   '----> Host --------- queue ------ Session   the same without sockets, clocks or threads
//! ```
//!
//! The host owns one tank, which stands until everyone has joined, as in THESIS, where all
//! receivers are there from the start.
#![allow(dead_code, reason = "the tests and the example use their shares")]

pub mod drive;
pub mod real;
pub mod relay;
pub mod tables;
pub mod twin;

use std::num::NonZeroU32;
use std::time::Duration;

use reckoning::fairness::{Budget, Leftover, Policy, Weights};
use reckoning::{Blend, GhostConfig, Model, PublisherConfig, Quantiser, Timing};
use reckoning_net::{Format, HostConfig, Registry, SessionConfig};
use reckoning_server::Settings;

use drive::Drive;

/// Truths a second, as in THESIS.
const TICK_HZ: u32 = 60;

/// One receiver.
#[derive(Clone, Copy, Debug)]
pub struct Listener {
    pub delay_ms: u64,
    pub jitter_ms: u64,
    pub timing: Timing,
}

impl Listener {
    pub const fn at(delay_ms: u64) -> Self {
        Self { delay_ms, jitter_ms: 0, timing: Timing::Synchronised }
    }

    /// What naive clients do: an update speaks of the moment it arrives.
    pub const fn naive(delay_ms: u64) -> Self {
        let timing = Timing::OnArrival { delay: Duration::ZERO };
        Self { timing, ..Self::at(delay_ms) }
    }

    /// Nothing is smoothed, as in the document, and nothing is given up between two updates.
    pub fn session(&self) -> SessionConfig {
        let mut ghost = GhostConfig::default();
        ghost.blend = Blend::Snap;
        ghost.max_extrapolation = Duration::from_secs(20);
        ghost.timing = self.timing;
        let mut session = SessionConfig::default();
        session.ghost = ghost;
        session
    }
}

/// One tank and those who watch it.
#[derive(Clone, Debug)]
pub struct Scene {
    pub name: String,
    pub drive: Drive,
    pub seed: u64,
    pub seconds: u32,
    pub model: Model,
    pub policy: Policy,
    pub listeners: Vec<Listener>,
}

impl Scene {
    /// Figure 2.2 of THESIS: with and without a common clock, at each delay. BZFlag reckons
    /// circles as circles.
    pub fn clocks(drive: Drive, seconds: u32) -> Self {
        let listeners = [100, 300, 800];
        let listeners = listeners.map(|ms| [Listener::naive(ms), Listener::at(ms)]);
        Self {
            name: drive.name().to_owned(),
            drive,
            seed: 1,
            seconds,
            model: Model::Arc,
            policy: Policy::Base,
            listeners: listeners.concat(),
        }
    }

    /// Chapter 3 of THESIS: three receivers and a policy.
    pub fn fairness(name: &str, policy: Policy, seconds: u32, seed: u64) -> Self {
        Self {
            name: name.to_owned(),
            drive: Drive::Random,
            seed,
            seconds,
            model: Model::Linear,
            policy,
            listeners: [200, 500, 800].map(Listener::at).to_vec(),
        }
    }

    pub fn settings() -> Settings {
        let text = format!(
            "listen = '127.0.0.1:0'\nlog = 'error'\ntick_hz = {TICK_HZ}\n\
             [replication]\nrounds_hz = {TICK_HZ}\npeer_timeout_s = 20\n\
             [limits]\nhandshake_timeout_s = 30\njoin_timeout_s = 30\n\
             [shutdown]\nfarewell_s = 0\n"
        );
        Settings::from_toml(&text).unwrap()
    }

    /// The host of the document: one threshold for everyone, and a time threshold.
    pub fn host(&self) -> HostConfig {
        let mut host = reckoning_server::host_config(&Self::settings());
        let steps = Quantiser { angular_velocity_radps: 0.001, ..*host.format.quantiser() };
        let models = [Model::Linear, Model::Arc, Model::Hold];
        host.format = Format::new(false, 1_000, steps, &models, Registry::default()).unwrap();
        (host.model, host.fairness, host.seed) = (self.model, self.policy, self.seed);
        host.fairness_cost = None; // the same threshold for all
        let class = &mut host.zones.classes[0];
        class.angle_threshold = None;
        class.heartbeat = PublisherConfig::default().heartbeat;
        host
    }
}

pub const THIRD: &str = "1/3 base";
/// Three quarters of the claim by the error, one by the time since the last send: what is meant by
/// "deterministic" where no weights are named.
pub const MIXED: &str = "deterministic";

/// The policies of the chapter, each within the packets of the 1/3 base case where it has a
/// budget: every receiver at one trigger in three.
pub fn policies() -> Vec<(&'static str, Policy)> {
    let horizon = PublisherConfig::default().heartbeat;
    let scheduled = |leftover| Policy::Scheduled { leftover, horizon };
    let (budget, weights) = (Budget::THIRD, Weights::ACCUMULATED);
    vec![
        ("base", Policy::Base),
        ("scheduling #1", scheduled(Leftover::Dropped)),
        ("scheduling #2", scheduled(Leftover::Flushed)),
        (THIRD, Policy::EveryKth { k: NonZeroU32::new(3).unwrap() }),
        ("probabilistic", Policy::Probabilistic { budget, weights }),
        ("deterministic, accumulated", Policy::Deterministic { budget, weights }),
        (MIXED, Policy::Deterministic { budget, weights: Weights::default() }),
    ]
}

/// The scenes of some policies, once for each seed; those of a policy stand together.
pub fn fairness_scenes(names: &[&str], seconds: u32, seeds: u64) -> Vec<Scene> {
    let wanted = policies().into_iter().filter(|(name, _)| names.contains(name));
    let each =
        |(name, policy)| (1..=seeds).map(move |seed| Scene::fairness(name, policy, seconds, seed));
    wanted.flat_map(each).collect()
}

/// A receiver's error, accumulated.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    error_ms: f64,
    seconds: f64,
    max_m: f64,
    last_s: f64,
}

impl Tally {
    /// It was this far off at this moment of the drive; it counts from the look before.
    pub fn look(&mut self, at_s: f64, error_m: f64) {
        let passed_s = at_s - self.last_s;
        self.last_s = at_s;
        self.error_ms += error_m * passed_s;
        self.seconds += passed_s;
        self.max_m = self.max_m.max(error_m);
    }

    pub fn mean_m(&self) -> f64 {
        self.error_ms / self.seconds
    }
}

/// What one scene came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub errors_m: Vec<f64>,
    /// Updates sent during the drive.
    pub updates: u64,
    /// Datagrams of the host that it took for lost.
    pub lost: u64,
    /// The largest error of a client's idea of the host's time.
    pub clock_error_ms: f64,
}

impl Outcome {
    pub fn mean_m(&self) -> f64 {
        self.errors_m.iter().sum::<f64>() / self.errors_m.len() as f64
    }

    /// Among receivers.
    pub fn deviation_m(&self) -> f64 {
        let mean_m = self.mean_m();
        let squares = self.errors_m.iter().map(|error_m| (error_m - mean_m).powi(2));
        (squares.sum::<f64>() / self.errors_m.len() as f64).sqrt()
    }
}

impl Outcome {
    /// Several drives as one: their errors averaged for each receiver, everything else added.
    pub fn pooled(drives: &[Self]) -> Self {
        let mean = |who: usize| drives.iter().map(|it| it.errors_m[who]).sum::<f64>();
        let count = drives.len() as f64;
        Self {
            errors_m: (0..drives[0].errors_m.len()).map(|who| mean(who) / count).collect(),
            updates: drives.iter().map(|it| it.updates).sum(),
            lost: drives.iter().map(|it| it.lost).sum(),
            clock_error_ms: drives.iter().map(|it| it.clock_error_ms).fold(0.0, f64::max),
        }
    }

    /// One for each policy, from the outcomes of [`fairness_scenes`].
    pub fn pooled_by(seeds: usize, all: &[Self]) -> Vec<Self> {
        all.chunks(seeds).map(Self::pooled).collect()
    }
}
