//! Runs every example of the engine and of prediction once, so that none rots.

use std::fs;
use std::io;
use std::path::Path;

use crate::failure::Failure;
use crate::workspace::{self, Workspace};

/// Runs each example as a reader would, without arguments.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    for package in ["reckoning", "reckoning-predict"] {
        let folder = workspace.root.join("crates").join(package).join("examples");
        let names =
            names_in(&folder).map_err(|error| Failure::Unreadable { path: folder, error })?;
        for name in names {
            let words = format!("run --quiet -p {package} --example {name}");
            workspace::run(&mut workspace.cargo(&words))?;
        }
    }
    Ok(())
}

/// The examples cargo finds by itself: files, and folders with a `main.rs`. Sorted.
fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_example =
            path.extension().is_some_and(|it| it == "rs") || path.join("main.rs").is_file();
        if let Some(name) = path.file_stem().filter(|_| is_example) {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}
