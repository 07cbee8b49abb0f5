//! The arena on a host: players, clients, bots, and the decisions of the server.
//!
//! An [`ArenaHost`] is a [`World`], its [`Bots`] and the peers that play in it. It works on a
//! [`Host`] that is passed in, and has no I/O: events and ticks go in, [`ArenaRequest`]s come out
//! for what a host cannot do.
//!
//! ```text
//!   owners' bodies   host -> World::place      each step, before it
//!   bots             World -> host.observe     after it
//!   births           World -> host.spawn, host.teleport
//!   Fire             ClientMessage -> flies through what the shooter saw, then on in the present
//! ```
//!
//! A player's client moves its own body and the host's guard judges it; everything else is
//! decided here. Whoever comes back within the host's grace period keeps its player.

mod bot_predictor;
mod broadcast;
mod config;
mod debug_stream;
mod fire;
mod players;
pub(crate) mod powers;
pub(crate) mod shared;
mod style;
mod vehicles;
mod worth;

pub use bot_predictor::{TRAINED_ON, items, trained};
pub use config::{
    ArenaHostError, BUGGY, GUN_LAG, class_shows, guard_config, host_config, host_config_styled,
    kinds, publisher_config, session_config, with_learned, zones_px,
};
pub use reckoning_predict::TrendMap;
pub use reckoning_predict::learned::LearnedModel;
pub use style::{BlendStyle, MotionStyle, ghost_config};

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use reckoning::guard::Verdict;
use reckoning::{DVec3, Kinematics, SimTime, Threshold};
use reckoning_net::{EntityId, Host, HostEvent, KindId, PeerId, Update};

use crate::bots::Bots;
use crate::level::{BodyRules, Level};
use crate::planning::Planning;
use crate::protocol::{LinkChoice, ModelChoice, OwnState, ServerMessage, ServerTuning};
use crate::world::{Mode, PlayerId, World};
use bot_predictor::{Acting, BotPlanners, known_bodies};
use config::kind_name;
use fire::FireRequest;
use shared::{Outbox, STEP};
use vehicles::Vehicle;
use worth::{MOST_LISTENERS, WorthMeter};

/// Room for rounding where something is compared with what a body can do.
const ROUNDING: f64 = 1.01;
/// An owner's motion is carried on for this long without news.
const BELIEVED: Duration = Duration::from_millis(500);
/// A vehicle is entered from this many radii away, centre to centre: touching, and what a body goes
/// while its client's wish is on the way.
pub const ENTER_RADII: f64 = 5.0;

/// What is played.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ArenaHostConfig {
    /// How many bots.
    pub bots: u16,
    /// Decides everything that is left to chance.
    pub seed: u64,
    /// How the server reckons at first.
    pub tuning: ServerTuning,
    /// The trained predictor for bots, used while [`ModelChoice::Learned`] is chosen. The host's
    /// settings need [`with_learned`] as well, or its curves cost more bytes. Default: `None`, and
    /// that choice is refused.
    pub learned: Option<Arc<LearnedModel>>,
    /// Which way bodies go in the level, used while [`ModelChoice::Trend`] is chosen:
    /// [`trend_map`](crate::planning::trend_map). Default: `None`, and that choice is refused.
    pub trends: Option<Arc<TrendMap>>,
    /// Whether clients may change how the server reckons and simulate links, see the truth, and
    /// watch without a body. Whoever may does so for or against everyone, so the default is no.
    pub demo: bool,
    /// Whether a player who comes is born near others the first time, instead of at a spawn point.
    /// Default: no, so that a run depends on its seed and inputs alone as it always did.
    pub newcomers_near: bool,
}

impl Default for ArenaHostConfig {
    fn default() -> Self {
        Self {
            bots: 12,
            seed: 1,
            tuning: ServerTuning::default(),
            learned: None,
            trends: None,
            demo: false,
            newcomers_near: false,
        }
    }
}

/// What an arena wants of the shell around its host.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ArenaRequest {
    /// Send a datagram beside the protocol.
    OutOfBand {
        /// To whom.
        to: PeerId,
        /// What, the seven zero bytes included.
        bytes: Vec<u8>,
        /// Whether it passes the client's simulated link.
        shaped: bool,
    },
    /// Simulate this link for a client.
    Link {
        /// Whose.
        peer: PeerId,
        /// Which.
        link: LinkChoice,
    },
}

