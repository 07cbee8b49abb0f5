//! Measures of a scenario: error, roughness, overshoot and cost.

use reckoning::{DVec3, Kinematics};

use super::ScenarioRun;
use crate::TICK_HZ;
use crate::stats::mean;

/// A body must stand this long before its stop counts: the ghost needs time to be wrong.
const STANDS_TICKS: usize = TICK_HZ as usize / 2;

/// What a scenario cost and how well the ghost followed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScenarioReport {
    /// Updates the publisher exported per second.
    pub updates_per_s: f64,
    /// Payload per second in a plain encoding: whole `f32` vectors, no deltas, no headers.
    pub bytes_per_s: f64,
    /// Distance from truth to shown, averaged over all frames.
    pub error_mean_m: f64,
    /// The distance that 95 of 100 frames stay within.
    pub error_p95_m: f64,
    /// The largest distance.
    pub error_max_m: f64,
    /// How far beyond a stopping place the body was shown, at worst; `None` when it never
    /// stood for half a second.
    pub overshoot_m: Option<f64>,
    /// Mean jerk of what was shown: the third difference of its positions over the cube of
    /// the frame time. The truth has some of its own.
    pub roughness_mps3: f64,
}

/// Gathers runs of the same scenario that differ in their seed only.
#[derive(Clone, Debug, Default)]
pub struct ScenarioTally {
    errors_m: Vec<f64>,
    overshoot_m: Option<f64>,
    roughness_mps3: Vec<f64>,
    updates: usize,
    bytes: u64,
    seconds: f64,
}

impl ScenarioTally {
    /// Counts a run.
    pub fn add(&mut self, run: &ScenarioRun) {
        let errors = run.truths.iter().zip(&run.shown);
        self.errors_m.extend(errors.map(|(truth, shown)| (truth.position - *shown).length()));
        // `None` is less than any overshoot.
        self.overshoot_m = overshoots(run).fold(self.overshoot_m, |most, o| {
            if most.is_some_and(|most| most >= o) { most } else { Some(o) }
        });
        self.roughness_mps3.push(roughness(&run.shown));
        self.updates += run.sent.len();
        self.bytes += run.bytes;
        self.seconds += run.seconds();
    }

    /// The numbers so far; zeros when nothing was added.
    #[must_use]
    pub fn report(&self) -> ScenarioReport {
        let mut errors_m = self.errors_m.clone();
        errors_m.sort_unstable_by(f64::total_cmp);
        let per_s = |count: f64| if self.seconds > 0.0 { count / self.seconds } else { 0.0 };
        ScenarioReport {
            updates_per_s: per_s(self.updates as f64),
            bytes_per_s: per_s(self.bytes as f64),
            error_mean_m: mean(&self.errors_m),
            error_p95_m: quantile(&errors_m, 95),
            error_max_m: quantile(&errors_m, 100),
            overshoot_m: self.overshoot_m,
            roughness_mps3: mean(&self.roughness_mps3),
        }
    }
}

/// The value that `percent` of the sorted values do not exceed.
fn quantile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

/// Mean magnitude of the third difference of positions that are one tick apart, per tick
/// cubed.
pub(super) fn roughness(path: &[DVec3]) -> f64 {
    let hz = f64::from(TICK_HZ);
    let jerks: Vec<f64> = path
        .windows(4)
        .map(|p| (p[3] - p[2] * 3.0 + p[1] * 3.0 - p[0]).length() * (hz * hz * hz))
        .collect();
    mean(&jerks)
}

/// For each stop, how far beyond its place the body was shown while it stood.
fn overshoots(run: &ScenarioRun) -> impl Iterator<Item = f64> {
    stops(&run.truths).into_iter().map(|(first, last)| {
        let place = run.truths[first].position;
        let onward = run.truths[first - 1].velocity.normalize_or_zero();
        let beyond = run.shown[first..=last].iter().map(|shown| (*shown - place).dot(onward));
        beyond.fold(0.0, f64::max)
    })
}

/// The first and last tick of each time the body stood after it had moved.
fn stops(truths: &[Kinematics]) -> Vec<(usize, usize)> {
    let stands = |tick: usize| truths[tick].velocity == DVec3::ZERO;
    let mut found = Vec::new();
    let mut since = None;
    for tick in 1..truths.len() {
        if stands(tick) && !stands(tick - 1) {
            since = Some(tick);
        }
        let ends = !stands(tick) || tick + 1 == truths.len();
        if let Some(first) = since.filter(|_| ends) {
            if tick - first >= STANDS_TICKS {
                found.push((first, if stands(tick) { tick } else { tick - 1 }));
            }
            since = None;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use reckoning::SimTime;

    use super::*;

    /// Runs along `x` at 6 m/s for a second, then stands for one.
    fn truths() -> Vec<Kinematics> {
        let at = |tick| SimTime::from_tick(tick, TICK_HZ);
        let running = (0..60).map(|tick| {
            Kinematics::moving(at(tick), DVec3::X * (tick as f64 * 0.1), DVec3::X * 6.0)
        });
        let standing = (60..=120).map(|tick| Kinematics::at_rest(at(tick), DVec3::X * 6.0));
        running.chain(standing).collect()
    }

    fn report(shown: impl Fn(usize, DVec3) -> DVec3) -> ScenarioReport {
        let truths = truths();
        let shown = truths.iter().enumerate().map(|(i, k)| shown(i, k.position)).collect();
        let mut tally = ScenarioTally::default();
        tally.add(&ScenarioRun {
            truths,
            shown,
            sent: Vec::new(),
            arrived: Vec::new(),
            bytes: 500,
        });
        tally.report()
    }

    #[test]
    fn errors_are_distances_from_the_truth() {
        let off = report(|tick, truth| truth + DVec3::Y * if tick == 7 { 3.0 } else { 1.0 });
        assert_eq!((off.error_p95_m, off.error_max_m), (1.0, 3.0));
        assert!((off.error_mean_m - (1.0 + 2.0 / 121.0)).abs() < 1e-12);
        assert_eq!(off.bytes_per_s, 250.0);
    }

    #[test]
    fn overshoot_is_measured_along_the_way_and_after_the_stop() {
        let stops_at = |far_m: f64| {
            report(move |tick, truth| if tick == 65 { DVec3::new(far_m, 9.0, 0.0) } else { truth })
        };
        assert_eq!(stops_at(6.75).overshoot_m, Some(0.75));
        assert_eq!(stops_at(5.0).overshoot_m, Some(0.0));
        let ahead = report(|tick, truth| if tick == 50 { DVec3::X * 9.0 } else { truth });
        assert_eq!(ahead.overshoot_m, Some(0.0));
    }

    #[test]
    fn roughness_is_the_mean_jerk() {
        // x = t^3 has a third derivative of 6 everywhere.
        let cube: Vec<DVec3> = (0..60)
            .map(|tick| {
                let t = f64::from(tick) / 60.0;
                DVec3::X * (t * t * t)
            })
            .collect();
        assert!((roughness(&cube) - 6.0).abs() < 1e-6);
    }

    #[test]
    fn nothing_added_is_nothing_measured() {
        assert_eq!(ScenarioTally::default().report().error_max_m, 0.0);
        assert_eq!(ScenarioTally::default().report().overshoot_m, None);
    }
}
