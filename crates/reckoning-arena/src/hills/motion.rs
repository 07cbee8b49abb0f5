//! Accelerations of bodies as they are published.

use reckoning::DVec3;

use super::craft::Craft;
use crate::TICK_S;

/// More than any engine, brake or tyre gives: what the ground or another body did, which is over with
/// the step.
const LASTING_MPS2: f64 = 16.0;

/// The acceleration that goes on, of a body that had the first velocity a step before the second.
/// What stands on the ground goes up and down with it, so none of that lasts.
#[must_use]
pub fn lasting_acceleration(craft: Craft, before: DVec3, after: DVec3) -> DVec3 {
    let mut acceleration = (after - before) / TICK_S;
    if craft.is_grounded() {
        acceleration.z = 0.0;
    }
    let lasts = acceleration.is_finite() && acceleration.length() <= LASTING_MPS2;
    if lasts { acceleration } else { DVec3::ZERO }
}
