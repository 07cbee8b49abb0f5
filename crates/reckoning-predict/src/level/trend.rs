//! Which way bodies go at each place of a level, and how they speed up or slow down there.
//!
//! A [`TrendMap`] is made once per level from many sightings of bots or players and read
//! while reckoning (STEELE). Two things matter:
//! - cells follow the traffic: a quarter that is seen often is cut into four, again and
//!   again, so that a busy corner is resolved and an empty field is one cell;
//! - directions are kept apart: a corridor walked both ways has two trends, not none.
//!
//! ```text
//!   +-------+---+-+-+
//!   |       |   +-+-+     in each cell up to a few headings:   --> 60   <-- 40
//!   |       +---+---+     with the mean acceleration of those who went that way
//!   |       |   |   |
//!   +-------+---+---+
//! ```
//!
//! Headings that few took are outliers and are left out, and so are the accelerations
//! farthest from the usual.

use alloc::vec::Vec;
use core::f64::consts::TAU;

use glam::{DVec2, DVec3};

use super::trend_error::NotedErrors;
use reckoning::error::SettingError;
use reckoning::math::{atan2, cos, sin};

/// One observation of a body in the level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sighting {
    /// Where.
    pub position: DVec3,
    /// How it moved.
    pub velocity: DVec3,
    /// How that changed.
    pub acceleration: DVec3,
}

/// Settings for making a [`TrendMap`].
///
/// The default suits people on foot, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TrendMapConfig {
    /// A cell with more sightings than this is cut into four. Default: 64. At least 1.
    pub sightings_per_cell: usize,
    /// No cell gets smaller than this. Default: 1 m. Positive and finite.
    pub smallest_cell_m: f64,
    /// Headings kept per cell at most. Default: 4. From 1 to 16.
    pub modes: u8,
    /// Velocities this far from a heading still belong to it. Default: 45 degrees, in radians. From
    /// 0.01 to a quarter of a turn.
    pub spread_rad: f64,
    /// A heading that fewer than this share of a cell's sightings took is an outlier. Default: 0.1.
    /// From 0 to 1.
    pub least_share: f64,
    /// The share of accelerations, farthest from the usual, that is left out. Default: 0.1. From 0
    /// to 0.9.
    pub trim: f64,
}

impl Default for TrendMapConfig {
    fn default() -> Self {
        Self {
            sightings_per_cell: 64,
            smallest_cell_m: 1.0,
            modes: 4,
            spread_rad: TAU / 8.0,
            least_share: 0.1,
            trim: 0.1,
        }
    }
}

/// How the usual acceleration is mixed with the known one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Pull {
    /// STEELE's mean, `(A + C Ap) / 2`: a body across the trend loses half its known
    /// acceleration.
    #[default]
    Mean,
    /// The same along the trend, but the less the body follows it the more of the known
    /// acceleration is kept: `A (1 - |C|/2) + C Ap / 2`.
    Kept,
}

/// The trend that a body is in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Which way bodies go, STEELE's `D_p`; a level unit vector.
    pub direction: DVec3,
    /// How their velocity changes, STEELE's `A_p`.
    pub acceleration: DVec3,
    /// How well the body follows it, STEELE's C: 1 along, 0 across, -1 against.
    pub confidence: f64,
    /// How many sightings it rests on.
    pub sightings: u32,
}

impl Trend {
    /// STEELE's (8): the threshold to publish with, `min_m` across the trend, `max_m` along
    /// it or straight against it.
    #[must_use]
    pub fn threshold_m(&self, min_m: f64, max_m: f64) -> f64 {
        min_m + (max_m - min_m) * self.confidence.abs()
    }

    /// STEELE's (9): the acceleration to project with.
    #[must_use]
    pub fn acceleration_for(&self, known: DVec3, pull: Pull) -> DVec3 {
        let usual = self.acceleration * (0.5 * self.confidence);
        match pull {
            Pull::Mean => known * 0.5 + usual,
            Pull::Kept => known * (1.0 - 0.5 * self.confidence.abs()) + usual,
        }
    }
}

