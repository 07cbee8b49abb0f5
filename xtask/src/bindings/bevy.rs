//! Bevy: a crate, built against its light parts.

use super::{Place, demand};
use crate::checks::Outcome;
use crate::failure::Failure;
use crate::workspace;

/// Has `cargo xtask test` test it as well.
pub const VARIABLE: &str = "RECKONING_BEVY";
/// Why it does not otherwise.
pub const LEFT_OUT: &str =
    "Bevy takes minutes to compile; cargo xtask bindings bevy --test, or set RECKONING_BEVY";

/// Builds the crate.
pub fn build(place: &Place) -> Result<(), Failure> {
    workspace::run(&mut place.cargo("build --locked"))
}

/// Headless apps, with numbers, and the first program of the guide.
pub fn test(place: &Place) -> Result<Outcome, Failure> {
    place.check_source(&[""])?;
    workspace::run(&mut place.cargo("test --locked"))?;
    let mut first = place.cargo("run --locked --quiet --example first");
    let printed = workspace::run_for_output(&mut first)?;
    demand(printed == FIRST, "the first program of the guide", FIRST)?;
    Ok(Outcome::Passed)
}

const FIRST: &str = "after a second it is drawn at 3.0\n";
