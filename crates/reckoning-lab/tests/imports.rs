//! Foreign formats: what is read from them, and what happens to damaged ones.

mod damage;
#[path = "../../reckoning-recording/tests/support/mod.rs"]
mod support;

use std::path::Path;

use reckoning::{DVec3, SimTime};
use reckoning_lab::import::{bzflag, dis, import_file, shi, slippi};
use reckoning_recording::{Recording, open_session, write_session};

use damage::{Importer, survives_every};

fn survives_a_session_file(recording: &Recording) {
    let opened = open_session(&write_session(recording, Vec::new()).unwrap()).unwrap().recording;
    assert_eq!(opened.tracks, recording.tracks);
    assert_eq!(opened.inputs, recording.inputs);
    assert_eq!(opened.births, recording.births);
    assert_eq!(opened.deaths, recording.deaths);
    assert_eq!(opened.meta.team_play, recording.meta.team_play);
}

#[test]
fn every_reader_refuses_what_is_not_its_own() {
    let readers: [(Importer, &str); 4] = [
        (bzflag::parse, "byte 0: this is not a BZFlag recording (.rec)"),
        (slippi::parse, "byte 0: this is not a Slippi replay (.slp)"),
        (dis::parse, "byte 0: this is not a network capture (.pcap or .pcapng)"),
        (shi::parse, "byte 0: this is not a play log: it has no user (<U>)"),
    ];
    for (read, message) in readers {
        for bytes in [&b""[..], b"x", &[0; 100], b"some text"] {
            assert_eq!(read(bytes, "foreign").unwrap_err().to_string(), message);
        }
    }
}

#[test]
fn a_missing_file_is_named() {
    let message = import_file(Path::new("nowhere/at-all.rec")).unwrap_err().to_string();
    assert_eq!(message, "nowhere/at-all.rec: there is no such file or folder; check the path");
}

#[test]
fn a_real_bzflag_recording_is_read_whole() {
    let Some(data) = support::data("a_real_bzflag_recording_is_read_whole") else { return };
    let recording = import_file(&data.join("bzflag/robots.rec")).unwrap();
    assert_eq!(recording.sample_count(), 839);
    assert_eq!((recording.births.len(), recording.deaths.len()), (9, 7));
    assert_eq!(recording.inputs.len(), 44);
    assert!((recording.meta.duration_s - 62.0).abs() < 1.0, "{}", recording.meta.duration_s);
    let bounds = recording.meta.bounds.expect("the server tells the size of its world");
    for sample in recording.tracks.iter().flat_map(|track| &track.samples) {
        let p = sample.position;
        assert!(p.x.abs() <= bounds.max.x && p.y.abs() <= bounds.max.y, "{p} outside");
    }
    assert!(recording.players.iter().any(|player| player.name == "botmaster00"));
    survives_a_session_file(&recording);
}

/// Tanks reckon for each other: between two reports a tank goes where its velocity says.
#[test]
fn bzflag_positions_follow_their_own_velocities() {
    let Some(data) = support::data("bzflag_positions_follow_their_own_velocities") else { return };
    let recording = import_file(&data.join("bzflag/robots.rec")).unwrap();
    let mut errors = Vec::new();
    for track in &recording.tracks {
        let column = |name: &str| &track.column(name).unwrap().values;
        let (vx, vy) = (column("vx"), column("vy"));
        for (row, pair) in track.samples.windows(2).enumerate() {
            let secs = pair[1].at.secs_since(pair[0].at);
            if pair[0].segment == pair[1].segment && (0.01..0.15).contains(&secs) {
                let velocity = DVec3::new(f64::from(vx[row]), f64::from(vy[row]), 0.0);
                let guess = pair[0].position + velocity * secs;
                let miss = guess - pair[1].position;
                errors.push(DVec3::new(miss.x, miss.y, 0.0).length());
            }
        }
    }
    errors.sort_by(f64::total_cmp);
    let median = errors[errors.len() / 2];
    assert!(errors.len() > 100 && median < 0.25, "{} pairs, median {median}", errors.len());
}

#[test]
fn a_damaged_bzflag_recording_names_the_byte() {
    let Some(data) = support::data("a_damaged_bzflag_recording_names_the_byte") else { return };
    let file = std::fs::read(data.join("bzflag/robots.rec")).unwrap();
    let message = bzflag::parse(&file[..file.len() - 1], "cut").unwrap_err().to_string();
    assert_eq!(message, "byte 93866: cut off: 21 bytes needed, 20 left");
    survives_every(bzflag::parse, &file, 997);
    survives_every(bzflag::parse, &file[..5_100], 7);
}

