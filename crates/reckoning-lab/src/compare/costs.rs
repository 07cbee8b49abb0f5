//! What predictors cost in computing time, measured where they run.
//!
//! The lab reads no clock: whoever asks brings one. The scene is gathered beforehand, since a game
//! has it anyway; a network's history is what half a second of its body has shown.

use std::hint::black_box;
use std::time::Duration;

use reckoning::{AngleThreshold, ExportReason, Kinematics, Model, Planner};
use reckoning_predict::{Behaviour, Surroundings};
use reckoning_recording::Recording;

use super::closed_loop::ChainSetting;
use super::prepare::Prepared;
use super::{CompareConfig, CompareError, ComparedSession, Trials};

/// Bodies at a moment that are asked about, of each session.
const SAMPLES: usize = 48;
/// So often in a row, so that a clock of some tens of nanoseconds will do ...
const REPEATS: usize = 64;
/// ... and so often anew, of which the quickest counts: whatever interrupts only adds.
const TRIES: usize = 5;
/// Samples that a planner which remembers has watched before.
const WATCHED: usize = 30;

/// What one predictor costs on one machine.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictorCost {
    /// Its name.
    pub predictor: String,
    /// Nanoseconds for its owner to plan an update, the median over samples.
    pub plan_ns: f64,
    /// Nanoseconds for a listener to ask where the body is, the median over samples.
    pub look_ns: f64,
}

/// Measures every predictor of a comparison on some recordings, each surrounded by what the others
/// of its source tell. `now` is the time passed since any moment.
///
/// # Errors
/// As [`compare`](super::compare).
pub fn predictor_costs(
    config: &CompareConfig,
    recordings: &[Recording],
    now: &dyn Fn() -> Duration,
) -> Result<Vec<PredictorCost>, CompareError> {
    let prepared: Vec<Prepared> = recordings.iter().map(Prepared::from_recording).collect();
    let trials = Trials::new(config, &prepared);
    let mut found: Vec<[Vec<f64>; 2]> = vec![Default::default(); config.predictors.len()];
    for number in first_of_each_source(recordings) {
        let session = ComparedSession::new(config, recordings, &prepared, &trials, number)?;
        for (predictor, [plans, looks]) in found.iter_mut().enumerate() {
            session.measure(predictor, now, plans, looks)?;
        }
    }
    let cost =
        |(predictor, [plans, looks]): (&super::Predictor, &mut [Vec<f64>; 2])| PredictorCost {
            predictor: predictor.to_string(),
            plan_ns: median(plans),
            look_ns: median(looks),
        };
    Ok(config.predictors.iter().zip(&mut found).map(cost).collect())
}

fn first_of_each_source(recordings: &[Recording]) -> Vec<usize> {
    let is_first = |&number: &usize| {
        let source = &recordings[number].source;
        !recordings[..number].iter().any(|it| it.source == *source)
    };
    (0..recordings.len()).filter(is_first).collect()
}

impl ComparedSession<'_> {
    fn measure(
        &self,
        predictor: usize,
        now: &dyn Fn() -> Duration,
        plans: &mut Vec<f64>,
        looks: &mut Vec<f64>,
    ) -> Result<(), CompareError> {
        let angle_bound = AngleThreshold::degrees(self.config.angle_bound_deg)
            .map_err(reckoning::ConfigError::from)?;
        let setting = ChainSetting {
            prepared: self.prepared,
            surroundings: &self.surroundings,
            context: &self.context,
            predictor: self.ready[predictor],
            bound: self.bound,
            angle_bound,
            receivers: &[],
        };
        for (player, place) in samples(self.prepared) {
            let (plan_ns, model) = setting.plan_ns(player, place, now);
            let seen = &self.prepared.courses[player].states[place].kinematics;
            let at = seen.at + Duration::from_millis(100);
            plans.push(plan_ns);
            looks.push(quickest_ns(now, || {
                for _ in 0..REPEATS {
                    black_box(black_box(&model).position_at(black_box(seen), at));
                }
            }));
        }
        Ok(())
    }
}

/// Bodies that live and move, evenly over the recording.
fn samples(prepared: &Prepared) -> Vec<(usize, usize)> {
    let is_known = |player: usize, place: &usize| {
        let state = &prepared.courses[player].states[*place];
        state.alive && state.moving_known
    };
    let all: Vec<(usize, usize)> = (0..prepared.courses.len())
        .flat_map(|player| {
            let places = (0..prepared.courses[player].states.len()).step_by(16);
            places.filter(move |place| is_known(player, place)).map(move |place| (player, place))
        })
        .collect();
    all.iter().step_by(all.len().div_ceil(SAMPLES).max(1)).copied().collect()
}

