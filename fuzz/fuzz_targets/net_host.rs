//! Whatever a client that is in says, and whenever: a host neither panics nor grows.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use reckoning::{DVec3, Envelope, GuardConfig, Kinematics, RewindConfig, SimTime};
use reckoning_net::{Host, HostConfig, HostEvent, Owner, PeerId};

#[path = "net_shared/mod.rs"]
mod net_shared;
use net_shared::{Step, format, steps};

const PEER: PeerId = PeerId(1);

fuzz_target!(|input: &[u8]| {
    let mut config = HostConfig::new(format());
    config.guard = Some(GuardConfig::of(Envelope::of_speed(10.0, 50.0), 0.5));
    config.rewind = Some(RewindConfig::default());
    let mut host = Host::new(config).expect("sound");
    let (mut now, mut buf) = (SimTime::ZERO, [0; 1000]);
    let place = Kinematics::at_rest(now, DVec3::ONE);
    host.spawn(now, Owner::Host, b"rock", &place).expect("room");
    host.connect(now, PEER);
    host.handle_datagram(now, PEER, &net_shared::join(b"token"));
    host.admit(now, PEER);
    host.spawn(now, Owner::Peer(PEER), b"own", &place).expect("admitted");
    for step in steps(input) {
        match step {
            Step::Wait(millis) => now += Duration::from_millis(millis),
            Step::Datagram(bytes) => host.handle_datagram(now, PEER, bytes),
        }
        host.handle_timeout(now);
        while host.poll_datagram(now, &mut buf).is_some() {}
        assert!(host.entities().count() <= 2);
        assert!(host.entities().all(|(_, _, known)| known.position_at(now).is_finite()));
    }
    while let Some(event) = host.poll_event() {
        assert!(!matches!(event, HostEvent::Joined { before: Some(_), .. }), "nobody was away");
    }
});