/// Box 1 of the study, closed properly.
const PLAY_LOG: &str = "<Map>ProvingGrounds.xml</Map>
<Us><U><Ui>0</Ui><N>Unnamed</N>
<P><Pos><X> -2560</X><Y>1024</Y></Pos><N>Unnamed</N><Sy>4</Sy>
<Alignment>0</Alignment><Si>3621</Si></P>
<Is><I><T>3723</T><B>0</B></I>
<I><T>3774</T><B>8</B><X> -1827.08</X><Y>1147.52</Y></I></Is></U></Us>";

#[test]
fn a_play_log_gives_start_and_inputs() {
    for text in [PLAY_LOG.to_string(), format!("<?xml version=\"1.0\"?><Log>{PLAY_LOG}</Log>")] {
        let recording = shi::parse(text.as_bytes(), "box 1").unwrap();
        assert_eq!(recording.meta.map, "ProvingGrounds");
        assert_eq!(recording.births[0].position, DVec3::new(-2_560.0, 1_024.0, 0.0));
        assert_eq!(recording.births[0].at, SimTime::from_millis(3_621));
        assert_eq!(recording.tracks[0].column("kind").unwrap().values, [4.0]);
        assert_eq!(recording.players[0].name, "Unnamed");
        assert_eq!(recording.inputs[1].at, SimTime::from_millis(3_774));
        assert_eq!((recording.inputs[0].buttons, recording.inputs[1].buttons), (0, 8));
        assert_eq!(recording.inputs[1].pointer, Some([-1_827.08, 1_147.52]));
        survives_a_session_file(&recording);
    }
}

#[test]
fn a_broken_play_log_names_line_and_byte() {
    let broken = PLAY_LOG.replace("<T>3774</T>", "<T>soon</T>");
    let message = shi::parse(broken.as_bytes(), "broken").unwrap_err().to_string();
    let byte = broken.find("<T>soon").unwrap();
    assert_eq!(message, format!("line 6, byte {byte}: T is `soon`, not a number"));
    let message = shi::parse(&PLAY_LOG.as_bytes()[..200], "cut").unwrap_err().to_string();
    assert!(message.contains("not readable as XML"), "{message}");
    let deep = format!("<U>{}", "<a>".repeat(100_000));
    assert!(shi::parse(deep.as_bytes(), "deep").is_err());
    survives_every(shi::parse, PLAY_LOG.as_bytes(), 1);
}

/// An Entity State PDU, as `shared/dis/README.md` lays it out.
fn entity_state(entity: u16, secs: f64, x: f64, dead: bool) -> Vec<u8> {
    let mut pdu = vec![0; 144];
    pdu[..4].copy_from_slice(&[7, 1, 1, 1]);
    let stamp = ((secs * 2_147_483_648.0 / 3_600.0) as u32) << 1 | 1;
    pdu[4..8].copy_from_slice(&stamp.to_be_bytes());
    pdu[8..10].copy_from_slice(&144_u16.to_be_bytes());
    pdu[16..18].copy_from_slice(&entity.to_be_bytes());
    pdu[18] = 2;
    pdu[36..40].copy_from_slice(&3.5_f32.to_be_bytes());
    pdu[48..56].copy_from_slice(&x.to_be_bytes());
    pdu[84..88].copy_from_slice(&(if dead { 3_u32 << 3 } else { 0 }).to_be_bytes());
    pdu[88] = 4;
    pdu[128..135].copy_from_slice(b"\x01TANK 7");
    pdu
}

/// Ethernet, IPv4 and UDP around a payload.
fn frame(payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![0; 12];
    frame.extend([0x08, 0x00, 0x45, 0]);
    frame.extend((payload.len() as u16 + 28).to_be_bytes());
    frame.extend([0, 0, 0x40, 0, 64, 17, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1]);
    frame.extend([0x0b, 0xb8, 0x0b, 0xb8]);
    frame.extend((payload.len() as u16 + 8).to_be_bytes());
    frame.extend([0, 0]);
    frame.extend(payload);
    frame
}

fn pcap(packets: &[(f64, Vec<u8>)]) -> Vec<u8> {
    let mut file = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    file.extend(65_535_u32.to_le_bytes());
    file.extend(1_u32.to_le_bytes());
    for (secs, payload) in packets {
        let frame = frame(payload);
        let micros = (secs * 1e6).round() as u64;
        file.extend(((micros / 1_000_000) as u32).to_le_bytes());
        file.extend(((micros % 1_000_000) as u32).to_le_bytes());
        file.extend((frame.len() as u32).to_le_bytes());
        file.extend((frame.len() as u32).to_le_bytes());
        file.extend(frame);
    }
    file
}

