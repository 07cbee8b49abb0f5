//! MURPHY on acceleration: a great help, and not always your friend.

use std::f64::consts::TAU;

use reckoning::random::SplitMix64;
use reckoning::sampler::damp_acceleration;
use reckoning::{Blend, DVec3, Kinematics, Model, Sampler, SamplerConfig, SimTime};

use super::follow::{ACCELERATING, follow};
use super::{MOTIONS, claim};
use crate::TICK_HZ;
use crate::reproduce::{Claim, ClaimVerdict, Effort, ReportTable};

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
pub(super) fn run(effort: Effort) -> (Vec<Claim>, ReportTable) {
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

    /// In how many motions the first source is closer than the second.
    fn closer(&self, first: usize, second: usize) -> usize {
        self.rows.iter().filter(|(_, errors_m)| errors_m[first] < errors_m[second]).count()
    }

    fn helps(&self) -> Claim {
        let halved = self.rows.iter().filter(|(_, errors_m)| errors_m[1] < 0.5 * errors_m[0]);
        let count = halved.count();
        claim(
            "Acceleration can be a huge advantage",
            "in words (18.5)",
            format!("mean error without/with exact acceleration in cm: {}", self.list(&[0, 1])),
            ClaimVerdict::from_holds(count >= 1),
            &format!("at least halved in {count} of {} motions", self.rows.len()),
        )
    }

    fn harms(&self) -> Claim {
        let worse = self.closer(0, 2);
        claim(
            "Spiky acceleration can make things worse than none",
            "in words (18.5)",
            format!("none/spiky in cm: {}", self.list(&[0, 2])),
            ClaimVerdict::from_holds(worse >= 1),
            &format!(
                "worse in {worse} of {} motions; spikes of {SPIKES_MPS2} m/s2 on each axis",
                self.rows.len()
            ),
        )
    }

    fn frames_help(&self) -> Claim {
        let better = self.closer(4, 2);
        claim(
            "Where readings are spiky, velocity and acceleration taken from frames are better",
            "in words (18.5)",
            format!("spiky/1/2/3 frames in cm: {}", self.list(&[2, 3, 4, 5])),
            ClaimVerdict::from_holds(better == self.rows.len()),
            "asked of two frames, in every motion; here positions are exact, so that averaging \
             over more frames gains nothing",
        )
    }

    fn damped(&self) -> Claim {
        let weave = self.rows.iter().find(|(motion, _)| *motion == "weave");
        let holds = weave.is_some_and(|(_, errors_m)| errors_m[6] < errors_m[1]);
        claim(
            "Damping acceleration that changes rapidly helps a zigzagging actor",
            "in words (18.5, optional)",
            format!("exact/damped in cm: {}", self.list(&[1, 6])),
            ClaimVerdict::from_holds(holds),
            "judged by the error of a weaving runner, whose acceleration turns round between updates; \
             a zigzag of straight legs has none when most updates are made",
        )
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
