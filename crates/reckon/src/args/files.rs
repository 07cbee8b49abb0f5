//! The words of the commands that turn one file into another.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::Parser;

use super::{Command, Refusal, Word, next, path, paths, refuse, unknown};
use crate::help;

/// A foreign format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bzflag,
    Slp,
    Replay,
    Shi,
    Dis,
}

const KINDS: [(&str, Kind); 5] = [
    ("bzflag", Kind::Bzflag),
    ("slp", Kind::Slp),
    ("replay", Kind::Replay),
    ("shi", Kind::Shi),
    ("dis", Kind::Dis),
];

/// What such a command may be given; each says what it needs of it.
#[derive(Default)]
struct Given {
    help: bool,
    values: Vec<OsString>,
    data: Vec<PathBuf>,
    output: Option<PathBuf>,
    level: Option<PathBuf>,
    parquet: Option<PathBuf>,
}

/// Reads all words; `options` are those this command has.
fn given(mut parser: Parser, command: &'static str, options: &[&str]) -> Result<Given, Refusal> {
    let mut given = Given::default();
    while let Some(word) = next(&mut parser, command)? {
        match word {
            Word::Help => given.help = true,
            Word::Value(value) => given.values.push(value),
            Word::Option(name) if !options.contains(&name.as_str()) => {
                let known = options.iter().map(|it| format!("--{it}")).collect::<Vec<_>>();
                let known = if known.is_empty() { "--help".to_string() } else { known.join(", ") };
                return Err(unknown(command, &Word::Option(name), &known));
            }
            Word::Option(name) => match name.as_str() {
                "data" => given.data.extend(paths(&mut parser, command)?),
                "output" => given.output = Some(path(&mut parser, command)?),
                "level" => given.level = Some(path(&mut parser, command)?),
                _ => given.parquet = Some(path(&mut parser, command)?),
            },
        }
    }
    Ok(given)
}

/// Exactly these values, or a refusal that says which.
fn exactly<const N: usize>(
    command: &'static str,
    values: Vec<OsString>,
    wanted: [&str; N],
) -> Result<[OsString; N], Refusal> {
    <[OsString; N]>::try_from(values).map_err(|values| {
        if let Some(missing) = wanted.get(values.len()) {
            refuse(command, format!("{missing} is missing"))
        } else {
            refuse(command, format!("`{}` is one word too many", values[N].display()))
        }
    })
}

fn needed(command: &'static str, path: Option<PathBuf>, option: &str) -> Result<PathBuf, Refusal> {
    path.ok_or_else(|| refuse(command, format!("{option} is missing: say where the result goes")))
}

pub fn trend(mut parser: Parser) -> Result<Command, Refusal> {
    let command = "lab trend";
    match next(&mut parser, command)? {
        None | Some(Word::Help) => Ok(Command::Help(help::TREND.to_string())),
        Some(Word::Value(word)) if word == "build" => trend_build(parser),
        Some(Word::Value(word)) if word == "draw" => trend_draw(parser),
        Some(word) => Err(unknown(command, &word, "build or draw")),
    }
}

fn trend_build(parser: Parser) -> Result<Command, Refusal> {
    let command = "lab trend";
    let given = given(parser, command, &["data", "output"])?;
    if given.help {
        return Ok(Command::Help(help::TREND.to_string()));
    }
    let [] = exactly(command, given.values, [])?;
    if given.data.is_empty() {
        return Err(refuse(command, "--data is missing: name the recordings of the level"));
    }
    Ok(Command::TrendBuild { data: given.data, out: needed(command, given.output, "-o")? })
}

fn trend_draw(parser: Parser) -> Result<Command, Refusal> {
    let command = "lab trend";
    let given = given(parser, command, &["level", "output"])?;
    if given.help {
        return Ok(Command::Help(help::TREND.to_string()));
    }
    let [map] = exactly(command, given.values, ["MAP.trend"])?;
    let out = needed(command, given.output, "-o")?;
    Ok(Command::TrendDraw { map: map.into(), level: given.level, out })
}

pub fn import(parser: Parser) -> Result<Command, Refusal> {
    let command = "lab import";
    let given = given(parser, command, &["output"])?;
    if given.help {
        return Ok(Command::Help(help::IMPORT.to_string()));
    }
    let [kind, file] = exactly(command, given.values, ["KIND", "FILE"])?;
    let kind = KINDS.iter().find(|(name, _)| kind == *name).ok_or_else(|| {
        let known = KINDS.map(|(name, _)| name).join(", ");
        refuse(command, format!("no kind `{}`; known: {known}", kind.display()))
    })?;
    let out = needed(command, given.output, "-o")?;
    let name = out.to_string_lossy();
    if !name.ends_with(".reck") && !name.ends_with(".csv.zst") {
        return Err(refuse(command, format!("`{name}` must end in .reck or .csv.zst")));
    }
    Ok(Command::Import { kind: kind.1, file: file.into(), out })
}

pub fn export(parser: Parser) -> Result<Command, Refusal> {
    let command = "lab export";
    let given = given(parser, command, &["parquet"])?;
    if given.help {
        return Ok(Command::Help(help::EXPORT.to_string()));
    }
    let [file] = exactly(command, given.values, ["FILE"])?;
    let parquet = needed(command, given.parquet, "--parquet")?;
    Ok(Command::Export { file: file.into(), parquet })
}

pub fn info(parser: Parser) -> Result<Command, Refusal> {
    let command = "lab info";
    let given = given(parser, command, &[])?;
    if given.help {
        return Ok(Command::Help(help::INFO.to_string()));
    }
    let [file] = exactly(command, given.values, ["FILE"])?;
    Ok(Command::Info { file: file.into() })
}

/// `reckon lab cheats`.
pub fn cheats(parser: Parser) -> Result<Command, Refusal> {
    let command = "lab cheats";
    let given = given(parser, command, &["data"])?;
    if given.help {
        return Ok(Command::Help(help::CHEATS.to_string()));
    }
    let [] = exactly(command, given.values, [])?;
    Ok(Command::Cheats { data: given.data })
}