fn pcapng(packets: &[(f64, Vec<u8>)]) -> Vec<u8> {
    let block = |kind: u32, body: &[u8]| {
        let length = (body.len() as u32 + 12).to_le_bytes();
        [&kind.to_le_bytes()[..], &length, body, &length].concat()
    };
    let section = [&0x1a2b_3c4d_u32.to_le_bytes()[..], &[1, 0, 0, 0], &[0xff; 8]].concat();
    let mut file = block(0x0a0d_0d0a, &section);
    file.extend(block(1, &[1, 0, 0, 0, 0, 0, 4, 0, 9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0]));
    for (secs, payload) in packets {
        let mut frame = frame(payload);
        let length = frame.len() as u32;
        frame.resize(frame.len().next_multiple_of(4), 0);
        let nanos = (secs * 1e9).round() as u64;
        let mut body = vec![0; 4];
        body.extend(((nanos >> 32) as u32).to_le_bytes());
        body.extend((nanos as u32).to_le_bytes());
        body.extend(length.to_le_bytes());
        body.extend(length.to_le_bytes());
        body.extend(frame);
        file.extend(block(6, &body));
    }
    file
}

/// Two entities; the first crosses the full hour, then dies. The capture jitters, and the last
/// PDU is later than even the first.
fn traffic() -> Vec<(f64, Vec<u8>)> {
    vec![
        (1_000.00, entity_state(7, 3_599.95, 10.0, false)),
        (1_000.13, [entity_state(7, 0.05, 11.0, false), entity_state(8, 0.0, 0.0, false)].concat()),
        (1_000.15, b"not DIS at all, but UDP".to_vec()),
        (1_000.22, entity_state(7, 0.15, 12.0, true)),
        (1_000.23, entity_state(7, 3_599.91, 9.6, false)),
    ]
}

#[test]
fn dis_traffic_becomes_tracks_on_the_senders_clock() {
    for file in [pcap(&traffic()), pcapng(&traffic())] {
        let recording = dis::parse(&file, "two").unwrap();
        assert_eq!(recording.tracks.len(), 2);
        let track = &recording.tracks[0];
        let times: Vec<i64> =
            track.samples.iter().map(|s| (s.at.as_micros() + 500).div_euclid(1_000)).collect();
        assert_eq!(times, [-40, 0, 100, 200], "evenly, whatever the capture says");
        assert_eq!(track.samples[3].position.x, 12.0);
        assert_eq!(track.samples.iter().map(|s| s.segment).collect::<Vec<_>>(), [0, 0, 0, 1]);
        assert_eq!(track.column("vx").unwrap().values, [3.5; 4]);
        assert_eq!(track.column("algorithm").unwrap().values, [4.0; 4]);
        assert_eq!((recording.players[0].name.as_str(), track.team), ("TANK 7", 2));
        survives_a_session_file(&recording);
    }
}

#[test]
fn a_damaged_capture_names_the_byte() {
    let file = pcap(&traffic());
    let message = dis::parse(&file[..file.len() - 3], "cut").unwrap_err().to_string();
    assert!(message.starts_with("byte ") && message.contains("cut off"), "{message}");
    survives_every(dis::parse, &file, 1);
    survives_every(dis::parse, &pcapng(&traffic()), 1);
}

#[test]
fn pdus_of_other_implementations_are_read() {
    let Some(data) = support::data("pdus_of_other_implementations_are_read") else { return };
    let mut packets = Vec::new();
    for name in ["disrs", "disrs_art", "kdis", "odjava", "opendis"] {
        let pdu = std::fs::read(data.join(format!("../dis/es_{name}.bin"))).unwrap();
        packets.push((packets.len() as f64, pdu));
    }
    let recording = dis::parse(&pcap(&packets), "others").unwrap();
    assert_eq!((recording.tracks.len(), recording.sample_count()), (1, 5));
    assert_eq!(recording.players[0].name, "RECKON-1");
    let track = &recording.tracks[0];
    assert!(track.samples.iter().all(|sample| sample.position.x == -2_710_000.125));
    assert_eq!(track.samples[0].position, DVec3::new(-2_710_000.125, -4_353_000.25, 3_782_000.5));
    assert_eq!(track.column("vx").unwrap().values, [30.0; 5]);
    assert_eq!(track.column("psi").unwrap().values[..2], [0.25, 0.25]);
    let secs: Vec<f64> = track.samples.iter().map(|sample| sample.at.as_secs_f64()).collect();
    assert_eq!(secs, [0.0, 1.0, 2.0, 3.0, 4.0], "equal timestamps leave it to the capture");
}