/// One heading of a cell. What it holds is what a file holds, so that a map that was saved
/// and loaded is the same map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TrendMode {
    /// In 65536ths of a turn.
    pub heading: u16,
    pub acceleration: [f32; 3],
    pub sightings: u32,
}

impl TrendMode {
    fn direction(&self) -> DVec2 {
        let angle = f64::from(self.heading) * (TAU / 65536.0);
        DVec2::new(cos(angle), sin(angle))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// Four quarters begin at this place: lower left, lower right, upper left, upper right.
    Split(u32),
    /// So many modes begin at this place.
    Leaf(u32, u8),
}

/// Cells are cut in four at most so often.
pub(super) const DEEPEST: u32 = 12;

/// Which way bodies go at each place of a level.
#[derive(Clone, Debug, PartialEq)]
pub struct TrendMap {
    pub(super) corner: DVec2,
    pub(super) side_m: f64,
    pub(super) nodes: Vec<Node>,
    pub(super) modes: Vec<TrendMode>,
    /// One for each mode, or none where nobody noted any.
    pub(super) errors: Vec<NotedErrors>,
}

impl TrendMap {
    /// Makes a map from sightings. Bodies that stand, and numbers that are not finite, are
    /// ignored. No sightings give a map without trends.
    ///
    /// # Errors
    /// Names the first setting outside its range.
    pub fn new(sightings: &[Sighting], config: &TrendMapConfig) -> Result<Self, SettingError> {
        for (name, got, min, max) in [
            ("sightings_per_cell", config.sightings_per_cell as f64, 1.0, f64::MAX),
            ("smallest_cell_m", config.smallest_cell_m, f64::MIN_POSITIVE, f64::MAX),
            ("modes", f64::from(config.modes), 1.0, 16.0),
            ("spread_rad", config.spread_rad, 0.01, TAU / 4.0),
            ("least_share", config.least_share, 0.0, 1.0),
            ("trim", config.trim, 0.0, 0.9),
        ] {
            SettingError::in_range(name, got, min, max)?;
        }
        let mut moving: Vec<Sighting> = sightings.iter().filter(|s| usable(s)).copied().collect();
        let (low, high) = moving
            .iter()
            .fold((DVec2::splat(f64::MAX), DVec2::splat(f64::MIN)), |(low, high), s| {
                (low.min(s.position.truncate()), high.max(s.position.truncate()))
            });
        let extent = (high - low).max_element();
        // A little wider, so that the last sighting is inside.
        let side_m = if extent > 0.0 && extent.is_finite() { extent * 1.000_001 } else { 1.0 };
        let corner = if moving.is_empty() { DVec2::ZERO } else { low };
        let mut map = Self {
            corner,
            side_m,
            nodes: alloc::vec![Node::Leaf(0, 0)],
            modes: Vec::new(),
            errors: Vec::new(),
        };
        map.grow(0, corner, side_m, 0, &mut moving, config);
        Ok(map)
    }

    /// The trend at a place nearest to the way a body moves. `None` where no one was seen,
    /// and for bodies that stand.
    #[must_use]
    pub fn trend_at(&self, position: DVec3, velocity: DVec3) -> Option<Trend> {
        let heading = velocity.truncate().try_normalize()?;
        let modes = self.modes_at(position.truncate())?;
        let mut best: Option<Trend> = None;
        for mode in modes {
            let direction = mode.direction();
            let confidence = direction.dot(heading).clamp(-1.0, 1.0);
            if best.is_none_or(|found| confidence > found.confidence) {
                let [x, y, z] = mode.acceleration.map(f64::from);
                best = Some(Trend {
                    direction: direction.extend(0.0),
                    acceleration: DVec3::new(x, y, z),
                    confidence,
                    sightings: mode.sightings,
                });
            }
        }
        best
    }

