//! STEELE's three hypotheses, and what its formulas imply.

use super::ahead::HORIZONS_S;
use super::contrast::{ALPHA, Contrast, NEGLIGIBLE, p_text};
use super::findings::{
    HALVED, KEPT, KNOWN, LINEAR, LevelFindings, MEAN, Thresholds, Where, late_m, now_m,
    updates_per_s,
};
use crate::reproduce::{Claim, ClaimVerdict, Document};
use crate::stats::{paired_t, repeated_anova};

const NO_RESULT: &str = "hypothesis; the experiment was planned, no result was published";

pub(super) fn claims(findings: &LevelFindings) -> Vec<Claim> {
    vec![
        more_where_critical(findings),
        fewer_elsewhere(findings),
        better_ahead(findings),
        trend_itself(findings),
        halving(findings),
        chain(findings),
        tunnels(findings),
    ]
}

fn claim(claim: &str, published: &str, measured: String, holds: bool, why: String) -> Claim {
    Claim {
        document: Document::Steele,
        claim: claim.to_owned(),
        published: published.to_owned(),
        measured,
        verdict: ClaimVerdict::from_holds(holds),
        why,
    }
}

/// Updates and errors at one sort of places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effects {
    updates: Contrast,
    now: Contrast,
    late: Contrast,
}

impl Effects {
    /// The threshold by place beside the fixed one that costs as much.
    pub(super) fn new(found: &Thresholds, place: Where) -> Self {
        let against = |measure| found.by_place.against(&found.frugal, place, measure);
        Self { updates: against(updates_per_s), now: against(now_m), late: against(late_m) }
    }

    /// Hypothesis 1, asked at critical places.
    fn more_and_better(&self) -> bool {
        self.updates.is_higher() && self.now.is_lower() && self.late.is_lower()
    }

    /// Hypothesis 2, asked elsewhere.
    fn fewer_and_hardly_worse(&self) -> bool {
        self.updates.is_lower() && self.now.is_no_worse() && self.late.is_no_worse()
    }

    fn text(&self) -> String {
        format!(
            "updates/s {}, error m at once {}, 100 ms late {}",
            self.updates, self.now, self.late
        )
    }
}

fn every(findings: &LevelFindings, place: Where, holds: fn(&Effects) -> bool) -> (String, bool) {
    let found: Vec<(&str, Effects)> =
        findings.thresholds.iter().map(|it| (it.title, Effects::new(it, place))).collect();
    let yes = |effects| if holds(effects) { "yes" } else { "no" };
    let rest: Vec<String> =
        found[1..].iter().map(|(title, effects)| format!("{title}: {}", yes(effects))).collect();
    (format!("{}; {}", found[0].1.text(), rest.join(", ")), holds(&found[0].1))
}

fn more_where_critical(findings: &LevelFindings) -> Claim {
    let (text, holds) = every(findings, Where::Critical, Effects::more_and_better);
    claim(
        "A threshold by direction trends prompts more updates at critical places, and the \
         prediction there is more accurate than with a constant threshold",
        NO_RESULT,
        format!("{text}; interaction of method and place p {}", p_text(interaction(findings))),
        holds,
        format!(
            "n = {}, paired t and signed ranks both below {ALPHA} for updates and both errors, \
             against the fixed threshold that costs as many updates overall; judged by the \
             second-order projection",
            findings.subjects
        ),
    )
}

/// Whether the threshold by place shifts updates between the two sorts of places: the
/// interaction of a two-way analysis of variance with repeated measures.
fn interaction(findings: &LevelFindings) -> f64 {
    let Some(found) = findings.thresholds.first() else { return 1.0 };
    let shift = |place| -> Vec<f64> {
        let ours = found.by_place.values(place, updates_per_s);
        let theirs = found.frugal.values(place, updates_per_s);
        ours.iter().zip(theirs).map(|(a, b)| a - b).collect()
    };
    paired_t(&shift(Where::Critical), &shift(Where::Elsewhere)).p
}

fn fewer_elsewhere(findings: &LevelFindings) -> Claim {
    let (text, holds) = every(findings, Where::Elsewhere, Effects::fewer_and_hardly_worse);
    claim(
        "A threshold by direction trends prompts fewer updates elsewhere, at a negligible cost \
         in accuracy",
        NO_RESULT,
        text,
        holds,
        format!(
            "n = {}, fewer: both tests below {ALPHA}; negligible: errors rise by less than \
             {:.0} %; against the fixed threshold that costs as many updates overall",
            findings.subjects,
            NEGLIGIBLE * 100.0
        ),
    )
}

