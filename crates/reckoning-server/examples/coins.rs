//! A small authoritative game: players walk, take coins and shoot each other; spectators watch.
//!
//! A player moves its own body and shows it at once; the server's guard judges how fast it moves.
//! Coins, scores and hits are the server's alone. Client and server exchange plain text:
//!
//! ```text
//! client: "play" asks for a body; "shoot TARGET X Y PICTURE" claims a hit
//! server: "coin PLAYER SCORE" and "hit PLAYER SCORE", to everyone
//! ```
//!
//! Run `cargo run -p reckoning-server --example coins -- serve`, then, in other terminals, the
//! same with `play` (twice) and `watch`. `demo` plays it all in one process and checks the outcome.
use std::collections::BTreeMap;
use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;

use reckoning::rewind::{Aim, HitRequest, HitVerdict, RewindConfig};
use reckoning_client::{Client, ClientConfig, SessionEvent};
use reckoning_net::wire::{decode_shown, encode_shown};
use reckoning_server::{DVec3, Delivery, EntityId, Game, Host, HostEvent, Kinematics, Owner};
use reckoning_server::{PeerId, Running, ServeError, Server, Settings, SimTime, Viewpoint};

const WALK_MPS: f64 = 3.0;
const RADIUS_M: f64 = 0.5;
const REACH_M: f64 = 30.0;

/// The server's half: who plays, which coins lie where.
#[derive(Default)]
struct CoinGame {
    players: BTreeMap<PeerId, Player>,
    coins: BTreeMap<EntityId, DVec3>,
    dropped: u32,
}

struct Player {
    body: EntityId,
    score: u32,
}

impl Game for CoinGame {
    fn event(&mut self, now: SimTime, event: &HostEvent, host: &mut Host) {
        match event {
            HostEvent::Joined { peer, before } => {
                // A spectator has no body to see from, and the field is small: all see all.
                host.set_viewpoint(*peer, Viewpoint::Everywhere);
                // Whoever comes back after a lost connection still has its body.
                if let Some(player) = before.and_then(|old| self.players.remove(&old)) {
                    self.players.insert(*peer, player);
                }
            }
            HostEvent::Message { peer, bytes } => {
                let text = String::from_utf8_lossy(bytes);
                match text.split(' ').collect::<Vec<_>>()[..] {
                    ["play"] if !self.players.contains_key(peer) => self.spawn(now, *peer, host),
                    ["shoot", ref claim @ ..]
                        if self.is_hit(now, *peer, claim, host) == Some(true) =>
                    {
                        self.score(*peer, "hit", host);
                    }
                    _ => {} // never trust a client to make sense
                }
            }
            // The player left, or did not come back in time.
            HostEvent::Despawned { entity } => self.players.retain(|_, it| it.body != *entity),
            _ => {}
        }
    }

    fn tick(&mut self, now: SimTime, host: &mut Host) {
        if self.coins.len() < 5 {
            self.dropped += 1;
            let along = |step: u32| f64::from(self.dropped * step % 17) - 8.0;
            let place = DVec3::new(along(7), along(5), 0.0);
            let coin = host.spawn(now, Owner::Host, b"coin", &Kinematics::at_rest(now, place));
            self.coins.extend(coin.map(|coin| (coin, place)));
        }
        let known = host.entities().map(|(id, _, known)| (id, known.position_at(now)));
        let known: BTreeMap<EntityId, DVec3> = known.collect();
        for (coin, place) in self.coins.clone() {
            let is_near = |at: &DVec3| at.distance(place) < 2.0 * RADIUS_M;
            let touches = |player: &Player| known.get(&player.body).is_some_and(is_near);
            if let Some((&taker, _)) = self.players.iter().find(|(_, player)| touches(player)) {
                self.coins.remove(&coin);
                host.despawn(coin);
                self.score(taker, "coin", host);
            }
        }
    }
}

impl CoinGame {
    fn spawn(&mut self, now: SimTime, peer: PeerId, host: &mut Host) {
        let start = Kinematics::at_rest(now, DVec3::X * (4.0 * self.players.len() as f64));
        if let Ok(body) = host.spawn(now, Owner::Peer(peer), b"player", &start) {
            self.players.insert(peer, Player { body, score: 0 });
        }
    }

    /// Whether the shooter saw the target where it aimed. It says of what its picture was made;
    /// the server checks that against what it sent, and rewinds to that very picture. `None` when
    /// the claim makes no sense.
    fn is_hit(&self, now: SimTime, from: PeerId, claim: &[&str], host: &mut Host) -> Option<bool> {
        let &[target, x, y, picture] = claim else { return None };
        let body = self.players.get(&from)?.body;
        let target = EntityId(target.parse().ok()?);
        self.players.values().find(|player| player.body == target)?; // no shooting at coins
        let aimed_at = DVec3::new(x.parse().ok()?, y.parse().ok()?, 0.0);
        let (picture, _) = decode_shown(&from_hex(picture)?)?;
        host.handle_reference(now, from, target, &picture)?.ok()?;
        let shown_at = picture.shown_at;
        let stood = host.rewind()?.truth_at(body, shown_at)?;
        let aim = Aim::Ray { from: stood, direction: aimed_at - stood, reach_m: REACH_M };
        let claim = HitRequest { body, stood, target, target_radius_m: RADIUS_M, shown_at, aim };
        Some(matches!(host.hit_check(now, from, &claim)?, HitVerdict::Hit { .. }))
    }

