//! Reckoned and delayed pictures, by kind and by distance class, and the change between them.

use std::time::Duration;

use reckoning_net::wire::EntityId;
use reckoning_net::{
    Blend, DVec3, DelayedConfig, GhostConfig, HitRefusal, HitRequest, HitVerdict, Kind, KindId,
    Kinds, Kinematics, Owner, RewindConfig, Show, SimTime, Threshold, Viewpoint, ZoneClass,
    ZoneConfig,
};

use super::world::{PEERS, STEP, World};

const SPEED_MPS: f64 = 5.0;

fn sin_cos(angle_rad: f64) -> (f64, f64) {
    (reckoning::math::sin(angle_rad), reckoning::math::cos(angle_rad))
}

/// Round a circle of 10 m.
fn circling(now: SimTime) -> Kinematics {
    let (sin, cos) = sin_cos(0.1 * SPEED_MPS * now.as_secs_f64());
    let way = DVec3::new(-sin, cos, 0.0);
    Kinematics::moving(now, DVec3::new(cos, sin, 0.0) * 10.0, way * SPEED_MPS)
}

fn delayed() -> Show {
    Show::delayed(Duration::from_millis(200), Duration::from_millis(400))
}

fn kind(show: Show) -> Kind {
    let mut kind = Kind::default();
    kind.publisher.threshold = Threshold::metres(0.1).unwrap();
    kind.show = show;
    // The blends of usual updates are small beside a change of the picture.
    let mut zones = ZoneConfig::default();
    zones.classes[0].threshold = Threshold::metres(0.1).unwrap();
    kind.zones = Some(zones);
    kind
}

fn declared() -> (Kinds, [KindId; 4]) {
    let mut kinds = Kinds::default();
    let later = Show::delayed(Duration::from_millis(350), Duration::from_millis(500));
    let shows = [Show::default(), delayed(), Show::reckoned(Blend::Snap), later];
    let ids = ["reckoned", "delayed", "snapped", "later"]
        .into_iter()
        .zip(shows)
        .map(|(name, show)| kinds.add(name, kind(show)).unwrap());
    let ids = ids.collect::<Vec<_>>().try_into().unwrap();
    (kinds, ids)
}

fn shown(world: &World, body: EntityId) -> Option<DVec3> {
    world.sessions[1].shown(body, world.now).map(|pose| pose.position)
}

#[test]
fn a_delayed_kind_is_shown_as_it_was_a_moment_ago() {
    let (kinds, [_, delayed, ..]) = declared();
    let mut world = World::new(kinds, |n| n % 10 == 0);
    world.run(100);
    let start = circling(world.now);
    let owner = Owner::Peer(PEERS[0]);
    let body = world.host.spawn_kind(world.now, delayed, owner, b"", &start).unwrap();
    world.run(50);
    let mut worst_m = 0.0_f64;
    for step in 0..1000 {
        world.step();
        let truth = circling(world.now);
        world.sessions[0].observe(body, &truth);
        if step < 200 {
            continue;
        }
        let at = world.sessions[1].timeline_at(world.now).unwrap();
        let (_, remote) = world.sessions[1].ghosts().next().unwrap();
        let delay = remote.ghost().delay_at(at);
        assert!(delay >= Duration::from_millis(199), "{delay:?}");
        let off_m = shown(&world, body).unwrap().distance(circling(at - delay).position);
        worst_m = worst_m.max(off_m);
    }
    assert!(worst_m < 0.2, "{worst_m} m off where it was then");
}

/// Sharp turns, each of which a straight line misses at once.
fn zigzagging(now: SimTime) -> Kinematics {
    let phase_s = now.as_secs_f64() % 1.0;
    let (side_m, side_mps) =
        if phase_s < 0.5 { (phase_s, SPEED_MPS) } else { (1.0 - phase_s, -SPEED_MPS) };
    let place = DVec3::new(2.0 * now.as_secs_f64(), side_m * SPEED_MPS, 0.0);
    Kinematics::moving(now, place, DVec3::new(2.0, side_mps, 0.0))
}

