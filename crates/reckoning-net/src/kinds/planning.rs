//! Planning for one body by its kind, from what its mover knows of the level and of others.
//!
//! A [`BodyPlanner`] is made for a body whose kind asks for more than a model. Publisher and host
//! ask it by the same [`Planner`] that a game's own would be. It looks once at what it lacks and
//! remembers it, so that the game can be told instead of being shown a straight line.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use core::time::Duration;

use reckoning::aim::Aim;
use reckoning::clearance::kept_clear;
use reckoning::{
    ExportReason, Kinematics, Model, Planner, Publisher, Threshold, Update, UpdateKind,
};
use reckoning_predict::learned::{LearnedConfig, LearnedModel, LearnedPlanner};
use reckoning_predict::{
    Behaviour, ChooserPlanner, Item, KnownBody, Scene, Surroundings, TrendMap, Walls,
};

use super::obstacles::{Obstacles, SharedTerrain};
use super::{Kind, PlaceThreshold, PlannerKind, PlannerNeed};

/// What planners of kinds look at and no scene brings: the level and trained networks, registered
/// once where bodies are moved. Clones share what they hold.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PlanningAssets {
    /// The walls of the level. Scenes without walls get these; bodies whose kind prevents it are
    /// not published into them. Default: `None`.
    pub walls: Option<Arc<Walls>>,
    /// The ground of the level. Bodies whose kind prevents it are not published into it. Default:
    /// `None`.
    pub ground: Option<SharedTerrain>,
    /// Which way bodies tend to go in the level. Scenes without a trend map get this one. Default:
    /// `None`.
    pub trends: Option<Arc<TrendMap>>,
    networks: BTreeMap<String, Arc<LearnedModel>>,
}

impl PlanningAssets {
    /// Registers a trained network by the name that kinds call it; one of that name is replaced.
    pub fn add_network(&mut self, name: &str, network: Arc<LearnedModel>) {
        self.networks.insert(name.into(), network);
    }

    /// The trained network of that name.
    #[must_use]
    pub fn network(&self, name: &str) -> Option<&Arc<LearnedModel>> {
        self.networks.get(name)
    }

    /// A scene of these bodies and items in this level. One made otherwise is completed from here
    /// whenever it is asked, which copies it.
    #[must_use]
    pub fn scene<'a>(&'a self, bodies: &'a [KnownBody], items: &'a [Item]) -> Scene<'a> {
        let mut scene = Scene::new(bodies, items);
        (scene.walls, scene.trends) = (self.walls.as_deref(), self.trends.as_deref());
        scene
    }
}

/// What plans.
#[derive(Clone, Debug)]
enum Engine {
    /// The publisher's model.
    Model(Model),
    Behaviour(Behaviour),
    Learned(Box<LearnedPlanner>),
    Chooser(Box<ChooserPlanner>),
    /// A trained network that is not registered.
    Nothing,
}

/// Plans for one body by its kind.
#[derive(Clone, Debug)]
pub(crate) struct BodyPlanner {
    engine: Engine,
    goes_round_walls: bool,
    aim: Option<Box<Aim>>,
    by_place: Option<PlaceThreshold>,
    prevents: bool,
    walls: Option<Arc<Walls>>,
    ground: Option<SharedTerrain>,
    trends: Option<Arc<TrendMap>>,
    /// Needs that were missed, a bit each, and one of them that the game was not told of.
    missed: u8,
    untold: Option<PlannerNeed>,
}

impl BodyPlanner {
    /// A planner for a body of a kind; `None` for one that asks for nothing but a model.
    pub(crate) fn new(kind: &Kind, assets: &PlanningAssets, seed: u64) -> Option<Box<Self>> {
        let is_plain = kind.planner == PlannerKind::Model
            && kind.threshold_by_place.is_none()
            && kind.aim.is_none()
            && !kind.prevents;
        if is_plain {
            return None;
        }
        let goes_round_walls =
            matches!(kind.planner, PlannerKind::Oaekb(_) | PlannerKind::OaekbHybrid(_));
        Some(Box::new(Self {
            engine: engine(kind, assets, seed),
            goes_round_walls,
            aim: aim_of(kind),
            by_place: kind.threshold_by_place,
            prevents: kind.prevents,
            walls: assets.walls.clone(),
            ground: assets.ground.clone(),
            trends: assets.trends.clone(),
            missed: 0,
            untold: None,
        }))
    }

