//! Everything a publisher can say in ten seconds of a tank's life, and why it said it.

use std::time::Duration;

use reckoning::{
    AngleThreshold, ConfigError, DQuat, DVec3, Kinematics, Publisher, PublisherConfig, Quantiser,
    SimTime, Threshold,
};

/// Stands, drives, turns on the spot, drives on and is carried home.
fn tank_at(now: SimTime) -> Kinematics {
    let t_s = now.as_secs_f64();
    let (x, speed) = match t_s {
        ..2.0 => (0.0, 0.0),
        ..4.0 => ((t_s - 2.0) * 6.0, 6.0),
        ..6.0 => (12.0, 0.0),
        ..8.0 => (12.0 + (t_s - 6.0) * 6.0, 6.0),
        _ => (0.0, 0.0),
    };
    let turn = if (4.0..6.0).contains(&t_s) { t_s - 4.0 } else { 0.0 };
    Kinematics {
        orientation: DQuat::from_xyzw(0.0, 0.0, libm::sin(turn / 2.0), libm::cos(turn / 2.0)),
        ..Kinematics::moving(now, DVec3::X * x, DVec3::X * speed)
    }
}

fn main() -> Result<(), ConfigError> {
    let mut config = PublisherConfig::default();
    config.threshold = Threshold::metres(0.1)?;
    config.angle_threshold = Some(AngleThreshold::degrees(3.0)?);
    config.angle_min_interval = Duration::from_millis(200); // turning may be a little late
    config.heartbeat = Duration::from_secs(1);
    config.heartbeat_spread = 0.1; // so that a thousand tanks do not speak at once
    config.quantiser = Quantiser { position_m: 0.01, velocity_mps: 0.05, ..Quantiser::EXACT };
    let (mut publisher, _) = Publisher::start(config, &tank_at(SimTime::ZERO))?;

    for tick in 1..=600 {
        let now = SimTime::from_tick(tick, 60);
        let truth = tank_at(now);
        if tick == 480 {
            publisher.teleport(&truth);
            println!("{now}  teleported home");
        } else if let Some(cause) = publisher.due(&truth) {
            let model = publisher.config().model; // a game may plan a better one here
            let update = publisher.export(&truth, model, cause);
            println!("{now}  {cause:?} ({:?})", update.kind());
        }
    }
    println!("{:?}", publisher.stats());
    Ok(())
}
