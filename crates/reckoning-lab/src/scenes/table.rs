//! Text form of the scene table.

use std::fmt::Write as _;
use std::time::Duration;

use reckoning::model::{Ballistic, Landing};
use reckoning::{Blend, Curve, CurveBasis, Model};
use reckoning_netsim::LinkConfig;

use super::measure::roughness;
use super::{Scenario, ScenarioError, ScenarioReport, ScenarioTally};
use crate::motion::GRAVITY_MPS2;
use crate::{Motion, TICK_HZ};

const SECONDS: u32 = 25;
/// Each scenario is played with so many seeds, so that no single one decides.
const SEEDS: u64 = 8;
/// The link of the overview and the picture.
pub(crate) const BAD: &str =
    "delay=150,jitter=40,loss=0.05,outage=300,dup=0.02,reorder=0.05,hold=100";
const LINKS: [(&str, &str); 3] =
    [("perfect", "delay=0"), ("good", "delay=50,jitter=10,loss=0.01"), ("bad", BAD)];

const HEAD: &str = "\
# The scene table. Made by `cargo xtask tables`; a test compares it. Do not edit.
#
# Each motion runs for 25 s at 60 Hz through publisher, link and ghost; numbers are over
# eight seeds of the link. Models are shown through projective velocity, blends with the
# linear model. Publisher and ghost have their default settings (0.25 m, 5 degrees,
# heartbeat 0.5 s; blends of 333 ms).
#
# updates/s, bytes/s  what the publisher exports, payload in the plain encoding of
#                     crates/reckoning-lab/src/scenes/bytes.rs; UDP and IP would add 28
#                     bytes to an update that travels alone
# mean, p95, max      export error: distance from truth to shown at every frame, in metres
# beyond              how far past a stopping place it was shown at worst, in metres
# rough               mean jerk of what was shown, in m/s3; the row `truth` is the body itself
#                     (ticks are whole microseconds, which alone makes about 2 at 6 m/s)
#
# Links, in the words of LinkConfig:
";

/// The models a table compares on a motion, by name.
pub(crate) fn models(motion: Motion) -> Vec<(&'static str, Model)> {
    let mut models = vec![
        ("hold", Model::Hold),
        ("linear", Model::Linear),
        ("accelerating", Model::Accelerating { trust: Duration::from_millis(500) }),
        ("damped", Model::Damped { fade: Duration::from_secs(1) }),
        ("decaying", Model::Decaying { fade: Duration::from_millis(300) }),
        ("curve", Model::Curve(Curve::still(CurveBasis::FOUR))),
        ("arc", Model::Arc),
    ];
    if motion == Motion::Jump
        && let Ok(fall) = Ballistic::new(GRAVITY_MPS2, 0.0, Landing::Run)
    {
        models.push(("ballistic", Model::Ballistic(fall)));
    }
    models
}

pub(crate) const fn blend_name(blend: Blend) -> &'static str {
    match blend {
        Blend::Snap => "snap",
        Blend::Linear => "linear",
        Blend::Fade => "fade",
        Blend::ProjectiveVelocity => "projective",
        Blend::ProjectiveVelocityPrinted => "projective, printed",
        Blend::Bezier => "bezier",
        Blend::Hermite => "hermite",
        Blend::CatmullRom => "catmull-rom",
        _ => "another",
    }
}

