//! A fair fight of planners in the arena: the table `testdata/fair-fight.txt`.
//!
//! The arena's own host and a session that watches everyone play over simulated links, in virtual
//! time. Planners meet the same bots with the same settings; what differs is how the host foresees
//! them. They are chosen by name, not by result: see [`PLANNERS`] and [`LINKS`].

use std::fmt::Write;

use reckoning_arena::TICKS_PER_S;
use reckoning_arena::host::MotionStyle;
use reckoning_arena::protocol::{LinkChoice, ModelChoice, ServerTuning};

use crate::arena_play::{ArenaPlay, ArenaPlayError, PlaySettings};

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

/// What a watcher saw of one planner over one link.
#[derive(Clone, Debug, Default)]
struct Seen {
    errors_px: Vec<f64>,
    updates: u64,
    bytes: u64,
    seconds: f64,
}

/// One planner over one link.
struct Fight(ArenaPlay);

impl Fight {
    fn new(planner: ModelChoice, link: LinkChoice, seed: u64) -> Result<Self, ArenaPlayError> {
        let tuning = ServerTuning { model: planner, ..ServerTuning::default() };
        let style = MotionStyle::default();
        let (snapshots, trends) = (false, true);
        let settings = PlaySettings { bots: BOTS, seed, tuning, style, link, snapshots, trends };
        Ok(Self(ArenaPlay::new(&settings)?))
    }

    /// Notes how far from the truth every bot is shown.
    fn look(&self, seen: &mut Seen) {
        let Some(at) = self.0.watcher.timeline_at(self.0.now) else { return };
        let world = self.0.arena.world();
        let settled = BORN_S * u64::from(TICKS_PER_S);
        for bot in world.players().iter().filter(|it| it.is_alive) {
            if world.tick() < bot.since_tick + settled {
                continue;
            }
            let Some(entity) = self.0.arena.entity_of(bot.id) else { continue };
            if let Some((_, remote)) = self.0.watcher.ghosts().find(|it| it.0 == entity) {
                seen.errors_px.push(remote.ghost().position_at(at).distance(bot.position));
            }
        }
    }

    fn run(mut self, seen: &mut Seen) {
        for _ in 0..SETTLES_S * u64::from(TICKS_PER_S) {
            self.0.frame();
        }
        let before = *self.0.watcher.stats();
        for _ in 0..SECONDS * u64::from(TICKS_PER_S) {
            self.0.frame();
            self.look(seen);
        }
        let after = self.0.watcher.stats();
        seen.updates += after.updates_in - before.updates_in;
        seen.bytes += after.bytes_in - before.bytes_in;
        seen.bytes -= after.carried_bytes_in - before.carried_bytes_in;
        seen.seconds += SECONDS as f64;
    }
}

const HEAD: &str = "\
# A fair fight of planners in the arena. Made by `cargo xtask tables`; a test compares it. Do not edit.
#
# Twelve bots play on the proving grounds, and a session watches all of them over a simulated link.
# Each planner meets the same four games of a minute: the same bots, the arena's own settings (lines, an
# update once the guess is off by 4 px, judged 200 ms ahead, heartbeats of 0.5 s, close blends), the same
# link with the same dice. Only how the host foresees its bots differs.
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
pub fn fair_fight_table() -> Result<String, ArenaPlayError> {
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
