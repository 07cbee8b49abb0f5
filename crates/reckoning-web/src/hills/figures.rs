//! Figures of the hills, of the last seconds: errors of each way to show, and what sinks.

use std::collections::VecDeque;

use reckoning::{DVec3, SimTime, Terrain};
use serde::Serialize;

use super::stance::{HillsBody, Stance};
use crate::meter::DisplayMethod;

/// Seconds that figures are of.
const SECONDS: usize = 5;
/// A body that is deeper under the ground than this is under it.
pub const UNDER_M: f64 = 0.05;

/// A sum, to make a mean of.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    total: f64,
    count: u32,
}

impl Sum {
    fn add(&mut self, value: f64) {
        self.total += value;
        self.count += 1;
    }

    fn plus(self, other: Self) -> Self {
        Self { total: self.total + other.total, count: self.count + other.count }
    }

    fn mean(self) -> f64 {
        if self.count == 0 { 0.0 } else { self.total / f64::from(self.count) }
    }
}

/// What was seen within one second.
#[derive(Clone, Copy, Debug, Default)]
struct Second {
    number: i64,
    /// By the way to show: metres, degrees of the hull, degrees of the turret.
    off: [[Sum; 3]; 3],
    /// Whether a standing body was under the ground, 0 or 1 a look.
    under: Sum,
    deepest_m: f64,
}

/// Figures of the last seconds.
#[derive(Clone, Debug, Default)]
pub struct HillsMeter {
    seconds: VecDeque<Second>,
}

/// The figures, for the page and for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct HillsFigures {
    /// Mean error of what Reckoning shows, of the newest position, and of interpolation.
    pub error_m: [f64; 3],
    /// Of the orientation.
    pub turned_deg: [f64; 3],
    /// Of turrets on their hulls.
    pub turret_deg: [f64; 3],
    /// The share of looks at standing bodies in which they were under the ground.
    pub under_share: f64,
    /// How deep at most.
    pub deepest_m: f64,
    /// How many looks these figures are of.
    pub looks: u32,
}

impl HillsMeter {
    fn second(&mut self, now: SimTime) -> &mut Second {
        let number = now.as_micros().div_euclid(1_000_000);
        if self.seconds.back().is_none_or(|it| it.number != number) {
            self.seconds.push_back(Second { number, ..Second::default() });
            if self.seconds.len() > SECONDS {
                self.seconds.pop_front();
            }
        }
        let last = self.seconds.len() - 1;
        &mut self.seconds[last]
    }

    /// A body of somebody else in this frame.
    pub fn look(&mut self, now: SimTime, body: &HillsBody, terrain: &(impl Terrain + ?Sized)) {
        if !body.is_alive || !body.is_settled {
            return;
        }
        let depth_m = body.craft.is_grounded().then(|| depth_m(body, terrain));
        let second = self.second(now);
        if let Some(depth_m) = depth_m {
            second.under.add(f64::from(u8::from(depth_m > UNDER_M)));
            second.deepest_m = second.deepest_m.max(depth_m);
        }
        let Some(truth) = body.truth else { return };
        let ways = [Some(body.shown), body.naive, body.interpolated];
        let has_turret = body.craft.shape().turret.is_some();
        for (sums, way) in second.off.iter_mut().zip(ways) {
            let Some(off) = way.map(|it: Stance| it.off(&truth)) else { continue };
            sums[0].add(off[0]);
            sums[1].add(off[1]);
            if has_turret {
                sums[2].add(off[2]);
            }
        }
    }

    /// Nothing was seen.
    pub fn clear(&mut self) {
        self.seconds.clear();
    }

    /// The mean error of one way to show, in metres.
    #[must_use]
    pub fn error_m(&self, method: DisplayMethod) -> f64 {
        self.figures().error_m[method as usize]
    }

    /// All of them.
    #[must_use]
    pub fn figures(&self) -> HillsFigures {
        let sum = |of: &dyn Fn(&Second) -> Sum| {
            self.seconds.iter().map(of).fold(Sum::default(), Sum::plus)
        };
        let each = |what: usize| [0, 1, 2].map(|way| sum(&|it| it.off[way][what]).mean());
        let under = sum(&|it| it.under);
        HillsFigures {
            error_m: each(0),
            turned_deg: each(1),
            turret_deg: each(2),
            under_share: under.mean(),
            deepest_m: self.seconds.iter().map(|it| it.deepest_m).fold(0.0, f64::max),
            looks: under.count,
        }
    }
}

/// How deep the lowest corner of a body's footprint is under the ground; 0 above it.
#[must_use]
pub fn depth_m(body: &HillsBody, terrain: &(impl Terrain + ?Sized)) -> f64 {
    let pose = body.shown.pose;
    // What sank is asked from above, but not from above a tunnel.
    let asks = pose.position + DVec3::Z;
    let Some(ground) = terrain.ground_below(asks) else { return 0.0 };
    (ground.point.z - pose.position.z).max(0.0)
}

#[cfg(test)]
mod tests {
    use reckoning::terrain::FlatGround;
    use reckoning_arena::hills::Craft;

    use super::*;
    use crate::testing::ms;

    #[test]
    fn what_sinks_is_counted_with_its_depth() {
        let mut meter = HillsMeter::default();
        let mut body = HillsBody::new(1, Craft::Tank);
        (body.is_settled, body.truth) = (true, Some(Stance::default()));
        let ground = FlatGround::default();
        for z in [0.0, -0.02, -0.4, 0.3] {
            body.shown.pose.position.z = z;
            meter.look(ms(10), &body, &ground);
        }
        let figures = meter.figures();
        assert!((figures.under_share - 0.25).abs() < 1e-9, "{figures:?}");
        assert!((figures.deepest_m - 0.4).abs() < 1e-9);
        assert!((figures.error_m[0] - 0.18).abs() < 1e-9);
        assert_eq!(figures.looks, 4);
    }

    #[test]
    fn old_seconds_are_forgotten() {
        let mut meter = HillsMeter::default();
        let mut body = HillsBody::new(1, Craft::Drone);
        (body.is_settled, body.truth) = (true, Some(Stance::default()));
        body.shown.pose.position.z = 8.0;
        meter.look(ms(0), &body, &FlatGround::default());
        body.shown.pose.position.z = 2.0;
        for second in 1..=5 {
            meter.look(ms(second * 1000), &body, &FlatGround::default());
        }
        assert!((meter.error_m(DisplayMethod::Reckoning) - 2.0).abs() < 1e-9);
        assert_eq!(meter.figures().looks, 0, "what flies is not under the ground");
    }
}
