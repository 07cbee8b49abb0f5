//! SHI: play patterns, open loop at seven delays and closed loop for packets.
//!
//! The players are the arena's bots on the proving grounds: characters with goals, senses
//! and reaction times, not written from any predictor's formula. Where recordings of people
//! lie beside the repository, the same predictors are asked about them too.

mod claims;
mod real;

use std::time::Duration;

use reckoning_arena::Mode;

use super::pooled::Pooled;
use super::{Effort, Reproduction, Table};
use crate::bots;
use crate::compare::{CompareConfig, Comparison, compare};
use crate::recording::Recording;

/// The predictors by their names here, with the names SHI prints.
const PREDICTORS: [(&str, &str); 6] = [
    ("linear", "TDM"),
    ("interest", "IS"),
    ("ekb", "EKB"),
    ("oaekb", "OAEKB"),
    ("ekb-hybrid", "hybrid EKB"),
    ("oaekb-hybrid", "hybrid OAEKB"),
];
const DELAYS_MS: [u64; 7] = [300, 600, 900, 1200, 1500, 1800, 2100];
/// A hit, and what the closed loop keeps to.
const BOUND_PX: f64 = 45.0;
/// A session is this much shorter than other experiments: every tick costs 42 predictions
/// per player, most of them rolled out step by step.
const SHORTER: u32 = 5;
/// SHI's mean errors in pixels, in the order of [`PREDICTORS`] and [`DELAYS_MS`].
const PUBLISHED_AEE_PX: [[f64; 7]; 6] = [
    [35.6, 109.1, 198.7, 293.3, 388.8, 484.2, 579.5],
    [38.2, 110.0, 191.7, 271.8, 345.7, 413.8, 477.7],
    [37.8, 106.9, 178.9, 241.6, 293.6, 337.3, 374.9],
    [36.9, 104.8, 175.2, 235.8, 285.7, 327.8, 364.5],
    [44.1, 112.6, 192.2, 267.1, 334.7, 395.2, 449.4],
    [42.3, 112.5, 192.2, 266.9, 334.0, 394.1, 448.5],
];
/// SHI's hits in percent, in the same order.
const PUBLISHED_HITS: [[f64; 7]; 6] = [
    [61.9, 26.3, 13.4, 7.6, 4.6, 2.9, 1.9],
    [66.1, 19.0, 5.3, 2.3, 1.4, 1.1, 0.8],
    [62.6, 15.9, 4.8, 2.5, 1.7, 1.4, 1.2],
    [67.7, 17.7, 5.3, 2.8, 2.0, 1.7, 1.4],
    [67.2, 25.8, 13.1, 7.5, 4.6, 3.0, 2.1],
    [67.7, 26.0, 13.3, 7.4, 4.5, 3.0, 2.1],
];

/// Plays SHI's three sessions, and looks at people where they are recorded.
pub(super) fn reproduce(effort: Effort, progress: &(dyn Fn(&str) + Sync)) -> Reproduction {
    progress("shi: sessions of 10, 14 and 15 bots");
    let played = play((effort.seconds / SHORTER).max(20));
    progress("shi: six predictors, seven delays");
    let found = Pooled(compared(&played, Some(BOUND_PX)));
    let mut claims = claims::claims(&found);
    let mut tables = vec![aee_table(&found), hits_table(&found), packets_table(&found)];
    for place in real::PLACES {
        progress(&format!("shi: {}", place.name));
        let people = place.load(effort.seconds / SHORTER).map(|it| Pooled(compared(&it, None)));
        claims.push(place.claim(people.as_ref()));
        tables.extend(people.map(|it| place.table(&it)));
    }
    Reproduction { claims, tables }
}

fn play(seconds: u32) -> Vec<Recording> {
    let sessions = [(10, 1), (14, 2), (15, 3)];
    let one =
        |(bots, seed)| bots::session("proving-grounds", bots, seconds, Mode::TwoTeams, seed).ok();
    sessions.into_iter().filter_map(one).collect()
}

/// Nothing when nothing can be compared.
fn compared(recordings: &[Recording], bound: Option<f64>) -> Comparison {
    let config = CompareConfig {
        predictors: PREDICTORS.iter().filter_map(|(name, _)| name.parse().ok()).collect(),
        delays: DELAYS_MS.map(Duration::from_millis).to_vec(),
        bound,
        receivers: Vec::new(),
        closed_loop: true,
    };
    compare(&config, recordings, &|_, _| ()).unwrap_or_default()
}

fn aee_table(found: &Pooled) -> Table {
    let title = "SHI: mean error in px by delay, ours and in brackets as published";
    by_delay(title, &PUBLISHED_AEE_PX, |name, delay| found.aee(name, delay))
}

fn hits_table(found: &Pooled) -> Table {
    let title = "SHI: hits within 45 px in percent by delay, ours and in brackets as published";
    by_delay(title, &PUBLISHED_HITS, |name, delay| 100.0 * found.hits(name, delay))
}

fn by_delay(title: &str, published: &[[f64; 7]; 6], ours: impl Fn(&str, u64) -> f64) -> Table {
    let mut table = Table::new(title, &["predictor"]);
    table.columns.extend(DELAYS_MS.map(|delay| format!("{delay} ms")));
    for ((name, theirs), published) in PREDICTORS.iter().zip(published) {
        let cells = DELAYS_MS.iter().zip(published);
        let cells = cells.map(|(&delay, theirs)| format!("{:.1} ({theirs})", ours(name, delay)));
        table.rows.push(std::iter::once((*theirs).to_owned()).chain(cells).collect());
    }
    table
}

fn packets_table(found: &Pooled) -> Table {
    let title = "SHI: updates to stay within 45 px";
    let mut table = Table::new(title, &["predictor", "per player and second", "of TDM"]);
    let tdm = found.packets("linear");
    for (name, theirs) in PREDICTORS {
        let packets = found.packets(name);
        let share = format!("{:.0} %", 100.0 * packets / tdm);
        table.rows.push(vec![theirs.to_owned(), format!("{packets:.2}"), share]);
    }
    table
}