    fn score(&mut self, peer: PeerId, what: &str, host: &mut Host) {
        let Some(player) = self.players.get_mut(&peer) else { return };
        player.score += 1;
        let news = format!("{what} {} {}", peer.0, player.score);
        for peer in host.peers().collect::<Vec<_>>() {
            // A client that does not acknowledge for so long is about to be disconnected.
            let _ = host.send(peer, news.as_bytes(), Delivery::Reliable);
        }
    }
}

fn to_hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}"); // a string takes everything
        text
    })
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let byte = |place| u8::from_str_radix(text.get(place..place + 2)?, 16).ok();
    (0..text.len()).step_by(2).map(byte).collect()
}

fn serve(listen: SocketAddr) -> Result<Running, ServeError> {
    let mut settings = Settings::default();
    settings.listen = listen;
    settings.guard.top_speed_mps = 2.0 * WALK_MPS; // who is faster is put right
    let mut host = reckoning_server::host_config(&settings);
    host.rewind = Some(RewindConfig::default());
    let mut server = Server::new(settings);
    server.set_host(host);
    server.start(CoinGame::default())
}

/// A client: a player that walks to the nearest coin and shoots once a second, or a spectator.
struct Guest {
    client: Client,
    plays: bool,
    body: Option<EntityId>,
    at: DVec3,
    then: SimTime,
    reloaded: SimTime,
    news: Vec<String>,
}

impl Guest {
    fn new(server: SocketAddr, plays: bool) -> Result<Self, reckoning_client::ConnectError> {
        let client = Client::connect(ClientConfig::new(&server.to_string()))?;
        let (then, reloaded) = (SimTime::ZERO, SimTime::ZERO);
        Ok(Self { client, plays, body: None, at: DVec3::ZERO, then, reloaded, news: Vec::new() })
    }

    /// Once a frame.
    fn frame(&mut self) {
        let now = self.client.drive();
        while let Some(event) = self.client.poll_event() {
            match event {
                SessionEvent::Joined { .. } if self.plays => self.say("play"),
                SessionEvent::Granted(body) => self.body = Some(body),
                SessionEvent::Corrected { state, .. } => self.at = state.position,
                SessionEvent::Lost => self.body = None, // granted again after the reconnect
                SessionEvent::Message(text) => {
                    self.news.push(String::from_utf8_lossy(&text).into());
                }
                _ => {}
            }
        }
        if let Some(body) = self.body {
            let velocity = match self.nearest(b"coin", now) {
                Some((_, coin)) => (coin - self.at).normalize_or_zero() * WALK_MPS,
                None => DVec3::ZERO,
            };
            self.at += velocity * now.secs_since(self.then);
            self.client.observe(body, &Kinematics::moving(now, self.at, velocity));
            self.shoot(now);
        }
        self.then = now;
    }

    fn shoot(&mut self, now: SimTime) {
        if let Some((target, at)) = self.nearest(b"player", now)
            && let Some(shown) = self.client.shown_as(target, now)
            && now >= self.reloaded
        {
            let mut picture = Vec::new();
            encode_shown(&shown, &mut picture);
            self.say(&format!("shoot {} {} {} {}", target.0, at.x, at.y, to_hex(&picture)));
            self.reloaded = now + Duration::from_secs(1);
        }
    }

    /// The nearest of its kind, where this client draws it.
    fn nearest(&self, kind: &[u8], now: SimTime) -> Option<(EntityId, DVec3)> {
        let ghosts = self.client.ghosts().filter(|(_, ghost)| ghost.tag() == kind);
        let shown = ghosts.filter_map(|(id, _)| Some((id, self.client.shown(id, now)?.position)));
        let distance = |(_, place): &(EntityId, DVec3)| place.distance(self.at);
        shown.min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    fn say(&mut self, text: &str) {
        // Not joined any more, or too much waits: as good as said a moment later.
        let _ = self.client.send(text.as_bytes(), Delivery::Reliable);
    }

    fn has_heard(&self, what: &str) -> bool {
        self.news.iter().any(|news| news.starts_with(what))
    }
}

/// A server, two players and a spectator in one process, until a coin is taken and a shot hits.
pub(crate) fn demo() -> Result<(), Box<dyn Error>> {
    let server = serve(SocketAddr::from(([127, 0, 0, 1], 0)))?;
    let at = server.address();
    let mut guests = [Guest::new(at, true)?, Guest::new(at, true)?, Guest::new(at, false)?];
    for _ in 0..1_200 {
        guests.iter_mut().for_each(Guest::frame);
        std::thread::sleep(Duration::from_millis(16));
        if guests.iter().all(|guest| guest.has_heard("coin") && guest.has_heard("hit")) {
            let spectator = &guests[2];
            let bodies = spectator.client.ghosts().filter(|(_, ghost)| ghost.tag() == b"player");
            assert_eq!((bodies.count(), spectator.body), (2, None), "it watches without a body");
            println!("the spectator heard {:?}", spectator.news);
            return Ok(());
        }
    }
    Err(format!("after 20 s: {:?}", guests.map(|guest| guest.news)).into())
}

fn main() -> Result<(), Box<dyn Error>> {
    let address = SocketAddr::from(([127, 0, 0, 1], 4433));
    let mode = std::env::args().nth(1).unwrap_or_default();
    match mode.as_str() {
        "serve" => return Ok(serve(address)?.run()?),
        "demo" => return demo(),
        "play" | "watch" => {}
        _ => return Err("give one of serve, play, watch and demo".into()),
    }
    let mut guest = Guest::new(address, mode == "play")?;
    loop {
        guest.frame();
        for news in guest.news.drain(..) {
            println!("{news}");
        }
        std::thread::sleep(Duration::from_millis(16));
    }
}
