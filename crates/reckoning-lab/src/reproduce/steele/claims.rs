//! STEELE's three hypotheses, and what its formulas imply, measured.

use super::ahead::HORIZONS_S;
use super::contrast::{Contrast, p_text};
use super::findings::{
    HALVED, KEPT, KNOWN, LINEAR, LevelFindings, MEAN, Thresholds, Where, late_m, now_m,
    updates_per_s,
};
use super::printed::INTERVALS_S;
use crate::reproduce::Finding;
use crate::stats::{paired_t, repeated_anova};

pub(super) fn findings(level: &LevelFindings) -> Vec<Finding> {
    vec![
        critical_places(level),
        elsewhere(level),
        printed(level),
        projection(level),
        trend_itself(level),
        halving(level),
        chain(level),
        tunnels(level),
        confidence(level),
    ]
}

/// Updates and errors at one sort of places.
#[derive(Clone, Copy, Debug)]
struct Effects {
    updates: Contrast,
    now: Contrast,
    late: Contrast,
}

impl Effects {
    /// The threshold by place beside the fixed one that costs as much.
    fn new(found: &Thresholds, place: Where) -> Self {
        let against = |measure| found.by_place.against(&found.frugal, place, measure);
        Self { updates: against(updates_per_s), now: against(now_m), late: against(late_m) }
    }

    fn text(&self) -> String {
        format!(
            "updates/s {}, error m at once {}, 100 ms late {}",
            self.updates, self.now, self.late
        )
    }

    fn finding(&self, measure: &str, text: String) -> Finding {
        let all = [self.updates, self.now, self.late];
        Finding::new(measure, text)
            .number("updates", self.updates.t.difference)
            .number("updates_p", self.updates.p())
            .number("now", self.now.t.difference)
            .number("late", self.late.t.difference)
            .list("p", &all.map(|contrast| contrast.p()))
            .list("risen", &[self.now.ratio(), self.late.ratio()])
    }
}

/// By the first projection, and what the others say.
fn every(level: &LevelFindings, place: Where, measure: &str) -> Finding {
    let mut found = level.thresholds.iter().map(|it| (it.title, Effects::new(it, place)));
    let Some((_, first)) = found.next() else { return Finding::new(measure, String::new()) };
    let others: Vec<String> =
        found.map(|(title, effects)| format!("{title}: {}", effects.text())).collect();
    let note = format!("n = {}; {}", level.subjects, others.join("; "));
    first.finding(measure, first.text()).note(note)
}

fn critical_places(level: &LevelFindings) -> Finding {
    let mut found = every(level, Where::Critical, "critical places");
    let shifted = p_text(interaction(level));
    found.text = format!("{}; interaction of method and place p {shifted}", found.text);
    found
}

/// Whether the threshold by place shifts updates between the two sorts of places: the
/// interaction of a two-way analysis of variance with repeated measures.
fn interaction(level: &LevelFindings) -> f64 {
    let Some(found) = level.thresholds.first() else { return 1.0 };
    let shift = |place| -> Vec<f64> {
        let ours = found.by_place.values(place, updates_per_s);
        let theirs = found.frugal.values(place, updates_per_s);
        ours.iter().zip(theirs).map(|(a, b)| a - b).collect()
    };
    paired_t(&shift(Where::Critical), &shift(Where::Elsewhere)).p
}

fn elsewhere(level: &LevelFindings) -> Finding {
    every(level, Where::Elsewhere, "elsewhere")
}

/// One way of projecting beside another, per horizon.
fn over_horizons(level: &LevelFindings, ours: usize, theirs: usize, place: Where) -> [Contrast; 4] {
    [0, 1, 2, 3].map(|horizon| {
        let values = |method: usize| level.ahead[method].values(place, horizon);
        Contrast::new(&values(ours), &values(theirs))
    })
}

