//! One step of the explainer, alive.

mod figures;
mod recipes;
#[cfg(test)]
mod tests;

use reckoning::{ConfigError, DVec3, SimTime};

use super::{
    Audience, Ball, Driver, Lane, Line, Snapshots, Step, TICK_S, TICKS_PER_S, Trail, Watcher,
    snapshots,
};
use crate::replay::ReplayLink;
use recipes::{fair_setup, link, policy, setups, speed_mps, without_loss};

pub use figures::Figure;

/// Longer than this between two frames, and time was elsewhere.
const MAX_FRAME_S: f64 = 0.1;
/// Eight seconds: more than is drawn of the past.
const RUN_UP_TICKS: i64 = 8 * TICKS_PER_S as i64;

/// How something is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownAs {
    /// By Reckoning.
    Guess,
    /// By Reckoning without the trick that the step is about.
    Plain,
    /// The newest position received.
    Naive,
}

/// Something that a watcher draws.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// How.
    pub shown_as: ShownAs,
    /// Where.
    pub place: DVec3,
    /// Where it was before; none where nothing is to be seen by it.
    pub trail: Option<&'a [DVec3]>,
}

/// One step: a ball, ways to tell of it, and what they come to.
#[derive(Clone, Debug)]
pub struct Demo {
    step: Step,
    values: [f64; 2],
    ball: Ball,
    tick: i64,
    /// Time that is no whole tick yet.
    rest_s: f64,
    /// Where the truth was.
    pub trail: Trail,
    lines: Vec<Line>,
    snapshots: Option<Snapshots>,
    audience: Option<Audience>,
    /// Says when the network loses: packet by packet of twenty a second, since bursts last a time
    /// and not a number of ours.
    weather: ReplayLink<()>,
    is_losing: bool,
}

impl Demo {
    /// The step as the page opens it.
    ///
    /// # Errors
    /// Refuses what the engine refuses, which no slider asks for.
    pub fn new(step: Step) -> Result<Self, ConfigError> {
        let [first, second] = step.sliders();
        let values = [first.start, second.start];
        let ball = Ball::new(1 + step as u64, speed_mps(step, values));
        let mut demo = Self {
            step,
            values,
            ball,
            tick: 0,
            rest_s: 0.0,
            trail: Trail::default(),
            lines: Vec::new(),
            snapshots: None,
            audience: None,
            weather: ReplayLink::default(),
            is_losing: false,
        };
        demo.set_up()?;
        Ok(demo)
    }

    fn set_up(&mut self) -> Result<(), ConfigError> {
        let truth = self.ball.truth();
        if self.step == Step::Fair {
            let (budget, weights) = policy(self.values);
            self.audience = Some(Audience::new(&fair_setup(), budget, weights, truth)?);
            return Ok(());
        }
        for setup in setups(self.step, self.values) {
            self.lines.push(Line::new(setup, truth)?);
        }
        if matches!(self.step, Step::Silence | Step::Delay | Step::Loss) {
            self.snapshots = Some(Snapshots::new(truth));
        }
        Ok(())
    }

