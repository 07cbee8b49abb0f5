//! Text form of the wire-cost table.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use reckoning::{Curve, CurveBasis, Model};
use reckoning_net::wire::Format;
use reckoning_recording::load_file;

use super::WireTableError;
use super::publish::{BodyExport, PublishPlan, PublishedModel};
use super::send::{BaselineMode, Sender, SendingCost};
use super::trains::{TRAIN_WIDTH_M, on_track, track, train_exports, train_format};
use crate::compare::prepare::Prepared;

/// Sessions that stand for their sources, and whether their world is flat.
const SOURCES: [(&str, bool, &[&str]); 5] = [
    ("quakeworld", false, &["duel_aerowalk", "4on4_dm2", "1on1_skull_win"]),
    ("rocketleague", false, &["00bb", "dcab"]),
    ("slippi", true, &["doubles", "v2.0", "ics2", "throwGrab"]),
    ("football", true, &["skillcorner_2417_half1"]),
    ("football", true, &["hawkeye_1_1"]),
];
const RATES: [&str; 5] = ["", "", "", " 10 Hz", " 50 Hz"];

const INTRODUCTION: &str = "\
What an update costs on the wire, on real recordings (PROTOCOL.md says how it is written).

Every player publishes with the engine's publisher at a threshold of one body width and of half
of it, on a grid of 1/4 threshold for positions, 2 thresholds a second for velocities and curve
coefficients, 1 threshold a second squared for accelerations and 4 milliseconds for time.
A host sends 30 datagrams a second; each carries the newest update of every player who
published since. Bytes are those of the update with everything about it: what kind of message,
entity, number, stamp, position, velocity, model with its coefficients.
  acked     coded off the newest update acknowledged: 100 ms round trip, 5 % lost
  previous  coded off the update before
  whole     coded off nothing
  all       `acked` with its share of the datagrams' headers, acknowledgements included
  plain     id 4, time 4 and every vector and coefficient used as f32
  planned   a curve through where the body really went, the richest an owner can plan
  heading   with orientation and angular velocity, which the other rows leave at rest
  path      a line that both ends know: progress along it, its rate, id and time, 18 bytes plain

For comparison, whatever moves: DIS Entity State PDU 144; BZFlag MsgPlayerUpdateSmall 27 and a
header of 4.
";

/// The table of `testdata/wire.txt`, from the recordings under `data`.
///
/// # Errors
/// Names what could not be read or written.
pub fn wire_table(data: &Path) -> Result<String, WireTableError> {
    let mut text = INTRODUCTION.to_owned();
    for ((source, flat, sessions), rate) in SOURCES.into_iter().zip(RATES) {
        let mut recordings = Vec::new();
        for session in sessions {
            let path = data.join(source).join(format!("{session}.csv.zst"));
            recordings.push((*session, Prepared::from_recording(&load_file(&path)?)));
        }
        let axes = if flat { "2-D" } else { "3-D" };
        put(&mut text, &format!("\n{source}{rate}, {axes} ({})", sessions.join(", ")));
        put(&mut text, HEADINGS);
        for (width, widths) in [(1.0, "1 width"), (0.5, "1/2 width")] {
            for (name, way, heading) in ways() {
                let row = WireCostRow::measure(&recordings, way, heading, flat, width)?;
                put(&mut text, &row.line(&format!("{name}, {widths}")));
            }
        }
    }
    put_trains(&mut text)?;
    Ok(text)
}

/// Bodies on a line that both ends know.
fn put_trains(text: &mut String) -> Result<(), WireTableError> {
    let track = track()?;
    put(text, "\ntrains, 3-D (eight on one track, made up; with heading)");
    put(text, HEADINGS);
    for (width, widths) in [(1.0, "1 width"), (0.5, "1/2 width")] {
        for (name, model, plain_bytes) in
            [("path", on_track(track), 18), ("linear", Model::Linear, 60)]
        {
            let bound_m = TRAIN_WIDTH_M * width;
            let format = train_format(track, model, bound_m)?;
            let exports = train_exports(track, model, bound_m, &format)?;
            let mut row = WireCostRow::empty(plain_bytes);
            row.send("trains", &format, &exports)?;
            put(text, &row.line(&format!("{name}, {widths}")));
        }
    }
    Ok(())
}

