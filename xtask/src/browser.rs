//! The tests of the arena's page in a real browser.

use crate::checks::Outcome;
use crate::failure::Failure;
use crate::page;
use crate::tools;
use crate::workspace::{self, Workspace};

/// Builds the page and plays with it in Chromium, and in Firefox where there is one, one browser test at a time: they measure.
pub fn test(workspace: &Workspace) -> Result<Outcome, Failure> {
    let Some(browser) = tools::find_chromium(workspace) else {
        return Ok(Outcome::Skipped("install Chromium, for example the package `chromium`"));
    };
    page::build(workspace)?;
    let words = "test -p reckon --test browser -- --ignored --nocapture --test-threads=1";
    let mut tests = workspace.cargo(words);
    tests.env("RECKONING_BROWSER", browser);
    // Without these the tests that need them say so and are counted as skipped.
    if let Some(script) = tools::find_axe(workspace, &workspace.target.join("axe")) {
        tests.env("RECKONING_AXE", script);
    }
    if let Some(firefox) = tools::find_firefox() {
        tests.env("RECKONING_FIREFOX", firefox);
    }
    workspace::run(&mut tests).map(|()| Outcome::Passed)
}
