//! The mesh of the ground, with colours by height and slope, and of the lake.

use reckoning::{DVec3, Terrain};
use reckoning_arena::hills::HillsLevel;

use super::colours::{Colour, HillsColours, mixed};
use super::cut::Hollow;
use super::mesh::{Mesh, plain};
use super::tiles::{Tile, of_ground};

/// Sand reaches so high above the water.
const BEACH_M: f64 = 1.6;
/// Slopes of a cosine below this are cliffs.
const STEEP: f64 = 0.84;
/// The lake is drawn in so many pieces along a side, as haze is reckoned at their corners.
const WATER_CELLS: u32 = 16;
/// How wide a road is, from its middle.
const ROAD_M: f64 = 3.5;

/// How many cells the drawn ground has along a side.
#[must_use]
pub fn ground_cells(level: &HillsLevel) -> u32 {
    (level.size_m() / step_m(level) + 0.5) as u32
}

fn step_m(level: &HillsLevel) -> f64 {
    let grid = &level.file().ground;
    grid.spacing_m / f64::from(grid.detail.max(1))
}

/// The ground in tiles: near the eye, the very triangles that bodies stand on.
#[must_use]
pub fn ground_tiles(level: &HillsLevel, colours: &HillsColours) -> (Mesh, Vec<Tile>) {
    let (cells, step_m) = (ground_cells(level), step_m(level));
    let mut mesh = Mesh::default();
    let highest = highest_m(level, cells, step_m);
    for row in 0..=cells {
        for column in 0..=cells {
            let [x, y] = [column, row].map(|it| f64::from(it) * step_m);
            let place = DVec3::new(x, y, bare_m(level, x, y));
            let normal = normal_at(level, place, step_m);
            let colour = colour_at(level, colours, place, normal, highest);
            mesh.vertex(place, normal, plain(colour));
        }
    }
    let hollows: Vec<Hollow> = level.file().tunnels.iter().map(Hollow::new).collect();
    let tiles = of_ground(&mut mesh, cells, &hollows);
    (mesh, tiles)
}

/// Land around the level, so that it does not end in the sky: its rim, drawn out.
pub fn add_horizon(mesh: &mut Mesh, level: &HillsLevel, colours: &HillsColours) {
    let (size_m, pieces) = (level.size_m(), 64);
    let middle = DVec3::new(0.5 * size_m, 0.5 * size_m, 0.0);
    // Counter-clockwise along the rim.
    let rim = |piece: u32| {
        let along = f64::from(piece % 16) / 16.0 * size_m;
        let [x, y] = match piece / 16 % 4 {
            0 => [along, 0.0],
            1 => [size_m, along],
            2 => [size_m - along, size_m],
            _ => [0.0, size_m - along],
        };
        DVec3::new(x, y, bare_m(level, x, y).max(level.file().water_m))
    };
    let out = |at: DVec3, by: f64, sunk_m: f64| {
        (middle + (at - middle) * by).with_z(at.z * (1.0 - 0.3 * (by - 1.0)) - sunk_m)
    };
    for piece in 0..pieces {
        let (a, b) = (rim(piece), rim(piece + 1));
        // The first begins a little inside and beneath, so that no gap is seen.
        for [near, far] in [[0.99, 1.35], [1.35, 2.3]] {
            let sunk = |by: f64| if by < 1.0 { 1.5 } else { 0.0 };
            let corners = [
                out(a, near, sunk(near)),
                out(a, far, 0.0),
                out(b, far, 0.0),
                out(b, near, sunk(near)),
            ];
            // As dark as the specks make the ground of the level on average.
            let land = mixed(mixed(colours.meadow, colours.heath, 0.3), [0, 0, 0], 0.12);
            mesh.face(&corners, plain(land));
        }
    }
}

/// The ground without bridges and tunnels; at the rim the nearest there is.
#[must_use]
pub fn bare_m(level: &HillsLevel, x: f64, y: f64) -> f64 {
    let inside = |it: f64| it.clamp(0.0, level.size_m());
    let point = DVec3::new(inside(x), inside(y), 1e4);
    level.ground().field().ground_below(point).map_or(0.0, |it| it.point.z)
}

fn highest_m(level: &HillsLevel, cells: u32, step_m: f64) -> f64 {
    let places = (0..=cells).flat_map(|row| (0..=cells).map(move |column| (column, row)));
    let height = |(x, y): (u32, u32)| bare_m(level, f64::from(x) * step_m, f64::from(y) * step_m);
    places.map(height).fold(1.0, f64::max)
}

fn normal_at(level: &HillsLevel, place: DVec3, step_m: f64) -> DVec3 {
    let height = |dx: f64, dy: f64| bare_m(level, place.x + dx, place.y + dy);
    let along_x = height(-step_m, 0.0) - height(step_m, 0.0);
    let along_y = height(0.0, -step_m) - height(0.0, step_m);
    DVec3::new(along_x, along_y, 2.0 * step_m).normalize_or(DVec3::Z)
}

fn colour_at(
    level: &HillsLevel,
    colours: &HillsColours,
    place: DVec3,
    normal: DVec3,
    highest: f64,
) -> Colour {
    let above = place.z - level.file().water_m;
    let grass = mixed(colours.meadow, colours.heath, above / (highest * 0.7).max(1.0));
    let rock = mixed(grass, colours.cliff, (STEEP + 0.1 - normal.z) * 8.0);
    let beach = mixed(rock, colours.sand, (BEACH_M - above) / 1.2 + 0.5);
    let patched = mixed(beach, colours.cliff, patch(place.x, place.y) * 0.18);
    let lit = mixed(patched, [0, 0, 0], speck(place.x, place.y) * 0.18);
    if above < -0.5 { mixed(lit, colours.water, 0.5) } else { lit }
}

