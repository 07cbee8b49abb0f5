use reckoning::random::SplitMix64;
use reckoning::{DQuat, DVec3};

use super::*;

const CONFIG: CodecConfig = CodecConfig { step: 0.01, turn_step_rad: 1.0 / 128.0 };

/// Bodies that drift, turn, jump, come and go.
struct Crowd {
    random: SplitMix64,
    bodies: BTreeMap<u16, (u8, DVec3, DVec3, DVec3)>,
}

impl Crowd {
    fn new(seed: u64) -> Self {
        Self { random: SplitMix64::new(seed), bodies: BTreeMap::new() }
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|_| self.random.between(-size, size)))
    }

    fn step(&mut self) -> Poses {
        if self.random.chance(0.2) {
            let (number, life) = (self.random.below(40) as u16, self.random.below(250) as u8);
            let (position, velocity) = (self.vector(300.0), self.vector(10.0));
            let turning = self.vector(2.0);
            self.bodies.insert(number, (life, position, velocity, turning));
        }
        if self.random.chance(0.02) {
            self.bodies.pop_first();
        }
        let numbers: Vec<u16> = self.bodies.keys().copied().collect();
        for number in numbers {
            let push = self.vector(0.5);
            if let Some((_, position, velocity, _)) = self.bodies.get_mut(&number) {
                *velocity += push;
                *position += *velocity / 30.0;
            }
        }
        let pose = |(number, it): (&u16, &(u8, DVec3, DVec3, DVec3))| {
            (*number, BodyPose::new(it.0, it.1, pose::rotation(it.3 + it.1 * 0.1), CONFIG.step))
        };
        self.bodies.iter().map(pose).collect()
    }
}

#[test]
fn what_is_read_is_what_was_written_to_the_last_bit_whatever_is_lost() {
    for seed in 0..60 {
        let mut crowd = Crowd::new(seed);
        let mut dice = SplitMix64::new(seed).fork(9);
        let loss = [0.0, 0.1, 0.5, 0.95][seed as usize % 4];
        let (mut encoder, mut decoder) =
            (SnapshotEncoder::new(CONFIG), SnapshotDecoder::new(CONFIG));
        let mut acks = Vec::new();
        for tick in 0..200_usize {
            let poses = crowd.step();
            let bytes = encoder.encode(&poses);
            if !dice.chance(loss) {
                let (number, read) = decoder.decode(&bytes).unwrap();
                assert_eq!(Some(&read), encoder.written(number), "seed {seed}, tick {tick}");
                for (body, pose) in &poses {
                    assert_eq!(read[body].position, pose.position, "seed {seed}, tick {tick}");
                    assert_eq!(read[body].life, pose.life, "seed {seed}, tick {tick}");
                    let off = pose::rotation_vector(read[body].turn.conjugate() * pose.turn);
                    assert!(off.length() < CONFIG.turn_step_rad, "{off}");
                }
                assert_eq!(read.len(), poses.len());
                acks.push((tick + dice.below(12), number));
            }
            for (_, number) in acks.iter().filter(|(due, _)| *due <= tick) {
                if !dice.chance(loss) {
                    encoder.handle_ack(*number);
                }
            }
            acks.retain(|(due, _)| *due > tick);
        }
    }
}

#[test]
fn bytes_of_others_do_not_panic_and_a_refused_snapshot_changes_nothing() {
    let mut crowd = Crowd::new(1);
    let (mut encoder, mut decoder) = (SnapshotEncoder::new(CONFIG), SnapshotDecoder::new(CONFIG));
    let mut dice = SplitMix64::new(5);
    for _ in 0..400 {
        let bytes = encoder.encode(&crowd.step());
        let mut other = decoder.clone();
        for _ in 0..20 {
            let mut hostile = bytes.clone();
            for _ in 0..=dice.below(4) {
                let place = dice.below(hostile.len());
                hostile[place] = dice.next_u64() as u8;
            }
            hostile.truncate(dice.below(hostile.len() + 1));
            let _ = other.decode(&hostile);
        }
        let noise: Vec<u8> = (0..dice.below(300)).map(|_| dice.next_u64() as u8).collect();
        let _ = other.decode(&noise);
        let (number, _) = decoder.decode(&bytes).unwrap();
        encoder.handle_ack(number);
    }
}

#[test]
fn numbers_wrap_round_without_a_break() {
    let (mut encoder, mut decoder) = (SnapshotEncoder::new(CONFIG), SnapshotDecoder::new(CONFIG));
    encoder.next = u16::MAX - 20;
    let mut crowd = Crowd::new(3);
    for _ in 0..60 {
        let (number, read) = decoder.decode(&encoder.encode(&crowd.step())).unwrap();
        assert_eq!(Some(&read), encoder.written(number));
        encoder.handle_ack(number);
    }
    assert!(encoder.next < 100);
}

#[test]
fn a_body_that_goes_straight_on_costs_less_than_a_byte() {
    let (mut encoder, mut decoder) = (SnapshotEncoder::new(CONFIG), SnapshotDecoder::new(CONFIG));
    let mut bytes = 0;
    for tick in 0..300 {
        let pose = |n: u16| {
            let at = DVec3::new(f64::from(n), f64::from(tick) * 0.031, 0.0);
            (n, BodyPose::new(0, at, DQuat::IDENTITY, CONFIG.step))
        };
        let packet = encoder.encode(&(0..100).map(pose).collect());
        let (number, _) = decoder.decode(&packet).unwrap();
        encoder.handle_ack(number);
        if tick >= 100 {
            bytes += packet.len();
        }
    }
    assert!(bytes < 200 * 100, "{} bytes per body", bytes as f64 / 20_000.0);
}
