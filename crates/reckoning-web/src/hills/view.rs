//! Views of the hills: an eye, where that looks, and the cameras that move it.

use libm::{atan2, cos, exp, sin, tan};
use reckoning::ground::Pose;
use reckoning::orientation::{heading_rad, shortest_turn_rad};
use reckoning::{DVec3, Terrain};

/// Angle from the lower to the upper rim of the picture.
const FIELD_RAD: f64 = 0.96;
/// What is nearer to the eye is not drawn, and what is further away is not either.
const DEPTHS_M: [f64; 2] = [0.5, 1_600.0];
/// The chase camera keeps so far from the ground.
const CLEAR_M: f64 = 1.5;
/// How fast the chase camera follows a turn.
const FOLLOW_S: f64 = 0.35;
/// Pointers this far out, as a share of the half width, turn the chase camera.
const EDGE: f64 = 0.72;
/// How fast, at the very edge.
const EDGE_RADPS: f64 = 1.4;

/// What is seen of the world: an eye and the picture's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Where the eye is.
    pub eye: DVec3,
    /// Into the picture.
    pub ahead: DVec3,
    /// To the right in it.
    pub right: DVec3,
    /// Up in it.
    pub up: DVec3,
    /// Its width and height on the page.
    pub size: [f64; 2],
}

impl View {
    /// From a place towards a compass direction, counter-clockwise from east, and up.
    #[must_use]
    pub fn looking(eye: DVec3, yaw_rad: f64, pitch_rad: f64, size: [f64; 2]) -> Self {
        let flat = DVec3::new(cos(yaw_rad), sin(yaw_rad), 0.0);
        let ahead = flat * cos(pitch_rad) + DVec3::Z * sin(pitch_rad);
        let right = DVec3::new(sin(yaw_rad), -cos(yaw_rad), 0.0);
        Self { eye, ahead, right, up: right.cross(ahead), size }
    }

    fn scales(&self) -> [f64; 2] {
        let tall = 1.0 / tan(0.5 * FIELD_RAD);
        [tall * self.size[1] / self.size[0].max(1.0), tall]
    }

    /// From the world to what is clipped, column by column.
    #[must_use]
    pub fn matrix(&self) -> [f32; 16] {
        let [wide, tall] = self.scales();
        let [near, far] = DEPTHS_M;
        let (a, b) = ((far + near) / (far - near), 2.0 * far * near / (far - near));
        let (x, y, w) = (self.right * wide, self.up * tall, self.ahead);
        let of = |row: DVec3| -row.dot(self.eye);
        let column = |x: f64, y: f64, w: f64| [x, y, a * w, w];
        let last = [of(x), of(y), a * of(w) - b, of(w)];
        let columns = [column(x.x, y.x, w.x), column(x.y, y.y, w.y), column(x.z, y.z, w.z), last];
        let mut out = [0.0; 16];
        for (to, from) in out.iter_mut().zip(columns.into_iter().flatten()) {
            *to = from as f32;
        }
        out
    }

    /// Where a place is on the page, and how far ahead of the eye; `None` behind it.
    #[must_use]
    pub fn to_page(&self, place: DVec3) -> Option<([f64; 2], f64)> {
        let gap = place - self.eye;
        let depth_m = gap.dot(self.ahead);
        if depth_m < DEPTHS_M[0] {
            return None;
        }
        let [wide, tall] = self.scales();
        let x = 0.5 + 0.5 * wide * gap.dot(self.right) / depth_m;
        let y = 0.5 - 0.5 * tall * gap.dot(self.up) / depth_m;
        Some(([x * self.size[0], y * self.size[1]], depth_m))
    }

    /// Whether some of a ball may be in the picture; false only if none is.
    #[must_use]
    pub fn may_see(&self, centre: DVec3, radius_m: f64) -> bool {
        let gap = centre - self.eye;
        let depth_m = gap.dot(self.ahead);
        let is_beside = |across: f64, scale: f64| {
            // Beyond the plane through the eye and a rim of the picture.
            across.abs() * scale - depth_m > radius_m * (1.0 + scale * scale).sqrt()
        };
        let [wide, tall] = self.scales();
        depth_m > -radius_m
            && !is_beside(gap.dot(self.right), wide)
            && !is_beside(gap.dot(self.up), tall)
    }

    /// The radius of a ball on the page; without end at the eye.
    #[must_use]
    pub fn pixels(&self, centre: DVec3, radius_m: f64) -> f64 {
        let depth_m = (centre - self.eye).dot(self.ahead).max(1e-3);
        0.5 * self.size[1] * self.scales()[1] * radius_m / depth_m
    }

