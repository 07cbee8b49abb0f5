//! Names that say what a file holds: `style.css` becomes `style.0123456789abcdef.css`, so that a
//! browser may keep it for ever, and pages keep their names.
//!
//! ```text
//! module (named) <- style sheets, scripts (rewritten, named) <- pages (rewritten)
//! ```

use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};

/// Endings of what is named anew, in this order: each may name what came before it.
const NAMED: [&str; 3] = ["wasm", "css", "js"];
/// The ending of pages.
const PAGE: &str = "html";

/// Names all files of the folder anew but for its pages, in which the new names are written.
pub fn rename(folder: &Path) -> io::Result<()> {
    let mut renamed: Vec<(String, String)> = Vec::new();
    for ending in NAMED {
        for path in files(folder, ending)? {
            let bytes = rewritten(&path, &renamed)?;
            let old = name_of(&path);
            let new = hashed(&old, ending, &bytes);
            fs::remove_file(&path)?;
            fs::write(folder.join(&new), bytes)?;
            renamed.push((old, new));
        }
    }
    for path in pages(folder)? {
        fs::write(&path, rewritten(&path, &renamed)?)?;
    }
    Ok(())
}

/// The pages of a folder, by name.
pub fn pages(folder: &Path) -> io::Result<Vec<PathBuf>> {
    files(folder, PAGE)
}

/// The files of a folder with this ending, by name.
fn files(folder: &Path, ending: &str) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    let paths = entries.into_iter().map(|it| it.path());
    let mut found: Vec<PathBuf> =
        paths.filter(|it| it.extension() == Some(OsStr::new(ending))).collect();
    found.sort();
    Ok(found)
}

fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |it| it.to_string_lossy().into_owned())
}

/// Sixteen digits of a hash before the ending.
fn hashed(name: &str, ending: &str, bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    let stem = name.strip_suffix(ending).unwrap_or(name);
    format!("{stem}{:016x}.{ending}", hasher.finish())
}

/// A file with the new names; what is no text names nothing.
fn rewritten(path: &Path, renamed: &[(String, String)]) -> io::Result<Vec<u8>> {
    let bytes = fs::read(path)?;
    let mut text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(binary) => return Ok(binary.into_bytes()),
    };
    for (old, new) in renamed {
        text = with_name(&text, old, new);
    }
    Ok(text.into_bytes())
}

/// Puts the new name wherever the old one is a whole file name: not after a letter or a figure.
fn with_name(text: &str, old: &str, new: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(old) {
        let (before, after) = rest.split_at(at);
        let goes_on = |it: char| it.is_alphanumeric() || "_-.".contains(it);
        let is_whole = !before.ends_with(goes_on) && !after[old.len()..].starts_with(goes_on);
        out.push_str(before);
        out.push_str(if is_whole { new } else { old });
        rest = &after[old.len()..];
    }
    out + rest
}
