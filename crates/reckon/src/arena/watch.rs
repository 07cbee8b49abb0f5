//! `reckon watch`: a recording in the browser.
//!
//! A session file is read twice and never held: once to know its bodies and its length, and once for
//! the frames, which take 64 MB whatever it holds.

use std::path::Path;

use reckoning::SimTime;
use reckoning_arena::hills::HillsLevel;
use reckoning_arena::{BodyKind, Level};
#[cfg(feature = "lab")]
use reckoning_lab::report::{traffic_html, traffic_strip};
#[cfg(feature = "lab")]
use reckoning_lab::traffic::TrafficConfig;
use reckoning_net::{Host, HostEvent};
use reckoning_recording::{BodySummary, Recording, SessionSummary, SimSpan};
use reckoning_server::settings::{LogLevel, OperatorListen};
use reckoning_server::{Game, Server, Settings, logs};
use serde_json::{Value, json};

use super::frames::{FrameNumbers, Frames, Grid};
use super::page::Site;
use crate::args::{Part, Watch};
use crate::failure::Failure;
#[cfg(feature = "lab")]
use crate::recording::open_part;
use crate::recording::{Opened, each_piece, open};
use crate::say;

/// Bodies that the page is told of.
const MAX_BODIES: usize = 10_000;
/// Births and deaths that the page is told of, the first ones.
const MAX_EVENTS: usize = 20_000;

/// A longer part is shown without its profile of bytes: people do not wait for it.
#[cfg(feature = "lab")]
const MAX_PROFILE_S: f64 = 900.0;
/// Memory that the profile may take of a recording.
#[cfg(feature = "lab")]
const PROFILE_BYTES: u64 = 256 << 20;

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
    let profile = Profiled::new(command, &shown);
    server.set_page(site(shown, &name, profile.as_ref()).router());
    let running = server.start(Nothing).map_err(Failure::server)?;
    let missing = if Site::is_whole() { "" } else { "built without the page\n" };
    let address = running.address();
    say(&format!(
        "{name}: open this in a browser\n\n  http://{address}/\n\n{missing}ctrl-c ends it\n"
    ))?;
    running.run().map_err(Failure::server)
}

/// The bytes that a recording costs, as the page has them: under its time line, and by themselves.
struct Profiled {
    strip: String,
    page: String,
}

impl Profiled {
    /// `None` of a recording that is too long, or of whom nobody moves.
    #[cfg(feature = "lab")]
    fn new(command: &Watch, shown: &Shown) -> Option<Self> {
        let grid = shown.frames.grid();
        if grid.frames as f64 / grid.rate_hz > MAX_PROFILE_S {
            let longer =
                "no profile of bytes: it is longer than fifteen minutes; --from and --to choose";
            say(&format!("{longer} a part, and reckon lab bytes takes any\n")).ok()?;
            return None;
        }
        let recording = open_part(&command.file, command.part, PROFILE_BYTES).ok()??;
        let profile = crate::lab::bytes::profile(&TrafficConfig::default(), &recording).ok()?;
        let strip = traffic_strip(profile.receivers.first()?, profile.seconds);
        Some(Self { strip, page: traffic_html(&profile) })
    }

    #[cfg(not(feature = "lab"))]
    fn new(_: &Watch, _: &Shown) -> Option<Self> {
        None
    }
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
        let numbers = FrameNumbers::new(about.is_spatial(), &about.joints);
        let (from, to, bytes) =
            (first.max(span.start), last.min(span.end), got * numbers.body_bytes());
        let grid = Grid::new(from, to, about.meta.rate_hz, bytes);
        let frames = Frames::new(grid, numbers, about.bodies.iter().map(|body| body.id));
        Ok(Self { about, span, frames, events: Vec::new() })
    }

    fn add(&mut self, piece: &Recording) {
        for track in &piece.tracks {
            self.frames.add(track);
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

/// The level that a recording was made in.
enum Played {
    /// None that comes with the program.
    Unknown,
    Flat {
        text: &'static str,
        level: Box<Level>,
    },
    Hills,
}

impl Played {
    fn on(map: &str) -> Self {
        if map == HillsLevel::NAME {
            return Self::Hills;
        }
        let Some(text) = Level::built_in_text(map) else { return Self::Unknown };
        let Ok(level) = Level::parse(text) else { return Self::Unknown };
        Self::Flat { text, level: Box::new(level) }
    }

    const fn text(&self) -> Option<&'static str> {
        match self {
            Self::Unknown => None,
            Self::Flat { text, .. } => Some(text),
            Self::Hills => Some(HillsLevel::built_in_text()),
        }
    }

    /// What the page reads of it.
    fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Unknown => None,
            Self::Flat { level, .. } => Some(level.to_bytes()),
            Self::Hills => Some(HillsLevel::built_in().to_bytes()),
        }
    }

    fn is_tank(&self) -> bool {
        matches!(self, Self::Flat { level, .. } if level.file().body.kind == BodyKind::Tank)
    }
}

