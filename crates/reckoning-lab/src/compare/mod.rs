//! Predictors compared on recordings: how far off, how often right, how many updates.
//!
//! Two questions are asked of every predictor, session by session:
//!
//! - **open loop**, as SHI asks: at every sample of every player, predict from what was known
//!   some time ago and measure the distance to the truth (AEE), the share within a body
//!   width (hits) and LI's four classes;
//! - **closed loop**: run the engine's real chain, publisher, link and ghost, with the
//!   predictor as its model, and count the updates it takes to keep the guess within a
//!   bound, and how far off and how rough the picture is.
//!
//! ```text
//! recording -> prepare: what is known at each sample -> open loop    -> rows per delay
//!                                                    -> closed loop  -> a row per predictor
//! ```
//!
//! A prediction sees a state that depends on nothing later than itself, and a scene of such
//! states, of the items that lie there at that moment and of the level. What is fitted comes
//! from other sessions, and what is learnt of a player from what that player did so far.
//! Confidence intervals come from resampling the players.

mod angles;
mod cache;
mod closed_loop;
mod costs;
mod fit;
pub(crate) mod inert;
mod items;
#[cfg(test)]
mod no_future;
mod open_loop;
mod parallel;
mod poses;
mod preference_history;
pub(crate) mod prepare;
mod receiver;
mod rows;
mod running_quantile;
mod surroundings;
mod tally;

use std::fmt;
use std::time::Duration;

use reckoning::{AngleThreshold, ConfigError, Model};
use reckoning_netsim::{LinkConfig, LinkError};
use reckoning_predict::{Behaviour, ChooserConfig, ChooserExpert};
use reckoning_recording::Recording;

use crate::predictor::{Planned, PredictorKind};
use crate::train::SenderContext;
use closed_loop::{ChainOutcome, MeanSum};
use fit::Trial;
use open_loop::{ErrorGrid, Questions};
use receiver::Heard;
use tally::{ErrorSums, mean_over_players};

pub(crate) use closed_loop::ChainSetting;
pub(crate) use fit::fitted_fade;
pub(crate) use open_loop::Ready;
pub(crate) use parallel::on_each_thread;
pub(crate) use prepare::{BodyCourse, Prepared};
pub(crate) use surroundings::{RecordedSurroundings, SceneMoment, wall_of, walls_of};

pub use crate::predictor::{Predictor, PredictorError};
pub use cache::{Cache, compare_cached};
pub use costs::{PredictorCost, predictor_costs};
pub use rows::{
    ClosedAngleRow, ClosedRow, Comparison, OpenAngleRow, OpenRow, PathSample, ReceiverRow,
};

/// What to compare.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareConfig {
    /// The predictors. Default: `hold`, `linear`, `accelerating` and `damped`.
    pub predictors: Vec<Predictor>,
    /// Ages of the knowledge that predictions start from, one answer each. Default: 300 to
    /// 2,100 ms in steps of 300 ms, as SHI has them.
    pub delays: Vec<Duration>,
    /// How far the closed loop lets the guess stray, and what counts as a hit, in units of the
    /// recording. Default: `None`, the width of a body.
    pub bound: Option<f64>,
    /// How far the closed loop lets the guess of an orientation or a joint turn away, in degrees, on
    /// recordings that have any. Default: 3, as in DIS.
    pub angle_bound_deg: f64,
    /// The links of the closed loop's receivers, besides the one at a fixed 100 ms. May be
    /// empty. Default: 200, 500 and 800 ms without loss, the receivers of THESIS.
    pub receivers: Vec<LinkConfig>,
    /// Whether to run the closed loop at all. Default: true.
    pub closed_loop: bool,
}

impl Default for CompareConfig {
    /// SHI's seven delays, a body width, four predictors everyone knows, and the three
    /// receivers of THESIS, at 200, 500 and 800 ms.
    fn default() -> Self {
        let names = ["hold", "linear", "accelerating", "damped"];
        Self {
            predictors: names.iter().filter_map(|name| name.parse().ok()).collect(),
            delays: (1..=7).map(|k| Duration::from_millis(300 * k)).collect(),
            bound: None,
            angle_bound_deg: 3.0,
            receivers: [200, 500, 800].map(receiver_at).to_vec(),
            closed_loop: true,
        }
    }
}

