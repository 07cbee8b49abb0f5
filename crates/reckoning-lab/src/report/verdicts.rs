//! Claims for a terminal: verdicts first, then rule, numbers and cause of each.

use super::text::{broken, to_text, to_text_within};
use crate::reproduce::{Claim, ClaimKind, ClaimVerdict, ReportTable};

/// Wide enough for words, and together with the gaps no more than a terminal of 120 columns.
const WIDTHS: [usize; 6] = [14, 27, 18, 15, 18, 18];
const WIDEST_LINE: usize = 120;
const VERDICTS: [ClaimVerdict; 3] =
    [ClaimVerdict::Reproduced, ClaimVerdict::NotReproduced, ClaimVerdict::NotComparable];

/// How many claims of each kind came out how, and each claim with what decides.
#[must_use]
pub fn claims_text(claims: &[Claim]) -> String {
    format!("{}\n{}", to_text(&counts(claims)), to_text_within(&verdicts(claims), &WIDTHS))
}

/// The numbers behind claims, their titles broken to the width of a terminal.
#[must_use]
pub fn numbers_text(table: &ReportTable) -> String {
    let title = broken(&table.title, WIDEST_LINE).join("\n");
    to_text(&ReportTable { title, ..table.clone() })
}

fn counts(claims: &[Claim]) -> ReportTable {
    let count = |kind: ClaimKind, verdict: ClaimVerdict| {
        claims.iter().filter(|it| it.kind == kind && it.verdict == verdict).count().to_string()
    };
    let row = |kind: ClaimKind| {
        let numbers = VERDICTS.map(|verdict| count(kind, verdict));
        std::iter::once(kind.name().to_owned()).chain(numbers).collect()
    };
    let verdicts = VERDICTS.map(|verdict| verdict.name().to_owned());
    ReportTable {
        title: format!("{} claims, by kind", claims.len()),
        columns: std::iter::once("kind".to_owned()).chain(verdicts).collect(),
        rows: ClaimKind::ALL.map(row).into(),
    }
}

fn verdicts(claims: &[Claim]) -> ReportTable {
    let columns = ["verdict", "claim", "rule", "published", "here", "cause"].map(str::to_owned);
    let row = |it: &Claim| {
        let claim = format!("{} {} ({}): {}", it.document, it.place, it.kind, it.claim);
        let verdict = it.verdict.name().to_owned();
        let texts = [&it.rule, &it.published, &it.measured, &it.cause].map(Clone::clone);
        [verdict, claim].into_iter().chain(texts).collect()
    };
    ReportTable {
        title: "Verdicts".to_owned(),
        columns: columns.to_vec(),
        rows: claims.iter().map(row).collect(),
    }
}
