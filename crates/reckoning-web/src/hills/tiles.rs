//! The level in tiles: those out of the picture are left out, and far ones are drawn with fewer
//! triangles. Without a graphics card, a triangle costs about a microsecond.

use std::collections::BTreeMap;

use reckoning::DVec3;

use super::cut::Hollow;
use super::mesh::Mesh;
use super::view::View;

/// How far away a tile is drawn in each of its ways; further away in the last one.
pub const NEARNESS_M: [f64; 2] = [130.0, 330.0];
/// Cells of the ground along the side of a tile.
const TILE_CELLS: u32 = 16;
/// How wide the cells of a tile become with distance.
const STEPS: [u32; 3] = [1, 2, 4];
/// Wider cells are taken only where they are no further off than this, or bodies would seem to float.
const OFF_M: [f64; 3] = [0.0, 0.7, 2.0];

/// Triangles that lie together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tile {
    /// Near, further away and far away: the first index and how many.
    pub ways: [[u32; 2]; 3],
    /// The middle of a ball around them.
    pub centre: DVec3,
    /// Its radius.
    pub radius_m: f64,
}

impl Tile {
    fn new(mesh: &Mesh, ways: [[u32; 2]; 3]) -> Self {
        let [first, count] = ways[0].map(|it| it as usize);
        let places = || mesh.indices[first..first + count].iter().map(|it| mesh.place(*it));
        let low = places().fold(DVec3::MAX, DVec3::min);
        let high = places().fold(DVec3::MIN, DVec3::max);
        let centre = (low + high) * 0.5;
        let radius_m = places().map(|it| it.distance(centre)).fold(0.0, f64::max);
        Self { ways, centre, radius_m }
    }

    /// The same, when its mesh comes after so many indices of others.
    #[must_use]
    pub fn moved(mut self, by: u32) -> Self {
        self.ways.iter_mut().for_each(|it| it[0] += by);
        self
    }
}

/// A mesh in tiles of that side; the second mesh is only drawn near.
#[must_use]
pub fn by_squares(always: &Mesh, near: &Mesh, side_m: f64) -> (Mesh, Vec<Tile>) {
    let mut mesh = Mesh::default();
    let mut squares = BTreeMap::<[i32; 2], [Vec<u32>; 2]>::new();
    for (which, part) in [always, near].into_iter().enumerate() {
        let [first, _] = mesh.append(part);
        for triangle in mesh.indices[first as usize..].chunks(3) {
            let at = mesh.place(triangle[0]);
            let square = [at.y, at.x].map(|it| (it / side_m).floor() as i32);
            squares.entry(square).or_default()[which].extend(triangle);
        }
    }
    mesh.indices.clear();
    let mut tiles = Vec::with_capacity(squares.len());
    for [always, near] in squares.values() {
        let first = mesh.indices.len() as u32;
        mesh.indices.extend(always.iter().chain(near));
        let far = [first, always.len() as u32];
        let all = [first, (always.len() + near.len()) as u32];
        tiles.push(Tile::new(&mesh, [all, far, far]));
    }
    (mesh, tiles)
}

/// Tiles of a ground whose vertices are rows of `cells` + 1, with openings.
#[must_use]
pub fn of_ground(mesh: &mut Mesh, cells: u32, hollows: &[Hollow]) -> Vec<Tile> {
    mesh.indices.clear();
    let firsts = || (0..cells).step_by(TILE_CELLS as usize);
    let corners: Vec<[u32; 2]> = firsts().flat_map(|y| firsts().map(move |x| [x, y])).collect();
    let mut ways = vec![[[0; 2]; 3]; corners.len()];
    // Tiles of one way side by side, so that several become one draw.
    for (way, step) in STEPS.into_iter().enumerate() {
        for (at, corner) in corners.iter().enumerate() {
            let first = mesh.indices.len() as u32;
            let triangles = Square { first: *corner, cells, step }.triangles();
            if way > 0 && off_m(mesh, cells, &triangles) > OFF_M[way] {
                ways[at][way] = ways[at][way - 1];
                continue;
            }
            for triangle in triangles {
                push_cut(mesh, triangle, hollows);
            }
            ways[at][way] = [first, mesh.indices.len() as u32 - first];
        }
    }
    ways.into_iter().map(|it| Tile::new(mesh, it)).collect()
}

