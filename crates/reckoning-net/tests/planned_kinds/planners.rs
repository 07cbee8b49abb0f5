//! Each planner of a kind plans through a session as it does by itself, to the bit.

use std::time::Duration;

use reckoning::{ExportReason, Planner};
use reckoning_net::{
    HostEvent, Kind, Kinds, LearnedKind, Model, Owner, PlannerKind, PlannerNeed, PlanningAssets,
    SessionEvent, Surroundings, Update,
};
use reckoning_predict::learned::{LearnedConfig, LearnedPlanner};
use reckoning_predict::{
    Behaviour, ChooserConfig, ChooserPlanner, Interest, InterestConfig, InterestHybrid, Patterns,
    PatternsConfig, PatternsHybrid, Pheromone, PheromoneConfig, Trended, TrendedConfig,
};

use crate::bare::{Bare, seed_of};
use crate::world::{Moment, World, assets, course, network};

const STEPS: u32 = 400;

fn kind_of(planner: PlannerKind) -> Kind {
    let mut kind = Kind::default();
    kind.planner = planner;
    kind.publisher.seed = 5;
    kind
}

/// Every planner that is a behaviour, and that behaviour.
fn behaviours() -> Vec<(PlannerKind, Behaviour)> {
    let (interest, patterns) =
        (InterestConfig::default().scaled(0.05), PatternsConfig::default().scaled(0.01));
    let mut avoiding = patterns;
    avoiding.avoid_walls = true;
    let (trend, trails) = (TrendedConfig::default(), PheromoneConfig::default());
    let made = |config| Patterns::new(config).unwrap();
    let hybrid = |config| Behaviour::PatternsHybrid(PatternsHybrid::new(made(config)));
    let drawn = Interest::new(interest).unwrap();
    vec![
        (PlannerKind::Interest(interest), Behaviour::Interest(drawn)),
        (
            PlannerKind::InterestHybrid(interest),
            Behaviour::InterestHybrid(InterestHybrid::new(drawn)),
        ),
        (PlannerKind::Ekb(patterns), Behaviour::Patterns(made(patterns))),
        (PlannerKind::EkbHybrid(patterns), hybrid(patterns)),
        (PlannerKind::Oaekb(patterns), Behaviour::Patterns(made(avoiding))),
        (PlannerKind::OaekbHybrid(patterns), hybrid(avoiding)),
        (PlannerKind::Trend(trend), Behaviour::Trended(Trended::new(trend).unwrap())),
        (PlannerKind::Pheromone(trails), Behaviour::Pheromone(Pheromone::new(trails).unwrap())),
    ]
}

fn learned(choose: bool) -> PlannerKind {
    let mut learned = LearnedKind::default();
    learned.network = "coasting".into();
    learned.choose = choose;
    PlannerKind::Learned(learned)
}

/// Plays a body of this kind beside a bare publisher with this planner; what was exported.
fn play_beside(
    kind: Kind,
    planner: impl FnOnce(u64) -> Box<dyn DynPlanner>,
    completed: bool,
) -> Vec<Update> {
    let name = format!("{:?}", kind.planner);
    let assets = assets();
    let mut world = World::new(kind, &assets);
    let body = world.spawn();
    let mut planner = planner(seed_of(world.kind(), body));
    let mut bare: Option<Bare> = None;
    let mut exported = Vec::new();
    for _ in 0..STEPS {
        world.step();
        if let Some(published) = world.session.published(body) {
            // Without a common clock the host stamps by its own.
            let bits =
                |it: &Update| (it.kinematics().position, it.kinematics().velocity, *it.model());
            assert_eq!(
                bits(&world.known(body)),
                bits(published),
                "{name}: the host has other bits"
            );
        }
        let (truth, moment) = (course(world.now), Moment::new(world.now));
        let mut full = moment.scene();
        (full.walls, full.trends) = (assets.walls.as_deref(), assets.trends.as_deref());
        let given = if completed { full.clone() } else { moment.scene() };
        assert!(world.session.observe_with(body, &truth, &Moment::around(&given)));
        let sent = if let Some(bare) = &mut bare {
            planner.observe(bare, &truth, &Moment::around(&full))
        } else {
            bare = Some(Bare::start(world.kind(), body, &truth));
            true
        };
        let theirs = bare.as_ref().unwrap().publisher.last_update();
        assert_eq!(world.session.published(body), Some(theirs), "{name}");
        exported.extend(sent.then_some(*theirs));
    }
    let missing = |it: &&SessionEvent| matches!(it, SessionEvent::PlannerMissing { .. });
    assert_eq!(world.events.iter().find(missing), None, "{name}");
    exported
}

/// A planner of any type, at a bare publisher.
trait DynPlanner {
    fn observe(
        &mut self,
        bare: &mut Bare,
        truth: &reckoning::Kinematics,
        around: &Surroundings<'_>,
    ) -> bool;
}

