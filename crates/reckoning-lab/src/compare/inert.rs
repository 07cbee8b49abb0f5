//! Predictors that a recording gives nothing to go by.
//!
//! The interest scheme without health and ammunition, trends without another session of the map,
//! ways round walls that nobody knows: each then predicts what a simpler one does, digit by digit.
//! Such a row says nothing about the predictor, so it is marked and its numbers are not shown.

use reckoning_recording::Recording;

use super::surroundings::RecordedSurroundings;
use crate::predictor::{Planned, PredictorKind};

/// Why a predictor can only do what a simpler one does here; `None` if it has something to go by.
pub(crate) fn reason(
    kind: PredictorKind,
    recording: &Recording,
    around: &RecordedSurroundings,
) -> Option<&'static str> {
    let PredictorKind::Behaviour(planned) = kind else { return None };
    match planned {
        Planned::Interest(_) if !tells_states(recording) => {
            Some("as straight on: no health and no ammunition are recorded")
        }
        Planned::Trend if around.trends().is_none() => {
            Some("as straight on: no other session of this map")
        }
        Planned::Ekb { config, .. } if config.avoid_walls && !around.knows_walls() => {
            Some("as without going round walls: none are known")
        }
        Planned::Ekb { .. } if recording.tracks.len() < 2 => {
            Some("as straight on: nobody else is there")
        }
        Planned::Ant { points, .. } if points > 0.0 && !tells_states(recording) => {
            Some("as trails alone: no health and no ammunition are recorded")
        }
        _ => None,
    }
}

/// Whether bodies differ from each other or from themselves in health or ammunition.
fn tells_states(recording: &Recording) -> bool {
    let samples = || recording.tracks.iter().flat_map(|track| &track.samples);
    let differs = |of: fn(&reckoning_recording::Sample) -> Option<f32>| {
        let mut known = samples().filter_map(of);
        known.next().is_some_and(|first| known.any(|it| it.to_bits() != first.to_bits()))
    };
    differs(|it| it.health) || differs(|it| it.ammo)
}
