//! Figures beside the switches.

use crate::hills::figures::HillsFigures;
use crate::hills::ledger::{Ledger, Note, note_html};
use crate::page::dom;

/// What was measured under each position of each switch.
pub fn show_notes(ledger: &Ledger) {
    for (name, value, note) in ledger.notes() {
        dom::write_html(&format!("note-{name}-{value}"), &note_html(name, note));
    }
}

/// What is measured at this moment.
pub fn show_now(figures: &HillsFigures, bytes_per_s: f64) {
    if figures.looks == 0 {
        return;
    }
    let (error, under_share) = (figures.error_m[0], figures.under_share);
    let note = Note { error, bytes_per_s, under_share };
    dom::write_html("note-spacing", &note_html("spacing", &note));
    let [shown, naive, past] = figures.turret_deg;
    dom::write("turrets-now", &format!("{shown:.1}°, naive {naive:.1}°, 100 ms back {past:.1}°"));
    let [shown, naive, past] = figures.turned_deg;
    dom::write("hulls-now", &format!("{shown:.1}°, naive {naive:.1}°, 100 ms back {past:.1}°"));
    dom::write("deepest-now", &format!("{:.2} m", figures.deepest_m));
}
