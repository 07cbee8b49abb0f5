//! MURPHY on the ground: keeping a landing body from sinking into it.

use std::time::Duration;

use reckoning::ground::{ClampMode, GroundClampConfig};
use reckoning::terrain::FlatGround;
use reckoning::{
    Blend, Ghost, GroundClamp, Kinematics, Publisher, PublisherConfig, SimTime, Update,
};

use crate::reproduce::{Effort, Finding, ReportTable};
use crate::{Motion, TICK_HZ};

const DELAYS_MS: [u64; 3] = [0, 150, 300];

/// How deep a leaping runner is shown below the ground, in metres.
struct GroundRow {
    delay_ms: u64,
    plain_m: f64,
    prevented_m: f64,
    clamped_m: f64,
}

/// Runs the leaps at every delay.
pub(super) fn run(effort: Effort) -> (Vec<Finding>, ReportTable) {
    let track = Motion::Jump.track(effort.seconds.min(60) * TICK_HZ);
    let rows = DELAYS_MS.map(|delay_ms| {
        let delay = Duration::from_millis(delay_ms);
        let (plain_m, clamped_m) = depths_m(&track, &exports(&track, false), delay);
        let (prevented_m, _) = depths_m(&track, &exports(&track, true), delay);
        GroundRow { delay_ms, plain_m, prevented_m, clamped_m }
    });
    (vec![clamped(&rows), prevented(&rows)], table(&rows))
}

fn exports(track: &[Kinematics], looks_ahead: bool) -> Vec<Update> {
    let started = Publisher::start(PublisherConfig::default(), &track[0]);
    let (mut publisher, first) = started.expect("the settings are sound");
    let observe = |truth| {
        if looks_ahead {
            publisher.observe_on(truth, &FlatGround::default())
        } else {
            publisher.observe(truth)
        }
    };
    std::iter::once(first).chain(track[1..].iter().filter_map(observe)).collect()
}

/// The deepest place shown, without and with a clamp that only lifts.
fn depths_m(track: &[Kinematics], exports: &[Update], delay: Duration) -> (f64, f64) {
    let mut config = GroundClampConfig::default();
    config.mode = ClampMode::OnlyUp;
    let mut clamp = GroundClamp::new(config).expect("the settings are sound");
    let mut ghost = Ghost::new(exports[0], Blend::ProjectiveVelocity);
    let mut coming = exports[1..].iter().peekable();
    let (mut plain_m, mut clamped_m) = (0.0_f64, 0.0_f64);
    for truth in track {
        let due = |update: &&Update| -> bool { update.at() + delay <= truth.at };
        while let Some(update) = coming.next_if(due) {
            let arrival: SimTime = update.at() + delay;
            ghost.accept(*update, arrival);
        }
        let pose = ghost.pose_at(truth.at);
        let shown = clamp.clamp(pose, &FlatGround::default(), 0.0, truth.at);
        plain_m = plain_m.max(-pose.position.z);
        clamped_m = clamped_m.max(-shown.position.z);
    }
    (plain_m, clamped_m)
}

fn by_delay(rows: &[GroundRow; 3], number: fn(&GroundRow) -> f64) -> String {
    rows.each_ref().map(|row| format!("{:.2}", number(row))).join(", ")
}

fn clamped(rows: &[GroundRow; 3]) -> Finding {
    let text = format!(
        "at 0, 150, 300 ms: {} m under ground without, {} m with",
        by_delay(rows, |row| row.plain_m),
        by_delay(rows, |row| row.clamped_m)
    );
    Finding::new("clamping", text)
        .list("clamped", &rows.each_ref().map(|row| row.clamped_m))
        .number("plain", rows[2].plain_m)
}

fn prevented(rows: &[GroundRow; 3]) -> Finding {
    let text = format!(
        "at 0, 150, 300 ms: {} m under ground without, {} m with, unclamped",
        by_delay(rows, |row| row.plain_m),
        by_delay(rows, |row| row.prevented_m)
    );
    Finding::new("prevention", text)
        .list("prevented", &rows.each_ref().map(|row| row.prevented_m))
        .list("plain", &rows.each_ref().map(|row| row.plain_m))
}

fn table(rows: &[GroundRow; 3]) -> ReportTable {
    let title = "MURPHY on the ground: deepest place shown of a leaping runner, in metres";
    let mut table = ReportTable::new(title, &["delay ms", "plain", "prevention", "clamp"]);
    for row in rows {
        let depths = [row.plain_m, row.prevented_m, row.clamped_m];
        let cells = depths.map(|depth_m| format!("{depth_m:.3}"));
        table.rows.push(std::iter::once(row.delay_ms.to_string()).chain(cells).collect());
    }
    table
}
