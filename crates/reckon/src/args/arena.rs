//! `reckon play`, `reckon bots` and `reckon watch`.

use std::path::PathBuf;

use lexopt::Parser;

use super::{Command, Refusal, Word, next, path, refuse, text, unknown};
use crate::help;

/// `reckon play`.
#[derive(Debug)]
pub struct Play {
    /// Without one, the first that is free.
    pub port: Option<u16>,
    pub bots: u16,
    /// A name or a file.
    pub level: String,
    pub record: Option<PathBuf>,
    /// A trained predictor for the bots.
    pub learned: Option<PathBuf>,
}

/// `reckon bots`.
#[derive(Debug)]
pub struct Bots {
    pub join: String,
    pub count: u16,
    pub seconds: Option<u64>,
}

/// `reckon watch`.
#[derive(Debug)]
pub struct Watch {
    pub file: PathBuf,
    pub port: Option<u16>,
}

const MOST_BOTS: u16 = 200;

pub fn play(mut parser: Parser) -> Result<Command, Refusal> {
    let command = "play";
    let known = "--port, --bots, --level, --record or --learned";
    let level = "proving-grounds".to_string();
    let mut found = Play { port: None, bots: 12, level, record: None, learned: None };
    while let Some(word) = next(&mut parser, command)? {
        let Word::Option(name) = &word else {
            return match word {
                Word::Help => Ok(Command::Help(help::PLAY.to_string())),
                word => Err(unknown(command, &word, known)),
            };
        };
        match name.as_str() {
            "port" => found.port = Some(number(command, &text(&mut parser, command)?)?),
            "bots" => found.bots = count(command, &text(&mut parser, command)?, 0)?,
            "level" => found.level = text(&mut parser, command)?,
            "record" => found.record = Some(path(&mut parser, command)?),
            "learned" => found.learned = Some(path(&mut parser, command)?),
            _ => return Err(unknown(command, &word, known)),
        }
    }
    Ok(Command::Play(found))
}

pub fn bots(mut parser: Parser) -> Result<Command, Refusal> {
    let command = "bots";
    let known = "--join, --count or --seconds";
    let (mut join, mut many, mut seconds) = (None, 4, None);
    while let Some(word) = next(&mut parser, command)? {
        let Word::Option(name) = &word else {
            return match word {
                Word::Help => Ok(Command::Help(help::BOTS.to_string())),
                word => Err(unknown(command, &word, known)),
            };
        };
        match name.as_str() {
            "join" => join = Some(text(&mut parser, command)?),
            "count" => many = count(command, &text(&mut parser, command)?, 1)?,
            "seconds" => seconds = Some(number(command, &text(&mut parser, command)?)?),
            _ => return Err(unknown(command, &word, known)),
        }
    }
    let join = join.ok_or_else(|| {
        refuse(command, "no server named; say --join URL, such as http://127.0.0.1:4433/")
    })?;
    Ok(Command::Bots(Bots { join, count: many, seconds }))
}

pub fn watch(mut parser: Parser) -> Result<Command, Refusal> {
    let command = "watch";
    let (mut file, mut port) = (None, None);
    while let Some(word) = next(&mut parser, command)? {
        match &word {
            Word::Help => return Ok(Command::Help(help::WATCH.to_string())),
            Word::Value(value) if file.is_none() => file = Some(PathBuf::from(value)),
            Word::Option(name) if name == "port" => {
                port = Some(number(command, &text(&mut parser, command)?)?);
            }
            _ => return Err(unknown(command, &word, "one FILE and --port")),
        }
    }
    let file = file.ok_or_else(|| refuse(command, "no recording named; say which FILE"))?;
    Ok(Command::Watch(Watch { file, port }))
}

fn number<N: std::str::FromStr>(command: &'static str, word: &str) -> Result<N, Refusal> {
    word.trim()
        .parse()
        .map_err(|_| refuse(command, format!("`{word}` is not a whole number that fits")))
}

fn count(command: &'static str, word: &str, least: u16) -> Result<u16, Refusal> {
    let count = number(command, word)?;
    if (least..=MOST_BOTS).contains(&count) {
        Ok(count)
    } else {
        Err(refuse(command, format!("{count} bots; give {least} to {MOST_BOTS}")))
    }
}
