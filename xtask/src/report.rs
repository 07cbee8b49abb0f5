//! What `cargo xtask test` says in the end.

use std::time::Duration;

/// The steps that are behind us.
#[derive(Debug, Default)]
pub struct Report {
    passed: Vec<&'static str>,
    skipped: Vec<&'static str>,
}

impl Report {
    pub fn passed(&mut self, title: &'static str) {
        self.passed.push(title);
    }

    pub fn skipped(&mut self, title: &'static str) {
        self.skipped.push(title);
    }

    /// The last line when nothing failed.
    pub fn closing(&self, took: Duration) -> String {
        format!(
            "all is well after {:.0} s. passed: {}; skipped: {}",
            took.as_secs_f64(),
            listed(&self.passed),
            listed(&self.skipped)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_line_names_what_was_left_out() {
        let mut report = Report::default();
        report.passed("format");
        report.passed("tests");
        report.skipped("licences");

        assert_eq!(
            report.closing(Duration::from_secs(95)),
            "all is well after 95 s. passed: format, tests; skipped: licences"
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