/// One way of projecting beside another, per horizon.
fn over_horizons(
    findings: &LevelFindings,
    ours: usize,
    theirs: usize,
    place: Where,
) -> [Contrast; 4] {
    [0, 1, 2, 3].map(|horizon| {
        let values = |method: usize| findings.ahead[method].values(place, horizon);
        Contrast::new(&values(ours), &values(theirs))
    })
}

fn horizons_text(contrasts: &[Contrast; 4]) -> String {
    let texts = HORIZONS_S.iter().zip(contrasts).map(|(s, found)| format!("{s} s: {found}"));
    texts.collect::<Vec<_>>().join(", ")
}

/// At how many horizons ours is better.
fn lower(contrasts: &[Contrast; 4]) -> usize {
    contrasts.iter().filter(|found| found.is_lower()).count()
}

fn better_ahead(findings: &LevelFindings) -> Claim {
    let found = over_horizons(findings, MEAN, KNOWN, Where::Everywhere);
    let linear = over_horizons(findings, MEAN, LINEAR, Where::Everywhere);
    let half_s: Vec<Vec<f64>> =
        findings.ahead.iter().map(|it| it.values(Where::Everywhere, 2)).collect();
    let anova = repeated_anova(&half_s);
    claim(
        "The acceleration trend gives a more accurate projected position than the traditional \
         algorithm",
        NO_RESULT,
        format!(
            "error m after {}; against linear after 0.5 s: {}; five methods at 0.5 s: F {:.1}, \
             p {}",
            horizons_text(&found),
            linear[2],
            anova.f,
            p_text(anova.p)
        ),
        lower(&found) == 4,
        format!(
            "n = {}, better at {} of 4 horizons and asked of all, both tests below {ALPHA}; \
             traditional: (4) with the last known acceleration, walls heeded by both",
            findings.subjects,
            lower(&found)
        ),
    )
}

fn trend_itself(findings: &LevelFindings) -> Claim {
    let found = over_horizons(findings, MEAN, HALVED, Where::Everywhere);
    claim(
        "It is the trend that makes (9) more accurate, not the halving of the known \
         acceleration that comes with it",
        "implied by hypothesis 3",
        format!("mean (9) against half the known one, m after {}", horizons_text(&found)),
        lower(&found) == 4,
        "a control that STEELE did not plan: half the known acceleration and no trend; better \
         at every horizon"
            .to_owned(),
    )
}

fn halving(findings: &LevelFindings) -> Claim {
    let found = over_horizons(findings, KEPT, MEAN, Where::Everywhere);
    claim(
        "Across the trend half of the last known acceleration is the one to project with",
        "(9): a correlation of 0 returns half of the last known acceleration",
        format!("all of it kept at C = 0 against (9), m after {}", horizons_text(&found)),
        lower(&found) == 0,
        format!(
            "refuted if keeping it is better at any horizon: it is at {} of 4, and worse at {}",
            lower(&found),
            found.iter().filter(|it| it.is_higher()).count()
        ),
    )
}

fn chain(findings: &LevelFindings) -> Claim {
    let against = |measure| {
        findings.chains[MEAN].against(&findings.chains[KNOWN], Where::Everywhere, measure)
    };
    let (updates, late) = (against(updates_per_s), against(late_m));
    claim(
        "In the chain of publisher and ghost the acceleration trend saves updates or error and \
         costs neither",
        "implied by hypothesis 3",
        format!("at the halfway threshold: updates/s {updates}, error m 100 ms late {late}"),
        (updates.is_lower() && !late.is_higher()) || (late.is_lower() && !updates.is_higher()),
        format!(
            "n = {}; one significantly lower, the other not significantly higher",
            findings.subjects
        ),
    )
}

fn tunnels(findings: &LevelFindings) -> Claim {
    let mean = |values: &[f64]| 100.0 * values.iter().sum::<f64>() / values.len().max(1) as f64;
    let heeded = mean(&findings.ahead[MEAN].tunnels());
    let through = mean(&findings.through_walls.tunnels());
    claim(
        "Level information eliminates impossible behaviour such as wall tunnelling",
        "aim; no result was published",
        format!(
            "projections that lead through a wall within 0.5 s: {heeded:.3} % against {through:.2} %"
        ),
        through > 0.0 && heeded <= through * 0.001,
        "eliminated: not one in a thousand is left; by the walls, which the projection never crosses; the trends alone do not prevent it"
            .to_owned(),
    )
}

#[cfg(test)]
mod tests;
