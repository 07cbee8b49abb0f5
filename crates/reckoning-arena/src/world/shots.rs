//! Shots in flight, and the turrets.

use reckoning::random::SplitMix64;
use reckoning::{DVec3, SimTime};

use super::World;
use super::event::{Event, Shooter};
use super::player::{Player, PlayerId, Team};
use crate::level::{Level, place};
use crate::{TICK_S, ticks};

/// A turret misses by this much of its target's distance, as a standard deviation.
const TURRET_SPREAD: f64 = 0.05;
/// A turret looks round this often; nobody notices a tenth of a second.
const TURRET_LOOK_TICKS: u64 = 6;

/// A bullet on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shot {
    /// Counts shots.
    pub number: u32,
    /// Where it is.
    pub position: DVec3,
    /// Pixels per second.
    pub velocity: DVec3,
    /// How far it still flies.
    pub left_px: f64,
    /// The health it takes.
    pub damage: f64,
    /// The shooter.
    pub by: Shooter,
    /// The team it passes through; turrets have none.
    pub team: Option<Team>,
}

/// A turret's state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Turret {
    /// Whom it follows.
    pub target: Option<PlayerId>,
    /// The first tick it may fire.
    pub ready_tick: u64,
}

impl World {
    /// Fires for all that pull the trigger, are loaded and have shots left.
    pub(super) fn fire(&mut self, place: usize) {
        let gun = self.level.file().gun;
        let player = &mut self.players[place];
        if player.ammo == 0 || self.tick < player.loaded_tick {
            return;
        }
        player.ammo -= 1;
        player.loaded_tick = self.tick + ticks(gun.pause_s);
        let shot = Shot {
            number: 0,
            position: player.position,
            velocity: player.aim * gun.speed_px_s,
            left_px: gun.range_px,
            damage: gun.damage,
            by: Shooter::Player(player.id),
            team: Some(player.team),
        };
        let shot = self.launch(shot, None);
        self.shots.push(shot);
    }

    /// Gives a shot its number and reports it.
    fn launch(&mut self, shot: Shot, fired: Option<SimTime>) -> Shot {
        let number = self.next_shot;
        self.next_shot = self.next_shot.wrapping_add(1);
        let Shot { by, position: from, velocity, .. } = shot;
        self.events.push(Event::Fired { by, from, velocity, shot: number, fired });
        Shot { number, ..shot }
    }

    /// A player that moves itself fired at a moment so many steps ago, from a place along a
    /// direction of length 1. Until now the shot flies through what the player saw: `seen` gives
    /// the place of another player after so many steps, unless it was not shown. The time between
    /// shots is the caller's to keep. Returns the number of the shot, `None` if the player is
    /// dead or has no shots left.
    ///
    /// Call it after [`World::step`]; what happens is added to [`World::events`].
    pub fn fire_lag_compensated(
        &mut self,
        id: PlayerId,
        (from, along): (DVec3, DVec3),
        (fired, steps): (SimTime, u32),
        mut seen: impl FnMut(PlayerId, u32) -> Option<DVec3>,
    ) -> Option<u32> {
        let gun = self.level.file().gun;
        let place = self.place_of(id)?;
        let player = &mut self.players[place];
        if !player.is_alive || player.ammo == 0 || !from.is_finite() {
            return None;
        }
        player.ammo -= 1;
        // It is the caller that keeps the pause; this is for whoever wants to know of it.
        player.loaded_tick = (self.tick + ticks(gun.pause_s)).saturating_sub(u64::from(steps));
        let shot = Shot {
            number: 0,
            position: from,
            velocity: along * gun.speed_px_s,
            left_px: gun.range_px,
            damage: gun.damage,
            by: Shooter::Player(id),
            team: Some(player.team),
        };
        let mut shot = self.launch(shot, Some(fired));
        for step in 1..=steps {
            let bodies: Vec<_> = self
                .players
                .iter()
                .map(|it| if it.is_alive { seen(it.id, step) } else { None })
                .collect();
            if !self.fly_one(&mut shot, |place, _| bodies[place]) {
                return Some(shot.number);
            }
        }
        self.shots.push(shot);
        Some(shot.number)
    }

    /// Turrets follow and shoot whoever they see first.
    pub(super) fn run_turrets(&mut self) {
        for number in 0..self.turrets.len() {
            if self.tick.is_multiple_of(TURRET_LOOK_TICKS) {
                self.look_round(number);
            }
            let turret = self.turrets[number];
            let ready = self.tick >= turret.ready_tick;
            let target = turret.target.and_then(|id| self.player(id)).filter(|it| it.is_alive);
            if let Some(target) = target.filter(|_| ready) {
                let at = target.position;
                self.fire_turret(number, at);
            }
        }
    }

