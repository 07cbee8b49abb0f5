//! `reckon completions` and `reckon man`: made from the definition of the command line.

use std::path::Path;
use std::{fs, io};

use clap::error::ErrorKind;
use clap::{Command, CommandFactory};
use clap_mangen::Man as Page;

use crate::args::{Cli, Completions, Man};
use crate::failure::Failure;
use crate::{print, say};

/// Prints the script that completes for a shell.
pub fn completions(command: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(command.shell, &mut Cli::command(), "reckon", &mut script);
    print(&script)
}

/// Prints one manual page, or writes all.
pub fn man(command: &Man) -> Result<(), Failure> {
    let mut top = Cli::command().disable_help_subcommand(true);
    top.build();
    match &command.all {
        Some(folder) => write_all(&top, folder),
        None => print_one(&top, &command.command),
    }
}

fn write_all(top: &Command, folder: &Path) -> Result<(), Failure> {
    let count = fs::create_dir_all(folder).and_then(|()| write_pages(top, folder));
    let count = count.map_err(|error| Failure::File { path: folder.to_path_buf(), error })?;
    say(&format!("{}: {count} manual pages\n", folder.display()))
}

/// Writes the pages of a command and of all commands below it, and counts them.
fn write_pages(command: &Command, folder: &Path) -> io::Result<usize> {
    page(command).generate_to(folder)?;
    command.get_subcommands().try_fold(1, |count, it| Ok(count + write_pages(it, folder)?))
}

fn print_one(top: &Command, words: &[String]) -> Result<(), Failure> {
    let command = words.iter().try_fold(top, find).map_err(Failure::Usage)?;
    let mut text = Vec::new();
    page(command).render(&mut text).map_err(Failure::Stdout)?;
    print(&text)
}

fn page(command: &Command) -> Page {
    let source = concat!("reckon ", env!("CARGO_PKG_VERSION"));
    Page::new(command.clone()).source(source).manual("Reckoning")
}

fn find<'a>(command: &'a Command, word: &String) -> Result<&'a Command, clap::Error> {
    command.find_subcommand(word).ok_or_else(|| {
        let reason = format!("unrecognized subcommand '{word}'");
        command.clone().error(ErrorKind::InvalidSubcommand, reason)
    })
}
