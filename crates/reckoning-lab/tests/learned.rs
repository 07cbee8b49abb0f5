//! Training on bots: the same everywhere, and worth it.

use rayon::ThreadPoolBuilder;
use reckoning_lab::bots;
use reckoning_lab::compare::{CompareConfig, compare};
use reckoning_lab::train::{TrainConfig, TrainError, Trained, train};
use reckoning_predict::learned::LearnedModel;
use reckoning_recording::Recording;

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
