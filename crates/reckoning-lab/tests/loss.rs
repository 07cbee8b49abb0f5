//! The committed table of losses is what host and session do today, and keeps its promises.

use std::path::Path;

use reckoning_lab::bots;
use reckoning_lab::loss::loss_table;

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/loss.txt");

fn committed() -> String {
    std::fs::read_to_string(Path::new(COMMITTED)).unwrap_or_default()
}

#[test]
fn the_committed_table_of_losses_is_current() {
    let new = loss_table(&bots::sessions()[..1]).unwrap();
    let old = committed();
    let first = old.lines().zip(new.lines()).find(|(old, new)| old != new);
    assert!(
        old == new,
        "testdata/loss.txt is not what loss does now; the first difference is {first:#?}\n\
         If the change is wanted, regenerate it with `cargo xtask tables` and commit it."
    );
}

/// Mean and p95 of a row.
fn shown(table: &str, lost: &str, method: &str) -> [f64; 2] {
    let row =
        table.lines().find_map(|line| line.strip_prefix(lost)?.trim_start().strip_prefix(method));
    let mut cells = row.unwrap().split_whitespace();
    [(); 2].map(|()| cells.next().unwrap().parse().unwrap())
}

/// Where little is lost there is little to gain, and it may cost a hundredth.
#[test]
fn who_is_judged_by_what_it_holds_is_shown_less_error_for_as_many_updates() {
    let table = committed();
    for lost in ["0 %", "2 %", "12 % in fours", "50 %"] {
        let [held, resent, none] =
            ["held", "resent", "none"].map(|method| shown(&table, lost, method));
        for (held, (resent, none)) in held.into_iter().zip(resent.into_iter().zip(none)) {
            assert!(held <= 1.01 * resent, "{lost}: {held} beside {resent}");
            assert!(held < none, "{lost}: {held} beside {none}");
        }
    }
    let (held, resent) = (shown(&table, "50 %", "held"), shown(&table, "50 %", "resent"));
    assert!(held[0] < 0.75 * resent[0] && held[1] < 0.65 * resent[1], "{held:?} {resent:?}");
}
