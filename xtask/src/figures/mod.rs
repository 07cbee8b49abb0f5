//! `cargo xtask figures`: every figure in the documents, from measurement to text.
//!
//! ```text
//! benchmarks, browser tests, testdata/ --> docs/figures/NAME.md --> blocks in the documents
//! ```
//!
//! A figure is never typed. It is measured by a program or read from a committed table, written
//! into a fragment, and spliced into each document that has a block of that name ([`mod@splice`]). A
//! test in `xtask/tests/architecture` compares blocks and fragments.

mod arena;
mod build;
mod circle;
mod number;
mod speed;
pub mod splice;
mod tables;
mod template;

use std::fs;
use std::path::{Path, PathBuf};

use crate::documents::{self, FRAGMENTS};
use crate::failure::Failure;
use crate::say;
use crate::workspace::Workspace;

/// Makes the contents of a fragment.
type Measure = fn(&Workspace) -> Result<String, Failure>;

/// All fragments, those that take no time first.
const FIGURES: [(&str, Measure); 13] = [
    ("learned", |it| from_table(it, ["learned.txt"], |[text]| tables::learned(text))),
    ("bytes", |it| from_table(it, ["wire.txt"], |[text]| tables::bytes(text))),
    ("quality", |it| {
        let files = ["claims-murphy-thesis.txt", "claims-li.txt", "claims-shi-steele.txt"];
        from_table(it, files, |texts| tables::quality(&texts))
    }),
    ("seen", |it| from_table(it, ["seen.txt"], |[text]| tables::seen(text))),
    ("fair-fight", |it| from_table(it, ["fair-fight.txt"], |[text]| tables::fair_fight(text))),
    ("arena-links", |it| from_table(it, ["arena-links.txt"], |[text]| tables::arena_links(text))),
    ("hills", |it| from_table(it, ["hills.txt"], |[text]| tables::hills(text))),
    ("circle", circle::measure),
    ("speed", speed::measure),
    ("arena", arena::measure),
    ("frames", arena::frames),
    ("hills-frames", arena::hills_frames),
    ("build", build::measure),
];

/// What there is no figure for, by name.
#[derive(Debug, PartialEq, Eq)]
pub struct MissingFigure(String);

impl MissingFigure {
    fn in_file(self, path: &Path) -> Failure {
        Failure::NoFigure { what: self.0, path: path.to_owned() }
    }
}

/// Whether there is a fragment of this name.
pub fn is_known(name: &str) -> bool {
    FIGURES.iter().any(|(it, _)| *it == name)
}

/// The names of all fragments.
pub fn names() -> [&'static str; FIGURES.len()] {
    FIGURES.map(|(name, _)| name)
}

/// Makes the named fragments, or all, and splices all there are into the documents.
pub fn measure(workspace: &Workspace, wanted: &[String]) -> Result<(), Failure> {
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|it| it == name);
    let chosen: Vec<_> = FIGURES.into_iter().filter(|(name, _)| is_wanted(name)).collect();
    for (number, (name, measure)) in (1..).zip(&chosen) {
        say::headline(&format!("{number}/{} {name}", chosen.len()));
        let fragment = measure(workspace)?;
        let path = workspace.root.join(FRAGMENTS).join(format!("{name}.md"));
        write(&path, &fragment)?;
        say::note(&format!("\n{fragment}"));
        say::success(&format!("written to {}", path.display()));
    }
    splice(workspace)
}

/// Puts the fragments into the documents as they are.
pub fn splice(workspace: &Workspace) -> Result<(), Failure> {
    let root = &workspace.root;
    let unreadable = |error| Failure::Unreadable { path: root.clone(), error };
    let fragments = documents::fragments(root).map_err(unreadable)?;
    let fragment = |name: &str| fragments.iter().find(|it| it.name == name).map(|it| &*it.text);
    for document in documents::all(root).map_err(unreadable)? {
        let path = root.join(&document.name);
        let new = splice::spliced(&document.text, fragment)
            .map_err(|complaint| Failure::BadBlock { path: path.clone(), complaint })?;
        if new != document.text {
            write(&path, &new)?;
            say::success(&format!("figures changed in {}", document.name));
        }
    }
    Ok(())
}

fn from_table<const N: usize>(
    workspace: &Workspace,
    names: [&str; N],
    make: impl Fn([&str; N]) -> Result<String, MissingFigure>,
) -> Result<String, Failure> {
    let paths = names.map(|name| workspace.root.join("testdata").join(name));
    let mut texts = Vec::new();
    for path in &paths {
        texts.push(
            fs::read_to_string(path)
                .map_err(|error| Failure::Unreadable { path: path.clone(), error })?,
        );
    }
    make(std::array::from_fn(|k| &*texts[k])).map_err(|it| it.in_file(&paths[0]))
}

/// An empty file for what a measurement writes, in the folder of build products.
fn raw_file(workspace: &Workspace, name: &str) -> Result<PathBuf, Failure> {
    let path = raw_path(workspace, name);
    write(&path, "")?;
    Ok(path)
}

/// The file that a measurement wrote last.
fn raw_path(workspace: &Workspace, name: &str) -> PathBuf {
    workspace.target.join("figures").join(format!("{name}.txt"))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .map_err(|error| Failure::Unwritable { path: path.to_owned(), error })
}

/// A line of a table.
fn row<T: AsRef<str>>(cells: &[T]) -> String {
    let cells: Vec<&str> = cells.iter().map(T::as_ref).collect();
    format!("| {} |\n", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_of_committed_tables_are_current() {
        let workspace = Workspace::find().unwrap();
        let tables = ["learned", "bytes", "quality", "seen", "fair-fight", "arena-links", "hills"];
        for (name, measure) in FIGURES.into_iter().take(tables.len()) {
            assert!(tables.contains(&name), "{name} is measured");
            let path = workspace.root.join(FRAGMENTS).join(format!("{name}.md"));
            let written = fs::read_to_string(path).unwrap();
            assert_eq!(written, measure(&workspace).unwrap(), "run `cargo xtask figures {name}`");
        }
    }
}
