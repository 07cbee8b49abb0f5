//! MURPHY: blending, publishing, the ground.

mod acceleration;
mod bandwidth;
mod by_book;
mod circle;
mod continuity;
mod drive;
mod follow;
mod ground;
mod modes;
mod wobble;

use super::{Effort, Finding, Measured, ReportTable};
use crate::Motion;

/// What moves in most experiments: everything flat that changes its mind.
const MOTIONS: [Motion; 5] =
    [Motion::Circle, Motion::Hairpin, Motion::StopAndGo, Motion::Zigzag, Motion::Walk { seed: 11 }];

/// Runs all experiments.
pub(super) fn measure(effort: Effort, progress: &(dyn Fn(&str) + Sync)) -> Measured {
    let mut found = Measured::default();
    let mut add = |(findings, table): (Vec<Finding>, ReportTable)| {
        found.findings.extend(findings);
        found.tables.push(table);
    };
    progress("murphy: circles");
    add(circle::run());
    progress("murphy: oscillations");
    add(wobble::run(effort));
    progress("murphy: continuity");
    add(continuity::run(effort));
    progress("murphy: publishing");
    add(bandwidth::run(effort));
    progress("murphy: acceleration");
    add(acceleration::run(effort));
    progress("murphy: ground");
    add(ground::run(effort));
    progress("murphy: paths and delays");
    add(modes::run(effort));
    found
}
