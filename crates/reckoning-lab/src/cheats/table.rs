//! Tables of the cheat trials: false alarms in honest play, and cheats caught.

use super::inject::Cheat;
use super::play::CheatMoment;
use super::trial::HonestRun;
use crate::reproduce::ReportTable;

/// What was found in one source.
pub(super) struct SourceTally {
    source: String,
    sessions: usize,
    honest: HonestRun,
    players: u64,
    /// By [`Cheat::ALL`]; at fast moments, at regular ones.
    cheats: [[Caught; 2]; 8],
}

#[derive(Clone, Copy, Default)]
struct Caught {
    tried: u64,
    within_1_s: u64,
    within_3_s: u64,
}

impl SourceTally {
    pub(super) fn new(source: &str, sessions: usize) -> Self {
        Self {
            source: source.to_owned(),
            sessions,
            honest: HonestRun::default(),
            players: 0,
            cheats: Default::default(),
        }
    }

    pub(super) fn add_honest(&mut self, run: &HonestRun) {
        self.players += 1;
        self.honest.hours += run.hours;
        self.honest.judged += run.judged;
        self.honest.corrected += run.corrected;
        self.honest.rejected += run.rejected;
        self.honest.disconnected += run.disconnected;
    }

    pub(super) fn add_cheat(
        &mut self,
        cheat: Cheat,
        moment: &CheatMoment<'_>,
        caught_s: Option<f64>,
    ) {
        let Some(place) = Cheat::ALL.iter().position(|it| *it == cheat) else { return };
        let [at_speed, all] = &mut self.cheats[place];
        if moment.regular {
            all.add(caught_s);
        }
        if moment.fast {
            at_speed.add(caught_s);
        }
    }
}

impl Caught {
    fn add(&mut self, caught_s: Option<f64>) {
        self.tried += 1;
        self.within_1_s += u64::from(caught_s.is_some_and(|after_s| after_s <= 1.0));
        self.within_3_s += u64::from(caught_s.is_some());
    }

    fn cells(&self) -> [String; 3] {
        let share = |caught: u64| {
            let share = 100.0 * caught as f64 / self.tried as f64;
            if self.tried == 0 { "-".to_owned() } else { format!("{share:.1}") }
        };
        [self.tried.to_string(), share(self.within_1_s), share(self.within_3_s)]
    }
}

fn table(title: &str, columns: &[&str]) -> ReportTable {
    let columns = columns.iter().map(|&column| column.to_owned()).collect();
    ReportTable { title: title.to_owned(), columns, rows: Vec::new() }
}

/// What the guard said of honest play.
pub(super) fn honest_table(tallies: &[SourceTally]) -> ReportTable {
    let mut table = table(
        "Honest play: verdicts per player-hour (50 ms delay, 10 ms Pareto jitter, 5 % loss in bursts)",
        &[
            "source",
            "sessions",
            "players",
            "hours",
            "judged",
            "corrected/h",
            "rejected/h",
            "disconnects",
        ],
    );
    for tally in tallies {
        let HonestRun { hours, judged, corrected, rejected, disconnected } = tally.honest;
        let per_hour = |count: u64| {
            if hours > 0.0 { format!("{:.2}", count as f64 / hours) } else { "-".to_owned() }
        };
        table.rows.push(vec![
            tally.source.clone(),
            tally.sessions.to_string(),
            tally.players.to_string(),
            format!("{hours:.2}"),
            judged.to_string(),
            per_hour(corrected),
            per_hour(rejected),
            disconnected.to_string(),
        ]);
    }
    table
}

/// How many cheats were caught.
pub(super) fn cheat_table(tallies: &[SourceTally]) -> ReportTable {
    let mut table = table(
        "Cheats caught, % within 1 s and 3 s: over stretches of 80 % of the fastest honest pace, and every 15 s",
        &["source", "cheat", "fast", "1 s", "3 s", "any", "1 s", "3 s"],
    );
    for tally in tallies.iter().filter(|tally| tally.players > 0) {
        for (cheat, [fast, all]) in Cheat::ALL.iter().zip(&tally.cheats) {
            if all.tried + fast.tried > 0 {
                let mut row = vec![tally.source.clone(), cheat.name()];
                row.extend(fast.cells());
                row.extend(all.cells());
                table.rows.push(row);
            }
        }
    }
    table
}
