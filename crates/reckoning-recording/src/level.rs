//! Walls, floors and items of a level, and their json.
//!
//! The maps that come with the recordings are of two kinds: Quake levels (floor triangles,
//! vertical walls, entities) and BZFlag worlds (boxes and pyramids). Melee keeps its ground
//! and platforms in the session's own json. [`parse_level`] reads all three, and
//! [`write_level`] writes a form that holds them all.

use reckoning::DVec3;
use serde_json::{Map, Value, json};

use super::meta::{bounds, put_bounds};
use super::{Bounds, MemoryBudget, RecordingError, json as ask};

/// What stands around in a level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// Its name.
    pub name: String,
    /// Where bodies can be.
    pub bounds: Option<Bounds>,
    /// Walls and floors.
    pub shapes: Vec<LevelShape>,
    /// Things to pick up, places to start from, buttons and doors.
    pub items: Vec<LevelItem>,
}

/// One piece of a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LevelShape {
    /// An upright wall above the line `from`-`to`, up to the height `top`.
    Wall {
        /// One lower end.
        from: DVec3,
        /// The other lower end, at the same height.
        to: DVec3,
        /// Height of the upper edge.
        top: f64,
    },
    /// A ledge to stand on in a game seen from the side, where up is `y`.
    Ledge {
        /// Left end.
        from: DVec3,
        /// Right end.
        to: DVec3,
        /// Whether it stops bodies from below too.
        solid: bool,
    },
    /// A piece of floor.
    Triangle {
        /// Its corners.
        corners: [DVec3; 3],
    },
    /// Something that stands on a rectangle.
    Block(LevelBlock),
}

/// Something that stands on a rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelBlock {
    /// Its form.
    pub kind: BlockKind,
    /// Middle of its underside.
    pub base: DVec3,
    /// Half the length along x, half the length along y, full height.
    pub size: DVec3,
    /// How it is turned about z, counter-clockwise.
    pub yaw_rad: f64,
}

/// Form of a [`LevelBlock`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Upright sides, flat top.
    Box,
    /// Sides that meet in a point.
    Pyramid,
    /// A box that belongs to a team.
    Base,
    /// A frame that bodies pass through to elsewhere.
    Teleporter,
}

/// A thing at a place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LevelItem {
    /// What sort of thing, such as `armor`.
    pub kind: String,
    /// Its exact name in the game.
    pub class: String,
    /// Where it is.
    pub position: DVec3,
}

/// Names of the block kinds in json.
const KINDS: [(BlockKind, &str); 4] = [
    (BlockKind::Box, "box"),
    (BlockKind::Pyramid, "pyramid"),
    (BlockKind::Base, "base"),
    (BlockKind::Teleporter, "teleporter"),
];

/// Reads the json of a map.
///
/// # Errors
/// Names line and byte when this is not a json object. Pieces it does not know are left out.
pub fn parse_level(text: &[u8]) -> Result<Level, RecordingError> {
    level_within(text, &mut MemoryBudget::for_text(text.len()))
}

/// As [`parse_level`], within a budget.
pub(super) fn level_within(
    text: &[u8],
    budget: &mut MemoryBudget,
) -> Result<Level, RecordingError> {
    Ok(level_of(&ask::object(text, "the json of a map", budget)?))
}

/// Writes a level as json that [`parse_level`] reads back.
#[must_use]
pub fn write_level(level: &Level) -> Vec<u8> {
    let mut map = Map::new();
    map.insert("map".into(), level.name.clone().into());
    put_bounds(&mut map, level.bounds);
    map.insert("shapes".into(), level.shapes.iter().map(shape_json).collect());
    map.insert("entities".into(), level.items.iter().map(item_json).collect());
    serde_json::to_vec(&map).unwrap_or_default()
}

/// The level in an object that is already parsed: a map, or the json of a session.
pub(super) fn level_of(map: &Map<String, Value>) -> Level {
    let mut shapes: Vec<LevelShape> =
        ask::list(map, "shapes").iter().filter_map(shape_of).collect();
    shapes.extend(ask::objects(map, "floor").flat_map(floor_of));
    shapes.extend(ask::list(map, "walls").iter().filter_map(wall_of));
    shapes.extend(ask::objects(map, "obstacles").filter_map(block_of).map(LevelShape::Block));
    if let Some(walls) = map.get("walls").and_then(Value::as_object) {
        shapes.extend(ledges_of(walls));
    }
    let items = ask::objects(map, "entities").filter_map(item_of).collect();
    Level { name: ask::text(map, "map"), bounds: bounds(map), shapes, items }
}

