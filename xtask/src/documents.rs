//! The documents that describe the repository as it is.

use std::fs;
use std::io;
use std::path::Path;

/// Documents of the root that are always there. The changelog is left out: it names the past.
const ROOT: [&str; 4] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "PROTOCOL.md", "README.md"];
/// Read when it is there.
const OPTIONAL: &str = "SECURITY.md";
/// Every document of this folder and of those within it is read, but for the fragments.
const FOLDER: &str = "docs";
/// Generated pieces of documents, named after their figures.
pub const FRAGMENTS: &str = "docs/figures";

/// A document and where it is, as a path from the root with `/`.
#[derive(Debug)]
pub struct Document {
    pub name: String,
    pub text: String,
}

/// Everything people read, in the order of names.
pub fn all(root: &Path) -> io::Result<Vec<Document>> {
    let mut names: Vec<String> = ROOT.map(String::from).to_vec();
    if root.join(OPTIONAL).exists() {
        names.push(OPTIONAL.to_owned());
    }
    walk(root, FOLDER, &mut names)?;
    names.sort();
    names.into_iter().map(|name| read(root, name)).collect()
}

/// The fragments, named without folder and ending: `speed`.
pub fn fragments(root: &Path) -> io::Result<Vec<Document>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root.join(FRAGMENTS))? {
        names.push(format!("{FRAGMENTS}/{}", entry?.file_name().display()));
    }
    names.sort();
    let name = |path: &str| path[FRAGMENTS.len() + 1..].trim_end_matches(".md").to_owned();
    names
        .into_iter()
        .map(|path| read(root, path))
        .map(|it| it.map(|it| Document { name: name(&it.name), ..it }))
        .collect()
}

fn read(root: &Path, name: String) -> io::Result<Document> {
    let text = fs::read_to_string(root.join(&name))
        .map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))?;
    Ok(Document { name, text })
}

fn walk(root: &Path, folder: &str, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let name = format!("{folder}/{}", entry.file_name().display());
        if entry.path().is_dir() && name != FRAGMENTS {
            walk(root, &name, names)?;
        } else if entry.path().extension().is_some_and(|it| it == "md") {
            names.push(name);
        }
    }
    Ok(())
}