#[test]
fn snapshots_show_the_path_of_a_moment_ago_at_no_more_than_their_rate() {
    let interval = Duration::from_millis(50);
    let kind = Kind::snapshots(interval, Threshold::metres(0.05).unwrap()).unwrap();
    assert!(kind.validate().is_ok());
    let mut kinds = Kinds::default();
    let id = kinds.add("duellist", kind).unwrap();
    let mut world = World::new(kinds, |_| false);
    world.run(100);
    let start = zigzagging(world.now);
    let body = world.host.spawn_kind(world.now, id, Owner::Peer(PEERS[0]), b"", &start).unwrap();
    world.run(50);
    let (mut worst_m, mut last_delay) = (0.0_f64, Duration::ZERO);
    let before = world.host.stats().traffic;
    for step in 0..1000_u32 {
        world.step();
        world.sessions[0].observe(body, &zigzagging(world.now));
        if step < 200 {
            continue;
        }
        let at = world.sessions[1].timeline_at(world.now).unwrap();
        let (_, remote) = world.sessions[1].ghosts().next().unwrap();
        let delay = remote.ghost().delay_at(at);
        last_delay = delay;
        let off_m = shown(&world, body).unwrap().distance(zigzagging(at - delay).position);
        worst_m = worst_m.max(off_m);
    }
    let after = world.host.stats().traffic;
    let sent = after.updates_out - before.updates_out;
    let bytes = (after.bytes_out - before.bytes_out) as f64 / sent as f64;
    println!("{sent} updates in ten seconds, {bytes:.1} bytes each with all that goes along");
    println!("{worst_m:.3} m off, shown {last_delay:?} ago");
    assert!((180..=200).contains(&sent), "{sent} updates in ten seconds");
    // A corner between two snapshots is cut by a line, or overshot for an interval.
    assert!(worst_m < 0.05 * 2.0 * SPEED_MPS, "{worst_m} m off where it was then");
    // Two ways of 60 ms, an interval, and what is left of a wider gap when the body was new.
    assert!(last_delay < Duration::from_millis(230), "shown {last_delay:?} ago");
}

#[test]
fn snapshots_without_a_rate_are_refused() {
    let precision = Threshold::metres(0.05).unwrap();
    for interval in [Duration::ZERO, Duration::from_secs(1)] {
        let refused = Kind::snapshots(interval, precision).unwrap_err();
        assert!(refused.to_string().contains("interval"), "{refused}");
    }
}

/// Changes among reckoned, delayed, snapped and more delayed, in the midst of losses.
#[test]
fn changing_kinds_changes_how_bodies_are_shown_without_a_jump() {
    let (kinds, ids) = declared();
    let mut world = World::new(kinds, |n| n % 7 == 0);
    world.run(100);
    let start = circling(world.now);
    let body = world.host.spawn_kind(world.now, ids[0], Owner::Host, b"", &start).unwrap();
    let order = [1, 0, 1, 2, 1, 3, 1, 0, 2, 0, 3, 2];
    let (mut last, mut worst_mps, mut seen) = (None, 0.0_f64, [false; 2]);
    for step in 0..order.len() * 150 {
        if step % 150 == 60 {
            assert!(world.host.set_kind(world.now, body, ids[order[step / 150]]));
        }
        world.step();
        let truth = circling(world.now);
        world.host.observe(body, &truth);
        let Some((_, remote)) = world.sessions[1].ghosts().next() else { continue };
        let is_snapped = world.sessions[1].kind(body) == Some(ids[2]);
        let at = world.sessions[1].timeline_at(world.now).unwrap();
        seen[usize::from(remote.ghost().delayed().is_some())] = true;
        let here = remote.ghost().position_at(at);
        // While it is snapped every update is shown at once, as asked for.
        if let Some((before, was_snapped)) = last.replace((here, is_snapped))
            && !(is_snapped && was_snapped)
        {
            worst_mps = worst_mps.max(here.distance(before) / STEP.as_secs_f64());
        }
    }
    assert_eq!(seen, [true; 2]);
    assert!(worst_mps < SPEED_MPS * 1.6, "shown at {worst_mps} m/s");
}

