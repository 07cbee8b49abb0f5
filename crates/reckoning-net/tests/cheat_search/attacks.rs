//! Attacks to begin with, and how they are changed.

use reckoning::random::SplitMix64;

use super::chain::{Act, Attack, PROMISES};

/// Acts of an attack that a search makes up.
const ACTS: usize = 40;

const HONEST: Act = Act {
    wait_ms: 50.0,
    age_ms: 40.0,
    pace: 0.95,
    step_m: 0.0,
    velocity_mps: 7.6,
    promise: 0,
    push: 0.0,
    ack_ms: 0.0,
};

fn repeated(count: usize, obeys: bool, act: impl Fn(usize) -> Act) -> Attack {
    Attack { obeys, acts: (0..count).map(act).collect() }
}

fn back_and_forth(n: usize, each: usize) -> f64 {
    if (n / each).is_multiple_of(2) { 1.0 } else { -1.0 }
}

pub type Named = (&'static str, Attack);

/// Attacks that somebody thought of, with their names.
pub fn known() -> Vec<Named> {
    [too_fast(), promises(), times()].concat()
}

/// Places that a body cannot get to.
fn too_fast() -> Vec<Named> {
    let fast = Act { pace: 5.0, velocity_mps: 8.0, ..HONEST };
    let late = Act { ack_ms: 900.0, ..fast };
    let creep = Act { wait_ms: 20.0, pace: 1.0, step_m: 0.45, velocity_mps: 8.0, ..HONEST };
    let leaps = |n: usize| {
        let step_m = if n % 12 == 11 { 60.0 } else { 0.0 };
        Act { step_m, velocity_mps: 8.0, ..HONEST }
    };
    vec![
        ("honest run at 95 %", repeated(80, true, |_| HONEST)),
        ("runs at x5, obeys", repeated(80, true, |_| fast)),
        ("runs at x5, defies", repeated(120, false, |_| fast)),
        ("runs at x5, defies, acknowledges late", repeated(120, false, |_| late)),
        ("small steps beside the tolerance", repeated(120, true, |_| creep)),
        ("corrections on purpose", repeated(60, true, leaps)),
    ]
}

/// Sound places whose promise is not.
fn promises() -> Vec<Named> {
    let (accelerating, curve, fall, dis) = (2, 5, 6, 7);
    let fast = Act { velocity_mps: 40.0, ..HONEST };
    let pushed = Act { promise: accelerating, push: 50.0, pace: 0.9, ..HONEST };
    let heavy = Act { promise: fall, push: 1_000.0, ..HONEST };
    let standard = Act { promise: dis, push: 50.0, ..HONEST };
    let wild = |n| Act { promise: curve, push: 400.0 * back_and_forth(n, 1), ..HONEST };
    let bold = |n| Act { promise: curve, push: 60.0 * back_and_forth(n, 4), pace: 0.0, ..HONEST };
    let fickle = |n| {
        let velocity_mps = 8.0 * back_and_forth(n, 1);
        Act { wait_ms: 300.0, pace: 0.0, velocity_mps, ..HONEST }
    };
    vec![
        ("velocity x5 from a true place", repeated(60, true, |_| fast)),
        ("acceleration within the limit, long trust", repeated(60, true, |_| pushed)),
        ("curve that runs away and is taken back", repeated(60, true, wild)),
        ("curve, a little too far", repeated(60, true, bold)),
        ("gravity of 1000", repeated(60, true, |_| heavy)),
        ("a model of DIS with acceleration", repeated(60, true, |_| standard)),
        ("promises, and takes them back", repeated(60, true, fickle)),
    ]
}

/// Sound motion by stamps that are not.
fn times() -> Vec<Named> {
    let runs = Act { pace: 1.0, velocity_mps: 8.0, ..HONEST };
    let stands = Act { pace: 1.0, velocity_mps: 0.0, ..HONEST };
    let turns = |n| {
        let pace = back_and_forth(n, 6);
        Act { age_ms: 400.0, ack_ms: 400.0, pace, velocity_mps: 8.0 * pace, ..HONEST }
    };
    let banks = |n: usize| match n % 50 {
        step @ 0..40 => Act { age_ms: 47.0 * step as f64, ..stands },
        step => Act { wait_ms: 10.0, age_ms: 1_800.0 - 190.0 * (step - 40) as f64, ..runs },
    };
    let silent = Act { wait_ms: 900.0, ..stands };
    let ahead = |n| Act { age_ms: if n % 10 < 5 { 300.0 } else { -95.0 }, ..runs };
    vec![
        ("turns about behind late stamps", repeated(60, true, turns)),
        ("banks two seconds, then catches up", repeated(75, true, banks)),
        ("silence, then far ahead", repeated(12, true, |_| silent)),
        ("stamps in the future", repeated(60, true, ahead)),
    ]
}

/// Lines as owners of an aimed kind may publish them, and somewhat beyond.
pub fn aimed() -> Vec<Named> {
    let beside = |n| Act { step_m: 0.25 * back_and_forth(n, 1), ..HONEST };
    let ahead = |_| Act { step_m: 0.12, pace: 1.0, velocity_mps: 8.0, ..HONEST };
    let fickle = |n| Act { pace: 0.0, velocity_mps: 8.0 * back_and_forth(n, 1), ..HONEST };
    let darts = |n| {
        let side = back_and_forth(n, 3);
        Act { wait_ms: 150.0, pace: side, step_m: 0.125 * side, velocity_mps: 8.0 * side, ..HONEST }
    };
    vec![
        ("aimed: begins beside the truth, to and fro", repeated(80, true, beside)),
        ("aimed: always begins a little ahead", repeated(80, true, ahead)),
        ("aimed: velocities of later, taken back", repeated(60, true, fickle)),
        ("aimed: darts about, a little further", repeated(60, true, darts)),
    ]
}

fn drawn(random: &mut SplitMix64) -> Act {
    let coin = random.between(0.0, 1.0);
    Act {
        wait_ms: if coin < 0.7 { random.between(10.0, 80.0) } else { random.between(80.0, 900.0) },
        age_ms: random.between(-110.0, if coin < 0.5 { 150.0 } else { 2_100.0 }),
        pace: random.between(-1.2, 1.2),
        step_m: random.between(-0.6, 0.6),
        velocity_mps: random.between(-9.0, 9.0),
        promise: random.between(0.0, PROMISES as f64) as usize,
        push: random.between(-80.0, 80.0),
        ack_ms: if coin < 0.5 { 0.0 } else { random.between(0.0, 600.0) },
    }
}

/// An attack of random acts.
pub fn random(random: &mut SplitMix64) -> Attack {
    let obeys = random.between(0.0, 1.0) < 0.8;
    Attack { obeys, acts: (0..ACTS).map(|_| drawn(random)).collect() }
}

/// The same attack with some acts changed, repeated, or made like their neighbours.
pub fn changed(attack: &Attack, random: &mut SplitMix64) -> Attack {
    let mut next = attack.clone();
    let count = next.acts.len();
    let place =
        |random: &mut SplitMix64| (random.between(0.0, count as f64) as usize).min(count - 1);
    for _ in 0..=place(random) / 12 {
        let at = place(random);
        let like = next.acts[place(random)];
        let act = &mut next.acts[at];
        match random.between(0.0, 6.0) as usize {
            0 => *act = drawn(random),
            1 => *act = like,
            2 => act.age_ms = (act.age_ms + random.between(-300.0, 300.0)).clamp(-110.0, 2_100.0),
            3 => act.wait_ms = (act.wait_ms * random.between(0.3, 3.0)).clamp(10.0, 1_000.0),
            4 => act.velocity_mps += random.between(-4.0, 4.0),
            _ => {
                act.pace += random.between(-0.3, 0.3);
                act.step_m += random.between(-0.3, 0.3);
            }
        }
    }
    next
}
