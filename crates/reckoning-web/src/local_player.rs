//! The local player, moved at once by the rules of the arena.
//!
//! The client publishes where it is, and the server objects only when that is impossible. Its
//! corrections are not drawn as jumps: the difference fades, unless the player was born again.

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_arena::host::GUN_LAG;
use reckoning_arena::{BodyRules, Input, Level, Player, TICKS_PER_S};

/// The length of a step.
const TICK_US: i64 = 1_000_000 / TICKS_PER_S as i64;
/// A page that slept does not make up for more than this.
const MAX_TICKS: u32 = 15;
/// How fast the picture forgets a correction.
const FADE_S: f64 = 0.08;
/// A correction further than this many radii is a birth.
const BIRTH_RADII: f64 = 8.0;

/// A body that its owner's machine moves.
#[derive(Clone, Debug)]
pub struct LocalPlayer {
    player: Player,
    /// Up to when it has been moved.
    ticked: SimTime,
    /// What the picture still has to forget.
    off: DVec3,
    off_at: SimTime,
}

impl LocalPlayer {
    /// A body that the server says is here.
    #[must_use]
    pub const fn new(player: Player, now: SimTime) -> Self {
        Self { player, ticked: now, off: DVec3::ZERO, off_at: now }
    }

    /// The server says where it is. Returns whether that was a birth.
    pub fn correct(
        &mut self,
        now: SimTime,
        position: DVec3,
        velocity: DVec3,
        radius_px: f64,
    ) -> bool {
        let shown = self.shown_at(now);
        self.player.position = position;
        self.player.velocity = velocity;
        self.ticked = now;
        let off = shown - position;
        let is_birth = off.length() > BIRTH_RADII * radius_px;
        self.off = if is_birth { DVec3::ZERO } else { off };
        self.off_at = now;
        is_birth
    }

    /// Moves it up to `now`, a step at a time. `on_step` gets each step's motion.
    pub fn advance(
        &mut self,
        now: SimTime,
        input: &Input,
        level: &Level,
        on_step: impl FnMut(&Kinematics),
    ) {
        self.advance_as(now, input, &level.file().body, level, on_step);
    }

    /// The same with a body of other rules: a vehicle.
    pub fn advance_as(
        &mut self,
        now: SimTime,
        input: &Input,
        body: &BodyRules,
        level: &Level,
        mut on_step: impl FnMut(&Kinematics),
    ) {
        let mut steps = 0;
        while now.as_micros() - self.ticked.as_micros() >= TICK_US {
            if steps == MAX_TICKS {
                self.ticked = now;
                break;
            }
            steps += 1;
            self.player.advance_as(input, body, level);
            self.ticked = SimTime::from_micros(self.ticked.as_micros() + TICK_US);
            on_step(&self.player.kinematics(self.ticked, body.kind));
        }
    }

    /// The dead lie where they fell, and time passes over them.
    pub const fn rest(&mut self, now: SimTime) {
        self.ticked = now;
    }

    /// Where to draw it: between two steps it goes straight on.
    #[must_use]
    pub fn shown_at(&self, now: SimTime) -> DVec3 {
        let past_s = now.secs_since(self.ticked).clamp(0.0, TICK_US as f64 * 1e-6);
        let left = libm::exp(-now.secs_since(self.off_at).max(0.0) / FADE_S);
        self.player.position + self.player.velocity * past_s + self.off * left
    }

    /// Its state after the last step.
    #[must_use]
    pub const fn player(&self) -> &Player {
        &self.player
    }
}

/// The trigger: one shot each pause, each a little after the trigger was pulled.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trigger {
    loaded_at: Option<SimTime>,
    due: Option<SimTime>,
}

impl Trigger {
    /// Whether a shot leaves now.
    pub fn pull(&mut self, now: SimTime, fires: bool, pause_s: f64) -> bool {
        let is_loaded = self.loaded_at.is_none_or(|at| now >= at);
        if fires && is_loaded && self.due.is_none() {
            self.due = Some(later(now, GUN_LAG.as_secs_f64()));
            self.loaded_at = Some(later(now, pause_s));
        }
        let leaves = self.due.is_some_and(|due| now >= due);
        if leaves {
            self.due = None;
        }
        leaves
    }
}

fn later(now: SimTime, by_s: f64) -> SimTime {
    SimTime::from_micros(now.as_micros() + (by_s * 1e6) as i64)
}

#[cfg(test)]
mod tests {
    use reckoning_arena::{PlayerId, Team};

    use super::*;
    use crate::testing::ms;

    fn walker() -> (Level, LocalPlayer) {
        let level = Level::built_in("proving-grounds").unwrap();
        let player = Player::standing(PlayerId(0), Team(0), level.size_px() * 0.4, DVec3::X);
        (level, LocalPlayer::new(player, SimTime::ZERO))
    }

    fn east() -> Input {
        Input { go: DVec3::X, ..Input::default() }
    }

    #[test]
    fn the_frame_rate_does_not_change_the_way() {
        let (level, start) = walker();
        let mut ends = Vec::new();
        for frame_ms in [4, 16, 50] {
            let mut body = start.clone();
            for frame in 1..=(1_000 / frame_ms) {
                body.advance(ms(frame * frame_ms), &east(), &level, |_| {});
            }
            body.advance(ms(1_000), &east(), &level, |_| {});
            ends.push(body.player().position.x);
        }
        assert!(ends.iter().all(|it| *it == ends[0]), "{ends:?}");
    }

    #[test]
    fn every_step_is_told_with_its_moment() {
        let (level, mut body) = walker();
        let mut steps = Vec::new();
        body.advance(ms(51), &east(), &level, |it| steps.push(it.at.as_micros()));
        assert_eq!(steps, [16_666, 33_332, 49_998]);
    }

    #[test]
    fn the_picture_moves_between_two_steps() {
        let (level, mut body) = walker();
        body.advance(ms(500), &east(), &level, |_| {});
        let step = body.shown_at(ms(508)).x - body.shown_at(ms(500)).x;
        assert!((step - 0.008 * 440.0).abs() < 0.1, "{step}");
    }

    #[test]
    fn a_correction_fades_and_a_birth_does_not() {
        let (_, mut body) = walker();
        let here = body.shown_at(ms(0));
        assert!(!body.correct(ms(0), here + DVec3::X * 10.0, DVec3::ZERO, 20.0));
        assert!(body.shown_at(ms(0)).distance(here) < 1e-9);
        assert!(body.shown_at(ms(600)).distance(here + DVec3::X * 10.0) < 0.1);
        let far = here + DVec3::X * 900.0;
        assert!(body.correct(ms(600), far, DVec3::ZERO, 20.0));
        assert_eq!(body.shown_at(ms(600)), far);
    }

    #[test]
    fn shots_leave_after_the_lag_and_keep_the_pause() {
        let mut trigger = Trigger::default();
        let shots: Vec<i64> = (0..500).filter(|it| trigger.pull(ms(*it), true, 0.15)).collect();
        assert_eq!(shots, [50, 200, 350]);
        let mut trigger = Trigger::default();
        assert!((0..500).all(|it| !trigger.pull(ms(it), false, 0.15)));
    }
}
