//! What the words of tables mean, for the terminal and for the page.

use std::fmt::Write;

use super::angles;
use super::html::escape;
use super::text::broken;
use crate::compare::Comparison;

/// What the words of the tables mean.
const WORDS: [(&str, &str); 13] = [
    (
        "mean error",
        "how far the guess is from the truth when the last news is as old as the delay; \
      the mean over every tick of every body (SHI's average export error). Lengths are in the units of the source. The table of costs has it at the bound, without any delay.",
    ),
    (
        "95 % interval",
        "by resampling over players. Where sessions are pooled, they count as independent.",
    ),
    ("hit", "a guess whose distance from the truth is at most the bound; exactly as far counts."),
    (
        "bound",
        "the stray that a publisher allows before it speaks, and the radius of a hit: the length given \
         with --bound, or else the width of a body in that recording. Both stand in the tables.",
    ),
    (
        "best, good, bad, unacceptable",
        "LI's classes: off by at most 10, 30 and 50 of LI's pixels, or by more. A pixel is a fortieth of \
         what the fastest body of the session covers in a second, as with LI's tanks.",
    ),
    ("n", "how many guesses were judged."),
    ("packets/s", "updates per body and second that keep the guess within the bound."),
    (
        "shown 100 ms",
        "how far the picture of a listener, 100 ms away, is from the truth; the mean over time.",
    ),
    (
        "shown, shown links",
        "the same for a receiver behind its link (--link), and the mean over all of them.",
    ),
    (
        "before, after",
        "the error of what a receiver shows, parted: while an update was on its way to it, and from its \
         arrival until the next one was sent. Their sum is the mean error over time.",
    ),
    (
        "CEE, EEE, AEE",
        "what the owner of a body knows of a receiver's error: confirmed by acknowledgements, estimated \
         from the last acknowledged arrival to the end of each life, and both together (the accumulated \
         error of THESIS, not the mean error above), all divided by the time. A receiver's course is \
         compared with the newest one sent, so strays within the bound do not count.",
    ),
    ("deviation", "the standard deviation across the receivers: the smaller, the fairer."),
    (
        "roughness",
        "how unsteadily the picture moves: the mean of its jerk, the third difference of what is shown \
         100 ms away, in units per second cubed. Zero is perfectly smooth.",
    ),
];

/// Lines of a terminal are no longer.
const WIDEST: usize = 116;

/// The words of a comparison's tables, each with its meaning, for a terminal.
#[must_use]
pub fn words_text(comparison: &Comparison) -> String {
    let mut text = String::from("What the words mean\n");
    for (word, meaning) in words(comparison) {
        let lines = broken(&format!("{word}: {meaning}"), WIDEST);
        let _ = writeln!(text, "  {}", lines.join("\n    "));
    }
    text
}

/// The same as a list of definitions that tables can point to.
pub(super) fn words_html(comparison: &Comparison) -> String {
    let mut html = String::from("<h2 id=\"words\">What the words mean</h2>\n<dl>\n");
    for (word, meaning) in words(comparison) {
        let (id, word, meaning) = (id_of(word), escape(word), escape(meaning));
        let _ = writeln!(html, "<dt id=\"{id}\">{word}</dt><dd>{meaning}</dd>");
    }
    html + "</dl>\n"
}

/// Where a column is explained.
pub(super) fn place_of(column: &str) -> Option<String> {
    let column = if column == "95 %" { "95 % interval" } else { column };
    let all = WORDS.iter().chain(&angles::WORDS);
    let names = |word: &str| word == column || word.split(", ").any(|part| part == column);
    all.map(|(word, _)| *word).find(|word| names(word)).map(id_of)
}

fn words(comparison: &Comparison) -> impl Iterator<Item = (&'static str, &'static str)> {
    let angled = angles::any(comparison);
    WORDS.into_iter().chain(angles::WORDS.into_iter().filter(move |_| angled))
}

fn id_of(word: &str) -> String {
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' }
    };
    format!("word-{}", word.chars().map(plain).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_that_a_column_needs_is_found() {
        for column in [
            "mean error",
            "95 %",
            "n",
            "bound",
            "packets/s",
            "shown 100 ms",
            "before",
            "CEE",
            "AEE",
            "roughness",
            "unacceptable",
        ] {
            assert!(place_of(column).is_some(), "{column}");
        }
        assert_eq!(place_of("predictor"), None);
    }

    #[test]
    fn a_terminal_is_wide_enough() {
        let text = words_text(&Comparison::default());
        assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
        assert!(text.contains("roughness: "));
    }
}
