//! QUIC on the UDP port: one endpoint for browsers (WebTransport) and programs (bare datagrams).
//!
//! An address is charged for a connection only once it is proven, so nobody can spend another's
//! allowance with forged packets: unproven handshakes have few places, the rest first answer a
//! retry, and of their places nobody has more than others want.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::http::StatusCode;
use quinn::congestion::{Controller, ControllerFactory};
use quinn::crypto::rustls::{HandshakeData, QuicServerConfig};
use quinn::{
    AckFrequencyConfig, Connection, Endpoint, EndpointConfig, IdleTimeout, Incoming,
    TransportConfig, VarInt,
};
use socket2::SockRef;
use tokio::time::timeout;
use web_transport_quinn::{Request, Session};

use crate::admission::{Admission, Door, HandshakePlace, OpenConnection};
use crate::certificate::{ALPN_NATIVE, ALPN_WEB};
use crate::connection::Sink;
use crate::limits::Permit;
use crate::metrics::RejectReason;
use crate::settings::Limits;

/// HTTP/3 needs one request and a few control streams; native clients need none.
const REQUEST_STREAMS: u32 = 8;
const CONTROL_STREAMS: u32 = 16;
const STREAM_WINDOW_BYTES: u32 = 16 * 1024;
/// Received bytes that may wait in a connection before we have read them.
const RECEIVE_WINDOW_BYTES: u32 = 64 * 1024;
const HANDSHAKE_BYTES: u64 = 16 * 1024;
/// What may come in while we look away: what does not fit is lost, whoever sent it.
const SYSTEM_RECEIVE_BYTES: usize = 4 << 20;

/// Binds the endpoint.
pub(crate) fn bind(
    listen: SocketAddr,
    tls: Arc<QuicServerConfig>,
    limits: &Limits,
) -> std::io::Result<Endpoint> {
    let mut config = quinn::ServerConfig::with_crypto(tls);
    config.transport_config(Arc::new(transport(limits)));
    config.max_incoming(limits.pending_handshakes);
    config.incoming_buffer_size(HANDSHAKE_BYTES);
    config.incoming_buffer_size_total(HANDSHAKE_BYTES * limits.pending_handshakes as u64);
    let socket = std::net::UdpSocket::bind(listen)?;
    // As much as the system grants: its refusal costs patience with bursts, nothing else.
    let _ = SockRef::from(&socket).set_recv_buffer_size(SYSTEM_RECEIVE_BYTES);
    let runtime = Arc::new(quinn::TokioRuntime);
    Endpoint::new(EndpointConfig::default(), Some(config), socket, runtime)
}

fn transport(limits: &Limits) -> TransportConfig {
    let mut transport = TransportConfig::default();
    // The settings' check keeps this far below the largest idle time-out there is.
    let idle = IdleTimeout::try_from(limits.idle_timeout).ok();
    transport
        .max_idle_timeout(idle)
        .max_concurrent_bidi_streams(REQUEST_STREAMS.into())
        .max_concurrent_uni_streams(CONTROL_STREAMS.into())
        .stream_receive_window(STREAM_WINDOW_BYTES.into())
        .receive_window(RECEIVE_WINDOW_BYTES.into())
        .send_window(u64::from(RECEIVE_WINDOW_BYTES))
        .ack_frequency_config(Some(ack_frequency()))
        .datagram_receive_buffer_size(Some(limits.queued_datagrams * limits.datagram_bytes))
        .datagram_send_buffer_size(limits.send_buffer_bytes)
        .congestion_controller_factory(Arc::new(FixedWindow));
    transport
}

/// The host has acknowledgements of its own, which come 20 times a second; QUIC's can ride along
/// with them, instead of a packet for every second one of ours.
fn ack_frequency() -> AckFrequencyConfig {
    let mut acks = AckFrequencyConfig::default();
    acks.ack_eliciting_threshold(VarInt::from_u32(16)).max_ack_delay(Some(ACK_DELAY));
    acks
}

/// Twice the time between two datagrams of a client.
const ACK_DELAY: std::time::Duration = std::time::Duration::from_millis(100);

/// No congestion control beneath the host's: a fixed window.
///
/// The host gives each receiver a budget in bytes a second and sends the newest there is; a
/// window that shrinks at every loss would only make those updates old. The buffer of a few
/// datagrams above it drops the oldest, so nothing queues up here.
#[derive(Clone, Debug)]
struct FixedWindow;

/// A second and more of any budget that makes sense, on a path with a second of delay.
const WINDOW_BYTES: u64 = 1 << 20;

impl ControllerFactory for FixedWindow {
    fn build(self: Arc<Self>, _: std::time::Instant, _: u16) -> Box<dyn Controller> {
        Box::new(Self)
    }
}

