//! `reckon lab train` and `reckon lab learned-table`: predictors trained and tried.

use reckoning_lab::bots;
use reckoning_lab::train::{Epoch, Trained, learned_table, table_text, train as learn};
use reckoning_recording::Recording;

use super::lessons::Lessons;
use super::load;
use crate::args::{LearnedTable, Train};
use crate::failure::{Failure, write};
use crate::progress::Progress;
use crate::say;

pub fn train(command: &Train) -> Result<(), Failure> {
    let recordings = match command.data.paths.as_slice() {
        [] => {
            let _progress = Progress::start("letting bots play");
            bots::lessons()
        }
        paths => load(paths)?,
    };
    if recordings.is_empty() {
        return Err(Failure::NoSessions);
    }
    let sessions: Vec<&Recording> = recordings.iter().collect();
    let progress = Progress::start("training");
    let mut show = |number: usize, epoch: &Epoch| progress.note(&line(number, epoch));
    let trained = learn(&command.training.config(), &sessions, &mut show).map_err(Failure::lab)?;
    let bytes = trained.model.to_bytes();
    drop(progress);
    write(&command.output, &bytes)?;
    Lessons::write_beside(&command.output, &recordings)?;
    say(&curve(&trained))?;
    let (out, examples) = (command.output.display(), trained.examples);
    say(&format!("{out}: {} bytes from {examples} examples\n", bytes.len()))
}

/// One pass: how long a curve stays within a body width, and how far off it is.
fn line(number: usize, epoch: &Epoch) -> String {
    let training = &epoch.training;
    let held = epoch.validation.map_or(String::new(), |it| {
        format!(
            "   held back: {:.3} s inside a body width, error {:.3} of linear",
            it.inside_s, it.error
        )
    });
    format!(
        "pass {:>2}: {:.3} s inside, error {:.3}{held}",
        number + 1,
        training.inside_s,
        training.error
    )
}

/// The learning curve.
fn curve(trained: &Trained) -> String {
    let lines = trained.epochs.iter().enumerate().map(|(number, epoch)| line(number, epoch) + "\n");
    lines.collect()
}

pub fn table(command: &LearnedTable) -> Result<(), Failure> {
    let recordings = load(&command.data)?;
    if recordings.is_empty() {
        return Err(Failure::NoSessions);
    }
    let progress = Progress::start("training and trying");
    let tables = learned_table(&command.config(), recordings, &|said| progress.note(said));
    drop(progress);
    let text = table_text(&tables.map_err(Failure::lab)?);
    if let Some(out) = &command.output {
        write(out, text.as_bytes())?;
    }
    say(&text)
}
