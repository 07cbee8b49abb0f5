//! `reckon dis bridge`: an exercise and a server, each in the other.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::Duration;

use reckoning::dis::DisAlgorithm;
use reckoning::{DVec3, Kinematics, Model, SimTime, Update};
use reckoning_arena::hills::host::session_config;
use reckoning_client::{
    Client, ClientConfig, Delivery, EntityId, PropertyValue, SessionEvent, Status, Trust, fetch,
};
use reckoning_dis::gateway::{BodyState, Entity, GatewayEvent, JointAngle};
use reckoning_dis::wire;
use reckoning_server::guests::{GuestAnswer, GuestBody, GuestRefusal, GuestRequest, GuestValue};
use reckoning_server::token::from_hex;

use super::exercise::Exercise;
use crate::arena::Scene;
use crate::args::DisBridge;
use crate::failure::Failure;
use crate::say;

const FRAME: Duration = Duration::from_micros(16_667);
/// Bodies that are asked for in one frame; more would fill the queue of messages.
const BRING_AT_ONCE: usize = 16;
/// A body that another gateway holds is asked for again after this.
const ASK_AGAIN: Duration = Duration::from_secs(5);
/// Bits 3 and 4 of the appearance of platforms: destroyed.
const DESTROYED: u32 = 3 << 3;
/// What is said of health where only life and death are known.
const WHOLE: f32 = 100.0;

/// An entity of the exercise on its way to the server.
#[derive(Debug)]
enum Guest {
    Asked,
    Here { entity: EntityId, is_placed: bool },
    Refused { again: Option<SimTime> },
}

struct Bridge {
    exercise: Exercise,
    client: Client,
    /// The server's number, once we may bring bodies.
    server: Option<u64>,
    guests: BTreeMap<wire::EntityId, (u32, Guest)>,
    next_number: u32,
    refused: BTreeMap<String, u64>,
    prefix: String,
}

pub fn run(command: &DisBridge) -> Result<(), Failure> {
    let mut config = ClientConfig::new(&command.join);
    if let Some(token) = &command.token {
        config.session.token = from_hex(token.trim()).ok_or(Failure::NoToken)?;
    }
    // The hills have a track, without which their format is not understood. Other servers have no level.
    if let Ok(text) = fetch(&command.join, "/level.toml", &Trust::SystemRoots)
        && let Ok(Scene::Hills(level)) = Scene::parse(&text)
    {
        config.session.registry = session_config(&level).registry;
    }
    let client = Client::connect(config).map_err(Failure::server)?;
    let exercise = Exercise::join(&command.exercise, client.now())?;
    let prefix = format!("dis/{}/", command.exercise.number);
    let mut bridge = Bridge {
        exercise,
        client,
        server: None,
        guests: BTreeMap::new(),
        next_number: 0,
        refused: BTreeMap::new(),
        prefix,
    };
    loop {
        let now = bridge.frame()?;
        if let Status::Over { reason } = bridge.client.status() {
            return Err(super::failed(format!("no server at {}: {reason}", command.join)));
        }
        if bridge.exercise.is_over(now) {
            return bridge.leave(now);
        }
        thread::sleep(FRAME);
    }
}

impl Bridge {
    fn frame(&mut self) -> Result<SimTime, Failure> {
        let now = self.client.drive();
        while let Some(event) = self.client.poll_event() {
            self.served(now, event);
        }
        self.exercise.receive(now)?;
        while let Some(event) = self.exercise.gateway.poll_event() {
            self.exercised(&event);
        }
        if self.server.is_some() {
            self.bring(now);
            self.move_guests(now);
            self.publish(now);
        }
        self.exercise.send();
        Ok(now)
    }

    /// An event of the server.
    fn served(&mut self, now: SimTime, event: SessionEvent) {
        match event {
            SessionEvent::Joined { .. } => {
                let _ = self.client.send(&GuestRequest::Hello.encode(), Delivery::Reliable);
            }
            SessionEvent::Lost => {
                // Everything is asked for anew.
                self.server = None;
                self.guests.clear();
                let published: Vec<u32> =
                    self.exercise.gateway.published().map(|(number, _)| number).collect();
                for number in published {
                    self.exercise.gateway.withdraw(now, number);
                }
            }
            SessionEvent::Message(bytes) => match GuestAnswer::decode(&bytes) {
                Some(GuestAnswer::Server { number }) => {
                    self.server = Some(number);
                    self.exercise.gateway.set_server(number);
                }
                Some(GuestAnswer::Brought { number, entity }) => {
                    self.answered(
                        number,
                        Guest::Here { entity: EntityId(entity), is_placed: false },
                    );
                }
                Some(GuestAnswer::Refused { number, why }) => {
                    let again = (why != GuestRefusal::Kind).then(|| now + ASK_AGAIN);
                    if why != GuestRefusal::Taken {
                        *self.refused.entry(format!("{why:?}")).or_default() += 1;
                    }
                    self.answered(number, Guest::Refused { again });
                }
                None => {}
            },
            _ => {}
        }
    }

