//! A server on a free port of this machine, and players who run in circles.
#![allow(dead_code, reason = "each test uses its share")]

pub mod hostile;
pub mod process;
pub mod secure;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_client::{Client, ClientConfig, EntityId, SessionEvent, Status};
use reckoning_net::{Session, SessionConfig};
use reckoning_server::token::{TokenKey, write_new_key};
use reckoning_server::{Clock, Relay, Running, Server, Settings, settings};
use tungstenite::{Message, WebSocket};

pub const FRAME: Duration = Duration::from_millis(8);

/// Settings with a free port, and these flags.
pub fn settings(flags: &[&str]) -> Settings {
    let mut table = settings::parse("listen = '127.0.0.1:0'\nlog = 'error'").unwrap();
    for flag in flags {
        settings::set(&mut table, flag).unwrap();
    }
    Settings::from_table(table).unwrap()
}

pub fn serve(flags: &[&str]) -> Running {
    Server::new(settings(flags)).start(Relay::default()).unwrap()
}

/// A new key in a file of its own: the file, the flag that names it, the key.
pub fn key_file(name: &str) -> (PathBuf, String, TokenKey) {
    let path = std::env::temp_dir().join(format!("reckoning-{name}-{}.hex", std::process::id()));
    let _ = std::fs::remove_file(&path);
    write_new_key(&path).unwrap();
    let flag = format!("token_key_file={:?}", path.to_str().unwrap());
    let key = TokenKey::from_file(&path).unwrap();
    (path, flag, key)
}

#[expect(clippy::disallowed_methods, reason = "real sockets need real deadlines")]
pub fn instant() -> Instant {
    Instant::now()
}

/// Calls `step` each frame until it is true; fails with `what` after `seconds`.
pub fn wait_for(what: &str, seconds: f64, mut step: impl FnMut() -> bool) -> Duration {
    let begin = instant();
    while !step() {
        assert!(begin.elapsed().as_secs_f64() < seconds, "not within {seconds} s: {what}");
        sleep(FRAME);
    }
    begin.elapsed()
}

/// Where a body that runs round a circle of 10 m at 10 m/s is.
pub fn circle(at: SimTime) -> Kinematics {
    let t = at.as_secs_f64();
    let (sin, cos) = (libm::sin(t), libm::cos(t));
    Kinematics::moving(at, DVec3::new(cos, sin, 0.0) * 10.0, DVec3::new(-sin, cos, 0.0) * 10.0)
}

/// A player over QUIC.
pub struct Native {
    pub client: Client,
    pub mine: Option<EntityId>,
    pub joins: u32,
    pub losses: u32,
    pub refusals: Vec<reckoning_net::DisconnectReason>,
}

impl Native {
    pub fn new(server: SocketAddr) -> Self {
        Self::with(ClientConfig::new(&server.to_string()))
    }

    pub fn with_token(server: SocketAddr, token: &[u8]) -> Self {
        let mut config = ClientConfig::new(&server.to_string());
        config.session.token = token.to_vec();
        Self::with(config)
    }

    pub fn with(config: ClientConfig) -> Self {
        let client = Client::connect(config).unwrap();
        Self { client, mine: None, joins: 0, losses: 0, refusals: Vec::new() }
    }

    /// One frame: moves its body along the circle.
    pub fn frame(&mut self) {
        let now = self.client.drive();
        while let Some(event) = self.client.poll_event() {
            match event {
                SessionEvent::Joined { .. } => self.joins += 1,
                SessionEvent::Granted(entity) => self.mine = Some(entity),
                SessionEvent::Lost => {
                    self.losses += 1;
                    self.mine = None;
                }
                SessionEvent::Disconnected(why) => self.refusals.push(why),
                _ => {}
            }
        }
        if let Some(entity) = self.mine {
            self.client.observe(entity, &circle(now));
        }
    }

    pub fn is_joined(&self) -> bool {
        *self.client.status() == Status::Joined
    }

    pub fn truth(&self) -> DVec3 {
        circle(self.client.now()).position
    }

    /// How far off `other`'s body is on this player's screen.
    pub fn error_m(&self, other: &Self) -> Option<f64> {
        let shown = self.client.shown(other.mine?, self.client.now())?;
        Some(shown.position.distance(other.truth()))
    }
}

/// A player over a WebSocket, as a browser would be.
pub struct Socket<S = TcpStream> {
    pub session: Session,
    pub mine: Option<EntityId>,
    clock: Clock,
    wire: WebSocket<S>,
    buffer: Vec<u8>,
}

pub fn open_socket(server: SocketAddr) -> WebSocket<TcpStream> {
    let stream = TcpStream::connect(server).unwrap();
    let (socket, _) = tungstenite::client(format!("ws://{server}/ws"), stream).unwrap();
    socket.get_ref().set_nonblocking(true).unwrap();
    socket.get_ref().set_nodelay(true).unwrap();
    socket
}

impl Socket {
    pub fn new(server: SocketAddr) -> Self {
        Self::over(open_socket(server))
    }
}

impl<S: Read + Write> Socket<S> {
    pub fn over(wire: WebSocket<S>) -> Self {
        let session = Session::new(SessionConfig::default()).unwrap();
        Self { session, mine: None, clock: Clock::start(), wire, buffer: vec![0; 1_000] }
    }

    pub fn now(&self) -> SimTime {
        self.clock.now()
    }

    pub fn frame(&mut self) {
        while let Ok(message) = self.wire.read() {
            if let Message::Binary(bytes) = message {
                self.session.handle_datagram(self.clock.now(), &bytes);
            }
        }
        let now = self.clock.now();
        self.session.handle_timeout(now);
        while let Some(event) = self.session.poll_event() {
            if let SessionEvent::Granted(entity) = event {
                self.mine = Some(entity);
            }
        }
        if let Some(entity) = self.mine {
            self.session.observe(entity, &circle(now));
        }
        while let Some(length) = self.session.poll_datagram(now, &mut self.buffer) {
            let datagram = self.buffer[..length].to_vec();
            let _ = self.wire.send(Message::Binary(datagram.into()));
        }
    }

    pub fn truth(&self) -> DVec3 {
        circle(self.clock.now()).position
    }

    pub fn shown(&self, entity: EntityId) -> Option<DVec3> {
        self.session.shown(entity, self.clock.now()).map(|pose| pose.position)
    }
}

/// The body of the answer to a plain GET.
pub fn get(server: SocketAddr, path: &str) -> String {
    let stream = TcpStream::connect(server).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    get_over(stream, server, path)
}

/// The same over a connection that stands.
pub fn get_over(mut stream: impl Read + Write, server: SocketAddr, path: &str) -> String {
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {server}\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}
