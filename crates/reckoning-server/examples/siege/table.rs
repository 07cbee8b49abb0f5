//! The table as text: what was, and what is now.

use std::fmt;
use std::path::Path;

use crate::field::Measured;

const HEAD: &str = "\
# What honest players, newcomers with a token and readers of the page have while a server is attacked.
# Written by the example `siege` of reckoning-server, over real sockets of one machine that server, players
# and attackers share; figures waver by some per cent. Error: mean distance of four players on each
# other's screens, besieged to quiet. Join, page, health: median, and how many of those who tried got it
# within five seconds. Memory: the most that the server had.
";

/// One attack.
#[derive(Clone, Debug)]
pub struct Row(String);

impl Row {
    pub fn new(name: &str, what: &str, it: &Measured) -> Self {
        Self(format!(
            "{name:<18} {:>8.3} {:>8.3} {:>6.2}  {:>14} {:>14} {:>14} {:>8.1}  {what}",
            it.quiet_m,
            it.error_m,
            it.error_m / it.quiet_m,
            took(&it.joins_s),
            took(&it.pages_s),
            took(&it.health_s),
            it.memory_mib,
        ))
    }

    /// One that another process printed.
    pub fn parsed(line: &str) -> Self {
        Self(line.to_string())
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The median of those who got it, and how many did.
fn took(seconds: &[Option<f64>]) -> String {
    let mut got: Vec<f64> = seconds.iter().copied().flatten().collect();
    got.sort_by(f64::total_cmp);
    let share = format!("{}/{}", got.len(), seconds.len());
    match got.get(got.len() / 2) {
        Some(median) => format!("{:.0} ms {share}", 1000.0 * median),
        None => format!("never {share}"),
    }
}

/// Puts rows into their section of a file and leaves the others as they are.
pub fn write(path: &Path, label: &str, seconds: f64, rows: &[Row]) {
    let old = std::fs::read_to_string(path).unwrap_or_default();
    let mut sections: Vec<(String, String)> = old.split("\n== ").skip(1).map(section).collect();
    let mut text = format!(
        "{:<18} {:>8} {:>8} {:>6}  {:>14} {:>14} {:>14} {:>8}\n",
        "attack", "quiet m", "error m", "ratio", "join", "page", "health", "MiB"
    );
    text.extend(rows.iter().map(|row| format!("{row}\n")));
    text = format!("({seconds} s each)\n{text}");
    match sections.iter_mut().find(|(name, _)| name == label) {
        Some((_, old)) => *old = text,
        None => sections.push((label.to_string(), text)),
    }
    sections.sort();
    let sections = sections.iter().map(|(name, text)| format!("\n== {name} {}", text.trim_end()));
    let whole = format!("{HEAD}{}\n", sections.collect::<Vec<_>>().join("\n"));
    std::fs::write(path, whole).expect("the table is written");
}

fn section(text: &str) -> (String, String) {
    let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
    (name.to_string(), rest.to_string())
}
