//! Figures in documents: each comes from a fragment that `cargo xtask figures` writes.

use crate::documents::{Document, FRAGMENTS};
use crate::splice::{self, Line};

/// Units behind which a number looks measured.
const UNITS: [&str; 12] =
    ["ns", "µs", "us", "ms", "px", "px/s", "%", "kB", "MB", "MiB", "bytes", "times"];

/// Numbers that are not measured: settings of an experiment and the like, with the reason.
const SETTINGS: [(&str, &str); 3] = [
    ("150 ms", "the delay that the page is measured at"),
    ("40 ms", "its jitter"),
    ("3 %", "its loss"),
];

/// Blocks that are not as their fragment is, blocks without one, fragments that nobody uses.
pub fn complaints(documents: &[Document], fragments: &[Document]) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut used = Vec::new();
    for document in documents {
        let found = match blocks(&document.text) {
            Ok(found) => found,
            Err(error) => {
                complaints.push(format!("{}: {error}", document.name));
                continue;
            }
        };
        for (name, contents) in found {
            used.push(name);
            let place = format!("figures `{name}` in {}", document.name);
            match fragments.iter().find(|it| it.name == name) {
                None => complaints.push(format!(
                    "{place}: there is no {FRAGMENTS}/{name}.md; write it with \
                     `cargo xtask figures {name}`"
                )),
                Some(fragment) if fragment.text != contents => complaints.push(format!(
                    "{place} differ from {FRAGMENTS}/{name}.md; \
                     `cargo xtask figures --splice` puts them there"
                )),
                Some(_) => {}
            }
        }
    }
    let unused = fragments.iter().filter(|it| !used.contains(&it.name.as_str()));
    complaints.extend(unused.map(|it| {
        format!("{FRAGMENTS}/{}.md is in no document: add a block for it, or remove it", it.name)
    }));
    complaints
}

/// The blocks of a document: name and contents.
fn blocks(text: &str) -> Result<Vec<(&str, String)>, String> {
    let mut blocks: Vec<(&str, String)> = Vec::new();
    for line in splice::lines(text)? {
        match line {
            Line::Open { name, .. } => blocks.push((name, String::new())),
            Line::Fragment(line) => {
                let (_, contents) = blocks.last_mut().expect("a fragment is behind its marker");
                *contents += line;
                contents.push('\n');
            }
            _ => {}
        }
    }
    Ok(blocks)
}

/// Numbers with a unit outside blocks and code fences.
pub fn typed_in(document: &Document) -> Vec<String> {
    let lines = splice::lines(&document.text).unwrap_or_default();
    let prose = lines.iter().zip(1..).filter_map(|(line, number)| match line {
        Line::Prose(text) => Some((number, *text)),
        _ => None,
    });
    prose
        .flat_map(|(number, line)| {
            let found = figures_in(line).into_iter().filter(|it| !is_setting(it));
            found.map(move |it| {
                format!(
                    "{}:{number} says `{it}`: take it from a fragment (`cargo xtask \
                     figures`), or, if it is a setting, list it in SETTINGS of \
                     xtask/tests/architecture/figures.rs",
                    document.name
                )
            })
        })
        .collect()
}

fn is_setting(figure: &str) -> bool {
    SETTINGS.iter().any(|(it, _)| *it == figure)
}

/// Each number of the line that a unit follows, with it: `15 ns`, `3 %`, `40ms`.
fn figures_in(line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split_whitespace().map(bare).collect();
    let next = words.iter().skip(1).copied().chain([""]);
    let found = words.iter().copied().zip(next).filter_map(|(word, next)| {
        let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || ".,-+~<>=".contains(c));
        let number = &word[..word.len() - unit.len()];
        let has_digit = number.contains(|c: char| c.is_ascii_digit());
        match unit {
            "" if has_digit && UNITS.contains(&next) => Some(format!("{word} {next}")),
            unit if has_digit && UNITS.contains(&unit) => Some(word.to_owned()),
            _ => None,
        }
    });
    found.collect()
}

/// The word without what punctuation and markup put around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| "()[]*_|;:,.!?\"'`".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(name: &str, text: &str) -> Document {
        Document { name: name.to_owned(), text: text.to_owned() }
    }

    const TEXT: &str = "<!-- figures: speed -->\n| 15 ns |\n<!-- /figures -->\n";

    #[track_caller]
    fn demand(complaints: &[String], part: &str) {
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].contains(part), "{complaints:?}");
    }

    #[test]
    fn a_block_is_its_fragment() {
        let with = |fragments: &[Document]| complaints(&[document("README.md", TEXT)], fragments);

        assert_eq!(with(&[document("speed", "| 15 ns |\n")]), [""; 0]);
        demand(&with(&[document("speed", "| 16 ns |\n")]), "README.md differ from docs/figures");
        demand(&with(&[]), "there is no docs/figures/speed.md");
        let unused = [document("speed", "| 15 ns |\n"), document("bytes", "x\n")];
        demand(&with(&unused), "docs/figures/bytes.md is in no document");
        demand(&complaints(&[document("x.md", "<!-- figures: a -->\n")], &[]), "x.md: figures `a`");
    }

    #[test]
    fn a_typed_figure_is_found_with_its_line() {
        for (line, figure) in [
            ("about 15 ns;", "15 ns"),
            ("(40 to 50 kB), and", "50 kB"),
            ("costs 3.3 times as much", "3.3 times"),
            ("**5%** of it", "5%"),
            ("at 638 px/s.", "638 px/s"),
            ("| 1.5 µs, |", "1.5 µs"),
            ("20ms", "20ms"),
        ] {
            demand(
                &typed_in(&document("README.md", &format!("fine\n{line}\n"))),
                &format!("README.md:2 says `{figure}`"),
            );
        }
    }

    #[test]
    fn code_blocks_and_other_numbers_are_no_figures() {
        for text in ["Rust 1.95 or later", "```\n15 ns\n```", "64 bots", "eleven ms", TEXT] {
            assert_eq!(typed_in(&document("README.md", text)), [""; 0], "{text}");
        }
    }
}
