//! What somebody sees who watches a game: errors of three pictures, and how smooth ours is.

use std::collections::{BTreeMap, VecDeque};

use reckoning::{DVec3, SimTime};
use reckoning_arena::TICKS_PER_S;
use reckoning_arena::protocol::Properties;
use reckoning_net::EntityId;

use crate::arena_play::{ArenaPlay, STEP};

/// Who was just born is not judged: nobody can know of it before its message arrives.
const BORN_TICKS: u64 = TICKS_PER_S as u64;
/// How far behind the newest positions interpolation shows.
const PAST_S: f64 = 0.1;
/// Positions of a body that are remembered: two seconds of twenty.
const REMEMBERED: usize = 40;
/// Between two positions further apart than this a body was born.
const LEAP_PX: f64 = 200.0;

/// Errors of one picture.
#[derive(Clone, Debug, Default)]
pub(super) struct Errors {
    px: Vec<f64>,
}

impl Errors {
    fn note(&mut self, shown: DVec3, truth: DVec3) {
        self.px.push(shown.distance(truth));
    }

    pub(super) fn mean_px(&self) -> f64 {
        self.px.iter().sum::<f64>() / self.px.len().max(1) as f64
    }

    pub(super) fn p95_px(&self) -> f64 {
        let mut sorted = self.px.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() * 95 / 100).copied().unwrap_or(0.0)
    }
}

/// A mean of squares.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Squares {
    sum: f64,
    count: u32,
}

impl Squares {
    fn note(&mut self, vector: DVec3) {
        self.sum += vector.length_squared();
        self.count += 1;
    }

    pub(super) fn root(&self) -> f64 {
        libm::sqrt(self.sum / f64::from(self.count.max(1)))
    }
}

/// What was seen of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct Looks {
    pub(super) shown: Errors,
    pub(super) believed: Errors,
    pub(super) naive: Errors,
    pub(super) past: Errors,
    pub(super) jerk: Squares,
    pub(super) acceleration: Squares,
    pub(super) updates: u64,
    pub(super) bytes: u64,
    pub(super) plain_updates: u64,
    pub(super) plain_bytes: u64,
}

/// One body as it was seen of late.
#[derive(Debug, Default)]
struct Watched {
    /// Positions received, oldest first.
    positions: VecDeque<(SimTime, DVec3)>,
    /// Where it was shown in the last three frames, and where it was; the newest last.
    frames: VecDeque<[DVec3; 2]>,
}

impl Watched {
    fn hear(&mut self, at: SimTime, position: DVec3) {
        let place = self.positions.partition_point(|it| it.0 < at);
        self.positions.insert(place, (at, position));
        if self.positions.len() > REMEMBERED {
            self.positions.pop_front();
        }
    }

    fn past(&self, at: SimTime) -> Option<DVec3> {
        let after = self.positions.partition_point(|it| it.0 <= at);
        let Some(before) = after.checked_sub(1).and_then(|it| self.positions.get(it)) else {
            return self.positions.front().map(|it| it.1);
        };
        let Some(next) = self.positions.get(after) else { return Some(before.1) };
        let way = next.1 - before.1;
        if way.length() > LEAP_PX {
            return Some(before.1);
        }
        Some(before.1 + way * (at.secs_since(before.0) / next.0.secs_since(before.0)))
    }

    fn show(&mut self, shown: DVec3, truth: DVec3, looks: &mut Looks) {
        self.frames.push_back([shown, truth]);
        if self.frames.len() < 4 {
            return;
        }
        let [a, b, c, d] = [0, 1, 2, 3].map(|place| self.frames[place]);
        let dt_s = STEP.as_secs_f64();
        let second = [0, 1].map(|it| (d[it] - c[it] * 2.0 + b[it]) / (dt_s * dt_s));
        looks.jerk.note((d[0] - c[0] * 3.0 + b[0] * 3.0 - a[0]) / (dt_s * dt_s * dt_s));
        looks.acceleration.note(second[0] - second[1]);
        self.frames.pop_front();
    }
}

/// Watches a game.
#[derive(Debug, Default)]
pub(super) struct Onlooker {
    bodies: BTreeMap<u32, Watched>,
    /// By how much the stamps of positions lead our clock at most, in seconds.
    lead_s: Option<f64>,
    looks: Looks,
}

impl Onlooker {
    /// Takes in the positions that came.
    pub(super) fn hear(&mut self, play: &ArenaPlay) {
        for (arrived, bytes, snapshot) in &play.heard {
            let lead_s = snapshot.at.secs_since(*arrived);
            self.lead_s = Some(self.lead_s.map_or(lead_s, |most_s| most_s.max(lead_s)));
            self.looks.plain_bytes += u64::from(*bytes);
            self.looks.plain_updates += snapshot.bodies.len() as u64;
            for body in &snapshot.bodies {
                let [x, y] = body.at.map(f64::from);
                let watched = self.bodies.entry(body.entity).or_default();
                watched.hear(snapshot.at, DVec3::new(x, y, 0.0));
            }
        }
    }

    /// From now on everything counts.
    pub(super) fn begin(&mut self, play: &ArenaPlay) {
        (self.looks.plain_updates, self.looks.plain_bytes) = (0, 0);
        (self.looks.updates, self.looks.bytes) = counted(play);
    }

    /// What was seen since it began.
    pub(super) fn end(mut self, play: &ArenaPlay) -> Looks {
        let (updates, bytes) = counted(play);
        self.looks.updates = updates - self.looks.updates;
        self.looks.bytes = bytes - self.looks.bytes;
        self.looks
    }

    /// Compares every picture of a frame with the truth.
    pub(super) fn look(&mut self, play: &ArenaPlay) {
        let Some(at) = play.watcher.timeline_at(play.now) else { return };
        let Some(properties) = Properties::declared(play.watcher.kinds()) else { return };
        let past = self.lead_s.map(|lead_s| play.now.as_secs_f64() + lead_s - PAST_S);
        let tick = play.arena.world().tick();
        for (EntityId(entity), remote) in play.watcher.ghosts() {
            let watched = self.bodies.entry(entity).or_default();
            let player = play
                .arena
                .world()
                .players()
                .iter()
                .find(|it| play.arena.entity_of(it.id) == Some(EntityId(entity)));
            let is_alive = properties.state(&play.watcher, EntityId(entity)).is_alive;
            let judged = player.filter(|it| is_alive && tick >= it.since_tick + BORN_TICKS);
            let newest = watched.positions.back().map(|it| it.1);
            let (Some(player), Some(newest)) = (judged, newest) else {
                watched.frames.clear();
                continue;
            };
            let (ghost, truth) = (remote.ghost(), player.position);
            let shown = ghost.position_at(at);
            self.looks.shown.note(shown, truth);
            self.looks.believed.note(ghost.update().position_at(at), truth);
            self.looks.naive.note(newest, truth);
            if let Some(past) = past.and_then(|it| watched.past(SimTime::from_secs_f64(it))) {
                self.looks.past.note(past, truth);
            }
            watched.show(shown, truth, &mut self.looks);
        }
    }
}

/// Updates and bytes that arrived so far.
const fn counted(play: &ArenaPlay) -> (u64, u64) {
    let stats = play.watcher.stats();
    (stats.updates_in, stats.bytes_in - stats.carried_bytes_in)
}
