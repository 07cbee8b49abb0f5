//! Where the shown error comes from: prediction over the delay, waiting, blend and loss.

use std::time::Duration;

use reckoning::Blend;
use serde::{Deserialize, Serialize};

use super::floor::{Choices, floor};
use super::method::{Method, Setting};
use super::publish::{Payloads, PublishedStream};
use super::run::{Outcome, Session, Watched};
use super::source::MeasuredSource;
use super::stream::LifeStream;
use super::tally::Look;
use super::viewer::Showing;
use super::{FrontierConfig, FrontierError};
use crate::compare::on_each_thread;

/// The bound whose error is taken apart, in body widths.
pub(crate) const PARTED_BOUND: f64 = 1.0;
/// Loss of the last part: this share, so many in a row.
const LOSS: (f64, f64) = (0.12, 4.0);

/// Parts of the mean error of a method at one delay, in body widths, each on top of the one before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorParts {
    /// Which game or sport.
    pub source: String,
    /// Which method.
    pub method: String,
    /// One way.
    pub delay_ms: u64,
    /// If everyone were told at every sample: what the payload is off by after the delay.
    pub prediction: f64,
    /// With the same payloads at the best moments, by a sender that knows the future.
    pub clairvoyant: f64,
    /// With the updates that are really sent, at once where they say: waiting for the bound is
    /// added.
    pub snapped: f64,
    /// As it is shown: the blend is added.
    pub shown: f64,
    /// As it is shown when 12 % are lost, four in a row.
    pub with_loss: f64,
}

/// One player's part of the work, at each delay.
#[derive(Default)]
struct PlayerParts {
    /// By delay: prediction, snapped, shown, with loss.
    outcomes: Vec<[Outcome; 4]>,
    /// By delay; one for all where nothing is aimed.
    chances: Vec<Chances>,
}

/// What a clairvoyant may choose from, for a listener behind one delay.
struct Chances {
    choices: Vec<Choices>,
    /// As many as were really sent.
    updates: usize,
}

/// What a method says of a player to a listener.
struct Said {
    sent: Vec<LifeStream>,
    /// What could be said at every sample.
    payloads: Vec<Payloads>,
}

impl Said {
    fn chances(&self) -> Chances {
        let choices = self.payloads.iter().map(|life| Choices::new(life.iter().copied()));
        let updates = self.sent.iter().map(|life| life.sent.len()).sum();
        Chances { choices: choices.collect(), updates }
    }
}

/// The parts of the methods that publish, at a bound of one body width.
pub(crate) fn parts(
    config: &FrontierConfig,
    source: &MeasuredSource,
) -> Result<Vec<ErrorParts>, FrontierError> {
    let mut found = Vec::new();
    for (number, method) in config.methods.iter().enumerate() {
        if method.rate_hz().is_none() {
            let players = players(config, source, number)?;
            let width = source.prepared[source.held[0]].body_width;
            for (delay, span) in config.delays.iter().enumerate() {
                let row = pooled(&players, delay, *span, width);
                let (source, method) = (source.name.clone(), method.to_string());
                let delay_ms = span.as_millis() as u64;
                found.push(ErrorParts { source, method, delay_ms, ..row });
            }
        }
    }
    Ok(found)
}

fn players(
    config: &FrontierConfig,
    source: &MeasuredSource,
    method: usize,
) -> Result<Vec<PlayerParts>, FrontierError> {
    let mut all = Vec::new();
    for &number in &source.held {
        let surroundings = source.surroundings(config, number)?;
        let session = Session::new(config, source, number)?;
        let count = session.prepared.courses.len();
        let parts = on_each_thread(count, &surroundings, |own, player| {
            let bound = Setting::Bound(PARTED_BOUND);
            let Some((setting, format)) = session.publishing(method, bound, own)? else {
                return Ok(PlayerParts::default());
            };
            let method = &config.methods[method];
            player_parts(config, &session, method, |delay| {
                session.published(method, &setting, player, &format, delay)
            })
        });
        for part in parts {
            all.push(part?);
        }
    }
    Ok(all)
}

fn player_parts<'a>(
    config: &FrontierConfig,
    session: &Session<'_>,
    method: &Method,
    stream_for: impl Fn(Duration) -> PublishedStream<'a>,
) -> Result<PlayerParts, FrontierError> {
    let (mut parts, mut latest) = (PlayerParts::default(), None);
    for &delay in &config.delays {
        let stream = stream_for(delay);
        let said = if let Some(said) = latest.take().filter(|_| !method.is_aimed()) {
            said
        } else {
            let said = Said { sent: stream.run()?, payloads: stream.payloads()? };
            parts.chances.push(said.chances());
            said
        };
        parts.outcomes.push(outcomes(config, session, method, &stream, &said, delay)?);
        latest = Some(said);
    }
    Ok(parts)
}

/// Prediction, snapped, shown, with loss.
fn outcomes(
    config: &FrontierConfig,
    session: &Session<'_>,
    method: &Method,
    stream: &PublishedStream<'_>,
    said: &Said,
    delay: Duration,
) -> Result<[Outcome; 4], FrontierError> {
    let lossy = FrontierConfig { loss: LOSS.0, burst: LOSS.1, ..config.clone() };
    let (player, format, flat) = (stream.player, stream.format, session.flat);
    let (course, width) = (&session.prepared.courses[player], session.prepared.body_width);
    let showing = session.showing(method);
    let watch = |config: &FrontierConfig, showing: Showing| {
        let link = config.link(delay);
        Watched { course, format, flat, showing, link, player }.run(&said.sent, width)
    };
    Ok([
        ahead(&said.payloads, delay, width),
        watch(config, Showing::ghost(Blend::Snap))?,
        watch(config, showing)?,
        watch(&lossy, showing)?,
    ])
}

/// What payloads are off by after a delay.
fn ahead(lives: &[Payloads], delay: Duration, width: f64) -> Outcome {
    let mut outcome = Outcome::default();
    for life in lives {
        let mut sent = 0;
        let mut looks = Vec::with_capacity(life.len());
        for (_, truth) in life {
            while sent + 1 < life.len() && life[sent + 1].1.at + delay <= truth.at {
                sent += 1;
            }
            let shown = life[sent].0.position_at(truth.at);
            looks.push(Look { shown, ..*truth });
        }
        outcome.shown.add_life(&looks, width);
    }
    outcome
}

fn pooled(players: &[PlayerParts], delay: usize, span: Duration, width: f64) -> ErrorParts {
    let mut sums: [Outcome; 4] = Default::default();
    for outcomes in players.iter().filter_map(|player| player.outcomes.get(delay)) {
        sums.iter_mut().zip(outcomes).for_each(|(sum, part)| sum.merge(part));
    }
    let [prediction, snapped, shown, with_loss] = sums.map(|sum| sum.shown.mean_error());
    let of = |player: &'_ PlayerParts| player.chances.len().min(delay + 1).checked_sub(1);
    let chances = || players.iter().filter_map(|it| it.chances.get(of(it)?));
    let updates = chances().map(|it| it.updates).sum();
    let choices: Vec<&Choices> = chances().flat_map(|it| &it.choices).collect();
    ErrorParts {
        source: String::new(),
        method: String::new(),
        delay_ms: 0,
        prediction,
        clairvoyant: floor(&choices, span, updates, width),
        snapped,
        shown,
        with_loss,
    }
}
