//! THESIS: a common clock (chapter 2), and fairness among receivers (chapter 3).

mod claims_budget;
mod claims_clocks;
mod claims_scheduling;
mod clocks;
mod fairness;
mod policies;
mod tank;

use super::{Claim, ClaimVerdict, Document, Effort, Reproduction};
use fairness::FairnessFindings;

/// From coarse to fine, in metres; the coarsest sets the packets.
const THRESHOLDS_M: [f64; 3] = [0.75, 0.25, 0.08];

/// Runs both chapters.
pub(super) fn reproduce(effort: Effort, progress: &(dyn Fn(&str) + Sync)) -> Reproduction {
    progress("thesis: local and global clocks");
    let pairs = clocks::pairs(effort);
    let findings = FairnessFindings { series: policies::series(effort, progress) };
    progress("thesis: lower thresholds");
    let thresholds = policies::by_threshold(effort, THRESHOLDS_M);

    let mut claims = claims_clocks::claims(&pairs);
    claims.extend(claims_scheduling::claims(&findings));
    claims.extend(claims_budget::claims(&findings, &thresholds));
    let mut tables = vec![clocks::table(&pairs)];
    tables.extend(findings.tables());
    tables.push(fairness::threshold_table(&thresholds));
    Reproduction { claims, tables }
}

/// A claim that THESIS backs with a figure and no numbers.
fn figure_claim(claim: &str, figures: &str, measured: String, holds: bool, why: &str) -> Claim {
    Claim {
        document: Document::Thesis,
        claim: claim.to_owned(),
        published: format!("figure only ({figures})"),
        measured,
        verdict: ClaimVerdict::from_holds(holds),
        why: why.to_owned(),
    }
}
