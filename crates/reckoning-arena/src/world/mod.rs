//! The game simulation: a level, its players, and one step of the rules.
//!
//! [`World::step`] is the whole game. It takes what every player does and makes one step of
//! a sixtieth of a second, in this order: births, motion, bodies apart, shots, items, the
//! end of the round. What happened stands in [`World::events`] until the next step.
//!
//! Others rely on this:
//! - the same level, seed, joins and inputs give the same states, bit for bit;
//! - no living player is ever inside a wall, and health stays between 0 and its most;
//! - no two players have the same id and none has a turret's, and players are listed by id.

mod company;
mod event;
mod player;
mod shots;

pub use event::{Event, Shooter};
pub(crate) use player::turned;
pub use player::{Input, Player, PlayerId, Team};
pub use shots::{Shot, Turret};

use std::collections::BTreeMap;
use std::sync::Arc;

use reckoning::random::SplitMix64;
use reckoning::{DVec3, SimTime};

use crate::level::{ItemKind, Level, place};
use crate::protocol::A_TURRET;
use crate::{TICKS_PER_S, ticks};

/// An item is taken from this far beyond touching its centre.
const REACH_PX: f64 = 6.0;

/// The sides of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Team 0 against team 1.
    TwoTeams,
    /// Everyone against everyone.
    FreeForAll,
}

/// Players of one game at most: the last number stands for turrets.
pub const MAX_PLAYERS: usize = A_TURRET as usize;

/// A running game.
#[derive(Clone, Debug)]
pub struct World {
    level: Arc<Level>,
    mode: Mode,
    tick: u64,
    round_began_tick: u64,
    random: SplitMix64,
    players: Vec<Player>,
    next_id: u16,
    next_shot: u32,
    shots: Vec<Shot>,
    turrets: Vec<Turret>,
    /// Per item of the level, the tick it lies there again; 0 when it does.
    items: Vec<u64>,
    points: BTreeMap<Team, u32>,
    events: Vec<Event>,
    /// See [`World::bring_newcomers_near`].
    newcomers_near: bool,
}

impl World {
    /// An empty game at tick 0. A shared level may be given as an [`Arc`].
    #[must_use]
    pub fn new(level: impl Into<Arc<Level>>, mode: Mode, seed: u64) -> Self {
        let level = level.into();
        Self {
            tick: 0,
            round_began_tick: 0,
            random: SplitMix64::new(seed),
            players: Vec::new(),
            next_id: 0,
            next_shot: 0,
            shots: Vec::new(),
            turrets: vec![Turret::default(); level.file().turrets.len()],
            items: vec![0; level.file().items.len()],
            points: BTreeMap::new(),
            events: Vec::new(),
            newcomers_near: false,
            level,
            mode,
        }
    }

    /// A new player joins the smaller team and is born in the next step.
    ///
    /// # Panics
    /// When [`MAX_PLAYERS`] play already; [`World::try_join`] says so instead.
    pub fn join(&mut self) -> PlayerId {
        self.try_join().expect("fewer than MAX_PLAYERS play")
    }

    /// The same; `None` when [`MAX_PLAYERS`] play already.
    pub fn try_join(&mut self) -> Option<PlayerId> {
        let id = self.free_id()?;
        let size = |team| self.players.iter().filter(|it| it.team == Team(team)).count();
        let team = match self.mode {
            Mode::FreeForAll => Team(id.0),
            Mode::TwoTeams => Team(u16::from(size(1) < size(0))),
        };
        let place = self.players.partition_point(|it| it.id < id);
        self.players.insert(place, Player::unborn(id, team));
        Some(id)
    }

    /// The same, but its client moves it: see [`World::place`].
    pub fn try_join_free(&mut self) -> Option<PlayerId> {
        let id = self.try_join()?;
        let place = self.place_of(id)?;
        self.players[place].moves_itself = true;
        Some(id)
    }

    /// The next id after the last one given that nobody has, and no turret.
    fn free_id(&mut self) -> Option<PlayerId> {
        if self.players.len() >= MAX_PLAYERS {
            return None;
        }
        loop {
            let id = PlayerId(self.next_id);
            self.next_id = (self.next_id + 1) % A_TURRET;
            if self.place_of(id).is_none() {
                return Some(id);
            }
        }
    }

    /// Says where a living player that moves itself is, before the next step. Places outside the
    /// level and numbers that are not finite change nothing; walls are not looked at.
    pub fn place(&mut self, id: PlayerId, at: DVec3, velocity: DVec3, facing: DVec3) {
        let Some(place) = self.place_of(id) else { return };
        let size_px = self.level.size_px();
        let within = at.cmpge(DVec3::ZERO).all() && at.cmple(size_px).all();
        let player = &mut self.players[place];
        if !(within && velocity.is_finite() && player.is_alive && player.moves_itself) {
            return;
        }
        player.position = at.with_z(0.0);
        player.velocity = velocity.with_z(0.0);
        if let Some(facing) = facing.with_z(0.0).try_normalize() {
            (player.aim, player.heading) = (facing, facing);
        }
    }

