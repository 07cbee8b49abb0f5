//! What crosses the border: plain values, valid whatever their bits.

use std::marker::PhantomData;

use reckoning::bytes::{MAX_UPDATE_BYTES, Registry};
use reckoning::ground::Pose;
use reckoning::{DQuat, DVec3, Joint, Kinematics, SimTime, Update};

use crate::result::{ReckField, ReckStatus, Refusal};

/// An enum of C as it may come in: any number.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice<T>(pub i32, PhantomData<T>);

impl<T> Choice<T> {
    pub const fn of(number: i32) -> Self {
        Self(number, PhantomData)
    }
}

/// A vector: x, y and z, up by z.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReckVec3 {
    /// Along x.
    pub x: f64,
    /// Along y.
    pub y: f64,
    /// Along z, which is up.
    pub z: f64,
}

/// A rotation as a quaternion of length 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReckQuat {
    /// The i part.
    pub x: f64,
    /// The j part.
    pub y: f64,
    /// The k part.
    pub z: f64,
    /// The real part; 1 for no rotation.
    pub w: f64,
}

/// How a body moves at one moment. Take it from reck_kinematics_default(), which is a body at rest.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReckKinematics {
    /// The moment, in microseconds of a timeline of yours.
    pub at_us: i64,
    /// Where it is.
    pub position: ReckVec3,
    /// How fast it moves, per second.
    pub velocity: ReckVec3,
    /// How that changes, per second.
    pub acceleration: ReckVec3,
    /// How it is turned.
    pub orientation: ReckQuat,
    /// How fast it turns, in radians per second about the axes of the world.
    pub angular_velocity: ReckVec3,
}

/// Where and how to draw a body.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReckPose {
    /// Where it is.
    pub position: ReckVec3,
    /// How it is turned.
    pub orientation: ReckQuat,
}

/// A turret, a gun or a head at one moment; also what is sent of it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReckJoint {
    /// The moment, in microseconds.
    pub at_us: i64,
    /// The angle in radians; full turns do not matter.
    pub angle_rad: f64,
    /// Its change per second.
    pub rate_radps: f64,
}

/// The longest update in bytes.
pub const RECK_MAX_UPDATE_BYTES: usize = 272;
const _: () = assert!(RECK_MAX_UPDATE_BYTES == MAX_UPDATE_BYTES);

/// What a publisher sends and a ghost takes: send the first `length` of `bytes` in any way you like.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReckUpdate {
    /// How many bytes count.
    pub length: u32,
    /// The bytes, the same on every machine.
    pub bytes: [u8; RECK_MAX_UPDATE_BYTES],
}

/// A body at rest at the origin at the moment 0.
#[unsafe(no_mangle)]
pub extern "C" fn reck_kinematics_default() -> ReckKinematics {
    (&Kinematics::default()).into()
}

impl From<DVec3> for ReckVec3 {
    fn from(v: DVec3) -> Self {
        Self { x: v.x, y: v.y, z: v.z }
    }
}

impl From<ReckVec3> for DVec3 {
    fn from(v: ReckVec3) -> Self {
        Self::new(v.x, v.y, v.z)
    }
}

impl From<DQuat> for ReckQuat {
    fn from(q: DQuat) -> Self {
        Self { x: q.x, y: q.y, z: q.z, w: q.w }
    }
}

impl From<ReckQuat> for DQuat {
    fn from(q: ReckQuat) -> Self {
        Self::from_xyzw(q.x, q.y, q.z, q.w)
    }
}

impl From<&Kinematics> for ReckKinematics {
    fn from(it: &Kinematics) -> Self {
        Self {
            at_us: it.at.as_micros(),
            position: it.position.into(),
            velocity: it.velocity.into(),
            acceleration: it.acceleration.into(),
            orientation: it.orientation.into(),
            angular_velocity: it.angular_velocity.into(),
        }
    }
}

impl From<&ReckKinematics> for Kinematics {
    fn from(it: &ReckKinematics) -> Self {
        Self {
            at: SimTime::from_micros(it.at_us),
            position: it.position.into(),
            velocity: it.velocity.into(),
            acceleration: it.acceleration.into(),
            orientation: it.orientation.into(),
            angular_velocity: it.angular_velocity.into(),
        }
    }
}

impl From<Pose> for ReckPose {
    fn from(it: Pose) -> Self {
        Self { position: it.position.into(), orientation: it.orientation.into() }
    }
}

impl ReckJoint {
    /// The joint, if its numbers are finite.
    pub fn joint(&self) -> Result<Joint, Refusal> {
        for (field, got) in [(ReckField::Angle, self.angle_rad), (ReckField::Rate, self.rate_radps)]
        {
            if !got.is_finite() {
                return Err(Refusal::number(field, got));
            }
        }
        let at = SimTime::from_micros(self.at_us);
        Ok(Joint { at, angle_rad: self.angle_rad, rate_radps: self.rate_radps })
    }
}

impl From<&Update> for ReckUpdate {
    fn from(update: &Update) -> Self {
        let from = update.to_bytes();
        let mut bytes = [0; RECK_MAX_UPDATE_BYTES];
        for (to, byte) in bytes.iter_mut().zip(&from) {
            *to = *byte;
        }
        Self { length: from.len() as u32, bytes }
    }
}

impl ReckUpdate {
    /// The update, if the bytes are one.
    pub fn update(&self) -> Result<Update, Refusal> {
        let bytes = self.bytes.get(..self.length as usize).ok_or(Refusal::new(
            ReckStatus::OutOfRange,
            ReckField::Update,
            f64::from(self.length),
        ))?;
        Ok(Update::from_bytes(bytes, &Registry::default())?)
    }
}
