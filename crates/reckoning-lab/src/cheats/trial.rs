//! Publisher, link and guard in one loop.

use std::time::Duration;

use reckoning::Terrain;
use reckoning::guard::{Envelope, GuardConfig, GuardStats, MotionTest, Offence, Verdict};
use reckoning::{
    Curve, CurveBasis, Guard, Kinematics, Model, Publisher, PublisherConfig, SimTime, Threshold,
    Update,
};
use reckoning_netsim::{Jitter, Link, LinkConfig, Loss};
use reckoning_predict::Walls;

use super::play::{Piece, PlayerPieces};

/// Clients look at their bodies this often.
pub(super) const TICK_S: f64 = 1.0 / 60.0;
/// Of an update on the wire; the link has no bottleneck, so it does not matter.
const SIZE_BYTES: u32 = 16;

/// A link between client and host.
#[derive(Clone, Copy)]
pub(super) struct Path {
    pub(super) name: &'static str,
    delay: Duration,
    jitter: Duration,
    loss: f64,
    burst: f64,
}

/// The links of honest play; cheats use the first.
pub(super) const PATHS: [Path; 2] = [
    Path {
        name: "50 ms",
        delay: Duration::from_millis(50),
        jitter: Duration::from_millis(10),
        loss: 0.05,
        burst: 2.0,
    },
    Path {
        name: "150 ms",
        delay: Duration::from_millis(150),
        jitter: Duration::from_millis(30),
        loss: 0.1,
        burst: 4.0,
    },
];

/// Models that honest players publish with; cheats use the first.
pub(super) fn publishers() -> [(&'static str, Model); 4] {
    let fade = Duration::from_millis(700);
    [
        ("linear", Model::Linear),
        ("damped", Model::Damped { fade }),
        ("accelerating", Model::Accelerating { trust: Duration::from_millis(300) }),
        ("curve", Model::Curve(Curve::still(CurveBasis::FOUR))),
    ]
}

/// What a trial runs with.
#[derive(Clone, Copy)]
pub(super) struct TrialSetting<'a> {
    pub(super) model: Model,
    pub(super) path: Path,
    pub(super) motion: Option<&'static MotionTest>,
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
    /// Accepted, but shown otherwise.
    pub(super) restrained: u64,
    /// Without duplicates and overtaken ones, which links make.
    pub(super) rejected: u64,
    pub(super) disconnected: u64,
}

fn publisher_config(body_width: f64, model: Model) -> PublisherConfig {
    let mut config = PublisherConfig::default();
    config.threshold = Threshold::metres(0.5 * body_width).unwrap_or(Threshold::QUARTER_METRE);
    config.angle_threshold = None;
    config.heartbeat = Duration::from_millis(200);
    config.min_interval = Duration::from_millis(33);
    config.model = model;
    config
}

fn link(path: &Path, seed: u64) -> Option<Link<Update>> {
    let mut config = LinkConfig::default();
    config.delay = path.delay;
    config.jitter = Jitter::Pareto { mean: path.jitter, shape: 2.5 };
    config.loss = Loss::bursts(path.loss, path.burst);
    config.duplicate = 0.01;
    config.seed = seed;
    Link::new(config).ok()
}

fn guard(setting: &TrialSetting<'_>, start: &Kinematics) -> Option<Guard> {
    let mut config = GuardConfig::new(setting.envelope, 0.5 * setting.body_width);
    config.motion = setting.motion;
    let mut guard = Guard::start(config, start).ok()?;
    // As a host measures it: there and back, and four deviations.
    guard.set_round_trip(setting.path.delay * 2 + setting.path.jitter * 4);
    Some(guard)
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
    player.pieces.iter().map(|piece| published(honest(piece), body_width)).collect()
}

/// What a publisher makes of what a client shows it.
pub(super) fn published(
    shown: impl Iterator<Item = ClaimedState>,
    body_width: f64,
) -> Vec<Kinematics> {
    let mut shown = shown.peekable();
    let config = publisher_config(body_width, Model::Linear);
    let start = shown.peek().map(|first| first.state);
    let Some(Ok((mut publisher, first))) = start.map(|start| Publisher::start(config, &start))
    else {
        return Vec::new();
    };
    let more = shown.filter_map(|shown| publisher.observe(&shown.state));
    std::iter::once(first).chain(more).map(|update| *update.kinematics()).collect()
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
    let config = publisher_config(setting.body_width, setting.model);
    let (mut publisher, _) = Publisher::start(config, &start).ok()?;
    let mut link = link(&setting.path, seed)?;
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
        total.restrained += stats.restrained;
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
        if !by_link && after_s >= 0.0 && caught.is_none() {
            caught = Some(after_s);
        }
    });
    caught
}