/// What a recording should know of what happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArenaEvent {
    /// A player killed another one.
    Killed {
        /// The body of who died.
        entity: EntityId,
        /// The killer's body.
        by: EntityId,
    },
    /// A player took an item.
    ItemTaken {
        /// The item, by its place in the level file.
        item: u32,
        /// The player's body.
        by: EntityId,
    },
    /// An item lies in its place, whether it was taken before or not.
    ItemReturned {
        /// The item, by its place in the level file.
        item: u32,
    },
}

/// What a recording should know of an entity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayerIdentity<'a> {
    /// Its side; [`Self::NEUTRAL`] of what does not fight.
    pub team: u16,
    /// Its name.
    pub name: &'a str,
    /// Counts lives and deaths.
    pub segment: u32,
    /// Whether it lives.
    pub alive: bool,
    /// From 0 to the level's `rules.health`.
    pub health: f32,
    /// Shots left.
    pub ammo: u32,
}

impl PlayerIdentity<'_> {
    /// The side of what does not fight.
    pub const NEUTRAL: u16 = u16::MAX;
}

/// What an arena has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArenaHostStats {
    /// Steps made.
    pub steps: u64,
    /// Shots that people fired.
    pub shots: u64,
    /// Triggers that were pulled too early, without shots, or by the dead.
    pub refused_shots: u64,
    /// Powers of the demonstration that were asked for and not granted.
    pub refused_powers: u64,
    /// Messages that could not be decoded.
    pub malformed: u64,
    /// Times that the guard put somebody right.
    pub corrected: u64,
    /// Times that the guard threw somebody out.
    pub expelled: u64,
}

impl ArenaHostStats {
    /// Counts what the guard decided.
    pub(crate) const fn note_verdict(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Correct(_) => self.corrected += 1,
            Verdict::Disconnect(_) => self.expelled += 1,
            _ => {}
        }
    }
}

/// One client of the flat arena.
type ClientState = shared::ClientState<PlayerId, OwnState>;

/// One player, whoever moves it.
#[derive(Clone, Debug)]
struct Actor {
    /// None before its first birth.
    entity: Option<EntityId>,
    /// Whose it is; none for a bot.
    peer: Option<PeerId>,
    name: String,
    /// Lives and deaths so far.
    segment: u32,
    /// Times it came to life, modulo 2^16.
    lives: u16,
    /// The vehicle that it drives.
    rides: Option<EntityId>,
    /// Its velocity a step ago.
    velocity: DVec3,
}

/// The arena on a host.
#[derive(Debug)]
pub struct ArenaHost {
    level: Arc<Level>,
    world: World,
    bots: Bots,
    actors: BTreeMap<PlayerId, Actor>,
    by_entity: BTreeMap<EntityId, PlayerId>,
    vehicles: Vec<Vehicle>,
    clients: BTreeMap<PeerId, ClientState>,
    /// Clients that may reconnect, by the peer id they had.
    absent: BTreeMap<PeerId, ClientState>,
    tuning: ServerTuning,
    demo: bool,
    planning: Planning,
    bot_planners: BotPlanners,
    worth: Option<WorthMeter>,
    next_step: Option<SimTime>,
    fire_requests: Vec<FireRequest>,
    outbox: Outbox,
    /// What was sent to all last.
    items: Option<u64>,
    points: Option<ServerMessage>,
    stats: ArenaHostStats,
}

impl ArenaHost {
    /// An arena with its bots, before its first step.
    #[must_use]
    pub fn new(level: impl Into<Arc<Level>>, config: &ArenaHostConfig) -> Self {
        let level = level.into();
        let planning = Planning::new(&level, config.trends.clone(), config.learned.clone());
        let mut arena = Self {
            planning,
            bot_planners: BotPlanners::default(),
            worth: None,
            world: World::new(level.clone(), Mode::TwoTeams, config.seed),
            bots: Bots::new(config.seed),
            level,
            actors: BTreeMap::new(),
            by_entity: BTreeMap::new(),
            vehicles: Vec::new(),
            clients: BTreeMap::new(),
            absent: BTreeMap::new(),
            tuning: config.tuning,
            demo: config.demo,
            next_step: None,
            fire_requests: Vec::new(),
            outbox: Outbox::default(),
            items: None,
            points: None,
            stats: ArenaHostStats::default(),
        };
        if config.newcomers_near {
            arena.world.bring_newcomers_near();
        }
        (0..config.bots).for_each(|_| arena.add_bot());
        arena
    }

