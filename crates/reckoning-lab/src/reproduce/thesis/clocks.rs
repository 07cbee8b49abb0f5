//! Chapter 2 of THESIS: the value of a common clock to one listener.
//!
//! One body, one listener behind a fixed delay. With a local clock it shows an update as if
//! it spoke of the moment of arrival; with a global clock it projects over the delay.

use std::time::Duration;

use reckoning::accounting::Split;
use reckoning::{
    Blend, FlightLog, Ghost, GhostConfig, Kinematics, Model, Publisher, PublisherConfig, SimTime,
    Timing, Update,
};

use super::tank::TankDrive;
use crate::TICK_HZ;
use crate::reproduce::{Effort, ReportTable};

/// The delays of the experiment.
pub(super) const DELAYS_MS: [u64; 3] = [100, 300, 800];
/// A shot hits that goes by the middle of a tank in no more than this: half its length.
const HIT_M: f64 = 3.0;

/// What one listener saw of one drive, with one clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListenerView {
    /// The error towards the exported path, in metres: averaged over the run.
    pub(super) export: Split,
    /// Distance from the real path in metres.
    pub(super) mean_m: f64,
    pub(super) max_m: f64,
    /// The share of ticks in which the placed path is not off by more than a millimetre.
    pub(super) right_share: f64,
    /// The share of shots, straight at where the tank is shown, that hit it.
    pub(super) hit_share: f64,
    /// How far beyond its place a standing tank was shown; only one that drives along x stands.
    pub(super) overshoot_m: f64,
}

/// The same drive and delay with both clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClockPair {
    pub(super) drive: TankDrive,
    pub(super) delay_ms: u64,
    pub(super) updates_per_s: f64,
    pub(super) local: ListenerView,
    pub(super) global: ListenerView,
    /// The share of ticks in which the listener with the global clock was farther off.
    pub(super) global_worse: f64,
    /// The same among the ticks in which the tank stands and has not yet been seen to.
    pub(super) global_worse_at_stops: f64,
}

/// Runs every drive at every delay.
pub(super) fn pairs(effort: Effort) -> Vec<ClockPair> {
    let mut pairs = Vec::new();
    for drive in TankDrive::ALL {
        let track = drive.track(effort.seconds, 1);
        let exports = exports(&track);
        for delay_ms in DELAYS_MS {
            pairs.push(pair(drive, delay_ms, &track, &exports));
        }
    }
    pairs
}

/// What the owner exports. `BZFlag` reckons circles as circles, so the model is the arc.
fn exports(track: &[Kinematics]) -> Vec<Update> {
    let mut config = PublisherConfig::default();
    config.model = Model::Arc;
    config.angle_threshold = None;
    let started = Publisher::start(config, &track[0]);
    let (mut publisher, first) = started.expect("the settings are sound and tanks are finite");
    let later = track[1..].iter().filter_map(|truth| publisher.observe(truth));
    std::iter::once(first).chain(later).collect()
}

fn pair(drive: TankDrive, delay_ms: u64, track: &[Kinematics], exports: &[Update]) -> ClockPair {
    let delay = Duration::from_millis(delay_ms);
    let local = Listening::run(Timing::OnArrival { delay: Duration::ZERO }, delay, track, exports);
    let global = Listening::run(Timing::Synchronised, delay, track, exports);
    let both = || local.errors_m.iter().zip(&global.errors_m);
    let worse = both().filter(|(local, global)| *global > *local).count();
    let stopping: Vec<_> = unheard_stops(track, delay).collect();
    let worse_at_stops =
        stopping.iter().filter(|&&tick| global.errors_m[tick] > local.errors_m[tick]).count();
    ClockPair {
        drive,
        delay_ms,
        updates_per_s: exports.len() as f64 / length_s(track),
        local: local.seen(track),
        global: global.seen(track),
        global_worse: worse as f64 / local.errors_m.len() as f64,
        global_worse_at_stops: worse_at_stops as f64 / stopping.len().max(1) as f64,
    }
}

fn length_s(track: &[Kinematics]) -> f64 {
    track[track.len() - 1].at.secs_since(track[0].at)
}

/// The ticks in which the tank stands, but for less long than the news of it travels.
fn unheard_stops(track: &[Kinematics], delay: Duration) -> impl Iterator<Item = usize> {
    let mut stopped = None;
    track.iter().enumerate().filter_map(move |(tick, truth)| {
        let stands = truth.velocity.length() == 0.0;
        stopped = if stands { stopped.or(Some(truth.at)) } else { None };
        stopped.filter(|&since| truth.at < since + delay).map(|_| tick)
    })
}

