//! A level by its name or from a file.

use std::error::Error;
use std::fmt;
use std::path::Path;

use reckoning_arena::hills::{HillsError, HillsLevel};
use reckoning_arena::{Level, LevelError};

use crate::failure::Failure;

/// A level that was asked for.
pub struct Chosen {
    pub scene: Scene,
    /// Its file, for clients.
    pub text: String,
}

/// Why there is no level.
#[derive(Debug)]
pub enum SceneError {
    Flat(LevelError),
    Hills(HillsError),
    /// No built-in one is called that, and there is no such file.
    Unknown {
        name: String,
    },
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flat(error) => error.fmt(f),
            Self::Hills(error) => error.fmt(f),
            Self::Unknown { name } => {
                let flat = LevelError::NoSuchLevel { name: name.clone() };
                write!(f, "{flat}, {}", HillsLevel::NAME)
            }
        }
    }
}

impl Error for SceneError {}

/// What is played on it.
pub enum Scene {
    /// The arena, seen from above.
    Flat(Box<Level>),
    /// Tanks and cars in three dimensions.
    Hills(Box<HillsLevel>),
}

impl Scene {
    /// Reads a level file of either sort.
    pub fn parse(text: &str) -> Result<Self, SceneError> {
        if HillsLevel::is_hills(text) {
            let level = HillsLevel::parse(text).map_err(SceneError::Hills)?;
            return Ok(Self::Hills(Box::new(level)));
        }
        let level = Level::parse(text).map_err(SceneError::Flat)?;
        Ok(Self::Flat(Box::new(level)))
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            Self::Flat(level) => level.name(),
            Self::Hills(level) => level.name(),
        }
    }
}

impl Chosen {
    /// One that comes with the program, or a file.
    pub fn load(name: &str) -> Result<Self, Failure> {
        if let Some(text) = built_in(name) {
            let scene = Scene::parse(text).map_err(Failure::server)?;
            return Ok(Self { scene, text: text.to_string() });
        }
        let path = Path::new(name);
        if !path.exists() {
            return Err(Failure::server(SceneError::Unknown { name: name.to_string() }));
        }
        let longest = Level::MAX_BYTES.max(HillsLevel::MAX_BYTES);
        let bytes = crate::failure::read(path, longest as u64)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let scene = Scene::parse(&text)
            .map_err(|error| Failure::Level { path: path.to_path_buf(), error })?;
        Ok(Self { scene, text })
    }
}

fn built_in(name: &str) -> Option<&'static str> {
    let hills = (name == HillsLevel::NAME).then(HillsLevel::built_in_text);
    hills.or_else(|| Level::built_in_text(name))
}
