//! What chapter 2 of THESIS claims about clocks, measured.

use super::clocks::ClockPair;
use super::tank::TankDrive;
use crate::reproduce::Finding;

/// A tank of `BZFlag` is this long, and this wide.
const TANK_M: [f64; 2] = [6.0, 2.8];

pub(super) fn findings(pairs: &[ClockPair]) -> Vec<Finding> {
    vec![
        after(pairs),
        before(pairs),
        global_to_local(pairs),
        linear_at_300(pairs),
        growth(pairs),
        stops(pairs),
        worse_without_stops(pairs),
        hits(pairs),
    ]
}

fn driven(pairs: &[ClockPair], drive: TankDrive) -> impl Iterator<Item = &ClockPair> {
    pairs.iter().filter(move |pair| pair.drive == drive)
}

fn after(pairs: &[ClockPair]) -> Finding {
    let worst = pairs.iter().map(|pair| pair.global.export.after).fold(0.0, f64::max);
    let local =
        pairs.iter().filter(|pair| pair.delay_ms == 300).map(|pair| pair.local.export.after);
    let local = local.fold(f64::INFINITY, f64::min);
    let text = format!(
        "at most {worst:.1e} m with the global clock in all runs; at 300 ms at least {local:.2} m \
         with the local one"
    );
    Finding::new("after", text).number("global", worst).number("local", local)
}

fn before(pairs: &[ClockPair]) -> Finding {
    let least = pairs.iter().map(|pair| pair.global.export.before).fold(f64::INFINITY, f64::min);
    let most = pairs.iter().map(|pair| pair.global.export.before).fold(0.0, f64::max);
    let text = format!("{least:.3} to {most:.2} m on average with the global clock");
    Finding::new("before", text).number("global", least)
}

fn global_to_local(pairs: &[ClockPair]) -> Finding {
    let ratio = |pair: &ClockPair| pair.global.mean_m / pair.local.mean_m;
    let of = |drive| {
        let ratios: Vec<String> =
            driven(pairs, drive).map(|pair| format!("{:.1}", 100.0 * ratio(pair))).collect();
        format!("{} {} %", drive.name(), ratios.join(", "))
    };
    let text =
        format!("of the local error, at 100, 300, 800 ms: {}", TankDrive::ALL.map(of).join("; "));
    let ratios: Vec<f64> = pairs.iter().map(ratio).collect();
    Finding::new("global to local", text).list("ratio", &ratios)
}

fn linear_at_300(pairs: &[ClockPair]) -> Finding {
    let at_300 = driven(pairs, TankDrive::Linear).find(|pair| pair.delay_ms == 300);
    let (local_m, global_m, right) = at_300.map_or((0.0, 0.0, 0.0), |pair| {
        (pair.local.max_m, pair.global.mean_m, 100.0 * pair.global.right_share)
    });
    let (lengths, widths) = (local_m / TANK_M[0], local_m / TANK_M[1]);
    let text = format!(
        "local up to {local_m:.1} m, {lengths:.1} tank lengths or {widths:.1} widths; global \
         {global_m:.3} m on average and nothing in {right:.0} % of the time"
    );
    Finding::new("linear at 300 ms", text)
        .number("lengths", lengths)
        .number("widths", widths)
        .number("global", global_m)
        .number("right", right)
}

fn growth(pairs: &[ClockPair]) -> Finding {
    let means = |drive| driven(pairs, drive).map(|pair| pair.global.mean_m).collect::<Vec<_>>();
    let right: Vec<String> = driven(pairs, TankDrive::Random)
        .map(|pair| format!("{:.0} %", 100.0 * pair.global.right_share))
        .collect();
    let metres: Vec<String> =
        means(TankDrive::Random).iter().map(|mean_m| format!("{mean_m:.2} m")).collect();
    let text = format!(
        "nothing off in {} of the time at 100, 300, 800 ms; on average {}",
        right.join(", "),
        metres.join(", ")
    );
    let found = Finding::new("growth", text);
    TankDrive::ALL.into_iter().fold(found, |it, drive| it.list(drive.name(), &means(drive)))
}

fn stops(pairs: &[ClockPair]) -> Finding {
    let of = |number: fn(&ClockPair) -> f64| -> Vec<f64> {
        driven(pairs, TankDrive::Stopping).map(number).collect()
    };
    let list =
        |numbers: &[f64]| numbers.iter().map(|m| format!("{m:.1}")).collect::<Vec<_>>().join(", ");
    let worse = of(|pair| pair.global_worse_at_stops);
    let (global, local) = (of(|pair| pair.global.overshoot_m), of(|pair| pair.local.overshoot_m));
    let text = format!(
        "beyond the stop: global {} m, local {} m at 100, 300, 800 ms; while the news is under way \
         the global one is farther off in at least {:.0} % of the ticks",
        list(&global),
        list(&local),
        100.0 * worse.iter().copied().fold(1.0, f64::min)
    );
    Finding::new("stops", text).list("worse", &worse).list("global", &global).list("local", &local)
}

fn worse_without_stops(pairs: &[ClockPair]) -> Finding {
    let others = pairs.iter().filter(|pair| pair.drive != TankDrive::Stopping);
    let most = others.map(|pair| pair.global_worse).fold(0.0, f64::max);
    let even = driven(pairs, TankDrive::Circular).map(|pair| pair.global_worse).fold(0.0, f64::max);
    let text = format!(
        "in drives that never stop the global one is farther off in up to {:.1} % of all ticks, on \
         circles in {:.2} %",
        100.0 * most,
        100.0 * even
    );
    Finding::new("worse without stops", text).number("share", most).number("even", even)
}

fn hits(pairs: &[ClockPair]) -> Finding {
    let random: Vec<&ClockPair> = driven(pairs, TankDrive::Random).collect();
    let of = |number: fn(&ClockPair) -> f64| random.iter().map(|pair| number(pair)).collect();
    let global: Vec<f64> = of(|pair| 100.0 * pair.global.hit_share);
    let local: Vec<f64> = of(|pair| 100.0 * pair.local.hit_share);
    let lead: Vec<f64> = global.iter().zip(&local).map(|(global, local)| global - local).collect();
    let each = global.iter().zip(&local).map(|(global, local)| format!("{global:.0}/{local:.0}"));
    let each: Vec<String> = each.collect();
    let text = format!(
        "{} % of the shots hit with the global and the local clock at 100, 300, 800 ms",
        each.join(", ")
    );
    Finding::new("hits", text)
        .list("global", &global)
        .list("local", &local)
        .list("global_high", &global[1..])
        .list("local_high", &local[1..])
        .list("lead_low", &lead[..1])
        .list("lead_high", &lead[1..])
}
