//! Every row as JSON.

use serde_json::{Value, json};

use super::angles;
use crate::compare::{ClosedRow, Comparison, OpenRow, ReceiverRow};
use crate::reproduce::{Claim, Reproduction};

/// One list of objects: a row for each session, predictor and delay (`"kind": "open"`), then
/// one for each session and predictor (`"kind": "closed"`), which holds a list of its receivers
/// and the means and standard deviations across them. Where orientations or joints are recorded,
/// their rows follow (`"open-angle"`, `"closed-angle"`; the orientation is the one whose `"joint"`
/// is `null`). What is not finite is `null`. `docs/lab.md` says what each key means; a key means the
/// same in every row, and [`comparison_csv`](super::comparison_csv) has them too.
#[must_use]
pub fn comparison_json(comparison: &Comparison) -> String {
    let open = comparison.open.iter().map(open_json);
    let rows = open.chain(comparison.closed.iter().map(closed_json));
    let rows = rows.chain(comparison.open_angles.iter().map(angles::open_json));
    let rows = rows.chain(comparison.closed_angles.iter().map(angles::closed_json));
    text(&rows.collect::<Vec<_>>())
}

/// A list of claims, each an object of eight texts: document, kind, claim with its place, rule with
/// its reason, published, measured, verdict and cause.
#[must_use]
pub fn reproduction_json(reproduction: &Reproduction) -> String {
    text(&reproduction.claims.iter().map(claim_json).collect::<Vec<_>>())
}

fn text(rows: &[Value]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("  {row}")).collect();
    if rows.is_empty() { "[]\n".to_string() } else { format!("[\n{}\n]\n", rows.join(",\n")) }
}

fn open_json(row: &OpenRow) -> Value {
    let [best, good, bad, unacceptable] = row.classes;
    json!({
        "kind": "open", "source": row.source, "session": row.session, "predictor": row.predictor,
        "inert": row.inert,
        "delay_ms": row.delay_ms, "aee": row.aee, "aee_low": row.aee_low, "aee_high": row.aee_high,
        "hit_rate": row.hit_rate, "hit_within": row.hit_within, "best": best, "good": good, "bad": bad,
        "unacceptable": unacceptable, "n": row.n,
    })
}

fn closed_json(row: &ClosedRow) -> Value {
    let mut object = closed_values(row);
    let spreads = [
        ("before", row.across_receivers(|it| it.before)),
        ("after", row.across_receivers(|it| it.after)),
        ("cee", row.across_receivers(|it| it.cee)),
        ("eee", row.across_receivers(|it| it.eee)),
        ("receiver_aee", row.across_receivers(|it| it.aee)),
    ];
    for (name, spread) in spreads {
        object[format!("{name}_mean")] = spread.map(|it| it.mean).into();
        object[format!("{name}_deviation")] = spread.map(|it| it.deviation).into();
    }
    object["receivers"] = row.receivers.iter().map(receiver_json).collect();
    object
}

fn receiver_json(row: &ReceiverRow) -> Value {
    json!({
        "receiver": row.receiver, "shown_error": row.shown_error, "before": row.before,
        "after": row.after, "cee": row.cee, "eee": row.eee, "receiver_aee": row.aee,
    })
}

fn closed_values(row: &ClosedRow) -> Value {
    json!({
        "kind": "closed", "source": row.source, "session": row.session, "predictor": row.predictor,
        "inert": row.inert,
        "bound": row.bound, "packets_per_entity_s": row.packets_per_entity_s,
        "packets_low": row.packets_low, "packets_high": row.packets_high,
        "mean_error": row.mean_error, "shown_error_100ms": row.shown_error_100ms,
        "shown_error_link": row.shown_error_link, "roughness": row.roughness,
        "in_walls": row.in_walls,
    })
}

fn claim_json(claim: &Claim) -> Value {
    json!({
        "document": claim.document.name(), "kind": claim.kind.name(),
        "claim": format!("{} ({})", claim.claim, claim.place),
        "rule": format!("{}: {}", claim.rule, claim.why), "published": claim.published,
        "measured": claim.measured, "verdict": claim.verdict.name(), "cause": claim.cause,
    })
}
