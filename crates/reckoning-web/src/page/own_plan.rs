//! What the planner of our own body looks at. Which planner that is its kind says; it runs here.
//!
//! A page knows the level and its trend map, where everyone is shown, how healthy they are and what
//! lies about. It does not know the shots of others, which count as full, and it has no trained
//! network.

use std::collections::BTreeMap;

use reckoning::{Kinematics, SimTime};
use reckoning_arena::Level;
use reckoning_arena::host::items;
use reckoning_arena::planning::Planning;
use reckoning_arena::protocol::ModelChoice;
use reckoning_client::{Client, EntityId, Session};
use reckoning_predict::{Item, KnownBody};

use crate::scene::{GameScene, SceneBody};

/// Looks around for our own body.
#[derive(Debug, Default)]
pub struct OwnPlan {
    planning: Option<Planning>,
    choice: Option<ModelChoice>,
    /// Our player, and everyone else as last looked at.
    me: KnownMe,
    others: Vec<KnownBody>,
    items: Vec<Item>,
}

/// What we know of our own player.
#[derive(Clone, Copy, Debug, Default)]
struct KnownMe {
    player: u32,
    team: i32,
    health: [f32; 2],
    ammo: [f32; 2],
}

impl OwnPlan {
    pub fn new(planning: Planning) -> Self {
        Self { planning: Some(planning), ..Self::default() }
    }

    /// The server has bodies planned for by this from now on.
    pub const fn choose(&mut self, choice: ModelChoice) {
        self.choice = Some(choice);
    }

    /// Whether it has to look around.
    fn is_planned(&self) -> bool {
        let is_plain = |choice| ModelChoice::PLAIN.contains(&choice);
        self.choice.is_some_and(|choice| !is_plain(choice) && choice != ModelChoice::Learned)
    }

    /// How our own body is planned for, in words for people.
    pub fn told(&self) -> String {
        let Some(choice) = self.choice else { return String::new() };
        let missing = self.planning.as_ref().and_then(|it| it.missing(choice));
        match (choice, missing) {
            (ModelChoice::Learned, _) => {
                "Your own body keeps its acceleration: the page has no trained network.".to_string()
            }
            (_, Some(why)) => format!("Your own body keeps its acceleration: {why}."),
            (_, None) => format!("Your own body: {}, by this page.", choice.name()),
        }
    }

    /// Looks around, for the steps of this frame.
    pub fn look(
        &mut self,
        session: Option<&Session>,
        now: SimTime,
        bodies: &BTreeMap<u32, SceneBody>,
        scene: &GameScene,
        level: &Level,
    ) {
        let Some(session) = session.filter(|_| self.is_planned()) else { return };
        let Some(at) = session.timeline_at(now) else { return };
        let rules = &level.file().rules;
        let (health, ammo) = (rules.health as f32, rules.ammo_max as f32);
        self.others.clear();
        for (EntityId(entity), remote) in session.ghosts() {
            let Some(body) = bodies.get(&entity).filter(|it| !it.is_me && !it.is_vehicle) else {
                continue;
            };
            let motion = Kinematics { at: now, ..remote.ghost().kinematics_at(at) };
            let mut known = KnownBody::new(body.player.into(), body.team.into(), motion);
            known.alive = body.is_alive;
            known.health = body.health_share.map_or(health, |share| share as f32 * health);
            known.max_health = health;
            (known.ammo, known.max_ammo) = (ammo, ammo);
            self.others.push(known);
        }
        let player = scene.me.map_or(u16::MAX, |it| it.0);
        self.me = KnownMe {
            player: player.into(),
            team: scene.team_of(player).into(),
            health: [scene.status.health, health],
            ammo: [f32::from(scene.status.ammo), ammo],
        };
        let lies = (0..64).map(|number| scene.items >> number & 1 == 1);
        self.items.clear();
        self.items.extend(items(level, lies));
    }

    /// Publishes a step of our own body.
    pub fn observe(&mut self, client: &mut Client, entity: EntityId, step: &Kinematics) {
        let is_planned = self.is_planned();
        let Some(planning) = self.planning.as_mut().filter(|_| is_planned) else {
            client.observe(entity, step);
            return;
        };
        let mut own = KnownBody::new(self.me.player, self.me.team, *step);
        [own.health, own.max_health] = self.me.health;
        [own.ammo, own.max_ammo] = self.me.ammo;
        let others = self.others.iter().copied();
        planning.look(step.at, others.chain([own]), self.items.iter().copied());
        let scene = planning.scene();
        let around = planning.around(&scene, self.me.player);
        client.observe_with(entity, step, &around);
    }
}