/// How far the middles of triangles are from the ground in its narrowest cells.
fn off_m(mesh: &Mesh, cells: u32, triangles: &[[u32; 3]]) -> f64 {
    let wide = cells + 1;
    let mean = |it: [u32; 3]| f64::from(it[0] + it[1] + it[2]) / 3.0;
    let off = |triangle: &[u32; 3]| {
        let [x, y] = [mean(triangle.map(|it| it % wide)), mean(triangle.map(|it| it / wide))];
        let (column, row) = ((x as u32).min(cells - 1), (y as u32).min(cells - 1));
        let [u, v] = [x - f64::from(column), y - f64::from(row)];
        let height = |dx: u32, dy: u32| mesh.place((row + dy) * wide + column + dx).z;
        let low = height(0, 0) + (height(1, 0) - height(0, 0)) * u;
        let high = height(0, 1) + (height(1, 1) - height(0, 1)) * u;
        let middle = triangle.iter().map(|it| mesh.place(*it).z).sum::<f64>() / 3.0;
        (low + (high - low) * v - middle).abs()
    };
    triangles.iter().map(off).fold(0.0, f64::max)
}

fn push_cut(mesh: &mut Mesh, triangle: [u32; 3], hollows: &[Hollow]) {
    let mut pieces = vec![triangle];
    for hollow in hollows {
        pieces = pieces.into_iter().flat_map(|it| hollow.outside(mesh, it)).collect();
    }
    mesh.indices.extend(pieces.into_flattened());
}

/// A tile of the ground, in cells of `step`. Its rim keeps every vertex, so that tiles of all steps fit.
struct Square {
    first: [u32; 2],
    cells: u32,
    step: u32,
}

impl Square {
    fn triangles(&self) -> Vec<[u32; 3]> {
        let [x0, y0] = self.first;
        let [x1, y1] = self.first.map(|it| (it + TILE_CELLS).min(self.cells));
        let step = self.step as usize;
        let mut out = Vec::new();
        for y in (y0..y1).step_by(step) {
            for x in (x0..x1).step_by(step) {
                let [xe, ye] = [(x + self.step).min(x1), (y + self.step).min(y1)];
                self.cell([x, y], [xe, ye], [y == y0, xe == x1, ye == y1, x == x0], &mut out);
            }
        }
        out
    }

    /// A fan; `rims` says whether the lower, right, upper and left side are on the rim.
    fn cell(&self, [x, y]: [u32; 2], [xe, ye]: [u32; 2], rims: [bool; 4], out: &mut Vec<[u32; 3]>) {
        let number = |x: u32, y: u32| y * (self.cells + 1) + x;
        let between = |from: u32, to: u32, is_rim: bool| {
            (from..to).step_by(if is_rim { 1 } else { (to - from) as usize })
        };
        // Counter-clockwise, side by side, each without its end.
        let sides: [Vec<u32>; 4] = [
            between(x, xe, rims[0]).map(|it| number(it, y)).collect(),
            between(y, ye, rims[1]).map(|it| number(xe, it)).collect(),
            between(x, xe, rims[2]).map(|it| number(x + xe - it, ye)).collect(),
            between(y, ye, rims[3]).map(|it| number(x, y + ye - it)).collect(),
        ];
        // From a corner between two plain sides. The first choice cuts as the engine's height field
        // does: from the lower right to the upper left.
        let is_plain = |side: &usize| sides[*side].len() == 1 && sides[(side + 3) % 4].len() == 1;
        let Some(begin) = [1, 3, 0, 2].into_iter().find(is_plain) else {
            for y in y..ye {
                for x in x..xe {
                    self.cell([x, y], [x + 1, y + 1], [false; 4], out);
                }
            }
            return;
        };
        let ring: Vec<u32> = (begin..begin + 4).flat_map(|it| sides[it % 4].clone()).collect();
        out.extend((2..ring.len()).map(|at| [ring[0], ring[at - 1], ring[at]]));
    }
}

