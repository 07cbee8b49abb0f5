//! The simplest programs: join, see, move.

#[path = "shared/linear_format.rs"]
mod linear_format;
#[path = "shared/pair.rs"]
mod pair;

use core::time::Duration;

use reckoning::fairness::Policy;
use reckoning::{
    Curve, CurveBasis, DQuat, DVec3, Kinematics, Model, PublisherConfig, SimTime, Threshold,
};
use reckoning_net::{Host, HostConfig, KindId, Owner, SessionConfig, SessionEvent};

use linear_format::format;
use pair::{AHEAD, PEER, Pair, circling};

#[test]
fn what_the_host_observes_is_shown_to_the_client() {
    let mut pair = Pair::new();
    let car =
        pair.host.spawn(SimTime::ZERO, Owner::Host, b"car", &circling(SimTime::ZERO)).unwrap();
    let mut events = Vec::new();
    let mut worst: f64 = 0.0;
    for step in 0..1000 {
        pair.host.observe(car, &circling(pair.now));
        let now = pair.now;
        events.extend(pair.step());
        if step > 100 {
            let shown = pair.session.shown(car, now + AHEAD).expect("in sight");
            worst = worst.max(shown.position.distance(circling(now).position));
        }
    }
    let tag = b"car".to_vec();
    assert!(matches!(events[0], SessionEvent::Joined { peer: PEER, .. }), "{events:?}");
    assert_eq!(
        events[1..],
        [SessionEvent::Entered { entity: car, owner: Owner::Host, kind: KindId::NONE, tag }]
    );
    // The threshold, and what the body does in a tick and on the way.
    assert!(worst > 0.05 && worst < 0.4, "{worst}");
    let sent = pair.host.stats().traffic.updates_out;
    assert!((10..80).contains(&sent), "{sent} updates in ten seconds");
    let stats = pair.session.stats();
    assert_eq!(stats.malformed, 0);
    // What they took is told by kind; the entry is no update.
    let received: Vec<_> = pair.session.updates_received().collect();
    let [(KindId::NONE, traffic)] = received[..] else { panic!("{received:?}") };
    assert_eq!(traffic.updates, stats.updates_in - 1);
    let bits_each = traffic.bits / traffic.updates;
    assert!((16..200).contains(&bits_each) && traffic.bits < stats.bytes_in * 8, "{traffic:?}");
}

#[test]
fn what_the_client_observes_is_known_to_the_host() {
    let mut pair = Pair::new();
    while pair.session.peer().is_none() {
        pair.step();
    }
    let car = pair.host.spawn(pair.now, Owner::Peer(PEER), b"", &circling(pair.now)).unwrap();
    let mut events = Vec::new();
    for step in 0..500 {
        let now = pair.now;
        pair.session.observe(car, &Kinematics { at: now + AHEAD, ..circling(now) });
        events.extend(pair.step());
        if step > 50 {
            let (_, owner, known) = pair.host.entities().next().unwrap();
            let off = known.position_at(now).distance(circling(now).position);
            assert!(owner == Owner::Peer(PEER) && off < 0.35, "{off} at step {step}");
        }
    }
    assert!(
        matches!(events[..], [SessionEvent::Granted(_), SessionEvent::Corrected { .. }]),
        "{events:?}"
    );
    let stats = pair.host.peer_stats(PEER).unwrap();
    assert!(stats.updates_in > 10 && stats.no_baseline == 0, "{stats:?}");
}

#[test]
fn owners_and_hosts_publish_what_a_planner_chose() {
    let mut pair = Pair::new();
    while pair.session.peer().is_none() {
        pair.step();
    }
    // So fine that a straight line needs far more than heartbeats.
    let mut publishing = PublisherConfig::default();
    publishing.threshold = Threshold::metres(0.05).unwrap();
    pair.session.set_publisher(publishing).unwrap();
    let start = circling(pair.now);
    let theirs = pair.host.spawn(pair.now, Owner::Peer(PEER), b"", &start).unwrap();
    let ours = pair.host.spawn(pair.now, Owner::Host, b"", &start).unwrap();
    // Turning with the circle, which a straight line does not.
    let turning = |at: SimTime, now: SimTime| {
        let half = 0.25 * now.as_secs_f64();
        let orientation = DQuat::from_xyzw(0.0, 0.0, libm::sin(half), libm::cos(half));
        Kinematics { at, orientation, angular_velocity: DVec3::Z * 0.5, ..circling(now) }
    };
    let sent = |pair: &Pair| pair.host.peer_stats(PEER).unwrap().updates_in;
    let mut straight = 0;
    for step in 0..1000 {
        let now = pair.now;
        let planner = &mut Model::Arc;
        if step < 500 {
            pair.session.observe(theirs, &turning(now + AHEAD, now));
        } else {
            pair.session.observe_planned(theirs, &turning(now + AHEAD, now), planner, &());
        }
        pair.host.observe_planned(ours, &turning(now, now), planner, &());
        pair.step();
        if step == 499 {
            straight = sent(&pair);
        }
    }
    let arcs = sent(&pair) - straight;
    assert!(arcs * 2 < straight, "{arcs} updates of arcs, {straight} of straight lines");
    for (entity, _, known) in pair.host.entities() {
        assert_eq!(*known.model(), Model::Arc, "{entity:?}");
        let shown = pair.session.shown(ours, pair.now + AHEAD).expect("in sight");
        assert!(shown.position.distance(circling(pair.now).position) < 0.4);
    }
}

