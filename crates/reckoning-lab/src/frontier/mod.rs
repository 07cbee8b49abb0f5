//! Frontier of error on screen against bytes, method by method and delay by delay.
//!
//! People see the error of what is *shown*, behind a delay, and the network charges *bytes*. So
//! every method is run as a game would run it: the engine's [`Publisher`](reckoning::Publisher),
//! the wire's own bytes, a simulated [`Link`](reckoning_netsim::Link) and the engine's
//! [`Ghost`](reckoning::Ghost) or a buffer of snapshots; its bound or its rounding is swept, and
//! each point of the curve is a [`FrontierRow`].
//!
//! ```text
//! sessions of a source -> some train the network
//!                      -> the others: stream of updates -> bytes  -\
//!                                                       -> link   -> what is shown -> a row
//! ```
//!
//! Errors are in body widths, bytes and updates those of one body. The sessions that rows come
//! from are not those that anything was trained on. Turning is left out, as everywhere in the
//! tables of recordings. Without loss no update is repeated and there are no heartbeats.

mod asteroids;
mod codec_chain;
mod decompose;
mod entropy;
mod floor;
mod intervals;
mod method;
mod picture;
mod publish;
mod rows;
mod run;
mod seen;
mod source;
mod stream;
mod tally;
mod text;
mod viewer;
mod wire_price;

use std::fmt;
use std::time::Duration;

use reckoning::ConfigError;
use reckoning_net::wire::FormatError;
use reckoning_netsim::{Jitter, LinkConfig, LinkError, Loss};
use reckoning_recording::Recording;

use crate::codec::CodecError;
use crate::train::{TrainConfig, TrainError};

pub(crate) use source::{by_name, measured_sessions};
pub(crate) use stream::lives;
pub(crate) use tally::{Look, ShownTally};

pub use decompose::ErrorParts;
pub use entropy::IdealBytes;
pub use method::Method;
pub use picture::frontier_picture;
pub use rows::{Frontier, FrontierRow};
pub use seen::{measure_seen, seen_text};
pub use text::frontier_text;

/// What to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct FrontierConfig {
    /// The methods. Default: all of them.
    pub methods: Vec<Method>,
    /// One-way delays. Default: 50, 100, 200 and 350 ms.
    pub delays: Vec<Duration>,
    /// Standard deviation of the delay. Default: zero.
    pub jitter: Duration,
    /// The share of updates that are lost. Default: 0.
    pub loss: f64,
    /// How many are lost in a row, on average. Default: 1, each by itself.
    pub burst: f64,
    /// Bodies that share the datagrams of a batched downlink. Default: 16.
    pub bodies: u32,
    /// Whether the scene of 250 asteroids is measured as well. Default: true.
    pub asteroids: bool,
    /// Whether the error at a bound of one body width is taken apart as well. Default: false.
    pub decompose: bool,
    /// Whether the sessions that the tables measure are left alone, and one in four of the others
    /// is measured in their place: for choosing settings. Default: false.
    pub inner: bool,
    /// How the network of each source is trained. Default: twenty passes over 150,000 examples,
    /// on all sessions but those that are measured.
    pub train: TrainConfig,
}

impl Default for FrontierConfig {
    /// All methods at four delays, without loss.
    fn default() -> Self {
        let train = TrainConfig {
            epochs: 20,
            max_examples: 150_000,
            hold_back: false,
            ..TrainConfig::default()
        };
        Self {
            methods: Method::all(),
            delays: [50, 100, 200, 350].map(Duration::from_millis).to_vec(),
            jitter: Duration::ZERO,
            loss: 0.0,
            burst: 1.0,
            bodies: 16,
            asteroids: true,
            decompose: false,
            inner: false,
            train,
        }
    }
}

impl FrontierConfig {
    /// The link of one delay.
    pub(crate) fn link(&self, delay: Duration) -> LinkConfig {
        let jitter = match self.jitter {
            Duration::ZERO => Jitter::None,
            deviation => Jitter::Normal { deviation },
        };
        let loss = if self.loss > 0.0 && self.burst > 1.0 {
            Loss::bursts(self.loss, self.burst)
        } else {
            Loss::Independent { share: self.loss }
        };
        LinkConfig { delay, jitter, loss, seed: 16, ..LinkConfig::default() }
    }
}

/// Why there is no frontier.
#[derive(Debug)]
#[non_exhaustive]
pub enum FrontierError {
    /// The engine refused a setting.
    Config(ConfigError),
    /// The wire refused a setting.
    Format(FormatError),
    /// The link was refused.
    Link(LinkError),
    /// Training failed.
    Train(TrainError),
    /// The codec could not read what it wrote.
    Codec(CodecError),
    /// Nothing to measure.
    Nothing {
        /// What is missing.
        what: &'static str,
    },
    /// A picture could not be drawn.
    Picture(String),
}

impl fmt::Display for FrontierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::Format(error) => error.fmt(f),
            Self::Link(error) => error.fmt(f),
            Self::Train(error) => error.fmt(f),
            Self::Codec(error) => write!(f, "a snapshot just written cannot be read: {error}"),
            Self::Nothing { what } => write!(f, "no {what} to measure; give at least one"),
            Self::Picture(reason) => write!(f, "the picture cannot be drawn: {reason}"),
        }
    }
}

impl std::error::Error for FrontierError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Config(error) => Some(error),
            Self::Format(error) => Some(error),
            Self::Link(error) => Some(error),
            Self::Train(error) => Some(error),
            Self::Codec(error) => Some(error),
            Self::Nothing { .. } | Self::Picture(_) => None,
        }
    }
}

macro_rules! from_error {
    ($($error:ty => $variant:ident),*) => {$(
        impl From<$error> for FrontierError {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        }
    )*};
}
from_error!(ConfigError => Config, FormatError => Format, LinkError => Link, TrainError => Train,
            CodecError => Codec);

/// Measures the methods on recordings, source by source. `say` is called with the progress.
///
/// # Errors
/// Refuses empty lists and a link that cannot be; says what could not be trained.
pub fn frontier(
    config: &FrontierConfig,
    recordings: Vec<Recording>,
    say: &dyn Fn(&str),
) -> Result<Frontier, FrontierError> {
    let counts = [
        ("methods", config.methods.len()),
        ("delays", config.delays.len()),
        ("recordings", recordings.len()),
    ];
    if let Some((what, _)) = counts.into_iter().find(|(_, count)| *count == 0) {
        return Err(FrontierError::Nothing { what });
    }
    config.link(config.delays[0]).validate()?;
    let mut found = Frontier::default();
    let mut sources = Vec::new();
    for source in source::by_name(recordings) {
        sources.push(source::MeasuredSource::train(config, source, say)?);
    }
    if config.asteroids {
        sources.push(source::MeasuredSource::asteroids(config));
    }
    for ready in sources {
        say(&format!("{}: measuring {} sessions", ready.name, ready.held.len()));
        found.rows.extend(run::rows(config, &ready)?);
        if config.decompose {
            say(&format!("{}: taking the error apart", ready.name));
            found.parts.extend(decompose::parts(config, &ready)?);
            found.ideal.extend(entropy::rows(config, &ready)?);
        }
    }
    Ok(found)
}
