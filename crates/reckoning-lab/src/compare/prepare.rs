//! A recording as predictors see it: at every sample, what is known by then.
//!
//! Velocities and accelerations are differences over the last 60 ms of the same segment, the
//! span the first baselines used, unless the source gives velocities and they are asked for. How fast a body can go and how much health and ammunition
//! it can have, which few recordings tell, is what it showed so far. A state depends on
//! nothing later than itself; that is what keeps the future out of every prediction, and a
//! test cuts recordings short to prove it.

use std::time::Duration;

use reckoning::{DQuat, DVec3, Kinematics, SimTime};
use reckoning_predict::{KnownBody, SteadyTracker};
use reckoning_recording::{Column, Recording, Sample, Track, VELOCITY_COLUMNS};

use super::poses::JointCourse;
use super::running_quantile::RunningQuantile;

/// Velocities are differenced over at least this span.
pub(crate) const WINDOW: Duration = Duration::from_millis(60);
/// A body without a sample for longer than this is not in the scene.
const FORGOTTEN: Duration = Duration::from_millis(500);

/// One body's states.
#[derive(Clone, Debug)]
pub(crate) struct BodyCourse {
    pub(crate) id: i32,
    pub(crate) states: Vec<BodyState>,
    /// Whether its orientation is known beyond its yaw, and was asked for.
    pub(crate) oriented: bool,
    /// Its joints, if they were asked for.
    pub(crate) joints: Vec<JointCourse>,
    /// For each state, the end of its segment in `states`.
    ends: Vec<u32>,
}

/// What is known of a body at one sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BodyState {
    pub(crate) kinematics: Kinematics,
    /// Its side at that moment; everyone is alone where there are no teams.
    team: i32,
    pub(crate) alive: bool,
    /// Whether there was enough of a past to tell its velocity.
    pub(crate) moving_known: bool,
    health: f32,
    ammo: f32,
    /// The most it had and the fastest it went so far, without outliers.
    max_health: f32,
    max_ammo: f32,
    top_speed: f64,
    steady: Duration,
}

/// A recording made ready.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    pub(crate) courses: Vec<BodyCourse>,
    /// Every moment with a sample, in order.
    pub(crate) frames: Vec<SimTime>,
    pub(crate) body_width: f64,
}

impl Prepared {
    pub(crate) fn from_recording(recording: &Recording) -> Self {
        let teams = recording.meta.team_play;
        let courses: Vec<BodyCourse> = recording
            .tracks
            .iter()
            .filter(|track| plays(track))
            .map(|track| BodyCourse::from_track(track, teams))
            .collect();
        let mut frames: Vec<SimTime> =
            courses.iter().flat_map(|c| c.states.iter().map(|s| s.kinematics.at)).collect();
        frames.sort_unstable();
        frames.dedup();
        let width = recording.meta.body_width;
        Self { courses, frames, body_width: if width > 0.0 { width } else { 1.0 } }
    }

    /// As [`Self::of`], but with the velocities that the source gives, where it gives any:
    /// what an owner knows of its own body need not be differenced.
    pub(crate) fn with_own_velocities(recording: &Recording) -> Self {
        let mut prepared = Self::from_recording(recording);
        prepared.take_velocities(recording);
        prepared
    }

    pub(super) fn take_velocities(&mut self, recording: &Recording) {
        for course in &mut self.courses {
            let Some(track) = recording.track(course.id) else { continue };
            let columns = VELOCITY_COLUMNS.map(|name| track.column(name));
            let [Some(x), Some(y), Some(z)] = columns else { continue };
            for (place, state) in course.states.iter_mut().enumerate() {
                let at = |column: &Column| column.values.get(place).map_or(f64::NAN, |&v| v.into());
                let velocity = DVec3::new(at(x), at(y), at(z));
                if velocity.is_finite() {
                    state.kinematics.velocity = velocity;
                }
            }
        }
    }

    /// Seconds that bodies lived, all together.
    pub(crate) fn body_seconds(&self) -> f64 {
        let mut sum_s = 0.0;
        for course in &self.courses {
            let alive = |pair: &[BodyState]| pair[0].alive && pair[1].alive;
            for (place, pair) in course.states.windows(2).enumerate() {
                if alive(pair) && course.ends[place] == course.ends[place + 1] {
                    sum_s += pair[1].kinematics.at.secs_since(pair[0].kinematics.at);
                }
            }
        }
        sum_s
    }

