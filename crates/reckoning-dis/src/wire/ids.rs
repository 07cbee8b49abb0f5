//! Names of entities, events and types of entities.

use core::fmt;

use super::DecodeError;
use super::bytes::{Put, Reader};

/// An entity of an exercise: the site and application that simulate it, and its number there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityId {
    /// Site; 0xffff is all.
    pub site: u16,
    /// Application at that site.
    pub application: u16,
    /// Entity of that application; 0 is none, 0xffff all.
    pub entity: u16,
}

impl EntityId {
    /// The entity of that number.
    #[must_use]
    pub const fn new(site: u16, application: u16, entity: u16) -> Self {
        Self { site, application, entity }
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { site: from.u16()?, application: from.u16()?, entity: from.u16()? })
    }

    pub(super) fn write(self, to: &mut Vec<u8>) {
        to.put_u16(self.site);
        to.put_u16(self.application);
        to.put_u16(self.entity);
    }
}

impl fmt::Display for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.site, self.application, self.entity)
    }
}

/// What an entity is: the seven numbers of SISO-REF-010.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the standard's words for the standard's numbers")]
pub struct EntityType {
    pub kind: u8,
    pub domain: u8,
    pub country: u16,
    pub category: u8,
    pub subcategory: u8,
    pub specific: u8,
    pub extra: u8,
}

impl EntityType {
    /// The numbers in their order.
    #[must_use]
    pub const fn numbers(self) -> [u16; 7] {
        [
            self.kind as u16,
            self.domain as u16,
            self.country,
            self.category as u16,
            self.subcategory as u16,
            self.specific as u16,
            self.extra as u16,
        ]
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            kind: from.u8()?,
            domain: from.u8()?,
            country: from.u16()?,
            category: from.u8()?,
            subcategory: from.u8()?,
            specific: from.u8()?,
            extra: from.u8()?,
        })
    }

    pub(super) fn write(self, to: &mut Vec<u8>) {
        to.put(&[self.kind, self.domain]);
        to.put_u16(self.country);
        to.put(&[self.category, self.subcategory, self.specific, self.extra]);
    }
}

impl fmt::Display for EntityType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [kind, rest @ ..] = self.numbers();
        write!(f, "{kind}")?;
        rest.into_iter().try_for_each(|number| write!(f, ".{number}"))
    }
}
