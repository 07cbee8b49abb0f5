//! Options of `reckon completions` and `reckon man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

const COMPLETIONS_EXAMPLES: &str = "\
Example: for bash, from the next shell on
  reckon completions bash > ~/.local/share/bash-completion/completions/reckon";

const MAN_EXAMPLES: &str = "\
Example: read one, without installing any
  reckon man lab compare | man -l -
Example: install all
  reckon man --all ~/.local/share/man/man1";

/// Print a script that completes commands and options in a shell
#[derive(Args, Debug)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct Completions {
    /// Whose script
    pub shell: Shell,
}

/// Print the manual page of a command
#[derive(Args, Debug)]
#[command(after_help = MAN_EXAMPLES)]
pub struct Man {
    /// The command, such as `lab compare`; without, `reckon` itself
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
    /// Write the pages of all commands into this folder instead
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    pub all: Option<PathBuf>,
}
