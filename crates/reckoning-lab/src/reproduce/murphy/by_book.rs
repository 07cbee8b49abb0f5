//! A listener by the book: MURPHY's formulas as printed, frame by frame.
//!
//! The engine answers for any moment from closed forms. MURPHY keeps what it drew: a new curve
//! starts at the place of the last frame with the velocity *seen on screen*, the difference of
//! the last two frames (18.4), and lasts exactly as long as updates are apart. Where a claim is
//! about those formulas, they are followed here to the letter.

use reckoning::{DVec3, Kinematics};

/// How a new curve leads from what is shown to what is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BookBlend {
    /// Two projections and the way from one to the other (18.3, the first attempt).
    Plain,
    /// The same with a blended velocity in the first.
    Projective,
    /// The same with the previous acceleration in the first, for C2.
    ProjectivePrevious,
    /// A cubic Bezier curve, its handles a third of the velocities.
    Bezier,
    /// A Catmull-Rom curve through where it came from, is, will be, and will be a span later.
    CatmullRom,
}

/// How long a curve lasts.
#[derive(Clone, Copy, Debug)]
pub(super) enum BookSpan {
    /// So many seconds.
    Fixed(f64),
    /// The running average of the gaps so far: at first this, then an eighth of the way to each.
    Average(f64),
}

const AVERAGE_STEP: f64 = 1.0 / 8.0;

/// What a listener is told.
#[derive(Clone, Copy, Debug)]
pub(super) struct BookSetting {
    pub(super) blend: BookBlend,
    pub(super) span: BookSpan,
    /// Whether updates carry acceleration.
    pub(super) accelerating: bool,
}

/// Where the body is shown in each frame. `frames` holds the truth of every frame drawn, and
/// `arrives` says in which of them the truth is heard.
pub(super) fn shown(
    setting: BookSetting,
    frames: &[Kinematics],
    arrives: impl Fn(usize) -> bool,
) -> Vec<DVec3> {
    let Some(first) = frames.first() else { return Vec::new() };
    let mut curve = BookCurve::new(setting, first);
    let mut shown = vec![first.position];
    for (frame, truth) in frames.iter().enumerate().skip(1) {
        let now = curve.position_at(truth.at.secs_since(curve.known.at));
        let velocity = seen_velocity(shown[frame - 1], now, &frames[frame - 1], truth);
        shown.push(now);
        if arrives(frame) {
            curve = curve.next(truth, now, velocity);
        }
    }
    shown
}

/// The difference of the last two frames over the time between them.
fn seen_velocity(last: DVec3, now: DVec3, before: &Kinematics, truth: &Kinematics) -> DVec3 {
    (now - last) / truth.at.secs_since(before.at)
}

/// From one update to the next.
struct BookCurve {
    setting: BookSetting,
    span_s: f64,
    /// Last known.
    known: Kinematics,
    previous_acceleration: DVec3,
    /// What was on screen when it came.
    from: DVec3,
    from_velocity: DVec3,
}

impl BookCurve {
    fn new(setting: BookSetting, first: &Kinematics) -> Self {
        let (BookSpan::Fixed(span_s) | BookSpan::Average(span_s)) = setting.span;
        let known = heard(first, setting.accelerating);
        Self {
            setting,
            span_s,
            known,
            previous_acceleration: known.acceleration,
            from: known.position,
            from_velocity: known.velocity,
        }
    }

    fn next(&self, truth: &Kinematics, from: DVec3, from_velocity: DVec3) -> Self {
        let gap_s = truth.at.secs_since(self.known.at);
        let span_s = match self.setting.span {
            BookSpan::Fixed(span_s) => span_s,
            BookSpan::Average(_) => self.span_s + AVERAGE_STEP * (gap_s - self.span_s),
        };
        let known = heard(truth, self.setting.accelerating);
        let previous_acceleration = self.known.acceleration;
        let setting = self.setting;
        Self { setting, span_s, known, previous_acceleration, from, from_velocity }
    }

    /// So long after the update.
    fn position_at(&self, t: f64) -> DVec3 {
        let part = (t / self.span_s).min(1.0);
        let believed = self.known_at(t);
        let from = match self.setting.blend {
            BookBlend::Bezier | BookBlend::CatmullRom if part >= 1.0 => return believed,
            BookBlend::Bezier => return self.bezier(part),
            BookBlend::CatmullRom => return self.catmull_rom(part),
            BookBlend::Plain => self.start_at(t, self.from_velocity, self.known.acceleration),
            BookBlend::Projective => {
                self.start_at(t, self.blended_velocity(part), self.known.acceleration)
            }
            BookBlend::ProjectivePrevious => {
                self.start_at(t, self.blended_velocity(part), self.previous_acceleration)
            }
        };
        from + (believed - from) * part
    }

    fn known_at(&self, t: f64) -> DVec3 {
        let known = &self.known;
        known.position + known.velocity * t + known.acceleration * (0.5 * t * t)
    }

    fn start_at(&self, t: f64, velocity: DVec3, acceleration: DVec3) -> DVec3 {
        self.from + velocity * t + acceleration * (0.5 * t * t)
    }

    fn blended_velocity(&self, part: f64) -> DVec3 {
        self.from_velocity + (self.known.velocity - self.from_velocity) * part
    }

    fn bezier(&self, part: f64) -> DVec3 {
        let third_s = self.span_s / 3.0;
        let to = self.known_at(self.span_s);
        let to_velocity = self.known.velocity + self.known.acceleration * self.span_s;
        let handles = [self.from + self.from_velocity * third_s, to - to_velocity * third_s];
        let left = 1.0 - part;
        self.from * (left * left * left)
            + handles[0] * (3.0 * left * left * part)
            + handles[1] * (3.0 * left * part * part)
            + to * (part * part * part)
    }

