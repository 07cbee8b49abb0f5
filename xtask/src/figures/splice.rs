//! Generated fragments in documents.
//!
//! ```text
//! <!-- figures: speed -->
//! the fragment docs/figures/speed.md, as it is
//! <!-- /figures -->
//! ```
//!
//! Each marker stands on a line of its own. Code fences are left alone, so a document can explain
//! the markers.

const OPEN: &str = "<!-- figures: ";
const OPEN_END: &str = " -->";
const CLOSE: &str = "<!-- /figures -->";

/// A line of a document and what it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// Ordinary text.
    Prose(&'a str),
    /// A line of a code fence, its ends included.
    Fenced(&'a str),
    /// The marker before the fragment of this name.
    Open { name: &'a str, text: &'a str },
    /// A line of a fragment.
    Fragment(&'a str),
    /// The marker behind a fragment.
    Close(&'a str),
}

/// Sorts the lines of a document; an error says which marker has no partner.
pub fn lines(text: &str) -> Result<Vec<Line<'_>>, String> {
    let (mut fenced, mut open) = (false, None);
    let mut lines = Vec::new();
    for line in text.lines() {
        let fence = line.trim_start().starts_with("```");
        let name = line.strip_prefix(OPEN).and_then(|it| it.strip_suffix(OPEN_END));
        lines.push(match (open, name) {
            (Some(open), Some(name)) => {
                return Err(format!("figures `{name}` begin before `{open}` end"));
            }
            (Some(_), None) if line == CLOSE => {
                open = None;
                Line::Close(line)
            }
            (Some(_), None) => Line::Fragment(line),
            (None, _) if fenced || fence => Line::Fenced(line),
            (None, Some(name)) => {
                open = Some(name);
                Line::Open { name, text: line }
            }
            (None, None) if line == CLOSE => return Err("figures end that never began".to_owned()),
            (None, None) => Line::Prose(line),
        });
        fenced ^= fence && open.is_none();
    }
    open.map_or(Ok(lines), |name| Err(format!("figures `{name}` have no end, `{CLOSE}`")))
}

/// The document with every block as `fragment` has it; blocks it does not know stay as they are.
pub fn spliced<'a>(
    text: &str,
    fragment: impl Fn(&str) -> Option<&'a str>,
) -> Result<String, String> {
    let mut new = String::new();
    let mut replaced = false;
    for line in lines(text)? {
        let (Line::Prose(text)
        | Line::Fenced(text)
        | Line::Open { text, .. }
        | Line::Fragment(text)
        | Line::Close(text)) = line;
        if !(replaced && matches!(line, Line::Fragment(_))) {
            new += text;
            new.push('\n');
        }
        if let Line::Open { name, .. } = line {
            let contents = fragment(name);
            replaced = contents.is_some();
            new += contents.unwrap_or_default();
        }
    }
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "before\n<!-- figures: speed -->\nold\nolder\n<!-- /figures -->\n\
                        ```md\n<!-- figures: not me -->\n```\nafter\n";

    #[test]
    fn a_block_takes_its_fragment_and_the_rest_stays() {
        let new = spliced(TEXT, |name| (name == "speed").then_some("| new |\n")).unwrap();

        assert_eq!(new, TEXT.replace("old\nolder", "| new |"));
        assert_eq!(spliced(&new, |_| Some("| new |\n")).unwrap(), new);
        assert_eq!(spliced(TEXT, |_| None).unwrap(), TEXT);
    }

    #[test]
    fn a_fragment_may_hold_a_fence_of_its_own() {
        let text = "<!-- figures: a -->\n```\nx\n```\n<!-- /figures -->\nprose\n";

        assert_eq!(lines(text).unwrap()[1], Line::Fragment("```"));
        assert_eq!(lines(text).unwrap().last(), Some(&Line::Prose("prose")));
    }

    #[test]
    fn a_marker_without_its_partner_is_refused() {
        for text in [
            "<!-- figures: a -->\nx\n",
            "x\n<!-- /figures -->\n",
            "<!-- figures: a -->\n<!-- figures: b -->\n<!-- /figures -->\n",
        ] {
            assert!(lines(text).is_err(), "{text}");
        }
    }
}
