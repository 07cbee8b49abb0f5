//! Which column of a csv is what.

use std::fmt;
use std::str::FromStr;

use reckoning_recording::{RecordingError, TextLine, VELOCITY_COLUMNS};

use super::refusal;
use super::rows::{Separator, cells};

/// The names of ours, in the order in which we keep their values.
pub(super) const OURS: [&str; 11] =
    ["t", "id", "x", "y", "z", "team", "yaw", "health", "ammo", "alive", "seg"];
/// How many of them must be there.
const NEEDED: usize = 4;
/// Further columns that mean something to us, and are taken without being asked for.
const KNOWN: [&str; 6] = ["role", "kind", "qw", "qx", "qy", "qz"];

/// Names of ours, each with the name that a file has for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnMap(Vec<(String, String)>);

/// Why a map of columns was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnMapError {
    got: String,
    twice: bool,
}

impl fmt::Display for ColumnMapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let got = &self.got;
        if self.twice {
            return write!(f, "`{got}` is given twice");
        }
        write!(f, "`{got}` is not OURS=THEIRS, such as t=time")
    }
}

impl std::error::Error for ColumnMapError {}

impl FromStr for ColumnMap {
    type Err = ColumnMapError;

    fn from_str(text: &str) -> Result<Self, ColumnMapError> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for part in text.split(',') {
            let wrong = |twice| ColumnMapError { got: part.trim().to_string(), twice };
            let (ours, theirs) = part.split_once('=').ok_or_else(|| wrong(false))?;
            let (ours, theirs) = (ours.trim().to_string(), theirs.trim().to_string());
            if ours.is_empty() || theirs.is_empty() {
                return Err(wrong(false));
            }
            if pairs.iter().any(|(known, _)| *known == ours) {
                return Err(wrong(true));
            }
            pairs.push((ours, theirs));
        }
        Ok(Self(pairs))
    }
}

/// What one column is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// One of [`OURS`].
    Ours(usize),
    /// A further one.
    Extra(usize),
    Unused,
}

/// The columns of one file.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) separator: Separator,
    pub(super) uses: Vec<Use>,
    /// What the file calls each of [`OURS`].
    theirs: [Option<String>; OURS.len()],
    pub(super) extras: Vec<String>,
    pub(super) unused: Vec<String>,
}

impl Columns {
    pub(super) fn of(header: &TextLine<'_>, map: &ColumnMap) -> Result<Self, RecordingError> {
        let separator = Separator::of(header.text);
        let names = cells(header.text, separator).map(|cell| cell.trim().to_string());
        let names: Vec<String> = names.collect();
        if let Some((ours, theirs)) = map.0.iter().find(|(_, theirs)| !names.contains(theirs)) {
            return Err(refusal(format!(
                "there is no column `{theirs}` to be {ours}; there are {}",
                names.join(", ")
            )));
        }
        let mut columns = Self {
            separator,
            uses: Vec::new(),
            theirs: [const { None }; OURS.len()],
            extras: Vec::new(),
            unused: Vec::new(),
        };
        for name in &names {
            let taken = columns.taken(name, map);
            if taken == Use::Unused {
                columns.unused.push(name.clone());
            }
            columns.uses.push(taken);
        }
        match (0..NEEDED).find(|&place| columns.theirs[place].is_none()) {
            Some(place) => Err(refusal(format!(
                "there is no column `{0}`; say which one it is with --map {0}=NAME, of {1}",
                OURS[place],
                names.join(", ")
            ))),
            None => Ok(columns),
        }
    }

    /// What a column is: what the map says, or else what it is called, if nothing else is that.
    fn taken(&mut self, name: &str, map: &ColumnMap) -> Use {
        let mapped = map.0.iter().find(|(_, theirs)| theirs == name).map(|(ours, _)| ours.as_str());
        let is_given = map.0.iter().any(|(ours, _)| ours == name);
        let Some(ours) = mapped.or_else(|| (!is_given && is_known(name)).then_some(name)) else {
            return Use::Unused;
        };
        match OURS.iter().position(|it| *it == ours) {
            Some(place) if self.theirs[place].is_some() => Use::Unused,
            Some(place) => {
                self.theirs[place] = Some(name.to_string());
                Use::Ours(place)
            }
            None => {
                self.extras.push(ours.to_string());
                Use::Extra(self.extras.len() - 1)
            }
        }
    }

    /// Whether one of [`OURS`] is there.
    pub(super) fn has(&self, ours: &str) -> bool {
        OURS.iter().position(|it| *it == ours).is_some_and(|place| self.theirs[place].is_some())
    }

    /// What the file calls one of [`OURS`].
    pub(super) fn theirs(&self, place: usize) -> &str {
        self.theirs[place].as_deref().unwrap_or(OURS[place])
    }
}

fn is_known(name: &str) -> bool {
    let further = KNOWN.iter().chain(&VELOCITY_COLUMNS).any(|it| *it == name);
    further || OURS.contains(&name) || name.starts_with("joint:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_read_and_slips_are_named() {
        let map: ColumnMap = "t=time, id=agent".parse().unwrap();
        let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
        assert_eq!(map.0, [pair("t", "time"), pair("id", "agent")]);
        for (text, said) in [
            ("time", "`time` is not OURS=THEIRS, such as t=time"),
            ("t=", "`t=` is not OURS=THEIRS, such as t=time"),
            ("t=a,t=b", "`t=b` is given twice"),
        ] {
            assert_eq!(text.parse::<ColumnMap>().unwrap_err().to_string(), said);
        }
    }
}
