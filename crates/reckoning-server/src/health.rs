//! Liveness of a server's threads, and what `/health` says of them.
//!
//! Each thread promises a moment by which it gives its next sign of life. A promise that was broken
//! by more than [`PATIENCE`] fails the health check; one broken for as long as the settings allow
//! (`watchdog.hang_s`) ends the process, and so does a panic, at once: see
//! [`Running::run`](crate::Running::run). A promise rather than a date of the last sign, because a
//! server of one step a second rests for a second and is well.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reckoning::SimTime;

use crate::clock::Clock;

/// How late a sign of life may be before the health check fails: with the time between two looks
/// of a monitor this stays below two seconds.
pub(crate) const PATIENCE: Duration = Duration::from_millis(1_500);

/// A thread that a server cannot do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Worker {
    /// Steps host and game.
    Tick,
    /// Carries all sockets.
    Network,
    /// Writes the recording.
    Recording,
    /// Answers operators.
    Operator,
}

const WORKERS: [Worker; 4] = [Worker::Tick, Worker::Network, Worker::Recording, Worker::Operator];

impl fmt::Display for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tick => "tick",
            Self::Network => "network",
            Self::Recording => "recording",
            Self::Operator => "operator",
        })
    }
}

/// What became of a thread that should run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ThreadFailure {
    /// It panicked.
    Panicked {
        /// Which.
        thread: Worker,
        /// What it said.
        message: String,
    },
    /// It gave no sign of life.
    Hung {
        /// Which.
        thread: Worker,
        /// How long ago one was due.
        overdue: Duration,
    },
}

impl fmt::Display for ThreadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panicked { thread, message } => {
                write!(f, "the {thread} thread panicked: {message}")
            }
            Self::Hung { thread, overdue } => {
                write!(f, "the {thread} thread hangs, {:.1} s overdue", overdue.as_secs_f64())
            }
        }
    }
}

impl std::error::Error for ThreadFailure {}

/// How a server is, as `/health` says it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HealthState {
    /// All is well.
    Ok,
    /// It serves, but something beside the game is in trouble: the recording. Answered as healthy,
    /// since putting players elsewhere would not help the disk.
    Degraded(String),
    /// It shuts down and lets nobody in.
    Draining,
    /// A thread is gone or hangs.
    Failed(ThreadFailure),
}

impl HealthState {
    /// Whether a balancer should send players here.
    #[must_use]
    pub const fn is_serving(&self) -> bool {
        matches!(self, Self::Ok | Self::Degraded(_))
    }
}

impl fmt::Display for HealthState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok => f.write_str("ok"),
            Self::Degraded(trouble) => write!(f, "degraded: {trouble}"),
            Self::Draining => f.write_str("draining"),
            Self::Failed(failure) => write!(f, "failed: {failure}"),
        }
    }
}

/// Signs of life of all threads.
#[derive(Debug)]
pub(crate) struct Health {
    clock: Clock,
    /// When each worker's next sign is due, in microseconds; the end of time while it need not run.
    due_us: [AtomicI64; WORKERS.len()],
    draining: AtomicBool,
    panicked: Mutex<Option<ThreadFailure>>,
    trouble: Mutex<Option<String>>,
}

impl Health {
    pub(crate) fn new(clock: Clock) -> Self {
        Self {
            clock,
            due_us: std::array::from_fn(|_| AtomicI64::new(i64::MAX)),
            draining: AtomicBool::new(false),
            panicked: Mutex::default(),
            trouble: Mutex::default(),
        }
    }

    pub(crate) fn now(&self) -> SimTime {
        self.clock.now()
    }

    /// A sign of life; the next one comes by `due` at the latest.
    pub(crate) fn beat(&self, worker: Worker, due: SimTime) {
        self.due_us[worker as usize].store(due.as_micros(), Ordering::Relaxed);
    }

    /// A sign of life of a worker that is about to do something, which takes a moment at most.
    pub(crate) fn beat_now(&self, worker: Worker) {
        self.beat(worker, self.clock.now());
    }

    /// The worker ends as it should.
    pub(crate) fn retire(&self, worker: Worker) {
        self.beat(worker, SimTime::from_micros(i64::MAX));
    }

    /// Runs a worker's work; a panic in it is noted rather than lost with the thread.
    pub(crate) fn run(&self, worker: Worker, work: impl FnOnce()) {
        self.beat_now(worker);
        // What the work left half done is dropped with it, nobody looks at it again.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            self.note_panic(worker, panic.as_ref());
        }
        self.retire(worker);
    }

    /// Notes that a worker is gone. The first failure counts: others follow from it.
    pub(crate) fn note_panic(&self, thread: Worker, panic: &(dyn Any + Send)) {
        let text = panic.downcast_ref::<&str>().map(|it| (*it).to_string());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        let message = text.unwrap_or_else(|| "without a message".to_string());
        let failure = ThreadFailure::Panicked { thread, message };
        tracing::error!(%failure, "a thread is gone");
        lock(&self.panicked).get_or_insert(failure);
    }

    pub(crate) fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// What troubles the recording, or nothing any more.
    pub(crate) fn set_trouble(&self, trouble: Option<String>) {
        *lock(&self.trouble) = trouble;
    }

    /// The thread that panicked, or is overdue by more than `patience`.
    pub(crate) fn failure(&self, patience: Duration) -> Option<ThreadFailure> {
        let panicked = lock(&self.panicked).clone();
        panicked.or_else(|| {
            let now = self.clock.now();
            WORKERS.into_iter().find_map(|thread| {
                let due = self.due_us[thread as usize].load(Ordering::Relaxed);
                let overdue = now.saturating_since(SimTime::from_micros(due));
                (overdue > patience).then_some(ThreadFailure::Hung { thread, overdue })
            })
        })
    }

    /// How the server is.
    pub(crate) fn state(&self) -> HealthState {
        if let Some(failure) = self.failure(PATIENCE) {
            return HealthState::Failed(failure);
        }
        if self.is_draining() {
            return HealthState::Draining;
        }
        let trouble = lock(&self.trouble).clone();
        trouble.map_or(HealthState::Ok, HealthState::Degraded)
    }
}

fn lock<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}
