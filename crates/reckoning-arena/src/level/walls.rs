//! Collision geometry of a level: room for bodies, obstacles for shots, lines of sight.
//!
//! Every wall, whatever its shape in the file, becomes straight edges. They are listed in a
//! coarse grid, so that a question looks at the few edges nearby. Solid shapes also remember
//! their outline, because a place inside a thick wall may be far from its edges.
//!
//! The game relies on this: from a place where a body fits, [`Walls::slide`] leads to a
//! place where it fits, without passing through a wall.

use reckoning::DVec3;

/// Side of a square of the lookup grid. Of no consequence for any answer, only for speed:
/// a few body radii.
const BUCKET_PX: f64 = 64.0;
/// A body may touch a wall; rounding must not count as being inside it.
const TOUCH_PX: f64 = 1e-6;

/// One straight edge of a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// One end.
    pub a: DVec3,
    /// The other end.
    pub b: DVec3,
}

impl Edge {
    /// The place on the edge nearest to `p`.
    #[must_use]
    pub fn nearest(&self, p: DVec3) -> DVec3 {
        let along = self.b - self.a;
        let t = (p - self.a).dot(along) / along.length_squared();
        self.a + along * t.clamp(0.0, 1.0)
    }

    /// How far along `from..to`, from 0 to 1, the edge is met.
    #[must_use]
    pub fn meets(&self, from: DVec3, to: DVec3) -> Option<f64> {
        let (way, along, gap) = (to - from, self.b - self.a, self.a - from);
        let turn = cross(way, along);
        if turn == 0.0 {
            return None; // parallel: a shot that grazes an edge passes it
        }
        let t = cross(gap, along) / turn;
        let u = cross(gap, way) / turn;
        ((0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&u)).then_some(t)
    }

    /// The square of the smallest distance to the way `from..to`.
    fn distance_squared_to_way(&self, from: DVec3, to: DVec3) -> f64 {
        if self.meets(from, to).is_some() {
            return 0.0;
        }
        let way = Self { a: from, b: to };
        let ends = [
            self.nearest(from).distance_squared(from),
            self.nearest(to).distance_squared(to),
            way.nearest(self.a).distance_squared(self.a),
            way.nearest(self.b).distance_squared(self.b),
        ];
        ends.into_iter().fold(f64::INFINITY, f64::min)
    }
}

/// The z of the cross product: positive when `b` is to the left of `a`.
fn cross(a: DVec3, b: DVec3) -> f64 {
    a.x * b.y - a.y * b.x
}

/// All walls of a level.
#[derive(Clone, Debug)]
pub struct Walls {
    edges: Vec<Edge>,
    solids: Vec<Vec<DVec3>>,
    columns: usize,
    rows: usize,
    /// Per square of the grid, the edges that touch it.
    buckets: Vec<Vec<u32>>,
}

impl Walls {
    /// The walls of a level of `size_px`, with a wall all around it.
    pub(crate) fn new(size_px: DVec3, mut edges: Vec<Edge>, solids: Vec<Vec<DVec3>>) -> Self {
        edges.extend(outline(&rectangle(DVec3::ZERO, size_px)));
        for solid in &solids {
            edges.extend(outline(solid));
        }
        let columns = libm::ceil(size_px.x / BUCKET_PX) as usize + 1;
        let rows = libm::ceil(size_px.y / BUCKET_PX) as usize + 1;
        let buckets = vec![Vec::new(); columns * rows];
        let mut walls = Self { edges, solids, columns, rows, buckets };
        for number in 0..walls.edges.len() {
            walls.list(number);
        }
        walls
    }

    /// Enters an edge into every square its bounding box touches.
    fn list(&mut self, number: usize) {
        let Edge { a, b } = self.edges[number];
        let (low, high) = (self.square(a.min(b)), self.square(a.max(b)));
        for row in low.1..=high.1 {
            for column in low.0..=high.0 {
                self.buckets[row * self.columns + column].push(number as u32);
            }
        }
    }

