//! What is set up for each step by its sliders.

use std::time::Duration;

use reckoning::fairness::Weights;
use reckoning::{Blend, BlendSpan, Model};
use reckoning_arena::protocol::LinkChoice;

use super::super::{LineSetup, Step};

/// How long an acceleration is believed: about as long as a bend lasts.
const TRUST: Duration = Duration::from_millis(400);
/// How fast the ball is where no slider says so.
pub(super) const SPEED_MPS: f64 = 4.0;
/// The delay of the steps that are about something else.
const SOME_DELAY_MS: u16 = 150;

/// What is lost is lost before it sets out.
pub(super) fn without_loss(link: LinkChoice) -> LinkChoice {
    LinkChoice { loss_percent: 0, ..link }
}

pub(super) fn speed_mps(step: Step, values: [f64; 2]) -> f64 {
    if step == Step::Guess { values[1] } else { SPEED_MPS }
}

pub(super) fn link(step: Step, values: [f64; 2]) -> LinkChoice {
    let [first, second] = values;
    match step {
        Step::Delay => {
            LinkChoice { delay_ms: first as u16, jitter_ms: second as u16, ..LinkChoice::NONE }
        }
        Step::Loss => LinkChoice {
            delay_ms: 80,
            loss_percent: first as u8,
            burst: second as u8,
            ..LinkChoice::NONE
        },
        Step::Ahead => LinkChoice { delay_ms: SOME_DELAY_MS, ..LinkChoice::NONE },
        _ => LinkChoice::NONE,
    }
}

/// What the lines of a step do: the one that it is about, and the one it is held against.
pub(super) fn setups(step: Step, values: [f64; 2]) -> Vec<LineSetup> {
    let [first, second] = values;
    let link = without_loss(link(step, values));
    let close = |threshold_m| LineSetup {
        blend: LineSetup::close(),
        link,
        ..LineSetup::plain(threshold_m)
    };
    match step {
        Step::Guess => vec![LineSetup::plain(first)],
        Step::Silence => {
            let bends = Model::Accelerating { trust: TRUST };
            let models = [Model::Hold, Model::Linear, bends, Model::Arc];
            let model = models.get(second as usize).copied().unwrap_or(Model::Linear);
            vec![LineSetup { model, ..LineSetup::plain(first) }]
        }
        Step::Delay | Step::Loss => {
            let model = Model::Accelerating { trust: TRUST };
            vec![LineSetup { model, ..close(0.25) }]
        }
        Step::Blend => {
            let blends = [
                (Blend::Snap, BlendSpan::CALM),
                (Blend::Linear, BlendSpan::CALM),
                LineSetup::close(),
                (Blend::ProjectiveVelocity, BlendSpan::CALM),
            ];
            let blend = blends.get(second as usize).copied().unwrap_or(LineSetup::close());
            vec![LineSetup { blend, ..LineSetup::plain(first) }]
        }
        Step::Ahead => {
            let ahead = Duration::from_millis(second as u64);
            let ahead = (!ahead.is_zero()).then_some(ahead);
            let model = if ahead.is_some() { Model::Arc } else { Model::Linear };
            vec![LineSetup { model, ahead, ..close(first) }, close(first)]
        }
        Step::Fair => Vec::new(),
    }
}

/// Guesses that lose their speed, since some watchers hear little.
pub(super) fn fair_setup() -> LineSetup {
    let model = Model::Damped { fade: Duration::from_millis(800) };
    LineSetup { blend: LineSetup::close(), model, ..LineSetup::plain(0.3) }
}

/// The budget as a share, and whose turn is next.
pub(super) fn policy(values: [f64; 2]) -> (f64, Weights) {
    let rules = [Weights::WAITING, Weights::TEMPERED, Weights::ACCUMULATED];
    let rule = rules.get(values[1] as usize).copied().unwrap_or_default();
    (values[0] / 100.0, rule)
}
