//! A day of play is read in the memory of a moment.
//!
//! `RECKONING_STREAM_S=86400 cargo test --release -p reckoning-recording --test stream -- --nocapture`
//! does it at full length (some gigabytes in the temporary folder, some minutes).

use std::fs::{self, File};
use std::io::{BufReader, BufWriter};
use std::path::Path;

use reckoning::{DVec3, SimTime};
use reckoning_recording::{
    Meta, Player, Sample, SessionStream, SessionWriter, Track, open_session, summarize_session,
};

const BODIES: i32 = 256;
const RATE_HZ: i64 = 20;

/// As a server writes it: half a second of each body at a time.
fn write(path: &Path, seconds: i64) {
    let out = BufWriter::new(File::create(path).unwrap());
    let mut writer = SessionWriter::start(out, "made", "day", &Meta::default()).unwrap();
    writer.players(&[Player { id: 1, team: -1, name: "Ada".to_string() }]).unwrap();
    for half in 0..seconds * 2 {
        for id in 0..BODIES {
            let mut track = Track::new(id, -1, &["vx", "vy", "vz"]);
            for step in 0..RATE_HZ / 2 {
                let at = SimTime::from_millis(half * 500 + step * 1_000 / RATE_HZ);
                let position = DVec3::new(at.as_secs_f64(), f64::from(id), 0.5);
                let sample = Sample { at, position, alive: true, ..Sample::default() };
                track.push(sample, &[1.0, 0.0, 0.0]);
            }
            writer.samples(&track).unwrap();
        }
    }
    writer.finish().unwrap();
}

/// The most memory this process ever had, in bytes; `None` where the system does not tell.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kb| kb * 1024)
}

#[test]
fn a_long_file_is_read_in_the_memory_of_a_chunk() {
    let seconds = std::env::var("RECKONING_STREAM_S").map_or(60, |it| it.parse().unwrap());
    let path = std::env::temp_dir().join(format!("reckoning-stream-{}.reck", std::process::id()));
    write(&path, seconds);
    let before = peak();
    let summary = summarize_session(BufReader::new(File::open(&path).unwrap())).unwrap();
    let after = peak();

    let samples = summary.sample_count();
    assert_eq!(samples, (seconds * RATE_HZ) as u64 * BODIES as u64);
    assert_eq!((summary.bodies.len(), summary.truncated_at), (BODIES as usize, None));
    assert_eq!(summary.players[&1].name, "Ada");
    let (first, last) = summary.span().unwrap();
    assert_eq!((first, last), (SimTime::ZERO, SimTime::from_millis(seconds * 1_000 - 50)));
    let bytes = fs::metadata(&path).unwrap().len();
    fs::remove_file(&path).unwrap();
    let (Some(before), Some(after)) = (before, after) else {
        return reckoning_testing::skip("a_long_file_is_read", "no /proc/self/status");
    };
    println!("{seconds} s, {samples} samples, {bytes} bytes: {before} and then {after} in memory");
    // Whole, the short one would take more than 28 MB; however long it is, this is enough.
    assert!(after < 24 << 20, "{after} bytes");
}

#[test]
fn a_stream_says_what_opening_the_whole_says_wherever_the_file_is_cut() {
    let mut writer = SessionWriter::start(Vec::new(), "made", "cut", &Meta::default()).unwrap();
    for id in 0..4 {
        let mut track = Track::new(id, -1, &[]);
        for step in 0..5 {
            let at = SimTime::from_millis(step * 50);
            track.push(Sample { at, alive: true, ..Sample::default() }, &[]);
        }
        writer.samples(&track).unwrap();
    }
    let bytes = writer.finish().unwrap();
    for cut in 16..=bytes.len() {
        let whole = open_session(&bytes[..cut]).unwrap();
        let mut stream = SessionStream::open(&bytes[..cut]).unwrap();
        let mut samples = 0;
        while let Some(part) = stream.next().unwrap() {
            samples += part.sample_count();
        }
        assert_eq!(samples, whole.recording.sample_count(), "cut at {cut}");
        assert_eq!(stream.truncated_at(), whole.truncated_at, "cut at {cut}");
    }
    // A flipped bit is damage here as well.
    for bit in 16 * 8..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let mut stream = SessionStream::open(&damaged[..]).unwrap();
        let failed = loop {
            match stream.next() {
                Ok(Some(_)) => {}
                Ok(None) => break stream.truncated_at().is_some(),
                Err(_) => break true,
            }
        };
        assert!(failed, "bit {bit} passed");
    }
}
