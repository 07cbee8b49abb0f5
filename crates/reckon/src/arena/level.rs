//! A level by its name or from a file.

use std::path::Path;

use reckoning_arena::{Level, LevelError};

use crate::failure::Failure;

/// A level that was asked for.
pub struct Chosen {
    pub level: Level,
    /// Its file, for clients.
    pub text: String,
}

impl Chosen {
    /// One that comes with the program, or a file.
    pub fn load(name: &str) -> Result<Self, Failure> {
        if let Some(text) = Level::built_in_text(name) {
            let level = Level::parse(text).map_err(Failure::server)?;
            return Ok(Self { level, text: text.to_string() });
        }
        let path = Path::new(name);
        if !path.exists() {
            return Err(Failure::server(LevelError::NoSuchLevel { name: name.to_string() }));
        }
        let bytes = crate::failure::read(path, Level::MAX_BYTES as u64)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let level = Level::parse(&text)
            .map_err(|error| Failure::Level { path: path.to_path_buf(), error })?;
        Ok(Self { level, text })
    }
}
