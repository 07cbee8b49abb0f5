//! What was measured under each position of each switch, to be read beside it.

use std::collections::BTreeMap;

use reckoning::SimTime;
use reckoning_arena::hills::Craft;

use super::choices::HillsChoices;
use super::figures::HillsFigures;
use super::traffic::TrafficFigures;

/// The switches that have figures beside them.
pub const NOTED: [&str; 6] = ["clamp", "points", "prevents", "joints", "train", "merchant"];
/// After a change nothing is noted for so long: it has to reach the server and come back.
const SETTLE_S: f64 = 2.0;

/// Figures under one position of a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Note {
    /// The error that the switch is about: in metres, or in degrees of turrets.
    pub error: f64,
    /// Received, per second; beside the train, of its updates alone.
    pub bytes_per_s: f64,
    /// Beside the train, the bytes of one of its updates.
    pub bytes_each: f64,
    /// The share of looks at standing bodies in which they were under the ground.
    pub under_share: f64,
}

/// All notes.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    seen: Option<(HillsChoices, SimTime)>,
    notes: BTreeMap<(&'static str, String), Note>,
}

impl Ledger {
    /// Notes the figures of this moment for every switch as it stands. Returns whether a switch was
    /// changed since the last call, so that figures of before are to be forgotten.
    pub fn note(
        &mut self,
        now: SimTime,
        choices: &HillsChoices,
        figures: &HillsFigures,
        (bytes_per_s, train): (f64, TrafficFigures),
    ) -> bool {
        let same = |it: &HillsChoices| {
            (it.tuning, it.clamp, it.three_points)
                == (choices.tuning, choices.clamp, choices.three_points)
        };
        let since = match &self.seen {
            Some((seen, since)) if same(seen) => *since,
            _ => {
                self.seen = Some((*choices, now));
                return true;
            }
        };
        if now.secs_since(since) < SETTLE_S || figures.looks == 0 {
            return false;
        }
        for name in NOTED {
            let Some(value) = choices.value(name) else { continue };
            let (error, under_share) = (error_of(name, figures), figures.under_share);
            let bytes_per_s = if name == "train" { train.bytes_per_s } else { bytes_per_s };
            let note = Note { error, bytes_per_s, bytes_each: train.bytes_each, under_share };
            self.notes.insert((name, value), note);
        }
        false
    }

    /// All notes: the switch, its position, and the figures.
    pub fn notes(&self) -> impl Iterator<Item = (&'static str, &str, &Note)> {
        self.notes.iter().map(|((name, value), note)| (*name, value.as_str(), note))
    }
}

/// The error that a switch is about.
fn error_of(name: &str, figures: &HillsFigures) -> f64 {
    match name {
        "joints" => figures.turret_deg[0],
        "train" => figures.craft_m[Craft::Train as usize],
        "merchant" => figures.craft_m[Craft::Merchant as usize],
        _ => figures.error_m[0],
    }
}

/// A note as the page shows it: error, bytes, and the share under the ground; of the train, which does
/// not stand on the ground, the bytes of an update in place of that.
#[must_use]
pub fn note_html(name: &str, note: &Note) -> String {
    let unit = if name == "joints" { "°" } else { " m" };
    let Note { error, bytes_per_s, bytes_each, under_share } = note;
    let digits = if *error < 10.0 && name != "joints" { 2 } else { 1 };
    if name == "train" {
        return format!("<i>{error:.2} m</i><i>{bytes_per_s:.1} B</i><i>{bytes_each:.1} B</i>");
    }
    let bytes = bytes_per_s / 1e3;
    let under = under_share * 100.0;
    let class = if *under_share > 0.005 { " class=\"bad\"" } else { "" };
    format!("<i>{error:.digits$}{unit}</i><i>{bytes:.1} kB</i><i{class}>{under:.0} %</i>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ms;

    #[test]
    fn each_position_keeps_what_was_measured_under_it() {
        let mut ledger = Ledger::default();
        let mut choices = HillsChoices::default();
        let mut figures = HillsFigures { looks: 9, ..HillsFigures::default() };
        let train = TrafficFigures { bytes_each: 3.5, bytes_per_s: 7.0, updates: 20 };
        let at = |bytes_per_s: f64| (bytes_per_s, train);
        assert!(ledger.note(ms(0), &choices, &figures, at(1.0)));
        assert!(!ledger.note(ms(1_900), &choices, &figures, at(1.0)));
        assert_eq!(ledger.notes().count(), 0, "it has to settle");
        assert!(!ledger.note(ms(2_100), &choices, &figures, at(4_000.0)));
        choices.set("clamp", "none");
        figures.under_share = 0.25;
        assert!(ledger.note(ms(2_200), &choices, &figures, at(1.0)));
        ledger.note(ms(4_300), &choices, &figures, at(4_000.0));
        let under = |value: &str| {
            let mut notes = ledger.notes().filter(|it| it.0 == "clamp" && it.1 == value);
            notes.next().map(|it| it.2.under_share)
        };
        assert_eq!((under("always"), under("none"), under("up")), (Some(0.0), Some(0.25), None));
        let on_path = ledger.notes().find(|it| it.0 == "train").map(|it| *it.2).unwrap();
        assert_eq!((on_path.bytes_per_s, on_path.bytes_each), (7.0, 3.5), "the train's own");
    }

    #[test]
    fn a_note_names_the_unit_of_its_switch() {
        let note = Note { error: 3.12, bytes_per_s: 2_345.0, bytes_each: 3.46, under_share: 0.02 };
        let turrets = note_html("joints", &note);
        assert_eq!(turrets, "<i>3.1°</i><i>2.3 kB</i><i class=\"bad\">2 %</i>");
        assert!(note_html("clamp", &note).starts_with("<i>3.12 m</i>"));
        assert_eq!(note_html("train", &note), "<i>3.12 m</i><i>2345.0 B</i><i>3.5 B</i>");
    }
}
