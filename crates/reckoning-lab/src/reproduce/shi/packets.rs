//! SHI's packets by their definition.
//!
//! A packet is sent when the prediction rolled out from the last sent state, in the scene of the
//! moment it was sent, is more than the threshold from the truth. The engine's publisher sends
//! something else, a curve fitted to that prediction, which is measured apart.

use std::time::Duration;

use reckoning::{ConfigError, DVec3};
use reckoning_recording::Recording;

use super::BOUND_PX;
use crate::compare::{
    BodyCourse, CompareConfig, Prepared, Ready, RecordedSurroundings, Trials, made_ready,
    on_each_thread,
};
use crate::predictor::{Predictor, PredictorKind};

/// Samples that a prediction is rolled out for at once; packets come about as often.
const PIECE: usize = 32;

/// Packets per player and second of each predictor, every session counting the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Packets(Vec<(String, f64)>);

impl Packets {
    pub(super) fn new(recordings: &[Recording], names: &[&str]) -> Self {
        let predictors: Vec<Predictor> = names.iter().filter_map(|it| it.parse().ok()).collect();
        let rates: Vec<Vec<f64>> =
            recordings.iter().filter_map(|it| rates(it, &predictors).ok()).collect();
        let mean = |place: usize| {
            rates.iter().map(|it| it[place]).sum::<f64>() / rates.len().max(1) as f64
        };
        let named = predictors.iter().enumerate();
        Self(named.map(|(place, it)| (it.to_string(), mean(place))).collect())
    }

    pub(super) fn of(&self, name: &str) -> f64 {
        self.0.iter().find(|(known, _)| known == name).map_or(f64::NAN, |(_, rate)| *rate)
    }
}

fn rates(recording: &Recording, predictors: &[Predictor]) -> Result<Vec<f64>, ConfigError> {
    let prepared = Prepared::with_own_velocities(recording);
    let kinds = predictors.iter().map(Predictor::kind);
    let planned: Vec<_> = kinds
        .filter_map(|kind| match kind {
            PredictorKind::Behaviour(planned) => Some(planned),
            _ => None,
        })
        .collect();
    let around = RecordedSurroundings::new(recording, &prepared, &planned, &[])?;
    let config = CompareConfig { predictors: predictors.to_vec(), ..CompareConfig::default() };
    let trials = Trials::new(&config, std::slice::from_ref(&prepared));
    let ready = predictors.iter().map(|it| made_ready(it, &prepared, &[], &trials));
    let ready: Vec<Ready> = ready.collect::<Result<_, _>>()?;
    let players = prepared.courses.len();
    let counts = on_each_thread(ready.len() * players, &around, |around, task| {
        let sender = Sender { prepared: &prepared, around, ready: ready[task / players] };
        sender.count(task % players)
    });
    let rate = |counts: &[(f64, f64)]| {
        let (packets, seconds) = counts.iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        packets / f64::max(seconds, 1e-9)
    };
    Ok(counts.chunks(players.max(1)).map(rate).collect())
}

struct Sender<'a> {
    prepared: &'a Prepared,
    around: &'a RecordedSurroundings,
    ready: Ready,
}

