//! The game as the page knows it: bodies, shots, items, score and kill feed.

use std::collections::{BTreeMap, VecDeque};

use reckoning::ground::Pose;
use reckoning::orientation::heading_rad;
use reckoning::{DVec3, Ghost, SimTime, Update};
use reckoning_arena::protocol::{A_TURRET, NO_TEAM, PlayerState, ServerMessage};

/// Lines of the kill feed at most, and how long each stays.
const FEED_LINES: usize = 5;
const FEED_S: f64 = 7.0;
/// A shot whose end was never received is removed after this.
const SHOT_S: f64 = 3.0;
/// How long a strike flashes.
pub const FLASH_S: f64 = 0.25;

/// One body in the picture; places are those of this frame.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct SceneBody {
    /// Its number on the wire.
    pub entity: u32,
    /// Its player's number.
    pub player: u16,
    /// Its side.
    pub team: u8,
    /// It turns before it goes.
    pub is_tank: bool,
    /// Nobody sits behind it.
    pub is_bot: bool,
    /// It is ours.
    pub is_me: bool,
    /// It takes part.
    pub is_alive: bool,
    /// What to call it.
    pub name: String,
    /// Its health as a share of the most there is, where that is known.
    pub health_share: Option<f64>,
    /// Its shots left, where that is known.
    pub ammo: Option<u16>,
    /// Where Reckoning shows it, or where our own is.
    pub shown: DVec3,
    /// The largest error that the ghost had to shed since the last frame: its distance from the
    /// path of its newest update.
    pub offset_px: f64,
    /// How fast that path goes.
    pub path_px_s: f64,
    /// Where it looks, in radians.
    pub yaw_rad: f64,
    /// Where it really is.
    pub truth: Option<DVec3>,
    /// Where a naive game shows it.
    pub naive: Option<DVec3>,
    /// Where one shows it that draws the past.
    pub interpolated: Option<DVec3>,
    /// Where that would show it, were every datagram in time.
    pub interpolated_at_best: Option<DVec3>,
    /// It lives long enough that pictures of it can be judged.
    pub is_settled: bool,
    /// How far the update that leads it was on the way, in seconds.
    pub update_age_s: f64,
    /// It is shown as it was a moment ago.
    pub is_delayed: bool,
    /// It is a vehicle, and no player's body.
    pub is_vehicle: bool,
    /// Somebody drives it.
    pub has_driver: bool,
    /// The vehicle that it drives: it is there, and not drawn itself.
    pub rides: Option<u32>,
}

impl SceneBody {
    /// Takes over how its player is.
    pub fn know(&mut self, state: &PlayerState, most_health: f64) {
        self.name.clone_from(&state.name);
        (self.team, self.is_alive, self.rides) = (state.team, state.is_alive, state.rides);
        self.health_share = Some((f64::from(state.health) / most_health).clamp(0.0, 1.0));
    }

    /// Shows it as its ghost is at `now`, on the host's timeline, and by nothing else: hits are
    /// judged by the ghost, which the host draws again to the last bit. `before` is the moment of
    /// the last frame.
    pub fn show(&mut self, ghost: &Ghost, before: SimTime, now: SimTime) {
        let (pose, update) = (ghost.pose_at(now), ghost.update());
        self.shown = pose.position;
        self.yaw_rad = heading_rad(pose.orientation);
        self.offset_px = offset_px(ghost, before).max(offset_px(ghost, now));
        let path_px_s = |at| update.velocity_at(at).length();
        self.path_px_s = path_px_s(before).max(path_px_s(now));
        self.update_age_s = now.secs_since(update.at());
        self.is_delayed = false;
    }

    /// As a naive game draws it, where that is known; our own is drawn where it is in both.
    #[must_use]
    pub fn drawn_naively(&self) -> Self {
        let shown = self.naive.filter(|_| !self.is_me).unwrap_or(self.shown);
        Self { shown, ..self.clone() }
    }

    /// Shows it somewhere else than a reckoned ghost is: as it was a moment ago, or on the way to
    /// that or from it. Then there is no error that a blend sheds.
    pub fn show_at(&mut self, pose: Pose, update: &Update, is_delayed: bool, now: SimTime) {
        self.shown = pose.position;
        self.yaw_rad = heading_rad(pose.orientation);
        (self.offset_px, self.path_px_s) = (0.0, update.velocity_at(now).length());
        self.update_age_s = now.secs_since(update.at());
        self.is_delayed = is_delayed;
    }
}

