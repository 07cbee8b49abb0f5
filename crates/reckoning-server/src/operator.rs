//! `/health` and `/metrics`, for whoever runs the server: on an address and a thread of their own.
//!
//! By default that address is on loopback, so strangers do not reach it; elsewhere it speaks TLS, as the
//! port for players does. The thread is not the one
//! that carries players: a flood that keeps it busy does not keep health from being told.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;
use axum::routing::get;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::{Semaphore, oneshot};
use tokio_rustls::TlsAcceptor;

use crate::admission::Admission;
use crate::health::{ThreadFailure, Worker};
use crate::http;
use crate::metrics;
use crate::running::join;
use crate::server::{ServeError, beat, panic_of, spawn};
use crate::settings::OperatorListen;

/// Connections at once: some scrapers and an operator with a browser.
const CONNECTIONS: usize = 32;
/// A request is made and answered within this.
const PATIENCE: Duration = Duration::from_secs(5);

/// The paths for operators.
pub(crate) fn router(admission: Arc<Admission>) -> Router {
    Router::new()
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .with_state(admission)
}

/// Who watches over servers wants to know whether to send players here.
async fn health(State(admission): State<Arc<Admission>>) -> impl IntoResponse {
    let health = admission.health.state();
    let code = if health.is_serving() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (code, [(CACHE_CONTROL, "no-store")], format!("{health}\n"))
}

async fn metrics(State(admission): State<Arc<Admission>>) -> impl IntoResponse {
    ([(CONTENT_TYPE, metrics::CONTENT_TYPE)], admission.metrics.openmetrics())
}

/// The thread that answers operators.
pub(crate) struct Operator {
    pub(crate) address: SocketAddr,
    close: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Operator {
    /// Starts as the setting says, beside players on `port`; `None` when there is no address for it.
    pub(crate) fn start(
        setting: OperatorListen,
        port: u16,
        tls: Option<TlsAcceptor>,
        admission: Arc<Admission>,
    ) -> Result<Option<Self>, ServeError> {
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(ServeError::Threads)?;
        let within = runtime.enter();
        let listener = match setting {
            OperatorListen::Auto => beside(port),
            OperatorListen::At(address) => bind(address),
            OperatorListen::Public | OperatorListen::Nowhere => return Ok(None),
        }?;
        drop(within);
        let address = listener.local_addr().map_err(ServeError::Threads)?;
        let tls = tls.filter(|_| !address.ip().to_canonical().is_loopback());
        let (close, closed) = oneshot::channel::<()>();
        let health = admission.health.clone();
        let watched = health.clone();
        let thread = spawn(Worker::Operator, &health, move || {
            runtime.block_on(async {
                let accepting = panic_of(tokio::spawn(accept(listener, tls, admission)));
                tokio::select! {
                    // A dropped sender means the same.
                    _ = closed => {}
                    () = beat(Worker::Operator, &watched) => {}
                    panic = accepting => watched.note_panic(Worker::Operator, panic.as_ref()),
                }
            });
        })?;
        Ok(Some(Self { address, close: Some(close), thread: Some(thread) }))
    }

    pub(crate) fn close(
        &mut self,
        failure: impl Fn() -> Option<ThreadFailure>,
    ) -> Option<ThreadFailure> {
        self.close = None;
        join(self.thread.take()?, failure)
    }
}

fn bind(address: SocketAddr) -> Result<TcpListener, ServeError> {
    http::bind(address).map_err(|error| ServeError::Operator { address, error })
}

/// On loopback, on the port after that of the players; where that is taken, on any.
fn beside(port: u16) -> Result<TcpListener, ServeError> {
    let on = |port| bind((Ipv4Addr::LOCALHOST, port).into());
    port.checked_add(1).map_or_else(|| on(0), |next| on(next).or_else(|_| on(0)))
}

async fn accept(listener: TcpListener, tls: Option<TlsAcceptor>, admission: Arc<Admission>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let (tls, admission) = (tls.clone(), admission.clone());
        tokio::spawn(async move {
            let _ = tokio::time::timeout(2 * PATIENCE, serve(stream, tls, admission)).await;
            drop(place);
        });
    }
}

async fn serve(stream: TcpStream, tls: Option<TlsAcceptor>, admission: Arc<Admission>) {
    let router = router(admission.clone());
    let served = match tls {
        None => http::serve_stream(stream, router, PATIENCE).await,
        Some(tls) => match http::shake_hands(&tls, stream, &admission).await {
            Some(stream) => http::serve_stream(stream, router, PATIENCE).await,
            None => return,
        },
    };
    // Whoever left in the middle of an answer did not want it.
    let _ = served;
}
