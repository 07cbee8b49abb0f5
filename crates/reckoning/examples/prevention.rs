//! A jumper lands while the update that says so is on its way: with and without looking
//! ahead for the ground.

use std::time::Duration;

use reckoning::terrain::FlatGround;
use reckoning::{
    Blend, ConfigError, DVec3, Ghost, Kinematics, Publisher, PublisherConfig, SimTime,
};

/// Hops of one second each, running.
fn jumper_at(now: SimTime) -> Kinematics {
    let t_s = now.as_secs_f64();
    let hop_s = t_s % 1.0;
    let height = 4.905 * hop_s * (1.0 - hop_s);
    let velocity = DVec3::new(3.0, 0.0, 4.905 * (1.0 - 2.0 * hop_s));
    Kinematics::moving(now, DVec3::new(3.0 * t_s, 0.0, height), velocity)
}

fn main() -> Result<(), ConfigError> {
    for looks_ahead in [false, true] {
        let (mut publisher, first) =
            Publisher::start(PublisherConfig::default(), &jumper_at(SimTime::ZERO))?;
        let mut ghost = Ghost::new(first, Blend::ProjectiveVelocity);
        let (mut flying, mut lowest_m) = (Vec::new(), 0.0_f64);
        for tick in 1..=600 {
            let now = SimTime::from_tick(tick, 60);
            let update = if looks_ahead {
                publisher.observe_on(&jumper_at(now), &FlatGround::default())
            } else {
                publisher.observe(&jumper_at(now))
            };
            flying.extend(update.map(|update| (now + Duration::from_millis(150), update)));
            for (at, update) in flying.extract_if(.., |(at, _)| *at <= now) {
                ghost.accept(update, at);
            }
            lowest_m = lowest_m.min(ghost.position_at(now).z);
        }
        let name = if looks_ahead { "looking ahead" } else { "as it moves" };
        let exported = publisher.stats().exported;
        println!(
            "{name:<14} {exported} updates, shown {:.2} m under ground at worst",
            lowest_m.abs()
        );
    }
    Ok(())
}
