//! Questions that the contracts of both kinds of ghost ask.

use std::time::Duration;

use reckoning::ghost::Accepted;
use reckoning::{DQuat, DVec3, DelayedConfig, DelayedGhost, Ghost, GhostConfig, SimTime};

use super::{Delivery, Picture, picture, slope};

/// More than what a slope is taken from.
const WINDOW: Duration = Duration::from_micros(5);

/// A [`Ghost`] or a [`DelayedGhost`].
pub trait AnyGhost: Clone {
    type Config: Copy;

    fn born(config: Self::Config, first: Delivery) -> Self;
    fn take(&mut self, delivery: Delivery) -> Accepted;
    fn shown_position(&self, now: SimTime) -> DVec3;
    fn shown_velocity(&self, now: SimTime) -> DVec3;
    fn shown_orientation(&self, now: SimTime) -> DQuat;
    fn shown_angular_velocity(&self, now: SimTime) -> DVec3;
    fn shown_heading(&self, now: SimTime) -> DQuat;
    fn handed_over(&mut self, delivery: Delivery) -> Accepted;
}

macro_rules! any_ghost {
    ($ghost:ident, $config:ident) => {
        impl AnyGhost for $ghost {
            type Config = $config;

            fn born(config: $config, first: Delivery) -> Self {
                Self::with_config(config, first.update, first.now).unwrap()
            }

            fn take(&mut self, delivery: Delivery) -> Accepted {
                self.accept(delivery.update, delivery.now)
            }

            fn shown_position(&self, now: SimTime) -> DVec3 {
                self.position_at(now)
            }

            fn shown_velocity(&self, now: SimTime) -> DVec3 {
                self.velocity_at(now)
            }

            fn shown_orientation(&self, now: SimTime) -> DQuat {
                self.orientation_at(now)
            }

            fn shown_angular_velocity(&self, now: SimTime) -> DVec3 {
                self.angular_velocity_at(now)
            }

            fn shown_heading(&self, now: SimTime) -> DQuat {
                self.heading_at(now)
            }

            fn handed_over(&mut self, delivery: Delivery) -> Accepted {
                self.hand_over(delivery.update, delivery.now)
            }
        }
    };
}

any_ghost!(Ghost, GhostConfig);
any_ghost!(DelayedGhost, DelayedConfig);

/// The ghost that accepted all of these.
pub fn told<G: AnyGhost>(config: G::Config, deliveries: &[Delivery]) -> G {
    let mut ghost = G::born(config, deliveries[0]);
    for delivery in &deliveries[1..] {
        ghost.take(*delivery);
    }
    ghost
}

/// As [`told`], but asked on every frame in between.
pub fn told_and_watched<G: AnyGhost>(
    config: G::Config,
    deliveries: &[Delivery],
    frame_us: i64,
) -> G {
    let mut ghost = G::born(config, deliveries[0]);
    let mut frame = deliveries[0].now;
    for delivery in &deliveries[1..] {
        while frame < delivery.now {
            let _ = shown(&ghost, frame);
            frame = SimTime::from_micros(frame.as_micros() + frame_us);
        }
        ghost.take(*delivery);
    }
    ghost
}

/// Each time an update is used: the ghost before, the ghost after, and the moment.
pub fn changes<G: AnyGhost>(config: G::Config, deliveries: &[Delivery]) -> Vec<(G, G, SimTime)> {
    let mut ghost = G::born(config, deliveries[0]);
    let mut changes = Vec::new();
    for delivery in &deliveries[1..] {
        let before = ghost.clone();
        if ghost.take(*delivery) != Accepted::Stale {
            changes.push((before, ghost.clone(), delivery.now));
        }
    }
    changes
}

pub fn shown<G: AnyGhost>(ghost: &G, now: SimTime) -> Picture {
    picture(ghost.shown_position(now), ghost.shown_velocity(now), ghost.shown_orientation(now))
}

/// The first update at which the slope of the shown position changes by more than the share
/// `most`, as the eye would see it.
pub fn velocity_jump<G: AnyGhost>(
    config: G::Config,
    deliveries: &[Delivery],
    most: f64,
) -> Option<String> {
    let mut last = deliveries[0].now;
    changes::<G>(config, deliveries).into_iter().find_map(|(before, after, now)| {
        // Between two updates at nearly the same moment there is nothing to be seen.
        if now.saturating_since(std::mem::replace(&mut last, now)) < WINDOW {
            return None;
        }
        let came = slope(|t| before.shown_position(t), now, -1);
        let goes = slope(|t| after.shown_position(t), now, 1);
        let kept = (came - goes).length() < most * (1.0 + came.length());
        (!kept).then(|| format!("{came} to {goes} at {now}"))
    })
}
