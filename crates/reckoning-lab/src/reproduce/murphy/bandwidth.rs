//! MURPHY on publishing: only when necessary.

use std::time::Duration;

use reckoning::{Blend, BlendSpan, Ghost, GhostConfig, Kinematics, Publisher, PublisherConfig};

use super::MOTIONS;
use super::follow::{ACCELERATING, follow};
use crate::reproduce::{Effort, Finding, ReportTable};
use crate::{Motion, TICK_HZ};

/// The rates that look decent and great, in updates per second.
const RATES: [u32; 2] = [3, 5];

/// What a way to publish costs and how well the listener sees.
#[derive(Clone, Copy)]
struct PublishingCost {
    updates_per_s: f64,
    mean_m: f64,
    max_m: f64,
}

/// One motion at one rate: whenever allowed, and when necessary.
struct BandwidthRow {
    motion: Motion,
    rate: u32,
    fixed: PublishingCost,
    needed: PublishingCost,
}

impl BandwidthRow {
    fn saved(&self) -> f64 {
        1.0 - self.needed.updates_per_s / self.fixed.updates_per_s
    }
}

/// Runs every motion at both rates.
pub(super) fn run(effort: Effort) -> (Vec<Finding>, ReportTable) {
    let seconds = effort.seconds.min(120);
    let mut rows = Vec::new();
    for motion in [Motion::Straight].into_iter().chain(MOTIONS) {
        let track = motion.track(seconds * TICK_HZ);
        for rate in RATES {
            let (fixed, needed) = (always(&track, rate), needed(&track, rate));
            rows.push(BandwidthRow { motion, rate, fixed, needed });
        }
    }
    (vec![looks(&rows), saves(&rows)], table(&rows))
}

fn always(track: &[Kinematics], rate: u32) -> PublishingCost {
    let followed = follow(track, track, ACCELERATING, Blend::ProjectiveVelocity, rate);
    let updates_per_s = f64::from(rate);
    PublishingCost { updates_per_s, mean_m: followed.mean_m, max_m: followed.max_m }
}

/// Listing 18.1: checked whenever the rate allows, with a heartbeat of ten seconds.
fn needed(track: &[Kinematics], rate: u32) -> PublishingCost {
    let mut config = PublisherConfig::default();
    config.model = ACCELERATING;
    config.heartbeat = Duration::from_secs(10);
    config.min_interval = Duration::from_secs(1) / rate;
    let started = Publisher::start(config, &track[0]);
    let (mut publisher, first) = started.expect("the settings are sound");
    let mut ghost =
        Ghost::with_config(listener(rate), first, first.at()).expect("the spans are sound");
    let (mut sum_m, mut max_m) = (0.0, 0.0_f64);
    for truth in track {
        if truth.at > first.at()
            && let Some(update) = publisher.observe(truth)
        {
            ghost.accept(update, truth.at);
        }
        let error_m = ghost.position_at(truth.at).distance(truth.position);
        sum_m += error_m;
        max_m = max_m.max(error_m);
    }
    let seconds = track.len() as f64 / f64::from(TICK_HZ);
    let updates_per_s = publisher.stats().exported as f64 / seconds;
    PublishingCost { updates_per_s, mean_m: sum_m / track.len() as f64, max_m }
}

/// Follows the model through four heartbeats of silence.
fn listener(rate: u32) -> GhostConfig {
    let mut config = GhostConfig::default();
    config.span = BlendSpan::Fixed(Duration::from_secs(1) / rate);
    config.max_extrapolation = Duration::from_secs(40);
    config
}

fn saves(rows: &[BandwidthRow]) -> Finding {
    let of = |rate| rows.iter().filter(move |row| row.rate == rate);
    let saved = RATES.map(|rate| {
        let motions: Vec<String> = of(rate)
            .map(|row| format!("{} {:.0}", row.motion.name(), 100.0 * row.saved()))
            .collect();
        let mean = of(rate).map(BandwidthRow::saved).sum::<f64>() / of(rate).count().max(1) as f64;
        (mean, format!("{:.0} % of {rate}/s ({} %)", 100.0 * mean, motions.join(", ")))
    });
    let most_per_s = rows.iter().map(|row| row.needed.updates_per_s).fold(0.0, f64::max);
    let of_all = 100.0 * (1.0 - most_per_s / f64::from(TICK_HZ));
    let cost = RATES.map(|rate| {
        let gained = of(rate).map(|row| row.needed.mean_m - row.fixed.mean_m);
        format!("{:.0} cm", 100.0 * gained.fold(0.0, f64::max))
    });
    let text = format!(
        "saves {} and {}; of every tick's 60/s at least {of_all:.0} %; the mean error rises by at \
         most {}",
        saved[0].1,
        saved[1].1,
        cost.join(" and ")
    );
    Finding::new("traffic", text).list("saved", &[saved[0].0, saved[1].0])
}

fn looks(rows: &[BandwidthRow]) -> Finding {
    let means = RATES.map(|rate| {
        let motions = rows.iter().filter(|row| row.rate == rate);
        let texts =
            motions.map(|row| format!("{} {:.1}", row.motion.name(), 100.0 * row.fixed.mean_m));
        format!("{rate}/s: {} cm", texts.collect::<Vec<_>>().join(", "))
    });
    Finding::new("looks", format!("mean error at {}", means.join("; at ")))
}

fn table(rows: &[BandwidthRow]) -> ReportTable {
    let title = "MURPHY on publishing: at a fixed rate, and at most at that rate when necessary; \
                 errors in metres";
    let columns = [
        "motion",
        "rate",
        "needed/s",
        "saved %",
        "of 60/s %",
        "mean",
        "max",
        "mean fixed",
        "max fixed",
    ];
    let mut table = ReportTable::new(title, &columns);
    for row in rows {
        table.rows.push(vec![
            row.motion.name().to_owned(),
            row.rate.to_string(),
            format!("{:.2}", row.needed.updates_per_s),
            format!("{:.1}", 100.0 * row.saved()),
            format!("{:.1}", 100.0 * (1.0 - row.needed.updates_per_s / f64::from(TICK_HZ))),
            format!("{:.3}", row.needed.mean_m),
            format!("{:.2}", row.needed.max_m),
            format!("{:.3}", row.fixed.mean_m),
            format!("{:.2}", row.fixed.max_m),
        ]);
    }
    table
}
