//! Bots published with a trained predictor.

use std::sync::Arc;
use std::time::Duration;

use reckoning::{CurveBasis, Model, Quantiser, SimTime};
use reckoning_arena::Level;
use reckoning_arena::host::{ArenaHost, ArenaHostConfig, host_config, with_learned};
use reckoning_arena::protocol::ModelChoice;
use reckoning_net::{Format, Host, HostConfig, Registry};
use reckoning_predict::learned::{Framing, LearnedInput, LearnedModel, LearnedParts};

/// Places of the velocity in a row of features.
const VELOCITY: u8 = 19;

/// A model that coasts at `share` of the velocity.
fn coasting(share: f32) -> LearnedModel {
    let input = |feature| LearnedInput { feature, mean: 0.0, scale: 1.0, low: -1e4, high: 1e4 };
    // Inputs are cut off at eight, so these are a fiftieth of a pixel per second.
    let inputs: Vec<_> = [VELOCITY, VELOCITY + 1]
        .map(|feature| LearnedInput { scale: 0.02, ..input(feature) })
        .to_vec();
    let mut skip = vec![0.0; 2 * 8];
    (skip[3], skip[8 + 7]) = (50.0 * share, 50.0 * share);
    LearnedModel::new(LearnedParts {
        framing: Framing::Flat,
        basis: CurveBasis::FOUR,
        unit_m: 20.0,
        fade: Duration::from_millis(800),
        steps_mps: vec![0.0; 4],
        inputs,
        act_width: 0,
        acts: Vec::new(),
        hidden: [8, 8],
        weights: [vec![0.0; 16], vec![0.0; 64], vec![0.0; 64], skip],
        biases: [vec![0.0; 8], vec![0.0; 8], vec![0.0; 8]],
    })
    .unwrap()
}

fn played(
    learned: Option<LearnedModel>,
    choice: ModelChoice,
    seconds: u64,
) -> (Host, ArenaHost, SimTime) {
    let level = Level::built_in("proving-grounds").unwrap();
    let steps = Quantiser {
        position_m: 1.0,
        velocity_mps: 1.0,
        acceleration_mps2: 1.0,
        angular_velocity_radps: 1.0,
        orientation: 0.1,
    };
    let format = Format::new(true, 1_000, steps, &[], Registry::default()).unwrap();
    let mut config = host_config(HostConfig::new(format), &level).unwrap();
    if let Some(model) = &learned {
        config = with_learned(config, model).unwrap();
    }
    let mut settings = ArenaHostConfig::default();
    settings.learned = learned.map(Arc::new);
    settings.tuning.model = choice;
    let mut host = Host::new(config).unwrap();
    let mut arena = ArenaHost::new(level, &settings);
    let mut now = SimTime::ZERO;
    arena.apply_tuning(now, &mut host);
    for _ in 0..seconds * 60 {
        now += Duration::from_micros(16_667);
        arena.tick(now, &mut host);
    }
    (host, arena, now)
}

#[test]
fn bots_are_published_with_the_curves_of_a_trained_predictor() {
    let curves = |host: &Host| {
        host.entities().filter(|(_, _, known)| matches!(known.model(), Model::Curve(_))).count()
    };
    let (host, arena, now) = played(Some(coasting(1.0)), ModelChoice::Learned, 1);
    // Nobody has lost faith in it within a second.
    assert!(curves(&host) >= 4, "{} of {}", curves(&host), host.entities().count());
    // All but the vehicles, which are nobody's.
    let bots = host.entities().filter_map(|it| Some((arena.identity(it.0)?, it.2)));
    let bots: Vec<_> = bots.collect();
    assert_eq!(bots.len(), arena.world().players().len());
    for (role, known) in bots {
        let shown = known.position_at(now);
        let near = |at: reckoning::DVec3| at.distance(shown) < 1.0;
        assert!(arena.world().players().iter().any(|it| near(it.position)), "{role:?}");
    }
    assert_eq!(curves(&played(None, ModelChoice::Learned, 1).0), 0);
    assert_eq!(curves(&played(Some(coasting(1.0)), ModelChoice::Linear, 1).0), 0);
}

#[test]
fn a_predictor_that_is_always_wrong_is_soon_out_of_force() {
    let (host, ..) = played(Some(coasting(-3.0)), ModelChoice::Learned, 60);
    let curves =
        host.entities().filter(|(_, _, known)| matches!(known.model(), Model::Curve(_))).count();
    assert!(curves <= 3, "{curves} of {}", host.entities().count());
}
