//! `reckon lab compare`: predictors compared on recordings or bots.

use std::env::var_os;
use std::path::{Path, PathBuf};

use reckoning_lab::compare::{Cache, CompareConfig, Comparison, compare, compare_cached};
use reckoning_lab::report::{
    Contents, DataSet, TrendPicture, comparison_csv, comparison_json, comparison_tables,
    data_table, session_tables, to_html, to_text, verdict_text, words_text,
};
use reckoning_lab::trend::{trend_config, trend_map};
use reckoning_recording::Recording;

use super::lessons::Lessons;
use super::{load_parts, sessions_or_bots, warn};
use crate::args::{Compare, Format};
use crate::failure::{Failure, write};
use crate::progress::Progress;
use crate::{command_line, say};

pub fn run(command: &Compare) -> Result<(), Failure> {
    let recordings = match command.data.paths.as_slice() {
        [] => sessions_or_bots(&[])?,
        paths => load_parts(paths, command.part, command.memory_mib)?,
    };
    if recordings.is_empty() {
        return Err(Failure::NoSessions);
    }
    warn_of_lessons(command, &recordings);
    let found = compared(&command.config(), &recordings, command.fresh)?;
    check_answers(&found)?;
    if let Some(path) = &command.report {
        write(path, report(&found, &recordings)?.as_bytes())?;
    }
    say(&match command.format {
        Format::Json => comparison_json(&found),
        Format::Csv => comparison_csv(&found),
        Format::Table => tables(&found, command.per_session, &recordings),
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

/// Warns of sessions that a learned predictor was trained on.
fn warn_of_lessons(command: &Compare, recordings: &[Recording]) {
    for model in command.model_files() {
        let lessons = Lessons::beside(model);
        for it in recordings.iter().filter(|it| lessons.contain(it)) {
            let (source, session) = (&it.source, &it.session);
            let line = format!(
                "was trained on {source} / {session}; what it does there says nothing of other sessions"
            );
            warn(model, &line);
        }
    }
}

/// Warns of what nothing could be judged on, and refuses where that is everything.
fn check_answers(found: &Comparison) -> Result<(), Failure> {
    let mut silent: Vec<(&str, u64)> = Vec::new();
    for row in found.open.iter().filter(|row| row.n == 0) {
        let place = (row.session.as_str(), row.delay_ms);
        if !silent.contains(&place) {
            silent.push(place);
        }
    }
    for (session, delay_ms) in silent {
        let line = format!("nothing to judge at {delay_ms} ms: no stretch of a body is that long");
        warn(Path::new(session), &line);
    }
    if found.open.iter().all(|row| row.n == 0) {
        let why = "no stretch of a body is longer than the shortest delay; give shorter --delays";
        return Err(Failure::NothingUsable { why });
    }
    Ok(())
}

/// Where comparisons are kept: `RECKON_CACHE`, or the user's cache folder if there is one.
fn cache() -> Option<Cache> {
    let own = || Some(PathBuf::from(var_os("XDG_CACHE_HOME")?).join("reckon"));
    let home = || Some(PathBuf::from(var_os("HOME")?).join(".cache").join("reckon"));
    let folder = var_os("RECKON_CACHE").map(PathBuf::from).or_else(own).or_else(home)?;
    Some(Cache { folder })
}

fn tables(found: &Comparison, per_session: bool, recordings: &[Recording]) -> String {
    let mut tables = vec![data_table(&DataSet::from_recordings(recordings))];
    tables.extend(comparison_tables(found));
    if per_session {
        tables.extend(session_tables(found));
    }
    let texts = tables.iter().map(to_text).chain([words_text(found), verdict_text(found)]);
    texts.collect::<Vec<_>>().join("\n")
}

fn report(found: &Comparison, recordings: &[Recording]) -> Result<String, Failure> {
    let data = DataSet::from_recordings(recordings);
    let names: Vec<&str> = data.iter().map(|set| set.source.as_str()).collect();
    let contents = Contents {
        title: format!("Predictors compared on {}", names.join(", ")),
        comparison: Some(found),
        command: command_line(),
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
