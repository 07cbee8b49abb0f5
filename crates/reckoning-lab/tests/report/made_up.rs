//! Rows that nobody measured, of a plausible shape.

use reckoning_lab::compare::{ClosedRow, Comparison, OpenRow, PathSample, ReceiverRow};
use reckoning_lab::report::{DataSet, FairnessRow};
use reckoning_lab::reproduce::{Claim, ClaimKind, ClaimVerdict, ReportTable, Reproduction};

/// Name, error at a second, growth with delay, packets.
const PREDICTORS: [(&str, f64, f64, f64); 6] = [
    ("hold", 260.0, 0.85, 9.1),
    ("linear", 190.0, 1.3, 5.2),
    ("accelerating", 240.0, 1.7, 5.9),
    ("damped", 170.0, 1.15, 4.7),
    ("ekb-hybrid", 158.0, 0.95, 4.9),
    ("oaekb", 175.0, 0.8, 6.4),
];
/// Source, its scale, its sessions.
const SOURCES: [(&str, f64, [&str; 2]); 2] = [
    ("quakeworld", 1.0, ["duel_aerowalk", "4on4_dm2"]),
    ("football", 0.02, ["hawkeye_1_1", "skillcorner_half1"]),
];
const DELAYS_MS: [u64; 7] = [300, 600, 900, 1200, 1500, 1800, 2100];

/// A comparison of six predictors on two sources.
pub fn comparison() -> Comparison {
    let mut made = Comparison::default();
    for (source, scale, sessions) in SOURCES {
        for (number, session) in (1_u8..).zip(sessions) {
            let scale = scale * (0.9 + 0.1 * f64::from(number));
            for predictor in PREDICTORS {
                let at = |delay| open(source, session, predictor, delay, scale);
                made.open.extend(DELAYS_MS.map(at));
                made.closed.push(closed(source, session, predictor, scale));
                made.paths.push(path(source, session, predictor, scale));
            }
        }
    }
    made
}

fn open(
    source: &str,
    session: &str,
    (predictor, second, growth, _): (&str, f64, f64, f64),
    delay_ms: u64,
    scale: f64,
) -> OpenRow {
    let aee = scale * second * libm::pow(delay_ms as f64 / 1000.0, growth);
    let hit_rate = libm::exp(-aee / scale / 130.0);
    OpenRow {
        inert: None,
        source: source.to_string(),
        session: session.to_string(),
        predictor: predictor.to_string(),
        delay_ms,
        aee,
        aee_low: aee * 0.94,
        aee_high: aee * 1.07,
        hit_rate,
        hit_within: if source == "football" { 0.3 } else { 16.0 },
        classes: [0.5, 0.3, 0.15, 0.05],
        n: 48_200,
    }
}

fn closed(
    source: &str,
    session: &str,
    (predictor, second, _, packets): (&str, f64, f64, f64),
    scale: f64,
) -> ClosedRow {
    ClosedRow {
        inert: None,
        source: source.to_string(),
        session: session.to_string(),
        predictor: predictor.to_string(),
        bound: if source == "football" { 0.3 } else { 16.0 },
        packets_per_entity_s: packets,
        packets_low: packets * 0.93,
        packets_high: packets * 1.08,
        mean_error: scale * second * 0.04,
        shown_error_100ms: scale * second * 0.09,
        shown_error_link: Some(scale * second * 0.13),
        receivers: [200, 500, 800].map(|delay_ms| receiver(delay_ms, scale * second)).to_vec(),
        roughness: second * 0.002,
        in_walls: (source == "quakeworld").then_some(second * 0.0001),
    }
}

fn receiver(delay_ms: u32, size: f64) -> ReceiverRow {
    let late = size * f64::from(delay_ms) / 1000.0;
    ReceiverRow {
        receiver: format!("{delay_ms} ms"),
        shown_error: 0.5 * late,
        before: 0.4 * late,
        after: 0.1 * late,
        cee: 0.38 * late,
        eee: 0.01 * late,
        aee: 0.39 * late,
    }
}

