//! A host and a session in one loop, without sockets and clocks.

use core::time::Duration;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_net::{Host, HostConfig, HostEvent, PeerId, Session, SessionConfig, SessionEvent};

use crate::linear_format::format;

/// A host and a session joined by a perfect wire that takes 20 ms.
pub struct Pair {
    pub host: Host,
    pub session: Session,
    pub now: SimTime,
    to_host: Vec<(SimTime, Vec<u8>)>,
    to_session: Vec<(SimTime, Vec<u8>)>,
}

pub const PEER: PeerId = PeerId(7);
/// The client's clock is this far ahead of the host's.
pub const AHEAD: Duration = Duration::from_secs(1000);

impl Pair {
    pub fn new() -> Self {
        let mut host = Host::new(HostConfig::new(format(false))).unwrap();
        host.connect(SimTime::ZERO, PEER);
        let session = Session::new(SessionConfig::default()).unwrap();
        Self { host, session, now: SimTime::ZERO, to_host: Vec::new(), to_session: Vec::new() }
    }

    /// Ten milliseconds pass. Returns the events of the session; joins are admitted.
    pub fn step(&mut self) -> Vec<SessionEvent> {
        let (now, mut buf) = (self.now, [0; 1000]);
        let arrives = now + Duration::from_millis(20);
        let (due, later) = self.to_host.drain(..).partition(|(at, _)| *at <= now);
        self.to_host = later;
        for (_, bytes) in due {
            self.host.handle_datagram(now, PEER, &bytes);
        }
        self.host.handle_timeout(now);
        while let Some(event) = self.host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                assert!(self.host.admit(now, peer));
            }
        }
        while let Some((peer, length)) = self.host.poll_datagram(now, &mut buf) {
            assert_eq!(peer, PEER);
            self.to_session.push((arrives, buf[..length].to_vec()));
        }
        let local = now + AHEAD;
        let (due, later) = self.to_session.drain(..).partition(|(at, _)| *at <= now);
        self.to_session = later;
        for (_, bytes) in due {
            self.session.handle_datagram(local, &bytes);
        }
        self.session.handle_timeout(local);
        while let Some(length) = self.session.poll_datagram(local, &mut buf) {
            self.to_host.push((arrives, buf[..length].to_vec()));
        }
        self.now += Duration::from_millis(10);
        core::iter::from_fn(|| self.session.poll_event()).collect()
    }
}

#[allow(dead_code, reason = "not every test has a body that circles")]
pub fn circling(at: SimTime) -> Kinematics {
    let angle = 0.5 * at.as_secs_f64();
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    Kinematics::moving(at, DVec3::new(cos, sin, 0.0) * 10.0, DVec3::new(-sin, cos, 0.0) * 5.0)
}
