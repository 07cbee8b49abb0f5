//! Nothing later than a sample reaches a prediction made at it, not even the next tick.
//!
//! For many ticks the recording is cut off right after the tick, or goes on in a way nobody
//! could foresee. Every predictor must then say at that tick, bit for bit, what it says when
//! the recording goes on as it did; in the open loop and in the closed one.

use std::collections::BTreeSet;
use std::time::Duration;

use reckoning::{AngleThreshold, DVec3, ExportReason, Model, SimTime, Threshold};
use reckoning_arena::Mode;
use reckoning_predict::learned::LearnedModel;
use reckoning_recording::{Column, ItemEvent, Recording, Sample};

use super::closed_loop::ChainSetting;
use super::open_loop::OpenLoop;
use super::{CompareConfig, ComparedSession, Prepared, Trials};
use crate::bots;
use crate::predictor::{Learned, LearnedUse, Predictor};
use crate::train::{FLAVOURS, TrainConfig, train};

/// So many ticks before the one in question are asked about, too.
const BEFORE: usize = 3;
/// So many ticks a planner watches a body before it is asked.
const WATCHED: usize = 30;

/// Every name there is, the parameters that look at the past, and a trained model in all the
/// ways one is used.
fn config() -> CompareConfig {
    let names = Predictor::names().iter().map(|(name, _)| *name);
    let learnt = ["interest(preference=learnt)", "interest-hybrid(preference=learnt)"];
    // Names with an equals sign want a file, for which the trained ones stand.
    let names = names.filter(|name| !name.contains('=')).chain(learnt);
    let model = trained();
    let neuro = ("neuro-reckoning", LearnedUse::Velocity(Duration::from_millis(500)));
    let trained = FLAVOURS.into_iter().chain([neuro]);
    let trained = trained.map(|(name, usage)| Predictor::learned(name, Learned { model, usage }));
    CompareConfig {
        predictors: names.map(|name| name.parse().unwrap()).chain(trained).collect(),
        delays: [50, 400, 900].map(Duration::from_millis).to_vec(),
        ..CompareConfig::default()
    }
}

/// A model that saw other sessions, for a moment: not good, but it looks at everything.
fn trained() -> &'static LearnedModel {
    let config =
        TrainConfig { epochs: 1, hidden: [16, 8], max_examples: 3_000, ..TrainConfig::default() };
    // Two, so that each has the other's trends to learn from.
    let (one, two) = (play_with_intent(7), play_with_intent(8));
    let made = train(&config, &[&one, &two], &mut |_, _| {}).unwrap();
    Box::leak(Box::new(made.model))
}

fn play(seed: u64) -> Recording {
    bots::session("proving-grounds", 8, 20, Mode::TwoTeams, seed).unwrap()
}

/// The session, with the columns that senders of some games know of themselves.
fn play_with_intent(seed: u64) -> Recording {
    let mut recording = play(seed);
    for track in &mut recording.tracks {
        let waves = |name: &str, slow: f64| Column {
            name: name.into(),
            values: (0..track.samples.len()).map(|k| libm::sin(k as f64 / slow) as f32).collect(),
            labels: Vec::new(),
        };
        let columns = [waves("joy_x", 20.0), waves("joy_y", 33.0), waves("pitch", 50.0)];
        track.extras.extend(columns);
    }
    recording
}

/// Bots have a sample at every tick.
fn moment(recording: &Recording, tick: usize) -> SimTime {
    recording.tracks[0].samples[tick].at
}

/// The recording up to a tick.
fn cut(recording: &Recording, tick: usize) -> Recording {
    let (mut cut, end) = (recording.clone(), moment(recording, tick));
    for track in &mut cut.tracks {
        track.samples.retain(|sample| sample.at <= end);
        let known = track.samples.len();
        track.extras.iter_mut().for_each(|column| column.values.truncate(known));
    }
    cut.item_events.retain(|event| event.at <= end);
    cut.births.retain(|birth| birth.at <= end);
    cut.deaths.retain(|death| death.at <= end);
    cut.inputs.retain(|input| input.at <= end);
    cut
}

/// The recording up to a tick; then everyone is rich, far away and gone the next moment, and
/// all items are taken.
fn upset(recording: &Recording, tick: usize) -> Recording {
    let mut upset = cut(recording, tick);
    for (track, full) in upset.tracks.iter_mut().zip(&recording.tracks) {
        let future = &full.samples[track.samples.len()..];
        let segment = track.last_segment().unwrap_or(0);
        track.samples.extend(future.iter().enumerate().map(|(number, sample)| Sample {
            position: sample.position * -7.0 + DVec3::X * (1e4 * number as f64),
            health: Some(1e6),
            ammo: Some(1e6),
            alive: true,
            segment,
            yaw_rad: None,
            ..*sample
        }));
        let length = track.samples.len();
        track.extras.iter_mut().for_each(|column| column.values.resize(length, 1e6));
    }
    let at = moment(recording, tick + 1);
    let taken = |item| ItemEvent { at, item, taken_by: Some(0) };
    upset.item_events.extend((0..recording.level.items.len() as u32).map(taken));
    upset
}