/// A watcher chooses for itself, class by class and while the game runs, whether a body has a kind
/// or not; what it chose also holds for what comes into view later.
#[test]
fn a_watcher_may_show_classes_otherwise_than_their_kinds_say_without_a_jump() {
    let (kinds, [reckoned, ..]) = declared();
    let mut world = World::with_host(
        kinds,
        |n| n % 7 == 0,
        |host| {
            host.zones.classes[0].threshold = Threshold::metres(0.1).unwrap();
        },
    );
    world.run(100);
    let start = circling(world.now);
    let bodies = [KindId::NONE, reckoned]
        .map(|kind| world.host.spawn_kind(world.now, kind, Owner::Host, b"", &start).unwrap());
    let (mut last, mut worst_mps) = ([None; 2], 0.0_f64);
    for step in 0..900 {
        let now = world.now;
        if step % 300 == 100 {
            world.sessions[1].set_class_shows(&[delayed()], now).unwrap();
        } else if step % 300 == 200 {
            world.sessions[1].set_ghosts(GhostConfig::default(), now).unwrap(); // not theirs to say
            let is_delayed = |it: &reckoning_net::RemoteEntity| it.ghost().delayed().is_some();
            assert!(world.sessions[1].ghosts().all(|(_, it)| is_delayed(it)), "step {step}");
            world.sessions[1].set_class_shows(&[], now).unwrap();
            assert!(!world.sessions[1].ghosts().any(|(_, it)| is_delayed(it)), "step {step}");
        }
        world.step();
        for body in bodies {
            world.host.observe(body, &circling(world.now));
        }
        for (last, body) in last.iter_mut().zip(bodies) {
            let Some(here) = shown(&world, body) else { continue };
            let before: DVec3 = last.replace(here).unwrap_or(here);
            worst_mps = worst_mps.max(here.distance(before) / STEP.as_secs_f64());
        }
    }
    assert!(worst_mps < SPEED_MPS * 1.6, "shown at {worst_mps} m/s");
    let mut wrong = DelayedConfig::default();
    wrong.max_delay = Duration::ZERO;
    let now = world.now;
    assert!(world.sessions[1].set_class_shows(&[Show::Delayed(wrong)], now).is_err());

    world.sessions[1].set_class_shows(&[delayed()], now).unwrap();
    let late = world.host.spawn(now, Owner::Host, b"", &circling(now)).unwrap();
    world.run(100);
    let found = world.sessions[1].ghosts().find(|(id, _)| *id == late).unwrap().1;
    assert!(found.ghost().delayed().is_some());
    assert_eq!(world.sessions[1].shown_as(late, world.now), None, "hits are the game's to refuse");
}

/// Near ones are reckoned, far ones delayed, and the body walks from one to the other and back.
#[test]
fn a_distance_class_overrides_how_its_kind_is_shown_without_a_jump() {
    let mut near = ZoneClass::default();
    (near.radius_m, near.threshold) = (50.0, Threshold::metres(0.1).unwrap());
    let mut far = near;
    (far.radius_m, far.show) = (1000.0, Some(delayed()));
    let mut zones = ZoneConfig::default();
    zones.classes = vec![near, far];
    let mut walker = kind(Show::default());
    walker.zones = Some(zones);
    let mut kinds = Kinds::default();
    let walker = kinds.add("walker", walker).unwrap();
    let mut world = World::new(kinds, |n| n % 7 == 0);
    world.run(100);
    for peer in PEERS {
        world.host.set_viewpoint(peer, Viewpoint::Place(DVec3::ZERO));
    }
    let begun = world.now;
    // Out to 75 m to both sides, twice.
    let truth = |now: SimTime| {
        let (sin, cos) = sin_cos(0.1 * now.secs_since(begun) * SPEED_MPS / 7.5);
        let way = DVec3::X * (75.0 * 0.1 * SPEED_MPS / 7.5);
        Kinematics::moving(now, DVec3::X * (75.0 * sin), way * cos)
    };
    let body = world.host.spawn_kind(world.now, walker, Owner::Host, b"", &truth(begun)).unwrap();
    let (mut last, mut worst_mps, mut changes) = (None, 0.0_f64, 0);
    let mut was_delayed = false;
    for _ in 0..18_000 {
        world.step();
        let now_truth = truth(world.now);
        world.host.observe(body, &now_truth);
        let Some((_, remote)) = world.sessions[1].ghosts().next() else { continue };
        let is_delayed = remote.ghost().delayed().is_some();
        assert_eq!(is_delayed, remote.class() == 1);
        changes += u32::from(is_delayed != was_delayed);
        was_delayed = is_delayed;
        let here = shown(&world, body).unwrap();
        if let Some(before) = last.replace(here) {
            worst_mps = worst_mps.max(here.distance(before) / STEP.as_secs_f64());
        }
    }
    assert!(changes >= 6, "{changes} changes");
    assert!(worst_mps < SPEED_MPS * 1.6, "shown at {worst_mps} m/s");
}

#[test]
fn the_extrapolation_of_a_kind_follows_its_heartbeat() {
    let mut kinds = Kinds::default();
    let with = |heartbeat_s, show| {
        let mut kind = kind(show);
        kind.publisher.heartbeat = Duration::from_secs_f64(heartbeat_s);
        kind
    };
    for (name, show) in [("train", Show::default()), ("ship", delayed())] {
        let id = kinds.add(name, with(10.0, show)).unwrap();
        let followed = kinds.get(id).unwrap().show.max_extrapolation().unwrap();
        assert_eq!(followed, Duration::from_secs(40), "{name}");
    }
    let refused = |show| Kinds::default().add("slow", with(2.5, show)).unwrap_err().to_string();
    for show in [Show::Reckoned(GhostConfig::default()), Show::Delayed(DelayedConfig::default())] {
        let message = refused(show);
        assert!(message.contains("slow") && message.contains("max_extrapolation"), "{message}");
        assert!(message.contains("5s"), "{message}");
    }
}

