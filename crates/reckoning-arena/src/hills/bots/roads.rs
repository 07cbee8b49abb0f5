//! Where one can drive: a coarse grid over the ground, joined with bridges and tunnels.
//!
//! A place of the grid is joined to a neighbour when the way between is dry, not too steep and clear
//! of obstacles for the widest vehicle. Bridges and tunnels are chains of places of their own, because
//! they lie over or under places of the grid; their ends are joined to the grid.
//!
//! ```text
//!   o--o--o--o                      o--o--o--o
//!   |  |  |  o--=--=--=--=--=--=--o    |  |  |
//!   o--o--o--o      bridge          o--o--o--o
//! ```

use reckoning::math::sqrt;
use reckoning::{DVec3, Terrain};

use super::super::craft::Craft;
use super::super::drive::BORDER_M;
use super::super::file::Place;
use super::super::level::HillsLevel;
use super::rails::Rails;

/// Between two places of the grid.
const CELL_M: f64 = 10.0;
/// The ground is looked at this often on the way between two places.
const PROBE_M: f64 = 2.5;
/// Ground that rises by more than this for each metre is not planned over; rules allow more.
const RISE: f64 = 0.42;
/// How far over the lake the ground must be.
const DRY_M: f64 = 0.4;
/// What is left free between a vehicle and an obstacle.
const MARGIN_M: f64 = 1.2;
/// Chains of bridges and tunnels begin and end this far outside of them.
const APPROACH_M: f64 = 20.0;
/// The ends of a chain are joined to places of the grid that are no further.
const JOIN_M: f64 = 17.0;
/// Uphill a way counts as longer by this for each metre of height.
const UPHILL: f64 = 3.0;
/// Along rails, and close to obstacles and steep ground, a way counts as this many times as long.
const UNPLEASANT: f64 = 1.8;

/// A way from one place to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) to: u32,
    /// What it costs, in decimetres of level ground.
    pub(super) cost_dm: u32,
}

/// A bridge or a tunnel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    /// Its ends, a little outside.
    pub(super) ends: [DVec3; 2],
    /// Its middle.
    pub(super) middle: DVec3,
    /// Whether the train takes it.
    pub(super) has_rails: bool,
}

impl Crossing {
    pub(super) fn long_m(&self) -> f64 {
        self.ends[0].distance(self.ends[1])
    }

    /// How far a place is from it, seen from above.
    pub(super) fn away_m(&self, at: DVec3) -> f64 {
        distance_m(at, self.ends[0], self.ends[1])
    }
}

/// All places and links of a level.
#[derive(Clone, Debug)]
pub(super) struct Roads {
    side: usize,
    places: Vec<DVec3>,
    /// Of each place, where its links begin; they end where those of the next begin.
    first: Vec<u32>,
    links: Vec<Link>,
    /// Of each place of the grid, whether there is nothing around to be careful of.
    roomy: Vec<bool>,
    crossings: Vec<Crossing>,
    /// The places of the grid that hang together with the spawn points.
    reached: Vec<u32>,
}

impl Roads {
    pub(super) fn new(level: &HillsLevel, rails: &Rails) -> Self {
        let mut draft = Draft::grid(level);
        draft.join_grid(level);
        draft.keep_off_obstacles(level);
        let crossings = draft.cross(level, rails);
        draft.weigh_rails(rails);
        draft.finish(level, crossings)
    }

    pub(super) const fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn place(&self, number: usize) -> DVec3 {
        self.places[number]
    }

    pub(super) fn links(&self, number: usize) -> &[Link] {
        &self.links[self.first[number] as usize..self.first[number + 1] as usize]
    }

    pub(super) fn crossings(&self) -> &[Crossing] {
        &self.crossings
    }

    /// Places of the grid that can be driven to.
    pub(super) fn reached(&self) -> &[u32] {
        &self.reached
    }

    /// The joined place that is nearest, height included; `None` far from all.
    pub(super) fn near(&self, point: DVec3) -> Option<usize> {
        let (column, row) = self.square(point);
        let mut best: Option<(f64, usize)> = None;
        let look = |number: usize, best: &mut Option<(f64, usize)>| {
            let far = (self.places[number] - point).length_squared();
            if !self.links(number).is_empty() && best.is_none_or(|it| far < it.0) {
                *best = Some((far, number));
            }
        };
        for number in self.side * self.side..self.places.len() {
            look(number, &mut best);
        }
        for ring in 0..5 {
            for y in row.saturating_sub(ring)..=(row + ring).min(self.side - 1) {
                for x in column.saturating_sub(ring)..=(column + ring).min(self.side - 1) {
                    look(y * self.side + x, &mut best);
                }
            }
            // One ring further, as a corner of the one may be further than a side of the other.
            if ring > 0 && best.is_some_and(|it| it.0 < sq(CELL_M * (ring as f64 + 0.5))) {
                break;
            }
        }
        best.filter(|it| it.0 < sq(8.0 * CELL_M)).map(|it| it.1)
    }

