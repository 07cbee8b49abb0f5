//! Numbers by name, and how they go from one process to another: one line of `name=value`.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

/// Numbers by name.
#[derive(Clone, Debug, Default)]
pub struct Figures(BTreeMap<String, f64>);

impl Figures {
    /// The number with that name; zero when there is none.
    pub fn of(&self, name: &str) -> f64 {
        self.0.get(name).copied().unwrap_or(0.0)
    }

    /// Notes a number.
    pub fn set(&mut self, name: &str, value: f64) {
        self.0.insert(name.to_string(), value);
    }

    /// Takes over another's numbers.
    pub fn take(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// These numbers less what they were before.
    pub fn since(&self, before: &Self) -> Self {
        Self(self.0.iter().map(|(name, value)| (name.clone(), value - before.of(name))).collect())
    }

    /// Reads a line.
    pub fn read(line: &str) -> Self {
        let pairs = line.split_whitespace().filter_map(|it| it.split_once('='));
        Self(pairs.filter_map(|(name, it)| Some((name.to_string(), it.parse().ok()?))).collect())
    }

    /// Says them to whoever started this process.
    pub fn say(&self) {
        let words: Vec<String> = self.0.iter().map(|(name, it)| format!("{name}={it}")).collect();
        println!("{}", words.join(" "));
        // A closed pipe is noticed by the one at its other end.
        let _ = std::io::stdout().flush();
    }
}

/// What a process is told while it works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// The measured time begins.
    Begin,
    /// It ends: say the figures and go.
    End,
}

/// Listens to whoever started this process; a closed pipe means the end.
pub fn words() -> Receiver<Word> {
    let (tell, words) = channel();
    thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let word = if line == "begin" { Word::Begin } else { Word::End };
            if tell.send(word).is_err() {
                return;
            }
        }
        let _ = tell.send(Word::End);
    });
    words
}
