//! Tests for repeated measures: the same subjects under different conditions.
//!
//! Each subject is its own control, so what is tested is the differences within subjects.
//! All p-values are two-sided. In a design of two by two conditions every effect has one
//! degree of freedom and its F is the square of a [`paired_t`]: the interaction is that of
//! the differences of differences.

/// What a paired comparison found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// How many subjects.
    pub subjects: usize,
    /// The mean of first minus second.
    pub difference: f64,
    /// The test statistic: t, or the rank sum W+.
    pub statistic: f64,
    /// How likely so large a difference is when the conditions do not matter.
    pub p: f64,
}

/// Student's t-test on the differences within subjects. Subjects beyond the shorter list are
/// left out; with fewer than two nothing can be told and p is 1.
#[must_use]
pub fn paired_t(first: &[f64], second: &[f64]) -> Paired {
    let gaps: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    let n = gaps.len() as f64;
    let difference = gaps.iter().sum::<f64>() / n.max(1.0);
    let squares: f64 = gaps.iter().map(|gap| (gap - difference) * (gap - difference)).sum();
    let error = (squares / (n - 1.0).max(1.0) / n.max(1.0)).sqrt();
    let statistic = if difference == 0.0 { 0.0 } else { difference / error };
    let p = if gaps.len() < 2 { 1.0 } else { student_p(statistic, n - 1.0) };
    Paired { subjects: gaps.len(), difference, statistic, p }
}

/// Up to this many differences the rank sums are counted out; beyond, they are normal.
const COUNTED: usize = 25;

/// Wilcoxon's signed-rank test, which asks nothing of the shape of the differences: exact
/// for few subjects whose differences are all unlike, else by the normal distribution with
/// the correction for ties. Differences of zero are left out.
#[must_use]
pub fn signed_rank(first: &[f64], second: &[f64]) -> Paired {
    let all = first.len().min(second.len());
    let mut gaps: Vec<f64> =
        first.iter().zip(second).map(|(a, b)| a - b).filter(|gap| *gap != 0.0).collect();
    let difference = gaps.iter().sum::<f64>() / (all as f64).max(1.0);
    gaps.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let (plus, ties) = rank_sum(&gaps);
    let p = if ties == 0.0 && gaps.len() <= COUNTED {
        exact_rank_p(gaps.len(), plus)
    } else {
        normal_rank_p(gaps.len() as f64, plus, ties)
    };
    Paired { subjects: all, difference, statistic: plus, p }
}

/// The ranks of the positive differences, and the sum of `t^3 - t` over groups of ties.
fn rank_sum(sorted: &[f64]) -> (f64, f64) {
    let (mut plus, mut ties) = (0.0, 0.0);
    let mut start = 0;
    while start < sorted.len() {
        let size = sorted[start].abs();
        let group = sorted[start..].iter().take_while(|gap| gap.abs() == size).count();
        let rank = start as f64 + 0.5 * (group as f64 + 1.0);
        let positive = sorted[start..start + group].iter().filter(|gap| **gap > 0.0).count();
        plus += rank * positive as f64;
        ties += (group * group * group - group) as f64;
        start += group;
    }
    (plus, ties)
}

/// Counts among all signs those with a rank sum as far from the middle.
fn exact_rank_p(n: usize, plus: f64) -> f64 {
    let most = n * (n + 1) / 2;
    let mut ways = vec![0.0; most + 1];
    ways[0] = 1.0;
    for rank in 1..=n {
        for sum in (rank..=most).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    let low = plus.min(most as f64 - plus) as usize;
    let tail: f64 = ways[..=low].iter().sum();
    (2.0 * tail / libm::exp2(n as f64)).min(1.0)
}

fn normal_rank_p(n: f64, plus: f64, ties: f64) -> f64 {
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
    if variance <= 0.0 {
        return 1.0;
    }
    let off = ((plus - n * (n + 1.0) / 4.0).abs() - 0.5).max(0.0);
    libm::erfc(off / (2.0 * variance).sqrt())
}

/// What an analysis of variance found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anova {
    /// How many subjects.
    pub subjects: usize,
    /// The variance between conditions over that left within subjects.
    pub f: f64,
    /// How likely so large an F is when the conditions do not matter, sphericity assumed.
    pub p: f64,
}

/// One-way analysis of variance with repeated measures: `conditions[c][s]` is what subject
/// `s` did under condition `c`. All conditions are cut to the shortest; with fewer than two
/// conditions or subjects p is 1.
#[must_use]
pub fn repeated_anova(conditions: &[Vec<f64>]) -> Anova {
    let k = conditions.len();
    let n = conditions.iter().map(Vec::len).min().unwrap_or(0);
    if k < 2 || n < 2 {
        return Anova { subjects: n, f: 0.0, p: 1.0 };
    }
    let of_condition = |c: usize| conditions[c][..n].iter().sum::<f64>() / n as f64;
    let of_subject = |s: usize| conditions.iter().map(|it| it[s]).sum::<f64>() / k as f64;
    let grand = (0..k).map(of_condition).sum::<f64>() / k as f64;
    let between: f64 = (0..k).map(|c| square(of_condition(c) - grand)).sum::<f64>() * n as f64;
    let rest: f64 = (0..n)
        .flat_map(|s| (0..k).map(move |c| (c, s)))
        .map(|(c, s)| square(conditions[c][s] - of_condition(c) - of_subject(s) + grand))
        .sum();
    let (top, bottom) = ((k - 1) as f64, ((k - 1) * (n - 1)) as f64);
    let f = if between == 0.0 { 0.0 } else { (between / top) / (rest / bottom) };
    Anova { subjects: n, f, p: beta(0.5 * bottom, 0.5 * top, bottom / (bottom + top * f)) }
}

