//! `AntReckoning` with points of interest and the state of the player, as STEELE reports it.
//!
//! The original was played in Quake III and is reported as "up to 30 %" more accurate than dead
//! reckoning. Here the arena's bots play on the proving grounds, where health and ammunition lie
//! about and come back; where recordings of people lie beside the repository, they are asked too.

use std::time::Duration;

use reckoning_arena::Mode;
use reckoning_predict::Restores;
use reckoning_recording::Recording;

use super::drawn;
use super::li::thin;
use super::pooled::Pooled;
use super::shi::real::PLACES;
use super::{Effort, Finding, Measured, ReportTable};
use crate::bots;
use crate::compare::{CompareConfig, Prepared, RecordedSurroundings, compare};
use crate::stats::mean;

const TRAILS: &str = "ant";
const FULL: &str = "ant-points";
/// By their names here and in the tables.
const PREDICTORS: [(&str, &str); 5] = [
    ("linear", "TDM"),
    (TRAILS, "trails alone"),
    ("ant-points(points=20)", "points, ten times as strong"),
    (FULL, "trails and points"),
    ("damped", "damped"),
];
const DELAYS_MS: [u64; 7] = [300, 600, 900, 1200, 1500, 1800, 2100];
const PLAYERS: u16 = 10;
const TANKS: u16 = 6;
/// A third of the ticks is asked about: 20 a second.
const EVERY: usize = 3;

/// Plays some sessions and asks about them.
pub(super) fn measure(effort: Effort, progress: &(dyn Fn(&str) + Sync)) -> Measured {
    progress("ant: bots on the proving grounds");
    let played: Vec<Recording> = (1..=u64::from(effort.seeds.clamp(2, 4)))
        .filter_map(|seed| play(effort.seconds.div_ceil(3), 100 + seed))
        .collect();
    progress("ant: trails and points of interest");
    let found = compared(&played);
    let mut findings =
        vec![gain("gain", &found), without_points(&found), beside_damping(&found), hurt(&played)];
    let drawn: Vec<Recording> = (1..=2)
        .filter_map(|seed| drawn::session(TANKS, effort.seconds.div_ceil(3), seed))
        .map(|mut it| {
            thin(&mut it, EVERY);
            it
        })
        .collect();
    let drawn = compared(&drawn);
    findings.push(gain("gain, drawn", &drawn));
    let mut tables = vec![
        table("AntReckoning: mean error in px, bots", &found),
        table("AntReckoning: mean error in px, made-up tanks that are drawn", &drawn),
    ];
    let place = &PLACES[0];
    progress(&format!("ant: {}", place.name));
    let mut people = place.load(effort);
    people.truncate(1);
    for it in &mut people {
        thin(it, 4);
    }
    if !people.is_empty() {
        let found = compared(&people);
        findings.push(gain(place.name, &found));
        tables.push(table(&format!("AntReckoning: mean error, {}", place.name), &found));
    }
    Measured { findings, tables }
}

fn play(seconds: u32, seed: u64) -> Option<Recording> {
    let mut played =
        bots::session("proving-grounds", PLAYERS, seconds, Mode::TwoTeams, seed).ok()?;
    thin(&mut played, EVERY);
    Some(played)
}

fn compared(recordings: &[Recording]) -> Pooled {
    let config = CompareConfig {
        predictors: PREDICTORS.iter().filter_map(|(name, _)| name.parse().ok()).collect(),
        delays: DELAYS_MS.map(Duration::from_millis).to_vec(),
        closed_loop: false,
        ..CompareConfig::default()
    };
    Pooled(compare(&config, recordings, &|_, _| ()).unwrap_or_default())
}

