//! The play logs of Shi, Corriveau and Agar, "Dead Reckoning Using Play Patterns in a Simple 2D
//! Multiplayer Online Game" (2014), as its Box 1 shows them.
//!
//! An XML file lists the users, where and when each started, and every input with its time in
//! milliseconds: the game is deterministic and was replayed from them. So a recording read
//! from one has births and inputs, and one sample for each player, at its start. The printed
//! example has no single root element; both forms are read.
//!
//! [`replay`] plays the inputs again, as the study did. Walls, deaths and the game's own rules
//! are not in the log, so players go straight through what stopped them then.

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

/// What a play log does not say of its game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayConfig {
    /// How fast players go while a key of direction is held, in pixels a second. Positive.
    pub speed_px_s: f64,
    /// Which bits of `<B>` are up, down, left and right. In the example of Box 1 a player whose
    /// cursor is to its right holds 8. Default: 1, 2, 4 and 8.
    pub keys: [u32; 4],
}

impl ReplayConfig {
    /// With the keys as they seem to be in Box 1.
    #[must_use]
    pub const fn with_speed(speed_px_s: f64) -> Self {
        Self { speed_px_s, keys: [1, 2, 4, 8] }
    }
}

/// Frames a second of the study's game.
const REPLAY_HZ: u32 = 60;
/// A log of a longer session than this is none: its times are wrong.
const LONGEST_S: f64 = 6.0 * 3_600.0;

/// Plays the inputs of a log again: from its birth to its last input each player goes at full
/// speed where its keys point, at 60 Hz.
///
/// # Errors
/// Refuses a speed that is not positive and finite, and a log that lasts longer than six hours.
pub fn replay(recording: &mut Recording, config: &ReplayConfig) -> Result<(), RecordingError> {
    if !(config.speed_px_s > 0.0 && config.speed_px_s.is_finite()) {
        let wanted = "a positive number of pixels a second";
        return Err(RecordingError::value(0, "speed", config.speed_px_s, wanted));
    }
    let Recording { tracks, inputs, .. } = recording;
    for track in tracks {
        let own = inputs.iter().filter(|input| input.id == track.id);
        replay_one(track, &own.collect::<Vec<_>>(), config)?;
    }
    recording.meta.rate_hz = f64::from(REPLAY_HZ);
    Ok(())
}

fn replay_one(
    track: &mut Track,
    inputs: &[&Input],
    config: &ReplayConfig,
) -> Result<(), RecordingError> {
    let (Some(born), Some(last)) = (track.samples.first().copied(), inputs.last()) else {
        return Ok(());
    };
    let lasts_s = last.at.secs_since(born.at);
    if lasts_s > LONGEST_S {
        return Err(RecordingError::value(
            0,
            "<T> in s",
            last.at.as_secs_f64(),
            "within six hours",
        ));
    }
    let kind = track.extras.first().and_then(|it| it.values.first().copied()).unwrap_or(f32::NAN);
    let (mut next, mut sample, mut tick) = (0, born, 1);
    let mut velocity = DVec3::ZERO;
    while sample.at < last.at {
        while inputs.get(next).is_some_and(|input| input.at <= sample.at) {
            velocity = config.velocity(inputs[next].buttons);
            next += 1;
        }
        sample.at = born.at + SimTime::from_tick(tick, REPLAY_HZ).saturating_since(SimTime::ZERO);
        sample.position += velocity / f64::from(REPLAY_HZ);
        track.push(sample, &[kind]);
        tick += 1;
    }
    Ok(())
}

impl ReplayConfig {
    /// The way that keys point; y grows downwards on the study's screen.
    fn velocity(&self, buttons: u32) -> DVec3 {
        let held = self.keys.map(|key| f64::from(u8::from(buttons & key != 0)));
        let [up, down, left, right] = held;
        DVec3::new(right - left, down - up, 0.0).normalize_or_zero() * self.speed_px_s
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Box 1 shortened: born at 3621 ms, right from 3774 ms, down and right from 3974, 4174 the last.
    const LOG: &str = "<Map>ProvingGrounds.xml</Map><Us><U><Ui>0</Ui><N>Unnamed</N><P><Pos><X> -2560</X>\
        <Y>1024</Y></Pos><Sy>4</Sy><Alignment>0</Alignment><Si>3621</Si></P><Is>\
        <I><T>3723</T><B>0</B></I><I><T>3774</T><B>8</B></I><I><T>3974</T><B>10</B></I>\
        <I><T>4174</T><B>0</B></I></Is></U></Us>";

    /// By hand: right for 0.2 s and down right for 0.2 s at 300 px/s, each within a tick of 5 px:
    /// 60 + 60 / sqrt(2) = 102.4 to the right and 42.4 down.
    #[test]
    fn a_play_log_is_played_again_from_its_inputs() {
        let mut log = parse(LOG.as_bytes(), "log").unwrap();
        assert_eq!(log.tracks[0].samples.len(), 1);
        replay(&mut log, &ReplayConfig::with_speed(300.0)).unwrap();
        let samples = &log.tracks[0].samples;
        let (first, last) = (samples[0].position, samples[samples.len() - 1].position);
        let gone = last - first;
        assert!((gone.x - 102.4).abs() < 5.0 && (gone.y - 42.4).abs() < 5.0, "{gone}");
        let still = samples.iter().filter(|it| it.at < SimTime::from_millis(3774));
        assert!(still.clone().all(|it| it.position == first) && still.count() > 8);
        let spans = samples.windows(2).map(|pair| pair[1].at.secs_since(pair[0].at));
        assert!(spans.map(|span_s| (span_s * 60.0 - 1.0).abs()).fold(0.0, f64::max) < 1e-3);
        assert_eq!(log.tracks[0].extras[0].values.len(), samples.len());
    }

    #[test]
    fn a_speed_that_is_none_and_times_of_days_are_refused() {
        let mut log = parse(LOG.as_bytes(), "log").unwrap();
        for speed in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(replay(&mut log, &ReplayConfig::with_speed(speed)).is_err(), "{speed}");
        }
        let late = LOG.replace("4174", "99999999999");
        let mut log = parse(late.as_bytes(), "log").unwrap();
        assert!(replay(&mut log, &ReplayConfig::with_speed(300.0)).is_err());
    }
}
