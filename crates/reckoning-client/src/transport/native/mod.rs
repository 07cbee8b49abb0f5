//! Native transport: QUIC datagrams, on a network thread that all clients of the process share.

mod clock;
mod fetch;
mod fixed_window;
mod pins;
mod race;
mod trust;

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use quinn::{
    AckFrequencyConfig, ClientConfig, Connection, Endpoint, IdleTimeout, TransportConfig, VarInt,
};
use reckoning::SimTime;
use ring::rand::{SecureRandom, SystemRandom};
use tokio::runtime::{Builder, Handle};
use tokio::time::timeout;

use super::{ConnectError, ReceiveQueue, TransportState, Trust, host_and_port};
pub(crate) use clock::Clock;
pub use fetch::fetch;
use race::race;

/// A server that does not answer by then is tried anew.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// The first packet is repeated after three times this, then after twice as long, and so on: whoever
/// waits for a server that comes back is heard soon after it does.
const INITIAL_RTT: Duration = Duration::from_millis(100);
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);
const KEEP_ALIVE: Duration = Duration::from_secs(1);
/// Two rounds of a server.
const ACK_DELAY: Duration = Duration::from_millis(100);
/// A few datagrams: what waits longer is old.
const SEND_BUFFER_BYTES: usize = 4_800;
/// How long leaving waits for its last datagrams at most: fifty milliseconds.
const FLUSH_ROUND: Duration = Duration::from_millis(1);
const FLUSH_ROUNDS: u32 = 50;
const RECEIVE_BUFFER_BYTES: usize = 256 * 1_000;

/// A connection to a server, or the attempt at one.
#[derive(Debug)]
pub(crate) struct Transport {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    clock: Clock,
    state: Mutex<TransportState>,
    inbox: Mutex<ReceiveQueue>,
    connection: OnceLock<Connection>,
}

impl Transport {
    /// Begins to connect.
    pub(crate) fn open(server: &str, trust: &Trust, clock: Clock) -> Result<Self, ConnectError> {
        let (host, port) = host_and_port(server)?;
        let shared = Arc::new(Shared {
            clock,
            state: Mutex::new(TransportState::Connecting),
            inbox: Mutex::default(),
            connection: OnceLock::new(),
        });
        let (host, trust) = (host.to_string(), trust.clone());
        network()?.spawn(run(shared.clone(), host, port, trust));
        Ok(Self { shared })
    }

    pub(crate) fn state(&self) -> TransportState {
        lock(&self.shared.state).clone()
    }

    /// What carries the datagrams, once it stands.
    pub(crate) fn name(&self) -> Option<&'static str> {
        (self.state() == TransportState::Open).then_some("quic")
    }

    /// Sends, if the connection is open; the oldest that waits is dropped when there is no room.
    pub(crate) fn send(&mut self, datagram: &[u8]) {
        if let Some(connection) = self.shared.connection.get() {
            // A datagram that cannot go is lost, as any may be.
            let _ = connection.send_datagram(Bytes::copy_from_slice(datagram));
        }
    }

    /// Waits until all that was sent is on its way, for [`FLUSH_ROUNDS`] at most: a connection that
    /// is closed drops what still waits.
    pub(crate) fn flush(&mut self) {
        let Some(connection) = self.shared.connection.get() else { return };
        let is_empty = || connection.datagram_send_buffer_space() >= SEND_BUFFER_BYTES;
        for _ in 0..FLUSH_ROUNDS {
            if is_empty() || connection.close_reason().is_some() {
                break;
            }
            thread::sleep(FLUSH_ROUND);
        }
    }

    pub(crate) fn receive(&mut self) -> Option<(SimTime, Vec<u8>)> {
        lock(&self.shared.inbox).pop()
    }

    pub(crate) fn dropped(&self) -> u64 {
        lock(&self.shared.inbox).dropped()
    }
}

impl Drop for Transport {
    fn drop(&mut self) {
        *lock(&self.shared.state) = TransportState::Closed("left".to_string());
        if let Some(connection) = self.shared.connection.get() {
            connection.close(VarInt::from_u32(0), b"left");
        }
    }
}

/// A name that no other client has.
pub(crate) fn random_identity() -> Result<[u8; 16], ConnectError> {
    let mut identity = [0; 16];
    match SystemRandom::new().fill(&mut identity) {
        Ok(()) => Ok(identity),
        Err(_) => Err(ConnectError::System { reason: "no random numbers".to_string() }),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread that carries all connections of this process; it sleeps when there are none.
fn network() -> Result<&'static Handle, ConnectError> {
    static NETWORK: OnceLock<Result<Handle, String>> = OnceLock::new();
    let started = NETWORK.get_or_init(|| start_network().map_err(|error| error.to_string()));
    started.as_ref().map_err(|reason| ConnectError::System { reason: reason.clone() })
}

fn start_network() -> std::io::Result<Handle> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    let forever = move || runtime.block_on(std::future::pending::<()>());
    thread::Builder::new().name("reckoning-net".to_string()).spawn(forever)?;
    Ok(handle)
}

