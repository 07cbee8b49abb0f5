//! `reckon bots`: programs that join a server over the network and play.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_arena::host::session_config;
use reckoning_arena::protocol::{ClientMessage, DebugDatagram, OwnState, Picture, ServerMessage};
use reckoning_arena::{Level, RemoteBot};
use reckoning_client::{
    Client, ClientConfig, Delivery, EntityId, SessionEvent, Status, Trust, fetch,
};
use reckoning_server::token::{TokenKey, from_hex};
use reckoning_server::unix_seconds;

use crate::args::Bots;
use crate::failure::Failure;
use crate::say;

const FRAME: Duration = Duration::from_micros(16_667);

/// What all bots together met with.
#[derive(Default)]
struct Counts {
    joined: u64,
    lost: u64,
    /// Why programs that never were in were turned away, and how often.
    turned_away: BTreeMap<String, u64>,
    /// Times that a body was put somewhere, and those of them that were births.
    put: u64,
    born: u64,
    shots: u64,
    kills: u64,
    deaths: u64,
}

/// One bot.
struct Bot {
    client: Client,
    mirror: RemoteBot,
    player: Option<u16>,
    /// Times its player came to life, as it was told last.
    lives: u16,
    fired_at: SimTime,
    was_in: bool,
    /// Whether the last try has failed, so that each counts once.
    is_away: bool,
}

/// Plays for the time asked for, or until it is stopped.
pub fn run(command: &Bots) -> Result<(), Failure> {
    let server = host_and_port(&command.join);
    let level = Arc::new(fetch_level(&command.join)?);
    let mut bots = Vec::new();
    let tokens = Tokens::new(command)?;
    for number in 0..command.count {
        bots.push(Bot::join(&server, &level, number, tokens.next()?)?);
    }
    let mut counts = Counts::default();
    let Some(first) = bots.first() else { return Ok(()) };
    let mut due = first.client.now();
    let until = command.seconds.map(|seconds| due + Duration::from_secs(seconds));
    while until.is_none_or(|until| due < until) {
        for bot in &mut bots {
            bot.frame(&level, &mut counts);
        }
        due += FRAME;
        let now = bots.first().map_or(due, |bot| bot.client.now());
        due = due.max(SimTime::from_micros(now.as_micros() - 50_000));
        thread::sleep(due.saturating_since(now));
    }
    let stayed = bots.iter().filter(|bot| *bot.client.status() == Status::Joined).count();
    for bot in &mut bots {
        bot.client.leave();
    }
    thread::sleep(Duration::from_millis(100)); // the farewells leave the machine
    let refused = bots.iter().filter(|bot| !bot.was_in).count();
    say(&counts.text(command.count, refused, stayed))?;
    if refused == 0 {
        return Ok(());
    }
    Err(Failure::BotsRefused { refused, of: bots.len(), reasons: counts.reasons() })
}

/// Where tokens come from.
enum Tokens {
    /// The server is open to all.
    None,
    One(Vec<u8>),
    Key(TokenKey),
}

/// Tokens are good for longer than bots play.
const TOKEN_S: u64 = 24 * 3_600;

impl Tokens {
    fn new(command: &Bots) -> Result<Self, Failure> {
        match (&command.token, &command.token_key) {
            (Some(hex), _) => from_hex(hex.trim()).map(Self::One).ok_or(Failure::NoToken),
            (None, Some(path)) => TokenKey::from_file(path).map(Self::Key).map_err(Failure::server),
            (None, None) => Ok(Self::None),
        }
    }

    fn next(&self) -> Result<Vec<u8>, Failure> {
        match self {
            Self::None => Ok(Vec::new()),
            Self::One(token) => Ok(token.clone()),
            Self::Key(key) => {
                key.mint(&[], unix_seconds().saturating_add(TOKEN_S)).map_err(Failure::server)
            }
        }
    }
}

impl Counts {
    /// Counts what concerns this player alone, so that nothing is counted by every bot.
    fn tally(&mut self, tell: &ServerMessage, me: &mut Option<u16>) {
        let known = *me;
        let is_me = |player: u16| known == Some(player);
        match *tell {
            ServerMessage::You { player, .. } => *me = Some(player),
            ServerMessage::Died { player, by } => {
                self.deaths += u64::from(is_me(player));
                self.kills += u64::from(is_me(by));
            }
            _ => {}
        }
    }

    /// Why programs were turned away, the commonest reason first.
    fn reasons(&self) -> String {
        let mut reasons: Vec<(&String, &u64)> = self.turned_away.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let reasons = reasons.iter().map(|(reason, count)| format!("{count} times: {reason}"));
        reasons.collect::<Vec<_>>().join("; ")
    }

    fn text(&self, bots: u16, refused: usize, stayed: usize) -> String {
        let Self { joined, lost, put, born, shots, kills, deaths, .. } = self;
        let corrected = put.saturating_sub(*born);
        format!(
            "bots {bots}, joined {joined}, refused {refused}, lost {lost}, corrected {corrected}, \
             still in {stayed}\nborn {born}, shots {shots}, kills {kills}, deaths {deaths}\n"
        )
    }
}

