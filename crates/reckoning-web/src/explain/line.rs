//! One way to tell a watcher of the ball, by the engine: publisher, link, ghost.

use std::time::Duration;

use reckoning::{
    AimConfig, AimedPlanner, Blend, BlendSpan, ConfigError, DVec3, Ghost, GhostConfig, Kinematics,
    Model, Publisher, PublisherConfig, SimTime, Threshold, Update,
};
use reckoning_arena::protocol::LinkChoice;

use super::{BALL_M, Lane, OVER_S, Recent, Trail};
use crate::replay::ReplayLink;

/// A ball that keeps its promise is confirmed this often.
const HEARTBEAT: Duration = Duration::from_secs(3);
/// An acknowledgement may come this much later than the way there and back takes.
const ACK_GRACE: Duration = Duration::from_millis(20);
/// A line is aimed to be right so long before and after the moment that is looked ahead to.
const AIM_HALF: Duration = Duration::from_millis(150);

/// Points of a course.
const POINTS: u32 = 12;

/// What a line does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineSetup {
    /// The guess may be off by this, in metres.
    pub threshold_m: f64,
    /// How it goes on; where it looks ahead, what the owner foresees.
    pub model: Model,
    /// Publishes the straight line that is right about so long ahead.
    pub ahead: Option<Duration>,
    /// How corrections are shown, and how long they take.
    pub blend: (Blend, BlendSpan),
    /// What it goes through.
    pub link: LinkChoice,
}

impl LineSetup {
    /// A perfect link, and a guess that goes straight on and is put right at once.
    #[must_use]
    pub const fn plain(threshold_m: f64) -> Self {
        let blend = (Blend::Snap, BlendSpan::CALM);
        let (model, link) = (Model::Linear, LinkChoice::NONE);
        Self { threshold_m, model, ahead: None, blend, link }
    }

    /// Corrections that follow closely without a jump, as most games want them.
    #[must_use]
    pub fn close() -> (Blend, BlendSpan) {
        (Blend::ProjectiveVelocity, BlendSpan::close(2.0 * BALL_M))
    }

    fn publishing(&self) -> Result<PublisherConfig, ConfigError> {
        let mut config = PublisherConfig::default();
        config.threshold = Threshold::metres(self.threshold_m)?;
        config.angle_threshold = None;
        config.heartbeat = HEARTBEAT;
        config.full_interval = Duration::ZERO;
        config.model = self.model;
        config.judge_ahead = self.ahead;
        Ok(config)
    }

    pub(super) fn showing(&self) -> GhostConfig {
        let mut config = GhostConfig::for_heartbeat(HEARTBEAT);
        (config.blend, config.span) = self.blend;
        config
    }

    /// The planner of a line that looks ahead.
    fn aiming(&self) -> Result<Option<AimedPlanner<Model>>, ConfigError> {
        let Some(ahead) = self.ahead else { return Ok(None) };
        let mut aim = AimConfig::default();
        (aim.from, aim.to) = (ahead.saturating_sub(AIM_HALF), ahead + AIM_HALF);
        aim.curve_bytes = f64::INFINITY; // lines, whatever they cost
        Ok(Some(AimedPlanner::new(self.model, aim, self.threshold_m)?))
    }
}

/// The owner's end of a line.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    publisher: Publisher,
    aim: Option<AimedPlanner<Model>>,
}

impl Owner {
    /// Begins to publish; the update goes to everyone.
    pub(super) fn start(
        setup: &LineSetup,
        truth: &Kinematics,
    ) -> Result<(Self, Update), ConfigError> {
        let (publisher, first) = Publisher::start(setup.publishing()?, truth)?;
        Ok((Self { publisher, aim: setup.aiming()? }, first))
    }

    pub(super) fn observe(&mut self, truth: &Kinematics) -> Option<Update> {
        match &mut self.aim {
            Some(planner) => self.publisher.observe_planned(truth, planner, &()),
            None => self.publisher.observe(truth),
        }
    }

    /// What everyone guesses who heard the last update.
    pub(super) const fn last(&self) -> &Update {
        self.publisher.last_update()
    }
}

