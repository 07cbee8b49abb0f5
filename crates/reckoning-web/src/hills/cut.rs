//! Openings in the ground where tunnels begin and end.
//!
//! A height field has no holes, so the slope above a portal would close the tunnel. What of a triangle
//! is inside the tube is cut away; the rest stays, in pieces.

use reckoning::DVec3;
use reckoning_arena::hills::TunnelSpot;

use super::mesh::Mesh;

/// Smaller pieces come from rounding.
const SLIVER_M2: f64 = 1e-4;

/// The inside of a tunnel, between six planes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hollow {
    /// A point of each plane and where it leads out.
    planes: [(DVec3, DVec3); 6],
}

/// A corner: where it is, and what share each corner of its triangle has in it.
#[derive(Clone, Copy)]
struct Corner {
    at: DVec3,
    shares: DVec3,
}

impl Hollow {
    /// Of a tunnel.
    #[must_use]
    pub fn new(tunnel: &TunnelSpot) -> Self {
        let (from, to) = (DVec3::from(tunnel.from), DVec3::from(tunnel.to));
        let way = (to - from).normalize_or(DVec3::X);
        let left = DVec3::Z.cross(way).normalize_or(DVec3::Y);
        let up = way.cross(left);
        let wide = left * (0.5 * tunnel.width_m);
        Self {
            planes: [
                (from, -way),
                (to, way),
                (from + wide, left),
                (from - wide, -left),
                (from + DVec3::Z * tunnel.height_m, up),
                (from, -up),
            ],
        }
    }

    /// What of a triangle is outside, as triangles; new corners become vertices of the mesh.
    pub fn outside(&self, mesh: &mut Mesh, triangle: [u32; 3]) -> Vec<[u32; 3]> {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        let corner = |(number, shares): (&u32, DVec3)| Corner { at: mesh.place(*number), shares };
        let mut inside: Vec<Corner> = triangle.iter().zip(axes).map(corner).collect();
        let mut pieces = Vec::new();
        for plane in &self.planes {
            let (out, rest) = split(&inside, plane);
            if rest.len() < 3 {
                return vec![triangle];
            }
            pieces.push(out);
            inside = rest;
        }
        let mut kept = Vec::new();
        for piece in pieces.iter().filter(|it| area_m2(it) > SLIVER_M2) {
            let numbers: Vec<u32> =
                piece.iter().map(|it| mesh.blend(triangle, it.shares)).collect();
            kept.extend((2..numbers.len()).map(|at| [numbers[0], numbers[at - 1], numbers[at]]));
        }
        kept
    }
}

fn area_m2(piece: &[Corner]) -> f64 {
    let Some(first) = piece.first() else { return 0.0 };
    let twice = piece.windows(2).map(|it| (it[0].at - first.at).cross(it[1].at - first.at));
    0.5 * twice.sum::<DVec3>().length()
}

/// What of a flat piece is beyond a plane, and what is not.
fn split(piece: &[Corner], (on, out): &(DVec3, DVec3)) -> (Vec<Corner>, Vec<Corner>) {
    let (mut beyond, mut within) = (Vec::new(), Vec::new());
    let over = |it: &Corner| (it.at - *on).dot(*out);
    for (number, here) in piece.iter().enumerate() {
        let next = &piece[(number + 1) % piece.len()];
        let (a, b) = (over(here), over(next));
        if a > 0.0 { &mut beyond } else { &mut within }.push(*here);
        if (a > 0.0) != (b > 0.0) {
            let share = a / (a - b);
            let between = |from: DVec3, to: DVec3| from + (to - from) * share;
            let cut =
                Corner { at: between(here.at, next.at), shares: between(here.shares, next.shares) };
            beyond.push(cut);
            within.push(cut);
        }
    }
    (beyond, within)
}

#[cfg(test)]
mod tests {
    use super::super::mesh::plain;
    use super::*;

    fn area(mesh: &Mesh, triangles: &[[u32; 3]]) -> f64 {
        let of = |it: &[u32; 3]| {
            let [a, b, c] = it.map(|number| mesh.place(number));
            0.5 * (b - a).cross(c - a).length()
        };
        triangles.iter().map(of).sum()
    }

    fn slope(mesh: &mut Mesh, corners: [[f64; 3]; 3]) -> [u32; 3] {
        corners.map(|it| mesh.vertex(DVec3::from(it), DVec3::Z, plain([90, 60, 30])))
    }

    fn tube() -> Hollow {
        Hollow::new(&TunnelSpot {
            name: String::new(),
            from: [0.0, 0.0, 0.0],
            to: [100.0, 0.0, 0.0],
            width_m: 8.0,
            height_m: 6.0,
        })
    }

    #[test]
    fn a_slope_across_a_tunnel_loses_what_is_in_the_tube() {
        let mut mesh = Mesh::default();
        let wall = slope(&mut mesh, [[50.0, -40.0, -20.0], [50.0, 40.0, -20.0], [50.0, 0.0, 60.0]]);
        let whole = area(&mesh, &[wall]);
        let kept = tube().outside(&mut mesh, wall);
        let lost = whole - area(&mesh, &kept);
        assert!((lost - 8.0 * 6.0).abs() < 1e-3, "{lost}");
        let facing = |it: &[u32; 3]| {
            let [a, b, c] = it.map(|number| mesh.place(number));
            (b - a).cross(c - a).x
        };
        assert!(kept.iter().all(|it| facing(it) > -1e-6), "pieces face as the triangle did");
    }

    #[test]
    fn ground_above_and_beside_a_tunnel_stays_as_it_is() {
        let mut mesh = Mesh::default();
        for corners in [
            [[10.0, -9.0, 7.0], [30.0, -9.0, 7.0], [20.0, 9.0, 7.0]],
            [[10.0, 5.0, 3.0], [30.0, 5.0, 3.0], [20.0, 19.0, 3.0]],
            [[-30.0, -9.0, 1.0], [-3.0, -9.0, 1.0], [-10.0, 9.0, 1.0]],
        ] {
            let triangle = slope(&mut mesh, corners);
            assert_eq!(tube().outside(&mut mesh, triangle), [triangle]);
        }
    }
}
