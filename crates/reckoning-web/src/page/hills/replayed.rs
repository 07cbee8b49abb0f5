//! A recording of the hills, replayed through the engine.

use std::collections::BTreeMap;

use reckoning::SimTime;
use reckoning_arena::hills::protocol::JointsChoice;
use reckoning_arena::hills::{Craft, HillsLevel};

use super::bodies::Clamps;
use crate::controls::Controls;
use crate::hills::choices::HillsChoices;
use crate::hills::derived::DerivedTurrets;
use crate::hills::stance::HillsBody;
use crate::jitter_buffer::JitterBuffer;
use crate::page::measure::Totals;
use crate::replay::{ReplayClock, ReplayFrames, SpatialChain};

/// A recording and where we are in it.
#[derive(Debug)]
pub struct HillsReplayed {
    recording: ReplayFrames,
    chain: SpatialChain,
    pub clock: ReplayClock,
    pub bodies: BTreeMap<u32, HillsBody>,
    clamps: Clamps,
    turrets: DerivedTurrets,
}

impl HillsReplayed {
    pub fn new(recording: ReplayFrames, controls: &Controls, choices: &HillsChoices) -> Self {
        let chain = SpatialChain::new(recording.header().bodies.len(), controls, choices);
        let clock = ReplayClock::new(recording.seconds());
        Self {
            recording,
            chain,
            clock,
            bodies: BTreeMap::new(),
            clamps: Clamps::default(),
            turrets: DerivedTurrets::default(),
        }
    }

    /// Other settings: the network begins anew.
    pub fn apply(&mut self, controls: &Controls, choices: &HillsChoices) {
        self.chain.set(controls, choices);
    }

    /// What rates are made of; there are no bytes here.
    pub fn totals(&self) -> Totals {
        let (updates, snapshot_updates) = self.chain.counts();
        Totals { updates, snapshot_updates, ..Totals::default() }
    }

    /// What decides how far back interpolation goes.
    pub const fn buffer(&self) -> &JitterBuffer {
        self.chain.streams().buffer()
    }

    /// Goes on by `dt_s` and gathers everyone.
    pub fn advance(&mut self, dt_s: f64, level: &HillsLevel, choices: &HillsChoices) {
        self.clock.pass(dt_s);
        let at_s = self.clock.at_s();
        self.chain.run_to(&self.recording, level, at_s);
        let at = SimTime::from_secs_f64(at_s);
        for number in 0..self.recording.header().bodies.len() {
            if self.gather(number, at, level, choices).is_none() {
                self.bodies.remove(&(number as u32));
            }
        }
        if choices.tuning.joints == JointsChoice::Derived {
            self.turrets.turn(at, &mut self.bodies, level);
        }
    }

    /// A body as it is shown; `None` while it is absent.
    fn gather(
        &mut self,
        number: usize,
        at: SimTime,
        level: &HillsLevel,
        choices: &HillsChoices,
    ) -> Option<()> {
        let (key, at_s) = (number as u32, self.clock.at_s());
        let truth = self.recording.stance_at(number, at_s)?;
        let mut shown = self.chain.shown(number, at_s)?;
        let header = self.recording.header().bodies.get(number)?;
        let craft = self.recording.kind(number).and_then(Craft::of_kind).unwrap_or(Craft::Tank);
        shown.pose = self.clamps.clamp((key, craft), shown.pose, (level, choices), at);
        let body = self.bodies.entry(key).or_insert_with(|| {
            let mut body = HillsBody::new(key, craft);
            if craft.is_driven() {
                body.name.clone_from(&header.name);
                body.team = header.team;
            }
            body
        });
        let streams = self.chain.streams();
        body.show(shown);
        (body.truth, body.naive) = (Some(truth), streams.naive(key));
        body.interpolated = streams.interpolated(key, at);
        body.interpolated_at_best = streams.interpolated_at_best(key, at);
        body.is_settled = streams.is_settled(key);
        body.health_share = self.recording.values_at(number, at_s).0;
        body.is_alive = body.health_share != Some(0.0);
        Some(())
    }
}
