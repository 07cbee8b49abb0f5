//! Contract of recordings: every form gives back what was written.

mod support;

use reckoning::{DVec3, SimTime};
use reckoning_recording::{
    Birth, Death, Input, ItemEvent, Level, LevelItem, LevelShape, Player, Recording, Sample,
    SessionSummary, SessionWriter, SimSpan, Snapshot, Track, csv_start, find_sessions,
    load_csv_within, load_file, load_sessions, open_session, parse_csv, parse_level, parse_meta,
    read_session, salvage_session, save_csv, summarize_csv, write_csv, write_level, write_session,
};

/// A recording with something of everything.
fn small() -> Recording {
    let mut track = Track::new(3, 1, &["armor", "role"]);
    track.extras[1].labels = vec!["keeper".into(), "player".into()];
    for step in 0..20_u8 {
        let x = f64::from(step);
        let sample = Sample {
            at: SimTime::from_tick(i64::from(step), 60),
            position: DVec3::new(x * 0.125, -x, if step < 10 { 0.0 } else { x.sqrt() }),
            yaw_rad: (step % 2 == 0).then_some(0.5),
            health: Some(100.0 - f32::from(step)),
            ammo: None,
            segment: u32::from(step / 7),
            alive: step != 6,
            height_known: step >= 10,
        };
        track.push(sample, &[f32::NAN, f32::from(step % 2)]);
    }
    let (_, _, meta) =
        parse_meta(br#"{"rate_hz":60,"dims":3,"units":"m","body_width":0.5,"map":"yard"}"#)
            .unwrap();
    let at = SimTime::from_millis(100);
    let wall = LevelShape::Wall { from: DVec3::ZERO, to: DVec3::X, top: 2.0 };
    let item = LevelItem { kind: "armor".into(), class: "red".into(), position: DVec3::ONE };
    Recording {
        source: "made up".into(),
        session: "small".into(),
        meta,
        players: vec![Player { id: 3, team: 1, name: "Änne".into() }],
        tracks: vec![track],
        level: Level { name: "yard".into(), bounds: None, shapes: vec![wall], items: vec![item] },
        inputs: vec![Input {
            at,
            id: 3,
            buttons: 5,
            stick: [0.5, -1.0],
            pointer: Some([1.0, 2.0]),
        }],
        births: vec![Birth { at, id: 3, position: DVec3::Y }],
        deaths: vec![Death { at, id: 3, killer: Some(4) }],
        item_events: vec![ItemEvent { at, item: 0, taken_by: Some(3) }],
        snapshots: vec![Snapshot { at, bytes: vec![1, 2, 3] }],
    }
}

fn small_file() -> Vec<u8> {
    write_session(&small(), Vec::new()).unwrap()
}

/// Where chunks end: the only lengths at which a cut file is whole.
fn chunk_ends(file: &[u8]) -> Vec<usize> {
    let mut ends = vec![16];
    while *ends.last().unwrap() < file.len() {
        let at = *ends.last().unwrap();
        let length = u32::from_le_bytes(file[at + 4..at + 8].try_into().unwrap());
        ends.push(at + 20 + length as usize);
    }
    ends
}

#[test]
fn a_session_file_gives_back_everything() {
    let mut expected = small();
    // The name in the json wins over fields, so these two appear there after a round trip.
    expected.meta.other.insert("source".into(), "made up".into());
    expected.meta.other.insert("session".into(), "small".into());

    let opened = open_session(&small_file()).unwrap();

    assert_eq!(opened.truncated_at, None);
    assert_eq!(opened.recording, expected);
    assert_eq!(read_session(&small_file()[..]).unwrap(), opened);
}

#[test]
fn a_file_cut_at_any_byte_opens_up_to_the_last_whole_chunk_and_says_so() {
    let file = small_file();
    let ends = chunk_ends(&file);
    for length in 0..file.len() {
        let cut = &file[..length];
        if length < 16 {
            let message = open_session(cut).unwrap_err().to_string();
            assert!(message.starts_with("byte "), "cut at {length}: {message}");
            continue;
        }
        let opened = open_session(cut).unwrap_or_else(|error| panic!("cut at {length}: {error}"));
        let whole = *ends.iter().filter(|&&end| end <= length).max().unwrap();
        assert_eq!(opened.truncated_at, Some(whole as u64), "cut at {length}");
    }
    assert_eq!(open_session(&file).unwrap().truncated_at, None);
}

#[test]
fn a_hole_of_zeros_at_the_end_counts_as_a_cut() {
    let file = small_file();
    let mut torn = file[..chunk_ends(&file)[2]].to_vec();
    let whole = torn.len() as u64;
    torn.resize(torn.len() + 4_096, 0);
    assert_eq!(open_session(&torn).unwrap().truncated_at, Some(whole));
}

#[test]
fn every_flipped_bit_is_noticed_and_named_by_a_byte_near_it() {
    let file = small_file();
    let ends = chunk_ends(&file);
    for bit in 0..file.len() * 8 {
        let mut damaged = file.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let error = open_session(&damaged).expect_err(&format!("bit {bit} passed"));
        let offset = usize::try_from(error.offset.expect("a place")).unwrap();
        let chunk_start = ends.iter().rev().find(|&&end| end <= bit / 8).copied().unwrap_or(0);
        assert!((chunk_start..=bit / 8 + 20).contains(&offset), "bit {bit}: {error}");
    }
}

#[test]
fn what_comes_before_the_damage_can_be_salvaged() {
    let mut file = small_file();
    let ends = chunk_ends(&file);
    let inputs = ends[4] + 25; // meta, player, level, samples come first
    file[inputs] ^= 1;
    let (opened, damage) = salvage_session(&file).unwrap();
    assert_eq!(opened.recording.tracks, small().tracks);
    assert!(opened.recording.inputs.is_empty());
    assert_eq!(opened.truncated_at, Some(ends[4] as u64));
    assert!(damage.unwrap().to_string().contains("damaged"));
}

#[test]
fn a_live_session_is_written_piece_by_piece() {
    let whole = small();
    let track = &whole.tracks[0];
    let part = |range: std::ops::Range<usize>| Track {
        samples: track.samples[range.clone()].to_vec(),
        extras: track
            .extras
            .iter()
            .map(|c| {
                let mut c = c.clone();
                c.values = c.values[range.clone()].to_vec();
                c
            })
            .collect(),
        ..Track::new(track.id, track.team, &[])
    };
    let mut writer = SessionWriter::start(Vec::new(), "made up", "live", &whole.meta).unwrap();
    writer.samples(&part(0..5)).unwrap();
    writer.samples(&part(5..20)).unwrap();
    let opened = open_session(&writer.finish().unwrap()).unwrap();
    assert_eq!(&opened.recording.tracks[0], track);
}

#[test]
fn foreign_and_empty_files_are_refused_by_name() {
    for bytes in [&b""[..], b"PK\x03\x04 zip", &[0; 64], b"t,id,team\n"] {
        let message = open_session(bytes).unwrap_err().to_string();
        assert_eq!(message, "byte 0: this is not a session file (.reck)");
        assert!(parse_csv(bytes).is_err());
        assert!(parse_level(bytes).is_err());
    }
    let mut newer = small_file();
    newer[8] = 9;
    let sum = crc32fast::hash(&newer[..12]).to_le_bytes();
    newer[12..16].copy_from_slice(&sum);
    let message = open_session(&newer).unwrap_err().to_string();
    assert_eq!(message, "byte 8: version 9 is newer than 1; update this program");
}

#[test]
fn a_missing_path_is_named_with_a_remedy() {
    let folder = support::scratch("missing");
    let nowhere = folder.join("nowhere");
    let message = load_sessions(&nowhere).unwrap_err().to_string();
    assert!(message.contains("nowhere: there is no such file or folder; check the path"));
    let message = find_sessions(&folder).unwrap_err().to_string();
    assert!(message.contains("no session here; expected *.csv.zst"), "{message}");
    std::fs::write(folder.join("a.csv"), "t,id,team,x,y,z,yaw,health,ammo,alive,seg\n").unwrap();
    let message = load_sessions(&folder).unwrap_err().to_string();
    assert!(message.contains("a.json: there is no such file"), "{message}");
}

#[test]
fn a_csv_read_in_pieces_is_the_csv_read_whole() {
    let path = save_csv(&small(), &support::scratch("pieces")).unwrap();
    let whole = load_file(&path).unwrap();
    assert_eq!(load_csv_within(&path, SimSpan::ALL, 1 << 20).unwrap(), whole);
    assert_eq!(summarize_csv(&path).unwrap(), SessionSummary::from(&whole));
    let (first, _) = whole.span().unwrap();
    assert_eq!(csv_start(&path).unwrap(), Some(first));
    let refused = load_csv_within(&path, SimSpan::ALL, 100).unwrap_err();
    assert!(refused.to_string().contains("more than the 100 allowed"), "{refused}");
}

#[test]
fn a_name_that_leads_out_of_the_folder_is_not_written() {
    let mut recording = small();
    recording.session = "../escaped".into();
    let message = save_csv(&recording, &support::scratch("escape")).unwrap_err().to_string();
    assert!(message.contains("not a name inside the folder"), "{message}");
}

#[test]
fn a_small_recording_survives_csv_session_file_and_csv() {
    let folder = support::scratch("csv");
    let path = save_csv(&small(), &folder).unwrap();
    let loaded = load_file(&path).unwrap();
    assert_eq!(loaded.tracks, small().tracks);
    let opened = open_session(&write_session(&loaded, Vec::new()).unwrap()).unwrap().recording;
    assert_eq!(opened, loaded);
    assert_eq!(write_csv(&opened), write_csv(&small()));
}

#[test]
fn every_real_session_survives_all_forms() {
    let Some(data) = support::data("every_real_session_survives_all_forms") else { return };
    for path in find_sessions(&data).unwrap() {
        let loaded = load_file(&path).unwrap();
        let file = write_session(&loaded, Vec::new()).unwrap();
        let opened = open_session(&file).unwrap().recording;
        assert!(opened == loaded, "{} changes in a session file", path.display());
        let written = write_csv(&opened);
        let original = support::unpack(&path);
        let sorted = |text: &[u8]| {
            let mut lines: Vec<Vec<u8>> = text.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
            lines.sort();
            lines
        };
        let (got, wanted) = (sorted(&written), sorted(&original));
        let odd = got.iter().zip(&wanted).find(|(got, wanted)| got != wanted);
        let show = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
        assert!(odd.is_none(), "{}: {:?}", path.display(), odd.map(|(a, b)| (show(a), show(b))));
        assert_eq!(got.len(), wanted.len(), "{}", path.display());
        println!(
            "{}: {} samples, csv.zst {:.1} B, .reck {:.1} B a sample",
            path.display(),
            loaded.sample_count(),
            std::fs::metadata(&path).unwrap().len() as f64 / loaded.sample_count() as f64,
            file.len() as f64 / loaded.sample_count() as f64,
        );
    }
}

#[test]
fn the_json_of_every_real_session_comes_back_as_it_was() {
    let Some(data) = support::data("the_json_of_every_real_session_comes_back_as_it_was") else {
        return;
    };
    for path in find_sessions(&data).unwrap() {
        let name = path.to_str().unwrap().replace(".csv.zst", ".json");
        let text = std::fs::read(name).unwrap();
        let (source, session, meta) = parse_meta(&text).unwrap();
        let back = reckoning_recording::write_meta(&source, &session, &meta);
        let value = |text: &[u8]| serde_json::from_slice::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&back), value(&text), "{}", path.display());
        assert!(meta.rate_hz > 0.0 && meta.body_width > 0.0 && !meta.units.is_empty());
    }
}

