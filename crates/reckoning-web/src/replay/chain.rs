//! Simulated network of a replay: publisher, link and ghost for every body.

use reckoning::{DQuat, DVec3, Ghost, Kinematics, Publisher, SimTime, Update};

use super::link::ReplayLink;
use super::recording::ReplayFrames;
use crate::comparison::ComparisonStreams;
use crate::controls::Controls;

/// Truths a second.
const TICKS_PER_S: u32 = 60;
/// Plain positions a second are every third truth.
const SNAPSHOT_EVERY: i64 = 3;
/// After a leap of the scrubber the last seconds before are run again, so that ghosts have a past.
const RUN_UP_S: f64 = 2.0;
/// A body that moves further in a tick did not walk.
const LEAP_PX: f64 = 80.0;
/// A leap of the clock longer than this is a leap of the scrubber.
const SCRUB_S: f64 = 1.0;

/// A datagram on its way: of everyone in one, as a server sends them.
#[derive(Clone, Debug)]
enum InFlight {
    Updates(Vec<(usize, Update)>),
    Snapshot(SimTime, Vec<(u32, DVec3)>),
}

/// One body's two ends.
#[derive(Clone, Debug, Default)]
struct BodyChain {
    publisher: Option<Publisher>,
    before: Option<DVec3>,
    ghost: Option<Ghost>,
    /// The last update showed it elsewhere at once.
    leapt_at: Option<SimTime>,
}

/// The whole network of a replay.
#[derive(Debug)]
pub struct Chain {
    controls: Controls,
    lines: Vec<BodyChain>,
    link: ReplayLink<InFlight>,
    comparison: ComparisonStreams,
    tick: Option<i64>,
    /// Updates that arrived.
    updates: u64,
    /// Plain positions that arrived.
    snapshots: u64,
}

impl Chain {
    /// A network with these settings.
    #[must_use]
    pub fn new(bodies: usize, controls: &Controls) -> Self {
        Self {
            controls: controls.clone(),
            lines: vec![BodyChain::default(); bodies],
            link: ReplayLink::default(),
            comparison: ComparisonStreams::default(),
            tick: None,
            updates: 0,
            snapshots: 0,
        }
    }

    /// Other settings: the network begins anew, its counters go on.
    pub fn set_controls(&mut self, controls: &Controls) {
        self.controls = controls.clone();
        self.tick = None;
    }

    /// Runs up to a moment of the recording; a leap begins anew shortly before it.
    pub fn run_to(&mut self, recording: &ReplayFrames, at_s: f64) {
        let goal = tick_at(at_s);
        let is_leap = self.tick.is_none_or(|tick| {
            goal < tick || (goal - tick) as f64 > SCRUB_S * f64::from(TICKS_PER_S)
        });
        let counted = (self.updates, self.snapshots);
        if is_leap {
            *self = Self::new(self.lines.len(), &self.controls);
            self.tick = Some(tick_at((at_s - RUN_UP_S).max(0.0)) - 1);
        }
        while let Some(tick) = self.tick.filter(|tick| *tick < goal) {
            self.tick = Some(tick + 1);
            self.step(recording, tick + 1);
        }
        if is_leap {
            (self.updates, self.snapshots) = counted; // what was run again did not come again
        }
    }

    fn step(&mut self, recording: &ReplayFrames, tick: i64) {
        let now = SimTime::from_tick(tick, TICKS_PER_S);
        let mut truths = Vec::with_capacity(self.lines.len());
        let mut updates = Vec::new();
        for body in 0..self.lines.len() {
            let Some((place, yaw_rad)) = recording.pose_at(body, now.as_secs_f64()) else {
                self.lines[body] = BodyChain::default();
                continue;
            };
            let (update, velocity) = self.observe(body, now, place, yaw_rad);
            truths.push((body as u32, place, velocity));
            updates.extend(update.map(|it| (body, it)));
        }
        let link = self.controls.link;
        if !updates.is_empty() {
            self.link.send(now, link, InFlight::Updates(updates));
        }
        if tick % SNAPSHOT_EVERY == 0 {
            let places = truths.iter().map(|it| (it.0, it.1)).collect();
            self.link.send(now, link, InFlight::Snapshot(now, places));
        }
        self.comparison.hear_truth(now, now, truths);
        self.arrive(now);
    }

