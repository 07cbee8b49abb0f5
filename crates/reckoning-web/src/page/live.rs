//! A running game on a server: its events in, our own player and settings out.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use reckoning::{DVec3, Kinematics, SimTime, UpdateKind};
use reckoning_arena::host::class_shows;
use reckoning_arena::protocol::{
    ClientMessage, DebugDatagram, ErrorAccounts, OwnState, Picture, PlannerWorth, Properties,
    Refusal, ServerMessage, ServerTuning, Tag,
};
use reckoning_arena::{Input, Level, Player, PlayerId, Team};
use reckoning_client::{Delivery, EntityId, SessionEvent};
use reckoning_net::SessionConfig;

use super::connection::Connection;
use super::draw::Ground;
use super::driving::{Ride, is_vehicle};
use super::own_plan::OwnPlan;
use crate::comparison::ComparisonStreams;
use crate::controls::{Change, Controls};
use crate::hit_counts::{DrawnAs, HitCounts};
use crate::local_player::{LocalPlayer, Trigger};
use crate::meter::DisplayMethod;
use crate::motion::LedBody;
use crate::page::measure::Meters;
use crate::scene::{Bullet, GameScene, SceneBody, flat};

/// A bullet of our own is drawn at once; the server's word about it is then only a copy.
const OWN_BULLETS_FROM: u32 = 1 << 31;

/// The place of a birth comes with the next datagrams.
const BIRTH_WITHIN: Duration = Duration::from_secs(1);

/// A game on a server.
#[derive(Debug)]
pub struct Live {
    pub connection: Connection,
    pub scene: GameScene,
    pub comparison: ComparisonStreams,
    pub bodies: BTreeMap<u32, SceneBody>,
    /// Entities whose properties changed since they were read.
    changed: BTreeSet<u32>,
    own: Option<LocalPlayer>,
    own_entity: Option<EntityId>,
    /// What we drive.
    pub ride: Option<Ride>,
    /// A correction that arrived before we knew which body is ours.
    corrected: Option<Kinematics>,
    trigger: Trigger,
    own_bullets: u32,
    /// A dead player rests until the host says where it respawns, but not for ever.
    rests_until: Option<SimTime>,
    /// The newest teleport of each body that was seen.
    teleports: BTreeMap<u32, SimTime>,
    /// The host's time of the last frame.
    gathered_at: Option<SimTime>,
    /// The server's settings, once received.
    pub tuning: Option<ServerTuning>,
    /// What every planner is worth here, by the server's measure.
    pub worth: Option<PlannerWorth>,
    /// Our own shots and hits, by how bodies were drawn.
    pub hit_counts: HitCounts,
    /// Export errors by the server's account.
    pub accounts: Option<ErrorAccounts>,
    /// There is no common clock.
    pub is_per_hop: bool,
    own_plan: OwnPlan,
}

impl Live {
    pub fn new(server: &str, controls: &Controls, own_plan: OwnPlan) -> Result<Self, String> {
        Ok(Self::over(Connection::open(server, session_config(controls))?, own_plan))
    }

    fn over(connection: Connection, own_plan: OwnPlan) -> Self {
        Self {
            connection,
            scene: GameScene::default(),
            comparison: ComparisonStreams::default(),
            bodies: BTreeMap::new(),
            changed: BTreeSet::new(),
            own: None,
            own_entity: None,
            ride: None,
            corrected: None,
            trigger: Trigger::default(),
            own_bullets: 0,
            rests_until: None,
            teleports: BTreeMap::new(),
            gathered_at: None,
            tuning: None,
            worth: None,
            hit_counts: HitCounts::default(),
            accounts: None,
            is_per_hop: false,
            own_plan,
        }
    }

    /// Sends reliably; before the join it is sent with the join.
    pub(super) fn send(&mut self, message: &ClientMessage) {
        self.connection.send(message);
    }

    /// Passes a change on.
    pub fn apply(&mut self, change: Change, controls: &Controls) {
        match change {
            Change::Link => self.send(&ClientMessage::SetLink(controls.link)),
            Change::Tuning => self.send(&ClientMessage::SetTuning(controls.tuning)),
            Change::Ghosts => {
                let _ = self.connection.client.set_ghosts(controls.ghosts());
                self.show_as(controls);
            }
            // The client introduces itself once for each connection.
            Change::Hello if self.connection.is_outdated(controls) => self.join_anew(controls),
            Change::Hello | Change::Picture => {}
        }
    }

