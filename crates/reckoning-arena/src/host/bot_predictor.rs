//! Planners for the bots, by the choice on the panel, and what they see of the arena.
//!
//! The server knows everyone's motion, health and shots and what lies in the level: the same that a
//! recording of the arena gives when a predictor is trained.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_net::{EntityId, Host};
use reckoning_predict::learned::LearnedModel;
use reckoning_predict::{Item, KnownBody, Restores};

use crate::level::{ItemKind, Level};
use crate::planning::{ArenaPlanner, Planning};
use crate::protocol::{ModelChoice, ServerTuning};
use crate::world::{PlayerId, World};

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

/// A bot, its entity, its life and its motion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acting {
    pub id: PlayerId,
    pub entity: EntityId,
    /// Counts its lives and deaths.
    pub life: u32,
    pub is_alive: bool,
    pub truth: Kinematics,
}

/// Shows bots to the host by the planner of their kind.
///
/// A trained network plans for the bound that is set on the panel, which no kind says, so it has
/// planners of its own here.
#[derive(Debug, Default)]
pub(super) struct BotPlanners {
    learned: BTreeMap<PlayerId, (u32, ArenaPlanner)>,
}

impl BotPlanners {
    /// Shows the bots' motions to the host, each with its plan.
    pub fn observe(
        &mut self,
        acting: &[Acting],
        tuning: &ServerTuning,
        planning: &Planning,
        host: &mut Host,
    ) {
        let is_learned = tuning.model == ModelChoice::Learned;
        self.learned.retain(|id, _| is_learned && acting.iter().any(|bot| bot.id == *id));
        let scene = planning.scene();
        for bot in acting {
            let around = planning.around(&scene, u32::from(bot.id.0));
            let planner = if is_learned { self.learned(bot, planning) } else { None };
            let Some(planner) = planner else {
                host.observe_with(bot.entity, &bot.truth, &around);
                continue;
            };
            planner.set_bound_px(f64::from(tuning.threshold_px));
            host.observe_planned(bot.entity, &bot.truth, planner, &around);
        }
    }

    /// The trained planner of a bot, in its life.
    fn learned(&mut self, bot: &Acting, planning: &Planning) -> Option<&mut ArenaPlanner> {
        let (life, planner) = match self.learned.entry(bot.id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let planner = planning.planner(ModelChoice::Learned, u64::from(bot.id.0))?;
                place.insert((bot.life, planner))
            }
        };
        if std::mem::replace(life, bot.life) != bot.life {
            planner.restart();
        }
        Some(planner)
    }
}

/// Everyone in a world, with the accelerations of those that act.
pub(super) fn known_bodies(
    at: SimTime,
    world: &World,
    level: &Level,
    acting: &[Acting],
) -> impl Iterator<Item = KnownBody> {
    let file = level.file();
    world.players().iter().map(move |player| {
        let truth = acting.iter().find(|bot| bot.id == player.id).map(|bot| bot.truth);
        let motion = truth.unwrap_or_else(|| player.kinematics(at, file.body.kind));
        let mut known = KnownBody::new(u32::from(player.id.0), i32::from(player.team.0), motion);
        known.alive = player.is_alive;
        (known.health, known.max_health) = (player.health as f32, file.rules.health as f32);
        (known.ammo, known.max_ammo) = (player.ammo as f32, file.rules.ammo_max as f32);
        known
    })
}

/// What lies in a level; `lies` says so for each item of its file.
pub fn items(level: &Level, lies: impl IntoIterator<Item = bool>) -> impl Iterator<Item = Item> {
    let spots = level.file().items.iter().zip(lies).filter(|(_, lies)| *lies);
    spots.map(|(spot, _)| {
        let restores = match spot.kind {
            ItemKind::Health => Restores::Health,
            ItemKind::Ammo => Restores::Ammo,
        };
        let position = DVec3::new(spot.at[0], spot.at[1], 0.0);
        Item { position, restores, worth: spot.amount as f32 }
    })
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