fn square(x: f64) -> f64 {
    x * x
}

/// The share of Student's distribution at least as far out as `t`, on both sides.
#[must_use]
pub fn student_p(t: f64, freedom: f64) -> f64 {
    beta(0.5 * freedom, 0.5, freedom / (freedom + t * t))
}

/// The regularised incomplete beta function, by its continued fraction where that converges
/// fast and by symmetry elsewhere.
fn beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return f64::from(u8::from(x >= 1.0));
    }
    let gammas = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b);
    let front = libm::exp(gammas + a * libm::log(x) + b * libm::log1p(-x));
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(a, b, x) / a
    } else {
        1.0 - front * fraction(b, a, 1.0 - x) / b
    }
}

/// The continued fraction of the incomplete beta function, by Lentz's method.
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    let kept = |v: f64| if v.abs() < 1e-300 { 1e-300 } else { v };
    let (mut c, mut d) = (1.0, 1.0 / kept(1.0 - (a + b) * x / (a + 1.0)));
    let mut value = d;
    for step in 1..300 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = value;
        for term in [even, odd] {
            d = 1.0 / kept(1.0 + term * d);
            c = kept(1.0 + term / c);
            value *= c * d;
        }
        if (value - before).abs() <= 1e-15 * value.abs() {
            break;
        }
    }
    value
}

/// The mean of some numbers; zero when there are none.
#[must_use]
pub(crate) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// Mean of some numbers, and the standard deviation of those numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation of all the values, not of a sample of them.
    pub deviation: f64,
}

impl Spread {
    /// Zeros when there are no values.
    #[must_use]
    pub fn from_values(values: &[f64]) -> Self {
        let mean = mean(values);
        let squares = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
        Self { mean, deviation: libm::sqrt(squares / values.len().max(1) as f64) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_that_of_all_values() {
        assert_eq!(Spread::from_values(&[1.0, 3.0]), Spread { mean: 2.0, deviation: 1.0 });
        assert_eq!(Spread::from_values(&[]), Spread { mean: 0.0, deviation: 0.0 });
    }

    fn near(got: f64, wanted: f64, within: f64) {
        assert!((got - wanted).abs() < within, "{got} instead of {wanted}");
    }

    #[test]
    fn students_distribution_is_that_of_the_tables() {
        for (t, freedom, p) in
            [(12.706_205, 1.0, 0.05), (2.228_139, 10.0, 0.05), (2.750_0, 30.0, 0.01)]
        {
            near(student_p(t, freedom), p, 1e-6);
            near(student_p(-t, freedom), p, 1e-6);
        }
        near(student_p(0.0, 7.0), 1.0, 1e-12);
    }

    /// The sleep data of Student (1908): t = -4.0621 with 9 degrees, p = 0.002833.
    #[test]
    fn students_sleepers_sleep_longer() {
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let found = paired_t(&first, &second);
        near(found.statistic, -4.062_128, 1e-5);
        near(found.difference, -1.58, 1e-12);
        near(found.p, 0.002_833, 1e-6);
    }

    #[test]
    fn rank_sums_are_counted_out() {
        // Five of five to one side: 2 of 32 ways.
        near(signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0], &[0.0; 5]).p, 0.0625, 1e-12);
        // W = 8 of ten is the 5 % point of the tables: p = 0.048828.
        let gaps = [-8.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0, 10.0];
        let found = signed_rank(&gaps, &[0.0; 10]);
        assert_eq!(found.statistic, 47.0);
        near(found.p, 0.048_828_125, 1e-12);
    }

    #[test]
    fn many_ranks_are_normal() {
        // W+ = 276 of n = 40: mean 410, deviation 74.4, z with continuity 1.795.
        let gaps: Vec<f64> =
            (1..=40).map(|rank| f64::from(if rank > 23 { -rank } else { rank })).collect();
        let found = signed_rank(&gaps, &[0.0; 40]);
        assert_eq!(found.statistic, 276.0);
        near(found.p, 0.072_747, 1e-6);
    }

    #[test]
    fn with_two_conditions_f_is_t_squared() {
        let (a, b) = (vec![1.0, 2.5, 3.0, 4.5, 7.0], vec![2.0, 2.4, 4.0, 6.5, 7.5]);
        let t = paired_t(&a, &b);
        let anova = repeated_anova(&[a, b]);
        near(anova.f, t.statistic * t.statistic, 1e-9);
        near(anova.p, t.p, 1e-9);
    }

    /// The worked example of the Laerd guide that STEELE cites for its tests: six people
    /// before, three and six months into training; F(2, 10) = 12.53, p = 0.002.
    #[test]
    fn training_makes_fit() {
        let before = vec![45.0, 42.0, 36.0, 39.0, 51.0, 44.0];
        let three = vec![50.0, 42.0, 41.0, 35.0, 55.0, 49.0];
        let six = vec![55.0, 45.0, 43.0, 40.0, 59.0, 56.0];
        let found = repeated_anova(&[before, three, six]);
        near(found.f, 12.53, 0.01);
        near(found.p, 0.002, 5e-4);
    }

    #[test]
    fn too_few_subjects_tell_nothing() {
        assert_eq!(paired_t(&[1.0], &[0.0]).p, 1.0);
        assert_eq!(signed_rank(&[], &[]).p, 1.0);
        assert_eq!(repeated_anova(&[vec![1.0], vec![2.0]]).p, 1.0);
    }
}
