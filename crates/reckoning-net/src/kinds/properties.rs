//! Properties: state that rides along with entities, declared once with the kinds.
//!
//! ```
//! use reckoning_net::{Kinds, Property, PropertyType, Seen, Writer};
//!
//! let mut kinds = Kinds::default();
//! let health = kinds.property("health", PropertyType::U8, Seen::ByAll)?;
//! let mut name = Property::new(PropertyType::Text, Seen::ByAll);
//! name.writer = Writer::Owner; // whoever owns it calls it what they like
//! let name = kinds.add_property("name", name)?;
//! assert_eq!(kinds.property_named("health"), Some(health));
//! assert_eq!(kinds.properties().count(), 2);
//! # Ok::<(), reckoning_net::KindError>(())
//! ```

use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use super::error::KindError;
use super::{Kinds, MAX_KIND_NAME_BYTES};

/// Properties that a game can declare.
pub const MAX_PROPERTIES: usize = 32;

/// A property, by its place among those that were declared; the same on all ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PropertyId(pub(crate) u8);

impl PropertyId {
    /// The property of that number, from 0; `None` from [`MAX_PROPERTIES`] on.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        if (number as usize) < MAX_PROPERTIES { Some(Self(number)) } else { None }
    }

    /// The number that stands for it on the wire.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    pub(crate) const fn bit(self) -> u32 {
        1 << self.0
    }
}

/// What values of a property are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PropertyType {
    /// Yes or no; one bit.
    Bool,
    /// A whole number from 0 to 255.
    U8,
    /// A whole number of 16 bits.
    U16,
    /// A whole number of 32 bits.
    U32,
    /// A whole number of 32 bits with a sign.
    I32,
    /// A number of 32 bits that is finite.
    F32,
    /// Text of at most [`MAX_VALUE_BYTES`](super::MAX_VALUE_BYTES).
    Text,
    /// At most [`MAX_VALUE_BYTES`](super::MAX_VALUE_BYTES) of the game's own.
    Bytes,
}

/// Who is sent the values of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Seen {
    /// Everyone in whose interest set the entity is, and its owner.
    ByAll,
    /// Its owner alone.
    ByOwner,
    /// Those whose team ([`Host::set_team`](crate::Host::set_team)) is that of the entity
    /// ([`Host::set_entity_team`](crate::Host::set_entity_team)), and its owner.
    ByTeam,
}

/// Who may set a property.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Writer {
    /// The host alone. The default.
    #[default]
    Host,
    /// The owner of the entity as well.
    Owner,
}

/// One property as it was declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Property {
    /// What its values are.
    pub value: PropertyType,
    /// Who is sent them.
    pub seen: Seen,
    /// Who may set them. Default: [`Writer::Host`].
    pub writer: Writer,
    /// A change is sent no sooner than this after the one before; then the newest value is.
    /// Default: zero, with every tick.
    pub min_interval: Duration,
}

impl Property {
    /// A property that the host sets, sent as soon as it changes.
    #[must_use]
    pub const fn new(value: PropertyType, seen: Seen) -> Self {
        Self { value, seen, writer: Writer::Host, min_interval: Duration::ZERO }
    }
}

/// The properties of a game in the order in which they were declared, and who they concern, a bit
/// for each.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Schema {
    list: Vec<(String, Property)>,
    seen_by_all: u32,
    seen_by_team: u32,
    set_by_owner: u32,
}

impl Schema {
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(crate) fn get(&self, id: PropertyId) -> Option<&Property> {
        self.list.get(usize::from(id.0)).map(|(_, property)| property)
    }

    /// Those that one who is not the owner is sent.
    pub(crate) const fn seen_by(&self, is_of_team: bool) -> u32 {
        if is_of_team { self.seen_by_all | self.seen_by_team } else { self.seen_by_all }
    }

    pub(crate) const fn set_by_owner(&self) -> u32 {
        self.set_by_owner
    }

    fn push(&mut self, name: &str, property: Property) -> PropertyId {
        let id = PropertyId(self.list.len() as u8);
        match property.seen {
            Seen::ByAll => self.seen_by_all |= id.bit(),
            Seen::ByTeam => self.seen_by_team |= id.bit(),
            Seen::ByOwner => {}
        }
        if property.writer == Writer::Owner {
            self.set_by_owner |= id.bit();
        }
        self.list.push((name.into(), property));
        id
    }
}

impl Kinds {
    /// Declares a property that the host sets. Every entity has it, and until it is set it has no
    /// value.
    ///
    /// # Errors
    /// As [`add_property`](Self::add_property).
    pub fn property(
        &mut self,
        name: &str,
        value: PropertyType,
        seen: Seen,
    ) -> Result<PropertyId, KindError> {
        self.add_property(name, Property::new(value, seen))
    }

    /// Declares a property.
    ///
    /// # Errors
    /// When the name is empty, too long or that of another property, or there are
    /// [`MAX_PROPERTIES`] already.
    pub fn add_property(
        &mut self,
        name: &str,
        property: Property,
    ) -> Result<PropertyId, KindError> {
        if name.is_empty() || name.len() > MAX_KIND_NAME_BYTES {
            return Err(KindError::Name { got_bytes: name.len() });
        }
        if self.property_named(name).is_some() {
            return Err(KindError::Taken { name: name.into() });
        }
        if self.schema.len() >= MAX_PROPERTIES {
            return Err(KindError::TooManyProperties);
        }
        Ok(self.schema.push(name, property))
    }

    /// The property of that name.
    #[must_use]
    pub fn property_named(&self, name: &str) -> Option<PropertyId> {
        let place = self.schema.list.iter().position(|(known, _)| known == name)?;
        Some(PropertyId(place as u8))
    }

    /// All properties with their names, in order.
    pub fn properties(&self) -> impl Iterator<Item = (PropertyId, &str, &Property)> {
        let numbered = (0..).zip(&self.schema.list);
        numbered.map(|(number, (name, property))| (PropertyId(number), name.as_str(), property))
    }

    /// A property as the wire carries it.
    pub(crate) fn encoded_property(&self, id: PropertyId) -> Option<Vec<u8>> {
        let form = self.schema.list.get(usize::from(id.0))?;
        Some(postcard::to_allocvec(form).unwrap_or_default())
    }
}

/// The name of a property and what it is; `None` for what is not one.
pub(crate) fn decode_property(bytes: &[u8]) -> Option<(String, Property)> {
    postcard::from_bytes(bytes).ok()
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        let mut kinds = Kinds::default();
        let mut declare = |name: &str| kinds.property(name, PropertyType::Bool, Seen::ByAll);
        declare("alight").unwrap();
        assert!(format!("{}", declare("alight").unwrap_err()).contains("alight"));
        assert!(declare("").is_err() && declare(&"x".repeat(33)).is_err());
        for number in 1..MAX_PROPERTIES {
            declare(&format!("property {number}")).unwrap();
        }
        assert_eq!(declare("one more"), Err(KindError::TooManyProperties));
    }

    #[test]
    fn properties_come_back_from_their_bytes() {
        let mut kinds = Kinds::default();
        let mut property = Property::new(PropertyType::F32, Seen::ByTeam);
        (property.writer, property.min_interval) = (Writer::Owner, Duration::from_millis(250));
        let id = kinds.add_property("aim", property).unwrap();
        let bytes = kinds.encoded_property(id).unwrap();
        assert_eq!(decode_property(&bytes), Some(("aim".into(), property)));
        for length in 0..bytes.len() {
            assert_eq!(decode_property(&bytes[..length]), None);
        }
    }
}