/// Round a corner and back; the shown path lags behind and swings out.
fn path(
    source: &str,
    session: &str,
    (predictor, second, growth, _): (&str, f64, f64, f64),
    scale: f64,
) -> PathSample {
    let truth: Vec<[f64; 2]> = (0..240_u16)
        .map(|tick| {
            let t = f64::from(tick) / 30.0;
            [
                scale * 90.0 * t,
                scale * 220.0 * libm::sin(0.9 * t) + scale * 20.0 * libm::cos(4.0 * t),
            ]
        })
        .collect();
    let swing = |tick: usize| {
        let phase = tick as f64 / 30.0 * (2.0 + growth);
        scale * second * 0.22 * libm::sin(phase) * libm::fabs(libm::sin(0.45 * phase))
    };
    let shown: Vec<[f64; 2]> = truth
        .iter()
        .enumerate()
        .map(|(tick, at)| [at[0] + 0.4 * swing(tick), at[1] + swing(tick)])
        .collect();
    let error = |(tick, (a, b)): (usize, (&[f64; 2], &[f64; 2]))| {
        (tick as f64 / 30.0, libm::hypot(a[0] - b[0], a[1] - b[1]))
    };
    PathSample {
        source: source.to_string(),
        session: session.to_string(),
        id: 3,
        predictor: predictor.to_string(),
        error: truth.iter().zip(&shown).enumerate().map(error).collect(),
        truth,
        shown,
    }
}

/// What the rows would come from.
pub fn data() -> Vec<DataSet> {
    let set = |source: &str, units: &str, body_width| DataSet {
        source: source.to_string(),
        sessions: 2,
        bodies: 22,
        samples: 1_048_576,
        seconds: 1834.0,
        units: units.to_string(),
        body_width,
    };
    vec![
        set("quakeworld", "Quake units (1 unit about an inch)", 32.0),
        set("football", "metres", 0.6),
    ]
}

/// Four listeners under three policies.
pub fn fairness() -> Vec<FairnessRow> {
    let policies = [
        ("base", [0.4, 0.9, 1.7, 2.6]),
        ("scheduling #1", [0.9, 1.1, 1.3, 1.6]),
        ("deterministic", [1.1, 1.15, 1.2, 1.3]),
    ];
    let listeners = ["50 ms", "200 ms", "500 ms", "800 ms"];
    let rows = |(policy, errors): (&str, [f64; 4])| {
        let row = |(listener, error): (&str, f64)| FairnessRow {
            policy: policy.to_string(),
            listener: listener.to_string(),
            error,
        };
        listeners.into_iter().zip(errors).map(row).collect::<Vec<_>>()
    };
    policies.into_iter().flat_map(rows).collect()
}

/// One claim of each verdict.
pub fn reproduction() -> Reproduction {
    let claim = |document: &str, claim: &str, numbers: [&str; 2], verdict, why: &str| Claim {
        document: document.parse().expect("a document by its name"),
        id: format!("{document}-{}", claim.len()),
        place: "5".to_string(),
        kind: ClaimKind::ReMeasured,
        claim: claim.to_string(),
        rule: "closer within 3 of 7.24".to_string(),
        published: numbers[0].to_string(),
        measured: numbers[1].to_string(),
        verdict,
        why: why.to_string(),
        cause: String::new(),
    };
    let within = "within the spread of 150 circles";
    let late = "the lead is lost beyond a radian of turn between two updates; see the grid";
    let closed =
        "the study's traces are not public, and its text leaves the speed of the bodies open";
    let claims = vec![
        claim(
            "murphy",
            "closer than Bezier, 1 Hz",
            ["7.24 %", "7.7 %"],
            ClaimVerdict::Reproduced,
            within,
        ),
        claim(
            "murphy",
            "closer than Bezier, 5 Hz",
            ["5.57 %", "-2.1 %"],
            ClaimVerdict::NotReproduced,
            late,
        ),
        claim("shi", "AEE of EKB at 900 ms", ["41.2 px", "-"], ClaimVerdict::NotComparable, closed),
    ];
    let rows = vec![vec!["1 Hz".into(), "7.24".into(), "7.7".into()]];
    let columns = vec!["rate".into(), "published, %".into(), "measured, %".into()];
    let tables = vec![ReportTable { title: "MURPHY: the circle".into(), columns, rows }];
    Reproduction { claims, tables }
}