    /// The direction in the world of a place of the page.
    #[must_use]
    pub fn ray(&self, [x, y]: [f64; 2]) -> DVec3 {
        let [wide, tall] = self.scales();
        let (u, v) = (2.0 * x / self.size[0] - 1.0, 1.0 - 2.0 * y / self.size[1]);
        (self.ahead + self.right * (u / wide) + self.up * (v / tall)).normalize_or(self.ahead)
    }
}

/// How the camera goes with what it looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CameraMode {
    /// Behind it.
    #[default]
    Chase,
    /// Wherever it was flown to.
    Free,
    /// Straight above it.
    Top,
}

impl CameraMode {
    /// All, in the order of the key that changes them.
    pub const ALL: [Self; 3] = [Self::Chase, Self::Free, Self::Top];

    /// As the page calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chase => "chase",
            Self::Free => "free",
            Self::Top => "top",
        }
    }

    /// The one after it, round and round.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Chase => Self::Free,
            Self::Free => Self::Top,
            Self::Top => Self::Chase,
        }
    }

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// The camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HillsCamera {
    /// How it goes.
    pub mode: CameraMode,
    /// Distance to what it looks at, as a share of the usual one.
    pub zoom: f64,
    /// Nothing sways and nothing lags.
    pub is_calm: bool,
    /// Where the free one is.
    pub eye: DVec3,
    /// Where it looks; of the chase camera, beside the way it follows.
    pub yaw_rad: f64,
    /// Up or down.
    pub pitch_rad: f64,
    /// The heading that the chase camera has reached.
    heading_rad: Option<f64>,
}

impl Default for HillsCamera {
    fn default() -> Self {
        Self {
            mode: CameraMode::Chase,
            zoom: 1.0,
            is_calm: false,
            eye: DVec3::new(500.0, 500.0, 120.0),
            yaw_rad: 0.0,
            pitch_rad: -0.25,
            heading_rad: None,
        }
    }
}

impl HillsCamera {
    /// Changes how it goes; the free one begins where the picture was.
    pub fn change(&mut self, mode: CameraMode, view: &View) {
        if mode == CameraMode::Free && self.mode != CameraMode::Free {
            self.eye = view.eye;
            self.yaw_rad = atan2(view.ahead.y, view.ahead.x);
            self.pitch_rad = libm::asin(view.ahead.z.clamp(-1.0, 1.0));
        } else if mode == CameraMode::Chase {
            (self.yaw_rad, self.heading_rad) = (0.0, None);
        }
        self.mode = mode;
    }

    /// Turns the free camera by a way on the page.
    pub fn turn(&mut self, dx: f64, dy: f64) {
        self.yaw_rad -= dx * 0.004;
        self.pitch_rad = (self.pitch_rad - dy * 0.004).clamp(-1.5, 1.5);
    }

    /// Flies the free camera: ahead and to the left, from -1 to 1.
    pub fn fly(&mut self, ahead: f64, left: f64, dt_s: f64) {
        let view = View::looking(self.eye, self.yaw_rad, self.pitch_rad, [1.0, 1.0]);
        self.eye += (view.ahead * ahead - view.right * left) * (60.0 * dt_s);
    }

    /// A pointer at this share of the half width, from -1 to 1, turns the chase camera.
    pub fn push(&mut self, across: f64, dt_s: f64) {
        let over = (across.abs() - EDGE).max(0.0) / (1.0 - EDGE);
        self.yaw_rad -= over.min(1.0) * EDGE_RADPS * dt_s * across.signum();
        if over == 0.0 && across.abs() < 0.5 * EDGE {
            self.yaw_rad *= exp(-0.5 * dt_s); // comes back behind the hull, slowly
        }
    }

    /// The view of a body.
    pub fn view(
        &mut self,
        of: &Pose,
        terrain: &(impl Terrain + ?Sized),
        size: [f64; 2],
        dt_s: f64,
    ) -> View {
        match self.mode {
            CameraMode::Free => View::looking(self.eye, self.yaw_rad, self.pitch_rad, size),
            CameraMode::Top => {
                let eye = of.position + DVec3::Z * (130.0 / self.zoom);
                let (ahead, right, up) = (-DVec3::Z, DVec3::X, DVec3::Y);
                View { eye, ahead, right, up, size }
            }
            CameraMode::Chase => self.chase(of, terrain, size, dt_s),
        }
    }

