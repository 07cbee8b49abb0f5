//! A server that runs: what it tells, and how it is reloaded, drained and stopped.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::admission::{Admission, Reload};
use crate::certificate::{CertificateStore, IdentityError};
use crate::clock::unix_seconds;
use crate::health::{Health, HealthState, PATIENCE, ThreadFailure};
use crate::logs;
use crate::metrics::Metrics;
use crate::notify::Notifier;
use crate::operator::Operator;
use crate::server::{Network, ServeError, report_reload, token_key};
use crate::settings::{CHANGEABLE, Settings};
use crate::signals::{Signal, Signals};
use crate::token::TokenPolicy;

/// Time between two looks at the threads.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Looks in a row that must find a thread overdue before the process ends: after a suspension of
/// the whole process every thread is overdue until it has run.
const LOOKS: u32 = 5;
/// How long one waits for a thread to end once some thread has failed.
const LEAVE_AFTER: Duration = Duration::from_secs(1);
const JOIN_STEP: Duration = Duration::from_millis(2);

/// A server that runs. Dropping it stops it as [`Running::stop`] does.
pub struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) certificates: Arc<CertificateStore>,
    pub(crate) settings: Settings,
    pub(crate) tokens: Option<Arc<TokenPolicy>>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) health: Arc<Health>,
    pub(crate) recording: Option<PathBuf>,
    pub(crate) admission: Arc<Admission>,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) network: Network,
    pub(crate) operator: Option<Operator>,
    pub(crate) ticks: Option<JoinHandle<()>>,
}

/// Why a server ended otherwise than it should, or ended with something lost.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError {
    /// Signals cannot be caught.
    Signals(io::Error),
    /// A thread panicked or hangs.
    Thread(ThreadFailure),
    /// The recording lacks something.
    Recording {
        /// Steps that it should hold.
        offered: u64,
        /// Steps that a full queue lost.
        dropped: u64,
        /// Steps that could not be written.
        failed: u64,
        /// Files that were not closed as they should be.
        unclosed: u64,
    },
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signals(error) => write!(f, "cannot catch signals: {error}"),
            Self::Thread(failure) => write!(f, "the server ends: {failure}"),
            Self::Recording { offered, dropped, failed, unclosed } => write!(
                f,
                "the recording is not complete: of {offered} steps {dropped} were dropped by a \
                 full queue and {failed} could not be written, {unclosed} files were not closed"
            ),
        }
    }
}

/// What became of settings that were read again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reloaded {
    /// Settings that differed and now hold.
    pub changed: Vec<&'static str>,
    /// Settings that differ and hold from the next start on.
    pub needs_restart: Vec<&'static str>,
}

impl Error for RunError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Signals(error) => Some(error),
            Self::Thread(failure) => Some(failure),
            Self::Recording { .. } => None,
        }
    }
}

impl Running {
    /// Where it listens, UDP and TCP.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where `/health` and `/metrics` are; `None` when they have no address of their own.
    #[must_use]
    pub fn operator_address(&self) -> Option<SocketAddr> {
        self.operator.as_ref().map(|it| it.address)
    }

    /// SHA-256 of its certificate, for clients to pin. A made certificate changes when it is renewed.
    #[must_use]
    pub fn certificate_sha256(&self) -> [u8; 32] {
        self.certificates.current().sha256()
    }

    /// Reads the files of the certificate again, or makes a new one. New connections get it; those
    /// that stand keep theirs. A server does so by itself when the files change and before a made
    /// certificate ends.
    ///
    /// # Errors
    /// When a file is not what it should be; the old certificate stays.
    pub fn reload_certificates(&self) -> Result<(), IdentityError> {
        let result = self.certificates.reload(unix_seconds());
        report_reload(&self.certificates, &result);
        result
    }

    /// What it counts.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// How it is; `/health` says the same.
    #[must_use]
    pub fn health(&self) -> HealthState {
        self.health.state()
    }

    /// The file it records into, the first one if there are several.
    #[must_use]
    pub fn recording(&self) -> Option<&Path> {
        self.recording.as_deref()
    }

    /// Serves until ctrl-c or SIGTERM, then drains and shuts down as [`Running::stop`] does. Tells
    /// systemd when it is ready, drains, and lives.
    ///
    /// # Errors
    /// When signals cannot be caught, when a thread panicked or hangs, or when the recording is not
    /// complete: a program should end with a code other than 0 then.
    ///
    /// SIGHUP reads the files of the certificate and of the key again; for other settings see
    /// [`Running::run_reloading`].
    pub fn run(self) -> Result<(), RunError> {
        let settings = self.settings.clone();
        self.run_reloading(move || Ok(settings.clone()))
    }

