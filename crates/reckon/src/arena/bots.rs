//! `reckon bots`: programs that join a server over the network and play.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use reckoning::SimTime;
use reckoning_arena::protocol::{ClientMessage, ServerMessage};
use reckoning_client::{Client, ClientConfig, Delivery, SessionEvent, Status, Trust, fetch};
use reckoning_server::token::{TokenKey, from_hex};
use reckoning_server::unix_seconds;

use super::level::Scene;
use super::minds::Mind;
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
    mind: Mind,
    player: Option<u16>,
    /// Times its player came to life, as it was told last.
    lives: u16,
    was_in: bool,
    /// Whether the last try has failed, so that each counts once.
    is_away: bool,
}

/// Plays for the time asked for, or until it is stopped.
pub fn run(command: &Bots) -> Result<(), Failure> {
    let server = host_and_port(&command.join);
    let scene = fetch_scene(&command.join)?;
    let mut bots = Vec::new();
    let tokens = Tokens::new(command)?;
    for number in 0..command.count {
        bots.push(Bot::join(&server, &scene, number, tokens.next()?)?);
    }
    let mut counts = Counts::default();
    let Some(first) = bots.first() else { return Ok(()) };
    let mut due = first.client.now();
    let until = command.seconds.map(|seconds| due + Duration::from_secs(seconds));
    while until.is_none_or(|until| due < until) {
        for bot in &mut bots {
            bot.frame(&mut counts);
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
    fn join(server: &str, scene: &Scene, number: u16, token: Vec<u8>) -> Result<Self, Failure> {
        let seed = u64::from(std::process::id()) << 16 | u64::from(number);
        let (mind, session) = Mind::new(scene, seed);
        let mut config = ClientConfig::new(server);
        config.session = session;
        config.session.token = token;
        let client = Client::connect(config).map_err(Failure::server)?;
        Ok(Self { client, mind, player: None, lives: 0, was_in: false, is_away: false })
    }

    fn frame(&mut self, counts: &mut Counts) {
        let now = self.client.drive();
        while let Some(event) = self.client.poll_event() {
            self.note(event, counts);
        }
        self.note_status(counts);
        if let Some(session) = self.client.session() {
            self.mind.look(session);
        }
        let lives = self.mind.lives();
        counts.born += u64::from(lives.wrapping_sub(std::mem::replace(&mut self.lives, lives)));
        while self.client.poll_out_of_band().is_some() {}
        counts.shots += u64::from(self.mind.play(&mut self.client, now));
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
                self.mind.handle_lost();
            }
            SessionEvent::Entered { entity, tag, .. } => self.mind.handle_entered(entity.0, &tag),
            SessionEvent::Exited { entity, .. } => self.mind.handle_exited(entity.0),
            SessionEvent::Corrected { state, .. } => {
                counts.put += 1;
                self.mind.handle_corrected(&state);
            }
            SessionEvent::Message(bytes) | SessionEvent::Command(bytes) => {
                if let Ok(tell) = ServerMessage::decode(&bytes) {
                    self.mind.handle_message(&tell);
                    counts.tally(&tell, &mut self.player);
                }
            }
            _ => {}
        }
    }
}

/// `host:port` of an address as browsers write it.
fn host_and_port(url: &str) -> String {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://")).unwrap_or(url);
    rest.split('/').next().unwrap_or(rest).to_string()
}

fn fetch_scene(url: &str) -> Result<Scene, Failure> {
    let text = fetch(url, "/level.toml", &Trust::SystemRoots)
        .map_err(|reason| Failure::NoArena { server: host_and_port(url), reason })?;
    Scene::parse(&text).map_err(Failure::server)
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
