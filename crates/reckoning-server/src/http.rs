//! The TCP port: the page, `/health`, `/metrics`, `/reckoning.json` and the WebSocket at `/ws`.
//!
//! Connections are taken by hand rather than by `axum::serve`, because each must pass the door,
//! be counted, and send its request before a deadline.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Request, State};
use axum::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::entrance::{Entrance, OpenLink};
use crate::limits::Visit;
use crate::link::{Outbox, Outlet};
use crate::metrics::{self, Refused};

/// Connections that the system may keep for us to take.
const BACKLOG: u32 = 256;
/// What the system may keep on the way out: a large buffer would only make updates old.
const SYSTEM_SEND_BYTES: u32 = 32 * 1024;
const SOCKET_BUFFER_BYTES: usize = 4 * 1024;
const REQUEST_BYTES: usize = 16 * 1024;

/// What the handlers share.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) entrance: Arc<Entrance>,
    /// The text of `/reckoning.json`.
    pub(crate) about: Arc<str>,
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
pub(crate) fn router(desk: Desk, page: Router) -> Router {
    let ours = Router::new()
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .route("/reckoning.json", get(about))
        .route("/ws", get(upgrade))
        .with_state(desk);
    ours.merge(page)
}

async fn health(State(desk): State<Desk>) -> impl IntoResponse {
    if desk.entrance.is_draining() {
        (StatusCode::SERVICE_UNAVAILABLE, "draining\n")
    } else {
        (StatusCode::OK, "ok\n")
    }
}

async fn metrics(State(desk): State<Desk>) -> impl IntoResponse {
    ([(CONTENT_TYPE, metrics::CONTENT_TYPE)], desk.entrance.metrics.openmetrics())
}

/// For pages from anywhere: it holds nothing secret.
async fn about(State(desk): State<Desk>) -> impl IntoResponse {
    let headers: [(HeaderName, &str); 3] = [
        (CONTENT_TYPE, "application/json"),
        (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (CACHE_CONTROL, "no-store"),
    ];
    (headers, desk.about.to_string())
}

async fn upgrade(
    State(desk): State<Desk>,
    axum::Extension(visit): axum::Extension<Arc<Visit>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    if desk.entrance.is_draining() {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    // A frame that is too long is refused before it is stored.
    let longest = desk.entrance.limits.datagram_bytes;
    upgrade
        .max_message_size(longest)
        .max_frame_size(longest)
        .read_buffer_size(SOCKET_BUFFER_BYTES)
        .write_buffer_size(0)
        .max_write_buffer_size(SOCKET_BUFFER_BYTES)
        .on_upgrade(move |socket| play(socket, visit, desk.entrance))
}

/// One WebSocket from upgrade to end.
async fn play(mut socket: WebSocket, visit: Arc<Visit>, entrance: Arc<Entrance>) {
    let outbox = Arc::new(Outbox::default());
    let Some(link) = entrance.open(visit, Outlet::Socket(outbox.clone())) else { return };
    let patience = entrance.limits.idle_timeout;
    loop {
        tokio::select! {
            came = timeout(patience, socket.recv()) => {
                let Ok(Some(Ok(message))) = came else { break };
                if !take(&link, message) { break }
            }
            datagram = outbox.next() => {
                let Some(datagram) = datagram else { break };
                let written = timeout(patience, socket.send(Message::Binary(datagram))).await;
                if !matches!(written, Ok(Ok(()))) { break }
            }
        }
    }
    let _ = timeout(std::time::Duration::from_millis(100), socket.send(Message::Close(None))).await;
}

/// Takes a message in; false when the connection must end.
fn take(link: &OpenLink, message: Message) -> bool {
    match message {
        Message::Binary(bytes) => link.receive(bytes),
        Message::Ping(_) | Message::Pong(_) => link.receive(bytes::Bytes::new()),
        Message::Text(_) | Message::Close(_) => false,
    }
}

/// Takes connections until the future is dropped.
pub(crate) async fn accept(listener: TcpListener, router: Router, entrance: Arc<Entrance>) {
    let places = Arc::new(Semaphore::new(entrance.limits.http_connections));
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return };
        let Ok((stream, from)) = listener.accept().await else {
            // Out of file handles, most likely: let some close.
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            continue;
        };
        let Some(visit) = entrance.visit(from.ip()) else { continue };
        let (router, entrance) = (router.clone(), entrance.clone());
        tokio::spawn(async move {
            serve(stream, visit, router, entrance).await;
            drop(place);
        });
    }
}

async fn serve(stream: TcpStream, visit: Arc<Visit>, router: Router, entrance: Arc<Entrance>) {
    // Small datagrams must not wait for more.
    let _ = stream.set_nodelay(true);
    let router = router.layer(axum::Extension(visit));
    let service = TowerToHyperService::new(router.into_service::<hyper::body::Incoming>());
    let served = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(entrance.limits.handshake_timeout)
        .max_buf_size(REQUEST_BYTES)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
    if served.is_err_and(|error| error.is_timeout()) {
        entrance.metrics.refused(Refused::HandshakeTimeout);
    }
}

/// A page for servers without one.
pub(crate) fn no_page() -> Router {
    Router::new().fallback(|_: Request<Body>| async {
        (StatusCode::NOT_FOUND, "no page here; see /health, /metrics and /reckoning.json\n")
    })
}