/// Stretches of indices that a view may see; side by side they become one.
#[must_use]
pub fn seen(tiles: &[Tile], view: &View) -> Vec<[u32; 2]> {
    let mut stretches: Vec<[u32; 2]> = Vec::new();
    for tile in tiles.iter().filter(|it| view.may_see(it.centre, it.radius_m)) {
        let away_m = tile.centre.distance(view.eye) - tile.radius_m;
        let way = NEARNESS_M.iter().filter(|it| away_m > **it).count();
        let [first, count] = tile.ways[way];
        match stretches.last_mut() {
            Some(last) if last[0] + last[1] == first => last[1] += count,
            _ => stretches.push([first, count]),
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use reckoning_arena::hills::HillsLevel;

    use super::super::colours::DARK;
    use super::super::structures::{rails_mesh, structures_mesh};
    use super::super::terrain::{ground_cells, ground_tiles};
    use super::*;

    const SIZE: [f64; 2] = [800.0, 500.0];

    /// The area of these triangles seen from above, and how many face down.
    fn covered_m2(mesh: &Mesh, [first, count]: [u32; 2]) -> (f64, usize) {
        let indices = &mesh.indices[first as usize..(first + count) as usize];
        let areas = indices.chunks(3).map(|it| {
            let [a, b, c] = [0, 1, 2].map(|at| mesh.place(it[at]).with_z(0.0));
            0.5 * (b - a).cross(c - a).z
        });
        (areas.clone().sum(), areas.filter(|it| *it < -1e-6).count())
    }

    #[test]
    fn every_way_of_a_tile_covers_all_of_it_from_above() {
        for cells in [48, 41, 17] {
            let mut mesh = Mesh::default();
            for at in 0..(cells + 1) * (cells + 1) {
                let place =
                    DVec3::new(f64::from(at % (cells + 1)), f64::from(at / (cells + 1)), 0.0);
                mesh.vertex(place, DVec3::Z, super::super::mesh::TEAM);
            }
            let tiles = of_ground(&mut mesh, cells, &[]);
            for way in 0..3 {
                let covers: Vec<_> =
                    tiles.iter().map(|it| covered_m2(&mesh, it.ways[way])).collect();
                let all: f64 = covers.iter().map(|it| it.0).sum();
                assert!((all - f64::from(cells * cells)).abs() < 1e-6, "{cells} {way}: {all}");
                assert!(covers.iter().all(|it| it.1 == 0), "{cells} {way}: some face down");
            }
        }
    }

    #[test]
    fn tiles_of_different_ways_meet_without_a_gap() {
        let cells = ground_cells(&HillsLevel::built_in());
        let square = |step| Square { first: [16, 16], cells, step };
        let rim = |step| {
            let on = |it: &u32| it / (cells + 1) == 16;
            let all = square(step).triangles().into_flattened();
            all.into_iter().filter(on).collect::<std::collections::BTreeSet<u32>>()
        };
        assert_eq!(rim(1).len(), 17);
        assert_eq!(rim(1), rim(2));
        assert_eq!(rim(1), rim(4));
    }

    #[test]
    fn nothing_in_the_picture_is_left_out() {
        let level = HillsLevel::built_in();
        let (mesh, tiles) =
            by_squares(&structures_mesh(&level, &DARK), &rails_mesh(&level, &DARK), 128.0);
        for yaw in [0.3, 1.9, 3.6, 5.2] {
            let view = View::looking(DVec3::new(500.0, 480.0, 40.0), yaw, -0.1, SIZE);
            let stretches = seen(&tiles, &view);
            for (at, index) in mesh.indices.iter().enumerate() {
                let place = mesh.place(*index);
                let Some(([x, y], _)) = view.to_page(place) else { continue };
                let is_in = (0.0..SIZE[0]).contains(&x) && (0.0..SIZE[1]).contains(&y);
                let is_near = place.distance(view.eye) < NEARNESS_M[0];
                let has = |it: &[u32; 2]| (it[0]..it[0] + it[1]).contains(&(at as u32));
                assert!(!(is_in && is_near) || stretches.iter().any(has), "{yaw}: {at} at {x} {y}");
            }
        }
    }

    #[test]
    fn a_view_over_everything_stays_cheap() {
        let level = HillsLevel::built_in();
        let (_, ground) = ground_tiles(&level, &DARK);
        let (_, built) =
            by_squares(&structures_mesh(&level, &DARK), &rails_mesh(&level, &DARK), 128.0);
        let view = View::looking(DVec3::new(60.0, 60.0, 190.0), 0.8, -0.3, SIZE);
        let count = |tiles: &[Tile]| seen(tiles, &view).iter().map(|it| it[1] / 3).sum::<u32>();
        println!("{} triangles of ground, {} of what is built", count(&ground), count(&built));
        assert!(count(&ground) < 12_000 && count(&built) < 6_000);
    }
}
