//! Committed table of what is seen: today's default and the one before it at equal bytes.

use std::fmt::Write as _;

use reckoning_recording::Recording;

use super::intervals::intervals_text;
use super::text::{ideal_text, parts_text};
use super::wire_price::header_bytes;
use super::{Frontier, FrontierConfig, FrontierError, FrontierRow, frontier};

/// The setting that the table goes by.
pub(super) const BOUND: &str = "bound 1";

/// Measures all methods on recordings, with the asteroids, and takes the errors apart.
///
/// # Errors
/// As [`frontier`](super::frontier).
pub fn measure_seen(
    recordings: Vec<Recording>,
    say: &dyn Fn(&str),
) -> Result<Frontier, FrontierError> {
    let config = FrontierConfig { decompose: true, ..FrontierConfig::default() };
    frontier(&config, recordings, say)
}

/// The text of `testdata/seen.txt`.
#[must_use]
pub fn seen_text(found: &Frontier) -> String {
    let mut text = String::from(INTRODUCTION);
    for source in found.sources() {
        let _ = writeln!(text, "\n{source}");
        for line in source_lines(found, source) {
            let _ = writeln!(text, "{line}");
        }
    }
    let _ = write!(text, "\n{}", with_headers_text(found));
    let _ = write!(text, "\n{}", intervals_text(found));
    let _ = write!(text, "\n{}", parts_text(&found.parts));
    let _ = write!(text, "\n{}", ideal_text(&found.ideal));
    text
}

const INTRODUCTION: &str = "\
What is seen behind a delay for the same bytes, on sessions that nothing was trained on. What
`default` aims for was chosen on others as well; the spans of close blends come from a trial
whose sessions were not written down.

Real publisher, wire, link and ghost. Errors are in body widths, mean and what 95 of 100 pictures
stay below, at 50, 100, 200 and 350 ms one way; bytes are those of one body's updates without the
headers of datagrams; roughness is the root mean square of shown less true acceleration in widths a
second squared, and extra speed what 95 of 100 pictures are at most too fast by, in widths a second.
`before`: a trained curve, a bound of one body width, blended in 333 ms. `default`: lines aimed
for the delay at what the same network foresees. Methods other than `before` are
read off their curves at the bytes of `before`, or, where they never get so cheap, at their
cheapest, whose bytes are then in brackets. Made by `cargo xtask tables`.
";

fn source_lines(found: &Frontier, source: &str) -> Vec<String> {
    let (delays, methods) = (found.delays_ms(), found.methods());
    let mut lines = vec![heading(&delays)];
    for method in methods {
        let mut cells = [String::new(), String::new(), String::new(), String::new()];
        let mut bytes = String::new();
        for &delay in &delays {
            let Some(base) = base(found, source, delay) else { continue };
            let Some(at) = at_bytes(found, base, method, |row| row.bytes_per_s) else { continue };
            let mark = at.bytes_per_s > base.bytes_per_s * 1.01;
            if mark {
                bytes = format!("({:.0})", at.bytes_per_s);
            } else if bytes.is_empty() {
                bytes = format!("{:.0}", at.bytes_per_s);
            }
            let values = [at.error_widths, at.p95_widths, at.acceleration_error, at.extra_speed];
            for ((cell, value), digits) in cells.iter_mut().zip(values).zip([2, 1, 0, 0]) {
                let _ = write!(cell, "{value:>7.digits$}");
            }
        }
        let [error, p95, rough, fast] = cells;
        lines.push(format!("{method:<17}{bytes:>7} {error} {p95} {rough} {fast}"));
    }
    lines
}

/// Two lines: what is in a group of columns, and their delays.
fn heading(delays: &[u64]) -> String {
    let (mut groups, mut line) = (format!("{:<25}", ""), format!("{:<17}{:>7} ", "", "B/s"));
    for name in ["error", "p95", "roughness", "extra speed"] {
        let width = 7 * delays.len() + 1;
        let _ = write!(groups, "{:<width$}", format!("   {name}"));
        for delay in delays {
            let _ = write!(line, "{delay:>7}");
        }
        line.push(' ');
    }
    format!("{}\n{}", groups.trim_end(), line.trim_end())
}

/// What all others are compared with.
fn base<'a>(found: &'a Frontier, source: &str, delay_ms: u64) -> Option<&'a FrontierRow> {
    let is_base = |row: &&FrontierRow| {
        (row.source.as_str(), row.method.as_str(), row.setting.as_str(), row.delay_ms)
            == (source, "before", BOUND, delay_ms)
    };
    found.rows.iter().find(is_base)
}

