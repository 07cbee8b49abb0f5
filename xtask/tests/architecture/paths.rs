//! Paths of the repository that a document names, and whether they are there.
//!
//! A path is a word between single backticks that begins with a folder of ours or is the
//! name of a file in the root, and the target of a relative link, which counts from the
//! document's own folder. Fenced blocks are left alone: they show code and output, not the tree.

const FOLDERS: [&str; 9] =
    ["crates/", "bindings/", "xtask/", "testdata/", "fuzz/", "tools/", "docs/", "bench/", ".ci/"];
const ROOT_FILES: [&str; 5] =
    ["Cargo.toml", "Cargo.lock", "clippy.toml", "rustfmt.toml", "rust-toolchain.toml"];

/// Each path in `text` that `exists` denies.
pub fn complaints(document: &str, text: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    named_in(folder, text)
        .into_iter()
        .filter(|path| !exists(path))
        .map(|path| {
            format!(
                "{document} names `{path}`, which is not in the tree: correct the path, remove \
                 the sentence, or add the file"
            )
        })
        .collect()
}

/// Paths from the root in a document of this folder.
fn named_in(folder: &str, text: &str) -> Vec<String> {
    let prose = outside_fences(text);
    let quoted = prose.iter().flat_map(|line| line.split('`').skip(1).step_by(2));
    let paths = quoted.flat_map(str::split_whitespace).filter(|word| is_ours(word)).map(existing);
    let links = prose.iter().flat_map(|line| links_in(line));
    paths.map(String::from).chain(links.map(|it| from_root(folder, it))).collect()
}

/// `../README.md` in `docs/guide` is `docs/README.md`. A link out of the root keeps its `..`.
fn from_root(folder: &str, link: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|it| !it.is_empty()).collect();
    for part in link.split('/').filter(|it| !matches!(*it, "" | ".")) {
        match (part, parts.last()) {
            ("..", Some(&last)) if last != ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

fn outside_fences(text: &str) -> Vec<&str> {
    let mut fenced = false;
    text.lines()
        .filter(|line| {
            let fence = line.trim_start().starts_with("```");
            fenced ^= fence;
            !fenced && !fence
        })
        .collect()
}

fn is_ours(word: &str) -> bool {
    FOLDERS.iter().any(|folder| word.starts_with(folder) || *word == folder[..folder.len() - 1])
        || ROOT_FILES.contains(&word)
        || is_document(word)
}

/// `PROTOCOL.md` and `LICENSE-MIT` are files of the root; `notes.md` could be anyone's.
fn is_document(word: &str) -> bool {
    let name = word.strip_suffix(".md").or(word.starts_with("LICENSE").then_some(word));
    name.is_some_and(|it| !it.is_empty() && it.chars().all(|c| c.is_ascii_uppercase() || c == '-'))
}

/// The part of a path that must exist: a pattern such as `crates/*/benches` stands for many.
fn existing(path: &str) -> &str {
    let fixed = path.find(['*', '<', '{']).map_or(path, |at| &path[..at]);
    fixed.trim_end_matches('/')
}

/// Targets of `[text](target)` within this repository.
fn links_in(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| {
        let target = rest.split([')', '#']).next().unwrap_or_default();
        (!target.is_empty() && !target.contains("://")).then_some(target)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_in_prose_and_not_in_fences() {
        let text = "See `crates/reckoning/src/time.rs`, `Ghost::accept` and `cargo xtask test`.\n\
                    ```text\n`crates/not/checked`\n```\n\
                    Then `PROTOCOL.md`, `LICENSE-MIT`, `cat testdata/x.json` and `xtask`; \
                    not `notes.md`.";

        assert_eq!(
            named_in("", text),
            [
                "crates/reckoning/src/time.rs",
                "xtask",
                "PROTOCOL.md",
                "LICENSE-MIT",
                "testdata/x.json",
                "xtask"
            ]
        );
    }

    #[test]
    fn a_pattern_stands_for_its_folder() {
        assert_eq!(named_in("", "`crates/*/benches` and `testdata/`"), ["crates", "testdata"]);
    }

    #[test]
    fn relative_links_are_paths_and_others_are_not() {
        let text = "[a](ARCHITECTURE.md#layers), [b](https://example.org/x), [c](#here)";

        assert_eq!(named_in("", text), ["ARCHITECTURE.md"]);
    }

    #[test]
    fn links_count_from_the_folder_of_their_document() {
        let text = "[a](first.md), [b](../netcode.md#top), [c](../../README.md), `docs/x.md`";

        assert_eq!(
            named_in("docs/guide", text),
            ["docs/x.md", "docs/guide/first.md", "docs/netcode.md", "README.md"]
        );
        assert_eq!(named_in("docs", "[out](../../shared/x)"), ["../shared/x"]);
    }

    #[test]
    fn a_path_the_tree_lacks_is_named_with_its_document() {
        let complaints =
            complaints("README.md", "`Cargo.toml`, `fuzz/wire.rs`", |path| path == "Cargo.toml");

        assert_eq!(complaints.len(), 1);
        assert!(complaints[0].starts_with("README.md names `fuzz/wire.rs`"), "{complaints:?}");
    }
}
