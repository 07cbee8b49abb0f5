//! What each command says of itself.

use reckoning_lab::compare::Predictor;

pub const TOP: &str = "\
reckon: dead reckoning, measured

  reckon play           the arena: a game with bots, in your browser
  reckon watch FILE     a recording, in your browser
  reckon bots           programs that join an arena and play
  reckon serve          a server that relays moving bodies between clients
  reckon token          keys and tokens for a server that is not open to all
  reckon lab COMMAND    the laboratory; `reckon lab --help` lists its commands
  reckon --version      which version this is

Example: play
  reckon play
Example: how good are the usual predictors on bots that play by themselves?
  reckon lab compare
";

pub const LAB: &str = "\
reckon lab: how well do predictors follow, and at what price?

  reckon lab compare      compare predictors on recordings, or on bots
  reckon lab reproduce    measure the claims of published documents
  reckon lab cheats       inject cheats into recordings and count which are caught
  reckon lab train        train a predictor on recordings of a game
  reckon lab learned-table  try such predictors on sessions they were not trained on
  reckon lab trend        build and draw trend maps of levels
  reckon lab import       turn a foreign recording into a session file
  reckon lab export       turn a session into Parquet, for notebooks
  reckon lab info         say what a recording holds

Each explains itself: reckon lab compare --help

Example:
  reckon lab compare --data recordings/ --predictors hold,linear --report report.html
";

pub const PLAY: &str = "\
reckon play [options]

Starts the arena with bots on this machine and prints the link to open in a browser. Ctrl-c ends
it and closes the recording.

  --port P               where to listen; default 4433, or the next one that is free
  --bots N               how many bots, 0 to 200; default 12
  --level NAME|FILE      proving-grounds (default), tank-field, corridors, or a level file in TOML
  --record FOLDER        record the session into this folder, for `reckon lab` and `reckon watch`
  --learned FILE         foresee bots with a predictor of `reckon lab train`; the proving grounds
                         come with one

Paths beside the page: /arena.json (what is on), /level.toml (the level), /health, /metrics.

Example: record a session, then compare predictors on it
  reckon play --record sessions
  reckon lab compare --data sessions
";

pub const BOTS: &str = "\
reckon bots --join URL [options]

Programs that join an arena over the network, each with a connection of its own, and play as well
as they can by what they are shown. Prints what they met with at the end.

  --join URL             the server, as its link or as host:port
  --count N              how many, 1 to 200; default 4
  --seconds S            how long; default until it is stopped

Example:
  reckon bots --join http://127.0.0.1:4433/ --count 8 --seconds 60
";

pub const WATCH: &str = "\
reckon watch FILE [--port P]

Shows a recording in the browser, with a scrubber and the overlays of the arena. Every recording
that `reckon lab info` reads will do.

  --port P               where to listen; default one that is free

Example:
  reckon watch sessions/session-1789000000-0.reck
";

pub const SERVE: &str = "\
reckon serve [options]

Runs a server without rules of its own: everyone who joins owns a body, and everyone sees all
bodies. Programs connect by QUIC, browsers by WebTransport or WebSocket, all on one port number
(UDP and TCP). Ctrl-c or SIGTERM says goodbye to everyone and closes the recording.

  --config FILE          settings in TOML; only what differs from the defaults
  --set NAME=VALUE       one setting, such as limits.peers=32; wins over the file, may repeat
  --listen ADDRESS       short for --set listen=ADDRESS; default 127.0.0.1:4433
  --level NAME|FILE      run the arena on this level, without bots, and serve its page
  --record FOLDER        short for --set recording.folder=FOLDER
  --token-key FILE       let in holders of a token only; see `reckon token --help`
  --print-config         print the default file, with every setting explained, and stop

Paths on the TCP port: /health, /metrics (for Prometheus), /reckoning.json (what browsers need
to connect), /ws (the WebSocket).

Example: play on this machine, record what happens
  reckon serve --record sessions
Example: a server for others
  reckon token --new-key > key.hex
  reckon serve --listen 0.0.0.0:4433 --token-key key.hex \\
               --set certificate.chain_file=chain.pem --set certificate.key_file=key.pem
";

pub const TOKEN: &str = "\
reckon token --new-key
reckon token --key FILE [--minutes N] [--entities A,B,C]

Makes a key, or a token signed with one. A server started with --token-key lets in whoever
shows such a token, one session at a time, until it ends.

  --new-key              print a new key, for a file that only you can read
  --key FILE             the key to sign with
  --minutes N            how long the token is good for; default 60
  --entities A,B,C       the seats it is good for, at most 32 numbers; none: the game decides

Example:
  reckon token --key key.hex --minutes 30 --entities 7
";

const COMPARE: &str = "\
reckon lab compare [--data PATH...] [options]