/// Publisher, link and ghost.
#[derive(Clone, Debug)]
pub struct Line {
    setup: LineSetup,
    owner: Owner,
    link: ReplayLink<Update>,
    /// When missing acknowledgements will tell of a loss, and of which update.
    losses: Vec<(SimTime, SimTime)>,
    ghost: Ghost,
    off: DVec3,
    /// What was sent.
    pub lane: Lane,
    /// How far off the picture was.
    pub errors: Recent,
    /// How far the picture moved from tick to tick beyond what the ball did.
    pub leaps: Recent,
    /// Where it was.
    pub trail: Trail,
}

impl Line {
    /// A watcher that knows of this truth.
    ///
    /// # Errors
    /// Refuses what the engine refuses.
    pub fn new(setup: LineSetup, truth: &Kinematics) -> Result<Self, ConfigError> {
        let (owner, first) = Owner::start(&setup, truth)?;
        Ok(Self {
            owner,
            link: ReplayLink::default(),
            losses: Vec::new(),
            ghost: Ghost::with_config(setup.showing(), first, truth.at)?,
            off: DVec3::ZERO,
            lane: Lane::new(),
            errors: Recent::over_s(OVER_S),
            leaps: Recent::over_s(OVER_S),
            trail: Trail::default(),
            setup,
        })
    }

    /// Goes on with other settings, without a jump.
    ///
    /// # Errors
    /// Refuses what the engine refuses; nothing is changed then.
    pub fn set_setup(&mut self, setup: LineSetup, truth: &Kinematics) -> Result<(), ConfigError> {
        let before = self.setup;
        if setup.blend != before.blend {
            self.ghost.set_config(setup.showing(), truth.at)?;
        }
        if (setup.model, setup.ahead) != (before.model, before.ahead) {
            let (owner, first) = Owner::start(&setup, truth)?;
            self.owner = owner;
            self.send(truth.at, first, false);
        }
        self.owner.publisher.set_threshold(Threshold::metres(setup.threshold_m)?);
        if let Some(planner) = &mut self.owner.aim {
            planner.set_bound_m(setup.threshold_m);
        }
        self.setup = setup;
        Ok(())
    }

    /// The next truth, and what arrives at its moment; while the network loses, nothing gets through.
    pub fn tick(&mut self, truth: &Kinematics, is_losing: bool) {
        let now = truth.at;
        if self.losses.first().is_some_and(|it| it.0 <= now) {
            let (_, lost) = self.losses.remove(0); // at most one was sent a tick
            self.owner.publisher.handle_lost(lost);
        }
        if let Some(update) = self.owner.observe(truth) {
            self.send(now, update, is_losing);
        }
        while let Some(update) = self.link.arrive(now) {
            self.ghost.accept(update, now);
        }
        let shown = self.shown(now);
        let off = shown - truth.position;
        self.errors.note(off.length());
        self.leaps.note(off.distance(self.off));
        self.off = off;
        self.trail.note(shown);
    }

    fn send(&mut self, now: SimTime, update: Update, is_lost: bool) {
        self.lane.note(now, is_lost);
        let link = self.setup.link;
        if is_lost {
            let round = Duration::from_millis(2 * u64::from(link.delay_ms));
            self.losses.push((now + round + ACK_GRACE, update.at()));
        } else {
            self.link.send(now, link, update);
        }
    }

    /// Where the watcher draws the ball.
    #[must_use]
    pub fn shown(&self, now: SimTime) -> DVec3 {
        self.ghost.position_at(now)
    }

    /// Where the owner knows that it would be drawn without delay: what is held against the
    /// threshold.
    #[must_use]
    pub fn guess(&self, now: SimTime) -> DVec3 {
        self.owner.last().position_at(now)
    }

    /// Where the watcher will draw it over the next so many seconds, if nothing comes.
    #[must_use]
    pub fn course(&self, now: SimTime, seconds: f64) -> Vec<DVec3> {
        let update = self.ghost.update();
        let mut places = Vec::new();
        for point in 0..=POINTS {
            let ahead_us = seconds * 1e6 * f64::from(point) / f64::from(POINTS);
            places
                .push(update.position_at(SimTime::from_micros(now.as_micros() + ahead_us as i64)));
        }
        places
    }

    /// Figures begin anew.
    pub fn reset(&mut self, now: SimTime) {
        self.lane.reset(now);
        self.errors.reset();
        self.leaps.reset();
    }
}