    /// Lets a publisher observe a truth, with the plan, the threshold and the prevention of the
    /// body's kind.
    pub(crate) fn observe(
        &mut self,
        publisher: &mut Publisher,
        truth: &Kinematics,
        around: &Surroundings<'_>,
    ) -> Option<Update> {
        self.fit_threshold(publisher, truth);
        if self.is_ready(around) {
            return publisher.observe_planned(truth, self, around);
        }
        match self.obstacles() {
            Some(obstacles) => publisher.observe_on(truth, &obstacles),
            None => publisher.observe(truth),
        }
    }

    /// The plan for a truth of a body that is sent whenever somebody needs it; `None` where it goes
    /// by the model of its kind.
    pub(crate) fn plan_each(
        &mut self,
        truth: &Kinematics,
        around: &Surroundings<'_>,
    ) -> Option<Model> {
        if !self.is_ready(around) {
            return None;
        }
        Planner::observe(self, truth, around);
        let model = self.plan(truth, around, ExportReason::Position);
        self.follow(truth, &model);
        Some(model)
    }

    /// Takes what somebody foresees of a truth, to learn whether lines are cheaper.
    pub(crate) fn follow(&mut self, truth: &Kinematics, foreseen: &Model) {
        if let Some(aim) = &mut self.aim {
            aim.observe(truth, foreseen);
        }
    }

    /// What listeners shall have of a truth that is foreseen so: a line where the kind aims. One
    /// that would begin behind a wall begins at the truth.
    pub(crate) fn aimed(&self, truth: &Kinematics, foreseen: Model) -> (Kinematics, Model) {
        let Some(aim) = &self.aim else { return (*truth, foreseen) };
        let (seen, model) = aim.published(truth, foreseen);
        let hidden = self.walls.as_ref().is_some_and(|walls| {
            seen.position != truth.position
                && walls.first_hit(truth.position, seen.position).is_some()
        });
        if hidden { aim.from_truth(truth, foreseen) } else { (seen, model) }
    }

    /// What is to be sent of a body that the host knows so, where its kind aims.
    pub(crate) fn aimed_update(&self, known: &Update) -> Option<Update> {
        let is_plain = self.goes_by_model() && self.prevents;
        if self.aim.is_none() || is_plain || known.kind() == UpdateKind::Teleport {
            return None;
        }
        let (seen, model) = self.aimed(known.kinematics(), *known.model());
        let aimed = Update::new(seen, model, known.kind()).ok()?;
        Some(aimed.with_teleports(known.teleports()))
    }

    /// What of a truth of a body that is sent whenever somebody needs it may be sent with its kind's
    /// `model`: no motion that leads into a wall or the ground, where the kind prevents that.
    pub(crate) fn kept_clear(
        &mut self,
        truth: &Kinematics,
        model: Model,
        lookahead: Duration,
    ) -> Kinematics {
        match self.obstacles() {
            Some(obstacles) => kept_clear(truth, model, &obstacles, lookahead),
            None => *truth,
        }
    }

