//! Runs of every method and setting over the measured sessions of a source.

use std::collections::BTreeMap;
use std::time::Duration;

use reckoning::{AimConfig, AngleThreshold, Blend, BlendSpan, ConfigError, Model, SimTime};
use reckoning_net::wire::Format;
use reckoning_netsim::{Link, LinkConfig};

use super::codec_chain;
use super::entropy::CodedUpdate;
use super::intervals::BodyShare;
use super::method::{Method, MethodKind, Setting};
use super::publish::PublishedStream;
use super::rows::FrontierRow;
use super::source::MeasuredSource;
use super::stream::{ANGLE_DEGREES, LifeStream, format_for, models_of, snapshots};
use super::tally::{Look, ShownTally};
use super::viewer::Showing;
use super::wire_price::{StreamPrice, bits_of};
use super::{FrontierConfig, FrontierError};
use crate::codec::CodecConfig;
use crate::compare::{
    BodyCourse, ChainSetting, Prepared, Ready, RecordedSurroundings, on_each_thread,
};
use crate::train::SenderContext;

/// What some bodies cost and showed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) shown: ShownTally,
    pub(crate) price: StreamPrice,
}

impl Outcome {
    pub(crate) fn merge(&mut self, other: &Self) {
        self.shown.merge(&other.shown);
        self.price.merge(other.price);
    }

    fn share(&self) -> BodyShare {
        let (error_sum, pictures) = self.shown.error_sum();
        let (bytes, seconds) = (self.price.bits / 8.0, self.price.seconds);
        BodyShare { error_sum, pictures, bytes, seconds }
    }
}

/// A point of a curve: method and setting by their numbers, and the delay by its own.
type Point = (usize, usize, usize);

/// One piece of work of a session: a method with a setting, for one player or for all.
struct Piece {
    method: usize,
    setting: usize,
    player: Option<usize>,
}

/// All rows of a source.
pub(crate) fn rows(
    config: &FrontierConfig,
    source: &MeasuredSource,
) -> Result<Vec<FrontierRow>, FrontierError> {
    let mut points: BTreeMap<Point, (Outcome, Vec<BodyShare>)> = BTreeMap::new();
    for &number in &source.held {
        let pieces = pieces(config, &source.prepared[number]);
        let surroundings = source.surroundings(config, number)?;
        let session = Session::new(config, source, number)?;
        let outcomes = on_each_thread(pieces.len(), &surroundings, |own, piece| {
            session.run(&pieces[piece], own)
        });
        for (piece, outcomes) in pieces.iter().zip(outcomes) {
            for (delay, outcome) in outcomes?.iter().enumerate() {
                let point = points.entry((piece.method, piece.setting, delay)).or_default();
                point.0.merge(outcome);
                point.1.push(outcome.share());
            }
        }
    }
    let found = points.into_iter();
    Ok(found
        .map(|(point, (outcome, bodies))| row(config, source, point, &outcome, bodies))
        .collect())
}

fn pieces(config: &FrontierConfig, prepared: &Prepared) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (number, method) in config.methods.iter().enumerate() {
        for setting in 0..method.settings().len() {
            if matches!(method.kind, MethodKind::Codec { .. }) {
                pieces.push(Piece { method: number, setting, player: None });
                continue;
            }
            for player in 0..prepared.courses.len() {
                pieces.push(Piece { method: number, setting, player: Some(player) });
            }
        }
    }
    pieces
}

fn row(
    config: &FrontierConfig,
    source: &MeasuredSource,
    point: Point,
    outcome: &Outcome,
    bodies: Vec<BodyShare>,
) -> FrontierRow {
    let (method, setting, delay) = point;
    let method = &config.methods[method];
    let (shown, price) = (&outcome.shown, outcome.price);
    FrontierRow {
        source: source.name.clone(),
        method: method.to_string(),
        setting: method.settings()[setting].to_string(),
        delay_ms: config.delays[delay].as_millis() as u64,
        bytes_per_s: price.bytes_per_s(),
        bytes_per_s_with_headers: price.batched_per_s(source.bodies, method.rate_hz()),
        bytes_per_s_uplink: price.lonely_per_s(),
        updates_per_s: price.updates_per_s(),
        error_widths: shown.mean_error(),
        p95_widths: shown.p95_error(),
        acceleration_error: shown.acceleration_error(),
        extra_speed: shown.extra_speed(),
        bodies,
    }
}

