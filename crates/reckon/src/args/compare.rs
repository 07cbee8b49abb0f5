//! The words of `reckon lab compare`.

use std::path::PathBuf;
use std::time::Duration;

use lexopt::Parser;
use reckoning_lab::compare::{CompareConfig, Predictor};
use reckoning_netsim::LinkConfig;

use super::{Command, Refusal, Word, next, path, paths, refuse, text, unknown};
use crate::help;

const COMMAND: &str = "lab compare";
const OPTIONS: &str = "--data, --predictors, --delays, --bound, --link, --format, --per-session, --fresh or \
     --report";
/// Those that need to know nothing but the body itself.
const PREDICTORS: &str = "hold,linear,accelerating,damped";
/// The delays of SHI.
const DELAYS_MS: &str = "300,600,900,1200,1500,1800,2100";
/// Beyond this, a delay is a slip of the finger.
const LONGEST_MS: u64 = 60_000;

/// `reckon lab compare`.
#[derive(Debug)]
pub struct Compare {
    /// Empty: bots.
    pub data: Vec<PathBuf>,
    pub config: CompareConfig,
    /// One for each receiver; empty: the usual ones.
    links: Vec<LinkConfig>,
    pub format: Format,
    pub per_session: bool,
    /// Whether to compare anew what was compared before.
    pub fresh: bool,
    pub report: Option<PathBuf>,
}

/// How results are written to stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Table,
    Json,
    Csv,
}

impl Format {
    const fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Json => "json",
            Self::Csv => "csv",
        }
    }

    /// The format of this name, among those a command has.
    pub fn of(command: &'static str, name: &str, allowed: &[Self]) -> Result<Self, Refusal> {
        allowed.iter().copied().find(|it| it.name() == name).ok_or_else(|| {
            let known: Vec<&str> = allowed.iter().map(|it| it.name()).collect();
            refuse(command, format!("no format `{name}`; known: {}", known.join(", ")))
        })
    }
}

pub fn parse(mut parser: Parser) -> Result<Command, Refusal> {
    let mut found = Compare {
        data: Vec::new(),
        config: CompareConfig {
            predictors: predictors(PREDICTORS)?,
            delays: delays(DELAYS_MS)?,
            ..CompareConfig::default()
        },
        links: Vec::new(),
        format: Format::Table,
        per_session: false,
        fresh: false,
        report: None,
    };
    while let Some(word) = next(&mut parser, COMMAND)? {
        match word {
            Word::Help => return Ok(Command::Help(help::compare())),
            Word::Option(name) => take(&mut found, &name, &mut parser)?,
            Word::Value(_) => return Err(unknown(COMMAND, &word, OPTIONS)),
        }
    }
    if !found.links.is_empty() {
        found.config.receivers = std::mem::take(&mut found.links);
    }
    Ok(Command::Compare(found))
}

fn take(found: &mut Compare, name: &str, parser: &mut Parser) -> Result<(), Refusal> {
    match name {
        "data" => found.data.extend(paths(parser, COMMAND)?),
        "predictors" => found.config.predictors = predictors(&text(parser, COMMAND)?)?,
        "delays" => found.config.delays = delays(&text(parser, COMMAND)?)?,
        "bound" => found.config.bound = Some(bound(&text(parser, COMMAND)?)?),
        "link" => found.links.push(link(&text(parser, COMMAND)?)?),
        "format" => {
            let all = [Format::Table, Format::Json, Format::Csv];
            found.format = Format::of(COMMAND, &text(parser, COMMAND)?, &all)?;
        }
        "per-session" => found.per_session = true,
        "fresh" => found.fresh = true,
        "report" => found.report = Some(path(parser, COMMAND)?),
        _ => return Err(unknown(COMMAND, &Word::Option(name.to_string()), OPTIONS)),
    }
    Ok(())
}

fn predictors(list: &str) -> Result<Vec<Predictor>, Refusal> {
    split(list)
        .map(|name| name.parse().map_err(|error| refuse(COMMAND, format!("--predictors: {error}"))))
        .collect()
}

/// At commas, but not at those between brackets: predictors may have parameters.
fn split(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_u32;
    list.split(move |letter| {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    })
    .map(str::trim)
}

fn delays(list: &str) -> Result<Vec<Duration>, Refusal> {
    let delay = |word: &str| match word.parse() {
        Ok(ms) if ms <= LONGEST_MS => Ok(Duration::from_millis(ms)),
        _ => Err(refuse(
            COMMAND,
            format!("--delays: `{word}` is not a whole number of ms up to {LONGEST_MS}"),
        )),
    };
    split(list).map(delay).collect()
}

fn bound(word: &str) -> Result<f64, Refusal> {
    let bound = word.parse().ok().filter(|bound: &f64| bound.is_finite() && *bound > 0.0);
    bound.ok_or_else(|| {
        refuse(COMMAND, format!("--bound: `{word}` is not a length above zero, such as 16 or 0.5"))
    })
}

fn link(spec: &str) -> Result<LinkConfig, Refusal> {
    spec.parse().map_err(|error| refuse(COMMAND, format!("--link: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delays_of(words: &[&str]) -> Vec<u128> {
        let words = std::iter::once("compare").chain(words.iter().copied());
        let Ok(Command::Compare(found)) = parse(Parser::from_iter(words)) else {
            panic!("not understood")
        };
        found.config.receivers.iter().map(|link| link.delay.as_millis()).collect()
    }

    #[test]
    fn every_link_is_a_receiver_and_without_any_there_are_three() {
        assert_eq!(delays_of(&[]), [200, 500, 800]);
        assert_eq!(delays_of(&["--link", "delay=80,loss=0.1", "--link", "delay=30"]), [80, 30]);
    }

    #[test]
    fn predictors_may_have_parameters() {
        let words: Vec<&str> = split("linear, damped(0.5,2),hold").collect();
        assert_eq!(words, ["linear", "damped(0.5,2)", "hold"]);
    }
}
