//! The repository, its build products, and the programs that run in it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::failure::Failure;
use crate::say;
use crate::skips;

/// Passed on as cargo resolved it, because programs run in another folder than the caller's.
const TARGET_FOLDER: &str = "CARGO_TARGET_DIR";

/// The repository this command was started in.
#[derive(Debug)]
pub struct Workspace {
    /// The folder of the workspace's `Cargo.toml`.
    pub root: PathBuf,
    /// Where cargo puts what it builds.
    pub target: PathBuf,
    cargo: OsString,
}

impl Workspace {
    /// Asks cargo, from the caller's own folder: a relative `CARGO_TARGET_DIR` counts from there.
    pub fn find() -> Result<Self, Failure> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let metadata =
            read(Command::new(&cargo).args(["metadata", "--format-version", "1", "--no-deps"]))?;
        let path = |field| {
            json_string(&metadata, field).map(PathBuf::from).ok_or(Failure::NoMetadata { field })
        };
        Ok(Self { root: path("workspace_root")?, target: path("target_directory")?, cargo })
    }

    /// The same repository with another folder for build products.
    pub fn building_in(&self, target: PathBuf) -> Self {
        Self { root: self.root.clone(), target, cargo: self.cargo.clone() }
    }

    /// `cargo` with these words, in the root folder.
    pub fn cargo(&self, words: &str) -> Command {
        let mut command = self.program(&self.cargo);
        command.args(words.split_whitespace());
        command
    }

    /// Any other program, in the root folder.
    pub fn program(&self, name: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(name);
        command.current_dir(&self.root).env(TARGET_FOLDER, &self.target);
        command.env(skips::VARIABLE, skips::file_in(&self.target));
        command
    }
}

/// Runs a program that talks to the terminal itself.
pub fn run(command: &mut Command) -> Result<(), Failure> {
    let line = line_of(command);
    say::running(&line);
    match command.status() {
        Ok(status) => demand_success(line, status),
        Err(error) => Err(Failure::NotStarted { line, error }),
    }
}

/// Runs a program for what it prints, and says so.
pub fn run_for_output(command: &mut Command) -> Result<String, Failure> {
    say::running(&line_of(command));
    read(command)
}

/// Asks a program something in passing; its complaints still reach the terminal.
pub fn read(command: &mut Command) -> Result<String, Failure> {
    let line = line_of(command);
    match command.stderr(Stdio::inherit()).output() {
        Ok(output) => demand_success(line, output.status)
            .map(|()| String::from_utf8_lossy(&output.stdout).into_owned()),
        Err(error) => Err(Failure::NotStarted { line, error }),
    }
}

fn demand_success(line: String, status: ExitStatus) -> Result<(), Failure> {
    if status.success() { Ok(()) } else { Err(Failure::Unsuccessful { line, status }) }
}

/// The command as one would type it in a shell: settings that matter first, then `cargo`
/// rather than the path of the toolchain's own.
fn line_of(command: &Command) -> String {
    let settings = command
        .get_envs()
        .filter(|(name, _)| *name != TARGET_FOLDER && *name != skips::VARIABLE)
        .filter_map(|(name, value)| Some(format!("{}='{}'", name.display(), value?.display())));
    let program = Path::new(command.get_program());
    let name = program.file_stem().unwrap_or(program.as_os_str());
    let words = std::iter::once(name).chain(command.get_args());
    settings.chain(words.map(|word| word.display().to_string())).collect::<Vec<_>>().join(" ")
}

/// The last string called `field` in `json`. The workspace's own fields come after those of
/// its packages, so this finds them without a JSON parser to compile first.
fn json_string(json: &str, field: &str) -> Option<String> {
    let key = format!("\"{field}\":\"");
    let mut rest = json[json.rfind(&key)? + key.len()..].chars();
    let mut value = String::new();
    loop {
        match rest.next()? {
            '"' => return Some(value),
            '\\' => value.push(rest.next()?), // in a path only `\\` and `\"` occur
            other => value.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_field_of_a_name_is_the_workspaces_own() {
        let json = r#"{"packages":[{"root":"inner"}],"root":"C:\\code \"x\"","version":1}"#;

        assert_eq!(json_string(json, "root").as_deref(), Some(r#"C:\code "x""#));
        assert_eq!(json_string(json, "target"), None);
        assert_eq!(json_string(r#"{"root":"cut sho"#, "root"), None);
    }

    #[test]
    fn a_command_is_shown_as_one_would_type_it() {
        let mut command = Command::new("/opt/toolchain/bin/cargo");
        command.args(["doc", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
        command.env(TARGET_FOLDER, "elsewhere").env(skips::VARIABLE, "elsewhere/x");

        assert_eq!(line_of(&command), "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps");
    }
}
