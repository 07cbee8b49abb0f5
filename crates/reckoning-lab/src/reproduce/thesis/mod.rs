//! THESIS: a common clock (chapter 2), and fairness among receivers (chapter 3).

mod claims_budget;
mod claims_clocks;
mod claims_scheduling;
mod clocks;
mod fairness;
mod policies;
mod tank;

use super::{Effort, Measured};
use fairness::FairnessFindings;
use policies::Lowering;

/// From coarse to fine, in metres; the coarsest sets the packets.
const THRESHOLDS_M: [f64; 3] = [0.75, 0.25, 0.08];

/// Runs both chapters.
pub(super) fn measure(effort: Effort, progress: &(dyn Fn(&str) + Sync)) -> Measured {
    progress("thesis: local and global clocks");
    let pairs = clocks::pairs(effort);
    let policies = FairnessFindings { series: policies::series(effort, progress) };
    let quiet = FairnessFindings { series: policies::quiet_series(effort, progress) };
    progress("thesis: lower thresholds");
    let thresholds =
        Lowering::ALL.map(|way| (way, policies::by_threshold(effort, THRESHOLDS_M, way)));
    let heartbeats = policies::heartbeats(effort, THRESHOLDS_M[0]);

    let mut findings = claims_clocks::findings(&pairs);
    findings.extend(claims_scheduling::findings(&policies));
    findings.push(claims_scheduling::hysteresis("hysteresis", &policies));
    findings.push(claims_scheduling::hysteresis("hysteresis without heartbeats", &quiet));
    findings.extend(claims_budget::findings(&policies));
    findings.push(claims_budget::heartbeats(heartbeats));
    findings.extend(thresholds.iter().map(|(way, found)| claims_budget::lowered(*way, found)));
    let mut tables = vec![clocks::table(&pairs)];
    tables.extend(policies.tables());
    tables.extend(thresholds.iter().map(|(way, found)| fairness::threshold_table(*way, found)));
    Measured { findings, tables }
}
