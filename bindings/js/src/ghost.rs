//! Ghosts: bodies that live elsewhere, one by one or many at a time.

use std::time::Duration;

use js_sys::Float64Array;
use reckoning::bytes::Registry;
use reckoning::ghost::Accepted;
use reckoning::ground::Pose;
use reckoning::joints::JointGhost;
use reckoning::{DelayedGhost, Kinematics, SimTime, Update};
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, JsError};

use crate::kind::{Kind, ShowConfig};
use crate::motion::{POSE, moment, motion_of, numbers};
use crate::publisher::{joint_at, no_joint};
use crate::refused;

#[wasm_bindgen]
extern "C" {
    /// What became of an update.
    #[wasm_bindgen(typescript_type = "Accepted")]
    pub type AcceptedWord;
}

fn word(accepted: Accepted) -> AcceptedWord {
    let word = match accepted {
        Accepted::Newest => "newest",
        Accepted::Filled => "filled",
        _ => "stale",
    };
    JsValue::from_str(word).unchecked_into()
}

fn update(bytes: &[u8]) -> Result<Update, JsError> {
    Update::from_bytes(bytes, &Registry::default()).map_err(refused)
}

enum Shown {
    Now(Box<reckoning::Ghost>),
    Late(Box<DelayedGhost>),
}

impl Shown {
    fn born(kind: &Kind, first: &[u8], now: SimTime) -> Result<Self, JsError> {
        let first = update(first)?;
        Ok(match kind.show {
            ShowConfig::Reckoned(config) => {
                let ghost = reckoning::Ghost::with_config(config, first, now).map_err(refused)?;
                Self::Now(Box::new(ghost))
            }
            ShowConfig::Delayed(config) => {
                let ghost = DelayedGhost::with_config(config, first, now).map_err(refused)?;
                Self::Late(Box::new(ghost))
            }
        })
    }

    fn accept(&mut self, update: Update, now: SimTime) -> Accepted {
        match self {
            Self::Now(ghost) => ghost.accept(update, now),
            Self::Late(ghost) => ghost.accept(update, now),
        }
    }

    fn pose_at(&self, now: SimTime) -> Pose {
        match self {
            Self::Now(ghost) => ghost.pose_at(now),
            Self::Late(ghost) => ghost.pose_at(now),
        }
    }

    fn kinematics_at(&self, now: SimTime) -> Kinematics {
        match self {
            Self::Now(ghost) => ghost.kinematics_at(now),
            Self::Late(ghost) => ghost.kinematics_at(now),
        }
    }
}

/// A body that lives elsewhere, as it is shown here.
#[wasm_bindgen]
pub struct Ghost {
    shown: Shown,
    joints: Vec<(Duration, Option<JointGhost>)>,
}

#[wasm_bindgen]
impl Ghost {
    /// The ghost of a body of that kind, from the first update of it, which arrives now.
    #[wasm_bindgen(constructor)]
    pub fn new(
        kind: &Kind,
        first: &[u8],
        #[wasm_bindgen(js_name = nowUs)] now_us: f64,
    ) -> Result<Ghost, JsError> {
        let shown = Shown::born(kind, first, moment(now_us)?)?;
        Ok(Self { shown, joints: kind.joints.iter().map(|(_, blend)| (*blend, None)).collect() })
    }

    /// Takes an update that arrives now. Late, repeated and reordered ones may be passed in.
    pub fn accept(
        &mut self,
        bytes: &[u8],
        #[wasm_bindgen(js_name = nowUs)] now_us: f64,
    ) -> Result<AcceptedWord, JsError> {
        Ok(word(self.shown.accept(update(bytes)?, moment(now_us)?)))
    }

    /// Where and how to draw it now: a position and an orientation, seven numbers.
    pub fn pose(&self, #[wasm_bindgen(js_name = nowUs)] now_us: f64) -> Result<Vec<f64>, JsError> {
        Ok(numbers(&self.shown.pose_at(moment(now_us)?)).to_vec())
    }

    /// How it is shown to move now: a motion of sixteen numbers.
    pub fn motion(
        &self,
        #[wasm_bindgen(js_name = nowUs)] now_us: f64,
    ) -> Result<Vec<f64>, JsError> {
        Ok(motion_of(&self.shown.kinematics_at(moment(now_us)?)))
    }

