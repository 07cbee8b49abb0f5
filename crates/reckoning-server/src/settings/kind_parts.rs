//! Parts of a kind in a settings file: which way it faces, its ground, its joints.

use reckoning::error::SettingError;
use reckoning::{ConfigError, DVec3};
use reckoning_net::{
    ClampMode, Facing, Footprint, GroundClampConfig, JointKind, JointSource, SentJoint,
};
use serde::Deserialize;

use super::kinds::{KindSettings, millis};

/// Which way bodies of a kind are turned: see [`Facing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "what they stand for says it")]
pub enum FacingName {
    Sent,
    Heading,
    HeadingAndPitch,
    TwoPoint,
}

/// How bodies of a kind stand on the ground: see [`Footprint`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "what they stand for says it")]
pub enum FootprintName {
    Rectangle,
    Leaning,
    Upright,
}

/// Where the angle of a joint comes from: see [`JointSource`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "what they stand for says it")]
pub enum JointSourceName {
    Sent,
    Wheel,
    Steering,
}

/// A joint of a kind, as a settings file declares it: see [`JointKind`]. Angles are in degrees.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the documented file says it, line by line")]
#[non_exhaustive]
pub struct JointSettings {
    pub name: String,
    pub source: JointSourceName,
    pub range_deg: Vec<f64>,
    pub max_rate_degps: f64,
    pub threshold_deg: f64,
    pub min_interval_ms: u32,
    pub heartbeat_ms: u32,
    pub blend_ms: u32,
    pub hub_m: [f64; 3],
    pub radius_m: f64,
    pub wheelbase_m: f64,
    pub max_deg: f64,
    pub min_speed_mps: f64,
}

impl Default for JointSettings {
    fn default() -> Self {
        Self {
            name: String::new(),
            source: JointSourceName::Sent,
            range_deg: Vec::new(),
            max_rate_degps: 360.0,
            threshold_deg: 3.0,
            min_interval_ms: 50,
            heartbeat_ms: 1_000,
            blend_ms: 200,
            hub_m: [0.0; 3],
            radius_m: 0.4,
            wheelbase_m: 2.5,
            max_deg: 40.0,
            min_speed_mps: 0.5,
        }
    }
}

impl JointSettings {
    /// The joint they declare.
    pub(super) fn joint(&self) -> Result<JointKind, ConfigError> {
        let source = match self.source {
            JointSourceName::Sent => JointSource::Sent(self.sent()?),
            JointSourceName::Wheel => {
                JointSource::Wheel { hub: DVec3::from_array(self.hub_m), radius_m: self.radius_m }
            }
            JointSourceName::Steering => JointSource::Steering {
                wheelbase_m: self.wheelbase_m,
                max_rad: self.max_deg.to_radians(),
                min_speed_mps: self.min_speed_mps,
            },
        };
        Ok(JointKind { name: self.name.clone(), source })
    }

    fn sent(&self) -> Result<SentJoint, ConfigError> {
        let mut sent = SentJoint::default();
        sent.range_rad = match *self.range_deg.as_slice() {
            [] => None,
            [min, max] => Some((min.to_radians(), max.to_radians())),
            ref more => {
                let (name, got) = ("numbers of a joint's range_deg", more.len() as f64);
                return Err(SettingError::OutOfRange { name, got, min: 2.0, max: 2.0 }.into());
            }
        };
        sent.max_rate_radps = self.max_rate_degps.to_radians();
        sent.threshold_rad = self.threshold_deg.to_radians();
        sent.min_interval = millis(self.min_interval_ms);
        sent.heartbeat = millis(self.heartbeat_ms);
        sent.blend = millis(self.blend_ms);
        Ok(sent)
    }
}

impl KindSettings {
    pub(super) const fn facing(&self) -> Facing {
        let min_speed_mps = self.facing_min_speed_mps;
        match self.facing {
            FacingName::Sent => Facing::Sent,
            FacingName::Heading => Facing::Heading { min_speed_mps },
            FacingName::HeadingAndPitch => Facing::HeadingAndPitch { min_speed_mps },
            FacingName::TwoPoint => Facing::TwoPoint { length_m: self.facing_length_m },
        }
    }

    pub(super) fn ground(&self) -> Option<GroundClampConfig> {
        if self.ground == ClampMode::None {
            return None;
        }
        let mut ground = GroundClampConfig::default();
        ground.mode = self.ground;
        ground.origin_height_m = self.origin_height_m;
        ground.footprint = match self.footprint {
            FootprintName::Leaning => Footprint::Leaning,
            FootprintName::Upright => Footprint::Upright,
            FootprintName::Rectangle => Footprint::Rectangle {
                half_length_m: self.footprint_length_m / 2.0,
                half_width_m: self.footprint_width_m / 2.0,
            },
        };
        Some(ground)
    }
}