    /// Reckons as the server said, and shows others as it wants it; how our own body is published its kind says.
    fn reckon_as(&mut self, controls: &Controls) {
        self.own_plan.choose(self.tuning.unwrap_or(controls.tuning).model);
        self.show_as(controls);
    }

    fn show_as(&mut self, controls: &Controls) {
        let shows = class_shows(&self.tuning.unwrap_or(controls.tuning), controls.ghosts());
        let _ = self.connection.client.set_class_shows(&shows);
    }

    /// How our own body is planned for, in words for people.
    pub fn own_planner(&self) -> String {
        self.own_plan.told()
    }

    /// Whether shots are judged by what their shooters saw.
    pub fn judges_the_past(&self) -> bool {
        !self.is_per_hop && !self.tuning.is_some_and(|it| it.near_delayed)
    }

    /// Leaves and joins as somebody else.
    fn join_anew(&mut self, controls: &Controls) {
        if let Ok(connection) = self.connection.open_anew(session_config(controls)) {
            let own_plan = std::mem::take(&mut self.own_plan);
            *self = Self { is_per_hop: self.is_per_hop, ..Self::over(connection, own_plan) };
        }
    }

    /// Takes in what came. Returns the moment.
    pub fn take_in(&mut self, controls: &mut Controls, ground: &Ground) -> SimTime {
        let now = self.connection.client.drive();
        while let Some(event) = self.connection.client.poll_event() {
            self.note(now, event, controls, ground);
        }
        self.connection.send_again(now, controls);
        self.know_own(now, ground);
        while let Some((arrived, bytes)) = self.connection.client.poll_out_of_band() {
            self.hear_debug_datagram(arrived, &bytes);
        }
        now
    }

    fn note(
        &mut self,
        now: SimTime,
        event: SessionEvent,
        controls: &mut Controls,
        ground: &Ground,
    ) {
        match event {
            SessionEvent::Joined { .. } => self.connection.introduce(controls),
            SessionEvent::Lost => self.forget(),
            SessionEvent::Granted(entity) if !self.is_vehicle(entity) => {
                self.own_entity = Some(entity);
                self.changed.insert(entity.0);
            }
            SessionEvent::Changed { entity, .. } => {
                self.changed.insert(entity.0);
            }
            SessionEvent::Revoked(entity) if self.own_entity == Some(entity) => {
                (self.own_entity, self.own) = (None, None);
            }
            SessionEvent::Corrected { entity, state } if self.own_entity == Some(entity) => {
                self.correct(now, &state, ground);
            }
            SessionEvent::Revoked(entity)
                if self.ride.as_ref().is_some_and(|it| it.entity == entity) =>
            {
                self.ride = None;
            }
            SessionEvent::Corrected { entity, state } if self.is_vehicle(entity) => {
                Ride::put(&mut self.ride, entity, &state, now);
            }
            SessionEvent::Corrected { state, .. } => self.corrected = Some(state),
            SessionEvent::Message(bytes) | SessionEvent::Command(bytes) => {
                if let Ok(message) = ServerMessage::decode(&bytes) {
                    self.hear(now, &message, controls, ground);
                }
            }
            _ => {}
        }
    }

    fn is_vehicle(&self, entity: EntityId) -> bool {
        self.connection.client.session().is_some_and(|it| is_vehicle(it, entity))
    }

    /// A new connection begins with nothing.
    fn forget(&mut self) {
        self.ride = None;
        (self.own, self.own_entity, self.corrected) = (None, None, None);
        (self.scene, self.comparison) = (GameScene::default(), ComparisonStreams::default());
        self.bodies.clear();
        self.changed.clear();
        self.teleports.clear();
    }

