//! A bandwidth profile as tables, as JSON, as a strip over time and as a page.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};

use super::html::{escape, figure, table};
use super::page::{opening, summary};
use super::tables::{number, percent};
use crate::reproduce::ReportTable;
use crate::traffic::{
    CONNECTION, ErrorSum, KindTraffic, Moment, ReceiverTraffic, TrafficField, TrafficProfile,
};

/// What the words of the page mean.
const WORDS: [(&str, &str); 4] = [
    (
        "played once more",
        "a recording tells where bodies were. They were moved by a host once more and watched over \
         these links; every datagram was read as it left, and every bit put down to a kind and a field.",
    ),
    ("address", "whose update it is, and against which other one it is coded."),
    (
        "header, UDP and IP",
        "of our datagrams, with what fills their last byte; and 28 bytes below them.",
    ),
    (
        "error",
        "the distance between where a body is and where that receiver shows it, in the units of the \
         recording: the mean over bodies and ticks, and the largest.",
    ),
];

/// Groups of fields, as the strip stacks them: name and colour, after Okabe and Ito.
const GROUPS: [(&str, &str); 5] = [
    ("motion", "#0072b2"),
    ("turning", "#56b4e9"),
    ("which body and when", "#009e73"),
    ("entries, values and messages", "#e69f00"),
    ("headers", "#999999"),
];
const ERROR_COLOUR: &str = "#d55e00";
/// Size of the strip before it is stretched, and columns at most.
const WIDE: usize = 1_000;
const HIGH: usize = 60;
const COLUMNS: usize = 500;

fn group_of(field: TrafficField) -> usize {
    use reckoning_net::wire::UpdateField as Of;
    match field {
        TrafficField::Update(Of::Turning) | TrafficField::Joints => 1,
        TrafficField::Update(Of::Model | Of::Stamp) | TrafficField::Address => 2,
        TrafficField::Update(_) => 0,
        TrafficField::Entry
        | TrafficField::Exit
        | TrafficField::Values
        | TrafficField::Messages => 3,
        TrafficField::Header | TrafficField::Udp => 4,
    }
}

/// Three sorts of tables: one of the receivers, one of the kinds at each, and for each receiver one of
/// kinds by fields.
#[must_use]
pub fn traffic_tables(profile: &TrafficProfile) -> Vec<ReportTable> {
    let fields = profile.receivers.iter().map(|it| field_table(profile, it));
    [receiver_table(profile), kind_table(profile)].into_iter().chain(fields).collect()
}

