//! Errors of angles: their mean, and what 95 of 100 stay below.

/// Errors below this count as this for the quantile, in degrees.
const SMALLEST_DEG: f64 = 1e-3;
/// Bins are this much wider from one to the next, so a quantile is off by half a per cent at most.
const RATIO: f64 = 1.01;

/// Errors of an angle. Memory does not grow with their number.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AngleTally {
    sum_deg: f64,
    n: u64,
    /// How many fell between two powers of [`RATIO`].
    bins: Vec<u32>,
}

impl AngleTally {
    pub(crate) fn add(&mut self, error_rad: f64) {
        let error_deg = error_rad.abs().to_degrees();
        let bin = libm::log(error_deg.max(SMALLEST_DEG) / SMALLEST_DEG) / libm::log(RATIO);
        let bin = bin as usize;
        if self.bins.len() <= bin {
            self.bins.resize(bin + 1, 0);
        }
        self.bins[bin] = self.bins[bin].saturating_add(1);
        self.sum_deg += error_deg;
        self.n += 1;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.sum_deg += other.sum_deg;
        self.n += other.n;
        self.bins.resize(self.bins.len().max(other.bins.len()), 0);
        for (own, other) in self.bins.iter_mut().zip(&other.bins) {
            *own = own.saturating_add(*other);
        }
    }

    pub(crate) const fn n(&self) -> u64 {
        self.n
    }

    /// Zero without any.
    pub(crate) fn mean_deg(&self) -> f64 {
        self.sum_deg / self.n.max(1) as f64
    }

    /// What 95 of 100 are at most, to half a per cent; zero without any.
    pub(crate) fn p95_deg(&self) -> f64 {
        let wanted = self.n - self.n / 20;
        let mut count = 0;
        let bin = self.bins.iter().position(|&more| {
            count += u64::from(more);
            count >= wanted.max(1)
        });
        // The smallest bin holds the zeros as well.
        let middle = |bin| match bin {
            0 => 0.0,
            _ => SMALLEST_DEG * libm::pow(RATIO, bin as f64 + 0.5),
        };
        bin.map_or(0.0, middle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_quantile_are_those_of_the_values() {
        let (mut all, mut even) = (AngleTally::default(), AngleTally::default());
        for error in 1..=1_000_i32 {
            let tally = if error % 2 == 0 { &mut even } else { &mut all };
            tally.add(f64::from(-error).to_radians() * 0.1);
        }
        all.merge(&even);
        assert_eq!(all.n(), 1_000);
        assert!((all.mean_deg() - 50.05).abs() < 1e-9, "{}", all.mean_deg());
        assert!((all.p95_deg() / 95.0 - 1.0).abs() < 0.006, "{}", all.p95_deg());
    }

    #[test]
    fn where_nothing_is_off_both_are_zero() {
        let mut tally = AngleTally::default();
        assert_eq!((tally.mean_deg(), tally.p95_deg()), (0.0, 0.0));
        tally.add(0.0);
        assert_eq!((tally.mean_deg(), tally.p95_deg()), (0.0, 0.0));
    }
}
