//! Error sums over predictions, and confidence intervals by resampling players.

use reckoning::random::SplitMix64;

/// Errors above these counts of LI's pixels fall into the next of its four classes.
const LI_CLASSES_PX: [f64; 3] = [10.0, 30.0, 50.0];
/// How often players are drawn anew for a confidence interval.
const DRAWS: usize = 1_000;

/// Errors of one predictor at one delay for one player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ErrorSums {
    pub(crate) sum: f64,
    pub(crate) hits: u64,
    pub(crate) classes: [u64; 4],
    pub(crate) n: u64,
}

impl ErrorSums {
    /// Counts one prediction that was `error` off. `li_px` is one of LI's pixels in the
    /// units of the recording.
    pub(crate) fn add(&mut self, error: f64, hit_within: f64, li_px: f64) {
        self.sum += error;
        self.hits += u64::from(error <= hit_within);
        let class = LI_CLASSES_PX.iter().filter(|&&limit| error > limit * li_px).count();
        self.classes[class] += 1;
        self.n += 1;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.sum += other.sum;
        self.hits += other.hits;
        self.n += other.n;
        for (own, other) in self.classes.iter_mut().zip(other.classes) {
            *own += other;
        }
    }
}

/// A mean and the range that holds it in 95 of 100 draws of the players.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Mean {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The ratio of two sums over players, each given as `(sum, count)`, with its interval by
/// resampling the players with replacement.
pub(crate) fn mean_over_players(players: &[(f64, f64)]) -> Mean {
    let ratio = |sums: (f64, f64)| if sums.1 > 0.0 { sums.0 / sums.1 } else { 0.0 };
    let total = |sums: (f64, f64), it: &(f64, f64)| (sums.0 + it.0, sums.1 + it.1);
    let value = ratio(players.iter().fold((0.0, 0.0), total));
    if players.len() < 2 {
        return Mean { value, low: value, high: value };
    }
    let mut random = SplitMix64::new(players.len() as u64);
    let mut drawn: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let one = |_| &players[(random.next_u64() % players.len() as u64) as usize];
            ratio((0..players.len()).map(one).fold((0.0, 0.0), total))
        })
        .collect();
    drawn.sort_by(f64::total_cmp);
    Mean { value, low: drawn[DRAWS * 25 / 1000], high: drawn[DRAWS * 975 / 1000] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_fall_into_lis_classes() {
        let mut errors = ErrorSums::default();
        for error in [5.0, 10.0, 20.0, 45.0, 51.0] {
            errors.add(error, 45.0, 1.0);
        }
        assert_eq!((errors.classes, errors.hits, errors.n), ([2, 1, 1, 1], 4, 5));
    }

    #[test]
    fn players_who_agree_leave_no_doubt_and_others_do() {
        let same = mean_over_players(&[(10.0, 5.0); 8]);
        assert_eq!(same, Mean { value: 2.0, low: 2.0, high: 2.0 });
        let mixed = mean_over_players(&[(1.0, 1.0), (3.0, 1.0), (2.0, 1.0), (6.0, 1.0)]);
        assert!(mixed.low < mixed.value && mixed.value < mixed.high, "{mixed:?}");
    }
}
