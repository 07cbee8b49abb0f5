//! The play logs of Shi, Corriveau and Agar, "Dead Reckoning Using Play Patterns in a Simple 2D
//! Multiplayer Online Game" (2014), as its Box 1 shows them.
//!
//! An XML file lists the users, where and when each started, and every input with its time in
//! milliseconds: the game is deterministic and was replayed from them. So a recording read
//! from one has births and inputs, and one sample for each player, at its start. The printed
//! example has no single root element; both forms are read.

use reckoning::{DVec3, SimTime};
use reckoning_recording::{
    Birth, Fault, Input, Meta, Player, Recording, RecordingError, Sample, Track,
};
use roxmltree::{Document, Node};

use super::{finish, foreign};

const OPEN: &str = "<log>";
const CLOSE: &str = "</log>";
/// Deeper nesting than this is not a play log; the parser would use a stack frame for each.
const DEPTH_LIMIT: usize = 64;

/// A play log has no name spaces, and the parser copies all of them for each element with one.
const NAME_SPACE: &str = "xmlns";

/// Reads a play log.
///
/// # Errors
/// Names line and byte at which the XML is broken or a value is not a number.
pub fn parse(bytes: &[u8], session: &str) -> Result<Recording, RecordingError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let reason = "not UTF-8 text".to_string();
        RecordingError::at(error.valid_up_to() as u64, Fault::Decoder { format: "XML", reason })
    })?;
    let body = text.trim_start_matches('\u{feff}').trim_start();
    let body = match body.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>")) {
        Some((_, rest)) => rest,
        None => body,
    };
    if !body.contains("<U>") {
        return Err(foreign("a play log: it has no user (<U>)"));
    }
    check_depth(body, text.len() - body.len())?;
    if let Some(at) = body.find(NAME_SPACE) {
        let at = (text.len() - body.len() + at) as u64;
        return Err(RecordingError::value(at, "attribute", NAME_SPACE, "one of a play log"));
    }
    let wrapped = format!("{OPEN}{body}{CLOSE}");
    let place = TextPlace { text, before: text.len() - body.len() };
    let document = Document::parse(&wrapped).map_err(|error| place.broken(&wrapped, &error))?;
    read(&document, session, &place)
}

fn check_depth(body: &str, before: usize) -> Result<(), RecordingError> {
    let mut depth = 0_usize;
    for (at, _) in body.match_indices('<') {
        let rest = body.get(at + 1..).unwrap_or_default();
        depth = if rest.starts_with('/') { depth.saturating_sub(1) } else { depth + 1 };
        if depth > DEPTH_LIMIT {
            let at = (before + at) as u64;
            return Err(RecordingError::value(at, "nesting", depth, "that of a play log"));
        }
    }
    Ok(())
}

/// Turns places in the wrapped text into places in the file.
struct TextPlace<'a> {
    text: &'a str,
    before: usize,
}

impl TextPlace<'_> {
    fn offset(&self, wrapped: usize) -> u64 {
        (self.before + wrapped.saturating_sub(OPEN.len())).min(self.text.len()) as u64
    }

    fn line(&self, offset: u64) -> u64 {
        let before = self.text.as_bytes().iter().take(offset as usize);
        1 + before.filter(|&&byte| byte == b'\n').count() as u64
    }

    fn broken(&self, wrapped: &str, error: &roxmltree::Error) -> RecordingError {
        let pos = error.pos();
        let rows = wrapped.split_inclusive('\n').take((pos.row as usize).saturating_sub(1));
        let start: usize = rows.map(str::len).sum();
        let offset = self.offset(start + (pos.col as usize).saturating_sub(1));
        let fault = Fault::Decoder { format: "XML", reason: error.to_string() };
        RecordingError::at(offset, fault).on_line(self.line(offset))
    }

    fn number(&self, parent: Node<'_, '_>, name: &str) -> Result<Option<f64>, RecordingError> {
        let Some(node) = child(parent, name) else { return Ok(None) };
        let text = node.text().unwrap_or_default().trim();
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            _ => {
                let offset = self.offset(node.range().start);
                let error = RecordingError::value(offset, name, text, "a number");
                Err(error.on_line(self.line(offset)))
            }
        }
    }

    fn required(&self, parent: Node<'_, '_>, name: &str) -> Result<f64, RecordingError> {
        self.number(parent, name)?.ok_or_else(|| {
            let offset = self.offset(parent.range().start);
            let fault = Fault::NoField { field: format!("<{name}>") };
            RecordingError::at(offset, fault).on_line(self.line(offset))
        })
    }
}

fn child<'a, 'i>(parent: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    parent.children().find(|node| node.has_tag_name(name))
}

fn text_of(parent: Node<'_, '_>, name: &str) -> String {
    let node = child(parent, name);
    node.and_then(|node| node.text()).unwrap_or_default().trim().to_string()
}

fn read(
    document: &Document<'_>,
    session: &str,
    place: &TextPlace<'_>,
) -> Result<Recording, RecordingError> {
    let map = document.descendants().find(|node| node.has_tag_name("Map"));
    let map = map.and_then(|node| node.text()).unwrap_or_default().trim();
    let meta = Meta {
        units: "pixels".into(),
        dims: 2,
        map: map.strip_suffix(".xml").unwrap_or(map).into(),
        ..Meta::default()
    };
    let mut recording =
        Recording { source: "shi".into(), session: session.into(), meta, ..Recording::default() };
    for user in document.descendants().filter(|node| node.has_tag_name("U")) {
        read_user(user, &mut recording, place)?;
    }
    Ok(finish(recording))
}

fn read_user(
    user: Node<'_, '_>,
    recording: &mut Recording,
    place: &TextPlace<'_>,
) -> Result<(), RecordingError> {
    // The study writes "UI" in its text and "Ui" in its example.
    let id_name = if child(user, "UI").is_some() { "UI" } else { "Ui" };
    let id = place.required(user, id_name)? as i32;
    if let Some(start) = child(user, "P") {
        read_start(start, id, recording, place)?;
    }
    let name = text_of(user, "N");
    let team = recording.tracks.last().filter(|track| track.id == id).map_or(-1, |t| t.team);
    recording.players.push(Player { id, team, name });
    let inputs = child(user, "Is").into_iter().flat_map(|list| list.children());
    for input in inputs.filter(|node| node.has_tag_name("I")) {
        let pointer = place.number(input, "X")?.zip(place.number(input, "Y")?);
        recording.inputs.push(Input {
            at: SimTime::from_millis(place.required(input, "T")? as i64),
            id,
            buttons: place.number(input, "B")?.unwrap_or_default() as u32,
            stick: [0.0; 2],
            pointer: pointer.map(|(x, y)| [x as f32, y as f32]),
        });
    }
    Ok(())
}

fn read_start(
    start: Node<'_, '_>,
    id: i32,
    recording: &mut Recording,
    place: &TextPlace<'_>,
) -> Result<(), RecordingError> {
    let Some(position) = child(start, "Pos") else { return Ok(()) };
    let position = DVec3::new(place.required(position, "X")?, place.required(position, "Y")?, 0.0);
    let at = SimTime::from_millis(place.number(start, "Si")?.unwrap_or_default() as i64);
    let team = place.number(start, "Alignment")?.map_or(-1, |team| team as i32);
    let kind = place.number(start, "Sy")?.map_or(f32::NAN, |kind| kind as f32);
    let mut track = Track::new(id, team, &["kind"]);
    track.push(Sample { at, position, alive: true, ..Sample::default() }, &[kind]);
    recording.tracks.push(track);
    recording.births.push(Birth { at, id, position });
    Ok(())
}
