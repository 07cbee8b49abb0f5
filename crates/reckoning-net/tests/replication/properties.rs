//! Convergence, bounds, independence, determinism, zones.

use std::time::Duration;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_net::{
    HostConfig, Owner, SessionConfig, SessionEvent, Viewpoint, ZoneClass, ZoneConfig,
};
use reckoning_netsim::{LinkConfig, Loss};

use crate::linear_format::{STEP_M, format};
use crate::world::{Client, World, hashed, wandering};

const SECOND: Duration = Duration::from_secs(1);

fn link(spec: &str) -> LinkConfig {
    spec.parse().unwrap()
}

/// The bad networks of the promise.
const NETWORKS: [&str; 6] = [
    "delay=40",
    "delay=60,loss=0.3",
    "delay=60,loss=0.2,burst=5",
    "delay=600,jitter=500",
    "delay=100,jitter=60,dup=0.3,reorder=0.2,hold=200",
    "delay=250,jitter=200,loss=0.3,burst=3,dup=0.1,reorder=0.1",
];

fn crowd(clients: usize, spec: &str, seed: u64, config: HostConfig) -> World {
    let mut world = World::new(config);
    for n in 0..clients {
        let mut link = link(spec);
        link.seed = seed * 1000 + n as u64;
        world.connect(SessionConfig::default(), link);
    }
    world
}

#[test]
fn all_ghosts_converge_after_motion_ends() {
    for spec in NETWORKS {
        for seed in [1, 2, 3] {
            let stops = SimTime::from_millis(8_000);
            let truth = wandering(seed, stops);
            let mut world = crowd(6, spec, seed, HostConfig::new(format(true)));
            world.run(20 * SECOND, &truth);
            for client in 0..6 {
                let errors = world.errors(client, &truth);
                assert_eq!(errors.len(), 5, "{spec}, seed {seed}: client {client} sees all others");
                let worst = errors.iter().copied().fold(0.0, f64::max);
                assert!(worst <= STEP_M, "{spec}, seed {seed}, client {client}: {worst} m");
            }
            let stats = world.host.stats().traffic;
            assert_eq!(stats.malformed, 0, "{spec}: {stats:?}");
        }
    }
}

#[test]
fn sixty_four_clients_converge_too() {
    let truth = wandering(5, SimTime::from_millis(3_000));
    let mut world = crowd(64, "delay=80,jitter=30,loss=0.1", 5, HostConfig::new(format(true)));
    world.run(8 * SECOND, &truth);
    for client in 0..64 {
        let errors = world.errors(client, &truth);
        assert_eq!(errors.len(), 63, "client {client}");
        assert!(errors.iter().all(|error| *error <= STEP_M), "client {client}: {errors:?}");
    }
}

#[test]
fn while_all_move_ghosts_stay_near() {
    let truth = wandering(4, SimTime::MAX);
    let mut world = crowd(4, "delay=50,jitter=10,loss=0.02", 4, HostConfig::new(format(true)));
    world.run(5 * SECOND, &truth);
    let (mut sum, mut count) = (0.0, 0);
    for _ in 0..1500 {
        world.step(&truth);
        for client in 0..4 {
            let errors = world.errors(client, &truth);
            sum += errors.iter().sum::<f64>();
            count += errors.len();
        }
    }
    let mean_m = sum / f64::from(count as u32);
    assert!(mean_m < 0.35, "{mean_m} m");
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let run = |seed| {
        let truth = wandering(seed, SimTime::from_millis(4_000));
        let mut world = crowd(8, NETWORKS[5], seed, HostConfig::new(format(true)));
        world.run(6 * SECOND, &truth);
        world.clients.iter().map(|client| (client.hash, client.bytes)).collect::<Vec<_>>()
    };
    assert_eq!(run(9), run(9));
    assert_ne!(run(9), run(10));
}

/// Every position a client shows, to the last bit.
fn picture_of(client: &Client, now: SimTime) -> Vec<u8> {
    let local = client.local(now);
    let shown = client.session.ghosts().filter_map(|(id, _)| client.session.shown(id, local));
    let parts = shown.flat_map(|pose| pose.position.to_array());
    parts.flat_map(|part| part.to_bits().to_le_bytes()).collect()
}