/// In percent of the error of TDM, over all sessions, and the greatest of any of them.
fn gain(measure: &str, found: &Pooled) -> Finding {
    let percent = |ours: f64, tdm: f64| 100.0 * (1.0 - ours / tdm);
    let gains = DELAYS_MS.map(|delay| percent(found.aee(FULL, delay), found.aee("linear", delay)));
    let own = found.0.open.iter().filter(|row| row.predictor == FULL);
    let most = own.filter_map(|row| {
        let same = |it: &&crate::compare::OpenRow| {
            it.predictor == "linear" && it.session == row.session && it.delay_ms == row.delay_ms
        };
        found.0.open.iter().find(same).map(|tdm| percent(row.aee, tdm.aee))
    });
    let most = most.fold(f64::NEG_INFINITY, f64::max);
    let listed = gains.map(|gain| format!("{gain:+.1}")).join(" ");
    let text = format!("{listed} % at 300 to 2100 ms; at most {most:+.1} % in one session");
    Finding::new(measure, text).list("gain", &gains).number("most", most)
}

fn from_900(found: &Pooled, name: &str) -> Vec<f64> {
    DELAYS_MS[2..].iter().map(|&delay| found.aee(name, delay)).collect()
}

fn without_points(found: &Pooled) -> Finding {
    let (full, trails) = (from_900(found, FULL), from_900(found, TRAILS));
    Finding::new("without points", beside(&full, &trails))
        .list("full", &full)
        .list("trails", &trails)
}

fn beside_damping(found: &Pooled) -> Finding {
    let of = |name: &str| DELAYS_MS.map(|delay| found.aee(name, delay));
    let (full, damped) = (of(FULL), of("damped"));
    Finding::new("beside damping", beside(&full, &damped))
        .list("full", &full)
        .list("damped", &damped)
}

fn beside(ours: &[f64], theirs: &[f64]) -> String {
    let pairs = ours.iter().zip(theirs).map(|(ours, theirs)| format!("{ours:.1}/{theirs:.1}"));
    format!("{} px", pairs.collect::<Vec<_>>().join(" "))
}

/// Whether the hurt make for the health they see.
fn hurt(played: &[Recording]) -> Finding {
    let (mut hurt, mut well) = (Vec::new(), Vec::new());
    for recording in played {
        let prepared = Prepared::with_own_velocities(recording);
        let Ok(around) = RecordedSurroundings::new(recording, &prepared, &[], &[]) else {
            continue;
        };
        look_at(recording, &around, (&mut hurt, &mut well));
    }
    let (hurt, well, counts) = (mean(&hurt), mean(&well), [hurt.len(), well.len()]);
    let text = format!(
        "cosine {hurt:.3} of those with at most half of their health, {well:.3} of those with more \
         than nine tenths ({} and {} moments)",
        counts[0], counts[1]
    );
    Finding::new("the hurt", text).number("hurt", hurt).number("well", well)
}

fn look_at(
    recording: &Recording,
    around: &RecordedSurroundings,
    (hurt, well): (&mut Vec<f64>, &mut Vec<f64>),
) {
    // One second on, and a look every quarter.
    let (ahead, every) = (20, 5);
    for track in &recording.tracks {
        let most = track.samples.iter().filter_map(|it| it.health).fold(1.0, f32::max);
        for pair in track.samples.windows(ahead + 1).step_by(every) {
            let (now, later) = (&pair[0], &pair[ahead]);
            let share = now.health.unwrap_or(most) / most;
            let list = if share <= 0.5 { &mut *hurt } else { &mut *well };
            if !now.alive || later.segment != now.segment || (share > 0.5 && share <= 0.9) {
                continue;
            }
            let items = around.items_at(now.at);
            let ways = items.iter().filter(|it| it.restores == Restores::Health);
            let ways = ways.filter(|it| around.sees(now.position, it.position));
            let ways = ways.map(|it| it.position - now.position);
            let nearest = ways.min_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
            let gone = (later.position - now.position).normalize_or_zero();
            list.extend(nearest.map(|way| way.normalize_or_zero().dot(gone)));
        }
    }
}

fn table(title: &str, found: &Pooled) -> ReportTable {
    let mut table = ReportTable::new(title, &["predictor"]);
    table.columns.extend(DELAYS_MS.map(|delay| format!("{delay} ms")));
    for (name, called) in PREDICTORS {
        let cells = DELAYS_MS.map(|delay| format!("{:.1}", found.aee(name, delay)));
        table.rows.push(std::iter::once(called.to_owned()).chain(cells).collect());
    }
    table
}
