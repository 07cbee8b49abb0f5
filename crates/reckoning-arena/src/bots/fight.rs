//! Combat movement, aim and fire of a bot.
//!
//! A fighter steps this way and that for fractions of a second, drawn by lot: sideways most
//! of the time, nearer when the opponent is further than the bot likes, away when nearer,
//! and now and then it stands to aim. Its aim leads the target as well as its skill allows
//! and wanders about the mark; it fires in bursts.

use reckoning::DVec3;
use reckoning::random::SplitMix64;

use super::senses::SeenOpponent;
use super::style::Style;
use crate::level::{BodyKind, Level};
use crate::ticks;
use crate::world::Player;

/// The aim's error is drawn anew this often and keeps most of its old value.
const TREMBLE_TICKS: u64 = 6;
const TREMBLE_KEPT: f64 = 0.85;

/// One bot's way of fighting at the moment.
#[derive(Clone, Debug, Default)]
pub struct Fight {
    step: DVec3,
    step_until: u64,
    side: f64,
    /// The aim's error across the line of fire, in shares of the distance.
    tremble: f64,
    burst_from: u64,
    burst_until: u64,
}

impl Fight {
    /// Where to step now.
    pub fn wish(
        &mut self,
        me: &Player,
        foe: &SeenOpponent,
        (style, level): (&Style, &Level),
        tick: u64,
        random: &mut SplitMix64,
    ) -> DVec3 {
        if tick >= self.step_until {
            let gap = foe.believed(tick) - me.position;
            self.step = self.draw_step(gap, style, level, random);
            let radius_px = level.file().body.radius_px;
            for _ in 0..3 {
                let ahead = me.position + self.step * (3.0 * radius_px);
                if level.walls().is_clear(me.position, ahead, 0.9 * radius_px) {
                    break;
                }
                self.step = self.draw_step(gap, style, level, random);
            }
            self.step_until = tick + ticks(step_s(level, style, random));
        }
        self.step
    }

    /// Drops the present step, so that the next wish draws a new one.
    pub fn break_off(&mut self) {
        self.step_until = 0;
    }

    fn draw_step(
        &mut self,
        gap: DVec3,
        style: &Style,
        level: &Level,
        random: &mut SplitMix64,
    ) -> DVec3 {
        let towards = gap.normalize_or(DVec3::X);
        let ratio = gap.length() / (level.file().gun.range_px * style.fight_at());
        if self.side == 0.0 || random.chance(0.55) {
            self.side = if random.chance(0.5) { 1.0 } else { -1.0 };
        }
        let sideways = DVec3::new(-towards.y, towards.x, 0.0) * self.side;
        let nearer = if ratio > 1.25 { 2.5 } else { 0.3 };
        let away = if ratio < 0.6 { 2.0 } else { 0.25 };
        let steps = [
            (sideways, 2.0),
            (sideways + towards, nearer),
            (towards, 0.6 * nearer),
            (sideways - towards, away),
            (-towards, 0.5 * away),
            (DVec3::ZERO, 0.25 + 0.5 * (1.0 - style.restlessness)),
        ];
        let choice = random.weighted(&steps.map(|it| it.1)).unwrap_or(0);
        steps[choice].0.normalize_or_zero()
    }

    /// The direction to aim in, with the bot's error.
    pub fn mark(
        &mut self,
        me: &Player,
        foe: &SeenOpponent,
        (style, level): (&Style, &Level),
        tick: u64,
        random: &mut SplitMix64,
    ) -> DVec3 {
        if tick.is_multiple_of(TREMBLE_TICKS) {
            let most = 0.05 + 0.07 * (1.0 - style.skill);
            self.tremble = self.tremble * TREMBLE_KEPT + random.bell() * 0.5 * most;
        }
        let there = foe.believed(tick);
        let flight_s = there.distance(me.position) / level.file().gun.speed_px_s;
        let lead = foe.velocity() * (flight_s * (0.4 + 0.6 * style.skill));
        let gap = there + lead - me.position;
        let across = DVec3::new(-gap.y, gap.x, 0.0) * self.tremble;
        (gap + across).normalize_or(me.aim)
    }

    /// Whether to pull the trigger with the aim where it is.
    pub fn fires(
        &mut self,
        me: &Player,
        foe: &SeenOpponent,
        mark: DVec3,
        level: &Level,
        tick: u64,
        random: &mut SplitMix64,
    ) -> bool {
        let distance = foe.believed(tick).distance(me.position);
        if me.ammo == 0 || !foe.is_open || distance > level.file().gun.range_px {
            return false;
        }
        if tick >= self.burst_until {
            self.burst_from = tick + ticks(random.between(0.1, 0.6));
            self.burst_until = self.burst_from + ticks(random.between(0.4, 1.4));
        }
        // Near enough to look right: twice the width of the target.
        let slack = 2.0 * level.file().body.radius_px / distance.max(1.0);
        tick >= self.burst_from && me.aim.distance(mark) < slack.max(0.03)
    }
}

/// How long a step lasts: walkers dart, tanks have to get going.
fn step_s(level: &Level, style: &Style, random: &mut SplitMix64) -> f64 {
    let calm = 1.3 - 0.6 * style.restlessness;
    match level.file().body.kind {
        BodyKind::Walker => random.between(0.15, 0.7) * calm,
        BodyKind::Tank => random.between(0.7, 2.4) * calm,
    }
}
