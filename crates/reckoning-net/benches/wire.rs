//! Time to encode and decode an update, beside copying it as plain numbers.
//!
//! Times differ between machines and moods of one machine, so every figure is also a ratio,
//! taken in one run with the subjects in turns. Nothing is asserted: a slow day is no bug.
//!
//! `cargo bench -p reckoning-net`

use std::hint::black_box;

use reckoning::{
    Curve, CurveBasis, DVec3, Kinematics, Model, Quantiser, SimTime, Update, UpdateKind,
};
use reckoning_net::wire::{BitReader, BitWriter, Format, Registry, read_update, write_update};

#[path = "../../reckoning/benches/speed/measure.rs"]
mod measure;

use measure::{Subject, Table};

const UPDATES: u32 = 1_000;
/// More than any update takes.
const ROOM: usize = 64;

/// What a game sends that does not think about it.
#[derive(Clone, Copy, Default)]
#[expect(dead_code, reason = "only copied")]
struct Plain {
    id: u32,
    time: f32,
    position: [f32; 3],
    velocity: [f32; 3],
}

/// Updates with their baselines, and room for their bits.
struct Load {
    format: Format,
    pairs: Vec<(Update, Update)>,
    bytes: Vec<[u8; ROOM]>,
}

impl Load {
    fn new(model: Model) -> Self {
        let quantiser = Quantiser {
            position_m: 0.5 / 32.0,
            velocity_mps: 0.5 / 4.0,
            acceleration_mps2: 0.5,
            angular_velocity_radps: 1.0 / 32.0,
            orientation: 1.0 / 128.0,
        };
        let format = Format::new(false, 1_000, quantiser, &[model], Registry::default())
            .expect("a sound format");
        let pairs = (0..UPDATES).map(|i| pair(&format, model, i)).collect();
        let mut load = Self { format, pairs, bytes: vec![[0; ROOM]; UPDATES as usize] };
        load.write(true);
        load
    }

    fn write(&mut self, off: bool) {
        for ((baseline, update), bytes) in self.pairs.iter().zip(&mut self.bytes) {
            let mut out = BitWriter::new(bytes);
            write_update(&mut out, &self.format, off.then_some(baseline), black_box(update));
            black_box(out.finish());
        }
    }

    fn read(&self) {
        for ((baseline, _), bytes) in self.pairs.iter().zip(&self.bytes) {
            let mut from = BitReader::new(black_box(bytes));
            black_box(read_update(&mut from, &self.format, Some(baseline)).expect("just written"));
        }
    }
}

/// A body somewhere on its way, and the same one a moment later, half a metre astray.
fn pair(format: &Format, model: Model, i: u32) -> (Update, Update) {
    let wobble = |k: u32| f64::from((i * 7_919 + k * 104_729) % 1_000) / 500.0 - 1.0;
    let vector = |k, size| DVec3::new(wobble(k), wobble(k + 1), wobble(k + 2)) * size;
    let mut seen = Kinematics {
        acceleration: vector(6, 3.0),
        ..Kinematics::moving(SimTime::from_millis(i64::from(i)), vector(0, 500.0), vector(3, 8.0))
    };
    let make = |seen: &Kinematics| {
        let update = Update::new(*seen, model.fitted(seen), UpdateKind::Partial);
        format.round(&update.expect("finite numbers"))
    };
    let first = make(&seen);
    seen.at = SimTime::from_millis(i64::from(i) + 300);
    seen.position = first.position_at(seen.at) + vector(9, 0.5);
    seen.velocity += vector(12, 2.0);
    (first, make(&seen))
}

fn measure_model(table: &mut Table, name: &str, model: Model, rounds: usize) {
    let (mut off, mut whole, read) = (Load::new(model), Load::new(model), Load::new(model));
    let plain = vec![Plain::default(); UPDATES as usize];
    let mut copies = vec![Plain::default(); UPDATES as usize];
    let mut subjects: [Subject; 4] = [
        ("copied as plain f32, 32 bytes", {
            Box::new(|| {
                for (copy, plain) in copies.iter_mut().zip(&plain) {
                    *black_box(copy) = *black_box(plain);
                }
            })
        }),
        ("written against a baseline", Box::new(|| off.write(true))),
        ("written whole", Box::new(|| whole.write(false))),
        ("read against a baseline", Box::new(|| read.read())),
    ];
    table.measure(name, UPDATES as usize, rounds, &mut subjects);
    table.goal("written against a baseline", "goal: below 200 ns");
}

fn main() {
    // Without this, cargo only wants to see that it runs: `cargo test --all-targets`.
    let earnest = std::env::args().any(|arg| arg == "--bench");
    let rounds = if earnest { 200 } else { 1 };
    let mut table = Table::default();
    measure_model(&mut table, "one linear update, 3-D", Model::Linear, rounds);
    let curve = Model::Curve(Curve::still(CurveBasis::FOUR));
    measure_model(&mut table, "one update on a curve of 4 terms, 3-D", curve, rounds);
    measure::report(&table);
}