    fn square(&self, point: DVec3) -> (usize, usize) {
        let along = |it: f64| ((it / CELL_M) as usize).min(self.side - 1);
        (along(point.x), along(point.y))
    }

    /// Whether a straight way between two places of the grid needs no care.
    pub(super) fn is_open(&self, from: usize, to: usize) -> bool {
        let grid = self.side * self.side;
        if from >= grid || to >= grid {
            return false;
        }
        let (a, b) = (self.places[from], self.places[to]);
        let steps = ((b - a).with_z(0.0).length() / (0.4 * CELL_M)) as usize + 1;
        (0..=steps).all(|it| {
            let (x, y) = self.square(a + (b - a) * (it as f64 / steps as f64));
            self.roomy[y * self.side + x]
        })
    }
}

const fn sq(it: f64) -> f64 {
    it * it
}

/// Roads under construction.
struct Draft {
    side: usize,
    places: Vec<DVec3>,
    joined: Vec<Vec<Link>>,
    roomy: Vec<bool>,
}

impl Draft {
    fn grid(level: &HillsLevel) -> Self {
        let side = ((level.size_m() / CELL_M) as usize).max(1);
        let at = |it: usize| (it as f64 + 0.5) * CELL_M;
        let places: Vec<DVec3> = (0..side * side)
            .map(|it| {
                let flat = DVec3::new(at(it % side), at(it / side), 0.0);
                level.ground().field().ground_below(flat).map_or(flat, |it| it.point)
            })
            .collect();
        let joined = vec![Vec::new(); places.len()];
        Self { side, joined, roomy: vec![true; places.len()], places }
    }

    fn join_grid(&mut self, level: &HillsLevel) {
        for from in 0..self.places.len() {
            let (x, y) = (from % self.side, from / self.side);
            for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                let (Some(x), Some(y)) = (x.checked_add_signed(dx), y.checked_add_signed(dy))
                else {
                    continue;
                };
                if x >= self.side || y >= self.side {
                    continue;
                }
                let to = y * self.side + x;
                if is_gentle(level, self.places[from], self.places[to]) {
                    self.join(from, to);
                } else {
                    (self.roomy[from], self.roomy[to]) = (false, false);
                }
            }
        }
    }

    fn join(&mut self, a: usize, b: usize) {
        for (from, to) in [(a, b), (b, a)] {
            let way = self.places[to] - self.places[from];
            let cost_dm = (10.0 * (way.with_z(0.0).length() + UPHILL * way.z.max(0.0))) as u32;
            self.joined[from].push(Link { to: to as u32, cost_dm });
        }
    }

    /// Unlinks what leads too close past an obstacle, and what leads out of the level.
    fn keep_off_obstacles(&mut self, level: &HillsLevel) {
        let girth_m = Craft::Tank.girth_m() + MARGIN_M;
        for it in &level.file().obstacles {
            let middle = DVec3::new(it.at[0], it.at[1], 0.0);
            let need_m = it.radius_m + girth_m;
            for from in 0..self.places.len() {
                let far_m = (self.places[from] - middle).with_z(0.0).length();
                if far_m > need_m + 2.0 * CELL_M {
                    continue;
                }
                self.roomy[from] &= far_m > need_m + 0.75 * CELL_M;
                let (places, here) = (&self.places, self.places[from]);
                self.joined[from]
                    .retain(|link| distance_m(middle, here, places[link.to as usize]) > need_m);
            }
        }
        let last = level.size_m() - BORDER_M - 3.0;
        for from in 0..self.places.len() {
            let at = self.places[from];
            let inside = |it: f64| (BORDER_M + 3.0..last).contains(&it);
            if !(inside(at.x) && inside(at.y)) {
                self.roomy[from] = false;
            }
        }
    }

    fn cross(&mut self, level: &HillsLevel, rails: &Rails) -> Vec<Crossing> {
        let bridges = level.file().bridges.iter().map(|it| (it.from, it.to));
        let tunnels = level.file().tunnels.iter().map(|it| (it.from, it.to));
        bridges.chain(tunnels).map(|(from, to)| self.chain(level, rails, from, to)).collect()
    }

    fn chain(&mut self, level: &HillsLevel, rails: &Rails, from: Place, to: Place) -> Crossing {
        let (from, to) = (DVec3::from(from), DVec3::from(to));
        let out = (to - from).with_z(0.0).normalize_or(DVec3::X) * APPROACH_M;
        let on_ground = |it: DVec3| level.ground().ground_below(it).map_or(it, |it| it.point);
        let ends = [on_ground(from - out + DVec3::Z), on_ground(to + out + DVec3::Z)];
        let pieces = ((to - from).length() / CELL_M) as usize + 1;
        let begin = self.places.len();
        self.places.push(ends[0]);
        self.places.extend((0..=pieces).map(|it| from + (to - from) * (it as f64 / pieces as f64)));
        self.places.push(ends[1]);
        self.joined.resize(self.places.len(), Vec::new());
        for number in begin..self.places.len() - 1 {
            self.join(number, number + 1);
        }
        for end in [begin, self.places.len() - 1] {
            self.join_end(level, end);
        }
        let middle = (from + to) * 0.5;
        Crossing { ends, middle, has_rails: rails.near(middle).is_some() }
    }

    fn join_end(&mut self, level: &HillsLevel, end: usize) {
        let girth_m = Craft::Tank.girth_m() + MARGIN_M;
        let clear = |a: DVec3, b: DVec3| {
            level.file().obstacles.iter().all(|it| {
                let middle = DVec3::new(it.at[0], it.at[1], 0.0);
                distance_m(middle, a, b) > it.radius_m + girth_m
            })
        };
        for number in 0..self.side * self.side {
            let (a, b) = (self.places[end], self.places[number]);
            let near = (b - a).with_z(0.0).length() < JOIN_M;
            if near && is_gentle(level, a, b) && clear(a, b) {
                self.join(end, number);
            }
        }
    }

    /// Nobody likes to drive along rails.
    fn weigh_rails(&mut self, rails: &Rails) {
        let dear: Vec<bool> = self.places.iter().map(|it| rails.near(*it).is_some()).collect();
        for (from, links) in self.joined.iter_mut().enumerate() {
            for link in links {
                let to = link.to as usize;
                let tight = self.roomy.get(to).is_some_and(|it| !it);
                if tight || (dear[from] && dear[to]) {
                    link.cost_dm = (f64::from(link.cost_dm) * UNPLEASANT) as u32;
                }
            }
        }
    }

    fn finish(self, level: &HillsLevel, crossings: Vec<Crossing>) -> Roads {
        let (mut first, mut links) = (vec![0], Vec::new());
        for own in &self.joined {
            links.extend_from_slice(own);
            first.push(links.len() as u32);
        }
        let Self { side, places, roomy, .. } = self;
        let mut roads = Roads { side, places, first, links, roomy, crossings, reached: Vec::new() };
        roads.reached = reached(&roads, level);
        roads
    }
}

