//! Claims of THESIS, chapter 2, about clocks.

use super::clocks::ClockPair;
use super::figure_claim;
use super::tank::{TOP_SPEED_MPS, TankDrive};
use crate::reproduce::{Claim, ClaimVerdict, Document};

/// A tank of `BZFlag` is this long, and this wide.
const TANK_M: [f64; 2] = [6.0, 2.8];
/// An error below this is none: positions are exact to this after minutes.
const NOTHING_M: f64 = 1e-6;

pub(super) fn claims(pairs: &[ClockPair]) -> Vec<Claim> {
    vec![
        after_is_zero(pairs),
        before_remains(pairs),
        global_is_smaller(pairs),
        two_tanks(pairs),
        grows_with_delay(pairs),
        stops_overshoot(pairs),
        only_stops(pairs),
    ]
}

fn driven(pairs: &[ClockPair], drive: TankDrive) -> impl Iterator<Item = &ClockPair> {
    pairs.iter().filter(move |pair| pair.drive == drive)
}

fn after_is_zero(pairs: &[ClockPair]) -> Claim {
    let worst = pairs.iter().map(|pair| pair.global.export.after).fold(0.0, f64::max);
    let local =
        pairs.iter().filter(|pair| pair.delay_ms == 300).map(|pair| pair.local.export.after);
    let local = local.fold(f64::INFINITY, f64::min);
    Claim {
        document: Document::Thesis,
        claim: "With synchronised clocks the export error after an update has arrived is zero"
            .to_owned(),
        published: "zero, by construction (section 2.2)".to_owned(),
        measured: format!(
            "at most {worst:.1e} m with the global clock in all runs; at 300 ms at least \
             {local:.2} m with the local one"
        ),
        verdict: ClaimVerdict::from_holds(worst < NOTHING_M && local > 0.1),
        why: "measured towards the exported path, without a blend".to_owned(),
    }
}

fn before_remains(pairs: &[ClockPair]) -> Claim {
    let least = pairs.iter().map(|pair| pair.global.export.before).fold(f64::INFINITY, f64::min);
    let most = pairs.iter().map(|pair| pair.global.export.before).fold(0.0, f64::max);
    Claim {
        document: Document::Thesis,
        claim: "The export error before an update arrives cannot be avoided".to_owned(),
        published: "in words (section 2.2)".to_owned(),
        measured: format!("{least:.3} to {most:.2} m on average with the global clock"),
        verdict: ClaimVerdict::from_holds(least > NOTHING_M),
        why: "every run keeps some, the more the longer the delay".to_owned(),
    }
}

fn global_is_smaller(pairs: &[ClockPair]) -> Claim {
    let ratio = |pair: &ClockPair| pair.global.mean_m / pair.local.mean_m;
    let of = |drive| {
        let ratios: Vec<String> =
            driven(pairs, drive).map(|pair| format!("{:.1}", 100.0 * ratio(pair))).collect();
        format!("{} {} %", drive.name(), ratios.join(", "))
    };
    let most = pairs.iter().map(ratio).fold(0.0, f64::max);
    figure_claim(
        "The average error with the global clock is substantially less than with the local one",
        "2.2",
        format!("of the local error, at 100, 300, 800 ms: {}", TankDrive::ALL.map(of).join("; ")),
        most < 0.5,
        "substantially: less than half, in every drive at every delay",
    )
}

fn two_tanks(pairs: &[ClockPair]) -> Claim {
    let at_300 = driven(pairs, TankDrive::Linear).find(|pair| pair.delay_ms == 300);
    let (local_m, global_m, right) = at_300.map_or((0.0, 0.0, 0.0), |pair| {
        (pair.local.max_m, pair.global.mean_m, 100.0 * pair.global.right_share)
    });
    let lengths = [local_m / TANK_M[0], local_m / TANK_M[1]];
    Claim {
        document: Document::Thesis,
        claim: "In linear motion at 300 ms the local error is up to two tanks, the global one \
                close to zero"
            .to_owned(),
        published: "2 tank units; a tank is 6 long and 2.8 wide".to_owned(),
        measured: format!(
            "local up to {local_m:.1} m, {:.1} tank lengths or {:.1} widths; global {global_m:.3} m \
             on average and nothing in {right:.0} % of the time",
            lengths[0], lengths[1]
        ),
        verdict: ClaimVerdict::from_holds(
            lengths[0] < 2.0 && lengths[1] > 2.0 && global_m < 0.1 * TANK_M[1] && right > 80.0,
        ),
        why: format!(
            "the unit is not said: two tanks lie between two widths and two lengths; ours drives \
             {TOP_SPEED_MPS} m/s, the top speed of the game"
        ),
    }
}

fn grows_with_delay(pairs: &[ClockPair]) -> Claim {
    let means = |drive| driven(pairs, drive).map(|pair| pair.global.mean_m).collect::<Vec<_>>();
    let rises = |drive| means(drive).windows(2).all(|pair| pair[0] < pair[1]);
    let right: Vec<String> = driven(pairs, TankDrive::Random)
        .map(|pair| format!("{:.0} %", 100.0 * pair.global.right_share))
        .collect();
    let metres: Vec<String> =
        means(TankDrive::Random).iter().map(|mean_m| format!("{mean_m:.2} m")).collect();
    figure_claim(
        "In random motion the global error reaches zero often at low delay and grows with the \
         delay",
        "2.2",
        format!(
            "nothing off in {} of the time at 100, 300, 800 ms; on average {}",
            right.join(", "),
            metres.join(", ")
        ),
        TankDrive::ALL.into_iter().all(rises),
        "the mean rises with the delay in every drive",
    )
}

fn stops_overshoot(pairs: &[ClockPair]) -> Claim {
    let stops = || driven(pairs, TankDrive::Stopping);
    let worse = stops().map(|pair| pair.global_worse_at_stops).fold(1.0, f64::min);
    let list = |numbers: Vec<f64>| {
        numbers.iter().map(|m| format!("{m:.1}")).collect::<Vec<_>>().join(", ")
    };
    let global: Vec<f64> = stops().map(|pair| pair.global.overshoot_m).collect();
    let local: Vec<f64> = stops().map(|pair| pair.local.overshoot_m).collect();
    let holds =
        worse > 0.3 && global.iter().all(|&m| m > 1.0) && local.iter().all(|&m| m < NOTHING_M);
    figure_claim(
        "When a tank stops, the global clock overshoots and looks worse than the local one",
        "2.2",
        format!(
            "beyond the stop: global {} m, local {} m at 100, 300, 800 ms; while the news is under \
             way the global one is farther off in at least {:.0} % of the ticks",
            list(global),
            list(local),
            100.0 * worse
        ),
        holds,
        "early in the flight the local one is still farther off, because it lags behind the stop",
    )
}

fn only_stops(pairs: &[ClockPair]) -> Claim {
    let others = pairs.iter().filter(|pair| pair.drive != TankDrive::Stopping);
    let most = others.map(|pair| pair.global_worse).fold(0.0, f64::max);
    figure_claim(
        "Stopping is the only case in which the global clock is worse",
        "2.2, \"a few instances\"",
        format!(
            "in drives that never stop the global one is farther off in up to {:.1} % of all ticks",
            100.0 * most
        ),
        most < 0.001,
        "slowing down and sharp turns favour whoever lags behind, too",
    )
}