    fn answered(&mut self, number: u32, guest: Guest) {
        match self.guests.values_mut().find(|(it, _)| *it == number) {
            Some((_, known)) => *known = guest,
            // It left meanwhile.
            None => self.ask(&GuestRequest::Drop { number }),
        }
    }

    fn ask(&mut self, request: &GuestRequest) {
        let _ = self.client.send(&request.encode(), Delivery::Reliable);
    }

    /// An event of the exercise.
    fn exercised(&mut self, event: &GatewayEvent) {
        match event {
            GatewayEvent::Left(id, _) => {
                if let Some((number, _)) = self.guests.remove(id) {
                    self.ask(&GuestRequest::Drop { number });
                }
            }
            GatewayEvent::Changed(id) => {
                let Some(entity) = self.exercise.gateway.entity(*id) else { return };
                let Some((number, _)) = self.guests.get(id) else { return };
                let request = GuestRequest::Set { number: *number, values: values(entity) };
                self.ask(&request);
            }
            _ => {}
        }
    }

    /// Asks for bodies of entities that have none.
    fn bring(&mut self, now: SimTime) {
        let is_due = |id: &wire::EntityId| match self.guests.get(id) {
            None => true,
            Some((_, Guest::Refused { again })) => again.is_some_and(|again| now >= again),
            Some(_) => false,
        };
        let due = self.exercise.gateway.entities().filter(|(id, _)| is_due(id));
        let due: Vec<(wire::EntityId, GuestBody)> = due
            .take(BRING_AT_ONCE)
            .map(|(id, entity)| (id, guest_body(&format!("{}{id}", self.prefix), entity)))
            .collect();
        for (id, mut body) in due {
            body.number = self.next_number;
            self.next_number = self.next_number.wrapping_add(1);
            let request = GuestRequest::Bring(body.clone());
            if self.client.send(&request.encode(), Delivery::Reliable).is_err() {
                return; // the queue is full; it is asked for in a later frame
            }
            self.guests.insert(id, (body.number, Guest::Asked));
        }
    }

    /// Where entities of the exercise are now.
    fn move_guests(&mut self, now: SimTime) {
        for (id, entity) in self.exercise.gateway.entities() {
            let Some((_, Guest::Here { entity: body, is_placed })) = self.guests.get_mut(&id)
            else {
                continue;
            };
            let truth = entity.kinematics_at(now);
            if *is_placed && is_carried(&self.client, *body, &entity.model()) {
                self.client.observe_planned(*body, &truth, &mut entity.model(), &());
            } else if *is_placed {
                self.client.observe(*body, &truth);
            } else {
                *is_placed = self.client.teleport(*body, &truth);
            }
            for joint in entity.joints_at(now) {
                self.client.aim(*body, joint.name.as_str(), joint.angle_rad, joint.rate_radps);
            }
        }
    }

    /// Where bodies of the server are now.
    fn publish(&mut self, now: SimTime) {
        let Some(at) = self.client.session().and_then(|it| it.timeline_at(now)) else { return };
        let mut seen: Vec<(EntityId, String, Update)> = Vec::new();
        for (entity, remote) in self.client.ghosts() {
            let name = self.client.kinds().and_then(|kinds| kinds.name(remote.kind()));
            let Some(kind) = name else { continue };
            // What came from this exercise does not go there again.
            if !remote.tag().starts_with(self.prefix.as_bytes()) {
                seen.push((entity, kind.to_string(), *remote.ghost().update()));
            }
        }
        let there: BTreeSet<u32> = seen.iter().map(|(entity, ..)| entity.0).collect();
        for (entity, kind, update) in seen {
            let joints = self.joints(entity, &kind, now);
            let marking = self.text(entity, &["marking", "name"]);
            let is_dead = self.property(entity, "alive") == Some(PropertyValue::Bool(false));
            let team = match self.property(entity, "team") {
                Some(PropertyValue::U8(team)) => Some(team),
                _ => None,
            };
            let body = BodyState {
                kind: &kind,
                truth: believed(&update, at, now),
                model: *update.model(),
                team,
                marking: &marking,
                appearance: if is_dead { DESTROYED } else { 0 },
                joints: &joints,
            };
            self.exercise.gateway.publish(entity.0, &body);
        }
        let gone = self.exercise.gateway.published().map(|(number, _)| number);
        let gone: Vec<u32> = gone.filter(|number| !there.contains(number)).collect();
        for number in gone {
            self.exercise.gateway.withdraw(now, number);
        }
    }

