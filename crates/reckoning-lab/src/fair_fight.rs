//! A fair fight of planners in the arena: the table `testdata/fair-fight.txt`.
//!
//! The arena's own host and a session that watches everyone play over simulated links, in virtual
//! time. Planners meet the same bots with the same settings; what differs is how the host foresees
//! them. They are chosen by name, not by result: see [`PLANNERS`] and [`LINKS`].

use std::fmt;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use reckoning::{ConfigError, Quantiser, SimTime};
use reckoning_arena::host::{
    ArenaHost, ArenaHostConfig, ArenaHostError, TRAINED_ON, host_config, session_config, trained,
    with_learned,
};
use reckoning_arena::planning::trend_map;
use reckoning_arena::protocol::{ClientMessage, LinkChoice, ModelChoice, ServerTuning};
use reckoning_arena::{Level, TICKS_PER_S};
use reckoning_net::{Delivery, Format, Host, HostConfig, HostEvent, PeerId, Session, SessionEvent};
use reckoning_netsim::{Jitter, Link, LinkConfig, LinkError, Loss};

/// Constant velocity; SHI's last word, which knows friends, enemies and walls; the trained network.
pub const PLANNERS: [ModelChoice; 3] =
    [ModelChoice::Linear, ModelChoice::OaekbHybrid, ModelChoice::Learned];

/// A link by the name that the page gives it.
type NamedLink = (&'static str, LinkChoice);

/// The best, the middle and the worst link of the page.
pub const LINKS: [NamedLink; 3] = [
    ("LAN", LinkChoice::NONE),
    ("mobile", LinkChoice { delay_ms: 150, jitter_ms: 40, loss_percent: 3, burst: 2 }),
    ("awful", LinkChoice { delay_ms: 350, jitter_ms: 120, loss_percent: 12, burst: 4 }),
];

const BOTS: u16 = 12;
const SECONDS: u64 = 60;
const SEEDS: [u64; 4] = [1, 2, 3, 4];
/// Clocks and links settle first.
const SETTLES_S: u64 = 5;
/// Who was just born is not judged: nobody can know of it before its message arrives.
const BORN_S: u64 = 1;
const STEP: Duration = Duration::from_micros(16_667);
const WATCHER: PeerId = PeerId(1);
/// Of UDP and IP.
const HEADERS: u32 = 28;

/// Why there is no table.
#[derive(Debug)]
pub enum FightError {
    /// The level or its settings.
    Arena(ArenaHostError),
    /// A setting of the host or of the watcher.
    Config(ConfigError),
    /// A link.
    Link(LinkError),
    /// What the arena should bring along is not there.
    Missing(&'static str),
}

impl fmt::Display for FightError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arena(error) => error.fmt(f),
            Self::Config(error) => error.fmt(f),
            Self::Link(error) => error.fmt(f),
            Self::Missing(what) => write!(f, "the arena has no {what}; build it with one"),
        }
    }
}

impl std::error::Error for FightError {}

impl From<ArenaHostError> for FightError {
    fn from(error: ArenaHostError) -> Self {
        Self::Arena(error)
    }
}

impl From<ConfigError> for FightError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<LinkError> for FightError {
    fn from(error: LinkError) -> Self {
        Self::Link(error)
    }
}

/// What a watcher saw of one planner over one link.
#[derive(Clone, Debug, Default)]
struct Seen {
    errors_px: Vec<f64>,
    updates: u64,
    bytes: u64,
    seconds: f64,
}

/// The arena's host and a watcher behind a link.
struct Fight {
    host: Host,
    arena: ArenaHost,
    watcher: Session,
    up: Link<Vec<u8>>,
    down: Link<Vec<u8>>,
    now: SimTime,
}

