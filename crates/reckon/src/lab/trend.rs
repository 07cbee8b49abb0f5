//! `reckon lab trend`: trend maps of levels, built and drawn.

use std::path::Path;

use reckoning_lab::trend::{draw_trend, trend_config, trend_map};
use reckoning_predict::TrendMap;
use reckoning_recording::{MAX_JSON_BYTES, Recording, parse_level};

use super::{load, warn};
use crate::args::{TrendBuild, TrendDraw};
use crate::failure::{Failure, MAX_MODEL_BYTES, read, write};
use crate::progress::Progress;
use crate::say;

pub fn build(command: &TrendBuild) -> Result<(), Failure> {
    let (recordings, out) = (load(&command.data)?, &command.output);
    warn_of_strangers(&recordings);
    let progress = Progress::start("building");
    let map = trend_map(&recordings, &trend_config(&recordings)).map_err(Failure::lab)?;
    let (cells, seen) = map
        .cells()
        .fold((0_u64, 0_u64), |(cells, seen), (_, _, here)| (cells + 1, seen + u64::from(here)));
    drop(progress);
    if seen == 0 {
        return Err(Failure::NothingUsable { why: "nobody moves, so no cell has a trend" });
    }
    write(out, &map.to_bytes())?;
    say(&format!("{}: {cells} cells from {seen} sightings\n", out.display()))
}

/// A map is of one level: places of another mean nothing in it.
fn warn_of_strangers(recordings: &[Recording]) {
    let Some(first) = recordings.first() else { return };
    let place = |it: &Recording| format!("{} {}", it.source, it.meta.map).trim().to_string();
    let strangers = recordings.iter().filter(|it| place(it) != place(first));
    for (number, it) in strangers.enumerate() {
        let line = format!(
            "is of {}, and the map begins with {} ({} so far of {} sessions); a trend map is of one level",
            place(it),
            place(first),
            number + 1,
            recordings.len()
        );
        warn(Path::new(&it.session), &line);
    }
}

pub fn draw(command: &TrendDraw) -> Result<(), Failure> {
    let (path, out) = (&command.map, &command.output);
    let bytes = read(path, MAX_MODEL_BYTES)?;
    let map = TrendMap::from_bytes(&bytes)
        .map_err(|error| Failure::TrendMap { path: path.clone(), error })?;
    let level = match &command.level {
        Some(path) => {
            let level = parse_level(&read(path, MAX_JSON_BYTES)?);
            Some(level.map_err(|error| Failure::lab(error.in_file(path)))?)
        }
        None => None,
    };
    write(out, draw_trend(&map, level.as_ref()).as_bytes())?;
    say(&format!("{}: drawn\n", out.display()))
}
