//! Thresholds that rounding alone would cross are refused by name where they are set, or raised
//! and reported where the format is another end's.

#[path = "shared/linear_format.rs"]
mod linear_format;
#[path = "shared/pair.rs"]
mod pair;

use reckoning::{AngleThreshold, DVec3, Kinematics, PublisherConfig, Threshold};
use reckoning_net::{Host, HostConfig, Owner, Session, SessionConfig, SessionEvent, ZoneClass};

use pair::{AHEAD, PEER, Pair};

/// Rounding to the steps of `linear_format` is off by up to 8.7 mm and two degrees.
fn fine() -> Threshold {
    Threshold::metres(0.005).unwrap()
}

#[test]
fn a_host_refuses_a_class_whose_threshold_its_format_cannot_keep() {
    let mut config = HostConfig::new(linear_format::format(false));
    config.zones.classes[0].threshold = fine();
    let said = Host::new(config.clone()).unwrap_err().to_string();
    assert!(said.starts_with("threshold_m 0.005 is finer than what the format rounds"), "{said}");
    assert!(said.contains("raise it to 0.008"), "{said}");

    config.zones.classes[0].threshold = Threshold::QUARTER_METRE;
    let mut far = ZoneClass::default();
    (config.zones.classes[0].radius_m, far.coarser_log2) = (50.0, 3);
    config.zones.classes.push(far);
    let said = Host::new(config.clone()).unwrap_err().to_string();
    assert!(said.starts_with("angle_threshold_rad 0.087"), "five degrees at 80 mrad: {said}");
    config.zones.classes[1].angle_threshold = AngleThreshold::degrees(20.0).ok();
    assert!(Host::new(config).is_ok());
}

#[test]
fn a_host_that_runs_refuses_such_a_threshold_and_keeps_its_own() {
    let mut host = Host::new(HostConfig::new(linear_format::format(true))).unwrap();
    let said = host.set_threshold(fine()).unwrap_err().to_string();
    assert!(said.starts_with("threshold_m 0.005"), "{said}");
    assert_eq!(host.config().zones.classes[0].threshold, Threshold::QUARTER_METRE);
}

#[test]
fn a_session_raises_a_threshold_to_what_the_hosts_format_keeps_and_says_so() {
    let mut pair = Pair::new();
    let mut config = SessionConfig::default();
    config.publisher.threshold = fine();
    config.publisher.angle_threshold = AngleThreshold::degrees(0.5).ok();
    pair.session = Session::new(config).unwrap();
    let mut events = Vec::new();
    while pair.session.peer().is_none() {
        events.extend(pair.step());
    }
    let raised: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            SessionEvent::ThresholdRaised { name, from, to } => Some((*name, *from, *to)),
            _ => None,
        })
        .collect();
    assert_eq!(raised.len(), 2, "{events:?}");
    assert_eq!((raised[0].0, raised[0].1), ("threshold_m", 0.005));
    assert!(raised[0].2 > 0.008 && raised[0].2 < 0.01, "{raised:?}");
    assert_eq!(raised[1].0, "angle_threshold_rad");

    // On a straight course there is nothing to say but heartbeats.
    let start = Kinematics::moving(pair.now, DVec3::ZERO, DVec3::X * 1.234);
    let body = pair.host.spawn(pair.now, Owner::Peer(PEER), b"", &start).unwrap();
    (0..20).for_each(|_| drop(pair.step()));
    let before = pair.session.stats().updates_out;
    for _ in 0..200 {
        let way = DVec3::X * 1.26 * pair.now.as_secs_f64();
        let truth = Kinematics::moving(pair.now + AHEAD, way, DVec3::X * 1.26);
        assert!(pair.session.observe(body, &truth));
        pair.step();
    }
    let exported = pair.session.stats().updates_out - before;
    assert!(exported < 12, "{exported} updates in two seconds");
}

#[test]
fn a_session_that_knows_the_format_refuses_such_a_threshold() {
    let mut pair = Pair::new();
    let mut config = PublisherConfig::default();
    config.threshold = fine();
    assert!(pair.session.set_publisher(config.clone()).is_ok(), "no format is known yet");
    while pair.session.peer().is_none() {
        pair.step();
    }
    let said = pair.session.set_publisher(config.clone()).unwrap_err().to_string();
    assert!(said.contains("raise it to 0.008"), "{said}");
    config.threshold = Threshold::QUARTER_METRE;
    assert!(pair.session.set_publisher(config).is_ok());
}