    /// What no motion may lead into; `None` where that is not prevented, or where nothing is known.
    fn obstacles(&mut self) -> Option<Obstacles<'_>> {
        if !self.prevents {
            return None;
        }
        if self.walls.is_none() && self.ground.is_none() {
            self.miss(PlannerNeed::Walls);
            return None;
        }
        Some(Obstacles { walls: self.walls.as_deref(), ground: self.ground.as_ref() })
    }

    /// The threshold of a truth's place as a share of the widest; 1 where it does not vary.
    pub(crate) fn threshold_share(&mut self, truth: &Kinematics) -> f64 {
        let widest_m = self.by_place.map_or(1.0, |by_place| by_place.max_m);
        self.threshold_m(truth).map_or(1.0, |threshold_m| threshold_m / widest_m)
    }

    /// The threshold of a truth's place (STEELE's equation 8), if it varies and the trends are known.
    fn threshold_m(&mut self, truth: &Kinematics) -> Option<f64> {
        let PlaceThreshold { min_m, max_m } = self.by_place?;
        let Some(trends) = &self.trends else {
            self.miss(PlannerNeed::Trends);
            return None;
        };
        Some(trends.threshold_m(truth.position, truth.velocity, min_m, max_m))
    }

    /// Sets the threshold that a truth is published with.
    pub(crate) fn fit_threshold(&mut self, publisher: &mut Publisher, truth: &Kinematics) {
        if let Some(Ok(threshold)) = self.threshold_m(truth).map(Threshold::metres) {
            publisher.set_threshold(threshold);
        }
        self.set_bound_m(publisher.config().threshold.max_error_m());
    }

    fn set_bound_m(&mut self, bound_m: f64) {
        match &mut self.engine {
            Engine::Learned(planner) => planner.set_bound_m(bound_m),
            Engine::Chooser(planner) => planner.set_bound_m(bound_m),
            Engine::Model(_) | Engine::Behaviour(_) | Engine::Nothing => {}
        }
        if let Some(aim) = &mut self.aim {
            aim.set_bound_m(bound_m);
        }
    }

    /// Whether there is a plan to be had; notes what is missing.
    fn is_ready(&mut self, around: &Surroundings<'_>) -> bool {
        match self.missing(around) {
            Some(need) => {
                self.miss(need);
                false
            }
            // What is kept out of walls goes by its model as it is.
            None => !self.goes_by_model() || (self.aim.is_some() && !self.prevents),
        }
    }

    const fn goes_by_model(&self) -> bool {
        matches!(self.engine, Engine::Model(_))
    }

    /// What the planner cannot do without.
    fn missing(&self, around: &Surroundings<'_>) -> Option<PlannerNeed> {
        let behaviour = match &self.engine {
            Engine::Model(_) | Engine::Learned(_) | Engine::Chooser(_) => return None,
            Engine::Nothing => return Some(PlannerNeed::Network),
            Engine::Behaviour(behaviour) => behaviour,
        };
        let Some(scene) = around.scene else { return Some(PlannerNeed::Scene) };
        let lacks_trends = scene.trends.is_none() && self.trends.is_none();
        if scene.body(around.id).is_none() {
            Some(PlannerNeed::Body)
        } else if self.goes_round_walls && scene.routes.is_none() {
            Some(PlannerNeed::Routes)
        } else if matches!(behaviour, Behaviour::Trended(_)) && lacks_trends {
            Some(PlannerNeed::Trends)
        } else if matches!(behaviour, Behaviour::Pheromone(_)) && scene.pheromones.is_none() {
            Some(PlannerNeed::Trails)
        } else {
            None
        }
    }

    fn miss(&mut self, need: PlannerNeed) {
        let bit = 1 << need as u8;
        if self.missed & bit == 0 {
            self.missed |= bit;
            self.untold = Some(need);
        }
    }

    /// Something that was missing and that the game was not told of yet.
    pub(crate) const fn take_missing(&mut self) -> Option<PlannerNeed> {
        self.untold.take()
    }

    /// Forgets where the body was.
    pub(crate) fn forget(&mut self) {
        if let Some(aim) = &mut self.aim {
            aim.restart();
        }
        match &mut self.engine {
            Engine::Learned(planner) => planner.restart(),
            Engine::Chooser(planner) => {
                Planner::<Surroundings<'_>>::restart(planner.as_mut());
            }
            Engine::Model(_) | Engine::Behaviour(_) | Engine::Nothing => {}
        }
    }
}

fn engine(kind: &Kind, assets: &PlanningAssets, seed: u64) -> Engine {
    if let PlannerKind::Learned(learned) = &kind.planner {
        let Some(network) = assets.network(&learned.network) else { return Engine::Nothing };
        let mut config = LearnedConfig::default();
        (config.choose, config.seed) = (learned.choose, seed);
        config.bound_m = kind.publisher.threshold.max_error_m();
        return Engine::Learned(Box::new(LearnedPlanner::new(Arc::clone(network), config)));
    }
    let bound_m = kind.publisher.threshold.max_error_m();
    if let PlannerKind::Chooser(config) = &kind.planner {
        let chooser = ChooserPlanner::new(*config, bound_m, seed);
        // What is out of range was refused when the kind was declared.
        return chooser
            .map_or(Engine::Model(kind.publisher.model), |it| Engine::Chooser(Box::new(it)));
    }
    match kind.planner.behaviour() {
        Ok(Some(behaviour)) => Engine::Behaviour(behaviour),
        // What is out of range was refused when the kind was declared.
        Ok(None) | Err(_) => Engine::Model(kind.publisher.model),
    }
}

