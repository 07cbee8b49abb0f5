//! What updates would cost if their fields were entropy-coded with static priors.
//!
//! Our wire writes every field with an Exp-Golomb code, whose order is told with the format for each
//! model. Here those orders are trained on sessions other than those that are measured, and beside
//! them stands the ideal length under a static prior for each field: what a better code could save.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use reckoning::{Curve, DVec3, Model, SimTime, Update};
use reckoning_net::wire::{Codes, Format};
use serde::{Deserialize, Serialize};

use super::decompose::PARTED_BOUND;
use super::method::Setting;
use super::run::{Session, Watched};
use super::source::MeasuredSource;
use super::{FrontierConfig, FrontierError};
use crate::compare::on_each_thread;

/// Numbers up to this have a chance of their own; larger ones share that of their size.
const PLAIN: i64 = 24;
/// Every symbol is taken to have been seen so often before.
const SEEN_BEFORE: f64 = 0.2;
/// Symbols of a prior: the plain ones on both sides of zero, and sizes of up to forty bits.
const SYMBOLS: f64 = 2.0 * PLAIN as f64 + 1.0 + 40.0;
/// Share of its mean velocity since the baseline that a body which strayed has more, as the wire
/// takes it.
const KICK: f64 = 1.5;

/// Bytes of an update of one kind: now, and ideal under static priors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IdealBytes {
    /// Which game or sport.
    pub source: String,
    /// Which method.
    pub method: String,
    /// Which payload: `line`, `curve` or another model.
    pub payload: String,
    /// How many there were.
    pub updates: u64,
    /// On our wire.
    pub now_bytes: f64,
    /// Of those, what says which body and which update it is.
    pub address_bytes: f64,
    /// On our wire, with the orders that are best for the source.
    pub trained_bytes: f64,
    /// The fields of the motion, ideally coded, with the same address.
    pub ideal_bytes: f64,
    /// Those orders: the numbers of [`Codes`], as the settings of a kind take them.
    pub codes: Vec<u8>,
}

/// Sessions that priors are learned on: one of four, none that is measured.
const LEARNED_FROM: (usize, usize) = (1, 4);
/// The delay behind which acknowledgements come back.
const DELAY: Duration = Duration::from_millis(100);

/// What updates of the methods that publish would cost, at a bound of one body width.
pub(crate) fn rows(
    config: &FrontierConfig,
    source: &MeasuredSource,
) -> Result<Vec<IdealBytes>, FrontierError> {
    let mut found = Vec::new();
    if source.turning {
        return Ok(found); // The numbers of turning are not among those that are counted.
    }
    for (number, method) in config.methods.iter().enumerate() {
        if method.rate_hz().is_some() {
            continue;
        }
        let mut lessons = Vec::new();
        for session in (LEARNED_FROM.0..source.list.len()).step_by(LEARNED_FROM.1) {
            lessons.extend(updates_of(config, source, session, number)?);
        }
        let mut priors = Priors::default();
        for (format, updates) in &lessons {
            for update in updates {
                priors.learn(payload_of(update), &fields(format, update));
            }
        }
        let mut tally = IdealTally::trained(&lessons);
        for &session in &source.held {
            for (format, updates) in updates_of(config, source, session, number)? {
                tally.add(&priors, &format, &updates);
            }
        }
        found.extend(tally.rows(&source.name, &method.to_string()));
    }
    Ok(found)
}

/// The updates of all players of a session.
fn updates_of(
    config: &FrontierConfig,
    source: &MeasuredSource,
    number: usize,
    method: usize,
) -> Result<Vec<(Format, Vec<CodedUpdate>)>, FrontierError> {
    let session = Session::new(config, source, number)?;
    let surroundings = source.surroundings(config, number)?;
    let players = session.prepared.courses.len();
    let found = on_each_thread(players, &surroundings, |own, player| {
        let bound = Setting::Bound(PARTED_BOUND);
        let Some((setting, format)) = session.publishing(method, bound, own)? else {
            return Ok(None);
        };
        let of = &config.methods[method];
        let sent = session.published(of, &setting, player, &format, DELAY).run()?;
        let showing = session.showing(of);
        let (course, link) = (&session.prepared.courses[player], config.link(DELAY));
        let flat = session.flat;
        let watched = Watched { course, format: &format, flat, showing, link, player };
        let coded = watched.coded(&sent)?;
        Ok(Some((format, coded)))
    });
    found.into_iter().filter_map(Result::transpose).collect()
}

