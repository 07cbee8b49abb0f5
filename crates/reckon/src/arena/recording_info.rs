//! Header of a recording of the arena: units, sizes, walls and items of its level.

use reckoning::DVec3;
use reckoning_arena::{ItemKind, Level as Arena};
use reckoning_recording::{Bounds, Level, LevelItem, LevelShape, Meta};
use reckoning_server::record::RecordingInfo;

/// Walls have no height in the arena; bodies are at 0 and this is above them.
const WALL_HEIGHT_PX: f64 = 100.0;

/// Units, sizes, walls and items of a level.
pub fn from_level(arena: &Arena) -> RecordingInfo {
    let bounds = Some(Bounds { min: DVec3::ZERO, max: arena.size_px() });
    let mut meta = Meta::default();
    meta.units = "px".to_string();
    meta.body_width = 2.0 * arena.file().body.radius_px;
    meta.dims = 2;
    meta.team_play = true;
    meta.bounds = bounds;
    meta.map = arena.name().to_string();
    let wall = |(from, to): (DVec3, DVec3)| LevelShape::Wall { from, to, top: WALL_HEIGHT_PX };
    let shapes = arena.walls().edges().iter().map(|edge| wall((edge.a, edge.b))).collect();
    let items = arena.file().items.iter().map(|it| {
        let kind = match it.kind {
            ItemKind::Health => "health",
            ItemKind::Ammo => "ammo",
        };
        let position = DVec3::new(it.at[0], it.at[1], 0.0);
        LevelItem { kind: kind.to_string(), class: format!("{kind} {}", it.amount), position }
    });
    let items = items.collect();
    let level = Level { name: arena.name().to_string(), bounds, shapes, items };
    RecordingInfo { source: "arena".to_string(), meta, level: Some(level) }
}
