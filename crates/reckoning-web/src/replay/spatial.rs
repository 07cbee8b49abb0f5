//! Simulated network of a replay in three dimensions: for every body a publisher of its motion and
//! of its turret, a link, and ghosts at its end.
//!
//! Bodies are published by their velocity, without a path for trains and without arcs for shells: a
//! recording says how bodies moved, not which settings their kinds had.

use std::time::Duration;

use reckoning::ground::Pose;
use reckoning::joints::{JointGhost, JointPublisher, JointPublisherConfig};
use reckoning::math::scaled_axis;
use reckoning::{
    AngleThreshold, DVec3, Ghost, Joint, Kinematics, Publisher, PublisherConfig, SimTime,
    Threshold, Update,
};
use reckoning_arena::hills::protocol::{HillsTruthBody, JointsChoice};
use reckoning_arena::hills::{Aim, HillsLevel};

use super::link::ReplayLink;
use super::recording::ReplayFrames;
use crate::controls::Controls;
use crate::hills::choices::HillsChoices;
use crate::hills::stance::Stance;
use crate::hills::streams::HillsStreams;

/// Truths a second.
const TICKS_PER_S: u32 = 60;
/// Plain positions a second are every third truth.
const SNAPSHOT_EVERY: i64 = 3;
/// After a leap of the scrubber the last seconds before are run again, so that ghosts have a past.
const RUN_UP_S: f64 = 2.0;
/// A body that moves further in a tick did not drive.
const LEAP_M: f64 = 12.0;
/// A leap of the clock longer than this is a leap of the scrubber.
const SCRUB_S: f64 = 1.0;
/// The orientation may be off by this before an update.
const ANGLE_DEG: f64 = 4.0;
/// Turrets shed their error over this.
const TURRET_BLEND: Duration = Duration::from_millis(200);

/// A datagram on its way: of everyone in one, as a server sends them.
#[derive(Clone, Debug)]
enum InFlight {
    Told(Vec<Told>),
    Snapshot(SimTime, Vec<HillsTruthBody>),
}

/// What an owner says.
#[derive(Clone, Debug)]
enum Told {
    Update(usize, Box<Update>),
    Joint(usize, usize, Joint),
}

/// A turret's or a barrel's two ends.
#[derive(Clone, Debug, Default)]
struct JointChain {
    publisher: Option<JointPublisher>,
    before_rad: f64,
    ghost: Option<JointGhost>,
}

/// One body's two ends.
#[derive(Clone, Debug, Default)]
struct BodyChain {
    publisher: Option<Publisher>,
    before: Option<Stance>,
    ghost: Option<Ghost>,
    /// The turret and the barrel.
    joints: [JointChain; 2],
}

/// The whole network of a replay in three dimensions.
#[derive(Clone, Debug)]
pub struct SpatialChain {
    controls: Controls,
    choices: HillsChoices,
    lines: Vec<BodyChain>,
    link: ReplayLink<InFlight>,
    streams: HillsStreams,
    tick: Option<i64>,
    updates: u64,
    snapshots: u64,
}

impl SpatialChain {
    /// A network with these settings.
    #[must_use]
    pub fn new(bodies: usize, controls: &Controls, choices: &HillsChoices) -> Self {
        Self {
            controls: controls.clone(),
            choices: *choices,
            lines: vec![BodyChain::default(); bodies],
            link: ReplayLink::default(),
            streams: HillsStreams::default(),
            tick: None,
            updates: 0,
            snapshots: 0,
        }
    }

    /// Other settings: the network begins anew, its counters go on.
    pub fn set(&mut self, controls: &Controls, choices: &HillsChoices) {
        (self.controls, self.choices) = (controls.clone(), *choices);
        self.tick = None;
    }

    /// Runs up to a moment of the recording; a leap begins anew shortly before it.
    pub fn run_to(&mut self, recording: &ReplayFrames, level: &HillsLevel, at_s: f64) {
        let goal = tick_at(at_s);
        let is_leap = self.tick.is_none_or(|tick| {
            goal < tick || (goal - tick) as f64 > SCRUB_S * f64::from(TICKS_PER_S)
        });
        let counted = (self.updates, self.snapshots);
        if is_leap {
            *self = Self::new(self.lines.len(), &self.controls, &self.choices);
            self.tick = Some(tick_at((at_s - RUN_UP_S).max(0.0)) - 1);
        }
        while let Some(tick) = self.tick.filter(|tick| *tick < goal) {
            self.tick = Some(tick + 1);
            self.step(recording, level, tick + 1);
        }
        if is_leap {
            (self.updates, self.snapshots) = counted; // what was run again did not come again
        }
    }

