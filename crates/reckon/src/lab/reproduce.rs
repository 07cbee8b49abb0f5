//! `reckon lab reproduce`: published claims, measured.

use reckoning_lab::report::{
    Contents, FairnessRow, claims_text, numbers_text, reproduction_json, to_html,
};
use reckoning_lab::reproduce::{Document, Reproduction, recordings_folder, reproduce};

use crate::args::{Format, Reproduce};
use crate::failure::{Failure, write};
use crate::progress::Progress;
use crate::{command_line, say};

pub fn run(command: &Reproduce) -> Result<(), Failure> {
    let found = measure(command);
    if let Some(path) = &command.report {
        let contents = Contents {
            title: "Published claims, measured".to_string(),
            command: command_line(),
            recordings: recordings(command),
            reproduction: Some(&found),
            fairness: FairnessRow::from_tables(&found.tables),
            ..Contents::default()
        };
        write(path, to_html(&contents).map_err(Failure::lab)?.as_bytes())?;
    }
    say(&match command.format {
        Format::Json => reproduction_json(&found),
        _ => tables(&found) + &recordings(command),
    })
}

/// Which recordings claims on real movement rest on.
fn recordings(command: &Reproduce) -> String {
    if !command.documents().contains(&Document::Shi) {
        return String::new();
    }
    let folder = recordings_folder();
    let found = folder.map_or_else(
        || "none; RECKONING_DATA names a folder of them".to_string(),
        |folder| format!("those in {}", folder.display()),
    );
    format!("\nRecordings of people, for the claims on real movement: {found}\n")
}

fn measure(command: &Reproduce) -> Reproduction {
    let progress = Progress::start("measuring");
    let mut found = Reproduction::default();
    for document in command.documents() {
        let part = reproduce(document, &|what| progress.step(what));
        found.claims.extend(part.claims);
        found.tables.extend(part.tables);
    }
    found
}

/// The verdicts first, then the numbers behind them.
fn tables(found: &Reproduction) -> String {
    let numbers = found.tables.iter().map(numbers_text);
    std::iter::once(claims_text(&found.claims)).chain(numbers).collect::<Vec<_>>().join("\n")
}