    /// Shows what a client knows of a game that runs elsewhere, for [`Bots`](crate::Bots) to
    /// decide by: this tick, these players. Rules are not applied.
    pub fn replace_state(
        &mut self,
        tick: u64,
        players: impl IntoIterator<Item = Player>,
        items: u64,
    ) {
        self.tick = tick;
        self.events.clear();
        self.players.clear();
        self.players.extend(players);
        self.players.sort_by_key(|it| it.id);
        self.players.dedup_by_key(|it| it.id);
        for (number, back) in self.items.iter_mut().enumerate().take(64) {
            *back = if items >> number & 1 == 1 { 0 } else { u64::MAX };
        }
    }

    /// A player is gone for good; its shots fly on. False when there is none of that id.
    pub fn leave(&mut self, id: PlayerId) -> bool {
        let before = self.players.len();
        self.players.retain(|it| it.id != id);
        self.players.len() < before
    }

    /// One tick of the game. Players without an input stand still; unknown ids are ignored.
    pub fn step(&mut self, inputs: &[(PlayerId, Input)]) {
        self.events.clear();
        self.tick += 1;
        self.bear();
        let mut acts = vec![Input::default(); self.players.len()];
        for (id, input) in inputs {
            if let Some(place) = self.place_of(*id) {
                acts[place] = *input;
            }
        }
        for (player, act) in self.players.iter_mut().zip(&acts) {
            if player.is_alive && !player.moves_itself {
                player.advance(act, &self.level);
            }
        }
        self.keep_apart();
        for (place, act) in acts.iter().enumerate() {
            if act.fire && self.players[place].is_alive {
                self.fire(place);
            }
        }
        self.run_turrets();
        self.fly();
        self.hand_out_items();
        self.end_round();
    }

    /// Respawns players that have been dead long enough.
    fn bear(&mut self) {
        for place in 0..self.players.len() {
            let player = &self.players[place];
            if !player.is_alive && self.tick >= player.rebirth_tick {
                self.give_birth(place);
            }
        }
    }

    fn give_birth(&mut self, number: usize) {
        let (id, team) = (self.players[number].id, self.players[number].team);
        let at = self.draw_company(number).unwrap_or_else(|| self.draw_spawn(team));
        let towards = (self.level.size_px() * 0.5 - at).normalize_or(DVec3::X);
        let rules = &self.level.file().rules;
        let player = &mut self.players[number];
        *player = Player {
            position: at,
            heading: towards,
            aim: towards,
            health: rules.health,
            ammo: rules.ammo,
            is_alive: true,
            moves_itself: player.moves_itself,
            since_tick: self.tick,
            kills: player.kills,
            deaths: player.deaths,
            ..Player::unborn(id, team)
        };
        self.events.push(Event::Born { who: id, at });
    }

    /// One of the team's spawn points, without company if possible.
    fn draw_spawn(&mut self, team: Team) -> DVec3 {
        let file = self.level.file();
        let is_taken = |at: DVec3| {
            let mut living = self.players.iter().filter(|it| it.is_alive);
            living.any(|it| it.position.distance(at) < 4.0 * file.body.radius_px)
        };
        let everyones = self.mode == Mode::FreeForAll;
        let ours =
            file.spawns.iter().filter(|it| everyones || it.team.is_none_or(|of| Team(of) == team));
        let spots: Vec<DVec3> = ours.map(|it| place(it.at)).collect();
        let empty: Vec<DVec3> = spots.iter().copied().filter(|at| !is_taken(*at)).collect();
        let choice = if empty.is_empty() { spots } else { empty };
        choice[self.random.below(choice.len())]
    }

    pub(crate) fn die(&mut self, place: usize, by: Shooter) {
        let player = &mut self.players[place];
        player.is_alive = false;
        player.velocity = DVec3::ZERO;
        player.since_tick = self.tick;
        player.rebirth_tick = self.tick + ticks(self.level.file().rules.respawn_s);
        player.deaths += 1;
        self.events.push(Event::Died { who: player.id, by, at: player.position });
        if let Shooter::Player(killer) = by
            && let Some(killer) = self.place_of(killer)
        {
            self.players[killer].kills += 1;
            *self.points.entry(self.players[killer].team).or_default() += 1;
        }
    }

    /// Pushes overlapping bodies apart, half each, as far as walls allow.
    fn keep_apart(&mut self) {
        let radius_px = self.level.file().body.radius_px;
        for a in 0..self.players.len() {
            for b in a + 1..self.players.len() {
                let (one, other) = (&self.players[a], &self.players[b]);
                let gap = other.position - one.position;
                let near = gap.length_squared() < 4.0 * radius_px * radius_px;
                if !(near && one.is_alive && other.is_alive) {
                    continue;
                }
                let along = gap.normalize_or(DVec3::X);
                // Never further than a wall is thick, and softly: a tenth of the overlap a tick.
                let push = (2.0 * radius_px - gap.length()) * 0.1;
                for (place, shift) in [(a, along * -push), (b, along * push)] {
                    if self.players[place].moves_itself {
                        continue; // its client knows where it is
                    }
                    let wanted = self.players[place].position + shift;
                    self.players[place].move_to(wanted, &self.level);
                }
            }
        }
    }

