//! A learned predictor: what a plan costs, what a tick costs, what listeners pay.

use std::hint::black_box;
use std::time::Duration;

use reckoning::{Curve, CurveBasis, DVec3, ExportReason, Kinematics, Model, Planner, SimTime};
use reckoning_predict::Surroundings;
use reckoning_predict::learned::{
    FEATURES, Features, Frame, Framing, History, LearnedConfig, LearnedInput, LearnedModel,
    LearnedParts, LearnedPlanner,
};
use reckoning_predict::{Item, KnownBody, Outline, Restores, Scene, Wall, Walls};

use crate::measure::{Subject, Table};

const CALLS: usize = 64;

/// Times plans, ticks and evaluations.
pub fn measure(table: &mut Table, rounds: usize) {
    let model = model(true);
    let course = Course::new();
    let (bodies, items, walls) = (course.bodies(), items(), walls());
    let mut scene = Scene::new(&bodies, &items);
    scene.walls = Some(&walls);
    let around =
        Surroundings { scene: Some(&scene), facing_known: true, ..Surroundings::default() };
    let mut history = History::new();
    (0..120).for_each(|tick| history.observe(course.at(tick).at, course.at(tick).position));
    let truth = course.at(119);
    let frame = Frame::new(model.framing(), &truth, true, &history, 0.5);
    let features = Features::new(&frame, &truth, &history, &around, 1.0, 0.5);
    let told = model.coefficients(&features).expect("the inputs are in range");
    let mut subjects: Vec<Subject<'_>> = vec![
        (
            "linear: nothing to infer",
            each(|| {
                black_box(Model::Linear.fitted(black_box(&truth)));
            }),
        ),
        (
            "network, 64 by 64",
            each(|| {
                black_box(model.coefficients(black_box(&features)));
            }),
        ),
        (
            "curve, turned and rounded",
            each(|| {
                black_box(model.curve(&frame, black_box(&told)));
            }),
        ),
        (
            "features: 8 bodies, 40 items, 200 walls",
            each(|| {
                black_box(Features::new(&frame, black_box(&truth), &history, &around, 1.0, 0.5));
            }),
        ),
        (
            "all of it",
            each(|| {
                plan(&model, black_box(&truth), &history, &around);
            }),
        ),
    ];
    table.measure("a learned plan, per publish", CALLS, rounds, &mut subjects);
    table.goal("all of it", "goal <= 2000 ns");
    ticks(table, rounds, &model, &course, &around);
    evaluations(table, rounds);
}

/// Everything from the state to the curve.
fn plan(model: &LearnedModel, truth: &Kinematics, history: &History, around: &Surroundings<'_>) {
    let frame = Frame::new(model.framing(), truth, true, history, 0.5);
    let features = Features::new(&frame, truth, history, around, 1.0, 0.5);
    let told = model.coefficients(&features);
    black_box(told.map(|told| model.curve(&frame, &told)));
}

/// The call, often enough to be timed.
fn each<'a>(mut call: impl FnMut() + 'a) -> Box<dyn FnMut() + 'a> {
    Box::new(move || (0..CALLS).for_each(|_| call()))
}

/// A body's ticks at 60 Hz, plans of all experts and of the network included.
fn ticks(
    table: &mut Table,
    rounds: usize,
    model: &LearnedModel,
    course: &Course,
    around: &Surroundings<'_>,
) {
    let truths: Vec<Kinematics> = (0..600).map(|tick| course.at(tick)).collect();
    let planned = |choose: bool| -> usize {
        let mut config = LearnedConfig::default();
        (config.bound_m, config.choose) = (0.5, choose);
        let mut planner = LearnedPlanner::new(model, config);
        let (mut seen, mut guess, mut plans) = (truths[0], Model::Linear, 0);
        for truth in &truths {
            planner.observe(truth, around);
            let off = guess.position_at(&seen, truth.at).distance_squared(truth.position);
            if off > 0.25 {
                (guess, seen) = (planner.plan(truth, around, ExportReason::Position), *truth);
                plans += 1;
            }
        }
        black_box(seen);
        plans
    };
    let plans = planned(false);
    let mut history = History::new();
    truths[..120].iter().for_each(|truth| history.observe(truth.at, truth.position));
    let mut subjects: Vec<Subject<'_>> = vec![
        ("linear", Box::new(|| linear_ticks(&truths))),
        (
            "inference alone",
            Box::new(|| {
                (0..plans).for_each(|_| plan(model, black_box(&truths[119]), &history, around));
            }),
        ),
        (
            "learned, alone",
            Box::new(|| {
                black_box(planned(false));
            }),
        ),
        (
            "learned, with fallbacks",
            Box::new(|| {
                black_box(planned(true));
            }),
        ),
    ];
    let title = "a planner, per body and frame at 60 Hz";
    table.measure(title, truths.len(), rounds, &mut subjects);
    table.goal("inference alone", format!("{plans} plans in 600 frames; goal <= 100 ns"));
    table
        .goal("learned, with fallbacks", "history, fallbacks, the published curve: goal <= 100 ns");
}

