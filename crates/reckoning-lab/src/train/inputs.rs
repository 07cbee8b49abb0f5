//! Network inputs from features: the informative ones, centred and scaled.

use reckoning_predict::learned::{
    FEATURES, Framing, GROUPS, LIMIT, LearnedInput, feature_group, mirrored_feature,
};

use super::examples::Examples;

/// The features a network uses, and how they change.
#[derive(Clone, Debug)]
pub(super) struct Inputs {
    pub list: Vec<LearnedInput>,
    /// For each input, the one that stands there in a mirror, and its sign.
    pub mirror: Vec<(usize, f32)>,
    /// For each group that may be hidden, its inputs, and its flag with the value for hidden.
    pub groups: Vec<FeatureGroup>,
}

/// Inputs, and the flag that says whether they are known with its value for not.
pub(super) type FeatureGroup = (Vec<usize>, Option<(usize, f32)>);

impl Inputs {
    /// Looks through the examples. A mirror image counts as much as its original, so that
    /// left and right have the same size.
    pub fn from_examples(examples: &Examples, framing: Framing, bounds: (f64, f64)) -> Self {
        let mut sums = vec![FeatureSpread::default(); FEATURES];
        for row in examples.features.chunks_exact(FEATURES) {
            for (feature, &value) in row.iter().enumerate() {
                let (there, turned) = mirrored_feature(framing, feature);
                sums[feature].add(value);
                sums[there].add(if turned { -value } else { value });
            }
        }
        sums[0] = FeatureSpread::between(bounds.0, bounds.1);
        let used: Vec<usize> = (0..FEATURES).filter(|&k| sums[k].says_something()).collect();
        let place = |feature: usize| used.iter().position(|&it| it == feature);
        let mirror = |&feature: &usize| {
            let (there, turned) = mirrored_feature(framing, feature);
            (place(there).unwrap_or(0), if turned { -1.0 } else { 1.0 })
        };
        let list: Vec<LearnedInput> = used.iter().map(|&k| sums[k].input(k)).collect();
        let group = |group: usize| {
            let (range, flag) = feature_group(group);
            let hidden = |k: usize| (k, (0.0 - list[k].mean) * list[k].scale);
            (range.filter_map(place).collect(), place(flag).map(hidden))
        };
        let groups = (0..GROUPS).map(group).collect();
        Self { mirror: used.iter().map(mirror).collect(), groups, list }
    }

    /// The inputs of all examples, row by row; zero where nothing is known.
    pub fn rows(&self, examples: &Examples) -> Vec<f32> {
        let mut rows = Vec::with_capacity(examples.len() * self.list.len());
        for row in examples.features.chunks_exact(FEATURES) {
            rows.extend(self.list.iter().map(|input| {
                let x = (row[usize::from(input.feature)] - input.mean) * input.scale;
                if x.is_nan() { 0.0 } else { x.clamp(-LIMIT, LIMIT) }
            }));
        }
        rows
    }

    /// The first input, which tells the bound.
    pub fn bound(&self, widths: f32) -> f32 {
        (libm::logf(widths) - self.list[0].mean) * self.list[0].scale
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct FeatureSpread {
    sum: f64,
    squares: f64,
    n: f64,
    low: f32,
    high: f32,
}

impl FeatureSpread {
    fn add(&mut self, value: f32) {
        if value.is_nan() {
            return;
        }
        if self.n == 0.0 {
            (self.low, self.high) = (value, value);
        }
        self.sum += f64::from(value);
        self.squares += f64::from(value) * f64::from(value);
        self.n += 1.0;
        self.low = self.low.min(value);
        self.high = self.high.max(value);
    }

    /// The spread of a logarithm drawn evenly from here to there.
    fn between(low: f64, high: f64) -> Self {
        let (low, high) = (libm::log(low), libm::log(high));
        let steps = (0..=10).map(|k| (low + (high - low) * f64::from(k) / 10.0) as f32);
        let mut spread = Self::default();
        steps.for_each(|value| spread.add(value));
        spread
    }

    fn mean(&self) -> f64 {
        self.sum / self.n.max(1.0)
    }

    fn deviation(&self) -> f64 {
        libm::sqrt((self.squares / self.n.max(1.0) - self.mean() * self.mean()).max(0.0))
    }

    fn says_something(&self) -> bool {
        self.n > 0.0 && self.deviation() > 1e-4 * self.mean().abs().max(1e-3)
    }

    fn input(&self, feature: usize) -> LearnedInput {
        let scale = 1.0 / self.deviation();
        let inside = |value: f32| (f64::from(value) - self.mean()) * scale;
        // Half as much again as training saw, and at least three spreads.
        let room = |x: f64| (1.5 * x.abs()).max(3.0) as f32;
        LearnedInput {
            feature: feature as u8,
            mean: self.mean() as f32,
            scale: scale as f32,
            low: -room(inside(self.low)),
            high: room(inside(self.high)),
        }
    }
}
