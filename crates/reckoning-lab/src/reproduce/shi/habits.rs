//! Habits of movement that decide whether play patterns can predict players.
//!
//! EKB sends everyone at top speed towards friends. It can only be right where players run
//! at top speed and keep to their friends; both are measured here, from the truth.

use std::time::Duration;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_predict::SteadyTracker;
use reckoning_recording::{Recording, Sample, Track};

use crate::compare::prepare::plays;
use crate::reproduce::ReportTable;
use crate::stats::mean;

/// SHI's longest delay.
const AHEAD_S: f64 = 2.1;
/// Time between two looks at the same player.
const EVERY_S: f64 = 0.25;
/// Velocities are differences over this, as everywhere in the lab.
const BEHIND_S: f64 = 0.06;
/// A player without a sample for this long is not there.
const FORGOTTEN_S: f64 = 0.5;
/// SHI's window.
const WINDOW_PX: (f64, f64) = (1280.0, 960.0);
/// How wide SHI's players are.
const WIDTH_PX: f64 = 60.0;
/// The delay at which turns are asked about.
const LATER_S: f64 = 0.9;
/// What SHI calls a hit.
const HIT_PX: f64 = 45.0;

/// Averages over everyone and over time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlayHabits {
    /// Mean speed over the speed that one moment in a hundred exceeds.
    pub(super) speed_share: f64,
    /// Mean cosine between the way gone in 2.1 s and the way to the friends' middle: 1 for
    /// those who run there, 0 for those who do not care.
    pub(super) to_friends: f64,
    /// The same with the velocity at the start in place of the friends.
    pub(super) straight_on: f64,
    /// The middle of all distances to the nearest other player, in the recording's units.
    pub(super) nearest: f64,
    /// Of all hits of TDM at 900 ms, the share on players who had turned within the 900 ms
    /// before; SHI's hybrid leaves those to its pattern.
    pub(super) hits_after_turns: f64,
}

/// What is added up.
#[derive(Default)]
struct HabitSums {
    speeds: Vec<f64>,
    nearest: Vec<f64>,
    to_friends: Vec<f64>,
    straight_on: Vec<f64>,
    /// One for each hit of TDM: 1 after a turn, otherwise 0.
    after_turns: Vec<f64>,
}

impl PlayHabits {
    /// `px` is SHI's pixel in the recordings' units; without it, a 60th of a body's width.
    /// Zeros without recordings.
    pub(super) fn from_recordings(recordings: &[Recording], px: Option<f64>) -> Self {
        let mut sums = HabitSums::default();
        for recording in recordings {
            let tracks: Vec<&Track> = recording.tracks.iter().filter(|it| plays(it)).collect();
            let px = px.unwrap_or(recording.meta.body_width / WIDTH_PX);
            for track in &tracks {
                sums.follow(track, &tracks, px);
            }
        }
        sums.speeds.sort_by(f64::total_cmp);
        sums.nearest.sort_by(f64::total_cmp);
        let top = sums.speeds.get(sums.speeds.len() * 99 / 100).copied().unwrap_or(1.0);
        Self {
            speed_share: mean(&sums.speeds) / top,
            to_friends: mean(&sums.to_friends),
            straight_on: mean(&sums.straight_on),
            nearest: sums.nearest.get(sums.nearest.len() / 2).copied().unwrap_or(0.0),
            hits_after_turns: mean(&sums.after_turns),
        }
    }
}

impl HabitSums {
    fn follow(&mut self, track: &Track, all: &[&Track], px: f64) {
        let mut next = SimTime::from_micros(i64::MIN);
        let mut tracker = SteadyTracker::default();
        for pair in track.samples.windows(2) {
            let (last, sample) = (&pair[0], &pair[1]);
            if !sample.alive || last.segment != sample.segment {
                tracker = SteadyTracker::default();
                continue;
            }
            let Some(before) = shifted(track, sample, -BEHIND_S) else { continue };
            let gone = flat(sample.position - before.position);
            let velocity = gone / sample.at.secs_since(before.at).max(1e-6);
            tracker.observe(&Kinematics::moving(sample.at, sample.position, velocity));
            if sample.at < next {
                continue;
            }
            next = sample.at + Duration::from_secs_f64(EVERY_S);
            self.later(track, sample, velocity, (&tracker, px));
            let Some(after) = shifted(track, sample, AHEAD_S) else { continue };
            self.speeds.push(velocity.length());
            let ahead = flat(after.position - sample.position);
            self.look_round(track, all, sample, (gone, ahead), px);
        }
    }

