//! One car, one onlooker, a perfect network: the quick start of the crate's documentation.

use reckoning::{
    Blend, ConfigError, DVec3, Ghost, Kinematics, Publisher, PublisherConfig, SimTime, Threshold,
};

/// 15 m/s round a bend of 50 m.
fn car_at(now: SimTime) -> Kinematics {
    let (sin, cos) = libm::sincos(0.3 * now.as_secs_f64());
    Kinematics::moving(now, DVec3::new(cos, sin, 0.0) * 50.0, DVec3::new(-sin, cos, 0.0) * 15.0)
}

fn main() -> Result<(), ConfigError> {
    let mut config = PublisherConfig::default();
    config.threshold = Threshold::metres(0.25)?;
    let (mut publisher, first) = Publisher::start(config, &car_at(SimTime::ZERO))?;
    let mut ghost = Ghost::new(first, Blend::Snap);

    let (mut exports, mut worst_m) = (1, 0.0_f64);
    for tick in 1..600 {
        let now = SimTime::from_tick(tick, 60);
        if let Some(update) = publisher.observe(&car_at(now)) {
            ghost.accept(update, now); // here your network carries it
            exports += 1;
        }
        worst_m = worst_m.max(ghost.position_at(now).distance(car_at(now).position));
    }
    println!("600 ticks, {exports} updates, never more than {worst_m:.3} m off");
    Ok(())
}
