//! Figures of the hills, of the last seconds: errors of each way to show, and what sinks.

use std::collections::VecDeque;

use reckoning::SimTime;
use reckoning_arena::hills::{Craft, HillsGround, depth_m};
use serde::Serialize;

use super::stance::{Counted, HillsBody, Stance};
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
    /// What Reckoning shows, and the newest position, by the sort of bodies: metres.
    crafts: [[Sum; 2]; Craft::ALL.len()],
    /// Whether a standing body was under the ground, 0 or 1 a look.
    under: Sum,
    deepest: Deepest,
}

/// The look at a standing body in which it was deepest under the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Deepest {
    /// How deep.
    pub m: f64,
    /// Which body.
    pub entity: u32,
    /// What it is.
    pub craft: &'static str,
    /// Where it was shown.
    pub at: [f64; 3],
    /// When, by the page's clock.
    pub at_s: f64,
}

impl Deepest {
    fn or(self, other: Self) -> Self {
        if other.m > self.m { other } else { self }
    }
}

/// Figures of the last seconds.
#[derive(Clone, Debug, Default)]
pub struct HillsMeter {
    seconds: VecDeque<Second>,
}

/// The figures, for the page and for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct HillsFigures {
    /// Mean error of what Reckoning shows, of the newest position, and of interpolation; of bodies
    /// that are shown as reckoned in the present, as are the next two.
    pub error_m: [f64; 3],
    /// Of the orientation of what has one of its own.
    pub turned_deg: [f64; 3],
    /// Of turrets on their hulls.
    pub turret_deg: [f64; 3],
    /// Mean error of what Reckoning shows, by the sort of bodies, in the order of [`Craft::ALL`].
    pub craft_m: [f64; Craft::ALL.len()],
    /// The same of the newest position.
    pub craft_naive_m: [f64; Craft::ALL.len()],
    /// The share of looks at standing bodies in which they were under the ground.
    pub under_share: f64,
    /// How deep at most, and when that was.
    pub deepest: Deepest,
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
    pub fn look(&mut self, now: SimTime, body: &HillsBody, ground: &HillsGround) {
        if !body.is_alive || !body.is_settled {
            return;
        }
        let stands = body.craft.is_grounded();
        let depth_m = stands.then(|| depth_m(body.craft, body.shown.pose, ground));
        let second = self.second(now);
        if let Some(depth_m) = depth_m {
            second.under.add(f64::from(u8::from(depth_m > UNDER_M)));
            second.deepest = second.deepest.or(Deepest {
                m: depth_m,
                entity: body.entity,
                craft: body.craft.name(),
                at: body.shown.pose.position.to_array(),
                at_s: now.as_secs_f64(),
            });
        }
        let Some(truth) = body.truth else { return };
        let ways = [Some(body.shown), body.naive, body.interpolated];
        for (sum, way) in second.crafts[body.craft as usize].iter_mut().zip(ways) {
            if let Some(way) = way {
                sum.add(way.off(&truth)[0]);
            }
        }
        if body.counted == Counted::Apart {
            return;
        }
        let has_turret = body.craft.shape().turret.is_some();
        // Nobody knows how a shell is turned or where a bird looks: pictures take their way for it.
        let is_turned = !matches!(body.craft, Craft::Shell | Craft::Bird);
        for (sums, way) in second.off.iter_mut().zip(ways) {
            let Some(off) = way.map(|it: Stance| it.off(&truth)) else { continue };
            sums[0].add(off[0]);
            if is_turned {
                sums[1].add(off[1]);
            }
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
        let crafts = |way: usize| {
            std::array::from_fn(|craft| sum(&|it: &Second| it.crafts[craft][way]).mean())
        };
        let under = sum(&|it| it.under);
        HillsFigures {
            error_m: each(0),
            turned_deg: each(1),
            turret_deg: each(2),
            craft_m: crafts(0),
            craft_naive_m: crafts(1),
            under_share: under.mean(),
            deepest: self.seconds.iter().map(|it| it.deepest).fold(Deepest::default(), Deepest::or),
            looks: under.count,
        }
    }
}

#[cfg(test)]
mod tests {
    use reckoning::ground::{ClampDetail, Pose};
    use reckoning::{DQuat, DVec3, GroundClamp};
    use reckoning_arena::hills::HillsLevel;

    use super::super::choices::HillsChoices;
    use super::*;
    use crate::testing::ms;

    /// A body that stands on the ground as its clamp sets it there.
    fn standing(level: &HillsLevel, craft: Craft) -> HillsBody {
        let [x, y] = level.file().spawns[0].at;
        let position = DVec3::new(x, y, level.height_m(x, y));
        let mut pose = Pose { position, orientation: DQuat::IDENTITY };
        if let Some(config) = HillsChoices::default().clamp_of(craft) {
            let mut clamp = GroundClamp::new(config).unwrap();
            pose = clamp.clamp_with(pose, level.ground().as_ref(), ClampDetail::AllPoints, ms(0));
        }
        let mut body = HillsBody::new(1, craft);
        body.shown.pose = pose;
        (body.is_settled, body.truth) = (true, Some(body.shown));
        body
    }

    #[test]
    fn what_sinks_is_counted_with_its_depth() {
        let level = HillsLevel::built_in();
        let mut meter = HillsMeter::default();
        let mut body = standing(&level, Craft::Tank);
        let stands_m = body.shown.pose.position.z;
        for z in [0.0, -0.02, -0.4, 0.3] {
            body.shown.pose.position.z = stands_m + z;
            meter.look(ms(10), &body, level.ground());
        }
        let figures = meter.figures();
        assert!((figures.under_share - 0.25).abs() < 1e-9, "{figures:?}");
        assert!((figures.deepest.m - 0.4).abs() < 1e-6, "{figures:?}");
        assert_eq!((figures.deepest.craft, figures.deepest.at_s), ("tank", 0.01));
        assert!((figures.error_m[0] - 0.18).abs() < 1e-9);
        assert!((figures.craft_m[Craft::Tank as usize] - 0.18).abs() < 1e-9);
        assert_eq!(figures.craft_m[Craft::Train as usize], 0.0);
        assert_eq!(figures.looks, 4);
    }

    #[test]
    fn what_is_shown_late_on_purpose_is_counted_apart() {
        let level = HillsLevel::built_in();
        let mut meter = HillsMeter::default();
        let mut body = standing(&level, Craft::Merchant);
        (body.counted, body.naive) = (Counted::Apart, body.truth);
        body.shown.pose.position.x += 3.0;
        meter.look(ms(0), &body, level.ground());
        let figures = meter.figures();
        assert_eq!(figures.error_m, [0.0; 3]);
        let merchant = Craft::Merchant as usize;
        assert!((figures.craft_m[merchant] - 3.0).abs() < 1e-9, "{figures:?}");
        assert_eq!((figures.craft_naive_m[merchant], figures.looks), (0.0, 1));
    }

    #[test]
    fn old_seconds_are_forgotten() {
        let level = HillsLevel::built_in();
        let mut meter = HillsMeter::default();
        let mut body = standing(&level, Craft::Drone);
        let flies_m = body.shown.pose.position.z;
        body.shown.pose.position.z = flies_m + 8.0;
        meter.look(ms(0), &body, level.ground());
        body.shown.pose.position.z = flies_m + 2.0;
        for second in 1..=5 {
            meter.look(ms(second * 1000), &body, level.ground());
        }
        assert!((meter.error_m(DisplayMethod::Reckoning) - 2.0).abs() < 1e-9);
        assert_eq!(meter.figures().looks, 0, "what flies is not under the ground");
    }
}
