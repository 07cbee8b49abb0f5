//! Floors and ledges below a place, for levels seen from above and from the side.

use std::collections::BTreeMap;

use reckoning::DVec3;
use reckoning_recording::LevelShape;

/// Floors by the cell of a grid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Floors {
    cell: f64,
    triangles: BTreeMap<(i32, i32), Vec<[DVec3; 3]>>,
    ledges: Vec<(DVec3, DVec3)>,
}

impl Floors {
    pub(crate) fn from_shapes(shapes: &[LevelShape], body_width: f64) -> Self {
        let mut floors = Self { cell: (4.0 * body_width).max(1e-6), ..Self::default() };
        for shape in shapes {
            match *shape {
                LevelShape::Triangle { corners } => floors.add(corners),
                LevelShape::Ledge { from, to, .. } => floors.ledges.push((from, to)),
                _ => {}
            }
        }
        floors
    }

    fn cell_of(&self, x: f64, y: f64) -> (i32, i32) {
        (libm::floor(x / self.cell) as i32, libm::floor(y / self.cell) as i32)
    }

    fn add(&mut self, corners: [DVec3; 3]) {
        let [a, b, c] = corners;
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let (from, to) = (self.cell_of(low.x, low.y), self.cell_of(high.x, high.y));
        for x in from.0..=to.0 {
            for y in from.1..=to.1 {
                self.triangles.entry((x, y)).or_default().push(corners);
            }
        }
    }

    /// Height above the highest floor below; `None` where none is known.
    pub(crate) fn height_m(&self, at: DVec3) -> Option<f64> {
        if !self.ledges.is_empty() {
            let below = self.ledges.iter().filter(|(from, to)| {
                from.x.min(to.x) <= at.x && at.x <= from.x.max(to.x) && from.y <= at.y + 0.5
            });
            // Over the abyss: as high as it gets.
            return Some(below.map(|(from, _)| at.y - from.y).fold(1e3, f64::min));
        }
        let near = self.triangles.get(&self.cell_of(at.x, at.y))?;
        let below = near.iter().filter(|it| it[0].z <= at.z && contains(it, at));
        let height = below.map(|it| at.z - it[0].z).fold(f64::INFINITY, f64::min);
        height.is_finite().then_some(height)
    }
}

fn contains([a, b, c]: &[DVec3; 3], at: DVec3) -> bool {
    let side = |p: &DVec3, q: &DVec3| (q.x - p.x) * (at.y - p.y) - (q.y - p.y) * (at.x - p.x);
    let (one, two, three) = (side(a, b), side(b, c), side(c, a));
    (one >= 0.0 && two >= 0.0 && three >= 0.0) || (one <= 0.0 && two <= 0.0 && three <= 0.0)
}