impl Sender<'_> {
    /// Packets and seconds of one player's lives. The state at a birth is known to all.
    fn count(&self, player: usize) -> (f64, f64) {
        let course = &self.prepared.courses[player];
        let (mut packets, mut seconds, mut place) = (0.0, 0.0, 0);
        while place < course.states.len() {
            let end = course.segment_end(place);
            if course.states[place].alive {
                let at = |place: usize| course.states[place].kinematics.at;
                seconds += at(end - 1).secs_since(at(place));
                packets += self.count_life(player, place, end);
            }
            place = end;
        }
        (packets, seconds)
    }

    fn count_life(&self, player: usize, begin: usize, end: usize) -> f64 {
        let (mut packets, mut sent) = (0.0, begin);
        while let Some(off) = self.first_off(player, sent, end) {
            packets += 1.0;
            sent = off;
        }
        packets
    }

    /// The place of the first state that the prediction from `sent` misses.
    fn first_off(&self, player: usize, sent: usize, end: usize) -> Option<usize> {
        let course = &self.prepared.courses[player];
        let mut piece = PIECE;
        let mut from = sent + 1;
        while from < end {
            let to = (sent + piece).min(end - 1);
            let guesses = self.rolled_out(player, course, sent, to);
            let misses = |place: &usize| {
                let guess: DVec3 = guesses[place - sent - 1];
                guess.distance(course.states[*place].kinematics.position) > BOUND_PX
            };
            if let Some(off) = (from..=to).find(misses) {
                return Some(off);
            }
            (from, piece) = (to + 1, 2 * piece);
        }
        None
    }

    /// Where it is predicted to be at every state after `sent` up to `to`.
    fn rolled_out(&self, player: usize, course: &BodyCourse, sent: usize, to: usize) -> Vec<DVec3> {
        let last = &course.states[sent].kinematics;
        let later = course.states[sent + 1..=to].iter().map(|it| it.kinematics.at);
        let mut guesses = vec![last.position; to - sent];
        let mut moment = self.around.before(self.prepared, last.at, 10);
        self.around.look_around(self.prepared, last.at, &mut moment);
        let learnt = self.around.habit_of(player, last.at);
        if let Some(behaviour) = self.ready.behaviour(moment.li_scale(), learnt) {
            let horizons_s: Vec<f64> = later.map(|at| at.secs_since(last.at)).collect();
            let scene = self.around.scene(&moment);
            behaviour.roll_out(&scene, course.id as u32, &horizons_s, &mut guesses);
        } else if let Ready::Model(model) = self.ready {
            let model = model.fitted(last);
            let each = guesses.iter_mut().zip(later);
            each.for_each(|(guess, at)| *guess = model.position_at(last, at));
        }
        guesses
    }
}

/// So much of each recording, from its beginning.
pub(super) fn begun(recording: &Recording, seconds: f64) -> Recording {
    let mut begun = recording.clone();
    let Some((start, _)) = recording.span() else { return begun };
    let end = start + Duration::from_secs_f64(seconds);
    for track in &mut begun.tracks {
        track.samples.retain(|sample| sample.at <= end);
    }
    begun
}

#[cfg(test)]
mod tests {
    use super::*;
    use reckoning::SimTime;
    use reckoning_recording::{Sample, Track, VELOCITY_COLUMNS};

    /// One who runs along x with 100 px/s and turns to y after a second, at 60 Hz.
    fn runner() -> Recording {
        let mut track = Track::new(0, 0, &VELOCITY_COLUMNS);
        for tick in 0..=120_i64 {
            let (x, y) = (tick.min(60) as f64 / 0.6, (tick - 60).max(0) as f64 / 0.6);
            let (vx, vy) = if tick < 60 { (100.0, 0.0) } else { (0.0, 100.0) };
            let position = DVec3::new(x, y, 0.0);
            let at = SimTime::from_tick(tick, 60);
            track.push(Sample { at, position, alive: true, ..Sample::default() }, &[vx, vy, 0.0]);
        }
        Recording { tracks: vec![track], ..Recording::default() }
    }

    /// By hand, at 1.667 px a tick. Straight on is n * 2.357 px off n ticks after the turn, more
    /// than 45 px at n = 20; the state sent then is right to the end: one packet in two seconds.
    /// Who is believed to stand is off after 28 ticks, at 28 and 56; then from (93.3, 0), with 6.7
    /// px to the side, at (100, 45), tick 87, and at 115: four.
    #[test]
    fn a_packet_is_sent_when_the_rollout_from_the_last_sent_state_is_off() {
        let found = Packets::new(&[runner()], &["linear", "hold"]);
        assert!((found.of("linear") - 0.5).abs() < 1e-9, "{found:?}");
        assert!((found.of("hold") - 2.0).abs() < 1e-9, "{found:?}");
    }
}
