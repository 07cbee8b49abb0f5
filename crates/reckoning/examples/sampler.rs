//! Velocity and acceleration from positions alone, when physics gives none or spiky ones.

use reckoning::{ConfigError, DQuat, DVec3, Sampler, SamplerConfig, SimTime};

fn main() -> Result<(), ConfigError> {
    let mut config = SamplerConfig::default();
    config.frames = 2; // an even number also cancels a shake that flips every frame
    let mut sampler = Sampler::new(config)?;

    println!("{:>6} {:>10} {:>10} {:>12}", "ms", "x m", "m/s", "m/s^2");
    for tick in 0..=60 {
        let now = SimTime::from_tick(tick, 60);
        // Speeds up for half a second, then holds its speed; shakes by a tenth of a millimetre.
        let t_s = now.as_secs_f64();
        let rising_s = t_s.min(0.5);
        let shake_m = if tick % 2 == 0 { 1e-4 } else { -1e-4 };
        let x_m = 2.0 * rising_s * rising_s + 2.0 * (t_s - rising_s) + shake_m;
        let seen = sampler.observe(now, DVec3::X * x_m, DQuat::IDENTITY);
        if tick % 10 == 0 {
            let millis = now.as_micros() / 1_000;
            let (v, a) = (seen.velocity.x, seen.acceleration.x);
            println!("{millis:>6} {x_m:>10.4} {v:>10.3} {a:>12.3}");
        }
    }
    Ok(())
}
