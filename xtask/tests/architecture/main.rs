//! Keeps the shape of the repository what its documents say it is.
//!
//! Dependencies point one way, from the shells down to the engine, and the engine takes
//! almost nothing from outside ([`edges`]). Every path a document names is there
//! ([`paths`]), every function that the walk names is in its file ([`walk`]), every program
//! is compiled ([`programs`]), and every figure comes from a file that a command writes
//! ([`figures`]). The rules are pure functions, tried here on made-up input as well: a check
//! that cannot fail protects nothing.

#[path = "../../src/documents.rs"]
mod documents;
mod edges;
mod figures;
mod paths;
mod programs;
#[path = "../../src/figures/splice.rs"]
mod splice;
mod walk;

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

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
    let complaints: Vec<String> = documents::all(&root)
        .expect("documents can be read")
        .iter()
        .flat_map(|it| paths::complaints(&it.name, &it.text, |path| root.join(path).exists()))
        .collect();

    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn every_figure_comes_from_its_fragment() {
    let root = root();
    let documents = documents::all(&root).expect("documents can be read");
    let fragments = documents::fragments(&root).expect("fragments can be read");
    let complaints = figures::complaints(&documents, &fragments);

    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn the_readme_and_the_pages_for_users_have_no_measured_figure_beside_those() {
    let documents = documents::all(&root()).expect("documents can be read");
    // Decisions record what was seen when they were made.
    let is_for_users = |name: &str| {
        name == "README.md" || (name.starts_with("docs/") && !name.starts_with("docs/decisions/"))
    };
    let pages = documents.iter().filter(|it| is_for_users(&it.name));
    let complaints: Vec<String> = pages.flat_map(figures::typed_in).collect();

    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn the_walk_is_short_and_names_functions_that_exist() {
    let documents = documents::all(&root()).expect("documents can be read");
    let walk = documents.iter().find(|it| it.name == walk::WALK).expect("it is there");
    let complaints = walk::complaints(&walk.text, source);

    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn every_program_of_guide_and_readme_is_compiled_or_an_excerpt() {
    let mut pages = documents::all(&root()).expect("documents can be read");
    pages.retain(|it| it.name.starts_with(programs::GUIDE) || it.name == "README.md");
    assert!(pages.len() > 10, "the guide is there");
    let includes = source(programs::INCLUDES).expect("it is there");
    let mut complaints = programs::left_out(&pages, &includes);
    complaints.extend(pages.iter().flat_map(|page| programs::unproven(page, source)));

    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// A path of the machine that built it would be of no use elsewhere, and nobody's business.
#[test]
fn no_program_holds_the_path_that_it_was_built_at() {
    let mut folders = vec![root().join("crates")];
    let mut complaints = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("folders can be listed") {
            let path = entry.expect("an entry can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let for_tests = ["tests", "benches", "examples", "reckoning-testing", "target"];
            if path.is_dir() && !for_tests.contains(&name.as_str()) {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs")
                && name != "tests.rs"
                && name != "build.rs"
            {
                let text = fs::read_to_string(&path).unwrap_or_default();
                let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
                if shipped.contains("env!(\"CARGO_MANIFEST_DIR\")") {
                    complaints.push(format!("{}: names the folder it is built in", path.display()));
                }
            }
        }
    }

    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn the_program_of_every_crates_readme_is_compiled() {
    let crates = fs::read_dir(root().join("crates")).expect("crates can be listed");
    for folder in crates.map(|it| it.expect("an entry can be read").path()) {
        let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
        let includes = read("src/lib.rs").contains("include_str!(\"../README.md\")");
        let name = folder.display();
        assert!(
            includes || !programs::has_program(&read("README.md")),
            "{name}: include README.md"
        );
    }
}

fn source(path: &str) -> Option<String> {
    fs::read_to_string(root().join(path)).ok()
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
