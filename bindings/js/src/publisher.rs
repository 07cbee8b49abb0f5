//! Publishers: the owner's side of a body.

use reckoning::joints::{JointPublisher, JointPublisherConfig};
use reckoning::{Joint, SimTime, Threshold};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::*;

use crate::kind::Kind;
use crate::motion::{kinematics, moment};
use crate::refused;

/// The owner's side of a body: decides when others must hear of it.
#[wasm_bindgen]
pub struct Publisher {
    inner: reckoning::Publisher,
    first: Vec<u8>,
    joints: Vec<(JointPublisherConfig, Option<JointPublisher>)>,
}

#[wasm_bindgen]
impl Publisher {
    /// Starts to publish a body of that kind. Moments are microseconds of a timeline of yours.
    #[wasm_bindgen(constructor)]
    pub fn new(
        kind: &Kind,
        #[wasm_bindgen(js_name = atUs)] at_us: f64,
        motion: &[f64],
    ) -> Result<Publisher, JsError> {
        let truth = kinematics(at_us, motion)?;
        let (inner, first) =
            reckoning::Publisher::start(kind.publisher.clone(), &truth).map_err(refused)?;
        let joints = kind.joints.iter().map(|(config, _)| (config.clone(), None)).collect();
        Ok(Self { inner, first: first.to_bytes(), joints })
    }

    /// The first update, which everyone gets.
    #[wasm_bindgen(getter)]
    pub fn first(&self) -> Vec<u8> {
        self.first.clone()
    }

    /// Takes the truth of this tick; the bytes to send when listeners need an update.
    pub fn observe(
        &mut self,
        #[wasm_bindgen(js_name = atUs)] at_us: f64,
        motion: &[f64],
    ) -> Result<Option<Vec<u8>>, JsError> {
        let truth = kinematics(at_us, motion)?;
        self.demand_later(truth.at)?;
        Ok(self.inner.observe(&truth).map(|it| it.to_bytes()))
    }

    /// The body is somewhere else at once: the bytes that say so.
    pub fn teleport(
        &mut self,
        #[wasm_bindgen(js_name = atUs)] at_us: f64,
        motion: &[f64],
    ) -> Result<Option<Vec<u8>>, JsError> {
        let truth = kinematics(at_us, motion)?;
        self.demand_later(truth.at)?;
        Ok(self.inner.teleport(&truth).map(|it| it.to_bytes()))
    }

    /// Whether listeners need this state of a joint: then send the three numbers.
    pub fn aim(
        &mut self,
        joint: usize,
        #[wasm_bindgen(js_name = atUs)] at_us: f64,
        #[wasm_bindgen(js_name = angleRad)] angle_rad: f64,
        #[wasm_bindgen(js_name = rateRadps)] rate_radps: f64,
    ) -> Result<bool, JsError> {
        let truth = joint_at(at_us, angle_rad, rate_radps)?;
        let place = self.joints.get_mut(joint).ok_or_else(|| no_joint(joint))?;
        if let Some(joint) = &mut place.1 {
            return Ok(joint.observe(truth).is_some());
        }
        place.1 = Some(JointPublisher::start(place.0.clone(), truth).map_err(refused)?.0);
        Ok(true)
    }

    /// Takes notice that the update about that moment was lost on its way.
    #[wasm_bindgen(js_name = handleLost)]
    pub fn handle_lost(
        &mut self,
        #[wasm_bindgen(js_name = atUs)] at_us: f64,
    ) -> Result<(), JsError> {
        self.inner.handle_lost(moment(at_us)?);
        Ok(())
    }

    /// Changes the threshold from the next truth on.
    #[wasm_bindgen(js_name = setThreshold)]
    pub fn set_threshold(
        &mut self,
        #[wasm_bindgen(js_name = thresholdM)] threshold_m: f64,
    ) -> Result<(), JsError> {
        self.inner.set_threshold(Threshold::metres(threshold_m).map_err(refused)?);
        Ok(())
    }

    /// How many updates were sent, the first one included.
    #[wasm_bindgen(getter)]
    pub fn exported(&self) -> f64 {
        self.inner.stats().exported as f64
    }

    fn demand_later(&self, at: SimTime) -> Result<(), JsError> {
        let last = self.inner.last_update().at();
        if at > last {
            return Ok(());
        }
        let (at, last) = (at.as_micros(), last.as_micros());
        Err(JsError::new(&format!("the truth is about {at} us; it must be later than {last} us")))
    }
}

/// A joint whose numbers are finite.
pub fn joint_at(at_us: f64, angle_rad: f64, rate_radps: f64) -> Result<Joint, JsError> {
    for (name, got) in [("angleRad", angle_rad), ("rateRadps", rate_radps)] {
        if !got.is_finite() {
            return Err(JsError::new(&format!("{name} is {got}, which is not finite")));
        }
    }
    Ok(Joint { at: moment(at_us)?, angle_rad, rate_radps })
}

pub fn no_joint(joint: usize) -> JsError {
    JsError::new(&format!("the kind has no joint {joint}; they count from 0"))
}
