//! What users of the codec may rely on, whatever the bytes.

mod support;

use proptest::collection::vec;
use proptest::prelude::*;
use reckoning::DVec3;
use reckoning_dis::wire::{
    DecodeError, EntityId, EntityState, EntityType, Header, MAX_RECORDS, Marking, PartRecord, Pdu,
    PduBody, Timestamp, pdus,
};
use support::{encoded, one_of_each, vectors};

#[test]
fn every_type_of_every_version_survives_the_round_trip() {
    for version in [5, 6, 7] {
        for pdu in one_of_each(version) {
            let bytes = encoded(&pdu);
            assert_eq!(Pdu::decode(&bytes), Ok((pdu.clone(), bytes.len())), "version {version}");
            assert_eq!(usize::from(u16::from_be_bytes([bytes[8], bytes[9]])), bytes.len());
        }
    }
}

#[test]
fn lengths_are_those_of_the_standard() {
    let lengths: Vec<usize> = one_of_each(7).iter().map(|it| encoded(it).len()).collect();
    assert_eq!(lengths, [144 + 32, 72 + 32, 96, 104, 28, 28, 44, 40]);
}

#[test]
fn pdus_of_other_implementations_are_read_and_written_again() {
    let Some(folder) = vectors("pdus_of_other_implementations_are_read_and_written_again") else {
        return;
    };
    for name in ["disrs", "disrs_art", "kdis", "odjava", "opendis"] {
        let bytes = std::fs::read(folder.join(format!("es_{name}.bin"))).unwrap();
        let (pdu, length) = Pdu::decode(&bytes).unwrap();
        assert_eq!((length, encoded(&pdu) == bytes), (bytes.len(), true), "{name}");
        let PduBody::EntityState(state) = pdu.body else { panic!("{name}: {:?}", pdu.body) };
        let sparse = ["kdis", "odjava", "opendis"].contains(&name); // they leave out what they like
        let (y, z, psi) = if sparse {
            (state.location.y, state.location.z, state.orientation[0])
        } else {
            (-4_353_000.25, 3_782_000.5, 0.25)
        };
        assert_eq!(state.location, DVec3::new(-2_710_000.125, y, z), "{name}");
        assert_eq!((state.velocity[0], state.orientation[0]), (30.0, psi), "{name}");
        assert_eq!(state.marking.text(), "RECKON-1", "{name}");
        assert_eq!(state.id, EntityId::new(17, 23, 42), "{name}");
        let expected = if name == "disrs_art" { 2 } else { 0 };
        assert_eq!(state.parts.len(), expected, "{name}");
        if let [PartRecord::Articulated { parameter, .. }, ..] = state.parts[..] {
            assert_eq!(parameter, 4107, "{name}");
        }
    }
}

#[test]
fn a_datagram_of_several_pdus_is_read_past_a_broken_one() {
    let all = one_of_each(7);
    let mut datagram = encoded(&all[0]);
    let mut broken = encoded(&all[2]);
    broken[9] -= 1; // a byte less than a Fire PDU holds
    broken.pop();
    datagram.extend(broken);
    datagram.extend(encoded(&all[4]));
    let read: Vec<_> = pdus(&datagram).collect();
    assert_eq!(read[0], Ok(all[0].clone()));
    assert_eq!(read[1], Err(DecodeError::CutOff { at: 92, needed: 4, left: 3 }));
    assert_eq!(read[2], Ok(all[4].clone()));
    assert_eq!(read.len(), 3);
}

#[test]
fn no_byte_beyond_its_length_is_read() {
    let mut bytes = encoded(&one_of_each(7)[0]);
    bytes[9] = 144; // without the two records that it counts
    assert_eq!(
        Pdu::decode(&bytes).unwrap_err(),
        DecodeError::CutOff { at: 144, needed: 1, left: 0 }
    );
    bytes[9] = 255;
    assert!(matches!(Pdu::decode(&bytes), Err(DecodeError::Length { got: 255, left: 176 })));
    bytes[0] = 8;
    assert_eq!(
        Pdu::decode(&bytes).unwrap_err().to_string(),
        "protocol version 8 is none of 1 to 7"
    );
    let told = Pdu::decode(b"not DIS").unwrap_err().to_string();
    assert_eq!(told, "7 bytes are no header of 12");
}

#[test]
fn a_marking_is_eleven_characters_of_ascii_whatever_is_given() {
    for (given, read) in
        [("TANK 7", "TANK 7"), ("a long marking", "a long mark"), ("Größe", "Gr??e"), ("", "")]
    {
        assert_eq!(Marking::new(given).text(), read);
    }
    let blank_and_strange = Marking { charset: 1, bytes: *b"AB\xa4\x07CD     " };
    assert_eq!(blank_and_strange.text(), "AB??CD");
}

