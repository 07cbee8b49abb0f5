//! Ground clamping: shown bodies set onto the ground, after everything else is reckoned.
//!
//! Take a [`GroundClamp`] per body, between its ghost and the renderer.
//!
//! ```
//! use reckoning::ground::{GroundClampConfig, Pose};
//! use reckoning::terrain::FlatGround;
//! use reckoning::{DQuat, DVec3, GroundClamp, SimTime};
//!
//! let mut clamp = GroundClamp::new(GroundClampConfig::default())?;
//! let sunk = Pose { position: DVec3::new(3.0, 0.0, -0.4), orientation: DQuat::IDENTITY };
//! let shown = clamp.clamp(sunk, &FlatGround::default(), 20.0, SimTime::ZERO);
//! assert_eq!(shown.position, DVec3::new(3.0, 0.0, 0.0));
//! # Ok::<(), reckoning::ConfigError>(())
//! ```
//!
//! A vehicle that lands keeps, for its listeners, the velocity of its fall and sinks into
//! the dirt until the next update. A `GroundClamp` sets the shown body back: it asks the
//! [`Terrain`] under three points of the body for the average height and for the slope,
//! and with growing distance from the viewer it asks less.
//!
//! ```text
//!   distance   0 ......... near_m ......... far_m .........
//!   asks       3 points     1 point         1 point now and then,
//!              each frame   each frame      in between the kept offset
//! ```
//!
//! Others rely on this:
//! - the compass heading of the body stays, only height, pitch and roll change;
//! - where there is no ground, the body is left exactly as it was;
//! - finite poses stay finite, whatever the terrain answers.
//!
//! Keeping bodies from being *published* into the ground is done by
//! [`Publisher::observe_on`](crate::Publisher::observe_on). The scheme
//! follows Murphy, *Believable Dead Reckoning for Networked Games*, 18.6.

use core::time::Duration;

use glam::{DQuat, DVec3};

use crate::error::GroundError;
use crate::orientation::{level_forward, standing};
use crate::terrain::Contact;
use crate::{SimTime, Terrain};

/// Where a body is shown and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Where the body's origin is.
    pub position: DVec3,
    /// Rotation from the body's axes (x forward, y left, z up) to the world's.
    pub orientation: DQuat,
}

impl Pose {
    /// Whether every number is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.orientation.is_finite()
    }
}

/// Which way a body may be moved to meet the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ClampMode {
    /// Not at all: for what flies or dives.
    None,
    /// Out of the ground, never down to it: for vehicles that jump.
    #[default]
    OnlyUp,
    /// Onto the ground, up or down: for what never leaves it.
    Always,
}

/// Part of a body that stands on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Footprint {
    /// On wheels or tracks: three points of a rectangle give height and slope near the
    /// viewer, the ground under the origin further away.
    Rectangle {
        /// From the origin to the front.
        half_length_m: f64,
        /// From the origin to the left side.
        half_width_m: f64,
    },
    /// On one point, leaning with the slope: a mine, a crate, a dog.
    Leaning,
    /// On one point, keeping its orientation: a person.
    Upright,
}

/// How much of the ground is asked for a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ClampDetail {
    /// One point now and then; in between the kept offset is added.
    Seldom,
    /// One point on each frame.
    OnePoint,
    /// All points of the footprint on each frame.
    AllPoints,
}

/// Settings for a [`GroundClamp`]. The default suits a car seen by players on foot, in
/// metres.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct GroundClampConfig {
    /// Which way the body may be moved. Default: [`ClampMode::OnlyUp`].
    pub mode: ClampMode,
    /// How it stands. Default: [`Footprint::Rectangle`], 4 m long and 2 m wide. Its halves are
    /// positive and finite.
    pub footprint: Footprint,
    /// How high the body's origin is above the ground when it stands there. Default: 0 m. Finite.
    pub origin_height_m: f64,
    /// Up to this distance from the viewer the ground is asked under all points of the footprint.
    /// Default: 50 m. From 0 to `far_m`.
    pub near_m: f64,
    /// Beyond this distance the ground is asked only now and then. Default: 200 m. At least
    /// `near_m`; infinity asks on every frame.
    pub far_m: f64,
    /// How long an answer is used when the body is far. Default: 500 ms. Any span.
    pub far_interval: Duration,
}

impl Default for GroundClampConfig {
    fn default() -> Self {
        Self {
            mode: ClampMode::default(),
            footprint: Footprint::Rectangle { half_length_m: 2.0, half_width_m: 1.0 },
            origin_height_m: 0.0,
            near_m: 50.0,
            far_m: 200.0,
            far_interval: Duration::from_millis(500),
        }
    }
}

