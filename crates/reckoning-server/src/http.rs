//! HTTP on the TCP port: the page, `/reckoning.json` and the WebSocket at `/ws`. What is for operators is
//! in [`operator`](crate::operator).
//!
//! Connections are accepted by hand rather than by `axum::serve`, because each must pass the limiter,
//! be counted, shake hands for TLS where the settings want it, and send its request before a deadline.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HOST, RETRY_AFTER,
};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::admission::{Admission, Door, OpenConnection};
use crate::config::ServerInfo;
use crate::connection::{Sink, SocketOutbox};
use crate::forwarded;
use crate::limits::Permit;
use crate::metrics::RejectReason;
use crate::places::Place;

/// Connections that the system may keep for us to take.
const BACKLOG: u32 = 256;
/// What the system may keep on the way out: a large buffer would only make updates old.
const SYSTEM_SEND_BYTES: u32 = 32 * 1024;
const SOCKET_BUFFER_BYTES: usize = 4 * 1024;
const REQUEST_BYTES: usize = 16 * 1024;
/// A connection for requests ends after this; a WebSocket is none any more.
const MAX_REQUESTS: std::time::Duration = std::time::Duration::from_mins(2);

/// State that the handlers share.
#[derive(Clone)]
pub(crate) struct HttpState {
    pub(crate) admission: Arc<Admission>,
    pub(crate) server_info: Arc<ServerInfo>,
}

/// Binds the port.
pub(crate) fn bind(listen: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if listen.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(SYSTEM_SEND_BYTES)?;
    socket.bind(listen)?;
    socket.listen(BACKLOG)
}

/// Our routes over the caller's page.
pub(crate) fn router(state: HttpState, page: Router) -> Router {
    let ours = Router::new()
        .route("/reckoning.json", get(server_info))
        .route("/ws", get(upgrade))
        .with_state(state.clone());
    ours.merge(page).layer(from_fn_with_state(state, gate))
}

/// Who asks, as far as the connection tells.
#[derive(Clone)]
struct Caller {
    address: IpAddr,
    /// None for a proxy, which asks for others.
    permit: Option<Arc<Permit>>,
}

/// Charges a request to whoever makes it.
async fn gate(
    State(state): State<HttpState>,
    Extension(caller): Extension<Caller>,
    mut request: Request,
    next: Next,
) -> Response {
    let admission = &state.admission;
    let permit = caller.permit.or_else(|| {
        let client = forwarded::client(request.headers(), &admission.proxies);
        admission.admit(Door::Http, client.unwrap_or(caller.address))
    });
    let Some(permit) = permit else { return too_many() };
    if !permit.may_request(admission.clock.now()) {
        admission.metrics.count_reject(RejectReason::Requests);
        return too_many();
    }
    request.extensions_mut().insert(permit);
    next.run(request).await
}

fn too_many() -> Response {
    let headers = [(CONNECTION, "close"), (RETRY_AFTER, "1")];
    (StatusCode::TOO_MANY_REQUESTS, headers, "too many requests\n").into_response()
}

