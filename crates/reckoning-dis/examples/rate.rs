//! A thousand entities at the standard's rates, both ways, on one core: PDUs, bytes and time.
//!
//! `cargo run --release -p reckoning-dis --example rate [ENTITIES] [SECONDS]`. Virtual time, sixty frames a second: one
//! gateway publishes, another hears it. Three of four drive bends of changing width, every fourth stands.

use std::time::Instant;

use reckoning::{DQuat, DVec3, Kinematics, Model, SimTime};
use reckoning_dis::gateway::{BodyState, Gateway, GatewayConfig, GatewayError};
use reckoning_dis::place::{Geodetic, TangentFrame};

const HZ: i64 = 60;
const NAIVE_HZ: i64 = 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1).map(|word| word.parse::<u32>());
    let entities = words.next().transpose()?.unwrap_or(1_000);
    let seconds = words.next().transpose()?.unwrap_or(60);
    let (mut sender, mut receiver) = (gateway(3)?, gateway(4)?);
    #[expect(clippy::disallowed_methods, reason = "it is this machine's time that is measured")]
    let clock = Instant::now;
    let (mut sending_s, mut receiving_s) = (0.0, 0.0);
    for frame in 0..i64::from(seconds) * HZ {
        let at = SimTime::from_tick(frame, HZ as u32);
        let begin = clock();
        for number in 0..entities {
            let (truth, model) = (
                drive(number, at),
                Model::Accelerating { trust: std::time::Duration::from_secs(1) },
            );
            let body = BodyState {
                kind: "tank",
                truth,
                model,
                team: Some(0),
                marking: "tank",
                appearance: 0,
                joints: &[],
            };
            sender.publish(number, &body);
        }
        let datagrams: Vec<Vec<u8>> = std::iter::from_fn(|| sender.poll_datagram()).collect();
        let middle = clock();
        for datagram in &datagrams {
            receiver.handle_datagram(at, datagram);
        }
        receiver.handle_timeout(at);
        while receiver.poll_event().is_some() {}
        let reckoned =
            receiver.entities().map(|(_, it)| it.kinematics_at(at).position.x).sum::<f64>();
        assert!(reckoned.is_finite());
        sending_s += (middle - begin).as_secs_f64();
        receiving_s += middle.elapsed().as_secs_f64();
    }
    let (stats, span_s) = (sender.stats(), f64::from(seconds));
    let naive = f64::from(entities) * NAIVE_HZ as f64;
    println!("{entities} entities for {seconds} s of virtual time, {HZ} frames a second");
    println!(
        "PDUs: {:.0} a second, {:.0} bytes a second",
        stats.sent as f64 / span_s,
        stats.sent_bytes as f64 / span_s
    );
    println!(
        "naive at {NAIVE_HZ} Hz: {naive:.0} PDUs a second; share {:.3}",
        stats.sent as f64 / span_s / naive
    );
    println!(
        "one core: {:.1} % to publish, {:.1} % to hear and reckon",
        100.0 * sending_s / span_s,
        100.0 * receiving_s / span_s
    );
    assert_eq!(receiver.entities().count(), entities as usize);
    Ok(())
}

fn gateway(application: u16) -> Result<Gateway, GatewayError> {
    let origin = Geodetic::degrees(52.5, 13.4, 40.0).unwrap_or_else(|error| panic!("{error}"));
    Gateway::new(GatewayConfig::new(1, 7, application, TangentFrame::new(origin)))
}

/// Bends that tighten and open again, or standing still.
fn drive(number: u32, at: SimTime) -> Kinematics {
    let place = DVec3::new(f64::from(number % 32) * 200.0, f64::from(number / 32) * 200.0, 0.0);
    if number.is_multiple_of(4) {
        return Kinematics::at_rest(at, place);
    }
    let (rate, speed) = (0.05 + 0.01 * f64::from(number % 17), 6.0 + f64::from(number % 9));
    let turn = rate * at.as_secs_f64() + f64::from(number);
    let radius = speed / rate;
    let (sin, cos) = reckoning::math::sincos(turn);
    Kinematics {
        at,
        position: place + DVec3::new(cos, sin, 0.0) * radius,
        velocity: DVec3::new(-sin, cos, 0.0) * speed,
        acceleration: DVec3::new(-cos, -sin, 0.0) * (speed * rate),
        orientation: DQuat::from_rotation_z(turn + std::f64::consts::FRAC_PI_2),
        angular_velocity: DVec3::Z * rate,
    }
}
