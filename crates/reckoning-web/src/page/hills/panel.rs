//! Figures beside the switches.

use reckoning_arena::hills::Craft;

use crate::hills::figures::HillsFigures;
use crate::hills::ledger::{Ledger, Note, note_html};
use crate::hills::traffic::TrafficFigures;
use crate::page::dom;

/// What was measured under each position of each switch.
pub fn show_notes(ledger: &Ledger) {
    for (name, value, note) in ledger.notes() {
        dom::write_html(&format!("note-{name}-{value}"), &note_html(name, note));
    }
}

/// What is measured at this moment.
pub fn show_now(figures: &HillsFigures, bytes_per_s: f64, train: TrafficFigures) {
    if figures.looks == 0 {
        return;
    }
    let (error, under_share) = (figures.error_m[0], figures.under_share);
    let note = Note { error, bytes_per_s, bytes_each: 0.0, under_share };
    dom::write_html("note-spacing", &note_html("spacing", &note));
    let [shown, naive, past] = figures.turret_deg;
    dom::write("turrets-now", &format!("{shown:.1}°, naive {naive:.1}°, interpolated {past:.1}°"));
    let [shown, naive, past] = figures.turned_deg;
    dom::write("hulls-now", &format!("{shown:.1}°, naive {naive:.1}°, interpolated {past:.1}°"));
    dom::write("deepest-now", &format!("{:.2} m", figures.deepest.m));
    let TrafficFigures { bytes_each, bytes_per_s, .. } = train;
    dom::write("train-now", &format!("{bytes_each:.1} bytes each, {bytes_per_s:.1} a second"));
}

/// What the headline does not count, and how far off that is.
pub fn show_apart(figures: &HillsFigures, apart: &[Craft]) {
    let each = |craft: &Craft| {
        let (name, at) = (craft.name(), *craft as usize);
        let [shown, naive] = [figures.craft_m[at], figures.craft_naive_m[at]];
        format!("{name} {shown:.1} m (naive {naive:.1} m)")
    };
    let listed = apart.iter().map(each).collect::<Vec<_>>().join(", ");
    dom::show("apart", !listed.is_empty());
    let text =
        format!("Counted is what is shown as it is now. Late or coarse on purpose: {listed}.");
    dom::write("apart", &text);
}
