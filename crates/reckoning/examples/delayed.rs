//! A ghost that guesses the present beside one that shows the past, on a link that jitters.

use std::time::Duration;

use reckoning::{
    Blend, ConfigError, DVec3, DelayedConfig, DelayedGhost, Ghost, Kinematics, Publisher,
    PublisherConfig, SimTime,
};

/// Runs in a wavy line.
fn runner_at(now: SimTime) -> Kinematics {
    let t_s = now.as_secs_f64();
    let velocity = DVec3::new(5.0, 6.0 * libm::cos(2.0 * t_s), 0.0);
    Kinematics::moving(now, DVec3::new(5.0 * t_s, 3.0 * libm::sin(2.0 * t_s), 0.0), velocity)
}

fn main() -> Result<(), ConfigError> {
    let start = SimTime::ZERO;
    let (mut publisher, first) = Publisher::start(PublisherConfig::default(), &runner_at(start))?;
    let mut present = Ghost::new(first, Blend::ProjectiveVelocity);
    let mut past = DelayedGhost::with_config(DelayedConfig::default(), first, start)?;
    let (mut flying, mut off_m, mut off_past_m) = (Vec::new(), 0.0, 0.0);
    for tick in 1..=1_200 {
        let now = SimTime::from_tick(tick, 60);
        if let Some(update) = publisher.observe(&runner_at(now)) {
            let jitter = Duration::from_millis((tick as u64 * 37) % 60);
            flying.push((now + Duration::from_millis(70) + jitter, update));
        }
        for (at, update) in flying.extract_if(.., |(at, _)| *at <= now) {
            present.accept(update, at);
            past.accept(update, at);
        }
        let shown_moment = now - past.delay_at(now);
        off_m += present.position_at(now).distance(runner_at(now).position) / 1_200.0;
        off_past_m += past.position_at(now).distance(runner_at(shown_moment).position) / 1_200.0;
    }
    let delay = past.delay_at(SimTime::from_tick(1_200, 60));
    println!("guessing the present: {off_m:.3} m off on average");
    println!("showing the past:     {off_past_m:.3} m off the truth of {delay:.0?} ago");
    Ok(())
}
