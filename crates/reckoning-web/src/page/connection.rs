//! A connection to a server, of whichever game: its client, who we are there, and what came beside
//! the protocol.

use std::time::Duration;

use reckoning::SimTime;
use reckoning_arena::protocol::{ClientMessage, LinkChoice};
use reckoning_client::{Client, ClientConfig, Delivery, Status, Trust};
use reckoning_net::SessionConfig;

use super::measure::Totals;
use crate::controls::Controls;
use crate::link_pill::LinkInForce;
use crate::meter::wire_bytes;

/// Plain positions that came, of which a naive game and interpolation are made.
#[derive(Clone, Copy, Debug, Default)]
pub struct SnapshotCount {
    pub datagrams: u64,
    pub bytes: u64,
    pub positions: u64,
}

impl SnapshotCount {
    /// A datagram of so many bytes with so many positions came.
    pub const fn add(&mut self, bytes: usize, positions: usize) {
        self.datagrams += 1;
        self.bytes += bytes as u64;
        self.positions += positions as u64;
    }
}

/// A connection, and counts that outlive it.
#[derive(Debug)]
pub struct Connection {
    pub client: Client,
    /// As whom we joined: the name, and whether to watch.
    pub greeted: Option<(String, bool)>,
    pub snapshots: SnapshotCount,
    /// The simulated link, as the server said.
    pub link: LinkInForce,
    /// Truths that came, of which there are sixty a second.
    pub truths: u64,
    server: String,
    /// When to ask once more for what was refused because we asked too often.
    again_at: Option<SimTime>,
}

/// A server takes wishes again after a while.
const ASK_AGAIN: Duration = Duration::from_secs(1);

impl Connection {
    pub fn open(server: &str, session: SessionConfig) -> Result<Self, String> {
        let mut config = ClientConfig::new(server);
        config.session = session;
        if !super::dom::is_secure() {
            // Whoever could change what is played could have changed this page.
            config.trust = Trust::Plaintext;
        }
        config.session.timeout = Duration::from_secs(3);
        let client = Client::connect(config).map_err(|error| error.to_string())?;
        Ok(Self {
            client,
            greeted: None,
            snapshots: SnapshotCount::default(),
            link: LinkInForce::default(),
            truths: 0,
            server: server.to_string(),
            again_at: None,
        })
    }

    /// Leaves, and joins as somebody else; what was counted goes on.
    pub fn open_anew(&mut self, session: SessionConfig) -> Result<Self, String> {
        self.client.leave();
        let Self { snapshots, truths, .. } = *self;
        let anew = Self::open(&self.server, session)?;
        Ok(Self { snapshots, truths, ..anew })
    }

    /// Sends reliably; before the join it is sent with the join.
    pub fn send(&mut self, message: &ClientMessage) {
        self.send_bytes(&message.encode());
    }

    /// The same for a message of another sort.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let _ = self.client.send(bytes, Delivery::Reliable);
    }

    /// The server let us in: who we are, and what we would like to see.
    pub fn introduce(&mut self, controls: &Controls) {
        let (name, watch) = (controls.name.clone(), controls.watch);
        self.greeted = Some((name.clone(), watch));
        self.send(&ClientMessage::Hello { name, watch });
        if controls.demo {
            self.send(&ClientMessage::SetLink(controls.link));
            self.send(&ClientMessage::Subscribe { truth: true, snapshots: true });
        }
    }

    /// The link was refused because we asked too often.
    pub fn ask_again(&mut self, now: SimTime) {
        self.again_at = Some(now + ASK_AGAIN);
    }

    /// Asks for the link once more when that is due.
    pub fn send_again(&mut self, now: SimTime, controls: &Controls) {
        if self.again_at.take_if(|at| *at <= now).is_some() {
            self.send(&ClientMessage::SetLink(controls.link));
        }
    }

    /// Whether we were introduced as somebody else than we would like to be.
    pub fn is_outdated(&self, controls: &Controls) -> bool {
        let now = (&controls.name, controls.watch);
        self.greeted.as_ref().is_some_and(|it| (&it.0, it.1) != now)
    }

    /// The name of the connection's status, and the reason given.
    pub fn standing(&self) -> (&'static str, String) {
        match self.client.status() {
            Status::Joined => ("joined", String::new()),
            Status::Reconnecting { reason } => ("lost", reason.clone()),
            Status::Over { reason } => ("over", reason.clone()),
            _ => ("connecting", String::new()),
        }
    }

    /// What rates are made of. Of both ways the headers of datagrams count, and of neither the
    /// messages of the game, such as shots, which a naive game would send as well.
    pub fn totals(&self) -> Totals {
        let stats = self.client.session().map(|it| *it.stats()).unwrap_or_default();
        let positions = &self.snapshots;
        Totals {
            updates: stats.updates_in,
            bytes: wire_bytes(stats.bytes_in - stats.carried_bytes_in, stats.datagrams_in),
            snapshot_updates: positions.positions,
            snapshot_bytes: wire_bytes(positions.bytes, positions.datagrams),
        }
    }

    /// The way to the server over the link that is `wanted`, in milliseconds; `None` while it is
    /// measured.
    pub fn one_way_ms(&self, wanted: LinkChoice) -> Option<f64> {
        let newest = self.client.session()?.clock().newest_delay();
        let way = self.link.one_way(self.client.now(), wanted, newest)?;
        Some(way.as_secs_f64() * 1e3)
    }

    /// A count that grows for as long as the server is heard.
    pub fn heard(&self) -> u64 {
        let heard = self.client.session().map_or(0, |it| it.stats().datagrams_in);
        heard + self.snapshots.positions + self.truths
    }
}