#[test]
fn messages_go_both_ways() {
    use reckoning_net::Delivery::{Reliable, Repeated};
    let mut pair = Pair::new();
    while pair.session.peer().is_none() {
        pair.step();
    }
    pair.session.send(b"hello", Reliable).unwrap();
    pair.host.send(PEER, b"welcome", Reliable).unwrap();
    pair.host.send(PEER, b"go", Repeated).unwrap();
    let events: Vec<SessionEvent> = (0..50).flat_map(|_| pair.step()).collect();
    assert!(events.contains(&SessionEvent::Message(b"welcome".to_vec())), "{events:?}");
    assert_eq!(events.iter().filter(|it| **it == SessionEvent::Command(b"go".to_vec())).count(), 1);
    // "hello" once; "welcome" once and "go" as often as it was repeated.
    assert_eq!(pair.host.stats().traffic.carried_bytes_in, 5);
    let carried = pair.session.stats().carried_bytes_in;
    assert!(carried > 7 && (carried - 7).is_multiple_of(2), "{carried}");
}

/// Updates that the host sends of a circling body in ten seconds.
fn updates_in_ten_seconds(pair: &mut Pair, car: reckoning_net::EntityId) -> u64 {
    let before = pair.host.stats().traffic.updates_out;
    for _ in 0..1000 {
        pair.host.observe(car, &circling(pair.now));
        pair.step();
    }
    pair.host.stats().traffic.updates_out - before
}

#[test]
fn a_host_changes_its_model_threshold_and_policy_while_it_runs() {
    let mut pair = Pair::new();
    let start = circling(SimTime::ZERO);
    let car = pair.host.spawn(SimTime::ZERO, Owner::Host, b"car", &start).unwrap();
    let fine = updates_in_ten_seconds(&mut pair, car);

    pair.host.set_threshold(Threshold::metres(2.0).unwrap()).unwrap();
    let coarse = updates_in_ten_seconds(&mut pair, car);
    // Heartbeats remain.
    assert!(coarse * 3 < fine * 2 && coarse >= 9, "{fine} updates, then {coarse}");

    pair.host.set_threshold(Threshold::QUARTER_METRE).unwrap();
    pair.host.set_model(Model::Hold).unwrap();
    let held = updates_in_ten_seconds(&mut pair, car);
    assert!(held > fine * 2, "{fine} updates, then {held}");
    let (_, remote) = pair.session.ghosts().next().unwrap();
    assert_eq!(remote.ghost().update().model(), &Model::Hold);

    let k = core::num::NonZeroU32::new(4).unwrap();
    pair.host.set_fairness(pair.now, Policy::EveryKth { k });
    let shared = updates_in_ten_seconds(&mut pair, car);
    assert!(shared > 0 && shared * 2 < held, "{held} updates, then {shared}");

    pair.host.set_fairness(pair.now, Policy::Base);
    let again = updates_in_ten_seconds(&mut pair, car);
    assert!(again.abs_diff(held) <= 2, "{held} updates, then {again}");
    let wild = Model::Damped { fade: Duration::ZERO };
    assert_eq!(pair.host.set_model(wild).is_err(), wild.validate().is_err());
    assert_eq!(pair.session.stats().malformed, 0);
}

#[test]
fn a_client_changes_how_it_publishes_while_it_runs() {
    let mut pair = Pair::new();
    while pair.session.peer().is_none() {
        pair.step();
    }
    let car = pair.host.spawn(pair.now, Owner::Peer(PEER), b"", &circling(pair.now)).unwrap();
    let exports = |pair: &mut Pair| {
        let before = pair.host.peer_stats(PEER).unwrap().updates_in;
        for _ in 0..1000 {
            let now = pair.now;
            pair.session.observe(car, &Kinematics { at: now + AHEAD, ..circling(now) });
            pair.step();
        }
        pair.host.peer_stats(PEER).unwrap().updates_in - before
    };
    let linear = exports(&mut pair);
    let mut publisher = SessionConfig::default().publisher;
    publisher.model = Model::Hold;
    pair.session.set_publisher(publisher).unwrap();
    let held = exports(&mut pair);
    assert!(held > linear * 2, "{linear} updates, then {held}");
    let (.., known) = pair.host.entities().next().unwrap();
    assert_eq!(known.model(), &Model::Hold);
}

#[test]
fn a_plan_is_kept_as_it_was_thought_out() {
    let mut host = Host::new(HostConfig::new(format(false))).unwrap();
    let at = |millis| Kinematics::moving(SimTime::from_millis(millis), DVec3::ZERO, DVec3::X);
    let body = host.spawn(SimTime::ZERO, Owner::Host, &[], &at(0)).unwrap();
    let plan = Curve::new(CurveBasis::THREE, &[DVec3::X, DVec3::Y, DVec3::ZERO]).unwrap();
    assert!(host.observe_as(body, &at(20), Model::Curve(plan)));
    let (_, _, known) = host.entities().next().unwrap();
    assert_eq!(*known.model(), Model::Curve(plan));
}
