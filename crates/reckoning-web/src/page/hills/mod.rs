//! The hills on the page: a game or a recording, its camera, and what is measured of it.
//!
//! ```text
//! live, own, bodies   a game on a server
//! replayed            a recording
//! looking             the camera, and whom it follows
//! picture             what is drawn: one picture, or four to compare
//! overlay             names, bars and crosshair over it
//! panel, report       figures beside the switches, and what tests see
//! ```

mod bodies;
mod live;
mod looking;
mod overlay;
mod own;
mod panel;
mod picture;
mod replayed;
mod report;

use std::collections::BTreeMap;
use std::fmt;

use reckoning::{DVec3, SimTime};
use reckoning_arena::hills::{Craft, HillsLevel};

pub use self::live::HillsLive;
use self::picture::Painter;
pub use self::replayed::HillsReplayed;
use super::dom;
use super::measure::{Meters, Totals};
use crate::comparison::InterpolationFacts;
use crate::controls::{Change, Controls};
use crate::headline::{Circumstances, SettledErrors};
use crate::hills::aiming::{aim_of, input_of};
use crate::hills::choices::HillsChoices;
use crate::hills::figures::HillsMeter;
use crate::hills::ledger::Ledger;
use crate::hills::stance::{Counted, HillsBody};
use crate::hills::traffic::TrafficMeter;
use crate::hills::view::{CameraMode, HillsCamera, View};
use crate::input::HeldInput;
use crate::jitter_buffer::JitterBuffer;
use crate::meter::DisplayMethod;
use crate::replay::ReplayClock;

/// Errors of the plots are in centimetres, of which screens are as full as of pixels.
const CM: f64 = 100.0;
/// Beyond what was drawn before, eyes look from the vehicle on.
const BESIDE_M: f64 = 2.0;

/// Where the picture comes from.
#[derive(Debug)]
pub enum HillsSource {
    Live(Box<HillsLive>),
    Replay(Box<HillsReplayed>),
}

/// The hills.
pub struct HillsGame {
    level: HillsLevel,
    pub from: HillsSource,
    painter: Painter,
    camera: HillsCamera,
    view: View,
    /// Whom the comparison and the camera of a spectator follow.
    pub target: Option<u32>,
    pub meter: HillsMeter,
    /// Of the one that is compared: metres, degrees of its hull, degrees of its turret.
    compared: [SettledErrors; 3],
    facts: InterpolationFacts,
    ledger: Ledger,
    train: TrafficMeter,
    /// The pointer of the frame before, while it drags the free camera.
    dragged: Option<[f64; 2]>,
    has_driven: bool,
    now: SimTime,
}

impl fmt::Debug for HillsGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HillsGame").field("from", &self.from).finish_non_exhaustive()
    }
}

impl HillsGame {
    pub fn new(level: HillsLevel, from: HillsSource) -> Result<Self, String> {
        let painter = Painter::new(&level)?;
        dom::show("hills", true);
        let mut camera = HillsCamera::default();
        camera.is_calm = dom::is_calm();
        let middle_m = 0.5 * level.size_m();
        camera.eye.x = middle_m;
        camera.eye.y = middle_m;
        let view = View::looking(camera.eye, 0.0, -0.3, [1.0, 1.0]);
        Ok(Self {
            level,
            from,
            painter,
            camera,
            view,
            target: None,
            meter: HillsMeter::default(),
            compared: Default::default(),
            facts: InterpolationFacts::default(),
            ledger: Ledger::default(),
            train: TrafficMeter::default(),
            dragged: None,
            has_driven: false,
            now: SimTime::ZERO,
        })
    }

    pub fn live(&self) -> Option<&HillsLive> {
        match &self.from {
            HillsSource::Live(live) => Some(live),
            HillsSource::Replay(_) => None,
        }
    }

    pub fn live_mut(&mut self) -> Option<&mut HillsLive> {
        match &mut self.from {
            HillsSource::Live(live) => Some(live),
            HillsSource::Replay(_) => None,
        }
    }

    pub fn replay(&self) -> Option<&HillsReplayed> {
        match &self.from {
            HillsSource::Replay(replay) => Some(replay),
            HillsSource::Live(_) => None,
        }
    }

    pub const fn most_health(&self) -> f64 {
        self.level.file().rules.health
    }

    /// Passes a change on.
    pub fn apply(&mut self, change: Change, controls: &Controls, choices: &HillsChoices) {
        match &mut self.from {
            HillsSource::Live(live) => live.apply(change, controls, choices, &self.level),
            HillsSource::Replay(replay) => replay.apply(controls, choices),
        }
    }

    pub fn replay_clock(&mut self) -> Option<&mut ReplayClock> {
        match &mut self.from {
            HillsSource::Replay(replay) => Some(&mut replay.clock),
            HillsSource::Live(_) => None,
        }
    }

    pub fn totals(&self) -> Totals {
        match &self.from {
            HillsSource::Live(live) => live.connection.totals(),
            HillsSource::Replay(replay) => replay.totals(),
        }
    }

    fn bodies(&self) -> &BTreeMap<u32, HillsBody> {
        match &self.from {
            HillsSource::Live(live) => live.bodies.all(),
            HillsSource::Replay(replay) => &replay.bodies,
        }
    }

