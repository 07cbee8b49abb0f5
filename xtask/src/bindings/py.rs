//! Python: a wheel.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Asked, Place, demand};
use crate::checks::Outcome;
use crate::failure::Failure;
use crate::say;
use crate::tools;
use crate::workspace;

/// Builds wheels; the version that `pyproject.toml` asks for.
const MATURIN: &str = "maturin==1.16.0";

/// Builds the wheel.
pub fn build(place: &Place, asked: &Asked) -> Result<(), Failure> {
    let into = asked.into.clone().unwrap_or_else(|| place.target.join("wheel"));
    for old in wheels(&into) {
        let _ = fs::remove_file(old);
    }
    if !place.target.join("env/bin/maturin").is_file() {
        install(place, &[MATURIN])?;
    }
    let mut maturin = in_env(place, "maturin");
    maturin.args(["build", "--release", "--locked", "--quiet", "-m", "bindings/py/Cargo.toml"]);
    workspace::run(maturin.arg("--out").arg(&into))?;
    say::success(&format!("The wheel is in {}", into.display()));
    Ok(())
}

/// A program of the environment for building and testing.
fn in_env(place: &Place, name: &str) -> Command {
    place.program(place.target.join("env/bin").join(name))
}

/// Installs packages from `PyPI` into that environment, which is made if it is not there.
fn install(place: &Place, packages: &[&str]) -> Result<(), Failure> {
    if !place.target.join("env/bin/pip").is_file() {
        let mut python = place.program("python3");
        workspace::run(python.args(["-m", "venv"]).arg(place.target.join("env")))?;
    }
    let mut pip = in_env(place, "pip");
    pip.args(["install", "--quiet", "--disable-pip-version-check"]);
    workspace::run(pip.args(packages))
}

fn wheels(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|it| it.path());
    paths.filter(|it| it.extension().is_some_and(|ending| ending == "whl")).collect()
}

/// Tests the wheel as it would be installed.
pub fn test(place: &Place, writes: bool) -> Result<Outcome, Failure> {
    const SKIP: &str = "install Python 3.11 or later with pip and venv, and reach PyPI once";
    if !tools::is_installed("python3") {
        return Ok(Outcome::Skipped(SKIP));
    }
    if install(place, &[MATURIN, "numpy", "pandas"]).is_err() {
        return Ok(Outcome::Skipped(SKIP));
    }
    place.check_source(&[""])?;
    build(place, &Asked::DEFAULT)?;
    let wheel = wheels(&place.target.join("wheel"));
    let wheel: Vec<String> = wheel.iter().map(|it| it.display().to_string()).collect();
    let mut words = vec!["--force-reinstall", "--no-deps"];
    words.extend(wheel.iter().map(String::as_str));
    install(place, &words)?;
    let folder = place.empty_folder("tests")?;
    let mut golden = in_env(place, "python");
    golden.arg(place.file("tests/golden.py")).arg(Place::SCRIPT).arg(folder);
    place.run_golden(&mut golden, writes)?;
    let mut car = in_env(place, "python");
    let printed = workspace::run_for_output(car.arg(place.file("examples/car.py")))?;
    demand(printed == "600 ticks, 29 updates\n", "the car", "600 ticks, 29 updates")?;
    place.run_first_steps("15-python.md", &["first.py"], "it is drawn at 1.5")?;
    Ok(Outcome::Passed)
}