    /// What the owner says of this truth, and how fast it is.
    fn observe(
        &mut self,
        body: usize,
        now: SimTime,
        place: DVec3,
        yaw_rad: f64,
    ) -> (Option<Update>, DVec3) {
        let line = &mut self.lines[body];
        let before = line.before.replace(place).unwrap_or(place);
        let has_leapt = before.distance(place) > LEAP_PX;
        let velocity =
            if has_leapt { DVec3::ZERO } else { (place - before) * f64::from(TICKS_PER_S) };
        let mut truth = Kinematics::moving(now, place, velocity);
        truth.orientation =
            DQuat::from_xyzw(0.0, 0.0, libm::sin(0.5 * yaw_rad), libm::cos(0.5 * yaw_rad));
        let update = match &mut line.publisher {
            Some(publisher) if has_leapt => publisher.teleport(&truth),
            Some(publisher) => publisher.observe(&truth),
            None => Publisher::start(self.controls.publishing(), &truth).ok().map(|(it, first)| {
                line.publisher = Some(it);
                first
            }),
        };
        (update, velocity)
    }

    fn arrive(&mut self, now: SimTime) {
        while let Some(flight) = self.link.arrive(now) {
            match flight {
                InFlight::Updates(updates) => {
                    for (body, update) in updates {
                        self.accept(now, body, update);
                    }
                }
                InFlight::Snapshot(at, places) => {
                    self.snapshots += places.len() as u64;
                    self.comparison.hear_snapshot(at, now, places);
                }
            }
        }
    }

    fn accept(&mut self, now: SimTime, body: usize, update: Update) {
        self.updates += 1;
        let line = &mut self.lines[body];
        if line.publisher.is_none() {
            return; // it is absent by now
        }
        if update.kind() == reckoning::UpdateKind::Teleport || line.ghost.is_none() {
            line.leapt_at = Some(now);
        }
        match &mut line.ghost {
            Some(ghost) => {
                ghost.accept(update, now);
            }
            None => line.ghost = Ghost::with_config(self.controls.ghosts(), update, now).ok(),
        }
    }

    /// Where the ghost of a body is shown and looks.
    #[must_use]
    pub fn shown(&self, body: usize, at_s: f64) -> Option<(DVec3, f64)> {
        let ghost = self.lines.get(body)?.ghost.as_ref()?;
        let pose = ghost.pose_at(SimTime::from_secs_f64(at_s));
        Some((pose.position, reckoning::orientation::heading_rad(pose.orientation)))
    }

    /// When the picture of a body leapt last.
    #[must_use]
    pub fn leapt_at(&self, body: usize) -> Option<SimTime> {
        self.lines.get(body)?.leapt_at
    }

    /// What the other methods receive besides.
    #[must_use]
    pub const fn comparison(&self) -> &ComparisonStreams {
        &self.comparison
    }

    /// Updates that arrived so far.
    #[must_use]
    pub const fn updates(&self) -> u64 {
        self.updates
    }

    /// Plain positions that arrived so far.
    #[must_use]
    pub const fn snapshots(&self) -> u64 {
        self.snapshots
    }
}

fn tick_at(at_s: f64) -> i64 {
    (at_s * f64::from(TICKS_PER_S)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::recording::tests::sample;

    fn chain(sets: &[(&str, &str)]) -> Chain {
        let mut controls = Controls::default();
        for (name, value) in sets {
            controls.set(name, value).unwrap();
        }
        Chain::new(2, &controls)
    }

    #[test]
    fn a_perfect_link_shows_the_truth_of_steady_motion() {
        let recording = sample();
        let mut chain = chain(&[]);
        chain.run_to(&recording, 1.5);
        let (shown, _) = chain.shown(0, 1.5).unwrap();
        assert!(shown.distance(DVec3::new(150.0, 1.0, 0.0)) < 4.1, "{shown}");
        assert!(chain.shown(1, 1.5).is_none(), "the absent has no ghost");
    }

    #[test]
    fn a_slow_link_makes_the_naive_late_and_not_the_ghost() {
        let recording = sample();
        let mut chain = chain(&[("latency", "300")]);
        chain.run_to(&recording, 1.5);
        let now = SimTime::from_secs_f64(1.5);
        let naive = chain.comparison().naive(0).unwrap().x;
        let interpolated = chain.comparison().interpolated(0, now, LEAP_PX).unwrap().x;
        assert!((115.0..=120.0).contains(&naive), "{naive}");
        // One send interval behind what arrives.
        assert!((113.0..=115.5).contains(&interpolated), "{interpolated}");
        assert!((chain.shown(0, 1.5).unwrap().0.x - 150.0).abs() < 4.1);
    }

    #[test]
    fn scrubbing_back_gives_the_same_as_going_there() {
        let recording = sample();
        let (mut there, mut back) = (chain(&[("latency", "100")]), chain(&[("latency", "100")]));
        there.run_to(&recording, 1.0);
        back.run_to(&recording, 2.0);
        back.run_to(&recording, 1.0);
        assert_eq!(there.shown(0, 1.0), back.shown(0, 1.0));
        let counted = (back.updates(), back.snapshots());
        back.run_to(&recording, 0.5);
        assert_eq!((back.updates(), back.snapshots()), counted, "nothing comes by scrubbing");
    }
}
