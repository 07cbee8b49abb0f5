//! Plain byte format of an [`Update`], for games that bring their own networking.
//!
//! Take [`Update::to_bytes`] and [`Update::from_bytes`] when your transport carries byte
//! strings; take the feature `serde` when it has a serialiser already, and the crate
//! `reckoning-net` when every byte counts. A [`Registry`] resolves the paths and custom models
//! that travel as ids.
//!
//! ```
//! use reckoning::bytes::Registry;
//! use reckoning::{DVec3, Kinematics, Publisher, PublisherConfig, SimTime, Update};
//!
//! let truth = Kinematics::moving(SimTime::ZERO, DVec3::ZERO, DVec3::X);
//! let (publisher, first) = Publisher::start(PublisherConfig::default(), &truth)?;
//! let datagram = first.to_bytes(); // your transport carries it
//! let received = Update::from_bytes(&datagram, &Registry::default())?;
//! assert_eq!(received, first);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! Every number is little-endian. Values of zero, and the identity rotation, are left out,
//! which the flags record. A decoded update equals the encoded one.
//!
//! ```text
//! byte 0   version, 1
//! byte 1   bits 0-1: kind (0 partial, 1 full, 2 teleport); then, if present:
//!          bit 2 velocity, bit 3 acceleration, bit 4 orientation, bit 5 angular velocity,
//!          bit 6 teleports
//! byte 2   model: 0 hold, 1 linear, 2 accelerating, 3 damped, 4 decaying, 5 curve, 6 arc,
//!          7 ballistic, 8 path, 9 DIS, 10 custom
//! i64      time in microseconds
//! f64 x 3  position in metres
//! f64 x 3  velocity, f64 x 3 acceleration, f64 x 4 orientation (x y z w),
//! f64 x 3  angular velocity, u32 count of teleports, each if its flag is set
//! then     2, 3, 4: u64 trust or fade in nanoseconds
//!          5: u8 terms, then per term f64 time constant and f64 x 3 coefficient
//!          7: f64 gravity, f64 floor, u8 landing (0 stop, 1 run)
//!          8: u16 path id, f64 progress, f64 rate
//!          9: u8 algorithm, u8 acceleration (0 body rate, 1 inertial)
//!          10: u8 id
//! ```
//!
//! A walking player on [`Model::Linear`] takes 59 bytes. That is simple, exact and about eight
//! times what the crate `reckoning-net` needs, which rounds, packs bits and codes against what
//! the receiver has. No bytes make the decoder panic.

use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

use glam::{DQuat, DVec3};

use crate::dis::{BodyAcceleration, DisAlgorithm, DisModel};
use crate::error::ModelError;
use crate::model::{Ballistic, CustomModel, Landing, Path, PathRide};
use crate::{ConfigError, Curve, CurveBasis, Kinematics, Model, SimTime, Update, UpdateKind};

/// The version that [`Update::to_bytes`] writes and [`Update::from_bytes`] reads.
pub const VERSION: u8 = 1;
/// No update is longer.
pub const MAX_UPDATE_BYTES: usize = 3 + 8 + 24 + 24 + 24 + 32 + 24 + 4 + 1 + 4 * 32;

const VELOCITY: u8 = 1 << 2;
const ACCELERATION: u8 = 1 << 3;
const ORIENTATION: u8 = 1 << 4;
const ANGULAR_VELOCITY: u8 = 1 << 5;
const TELEPORTS: u8 = 1 << 6;

/// Paths and custom models that each end knows from its level and program; only their ids
/// travel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Registry {
    /// Motions of the game's own, by their ids.
    pub customs: Vec<CustomModel>,
    /// Lines of the level, by their ids.
    pub paths: Vec<&'static Path>,
}

impl Registry {
    /// The path of that id.
    #[must_use]
    pub fn path(&self, id: u16) -> Option<&'static Path> {
        self.paths.iter().copied().find(|path| path.id() == id)
    }

    /// The custom model of that id.
    #[must_use]
    pub fn custom(&self, id: u8) -> Option<CustomModel> {
        self.customs.iter().copied().find(|custom| custom.id == id)
    }
}