impl Fight {
    fn new(planner: ModelChoice, choice: LinkChoice, seed: u64) -> Result<Self, FightError> {
        let level = Level::built_in(TRAINED_ON).map_err(|_| FightError::Missing("level"))?;
        let network = trained().ok_or(FightError::Missing("trained network"))?;
        let config = with_learned(host_config(HostConfig::new(any_format()?), &level)?, &network)?;
        let mut host = Host::new(config)?;
        let tuning = ServerTuning { model: planner, ..ServerTuning::default() };
        let mut settings = ArenaHostConfig::default();
        (settings.bots, settings.seed, settings.demo) = (BOTS, seed, true);
        (settings.tuning, settings.learned) = (tuning, Some(Arc::new(network)));
        settings.trends = trend_map(&level).map(Arc::new);
        let arena = ArenaHost::new(level, &settings);
        arena.apply_tuning(SimTime::ZERO, &mut host);
        host.connect(SimTime::ZERO, WATCHER);
        let watcher = Session::new(session_config())?;
        let [up, down] = [2 * seed, 2 * seed + 1].map(|seed| Link::new(link(choice, seed)));
        Ok(Self { host, arena, watcher, up: up?, down: down?, now: SimTime::ZERO })
    }

    fn frame(&mut self) {
        self.now += STEP;
        let now = self.now;
        let mut buffer = [0; 1_000];
        while let Some((at, bytes)) = self.up.poll(now) {
            self.host.handle_datagram(at, WATCHER, &bytes);
        }
        self.arena.tick(now, &mut self.host);
        self.host.handle_timeout(now);
        self.tell();
        while let Some((_, length)) = self.host.poll_datagram(now, &mut buffer) {
            self.down.send(now, length as u32 + HEADERS, buffer[..length].to_vec());
        }
        while let Some((at, bytes)) = self.down.poll(now) {
            self.watcher.handle_datagram(at, &bytes);
        }
        self.watcher.handle_timeout(now);
        while let Some(event) = self.watcher.poll_event() {
            if matches!(event, SessionEvent::Joined { .. }) {
                let hello = ClientMessage::Hello { name: "watcher".into(), watch: true };
                let _ = self.watcher.send(&hello.encode(), Delivery::Reliable);
            }
        }
        while let Some(length) = self.watcher.poll_datagram(now, &mut buffer) {
            self.up.send(now, length as u32 + HEADERS, buffer[..length].to_vec());
        }
        while self.arena.poll_request().is_some() {}
    }

    fn tell(&mut self) {
        while let Some(event) = self.host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                self.host.admit(self.now, peer);
            }
            self.arena.handle_event(self.now, &event, &mut self.host);
        }
    }

    /// Notes how far from the truth every bot is shown.
    fn look(&self, seen: &mut Seen) {
        let Some(at) = self.watcher.timeline_at(self.now) else { return };
        let world = self.arena.world();
        let settled = BORN_S * u64::from(TICKS_PER_S);
        for bot in world.players().iter().filter(|it| it.is_alive) {
            if world.tick() < bot.since_tick + settled {
                continue;
            }
            let Some(entity) = self.arena.entity_of(bot.id) else { continue };
            if let Some((_, remote)) = self.watcher.ghosts().find(|it| it.0 == entity) {
                seen.errors_px.push(remote.ghost().position_at(at).distance(bot.position));
            }
        }
    }

    fn run(mut self, seen: &mut Seen) {
        for _ in 0..SETTLES_S * u64::from(TICKS_PER_S) {
            self.frame();
        }
        let before = *self.watcher.stats();
        for _ in 0..SECONDS * u64::from(TICKS_PER_S) {
            self.frame();
            self.look(seen);
        }
        let after = self.watcher.stats();
        seen.updates += after.updates_in - before.updates_in;
        seen.bytes += after.bytes_in - before.bytes_in;
        seen.bytes -= after.carried_bytes_in - before.carried_bytes_in;
        seen.seconds += SECONDS as f64;
    }
}

