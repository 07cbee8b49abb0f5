//! `reckon watch`: a recording in the browser.
//!
//! A session file is read twice and never held: once to know its bodies and its length, and once for
//! the frames, which take 64 MB whatever it holds.

use std::path::Path;

use reckoning::SimTime;
use reckoning_arena::{BodyKind, Level};
use reckoning_net::{Host, HostEvent};
use reckoning_recording::{BodySummary, Recording, SessionSummary, SimSpan};
use reckoning_server::settings::{LogLevel, OperatorListen};
use reckoning_server::{Game, Server, Settings, logs};
use serde_json::{Value, json};

use super::frames::{Frames, Grid};
use super::page::Site;
use crate::args::{Part, Watch};
use crate::failure::Failure;
use crate::recording::{Opened, each_piece, open};
use crate::say;

/// Bodies that the page is told of.
const MAX_BODIES: usize = 10_000;
/// Births and deaths that the page is told of, the first ones.
const MAX_EVENTS: usize = 20_000;

/// Nobody plays; the page shows the recording by itself.
struct Nothing;

impl Game for Nothing {
    fn event(&mut self, _: SimTime, _: &HostEvent, _: &mut Host) {}

    fn tick(&mut self, _: SimTime, _: &mut Host) {}
}

/// Serves the page and a recording until it is told to stop.
pub fn run(command: &Watch) -> Result<(), Failure> {
    let shown = Shown::open(&command.file, command.part)?;
    let mut settings = Settings::default();
    settings.log = LogLevel::Warn;
    settings.listen.set_port(command.port.unwrap_or(0));
    // It lives as long as its user looks at it.
    settings.operator_listen = OperatorListen::Nowhere;
    logs::start(settings.log, settings.log_format);
    let mut server = Server::new(settings);
    let name = command.file.file_name().map_or_else(String::new, |it| it.display().to_string());
    server.set_page(site(shown, &name).router());
    let running = server.start(Nothing).map_err(Failure::server)?;
    let missing = if Site::is_whole() { "" } else { "built without the page\n" };
    let address = running.address();
    say(&format!(
        "{name}: open this in a browser\n\n  http://{address}/\n\n{missing}ctrl-c ends it\n"
    ))?;
    running.run().map_err(Failure::server)
}

/// What the page is shown of a recording.
struct Shown {
    about: SessionSummary,
    span: SimSpan,
    frames: Frames,
    events: Vec<Value>,
}

impl Shown {
    fn open(file: &Path, part: Part) -> Result<Self, Failure> {
        match open(file)? {
            Opened::Session { summary, .. } => {
                let mut shown = Self::new(file, *summary, part)?;
                each_piece(file, |piece| shown.add(&piece))?;
                Ok(shown)
            }
            Opened::Whole(recording) => {
                let mut shown = Self::new(file, SessionSummary::from(&*recording), part)?;
                shown.add(&recording);
                Ok(shown)
            }
        }
    }

    fn new(file: &Path, mut about: SessionSummary, part: Part) -> Result<Self, Failure> {
        let (first, last) = about.span().unwrap_or((SimTime::ZERO, SimTime::ZERO));
        let span = part.of(first);
        let path = || file.to_path_buf();
        if !part.is_all() {
            about.bodies.retain(|body| body.is_within(span));
            if about.bodies.is_empty() {
                return Err(Failure::NothingInPart { path: path() });
            }
        }
        let (got, limit) = (about.bodies.len(), MAX_BODIES);
        if got > limit {
            return Err(Failure::TooManyBodies { path: path(), got, limit });
        }
        let grid = Grid::new(first.max(span.start), last.min(span.end), about.meta.rate_hz, got);
        let frames = Frames::new(grid, about.bodies.iter().map(|body| body.id));
        Ok(Self { about, span, frames, events: Vec::new() })
    }

    fn add(&mut self, piece: &Recording) {
        for track in &piece.tracks {
            self.frames.add(track.id, &track.samples);
        }
        let first = self.frames.grid().first;
        let at_s = |at: SimTime| at.secs_since(first);
        let births = piece.births.iter().filter(|it| self.span.contains(it.at));
        let births = births.map(|it| json!({"t_s": at_s(it.at), "born": it.id}));
        let deaths = piece.deaths.iter().filter(|it| self.span.contains(it.at));
        let deaths = deaths.map(|it| json!({"t_s": at_s(it.at), "died": it.id, "by": it.killer}));
        let room = MAX_EVENTS.saturating_sub(self.events.len());
        self.events.extend(births.chain(deaths).take(room));
    }
}

fn site(shown: Shown, name: &str) -> Site {
    let map = shown.about.meta.map.clone();
    let level = Level::built_in_text(&map);
    let mut site = Site::new();
    if let Some(text) = level {
        site.put("/level.toml", "text/plain; charset=utf-8", text);
    }
    let about = header(&shown, name, level.and_then(|text| Level::parse(text).ok()));
    site.put("/recording.json", "application/json", format!("{about:#}\n"));
    site.put("/recording.bin", "application/octet-stream", shown.frames.finish());
    site.describe(json!({
        "recording": true,
        "level": level.map(|_| &map),
        "bots": 0,
        "record": false,
        "trend": false,
        "zones_px": [],
        "version": env!("CARGO_PKG_VERSION"),
    }));
    site
}