/// Why bytes are not an [`Update`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum UpdateBytesError {
    /// The bytes end too early.
    TooShort {
        /// Where more was expected.
        offset: usize,
    },
    /// Bytes are left over.
    TooLong {
        /// Where the update ends.
        offset: usize,
    },
    /// The first byte names another version.
    Version {
        /// The version it names.
        got: u8,
    },
    /// A byte has no meaning at its offset.
    Code {
        /// Its offset.
        offset: usize,
        /// Its value.
        got: u8,
    },
    /// The receiver's [`Registry`] has no path of this id.
    UnknownPath {
        /// The id.
        id: u16,
    },
    /// The receiver's [`Registry`] has no custom model of this id.
    UnknownCustom {
        /// The id.
        id: u8,
    },
    /// The numbers do not make an update.
    Unusable(ConfigError),
}

impl fmt::Display for UpdateBytesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort { offset } => write!(f, "the update ends too early, at byte {offset}"),
            Self::TooLong { offset } => {
                write!(f, "the update ends at byte {offset}, and more bytes follow")
            }
            Self::Version { got } => {
                write!(f, "version {got} of an update is not version {VERSION}; update one end")
            }
            Self::Code { offset, got } => write!(f, "byte {offset} is {got}, which means nothing"),
            Self::UnknownPath { id } => {
                write!(f, "path {id} is not registered; register the level's paths at both ends")
            }
            Self::UnknownCustom { id } => {
                write!(f, "custom model {id} is not registered; register it at both ends")
            }
            Self::Unusable(error) => write!(f, "the update is not usable: {error}"),
        }
    }
}