    /// As [`Running::run`]; SIGHUP takes over what `read` returns, as [`Running::reload`] does. If it
    /// fails, that is logged and everything stays as it is.
    ///
    /// # Errors
    /// As [`Running::run`].
    pub fn run_reloading(
        mut self,
        mut read: impl FnMut() -> Result<Settings, Box<dyn Error>>,
    ) -> Result<(), RunError> {
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(RunError::Signals)?;
        let served = runtime.block_on(self.serve(&mut read));
        match served {
            Ok(()) => self.try_stop(),
            Err(error) => {
                tracing::error!(%error, "ends");
                Err(error)
            }
        }
    }

    /// Until a signal ends it and everyone left, or a thread fails.
    async fn serve(
        &mut self,
        read: &mut dyn FnMut() -> Result<Settings, Box<dyn Error>>,
    ) -> Result<(), RunError> {
        let mut signals = Signals::catch().map_err(RunError::Signals)?;
        let notifier = Notifier::from_env();
        notifier.ready();
        tracing::info!("ready"); // and ended by signals in good order from here on
        let mut watch = Watch::new(&self.health, self.settings.watchdog.hang, &notifier);
        loop {
            tokio::select! {
                signal = signals.next() => match signal {
                    Signal::Stop => break,
                    Signal::Reload => {
                        notifier.reloading();
                        self.handle_reload(read());
                        watch.hang = self.settings.watchdog.hang;
                        notifier.ready();
                    }
                },
                failed = watch.next(&notifier) => return Err(RunError::Thread(failed)),
            }
        }
        tracing::info!("told to stop");
        notifier.stopping();
        self.drain();
        tokio::select! {
            () = self.empty() => Ok(()),
            _ = signals.next() => Ok(()),
            () = tokio::time::sleep(self.settings.shutdown.drain) => Ok(()),
            failed = watch.next(&notifier) => Err(RunError::Thread(failed)),
        }
    }

    fn handle_reload(&mut self, read: Result<Settings, Box<dyn Error>>) {
        let reloaded = read.and_then(|settings| self.reload(settings).map_err(Into::into));
        match reloaded {
            Ok(reloaded) => {
                let changed = reloaded.changed.join(", ");
                tracing::info!(changed, "reloaded");
                for name in reloaded.needs_restart {
                    tracing::warn!(name, "this setting changes at the next start only");
                }
            }
            Err(error) => tracing::error!(%error, "not reloaded, everything stays as it was"),
        }
    }

    /// Takes over the settings that can change while it runs, which are
    /// [`CHANGEABLE`](crate::settings::CHANGEABLE), and reads the files of the certificate and of the
    /// key again. Nobody is disconnected.
    ///
    /// # Errors
    /// When a setting is out of its range or a file is not what it should be; nothing is changed then.
    pub fn reload(&mut self, settings: Settings) -> Result<Reloaded, ServeError> {
        settings.validate().map_err(ServeError::Settings)?;
        // What was not asked for at the start is not asked for now.
        let key = token_key(&settings)?.filter(|_| self.tokens.is_some());
        self.reload_certificates().map_err(ServeError::Identity)?;
        let differences = self.settings.differences(&settings);
        let (changed, needs_restart) =
            differences.into_iter().partition(|name| can_change(name, key.is_some()));
        logs::set_level(settings.log);
        if let (Some(tokens), Some(key)) = (&self.tokens, key) {
            tokens.set_key(key);
            self.settings.token_key_file.clone_from(&settings.token_key_file);
            self.settings.token_server.clone_from(&settings.token_server);
            self.settings.token_audience.clone_from(&settings.token_audience);
        }
        self.settings.log = settings.log;
        self.settings.watchdog = settings.watchdog;
        self.settings.shutdown = settings.shutdown.clone();
        self.admission.reload(Reload { shutdown: settings.shutdown });
        Ok(Reloaded { changed, needs_restart })
    }

