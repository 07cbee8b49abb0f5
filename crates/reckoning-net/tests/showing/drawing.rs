//! Bodies on the ground of the watcher's game, and all of them by one call.

use std::cell::Cell;
use std::time::Duration;

use reckoning::Terrain;
use reckoning::terrain::Contact;
use reckoning_net::{
    ClampDetail, ClampMode, DVec3, GroundClampConfig, Host, HostConfig, Kind, KindId, Kinds,
    Kinematics, Owner, Show, SimTime, Viewpoint, ZoneClass, ZoneConfig,
};

use super::world::{PEERS, World, format};

/// Ground that rises a metre in ten along x, and counts how often it is asked.
struct Slope {
    asked: Cell<u32>,
}

impl Terrain for Slope {
    fn ground_below(&self, point: DVec3) -> Option<Contact> {
        self.asked.set(self.asked.get() + 1);
        let height_m = point.x * 0.1;
        let normal = DVec3::new(-0.1, 0.0, 1.0).normalize();
        Some(Contact { point: DVec3::new(point.x, point.y, height_m), normal })
    }

    fn first_hit(&self, _: DVec3, _: DVec3) -> Option<Contact> {
        None
    }
}

fn declared() -> (Kinds, KindId, KindId) {
    let mut config = GroundClampConfig::default();
    config.mode = ClampMode::Always;
    config.far_interval = Duration::from_secs(5);
    let mut car = Kind::default();
    car.ground = Some(config);
    let mut kinds = Kinds::default();
    let car = kinds.add("car", car).unwrap();
    let bird = kinds.add("bird", Kind::default()).unwrap();
    (kinds, car, bird)
}

/// Up the slope at 5 m/s; its owner says nothing of the height.
fn climbing(now: SimTime) -> Kinematics {
    Kinematics::moving(now, DVec3::X * (5.0 * now.as_secs_f64()), DVec3::X * 5.0)
}

#[test]
fn a_kind_stands_on_the_ground_of_the_game_that_shows_it() {
    let (kinds, car, bird) = declared();
    let mut world = World::new(kinds, |n| n % 9 == 0);
    world.run(150);
    let [car, bird] = [car, bird].map(|kind| {
        world.host.spawn_kind(world.now, kind, Owner::Host, b"", &climbing(world.now)).unwrap()
    });
    let ground = Slope { asked: Cell::new(0) };
    let mut asked = [0; 2];
    for step in 0..600 {
        world.step();
        let seen = climbing(world.now);
        world.host.observe(car, &seen);
        world.host.observe(bird, &seen);
        if step < 100 {
            continue;
        }
        let session = &mut world.sessions[1];
        let before = session.shown(bird, world.now).unwrap();
        assert_eq!(session.shown_on(bird, world.now, &ground, DVec3::ZERO), Some(before));
        // Near for the first half, far for the second.
        let far = step >= 350;
        let eye = before.position + DVec3::Y * if far { 1_000.0 } else { 5.0 };
        let asked_before = ground.asked.get();
        let shown = session.shown_on(car, world.now, &ground, eye).unwrap();
        asked[usize::from(far)] += ground.asked.get() - asked_before;
        if !far {
            let off_m = (shown.position.z - shown.position.x * 0.1).abs();
            assert!(off_m < 1e-6, "{off_m} m off the ground");
            let nose = shown.orientation * DVec3::X;
            assert!((nose.z - 0.0995).abs() < 1e-3, "its nose rises by {}", nose.z);
        }
    }
    assert!(asked[0] == 3 * 250 && asked[1] <= 3, "the ground was asked {asked:?} times");
}