fn receiver_at(delay_ms: u64) -> LinkConfig {
    LinkConfig { delay: Duration::from_millis(delay_ms), ..LinkConfig::default() }
}

/// Why nothing was compared.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CompareError {
    /// A setting of the engine was refused.
    Config(ConfigError),
    /// The link was refused.
    Link(LinkError),
    /// Nothing to compare: no predictors, no delays or no recordings.
    Nothing {
        /// What is missing.
        what: &'static str,
    },
}

impl fmt::Display for CompareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::Link(error) => error.fmt(f),
            Self::Nothing { what } => write!(f, "no {what} to compare; give at least one"),
        }
    }
}

impl std::error::Error for CompareError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Config(error) => Some(error),
            Self::Link(error) => Some(error),
            Self::Nothing { .. } => None,
        }
    }
}

impl From<ConfigError> for CompareError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<LinkError> for CompareError {
    fn from(error: LinkError) -> Self {
        Self::Link(error)
    }
}

/// Compares the predictors on the recordings. `progress` is called with how much is done of how
/// much.
///
/// # Errors
/// Refuses empty lists, bounds that are not positive and a link that cannot be.
pub fn compare(
    config: &CompareConfig,
    recordings: &[Recording],
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Comparison, CompareError> {
    let counts = [
        ("predictors", config.predictors.len()),
        ("delays", config.delays.len()),
        ("recordings", recordings.len()),
    ];
    if let Some((what, _)) = counts.into_iter().find(|(_, count)| *count == 0) {
        return Err(CompareError::Nothing { what });
    }
    let prepared: Vec<Prepared> = recordings.iter().map(Prepared::with_poses).collect();
    // The open loop counts frames, the closed one players times their frames over the
    // players: about as long again.
    let of: u64 = prepared.iter().map(|it| 2 * it.frames.len() as u64).sum();
    let done = std::sync::atomic::AtomicU64::new(0);
    let step = |frames: u64| {
        let before = done.fetch_add(frames, std::sync::atomic::Ordering::Relaxed);
        progress((before + frames).min(of), of);
    };
    let trials = Trials::new(config, &prepared);
    let mut comparison = Comparison::default();
    for number in 0..recordings.len() {
        let session = ComparedSession::new(config, recordings, &prepared, &trials, number)?;
        session.run(&mut comparison, &step)?;
    }
    progress(of, of);
    Ok(comparison)
}

/// Compares on one session out of many, with closed loops at several bounds in body widths.
pub(crate) fn compare_one(
    config: &CompareConfig,
    recordings: &[Recording],
    prepared: &[Prepared],
    trials: &Trials,
    number: usize,
    widths: &[f64],
) -> Result<Comparison, CompareError> {
    let mut comparison = Comparison::default();
    let mut session = ComparedSession::new(config, recordings, prepared, trials, number)?;
    session.run_open(&mut comparison, &|_| {});
    for width in widths {
        session.bound = width * prepared[number].body_width;
        session.run_closed(&mut comparison, &|_| {})?;
    }
    Ok(comparison)
}

/// What every session says about the constants that are fitted.
pub(crate) struct Trials {
    damped: Vec<Trial>,
    decaying: Vec<Trial>,
    /// How fast bodies are in each, beside those of LI.
    li_scales: Vec<f64>,
}

impl Trials {
    /// Tries what some predictor asks for, and nothing else.
    pub(crate) fn new(config: &CompareConfig, prepared: &[Prepared]) -> Self {
        let asks = |kind| config.predictors.iter().any(|it| it.kind() == kind);
        let chooses = asks(PredictorKind::Chooser);
        let tried = |kind: PredictorKind, model: fn(Duration) -> Model| {
            let wanted = asks(kind) || (chooses && kind == PredictorKind::FittedDamped);
            on_each_thread(if wanted { prepared.len() } else { 0 }, &(), |(), session| {
                Trial::new(&prepared[session], &config.delays, model)
            })
        };
        Self {
            damped: tried(PredictorKind::FittedDamped, |fade| Model::Damped { fade }),
            decaying: tried(PredictorKind::FittedDecaying, |fade| Model::Decaying { fade }),
            li_scales: prepared.iter().map(Prepared::li_scale).collect(),
        }
    }
}

/// One session under comparison.
struct ComparedSession<'a> {
    config: &'a CompareConfig,
    recording: &'a Recording,
    prepared: &'a Prepared,
    surroundings: RecordedSurroundings,
    context: SenderContext<'a>,
    ready: Vec<Ready>,
    /// Why a predictor has nothing to go by, one for each.
    inert: Vec<Option<&'static str>>,
    bound: f64,
}

