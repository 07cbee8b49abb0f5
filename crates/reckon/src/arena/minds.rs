//! Minds of programs that join a server: what they know and do, by the game that is on.

use std::sync::Arc;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_arena::hills::RemoteDriver;
use reckoning_arena::hills::host::{BARREL, TURRET};
use reckoning_arena::hills::protocol::{HillsCommand, HillsDatagram};
use reckoning_arena::protocol::{ClientMessage, DebugDatagram, OwnState, Picture, ServerMessage};
use reckoning_arena::{RemoteBot, hills, host};
use reckoning_client::{Client, Delivery, EntityId, Session, SessionConfig};

use super::level::Scene;

/// What a program knows, and how it plays.
pub enum Mind {
    Flat(Box<FlatMind>),
    Hills(Box<RemoteDriver>),
}

/// A player of the flat arena.
pub struct FlatMind {
    mirror: RemoteBot,
    pause_s: f64,
    fired_at: SimTime,
}

/// Calls what both have.
macro_rules! either {
    ($self:ident, $mind:ident => $call:expr) => {
        match $self {
            Mind::Flat(flat) => {
                let $mind = &mut flat.mirror;
                $call
            }
            Mind::Hills($mind) => $call,
        }
    };
}

impl Mind {
    /// A mind for what is on, and how its client joins.
    pub fn new(scene: &Scene, seed: u64) -> (Self, SessionConfig) {
        match scene {
            Scene::Flat(level) => {
                let pause_s = level.file().gun.pause_s;
                let mirror = RemoteBot::new(Arc::new(level.as_ref().clone()), seed);
                let mind = FlatMind { mirror, pause_s, fired_at: SimTime::ZERO };
                (Self::Flat(Box::new(mind)), host::session_config())
            }
            Scene::Hills(level) => {
                let driver = RemoteDriver::new(level.as_ref().clone(), seed);
                (Self::Hills(Box::new(driver)), hills::host::session_config(level))
            }
        }
    }

    pub fn look(&mut self, session: &Session) {
        either!(self, mind => mind.look(session));
    }

    pub const fn lives(&self) -> u16 {
        match self {
            Self::Flat(flat) => flat.mirror.lives(),
            Self::Hills(driver) => driver.lives(),
        }
    }

    pub fn handle_message(&mut self, message: &ServerMessage) {
        either!(self, mind => mind.handle_message(message));
    }

    pub fn handle_entered(&mut self, entity: u32, tag: &[u8]) {
        either!(self, mind => mind.handle_entered(entity, tag));
    }

    pub fn handle_exited(&mut self, entity: u32) {
        either!(self, mind => mind.handle_exited(entity));
    }

    pub fn handle_corrected(&mut self, state: &Kinematics) {
        either!(self, mind => mind.handle_corrected(state));
    }

    pub fn handle_lost(&mut self) {
        either!(self, mind => mind.handle_lost());
    }

    /// One step: decides, moves its own body and publishes it. Returns whether it fired.
    pub fn play(&mut self, client: &mut Client, now: SimTime) -> bool {
        match self {
            Self::Flat(mind) => mind.play(client, now),
            Self::Hills(driver) => drive(driver, client, now),
        }
    }
}

/// How a client shows an entity.
fn shown(client: &Client, entity: u32, now: SimTime) -> Option<Kinematics> {
    let session = client.session()?;
    let at = session.timeline_at(now)?;
    let (_, remote) = session.ghosts().find(|it| it.0.0 == entity)?;
    Some(remote.ghost().kinematics_at(at))
}

impl FlatMind {
    fn play(&mut self, client: &mut Client, now: SimTime) -> bool {
        let place = |entity| shown(client, entity, now).map(|it| (it.position, it.velocity));
        let input = self.mirror.step(place);
        if let Some(truth) = self.mirror.kinematics(now) {
            self.publish(client, &truth);
        }
        let Some(input) = input.filter(|it| it.fire) else { return false };
        if now.secs_since(self.fired_at) < self.pause_s {
            return false;
        }
        self.fired_at = now;
        self.fire(client, now, input.aim)
    }

    fn publish(&self, client: &mut Client, truth: &Kinematics) {
        let Some(entity) = self.mirror.entity() else { return };
        client.observe(EntityId(entity), truth);
        let Some(at) = client.session().and_then(|it| it.host_time(truth.at)) else { return };
        let pair = |v: DVec3| [v.x as f32, v.y as f32];
        let mine = OwnState { at, place: pair(truth.position), velocity: pair(truth.velocity) };
        client.send_out_of_band(&DebugDatagram::OwnState(mine).encode());
    }

    fn fire(&self, client: &mut Client, now: SimTime, aim: DVec3) -> bool {
        let (Some(session), Some(body)) = (client.session(), self.mirror.body()) else {
            return false;
        };
        let Some(shown_at) = session.host_time(now) else { return false };
        let pictures = Picture::along(session, now, body.position, aim);
        let fire = ClientMessage::Fire { shown_at, aim: [aim.x as f32, aim.y as f32], pictures };
        client.send(&fire.encode(), Delivery::Reliable).is_ok()
    }
}

/// One step of a driver of the hills.
fn drive(driver: &mut RemoteDriver, client: &mut Client, now: SimTime) -> bool {
    let Some(input) = driver.decide(|entity| shown(client, entity, now)) else { return false };
    driver.drive(&input);
    publish_vehicle(driver, client, now);
    if input.lob {
        let _ = client.send(&HillsCommand::Lob.encode(), Delivery::Reliable);
    }
    let fire = client.session().and_then(|session| driver.fire(session, now, &input));
    fire.is_some_and(|fire| client.send(&fire.encode(), Delivery::Reliable).is_ok())
}

fn publish_vehicle(driver: &RemoteDriver, client: &mut Client, now: SimTime) {
    let (Some(body), Some(truth)) = (driver.truth(), driver.kinematics(now)) else { return };
    let (entity, aim) = (EntityId(body.entity), body.aim);
    client.observe(entity, &truth);
    client.aim(entity, TURRET, aim.turret_rad, aim.turret_radps);
    client.aim(entity, BARREL, aim.barrel_rad, aim.barrel_radps);
    if let Some(at) = client.session().and_then(|it| it.host_time(now)) {
        client.send_out_of_band(&HillsDatagram::OwnState { at, body }.encode());
    }
}