impl ChainSetting<'_> {
    /// What a plan takes at a sample, and the plan.
    fn plan_ns(&self, player: usize, place: usize, now: &dyn Fn() -> Duration) -> (f64, Model) {
        if let Some(mut planner) = self.planner(player) {
            let begin =
                self.prepared.courses[player].states[..=place].len().saturating_sub(WATCHED);
            for place in begin..=place {
                self.tell(&mut planner, player, place);
            }
            return self.with_senses(player, place, |truth, around| {
                let plan = planner.clone().plan(truth, around, ExportReason::Position);
                // A planner remembers what it said of a moment: each is asked once.
                (each_ns(now, &planner, |it| it.plan(truth, around, ExportReason::Position)), plan)
            });
        }
        let truth = self.prepared.courses[player].states[place].kinematics;
        self.with_scene(player, &truth, |behaviour, around| match behaviour {
            Some(behaviour) => plans_ns(now, behaviour, &truth, around),
            None => plans_ns(now, self.plain_model(), &truth, around),
        })
    }
}

fn plans_ns<P>(
    now: &dyn Fn() -> Duration,
    planner: P,
    truth: &Kinematics,
    around: &Surroundings<'_>,
) -> (f64, Model)
where
    P: for<'a> Planner<Surroundings<'a>> + Clone,
{
    let ask = |planner: &mut P| planner.plan(truth, around, ExportReason::Position);
    let plan = ask(&mut planner.clone());
    (each_ns(now, &planner, ask), plan)
}

/// Nanoseconds to ask a planner once, of planners that were asked nothing before.
fn each_ns<P: Clone>(
    now: &dyn Fn() -> Duration,
    planner: &P,
    ask: impl Fn(&mut P) -> Model,
) -> f64 {
    let tries = (0..TRIES).map(|_| {
        let mut fresh = vec![planner.clone(); REPEATS];
        let begin = now();
        for planner in &mut fresh {
            black_box(ask(black_box(planner)));
        }
        ns_since(begin, now)
    });
    tries.fold(f64::INFINITY, f64::min)
}

fn quickest_ns(now: &dyn Fn() -> Duration, work: impl Fn()) -> f64 {
    let tries = (0..TRIES).map(|_| {
        let begin = now();
        work();
        ns_since(begin, now)
    });
    tries.fold(f64::INFINITY, f64::min)
}

fn ns_since(begin: Duration, now: &dyn Fn() -> Duration) -> f64 {
    now().saturating_sub(begin).as_nanos() as f64 / REPEATS as f64
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

impl ChainSetting<'_> {
    /// Asks with the behaviour of the predictor, if it is one, and what is around a body.
    fn with_scene<R>(
        &self,
        player: usize,
        truth: &Kinematics,
        ask: impl FnOnce(Option<Behaviour>, &Surroundings<'_>) -> R,
    ) -> R {
        let mut moment = self.surroundings.before(self.prepared, truth.at, 10);
        self.surroundings.look_around(self.prepared, truth.at, &mut moment);
        let learnt = self.surroundings.habit_of(player, truth.at);
        let behaviour = self.predictor.behaviour(moment.li_scale(), learnt);
        let scene = self.surroundings.scene(&moment);
        let id = self.prepared.courses[player].id as u32;
        ask(behaviour, &Surroundings { scene: Some(&scene), id, ..Surroundings::default() })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::bots;

    /// A clock that goes on by a microsecond whenever it is read: everything takes one.
    #[test]
    fn a_cost_is_what_the_clock_says_over_how_often_was_asked() {
        let reads = Cell::new(0_u64);
        let now = || {
            reads.set(reads.get() + 1);
            Duration::from_micros(reads.get())
        };
        let config = CompareConfig {
            predictors: ["linear", "ekb", "chooser"].map(|it| it.parse().unwrap()).to_vec(),
            ..CompareConfig::default()
        };
        let recordings = &bots::sessions()[..2];
        let costs = predictor_costs(&config, recordings, &now).unwrap();
        let expected = 1_000.0 / REPEATS as f64;
        for cost in &costs {
            assert!((cost.plan_ns - expected).abs() < 1e-9, "{cost:?}");
            assert!((cost.look_ns - expected).abs() < 1e-9, "{cost:?}");
        }
        let names: Vec<&str> = costs.iter().map(|it| it.predictor.as_str()).collect();
        assert_eq!(names, ["linear", "ekb", "chooser"]);
    }
}
