//! A crowd against bare memory traffic.
//!
//! The opponent reads as many bytes as lie in the crowd's blocks and writes as many as lie
//! in the view, in the same order and with the same choice of vector units, and does
//! nothing with them but what keeps the loads alive: one exclusive or for each.

use std::hint::black_box;
use std::time::Duration;

use multiversion::multiversion;
use reckoning::crowd::CrowdView;
use reckoning::{Crowd, DVec3, Kinematics, Model, SimTime, Update, UpdateKind};

use crate::measure::{Subject, Table};

const LANES: usize = 16;
/// Numbers a crowd keeps about a ghost: four times and five vectors.
const NUMBERS: usize = 19;

/// Times a crowd of so many ghosts, shown `frames` times in a row.
pub fn measure(table: &mut Table, ghosts: usize, frames: u16, rounds: usize) {
    let crowd = crowd_of(ghosts);
    let mut traffic = Traffic::of(ghosts);
    let mut baseline_traffic = Traffic::of(ghosts);
    let mut views: [CrowdView; 3] = Default::default();
    let [wide, baseline, parallel] = &mut views;
    let times = || (0..i64::from(frames)).map(|frame| SimTime::from_millis(10_350 + frame));
    let mut subjects: Vec<Subject<'_>> = vec![
        ("reading and writing the same bytes", Box::new(|| times().for_each(|_| traffic.pass()))),
        (
            "the same, baseline vectors",
            Box::new(|| times().for_each(|_| baseline_traffic.baseline_pass())),
        ),
        ("Crowd::show", Box::new(|| times().for_each(|now| crowd.show(black_box(now), wide)))),
        (
            "Crowd::show_baseline",
            Box::new(|| times().for_each(|now| crowd.show_baseline(black_box(now), baseline))),
        ),
    ];
    add_parallel(&mut subjects, &crowd, times, parallel);
    let group = format!("crowd of {ghosts}, per ghost");
    table.measure(&group, ghosts * usize::from(frames), rounds, &mut subjects);
    table.goal("Crowd::show", if frames == 1 { "goal <= 1.2" } else { "goal <= 1.5" });
    drop(subjects);
    black_box((traffic, baseline_traffic, views));
}

#[cfg(feature = "rayon")]
fn add_parallel<'a, T: Iterator<Item = SimTime>>(
    subjects: &mut Vec<Subject<'a>>,
    crowd: &'a Crowd,
    times: impl Fn() -> T + 'a,
    view: &'a mut CrowdView,
) {
    let pass = move || times().for_each(|now| crowd.show_parallel(black_box(now), view));
    subjects.push(("Crowd::show_parallel", Box::new(pass)));
}

#[cfg(not(feature = "rayon"))]
fn add_parallel<T>(_: &mut Vec<Subject<'_>>, _: &Crowd, _: T, _: &mut CrowdView) {}

/// Ghosts in the midst of their blends, half of them accelerating.
fn crowd_of(ghosts: usize) -> Crowd {
    let mut crowd = Crowd::new(DVec3::ZERO, SimTime::ZERO);
    for k in 0..ghosts {
        let f = k as f64;
        let mut seen = Kinematics {
            at: SimTime::from_millis(9_900),
            position: DVec3::new(f * 0.37 % 811.0, f * 1.7 % 997.0, f % 13.0),
            velocity: DVec3::new(f % 7.0 - 3.0, f % 5.0 - 2.0, f % 3.0 - 1.0),
            acceleration: DVec3::new(f % 3.0 - 1.0, f % 11.0 - 5.0, 0.1),
            ..Kinematics::default()
        };
        let trust = Duration::from_millis(300 + k as u64 % 500);
        let model = if k % 2 == 0 { Model::Linear } else { Model::Accelerating { trust } };
        let update = |seen| Update::new(seen, model, UpdateKind::Partial).expect("it is finite");
        let id = crowd.insert(&update(seen), seen.at).expect("it knows both models");
        seen.at += Duration::from_millis(200 + k as u64 % 150);
        seen.position += seen.velocity.cross(DVec3::ONE);
        crowd.accept(id, &update(seen), SimTime::from_millis(10_300)).expect("it is in there");
    }
    crowd
}

#[derive(Clone)]
#[repr(align(64))]
struct Block([[u32; LANES]; NUMBERS]);

struct Traffic {
    blocks: Vec<Block>,
    out: [Vec<[u32; LANES]>; 3],
}

impl Traffic {
    fn of(ghosts: usize) -> Self {
        let count = ghosts.div_ceil(LANES);
        let block = |k: usize| Block([[k as u32; LANES]; NUMBERS]);
        let out = || vec![[0; LANES]; count];
        Self { blocks: (0..count).map(block).collect(), out: [out(), out(), out()] }
    }

    fn pass(&mut self) {
        pass(black_box(&self.blocks), &mut self.out);
    }

    fn baseline_pass(&mut self) {
        baseline_pass(black_box(&self.blocks), &mut self.out);
    }
}

#[multiversion(targets = "simd")]
fn pass(blocks: &[Block], out: &mut [Vec<[u32; LANES]>; 3]) {
    baseline_pass(blocks, out);
}

#[expect(clippy::inline_always, reason = "must be compiled for the caller's vector unit")]
#[inline(always)]
fn baseline_pass(blocks: &[Block], [x, y, z]: &mut [Vec<[u32; LANES]>; 3]) {
    for (block, ((x, y), z)) in blocks.iter().zip(x.iter_mut().zip(y).zip(z)) {
        for lane in 0..LANES {
            let number = |k: usize| block.0[k][lane];
            let mixed = |from: usize| (from + 1..from + 6).fold(number(from), |a, k| a ^ number(k));
            (x[lane], y[lane], z[lane]) = (mixed(0), mixed(6), mixed(12) ^ number(18));
        }
    }
}
