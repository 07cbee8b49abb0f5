//! `cargo xtask test`: every check there is, cheapest first, up to the first that fails.

use std::time::Instant;

use crate::bindings;
use crate::browser;
use crate::examples;
use crate::failure::Failure;
use crate::golden;
use crate::page;
use crate::report::Report;
use crate::say;
use crate::skips;
use crate::tools;
use crate::workspace::{self, Workspace};

/// How a step that did not fail came out.
pub enum Outcome {
    Passed,
    /// Left out, with the reason and the remedy.
    Skipped(&'static str),
}

struct Step {
    title: &'static str,
    run: fn(&Workspace) -> Result<Outcome, Failure>,
}

/// No operating system, no heap of its own, no hardware doubles: what builds here builds anywhere.
const BARE_METAL: &str = "thumbv7em-none-eabihf";

const STEPS: [Step; 11] = [
    Step { title: "format", run: |it| cargo(it, "fmt --all --check") },
    Step { title: "lints", run: lints },
    Step { title: "tests", run: |it| cargo(it, "test --workspace") },
    Step { title: "release tests", run: release_tests },
    Step { title: "docs", run: docs },
    Step { title: "bare metal", run: bare_metal },
    Step { title: "golden hash", run: |it| golden::compare(it).map(|()| Outcome::Passed) },
    Step { title: "examples", run: |it| examples::run(it).map(|()| Outcome::Passed) },
    Step { title: "bindings", run: bindings::test_all },
    Step { title: "browser", run: browser::test },
    Step { title: "licences", run: licences },
];

/// Runs every step and closes with what passed and what was left out.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    let begin = now();
    let mut report = Report::default();
    skips::forget(&workspace.target)?;
    for (number, step) in (1..).zip(&STEPS) {
        say::headline(&format!("{number}/{} {}", STEPS.len(), step.title));
        if let Err(failure) = take(step, workspace, &mut report) {
            let later: Vec<&str> = STEPS[number..].iter().map(|it| it.title).collect();
            say::failure(&format!("\n{}", report.broken_off(step.title, &later)));
            return Err(failure);
        }
    }
    let skips = skips::read(&workspace.target)?;
    say::success(&format!("\n{}", report.closing(begin.elapsed(), &skips)));
    Ok(())
}

fn take(step: &Step, workspace: &Workspace, report: &mut Report) -> Result<(), Failure> {
    let begin = now();
    match (step.run)(workspace)? {
        Outcome::Passed => {
            say::success(&format!("passed in {:.1} s", begin.elapsed().as_secs_f64()));
            report.passed(step.title);
        }
        Outcome::Skipped(reason) => {
            say::skipped(&format!("skipped: {reason}"));
            report.skipped(step.title, reason);
        }
    }
    Ok(())
}

fn cargo(workspace: &Workspace, words: &str) -> Result<Outcome, Failure> {
    workspace::run(&mut workspace.cargo(words)).map(|()| Outcome::Passed)
}

fn lints(workspace: &Workspace) -> Result<Outcome, Failure> {
    cargo(workspace, "clippy --workspace --all-targets --all-features -- -D warnings")?;
    // What `cargo xtask play` compiles.
    cargo(workspace, "clippy -p reckon --no-default-features -- -D warnings")?;
    // What only a browser compiles.
    tools::require_target(workspace, page::WASM)?;
    let browser = format!("clippy -p reckoning-client -p reckoning-web --target {}", page::WASM);
    cargo(workspace, &format!("{browser} -- -D warnings"))
}

/// The optimiser must not change a bit of the long replay.
fn release_tests(workspace: &Workspace) -> Result<Outcome, Failure> {
    cargo(workspace, "test --release -p reckoning --test golden")
}

/// Broken links and missing docs are errors.
fn docs(workspace: &Workspace) -> Result<Outcome, Failure> {
    let mut doc = workspace.cargo("doc --workspace --no-deps");
    workspace::run(doc.env("RUSTDOCFLAGS", "-D warnings")).map(|()| Outcome::Passed)
}

fn bare_metal(workspace: &Workspace) -> Result<Outcome, Failure> {
    tools::require_target(workspace, BARE_METAL)?;
    cargo(
        workspace,
        &format!("build -p reckoning -p reckoning-predict -p reckoning-net --target {BARE_METAL}"),
    )
}

/// On its own as well, for the list of crates that are there in several versions.
fn licences(workspace: &Workspace) -> Result<Outcome, Failure> {
    cargo(workspace, "test --quiet -p xtask --test licences -- --nocapture")
}

#[expect(clippy::disallowed_methods, reason = "how long a check took is about this machine")]
fn now() -> Instant {
    Instant::now()
}
