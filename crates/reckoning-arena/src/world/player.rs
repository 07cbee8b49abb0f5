//! One player: its input, its state, its motion.

use reckoning::{DQuat, DVec3, Kinematics, SimTime};

use crate::TICK_S;
use crate::level::{BodyKind, BodyRules, Level};

/// A player's number; never given to another one in the same world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlayerId(pub u16);

/// A side. In a free-for-all everyone has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Team(pub u16);

/// What a player does in one tick. The default is to stand and do nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Input {
    /// Where to go, in the directions of the level; length 1 is full speed, longer is cut.
    pub go: DVec3,
    /// Where to aim, as a direction of any length; zero keeps the aim.
    pub aim: DVec3,
    /// Whether the trigger is pulled.
    pub fire: bool,
}

/// Everything the others may know about a player.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Player {
    /// Its number.
    pub id: PlayerId,
    /// Its side.
    pub team: Team,
    /// Where its centre is.
    pub position: DVec3,
    /// Pixels per second.
    pub velocity: DVec3,
    /// Where it is headed, length 1. A tank goes only there; a walker went there last.
    pub heading: DVec3,
    /// Where its gun points, length 1.
    pub aim: DVec3,
    /// From 0 to the level's `rules.health`.
    pub health: f64,
    /// Shots left.
    pub ammo: u32,
    /// Whether it takes part; the dead wait where they fell.
    pub is_alive: bool,
    /// Its client moves it, by [`World::place`](crate::World::place); inputs do not.
    pub moves_itself: bool,
    /// The tick of its birth or death, whichever was last.
    pub since_tick: u64,
    /// Others it has killed.
    pub kills: u32,
    /// Times it has died.
    pub deaths: u32,
    /// The first tick it may shoot again.
    pub(crate) loaded_tick: u64,
    /// When dead, the tick it lives again.
    pub(crate) rebirth_tick: u64,
}

impl Player {
    /// A player that waits for its first birth.
    pub(crate) fn unborn(id: PlayerId, team: Team) -> Self {
        Self {
            id,
            team,
            position: DVec3::ZERO,
            velocity: DVec3::ZERO,
            heading: DVec3::X,
            aim: DVec3::X,
            health: 0.0,
            ammo: 0,
            is_alive: false,
            moves_itself: false,
            since_tick: 0,
            kills: 0,
            deaths: 0,
            loaded_tick: 0,
            rebirth_tick: 0,
        }
    }

    /// Its motion in the engine's terms, ready for a publisher. A walker faces its aim, a
    /// tank its heading.
    #[must_use]
    pub fn kinematics(&self, now: SimTime, kind: BodyKind) -> Kinematics {
        let facing = match kind {
            BodyKind::Walker => self.aim,
            BodyKind::Tank => self.heading,
        };
        let half_rad = 0.5 * libm::atan2(facing.y, facing.x);
        let mut seen = Kinematics::moving(now, self.position, self.velocity);
        seen.orientation = DQuat::from_xyzw(0.0, 0.0, libm::sin(half_rad), libm::cos(half_rad));
        seen
    }

    /// A living player in this place, for a client that moves its own body: the server knows
    /// the rest of it better.
    #[must_use]
    pub fn standing(id: PlayerId, team: Team, at: DVec3, facing: DVec3) -> Self {
        let facing = flat(facing).try_normalize().unwrap_or(DVec3::X);
        let (position, heading, aim, is_alive) = (flat(at), facing, facing, true);
        Self { position, heading, aim, is_alive, ..Self::unborn(id, team) }
    }

    /// One tick of walking or driving, among walls only.
    pub fn advance(&mut self, input: &Input, level: &Level) {
        self.advance_as(input, &level.file().body, level);
    }

    /// The same with a body of other rules, as wide as the level's: a vehicle.
    pub fn advance_as(&mut self, input: &Input, body: &BodyRules, level: &Level) {
        let go = flat(input.go).clamp_length_max(1.0);
        self.aim = flat(input.aim).try_normalize().unwrap_or(self.aim);
        match body.kind {
            BodyKind::Walker => self.walk(go, body),
            BodyKind::Tank => self.drive(go, body),
        }
        let wanted = self.position + self.velocity * TICK_S;
        self.move_to(wanted, level);
    }

