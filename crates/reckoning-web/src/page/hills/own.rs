//! The own vehicle over the network: moved here, told to the server, aimed and fired.

use std::collections::BTreeMap;
use std::time::Duration;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_arena::hills::protocol::{HillsCommand, HillsDatagram, HillsTruthBody};
use reckoning_arena::hills::{Craft, DriverInput, HillsLevel};
use reckoning_arena::protocol::{Picture, PlayerState};
use reckoning_client::EntityId;

use super::bodies::craft_of;
use super::live::HillsLive;
use crate::hills::driver::LocalDriver;
use crate::hills::stance::HillsBody;
use crate::local_player::Trigger;
use crate::scene::GameScene;

/// The place of a birth comes with the next datagrams.
const BIRTH_WITHIN: Duration = Duration::from_secs(1);

/// What we drive.
#[derive(Debug, Default)]
pub struct OwnVehicle {
    pub entity: Option<EntityId>,
    pub driver: Option<LocalDriver>,
    /// A correction that came before we knew what we drive.
    corrected: Option<Kinematics>,
    gun: Trigger,
    lob: Trigger,
    /// What was destroyed rests until the host says where it comes back, but not for ever.
    rests_until: Option<SimTime>,
    /// Shots fired, and shells lobbed.
    pub fired: [u32; 2],
}

impl OwnVehicle {
    /// The server put it somewhere.
    pub fn correct(&mut self, now: SimTime, state: &Kinematics) {
        self.rests_until = None;
        match &mut self.driver {
            Some(driver) => {
                driver.correct(now, state);
            }
            None => self.corrected = Some(*state),
        }
    }

    /// The server says how it is.
    pub fn know(&mut self, now: SimTime, was_alive: bool, state: &PlayerState) {
        match (was_alive, state.is_alive) {
            (true, false) => self.rests_until = Some(SimTime::MAX),
            (false, true) if self.rests_until == Some(SimTime::MAX) => {
                self.rests_until = Some(now + BIRTH_WITHIN);
            }
            _ => {}
        }
    }

    fn rests(&self, now: SimTime) -> bool {
        self.rests_until.is_some_and(|until| now < until)
    }

    /// Where its gun turns, if it is there.
    pub fn pivot(&self) -> Option<DVec3> {
        let body = self.driver.as_ref()?.body();
        let pivot = body.craft.shape().turret.map_or(DVec3::Z, |it| it.pivot);
        Some(body.position + body.orientation * pivot)
    }

    /// Ourselves in the picture.
    pub fn gather(
        &self,
        now: SimTime,
        scene: &GameScene,
        level: &HillsLevel,
        bodies: &mut BTreeMap<u32, HillsBody>,
    ) {
        let (Some(driver), Some((number, entity))) = (&self.driver, scene.me) else { return };
        let craft = driver.body().craft;
        let body = bodies.entry(entity).or_insert_with(|| HillsBody::new(entity, craft));
        (body.number, body.craft, body.is_me) = (Some(number), craft, true);
        (body.team, body.is_alive) = (scene.team_of(number), scene.status.is_alive);
        let share = f64::from(scene.status.health) / level.file().rules.health.max(1.0);
        body.health_share = Some(share.clamp(0.0, 1.0));
        body.show(driver.shown_at(now));
        (body.truth, body.naive, body.interpolated) = (None, None, None);
    }
}

impl HillsLive {
    /// Drives on, aims and fires.
    pub fn act(&mut self, now: SimTime, input: &DriverInput, level: &HillsLevel) {
        self.embody();
        let is_alive = self.scene.status.is_alive && !self.own.rests(now);
        let (Some(driver), Some(entity)) = (&mut self.own.driver, self.own.entity) else { return };
        if !is_alive {
            driver.rest(now);
            return;
        }
        let client = &mut self.connection.client;
        driver.advance(now, input, level, |step| {
            client.observe(entity, step);
        });
        let aim = driver.body().aim;
        if driver.body().craft == Craft::Tank {
            client.aim(entity, "turret", aim.turret_rad, aim.turret_radps);
            client.aim(entity, "barrel", aim.barrel_rad, aim.barrel_radps);
        }
        self.send_own_state(now);
        let rules = level.file();
        if self.own.gun.pull(now, input.fire, rules.gun.pause_s) {
            self.fire(now, input.aim, level);
        }
        if self.own.lob.pull(now, input.lob, rules.shell.pause_s) {
            self.own.fired[1] += 1;
            self.connection.send_bytes(&HillsCommand::Lob.encode());
        }
    }

    /// Makes our vehicle once all about it is known.
    fn embody(&mut self) {
        let (None, Some(state), Some(entity)) =
            (&self.own.driver, self.own.corrected, self.own.entity)
        else {
            return;
        };
        let session = self.connection.client.session();
        let craft = session.and_then(|it| craft_of(it, entity)).unwrap_or(Craft::Tank);
        let now = self.connection.client.now();
        self.own.driver = Some(LocalDriver::new(craft, &state, now));
    }

    /// The truth about us, for the demonstration on other screens.
    fn send_own_state(&mut self, now: SimTime) {
        if self.connection.truths == 0 {
            return; // nobody here is shown the truth
        }
        let host_time = self.connection.client.session().and_then(|it| it.host_time(now));
        let host_time = host_time.or_else(|| self.streams.host_time(now));
        let (Some(driver), Some(at), Some(entity)) = (&self.own.driver, host_time, self.own.entity)
        else {
            return;
        };
        let truth = driver.body();
        let body = HillsTruthBody {
            entity: entity.0,
            position: driver.shown_at(now).pose.position,
            velocity: truth.velocity,
            orientation: truth.orientation,
            aim: truth.aim,
        };
        self.connection.client.send_out_of_band(&HillsDatagram::OwnState { at, body }.encode());
    }

    fn fire(&mut self, now: SimTime, aim: DVec3, level: &HillsLevel) {
        let Some(session) = self.connection.client.session() else { return };
        let (Some(driver), Some(shown_at)) = (&self.own.driver, session.timeline_at(now)) else {
            return;
        };
        let (from, aim) = driver.body().gun(aim);
        let pictures = Picture::along(session, now, from, aim);
        let gun = &level.file().gun;
        let end = from + aim * gun.range_m;
        let to = from + (end - from) * level.first_met(from, end).unwrap_or(1.0);
        self.effects.shoot(now, from, to, gun.speed_mps);
        self.own.fired[0] += 1;
        let command = HillsCommand::Fire { shown_at, from, aim, pictures };
        self.connection.send_bytes(&command.encode());
    }
}
