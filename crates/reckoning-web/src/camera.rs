//! The camera: the part of the level on the screen.

use reckoning::DVec3;

/// A time constant that is smooth without feeling late.
const FOLLOW_S: f64 = 0.12;

/// A window onto the level: `zoom` pixels of the page for each of the level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The place in the middle.
    pub centre: DVec3,
    /// Pixels of the page per pixel of the level.
    pub zoom: f64,
    /// Width and height on the page.
    pub size: [f64; 2],
}

impl Camera {
    /// Shows the whole level.
    #[must_use]
    pub fn whole(level: DVec3, size: [f64; 2]) -> Self {
        let zoom = (size[0] / level.x).min(size[1] / level.y) * 0.96;
        Self { centre: level * 0.5, zoom, size }
    }

    /// Shows at least `view` around a place, or the whole level where that is smaller.
    #[must_use]
    pub fn around(centre: DVec3, view: [f64; 2], level: DVec3, size: [f64; 2]) -> Self {
        let whole = Self::whole(level, size);
        let zoom = (size[0] / view[0]).min(size[1] / view[1]);
        if zoom <= whole.zoom {
            return whole;
        }
        Self { centre, zoom, size }.kept_inside(level)
    }

    /// The same with no more outside of the level than needed; a level smaller than the window
    /// stays in the middle.
    fn kept_inside(mut self, level: DVec3) -> Self {
        let half = DVec3::new(self.size[0], self.size[1], 0.0) * (0.5 / self.zoom);
        // A little of the outside shows where the level ends.
        let rim = half * 0.12;
        let keep = |at: f64, half: f64, rim: f64, whole: f64| {
            let (low, high) = (half - rim, whole - half + rim);
            if low > high { whole * 0.5 } else { at.clamp(low, high) }
        };
        self.centre.x = keep(self.centre.x, half.x, rim.x, level.x);
        self.centre.y = keep(self.centre.y, half.y, rim.y, level.y);
        self
    }

    /// A window of the same zoom to draw once and copy from: onto the whole level and its rim where
    /// that is no more than `most` pixels of the page, otherwise onto `margin` more than this one.
    #[must_use]
    pub fn backdrop(&self, level: DVec3, margin: f64, most: f64) -> Self {
        let whole = [0, 1].map(|axis| (level[axis] * self.zoom + 0.13 * self.size[axis]).ceil());
        let whole = [whole[0].max(self.size[0]), whole[1].max(self.size[1])];
        if whole[0] * whole[1] <= most {
            return Self { centre: level * 0.5, zoom: self.zoom, size: whole };
        }
        Self { size: self.size.map(|it| (it * (1.0 + 2.0 * margin)).ceil()), ..*self }
    }

    /// Comes nearer to `goal`, softly; at once when it is a screen away.
    pub fn follow(&mut self, goal: &Self, dt_s: f64) {
        let far = self.size[0].max(self.size[1]) / self.zoom.max(1e-6);
        if self.zoom != goal.zoom || self.centre.distance(goal.centre) > far {
            *self = *goal;
            return;
        }
        let part = 1.0 - libm::exp(-dt_s / FOLLOW_S);
        self.centre += (goal.centre - self.centre) * part;
        self.size = goal.size;
    }

    /// A place of the level on the page.
    #[must_use]
    pub fn to_page(&self, place: DVec3) -> [f64; 2] {
        let off = (place - self.centre) * self.zoom;
        [0.5 * self.size[0] + off.x, 0.5 * self.size[1] + off.y]
    }

    /// A place of the page in the level.
    #[must_use]
    pub fn to_level(&self, x: f64, y: f64) -> DVec3 {
        let off = DVec3::new(x - 0.5 * self.size[0], y - 0.5 * self.size[1], 0.0);
        self.centre + off / self.zoom
    }

    /// Whether something within `reach_px` of a place shows.
    #[must_use]
    pub fn shows(&self, place: DVec3, reach_px: f64) -> bool {
        let [x, y] = self.to_page(place);
        let reach = reach_px * self.zoom;
        (-reach..=self.size[0] + reach).contains(&x) && (-reach..=self.size[1] + reach).contains(&y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backdrop_of_the_whole_level_holds_whatever_the_camera_may_see() {
        let level = DVec3::new(5_120.0, 3_840.0, 0.0);
        for corner in [DVec3::ZERO, level, DVec3::X * level.x, level * 0.4] {
            let camera = Camera::around(corner, [1_280.0, 960.0], level, [1_054.0, 750.0]);
            let drawn = camera.backdrop(level, 0.25, 16e6);
            assert_eq!(drawn.zoom, camera.zoom);
            for (x, y) in [(0.0, 0.0), (camera.size[0], camera.size[1])] {
                let [x, y] = drawn.to_page(camera.to_level(x, y));
                assert!((0.0..=drawn.size[0]).contains(&x), "{x}");
                assert!((0.0..=drawn.size[1]).contains(&y), "{y}");
            }
            let less = camera.backdrop(level, 0.25, 4e6);
            assert_eq!((less.centre, less.size), (camera.centre, [1_581.0, 1_125.0]));
        }
    }

    const LEVEL: DVec3 = DVec3::new(5_120.0, 3_840.0, 0.0);
    const SIZE: [f64; 2] = [1_000.0, 800.0];

    #[test]
    fn a_place_survives_the_way_to_the_page_and_back() {
        let camera = Camera::around(LEVEL * 0.4, [1_280.0, 960.0], LEVEL, SIZE);
        let place = DVec3::new(1_900.0, 1_700.0, 0.0);
        let [x, y] = camera.to_page(place);
        assert!(camera.to_level(x, y).distance(place) < 1e-9);
    }

    #[test]
    fn everyone_sees_at_least_what_the_level_says() {
        let camera = Camera::around(LEVEL * 0.5, [1_280.0, 960.0], LEVEL, SIZE);
        assert!(SIZE[0] / camera.zoom >= 1_280.0 && SIZE[1] / camera.zoom >= 960.0);
    }

    #[test]
    fn a_small_level_is_shown_whole_and_in_the_middle() {
        let level = DVec3::new(400.0, 400.0, 0.0);
        let camera = Camera::around(DVec3::ZERO, [800.0, 800.0], level, SIZE);
        assert_eq!(camera.centre, level * 0.5);
        let [x, y] = camera.to_page(DVec3::ZERO);
        assert!(x >= 0.0 && y >= 0.0);
    }

    #[test]
    fn the_window_stops_near_the_end_of_the_level() {
        let camera = Camera::around(DVec3::ZERO, [1_280.0, 960.0], LEVEL, SIZE);
        let corner = camera.to_level(0.0, 0.0);
        assert!(corner.x < 0.0 && corner.x > -200.0, "{corner}");
    }

    #[test]
    fn it_follows_softly_and_leaps_when_far() {
        let mut camera = Camera::around(LEVEL * 0.5, [1_280.0, 960.0], LEVEL, SIZE);
        let near = Camera { centre: camera.centre + DVec3::X * 50.0, ..camera };
        let before = camera.centre;
        camera.follow(&near, 1.0 / 60.0);
        assert!(camera.centre.x > before.x && camera.centre.x < near.centre.x);
        let far = Camera { centre: DVec3::ZERO, ..camera };
        camera.follow(&far, 1.0 / 60.0);
        assert_eq!(camera.centre, DVec3::ZERO);
    }
}
