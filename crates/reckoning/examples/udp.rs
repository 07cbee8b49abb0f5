//! Your own networking: updates as plain bytes over a UDP socket, without `reckoning-net`.
//!
//! A car and its onlooker in one process, on the loopback address. A real game has them on two
//! machines and brings their clocks together first (`reckoning::ClockSync`).

use std::net::UdpSocket;
use std::thread::sleep;
use std::time::{Duration, Instant};

use reckoning::bytes::{MAX_UPDATE_BYTES, Registry};
use reckoning::{Blend, DVec3, Ghost, Kinematics, Publisher, PublisherConfig, SimTime, Update};

fn car_at(now: SimTime) -> Kinematics {
    let (sin, cos) = reckoning::math::sincos(0.3 * now.as_secs_f64());
    Kinematics::moving(now, DVec3::new(cos, sin, 0.0) * 50.0, DVec3::new(-sin, cos, 0.0) * 15.0)
}

/// The newest update that waits at the socket. Whatever else arrives is not ours to believe.
fn receive(socket: &UdpSocket) -> Option<Update> {
    let mut datagram = [0; MAX_UPDATE_BYTES];
    let mut newest = None;
    while let Ok(length) = socket.recv(&mut datagram) {
        newest = Update::from_bytes(&datagram[..length], &Registry::default()).ok().or(newest);
    }
    newest
}

#[expect(clippy::disallowed_methods, reason = "the shell of a game reads the clock")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (owner, onlooker) = (UdpSocket::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?);
    owner.connect(onlooker.local_addr()?)?;
    onlooker.connect(owner.local_addr()?)?;
    onlooker.set_nonblocking(true)?;

    let (mut publisher, first) =
        Publisher::start(PublisherConfig::default(), &car_at(SimTime::ZERO))?;
    let mut sent = owner.send(&first.to_bytes())?;
    let mut ghost: Option<Ghost> = None;
    let (begin, mut worst_m) = (Instant::now(), 0.0_f64);
    for tick in 1..=120 {
        let now = SimTime::from_tick(tick, 60);
        sleep((begin + Duration::from_secs_f64(now.as_secs_f64())) - Instant::now());
        if let Some(update) = publisher.observe(&car_at(now)) {
            sent += owner.send(&update.to_bytes())?;
        }
        if let Some(update) = receive(&onlooker) {
            match &mut ghost {
                Some(ghost) => drop(ghost.accept(update, now)),
                None => ghost = Some(Ghost::new(update, Blend::ProjectiveVelocity)),
            }
        }
        if let Some(ghost) = &ghost {
            worst_m = worst_m.max(ghost.position_at(now).distance(car_at(now).position));
        }
    }
    println!("2 s of driving: {sent} bytes, never more than {worst_m:.2} m off");
    Ok(())
}