/// The places of the grid that hang together with a spawn point.
fn reached(roads: &Roads, level: &HillsLevel) -> Vec<u32> {
    let mut seen = vec![false; roads.len()];
    let at = level.file().spawns.first().map_or([0.0; 2], |it| it.at);
    let mut open: Vec<usize> =
        roads.near(DVec3::new(at[0], at[1], level.height_m(at[0], at[1]))).into_iter().collect();
    while let Some(number) = open.pop() {
        if !std::mem::replace(&mut seen[number], true) {
            open.extend(roads.links(number).iter().map(|it| it.to as usize));
        }
    }
    (0..roads.side * roads.side).filter(|it| seen[*it]).map(|it| it as u32).collect()
}

/// Whether the ground between two places is dry and can be driven both ways.
fn is_gentle(level: &HillsLevel, from: DVec3, to: DVec3) -> bool {
    let way = (to - from).with_z(0.0);
    let steps = (way.length() / PROBE_M) as usize + 1;
    let probe_m = way.length() / steps as f64;
    let dry_m = level.file().water_m + DRY_M;
    let mut here_m = from.z;
    (0..=steps).all(|it| {
        let point = (from + way * (it as f64 / steps as f64)).with_z(here_m + 1.0);
        let Some(ground) = level.ground().ground_below(point) else { return false };
        let rise = (ground.point.z - here_m).abs() / probe_m.max(0.1);
        here_m = ground.point.z;
        let steep = sqrt(sq(ground.normal.x) + sq(ground.normal.y)) > ground.normal.z * 1.3 * RISE;
        here_m >= dry_m && rise <= RISE && !steep
    })
}

/// How far a place is from a straight way, seen from above.
pub(super) fn distance_m(point: DVec3, from: DVec3, to: DVec3) -> f64 {
    let (way, gap) = ((to - from).with_z(0.0), (point - from).with_z(0.0));
    let share = (gap.dot(way) / way.length_squared().max(1e-9)).clamp(0.0, 1.0);
    (gap - way * share).length()
}