/// For pages from anywhere: it holds nothing secret.
async fn server_info(State(state): State<HttpState>) -> impl IntoResponse {
    let headers: [(HeaderName, &str); 3] = [
        (CONTENT_TYPE, "application/json"),
        (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (CACHE_CONTROL, "no-store"),
    ];
    (headers, state.server_info.text())
}

async fn upgrade(
    State(state): State<HttpState>,
    Extension(permit): Extension<Arc<Permit>>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if !state.admission.allows_origin(&headers, host) {
        state.admission.metrics.count_reject(RejectReason::Origin);
        return (StatusCode::FORBIDDEN, "pages of this origin may not connect\n").into_response();
    }
    if state.admission.reject_draining() {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    // A frame that is too long is refused before it is stored.
    let longest = state.admission.limits.datagram_bytes;
    upgrade
        .max_message_size(longest)
        .max_frame_size(longest)
        .read_buffer_size(SOCKET_BUFFER_BYTES)
        .write_buffer_size(0)
        .max_write_buffer_size(SOCKET_BUFFER_BYTES)
        .on_upgrade(move |socket| play(socket, permit, state.admission))
}

/// One WebSocket from upgrade to end.
async fn play(mut socket: WebSocket, permit: Arc<Permit>, admission: Arc<Admission>) {
    let Some(place) = admission.waiting_place(&permit) else { return };
    let first = tokio::select! {
        first = admission.await_socket_token(&mut socket, &permit) => first,
        () = admission.displaced(&place) => None,
    };
    let Some(first) = first else { return };
    let outbox = Arc::new(SocketOutbox::default());
    let connection = admission.open(permit, Sink::Socket(outbox.clone()), place);
    for bytes in first {
        let _ = connection.receive(bytes);
    }
    let patience = admission.limits.idle_timeout;
    loop {
        tokio::select! {
            came = timeout(patience, socket.recv()) => {
                let Ok(Some(Ok(message))) = came else { break };
                if !take(&connection, message) { break }
            }
            datagram = outbox.next() => {
                let Some(datagram) = datagram else { break };
                let written = timeout(patience, socket.send(Message::Binary(datagram))).await;
                if !matches!(written, Ok(Ok(()))) { break }
            }
            () = connection.displaced() => break,
        }
    }
    let _ = timeout(std::time::Duration::from_millis(100), socket.send(Message::Close(None))).await;
}

/// Handles a message; false when the connection must end.
fn take(connection: &OpenConnection, message: Message) -> bool {
    match message {
        Message::Binary(bytes) => connection.receive(bytes),
        Message::Ping(_) | Message::Pong(_) => connection.receive(bytes::Bytes::new()),
        Message::Text(_) | Message::Close(_) => false,
    }
}

/// Accepts connections until the future is dropped; over TLS where there is an acceptor.
pub(crate) async fn accept(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    admission: Arc<Admission>,
) {
    loop {
        let Ok((stream, from)) = listener.accept().await else {
            // Out of file handles, most likely: let some close.
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            continue;
        };
        let address = from.ip();
        let (tls, router) = (tls.clone(), router.clone());
        if forwarded::is_trusted(address, &admission.proxies) {
            let Some(place) = admission.proxied() else { continue };
            let caller = Caller { address, permit: None };
            let serving = serve_caller(stream, caller, tls, router, admission.clone());
            tokio::spawn(async move {
                serving.await;
                drop(place);
            });
        } else {
            let Some(permit) = admission.admit(Door::Http, address) else { continue };
            let Some(place) = admission.request(address) else { continue };
            let caller = Caller { address, permit: Some(permit) };
            let serving = serve_caller(stream, caller, tls, router, admission.clone());
            tokio::spawn(serve_within(serving, place, admission.clone()));
        }
    }
}

/// Serves until the place is needed for someone else.
async fn serve_within(serving: impl Future<Output = ()>, place: Place, admission: Arc<Admission>) {
    let displaced = place.displaced();
    tokio::select! {
        // A page that is read so slowly is not read by anyone.
        _ = timeout(MAX_REQUESTS, serving) => {}
        () = displaced.notified() => admission.metrics.count_reject(RejectReason::Displaced),
    }
}

async fn serve_caller(
    stream: TcpStream,
    caller: Caller,
    tls: Option<TlsAcceptor>,
    router: Router,
    admission: Arc<Admission>,
) {
    // Small datagrams must not wait for more.
    let _ = stream.set_nodelay(true);
    match tls {
        None => serve(stream, caller, router, admission).await,
        Some(tls) => {
            if let Some(stream) = shake_hands(&tls, stream, &admission).await {
                serve(stream, caller, router, admission).await;
            }
        }
    }
}

/// What a browser is told that speaks plain HTTP to a port that does not.
const USE_HTTPS: &[u8] =
    b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n\
    this server speaks TLS; write https:// in front of its address\n";
/// The first byte of whoever begins a TLS handshake.
const TLS_HANDSHAKE: u8 = 0x16;

/// TLS for a connection; `None`, and counted, when that fails.
pub(crate) async fn shake_hands(
    tls: &TlsAcceptor,
    stream: TcpStream,
    admission: &Admission,
) -> Option<TlsStream<TcpStream>> {
    let shaken = timeout(admission.limits.handshake_timeout, async {
        let mut first = [TLS_HANDSHAKE];
        stream.peek(&mut first).await.ok()?;
        if first[0] != TLS_HANDSHAKE {
            return refuse_plain(stream).await;
        }
        tls.accept(stream).await.ok()
    });
    let reason = match shaken.await {
        Ok(Some(stream)) => return Some(stream),
        Ok(None) => RejectReason::HandshakeFailed,
        Err(_) => RejectReason::HandshakeTimeout,
    };
    admission.metrics.count_reject(reason);
    None
}

/// Says that TLS is spoken here.
async fn refuse_plain<T>(mut stream: TcpStream) -> Option<T> {
    // What is left unread would make the system reset the connection, and our words with it.
    let (mut request, mut length) = ([0; 4_096], 0);
    while let Some(room) = request.get_mut(length..).filter(|it| !it.is_empty()) {
        length += stream.read(room).await.ok().filter(|read| *read > 0)?;
        if request.get(..length).is_some_and(|it| it.ends_with(b"\r\n\r\n")) {
            break;
        }
    }
    let _ = stream.write_all(USE_HTTPS).await;
    let _ = stream.shutdown().await;
    None
}

async fn serve<S>(stream: S, caller: Caller, router: Router, admission: Arc<Admission>)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let router = router.layer(Extension(caller));
    let patience = admission.limits.handshake_timeout;
    if serve_stream(stream, router, patience).await.is_err_and(|error| error.is_timeout()) {
        admission.metrics.count_reject(RejectReason::HandshakeTimeout);
    }
}

/// Serves the requests of one connection; each must be through within `patience`.
pub(crate) async fn serve_stream<S>(
    stream: S,
    router: Router,
    patience: std::time::Duration,
) -> hyper::Result<()>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let service = TowerToHyperService::new(router.into_service::<hyper::body::Incoming>());
    hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(REQUEST_BYTES)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await
}

/// A page for servers without one.
pub(crate) fn no_page() -> Router {
    Router::new().fallback(|_: Request<Body>| async {
        (StatusCode::NOT_FOUND, "no page here; see /reckoning.json\n")
    })
}