    /// How many states there are.
    pub(crate) fn samples(&self) -> usize {
        self.courses.iter().map(|course| course.states.len()).sum()
    }

    /// Its body width over SHI's 45 px, the error that document calls a hit.
    pub(crate) fn shi_scale(&self) -> f64 {
        self.body_width / 45.0
    }

    /// The top speed of the whole recording over that of LI's tanks: for judging errors, not
    /// for making predictions.
    pub(crate) fn li_scale(&self) -> f64 {
        li_scale(self.courses.iter().filter_map(|it| it.states.last()).map(|it| it.top_speed))
    }

    /// Everyone heard of lately, at `now`.
    pub(crate) fn known_at(&self, now: SimTime, out: &mut Vec<KnownBody>) {
        out.clear();
        for course in &self.courses {
            let next = course.states.partition_point(|state| state.kinematics.at <= now);
            if let Some(state) = next.checked_sub(1).map(|last| &course.states[last])
                && now.saturating_since(state.kinematics.at) <= FORGOTTEN
            {
                out.push(course.known(state));
            }
        }
    }
}

/// The highest of these speeds over the 40 px/s of LI's tanks; 1 where nobody moves.
pub(crate) fn li_scale(top_speeds: impl Iterator<Item = f64>) -> f64 {
    let top = top_speeds.fold(0.0, f64::max);
    if top > 0.0 { top / 40.0 } else { 1.0 }
}

/// Whether a track is of someone who plays: no ball, no referee.
pub(crate) fn plays(track: &Track) -> bool {
    let role = track.column("role").and_then(|column| column.label(0)).unwrap_or("");
    track.id >= 0 && !role.contains("referee")
}

impl BodyCourse {
    fn from_track(track: &Track, teams: bool) -> Self {
        let mut states = Vec::with_capacity(track.samples.len());
        let mut ends = Vec::with_capacity(track.samples.len());
        // In a free-for-all the source may call everyone one team.
        let side = |at| if teams { track.team_at(at) } else { track.id };
        for segment in track.segments() {
            let start = states.len();
            push_segment(segment, &side, &mut states);
            let end = states.len() as u32;
            ends.extend(std::iter::repeat_n(end, states.len() - start));
        }
        note_the_most(&mut states);
        Self { id: track.id, states, oriented: false, joints: Vec::new(), ends }
    }

    /// The place of the segment's end for the state at `place`.
    pub(crate) fn segment_end(&self, place: usize) -> usize {
        self.ends[place] as usize
    }

    /// Where the body truly was at `at`, in the segment of the state at `place`.
    pub(crate) fn truth_at(&self, place: usize, at: SimTime) -> Option<DVec3> {
        let segment = &self.states[place..self.segment_end(place)];
        let next = segment.partition_point(|state| state.kinematics.at < at);
        let after = &segment.get(next)?.kinematics;
        let before = &segment[next.saturating_sub(1)].kinematics;
        let span_s = after.at.secs_since(before.at);
        if span_s <= 0.0 {
            return Some(after.position);
        }
        Some(before.position.lerp(after.position, at.secs_since(before.at) / span_s))
    }

    fn known(&self, state: &BodyState) -> KnownBody {
        let mut known = KnownBody::new(self.id as u32, state.team, state.kinematics);
        known.health = state.health.clamp(0.0, state.max_health);
        known.max_health = state.max_health;
        known.ammo = state.ammo.clamp(0.0, state.max_ammo);
        known.max_ammo = state.max_ammo;
        known.top_speed_mps = state.top_speed;
        known.alive = state.alive;
        known.steady = state.steady;
        known
    }
}

/// Writes into every state the most of everything up to it: what 95 of 100 samples stay
/// below, since some games give absurd amounts before a match, and 99 of 100 for speed.
fn note_the_most(states: &mut [BodyState]) {
    let (mut health, mut ammo) = (RunningQuantile::new(95), RunningQuantile::new(95));
    let mut speed = RunningQuantile::new(99);
    for state in states {
        state.max_health = health.most_with(f64::from(state.health)) as f32;
        state.max_ammo = ammo.most_with(f64::from(state.ammo)) as f32;
        state.top_speed = if state.moving_known && state.alive {
            speed.most_with(state.kinematics.velocity.truncate().length())
        } else {
            speed.most()
        };
    }
}

