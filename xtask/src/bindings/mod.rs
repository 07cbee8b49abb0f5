//! Bindings to other languages: built, packed and tested, each in a workspace of its own below
//! `bindings`, with its build products in `target/bindings`.
//!
//! What their tests print as `golden LANGUAGE SCENE: ...` is a row of the table
//! `testdata/bindings/results.txt`, which must stay as it is.

mod bevy;
mod c;
mod js;
mod py;
mod results;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::checks::Outcome;
use crate::failure::Failure;
use crate::say;
use crate::skips;
use crate::workspace::{self, Workspace};

/// A language, or an engine of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    C,
    Js,
    Py,
    Bevy,
}

/// Every one, with its word and its tests, in the order in which they are tested.
const ALL: [(Binding, &str); 4] =
    [(Binding::C, "c"), (Binding::Js, "js"), (Binding::Py, "py"), (Binding::Bevy, "bevy")];

/// What to do about a binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    binding: Binding,
    /// Run its tests.
    test: bool,
    /// With the client.
    client: bool,
    /// Write generated files and rows of the table anew, instead of comparing them.
    write: bool,
    /// Where what is built shall be put.
    into: Option<PathBuf>,
}

impl Asked {
    pub const DEFAULT: Self =
        Self { binding: Binding::C, test: false, client: false, write: false, into: None };

    /// Reads the words behind `bindings`; those it does not know are the error.
    pub fn parse(words: &[String]) -> Result<Self, Vec<String>> {
        let (first, rest) = words.split_first().ok_or_else(|| vec!["bindings".to_owned()])?;
        let named = ALL.iter().find(|(_, word)| word == first);
        let (binding, _) = named.ok_or_else(|| vec![first.clone()])?;
        let mut asked = Self { binding: *binding, ..Self::DEFAULT };
        let mut rest = rest.iter();
        while let Some(word) = rest.next() {
            match word.as_str() {
                "--test" => asked.test = true,
                "--client" => asked.client = true,
                "--write" => asked.write = true,
                "--into" => {
                    let folder = rest.next().ok_or_else(|| vec![word.clone()])?;
                    // From the caller's folder; programs run in the root.
                    let folder = std::path::absolute(folder);
                    asked.into = Some(folder.map_err(|_| vec![word.clone()])?);
                }
                _ => return Err(vec![word.clone()]),
            }
        }
        Ok(asked)
    }
}

/// The words that name bindings.
pub fn names() -> Vec<&'static str> {
    ALL.iter().map(|(_, word)| *word).collect()
}

/// Builds a binding, or tests it.
pub fn run(workspace: &Workspace, asked: &Asked) -> Result<(), Failure> {
    let place = Place::new(workspace, asked.binding);
    if !asked.test {
        return match asked.binding {
            Binding::C => c::build(&place, asked),
            Binding::Js => js::build(&place, asked),
            Binding::Py => py::build(&place, asked),
            Binding::Bevy => bevy::build(&place),
        };
    }
    match test(&place, asked.write)? {
        Outcome::Passed => say::success("\nThe binding is well."),
        Outcome::Skipped(reason) => say::skipped(&format!("skipped: {reason}")),
    }
    Ok(())
}

/// Tests every binding whose tools are there or can be installed.
pub fn test_all(workspace: &Workspace) -> Result<Outcome, Failure> {
    for (binding, word) in ALL {
        if binding == Binding::Bevy && std::env::var_os(bevy::VARIABLE).is_none() {
            skips::add(&workspace.target, "bindings/bevy", bevy::LEFT_OUT)?;
            say::skipped(&format!("skipped: bindings/bevy: {}", bevy::LEFT_OUT));
            continue;
        }
        say::headline(&format!("bindings/{word}"));
        if let Outcome::Skipped(reason) = test(&Place::new(workspace, binding), false)? {
            say::skipped(&format!("skipped: {reason}"));
            skips::add(&workspace.target, &format!("bindings/{word}"), reason)?;
        }
    }
    Ok(Outcome::Passed)
}

fn test(place: &Place, writes: bool) -> Result<Outcome, Failure> {
    match place.binding {
        Binding::C => c::test(place, writes),
        Binding::Js => js::test(place, writes),
        Binding::Py => py::test(place, writes),
        Binding::Bevy => bevy::test(place),
    }
}

/// Where a binding is, and where what it builds goes.
pub struct Place<'a> {
    workspace: &'a Workspace,
    binding: Binding,
    name: &'static str,
    /// Build products.
    pub target: PathBuf,
}

impl<'a> Place<'a> {
    fn new(workspace: &'a Workspace, binding: Binding) -> Self {
        let name = ALL.iter().find(|(it, _)| *it == binding).map_or("c", |(_, word)| *word);
        let target = workspace.target.join("bindings").join(name);
        Self { workspace, binding, name, target }
    }

    /// A file of the binding.
    pub fn file(&self, name: &str) -> PathBuf {
        self.workspace.root.join("bindings").join(self.name).join(name)
    }

