//! Options of `reckon serve` and `reckon token`.

use std::path::PathBuf;

use clap::{
    Arg, ArgAction, ArgGroup, ArgMatches, Args, Command, Error, FromArgMatches, value_parser,
};
use reckoning_server::token::{MAX_ENTITIES, TokenScope};

const SERVE_EXAMPLES: &str = "\
Paths on the TCP port: /reckoning.json (what browsers need to connect), /ws (the WebSocket).
For operators, on 127.0.0.1 and the next port: /health, /metrics (for Prometheus).

Example: play on this machine, record what happens
  reckon serve --record sessions
Example: a server for others
  reckon token --new-key --key key.hex
  reckon serve --listen 0.0.0.0:4433 --token-key key.hex \\
               --set certificate.chain_file=chain.pem --set certificate.key_file=key.pem";

const TOKEN_EXAMPLES: &str = "\
Example:
  reckon token --new-key --key key.hex
  reckon token --key key.hex --minutes 30 --entities 7";

/// Run a server that relays moving bodies between clients
///
/// Runs a server without rules of its own: everyone who joins owns a body, and everyone sees all
/// bodies. Programs connect by QUIC, browsers by WebTransport or WebSocket, all on one port number
/// (UDP and TCP). Ctrl-c or SIGTERM says goodbye to everyone and closes the recording.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_help = SERVE_EXAMPLES)]
pub struct Serve {
    /// Settings in TOML; only what differs from the defaults
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub assignments: Assignments,
    /// Run the arena on this level, without bots, and serve its page
    #[arg(long, value_name = "NAME|FILE")]
    pub level: Option<String>,
    /// Let clients of the arena set the world and their links, see the truth and watch
    #[arg(long)]
    pub demo: bool,
    /// Print the default file, with every setting explained, and stop
    #[arg(long)]
    pub print_config: bool,
}

/// Settings given one by one, as `NAME=VALUE`, in the order given: later ones win.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignments(pub Vec<String>);

/// `--set`, and the options that are short for it.
const ASSIGNING: [(&str, &str, &str); 4] = [
    ("set", "NAME=VALUE", "One setting, such as limits.peers=32; wins over the file, may repeat"),
    (
        "listen",
        "ADDRESS",
        "Short for --set listen=ADDRESS, an address or a name [default: 127.0.0.1:4433]",
    ),
    ("record", "FOLDER", "Short for --set recording.folder=FOLDER"),
    ("token-key", "FILE", "Let in holders of a token only; see `reckon token --help`"),
];

impl Args for Assignments {
    fn augment_args(command: Command) -> Command {
        command.args(ASSIGNING.map(|(name, value, help)| {
            Arg::new(name).long(name).value_name(value).help(help).action(ArgAction::Append)
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Assignments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut found = Self::default();
        found.update_from_arg_matches(matches)?;
        Ok(found)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        let mut given: Vec<(usize, &str, &String)> = Vec::new();
        for (name, ..) in ASSIGNING {
            let values = matches.get_many(name).into_iter().flatten();
            let places = matches.indices_of(name).into_iter().flatten();
            given.extend(places.zip(values).map(|(place, value)| (place, name, value)));
        }
        given.sort_unstable();
        self.0.extend(given.into_iter().flat_map(|(_, name, value)| assignments(name, value)));
        Ok(())
    }
}

/// The settings that an option stands for.
fn assignments(option: &str, value: &str) -> Vec<String> {
    // Text, so that a folder called `7` stays one.
    let text = |name: &str| format!("{name}={value:?}");
    match option {
        "listen" => vec![text("listen")],
        "record" => vec![text("recording.folder")],
        "token-key" => vec!["access=\"token\"".to_string(), text("token_key_file")],
        _ => vec![value.to_string()],
    }
}

/// Make keys and tokens for a server that is not open to all
///
/// Makes a key, or a token signed with one. A server started with --token-key lets in whoever shows
/// such a token, one session at a time, until it ends.
#[derive(Args, Debug)]
#[command(group = ArgGroup::new("what").args(["new_key", "key"]).required(true).multiple(true))]
#[command(verbatim_doc_comment, after_help = TOKEN_EXAMPLES)]
pub struct Token {
    /// Make a new key: written to the file of --key, which only you can read, or printed
    #[arg(long)]
    pub new_key: bool,
    /// The key to sign with; refused when others can read the file
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// How long the token is good for, 1 or more
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = value_parser!(u64).range(1..))]
    pub minutes: u64,
    /// The server it is good for, as that one's setting `token_server` names it
    #[arg(long, value_name = "NAME", default_value = TokenScope::DEFAULT_SERVER)]
    pub server: String,
    /// Whom it is good for, as the server's setting `token_audience` names it
    #[arg(long, value_name = "NAME", default_value = TokenScope::DEFAULT_AUDIENCE)]
    pub audience: String,
    /// The seats it is good for, at most 32 numbers; without, the game decides
    #[arg(long, value_name = "A,B,C", value_parser = entities)]
    pub entities: Option<EntityList>,
}

/// One value of an option, although it holds many.
pub type EntityList = Vec<u32>;

fn entities(words: &str) -> Result<EntityList, String> {
    let number = |word: &str| {
        let number = word.trim().parse();
        number.map_err(|_| format!("`{word}` is not a whole number up to {}", u32::MAX))
    };
    let entities: EntityList = words.split(',').map(number).collect::<Result<_, _>>()?;
    if entities.len() > MAX_ENTITIES {
        return Err(format!("{} entities; a token names {MAX_ENTITIES}", entities.len()));
    }
    Ok(entities)
}

#[cfg(test)]
mod tests {
    use super::super::{Cli, Command as Top};
    use super::*;
    use clap::Parser;

    fn assigned(words: &[&str]) -> Vec<String> {
        let words = ["reckon", "serve"].iter().chain(words);
        let Top::Serve(found) = Cli::try_parse_from(words).unwrap().command else {
            panic!("another command")
        };
        found.assignments.0
    }

    #[test]
    fn settings_keep_the_order_in_which_they_were_given() {
        let words = ["--listen", "a:1", "--set", "listen=b:2", "--record", "7", "--listen", "c:3"];
        let expected = ["listen=\"a:1\"", "listen=b:2", "recording.folder=\"7\"", "listen=\"c:3\""];
        assert_eq!(assigned(&words), expected);
        let expected = ["tick_hz=30", "access=\"token\"", "token_key_file=\"k\""];
        assert_eq!(assigned(&["--set", "tick_hz=30", "--token-key", "k"]), expected);
        assert_eq!(assigned(&[]), [""; 0]);
    }

    #[test]
    fn a_token_names_no_more_entities_than_fit() {
        let list = |count: usize| vec!["7"; count].join(", ");
        assert_eq!(entities(&list(MAX_ENTITIES)).unwrap().len(), MAX_ENTITIES);
        assert!(entities(&list(MAX_ENTITIES + 1)).unwrap_err().contains("a token names"));
        assert_eq!(entities("7,x").unwrap_err(), "`x` is not a whole number up to 4294967295");
    }
}
