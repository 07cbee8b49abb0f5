//! What a step comes to: figures, and the same in words.

use std::fmt::Write as _;

use super::super::{Snapshots, Step};
use super::Demo;

/// A number of a step, under a name for tests and programs.
pub type Figure = (&'static str, f64);

impl Demo {
    /// What it comes to, over the last ten seconds (watchers: twenty).
    #[must_use]
    pub fn figures(&self) -> Vec<Figure> {
        let at = self.ball.truth().at;
        let mut figures = Vec::new();
        if let Some(line) = self.lines.first() {
            figures.extend_from_slice(&[
                ("error_m", line.errors.newest()),
                ("mean_m", line.errors.mean()),
                ("leap_m", line.leaps.largest()),
                ("per_s", line.lane.per_s(at)),
                ("sent", line.lane.sent as f64),
                ("lost", line.lane.lost as f64),
            ]);
        }
        if let Some(plain) = self.lines.get(1) {
            let (mean_m, per_s) = (plain.errors.mean(), plain.lane.per_s(at));
            figures.extend_from_slice(&[("plain_mean_m", mean_m), ("plain_per_s", per_s)]);
        }
        if let Some(snapshots) = &self.snapshots {
            figures.extend_from_slice(&[
                ("naive_mean_m", snapshots.errors.mean()),
                ("naive_sent", snapshots.lane.sent as f64),
                ("naive_lost", snapshots.lane.lost as f64),
            ]);
        }
        if let Some(audience) = &self.audience {
            let (best_m, worst_m) = audience.extremes_m();
            let (sent, all) = audience.sent_of();
            figures.extend_from_slice(&[("best_m", best_m), ("worst_m", worst_m)]);
            figures.extend_from_slice(&[("sent", sent as f64), ("all", all as f64)]);
        }
        figures
    }

    /// For tests and programs: the figures, where the sliders stand, the time, and the ball.
    #[must_use]
    pub fn to_json(&self) -> String {
        let (place, [first, second]) = (self.place(), self.values);
        let at_s = self.now().as_secs_f64();
        let (x, y) = (place.x, place.y);
        let mut json =
            format!("{{\"at_s\":{at_s},\"ball\":[{x},{y}],\"values\":[{first},{second}]");
        for (name, value) in self.figures() {
            let _ = write!(json, ",\"{name}\":{value}");
        }
        json.push('}');
        json
    }

    /// The same in words.
    #[must_use]
    pub fn line(&self) -> String {
        let figures = self.figures();
        let of = |name| figures.iter().find(|it| it.0 == name).map_or(0.0, |it| it.1);
        match self.step {
            Step::Guess => format!(
                "The guess is off by {:.2} m. {:.1} updates a second.",
                of("error_m"),
                of("per_s")
            ),
            Step::Silence => format!(
                "{:.1} updates a second instead of 20{}. The guess is off by {:.2} m on average.",
                of("per_s"),
                fewer(of("per_s")),
                of("mean_m")
            ),
            Step::Delay => format!(
                "Off on average: the guess {:.2} m, the newest position {:.2} m.",
                of("mean_m"),
                of("naive_mean_m")
            ),
            Step::Blend => format!(
                "Largest leap between two pictures: {:.2} m. Off by {:.2} m on average.",
                of("leap_m"),
                of("mean_m")
            ),
            Step::Loss => format!(
                "Lost: {:.0} of {:.0} updates, {:.0} of {:.0} positions. \
                 Off on average: the guess {:.2} m, the newest position {:.2} m.",
                of("lost"),
                of("sent"),
                of("naive_lost"),
                of("naive_sent"),
                of("mean_m"),
                of("naive_mean_m")
            ),
            Step::Ahead => format!(
                "Aimed: off by {:.2} m, {:.1} updates a second. \
                 Straight on: {:.2} m, {:.1} a second.",
                of("mean_m"),
                of("per_s"),
                of("plain_mean_m"),
                of("plain_per_s")
            ),
            Step::Fair => format!(
                "Off on average: the luckiest {:.2} m, the unluckiest {:.2} m. \
                 {:.0} of {:.0} updates sent.",
                of("best_m"),
                of("worst_m"),
                of("sent"),
                of("all")
            ),
        }
    }
}

/// How much fewer than twenty that is, where it can be said.
fn fewer(per_s: f64) -> String {
    if per_s < 0.05 {
        return String::new();
    }
    let times = Snapshots::PER_S / per_s;
    if times < 1.05 { String::new() } else { format!(", {times:.1} times fewer") }
}