impl Controller for FixedWindow {
    fn on_congestion_event(
        &mut self,
        _: std::time::Instant,
        _: std::time::Instant,
        _: bool,
        _: u64,
    ) {
    }

    fn on_mtu_update(&mut self, _: u16) {}

    fn window(&self) -> u64 {
        WINDOW_BYTES
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        WINDOW_BYTES
    }

    fn into_any(self: Box<Self>) -> Box<dyn std::any::Any> {
        self
    }
}

/// Accepts connections until the endpoint closes.
pub(crate) async fn accept(endpoint: Endpoint, admission: Arc<Admission>) {
    while let Some(incoming) = endpoint.accept().await {
        admit(incoming, &admission);
    }
}

fn admit(incoming: Incoming, admission: &Arc<Admission>) {
    if admission.reject_draining() {
        return incoming.refuse();
    }
    // Bans follow from floods over proven connections, so a forged address bans nobody.
    if admission.reject_banned(incoming.remote_address().ip()) {
        return incoming.refuse();
    }
    let address = incoming.remote_address().ip();
    let proven = incoming.remote_address_validated();
    if !proven && admission.is_busy() && incoming.may_retry() {
        // An error means that it is proven after all, which was just ruled out.
        let _ = incoming.retry();
        return;
    }
    let permit = if proven {
        let Some(permit) = admission.admit(Door::Quic, address) else { return incoming.refuse() };
        Some(permit)
    } else {
        None
    };
    let place =
        if proven { admission.proven_handshake(address) } else { admission.unproven_handshake() };
    let Some(place) = place else { return incoming.ignore() };
    tokio::spawn(serve(incoming, permit, place, admission.clone()));
}

/// One connection from handshake to end.
async fn serve(
    incoming: Incoming,
    permit: Option<Arc<Permit>>,
    place: HandshakePlace,
    admission: Arc<Admission>,
) {
    let patience = admission.limits.handshake_timeout;
    let shaken = tokio::select! {
        shaken = timeout(patience, shake_hands(incoming, &admission)) => shaken,
        () = place.displaced() => Ok(Err(RejectReason::Displaced)),
    };
    let session = match shaken.unwrap_or(Err(RejectReason::HandshakeTimeout)) {
        Ok(session) => session,
        Err(reason) => return admission.metrics.count_reject(reason),
    };
    drop(place);
    let address = session.remote_address().ip();
    let Some(permit) = permit.or_else(|| admission.admit(Door::Quic, address)) else {
        return session.close(0, b"too many connections from this address");
    };
    let Some(place) = admission.waiting_place(&permit) else {
        return session.close(0, b"the server is full");
    };
    let first = tokio::select! {
        first = admission.await_quic_token(&session, &permit) => first,
        () = admission.displaced(&place) => return session.close(0, b"too many that have not joined"),
    };
    let Some(first) = first else { return };
    let sink = Sink::Quic(Box::new(session.clone()));
    let connection = admission.open(permit, sink, place);
    for bytes in first {
        let _ = connection.receive(bytes);
    }
    let reason = receive(&session, &connection).await;
    session.close(0, reason);
}

/// Receives until the connection must end; says why.
async fn receive(session: &Session, connection: &OpenConnection) -> &'static [u8] {
    loop {
        tokio::select! {
            came = session.read_datagram() => {
                let Ok(bytes) = came else { return b"closed" };
                if !connection.receive(bytes) { return b"flood" }
            }
            () = connection.displaced() => return b"too many that have not joined",
        }
    }
}

async fn shake_hands(incoming: Incoming, admission: &Admission) -> Result<Session, RejectReason> {
    const FAILED: RejectReason = RejectReason::HandshakeFailed;
    let connection = incoming.await.map_err(|_| FAILED)?;
    match alpn(&connection).ok_or(FAILED)?.as_slice() {
        ALPN_NATIVE => Ok(Session::raw(connection)),
        ALPN_WEB => {
            let request = Request::accept(connection).await.map_err(|_| FAILED)?;
            if !admission.allows_origin(&request.headers, request.url.authority()) {
                let _ = request.reject(StatusCode::FORBIDDEN).await;
                return Err(RejectReason::Origin);
            }
            request.ok().await.map_err(|_| FAILED)
        }
        _ => Err(FAILED),
    }
}

fn alpn(connection: &Connection) -> Option<Vec<u8>> {
    connection.handshake_data()?.downcast::<HandshakeData>().ok()?.protocol
}

/// Closes all connections and waits a little for the peers to receive that.
pub(crate) async fn close(endpoint: Endpoint) {
    endpoint.close(VarInt::from_u32(0), b"the server shuts down");
    let _ = timeout(std::time::Duration::from_millis(500), endpoint.wait_idle()).await;
}