    /// Takes an update of a joint that arrives now.
    #[wasm_bindgen(js_name = acceptJoint)]
    pub fn accept_joint(
        &mut self,
        joint: usize,
        #[wasm_bindgen(js_name = atUs)] at_us: f64,
        #[wasm_bindgen(js_name = angleRad)] angle_rad: f64,
        #[wasm_bindgen(js_name = rateRadps)] rate_radps: f64,
        #[wasm_bindgen(js_name = nowUs)] now_us: f64,
    ) -> Result<(), JsError> {
        let update = joint_at(at_us, angle_rad, rate_radps)?;
        let place = self.joints.get_mut(joint).ok_or_else(|| no_joint(joint))?;
        match &mut place.1 {
            Some(joint) => joint.accept(update, moment(now_us)?),
            none => *none = Some(JointGhost::new(update, place.0)),
        }
        Ok(())
    }

    /// The angle at which to draw a joint now, in radians; 0 as long as nothing is known of it.
    #[wasm_bindgen(js_name = jointAngle)]
    pub fn joint_angle(
        &self,
        joint: usize,
        #[wasm_bindgen(js_name = nowUs)] now_us: f64,
    ) -> Result<f64, JsError> {
        let now = moment(now_us)?;
        let (_, shown) = self.joints.get(joint).ok_or_else(|| no_joint(joint))?;
        Ok(shown.as_ref().map_or(0.0, |it| it.angle_at(now)))
    }
}

/// Many ghosts, shown by one call. Each has a number, which is never given to another one.
#[wasm_bindgen]
#[derive(Default)]
pub struct Ghosts {
    /// In the order of their numbers.
    numbers: Vec<u32>,
    ghosts: Vec<Shown>,
    next: u32,
    poses: Vec<f64>,
}

#[wasm_bindgen]
impl Ghosts {
    /// None yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Ghosts {
        Self::default()
    }

    /// Adds the ghost of a body of that kind, from its first update, which arrives now. Gives its number.
    pub fn add(
        &mut self,
        kind: &Kind,
        first: &[u8],
        #[wasm_bindgen(js_name = nowUs)] now_us: f64,
    ) -> Result<u32, JsError> {
        let shown = Shown::born(kind, first, moment(now_us)?)?;
        let number = self.next;
        self.next = number.checked_add(1).ok_or_else(|| JsError::new("no number is left"))?;
        self.numbers.push(number);
        self.ghosts.push(shown);
        Ok(number)
    }

    /// Takes an update of a ghost that arrives now.
    pub fn accept(
        &mut self,
        ghost: u32,
        bytes: &[u8],
        #[wasm_bindgen(js_name = nowUs)] now_us: f64,
    ) -> Result<AcceptedWord, JsError> {
        let place = self.place(ghost)?;
        let accepted = self.ghosts[place].accept(update(bytes)?, moment(now_us)?);
        Ok(word(accepted))
    }

    /// Removes a ghost.
    pub fn remove(&mut self, ghost: u32) -> Result<(), JsError> {
        let place = self.place(ghost)?;
        self.numbers.remove(place);
        self.ghosts.remove(place);
        Ok(())
    }

    /// How many there are.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> usize {
        self.ghosts.len()
    }

    /// Their numbers, in the order in which `posesInto` writes them.
    #[wasm_bindgen(getter)]
    pub fn numbers(&self) -> Vec<u32> {
        self.numbers.clone()
    }

    /// Where and how to draw all of them now: seven numbers each, a position and an orientation, into an
    /// array of yours, which must be long enough. Gives how many ghosts were written.
    #[wasm_bindgen(js_name = posesInto)]
    pub fn poses_into(
        &mut self,
        #[wasm_bindgen(js_name = nowUs)] now_us: f64,
        out: &Float64Array,
    ) -> Result<usize, JsError> {
        let now = moment(now_us)?;
        let needed = self.ghosts.len() * POSE;
        if (out.length() as usize) < needed {
            let got = out.length();
            return Err(JsError::new(&format!("the array holds {got} numbers; it needs {needed}")));
        }
        self.poses.clear();
        for ghost in &self.ghosts {
            self.poses.extend(numbers(&ghost.pose_at(now)));
        }
        out.subarray(0, needed as u32).copy_from(&self.poses);
        Ok(self.ghosts.len())
    }

    fn place(&self, ghost: u32) -> Result<usize, JsError> {
        let unknown =
            |_| JsError::new(&format!("there is no ghost {ghost}; it may have been removed"));
        self.numbers.binary_search(&ghost).map_err(unknown)
    }
}
