//! `reckon watch`: a recording in the browser.

use reckoning::SimTime;
use reckoning_arena::{BodyKind, Level};
use reckoning_net::{Host, HostEvent};
use reckoning_recording::{Recording, Sample, Track};
use reckoning_server::settings::{LogLevel, OperatorListen};
use reckoning_server::{Game, Server, Settings, logs};
use serde_json::{Value, json};

use super::page::Site;
use crate::args::Watch;
use crate::failure::Failure;
use crate::recording::open;
use crate::say;

/// More frames a second than a screen shows are of no use.
const MAX_HZ: f64 = 60.0;
/// What a browser is asked to hold; longer recordings are shown with fewer frames.
const MAX_BYTES: f64 = 64e6;
/// Between samples further apart than this nothing is known.
const MAX_GAP_S: f64 = 1.0;

/// Nobody plays; the page shows the recording by itself.
struct Nothing;

impl Game for Nothing {
    fn event(&mut self, _: SimTime, _: &HostEvent, _: &mut Host) {}

    fn tick(&mut self, _: SimTime, _: &mut Host) {}
}

/// Serves the page and a recording until it is told to stop.
pub fn run(command: &Watch) -> Result<(), Failure> {
    let (recording, _) = open(&command.file)?;
    let mut settings = Settings::default();
    settings.log = LogLevel::Warn;
    settings.listen.set_port(command.port.unwrap_or(0));
    // It lives as long as its user looks at it.
    settings.operator_listen = OperatorListen::Nowhere;
    logs::start(settings.log, settings.log_format);
    let mut server = Server::new(settings);
    let name = command.file.file_name().map_or_else(String::new, |it| it.display().to_string());
    server.set_page(site(&recording, &name).router());
    let running = server.start(Nothing).map_err(Failure::server)?;
    let missing = if Site::is_whole() { "" } else { "built without the page\n" };
    let address = running.address();
    say(&format!(
        "{name}: open this in a browser\n\n  http://{address}/\n\n{missing}ctrl-c ends it\n"
    ))?;
    running.run().map_err(Failure::server)
}

fn site(recording: &Recording, name: &str) -> Site {
    let grid = Grid::new(recording);
    let level = Level::built_in_text(&recording.meta.map);
    let mut site = Site::new();
    if let Some(text) = level {
        site.put("/level.toml", "text/plain; charset=utf-8", text);
    }
    let about = header(recording, name, &grid, level.and_then(|text| Level::parse(text).ok()));
    site.put("/recording.json", "application/json", format!("{about:#}\n"));
    site.put("/recording.bin", "application/octet-stream", frames(recording, &grid));
    site.describe(json!({
        "recording": true,
        "level": level.map(|_| &recording.meta.map),
        "bots": 0,
        "record": false,
        "trend": false,
        "zones_px": [],
        "version": env!("CARGO_PKG_VERSION"),
    }));
    site
}

/// The moments that are shown.
struct Grid {
    first: SimTime,
    rate_hz: f64,
    frames: usize,
}

impl Grid {
    fn new(recording: &Recording) -> Self {
        let (first, last) = recording.span().unwrap_or((SimTime::ZERO, SimTime::ZERO));
        let seconds = last.secs_since(first);
        let told_hz = if recording.meta.rate_hz > 0.0 { recording.meta.rate_hz } else { 20.0 };
        let bytes_per_hz = seconds * recording.tracks.len() as f64 * 12.0;
        let rate_hz = told_hz.min(MAX_HZ).min(MAX_BYTES / bytes_per_hz.max(1.0));
        Self { first, rate_hz, frames: (seconds * rate_hz) as usize + 1 }
    }

    fn moment(&self, frame: usize) -> SimTime {
        let after_us = (frame as f64 / self.rate_hz * 1e6) as i64;
        SimTime::from_micros(self.first.as_micros() + after_us)
    }
}

