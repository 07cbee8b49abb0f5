//! Errors about fairness policies.

use core::fmt;

/// Why a fairness policy was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum FairnessError {
    /// A budget of updates per trigger must be positive and finite.
    BudgetNotPositive {
        /// The updates per trigger given.
        got: f64,
    },
    /// The shares of a mixture must not be negative and must add up to one.
    SharesOutOfRange {
        /// The shares given.
        got: [f64; 3],
    },
}

impl fmt::Display for FairnessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BudgetNotPositive { got } => {
                write!(f, "budget of {got} updates per trigger is not positive and finite")
            }
            Self::SharesOutOfRange { got: [a, b, c] } => {
                write!(f, "shares {a}, {b} and {c} are not from 0 to 1 with the sum 1")
            }
        }
    }
}

impl core::error::Error for FairnessError {}
