//! Time constants fitted to recordings: how soon velocities and accelerations die away.

use std::time::Duration;

use reckoning::Model;

use super::prepare::Prepared;

/// Time constants tried, in milliseconds: a third apart, from a blink to half a minute.
const FADES_MS: [u64; 20] = [
    50, 70, 100, 140, 200, 280, 400, 560, 800, 1_100, 1_500, 2_000, 2_800, 4_000, 5_600, 8_000,
    11_000, 15_000, 20_000, 30_000,
];
/// Every so many states is enough to fit one number to.
const STEP: usize = 11;

/// How far off one session was with every constant: by constant and delay.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trial {
    off: Vec<f64>,
    hold: Vec<f64>,
}

impl Trial {
    /// Tries every constant on one session.
    pub(crate) fn new(
        prepared: &Prepared,
        delays: &[Duration],
        model: fn(Duration) -> Model,
    ) -> Self {
        let models = FADES_MS.map(|ms| model(Duration::from_millis(ms)));
        let mut off = vec![0.0; models.len() * delays.len()];
        let mut hold = vec![0.0; delays.len()];
        for course in &prepared.courses {
            for place in (0..course.states.len()).step_by(STEP) {
                let state = &course.states[place];
                let seen = &state.kinematics;
                if !(state.alive && state.moving_known) {
                    continue;
                }
                for (k, &delay) in delays.iter().enumerate() {
                    let Some(truth) = course.truth_at(place, seen.at + delay) else { continue };
                    hold[k] += seen.position.distance(truth);
                    for (row, model) in off.chunks_mut(delays.len()).zip(&models) {
                        row[k] += model.position_at(seen, seen.at + delay).distance(truth);
                    }
                }
            }
        }
        Self { off, hold }
    }
}

/// The fade of a damped velocity that fits these sessions best.
pub(crate) fn fitted_fade<'a>(sessions: impl Iterator<Item = &'a Prepared>) -> Duration {
    let delays: Vec<Duration> = (1..=7).map(|k| Duration::from_millis(300 * k)).collect();
    let damped = |fade| Model::Damped { fade };
    let trials: Vec<Trial> = sessions.map(|it| Trial::new(it, &delays, damped)).collect();
    fade(&trials.iter().collect::<Vec<_>>())
}

/// The constant that is nearest over all these sessions, the delays counted in units of what
/// holding still would be off. With nothing to learn from: one second.
pub(crate) fn fade(training: &[&Trial]) -> Duration {
    let delays = training.iter().map(|trial| trial.hold.len()).max().unwrap_or(0);
    let hold: Vec<f64> =
        (0..delays).map(|k| training.iter().map(|trial| trial.hold[k]).sum()).collect();
    let badness = |row: usize| -> f64 {
        let off = |k: usize| training.iter().map(|it| it.off[row * delays + k]).sum::<f64>();
        (0..delays).filter(|&k| hold[k] > 0.0).map(|k| off(k) / hold[k]).sum()
    };
    if hold.iter().all(|&sum| sum <= 0.0) {
        return Duration::from_secs(1);
    }
    let best = (0..FADES_MS.len()).min_by(|&a, &b| badness(a).total_cmp(&badness(b)));
    Duration::from_millis(FADES_MS[best.unwrap_or(9)])
}
