//! Settings of a host.

use alloc::vec::Vec;
use core::time::Duration;

use reckoning::error::SettingError;
use reckoning::fairness::{Policy, ThresholdTuner};
use reckoning::guard::GuardConfig;
use reckoning::rewind::RewindConfig;
use reckoning::{ConfigError, Model};
use reckoning_predict::Walls;

use super::sending::finest_scale;
use crate::kinds::{Kinds, PlanningAssets};
use crate::wire::{Format, MAX_DATAGRAM_BYTES, MAX_FORMAT_BYTES, MAX_TAG_BYTES};
use crate::zones::{MAX_CLASSES, ZoneConfig};

/// Longest part of a welcome that is the game's; the rest is the protocol's: clock, kinds, classes.
pub const MAX_WELCOME_BYTES: usize = MAX_TAG_BYTES - 3 - MAX_CLASSES;
/// The smallest budget of a peer: a datagram every few seconds.
const MIN_BYTES_PER_S: f64 = 100.0;
/// The smallest datagram that still carries an entry with the longest tag.
const MIN_DATAGRAM_BYTES: f64 = 400.0;

/// How the ends agree on time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClockMode {
    /// Peers estimate the host's clock and stamp by it. The default.
    #[default]
    Synchronised,
    /// No common clock: each receiver adds up the delays of the hops that an update took, each
    /// taken to be half of the round trip (THESIS 4.5.1). Less exact, nothing to estimate.
    PerHop,
}

/// Settings of a [`Host`](crate::Host). The defaults, from [`HostConfig::new`], suit a game of
/// people or cars with some hundred bodies.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HostConfig {
    /// The grid that updates are rounded to, and the models they carry. No default.
    pub format: Format,
    /// Distance classes: which entities a peer is sent, and how finely. Default:
    /// [`ZoneConfig::default`], one class for everything.
    pub zones: ZoneConfig,
    /// The kinds of bodies of the game, sent to everyone who joins. Default: none.
    pub kinds: Kinds,
    /// What the planners of kinds look at for bodies of the host itself: level, trend map, trained
    /// networks. Default: nothing.
    pub planning: PlanningAssets,
    /// Which peers are sent an update when not all are: see [`Policy`]. Peers are compared within
    /// their distance class, whose rules hold under every policy. All but [`Policy::Base`] and
    /// [`Policy::EveryKth`] keep an account for every entity and peer. Default: [`Policy::Base`].
    pub fairness: Policy,
    /// What a policy with a budget may cost in updates to peers of the nearest class, as a share of
    /// what [`Policy::Base`] would cost, 0.01 to 10: the threshold of that class is lowered until it
    /// does (never raised, and to a sixteenth at most). `None` leaves the threshold as it is.
    /// Default: 1.
    pub fairness_cost: Option<f64>,
    /// Keeps accounts under [`Policy::Base`] and [`Policy::EveryKth`] as well, for
    /// [`Host::listener_errors`](crate::Host::listener_errors). Peers of one class are then served
    /// together under [`Policy::Base`] too. Default: `false`.
    pub accounts: bool,
    /// Model by which entities of the host itself that have no kind are predicted. Default:
    /// [`Model::Linear`].
    pub model: Model,
    /// Time between two ticks, in each of which every peer is sent what it is due. Not zero.
    /// Default: 50 ms.
    pub tick: Duration,
    /// Time between two updates of the interest sets; entities that were spawned or despawned are
    /// seen in the next tick. Not zero. Default: 200 ms.
    pub zone_interval: Duration,
    /// Bytes per second that each peer is sent at most, headers of UDP and IP included. At least
    /// 100. Default: 128,000.
    pub bytes_per_s: u32,
    /// The longest datagram in bytes, 400 to [`MAX_DATAGRAM_BYTES`]. Default:
    /// [`MAX_DATAGRAM_BYTES`].
    pub max_datagram_bytes: usize,
    /// Datagrams per second accepted from one peer; more are dropped unread. At least 1.
    /// Default: 200.
    pub max_datagrams_per_s: u32,
    /// How many datagrams carry each command, 1 to 16. Default: 3.
    pub command_repeats: u8,
    /// A peer that connects has to request to join within this. Not zero. Default: 5 s.
    pub join_within: Duration,
    /// A peer from which nothing was received for this long is removed. Not zero. Default: 10 s.
    pub timeout: Duration,
    /// How long the entities of a peer that is gone wait for it to come back. Default: 30 s.
    pub grace: Duration,
    /// Peers at most, those that have not joined included. Default: 256.
    pub max_peers: usize,
    /// Entities at most. Default: 16,384.
    pub max_entities: usize,
    /// How updates of peers are judged; `None` accepts everything that is finite. Default: `None`.
    pub guard: Option<GuardConfig>,
    /// Walls that entities of peers may not pass, for the guard. Default: `None`.
    pub walls: Option<Walls>,
    /// Remembers what each peer was shown, for hit checks; `None` does not. Default: `None`.
    pub rewind: Option<RewindConfig>,
    /// How many distance classes, from the nearest on, are remembered for hit checks; bodies in
    /// the others cannot be hit. One that changes into these classes is exact a blend later.
    /// Default: 1.
    pub rewind_classes: u8,
    /// How the ends agree on time. Default: [`ClockMode::Synchronised`].
    pub clock_mode: ClockMode,
    /// The game's own bytes for everyone who joins, at most [`MAX_WELCOME_BYTES`]. Default: empty.
    pub welcome: Vec<u8>,
    /// Judges each peer by what it holds in expectation: what it acknowledged, and what is in flight
    /// by the chance that it arrives; what is given up after a round trip is held no longer. `false`
    /// takes what was sent last for held until it counts as lost, and sends it again then, as every
    /// fairness policy but [`Policy::Base`] does, and `accounts`. Default: `true`.
    pub judge_held: bool,
    /// Seed of the random choices of fairness policies. Default: 0.
    pub seed: u64,
}