#[test]
fn what_is_no_motion_is_not_taken_for_one() {
    let sound = EntityState { location: DVec3::X * 6.4e6, ..EntityState::default() };
    assert!(sound.fields().is_some());
    let mut broken = vec![sound.clone(); 5];
    broken[0].location.y = f64::NAN;
    broken[1].location.z = 1e300;
    broken[2].velocity[1] = f32::INFINITY;
    broken[3].reckoning.angular_velocity[2] = f32::NAN;
    broken[4].orientation[0] = f32::INFINITY;
    for (number, state) in broken.iter().enumerate() {
        assert!(state.fields().is_none(), "{number}");
    }
}

fn numbers() -> impl Strategy<Value = [f32; 3]> {
    proptest::array::uniform3(-1e6_f32..1e6)
}

fn id() -> impl Strategy<Value = EntityId> {
    any::<[u16; 3]>()
        .prop_map(|[site, application, entity]| EntityId::new(site, application, entity))
}

fn part() -> impl Strategy<Value = PartRecord> {
    let articulated = (any::<u8>(), any::<u16>(), any::<u32>(), -1e3_f32..1e3).prop_map(
        |(change, attached_to, parameter, value)| PartRecord::Articulated {
            change,
            attached_to,
            parameter,
            value,
        },
    );
    let other =
        (1_u8.., any::<[u8; 15]>()).prop_map(|(kind, bytes)| PartRecord::Other { kind, bytes });
    prop_oneof![articulated, other]
}

prop_compose! {
    fn state()(
        id in id(),
        bytes in any::<[u8; 11]>(),
        numbers in [numbers(), numbers(), numbers(), numbers()],
        location in proptest::array::uniform3(-7e6..7e6),
        bits in any::<[u32; 2]>(),
        small in any::<[u8; 9]>(),
        country in any::<u16>(),
        parts in vec(part(), 0..=MAX_RECORDS),
    ) -> EntityState {
        let [velocity, orientation, acceleration, angular_velocity] = numbers;
        let [kind, domain, category, subcategory, specific, extra, force, algorithm, charset] = small;
        let kind = EntityType { kind, domain, country, category, subcategory, specific, extra };
        let mut state = EntityState::default();
        (state.id, state.force, state.kind, state.parts) = (id, force, kind, parts);
        (state.velocity, state.orientation) = (velocity, orientation);
        state.location = DVec3::from_array(location);
        [state.appearance, state.capabilities] = bits;
        state.reckoning.algorithm = algorithm;
        state.reckoning.acceleration = acceleration;
        state.reckoning.angular_velocity = angular_velocity;
        state.marking = Marking { charset, bytes };
        state
    }
}

proptest! {
    #[test]
    fn any_entity_survives_the_round_trip(
        state in state(), exercise: u8, stamp: u32, version in 1_u8..=7, status: u8,
    ) {
        let status = if version == 7 { status } else { 0 };
        let header = Header { version, exercise, timestamp: Timestamp(stamp), status };
        let pdu = Pdu { header, body: PduBody::EntityState(state) };
        let bytes = encoded(&pdu);
        prop_assert_eq!(Pdu::decode(&bytes), Ok((pdu, bytes.len())));
    }

    #[test]
    fn any_bytes_give_an_error_or_a_value_that_is_written_and_read_again(
        mut bytes in vec(any::<u8>(), 0..400),
        kind in prop_oneof![Just(1_u8), Just(2), Just(3), 11_u8..=14, Just(67), any::<u8>()],
        version in 0_u8..9,
        believable: bool,
    ) {
        if believable && bytes.len() >= 12 {
            let length = (bytes.len() as u16).to_be_bytes();
            bytes[8..10].copy_from_slice(&length);
            (bytes[0], bytes[2]) = (version, kind);
        }
        for pdu in pdus(&bytes).flatten() {
            let written = encoded(&pdu);
            // Compared as bytes, since what is no number equals nothing.
            let (again, length) = Pdu::decode(&written).unwrap();
            prop_assert_eq!((encoded(&again), length), (written.clone(), written.len()));
        }
    }

    #[test]
    fn a_cut_or_changed_pdu_panics_nowhere(which in 0_usize..8, cut: usize, at: usize, byte: u8) {
        let mut bytes = encoded(&one_of_each(7)[which]);
        let (at, cut) = (at % bytes.len(), cut % (bytes.len() + 1));
        bytes[at] = byte;
        bytes.truncate(cut);
        let told = pdus(&bytes).count();
        prop_assert!(told <= 1 + bytes.len() / 12);
    }
}
