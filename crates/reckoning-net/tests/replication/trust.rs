//! Corrections, coming back, time-outs, sleep, hits.

use std::time::Duration;

use reckoning::guard::{Envelope, GuardConfig};
use reckoning::rewind::{Aim, HitRequest, HitVerdict, RewindConfig, RewindView};
use reckoning::{DVec3, Kinematics, Model, SimTime};
use reckoning_net::{
    ClockMode, Departure, ExitReason, Host, HostConfig, HostEvent, SessionConfig, SessionEvent,
};

use crate::linear_format::format;
use crate::world::{FRAME, World, wandering};

const SECOND: Duration = Duration::from_secs(1);

fn with_token(token: &[u8]) -> SessionConfig {
    let mut config = SessionConfig::default();
    config.token = token.to_vec();
    config.timeout = Duration::from_secs(3);
    config
}

fn straight(_: usize, at: SimTime) -> Kinematics {
    Kinematics::moving(at, DVec3::X * 3.0 * at.as_secs_f64(), DVec3::X * 3.0)
}

#[test]
fn corrections_reach_the_owner_over_a_bad_network() {
    for seed in 0..4 {
        let mut config = HostConfig::new(format(true));
        config.guard = Some(GuardConfig::new(Envelope::of_speed(5.0, 50.0), 0.5));
        let mut world = World::new(config);
        let link = format!("delay=60,jitter=20,loss=0.3,seed={seed}").parse().unwrap();
        world.connect(SessionConfig::default(), link);
        world.run(3 * SECOND, &straight);
        let corrections = |world: &World| {
            let events = &world.clients[0].events;
            events.iter().filter(|it| matches!(it, SessionEvent::Corrected { .. })).count()
        };
        assert_eq!(corrections(&world), 1, "the state that came with the grant");
        let leap = |_: usize, at: SimTime| Kinematics::at_rest(at, DVec3::Y * 500.0);
        world.run(2 * SECOND, &leap);
        assert!(corrections(&world) > 1, "seed {seed}");
        let stats = world.host.peer_stats(world.clients[0].peer).unwrap();
        assert!(stats.corrected > 0, "{stats:?}");
        let judged = world.events.iter().any(|it| matches!(it, HostEvent::Judged { .. }));
        assert!(judged, "the game hears of it");
        let (_, _, known) = world.host.entities().next().unwrap();
        assert!(known.kinematics().position.y < 1.0, "the host does not believe it");
    }
}

#[test]
fn a_guard_that_cannot_judge_makes_no_host() {
    for wrong in [f64::NAN, -1.0] {
        let mut config = HostConfig::new(format(true));
        config.guard = Some(GuardConfig::new(Envelope::of_speed(wrong, 50.0), 0.5));
        assert!(Host::new(config).is_err(), "{wrong}");
    }
}

/// Owners of every plain model on links with delay, jitter and bursts of loss, bodies near their top
/// speed: nobody is corrected, and what the others see is as right as without a guard.
#[test]
fn honest_owners_on_bad_links_are_left_alone() {
    let fade = Duration::from_millis(700);
    let models = [
        Model::Linear,
        Model::Damped { fade },
        Model::Accelerating { trust: Duration::from_millis(300) },
    ];
    let mean_error = |guard: Option<GuardConfig>, model: Model, seed: u64| {
        let mut config = HostConfig::new(format(true));
        config.guard = guard;
        let mut world = World::new(config);
        let truth = wandering(seed, SimTime::MAX);
        for n in 0..2 {
            let link = format!("delay=150,jitter=30,loss=0.05,burst=3,seed={}", seed * 9 + n);
            let mut session = SessionConfig::default();
            session.publisher.model = model;
            world.connect(session, link.parse().unwrap());
        }
        let (mut sum_m, mut count) = (0.0, 0.0);
        for _ in 0..2_000 {
            world.step(&truth);
            for error_m in world.errors(0, &truth) {
                (sum_m, count) = (sum_m + error_m, count + 1.0);
            }
        }
        let judged = world.events.iter().filter(|it| matches!(it, HostEvent::Judged { .. }));
        assert_eq!(judged.count(), 0, "{model:?}, seed {seed}: {:?}", world.events);
        sum_m / count
    };
    let guard = GuardConfig::new(Envelope::of_speed(6.5, 50.0), 0.5);
    let (mut with, mut without) = (0.0, 0.0);
    for model in models {
        for seed in 0..60 {
            with += mean_error(Some(guard), model, seed);
            without += mean_error(None, model, seed);
        }
    }
    assert!(
        with <= without * 1.06,
        "{} m with a guard, {} m without",
        with / 180.0,
        without / 180.0
    );
}

