//! LI: the Interest Scheme on a small field of tanks.
//!
//! Everyone against everyone, 400 x 400 px, 40 px/s, things to pick up. LI logs the truth
//! every 50 ms and sends every 500 ms, so that at a delay of one second the knowledge is one
//! to one and a half seconds old: each delay here is the mean of ten ages.
//!
//! The drivers are the arena's bots, who shoot, flee and fetch what they need and were not
//! written from the scheme.

use std::time::Duration;

use reckoning_arena::Mode;
use reckoning_recording::Recording;

use super::drawn;
use super::pooled::Pooled;
use super::{Effort, Finding, Measured, ReportTable};
use crate::bots;
use crate::compare::{CompareConfig, OpenRow, compare};
use crate::stats::paired_t;

/// HM with the preference of each driver, learnt from what that driver did so far.
const LEARNT: &str = "interest-hybrid(preference=learnt)";
/// The predictors by their names here and as LI calls them. The last two are for comparison:
/// one preference for all tanks, halfway towards items and halfway towards players.
const PREDICTORS: [(&str, &str); 6] = [
    ("linear", "DR"),
    ("interest", "IS"),
    ("interest-hybrid", "HM"),
    (LEARNT, "HM, E learnt"),
    ("interest-hybrid(e=-50)", "HM, E = -50"),
    ("interest-hybrid(e=50)", "HM, E = 50"),
];
const DELAYS_MS: [u64; 3] = [1000, 2000, 3000];
/// The truth is logged this often ...
const LOG_MS: u64 = 50;
/// ... and sent this often.
const SEND_MS: u64 = 500;
const TANKS: u16 = 6;

/// Plays some sessions and asks LI's predictors about them.
pub(super) fn measure(effort: Effort, progress: &(dyn Fn(&str) + Sync)) -> Measured {
    progress("li: tanks on a small field");
    let played: Vec<Recording> =
        (1..=u64::from(effort.seeds)).filter_map(|seed| play(effort.seconds, seed)).collect();
    progress("li: six predictors, three delays");
    let found = LiFindings(Pooled(compare(&config(), &played, &|_, _| ()).unwrap_or_default()));
    progress("li: made-up tanks that are drawn");
    let drawn: Vec<Recording> = (1..=u64::from(effort.seeds.min(4)))
        .filter_map(|seed| drawn::session(TANKS, effort.seconds.div_ceil(2), seed))
        .map(logged)
        .collect();
    let drawn = LiFindings(Pooled(compare(&config(), &drawn, &|_, _| ()).unwrap_or_default()));
    let mut findings = vec![
        hybrid_errors(&found),
        hybrid_to_dr(&found),
        hybrid_to_dr_at_2_s(&found),
        hybrid_to_interest(&found),
        errors(&found),
        shares(&found),
        unacceptable(&found, 1000),
        acceptable(&found),
        unacceptable(&found, 3000),
        classes(&found),
        preference(&found),
    ];
    findings.extend(of_drawn(&drawn));
    let tables = vec![
        error_table("LI: mean error in px, updates every 500 ms; in brackets as published", &found),
        error_table("LI: the same, made-up tanks that are drawn", &drawn),
        class_table(&found),
    ];
    Measured { findings, tables }
}

/// The measures of claims that fail on bots, of tanks that are drawn.
fn of_drawn(found: &LiFindings) -> Vec<Finding> {
    let findings = [
        hybrid_to_dr_at_2_s(found),
        errors(found),
        shares(found),
        acceptable(found),
        unacceptable(found, 3000),
    ];
    let named = |it: Finding| Finding { measure: format!("{}, drawn", it.measure), ..it };
    findings.into_iter().map(named).collect()
}

/// A session with the truth as often as LI logs it.
fn play(seconds: u32, seed: u64) -> Option<Recording> {
    let played = bots::session("tank-field", TANKS, seconds, Mode::FreeForAll, seed).ok()?;
    Some(logged(played))
}

fn logged(mut played: Recording) -> Recording {
    let every = (LOG_MS as f64 * played.meta.rate_hz / 1000.0) as usize;
    played.meta.rate_hz = 1000.0 / LOG_MS as f64;
    thin(&mut played, every);
    played
}

/// Keeps one of so many samples, and what belongs to it.
pub(super) fn thin(played: &mut Recording, every: usize) {
    for track in &mut played.tracks {
        track.samples = track.samples.iter().step_by(every).copied().collect();
        for column in &mut track.extras {
            column.values = column.values.iter().step_by(every).copied().collect();
        }
    }
}

