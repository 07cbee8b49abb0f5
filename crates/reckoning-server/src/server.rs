//! The server: construction and start.

use std::any::Any;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::Router;
use reckoning_net::{Host, HostConfig};
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};
use tokio_rustls::TlsAcceptor;

use crate::admission::Admission;
use crate::certificate::{CertificateStore, IdentityError};
use crate::clock::{Clock, unix_seconds};
use crate::config::{self, ServerInfo};
use crate::connection::{self, MAX_QUEUED_BATCHES, SendBatch};
use crate::game::Game;
use crate::health::{Health, ThreadFailure, Worker};
use crate::http::{self, HttpState};
use crate::join_auth::JoinAuth;
use crate::metrics::Metrics;
use crate::operator::{self, Operator};
use crate::quic;
use crate::record::{RecordedKinds, Recorder, RecordingInfo};
use crate::running::{Running, join};
use crate::settings::{Access, Http, OperatorListen, Settings, SettingsError};
use crate::tick::{LoopState, TickLoop};
use crate::token::{KeyFileError, TokenKey, TokenKeyError, TokenPolicy, TokenScope, to_hex};

/// A server before it starts.
pub struct Server {
    settings: Settings,
    host: HostConfig,
    page: Router,
    info: RecordingInfo,
}

/// Why a server did not start.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The port could not be taken.
    Listen {
        /// Which.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
    /// The operators' port could not be taken.
    Operator {
        /// Which.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
    /// No certificate.
    Identity(IdentityError),
    /// A file could not be read or written.
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The key file holds no key.
    Key {
        /// Which.
        path: PathBuf,
        /// Why.
        error: TokenKeyError,
    },
    /// A setting is out of its range, or contradicts another.
    Settings(SettingsError),
    /// The host refused its settings.
    Host(reckoning::ConfigError),
    /// The system gave no threads.
    Threads(io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listen { address, error } => {
                write!(f, "cannot listen on {address}: {error}; choose another with --listen")
            }
            Self::Operator { address, error } => {
                write!(f, "cannot listen on {address}: {error}; choose another operator_listen")
            }
            Self::Identity(error) => error.fmt(f),
            Self::File { path, error } => {
                write!(f, "{}: {error}; check the path and its permissions", path.display())
            }
            Self::Key { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Settings(error) => error.fmt(f),
            Self::Host(error) => write!(f, "settings of the host: {error}"),
            Self::Threads(error) => {
                write!(f, "no thread to run on: {error}; raise the system's limit of threads")
            }
        }
    }
}

impl std::error::Error for ServeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Listen { error, .. }
            | Self::Operator { error, .. }
            | Self::File { error, .. }
            | Self::Threads(error) => Some(error),
            Self::Identity(error) => Some(error),
            Self::Key { error, .. } => Some(error),
            Self::Settings(error) => Some(error),
            Self::Host(error) => Some(error),
        }
    }
}

impl Server {
    /// A server of these settings, with a host to suit them and no page.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let (host, page) = (config::host(&settings), http::no_page());
        Self { host, settings, page, info: RecordingInfo::default() }
    }

    /// Plays by these rules of replication instead; see [`host_config`](crate::host_config).
    pub fn set_host(&mut self, host: HostConfig) {
        self.host = host;
    }

    /// Serves this page beside the server's own paths.
    pub fn set_page(&mut self, page: Router) {
        self.page = page;
    }

    /// Describes the game in recordings.
    pub fn set_recording_info(&mut self, info: RecordingInfo) {
        self.info = info;
    }

    /// Starts, and returns once it listens.
    ///
    /// # Errors
    /// When a setting is out of its range, a port is taken, or a file is not what it should be.
    pub fn start(self, game: impl Game + 'static) -> Result<Running, ServeError> {
        let Self { settings, host, page, info } = self;
        check(&settings)?;
        let certificates = CertificateStore::new(&settings.certificate, unix_seconds())
            .map_err(ServeError::Identity)?;
        let host = Host::new(host).map_err(ServeError::Host)?;
        let tokens = token_policy(&settings)?.map(Arc::new);
        let join_auth = JoinAuth::new(tokens.clone(), settings.access);
        let needed = tokens.clone().filter(|_| settings.access == Access::Token);
        let metrics = Arc::new(Metrics::default());
        let (clock, stop) = (Clock::start(), Arc::new(AtomicBool::new(false)));
        let health = Arc::new(Health::new(clock));
        let recorder = recorder(&settings, &info, &host, &metrics, &health)?;
        let recording = recorder.as_ref().map(|it| it.path().to_path_buf());
        let (events, connection_events) = channel();
        let (counted, checked) = (metrics.clone(), health.clone());
        let admission = Admission::new(clock, &settings, counted, checked, needed, events);
        let admission = Arc::new(admission);
        let (batches, sent) = mpsc::channel(MAX_QUEUED_BATCHES);
        let operators = settings.operator_listen;
        let https = acceptor(&certificates, settings.http != Http::Plain)?;
        let network = Network::start(&settings, &certificates, page, admission.clone(), sent)?;
        let port = network.address.port();
        let operator = Operator::start(operators, port, https, admission.clone())?;
        let state = LoopState::new(settings.limits.datagram_bytes);
        let tick_loop = TickLoop {
            clock,
            settings: settings.clone(),
            host,
            game: Box::new(game),
            join_auth,
            metrics: metrics.clone(),
            health: health.clone(),
            connection_events,
            recorder,
            stop: stop.clone(),
            batches,
            state,
        };
        let ticks = Some(spawn(Worker::Tick, &health, move || tick_loop.run())?);
        let (address, sha256) = (network.address, certificates.current().sha256());
        tracing::info!(%address, certificate = %to_hex(&sha256), "listening");
        if let Some(operator) = &operator {
            tracing::info!(address = %operator.address, "health and metrics");
        }
        Ok(Running {
            address,
            certificates,
            settings,
            tokens,
            metrics,
            health,
            recording,
            admission,
            stop,
            network,
            operator,
            ticks,
        })
    }
}