/// The error that a ghost has still to shed. At a moment before its newest update came that is the
/// whole error which the update revealed.
fn offset_px(ghost: &Ghost, at: SimTime) -> f64 {
    ghost.update().position_at(at).distance(ghost.position_at(at))
}

/// A bullet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bullet {
    /// The shooter; [`A_TURRET`] for a turret.
    pub shooter: u16,
    /// From where.
    pub from: DVec3,
    /// Pixels per second.
    pub velocity: DVec3,
    /// When, on the host's clock.
    pub at: SimTime,
    /// How long until a wall or its range ends it.
    pub lasts_s: f64,
}

/// A line of the kill feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kill {
    /// The shooter; `None` for a turret.
    pub by: Option<u16>,
    /// The victim.
    pub victim: u16,
    at: SimTime,
}

/// How our own player is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OwnStatus {
    /// From 0 to the level's most.
    pub health: f32,
    /// Shots left.
    pub ammo: u16,
    /// It takes part.
    pub is_alive: bool,
    /// Its gun could fire, by what the server last said.
    pub is_loaded: bool,
    /// When it lives again, on our clock.
    pub back_at: Option<SimTime>,
}

/// A player of the scoreboard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScoreEntry {
    /// Its name.
    pub name: String,
    /// Its side.
    pub team: u8,
    /// Others it has killed.
    pub kills: u16,
    /// Times it has died.
    pub deaths: u16,
}

/// Players of whom something is remembered: far more than play at once.
const MAX_REMEMBERED: usize = 1_024;

/// The game as the page knows it, beside where bodies are.
#[derive(Clone, Debug, Default)]
pub struct GameScene {
    /// Our player and our entity.
    pub me: Option<(u16, u32)>,
    /// How our own player is.
    pub status: OwnStatus,
    /// A bit for each item that lies there.
    pub items: u64,
    /// Of team 0 and team 1.
    pub scores: [u16; 2],
    /// How long the round lasts.
    pub round_left_s: u16,
    /// Bullets in flight, by number.
    pub bullets: BTreeMap<u32, Bullet>,
    /// Everyone seen so far, by player's number.
    pub board: BTreeMap<u16, ScoreEntry>,
    /// When each was struck last, on our clock.
    pub struck: BTreeMap<u16, SimTime>,
    /// What to say in large letters, and since when.
    pub banner: Option<(String, SimTime)>,
    /// What a key does here, and where to say so.
    pub hint: Option<(DVec3, &'static str)>,
    feed: VecDeque<Kill>,
}

impl GameScene {
    /// Handles a message from the server. `reach` says how long a bullet flies.
    pub fn hear(
        &mut self,
        now: SimTime,
        message: &ServerMessage,
        reach: impl Fn(DVec3, DVec3) -> f64,
    ) {
        match *message {
            ServerMessage::You { player, entity } => self.me = Some((player, entity)),
            ServerMessage::Items { bits } => self.items = bits,
            ServerMessage::Points { scores, round_left_s } => {
                (self.scores, self.round_left_s) = (scores, round_left_s);
            }
            ServerMessage::Shot { number, shooter, from, velocity, at } => {
                let (from, velocity) = (flat(from), flat(velocity));
                let lasts_s = reach(from, velocity).min(SHOT_S);
                self.bullets.insert(number, Bullet { shooter, from, velocity, at, lasts_s });
            }
            ServerMessage::Hit { number, victim, .. } => {
                self.bullets.remove(&number);
                self.struck.insert(victim, now);
            }
            ServerMessage::Died { player, by } => self.note_death(now, player, by),
            ServerMessage::RoundOver { winner } => {
                let text = match winner {
                    0 => "Blue wins the round",
                    NO_TEAM => "A draw",
                    _ => "Orange wins the round",
                };
                self.banner = Some((text.to_string(), now));
                self.bullets.clear();
            }
            _ => {}
        }
    }

    fn note_death(&mut self, now: SimTime, victim: u16, by: u16) {
        let by = (by != A_TURRET).then_some(by);
        self.feed.push_back(Kill { by, victim, at: now });
        if self.feed.len() > FEED_LINES {
            self.feed.pop_front();
        }
    }

