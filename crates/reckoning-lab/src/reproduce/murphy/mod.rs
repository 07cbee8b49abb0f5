//! MURPHY: blending, publishing, the ground.

mod acceleration;
mod bandwidth;
mod circle;
mod continuity;
mod drive;
mod follow;
mod ground;

use super::{Claim, ClaimVerdict, Document, Effort, Reproduction};
use crate::Motion;

/// What moves in most experiments: everything flat that changes its mind.
const MOTIONS: [Motion; 5] =
    [Motion::Circle, Motion::Hairpin, Motion::StopAndGo, Motion::Zigzag, Motion::Walk { seed: 11 }];

/// Runs all experiments.
pub(super) fn reproduce(effort: Effort, progress: &(dyn Fn(&str) + Sync)) -> Reproduction {
    let mut found = Reproduction::default();
    let mut add = |(claims, table): (Vec<Claim>, _)| {
        found.claims.extend(claims);
        found.tables.push(table);
    };
    progress("murphy: circles");
    add(circle::run());
    progress("murphy: continuity");
    add(continuity::run(effort));
    progress("murphy: publishing");
    add(bandwidth::run(effort));
    progress("murphy: acceleration");
    add(acceleration::run(effort));
    progress("murphy: ground");
    add(ground::run(effort));
    found
}

fn claim(
    claim: &str,
    published: &str,
    measured: String,
    verdict: ClaimVerdict,
    why: &str,
) -> Claim {
    Claim {
        document: Document::Murphy,
        claim: claim.to_owned(),
        published: published.to_owned(),
        measured,
        verdict,
        why: why.to_owned(),
    }
}