    async fn empty(&self) {
        while self.metrics.peers.get() > 0 {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Lets nobody new in and says so in `/health`, while those who play go on. The game is told by
    /// [`Game::draining`](crate::Game::draining).
    pub fn drain(&self) {
        self.admission.drain();
    }

    /// Lets nobody new in, tells everyone that the server shuts down, closes the recording and
    /// all connections. What went wrong is logged; see [`Running::try_stop`].
    pub fn stop(self) {
        if let Err(error) = self.try_stop() {
            tracing::error!(%error, "stopped");
        }
    }

    /// As [`Running::stop`].
    ///
    /// # Errors
    /// When a thread panicked or hangs, or the recording is not complete.
    pub fn try_stop(mut self) -> Result<(), RunError> {
        let left = self.close();
        // Those that are overdue now had ended in time.
        if let Some(failure) = left.or(self.health.failure(Duration::MAX)) {
            return Err(RunError::Thread(failure));
        }
        let count = &self.metrics;
        let (dropped, failed) = (count.recording_drops.get(), count.recording_failed.get());
        let (offered, unclosed) = (count.recording_offered.get(), count.recording_unclosed.get());
        if dropped + failed + unclosed > 0 {
            return Err(RunError::Recording { offered, dropped, failed, unclosed });
        }
        Ok(())
    }

    /// Ends all threads; names the one that had to be left behind.
    fn close(&mut self) -> Option<ThreadFailure> {
        let ticks = self.ticks.take()?;
        self.admission.drain();
        self.stop.store(true, Ordering::Relaxed);
        let hang = self.settings.watchdog.hang;
        let failure = || self.health.failure(hang);
        let left = join(ticks, failure);
        let left = left.or(self.network.close(failure));
        // Last, so that `/health` says `draining` until the end.
        let left = left.or(self.operator.as_mut().and_then(|it| it.close(failure)));
        tracing::info!("stopped");
        left
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.close();
    }
}

/// Whether a setting may change while a server runs; those of tokens only where it knows some.
fn can_change(name: &str, tokens: bool) -> bool {
    CHANGEABLE.contains(&name) && (tokens || !name.starts_with("token_"))
}

/// Waits for a thread to end. Once some thread failed this one may wait for it for ever: it is left
/// behind then, and ends with the process.
pub(crate) fn join(
    thread: JoinHandle<()>,
    failure: impl Fn() -> Option<ThreadFailure>,
) -> Option<ThreadFailure> {
    let mut left = LEAVE_AFTER;
    while !thread.is_finished() {
        if let Some(failure) = failure() {
            if left.is_zero() {
                return Some(failure);
            }
            left = left.saturating_sub(JOIN_STEP);
        }
        thread::sleep(JOIN_STEP);
    }
    // A panic was noted where it happened.
    let _ = thread.join();
    None
}

/// Looks at the threads again and again.
struct Watch {
    health: Arc<Health>,
    hang: Duration,
    looks: Interval,
    overdue: u32,
    /// Looks between two signs of life to the service manager, and those since the last.
    alive_every: Option<u32>,
    since_alive: u32,
}

impl Watch {
    /// To be called within a runtime.
    fn new(health: &Arc<Health>, hang: Duration, notifier: &Notifier) -> Self {
        let mut looks = interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let looks_in = |span: Duration| (span.as_millis() / LOOK_EVERY.as_millis()) as u32;
        let alive_every = notifier.watchdog_every().map(looks_in);
        Self { health: health.clone(), hang, looks, overdue: 0, alive_every, since_alive: 0 }
    }

    /// Returns once a thread has failed.
    async fn next(&mut self, notifier: &Notifier) -> ThreadFailure {
        loop {
            self.looks.tick().await;
            if let Some(failure) = self.look() {
                notifier.status(&failure.to_string());
                return failure;
            }
            self.tell_alive(notifier);
        }
    }

    fn look(&mut self) -> Option<ThreadFailure> {
        let failure = self.health.failure(self.hang);
        self.overdue = if failure.is_some() { self.overdue + 1 } else { 0 };
        let certain = matches!(failure, Some(ThreadFailure::Panicked { .. }));
        failure.filter(|_| certain || self.overdue >= LOOKS)
    }

    /// Says nothing while a thread is late: the manager has a limit of its own.
    fn tell_alive(&mut self, notifier: &Notifier) {
        self.since_alive += 1;
        let due = self.alive_every.is_some_and(|every| self.since_alive >= every);
        if due && self.health.failure(PATIENCE).is_none() {
            self.since_alive = 0;
            notifier.alive();
        }
    }
}
