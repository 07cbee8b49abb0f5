//! The command line: its words, and the text behind `--help`.

use std::fmt;

use crate::bindings::{self, Asked};
use crate::figures;
use crate::fuzz::Fuzzing;

/// What the caller asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    Help,
    Test,
    /// With these words for `reckon play`.
    Play(Vec<String>),
    Page,
    Scenes,
    Bench,
    Tables,
    Soak,
    Fuzz(Fuzzing),
    Bindings(Asked),
    Figures(Figures),
}

/// What to do about the figures in the documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Figures {
    /// Make these fragments, or all when none is named, and splice.
    Measure(Vec<String>),
    /// Only splice.
    Splice,
}

/// Every command but help: its word, what it stands for and the line of the help text.
const COMMANDS: [(&str, Command, &str); 10] = [
    ("test", Command::Test, "run every check there is; the answer to \"may I commit this?\""),
    (
        "play",
        Command::Play(Vec::new()),
        "build the arena and start it; prints the link to open in a browser",
    ),
    ("page", Command::Page, "build only the arena's page, into target/page"),
    ("scenes", Command::Scenes, "run the scenes and draw them: what dead reckoning looks like"),
    ("bench", Command::Bench, "measure the engine's speed and say what the figures mean"),
    (
        "tables",
        Command::Tables,
        "write the committed quality tables anew, to see a change as a diff",
    ),
    (
        "soak",
        Command::Soak,
        "play for a day of virtual time, with ten thousand histories of faults",
    ),
    (
        "fuzz",
        Command::Fuzz(Fuzzing::DEFAULT),
        "feed every reader made-up bytes for a minute each, to break it",
    ),
    (
        "bindings",
        Command::Bindings(Asked::DEFAULT),
        "build what another language needs, or test it: bindings c, js, py, bevy",
    ),
    (
        "figures",
        Command::Figures(Figures::Measure(Vec::new())),
        "measure the figures of the documents and write them there",
    ),
];

/// The end of the help text.
const NEEDS: &str = "\
`play` takes what `reckon play` takes, such as `--level hills` or `--bots 30`.
`figures` takes names of fragments in docs/figures and measures only those, or
`--splice`, which measures nothing and puts the fragments into the documents.
`fuzz` takes names of targets, `--seconds N` for each and `--jobs N` side by side;
it needs a nightly compiler, cargo-fuzz and a compiler for C++.
`bindings` takes the name of one and `--into FOLDER`, or `--test`; `--client` adds the
client, `--write` writes what is generated anew.

Works from any folder of the repository. `test` needs rustup for two compiler
targets and Node for the WebAssembly check, `play` for one target; they are
installed if that is easy, else it says how. With npm, `test` also fetches axe-core
and checks by it that everyone can use the page.
";

/// Words that mean no command.
#[derive(Debug, PartialEq, Eq)]
pub struct Unknown {
    words: Vec<String>,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<&str> = COMMANDS.iter().map(|&(word, ..)| word).collect();
        writeln!(f, "cargo xtask does not know: {}", self.words.join(" "))?;
        writeln!(f, "it knows, one at a time: {}; --help explains them", known.join(", "))?;
        write!(f, "and behind figures: {}, --splice", figures::names().join(", "))?;
        write!(f, "; behind bindings: {}", bindings::names().join(", "))
    }
}

/// Reads the words after `cargo xtask`. Exactly one command is taken, none means help; only `play`,
/// `figures` and `fuzz` take more words.
pub fn parse(words: &[String]) -> Result<Command, Unknown> {
    match words {
        [] => Ok(Command::Help),
        [word] if matches!(word.as_str(), "help" | "--help" | "-h") => Ok(Command::Help),
        [word, rest @ ..] => match COMMANDS.iter().find(|(name, ..)| name == word) {
            Some((_, Command::Bindings(_), _)) => {
                Asked::parse(rest).map(Command::Bindings).map_err(|words| Unknown { words })
            }
            Some((_, command, _)) if rest.is_empty() => Ok(command.clone()),
            Some((_, Command::Fuzz(_), _)) => {
                Fuzzing::parse(rest).map(Command::Fuzz).map_err(|words| Unknown { words })
            }
            Some((_, Command::Figures(_), _)) => parse_figures(rest).map(Command::Figures),
            Some((_, Command::Play(_), _)) => Ok(Command::Play(rest.to_vec())),
            Some(_) => Err(Unknown { words: rest.to_vec() }),
            None => Err(Unknown { words: words.to_vec() }),
        },
    }
}

fn parse_figures(words: &[String]) -> Result<Figures, Unknown> {
    if words == ["--splice"] {
        return Ok(Figures::Splice);
    }
    let unknown: Vec<String> = words.iter().filter(|it| !figures::is_known(it)).cloned().collect();
    if unknown.is_empty() {
        Ok(Figures::Measure(words.to_vec()))
    } else {
        Err(Unknown { words: unknown })
    }
}

/// The text behind `--help`.
pub fn help() -> String {
    let commands: Vec<String> =
        COMMANDS.iter().map(|(word, _, line)| format!("  {word:<10}{line}\n")).collect();
    format!("cargo xtask COMMAND\n\n{}\n{NEEDS}", commands.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, Unknown> {
        parse(&line.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn every_command_is_understood_and_explained() {
        for (word, command, line) in COMMANDS {
            let name = if word == "bindings" { "bindings c" } else { word };
            assert_eq!(parsed(name), Ok(command));
            assert!(help().contains(line), "{word}");
        }
    }

    #[test]
    fn no_word_means_help() {
        for line in ["", "help", "--help", "-h"] {
            assert_eq!(parsed(line), Ok(Command::Help), "{line:?}");
        }
    }

    #[test]
    fn an_unknown_word_is_named_beside_the_known_ones() {
        let message = parsed("tset").unwrap_err().to_string();

        assert!(message.contains("does not know: tset"), "{message}");
        assert!(
            message
                .contains("test, play, page, scenes, bench, tables, soak, fuzz, bindings, figures"),
            "{message}"
        );
    }

    #[test]
    fn what_is_behind_play_is_for_the_arena() {
        let words = vec!["--level".to_owned(), "hills".to_owned()];

        assert_eq!(parsed("play --level hills"), Ok(Command::Play(words)));
    }

    #[test]
    fn figures_may_be_named_or_only_spliced() {
        let named = Figures::Measure(vec!["speed".to_owned(), "bytes".to_owned()]);

        assert_eq!(parsed("figures speed bytes"), Ok(Command::Figures(named)));
        assert_eq!(parsed("figures --splice"), Ok(Command::Figures(Figures::Splice)));
        let message = parsed("figures sped").unwrap_err().to_string();
        assert!(message.contains("does not know: sped"), "{message}");
        assert!(message.contains("behind figures: learned, bytes"), "{message}");
    }

    #[test]
    fn words_after_a_command_are_refused_rather_than_ignored() {
        let message = parsed("test --fast").unwrap_err().to_string();

        assert!(message.contains("does not know: --fast"), "{message}");
    }
}