/// The arena chooses its own; this is only there to begin with.
fn any_format() -> Result<Format, FightError> {
    let steps = Quantiser {
        position_m: 1.0,
        velocity_mps: 1.0,
        acceleration_mps2: 1.0,
        angular_velocity_radps: 1.0,
        orientation: 0.1,
    };
    let format = Format::new(true, 1_000, steps, &[], reckoning_net::Registry::default());
    format.map_err(|error| FightError::Arena(error.into()))
}

/// As the server simulates it.
fn link(choice: LinkChoice, seed: u64) -> LinkConfig {
    let mut link = LinkConfig::default();
    link.delay = Duration::from_millis(choice.delay_ms.into());
    if choice.jitter_ms > 0 {
        link.jitter = Jitter::Normal { deviation: Duration::from_millis(choice.jitter_ms.into()) };
    }
    let share = f64::from(choice.loss_percent) / 100.0;
    link.loss = if choice.burst > 1 && share > 0.0 {
        Loss::bursts(share, choice.burst.into())
    } else {
        Loss::Independent { share }
    };
    link.seed = seed;
    link
}

const HEAD: &str = "\
# A fair fight of planners in the arena. Made by `cargo xtask tables`; a test compares it. Do not edit.
#
# Twelve bots play on the proving grounds, and a session watches all of them over a simulated link.
# Each planner meets the same four games of a minute: the same bots, the arena's own settings (an update
# once the guess is off by 4 px, heartbeats of 0.5 s, blends of 0.2 s), the same link with the same
# dice. Only how the host foresees its bots differs.
#
# The rule, by name and not by result: constant velocity; the last scheme of SHI, which goes by
# friends, enemies and walls; the trained network that comes with the arena. The best link of the
# page, the middle and the worst.
#
# error, p95   distance between the truth and what is shown, in pixels, in every frame, of bots that
#              live for a second and more; a body is 40 px wide and runs 440 px/s
# updates/s    those that arrived, for each bot
# bytes/s      of the protocol's datagrams that arrived, for all bots together
# x error, x updates  the same as a share of what constant velocity has on that link
#
# Links, one way each: LAN delays nothing; mobile 150 ms, deviation 40 ms, 3 % lost in runs of 2;
# awful 350 ms, deviation 120 ms, 12 % lost in runs of 4.

link    planner           error     p95   updates/s   bytes/s   x error   x updates
";

/// The table.
///
/// # Errors
/// When the arena lacks what should come with it, or a setting is refused.
pub fn fair_fight_table() -> Result<String, FightError> {
    let mut table = HEAD.to_string();
    for (name, choice) in LINKS {
        let mut linear = None;
        for planner in PLANNERS {
            let mut seen = Seen::default();
            for seed in SEEDS {
                Fight::new(planner, choice, seed)?.run(&mut seen);
            }
            let row = Row::of(seen);
            let beside = *linear.get_or_insert(row);
            let (error, updates) =
                (row.error_px / beside.error_px, row.updates_per_s / beside.updates_per_s);
            let Row { error_px, p95_px, updates_per_s, bytes_per_s } = row;
            let planner = planner.name();
            let _ = writeln!(
                table,
                "{name:<7} {planner:<15} {error_px:>7.1} {p95_px:>7.1} {updates_per_s:>11.2} \
                 {bytes_per_s:>9.0} {error:>9.2} {updates:>11.2}"
            );
        }
    }
    Ok(table)
}

#[derive(Clone, Copy)]
struct Row {
    error_px: f64,
    p95_px: f64,
    updates_per_s: f64,
    bytes_per_s: f64,
}

impl Row {
    fn of(mut seen: Seen) -> Self {
        seen.errors_px.sort_by(f64::total_cmp);
        let count = seen.errors_px.len();
        let p95 = seen.errors_px.get(count * 95 / 100).copied().unwrap_or(0.0);
        Self {
            error_px: seen.errors_px.iter().sum::<f64>() / count.max(1) as f64,
            p95_px: p95,
            updates_per_s: seen.updates as f64 / seen.seconds / f64::from(BOTS),
            bytes_per_s: seen.bytes as f64 / seen.seconds,
        }
    }
}
