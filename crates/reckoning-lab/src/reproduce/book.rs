//! The claims of each document as data: what is said, and the rule that decides.
//!
//! The files in `claims/` hold everything that is known before an experiment runs; the
//! experiments only measure. So a rule stands in the history before its result, and a reader
//! can check both without reading code.

use serde::Deserialize;

use super::finding::Finding;
use super::rule::{Numbers, Rule, RuleError};
use super::{Claim, ClaimKind, ClaimVerdict, Document};

const MURPHY: &str = include_str!("../../claims/murphy.toml");
const THESIS: &str = include_str!("../../claims/thesis.toml");
const LI: &str = include_str!("../../claims/li.toml");
const SHI: &str = include_str!("../../claims/shi.toml");
const STEELE: &str = include_str!("../../claims/steele.toml");
const ANT: &str = include_str!("../../claims/ant.toml");

/// One claim as the file has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    /// Section, table or figure.
    place: String,
    /// What the document says, in our words.
    sentence: String,
    /// What it printed, or "figure only".
    published: String,
    /// Which finding decides.
    measure: String,
    /// All of these must hold. None: the document says too little to be judged.
    #[serde(default)]
    rule: Vec<String>,
    /// What rules mean by `tolerance`.
    tolerance: Option<f64>,
    /// Why this rule and this tolerance.
    why: String,
    kind: ClaimKind,
    /// Why it comes out as it does, as far as that was tried.
    #[serde(default)]
    cause: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Book {
    /// What is to be known of every claim of the document.
    #[serde(default)]
    setting: String,
    claim: Vec<Entry>,
}

/// Every claim of a document, judged by what was found.
pub(super) fn judge(document: Document, findings: &[Finding]) -> Vec<Claim> {
    let book = book(document);
    let entries = book.claim.iter();
    entries.map(|entry| entry.judged(document, &book.setting, findings)).collect()
}

fn book(document: Document) -> Book {
    let text = match document {
        Document::Murphy => MURPHY,
        Document::Thesis => THESIS,
        Document::Li => LI,
        Document::Shi => SHI,
        Document::Steele => STEELE,
        Document::Ant => ANT,
    };
    toml::from_str(text).expect("the claim files are part of the program; a test reads them all")
}

impl Entry {
    fn judged(&self, document: Document, setting: &str, findings: &[Finding]) -> Claim {
        let found = findings.iter().find(|finding| finding.measure == self.measure);
        let (verdict, refusal) = match found.map(|found| self.verdict(&found.numbers)) {
            Some(Ok(verdict)) => (verdict, String::new()),
            Some(Err(error)) => (ClaimVerdict::NotComparable, error.to_string()),
            None => (ClaimVerdict::NotComparable, "what it needs is not here".to_owned()),
        };
        let note = found.map_or("", |found| &found.note);
        Claim {
            document,
            id: self.id.clone(),
            place: self.place.clone(),
            kind: self.kind,
            claim: self.sentence.clone(),
            rule: self.rule_text(),
            published: self.published.clone(),
            measured: found.map_or("nothing".to_owned(), |found| found.text.clone()),
            verdict,
            why: joined(&[&self.why, setting]),
            cause: joined(&[&refusal, &self.cause, note]),
        }
    }

    fn verdict(&self, numbers: &Numbers) -> Result<ClaimVerdict, RuleError> {
        if self.rule.is_empty() {
            return Ok(ClaimVerdict::NotComparable);
        }
        let mut numbers = numbers.clone();
        numbers.extend(self.tolerance.map(|it| ("tolerance".to_owned(), vec![it])));
        let held = self.rule.iter().map(|rule| Rule::parse(rule)?.holds(&numbers));
        let held: Vec<bool> = held.collect::<Result<_, _>>()?;
        Ok(ClaimVerdict::from_holds(held.iter().all(|&holds| holds)))
    }

    /// The rule as a reader wants it, with the tolerance in its place.
    fn rule_text(&self) -> String {
        if self.rule.is_empty() {
            return "none".to_owned();
        }
        let tolerance = self.tolerance.map_or(String::new(), |it| it.to_string());
        self.rule.join(" and ").replace("tolerance", &tolerance)
    }
}

/// What is not empty, one after the other.
fn joined(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_claim_file_can_be_read_and_every_rule_in_it() {
        let mut ids = BTreeSet::new();
        for document in Document::ALL {
            for entry in book(document).claim {
                assert!(ids.insert(entry.id.clone()), "{} is there twice", entry.id);
                let said = [&entry.place, &entry.sentence, &entry.published, &entry.why];
                assert!(said.iter().all(|text| !text.is_empty()), "{}", entry.id);
                for rule in &entry.rule {
                    assert!(Rule::parse(rule).is_ok(), "{}: {rule}", entry.id);
                }
                let uses = entry.rule.iter().any(|rule| rule.contains("tolerance"));
                assert_eq!(uses, entry.tolerance.is_some(), "{}: tolerance", entry.id);
            }
        }
    }

    fn entry(rule: &str) -> Entry {
        let text = format!(
            "id = 'x'\nplace = '1'\nsentence = 's'\npublished = 'p'\nmeasure = 'm'\nrule = [{rule}]\n\
             tolerance = 0.5\nwhy = 'w'\nkind = 'own control'\ncause = 'known'"
        );
        toml::from_str(&text).unwrap()
    }

    fn judged(rule: &str, measure: &str) -> Claim {
        let finding = Finding::new(measure, "1.4 m".to_owned()).number("off", 1.4);
        entry(rule).judged(Document::Li, "bots", &[finding.note("8 seeds".to_owned())])
    }

    #[test]
    fn a_verdict_follows_from_the_rule_and_the_numbers() {
        let claim = judged("'off within tolerance of 1'", "m");
        assert_eq!(claim.verdict, ClaimVerdict::Reproduced);
        assert_eq!(claim.rule, "off within 0.5 of 1");
        assert_eq!((claim.why.as_str(), claim.cause.as_str()), ("w; bots", "known; 8 seeds"));
        let both = judged("'off > 1', 'off < tolerance'", "m");
        assert_eq!(both.verdict, ClaimVerdict::NotReproduced);
    }

    #[test]
    fn what_was_not_measured_or_has_no_rule_is_not_comparable() {
        for (rule, measure) in [("", "m"), ("'other > 1'", "m"), ("'off > 1'", "another")] {
            assert_eq!(judged(rule, measure).verdict, ClaimVerdict::NotComparable, "{rule}");
        }
        assert!(judged("'other > 1'", "m").cause.starts_with("'other' was not measured"));
    }
}
