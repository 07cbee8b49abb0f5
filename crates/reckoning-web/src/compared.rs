//! The one who is compared: where it went in the last second, and how far off each way shows it.
//!
//! What a picture shows in one instant says little: a ghost that just turned is as far off as a naive
//! one that stands. So each window has the trail of a second, and the mean of five.

use reckoning::{DVec3, SimTime};

use crate::headline::{Circumstances, SettledErrors};
use crate::meter::DisplayMethod;
use crate::scene::SceneBody;

/// Trails are of the last second.
const TRAIL_S: f64 = 1.0;

/// The windows of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// Where it is.
    Truth,
    /// One of the ways to show it.
    Shown(DisplayMethod),
}

impl Window {
    /// All of them, in the order in which they are drawn.
    pub const ALL: [Self; 4] = [
        Self::Truth,
        Self::Shown(DisplayMethod::Reckoning),
        Self::Shown(DisplayMethod::Naive),
        Self::Shown(DisplayMethod::Interpolation),
    ];

    /// Where it shows a body.
    #[must_use]
    pub fn place(self, body: &SceneBody) -> Option<DVec3> {
        match self {
            Self::Truth => body.truth,
            Self::Shown(DisplayMethod::Reckoning) => Some(body.shown),
            Self::Shown(DisplayMethod::Naive) => body.naive,
            Self::Shown(DisplayMethod::Interpolation) => body.interpolated,
        }
    }
}

/// Whom to follow unless somebody was picked: the nearest. To be compared a bot is better than a
/// person, who may stand still.
pub fn whom_to_follow<'a>(
    bodies: impl Iterator<Item = &'a SceneBody>,
    eye: DVec3,
    is_compared: bool,
) -> Option<u32> {
    let comes_later = |it: &SceneBody| is_compared && !it.is_bot;
    let nearest = bodies.min_by(|a, b| {
        let distances = a.shown.distance(eye).total_cmp(&b.shown.distance(eye));
        comes_later(a).cmp(&comes_later(b)).then(distances)
    });
    nearest.map(|it| it.entity)
}

/// Places of the last second, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    places: Vec<(SimTime, DVec3)>,
}

impl Trail {
    fn push(&mut self, now: SimTime, place: Option<DVec3>, leap_px: f64) {
        let Some(place) = place else { return self.places.clear() };
        let is_torn = |it: &(SimTime, DVec3)| it.1.distance(place) > leap_px || it.0 > now;
        if self.places.last().is_some_and(is_torn) {
            self.places.clear();
        }
        self.places.retain(|it| now.secs_since(it.0) <= TRAIL_S);
        self.places.push((now, place));
    }

    /// Oldest first.
    pub fn places(&self) -> impl Iterator<Item = DVec3> {
        self.places.iter().map(|it| it.1)
    }
}

/// Means and trails of the one who is compared.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    errors: SettledErrors,
    /// Of interpolation, were every datagram in time.
    best: SettledErrors,
    trails: [Trail; 4],
}

impl Compared {
    /// Who is compared is `body`, in this frame.
    pub fn look(&mut self, now: SimTime, body: &SceneBody, around: Circumstances, leap_px: f64) {
        let around = Circumstances { target: Some(body.entity), ..around };
        self.best.follow(now, around);
        if self.errors.follow(now, around) {
            self.trails = Default::default();
        }
        for (trail, window) in self.trails.iter_mut().zip(Window::ALL) {
            trail.push(now, window.place(body), leap_px);
        }
        let Some(truth) = body.truth.filter(|_| body.is_alive && body.is_settled) else { return };
        for method in DisplayMethod::ALL {
            if let Some(place) = Window::Shown(method).place(body) {
                self.errors.note(now, method, place.distance(truth));
            }
        }
        if let Some(place) = body.interpolated_at_best {
            self.best.note(now, DisplayMethod::Interpolation, place.distance(truth));
        }
    }

    /// Where it was in a window.
    #[must_use]
    pub const fn trail(&self, window: usize) -> &Trail {
        &self.trails[window]
    }

    /// The mean error of five seconds; `None` while it is measured.
    #[must_use]
    pub fn mean_px(&self, now: SimTime, method: DisplayMethod) -> Option<f64> {
        self.errors.summary(now, method).map(|it| it.mean_px)
    }

