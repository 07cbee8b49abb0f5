//! What each style of blends is worth here: how far off it shows others, and how restlessly.
//!
//! A close blend shows less error and livelier motion than a calm one. So that people can choose with
//! their eyes open, every body is shown in both styles by ghosts of their own, which nobody draws,
//! fed with the updates that arrive. The restlessness of a style is the root of the mean square of the
//! difference between the acceleration that it shows and the true one.

use std::collections::VecDeque;
use std::collections::btree_map::{BTreeMap, Entry};

use reckoning::{DVec3, Ghost, SimTime, Update};
use reckoning_arena::host::{BlendStyle, ghost_config};

use crate::meter::{DisplayMethod, ErrorMeter};

/// A body in one frame.
#[derive(Clone, Copy, Debug)]
pub struct LedBody {
    /// Its number on the wire.
    pub entity: u32,
    /// What leads it.
    pub update: Update,
    /// Where it truly is.
    pub truth: DVec3,
}

/// What one style is worth, over the last five seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MotionFigures {
    /// The mean distance from the truth.
    pub error_px: f64,
    /// The root of the mean square of the acceleration that is shown and not true.
    pub restless_px_s2: f64,
}

/// One body in one style.
#[derive(Debug)]
struct Shadow {
    ghost: Ghost,
    /// When it was where, as shown and truly, in the last three frames.
    seen: VecDeque<(SimTime, DVec3, DVec3)>,
}

impl Shadow {
    /// The acceleration that was shown and is not true, over the last three frames.
    fn restless(&self) -> Option<DVec3> {
        let [a, b, c] = [0, 1, 2].map(|place| self.seen.get(place).copied());
        let (a, b, c) = (a?, b?, c?);
        let (before_s, after_s) = (b.0.secs_since(a.0), c.0.secs_since(b.0));
        if before_s <= 0.0 || after_s <= 0.0 {
            return None;
        }
        let off = |it: (SimTime, DVec3, DVec3)| it.1 - it.2;
        let change = (off(c) - off(b)) / after_s - (off(b) - off(a)) / before_s;
        Some(change / (0.5 * (before_s + after_s)))
    }
}

/// Both styles, measured beside each other.
#[derive(Debug, Default)]
pub struct MotionMeter {
    shadows: BTreeMap<(u32, BlendStyle), Shadow>,
    errors: BTreeMap<BlendStyle, ErrorMeter>,
    squares: BTreeMap<BlendStyle, ErrorMeter>,
}

impl MotionMeter {
    /// A body in a frame at `now`, of the host's time. One that `is_judged` counts.
    pub fn look(&mut self, now: SimTime, body: &LedBody, is_judged: bool) {
        for style in BlendStyle::ALL {
            let shadow = match self.shadows.entry((body.entity, style)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    let ghost = Ghost::with_config(ghost_config(style), body.update, now);
                    let Ok(ghost) = ghost else { continue };
                    place.insert(Shadow { ghost, seen: VecDeque::new() })
                }
            };
            shadow.ghost.accept(body.update, now);
            if !is_judged {
                shadow.seen.clear();
                continue;
            }
            let shown = shadow.ghost.position_at(now);
            shadow.seen.push_back((now, shown, body.truth));
            if shadow.seen.len() > 3 {
                shadow.seen.pop_front();
            }
            let method = DisplayMethod::Reckoning;
            self.errors.entry(style).or_default().note(now, method, shown.distance(body.truth));
            if let Some(off) = shadow.restless() {
                self.squares.entry(style).or_default().note(now, method, off.length_squared());
            }
        }
    }

    /// Forgets the bodies that are out of the picture.
    pub fn keep(&mut self, is_shown: impl Fn(u32) -> bool) {
        self.shadows.retain(|(entity, _), _| is_shown(*entity));
    }

    /// What a style is worth; `None` until something was measured.
    #[must_use]
    pub fn figures(&self, style: BlendStyle) -> Option<MotionFigures> {
        let mean = |meter: &BTreeMap<BlendStyle, ErrorMeter>| {
            let summary = meter.get(&style)?.summary(DisplayMethod::Reckoning);
            (summary.count > 0).then_some(summary.mean_px)
        };
        let (error_px, square) = (mean(&self.errors)?, mean(&self.squares)?);
        Some(MotionFigures { error_px, restless_px_s2: square.sqrt() })
    }
}

#[cfg(test)]
mod tests {
    use reckoning::{Kinematics, Model, UpdateKind};

    use super::*;
    use crate::testing::ms;

    #[test]
    fn a_close_blend_shows_less_error_and_livelier_motion() {
        let mut meter = MotionMeter::default();
        assert_eq!(meter.figures(BlendStyle::Close), None);
        // It swings to and fro, and every 20 frames an update says where it is and where it heads.
        let swing = |at: SimTime| {
            let phase = 4.0 * at.as_secs_f64();
            let (x, y) = (30.0 * reckoning::math::sin(phase), 120.0 * reckoning::math::cos(phase));
            (DVec3::X * x, DVec3::X * y)
        };
        for frame in 0..600 {
            let now = ms(frame * 16);
            let stamp = ms(frame / 20 * 320);
            let (position, velocity) = swing(stamp);
            let seen = Kinematics { velocity, ..Kinematics::at_rest(stamp, position) };
            let update = Update::new(seen, Model::Linear, UpdateKind::Partial).unwrap();
            meter.look(now, &LedBody { entity: 1, update, truth: swing(now).0 }, true);
        }
        let [close, calm] = BlendStyle::ALL.map(|style| meter.figures(style).unwrap());
        assert!(close.error_px < 0.9 * calm.error_px, "{close:?} {calm:?}");
        assert!(close.restless_px_s2 > 1.2 * calm.restless_px_s2, "{close:?} {calm:?}");
        meter.keep(|_| false);
        assert!(meter.shadows.is_empty());
    }
}
