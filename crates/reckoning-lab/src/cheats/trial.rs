//! Publisher, link and guard in one loop.

use std::time::Duration;

use reckoning::Terrain;
use reckoning::guard::{Envelope, GuardConfig, GuardStats, Offence, Verdict};
use reckoning::{Guard, Kinematics, Model, Publisher, PublisherConfig, SimTime, Threshold, Update};
use reckoning_predict::Walls;

use super::inject::LASTS_S;
use super::play::{Piece, PlayerPieces};
use reckoning_netsim::{Jitter, Link, LinkConfig, Loss};

/// Clients look at their bodies this often.
pub(super) const TICK_S: f64 = 1.0 / 60.0;
/// Of an update on the wire; the link has no bottleneck, so it does not matter.
const SIZE_BYTES: u32 = 16;

/// What a trial runs with.
pub(super) struct TrialSetting<'a> {
    pub(super) envelope: Envelope,
    pub(super) walls: Option<&'a Walls>,
    pub(super) body_width: f64,
    pub(super) seed: u64,
}

/// What a client shows its publisher in one tick.
#[derive(Clone, Copy)]
pub(super) struct ClaimedState {
    /// The host's time at which it does.
    pub(super) sent: SimTime,
    /// When it lets the update go, if there is one.
    pub(super) released: SimTime,
    /// What it claims.
    pub(super) state: Kinematics,
}

/// A cheated piece of play.
pub(super) struct CheatCourse {
    pub(super) shown: Vec<ClaimedState>,
    /// When the cheat begins.
    pub(super) begins: SimTime,
}

/// What the guard said of honest play.
#[derive(Clone, Copy, Default)]
pub(super) struct HonestRun {
    pub(super) hours: f64,
    pub(super) judged: u64,
    pub(super) corrected: u64,
    /// Without duplicates and overtaken ones, which links make.
    pub(super) rejected: u64,
    pub(super) disconnected: u64,
}

fn publisher_config(body_width: f64) -> PublisherConfig {
    let mut config = PublisherConfig::default();
    config.threshold = Threshold::metres(0.5 * body_width).unwrap_or(Threshold::QUARTER_METRE);
    config.angle_threshold = None;
    config.heartbeat = Duration::from_millis(200);
    config.min_interval = Duration::from_millis(33);
    config.model = Model::Linear;
    config
}

fn link(seed: u64) -> Option<Link<Update>> {
    let mut config = LinkConfig::default();
    config.delay = Duration::from_millis(50);
    config.jitter = Jitter::Pareto { mean: Duration::from_millis(10), shape: 2.5 };
    config.loss = Loss::bursts(0.05, 2.0);
    config.duplicate = 0.01;
    config.seed = seed;
    Link::new(config).ok()
}

fn guard(setting: &TrialSetting<'_>, start: &Kinematics) -> Option<Guard> {
    let config = GuardConfig::new(setting.envelope, 0.5 * setting.body_width);
    Guard::start(config, start).ok()
}

/// What an honest client shows in a piece.
fn honest(piece: &Piece) -> impl Iterator<Item = ClaimedState> {
    let ticks = (piece.length_s() / TICK_S) as i64;
    (0..ticks).map(|tick| {
        let state = piece.at(tick as f64 * TICK_S);
        ClaimedState { sent: state.at, released: state.at, state }
    })
}

/// The updates of every piece, as their publisher made them.
pub(super) fn exported(player: &PlayerPieces, body_width: f64) -> Vec<Vec<Kinematics>> {
    let updates = |piece: &Piece| {
        let config = publisher_config(body_width);
        let Ok((mut publisher, first)) = Publisher::start(config, &piece.at(0.0)) else {
            return Vec::new();
        };
        let more = honest(piece).filter_map(|shown| publisher.observe(&shown.state));
        std::iter::once(first).chain(more).map(|update| *update.kinematics()).collect()
    };
    player.pieces.iter().map(updates).collect()
}

/// Runs one piece of play and hands every verdict to `said`.
fn run(
    shown: impl Iterator<Item = ClaimedState>,
    setting: &TrialSetting<'_>,
    seed: u64,
    mut said: impl FnMut(&mut Guard, Verdict, SimTime),
) -> Option<GuardStats> {
    let mut shown = shown.peekable();
    let start = shown.peek()?.state;
    let mut guard = guard(setting, &start)?;
    let (mut publisher, _) = Publisher::start(publisher_config(setting.body_width), &start).ok()?;
    let mut link = link(seed)?;
    let mut held: Vec<(SimTime, Update)> = Vec::new();
    for tick in shown {
        let update = publisher.observe(&tick.state);
        held.extend(update.map(|update| (tick.released, update)));
        let (go, stay) = held.into_iter().partition(|(released, _)| *released <= tick.sent);
        held = stay;
        for (_, update) in go {
            link.send(tick.sent, SIZE_BYTES, update);
        }
        while let Some((now, update)) = link.poll(tick.sent) {
            let verdict =
                guard.judge(&update, setting.walls.map(|walls| walls as &dyn Terrain), now);
            said(&mut guard, verdict, now);
        }
    }
    Some(*guard.stats())
}

/// An honest player's whole session. After a correction host and client go on from the
/// recorded place, as if the client had been brought there.
pub(super) fn honest_run(player: &PlayerPieces, setting: &TrialSetting<'_>) -> HonestRun {
    let mut total = HonestRun::default();
    for (place, piece) in (0..).zip(&player.pieces) {
        total.hours += piece.length_s() / 3_600.0;
        let start = piece.start();
        let stats = run(honest(piece), setting, setting.seed + place, |guard, verdict, now| {
            if let Verdict::Correct(_) | Verdict::Disconnect(_) = verdict {
                guard.put(&piece.at(now.secs_since(start)), now);
            }
        });
        let Some(stats) = stats else { continue };
        total.judged += stats.judged;
        total.corrected += stats.corrected;
        let by_link = stats.of(Offence::NotNewer) + stats.of(Offence::Disobeyed);
        total.rejected += stats.rejected.saturating_sub(by_link);
        total.disconnected += stats.disconnected;
    }
    total
}

/// How long after its beginning a cheat got a verdict other than acceptance.
pub(super) fn caught_after(course: &CheatCourse, setting: &TrialSetting<'_>) -> Option<f64> {
    let mut caught = None;
    run(course.shown.iter().copied(), setting, setting.seed, |_, verdict, now| {
        let by_link = matches!(verdict, Verdict::Accept | Verdict::Reject(Offence::NotNewer));
        let after_s = now.secs_since(course.begins);
        if !by_link && (0.0..=LASTS_S).contains(&after_s) && caught.is_none() {
            caught = Some(after_s);
        }
    });
    caught
}