impl core::error::Error for UpdateBytesError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Unusable(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ModelError> for UpdateBytesError {
    fn from(error: ModelError) -> Self {
        Self::Unusable(error.into())
    }
}

impl Update {
    /// The update as plain bytes, in the layout of [`bytes`](self).
    ///
    /// ```
    /// use reckoning::bytes::Registry;
    /// use reckoning::{DVec3, Kinematics, Model, SimTime, Update, UpdateKind};
    ///
    /// let walking = Kinematics::moving(SimTime::ZERO, DVec3::X, DVec3::Y * 1.4);
    /// let update = Update::new(walking, Model::Linear, UpdateKind::Partial)?;
    /// let bytes = update.to_bytes(); // send them in any way you like
    /// assert_eq!(bytes.len(), 59);
    /// assert_eq!(Update::from_bytes(&bytes, &Registry::default()), Ok(update));
    /// # Ok::<(), reckoning::ConfigError>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let seen = self.kinematics();
        let mut out = Vec::with_capacity(MAX_UPDATE_BYTES);
        let has = |flag: u8, differs: bool| if differs { flag } else { 0 };
        let flags = has(VELOCITY, seen.velocity != DVec3::ZERO)
            | has(ACCELERATION, seen.acceleration != DVec3::ZERO)
            | has(ORIENTATION, seen.orientation != DQuat::IDENTITY)
            | has(ANGULAR_VELOCITY, seen.angular_velocity != DVec3::ZERO)
            | has(TELEPORTS, self.teleports() != 0);
        let kind = match self.kind() {
            UpdateKind::Partial => 0,
            UpdateKind::Full => 1,
            UpdateKind::Teleport => 2,
        };
        out.extend([VERSION, kind | flags, model_number(self.model())]);
        out.extend(seen.at.as_micros().to_le_bytes());
        put(&mut out, &seen.position.to_array());
        if flags & VELOCITY != 0 {
            put(&mut out, &seen.velocity.to_array());
        }
        if flags & ACCELERATION != 0 {
            put(&mut out, &seen.acceleration.to_array());
        }
        if flags & ORIENTATION != 0 {
            put(&mut out, &seen.orientation.to_array());
        }
        if flags & ANGULAR_VELOCITY != 0 {
            put(&mut out, &seen.angular_velocity.to_array());
        }
        if flags & TELEPORTS != 0 {
            out.extend(self.teleports().to_le_bytes());
        }
        put_parameters(&mut out, self.model());
        out
    }

    /// The update that [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// Bytes that are not one whole update are refused with the offset and the reason; paths
    /// and custom models must be registered.
    pub fn from_bytes(bytes: &[u8], registry: &Registry) -> Result<Self, UpdateBytesError> {
        let mut from = UpdateReader { bytes, offset: 0 };
        let version = from.byte()?;
        if version != VERSION {
            return Err(UpdateBytesError::Version { got: version });
        }
        let flags = from.byte()?;
        let kind = match flags & 0b11 {
            0 => UpdateKind::Partial,
            1 => UpdateKind::Full,
            2 => UpdateKind::Teleport,
            _ => return Err(from.code(flags)),
        };
        if flags >> 7 != 0 {
            return Err(from.code(flags));
        }
        let model = from.byte()?;
        let mut seen = Kinematics {
            at: SimTime::from_micros(i64::from_le_bytes(from.array()?)),
            position: from.vector()?,
            ..Kinematics::default()
        };
        if flags & VELOCITY != 0 {
            seen.velocity = from.vector()?;
        }
        if flags & ACCELERATION != 0 {
            seen.acceleration = from.vector()?;
        }
        if flags & ORIENTATION != 0 {
            let [x, y, z, w] = [from.float()?, from.float()?, from.float()?, from.float()?];
            seen.orientation = DQuat::from_xyzw(x, y, z, w);
        }
        if flags & ANGULAR_VELOCITY != 0 {
            seen.angular_velocity = from.vector()?;
        }
        let teleports = if flags & TELEPORTS != 0 { u32::from_le_bytes(from.array()?) } else { 0 };
        let model = from.model(model, registry)?;
        if from.offset < bytes.len() {
            return Err(UpdateBytesError::TooLong { offset: from.offset });
        }
        // Not `new`: it would normalise the orientation once more, and the bits would differ.
        seen.validate().map_err(|error| UpdateBytesError::Unusable(error.into()))?;
        model.validate()?;
        Ok(Self::from_checked(seen, model, kind).with_teleports(teleports))
    }
}

const fn model_number(model: &Model) -> u8 {
    match model {
        Model::Hold => 0,
        Model::Linear => 1,
        Model::Accelerating { .. } => 2,
        Model::Damped { .. } => 3,
        Model::Decaying { .. } => 4,
        Model::Curve(_) => 5,
        Model::Arc => 6,
        Model::Ballistic(_) => 7,
        Model::Path(_) => 8,
        Model::Dis(_) => 9,
        Model::Custom(_) => 10,
    }
}

