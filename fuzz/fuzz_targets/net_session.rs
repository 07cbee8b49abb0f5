//! Whatever a host says, and whenever: a session neither panics nor grows.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_net::{MAX_SESSION_EVENTS, Session, SessionConfig};

#[path = "net_shared/mod.rs"]
mod net_shared;
use net_shared::{Step, format, steps};

fuzz_target!(|input: &[u8]| {
    let mut session = Session::new(SessionConfig::default()).expect("defaults are sound");
    let (mut now, mut buf) = (SimTime::ZERO, [0; 1000]);
    session.handle_datagram(now, &net_shared::welcome(&format()));
    for step in steps(input) {
        match step {
            Step::Wait(millis) => now += Duration::from_millis(millis),
            Step::Datagram(bytes) => session.handle_datagram(now, bytes),
        }
        session.handle_timeout(now);
        for entity in session.owned().collect::<Vec<_>>() {
            session.observe(entity, &Kinematics::at_rest(now, DVec3::ONE));
        }
        while session.poll_datagram(now, &mut buf).is_some() {}
        for (id, _) in session.ghosts() {
            assert!(session.shown(id, now).is_none_or(|pose| pose.is_finite()));
        }
        assert!(session.ghosts().count() <= SessionConfig::default().max_ghosts);
    }
    assert!(std::iter::from_fn(|| session.poll_event()).count() <= MAX_SESSION_EVENTS);
});