/// Which bytes are equal.
type Price = fn(&FrontierRow) -> f64;

/// With their share of the headers, or with all of them.
const REGIMES: [(&str, Price); 2] =
    [("batched", |row| row.bytes_per_s_with_headers), ("alone", |row| row.bytes_per_s_uplink)];

/// Curves, lines and one of each kind of snapshots.
const WITH_HEADERS: [&str; 5] = ["before", "default", "naive-20", "interpolation-20", "codec-20"];

/// The same at equal bytes with headers.
fn with_headers_text(found: &Frontier) -> String {
    let (delays, header) = (found.delays_ms(), header_bytes());
    let bodies = FrontierConfig::default().bodies;
    let mut text = format!(
        "The same for the same bytes with headers: {header} of a datagram (UDP/IP 28, QUIC 30, our own with an
acknowledgement). `batched`: a host sends up to 30 datagrams a second, and {bodies} bodies share each
(asteroids: 250). `alone`: each update is a datagram, as an owner of one body sends them; a curve, which
lasts longer, then costs little more than a line. Mean error in body widths.

source         headers  method                B/s"
    );
    for delay in &delays {
        let _ = write!(text, "{delay:>7}");
    }
    text.push('\n');
    for source in found.sources() {
        for ((regime, price), method) in
            REGIMES.iter().flat_map(|it| WITH_HEADERS.map(|method| (it, method)))
        {
            let at = |delay: &u64| {
                let base = base(found, source, *delay)?;
                Some((base, at_bytes(found, base, method, *price)?))
            };
            let rows: Vec<_> = delays.iter().filter_map(at).collect();
            let Some((first, own)) = rows.first() else { continue };
            let bytes = price(own);
            let told = if bytes > 1.01 * price(first) {
                format!("({bytes:.0})")
            } else {
                format!("{bytes:.0}")
            };
            let _ = write!(text, "{source:<14} {regime:<8} {method:<17} {told:>7}");
            for (_, own) in &rows {
                let _ = write!(text, "{:>7.2}", own.error_widths);
            }
            text.push('\n');
        }
    }
    text
}

/// A method at the bytes of another row, or at its cheapest.
fn at_bytes(
    found: &Frontier,
    base: &FrontierRow,
    method: &str,
    price: Price,
) -> Option<FrontierRow> {
    let own = found.rows.iter().filter(|row| {
        row.source == base.source && row.method == method && row.delay_ms == base.delay_ms
    });
    let mut points: Vec<&FrontierRow> = own.collect();
    points.sort_by(|a, b| price(a).total_cmp(&price(b)));
    let wanted = price(base);
    let pair = points.windows(2).find(|pair| (price(pair[0])..=price(pair[1])).contains(&wanted));
    let Some(pair) = pair else {
        let first = points.first()?;
        let last = points.last()?;
        return Some((**if wanted < price(first) { first } else { last }).clone());
    };
    Some(between(pair[0], pair[1], share_between(price(pair[0]), price(pair[1]), wanted)))
}

/// A point of a curve between two others, along logarithms.
fn between(low: &FrontierRow, high: &FrontierRow, share: f64) -> FrontierRow {
    let mix = |part: fn(&FrontierRow) -> f64| mixed(part(low), part(high), share);
    FrontierRow {
        bytes_per_s: mix(|row| row.bytes_per_s),
        bytes_per_s_with_headers: mix(|row| row.bytes_per_s_with_headers),
        bytes_per_s_uplink: mix(|row| row.bytes_per_s_uplink),
        updates_per_s: mix(|row| row.updates_per_s),
        error_widths: mix(|row| row.error_widths),
        p95_widths: mix(|row| row.p95_widths),
        acceleration_error: mix(|row| row.acceleration_error),
        extra_speed: mix(|row| row.extra_speed),
        setting: "equal bytes".to_owned(),
        ..low.clone()
    }
}

/// How far along between two numbers a third is, by their logarithms.
pub(super) fn share_between(low: f64, high: f64, wanted: f64) -> f64 {
    let ratio = high / low;
    if ratio > 1.0 { libm::log(wanted / low) / libm::log(ratio) } else { 0.0 }
}

/// What lies so far along between two numbers, by their logarithms.
pub(super) fn mixed(low: f64, high: f64, share: f64) -> f64 {
    let (low, high) = (low.max(1e-9), high.max(1e-9));
    low * libm::exp(share * libm::log(high / low))
}
