//! Time series of the last half minute, one value every tenth of a second.

use std::collections::VecDeque;

/// Values a second.
pub const VALUES_PER_S: f64 = 10.0;
/// Half a minute.
pub const VALUES: usize = 300;

/// One curve; the oldest values fall off.
#[derive(Clone, Debug, Default)]
pub struct Series {
    values: VecDeque<f32>,
}

impl Series {
    /// The newest value.
    pub fn push(&mut self, value: f64) {
        if self.values.len() >= VALUES {
            self.values.pop_front();
        }
        self.values.push_back(if value.is_finite() { value as f32 } else { 0.0 });
    }

    /// How far from the right end, from 0 to 1 of the width, and how high each value stands.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        let last = self.values.len().saturating_sub(1);
        let place = move |number: usize| (last - number) as f64 / (VALUES - 1) as f64;
        self.values.iter().enumerate().map(move |(at, value)| (place(at), f64::from(*value)))
    }

    /// The largest.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.values.iter().fold(0.0, |most, it| most.max(f64::from(*it)))
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        self.values.clear();
    }
}

/// A round number not below `largest`, to end an axis with.
#[must_use]
pub fn axis_end(largest: f64) -> f64 {
    let mut unit = 1.0;
    while unit * 10.0 < largest {
        unit *= 10.0;
    }
    let steps = [1.0, 2.0, 5.0, 10.0];
    steps.into_iter().map(|it| it * unit).find(|end| *end >= largest).unwrap_or(10.0 * unit)
}

/// A number in few characters: `950`, `1.2k`, `34k`.
#[must_use]
pub fn short(value: f64) -> String {
    if value >= 9_950.0 {
        format!("{:.0}k", value / 1e3)
    } else if value >= 999.5 {
        format!("{:.1}k", value / 1e3)
    } else if value >= 9.95 {
        format!("{value:.0}")
    } else {
        format!("{value:.1}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_value_is_at_the_right_end_and_the_oldest_fall_off() {
        let mut series = Series::default();
        for value in 0..VALUES + 5 {
            series.push(value as f64);
        }
        let points: Vec<_> = series.points().collect();
        assert_eq!(points.len(), VALUES);
        assert_eq!(points[0], (1.0, 5.0));
        assert_eq!(points[VALUES - 1], (0.0, (VALUES + 4) as f64));
    }

    #[test]
    fn nonsense_is_drawn_as_nothing() {
        let mut series = Series::default();
        series.push(f64::NAN);
        assert_eq!(series.points().next(), Some((0.0, 0.0)));
    }

    #[test]
    fn axes_end_at_round_numbers() {
        for (largest, end) in [(0.0, 1.0), (1.5, 2.0), (10.0, 10.0), (43.0, 50.0), (5_100.0, 1e4)] {
            assert_eq!(axis_end(largest), end, "{largest}");
        }
    }

    #[test]
    fn numbers_are_short() {
        let told: Vec<String> = [0.25, 9.96, 998.0, 1_240.0, 12_400.0].map(short).to_vec();
        assert_eq!(told, ["0.2", "10", "998", "1.2k", "12k"]);
    }
}
