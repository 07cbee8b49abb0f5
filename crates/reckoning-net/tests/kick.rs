//! A host that disconnects a player says why, in words that reach it over bad links.

#[path = "shared/linear_format.rs"]
mod linear_format;

use std::time::Duration;

use reckoning::SimTime;
use reckoning_net::wire::{Header, Message, PacketReader, PacketWriter};
use reckoning_net::{
    Departure, DisconnectReason, Host, HostConfig, HostEvent, MAX_KICK_BYTES, PeerId, Session,
    SessionConfig, SessionEvent, WordsError,
};
use reckoning_netsim::{Link, LinkConfig};

use linear_format::format;

const PEER: PeerId = PeerId(1);
const WORDS: &str = "Zwölf Minuten am Fenster: bitte später wieder.";
const WHY: DisconnectReason = DisconnectReason::Game(12);

struct Pair {
    host: Host,
    session: Session,
    up: Link<Vec<u8>>,
    down: Link<Vec<u8>>,
    now: SimTime,
    left: Vec<Departure>,
}

impl Pair {
    fn new(link: &str, seed: u64) -> Self {
        let link = |seed| {
            let mut config: LinkConfig = link.parse().unwrap();
            config.seed = seed;
            Link::new(config).unwrap()
        };
        let mut host = Host::new(HostConfig::new(format(true))).unwrap();
        host.connect(SimTime::ZERO, PEER);
        Self {
            host,
            session: Session::new(SessionConfig::default()).unwrap(),
            up: link(2 * seed),
            down: link(2 * seed + 1),
            now: SimTime::ZERO,
            left: Vec::new(),
        }
    }

    fn step(&mut self) -> Vec<SessionEvent> {
        let (now, mut buf) = (self.now, [0; 1_000]);
        while let Some((_, bytes)) = self.up.poll(now) {
            self.host.handle_datagram(now, PEER, &bytes);
        }
        self.host.handle_timeout(now);
        while let Some(event) = self.host.poll_event() {
            match event {
                HostEvent::JoinRequested { peer, .. } => assert!(self.host.admit(now, peer)),
                HostEvent::Left { why, .. } => self.left.push(why),
                _ => {}
            }
        }
        while let Some((_, length)) = self.host.poll_datagram(now, &mut buf) {
            self.down.send(now, length as u32, buf[..length].to_vec());
        }
        while let Some((_, bytes)) = self.down.poll(now) {
            self.session.handle_datagram(now, &bytes);
        }
        self.session.handle_timeout(now);
        while let Some(length) = self.session.poll_datagram(now, &mut buf) {
            self.up.send(now, length as u32, buf[..length].to_vec());
        }
        self.now += Duration::from_millis(10);
        core::iter::from_fn(|| self.session.poll_event()).collect()
    }

    /// Joins, is kicked, and tells how the session ended.
    fn kicked(&mut self) -> Option<SessionEvent> {
        for _ in 0..300 {
            self.step();
        }
        self.host.kick(self.now, PEER, WHY, WORDS).unwrap();
        let ends = |event: &SessionEvent| {
            matches!(event, SessionEvent::Kicked { .. } | SessionEvent::Lost)
        };
        let mut ended = Vec::new();
        for _ in 0..600 {
            ended.extend(self.step().into_iter().filter(ends));
        }
        assert!(ended.len() <= 1, "a session ends once: {ended:?}");
        ended.pop()
    }
}

#[test]
fn words_reach_a_kicked_player_over_links_that_lose() {
    for (link, least) in [
        ("delay=30", 200),
        ("delay=60,jitter=20,loss=0.02", 199),
        // Three datagrams in a row are lost sometimes; then the player is lost, without words.
        ("delay=60,jitter=20,loss=0.12,burst=2", 185),
    ] {
        let mut told = 0;
        for seed in 0..200 {
            let mut pair = Pair::new(link, seed);
            match pair.kicked() {
                Some(SessionEvent::Kicked { why, words }) => {
                    assert_eq!((why, words.as_str()), (WHY, WORDS));
                    told += 1;
                }
                other => assert_eq!(other, Some(SessionEvent::Lost), "{link}, seed {seed}"),
            }
            assert_eq!(pair.left, [Departure::Kicked(WHY)], "{link}, seed {seed}");
            assert_eq!(pair.host.peers().count(), 0, "the host forgets it");
        }
        println!("{link}: {told} of 200 read the words");
        assert!(told >= least, "{link}: {told} of 200 read the words");
    }
}

#[test]
fn words_that_are_no_line_of_text_are_refused_on_both_ends() {
    let mut pair = Pair::new("delay=30", 1);
    for _ in 0..50 {
        pair.step();
    }
    let long = "ä".repeat(MAX_KICK_BYTES / 2 + 1);
    let too_long = WordsError::TooLong { got_bytes: MAX_KICK_BYTES + 2, max_bytes: MAX_KICK_BYTES };
    assert_eq!(pair.host.kick(pair.now, PEER, WHY, &long), Err(too_long));
    let bell = pair.host.kick(pair.now, PEER, WHY, "ding\u{7}");
    assert_eq!(bell, Err(WordsError::Control { got: '\u{7}' }));
    assert_eq!(pair.left, []);

    let mut bytes = [0; 100];
    let header = Header { sequence: 1, sent_ms: 0, ack: None };
    let mut packet = PacketWriter::new(&mut bytes, &header);
    assert!(packet.push(None, &Message::Kick { why: WHY, words: "abcdefgh" }));
    assert!(!packet.push(None, &Message::Kick { why: WHY, words: "\n" }));
    let length = packet.finish().unwrap();
    for wrong in [0x07, 0x7f, 0xff] {
        let mut broken = bytes;
        broken[length - 3] = wrong;
        let mut reader = PacketReader::new(&broken[..length]).unwrap();
        assert!(reader.next_message(None).is_err(), "byte {wrong:#x}");
    }
}