/// One session under measurement.
pub(crate) struct Session<'a> {
    config: &'a FrontierConfig,
    pub(crate) prepared: &'a Prepared,
    pub(crate) flat: bool,
    /// Whether turning is sent.
    turning: bool,
    context: SenderContext<'a>,
    /// By method.
    predictors: Vec<Option<Ready>>,
}

impl<'a> Session<'a> {
    pub(crate) fn new(
        config: &'a FrontierConfig,
        source: &'a MeasuredSource,
        number: usize,
    ) -> Result<Self, FrontierError> {
        let prepared = &source.prepared[number];
        let predictors = config.methods.iter().map(|method| source.predictor(method, number));
        Ok(Self {
            config,
            prepared,
            flat: source.is_flat(number),
            turning: source.turning,
            context: SenderContext::new(&source.list[number], prepared),
            predictors: predictors.collect::<Result<_, _>>()?,
        })
    }

    /// What a piece of work gives at each delay.
    fn run(
        &self,
        piece: &Piece,
        surroundings: &RecordedSurroundings,
    ) -> Result<Vec<Outcome>, FrontierError> {
        let method = &self.config.methods[piece.method];
        let setting = method.settings()[piece.setting];
        let Some(player) = piece.player else {
            return self
                .config
                .delays
                .iter()
                .map(|&delay| self.coded(method, setting, delay))
                .collect();
        };
        let streams = |delay| self.streams(piece, player, surroundings, delay);
        // What is not aimed is the same for all delays.
        let shared = if method.is_aimed() { None } else { Some(streams(Duration::ZERO)?) };
        let course = &self.prepared.courses[player];
        let watch = |&delay: &Duration| {
            let own = if shared.is_some() { None } else { Some(streams(delay)?) };
            let Some((streams, format, showing)) = shared.as_ref().or(own.as_ref()) else {
                return Ok(Outcome::default());
            };
            let link = self.config.link(delay);
            let (flat, showing) = (self.flat, *showing);
            let watched = Watched { course, format, flat, showing, link, player };
            watched.run(streams, self.prepared.body_width)
        };
        self.config.delays.iter().map(watch).collect()
    }

    fn coded(
        &self,
        method: &Method,
        setting: Setting,
        delay: Duration,
    ) -> Result<Outcome, FrontierError> {
        let step = setting.widths() * self.prepared.body_width;
        let interval = interval_of(method);
        let turn_step_rad = if self.turning { ANGLE_DEGREES.to_radians() } else { 0.0 };
        let codec = CodecConfig { step, turn_step_rad };
        codec_chain::run(self.prepared, self.flat, codec, interval, self.config.link(delay))
    }

    fn streams(
        &self,
        piece: &Piece,
        player: usize,
        surroundings: &RecordedSurroundings,
        delay: Duration,
    ) -> Result<(Vec<LifeStream>, Format, Showing), FrontierError> {
        let method = &self.config.methods[piece.method];
        let setting = method.settings()[piece.setting];
        let Some((setting, format)) = self.publishing(piece.method, setting, surroundings)? else {
            return self.snapshots(method, setting, player);
        };
        let sent = self.published(method, &setting, player, &format, delay).run()?;
        Ok((sent, format, self.showing(method)))
    }

    fn snapshots(
        &self,
        method: &Method,
        setting: Setting,
        player: usize,
    ) -> Result<(Vec<LifeStream>, Format, Showing), FrontierError> {
        // A step of snapshots is that of a bound 32 times as wide.
        let bound = 32.0 * setting.widths() * self.prepared.body_width;
        let format = format_for(bound, self.flat, &[Model::Hold], false)?;
        let interval = interval_of(method);
        let sent = snapshots(&self.prepared.courses[player], interval, &format, self.turning)?;
        let showing = match method.kind {
            MethodKind::Naive { .. } => Showing::newest(),
            _ => Showing::Between { interval },
        };
        Ok((sent, format, showing))
    }

