//! Cheats injected into recorded play: which does a [`Guard`](reckoning::Guard) catch, how
//! soon, and what does it think of those who play honestly?
//!
//! Every recorded player is run through publisher, link and guard twice. Honest runs give
//! the false alarms. Cheated runs take over at some moment and give the share of cheats
//! that got any verdict but acceptance within one and three seconds.
//!
//! What bodies can do is learnt from the *other* sessions of the same source, never from
//! the one that is judged; a source with one session is left out by name. A cheat that
//! makes a slow player no faster than honest ones is invisible in principle, so every rate
//! is given twice: for moments at which the player already moved at 80 % of the fastest
//! honest pace or more, and for all moments.

mod inject;
mod play;
mod table;
mod trial;

use reckoning::{ConfigError, Envelope, Kinematics, Walls};

use crate::compare::walls_of;
use crate::recording::Recording;
use crate::reproduce::Table;
use inject::Cheat;
use play::Player;
use table::SourceTally;
use trial::{Setting, caught_after, honest_run};

/// The share of honest moments that the envelope holds, and what is added to it.
const QUANTILE: f64 = 0.999_9;
const MARGIN: f64 = 0.05;
/// Seconds between two cheats injected into the same player.
const EVERY_S: f64 = 15.0;

/// One session made ready.
struct Session {
    players: Vec<Player>,
    walls: Option<Walls>,
    body_width: f64,
    /// What the publishers of all players exported, one track per unbroken piece.
    exported: Vec<Vec<Kinematics>>,
}

/// Runs every cheat on every player and gives two tables: honest play, and cheats.
///
/// `progress` is told how many of how many sessions are done.
///
/// # Errors
/// Names a wall of a level that cannot be built.
pub fn cheat_tables(
    recordings: &[Recording],
    progress: &dyn Fn(u64, u64),
) -> Result<Vec<Table>, ConfigError> {
    let mut sources: Vec<&str> = recordings.iter().map(|it| it.source.as_str()).collect();
    sources.sort_unstable();
    sources.dedup();
    let mut tallies = Vec::new();
    let mut done = 0;
    for source in sources {
        let of_source = recordings.iter().filter(|it| it.source == source);
        let sessions: Vec<Session> = of_source.map(Session::of).collect::<Result<_, _>>()?;
        let mut tally = SourceTally::new(source, sessions.len());
        for tested in 0..sessions.len() {
            judge_session(&sessions, tested, &mut tally);
            done += 1;
            progress(done, recordings.len() as u64);
        }
        tallies.push(tally);
    }
    Ok(vec![table::honest_table(&tallies), table::cheat_table(&tallies)])
}

impl Session {
    fn of(recording: &Recording) -> Result<Self, ConfigError> {
        let players = Player::all_of(recording);
        let width = recording.meta.body_width;
        let body_width = if width > 0.0 { width } else { 1.0 };
        let exported = players.iter().flat_map(|it| trial::exported(it, body_width)).collect();
        Ok(Self { players, walls: walls_of(&recording.level)?, body_width, exported })
    }
}

fn judge_session(sessions: &[Session], tested: usize, tally: &mut SourceTally) {
    let others = sessions.iter().enumerate().filter(|(place, _)| *place != tested);
    let tracks = others.flat_map(|(_, session)| session.exported.iter().map(Vec::as_slice));
    let Some(mut envelope) = Envelope::learnt_from(tracks, QUANTILE, MARGIN) else { return };
    // Which way a body looks is the mouse's or the camera's affair in most of these games.
    envelope.turn_radps = f64::INFINITY;
    let session = &sessions[tested];
    let walls = session.walls.as_ref();
    for (place, player) in session.players.iter().enumerate() {
        let seed = (tested * 1_000 + place) as u64;
        let setting = Setting { envelope, walls, body_width: session.body_width, seed };
        tally.add_honest(&honest_run(player, &setting));
        for cheat in Cheat::ALL {
            for (piece, at_s) in player.moments(EVERY_S, cheat.needs_s()) {
                let Some(course) = cheat.course(piece, at_s, &setting) else { continue };
                let fast = piece.pace(at_s) >= 0.8 * envelope.reach_m[3] / 0.8 / (1.0 + MARGIN);
                tally.add_cheat(cheat, fast, caught_after(&course, &setting));
            }
        }
    }
}
