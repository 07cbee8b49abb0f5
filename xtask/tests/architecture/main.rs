//! Keeps the shape of the repository what its documents say it is.
//!
//! Dependencies point one way, from the shells down to the engine, and the engine takes
//! almost nothing from outside ([`edges`]). Every path a document names is there
//! ([`paths`]). The rules are pure functions, tried here on made-up input as well: a check
//! that cannot fail protects nothing.

mod edges;
mod paths;

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Documents whose paths must exist.
const DOCUMENTS: [&str; 2] = ["ARCHITECTURE.md", "README.md"];

#[test]
fn crates_depend_on_each_other_only_as_designed() {
    let complaints = edges::complaints(&metadata());

    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn the_design_names_only_crates_that_exist() {
    assert_eq!(edges::absent(&metadata()), [""; 0]);
}

#[test]
fn every_path_the_documents_name_exists() {
    let root = root();
    let complaints: Vec<String> = DOCUMENTS
        .iter()
        .flat_map(|name| {
            let text = fs::read_to_string(root.join(name))
                .unwrap_or_else(|error| panic!("{name} belongs into the root: {error}"));
            paths::complaints(name, &text, |path| root.join(path).exists())
        })
        .collect();

    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

fn root() -> PathBuf {
    let here = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it for tests");
    PathBuf::from(here).parent().expect("xtask is a folder of the root").to_owned()
}

fn metadata() -> serde_json::Value {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs this test");
    serde_json::from_slice(&output.stdout).expect("cargo metadata speaks JSON")
}