    /// Any program, in the root folder, by what is meant for it and not for the main workspace.
    pub fn program(&self, name: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = self.workspace.program(name);
        command.env("CARGO_TARGET_DIR", &self.target);
        for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"] {
            command.env_remove(name);
        }
        command
    }

    /// `cargo` with these words; the first is its command, which is told the manifest.
    pub fn cargo(&self, words: &str) -> Command {
        let (command, words) = words.split_once(' ').unwrap_or((words, ""));
        let mut cargo = self.program(self.workspace.cargo("").get_program());
        cargo.arg(command).arg("--manifest-path");
        cargo.arg(format!("bindings/{}/Cargo.toml", self.name));
        cargo.args(words.split_whitespace());
        cargo
    }

    /// Format, lints of these features, and licences.
    pub fn check_source(&self, features: &[&str]) -> Result<(), Failure> {
        workspace::run(&mut self.cargo("fmt --all --check"))?;
        for features in features {
            let words =
                format!("clippy --release --locked --all-targets {features} -- -D warnings");
            workspace::run(&mut self.cargo(&words))?;
        }
        let words = "test --quiet -p xtask --test licences -- --ignored --nocapture";
        let mut licences = self.workspace.cargo(words);
        workspace::run(licences.env("RECKONING_MANIFEST", self.file("Cargo.toml")))
    }

    /// Runs a test program, shows what it prints, and takes its rows of the table.
    pub fn run_golden(&self, program: &mut Command, writes: bool) -> Result<(), Failure> {
        let printed = workspace::run_for_output(program)?;
        say::note(printed.trim_end());
        results::compare(&self.workspace.root, &printed, writes)
    }

    /// The golden scenes, from the root folder.
    pub const SCRIPT: &'static str = "testdata/bindings/golden.txt";

    /// A part that cannot be tested here.
    pub fn skip(&self, part: &str, reason: &str) -> Result<(), Failure> {
        say::skipped(&format!("skipped: {part}: {reason}"));
        skips::add(&self.workspace.target, &format!("bindings/{}, {part}", self.name), reason)
    }

    /// An empty folder for a reader's first steps, below the root.
    pub fn empty_folder(&self, name: &str) -> Result<PathBuf, Failure> {
        let path = self.target.join(name);
        let _ = fs::remove_dir_all(&path);
        create(&path)?;
        Ok(path)
    }

    /// Runs the lines of `examples/first.sh` in an empty folder, with these files of the examples.
    /// The page of the guide must print them and each file as they are.
    pub fn run_first_steps(
        &self,
        page: &str,
        files: &[&str],
        expected: &str,
    ) -> Result<(), Failure> {
        let guide = read(&self.workspace.root.join("docs/guide").join(page))?;
        for name in files.iter().chain(&["first.sh"]) {
            let text = read(&self.file(&format!("examples/{name}")))?;
            demand(guide.contains(&format!("\n{text}```")), page, &text)?;
        }
        let folder = self.empty_folder("guide")?;
        for name in files.iter().chain(&["first.sh"]) {
            copy(&self.file(&format!("examples/{name}")), &folder.join(name))?;
        }
        let mut shell = self.workspace.program("sh");
        shell.args(["-eu", "first.sh"]).current_dir(&folder).env_remove("CARGO_TARGET_DIR");
        let printed = workspace::run_for_output(&mut shell)?;
        say::note(printed.trim_end());
        demand(printed.contains(expected), "the first program of the guide", expected)
    }
}

/// Fails unless it holds.
fn demand(holds: bool, what: &str, wanted: &str) -> Result<(), Failure> {
    if holds {
        return Ok(());
    }
    Err(Failure::Binding { complaint: format!("{what} must say {wanted:?}") })
}

fn read(path: &Path) -> Result<String, Failure> {
    let failed = |error| Failure::Unreadable { path: path.to_owned(), error };
    fs::read_to_string(path).map_err(failed)
}

fn create(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| Failure::Unwritable { path: path.to_owned(), error })
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    if let Some(folder) = to.parent() {
        create(folder)?;
    }
    let failed = |error| Failure::Unwritable { path: to.to_owned(), error };
    fs::copy(from, to).map(drop).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Asked, Vec<String>> {
        Asked::parse(&line.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_binding_is_named_and_the_rest_is_in_any_order() {
        let asked = parsed("c --into sdk --client").unwrap();
        assert!(asked.client && !asked.test);
        assert_eq!(asked.into, std::path::absolute("sdk").ok());
        assert!(parsed("c --test").unwrap().test);
    }

    #[test]
    fn what_is_not_known_is_named() {
        assert_eq!(parsed("cobol"), Err(vec!["cobol".to_owned()]));
        assert_eq!(parsed("c --fast"), Err(vec!["--fast".to_owned()]));
        assert_eq!(parsed("c --into"), Err(vec!["--into".to_owned()]));
    }
}
