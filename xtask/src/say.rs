//! Output to the terminal: plain text, coloured only where colours show.

use std::env;
use std::io::{self, IsTerminal};

const BOLD: &str = "1";
const RED: &str = "1;31";
const GREEN: &str = "32";
const YELLOW: &str = "33";
const DIM: &str = "2";

/// The beginning of a step.
pub fn headline(text: &str) {
    println!("\n{}", paint(BOLD, &format!("== {text}")));
}

/// A command line about to run.
pub fn running(line: &str) {
    println!("{}", paint(DIM, &format!("$ {line}")));
}

/// An ordinary line.
pub fn note(text: &str) {
    println!("{text}");
}

/// Something that went well.
pub fn success(text: &str) {
    println!("{}", paint(GREEN, text));
}

/// Something left out, which should not be overlooked.
pub fn skipped(text: &str) {
    println!("{}", paint(YELLOW, text));
}

/// Something that went wrong. It goes to stdout, in order with what led to it.
pub fn failure(text: &str) {
    println!("{}", paint(RED, text));
}

fn paint(code: &str, text: &str) -> String {
    if io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none() {
        format!("\x1b[{code}m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}
