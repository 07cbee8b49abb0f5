//! The commands that show something: the scenes, the tables, the speed.

use crate::failure::Failure;
use crate::say;
use crate::workspace::{self, Workspace};

/// How to read the output of `cargo bench`.
const FIGURES: &str = "\
How to read the figures:
  Each is the time of one round of what it is named after. Where a name ends in a number,
  that many bodies take part in the round: divide by it for the time per body.
  A 60 Hz game has 16.7 ms a frame for everything it does, so 10 000 ghosts at 100 ns each
  cost it 1 ms, 6 % of the frame.
  Compare figures from one quiet machine only; a change below 5 % is noise.";

/// Runs the scenes: prints their table and draws them.
pub fn play(workspace: &Workspace) -> Result<(), Failure> {
    let picture = workspace.target.join("scenes.svg");
    let mut scenes = scenes(workspace);
    workspace::run(scenes.arg(&picture))?;
    say::success(&format!("\nThe picture is {} (open it in a browser).", picture.display()));
    Ok(())
}

/// Writes the committed quality tables anew.
pub fn tables(workspace: &Workspace) -> Result<(), Failure> {
    workspace::run(scenes(workspace).arg("--write"))?;
    say::success("\nThe tables are written; `git diff` shows what changed.");
    Ok(())
}

/// Measures the engine.
pub fn bench(workspace: &Workspace) -> Result<(), Failure> {
    workspace::run(&mut workspace.cargo("bench -p reckoning"))?;
    say::note(&format!("\n{FIGURES}"));
    Ok(())
}

fn scenes(workspace: &Workspace) -> std::process::Command {
    workspace.cargo("run --release -p reckoning-lab --example scenes --")
}