fn header(recording: &Recording, name: &str, grid: &Grid, level: Option<Level>) -> Value {
    let is_tank = level.as_ref().is_some_and(|it| it.file().body.kind == BodyKind::Tank);
    let body = |(number, track): (usize, &Track)| {
        let player = recording.players.iter().rev().find(|it| it.id == track.id);
        json!({
            "id": u32::try_from(track.id).unwrap_or(u32::MAX - number as u32),
            "team": u8::try_from(track.team).unwrap_or(0),
            "kind": u8::from(is_tank),
            "name": player.map_or("", |it| it.name.as_str()),
        })
    };
    json!({
        "name": name,
        "seconds": grid.frames as f64 / grid.rate_hz,
        "rate_hz": grid.rate_hz,
        "bodies": recording.tracks.iter().enumerate().map(body).collect::<Vec<_>>(),
        "level": level.map(|it| it.name().to_string()),
        "units": recording.meta.units,
        "body_width": recording.meta.body_width,
        "events": events(recording, grid),
    })
}

fn events(recording: &Recording, grid: &Grid) -> Vec<Value> {
    let at_s = |at: SimTime| at.secs_since(grid.first);
    let births = recording.births.iter().map(|it| json!({"t_s": at_s(it.at), "born": it.id}));
    let deaths = recording
        .deaths
        .iter()
        .map(|it| json!({"t_s": at_s(it.at), "died": it.id, "by": it.killer}));
    births.chain(deaths).collect()
}

/// For each frame and body x, y and yaw.
fn frames(recording: &Recording, grid: &Grid) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(grid.frames * recording.tracks.len() * 12);
    let mut places = vec![0; recording.tracks.len()];
    for frame in 0..grid.frames {
        let at = grid.moment(frame);
        for (track, place) in recording.tracks.iter().zip(&mut places) {
            while track.samples.get(*place + 1).is_some_and(|next| next.at <= at) {
                *place += 1;
            }
            let shown = between(&track.samples, *place, at).unwrap_or([f32::NAN; 3]);
            bytes.extend(shown.iter().flat_map(|number| number.to_le_bytes()));
        }
    }
    bytes
}

/// Straight between the sample at `place` and the next; none where nothing is known.
fn between(samples: &[Sample], place: usize, at: SimTime) -> Option<[f32; 3]> {
    let before = samples.get(place).filter(|it| it.at <= at && it.alive)?;
    let after = samples.get(place + 1).filter(|it| it.segment == before.segment && it.alive);
    let yaw = before.yaw_rad.unwrap_or(0.0);
    let passed_s = at.secs_since(before.at);
    let position = match after {
        Some(after) if after.at.secs_since(before.at) <= MAX_GAP_S => {
            before.position.lerp(after.position, passed_s / after.at.secs_since(before.at))
        }
        _ if passed_s <= MAX_GAP_S / 4.0 => before.position,
        _ => return None,
    };
    Some([position.x as f32, position.y as f32, yaw])
}

#[cfg(test)]
mod tests {
    use super::*;
    use reckoning::DVec3;

    fn walk() -> Recording {
        let mut recording = Recording::default();
        recording.meta.rate_hz = 20.0;
        let mut track = Track::new(3, 1, &[]);
        for step in 0..60 {
            let sample = Sample {
                at: SimTime::from_millis(step * 50),
                position: DVec3::new(step as f64, 7.0, 0.0),
                yaw_rad: Some(0.5),
                segment: u32::from(step >= 40),
                alive: !(30..40).contains(&step),
                ..Sample::default()
            };
            track.push(sample, &[]);
        }
        recording.tracks.push(track);
        recording.tidy();
        recording
    }

    #[test]
    fn frames_follow_the_samples_and_the_dead_are_absent() {
        let recording = walk();
        let grid = Grid::new(&recording);
        let bytes = frames(&recording, &grid);
        let number =
            |place: usize| f32::from_le_bytes(bytes[place * 4..place * 4 + 4].try_into().unwrap());
        assert_eq!((grid.rate_hz, grid.frames, bytes.len()), (20.0, 60, 60 * 12));
        assert_eq!([number(30), number(31), number(32)], [10.0, 7.0, 0.5]);
        assert!(number(35 * 3).is_nan());
        assert_eq!(number(45 * 3), 45.0);
    }

    #[test]
    fn the_header_says_who_is_in_it() {
        let recording = walk();
        let about = header(&recording, "walk.reck", &Grid::new(&recording), None);
        assert_eq!(about["bodies"][0]["id"], 3);
        assert_eq!(about["bodies"][0]["team"], 1);
        assert_eq!(about["level"], Value::Null);
        assert_eq!(about["name"], "walk.reck");
    }
}
