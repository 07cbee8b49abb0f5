//! Thresholds by place and prevention, through a session and by a bare publisher.

use std::time::Duration;

use reckoning::math::{cos, sin};
use reckoning_net::{
    DVec3, Kind, Kinds, Kinematics, PlaceThreshold, PlannerNeed, PlanningAssets, SessionEvent,
    SimTime, Threshold,
};

use crate::bare::Bare;
use crate::world::{World, assets, course, format};

fn by_place(threshold: Option<PlaceThreshold>) -> Kind {
    let mut kind = Kind::default();
    kind.threshold_by_place = threshold;
    kind.publisher.heartbeat = Duration::from_secs(5);
    kind
}

fn preventing() -> Kind {
    let mut kind = Kind::default();
    kind.prevents = true;
    kind
}

const SWINGING: PlaceThreshold = PlaceThreshold { min_m: 0.2, max_m: 1.0 };

/// Plays a body of a kind for ten seconds; how many updates it exported.
fn exports(
    kind: Kind,
    assets: &PlanningAssets,
    path: fn(SimTime) -> Kinematics,
    mut check: impl FnMut(&World, &mut Option<Bare>, &Kinematics, reckoning_net::EntityId),
) -> (u32, Vec<SessionEvent>) {
    let mut world = World::new(kind, assets);
    let body = world.spawn();
    let (mut bare, mut count, mut last) = (None, 0, None);
    for _ in 0..400 {
        world.step();
        let truth = path(world.now);
        assert!(world.session.observe(body, &truth));
        check(&world, &mut bare, &truth, body);
        let update = world.session.published(body).copied();
        count += u32::from(update != last);
        last = update;
    }
    (count, world.events)
}

#[test]
fn the_threshold_of_a_place_is_the_one_of_the_trend_map() {
    let assets = assets();
    let trends = assets.trends.clone().unwrap();
    let (mut tightest, mut widest) = (f64::MAX, 0.0_f64);
    let (updates, _) =
        exports(by_place(Some(SWINGING)), &assets, across, |world, bare, truth, body| {
            match bare {
                None => *bare = Some(Bare::start(world.kind(), body, truth)),
                Some(bare) => {
                    let bound_m = trends.threshold_m(truth.position, truth.velocity, 0.2, 1.0);
                    (tightest, widest) = (tightest.min(bound_m), widest.max(bound_m));
                    bare.publisher.set_threshold(Threshold::metres(bound_m).unwrap());
                    let update = bare.publisher.observe(&format().sayable(truth));
                    bare.sent(update);
                }
            }
            let last = bare.as_ref().unwrap().publisher.last_update();
            assert_eq!(world.session.published(body), Some(last));
        });
    assert!(updates > 10 && tightest < 0.4 && widest > 0.9, "{updates}: {tightest} to {widest} m");
}

/// Partly along the trends of the level, partly across.
pub fn across(now: SimTime) -> Kinematics {
    let along = course(now);
    let t = now.as_secs_f64();
    let sway = DVec3::new(0.0, sin(2.0 * t), 0.0);
    let velocity = along.velocity + DVec3::Y * 2.0 * cos(2.0 * t);
    Kinematics { position: along.position + sway, velocity, ..along }
}

#[test]
fn without_a_trend_map_the_publishers_threshold_holds_and_the_game_is_told() {
    let nothing = PlanningAssets::default();
    let (updates, events) = exports(by_place(Some(SWINGING)), &nothing, course, |_, _, _, _| {});
    let (expected, _) = exports(by_place(None), &nothing, course, |_, _, _, _| {});
    assert_eq!(updates, expected);
    let told = |it: &&SessionEvent| {
        matches!(it, SessionEvent::PlannerMissing { needs: PlannerNeed::Trends, .. })
    };
    assert_eq!(events.iter().filter(told).count(), 1, "{events:?}");
}

#[test]
fn thresholds_that_make_no_sense_are_refused() {
    let refused = |min_m, max_m| {
        let threshold = Some(PlaceThreshold { min_m, max_m });
        Kinds::default().add("walker", by_place(threshold)).is_err()
    };
    assert!(!refused(0.2, 0.2));
    assert!(refused(0.5, 0.2) && refused(0.0, 1.0) && refused(0.2, f64::INFINITY));
    assert!(refused(f64::NAN, 1.0));
    let mut kinds = Kinds::default();
    let fine = PlaceThreshold { min_m: 0.001, max_m: 1.0 };
    kinds.add("walker", by_place(Some(fine))).unwrap();
    let mut config = reckoning_net::HostConfig::new(format());
    config.kinds = kinds;
    let message = reckoning_net::Host::new(config).unwrap_err().to_string();
    assert!(message.contains("threshold_m"), "finer than the format rounds: {message}");
}

/// Runs at the box of the level and stops in front of it, again and again.
pub fn at_the_wall(now: SimTime) -> Kinematics {
    let t = now.as_secs_f64() % 2.0;
    let (x, speed) = if t < 0.6 { (0.2 + 2.0 * t, 2.0) } else { (1.4, 0.0) };
    Kinematics::moving(now, DVec3::new(x, 1.0, 0.0), DVec3::X * speed)
}

#[test]
fn a_body_that_prevents_is_not_published_into_a_wall() {
    let assets = assets();
    let walls = assets.walls.clone().unwrap();
    let ahead = Duration::from_millis(490);
    let deepest = |kind: Kind, assets: &PlanningAssets| {
        let mut inside = 0;
        let (_, events) = exports(kind, assets, at_the_wall, |world, _, _, body| {
            let update = world.session.published(body).unwrap();
            // The first update knows nothing yet but its model.
            if world.now > SimTime::from_millis(1_500) {
                inside += u32::from(walls.inside(update.position_at(update.at() + ahead)));
            }
        });
        let told = |it: &&SessionEvent| {
            matches!(it, SessionEvent::PlannerMissing { needs: PlannerNeed::Walls, .. })
        };
        (inside, events.iter().filter(told).count())
    };
    let (without, _) = deepest(Kind::default(), &assets);
    assert!(without > 10, "{without}: nothing to prevent");
    assert_eq!(deepest(preventing(), &assets), (0, 0));
    let (still, told) = deepest(preventing(), &PlanningAssets::default());
    assert_eq!((still, told), (without, 1), "no walls to look at, and that is said");
}

#[test]
fn prevention_is_that_of_a_bare_publisher() {
    let assets = assets();
    let walls = assets.walls.clone().unwrap();
    exports(preventing(), &assets, at_the_wall, |world, bare, truth, body| {
        match bare {
            None => *bare = Some(Bare::start(world.kind(), body, truth)),
            Some(bare) => {
                let update = bare.publisher.observe_on(&format().sayable(truth), &*walls);
                bare.sent(update);
            }
        }
        let last = bare.as_ref().unwrap().publisher.last_update();
        assert_eq!(world.session.published(body), Some(last));
    });
}
