//! The findings in plain sentences, each computed from the rows.

use super::pool::{self, distinct};
use super::tables::{number, percent};
use super::{Contents, DataSet, FairnessRow};
use crate::compare::{ClosedRow, Comparison, OpenRow};
use crate::reproduce::{ClaimVerdict, Reproduction};

/// What others are measured against, where it took part.
const USUAL: &str = "linear";

/// What was compared, on what, and what came out.
pub(super) fn sentences(contents: &Contents) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(comparison) = contents.comparison {
        found.push(subject(comparison, &contents.data));
        let (open, closed) = (pool::open(comparison), pool::closed(comparison));
        for source in pool::sources(comparison) {
            // Who has nothing to go by wins nothing.
            let of = |row: &&OpenRow| row.source == source && row.inert.is_none();
            let own: Vec<&OpenRow> = open.iter().filter(of).collect();
            found.extend(closest(source, &own));
            let of = |row: &&ClosedRow| row.source == source && row.inert.is_none();
            let own: Vec<&ClosedRow> = closed.iter().filter(of).collect();
            found.extend(cheapest(source, &own));
        }
    }
    found.extend(contents.reproduction.and_then(verdicts));
    found.extend(fairest(&contents.fairness));
    found
}

fn subject(comparison: &Comparison, data: &[DataSet]) -> String {
    let predictors = pool::predictors(comparison);
    let delays: Vec<String> =
        pool::delays(&comparison.open).iter().map(ToString::to_string).collect();
    let n: u64 = comparison.open.iter().map(|row| row.n).sum();
    let sets: Vec<String> = data.iter().map(set).collect();
    let on = if sets.is_empty() { pool::sources(comparison).join(", ") } else { sets.join("; ") };
    let delays = if delays.is_empty() { String::new() } else { format!(" at {} ms", and(&delays)) };
    format!(
        "Compared: {} ({}){delays}, {} in all. On: {on}.",
        plural(predictors.len(), "predictor"),
        and(&predictors),
        plural(n as usize, "prediction"),
    )
}

fn set(data: &DataSet) -> String {
    let minutes = data.seconds / 60.0;
    let (sessions, bodies) = (plural(data.sessions, "session"), plural(data.bodies, "body"));
    format!("{} ({sessions}, {bodies}, {minutes:.0} min)", data.source)
}

/// Who was closest at which delay, and by how much at the middle one.
fn closest(source: &str, rows: &[&OpenRow]) -> Option<String> {
    let delays = {
        let mut delays = distinct(rows.iter().map(|row| row.delay_ms));
        delays.sort_unstable();
        delays
    };
    let at = |delay: u64| rows.iter().copied().filter(move |row| row.delay_ms == delay);
    let best = |delay: u64| at(delay).min_by(|a, b| a.aee.total_cmp(&b.aee));
    let winners: Vec<(u64, &str)> =
        delays.iter().filter_map(|&delay| Some((delay, best(delay)?.predictor.as_str()))).collect();
    let middle = *delays.get(delays.len() / 2)?;
    let best = best(middle)?;
    let usual = at(middle).find(|row| row.predictor == USUAL && row.predictor != best.predictor);
    let against = usual.map(|usual| lead(best, usual)).unwrap_or_default();
    Some(format!(
        "On {source}, the smallest mean error is that of {}. At {middle} ms that of {} is {}{against}.",
        runs(&winners),
        best.predictor,
        number(best.aee)
    ))
}

/// How much smaller an error is, and whether that may be chance.
fn lead(best: &OpenRow, usual: &OpenRow) -> String {
    let less = percent(1.0 - best.aee / usual.aee);
    let sure = if best.aee_high < usual.aee_low {
        "their 95 % intervals do not overlap"
    } else {
        "their 95 % intervals overlap, so this may be chance"
    };
    format!(", {less} below {USUAL} ({}); {sure}", number(usual.aee))
}

/// `ekb at every delay`, or `linear up to 300 ms, ekb from 600 ms`.
fn runs(winners: &[(u64, &str)]) -> String {
    let groups: Vec<&[(u64, &str)]> = winners.chunk_by(|a, b| a.1 == b.1).collect();
    let name = |(index, group): (usize, &&[(u64, &str)])| {
        let ((first, name), (last, _)) = (group[0], group[group.len() - 1]);
        match index {
            0 if groups.len() == 1 => format!("{name} at every delay"),
            0 => format!("{name} up to {last} ms"),
            _ if index + 1 == groups.len() => format!("{name} from {first} ms"),
            _ if first == last => format!("{name} at {first} ms"),
            _ => format!("{name} from {first} to {last} ms"),
        }
    };
    and(&groups.iter().enumerate().map(name).collect::<Vec<_>>())
}

