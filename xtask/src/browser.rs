//! The tests of the arena's page in a real browser.

use crate::checks::Outcome;
use crate::failure::Failure;
use crate::page;
use crate::tools;
use crate::workspace::{self, Workspace};

/// Builds the page and plays with it in Chromium, one browser test at a time: they measure.
pub fn test(workspace: &Workspace) -> Result<Outcome, Failure> {
    let Some(browser) = tools::find_chromium(workspace) else {
        return Ok(Outcome::Skipped("install Chromium, for example the package `chromium`"));
    };
    page::build(workspace)?;
    let words = "test -p reckon --test browser -- --ignored --nocapture --test-threads=1";
    let mut tests = workspace.cargo(words);
    // Without it, the tests that need it say that they were skipped, and what to install.
    if let Some(script) = tools::find_axe(workspace, &workspace.target.join("axe")) {
        tests.env("RECKONING_AXE", script);
    }
    workspace::run(tests.env("RECKONING_BROWSER", browser)).map(|()| Outcome::Passed)
}
