//! Prints the hash of the golden replay, to compare builds: debug, release, WebAssembly.

#[path = "../tests/golden/replay.rs"]
mod replay;

fn main() {
    println!("golden {:#018x}", replay::hash());
}
