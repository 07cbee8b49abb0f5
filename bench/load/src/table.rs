//! What is printed, and when a load counts as carried.

use crate::figures::Figures;
use crate::run::measure;
use crate::walk::{BODIES, ROUNDS_HZ, THRESHOLD_M};
use crate::{Failure, Load, Side};

/// Of the updates that should come, so many must: the last rounds of a run are cut.
const ENOUGH: f64 = 0.97;

/// All runs, and their tables.
pub fn all(load: Load, search: bool, search_seconds: f64) -> Result<(), Failure> {
    println!(
        "{} clients x {BODIES} bodies at {ROUNDS_HZ} updates/s for {} s; servers step {} times a \
         second;\nbeliefs are put right when {} cm off, which each body is in each round\n",
        load.clients,
        load.seconds,
        load.tick_hz,
        THRESHOLD_M * 100.0
    );
    let ours = measure(Side::Ours, load)?;
    let renet = measure(Side::Renet, load)?;
    side_by_side(&ours, &renet);
    if search {
        let load = Load { seconds: search_seconds, ..load };
        let ours = largest(Side::Ours, load)?;
        let renet = largest(Side::Renet, load)?;
        println!("\nmost clients carried, runs of {search_seconds} s");
        println!("{:34} {ours:>12} {renet:>12} {:>7.2}", "", ours as f64 / renet as f64);
    }
    Ok(())
}

/// One line of the table: what, how to compute it, and how many decimals it is worth.
type Row = (&'static str, fn(&Figures) -> f64, usize);

fn per_client_s(figures: &Figures, name: &str) -> f64 {
    figures.of(name) / figures.of("clients") / figures.of("seconds")
}

/// Datagrams that were lost on the way, wherever.
fn lost(figures: &Figures) -> f64 {
    let names = ["missed", "queue_drops", "closed_drops", "inbox_drops", "kernel_drops"];
    names.into_iter().map(|name| figures.of(name)).sum()
}

/// What others did on the machine meanwhile, in percent of all its processors.
fn others(figures: &Figures) -> f64 {
    let busy_s = (figures.of("machine_all") - figures.of("machine_idle")) / 100.0;
    let own_s = figures.of("cpu_s") + figures.of("play_cpu_s");
    100.0 * (busy_s - own_s).max(0.0) * 100.0 / figures.of("machine_all").max(1.0)
}

const ROWS: [Row; 22] = [
    ("clients in at the end", |it| it.of("play_joined"), 0),
    ("datagrams sent", |it| it.of("sent"), 0),
    ("datagrams received", |it| it.of("received"), 0),
    ("lost: dropped from send queues", |it| it.of("queue_drops") + it.of("closed_drops"), 0),
    ("lost: dropped by the kernel", |it| it.of("kernel_drops"), 0),
    ("lost: dropped from clients' inbox", |it| it.of("inbox_drops"), 0),
    ("lost: gaps in numbers at clients", |it| it.of("missed"), 0),
    ("tick p50, ms", |it| it.of("tick_p50_us") / 1e3, 2),
    ("tick p99, ms", |it| it.of("tick_p99_us") / 1e3, 2),
    ("tick worst, ms (1000: or more)", |it| (it.of("tick_worst_us") / 1e3).min(1e3), 2),
    ("half a tick's period, ms", |it| it.of("half_period_us") / 1e3, 2),
    ("ticks late by a period", |it| it.of("late_ticks"), 0),
    ("server CPU, % of one core", |it| 100.0 * it.of("cpu_s") / it.of("seconds"), 1),
    ("server CPU, ms per client and s", |it| 1e3 * per_client_s(it, "cpu_s"), 3),
    ("clients' CPU, ms per client and s", |it| 1e3 * per_client_s(it, "play_cpu_s"), 3),
    ("server memory, MB", |it| it.of("rss_kb") / 1e3, 1),
    (
        "server memory, kB per client",
        |it| (it.of("rss_kb") - it.of("empty_rss_kb")) / it.of("clients"),
        1,
    ),
    ("updates per client and s", |it| per_client_s(it, "received_updates"), 0),
    ("payload bytes per client and s", |it| per_client_s(it, "sent_bytes"), 0),
    ("payload bytes per update", |it| it.of("sent_bytes") / it.of("sent_updates"), 2),
    ("loopback bytes per client and s", |it| per_client_s(it, "loopback_bytes"), 0),
    ("others on the machine, % of it", others, 0),
];

fn side_by_side(ours: &Figures, renet: &Figures) {
    println!("{:34} {:>12} {:>12} {:>7}", "", "reckoning", "renet", "ratio");
    for (name, of, decimals) in ROWS {
        let (a, b) = (of(ours), of(renet));
        let ratio = if b > 0.0 { format!("{:.2}", a / b) } else { "-".to_string() };
        println!("{name:34} {a:>12.decimals$} {b:>12.decimals$} {ratio:>7}");
    }
    println!("{:34} {:>12} {:>12}", "carried", yes(ours), yes(renet));
}

fn yes(figures: &Figures) -> &'static str {
    if is_carried(figures) { "yes" } else { "no" }
}

/// Nothing lost, nobody gone, all updates there, and the tick below half its period.
fn is_carried(figures: &Figures) -> bool {
    let wanted = f64::from(BODIES * ROUNDS_HZ) * ENOUGH;
    lost(figures) == 0.0
        && figures.of("play_joined") == figures.of("clients")
        && per_client_s(figures, "received_updates") >= wanted
        && figures.of("tick_p99_us") < figures.of("half_period_us")
}

/// netcode takes no more, and neither do the sockets of one process.
const MOST_CLIENTS: usize = 960;
/// The search ends when it knows the number to this.
const STEP: usize = 16;

/// The largest number of clients that is carried: doubles, then halves the rest.
fn largest(side: Side, load: Load) -> Result<usize, Failure> {
    let (mut carried, mut too_many) = (0, MOST_CLIENTS + STEP);
    let mut next = load.clients;
    println!("\n{side:?}: clients, tick p99 ms, lost, updates per client and s, others %, carried");
    while too_many - carried > STEP {
        let figures = measure(side, Load { clients: next, ..load })?;
        println!(
            "{next:6} {:8.2} {:6} {:6.0} {:4.0} {:>4}",
            figures.of("tick_p99_us") / 1e3,
            lost(&figures),
            per_client_s(&figures, "received_updates"),
            others(&figures),
            yes(&figures)
        );
        if is_carried(&figures) {
            carried = next;
        } else {
            too_many = next;
        }
        let doubled = carried * 2;
        let untried = too_many > MOST_CLIENTS && carried > 0;
        next = if untried { doubled.min(MOST_CLIENTS) } else { usize::midpoint(carried, too_many) };
        if next == carried {
            break;
        }
    }
    Ok(carried)
}
