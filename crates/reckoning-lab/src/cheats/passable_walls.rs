//! Walls that recorded bodies pass through: found, and left out of the level.
//!
//! The levels of recordings hold every upright face: of doors that open, lifts that move, water
//! that can be entered. What others walked through is left out before a player is judged.

use reckoning::{ConfigError, DVec3, Kinematics};
use reckoning_predict::Walls;
use reckoning_recording::{Level, LevelShape};

use crate::compare::wall_of;

/// Layers of faces that lie behind each other in one passage.
const LAYERS: usize = 8;

/// The walls of a level that none of these tracks went through; `None` if none is left.
pub(super) fn walls_without_passages(
    level: &Level,
    tracks: &[&[Kinematics]],
) -> Result<Option<Walls>, ConfigError> {
    let mut shapes: Vec<&LevelShape> =
        level.shapes.iter().filter(|shape| wall_of(shape).is_some()).collect();
    for _ in 0..LAYERS {
        if shapes.is_empty() {
            return Ok(None);
        }
        let walls = Walls::new(shapes.iter().filter_map(|shape| wall_of(shape)))?;
        let steps = tracks.iter().flat_map(|track| track.windows(2));
        let hits: Vec<DVec3> = steps
            .filter_map(|step| walls.first_hit(step[0].position, step[1].position))
            .map(|hit| hit.point)
            .collect();
        if hits.is_empty() {
            return Ok(Some(walls));
        }
        shapes.retain(|shape| !hits.iter().any(|&hit| is_on(shape, hit)));
    }
    Ok(Some(Walls::new(shapes.iter().filter_map(|shape| wall_of(shape)))?))
}

/// Whether a place lies on a thin wall; blocks are solid and stay.
fn is_on(shape: &LevelShape, place: DVec3) -> bool {
    let LevelShape::Wall { from, to, top } = *shape else { return false };
    let (start, way) = (from.truncate(), (to - from).truncate());
    let gap = place.truncate() - start;
    let share = (gap.dot(way) / way.length_squared()).clamp(0.0, 1.0);
    let near = (gap - way * share).length() <= 1e-3;
    near && place.z >= from.z - 1e-3 && place.z <= top + 1e-3
}