fn config() -> CompareConfig {
    let ages = DELAYS_MS.iter().flat_map(|&delay| ages_ms(delay));
    CompareConfig {
        predictors: PREDICTORS.iter().filter_map(|(name, _)| name.parse().ok()).collect(),
        delays: ages.map(Duration::from_millis).collect(),
        closed_loop: false,
        ..CompareConfig::default()
    }
}

/// How old knowledge is at a delay, from one update to the next.
fn ages_ms(delay_ms: u64) -> impl Iterator<Item = u64> {
    (delay_ms..delay_ms + SEND_MS).step_by(LOG_MS as usize)
}

/// What was measured, asked by delay.
struct LiFindings(Pooled);

impl LiFindings {
    fn mean(&self, name: &str, delay_ms: u64, of: impl Fn(&OpenRow) -> f64 + Copy) -> f64 {
        let values: Vec<f64> = ages_ms(delay_ms).map(|age| self.0.mean(name, age, of)).collect();
        crate::stats::Spread::from_values(&values).mean
    }

    /// The error of each session, in one order for all predictors.
    fn by_session(&self, name: &str, delay_ms: u64) -> Vec<f64> {
        let mut sums = std::collections::BTreeMap::new();
        let ages: Vec<u64> = ages_ms(delay_ms).collect();
        let own = |row: &&OpenRow| row.predictor == name && ages.contains(&row.delay_ms);
        for row in self.0.0.open.iter().filter(own) {
            *sums.entry(&row.session).or_insert(0.0) += row.aee / ages.len() as f64;
        }
        sums.into_values().collect()
    }

    fn error_px(&self, name: &str, delay_ms: u64) -> f64 {
        self.mean(name, delay_ms, |row| row.aee)
    }

    /// Share of the errors up to 30 px at one second, in percent.
    fn within_30(&self, name: &str) -> f64 {
        100.0 * self.mean(name, 1000, |row| row.classes[0] + row.classes[1])
    }
}

fn hybrid_errors(found: &LiFindings) -> Finding {
    let [one, two] = [1000, 2000].map(|delay| found.error_px("interest-hybrid", delay));
    let text = format!("{one:.2} and {two:.2} px, a factor of {:.2}", two / one);
    Finding::new("hybrid errors", text).number("factor", two / one)
}

fn hybrid_to_dr(found: &LiFindings) -> Finding {
    let [one, two, three] = DELAYS_MS
        .map(|delay| found.error_px("interest-hybrid", delay) / found.error_px("linear", delay));
    let text = format!("{one:.3}, {two:.3}, {three:.3} of DR at 1, 2, 3 s");
    Finding::new("hybrid to dr", text).number("two", two)
}

fn hybrid_to_dr_at_2_s(found: &LiFindings) -> Finding {
    let ratio = found.error_px("interest-hybrid", 2000) / found.error_px("linear", 2000);
    Finding::new("hybrid to dr at 2 s", format!("{ratio:.2} of DR")).number("ratio", ratio)
}

fn hybrid_to_interest(found: &LiFindings) -> Finding {
    let [hybrid, interest] = ["interest-hybrid", "interest"].map(|name| found.error_px(name, 1000));
    let text = format!("{hybrid:.2} against {interest:.2} px, {:.2} of IS", hybrid / interest);
    Finding::new("hybrid to interest", text).number("hybrid", hybrid).number("interest", interest)
}

fn errors(found: &LiFindings) -> Finding {
    let pairs = [
        ("interest-hybrid", 1000, 16.47),
        ("interest", 1000, 23.25),
        ("interest-hybrid", 2000, 31.23),
        ("linear", 2000, 53.81),
    ];
    let ours = pairs.map(|(name, delay, _)| found.error_px(name, delay));
    let [hybrid, interest, later, dr] = ours;
    let text = format!(
        "HM {hybrid:.2} and IS {interest:.2} px at 1 s, HM {later:.2} and DR {dr:.2} px at 2 s"
    );
    Finding::new("errors", text)
        .list("errors", &ours)
        .list("published", &pairs.map(|(_, _, published)| published))
}

/// Shares within 30 px at one second.
fn shares(found: &LiFindings) -> Finding {
    let [hybrid, dr, interest] =
        ["interest-hybrid", "linear", "interest"].map(|name| found.within_30(name));
    Finding::new("shares", format!("HM {hybrid:.2}, DR {dr:.2}, IS {interest:.2} %"))
        .number("hybrid", hybrid)
        .number("dr", dr)
        .number("interest", interest)
}

/// DR, IS and HM.
const METHODS: [&str; 3] = ["linear", "interest", "interest-hybrid"];

