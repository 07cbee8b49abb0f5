//! The walls of a level, seen from above.
//!
//! A wall is the outline of something that stands upright: a line that stops bodies from
//! both sides, or a closed box or polygon that nobody may enter. A body that got inside one
//! by mistake may leave. Each wall has a bottom and a top; floors and roofs are not known
//! here, see [`Terrain`].
//!
//! ```text
//!   from o------x----+
//!               |    |    x  first hit, with the wall's normal facing the path
//!               +----+
//! ```

use alloc::vec::Vec;

use glam::{DVec2, DVec3};

use super::cells::Cells;
use reckoning::Terrain;
use reckoning::error::TerrainError;
use reckoning::math::{cos, sin, sqrt};
use reckoning::terrain::Contact;

/// Hits this little beyond the end of a line count, so that no path slips through a corner.
const CORNER: f64 = 1e-9;

/// The shape of a wall from above; `z` is not looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outline<'a> {
    /// A thin wall from one point to the other; it stops paths from both sides.
    Line(DVec3, DVec3),
    /// A box that may be turned about its centre.
    Box {
        /// Its middle.
        center: DVec3,
        /// Half its extent along its own x.
        half_x_m: f64,
        /// Half its extent along its own y.
        half_y_m: f64,
        /// How far it is turned, anticlockwise.
        yaw_rad: f64,
    },
    /// A closed polygon without crossings, in either sense of rotation.
    Polygon(&'a [DVec3]),
}

/// One wall: an outline and how high it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall<'a> {
    /// Its shape from above.
    pub outline: Outline<'a>,
    /// Where it begins.
    pub bottom_m: f64,
    /// Where it ends.
    pub top_m: f64,
}

impl<'a> From<Outline<'a>> for Wall<'a> {
    /// A wall of any height.
    fn from(outline: Outline<'a>) -> Self {
        Self { outline, bottom_m: f64::NEG_INFINITY, top_m: f64::INFINITY }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct WallLine {
    a: DVec2,
    way: DVec2,
    /// Unit; outwards if the line belongs to a solid.
    normal: DVec2,
    solid: bool,
    bottom_m: f64,
    top_m: f64,
}

/// The lines of one box or polygon.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Solid {
    first: u32,
    count: u32,
}

/// All walls of a level, in a grid, so that asking about a few metres costs the same in a
/// small level and in a large one.
///
/// ```
/// use reckoning::DVec3;
/// use reckoning_predict::{Outline, Wall, Walls};
///
/// let door = Outline::Line(DVec3::new(5.0, -1.0, 0.0), DVec3::new(5.0, 1.0, 0.0));
/// let walls = Walls::new([Wall::from(door)])?;
/// let hit = walls.first_hit(DVec3::ZERO, DVec3::X * 9.0).expect("the door is shut");
/// assert_eq!(hit.point, DVec3::X * 5.0);
/// # Ok::<(), reckoning::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Walls {
    lines: Vec<WallLine>,
    solids: Vec<Solid>,
    line_cells: Cells,
    solid_cells: Cells,
}