    fn step(&mut self, recording: &ReplayFrames, level: &HillsLevel, tick: i64) {
        let now = SimTime::from_tick(tick, TICKS_PER_S);
        let mut truths = Vec::with_capacity(self.lines.len());
        let mut told = Vec::new();
        for body in 0..self.lines.len() {
            let Some(stance) = recording.stance_at(body, now.as_secs_f64()) else {
                self.lines[body] = BodyChain::default();
                continue;
            };
            let velocity = self.observe(body, now, (&stance, level), &mut told);
            truths.push(truth_body(body, &stance, velocity));
        }
        let link = self.controls.link;
        if !told.is_empty() {
            self.link.send(now, link, InFlight::Told(told));
        }
        if tick % SNAPSHOT_EVERY == 0 {
            let plain = |it: &HillsTruthBody| HillsTruthBody { velocity: DVec3::ZERO, ..*it };
            let snapshot = truths.iter().map(plain).collect();
            self.link.send(now, link, InFlight::Snapshot(now, snapshot));
        }
        self.streams.hear_truth(now, now, &truths);
        self.arrive(now);
    }

    /// The owner says what it has to of this truth. Returns how fast it is.
    fn observe(
        &mut self,
        body: usize,
        now: SimTime,
        (stance, level): (&Stance, &HillsLevel),
        told: &mut Vec<Told>,
    ) -> DVec3 {
        let config = self.publishing();
        let line = &mut self.lines[body];
        let before = line.before.replace(*stance).unwrap_or(*stance);
        let has_leapt = before.pose.position.distance(stance.pose.position) > LEAP_M;
        let truth = truth_of(now, &before, stance, has_leapt);
        let update = match &mut line.publisher {
            Some(publisher) if has_leapt => publisher.teleport(&truth),
            Some(publisher) if self.choices.tuning.prevents => {
                publisher.observe_on(&truth, level.ground().as_ref())
            }
            Some(publisher) => publisher.observe(&truth),
            None => Publisher::start(config, &truth).ok().map(|(it, first)| {
                line.publisher = Some(it);
                first
            }),
        };
        told.extend(update.map(|it| Told::Update(body, Box::new(it))));
        if self.choices.tuning.joints == JointsChoice::Sent {
            for (place, angle_rad) in [stance.turret_rad, stance.barrel_rad].into_iter().enumerate()
            {
                let joint = line.joints[place].observe(now, angle_rad);
                told.extend(joint.map(|it| Told::Joint(body, place, it)));
            }
        }
        truth.velocity
    }

    fn publishing(&self) -> PublisherConfig {
        let mut config = PublisherConfig::default();
        if let Ok(threshold) = Threshold::metres(f64::from(self.choices.tuning.threshold_m)) {
            config.threshold = threshold;
        }
        config.angle_threshold = AngleThreshold::degrees(ANGLE_DEG).ok();
        config
    }

    fn arrive(&mut self, now: SimTime) {
        while let Some(flight) = self.link.arrive(now) {
            match flight {
                InFlight::Told(told) => told.into_iter().for_each(|it| self.hear(now, it)),
                InFlight::Snapshot(at, bodies) => {
                    self.snapshots += bodies.len() as u64;
                    self.streams.hear_snapshot(at, now, &bodies);
                }
            }
        }
    }

    fn hear(&mut self, now: SimTime, told: Told) {
        match told {
            Told::Update(body, update) => self.accept(now, body, *update),
            Told::Joint(body, place, joint) => self.lines[body].joints[place].accept(now, joint),
        }
    }

    fn accept(&mut self, now: SimTime, body: usize, update: Update) {
        self.updates += 1;
        let line = &mut self.lines[body];
        if line.publisher.is_none() {
            return; // it is absent by now
        }
        match &mut line.ghost {
            Some(ghost) => {
                ghost.accept(update, now);
            }
            None => line.ghost = Ghost::with_config(self.controls.ghosts(), update, now).ok(),
        }
    }

    /// How the ghost of a body is shown, before any clamp.
    #[must_use]
    pub fn shown(&self, body: usize, at_s: f64) -> Option<Stance> {
        let line = self.lines.get(body)?;
        let now = SimTime::from_secs_f64(at_s);
        let pose: Pose = line.ghost.as_ref()?.pose_at(now);
        let angle = |joint: &JointChain| joint.ghost.as_ref().map_or(0.0, |it| it.angle_at(now));
        let [turret, barrel] = &line.joints;
        Some(Stance { pose, turret_rad: angle(turret), barrel_rad: angle(barrel) })
    }

    /// What the other methods receive besides.
    #[must_use]
    pub const fn streams(&self) -> &HillsStreams {
        &self.streams
    }

    /// Updates that arrived so far, and plain positions.
    #[must_use]
    pub const fn counts(&self) -> (u64, u64) {
        (self.updates, self.snapshots)
    }
}

