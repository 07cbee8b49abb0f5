//! Bodies of others as the session shows them: set onto the ground as chosen, with their joints.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use reckoning::ground::{ClampDetail, ClampMode, Pose};
use reckoning::{GroundClamp, SimTime};
use reckoning_arena::hills::protocol::JointsChoice;
use reckoning_arena::hills::{Craft, HillsLevel, within_walls};
use reckoning_arena::protocol::{Properties, Tag};
use reckoning_client::{Client, EntityId, Session};

use crate::hills::choices::HillsChoices;
use crate::hills::derived::DerivedTurrets;
use crate::hills::stance::HillsBody;
use crate::hills::streams::HillsStreams;
use crate::scene::GameScene;

/// What has no side.
const NO_SIDE: u8 = 2;

/// Clamps of bodies, made anew when a switch moves.
#[derive(Debug, Default)]
pub struct Clamps {
    made_for: Option<(ClampMode, bool)>,
    clamps: BTreeMap<u32, GroundClamp>,
}

impl Clamps {
    /// Sets a body onto the ground as chosen.
    pub fn clamp(
        &mut self,
        (entity, craft): (u32, Craft),
        pose: Pose,
        (level, choices): (&HillsLevel, &HillsChoices),
        now: SimTime,
    ) -> Pose {
        let wanted = Some((choices.clamp, choices.three_points));
        if self.made_for != wanted {
            (self.made_for, self.clamps) = (wanted, BTreeMap::new());
        }
        let Some(config) = choices.clamp_of(craft) else { return pose };
        let clamp = match self.clamps.entry(entity) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let Ok(clamp) = GroundClamp::new(config) else { return pose };
                place.insert(clamp)
            }
        };
        let pose = match choices.clamp {
            ClampMode::None => pose,
            _ => within_walls(craft, pose, level),
        };
        clamp.clamp_with(pose, level.ground().as_ref(), ClampDetail::AllPoints, now)
    }

    fn keep(&mut self, is_there: impl Fn(u32) -> bool) {
        self.clamps.retain(|entity, _| is_there(*entity));
    }
}

/// Everyone in the picture, and what is remembered of them.
#[derive(Debug, Default)]
pub struct Bodies {
    all: BTreeMap<u32, HillsBody>,
    clamps: Clamps,
    turrets: DerivedTurrets,
}

impl Bodies {
    pub const fn all(&self) -> &BTreeMap<u32, HillsBody> {
        &self.all
    }

    pub const fn all_mut(&mut self) -> &mut BTreeMap<u32, HillsBody> {
        &mut self.all
    }

    /// Shows all entities of others as they are at `now`.
    pub fn gather(
        &mut self,
        now: SimTime,
        client: &mut Client,
        (scene, changed): (&mut GameScene, &mut BTreeSet<u32>),
        (level, choices): (&HillsLevel, &HillsChoices),
    ) {
        let me = scene.me.map(|it| it.1);
        let Some(session) = client.session() else { return };
        let properties = Properties::declared(session.kinds());
        let mut seen = Vec::new();
        for (entity, remote) in session.ghosts().filter(|it| Some(it.0.0) != me) {
            let (Some(craft), Some(pose)) = (craft_of(session, entity), session.shown(entity, now))
            else {
                continue;
            };
            let is_new = self.all.get(&entity.0).is_none_or(|it| it.craft != craft);
            if is_new {
                self.all.insert(entity.0, met(entity, craft, remote.tag()));
            }
            let Some(body) = self.all.get_mut(&entity.0) else { continue };
            let key = (entity.0, craft);
            body.shown.pose = self.clamps.clamp(key, pose, (level, choices), now);
            let is_told = changed.remove(&entity.0) || is_new;
            if let Some(properties) = properties.filter(|_| is_told && craft.is_driven()) {
                know(body, session, properties, scene, level);
            }
            seen.push(entity.0);
        }
        let is_there = |entity: &u32| seen.binary_search(entity).is_ok() || Some(*entity) == me;
        self.all.retain(|entity, _| is_there(entity));
        self.clamps.keep(|entity| is_there(&entity));
        for body in self.all.values_mut().filter(|it| Some(it.entity) != me) {
            turn_joints(body, client, now);
        }
    }

    /// Where they truly are, and where others would show them.
    pub fn compare(&mut self, now: SimTime, streams: &HillsStreams) {
        for body in self.all.values_mut() {
            let entity = body.entity;
            body.truth = streams.truth(entity, now);
            body.naive = streams.naive(entity);
            body.interpolated = streams.interpolated(entity, now);
            body.interpolated_at_best = streams.interpolated_at_best(entity, now);
            body.is_settled = streams.is_settled(entity);
        }
    }

    /// Turrets that are not sent.
    pub fn derive(&mut self, now: SimTime, joints: JointsChoice, level: &HillsLevel) {
        match joints {
            JointsChoice::Derived => self.turrets.turn(now, &mut self.all, level),
            JointsChoice::Off => {
                for body in self.all.values_mut() {
                    (body.shown.turret_rad, body.shown.barrel_rad) = (0.0, 0.0);
                }
            }
            JointsChoice::Sent => {}
        }
    }
}

/// What an entity is, by the name of its kind.
pub fn craft_of(session: &Session, entity: EntityId) -> Option<Craft> {
    Craft::of_kind(session.kinds().name(session.kind(entity)?)?)
}

/// A body as its tag describes it.
fn met(entity: EntityId, craft: Craft, tag: &[u8]) -> HillsBody {
    let mut body = HillsBody::new(entity.0, craft);
    body.number = Tag::decode(tag).ok().map(|it| it.player);
    body.is_alive = !craft.is_driven();
    body.team = NO_SIDE;
    body
}

fn know(
    body: &mut HillsBody,
    session: &Session,
    properties: Properties,
    scene: &mut GameScene,
    level: &HillsLevel,
) {
    let state = properties.state(session, EntityId(body.entity));
    body.name.clone_from(&state.name);
    (body.team, body.is_alive) = (state.team, state.is_alive);
    let share = f64::from(state.health) / level.file().rules.health.max(1.0);
    body.health_share = Some(share.clamp(0.0, 1.0));
    if let Some(number) = body.number {
        scene.meet(number, &state);
    }
}

fn turn_joints(body: &mut HillsBody, client: &mut Client, now: SimTime) {
    let entity = EntityId(body.entity);
    let mut angle = |joint: &str| client.joint_at(entity, joint, now).unwrap_or(0.0);
    match body.craft {
        Craft::Tank => {
            body.shown.turret_rad = angle("turret");
            body.shown.barrel_rad = angle("barrel");
        }
        Craft::Car => {
            body.steering_rad = angle("steering");
            for (spin_rad, wheel) in body.wheels_rad.iter_mut().zip(body.craft.shape().wheels) {
                *spin_rad = angle(wheel.name);
            }
        }
        _ => {}
    }
}