/// However settings came, from a file or filled in by the program: wrong ones are refused here, and
/// those that may not be meant are reported.
fn check(settings: &Settings) -> Result<(), ServeError> {
    settings.validate().map_err(ServeError::Settings)?;
    for warning in settings.warnings() {
        tracing::warn!("{warning}");
    }
    Ok(())
}

/// TLS for connections over TCP, where it is wanted.
fn acceptor(
    certificates: &Arc<CertificateStore>,
    is_wanted: bool,
) -> Result<Option<TlsAcceptor>, ServeError> {
    let tls = is_wanted.then(|| certificates.tcp()).transpose();
    Ok(tls.map_err(ServeError::Identity)?.map(TlsAcceptor::from))
}

/// Which tokens are taken; `None` where none are.
fn token_policy(settings: &Settings) -> Result<Option<TokenPolicy>, ServeError> {
    let Some(key) = token_key(settings)? else { return Ok(None) };
    let file = settings.token_revoked_file.clone();
    let failed = |error| ServeError::File { path: file.clone().unwrap_or_default(), error };
    TokenPolicy::new(key, file.clone(), unix_seconds()).map(Some).map_err(failed)
}

/// The key of this server's tokens, if it has one.
pub(crate) fn token_key(settings: &Settings) -> Result<Option<TokenKey>, ServeError> {
    let Some(path) = &settings.token_key_file else { return Ok(None) };
    let key = TokenKey::from_file(path).map_err(|error| match error {
        KeyFileError::File { path, error } => ServeError::File { path, error },
        KeyFileError::Key { path, error } => ServeError::Key { path, error },
    })?;
    let scope = TokenScope {
        server: settings.token_server.clone(),
        audience: settings.token_audience.clone(),
    };
    let wrong = |error| ServeError::Key { path: path.clone(), error };
    key.for_scope(scope).map(Some).map_err(wrong)
}

fn recorder(
    settings: &Settings,
    info: &RecordingInfo,
    host: &Host,
    metrics: &Arc<Metrics>,
    health: &Arc<Health>,
) -> Result<Option<Recorder>, ServeError> {
    let path = || settings.recording.folder.clone().unwrap_or_default();
    let kinds = RecordedKinds::new(&host.config().kinds);
    Recorder::start(&settings.recording, info, kinds, metrics.clone(), health.clone())
        .map_err(|error| ServeError::File { path: path(), error })
}