    fn chase(
        &mut self,
        of: &Pose,
        terrain: &(impl Terrain + ?Sized),
        size: [f64; 2],
        dt_s: f64,
    ) -> View {
        let goal = heading_rad(of.orientation);
        let share = if self.is_calm { 1.0 } else { 1.0 - exp(-dt_s / FOLLOW_S) };
        let from = self.heading_rad.unwrap_or(goal);
        let heading = from + shortest_turn_rad(from, goal) * share;
        self.heading_rad = Some(heading);
        let yaw = heading + self.yaw_rad;
        let back = DVec3::new(cos(yaw), sin(yaw), 0.0) * (-15.0 / self.zoom);
        let mut eye = of.position + back + DVec3::Z * (5.0 / self.zoom + 2.0);
        // In a tunnel the ground is its floor, so the body's own height asks.
        let asks = eye.with_z(of.position.z + 1.0);
        if let Some(ground) = terrain.ground_below(asks) {
            eye.z = eye.z.max(ground.point.z + CLEAR_M);
        }
        let target = of.position + DVec3::Z * 2.5 - back * 0.35;
        let gap = target - eye;
        let pitch = atan2(gap.z, gap.with_z(0.0).length());
        View::looking(eye, yaw, pitch, size)
    }
}

#[cfg(test)]
mod tests {
    use reckoning::DQuat;
    use reckoning::terrain::FlatGround;

    use super::*;

    const SIZE: [f64; 2] = [800.0, 500.0];

    fn standing() -> Pose {
        Pose { position: DVec3::new(100.0, 50.0, 0.0), orientation: DQuat::IDENTITY }
    }

    #[test]
    fn what_is_in_the_middle_is_where_the_view_looks() {
        let view = View::looking(DVec3::new(0.0, 0.0, 10.0), 0.7, -0.2, SIZE);
        let place = view.eye + view.ahead * 40.0;
        let ([x, y], depth_m) = view.to_page(place).unwrap();
        assert!(
            (x - 400.0).abs() < 1e-6 && (y - 250.0).abs() < 1e-6 && (depth_m - 40.0).abs() < 1e-9
        );
        assert!(view.to_page(view.eye - view.ahead).is_none(), "behind the eye");
        let corner = view.eye + view.ray([120.0, 80.0]) * 55.0;
        let ([x, y], _) = view.to_page(corner).unwrap();
        assert!((x - 120.0).abs() < 1e-6 && (y - 80.0).abs() < 1e-6, "{x} {y}");
    }

    #[test]
    fn the_matrix_and_the_page_agree() {
        let view = View::looking(DVec3::new(3.0, 4.0, 5.0), 2.0, -0.4, SIZE);
        let place = view.eye + view.ahead * 20.0 + view.right * 3.0 + view.up * 2.0;
        let m = view.matrix().map(f64::from);
        let p = [place.x, place.y, place.z, 1.0];
        let clip = [0, 1, 2, 3].map(|row| (0..4).map(|at| m[at * 4 + row] * p[at]).sum::<f64>());
        let ([x, y], _) = view.to_page(place).unwrap();
        assert!(((clip[0] / clip[3] * 0.5 + 0.5) * SIZE[0] - x).abs() < 1e-2);
        assert!(((0.5 - clip[1] / clip[3] * 0.5) * SIZE[1] - y).abs() < 1e-2);
        assert!((-1.0..1.0).contains(&(clip[2] / clip[3])));
    }

    #[test]
    fn cameras_have_their_body_in_the_picture() {
        let ground = FlatGround::default();
        for mode in [CameraMode::Chase, CameraMode::Top] {
            let mut camera = HillsCamera { mode, ..HillsCamera::default() };
            let view = camera.view(&standing(), &ground, SIZE, 0.016);
            let ([x, y], _) = view.to_page(standing().position).unwrap();
            assert!((x - 400.0).abs() < 1.0 && (150.0..450.0).contains(&y), "{mode:?} {x} {y}");
            assert!(view.eye.z > 1.0);
        }
    }

    #[test]
    fn a_free_camera_begins_where_the_picture_was() {
        let mut camera = HillsCamera::default();
        let view = camera.view(&standing(), &FlatGround::default(), SIZE, 0.016);
        camera.change(CameraMode::Free, &view);
        let free = camera.view(&standing(), &FlatGround::default(), SIZE, 0.016);
        assert!(free.eye.distance(view.eye) < 1e-9 && free.ahead.distance(view.ahead) < 1e-9);
        camera.fly(1.0, 0.0, 0.5);
        assert!((camera.eye.distance(view.eye) - 30.0).abs() < 1e-9);
    }

    #[test]
    fn a_calm_camera_does_not_lag() {
        let mut camera = HillsCamera { is_calm: true, ..HillsCamera::default() };
        let ground = FlatGround::default();
        camera.view(&standing(), &ground, SIZE, 0.016);
        let mut turned = standing();
        turned.orientation = reckoning::math::rotation(DVec3::Z);
        let view = camera.view(&turned, &ground, SIZE, 0.016);
        assert!((atan2(view.ahead.y, view.ahead.x) - 1.0).abs() < 1e-9);
    }
}
