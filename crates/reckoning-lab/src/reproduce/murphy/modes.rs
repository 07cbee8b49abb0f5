//! MURPHY on other modes: along a known path, and late on purpose (18.8).

use std::time::Duration;

use reckoning::{
    Blend, DVec3, DelayedConfig, DelayedGhost, Kinematics, Model, Publisher, PublisherConfig,
    Update, UpdateKind,
};

use super::MOTIONS;
use super::follow::{ACCELERATING, follow};
use crate::reproduce::{Effort, Finding, ReportTable};
use crate::{Motion, TICK_HZ};

const UPDATES_PER_S: u32 = 5;
/// One and a half gaps.
const LATE_TICKS: usize = 18;

/// One motion in both modes.
struct ModeRow {
    motion: Motion,
    /// Updates a second: free, by the better of two models, and along the path.
    free_per_s: f64,
    path_per_s: f64,
    /// The same by the better of the two models.
    accelerating_per_s: f64,
    /// Mean error in metres, live and late.
    live_m: f64,
    delayed_m: f64,
}

/// Runs every motion.
pub(super) fn run(effort: Effort) -> (Vec<Finding>, ReportTable) {
    let ticks = effort.seconds.min(120) * TICK_HZ;
    let motions = std::iter::once(Motion::Straight).chain(MOTIONS);
    let rows: Vec<ModeRow> = motions.map(|motion| row(motion, &motion.track(ticks))).collect();
    let findings = vec![
        path("path", &rows, |row| row.path_per_s),
        path("path with acceleration", &rows, |row| row.accelerating_per_s),
        delayed(&rows),
    ];
    (findings, table(&rows))
}

fn row(motion: Motion, track: &[Kinematics]) -> ModeRow {
    let progress = along(track);
    let better = |track: &[Kinematics]| {
        let both = [Model::Linear, ACCELERATING].map(|model| updates_per_s(track, model));
        both[0].min(both[1])
    };
    ModeRow {
        motion,
        free_per_s: better(track),
        path_per_s: updates_per_s(&progress, Model::Linear),
        accelerating_per_s: better(&progress),
        live_m: follow(track, track, ACCELERATING, Blend::ProjectiveVelocity, UPDATES_PER_S).mean_m,
        delayed_m: delayed_m(track),
    }
}

fn updates_per_s(track: &[Kinematics], model: Model) -> f64 {
    let mut config = PublisherConfig::default();
    config.model = model;
    config.angle_threshold = None;
    config.heartbeat = Duration::from_secs(10);
    let started = Publisher::start(config, &track[0]);
    let (mut publisher, _) = started.expect("the settings are sound");
    let sent = track[1..].iter().filter(|truth| publisher.observe(truth).is_some()).count();
    sent as f64 * f64::from(TICK_HZ) / track.len() as f64
}

/// How far along its own path a body is, as a motion on a line: whoever knows the path needs no
/// more, and is off by at most as much as the progress is.
fn along(track: &[Kinematics]) -> Vec<Kinematics> {
    let mut progress_m = 0.0;
    let mut last = track[0].position;
    let step = |truth: &Kinematics| {
        progress_m += truth.position.distance(last);
        last = truth.position;
        let speed_mps = truth.velocity.length();
        let faster_mps2 = truth.acceleration.dot(truth.velocity.normalize_or_zero());
        Kinematics {
            acceleration: DVec3::X * faster_mps2,
            ..Kinematics::moving(truth.at, DVec3::X * progress_m, DVec3::X * speed_mps)
        }
    };
    track.iter().map(step).collect()
}

/// The mean distance of a delayed ghost from the truth of the moment it shows.
fn delayed_m(track: &[Kinematics]) -> f64 {
    let late = Duration::from_secs(1) * LATE_TICKS as u32 / TICK_HZ;
    let mut config = DelayedConfig::default();
    (config.min_delay, config.max_delay) = (late, late);
    let update = |tick: usize| {
        let update = Update::new(track[tick], ACCELERATING, UpdateKind::Partial);
        update.expect("motions are finite")
    };
    let started = DelayedGhost::with_config(config, update(0), track[0].at);
    let mut ghost = started.expect("the settings are sound");
    let mut sum_m = 0.0;
    for (tick, truth) in track.iter().enumerate() {
        if tick > 0 && tick.is_multiple_of((TICK_HZ / UPDATES_PER_S) as usize) {
            ghost.accept(update(tick), truth.at);
        }
        if let Some(then) = tick.checked_sub(LATE_TICKS) {
            sum_m += ghost.position_at(truth.at).distance(track[then].position);
        }
    }
    sum_m / (track.len() - LATE_TICKS) as f64
}

fn path(measure: &str, rows: &[ModeRow], per_s: fn(&ModeRow) -> f64) -> Finding {
    let saved = |row: &ModeRow| 1.0 - per_s(row) / row.free_per_s;
    let mean = rows.iter().map(saved).sum::<f64>() / rows.len() as f64;
    let each: Vec<String> =
        rows.iter().map(|row| format!("{} {:.0}", row.motion.name(), 100.0 * saved(row))).collect();
    let text =
        format!("saves {:.0} % of the updates on average ({} %)", 100.0 * mean, each.join(", "));
    Finding::new(measure, text).number("saved", mean)
}

fn delayed(rows: &[ModeRow]) -> Finding {
    // Straight on, nobody errs.
    let turning = &rows[1..];
    let of = |number: fn(&ModeRow) -> f64| turning.iter().map(number).collect::<Vec<_>>();
    let (late, live) = (of(|row| row.delayed_m), of(|row| row.live_m));
    let each: Vec<String> = turning
        .iter()
        .map(|row| {
            let cm = [row.live_m, row.delayed_m].map(|m| format!("{:.1}", 100.0 * m));
            format!("{} {}", row.motion.name(), cm.join("/"))
        })
        .collect();
    Finding::new("delayed", format!("live/300 ms late in cm: {}", each.join(", ")))
        .list("delayed", &late)
        .list("live", &live)
}

fn table(rows: &[ModeRow]) -> ReportTable {
    let title = "MURPHY on other modes: updates a second, free and along the known path; mean \
                 error in metres at five updates a second, live and 300 ms late";
    let columns = ["motion", "free/s", "path/s", "with accel/s", "live m", "late m"];
    let mut table = ReportTable::new(title, &columns);
    for row in rows {
        let rates = [row.free_per_s, row.path_per_s, row.accelerating_per_s]
            .map(|per_s| format!("{per_s:.2}"));
        let errors = [row.live_m, row.delayed_m].map(|m| format!("{m:.4}"));
        let name = row.motion.name().to_owned();
        table.rows.push(std::iter::once(name).chain(rates).chain(errors).collect());
    }
    table
}