    /// Goes to `wanted` as far as the walls allow and loses the speed into them.
    pub(crate) fn move_to(&mut self, wanted: DVec3, level: &Level) {
        let radius_px = level.file().body.radius_px;
        let (reached, away) = level.walls().slide(self.position, wanted, radius_px);
        self.velocity -= away * self.velocity.dot(away).min(0.0);
        if reached == self.position && reached != wanted {
            self.velocity = DVec3::ZERO; // wedged
        }
        self.position = reached;
    }

    fn walk(&mut self, go: DVec3, body: &BodyRules) {
        let rate = if go == DVec3::ZERO { body.braking_px_s2 } else { body.acceleration_px_s2 };
        let change = go * body.speed_px_s - self.velocity;
        self.velocity += change.clamp_length_max(rate * TICK_S);
        self.heading = go.try_normalize().unwrap_or(self.heading);
    }

    fn drive(&mut self, go: DVec3, body: &BodyRules) {
        let along = go.try_normalize().unwrap_or(self.heading);
        self.heading = turned(self.heading, along, body.turn_deg_s.to_radians() * TICK_S);
        // A tank that has to turn far does so nearly on the spot.
        let ahead = self.heading.dot(along).max(0.0);
        let wanted = go.length() * body.speed_px_s * ahead * ahead;
        let speed = self.velocity.dot(self.heading).max(0.0);
        let rate = if wanted > speed { body.acceleration_px_s2 } else { body.braking_px_s2 };
        let change = (wanted - speed).clamp(-rate * TICK_S, rate * TICK_S);
        self.velocity = self.heading * (speed + change);
    }
}

/// Without what does not belong on a flat level; zero for nonsense.
fn flat(v: DVec3) -> DVec3 {
    if v.is_finite() { DVec3::new(v.x, v.y, 0.0) } else { DVec3::ZERO }
}

/// `from`, turned towards `to` by at most `most_rad`. Both have length 1.
pub(crate) fn turned(from: DVec3, to: DVec3, most_rad: f64) -> DVec3 {
    let angle = libm::atan2(from.x * to.y - from.y * to.x, from.dot(to));
    if angle.abs() <= most_rad {
        return to;
    }
    let turn = most_rad.copysign(angle);
    let (sin, cos) = (libm::sin(turn), libm::cos(turn));
    DVec3::new(from.x * cos - from.y * sin, from.x * sin + from.y * cos, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player_on(level: &Level) -> Player {
        let mut player = Player::unborn(PlayerId(0), Team(0));
        player.position = level.size_px() * 0.4;
        player
    }

    fn input(go: DVec3) -> Input {
        Input { go, ..Input::default() }
    }

    #[test]
    fn a_walker_reaches_its_top_speed_and_no_more() {
        let level = Level::built_in("proving-grounds").unwrap();
        let mut player = player_on(&level);
        for _ in 0..11 {
            player.advance(&input(DVec3::new(3.0, 0.0, 9.0)), &level);
        }
        assert!(player.velocity.x < 440.0);
        for _ in 0..3 {
            player.advance(&input(DVec3::X), &level);
        }
        assert_eq!(player.velocity, DVec3::X * 440.0);
    }

    #[test]
    fn a_tank_turns_before_it_goes_back() {
        let level = Level::built_in("tank-field").unwrap();
        let mut player = player_on(&level);
        let start = player.position;
        player.advance(&input(DVec3::NEG_X), &level);
        assert_eq!(player.velocity, DVec3::ZERO);
        for _ in 0..120 {
            player.advance(&input(DVec3::NEG_X), &level);
            assert!(player.velocity.dot(player.heading) >= player.velocity.length() - 1e-9);
        }
        assert!(player.position.x < start.x - 20.0);
    }

    #[test]
    fn nonsense_input_changes_nothing() {
        let level = Level::built_in("tank-field").unwrap();
        let mut player = player_on(&level);
        let before = player;
        let wild = DVec3::new(f64::NAN, f64::INFINITY, 1.0);
        player.advance(&Input { go: wild, aim: wild, fire: false }, &level);
        assert_eq!(player, before);
    }
}
