//! A correction of one metre, seen frame by frame with every blend.

use std::time::Duration;

use reckoning::{
    Blend, BlendSpan, ConfigError, DVec3, Ghost, GhostConfig, Kinematics, Model, SimTime, Update,
    UpdateKind,
};

fn walker(millis: i64, y_m: f64) -> Result<Update, ConfigError> {
    let at = SimTime::from_millis(millis);
    let place = DVec3::new(2.0 * at.as_secs_f64(), y_m, 0.0);
    Update::new(Kinematics::moving(at, place, DVec3::X * 2.0), Model::Linear, UpdateKind::Partial)
}

fn main() -> Result<(), ConfigError> {
    println!("sideways error shown, in metres, after an update puts the body 1 m to the right");
    print!("{:<27}", "milliseconds since arrival");
    (0..=6).for_each(|k| print!("{:>7}", k * 50));
    println!();
    for blend in Blend::ALL {
        let mut config = GhostConfig::default();
        config.blend = blend;
        config.span = BlendSpan::Fixed(Duration::from_millis(250));
        let mut ghost = Ghost::with_config(config, walker(0, 1.0)?, SimTime::ZERO)?;
        // It left at 500 ms and took 100 ms; the ghost projects it over those by itself.
        ghost.accept(walker(500, 0.0)?, SimTime::from_millis(600));
        print!("{:<27}", format!("{blend:?}"));
        for k in 0..=6 {
            print!("{:>7.3}", ghost.position_at(SimTime::from_millis(600 + 50 * k)).y);
        }
        println!();
    }
    Ok(())
}
