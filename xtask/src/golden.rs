//! The golden hash: one long replay must give the same bits in every build.
//!
//! The engine's example `golden` replays and prints `golden 0x...`. It runs unoptimised,
//! optimised, and as WebAssembly in Node; a difference means that some result depends on
//! the platform, and that publishers and ghosts on two machines would drift apart.

use std::fmt;

use crate::failure::Failure;
use crate::say;
use crate::tools;
use crate::workspace::{self, Workspace};

const WASM: &str = "wasm32-wasip1";

/// What each build of the same replay printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hashes {
    debug: u64,
    release: u64,
    wasm: u64,
}

impl Hashes {
    /// Passes equal hashes through.
    fn agreed(self) -> Result<Self, Failure> {
        if self.debug == self.release && self.release == self.wasm {
            Ok(self)
        } else {
            Err(Failure::HashesDiffer(self))
        }
    }
}

impl fmt::Display for Hashes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  debug    {:#018x}", self.debug)?;
        writeln!(f, "  release  {:#018x}", self.release)?;
        write!(f, "  wasm     {:#018x}", self.wasm)
    }
}

/// Runs the three builds and demands one hash.
pub fn compare(workspace: &Workspace) -> Result<(), Failure> {
    tools::require_target(workspace, WASM)?;
    tools::require_node(workspace)?;
    let debug = native(workspace, "run -p reckoning --example golden")?;
    let release = native(workspace, "run --release -p reckoning --example golden")?;
    let hashes = Hashes { debug, release, wasm: wasm(workspace)? }.agreed()?;
    say::note(&hashes.to_string());
    Ok(())
}

fn native(workspace: &Workspace, words: &str) -> Result<u64, Failure> {
    hash_in(&workspace::run_for_output(&mut workspace.cargo(words))?)
}

fn wasm(workspace: &Workspace) -> Result<u64, Failure> {
    let build = format!("build --release -p reckoning --example golden --target {WASM}");
    workspace::run(&mut workspace.cargo(&build))?;
    let module = workspace.target.join(WASM).join("release/examples/golden.wasm");
    // Node calls its WASI experimental and says so on every run.
    let mut node = workspace.program("node");
    node.args(["--no-warnings", "xtask/src/wasi.mjs"]).arg(module);
    hash_in(&workspace::run_for_output(&mut node)?)
}

/// The hash in what the example printed.
fn hash_in(printed: &str) -> Result<u64, Failure> {
    printed
        .lines()
        .find_map(|line| line.strip_prefix("golden 0x"))
        .filter(|digits| digits.len() == 16)
        .and_then(|digits| u64::from_str_radix(digits, 16).ok())
        .ok_or_else(|| Failure::NoHash { printed: printed.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_found_among_other_lines() {
        let printed = "10 s replayed\ngolden 0x0123456789abcdef\n";

        assert_eq!(hash_in(printed).unwrap(), 0x0123_4567_89ab_cdef);
    }

    #[test]
    fn an_output_without_a_whole_hash_is_refused() {
        for printed in
            ["", "golden", "golden 0x123", "golden 0x0123456789abcdeg", "0x0123456789abcdef"]
        {
            assert!(hash_in(printed).is_err(), "{printed:?}");
        }
    }

    #[test]
    fn one_different_build_is_enough_to_fail() {
        let same = Hashes { debug: 7, release: 7, wasm: 7 };

        assert!(same.agreed().is_ok());
        assert!(Hashes { debug: 8, ..same }.agreed().is_err());
        assert!(Hashes { release: 8, ..same }.agreed().is_err());
        let message = Hashes { wasm: 8, ..same }.agreed().unwrap_err().to_string();
        assert!(message.contains("wasm     0x0000000000000008"), "{message}");
    }
}