#[test]
fn a_slow_or_deaf_client_changes_nothing_for_the_others() {
    let run = |spec: Option<&str>, bytes_per_s: Option<u32>| {
        let truth = wandering(3, SimTime::from_millis(6_000));
        let mut config = HostConfig::new(format(true));
        config.timeout = Duration::from_mins(1);
        let mut world = World::new(config);
        world.spawns = false;
        let bodies: Vec<_> = (0..40)
            .map(|n| world.host.spawn(world.now, Owner::Host, b"", &truth(n, world.now)).unwrap())
            .collect();
        for n in 0..5 {
            let mut link = link("delay=60,loss=0.05");
            link.seed = n;
            world.connect(SessionConfig::default(), link);
        }
        world.run(SECOND, &nobody);
        // From here on the last one hears nothing, or gets little.
        if let Some(spec) = spec {
            world.clients[4].down = reckoning_netsim::Link::new(link(spec)).unwrap();
        }
        if let Some(rate) = bytes_per_s {
            let peer = world.clients[4].peer;
            world.host.set_budget(world.now, peer, rate);
        }
        let mut pictures = [1; 5];
        world.clients[4].bytes = 0;
        for _ in 0..800 {
            for (n, body) in bodies.iter().enumerate() {
                world.host.observe(*body, &truth(n, world.now));
            }
            world.step(&nobody);
            for (picture, client) in pictures.iter_mut().zip(&world.clients) {
                *picture = hashed(*picture, &picture_of(client, world.now));
            }
        }
        (pictures, world.clients[4].bytes)
    };
    let (usual, bytes) = run(None, None);
    let (slow, few_bytes) = run(None, Some(200));
    assert_eq!(usual[..4], slow[..4], "a budget of 200 B/s is its own affair");
    assert!(few_bytes * 2 < bytes, "{few_bytes} of {bytes}");
    let (deaf, _) = run(Some("loss=1"), None);
    assert_eq!(usual[..4], deaf[..4], "so is deafness");
    assert_ne!(usual[4], deaf[4]);
}

#[test]
fn a_slow_client_still_converges_within_its_budget() {
    let stops = SimTime::from_millis(8_000);
    let truth = wandering(7, stops);
    let mut config = HostConfig::new(format(true));
    config.bytes_per_s = 1_000;
    let mut world = crowd(8, "delay=50,loss=0.05", 7, config);
    world.run(25 * SECOND, &truth);
    for client in 0..8 {
        let errors = world.errors(client, &truth);
        assert_eq!(errors.len(), 7);
        assert!(errors.iter().all(|error| *error <= STEP_M), "client {client}: {errors:?}");
        let stats = world.host.peer_stats(world.clients[client].peer).unwrap();
        let spent = stats.bytes_out + 28 * stats.datagrams_out;
        // Pongs and acknowledgements are sent regardless and paid back.
        assert!(spent <= 25 * 1_000 + 3_000, "{spent} bytes in 25 s");
    }
}

/// Three rings around the origin, the outer ones coarser.
fn rings() -> ZoneConfig {
    let class = |radius_m, coarser_log2| {
        let mut class = ZoneClass::default();
        (class.radius_m, class.coarser_log2) = (radius_m, coarser_log2);
        class.threshold =
            reckoning::Threshold::metres(0.25 * f64::from(1 << coarser_log2)).unwrap();
        let degrees = 5.0 * f64::from(1 << coarser_log2);
        class.angle_threshold = reckoning::AngleThreshold::degrees(degrees).ok();
        class
    };
    let mut zones = ZoneConfig::default();
    zones.classes = vec![class(20.0, 0), class(40.0, 1), class(80.0, 3)];
    zones
}

fn watcher(spec: &str) -> World {
    let mut config = HostConfig::new(format(true));
    config.zones = rings();
    let mut world = World::new(config);
    world.spawns = false;
    world.connect(SessionConfig::default(), link(spec));
    world
}

fn nobody(_: usize, at: SimTime) -> Kinematics {
    Kinematics::at_rest(at, DVec3::ZERO)
}

fn comings_and_goings(world: &World) -> (usize, usize) {
    let events = &world.clients[0].events;
    let enters = events.iter().filter(|it| matches!(it, SessionEvent::Entered { .. })).count();
    (enters, events.iter().filter(|it| matches!(it, SessionEvent::Exited { .. })).count())
}

#[test]
fn a_body_that_paces_on_a_border_does_not_flap() {
    let mut world = watcher("delay=30");
    world.run(SECOND, &nobody);
    let peer = world.clients[0].peer;
    world.host.set_viewpoint(peer, Viewpoint::Place(DVec3::ZERO));
    let pacing = |at: SimTime| {
        let s = at.as_secs_f64();
        Kinematics::moving(
            at,
            DVec3::X * (81.5 + 3.0 * libm::sin(s)),
            DVec3::X * 3.0 * libm::cos(s),
        )
    };
    let body = world.host.spawn(world.now, Owner::Host, b"", &pacing(world.now)).unwrap();
    for _ in 0..6000 {
        world.host.observe(body, &pacing(world.now));
        world.step(&nobody);
    }
    assert_eq!(comings_and_goings(&world), (1, 0));
    // Beyond the hysteresis it goes, once.
    for _ in 0..200 {
        world.host.observe(body, &Kinematics::at_rest(world.now, DVec3::X * 89.0));
        world.step(&nobody);
    }
    assert_eq!(comings_and_goings(&world), (1, 1));
}

