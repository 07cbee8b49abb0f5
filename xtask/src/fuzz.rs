//! `cargo xtask fuzz`: every fuzz target for a while, on a nightly compiler.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::failure::Failure;
use crate::say;
use crate::tools;
use crate::workspace::{self, Workspace};

/// An input that takes longer is reported as a hang.
const TIMEOUT_S: u32 = 25;
/// A reader's cap and the fuzzer's own needs; more is reported as a leak.
const MEMORY_MB: u32 = 2_048;

/// Which targets are fuzzed, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fuzzing {
    /// All when none is named.
    pub targets: Vec<String>,
    pub seconds: u32,
    /// Targets that run side by side.
    pub jobs: usize,
}

impl Fuzzing {
    pub const DEFAULT: Self = Self { targets: Vec::new(), seconds: 60, jobs: 1 };

    /// Reads the words behind `fuzz`; those not understood come back.
    pub fn parse(words: &[String]) -> Result<Self, Vec<String>> {
        let (mut asked, mut words) = (Self::DEFAULT, words.iter());
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|it| it.parse::<u32>().ok());
            let known = match word.as_str() {
                "--seconds" => number().map(|it| asked.seconds = it),
                "--jobs" => number().map(|it| asked.jobs = it.max(1) as usize),
                name if name.starts_with('-') => None,
                name => {
                    asked.targets.push(name.to_owned());
                    Some(())
                }
            };
            known.ok_or_else(|| vec![word.clone()])?;
        }
        Ok(asked)
    }
}

/// Fuzzes and names the input that broke a target.
pub fn run(workspace: &Workspace, asked: &Fuzzing) -> Result<(), Failure> {
    let targets = chosen(workspace, asked)?;
    tools::require_fuzzer(workspace)?;
    // Once, so that those side by side do not wait for each other.
    workspace::run(&mut fuzzer(workspace, "build"))?;
    let queue = Mutex::new((1..).zip(&targets));
    let broken = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..asked.jobs.min(targets.len()) {
            scope.spawn(|| {
                while let Some((number, target)) = next(&queue) {
                    say::note(&format!("[{number}/{}] {target}", targets.len()));
                    if let Err(failure) = fuzz(workspace, target, asked.seconds) {
                        broken.lock().unwrap_or_else(PoisonError::into_inner).push(failure);
                    }
                }
            });
        }
    });
    if let Some(failure) = broken.into_inner().unwrap_or_default().into_iter().next() {
        return Err(failure);
    }
    say::success(&format!("{} targets, {} s each: nothing", targets.len(), asked.seconds));
    Ok(())
}

fn next<'a>(
    queue: &Mutex<impl Iterator<Item = (usize, &'a String)>>,
) -> Option<(usize, &'a String)> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).next()
}

/// The targets asked for, or all, as the fuzzer's own manifest lists them.
fn chosen(workspace: &Workspace, asked: &Fuzzing) -> Result<Vec<String>, Failure> {
    let path = workspace.root.join("fuzz/Cargo.toml");
    let manifest = fs::read_to_string(&path)
        .map_err(|error| Failure::Unreadable { path: path.clone(), error })?;
    let known = names(&manifest);
    let Some(unknown) = asked.targets.iter().find(|it| !known.contains(it)) else {
        return Ok(if asked.targets.is_empty() { known } else { asked.targets.clone() });
    };
    let what = format!("a fuzz target called {unknown}");
    Err(Failure::Missing { what, remedy: "fuzz/Cargo.toml lists those there are" })
}

fn names(manifest: &str) -> Vec<String> {
    let bins = manifest.split("[[bin]]").skip(1);
    let name = |bin: &str| bin.split('"').nth(1).map(str::to_owned);
    bins.filter_map(name).collect()
}

fn fuzzer(workspace: &Workspace, word: &str) -> std::process::Command {
    let mut command = workspace.program("cargo");
    command.args(["+nightly", "fuzz", word]);
    // Not into the folder of everything else: it is another compiler.
    command.env_remove("CARGO_TARGET_DIR").env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
    command
}

