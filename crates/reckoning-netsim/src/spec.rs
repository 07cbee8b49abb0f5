//! Text form of a link: `delay=80,jitter=20,loss=0.05,burst=3,seed=7`.
//!
//! | word | means | unit |
//! |---|---|---|
//! | `delay` | time on the way | ms |
//! | `jitter` | standard deviation about it; with `tail`, mean of what is added to it | ms |
//! | `tail` | makes the jitter Pareto of this shape | above 1 |
//! | `loss` | share lost | 0 to 1 |
//! | `burst` | losses come in runs this long on average | datagrams, at least 1 |
//! | `outage` | losses come in times this long on average | ms |
//! | `dup`, `reorder` | share that arrives twice, is held back | 0 to 1 |
//! | `hold` | how long those are held back | ms |
//! | `rate`, `queue` | bottleneck: what passes, what may wait | bytes/s, bytes |
//! | `seed` | seeds all chance | whole number |

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::config::{Bottleneck, Jitter, LinkConfig, LinkError, Loss};

/// Queue of a bottleneck by default: 200 ms at 100 kB/s, a home router.
const DEFAULT_QUEUE_BYTES: u32 = 20_000;

/// The words a description may contain, for messages.
const WORDS: &str = "delay, jitter, tail, loss, burst, outage, dup, reorder, hold, rate, \
                     queue or seed";

/// Why the description of a link was not understood.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SpecError {
    /// A word this language does not have.
    UnknownWord {
        /// As it was written.
        word: String,
    },
    /// A word came without `=` and a value.
    NoValue {
        /// As it was written.
        word: String,
    },
    /// A value that is not a number of the right kind.
    BadValue {
        /// The word it was for.
        word: String,
        /// As it was written.
        got: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A word that says nothing unless another is there too.
    Needs {
        /// The word that was given.
        word: &'static str,
        /// The word it needs.
        missing: &'static str,
    },
    /// Two words that say different things about the same.
    Clash {
        /// Both.
        words: [&'static str; 2],
    },
    /// Every word was understood, but there is no such link.
    Refused(LinkError),
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownWord { word } => write!(f, "unknown word '{word}'; use {WORDS}"),
            Self::NoValue { word } => write!(f, "'{word}' has no value; write {word}=NUMBER"),
            Self::BadValue { word, got, expected } => {
                write!(f, "{word}='{got}' is not {expected}")
            }
            Self::Needs { word, missing } => {
                write!(f, "'{word}' needs '{missing}' as well; add {missing}=NUMBER")
            }
            Self::Clash { words: [one, other] } => {
                write!(f, "'{one}' and '{other}' exclude each other; leave one out")
            }
            Self::Refused(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SpecError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(error) => Some(error),
            _ => None,
        }
    }
}

impl From<LinkError> for SpecError {
    fn from(error: LinkError) -> Self {
        Self::Refused(error)
    }
}

/// The words that only have a meaning together, as far as they were given.
#[derive(Default)]
struct SpecWords {
    jitter: Option<Duration>,
    tail: Option<f64>,
    loss: Option<f64>,
    burst: Option<f64>,
    outage: Option<Duration>,
    rate: Option<u32>,
    queue: Option<u32>,
}

impl FromStr for LinkConfig {
    type Err = SpecError;

    /// Reads a description such as `delay=80,jitter=20,loss=0.05`. Empty text is a perfect
    /// link; a word given twice counts as given last.
    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut config = Self::default();
        let mut parts = SpecWords::default();
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (word, value) =
                item.split_once('=').ok_or_else(|| SpecError::NoValue { word: item.into() })?;
            read_word(&mut config, &mut parts, word.trim(), value.trim())?;
        }
        parts.fill_in(&mut config)?;
        config.validate()?;
        Ok(config)
    }
}

fn read_word(
    config: &mut LinkConfig,
    parts: &mut SpecWords,
    word: &str,
    value: &str,
) -> Result<(), SpecError> {
    match word {
        "delay" => config.delay = millis(word, value)?,
        "jitter" => parts.jitter = Some(millis(word, value)?),
        "tail" => parts.tail = Some(number(word, value)?),
        "loss" => parts.loss = Some(number(word, value)?),
        "burst" => parts.burst = Some(number(word, value)?),
        "outage" => parts.outage = Some(millis(word, value)?),
        "dup" => config.duplicate = number(word, value)?,
        "reorder" => config.reorder = number(word, value)?,
        "hold" => config.hold = millis(word, value)?,
        "rate" => parts.rate = Some(whole(word, value)?),
        "queue" => parts.queue = Some(whole(word, value)?),
        "seed" => config.seed = whole(word, value)?,
        _ => return Err(SpecError::UnknownWord { word: word.into() }),
    }
    Ok(())
}

