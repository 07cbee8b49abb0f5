//! A behaviour's prediction as a curve that every listener can evaluate.

use glam::DVec3;

use super::Behaviour;
use crate::{Scene, Surroundings};
use reckoning::math::{exp, sqrt};
use reckoning::{Curve, CurveBasis, ExportReason, Kinematics, Model, Planner};

/// Places along the rollout that the curve is laid through.
const SAMPLES: usize = 24;
/// The share of the largest entries that is added to the diagonal: enough to keep
/// coefficients small where two terms look alike, too little to be seen.
const RIDGE: f64 = 1e-7;

impl Behaviour {
    /// The [`Model::Curve`] nearest (in the least squares) to where the body called `id`
    /// will go within `span_s` seconds, to be published in place of the scene. `None` if the
    /// scene does not know the body.
    ///
    /// A span that is not positive and finite gives a curve that stands still.
    #[must_use]
    pub fn planned_curve(
        &self,
        scene: &Scene<'_>,
        id: u32,
        span_s: f64,
        basis: CurveBasis,
    ) -> Option<Model> {
        let start = scene.body(id)?.kinematics.position;
        let mut horizons_s = [0.0; SAMPLES];
        for (sample, horizon_s) in horizons_s.iter_mut().enumerate() {
            *horizon_s = span_s * ((sample + 1) as f64 / SAMPLES as f64);
        }
        let mut ways = [DVec3::ZERO; SAMPLES];
        if !self.roll_out(scene, id, &horizons_s, &mut ways) {
            return None;
        }
        for way in &mut ways {
            *way -= start;
        }
        Some(Model::Curve(fit_curve(basis, &horizons_s, &ways, RIDGE)))
    }
}

/// How far ahead a behaviour is rolled out for the curve that is published.
const PLAN_S: f64 = 1.5;

/// A behaviour plans a curve of four terms, 1.5 s ahead. Without a scene, or for a body that
/// the scene does not know, it goes straight on; a body that came to rest holds still.
impl Planner<Surroundings<'_>> for Behaviour {
    fn plan(&mut self, _: &Kinematics, around: &Surroundings<'_>, reason: ExportReason) -> Model {
        if reason == ExportReason::Stop {
            return Model::Hold;
        }
        let plan = |scene| Self::planned_curve(self, scene, around.id, PLAN_S, CurveBasis::FOUR);
        around.scene.and_then(plan).unwrap_or(Model::Linear)
    }

    /// `None` without a scene that knows the body.
    fn forecast(&mut self, _: &Kinematics, around: &Surroundings<'_>) -> Option<Model> {
        Self::planned_curve(self, around.scene?, around.id, PLAN_S, CurveBasis::FOUR)
    }
}

/// The curve of the basis that passes nearest, in the least squares, to these displacements
/// after these times; one that stands still where nothing can be fitted.
///
/// `ridge` is the share of the largest entry that is added to the diagonal of the normal
/// equations: it keeps the coefficients of terms that look alike from growing against each
/// other.
#[must_use]
pub fn fit_curve(basis: CurveBasis, horizons_s: &[f64], ways: &[DVec3], ridge: f64) -> Curve {
    let tau_s = basis.tau_s();
    let terms = tau_s.len();
    let mut matrix = [[0.0; 4]; 4];
    let mut right = [DVec3::ZERO; 4];
    for (&t_s, &way) in horizons_s.iter().zip(ways) {
        let mut weights = [0.0; 4];
        for (weight, &tau_s) in weights.iter_mut().zip(tau_s) {
            *weight = tau_s * (1.0 - exp(-t_s / tau_s));
        }
        for row in 0..terms {
            right[row] += way * weights[row];
            for column in 0..terms {
                matrix[row][column] += weights[row] * weights[column];
            }
        }
    }
    let largest = (0..terms).fold(0.0_f64, |most, term| most.max(matrix[term][term]));
    for (term, row) in matrix.iter_mut().enumerate() {
        row[term] += largest * ridge;
    }
    let solved = solve(&mut matrix, &mut right, terms);
    solved.and_then(|c| Curve::new(basis, c).ok()).unwrap_or(Curve::still(basis))
}

/// Solves a symmetric positive system in place, by Cholesky's method. `None` if it is not
/// positive.
fn solve<'r>(
    matrix: &mut [[f64; 4]; 4],
    right: &'r mut [DVec3; 4],
    terms: usize,
) -> Option<&'r [DVec3]> {
    for row in 0..terms {
        for column in 0..=row {
            let done: f64 = (0..column).map(|k| matrix[row][k] * matrix[column][k]).sum();
            let rest = matrix[row][column] - done;
            if row == column {
                // Written so that NaN fails.
                let positive = rest > 0.0;
                if !positive {
                    return None;
                }
                matrix[row][row] = sqrt(rest);
            } else {
                matrix[row][column] = rest / matrix[column][column];
            }
        }
    }
    for row in 0..terms {
        let done = (0..row).fold(DVec3::ZERO, |sum, k| sum + right[k] * matrix[row][k]);
        right[row] = (right[row] - done) / matrix[row][row];
    }
    for row in (0..terms).rev() {
        let done = (row + 1..terms).fold(DVec3::ZERO, |sum, k| sum + right[k] * matrix[k][row]);
        right[row] = (right[row] - done) / matrix[row][row];
    }
    Some(&right[..terms])
}
