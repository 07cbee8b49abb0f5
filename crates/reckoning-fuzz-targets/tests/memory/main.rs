//! No file makes a reader take more than a hundred bytes for each of its own, or the cap.
//!
//! The files are bombs: packed, or chosen so that a few bytes of them become large values.

mod bombs;

use std::fmt::Write;
use std::hint::black_box;
use std::sync::Mutex;

use bombs::{Frame, many};
use peak_alloc::PeakAlloc;
use reckoning::{DVec3, SimTime};
use reckoning_arena::Level;
use reckoning_lab::compare::{CompareConfig, compare};
use reckoning_lab::import;
use reckoning_lab::import::csv::{CsvImport, ImportedCsv};
use reckoning_predict::TrendMap;
use reckoning_recording::{
    MEMORY_BYTES_PER_BYTE, MEMORY_CAP_BYTES, Recording, Sample, SimSpan, Track, load_csv_within,
    open_session, parse_csv, parse_level, parse_meta, read_session_within, summarize_csv,
    summarize_session,
};
use reckoning_server::Settings;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// One at a time: what one takes is not another's.
static TURN: Mutex<()> = Mutex::new(());

const ROW: &str = "0,1,0,1,2,,,,,1,0\n";
const HEADER: &str = "t,id,team,x,y,z,yaw,health,ammo,alive,seg";
/// Long enough that a hundred bytes for each are more than the cap.
const LONG: usize = 3 << 20;

/// Reads and returns the most memory that was in use beside the input, in bytes.
fn peak<T>(read: impl FnOnce() -> T) -> u64 {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    black_box(read());
    (MEMORY.peak_usage() - before) as u64
}

#[track_caller]
fn stays_within_bounds<T>(name: &str, bytes: &[u8], read: impl FnOnce(&[u8]) -> T) {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let took = peak(|| read(bytes)) + bytes.len() as u64;
    let allowed = MEMORY_CAP_BYTES.max(MEMORY_BYTES_PER_BYTE * bytes.len() as u64);
    println!("{name}: {} bytes took {took}, {allowed} allowed", bytes.len());
    assert!(took <= allowed, "{name}: {} bytes took {took}, {allowed} allowed", bytes.len());
}

#[test]
fn a_packed_session_is_not_believed() {
    let open = |bytes: &[u8]| open_session(bytes).err().map(|error| error.to_string());
    let most = (64 << 20) - 14;
    let still = bombs::session(&[bombs::samples(1, most as u32 - 100, 0, most)]);
    assert!(still.len() < 2_200, "{} bytes", still.len());
    stays_within_bounds("samples in which nothing changes", &still, |bytes| {
        let refused = open(bytes).unwrap();
        assert!(refused.contains("content claims a size of"), "{refused}");
    });
    let columns: Vec<_> =
        (0..500).map(|id| bombs::samples(id, 0, 65_535, 14 + 65_535 * 6)).collect();
    stays_within_bounds("columns of nothing", &bombs::session(&columns), open);
    stays_within_bounds("empty words", &bombs::session(&[bombs::words(500)]), open);
    let tracks: Vec<_> = (0..20_000).map(|id| bombs::samples(id, 0, 0, 14)).collect();
    stays_within_bounds("tracks of nothing", &bombs::session(&tracks), open);
    let part = (256 << 10) as usize;
    let growing: Vec<_> = (0..100).map(|_| bombs::samples(1, part as u32, 0, part + 14)).collect();
    stays_within_bounds("a track that grows", &bombs::session(&growing), open);
}

#[test]
fn a_part_and_a_summary_of_a_session_take_no_more_than_their_caps() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let part = (256 << 10) as usize;
    let chunks: Vec<_> = (0..100).map(|id| bombs::samples(id, part as u32, 0, part + 14)).collect();
    let file = bombs::session(&chunks);
    let cap = 100 << 20;
    let took = peak(|| read_session_within(&file[..], SimSpan::ALL, cap).unwrap_err());
    assert!(took <= cap, "{took} of {cap}");
    let (end, later) = (SimTime::from_micros(2), SimTime::from_micros(1));
    let nothing = SimSpan { start: later, end };
    let took =
        peak(|| assert_eq!(read_session_within(&file[..], nothing, cap).unwrap().tracks, []));
    println!("nothing of 26 million samples took {took}");
    assert!(took <= 48 << 20, "{took}");
    let took = peak(|| summarize_session(&file[..]).unwrap());
    println!("a summary of 26 million samples took {took}");
    assert!(took <= 48 << 20, "{took}");
    let players = Frame::new().repeated(0, 60_000_000).finish();
    let names = bombs::session(&vec![(3, players, 60_000_000); 20]);
    let took = peak(|| summarize_session(&names[..]).is_ok());
    assert!(took <= MEMORY_CAP_BYTES, "{took}");
}