#[test]
fn bodies_come_and_go_with_the_zone_over_a_bad_network() {
    for seed in 0..4 {
        let mut world = watcher(&format!("delay=80,jitter=60,loss=0.3,dup=0.1,seed={seed}"));
        world.run(2 * SECOND, &nobody);
        let peer = world.clients[0].peer;
        let mut bodies = Vec::new();
        for n in 0..60 {
            let place = DVec3::X * f64::from(n) * 10.0;
            let at = Kinematics::at_rest(world.now, place);
            bodies
                .push((world.host.spawn(world.now, Owner::Host, &[n as u8], &at).unwrap(), place));
        }
        for step in 0..60 {
            world.host.set_viewpoint(peer, Viewpoint::Place(DVec3::X * f64::from(step) * 10.0));
            world.run(Duration::from_millis(300), &nobody);
        }
        let eye = DVec3::X * 590.0;
        world.run(4 * SECOND, &nobody);
        let shown: Vec<_> = world.clients[0].session.ghosts().map(|(id, _)| id).collect();
        let near = |limit: f64| {
            let near = bodies.iter().filter(move |(_, at)| at.distance(eye) <= limit);
            near.map(|(id, _)| *id).collect::<Vec<_>>()
        };
        assert!(shown == near(80.0) || shown == near(88.0), "seed {seed}: {shown:?}");
        let (enters, exits) = comings_and_goings(&world);
        assert_eq!(enters - exits, shown.len(), "seed {seed}");
        let gone = bodies[59].0;
        world.host.despawn(gone);
        world.run(3 * SECOND, &nobody);
        assert!(world.clients[0].session.shown(gone, world.clients[0].local(world.now)).is_none());
    }
}

/// Bytes of a body that goes in circles so far away, and the worst error it is shown with.
fn bytes_at(distance: f64, viewpoint: Viewpoint) -> (u64, f64) {
    let mut world = watcher("delay=30");
    world.run(SECOND, &nobody);
    let peer = world.clients[0].peer;
    world.host.set_viewpoint(peer, viewpoint);
    let round = |at: SimTime| {
        let s = 2.0 * at.as_secs_f64();
        let (sin, cos) = (libm::sin(s), libm::cos(s));
        let center = DVec3::X * distance;
        Kinematics::moving(
            at,
            center + DVec3::new(cos, sin, 0.0) * 3.0,
            DVec3::new(-sin, cos, 0.0) * 6.0,
        )
    };
    let body = world.host.spawn(world.now, Owner::Host, b"", &round(world.now)).unwrap();
    let (before, mut worst) = (world.clients[0].bytes, 0.0_f64);
    for step in 0..2000 {
        world.host.observe(body, &round(world.now));
        world.step(&nobody);
        let client = &world.clients[0];
        if let (true, Some(shown)) =
            (step > 200, client.session.shown(body, client.local(world.now)))
        {
            worst = worst.max(shown.position.distance(round(world.now).position));
        }
    }
    (world.clients[0].bytes - before, worst)
}

#[test]
fn far_bodies_cost_less_and_are_coarser() {
    let (near, near_error) = bytes_at(10.0, Viewpoint::Place(DVec3::ZERO));
    let (far, far_error) = bytes_at(70.0, Viewpoint::Place(DVec3::ZERO));
    assert!(far * 3 < near * 2, "{far} bytes far, {near} near");
    assert!(near_error < far_error && far_error < 4.0, "{near_error} m near, {far_error} m far");
}

#[test]
fn who_watches_from_everywhere_has_all_as_near_as_can_be() {
    let (_, near_error) = bytes_at(10.0, Viewpoint::Place(DVec3::ZERO));
    for distance in [10.0, 70.0, 5_000.0] {
        let (bytes, error) = bytes_at(distance, Viewpoint::Everywhere);
        assert!(bytes > 0 && (error - near_error).abs() < 0.05, "{distance} m: {error} m");
    }
}

#[test]
fn loss_in_bursts_is_what_the_link_says() {
    // The networks above are as bad as they claim.
    let Loss::Bursts { .. } = link(NETWORKS[2]).loss else { panic!("not in bursts") };
    assert!((link(NETWORKS[5]).loss.share() - 0.3).abs() < 1e-9);
}
