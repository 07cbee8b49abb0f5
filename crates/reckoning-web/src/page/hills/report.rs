//! What tests see of the hills.

use super::{HillsGame, HillsLive, HillsSource, place};
use crate::hills::choices::{HillsChoices, NAMES};
use crate::hills::stance::HillsBody;
use crate::page::measure::Meters;
use crate::state::{GhostState, HillsState, PointState};

impl HillsGame {
    /// What tests look at.
    pub fn state(&self, choices: &HillsChoices, meters: &Meters) -> HillsState {
        let mut state = HillsState {
            camera: self.camera.mode.name(),
            eye: self.view.eye.to_array(),
            figures: self.meter.figures(),
            train: self.train.figures(),
            panes: self.painter.panes,
            target: self.target,
            crosshair: self.painter.crosshair,
            frame_ms: meters.intervals.median_ms(),
            bodies: self.bodies().len() as u32,
            keys: self.plays() && !self.has_driven() && self.painter.panes < 2,
            ..HillsState::default()
        };
        for name in NAMES {
            if let Some(value) = choices.value(name) {
                state.switches.insert(name, value);
            }
        }
        for body in self.bodies().values() {
            *state.counts.entry(body.craft.name()).or_default() += 1;
            state.places.entry(body.craft.name()).or_insert(place(body).to_array());
        }
        if let HillsSource::Live(live) = &self.from {
            self.report_own(live, &mut state);
        }
        state
    }

    fn report_own(&self, live: &HillsLive, state: &mut HillsState) {
        let Some(driver) = &live.own.driver else { return };
        let shown = driver.shown_at(self.now);
        state.me = Some(shown.pose.position.to_array());
        state.craft = driver.body().craft.name();
        state.speed_mps = driver.body().velocity.length();
        state.turret_deg = shown.turret_rad.to_degrees();
        state.fired = live.own.fired;
    }

    /// Everyone else who drives, as the flat arena tells it.
    pub fn ghosts(&self) -> Vec<GhostState> {
        let others = self.bodies().values().filter(|it| !it.is_me && it.craft.is_driven());
        let ghost = |it: &HillsBody| GhostState {
            entity: it.entity,
            player: it.number.unwrap_or(0),
            x: place(it).x,
            y: place(it).y,
            name: it.name.clone(),
            team: it.team,
            ..GhostState::default()
        };
        others.map(ghost).collect()
    }

    /// Where our own vehicle is, as the flat arena tells it.
    pub fn own_point(&self) -> Option<PointState> {
        let HillsSource::Live(live) = &self.from else { return None };
        let place = live.own.driver.as_ref()?.shown_at(self.now).pose.position;
        Some(PointState { x: place.x, y: place.y })
    }
}
