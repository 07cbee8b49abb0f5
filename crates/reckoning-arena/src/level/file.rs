//! Level file format: one TOML file, every length in pixels.
//!
//! These structs mirror the file and promise nothing; [`Level`](crate::Level) is what a
//! checked file becomes. Unknown keys are refused, so that a typing error is found instead
//! of ignored.

use serde::{Deserialize, Serialize};

/// A place in the file: `[x, y]`.
pub type FilePoint = [f64; 2];

/// The whole file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LevelFile {
    /// What the level is called.
    pub name: String,
    /// What it is for, in a sentence.
    #[serde(default)]
    pub about: String,
    /// Width and height. The level spans from 0 to here, with a wall all around.
    pub size_px: FilePoint,
    /// How much of the level a player sees around itself.
    pub view_px: FilePoint,
    /// Whether walls hide what is behind them. They always stop shots.
    #[serde(default)]
    pub walls_hide: bool,
    /// How finely bots plan their ways. About the radius of a body suits.
    pub nav_cell_px: f64,
    /// How everyone moves.
    pub body: BodyRules,
    /// What everyone shoots with.
    pub gun: Gun,
    /// Health, ammunition and the end of a round.
    pub rules: Rules,
    /// Walls along the axes.
    #[serde(default, rename = "box")]
    pub boxes: Vec<BoxWall>,
    /// Thin straight walls.
    #[serde(default, rename = "segment")]
    pub segments: Vec<SegmentWall>,
    /// Walls of any outline, solid inside.
    #[serde(default, rename = "polygon")]
    pub polygons: Vec<PolygonWall>,
    /// Where players come to life.
    #[serde(default, rename = "spawn")]
    pub spawns: Vec<Spawn>,
    /// What restores them.
    #[serde(default, rename = "item")]
    pub items: Vec<ItemSpot>,
    /// Vehicles that players may drive.
    #[serde(default)]
    pub buggy: Option<Buggies>,
    /// Guns that stand in the level and shoot at everyone.
    #[serde(default, rename = "turret")]
    pub turrets: Vec<TurretSpot>,
}

/// What kind of body the players of a level have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BodyKind {
    /// Goes in any direction at once, whatever it aims at.
    Walker,
    /// Goes only where it is headed and has to turn first.
    Tank,
}

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BodyRules {
    /// Walker or tank.
    pub kind: BodyKind,
    /// Half its width; bodies are round.
    pub radius_px: f64,
    /// Top speed.
    pub speed_px_s: f64,
    /// How fast it gains speed.
    pub acceleration_px_s2: f64,
    /// How fast it loses speed when nobody pushes.
    pub braking_px_s2: f64,
    /// How fast a tank turns. Walkers do not need it.
    #[serde(default)]
    pub turn_deg_s: f64,
}

/// What a player or a turret shoots.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Gun {
    /// How fast a bullet flies.
    pub speed_px_s: f64,
    /// How far it flies.
    pub range_px: f64,
    /// The health it takes.
    pub damage: f64,
    /// The time between two shots.
    pub pause_s: f64,
}

/// What everyone starts with and when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Health at birth, and the most there is.
    pub health: f64,
    /// Shots at birth.
    pub ammo: u32,
    /// The most shots one can carry.
    pub ammo_max: u32,
    /// From death to the next life.
    pub respawn_s: f64,
    /// A team that has this many points wins the round.
    pub points_to_win: u32,
    /// A round without a winner ends after this.
    pub round_s: f64,
}

/// A wall along the axes.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BoxWall {
    /// What to call it in messages.
    #[serde(default)]
    pub name: String,
    /// Its corner with the smallest x and y.
    pub at: FilePoint,
    /// Its width and height.
    pub size: FilePoint,
}

/// A thin straight wall.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentWall {
    /// What to call it in messages.
    #[serde(default)]
    pub name: String,
    /// One end.
    pub from: FilePoint,
    /// The other end.
    pub to: FilePoint,
}

/// A wall of any outline, solid inside.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PolygonWall {
    /// What to call it in messages.
    #[serde(default)]
    pub name: String,
    /// Its corners in order, either way round; the last joins the first.
    pub points: Vec<FilePoint>,
}

/// Where players come to life.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Spawn {
    /// The place.
    pub at: FilePoint,
    /// The team it belongs to, 0 or 1; without one it is everyone's.
    #[serde(default)]
    pub team: Option<u16>,
}

/// What an item restores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ItemKind {
    /// Health.
    Health,
    /// Shots.
    Ammo,
}

/// Something that lies in the level and restores whoever takes it.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ItemSpot {
    /// What it restores.
    pub kind: ItemKind,
    /// The place.
    pub at: FilePoint,
    /// How much of it.
    pub amount: u32,
    /// From being taken to lying there again.
    pub respawn_s: f64,
}

/// Vehicles that players may drive, one at a time. They are as wide as bodies, so they fit wherever
/// those do, and go where they are headed.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Buggies {
    /// Where they stand at first.
    pub at: Vec<FilePoint>,
    /// Top speed.
    pub speed_px_s: f64,
    /// How fast they gain speed.
    pub acceleration_px_s2: f64,
    /// How fast they lose speed when nobody pushes.
    pub braking_px_s2: f64,
    /// How fast they turn.
    pub turn_deg_s: f64,
}

/// A gun that stands in the level.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TurretSpot {
    /// The place.
    pub at: FilePoint,
    /// How far it sees and shoots.
    pub range_px: f64,
    /// How long it needs from seeing someone to the first shot.
    pub warm_up_s: f64,
    /// The health one shot takes.
    pub damage: f64,
    /// The time between two shots.
    pub pause_s: f64,
}