    fn joints(&mut self, entity: EntityId, kind: &str, now: SimTime) -> Vec<JointAngle> {
        let entry = self.exercise.gateway.config().mapping.entry_named(kind);
        let names: Vec<String> = entry
            .map(|entry| entry.joint.iter().map(|joint| joint.name.clone()).collect())
            .unwrap_or_default();
        let mut joints = Vec::new();
        for name in names {
            if let Some(angle_rad) = self.client.joint_at(entity, name.as_str(), now) {
                joints.push(JointAngle { name, angle_rad, rate_radps: 0.0 });
            }
        }
        joints
    }

    fn property(&self, entity: EntityId, name: &str) -> Option<PropertyValue> {
        let id = self.client.kinds()?.property_named(name)?;
        self.client.property(entity, id).cloned()
    }

    fn text(&self, entity: EntityId, names: &[&str]) -> String {
        let found = names.iter().find_map(|name| match self.property(entity, name) {
            Some(PropertyValue::Text(text)) if !text.is_empty() => Some(text.to_string()),
            _ => None,
        });
        found.unwrap_or_default()
    }

    /// Takes everything back, and tells what was counted.
    fn leave(&mut self, now: SimTime) -> Result<(), Failure> {
        let published = self.exercise.gateway.published().map(|(number, _)| number);
        let published: Vec<u32> = published.collect();
        let here = self.guests.values().filter(|it| matches!(it.1, Guest::Here { .. })).count();
        say(&format!(
            "{here} entities of the exercise on the server, {} bodies of the server in the exercise\n",
            published.len()
        ))?;
        for number in published {
            self.exercise.gateway.withdraw(now, number);
        }
        self.exercise.send();
        self.client.leave();
        if self.server.is_none() {
            say(
                "the server lets nobody bring bodies along; start it with --set limits.guest_bodies=256\n",
            )?;
        }
        for (why, count) in &self.refused {
            say(&format!("refused by the server: {why}, {count} times\n"))?;
        }
        say(&self.exercise.summary())
    }
}

/// Whether updates of a body may carry a model: a kind's guard may take plain ones only.
fn is_carried(client: &Client, body: EntityId, model: &Model) -> bool {
    let session = client.session();
    let kind = session.and_then(|session| session.kinds().get(session.kind(body)?));
    kind.and_then(|kind| kind.guard.as_ref()).is_none_or(|guard| guard.models.contains(model))
}

fn guest_body(tag: &str, entity: &Entity) -> GuestBody {
    GuestBody {
        number: 0,
        kind: entity.kind().to_string(),
        tag: tag.to_string(),
        name: entity.state().marking.text(),
        team: entity.team().map_or(-1, i32::from),
        values: values(entity),
    }
}

/// What is known of an entity, under the names that servers may declare.
fn values(entity: &Entity) -> Vec<(String, GuestValue)> {
    let state = entity.state();
    let is_alive = !state.is_destroyed();
    let marking = state.marking.text();
    let named = |name: &str, value| (name.to_string(), value);
    let mut values = vec![
        named("marking", GuestValue::Text(marking.clone())),
        named("name", GuestValue::Text(marking)),
        named("appearance", GuestValue::U32(state.appearance)),
        named("force", GuestValue::U8(state.force)),
        named("alive", GuestValue::Bool(is_alive)),
        named("health", GuestValue::F32(if is_alive { WHOLE } else { 0.0 })),
    ];
    values.extend(entity.team().map(|team| named("team", GuestValue::U8(team))));
    values
}

/// What an update makes of a body at a moment of the server, by our clock: without the blends that
/// pictures need.
fn believed(update: &Update, at: SimTime, now: SimTime) -> Kinematics {
    let seen = update.kinematics();
    let turned = match update.model() {
        Model::Dis(dis) if matches!(dis.algorithm, DisAlgorithm::Rpb | DisAlgorithm::Rvb) => {
            update.orientation_at(at) * seen.orientation.conjugate() * seen.acceleration
        }
        Model::Hold | Model::Linear => DVec3::ZERO,
        _ => seen.acceleration,
    };
    Kinematics {
        at: now,
        position: update.position_at(at),
        velocity: update.velocity_at(at),
        acceleration: turned,
        orientation: update.orientation_at(at),
        angular_velocity: update.angular_velocity(),
    }
}
