//! A body of the game's own physics that follows its ghost: a collision pushes it off, it comes back.

use reckoning::follow::FollowAction;
use reckoning::{
    Blend, ConfigError, DVec3, Follower, FollowerConfig, Ghost, Kinematics, Publisher,
    PublisherConfig, SimTime,
};

/// Somebody else's car, in a bend of 40 m at 12 m/s.
fn car_at(now: SimTime) -> Kinematics {
    let angle = 0.3 * now.as_secs_f64();
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    Kinematics::moving(now, DVec3::new(cos, sin, 0.0) * 40.0, DVec3::new(-sin, cos, 0.0) * 12.0)
}

fn main() -> Result<(), ConfigError> {
    let (mut publisher, first) =
        Publisher::start(PublisherConfig::default(), &car_at(SimTime::ZERO))?;
    let mut ghost = Ghost::new(first, Blend::ProjectiveVelocity);
    let follower = Follower::new(FollowerConfig::default())?;
    let mut body = car_at(SimTime::ZERO);
    for tick in 0..180 {
        let (now, next) = (SimTime::from_tick(tick, 60), SimTime::from_tick(tick + 1, 60));
        if let Some(update) = publisher.observe(&car_at(now)) {
            ghost.accept(update, now);
        }
        if tick == 60 {
            body.velocity += DVec3::X * 15.0; // your physics engine: somebody rams it
        }
        match follower.steer(&body, &ghost.kinematics_at(now), &ghost.kinematics_at(next)) {
            FollowAction::Velocity { velocity, .. } => body.velocity = velocity,
            FollowAction::Teleport(state) => body = state,
        }
        body.position += body.velocity * next.secs_since(now); // your physics engine: one step
        if tick % 12 == 0 {
            let off_m = body.position.distance(ghost.position_at(next));
            println!("{:4.1} s: {off_m:.2} m off the ghost", next.as_secs_f64());
        }
    }
    Ok(())
}
