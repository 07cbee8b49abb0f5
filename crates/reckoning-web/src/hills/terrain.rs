//! The mesh of the ground, with colours by height and slope, and of the lake.

use reckoning::{DVec3, Terrain};
use reckoning_arena::hills::HillsLevel;

use super::colours::{Colour, HillsColours, mixed};
use super::mesh::{Mesh, plain};

/// Sand reaches so high above the water.
const BEACH_M: f64 = 1.6;
/// Slopes of a cosine below this are cliffs.
const STEEP: f64 = 0.84;
/// The lake reaches so far beyond the level, as the ground does not.
const WATER_CELLS: u32 = 12;
/// How wide a road is, from its middle.
const ROAD_M: f64 = 3.5;

/// The ground: the very triangles that bodies stand on.
#[must_use]
pub fn ground_mesh(level: &HillsLevel, colours: &HillsColours) -> Mesh {
    let grid = &level.file().ground;
    let step_m = grid.spacing_m / f64::from(grid.detail.max(1));
    let cells = (level.size_m() / step_m + 0.5) as u32;
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
    let wide = cells + 1;
    for row in 0..cells {
        for column in 0..cells {
            let here = row * wide + column;
            // Cut as the engine's height field is: from the lower right to the upper left.
            mesh.indices.extend([here, here + 1, here + wide]);
            mesh.indices.extend([here + 1, here + wide + 1, here + wide]);
        }
    }
    mesh
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
    let lit = mixed(beach, colours.cliff, patch(place.x, place.y) * 0.14);
    if above < -0.5 { mixed(lit, colours.water, 0.5) } else { lit }
}

/// Something that varies from place to place, from 0 to 1, so that meadows are not painted.
fn patch(x: f64, y: f64) -> f64 {
    let wave = libm::sin(x * 0.11) * libm::cos(y * 0.083) + libm::sin((x + y) * 0.031);
    (wave * 0.25 + 0.5).clamp(0.0, 1.0)
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
            mesh.face(&corners, plain(colours.water));
        }
    }
    mesh
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
    use super::super::colours::{DARK, LIGHT};
    use super::super::mesh::tests::places;
    use super::*;

    #[test]
    fn the_drawn_ground_is_the_one_that_bodies_stand_on() {
        let level = HillsLevel::built_in();
        let mesh = ground_mesh(&level, &DARK);
        let at = places(&mesh);
        let corner = |index: u32| at[index as usize];
        for triangle in mesh.indices.chunks(3).step_by(97) {
            let [a, b, c] = [0, 1, 2].map(|it| corner(triangle[it]));
            assert!((b - a).cross(c - a).z > 0.0, "it faces up");
            let middle = (a + b + c) / 3.0;
            let stands = bare_m(&level, middle.x, middle.y);
            assert!((middle.z - stands).abs() < 0.02, "{middle} and {stands}");
        }
    }

    #[test]
    fn a_page_can_draw_it_in_a_sixtieth_of_a_second() {
        let mesh = ground_mesh(&HillsLevel::built_in(), &LIGHT);
        println!("{} triangles", mesh.indices.len() / 3);
        assert!(mesh.indices.len() / 3 < 140_000);
    }
}
