//! A tank in a DIS exercise: what the fields of its Entity State PDU say, and how often it
//! has to say it with each of the standard's models.

use reckoning::dis::{DisAlgorithm, DisFields, DisModel, quat_from_euler};
use reckoning::{ConfigError, DVec3, Kinematics, Model, Publisher, PublisherConfig, SimTime};

/// Drives a circle of 20 m at 10 m/s, nose ahead.
fn tank_at(now: SimTime) -> Kinematics {
    let angle = 0.5 * now.as_secs_f64();
    let (sin, cos) = libm::sincos(angle);
    Kinematics {
        at: now,
        position: DVec3::new(cos, sin, 0.0) * 20.0,
        velocity: DVec3::new(-sin, cos, 0.0) * 10.0,
        acceleration: DVec3::new(-cos, -sin, 0.0) * 5.0,
        orientation: quat_from_euler(angle + std::f64::consts::FRAC_PI_2, 0.0, 0.0),
        angular_velocity: DVec3::Z * 0.5,
    }
}

fn main() -> Result<(), ConfigError> {
    println!("model    PDUs in 60 s   velocity field     acceleration field");
    for algorithm in DisAlgorithm::ALL {
        let model = DisModel::new(algorithm);
        let config = PublisherConfig::dis(Model::Dis(model));
        let (mut publisher, first) = Publisher::start(config, &tank_at(SimTime::ZERO))?;
        for tick in 1..=60 * 30 {
            publisher.observe(&tank_at(SimTime::from_tick(tick, 30)));
        }
        let fields = DisFields::from_kinematics(first.kinematics(), model);
        let exported = publisher.stats().exported;
        println!(
            "{algorithm:<8?} {exported:>12}   {:<17.1} {:.1}",
            fields.velocity, fields.acceleration
        );
    }
    Ok(())
}