Replays recordings through publisher, link and ghost, and says how far off each predictor is.
Sessions of one source are pooled.

  --data PATH...         sessions, or folders of them; without, seeded bots play some
  --predictors A,B,C     which to compare; default hold,linear,accelerating,damped
  --delays MS,MS,...     ages of the last news in ms; default 300,600,900,1200,1500,1800,2100
  --bound U              stray that a publisher allows and radius of a hit, in units of the source;
                         default the width of a body
  --link SPEC            a receiver behind this link, such as delay=80,jitter=20,loss=0.05; give it
                         again for further ones; without, three at 200, 500 and 800 ms
  --format FORM          table (default), json or csv, to stdout
  --per-session          tables of every session, too
  --fresh                compare anew; else what was compared before is read from
                         RECKON_CACHE, or the user's cache folder
  --report FILE.html     also write a report with plots, one file for any browser

Example:
  reckon lab compare --data ../shared/data/quakeworld --predictors hold,linear --report qw.html

Predictors:
";

pub const REPRODUCE: &str = "\
reckon lab reproduce DOCUMENT [options]

Measures the claims of a document in the setting that it describes: murphy, thesis, li, shi,
steele or all.

  --format FORM          table (default) or json, to stdout
  --report FILE.html     also write a report, one file for any browser

Example:
  reckon lab reproduce thesis --report thesis.html
";

pub const CHEATS: &str = "\
reckon lab cheats [--data PATH...]

Runs recorded players through publisher, link and guard, honestly and with cheats injected,
and says how many cheats were caught within one and three seconds, and how many honest
players were bothered. What bodies can do is learnt from the other sessions of each source.

  --data PATH...         sessions, or folders of them; without, seeded bots play some

Example:
  reckon lab cheats --data ../shared/data
";

pub const TRAIN: &str = "\
reckon lab train [--data PATH...] -o GAME.reck-model [options]

Trains a predictor on recordings of one game, to be used as learned=GAME.reck-model or loaded by
the engine. The same recordings, options and seed give the same file.

  --data PATH...         sessions, or folders of them; without, seeded bots play some
  -o, --output FILE      where the model goes
  --bounds U,U,...       bounds that publishers will use, in units of the source; default half,
                         one and two body widths
  --goal GOAL            packets (few updates), error (small errors) or mix (default)
  --epochs N             passes over the examples; default 40
  --examples N           at most so many examples; default 300000
  --seed N               seed of everything random; default 1

Example:
  reckon lab train --data recordings/ -o game.reck-model
  reckon lab compare --data others/ --predictors linear,learned=game.reck-model
";

pub const LEARNED_TABLE: &str = "\
reckon lab learned-table --data PATH... [options]

Trains predictors on all but some sessions of each source and tries them on those, in turns;
prints one page for each source. The options of `reckon lab train` hold here too.

  --data PATH...         sessions, or folders of them
  -o, --output FILE      also write the page to a file
  --predictors A,B,C     what to lay beside the trained ones

Example:
  reckon lab learned-table --data ../shared/data/slippi --predictors hold,linear,damped
";

pub const TREND: &str = "\
reckon lab trend build --data PATH... -o MAP.trend
reckon lab trend draw MAP.trend [--level MAP.json] -o OUT.svg

Builds a map of which way bodies go in a level, from recordings of that level; draws such a
map, over walls and floors if the level is given.

  --data PATH...         sessions of one level, or folders of them
  --level MAP.json       the level, as it lies beside the recordings
  -o, --output FILE      where the result goes

Example:
  reckon lab trend build --data quakeworld/duel_aerowalk.csv.zst -o aerowalk.trend
  reckon lab trend draw aerowalk.trend --level quakeworld/maps/aerowalk.json -o aerowalk.svg
";

pub const IMPORT: &str = "\
reckon lab import KIND FILE -o OUT

Reads a foreign recording and writes a session: OUT ends in .reck (everything, safe against
crashes) or in .csv.zst (with its json beside it).

  bzflag     BZFlag server recording (.rec)
  slp        Super Smash Bros. Melee, Slippi replay (.slp)
  replay     Rocket League replay (.replay)
  shi        play log of the SHI study (.xml)
  dis        network capture with DIS Entity State PDUs (.pcap, .pcapng)

  -o, --output OUT       where the session goes

Example:
  reckon lab import bzflag robots.rec -o robots.reck
";

pub const EXPORT: &str = "\
reckon lab export FILE --parquet OUT

Writes the samples of a session as Parquet.

Example:
  reckon lab export robots.reck --parquet robots.parquet
";

pub const INFO: &str = "\
reckon lab info FILE

Says what a recording holds: source, length, rate, units, bodies, level, and whether the file
is whole. Foreign recordings are read by the ending of their name.

Example:
  reckon lab info robots.reck
";

/// The help of `compare`, with every predictor there is.
pub fn compare() -> String {
    let line = |(name, what): &(&str, &str)| format!("  {name:<22} {what}\n");
    let names: String = Predictor::names().iter().map(line).collect();
    format!("{COMPARE}{names}")
}
