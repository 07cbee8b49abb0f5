//! Ground of a level: heights, decks of bridges and floors of tunnels, as one [`Terrain`].
//!
//! ```text
//!        ____deck____                 .-''hill''-.
//!   ramp/            \ramp        ---+   tunnel   +---
//!   ---'--.        .--'---           '------------'
//!          '--lake-'
//! ```
//!
//! A deck carries what is above it or only a little beneath; what is lower stands on the ground under
//! the bridge. A tunnel takes the hill away for what is between its floor and its roof.

use reckoning::terrain::{Contact, HeightField};
use reckoning::{DVec3, Terrain};

use super::file::{BridgeSpot, HillsFile, TunnelSpot};

/// What is no further beneath a deck than this stands on it.
const DECK_REACH_M: f64 = 2.5;
/// What drives under a deck needs this much room, and what is a little beneath it drives onto it.
pub(super) const HEADROOM_M: f64 = 3.4;
const ONTO_M: f64 = 1.2;
/// From the end of a deck, a ramp leads down to the ground over this length.
const RAMP_M: f64 = 7.0;
/// Where a deck or floor and the ground beside it are no further apart, there is neither railing nor
/// wall between them.
const FLUSH_M: f64 = 0.12;
/// The floor of a tunnel leads over hollows in front of the hill that are no deeper.
const HOLLOW_M: f64 = 1.5;
/// A way that leaves a tunnel is in the hill when it is deeper than this.
const DEEP_M: f64 = 1e-6;
/// A picture strays no further than this beyond the side of a bridge or a tunnel: what a vehicle at
/// full speed goes sideways in the longest turn that its watchers do not know of yet.
const STRAY_M: f64 = 8.0;

/// The ground that bodies stand on and shots end in. Where a bridge leads over a valley or a tunnel
/// through a hill there are two levels; the height of what asks decides.
#[derive(Clone, Debug)]
pub struct HillsGround {
    field: HeightField,
    columns: usize,
    spacing_m: f64,
    heights_m: Vec<f64>,
    decks: Vec<Way>,
    tunnels: Vec<Way>,
}

/// A bridge, a ramp or a tunnel: straight, and as wide everywhere.
#[derive(Clone, Copy, Debug)]
struct Way {
    from: DVec3,
    /// Along it, for each metre over ground.
    along: DVec3,
    length_m: f64,
    half_width_m: f64,
    /// Of a tunnel, its height.
    roof_m: f64,
}

impl HillsGround {
    pub(super) fn new(
        field: HeightField,
        (columns, spacing_m, heights_m): (usize, f64, Vec<f64>),
        file: &HillsFile,
    ) -> Self {
        let mut decks = Vec::new();
        for it in &file.bridges {
            decks.push(Way::bridge(it));
            let (from, to) = (DVec3::from(it.from), DVec3::from(it.to));
            let ends = [(from, from - to), (to, to - from)];
            decks.extend(ends.into_iter().filter_map(|(end, out)| ramp(&field, end, out, it)));
        }
        let tunnels = file.tunnels.iter().map(Way::tunnel).collect();
        Self { field, columns, spacing_m, heights_m, decks, tunnels }
    }

    /// The heights without bridges and tunnels.
    #[must_use]
    pub const fn field(&self) -> &HeightField {
        &self.field
    }

    /// The heights as they are after refining, for who draws them: the number of columns and of rows,
    /// the way between two neighbours, and row by row from the south-west corner the heights.
    #[must_use]
    pub fn heights(&self) -> (usize, usize, f64, &[f64]) {
        (self.columns, self.heights_m.len() / self.columns, self.spacing_m, &self.heights_m)
    }

    /// Whether a place is inside a tunnel, under the hill.
    #[must_use]
    pub fn in_tunnel(&self, point: DVec3) -> bool {
        self.field.ground_below(point).is_some_and(|it| it.point.z > point.z - DEEP_M)
            && self.tunnels.iter().any(|it| it.holds(point))
    }

    /// The way back for a body that reaches over the railing of a bridge or into the wall of a tunnel,
    /// from either side; zero for one that does not. It lies along `ahead`, which is level, with half
    /// that length and width.
    pub(super) fn over_side(&self, at: DVec3, ahead: DVec3, half_sizes_m: (f64, f64)) -> DVec3 {
        self.way_back(at, ahead, half_sizes_m, 0.0)
    }

    /// As [`over_side`](Self::over_side) for a picture, which knows of no walls: one whose middle is
    /// over a railing or in a wall as well comes back, where it would hang in the air or in the hill.
    pub(super) fn strayed(&self, at: DVec3, ahead: DVec3, half_sizes_m: (f64, f64)) -> DVec3 {
        self.way_back(at, ahead, half_sizes_m, STRAY_M)
    }