impl SpecWords {
    fn fill_in(self, config: &mut LinkConfig) -> Result<(), SpecError> {
        config.jitter = match (self.jitter, self.tail) {
            (None, None) => Jitter::None,
            (None, Some(_)) => return Err(SpecError::Needs { word: "tail", missing: "jitter" }),
            (Some(deviation), None) => Jitter::Normal { deviation },
            (Some(mean), Some(shape)) => Jitter::Pareto { mean, shape },
        };
        config.loss = self.loss()?;
        config.bottleneck = match (self.rate, self.queue) {
            (None, None) => None,
            (None, Some(_)) => return Err(SpecError::Needs { word: "queue", missing: "rate" }),
            (Some(bytes_per_s), queue) => {
                let queue_bytes = queue.unwrap_or(DEFAULT_QUEUE_BYTES);
                Some(Bottleneck { bytes_per_s, queue_bytes })
            }
        };
        Ok(())
    }

    fn loss(&self) -> Result<Loss, SpecError> {
        let needs = |word, missing| Err(SpecError::Needs { word, missing });
        match (self.loss, self.burst, self.outage) {
            (None, Some(_), _) => needs("burst", "loss"),
            (None, None, Some(_)) => needs("outage", "loss"),
            (_, Some(_), Some(_)) => Err(SpecError::Clash { words: ["burst", "outage"] }),
            (Some(share), Some(length), None) => Ok(Loss::bursts(share, length)),
            (Some(share), None, Some(mean)) => Ok(Loss::Outages { share, mean }),
            (share, None, None) => Ok(Loss::Independent { share: share.unwrap_or(0.0) }),
        }
    }
}

fn number(word: &str, value: &str) -> Result<f64, SpecError> {
    let bad = || bad_value(word, value, "a number such as 0.05");
    value.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(bad)
}

fn whole<T: FromStr>(word: &str, value: &str) -> Result<T, SpecError> {
    value.parse().map_err(|_| bad_value(word, value, "a whole number in range"))
}

fn millis(word: &str, value: &str) -> Result<Duration, SpecError> {
    let bad = || bad_value(word, value, "a number of milliseconds from 0 up, such as 80");
    let ms: f64 = value.parse().map_err(|_| bad())?;
    Duration::try_from_secs_f64(ms / 1e3).map_err(|_| bad())
}

fn bad_value(word: &str, got: &str, expected: &'static str) -> SpecError {
    SpecError::BadValue { word: word.into(), got: got.into(), expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_heard() {
        let text = "delay=80, jitter=20,tail=2.5,loss=0.05,burst=4,dup=0.01,reorder=0.02,\
                    hold=60,rate=8000,queue=4000,seed=7";
        let link: LinkConfig = text.parse().unwrap();
        let expected = LinkConfig {
            delay: Duration::from_millis(80),
            jitter: Jitter::Pareto { mean: Duration::from_millis(20), shape: 2.5 },
            loss: Loss::bursts(0.05, 4.0),
            duplicate: 0.01,
            reorder: 0.02,
            hold: Duration::from_millis(60),
            bottleneck: Some(Bottleneck { bytes_per_s: 8_000, queue_bytes: 4_000 }),
            seed: 7,
        };
        assert_eq!(link, expected);
        assert_eq!("".parse(), Ok(LinkConfig::default()));
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = [
            ("delay=80,lag=3", "unknown word 'lag'; use delay, jitter"),
            ("loss", "'loss' has no value; write loss=NUMBER"),
            ("loss=some", "loss='some' is not a number"),
            ("delay=-3", "delay='-3' is not a number of milliseconds from 0 up"),
            ("delay=nan", "delay='nan' is not a number of milliseconds"),
            ("seed=1.5", "seed='1.5' is not a whole number"),
            ("burst=3", "'burst' needs 'loss' as well"),
            ("outage=3", "'outage' needs 'loss' as well"),
            ("loss=0.1,outage=0", "outage 0 has no length"),
            ("loss=1,outage=5", "losses never end; give a finite burst"),
            ("loss=0.1,burst=2,outage=9", "'burst' and 'outage' exclude each other"),
            ("queue=9", "'queue' needs 'rate' as well"),
            ("tail=2", "'tail' needs 'jitter' as well"),
            ("loss=1.2", "loss 1.2 is not a share; give a number from 0 to 1"),
            ("loss=0.9,burst=2", "chance to enter a burst 4.5"),
            ("loss=0.1,burst=0.5", "chance to leave a burst 2 is not a share"),
            ("jitter=5,tail=1", "tail 1 has no mean; give a finite shape above 1"),
            ("rate=0", "rate 0 lets nothing through"),
        ];
        for (text, message) in wrong {
            let error = text.parse::<LinkConfig>().unwrap_err().to_string();
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }
}
