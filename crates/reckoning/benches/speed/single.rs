//! One ghost and one publisher at a time.

use std::hint::black_box;
use std::time::Duration;

use reckoning::{
    AngleThreshold, Blend, Curve, CurveBasis, DQuat, DVec3, Ghost, Kinematics, Model, Publisher,
    PublisherConfig, SimTime, Update, UpdateKind,
};

use crate::measure::{Subject, Table};

/// Few enough to stay in the cache, enough to differ.
const BODIES: u16 = 64;
const QUESTIONS: u16 = 64;
const CALLS: usize = BODIES as usize * QUESTIONS as usize;
const TRUST: Duration = Duration::from_millis(900);

/// Times queries of single ghosts and silent ticks of single publishers.
pub fn measure(table: &mut Table, rounds: usize) {
    let linear = ghosts(|_| Model::Linear);
    let hedged: Vec<Ghost> = linear.iter().map(hedge).collect();
    let accelerating = ghosts(|_| Model::Accelerating { trust: TRUST });
    let curve = ghosts(|seen| Model::Curve(Curve::still(CurveBasis::FOUR)).fitted(seen));
    let blending = |question| SimTime::from_micros(10_310_000 + question * 3_000);
    let settled = |question| SimTime::from_micros(10_700_000 + question * 3_000);
    let mut subjects: Vec<Subject<'_>> = vec![
        ("position_at, linear, blending", positions(&linear, blending)),
        ("position_at, accelerating, blending", positions(&accelerating, blending)),
        ("position_at, curve, blending", positions(&curve, blending)),
        ("position_at, linear, hedged, blending", positions(&hedged, blending)),
        ("position_at, linear, settled", positions(&linear, settled)),
        ("position_at, accelerating, settled", positions(&accelerating, settled)),
        ("position_at, curve, settled", positions(&curve, settled)),
        ("orientation_at, linear, blending", orientations(&linear, blending)),
        ("orientation_at, linear, settled", orientations(&linear, settled)),
    ];
    let group = format!("a single Ghost ({} bytes), per call", size_of::<Ghost>());
    table.measure(&group, CALLS, rounds, &mut subjects);
    table.goal("position_at, linear, blending", "goal <= 30 ns; airbus/sen publishes 281 smoothed");
    table.goal("position_at, accelerating, blending", "goal <= 30 ns");
    table.goal("position_at, linear, settled", "airbus/sen publishes 82.9 unsmoothed");
    let ahead = Some(Duration::from_millis(200));
    let mut subjects: Vec<Subject<'_>> = vec![
        ("observe, straight", silent_ticks(0.0, None)),
        ("observe, turning", silent_ticks(0.7, None)),
        ("observe, straight, judged ahead", silent_ticks(0.0, ahead)),
        ("observe, turning, judged ahead", silent_ticks(0.7, ahead)),
    ];
    let group = format!("a Publisher ({} bytes), per silent tick", size_of::<Publisher>());
    table.measure(&group, CALLS, rounds, &mut subjects);
    table.goal("observe, straight", "goal <= 50 ns");
    table.goal("observe, turning", "goal <= 50 ns");
    table.goal("observe, straight, judged ahead", "goal <= 60 ns");
    table.goal("observe, turning, judged ahead", "goal <= 60 ns");
}

fn seen(body: u16, turn_rad_s: f64) -> Kinematics {
    let f = f64::from(body);
    Kinematics {
        at: SimTime::from_millis(9_900),
        position: DVec3::new(f * 3.7, f * 1.7, f % 13.0),
        velocity: DVec3::new(f % 7.0 - 3.5, f % 5.0 - 2.5, f % 3.0 - 1.5),
        acceleration: DVec3::new(f % 3.0 - 1.5, f % 11.0 - 5.5, 0.1),
        orientation: DQuat::from_rotation_z(f * 0.1),
        angular_velocity: DVec3::new(0.0, 0.01 * f, 1.0) * turn_rad_s,
    }
}

/// Ghosts that got their second update at 10.3 seconds.
fn ghosts(model: impl Fn(&Kinematics) -> Model) -> Vec<Ghost> {
    let ghost = |body| {
        let first = seen(body, 0.7);
        let update = |seen: Kinematics| {
            Update::new(seen, model(&seen), UpdateKind::Partial).expect("it is finite")
        };
        let mut ghost = Ghost::new(update(first), Blend::ProjectiveVelocity);
        let next = Kinematics {
            at: SimTime::from_millis(10_150 + i64::from(body)),
            position: first.position + first.velocity.cross(DVec3::ONE),
            orientation: first.orientation * DQuat::from_rotation_x(0.2),
            ..first
        };
        ghost.accept(update(next), SimTime::from_millis(10_300));
        ghost
    };
    (0..BODIES).map(ghost).collect()
}

/// The same, of which carrying on is trusted most.
fn hedge(ghost: &Ghost) -> Ghost {
    let mut config = *ghost.config();
    config.hedged = true;
    let mut hedged = *ghost;
    hedged.set_config(config, SimTime::from_millis(10_300)).expect("it is sound");
    hedged
}

fn positions(ghosts: &[Ghost], at: impl Fn(i64) -> SimTime + 'static) -> Box<dyn FnMut() + '_> {
    Box::new(move || ask(ghosts, &at, |ghost, now| black_box(ghost.position_at(now)).x))
}

fn orientations(ghosts: &[Ghost], at: impl Fn(i64) -> SimTime + 'static) -> Box<dyn FnMut() + '_> {
    Box::new(move || ask(ghosts, &at, |ghost, now| black_box(ghost.orientation_at(now)).w))
}

fn ask(ghosts: &[Ghost], at: impl Fn(i64) -> SimTime, ask: impl Fn(&Ghost, SimTime) -> f64) {
    let mut sum = 0.0;
    for question in 0..i64::from(QUESTIONS) {
        for ghost in black_box(ghosts) {
            sum += ask(ghost, black_box(at(question)));
        }
    }
    black_box(sum);
}

/// Publishers of bodies that do just what their listeners think.
fn silent_ticks(turn_rad_s: f64, judge_ahead: Option<Duration>) -> Box<dyn FnMut()> {
    let mut config = PublisherConfig::default();
    config.judge_ahead = judge_ahead;
    config.angle_threshold = AngleThreshold::degrees(5.0).ok();
    config.heartbeat = Duration::from_hours(1);
    config.full_interval = Duration::from_hours(1);
    let mut publishers: Vec<(Publisher, Vec<Kinematics>)> = (0..BODIES)
        .map(|body| {
            let (publisher, update) =
                Publisher::start(config.clone(), &seen(body, turn_rad_s)).expect("it is sound");
            let truths = (1..=i64::from(QUESTIONS)).map(|tick| truth(&update, tick)).collect();
            (publisher, truths)
        })
        .collect();
    Box::new(move || {
        let mut exports = 0;
        for (publisher, truths) in &mut publishers {
            for truth in black_box(&*truths) {
                exports += usize::from(publisher.observe(truth).is_some());
            }
        }
        assert_eq!(exports, 0, "a tick was not silent");
    })
}

fn truth(update: &Update, tick: i64) -> Kinematics {
    let at = SimTime::from_micros(update.at().as_micros() + tick * 16_667);
    Kinematics {
        at,
        position: update.position_at(at) + DVec3::X * 0.01,
        orientation: update.orientation_at(at),
        ..*update.kinematics()
    }
}