    /// How a method publishes at a setting, and on which grid; `None` for snapshots.
    pub(crate) fn publishing<'b>(
        &'b self,
        method: usize,
        setting: Setting,
        surroundings: &'b RecordedSurroundings,
    ) -> Result<Option<(ChainSetting<'b>, Format)>, FrontierError> {
        let Some(predictor) = self.predictors[method] else { return Ok(None) };
        let (prepared, context) = (self.prepared, &self.context);
        let bound = setting.widths() * prepared.body_width;
        let angle_bound = AngleThreshold::degrees(ANGLE_DEGREES).map_err(ConfigError::from)?;
        let setting = ChainSetting {
            prepared,
            surroundings,
            context,
            predictor,
            bound,
            angle_bound,
            receivers: &[],
        };
        let aimed = self.config.methods[method].is_aimed();
        // A coarse grid suits what turns before its rounding shows; straight motion wants a fine one.
        let coarse = aimed && matches!(predictor, Ready::Learned(_));
        let format = format_for(bound, self.flat, &models_of(&setting, aimed), coarse)?;
        Ok(Some((setting, format)))
    }

    /// What a method that publishes sends of a player, to a listener behind a delay.
    pub(crate) fn published<'b>(
        &self,
        method: &Method,
        setting: &'b ChainSetting<'b>,
        player: usize,
        format: &'b Format,
        delay: Duration,
    ) -> PublishedStream<'b> {
        let aim = method.is_aimed().then(|| AimConfig::for_delay(delay));
        PublishedStream { setting, format, turning: self.turning, aim, player }
    }

    /// How a method that publishes is shown.
    pub(crate) fn showing(&self, method: &Method) -> Showing {
        let MethodKind::Aimed(aimed) = method.kind else {
            return Showing::ghost(Blend::ProjectiveVelocity);
        };
        let mut config = Showing::lasting(Blend::ProjectiveVelocity);
        if aimed.close {
            config.span = BlendSpan::close(self.prepared.body_width);
        }
        config.hedged = aimed.hedged;
        Showing::Ghost(config)
    }
}

/// The time between the snapshots of a method.
fn interval_of(method: &Method) -> Duration {
    Duration::from_secs(1) / method.rate_hz().unwrap_or(1)
}

/// One player's streams behind one link.
pub(crate) struct Watched<'a> {
    pub(crate) course: &'a BodyCourse,
    pub(crate) format: &'a Format,
    pub(crate) flat: bool,
    pub(crate) showing: Showing,
    pub(crate) link: LinkConfig,
    pub(crate) player: usize,
}

impl Watched<'_> {
    pub(crate) fn run(&self, streams: &[LifeStream], width: f64) -> Result<Outcome, FrontierError> {
        let mut outcome = Outcome::default();
        for (number, life) in streams.iter().enumerate() {
            let (looks, arrivals) = self.look(life, number)?;
            outcome.shown.add_life(&looks, width);
            let bits = bits_of(self.format, self.player, &life.sent, &arrivals, self.link.delay);
            outcome.price.merge(StreamPrice {
                bits: bits.iter().map(|(bits, _)| f64::from(*bits)).sum(),
                updates: life.sent.len() as f64,
                seconds: life.seconds(self.course),
            });
        }
        Ok(outcome)
    }

    /// All updates with what they cost and were coded off.
    pub(crate) fn coded(&self, streams: &[LifeStream]) -> Result<Vec<CodedUpdate>, FrontierError> {
        let mut coded = Vec::new();
        for (number, life) in streams.iter().enumerate() {
            let (_, arrivals) = self.look(life, number)?;
            let bits = bits_of(self.format, self.player, &life.sent, &arrivals, self.link.delay);
            for (update, (bits, baseline)) in life.sent.iter().zip(bits) {
                let baseline = baseline.map(|it| life.sent[it]);
                coded.push(CodedUpdate { update: *update, baseline, bits });
            }
        }
        Ok(coded)
    }

    /// What is shown at every sample of a life, and when each update arrived.
    fn look(
        &self,
        life: &LifeStream,
        number: usize,
    ) -> Result<(Vec<Look>, Vec<Option<SimTime>>), FrontierError> {
        let mut link = Link::new(self.link_of(number))?;
        let mut arrivals = vec![None; life.sent.len()];
        arrivals[0] = Some(life.sent[0].at());
        let mut viewer = self.showing.start(life.sent[0])?;
        let mut next = 1;
        let mut looks = Vec::with_capacity(life.places.len());
        for &place in &life.places {
            let now = self.course.states[place].kinematics.at;
            while next < life.sent.len() && life.sent[next].at() <= now {
                link.send(life.sent[next].at(), 0, next);
                next += 1;
            }
            while let Some((arrival, which)) = link.poll(now) {
                arrivals[which].get_or_insert(arrival);
                viewer.accept(life.sent[which], arrival);
            }
            let truth = self.course.states[place].kinematics.position;
            let truth = if self.flat { truth.with_z(0.0) } else { truth };
            looks.push(Look { at: now, shown: viewer.shown(now), truth });
        }
        Ok((looks, arrivals))
    }

    /// Each life has random numbers of its own.
    fn link_of(&self, number: usize) -> LinkConfig {
        let salt = (self.player as u64) << 32 | number as u64;
        LinkConfig { seed: self.link.seed ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15), ..self.link }
    }
}