    /// Whether TDM hits, and whether after a turn.
    fn later(
        &mut self,
        track: &Track,
        now: &Sample,
        velocity: DVec3,
        (tracker, px): (&SteadyTracker, f64),
    ) {
        let Some(after) = shifted(track, now, LATER_S) else { return };
        let guess = now.position + velocity * after.at.secs_since(now.at);
        if flat(guess - after.position).length() <= HIT_PX * px {
            let turned = tracker.steady().as_secs_f64() < LATER_S;
            self.after_turns.push(f64::from(u8::from(turned)));
        }
    }

    /// Who is near, and whether the way leads to them.
    fn look_round(
        &mut self,
        me: &Track,
        all: &[&Track],
        sample: &Sample,
        (gone, ahead): (DVec3, DVec3),
        px: f64,
    ) {
        let (mut middle, mut friends, mut nearest) = (DVec3::ZERO, 0.0, f64::INFINITY);
        for other in all.iter().filter(|it| it.id != me.id) {
            let Some(seen) = last_seen(other, sample.at) else { continue };
            let way = flat(seen.position - sample.position);
            if way.x.abs() > WINDOW_PX.0 * px || way.y.abs() > WINDOW_PX.1 * px {
                continue;
            }
            nearest = nearest.min(way.length());
            if other.team_at(sample.at) == me.team_at(sample.at) {
                middle += way;
                friends += 1.0;
            }
        }
        if nearest.is_finite() {
            self.nearest.push(nearest);
        }
        if friends > 0.0 {
            let ahead = ahead.normalize_or_zero();
            self.to_friends.push((middle / friends).normalize_or_zero().dot(ahead));
            self.straight_on.push(gone.normalize_or_zero().dot(ahead));
        }
    }
}

/// Along the ground, where SHI's game takes place.
fn flat(way: DVec3) -> DVec3 {
    way.with_z(0.0)
}

/// The last sample not later than so long after (or before) another one, within its segment.
fn shifted<'t>(track: &'t Track, from: &Sample, by_s: f64) -> Option<&'t Sample> {
    let at = SimTime::from_secs_f64(from.at.as_secs_f64() + by_s);
    let next = track.samples.partition_point(|it| it.at <= at);
    let near = track.samples.get(next.checked_sub(1)?)?;
    let reached = at.secs_since(near.at) < EVERY_S;
    (reached && near.segment == from.segment).then_some(near)
}

fn last_seen(track: &Track, at: SimTime) -> Option<&Sample> {
    let next = track.samples.partition_point(|it| it.at <= at);
    let last = track.samples.get(next.checked_sub(1)?)?;
    (last.alive && at.secs_since(last.at) <= FORGOTTEN_S).then_some(last)
}

pub(super) fn table(of: &[(&str, PlayHabits)]) -> ReportTable {
    let title = "SHI: how its predictors' players move";
    let columns = [
        "players",
        "mean of top speed",
        "cosine to friends",
        "cosine to old velocity",
        "nearest player",
        "TDM's hits at 900 ms after a turn",
    ];
    let mut table = ReportTable::new(title, &columns);
    for (name, habits) in of {
        table.rows.push(vec![
            (*name).to_owned(),
            format!("{:.2}", habits.speed_share),
            format!("{:.2}", habits.to_friends),
            format!("{:.2}", habits.straight_on),
            format!("{:.1}", habits.nearest),
            format!("{:.0} %", 100.0 * habits.hits_after_turns),
        ]);
    }
    table
}

/// What the bots do, for a reader who asks whether they were made to fit.
pub(super) fn bots_table() -> ReportTable {
    let title = "SHI: how the bots play; none of it is taken from a predictor";
    let mut table = ReportTable::new(title, &["a bot", "how"]);
    for (what, how) in [
        (
            "knows",
            "friends as on a radar, enemies it has seen in the last 6 s; reacts after 0.2 to 0.4 s",
        ),
        (
            "wants",
            "one goal at a time, for some seconds: attack, flee to cover, fetch health or shots, \
             patrol, hold, ambush, join the nearest friend; drawn by lot, weighed by health, \
             shots, odds in view, distance and character",
        ),
        ("differs", "seven traits by lot: aggression, caution, curiosity, loyalty and more"),
        ("travels", "by A* on the level's grid; gets stuck, notices, changes its mind"),
        ("fights", "sidesteps by lot, keeps the distance it likes, shoots in bursts, misses"),
        ("moves", "by keys: eight directions, held for at least 0.06 to 0.16 s"),
    ] {
        table.rows.push(vec![what.to_owned(), how.to_owned()]);
    }
    table
}