fn fuzz(workspace: &Workspace, target: &str, seconds: u32) -> Result<(), Failure> {
    let folder = |name: &str| workspace.root.join("fuzz").join(name).join(target);
    let (corpus, seeds) = (folder("corpus"), folder("seeds"));
    for path in [&corpus, &seeds, &workspace.target] {
        fs::create_dir_all(path)
            .map_err(|error| Failure::Unwritable { path: path.clone(), error })?;
    }
    let log = workspace.target.join(format!("fuzz-{target}.log"));
    let mut command = fuzzer(workspace, "run");
    command.arg(target).args([&corpus, &seeds]).arg("--");
    command.arg(format!("-max_total_time={seconds}")).arg(format!("-timeout={TIMEOUT_S}"));
    command.arg(format!("-rss_limit_mb={MEMORY_MB}")).arg("-print_final_stats=1");
    let unwritable = |error| Failure::Unwritable { path: log.clone(), error };
    let out = File::create(&log).map_err(unwritable)?;
    command.stdout(out.try_clone().map_err(unwritable)?).stderr(out);
    let status = command.status();
    let text = fs::read_to_string(&log).unwrap_or_default();
    match status {
        Ok(status) if status.success() => {
            say::success(&format!("{target}: {} inputs, nothing", count(&text)));
            Ok(())
        }
        _ => {
            let found = artefact(&text, &workspace.root);
            say::failure(&format!("{target}: broken, see {}", log.display()));
            Err(Failure::Fuzzed { target: target.to_owned(), found, log })
        }
    }
}

/// How many inputs were tried.
fn count(log: &str) -> &str {
    let line = log.lines().find_map(|it| it.strip_prefix("stat::number_of_executed_units:"));
    line.map_or("some", str::trim)
}

/// Where the fuzzer put the input that broke the target; none when it was not even built.
fn artefact(log: &str, root: &Path) -> Option<PathBuf> {
    let (_, rest) = log.split_once("Test unit written to ")?;
    let path = Path::new(rest.lines().next()?.trim());
    Some(path.strip_prefix(root).unwrap_or(path).to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Fuzzing, Vec<String>> {
        Fuzzing::parse(&line.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn targets_and_times_are_understood() {
        assert_eq!(parsed(""), Ok(Fuzzing::DEFAULT));
        let two = Fuzzing { targets: vec!["wire".into(), "csv".into()], seconds: 600, jobs: 2 };
        assert_eq!(parsed("wire --seconds 600 csv --jobs 2"), Ok(two));
        assert_eq!(parsed("--jobs many"), Err(vec!["--jobs".into()]));
        assert_eq!(parsed("wire --fast"), Err(vec!["--fast".into()]));
    }

    #[test]
    fn targets_are_those_of_the_manifest_and_of_the_list() {
        let manifest = include_str!("../../fuzz/Cargo.toml");
        let list = include_str!("../../crates/reckoning-fuzz-targets/src/lib.rs");
        let known = names(manifest);
        assert!(known.len() > 20, "{known:?}");
        for name in &known {
            assert!(list.contains(&format!("(\"{name}\", {name})")), "{name} is not in TARGETS");
        }
        assert_eq!(list.matches("\", ").count(), known.len(), "TARGETS has more");
    }

    #[test]
    fn an_input_that_breaks_a_target_is_found_in_the_log() {
        let log =
            "x\nartifact_prefix='/r/'; Test unit written to /r/fuzz/artifacts/wire/crash-1\ny";
        let found = artefact(log, Path::new("/r")).unwrap();
        assert_eq!(found, Path::new("fuzz/artifacts/wire/crash-1"));
        assert_eq!(artefact("error: could not compile", Path::new("/r")), None);
        assert_eq!(count("stat::number_of_executed_units: 1234\n"), "1234");
    }
}