impl<'a> ComparedSession<'a> {
    fn new(
        config: &'a CompareConfig,
        recordings: &'a [Recording],
        prepared: &'a [Prepared],
        trials: &Trials,
        number: usize,
    ) -> Result<Self, CompareError> {
        let (recording, own) = (&recordings[number], &prepared[number]);
        let others = |same: fn(&Recording, &Recording) -> bool| -> Vec<usize> {
            let other = |k: &usize| *k != number && same(&recordings[*k], recording);
            (0..recordings.len()).filter(other).collect()
        };
        let same_source = others(|a, b| a.source == b.source);
        let same_map = others(|a, b| a.source == b.source && a.meta.map == b.meta.map);
        let same_map: Vec<&Prepared> = same_map.into_iter().map(|k| &prepared[k]).collect();
        let kinds = config.predictors.iter().map(Predictor::kind);
        let planned: Vec<Planned> = kinds
            .filter_map(|kind| match kind {
                PredictorKind::Behaviour(it) => Some(it),
                // A learned predictor may look at the trends of its level.
                PredictorKind::Learned(_) | PredictorKind::Chooser => Some(Planned::Trend),
                _ => None,
            })
            .collect();
        let mut surroundings = RecordedSurroundings::new(recording, own, &planned, &same_map)?;
        if config.predictors.iter().any(|it| it.kind() == PredictorKind::ByPlace) {
            surroundings.measure(own, &same_map)?;
        }
        let ready = config
            .predictors
            .iter()
            .map(|predictor| match predictor.kind() {
                // Without trends there is nothing to go by but the velocity.
                PredictorKind::Behaviour(Planned::Trend) if surroundings.trends().is_none() => {
                    Ok(Ready::Model(Model::Linear))
                }
                _ => made_ready(predictor, own, &same_source, trials),
            })
            .collect::<Result<_, ConfigError>>()?;
        let reason = |it: &Predictor| inert::reason(it.kind(), recording, &surroundings);
        let inert = config.predictors.iter().map(reason).collect();
        let bound = config.bound.unwrap_or(own.body_width);
        let context = SenderContext::new(recording, own);
        Ok(Self { config, recording, prepared: own, surroundings, context, ready, inert, bound })
    }

    fn run(
        &self,
        comparison: &mut Comparison,
        step: &(dyn Fn(u64) + Sync),
    ) -> Result<(), CompareError> {
        self.run_open(comparison, step);
        if self.config.closed_loop { self.run_closed(comparison, step) } else { Ok(()) }
    }

    fn run_open(&self, comparison: &mut Comparison, step: &(dyn Fn(u64) + Sync)) {
        let questions = self.questions();
        let (own, around) = (self.prepared, &self.surroundings);
        let grid = open_loop::ask(own, around, &self.context, &self.ready, &questions, step);
        self.push_open(&grid, comparison);
        angles::push_open(self.config, self.recording, own, &self.ready, comparison);
    }

    fn questions(&self) -> Questions {
        Questions {
            delays: self.config.delays.clone(),
            hit_within: self.bound,
            li_px: self.prepared.li_scale(),
            in_force: self.experts_in_force(),
        }
    }

    /// What a chooser has in force for each player at each sample, if one takes part.
    fn experts_in_force(&self) -> Vec<Vec<ChooserExpert>> {
        let chooses = |ready: &&Ready| matches!(ready, Ready::Chooser(_));
        let Some(predictor) = self.ready.iter().find(chooses) else { return Vec::new() };
        let Ok(angle_bound) = AngleThreshold::degrees(self.config.angle_bound_deg) else {
            return Vec::new();
        };
        let (prepared, context, bound) = (self.prepared, &self.context, self.bound);
        on_each_thread(prepared.courses.len(), &self.surroundings, |surroundings, player| {
            let setting = ChainSetting {
                prepared,
                surroundings,
                context,
                predictor: *predictor,
                bound,
                angle_bound,
                receivers: &[],
            };
            setting.experts_in_force(player).unwrap_or_default()
        })
    }

