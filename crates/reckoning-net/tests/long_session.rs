//! A session that outlives the sixteen bits of a sequence number, in virtual time.

#[path = "shared/linear_format.rs"]
mod linear_format;
#[path = "shared/pair.rs"]
mod pair;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_net::{ExitReason, Owner, SessionEvent};

use pair::{AHEAD, PEER, Pair, circling};

/// More datagrams than half of what sixteen bits count, after which they compare the other way.
const DATAGRAMS: u64 = 40_000;

fn at_rest(at: SimTime) -> Kinematics {
    Kinematics::at_rest(at, DVec3::X * 30.0)
}

/// Joined, with one busy body, a parked one, one of the client's own, and one that will leave; all
/// known, and nothing said of the last three for [`DATAGRAMS`].
#[test]
fn parked_bodies_wake_leave_and_change_hands_after_many_datagrams() {
    let mut pair = Pair::new();
    while pair.session.peer().is_none() {
        pair.step();
    }
    let born = pair.now;
    let busy = pair.host.spawn(born, Owner::Host, b"", &circling(born)).unwrap();
    let parked = pair.host.spawn(born, Owner::Host, b"", &at_rest(born)).unwrap();
    let leaves = pair.host.spawn(born, Owner::Host, b"", &at_rest(born)).unwrap();
    let owned = pair.host.spawn(born, Owner::Peer(PEER), b"", &at_rest(born)).unwrap();
    let began = pair.session.stats().datagrams_in;
    while pair.session.stats().datagrams_in - began < DATAGRAMS {
        pair.host.observe(busy, &circling(pair.now));
        pair.step();
    }
    assert!(pair.session.ghosts().any(|(id, _)| id == leaves));

    assert!(pair.host.despawn(leaves));
    pair.host.teleport(pair.now, owned, &Kinematics::at_rest(pair.now, DVec3::Y * 5.0));
    let woke = pair.now;
    let moving = |now: SimTime| {
        let way = DVec3::Y * 3.0 * now.secs_since(woke);
        Kinematics::moving(now, DVec3::X * 30.0 + way, DVec3::Y * 3.0)
    };
    let mut events = Vec::new();
    for _ in 0..200 {
        pair.host.observe(busy, &circling(pair.now));
        pair.host.observe(parked, &moving(pair.now));
        events.extend(pair.step());
    }
    let shown = pair.session.shown(parked, pair.now + AHEAD).expect("in sight").position;
    assert!(shown.distance(moving(pair.now).position) < 0.4, "woke and stays at {shown}");
    assert!(
        events.contains(&SessionEvent::Exited { entity: leaves, why: ExitReason::Despawned }),
        "a zombie: {events:?}"
    );
    let corrected = |event: &SessionEvent| matches!(event, SessionEvent::Corrected { entity, .. } if *entity == owned);
    assert!(events.iter().any(corrected), "the correction was overtaken by nothing: {events:?}");

    pair.host.revoke(owned);
    let events: Vec<_> = (0..50).flat_map(|_| pair.step()).collect();
    assert!(events.contains(&SessionEvent::Revoked(owned)), "{events:?}");
}
