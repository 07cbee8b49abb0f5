//! CPU time of the first `cargo xtask play` on a machine that has compiled nothing yet.

use std::fs;
use std::io;

use super::number::cores;
use crate::failure::Failure;
use crate::page;
use crate::say;
use crate::workspace::{self, Workspace};

/// Ticks of `/proc` in a second, on every Linux.
const TICKS_PER_S: f64 = 100.0;

/// Builds page and program into an empty folder and sums up what the compilers used.
pub fn measure(workspace: &Workspace) -> Result<String, Failure> {
    let fresh = workspace.building_in(workspace.target.join("figures/build"));
    remove(&fresh)?;
    say::note("build: everything that `cargo xtask play` compiles, once from nothing");
    let before_s = children_s()?;
    page::build(&fresh)?;
    workspace::run(&mut fresh.cargo("build --release -p reckon --no-default-features"))?;
    let took_s = children_s()? - before_s;
    remove(&fresh)?;
    Ok(fragment(took_s, &cores()))
}

fn fragment(took_s: f64, cores: &str) -> String {
    format!(
        "The first `cargo xtask play` compiles for {took_s:.0} s of CPU time, by \
         `cargo xtask figures build` on {cores}.\n"
    )
}

fn remove(fresh: &Workspace) -> Result<(), Failure> {
    match fs::remove_dir_all(&fresh.target) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Failure::Unwritable { path: fresh.target.clone(), error })
        }
        _ => Ok(()),
    }
}

/// CPU seconds of all programs that we started and that have ended.
fn children_s() -> Result<f64, Failure> {
    let path = "/proc/self/stat";
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::Unreadable { path: path.into(), error })?;
    children_in(&text).ok_or(Failure::Missing {
        what: format!("the CPU time of our programs in {path}"),
        remedy: "measure on Linux",
    })
}

/// The fields `cutime` and `cstime`, the 16th and 17th. The second is a name in parentheses.
fn children_in(stat: &str) -> Option<f64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(13);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS_PER_S)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_children_is_found_behind_any_name() {
        let stat = "12 (a b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 250 50 20 0";

        assert_eq!(children_in(stat), Some(3.0));
        assert_eq!(children_in("12 (a) S 1"), None);
    }
}