    fn run_closed(
        &self,
        comparison: &mut Comparison,
        step: &(dyn Fn(u64) + Sync),
    ) -> Result<(), CompareError> {
        let players = self.prepared.courses.len();
        let tasks = self.ready.len() * players;
        let share = self.prepared.frames.len() as u64 / (tasks.max(1) as u64);
        // Not through `self`, whose surroundings no two threads may share.
        let (prepared, ready, bound, receivers) =
            (self.prepared, &self.ready, self.bound, self.config.receivers.as_slice());
        let context = &self.context;
        let angle_bound =
            AngleThreshold::degrees(self.config.angle_bound_deg).map_err(ConfigError::from)?;
        let chains = on_each_thread(tasks, &self.surroundings, |own, task| {
            let predictor = ready[task / players];
            let setting = ChainSetting {
                prepared,
                surroundings: own,
                context,
                predictor,
                bound,
                angle_bound,
                receivers,
            };
            let chain = setting.run(task % players);
            step(share);
            chain
        });
        let chains: Vec<ChainOutcome> = chains.into_iter().collect::<Result<_, _>>()?;
        for (predictor, chains) in chains.chunks(players.max(1)).enumerate() {
            self.push_closed(predictor, chains, comparison);
            let (config, recording) = (self.config, self.recording);
            angles::push_closed(config, recording, prepared, predictor, chains, comparison);
        }
        Ok(())
    }

    fn push_open(&self, grid: &ErrorGrid, comparison: &mut Comparison) {
        let (players, delays) = (self.prepared.courses.len(), self.config.delays.len());
        for (predictor, name) in self.config.predictors.iter().enumerate() {
            for (k, delay) in self.config.delays.iter().enumerate() {
                let cell = |player| &grid[(predictor * players + player) * delays + k];
                let cells: Vec<&ErrorSums> = (0..players).map(cell).collect();
                let mut all = ErrorSums::default();
                for cell in &cells {
                    all.merge(cell);
                }
                let sums: Vec<(f64, f64)> = cells.iter().map(|c| (c.sum, c.n as f64)).collect();
                let aee = mean_over_players(&sums);
                let share = |count: u64| count as f64 / (all.n.max(1) as f64);
                comparison.open.push(OpenRow {
                    source: self.recording.source.clone(),
                    session: self.recording.session.clone(),
                    predictor: name.to_string(),
                    inert: self.inert[predictor].map(str::to_owned),
                    delay_ms: delay.as_millis() as u64,
                    aee: aee.value,
                    aee_low: aee.low,
                    aee_high: aee.high,
                    hit_rate: share(all.hits),
                    hit_within: self.bound,
                    classes: all.classes.map(share),
                    n: all.n,
                });
            }
        }
    }

    fn push_closed(&self, predictor: usize, chains: &[ChainOutcome], comparison: &mut Comparison) {
        let total = |part: fn(&ChainOutcome) -> MeanSum| {
            let mut sum = MeanSum::default();
            for chain in chains {
                sum.merge(part(chain));
            }
            sum
        };
        let counts: Vec<(f64, f64)> =
            chains.iter().map(|c| (c.updates as f64, c.seconds)).collect();
        let packets = mean_over_players(&counts);
        let walls = total(|chain| chain.in_walls);
        let receivers = self.receivers(chains);
        let name = self.config.predictors[predictor].to_string();
        comparison.closed.push(ClosedRow {
            source: self.recording.source.clone(),
            session: self.recording.session.clone(),
            predictor: name.clone(),
            inert: self.inert[predictor].map(str::to_owned),
            bound: self.bound,
            packets_per_entity_s: packets.value,
            packets_low: packets.low,
            packets_high: packets.high,
            mean_error: total(|chain| chain.guess).mean(),
            shown_error_100ms: total(|chain| chain.shown).mean(),
            shown_error_link: shown_by_all(&receivers),
            receivers,
            roughness: total(|chain| chain.rough).mean(),
            in_walls: (walls.n > 0.0).then(|| walls.mean()),
        });
        let longest = (0..chains.len()).max_by_key(|&player| chains[player].stretch.len());
        if let Some(player) = longest {
            comparison.paths.push(self.path(player, name, &chains[player]));
        }
    }