    /// The mean error that interpolation would have, were every datagram in time.
    #[must_use]
    pub fn best_px(&self, now: SimTime) -> Option<f64> {
        self.best.summary(now, DisplayMethod::Interpolation).map(|it| it.mean_px)
    }

    /// The line under the name of a way.
    #[must_use]
    pub fn said(&self, now: SimTime, method: DisplayMethod) -> String {
        match self.mean_px(now, method) {
            Some(mean_px) => format!("{mean_px:.0} px off, mean of 5 s"),
            None => "measuring".to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use reckoning_arena::protocol::LinkChoice;

    use super::*;
    use crate::testing::ms;

    const LEAP_PX: f64 = 100.0;
    const LAN: Circumstances =
        Circumstances { is_joined: true, link: LinkChoice::NONE, target: None };

    fn body(entity: u32, x: f64) -> SceneBody {
        SceneBody {
            entity,
            is_alive: true,
            is_settled: true,
            shown: DVec3::X * (x - 2.0),
            truth: Some(DVec3::X * x),
            naive: Some(DVec3::X * (x - 20.0)),
            interpolated: Some(DVec3::X * (x - 50.0)),
            interpolated_at_best: Some(DVec3::X * (x - 35.0)),
            ..SceneBody::default()
        }
    }

    #[test]
    fn means_are_told_and_not_instants() {
        let mut compared = Compared::default();
        for tick in 0..600 {
            compared.look(ms(10 * tick), &body(4, tick as f64), LAN, LEAP_PX);
        }
        let mut off = body(4, 600.0);
        off.shown.x -= 500.0;
        compared.look(ms(6_000), &off, LAN, LEAP_PX);
        assert_eq!(compared.said(ms(6_000), DisplayMethod::Naive), "20 px off, mean of 5 s");
        let mean_px = compared.mean_px(ms(6_000), DisplayMethod::Reckoning).unwrap();
        assert!((2.0..5.0).contains(&mean_px), "{mean_px}");
        assert!((compared.best_px(ms(6_000)).unwrap() - 35.0).abs() < 1e-9);
    }

    #[test]
    fn another_target_is_measured_anew() {
        let mut compared = Compared::default();
        for tick in 0..600 {
            compared.look(ms(10 * tick), &body(4, tick as f64), LAN, LEAP_PX);
        }
        compared.look(ms(6_010), &body(5, 0.0), LAN, LEAP_PX);
        assert_eq!(compared.said(ms(6_010), DisplayMethod::Naive), "measuring");
        assert_eq!(compared.trail(0).places().count(), 1);
    }

    #[test]
    fn the_nearest_is_followed_and_a_bot_is_compared_rather_than_a_person() {
        let bot = |entity, x| SceneBody { is_bot: true, ..body(entity, x) };
        let all = [body(1, 10.0), bot(2, 90.0), bot(3, 40.0), body(4, 60.0)];
        let found = |bodies: &[SceneBody], is_compared| {
            whom_to_follow(bodies.iter(), DVec3::ZERO, is_compared)
        };
        assert_eq!((found(&all, false), found(&all, true)), (Some(1), Some(3)));
        let persons = [body(4, 60.0), body(1, 10.0)];
        assert_eq!((found(&persons, true), found(&[], true)), (Some(1), None));
    }

    #[test]
    fn a_trail_is_of_a_second_and_is_torn_by_a_leap() {
        let mut compared = Compared::default();
        for tick in 0..200 {
            compared.look(ms(10 * tick), &body(4, tick as f64), LAN, LEAP_PX);
        }
        let xs = |at: usize, it: &Compared| -> Vec<f64> {
            it.trail(at).places().map(|it| it.x).collect()
        };
        assert_eq!((xs(0, &compared)[0], xs(0, &compared).len()), (99.0, 101));
        assert_eq!(xs(2, &compared)[0], 79.0, "the naive trail is where naive drew it");
        compared.look(ms(2_000), &body(4, 900.0), LAN, LEAP_PX);
        assert_eq!(xs(0, &compared), [900.0]);
    }
}
