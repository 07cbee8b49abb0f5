//! Files that real games and other software wrote, against what other software reads in them.
//!
//! Counts and checksums are those of `py-slippi` and `rattletrap`, over every frame of every
//! body; `testdata/imports/README.md` tells where files and facts come from.

mod damage;
#[path = "../../reckoning-recording/tests/support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};

use reckoning::DVec3;
use reckoning_lab::import::{dis, import_file, slippi};
use reckoning_recording::{Recording, Track};

use damage::survives_many;

fn committed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/imports").join(name)
}

/// Id, count of frames and checksum, per fighter.
type Fighters<'a> = &'a [(i32, usize, u32)];

const COMMITTED_SLP: [(&str, Fighters<'_>); 4] = [
    ("netplay.slp", &[(0, 44, 0xe38a_b1b1), (1, 44, 0x6d08_24a8)]),
    ("ics.slp", &[(0, 260, 0x0728_d791), (10, 260, 0xebc8_5f09), (1, 260, 0xfe75_fde8)]),
    ("v3.12.slp", &[(0, 40, 0x5664_fe90), (1, 40, 0x6036_a5e7)]),
    (
        "crazy_name_tags.slp",
        &[(0, 52, 0x943d_5dc6), (1, 52, 0x7324_a3a5), (2, 52, 0x412c_b6a6), (3, 52, 0x9b44_e8ea)],
    ),
];

const FETCHED_SLP: [(&str, Fighters<'_>); 9] = [
    ("v0.1.slp", &[(0, 8_152, 0xf415_0ee5), (1, 8_152, 0x4d08_6425)]),
    ("game.slp", &[(0, 5_125, 0x3724_e7dd), (1, 5_125, 0x440b_49de)]),
    ("v2.0.slp", &[(0, 10_655, 0x5993_3d67), (1, 10_655, 0x3f8a_3efd)]),
    ("nintendont.slp", &[(1, 11_952, 0x7234_a281), (3, 11_952, 0xf94b_fd6b)]),
    ("transform.slp", &[(1, 3_450, 0x5152_a5f8), (3, 3_450, 0x649c_351c)]),
    ("items.slp", &[(0, 7_291, 0xf875_51eb), (1, 7_291, 0xc6ea_c6f0)]),
    ("ics2.slp", &[(0, 9_435, 0x7d1f_b10c), (10, 7_428, 0xcd07_69b4), (1, 9_435, 0x4148_4afe)]),
    ("unknown_event.slp", &[(0, 5_125, 0x3724_e7dd), (1, 5_125, 0x440b_49de)]),
    ("v3.17.slp", &[(0, 9_622, 0x48f3_2406), (1, 9_622, 0x2079_f458)]),
];

/// As `tools/slippi-facts.py` packs them.
fn fighter_checksum(recording: &Recording, track: &Track) -> u32 {
    let columns = ["damage", "facing", "joy_x", "joy_y", "stocks", "action"];
    let columns = columns.map(|name| &track.column(name).unwrap().values);
    let inputs: Vec<_> = recording.inputs.iter().filter(|input| input.id == track.id).collect();
    assert_eq!(inputs.len(), track.samples.len());
    let mut hash = crc32fast::Hasher::new();
    for (row, sample) in track.samples.iter().enumerate() {
        let frame = (sample.at.as_secs_f64() * 60.0).round() as i32 - 39;
        hash.update(&frame.to_be_bytes());
        let [damage, facing, joy_x, joy_y, stocks, action] = columns.map(|values| values[row]);
        let [x, y] = [sample.position.x as f32, sample.position.y as f32];
        for value in [x, y, damage, facing, joy_x, joy_y] {
            hash.update(&value.to_be_bytes());
        }
        hash.update(&[stocks as u8]);
        hash.update(&(action as u16).to_be_bytes());
        hash.update(&inputs[row].buttons.to_be_bytes());
    }
    hash.finalize()
}

fn agrees_with_py_slippi(path: &Path, expected: Fighters<'_>) {
    let recording = import_file(path).unwrap();
    let facts =
        |track: &Track| (track.id, track.samples.len(), fighter_checksum(&recording, track));
    let mut got: Vec<_> = recording.tracks.iter().map(facts).collect();
    let mut expected = expected.to_vec();
    got.sort_unstable();
    expected.sort_unstable();
    assert_eq!(got, expected, "{}", path.display());
}

#[test]
fn every_frame_of_real_slippi_replays_is_what_py_slippi_reads() {
    for (name, expected) in COMMITTED_SLP {
        agrees_with_py_slippi(&committed(name), expected);
    }
}

/// Nine more, from the first version of the format to 3.17: rollbacks, a fighter that becomes
/// another, followers that die for good, items, an event nobody knows, ports 2 and 4.
#[test]
fn every_frame_of_long_slippi_replays_is_what_py_slippi_reads() {
    for (name, expected) in FETCHED_SLP {
        if let Some(path) = support::fixture(name) {
            agrees_with_py_slippi(&path, expected);
        }
    }
}

/// The prepared sessions were made from the same replays by other code.
#[test]
fn real_slippi_replays_agree_with_the_prepared_sessions() {
    let Some(data) = support::data("real_slippi_replays_agree_with_the_prepared_sessions") else {
        return;
    };
    for name in ["v2.0", "nintendont", "ics2"] {
        let Some(path) = support::fixture(&format!("{name}.slp")) else { continue };
        let mut ours = import_file(&path).unwrap();
        let mut prepared = import_file(&data.join(format!("slippi/{name}.csv.zst"))).unwrap();
        // They number the ports in use, we keep the port: the order is the same.
        ours.tracks.sort_by_key(|track| track.id);
        prepared.tracks.sort_by_key(|track| track.id);
        assert_eq!(ours.tracks.len(), prepared.tracks.len(), "{name}");
        for (track, other) in ours.tracks.iter().zip(&prepared.tracks) {
            assert_eq!(track.samples.len(), other.samples.len(), "{name}, {}", other.id);
            for (a, b) in track.samples.iter().zip(&other.samples) {
                let (secs, apart) = (a.at.secs_since(b.at), a.position.distance(b.position));
                assert!(secs.abs() < 1e-3 && apart < 1e-3, "{name}, {}: {a:?} {b:?}", other.id);
                assert_eq!(a.alive, b.alive, "{name}, {}: {a:?} {b:?}", other.id);
            }
        }
    }
}

#[test]
fn a_slippi_replay_that_ended_before_its_first_frame_is_refused() {
    let error = import_file(&committed("corrupt.slp")).unwrap_err();
    assert_eq!(error.offset, Some(28_384));
    let message = error.to_string();
    assert!(message.ends_with("byte 28384: every frame of the game is missing"), "{message}");
}

#[test]
fn damaged_real_slippi_replays_name_the_byte() {
    for name in ["netplay.slp", "ics.slp", "v3.12.slp", "crazy_name_tags.slp", "corrupt.slp"] {
        survives_many(slippi::parse, &std::fs::read(committed(name)).unwrap(), 1_000);
    }
    let file = std::fs::read(committed("ics.slp")).unwrap();
    let message = slippi::parse(&file[..50_000], "cut").unwrap_err().to_string();
    assert!(message.starts_with("byte 15: cut off: "), "{message}");
}

#[test]
fn a_capture_by_other_software_is_read_on_the_senders_clock() {
    let recording = import_file(&committed("dis-peer.pcap")).unwrap();
    let names: Vec<&str> = recording.players.iter().map(|player| player.name.as_str()).collect();
    assert_eq!(names, ["TRUCK", "TANK"]);
    let [truck, tank] = &recording.tracks[..] else { panic!("two entities") };
    assert_eq!((truck.team, tank.team), (1, 2));
    assert_eq!((truck.samples.len(), tank.samples.len()), (50, 50));
    for (tick, sample) in truck.samples.iter().enumerate() {
        let turn = 0.1 * tick as f64;
        let (sin, cos) = (libm::sin(turn), libm::cos(turn));
        let place = DVec3::new(4_000_000.0 + 100.0 * cos, 100.0 * sin, 4_900_000.0);
        assert!(sample.position.distance(place) < 1e-6, "tick {tick}: {}", sample.position);
        let vx = truck.column("vx").unwrap().values[tick];
        assert!((f64::from(vx) + 50.0 * sin).abs() < 1e-5, "tick {tick}: {vx}");
        let late = sample.at.as_secs_f64() - tick as f64 / 5.0;
        assert!(late.abs() < 1e-5, "tick {tick}: {late}, whatever the capture's jitter");
    }
    let fallen = tank.samples.iter().position(|sample| !sample.alive);
    assert_eq!(fallen, Some(40));
    assert_eq!(tank.samples[49].segment, 1);
}

#[test]
fn a_damaged_capture_by_other_software_names_the_byte() {
    survives_many(dis::parse, &std::fs::read(committed("dis-peer.pcap")).unwrap(), 2_000);
}

#[cfg(feature = "replay")]
mod rocket_league {
    use reckoning_lab::import::rocket_league;

    use super::*;

    /// Name, count of states and checksum, per body.
    type Bodies<'a> = &'a [(&'a str, usize, u32)];

    /// Of network version 8, and three from before version 7 with other units and angles.
    const FETCHED: [(&str, Bodies<'_>); 4] = [
        ("hoops.replay", &[("Destiphy", 67, 0x8891_7ae7), ("ball", 91, 0x4b94_9126)]),
        (
            "rlcs.replay",
            &[
                ("Deevo", 4_139, 0xab41_c9aa),
                ("Maestro.", 4_059, 0x9d95_d0e7),
                ("Paschy90", 4_112, 0xfbf2_ec9d),
                ("ViolentPanda", 4_113, 0xd189_42b4),
                ("ball", 6_365, 0x9a89_6891),
                ("miztik", 4_127, 0xf246_21f2),
                ("remkoe", 4_140, 0x8186_c8d5),
            ],
        ),
        (
            "rumble.replay",
            &[
                ("BigCruz187", 828, 0xade6_e793),
                ("Cakeboss", 3_872, 0xaa08_ee80),
                ("Cougar", 213, 0x40be_ed9e),
                ("GOOSE LORD", 1_477, 0x2471_87d3),
                ("Goose", 368, 0x3fda_145f),
                ("Jokeplayer25", 4_081, 0x4358_fe17),
                ("Sasha Kaun", 1_070, 0x2d3b_587d),
                ("SilentWarrior", 4_107, 0x5ae5_0b83),
                ("ball", 5_781, 0xe1a2_3f40),
                ("comagoosie", 4_124, 0xab40_d1ee),
                ("jeffreyj1", 3_993, 0x2ca9_b739),
            ],
        ),
        (
            "soccar-lan.replay",
            &[
                ("GarrettG", 4_067, 0x7df0_5aad),
                ("M1k3Rules", 4_051, 0x45ad_5305),
                ("Markydooda", 4_017, 0xc282_0372),
                ("Moses", 4_055, 0x95d6_b8d3),
                ("Turtle", 4_018, 0xd36d_846f),
                ("ball", 6_384, 0x215f_59fe),
                ("kuxir97", 4_063, 0x5752_f324),
            ],
        ),
    ];

    /// As `tools/rocket-facts.py` packs them.
    fn body_checksum(track: &Track) -> u32 {
        let mut hash = crc32fast::Hasher::new();
        for sample in &track.samples {
            hash.update(&sample.at.as_micros().to_be_bytes());
            for axis in sample.position.to_array() {
                hash.update(&((axis * 100.0).round() as i32).to_be_bytes());
            }
        }
        hash.finalize()
    }

    #[test]
    fn every_state_in_real_replays_is_what_rattletrap_reads() {
        for (name, expected) in FETCHED {
            let Some(path) = support::fixture(name) else { continue };
            let recording = import_file(&path).unwrap();
            let mut got: Vec<_> = recording
                .tracks
                .iter()
                .map(|track| {
                    let player = recording.players.iter().find(|player| player.id == track.id);
                    let player = player.unwrap().name.as_str();
                    (player, track.samples.len(), body_checksum(track))
                })
                .collect();
            got.sort_unstable();
            assert_eq!(got, expected, "{name}");
        }
    }

    /// Whatever the version: cars stay in the arena, go where their velocity says and mostly
    /// where their nose points, and nobody is without a name or a side.
    #[test]
    fn real_replays_of_all_versions_make_sense() {
        let names = ["hoops", "rlcs", "rumble", "soccar-lan", "old_boost_format"];
        for name in names.into_iter().chain(["new_boost_format", "tourny", "gridiron"]) {
            let Some(path) = support::fixture(&format!("{name}.replay")) else { continue };
            let recording = import_file(&path).unwrap();
            for player in &recording.players {
                assert!(!player.name.is_empty(), "{name}: {player:?}");
                assert_eq!(player.team == -1, player.id == -1, "{name}: {player:?}");
            }
            let cars = recording.tracks.iter().filter(|track| track.id != -1);
            let (mut misses, mut noses) = (Vec::new(), Vec::new());
            for track in cars {
                judge(name, track, &mut misses, &mut noses);
            }
            let (miss, nose) = (median(misses), median(noses));
            // The frames' clock jitters by a good part of the time between two reports.
            assert!(miss < 0.25, "{name}: positions miss velocities by {miss} of the way");
            assert!(nose > 0.97, "{name}: noses point {nose} along the way");
        }
    }

    fn median(mut values: Vec<f64>) -> f64 {
        assert!(values.len() > 10, "{}", values.len());
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    }

    fn judge(name: &str, track: &Track, misses: &mut Vec<f64>, noses: &mut Vec<f64>) {
        let columns = ["vx", "vy", "vz", "qx", "qy", "qz", "qw"];
        let columns = columns.map(|name| &track.column(name).unwrap().values);
        for (row, pair) in track.samples.windows(2).enumerate() {
            let p = pair[0].position;
            assert!(p.x.abs() < 4_200.0 && p.y.abs() < 6_100.0, "{name}: {p}");
            assert!((-20.0..2_100.0).contains(&p.z), "{name}: {p}");
            let [vx, vy, vz, x, y, z, w] = columns.map(|values| f64::from(values[row]));
            let (velocity, secs) = (DVec3::new(vx, vy, vz), pair[1].at.secs_since(pair[0].at));
            let fast = velocity.length() > 1_000.0 && velocity.length() < 2_500.0;
            if fast && pair[0].segment == pair[1].segment && (0.02..0.2).contains(&secs) {
                let way = velocity * secs;
                misses.push((p + way).distance(pair[1].position) / way.length());
                let nose = reckoning::DQuat::from_xyzw(x, y, z, w).normalize() * DVec3::X;
                noses.push(nose.dot(velocity.normalize()));
            }
        }
    }

    /// The game's own checksum.
    fn checksum(bytes: &[u8]) -> u32 {
        let table = |index: u32| {
            let step = |crc: u32, _| crc << 1 ^ if crc >> 31 == 1 { 0x04c1_1db7 } else { 0 };
            (0..8).fold(index << 24, step).swap_bytes()
        };
        let step = |crc: u32, &byte: &u8| crc >> 8 ^ table((u32::from(byte) ^ crc) & 0xff);
        (!bytes.iter().fold(!0xefcb_f201_u32.swap_bytes(), step)).swap_bytes()
    }

    /// Damage that the checksums do not tell.
    fn parse_with_right_sums(
        bytes: &[u8],
        name: &str,
    ) -> Result<Recording, reckoning_recording::RecordingError> {
        let mut file = bytes.to_vec();
        let mut start = 0;
        for _ in 0..2 {
            let Some(length) = file.get(start..start + 4) else { break };
            let length = u32::from_le_bytes(length.try_into().unwrap()) as usize;
            let Some(section) = file.get(start + 8..start + 8 + length) else { break };
            let sum = checksum(section).to_le_bytes();
            file[start + 4..start + 8].copy_from_slice(&sum);
            start += 8 + length;
        }
        rocket_league::parse(&file, name)
    }

    #[test]
    fn damaged_real_replays_name_the_byte() {
        let Some(path) = support::fixture("hoops.replay") else { return };
        let file = std::fs::read(path).unwrap();
        survives_many(rocket_league::parse, &file, 500);
        survives_many(parse_with_right_sums, &file, 500);
        let header = u32::from_le_bytes(file[..4].try_into().unwrap()) as usize;
        let mut damaged = file.clone();
        damaged[header + 5_000] ^= 1;
        let error = rocket_league::parse(&damaged, "flipped").unwrap_err();
        assert_eq!(error.offset, Some(header as u64 + 16), "where the body begins: {error}");
        damaged = file;
        damaged[header] ^= 1;
        let error = rocket_league::parse(&damaged, "flipped").unwrap_err();
        assert_eq!(error.offset, Some(8), "where the header begins: {error}");
    }
}
