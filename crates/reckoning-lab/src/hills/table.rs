//! The committed table.

use std::fmt::Write;

use reckoning_arena::hills::protocol::HillsTuning;
use reckoning_arena::hills::{Craft, HillsLevel};
use reckoning_arena::protocol::LinkChoice;

use super::chain::HillsLabError;
use super::measure::{CraftFigures, Figures, Method, measure};

/// The links of the page by their names there, and one that is far but clean.
pub const LINKS: [(&str, LinkChoice); 5] = [
    ("LAN", LinkChoice::NONE),
    ("wifi", LinkChoice { delay_ms: 40, jitter_ms: 10, loss_percent: 1, burst: 1 }),
    ("mobile", MOBILE),
    ("far", LinkChoice { delay_ms: 250, jitter_ms: 20, loss_percent: 1, burst: 1 }),
    ("awful", LinkChoice { delay_ms: 350, jitter_ms: 120, loss_percent: 12, burst: 4 }),
];
const MOBILE: LinkChoice = LinkChoice { delay_ms: 150, jitter_ms: 40, loss_percent: 3, burst: 2 };

const SECONDS: u64 = 60;
const SEEDS: [u64; 2] = [1, 2];
/// What is told of each link; shells are on the way for too short a time to be listed.
const CRAFTS: [Craft; 6] =
    [Craft::Tank, Craft::Car, Craft::Train, Craft::Drone, Craft::Merchant, Craft::Bird];
const METHODS: [Method; 3] = [Method::Reckoning, Method::Naive, Method::Interpolation];

const HEAD: &str = "\
# The hills over the network. Made by `cargo xtask tables`; a test compares it. Do not edit.
#
# Twelve bots drive tanks and cars, a train rides, a merchant, a drone and birds go their ways, and a
# session watches all of it as if it were near, over a simulated link: two games of a minute each.
# An update is sent once a guess is off by 0.25 m, a heading by 4 degrees or a turret by 3.
#
# reckoning      as the kinds of the hills say: reckoned to the present and set onto the ground; the
#                merchant on purpose as it was up to 0.6 s ago, birds on purpose coarsely
# naive          the newest of twenty snapshots a second
# interpolation  the past between two of them, 100 ms ago; on slower links the newest
#
# error, p95   distance between the truth now and what is shown, in metres, in every frame, of what
#              lives for a second and more
# turn         angle between how it is and how it is drawn, in degrees
# turret       error of the turret, in degrees
# under        share of the pictures that are more than 5 cm in the ground
# bytes/s      of all datagrams that arrived without UDP's and IP's headers: of the protocol with its
#              acknowledgements, clocks and properties, but without the game's own messages; of
#              snapshots, which hold place, orientation, turret and barrel of everybody in 28 bytes
#              each, neither packed nor coded against earlier ones
#
# Links, one way each: LAN delays nothing; wifi 40 ms, deviation 10 ms, 1 % lost; mobile 150 ms,
# deviation 40 ms, 3 % lost in runs of 2; far 250 ms, deviation 20 ms, 1 % lost; awful 350 ms,
# deviation 120 ms, 12 % lost in runs of 4.
";

/// The table.
///
/// # Errors
/// When a setting is refused.
pub fn hills_table() -> Result<String, HillsLabError> {
    let level = HillsLevel::built_in();
    let play = |tuning, link| measure(&level, tuning, link, (SECONDS, &SEEDS));
    let mut table = HEAD.to_string();
    let mut mobile = None;
    for (name, link) in LINKS {
        let figures = play(HillsTuning::default(), link)?;
        write_link(&mut table, name, &figures);
        if link == MOBILE {
            mobile = Some(figures);
        }
    }
    let usual = match mobile {
        Some(figures) => figures,
        None => play(HillsTuning::default(), MOBILE)?,
    };
    let with = |tuning| play(tuning, MOBILE);
    let unprevented = with(HillsTuning { prevents: false, ..HillsTuning::default() })?;
    write_ground(&mut table, &usual, &unprevented);
    let (train_on_path, merchant_delayed) = (false, false);
    let others = with(HillsTuning { train_on_path, merchant_delayed, ..HillsTuning::default() })?;
    write_switches(&mut table, &usual, &others);
    Ok(table)
}

