//! An end that does nothing for a minute and goes on: everything is as before within two seconds.

use std::time::Duration;

use reckoning::DVec3;
use reckoning_netsim::LinkConfig;

use super::game::host_config;
use super::world::{IDLE, World};

const FRAME: Duration = Duration::from_millis(20);
/// How soon all is well again.
const BACK: Duration = Duration::from_secs(2);
/// As long as a session believes in a host that is silent, the wait before the next one, and a join.
const UNTOLD: Duration = Duration::from_secs(4);

/// Two players who have joined, and some bodies.
fn world((notices_idle, tells_closed): (bool, bool)) -> World {
    let link: LinkConfig = "delay=40,jitter=10,loss=0.02,seed=3".parse().unwrap();
    let mut world = World::new(host_config(), &[link, LinkConfig { seed: 9, ..link }], FRAME);
    (world.notices_idle, world.tells_closed) = (notices_idle, tells_closed);
    for n in 0..10 {
        world.spawn(DVec3::new(f64::from(n) * 20.0 - 100.0, 5.0, 0.0), None);
    }
    world.run(Duration::from_secs(3));
    assert_eq!(world.difference(), None);
    // The host has something to say all the while.
    let (now, turns) = (world.now, Duration::from_mins(1));
    world.bodies.values_mut().for_each(|body| body.motion.drive(now, DVec3::Y * 0.5, turns));
    world
}

/// What a transport tells: the server that nothing comes, the player that it was closed.
const TRANSPORTS: [(bool, bool); 4] = [(true, true), (true, false), (false, true), (false, false)];
const SPANS_S: [u64; 8] = [2, 3, 5, 9, 12, 20, 38, 60];

#[test]
fn a_player_that_was_stopped_is_back_within_two_seconds() {
    for (span_s, transport) in
        SPANS_S.into_iter().flat_map(|it| TRANSPORTS.map(|tells| (it, tells)))
    {
        for clock_stands in [false, true] {
            let mut world = world(transport);
            let own: Vec<_> = world.players[0].bodies.keys().copied().collect();
            let span = Duration::from_secs(span_s);
            world.players[0].fall_asleep(world.now, span, clock_stands);
            world.run(span);
            let case = format!("{span:?}, clock stands: {clock_stands}, {transport:?}");
            // A clock that stood and a connection that is dead without a word: only silence tells.
            // So it is where the server closes the connection in the moment that the player wakes.
            let untold = clock_stands || (transport.0 && span == IDLE);
            let back = if untold && !transport.1 { UNTOLD } else { BACK };
            world.settle(back).unwrap_or_else(|differs| panic!("{case}: {differs}"));
            // The host notices within ten seconds, and bodies wait for thirty.
            let kept = own.iter().all(|id| world.players[0].bodies.contains_key(id));
            assert!(kept || span_s > 30, "{case}: the body did not wait");
        }
    }
}

#[test]
fn players_of_a_host_that_was_stopped_are_back_within_two_seconds() {
    for (span_s, transport) in
        SPANS_S.into_iter().flat_map(|it| TRANSPORTS.map(|tells| (it, tells)))
    {
        let mut world = world(transport);
        let own: Vec<_> = world.players[0].bodies.keys().copied().collect();
        let span = Duration::from_secs(span_s);
        world.stop_host(span);
        world.run(span);
        let case = format!("{span:?}, {transport:?}");
        world.settle(BACK).unwrap_or_else(|differs| panic!("{case}: {differs}"));
        let kept = own.iter().all(|id| world.players[0].bodies.contains_key(id));
        assert!(kept, "{case}: the body did not wait");
    }
}

#[test]
fn bodies_wait_for_as_long_as_their_host_runs() {
    let mut world = world((true, true));
    let own: Vec<_> = world.players[0].bodies.keys().copied().collect();
    let back = world.now + Duration::from_secs(75);
    world.players[0].die(back);
    world.run(Duration::from_secs(12));
    world.stop_host(Duration::from_mins(1));
    world.run(Duration::from_secs(65));
    assert!(
        own.iter().all(|id| world.players[0].bodies.contains_key(id)),
        "nobody could come back"
    );
}