    /// One frame's worth of time. Returns the moment.
    pub fn advance(
        &mut self,
        (now_ms, dt_s): (f64, f64),
        held: &HeldInput,
        (controls, choices): (&mut Controls, &mut HillsChoices),
        meters: &mut Meters,
    ) -> SimTime {
        self.now = match &mut self.from {
            HillsSource::Live(live) => live.take_in(controls, &self.level),
            HillsSource::Replay(_) => SimTime::from_secs_f64(now_ms / 1e3),
        };
        self.fly(held, dt_s);
        self.drive(held);
        match &mut self.from {
            HillsSource::Live(live) => live.gather(self.now, &self.level, choices),
            HillsSource::Replay(replay) => replay.advance(dt_s, &self.level, choices),
        }
        self.measure(meters);
        self.look(choices, controls, dt_s);
        self.now
    }

    fn drive(&mut self, held: &HeldInput) {
        let HillsSource::Live(live) = &mut self.from else { return };
        let idle = HeldInput::default();
        let held = if self.camera.mode == CameraMode::Free { &idle } else { held };
        let pivot = live.own.pivot();
        let nearest_m = match (pivot, self.camera.mode) {
            (Some(pivot), CameraMode::Chase) => pivot.distance(self.view.eye) + BESIDE_M,
            _ => 0.0,
        };
        let aim = pivot.map_or(DVec3::ZERO, |pivot| {
            let bodies = live.bodies.all().values();
            aim_of(held, (&self.view, pivot, nearest_m), bodies, &self.level)
        });
        let input = input_of(held, aim);
        self.has_driven |= pivot.is_some() && (input.throttle != 0.0 || input.steer != 0.0);
        live.act(self.now, &input, &self.level);
    }

    fn measure(&mut self, meters: &mut Meters) {
        let bodies = match &self.from {
            HillsSource::Live(live) => live.bodies.all(),
            HillsSource::Replay(replay) => &replay.bodies,
        };
        for body in bodies.values().filter(|it| !it.is_me) {
            self.meter.look(self.now, body, self.level.ground());
            let is_judged = body.is_alive && body.is_settled && body.counted == Counted::Together;
            let Some(truth) = body.truth.filter(|_| is_judged) else { continue };
            let ways = [Some(body.shown), body.naive, body.interpolated];
            for (method, way) in DisplayMethod::ALL.into_iter().zip(ways) {
                if let Some(way) = way {
                    meters.note_error(self.now, method, way.off(&truth)[0] * CM);
                }
            }
            if let Some(best) = body.interpolated_at_best {
                let best_cm = best.off(&truth)[0] * CM;
                meters.best.note(self.now, DisplayMethod::Interpolation, best_cm);
            }
        }
        self.facts = meters.interpolation(self.buffer()).unwrap_or_default();
        self.compare(meters.settled.circumstances());
    }

    /// Measures the one that is compared.
    fn compare(&mut self, around: Option<Circumstances>) {
        let bodies = match &self.from {
            HillsSource::Live(live) => live.bodies.all(),
            HillsSource::Replay(replay) => &replay.bodies,
        };
        let target = self.target.and_then(|it| bodies.get(&it));
        let (Some(around), Some(body)) = (around, target) else { return };
        let around = Circumstances { target: Some(body.entity), ..around };
        for errors in &mut self.compared {
            errors.follow(self.now, around);
        }
        let Some(truth) = body.truth.filter(|_| body.is_alive && body.is_settled) else { return };
        let ways = [Some(body.shown), body.naive, body.interpolated];
        for (method, way) in DisplayMethod::ALL.into_iter().zip(ways) {
            let off = way.map(|it| it.off(&truth)).into_iter().flatten();
            for (errors, off) in self.compared.iter_mut().zip(off) {
                errors.note(self.now, method, off);
            }
        }
    }

    /// What decides how far back interpolation goes.
    pub const fn buffer(&self) -> &JitterBuffer {
        match &self.from {
            HillsSource::Live(live) => live.streams.buffer(),
            HillsSource::Replay(replay) => replay.buffer(),
        }
    }

    /// Ten times a second: figures under the switches as they stand.
    pub fn slow_tick(&mut self, choices: &HillsChoices, meters: &Meters) {
        if let HillsSource::Live(live) = &self.from {
            self.train.note(self.now, live.received(Craft::Train));
        }
        let (figures, train) = (self.meter.figures(), self.train.figures());
        if self.ledger.note(self.now, choices, &figures, (meters.bytes.per_s(), train)) {
            self.meter.clear();
            self.train.clear();
        }
    }

    /// What is around the picture.
    pub fn show_panel(&self, meters: &Meters) {
        panel::show_notes(&self.ledger);
        let figures = self.meter.figures();
        panel::show_now(&figures, meters.bytes.per_s(), self.train.figures());
        let is_apart = |it: &Craft| {
            self.bodies().values().any(|body| body.counted == Counted::Apart && body.craft == *it)
        };
        let apart: Vec<Craft> = Craft::ALL.into_iter().filter(is_apart).collect();
        panel::show_apart(&figures, &apart);
    }

    /// Whether we drive something.
    pub fn plays(&self) -> bool {
        self.live().is_some_and(|it| it.own.driver.is_some())
    }

    /// Whether that was driven by hand.
    pub const fn has_driven(&self) -> bool {
        self.has_driven
    }
}

const fn place(body: &HillsBody) -> DVec3 {
    body.shown.pose.position
}
