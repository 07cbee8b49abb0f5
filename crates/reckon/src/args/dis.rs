//! Options of `reckon dis`.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, value_parser};
use reckoning_dis::place::Geodetic;

const EXAMPLES: &str = "\
Each explains itself: reckon dis bridge --help

Example: who is in the exercise that arrives at this machine's port 3000?
  reckon dis listen --exercise 1 --udp 127.0.0.1:3000 --seconds 30
Example: an exercise on a server, and the server's bodies in the exercise
  reckon serve --level hills --demo --set limits.guest_bodies=256
  reckon dis bridge --exercise 1 --udp 127.0.0.1:3000 --join 127.0.0.1:4433 --origin 52.5,13.4,40";

/// Join exercises of DIS (IEEE 1278.1)
#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub enum Dis {
    Bridge(DisBridge),
    Listen(DisListen),
    Record(DisRecord),
    Replay(DisReplay),
    /// Print the default mapping of entity types to kinds, with every entry explained
    Mapping,
}

// Doc comments here would become the help of the commands that flatten it.
#[derive(Args, Clone, Debug)]
pub struct Exercise {
    /// The exercise, 1 to 255
    #[arg(long = "exercise", value_name = "N", default_value_t = 1, value_parser = value_parser!(u8).range(1..))]
    pub number: u8,
    /// Where PDUs arrive: an address of this machine, a multicast group, or a broadcast address
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:3000")]
    pub udp: SocketAddr,
    /// Send to this address as well; may repeat [default: the group or broadcast address of --udp, else
    /// whoever PDUs came from]
    #[arg(long, value_name = "ADDRESS")]
    pub send: Vec<SocketAddr>,
    /// The interface to join a multicast group on and to send from, by its address
    #[arg(long, value_name = "IPV4", default_value = "127.0.0.1")]
    pub interface: Ipv4Addr,
    /// Our site, 1 to 65534
    #[arg(long, value_name = "N", default_value_t = 7)]
    pub site: u16,
    /// Our application, 1 to 65534; another one for each program of the site
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub application: u16,
    /// The version of what we send: 5, 6 or 7
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = value_parser!(u8).range(5..=7))]
    pub protocol: u8,
    /// Where the world's origin is: latitude and longitude in degrees, height in metres
    #[arg(long, value_name = "LAT,LON,HEIGHT", default_value = "0,0,0", value_parser = origin, allow_hyphen_values = true)]
    pub origin: Geodetic,
    /// Entity types and kinds in TOML; see `reckon dis mapping`
    #[arg(long, value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    /// Stamp by a clock of our own instead of UTC
    #[arg(long)]
    pub relative: bool,
    /// Say each change of motion once; else again a moment later, since nothing in DIS repairs a loss
    #[arg(long)]
    pub once: bool,
    /// For tests: lose this share of all PDUs, both ways
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    pub loss: f64,
    /// Stop after so many seconds [default: when it is stopped]
    #[arg(long, value_name = "S")]
    pub seconds: Option<u64>,
}

/// Put an exercise's entities onto a server, and its bodies into the exercise
///
/// The server must let clients bring bodies along: `limits.guest_bodies`. Its kinds must have the names
/// that the mapping gives; what cannot be mapped is counted and named at the end. Several gateways may
/// join one exercise and one server: they tell each other's bodies apart, and one takes over from
/// another that died.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub struct DisBridge {
    #[command(flatten)]
    pub exercise: Exercise,
    /// The server, as host:port
    #[arg(long, value_name = "SERVER")]
    pub join: String,
    /// A token, in hexadecimal, where the server wants one
    #[arg(long, value_name = "HEX")]
    pub token: Option<String>,
}

/// Show who is in an exercise, once a second
#[derive(Args, Debug)]
pub struct DisListen {
    #[command(flatten)]
    pub exercise: Exercise,
    /// A table, or a line of JSON
    #[arg(long, value_enum, default_value_t = DisFormat::Table)]
    pub format: DisFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DisFormat {
    Table,
    Json,
}

/// Record an exercise into a session file, for `reckon watch` and `reckon lab`
///
/// Whatever is written survives a crash; a second at most is lost.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub struct DisRecord {
    /// The file, which must not be there yet
    pub file: PathBuf,
    #[command(flatten)]
    pub exercise: Exercise,
    /// Samples of each entity in a second, 1 to 60
    #[arg(long, value_name = "HZ", default_value_t = 20, value_parser = value_parser!(u32).range(1..=60))]
    pub rate: u32,
}

/// Send a recording into an exercise, its bodies as entities
#[derive(Args, Debug)]
pub struct DisReplay {
    /// The recording: any that `reckon watch` reads
    pub file: PathBuf,
    #[command(flatten)]
    pub exercise: Exercise,
    /// The kind of bodies whose recording does not say it
    #[arg(long, value_name = "KIND", default_value = "tank")]
    pub kind: String,
}

fn origin(text: &str) -> Result<Geodetic, String> {
    let numbers: Vec<f64> = text.split(',').filter_map(|it| it.trim().parse().ok()).collect();
    let [latitude, longitude, height_m] = numbers.as_slice() else {
        return Err("not three numbers with commas between, such as 52.5,13.4,40".to_string());
    };
    Geodetic::degrees(*latitude, *longitude, *height_m).map_err(|error| error.to_string())
}

fn share(text: &str) -> Result<f64, &'static str> {
    let share: Option<f64> = text.parse().ok().filter(|it| (0.0..=1.0).contains(it));
    share.ok_or("not a share from 0 to 1, such as 0.05")
}
