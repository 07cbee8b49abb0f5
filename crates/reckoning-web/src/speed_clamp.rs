//! Limit on the speed at which bodies are drawn: their top speed, with some room to catch up.
//!
//! A ghost that was far off sheds its error within a fifth of a second, which looks like a dash. So
//! what is drawn follows the ghost at no more than 1.45 times the top speed, and takes a little
//! longer to be right. What ghosts do before the clamp, and how often it acts, is measured by
//! [`ClampMeter`](crate::meter::ClampMeter).

use reckoning::{DVec3, SimTime};

/// The fastest a body is drawn, as a share of its top speed.
const CATCH_UP: f64 = 1.45;

/// One body as it is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpeedClamp {
    drawn: Option<DVec3>,
    /// Its newest teleport.
    teleported_at: Option<SimTime>,
}

impl SpeedClamp {
    /// Whether a teleport, told by an update of this moment, is one that was not seen before.
    pub fn has_leapt(&mut self, told_at: SimTime) -> bool {
        self.teleported_at.replace(told_at) != Some(told_at)
    }

    /// Where to draw it, `dt_s` after the last time, when its ghost is here. One that leapt, by
    /// birth, is drawn there at once.
    pub fn follow(&mut self, ghost: DVec3, dt_s: f64, top_px_s: f64, has_leapt: bool) -> DVec3 {
        let most_px = CATCH_UP * top_px_s * dt_s;
        let place = match self.drawn {
            Some(drawn) if !has_leapt => drawn + (ghost - drawn).clamp_length_max(most_px),
            _ => ghost,
        };
        self.drawn = Some(place);
        place
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::time::Duration;

    use reckoning::random::SplitMix64;
    use reckoning::{Ghost, Kinematics, Publisher};

    use super::*;

    const FRAME_S: f64 = 1.0 / 60.0;

    #[test]
    fn a_dash_is_drawn_as_a_run_that_arrives() {
        let mut clamp = SpeedClamp::default();
        clamp.follow(DVec3::ZERO, FRAME_S, 440.0, false);
        let mut before = DVec3::ZERO;
        let mut frames = 0;
        while before != DVec3::X * 100.0 {
            let drawn = clamp.follow(DVec3::X * 100.0, FRAME_S, 440.0, false);
            assert!(drawn.distance(before) / FRAME_S <= 660.0);
            (before, frames) = (drawn, frames + 1);
        }
        assert_eq!(frames, 10);
    }

    #[test]
    fn steady_motion_and_births_are_drawn_as_they_are() {
        let mut clamp = SpeedClamp::default();
        for frame in 0..60 {
            let ghost = DVec3::X * (440.0 * FRAME_S * f64::from(frame));
            assert_eq!(clamp.follow(ghost, FRAME_S, 440.0, false), ghost);
        }
        assert_eq!(clamp.follow(DVec3::Y * 3e3, FRAME_S, 440.0, true), DVec3::Y * 3e3);
    }

    #[test]
    fn a_teleport_is_new_once() {
        let mut clamp = SpeedClamp::default();
        let at = SimTime::from_millis;
        assert_eq!(
            [at(1), at(1), at(2), at(2)].map(|it| clamp.has_leapt(it)),
            [true, false, true, false]
        );
    }

    #[test]
    fn without_a_top_speed_nothing_is_held_back() {
        let mut clamp = SpeedClamp::default();
        clamp.follow(DVec3::ZERO, FRAME_S, f64::INFINITY, false);
        assert_eq!(clamp.follow(DVec3::X * 9e3, FRAME_S, f64::INFINITY, false), DVec3::X * 9e3);
    }

    /// Distances from what is drawn to the ghost, sorted, of a walker that turns about at random
    /// and is seen so late.
    fn held_back_px(delay_ms: u64) -> Vec<f64> {
        const TOP_PX_S: f64 = 440.0;
        let tuning = reckoning_arena::protocol::ServerTuning::default();
        let publisher = reckoning_arena::host::publisher_config(&tuning);
        let mut dice = SplitMix64::new(5);
        let mut body = Kinematics::moving(SimTime::ZERO, DVec3::ZERO, DVec3::X * TOP_PX_S);
        let (mut publisher, first) = Publisher::start(publisher, &body).unwrap();
        let config = reckoning_arena::host::ghost_config();
        let mut ghost = Ghost::with_config(config, first, SimTime::ZERO).unwrap();
        let (mut under_way, mut clamp) = (VecDeque::new(), SpeedClamp::default());
        let mut held_back = Vec::new();
        for frame in 1..60 * 120 {
            let now = SimTime::from_tick(frame, 60);
            if dice.between(0.0, 1.0) < 0.04 {
                let angle = dice.between(0.0, core::f64::consts::TAU);
                body.velocity = DVec3::new(libm::cos(angle), libm::sin(angle), 0.0) * TOP_PX_S;
            }
            body.position += body.velocity * FRAME_S;
            body.at = now;
            let sent = publisher.observe(&body);
            under_way.extend(sent.map(|update| (now + Duration::from_millis(delay_ms), update)));
            while let Some((at, update)) = under_way.pop_front_if(|(at, _)| *at <= now) {
                ghost.accept(update, at);
            }
            let place = ghost.position_at(now);
            held_back.push(clamp.follow(place, FRAME_S, TOP_PX_S, false).distance(place));
        }
        held_back.sort_by(f64::total_cmp);
        held_back
    }

    /// Hits are judged by ghosts, which the host can rebuild, and not by where the clamp draws them.
    /// This walker turns faster and more often than any that plays.
    #[test]
    fn a_body_is_drawn_beside_the_ghost_that_shots_are_judged_by_only_this_often() {
        const RADIUS_PX: f64 = 14.0;
        for (delay_ms, most_share) in [(30, 0.1), (80, 0.35), (150, 0.6)] {
            let held_back = held_back_px(delay_ms);
            let beside = held_back.iter().filter(|px| **px > RADIUS_PX).count();
            let share = beside as f64 / held_back.len() as f64;
            let at = |part: f64| held_back[((held_back.len() - 1) as f64 * part) as usize];
            println!(
                "{delay_ms} ms: median {:.1} px, 95 % {:.1} px, most {:.1} px; {:.1} % beside",
                at(0.5),
                at(0.95),
                at(1.0),
                share * 100.0,
            );
            assert!(share <= most_share, "{delay_ms} ms: {share}");
        }
    }
}