    /// The square of the grid `p` is in; the nearest one for places outside.
    fn square(&self, p: DVec3) -> (usize, usize) {
        let column = (p.x / BUCKET_PX).max(0.0) as usize;
        let row = (p.y / BUCKET_PX).max(0.0) as usize;
        (column.min(self.columns - 1), row.min(self.rows - 1))
    }

    /// The edges near the box from `low` to `high`; some may come twice.
    fn near(&self, low: DVec3, high: DVec3) -> impl Iterator<Item = &Edge> {
        let (low, high) = (self.square(low), self.square(high));
        (low.1..=high.1)
            .flat_map(move |row| (low.0..=high.0).map(move |column| row * self.columns + column))
            .flat_map(|bucket| &self.buckets[bucket])
            .map(|number| &self.edges[*number as usize])
    }

    /// All edges, for drawing.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The outlines of the solid walls, for drawing.
    #[must_use]
    pub fn solids(&self) -> &[Vec<DVec3>] {
        &self.solids
    }

    /// How far `p` is from the nearest wall; 0 inside one.
    #[must_use]
    pub fn room_at(&self, p: DVec3) -> f64 {
        if self.solids.iter().any(|solid| is_inside(solid, p)) {
            return 0.0;
        }
        let squared = self.edges.iter().map(|edge| edge.nearest(p).distance_squared(p));
        squared.fold(f64::INFINITY, f64::min).sqrt()
    }

    /// Whether nothing solid lies between two places.
    #[must_use]
    pub fn sees(&self, from: DVec3, to: DVec3) -> bool {
        self.first_hit(from, to).is_none()
    }

    /// How far along `from..to`, from 0 to 1, a shot meets the first wall.
    #[must_use]
    pub fn first_hit(&self, from: DVec3, to: DVec3) -> Option<f64> {
        // Long ways are cut into pieces, so that each looks at few squares.
        let pieces = libm::ceil(from.distance(to) / (2.0 * BUCKET_PX)).max(1.0) as u32;
        (0..pieces).find_map(|piece| {
            let a = from.lerp(to, f64::from(piece) / f64::from(pieces));
            let b = from.lerp(to, f64::from(piece + 1) / f64::from(pieces));
            let first = self
                .near(a.min(b), a.max(b))
                .filter_map(|edge| edge.meets(a, b))
                .fold(f64::INFINITY, f64::min);
            (first <= 1.0).then(|| (f64::from(piece) + first) / f64::from(pieces))
        })
    }

    /// Whether a body of `radius_px` can go straight from one place to another.
    #[must_use]
    pub fn is_clear(&self, from: DVec3, to: DVec3, radius_px: f64) -> bool {
        let reach = DVec3::new(radius_px, radius_px, 0.0);
        let (low, high) = (from.min(to) - reach, from.max(to) + reach);
        self.near(low, high).all(|edge| {
            let (a, b) = (edge.a.min(edge.b), edge.a.max(edge.b));
            let apart = a.x > high.x || b.x < low.x || a.y > high.y || b.y < low.y;
            apart || edge.distance_squared_to_way(from, to) >= radius_px * radius_px
        })
    }

    /// Moves a body from a place where it fits towards `to`, sliding along what it meets.
    ///
    /// The answer is a place where it fits, reached without passing through a wall; at worst
    /// it stays. The second value points away from the last wall touched, zero without one.
    /// The way must be shorter than the radius.
    #[must_use]
    pub fn slide(&self, from: DVec3, to: DVec3, radius_px: f64) -> (DVec3, DVec3) {
        let (mut at, mut away) = (to, DVec3::ZERO);
        // Two pushes settle a corner; acute ones need a few more.
        for _ in 0..6 {
            let Some((nearest, distance)) = self.deepest(at, radius_px) else {
                return (at, away);
            };
            if distance < TOUCH_PX {
                return (from, away);
            }
            away = (at - nearest) / distance;
            at = nearest + away * (radius_px + 0.5 * TOUCH_PX);
        }
        (from, away)
    }

