//! Publishing of recorded bodies, as a game would: with the engine's publisher and planners.

use reckoning::aim::{AimConfig, AimedPlanner};
use reckoning::{
    AngleThreshold, ConfigError, DVec3, ExportReason, Kinematics, Model, Planner, Publisher,
    Update, UpdateKind,
};
use reckoning_net::wire::Format;
use reckoning_predict::Surroundings;

use super::FrontierError;
use super::stream::{ANGLE_DEGREES, LifeStream, lives, sayable};
use super::tally::Look;
use crate::compare::{ChainSetting, Ready};
use crate::publishing::threshold_only;

/// What could be sent at every sample of a life, and the truth there.
pub(crate) type Payloads = Vec<(Update, Look)>;

/// How a method publishes one player.
pub(crate) struct PublishedStream<'a> {
    pub(crate) setting: &'a ChainSetting<'a>,
    pub(crate) format: &'a Format,
    /// Whether turning is sent; tables of recordings leave it out.
    pub(crate) turning: bool,
    /// How what is foreseen is published as lines aimed at it, and judged ahead; `None` as it is.
    pub(crate) aim: Option<AimConfig>,
    pub(crate) player: usize,
}

impl PublishedStream<'_> {
    /// Everything that is sent.
    pub(crate) fn run(&self) -> Result<Vec<LifeStream>, FrontierError> {
        let each = |places: Vec<usize>, planner: &mut ChosenPlanner<'_>| {
            let sent = self.run_life(&places, planner)?;
            Ok(LifeStream { places, sent })
        };
        self.for_each_life(each)
    }

    /// What could be sent, whether or not it is due.
    pub(crate) fn payloads(&self) -> Result<Vec<Payloads>, FrontierError> {
        self.for_each_life(|places, planner| {
            places.into_iter().map(|place| self.payload(planner, place)).collect()
        })
    }

    fn for_each_life<R>(
        &self,
        each: impl Fn(Vec<usize>, &mut ChosenPlanner<'_>) -> Result<R, FrontierError>,
    ) -> Result<Vec<R>, FrontierError> {
        let mut planner = self.planner()?;
        let mut found = Vec::new();
        for places in lives(&self.setting.prepared.courses[self.player]) {
            planner.restart();
            found.push(each(places, &mut planner)?);
        }
        Ok(found)
    }

    fn planner(&self) -> Result<ChosenPlanner<'_>, ConfigError> {
        let (setting, bound) = (self.setting, self.setting.bound);
        let planner = setting.planner(self.player);
        Ok(match (planner, setting.predictor, self.aim) {
            (Some(planner), _, Some(aim)) => Box::new(AimedPlanner::new(planner, aim, bound)?),
            (Some(planner), _, None) => Box::new(planner),
            (None, Ready::Model(model), Some(aim)) => {
                Box::new(AimedPlanner::new(model, aim, bound)?)
            }
            (None, ..) => Box::new(SettingPlanner { setting, player: self.player }),
        })
    }

    fn run_life(
        &self,
        places: &[usize],
        planner: &mut ChosenPlanner<'_>,
    ) -> Result<Vec<Update>, FrontierError> {
        let (mut publisher, first) = self.start(places[0], planner)?;
        let mut sent = vec![self.said(&mut publisher, &first)];
        for &place in &places[1..] {
            self.tell(planner, place);
            let truth = self.sayable(place);
            if let Some(threshold) = self.setting.threshold_at(&truth) {
                publisher.set_threshold(threshold);
            }
            let forecast = |_: &Kinematics| {
                self.with_senses(place, |own, around| planner.forecast(own, around))
            };
            if let Some(reason) = publisher.due_ahead(&truth, forecast) {
                let (seen, model) = self.plan(planner, place, reason);
                let update = publisher.export_state(&truth, &seen, model, reason);
                sent.push(self.said(&mut publisher, &update));
            }
        }
        Ok(sent)
    }

    fn start(
        &self,
        place: usize,
        planner: &mut ChosenPlanner<'_>,
    ) -> Result<(Publisher, Update), FrontierError> {
        self.tell(planner, place);
        let model = match self.setting.predictor {
            Ready::Model(model) => model,
            Ready::Learned(_) if self.aim.is_none() => {
                self.plan(planner, place, ExportReason::Full).1
            }
            _ => Model::Linear,
        };
        let mut config = threshold_only(self.setting.bound, model)?;
        config.judge_ahead = self.aim.map(|aim| aim.judge_ahead());
        if self.turning {
            config.angle_threshold = AngleThreshold::degrees(ANGLE_DEGREES).ok();
        }
        Ok(Publisher::start(config, &self.sayable(place))?)
    }

    fn payload(
        &self,
        planner: &mut ChosenPlanner<'_>,
        place: usize,
    ) -> Result<(Update, Look), FrontierError> {
        self.tell(planner, place);
        let truth = self.sayable(place);
        let (seen, model) = self.plan(planner, place, ExportReason::Position);
        let seen = Kinematics { position: seen.position, velocity: seen.velocity, ..truth };
        let update = self.format.round(&Update::new(seen, model, UpdateKind::Partial)?);
        Ok((update, Look { at: truth.at, shown: DVec3::ZERO, truth: truth.position }))
    }

    /// Lets the planner observe the truth of a sample.
    fn tell(&self, planner: &mut ChosenPlanner<'_>, place: usize) {
        let truth = self.setting.own_motion(self.player, place);
        if planner.looks_around(&truth) {
            self.with_senses(place, |own, around| planner.observe(own, around));
        } else {
            planner.observe(&truth, &Surroundings::default());
        }
    }

    fn plan(
        &self,
        planner: &mut ChosenPlanner<'_>,
        place: usize,
        reason: ExportReason,
    ) -> (Kinematics, Model) {
        self.with_senses(place, |own, around| planner.plan_state(own, around, reason))
    }

    /// Asks with what an owner knows at a sample. Models alone look at nothing, and in a crowd it
    /// would take long to gather.
    fn with_senses<R>(
        &self,
        place: usize,
        ask: impl FnOnce(&Kinematics, &Surroundings<'_>) -> R,
    ) -> R {
        if let Ready::Model(_) = self.setting.predictor {
            let truth = self.setting.own_motion(self.player, place);
            return ask(&truth, &Surroundings::default());
        }
        self.setting.with_senses(self.player, place, ask)
    }

    /// What a body says of itself.
    fn sayable(&self, place: usize) -> Kinematics {
        let course = &self.setting.prepared.courses[self.player];
        sayable(&course.states[place].kinematics, self.format, self.turning)
    }

    /// What the wire keeps of an update; the publisher guesses from that.
    fn said(&self, publisher: &mut Publisher, update: &Update) -> Update {
        let rounded = self.format.round(update);
        publisher.handle_sent(rounded);
        rounded
    }
}

/// Any planner that looks at what is around.
type ChosenPlanner<'a> = Box<dyn for<'s> Planner<Surroundings<'s>> + 'a>;

/// Models and behaviours of the comparison, which keep nothing from sample to sample.
struct SettingPlanner<'a> {
    setting: &'a ChainSetting<'a>,
    player: usize,
}

impl Planner<Surroundings<'_>> for SettingPlanner<'_> {
    fn plan(&mut self, truth: &Kinematics, _: &Surroundings<'_>, reason: ExportReason) -> Model {
        self.setting.plan(self.player, truth, reason)
    }

    fn looks_around(&self, _: &Kinematics) -> bool {
        false
    }
}
