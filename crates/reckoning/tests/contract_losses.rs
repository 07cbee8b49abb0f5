//! Own networking that loses datagrams: with acknowledgements a publisher is told of losses, and
//! pictures are right again a round trip later instead of a heartbeat later.

use core::time::Duration;

use reckoning::bytes::Registry;
use reckoning::random::SplitMix64;
use reckoning::{Blend, DVec3, Ghost, Kinematics, Publisher, PublisherConfig, SimTime, Update};

const WAY: Duration = Duration::from_millis(50);
/// When no acknowledgement came by then, a datagram is lost.
const GIVEN_UP: Duration = Duration::from_millis(130);
const LOSS: f64 = 0.2;
const SECONDS: i64 = 240;

/// A datagram under way: when it arrives, if it does, and the update it carries.
struct Datagram {
    sent: SimTime,
    bytes: Vec<u8>,
    about: SimTime,
    lost: bool,
}

/// Runs to and fro, and turns at moments of its own.
struct Runner {
    random: SplitMix64,
    position: DVec3,
    velocity: DVec3,
    turns_at: SimTime,
}

impl Runner {
    fn step(&mut self, now: SimTime) -> Kinematics {
        if now >= self.turns_at {
            let angle = self.random.between(0.0, core::f64::consts::TAU);
            self.velocity = DVec3::new(libm::cos(angle), libm::sin(angle), 0.0) * 4.0;
            self.turns_at = now + Duration::from_millis(self.random.between(500.0, 2_500.0) as u64);
        }
        self.position += self.velocity / 60.0;
        Kinematics::moving(now, self.position, self.velocity)
    }
}

/// The share of time in which the picture is more than a metre off.
fn time_far_off(tells_losses: bool, seed: u64) -> f64 {
    let start = SimTime::ZERO;
    let mut runner = Runner {
        random: SplitMix64::new(seed),
        position: DVec3::ZERO,
        velocity: DVec3::ZERO,
        turns_at: start,
    };
    let mut luck = SplitMix64::new(seed ^ 0x4d);
    let mut config = PublisherConfig::default();
    config.heartbeat = Duration::from_secs(2);
    let (mut publisher, first) = Publisher::start(config, &runner.step(start)).unwrap();
    let mut ghost = Ghost::new(first, Blend::ProjectiveVelocity);
    let mut flying: Vec<Datagram> = Vec::new();
    let mut far = 0;
    for tick in 1..60 * SECONDS {
        let now = SimTime::from_tick(tick, 60);
        let truth = runner.step(now);
        if let Some(update) = publisher.observe(&truth) {
            let lost = luck.unit() < LOSS;
            flying.push(Datagram { sent: now, bytes: update.to_bytes(), about: update.at(), lost });
        }
        flying.retain(|datagram| {
            let arrives = datagram.sent + WAY;
            if !datagram.lost && arrives <= now {
                let update = Update::from_bytes(&datagram.bytes, &Registry::default()).unwrap();
                ghost.accept(update, now);
                return false; // its acknowledgement arrives in time
            }
            let given_up = datagram.sent + GIVEN_UP <= now;
            if given_up && tells_losses {
                publisher.handle_lost(datagram.about);
            }
            !given_up
        });
        far += u32::from(ghost.position_at(now).distance(truth.position) > 1.0);
    }
    f64::from(far) / (60.0 * SECONDS as f64)
}

#[test]
fn a_publisher_that_is_told_of_losses_leaves_pictures_wrong_for_less_than_half_as_long() {
    let mut shares = [0.0; 2];
    for seed in 0..5 {
        shares[0] += time_far_off(false, seed) / 5.0;
        shares[1] += time_far_off(true, seed) / 5.0;
    }
    let [untold, told] = shares;
    assert!(untold > 0.05, "losses matter here: {untold}");
    assert!(told < untold / 2.0, "far off {told} of the time when told, {untold} when not");
}
