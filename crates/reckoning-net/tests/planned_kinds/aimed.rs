//! Kinds that aim, and kinds that judge ahead.

use std::time::Duration;

use reckoning::guard::{Envelope, GuardConfig};
use reckoning::{AimConfig, ExportReason, Planner};
use reckoning_net::{
    DVec3, EntityId, Kind, Kinematics, LearnedKind, Model, Owner, PlannerKind, PlanningAssets,
    SessionEvent, Surroundings, Threshold, Update, ZoneConfig,
};

use crate::world::{World, assets, course, walls};

fn kind(aim: AimConfig) -> Kind {
    let mut kind = Kind::default();
    let mut learned = LearnedKind::default();
    (learned.network, learned.choose) = ("coasting".into(), false);
    kind.planner = PlannerKind::Learned(learned);
    kind.publisher.threshold = Threshold::metres(0.25).unwrap();
    kind.publisher.judge_ahead = Some(Duration::from_millis(200));
    kind.publisher.angle_threshold = None;
    kind.aim = Some(aim);
    kind
}

fn lines(max_offset: f64) -> AimConfig {
    let mut aim = AimConfig::default();
    (aim.max_offset, aim.curve_bytes) = (max_offset, f64::INFINITY);
    aim
}

/// Foreseen to brake by the publisher's model.
fn braking(max_offset: f64) -> Kind {
    let mut kind = kind(lines(max_offset));
    kind.planner = PlannerKind::Model;
    kind.publisher.model = Model::Damped { fade: Duration::from_millis(300) };
    kind
}

/// What is published of a body that winds its way for ten seconds, but the first update, with the
/// truths.
fn published(world: &mut World, body: EntityId) -> Vec<(Kinematics, Update)> {
    let mut all: Vec<(Kinematics, Update)> = Vec::new();
    for _ in 0..400 {
        world.step();
        let truth = course(world.now);
        assert!(world.session.observe_with(body, &truth, &Surroundings::default()));
        let newest = *world.session.published(body).unwrap();
        if all.last().is_none_or(|(_, update)| *update != newest) {
            all.push((truth, newest));
        }
    }
    all.split_off(1)
}

#[test]
fn a_kind_that_aims_publishes_lines_from_where_the_body_is() {
    let mut world = World::new(kind(lines(0.0)), &assets());
    let (told, declared) = (world.kind(), kind(lines(0.0)));
    assert_eq!(
        (told.aim, told.publisher.judge_ahead),
        (declared.aim, declared.publisher.judge_ahead)
    );
    let body = world.spawn();
    let all = published(&mut world, body);
    assert!(all.len() > 20, "{} updates", all.len());
    for (truth, update) in &all {
        assert_eq!(*update.model(), Model::Linear);
        let seen = update.kinematics();
        assert!(seen.position.distance(truth.position) < 0.01, "{seen:?} {truth:?}");
        // The network says that bodies lose half of their speed, and more later.
        let kept = seen.velocity.length() / truth.velocity.length();
        assert!(kept < 0.6, "{kept}");
    }
    world.step();
    let known = world.known(body);
    assert_eq!(*known.model(), Model::Linear, "the host has the same");
}

/// Owners are told for which delay they aim. The network says that bodies lose half of their speed
/// at once and the rest in four seconds, and lines meet that in the middle of their window.
#[test]
fn owners_aim_further_ahead_for_listeners_who_are_further_behind() {
    let kept = |delay: u64| {
        let mut aim = AimConfig::for_delay(Duration::from_millis(delay));
        aim.curve_bytes = f64::INFINITY;
        let mut declared = kind(aim);
        declared.publisher.judge_ahead = Some(aim.judge_ahead());
        let mut world = World::new(declared, &assets());
        assert_eq!(world.kind().aim, Some(aim));
        assert_eq!(world.kind().publisher.judge_ahead, Some(aim.judge_ahead()));
        let body = world.spawn();
        let all = published(&mut world, body);
        let kept = |(truth, update): &(Kinematics, Update)| {
            update.kinematics().velocity.length() / truth.velocity.length()
        };
        all.iter().map(kept).sum::<f64>() / all.len() as f64
    };
    for delay in [50, 200, 350] {
        let middle_s = delay as f64 / 1e3 + 0.15;
        let meets = 0.5 * -4.0 * reckoning::math::expm1(-middle_s / 4.0) / middle_s;
        let kept = kept(delay);
        assert!((kept - meets).abs() < 0.003, "{delay} ms: {kept}, not {meets}");
    }
}

#[test]
fn where_headers_cost_most_the_curves_stay() {
    let mut aim = AimConfig::default();
    aim.overhead_bytes = 200.0;
    let mut world = World::new(kind(aim), &assets());
    let body = world.spawn();
    let all = published(&mut world, body);
    let curves = all.iter().filter(|(_, it)| matches!(it.model(), Model::Curve(_))).count();
    assert!(curves > all.len() * 3 / 4, "{curves} curves of {}", all.len());
}

/// Lines begin at most so far from the truth, and never on the other side of a wall.
#[test]
fn lines_begin_near_the_truth_and_not_behind_walls() {
    let mut world = World::new(braking(1.0), &assets());
    let body = world.spawn();
    let (walls, mut beside) = (walls(), 0);
    for (truth, update) in published(&mut world, body) {
        let begins = update.kinematics().position;
        assert!(begins.distance(truth.position) <= 0.25 + 0.02, "{begins} {}", truth.position);
        beside += u32::from(begins.distance(truth.position) > 0.05);
        // Half a step of the grid may be the difference between before and behind.
        let apart = begins.distance(truth.position) > 0.02;
        assert!(!apart || walls.first_hit(truth.position, begins).is_none(), "{begins}");
    }
    assert!(beside > 10, "{beside} of them begin beside the truth");
}