impl GroundClampConfig {
    /// How much of the ground is asked for a body at this distance from the viewer.
    #[must_use]
    pub fn detail_at(&self, viewer_distance_m: f64) -> ClampDetail {
        if viewer_distance_m <= self.near_m {
            ClampDetail::AllPoints
        } else if viewer_distance_m > self.far_m {
            ClampDetail::Seldom
        } else {
            ClampDetail::OnePoint
        }
    }

    fn validate(&self) -> Result<(), GroundError> {
        if let Footprint::Rectangle { half_length_m, half_width_m } = self.footprint {
            let usable = |half_m: f64| half_m > 0.0 && half_m.is_finite();
            if !(usable(half_length_m) && usable(half_width_m)) {
                return Err(GroundError::FootprintNotPositive { half_length_m, half_width_m });
            }
        }
        if !self.origin_height_m.is_finite() {
            return Err(GroundError::OriginHeightNotFinite { got_m: self.origin_height_m });
        }
        let (near_m, far_m) = (self.near_m, self.far_m);
        if near_m >= 0.0 && near_m <= far_m {
            Ok(())
        } else {
            Err(GroundError::ClampDistances { near_m, far_m })
        }
    }
}

/// Sets one body onto the ground, frame by frame. Each body needs its own.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundClamp {
    config: GroundClampConfig,
    kept: Option<Kept>,
}

/// The last answer and when it was given.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Kept {
    at: SimTime,
    /// `None` if the body was to be left alone.
    offset: Option<Offset>,
}

/// What the ground adds to a reckoned pose.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Offset {
    lift_m: f64,
    /// In world axes, applied after the body's own orientation.
    tilt: DQuat,
}

impl GroundClamp {
    /// A clamp that has not asked for the ground yet.
    ///
    /// # Errors
    /// A footprint that is not positive, an origin height that is not finite, or distances
    /// that are negative or in the wrong order.
    pub fn new(config: GroundClampConfig) -> Result<Self, GroundError> {
        config.validate()?;
        Ok(Self { config, kept: None })
    }

    /// The reckoned `pose` set onto the ground, for a viewer at this distance.
    ///
    /// A far body may be off the ground for as long as an answer is used, in either
    /// direction. Call [`forget`](Self::forget) after a teleport.
    pub fn clamp(
        &mut self,
        pose: Pose,
        terrain: &(impl Terrain + ?Sized),
        viewer_distance_m: f64,
        now: SimTime,
    ) -> Pose {
        self.clamp_with(pose, terrain, self.config.detail_at(viewer_distance_m), now)
    }

    /// As [`clamp`](Self::clamp), with a detail that the game chooses.
    pub fn clamp_with(
        &mut self,
        pose: Pose,
        terrain: &(impl Terrain + ?Sized),
        detail: ClampDetail,
        now: SimTime,
    ) -> Pose {
        if self.config.mode == ClampMode::None {
            return pose;
        }
        let kept = match self.kept {
            Some(kept) if detail == ClampDetail::Seldom && self.is_fresh(kept, now) => kept,
            _ => Kept { at: now, offset: self.offset(pose, terrain, detail) },
        };
        self.kept = Some(kept);
        kept.offset.and_then(|offset| offset.onto(pose)).unwrap_or(pose)
    }

    /// Drops the kept answer, so that the next frame asks for the ground whatever the
    /// distance.
    pub fn forget(&mut self) {
        self.kept = None;
    }

    /// An answer from the future comes from a replay that was wound back.
    fn is_fresh(&self, kept: Kept, now: SimTime) -> bool {
        kept.at <= now && now.saturating_since(kept.at) < self.config.far_interval
    }

    fn offset(
        &self,
        pose: Pose,
        terrain: &(impl Terrain + ?Sized),
        detail: ClampDetail,
    ) -> Option<Offset> {
        let pose = Pose { orientation: unit(pose.orientation), ..pose };
        if let Footprint::Rectangle { half_length_m, half_width_m } = self.config.footprint
            && detail == ClampDetail::AllPoints
        {
            let feet = self.feet(pose, half_length_m, half_width_m);
            if let Some(ground_z) = heights_under(feet, terrain) {
                return self.three_points(pose, feet, ground_z);
            }
        }
        self.one_point(pose, terrain)
    }

