//! Validation of the parts of a model.

use super::net::{MAX_INPUTS, WIDEST};
use super::{FEATURES, LearnedError, LearnedParts};

/// Most action states a game may have.
const MAX_ACTS: usize = 4_096;

pub(super) fn validate(parts: &LearnedParts) -> Result<(), LearnedError> {
    let (terms, axes) = (parts.basis.tau_s().len(), parts.framing.axes());
    let act_width = usize::from(parts.act_width);
    let wide = parts.inputs.len() + act_width;
    let [first, second] = parts.hidden.map(usize::from);
    let out = axes * terms;
    let range = |what, got: usize, min: usize, max: usize| {
        let fits = (min..=max).contains(&got);
        if fits { Ok(()) } else { Err(LearnedError::Count { what, got, min, max }) }
    };
    range("inputs", wide, 1, MAX_INPUTS)?;
    for width in [first, second] {
        range("hidden width", width, 8, WIDEST)?;
        if width % 8 != 0 {
            return Err(LearnedError::Count {
                what: "hidden width, in eights",
                got: width,
                min: 8,
                max: WIDEST,
            });
        }
    }
    let acts = parts.acts.len().checked_div(act_width).unwrap_or(parts.acts.len());
    range(
        "action states",
        acts,
        usize::from(act_width > 0),
        if act_width > 0 { MAX_ACTS } else { 0 },
    )?;
    let counts = [
        ("rounding steps", parts.steps_mps.len(), terms),
        ("action numbers", parts.acts.len(), acts * act_width),
        ("first weights", parts.weights[0].len(), wide * first),
        ("second weights", parts.weights[1].len(), first * second),
        ("last weights", parts.weights[2].len(), second * out),
        ("skip weights", parts.weights[3].len(), wide * out),
        ("first biases", parts.biases[0].len(), first),
        ("second biases", parts.biases[1].len(), second),
        ("last biases", parts.biases[2].len(), out),
    ];
    counts.into_iter().try_for_each(|(what, got, wanted)| range(what, got, wanted, wanted))?;
    numbers(parts)
}

fn numbers(parts: &LearnedParts) -> Result<(), LearnedError> {
    let finite = |what, got: f64| {
        if got.is_finite() { Ok(()) } else { Err(LearnedError::NotFinite { what, got }) }
    };
    let above = |what, got: f64, min: f64| {
        if got >= min { Ok(()) } else { Err(LearnedError::Value { what, got }) }
    };
    finite("unit", parts.unit_m)?;
    above("unit", parts.unit_m, f64::MIN_POSITIVE)?;
    for input in &parts.inputs {
        if usize::from(input.feature) >= FEATURES {
            return Err(LearnedError::Value { what: "feature", got: f64::from(input.feature) });
        }
        for (what, got) in
            [("mean", input.mean), ("scale", input.scale), ("low", input.low), ("high", input.high)]
        {
            finite(what, f64::from(got))?;
        }
    }
    for &step in &parts.steps_mps {
        finite("rounding step", f64::from(step))?;
        above("rounding step", f64::from(step), 0.0)?;
    }
    let lists = parts.weights.iter().chain(&parts.biases).chain(core::iter::once(&parts.acts));
    lists.flatten().try_for_each(|&weight| finite("weight", f64::from(weight)))
}