/// One listener over one run.
struct Listening {
    log: FlightLog,
    /// Distance from the exported path: two of the same moment where the picture jumps.
    samples: Vec<(SimTime, f64)>,
    /// Distance from the real path at every tick.
    errors_m: Vec<f64>,
    overshoot_m: f64,
}

impl Listening {
    fn run(timing: Timing, delay: Duration, track: &[Kinematics], exports: &[Update]) -> Self {
        let mut config = GhostConfig::default();
        (config.blend, config.timing) = (Blend::Snap, timing);
        let first = exports[0];
        // The first update is there from the start, as a join message would be.
        let started = Ghost::with_config(config, first, first.at());
        let mut ghost = started.expect("the settings are sound");
        let (log, samples, errors_m) = (FlightLog::new(), Vec::new(), Vec::new());
        let mut run = Self { log, samples, errors_m, overshoot_m: 0.0 };
        run.log.exported(first.at());
        run.log.received(first.at(), first.at());
        let (mut newest, mut sent, mut arrived) = (first, 1, 1);
        for truth in track {
            while exports.get(arrived).is_some_and(|update| update.at() + delay <= truth.at) {
                let at = exports[arrived].at() + delay;
                run.sample(&ghost, &newest, at);
                ghost.accept(exports[arrived], at);
                run.log.received(exports[arrived].at(), at);
                run.sample(&ghost, &newest, at);
                arrived += 1;
            }
            if let Some(update) = exports.get(sent).filter(|update| update.at() == truth.at) {
                run.sample(&ghost, &newest, truth.at);
                run.log.exported(update.at());
                (newest, sent) = (*update, sent + 1);
            }
            run.sample(&ghost, &newest, truth.at);
            run.look(&ghost, truth);
        }
        run
    }

    fn sample(&mut self, ghost: &Ghost, newest: &Update, at: SimTime) {
        self.samples.push((at, ghost.position_at(at).distance(newest.position_at(at))));
    }

    fn look(&mut self, ghost: &Ghost, truth: &Kinematics) {
        let off = ghost.position_at(truth.at) - truth.position;
        self.errors_m.push(off.length());
        if truth.velocity.length() == 0.0 {
            self.overshoot_m = self.overshoot_m.max(off.x);
        }
    }

    fn seen(&self, track: &[Kinematics]) -> ListenerView {
        let split = self.log.split_samples(&self.samples);
        let per_s = 1.0 / length_s(track);
        let count = self.errors_m.len() as f64;
        let shots: Vec<f64> = self.errors_m.iter().copied().step_by(TICK_HZ as usize).collect();
        let hits = shots.iter().filter(|&&error_m| error_m <= HIT_M).count();
        let right = self.errors_m.iter().filter(|&&error_m| error_m < 1e-3).count();
        ListenerView {
            export: Split { before: split.before * per_s, after: split.after * per_s },
            mean_m: self.errors_m.iter().sum::<f64>() / count,
            max_m: self.errors_m.iter().copied().fold(0.0, f64::max),
            right_share: right as f64 / count,
            hit_share: hits as f64 / shots.len() as f64,
            overshoot_m: self.overshoot_m,
        }
    }
}

/// All numbers of the chapter.
pub(super) fn table(pairs: &[ClockPair]) -> ReportTable {
    let title = "THESIS chapter 2: error of a listener with a local and a global clock, in metres; \
                 before and after are export errors averaged over the run";
    let columns = [
        "drive",
        "delay ms",
        "updates/s",
        "clock",
        "before",
        "after",
        "mean",
        "max",
        "right %",
        "hits %",
        "overshoot",
    ];
    let mut table = ReportTable::new(title, &columns);
    for pair in pairs {
        for (clock, seen) in [("local", pair.local), ("global", pair.global)] {
            table.rows.push(vec![
                pair.drive.name().to_owned(),
                pair.delay_ms.to_string(),
                format!("{:.2}", pair.updates_per_s),
                clock.to_owned(),
                format!("{:.3}", seen.export.before),
                format!("{:.3}", seen.export.after),
                format!("{:.3}", seen.mean_m),
                format!("{:.2}", seen.max_m),
                format!("{:.1}", 100.0 * seen.right_share),
                format!("{:.1}", 100.0 * seen.hit_share),
                if pair.drive == TankDrive::Stopping {
                    format!("{:.2}", seen.overshoot_m)
                } else {
                    "-".to_owned()
                },
            ]);
        }
    }
    table
}
