//! A tank's turret is sent when it matters; a car's wheels are never sent at all.

use std::time::Duration;

use reckoning::joints::{JointGhost, JointPublisher, JointPublisherConfig, Steering};
use reckoning::orientation::shortest_turn_rad;
use reckoning::{DQuat, DVec3, Joint, SimTime, heading_from_velocity, wheel_spin_rad};

fn main() -> Result<(), reckoning::ConfigError> {
    turret()?;
    wheels();
    Ok(())
}

/// Sweeps half the horizon to and fro; the network takes 100 ms.
fn turret() -> Result<(), reckoning::ConfigError> {
    const DELAY: Duration = Duration::from_millis(100);
    let truth = |at: SimTime| {
        let (sine, cosine) = libm::sincos(at.as_secs_f64());
        Joint { at, angle_rad: 1.5 * sine, rate_radps: 1.5 * cosine }
    };
    let (mut publisher, first) =
        JointPublisher::start(JointPublisherConfig::default(), truth(SimTime::ZERO))?;
    let mut ghost = JointGhost::new(first, Duration::from_millis(200));
    let (mut in_flight, mut sent, mut worst_rad) = (None, 1, 0.0_f64);

    for tick in 1..=600 {
        let now = SimTime::from_tick(tick, 60);
        if let Some(update) = publisher.observe(truth(now)) {
            in_flight = Some(update);
            sent += 1;
        }
        if let Some(update) = in_flight.take_if(|update| update.at + DELAY <= now) {
            ghost.accept(update, now);
        }
        let error_rad = shortest_turn_rad(ghost.angle_at(now), truth(now).angle_rad);
        worst_rad = worst_rad.max(error_rad.abs());
    }
    println!("turret: 600 ticks, {sent} updates, at most {:.1}° off", worst_rad.to_degrees());
    Ok(())
}

/// A left-hand bend of radius 20 m at 8 m/s, all from the reckoned position and velocity.
fn wheels() {
    const YAW_RATE_RADPS: f64 = 8.0 / 20.0;
    let (mut spin_rad, mut last) = (0.0, DVec3::X * 20.0);
    for tick in 1..=5 {
        let (y, x) = libm::sincos(YAW_RATE_RADPS * SimTime::from_tick(tick, 50).as_secs_f64());
        let (position, velocity) = (DVec3::new(x, y, 0.0) * 20.0, DVec3::new(-y, x, 0.0) * 8.0);
        let orientation = heading_from_velocity(velocity, DQuat::IDENTITY, 0.5);
        spin_rad = wheel_spin_rad(spin_rad, last, position, orientation, 0.35);
        let steer_rad = Steering::default().angle_rad(velocity.length(), YAW_RATE_RADPS);
        let [spin_deg, steer_deg] = [spin_rad, steer_rad].map(f64::to_degrees);
        println!("wheels: rolled to {spin_deg:4.0}°, steered {steer_deg:.1}° to the left");
        last = position;
    }
}
