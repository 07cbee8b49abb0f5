//! Thresholds by place and prevention of bodies that the host itself moves.

use std::time::Duration;

use reckoning::clearance::kept_clear;
use reckoning_net::{
    DVec3, EntityId, HostEvent, Kind, Kinematics, Model, Owner, PlaceThreshold, PlannerNeed,
    PlanningAssets, SimTime, Viewpoint,
};

use crate::places::{across, at_the_wall};
use crate::world::{PEER, World, assets};

/// Plays a body of the host for ten seconds before one who watches; what the host missed.
fn play(
    kind: Kind,
    assets: &PlanningAssets,
    path: fn(SimTime) -> Kinematics,
    mut look: impl FnMut(&World, EntityId, &Kinematics),
) -> Vec<PlannerNeed> {
    let mut world = World::new(kind, assets);
    world.host.set_viewpoint(PEER, Viewpoint::Everywhere);
    let (now, kind) = (world.now, world.kind);
    let body = world.host.spawn_kind(now, kind, Owner::Host, b"", &path(now)).unwrap();
    let mut missed = Vec::new();
    for _ in 0..400 {
        let truth = path(world.now + Duration::from_millis(25));
        world.host.observe(body, &truth);
        while let Some(event) = world.host.poll_event() {
            if let HostEvent::PlannerMissing { needs, .. } = event {
                missed.push(needs);
            }
        }
        world.step();
        look(&world, body, &truth);
    }
    missed
}

/// What the watcher was sent last.
fn heard(world: &World, body: EntityId) -> Option<reckoning_net::Update> {
    let mut ghosts = world.session.ghosts();
    ghosts.find(|(id, _)| *id == body).map(|(_, remote)| *remote.ghost().update())
}

fn preventing() -> Kind {
    let mut kind = Kind::default();
    kind.prevents = true;
    kind
}

#[test]
fn a_body_of_the_host_that_prevents_is_not_sent_into_a_wall() {
    let assets = assets();
    let walls = assets.walls.clone().unwrap();
    let ahead = Duration::from_millis(450);
    let inside = |kind: Kind, assets: &PlanningAssets| {
        let mut inside = 0;
        let missed = play(kind, assets, at_the_wall, |world, body, truth| {
            if let Some(update) = heard(world, body) {
                inside += u32::from(walls.inside(update.position_at(update.at() + ahead)));
            }
            if assets.walls.is_some() && world.kind().prevents {
                let kept = kept_clear(truth, Model::Linear, &*walls, Duration::from_millis(500));
                let known = world.known(body);
                assert_eq!(known.kinematics().velocity, kept.velocity, "as an owner would");
            }
        });
        (inside, missed)
    };
    let (without, _) = inside(Kind::default(), &assets);
    assert!(without > 10, "{without}: nothing to prevent");
    assert_eq!(inside(preventing(), &assets), (0, vec![]));
    let no_walls = inside(preventing(), &PlanningAssets::default());
    assert_eq!(no_walls, (without, vec![PlannerNeed::Walls]), "that is said once");
}

/// Where no trend is known, which is where the threshold is tightest.
fn elsewhere(now: SimTime) -> Kinematics {
    let truth = across(now);
    Kinematics { position: truth.position + DVec3::X * 300.0, ..truth }
}

#[test]
fn a_body_of_the_host_is_sent_by_the_threshold_of_its_place() {
    let by_place = |min_m: f64| {
        let mut kind = Kind::default();
        kind.threshold_by_place = Some(PlaceThreshold { min_m, max_m: 1.0 });
        kind
    };
    let assets = assets();
    let updates = |kind: Kind, assets: &PlanningAssets, path| {
        let (mut last, mut updates, mut off_m) = (None, 0, Vec::new());
        let missed = play(kind, assets, path, |world, body, truth| {
            let update = heard(world, body);
            updates += u32::from(update != last);
            last = update;
            off_m.extend(update.map(|it| it.position_at(truth.at).distance(truth.position)));
        });
        off_m.sort_by(f64::total_cmp);
        (updates, off_m[off_m.len() / 2], missed)
    };
    let (wide, loose_m, _) = updates(by_place(1.0), &assets, elsewhere);
    let (tight, close_m, missed) = updates(by_place(0.2), &assets, elsewhere);
    let (known, ..) = updates(by_place(0.2), &assets, across);
    println!(
        "{wide} updates, {loose_m:.3} m off; {tight}, {close_m:.3} m off where nothing is known; {known} where it is"
    );
    assert!(2 * tight > 3 * wide, "{tight} updates, {wide} where the place does not matter");
    assert!(close_m < 0.5 * loose_m && close_m < 0.05, "{close_m} m off, {loose_m} m");
    assert!(3 * known < 2 * tight, "{known} updates along the trend, {tight} where there is none");
    assert_eq!(missed, []);
    let (blind, _, missed) = updates(by_place(0.2), &PlanningAssets::default(), elsewhere);
    assert_eq!((blind, missed), (wide, vec![PlannerNeed::Trends]), "no trends, and that is said");
}