/// A replay of two ports and a few frames, written from the format's description.
fn slp(frames: &[(i32, f32)]) -> Vec<u8> {
    let mut raw = vec![0x35, 10, 0x36, 1, 0x60, 0x37, 0, 0x3f, 0x38, 0, 0x33];
    raw.push(0x36);
    let mut start = vec![0; 0x160];
    start[..3].copy_from_slice(&[3, 9, 0]);
    start[0x12..0x14].copy_from_slice(&31_u16.to_be_bytes());
    for port in 0..4 {
        start[0x64 + 0x24 * port] = 20;
        start[0x65 + 0x24 * port] = if port < 2 { 0 } else { 3 };
    }
    raw.extend(start);
    for &(frame, x) in frames {
        for port in 0..2_u8 {
            let mut before = vec![0; 0x3f];
            before[..4].copy_from_slice(&frame.to_be_bytes());
            before[4] = port;
            before[24..28].copy_from_slice(&0.5_f32.to_be_bytes());
            before[44..48].copy_from_slice(&256_u32.to_be_bytes());
            raw.push(0x37);
            raw.extend(before);
            let mut after = vec![0; 0x33];
            after[..4].copy_from_slice(&frame.to_be_bytes());
            after[4] = port;
            after[7..9].copy_from_slice(&(if x < -100.0 { 0_u16 } else { 14 }).to_be_bytes());
            after[9..13].copy_from_slice(&x.to_be_bytes());
            after[17..21].copy_from_slice(&(-1.0_f32).to_be_bytes());
            after[32] = 4;
            after[46] = 1;
            raw.push(0x38);
            raw.extend(after);
        }
    }
    let length = (raw.len() as u32).to_be_bytes();
    [b"{U\x03raw[$U#l", &length[..], &raw, b"U\x08metadata{}}"].concat()
}

#[test]
fn a_slippi_replay_keeps_the_last_version_of_each_frame() {
    let file = slp(&[(-123, 9.0), (-39, 1.0), (-38, 7.0), (-38, 2.0), (-37, -120.0)]);
    let recording = slippi::parse(&file, "made").unwrap();
    assert_eq!(recording.tracks.len(), 2);
    let track = &recording.tracks[1];
    let xs: Vec<f64> = track.samples.iter().map(|sample| sample.position.x).collect();
    assert_eq!(xs, [1.0, 2.0, -120.0]);
    assert_eq!(track.samples[1].at, SimTime::from_tick(1, 60));
    assert_eq!(track.samples[0].yaw_rad, Some(std::f32::consts::PI));
    assert_eq!(track.samples.iter().map(|s| s.segment).collect::<Vec<_>>(), [0, 0, 1]);
    assert_eq!(track.column("joy_x").unwrap().values, [0.5; 3]);
    assert_eq!(track.column("airborne").unwrap().values, [1.0; 3]);
    assert_eq!((track.samples[0].health, recording.inputs[0].buttons), (Some(4.0), 256));
    assert_eq!((recording.births.len(), recording.deaths.len()), (2, 2));
    assert_eq!((recording.meta.map.as_str(), recording.meta.team_play), ("stage 31", false));
    survives_a_session_file(&recording);
}

#[test]
fn a_damaged_slippi_replay_names_the_byte_and_an_unfinished_one_is_read() {
    let file = slp(&[(-39, 1.0), (-38, 2.0)]);
    survives_every(slippi::parse, &file, 1);
    let mut unfinished = file[..file.len() - 40].to_vec();
    unfinished[11..15].fill(0);
    let recording = slippi::parse(&unfinished, "crashed").unwrap();
    assert!(recording.tracks[0].samples.len() >= 2);
    let message = slippi::parse(&file[..600], "cut").unwrap_err().to_string();
    assert!(message.starts_with("byte 15: cut off"), "{message}");
}

#[cfg(feature = "replay")]
#[test]
fn what_is_no_rocket_league_replay_is_refused_with_a_place() {
    use reckoning_lab::import::rocket_league;
    for bytes in [&b""[..], b"x", &[0; 100], &[0xff; 100], b"some text that is long enough"] {
        let error = rocket_league::parse(bytes, "foreign").unwrap_err();
        assert!(error.offset.is_some());
        assert!(error.to_string().contains("not readable as a Rocket League replay"), "{error}");
    }
}
