//! Progress on stderr: a bar with the time left on terminals, now and then a line elsewhere.

use std::io::{IsTerminal, Write, stderr};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Redrawing more often only flickers.
const PAUSE: Duration = Duration::from_millis(100);
/// How often a line is written where nothing can be drawn; what takes less says nothing.
const LINE_EVERY: Duration = Duration::from_secs(2);
const BAR: usize = 28;

/// A bar that shows how much of a task is done.
pub struct Progress {
    task: &'static str,
    begin: Instant,
    /// When it was last drawn.
    drawn: Mutex<Instant>,
    /// Whether a line can be drawn over.
    is_terminal: bool,
}

impl Progress {
    /// Begins a task, at nothing done.
    pub fn start(task: &'static str) -> Self {
        let begin = now();
        Self { task, begin, drawn: Mutex::new(begin), is_terminal: stderr().is_terminal() }
    }

    /// So much is done. May be called from many threads, as often as wanted.
    pub fn show(&self, done: u64, of: u64) {
        self.draw(|| line(self.task, done, of, self.begin.elapsed()));
    }

    /// This is being done; how long it takes is not known.
    pub fn step(&self, what: &str) {
        self.draw(|| format!("{}: {what}", self.task));
    }

    fn draw(&self, line: impl FnOnce() -> String) {
        // A thread that finds another one drawing need not draw as well.
        let Ok(mut drawn) = self.drawn.try_lock() else { return };
        if drawn.elapsed() < if self.is_terminal { PAUSE } else { LINE_EVERY } {
            return;
        }
        *drawn = now();
        let _ = if self.is_terminal {
            write!(stderr(), "\r\x1b[K{}", line())
        } else {
            writeln!(stderr(), "{}", line())
        };
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_terminal {
            let _ = write!(stderr(), "\r\x1b[K");
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