    /// The threshold to publish with at a place, from `min_m` where the body counters the
    /// trend or nothing is known to `max_m` where it follows it. With errors noted
    /// ([`note_error`](Self::note_error)) it goes by those instead: the wider, the worse bodies that
    /// went so were foreseen there.
    #[must_use]
    pub fn threshold_m(&self, position: DVec3, velocity: DVec3, min_m: f64, max_m: f64) -> f64 {
        if let Some(measured_m) = self.threshold_by_error_m(position, velocity, min_m, max_m) {
            return measured_m;
        }
        self.trend_at(position, velocity).map_or(min_m, |trend| trend.threshold_m(min_m, max_m))
    }

    /// Every cell: its lower left corner, its side and its sightings, for a picture.
    pub fn cells(&self) -> impl Iterator<Item = (DVec3, f64, u32)> {
        let mut open = alloc::vec![(0_usize, self.corner, self.side_m)];
        core::iter::from_fn(move || {
            loop {
                let (node, corner, side_m) = open.pop()?;
                match self.nodes[node] {
                    Node::Split(first) => {
                        for quarter in 0..4 {
                            let low = quarter_corner(corner, side_m, quarter);
                            open.push((first as usize + quarter, low, side_m * 0.5));
                        }
                    }
                    Node::Leaf(first, count) => {
                        let modes = &self.modes[first as usize..][..usize::from(count)];
                        let seen =
                            modes.iter().fold(0, |sum: u32, m| sum.saturating_add(m.sightings));
                        return Some((corner.extend(0.0), side_m, seen));
                    }
                }
            }
        })
    }

    /// The place among all modes of the heading at `position` nearest to the way a body moves.
    pub(super) fn mode_place(&self, position: DVec3, velocity: DVec3) -> Option<usize> {
        let heading = velocity.truncate().try_normalize()?;
        let along = |place: &usize| self.modes[*place].direction().dot(heading);
        self.leaf_at(position.truncate())?.max_by(|a, b| along(a).total_cmp(&along(b)))
    }

    fn modes_at(&self, place: DVec2) -> Option<&[TrendMode]> {
        Some(&self.modes[self.leaf_at(place)?])
    }

    /// Places of the modes of the cell there.
    fn leaf_at(&self, place: DVec2) -> Option<core::ops::Range<usize>> {
        let mut at = (place - self.corner) / self.side_m;
        let inside = at.cmpge(DVec2::ZERO).all() && at.cmplt(DVec2::ONE).all();
        if !inside {
            return None;
        }
        let mut node = 0;
        loop {
            match self.nodes[node] {
                Node::Leaf(first, count) => {
                    return Some(first as usize..first as usize + usize::from(count));
                }
                Node::Split(first) => {
                    at *= 2.0;
                    let (right, upper) = (at.x >= 1.0, at.y >= 1.0);
                    at -= DVec2::new(f64::from(u8::from(right)), f64::from(u8::from(upper)));
                    node = first as usize + usize::from(right) + 2 * usize::from(upper);
                }
            }
        }
    }

