//! Emulation of a keyboard and a mouse between what a bot wants and what the game gets.
//!
//! Keys give eight directions and cannot be changed in every tick, so a bot that wants to go
//! at 20 degrees alternates between two directions as people do (the recordings of SHI hold
//! direction keys and a cursor). The aim turns at a limited rate and slows near its mark.

use core::f64::consts::{FRAC_PI_4, PI};

use reckoning::DVec3;
use reckoning::random::SplitMix64;

use crate::world::turned;
use crate::{TICK_S, ticks};

/// A key direction is kept until the wish is off by this much: half the step between two
/// directions, and a little, because nobody corrects at once.
const KEEP_RAD: f64 = 0.5 * FRAC_PI_4 + 0.2;
/// The share of the angle to the mark that the aim covers in a tick.
const EASE: f64 = 0.22;
/// The fastest turn of the aim.
const AIM_RAD_S: f64 = 9.0;

/// The keys that one bot holds.
#[derive(Clone, Debug, Default)]
pub struct InputEmulator {
    /// The direction of the keys held, in eighths of a turn.
    held: Option<u8>,
    /// The first tick the keys may change.
    free_tick: u64,
}

impl InputEmulator {
    /// The direction the keys give for a wish of any length; zero lets them go.
    pub fn press(&mut self, wish: DVec3, tick: u64, random: &mut SplitMix64) -> DVec3 {
        if tick >= self.free_tick {
            let next = self.wanted(wish);
            if next != self.held {
                self.held = next;
                self.free_tick = tick + ticks(random.between(0.06, 0.16));
            }
        }
        self.held.map_or(DVec3::ZERO, direction)
    }

    fn wanted(&self, wish: DVec3) -> Option<u8> {
        if wish.length_squared() < 1e-6 {
            return None;
        }
        let angle = libm::atan2(wish.y, wish.x);
        let keeps = self.held.filter(|it| {
            let off = libm::remainder(angle - f64::from(*it) * FRAC_PI_4, 2.0 * PI);
            off.abs() < KEEP_RAD
        });
        keeps.or_else(|| Some((libm::round(angle / FRAC_PI_4) as i32).rem_euclid(8) as u8))
    }
}

/// The direction of keys, length 1.
fn direction(eighth: u8) -> DVec3 {
    const DIAGONAL: f64 = core::f64::consts::FRAC_1_SQRT_2;
    let (x, y) = [
        (1.0, 0.0),
        (DIAGONAL, DIAGONAL),
        (0.0, 1.0),
        (-DIAGONAL, DIAGONAL),
        (-1.0, 0.0),
        (-DIAGONAL, -DIAGONAL),
        (0.0, -1.0),
        (DIAGONAL, -DIAGONAL),
    ][usize::from(eighth % 8)];
    DVec3::new(x, y, 0.0)
}

/// The aim a tick later, on its way from `aim` to `mark`. Both have length 1.
pub fn aim_towards(aim: DVec3, mark: DVec3) -> DVec3 {
    let angle = libm::acos(aim.dot(mark).clamp(-1.0, 1.0));
    turned(aim, mark, (angle * EASE).clamp(0.004, AIM_RAD_S * TICK_S))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn towards(degrees: f64) -> DVec3 {
        let angle = degrees.to_radians();
        DVec3::new(libm::cos(angle), libm::sin(angle), 0.0)
    }

    #[test]
    fn keys_give_eight_directions() {
        let mut random = SplitMix64::new(1);
        for eighth in 0..8 {
            let mut keys = InputEmulator::default();
            let pressed = keys.press(towards(f64::from(eighth) * 45.0 + 20.0), 10, &mut random);
            assert!((pressed - towards(f64::from(eighth) * 45.0)).length() < 1e-9, "{eighth}");
        }
    }

    #[test]
    fn keys_are_held_for_a_moment() {
        let (mut keys, mut random) = (InputEmulator::default(), SplitMix64::new(1));
        let right = keys.press(DVec3::X, 100, &mut random);
        assert_eq!(keys.press(DVec3::NEG_X, 101, &mut random), right);
        assert_eq!(keys.press(DVec3::NEG_X, 110, &mut random), DVec3::NEG_X);
        assert_eq!(keys.press(DVec3::ZERO, 120, &mut random), DVec3::ZERO);
    }

    #[test]
    fn the_aim_arrives_without_overshooting() {
        let (mut aim, mark) = (DVec3::X, towards(170.0));
        let mut left = 10.0;
        for _ in 0..120 {
            aim = aim_towards(aim, mark);
            let now = libm::acos(aim.dot(mark).clamp(-1.0, 1.0));
            assert!(now <= left);
            left = now;
        }
        assert!(left < 1e-6, "{left}");
    }
}