    /// Somebody is in the game, and is like that.
    pub fn meet(&mut self, player: u16, state: &PlayerState) {
        let &PlayerState { team, kills, deaths, .. } = state;
        self.board.insert(player, ScoreEntry { name: state.name.clone(), team, kills, deaths });
    }

    /// Our own player is like that. The dead wait for as long as the level says.
    pub fn know_own(&mut self, now: SimTime, state: &PlayerState, respawn_s: f64) {
        let waits = || SimTime::from_micros(now.as_micros() + (respawn_s * 1e6) as i64);
        let back_at = self.status.back_at.or_else(|| self.status.is_alive.then(waits));
        let &PlayerState { health, ammo, is_alive, is_loaded, .. } = state;
        let back_at = back_at.filter(|_| !is_alive);
        self.status = OwnStatus { health, ammo, is_alive, is_loaded, back_at };
    }

    /// The kill feed, oldest first.
    pub fn feed(&self, now: SimTime) -> impl Iterator<Item = &Kill> {
        self.feed.iter().filter(move |it| now.secs_since(it.at) < FEED_S)
    }

    /// What to call a player.
    #[must_use]
    pub fn name_of(&self, player: u16) -> &str {
        self.board.get(&player).map_or("someone", |it| &it.name)
    }

    /// The side of a player.
    #[must_use]
    pub fn team_of(&self, player: u16) -> u8 {
        self.board.get(&player).map_or(0, |it| it.team)
    }

    /// Drops what is past: bullets that are spent at the host's time, flashes, and those of whom
    /// nothing was heard for longest when more than `MAX_REMEMBERED` came and went.
    pub fn clean(&mut self, now: SimTime, host_now: SimTime) {
        self.bullets.retain(|_, it| host_now.secs_since(it.at) <= it.lasts_s);
        self.struck.retain(|_, at| now.secs_since(*at) < FLASH_S);
        while self.board.len() > MAX_REMEMBERED {
            let me = self.me.map(|it| it.0);
            let dullest = self.board.iter().filter(|it| Some(*it.0) != me);
            let dullest =
                dullest.min_by_key(|it| (!it.1.name.is_empty(), it.1.kills)).map(|it| *it.0);
            let Some(dullest) = dullest else { break };
            self.board.remove(&dullest);
        }
    }

    /// Whether a player was struck just now.
    #[must_use]
    pub fn flashes(&self, player: u16, now: SimTime) -> bool {
        self.struck.get(&player).is_some_and(|at| now.secs_since(*at) < FLASH_S)
    }

    /// What is left of a team's score beside the kills of those we know: others left, or play where
    /// nothing is told of them.
    #[must_use]
    pub fn kills_of_others(&self, team: u8) -> u16 {
        let known = self.board.values().filter(|it| it.team == team);
        let kills = known.fold(0u16, |sum, it| sum.saturating_add(it.kills));
        self.scores.get(usize::from(team)).map_or(0, |score| score.saturating_sub(kills))
    }