#[test]
fn whoever_comes_back_in_time_gets_its_entities_back() {
    let mut world = World::new(HostConfig::new(format(true)));
    let link = "delay=40,loss=0.1".parse().unwrap();
    world.connect(with_token(b"ann"), link);
    world.run(3 * SECOND, &straight);
    let (body, first) = (world.clients[0].owned()[0], world.clients[0].peer);
    world.clients[0].asleep = true;
    world.run(11 * SECOND, &straight);
    let silent = HostEvent::Left { peer: first, why: Departure::Silent };
    assert!(world.events.contains(&silent), "{:?}", world.events);
    world.clients[0].asleep = false;
    // Whoever slept gives the host its three seconds of silence from waking on.
    world.run(4 * SECOND, &straight);
    assert!(world.clients[0].events.contains(&SessionEvent::Lost));
    world.clients[0].events.clear();
    world.reconnect(0, with_token(b"ann"));
    world.run(2 * SECOND, &straight);
    assert_eq!(world.clients[0].owned(), [body]);
    let back = HostEvent::Joined { peer: world.clients[0].peer, before: Some(first) };
    assert!(world.events.contains(&back), "{:?}", world.events);
    // It moves again.
    let (_, _, known) = world.host.entities().next().unwrap();
    assert!(known.position_at(world.now).distance(straight(0, world.now).position) < 0.5);
}

#[test]
fn a_second_connection_with_the_same_token_replaces_the_first() {
    let mut world = World::new(HostConfig::new(format(true)));
    let link = "delay=40".parse().unwrap();
    world.connect(with_token(b"ann"), link);
    world.run(2 * SECOND, &straight);
    let (body, first) = (world.clients[0].owned()[0], world.clients[0].peer);
    world.reconnect(0, with_token(b"ann"));
    world.run(2 * SECOND, &straight);
    assert_eq!(world.clients[0].owned(), [body]);
    let by = world.clients[0].peer;
    assert!(
        world.events.contains(&HostEvent::Left { peer: first, why: Departure::Replaced { by } })
    );
}

#[test]
fn what_nobody_comes_back_for_ends() {
    let mut config = HostConfig::new(format(true));
    config.grace = Duration::from_secs(5);
    let mut world = World::new(config);
    let link = "delay=40".parse().unwrap();
    world.connect(with_token(b"ann"), link);
    world.connect(with_token(b"bob"), link);
    world.run(2 * SECOND, &straight);
    let body = world.clients[0].owned()[0];
    world.clients[0].asleep = true;
    world.run(12 * SECOND, &straight);
    assert_eq!(world.host.entities().count(), 2, "it waits");
    world.run(5 * SECOND, &straight);
    assert_eq!(world.host.entities().count(), 1);
    assert!(world.events.contains(&HostEvent::Despawned { entity: body }));
    assert!(
        world.clients[1]
            .events
            .contains(&SessionEvent::Exited { entity: body, why: ExitReason::Despawned })
    );
}

#[test]
fn a_leave_ends_it_at_once() {
    let mut world = World::new(HostConfig::new(format(true)));
    world.connect(with_token(b"ann"), "delay=40,loss=0.3,seed=4".parse().unwrap());
    world.run(2 * SECOND, &straight);
    let peer = world.clients[0].peer;
    world.clients[0].session.leave();
    world.run(SECOND, &straight);
    assert!(world.events.contains(&HostEvent::Left { peer, why: Departure::Left }));
    assert_eq!(world.host.entities().count(), 0);
}