    fn hear(
        &mut self,
        now: SimTime,
        message: &ServerMessage,
        controls: &mut Controls,
        ground: &Ground,
    ) {
        match message {
            ServerMessage::Tuning(tuning) => {
                self.tuning = Some(*tuning);
                self.reckon_as(controls);
            }
            // The link is ours alone, and this may be an answer to what we no longer want.
            ServerMessage::Refused(Refusal::TooOften) => self.connection.ask_again(now),
            ServerMessage::Link(link) => self.connection.link.hear(*link, now),
            ServerMessage::You { entity, .. } => {
                self.own_entity = Some(EntityId(*entity));
                self.changed.insert(*entity);
            }
            _ => {}
        }
        let me = self.scene.me.map(|it| it.0);
        if let ServerMessage::Shot { shooter, number, .. } = message
            && Some(*shooter) == me
        {
            self.hit_counts.confirm(now, *number);
            return; // drawn when it was fired
        }
        if let ServerMessage::Hit { number, .. } = message {
            self.hit_counts.strike(*number);
        }
        if let ServerMessage::Hit { number, .. } = message
            && let Some((first, _)) = self.scene.bullets.range(OWN_BULLETS_FROM..).next()
            && !self.scene.bullets.contains_key(number)
        {
            // Ours have numbers of our own: the oldest is the likeliest to have struck.
            let first = *first;
            self.scene.bullets.remove(&first);
        }
        let mut message = *message;
        if let (true, ServerMessage::Shot { at, .. }) = (self.is_per_hop, &mut message) {
            *at = now; // the server's clock says nothing here
        }
        self.scene.hear(now, &message, |from, velocity| reach_s(ground, from, velocity));
    }

    /// Takes over how our own player is.
    fn know_own(&mut self, now: SimTime, ground: &Ground) {
        let (Some(entity), Some((player, _))) = (self.own_entity, self.scene.me) else { return };
        let session = self.connection.client.session().filter(|_| self.changed.remove(&entity.0));
        let Some(session) = session else { return };
        let Some(properties) = Properties::declared(session.kinds()) else { return };
        let state = properties.state(session, entity);
        match (self.scene.status.is_alive, state.is_alive) {
            (true, false) => self.rests_until = Some(SimTime::MAX),
            (false, true) if self.rests_until == Some(SimTime::MAX) => {
                self.rests_until = Some(now + BIRTH_WITHIN);
            }
            _ => {}
        }
        let respawn_s = ground.level.as_ref().map_or(0.0, |it| it.file().rules.respawn_s);
        self.scene.know_own(now, &state, respawn_s);
        self.scene.meet(player, &state);
        self.bodies.entry(entity.0).or_default().know(&state, ground.most_health());
    }

    fn correct(&mut self, now: SimTime, state: &Kinematics, ground: &Ground) {
        self.rests_until = None;
        if let Some(own) = &mut self.own {
            own.correct(now, state.position, state.velocity, ground.radius_px);
        } else {
            self.corrected = Some(*state);
        }
    }

    fn hear_debug_datagram(&mut self, arrived: SimTime, bytes: &[u8]) {
        match DebugDatagram::decode(bytes) {
            Ok(DebugDatagram::Truth(truth)) => {
                self.connection.truths += 1;
                let bodies = truth.bodies.iter();
                let bodies = bodies.map(|it| (it.entity, flat(it.at), flat(it.velocity)));
                self.comparison.hear_truth(truth.at, arrived, bodies);
            }
            Ok(DebugDatagram::Snapshot(snapshot)) => {
                self.connection.snapshots.add(bytes.len(), snapshot.bodies.len());
                let bodies = snapshot.bodies.iter().map(|it| (it.entity, flat(it.at)));
                self.comparison.hear_snapshot(snapshot.at, arrived, bodies);
            }
            Ok(DebugDatagram::Worth(worth)) => self.worth = Some(worth),
            Ok(DebugDatagram::Accounts(accounts)) => self.accounts = Some(accounts),
            _ => {}
        }
    }

    /// Moves our own body and fires.
    pub fn act(&mut self, now: SimTime, input: &Input, fires: bool, level: &Level) {
        self.embody();
        let rests = self.rests_until.is_some_and(|until| now < until);
        let is_alive = self.scene.status.is_alive && !rests;
        let (Some(own), Some(entity)) = (&mut self.own, self.own_entity) else { return };
        if !is_alive {
            own.rest(now);
            return;
        }
        if self.ride.is_some() {
            own.rest(now);
            self.drive(now, input, level);
        } else {
            let client = &mut self.connection.client;
            let own_plan = &mut self.own_plan;
            own_plan.look(client.session(), now, &self.bodies, &self.scene, level);
            own.advance(now, input, level, |step| own_plan.observe(client, entity, step));
        }
        self.send_own_state(now);
        let pause_s = level.file().gun.pause_s;
        if self.trigger.pull(now, fires && self.scene.status.ammo > 0, pause_s) {
            self.fire(now, level);
        }
    }