fn columns(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn errors(error: ErrorSum) -> [String; 2] {
    let known = |value: f64| if error.mean().is_some() { number(value) } else { "-".to_owned() };
    [known(error.mean().unwrap_or_default()), known(error.worst())]
}

fn receiver_table(profile: &TrafficProfile) -> ReportTable {
    let per_s = |count: f64| number(count / profile.seconds);
    let row = |it: &ReceiverTraffic| {
        let headers: f64 = it
            .kinds
            .values()
            .map(|kind| kind.bytes_of(TrafficField::Udp) + kind.bytes_of(TrafficField::Header))
            .sum();
        let [mean, worst] = errors(it.error());
        let told = [it.receiver.clone(), per_s(it.bytes()), per_s(it.datagrams as f64)];
        told.into_iter().chain([percent(headers / it.bytes()), mean, worst]).collect()
    };
    ReportTable {
        title: format!(
            "{}: {:.1} s, updates due at {} {}",
            profile.session,
            profile.seconds,
            number(profile.bound),
            short(&profile.units)
        ),
        columns: columns(&[
            "receiver",
            "bytes/s",
            "datagrams/s",
            "headers",
            "mean error",
            "worst error",
        ]),
        rows: profile.receivers.iter().map(row).collect(),
    }
}

fn kind_table(profile: &TrafficProfile) -> ReportTable {
    let row = |receiver: &ReceiverTraffic, name: &str, it: &KindTraffic| {
        let per_s = |count: f64| number(count / it.body_seconds);
        let updates: f64 = it
            .bits
            .iter()
            .filter(|(field, _)| matches!(field, TrafficField::Update(_) | TrafficField::Address))
            .map(|(_, bits)| *bits as f64 / 8.0)
            .sum();
        let [mean, worst] = errors(it.error);
        let told = [receiver.receiver.clone(), name.to_owned(), per_s(it.bytes())];
        let each = number(updates / it.updates as f64);
        told.into_iter().chain([per_s(it.updates as f64), each, mean, worst]).collect()
    };
    let rows = profile.receivers.iter().flat_map(|receiver| {
        let bodies = receiver.kinds.iter().filter(|(name, _)| name.as_str() != CONNECTION);
        bodies.map(move |(name, it)| row(receiver, name, it))
    });
    ReportTable {
        title: "For each body, without the connection's headers".to_owned(),
        columns: columns(&[
            "receiver",
            "kind",
            "bytes/s",
            "updates/s",
            "bytes/update",
            "mean error",
            "worst error",
        ]),
        rows: rows.collect(),
    }
}

/// Bytes a second of all bodies of each kind, field by field.
fn field_table(profile: &TrafficProfile, receiver: &ReceiverTraffic) -> ReportTable {
    let mut all: BTreeMap<TrafficField, f64> = BTreeMap::new();
    for kind in receiver.kinds.values() {
        for field in kind.bits.keys() {
            *all.entry(*field).or_default() += kind.bytes_of(*field);
        }
    }
    let per_s = |bytes: f64| if bytes > 0.0 { number(bytes / profile.seconds) } else { "-".into() };
    let cells = |name: &str, of: &dyn Fn(TrafficField) -> f64, sum: f64| -> Vec<String> {
        let fields = all.keys().map(|field| per_s(of(*field)));
        let whole = [per_s(sum), percent(sum / receiver.bytes())];
        std::iter::once(name.to_owned()).chain(fields).chain(whole).collect()
    };
    let kinds = receiver.kinds.iter();
    let mut rows: Vec<Vec<String>> =
        kinds.map(|(name, it)| cells(name, &|field| it.bytes_of(field), it.bytes())).collect();
    rows.push(cells("all", &|field| all[&field], receiver.bytes()));
    let share = |field: &TrafficField| percent(all[field] / receiver.bytes());
    let shares = all.keys().map(share);
    let dash = [percent(1.0), "-".to_owned()];
    rows.push(std::iter::once("share".to_owned()).chain(shares).chain(dash).collect());
    let names = all.keys().map(|field| field.name());
    ReportTable {
        title: format!("To {}: bytes a second by kind and field", receiver.receiver),
        columns: columns(
            &std::iter::once("kind").chain(names).chain(["all", "share"]).collect::<Vec<_>>(),
        ),
        rows,
    }
}

/// One object: the session, and for each receiver its kinds and its seconds, both with bytes by
/// field. An error that nobody knows is `null`.
#[must_use]
pub fn traffic_json(profile: &TrafficProfile) -> String {
    let fields = |bits: &BTreeMap<TrafficField, u64>| -> Value {
        bits.iter()
            .map(|(field, bits)| (field.name().to_owned(), json!(*bits as f64 / 8.0)))
            .collect()
    };
    let kind = |(name, it): (&String, &KindTraffic)| {
        json!({
            "kind": name, "updates": it.updates, "body_seconds": it.body_seconds,
            "bytes": it.bytes(), "bytes_by_field": fields(&it.bits),
            "mean_error": it.error.mean(), "worst_error": it.error.mean().map(|_| it.error.worst()),
        })
    };
    let second = |it: &Moment| {
        json!({
            "bytes_by_field": fields(&it.bits), "mean_error": it.error.mean(),
            "worst_error": it.error.mean().map(|_| it.error.worst()),
        })
    };
    let receiver = |it: &ReceiverTraffic| {
        json!({
            "receiver": it.receiver, "bytes": it.bytes(), "datagrams": it.datagrams,
            "kinds": it.kinds.iter().map(kind).collect::<Vec<_>>(),
            "seconds": it.moments.iter().map(second).collect::<Vec<_>>(),
        })
    };
    let whole = json!({
        "session": profile.session, "seconds": profile.seconds, "units": profile.units,
        "bound": profile.bound,
        "receivers": profile.receivers.iter().map(receiver).collect::<Vec<_>>(),
    });
    format!("{whole:#}\n")
}

/// Bytes of a stretch of time by group, and its mean error.
struct Column {
    bytes_per_s: [f64; GROUPS.len()],
    error: Option<f64>,
}

fn strip_columns(receiver: &ReceiverTraffic, seconds: f64) -> Vec<Column> {
    // What came after the last whole second would look like a dip.
    let whole = (seconds as usize).clamp(1, receiver.moments.len().max(1));
    let moments = &receiver.moments[..whole.min(receiver.moments.len())];
    let column = |moments: &[Moment]| {
        let mut column = Column { bytes_per_s: [0.0; GROUPS.len()], error: None };
        let mut error = ErrorSum::default();
        for moment in moments {
            for (field, bits) in &moment.bits {
                column.bytes_per_s[group_of(*field)] += *bits as f64 / 8.0 / moments.len() as f64;
            }
            error.add_all(moment.error);
        }
        column.error = error.mean();
        column
    };
    moments.chunks(moments.len().div_ceil(COLUMNS).max(1)).map(column).collect()
}

/// Bytes over time by groups of fields, stacked, and the mean error as a line: as wide as the time
/// line that it stands under. It holds everything it shows.
#[must_use]
pub fn traffic_strip(receiver: &ReceiverTraffic, seconds: f64) -> String {
    let columns = strip_columns(receiver, seconds);
    let most = |value: &dyn Fn(&Column) -> f64| columns.iter().map(value).fold(1e-9, f64::max);
    let most_bytes = most(&|it| it.bytes_per_s.iter().sum());
    let most_error = most(&|it| it.error.unwrap_or(0.0));
    let (wide, high) = (WIDE as f64 / columns.len().max(1) as f64, HIGH as f64);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDE} {HIGH}\" \
         preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Bytes and error over time\">\n"
    );
    let step = seconds / columns.len().max(1) as f64;
    let mut line = String::new();
    for (number_of, column) in columns.iter().enumerate() {
        let x = number_of as f64 * wide;
        let _ = write!(svg, "<g><title>{}</title>", escape(&told(column, number_of as f64 * step)));
        let mut top = high;
        for ((_, colour), bytes) in GROUPS.iter().zip(column.bytes_per_s) {
            let tall = bytes / most_bytes * high;
            top -= tall;
            let _ = write!(
                svg,
                "<path fill=\"{colour}\" d=\"M{x:.2} {top:.2}h{wide:.2}v{tall:.2}h-{wide:.2}z\"/>"
            );
        }
        svg.push_str("</g>\n");
        if let Some(error) = column.error {
            let mark = if line.is_empty() { 'M' } else { 'L' };
            let y = high - error / most_error * (high - 4.0) - 2.0;
            let _ = write!(line, "{mark}{:.2} {y:.2}", x + 0.5 * wide);
        }
    }
    let _ = write!(
        svg,
        "<path fill=\"none\" stroke=\"{ERROR_COLOUR}\" stroke-width=\"2\" \
         vector-effect=\"non-scaling-stroke\" d=\"{line}\"/>\n</svg>\n"
    );
    svg
}

