//! Preferences of players, as learnt up to each moment of a recording.
//!
//! LI asks for the frequency of a player's habits. A learner watches each player four times a
//! second, LI's slice, and what it knows by then is written down: a prediction made at some
//! moment uses what was learnt up to that moment, of this player, in this session. Before
//! anything was seen there is no preference.

use std::time::Duration;

use reckoning::{ConfigError, SimTime};
use reckoning_predict::{Interest, InterestConfig, Preference, PreferenceLearner};

use super::prepare::Prepared;
use super::surroundings::{RecordedSurroundings, SceneMoment};

const EVERY: Duration = Duration::from_millis(250);

/// What was learnt of the players of one recording, and since when it is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct PreferenceHistory(Vec<Vec<(SimTime, Preference)>>);

impl PreferenceHistory {
    pub(crate) fn learn(
        prepared: &Prepared,
        surroundings: &RecordedSurroundings,
    ) -> Result<Self, ConfigError> {
        // Only directions count here, so LI's own scale will do.
        let interest = Interest::new(InterestConfig::default())?;
        let mut learners = vec![PreferenceLearner::default(); prepared.courses.len()];
        let mut known = vec![Vec::new(); prepared.courses.len()];
        let mut moment = SceneMoment::default();
        let mut next = SimTime::MIN;
        for &now in &prepared.frames {
            if now < next {
                continue;
            }
            next = now + EVERY;
            surroundings.look_around(prepared, now, &mut moment);
            let scene = surroundings.scene(&moment);
            let players = prepared.courses.iter().zip(&mut learners).zip(&mut known);
            for ((course, learner), known) in players {
                let before = *learner;
                if scene.body(course.id as u32).is_some_and(|body| body.alive) {
                    learner.observe(&interest, &scene, course.id as u32);
                }
                if *learner != before {
                    known.push((now, learner.preference()));
                }
            }
        }
        Ok(Self(known))
    }

    /// What is known of a player at `now`.
    pub(crate) fn at(&self, player: usize, now: SimTime) -> Preference {
        let Some(known) = self.0.get(player) else { return Preference::NONE };
        let next = known.partition_point(|it| it.0 <= now);
        next.checked_sub(1).map_or(Preference::NONE, |last| known[last].1)
    }
}
