//! Mapping: entity types to kinds and back, articulation parameters to joints, forces to teams.
//!
//! ```
//! use reckoning_dis::mapping::Mapping;
//! use reckoning_dis::wire::EntityType;
//!
//! let mapping = Mapping::default();
//! let leopard = EntityType { kind: 1, domain: 1, country: 78, category: 1, ..EntityType::default() };
//! assert_eq!(mapping.entry_of(leopard).map(|entry| entry.kind.as_str()), Some("tank"));
//! ```

use core::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

use crate::wire::EntityType;

/// The documented default, as `reckon dis mapping` prints it.
pub const DEFAULT_FILE: &str = include_str!("default.toml");

/// Why a text is no mapping.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MappingError {
    /// It is no TOML, has names that are not known, or misses some; it says itself which.
    Toml(String),
    /// Seven numbers, each in its range or `*`, separated by dots.
    Type {
        /// What was given.
        got: String,
    },
    /// No entry at all.
    Empty,
}

impl fmt::Display for MappingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Toml(error) => f.write_str(error.trim_end()),
            Self::Type { got } => write!(
                f,
                "type {got:?} is not seven numbers from 0 to 255, the third up to 65535, or *, with dots between: \"1.1.225.1.*.*.*\""
            ),
            Self::Empty => f.write_str("no [[entity]] says which kinds there are"),
        }
    }
}

impl core::error::Error for MappingError {}

/// A type of entities, some numbers of which may be any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypePattern([Option<u16>; 7]);

impl FromStr for TypePattern {
    type Err = MappingError;

    fn from_str(text: &str) -> Result<Self, MappingError> {
        let refused = || MappingError::Type { got: text.to_string() };
        let mut numbers = [None; 7];
        let mut words = text.split('.');
        for (place, number) in numbers.iter_mut().enumerate() {
            let word = words.next().ok_or_else(refused)?.trim();
            let most = if place == 2 { u16::MAX } else { 255 };
            if word != "*" {
                let read = word.parse().ok().filter(|it| *it <= most);
                *number = Some(read.ok_or_else(refused)?);
            }
        }
        if words.next().is_some() { Err(refused()) } else { Ok(Self(numbers)) }
    }
}

impl TypePattern {
    /// Whether that type is one of these.
    #[must_use]
    pub fn fits(&self, kind: EntityType) -> bool {
        self.0.into_iter().zip(kind.numbers()).all(|(wanted, is)| wanted.is_none_or(|it| it == is))
    }

    /// The type with zeros for what may be any.
    #[must_use]
    pub fn plainest(&self) -> EntityType {
        let [kind, domain, country, category, subcategory, specific, extra] =
            self.0.map(Option::unwrap_or_default);
        let byte = |it: u16| it as u8; // read as no more
        EntityType {
            kind: byte(kind),
            domain: byte(domain),
            country,
            category: byte(category),
            subcategory: byte(subcategory),
            specific: byte(specific),
            extra: byte(extra),
        }
    }
}

impl<'de> Deserialize<'de> for TypePattern {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Metric of an articulated part: azimuth.
const AZIMUTH: u32 = 11;
/// Its rate has the next number, as that of elevations has.
const RATE: u32 = 1;
/// Numbers of metrics; classes are multiples of this.
const METRICS: u32 = 32;

/// A joint and the articulated part that stands for it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointEntry {
    /// The joint's name on the server.
    pub name: String,
    /// The parameter with its angle: class and metric of the part.
    pub parameter: u32,
    /// The part that it is attached to; 0 is the entity.
    #[serde(default)]
    pub attached_to: u16,
}

impl JointEntry {
    /// The parameter with the rate of its angle.
    #[must_use]
    pub const fn rate_parameter(&self) -> u32 {
        self.parameter.wrapping_add(RATE)
    }

    /// DIS turns azimuths to the right, z being down; we turn to the left.
    #[must_use]
    pub const fn sign(&self) -> f64 {
        if self.parameter % METRICS == AZIMUTH { -1.0 } else { 1.0 }
    }
}

/// One sort of entities and bodies.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Types of entities.
    #[serde(rename = "type")]
    pub types: TypePattern,
    /// The kind of bodies.
    pub kind: String,
    /// The type that bodies of the kind have in the exercise, where `types` leaves some open.
    pub send: Option<TypePattern>,
    /// Parts that turn.
    #[serde(default)]
    pub joint: Vec<JointEntry>,
}

