use super::*;
use crate::reproduce::book::judge;
use crate::reproduce::steele::ahead::{Misses, MissesByKind};
use crate::reproduce::steele::chain::{ByKind, ChainTally};
use crate::reproduce::steele::findings::{ChainRun, Projected};
use crate::reproduce::steele::places::PlaceKind;
use crate::reproduce::steele::printed::PrintedErrors;
use crate::reproduce::{Claim, ClaimVerdict, Document};

const SUBJECTS: u32 = 12;

/// Subjects unlike each other; `updates` and `error_m` at critical places and elsewhere.
fn run(updates: [f64; 2], error_m: [f64; 2]) -> ChainRun {
    let subject = |number: u32| {
        let own = 1.0 + 0.05 * f64::from(number * number % 7);
        let tally = |at: usize| ChainTally {
            ticks: 6000.0,
            updates: updates[at] * own,
            allowed_m: 0.0,
            now_m: error_m[at] * own,
            late_m: error_m[at] * own,
        };
        let kinds = PlaceKind::ALL.map(|kind| tally(usize::from(!kind.is_critical())));
        ByKind::from(kinds)
    };
    ChainRun { name: String::new(), subjects: (0..SUBJECTS).map(subject).collect() }
}

fn projected(error_m: f64, tunnels: f64) -> Projected {
    let subject = |number: u32| {
        let own = error_m * (1.0 + 0.05 * f64::from(number * number % 7));
        let misses = Misses { count: 1.0, sums_m: [own; 4], tunnels };
        MissesByKind::from([misses; PlaceKind::ALL.len()])
    };
    Projected { name: "", subjects: (0..SUBJECTS).map(subject).collect() }
}

fn varied(size: f64) -> Vec<f64> {
    (0..SUBJECTS).map(|number| size * (1.0 + 0.05 * f64::from(number * number % 7))).collect()
}

/// Findings in which everything that STEELE hopes for is so or, `flipped`, the reverse.
fn findings(flipped: bool) -> LevelFindings {
    let (mut by_place, mut frugal) =
        (run([400.0, 200.0], [90.0, 105.0]), run([300.0, 300.0], [100.0, 100.0]));
    let mut errors_m = [5.0, 4.0, 3.0, 2.0, 2.5];
    let mut chain_m = [5.0, 4.0, 3.0, 2.0, 2.0];
    let mut walls = [0.0, 0.1];
    let mut shown_m = [1.0, 2.0];
    let mut confidence = [-0.4, -0.2];
    if flipped {
        std::mem::swap(&mut by_place, &mut frugal);
        errors_m = errors_m.map(|error_m| 6.0 - error_m);
        chain_m = chain_m.map(|error_m| 6.0 - error_m);
        walls.reverse();
        shown_m.reverse();
        confidence = [0.2, 0.4];
    }
    let middle = frugal.clone();
    let ahead = errors_m.map(|error_m| projected(error_m, walls[0])).to_vec();
    LevelFindings {
        training_h: 1.0,
        subjects: SUBJECTS as usize,
        thresholds: vec![Thresholds { title: "second order", by_place, frugal, middle }],
        chains: chain_m.map(|error_m| run([300.0; 2], [error_m; 2])).to_vec(),
        ahead_brief: ahead.clone(),
        ahead,
        through_walls: projected(1.0, walls[1]),
        printed: PrintedErrors {
            trend: [0; 4].map(|_| varied(shown_m[0])),
            known: [0; 4].map(|_| varied(shown_m[1])),
        },
        confidence,
    }
}

fn claims(level: &LevelFindings) -> Vec<Claim> {
    judge(Document::Steele, &super::findings(level))
}

#[test]
fn verdicts_follow_the_numbers() {
    for claim in claims(&findings(false)) {
        assert_eq!(claim.verdict, ClaimVerdict::Reproduced, "{claim}");
    }
}

#[test]
fn verdicts_flip_with_the_sign_of_the_data() {
    for claim in claims(&findings(true)) {
        assert_eq!(claim.verdict, ClaimVerdict::NotReproduced, "{claim}");
    }
}

#[test]
fn a_cost_that_is_not_negligible_refutes_the_second_hypothesis() {
    let mut dear = findings(false);
    dear.thresholds[0].by_place = run([400.0, 200.0], [90.0, 130.0]);
    let claims = claims(&dear);
    let claim = claims.iter().find(|claim| claim.id == "steele-elsewhere").unwrap();
    assert_eq!(claim.verdict, ClaimVerdict::NotReproduced);
}
