//! Text form of a frontier.

use std::fmt::Write as _;

use super::wire_price::header_bytes;
use super::{ErrorParts, Frontier, FrontierConfig, IdealBytes};

/// The frontier as tables for a terminal of 120 columns, one for each source and delay.
#[must_use]
pub fn frontier_text(config: &FrontierConfig, found: &Frontier) -> String {
    let mut text = introduction(config);
    for source in found.sources() {
        for delay_ms in found.delays_ms() {
            let _ = writeln!(text, "\n{source}, {delay_ms} ms one way\n{HEADINGS}");
            let rows = found.rows.iter();
            for row in rows.filter(|row| row.source == source && row.delay_ms == delay_ms) {
                let _ = writeln!(
                    text,
                    "{:<17}{:<12}{:>8.2}{:>9.1}{:>9.1}{:>9.1}{:>11.3}{:>9.3}{:>13.1}{:>13.2}",
                    row.method,
                    row.setting,
                    row.updates_per_s,
                    row.bytes_per_s,
                    row.bytes_per_s_with_headers,
                    row.bytes_per_s_uplink,
                    row.error_widths,
                    row.p95_widths,
                    row.acceleration_error,
                    row.extra_speed,
                );
            }
        }
    }
    if !found.parts.is_empty() {
        let _ = write!(text, "\n{}", parts_text(&found.parts));
        let _ = write!(text, "\n{}", ideal_text(&found.ideal));
    }
    text
}

/// What updates would cost with static priors.
pub(super) fn ideal_text(ideal: &[IdealBytes]) -> String {
    let mut text = String::from(IDEAL);
    for row in ideal {
        let _ = writeln!(
            text,
            "{:<15}{:<13}{:<9}{:>9}{:>12.2}{:>10.2}{:>10.2}{:>9.2}  {:?}",
            row.source,
            row.method,
            row.payload,
            row.updates,
            row.now_bytes,
            row.address_bytes,
            row.trained_bytes,
            row.ideal_bytes,
            row.codes,
        );
    }
    text
}

const IDEAL: &str = "\
Bytes of an update at a bound of one body width, acknowledged behind 100 ms: on our wire with the usual
priors, of that its address (which body, which update, coded off which), with priors of its own, and
ideally: the same address, and the numbers of the motion under a static prior for each field, which has
a chance for every number. Priors are learned on sessions that are not measured; the numbers behind a
row are its own ones, as `codes` of a kind in a settings file takes them.

source         method       payload    updates       bytes   address   trained    ideal  codes
";

/// Where the error comes from, for all sources.
pub(super) fn parts_text(parts: &[ErrorParts]) -> String {
    let mut text = String::from(PARTS);
    for row in parts {
        let _ = writeln!(
            text,
            "{:<15}{:<12}{:>6}{:>12.2}{:>14.2}{:>10.2}{:>8.2}{:>16.2}",
            row.source,
            row.method,
            row.delay_ms,
            row.prediction,
            row.clairvoyant,
            row.snapped,
            row.shown,
            row.with_loss,
        );
    }
    text
}

const PARTS: &str = "\
Where the error comes from, at a bound of one body width, each column on top of the one before:
what the payload is off by after the delay alone (prediction), waiting for the bound as well (snap),
the blend as well (shown), 12 % of updates lost four in a row as well (loss). Clairvoyant: snapped,
the same payloads and as many, at the best moments, by a sender that knows the future.

source         method          ms  prediction   clairvoyant      snap   shown            loss
";

const HEADINGS: &str = "method           setting      upd/s      B/s  batched   uplink  \
                        err mean      p95  accel error  extra speed";

fn introduction(config: &FrontierConfig) -> String {
    let (bodies, header) = (config.bodies, header_bytes());
    let mut text = format!(
        "Error on screen against bytes, on sessions that nothing was trained on; per body.

  setting      the bound or the rounding, in body widths
  B/s          bytes of updates on our wire, or of the codec, without headers of datagrams
  batched      with a share of the {header} bytes of a datagram's headers (UDP/IP 28, QUIC 30, our own
               with an acknowledgement), of up to 30 datagrams a second that {bodies} bodies share (asteroids: 250)
  uplink       with all of them, each update a datagram
  err, p95     distance of what is shown and truth in body widths: mean, and 95 of 100 stay below
  accel error  root mean square of shown less true acceleration, widths/s2, over 40 ms at least
  extra speed  95 of 100 pictures are at most so much faster than the body, widths/s
"
    );
    if config.loss > 0.0 {
        let (percent, burst) = (config.loss * 100.0, config.burst);
        let _ = writeln!(text, "  {percent} % of updates are lost, {burst} in a row on average");
    }
    text
}
