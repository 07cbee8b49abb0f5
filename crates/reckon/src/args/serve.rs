//! `reckon serve` and `reckon token`.

use std::path::PathBuf;

use lexopt::Parser;

use super::{Command, Refusal, Word, next, path, refuse, text, unknown};
use crate::help;

/// `reckon serve`.
#[derive(Debug, Default)]
pub struct Serve {
    pub config: Option<PathBuf>,
    /// In the order given; later ones win.
    pub assignments: Vec<String>,
    /// The arena, on this level; without, bodies are relayed.
    pub level: Option<String>,
}

/// `reckon token --key`.
#[derive(Debug)]
pub struct Mint {
    pub key: PathBuf,
    pub minutes: u64,
    pub entities: Vec<u32>,
}

pub fn serve(mut parser: Parser) -> Result<Command, Refusal> {
    let command = "serve";
    let known = "--config, --set, --listen, --level, --record, --token-key or --print-config";
    let mut found = Serve::default();
    while let Some(word) = next(&mut parser, command)? {
        let Word::Option(name) = &word else {
            return match word {
                Word::Help => Ok(Command::Help(help::SERVE.to_string())),
                word => Err(unknown(command, &word, known)),
            };
        };
        match name.as_str() {
            "config" => found.config = Some(path(&mut parser, command)?),
            "set" => found.assignments.push(text(&mut parser, command)?),
            "listen" => found.set("listen", &text(&mut parser, command)?),
            "level" => found.level = Some(text(&mut parser, command)?),
            "record" => found.set("recording.folder", &text(&mut parser, command)?),
            "token-key" => {
                found.set("access", "token");
                found.set("token_key_file", &text(&mut parser, command)?);
            }
            "print-config" => {
                return Ok(Command::Help(reckoning_server::settings::DEFAULT_FILE.to_string()));
            }
            _ => return Err(unknown(command, &word, known)),
        }
    }
    Ok(Command::Serve(found))
}

impl Serve {
    /// Text, so that a folder called `7` stays one.
    fn set(&mut self, name: &str, value: &str) {
        self.assignments.push(format!("{name}={value:?}"));
    }
}

pub fn token(mut parser: Parser) -> Result<Command, Refusal> {
    let command = "token";
    let known = "--new-key, --key, --minutes or --entities";
    let (mut key, mut minutes, mut entities) = (None, 60, Vec::new());
    while let Some(word) = next(&mut parser, command)? {
        let Word::Option(name) = &word else {
            return match word {
                Word::Help => Ok(Command::Help(help::TOKEN.to_string())),
                word => Err(unknown(command, &word, known)),
            };
        };
        match name.as_str() {
            "new-key" => return Ok(Command::NewKey),
            "key" => key = Some(path(&mut parser, command)?),
            "minutes" => minutes = number(&text(&mut parser, command)?)?,
            "entities" => entities = numbers(&text(&mut parser, command)?)?,
            _ => return Err(unknown(command, &word, known)),
        }
    }
    let key = key.ok_or_else(|| refuse(command, "no key named; say --key FILE or --new-key"))?;
    Ok(Command::Mint(Mint { key, minutes, entities }))
}

fn number<N: std::str::FromStr>(word: &str) -> Result<N, Refusal> {
    word.trim()
        .parse()
        .map_err(|_| refuse("token", format!("`{word}` is not a whole number that fits")))
}

fn numbers(words: &str) -> Result<Vec<u32>, Refusal> {
    let entities: Vec<u32> = words.split(',').map(number).collect::<Result<_, _>>()?;
    let most = reckoning_server::token::MAX_ENTITIES;
    if entities.len() > most {
        return Err(refuse("token", format!("{} entities; a token names {most}", entities.len())));
    }
    Ok(entities)
}
