//! The documents that describe the repository as it is.

use std::fs;
use std::path::Path;

/// Documents of the root that are always there. The changelog is left out: it names the past.
const ROOT: [&str; 4] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "PROTOCOL.md", "README.md"];
/// Read when it is there.
const OPTIONAL: &str = "SECURITY.md";
/// Every document of this folder and of those within it is read.
const FOLDER: &str = "docs";

/// A document and where it is, as a path from the root with `/`.
#[derive(Debug)]
pub struct Document {
    pub name: String,
    pub text: String,
}

/// Everything people read, in the order of names.
pub fn all(root: &Path) -> Vec<Document> {
    let mut names: Vec<String> = ROOT.map(String::from).to_vec();
    if root.join(OPTIONAL).exists() {
        names.push(OPTIONAL.to_owned());
    }
    walk(root, FOLDER, &mut names);
    names.sort();
    names.into_iter().map(|name| Document { text: text(root, &name), name }).collect()
}

fn text(root: &Path, name: &str) -> String {
    fs::read_to_string(root.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn walk(root: &Path, folder: &str, names: &mut Vec<String>) {
    let entries = fs::read_dir(root.join(folder)).unwrap_or_else(|e| panic!("{folder}: {e}"));
    for entry in entries {
        let entry = entry.expect("a folder that was opened can be read");
        let name = format!("{folder}/{}", entry.file_name().display());
        if entry.path().is_dir() {
            walk(root, &name, names);
        } else if entry.path().extension().is_some_and(|it| it == "md") {
            names.push(name);
        }
    }
}
