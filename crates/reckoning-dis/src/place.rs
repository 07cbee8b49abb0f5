//! Places: geocentric WGS-84, as DIS has them, to and from a local frame, as games have them.
//!
//! ```text
//!   geocentric   x to Greenwich on the equator, z to the north pole; body x ahead, y right, z down
//!   local        x east, y north, z up about an origin; body x ahead, y left, z up
//! ```
//!
//! The frame is a plane that touches the ellipsoid: at 50 km from the origin the sea lies 200 m below
//! it. Everything turns along: velocities, accelerations, orientations. Both ways are a translation and
//! a rotation, so that nothing is lost but the last bits.
//!
//! ```
//! use reckoning_dis::place::{Geodetic, TangentFrame};
//!
//! let berlin = TangentFrame::new(Geodetic::degrees(52.52, 13.405, 34.0)?);
//! let above = Geodetic::degrees(52.52, 13.405, 1_034.0)?.geocentric();
//! let local = berlin.place_from_geocentric(above);
//! assert!((local - reckoning::DVec3::Z * 1_000.0).length() < 1e-6);
//! # Ok::<(), reckoning_dis::place::PlaceError>(())
//! ```

use core::fmt;

use reckoning::math::{atan2, cos, sin, sqrt};
use reckoning::{DQuat, DVec3, Kinematics};

/// Half the equator's diameter, metres.
const EQUATOR_M: f64 = 6_378_137.0;
const FLATTENING: f64 = 1.0 / 298.257_223_563;
/// The square of the ellipsoid's eccentricity.
const ECCENTRICITY_2: f64 = FLATTENING * (2.0 - FLATTENING);
/// The highest place that is taken for one, metres.
const HIGHEST_M: f64 = 1e7;

/// Why numbers are no place on earth.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PlaceError {
    /// A latitude is from -90 to 90 degrees.
    Latitude {
        /// What was given.
        got_deg: f64,
    },
    /// A longitude is from -180 to 360 degrees.
    Longitude {
        /// What was given.
        got_deg: f64,
    },
    /// A height is within ten thousand kilometres.
    Height {
        /// What was given.
        got_m: f64,
    },
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Latitude { got_deg } => {
                write!(f, "latitude {got_deg} is not within -90 to 90 degrees")
            }
            Self::Longitude { got_deg } => {
                write!(f, "longitude {got_deg} is not within -180 to 360 degrees")
            }
            Self::Height { got_m } => {
                write!(f, "height {got_m} m is not within 10000000 m of the sea")
            }
        }
    }
}

impl core::error::Error for PlaceError {}

/// A place by latitude, longitude and height over the WGS-84 ellipsoid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Geodetic {
    latitude_rad: f64,
    longitude_rad: f64,
    height_m: f64,
}

impl Geodetic {
    /// A place by degrees, north and east positive, and metres.
    ///
    /// # Errors
    /// Names the number that is none of its kind.
    pub fn degrees(latitude: f64, longitude: f64, height_m: f64) -> Result<Self, PlaceError> {
        if !(-90.0..=90.0).contains(&latitude) {
            return Err(PlaceError::Latitude { got_deg: latitude });
        }
        if !(-180.0..=360.0).contains(&longitude) {
            return Err(PlaceError::Longitude { got_deg: longitude });
        }
        if !(-HIGHEST_M..=HIGHEST_M).contains(&height_m) {
            return Err(PlaceError::Height { got_m: height_m });
        }
        let (latitude_rad, longitude_rad) = (latitude.to_radians(), longitude.to_radians());
        Ok(Self { latitude_rad, longitude_rad, height_m })
    }

    /// The place at geocentric coordinates. In the middle of the earth any latitude would do.
    #[must_use]
    pub fn from_geocentric(place: DVec3) -> Self {
        let from_axis = sqrt(place.x * place.x + place.y * place.y);
        let longitude_rad = if from_axis > 0.0 { atan2(place.y, place.x) } else { 0.0 };
        // Bowring's way, repeated: three rounds leave less than a nanometre near the ground.
        let mut latitude_rad = atan2(place.z, from_axis * (1.0 - ECCENTRICITY_2));
        for _ in 0..5 {
            let up = sin(latitude_rad);
            let across = across_m(up);
            latitude_rad = atan2(place.z + ECCENTRICITY_2 * across * up, from_axis);
        }
        let (up, out) = (sin(latitude_rad), cos(latitude_rad));
        let height_m = from_axis * out + place.z * up - EQUATOR_M * EQUATOR_M / across_m(up);
        Self { latitude_rad, longitude_rad, height_m }
    }