pub(crate) fn spawn(
    worker: Worker,
    health: &Arc<Health>,
    work: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, ServeError> {
    let health = health.clone();
    let named = thread::Builder::new().name(worker.to_string());
    named.spawn(move || health.run(worker, work)).map_err(ServeError::Threads)
}

/// The thread that carries all sockets.
pub(crate) struct Network {
    address: SocketAddr,
    close: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Network {
    fn start(
        settings: &Settings,
        certificates: &Arc<CertificateStore>,
        page: Router,
        admission: Arc<Admission>,
        batches: mpsc::Receiver<SendBatch>,
    ) -> Result<Self, ServeError> {
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(ServeError::Threads)?;
        let tls = certificates.quic().map_err(ServeError::Identity)?;
        let https = acceptor(certificates, settings.is_https())?;
        let within = runtime.enter();
        let (listener, endpoint) = listen(settings, tls)?;
        drop(within);
        let failed = |error| ServeError::Listen { address: settings.listen, error };
        let address = listener.local_addr().map_err(failed)?;
        let server_info = ServerInfo::new(settings, certificates.clone(), address.port()).into();
        let page = match settings.operator_listen {
            OperatorListen::Public => operator::router(admission.clone()).merge(page),
            _ => page,
        };
        let certificates = certificates.clone();
        let router = http::router(HttpState { admission: admission.clone(), server_info }, page);
        let (close, closed) = oneshot::channel();
        let health = admission.health.clone();
        let watched = health.clone();
        let thread = spawn(Worker::Network, &health, move || {
            runtime.block_on(async {
                let tasks = [
                    tokio::spawn(http::accept(listener, https, router, admission.clone())),
                    tokio::spawn(quic::accept(endpoint.clone(), admission)),
                    tokio::spawn(connection::carry(batches)),
                    tokio::spawn(refresh(certificates)),
                ];
                let [http, quic, carry, refresh] = tasks.map(panic_of);
                let panic = tokio::select! {
                    // A dropped sender means the same.
                    _ = closed => None,
                    () = beat(Worker::Network, &watched) => None,
                    panic = http => Some(panic),
                    panic = quic => Some(panic),
                    panic = carry => Some(panic),
                    panic = refresh => Some(panic),
                };
                if let Some(panic) = panic {
                    watched.note_panic(Worker::Network, panic.as_ref());
                }
                quic::close(endpoint).await;
            });
        })?;
        Ok(Self { address, close: Some(close), thread: Some(thread) })
    }

    pub(crate) fn close(
        &mut self,
        failure: impl Fn() -> Option<ThreadFailure>,
    ) -> Option<ThreadFailure> {
        self.close = None;
        join(self.thread.take()?, failure)
    }
}

/// Signs of life of a thread that carries sockets, as long as it gets round to them.
pub(crate) async fn beat(worker: Worker, health: &Health) {
    loop {
        health.beat(worker, health.now() + BEAT_EVERY);
        tokio::time::sleep(BEAT_EVERY).await;
    }
}

/// Time between two signs of life of a thread that carries sockets.
const BEAT_EVERY: Duration = Duration::from_millis(250);

/// What a task that the server cannot do without panicked with; never returns if it ends in order.
pub(crate) async fn panic_of(task: tokio::task::JoinHandle<()>) -> Box<dyn Any + Send> {
    match task.await.map_err(tokio::task::JoinError::try_into_panic) {
        Err(Ok(panic)) => panic,
        _ => std::future::pending().await,
    }
}

/// How often files of a certificate are looked at, and whether a made one is about to end.
const REFRESH_EVERY: Duration = Duration::from_secs(1);

/// Keeps the certificate fresh until the future is dropped.
async fn refresh(certificates: Arc<CertificateStore>) {
    loop {
        tokio::time::sleep(REFRESH_EVERY).await;
        let certificates = certificates.clone();
        // Files may be slow, and this thread carries all sockets.
        let _ = tokio::task::spawn_blocking(move || {
            if let Some(result) = certificates.refresh(unix_seconds()) {
                report_reload(&certificates, &result);
            }
        })
        .await;
    }
}

pub(crate) fn report_reload(certificates: &CertificateStore, result: &Result<(), IdentityError>) {
    match result {
        Ok(()) => {
            let sha256 = to_hex(&certificates.current().sha256());
            tracing::info!(certificate = %sha256, "new connections get another certificate");
        }
        Err(error) => tracing::error!(%error, "the certificate was not replaced"),
    }
}

/// Takes both ports. With port 0 the system chooses one for TCP, which may be taken for UDP;
/// then it chooses again.
fn listen(
    settings: &Settings,
    tls: quinn::crypto::rustls::QuicServerConfig,
) -> Result<(tokio::net::TcpListener, quinn::Endpoint), ServeError> {
    let address = settings.listen;
    let failed = |error| ServeError::Listen { address, error };
    let tls = Arc::new(tls);
    let mut tries = if address.port() == 0 { 20 } else { 1 };
    loop {
        tries -= 1;
        let listener = http::bind(address).map_err(failed)?;
        let chosen = listener.local_addr().map_err(failed)?;
        match quic::bind(chosen, tls.clone(), &settings.limits) {
            Ok(endpoint) => return Ok((listener, endpoint)),
            Err(error) if tries == 0 => return Err(failed(error)),
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Relay;
    use crate::settings::Access;

    /// The reason why a server of changed settings does not start.
    fn refused(change: impl FnOnce(&mut Settings)) -> String {
        let mut settings = Settings::default();
        settings.listen.set_port(0);
        change(&mut settings);
        match Server::new(settings).start(Relay::default()) {
            Ok(running) => {
                running.stop();
                "it started".to_owned()
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn settings_filled_in_by_a_program_are_validated_too() {
        assert_eq!(refused(|_| {}), "it started");
        assert!(refused(|it| it.access = Access::Token).contains("token_key_file"));
        assert!(refused(|it| it.tick_hz = 0).contains("tick_hz"));
        assert!(refused(|it| it.replication.rounds_hz = 0).contains("replication.rounds_hz"));
        assert!(refused(|it| it.recording.rate_hz = 0).contains("recording.rate_hz"));
        let speed = refused(|it| it.guard.top_speed_mps = f64::NAN);
        assert!(speed.contains("guard.top_speed_mps"), "{speed}");
    }
}