impl JointChain {
    fn observe(&mut self, at: SimTime, angle_rad: f64) -> Option<Joint> {
        let before_rad = std::mem::replace(&mut self.before_rad, angle_rad);
        let turned_rad = reckoning::orientation::shortest_turn_rad(before_rad, angle_rad);
        let mut truth = Joint { at, angle_rad, rate_radps: turned_rad * f64::from(TICKS_PER_S) };
        if let Some(publisher) = &mut self.publisher {
            return publisher.observe(truth);
        }
        truth.rate_radps = 0.0; // nothing is known of before
        let (publisher, first) =
            JointPublisher::start(JointPublisherConfig::default(), truth).ok()?;
        self.publisher = Some(publisher);
        Some(first)
    }

    fn accept(&mut self, now: SimTime, joint: Joint) {
        match &mut self.ghost {
            Some(ghost) => ghost.accept(joint, now),
            None => self.ghost = Some(JointGhost::new(joint, TURRET_BLEND)),
        }
    }
}

fn tick_at(at_s: f64) -> i64 {
    (at_s * f64::from(TICKS_PER_S)) as i64
}

/// Its motion, from where it was a tick before.
fn truth_of(now: SimTime, before: &Stance, stance: &Stance, has_leapt: bool) -> Kinematics {
    let rate = if has_leapt { 0.0 } else { f64::from(TICKS_PER_S) };
    let (from, to) = (before.pose, stance.pose);
    let mut truth = Kinematics::moving(now, to.position, (to.position - from.position) * rate);
    truth.orientation = to.orientation;
    truth.angular_velocity = scaled_axis(to.orientation * from.orientation.inverse()) * rate;
    truth
}

fn truth_body(body: usize, stance: &Stance, velocity: DVec3) -> HillsTruthBody {
    let (turret_rad, barrel_rad) = (stance.turret_rad, stance.barrel_rad);
    HillsTruthBody {
        entity: body as u32,
        position: stance.pose.position,
        velocity,
        orientation: stance.pose.orientation,
        aim: Aim { turret_rad, barrel_rad, ..Aim::default() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tank that goes east with 10 m/s for four seconds and turns its turret by 0.5 rad/s.
    fn recording() -> ReplayFrames {
        let header = r#"{"name":"a","rate_hz":20,"bodies":[{"id":4,"kind_name":"tank"}],
            "numbers":["x","y","yaw","health","ammo","z","qw","qx","qy","qz","joint:turret"]}"#;
        let mut bytes = Vec::new();
        for frame in 0..=80_u8 {
            let at_s = f32::from(frame) / 20.0;
            let x = 500.0 + 10.0 * at_s;
            let numbers = [x, 500.0, 0.0, 60.0, 3.0, 90.0, 1.0, 0.0, 0.0, 0.0, 0.5 * at_s];
            bytes.extend(numbers.iter().flat_map(|it| it.to_le_bytes()));
        }
        ReplayFrames::new(header, &bytes).unwrap()
    }

    fn run(sets: &[(&str, &str)], until_s: &[f64]) -> SpatialChain {
        let (mut controls, mut choices) = (Controls::default(), HillsChoices::default());
        for (name, value) in sets {
            if choices.set(name, value).is_none() {
                controls.set(name, value).unwrap();
            }
        }
        let mut chain = SpatialChain::new(1, &controls, &choices);
        for at_s in until_s {
            chain.run_to(&recording(), &HillsLevel::built_in(), *at_s);
        }
        chain
    }

    #[test]
    fn a_slow_link_makes_the_naive_late_and_neither_the_ghost_nor_its_turret() {
        let chain = run(&[("latency", "300")], &[1.0, 1.9, 2.8]);
        let truth = chain.streams().truth(0, SimTime::from_secs_f64(2.8)).unwrap();
        let [shown_m, turned_deg, turret_deg] = chain.shown(0, 2.8).unwrap().off(&truth);
        let [naive_m, _, naive_deg] = chain.streams().naive(0).unwrap().off(&truth);
        assert!(shown_m < 0.3 && turned_deg < 0.1 && turret_deg < 3.5, "{shown_m} {turret_deg}");
        assert!((2.9..3.6).contains(&naive_m) && naive_deg > 8.0, "{naive_m} {naive_deg}");
        assert!(chain.counts().0 > 0 && chain.counts().1 > chain.counts().0);
    }

    #[test]
    fn joints_that_are_not_sent_stay_where_they_are() {
        let shown = run(&[("joints", "off")], &[1.0, 1.9]).shown(0, 1.9).unwrap();
        assert_eq!(shown.turret_rad, 0.0);
        let shown = run(&[("joints", "real")], &[1.0, 1.9]).shown(0, 1.9).unwrap();
        assert!((shown.turret_rad - 0.95).abs() < 0.06, "{shown:?}");
    }

    #[test]
    fn scrubbing_back_gives_the_same_as_going_there() {
        let there = run(&[("latency", "100")], &[1.5]);
        let back = run(&[("latency", "100")], &[3.5, 1.5]);
        assert_eq!(there.shown(0, 1.5), back.shown(0, 1.5));
    }
}
