//! Level file of the hills: one TOML file, every length in metres.
//!
//! These structs mirror the file and promise nothing; [`HillsLevel`](super::HillsLevel) is what a
//! checked file becomes. Unknown keys are refused, so that a typing error is found.

use serde::{Deserialize, Serialize};

/// A place in the file: `[x, y, z]`.
pub type Place = [f64; 3];

/// The whole file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct HillsFile {
    /// What the level is called.
    pub name: String,
    /// What it is for, in a sentence.
    #[serde(default)]
    pub about: String,
    /// How high the ground is.
    pub ground: GroundGrid,
    /// The surface of the lake; what is lower is under water and cannot be entered.
    pub water_m: f64,
    /// Ways above the ground.
    #[serde(default, rename = "bridge")]
    pub bridges: Vec<BridgeSpot>,
    /// Ways beneath it.
    #[serde(default, rename = "tunnel")]
    pub tunnels: Vec<TunnelSpot>,
    /// What stands in the way, and behind what one can hide.
    #[serde(default, rename = "obstacle")]
    pub obstacles: Vec<Obstacle>,
    /// Where drivers come to life.
    #[serde(default, rename = "spawn")]
    pub spawns: Vec<HillsSpawn>,
    /// The train and its track.
    pub train: TrainRules,
    /// Ways over the ground that merchants and bots take.
    #[serde(default, rename = "route")]
    pub routes: Vec<Route>,
    /// How tanks drive.
    pub tank: DriveRules,
    /// How cars drive.
    pub car: DriveRules,
    /// What tanks and cars shoot straight at what they see.
    pub gun: GunRules,
    /// What tanks lob over hills.
    pub shell: GunRules,
    /// Health and the end of a round.
    pub rules: HillsRules,
}

/// Heights on a square grid, from the south-west corner, which is the origin.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct GroundGrid {
    /// Between two neighbouring numbers.
    pub spacing_m: f64,
    /// What a number stands for.
    pub unit_m: f64,
    /// Into how many the way between two numbers is cut, on a smooth curve.
    pub detail: u32,
    /// The heights as whole numbers: a line for each row from south to north, in it one number for
    /// each column from west to east.
    pub heights: String,
}

/// A straight way above the ground.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BridgeSpot {
    /// What to call it in messages.
    #[serde(default)]
    pub name: String,
    /// The middle of its deck at one end.
    pub from: Place,
    /// And at the other.
    pub to: Place,
    /// How wide the deck is.
    pub width_m: f64,
}

/// A straight way beneath the ground.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TunnelSpot {
    /// What to call it in messages.
    #[serde(default)]
    pub name: String,
    /// The middle of its floor at one end, outside of the hill.
    pub from: Place,
    /// And at the other.
    pub to: Place,
    /// How wide it is.
    pub width_m: f64,
    /// How high it is.
    pub height_m: f64,
}

/// What an obstacle looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ObstacleKind {
    /// A boulder.
    Rock,
    /// A tree.
    Tree,
    /// A house.
    House,
}

/// Something that stands on the ground and stops vehicles and shots: an upright cylinder.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Obstacle {
    /// What it looks like.
    pub kind: ObstacleKind,
    /// Its middle.
    pub at: [f64; 2],
    /// Half its width.
    pub radius_m: f64,
    /// Its height above the ground.
    pub height_m: f64,
}

/// Where drivers come to life.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct HillsSpawn {
    /// The place.
    pub at: [f64; 2],
    /// Where they look, counter-clockwise from east.
    pub heading_deg: f64,
    /// The team, 0 or 1.
    pub team: u8,
}

/// The train and its track.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TrainRules {
    /// How many cars it has.
    pub cars: u8,
    /// From the middle of one to the middle of the next.
    pub spacing_m: f64,
    /// Its top speed; it slows down in bends.
    pub speed_mps: f64,
    /// The track, closed, as a smooth line through these places.
    pub track: Vec<Place>,
}

/// A way over the ground, closed, as a smooth line through these places.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// Its name; the merchant takes `market`, birds circle over `flock`.
    pub name: String,
    /// The places.
    pub points: Vec<[f64; 2]>,
}

/// How a vehicle drives.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DriveRules {
    /// Top speed on level ground.
    pub speed_mps: f64,
    /// What the engine gives, on level ground.
    pub acceleration_mps2: f64,
    /// What the brakes take.
    pub braking_mps2: f64,
    /// What sideways slip loses in a second, as a share; infinite grip would be on rails.
    pub grip_mps2: f64,
    /// How fast a tank turns on the spot, or how far a car's wheels turn.
    pub turn_deg: f64,
    /// The steepest slope that it climbs.
    pub climb_deg: f64,
    /// How fast the turret turns; 0 without one.
    #[serde(default)]
    pub turret_deg_s: f64,
}

/// What is shot.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct GunRules {
    /// How fast it leaves the barrel.
    pub speed_mps: f64,
    /// How far it goes.
    pub range_m: f64,
    /// The health it takes; half as much again from a turret that it hits.
    pub damage: f64,
    /// How far around its burst it takes some; 0 for what only hits.
    #[serde(default)]
    pub blast_m: f64,
    /// The time between two shots.
    pub pause_s: f64,
}

/// What everyone starts with and when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct HillsRules {
    /// Health at birth, and the most there is.
    pub health: f64,
    /// From destruction to the next life.
    pub respawn_s: f64,
    /// A team that has this many points wins the round.
    pub points_to_win: u32,
    /// A round without a winner ends after this.
    pub round_s: f64,
}
