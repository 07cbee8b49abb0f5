//! Programs of others read what we write, and we what they write, value by value. Without Python's
//! package `opendis` or the program `tshark` the test says so.

mod support;

use reckoning_dis::wire::Pdu;
use serde_json::Value;
use support::{encoded, from_hex, hex, one_of_each, opendis, pcap, run};

/// Fields of `opendis` and what they should be, for each PDU of [`one_of_each`].
const OPENDIS: [&[(&str, f64)]; 8] = [
    &[
        ("protocolVersion", 7.0),
        ("exerciseID", 3.0),
        ("pduType", 1.0),
        ("protocolFamily", 1.0),
        ("length", 176.0),
        ("pduStatus", 16.0),
        ("entityID.siteID", 7.0),
        ("entityID.applicationID", 3.0),
        ("entityID.entityID", 42.0),
        ("forceId", 2.0),
        ("entityType.entityKind", 1.0),
        ("entityType.domain", 1.0),
        ("entityType.country", 225.0),
        ("entityType.category", 1.0),
        ("entityType.subcategory", 2.0),
        ("entityType.specific", 3.0),
        ("entityType.extra", 4.0),
        ("alternativeEntityType.extra", 77.0),
        ("entityLinearVelocity.x", 30.5),
        ("entityLinearVelocity.y", -0.25),
        ("entityLinearVelocity.z", 12.0),
        ("entityLocation.x", -2_710_000.125),
        ("entityLocation.y", -4_353_000.25),
        ("entityLocation.z", 3_782_000.5),
        ("entityOrientation.psi", 0.25),
        ("entityOrientation.theta", -0.5),
        ("entityOrientation.phi", 1.5),
        ("entityAppearance", 0x0020_0018 as f64),
        ("deadReckoningParameters.parameters[0]", 1.0),
        ("deadReckoningParameters.parameters[14]", 15.0),
        ("deadReckoningParameters.entityLinearAcceleration.x", 0.5),
        ("deadReckoningParameters.entityLinearAcceleration.z", -2.5),
        ("deadReckoningParameters.entityAngularVelocity.z", -0.029_999_999_329_447_746),
        ("marking.characterSet", 1.0),
        ("marking.characters[0]", 82.0),
        ("marking.characters[7]", 49.0),
        ("marking.characters[8]", 0.0),
        ("capabilities", 14.0),
    ],
    &[
        ("pduType", 67.0),
        ("entityID.entityID", 42.0),
        ("entityLinearVelocity.x", 30.5),
        ("entityLocation.z", 3_782_000.5),
        ("entityOrientation.theta", -0.5),
        ("entityAppearance", 24.0),
    ],
    &[
        ("protocolFamily", 2.0),
        ("firingEntityID.entityID", 42.0),
        ("targetEntityID.siteID", 8.0),
        ("munitionExpendableID.entityID", 44.0),
        ("eventID.eventNumber", 99.0),
        ("fireMissionIndex", 6.0),
        ("location.x", -2_710_000.125),
        ("descriptor.munitionType.subcategory", 2.0),
        ("descriptor.warhead", 1000.0),
        ("descriptor.fuse", 2000.0),
        ("descriptor.quantity", 3.0),
        ("descriptor.rate", 4.0),
        ("velocity.y", -0.25),
        ("range", 1500.0),
    ],
    &[
        ("firingEntityID.siteID", 7.0),
        ("explodingEntityID.entityID", 44.0),
        ("eventID.eventNumber", 99.0),
        ("velocity.z", 12.0),
        ("location.y", -4_353_000.25),
        ("descriptor.fuse", 2000.0),
        ("locationInEntityCoordinates.z", 3.0),
        ("detonationResult", 1.0),
    ],
    &[
        ("protocolFamily", 5.0),
        ("originatingEntityID.entityID", 42.0),
        ("receivingEntityID.entityID", 43.0),
        ("requestID", 0xdead_beef_u32 as f64),
    ],
    &[("pduType", 12.0), ("requestID", 0xdead_beef_u32 as f64)],
    &[
        ("realWorldTime.hour", 473_000.0),
        ("realWorldTime.timePastHour", 0x1234_5678 as f64),
        ("simulationTime.timePastHour", 5.0),
        ("requestID", 0xdead_beef_u32 as f64),
    ],
    &[
        ("realWorldTime.hour", 473_000.0),
        ("reason", 2.0),
        ("frozenBehavior", 3.0),
        ("requestID", 0xdead_beef_u32 as f64),
    ],
];