fn horizons_text(contrasts: &[Contrast; 4]) -> String {
    let texts = HORIZONS_S.iter().zip(contrasts).map(|(s, found)| format!("{s} s: {found}"));
    texts.collect::<Vec<_>>().join(", ")
}

/// Differences and p-values, horizon by horizon.
fn over(measure: &str, text: String, contrasts: &[Contrast; 4]) -> Finding {
    Finding::new(measure, text)
        .list("change", &contrasts.map(|found| found.t.difference))
        .list("p", &contrasts.map(|found| found.p()))
        .number("better", contrasts.iter().filter(|found| found.is_lower()).count() as f64)
        .number("worse", contrasts.iter().filter(|found| found.is_higher()).count() as f64)
}

/// (10) beside (4) in the receiver as printed, per interval of updates.
fn printed(level: &LevelFindings) -> Finding {
    let errors = &level.printed;
    let found = [0, 1, 2, 3].map(|every| Contrast::new(&errors.trend[every], &errors.known[every]));
    let texts = INTERVALS_S.iter().zip(&found).map(|(s, found)| format!("every {s} s: {found}"));
    let text = format!("error m with an update {}", texts.collect::<Vec<_>>().join(", "));
    over("projection as printed", text, &found).note(format!("n = {}", level.subjects))
}

fn confidence(level: &LevelFindings) -> Finding {
    let [one, nearest] = level.confidence;
    let text =
        format!("{one:+.2} with one heading per cell, {nearest:+.2} with the nearest of four");
    Finding::new("confidence", text).number("one_heading", one).number("nearest", nearest)
}

fn projection(level: &LevelFindings) -> Finding {
    let found = over_horizons(level, MEAN, KNOWN, Where::Everywhere);
    let linear = over_horizons(level, MEAN, LINEAR, Where::Everywhere);
    let half_s: Vec<Vec<f64>> =
        level.ahead.iter().map(|it| it.values(Where::Everywhere, 2)).collect();
    let anova = repeated_anova(&half_s);
    let text = format!(
        "error m after {}; against linear after 0.5 s: {}; five methods at 0.5 s: F {:.1}, p {}",
        horizons_text(&found),
        linear[2],
        anova.f,
        p_text(anova.p)
    );
    over("projection", text, &found).note(format!("n = {}", level.subjects))
}

fn trend_itself(level: &LevelFindings) -> Finding {
    let found = over_horizons(level, MEAN, HALVED, Where::Everywhere);
    let text = format!("mean (9) against half the known one, m after {}", horizons_text(&found));
    over("trend itself", text, &found)
}

fn halving(level: &LevelFindings) -> Finding {
    let found = over_horizons(level, KEPT, MEAN, Where::Everywhere);
    let text = format!("all of it kept at C = 0 against (9), m after {}", horizons_text(&found));
    over("halving", text, &found)
}

fn chain(level: &LevelFindings) -> Finding {
    let against =
        |measure| level.chains[MEAN].against(&level.chains[KNOWN], Where::Everywhere, measure);
    let both = [against(updates_per_s), against(late_m)];
    let [updates, late] = both;
    let text = format!("at the halfway threshold: updates/s {updates}, error m 100 ms late {late}");
    let count = |is: fn(&Contrast) -> bool| both.iter().filter(|it| is(it)).count() as f64;
    Finding::new("chain", text)
        .number("saved", count(Contrast::is_lower))
        .number("cost", count(Contrast::is_higher))
        .note(format!("n = {}", level.subjects))
}

fn tunnels(level: &LevelFindings) -> Finding {
    let mean = |values: &[f64]| 100.0 * values.iter().sum::<f64>() / values.len().max(1) as f64;
    let heeded = mean(&level.ahead[MEAN].tunnels());
    let through = mean(&level.through_walls.tunnels());
    let text = format!(
        "projections that lead through a wall within 0.5 s: {heeded:.3} % against {through:.2} %"
    );
    Finding::new("tunnels", text).number("heeded", heeded).number("through", through)
}

#[cfg(test)]
mod tests;