/// A class that is sent seldom needs as much, whatever the publisher does.
#[test]
fn the_extrapolation_follows_the_heartbeats_of_distance_classes_too() {
    let mut zones = ZoneConfig::default();
    zones.classes[0].heartbeat = Duration::from_secs(8);
    let mut far = kind(Show::default());
    far.zones = Some(zones.clone());
    let mut kinds = Kinds::default();
    let id = kinds.add("far", far.clone()).unwrap();
    assert_eq!(kinds.get(id).unwrap().show.max_extrapolation(), Some(Duration::from_secs(32)));
    far.show = Show::Reckoned(GhostConfig::default());
    assert!(kinds.add("stutters", far).unwrap_err().to_string().contains("max_extrapolation"));
}

#[test]
fn hits_on_what_is_shown_with_a_long_delay_are_refused_by_name() {
    let delayed = HitVerdict::Refused(HitRefusal::Delayed);
    let is_hit = |verdict: &HitVerdict| matches!(verdict, HitVerdict::Hit { .. });
    // Later than the cap of a quarter of a second, which counts beyond the kind's delay.
    let verdicts = hits(Duration::from_secs(2));
    assert!(verdicts.iter().all(is_hit), "{verdicts:?}");
    let [reckoned, late] = hits(Duration::from_millis(50));
    assert!(is_hit(&reckoned), "{reckoned:?}");
    assert_eq!(late, delayed);
}

/// Verdicts on a body that is reckoned and on one that is shown with a delay, where hit checks go
/// along with delays up to `max_view_span`.
fn hits(max_view_span: Duration) -> [HitVerdict; 2] {
    let (kinds, [reckoned, .., delayed]) = declared();
    let mut rewind = RewindConfig::default();
    rewind.max_view_span = max_view_span;
    let mut world = World::with_host(kinds, |_| false, |config| config.rewind = Some(rewind));
    world.run(100);
    let spawn = |world: &mut World, kind, owner| {
        world.host.spawn_kind(world.now, kind, owner, b"", &circling(world.now)).unwrap()
    };
    let shooter = spawn(&mut world, reckoned, Owner::Peer(PEERS[1]));
    let targets = [reckoned, delayed].map(|kind| spawn(&mut world, kind, Owner::Host));
    world.run(100);
    let named = |target| world.sessions[1].shown_as(target, world.now).is_some();
    assert_eq!(targets.map(named), [true, true]);
    let stood = world.host.rewind().unwrap().truth_at(shooter, world.now).unwrap();
    targets.map(|target| {
        let request = HitRequest {
            body: shooter,
            stood,
            target,
            target_radius_m: 1.0,
            shown_at: world.now,
            aim: reckoning::rewind::Aim::Circle { center: DVec3::ZERO, radius_m: 100.0 },
        };
        world.host.hit_check(world.now, PEERS[1], &request).unwrap()
    })
}

/// A kind that leaves it to players: each shows it by its own settings, at once and after a change.
#[test]
fn a_kind_may_leave_to_each_session_how_it_is_shown() {
    let mut kinds = Kinds::default();
    let free = kinds.add("free", kind(Show::BySession)).unwrap();
    let fixed = kinds.add("fixed", kind(Show::reckoned(Blend::Hermite))).unwrap();
    let mut world = World::new(kinds, |_| false);
    world.run(100);
    for kind in [free, fixed] {
        world.host.spawn_kind(world.now, kind, Owner::Host, b"", &circling(world.now)).unwrap();
    }
    world.run(50);
    let blends = |world: &World| {
        let of = |(_, it): (_, &reckoning_net::RemoteEntity)| {
            it.ghost().reckoned().unwrap().config().blend
        };
        world.sessions[1].ghosts().map(of).collect::<Vec<_>>()
    };
    assert_eq!(blends(&world), [GhostConfig::default().blend, Blend::Hermite]);
    let mut config = GhostConfig::default();
    config.blend = Blend::Linear;
    let now = world.now;
    world.sessions[1].set_ghosts(config, now).unwrap();
    world.run(50);
    assert_eq!(blends(&world), [Blend::Linear, Blend::Hermite]);
}