fn floor_of(area: &Map<String, Value>) -> Vec<LevelShape> {
    let z = ask::number(area, "z").unwrap_or_default();
    let flat = area.get("tris").map(ask::numbers).unwrap_or_default();
    let (triangles, _) = flat.as_chunks::<6>();
    let corner = |x: f64, y: f64| DVec3::new(x, y, z);
    triangles
        .iter()
        .map(|&[a, b, c, d, e, f]| LevelShape::Triangle {
            corners: [corner(a, b), corner(c, d), corner(e, f)],
        })
        .collect()
}

fn wall_of(wall: &Value) -> Option<LevelShape> {
    let [x1, y1, x2, y2, low, top] = ask::numbers(wall).try_into().ok()?;
    Some(LevelShape::Wall { from: DVec3::new(x1, y1, low), to: DVec3::new(x2, y2, low), top })
}

/// Melee: one solid ground and platforms that let bodies through from below.
fn ledges_of(walls: &Map<String, Value>) -> Vec<LevelShape> {
    let ledge = |part: &Map<String, Value>, solid: bool| {
        let y = ask::number(part, "y")?;
        let end = |key: &str| Some(DVec3::new(ask::number(part, key)?, y, 0.0));
        Some(LevelShape::Ledge { from: end("x0")?, to: end("x1")?, solid })
    };
    let ground = walls.get("ground").and_then(Value::as_object).and_then(|part| ledge(part, true));
    let platforms = ask::objects(walls, "platforms").filter_map(|part| ledge(part, false));
    ground.into_iter().chain(platforms).collect()
}

fn block_of(part: &Map<String, Value>) -> Option<LevelBlock> {
    let name = part.get("kind")?.as_str()?;
    let kind = KINDS.iter().find(|(_, known)| *known == name)?.0;
    let [x, y, z] = ask::numbers(part.get("pos")?).try_into().ok()?;
    let size = part.get("size").map(ask::numbers).and_then(|size| <[f64; 3]>::try_from(size).ok());
    Some(LevelBlock {
        kind,
        base: DVec3::new(x, y, z),
        size: size.map_or(DVec3::ZERO, DVec3::from_array),
        yaw_rad: ask::number(part, "rot_deg").unwrap_or_default().to_radians(),
    })
}

fn item_of(entity: &Map<String, Value>) -> Option<LevelItem> {
    let axis = |key: &str| ask::number(entity, key);
    Some(LevelItem {
        kind: ask::text(entity, "type"),
        class: ask::text(entity, "class"),
        position: DVec3::new(axis("x")?, axis("y")?, axis("z").unwrap_or_default()),
    })
}

fn item_json(item: &LevelItem) -> Value {
    let p = item.position;
    json!({ "type": item.kind, "class": item.class, "x": p.x, "y": p.y, "z": p.z })
}

/// One shape as a list: its name, then its numbers.
fn shape_json(shape: &LevelShape) -> Value {
    match *shape {
        LevelShape::Wall { from: a, to: b, top } => {
            json!(["wall", a.x, a.y, a.z, b.x, b.y, b.z, top])
        }
        LevelShape::Ledge { from: a, to: b, solid } => {
            json!(["ledge", a.x, a.y, a.z, b.x, b.y, b.z, u8::from(solid)])
        }
        LevelShape::Triangle { corners: [a, b, c] } => {
            json!(["triangle", a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z])
        }
        LevelShape::Block(block) => {
            let name = KINDS.iter().find(|(kind, _)| *kind == block.kind).map_or("box", |k| k.1);
            let (b, s) = (block.base, block.size);
            json!([name, b.x, b.y, b.z, s.x, s.y, s.z, block.yaw_rad])
        }
    }
}

fn shape_of(value: &Value) -> Option<LevelShape> {
    let name = value.get(0)?.as_str()?;
    let n = ask::numbers(value);
    let at = |first: usize| Some(DVec3::from_slice(n.get(first..first + 3)?));
    let (a, b, last) = (at(0)?, at(3)?, *n.get(6)?);
    Some(match name {
        "wall" => LevelShape::Wall { from: a, to: b, top: last },
        "ledge" => LevelShape::Ledge { from: a, to: b, solid: last != 0.0 },
        "triangle" => LevelShape::Triangle { corners: [a, b, at(6)?] },
        _ => {
            let kind = KINDS.iter().find(|(_, known)| *known == name)?.0;
            LevelShape::Block(LevelBlock { kind, base: a, size: b, yaw_rad: last })
        }
    })
}
