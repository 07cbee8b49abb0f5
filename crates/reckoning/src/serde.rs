//! Feature `serde`: settings, states and updates for files and for other people's protocols.
//!
//! What a constructor refuses is refused when it is read, with the same message. A model that
//! points at a path of the level, or at a function of the game, has no form of its own here:
//! use [`bytes`](crate::bytes) with a registry for those.

use alloc::vec::Vec;
use core::time::Duration;

use glam::DVec3;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::dis::{BodyAcceleration, DisAlgorithm, DisModel};
use crate::model::{Ballistic, Landing};
use crate::{
    AngleThreshold, Curve, CurveBasis, Kinematics, Model, SimTime, Threshold, Update, UpdateKind,
};

/// A [`Model`] as it is written.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ModelForm {
    Hold,
    Linear,
    Accelerating { trust: Duration },
    Damped { fade: Duration },
    Decaying { fade: Duration },
    Curve { tau_s: Vec<f64>, coefficients: Vec<DVec3> },
    Arc,
    Ballistic { gravity_mps2: f64, floor_m: f64, runs_on: bool },
    Dis { algorithm: u8, inertial: bool },
}

impl Serialize for Model {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = match self {
            Self::Hold => ModelForm::Hold,
            Self::Linear => ModelForm::Linear,
            Self::Accelerating { trust } => ModelForm::Accelerating { trust: *trust },
            Self::Damped { fade } => ModelForm::Damped { fade: *fade },
            Self::Decaying { fade } => ModelForm::Decaying { fade: *fade },
            Self::Curve(curve) => ModelForm::Curve {
                tau_s: curve.basis().tau_s().to_vec(),
                coefficients: curve.coefficients().to_vec(),
            },
            Self::Arc => ModelForm::Arc,
            Self::Ballistic(fall) => ModelForm::Ballistic {
                gravity_mps2: fall.gravity_mps2(),
                floor_m: fall.floor_m(),
                runs_on: fall.landing() == Landing::Run,
            },
            Self::Dis(dis) => ModelForm::Dis {
                algorithm: dis.algorithm.number(),
                inertial: dis.acceleration == BodyAcceleration::Inertial,
            },
            Self::Path(_) | Self::Custom(_) => {
                return Err(S::Error::custom(
                    "a path or a custom model is known by its id only; use Update::to_bytes",
                ));
            }
        };
        form.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Model {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let refuse = |error: crate::error::ModelError| D::Error::custom(error);
        Ok(match ModelForm::deserialize(deserializer)? {
            ModelForm::Hold => Self::Hold,
            ModelForm::Linear => Self::Linear,
            ModelForm::Accelerating { trust } => Self::Accelerating { trust },
            ModelForm::Damped { fade } => Self::Damped { fade },
            ModelForm::Decaying { fade } => Self::Decaying { fade },
            ModelForm::Curve { tau_s, coefficients } => {
                let basis = CurveBasis::new(&tau_s).map_err(refuse)?;
                if coefficients.len() != tau_s.len() {
                    return Err(D::Error::invalid_length(
                        coefficients.len(),
                        &"one coefficient for each time constant",
                    ));
                }
                Self::Curve(Curve::new(basis, &coefficients).map_err(refuse)?)
            }
            ModelForm::Arc => Self::Arc,
            ModelForm::Ballistic { gravity_mps2, floor_m, runs_on } => {
                let landing = if runs_on { Landing::Run } else { Landing::Stop };
                Self::Ballistic(Ballistic::new(gravity_mps2, floor_m, landing).map_err(refuse)?)
            }
            ModelForm::Dis { algorithm, inertial } => {
                let algorithm = DisAlgorithm::from_number(algorithm)
                    .ok_or_else(|| D::Error::custom("DIS algorithms have the numbers 1 to 9"))?;
                let acceleration =
                    if inertial { BodyAcceleration::Inertial } else { BodyAcceleration::BodyRate };
                Self::Dis(DisModel { algorithm, acceleration })
            }
        })
    }
}

/// An [`Update`] as it is written.
#[derive(Serialize, Deserialize)]
struct UpdateForm {
    kinematics: Kinematics,
    model: Model,
    kind: UpdateKind,
    #[serde(default)]
    teleports: u32,
}

impl Serialize for Update {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (kinematics, model, kind) = (*self.kinematics(), *self.model(), self.kind());
        UpdateForm { kinematics, model, kind, teleports: self.teleports() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Update {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let UpdateForm { kinematics, model, kind, teleports } =
            UpdateForm::deserialize(deserializer)?;
        let update = Self::new(kinematics, model, kind).map_err(D::Error::custom)?;
        Ok(update.with_teleports(teleports))
    }
}

/// Whole microseconds.
impl Serialize for SimTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_micros().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SimTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        i64::deserialize(deserializer).map(Self::from_micros)
    }
}

/// A [`Threshold`] as it is written.
#[derive(Serialize, Deserialize)]
struct ThresholdForm {
    metres: f64,
    #[serde(default)]
    per_axis: bool,
}

impl Serialize for Threshold {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (metres, per_axis) = (self.max_error_m(), self.is_per_axis());
        ThresholdForm { metres, per_axis }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Threshold {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let form = ThresholdForm::deserialize(deserializer)?;
        let made = if form.per_axis { Self::metres_per_axis } else { Self::metres };
        made(form.metres).map_err(D::Error::custom)
    }
}

/// Radians.
impl Serialize for AngleThreshold {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.max_error_rad().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for AngleThreshold {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::radians(f64::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
