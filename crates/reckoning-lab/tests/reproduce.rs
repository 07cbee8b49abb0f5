//! Verdicts on the claims of the five documents, as committed.

use std::sync::OnceLock;

use reckoning_lab::report::claims_text;
use reckoning_lab::reproduce::{
    Claim, ClaimVerdict, Document, Effort, Reproduction, reproduce_with,
};

const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata");
/// SHI and STEELE cost more, so their tables are made with a little of each session: enough
/// that the verdicts are those of the full run.
const SHI_EFFORT: Effort = Effort { seconds: 60, seeds: 1 };
const STEELE_EFFORT: Effort = Effort { seconds: 60, seeds: 2 };
const ANT_EFFORT: Effort = Effort { seconds: 300, seeds: 2 };

/// With `FULL_CLAIMS=1` everything runs as `reckon lab reproduce` does, to see that the tests' less
/// gives the same verdicts.
fn effort(usual: Effort) -> Effort {
    if std::env::var_os("FULL_CLAIMS").is_some() { Effort::FULL } else { usual }
}

fn quick(document: Document) -> Reproduction {
    reproduce_with(document, Effort::QUICK, &|_| ())
}

/// What seeds decide is committed as the full run has it. That takes seconds, so the tests share
/// one.
fn thesis() -> &'static Reproduction {
    static THESIS: OnceLock<Reproduction> = OnceLock::new();
    THESIS.get_or_init(|| reproduce_with(Document::Thesis, Effort::FULL, &|_| ()))
}

/// One line for each claim, without numbers, which would change with every improvement.
fn verdicts(found: &Reproduction) -> String {
    if writes() {
        eprintln!("{found}");
    }
    let line =
        |claim: &Claim| format!("{} | {:<14} | {}", claim.document, claim.verdict, claim.claim);
    found.claims.iter().map(line).collect::<Vec<_>>().join(
        "
",
    ) + "
"
}

/// To take over what is found, run with `WRITE_CLAIMS=1` and `--nocapture`, and look at the
/// numbers and at the difference.
fn writes() -> bool {
    std::env::var_os("WRITE_CLAIMS").is_some()
}

fn assert_committed(file: &str, found: &str) {
    let path = format!("{TABLES}/{file}");
    if writes() {
        std::fs::write(&path, found).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    for (found, committed) in found.lines().zip(committed.lines()) {
        assert_eq!(found, committed, "{file}");
    }
    assert_eq!(found.lines().count(), committed.lines().count(), "{file}: claims came or went");
}

#[test]
fn verdicts_are_as_committed() {
    let found = verdicts(&quick(Document::Murphy)) + &verdicts(thesis());
    assert_committed("claims-murphy-thesis.txt", &found);
}

#[test]
fn verdicts_on_bots_are_as_committed() {
    let mut shi = reproduce_with(Document::Shi, effort(SHI_EFFORT), &|_| ());
    // What is said of recorded people depends on whether their recordings are there.
    shi.claims.retain(|claim| !claim.claim.starts_with("On real movement"));
    let steele = reproduce_with(Document::Steele, effort(STEELE_EFFORT), &|_| ());
    assert_committed("claims-shi-steele.txt", &(verdicts(&shi) + &verdicts(&steele)));
}

#[test]
fn verdicts_on_points_of_interest_are_as_committed() {
    let mut ant = reproduce_with(Document::Ant, effort(ANT_EFFORT), &|_| ());
    ant.claims.retain(|claim| !claim.claim.starts_with("On real movement"));
    assert_committed("claims-ant.txt", &verdicts(&ant));
}

#[test]
fn verdicts_on_tanks_are_as_committed() {
    let li = reproduce_with(Document::Li, Effort::FULL, &|_| ());
    assert_committed("claims-li.txt", &verdicts(&li));
}

#[test]
fn the_same_effort_gives_the_same_text() {
    let effort = Effort { seconds: 30, seeds: 1 };
    for document in [Document::Murphy, Document::Thesis] {
        let text = || reproduce_with(document, effort, &|_| ()).to_string();
        assert_eq!(text(), text(), "{document}");
    }
}

/// A cell of a table as a number.
fn number(found: &Reproduction, table: &str, row: &str, column: &str) -> f64 {
    let table = found.tables.iter().find(|it| it.title.contains(table)).unwrap();
    let row = table.rows.iter().find(|it| it[0] == row).unwrap();
    row[table.columns.iter().position(|it| it == column).unwrap()].parse().unwrap()
}

#[test]
fn turns_by_accumulated_error_are_fairer_than_a_third_of_the_base_case() {
    let found = thesis();
    for delays in ["+-0 ms", "+-100 ms", "+-180 ms"] {
        let ratio = |column| {
            number(found, delays, "deterministic, accumulated", column)
                / number(found, delays, "1/3 base", column)
        };
        assert!(ratio("deviation") < 0.8, "{delays}: {}", ratio("deviation"));
        // The claim asks for a tenth of the mean of the seeds' ratios; this is the ratio of the means.
        assert!((ratio("mean") - 1.0).abs() < 0.12, "{delays}: {}", ratio("mean"));
        assert!(ratio("at 800") < 1.0, "{delays}: {}", ratio("at 800"));
        assert!((ratio("packets") - 1.0).abs() < 0.0025, "{delays}: {}", ratio("packets"));
    }
}

#[test]
fn only_blends_that_keep_velocity_hide_an_update() {
    let found = quick(Document::Murphy);
    let jump = |blend| number(&found, "on continuity", blend, "jump m/s");
    for (blend, keeps) in
        [("projective", true), ("bezier", true), ("projective, printed", false), ("snap", false)]
    {
        assert_eq!(jump(blend) == 0.0, keeps, "{blend}: {} m/s", jump(blend));
    }
}

#[test]
fn every_claim_is_complete() {
    for document in Document::ALL {
        let claims = reproduce_with(document, Effort { seconds: 30, seeds: 1 }, &|_| ()).claims;
        let fits = |line: &str| line.chars().count() <= 120;
        assert!(claims_text(&claims).lines().all(fits), "{}", claims_text(&claims));
        for claim in claims {
            assert_eq!(claim.document, document);
            for text in [&claim.claim, &claim.published, &claim.measured, &claim.why] {
                let mut words = text.split(|c: char| !c.is_alphanumeric());
                let broken = words.any(|word| word == "NaN" || word == "inf");
                assert!(!text.is_empty() && !broken, "{claim}");
            }
            let digits = claim.measured.chars().any(|c| c.is_ascii_digit());
            assert!(digits || claim.verdict == ClaimVerdict::NotComparable, "{claim}");
        }
    }
}
