//! Where the rails lie, and whether the train comes.

use reckoning::DVec3;

use super::super::body::Body;
use super::super::craft::Craft;
use super::super::level::HillsLevel;

/// Squares of this size know whether rails lie in them.
const CELL_M: f64 = 4.0;
/// What is this close to the rails is in the way of the train.
const NEAR_M: f64 = 4.5;
/// Rails that are this much higher or lower belong to a bridge or a tunnel.
const LEVEL_M: f64 = 5.0;

/// A coarse picture of the track from above.
#[derive(Clone, Debug)]
pub(super) struct Rails {
    side: usize,
    /// Per square, how far along the track and how high its rails are.
    squares: Vec<Option<(f64, f64)>>,
    length_m: f64,
}

impl Rails {
    pub(super) fn new(level: &HillsLevel) -> Self {
        let side = ((level.size_m() / CELL_M) as usize).max(1);
        let mut squares = vec![None; side * side];
        let length_m = level.track().length_m();
        let steps = (length_m / CELL_M) as usize + 1;
        for step in 0..steps {
            let progress_m = length_m * step as f64 / steps as f64;
            let (at, _) = level.track().place_at(progress_m);
            for square in squares_around(at, side) {
                let middle = |it: usize| (it as f64 + 0.5) * CELL_M;
                let gap = DVec3::new(middle(square % side), middle(square / side), at.z) - at;
                if squares[square].is_none() && gap.length_squared() < NEAR_M * NEAR_M {
                    squares[square] = Some((progress_m, at.z));
                }
            }
        }
        Self { side, squares, length_m }
    }

    /// How far along the track the rails are that pass a place; `None` away from them.
    pub(super) fn near(&self, point: DVec3) -> Option<f64> {
        let along = |it: f64| ((it / CELL_M) as usize).min(self.side - 1);
        let (progress_m, high_m) = self.squares[along(point.y) * self.side + along(point.x)]?;
        ((high_m - point.z).abs() < LEVEL_M).then_some(progress_m)
    }

    /// From one place along the track on to another.
    fn onward_m(&self, from_m: f64, to_m: f64) -> f64 {
        let gap = to_m - from_m;
        if gap < 0.0 { gap + self.length_m } else { gap }
    }
}

/// The squares within two of the one that a place is in.
fn squares_around(at: DVec3, side: usize) -> impl Iterator<Item = usize> {
    let span = move |it: f64| {
        let middle = ((it / CELL_M) as usize).min(side - 1);
        middle.saturating_sub(2)..=(middle + 2).min(side - 1)
    };
    span(at.y).flat_map(move |row| span(at.x).map(move |column| row * side + column))
}

/// Where the train is now.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Train {
    front_m: f64,
    long_m: f64,
    speed_mps: f64,
}

impl Train {
    pub(super) fn of(bodies: &[Body]) -> Option<Self> {
        let half_m = Craft::Train.shape().hull_half.x;
        let mut cars = bodies.iter().filter(|it| it.craft == Craft::Train);
        let first = cars.next()?;
        let reach_m = cars.map(|it| it.position.distance(first.position)).fold(0.0, f64::max);
        Some(Self {
            front_m: first.progress_m + half_m,
            long_m: reach_m + 2.0 * half_m,
            speed_mps: first.velocity.length(),
        })
    }

    /// Whether it is at a place of the track at any time within the next seconds.
    pub(super) fn takes(&self, rails: &Rails, progress_m: f64, within_s: f64) -> bool {
        let comes_m = rails.onward_m(self.front_m, progress_m);
        let passed_m = rails.onward_m(progress_m, self.front_m);
        comes_m < self.speed_mps * within_s + 8.0 || passed_m < self.long_m + 8.0
    }
}
