//! Errors of level files, worded so that the author can fix them.

use core::fmt;

/// Why a level was refused: the thing, its value, the remedy.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LevelError {
    /// The file is not TOML, or not the TOML of a level.
    Toml {
        /// What the reader says, with the line.
        message: String,
    },
    /// These are not the bytes of a level.
    Bytes,
    /// The file is longer than any level.
    TooLong {
        /// Its length.
        got_bytes: usize,
    },
    /// There are so many walls on so fine a grid that ways would take too long to find.
    TooManyWalls {
        /// Squares of the grid.
        squares: usize,
        /// Straight pieces of walls.
        walls: usize,
    },
    /// No built-in level has this name.
    NoSuchLevel {
        /// The name asked for.
        name: String,
    },
    /// A setting is outside its range.
    Setting {
        /// Whose it is, unless it is the level's own.
        thing: Option<Thing>,
        /// Its key in the file.
        key: &'static str,
        /// The value given.
        got: f64,
        /// What it must be.
        must: &'static str,
    },
    /// A body would pass through a wall between two ticks.
    TooFast {
        /// The way of one tick.
        step_px: f64,
        /// The radius of the body.
        radius_px: f64,
    },
    /// Something lies outside the level.
    Outside {
        /// What it is.
        thing: Thing,
        /// Where it lies.
        at: [f64; 2],
        /// How large the level is.
        size_px: [f64; 2],
    },
    /// A wall has no extent.
    Flat {
        /// Which wall.
        thing: Thing,
    },
    /// A body does not fit where it has to stand.
    NoRoom {
        /// What it is.
        thing: Thing,
        /// Where it lies.
        at: [f64; 2],
        /// How much room there is around.
        room_px: f64,
        /// How much a body needs.
        need_px: f64,
    },
    /// There is no way from the first spawn point to something.
    Unreachable {
        /// What it is.
        thing: Thing,
        /// Where it lies.
        at: [f64; 2],
    },
    /// A team has no place to come to life.
    NoSpawn {
        /// Which team.
        team: u16,
    },
    /// A spawn point names a team that cannot be.
    NoSuchTeam {
        /// Which spawn point.
        thing: Thing,
        /// The team it names.
        team: u16,
    },
}

/// A thing in a level file, counted from 1 in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Thing {
    /// A wall; the name may be empty.
    Wall {
        /// `box`, `segment` or `polygon`.
        shape: &'static str,
        /// Its place in the file.
        number: usize,
        /// Its name.
        name: String,
    },
    /// A spawn point.
    Spawn(usize),
    /// An item.
    Item(usize),
    /// A turret.
    Turret(usize),
    /// A vehicle.
    Buggy(usize),
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wall { shape, number, name } if name.is_empty() => write!(f, "{shape} {number}"),
            Self::Wall { shape, number, name } => write!(f, "{shape} {number} ({name})"),
            Self::Spawn(number) => write!(f, "spawn {number}"),
            Self::Item(number) => write!(f, "item {number}"),
            Self::Turret(number) => write!(f, "turret {number}"),
            Self::Buggy(number) => write!(f, "buggy {number}"),
        }
    }
}

impl fmt::Display for LevelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes => f.write_str("these are not the bytes of a level of this version"),
            Self::Toml { message } => write!(f, "the level file cannot be read: {message}"),
            Self::TooLong { got_bytes } => {
                let most = super::Level::MAX_BYTES;
                write!(f, "the level file has {got_bytes} bytes; at most {most} are read")
            }
            Self::TooManyWalls { squares, walls } => write!(
                f,
                "{walls} pieces of walls on {squares} squares take too long to find ways in; \
                 raise nav_cell_px or join walls"
            ),
            Self::NoSuchLevel { name } => {
                let names = super::BUILT_IN.map(|it| it.0).join(", ");
                write!(f, "no built-in level is called {name}; there are {names}")
            }
            Self::Setting { thing: None, key, got, must } => {
                write!(f, "{key} is {got}; it must be {must}")
            }
            Self::Setting { thing: Some(thing), key, got, must } => {
                write!(f, "{key} of {thing} is {got}; it must be {must}")
            }
            Self::TooFast { step_px, radius_px } => write!(
                f,
                "a body goes {step_px:.1} px in a tick, more than its radius of {radius_px} px, \
                 and would pass through walls; lower body.speed_px_s or raise body.radius_px"
            ),
            Self::Outside { thing, at: [x, y], size_px: [w, h] } => write!(
                f,
                "{thing} at [{x}, {y}] is outside the level, which spans [0, 0] to [{w}, {h}]; \
                 move it inside or raise size_px"
            ),
            Self::Flat { thing } => {
                write!(f, "{thing} has no extent; give it a width and a height, or two ends apart")
            }
            Self::NoRoom { thing, at: [x, y], room_px, need_px } => write!(
                f,
                "{thing} at [{x}, {y}] has {room_px:.1} px of room and needs {need_px:.1} px; \
                 move it away from the wall"
            ),
            Self::Unreachable { thing, at: [x, y] } => write!(
                f,
                "no way leads from spawn 1 to {thing} at [{x}, {y}]; open a gap of more than two \
                 body radii or lower nav_cell_px"
            ),
            Self::NoSpawn { team } => write!(
                f,
                "team {team} has no spawn; add [[spawn]] with team = {team}, or one without a team"
            ),
            Self::NoSuchTeam { thing, team } => {
                write!(f, "{thing} is for team {team}; teams are 0 and 1")
            }
        }
    }
}

impl core::error::Error for LevelError {}
