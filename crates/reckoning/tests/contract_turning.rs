//! Contract of how ghosts turn: angular velocity and heading.

mod common;

use std::time::Duration;

use common::ghosts::{AnyGhost, changes, told};
use common::{Delivery, after, cases, deliveries};
use proptest::prelude::*;
use reckoning::math::{angle_between, rotation, scaled_axis};
use reckoning::random::SplitMix64;
use reckoning::{
    Blend, DQuat, DVec3, DelayedConfig, DelayedGhost, Ghost, GhostConfig, Kinematics, Publisher,
    PublisherConfig, SimTime, heading_from_velocity,
};

/// Slopes are taken over this.
const H: Duration = Duration::from_micros(50);

/// The angular velocity that the eye sees between two moments.
fn turned<G: AnyGhost>(ghost: &G, from: SimTime, to: SimTime) -> DVec3 {
    let (before, after) = (ghost.shown_orientation(from), ghost.shown_orientation(to));
    scaled_axis(after * before.conjugate()) / to.secs_since(from)
}

/// The first moment at which the angular velocity is not the slope of the orientation, of those
/// where it has one, and how many had.
fn off_slope<G: AnyGhost>(config: G::Config, deliveries: &[Delivery]) -> Result<usize, String> {
    let ghost: G = told(config, deliveries);
    let last = deliveries.last().unwrap().now;
    let mut smooth = 0;
    for frame in 1..60 {
        let now = after(last, f64::from(frame) * 0.0371);
        let (came, goes) = (turned(&ghost, now - H, now), turned(&ghost, now, now + H));
        let got = ghost.shown_angular_velocity(now);
        if (came - goes).length() < 0.02 {
            smooth += 1;
            if (got - (came + goes) * 0.5).length() > 0.02 {
                return Err(format!("{got} where {came} to {goes} at {now}"));
            }
        }
    }
    Ok(smooth)
}

/// The first update that turns the heading at once.
fn heading_jump<G: AnyGhost>(config: G::Config, deliveries: &[Delivery]) -> Option<String> {
    changes::<G>(config, deliveries).into_iter().find_map(|(before, after, now)| {
        let (from, to) = (before.shown_heading(now), after.shown_heading(now));
        (angle_between(from, to) > 1e-7).then(|| format!("{from} to {to} at {now}"))
    })
}

fn blended(blend: Blend) -> GhostConfig {
    let mut config = GhostConfig::default();
    config.blend = blend;
    config
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn angular_velocity_is_the_slope_of_the_orientation(
        blend in prop::sample::select(&Blend::ALL[..]),
        deliveries in deliveries(),
    ) {
        let smooth = off_slope::<Ghost>(blended(blend), &deliveries);
        prop_assert!(smooth.as_ref().is_ok_and(|it| *it > 40), "{smooth:?} of 59");
        let smooth = off_slope::<DelayedGhost>(DelayedConfig::default(), &deliveries);
        prop_assert!(smooth.as_ref().is_ok_and(|it| *it > 40), "{smooth:?} of 59");
    }

    #[test]
    fn no_update_turns_the_heading_at_once(
        blend in prop::sample::select(&Blend::ALL[1..]),
        deliveries in deliveries(),
    ) {
        prop_assert_eq!(heading_jump::<Ghost>(blended(blend), &deliveries), None);
        let delayed = DelayedConfig::default();
        prop_assert_eq!(heading_jump::<DelayedGhost>(delayed, &deliveries), None);
    }

    #[test]
    fn other_settings_do_not_turn_the_heading(
        deliveries in deliveries(),
        wait_ms in 0..900_u64,
        min_heading_speed_mps in 0.0..30.0_f64,
    ) {
        for (_, mut ghost, arrived) in changes::<Ghost>(GhostConfig::default(), &deliveries) {
            let now = arrived + Duration::from_millis(wait_ms);
            let from = ghost.heading_at(now);
            let mut other = blended(Blend::Hermite);
            other.min_heading_speed_mps = min_heading_speed_mps;
            ghost.set_config(other, now).unwrap();
            prop_assert!(angle_between(from, ghost.heading_at(now)) < 1e-7);
        }
    }
}

