//! A level that can be driven in: what a checked file becomes.

use std::fmt;
use std::sync::{Arc, OnceLock};

use reckoning::model::Path;
use reckoning::terrain::HeightField;
use reckoning::{DVec3, Terrain};

use super::checks;
use super::file::HillsFile;
use super::ground::HillsGround;
use super::heights::{self, Grid};
use super::world::level_met;

/// The file that comes with the crate.
const BUILT_IN: &str = include_str!("../../levels/hills.toml");
/// What names the track in updates.
const TRACK_ID: u16 = 1;

/// Why a file makes no level.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum HillsError {
    /// It is longer than levels are.
    TooLong {
        /// Its length.
        got_bytes: usize,
    },
    /// These are not the bytes of a level.
    Bytes,
    /// It is no TOML, or not that of a level.
    Toml {
        /// What the parser says.
        message: String,
    },
    /// Something in it cannot be.
    Value {
        /// Which, with its value and the remedy.
        message: String,
    },
}

impl fmt::Display for HillsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { got_bytes } => {
                write!(
                    f,
                    "{got_bytes} bytes are too long for a level; {} are allowed",
                    HillsLevel::MAX_BYTES
                )
            }
            Self::Bytes => f.write_str("these are not the bytes of a level of this version"),
            Self::Toml { message } | Self::Value { message } => f.write_str(message),
        }
    }
}

impl std::error::Error for HillsError {}

/// A level that can be driven in.
#[derive(Clone, Debug)]
pub struct HillsLevel {
    file: HillsFile,
    ground: Arc<HillsGround>,
    track: Arc<Path>,
    /// The track for good, once somebody's models point at it.
    lasting_track: Arc<OnceLock<&'static Path>>,
    size_m: f64,
    obstacle_bases_m: Vec<f64>,
}

impl HillsLevel {
    /// Longest file of a level.
    pub const MAX_BYTES: usize = 256 << 10;
    /// What it is called on the command line.
    pub const NAME: &str = "hills";

    /// The file that comes with the crate.
    #[must_use]
    pub const fn built_in_text() -> &'static str {
        BUILT_IN
    }

    /// The level that comes with the crate.
    ///
    /// # Panics
    /// Never: a test reads it.
    #[must_use]
    #[cfg(not(target_arch = "wasm32"))]
    pub fn built_in() -> Self {
        Self::parse(BUILT_IN).expect("a test reads it")
    }

    /// Whether a level file is one of hills rather than of the flat arena: whether it has ground.
    #[must_use]
    pub fn is_hills(text: &str) -> bool {
        text.lines().any(|line| line.trim() == "[ground]")
    }

    /// Reads and checks a level file. Pages need [`Self::from_bytes`] alone.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn parse(text: &str) -> Result<Self, HillsError> {
        if text.len() > Self::MAX_BYTES {
            return Err(HillsError::TooLong { got_bytes: text.len() });
        }
        let file =
            toml::from_str(text).map_err(|it| HillsError::Toml { message: it.to_string() })?;
        Self::from_file(file)
    }

    /// What stands in its file, for pages, which need no reader of files: [`Self::from_bytes`] reads it.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        // It fails for what no file has.
        postcard::to_allocvec(&self.file).unwrap_or_default()
    }

    /// Reads and checks what [`Self::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`HillsError::Bytes`] for what another version wrote, or the first thing that is wrong with it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, HillsError> {
        Self::from_file(postcard::from_bytes(bytes).map_err(|_| HillsError::Bytes)?)
    }

    /// Checks a level that was put together by a program.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn from_file(file: HillsFile) -> Result<Self, HillsError> {
        let wrong = |message: String| HillsError::Value { message };
        let Grid { side, spacing_m, heights_m } = heights::read(&file.ground)?;
        let size_m = (side - 1) as f64 * spacing_m;
        checks::numbers(&file, size_m)?;
        let field = HeightField::new(DVec3::ZERO, spacing_m, side, side, heights_m.clone())
            .map_err(|error| wrong(error.to_string()))?;
        let points: Vec<DVec3> = file.train.track.iter().map(|it| DVec3::from(*it)).collect();
        let track = Path::spline(TRACK_ID, &points, true)
            .map_err(|error| wrong(format!("train.track: {error}")))?;
        let ground = HillsGround::new(field, (side, spacing_m, heights_m), &file);
        let base = |at: [f64; 2]| ground.field().ground_below(DVec3::new(at[0], at[1], 0.0));
        let obstacle_bases_m =
            file.obstacles.iter().map(|it| base(it.at).map_or(0.0, |it| it.point.z)).collect();
        let (ground, track) = (Arc::new(ground), Arc::new(track));
        let lasting_track = Arc::default();
        let level = Self { file, ground, track, lasting_track, size_m, obstacle_bases_m };
        checks::standing(&level)?;
        Ok(level)
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// Everything that stands in its file.
    #[must_use]
    pub const fn file(&self) -> &HillsFile {
        &self.file
    }

    /// What bodies stand on.
    #[must_use]
    pub const fn ground(&self) -> &Arc<HillsGround> {
        &self.ground
    }

    /// The line that the train rides.
    #[must_use]
    pub const fn track(&self) -> &Arc<Path> {
        &self.track
    }

    /// The same line for good, for models, which are plain values that point at it: once for a level
    /// and all its clones.
    #[must_use]
    pub fn lasting_track(&self) -> &'static Path {
        self.lasting_track.get_or_init(|| Path::clone(&self.track).leak())
    }

    /// Its width, which is its depth as well; it spans from 0 to here.
    #[must_use]
    pub const fn size_m(&self) -> f64 {
        self.size_m
    }

    /// The ground under a place seen from above: the highest there is, bridges included.
    #[must_use]
    pub fn height_m(&self, x: f64, y: f64) -> f64 {
        self.ground.ground_below(DVec3::new(x, y, 1e4)).map_or(0.0, |it| it.point.z)
    }

    /// The height of the ground that each obstacle of the file stands on, in the file's order.
    #[must_use]
    pub fn obstacle_bases_m(&self) -> &[f64] {
        &self.obstacle_bases_m
    }

    /// The share of a straight way at which it first meets the ground, a deck, the lake or an
    /// obstacle; `None` when it is free. Bodies do not count.
    #[must_use]
    pub fn first_met(&self, from: DVec3, to: DVec3) -> Option<f64> {
        level_met(self, from, to)
    }
}