impl Walls {
    /// Takes in the walls of a level. None is a level too.
    ///
    /// # Errors
    /// Names the first wall with corners that are not finite or enclose nothing, or whose
    /// top is not above its bottom.
    pub fn new<'a>(walls: impl IntoIterator<Item = Wall<'a>>) -> Result<Self, TerrainError> {
        let (mut lines, mut solids) = (Vec::new(), Vec::new());
        for (index, wall) in walls.into_iter().enumerate() {
            add(&wall, &mut lines, &mut solids).ok_or(TerrainError::WallShape { index })?;
        }
        let (low, high) = bounds(&lines);
        let mut line_cells = Cells::over(low, high, lines.len());
        let mut solid_cells = line_cells.clone();
        line_cells.list((0..).zip(&lines).map(|(n, line)| (n, line.a, line.a + line.way)));
        solid_cells.list((0..).zip(&solids).flat_map(|(n, solid)| {
            // A bundle of level lines, one per row of cells, covers the solid's inside.
            let (low, high) = bounds(solid.of(&lines));
            let side_m = line_cells.side_m;
            let rows = ((high.y - low.y) / side_m) as usize + 1;
            (0..=rows).map(move |row| {
                let y = (low.y + row as f64 * side_m).min(high.y);
                (n, DVec2::new(low.x, y), DVec2::new(high.x, y))
            })
        }));
        Ok(Self { lines, solids, line_cells, solid_cells })
    }

    /// The corners of the smallest upright rectangle around all walls.
    #[must_use]
    pub fn bounds(&self) -> (DVec3, DVec3) {
        let (low, high) = bounds(&self.lines);
        (low.extend(0.0), high.extend(0.0))
    }

    /// Where the straight path from `from` to `to` first meets a wall.
    ///
    /// Ending on a wall counts as meeting it, starting on one and leaving does not. The
    /// normal is level and faces the path.
    #[must_use]
    pub fn first_hit(&self, from: DVec3, to: DVec3) -> Option<Contact> {
        let (t, number) = self.first_met(from, to)?;
        let normal = self.lines[number as usize].normal;
        let facing = if normal.dot((to - from).truncate()) > 0.0 { -normal } else { normal };
        Some(Contact { point: from + (to - from) * t, normal: facing.extend(0.0) })
    }

    /// The share of the path that is free; one if it meets no wall.
    pub(crate) fn free_share(&self, from: DVec3, to: DVec3) -> f64 {
        let (start, end) = (from.truncate(), to.truncate());
        let (way, rise) = (end - start, to.z - from.z);
        let mut free = f64::INFINITY;
        self.line_cells.along(start, end, |cell, exit| {
            for &number in self.line_cells.things(cell) {
                let line = &self.lines[number as usize];
                let Some(t) = line.met(start, way) else { continue };
                let height = from.z + rise * t;
                if t < free && height >= line.bottom_m && height <= line.top_m {
                    free = t;
                }
            }
            free <= exit
        });
        free.min(1.0)
    }

    /// The share of the path before the first wall, and the number of its line.
    fn first_met(&self, from: DVec3, to: DVec3) -> Option<(f64, u32)> {
        let (start, end) = (from.truncate(), to.truncate());
        if self.line_cells.nothing_along(start, end) {
            return None;
        }
        let way = end - start;
        let mut best: Option<(f64, u32)> = None;
        self.line_cells.along(start, end, |cell, exit| {
            for &number in self.line_cells.things(cell) {
                let line = &self.lines[number as usize];
                let Some(t) = line.met(start, way) else { continue };
                let height = from.z + (to.z - from.z) * t;
                let stands = height >= line.bottom_m && height <= line.top_m;
                if stands && best.is_none_or(|found| (t, number) < found) {
                    best = Some((t, number));
                }
            }
            best.is_some_and(|(t, _)| t <= exit)
        });
        best
    }

    /// Whether the straight path from `from` to `to` meets no wall.
    #[must_use]
    pub fn sees(&self, from: DVec3, to: DVec3) -> bool {
        self.first_hit(from, to).is_none()
    }

    /// How far one can go from `from` in `direction` (its length does not matter) before a
    /// wall; `reach_m` if there is none nearer.
    #[must_use]
    pub fn free_m(&self, from: DVec3, direction: DVec3, reach_m: f64) -> f64 {
        let to = from + direction.normalize_or_zero() * reach_m;
        self.first_hit(from, to).map_or(reach_m, |hit| hit.point.distance(from))
    }

    /// Free distances all round, one per place in `out`, evenly spread and anticlockwise
    /// from `heading_rad`: how a body feels its surroundings.
    pub fn feel(&self, from: DVec3, heading_rad: f64, reach_m: f64, out: &mut [f64]) {
        let step_rad = core::f64::consts::TAU / out.len().max(1) as f64;
        for (ray, free_m) in out.iter_mut().enumerate() {
            let angle = heading_rad + step_rad * ray as f64;
            *free_m = self.free_m(from, DVec3::new(cos(angle), sin(angle), 0.0), reach_m);
        }
    }

    /// Whether a box or polygon contains the place.
    #[must_use]
    pub fn inside(&self, point: DVec3) -> bool {
        let Some(cell) = self.solid_cells.cell_of(point.truncate()) else { return false };
        self.solid_cells.things(cell).iter().any(|&number| {
            let lines = self.solids[number as usize].of(&self.lines);
            let stands = point.z >= lines[0].bottom_m && point.z <= lines[0].top_m;
            stands
                && lines.iter().filter(|line| line.is_right_of(point.truncate())).count() % 2 == 1
        })
    }

    /// How far the nearest wall is, in the plane; zero inside one. `None` if there is none
    /// within `reach_m`.
    #[must_use]
    pub fn distance(&self, point: DVec3, reach_m: f64) -> Option<f64> {
        if self.inside(point) {
            return Some(0.0);
        }
        let at = point.truncate();
        let mut best = reach_m;
        let cells = &self.line_cells;
        let last = DVec2::new(cells.columns as f64, cells.rows as f64) - 1.0;
        let low = cells.in_cells(at - reach_m).clamp(DVec2::ZERO, last);
        let high = cells.in_cells(at + reach_m).clamp(DVec2::ZERO, last);
        let mut found = false;
        for row in low.y as usize..=high.y as usize {
            for column in low.x as usize..=high.x as usize {
                for &number in cells.things(row * cells.columns + column) {
                    let line = &self.lines[number as usize];
                    let stands = point.z >= line.bottom_m && point.z <= line.top_m;
                    let far = line.distance(at);
                    if stands && far <= best {
                        (best, found) = (far, true);
                    }
                }
            }
        }
        found.then_some(best)
    }
}

/// Walls stop a path; there is no ground in them.
impl Terrain for Walls {
    fn ground_below(&self, _point: DVec3) -> Option<Contact> {
        None
    }

    fn first_hit(&self, from: DVec3, to: DVec3) -> Option<Contact> {
        Self::first_hit(self, from, to)
    }
}