/// A boat on a course of its own: it sails a bend, brakes within a second, and lies still.
struct Boat {
    course_rad: f64,
    rate_radps: f64,
    speed_mps: f64,
}

const SAILS_S: f64 = 3.0;
const BRAKES_S: f64 = 1.0;

impl Boat {
    fn heading(&self, t_s: f64) -> DQuat {
        rotation(DVec3::Z * (self.course_rad + self.rate_radps * t_s.min(SAILS_S + BRAKES_S)))
    }

    fn speed_mps(&self, t_s: f64) -> f64 {
        self.speed_mps * (1.0 - (t_s - SAILS_S) / BRAKES_S).clamp(0.0, 1.0)
    }

    /// Summed up in milliseconds: it need not be exact to be a motion.
    fn truth(&self, now: SimTime) -> Kinematics {
        let mut position = DVec3::ZERO;
        for ms in 0..now.as_micros() / 1_000 {
            let t_s = ms as f64 * 1e-3;
            position += self.heading(t_s) * DVec3::X * (self.speed_mps(t_s) * 1e-3);
        }
        let t_s = now.as_secs_f64();
        Kinematics::moving(now, position, self.heading(t_s) * DVec3::X * self.speed_mps(t_s))
    }
}

/// The means over all frames at rest of how far headings are off, in radians: by `heading_at` of
/// both kinds of ghost, and from the velocity that is shown.
fn headings_at_rest(boats: u64) -> [f64; 3] {
    let (mut off_rad, mut frames) = ([0.0; 3], 0.0);
    for seed in 0..boats {
        let mut random = SplitMix64::new(seed);
        let boat = Boat {
            course_rad: random.between(-3.1, 3.1),
            rate_radps: random.between(-0.4, 0.4),
            speed_mps: random.between(3.0, 12.0),
        };
        let first = boat.truth(SimTime::ZERO);
        let (mut publisher, first) = Publisher::start(PublisherConfig::default(), &first).unwrap();
        let mut ghost = Ghost::new(first, Blend::ProjectiveVelocity);
        let delayed = DelayedGhost::with_config(DelayedConfig::default(), first, SimTime::ZERO);
        let (mut delayed, mut flying) = (delayed.unwrap(), Vec::new());
        let mut naive = DQuat::IDENTITY;
        for tick in 1..=420 {
            let now = SimTime::from_tick(tick, 60);
            if let Some(update) = publisher.observe(&boat.truth(now)) {
                flying.push((now + Duration::from_millis(80), update));
            }
            for (at, update) in flying.extract_if(.., |(at, _)| *at <= now) {
                ghost.accept(update, at);
                delayed.accept(update, at);
            }
            naive = heading_from_velocity(ghost.velocity_at(now), naive, 0.5);
            if now.as_secs_f64() > SAILS_S + BRAKES_S + 0.6 {
                let truth = boat.heading(SAILS_S + BRAKES_S);
                let shown = [ghost.heading_at(now), delayed.heading_at(now), naive];
                for (off_rad, shown) in off_rad.iter_mut().zip(shown) {
                    *off_rad += angle_between(shown, truth);
                }
                frames += 1.0;
            }
        }
    }
    off_rad.map(|it| it / frames)
}

#[test]
fn a_boat_that_stopped_lies_the_way_it_sailed() {
    let [ghost, delayed, naive] = headings_at_rest(40).map(f64::to_degrees);
    assert!(ghost < 6.0, "{ghost} degrees off");
    assert!(delayed < 6.0, "{delayed} degrees off");
    assert!(naive > 3.0 * ghost, "from the velocity shown: {naive} degrees, {ghost} by heading_at");
}
