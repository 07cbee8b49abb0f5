//! From words to commands. Nothing is read or written here.

mod arena;
mod compare;
mod files;
mod serve;
mod train;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use lexopt::Arg::{Long, Short, Value};
use lexopt::Parser;
use reckoning_lab::reproduce::Document;

pub use arena::{Bots, Play, Watch};
pub use compare::{Compare, Format};
pub use files::Kind;
pub use serve::{Mint, Serve};
pub use train::{LearnedTable, Train};

use crate::help;

/// A command that was understood.
#[derive(Debug)]
pub enum Command {
    Help(String),
    Compare(Compare),
    Reproduce(Reproduce),
    Cheats { data: Vec<PathBuf> },
    TrendBuild { data: Vec<PathBuf>, out: PathBuf },
    TrendDraw { map: PathBuf, level: Option<PathBuf>, out: PathBuf },
    Import { kind: Kind, file: PathBuf, out: PathBuf },
    Export { file: PathBuf, parquet: PathBuf },
    Info { file: PathBuf },
    Play(Play),
    Bots(Bots),
    Watch(Watch),
    Serve(Serve),
    NewKey,
    Mint(Mint),
    Train(Train),
    LearnedTable(LearnedTable),
}

/// `reckon lab reproduce`.
#[derive(Debug)]
pub struct Reproduce {
    pub documents: Vec<Document>,
    pub json: bool,
    pub report: Option<PathBuf>,
}

/// Why the words were not understood.
#[derive(Debug)]
pub struct Refusal {
    /// What is wrong, naming the word.
    said: String,
    /// The command whose help may serve.
    command: &'static str,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.command.is_empty() { "" } else { " " };
        write!(f, "{}\ntry: reckon{space}{} --help", self.said, self.command)
    }
}

/// A refusal of this command.
fn refuse(command: &'static str, said: impl fmt::Display) -> Refusal {
    Refusal { said: said.to_string(), command }
}

const DOCUMENTS: [(&str, Document); 5] = [
    ("murphy", Document::Murphy),
    ("thesis", Document::Thesis),
    ("li", Document::Li),
    ("shi", Document::Shi),
    ("steele", Document::Steele),
];

/// Understands the words after the program's name.
pub fn parse(mut parser: Parser) -> Result<Command, Refusal> {
    let command = "";
    match next(&mut parser, command)? {
        None | Some(Word::Help) => Ok(Command::Help(help::TOP.to_string())),
        Some(Word::Option(name)) if name == "version" => {
            Ok(Command::Help(format!("reckon {}\n", env!("CARGO_PKG_VERSION"))))
        }
        Some(Word::Value(word)) if word == "lab" => lab(parser),
        Some(Word::Value(word)) if word == "play" => arena::play(parser),
        Some(Word::Value(word)) if word == "bots" => arena::bots(parser),
        Some(Word::Value(word)) if word == "watch" => arena::watch(parser),
        Some(Word::Value(word)) if word == "serve" => serve::serve(parser),
        Some(Word::Value(word)) if word == "token" => serve::token(parser),
        Some(word) => {
            let known = "play, watch, bots, serve, token, lab, --help or --version";
            Err(unknown(command, &word, known))
        }
    }
}

fn lab(mut parser: Parser) -> Result<Command, Refusal> {
    let commands =
        "compare, reproduce, cheats, train, learned-table, trend, import, export or info";
    let command = match next(&mut parser, "lab")? {
        None | Some(Word::Help) => return Ok(Command::Help(help::LAB.to_string())),
        Some(word) => word,
    };
    match command.value().and_then(|word| word.to_str()) {
        Some("compare") => compare::parse(parser),
        Some("reproduce") => reproduce(parser),
        Some("cheats") => files::cheats(parser),
        Some("train") => train::parse(parser),
        Some("learned-table") => train::table(parser),
        Some("trend") => files::trend(parser),
        Some("import") => files::import(parser),
        Some("export") => files::export(parser),
        Some("info") => files::info(parser),
        _ => Err(unknown("lab", &command, commands)),
    }
}

fn reproduce(mut parser: Parser) -> Result<Command, Refusal> {
    let command = "lab reproduce";
    let mut found = Reproduce { documents: Vec::new(), json: false, report: None };
    while let Some(word) = next(&mut parser, command)? {
        match &word {
            Word::Help => return Ok(Command::Help(help::REPRODUCE.to_string())),
            Word::Value(name) => found.documents.extend(documents(command, name)?),
            Word::Option(name) => match name.as_str() {
                "format" => {
                    let format = text(&mut parser, command)?;
                    found.json = Format::of(command, &format, &[Format::Table, Format::Json])?
                        == Format::Json;
                }
                "report" => found.report = Some(path(&mut parser, command)?),
                _ => return Err(unknown(command, &word, "--format or --report")),
            },
        }
    }
    if found.documents.is_empty() {
        return Err(refuse(
            command,
            "no document named; say murphy, thesis, li, shi, steele or all",
        ));
    }
    Ok(Command::Reproduce(found))
}

fn documents(command: &'static str, name: &OsString) -> Result<Vec<Document>, Refusal> {
    if name == "all" {
        return Ok(DOCUMENTS.map(|(_, document)| document).to_vec());
    }
    let known = DOCUMENTS.iter().find(|(known, _)| name == known);
    known.map(|known| vec![known.1]).ok_or_else(|| {
        let name = name.display();
        refuse(command, format!("no document `{name}`; say murphy, thesis, li, shi, steele or all"))
    })
}

/// The next word of a command line.
#[derive(Debug)]
enum Word {
    Help,
    /// An option's long name, without dashes.
    Option(String),
    Value(OsString),
}

impl Word {
    fn value(&self) -> Option<&OsString> {
        if let Self::Value(value) = self { Some(value) } else { None }
    }
}

fn next(parser: &mut Parser, command: &'static str) -> Result<Option<Word>, Refusal> {
    let word = parser.next().map_err(|error| refuse(command, error))?;
    Ok(word.map(|word| match word {
        Short('h') | Long("help") => Word::Help,
        Short('o') => Word::Option("output".to_string()),
        Short('V') => Word::Option("version".to_string()),
        Short(letter) => Word::Option(letter.to_string()),
        Long(name) => Word::Option(name.to_string()),
        Value(value) => Word::Value(value),
    }))
}

/// The refusal of a word, with those that would do.
fn unknown(command: &'static str, word: &Word, known: &str) -> Refusal {
    let word = match word {
        Word::Help => "--help".to_string(),
        Word::Option(name) if name.chars().count() == 1 => format!("-{name}"),
        Word::Option(name) => format!("--{name}"),
        Word::Value(value) => value.display().to_string(),
    };
    refuse(command, format!("`{word}` is not understood here; known: {known}"))
}

/// The value of the option just read, as text.
fn text(parser: &mut Parser, command: &'static str) -> Result<String, Refusal> {
    let value = parser.value().map_err(|error| refuse(command, error))?;
    value
        .into_string()
        .map_err(|value| refuse(command, format!("`{}` is not text in UTF-8", value.display())))
}

/// The value of the option just read, as a path.
fn path(parser: &mut Parser, command: &'static str) -> Result<PathBuf, Refusal> {
    parser.value().map(PathBuf::from).map_err(|error| refuse(command, error))
}

/// All values of the option just read, as paths.
fn paths(parser: &mut Parser, command: &'static str) -> Result<Vec<PathBuf>, Refusal> {
    let values = parser.values().map_err(|error| refuse(command, error))?;
    Ok(values.map(PathBuf::from).collect())
}
