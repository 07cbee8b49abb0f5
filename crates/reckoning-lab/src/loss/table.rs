//! The committed table.

use std::fmt::Write;
use std::time::Duration;

use reckoning_netsim::{LinkConfig, Loss};
use reckoning_recording::Recording;

use super::chain::{Play, Played};
use super::{LossError, Repair};
use crate::compare::Prepared;
use crate::frontier::{by_name, measured_sessions};

/// One way.
const DELAY: Duration = Duration::from_millis(100);
const BOT_SEEDS: [u64; 6] = [1, 2, 3, 4, 5, 6];
/// Recordings are longer and more than one, so that fewer dice do.
const RECORDED_SEEDS: [u64; 2] = [1, 2];
/// The bounds that are swept, in widths; rows are compared at the updates of `resent` at a width.
const BOUNDS_WIDTHS: [f64; 5] = [0.7, 0.85, 1.0, 1.2, 1.5];
const COMPARED: usize = 2;

/// A link by what it loses.
type LossyLink = (&'static str, Loss);

fn links() -> [LossyLink; 4] {
    let [none, bursts] = recorded_links();
    let little = ("2 %", Loss::Independent { share: 0.02 });
    [none, little, bursts, ("50 %", Loss::Independent { share: 0.5 })]
}

/// Those that recordings are played over.
fn recorded_links() -> [LossyLink; 2] {
    [("0 %", Loss::NONE), ("12 % in fours", Loss::bursts(0.12, 4.0))]
}

/// Recordings made ready, whether they are flat, and the dice they are played with.
struct Sessions<'a> {
    prepared: Vec<(Prepared, bool)>,
    seeds: &'a [u64],
}

impl<'a> Sessions<'a> {
    fn new(recordings: &[Recording], seeds: &'a [u64]) -> Self {
        let prepared = |it: &Recording| (Prepared::with_own_velocities(it), it.meta.dims == 2);
        Self { prepared: recordings.iter().map(prepared).collect(), seeds }
    }
}

/// Mean and p95 in widths, updates and bytes of a body per second.
#[derive(Clone, Copy, Debug)]
struct Row([f64; 4]);

impl Row {
    fn of(played: &Played) -> Self {
        let shown = &played.shown;
        let (updates, bytes) = (played.updates_per_s(), played.bytes_per_s());
        Self([shown.mean_error(), shown.p95_error(), updates, bytes])
    }

    fn updates(&self) -> f64 {
        self.0[2]
    }

    /// What a method shows at so many updates per second, by a straight line through all its rows:
    /// dice differ from bound to bound.
    fn at(rows: &[Self], updates: f64) -> Self {
        let count = rows.len() as f64;
        let mean = |column: usize| rows.iter().map(|row| row.0[column]).sum::<f64>() / count;
        let middle = mean(2);
        let spread: f64 = rows
            .iter()
            .map(|row| {
                let off = row.updates() - middle;
                off * off
            })
            .sum();
        Self([0, 1, 2, 3].map(|column| {
            let middle_of = mean(column);
            let together = |row: &Self| (row.updates() - middle) * (row.0[column] - middle_of);
            let slope = rows.iter().map(together).sum::<f64>() / spread;
            middle_of + slope * (updates - middle)
        }))
    }
}

/// What a method shows by its bounds.
fn swept(sessions: &Sessions<'_>, repair: Repair, loss: Loss) -> Result<Vec<Row>, LossError> {
    let row = |bound_widths: f64| {
        let mut all = Played::default();
        for (prepared, flat) in &sessions.prepared {
            for seed in sessions.seeds.iter().copied() {
                let link = LinkConfig { delay: DELAY, loss, seed, ..LinkConfig::default() };
                all.merge(&Play { prepared, flat: *flat, bound_widths, repair, link }.run()?);
            }
        }
        Ok(Row::of(&all))
    };
    BOUNDS_WIDTHS.into_iter().map(row).collect()
}

const BOTS_HEAD: &str = "\
# What loss does to what is shown. Made by `cargo xtask tables`; a test compares it. Do not edit.
#
# Ten bots of the arena play for two minutes, moved by a host on straight lines, and a session watches
# all of them over simulated links that take 100 ms each way and lose datagrams both ways; six runs
# with dice of their own. All rows of a link are for as many updates as `resent` takes at a bound of
# one body width: bounds are swept, and a straight line is laid through what they show.
#
# none    publishers that are told of no loss; a body's first update is there from the start
# resent  what was sent last counts as held until it counts as lost, and is sent again then
# held    each peer is judged by what it holds in expectation (`HostConfig::judge_held`, the default)
#
# error, p95  distance between the truth and what is shown, in body widths, from two seconds of life on
# updates/s   of one body
# bytes/s     of one body's share of the datagrams, headers of UDP and IP included; not told of `none`
# x none      error and p95 as a share of those of `none`
#
# The goal, from a trial that had no other repair to compare with: at 12 % in fours x none .70 and .48.

";

const RECORDED_HEAD: &str = "\
# What loss does to what is shown of recorded players. Made by `cargo xtask tables` where there are
# recordings. Do not edit.
#
# The same measurement as `testdata/loss.txt`, which says what the columns are, of the sessions that
# `testdata/seen.txt` measures, two runs of each. Nothing was chosen by these figures.

";

const COLUMNS: &str = "\
lost           repair    error     p95   updates/s   bytes/s       x none
";

/// The table of recordings of bots.
///
/// # Errors
/// When a setting is refused.
pub fn loss_table(recordings: &[Recording]) -> Result<String, LossError> {
    let mut table = BOTS_HEAD.to_string();
    write_rows(&mut table, &Sessions::new(recordings, &BOT_SEEDS), &links())?;
    Ok(table)
}

/// The table of recorded players, by source.
///
/// # Errors
/// When a setting is refused.
pub fn recorded_loss_table(recordings: Vec<Recording>) -> Result<String, LossError> {
    let mut table = RECORDED_HEAD.to_string();
    for (name, list) in by_name(recordings) {
        let measured = measured_sessions(list);
        let _ = writeln!(table, "{name}, sessions: {}", measured.len());
        write_rows(&mut table, &Sessions::new(&measured, &RECORDED_SEEDS), &recorded_links())?;
        table.push('\n');
    }
    Ok(table)
}

fn write_rows(
    table: &mut String,
    sessions: &Sessions<'_>,
    links: &[LossyLink],
) -> Result<(), LossError> {
    table.push_str(COLUMNS);
    for (lost, loss) in links.iter().copied() {
        let resent = swept(sessions, Repair::Resent, loss)?;
        let updates = resent[COMPARED].updates();
        let none = Row::at(&swept(sessions, Repair::None, loss)?, updates);
        let held = Row::at(&swept(sessions, Repair::Held, loss)?, updates);
        let resent = Row::at(&resent, updates);
        for (repair, row) in [("none", none), ("resent", resent), ("held", held)] {
            write_row(table, (lost, repair), &row, &none);
        }
    }
    Ok(())
}

fn write_row(table: &mut String, (lost, repair): (&str, &str), row: &Row, none: &Row) {
    let Row([error, p95, updates, bytes]) = row;
    let bytes = if *bytes > 0.0 { format!("{bytes:.0}") } else { "-".to_owned() };
    let (x_error, x_p95) = (error / none.0[0], p95 / none.0[1]);
    let _ = writeln!(
        table,
        "{lost:<14} {repair:<7} {error:>7.3} {p95:>7.2} {updates:>11.2} {bytes:>9} {x_error:>6.2} \
         {x_p95:>5.2}"
    );
}
