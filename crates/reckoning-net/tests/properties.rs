//! Properties of the wire that hold for any update and any bytes.

mod shared;

use std::time::Duration;

use proptest::prelude::*;
use reckoning::model::PathRide;
use reckoning::{
    Curve, CurveBasis, DQuat, DVec3, Kinematics, Model, Quantiser, SimTime, Update, UpdateKind,
};
use reckoning_net::wire::{
    BitReader, BitWriter, EntityId, Format, Header, Message, PacketReader, PacketWriter,
    UpdateBody, UpdateSeq, read_update, write_update,
};

use shared::{bits, models, path, registry};

/// Numbers of all sizes, zero, and beyond what the grid holds.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -50.0..50.0,
        2 => -1e5..1e5_f64,
        1 => Just(0.0),
        1 => -1e13..1e13_f64,
    ]
}

fn vector() -> impl Strategy<Value = DVec3> {
    (number(), number(), number()).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

/// Also those with components that tie.
fn orientation() -> impl Strategy<Value = DQuat> {
    let part = prop_oneof![3 => -1.0..1.0, 1 => Just(0.5), 1 => Just(-0.5), 1 => Just(0.0)];
    prop::array::uniform4(part).prop_filter_map("no rotation", |parts: [f64; 4]| {
        let q = DQuat::from_array(parts);
        (q.length_squared() > 1e-6).then(|| q.normalize())
    })
}

fn model() -> impl Strategy<Value = Model> {
    let micros = prop_oneof![Just(0_u64), 1..3_000_000_u64, Just(u64::MAX)];
    let curve = prop::collection::vec(vector(), 3..=4).prop_map(|terms| {
        let basis = if terms.len() == 3 { CurveBasis::THREE } else { CurveBasis::FOUR };
        Model::Curve(Curve::new(basis, &terms).unwrap())
    });
    let ride = (number(), number()).prop_map(|(progress_m, rate_mps)| {
        Model::Path(PathRide { path: path(), progress_m, rate_mps })
    });
    let span = micros.prop_map(Duration::from_micros);
    prop_oneof![
        2 => prop::sample::select(models()),
        2 => curve,
        1 => ride,
        1 => span.clone().prop_map(|trust| Model::Accelerating { trust }),
        1 => span.clone().prop_map(|fade| Model::Damped { fade }),
        1 => span.prop_map(|fade| Model::Decaying { fade }),
    ]
}

fn update() -> impl Strategy<Value = Update> {
    let at = prop_oneof![3 => 0..20_000_000_i64, 1 => -1_000_000_000_000..1_000_000_000_000_i64];
    let kind =
        prop::sample::select(vec![UpdateKind::Partial, UpdateKind::Full, UpdateKind::Teleport]);
    let vectors = (vector(), vector(), vector(), vector());
    let teleports = prop_oneof![6 => Just(0_u32), 2 => 0..40_u32, 1 => any::<u32>()];
    let motion = (at, vectors, orientation(), model());
    (motion, kind, teleports).prop_map(|((at, v, orientation, model), kind, teleports)| {
        let seen = Kinematics {
            at: SimTime::from_micros(at),
            position: v.0,
            velocity: v.1,
            acceleration: v.2,
            orientation,
            angular_velocity: v.3,
        };
        Update::new(seen, model, kind).unwrap().with_teleports(teleports)
    })
}

fn format() -> impl Strategy<Value = Format> {
    let step = || (-12..8_i32).prop_map(|log2| 1.37 * f64::from(log2).exp2());
    let turn = prop_oneof![Just(0.25), Just(1e-6), 0.001..0.2];
    let steps = (step(), step(), step(), step(), turn);
    let hz = prop_oneof![Just(1_u32), Just(60), Just(1_000), 1..=100_000_u32];
    (any::<bool>(), hz, steps, 0..8_usize).prop_map(|(flat, hz, steps, listed)| {
        let quantiser = Quantiser {
            position_m: steps.0,
            velocity_mps: steps.1,
            acceleration_mps2: steps.2,
            angular_velocity_radps: steps.3,
            orientation: steps.4,
        };
        Format::new(flat, hz, quantiser, &models()[..listed], registry()).unwrap()
    })
}

/// What comes out at the other end, and how many bytes it took.
fn carried(format: &Format, baseline: Option<&Update>, sent: &Update) -> (Update, usize) {
    let mut bytes = [0; 512];
    let mut out = BitWriter::new(&mut bytes);
    write_update(&mut out, format, baseline, sent);
    let length = out.finish().expect("no update is longer than 512 bytes");
    let got = read_update(&mut BitReader::new(&bytes[..length]), format, baseline);
    (got.expect("what was written can be read"), length)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn rounding_any_update_twice_changes_nothing_more(format in format(), any in update()) {
        let once = format.round(&any);
        prop_assert_eq!(bits(&format.round(&once)), bits(&once));
    }

    #[test]
    fn any_update_on_the_grid_comes_back_bit_identical(
        format in format(), any in update(), other in update(), class in 0..4_u8,
    ) {
        let sent = format.round(&any);
        let baseline = format.coarser(class).round(&other);
        for baseline in [None, Some(&baseline)] {
            let (got, _) = carried(&format, baseline, &sent);
            prop_assert_eq!(bits(&got), bits(&sent));
            prop_assert_eq!(&got, &sent);
        }
    }

    #[test]
    fn any_bytes_are_messages_or_refused(
        format in format(), any in prop::collection::vec(any::<u8>(), 0..300), base in update(),
    ) {
        let baseline = format.round(&base);
        let Ok(mut reader) = PacketReader::new(&any) else { return Ok(()) };
        let mut messages = 0;
        while let Ok(Some(message)) = reader.next_message(Some(&format)) {
            messages += 1;
            prop_assert!(messages <= any.len() * 8 / 6, "a message takes six bits at least");
            if let Message::Update { body, class, .. } = message {
                let class = format.coarser(class);
                let baseline = body.has_baseline().then_some(&baseline);
                if let Ok(update) = body.resolve(&class, baseline) {
                    prop_assert!(update.kinematics().validate().is_ok());
                }
            }
        }
    }

    #[test]
    fn a_flipped_bit_is_read_or_refused(
        format in format(), any in update(), other in update(), at in 0..1_000_usize,
    ) {
        let (sent, baseline) = (format.round(&any), format.round(&other));
        let mut bytes = [0; 1_000];
        let header = Header { sequence: 1, sent_ms: 5_000, ack: None };
        let mut packet = PacketWriter::new(&mut bytes, &header);
        let body = UpdateBody::new(&format, Some(&baseline), &sent);
        let seq = UpdateSeq::delta(3, 5).unwrap();
        let message = Message::Update { entity: EntityId(7), seq, class: 0, body };
        prop_assert!(packet.push(Some(&format), &message));
        let length = packet.finish().unwrap();
        bytes[at / 8 % length] ^= 1 << (at % 8);
        let Ok(mut reader) = PacketReader::new(&bytes[..length]) else { return Ok(()) };
        while let Ok(Some(message)) = reader.next_message(Some(&format)) {
            if let Message::Update { body, .. } = message {
                let baseline = body.has_baseline().then_some(&baseline);
                // Either is fine; neither may panic.
                let _ = body.resolve(&format, baseline);
            }
        }
    }

    #[test]
    fn any_bytes_are_a_format_or_refused(any in prop::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(format) = Format::from_bytes(&any, registry()) {
            prop_assert_eq!(Format::from_bytes(&format.to_bytes(), registry()), Ok(format));
        }
    }
}