/// One connection from the first packet to the last.
async fn run(shared: Arc<Shared>, host: String, port: u16, trust: Trust) {
    let ended = match timeout(CONNECT_TIMEOUT, connect(&host, port, &trust)).await {
        Ok(Ok(connection)) => carry(&shared, connection).await,
        Ok(Err(reason)) => reason,
        Err(_) => format!("{host}:{port} does not answer"),
    };
    *lock(&shared.state) = TransportState::Closed(ended);
}

async fn connect(host: &str, port: u16, trust: &Trust) -> Result<Connection, String> {
    let found = tokio::net::lookup_host((host, port)).await.map_err(|error| error.to_string())?;
    let (host, trust): (Arc<str>, _) = (host.into(), trust.clone());
    race(found.collect(), &host, move |address, host| {
        let trust = trust.clone();
        async move { connect_to(address, &host, &trust).await }
    })
    .await
}

async fn connect_to(address: SocketAddr, host: &str, trust: &Trust) -> Result<Connection, String> {
    let any = match address {
        SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
    };
    let endpoint = Endpoint::client(any).map_err(|error| error.to_string())?;
    let mut config = ClientConfig::new(Arc::new(trust::quic(address.ip(), trust)?));
    config.transport_config(Arc::new(transport()));
    let connecting = endpoint.connect_with(config, address, host).map_err(|it| it.to_string())?;
    connecting.await.map_err(|error| error.to_string())
}

fn transport() -> TransportConfig {
    let mut transport = TransportConfig::default();
    transport
        .initial_rtt(INITIAL_RTT)
        .max_idle_timeout(IdleTimeout::try_from(IDLE_TIMEOUT).ok())
        .keep_alive_interval(Some(KEEP_ALIVE))
        .max_concurrent_bidi_streams(VarInt::from_u32(0))
        .max_concurrent_uni_streams(VarInt::from_u32(0))
        .ack_frequency_config(Some(ack_frequency()))
        .datagram_send_buffer_size(SEND_BUFFER_BYTES)
        .datagram_receive_buffer_size(Some(RECEIVE_BUFFER_BYTES))
        .congestion_controller_factory(Arc::new(fixed_window::FixedWindow));
    transport
}

/// Sessions have acknowledgements of their own; the server's QUIC can let its ride along with
/// what it sends 20 times a second, instead of a packet for every second one of ours.
fn ack_frequency() -> AckFrequencyConfig {
    let mut acks = AckFrequencyConfig::default();
    acks.ack_eliciting_threshold(VarInt::from_u32(16)).max_ack_delay(Some(ACK_DELAY));
    acks
}

/// Moves received datagrams into the inbox until the connection ends; returns why it did.
async fn carry(shared: &Shared, connection: Connection) -> String {
    let connection = shared.connection.get_or_init(|| connection);
    {
        let mut state = lock(&shared.state);
        if let TransportState::Closed(reason) = &*state {
            connection.close(VarInt::from_u32(0), b"left");
            return reason.clone();
        }
        *state = TransportState::Open;
    }
    loop {
        match connection.read_datagram().await {
            Ok(datagram) => lock(&shared.inbox).push(shared.clock.now(), datagram.to_vec()),
            Err(error) => return error.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use reckoning_server::{Relay, Running, Server, settings};

    use super::*;

    fn serve() -> Running {
        let table = settings::parse("listen = '127.0.0.1:0'\nlog = 'error'").unwrap();
        let settings = reckoning_server::Settings::from_table(table).unwrap();
        Server::new(settings).start(Relay::default()).unwrap()
    }

    /// `localhost` may stand for several addresses, of which only the last serves.
    #[test]
    fn an_address_that_swallows_packets_does_not_use_up_the_time_of_the_next() {
        let server = serve();
        let serves = server.address();
        for swallows in ["[::1]", "127.0.0.2"] {
            // A machine without IPv6 has the second one.
            let swallows = format!("{swallows}:{}", serves.port()).parse::<SocketAddr>().unwrap();
            let Ok(_silent) = UdpSocket::bind(swallows) else { continue };
            let raced = async {
                let name = Arc::from("localhost");
                timeout(
                    CONNECT_TIMEOUT,
                    race(vec![swallows, serves], &name, |address, name| async move {
                        connect_to(address, &name, &Trust::default()).await
                    }),
                )
                .await
            };
            let connected = network().unwrap().block_on(raced);
            assert!(matches!(connected, Ok(Ok(_))), "{swallows} first: {connected:?}");
        }
    }
}
