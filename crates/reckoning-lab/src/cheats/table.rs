//! Tables of the cheat trials: false alarms in honest play, and cheats caught.

use super::inject::{Cheat, LASTS_S};
use super::limit::{FoundCheats, LimitTally, LimitTests};
use super::play::CheatMoment;
use super::trial::{HonestRun, PATHS, TrialSetting, publishers};
use crate::reproduce::ReportTable;

/// What a guard gave that looked at places and velocities alone: of source and cheat, per cent
/// within 1 s and 3 s at moments every 15 s; of honest play, corrections per hour and disconnects.
const WAS: &str = include_str!("was.txt");

fn was(source: &str, of: &str) -> [String; 2] {
    let line = WAS.lines().find_map(|line| {
        let (name, rest) = line.split_once('|')?;
        let (what, numbers) = rest.split_once('|')?;
        (name == source && what == of).then_some(numbers)
    });
    let mut numbers = line.unwrap_or("- -").split(' ').map(str::to_owned);
    [(); 2].map(|()| numbers.next().unwrap_or_default())
}

/// What was found in one source.
pub(super) struct SourceTally {
    source: String,
    /// By publisher, then by link.
    honest: [HonestRun; 8],
    players: u64,
    /// By [`Cheat::ALL`]; at fast moments, at regular ones.
    cheats: [[Caught; 2]; 8],
    /// By [`Cheat::ALL`]; of speed cheats.
    limits: [LimitTally; 8],
}

#[derive(Clone, Copy, Default)]
struct Caught {
    tried: u64,
    within_1_s: u64,
    within_3_s: u64,
}

impl SourceTally {
    pub(super) fn new(source: &str) -> Self {
        Self {
            source: source.to_owned(),
            honest: Default::default(),
            players: 0,
            cheats: Default::default(),
            limits: Default::default(),
        }
    }

    pub(super) fn add_honest(&mut self, place: usize, run: &HonestRun) {
        self.players += u64::from(place == 0);
        let honest = &mut self.honest[place];
        honest.hours += run.hours;
        honest.judged += run.judged;
        honest.corrected += run.corrected;
        honest.restrained += run.restrained;
        honest.rejected += run.rejected;
        honest.disconnected += run.disconnected;
    }

    pub(super) fn add_limit(
        &mut self,
        cheat: Cheat,
        moment: &CheatMoment<'_>,
        tests: &LimitTests<'_>,
        setting: &TrialSetting<'_>,
    ) {
        let place = Cheat::ALL.iter().position(|it| *it == cheat);
        if let (Some(place), Cheat::Speed(_)) = (place, cheat) {
            self.limits[place].add(cheat, moment, tests, setting);
        }
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
        self.within_3_s += u64::from(caught_s.is_some_and(|after_s| after_s <= LASTS_S));
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
        "Honest play: verdicts per player-hour (50 ms delay, 10 ms Pareto jitter, 5 % loss in bursts of 2; \
         or 150 ms, 30 ms, 10 % in bursts of 4)",
        &[
            "source",
            "publisher",
            "link",
            "players",
            "hours",
            "judged",
            "restrained/h",
            "rejected/h",
            "corrected/h",
            "was",
            "disconnects",
        ],
    );
    for tally in tallies {
        for (place, run) in tally.honest.iter().enumerate() {
            table.rows.push(honest_row(tally, place, run));
        }
    }
    table
}

fn honest_row(tally: &SourceTally, place: usize, run: &HonestRun) -> Vec<String> {
    let per_hour = |count: u64| {
        if run.hours > 0.0 { format!("{:.2}", count as f64 / run.hours) } else { "-".to_owned() }
    };
    let [was, _] = if place == 0 { was(&tally.source, "honest") } else { was("", "") };
    vec![
        tally.source.clone(),
        publishers()[place / PATHS.len()].0.to_owned(),
        PATHS[place % PATHS.len()].name.to_owned(),
        tally.players.to_string(),
        format!("{:.2}", run.hours),
        run.judged.to_string(),
        per_hour(run.restrained),
        per_hour(run.rejected),
        per_hour(run.corrected),
        was,
        run.disconnected.to_string(),
    ]
}

/// How many cheats were caught.
pub(super) fn cheat_table(tallies: &[SourceTally]) -> ReportTable {
    let mut table = table(
        "Cheats caught, % within 1 s and 3 s: over stretches of 80 % of the fastest honest pace, and every 15 s; what a guard of places and velocities alone caught",
        &["source", "cheat", "fast", "1 s", "3 s", "any", "1 s", "3 s", "was 1 s", "was 3 s"],
    );
    for tally in tallies.iter().filter(|tally| tally.players > 0) {
        for (cheat, [fast, all]) in Cheat::ALL.iter().zip(&tally.cheats) {
            if all.tried + fast.tried > 0 {
                let mut row = vec![tally.source.clone(), cheat.name()];
                row.extend(fast.cells());
                row.extend(all.cells());
                row.extend(was(&tally.source, &cheat.name()));
                table.rows.push(row);
            }
        }
    }
    table
}

/// What a sequential test alone finds, and what it would if it knew the judged player.
pub(super) fn limit_table(tallies: &[SourceTally]) -> ReportTable {
    let mut table = table(
        "Statistical limit: speed cheats every 15 s, % found within 1, 3 and 10 s by the guard, by its sequential \
         test alone (0.2 false alarms per player-hour where it was learnt), by one that knows the judged player",
        &[
            "source",
            "cheat",
            "tried",
            "guard 1 s",
            "3 s",
            "10 s",
            "test 1 s",
            "3 s",
            "10 s",
            "knowing 1 s",
            "3 s",
            "10 s",
        ],
    );
    for tally in tallies {
        for (cheat, limit) in Cheat::ALL.iter().zip(&tally.limits) {
            if limit.learnt.tried > 0 {
                let mut row =
                    vec![tally.source.clone(), cheat.name(), limit.learnt.tried.to_string()];
                row.extend(found_cells(&limit.guard));
                row.extend(found_cells(&limit.learnt));
                row.extend(found_cells(&limit.knowing));
                table.rows.push(row);
            }
        }
    }
    table
}

fn found_cells(found: &FoundCheats) -> [String; 3] {
    found.within.map(|count| format!("{:.1}", 100.0 * count as f64 / found.tried as f64))
}