#[test]
fn a_comparison_takes_no_more_than_five_times_its_recording() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut recording = Recording::default();
    for id in 0..64 {
        let mut track = Track::new(id, -1, &["vx", "vy", "vz"]);
        for tick in 0..2_000 {
            let at = SimTime::from_millis(tick * 50);
            let position = DVec3::new((tick % 97) as f64, f64::from(id), 0.0);
            let sample = Sample { at, position, alive: true, ..Sample::default() };
            track.push(sample, &[1.0, 0.0, 0.0]);
        }
        track.samples.shrink_to_fit();
        track.extras.iter_mut().for_each(|it| it.values.shrink_to_fit());
        recording.tracks.push(track);
    }
    let (recordings, config) = ([recording], CompareConfig::default());
    let held = recordings[0].memory_bytes();
    let took = held + peak(|| compare(&config, &recordings, &|_, _| {}).unwrap());
    println!("a comparison of {held} bytes took {took}");
    assert!(took <= 5 * held, "{took} of {held}");
}

#[test]
fn events_and_json_of_a_session_are_not_believed() {
    let open = |bytes: &[u8]| open_session(bytes).err().map(|error| error.to_string());
    for (kind, zeros) in [3, 5, 6, 7, 8, 9].into_iter().flat_map(|it| [(it, 60), (it, 8)]) {
        let zeros = zeros * 1_000_000;
        let payload = Frame::new().repeated(0, zeros).finish();
        let chunks = vec![(kind, payload, zeros); 20];
        let file = bombs::session(&chunks);
        stays_within_bounds(&format!("events of kind {kind}"), &file, open);
    }
    let (head, part) = ("{\"a\":[0", ",{\"\":0}");
    let count = 400;
    for kind in [1, 2] {
        let frame = Frame::new().raw(head.as_bytes()).raw(part.repeat(18_725).as_bytes());
        let raw = head.len() + part.len() * 18_725 + count * 131_072 + 2;
        let payload = frame.copied(part.len() as u32, count).raw(b"]}").finish();
        stays_within_bounds("packed json", &bombs::session(&[(kind, payload, raw)]), open);
    }
}

#[test]
fn a_block_that_swells_is_refused() {
    let read = |bytes: &[u8]| parse_csv(bytes).unwrap_err().to_string();
    stays_within_bounds("a block of gigabytes", &Frame::new().swollen(32_000).finish(), |bytes| {
        let refused = read(bytes);
        assert!(refused.contains("unpacks to more than 128 KiB"), "{refused}");
    });
    let mut wide = Frame::new().raw(ROW.as_bytes()).finish();
    wide[5] = 16 << 3;
    stays_within_bounds("a window of 64 MiB", &wide, |bytes| assert!(!read(bytes).is_empty()));
}

#[test]
fn a_csv_is_not_believed() {
    let read = |bytes: &[u8]| parse_csv(bytes).is_ok();
    let head = format!("{HEADER}\n{ROW}");
    let rows = Frame::new().raw(head.as_bytes()).copied(ROW.len() as u32, 4_000).finish();
    stays_within_bounds("packed rows", &rows, read);
    let columns = Frame::new().raw(HEADER.as_bytes()).repeated(b',', 100_000_000);
    let columns = columns.raw(b"\n0,1,0,1,2,,,,,1,0\n").finish();
    stays_within_bounds("packed columns", &columns, read);
    let columns = [HEADER, &",".repeat(LONG), "\n", ROW].concat();
    stays_within_bounds("columns", columns.as_bytes(), read);
    let both = [HEADER, &",".repeat(LONG), "\n0,1,0,1,2,,,,,1,0", &",".repeat(LONG)].concat();
    stays_within_bounds("columns and cells", both.as_bytes(), read);
    let rows = many(&head, ROW, LONG, "");
    stays_within_bounds("rows", &rows, read);
    let bodies = joined(0..200_000, |id| format!("0,{id},0,1,2,,,,,1,0\n"));
    stays_within_bounds("bodies", format!("{HEADER}\n{bodies}").as_bytes(), read);
}

