//! Writes `include/reckoning.h` and `csharp/Reckoning.cs` from the source of the library: `generate`, or
//! `generate --check`, which only compares.
//!
//! The source keeps to a little of Rust: `#[repr(C)]` structs of numbers, `#[repr(i32)]` enums, constants
//! that are numbers, and exported functions. Whatever else is public there is refused by name.

mod csharp;
mod header;
mod model;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let checks = std::env::args().nth(1).as_deref() == Some("--check");
    match run(&root, checks) {
        Ok(()) => ExitCode::SUCCESS,
        Err(complaint) => {
            eprintln!("{complaint}");
            ExitCode::FAILURE
        }
    }
}

fn run(root: &Path, checks: bool) -> Result<(), String> {
    let model = model::read(&root.join("src"))?;
    let made = [
        ("include/reckoning.h", header::text(&model)),
        ("csharp/Reckoning.cs", csharp::text(&model)),
        ("tests/layout.c", header::layout(&model)),
        ("tests/Layout.cs", csharp::layout(&model)),
    ];
    for (name, text) in made {
        let path = root.join(name);
        if !checks {
            std::fs::write(&path, text).map_err(|error| format!("{name}: {error}"))?;
        } else if std::fs::read_to_string(&path).unwrap_or_default() != text {
            return Err(format!(
                "bindings/c/{name} is not what its source says: write it anew with \
                 `cargo xtask bindings c --write`"
            ));
        }
    }
    Ok(())
}
