//! Browser transport: WebTransport datagrams, or a WebSocket where that is missing or blocked and the
//! server is not pinned. What may go without TLS is in [`super::web_policy`].
//!
//! The page of the server, or any other that may reach it, asks `/reckoning.json` for the hash of
//! the certificate, so that a self-made one will do.

mod js;
mod server_info;
mod socket;
mod stream;

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Uint8Array;
use reckoning::SimTime;
use wasm_bindgen_futures::spawn_local;

use self::server_info::ServerInfo;
use self::socket::Socket;
use self::stream::Stream;
use super::web_policy::{TcpSecurity, may_fall_back};
use super::{ConnectError, ReceiveQueue, TransportState, Trust, host_and_port};

/// The clock of the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    start_ms: f64,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { start_ms: js::performance_now() }
    }

    pub(crate) fn now(&self) -> SimTime {
        SimTime::from_secs_f64((js::performance_now() - self.start_ms) / 1e3)
    }
}

/// A connection to a server, or the attempt at one.
#[derive(Debug)]
pub(crate) struct Transport {
    shared: Rc<Shared>,
    /// What was sent last leaves before the connection is closed.
    lingers: bool,
}

/// How long a connection that was left stays open for its last datagrams, in milliseconds.
const LINGER_MS: i32 = 100;

/// A name that no other client has.
pub(crate) fn random_identity() -> Result<[u8; 16], ConnectError> {
    let bytes = Uint8Array::new_with_length(16);
    // `Math.random` can be foreseen, and whoever knows a client's name can take its bodies.
    js::fill_random(&bytes)
        .map_err(|_| ConnectError::System { reason: "no random numbers".to_string() })?;
    let mut identity = [0; 16];
    bytes.copy_to(&mut identity);
    Ok(identity)
}

/// What the callbacks of the browser share with the transport.
#[derive(Debug)]
struct Shared {
    clock: Clock,
    state: RefCell<TransportState>,
    inbox: RefCell<ReceiveQueue>,
    sink: RefCell<Sink>,
}

#[derive(Debug)]
enum Sink {
    None,
    Stream(Stream),
    Socket(Socket),
}

impl Transport {
    /// Begins to connect.
    pub(crate) fn open(server: &str, trust: &Trust, clock: Clock) -> Result<Self, ConnectError> {
        host_and_port(server)?;
        let shared = Rc::new(Shared {
            clock,
            state: RefCell::new(TransportState::Connecting),
            inbox: RefCell::default(),
            sink: RefCell::new(Sink::None),
        });
        let (server, trust) = (server.to_string(), trust.clone());
        let running = shared.clone();
        spawn_local(async move { run(running, server, trust).await });
        Ok(Self { shared, lingers: false })
    }

    pub(crate) fn state(&self) -> TransportState {
        self.shared.state.borrow().clone()
    }

    /// What carries the datagrams, once it stands.
    pub(crate) fn name(&self) -> Option<&'static str> {
        let is_open = *self.shared.state.borrow() == TransportState::Open;
        match &*self.shared.sink.borrow() {
            Sink::Stream(_) if is_open => Some("webtransport"),
            Sink::Socket(_) if is_open => Some("websocket"),
            _ => None,
        }
    }

    /// Sends, if the connection stands and the browser keeps up.
    pub(crate) fn send(&mut self, datagram: &[u8]) {
        match &*self.shared.sink.borrow() {
            Sink::None => {}
            Sink::Stream(stream) => stream.send(datagram),
            Sink::Socket(socket) => socket.send(datagram),
        }
    }

    /// A browser cannot wait: the connection is closed a moment after this transport is dropped. A page
    /// that is closed meanwhile has handed its datagrams over.
    pub(crate) const fn flush(&mut self) {
        self.lingers = true;
    }

    pub(crate) fn receive(&mut self) -> Option<(SimTime, Vec<u8>)> {
        self.shared.inbox.borrow_mut().pop()
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.shared.inbox.borrow().dropped()
    }
}

impl Drop for Transport {
    fn drop(&mut self) {
        self.shared.end("left");
        // Dropping the sink closes what it holds.
        let sink = self.shared.sink.replace(Sink::None);
        if self.lingers {
            spawn_local(async move {
                js::pause(LINGER_MS).await;
                drop(sink);
            });
        }
    }
}

impl Shared {
    fn push_received(&self, datagram: Vec<u8>) {
        self.inbox.borrow_mut().push(self.clock.now(), datagram);
    }

    fn is_over(&self) -> bool {
        matches!(*self.state.borrow(), TransportState::Closed(_))
    }

    /// Ends it, if it has not ended already.
    fn end(&self, reason: &str) {
        if !self.is_over() {
            self.state.replace(TransportState::Closed(reason.to_string()));
        }
    }

    /// Uses this way out from now on.
    fn begin(&self, sink: Sink) {
        if !self.is_over() {
            self.sink.replace(sink);
            self.state.replace(TransportState::Open);
        }
    }
}

/// Tries WebTransport, then a WebSocket.
async fn run(shared: Rc<Shared>, server: String, trust: Trust) {
    let security = TcpSecurity::choose(&server, server_info::page_is_secure(), &trust);
    let info = ServerInfo::ask(&server, security).await;
    let hash = match trust {
        Trust::Pinned(sha256) => Some(sha256),
        Trust::SystemRoots | Trust::Plaintext => info.certificate_sha256,
    };
    if let Ok((stream, reader)) = Stream::open(&server, hash).await {
        shared.begin(Sink::Stream(stream));
        stream::read(&shared, &reader).await;
        return shared.end("the server closed the connection");
    }
    if !may_fall_back(&trust) {
        return shared
            .end("WebTransport does not reach the server, and a WebSocket cannot be pinned");
    }
    match Socket::open(&server, security, &shared) {
        Ok(socket) => {
            // Its callback reports when it is open; until then it drops what it is given.
            shared.sink.replace(Sink::Socket(socket));
        }
        Err(_) => shared.end("neither WebTransport nor WebSocket reaches the server"),
    }
}
