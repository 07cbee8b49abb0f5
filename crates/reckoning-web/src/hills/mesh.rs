//! Triangles and lines, as a graphics card takes them.
//!
//! A vertex is 20 bytes: three `f32` of a place, a normal in four signed bytes, and a colour in four
//! bytes. The last of the colour says how much of an instance's own colour it takes: 0 nothing, 255
//! everything.

use libm::{cos, sin};
use reckoning::DVec3;

use super::colours::Colour;

/// Bytes of a vertex.
pub const VERTEX_BYTES: usize = 20;

/// Vertices, and which three of them, or two, belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mesh {
    /// All vertices, byte by byte.
    pub vertices: Vec<u8>,
    /// Their numbers.
    pub indices: Vec<u32>,
}

/// What a surface looks like: its colour and how much of the instance's it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paint {
    /// Its own colour.
    pub colour: Colour,
    /// How much of the instance's.
    pub takes: u8,
}

/// A surface of that colour alone.
#[must_use]
pub const fn plain(colour: Colour) -> Paint {
    Paint { colour, takes: 0 }
}

/// A surface in the colour of the instance.
pub const TEAM: Paint = Paint { colour: [128, 128, 128], takes: 255 };
/// The same, darker.
pub const TEAM_DARK: Paint = Paint { colour: [20, 24, 30], takes: 150 };

impl Mesh {
    /// Vertices so far.
    #[must_use]
    pub fn len(&self) -> u32 {
        (self.vertices.len() / VERTEX_BYTES) as u32
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }

    /// Adds a vertex; returns its number.
    pub fn vertex(&mut self, at: DVec3, normal: DVec3, paint: Paint) -> u32 {
        let number = self.len();
        for value in [at.x, at.y, at.z] {
            self.vertices.extend((value as f32).to_le_bytes());
        }
        for value in [normal.x, normal.y, normal.z, 0.0] {
            self.vertices.push((value * 127.0) as i8 as u8);
        }
        self.vertices.extend(paint.colour);
        self.vertices.push(paint.takes);
        number
    }

    /// Where a vertex is.
    #[must_use]
    pub fn place(&self, number: u32) -> DVec3 {
        place_of(&self.vertices[number as usize * VERTEX_BYTES..])
    }

    /// How far from its origin it reaches.
    #[must_use]
    pub fn radius_m(&self) -> f64 {
        self.vertices.chunks(VERTEX_BYTES).map(|it| place_of(it).length()).fold(0.0, f64::max)
    }

    /// Adds all of another mesh; returns its first index here and how many it has.
    pub fn append(&mut self, other: &Self) -> [u32; 2] {
        let (first, moved) = (self.indices.len() as u32, self.len());
        self.vertices.extend(&other.vertices);
        self.indices.extend(other.indices.iter().map(|it| it + moved));
        [first, other.indices.len() as u32]
    }

    /// Adds a vertex inside a triangle, with what its corners have by their shares.
    pub fn blend(&mut self, triangle: [u32; 3], shares: DVec3) -> u32 {
        let [a, b, c] = triangle.map(|it| it as usize * VERTEX_BYTES);
        let mixed = |at: usize, of: fn(u8) -> f64| {
            [a, b, c]
                .into_iter()
                .zip(shares.to_array())
                .map(|(first, share)| of(self.vertices[first + at]) * share)
                .sum::<f64>()
        };
        let signed = |at| mixed(at, |it| f64::from(it.cast_signed())) / 127.0;
        let normal = DVec3::new(signed(12), signed(13), signed(14)).normalize_or(DVec3::Z);
        let colour = [16, 17, 18].map(|at| mixed(at, f64::from) as u8);
        let paint = Paint { colour, takes: mixed(19, f64::from) as u8 };
        let [a, b, c] = triangle.map(|it| self.place(it));
        self.vertex(a * shares.x + b * shares.y + c * shares.z, normal, paint)
    }