/// Something that varies from place to place, from 0 to 1, so that meadows are not painted.
fn patch(x: f64, y: f64) -> f64 {
    let wave = libm::sin(x * 0.11) * libm::cos(y * 0.083) + libm::sin((x + y) * 0.031);
    (wave * 0.25 + 0.5).clamp(0.0, 1.0)
}

/// The same from vertex to vertex: without it one does not see how fast one drives.
fn speck(x: f64, y: f64) -> f64 {
    let wave = libm::sin(x * 12.9898 + y * 78.233) * 437.585;
    wave - wave.floor()
}

/// The lake, as a plane in pieces.
#[must_use]
pub fn water_mesh(level: &HillsLevel, colours: &HillsColours) -> Mesh {
    let mut mesh = Mesh::default();
    let (size_m, z) = (level.size_m(), level.file().water_m);
    let place = |x: u32, y: u32| {
        let [x, y] = [x, y].map(|it| f64::from(it) / f64::from(WATER_CELLS) * size_m);
        DVec3::new(x, y, z)
    };
    for x in 0..WATER_CELLS {
        for y in 0..WATER_CELLS {
            let corners = [place(x, y), place(x + 1, y), place(x + 1, y + 1), place(x, y + 1)];
            if is_wet(level, corners[0], corners[2]) {
                mesh.face(&corners, plain(colours.water));
            }
        }
    }
    mesh
}

/// Whether some ground between two corners is under water: where none is, none is drawn.
fn is_wet(level: &HillsLevel, low: DVec3, high: DVec3) -> bool {
    let step_m = step_m(level);
    let count = ((high.x - low.x) / step_m).ceil() as u32;
    let height = |x: u32, y: u32| {
        bare_m(level, low.x + f64::from(x) * step_m, low.y + f64::from(y) * step_m)
    };
    (0..=count).any(|x| (0..=count).any(|y| height(x, y) < low.z))
}

/// Roads along the routes of merchants, a little above the ground.
pub fn add_roads(mesh: &mut Mesh, level: &HillsLevel, colours: &HillsColours) {
    for route in level.file().routes.iter().filter(|it| it.name != "flock") {
        let points = route.points.iter().map(|it| DVec3::new(it[0], it[1], 0.0));
        let points: Vec<DVec3> = points.collect();
        let Ok(path) = reckoning::model::Path::spline(0, &points, true) else { continue };
        let pieces = (path.length_m() / 5.0) as u32;
        let mut before = None;
        for piece in 0..=pieces {
            let (at, way) = path.place_at(f64::from(piece) / f64::from(pieces) * path.length_m());
            let left = DVec3::Z.cross(way.normalize_or(DVec3::X)) * ROAD_M;
            let ends = [at + left, at - left].map(|it| on_ground(level, it));
            if let Some([left, right]) = before.replace(ends) {
                let is_wet = ends[0].z < level.file().water_m;
                if !is_wet {
                    mesh.face(&[left, right, ends[1], ends[0]], plain(colours.road));
                }
            }
        }
    }
}

/// A little above the ground there, so that it is seen.
fn on_ground(level: &HillsLevel, at: DVec3) -> DVec3 {
    at.with_z(bare_m(level, at.x, at.y) + 0.12)
}

#[cfg(test)]
mod tests {
    use super::super::colours::DARK;
    use super::*;

    #[test]
    fn the_drawn_ground_is_the_one_that_bodies_stand_on() {
        let level = HillsLevel::built_in();
        let (mesh, tiles) = ground_tiles(&level, &DARK);
        let mut looked_at = 0;
        for [first, count] in tiles.iter().map(|it| it.ways[0].map(|it| it as usize)) {
            for triangle in mesh.indices[first..first + count].chunks(3).step_by(31) {
                let [a, b, c] = [0, 1, 2].map(|it| mesh.place(triangle[it]));
                let middle = (a + b + c) / 3.0;
                let stands = bare_m(&level, middle.x, middle.y);
                assert!((middle.z - stands).abs() < 0.02, "{middle} and {stands}");
                looked_at += 1;
            }
        }
        assert!(looked_at > 1_000, "{looked_at}");
    }

    #[test]
    fn far_ground_is_nearly_where_near_ground_is() {
        let level = HillsLevel::built_in();
        let (mesh, tiles) = ground_tiles(&level, &DARK);
        for (way, within_m) in [(1, 0.8), (2, 2.2)] {
            let mut worst_m: f64 = 0.0;
            for [first, count] in tiles.iter().map(|it| it.ways[way].map(|it| it as usize)) {
                for triangle in mesh.indices[first..first + count].chunks(3) {
                    let [a, b, c] = [0, 1, 2].map(|it| mesh.place(triangle[it]));
                    let middle = (a + b + c) / 3.0;
                    worst_m = worst_m.max((middle.z - bare_m(&level, middle.x, middle.y)).abs());
                }
            }
            println!("way {way}: {worst_m:.2} m");
            assert!(worst_m < within_m, "way {way}: {worst_m}");
        }
    }
}