impl Bot {
    fn join(
        server: &str,
        level: &Arc<Level>,
        number: u16,
        token: Vec<u8>,
    ) -> Result<Self, Failure> {
        let mut config = ClientConfig::new(server);
        config.session = session_config();
        config.session.token = token;
        let client = Client::connect(config).map_err(Failure::server)?;
        let seed = u64::from(std::process::id()) << 16 | u64::from(number);
        let mirror = RemoteBot::new(level.clone(), seed);
        let (player, lives, fired_at) = (None, 0, SimTime::ZERO);
        Ok(Self { client, mirror, player, lives, fired_at, was_in: false, is_away: false })
    }

    fn frame(&mut self, level: &Level, counts: &mut Counts) {
        let now = self.client.drive();
        while let Some(event) = self.client.poll_event() {
            self.note(event, counts);
        }
        self.note_status(counts);
        if let Some(session) = self.client.session() {
            self.mirror.look(session);
        }
        let lives = self.mirror.lives();
        counts.born += u64::from(lives.wrapping_sub(std::mem::replace(&mut self.lives, lives)));
        while self.client.poll_out_of_band().is_some() {}
        let client = &self.client;
        let shown = |entity: u32| {
            let session = client.session()?;
            let at = session.timeline_at(now)?;
            let ghost = session.ghosts().find(|it| it.0.0 == entity)?.1.ghost();
            Some((ghost.position_at(at), ghost.velocity_at(at)))
        };
        let input = self.mirror.step(shown);
        if let Some(truth) = self.mirror.kinematics(now) {
            self.publish(&truth);
        }
        let pause_s = level.file().gun.pause_s;
        let Some(input) = input.filter(|it| it.fire) else { return };
        if now.secs_since(self.fired_at) >= pause_s {
            self.fired_at = now;
            counts.shots += u64::from(self.fire(now, input.aim));
        }
    }

    /// Counts each try that failed, as long as none succeeded.
    fn note_status(&mut self, counts: &mut Counts) {
        let reason = match self.client.status() {
            Status::Reconnecting { reason } | Status::Over { reason } => Some(reason),
            _ => None,
        };
        let was_away = std::mem::replace(&mut self.is_away, reason.is_some());
        if let Some(reason) = reason.filter(|_| !was_away && !self.was_in) {
            *counts.turned_away.entry(reason.clone()).or_default() += 1;
        }
    }

    fn note(&mut self, event: SessionEvent, counts: &mut Counts) {
        match event {
            SessionEvent::Joined { .. } => {
                counts.joined += 1;
                self.was_in = true;
                let hello = ClientMessage::Hello { name: String::new(), watch: false };
                let _ = self.client.send(&hello.encode(), Delivery::Reliable);
            }
            SessionEvent::Lost => {
                counts.lost += 1;
                self.mirror.handle_lost();
            }
            SessionEvent::Entered { entity, tag, .. } => self.mirror.handle_entered(entity.0, &tag),
            SessionEvent::Exited { entity, .. } => self.mirror.handle_exited(entity.0),
            SessionEvent::Corrected { state, .. } => {
                counts.put += 1;
                self.mirror.handle_corrected(&state);
            }
            SessionEvent::Message(bytes) | SessionEvent::Command(bytes) => {
                if let Ok(tell) = ServerMessage::decode(&bytes) {
                    self.mirror.handle_message(&tell);
                    counts.tally(&tell, &mut self.player);
                }
            }
            _ => {}
        }
    }

    fn publish(&mut self, truth: &Kinematics) {
        let Some(entity) = self.mirror.entity() else { return };
        self.client.observe(EntityId(entity), truth);
        let Some(at) = self.client.session().and_then(|it| it.host_time(truth.at)) else { return };
        let pair = |v: DVec3| [v.x as f32, v.y as f32];
        let mine = OwnState { at, place: pair(truth.position), velocity: pair(truth.velocity) };
        self.client.send_out_of_band(&DebugDatagram::OwnState(mine).encode());
    }

    fn fire(&mut self, now: SimTime, aim: DVec3) -> bool {
        let (Some(session), Some(body)) = (self.client.session(), self.mirror.body()) else {
            return false;
        };
        let Some(shown_at) = session.host_time(now) else { return false };
        let pictures = Picture::along(session, now, body.position, aim);
        let fire = ClientMessage::Fire { shown_at, aim: [aim.x as f32, aim.y as f32], pictures };
        self.client.send(&fire.encode(), Delivery::Reliable).is_ok()
    }
}

/// `host:port` of an address as browsers write it.
fn host_and_port(url: &str) -> String {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://")).unwrap_or(url);
    rest.split('/').next().unwrap_or(rest).to_string()
}

fn fetch_level(url: &str) -> Result<Level, Failure> {
    let text = fetch(url, "/level.toml", &Trust::SystemRoots)
        .map_err(|reason| Failure::NoArena { server: host_and_port(url), reason })?;
    Level::parse(&text).map_err(Failure::server)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_addresses_name_the_same_server() {
        for url in ["http://127.0.0.1:4433/", "127.0.0.1:4433", "https://127.0.0.1:4433/x?y"] {
            assert_eq!(host_and_port(url), "127.0.0.1:4433");
        }
    }
}