/// Shares of errors above 50 px, in percent.
fn unacceptable(found: &LiFindings, delay_ms: u64) -> Finding {
    let share = |name| 100.0 * found.mean(name, delay_ms, |row| row.classes[3]);
    let [dr, interest, hybrid] = METHODS.map(share);
    let text = format!("DR {dr:.2}, IS {interest:.2}, HM {hybrid:.2} %");
    let finding = Finding::new(&format!("unacceptable at {} s", delay_ms / 1000), text);
    // LI asks for HM at 1 s, and for DR at 3 s.
    let others = if delay_ms == 1000 { [dr, interest] } else { [interest, hybrid] };
    finding.number("dr", dr).number("hybrid", hybrid).list("others", &others)
}

fn acceptable(found: &LiFindings) -> Finding {
    let share = |name| 100.0 * found.mean(name, 2000, |row| row.classes[0] + row.classes[1]);
    let [dr, interest, hybrid] = METHODS.map(share);
    Finding::new("acceptable at 2 s", format!("DR {dr:.2}, IS {interest:.2}, HM {hybrid:.2} %"))
        .number("interest", interest)
        .list("others", &[dr, hybrid])
}

fn classes(found: &LiFindings) -> Finding {
    let of = |name, class: usize| {
        DELAYS_MS.map(|delay| 100.0 * found.mean(name, delay, |row| row.classes[class]))
    };
    let percent = |shares: [f64; 3]| shares.map(|share| format!("{share:.1}")).join(" ");
    let named = ["dr", "interest", "hybrid"].into_iter().zip(METHODS);
    let mut finding = Finding::new("classes by delay", String::new());
    let mut parts = Vec::new();
    for (name, method) in named {
        let (worst, best) = (of(method, 3), of(method, 0));
        parts.push(format!("{name} unacceptable {}, best {}", percent(worst), percent(best)));
        finding = finding
            .list(&format!("{name}_unacceptable"), &worst)
            .list(&format!("{name}_best"), &best);
    }
    finding.text = format!("{} % at 1, 2, 3 s", parts.join("; "));
    finding
}

fn preference(found: &LiFindings) -> Finding {
    let [one, two, three] = DELAYS_MS
        .map(|delay| found.error_px(LEARNT, delay) / found.error_px("interest-hybrid", delay));
    let fixed = ["interest-hybrid(e=-50)", "interest-hybrid(e=50)"]
        .map(|name| found.error_px(name, 2000) / found.error_px("interest-hybrid", 2000));
    let [learnt, none] = [LEARNT, "interest-hybrid"].map(|name| found.by_session(name, 2000));
    let test = paired_t(&learnt, &none);
    let text = format!(
        "{one:.4}, {two:.4}, {three:.4} of HM at 1, 2, 3 s (p = {:.3} at 2 s, {} sessions); with one \
         E for all {:.3} (-50) and {:.3} (50) at 2 s",
        test.p, test.subjects, fixed[0], fixed[1]
    );
    Finding::new("preference", text).number("difference", test.difference).number("p", test.p)
}

fn error_table(title: &str, found: &LiFindings) -> ReportTable {
    let mut table = ReportTable::new(title, &["predictor", "1 s", "2 s", "3 s"]);
    let published = |theirs: &str, delay: u64| match (theirs, delay) {
        ("HM", 1000) => " (16.47)",
        ("HM", 2000) => " (31.23)",
        ("DR", 2000) => " (53.81)",
        ("IS", 1000) => " (23.25)",
        _ => "",
    };
    for (name, theirs) in PREDICTORS {
        let cell =
            |delay| format!("{:.2}{}", found.error_px(name, delay), published(theirs, delay));
        let row = std::iter::once(theirs.to_owned()).chain(DELAYS_MS.map(cell));
        table.rows.push(row.collect());
    }
    table
}

fn class_table(found: &LiFindings) -> ReportTable {
    let title = "LI: shares of the errors in percent: best to 10, good to 30, bad to 50 px";
    let columns = ["predictor", "delay", "best", "good", "bad", "unacceptable"];
    let mut table = ReportTable::new(title, &columns);
    for (name, theirs) in PREDICTORS {
        for delay in DELAYS_MS {
            let share = |class: usize| found.mean(name, delay, |row| row.classes[class]);
            let shares = [0, 1, 2, 3].map(|class| format!("{:.1}", 100.0 * share(class)));
            let head = [theirs.to_owned(), format!("{} s", delay / 1000)];
            table.rows.push(head.into_iter().chain(shares).collect());
        }
    }
    table
}
