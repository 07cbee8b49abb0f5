//! `reckon lab frontier`: error on screen against bytes.

use std::fs::create_dir_all;
use std::path::Path;

use reckoning_lab::frontier::{frontier, frontier_picture, frontier_text};

use super::sessions_or_bots;
use crate::args::{Form, Frontier};
use crate::failure::{Failure, write};
use crate::progress::Progress;
use crate::say;

pub fn run(command: &Frontier) -> Result<(), Failure> {
    let recordings = sessions_or_bots(&command.data.paths)?;
    if recordings.is_empty() {
        return Err(Failure::NoSessions);
    }
    let config = command.config();
    let progress = Progress::start("measuring");
    let found = frontier(&config, recordings, &|said| progress.note(said)).map_err(Failure::lab)?;
    drop(progress);
    let (text, json) = (frontier_text(&config, &found), found.to_json());
    if let Some(folder) = &command.out {
        make(folder)?;
        let picture = frontier_picture(&found).map_err(Failure::lab)?;
        write(&folder.join("frontier.txt"), text.as_bytes())?;
        write(&folder.join("frontier.json"), json.as_bytes())?;
        write(&folder.join("frontier.svg"), picture.as_bytes())?;
    }
    say(match command.format {
        Form::Text => &text,
        Form::Json => &json,
    })
}

fn make(folder: &Path) -> Result<(), Failure> {
    create_dir_all(folder).map_err(|error| Failure::File { path: folder.into(), error })
}