    /// Cuts a cell in four while it is busy, then finds its headings.
    fn grow(
        &mut self,
        node: usize,
        corner: DVec2,
        side_m: f64,
        depth: u32,
        seen: &mut [Sighting],
        config: &TrendMapConfig,
    ) {
        let busy = seen.len() > config.sightings_per_cell;
        if !busy || depth >= DEEPEST || side_m * 0.5 < config.smallest_cell_m {
            let first = self.modes.len();
            modes_of(seen, config, &mut self.modes);
            self.nodes[node] = Node::Leaf(first as u32, (self.modes.len() - first) as u8);
            return;
        }
        let first = self.nodes.len();
        self.nodes[node] = Node::Split(first as u32);
        self.nodes.extend([Node::Leaf(0, 0); 4]);
        let middle = corner + side_m * 0.5;
        seen.sort_by_key(|s| quarter_of(s.position.truncate(), middle));
        let mut rest = seen;
        for quarter in 0..4 {
            let count =
                rest.partition_point(|s| quarter_of(s.position.truncate(), middle) <= quarter);
            let (inside, others) = rest.split_at_mut(count);
            let low = quarter_corner(corner, side_m, quarter);
            self.grow(first + quarter, low, side_m * 0.5, depth + 1, inside, config);
            rest = others;
        }
    }
}

fn usable(seen: &Sighting) -> bool {
    let moves = seen.velocity.truncate() != DVec2::ZERO;
    moves && seen.position.is_finite() && seen.velocity.is_finite() && seen.acceleration.is_finite()
}

fn quarter_of(place: DVec2, middle: DVec2) -> usize {
    usize::from(place.x >= middle.x) + 2 * usize::from(place.y >= middle.y)
}

fn quarter_corner(corner: DVec2, side_m: f64, quarter: usize) -> DVec2 {
    corner + DVec2::new((quarter % 2) as f64, (quarter / 2) as f64) * (side_m * 0.5)
}

/// Directions looked at when searching for the most usual one.
const DIRECTIONS: u32 = 32;

/// Finds the headings of one cell, the most usual first.
fn modes_of(seen: &[Sighting], config: &TrendMapConfig, modes: &mut Vec<TrendMode>) {
    let mut left: Vec<(DVec2, DVec3)> =
        seen.iter().map(|s| (s.velocity.truncate().normalize_or_zero(), s.acceleration)).collect();
    let least = ((config.least_share * seen.len() as f64) as usize).max(1);
    let cos_spread = cos(config.spread_rad);
    for _ in 0..config.modes {
        let Some(peak) = busiest(&left, cos(config.spread_rad * 0.5)) else { return };
        let (with, without): (Vec<_>, Vec<_>) =
            left.iter().copied().partition(|(heading, _)| heading.dot(peak) >= cos_spread);
        left = without;
        // A lone sighting among many is an outlier; the only ones of a cell are not.
        if with.len() >= least {
            modes.push(mode_of(&with, config.trim));
        }
    }
}

/// The mean heading of those within the densest sector.
fn busiest(left: &[(DVec2, DVec3)], cos_half: f64) -> Option<DVec2> {
    let mut best = (0, DVec2::ZERO);
    for direction in 0..DIRECTIONS {
        let angle = f64::from(direction) * (TAU / f64::from(DIRECTIONS));
        let axis = DVec2::new(cos(angle), sin(angle));
        let sector = left.iter().filter(|(heading, _)| heading.dot(axis) >= cos_half);
        let (count, sum) = sector.fold((0, DVec2::ZERO), |(n, sum), (h, _)| (n + 1, sum + *h));
        if count > best.0 {
            best = (count, sum);
        }
    }
    best.1.try_normalize()
}

fn mode_of(with: &[(DVec2, DVec3)], trim: f64) -> TrendMode {
    let heading: DVec2 = with.iter().map(|(heading, _)| *heading).sum();
    let turns = atan2(heading.y, heading.x) / TAU;
    let acceleration = usual(with, trim);
    TrendMode {
        // The cast wraps -0.5..0.5 turns round to 0..1.
        heading: libm::round(turns * 65536.0) as i64 as u16,
        acceleration: acceleration.to_array().map(|a| a.clamp(-3e38, 3e38) as f32),
        sightings: with.len() as u32,
    }
}

/// The mean acceleration after those farthest from the median are left out.
fn usual(with: &[(DVec2, DVec3)], trim: f64) -> DVec3 {
    let median = DVec3::from_array([0, 1, 2].map(|axis| {
        let mut values: Vec<f64> = with.iter().map(|(_, a)| a[axis]).collect();
        values.sort_unstable_by(f64::total_cmp);
        values[values.len() / 2]
    }));
    let mut by_distance: Vec<DVec3> = with.iter().map(|(_, a)| *a).collect();
    by_distance.sort_by(|a, b| a.distance_squared(median).total_cmp(&b.distance_squared(median)));
    let keep = with.len() - (trim * with.len() as f64) as usize;
    let sum: DVec3 = by_distance[..keep].iter().copied().sum();
    sum / keep as f64
}
