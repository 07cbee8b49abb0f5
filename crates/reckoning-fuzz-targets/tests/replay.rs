//! Every seed of the fuzzer, as it is and changed a little, through its target.

use std::fs;
use std::panic;
use std::path::{Path, PathBuf};

use reckoning_fuzz_targets::{TARGETS, Target};

/// How often each seed is changed: cut, and a bit of it flipped.
const CHANGES: usize = 16;
/// Seeds per target beyond which the folder has not been minimised.
const MAX_SEEDS: usize = 50;

#[test]
fn no_target_panics_on_its_seeds_or_what_is_near_them() {
    for (name, target) in TARGETS {
        for (path, seed) in seeds(name) {
            for (change, bytes) in changed(&seed).enumerate() {
                survive(target, &bytes, &format!("{} changed {change}", path.display()));
            }
        }
    }
}

#[test]
fn no_target_panics_on_little_or_nothing() {
    for (name, target) in TARGETS {
        for bytes in [&b""[..], b"x", b"{}", b"[1, 2]", b"some text\n1,2,3\n", &[0; 64], &[255; 64]]
        {
            survive(target, bytes, &format!("{name}: {bytes:?}"));
        }
    }
}

#[test]
fn every_folder_of_seeds_belongs_to_a_target_and_is_small() {
    for entry in fs::read_dir(folder()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        assert!(TARGETS.iter().any(|(target, _)| *target == name), "{name} is no target");
        let count = fs::read_dir(entry.path()).unwrap().count();
        assert!(
            count <= MAX_SEEDS,
            "{name}: {count} seeds; CONTRIBUTING.md says how to merge them"
        );
    }
}

/// The target's own message stands above ours, which names the input.
fn survive(target: Target, bytes: &[u8], what: &str) {
    assert!(panic::catch_unwind(|| target(bytes)).is_ok(), "{what}");
}

/// The seed, and the same with a cut or a flipped bit at places spread over it.
fn changed(seed: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let places = (0..CHANGES).map(|k| k * seed.len() / CHANGES);
    let cut = places.clone().map(|at| seed[..at].to_vec());
    let flipped = places.enumerate().filter(|_| !seed.is_empty()).map(|(k, at)| {
        let mut bytes = seed.to_vec();
        bytes[at] ^= 1 << (k % 8);
        bytes
    });
    std::iter::once(seed.to_vec()).chain(cut).chain(flipped)
}

/// The seeds of a target in the order of their names; none for a target without a folder.
fn seeds(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let Ok(entries) = fs::read_dir(folder().join(target)) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|it| it.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds")
}
