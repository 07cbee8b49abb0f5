//! Bots as recordings, predictors that see no future, and the experiments of LI and SHI.

use std::collections::BTreeMap;
use std::time::Duration;

use reckoning::DVec3;
use reckoning_arena::{Event, Level, Match, MatchConfig, Mode};
use reckoning_lab::bots;
use reckoning_lab::compare::{CompareConfig, Comparison, OpenRow, Predictor, compare};
use reckoning_lab::reproduce::{Document, Effort, reproduce_with};
use reckoning_recording::{Recording, Sample, read_session, write_session};

fn teams(bots: u16, seconds: u32) -> Recording {
    bots::session("proving-grounds", bots, seconds, Mode::TwoTeams, 5).unwrap()
}

fn config(delays_ms: &[u64], bound: f64) -> CompareConfig {
    let names = [
        "linear",
        "accelerating",
        "interest",
        "interest-hybrid",
        "ekb",
        "oaekb",
        "ekb-hybrid",
        "oaekb-hybrid",
    ];
    CompareConfig {
        predictors: names.map(|name| name.parse().unwrap()).to_vec(),
        delays: delays_ms.iter().copied().map(Duration::from_millis).collect(),
        bound: Some(bound),
        ..CompareConfig::default()
    }
}

#[test]
fn a_bot_session_holds_what_the_frames_held() {
    let mut played = MatchConfig::default();
    (played.bots, played.seconds, played.seed) = (10, 60, 5);
    let frames = Match::start(Level::built_in("proving-grounds").unwrap(), &played);
    let recording = teams(10, 60);

    let (mut births, mut deaths) = (0, 0);
    for (tick, frame) in frames.enumerate() {
        for (bot, track) in frame.players.iter().zip(&recording.tracks) {
            let sample = &track.samples[tick];
            assert_eq!((sample.at, sample.position), (frame.at, bot.position), "tick {tick}");
            assert_eq!(sample.alive, bot.is_alive, "tick {tick}");
            assert_eq!(sample.health, Some(bot.health as f32), "tick {tick}");
        }
        births += frame.events.iter().filter(|it| matches!(it, Event::Born { .. })).count();
        deaths += frame.events.iter().filter(|it| matches!(it, Event::Died { .. })).count();
    }
    assert_eq!((recording.births.len(), recording.deaths.len()), (births, deaths));
    assert!(deaths > 3, "only {deaths} deaths: nothing was tested");
    assert_eq!(recording.inputs.len(), 10 * 60 * 60);
    assert_eq!(recording.meta.body_width, 40.0);
    assert!(recording.meta.team_play);
}

#[test]
fn a_snapshot_of_every_player_is_taken_every_five_seconds() {
    let recording = teams(10, 12);
    let at: Vec<f64> = recording.snapshots.iter().map(|it| it.at.as_secs_f64()).collect();
    assert_eq!(at.len(), 3);
    for (pair, snapshot) in at.windows(2).zip(&recording.snapshots) {
        assert!((pair[1] - pair[0] - 5.0).abs() < 1e-3, "{at:?}");
        let players = bots::BotSnapshot::read_all(&snapshot.bytes);
        assert_eq!(players.len(), 10);
        for (player, track) in players.iter().zip(&recording.tracks) {
            let sample = track.samples.iter().find(|it| it.at == snapshot.at).unwrap();
            let position = [sample.position.x as f32, sample.position.y as f32];
            assert_eq!((player.id, player.position), (track.id, position));
            assert_eq!(Some(player.health), sample.health);
        }
    }
    assert!(bots::BotSnapshot::read_all(&[0; 27]).is_empty(), "half a player is none");
}

#[test]
fn a_life_is_a_segment() {
    let recording = teams(10, 60);
    for track in &recording.tracks {
        for segment in track.segments() {
            let alive = segment[0].alive;
            assert!(segment.iter().all(|sample| sample.alive == alive), "bot {}", track.id);
        }
        let died = recording.deaths.iter().filter(|death| death.id == track.id).count();
        let born = recording.births.iter().filter(|birth| birth.id == track.id).count();
        assert_eq!(track.segments().count(), died + born, "bot {}", track.id);
    }
}

#[test]
fn a_bot_session_survives_its_file() {
    let recording = bots::session("tank-field", 4, 20, Mode::FreeForAll, 9).unwrap();
    assert!(!recording.meta.team_play);
    assert!(!recording.level.items.is_empty() && !recording.level.shapes.is_empty());
    let file = write_session(&recording, Vec::new()).unwrap();
    let read = read_session(file.as_slice()).unwrap().recording;
    assert_eq!(read.tracks.len(), 4);
    for (read, made) in read.tracks.iter().zip(&recording.tracks) {
        assert_eq!(read.samples.len(), made.samples.len());
        for (read, made) in read.samples.iter().zip(&made.samples) {
            assert!(read.position.distance(made.position) < 0.01, "{read:?} {made:?}");
            assert_eq!((read.segment, read.alive), (made.segment, made.alive));
        }
    }
}

