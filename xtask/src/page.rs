//! `cargo xtask page` and `cargo xtask play`: the arena's page by cargo alone, and the arena.
//!
//! ```text
//! crates/reckoning-web --cargo--> reckoning_web.wasm --tools/bind--> target/page
//! crates/reckoning-web/page -------------------copied--------------> target/page
//!                                  named by their hashes, compressed beside themselves
//! ```
//!
//! `tools/bind` is a package of its own, built once: it is the library behind the program
//! `wasm-bindgen`, of the version the page is compiled with, so that nothing has to be installed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::say;
use crate::tools;
use crate::workspace::{self, Workspace};

/// What browsers run.
pub const WASM: &str = "wasm32-unknown-unknown";
/// Where the files that need no compiler are.
const STATIC: &str = "crates/reckoning-web/page";
/// What the page may weigh with gzip: the 464,924 bytes of the flat arena alone, built with the same
/// settings, and what each of these may add to it.
const MOST_BYTES: usize = 464_924
    + 60_000 // the hills
    + 9_000 // two styles of blends side by side, aimed lines, codes that are told, peers judged by what they hold
    + 9_000 // the introduction, layouts of phones on their side, all of it by keyboard and by ear
    + 11_000 // choices that are kept, written into the address, and told where others made them
    + 14_000 // adaptive buffer, means of five seconds, trails, hits counted with and without Reckoning
    + 34_500; // the explainer, a third of it fairness, accounts of errors and aimed lines, run in the page

/// Builds the page, then starts the arena.
pub fn play(workspace: &Workspace, words: &[String]) -> Result<(), Failure> {
    build(workspace)?;
    let mut cargo = workspace.cargo("run --release -p reckon --no-default-features -- play");
    workspace::run(cargo.args(words))
}

/// Builds the page into `target/page`.
pub fn build(workspace: &Workspace) -> Result<(), Failure> {
    tools::require_target(workspace, WASM)?;
    let module = compile(workspace)?;
    let page = workspace.target.join("page");
    clear(&page)?;
    copy_files(&workspace.root.join(STATIC), &page)?;
    let mut bind = workspace.program(binder(workspace)?);
    workspace::run(bind.arg(module).arg(&page).arg(MOST_BYTES.to_string()))?;
    say::success(&format!("The page is in {}.", page.display()));
    Ok(())
}

/// Compiles the module; in a folder of its own, as its profile shares nothing with the rest.
fn compile(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let folder = workspace.target.join("wasm");
    let words = format!("build --profile wasm -p reckoning-web --lib --target {WASM}");
    workspace::run(nested(&mut workspace.cargo(&words)).env("CARGO_TARGET_DIR", &folder))?;
    Ok(folder.join(WASM).join("wasm/reckoning_web.wasm"))
}

/// The program that makes a module fit for browsers.
fn binder(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let folder = workspace.target.join("bind");
    let words = "build --release --locked --manifest-path tools/bind/Cargo.toml";
    workspace::run(nested(&mut workspace.cargo(words)).env("CARGO_TARGET_DIR", &folder))?;
    Ok(folder.join("release").join(format!("bind{}", std::env::consts::EXE_SUFFIX)))
}

/// Without the flags that are meant for native code.
fn nested(command: &mut Command) -> &mut Command {
    for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"] {
        command.env_remove(name);
    }
    command
}

/// Names change with what files hold: those of the last time would stay.
fn clear(folder: &Path) -> Result<(), Failure> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Failure::Unwritable { path: folder.to_owned(), error })
        }
        _ => Ok(()),
    }
}

fn copy_files(from: &Path, to: &Path) -> Result<(), Failure> {
    let unreadable = |error| Failure::Unreadable { path: from.to_owned(), error };
    fs::create_dir_all(to).map_err(|error| Failure::Unwritable { path: to.to_owned(), error })?;
    for entry in fs::read_dir(from).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = to.join(entry.file_name());
        fs::copy(entry.path(), &path).map_err(|error| Failure::Unwritable { path, error })?;
    }
    Ok(())
}