/// The measured rows of one motion on one link.
struct SceneBlock {
    motion: Motion,
    link: &'static str,
    models: Vec<(&'static str, ScenarioReport)>,
    blends: Vec<(&'static str, ScenarioReport)>,
    /// Of the truth itself.
    rough_mps3: f64,
}

/// Plays every scene and writes the table.
///
/// # Errors
/// None, unless a built-in scenario no longer suits the engine.
pub fn scene_table() -> Result<String, ScenarioError> {
    let mut blocks = Vec::new();
    for motion in Motion::ALL {
        for (name, spec) in LINKS {
            blocks.push(measure(motion, name, spec)?);
        }
    }
    let mut text = HEAD.to_owned();
    for (name, spec) in LINKS {
        put(&mut text, &format!("#   {name:<9} {spec}"));
    }
    write_overview(&mut text, &blocks);
    for block in &blocks {
        write_block(&mut text, block);
    }
    Ok(text)
}

fn measure(motion: Motion, link: &'static str, spec: &str) -> Result<SceneBlock, ScenarioError> {
    let config = spec.parse().unwrap_or_default();
    let play =
        |model, blend| tally(&Scenario { motion, seconds: SECONDS, model, blend, link: config });
    let models = models(motion)
        .into_iter()
        .map(|(name, model)| Ok((name, play(model, Blend::ProjectiveVelocity)?)))
        .collect::<Result<_, ScenarioError>>()?;
    let blends = Blend::ALL
        .into_iter()
        .map(|blend| Ok((blend_name(blend), play(Model::Linear, blend)?)))
        .collect::<Result<_, ScenarioError>>()?;
    let truth: Vec<_> = motion.track(SECONDS * TICK_HZ).iter().map(|k| k.position).collect();
    Ok(SceneBlock { motion, link, models, blends, rough_mps3: roughness(&truth) })
}

/// Plays a scenario once for each seed.
pub(crate) fn tally(scenario: &Scenario) -> Result<ScenarioReport, ScenarioError> {
    let truths = scenario.motion.track(scenario.seconds * TICK_HZ);
    let mut tally = ScenarioTally::default();
    for seed in 1..=SEEDS {
        let link = LinkConfig { seed, ..scenario.link };
        tally.add(&Scenario { link, ..*scenario }.run_along(truths.clone())?);
    }
    Ok(tally.report())
}

/// What most readers came for, on one screen: the price of each model, and on the bad link
/// its error and the roughness of each blend.
fn write_overview(text: &mut String, blocks: &[SceneBlock]) {
    let bad: Vec<&SceneBlock> = blocks.iter().filter(|block| block.link == "bad").collect();
    let updates = |report: &ScenarioReport| report.updates_per_s;
    let error = |report: &ScenarioReport| report.error_mean_m;
    let rough = |report: &ScenarioReport| report.roughness_mps3;
    write_grid(text, "updates/s by model", &bad, |block| &block.models, updates);
    write_grid(text, "mean error m by model, bad link", &bad, |block| &block.models, error);
    write_grid(text, "mean error m by blend, bad link", &bad, |block| &block.blends, error);
    write_grid(text, "roughness m/s3 by blend, bad link", &bad, |block| &block.blends, rough);
}

fn write_grid(
    text: &mut String,
    title: &str,
    blocks: &[&SceneBlock],
    rows: fn(&SceneBlock) -> &Vec<(&'static str, ScenarioReport)>,
    number: fn(&ScenarioReport) -> f64,
) {
    put(text, "");
    put(text, title);
    let longest = blocks.iter().map(|block| rows(block)).max_by_key(|rows| rows.len());
    let names = longest.into_iter().flatten().map(|(name, _)| short(name));
    put(text, &names.fold(format!("  {:<12}", ""), |line, name| line + &format!("{name:>13}")));
    for block in blocks {
        let numbers = rows(block).iter().map(|(_, report)| three_digits(number(report)));
        let line = format!("  {:<12}", block.motion.name());
        put(text, &numbers.fold(line, |line, number| line + &format!("{number:>13}")));
    }
}

/// A name that fits a column of the overview.
fn short(name: &str) -> &str {
    if name == "projective, printed" { "printed" } else { name }
}

fn write_block(text: &mut String, block: &SceneBlock) {
    put(text, "");
    let motion = block.motion;
    put(text, &format!("{} on {}: {}", motion.name(), block.link, motion.summary()));
    write_rows(text, "model", &block.models);
    write_rows(text, "blend", &block.blends);
    let rough = three_digits(block.rough_mps3);
    write_row(text, "truth", ["", "", "", "", "", "", &rough].map(str::to_owned));
}

fn write_rows(text: &mut String, kind: &str, rows: &[(&str, ScenarioReport)]) {
    let head = ["updates/s", "bytes/s", "mean", "p95", "max", "beyond", "rough"];
    write_row(text, kind, head.map(str::to_owned));
    for (name, report) in rows {
        let numbers = [
            three_digits(report.updates_per_s),
            three_digits(report.bytes_per_s),
            three_digits(report.error_mean_m),
            three_digits(report.error_p95_m),
            three_digits(report.error_max_m),
            report.overshoot_m.map_or_else(|| "-".to_owned(), three_digits),
            three_digits(report.roughness_mps3),
        ];
        write_row(text, name, numbers);
    }
}

fn write_row(text: &mut String, name: &str, [updates, bytes, cells @ ..]: [String; 7]) {
    let line = format!("  {name:<20}{updates:>10}{bytes:>9}");
    put(text, &cells.iter().fold(line, |line, cell| line + &format!("{cell:>9}")));
}

fn put(text: &mut String, line: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}

/// Three significant digits, at most four after the point; whole numbers from 100 up.
fn three_digits(x: f64) -> String {
    let size = x.abs();
    if size < 0.000_05 {
        return "0".to_owned();
    }
    let decimals = match size {
        _ if size >= 99.95 => 0,
        _ if size >= 9.995 => 1,
        _ if size >= 0.999_5 => 2,
        _ if size >= 0.099_95 => 3,
        _ => 4,
    };
    format!("{x:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let numbers = [0.0, 1e-15, 0.012_34, 0.099_96, 0.9996, 1.234, 9.996, 12.34, 99.96, 1234.5];
        let texts = numbers.map(three_digits);
        let expected = ["0", "0", "0.0123", "0.100", "1.00", "1.23", "10.0", "12.3", "100", "1234"];
        assert_eq!(texts, expected);
    }

    #[test]
    fn every_link_of_the_table_is_understood() {
        for (name, spec) in LINKS {
            assert!(spec.parse::<LinkConfig>().is_ok(), "{name}");
        }
    }
}