    /// The nearest place of a wall that reaches into a body at `at`, and its distance.
    fn deepest(&self, at: DVec3, radius_px: f64) -> Option<(DVec3, f64)> {
        let reach = DVec3::new(radius_px, radius_px, 0.0);
        let mut found = None;
        let mut least = radius_px * radius_px;
        for edge in self.near(at - reach, at + reach) {
            let nearest = edge.nearest(at);
            let squared = nearest.distance_squared(at);
            if squared < least {
                least = squared;
                found = Some(nearest);
            }
        }
        found.map(|nearest| (nearest, least.sqrt()))
    }
}

/// The corners of a box, in order.
pub(crate) fn rectangle(low: DVec3, size: DVec3) -> Vec<DVec3> {
    [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
        .map(|(x, y)| low + DVec3::new(x * size.x, y * size.y, 0.0))
        .to_vec()
}

fn outline(corners: &[DVec3]) -> impl Iterator<Item = Edge> {
    (0..corners.len())
        .map(|place| Edge { a: corners[place], b: corners[(place + 1) % corners.len()] })
}

/// Whether `p` lies inside the outline: a ray from it crosses the outline an odd number of
/// times.
fn is_inside(corners: &[DVec3], p: DVec3) -> bool {
    let crossings = outline(corners).filter(|Edge { a, b }| {
        (a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x)
    });
    crossings.count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::at;

    fn one_block() -> Walls {
        Walls::new(at(400.0, 300.0), vec![], vec![rectangle(at(100.0, 100.0), at(200.0, 50.0))])
    }

    #[test]
    fn a_body_slides_along_a_wall() {
        let walls = one_block();
        let (reached, away) = walls.slide(at(150.0, 88.0), at(156.0, 94.0), 10.0);
        assert!((reached - at(156.0, 90.0)).length() < 1e-5, "{reached}");
        assert_eq!(away, at(0.0, -1.0));
    }

    #[test]
    fn a_body_in_a_corner_stays_where_it_fits() {
        let walls = one_block();
        let (reached, _) = walls.slide(at(12.0, 12.0), at(5.0, 4.0), 10.0);
        assert!(walls.room_at(reached) >= 10.0, "{reached}");
    }

    #[test]
    fn no_step_leads_through_thin_walls() {
        let mut random = reckoning::random::SplitMix64::new(1);
        for case in 0..3_000 {
            let mut near = |reach: f64| {
                at(200.0 + random.between(-reach, reach), 150.0 + random.between(-reach, reach))
            };
            let edges = (0..5).map(|_| Edge { a: near(40.0), b: near(40.0) }).collect();
            let walls = Walls::new(at(400.0, 300.0), edges, vec![]);
            for _ in 0..20 {
                let from = near(50.0);
                let step = (near(10.0) - at(200.0, 150.0)).normalize_or(DVec3::X) * 9.9;
                if walls.room_at(from) >= 10.0 {
                    let (reached, _) = walls.slide(from, from + step, 10.0);
                    assert!(walls.room_at(reached) >= 10.0 - TOUCH_PX, "case {case}: {reached}");
                    assert!(walls.sees(from, reached), "case {case}: {from} to {reached}");
                }
            }
        }
    }

    #[test]
    fn walls_stop_shots_and_sight() {
        let walls = one_block();
        assert_eq!(walls.first_hit(at(150.0, 50.0), at(150.0, 250.0)), Some(0.25));
        assert!(!walls.sees(at(10.0, 125.0), at(390.0, 125.0)));
        assert!(walls.sees(at(10.0, 50.0), at(390.0, 50.0)));
    }

    #[test]
    fn there_is_no_room_inside_a_wall() {
        let walls = one_block();
        assert_eq!(walls.room_at(at(200.0, 125.0)), 0.0);
        assert_eq!(walls.room_at(at(200.0, 80.0)), 20.0);
        assert_eq!(walls.room_at(at(5.0, 200.0)), 5.0);
    }

    #[test]
    fn a_way_is_clear_when_the_whole_body_passes() {
        let walls = one_block();
        assert!(walls.is_clear(at(20.0, 80.0), at(380.0, 80.0), 20.0));
        assert!(!walls.is_clear(at(20.0, 80.0), at(380.0, 80.0), 20.1));
        assert!(!walls.is_clear(at(200.0, 80.0), at(200.0, 200.0), 1.0));
    }
}
