//! Measurements for STEELE, per subject.

use std::sync::Arc;

use reckoning::ConfigError;
use reckoning_arena::Level;
use reckoning_predict::{Pull, TrendMap};

use super::ahead::{Ahead, Misses, MissesByKind};
use super::chain::{
    Allowed, ByKind, ChainTally, MAX_THRESHOLD_M, MIN_THRESHOLD_M, Method, Projection, TestGround,
};
use super::confidence;
use super::contrast::Contrast;
use super::places::{PlaceKind, Places};
use super::play::{self, BOTS, BotSubject};
use super::printed::PrintedErrors;
use crate::reproduce::Effort;

/// Kinds of places taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    Critical,
    Elsewhere,
    Everywhere,
}

impl Where {
    pub(super) const ALL: [Self; 3] = [Self::Critical, Self::Elsewhere, Self::Everywhere];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::Elsewhere => "elsewhere",
            Self::Everywhere => "everywhere",
        }
    }

    fn holds(self, kind: PlaceKind) -> bool {
        match self {
            Self::Critical => kind.is_critical(),
            Self::Elsewhere => !kind.is_critical(),
            Self::Everywhere => true,
        }
    }

    /// What one subject did there.
    pub(super) fn tally(self, subject: &ByKind) -> ChainTally {
        let mut sum = ChainTally::default();
        for kind in PlaceKind::ALL.into_iter().filter(|kind| self.holds(*kind)) {
            sum.add(&subject[kind as usize]);
        }
        sum
    }

    /// How one subject was missed there.
    pub(super) fn misses(self, subject: &MissesByKind) -> Misses {
        let mut sum = Misses::default();
        for kind in PlaceKind::ALL.into_iter().filter(|kind| self.holds(*kind)) {
            sum.add(&subject[kind as usize]);
        }
        sum
    }
}

/// A number per subject and place.
pub(super) type SubjectMeasure = fn(&ChainTally) -> f64;

pub(super) fn updates_per_s(tally: &ChainTally) -> f64 {
    tally.updates * f64::from(reckoning_arena::TICKS_PER_S) / tally.ticks.max(1.0)
}

pub(super) fn now_m(tally: &ChainTally) -> f64 {
    tally.now_m / tally.ticks.max(1.0)
}

pub(super) fn late_m(tally: &ChainTally) -> f64 {
    tally.late_m / tally.ticks.max(1.0)
}

/// One chain of everyone.
#[derive(Clone, Debug)]
pub(super) struct ChainRun {
    pub(super) name: String,
    pub(super) subjects: Vec<ByKind>,
}

impl ChainRun {
    pub(super) fn values(&self, place: Where, measure: SubjectMeasure) -> Vec<f64> {
        self.subjects.iter().map(|subject| measure(&place.tally(subject))).collect()
    }

    pub(super) fn against(&self, other: &Self, place: Where, measure: SubjectMeasure) -> Contrast {
        Contrast::new(&self.values(place, measure), &other.values(place, measure))
    }
}

/// The threshold by place and what it is laid beside, with one projection and one map.
#[derive(Clone, Debug)]
pub(super) struct Thresholds {
    pub(super) title: &'static str,
    pub(super) by_place: ChainRun,
    /// A fixed threshold with as many updates.
    pub(super) frugal: ChainRun,
    /// The fixed threshold halfway between least and most.
    pub(super) middle: ChainRun,
}

/// Everyone's projections by one method.
#[derive(Clone, Debug)]
pub(super) struct Projected {
    pub(super) name: &'static str,
    pub(super) subjects: Vec<MissesByKind>,
}

impl Projected {
    /// Mean error after the horizon of this number, per subject.
    pub(super) fn values(&self, place: Where, horizon: usize) -> Vec<f64> {
        let mean = |subject| {
            let misses = place.misses(subject);
            misses.sums_m[horizon] / misses.count.max(1.0)
        };
        self.subjects.iter().map(mean).collect()
    }

    /// The share of projections that lead through a wall within half a second.
    pub(super) fn tunnels(&self) -> Vec<f64> {
        let share = |subject| {
            let misses = Where::Everywhere.misses(subject);
            misses.tunnels / misses.count.max(1.0)
        };
        self.subjects.iter().map(share).collect()
    }
}

/// All that is measured.
#[derive(Clone, Debug)]
pub(super) struct LevelFindings {
    pub(super) training_h: f64,
    pub(super) subjects: usize,
    /// With the projections of STEELE, then linear ones, then by the nearest of four headings.
    pub(super) thresholds: Vec<Thresholds>,
    /// Chains at the middle threshold: linear, known, halved, mean, kept.
    pub(super) chains: Vec<ChainRun>,
    /// The same five, open loop, believed for good.
    pub(super) ahead: Vec<Projected>,
    /// The same five, believed for 0.3 s.
    pub(super) ahead_brief: Vec<Projected>,
    /// The mean again, walls not heeded.
    pub(super) through_walls: Projected,
    /// What is shown by the receiver as printed.
    pub(super) printed: PrintedErrors,
    /// Correlation of |C| and error, with one heading per cell and with the nearest of four.
    pub(super) confidence: [f64; 2],
}

/// Places in the lists of five.
pub(super) const LINEAR: usize = 0;
pub(super) const KNOWN: usize = 1;
pub(super) const HALVED: usize = 2;
pub(super) const MEAN: usize = 3;
pub(super) const KEPT: usize = 4;

