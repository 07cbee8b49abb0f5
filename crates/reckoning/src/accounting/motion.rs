//! The export error between two updates, each carried on by its own model.

use glam::DVec3;

use super::{error_between, linear_error};
use crate::{Model, SimTime, Update};

/// Wanted precision of the quadrature: a micrometre held for a second.
const TOLERANCE_M_S: f64 = 1e-6;

/// The export error from `from` to `to`, in metre-seconds, while the body moves as `truth`
/// predicts and the listener shows what `shown` predicts.
///
/// Straight courses are summed in closed form, everything else, arcs among it, by quadrature
/// at the true positions. An [`ErrorOver`](crate::accounting::ErrorOver) for
/// [`ListenerAccount`](crate::ListenerAccount).
#[must_use]
pub fn update_error_between(truth: &Update, shown: &Update, from: SimTime, to: SimTime) -> f64 {
    if let (Some(a), Some(b)) = (straight(truth, from), straight(shown, from)) {
        return linear_error(a.0 - b.0, a.1 - b.1, 0.0, to.secs_since(from));
    }
    let place = |update: &Update, t_s: f64| {
        let since_seen_s = from.secs_since(update.at()) + t_s;
        update.model().position_after(update.kinematics(), since_seen_s)
    };
    error_between(from, to, |t_s| place(truth, t_s), |t_s| place(shown, t_s), TOLERANCE_M_S)
}

/// Position and velocity at `from` of a course that is straight.
fn straight(update: &Update, from: SimTime) -> Option<(DVec3, DVec3)> {
    let straight = match update.model() {
        Model::Hold | Model::Linear => true,
        Model::Accelerating { .. } | Model::Decaying { .. } => {
            update.kinematics().acceleration == DVec3::ZERO
        }
        Model::Arc => update.kinematics().angular_velocity == DVec3::ZERO,
        _ => false,
    };
    straight.then(|| (update.position_at(from), update.velocity_at(from)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kinematics, UpdateKind};

    fn update(model: Model, velocity: DVec3, angular_velocity: DVec3) -> Update {
        let seen = Kinematics {
            angular_velocity,
            ..Kinematics::moving(SimTime::ZERO, DVec3::ZERO, velocity)
        };
        Update::new(seen, model, UpdateKind::Partial).unwrap()
    }

    #[test]
    fn closed_form_and_quadrature_agree_where_both_apply() {
        let (from, to) = (SimTime::from_millis(300), SimTime::from_millis(1_700));
        let truth = update(Model::Linear, DVec3::new(3.0, 1.0, 0.0), DVec3::ZERO);
        let shown = update(Model::Linear, DVec3::new(2.0, -1.0, 0.5), DVec3::ZERO);
        let turning_by_nothing = update(Model::Arc, DVec3::new(2.0, -1.0, 0.5), DVec3::Z * 1e-12);
        let closed = update_error_between(&truth, &shown, from, to);
        let summed = update_error_between(&truth, &turning_by_nothing, from, to);
        assert!((closed - summed).abs() < 1e-6, "{closed} {summed}");
        // A drift of |(1, 2, -0.5)| from zero: the area of a trapezium.
        let expected = libm::sqrt(5.25) * 0.5 * (1.7 * 1.7 - 0.3 * 0.3);
        assert!((closed - expected).abs() < 1e-12, "{closed} {expected}");
    }

    #[test]
    fn an_arc_is_not_its_chord() {
        // A full circle in one second: the chord has no length, the way has.
        let turn = core::f64::consts::TAU;
        let circling = update(Model::Arc, DVec3::X * turn, DVec3::Z * turn);
        let still = update(Model::Hold, DVec3::ZERO, DVec3::ZERO);
        let error =
            update_error_between(&circling, &still, SimTime::ZERO, SimTime::from_millis(1_000));
        // The mean chord of a unit circle is 4 / pi.
        assert!((error - 4.0 / core::f64::consts::PI).abs() < 1e-6, "{error}");
    }
}