    fn receivers(&self, chains: &[ChainOutcome]) -> Vec<ReceiverRow> {
        let seconds = chains.iter().map(|chain| chain.seconds).sum::<f64>();
        let over_time = |sum: f64| if seconds > 0.0 { sum / seconds } else { 0.0 };
        let row = |(number, link): (usize, &LinkConfig)| {
            let mut heard = Heard::default();
            for chain in chains {
                heard.merge(&chain.heard[number]);
            }
            ReceiverRow {
                receiver: format!("{} ms", link.delay.as_millis()),
                shown_error: heard.shown.mean(),
                before: over_time(heard.split.before),
                after: over_time(heard.split.after),
                cee: over_time(heard.confirmed),
                eee: over_time(heard.estimated),
                aee: over_time(heard.confirmed + heard.estimated),
            }
        };
        self.config.receivers.iter().enumerate().map(row).collect()
    }

    fn path(&self, player: usize, predictor: String, chain: &ChainOutcome) -> PathSample {
        let flat = |v: reckoning::DVec3| [v.x, v.y];
        let start = chain.stretch.first().map_or(reckoning::SimTime::ZERO, |first| first.0);
        PathSample {
            source: self.recording.source.clone(),
            session: self.recording.session.clone(),
            id: self.prepared.courses[player].id,
            predictor,
            truth: chain.stretch.iter().map(|it| flat(it.1)).collect(),
            shown: chain.stretch.iter().map(|it| flat(it.2)).collect(),
            error: chain
                .stretch
                .iter()
                .map(|it| (it.0.secs_since(start), it.1.distance(it.2)))
                .collect(),
        }
    }
}

fn shown_by_all(receivers: &[ReceiverRow]) -> Option<f64> {
    let sum = receivers.iter().map(|row| row.shown_error).sum::<f64>();
    (!receivers.is_empty()).then(|| sum / receivers.len() as f64)
}

/// A predictor with its constants fitted to the sessions of `training`.
pub(crate) fn made_ready(
    predictor: &Predictor,
    own: &Prepared,
    training: &[usize],
    trials: &Trials,
) -> Result<Ready, ConfigError> {
    let fitted = |trials: &[Trial]| {
        fit::fade(&training.iter().map(|&session| &trials[session]).collect::<Vec<_>>())
    };
    Ok(match predictor.kind() {
        PredictorKind::Model(model) => Ready::Model(model),
        PredictorKind::ByPlace => Ready::ByPlace,
        PredictorKind::FittedDamped => Ready::Model(Model::Damped { fade: fitted(&trials.damped) }),
        PredictorKind::FittedDecaying => {
            Ready::Model(Model::Decaying { fade: fitted(&trials.decaying) })
        }
        PredictorKind::Behaviour(Planned::Interest(scheme)) => Ready::Interest(scheme),
        PredictorKind::Behaviour(planned) => Ready::Behaviour(planned.scaled(own.shi_scale())?),
        PredictorKind::Learned(learned) => Ready::Learned(learned),
        PredictorKind::Chooser => {
            Ready::Chooser(chooser(own, training, trials, fitted(&trials.damped))?)
        }
    })
}

/// Settings of a chooser in the units of a recording, its constants from the sessions of `training`.
fn chooser(
    own: &Prepared,
    training: &[usize],
    trials: &Trials,
    fade: Duration,
) -> Result<ChooserConfig, ConfigError> {
    let mut config = ChooserConfig::default();
    config.fade = fade;
    if let Behaviour::Patterns(patterns) = Planned::ekb().scaled(own.shi_scale())? {
        config.patterns = *patterns.config();
    }
    let scales: Vec<f64> = training.iter().map(|&session| trials.li_scales[session]).collect();
    let scale = scales.iter().sum::<f64>() / scales.len().max(1) as f64;
    if scale > 0.0 {
        config.interest = config.interest.scaled(scale);
    }
    config.validate()?;
    Ok(config)
}