/// The guard of a kind that aims allows for what lines foresee; that of one that does not would not.
#[test]
fn owners_that_aim_are_not_corrected() {
    let mut guarded = braking(0.5);
    let envelope = Envelope { kick_mps: 0.5, ..Envelope::of_speed(6.0, 8.0) };
    guarded.guard = Some(GuardConfig::new(envelope, 0.3));
    let mut plain = Kind::default();
    plain.guard = guarded.guard;
    // The same lines twice: the second time by an owner whose kind says nothing of them.
    let mut worlds = [guarded, plain].map(|kind| World::new(kind, &PlanningAssets::default()));
    let bodies = worlds.each_mut().map(World::spawn);
    for world in &mut worlds {
        world.events.clear(); // the state that was granted
    }
    let mut copies = Copies(None);
    for _ in 0..400 {
        worlds.iter_mut().for_each(World::step);
        let [aimed, other] = &mut worlds;
        let truth = course(aimed.now);
        aimed.session.observe(bodies[0], &truth);
        copies.0 = aimed.session.published(bodies[0]).copied();
        other.session.observe_planned(bodies[1], &truth, &mut copies, &());
    }
    let corrected = worlds.map(|world| {
        world.events.iter().filter(|it| matches!(it, SessionEvent::Corrected { .. })).count()
    });
    assert_eq!(corrected[0], 0);
    assert!(corrected[1] > 0, "the limits are tight enough to tell");
}

/// Publishes what somebody else did.
struct Copies(Option<Update>);

impl Planner<()> for Copies {
    fn plan(&mut self, _: &Kinematics, (): &(), _: ExportReason) -> Model {
        Model::Linear
    }

    fn plan_state(&mut self, truth: &Kinematics, (): &(), _: ExportReason) -> (Kinematics, Model) {
        let seen = self.0.map_or(*truth, |it| Kinematics { at: truth.at, ..*it.kinematics() });
        (seen, Model::Linear)
    }
}

/// A body of the host as its watcher is told it, step by step.
fn host_body(kind: Kind) -> (World, EntityId) {
    let mut world = World::new(kind, &assets());
    world.host.set_viewpoint(crate::world::PEER, reckoning_net::Viewpoint::Everywhere);
    let now = world.now;
    let body = world.host.spawn_kind(now, world.kind, Owner::Host, b"", &course(now)).unwrap();
    (0..4).for_each(|_| world.step());
    (world, body)
}

#[test]
fn bodies_of_the_host_are_sent_as_lines_while_the_host_foresees_curves() {
    let (mut world, body) = host_body(kind(lines(0.0)));
    let mut seen = 0;
    for _ in 0..400 {
        let at = world.now + Duration::from_millis(25);
        world.host.observe_with(body, &course(at), &Surroundings::default());
        world.step();
        assert!(matches!(world.known(body).model(), Model::Curve(_)));
        let Some((_, ghost)) = world.session.ghosts().find(|(id, _)| *id == body) else { continue };
        let update = ghost.ghost().update();
        if seen > 2 {
            assert_eq!(*update.model(), Model::Linear);
        }
        seen += 1;
    }
    assert!(seen > 300, "{seen}");
}

/// A game that plans by itself says what it foresees; how that goes out its kind says all the same.
#[test]
fn what_a_game_plans_for_a_body_of_the_host_is_sent_as_lines_too() {
    let (mut world, body) = host_body(kind(lines(0.0)));
    let mut planner = Foresees { stops: true };
    for _ in 0..100 {
        let at = world.now + Duration::from_millis(25);
        world.host.observe_planned(body, &course(at), &mut planner, &());
        world.step();
    }
    assert!(matches!(world.known(body).model(), Model::Damped { .. }));
    let (_, ghost) = world.session.ghosts().find(|(id, _)| *id == body).unwrap();
    assert_eq!(*ghost.ghost().update().model(), Model::Linear);
}

/// Goes straight on, and is foreseen to stop from a moment on.
struct Foresees {
    stops: bool,
}

impl Planner<()> for Foresees {
    fn plan(&mut self, _: &Kinematics, (): &(), _: ExportReason) -> Model {
        if self.stops { Model::Damped { fade: Duration::from_millis(100) } } else { Model::Linear }
    }
}

#[test]
fn a_host_sends_what_it_foresees_before_anybody_is_off() {
    let sent_at_once = |judge_ahead| {
        let mut kind = Kind::default();
        kind.publisher.judge_ahead = judge_ahead;
        let mut zones = ZoneConfig::default();
        zones.classes[0].threshold = Threshold::metres(0.25).unwrap();
        kind.zones = Some(zones);
        let (mut world, body) = host_body(kind);
        let straight = |now: reckoning_net::SimTime| {
            Kinematics::moving(now, DVec3::X * 4.0 * now.as_secs_f64(), DVec3::X * 4.0)
        };
        let mut planner = Foresees { stops: false };
        for step in 0..60 {
            planner.stops = step >= 58;
            let at = world.now + Duration::from_millis(25);
            world.host.observe_planned(body, &straight(at), &mut planner, &());
            world.step();
        }
        let (_, ghost) = world.session.ghosts().find(|(id, _)| *id == body).unwrap();
        matches!(ghost.ghost().update().model(), Model::Damped { .. })
    };
    assert!(sent_at_once(Some(Duration::from_millis(200))));
    assert!(!sent_at_once(None), "nobody is off yet");
}