fn header(shown: &Shown, name: &str, level: Option<Level>) -> Value {
    let is_tank = level.as_ref().is_some_and(|it| it.file().body.kind == BodyKind::Tank);
    let (about, grid) = (&shown.about, shown.frames.grid());
    let body = |(number, body): (usize, &BodySummary)| {
        json!({
            "id": u32::try_from(body.id).unwrap_or(u32::MAX - number as u32),
            "team": u8::try_from(body.team).unwrap_or(0),
            "kind": u8::from(is_tank),
            "name": about.players.get(&body.id).map_or("", |it| it.name.as_str()),
        })
    };
    json!({
        "name": name,
        "seconds": grid.frames as f64 / grid.rate_hz,
        "rate_hz": grid.rate_hz,
        "bodies": about.bodies.iter().enumerate().map(body).collect::<Vec<_>>(),
        "level": level.map(|it| it.name().to_string()),
        "units": about.meta.units,
        "body_width": about.meta.body_width,
        "most_health": shown.frames.most_health(),
        "events": shown.events,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;
    use std::time::Duration;

    use super::super::frames::BODY_BYTES;
    use super::*;
    use reckoning::DVec3;
    use reckoning_recording::{Birth, Sample, Track, write_session};

    fn walk() -> Recording {
        let mut recording = Recording::default();
        recording.meta.rate_hz = 20.0;
        recording.session = "walk".to_string();
        let mut track = Track::new(3, 1, &[]);
        for step in 0..60 {
            let sample = Sample {
                at: SimTime::from_millis(step * 50),
                position: DVec3::new(step as f64, 7.0, 0.0),
                yaw_rad: Some(0.5),
                health: Some(80.0),
                segment: u32::from(step >= 40),
                alive: !(30..40).contains(&step),
                ..Sample::default()
            };
            track.push(sample, &[]);
        }
        recording.tracks.push(track);
        let birth = |at| Birth { at, id: 3, position: DVec3::ZERO };
        recording.births = vec![birth(SimTime::ZERO), birth(SimTime::from_millis(2_000))];
        recording.tidy();
        recording
    }

    /// The walk as a session file of this test's own.
    fn file(test: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("reckon-{test}-{}.reck", std::process::id()));
        fs::write(&path, write_session(&walk(), Vec::new()).unwrap()).unwrap();
        path
    }

    fn shown(test: &str, part: Part) -> Result<Shown, Failure> {
        let path = file(test);
        let shown = Shown::open(&path, part);
        fs::remove_file(path).unwrap();
        shown
    }

    fn number(bytes: &[u8], place: usize) -> f32 {
        f32::from_le_bytes(bytes[place * 4..place * 4 + 4].try_into().unwrap())
    }

    #[test]
    fn frames_follow_the_samples_and_the_dead_are_absent() {
        let shown = shown("frames", Part::default()).unwrap();
        let (rate_hz, frames) = (shown.frames.grid().rate_hz, shown.frames.grid().frames);
        let bytes = shown.frames.finish();
        assert_eq!((rate_hz, frames, bytes.len()), (20.0, 60, 60 * BODY_BYTES));
        assert_eq!([50, 51, 52, 53].map(|place| number(&bytes, place)), [10.0, 7.0, 0.5, 80.0]);
        assert!(number(&bytes, 54).is_nan(), "nobody knows of its shots");
        assert!(number(&bytes, 35 * 5).is_nan());
        assert_eq!(number(&bytes, 45 * 5), 45.0);
        assert_eq!(number(&bytes, 59 * 5), 59.0);
    }

    #[test]
    fn a_part_begins_and_ends_where_it_was_asked_to() {
        let ms = |ms| Some(Duration::from_millis(ms));
        let shown = shown("part", Part { from: ms(500), to: ms(1_000) }).unwrap();
        let about = header(&shown, "walk.reck", None);
        assert_eq!(about["events"], json!([]));
        let bytes = shown.frames.finish();
        assert_eq!([0, 5].map(|frame| number(&bytes, frame * 5)), [10.0, 15.0]);
        assert_eq!(bytes.len(), 11 * BODY_BYTES);
    }

    #[test]
    fn a_part_without_anybody_is_refused_by_name() {
        let part = Part { from: Some(Duration::from_secs(9)), to: None };
        let refused = shown("nobody", part).err().unwrap().to_string();
        assert!(refused.contains("nobody moves between --from and --to"), "{refused}");
    }

    #[test]
    fn the_header_says_who_is_in_it() {
        let about = header(&shown("header", Part::default()).unwrap(), "walk.reck", None);
        assert_eq!(about["bodies"][0]["id"], 3);
        assert_eq!(about["bodies"][0]["team"], 1);
        assert_eq!(about["level"], Value::Null);
        assert_eq!(about["name"], "walk.reck");
        assert_eq!(about["most_health"], 80.0);
        assert_eq!(about["events"][1], json!({"t_s": 2.0, "born": 3}));
    }
}