impl Entry {
    /// The type that bodies of the kind have in the exercise.
    #[must_use]
    pub fn sent_type(&self) -> EntityType {
        self.send.as_ref().unwrap_or(&self.types).plainest()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct TeamEntry {
    force: u8,
    team: u8,
}

/// How entities and bodies stand for each other. The default is [`DEFAULT_FILE`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    entity: Vec<Entry>,
    #[serde(default)]
    team: Vec<TeamEntry>,
}

impl Default for Mapping {
    fn default() -> Self {
        // A test reads it.
        Self::from_toml(DEFAULT_FILE).unwrap_or(Self { entity: Vec::new(), team: Vec::new() })
    }
}

impl Mapping {
    /// Reads a mapping.
    ///
    /// # Errors
    /// Names what is not understood.
    pub fn from_toml(text: &str) -> Result<Self, MappingError> {
        let read: Self =
            toml::from_str(text).map_err(|error| MappingError::Toml(error.to_string()))?;
        if read.entity.is_empty() { Err(MappingError::Empty) } else { Ok(read) }
    }

    /// The first entry that a type fits.
    #[must_use]
    pub fn entry_of(&self, kind: EntityType) -> Option<&Entry> {
        self.entity.iter().find(|entry| entry.types.fits(kind))
    }

    /// The first entry of a kind, by its name or the first word of it.
    #[must_use]
    pub fn entry_named(&self, kind: &str) -> Option<&Entry> {
        let first = kind.split(' ').next().unwrap_or(kind);
        let named = |name: &str| self.entity.iter().find(|entry| entry.kind == name);
        named(kind).or_else(|| named(first))
    }

    /// All entries, in their order.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entity.iter()
    }

    /// The team of a force.
    #[must_use]
    pub fn team(&self, force: u8) -> Option<u8> {
        self.team.iter().find(|it| it.force == force).map(|it| it.team)
    }

    /// The force of a team; 0, other, where none stands for it.
    #[must_use]
    pub fn force(&self, team: Option<u8>) -> u8 {
        self.team.iter().find(|it| Some(it.team) == team).map_or(0, |it| it.force)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_reads_and_names_kinds_both_ways() {
        let mapping = Mapping::from_toml(DEFAULT_FILE).unwrap();
        for entry in mapping.entries() {
            let found = mapping.entry_of(entry.sent_type()).unwrap();
            assert_eq!(found.kind, entry.kind, "{}", entry.sent_type());
        }
        let tank = mapping.entry_named("tank jointless unprevented").unwrap();
        assert_eq!((tank.joint[0].sign(), tank.joint[1].sign()), (-1.0, 1.0));
        assert_eq!(tank.joint[0].rate_parameter(), 4108);
        assert_eq!((mapping.team(2), mapping.force(Some(1)), mapping.force(None)), (Some(1), 2, 0));
    }

    #[test]
    fn the_first_entry_that_fits_counts() {
        let text = "[[entity]]\ntype = \"1.2.225.*.*.*.7\"\nkind = \"a\"\n[[entity]]\ntype = \"1.*.*.*.*.*.*\"\nkind = \"b\"\n";
        let mapping = Mapping::from_toml(text).unwrap();
        let kind = |numbers: &str| {
            let entry = mapping.entry_of(numbers.parse::<TypePattern>().unwrap().plainest());
            entry.map(|entry| entry.kind.clone())
        };
        assert_eq!(kind("1.2.225.9.9.9.7").as_deref(), Some("a"));
        assert_eq!(kind("1.2.225.9.9.9.8").as_deref(), Some("b"));
        assert_eq!(kind("2.2.225.9.9.9.7"), None);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for text in
            ["1.2.3", "1.2.3.4.5.6.7.8", "1.2.x.4.5.6.7", "256.2.3.4.5.6.7", "1.2.65536.4.5.6.7"]
        {
            let error = text.parse::<TypePattern>().unwrap_err().to_string();
            assert!(error.contains(text), "{error}");
        }
        let told = |text: &str| Mapping::from_toml(text).unwrap_err().to_string();
        assert!(told("[[entity]]\ntype = \"1.1.1\"\nkind = \"a\"").contains("1.1.1"));
        assert!(told("[[entity]]\ntyp = \"1.1.1.1.1.1.1\"").contains("typ"));
        assert!(told("").contains("entity"));
    }
}