#[test]
fn an_unknown_level_is_refused() {
    assert!(bots::session("nowhere", 4, 20, Mode::FreeForAll, 9).is_err());
}

/// Where the past ends in the tests of the future.
const CUT_S: f64 = 6.0;

/// The recording up to the cut.
fn cut(recording: &Recording) -> Recording {
    let mut cut = recording.clone();
    for track in &mut cut.tracks {
        track.samples.retain(|sample| sample.at.as_secs_f64() <= CUT_S);
    }
    cut
}

/// From the cut on everyone is swept away within the same segment, and counts as dead, so
/// that nothing is predicted from then on and speeds stay what they were.
fn swept_away(recording: &Recording, to: DVec3) -> Recording {
    let mut swept = cut(recording);
    for (track, full) in swept.tracks.iter_mut().zip(&recording.tracks) {
        let segment = track.last_segment().unwrap();
        let future = &full.samples[track.samples.len()..];
        let sweep = |sample: &Sample| Sample {
            position: sample.position + to,
            alive: false,
            segment,
            ..*sample
        };
        track.samples.extend(future.iter().map(sweep));
    }
    swept
}

/// By predictor and delay: hits, and errors in the first three classes. Places that were
/// swept away are in none of these, so only targets before the cut are counted.
fn counts(found: &Comparison) -> BTreeMap<(String, u64), [u64; 4]> {
    let one = |row: &OpenRow| {
        let count = |share: f64| (share * row.n as f64).round() as u64;
        let [best, good, bad, _] = row.classes.map(count);
        ((row.predictor.clone(), row.delay_ms), [count(row.hit_rate), best, good, bad])
    };
    found.open.iter().map(one).collect()
}

#[test]
fn no_prediction_sees_the_future() {
    let recording = teams(10, 9);
    let other = bots::session("proving-grounds", 10, 9, Mode::TwoTeams, 6).unwrap();
    // A little less than whole ticks, so that no target lies a rounding beyond the cut.
    let mut config = config(&[16, 33, 99, 299, 899], 2.0);
    // Names with an equals sign want a file.
    let names = Predictor::names().iter().filter(|(name, _)| !name.contains('='));
    config.predictors = names.map(|(name, _)| name.parse().unwrap()).collect();
    config.predictors.push("interest(preference=learnt)".parse().unwrap());
    config.closed_loop = false;
    let count = |it: Recording| {
        let found = compare(&config, &[it, other.clone()], &|_, _| ()).unwrap();
        counts(&Comparison {
            open: found.open.into_iter().filter(|row| row.session == recording.session).collect(),
            ..Comparison::default()
        })
    };
    let none = count(cut(&recording));
    let east = count(swept_away(&recording, DVec3::X * 1e5));
    let south = count(swept_away(&recording, DVec3::Y * -1e5));
    for (asked, none) in &none {
        assert!(asked.1 > 33 || none[0] > 500, "{asked:?}: {none:?} tests nothing");
        assert_eq!((*none, *none), (east[asked], south[asked]), "{asked:?}");
    }
}

#[test]
fn compare_runs_on_bots() {
    let recording = teams(6, 12);
    let found = compare(&config(&[300, 900], 45.0), &[recording], &|_, _| ()).unwrap();
    assert_eq!((found.open.len(), found.closed.len()), (16, 8));
    for row in &found.open {
        assert!(row.n > 100 && row.aee > 0.0 && row.aee.is_finite(), "{row:?}");
    }
    for row in &found.closed {
        assert!(row.packets_per_entity_s > 0.0 && row.in_walls.is_some(), "{row:?}");
        let names: Vec<&str> = row.receivers.iter().map(|it| it.receiver.as_str()).collect();
        assert_eq!(names, ["200 ms", "500 ms", "800 ms"]);
        for pair in row.receivers.windows(2) {
            assert!(pair[0].before < pair[1].before && pair[0].aee < pair[1].aee, "{row:?}");
        }
        for it in &row.receivers {
            // Both are the mean of what is shown, over time and over samples.
            assert!(
                (it.before + it.after - it.shown_error).abs() < 0.02 * it.shown_error,
                "{it:?}"
            );
            assert!((it.cee + it.eee - it.aee).abs() < 1e-9 && it.cee > it.eee, "{it:?}");
        }
    }
}

#[test]
fn the_experiments_of_li_and_shi_give_claims_and_tables() {
    let effort = Effort { seconds: 20, seeds: 1 };
    for (document, claims) in [(Document::Li, 17), (Document::Shi, 30)] {
        let found = reproduce_with(document, effort, &|_| ());
        assert_eq!(found.claims.len(), claims);
        for claim in &found.claims {
            assert!(!claim.measured.contains("NaN") && !claim.measured.contains("inf"), "{claim}");
        }
        assert!(found.tables.iter().all(|table| !table.rows.is_empty()));
    }
}
