//! The source documents' claims, run again with this engine.
//!
//! Each of the five documents behind the engine says what its methods achieve. [`reproduce`]
//! sets up the experiments anew and lays a measured sentence beside each claim:
//!
//! ```text
//! document -> claims/*.toml: what is said, and the rule that decides  -+-> verdicts
//!          -> experiments on the engine itself -> tables, numbers -----+
//! ```
//!
//! Others rely on these properties:
//! - a verdict follows from the numbers of the same run and from a rule that stands in the claim
//!   files, never from the experiment's own code;
//! - equal effort gives equal text, to the last digit, on every machine; only what is said of
//!   recorded people depends on whether their recordings are there;
//! - where a document prints a figure only, or leaves out what an experiment needs, the claim
//!   says so.

mod ant;
mod book;
mod drawn;
mod finding;
mod li;
mod murphy;
mod pooled;
mod recordings;
mod rule;
mod shi;
mod steele;
mod text;
mod thesis;

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use finding::Finding;
pub use recordings::recordings_folder;

/// One of the documents the engine is built from, or one that these report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Document {
    /// *Believable Dead Reckoning for Networked Games*: blending and publishing.
    Murphy,
    /// Accuracy and fairness in games based on dead reckoning.
    Thesis,
    /// The Interest Scheme and its hybrid.
    Li,
    /// Play patterns.
    Shi,
    /// Level information.
    Steele,
    /// Points of interest, as STEELE reports them.
    Ant,
}

impl Document {
    /// Every document.
    pub const ALL: [Self; 6] =
        [Self::Murphy, Self::Thesis, Self::Li, Self::Shi, Self::Steele, Self::Ant];

    /// Its name on the command line and in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Murphy => "murphy",
            Self::Thesis => "thesis",
            Self::Li => "li",
            Self::Shi => "shi",
            Self::Steele => "steele",
            Self::Ant => "ant",
        }
    }

    /// Who wrote it, what it is called, where it appeared and when.
    #[must_use]
    pub const fn reference(self) -> &'static str {
        match self {
            Self::Murphy => {
                "Curtiss Murphy (Alion Science and Technology): Believable Dead Reckoning for Networked \
                 Games. Chapter 18 in Eric Lengyel (editor), Game Engine Gems 2, A K Peters, 2011."
            }
            Self::Thesis => {
                "Hemant Banavar: Accuracy and Fairness in Dead Reckoning Based Distributed Multiplayer \
                 Games. Thesis, Florida State University; year not printed, its first part is of 2004."
            }
            Self::Li => {
                "Shaolong Li, Changja Chen and Lei Li (Beijing Jiaotong University): A New Method for Path \
                 Prediction in Network Games. ACM Computers in Entertainment 5, 4, article 8, March 2008."
            }
            Self::Shi => {
                "Wei Shi, Jean-Pierre Corriveau and Jacob Agar: Dead Reckoning Using Play Patterns in a \
                 Simple 2D Multiplayer Online Game. International Journal of Computer Games Technology, \
                 volume 2014, article 138596, 2014."
            }
            Self::Steele => {
                "Richard Steele (Falmouth University): Extending Client Side Prediction Methods in \
                 Networked Multiplayer First-Person Shooter Games to Include Level Information. Research \
                 paper; venue and year not printed, its newest reference is of 2018."
            }
            Self::Ant => {
                "Amir Yahyavi, Kévin Huguenin and Bettina Kemme: AntReckoning: Dead Reckoning Using \
                 Interest Modeling by Pheromones. NetGames, 2011; as STEELE reports it."
            }
        }
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// There is no document of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDocument {
    /// The name given.
    pub got: String,
}

impl fmt::Display for UnknownDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Document::ALL.map(Document::name).join(", ");
        write!(f, "'{}' is not a document; give one of {names}", self.got)
    }
}

impl std::error::Error for UnknownDocument {}

impl FromStr for Document {
    type Err = UnknownDocument;

    fn from_str(name: &str) -> Result<Self, UnknownDocument> {
        let named = Self::ALL.into_iter().find(|document| document.name() == name);
        named.ok_or_else(|| UnknownDocument { got: name.to_owned() })
    }
}

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimVerdict {
    /// We find what the document found.
    Reproduced,
    /// We find something else.
    NotReproduced,
    /// The document says too little to be laid beside a measurement.
    NotComparable,
}

