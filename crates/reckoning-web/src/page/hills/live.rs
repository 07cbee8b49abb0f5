//! A running game in the hills: its events in, everyone in the picture out.

use std::collections::BTreeSet;

use reckoning::{Kinematics, SimTime};
use reckoning_arena::hills::host::session_config;
use reckoning_arena::hills::protocol::{HillsCommand, HillsDatagram, HillsNotice, HillsTuning};
use reckoning_arena::hills::{Craft, HillsLevel};
use reckoning_arena::protocol::{ClientMessage, Properties, Refusal, ServerMessage};
use reckoning_client::{EntityId, SessionEvent};

use super::bodies::Bodies;
use super::own::OwnVehicle;
use crate::controls::{Change, Controls};
use crate::hills::choices::HillsChoices;
use crate::hills::effects::Effects;
use crate::hills::stance::Counted;
use crate::hills::streams::HillsStreams;
use crate::page::connection::Connection;
use crate::scene::GameScene;

/// A game on a server.
#[derive(Debug)]
pub struct HillsLive {
    pub connection: Connection,
    pub scene: GameScene,
    pub streams: HillsStreams,
    pub bodies: Bodies,
    pub own: OwnVehicle,
    pub effects: Effects,
    /// The server's settings, once received.
    pub tuning: Option<HillsTuning>,
    /// Entities whose properties changed since they were read.
    pub(super) changed: BTreeSet<u32>,
}

impl HillsLive {
    pub fn new(server: &str, level: &HillsLevel) -> Result<Self, String> {
        Ok(Self::over(Connection::open(server, session_config(level))?))
    }

    fn over(connection: Connection) -> Self {
        Self {
            connection,
            scene: GameScene::default(),
            streams: HillsStreams::default(),
            bodies: Bodies::default(),
            own: OwnVehicle::default(),
            effects: Effects::default(),
            tuning: None,
            changed: BTreeSet::new(),
        }
    }

    /// Passes a change on.
    pub fn apply(
        &mut self,
        change: Change,
        controls: &Controls,
        choices: &HillsChoices,
        level: &HillsLevel,
    ) {
        match change {
            Change::Link => self.connection.send(&ClientMessage::SetLink(controls.link)),
            Change::Tuning => {
                let wish = HillsCommand::SetTuning(choices.tuning);
                self.connection.send_bytes(&wish.encode());
            }
            // The client introduces itself once for each connection.
            Change::Hello if self.connection.is_outdated(controls) => {
                if let Ok(connection) = self.connection.open_anew(session_config(level)) {
                    *self = Self::over(connection);
                }
            }
            _ => {}
        }
    }

    /// Takes in what came. Returns the moment.
    pub fn take_in(&mut self, controls: &mut Controls, level: &HillsLevel) -> SimTime {
        let now = self.connection.client.drive();
        while let Some(event) = self.connection.client.poll_event() {
            self.note(now, event, controls, level);
        }
        self.connection.send_again(now, controls);
        self.know_own(now, level);
        while let Some((arrived, bytes)) = self.connection.client.poll_out_of_band() {
            self.hear_datagram(arrived, &bytes);
        }
        now
    }

    fn note(
        &mut self,
        now: SimTime,
        event: SessionEvent,
        controls: &mut Controls,
        level: &HillsLevel,
    ) {
        match event {
            SessionEvent::Joined { .. } => self.connection.introduce(controls),
            SessionEvent::Lost => self.forget(),
            SessionEvent::Granted(entity) => {
                self.own.entity = Some(entity);
                self.changed.insert(entity.0);
            }
            SessionEvent::Changed { entity, .. } => {
                self.changed.insert(entity.0);
            }
            SessionEvent::Revoked(entity) if self.own.entity == Some(entity) => {
                self.own = OwnVehicle::default();
            }
            SessionEvent::Corrected { entity, state } => self.correct(now, entity, &state),
            SessionEvent::Message(bytes) | SessionEvent::Command(bytes) => {
                self.hear(now, &bytes, level);
            }
            _ => {}
        }
    }

    fn correct(&mut self, now: SimTime, entity: EntityId, state: &Kinematics) {
        if self.own.entity.is_none_or(|it| it == entity) {
            self.own.correct(now, state);
        }
    }

