//! Rust programs in documents: each is compiled as a doctest, or is an excerpt of a file.

use crate::documents::Document;

/// The pages of the guide.
pub const GUIDE: &str = "docs/guide/";
/// Where they, and the README of the project, are included as doctests.
pub const INCLUDES: &str = "crates/reckoning-server/src/guide.rs";

/// Languages of bindings, whose programs are excerpts of files that their tests run.
const OTHERS: [&str; 5] = ["c", "cpp", "js", "html", "python"];

/// Pages that no doctest includes.
pub fn left_out(pages: &[Document], includes: &str) -> Vec<String> {
    let is_included = |page: &Document| includes.contains(&format!("\"{}\"", page.name));
    let left_out = pages.iter().filter(|page| !is_included(page));
    left_out.map(|it| format!("{} is not compiled: include it in {INCLUDES}", it.name)).collect()
}

/// Programs of a page that nothing compiles and that no file contains; `source` gives the text
/// of a file of the repository.
pub fn unproven(page: &Document, source: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut complaints = Vec::new();
    for block in blocks(&page.text).iter().filter(|block| block.is_skipped()) {
        let Block { line, file, .. } = block;
        let place = format!("{}:{line}", page.name);
        match file.and_then(&source) {
            None => complaints.push(format!(
                "{place} is not compiled: let it be, or name the file it is from in the line before"
            )),
            Some(text) if !contains(&text, &block.code) => {
                complaints.push(format!("{place} is not in the file that it is from"));
            }
            Some(_) => {}
        }
    }
    complaints
}

/// Whether a crate's README has a program, so that its library must include it as a doctest.
pub fn has_program(text: &str) -> bool {
    blocks(text).iter().any(|block| block.info.starts_with("rust"))
}

/// A fenced block.
struct Block<'a> {
    /// Where it begins, from 1.
    line: usize,
    info: &'a str,
    code: Vec<&'a str>,
    /// The last path that the prose before it names.
    file: Option<&'a str>,
}

impl Block<'_> {
    /// Whether it is Rust that doctests leave alone, or a program in another language.
    fn is_skipped(&self) -> bool {
        let mut words = self.info.split(',');
        let language = words.next().unwrap_or_default();
        OTHERS.contains(&language) || (language == "rust" && words.any(|word| word == "ignore"))
    }
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut open, mut prose) = (Vec::new(), None::<Block>, "");
    for (line, number) in text.lines().zip(1..) {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                let file = prose.split('`').skip(1).step_by(2).find(|word| word.contains('/'));
                open = Some(Block { line: number, info, code: Vec::new(), file });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => block.code.push(line),
            (None, None) if !line.trim().is_empty() => prose = line,
            (None, None) => {}
        }
    }
    blocks
}

/// Whether these lines stand in the text one after another, at any indentation.
fn contains(text: &str, lines: &[&str]) -> bool {
    let wanted: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    let text: Vec<&str> = text.lines().map(str::trim).collect();
    text.windows(wanted.len().max(1)).any(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Document {
        Document { name: "docs/guide/01-x.md".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_page_that_nobody_includes_is_found() {
        assert_eq!(left_out(&[page("")], "page!(X, \"docs/guide/01-x.md\");"), [""; 0]);
        assert!(left_out(&[page("")], "docs/guide/02-y.md")[0].contains("01-x.md is not compiled"));
    }

    #[test]
    fn what_is_not_compiled_is_an_excerpt() {
        let source =
            |path: &str| (path == "a/b.rs").then(|| "fn x() {\n    1 +\n    2\n}".to_owned());
        let excerpt =
            |code: &str| page(&format!("From `a/b.rs`:\n\n```rust,ignore\n{code}\n```\n"));

        assert_eq!(unproven(&excerpt("1 +\n2"), source), [""; 0]);
        assert!(unproven(&excerpt("1 +\n3"), source)[0].contains("01-x.md:3 is not in the file"));
        assert!(
            unproven(&page("Like this:\n```rust,ignore\n1\n```"), source)[0].contains("compiled")
        );
        assert!(unproven(&page("```c\n1;\n```"), source)[0].contains("01-x.md:1 is not compiled"));
        assert_eq!(unproven(&page("```rust\n1\n```\n```sh\n2\n```"), source), [""; 0]);
    }

    #[test]
    fn programs_are_told_from_commands() {
        assert!(has_program("x\n```rust,no_run\nlet a = 1;\n```\n"));
        assert!(!has_program("```sh\nrust\n```\n"));
    }
}