impl ClaimVerdict {
    /// Reproduced if `holds`.
    #[must_use]
    pub const fn from_holds(holds: bool) -> Self {
        if holds { Self::Reproduced } else { Self::NotReproduced }
    }

    /// In words, for tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::NotReproduced => "not reproduced",
            Self::NotComparable => "not comparable",
        }
    }
}

impl fmt::Display for ClaimVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Where a claim comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum ClaimKind {
    /// The document found it; here it is measured anew.
    #[serde(rename = "re-measured")]
    ReMeasured,
    /// The document expects it and printed no result.
    #[serde(rename = "hypothesis")]
    Hypothesis,
    /// Ours, to tell what a finding rests on.
    #[serde(rename = "own control")]
    OwnControl,
}

impl ClaimKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::ReMeasured, Self::Hypothesis, Self::OwnControl];

    /// In words, for tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReMeasured => "re-measured",
            Self::Hypothesis => "hypothesis",
            Self::OwnControl => "own control",
        }
    }
}

impl fmt::Display for ClaimKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One thing a document says, and what we found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Who says it.
    pub document: Document,
    /// By which it is called in `claims/*.toml`.
    pub id: String,
    /// Section, table or figure.
    pub place: String,
    /// Where it comes from.
    pub kind: ClaimKind,
    /// What, in one sentence.
    pub claim: String,
    /// What the numbers must fulfil, as written before they were measured.
    pub rule: String,
    /// The number or words it printed, or "figure only".
    pub published: String,
    /// What we measured, with numbers.
    pub measured: String,
    /// Whether the two agree.
    pub verdict: ClaimVerdict,
    /// Why this rule decides, and in which setting.
    pub why: String,
    /// Why it came out so, as far as that was tried; may be empty.
    pub cause: String,
}

/// The full numbers behind claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportTable {
    /// What it shows, with units that the columns do not name.
    pub title: String,
    /// The head of each column.
    pub columns: Vec<String>,
    /// One text per column.
    pub rows: Vec<Vec<String>>,
}

impl ReportTable {
    fn new(title: &str, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { title: title.to_owned(), columns, rows: Vec::new() }
    }
}

/// Everything that was found about one document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reproduction {
    /// What it claims, in its own order.
    pub claims: Vec<Claim>,
    /// The numbers behind that.
    pub tables: Vec<ReportTable>,
}

/// How much time to spend on a reproduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// How long each experiment runs, in seconds of the game. At least 20.
    pub seconds: u32,
    /// With how many seeds each random experiment is repeated. At least 1.
    pub seeds: u32,
}

impl Effort {
    /// What the printed tables are made with: some seconds of computing.
    pub const FULL: Self = Self { seconds: 600, seeds: 8 };
    /// For tests: less precise, with the same verdicts.
    pub const QUICK: Self = Self { seconds: 600, seeds: 3 };
}

/// Runs the experiments of `document` again with [`Effort::FULL`]. `progress` is called with
/// what is about to run.
#[must_use]
pub fn reproduce(document: Document, progress: &(dyn Fn(&str) + Sync)) -> Reproduction {
    reproduce_with(document, Effort::FULL, progress)
}

/// As [`reproduce`], with an effort of the caller's.
#[must_use]
pub fn reproduce_with(
    document: Document,
    effort: Effort,
    progress: &(dyn Fn(&str) + Sync),
) -> Reproduction {
    let found = match document {
        Document::Murphy => murphy::measure(effort, progress),
        Document::Thesis => thesis::measure(effort, progress),
        Document::Li => li::measure(effort, progress),
        Document::Shi => shi::measure(effort, progress),
        Document::Steele => steele::measure(effort, progress),
        Document::Ant => ant::measure(effort, progress),
    };
    Reproduction { claims: book::judge(document, &found.findings), tables: found.tables }
}

/// What the experiments on a document came to.
#[derive(Debug, Default)]
struct Measured {
    findings: Vec<Finding>,
    tables: Vec<ReportTable>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_found_by_their_names() {
        for document in Document::ALL {
            assert_eq!(document.name().parse(), Ok(document));
        }
        let refusal = "Murphy2".parse::<Document>().unwrap_err().to_string();
        assert_eq!(
            refusal,
            "'Murphy2' is not a document; give one of murphy, thesis, li, shi, steele, ant"
        );
    }
}
