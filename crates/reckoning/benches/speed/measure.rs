//! Timing in turns, and the table at the end.

use std::fmt;
use std::fs::OpenOptions;
use std::io::Write;
use std::time::Instant;

/// One thing to time: its name and a call that does it.
pub type Subject<'a> = (&'static str, Box<dyn FnMut() + 'a>);

/// What came of one subject.
#[derive(Debug)]
struct Row {
    group: String,
    name: &'static str,
    /// Nanoseconds per item: the best round and the middle one.
    best_ns: f64,
    median_ns: f64,
    /// Time over that of the group's first subject in the same round: the middle one.
    ratio: f64,
    goal: String,
}

/// All results of a run.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Row>,
}

impl Table {
    /// Times the subjects in turns, so that whatever else the machine does meets them all.
    ///
    /// Each call of a subject handles `items`; the first subject is what the others are
    /// compared with.
    pub fn measure(
        &mut self,
        group: &str,
        items: usize,
        rounds: usize,
        subjects: &mut [Subject<'_>],
    ) {
        let mut times_ns = vec![Vec::with_capacity(rounds); subjects.len()];
        for _ in 0..rounds {
            for ((_, subject), times_ns) in subjects.iter_mut().zip(&mut times_ns) {
                subject(); // so that the caches hold what it left there, not another's
                times_ns.push(time_ns(subject) / items as f64);
            }
        }
        for ((name, _), own) in subjects.iter().zip(&times_ns) {
            let ratios = own.iter().zip(&times_ns[0]).map(|(own, first)| own / first);
            self.rows.push(Row {
                group: group.to_owned(),
                name,
                best_ns: own.iter().copied().fold(f64::INFINITY, f64::min),
                median_ns: median(own.clone()),
                ratio: median(ratios.collect()),
                goal: String::new(),
            });
        }
    }

    /// Writes a goal beside the row of that name measured last.
    pub fn goal(&mut self, name: &str, goal: impl Into<String>) {
        if let Some(row) = self.rows.iter_mut().rev().find(|row| row.name == name) {
            row.goal = goal.into();
        }
    }
}

/// Prints the table, and adds it line by line to the file behind `--figures`, if there is one:
/// group, subject, best and median nanoseconds, ratio, with tabs between.
pub fn report(table: &Table) {
    println!("{table}");
    let Some(path) = std::env::args().skip_while(|arg| arg != "--figures").nth(1) else { return };
    let lines = table.rows.iter().map(|row| {
        let Row { group, name, best_ns, median_ns, ratio, .. } = row;
        format!("{group}\t{name}\t{best_ns}\t{median_ns}\t{ratio}\n")
    });
    let file = OpenOptions::new().create(true).append(true).open(&path);
    file.and_then(|mut file| file.write_all(lines.collect::<String>().as_bytes()))
        .unwrap_or_else(|error| panic!("{path}: {error}"));
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut group = "";
        for row in &self.rows {
            if row.group != group {
                group = &row.group;
                writeln!(f, "\n{group:<44} {:>8} {:>9} {:>7}", "best ns", "median ns", "ratio")?;
            }
            let Row { name, best_ns, median_ns, ratio, goal, .. } = row;
            writeln!(f, "  {name:<42} {best_ns:>8.2} {median_ns:>9.2} {ratio:>7.2}  {goal}")?;
        }
        Ok(())
    }
}

#[expect(clippy::disallowed_methods, reason = "time is what is measured here")]
fn time_ns(subject: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    subject();
    start.elapsed().as_secs_f64() * 1e9
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
