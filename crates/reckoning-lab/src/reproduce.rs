//! STUB, replaced on merge: the types of a reproduction, so that reports can be written.

use std::fmt;

/// A document whose claims are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Document {
    /// Believable Dead Reckoning.
    Murphy,
    /// Accuracy and fairness.
    Thesis,
    /// The interest scheme.
    Li,
    /// Play patterns.
    Shi,
    /// Trend maps.
    Steele,
}

/// How a claim came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As published.
    Reproduced,
    /// Otherwise than published.
    NotReproduced,
    /// The published setting cannot be had.
    NotComparable,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Reproduced => "reproduced",
            Self::NotReproduced => "not reproduced",
            Self::NotComparable => "not comparable",
        })
    }
}

/// One claim of a document beside what was measured here.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Whose claim.
    pub document: String,
    /// In words.
    pub claim: String,
    /// Its number or finding.
    pub published: String,
    /// Ours.
    pub measured: String,
    /// Whether they agree.
    pub verdict: Verdict,
    /// Why the verdict is this.
    pub why: String,
}

/// Rows under columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Each as long as `columns`.
    pub rows: Vec<Vec<String>>,
}

/// Everything that was measured of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reproduction {
    /// Its claims.
    pub claims: Vec<Claim>,
    /// The numbers behind them.
    pub tables: Vec<Table>,
}

/// STUB: finds nothing.
#[must_use]
pub fn reproduce(_: Document, _: &(dyn Fn(&str) + Sync)) -> Reproduction {
    Reproduction::default()
}