    /// Makes our body once all about it is known.
    fn embody(&mut self) {
        if let (None, Some(state), Some((player, _))) = (&self.own, self.corrected, self.scene.me) {
            let team = Team(u16::from(self.scene.team_of(player)));
            let body = Player::standing(PlayerId(player), team, state.position, DVec3::X);
            self.own = Some(LocalPlayer::new(body, self.connection.client.now()));
        }
    }

    /// What we move: our body, or what we drive.
    fn moved(&self) -> Option<&LocalPlayer> {
        self.ride.as_ref().map(|it| &it.driver).or(self.own.as_ref())
    }

    /// The truth about us, for the demonstration on other screens.
    fn send_own_state(&mut self, now: SimTime) {
        if self.connection.truths == 0 {
            return; // nobody here is shown the truth
        }
        // Without a common clock, that of the truths is as good.
        let host_time = self.connection.client.session().and_then(|it| it.host_time(now));
        let host_time = host_time.or_else(|| self.comparison.host_time(now));
        let (Some(own), Some(at)) = (self.moved(), host_time) else { return };
        let pair = |v: DVec3| [v.x as f32, v.y as f32];
        let (place, velocity) = (pair(own.shown_at(now)), pair(own.player().velocity));
        let own_state = DebugDatagram::OwnState(OwnState { at, place, velocity });
        self.connection.client.send_out_of_band(&own_state.encode());
    }

    fn fire(&mut self, now: SimTime, level: &Level) {
        let timeline = self.connection.client.session().and_then(|it| it.timeline_at(now));
        let (Some(own), Some(at), Some((shooter, _))) = (self.moved(), timeline, self.scene.me)
        else {
            return;
        };
        let aim = own.player().aim;
        let gun = level.file().gun;
        let (from, velocity) = (own.shown_at(now), aim * gun.speed_px_s);
        let range_s = gun.range_px / gun.speed_px_s;
        let end = from + velocity * range_s;
        let lasts_s = level.walls().first_hit(from, end).unwrap_or(1.0) * range_s;
        let number = OWN_BULLETS_FROM + self.own_bullets % OWN_BULLETS_FROM;
        self.own_bullets += 1;
        self.scene.bullets.insert(number, Bullet { shooter, from, velocity, at, lasts_s });
        self.hit_counts.pull(now);
        let message = match self.hit_counts.drawn_as() {
            DrawnAs::Reckoning => self.shot(now, at, from, aim),
            DrawnAs::Naive => ClientMessage::FireNow { aim: [aim.x as f32, aim.y as f32] },
        };
        let _ = self.connection.client.send(&message.encode(), Delivery::Reliable);
    }

    /// A shot at what the screen shows, with what that was made of.
    fn shot(&self, now: SimTime, at: SimTime, from: DVec3, aim: DVec3) -> ClientMessage {
        let session = self.connection.client.session();
        let pictures = session.map(|it| Picture::along(it, now, from, aim)).unwrap_or_default();
        // The server takes the latest moment for the present.
        let shown_at = if self.is_per_hop { SimTime::MAX } else { at };
        ClientMessage::Fire { shown_at, aim: [aim.x as f32, aim.y as f32], pictures }
    }

