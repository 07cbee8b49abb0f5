//! The search: round by round, constant by constant, each judged by sessions it did not see.

use std::collections::BTreeMap;
use std::sync::Mutex;

use rayon::prelude::*;

use super::session::FitSession;
use super::{FitError, Scheme, predictor};

/// More rounds change nothing any more.
const MAX_ROUNDS: usize = 3;
/// Sessions held back at most, to decide on the number of rounds.
const INNER_FOLDS: usize = 4;
/// Less of a gain than this, in shares of linear, is taken for none.
const LEAST_GAIN: f64 = 1e-4;

/// The place of the value of each constant.
pub(super) type Choice = Vec<usize>;

pub(super) struct Search<'a> {
    scheme: Scheme,
    sessions: Vec<FitSession>,
    progress: &'a (dyn Fn(u64, u64) + Sync),
    /// Errors known already: paths of different folds meet often.
    known: Mutex<BTreeMap<(usize, Choice), f64>>,
}

impl<'a> Search<'a> {
    pub(super) const fn new(
        scheme: Scheme,
        sessions: Vec<FitSession>,
        progress: &'a (dyn Fn(u64, u64) + Sync),
    ) -> Self {
        Self { scheme, sessions, progress, known: Mutex::new(BTreeMap::new()) }
    }

    pub(super) const fn sessions(&self) -> usize {
        self.sessions.len()
    }

    pub(super) fn session_name(&self, session: usize) -> String {
        self.sessions[session].name().to_owned()
    }

    /// The document's own constants.
    pub(super) fn printed(&self) -> Choice {
        vec![0; self.scheme.constants().len()]
    }

    /// The predictor with these constants, those of the document left out.
    pub(super) fn named(&self, choice: &[usize]) -> String {
        let changed = self.scheme.constants().iter().zip(choice).filter(|(_, place)| **place > 0);
        let changed: Vec<String> = changed
            .map(|((letter, values), place)| format!("{letter}={}", values[*place]))
            .collect();
        let name = self.scheme.name();
        if changed.is_empty() { name.to_owned() } else { format!("{name}({})", changed.join(",")) }
    }

    pub(super) fn error(&self, session: usize, choice: &Choice) -> Result<f64, FitError> {
        let key = (session, choice.clone());
        if let Some(&error) = self.lock().get(&key) {
            return Ok(error);
        }
        let error = self.sessions[session].error(&predictor(&self.named(choice)))?;
        let done = {
            let mut known = self.lock();
            known.insert(key, error);
            known.len() as u64
        };
        (self.progress)(done, self.about().max(done + 1));
        Ok(error)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<(usize, Choice), f64>> {
        self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// How many errors are asked for if all folds go the same way twice.
    fn about(&self) -> u64 {
        let values: usize = self.scheme.constants().iter().map(|(_, values)| values.len()).sum();
        (2 * values * self.sessions.len()) as u64
    }

    /// The constants for these sessions, and after how many rounds: as many as help sessions
    /// that are held back.
    pub(super) fn choose(&self, sessions: &[usize]) -> Result<(Choice, usize), FitError> {
        let mut sums = [0.0; MAX_ROUNDS + 1];
        if sessions.len() > 1 {
            for &back in sessions.iter().take(INNER_FOLDS) {
                let others: Vec<usize> =
                    sessions.iter().copied().filter(|&it| it != back).collect();
                for (sum, choice) in sums.iter_mut().zip(self.rounds(&others, MAX_ROUNDS)?) {
                    *sum += self.error(back, &choice)?;
                }
            }
        }
        // The first of the best: fewer rounds, closer to the document.
        let rounds = (1..sums.len())
            .fold(0, |best, it| if sums[it] < sums[best] - LEAST_GAIN { it } else { best });
        let chosen = self.rounds(sessions, rounds)?;
        Ok((chosen[rounds].clone(), rounds))
    }

    /// The constants after 0, 1, ... rounds.
    fn rounds(&self, sessions: &[usize], rounds: usize) -> Result<Vec<Choice>, FitError> {
        let mut after = vec![self.printed()];
        for round in 0..rounds {
            let next = self.round(sessions, after[round].clone())?;
            after.push(next);
        }
        Ok(after)
    }

    fn round(&self, sessions: &[usize], mut choice: Choice) -> Result<Choice, FitError> {
        for constant in 0..choice.len() {
            let values = self.scheme.constants()[constant].1.len();
            let kept = choice[constant];
            let mut best = (self.mean(sessions, &choice)?, kept);
            for value in (0..values).filter(|&value| value != kept) {
                choice[constant] = value;
                let error = self.mean(sessions, &choice)?;
                if error < best.0 - LEAST_GAIN {
                    best = (error, value);
                }
            }
            choice[constant] = best.1;
        }
        Ok(choice)
    }

    fn mean(&self, sessions: &[usize], choice: &Choice) -> Result<f64, FitError> {
        let errors = sessions.par_iter().map(|&session| self.error(session, choice));
        let errors: Vec<f64> = errors.collect::<Result<_, _>>()?;
        Ok(errors.iter().sum::<f64>() / errors.len().max(1) as f64)
    }
}
