//! The verdict of a comparison, three sentences for each source: who is closest, who is cheapest,
//! and what to take.

use super::pool;
use super::summary::{USUAL, cheapest, closest};
use super::tables::percent;
use super::text::broken;
use crate::compare::{ClosedRow, Comparison, OpenRow};

/// Columns of a terminal that the verdict keeps within.
const WIDEST_LINE: usize = 100;

/// Three sentences for each source, computed from the rows. One whose loop was not closed has one.
#[must_use]
pub fn verdict(comparison: &Comparison) -> Vec<String> {
    let (open, closed) = (pool::open(comparison), pool::closed(comparison));
    let of_source = |source: &str| {
        // Who has nothing to go by wins nothing.
        let judged = |row: &&OpenRow| row.source == source && row.inert.is_none();
        let own: Vec<&OpenRow> = open.iter().filter(judged).collect();
        let judged = |row: &&ClosedRow| row.source == source && row.inert.is_none();
        let costs: Vec<&ClosedRow> = closed.iter().filter(judged).collect();
        [closest(source, &own), cheapest(source, &costs), advice(source, &costs)]
    };
    pool::sources(comparison).into_iter().flat_map(of_source).flatten().collect()
}

/// The verdict for a terminal, with its heading; nothing where nothing was compared.
#[must_use]
pub fn verdict_text(comparison: &Comparison) -> String {
    let sentences = verdict(comparison);
    if sentences.is_empty() {
        return String::new();
    }
    let lines: Vec<String> =
        sentences.iter().flat_map(|sentence| broken(sentence, WIDEST_LINE)).collect();
    format!("Verdict\n{}\n{}\n", "-".repeat(WIDEST_LINE), lines.join("\n"))
}

/// What to take: whoever needs the fewest updates, if that is sure and its picture is no worse.
fn advice(source: &str, rows: &[&ClosedRow]) -> Option<String> {
    let cost = |row: &&&ClosedRow| row.packets_per_entity_s;
    let best = rows.iter().min_by(|a, b| cost(a).total_cmp(&cost(b)))?;
    let name = &best.predictor;
    let Some(usual) = rows.iter().find(|row| row.predictor == USUAL) else {
        return Some(format!(
            "What that is worth on {source} nobody can tell without {USUAL}: add it to --predictors."
        ));
    };
    if name == USUAL {
        return Some(format!("So on {source} take {USUAL}: none of the others is cheaper."));
    }
    if best.packets_high >= usual.packets_low {
        return Some(format!(
            "So on {source} stay with {USUAL}: the 95 % intervals of updates overlap, and {name} \
             may be cheaper by chance."
        ));
    }
    let more = best.shown_error_100ms / usual.shown_error_100ms - 1.0;
    Some(if more <= 0.0 {
        format!(
            "So on {source} take {name}: it is surely cheaper than {USUAL} (the 95 % intervals do \
             not overlap), and what it shows is closer by {}.",
            percent(-more)
        )
    } else {
        format!(
            "So on {source} {name} trades error for updates: it is surely cheaper than {USUAL}, and \
             what it shows is {} further off.",
            percent(more)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(predictor: &str, packets: f64, half: f64, shown: f64) -> ClosedRow {
        ClosedRow {
            source: "made".into(),
            session: "one".into(),
            predictor: predictor.into(),
            bound: 1.0,
            packets_per_entity_s: packets,
            packets_low: packets - half,
            packets_high: packets + half,
            mean_error: 0.1,
            shown_error_100ms: shown,
            shown_error_link: None,
            receivers: Vec::new(),
            roughness: 0.0,
            in_walls: None,
            inert: None,
        }
    }

    fn told(rows: &[ClosedRow]) -> String {
        advice("made", &rows.iter().collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn what_to_take_goes_by_intervals_and_by_what_is_shown() {
        let linear = row("linear", 2.0, 0.1, 0.5);
        let rows = |other| [linear.clone(), other];
        assert!(told(&rows(row("a", 1.5, 0.1, 0.4))).contains("take a: it is surely cheaper"));
        assert!(told(&rows(row("a", 1.5, 0.1, 0.4))).contains("closer by 20.0 %"));
        assert!(told(&rows(row("a", 1.5, 0.1, 0.6))).contains("20.0 % further off"));
        assert!(told(&rows(row("a", 1.9, 0.1, 0.1))).contains("stay with linear"));
        assert!(told(&rows(row("a", 2.1, 0.0, 0.1))).contains("take linear"));
        assert!(told(&[row("a", 2.1, 0.0, 0.1)]).contains("add it to --predictors"));
    }

    #[test]
    fn the_verdict_has_three_sentences_for_a_source_and_fits_a_terminal() {
        let open = OpenRow {
            source: "made".into(),
            session: "one".into(),
            predictor: "linear".into(),
            delay_ms: 300,
            aee: 1.0,
            aee_low: 0.9,
            aee_high: 1.1,
            hit_rate: 0.5,
            hit_within: 1.0,
            classes: [0.25; 4],
            n: 9,
            inert: None,
        };
        let closed = vec![row("linear", 2.0, 0.1, 0.5), row("a", 1.5, 0.1, 0.4)];
        let found = Comparison { open: vec![open], closed, ..Comparison::default() };
        let sentences = verdict(&found);
        assert_eq!(sentences.len(), 3, "{sentences:#?}");
        assert!(sentences.iter().all(|it| it.matches(". ").count() == 0), "{sentences:#?}");
        let text = verdict_text(&found);
        assert!(text.lines().all(|line| line.chars().count() <= WIDEST_LINE), "{text}");
        assert_eq!(verdict_text(&Comparison::default()), "");
    }
}
