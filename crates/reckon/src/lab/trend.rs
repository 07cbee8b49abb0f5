//! `reckon lab trend`.

use std::path::{Path, PathBuf};

use reckoning_lab::trend::{draw_trend, trend_config, trend_map};
use reckoning_predict::TrendMap;
use reckoning_recording::parse_level;

use super::load;
use crate::failure::{Failure, read, write};
use crate::say;

pub fn build(data: &[PathBuf], out: &Path) -> Result<(), Failure> {
    let recordings = load(data)?;
    let map = trend_map(&recordings, &trend_config(&recordings)).map_err(Failure::lab)?;
    let (cells, seen) = map
        .cells()
        .fold((0_u64, 0_u64), |(cells, seen), (_, _, here)| (cells + 1, seen + u64::from(here)));
    write(out, &map.to_bytes())?;
    say(&format!("{}: {cells} cells from {seen} sightings\n", out.display()))
}

pub fn draw(map: &Path, level: Option<&Path>, out: &Path) -> Result<(), Failure> {
    let bytes = read(map)?;
    let map = TrendMap::from_bytes(&bytes)
        .map_err(|error| Failure::TrendMap { path: map.to_path_buf(), error })?;
    let level = match level {
        Some(path) => {
            let level = parse_level(&read(path)?);
            Some(level.map_err(|error| Failure::lab(error.in_file(path)))?)
        }
        None => None,
    };
    write(out, draw_trend(&map, level.as_ref()).as_bytes())?;
    say(&format!("{}: drawn\n", out.display()))
}