/// All PDUs in hexadecimal.
fn lines() -> String {
    one_of_each(7).iter().map(|pdu| hex(&encoded(pdu)) + "\n").collect()
}

#[test]
fn opendis_reads_what_we_write_value_by_value() {
    let test = "opendis_reads_what_we_write_value_by_value";
    let Some(answers) = opendis("fields", &lines()) else {
        return reckoning_testing::skip(test, "no python3 with the package opendis");
    };
    let answers: Vec<Value> =
        answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), OPENDIS.len());
    for (answer, expected) in answers.iter().zip(OPENDIS) {
        for (field, value) in expected {
            let got = answer[field].as_f64().unwrap_or(f64::NAN);
            // Printing and parsing may change the last bit.
            assert!((got - value).abs() <= 1e-15 * value.abs(), "{field}: {got}, not {value}");
        }
    }
}

#[test]
fn we_read_what_opendis_writes_value_by_value() {
    let test = "we_read_what_opendis_writes_value_by_value";
    let Some(answers) = opendis("again", &lines()) else {
        return reckoning_testing::skip(test, "no python3 with the package opendis");
    };
    for (line, sent) in answers.lines().zip(one_of_each(7)) {
        let (read, _) = Pdu::decode(&from_hex(line)).unwrap();
        assert_eq!(read, sent);
    }
    assert_eq!(answers.lines().count(), 8);
}

/// Fields of `tshark` and what it prints for the first of [`one_of_each`].
const TSHARK: [(&str, &str); 22] = [
    ("dis.exer_id", "3"),
    ("dis.entity_id_site", "7"),
    ("dis.entity_id_application", "3"),
    ("dis.entity_id_entity", "42"),
    ("dis.num_articulation_params", "2"),
    ("dis.pdu_length", "176"),
    ("dis.country", "225,225,2313"),
    ("dis.specific", "3,3,9"),
    ("dis.extra", "4,77,9"),
    ("dis.entity_linear_velocity.x", "30.5"),
    ("dis.entity_linear_velocity.y", "-0.25"),
    ("dis.entity_location.x", "-2710000.125"),
    ("dis.entity_location.y", "-4353000.25"),
    ("dis.entity_location.z", "3782000.5"),
    ("dis.entity_orientation.psi", "0.25"),
    ("dis.entity_orientation.theta", "-0.5"),
    ("dis.entity_orientation.phi", "1.5"),
    ("dis.entity_linear_acceleration.x", "0.5"),
    ("dis.entity_linear_acceleration.z", "-2.5"),
    ("dis.entity_marking", "RECKON-1"),
    ("dis.force_id", "2"),
    ("dis.entity_angular_velocity.z", "-0.03"),
];

#[test]
fn tshark_reads_what_we_write_without_a_complaint() {
    let test = "tshark_reads_what_we_write_without_a_complaint";
    for version in [6, 7] {
        let datagrams: Vec<Vec<u8>> = one_of_each(version).iter().map(encoded).collect();
        let file = pcap(&datagrams);
        let mut words = vec!["-r", "-", "-d", "udp.port==3000,dis", "-T", "fields"];
        words.extend(["-E", "separator=|", "-e", "_ws.malformed", "-e", "_ws.expert.message"]);
        words.extend(["-e", "_ws.col.Info"]);
        for (field, _) in &TSHARK {
            words.extend(["-e", field]);
        }
        let Some(output) = run("tshark", &words, &file) else {
            return reckoning_testing::skip(test, "no tshark, or it does not read from stdin");
        };
        let output = String::from_utf8(output).unwrap();
        let lines: Vec<Vec<&str>> = output.lines().map(|it| it.split('|').collect()).collect();
        assert_eq!(lines.len(), datagrams.len(), "{output}");
        for line in &lines {
            assert_eq!(line[..2], ["", ""], "version {version}: {line:?}");
        }
        for ((field, expected), got) in TSHARK.iter().zip(&lines[0][3..]) {
            assert_eq!(got, expected, "version {version}: {field}");
        }
    }
}
