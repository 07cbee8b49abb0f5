//! One session, asked how far off a predictor is in it.

use std::sync::Mutex;
use std::time::Duration;

use reckoning::{ConfigError, DVec3};
use reckoning_recording::Recording;

use super::FitConfig;
use crate::compare::{
    CompareConfig, Prepared, RecordedSurroundings, SceneMoment, Trials, inert, made_ready,
};
use crate::predictor::{Predictor, PredictorKind};

/// Moments asked about, spread evenly over the session: enough for two digits of the error.
const MOMENTS: usize = 400;

pub(super) struct FitSession {
    name: String,
    prepared: Prepared,
    /// Held by one thread at a time: its routes remember.
    around: Mutex<RecordedSurroundings>,
    delays: Vec<Duration>,
    /// Place of each frame that is asked about.
    frames: Vec<usize>,
    /// What constant velocity is off by, and how often that could be told, per delay.
    linear: Vec<(f64, u64)>,
    inert: Option<&'static str>,
}

impl FitSession {
    pub(super) fn new(recording: &Recording, config: &FitConfig) -> Result<Self, ConfigError> {
        let prepared = Prepared::with_own_velocities(recording);
        let kind = super::predictor(config.scheme.name()).kind();
        let planned: Vec<_> = match kind {
            PredictorKind::Behaviour(planned) => vec![planned],
            _ => Vec::new(),
        };
        let around = RecordedSurroundings::new(recording, &prepared, &planned, &[])?;
        let inert = inert::reason(kind, recording, &around);
        let step = prepared.frames.len().div_ceil(MOMENTS).max(1);
        let mut session = Self {
            name: recording.session.clone(),
            frames: (0..prepared.frames.len()).step_by(step).collect(),
            prepared,
            around: Mutex::new(around),
            delays: config.delays.clone(),
            linear: Vec::new(),
            inert,
        };
        session.linear = session.off(&super::predictor("linear"))?;
        Ok(session)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) const fn inert(&self) -> Option<&'static str> {
        self.inert
    }

    /// How many predictions there are at the longest delay.
    pub(super) fn asks(&self) -> u64 {
        self.linear.last().map_or(0, |it| it.1)
    }

    /// The mean over the delays of the error as a share of that of constant velocity.
    pub(super) fn error(&self, predictor: &Predictor) -> Result<f64, ConfigError> {
        let off = self.off(predictor)?;
        let shares = off.iter().zip(&self.linear).filter(|(_, linear)| linear.0 > 0.0);
        let shares: Vec<f64> = shares.map(|(own, linear)| own.0 / linear.0).collect();
        Ok(shares.iter().sum::<f64>() / shares.len().max(1) as f64)
    }

    fn off(&self, predictor: &Predictor) -> Result<Vec<(f64, u64)>, ConfigError> {
        let around = self.around.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let trials = Trials::new(&CompareConfig::default(), &[]);
        let ready = made_ready(predictor, &self.prepared, &[], &trials)?;
        let horizons_s: Vec<f64> = self.delays.iter().map(Duration::as_secs_f64).collect();
        let mut sums = vec![(0.0, 0); horizons_s.len()];
        let mut guesses = vec![DVec3::ZERO; horizons_s.len()];
        let mut moment = SceneMoment::default();
        for &frame in &self.frames {
            let now = self.prepared.frames[frame];
            around.look_around(&self.prepared, now, &mut moment);
            let scene = around.scene(&moment);
            for course in &self.prepared.courses {
                let place = course.states.partition_point(|it| it.kinematics.at < now);
                let Some(state) = course.states.get(place) else { continue };
                let seen = &state.kinematics;
                if seen.at != now || !state.alive || !state.moving_known {
                    continue;
                }
                guesses.fill(seen.position);
                if let Some(behaviour) = ready.behaviour(moment.li_scale(), around.habit_of(0, now))
                {
                    behaviour.roll_out(&scene, course.id as u32, &horizons_s, &mut guesses);
                } else {
                    let straight = |s: &f64| seen.position + seen.velocity * *s;
                    guesses.iter_mut().zip(&horizons_s).for_each(|(out, s)| *out = straight(s));
                }
                for ((sum, guess), delay) in sums.iter_mut().zip(&guesses).zip(&self.delays) {
                    if let Some(truth) = course.truth_at(place, now + *delay) {
                        *sum = (sum.0 + guess.distance(truth), sum.1 + 1);
                    }
                }
            }
        }
        Ok(sums)
    }
}