fn aim_of(kind: &Kind) -> Option<Box<Aim>> {
    let aim = Aim::new(kind.aim?, kind.publisher.threshold.max_error_m());
    aim.ok().map(Box::new)
}

impl Planner<Surroundings<'_>> for BodyPlanner {
    fn observe(&mut self, truth: &Kinematics, around: &Surroundings<'_>) {
        let (walls, trends) = (self.walls.as_deref(), self.trends.as_deref());
        match &mut self.engine {
            Engine::Learned(planner) => look(planner.as_mut(), walls, trends, truth, around),
            Engine::Chooser(planner) => look(planner.as_mut(), walls, trends, truth, around),
            Engine::Model(_) | Engine::Behaviour(_) | Engine::Nothing => {}
        }
    }

    fn plan(
        &mut self,
        truth: &Kinematics,
        around: &Surroundings<'_>,
        reason: ExportReason,
    ) -> Model {
        let (walls, trends) = (self.walls.as_deref(), self.trends.as_deref());
        complete(walls, trends, around, |around| match &mut self.engine {
            Engine::Behaviour(behaviour) => behaviour.plan(truth, around, reason),
            Engine::Learned(planner) => planner.plan(truth, around, reason),
            Engine::Chooser(planner) => planner.plan(truth, around, reason),
            Engine::Model(model) => model.fitted(truth),
            // Never asked: see `is_ready`.
            Engine::Nothing => Model::Linear,
        })
    }

    fn plan_state(
        &mut self,
        truth: &Kinematics,
        around: &Surroundings<'_>,
        reason: ExportReason,
    ) -> (Kinematics, Model) {
        let model = self.plan(truth, around, reason);
        self.aimed(truth, model)
    }

    fn forecast(&mut self, truth: &Kinematics, around: &Surroundings<'_>) -> Option<Model> {
        let (walls, trends) = (self.walls.as_deref(), self.trends.as_deref());
        let foreseen = complete(walls, trends, around, |around| match &mut self.engine {
            Engine::Behaviour(behaviour) => behaviour.forecast(truth, around),
            Engine::Learned(planner) => planner.forecast(truth, around),
            Engine::Chooser(planner) => planner.forecast(truth, around),
            Engine::Model(model) => Some(model.fitted(truth)),
            Engine::Nothing => None,
        })?;
        if let Some(aim) = &mut self.aim {
            aim.observe(truth, &foreseen);
        }
        Some(foreseen)
    }
}

/// Lets a planner observe, with the surroundings only if it looks at them.
fn look<P: for<'a> Planner<Surroundings<'a>>>(
    planner: &mut P,
    walls: Option<&Walls>,
    trends: Option<&TrendMap>,
    truth: &Kinematics,
    around: &Surroundings<'_>,
) {
    if planner.looks_around(truth) {
        complete(walls, trends, around, |around| planner.observe(truth, around));
    } else {
        planner.observe(truth, &Surroundings::default());
    }
}

/// Asks with surroundings whose scene knows the level.
fn complete<T>(
    walls: Option<&Walls>,
    trends: Option<&TrendMap>,
    around: &Surroundings<'_>,
    ask: impl FnOnce(&Surroundings<'_>) -> T,
) -> T {
    let lacks = |scene: &Scene<'_>| {
        (scene.walls.is_none() && walls.is_some()) || (scene.trends.is_none() && trends.is_some())
    };
    let Some(given) = around.scene.filter(|scene| lacks(scene)) else { return ask(around) };
    let mut scene: Scene<'_> = given.clone();
    scene.walls = scene.walls.or(walls);
    scene.trends = scene.trends.or(trends);
    ask(&Surroundings { scene: Some(&scene), ..*around })
}
