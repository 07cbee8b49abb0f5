//! Surroundings of a body, as far as the side that plans for it knows.

use glam::DVec3;

use crate::Scene;

/// What the sender knows of its own intentions, in the game's own terms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Intent {
    /// Directions in world axes, such as a stick; zero where there is none.
    pub directions: [DVec3; 2],
    /// Anything else: buttons, boost, the pitch of a view.
    pub amounts: [f32; 8],
    /// What the body is about, as a number of the game's own: an action or animation state.
    pub act: u16,
}

/// A place that draws everyone, such as a ball or the middle of the stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Landmark {
    /// Where it is.
    pub position: DVec3,
    /// How it moves.
    pub velocity: DVec3,
}

/// What is around a body, as far as the side that plans for it knows.
///
/// Leave out what the game does not have; nothing is required.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings<'a> {
    /// The others, the items and the level.
    pub scene: Option<&'a Scene<'a>>,
    /// Who the body is in the scene.
    pub id: u32,
    /// Whether the orientation means anything.
    pub facing_known: bool,
    /// What its player wants.
    pub intent: Option<Intent>,
    /// Places that draw everyone.
    pub marks: [Option<Landmark>; 2],
    /// The box that bodies stay in: its lowest and its highest corner.
    pub bounds: Option<(DVec3, DVec3)>,
    /// Height above whatever is below.
    pub floor_m: Option<f64>,
}
