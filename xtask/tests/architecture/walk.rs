//! The walk through the code: how many files it names, and whether its functions are there.
//!
//! On a line with the path of a source file between backticks, every other word between
//! backticks that could be a function is one of that file.

use std::collections::BTreeSet;
use std::path::Path;

pub const WALK: &str = "docs/walk.md";
/// More files than this nobody reads in one go.
const MAX_FILES: usize = 15;

/// What is wrong with the walk; `source` gives the text of a file of the repository.
pub fn complaints(text: &str, source: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let files: BTreeSet<&str> = text.lines().flat_map(quoted).filter(|it| is_file(it)).collect();
    let mut complaints = Vec::new();
    if files.is_empty() || files.len() > MAX_FILES {
        let count = files.len();
        complaints.push(format!("{WALK} names {count} source files: name 1 to {MAX_FILES}"));
    }
    for line in text.lines() {
        let Some(file) = quoted(line).find(|it| is_file(it)) else { continue };
        let Some(source) = source(file) else {
            complaints.push(format!("{WALK} names `{file}`, which cannot be read"));
            continue;
        };
        let absent = quoted(line).filter(|it| is_function(it) && !defines(&source, it));
        complaints.extend(absent.map(|name| {
            format!("{WALK} says that `{file}` has `{name}`: there is no `fn {name}` in it")
        }));
    }
    complaints
}

fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn is_file(word: &str) -> bool {
    word.contains('/') && Path::new(word).extension().is_some_and(|it| it == "rs")
}

fn is_function(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Whether the source has a function of exactly this name.
fn defines(source: &str, name: &str) -> bool {
    let start = format!("fn {name}");
    source.match_indices(&start).any(|(at, _)| source[at + start.len()..].starts_with(['(', '<']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str) -> Vec<String> {
        let source = "pub fn observe(&mut self) {}\nfn lead<T>() {}\nfn observed() {}";
        complaints(text, |path| (path == "crates/a.rs").then(|| source.to_owned()))
    }

    #[test]
    fn functions_beside_a_path_are_in_that_file() {
        assert_eq!(
            with("### 1. `crates/a.rs`: `observe`, `lead`\n`Update` and `elsewhere`"),
            [""; 0]
        );
        let complaints = with("`crates/a.rs`: `observe`, `accept`");
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].contains("there is no `fn accept`"), "{complaints:?}");
        assert!(
            with("`crates/a.rs`: `observ`")[0].contains("`fn observ`"),
            "the whole name counts"
        );
        assert!(with("`crates/b.rs`: `observe`")[0].contains("cannot be read"));
    }

    #[test]
    fn a_walk_is_short() {
        let lines: Vec<String> = (0..16).map(|number| format!("`crates/a{number}.rs`")).collect();
        let long = lines.join("\n");
        assert!(with(&long)[0].contains("names 16 source files"));
        assert!(with("")[0].contains("names 0 source files"));
        assert_eq!(with(&"`crates/a.rs`\n".repeat(20)), [""; 0], "one file is one file");
    }
}
