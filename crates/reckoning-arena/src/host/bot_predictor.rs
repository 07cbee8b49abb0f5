//! Trained predictor for the bots, and the inputs it gets from the arena.
//!
//! The same as a recording of the arena tells when one is trained: everybody's motion, health
//! and shots, what lies in the level, its walls and its rim.

use crate::level::{ItemKind, Level};
use crate::world::{PlayerId, World};
use reckoning::{DVec3, ExportReason, Kinematics, Model, Planner, SimTime};
use reckoning_predict::learned::{LearnedConfig, LearnedModel, LearnedPlanner};
use reckoning_predict::{Item, KnownBody, Restores, Scene, Walls};
use reckoning_predict::{Landmark, Surroundings};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What `reckon lab train --bounds 1,2,4,8,16,32 --epochs 80` makes of the lab's matches of bots.
const TRAINED: &[u8] = include_bytes!("bots.reck-model");

/// The level whose bots [`trained`] foresees.
pub const TRAINED_ON: &str = "proving-grounds";

/// The predictor that comes with the arena, trained on matches of its bots on [`TRAINED_ON`].
#[must_use]
pub fn trained() -> Option<LearnedModel> {
    // Its own test shows that the file is good.
    LearnedModel::from_bytes(TRAINED).ok()
}

/// A level has no height: everything is inside.
const OPEN: f64 = 1e9;

/// A trained model, and a planner for everyone it plans for.
#[derive(Debug)]
pub(super) struct BotPredictor {
    model: Arc<LearnedModel>,
    planners: BTreeMap<PlayerId, (u32, LearnedPlanner)>,
    walls: Option<Walls>,
    bodies: Vec<KnownBody>,
    items: Vec<Item>,
}

/// A bot, its life and its motion.
pub(super) type Acting = (PlayerId, u32, Kinematics);

impl BotPredictor {
    pub fn new(model: Arc<LearnedModel>, level: &Level) -> Self {
        let walls = super::config::walls(level.walls()).ok();
        let planners = BTreeMap::new();
        Self { model, planners, walls, bodies: Vec::new(), items: Vec::new() }
    }

    /// Forgets everyone, since from now on it is not told what they do.
    pub fn forget(&mut self) {
        self.planners.clear();
    }

    /// Looks around.
    pub fn look(&mut self, at: SimTime, world: &World, level: &Level) {
        let file = level.file();
        self.bodies.clear();
        for player in world.players() {
            let motion = player.kinematics(at, file.body.kind);
            let mut known =
                KnownBody::new(u32::from(player.id.0), i32::from(player.team.0), motion);
            known.alive = player.is_alive;
            (known.health, known.max_health) = (player.health as f32, file.rules.health as f32);
            (known.ammo, known.max_ammo) = (player.ammo as f32, file.rules.ammo_max as f32);
            known.top_speed_mps = file.body.speed_px_s;
            self.bodies.push(known);
        }
        self.items.clear();
        for (spot, _) in file.items.iter().zip(world.items()).filter(|(_, lies)| *lies) {
            let restores = match spot.kind {
                ItemKind::Health => Restores::Health,
                ItemKind::Ammo => Restores::Ammo,
            };
            let position = DVec3::new(spot.at[0], spot.at[1], 0.0);
            self.items.push(Item { position, restores, worth: spot.amount as f32 });
        }
    }

    /// What each of these will do, by the predictor or by whatever does better for it.
    pub fn plans(&mut self, acting: &[Acting], level: &Level, bound_px: f64) -> Vec<Model> {
        let [width, height] = level.file().size_px;
        let mut scene = Scene::new(&self.bodies, &self.items);
        scene.walls = self.walls.as_ref();
        let middle =
            Landmark { position: DVec3::new(width, height, 0.0) * 0.5, velocity: DVec3::ZERO };
        let around = |id: PlayerId| Surroundings {
            scene: Some(&scene),
            id: u32::from(id.0),
            facing_known: true,
            marks: [None, Some(middle)],
            bounds: Some((DVec3::new(0.0, 0.0, -OPEN), DVec3::new(width, height, OPEN))),
            ..Surroundings::default()
        };
        let mut plans = Vec::with_capacity(acting.len());
        for (id, life, truth) in acting {
            let (known, planner) =
                self.planners.entry(*id).or_insert_with(|| (*life, new(&self.model, *id)));
            if *known != *life {
                *known = *life;
                planner.restart();
            }
            planner.set_bound_m(bound_px);
            planner.observe(truth, &around(*id));
            plans.push(planner.plan(truth, &around(*id), ExportReason::Position));
        }
        plans
    }
}

fn new(model: &Arc<LearnedModel>, id: PlayerId) -> LearnedPlanner {
    let mut config = LearnedConfig::default();
    config.seed = u64::from(id.0);
    LearnedPlanner::new(Arc::clone(model), config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_predictor_that_comes_with_the_arena_is_whole() {
        let model = LearnedModel::from_bytes(TRAINED).unwrap();
        assert_eq!(model.unit_m(), 40.0, "a body's width on the proving grounds");
        assert!(trained().is_some());
    }
}
