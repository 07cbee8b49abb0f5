//! Cheats injected into recorded play: which does a [`Guard`](reckoning::Guard) catch, how
//! soon, and what does it think of those who play honestly?
//!
//! Every recorded player is run through publisher, link and guard twice. Honest runs give
//! the false alarms. Cheated runs take over at some moment and give the share of cheats
//! that got any verdict but acceptance within one and three seconds.
//!
//! What bodies can do is learnt from the *other* sessions of the same source, never from
//! the one that is judged; where there is only one, from its other players. Which faces of
//! a level are no walls is learnt from the other players, too. A cheat that
//! makes a slow player no faster than honest ones is invisible in principle, so every rate
//! is given twice: for stretches that the player honestly went at 80 % of the fastest honest
//! pace or more, and for moments every 15 s, whatever the player did then. The third table says
//! what a sequential likelihood ratio test finds of those that stay within what bodies can do.
//!
//! Rules that were fixed before the first result: the test is for a game 1.5 times as fast, at one
//! false alarm in five player-hours, its level chosen within the training sessions alone.

mod inject;
mod limit;
mod passable_walls;
mod play;
mod table;
mod trial;

use reckoning::guard::{ENVELOPE_SPANS_S, Envelope, MotionTest};
use reckoning::{ConfigError, Kinematics};
use reckoning_recording::{Level, Recording};

use crate::reproduce::ReportTable;
use inject::{Cheat, LASTS_S};
use limit::LimitTests;
use passable_walls::walls_without_passages;
use play::{CheatPlan, PlayerPieces};
use table::SourceTally;
use trial::{PATHS, TrialSetting, caught_after, honest_run, publishers};

/// The share of honest moments that the envelope holds, and what is added to it.
const QUANTILE: f64 = 0.999_9;
const MARGIN: f64 = 0.05;
/// Seconds between two cheats injected into the same player.
const EVERY_S: f64 = 15.0;
/// A player is fast from this share of the fastest honest pace on.
const FAST: f64 = 0.8;
/// Paces are measured over this of the envelope's spans: 0.8 s.
const PACE_SPAN: usize = 3;

/// The motion test is for a game so many times as fast, with so many false alarms an hour.
const TEST_TIMES: f64 = 1.5;
const FALSE_PER_H: f64 = 0.2;

/// One session made ready.
struct CheatSession {
    /// Sessions of different rates are measured differently and are not pooled.
    source: String,
    players: Vec<PlayerPieces>,
    level: Level,
    body_width: f64,
    /// What the publisher of each player exported, one track per unbroken piece.
    exported: Vec<Vec<Vec<Kinematics>>>,
}

/// Runs every cheat on every player and gives three tables: honest play, cheats, and the statistical
/// limit.
///
/// `progress` is called with how many of how many sessions are done.
///
/// # Errors
/// Names a wall of a level that cannot be built.
pub fn cheat_tables(
    recordings: &[Recording],
    progress: &dyn Fn(u64, u64),
) -> Result<Vec<ReportTable>, ConfigError> {
    let sessions: Vec<CheatSession> = recordings.iter().map(CheatSession::from_recording).collect();
    let mut sources: Vec<&str> = sessions.iter().map(|it| it.source.as_str()).collect();
    sources.sort_unstable();
    sources.dedup();
    let mut tallies = Vec::new();
    let mut done = 0;
    for source in sources {
        let sessions: Vec<&CheatSession> =
            sessions.iter().filter(|it| it.source == source).collect();
        let mut tally = SourceTally::new(source);
        for tested in 0..sessions.len() {
            judge_session(&sessions, tested, &mut tally)?;
            done += 1;
            progress(done, recordings.len() as u64);
        }
        tallies.push(tally);
    }
    Ok(vec![
        table::honest_table(&tallies),
        table::cheat_table(&tallies),
        table::limit_table(&tallies),
    ])
}

impl CheatSession {
    fn from_recording(recording: &Recording) -> Self {
        let players = PlayerPieces::all_of(recording);
        let width = recording.meta.body_width;
        let body_width = if width > 0.0 { width } else { 1.0 };
        let exported = players.iter().map(|it| trial::exported(it, body_width)).collect();
        let source = match recording.meta.rate_hz {
            rate_hz if recording.source == "football" => format!("football {rate_hz:.0} Hz"),
            _ => recording.source.clone(),
        };
        Self { source, players, level: recording.level.clone(), body_width, exported }
    }
}

