//! Kinds of places of a level, from its geometry and labels alone.
//!
//! Nothing here knows the trends: a place is critical because walls, ways or turrets make it
//! so, whatever the bots did there.

use reckoning::DVec3;
use reckoning_arena::Level;

use super::play::PX_PER_M;

/// A kind of place; the first that fits counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlaceKind {
    Choke,
    Junction,
    Corner,
    Turret,
    Open,
    Corridor,
}

impl PlaceKind {
    pub(super) const ALL: [Self; 6] =
        [Self::Choke, Self::Junction, Self::Corner, Self::Turret, Self::Open, Self::Corridor];

    /// Whether players have to decide something here.
    pub(super) const fn is_critical(self) -> bool {
        !matches!(self, Self::Open | Self::Corridor)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Choke => "choke point",
            Self::Junction => "junction",
            Self::Corner => "corner",
            Self::Turret => "turret",
            Self::Open => "open area",
            Self::Corridor => "corridor",
        }
    }
}

/// Where three ways meet in the level `corridors`.
const JUNCTIONS_PX: [[f64; 2]; 4] =
    [[1150.0, 70.0], [620.0, 1540.0], [1350.0, 1540.0], [960.0, 1100.0]];
/// Lower and upper corner of its three halls.
const HALLS_PX: [[f64; 4]; 3] =
    [[0.0, 500.0, 600.0, 1100.0], [950.0, 500.0, 1450.0, 1100.0], [1700.0, 500.0, 2400.0, 1100.0]];
/// A third of a second at full speed: who is nearer is about to turn or has just turned.
const NEAR_PX: f64 = 80.0;
/// Junctions are as wide as the ways that meet.
const JUNCTION_PX: f64 = 110.0;
/// Side of a square of the lookup.
const CELL_PX: f64 = 10.0;

/// The kinds of all places of a level, in squares of a quarter metre.
#[derive(Clone, Debug)]
pub(super) struct Places {
    columns: usize,
    kinds: Vec<PlaceKind>,
}

impl Places {
    pub(super) fn from_level(level: &Level) -> Self {
        let columns = (level.size_px().x / CELL_PX) as usize + 1;
        let rows = (level.size_px().y / CELL_PX) as usize + 1;
        let corners: Vec<DVec3> = level.walls().solids().iter().flatten().copied().collect();
        let middle = |square: usize| {
            let (row, column) = (square / columns, square % columns);
            DVec3::new(column as f64 + 0.5, row as f64 + 0.5, 0.0) * CELL_PX
        };
        let kinds = (0..columns * rows).map(|at| kind_of(level, &corners, middle(at))).collect();
        Self { columns, kinds }
    }

    /// The kind of a place in metres; nonsense is in the nearest corner of the level.
    pub(super) fn kind_at(&self, place: DVec3) -> PlaceKind {
        let square = place * (PX_PER_M / CELL_PX);
        let column = (square.x.max(0.0) as usize).min(self.columns - 1);
        let row = (square.y.max(0.0) as usize).min(self.kinds.len() / self.columns - 1);
        self.kinds[row * self.columns + column]
    }
}

fn kind_of(level: &Level, corners: &[DVec3], at: DVec3) -> PlaceKind {
    let file = level.file();
    let near = |[x, y]: [f64; 2], px: f64| at.distance(DVec3::new(x, y, 0.0)) < px;
    let in_hall = |[left, low, right, high]: [f64; 4]| {
        (left..right).contains(&at.x) && (low..high).contains(&at.y)
    };
    let is_watched = || {
        file.turrets.iter().any(|turret| {
            let [x, y] = turret.at;
            near(turret.at, turret.range_px) && level.walls().sees(DVec3::new(x, y, 0.0), at)
        })
    };
    if file.segments.iter().any(|jamb| near(jamb.from, NEAR_PX) || near(jamb.to, NEAR_PX)) {
        PlaceKind::Choke
    } else if JUNCTIONS_PX.iter().any(|&junction| near(junction, JUNCTION_PX)) {
        PlaceKind::Junction
    } else if corners.iter().any(|corner| corner.distance(at) < NEAR_PX) {
        PlaceKind::Corner
    } else if is_watched() {
        PlaceKind::Turret
    } else if HALLS_PX.into_iter().any(in_hall) {
        PlaceKind::Open
    } else {
        PlaceKind::Corridor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_levels_own_names_are_found_again() {
        let level = Level::built_in("corridors").unwrap();
        let places = Places::from_level(&level);
        for (x_px, y_px, kind) in [
            (1800.0, 1540.0, PlaceKind::Choke),
            (1150.0, 70.0, PlaceKind::Junction),
            (590.0, 730.0, PlaceKind::Corner),
            (1350.0, 720.0, PlaceKind::Turret),
            (150.0, 800.0, PlaceKind::Open),
            (775.0, 800.0, PlaceKind::Corridor),
            (60.0, 1300.0, PlaceKind::Corridor),
        ] {
            let found = places.kind_at(DVec3::new(x_px, y_px, 0.0) / PX_PER_M);
            assert_eq!(found, kind, "at {x_px}, {y_px}");
        }
        assert_eq!(places.kind_at(DVec3::NAN), places.kind_at(DVec3::ZERO));
    }
}