    /// The step in the midst of it, as a page shows it first.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn running(step: Step) -> Result<Self, ConfigError> {
        let mut demo = Self::new(step)?;
        (0..RUN_UP_TICKS).for_each(|_| demo.tick());
        Ok(demo)
    }

    /// Which step it is.
    #[must_use]
    pub const fn step(&self) -> Step {
        self.step
    }

    /// Where its sliders stand.
    #[must_use]
    pub const fn values(&self) -> [f64; 2] {
        self.values
    }

    /// The ball.
    #[must_use]
    pub const fn ball(&self) -> &Ball {
        &self.ball
    }

    /// Somebody takes the ball, or lets go.
    pub fn drive(&mut self, driver: Driver) {
        self.ball.drive(driver);
    }

    /// Moves a slider; the figures begin anew.
    ///
    /// # Errors
    /// Refuses what the engine refuses, which no slider asks for.
    pub fn set(&mut self, place: usize, value: f64) -> Result<(), ConfigError> {
        let (Some(slot), Some(slider)) =
            (self.values.get_mut(place), self.step.sliders().get(place))
        else {
            return Ok(());
        };
        *slot = slider.within(value);
        self.ball.speed_mps = speed_mps(self.step, self.values);
        let truth = *self.ball.truth();
        for (line, setup) in self.lines.iter_mut().zip(setups(self.step, self.values)) {
            line.set_setup(setup, &truth)?;
            line.reset(truth.at);
        }
        if let Some(snapshots) = &mut self.snapshots {
            snapshots.reset(truth.at);
        }
        let (budget, weights) = policy(self.values);
        if let Some(audience) = &mut self.audience {
            audience.set_policy(budget, weights, truth.at)?;
            audience.reset(truth.at);
        }
        Ok(())
    }

    /// Time passes.
    pub fn pass(&mut self, dt_s: f64) {
        self.rest_s += dt_s.clamp(0.0, MAX_FRAME_S);
        while self.rest_s >= TICK_S {
            self.rest_s -= TICK_S;
            self.tick();
        }
    }

    fn tick(&mut self) {
        self.tick += 1;
        self.ball.tick(SimTime::from_tick(self.tick, TICKS_PER_S));
        let truth = self.ball.truth();
        self.trail.note(truth.position);
        let link = link(self.step, self.values);
        if self.tick % snapshots::EVERY == 0 {
            self.is_losing = self.weather.loses(link);
        }
        for line in &mut self.lines {
            line.tick(truth, self.is_losing);
        }
        if let Some(snapshots) = &mut self.snapshots {
            snapshots.tick(self.tick, truth, without_loss(link), self.is_losing);
        }
        if let Some(audience) = &mut self.audience {
            audience.tick(truth);
        }
    }

    /// The moment to draw: between two ticks.
    #[must_use]
    pub fn now(&self) -> SimTime {
        SimTime::from_micros(self.ball.truth().at.as_micros() + (self.rest_s * 1e6) as i64)
    }

    /// Where the ball is then.
    #[must_use]
    pub fn place(&self) -> DVec3 {
        let truth = self.ball.truth();
        truth.position + truth.velocity * self.rest_s
    }

    /// Middle and radius of the circle that the ball may move in without a word.
    #[must_use]
    pub fn circle(&self) -> Option<(DVec3, f64)> {
        let is_seen = matches!(self.step, Step::Guess | Step::Silence | Step::Blend);
        let line = self.lines.first().filter(|_| is_seen)?;
        Some((line.guess(self.now()), self.values[0]))
    }

    /// What watchers draw, the important last.
    #[must_use]
    pub fn shown(&self) -> Vec<Shown<'_>> {
        let now = self.now();
        let mut all = Vec::new();
        let mut draw = |shown_as, place, trail| all.push(Shown { shown_as, place, trail });
        if let Some(it) = self.snapshots.as_ref().filter(|_| self.step != Step::Silence) {
            draw(ShownAs::Naive, it.shown(), None);
        }
        for it in self.watchers().iter().rev() {
            draw(ShownAs::Guess, it.shown(now), None);
        }
        if let Some(it) = self.lines.get(1) {
            draw(ShownAs::Plain, it.shown(now), None);
        }
        if let Some(it) = self.lines.first() {
            let trail = (self.step == Step::Blend).then_some(it.trail.places());
            draw(ShownAs::Guess, it.shown(now), trail);
        }
        all
    }

    fn watchers(&self) -> &[Watcher] {
        self.audience.as_ref().map_or(&[], Audience::watchers)
    }

    /// Where guesses will go over the next moments, where the step is about that.
    #[must_use]
    pub fn courses(&self) -> Vec<(ShownAs, Vec<DVec3>)> {
        let now = self.now();
        match (self.step, self.lines.as_slice()) {
            (Step::Guess, [line]) => vec![(ShownAs::Guess, line.course(now, 0.6))],
            (Step::Ahead, [aimed, plain]) => vec![
                (ShownAs::Plain, plain.course(now, 0.6)),
                (ShownAs::Guess, aimed.course(now, 0.6)),
            ],
            _ => Vec::new(),
        }
    }

    /// What was sent, with names.
    #[must_use]
    pub fn lanes(&self) -> Vec<(ShownAs, String, &Lane)> {
        let mut lanes = Vec::new();
        let mut add = |shown_as, name: &str, lane| lanes.push((shown_as, name.to_string(), lane));
        if let Some(line) = self.lines.first() {
            add(
                ShownAs::Guess,
                if self.step == Step::Ahead { "aimed" } else { "updates" },
                &line.lane,
            );
        }
        if let Some(plain) = self.lines.get(1) {
            add(ShownAs::Plain, "straight on", &plain.lane);
        }
        if let Some(snapshots) = &self.snapshots {
            add(ShownAs::Naive, "20 a second", &snapshots.lane);
        }
        for it in self.watchers() {
            let name = format!("{} ms: {:.2} m", it.delay_ms, it.errors.mean());
            add(ShownAs::Guess, &name, &it.lane);
        }
        lanes
    }
}
