//! STEELE's receiver as printed: (3) to (6), with (10) in place of (4) or without.
//!
//! Updates come at even intervals, 100 ms under way and brought up to date on arrival. The trend
//! is that of the place where the body is shown, read anew in every frame. (10) stands in the
//! projection of what was on screen alone, so it has no weight once the blend is over.

use rayon::prelude::*;
use reckoning::{DVec3, Kinematics};
use reckoning_predict::{Pull, TrendMap};

use super::chain::Blended;
use super::play::BotSubject;

/// An update every so many seconds, which is also how long a blend takes.
pub(super) const INTERVALS_S: [f64; 4] = [0.1, 0.25, 0.5, 1.0];
const INTERVAL_TICKS: [usize; 4] = [6, 15, 30, 60];
/// 100 ms.
const DELAY_TICKS: usize = 6;

/// The mean error of what is shown of each subject, by interval.
#[derive(Clone, Debug)]
pub(super) struct PrintedErrors {
    /// With (10).
    pub(super) trend: [Vec<f64>; 4],
    /// With (4).
    pub(super) known: [Vec<f64>; 4],
}

impl PrintedErrors {
    pub(super) fn new(subjects: &[BotSubject], map: &TrendMap) -> Self {
        let of = |trends: Option<&TrendMap>| {
            INTERVAL_TICKS.map(|every| {
                subjects.par_iter().map(|it| mean_error_m(it, every, trends)).collect()
            })
        };
        Self { trend: of(Some(map)), known: of(None) }
    }
}

fn mean_error_m(subject: &BotSubject, every: usize, trends: Option<&TrendMap>) -> f64 {
    let (mut sum_m, mut count) = (0.0, 0.0);
    for life in subject.lives.iter().filter(|life| !life.is_empty()) {
        let mut screen = Screen::new(&life[0], every as f64 / 60.0);
        for (tick, truth) in life.iter().enumerate() {
            if tick % every == DELAY_TICKS % every && tick >= DELAY_TICKS {
                screen.hear(&life[tick - DELAY_TICKS], truth);
            }
            sum_m += screen.show(truth, trends).distance(truth.position);
            count += 1.0;
        }
    }
    sum_m / f64::max(count, 1.0)
}

/// What one listener has of a body.
struct Screen {
    blended: Blended,
    /// P0: where it was shown when the last update came.
    shown_then: DVec3,
    /// P0', V0' and A0', brought up to that moment.
    told: Kinematics,
}

impl Screen {
    const fn new(first: &Kinematics, span_s: f64) -> Self {
        Self { blended: Blended::new(first, span_s), shown_then: first.position, told: *first }
    }

    fn hear(&mut self, update: &Kinematics, now: &Kinematics) {
        let late_s = now.at.secs_since(update.at);
        let (velocity, acceleration) = (update.velocity, update.acceleration);
        self.told = *update;
        self.told.position += velocity * late_s + acceleration * (0.5 * late_s * late_s);
        self.shown_then = self.blended.shown;
        self.blended.hear(velocity, now.at);
    }

    /// (6).
    fn show(&mut self, now: &Kinematics, trends: Option<&TrendMap>) -> DVec3 {
        let (t_s, share) = self.blended.progress(now.at);
        let velocity = self.blended.velocity_at(now.at);
        let known = self.told.acceleration;
        let trend = trends.and_then(|map| map.trend_at(self.blended.shown, velocity));
        let usual = trend.map_or(known, |trend| trend.acceleration_for(known, Pull::Mean));
        let half_sq = 0.5 * t_s * t_s;
        let seen = self.shown_then + velocity * t_s + usual * half_sq;
        let told = self.told.position + self.told.velocity * t_s + known * half_sq;
        let shown = seen.lerp(told, share);
        self.blended.show(shown);
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reckoning::SimTime;
    use reckoning_predict::{Sighting, TrendMapConfig};

    /// Half a second after an update at once: P0 = 0, V0 = 2, P0' = 1, V0' = 4, A0' = 2, all
    /// along x, and a span of one second.
    fn shown_x(trends: Option<&TrendMap>) -> f64 {
        let first = Kinematics::moving(SimTime::ZERO, DVec3::ZERO, DVec3::X * 2.0);
        let mut screen = Screen::new(&first, 1.0);
        let mut update = Kinematics::moving(SimTime::ZERO, DVec3::X, DVec3::X * 4.0);
        update.acceleration = DVec3::X * 2.0;
        screen.hear(&update, &first);
        let now = Kinematics { at: SimTime::from_millis(500), ..update };
        screen.show(&now, trends).x
    }

    /// By hand: `V_b` = 3, P = 3 * 0.5 + 2 * 0.125 = 1.75, P' = 1 + 4 * 0.5 + 2 * 0.125 = 3.25, halfway
    /// 2.5. With `A_p` = -6 along x and C = 1: `A_t` = (2 - 6) / 2 = -2, P = 1.25, halfway 2.25.
    #[test]
    fn the_trend_stands_in_the_projection_of_what_was_on_screen() {
        assert!((shown_x(None) - 2.5).abs() < 1e-12, "{}", shown_x(None));
        let sighting = |x: f64| Sighting {
            position: DVec3::new(x, x, 0.0),
            velocity: DVec3::X,
            acceleration: DVec3::X * -6.0,
        };
        let seen = [-1.0, 0.0, 1.0].map(sighting);
        let map = TrendMap::new(&seen, &TrendMapConfig::default()).unwrap();
        assert!((shown_x(Some(&map)) - 2.25).abs() < 1e-3, "{}", shown_x(Some(&map)));
    }
}