    /// Height and slope from the ground under the origin.
    fn one_point(&self, pose: Pose, terrain: &(impl Terrain + ?Sized)) -> Option<Offset> {
        let foot = pose.position - DVec3::Z * self.config.origin_height_m;
        let ground = usable_ground(terrain, foot)?;
        let lift_m = self.clamped_z(foot.z, ground.point.z) - foot.z;
        if self.config.mode == ClampMode::OnlyUp && lift_m <= 0.0 {
            return None;
        }
        if self.config.footprint == Footprint::Upright {
            return Some(Offset { lift_m, tilt: DQuat::IDENTITY });
        }
        Some(Offset::new(pose, lift_m, ground.normal.normalize_or(DVec3::Z)))
    }

    /// The front's middle and the back corners of the body, where it meets the ground.
    fn feet(&self, pose: Pose, half_length_m: f64, half_width_m: f64) -> [DVec3; 3] {
        let frame = self.frame(pose.orientation);
        let below = -self.config.origin_height_m;
        [(1.0, 0.0), (-1.0, 1.0), (-1.0, -1.0)].map(|(along, across)| {
            pose.position + frame * DVec3::new(along * half_length_m, across * half_width_m, below)
        })
    }

    /// Height and slope from the ground under three points of the body.
    fn three_points(&self, pose: Pose, feet: [DVec3; 3], ground_z: [f64; 3]) -> Option<Offset> {
        let mut clamped = feet;
        for (foot, ground_z) in clamped.iter_mut().zip(ground_z) {
            foot.z = self.clamped_z(foot.z, ground_z);
        }
        if clamped == feet && self.config.mode == ClampMode::OnlyUp {
            return None;
        }
        let [front, left, right] = [0, 1, 2].map(|i| clamped[i].z - feet[i].z);
        // Murphy takes the plain average, the height a third of the way from the origin to
        // the back. With these weights it is the height at the origin.
        let lift_m = 0.5 * front + 0.25 * (left + right);
        let up = triangle_normal(clamped).unwrap_or(self.frame(pose.orientation) * DVec3::Z);
        Some(Offset::new(pose, lift_m, up))
    }

    /// How the footprint lies when the ground is asked. What always stands is level before
    /// it meets the slope; what jumps may touch down with its nose first.
    fn frame(&self, orientation: DQuat) -> DQuat {
        match self.config.mode {
            ClampMode::OnlyUp => orientation,
            _ => standing(level_forward(orientation), DVec3::Z),
        }
    }

    fn clamped_z(&self, z: f64, ground_z: f64) -> f64 {
        match self.config.mode {
            ClampMode::None => z,
            ClampMode::OnlyUp => z.max(ground_z),
            ClampMode::Always => ground_z,
        }
    }
}

impl Offset {
    /// The offset that raises `pose` and lays its top along `up`, with the same heading.
    fn new(pose: Pose, lift_m: f64, up: DVec3) -> Self {
        let turned = standing(level_forward(pose.orientation), up);
        Self { lift_m, tilt: turned * pose.orientation.conjugate() }
    }

    /// `None` when the numbers are too large to compute with.
    fn onto(self, pose: Pose) -> Option<Pose> {
        let moved = Pose {
            position: pose.position + DVec3::Z * self.lift_m,
            orientation: self.tilt * unit(pose.orientation),
        };
        moved.is_finite().then_some(moved)
    }
}

/// The ground, unless the terrain answers with something that is not a number.
fn usable_ground(terrain: &(impl Terrain + ?Sized), point: DVec3) -> Option<Contact> {
    terrain.ground_below(point).filter(Contact::is_finite)
}

/// `None` where one of the points has no ground.
fn heights_under(feet: [DVec3; 3], terrain: &(impl Terrain + ?Sized)) -> Option<[f64; 3]> {
    let mut heights = [0.0; 3];
    for (height, foot) in heights.iter_mut().zip(feet) {
        *height = usable_ground(terrain, foot)?.point.z;
    }
    Some(heights)
}

/// `None` when the three points lie on a line or are too far apart to compute with.
fn triangle_normal([a, b, c]: [DVec3; 3]) -> Option<DVec3> {
    let (ab, ac) = ((b - a).try_normalize()?, (c - a).try_normalize()?);
    let normal = ab.cross(ac);
    // Below this sine the direction is mostly rounding.
    if normal.length() < 1e-9 { None } else { normal.try_normalize() }
}