#[test]
fn a_distance_class_says_how_much_of_the_ground_is_asked() {
    let mut car = Kind::default();
    let mut config = GroundClampConfig::default();
    config.mode = ClampMode::Always;
    config.far_interval = Duration::from_mins(1);
    car.ground = Some(config);
    let class = |radius_m, clamp| {
        let mut class = ZoneClass::default();
        (class.radius_m, class.clamp) = (radius_m, Some(clamp));
        class
    };
    let mut zones = ZoneConfig::default();
    zones.classes = vec![class(20.0, ClampDetail::OnePoint), class(90.0, ClampDetail::Seldom)];
    car.zones = Some(zones);
    let mut kinds = Kinds::default();
    let car = kinds.add("car", car).unwrap();
    let mut world = World::new(kinds, |n| n % 9 == 0);
    world.run(150);
    let begun = world.now;
    let truth = |at_m: f64, now: SimTime| {
        let place = DVec3::X * (at_m + now.secs_since(begun));
        Kinematics::moving(now, place, DVec3::X)
    };
    let places = [5.0, 60.0];
    let cars = places.map(|at_m| {
        world.host.spawn_kind(begun, car, Owner::Host, b"", &truth(at_m, begun)).unwrap()
    });
    world.host.set_viewpoint(PEERS[1], Viewpoint::Place(DVec3::ZERO));
    let mut asked = [0; 2];
    for step in 0..300 {
        world.step();
        for (car, at_m) in cars.into_iter().zip(places) {
            world.host.observe(car, &truth(at_m, world.now));
        }
        if step < 100 {
            continue;
        }
        for (asked, car) in asked.iter_mut().zip(cars) {
            let ground = Slope { asked: Cell::new(0) };
            let session = &mut world.sessions[1];
            // By distance alone three points would be asked for each.
            let eye = session.shown(car, world.now).unwrap().position;
            session.shown_on(car, world.now, &ground, eye).unwrap();
            *asked += ground.asked.get();
        }
    }
    assert_eq!(asked, [200, 1], "one point on each frame, and one for all");
}

#[test]
fn what_would_have_no_effect_in_a_class_is_refused_by_name() {
    let mut zones = ZoneConfig::default();
    zones.classes[0].clamp = Some(ClampDetail::OnePoint);
    let mut bird = Kind::default();
    bird.zones = Some(zones.clone());
    let message = Kinds::default().add("bird", bird).unwrap_err().to_string();
    assert!(message.contains("clamp of a zone class"), "{message}");
    (zones.classes[0].clamp, zones.classes[0].show) = (None, Some(Show::default()));
    let mut config = HostConfig::new(format());
    config.zones = zones;
    let message = Host::new(config).unwrap_err().to_string();
    assert!(message.contains("show of a zone class"), "{message}");
}

#[test]
fn wrong_ground_settings_are_refused_by_name() {
    let mut kind = Kind::default();
    let mut config = GroundClampConfig::default();
    config.near_m = 300.0;
    kind.ground = Some(config);
    let message = Kinds::default().add("car", kind).unwrap_err().to_string();
    assert!(message.contains("car") && message.contains("300"), "{message}");
}

#[test]
fn a_thousand_bodies_are_drawn_by_one_call() {
    let (kinds, car, _) = declared();
    let mut world = World::new(kinds, |_| false);
    world.run(100);
    let begun = world.now;
    let truth = |place: u32, now: SimTime| {
        let start = DVec3::Y * f64::from(place);
        Kinematics::moving(now, start + DVec3::X * now.secs_since(begun), DVec3::X)
    };
    for place in 0..1000 {
        let seen = truth(place, begun);
        world.host.spawn_kind(begun, car, Owner::Host, b"", &seen).unwrap();
    }
    let mut poses = Vec::new();
    for _ in 0..400 {
        world.step();
    }
    let session = &world.sessions[1];
    session.poses_into(world.now, &mut poses);
    assert_eq!(poses.len(), 1000);
    assert!(poses.is_sorted_by_key(|(entity, _)| *entity));
    for (entity, pose) in &poses {
        assert_eq!(session.shown(*entity, world.now), Some(*pose));
    }
    let room = poses.capacity();
    session.poses_into(world.now, &mut poses);
    assert_eq!((poses.len(), poses.capacity()), (1000, room));
}