fn site(shown: Shown, name: &str, profile: Option<&Profiled>) -> Site {
    let map = shown.about.meta.map.clone();
    let level = Played::on(&map);
    let mut site = Site::new();
    if let Some(text) = level.text() {
        site.put("/level.toml", "text/plain; charset=utf-8", text);
    }
    if let Some(bytes) = level.bytes() {
        site.put("/level.bin", "application/octet-stream", bytes);
    }
    let about = header(&shown, name, &level);
    site.put("/recording.json", "application/json", format!("{about:#}\n"));
    site.put("/recording.bin", "application/octet-stream", shown.frames.finish());
    let mut about = description(&level, &map);
    about["profile"] = profile.is_some().into();
    if let Some(Profiled { strip, page }) = profile {
        site.put("/profile.svg", "image/svg+xml", strip.clone());
        site.put("/profile", "text/html; charset=utf-8", page.clone());
    }
    site.describe(about);
    site
}

/// What `/arena.json` says.
fn description(level: &Played, map: &str) -> Value {
    let mut about = json!({
        "recording": true,
        "level": level.text().map(|_| map),
        "bots": 0,
        "record": false,
        "trend": false,
        "zones_px": [],
        "version": env!("CARGO_PKG_VERSION"),
    });
    if matches!(level, Played::Hills) {
        about["game"] = HillsLevel::NAME.into();
    }
    about
}

fn header(shown: &Shown, name: &str, level: &Played) -> Value {
    let (about, grid) = (&shown.about, shown.frames.grid());
    let mut header = json!({
        "name": name,
        "seconds": grid.frames as f64 / grid.rate_hz,
        "rate_hz": grid.rate_hz,
        "bodies": bodies(shown, level),
        "level": level.text().map(|_| about.meta.map.as_str()),
        "units": about.meta.units,
        "body_width": about.meta.body_width,
        "most_health": shown.frames.most_health(),
        "events": shown.events,
    });
    if about.is_spatial() {
        header["numbers"] = shown.frames.numbers().names().into();
    }
    header
}