    fn way_back(
        &self,
        at: DVec3,
        ahead: DVec3,
        (half_length_m, half_width_m): (f64, f64),
        stray_m: f64,
    ) -> DVec3 {
        let mut worst = DVec3::ZERO;
        for way in self.decks.iter().chain(&self.tunnels) {
            let flat = way.along.with_z(0.0);
            let (straight, across) = (ahead.dot(flat).abs(), ahead.cross(flat).z.abs());
            let reach = DVec3::new(
                straight * half_length_m + across * half_width_m,
                across * half_length_m + straight * half_width_m,
                0.0,
            );
            let back_m = self.side_m(way, at, reach, stray_m);
            if back_m.abs() > worst.length() {
                worst = DVec3::Z.cross(flat) * back_m;
            }
        }
        worst
    }

    /// Whether a place is so close under a deck that no vehicle fits in between.
    pub(super) fn is_low(&self, point: DVec3) -> bool {
        self.decks.iter().any(|it| {
            let under_m = -it.local(point).z;
            (ONTO_M..HEADROOM_M).contains(&under_m) && it.at(point).is_some()
        })
    }

    /// How far to the left of a way a body must go that reaches so far along and across.
    fn side_m(&self, way: &Way, at: DVec3, reach: DVec3, stray_m: f64) -> f64 {
        let local = way.local(at);
        let over_m = local.y.abs() - way.half_width_m;
        let beside = local.x < -reach.x || local.x > way.length_m + reach.x;
        let is_near = over_m > -reach.y && over_m < reach.y + stray_m;
        if beside || !is_near || !way.levels_m(stray_m > 0.0).contains(&local.z) {
            return 0.0;
        }
        let walled = [-reach.x, 0.0, reach.x].iter().any(|it| {
            let along_m = (local.x + it).clamp(0.0, way.length_m);
            self.is_walled(way, along_m, local.y.signum())
        });
        let out = local.y.signum();
        if !walled {
            0.0
        } else if over_m <= 0.0 || (stray_m > 0.0 && self.is_off_ground(at, local.z)) {
            -out * (reach.y + over_m)
        } else {
            out * (reach.y - over_m).max(0.0)
        }
    }

    /// Whether what is so high above the level of a way belongs there rather than on the ground
    /// beside it.
    fn is_off_ground(&self, at: DVec3, over_m: f64) -> bool {
        let ground = self.field.ground_below(at);
        ground.is_none_or(|it| (it.point.z - at.z).abs() > over_m.abs() + ONTO_M)
    }

    /// Whether the ground beside a way is much higher or lower there.
    fn is_walled(&self, way: &Way, along_m: f64, side: f64) -> bool {
        let left = DVec3::Z.cross(way.along.with_z(0.0));
        let edge = way.from + way.along * along_m + left * (side * (way.half_width_m + 0.2));
        let ground = self.field.ground_below(edge);
        ground.is_none_or(|it| (it.point.z - edge.z).abs() > FLUSH_M)
    }

    /// The tunnel floor that a place is over, where the hill is above that floor or little beneath.
    /// Beneath the floor is nothing to stand on, nor is the hill where it does not reach over the roof.
    fn floor_under(&self, point: DVec3, field_m: f64) -> Option<Contact> {
        let over = self.tunnels.iter().filter_map(|it| Some((it, it.at(point)?)));
        over.filter(|(way, floor)| {
            floor.point.z <= field_m + HOLLOW_M
                && point.z.min(field_m) <= floor.point.z + way.roof_m
        })
        .map(|(_, floor)| floor)
        .next()
    }

    /// The stretches of a way that are not inside a tunnel, as shares; each with whether it begins
    /// where a tunnel ended.
    fn outside_tunnels(&self, from: DVec3, to: DVec3) -> Vec<(f64, f64, bool)> {
        let mut inside: Vec<(f64, f64)> =
            self.tunnels.iter().filter_map(|it| it.stretch(from, to)).collect();
        inside.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut outside = Vec::with_capacity(inside.len() + 1);
        let (mut here, mut left_one) = (0.0, false);
        for (enter, leave) in inside {
            if enter > here {
                outside.push((here, enter, left_one));
            }
            (here, left_one) = (leave.max(here), true);
        }
        if here < 1.0 || !left_one {
            outside.push((here, 1.0, left_one));
        }
        outside
    }

    fn field_hit(&self, from: DVec3, to: DVec3) -> Option<Contact> {
        if self.tunnels.is_empty() {
            return self.field.first_hit(from, to);
        }
        let at = |share: f64| if share == 1.0 { to } else { from + (to - from) * share };
        for (enter, leave, left_one) in self.outside_tunnels(from, to) {
            let (a, b) = (at(enter), at(leave));
            if left_one && let Some(ground) = self.field.ground_below(a) {
                // Through the floor, the roof or a wall of the tunnel.
                if ground.point.z > a.z + DEEP_M {
                    return Some(Contact { point: a, normal: (from - to).normalize_or(DVec3::Z) });
                }
            }
            if let Some(hit) = self.field.first_hit(a, b) {
                return Some(hit);
            }
        }
        None
    }
}

