//! Properties of players' bodies: what is known of them beside their motion.
//!
//! The host declares them with its kinds ([`Properties::declare`]) and sets them after every step; a
//! client reads them from its session. Health, name, side and score are seen by all, what is in the
//! gun by its owner alone. A client that joins late, or loses datagrams, ends up with the same.

use reckoning_net::{
    EntityId, Host, KindError, Kinds, PropertyId, PropertyType, PropertyValue, Seen, Session,
};

use super::clean_name;

/// The properties of players' bodies, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// What to call it: text of at most [`MAX_NAME_BYTES`](super::MAX_NAME_BYTES).
    pub name: PropertyId,
    /// Its side.
    pub team: PropertyId,
    /// From 0 to the level's `rules.health`.
    pub health: PropertyId,
    /// Whether it takes part.
    pub alive: PropertyId,
    /// Times it came to life: where a round ends and begins, it was hardly dead.
    pub lives: PropertyId,
    /// Others it has killed.
    pub kills: PropertyId,
    /// Times it has died.
    pub deaths: PropertyId,
    /// The vehicle that it drives: its entity's id and one more; 0 on foot.
    pub rides: PropertyId,
    /// Shots left; its owner alone sees it.
    pub ammo: PropertyId,
    /// Whether its gun could fire now; its owner alone sees it.
    pub loaded: PropertyId,
}

/// How a player is, as far as it was told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerState {
    /// What to call it, cleaned and cut as names of players are.
    pub name: String,
    /// Its side.
    pub team: u8,
    /// From 0 to the level's `rules.health`.
    pub health: f32,
    /// Whether it takes part.
    pub is_alive: bool,
    /// Times it came to life, modulo 2^16.
    pub lives: u16,
    /// Others it has killed.
    pub kills: u16,
    /// Times it has died.
    pub deaths: u16,
    /// The entity of the vehicle that it drives: it is there, whatever its own body shows.
    pub rides: Option<u32>,
    /// Shots left; 0 for players of others.
    pub ammo: u16,
    /// Whether its gun could fire now; `false` for players of others.
    pub is_loaded: bool,
}

impl Properties {
    /// Declares them.
    ///
    /// # Errors
    /// When the kinds have properties of these names already, or too many.
    pub fn declare(kinds: &mut Kinds) -> Result<Self, KindError> {
        use PropertyType::{Bool, F32, Text, U8, U16, U32};
        Ok(Self {
            name: kinds.property("name", Text, Seen::ByAll)?,
            team: kinds.property("team", U8, Seen::ByAll)?,
            health: kinds.property("health", F32, Seen::ByAll)?,
            alive: kinds.property("alive", Bool, Seen::ByAll)?,
            lives: kinds.property("lives", U16, Seen::ByAll)?,
            kills: kinds.property("kills", U16, Seen::ByAll)?,
            deaths: kinds.property("deaths", U16, Seen::ByAll)?,
            rides: kinds.property("rides", U32, Seen::ByAll)?,
            ammo: kinds.property("ammo", U16, Seen::ByOwner)?,
            loaded: kinds.property("loaded", Bool, Seen::ByOwner)?,
        })
    }

    /// Those that a host declared; `None` where one is missing.
    #[must_use]
    pub fn declared(kinds: &Kinds) -> Option<Self> {
        let named = |name| kinds.property_named(name);
        Some(Self {
            name: named("name")?,
            team: named("team")?,
            health: named("health")?,
            alive: named("alive")?,
            lives: named("lives")?,
            kills: named("kills")?,
            deaths: named("deaths")?,
            rides: named("rides")?,
            ammo: named("ammo")?,
            loaded: named("loaded")?,
        })
    }

    /// Sets all of an entity. What stays as it is costs nothing.
    pub fn set(&self, host: &mut Host, entity: EntityId, state: &PlayerState) {
        let values: [(PropertyId, PropertyValue); 10] = [
            (self.name, state.name.as_str().into()),
            (self.team, state.team.into()),
            (self.health, state.health.into()),
            (self.alive, state.is_alive.into()),
            (self.lives, state.lives.into()),
            (self.kills, state.kills.into()),
            (self.deaths, state.deaths.into()),
            (self.rides, state.rides.map_or(0, |it| it.saturating_add(1)).into()),
            (self.ammo, state.ammo.into()),
            (self.loaded, state.is_loaded.into()),
        ];
        for (property, value) in values {
            // The entity may be gone, and then nobody misses it.
            let _ = host.set(entity, property, value);
        }
    }

    /// What a client was told of an entity; the default for what it was not.
    #[must_use]
    pub fn state(&self, session: &Session, entity: EntityId) -> PlayerState {
        let value = |property| session.property(entity, property);
        PlayerState {
            name: match value(self.name) {
                Some(PropertyValue::Text(name)) => clean_name(name),
                _ => String::new(),
            },
            team: match value(self.team) {
                Some(PropertyValue::U8(team)) => *team,
                _ => 0,
            },
            health: match value(self.health) {
                Some(PropertyValue::F32(health)) => *health,
                _ => 0.0,
            },
            is_alive: value(self.alive) == Some(&PropertyValue::Bool(true)),
            lives: number(value(self.lives)),
            kills: number(value(self.kills)),
            deaths: number(value(self.deaths)),
            rides: match value(self.rides) {
                Some(PropertyValue::U32(number)) => number.checked_sub(1),
                _ => None,
            },
            ammo: number(value(self.ammo)),
            is_loaded: value(self.loaded) == Some(&PropertyValue::Bool(true)),
        }
    }
}

fn number(value: Option<&PropertyValue>) -> u16 {
    match value {
        Some(PropertyValue::U16(number)) => *number,
        _ => 0,
    }
}