#[test]
fn every_real_map_is_read_and_survives_our_own_form() {
    let Some(data) = support::data("every_real_map_is_read_and_survives_our_own_form") else {
        return;
    };
    for folder in ["quakeworld/maps", "bzflag_maps"] {
        for entry in std::fs::read_dir(data.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|ending| ending != "json") {
                continue;
            }
            let level = parse_level(&std::fs::read(&path).unwrap()).unwrap();
            assert!(!level.shapes.is_empty() && level.bounds.is_some(), "{}", path.display());
            assert_eq!(parse_level(&write_level(&level)).unwrap(), level, "{}", path.display());
        }
    }
    let dm2 = parse_level(&std::fs::read(data.join("quakeworld/maps/dm2.json")).unwrap()).unwrap();
    let walls = dm2.shapes.iter().filter(|shape| matches!(shape, LevelShape::Wall { .. })).count();
    assert_eq!((walls, dm2.items.len()), (2_604, 70));
}

#[test]
fn a_map_that_leads_out_of_the_folder_is_not_read() {
    let folder = support::scratch("map-out");
    let inside = folder.join("inside");
    std::fs::create_dir_all(&inside).unwrap();
    let csv = inside.join("a.csv");
    std::fs::write(&csv, "t,id,team,x,y,z,yaw,health,ammo,alive,seg\n").unwrap();
    std::fs::write(folder.join("secret.json"), "{}").unwrap();
    let absolute = folder.join("secret.json");
    let refused = |map: &str| {
        let json = serde_json::json!({ "map_file": map });
        std::fs::write(inside.join("a.json"), json.to_string()).unwrap();
        reckoning_recording::load_file(&csv).unwrap_err().to_string()
    };
    for map in ["../secret.json", "x/../../secret.json", absolute.to_str().unwrap(), ""] {
        let message = refused(map);
        assert!(message.contains("leads out of the folder"), "{map}: {message}");
    }
    assert!(refused("map.jsn").contains("there is no such file"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&absolute, inside.join("link.json")).ok();
        assert!(refused("link.json").contains("leads out of the folder"));
        std::fs::write(folder.join("b.csv"), "x").unwrap();
        std::os::unix::fs::symlink(folder.join("b.csv"), inside.join("b.csv")).ok();
        assert_eq!(find_sessions(&inside).unwrap().len(), 1, "the link is passed over");
    }
}

#[cfg(unix)]
#[test]
fn devices_folders_and_what_is_too_long_are_refused_at_once() {
    use std::path::Path;
    let said =
        |path: &Path, limit| reckoning_recording::read_file(path, limit).unwrap_err().to_string();
    assert!(said(Path::new("/dev/zero"), 1 << 40).contains("a device, pipe or socket"));
    let folder = support::scratch("devices");
    assert!(said(&folder, 100).contains("a folder"));
    let pipe = folder.join("pipe.reck");
    std::fs::remove_file(&pipe).ok();
    if std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|it| it.success()) {
        // Whoever opened it would wait for a writer that never comes.
        assert!(said(&pipe, 100).contains("a device, pipe or socket"));
        let message = reckoning_recording::load_file(&pipe).unwrap_err().to_string();
        assert!(message.contains("pipe.reck: this is a device, pipe or socket"), "{message}");
        std::fs::remove_file(&pipe).unwrap();
    }
    let long = folder.join("long");
    std::fs::write(&long, [0; 101]).unwrap();
    assert!(said(&long, 100).contains("longer than the 100 bytes"));
    assert_eq!(reckoning_recording::read_file(&long, 101).unwrap().len(), 101);
}
