//! The two tables.

use std::fmt::Write;

use super::{Outcome, Scene};

/// Experiment A: pairs of receivers, without and with a common clock.
pub fn clocks(scenes: &[Scene], real: &[Outcome], twin: &[Outcome]) -> String {
    let mut text = String::from(
        "drive     | delay ms | updates | uncompensated m | compensated m | share % | \
         in virtual time: uncompensated m | compensated m\n",
    );
    for ((scene, real), twin) in scenes.iter().zip(real).zip(twin) {
        for (place, pair) in scene.listeners.chunks(2).enumerate() {
            let of = |outcome: &Outcome, which: usize| outcome.errors_m[2 * place + which];
            let (naive_m, common_m) = (of(real, 0), of(real, 1));
            let _ = writeln!(
                text,
                "{:9} | {:8} | {:7} | {naive_m:15.3} | {common_m:13.3} | {:7.1} | {:32.3} | {:13.3}",
                scene.name,
                pair[0].delay_ms,
                real.updates / scene.listeners.len() as u64,
                100.0 * common_m / naive_m,
                of(twin, 0),
                of(twin, 1),
            );
        }
    }
    text
}

/// Experiment B: one line for each policy, all its drives together.
pub fn fairness(names: &[&str], real: &[Outcome], twin: &[Outcome]) -> String {
    let mut text = String::from(
        "policy               | packets | mean m | deviation m | at 200 | at 500 | at 800 | lost | \
         in virtual time: packets | mean m | deviation m\n",
    );
    for ((name, real), twin) in names.iter().zip(real).zip(twin) {
        let each: Vec<String> = real.errors_m.iter().map(|m| format!("{m:6.3}")).collect();
        let _ = writeln!(
            text,
            "{name:20} | {:7} | {:6.3} | {:11.3} | {} | {:4} | {:24} | {:6.3} | {:11.3}",
            real.updates,
            real.mean_m(),
            real.deviation_m(),
            each.join(" | "),
            real.lost,
            twin.updates,
            twin.mean_m(),
            twin.deviation_m(),
        );
    }
    text
}