fn put(out: &mut Vec<u8>, numbers: &[f64]) {
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn put_parameters(out: &mut Vec<u8>, model: &Model) {
    match model {
        Model::Hold | Model::Linear | Model::Arc => {}
        Model::Accelerating { trust: span }
        | Model::Damped { fade: span }
        | Model::Decaying { fade: span } => {
            let nanos = u64::try_from(span.as_nanos()).unwrap_or(u64::MAX);
            out.extend(nanos.to_le_bytes());
        }
        Model::Curve(curve) => {
            out.push(curve.coefficients().len() as u8);
            for (tau_s, coefficient) in curve.basis().tau_s().iter().zip(curve.coefficients()) {
                put(out, &[*tau_s]);
                put(out, &coefficient.to_array());
            }
        }
        Model::Ballistic(fall) => {
            put(out, &[fall.gravity_mps2(), fall.floor_m()]);
            out.push(u8::from(fall.landing() == Landing::Run));
        }
        Model::Path(ride) => {
            out.extend(ride.path.id().to_le_bytes());
            put(out, &[ride.progress_m, ride.rate_mps]);
        }
        Model::Dis(dis) => {
            let inertial = dis.acceleration == BodyAcceleration::Inertial;
            out.extend([dis.algorithm.number(), u8::from(inertial)]);
        }
        Model::Custom(custom) => out.push(custom.id),
    }
}

struct UpdateReader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl UpdateReader<'_> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], UpdateBytesError> {
        let rest = self.bytes.get(self.offset..).unwrap_or_default();
        let Some((array, _)) = rest.split_first_chunk() else {
            return Err(UpdateBytesError::TooShort { offset: self.offset });
        };
        self.offset += N;
        Ok(*array)
    }

    fn byte(&mut self) -> Result<u8, UpdateBytesError> {
        Ok(self.array::<1>()?[0])
    }

    fn float(&mut self) -> Result<f64, UpdateBytesError> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    fn vector(&mut self) -> Result<DVec3, UpdateBytesError> {
        Ok(DVec3::new(self.float()?, self.float()?, self.float()?))
    }

    /// The byte read last means nothing.
    const fn code(&self, got: u8) -> UpdateBytesError {
        UpdateBytesError::Code { offset: self.offset - 1, got }
    }

    fn span(&mut self) -> Result<Duration, UpdateBytesError> {
        Ok(Duration::from_nanos(u64::from_le_bytes(self.array()?)))
    }

    fn model(&mut self, number: u8, registry: &Registry) -> Result<Model, UpdateBytesError> {
        Ok(match number {
            0 => Model::Hold,
            1 => Model::Linear,
            2 => Model::Accelerating { trust: self.span()? },
            3 => Model::Damped { fade: self.span()? },
            4 => Model::Decaying { fade: self.span()? },
            5 => Model::Curve(self.curve()?),
            6 => Model::Arc,
            7 => Model::Ballistic(self.ballistic()?),
            8 => Model::Path(self.ride(registry)?),
            9 => Model::Dis(self.dis()?),
            10 => {
                let id = self.byte()?;
                let custom = registry.custom(id);
                Model::Custom(custom.ok_or(UpdateBytesError::UnknownCustom { id })?)
            }
            got => return Err(UpdateBytesError::Code { offset: 2, got }),
        })
    }

    fn curve(&mut self) -> Result<Curve, UpdateBytesError> {
        let terms = usize::from(self.byte()?);
        let (mut tau_s, mut coefficients) = ([0.0; 4], [DVec3::ZERO; 4]);
        if terms > tau_s.len() {
            return Err(self.code(terms as u8));
        }
        for term in 0..terms {
            tau_s[term] = self.float()?;
            coefficients[term] = self.vector()?;
        }
        Ok(Curve::new(CurveBasis::new(&tau_s[..terms])?, &coefficients[..terms])?)
    }

    fn ballistic(&mut self) -> Result<Ballistic, UpdateBytesError> {
        let (gravity_mps2, floor_m) = (self.float()?, self.float()?);
        let landing = match self.byte()? {
            0 => Landing::Stop,
            1 => Landing::Run,
            got => return Err(self.code(got)),
        };
        Ok(Ballistic::new(gravity_mps2, floor_m, landing)?)
    }

    fn ride(&mut self, registry: &Registry) -> Result<PathRide, UpdateBytesError> {
        let id = u16::from_le_bytes(self.array()?);
        let path = registry.path(id).ok_or(UpdateBytesError::UnknownPath { id })?;
        Ok(PathRide { path, progress_m: self.float()?, rate_mps: self.float()? })
    }

    fn dis(&mut self) -> Result<DisModel, UpdateBytesError> {
        let number = self.byte()?;
        let algorithm = DisAlgorithm::from_number(number).ok_or(self.code(number))?;
        let acceleration = match self.byte()? {
            0 => BodyAcceleration::BodyRate,
            1 => BodyAcceleration::Inertial,
            got => return Err(self.code(got)),
        };
        Ok(DisModel { algorithm, acceleration })
    }
}