    fn hand_out_items(&mut self) {
        let level = Arc::clone(&self.level);
        let reach_px = level.file().body.radius_px + REACH_PX;
        for (item, spot) in level.file().items.iter().enumerate() {
            if self.items[item] > self.tick {
                continue;
            }
            if self.items[item] != 0 {
                self.items[item] = 0;
                self.events.push(Event::Returned { item });
            }
            let at = place(spot.at);
            let taker = self.players.iter_mut().find(|it| {
                it.is_alive && it.position.distance(at) <= reach_px && needs(it, spot.kind, &level)
            });
            if let Some(taker) = taker {
                restore(taker, spot.kind, spot.amount, &level);
                self.items[item] = self.tick + ticks(spot.respawn_s);
                self.events.push(Event::Took { who: taker.id, item });
            }
        }
    }

    /// When a team has enough points or the time is over, everything begins anew.
    fn end_round(&mut self) {
        let rules = &self.level.file().rules;
        let best = self.points.values().max().copied().unwrap_or(0);
        let over = self.tick - self.round_began_tick >= ticks(rules.round_s);
        if best < rules.points_to_win && !over {
            return;
        }
        let mut leaders = self.points.iter().filter(|it| *it.1 == best).map(|it| *it.0);
        let winner = leaders.next().filter(|_| leaders.next().is_none());
        self.events.push(Event::RoundOver { winner });
        self.points.clear();
        self.shots.clear();
        self.items.fill(0);
        self.turrets.fill(Turret::default());
        self.round_began_tick = self.tick;
        for player in &mut self.players {
            player.is_alive = false; // and born again in the next tick
            player.velocity = DVec3::ZERO;
            player.since_tick = self.tick;
            player.rebirth_tick = 0;
            // Kills of a team add up to its points.
            (player.kills, player.deaths) = (0, 0);
        }
    }

    fn place_of(&self, id: PlayerId) -> Option<usize> {
        self.players.binary_search_by_key(&id, |it| it.id).ok()
    }

    /// Where it takes place.
    #[must_use]
    pub fn level(&self) -> &Level {
        &self.level
    }

    /// How long the round still lasts.
    #[must_use]
    pub fn round_left_s(&self) -> f64 {
        let lasts = ticks(self.level.file().rules.round_s);
        let left = lasts.saturating_sub(self.tick - self.round_began_tick);
        left as f64 / f64::from(TICKS_PER_S)
    }

    /// How long a player is still dead; 0 for the living and unknown.
    #[must_use]
    pub fn respawn_left_s(&self, id: PlayerId) -> f64 {
        let dead = self.player(id).filter(|it| !it.is_alive);
        let left = dead.map_or(0, |it| it.rebirth_tick.saturating_sub(self.tick));
        left as f64 / f64::from(TICKS_PER_S)
    }

    /// Steps made so far.
    #[must_use]
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// The moment of the last step.
    #[must_use]
    pub fn now(&self) -> SimTime {
        SimTime::from_tick(self.tick.cast_signed(), TICKS_PER_S)
    }

    /// Everyone, dead or alive, by id.
    #[must_use]
    pub fn players(&self) -> &[Player] {
        &self.players
    }

    /// One of them.
    #[must_use]
    pub fn player(&self, id: PlayerId) -> Option<&Player> {
        self.place_of(id).map(|place| &self.players[place])
    }

    /// Per item of the level file, whether it lies there.
    #[must_use]
    pub fn items(&self) -> impl ExactSizeIterator<Item = bool> {
        self.items.iter().map(|back| *back == 0)
    }

    /// Shots in flight.
    #[must_use]
    pub fn shots(&self) -> &[Shot] {
        &self.shots
    }

    /// Per turret of the level file, what it does.
    #[must_use]
    pub fn turrets(&self) -> &[Turret] {
        &self.turrets
    }

    /// Kills in this round, by team; teams without any are absent.
    #[must_use]
    pub fn points(&self) -> &BTreeMap<Team, u32> {
        &self.points
    }

    /// What happened in the last step, in order.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }
}

fn needs(player: &Player, kind: ItemKind, level: &Level) -> bool {
    match kind {
        ItemKind::Health => player.health < level.file().rules.health,
        ItemKind::Ammo => player.ammo < level.file().rules.ammo_max,
    }
}

fn restore(player: &mut Player, kind: ItemKind, amount: u32, level: &Level) {
    let rules = &level.file().rules;
    match kind {
        ItemKind::Health => {
            player.health = (player.health + f64::from(amount)).min(rules.health);
        }
        ItemKind::Ammo => player.ammo = (player.ammo + amount).min(rules.ammo_max),
    }
}