impl<P: for<'a> Planner<Surroundings<'a>>> DynPlanner for P {
    fn observe(
        &mut self,
        bare: &mut Bare,
        truth: &reckoning::Kinematics,
        around: &Surroundings<'_>,
    ) -> bool {
        bare.observe_planned(truth, self, around)
    }
}

fn curves(updates: &[Update]) -> usize {
    updates.iter().filter(|it| matches!(it.model(), Model::Curve(_))).count()
}

#[test]
fn a_session_exports_what_a_bare_publisher_with_the_same_behaviour_does() {
    let mut seen: Vec<Vec<Update>> = Vec::new();
    for (planner, behaviour) in behaviours() {
        let exported = play_beside(kind_of(planner), |_| Box::new(behaviour), true);
        assert!(exported.len() > 15, "{behaviour:?}: {} updates", exported.len());
        assert_eq!(curves(&exported), exported.len() - 1, "{behaviour:?}: all but the first");
        seen.push(exported);
    }
    let alike = (1..seen.len()).find(|at| seen[..*at].contains(&seen[*at]));
    assert_eq!(alike, None, "two planners that plan the same prove nothing");
}

#[test]
fn a_session_exports_what_a_bare_publisher_with_the_same_network_does() {
    for choose in [true, false] {
        let planner = |seed| {
            let mut config = LearnedConfig::default();
            (config.choose, config.seed) = (choose, seed);
            Box::new(LearnedPlanner::new(network(), config)) as Box<dyn DynPlanner>
        };
        let exported = play_beside(kind_of(learned(choose)), planner, true);
        assert!(curves(&exported) > 5, "{} curves of {}", curves(&exported), exported.len());
    }
}

#[test]
fn a_session_exports_what_a_bare_publisher_with_the_same_chooser_does() {
    let config = ChooserConfig::default().scaled(0.01);
    for completed in [true, false] {
        let planner = |seed| {
            Box::new(ChooserPlanner::new(config, 0.25, seed).unwrap()) as Box<dyn DynPlanner>
        };
        let exported = play_beside(kind_of(PlannerKind::Chooser(config)), planner, completed);
        assert!(exported.len() > 15, "{} updates", exported.len());
        assert!(curves(&exported) > 0, "it never tried any that look around");
    }
}

#[test]
fn a_scene_without_a_level_is_completed_with_the_registered_one() {
    for (planner, behaviour) in behaviours() {
        if matches!(planner, PlannerKind::Trend(_) | PlannerKind::Pheromone(_)) {
            play_beside(kind_of(planner), |_| Box::new(behaviour), false);
        }
    }
}

#[test]
fn planners_travel_with_their_settings() {
    let mut all: Vec<PlannerKind> = behaviours().into_iter().map(|(kind, _)| kind).collect();
    let chooser = PlannerKind::Chooser(ChooserConfig::default().scaled(0.5));
    all.extend([PlannerKind::Model, learned(false), chooser]);
    for planner in all {
        let world = World::new(kind_of(planner.clone()), &PlanningAssets::default());
        assert_eq!(world.kind().planner, planner);
    }
}

#[test]
fn settings_of_a_planner_that_are_out_of_range_are_refused_by_name() {
    let mut patterns = PatternsConfig::default();
    patterns.follow_in_battle = 2.0;
    let mut still = ChooserConfig::default();
    still.fade = Duration::ZERO;
    let mut nameless = LearnedKind::default();
    nameless.network = String::new();
    for (planner, named) in [
        (PlannerKind::OaekbHybrid(patterns), "follow_in_battle"),
        (PlannerKind::Learned(nameless), "network name bytes"),
        (PlannerKind::Chooser(still), "fade"),
    ] {
        let refused = Kinds::default().add("walker", kind_of(planner)).unwrap_err().to_string();
        assert!(refused.contains(named), "{refused}");
    }
}

/// What was missing, in order, when a kind is played by a session and by a host.
fn missed(planner: PlannerKind, assets: &PlanningAssets, around: Around) -> Vec<PlannerNeed> {
    let mut world = World::new(kind_of(planner), assets);
    let (body, kind) = (world.spawn(), world.kind);
    let own = world.host.spawn_kind(world.now, kind, Owner::Host, b"", &course(world.now)).unwrap();
    let mut at_host = Vec::new();
    for _ in 0..100 {
        let (truth, moment) = (course(world.now), Moment::new(world.now));
        let mut scene = moment.scene();
        if around == Around::BareScene {
            (scene.routes, scene.pheromones) = (None, None);
        }
        let mut around_us = Moment::around(&scene);
        match around {
            Around::Nothing => around_us.scene = None,
            Around::Stranger => around_us.id = 99,
            Around::BareScene => {}
        }
        world.session.observe_with(body, &truth, &around_us);
        world.host.observe_with(own, &truth, &around_us);
        while let Some(event) = world.host.poll_event() {
            if let HostEvent::PlannerMissing { entity, kind: of, needs } = event {
                assert_eq!((entity, of), (own, kind));
                at_host.push(needs);
            }
        }
        world.step();
    }
    let updates = world.session.published(body).unwrap();
    assert_eq!(updates.model(), &Model::Linear, "goes by the model of its kind");
    assert_eq!(world.known(own).model(), &Model::Linear);
    let need = |event: &SessionEvent| match event {
        SessionEvent::PlannerMissing { entity, kind: of, needs } => {
            assert_eq!((*entity, *of), (body, kind));
            Some(*needs)
        }
        _ => None,
    };
    let needs: Vec<PlannerNeed> = world.events.iter().filter_map(need).collect();
    assert_eq!(needs, at_host);
    needs
}

