//! Commands that show something: the scenes, the tables, the speed.

use crate::failure::Failure;
use crate::say;
use crate::workspace::{self, Workspace};

/// How to read the table of the benchmark.
const FIGURES: &str = "\
How to read the figures:
  The subjects of a group took turns in one run; `ratio` is a subject's time over that of the
  group's first row in the same turn, the middle one of all turns. It holds on a busy machine,
  where nanoseconds do not.
  A 60 Hz game has 16.7 ms a frame for everything it does, so 10 000 ghosts at 100 ns each
  cost it 1 ms, 6 % of the frame.";

/// Says that it did nothing where the recordings are missing.
const WIRE: &str = "run --release -p reckoning-lab --example wire -- --write";

/// Says that it did nothing where the recordings are missing.
const SEEN: &str = "run --release -p reckoning-lab --example seen -- --write";

/// Planners of the arena beside each other.
const FIGHT: &str = "run --release -p reckoning-lab --example fair_fight -- --write";

/// What loss does to what is shown.
const LOSS: &str = "run --release -p reckoning-lab --example loss -- --write";

/// The arena over good and bad links.
const LINKS: &str = "run --release -p reckoning-lab --example arena_links -- --write";

/// The hills over the network.
const HILLS: &str = "run --release -p reckoning-lab --example hills -- --write";

/// The scenes that bindings to other languages replay.
const BINDINGS: &str = "run -p reckoning-netsim --example bindings_golden -- --write";

/// Runs the scenes: prints their table and draws them.
pub fn scenes_drawn(workspace: &Workspace) -> Result<(), Failure> {
    let picture = workspace.target.join("scenes.svg");
    let mut scenes = scenes(workspace);
    workspace::run(scenes.arg(&picture))?;
    say::success(&format!("\nThe picture is {} (open it in a browser).", picture.display()));
    Ok(())
}

/// Writes the committed quality tables anew.
pub fn tables(workspace: &Workspace) -> Result<(), Failure> {
    workspace::run(scenes(workspace).arg("--write"))?;
    workspace::run(&mut workspace.cargo(WIRE))?;
    workspace::run(&mut workspace.cargo(SEEN))?;
    workspace::run(&mut workspace.cargo(FIGHT))?;
    workspace::run(&mut workspace.cargo(LOSS))?;
    workspace::run(&mut workspace.cargo(LINKS))?;
    workspace::run(&mut workspace.cargo(HILLS))?;
    workspace::run(&mut workspace.cargo(BINDINGS))?;
    say::success("\nThe tables are written; `git diff` shows what changed.");
    Ok(())
}

/// Measures the engine.
pub fn bench(workspace: &Workspace) -> Result<(), Failure> {
    workspace::run(&mut workspace.cargo("bench -p reckoning --bench speed --features rayon"))?;
    workspace::run(
        &mut workspace.cargo("bench -p reckoning-predict --bench speed --features std"),
    )?;
    say::note(&format!("\n{FIGURES}"));
    Ok(())
}

fn scenes(workspace: &Workspace) -> std::process::Command {
    workspace.cargo("run --release -p reckoning-lab --example scenes --")
}