const HEADINGS: &str = "                                  updates    acked    p99 previous    p99    \
                        whole    p99     all  plain";

/// Models as the comparison of predictors uses them, under their names.
fn ways() -> [(&'static str, PublishedModel, bool); 6] {
    let trust = Duration::from_millis(300);
    let four = Curve::still(CurveBasis::FOUR);
    [
        ("linear", PublishedModel::Fitted(Model::Linear), false),
        ("accelerating", PublishedModel::Fitted(Model::Accelerating { trust }), false),
        ("curve of 4, coasting", PublishedModel::Fitted(Model::Curve(four)), false),
        ("curve of 4, planned", PublishedModel::Planned(CurveBasis::FOUR), false),
        ("curve of 3, planned", PublishedModel::Planned(CurveBasis::THREE), false),
        ("linear with heading", PublishedModel::Fitted(Model::Linear), true),
    ]
}

/// One line of the table.
struct WireCostRow {
    acked: SendingCost,
    previous: SendingCost,
    whole: SendingCost,
    plain_bytes: usize,
}

impl WireCostRow {
    fn measure(
        recordings: &[(&str, Prepared)],
        way: PublishedModel,
        heading: bool,
        flat: bool,
        width: f64,
    ) -> Result<Self, WireTableError> {
        let mut row = Self::empty(plain_bytes(way, heading, flat));
        for (session, prepared) in recordings {
            let plan = PublishPlan { way, bound: prepared.body_width * width, flat, heading };
            let format = plan.format()?;
            row.send(session, &format, &plan.exports(prepared, &format)?)?;
        }
        Ok(row)
    }

    fn empty(plain_bytes: usize) -> Self {
        let empty = SendingCost::default;
        Self { acked: empty(), previous: empty(), whole: empty(), plain_bytes }
    }

    /// Adds what `exports` cost.
    fn send(
        &mut self,
        session: &str,
        format: &Format,
        exports: &[BodyExport],
    ) -> Result<(), WireTableError> {
        let send = |off| -> Result<SendingCost, WireTableError> {
            let changed = |_| WireTableError::Changed { session: session.to_owned() };
            Sender::new(format, off, 7).run(exports)?.map_err(changed)
        };
        self.acked.merge(&send(BaselineMode::Acknowledged)?);
        self.previous.merge(&send(BaselineMode::Previous)?);
        self.whole.merge(&send(BaselineMode::Nothing)?);
        Ok(())
    }

    fn line(&self, name: &str) -> String {
        let mut line = format!("  {name:<32}{:>7}", self.acked.count());
        for cost in [&self.acked, &self.previous, &self.whole] {
            // Writing to a string cannot fail.
            let _ = write!(line, "{:>9.2}{:>7.1}", cost.mean_bytes(), cost.p99_bytes());
        }
        let _ = write!(line, "{:>8.2}{:>7}", self.acked.with_headers_bytes(), self.plain_bytes);
        line
    }
}

/// Id, time and every vector that the update carries, as f32.
fn plain_bytes(way: PublishedModel, heading: bool, flat: bool) -> usize {
    let axes = if flat { 2 } else { 3 };
    let vectors = match way.model() {
        Model::Accelerating { .. } => 3,
        Model::Curve(curve) => 2 + curve.coefficients().len(),
        _ => 2,
    };
    // An angle and its rate, or a quaternion and a vector.
    let turning = match (heading, flat) {
        (false, _) => 0,
        (true, true) => 2,
        (true, false) => 7,
    };
    4 + 4 + 4 * (vectors * axes + turning)
}

fn put(text: &mut String, line: &str) {
    let _ = writeln!(text, "{line}");
}
