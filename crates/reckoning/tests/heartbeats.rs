//! Ghosts that are set up for the heartbeats that feed them do not slow down between these.

use std::time::Duration;

use reckoning::{
    DVec3, Ghost, GhostConfig, Kinematics, Model, Publisher, PublisherConfig, SimTime,
};

/// The largest distance between an aeroplane and its ghost in a minute of steady flight, of which
/// every third heartbeat is lost.
fn worst_m(ghosts: GhostConfig, publishing: PublisherConfig) -> f64 {
    let truth = |at: SimTime| {
        Kinematics::moving(at, DVec3::X * (200.0 * at.as_secs_f64()), DVec3::X * 200.0)
    };
    let (mut publisher, first) = Publisher::start(publishing, &truth(SimTime::ZERO)).unwrap();
    let mut ghost = Ghost::with_config(ghosts, first, SimTime::ZERO).unwrap();
    let (mut flying, mut worst, mut sent) = (Vec::new(), 0.0_f64, 0);
    for tick in 1..=3_600 {
        let now = SimTime::from_tick(tick, 60);
        if let Some(update) = publisher.observe(&truth(now)) {
            sent += 1;
            if sent % 3 != 0 {
                flying.push((now + Duration::from_millis(120), update));
            }
        }
        for (at, update) in flying.extract_if(.., |(at, _)| *at <= now) {
            ghost.accept(update, at);
        }
        worst = worst.max(ghost.position_at(now).distance(truth(now).position));
    }
    worst
}

#[test]
fn ghosts_for_a_heartbeat_keep_up_with_bodies_that_are_heard_of_so_seldom() {
    let dis = PublisherConfig::dis(Model::Linear);
    let slowing = worst_m(GhostConfig::default(), dis.clone());
    assert!(slowing > 200.0, "the default is for half-second heartbeats: {slowing} m");
    let steady = worst_m(GhostConfig::for_heartbeat(dis.heartbeat), dis.clone());
    assert!(steady < 1.0, "{steady} m off");
}

#[test]
fn the_longest_heartbeat_does_not_overflow() {
    let config = GhostConfig::for_heartbeat(Duration::MAX);
    assert_eq!(config.max_extrapolation, Duration::MAX);
}