/// Turns a wall into lines. `None` if it is not one.
fn add(wall: &Wall<'_>, lines: &mut Vec<WallLine>, solids: &mut Vec<Solid>) -> Option<()> {
    // Written so that NaN fails.
    let stands = wall.top_m > wall.bottom_m;
    let first = lines.len() as u32;
    let mut link = |a: DVec2, b: DVec2, solid: bool| {
        let way = b - a;
        let length = sqrt(way.length_squared());
        let usable = stands && a.is_finite() && b.is_finite() && length > 0.0 && length.is_finite();
        let normal = DVec2::new(way.y, -way.x) / length;
        let line = WallLine { a, way, normal, solid, bottom_m: wall.bottom_m, top_m: wall.top_m };
        usable.then(|| lines.push(line))
    };
    let turned;
    let corners = match wall.outline {
        Outline::Line(a, b) => return link(a.truncate(), b.truncate(), false),
        Outline::Box { center, half_x_m, half_y_m, yaw_rad } => {
            let x = DVec3::new(cos(yaw_rad), sin(yaw_rad), 0.0) * half_x_m;
            let y = DVec3::new(-sin(yaw_rad), cos(yaw_rad), 0.0) * half_y_m;
            turned = [center - x - y, center + x - y, center + x + y, center - x + y];
            &turned
        }
        Outline::Polygon(corners) => corners,
    };
    let area = twice_area(corners);
    if corners.len() < 3 || area == 0.0 || !area.is_finite() {
        return None;
    }
    for (corner, &a) in corners.iter().enumerate() {
        let b = corners[(corner + 1) % corners.len()];
        // Anticlockwise outlines have their inside on the left of each line.
        let (a, b) = if area > 0.0 { (a, b) } else { (b, a) };
        link(a.truncate(), b.truncate(), true)?;
    }
    solids.push(Solid { first, count: corners.len() as u32 });
    Some(())
}

/// Twice the area of a polygon, positive if its corners go round anticlockwise.
fn twice_area(corners: &[DVec3]) -> f64 {
    let Some(&origin) = corners.first() else { return 0.0 };
    let spoke = |corner: usize| (corners[corner % corners.len()] - origin).truncate();
    (0..corners.len()).map(|corner| spoke(corner).perp_dot(spoke(corner + 1))).sum()
}

fn bounds(lines: &[WallLine]) -> (DVec2, DVec2) {
    let Some(first) = lines.first() else { return (DVec2::ZERO, DVec2::ZERO) };
    lines.iter().fold((first.a, first.a), |(low, high), line| {
        let b = line.a + line.way;
        (low.min(line.a).min(b), high.max(line.a).max(b))
    })
}

impl Solid {
    fn of(self, lines: &[WallLine]) -> &[WallLine] {
        &lines[self.first as usize..(self.first + self.count) as usize]
    }
}

impl WallLine {
    /// The fraction of `way` after which a path from `start` meets the line.
    fn met(&self, start: DVec2, way: DVec2) -> Option<f64> {
        let crossing = way.perp_dot(self.way);
        let leaves = self.solid && way.dot(self.normal) >= 0.0;
        if crossing == 0.0 || leaves {
            return None;
        }
        let gap = self.a - start;
        let t = gap.perp_dot(self.way) / crossing;
        let along = gap.perp_dot(way) / crossing;
        let reached = t <= 1.0 && (t > 0.0 || (t == 0.0 && self.solid));
        (reached && (-CORNER..=1.0 + CORNER).contains(&along)).then_some(t)
    }

    fn distance(&self, at: DVec2) -> f64 {
        let gap = at - self.a;
        let share = (gap.dot(self.way) / self.way.length_squared()).clamp(0.0, 1.0);
        (gap - self.way * share).length()
    }

    /// Whether a ray from `at` along x crosses the line.
    fn is_right_of(&self, at: DVec2) -> bool {
        let (a, b) = (self.a, self.a + self.way);
        (a.y > at.y) != (b.y > at.y) && at.x < a.x + self.way.x * ((at.y - a.y) / self.way.y)
    }
}

/// A step towards a wall leaves this share of the way to it.
const GAP: f64 = 0.01;
/// A body this near to a wall, as a share of its step, goes no nearer, so that rounding can
/// never put it on the other side.
const NEAR: f64 = 1e-4;

/// Where a step from `from` to `to` ends when walls are in the way: short of the first one,
/// then along it.
pub(crate) fn keep_out(walls: &Walls, from: DVec3, to: DVec3) -> DVec3 {
    let Some(hit) = walls.first_hit(from, to) else { return to };
    let short = stop_short(from, to - from, &hit);
    let rest = to - hit.point;
    let along = rest - hit.normal * rest.dot(hit.normal);
    let slid = short + along;
    match walls.first_hit(short, slid) {
        None => slid,
        Some(second) => stop_short(short, along, &second),
    }
}

fn stop_short(from: DVec3, step: DVec3, hit: &Contact) -> DVec3 {
    let free = hit.point - from;
    let gap_m = free.dot(hit.normal).abs();
    if gap_m < step.length() * NEAR { from } else { from + free * (1.0 - GAP) }
}

#[cfg(test)]
mod tests;
