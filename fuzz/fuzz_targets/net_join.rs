//! Whatever strangers say before they are in: nobody gets in without being admitted.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use reckoning::SimTime;
use reckoning_net::{Host, HostConfig, HostEvent, PeerId, DisconnectReason};

#[path = "net_shared/mod.rs"]
mod net_shared;
use net_shared::{Step, format, steps};

fuzz_target!(|input: &[u8]| {
    let mut host = Host::new(HostConfig::new(format())).expect("sound");
    let (mut now, mut buf) = (SimTime::ZERO, [0; 1000]);
    for n in 0..4 {
        host.connect(now, PeerId(n));
    }
    for (turn, step) in steps(input).enumerate() {
        let peer = PeerId(turn as u32 % 5);
        match step {
            Step::Wait(millis) => now += Duration::from_millis(millis),
            Step::Datagram(bytes) => host.handle_datagram(now, peer, bytes),
        }
        host.handle_timeout(now);
        while let Some(event) = host.poll_event() {
            match event {
                // Peers with odd numbers are not welcome.
                HostEvent::JoinRequested { peer, .. } if peer.0 % 2 == 1 => {
                    host.refuse(now, peer, DisconnectReason::Token);
                }
                // It may have left in the same datagram.
                HostEvent::JoinRequested { peer, .. } => {
                    host.admit(now, peer);
                }
                HostEvent::Joined { peer, .. } => assert_eq!(peer.0 % 2, 0),
                _ => {}
            }
        }
        assert!(host.peers().all(|peer| peer.0 % 2 == 0));
        while host.poll_datagram(now, &mut buf).is_some() {}
    }
});