/// The bodies of the header; their kinds are named in recordings of three dimensions.
fn bodies(shown: &Shown, level: &Played) -> Vec<Value> {
    let about = &shown.about;
    let is_tank = level.is_tank();
    let body = |(number, body): (usize, &BodySummary)| {
        let mut entry = json!({
            "id": u32::try_from(body.id).unwrap_or(u32::MAX - number as u32),
            "team": u8::try_from(body.team).unwrap_or(0),
            "kind": u8::from(is_tank),
            "name": about.players.get(&body.id).map_or("", |it| it.name.as_str()),
        });
        if let Some(kind) = about.kinds.get(&body.id).filter(|_| about.is_spatial()) {
            entry["kind_name"] = kind.as_str().into();
        }
        entry
    };
    about.bodies.iter().enumerate().map(body).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;
    use std::time::Duration;

    use super::*;
    use reckoning::DVec3;
    use reckoning_recording::{Birth, Sample, Track, write_session};
    use reckoning_web::replay::ReplayFrames;

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
        assert_eq!(
            (rate_hz, frames, bytes.len()),
            (20.0, 60, 60 * FrameNumbers::FLAT.body_bytes())
        );
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
        let about = header(&shown, "walk.reck", &Played::Unknown);
        assert_eq!(about["events"], json!([]));
        let bytes = shown.frames.finish();
        assert_eq!([0, 5].map(|frame| number(&bytes, frame * 5)), [10.0, 15.0]);
        assert_eq!(bytes.len(), 11 * FrameNumbers::FLAT.body_bytes());
    }

    #[test]
    fn a_part_without_anybody_is_refused_by_name() {
        let part = Part { from: Some(Duration::from_secs(9)), to: None };
        let refused = shown("nobody", part).err().unwrap().to_string();
        assert!(refused.contains("nobody moves between --from and --to"), "{refused}");
    }

    #[test]
    fn the_header_says_who_is_in_it() {
        let about =
            header(&shown("header", Part::default()).unwrap(), "walk.reck", &Played::Unknown);
        assert_eq!(about["bodies"][0]["id"], 3);
        assert_eq!(about["bodies"][0]["team"], 1);
        assert_eq!(about["level"], Value::Null);
        assert_eq!(about["name"], "walk.reck");
        assert_eq!(about["most_health"], 80.0);
        assert_eq!(about["events"][1], json!({"t_s": 2.0, "born": 3}));
    }

    /// A tank on a slope that turns its turret through half a turn, and a bird without any column.
    fn drive() -> Recording {
        let mut recording = Recording::default();
        recording.meta.rate_hz = 10.0;
        recording.session = "drive".to_string();
        recording.meta.map = "hills".to_string();
        let (mut tank, mut bird) = (Track::new(4, 0, &[]), Track::new(9, -1, &[]));
        for step in 0..20 {
            let at = SimTime::from_millis(step * 100);
            let position = DVec3::new(step as f64, 2.0, 30.0 + step as f64);
            let sample = Sample { at, position, alive: true, ..Sample::default() };
            let (sin, cos) = reckoning::math::sincos(-0.25);
            let pose = [("qw", cos), ("qy", sin), ("qx", 0.0), ("qz", 0.0)];
            let turret =
                ("joint:turret", reckoning::orientation::wrap_rad(3.0 + 0.1 * step as f64));
            let columns =
                pose.into_iter().chain([turret]).map(|(name, value)| (name, value as f32));
            tank.push_named(sample, &columns.collect::<Vec<_>>());
            tank.set_last_kind("tank");
            bird.push(Sample { yaw_rad: Some(1.0), ..sample }, &[]);
        }
        recording.tracks = vec![tank, bird];
        recording.tidy();
        recording
    }

    fn replayed(recording: &Recording) -> ReplayFrames {
        let path = Path::new("drive.reck");
        let about = SessionSummary::from(recording);
        let mut shown = Shown::new(path, about, Part::default()).unwrap();
        shown.add(recording);
        let level = Played::on(&recording.meta.map);
        let about = header(&shown, "drive.reck", &level).to_string();
        ReplayFrames::new(&about, &shown.frames.finish()).unwrap()
    }

    #[test]
    fn the_page_reads_height_orientation_joints_and_kinds_as_they_were_recorded() {
        let frames = replayed(&drive());
        assert!(frames.is_spatial());
        for frame in [0, 7, 19] {
            let (at, turned) = frames.pose(0, frame).unwrap();
            assert_eq!(at, DVec3::new(frame as f64, 2.0, 30.0 + frame as f64), "frame {frame}");
            let nose = turned * DVec3::X;
            // Turned by half a radian about -y: the nose points up.
            assert!((nose - DVec3::new(0.877_58, 0.0, 0.479_43)).length() < 1e-4, "{nose}");
            let turret = frames.joint(0, frame, "turret").unwrap();
            let off = reckoning::orientation::shortest_turn_rad(turret, 3.0 + 0.1 * frame as f64);
            assert!(off.abs() < 1e-6, "frame {frame}: {turret}");
        }
        let (_, upright) = frames.pose(1, 3).unwrap();
        assert!((upright * DVec3::X - DVec3::new(0.540_30, 0.841_47, 0.0)).length() < 1e-4);
        assert_eq!((frames.joint(1, 3, "turret"), frames.kind(1)), (None, None));
        assert_eq!(frames.kind(0), Some("tank"));
    }

    #[test]
    fn between_two_samples_a_joint_turns_the_short_way_round() {
        let mut recording = drive();
        recording.meta.rate_hz = 20.0;
        let frames = replayed(&recording);
        // 3.1 and 3.2 rad: the second is beyond half a turn.
        let turret = frames.joint(0, 3, "turret").unwrap();
        let off = reckoning::orientation::shortest_turn_rad(turret, 3.15);
        assert!(off.abs() < 1e-6, "{turret}");
        assert_eq!(frames.pose(0, 3).unwrap().0, DVec3::new(1.5, 2.0, 31.5));
    }

    #[test]
    fn a_recording_of_the_hills_brings_its_level_and_says_so() {
        let frames = replayed(&drive());
        let level = Played::on("hills").bytes().map(|it| HillsLevel::from_bytes(&it).unwrap());
        assert_eq!(level.as_ref().map(HillsLevel::file), Some(HillsLevel::built_in().file()));
        assert!(Played::on("moon").bytes().is_none());
        assert_eq!(frames.header().level.as_deref(), Some("hills"));
        assert_eq!(description(&Played::on("hills"), "hills")["game"], "hills");
        assert_eq!(description(&Played::on("tank-field"), "tank-field").get("game"), None);
        assert_eq!(description(&Played::on("moon"), "moon")["level"], Value::Null);
    }

    #[test]
    fn heights_that_differ_make_a_recording_spatial_and_a_plain_leaves_it_flat() {
        let flat = shown("flat", Part::default()).unwrap();
        let about = header(&flat, "walk.reck", &Played::Unknown);
        assert_eq!(about.get("numbers"), None);
        let mut steep = walk();
        steep.tracks[0].samples[5].position.z = 1.0;
        let frames = replayed(&steep);
        assert!(frames.is_spatial() && frames.header().numbers.len() == 10);
        assert_eq!(frames.pose(0, 5).unwrap().0, DVec3::new(5.0, 7.0, 1.0));
    }

    #[test]
    fn frames_of_three_dimensions_take_no_more_memory_than_flat_ones() {
        let names = (0..90).map(|joint| format!("joint {joint:02}")).collect();
        let numbers = FrameNumbers::new(true, &names);
        assert_eq!((numbers.body_bytes(), numbers.names().len()), (64 * 4, 64));
        let day = SimTime::from_millis(86_400_000);
        let grid = Grid::new(SimTime::ZERO, day, 60.0, 100 * numbers.body_bytes());
        assert!(grid.frames * 100 * numbers.body_bytes() <= 64_100_000, "{grid:?}");
    }
}