/// Half a gigabyte of rows is to be taken by a machine that has one to spare.
#[test]
fn a_long_csv_takes_less_than_twice_itself() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let path = std::env::temp_dir().join(format!("reckoning-long-{}.csv", std::process::id()));
    let mut text = String::from("t,id,team,x,y,z,yaw,health,ammo,alive,seg\n");
    for tick in 0..8_000 {
        for id in 0..64 {
            let (whole, tenth) = (tick / 10, tick % 10);
            writeln!(text, "{whole}.{tenth},{id},0,{}.25,{id}.5,,,,,1,0", tick % 997)
                .expect("a text");
        }
    }
    let bytes = text.len() as u64;
    std::fs::write(&path, text).unwrap();
    std::fs::write(path.with_extension("json"), "{\"body_width\": 1, \"rate_hz\": 10}").unwrap();
    let summed = peak(|| summarize_csv(&path).unwrap());
    let imported = peak(|| {
        let read = ImportedCsv::read(&path, &CsvImport::default()).unwrap();
        read.pieces().map(|piece| piece.samples.len()).sum::<usize>()
    });
    let part = SimSpan { start: SimTime::ZERO, end: SimTime::from_millis(10_000) };
    let parted = peak(|| load_csv_within(&path, part, 64 << 20).unwrap());
    println!("a csv of {bytes} took {summed} to sum up, {imported} to import, {parted} in part");
    std::fs::remove_file(&path).unwrap();
    std::fs::remove_file(path.with_extension("json")).unwrap();
    // Beside the rows, the medians of steps and lengths, of which a million count at most.
    let medians = 2 * 8 * 512_000;
    assert!(imported <= 19 * bytes / 10 + medians, "{imported} of {bytes}");
    assert!(summed <= 24 << 20 && parted <= 48 << 20, "{summed}, {parted}");
}

#[test]
fn a_json_is_not_believed() {
    let read = |bytes: &[u8]| (parse_meta(bytes).is_ok(), parse_level(bytes).is_ok());
    for (name, part) in [("lists", ",[]"), ("objects", ",{\"\":0}"), ("pairs", ",{\"a\":{}}")] {
        stays_within_bounds(name, &many("{\"walls\":[0", part, LONG, "]}"), read);
    }
    let nested = ["[".repeat(100), "]".repeat(100), ",".into()].concat();
    stays_within_bounds("nested lists", &many("{\"walls\":[", &nested, LONG, "0]}"), read);
    let numbers = many("{\"floor\":[{\"z\":0,\"tris\":[0", ",0", LONG, "]}]}");
    stays_within_bounds("triangles", &numbers, read);
}

#[test]
fn a_foreign_recording_is_not_believed() {
    let bz = |bytes: &[u8]| import::bzflag::parse(bytes, "bomb").is_ok();
    for (code, payload) in [(*b"sb", &[0; 5][..]), (*b"kl", &[0; 2]), (*b"al", &[0; 13])] {
        let file = bombs::bzflag(code, payload, LONG / (24 + payload.len()));
        stays_within_bounds("bzflag", &file, |bytes| assert!(bz(bytes)));
    }
    stays_within_bounds("slippi", &bombs::slippi(50_000), |bytes| {
        assert!(import::slippi::parse(bytes, "bomb").is_ok());
    });
    stays_within_bounds("dis", &bombs::dis(20_000), |bytes| {
        assert!(import::dis::parse(bytes, "bomb").is_ok());
    });
}

#[test]
fn a_play_log_is_not_believed() {
    let read = |bytes: &[u8]| import::shi::parse(bytes, "bomb").is_ok();
    for (name, part) in [
        ("users", "<U><UI>1</UI></U>"),
        ("elements", "<a></a>"),
        ("attributes", "<a b='' c='' d='' e='' f='' g=''></a>"),
        ("texts", "<a>x</a>"),
    ] {
        stays_within_bounds(name, &many("<U></U>", part, LONG, ""), read);
    }
    let names = joined(0..2_000, |n| format!(" xmlns:n{n}='{n}'"));
    let outer = format!("<U></U><o{names}>");
    let spaces = many(&outer, "<a xmlns:z='1'></a>", 200_000, "</o>");
    stays_within_bounds("name spaces", &spaces, read);
}

#[test]
fn settings_and_levels_are_not_believed() {
    let level = |bytes: &[u8]| Level::parse(std::str::from_utf8(bytes).unwrap()).is_ok();
    let settings = |bytes: &[u8]| Settings::from_toml(std::str::from_utf8(bytes).unwrap()).is_ok();
    let names = joined(0..Level::MAX_BYTES / 170, |n| format!("[x{n:05}{}]\n", ".a".repeat(78)));
    let lists = many("x = [", "[],", Level::MAX_BYTES - 20, "]");
    let tables = many("x = [", "{a.a.a.a=1},", Level::MAX_BYTES - 20, "]");
    for (name, text) in [("tables", names.as_bytes()), ("lists", &lists), ("in line", &tables)] {
        stays_within_bounds(name, text, level);
        stays_within_bounds(name, text, settings);
    }
    let long = many("", "#", LONG, "");
    stays_within_bounds("a long level", &long, |bytes| assert!(!level(bytes)));
    stays_within_bounds("long settings", &long, |bytes| assert!(!settings(bytes)));
}

