//! A part of a long session file is read in the memory of that part.

use std::time::Duration;

use reckoning::{DVec3, SimTime};
use reckoning_recording::{
    Birth, Death, Fault, Input, Level, LevelItem, Meta, Player, Recording, Sample, SessionWriter,
    SimSpan, Snapshot, Track, open_session, read_session_within, salvage_summary,
    summarize_session, write_session,
};

const SECONDS: i64 = 20;

fn at(tick: i64) -> SimTime {
    SimTime::from_millis(5_000 + tick * 50)
}

fn piece(id: i32, ticks: std::ops::Range<i64>) -> Track {
    let mut track = Track::new(id, if ticks.start < 200 { 1 } else { 2 }, &["armor"]);
    for tick in ticks {
        let position = DVec3::new(tick as f64, f64::from(id), 0.0);
        let segment = u32::from(tick >= 130);
        let sample = Sample { at: at(tick), position, segment, alive: true, ..Sample::default() };
        track.push(sample, &[tick as f32]);
    }
    track
}

/// As a server writes it, half a second of three bodies at a time; the third comes late.
fn file() -> Vec<u8> {
    let meta = Meta { rate_hz: 20.0, units: "m".into(), ..Meta::default() };
    let mut writer = SessionWriter::start(Vec::new(), "made", "window", &meta).unwrap();
    let level = Level { items: vec![LevelItem::default()], ..Level::default() };
    writer.level(&level).unwrap();
    writer.players(&[Player { id: 1, team: 1, name: "Ada".to_string() }]).unwrap();
    for half in 0..SECONDS * 2 {
        for id in [1, 2, 3].into_iter().filter(|id| *id < 3 || half >= 30) {
            writer.samples(&piece(id, half * 10..half * 10 + 10)).unwrap();
        }
        let now = at(half * 10);
        writer.births(&[Birth { at: now, id: 1, ..Birth::default() }]).unwrap();
        writer.deaths(&[Death { at: now, id: 1, killer: None }]).unwrap();
        writer.inputs(&[Input { at: now, id: 1, ..Input::default() }]).unwrap();
        writer.snapshot(&Snapshot { at: now, bytes: vec![1] }).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn a_window_holds_what_cutting_the_whole_gives() {
    let file = file();
    let whole = open_session(&file).unwrap().recording;
    let whole_as_window = read_session_within(&file[..], SimSpan::ALL, 1 << 20).unwrap();
    assert_eq!(whole_as_window, whole);
    for (from_ms, to_ms) in [(0, 1), (0, 500), (75, 12_345), (9_000, 11_000), (19_000, 40_000)] {
        let ms = Duration::from_millis;
        let span = SimSpan::after(at(0), ms(from_ms), Some(ms(to_ms)));
        let mut cut = whole.clone();
        cut.keep_within(span);
        let read = read_session_within(&file[..], span, 1 << 20).unwrap();
        let events = |it: &Recording| (it.births.len(), it.deaths.len(), it.inputs.len());
        assert_eq!(read.tracks, cut.tracks, "{from_ms} to {to_ms} ms");
        assert_eq!(events(&read), events(&cut), "{from_ms} to {to_ms} ms");
        assert_eq!((&read.snapshots, &read.level), (&cut.snapshots, &whole.level));
        let samples = || read.tracks.iter().flat_map(|track| &track.samples);
        assert!(samples().all(|sample| span.contains(sample.at)), "{from_ms} to {to_ms} ms");
        assert!(samples().count() > 0, "{from_ms} to {to_ms} ms");
    }
    let beyond = SimSpan::after(at(0), Duration::from_mins(1), None);
    assert_eq!(read_session_within(&file[..], beyond, 1 << 20).unwrap().tracks, []);
}

#[test]
fn more_than_the_cap_is_refused_by_size() {
    let mut writer = SessionWriter::start(Vec::new(), "made", "long", &Meta::default()).unwrap();
    for part in 0..100 {
        writer.samples(&piece(1, part * 1_000..(part + 1) * 1_000)).unwrap();
    }
    let file = writer.finish().unwrap();
    let cap = 2 << 20;
    let refused = read_session_within(&file[..], SimSpan::ALL, cap).unwrap_err();
    assert!(
        matches!(refused.fault, Fault::TooLarge { got, limit, .. } if got > cap && limit == cap),
        "{refused}"
    );
    let minutes =
        SimSpan::after(at(0), Duration::from_secs(4_000), Some(Duration::from_secs(4_300)));
    assert_eq!(read_session_within(&file[..], minutes, cap).unwrap().sample_count(), 6_000);
}

#[test]
fn a_summary_says_what_the_whole_file_holds() {
    let file = file();
    let whole = open_session(&file).unwrap();
    let recording = &whole.recording;
    let summary = summarize_session(&file[..]).unwrap();
    assert_eq!(summary.sample_count(), recording.sample_count() as u64);
    assert_eq!(summary.span(), recording.span());
    assert_eq!((&summary.meta, &summary.level), (&recording.meta, &recording.level));
    assert!(summary.meta.team_play);
    let counts = [summary.births, summary.deaths, summary.inputs, summary.snapshots];
    assert_eq!(counts, [40; 4]);
    assert_eq!(summary.players[&1].name, "Ada");
    let bodies = summary.bodies.iter().map(|it| (it.id, it.team, it.samples, it.segments));
    let tracks = recording
        .tracks
        .iter()
        .map(|it| (it.id, it.team, it.samples.len() as u64, it.segments().count() as u64));
    assert_eq!(bodies.collect::<Vec<_>>(), tracks.collect::<Vec<_>>());
    assert_eq!(summary.bodies[0].segments, 2);
    let (first, last) = summary.bodies[2].span.unwrap();
    assert_eq!((first, last), (at(300), at(399)));
}

#[test]
fn a_damaged_file_is_summarized_up_to_the_damage() {
    let mut file = write_session(&open_session(&file()).unwrap().recording, Vec::new()).unwrap();
    let middle = file.len() / 2;
    file[middle] ^= 1;
    let (summary, damage) = salvage_summary(&file[..]).unwrap();
    assert!(damage.is_some());
    assert!(summary.truncated_at.is_some());
    assert_eq!(summary.session, "window");
    summarize_session(&file[..]).unwrap_err();
}

#[test]
fn bytes_behind_the_end_are_told_by_a_stream_too() {
    let mut file = file();
    let end = file.len() as u64;
    assert_eq!(summarize_session(&file[..]).unwrap().truncated_at, None);
    file.extend([7; 5]);
    assert_eq!(open_session(&file).unwrap().truncated_at, Some(end));
    assert_eq!(summarize_session(&file[..]).unwrap().truncated_at, Some(end));
}