    /// A new connection begins with nothing.
    fn forget(&mut self) {
        (self.own, self.bodies) = (OwnVehicle::default(), Bodies::default());
        (self.scene, self.streams) = (GameScene::default(), HillsStreams::default());
        self.changed.clear();
    }

    fn hear(&mut self, now: SimTime, bytes: &[u8], level: &HillsLevel) {
        if let Ok(notice) = HillsNotice::decode(bytes) {
            return self.hear_notice(now, &notice, level);
        }
        let Ok(message) = ServerMessage::decode(bytes) else { return };
        match &message {
            ServerMessage::Link(link) => self.connection.link.hear(*link, now),
            ServerMessage::You { entity, .. } => {
                self.own.entity = Some(EntityId(*entity));
                self.changed.insert(*entity);
            }
            ServerMessage::Refused(Refusal::TooOften) => self.connection.ask_again(now),
            _ => {}
        }
        self.scene.hear(now, &message, |_, _| 0.0);
    }

    fn hear_notice(&mut self, now: SimTime, notice: &HillsNotice, level: &HillsLevel) {
        let me = self.scene.me.map(|it| it.0);
        match *notice {
            HillsNotice::Tuning(tuning) => self.tuning = Some(tuning),
            // Ours was drawn when it was fired.
            HillsNotice::Shot { shooter, from, to } if Some(shooter) != me => {
                self.effects.shoot(now, from, to, level.file().gun.speed_mps);
            }
            HillsNotice::Hit { victim, .. } => {
                self.scene.struck.insert(victim, now);
            }
            HillsNotice::Burst { at } => self.effects.burst(now, at),
            _ => {}
        }
    }

    fn hear_datagram(&mut self, arrived: SimTime, bytes: &[u8]) {
        match HillsDatagram::decode(bytes) {
            Ok(HillsDatagram::Truth { at, bodies }) => {
                self.connection.truths += 1;
                self.streams.hear_truth(at, arrived, &bodies);
            }
            Ok(HillsDatagram::Snapshot { at, bodies }) => {
                self.connection.snapshots.add(bytes.len(), bodies.len());
                self.streams.hear_snapshot(at, arrived, &bodies);
            }
            _ => {}
        }
    }

    /// Takes over how our own vehicle is.
    fn know_own(&mut self, now: SimTime, level: &HillsLevel) {
        let (Some(entity), Some((player, _))) = (self.own.entity, self.scene.me) else { return };
        let session = self.connection.client.session();
        let Some(session) = session.filter(|_| self.changed.remove(&entity.0)) else { return };
        let Some(properties) = Properties::declared(session.kinds()) else { return };
        let state = properties.state(session, entity);
        self.own.know(now, self.scene.status.is_alive, &state);
        self.scene.know_own(now, &state, level.file().rules.respawn_s);
        self.scene.meet(player, &state);
    }

    /// Updates of a sort of bodies that were received in this session, and their bits.
    pub fn received(&self, craft: Craft) -> [u64; 2] {
        let Some(session) = self.connection.client.session() else { return [0; 2] };
        let is_of = |kind| session.kinds().name(kind).and_then(Craft::of_kind) == Some(craft);
        let of_it = session.updates_received().filter(|it| is_of(it.0));
        of_it.fold([0; 2], |sum, (_, it)| [sum[0] + it.updates, sum[1] + it.bits])
    }

    /// Everyone in the picture at `now`.
    pub fn gather(&mut self, now: SimTime, level: &HillsLevel, choices: &HillsChoices) {
        let Some(host_now) = self.connection.client.session().and_then(|it| it.timeline_at(now))
        else {
            return;
        };
        self.scene.clean(now, host_now);
        self.effects.clean(now);
        self.bodies.gather(
            now,
            &mut self.connection.client,
            (&mut self.scene, &mut self.changed),
            (level, choices),
        );
        let tuning = self.tuning.unwrap_or_default();
        self.bodies.compare(now, &self.streams);
        self.bodies.derive(now, tuning.joints, level);
        for body in self.bodies.all_mut().values_mut() {
            body.counted = match body.craft {
                Craft::Merchant if tuning.merchant_delayed => Counted::Apart,
                Craft::Bird => Counted::Apart,
                _ => Counted::Together,
            };
        }
        self.own.gather(now, &self.scene, level, self.bodies.all_mut());
    }
}
