//! The words of `reckon lab train` and `reckon lab learned-table`.

use std::path::PathBuf;
use std::str::FromStr;

use lexopt::Parser;
use reckoning_lab::compare::Predictor;
use reckoning_lab::train::{TableConfig, TrainConfig, TrainGoal};

use super::{Command, Refusal, Word, next, path, paths, refuse, text, unknown};
use crate::help;

/// `reckon lab train`.
#[derive(Debug)]
pub struct Train {
    /// Empty: bots.
    pub data: Vec<PathBuf>,
    pub out: PathBuf,
    pub config: TrainConfig,
}

/// `reckon lab learned-table`.
#[derive(Debug)]
pub struct LearnedTable {
    pub data: Vec<PathBuf>,
    pub out: Option<PathBuf>,
    pub config: TableConfig,
}

const GOALS: [(&str, TrainGoal); 3] =
    [("packets", TrainGoal::Packets), ("error", TrainGoal::Error), ("mix", TrainGoal::Mix)];
/// What the table lays beside the trained models.
const BESIDE: &str = "hold,linear,damped,ekb,oaekb-hybrid,interest-hybrid,trend,ant";

/// Options that both commands have; whether it was one.
fn shared(
    config: &mut TrainConfig,
    name: &str,
    parser: &mut Parser,
    command: &'static str,
) -> Result<bool, Refusal> {
    match name {
        "goal" => {
            let word = text(parser, command)?;
            let goal = GOALS.iter().find(|(known, _)| *known == word).map(|it| it.1);
            config.goal = goal.ok_or_else(|| {
                refuse(command, format!("no goal `{word}`; known: packets, error, mix"))
            })?;
        }
        "bounds" => config.bounds = list(&text(parser, command)?, command)?,
        "epochs" => config.epochs = number(&text(parser, command)?, command)?,
        "examples" => config.max_examples = number(&text(parser, command)?, command)?,
        "seed" => config.seed = number(&text(parser, command)?, command)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn number<T: FromStr>(word: &str, command: &'static str) -> Result<T, Refusal> {
    word.trim().parse().map_err(|_| refuse(command, format!("`{word}` is not such a number")))
}

fn list<T: FromStr>(words: &str, command: &'static str) -> Result<Vec<T>, Refusal> {
    words.split(',').map(|word| number(word, command)).collect()
}

pub fn parse(mut parser: Parser) -> Result<Command, Refusal> {
    let command = "lab train";
    let mut found = Train { data: Vec::new(), out: PathBuf::new(), config: TrainConfig::default() };
    while let Some(word) = next(&mut parser, command)? {
        match &word {
            Word::Help => return Ok(Command::Help(help::TRAIN.to_string())),
            Word::Option(name) if name == "data" => {
                found.data.extend(paths(&mut parser, command)?);
            }
            Word::Option(name) if name == "output" => found.out = path(&mut parser, command)?,
            Word::Option(name) if shared(&mut found.config, name, &mut parser, command)? => {}
            _ => {
                let known = "--data, -o, --bounds, --goal, --epochs, --examples or --seed";
                return Err(unknown(command, &word, known));
            }
        }
    }
    if found.out.as_os_str().is_empty() {
        return Err(refuse(command, "no file to write; say -o game.reck-model"));
    }
    Ok(Command::Train(found))
}

pub fn table(mut parser: Parser) -> Result<Command, Refusal> {
    let command = "lab learned-table";
    let config = TableConfig { train: TrainConfig::default(), predictors: predictors(BESIDE)? };
    let mut found = LearnedTable { data: Vec::new(), out: None, config };
    while let Some(word) = next(&mut parser, command)? {
        match &word {
            Word::Help => return Ok(Command::Help(help::LEARNED_TABLE.to_string())),
            Word::Option(name) if name == "data" => {
                found.data.extend(paths(&mut parser, command)?);
            }
            Word::Option(name) if name == "output" => {
                found.out = Some(path(&mut parser, command)?);
            }
            Word::Option(name) if name == "predictors" => {
                found.config.predictors = predictors(&text(&mut parser, command)?)?;
            }
            Word::Option(name) if shared(&mut found.config.train, name, &mut parser, command)? => {}
            _ => {
                let known =
                    "--data, -o, --predictors, --bounds, --goal, --epochs, --examples or --seed";
                return Err(unknown(command, &word, known));
            }
        }
    }
    if found.data.is_empty() {
        return Err(refuse(command, "no recordings; say --data PATH"));
    }
    Ok(Command::LearnedTable(found))
}

fn predictors(names: &str) -> Result<Vec<Predictor>, Refusal> {
    let parsed = names.split(',').map(str::parse::<Predictor>);
    parsed.collect::<Result<_, _>>().map_err(|error| refuse("lab learned-table", error))
}