/// The same rotation as a unit quaternion; unturned if it is none.
fn unit(rotation: DQuat) -> DQuat {
    let length = rotation.length();
    // Below this the squares of the components vanish.
    if length > 1e-100 && length.is_finite() { rotation / length } else { DQuat::IDENTITY }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use super::*;
    use crate::math::{angle_between, rotation};
    use crate::orientation::heading_rad;
    use crate::terrain::FlatGround;

    const NOW: SimTime = SimTime::ZERO;

    /// An endless slope that rises `rise` along x, and counts how often it is asked.
    struct Slope {
        rise: f64,
        asked: Cell<u32>,
    }

    impl Slope {
        fn new(rise: f64) -> Self {
            Self { rise, asked: Cell::new(0) }
        }
    }

    impl Terrain for Slope {
        fn ground_below(&self, point: DVec3) -> Option<Contact> {
            self.asked.set(self.asked.get() + 1);
            let normal = DVec3::new(-self.rise, 0.0, 1.0).normalize();
            Some(Contact { point: DVec3::new(point.x, point.y, point.x * self.rise), normal })
        }

        fn first_hit(&self, _: DVec3, _: DVec3) -> Option<Contact> {
            None
        }
    }

    fn clamp(mode: ClampMode) -> GroundClamp {
        GroundClamp::new(GroundClampConfig { mode, ..GroundClampConfig::default() }).unwrap()
    }

    fn level(x: f64, z: f64, heading_rad: f64) -> Pose {
        let orientation = rotation(DVec3::Z * heading_rad);
        Pose { position: DVec3::new(x, 7.0, z), orientation }
    }

    #[test]
    fn on_a_slope_the_body_leans_and_keeps_its_heading() {
        let slope = Slope::new(0.5);
        for mode in [ClampMode::OnlyUp, ClampMode::Always] {
            for distance_m in [10.0, 100.0, 1000.0] {
                let shown = clamp(mode).clamp(level(4.0, -3.0, 2.2), &slope, distance_m, NOW);

                let case = alloc::format!("{mode:?} at {distance_m} m: {shown:?}");
                assert!((shown.position - DVec3::new(4.0, 7.0, 2.0)).length() < 1e-12, "{case}");
                let up = shown.orientation * DVec3::Z;
                assert!((up - DVec3::new(-0.5, 0.0, 1.0).normalize()).length() < 1e-12, "{case}");
                assert!((heading_rad(shown.orientation) - 2.2).abs() < 1e-12, "{case}");
            }
        }
    }

    #[test]
    fn a_jumping_vehicle_is_left_alone() {
        let nose_up = Pose {
            position: DVec3::new(4.0, 7.0, 4.5),
            orientation: rotation(DVec3::new(0.1, -0.6, 0.4)),
        };
        for distance_m in [10.0, 100.0, 1000.0] {
            let shown = clamp(ClampMode::OnlyUp).clamp(nose_up, &Slope::new(0.5), distance_m, NOW);
            assert_eq!(shown, nose_up, "at {distance_m} m");
        }
    }

    #[test]
    fn only_always_pulls_down() {
        let shown =
            clamp(ClampMode::Always).clamp(level(4.0, 9.0, 0.0), &Slope::new(0.5), 1.0, NOW);
        assert!((shown.position.z - 2.0).abs() < 1e-12);

        let below = level(4.0, -9.0, 0.0);
        assert_eq!(clamp(ClampMode::None).clamp(below, &Slope::new(0.5), 1.0, NOW), below);
    }

    #[test]
    fn a_nose_that_touches_first_is_raised_a_little_not_thrown_up() {
        // 2 m from the origin to the nose, which dips 0.2 m under level ground.
        let nose_down =
            Pose { position: DVec3::Z, orientation: rotation(DVec3::Y * libm::asin(0.6)) };
        let shown = clamp(ClampMode::OnlyUp).clamp(nose_down, &FlatGround::default(), 1.0, NOW);

        assert!((shown.position.z - 1.1).abs() < 1e-12, "{shown:?}");
        let turned = angle_between(shown.orientation, nose_down.orientation);
        assert!(turned > 0.02 && turned < 0.15, "turned by {turned} rad");
    }

    #[test]
    fn landing_has_no_jerk() {
        // Sinking a micrometre into the ground moves the body by no more than that.
        let mut clamp = clamp(ClampMode::OnlyUp);
        let orientation = rotation(DVec3::new(0.05, 0.1, -2.0));
        let mut last = None;
        for step in 0..1_000_000 {
            let position = DVec3::Z * (0.5 - f64::from(step) * 1e-6);
            let shown =
                clamp.clamp(Pose { position, orientation }, &FlatGround::default(), 1.0, NOW);
            if let Some(last) = last.replace(shown) {
                assert!((shown.position - last.position).length() < 1.1e-6, "step {step}");
                assert!(angle_between(shown.orientation, last.orientation) < 1e-5, "step {step}");
            }
        }
    }

    #[test]
    fn the_origin_may_be_above_the_wheels() {
        let config = GroundClampConfig { origin_height_m: 0.8, ..GroundClampConfig::default() };
        for distance_m in [1.0, 100.0] {
            let mut clamp = GroundClamp::new(config.clone()).unwrap();
            let sunk = clamp.clamp(level(0.0, 0.5, 0.0), &FlatGround::default(), distance_m, NOW);
            assert!((sunk.position.z - 0.8).abs() < 1e-12, "at {distance_m} m: {sunk:?}");
        }
    }

    #[test]
    fn a_person_stays_upright() {
        let footprint = Footprint::Upright;
        let config = GroundClampConfig { footprint, ..GroundClampConfig::default() };
        let pose = level(4.0, -1.0, 1.0);
        let shown = GroundClamp::new(config).unwrap().clamp(pose, &Slope::new(0.5), 1.0, NOW);

        assert!((shown.position.z - 2.0).abs() < 1e-12);
        assert!(angle_between(shown.orientation, pose.orientation) < 1e-12);
    }

    #[test]
    fn distance_saves_questions() {
        let slope = Slope::new(0.5);
        let mut clamp = clamp(ClampMode::Always);
        let mut asked = |distance_m, millis: core::ops::Range<i64>| {
            slope.asked.set(0);
            for at in millis.step_by(100) {
                let now = SimTime::from_millis(at);
                let _ = clamp.clamp(level(0.0, 0.0, 0.0), &slope, distance_m, now);
            }
            slope.asked.get()
        };
        assert_eq!(asked(10.0, 0..1_000), 30); // three points in each of ten frames
        assert_eq!(asked(100.0, 1_000..2_000), 10);
        assert_eq!(asked(1_000.0, 2_000..4_000), 4); // each half second, the first kept from 1.9 s
        assert_eq!(asked(1_000.0, 0..100), 1); // a replay wound back
    }

    #[test]
    fn between_questions_a_far_body_keeps_its_offset() {
        let mut clamp = clamp(ClampMode::Always);
        let slope = Slope::new(0.5);
        let first = clamp.clamp(level(4.0, 1.5, 0.3), &slope, 1_000.0, NOW);
        assert!((first.position.z - 2.0).abs() < 1e-12);

        let later = SimTime::from_millis(400);
        let kept = clamp.clamp(level(8.0, 3.0, 0.3), &slope, 1_000.0, later);
        assert!((kept.position.z - 3.5).abs() < 1e-12, "raised by the kept 0.5 m: {kept:?}");
        assert!(angle_between(kept.orientation, first.orientation) < 1e-12);

        clamp.forget();
        let asked = clamp.clamp(level(8.0, 3.0, 0.3), &slope, 1_000.0, later);
        assert!((asked.position.z - 4.0).abs() < 1e-12, "{asked:?}");
    }

    #[test]
    fn points_on_a_line_have_no_normal() {
        assert_eq!(triangle_normal([DVec3::ZERO, DVec3::ONE, DVec3::ONE * 3.0]), None);
        assert_eq!(triangle_normal([DVec3::ZERO, DVec3::ZERO, DVec3::X]), None);
        assert_eq!(triangle_normal([DVec3::ZERO, DVec3::X, DVec3::Y]), Some(DVec3::Z));
    }

    #[test]
    fn unusable_settings_are_refused() {
        let mut config = GroundClampConfig { far_m: 10.0, ..GroundClampConfig::default() };
        let refused = GroundError::ClampDistances { near_m: 50.0, far_m: 10.0 };
        assert_eq!(GroundClamp::new(config.clone()), Err(refused));
        config.far_m = f64::INFINITY;
        assert!(GroundClamp::new(config.clone()).is_ok());
        config.near_m = f64::NAN;
        assert!(GroundClamp::new(config.clone()).is_err());

        config = GroundClampConfig::default();
        config.footprint = Footprint::Rectangle { half_length_m: 2.0, half_width_m: 0.0 };
        let refused = GroundError::FootprintNotPositive { half_length_m: 2.0, half_width_m: 0.0 };
        assert_eq!(GroundClamp::new(config), Err(refused));
    }
}
