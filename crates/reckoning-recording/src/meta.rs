//! Metadata of a session (rate, units, sizes, origin) and its JSON form.

use reckoning::DVec3;
use serde_json::{Map, Value};

use super::{MemoryBudget, RecordingError, json};

/// Metadata of a session. Every field defaults to empty or zero; [`parse_meta`] takes a game
/// whose JSON names no `dims` as three-dimensional.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta {
    /// Samples a second; the typical rate when it is irregular.
    pub rate_hz: f64,
    /// What one unit of length means.
    pub units: String,
    /// How wide a body is, in those units: the natural measure of a visible error.
    pub body_width: f64,
    /// 2 when the game is flat, else 3.
    pub dims: u8,
    /// Whether some side has two or more bodies.
    pub team_play: bool,
    /// Where bodies can be.
    pub bounds: Option<Bounds>,
    /// Name of the map.
    pub map: String,
    /// How long the session is.
    pub duration_s: f64,
    /// Everything the source says, as it says it; the fields above win where they differ.
    pub other: Map<String, Value>,
}

/// A box that bodies stay in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Smallest coordinates; an unknown one is zero.
    pub min: DVec3,
    /// Largest coordinates; an unknown one is zero.
    pub max: DVec3,
}

/// Reads the json of a session: source, session and the rest.
///
/// # Errors
/// Names line and byte when this is not a json object.
pub fn parse_meta(text: &[u8]) -> Result<(String, String, Meta), RecordingError> {
    meta_within(text, &mut MemoryBudget::for_text(text.len()))
}

/// As [`parse_meta`], within a budget.
pub(super) fn meta_within(
    text: &[u8],
    budget: &mut MemoryBudget,
) -> Result<(String, String, Meta), RecordingError> {
    let other = json::object(text, "the json of a session", budget)?;
    let meta = Meta {
        rate_hz: json::number(&other, "rate_hz").unwrap_or_default(),
        units: json::text(&other, "units"),
        body_width: json::number(&other, "body_width").unwrap_or_default(),
        dims: if json::number(&other, "dims") == Some(2.0) { 2 } else { 3 },
        team_play: team_play(&other).unwrap_or_default(),
        bounds: bounds(&other),
        map: json::text(&other, "map"),
        duration_s: json::number(&other, "duration_s").unwrap_or_default(),
        other,
    };
    Ok((json::text(&meta.other, "source"), json::text(&meta.other, "session"), meta))
}

/// Writes the json of a session; what came from one comes back as it was.
#[must_use]
pub fn write_meta(source: &str, session: &str, meta: &Meta) -> Vec<u8> {
    let mut map = meta.other.clone();
    put_text(&mut map, "source", source);
    put_text(&mut map, "session", session);
    put_text(&mut map, "units", &meta.units);
    put_text(&mut map, "map", &meta.map);
    put_number(&mut map, "rate_hz", meta.rate_hz);
    put_number(&mut map, "body_width", meta.body_width);
    put_number(&mut map, "duration_s", meta.duration_s);
    if json::number(&map, "dims") != Some(f64::from(meta.dims)) {
        map.insert("dims".into(), meta.dims.into());
    }
    if team_play(&map) != Some(meta.team_play) {
        put_team_play(&mut map, meta.team_play);
    }
    if bounds(&map) != meta.bounds {
        put_bounds(&mut map, meta.bounds);
    }
    json::pretty(map)
}

/// What the source says of teams; `None` leaves it to the tracks.
pub(super) fn team_play(map: &Map<String, Value>) -> Option<bool> {
    map.get("teams").or_else(|| map.get("team_play")).and_then(Value::as_bool)
}

/// A difference to what the tracks show must be written down; agreement need not.
fn put_team_play(map: &mut Map<String, Value>, team_play: bool) {
    if map.contains_key("teams") || map.contains_key("team_play") {
        let key = if map.contains_key("teams") { "teams" } else { "team_play" };
        map.insert(key.into(), team_play.into());
    }
}

/// Bounds as the sessions (`xmin`) or the Quake maps (`minX`) write them.
pub(super) fn bounds(map: &Map<String, Value>) -> Option<Bounds> {
    let bounds = map.get("bounds")?.as_object()?;
    let pick = |a: &str, b: &str| json::number(bounds, a).or_else(|| json::number(bounds, b));
    let end = |z: &str, names: [&str; 4]| {
        let x = pick(names[0], names[1])?;
        Some(DVec3::new(x, pick(names[2], names[3])?, json::number(bounds, z).unwrap_or_default()))
    };
    let min = end("zmin", ["xmin", "minX", "ymin", "minY"])?;
    let max = end("zmax", ["xmax", "maxX", "ymax", "maxY"])?;
    Some(Bounds { min, max })
}

pub(super) fn put_bounds(map: &mut Map<String, Value>, bounds: Option<Bounds>) {
    let Some(Bounds { min, max }) = bounds else {
        map.remove("bounds");
        return;
    };
    let ends = [
        ("xmin", min.x),
        ("xmax", max.x),
        ("ymin", min.y),
        ("ymax", max.y),
        ("zmin", min.z),
        ("zmax", max.z),
    ];
    let ends = ends.into_iter().map(|(key, value)| (key.to_string(), Value::from(value)));
    map.insert("bounds".into(), Value::Object(ends.collect()));
}

fn put_text(map: &mut Map<String, Value>, key: &str, value: &str) {
    if json::text(map, key) != value {
        map.insert(key.into(), value.into());
    }
}

fn put_number(map: &mut Map<String, Value>, key: &str, value: f64) {
    if json::number(map, key).unwrap_or_default() != value {
        map.insert(key.into(), value.into());
    }
}
