//! MURPHY on acceleration: a great help, and not always your friend.

use std::f64::consts::TAU;

use reckoning::random::SplitMix64;
use reckoning::sampler::damp_acceleration;
use reckoning::{Blend, DVec3, Kinematics, Model, Sampler, SamplerConfig, SimTime};

use super::MOTIONS;
use super::follow::{ACCELERATING, follow};
use crate::TICK_HZ;
use crate::reproduce::{Effort, Finding, ReportTable};

const UPDATES_PER_S: u32 = 3;
/// How spiky readings are: the standard deviation of each axis, a few times what a runner
/// manages.
const SPIKES_MPS2: f64 = 30.0;

/// The ways to get at what is published.
const SOURCES: [&str; 7] =
    ["none", "exact", "spiky", "1 frame", "2 frames", "3 frames", "exact, damped"];

/// Mean error by motion and by source.
struct SourceErrors {
    rows: Vec<(&'static str, [f64; 7])>,
}

/// Runs every motion with every source of acceleration.
pub(super) fn run(effort: Effort) -> (Vec<Finding>, ReportTable) {
    let ticks = effort.seconds.min(120) * TICK_HZ;
    let built_in = MOTIONS.map(|motion| (motion.name(), motion.track(ticks)));
    let tracks = built_in.into_iter().chain([("weave", weave(ticks))]);
    let errors =
        SourceErrors { rows: tracks.map(|(name, track)| (name, errors_m(&track))).collect() };
    (vec![errors.helps(), errors.harms(), errors.frames_help(), errors.damped()], errors.table())
}

/// A runner at 6 m/s who swings half a metre to either side, and whose acceleration has
/// changed its sign about as often as an update says so.
fn weave(ticks: u32) -> Vec<Kinematics> {
    let rate = TAU / 0.7;
    let truth = |tick| {
        let at = SimTime::from_tick(i64::from(tick), TICK_HZ);
        let (sin, cos) = libm::sincos(rate * at.as_secs_f64());
        let position = DVec3::new(6.0 * at.as_secs_f64(), 0.5 * sin, 0.0);
        let velocity = DVec3::new(6.0, 0.5 * rate * cos, 0.0);
        let acceleration = DVec3::NEG_Y * (0.5 * rate * rate * sin);
        Kinematics { acceleration, ..Kinematics::moving(at, position, velocity) }
    };
    (0..=ticks).map(truth).collect()
}

fn errors_m(track: &[Kinematics]) -> [f64; 7] {
    let mean_m = |published: &[Kinematics], model| {
        follow(track, published, model, Blend::ProjectiveVelocity, UPDATES_PER_S).mean_m
    };
    let frames = |frames| mean_m(&sampled(track, frames), ACCELERATING);
    [
        mean_m(track, Model::Linear),
        mean_m(track, ACCELERATING),
        mean_m(&spiky(track), ACCELERATING),
        frames(1),
        frames(2),
        frames(3),
        mean_m(&damped(track), ACCELERATING),
    ]
}

/// As a physics engine whose forces compete frame by frame would report it.
fn spiky(track: &[Kinematics]) -> Vec<Kinematics> {
    let mut random = SplitMix64::new(5);
    let mut spike = || SPIKES_MPS2 * random.normal();
    let read = |truth: &Kinematics| {
        let acceleration = truth.acceleration + DVec3::new(spike(), spike(), 0.0);
        Kinematics { acceleration, ..*truth }
    };
    track.iter().map(read).collect()
}

/// Velocity and acceleration from the last frames.
fn sampled(track: &[Kinematics], frames: u8) -> Vec<Kinematics> {
    let mut config = SamplerConfig::default();
    config.frames = frames;
    let mut sampler = Sampler::new(config).expect("one to three frames are allowed");
    track.iter().map(|t| sampler.observe(t.at, t.position, t.orientation)).collect()
}

/// Scaled by how well it agrees with the one published before.
fn damped(track: &[Kinematics]) -> Vec<Kinematics> {
    let apart = (TICK_HZ / UPDATES_PER_S) as usize;
    let scale = |(tick, truth): (usize, &Kinematics)| {
        let last = track[tick.saturating_sub(apart)].acceleration;
        Kinematics { acceleration: damp_acceleration(truth.acceleration, last), ..*truth }
    };
    track.iter().enumerate().map(scale).collect()
}

impl SourceErrors {
    /// Centimetres by source for each motion.
    fn list(&self, sources: &[usize]) -> String {
        let row = |(motion, errors_m): &(&'static str, [f64; 7])| {
            let cm = sources.iter().map(|&source| format!("{:.1}", 100.0 * errors_m[source]));
            format!("{} {}", motion, cm.collect::<Vec<_>>().join("/"))
        };
        self.rows.iter().map(row).collect::<Vec<_>>().join(", ")
    }

    /// One source in every motion.
    fn column(&self, source: usize) -> Vec<f64> {
        self.rows.iter().map(|(_, errors_m)| errors_m[source]).collect()
    }

    /// In how many motions the first source has less than this share of the error of the second.
    fn closer(&self, first: usize, share: f64, second: usize) -> f64 {
        let closer =
            |(_, errors_m): &&(&'static str, [f64; 7])| errors_m[first] < share * errors_m[second];
        self.rows.iter().filter(closer).count() as f64
    }

    fn helps(&self) -> Finding {
        let halved = self.closer(1, 0.5, 0);
        let text = format!(
            "mean error without/with exact acceleration in cm: {}; halved in {halved} of {} motions",
            self.list(&[0, 1]),
            self.rows.len()
        );
        Finding::new("acceleration helps", text).number("halved", halved)
    }

    fn harms(&self) -> Finding {
        let worse = self.closer(0, 1.0, 2);
        let text = format!(
            "none/spiky in cm: {}; worse in {worse} of {} motions",
            self.list(&[0, 2]),
            self.rows.len()
        );
        Finding::new("spikes harm", text).number("worse", worse)
    }

    fn frames_help(&self) -> Finding {
        let text = format!("spiky/1/2/3 frames in cm: {}", self.list(&[2, 3, 4, 5]));
        Finding::new("frames help", text)
            .list("frames", &self.column(4))
            .list("spiky", &self.column(2))
    }

    fn damped(&self) -> Finding {
        let weave = self.rows.iter().filter(|(motion, _)| *motion == "weave");
        let weave: Vec<&[f64; 7]> = weave.map(|(_, errors_m)| errors_m).collect();
        let of = |source: usize| weave.iter().map(|errors_m| errors_m[source]).collect::<Vec<_>>();
        Finding::new("damping", format!("exact/damped in cm: {}", self.list(&[1, 6])))
            .list("exact", &of(1))
            .list("damped", &of(6))
    }

    fn table(&self) -> ReportTable {
        let columns: Vec<&str> = std::iter::once("motion").chain(SOURCES).collect();
        let title = "MURPHY on acceleration, three updates a second: mean error in metres by where \
                     the published acceleration comes from";
        let mut table = ReportTable::new(title, &columns);
        for (motion, errors_m) in &self.rows {
            let cells = errors_m.iter().map(|error_m| format!("{error_m:.3}"));
            table.rows.push(std::iter::once((*motion).to_owned()).chain(cells).collect());
        }
        table
    }
}
