//! `reckon lab compare`: predictors compared on recordings or bots.

use std::env::var_os;
use std::path::PathBuf;

use reckoning_lab::bots;
use reckoning_lab::compare::{Cache, CompareConfig, Comparison, compare, compare_cached};
use reckoning_lab::report::{
    Contents, DataSet, TrendPicture, comparison_csv, comparison_json, comparison_tables,
    session_tables, to_html, to_text, verdict_text,
};
use reckoning_lab::trend::{trend_config, trend_map};
use reckoning_recording::Recording;

use super::load_parts;
use crate::args::{Compare, Format};
use crate::failure::{Failure, write};
use crate::progress::Progress;
use crate::say;

pub fn run(command: &Compare) -> Result<(), Failure> {
    let recordings = match command.data.paths.as_slice() {
        [] => bots::sessions(),
        paths => load_parts(paths, command.part, command.memory_mib)?,
    };
    if recordings.is_empty() {
        return Err(Failure::NoSessions);
    }
    let found = compared(&command.config(), &recordings, command.fresh)?;
    if let Some(path) = &command.report {
        write(path, report(&found, &recordings)?.as_bytes())?;
    }
    say(&match command.format {
        Format::Json => comparison_json(&found),
        Format::Csv => comparison_csv(&found),
        Format::Table => tables(&found, command.per_session),
    })
}

/// The comparison, with progress; from the cache if it is there and not wanted `fresh`.
pub(super) fn compared(
    config: &CompareConfig,
    recordings: &[Recording],
    fresh: bool,
) -> Result<Comparison, Failure> {
    let progress = Progress::start("comparing");
    let show = |done, of| progress.show(done, of);
    let found = match cache().filter(|_| !fresh) {
        Some(cache) => compare_cached(&cache, config, recordings, &show),
        None => compare(config, recordings, &show),
    };
    found.map_err(Failure::lab)
}

/// Where comparisons are kept: `RECKON_CACHE`, or the user's cache folder if there is one.
fn cache() -> Option<Cache> {
    let own = || Some(PathBuf::from(var_os("XDG_CACHE_HOME")?).join("reckon"));
    let home = || Some(PathBuf::from(var_os("HOME")?).join(".cache").join("reckon"));
    let folder = var_os("RECKON_CACHE").map(PathBuf::from).or_else(own).or_else(home)?;
    Some(Cache { folder })
}

fn tables(found: &Comparison, per_session: bool) -> String {
    let mut tables = comparison_tables(found);
    if per_session {
        tables.extend(session_tables(found));
    }
    let tables: Vec<String> = tables.iter().map(to_text).collect();
    format!("{}\n{}", tables.join("\n"), verdict_text(found))
}

fn report(found: &Comparison, recordings: &[Recording]) -> Result<String, Failure> {
    let data = DataSet::from_recordings(recordings);
    let names: Vec<&str> = data.iter().map(|set| set.source.as_str()).collect();
    let contents = Contents {
        title: format!("Predictors compared on {}", names.join(", ")),
        comparison: Some(found),
        trends: trends(recordings, &names)?,
        data,
        ..Contents::default()
    };
    to_html(&contents).map_err(Failure::lab)
}

/// For each source, the first level whose walls or floors are known.
fn trends<'a>(
    recordings: &'a [Recording],
    sources: &[&str],
) -> Result<Vec<TrendPicture<'a>>, Failure> {
    let known = |source: &&str| {
        recordings.iter().find(|it| it.source == *source && !it.level.shapes.is_empty())
    };
    sources.iter().filter_map(known).map(|first| trend(first, recordings)).collect()
}

fn trend<'a>(first: &'a Recording, recordings: &[Recording]) -> Result<TrendPicture<'a>, Failure> {
    let same = |it: &&Recording| it.source == first.source && it.level == first.level;
    let sessions: Vec<Recording> = recordings.iter().filter(same).cloned().collect();
    let map = trend_map(&sessions, &trend_config(&sessions)).map_err(Failure::lab)?;
    let level = if first.meta.map.is_empty() { &first.session } else { &first.meta.map };
    let title = format!("{}, {level}: which way bodies go", first.source);
    Ok(TrendPicture { title, map, level: Some(&first.level) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use reckoning_recording::{Level, LevelShape};

    fn session(source: &str, shapes: Vec<LevelShape>) -> Recording {
        let level = Level { shapes, ..Level::default() };
        Recording { source: source.to_string(), level, ..Recording::default() }
    }

    #[test]
    fn the_report_draws_one_level_of_each_source_that_has_any() {
        let corners = [reckoning::DVec3::ZERO, reckoning::DVec3::X, reckoning::DVec3::Y];
        let floor = vec![LevelShape::Triangle { corners }];
        let recordings =
            [session("quake", floor.clone()), session("quake", floor), session("field", vec![])];
        let html = report(&Comparison::default(), &recordings).unwrap();
        assert!(html.contains("<h1>Predictors compared on quake, field</h1>"));
        assert_eq!(html.matches("which way bodies go").count(), 1);
    }
}
