//! The last line of `cargo xtask test`.

use std::time::Duration;

use crate::skips::Skips;

/// The steps that are behind us.
#[derive(Debug, Default)]
pub struct Report {
    passed: Vec<&'static str>,
    /// With the reason.
    skipped: Vec<(&'static str, &'static str)>,
}

impl Report {
    pub fn passed(&mut self, title: &'static str) {
        self.passed.push(title);
    }

    pub fn skipped(&mut self, title: &'static str, reason: &'static str) {
        self.skipped.push((title, reason));
    }

    /// The last line when nothing failed: how many steps and tests were left out, and why.
    pub fn closing(&self, took: Duration, skips: &Skips) -> String {
        let steps: Vec<String> =
            self.skipped.iter().map(|(title, reason)| format!("{title}: {reason}")).collect();
        format!(
            "all is well after {:.0} s. passed: {}; skipped: {}, {}",
            took.as_secs_f64(),
            listed(&self.passed),
            counted(steps.len(), "step", &steps),
            counted(skips.count(), "test", &skips.reasons()),
        )
    }

    /// The line before the reason when a step failed.
    pub fn broken_off(&self, failed: &str, not_run: &[&str]) -> String {
        format!(
            "failed: {failed}; passed before it: {}; not run: {}",
            listed(&self.passed),
            listed(not_run)
        )
    }
}

fn listed(titles: &[&str]) -> String {
    if titles.is_empty() { "none".to_owned() } else { titles.join(", ") }
}

fn counted(count: usize, what: &str, reasons: &[String]) -> String {
    match count {
        0 => format!("no {what}"),
        1 => format!("1 {what} ({})", reasons.join("; ")),
        _ => format!("{count} {what}s ({})", reasons.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_line_counts_what_was_left_out_and_says_why() {
        let mut report = Report::default();
        report.passed("format");
        report.passed("tests");
        let skips = Skips::parse("a: no data\nb: no data\nc: no python3\n");
        report.skipped("browser", "install Chromium");

        assert_eq!(
            report.closing(Duration::from_secs(95), &skips),
            "all is well after 95 s. passed: format, tests; \
             skipped: 1 step (browser: install Chromium), 3 tests (2: no data; 1: no python3)"
        );
    }

    #[test]
    fn the_closing_line_says_when_nothing_was_left_out() {
        let mut report = Report::default();
        report.passed("format");

        assert_eq!(
            report.closing(Duration::from_secs(1), &Skips::default()),
            "all is well after 1 s. passed: format; skipped: no step, no test"
        );
    }

    #[test]
    fn a_failure_says_what_never_ran() {
        let report = Report::default();

        assert_eq!(
            report.broken_off("format", &["tests", "docs"]),
            "failed: format; passed before it: none; not run: tests, docs"
        );
    }
}
