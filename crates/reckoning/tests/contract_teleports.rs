//! A teleport is seen although the update that said it was lost, with any transport.

use core::time::Duration;

use reckoning::bytes::Registry;
use reckoning::crowd::CrowdView;
use reckoning::{
    Blend, Crowd, DVec3, DelayedConfig, DelayedGhost, Ghost, Kinematics, Publisher,
    PublisherConfig, SimTime, Update,
};

const FAR_M: f64 = 1_000.0;

/// Circles about a place, so that an update is due every now and then.
fn circling(about: DVec3, at: SimTime) -> Kinematics {
    let angle = 3.0 * at.as_secs_f64();
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    Kinematics::moving(at, about + DVec3::new(cos, sin, 0.0), DVec3::new(-sin, cos, 0.0) * 3.0)
}

/// The updates of four seconds with a teleport after two, as bytes, and when each was exported.
fn published() -> (Update, Vec<(SimTime, Vec<u8>)>) {
    let start = circling(DVec3::ZERO, SimTime::ZERO);
    let (mut publisher, first) = Publisher::start(PublisherConfig::default(), &start).unwrap();
    let mut sent = Vec::new();
    for tick in 1..240 {
        let now = SimTime::from_tick(tick, 60);
        let update = match tick {
            ..120 => publisher.observe(&circling(DVec3::ZERO, now)),
            120 => publisher.teleport(&circling(DVec3::X * FAR_M, now)),
            _ => publisher.observe(&circling(DVec3::X * FAR_M, now)),
        };
        sent.extend(update.map(|update| (now, update.to_bytes())));
    }
    (first, sent)
}

fn decoded(bytes: &[u8]) -> Update {
    Update::from_bytes(bytes, &Registry::default()).unwrap()
}

/// Where a picture is each frame, with the updates from `lost` on for half a second lost.
fn pictures(mut accept: impl FnMut(Update, SimTime), mut shown: impl FnMut(SimTime) -> DVec3) {
    let (_, sent) = published();
    let lost = SimTime::from_millis(1_999)..SimTime::from_millis(2_300);
    let mut leaps = 0;
    let mut last = DVec3::ZERO;
    for frame in 0..900 {
        let now = SimTime::from_tick(frame, 240);
        for (_, bytes) in sent.iter().filter(|(at, _)| *at == now && !lost.contains(at)) {
            accept(decoded(bytes), now);
        }
        let place = shown(now);
        let off_m = place.length().min((place - DVec3::X * FAR_M).length());
        assert!(off_m < 10.0, "it glides: {off_m} m from either place at {now:?}");
        leaps += u32::from(place.distance(last) > FAR_M / 2.0);
        last = place;
    }
    assert_eq!(leaps, 1, "it is shown in its new place at once, and once");
}

#[test]
fn a_ghost_leaps_when_the_update_that_said_so_was_lost() {
    let ghost = core::cell::RefCell::new(Ghost::new(published().0, Blend::default()));
    pictures(
        |update, now| _ = ghost.borrow_mut().accept(update, now),
        |now| ghost.borrow().position_at(now),
    );
}

#[test]
fn a_delayed_ghost_leaps_when_the_update_that_said_so_was_lost() {
    let mut config = DelayedConfig::default();
    config.max_delay = Duration::from_millis(300);
    let ghost = DelayedGhost::with_config(config, published().0, SimTime::ZERO).unwrap();
    let ghost = core::cell::RefCell::new(ghost);
    pictures(
        |update, now| _ = ghost.borrow_mut().accept(update, now),
        |now| ghost.borrow().position_at(now),
    );
}

#[test]
fn a_crowd_leaps_when_the_update_that_said_so_was_lost() {
    let mut crowd = Crowd::new(DVec3::ZERO, SimTime::ZERO);
    let id = crowd.insert(&published().0, SimTime::ZERO).unwrap();
    let crowd = core::cell::RefCell::new(crowd);
    let mut view = CrowdView::default();
    pictures(
        |update, now| _ = crowd.borrow_mut().accept(id, &update, now).unwrap(),
        |now| {
            crowd.borrow().show(now, &mut view);
            let [x, y, z] = view.positions().next().unwrap().map(f64::from);
            DVec3::new(x, y, z)
        },
    );
}

#[test]
fn bytes_of_a_body_that_never_teleported_are_as_short_as_before() {
    let (first, sent) = published();
    assert_eq!(first.to_bytes().len(), 59);
    let (_, last) = sent.last().unwrap();
    assert_eq!((last.len(), decoded(last).teleports()), (63, 1));
}
