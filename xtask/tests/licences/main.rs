//! Licences, sources and versions of everything the workspace compiles.
//!
//! The rules are pure functions over the output of `cargo metadata` ([`rules`]) and over licence
//! expressions ([`expression`]), tried on made-up input as well. What may come from outside is
//! listed here, in [`POLICY`]. Known security problems are left out: they need a database from
//! the network and change without us.

mod expression;
mod rules;

use std::env;
use std::path::PathBuf;
use std::process::Command;

use rules::{Exception, Policy};

/// What may come from outside. A user of the engine must be able to ship a closed game with it.
const POLICY: Policy = Policy {
    allowed: &["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "Unicode-3.0"],
    exceptions: &[Exception {
        name: "webpki-root-certs",
        licence: "CDLA-Permissive-2.0",
        // Permissive terms for data: a list of certificates, and of no build of ours. Only
        // WebAssembly with rustls would compile it; our page has no rustls.
    }],
    // The engine's vectors must be the vectors of everyone above it.
    one_version: &["glam"],
};

#[test]
fn everything_we_compile_may_be_shipped_in_a_closed_game() {
    let packages = rules::packages(&metadata());
    for line in rules::duplicates(&packages) {
        println!("{line}");
    }
    let complaints = rules::complaints(&POLICY, &packages);

    assert!(packages.len() > 100, "{} packages are not all of them", packages.len());
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Everything in `Cargo.lock`, for every platform and with every feature.
fn metadata() -> serde_json::Value {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let here = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it for tests");
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--all-features"])
        .current_dir(PathBuf::from(here).parent().expect("xtask is a folder of the root"))
        .output()
        .expect("cargo runs this test");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo metadata failed: {complaint}");
    serde_json::from_slice(&output.stdout).expect("cargo metadata speaks JSON")
}