    fn catmull_rom(&self, part: f64) -> DVec3 {
        let before = self.from - self.from_velocity * self.span_s;
        let to = self.known_at(self.span_s);
        let beyond = self.known_at(2.0 * self.span_s);
        let linear = (to - before) * part;
        let square = before * 2.0 - self.from * 5.0 + to * 4.0 - beyond;
        let cube = self.from * 3.0 - before - to * 3.0 + beyond;
        (self.from * 2.0 + linear + (square + cube * part) * (part * part)) * 0.5
    }
}

/// What an update says of the truth.
fn heard(truth: &Kinematics, accelerating: bool) -> Kinematics {
    let acceleration = if accelerating { truth.acceleration } else { DVec3::ZERO };
    Kinematics { acceleration, ..*truth }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reckoning::SimTime;

    /// Frames of a second, along x at 2 m/s but for the second one, where it is 1 m farther.
    fn frames() -> Vec<Kinematics> {
        let at = |s: i64, x: f64| {
            let at = SimTime::from_micros(1_000_000 * s);
            Kinematics::moving(at, DVec3::X * x, DVec3::X * 2.0)
        };
        vec![at(0, 0.0), at(1, 2.0), at(2, 5.0), at(3, 7.0), at(4, 9.0), at(5, 11.0)]
    }

    fn x(blend: BookBlend, span: BookSpan) -> Vec<f64> {
        let setting = BookSetting { blend, span, accelerating: false };
        shown(setting, &frames(), |frame| frame == 2).iter().map(|it| it.x).collect()
    }

    /// By hand, with a span of four seconds. At frame 2 it is shown at 4 and 2 m/s are seen;
    /// heard are 5 m and 2 m/s, so the velocities agree and the metre goes in quarters:
    /// 6 + 1/4, 8 + 2/4, 10 + 3/4.
    #[test]
    fn an_error_of_a_metre_is_shed_in_equal_parts() {
        for blend in [BookBlend::Plain, BookBlend::Projective] {
            assert_eq!(x(blend, BookSpan::Fixed(4.0)), [0.0, 2.0, 4.0, 6.25, 8.5, 10.75]);
        }
    }

    /// By hand: from 4 at 2 m/s to 5 + 4 * 2 = 13 at 2 m/s in four seconds. The handles are at
    /// 6 2/3 and 10 1/3, so in the middle it is at (4 + 3 * 6 2/3 + 3 * 10 1/3 + 13) / 8 = 8.5; the
    /// Catmull-Rom curve through -4, 4, 13, 21 is there at (-(-4) + 9 * 4 + 9 * 13 - 21) / 16 = 8.5.
    #[test]
    fn splines_meet_numbers_worked_by_hand() {
        for blend in [BookBlend::Bezier, BookBlend::CatmullRom] {
            let middle = x(blend, BookSpan::Fixed(4.0))[4];
            assert!((middle - 8.5).abs() < 1e-12, "{blend:?}: {middle}");
        }
    }

    /// By hand: after two updates 1 s apart, 18.4's V0 is what was seen between the last two
    /// frames, (6.25 - 4) / 1 = 2.25 m/s, and not the slope of the curve at its end.
    #[test]
    fn a_curve_starts_with_the_velocity_seen_on_screen() {
        let setting = BookSetting {
            blend: BookBlend::Projective,
            span: BookSpan::Fixed(4.0),
            accelerating: false,
        };
        let drawn = shown(setting, &frames(), |frame| frame == 2 || frame == 3);
        // From 6.25 at (2.25, then 2 m/s): V_b = 2.1875 after a quarter, so 8.4375 on one hand
        // and 9 on the other, a quarter of the way: 8.578125.
        assert_eq!(drawn[4].x, 8.578_125);
    }

    /// By hand: the gap of two seconds moves an average of four by an eighth, to 3.75.
    #[test]
    fn a_running_average_moves_by_an_eighth() {
        let expected = [0.0, 2.0, 4.0, 6.0 + 1.0 / 3.75, 8.0 + 2.0 / 3.75, 10.0 + 3.0 / 3.75];
        let found = x(BookBlend::Projective, BookSpan::Average(4.0));
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    }

    /// By hand, at 4 m/s2 from rest, heard at 0 and 2 s, when 8 m and 8 m/s are shown and known
    /// but a jump of 1 m: both projections take the new 4 m/s2, so a second later 8 + 8 + 2 and a
    /// quarter of the metre. With the previous acceleration of 0 in the first it would lag by
    /// three quarters of 2 m.
    #[test]
    fn both_projections_use_the_last_known_acceleration() {
        let at = |s: i64, x: f64, a: f64| Kinematics {
            acceleration: DVec3::X * a,
            ..Kinematics::moving(SimTime::from_micros(1_000_000 * s), DVec3::X * x, DVec3::X * 8.0)
        };
        let frames = [at(0, -8.0, 0.0), at(1, 0.0, 0.0), at(2, 9.0, 4.0), at(3, 19.0, 4.0)];
        let third = |blend| {
            let setting = BookSetting { blend, span: BookSpan::Fixed(4.0), accelerating: true };
            shown(setting, &frames, |frame| frame == 2)[3].x
        };
        assert_eq!(third(BookBlend::Projective), 18.25);
        assert_eq!(third(BookBlend::ProjectivePrevious), 18.25 - 1.5);
    }
}