/// All that is said from a few ticks before `tick` up to it: places as bits in the open loop,
/// plans and thresholds at the tick in the closed one.
type Said = (Vec<u64>, Vec<(Model, Option<Threshold>)>);

fn said(config: &CompareConfig, own: Recording, other: &Recording, tick: usize) -> Said {
    let recordings = [own, other.clone()];
    let prepared: Vec<Prepared> = recordings.iter().map(Prepared::from_recording).collect();
    let trials = Trials::new(config, &prepared);
    let session = ComparedSession::new(config, &recordings, &prepared, &trials, 0).unwrap();
    let questions = session.questions();
    let mut bits = Vec::new();
    let start = tick - BEFORE;
    OpenLoop::new(&prepared[0], &session.context, &session.ready, &questions, start).run(
        start..tick + 1,
        &session.surroundings,
        &mut |told| {
            let places = told.guesses.iter().flat_map(DVec3::to_array);
            bits.extend(places.map(f64::to_bits));
        },
    );
    (bits, plans(&session, tick))
}

fn plans(session: &ComparedSession<'_>, tick: usize) -> Vec<(Model, Option<Threshold>)> {
    let mut plans = Vec::new();
    for &predictor in &session.ready {
        let setting = ChainSetting {
            prepared: session.prepared,
            surroundings: &session.surroundings,
            context: &session.context,
            predictor,
            bound: session.bound,
            angle_bound: AngleThreshold::degrees(3.0).unwrap(),
            receivers: &[],
        };
        for (player, course) in session.prepared.courses.iter().enumerate() {
            let truth = &course.states[tick].kinematics;
            let plan = plan(&setting, player, tick);
            plans.push((plan, setting.threshold_at(truth)));
        }
    }
    plans
}

/// What is published at a tick; a planner that learns has watched for half a second.
fn plan(setting: &ChainSetting<'_>, player: usize, tick: usize) -> Model {
    let Some(mut planner) = setting.planner(player) else {
        let truth = &setting.prepared.courses[player].states[tick].kinematics;
        return setting.plan(player, truth, ExportReason::Position);
    };
    for place in tick.saturating_sub(WATCHED)..=tick {
        setting.tell(&mut planner, player, place);
    }
    let truth = setting.prepared.courses[player].states[tick].kinematics;
    setting.remembered_plan(&mut planner, &truth, player, tick, ExportReason::Position).1
}

/// Ticks of all sorts, and those right before something happens.
fn ticks(recording: &Recording) -> BTreeSet<usize> {
    let samples = &recording.tracks[0].samples;
    let before = |at: SimTime| samples.partition_point(|sample| sample.at < at).saturating_sub(1);
    let taken = recording.item_events.iter().map(|event| before(event.at));
    let died = recording.deaths.iter().map(|death| before(death.at));
    let known = 2 * BEFORE..samples.len() - 1;
    let events = taken.chain(died).filter(|tick| known.contains(tick)).take(12);
    let others = [60, 61, 119, 299, 300, 555, 899, 1_034];
    events.chain(others).collect()
}

#[test]
fn no_predictor_knows_even_the_next_tick() {
    let (config, recording, other) = (config(), play_with_intent(5), play(6));
    assert!(recording.item_events.len() > 3, "no items were taken: they are not tested");
    for tick in ticks(&recording) {
        let as_it_went = said(&config, recording.clone(), &other, tick);
        let (places, plans) = &as_it_went;
        assert!(places.len() > 1_000 && plans.len() > 100, "tick {tick}: too little is said");
        for (how, changed) in
            [("cut off", cut(&recording, tick)), ("upset", upset(&recording, tick))]
        {
            let (other_places, other_plans) = said(&config, changed, &other, tick);
            assert!(*places == other_places, "open loop at tick {tick} of a recording {how}");
            assert!(*plans == other_plans, "closed loop at tick {tick} of a recording {how}");
        }
    }
}

#[test]
fn what_is_learnt_of_a_player_makes_a_difference() {
    let (mut config, recording, other) = (config(), play_with_intent(5), play(6));
    let only = |config: &mut CompareConfig, name: &str| {
        config.predictors = vec![name.parse().unwrap()];
        said(config, recording.clone(), &other, 900).0
    };
    assert_ne!(only(&mut config, "interest"), only(&mut config, "interest(preference=learnt)"));
}