#[test]
fn a_silent_connection_is_forgotten() {
    let mut world = World::new(HostConfig::new(format(true)));
    world.connect(SessionConfig::default(), "loss=1".parse().unwrap());
    world.run(6 * SECOND, &straight);
    assert_eq!(world.host.next_wakeup(), None, "nobody is left to wake up for");
}

#[test]
fn a_suspended_client_recovers_its_clock_within_a_second() {
    for seed in 0..5 {
        let truth = wandering(seed, SimTime::MAX);
        let mut world = World::new(HostConfig::new(format(true)));
        for n in 0..2 {
            let link = format!("delay=50,jitter=5,seed={}", seed * 7 + n).parse().unwrap();
            world.connect(SessionConfig::default(), link);
        }
        world.run(5 * SECOND, &truth);
        world.clients[0].asleep = true;
        world.run(5 * SECOND, &truth);
        // The clock stood still meanwhile, as a laptop's does.
        world.clients[0].ahead_us -= 5_000_000;
        world.clients[0].asleep = false;
        let woke = world.now;
        let off_s = |world: &World| {
            let client = &world.clients[0];
            let host_time = client.session.host_time(client.local(world.now)).unwrap();
            host_time.secs_since(world.now).abs()
        };
        while off_s(&world) > 0.03 {
            world.step(&truth);
            let took_s = world.now.secs_since(woke);
            assert!(took_s < 1.0, "seed {seed}: off by {} s after {took_s} s", off_s(&world));
        }
    }
}

#[test]
fn without_a_common_clock_delays_are_added_up() {
    let mean_error = |clock_mode| {
        let mut config = HostConfig::new(format(true));
        config.clock_mode = clock_mode;
        let mut world = World::new(config);
        for n in 0..2 {
            world.connect(SessionConfig::default(), format!("delay=100,seed={n}").parse().unwrap());
        }
        world.run(4 * SECOND, &straight);
        let mut sum = 0.0;
        for _ in 0..300 {
            world.step(&straight);
            sum += world.errors(0, &straight)[0];
        }
        sum / 300.0
    };
    let (common, added_up) = (mean_error(ClockMode::Synchronised), mean_error(ClockMode::PerHop));
    // Uncompensated, 200 ms and more at 3 m/s would be over 0.6 m.
    assert!(common < 0.03 && added_up < 0.2, "{common} m and {added_up} m");
}

#[test]
fn hits_are_judged_from_the_shooters_view() {
    let mut config = HostConfig::new(format(true));
    let mut rewind = RewindConfig::default();
    rewind.view = RewindView::Now(SessionConfig::default().ghost);
    config.rewind = Some(rewind);
    let truth = wandering(11, SimTime::MAX);
    let mut world = World::new(config);
    for n in 0..2 {
        world.connect(SessionConfig::default(), format!("delay=80,seed={n}").parse().unwrap());
    }
    world.run(4 * SECOND, &truth);
    let (mut hits, mut sum) = (0, 0.0);
    for _ in 0..20 {
        world.run(Duration::from_millis(200), &truth);
        let shooter = &world.clients[0];
        let local = shooter.local(world.now);
        let (target, _) = shooter.session.ghosts().next().unwrap();
        let aimed = shooter.session.shown(target, local).unwrap().position;
        let (body, peer) = (shooter.owned()[0], shooter.peer);
        let shown_at = shooter.session.host_time(local).unwrap();
        let stood = truth(0, world.now).position;
        sum += aimed.distance(truth(1, world.now).position);
        world.run(10 * FRAME, &truth); // the request travels
        let aim = Aim::Circle { center: aimed, radius_m: 0.0 };
        let request = HitRequest { body, stood, target, target_radius_m: 0.15, shown_at, aim };
        let verdict = world.host.hit_check(world.now, peer, &request).unwrap();
        hits += u32::from(matches!(verdict, HitVerdict::Hit { .. }));
    }
    assert!(hits >= 18, "{hits} of 20 shots at what was shown hit it");
    assert!(sum / 20.0 > 0.05, "although it was elsewhere: {} m", sum / 20.0);
}