/// Who needed the fewest updates at the bound.
fn cheapest(source: &str, rows: &[&ClosedRow]) -> Option<String> {
    let least = |a: &&&ClosedRow, b: &&&ClosedRow| {
        a.packets_per_entity_s.total_cmp(&b.packets_per_entity_s)
    };
    let best = rows.iter().min_by(least)?;
    let usual = rows.iter().find(|row| row.predictor == USUAL && row.predictor != best.predictor);
    let against = usual.map_or_else(String::new, |usual| {
        let fewer = percent(1.0 - best.packets_per_entity_s / usual.packets_per_entity_s);
        let shown = number(usual.shown_error_100ms);
        format!("; {fewer} fewer than {USUAL}, which shows {shown}")
    });
    Some(format!(
        "On {source}, kept within {}, {} needs the fewest updates: {} per body and second, shown \
         {} off at 100 ms{against}.",
        number(best.bound),
        best.predictor,
        number(best.packets_per_entity_s),
        number(best.shown_error_100ms),
    ))
}

fn verdicts(reproduction: &Reproduction) -> Option<String> {
    let claims = &reproduction.claims;
    let documents = distinct(claims.iter().map(|claim| claim.document.name()));
    let count = |wanted| claims.iter().filter(|claim| claim.verdict == wanted).count();
    (!claims.is_empty()).then(|| {
        format!(
            "Measured: {} of {} ({}). {} reproduced, {} not reproduced, {} not comparable.",
            plural(claims.len(), "claim"),
            plural(documents.len(), "document"),
            and(&documents),
            count(ClaimVerdict::Reproduced),
            count(ClaimVerdict::NotReproduced),
            count(ClaimVerdict::NotComparable),
        )
    })
}

/// The policy with the smallest distance between its best and its worst listener.
fn fairest(rows: &[FairnessRow]) -> Option<String> {
    let spread = |policy: &&str| {
        let errors = || rows.iter().filter(|row| row.policy == *policy).map(|row| row.error);
        errors().fold(0.0, f64::max) / errors().fold(f64::INFINITY, f64::min)
    };
    let policies = distinct(rows.iter().map(|row| row.policy.as_str()));
    let least = policies.iter().min_by(|a, b| spread(a).total_cmp(&spread(b)))?;
    let most = policies.iter().max_by(|a, b| spread(a).total_cmp(&spread(b)))?;
    Some(format!(
        "Fairest is {least}: its worst-served listener has {:.1} times the error of its best-served; \
         with {most} it is {:.1} times.",
        spread(least),
        spread(most)
    ))
}

fn plural(count: usize, word: &str) -> String {
    match (count, word.strip_suffix('y')) {
        (1, _) => format!("1 {word}"),
        (_, Some(stem)) => format!("{} {stem}ies", grouped(count)),
        (_, None) => format!("{} {word}s", grouped(count)),
    }
}

/// 1234567 as `1 234 567`, with spaces that do not break.
fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{a0}');
        }
        text.push(digit);
    }
    text
}

/// `a`, `a and b`, `a, b and c`.
fn and<T: AsRef<str>>(words: &[T]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        None => String::new(),
        Some((only, [])) => (*only).to_string(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_counts_read_as_people_write_them() {
        assert_eq!(and(&["a"]), "a");
        assert_eq!(and(&["a", "b", "c"]), "a, b and c");
        assert_eq!(plural(1, "body"), "1 body");
        assert_eq!(plural(2, "body"), "2 bodies");
        assert_eq!(plural(1_234_567, "claim"), "1\u{a0}234\u{a0}567 claims");
    }

    #[test]
    fn winners_are_told_by_stretches_of_delay() {
        let winners = [(100, "linear"), (200, "linear"), (300, "ekb"), (600, "hold")];
        assert_eq!(runs(&winners), "linear up to 200 ms, ekb at 300 ms and hold from 600 ms");
        assert_eq!(runs(&winners[..2]), "linear at every delay");
    }
}