impl CheatSession {
    /// What the others of this session did.
    fn tracks_without(&self, player: usize) -> Vec<&[Kinematics]> {
        let others = self.exported.iter().enumerate().filter(|(place, _)| *place != player);
        others.flat_map(|(_, pieces)| pieces.iter().map(Vec::as_slice)).collect()
    }
}

fn judge_session(
    sessions: &[&CheatSession],
    tested: usize,
    tally: &mut SourceTally,
) -> Result<(), ConfigError> {
    let session = sessions[tested];
    let others = (sessions.len() > 1).then(|| Learnt::without(sessions, tested, None));
    let knowing = motion_test(&tracks_of(sessions, None));
    for (place, player) in session.players.iter().enumerate() {
        // The only session of its source: what the others of that session can do.
        let learnt = others.unwrap_or_else(|| Learnt::without(sessions, tested, Some(place)));
        let Some(envelope) = learnt.envelope else { continue };
        let walls = walls_without_passages(&session.level, &session.tracks_without(place))?;
        let setting = TrialSetting {
            model: publishers()[0].1,
            path: PATHS[0],
            motion: learnt.motion,
            envelope,
            walls: walls.as_ref(),
            body_width: session.body_width,
            seed: (tested * 1_000 + place) as u64,
        };
        for (row, (_, model)) in publishers().into_iter().enumerate() {
            for (column, path) in PATHS.into_iter().enumerate() {
                let setting = TrialSetting { model, path, ..setting };
                tally.add_honest(row * PATHS.len() + column, &honest_run(player, &setting));
            }
        }
        let tests = LimitTests { learnt: learnt.motion, knowing };
        judge_cheats(player, &setting, &tests, tally);
    }
    Ok(())
}

/// Runs every cheat on a player.
fn judge_cheats(
    player: &PlayerPieces,
    setting: &TrialSetting<'_>,
    tests: &LimitTests<'_>,
    tally: &mut SourceTally,
) {
    let top_m = setting.envelope.reach_m[PACE_SPAN];
    let top_mps = top_m / ENVELOPE_SPANS_S[PACE_SPAN] / (1.0 + MARGIN);
    for cheat in Cheat::ALL {
        let plan = CheatPlan { every_s: EVERY_S, times: cheat.times(), fast_mps: FAST * top_mps };
        for moment in player.moments(&plan) {
            let course = cheat.course(moment.piece, moment.at_s, LASTS_S, setting);
            let Some(course) = course else { continue };
            tally.add_cheat(cheat, &moment, caught_after(&course, setting));
            if moment.regular {
                tally.add_limit(cheat, &moment, tests, setting);
            }
        }
    }
}

/// What was learnt from the play of others.
#[derive(Clone, Copy)]
struct Learnt {
    envelope: Option<Envelope>,
    motion: Option<&'static MotionTest>,
}

impl Learnt {
    /// From the other sessions, or from the tested one but for one player.
    fn without(sessions: &[&CheatSession], tested: usize, player: Option<usize>) -> Self {
        let tracks = tracks_of(sessions, Some((tested, player)));
        Self { envelope: envelope(&tracks), motion: motion_test(&tracks) }
    }
}

/// A test is kept for as long as the laboratory runs, as a game keeps its own.
fn motion_test(tracks: &[&[Kinematics]]) -> Option<&'static MotionTest> {
    let tracks = tracks.iter().copied();
    let test = MotionTest::learnt_from(tracks, TEST_TIMES, FALSE_PER_H)?;
    Some(Box::leak(Box::new(test)))
}

/// What bodies did, without a session or one player of it.
fn tracks_of<'a>(
    sessions: &[&'a CheatSession],
    without: Option<(usize, Option<usize>)>,
) -> Vec<&'a [Kinematics]> {
    let mut tracks: Vec<&[Kinematics]> = Vec::new();
    for (number, session) in sessions.iter().enumerate() {
        for (place, exported) in session.exported.iter().enumerate() {
            let left_out = without.is_some_and(|(tested, player)| {
                number == tested && player.is_none_or(|out| out == place)
            });
            if !left_out {
                tracks.extend(exported.iter().map(Vec::as_slice));
            }
        }
    }
    tracks
}

fn envelope(tracks: &[&[Kinematics]]) -> Option<Envelope> {
    let mut envelope = Envelope::learnt_from(tracks.iter().copied(), QUANTILE, MARGIN)?;
    // Which way a body looks is the mouse's or the camera's affair in most of these games.
    envelope.turn_radps = f64::INFINITY;
    Some(envelope)
}