/// One number of an update: which field, in which company.
type Field = (&'static str, u8);

/// The numbers of an update, each off what the receiver foresees.
struct Fields(Vec<(Field, i64)>);

/// How often which number was seen in which field.
#[derive(Clone, Debug, Default)]
struct Priors(BTreeMap<(String, Field), BTreeMap<i64, f64>>);

impl Priors {
    fn learn(&mut self, payload: &str, fields: &Fields) {
        for (field, number) in &fields.0 {
            let counts = self.0.entry((payload.to_owned(), *field)).or_default();
            *counts.entry(symbol(*number)).or_default() += 1.0;
        }
    }

    /// Ideal length in bits.
    fn bits(&self, payload: &str, fields: &Fields) -> f64 {
        let cost = |(field, number): &(Field, i64)| {
            let counts = self.0.get(&(payload.to_owned(), *field));
            let all: f64 = counts.map_or(0.0, |it| it.values().sum());
            let own = counts.and_then(|it| it.get(&symbol(*number))).copied().unwrap_or(0.0);
            let chance = (own + SEEN_BEFORE) / (all + SEEN_BEFORE * SYMBOLS);
            plain_bits(*number) - libm::log2(chance)
        };
        fields.0.iter().map(cost).sum()
    }
}

/// A number that is seen often stands for itself, another for all of its size and sign.
fn symbol(number: i64) -> i64 {
    if number.abs() <= PLAIN {
        return number;
    }
    let size = i64::from(64 - number.unsigned_abs().leading_zeros());
    (PLAIN + size) * number.signum()
}

/// Bits that say which number of its size it is.
fn plain_bits(number: i64) -> f64 {
    if number.abs() <= PLAIN { 0.0 } else { f64::from(number.unsigned_abs().ilog2()) }
}

/// Updates with the bits that the wire took and with what each was coded off.
pub(crate) struct CodedUpdate {
    pub(crate) update: Update,
    pub(crate) baseline: Option<Update>,
    pub(crate) bits: u32,
}

/// Sums over updates of one payload.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    updates: u64,
    now_bits: f64,
    address_bits: f64,
    trained_bits: f64,
    ideal_bits: f64,
}

/// What updates take and would take, by payload.
#[derive(Clone, Debug, Default)]
struct IdealTally {
    sums: BTreeMap<&'static str, Sums>,
    codes: BTreeMap<&'static str, Codes>,
}

impl IdealTally {
    /// With the orders that are best for each payload. Those of updates without a baseline are
    /// part of the codes of the payload that they are.
    fn trained(lessons: &[Lesson]) -> Self {
        let payloads = lessons.iter().flat_map(|(_, updates)| updates).map(payload_of);
        let payloads: BTreeSet<&'static str> = payloads.collect();
        let codes = payloads.into_iter().map(|it| (it, trained(lessons, it))).collect();
        Self { sums: BTreeMap::new(), codes }
    }

    fn codes(&self, payload: &str) -> Codes {
        self.codes.get(payload).copied().unwrap_or_default()
    }

    fn add(&mut self, priors: &Priors, format: &Format, updates: &[CodedUpdate]) {
        for coded in updates {
            let payload = payload_of(coded);
            let trained = with_codes(format, self.codes(payload));
            let sums = self.sums.entry(payload).or_default();
            let address = f64::from(coded.bits) - f64::from(body_bits(format, coded));
            sums.trained_bits += address + f64::from(body_bits(&trained, coded));
            sums.updates += 1;
            sums.now_bits += f64::from(coded.bits);
            sums.address_bits += address;
            sums.ideal_bits += address + priors.bits(payload, &fields(format, coded));
        }
    }

    fn rows(&self, source: &str, method: &str) -> Vec<IdealBytes> {
        let row = |(payload, sums): (&&'static str, &Sums)| {
            let mean = |bits: f64| bits / 8.0 / sums.updates.max(1) as f64;
            IdealBytes {
                source: source.to_owned(),
                method: method.to_owned(),
                payload: (*payload).to_owned(),
                updates: sums.updates,
                now_bytes: mean(sums.now_bits),
                address_bytes: mean(sums.address_bits),
                trained_bytes: mean(sums.trained_bits),
                ideal_bytes: mean(sums.ideal_bits),
                codes: self.codes(payload).numbers().to_vec(),
            }
        };
        self.sums.iter().map(row).collect()
    }
}

/// Updates of a player, and the format that they were written with.
type Lesson = (Format, Vec<CodedUpdate>);

/// Orders that are tried.
const MAX_ORDER: u8 = 12;
/// Places among the numbers of [`Codes`] of what bodies without turning are made of. How old an
/// update is depends on how often datagrams leave, and nothing of that is seen here.
const TRAINED: [usize; 6] = [1, 2, 3, 4, 8, 9];

/// The orders that cost a payload least. Every field has bits of its own, so that each is found by
/// itself.
fn trained(lessons: &[Lesson], payload: &str) -> Codes {
    let bits = |codes: Codes| -> u64 {
        let of = |(format, updates): &Lesson| -> u64 {
            let format = with_codes(format, codes);
            let own = updates.iter().filter(|it| payload_of(it) == payload);
            own.map(|it| u64::from(body_bits(&format, it))).sum()
        };
        lessons.iter().map(of).sum()
    };
    let mut best =
        lessons.first().map_or(Codes::default(), |(format, _)| *format.codes_of_others());
    for place in TRAINED {
        let with = |order: u8| {
            let mut numbers = best.numbers();
            numbers[place] = order;
            Codes::from_numbers(numbers)
        };
        // The first of equals: what is not used stays as it is.
        let now = (bits(best), best);
        let tried = (0..=MAX_ORDER).map(|order| (bits(with(order)), with(order)));
        best = tried.fold(now, |best, it| if it.0 < best.0 { it } else { best }).1;
    }
    best
}

