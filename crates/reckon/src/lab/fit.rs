//! `reckon lab fit`: constants of the documents' schemes fitted to recordings.

use reckoning_lab::bots;
use reckoning_lab::fit::{fit, fit_json, fit_text};

use super::load;
use crate::args::{Fit, Format};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::say;

pub fn run(command: &Fit) -> Result<(), Failure> {
    let recordings = match command.data.paths.as_slice() {
        [] => bots::lessons(),
        paths => load(paths)?,
    };
    if recordings.is_empty() {
        return Err(Failure::NoSessions);
    }
    let fitted = {
        let progress = Progress::start("fitting");
        let show = |done, of| progress.show(done, of);
        fit(&command.config(), &recordings, &show).map_err(Failure::lab)?
    };
    say(&match command.format {
        Format::Json => fit_json(&fitted),
        _ => fit_text(&fitted),
    })
}