fn linear_ticks(truths: &[Kinematics]) {
    let mut seen = truths[0];
    for truth in truths {
        let off = Model::Linear.position_at(&seen, truth.at).distance_squared(truth.position);
        if off > 0.25 {
            seen = *truth;
        }
    }
    black_box(seen);
}

fn evaluations(table: &mut Table, rounds: usize) {
    let seen = Course::new().at(0);
    let asked = |model: Model| -> Box<dyn FnMut()> {
        Box::new(move || {
            let mut sum = 0.0;
            for k in 0..4_096 {
                let at = SimTime::from_micros(black_box(k) * 700);
                sum += black_box(&model).position_at(black_box(&seen), at).x;
            }
            black_box(sum);
        })
    };
    let curve = |basis| Model::Curve(Curve::coasting(basis, &seen));
    let fade = Duration::from_secs(1);
    let mut subjects: Vec<Subject<'_>> = vec![
        ("linear model", asked(Model::Linear)),
        ("damped model", asked(Model::Damped { fade })),
        ("curve of three terms", asked(curve(CurveBasis::THREE))),
        ("curve of four terms", asked(curve(CurveBasis::FOUR))),
    ];
    table.measure("a model's position, per call", 4_096, rounds, &mut subjects);
    table.goal("curve of four terms", "goal <= 20 ns");
}

/// A run with a turn every second or so.
struct Course {
    hertz: u32,
}

impl Course {
    const fn new() -> Self {
        Self { hertz: 60 }
    }

    fn at(&self, tick: i64) -> Kinematics {
        let at = SimTime::from_tick(tick, self.hertz);
        let t_s = at.as_secs_f64();
        let place = DVec3::new(5.0 * t_s, 1.5 * libm::sin(2.0 * t_s), 0.0);
        Kinematics::moving(at, place, DVec3::new(5.0, 3.0 * libm::cos(2.0 * t_s), 0.0))
    }

    fn bodies(&self) -> Vec<KnownBody> {
        let known = |id: u32| {
            let mut state = self.at(i64::from(id) * 40);
            state.position += DVec3::new(0.0, f64::from(id) * 4.0, 0.0);
            KnownBody::new(id, i32::from(id % 2 == 1), state)
        };
        (0..8).map(known).collect()
    }
}

fn items() -> Vec<Item> {
    let place = |k: u32| DVec3::new(f64::from(k * 37 % 90), f64::from(k * 59 % 70), 0.0);
    let item = |k| Item { position: place(k), restores: Restores::Health, worth: 25.0 };
    (0..40).map(item).collect()
}

fn walls() -> Walls {
    let wall = |k: u32| {
        let from = DVec3::new(f64::from(k * 53 % 97), f64::from(k * 31 % 89), 0.0);
        let outline = Outline::Line(from, from + DVec3::new(f64::from(k % 7), 3.0, 0.0));
        Wall { outline, bottom_m: -5.0, top_m: 5.0 }
    };
    Walls::new((0..200).map(wall)).expect("finite lines")
}

/// A network of the usual size, of noise.
fn model(coasts: bool) -> LearnedModel {
    let mut state = 7_u32;
    let mut random = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        0.05 * ((state >> 8) as f32 / (1 << 23) as f32 - 1.0)
    };
    let input = |feature: usize| LearnedInput {
        feature: feature as u8,
        mean: 0.1,
        scale: 1.0,
        low: -1e6,
        high: 1e6,
    };
    let inputs: Vec<LearnedInput> = (0..FEATURES.min(100)).map(input).collect();
    let mut list = |count: usize| (0..count).map(|_| random()).collect::<Vec<f32>>();
    let mut skip = list(inputs.len() * 12);
    for axis in 0..3 {
        skip[(19 + axis) * 12 + axis * 4 + 3] = f32::from(u8::from(coasts));
    }
    let parts = LearnedParts {
        framing: Framing::Heading,
        basis: CurveBasis::FOUR,
        unit_m: 1.0,
        fade: Duration::from_secs(1),
        steps_mps: vec![0.3; 4],
        act_width: 0,
        acts: Vec::new(),
        hidden: [64, 64],
        weights: [list(inputs.len() * 64), list(64 * 64), list(64 * 12), skip],
        biases: [list(64), list(64), list(12)],
        inputs,
    };
    LearnedModel::new(parts).expect("the parts fit")
}