fn write_link(table: &mut String, name: &str, figures: &Figures) {
    let _ = writeln!(
        table,
        "\n{name:<7} reckoning {:.1} updates/s, {:.0} bytes/s; naive and interpolation {:.0} bytes/s",
        figures.updates_per_s(),
        figures.bytes_per_s(),
        figures.snapshot_bytes_per_s(),
    );
    let _ = writeln!(
        table,
        "{:<9} {:<13} {:>7} {:>7} {:>6} {:>7} {:>7}",
        "craft", "method", "error", "p95", "turn", "turret", "under"
    );
    for craft in CRAFTS {
        for method in METHODS {
            if let Some(seen) = figures.crafts.get(&(method, craft)) {
                write_craft(table, craft.name(), method.name(), seen);
            }
        }
    }
}

fn write_craft(table: &mut String, craft: &str, method: &str, seen: &CraftFigures) {
    let turret = seen.turret_deg().map_or_else(|| "-".to_string(), |it| format!("{it:.2}"));
    let _ = writeln!(
        table,
        "{craft:<9} {method:<13} {:>7.2} {:>7.2} {:>6.2} {turret:>7} {:>6.1}%",
        seen.error_m(),
        seen.p95_m(),
        seen.turn_deg(),
        100.0 * seen.under_share(),
    );
}

/// Clamp and prevention, over the mobile link.
fn write_ground(table: &mut String, prevented: &Figures, unprevented: &Figures) {
    let _ = writeln!(table, "\nClamp and prevention, mobile; deepest in metres");
    let _ = writeln!(
        table,
        "{:<5} {:<10} {:<7} {:>7} {:>6} {:>7} {:>8} {:>10}",
        "craft", "prevention", "clamp", "error", "turn", "under", "deepest", "updates/s"
    );
    let clamps =
        [("none", Method::Unclamped), ("up", Method::ClampedUp), ("always", Method::Reckoning)];
    for craft in [Craft::Tank, Craft::Car] {
        for (prevention, figures) in [("on", prevented), ("off", unprevented)] {
            for (clamp, method) in clamps {
                let Some(seen) = figures.crafts.get(&(method, craft)) else { continue };
                let _ = writeln!(
                    table,
                    "{:<5} {prevention:<10} {clamp:<7} {:>7.2} {:>6.2} {:>6.1}% {:>8.3} {:>10.1}",
                    craft.name(),
                    seen.error_m(),
                    seen.turn_deg(),
                    100.0 * seen.under_share(),
                    seen.deepest_m(),
                    figures.craft_updates_per_s(craft),
                );
            }
        }
    }
}

/// Train and merchant, over the mobile link.
fn write_switches(table: &mut String, usual: &Figures, others: &Figures) {
    let _ = writeln!(table, "\nOther switches, mobile; updates of all bodies of that craft");
    let _ = writeln!(
        table,
        "{:<9} {:<10} {:>7} {:>7} {:>6} {:>10} {:>12}",
        "craft", "shown", "error", "p95", "turn", "updates/s", "bytes/update"
    );
    let rows = [
        (Craft::Train, "path", usual),
        (Craft::Train, "kinematic", others),
        (Craft::Merchant, "delayed", usual),
        (Craft::Merchant, "reckoned", others),
    ];
    for (craft, shown, figures) in rows {
        let Some(seen) = figures.crafts.get(&(Method::Reckoning, craft)) else { continue };
        let _ = writeln!(
            table,
            "{:<9} {shown:<10} {:>7.2} {:>7.2} {:>6.2} {:>10.2} {:>12.2}",
            craft.name(),
            seen.error_m(),
            seen.p95_m(),
            seen.turn_deg(),
            figures.craft_updates_per_s(craft),
            figures.costs.get(&craft).map_or(0.0, super::UpdateCost::bytes_each),
        );
    }
}
