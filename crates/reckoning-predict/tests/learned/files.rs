//! Model files, whole, damaged and hostile.

use reckoning_predict::learned::{LearnedError, LearnedModel};

use crate::made::{coasting, model};

fn said(bytes: &[u8]) -> String {
    LearnedModel::from_bytes(bytes).unwrap_err().to_string()
}

#[test]
fn a_model_survives_its_file() {
    let made = model(0.9, 0.3);
    let read = LearnedModel::from_bytes(&made.to_bytes()).unwrap();
    assert_eq!(read, made);
    assert_eq!(read.to_bytes(), made.to_bytes());
}

#[test]
fn every_flipped_bit_and_every_cut_is_noticed() {
    let bytes = model(0.9, 0.3).to_bytes();
    for place in 0..bytes.len() {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[place] ^= 1 << bit;
            assert!(LearnedModel::from_bytes(&flipped).is_err(), "byte {place}, bit {bit}");
        }
        assert!(LearnedModel::from_bytes(&bytes[..place]).is_err(), "cut at {place}");
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(said(&longer).starts_with("a learned model of "), "{}", said(&longer));
}

#[test]
fn what_is_wrong_is_named() {
    let bytes = model(0.9, 0.3).to_bytes();
    let changed = |place: usize, to: u8| {
        let mut changed = bytes.clone();
        changed[place] = to;
        said(&changed)
    };
    assert_eq!(said(b"nothing of the sort"), "byte 0: not a learned model");
    assert_eq!(changed(4, 9), "byte 4: learned model version 9; this reads 2, train it anew");
    assert_eq!(changed(5, 7), "byte 5: 7 means nothing here");
    assert_eq!(changed(6, 2), "byte 6: 2 means nothing here");
    let size = bytes.len();
    assert!(changed(9, 250).starts_with(&format!("a learned model of {size} bytes that should")));
    assert!(changed(60, 1).contains("checksum"), "{}", changed(60, 1));
}

#[test]
fn hostile_files_with_a_right_checksum_are_refused_by_what_they_hold() {
    let refused = |change: fn(&mut reckoning_predict::learned::LearnedParts)| {
        let mut parts = coasting(0.9, 0.3);
        change(&mut parts);
        LearnedModel::new(parts).unwrap_err().to_string()
    };
    assert_eq!(refused(|it| it.weights[1][3] = f32::NAN), "weight NaN is not finite");
    assert_eq!(refused(|it| it.unit_m = 0.0), "unit 0 is out of range");
    assert_eq!(refused(|it| it.inputs[0].feature = 200), "feature 200 is out of range");
    assert_eq!(refused(|it| it.inputs[0].scale = f32::INFINITY), "scale inf is not finite");
    assert_eq!(
        refused(|it| it.hidden = [7, 16]),
        "7 hidden width in a learned model; 8 to 128 fit"
    );
    assert!(refused(|it| it.steps_mps[2] = -1.0).starts_with("rounding step -1"));
    assert!(refused(|it| it.weights[0].truncate(5)).contains("first weights"));
    assert!(refused(|it| it.acts.push(0.0)).contains("action"));
}

/// The bytes with a checksum that fits them.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let body = bytes.len() - 4;
    let sum = !bytes[..body].iter().fold(!0_u32, |sum, &byte| {
        let step = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xEDB8_8320 } else { sum >> 1 };
        (0..8).fold(sum ^ u32::from(byte), step)
    });
    bytes[body..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Two files never mean the same model: what is read is written again bit by bit.
#[test]
fn what_would_be_written_otherwise_is_refused() {
    let bytes = model(0.9, 0.3).to_bytes();
    assert_eq!(sealed(bytes.clone()), bytes);
    let with_fade = |fade_s: f64| {
        let mut changed = bytes.clone();
        // After the head, four time constants and the unit.
        changed[13 + 5 * 8..][..8].copy_from_slice(&fade_s.to_le_bytes());
        LearnedModel::from_bytes(&sealed(changed))
    };
    assert!(with_fade(0.75).is_ok());
    for fade_s in [1.0 / 3.0, -0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
        let error = with_fade(fade_s).unwrap_err().to_string();
        assert!(error.starts_with("fade ") && error.ends_with(" is out of range"), "{error}");
    }
    let mut acting = bytes;
    acting[11] = 3;
    let error = said(&sealed(acting));
    assert!(error.starts_with("3 action states without numbers"), "{error}");
}

#[test]
fn nothing_in_the_head_makes_it_take_memory() {
    // The largest counts a head can name, in a file of a few bytes.
    let mut bytes = b"RLRN".to_vec();
    bytes.extend([2, 0, 4, 255, 255, 255, 255, 255, 255]);
    let error = LearnedModel::from_bytes(&bytes).unwrap_err();
    assert!(matches!(error, LearnedError::Size { got: 13, .. }), "{error}");
}
