//! A recording, replayed through the engine.

use std::collections::BTreeMap;

use reckoning::{DVec3, SimTime};
use reckoning_arena::Level;

use super::draw::Ground;
use super::measure::Meters;
use crate::controls::Controls;
use crate::replay::{Chain, ReplayClock, ReplayFrames};
use crate::scene::{GameScene, SceneBody};

/// Around a recording without a level, as a share of its size.
const RIM: f64 = 0.05;
/// Bodies of a recording without a level are this share of its size.
const BODY_SHARE: f64 = 1.0 / 90.0;
/// A longer step of the clock is a leap of the scrubber.
const SCRUB_S: f64 = 0.5;

/// A recording and where we are in it.
#[derive(Debug)]
pub struct Replayed {
    pub recording: ReplayFrames,
    pub chain: Chain,
    pub clock: ReplayClock,
    pub bodies: BTreeMap<u32, SceneBody>,
    pub scene: GameScene,
    /// From the recording's places to those of the page.
    shift: DVec3,
    before_s: f64,
}

impl Replayed {
    pub fn new(
        recording: ReplayFrames,
        level: Option<Level>,
        controls: &Controls,
    ) -> (Self, Ground) {
        let (low, high) = recording.bounds();
        let rim = (high - low).max_element() * RIM;
        let (ground, shift) = if let Some(level) = level {
            (Ground::from_level(level), DVec3::ZERO)
        } else {
            let size = high - low + DVec3::new(2.0, 2.0, 0.0) * rim;
            let radius_px = size.max_element() * BODY_SHARE;
            (Ground { level: None, size, radius_px }, DVec3::new(rim, rim, 0.0) - low)
        };
        let chain = Chain::new(recording.header().bodies.len(), controls);
        let clock = ReplayClock::new(recording.seconds());
        let mut scene = GameScene::default();
        scene.items = u64::MAX;
        let (bodies, before_s) = (BTreeMap::new(), 0.0);
        (Self { recording, chain, clock, bodies, scene, shift, before_s }, ground)
    }

    /// Other settings: the network begins anew.
    pub fn apply(&mut self, controls: &Controls) {
        self.chain.set_controls(controls);
    }

    /// Goes on by `dt_s` and gathers everyone.
    pub fn advance(&mut self, now: SimTime, dt_s: f64, leap_px: f64, meters: &mut Meters) {
        self.clock.pass(dt_s);
        let at_s = self.clock.at_s();
        self.chain.run_to(&self.recording, at_s);
        let passed_s = at_s - self.before_s;
        let is_leap = !(0.0..=SCRUB_S).contains(&passed_s);
        self.before_s = at_s;
        for (number, header) in self.recording.header().bodies.iter().enumerate() {
            let key = number as u32;
            let Some((truth, _)) = self.recording.pose_at(number, at_s) else {
                self.bodies.remove(&key);
                meters.forget(key);
                continue;
            };
            let Some((shown, yaw_rad)) = self.chain.shown(number, at_s) else { continue };
            let body = self.bodies.entry(key).or_insert_with(|| SceneBody {
                entity: key,
                player: number as u16,
                team: header.team,
                is_tank: header.kind == 1,
                is_alive: true,
                name: header.name.clone(),
                ..SceneBody::default()
            });
            let at = SimTime::from_secs_f64(at_s);
            let comparison = self.chain.comparison();
            (body.health_share, body.ammo) = self.recording.values_at(number, at_s);
            body.shown = shown + self.shift;
            body.yaw_rad = yaw_rad;
            body.truth = Some(truth + self.shift);
            body.is_settled = comparison.is_settled(key);
            body.naive = comparison.naive(key).map(|it| it + self.shift);
            body.interpolated = comparison.interpolated(key, at, leap_px).map(|it| it + self.shift);
            let at_best = comparison.interpolated_at_best(key, at, leap_px);
            body.interpolated_at_best = at_best.map(|it| it + self.shift);
            let leapt = self.chain.leapt_at(number).is_some_and(|it| at.secs_since(it) < 0.1);
            if passed_s > 0.0 {
                meters.look(now, passed_s, body, is_leap || leapt);
            }
        }
    }
}