impl HostConfig {
    /// Settings of a game of people or cars with twenty ticks a second and some hundred bodies, at
    /// the given format.
    #[must_use]
    pub fn new(format: Format) -> Self {
        Self {
            format,
            zones: ZoneConfig::default(),
            kinds: Kinds::default(),
            planning: PlanningAssets::default(),
            fairness: Policy::Base,
            fairness_cost: Some(1.0),
            accounts: false,
            model: Model::Linear,
            tick: Duration::from_millis(50),
            zone_interval: Duration::from_millis(200),
            bytes_per_s: 128_000,
            max_datagram_bytes: MAX_DATAGRAM_BYTES,
            max_datagrams_per_s: 200,
            command_repeats: 3,
            join_within: Duration::from_secs(5),
            timeout: Duration::from_secs(10),
            grace: Duration::from_secs(30),
            max_peers: 256,
            max_entities: 16_384,
            guard: None,
            walls: None,
            rewind: None,
            rewind_classes: 1,
            clock_mode: ClockMode::Synchronised,
            welcome: Vec::new(),
            judge_held: true,
            seed: 0,
        }
    }

    /// Whether peers of a class are served together.
    pub(crate) fn keeps_accounts(&self) -> bool {
        self.accounts || self.fairness != Policy::Base
    }

    /// Whether losses are repaired without asking what peers hold. Policies choose peers by accounts
    /// of their own.
    pub(crate) fn resends(&self) -> bool {
        !self.judge_held || self.keeps_accounts()
    }

    /// What lowers the threshold, if anything does.
    pub(crate) fn tuner(&self) -> Option<ThresholdTuner> {
        self.fairness.budget()?;
        let mut tuner = ThresholdTuner::new(self.fairness_cost?).ok()?;
        tuner.keep_above(finest_scale(&self.format, self.zones.classes.first()?));
        Some(tuner)
    }

    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        self.zones.validate()?;
        self.zones.check_showing(None)?;
        self.zones.check_thresholds(&self.format)?;
        for (_, _, kind) in self.kinds.iter() {
            kind.check_thresholds(&self.format)?;
            kind.check_heartbeats(Some(kind.zones.as_ref().unwrap_or(&self.zones)))?;
        }
        self.model.validate()?;
        self.fairness.validate()?;
        if let Some(cost) = self.fairness_cost {
            ThresholdTuner::validate(cost)?;
        }
        if let Some(guard) = &self.guard {
            guard.validate()?;
        }
        let spans = [
            ("tick", self.tick),
            ("zone_interval", self.zone_interval),
            ("join_within", self.join_within),
            ("timeout", self.timeout),
        ];
        if let Some((name, _)) = spans.into_iter().find(|(_, span)| span.is_zero()) {
            return Err(SettingError::SpanZero { name }.into());
        }
        let max = MAX_DATAGRAM_BYTES as f64;
        SettingError::in_range(
            "max_datagram_bytes",
            self.max_datagram_bytes as f64,
            MIN_DATAGRAM_BYTES,
            max,
        )?;
        SettingError::in_range(
            "bytes_per_s",
            f64::from(self.bytes_per_s),
            MIN_BYTES_PER_S,
            f64::MAX,
        )?;
        SettingError::in_range(
            "max_datagrams_per_s",
            f64::from(self.max_datagrams_per_s),
            1.0,
            f64::MAX,
        )?;
        SettingError::in_range("command_repeats", f64::from(self.command_repeats), 1.0, 16.0)?;
        SettingError::in_range(
            "welcome bytes",
            self.welcome.len() as f64,
            0.0,
            MAX_WELCOME_BYTES as f64,
        )?;
        let format = self.format.to_bytes().len() as f64;
        SettingError::in_range("format bytes", format, 0.0, MAX_FORMAT_BYTES as f64)?;
        Ok(())
    }
}