/// Seeds of the evaluation start here; those of the training stay below.
const EVALUATION_SEEDS: u64 = 1000;
/// Training matches to one seed of the effort: 100 hours of bots at full effort.
const MATCHES_PER_SEED: u64 = 5;
/// A subject that was seldom seen at one of the two sorts of places cannot be compared.
const MIN_TICKS: usize = 300;

impl LevelFindings {
    pub(super) fn new(
        level: &Arc<Level>,
        effort: Effort,
        progress: &(dyn Fn(&str) + Sync),
    ) -> Result<Self, ConfigError> {
        progress("steele: training matches");
        let matches = MATCHES_PER_SEED * u64::from(effort.seeds);
        let seeds: Vec<u64> = (1..=matches).collect();
        let seen = play::sightings(level, &seeds, effort.seconds);
        let (map, nearest) = (play::map_of(&seen, 1)?, play::map_of(&seen, 4)?);
        progress("steele: evaluation matches");
        let (places, walls) = (Places::from_level(level), play::walls_of(level)?);
        let subjects = subjects(level, effort, &places);
        let ground = TestGround { places: &places, walls: &walls, subjects: &subjects };
        progress("steele: thresholds");
        let hours = f64::from(BOTS) * f64::from(effort.seconds) / 3600.0;
        let thresholds = vec![
            thresholds(&ground, "second order", &map, Projection::Known)?,
            thresholds(&ground, "linear", &map, Projection::Linear)?,
            thresholds(&ground, "second order, nearest of four", &nearest, Projection::Known)?,
        ];
        progress("steele: projections");
        Ok(Self {
            training_h: hours * matches as f64,
            subjects: subjects.len(),
            thresholds,
            chains: chains(&ground, &map)?,
            ahead: five_ahead(&ground, &map, f64::INFINITY)?,
            ahead_brief: five_ahead(&ground, &map, 0.3)?,
            through_walls: through_walls(&ground, &map)?,
            printed: PrintedErrors::new(&subjects, &map),
            confidence: [&map, &nearest].map(|map| confidence::with_error(&subjects, map)),
        })
    }
}

/// Those of the evaluation who were at both sorts of places.
fn subjects(level: &Arc<Level>, effort: Effort, places: &Places) -> Vec<BotSubject> {
    let matches = u64::from(effort.seeds.div_ceil(2));
    let seeds: Vec<u64> = (1..=matches).map(|seed| EVALUATION_SEEDS + seed).collect();
    let mut subjects = play::play_all(level, &seeds, effort.seconds.div_ceil(2));
    subjects.retain(|subject| {
        let all: usize = subject.lives.iter().map(Vec::len).sum();
        let seen = subject.lives.iter().flatten();
        let critical = seen.filter(|it| places.kind_at(it.position).is_critical()).count();
        critical.min(all - critical) >= MIN_TICKS
    });
    subjects
}

fn thresholds(
    ground: &TestGround<'_>,
    title: &'static str,
    map: &TrendMap,
    projection: Projection<'_>,
) -> Result<Thresholds, ConfigError> {
    let run = |name: String, allowed: Allowed<'_>| {
        let subjects = ground.run(&Method { allowed, projection })?;
        Ok::<_, ConfigError>(ChainRun { name, subjects })
    };
    let by_place = run("by place".to_owned(), Allowed::ByPlace(map))?;
    let frugal_m = ground.as_frugal_as(&by_place.subjects, projection)?;
    let middle_m = 0.5 * (MIN_THRESHOLD_M + MAX_THRESHOLD_M);
    Ok(Thresholds {
        title,
        by_place,
        frugal: run(format!("fixed {frugal_m:.3} m, as many updates"), Allowed::Fixed(frugal_m))?,
        middle: run(format!("fixed {middle_m:.3} m, halfway"), Allowed::Fixed(middle_m))?,
    })
}

/// Linear, known, halved, mean, kept.
fn five(map: &TrendMap) -> [(&'static str, Projection<'_>); 5] {
    [
        ("linear", Projection::Linear),
        ("known acceleration", Projection::Known),
        ("half of it", Projection::Halved),
        ("trend, mean (9)", Projection::Trend(map, Pull::Mean)),
        ("trend, kept", Projection::Trend(map, Pull::Kept)),
    ]
}

fn chains(ground: &TestGround<'_>, map: &TrendMap) -> Result<Vec<ChainRun>, ConfigError> {
    let allowed = Allowed::Fixed(0.5 * (MIN_THRESHOLD_M + MAX_THRESHOLD_M));
    let run = |(name, projection): (&str, Projection<'_>)| {
        let subjects = ground.run(&Method { allowed, projection })?;
        Ok(ChainRun { name: name.to_owned(), subjects })
    };
    five(map).into_iter().map(run).collect()
}

fn five_ahead(
    ground: &TestGround<'_>,
    map: &TrendMap,
    trust_s: f64,
) -> Result<Vec<Projected>, ConfigError> {
    let run = |(name, projection)| {
        let ahead = Ahead { projection, trust_s, heeds_walls: true };
        Ok(Projected { name, subjects: ahead.run(ground)? })
    };
    five(map).into_iter().map(run).collect()
}

fn through_walls(ground: &TestGround<'_>, map: &TrendMap) -> Result<Projected, ConfigError> {
    let projection = Projection::Trend(map, Pull::Mean);
    let ahead = Ahead { projection, trust_s: f64::INFINITY, heeds_walls: false };
    Ok(Projected { name: "trend, mean (9), through walls", subjects: ahead.run(ground)? })
}
