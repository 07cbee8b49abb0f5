//! Training on bots: the same everywhere, and worth it.

use rayon::ThreadPoolBuilder;
use reckoning::random::SplitMix64;
use reckoning::{DVec3, SimTime};
use reckoning_lab::bots;
use reckoning_lab::compare::{CompareConfig, compare};
use reckoning_lab::train::{TrainConfig, TrainError, Trained, train};
use reckoning_predict::learned::LearnedModel;
use reckoning_recording::{Recording, Sample, Track};

fn tiny(seed: u64) -> TrainConfig {
    TrainConfig { epochs: 3, hidden: [16, 8], max_examples: 6_000, seed, ..TrainConfig::default() }
}

fn trained(config: &TrainConfig, recordings: &[Recording], threads: usize) -> Trained {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let sessions: Vec<&Recording> = recordings.iter().collect();
    pool.install(|| train(config, &sessions, &mut |_, _| {})).unwrap()
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let bots = bots::sessions();
    let one = trained(&tiny(1), &bots[..2], 1).model.to_bytes();
    for threads in [2, 5] {
        assert!(
            trained(&tiny(1), &bots[..2], threads).model.to_bytes() == one,
            "{threads} threads"
        );
    }
    assert!(trained(&tiny(2), &bots[..2], 2).model.to_bytes() != one, "another seed");
    assert_eq!(LearnedModel::from_bytes(&one).unwrap().to_bytes(), one);
}

#[test]
fn training_gets_better_from_pass_to_pass() {
    let bots = bots::sessions();
    // Bounds are drawn anew in every pass; three passes over 6,000 examples gain less in time
    // inside the bound than those draws differ by.
    let config = TrainConfig { epochs: 6, max_examples: 40_000, ..tiny(1) };
    let epochs = trained(&config, &bots[..2], 2).epochs;
    let [first, own, .., last] = epochs.as_slice() else { panic!("six passes were asked for") };
    assert!(last.training.error < first.training.error, "{epochs:?}");
    // From the second pass on, time inside counts where the network would publish, which is
    // not where the first pass counted it.
    assert!(last.training.inside_s > own.training.inside_s, "{epochs:?}");
}