#[test]
fn a_replay_is_refused_before_its_decoder_runs_out_of_stack() {
    // A list inside a list, and so on, each of which claims 25,000 entries.
    let text =
        |word: &str| [&(word.len() as u32 + 1).to_le_bytes()[..], word.as_bytes(), b"\0"].concat();
    let list = [text("a"), text("ArrayProperty"), vec![0; 8], 25_000_i32.to_le_bytes().to_vec()];
    let header = [vec![0; 8], text("TAGame"), list.concat().repeat(20_000)].concat();
    let mut file = (header.len() as u32).to_le_bytes().to_vec();
    file.extend([0; 4]);
    file.extend(header);
    stays_within_bounds("lists in a replay", &file, |bytes| {
        let refused = import::rocket_league::parse(bytes, "bomb").unwrap_err().to_string();
        assert!(refused.contains("lists in the header"), "{refused}");
    });
    let long = vec![0; import::rocket_league::MAX_REPLAY_BYTES + 1];
    assert!(import::rocket_league::parse(&long, "bomb").is_err());
}

/// Of the decoder of replays, which is another's and knows no limits; `SECURITY.md` states it.
const REPLAY_CAP_BYTES: u64 = 2 << 30;

/// Reads a replay, says what it took, and returns how it was refused. Whoever calls has the turn, since
/// making replays takes memory as well.
fn read_replay(name: &str, file: &[u8]) -> String {
    let mut refused = String::new();
    let took = peak(|| {
        let read = import::rocket_league::parse(file, "bomb");
        refused = read.err().map(|error| error.to_string()).unwrap_or_default();
    });
    println!("{name}: {} bytes took {took}: {refused}", file.len());
    assert!(took <= REPLAY_CAP_BYTES, "{name}: {} bytes took {took}", file.len());
    refused
}

#[test]
fn a_replay_of_updates_stays_within_its_cap_or_is_refused() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let objects = ["TAGame.CrowdActor_TA", "Engine.Actor:bHidden"].map(String::from);
    // Two bits each, and seven as in real ones.
    for (highest, fits) in [(0, 1 << 20), (31, 3 << 20)] {
        let classes = [(0, (0..=highest).map(|stream| (stream, 1)).collect())];
        let most = bombs::replay(&objects, &classes, &bombs::updates(0, fits));
        let refused = read_replay("updates", &most);
        assert!(refused.contains("not readable as a Rocket League replay"), "{refused}");
        let more = bombs::replay(&objects, &classes, &bombs::updates(0, 8_000_000));
        let refused = read_replay("more updates", &more);
        assert!(refused.contains("decoded replay claims a size of"), "{refused}");
    }
}

#[test]
fn a_replay_of_tables_that_multiply_is_refused() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let name = |n| format!("TheWorld:PersistentLevel.CrowdActor_TA_{n}");
    let objects: Vec<String> =
        [String::from("TAGame.CrowdActor_TA")].into_iter().chain((1..20_000).map(name)).collect();
    let attributes: Vec<(u32, u32)> = (0..20_000).map(|stream| (stream, 1)).collect();
    let file = bombs::replay(&objects, &[(0, attributes)], &[0; 64]);
    let refused = read_replay("tables", &file);
    assert!(refused.contains("decoded replay claims a size of"), "{refused}");
    let few: Vec<String> = objects.into_iter().take(1_000).collect();
    let file = bombs::replay(&few, &[(0, (0..20_000).map(|it| (it, 1)).collect())], &[0; 64]);
    assert_eq!(read_replay("smaller tables", &file), "");
}

#[test]
fn a_trend_map_is_not_believed() {
    let mut bytes = b"RTRM\x01".to_vec();
    bytes.extend([0.0_f64, 0.0, 1.0].iter().flat_map(|number| number.to_le_bytes()));
    put_cells(&mut bytes, 0);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    stays_within_bounds("a trend map", &bytes, |bytes| TrendMap::from_bytes(bytes).is_ok());
}

/// Ten levels of cells, each divided into four, with a byte each.
fn put_cells(bytes: &mut Vec<u8>, depth: u32) {
    bytes.push(if depth < 10 { 255 } else { 0 });
    if depth < 10 {
        (0..4).for_each(|_| put_cells(bytes, depth + 1));
    }
}

/// A text for each number, one after the other.
fn joined<N>(numbers: impl Iterator<Item = N>, text: impl Fn(N) -> String) -> String {
    numbers.map(text).collect()
}