    /// A flat face with these corners, counter-clockwise from where it is seen.
    pub fn face(&mut self, corners: &[DVec3], paint: Paint) {
        let normal =
            (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or(DVec3::Z);
        let first = self.len();
        for corner in corners {
            self.vertex(*corner, normal, paint);
        }
        for at in 2..corners.len() as u32 {
            self.indices.extend([first, first + at - 1, first + at]);
        }
    }

    /// A block; its upper rim is narrower by `taper` (1 as wide as its foot).
    pub fn block(&mut self, centre: DVec3, half: DVec3, taper: f64, paint: Paint) {
        let corner = |x: f64, y: f64, z: f64| {
            let wide = if z > 0.0 { taper } else { 1.0 };
            centre + DVec3::new(x * half.x * wide, y * half.y * wide, z * half.z)
        };
        let (l, r) = (-1.0, 1.0);
        let faces = [
            [corner(l, l, r), corner(r, l, r), corner(r, r, r), corner(l, r, r)],
            [corner(l, r, l), corner(r, r, l), corner(r, l, l), corner(l, l, l)],
            [corner(r, l, l), corner(r, r, l), corner(r, r, r), corner(r, l, r)],
            [corner(l, r, l), corner(l, l, l), corner(l, l, r), corner(l, r, r)],
            [corner(r, r, l), corner(l, r, l), corner(l, r, r), corner(r, r, r)],
            [corner(l, l, l), corner(r, l, l), corner(r, l, r), corner(l, l, r)],
        ];
        for face in &faces {
            self.face(face, paint);
        }
    }

    /// A block between two places, on the ground or in the air.
    pub fn beam(&mut self, from: DVec3, to: DVec3, half_wide: f64, half_high: f64, paint: Paint) {
        let along = super::affine::Affine::along(from, to, 1.0)
            .stretched(DVec3::new(1.0, half_wide, half_high));
        let first = self.vertices.len();
        self.block(DVec3::ZERO, DVec3::ONE, 1.0, paint);
        self.move_since(first, |at| along.point(at));
    }

    /// Moves the vertices from this byte on; normals are made anew, face by face of four.
    fn move_since(&mut self, first: usize, to: impl Fn(DVec3) -> DVec3) {
        for face in self.vertices[first..].chunks_mut(4 * VERTEX_BYTES) {
            let mut corners = [DVec3::ZERO; 4];
            for (corner, vertex) in corners.iter_mut().zip(face.chunks_mut(VERTEX_BYTES)) {
                *corner = to(place_of(vertex));
                for (at, value) in [corner.x, corner.y, corner.z].into_iter().enumerate() {
                    vertex[at * 4..at * 4 + 4].copy_from_slice(&(value as f32).to_le_bytes());
                }
            }
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            let normal = normal.normalize_or(DVec3::Z);
            for vertex in face.chunks_mut(VERTEX_BYTES) {
                for (at, value) in [normal.x, normal.y, normal.z].into_iter().enumerate() {
                    vertex[12 + at] = (value * 127.0) as i8 as u8;
                }
            }
        }
    }

    /// An upright cone or, with an upper radius, a stump.
    pub fn cone(&mut self, foot: DVec3, radii: [f64; 2], high: f64, sides: u32, paint: Paint) {
        let ring = |side: u32, radius: f64, z: f64| {
            let turn = f64::from(side) / f64::from(sides) * std::f64::consts::TAU;
            foot + DVec3::new(cos(turn) * radius, sin(turn) * radius, z)
        };
        for side in 0..sides {
            let (a, b) = (ring(side, radii[0], 0.0), ring(side + 1, radii[0], 0.0));
            let (c, d) = (ring(side + 1, radii[1], high), ring(side, radii[1], high));
            if radii[1] > 0.0 {
                self.face(&[a, b, c, d], paint);
                self.face(&[foot + DVec3::Z * high, d, c], paint);
            } else {
                self.face(&[a, b, d], paint);
            }
        }
    }

    /// A wheel about the y axis.
    pub fn wheel(&mut self, radius: f64, half_wide: f64, paint: Paint, spokes: Paint) {
        const SIDES: u32 = 10;
        let ring = |side: u32, y: f64, radius: f64| {
            let turn = f64::from(side) / f64::from(SIDES) * std::f64::consts::TAU;
            DVec3::new(cos(turn) * radius, y, sin(turn) * radius)
        };
        let w = half_wide;
        for side in 0..SIDES {
            let (a, b) = (side, side + 1);
            self.face(
                &[ring(a, -w, radius), ring(a, w, radius), ring(b, w, radius), ring(b, -w, radius)],
                paint,
            );
            // Every other piece differs, so that one sees it spin.
            let shown = if side % 2 == 0 { spokes } else { paint };
            self.face(&[DVec3::new(0.0, w, 0.0), ring(b, w, radius), ring(a, w, radius)], shown);
            self.face(&[DVec3::new(0.0, -w, 0.0), ring(a, -w, radius), ring(b, -w, radius)], shown);
        }
    }

    /// A flat disc of radius 1 about the z axis.
    pub fn disc(&mut self, paint: Paint) {
        const SIDES: u32 = 20;
        let ring = |side: u32| {
            let turn = f64::from(side) / f64::from(SIDES) * std::f64::consts::TAU;
            DVec3::new(cos(turn), sin(turn), 0.0)
        };
        let corners: Vec<DVec3> = (0..SIDES).map(ring).collect();
        self.face(&corners, paint);
    }

    /// The edges of the block from -1 to 1, as lines.
    pub fn wire_block(&mut self, paint: Paint) {
        let first = self.len();
        for corner in 0..8 {
            let side = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
            self.vertex(DVec3::new(side(0), side(1), side(2)), DVec3::Z, paint);
        }
        for (a, b) in EDGES {
            self.indices.extend([first + a, first + b]);
        }
    }
}

/// Which corners of a block an edge joins.
const EDGES: [(u32, u32); 12] = [
    (0, 1),
    (2, 3),
    (4, 5),
    (6, 7),
    (0, 2),
    (1, 3),
    (4, 6),
    (5, 7),
    (0, 4),
    (1, 5),
    (2, 6),
    (3, 7),
];

/// Where a vertex is.
fn place_of(vertex: &[u8]) -> DVec3 {
    let number = |at: usize| {
        let bytes = [vertex[at], vertex[at + 1], vertex[at + 2], vertex[at + 3]];
        f64::from(f32::from_le_bytes(bytes))
    };
    DVec3::new(number(0), number(4), number(8))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Where all vertices are.
    pub fn places(mesh: &Mesh) -> Vec<DVec3> {
        mesh.vertices.chunks(VERTEX_BYTES).map(place_of).collect()
    }

    /// Twice the volume that the triangles enclose, times three: positive when they face outwards.
    fn enclosed(mesh: &Mesh) -> f64 {
        let at = places(mesh);
        let corner = |index: &u32| at[*index as usize];
        mesh.indices
            .chunks(3)
            .map(|t| corner(&t[0]).dot(corner(&t[1]).cross(corner(&t[2]))))
            .sum::<f64>()
            / 6.0
    }

    #[test]
    fn solid_meshes_face_outwards() {
        let paint = plain([9, 9, 9]);
        let mut block = Mesh::default();
        block.block(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0), 1.0, paint);
        assert!((enclosed(&block) - 48.0).abs() < 1e-6, "{}", enclosed(&block));
        let mut beam = Mesh::default();
        beam.beam(DVec3::new(0.0, 0.0, 5.0), DVec3::new(0.0, 10.0, 5.0), 1.0, 0.5, paint);
        assert!((enclosed(&beam) - 20.0).abs() < 1e-4, "{}", enclosed(&beam));
        let mut wheel = Mesh::default();
        wheel.wheel(1.0, 0.5, paint, paint);
        assert!(enclosed(&wheel) > 2.5, "{}", enclosed(&wheel));
        let mut cone = Mesh::default();
        cone.cone(DVec3::ZERO, [1.0, 0.0], 3.0, 8, paint);
        assert!(enclosed(&cone) > 2.0, "{}", enclosed(&cone));
    }

    #[test]
    fn indices_name_vertices_that_are_there() {
        let mut mesh = Mesh::default();
        mesh.disc(TEAM);
        mesh.wire_block(TEAM);
        mesh.cone(DVec3::ZERO, [1.0, 0.5], 1.0, 6, TEAM);
        assert!(mesh.indices.iter().all(|it| *it < mesh.len()));
    }
}
