//! Who may know of a body.

use serde::{Deserialize, Serialize};

/// Who may know that an entity is there, if nothing else was said of a peer and the entity
/// ([`Host::set_visible`](crate::Host::set_visible)). An owner always knows what it owns.
///
/// From whom an entity is hidden is sent nothing of it: no entry, no update, no property, no joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Visibility {
    /// Everyone. The default.
    #[default]
    All,
    /// Peers of its team: see [`Host::set_team`](crate::Host::set_team) and
    /// [`Host::set_entity_team`](crate::Host::set_entity_team). An entity without a team is hidden
    /// from everyone.
    Team,
    /// Nobody but those who were named: fog of war that is closed until the game opens it, also for
    /// whoever joins late or comes back.
    Listed,
}