#[test]
fn a_trained_model_costs_bots_it_never_saw_fewer_updates() {
    let bots = bots::sessions();
    let config = TrainConfig { epochs: 6, max_examples: 40_000, ..tiny(1) };
    let model = trained(&config, &bots[1..], 2).model;
    let folder = std::env::temp_dir().join(format!("reckon-learned-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("bots.reck-model");
    std::fs::write(&path, model.to_bytes()).unwrap();
    let learned = format!("learned={}", path.display());
    let predictors = ["linear", &learned].map(|it| it.parse().unwrap()).to_vec();
    let compared = CompareConfig { predictors, ..CompareConfig::default() };
    let found = compare(&compared, &bots[..1], &|_, _| {}).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let packets: Vec<f64> = found.closed.iter().map(|row| row.packets_per_entity_s).collect();
    assert!(packets[1] < packets[0], "linear, learned: {packets:?}");
}

/// Birds that align, keep together and keep apart, at 20 Hz in a round pen.
fn flock(seed: u64) -> Recording {
    let mut random = SplitMix64::new(seed);
    let mut unit = || random.unit() * 2.0 - 1.0;
    let mut birds: Vec<(DVec3, DVec3)> = (0..16)
        .map(|_| {
            (
                DVec3::new(20.0 * unit(), 20.0 * unit(), 0.0),
                DVec3::new(6.0 * unit(), 6.0 * unit(), 0.0),
            )
        })
        .collect();
    recorded("flock", 16, 1_200, |_| {
        let (mut place, mut way) = (DVec3::ZERO, DVec3::ZERO);
        for bird in &birds {
            (place, way) = (place + bird.0 / 16.0, way + bird.1 / 16.0);
        }
        for at in 0..birds.len() {
            let (own, speed) = birds[at];
            let apart: DVec3 = birds
                .iter()
                .map(|other| own - other.0)
                .filter(|off| off.length() > 0.0 && off.length() < 3.0)
                .map(|off| off / off.length_squared())
                .sum();
            let home = if own.length() > 40.0 { -own * 0.2 } else { DVec3::ZERO };
            let push = (place - own) * 0.2 + (way - speed) * 0.8 + apart * 8.0 + home;
            let speed = (speed + push * 0.05).clamp_length(3.0, 9.0);
            birds[at] = (own + speed * 0.05, speed);
        }
        birds.iter().map(|bird| bird.0).collect()
    })
}

/// Taxis that turn at crossings and stop at lights, at 20 Hz on a grid.
fn taxis(seed: u64) -> Recording {
    let mut random = SplitMix64::new(seed);
    let ways = [DVec3::X, DVec3::Y, -DVec3::X, -DVec3::Y];
    let mut taxis: Vec<(DVec3, usize, u32)> =
        (0..16).map(|k| (DVec3::Y * 100.0 * f64::from(k), 0, k)).collect();
    recorded("taxis", 16, 2_400, |_| {
        for (place, way, wait) in &mut taxis {
            if *wait > 0 {
                *wait -= 1;
                continue;
            }
            *place += ways[*way] * 0.5;
            let along = place.dot(ways[*way]);
            if (along / 100.0 - (along / 100.0).round()).abs() < 1e-9 {
                *way = (*way + (random.next_u64() % 4) as usize) % 4;
                *wait = (random.next_u64() % 60) as u32;
            }
        }
        taxis.iter().map(|taxi| taxi.0).collect()
    })
}

fn recorded(
    source: &str,
    bodies: i32,
    ticks: i64,
    mut step: impl FnMut(i64) -> Vec<DVec3>,
) -> Recording {
    let mut recording =
        Recording { source: source.into(), session: "one".into(), ..Recording::default() };
    recording.tracks = (0..bodies).map(|id| Track::new(id, -1, &[])).collect();
    for tick in 0..ticks {
        for (track, position) in recording.tracks.iter_mut().zip(step(tick)) {
            let at = SimTime::from_tick(tick, 20);
            track.push(Sample { at, position, alive: true, ..Sample::default() }, &[]);
        }
    }
    (recording.meta.rate_hz, recording.meta.body_width, recording.meta.dims) = (20.0, 1.0, 2);
    recording.tidy();
    recording
}

/// The bound of the experts, `crates/reckoning-predict/src/learned/experts.rs`, for each body: 1.078
/// times the best, 7.2 ln(40), 0.0036 for each loss of anyone, and an update for each of some changes.
#[test]
fn a_model_far_from_what_it_was_trained_on_costs_no_more_than_the_bound() {
    let config = TrainConfig { epochs: 6, max_examples: 20_000, ..tiny(1) };
    let model = trained(&config, &[flock(1), flock(2)], 2).model;
    let folder = std::env::temp_dir().join(format!("reckon-far-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("flock.reck-model");
    std::fs::write(&path, model.to_bytes()).unwrap();
    let file = path.display();
    let predictors = ["linear".into(), format!("learned-alone={file}"), format!("learned={file}")];
    let fade = format!("damped(fade={})", model.fade().as_secs_f64());
    let predictors = predictors.iter().chain([&fade]).map(|it| it.parse().unwrap()).collect();
    let compared = CompareConfig { predictors, ..CompareConfig::default() };
    let (own, far) = (flock(3), taxis(1));
    for (recording, is_far) in [(own, false), (far, true)] {
        let (first, last) = recording.span().unwrap();
        let seconds = last.secs_since(first);
        let found = compare(&compared, &[recording], &|_, _| {}).unwrap();
        let each: Vec<f64> =
            found.closed.iter().map(|row| row.packets_per_entity_s * seconds).collect();
        let [linear, alone, learned, damped] = each[..] else { panic!("{each:?}") };
        println!("updates per body, far {is_far}: linear, alone, learned, damped: {each:?}");
        let best = linear.min(damped).min(alone);
        let losses = linear + damped + alone;
        let allowed = 1.078 * best + 7.2 * 40.0_f64.ln() + 0.0036 * losses + 6.0;
        assert!(learned <= allowed, "{learned} of {allowed}: {each:?}");
        if is_far {
            // Alone, it is out of its depth here.
            assert!(alone > best, "{each:?}");
        } else {
            assert!(learned < linear, "{each:?}");
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_cannot_be_trained_is_named() {
    let bots = bots::sessions();
    let nothing = train(&tiny(1), &[], &mut |_, _| {}).unwrap_err();
    assert_eq!(nothing, TrainError::TooFew { got: 0, wanted: 1024 });
    let bounds = TrainConfig { bounds: vec![1.0, -2.0], ..tiny(1) };
    let said = train(&bounds, &[&bots[0]], &mut |_, _| {}).unwrap_err().to_string();
    assert_eq!(said, "bound -2 is not a positive length");
    let stranger = Recording { source: "elsewhere".into(), ..bots[0].clone() };
    let mixed = train(&tiny(1), &[&bots[0], &stranger], &mut |_, _| {}).unwrap_err();
    assert!(matches!(mixed, TrainError::Mixed { .. }), "{mixed}");
}
