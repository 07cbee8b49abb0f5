//! Events of a tick.

use reckoning::{DVec3, SimTime};

use super::player::{PlayerId, Team};

/// The shooter of a shot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shooter {
    /// A player.
    Player(PlayerId),
    /// A turret, by its place in the level file.
    Turret(usize),
}

/// Something that happened in a tick, in the order it happened.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A player came to life.
    Born {
        /// The player.
        who: PlayerId,
        /// Where.
        at: DVec3,
    },
    /// A shot was fired.
    Fired {
        /// By whom.
        by: Shooter,
        /// From where.
        from: DVec3,
        /// Pixels per second.
        velocity: DVec3,
        /// The number of the shot.
        shot: u32,
        /// When, if that was before this tick.
        fired: Option<SimTime>,
    },
    /// A shot struck a player.
    Hit {
        /// The player that was hit.
        who: PlayerId,
        /// Whose shot it was.
        by: Shooter,
        /// The health it took.
        damage: f64,
        /// The number of the shot.
        shot: u32,
    },
    /// A player died.
    Died {
        /// The player.
        who: PlayerId,
        /// Whose shot it was.
        by: Shooter,
        /// Where.
        at: DVec3,
    },
    /// A player took an item.
    Took {
        /// The player.
        who: PlayerId,
        /// The item, by its place in the level file.
        item: usize,
    },
    /// An item lies in its place again.
    Returned {
        /// The item, by its place in the level file.
        item: usize,
    },
    /// A round ended; the next one begins at once.
    RoundOver {
        /// The team with the most points, unless several have.
        winner: Option<Team>,
    },
}
