//! Licences, sources and versions of everything the workspace compiles.
//!
//! The rules are pure functions over the output of `cargo metadata` ([`rules`]) and over licence
//! expressions ([`expression`]), tried on made-up input as well. What may come from outside is
//! listed in `deny.toml`, which `cargo deny check` reads too. Known security problems are left to
//! that: they need a database from the network and change without us.

mod expression;
mod rules;

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use rules::{Exception, Policy};

/// Beyond `deny.toml`: names targets while Python's module is built, and is in nothing that is shipped.
const OF_BINDINGS: [(&str, &str); 1] = [("target-lexicon", "Apache-2.0 WITH LLVM-exception")];

#[test]
fn everything_we_compile_may_be_shipped_in_a_closed_game() {
    let packages = rules::packages(&metadata());
    for line in rules::duplicates(&packages) {
        println!("{line}");
    }
    let policy = Policy::from_deny(include_str!("../../../deny.toml"));
    let complaints = rules::complaints(&policy, &packages);

    assert!(packages.len() > 100, "{} packages are not all of them", packages.len());
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
#[ignore = "cargo xtask bindings NAME --test runs it, and names the manifest"]
fn everything_a_binding_compiles_may_be_shipped_in_a_closed_game() {
    let manifest = env::var_os("RECKONING_MANIFEST").expect("it names the binding's Cargo.toml");
    let packages = rules::packages(&metadata_of(&["--manifest-path".into(), manifest]));
    let mut policy = Policy::from_deny(include_str!("../../../deny.toml"));
    policy.exceptions.extend(
        OF_BINDINGS.map(|(name, licence)| Exception {
            name: name.to_owned(),
            licence: licence.to_owned(),
        }),
    );
    let complaints = rules::complaints_beside(&policy, &packages);

    assert!(packages.len() > 3, "{} packages are not all of them", packages.len());
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Everything in `Cargo.lock`, for every platform and with every feature.
fn metadata() -> serde_json::Value {
    metadata_of(&[])
}

fn metadata_of(words: &[OsString]) -> serde_json::Value {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let here = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it for tests");
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--all-features"])
        .args(words)
        .current_dir(PathBuf::from(here).parent().expect("xtask is a folder of the root"))
        .output()
        .expect("cargo runs this test");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo metadata failed: {complaint}");
    serde_json::from_slice(&output.stdout).expect("cargo metadata speaks JSON")
}
