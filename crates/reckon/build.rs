//! Puts the arena's page into the binary, if it was built: `cargo xtask play` does both.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const ENTRY: &str = "index.html";

fn main() {
    println!("cargo:rerun-if-env-changed=RECKONING_PAGE_DIR");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names it"));
    let candidates = candidates(&out);
    for folder in &candidates {
        println!("cargo:rerun-if-changed={}", folder.display());
    }
    let found = candidates.iter().find(|folder| folder.join(ENTRY).is_file());
    let list = found.map_or_else(String::new, |folder| embed(folder, &out));
    let code = format!("pub const FILES: &[(&str, &[u8])] = &[\n{list}];\n");
    fs::write(out.join("page.rs"), code).expect("cargo lets us write there");
}

/// Where a built page may be: as told, or in the folder that cargo builds into.
fn candidates(out: &Path) -> Vec<PathBuf> {
    if let Some(told) = env::var_os("RECKONING_PAGE_DIR") {
        return vec![told.into()];
    }
    let root = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    // OUT_DIR is TARGET/PROFILE/build/PACKAGE/out, with a triple before the profile at times.
    let mut found: Vec<PathBuf> =
        [4, 5].iter().filter_map(|up| Some(out.ancestors().nth(*up)?.join("page"))).collect();
    found.push(root.join("../../target/page"));
    found
}

/// Copies the files, so that they cannot change under the compiler's feet, and lists them.
fn embed(folder: &Path, out: &Path) -> String {
    let copies = out.join("page");
    let _ = fs::remove_dir_all(&copies);
    fs::create_dir_all(&copies).expect("cargo lets us write there");
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("it was there")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| folder.join(name).is_file())
        .collect();
    names.sort();
    let mut list = String::new();
    for name in names {
        println!("cargo:rerun-if-changed={}", folder.join(&name).display());
        fs::copy(folder.join(&name), copies.join(&name)).expect("files of a page can be copied");
        let path = copies.join(&name);
        let _ = writeln!(list, "    ({name:?}, include_bytes!({:?})),", path.display().to_string());
    }
    list
}