/// The way from the end of a deck that is above the ground down to it.
fn ramp(field: &HeightField, end: DVec3, out: DVec3, bridge: &BridgeSpot) -> Option<Way> {
    let foot = end + out.with_z(0.0).normalize_or(DVec3::X) * RAMP_M;
    let (here, there) = (field.ground_below(end)?.point.z, field.ground_below(foot)?.point.z);
    let way = Way::new(end, foot.with_z(there), bridge.width_m, 0.0);
    (end.z > here).then_some(way)
}

impl Way {
    fn bridge(it: &BridgeSpot) -> Self {
        Self::new(it.from.into(), it.to.into(), it.width_m, 0.0)
    }

    fn tunnel(it: &TunnelSpot) -> Self {
        Self::new(it.from.into(), it.to.into(), it.width_m, it.height_m)
    }

    fn new(from: DVec3, to: DVec3, width_m: f64, roof_m: f64) -> Self {
        let length_m = (to - from).with_z(0.0).length().max(1e-6);
        Self { from, along: (to - from) / length_m, length_m, half_width_m: width_m * 0.5, roof_m }
    }

    /// How far beneath and above its deck or floor a body is on it, or a picture of one.
    fn levels_m(&self, is_picture: bool) -> core::ops::Range<f64> {
        match (self.roof_m > 0.0, is_picture) {
            (true, false) => -1.0..self.roof_m,
            (true, true) => f64::NEG_INFINITY..self.roof_m,
            (false, false) => -DECK_REACH_M..DECK_REACH_M,
            (false, true) => -HEADROOM_M..DECK_REACH_M,
        }
    }

    /// How far along, to the left and above its deck or floor a place is.
    fn local(&self, point: DVec3) -> DVec3 {
        let flat = self.along.with_z(0.0);
        let gap = point - self.from;
        let run_m = gap.dot(flat);
        DVec3::new(run_m, gap.dot(DVec3::Z.cross(flat)), gap.z - self.along.z * run_m)
    }

    /// The deck or floor at a place over or under it.
    fn at(&self, point: DVec3) -> Option<Contact> {
        let local = self.local(point);
        let over = (0.0..=self.length_m).contains(&local.x) && local.y.abs() <= self.half_width_m;
        over.then(|| {
            let left = DVec3::Z.cross(self.along.with_z(0.0));
            let normal = self.along.cross(left).normalize_or(DVec3::Z);
            Contact { point: point.with_z(point.z - local.z), normal }
        })
    }

    /// Whether a place is between floor and roof.
    fn holds(&self, point: DVec3) -> bool {
        let local = self.local(point);
        self.at(point).is_some() && (-0.1..=self.roof_m).contains(&local.z)
    }

    /// The part of a straight way that is between floor, roof and walls, as shares.
    fn stretch(&self, from: DVec3, to: DVec3) -> Option<(f64, f64)> {
        let (start, end) = (self.local(from), self.local(to));
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        let half = self.half_width_m;
        for (a, b, least, most) in [
            (start.x, end.x, 0.0, self.length_m),
            (start.y, end.y, -half, half),
            (start.z, end.z, -0.1, self.roof_m),
        ] {
            if a == b {
                if !(least..=most).contains(&a) {
                    return None;
                }
                continue;
            }
            let (c, d) = ((least - a) / (b - a), (most - a) / (b - a));
            enter = enter.max(c.min(d));
            leave = leave.min(c.max(d));
        }
        (enter < leave).then_some((enter, leave))
    }

    /// The share of a straight way at which it meets the deck from above.
    fn met_from_above(&self, from: DVec3, to: DVec3) -> Option<f64> {
        let (start, end) = (self.local(from).z, self.local(to).z);
        if start < 0.0 || end >= 0.0 {
            return None;
        }
        let share = start / (start - end);
        self.at(from + (to - from) * share).map(|_| share)
    }
}

impl Terrain for HillsGround {
    fn ground_below(&self, point: DVec3) -> Option<Contact> {
        let field = self.field.ground_below(point)?;
        let decks = self.decks.iter().filter_map(|it| it.at(point));
        let best = decks
            .filter(|it| it.point.z >= field.point.z && point.z >= it.point.z - DECK_REACH_M)
            .max_by(|a, b| a.point.z.total_cmp(&b.point.z));
        best.or_else(|| self.floor_under(point, field.point.z)).or(Some(field))
    }

    fn first_hit(&self, from: DVec3, to: DVec3) -> Option<Contact> {
        let way = to - from;
        let mut best = self.field_hit(from, to);
        let mut far = best.map_or(f64::INFINITY, |it| (it.point - from).dot(way));
        for deck in &self.decks {
            let Some(share) = deck.met_from_above(from, to) else { continue };
            let point = from + way * share;
            if (point - from).dot(way) < far
                && let Some(hit) = deck.at(point)
            {
                far = (point - from).dot(way);
                best = Some(hit);
            }
        }
        best
    }
}