    /// Everyone in the picture at `now`, and how wrong they are.
    pub fn gather(&mut self, now: SimTime, dt_s: f64, ground: &Ground, meters: &mut Meters) {
        let Some(session) = self.connection.client.session() else { return };
        let Some(host_now) = session.timeline_at(now) else { return };
        let before = self.gathered_at.replace(host_now).unwrap_or(host_now);
        self.scene.clean(now, host_now);
        let properties = Properties::declared(session.kinds());
        let is_tank = ground.is_tank();
        let mut seen = Vec::new();
        for (EntityId(entity), remote) in session.ghosts() {
            let is_driven = self.ride.as_ref().is_some_and(|it| it.entity == EntityId(entity));
            if self.own_entity == Some(EntityId(entity)) || is_driven {
                continue;
            }
            let ghost = remote.ghost();
            let is_new = !self.bodies.contains_key(&entity);
            let body = self.bodies.entry(entity).or_insert_with(|| tagged(entity, remote.tag()));
            body.is_tank = is_tank;
            body.is_vehicle = is_vehicle(session, EntityId(entity));
            body.is_alive |= body.is_vehicle;
            let is_told = self.changed.remove(&entity) || is_new;
            if let Some(properties) = properties.filter(|_| is_told && !body.is_vehicle) {
                let state = properties.state(session, EntityId(entity));
                body.know(&state, ground.most_health());
                self.scene.meet(body.player, &state);
            }
            let settled = ghost.reckoned().filter(|_| !ghost.is_changing(host_now));
            if let Some(reckoned) = settled {
                body.show(reckoned, before, host_now);
            } else {
                let is_delayed = ghost.delayed().is_some();
                body.show_at(ghost.pose_at(host_now), ghost.update(), is_delayed, host_now);
            }
            let told_at = ghost.update().at();
            let has_leapt = ghost.update().kind() == UpdateKind::Teleport
                && self.teleports.insert(entity, told_at) != Some(told_at);
            let leap_px = ground.leap_px();
            body.truth = self.comparison.truth(entity, now, leap_px);
            body.naive = self.comparison.naive(entity);
            body.interpolated = self.comparison.interpolated(entity, now, leap_px);
            let at_best = self.comparison.interpolated_at_best(entity, now, leap_px);
            body.interpolated_at_best = at_best;
            body.is_settled = self.comparison.is_settled(entity);
            // What stands about would make the figures look good.
            if !body.is_vehicle && body.rides.is_none() {
                meters.look(now, dt_s, body, has_leapt);
                if let Some(truth) = body.truth {
                    let led = LedBody { entity, update: *ghost.update(), truth };
                    let is_judged = body.is_alive && body.is_settled;
                    meters.motion.look(host_now, &led, is_judged);
                }
            }
            seen.push(entity);
        }
        self.forget_unseen(&seen);
        meters.keep(|entity| self.bodies.contains_key(&entity));
        self.gather_own(now, is_tank);
        self.gather_vehicles(now, ground);
    }

    /// Forgets who is out of the picture. `seen` rises.
    fn forget_unseen(&mut self, seen: &[u32]) {
        self.bodies.retain(|entity, body| {
            let is_driven = self.ride.as_ref().is_some_and(|it| it.entity == EntityId(*entity));
            let is_own = self.own_entity == Some(EntityId(*entity)) || is_driven;
            let stays = is_own || seen.binary_search(entity).is_ok();
            if !stays {
                self.teleports.remove(entity);
                if !body.is_me && !body.is_vehicle {
                    self.scene.board.remove(&body.player);
                }
            }
            stays
        });
    }

    fn gather_own(&mut self, now: SimTime, is_tank: bool) {
        let (Some(own), Some((player, entity))) = (&self.own, self.scene.me) else { return };
        let body = self.bodies.entry(entity).or_default();
        let facing = if is_tank { own.player().heading } else { own.player().aim };
        (body.entity, body.player, body.is_me) = (entity, player, true);
        body.is_tank = is_tank;
        body.shown = own.shown_at(now);
        body.yaw_rad = libm::atan2(facing.y, facing.x);
    }

    /// Where our own body is drawn.
    pub fn own_place(&self, now: SimTime) -> Option<DVec3> {
        let ride = self.ride.as_ref().map(|it| it.shown(self.connection.client.session(), now));
        ride.or_else(|| self.own.as_ref().map(|it| it.shown_at(now)))
    }
}

/// As the arena has it, with ghosts as they are wished for.
fn session_config(controls: &Controls) -> SessionConfig {
    let mut config = reckoning_arena::host::session_config();
    config.ghost = controls.ghosts();
    config
}

/// A body as its tag describes it.
fn tagged(entity: u32, tag: &[u8]) -> SceneBody {
    let (player, is_bot) = Tag::decode(tag).map_or((0, false), |tag| (tag.player, tag.is_bot));
    SceneBody { entity, player, is_bot, ..SceneBody::default() }
}

/// How long a bullet flies before a wall or its range ends it.
fn reach_s(ground: &Ground, from: DVec3, velocity: DVec3) -> f64 {
    let Some(level) = &ground.level else { return 1.0 };
    let speed = velocity.length().max(1.0);
    let range_s = level.file().gun.range_px / speed;
    let end = from + velocity * range_s;
    level.walls().first_hit(from, end).unwrap_or(1.0) * range_s
}

/// The error of a body, each way.
pub fn errors(body: &SceneBody) -> impl Iterator<Item = (DisplayMethod, f64)> {
    let truth = body.truth;
    let methods = [
        (DisplayMethod::Reckoning, Some(body.shown)),
        (DisplayMethod::Naive, body.naive),
        (DisplayMethod::Interpolation, body.interpolated),
    ];
    methods.into_iter().filter_map(move |(method, place)| Some((method, place?.distance(truth?))))
}