    /// Keeps its target while it sees it, otherwise takes the nearest in sight.
    fn look_round(&mut self, number: usize) {
        let spot = self.level.file().turrets[number];
        let gun = place(spot.at);
        let sees =
            |at: DVec3| at.distance(gun) <= spot.range_px && self.level.walls().sees(gun, at);
        let mut seen: Vec<_> = self
            .players
            .iter()
            .filter(|it| it.is_alive && sees(it.position))
            .map(|it| (it.position.distance(gun), it.id))
            .collect();
        seen.sort_by(|a, b| a.0.total_cmp(&b.0));
        let turret = &mut self.turrets[number];
        if turret.target.is_none_or(|target| seen.iter().all(|it| it.1 != target)) {
            turret.target = seen.first().map(|it| it.1);
            turret.ready_tick = turret.ready_tick.max(self.tick + ticks(spot.warm_up_s));
        }
    }

    fn fire_turret(&mut self, number: usize, at: DVec3) {
        let (spot, gun) = (self.level.file().turrets[number], self.level.file().gun);
        let from = place(spot.at);
        let off = spread(&mut self.random, from.distance(at) * TURRET_SPREAD);
        let Some(along) = (at + off - from).try_normalize() else { return };
        let by = Shooter::Turret(number);
        self.turrets[number].ready_tick = self.tick + ticks(spot.pause_s);
        let shot = Shot {
            number: 0,
            position: from,
            velocity: along * gun.speed_px_s,
            left_px: spot.range_px,
            damage: spot.damage,
            by,
            team: None,
        };
        let shot = self.launch(shot, None);
        self.shots.push(shot);
    }

    /// Moves every shot by a tick; those that meet something or are spent are gone.
    pub(super) fn fly(&mut self) {
        let mut shots = std::mem::take(&mut self.shots);
        shots.retain_mut(|shot| self.fly_one(shot, |_, player| Some(player.position)));
        self.shots = shots;
    }

    /// Moves a shot by a tick among players that are where `at` says. False when it is gone.
    fn fly_one(&mut self, shot: &mut Shot, at: impl Fn(usize, &Player) -> Option<DVec3>) -> bool {
        let step = (shot.velocity * TICK_S).clamp_length_max(shot.left_px);
        let (from, to) = (shot.position, shot.position + step);
        let struck = self.first_struck(shot, to, at);
        let wall = first_wall(&self.level, from, to);
        shot.position = to;
        shot.left_px -= step.length();
        match struck {
            Some((along, place)) if along <= wall => {
                self.strike(place, shot);
                false
            }
            _ => wall > 1.0 && shot.left_px > 0.0,
        }
    }

    /// The first living opponent on the way to `to`: how far along the way, and its place.
    fn first_struck(
        &self,
        shot: &Shot,
        to: DVec3,
        at: impl Fn(usize, &Player) -> Option<DVec3>,
    ) -> Option<(f64, usize)> {
        let radius_px = self.level.file().body.radius_px;
        let way = to - shot.position;
        let mut first: Option<(f64, usize)> = None;
        for (place, player) in self.players.iter().enumerate() {
            if !player.is_alive || shot.team == Some(player.team) {
                continue;
            }
            let Some(position) = at(place, player) else { continue };
            let gap = position - shot.position;
            let along = (gap.dot(way) / way.length_squared()).clamp(0.0, 1.0);
            let touches = (gap - way * along).length_squared() <= radius_px * radius_px;
            if touches && first.is_none_or(|it| along < it.0) {
                first = Some((along, place));
            }
        }
        first
    }

    fn strike(&mut self, place: usize, shot: &Shot) {
        let player = &mut self.players[place];
        player.health = (player.health - shot.damage).max(0.0);
        let (who, by) = (player.id, shot.by);
        self.events.push(Event::Hit { who, by, damage: shot.damage, shot: shot.number });
        if player.health <= 0.0 {
            self.die(place, by);
        }
    }
}

/// How far along the way a wall stops it; beyond 1 when none does.
fn first_wall(level: &Level, from: DVec3, to: DVec3) -> f64 {
    level.walls().first_hit(from, to).unwrap_or(f64::INFINITY)
}

/// A random shift with the given standard deviation on both axes.
fn spread(random: &mut SplitMix64, deviation_px: f64) -> DVec3 {
    DVec3::new(random.bell(), random.bell(), 0.0) * deviation_px
}