fn push_segment(segment: &[Sample], side: &impl Fn(SimTime) -> i32, states: &mut Vec<BodyState>) {
    let first = states.len();
    let mut tracker = SteadyTracker::default();
    let mut back = first;
    for sample in segment {
        let mut state = still(sample, side(sample.at));
        while states.get(back + 1).is_some_and(|s| s.kinematics.at + WINDOW <= sample.at) {
            back += 1;
        }
        if let Some(earlier) = states.get(back)
            && earlier.kinematics.at + WINDOW <= sample.at
        {
            difference(&mut state, earlier);
        }
        tracker.observe(&state.kinematics);
        state.steady = tracker.steady();
        states.push(state);
    }
}

fn still(sample: &Sample, team: i32) -> BodyState {
    let half = f64::from(sample.yaw_rad.unwrap_or(0.0)) * 0.5;
    let (sin, cos) = libm::sincos(half);
    BodyState {
        kinematics: Kinematics {
            orientation: DQuat::from_xyzw(0.0, 0.0, sin, cos),
            ..Kinematics::at_rest(sample.at, sample.position)
        },
        team,
        alive: sample.alive,
        moving_known: false,
        health: sample.health.unwrap_or(0.0),
        ammo: sample.ammo.unwrap_or(0.0),
        max_health: 0.0,
        max_ammo: 0.0,
        top_speed: 0.0,
        steady: Duration::ZERO,
    }
}

fn difference(state: &mut BodyState, earlier: &BodyState) {
    let (now, before) = (&mut state.kinematics, &earlier.kinematics);
    let span_s = now.at.secs_since(before.at);
    now.velocity = (now.position - before.position) / span_s;
    state.moving_known = true;
    if earlier.moving_known {
        now.acceleration = (now.velocity - before.velocity) / span_s;
    }
    // Yaw turns about z; the shortest way between the two.
    let turn = before.orientation.conjugate() * now.orientation;
    let angle = 2.0 * libm::atan2(turn.z, turn.w);
    let angle = if angle > std::f64::consts::PI { angle - std::f64::consts::TAU } else { angle };
    now.angular_velocity = DVec3::Z * (angle / span_s);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two who walk along x with 3 units a second and say that it is 5; one changes sides.
    fn walkers() -> Recording {
        let mut recording = Recording::default();
        recording.meta.team_play = true;
        for id in 0..2 {
            let mut track = Track::new(id, 0, &VELOCITY_COLUMNS);
            for step in 0..100_i64 {
                let at = SimTime::from_millis(10 * step);
                let position = DVec3::X * (0.03 * step as f64);
                let sample = Sample { at, position, alive: true, ..Sample::default() };
                track.push(sample, &[5.0, 0.0, 0.0]);
            }
            recording.tracks.push(track);
        }
        recording.tracks[1].change_team(SimTime::from_millis(500), 1);
        recording
    }

    #[test]
    fn every_predictor_of_a_comparison_knows_the_velocity_that_the_source_gives() {
        let speeds = |prepared: &Prepared| prepared.courses[0].states[50].kinematics.velocity.x;
        assert!((speeds(&Prepared::from_recording(&walkers())) - 3.0).abs() < 1e-9);
        assert_eq!(speeds(&Prepared::with_own_velocities(&walkers())), 5.0);
        assert_eq!(speeds(&Prepared::with_poses(&walkers())), 5.0);
    }

    #[test]
    fn who_changes_sides_is_a_friend_before_and_an_enemy_after() {
        let prepared = Prepared::from_recording(&walkers());
        let teams = |at_ms: i64| {
            let mut bodies = Vec::new();
            prepared.known_at(SimTime::from_millis(at_ms), &mut bodies);
            bodies.iter().map(|body| body.team).collect::<Vec<_>>()
        };
        assert_eq!(teams(490), [0, 0]);
        assert_eq!(teams(500), [0, 1]);
    }
}