/// The format with the same codes for all models.
fn with_codes(format: &Format, codes: Codes) -> Format {
    let listed = vec![codes; format.models().len()];
    format.clone().with_codes(&listed, codes).unwrap_or_else(|_| format.clone())
}

/// Bits of the motion alone, with its stamp beside a datagram of the same moment.
fn body_bits(format: &Format, coded: &CodedUpdate) -> u32 {
    use reckoning_net::wire::{BitWriter, write_update};
    // Stamps count from zero here, so everything is moved there.
    let start = coded.update.at();
    let moved = |update: &Update| {
        let mut seen = *update.kinematics();
        seen.at = SimTime::from_micros(seen.at.as_micros() - start.as_micros());
        let update = Update::new(seen, *update.model(), update.kind());
        update.map(|it| it.with_teleports(coded.update.teleports())).ok()
    };
    let Some(update) = moved(&coded.update) else { return 0 };
    let baseline = coded.baseline.as_ref().and_then(moved);
    let mut bytes = [0; 256];
    let mut out = BitWriter::new(&mut bytes);
    write_update(&mut out, format, baseline.as_ref(), &update);
    out.bits() as u32
}

fn payload_of(coded: &CodedUpdate) -> &'static str {
    match (coded.update.model(), coded.baseline.is_some()) {
        (_, false) => "first",
        (Model::Linear, _) => "line",
        (Model::Curve(_), _) => "curve",
        (Model::Hold, _) => "hold",
        _ => "other",
    }
}

/// The numbers of an update as the wire counts them, and how old their baseline is.
fn fields(format: &Format, coded: &CodedUpdate) -> Fields {
    let (update, steps) = (&coded.update, format.quantiser());
    let axes = if format.sayable(&up()).position.z == 0.0 { 2 } else { 3 };
    let mut fields = Vec::new();
    let age_s = coded.baseline.map_or(0.0, |it| update.at().secs_since(it.at()));
    let company = (age_s * 8.0).min(6.0) as u8;
    let (at, seen) = (update.at(), update.kinematics());
    let foreseen = coded.baseline.map_or(DVec3::ZERO, |it| it.position_at(at));
    let off = cells(seen.position, steps.position_m) - cells(foreseen, steps.position_m);
    push(&mut fields, ("position", company), off, axes);
    if update.model().uses_velocity() || matches!(update.model(), Model::Curve(_)) {
        let mut velocity = coded.baseline.map_or(DVec3::ZERO, |it| it.velocity_at(at));
        if age_s > 0.0 {
            velocity += off * (steps.position_m * KICK / age_s);
        }
        let speed = (off.length() / 16.0).min(3.0) as u8;
        let now = update.velocity_at(at);
        let way = cells(now, steps.velocity_mps) - cells(velocity, steps.velocity_mps);
        push(&mut fields, ("velocity", speed), way, axes);
    }
    if let Model::Curve(curve) = update.model() {
        push_terms(&mut fields, curve, coded.baseline.as_ref(), at, steps.velocity_mps, axes);
    }
    Fields(fields)
}

fn up() -> reckoning::Kinematics {
    reckoning::Kinematics::at_rest(SimTime::ZERO, DVec3::Z)
}

/// All terms but the last, which the velocity leaves, off what is left of those before.
fn push_terms(
    fields: &mut Vec<(Field, i64)>,
    curve: &Curve,
    baseline: Option<&Update>,
    at: SimTime,
    step: f64,
    axes: usize,
) {
    const NAMES: [&str; 4] = ["term 1", "term 2", "term 3", "term 4"];
    let terms = curve.coefficients();
    for (number, (&term, &tau_s)) in
        terms.iter().zip(curve.basis().tau_s()).enumerate().take(terms.len().saturating_sub(1))
    {
        let left = match baseline.map(|it| (it.model(), at.secs_since(it.at()))) {
            Some((Model::Curve(old), age_s)) if old.basis() == curve.basis() => {
                old.coefficients()[number] * libm::exp(-age_s.max(0.0) / tau_s)
            }
            _ => DVec3::ZERO,
        };
        push(fields, (NAMES[number], 0), cells(term, step) - cells(left, step), axes);
    }
}

fn cells(vector: DVec3, step: f64) -> DVec3 {
    DVec3::from_array(vector.to_array().map(|x| libm::round(x / step)))
}

fn push(fields: &mut Vec<(Field, i64)>, field: Field, off: DVec3, axes: usize) {
    fields.extend(off.to_array().into_iter().take(axes).map(|x| (field, x as i64)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prior_charges_what_a_number_surprises() {
        let mut priors = Priors::default();
        let one = |number| Fields(vec![(("position", 0), number)]);
        for n in 0..1_024 {
            priors.learn("line", &one(n % 4));
        }
        let bits = |number| priors.bits("line", &one(number));
        assert!((bits(0) - 2.0).abs() < 0.1, "{}", bits(0));
        assert!(bits(9) > 10.0);
        assert!(bits(100_000) > bits(1_000) + 6.0);
    }
}