fn told(column: &Column, at_s: f64) -> String {
    let at = at_s as u64;
    let sum: f64 = column.bytes_per_s.iter().sum();
    let error = column.error.map(|it| format!(", error {}", number(it))).unwrap_or_default();
    format!("{}:{:02}  {} bytes/s{error}", at / 60, at % 60, number(sum))
}

/// The page: self-contained, without scripts, for light and dark screens.
#[must_use]
pub fn traffic_html(profile: &TrafficProfile) -> String {
    let mut html = opening(&format!("Bandwidth profile of {}", profile.session));
    html.push_str(&summary(&sentences(profile)));
    html.push_str("<ul class=\"legend\">\n");
    for (name, colour) in GROUPS.into_iter().chain([("mean error", ERROR_COLOUR)]) {
        let _ = writeln!(
            html,
            "<li><svg width=\"14\" height=\"14\" aria-hidden=\"true\"><rect width=\"14\" height=\"14\" \
             fill=\"{colour}\"/></svg><span>{name}</span></li>"
        );
    }
    html.push_str("</ul>\n");
    for receiver in &profile.receivers {
        let columns = strip_columns(receiver, profile.seconds);
        let most = columns.iter().map(|it| it.bytes_per_s.iter().sum()).fold(0.0, f64::max);
        let worst = columns.iter().filter_map(|it| it.error).fold(0.0, f64::max);
        let caption = format!(
            "To {}: up to {} bytes/s, mean error up to {}, over {:.0} s",
            receiver.receiver,
            number(most),
            number(worst),
            profile.seconds
        );
        let strip = traffic_strip(receiver, profile.seconds);
        let strip = strip.replacen(
            "<svg xmlns=\"http://www.w3.org/2000/svg\"",
            "<svg width=\"100%\" height=\"120\"",
            1,
        );
        html.push_str(&figure(&caption, &strip));
    }
    for it in traffic_tables(profile) {
        html.push_str(&table(&it));
    }
    html.push_str("<dl>\n");
    for (word, meaning) in WORDS {
        let _ = writeln!(html, "<dt>{}</dt><dd>{}</dd>", escape(word), escape(meaning));
    }
    html.push_str("</dl>\n</main>\n</body>\n</html>\n");
    html
}

/// What takes most, at the first receiver.
fn sentences(profile: &TrafficProfile) -> Vec<String> {
    let Some(first) = profile.receivers.first() else { return Vec::new() };
    let all = first.bytes();
    let mut fields: BTreeMap<TrafficField, f64> = BTreeMap::new();
    for kind in first.kinds.values() {
        kind.bits.keys().for_each(|it| *fields.entry(*it).or_default() += kind.bytes_of(*it));
    }
    let mut told = vec![format!(
        "{} bytes a second to {}, with UDP and IP.",
        number(all / profile.seconds),
        first.receiver
    )];
    let most = fields.iter().max_by(|a, b| a.1.total_cmp(b.1));
    told.extend(most.map(|(field, bytes)| {
        format!("Most of it is {}: {} of all bytes.", field.name(), percent(bytes / all))
    }));
    let bodies = first.kinds.iter().filter(|(name, _)| name.as_str() != CONNECTION);
    let most = bodies.max_by(|a, b| a.1.bytes().total_cmp(&b.1.bytes()));
    told.extend(most.map(|(name, it)| {
        format!("Of the kinds of bodies, {name} takes most: {}.", percent(it.bytes() / all))
    }));
    told
}

/// Sources may describe their unit in a sentence.
fn short(units: &str) -> &str {
    units.split(['(', ';', ',']).next().unwrap_or_default().trim()
}
