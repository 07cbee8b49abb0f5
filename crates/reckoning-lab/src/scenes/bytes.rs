//! Plain encoding of an update: the yardstick of the tables.
//!
//! No delta, no bit packing, no quantisation beyond what is said here; a real wire format is
//! measured against it. Bytes per update:
//!
//! | part | bytes | present |
//! |---|---|---|
//! | body | 2 | always |
//! | time | 4 | always |
//! | kind and model | 1 | always |
//! | position | 3 x 4 (f32) | always |
//! | velocity | 3 x 4 (f32) | when the model needs it |
//! | acceleration | 3 x 4 (f32) | when the model needs it |
//! | orientation | 4 x 2 (i16) | always |
//! | angular velocity | 3 x 4 (f32) | when it is not zero and the model turns |
//! | curve | 3 x 1 (i8) per term | when the model is a curve |
//!
//! Tables count payload only, because a server packs many bodies into one datagram. Links
//! carry [`HEADER_BYTES`] more for each, as if every update travelled alone.

use reckoning::{DVec3, Model, Update};

/// What UDP over IPv4 adds to every datagram.
pub(crate) const HEADER_BYTES: u32 = 28;

const VECTOR_BYTES: u32 = 3 * 4;
const ALWAYS_BYTES: u32 = 2 + 4 + 1 + VECTOR_BYTES + 4 * 2;

/// Size of an update in the plain encoding, without any header.
#[must_use]
pub(crate) fn plain_bytes(update: &Update) -> u32 {
    let model = update.model();
    let vectors = [
        model.uses_velocity(),
        model.uses_acceleration(),
        update.kinematics().angular_velocity != DVec3::ZERO && *model != Model::Hold,
    ];
    let vectors = vectors.into_iter().filter(|present| *present).count() as u32;
    let curve_bytes = match model {
        Model::Curve(curve) => 3 * curve.coefficients().len() as u32,
        _ => 0,
    };
    ALWAYS_BYTES + vectors * VECTOR_BYTES + curve_bytes
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reckoning::{Curve, CurveBasis, Kinematics, UpdateKind};

    use super::*;

    #[test]
    fn an_update_costs_what_its_model_needs() {
        let still = Kinematics::default();
        let turning = Kinematics { angular_velocity: DVec3::Z, ..still };
        let size = |seen, model| plain_bytes(&Update::new(seen, model, UpdateKind::Full).unwrap());
        assert_eq!(size(still, Model::Hold), 27);
        assert_eq!(size(turning, Model::Hold), 27);
        assert_eq!(size(still, Model::Linear), 39);
        assert_eq!(size(still, Model::Accelerating { trust: Duration::ZERO }), 51);
        assert_eq!(size(turning, Model::Arc), 51);
        assert_eq!(size(still, Model::Curve(Curve::still(CurveBasis::FOUR))), 39);
    }
}