    /// Something happened at the host.
    pub fn handle_event(&mut self, now: SimTime, event: &HostEvent, host: &mut Host) {
        match event {
            HostEvent::Joined { peer, before } => self.joined(*peer, *before, host),
            HostEvent::Left { peer, .. } => self.left(now, *peer, host),
            HostEvent::Despawned { entity } => self.despawned(now, *entity, host),
            HostEvent::Message { peer, bytes } | HostEvent::Command { peer, bytes } => {
                self.heard(now, *peer, bytes, host);
            }
            HostEvent::Judged { verdict, .. } => self.stats.note_verdict(verdict),
            _ => {}
        }
    }

    /// Makes the steps that are due by `now`.
    pub fn tick(&mut self, now: SimTime, host: &mut Host) {
        for at in shared::due_steps(&mut self.next_step, now) {
            self.step(at, host);
        }
    }

    fn step(&mut self, at: SimTime, host: &mut Host) {
        self.stats.steps += 1;
        self.spawn_vehicles(at, host);
        self.place_owners(at, host);
        self.roll_vehicles(at, host);
        let inputs = self.bots.decide(&self.world);
        self.world.step(inputs);
        self.fire_requested(at, host);
        self.send_events(at, host);
        self.show_bots(at, host);
        self.send_changes(host);
        self.send_debug_stream(at, host);
    }

    /// Takes over where owners have their bodies.
    fn place_owners(&mut self, at: SimTime, host: &Host) {
        for (entity, _, known) in host.entities() {
            if self.place_vehicle(entity, known, at) {
                continue;
            }
            let Some(&id) = self.by_entity.get(&entity) else { continue };
            if self.actors.get(&id).is_some_and(|it| it.rides.is_some()) {
                continue; // it is where its vehicle is
            }
            let (place, moment) = self.believed(known, at);
            let facing = known.orientation_at(moment) * DVec3::X;
            self.world.place(id, place, known.velocity_at(moment), facing);
        }
    }

    /// Where an owner's body is taken to be, and the moment that its motion is taken from.
    fn believed(&self, known: &Update, at: SimTime) -> (DVec3, SimTime) {
        let seen = known.kinematics();
        let moment = at.min(known.at() + BELIEVED);
        let guess = known.position_at(moment);
        // A guess may be beyond a wall that its owner has just met.
        let is_open = self.level.walls().sees(seen.position, guess);
        (if is_open { guess } else { seen.position }, moment)
    }

    /// Moves the bots' entities on the host, with their predicted motion.
    fn show_bots(&mut self, at: SimTime, host: &mut Host) {
        let acting = self.acting(at);
        let listeners = self.worth_listeners();
        if listeners.is_empty() {
            self.worth = None;
        }
        if !listeners.is_empty() || !ModelChoice::PLAIN.contains(&self.tuning.model) {
            let bodies = known_bodies(at, &self.world, &self.level, &acting);
            self.planning.look(at, bodies, items(&self.level, self.world.items()));
        }
        self.bot_planners.observe(&acting, &self.tuning, &self.planning, host);
        if !listeners.is_empty() {
            self.measure_worth(at, &acting, &listeners);
        }
    }

    /// The bots that were born.
    fn acting(&mut self, at: SimTime) -> Vec<Acting> {
        let kind = self.level.file().body.kind;
        let mut found = Vec::new();
        for player in self.world.players().iter().filter(|it| !it.moves_itself) {
            let Some(actor) = self.actors.get_mut(&player.id) else { continue };
            let gained = player.velocity - std::mem::replace(&mut actor.velocity, player.velocity);
            let mut truth = player.kinematics(at, kind);
            truth.acceleration = lasting_acceleration(gained, &self.level.file().body);
            if let Some(entity) = actor.entity {
                let (life, is_alive) = (actor.segment, player.is_alive);
                found.push(Acting { id: player.id, entity, life, is_alive, truth });
            }
        }
        found
    }

    /// Those who are shown the truth, and the delays of their links.
    fn worth_listeners(&self) -> Vec<(PeerId, Duration)> {
        let watchers = self.clients.iter().filter(|(_, client)| client.wants_truth);
        let delay = |link: LinkChoice| Duration::from_millis(link.delay_ms.into());
        watchers.take(MOST_LISTENERS).map(|(peer, it)| (*peer, delay(it.link))).collect()
    }

    fn measure_worth(&mut self, at: SimTime, acting: &[Acting], listeners: &[(PeerId, Duration)]) {
        let threshold_px = self.tuning.threshold_px;
        let same = |meter: &WorthMeter| meter.threshold_px() == threshold_px;
        let meter = self.worth.take().filter(same);
        let mut meter = meter.unwrap_or_else(|| WorthMeter::new(threshold_px, &self.planning));
        meter.observe(at, acting, &self.planning, listeners);
        self.worth = Some(meter);
    }

