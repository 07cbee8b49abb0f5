//! Switches of the hills by name, as the panel and tests set them.

use reckoning::ground::{ClampMode, Footprint, GroundClampConfig};
use reckoning_arena::hills::Craft;
use reckoning_arena::hills::protocol::{HillsTuning, JointsChoice};

use super::view::CameraMode;

/// The names of the switches, as the page writes them in `data-control`.
pub const NAMES: [&str; 9] =
    ["clamp", "points", "prevents", "joints", "train", "merchant", "spacing", "camera", "eye"];

const CLAMPS: [(&str, ClampMode); 3] =
    [("none", ClampMode::None), ("up", ClampMode::OnlyUp), ("always", ClampMode::Always)];
const JOINTS: [(&str, JointsChoice); 3] =
    [("real", JointsChoice::Sent), ("derived", JointsChoice::Derived), ("off", JointsChoice::Off)];

/// What a switch is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switched {
    /// The server's settings: sent to it.
    Tuning,
    /// Only our picture.
    Picture,
}

/// The state of the switches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HillsChoices {
    /// What holds for everyone.
    pub tuning: HillsTuning,
    /// Which way our own picture moves bodies to meet the ground.
    pub clamp: ClampMode,
    /// Whether three points of a body are asked, or one.
    pub three_points: bool,
    /// The camera asked for, until it is taken over.
    pub camera: CameraMode,
    /// Where to put the free camera: place, compass direction and pitch in degrees.
    pub eye: Option<[f64; 5]>,
}

impl Default for HillsChoices {
    fn default() -> Self {
        Self {
            tuning: HillsTuning::default(),
            clamp: ClampMode::Always,
            three_points: true,
            camera: CameraMode::Chase,
            eye: None,
        }
    }
}

impl HillsChoices {
    /// Sets a switch. `None` when there is none of that name or it does not take the value.
    pub fn set(&mut self, name: &str, value: &str) -> Option<Switched> {
        let tuning = &mut self.tuning;
        match name {
            "clamp" => self.clamp = CLAMPS.iter().find(|it| it.0 == value)?.1,
            "points" => self.three_points = one_of(value, ["1", "3"])?,
            "camera" => self.camera = CameraMode::named(value)?,
            "eye" => self.eye = Some(five(value)?),
            "prevents" => tuning.prevents = value.parse().ok()?,
            "joints" => tuning.joints = JOINTS.iter().find(|it| it.0 == value)?.1,
            "train" => tuning.train_on_path = one_of(value, ["kinematic", "path"])?,
            "merchant" => tuning.merchant_delayed = one_of(value, ["reckoned", "delayed"])?,
            "spacing" => {
                let [least, most] = HillsTuning::THRESHOLDS_M;
                let metres: f32 = value.parse().ok()?;
                tuning.threshold_m = (least..=most).contains(&metres).then_some(metres)?;
            }
            _ => return None,
        }
        let is_ours = matches!(name, "clamp" | "points" | "camera" | "eye");
        Some(if is_ours { Switched::Picture } else { Switched::Tuning })
    }

    /// What a switch shows, in the words [`set`](Self::set) takes.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<String> {
        let tuning = &self.tuning;
        Some(match name {
            "clamp" => CLAMPS.iter().find(|it| it.1 == self.clamp)?.0.to_string(),
            "points" => if self.three_points { "3" } else { "1" }.to_string(),
            "camera" => self.camera.name().to_string(),
            "prevents" => tuning.prevents.to_string(),
            "joints" => JOINTS.iter().find(|it| it.1 == tuning.joints)?.0.to_string(),
            "train" => if tuning.train_on_path { "path" } else { "kinematic" }.to_string(),
            "merchant" => if tuning.merchant_delayed { "delayed" } else { "reckoned" }.to_string(),
            "spacing" => tuning.threshold_m.to_string(),
            _ => return None,
        })
    }

    /// How our picture sets a sort of bodies onto the ground; `None` for what does not stand on it.
    #[must_use]
    pub fn clamp_of(&self, craft: Craft) -> Option<GroundClampConfig> {
        let footprint = craft.footprint()?;
        let mut config = GroundClampConfig::default();
        config.mode = self.clamp;
        config.footprint = if self.three_points { footprint } else { Footprint::Leaning };
        (config.near_m, config.far_m) = (f64::INFINITY, f64::INFINITY);
        Some(config)
    }
}

fn one_of(value: &str, [no, yes]: [&str; 2]) -> Option<bool> {
    [(no, false), (yes, true)].iter().find(|it| it.0 == value).map(|it| it.1)
}

fn five(value: &str) -> Option<[f64; 5]> {
    let numbers: Option<Vec<f64>> = value.split(',').map(|it| it.trim().parse().ok()).collect();
    <[f64; 5]>::try_from(numbers?).ok().filter(|it| it.iter().all(|it| it.is_finite()))
}

#[cfg(test)]
mod tests {
    use reckoning::GroundClamp;

    use super::*;

    #[test]
    fn every_switch_says_what_it_was_set_to() {
        let sets = [
            ("clamp", "none", Switched::Picture),
            ("points", "1", Switched::Picture),
            ("prevents", "false", Switched::Tuning),
            ("joints", "derived", Switched::Tuning),
            ("train", "kinematic", Switched::Tuning),
            ("merchant", "reckoned", Switched::Tuning),
            ("spacing", "1.5", Switched::Tuning),
            ("camera", "top", Switched::Picture),
        ];
        for (name, value, switched) in sets {
            let mut choices = HillsChoices::default();
            assert_eq!(choices.set(name, value), Some(switched), "{name}");
            assert_eq!(choices.value(name).as_deref(), Some(value), "{name}");
            assert_ne!(choices, HillsChoices::default(), "{name}");
            assert_eq!(choices.set(name, "no such thing"), None, "{name}");
        }
        let mut choices = HillsChoices::default();
        assert!(choices.set("eye", "1, 2, 3, 90, -10").is_some());
        assert_eq!(choices.eye, Some([1.0, 2.0, 3.0, 90.0, -10.0]));
        assert_eq!(choices.set("spacing", "900"), None);
    }

    #[test]
    fn clamps_can_be_made_of_all_choices() {
        for clamp in ["none", "up", "always"] {
            for points in ["1", "3"] {
                let mut choices = HillsChoices::default();
                choices.set("clamp", clamp);
                choices.set("points", points);
                let config = choices.clamp_of(Craft::Tank).unwrap();
                assert!(GroundClamp::new(config).is_ok());
            }
        }
        assert!(HillsChoices::default().clamp_of(Craft::Drone).is_none());
    }
}
