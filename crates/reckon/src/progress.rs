//! Progress on stderr: a bar with the time left on terminals, now and then a line elsewhere.

use std::io::{IsTerminal, Write, stderr};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Redrawing more often only flickers.
const PAUSE: Duration = Duration::from_millis(100);
/// How often a line is written where nothing can be drawn; what takes less says nothing.
const LINE_EVERY: Duration = Duration::from_secs(2);
const BAR: usize = 28;
/// Back to the beginning of a line, which is wiped.
const CLEAR: &str = "\r\x1b[K";

/// A bar that shows how much of a task is done. Where nothing is told for a while, the time that
/// passed is.
pub struct Progress {
    shared: Arc<Shared>,
    ticker: Option<JoinHandle<()>>,
}

struct Shared {
    task: &'static str,
    begin: Instant,
    /// When it was last drawn.
    drawn: Mutex<Instant>,
    /// Whether a line can be drawn over.
    is_terminal: bool,
    ended: Mutex<bool>,
    end: Condvar,
}

impl Progress {
    /// Begins a task, at nothing done.
    pub fn start(task: &'static str) -> Self {
        let begin = now();
        let shared = Arc::new(Shared {
            task,
            begin,
            drawn: Mutex::new(begin),
            is_terminal: stderr().is_terminal(),
            ended: Mutex::new(false),
            end: Condvar::new(),
        });
        let own = Arc::clone(&shared);
        let ticker = thread::Builder::new().name("progress".to_string()).spawn(move || own.tick());
        // Without a thread there is less to be seen, and that is all.
        Self { shared, ticker: ticker.ok() }
    }

    /// So much is done. May be called from many threads, as often as wanted.
    pub fn show(&self, done: u64, of: u64) {
        let shared = &self.shared;
        shared.draw(shared.pause(), || line(shared.task, done, of, shared.begin.elapsed()));
    }

    /// This is being done; how long it takes is not known.
    pub fn step(&self, what: &str) {
        let shared = &self.shared;
        shared.draw(shared.pause(), || format!("{}: {what}", shared.task));
    }

    /// Says something that stays to be read, whatever is drawn.
    pub fn note(&self, what: &str) {
        let Ok(mut drawn) = self.shared.drawn.lock() else { return };
        *drawn = now();
        let _ = writeln!(stderr(), "{}{what}", if self.shared.is_terminal { CLEAR } else { "" });
    }
}

impl Shared {
    /// Tells the time, whenever nothing else was told for a while.
    fn tick(&self) {
        let Ok(mut ended) = self.ended.lock() else { return };
        while !*ended {
            let Ok((guard, _)) = self.end.wait_timeout(ended, LINE_EVERY / 4) else { return };
            ended = guard;
            if !*ended {
                let passed = self.begin.elapsed().as_secs();
                self.draw(LINE_EVERY, || format!("{}: {passed} s so far", self.task));
            }
        }
    }

    const fn pause(&self) -> Duration {
        if self.is_terminal { PAUSE } else { LINE_EVERY }
    }

    fn draw(&self, pause: Duration, line: impl FnOnce() -> String) {
        // A thread that finds another one drawing need not draw as well.
        let Ok(mut drawn) = self.drawn.try_lock() else { return };
        if drawn.elapsed() < pause {
            return;
        }
        *drawn = now();
        let _ = if self.is_terminal {
            write!(stderr(), "{CLEAR}{}", line())
        } else {
            writeln!(stderr(), "{}", line())
        };
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Ok(mut ended) = self.shared.ended.lock() {
            *ended = true;
        }
        self.shared.end.notify_all();
        let _ = self.ticker.take().map(JoinHandle::join);
        if self.shared.is_terminal {
            let _ = write!(stderr(), "{CLEAR}");
        }
    }
}

fn line(task: &str, done: u64, of: u64, passed: Duration) -> String {
    let share = if of == 0 { 1.0 } else { (done as f64 / of as f64).min(1.0) };
    let full = (share * BAR as f64) as usize;
    let (full, empty) = ("#".repeat(full), "-".repeat(BAR - full));
    format!("{task} [{full}{empty}] {:3.0} %{}", 100.0 * share, left(share, passed))
}

/// What a guess from the pace so far is worth saying of.
fn left(share: f64, passed: Duration) -> String {
    if share < 0.01 || passed < Duration::from_secs(1) {
        return String::new();
    }
    let seconds = (passed.as_secs_f64() * (1.0 - share) / share).round() as u64;
    format!("  {}:{:02} left", seconds / 60, seconds % 60)
}

#[expect(clippy::disallowed_methods, reason = "a bar on a screen is about this machine's time")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_the_pace() {
        let line = line("comparing", 25, 100, Duration::from_secs(30));
        assert_eq!(line, "comparing [#######---------------------]  25 %  1:30 left");
    }

    #[test]
    fn nothing_is_guessed_at_the_start_and_nothing_overflows() {
        assert!(!line("x", 0, 100, Duration::from_secs(9)).contains("left"));
        assert!(line("x", 7, 5, Duration::ZERO).contains("100 %"));
        assert!(line("x", 0, 0, Duration::ZERO).contains("100 %"));
    }
}