    /// What this server lacks for a planner, in words for people; `None` if nothing.
    #[must_use]
    pub const fn missing(&self, choice: ModelChoice) -> Option<&'static str> {
        self.planning.missing(choice)
    }

    /// Applies these settings from now on, and sends them to all clients. A planner for which this
    /// server lacks something is not taken; the one before stays.
    pub fn set_tuning(&mut self, now: SimTime, mut tuning: ServerTuning, host: &mut Host) {
        if self.missing(tuning.model).is_some() {
            tuning.model = self.tuning.model;
        }
        self.tuning = tuning;
        self.apply_tuning(now, host);
        self.broadcast(host, &ServerMessage::Tuning(tuning));
    }

    /// Makes the host reckon as chosen; a shell calls it once before the first tick.
    pub fn apply_tuning(&self, now: SimTime, host: &mut Host) {
        let kind = self.kind(host);
        for entity in self.by_entity.keys() {
            host.set_kind(now, *entity, kind);
        }
        // The tuning is within limits that the host takes.
        if let Ok(threshold) = Threshold::metres(f64::from(self.tuning.threshold_px)) {
            let _ = host.set_threshold(threshold);
        }
        host.set_fairness(now, self.tuning.policy());
    }

    /// What the shell should do; poll until `None` after every tick.
    pub fn poll_request(&mut self) -> Option<ArenaRequest> {
        self.outbox.poll_request()
    }

    fn request(&mut self, request: ArenaRequest) {
        self.outbox.request(request);
    }

    /// What happened, for a recording; poll until `None` after every tick.
    pub fn poll_event(&mut self) -> Option<ArenaEvent> {
        self.outbox.poll_event()
    }

    fn note(&mut self, event: ArenaEvent) {
        self.outbox.note(event);
    }

    /// What a recording should know of an entity.
    #[must_use]
    pub fn identity(&self, entity: EntityId) -> Option<PlayerIdentity<'_>> {
        let id = self.by_entity.get(&entity)?;
        let (actor, player) = (self.actors.get(id)?, self.world.player(*id)?);
        let (team, alive) = (player.team.0, player.is_alive);
        let (health, ammo) = (player.health as f32, player.ammo);
        let (name, segment) = (&actor.name, actor.segment);
        Some(PlayerIdentity { team, name, segment, alive, health, ammo })
    }

    /// The game as it stands.
    #[must_use]
    pub const fn world(&self) -> &World {
        &self.world
    }

    /// The player of a peer, if it has one.
    #[must_use]
    pub fn player_of(&self, peer: PeerId) -> Option<PlayerId> {
        self.clients.get(&peer)?.player
    }

    /// The entity of a player, once it was born.
    #[must_use]
    pub fn entity_of(&self, player: PlayerId) -> Option<EntityId> {
        self.actors.get(&player)?.entity
    }

    /// How the server reckons.
    #[must_use]
    pub const fn tuning(&self) -> ServerTuning {
        self.tuning
    }

    /// What was counted.
    #[must_use]
    pub const fn stats(&self) -> ArenaHostStats {
        self.stats
    }

    /// The kind of players' bodies, as the server reckons now.
    fn kind(&self, host: &Host) -> KindId {
        let name = kind_name(self.level.file().body.kind, self.tuning.model);
        host.config().kinds.named(&name).unwrap_or(KindId::NONE)
    }

    /// Where a newborn is, newer than all that is known of its entity.
    fn birth_of(&self, id: PlayerId, at: SimTime, host: &Host) -> Option<Kinematics> {
        let player = self.world.player(id)?;
        let entity = self.actors.get(&id)?.entity;
        let known = host.entities().find(|it| Some(it.0) == entity).map(|it| it.2.at());
        let at = known.map_or(at, |known| at.max(known + Duration::from_millis(1)));
        Some(player.kinematics(at, self.level.file().body.kind))
    }
}

/// The acceleration of a body that gained this velocity in one step. What a wall took of it, or a
/// birth, is over with the step; carried on it would lead a ghost away at many times the top speed.
fn lasting_acceleration(gained: DVec3, body: &BodyRules) -> DVec3 {
    let acceleration = gained / STEP.as_secs_f64();
    let most_px_s2 = body.acceleration_px_s2.max(body.braking_px_s2) * ROUNDING;
    if acceleration.length() <= most_px_s2 { acceleration } else { DVec3::ZERO }
}
