//! Contract of orientation, joints and kinds: every form of a recording gives them back.

use proptest::prelude::*;
use reckoning::{DVec3, SimTime};
use reckoning_recording::{
    ORIENTATION_COLUMNS, Recording, Sample, SessionStream, SessionWriter, Track, joint_column,
    open_session, parse_csv, summarize_session, write_csv, write_session,
};

/// What a game knows of a body at a step: orientation, angle of a joint, kind.
type Step = (Option<[f32; 4]>, Option<(usize, f32)>, Option<usize>);

const JOINTS: [&str; 3] = ["turret", "barrel", "left arm"];
const KINDS: [&str; 3] = ["tank", "tank still", "drone"];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let part = -1.0_f32..1.0;
    let turned = prop::option::of([part.clone(), part.clone(), part.clone(), part]);
    let joint = prop::option::of((0..JOINTS.len(), -4.0_f32..4.0));
    prop::collection::vec((turned, joint, prop::option::of(0..KINDS.len())), 1..40)
}

fn add(track: &mut Track, tick: usize, (turned, joint, kind): &Step) {
    let at = SimTime::from_secs_f64(0.05 * tick as f64);
    let position = DVec3::new(tick as f64, -1.5, 0.25 * tick as f64);
    let sample = Sample { at, position, height_known: true, alive: true, ..Sample::default() };
    let joint = joint.map(|(joint, angle)| (joint_column(JOINTS[joint]), angle));
    let mut extras: Vec<(&str, f32)> = Vec::new();
    extras.extend(turned.iter().flat_map(|it| ORIENTATION_COLUMNS.into_iter().zip(*it)));
    extras.extend(joint.iter().map(|(name, angle)| (name.as_str(), *angle)));
    track.push_named(sample, &extras);
    if let Some(kind) = kind {
        track.set_last_kind(KINDS[*kind]);
    }
}

fn track_of(steps: &[Step]) -> Track {
    let mut track = Track::new(7, -1, &[]);
    steps.iter().enumerate().for_each(|(tick, step)| add(&mut track, tick, step));
    track
}

/// Both say the same of every sample, whatever the order of their columns.
fn assert_same(a: &Track, b: &Track) {
    assert_eq!(a.samples, b.samples);
    for sample in 0..a.samples.len() {
        assert_eq!(a.orientation(sample), b.orientation(sample), "{sample}");
        assert!((a.orientation(sample).length() - 1.0).abs() < 1e-12);
        assert_eq!(a.kind(sample), b.kind(sample), "{sample}");
        for joint in JOINTS {
            assert_eq!(a.joint_rad(joint, sample), b.joint_rad(joint, sample), "{joint} {sample}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_form_gives_back_orientation_joints_and_kinds(steps in steps()) {
        let track = track_of(&steps);
        let recording = Recording { tracks: vec![track.clone()], ..Recording::default() };
        let file = write_session(&recording, Vec::new()).unwrap();
        assert_same(&open_session(&file).unwrap().recording.tracks[0], &track);
        assert_same(&parse_csv(&write_csv(&recording)).unwrap()[0], &track);
        let summary = summarize_session(&file[..]).unwrap();
        prop_assert_eq!(summary.bodies[0].oriented, track.has_orientation());
        prop_assert_eq!(summary.kinds.get(&7).map(String::as_str), track.last_kind());
    }

    /// A server writes half a second at a time, with the columns that the body has by then.
    #[test]
    fn columns_that_come_and_go_between_chunks_are_put_together(steps in steps(), cut in 0..40_usize) {
        let whole = track_of(&steps);
        let cut = cut.min(steps.len());
        let mut later = Track::new(7, -1, &[]);
        for (tick, step) in steps.iter().enumerate().skip(cut) {
            add(&mut later, tick, step);
        }
        let earlier = track_of(&steps[..cut]);
        relabel(&mut later, &earlier);
        let mut writer =
            SessionWriter::start(Vec::new(), "game", "one", &Recording::default().meta).unwrap();
        writer.samples(&earlier).unwrap();
        writer.samples(&later).unwrap();
        let file = writer.finish().unwrap();
        assert_same(&open_session(&file).unwrap().recording.tracks[0], &whole);
        let mut stream = SessionStream::open(&file[..]).unwrap();
        let mut pieces = Vec::new();
        while let Some(piece) = stream.next().unwrap() {
            pieces.extend(piece.tracks);
        }
        assert_same(&pieces[0], &earlier);
        assert_same(&pieces[1], &later);
    }
}

/// Puts the words of a track in the order in which an earlier stretch has them.
fn relabel(later: &mut Track, earlier: &Track) {
    let Some(known) = earlier.column("kind").map(|column| column.labels.clone()) else { return };
    let Some(column) = later.extras.iter_mut().find(|column| column.name == "kind") else { return };
    let mut labels = known;
    let own = column.labels.clone();
    labels.extend(own.iter().filter(|word| !labels.contains(word)).cloned().collect::<Vec<_>>());
    for value in column.values.iter_mut().filter(|value| !value.is_nan()) {
        *value = labels.iter().position(|word| *word == own[*value as usize]).unwrap() as f32;
    }
    column.labels = labels;
}

#[test]
fn a_column_twice_beside_others_is_refused_by_name() {
    let sample = Sample::default();
    let stretch = |columns: &[&str]| {
        let mut track = Track::new(1, -1, columns);
        track.push(sample, &[1.0, 2.0]);
        track
    };
    let mut writer =
        SessionWriter::start(Vec::new(), "game", "one", &Recording::default().meta).unwrap();
    writer.samples(&stretch(&["a"])).unwrap();
    writer.samples(&stretch(&["a", "a"])).unwrap();
    let refused = open_session(&writer.finish().unwrap()).unwrap_err().to_string();
    assert!(refused.contains("no name twice"), "{refused}");
}
