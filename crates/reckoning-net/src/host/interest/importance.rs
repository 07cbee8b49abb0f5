//! What the game says of an entity beside its place: how important it is, who may know of it, with
//! which others it is sent.

use reckoning::ConfigError;
use reckoning::error::SettingError;

use crate::host::Host;
use crate::host::entities::Entity;
use crate::kinds::{Kind, Visibility};
use crate::wire::EntityId;
use crate::zones::{MAX_IMPORTANCE, MIN_IMPORTANCE};

/// A group of entities whose updates travel together: see
/// [`Host::set_group`](crate::Host::set_group). The game gives the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub u32);

/// What decides over an entity's place in interest sets, beside distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntityInterest {
    /// As its kind says, or the game.
    pub(crate) importance: f64,
    own_importance: Option<f64>,
    /// As its kind says, or the game.
    pub(crate) visibility: Visibility,
    own_visibility: Option<Visibility>,
    pub(crate) group: Option<GroupId>,
}

impl Default for EntityInterest {
    fn default() -> Self {
        Self {
            importance: 1.0,
            own_importance: None,
            visibility: Visibility::All,
            own_visibility: None,
            group: None,
        }
    }
}

impl EntityInterest {
    /// The entity is of that kind from now on.
    pub(crate) fn set_kind(&mut self, kind: Option<&Kind>) {
        self.importance = self.own_importance.or(kind.map(|kind| kind.importance)).unwrap_or(1.0);
        let of_kind = kind.map(|kind| kind.visibility);
        self.visibility = self.own_visibility.or(of_kind).unwrap_or_default();
    }

    pub(super) const fn set_visibility(&mut self, visibility: Visibility) {
        (self.visibility, self.own_visibility) = (visibility, Some(visibility));
    }

    /// A squared distance as it is judged: an entity is as many times nearer as it is important.
    pub(crate) fn judged(&self, distance_squared_m2: f64) -> f64 {
        distance_squared_m2 / (self.importance * self.importance)
    }
}

impl Host {
    /// Sets how important an entity is, in place of what its kind says: it is judged as if it were
    /// so many times nearer, by distance classes and by [`ZoneConfig::nearest`](crate::ZoneConfig),
    /// and its updates weigh as much more when a peer's budget is short. 0.01 to 100. Classes follow
    /// within [`HostConfig::zone_interval`](crate::HostConfig::zone_interval). Returns whether the
    /// entity exists.
    ///
    /// # Errors
    /// When it is out of range; nothing changes then.
    pub fn set_importance(
        &mut self,
        entity: EntityId,
        importance: f64,
    ) -> Result<bool, ConfigError> {
        SettingError::in_range("importance", importance, MIN_IMPORTANCE, MAX_IMPORTANCE)?;
        let Some(entity) = self.entities.get_mut(entity) else { return Ok(false) };
        entity.interest.own_importance = Some(importance);
        entity.interest.importance = importance;
        Ok(true)
    }

    /// Puts an entity into a group, or takes it out of its group. Whenever a peer is due an update of
    /// one member, all members in its interest set are written into the same datagram, each as the
    /// host knows it then, so that a peer never sees one without the others: a rider and a horse,
    /// the cars of a train. What a peer has acknowledged already is not repeated. A group that is
    /// too long for an empty datagram goes into several, one after the other. Returns whether the
    /// entity exists. The default is none.
    pub fn set_group(&mut self, entity: EntityId, group: Option<GroupId>) -> bool {
        let Some(found) = self.entities.get_mut(entity) else { return false };
        let before = core::mem::replace(&mut found.interest.group, group);
        self.entities.count_grouped(before, group);
        true
    }
}

/// What its kind says of an entity that is new.
pub(crate) fn interest_of_kind(entity: &mut Entity, kind: Option<&Kind>) {
    entity.interest.set_kind(kind);
    entity.judge_ahead = kind.and_then(|kind| kind.publisher.judge_ahead);
    entity.turns_by_itself = kind.is_some_and(|kind| kind.facing.is_derived());
}