    /// Its geocentric coordinates, metres.
    #[must_use]
    pub fn geocentric(self) -> DVec3 {
        let (up, out) = (sin(self.latitude_rad), cos(self.latitude_rad));
        let across = across_m(up);
        let from_axis = (across + self.height_m) * out;
        DVec3::new(
            from_axis * cos(self.longitude_rad),
            from_axis * sin(self.longitude_rad),
            (across * (1.0 - ECCENTRICITY_2) + self.height_m) * up,
        )
    }

    /// Latitude in degrees, north positive.
    #[must_use]
    pub fn latitude_deg(self) -> f64 {
        self.latitude_rad.to_degrees()
    }

    /// Longitude in degrees, east positive.
    #[must_use]
    pub fn longitude_deg(self) -> f64 {
        self.longitude_rad.to_degrees()
    }

    /// Height over the ellipsoid, metres.
    #[must_use]
    pub const fn height_m(self) -> f64 {
        self.height_m
    }
}

/// From the ground straight down to the earth's axis, where the sine of the latitude is that.
fn across_m(sine: f64) -> f64 {
    EQUATOR_M / sqrt(1.0 - ECCENTRICITY_2 * sine * sine)
}

/// From our body axes (x ahead, y left, z up) to those of DIS: half a turn about x.
const HALF_TURN: DQuat = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);

/// A frame that touches the earth at an origin: x east, y north, z up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TangentFrame {
    origin: DVec3,
    /// Where its axes point, geocentric.
    east: DVec3,
    north: DVec3,
    up: DVec3,
    /// The same as a rotation from local to geocentric axes.
    turn: DQuat,
}

impl TangentFrame {
    /// The frame that touches at `origin`.
    #[must_use]
    pub fn new(origin: Geodetic) -> Self {
        let (sin_lat, cos_lat) = (sin(origin.latitude_rad), cos(origin.latitude_rad));
        let (sin_lon, cos_lon) = (sin(origin.longitude_rad), cos(origin.longitude_rad));
        let about = |axis: DVec3, angle: f64| {
            let axis = axis * sin(angle * 0.5);
            DQuat::from_xyzw(axis.x, axis.y, axis.z, cos(angle * 0.5))
        };
        let quarter = core::f64::consts::FRAC_PI_2;
        Self {
            origin: origin.geocentric(),
            east: DVec3::new(-sin_lon, cos_lon, 0.0),
            north: DVec3::new(-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat),
            up: DVec3::new(cos_lat * cos_lon, cos_lat * sin_lon, sin_lat),
            turn: about(DVec3::Z, origin.longitude_rad + quarter)
                * about(DVec3::X, quarter - origin.latitude_rad),
        }
    }

    /// A geocentric place in local coordinates.
    #[must_use]
    pub fn place_from_geocentric(&self, place: DVec3) -> DVec3 {
        self.turned_to_local(place - self.origin)
    }

    /// A local place in geocentric coordinates.
    #[must_use]
    pub fn place_to_geocentric(&self, place: DVec3) -> DVec3 {
        self.origin + self.turned_to_earth(place)
    }

    fn turned_to_local(&self, vector: DVec3) -> DVec3 {
        DVec3::new(vector.dot(self.east), vector.dot(self.north), vector.dot(self.up))
    }

    fn turned_to_earth(&self, vector: DVec3) -> DVec3 {
        self.east * vector.x + self.north * vector.y + self.up * vector.z
    }

    /// The motion of an entity of DIS as games have it.
    #[must_use]
    pub fn from_geocentric(&self, seen: &Kinematics) -> Kinematics {
        Kinematics {
            at: seen.at,
            position: self.place_from_geocentric(seen.position),
            velocity: self.turned_to_local(seen.velocity),
            acceleration: self.turned_to_local(seen.acceleration),
            orientation: unit(self.turn.conjugate() * seen.orientation * HALF_TURN),
            angular_velocity: self.turned_to_local(seen.angular_velocity),
        }
    }

    /// The motion of a body of ours as DIS has it.
    #[must_use]
    pub fn to_geocentric(&self, seen: &Kinematics) -> Kinematics {
        Kinematics {
            at: seen.at,
            position: self.place_to_geocentric(seen.position),
            velocity: self.turned_to_earth(seen.velocity),
            acceleration: self.turned_to_earth(seen.acceleration),
            orientation: unit(self.turn * seen.orientation * HALF_TURN.conjugate()),
            angular_velocity: self.turned_to_earth(seen.angular_velocity),
        }
    }
}

/// The same rotation with a length of one, which products of products lose bit by bit.
fn unit(turn: DQuat) -> DQuat {
    let length = sqrt(turn.length_squared());
    if length > 0.0 && length.is_finite() { turn / length } else { DQuat::IDENTITY }
}
