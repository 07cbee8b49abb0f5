//! Hills: a game of tanks and cars in three dimensions, on ground that rises and falls.
//!
//! Everything that a body on terrain needs of dead reckoning is at work here over the network: ground
//! clamping, joints, prevention, paths, ballistic arcs, pictures of the past and coarse far classes
//! (MURPHY, 18.6 to 18.8). Lengths are metres, up is `+z`, body axes are x forward, y left, z up.
//!
//! ```text
//! file, level   what a level file says, and the level it becomes     no I/O, no clock:
//! heights, checks  the numbers of its ground, and what is wrong with it
//! ground        heights, bridges and tunnels, as a Terrain           all chance comes
//! craft         the sorts of bodies, their sizes and parts           from a seed
//! drive         one step of a vehicle, the same on both ends
//! world, bots   the rules, sixty steps a second; who drives
//! ```

mod body;
mod bots;
mod checks;
mod craft;
mod drive;
mod file;
mod ground;
mod heights;
pub mod host;
mod level;
mod motion;
pub mod protocol;
mod remote_driver;
mod world;

pub use body::{Aim, Body, BodyId, DriverInput, depth_m};
pub use bots::HillsBots;
pub use craft::{Craft, Part, Shape, TurretShape, Wheel};
pub use drive::{GRAVITY_MPS2, drive, within_walls};
pub use file::{
    BridgeSpot, DriveRules, GroundGrid, GunRules, HillsFile, HillsRules, HillsSpawn, Obstacle,
    ObstacleKind, Place, Route, TrainRules, TunnelSpot,
};
pub use ground::HillsGround;
pub use level::{HillsError, HillsLevel};
pub use motion::lasting_acceleration;
pub use remote_driver::RemoteDriver;
pub use world::{HillsEvent, HillsWorld, Shell};
