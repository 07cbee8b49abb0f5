//! What bodies are not published into: the walls and the ground of the level, as one terrain.

use alloc::sync::Arc;
use core::fmt;

use reckoning::terrain::Contact;
use reckoning::{DVec3, Terrain};
use reckoning_predict::Walls;

/// The ground of a level, shared by everything that asks it. Clones share what they hold.
#[derive(Clone)]
pub struct SharedTerrain(Arc<dyn Terrain + Send + Sync>);

impl SharedTerrain {
    /// The ground that a game has already.
    #[must_use]
    pub fn new(terrain: Arc<dyn Terrain + Send + Sync>) -> Self {
        Self(terrain)
    }
}

impl fmt::Debug for SharedTerrain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedTerrain")
    }
}

impl Terrain for SharedTerrain {
    fn ground_below(&self, point: DVec3) -> Option<Contact> {
        self.0.ground_below(point)
    }

    fn first_hit(&self, from: DVec3, to: DVec3) -> Option<Contact> {
        self.0.first_hit(from, to)
    }
}

/// Walls and ground, whichever there are.
pub(super) struct Obstacles<'a> {
    pub(super) walls: Option<&'a Walls>,
    pub(super) ground: Option<&'a SharedTerrain>,
}

impl Terrain for Obstacles<'_> {
    fn ground_below(&self, point: DVec3) -> Option<Contact> {
        self.ground?.ground_below(point)
    }

    fn first_hit(&self, from: DVec3, to: DVec3) -> Option<Contact> {
        let wall = self.walls.and_then(|it| it.first_hit(from, to));
        let ground = self.ground.and_then(|it| it.first_hit(from, to));
        let (Some(wall), Some(ground)) = (wall, ground) else { return wall.or(ground) };
        let is_nearer = wall.point.distance_squared(from) <= ground.point.distance_squared(from);
        Some(if is_nearer { wall } else { ground })
    }
}
