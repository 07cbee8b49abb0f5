//! Triangles of the level in tiles, so that those out of the picture are left out.

use std::collections::BTreeMap;

use reckoning::DVec3;

use super::mesh::Mesh;
use super::view::View;

/// Triangles that lie together, as a stretch of a mesh's indices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tile {
    /// The first index.
    pub first: u32,
    /// How many there are.
    pub count: u32,
    /// The middle of a ball around them.
    pub centre: DVec3,
    /// Its radius.
    pub radius_m: f64,
}

/// Sorts the triangles of a mesh by squares of that side, row by row; those of one become a tile.
#[must_use]
pub fn into_tiles(mesh: &mut Mesh, side_m: f64) -> Vec<Tile> {
    let mut squares = BTreeMap::<[i32; 2], Vec<u32>>::new();
    for triangle in mesh.indices.chunks(3) {
        let at = mesh.place(triangle[0]);
        let square = [at.y, at.x].map(|it| (it / side_m).floor() as i32);
        squares.entry(square).or_default().extend(triangle);
    }
    mesh.indices.clear();
    let mut tiles = Vec::with_capacity(squares.len());
    for indices in squares.values() {
        let (centre, radius_m) = ball(mesh, indices);
        let first = mesh.indices.len() as u32;
        mesh.indices.extend(indices);
        tiles.push(Tile { first, count: indices.len() as u32, centre, radius_m });
    }
    tiles
}

/// A ball around these vertices: not the smallest, but a small one.
fn ball(mesh: &Mesh, indices: &[u32]) -> (DVec3, f64) {
    let places = || indices.iter().map(|it| mesh.place(*it));
    let low = places().fold(DVec3::MAX, DVec3::min);
    let high = places().fold(DVec3::MIN, DVec3::max);
    let centre = (low + high) * 0.5;
    (centre, places().map(|it| it.distance(centre)).fold(0.0, f64::max))
}

/// Stretches of indices that a view may see: tiles side by side become one. Those further away than
/// `within_m` are left out.
#[must_use]
pub fn seen(tiles: &[Tile], view: &View, within_m: f64) -> Vec<[u32; 2]> {
    let mut stretches: Vec<[u32; 2]> = Vec::new();
    for tile in tiles {
        let is_near = tile.centre.distance(view.eye) - tile.radius_m < within_m;
        if !is_near || !view.may_see(tile.centre, tile.radius_m) {
            continue;
        }
        match stretches.last_mut() {
            Some([first, count]) if *first + *count == tile.first => *count += tile.count,
            _ => stretches.push([tile.first, tile.count]),
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use reckoning_arena::hills::HillsLevel;

    use super::super::colours::DARK;
    use super::super::terrain::ground_mesh;
    use super::*;

    const SIZE: [f64; 2] = [800.0, 500.0];

    fn sorted(indices: &[u32]) -> Vec<&[u32]> {
        let mut triangles: Vec<&[u32]> = indices.chunks(3).collect();
        triangles.sort_unstable();
        triangles
    }

    #[test]
    fn tiles_hold_every_triangle_once() {
        let mut mesh = ground_mesh(&HillsLevel::built_in(), &DARK);
        let before = mesh.indices.clone();
        let tiles = into_tiles(&mut mesh, 128.0);
        assert_eq!(sorted(&before), sorted(&mesh.indices));
        let mut next = 0;
        for tile in &tiles {
            assert_eq!(tile.first, next, "without a gap");
            next += tile.count;
        }
        assert_eq!(next as usize, before.len());
    }

    #[test]
    fn nothing_in_the_picture_is_left_out() {
        let mut mesh = ground_mesh(&HillsLevel::built_in(), &DARK);
        let tiles = into_tiles(&mut mesh, 128.0);
        for yaw in [0.3, 1.9, 3.6, 5.2] {
            let view = View::looking(DVec3::new(500.0, 480.0, 40.0), yaw, -0.1, SIZE);
            let stretches = seen(&tiles, &view, 2_000.0);
            let drawn = stretches.iter().map(|it| it[1]).sum::<u32>() as usize;
            assert!(drawn * 2 < mesh.indices.len(), "{drawn} of {}", mesh.indices.len());
            for (at, index) in mesh.indices.iter().enumerate() {
                let Some(([x, y], _)) = view.to_page(mesh.place(*index)) else { continue };
                let is_in = (0.0..SIZE[0]).contains(&x) && (0.0..SIZE[1]).contains(&y);
                let has = |it: &[u32; 2]| (it[0]..it[0] + it[1]).contains(&(at as u32));
                assert!(!is_in || stretches.iter().any(has), "{yaw}: index {at} at {x} {y}");
            }
        }
    }
}