    /// Everyone by kills, the best first, in two teams.
    #[must_use]
    pub fn ranking(&self, team: u8) -> Vec<(u16, &ScoreEntry)> {
        let mut all: Vec<_> =
            self.board.iter().filter(|it| it.1.team == team).map(|it| (*it.0, it.1)).collect();
        all.sort_by_key(|it| (std::cmp::Reverse(it.1.kills), it.1.deaths, it.0));
        all
    }
}

/// A place of the wire.
#[must_use]
pub fn flat([x, y]: [f32; 2]) -> DVec3 {
    DVec3::new(f64::from(x), f64::from(y), 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ms;

    fn heard(scene: &mut GameScene, now: SimTime, message: &ServerMessage) {
        scene.hear(now, message, |_, _| 0.5);
    }

    fn named(name: &str, team: u8) -> PlayerState {
        PlayerState { name: name.into(), team, is_alive: true, ..PlayerState::default() }
    }

    #[test]
    fn others_are_drawn_naively_where_that_is_known_and_our_own_never() {
        let naive = Some(DVec3::X);
        let body = SceneBody { naive, shown: DVec3::Y, ..SceneBody::default() };
        assert_eq!(body.drawn_naively().shown, DVec3::X);
        assert_eq!(SceneBody { is_me: true, ..body.clone() }.drawn_naively().shown, DVec3::Y);
        assert_eq!(SceneBody { naive: None, ..body }.drawn_naively().shown, DVec3::Y);
    }

    #[test]
    fn a_kill_is_in_the_feed_for_a_while() {
        let mut scene = GameScene::default();
        heard(&mut scene, ms(0), &ServerMessage::Died { player: 2, by: 1 });
        heard(&mut scene, ms(10), &ServerMessage::Died { player: 1, by: A_TURRET });
        let lines: Vec<_> = scene.feed(ms(20)).map(|it| (it.by, it.victim)).collect();
        assert_eq!(lines, [(Some(1), 2), (None, 1)]);
        assert_eq!(scene.feed(ms(8_000)).count(), 0);
    }

    #[test]
    fn a_bullet_flies_until_it_strikes_or_is_spent() {
        let mut scene = GameScene::default();
        for number in [1, 2] {
            let (from, velocity) = ([0.0; 2], [100.0, 0.0]);
            heard(
                &mut scene,
                ms(0),
                &ServerMessage::Shot { number, shooter: 3, from, velocity, at: ms(0) },
            );
        }
        heard(&mut scene, ms(100), &ServerMessage::Hit { number: 1, victim: 4, damage: 8.0 });
        assert!(scene.flashes(4, ms(200)) && !scene.flashes(4, ms(400)));
        scene.clean(ms(400), ms(400));
        assert_eq!(scene.bullets.keys().collect::<Vec<_>>(), [&2]);
        scene.clean(ms(600), ms(600));
        assert!(scene.bullets.is_empty());
    }

    #[test]
    fn players_that_come_and_go_for_weeks_leave_little_behind() {
        let mut scene = GameScene::default();
        scene.meet(7, &named("Ada", 0));
        scene.me = Some((7, 1));
        for player in 0..60_000 {
            let now = ms(i64::from(player) * 10);
            scene.meet(player, &named(if player == 7 { "Ada" } else { "" }, 0));
            heard(&mut scene, now, &ServerMessage::Hit { number: 1, victim: player, damage: 1.0 });
            heard(&mut scene, now, &ServerMessage::Died { player, by: A_TURRET });
            scene.clean(now, now);
        }
        let kept = [scene.board.len(), scene.struck.len()];
        assert!(kept.iter().all(|it| *it <= MAX_REMEMBERED), "{kept:?}");
        assert_eq!(scene.name_of(7), "Ada");
    }

    #[test]
    fn the_best_come_first() {
        let mut scene = GameScene::default();
        for (player, kills, deaths) in [(1, 0, 1), (2, 1, 0), (3, 1, 1)] {
            scene.meet(player, &PlayerState { kills, deaths, ..named("a", 0) });
        }
        let order: Vec<u16> = scene.ranking(0).iter().map(|it| it.0).collect();
        assert_eq!(order, [2, 3, 1]);
        assert!(scene.ranking(1).is_empty());
    }

    #[test]
    fn the_score_adds_up() {
        let mut scene = GameScene::default();
        for (player, team, kills) in [(1, 0, 2), (2, 0, 1), (3, 1, 4)] {
            scene.meet(player, &PlayerState { kills, ..named("a", team) });
        }
        heard(&mut scene, ms(0), &ServerMessage::Points { scores: [5, 4], round_left_s: 9 });
        assert_eq!([0, 1].map(|team| scene.kills_of_others(team)), [2, 0]);
        scene.meet(3, &PlayerState { kills: 5, ..named("a", 1) });
        assert_eq!(scene.kills_of_others(1), 0, "a kill is told before the score");
    }

    #[test]
    fn the_dead_know_when_they_live_again() {
        let mut scene = GameScene::default();
        scene.know_own(ms(500), &named("Ada", 0), 2.5);
        assert_eq!(scene.status.back_at, None);
        let dead = PlayerState { is_alive: false, ..named("Ada", 0) };
        scene.know_own(ms(1_000), &dead, 2.5);
        // The kill comes with another change; the wait goes on.
        scene.know_own(ms(1_100), &PlayerState { deaths: 1, ..dead }, 2.5);
        assert_eq!(scene.status.back_at, Some(ms(3_500)));
    }
}