#[derive(Clone, Copy, PartialEq)]
enum Around {
    Nothing,
    Stranger,
    BareScene,
}

#[test]
fn a_planner_that_lacks_something_says_so_once_and_the_model_of_the_kind_holds() {
    let nothing = PlanningAssets::default();
    for (planner, _) in behaviours() {
        let scene = missed(planner.clone(), &assets(), Around::Nothing);
        assert_eq!(scene, [PlannerNeed::Scene], "{planner:?}");
        assert_eq!(missed(planner, &assets(), Around::Stranger), [PlannerNeed::Body]);
    }
    let patterns = PatternsConfig::default();
    for (planner, need) in [
        (PlannerKind::Oaekb(patterns), PlannerNeed::Routes),
        (PlannerKind::OaekbHybrid(patterns), PlannerNeed::Routes),
        (PlannerKind::Trend(TrendedConfig::default()), PlannerNeed::Trends),
        (PlannerKind::Pheromone(PheromoneConfig::default()), PlannerNeed::Trails),
        (learned(true), PlannerNeed::Network),
    ] {
        assert_eq!(missed(planner.clone(), &nothing, Around::BareScene), [need], "{planner:?}");
    }
}

#[test]
fn a_host_plans_its_own_bodies_as_its_kinds_say() {
    for (planner, mut behaviour) in behaviours() {
        let assets = assets();
        let mut world = World::new(kind_of(planner), &assets);
        let (now, kind) = (world.now, world.kind);
        let own = world.host.spawn_kind(now, kind, Owner::Host, b"", &course(now)).unwrap();
        for _ in 0..20 {
            world.step();
            let (truth, moment) = (course(world.now), Moment::new(world.now));
            let mut full = moment.scene();
            (full.walls, full.trends) = (assets.walls.as_deref(), assets.trends.as_deref());
            assert!(world.host.observe_with(own, &truth, &Moment::around(&moment.scene())));
            let plan = behaviour.plan(&truth, &Moment::around(&full), ExportReason::Position);
            assert_eq!(world.known(own).model(), &plan, "{behaviour:?}");
        }
    }
}

#[test]
fn a_body_of_another_kind_is_planned_by_that_one() {
    let mut world = World::new(kind_of(learned(false)), &assets());
    let body = world.spawn();
    let curves_in = |world: &mut World| {
        let mut curves = 0;
        for _ in 0..100 {
            world.step();
            let truth = course(world.now);
            world.session.observe(body, &truth);
            let update = world.session.published(body).unwrap();
            curves += u32::from(matches!(update.model(), Model::Curve(_)));
        }
        curves
    };
    assert!(curves_in(&mut world) > 10, "a network needs no surroundings");
    assert!(world.host.set_kind(world.now, body, world.plain));
    (0..4).for_each(|_| world.step());
    assert_eq!(curves_in(&mut world), 0);
}

#[test]
fn a_planner_forgets_where_a_body_was_before_a_teleport() {
    let mut world = World::new(kind_of(learned(true)), &assets());
    let body = world.spawn();
    let mut config = LearnedConfig::default();
    config.seed = seed_of(world.kind(), body);
    let mut planner = LearnedPlanner::new(network(), config);
    let mut bare: Option<Bare> = None;
    for step in 0..STEPS {
        world.step();
        let mut truth = course(world.now);
        truth.position.x += 50.0 * f64::from(step / 100);
        let around = Surroundings::default();
        match &mut bare {
            None => {
                assert!(world.session.observe(body, &truth));
                bare = Some(Bare::start(world.kind(), body, &truth));
            }
            Some(bare) if step % 100 == 0 => {
                assert!(world.session.teleport(body, &truth));
                Planner::<Surroundings<'_>>::restart(&mut planner);
                let update = bare.publisher.teleport(&truth);
                bare.sent(update);
            }
            Some(bare) => {
                assert!(world.session.observe(body, &truth));
                bare.observe_planned(&truth, &mut planner, &around);
            }
        }
        let theirs = bare.as_ref().unwrap().publisher.last_update();
        assert_eq!(world.session.published(body), Some(theirs), "step {step}");
    }
}
