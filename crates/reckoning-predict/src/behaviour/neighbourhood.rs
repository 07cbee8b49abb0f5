//! Neighbourhood of a moving player: friends and enemies inside SHI's window, added up.
//!
//! SHI makes every sum anew on every tick. The sums only change when the window gains or
//! loses someone, so most ticks can use the last ones, and the answer is the same:
//!
//! ```text
//!   +------------------+
//!   |  sure  . . . . . |    those far from the edge cannot cross it for a while: their sums
//!   |      +---+       |    are made once. Those near it are few and kept in a list; their
//!   |      | o |  near |*   share is added again whenever one of them may have crossed.
//!   +------------------+
//! ```

use glam::DVec2;

use super::patterns::PatternsConfig;
use crate::scene::LivingBody;
use crate::{KnownBody, Scene};
use reckoning::math::sqrt;

/// How many near the edge are kept apart; more than that only cost time.
const MAX_NEAR: usize = 24;
/// The edge of the window is so broad, as a share of its smaller half.
const EDGE: f64 = 0.125;

/// Friends or enemies, added up.
#[derive(Clone, Copy)]
struct Side {
    count: f64,
    places: DVec2,
    strength: f64,
    nearest_sq: f64,
}

const NOBODY: Side =
    Side { count: 0.0, places: DVec2::ZERO, strength: 0.0, nearest_sq: f64::INFINITY };

impl Side {
    /// Sums instead of branches: who stands where is anyone's guess, the processor's too.
    #[inline]
    fn count(&mut self, player: &Neighbour, distance_sq: f64, counts: bool) {
        let weight = if counts { 1.0 } else { 0.0 };
        self.count += weight;
        self.places += player.place * weight;
        self.strength += player.influence * weight;
        let nearer = if counts { distance_sq } else { f64::INFINITY };
        self.nearest_sq = self.nearest_sq.min(nearer);
    }

    fn middle(&self) -> Option<DVec2> {
        (self.count > 0.0).then(|| self.places / self.count)
    }
}

/// One of the others.
#[derive(Clone, Copy)]
struct Neighbour {
    place: DVec2,
    influence: f64,
    friend: bool,
}

const NO_ONE: Neighbour = Neighbour { place: DVec2::ZERO, influence: 0.0, friend: false };

#[derive(Clone, Copy)]
struct Sides {
    friends: Side,
    enemies: Side,
}

impl Sides {
    #[inline]
    fn count(&mut self, player: &Neighbour, way: DVec2, inside: bool) {
        let distance_sq = way.length_squared();
        self.friends.count(player, distance_sq, inside && player.friend);
        self.enemies.count(player, distance_sq, inside && !player.friend);
    }
}

/// Who is near the predicted player, kept up to date as he moves.
pub(super) struct Neighbourhood<'s, 'a> {
    scene: &'s Scene<'a>,
    config: &'s PatternsConfig,
    place: u32,
    /// The middle of the friends nearby; SHI's (6).
    pub friends_middle: Option<DVec2>,
    enemies_middle: Option<DVec2>,
    /// Where bravery leads if there are friends nearby.
    pub bravery_goal: DVec2,
    /// Whether an enemy is within SHI's W.
    pub in_battle: bool,
    /// How far the nearest player was at the start.
    pub nearest_m: f64,
    /// How far before (or, negative, behind) the friends' middle.
    advance_m: f64,
    /// All the above holds within this of there (along x or y).
    holds: (DVec2, f64),
    /// Those counted in it neither enter nor leave within this of there.
    sure_holds: (DVec2, f64),
    sure: Sides,
    sure_battle: bool,
    near: [Neighbour; MAX_NEAR],
    near_count: usize,
}

impl<'s, 'a> Neighbourhood<'s, 'a> {
    /// Counts who is near the body at `place` in the scene.
    pub fn around(scene: &'s Scene<'a>, place: u32, config: &'s PatternsConfig) -> Self {
        let at = scene.bodies()[place as usize].kinematics.position.truncate();
        let mut neighbourhood = Self {
            scene,
            config,
            place,
            friends_middle: None,
            enemies_middle: None,
            bravery_goal: at,
            in_battle: false,
            nearest_m: f64::INFINITY,
            advance_m: 0.0,
            holds: (at, 0.0),
            sure_holds: (at, 0.0),
            sure: Sides { friends: NOBODY, enemies: NOBODY },
            sure_battle: false,
            near: [NO_ONE; MAX_NEAR],
            near_count: 0,
        };
        neighbourhood.count_all(at);
        let all = neighbourhood.count_near(at);
        neighbourhood.nearest_m = sqrt(all.friends.nearest_sq.min(all.enemies.nearest_sq));
        neighbourhood
    }

    /// Brings the sums up to date for a player who has come to `at`.
    pub fn look(&mut self, at: DVec2) {
        if !stands(self.sure_holds, at) {
            self.count_all(at);
            self.count_near(at);
        } else if !stands(self.holds, at) {
            self.count_near(at);
        }
    }

    /// SHI's bravery goal, equation (14) with its brackets put right, for a player whose
    /// friends have their middle at `friends`.
    pub fn bravery_goal_from(&self, friends: DVec2) -> DVec2 {
        let enemies = self.enemies_middle.unwrap_or(friends);
        let way = enemies - friends;
        let length = sqrt(way.length_squared());
        if length > 0.0 { friends + way * (self.advance_m / length) } else { friends }
    }

    fn me(&self) -> &'a KnownBody {
        &self.scene.bodies()[self.place as usize]
    }

    fn window(&self) -> DVec2 {
        DVec2::new(self.config.window_x_m, self.config.window_y_m)
    }

    /// Sorts everyone into sure and near the edge.
    fn count_all(&mut self, at: DVec2) {
        let window = self.window();
        let edge_m = window.min_element() * EDGE;
        let (team, mut holds_m) = (self.me().team, edge_m);
        let mut sure = Sides { friends: NOBODY, enemies: NOBODY };
        self.near_count = 0;
        // Whoever stands beyond the edge cannot enter before we have moved as far.
        let reach = [window.x + edge_m, window.y + edge_m];
        for run in self.scene.around(at.x, at.y, reach) {
            for other in run.iter().filter(|other| other.index != self.place) {
                let player = Neighbour::from(other, team);
                let way = player.place - at;
                let outside_m = outside_m(way, window);
                if outside_m.abs() < edge_m {
                    if self.near_count < MAX_NEAR {
                        self.near[self.near_count] = player;
                        self.near_count += 1;
                        continue;
                    }
                    holds_m = holds_m.min(outside_m.abs());
                }
                sure.count(&player, way, outside_m <= 0.0);
            }
        }
        let enemy_m = sqrt(sure.enemies.nearest_sq);
        self.sure_battle = enemy_m <= self.config.battle_m;
        self.sure_holds = (at, holds_m.min(to_battle_m(enemy_m, self.config)));
        self.sure = sure;
    }

    /// Adds those near the edge to those that are sure.
    fn count_near(&mut self, at: DVec2) -> Sides {
        let window = self.window();
        let (mut all, mut holds_m) = (self.sure, f64::INFINITY);
        all.enemies.nearest_sq = f64::INFINITY;
        for player in &self.near[..self.near_count] {
            let way = player.place - at;
            let outside_m = outside_m(way, window);
            holds_m = holds_m.min(outside_m.abs());
            all.count(player, way, outside_m <= 0.0);
        }
        let enemy_m = sqrt(all.enemies.nearest_sq);
        self.in_battle = self.sure_battle || enemy_m <= self.config.battle_m;
        self.holds = (at, holds_m.min(to_battle_m(enemy_m, self.config)));
        all.enemies.nearest_sq = all.enemies.nearest_sq.min(self.sure.enemies.nearest_sq);
        self.sum_up(&all, at);
        all
    }

    /// SHI's (11) to (13) and what of (14) does not depend on where the player is.
    fn sum_up(&mut self, all: &Sides, at: DVec2) {
        let ours = self.config.friend_weight * all.friends.strength + self.me().influence();
        let theirs = all.enemies.strength;
        let most = ours.max(theirs);
        let lead = if most > 0.0 { (ours - theirs) / most } else { 0.0 };
        self.advance_m = self.config.advance_m * lead;
        self.friends_middle = all.friends.middle();
        self.enemies_middle = all.enemies.middle();
        self.bravery_goal = self.bravery_goal_from(self.friends_middle.unwrap_or(at));
    }
}

impl Neighbour {
    fn from(other: &LivingBody, team: i32) -> Self {
        let place = DVec2::new(other.x, other.y);
        Self { place, influence: other.influence, friend: other.team == team }
    }
}

/// How far outside the window (negative: inside) someone is.
#[inline]
fn outside_m(way: DVec2, window: DVec2) -> f64 {
    (way.x.abs() - window.x).max(way.y.abs() - window.y)
}

/// How far one can go along x and y before battle begins or ends.
fn to_battle_m(enemy_m: f64, config: &PatternsConfig) -> f64 {
    (enemy_m - config.battle_m).abs() * core::f64::consts::FRAC_1_SQRT_2
}

fn stands((from, within_m): (DVec2, f64), at: DVec2) -> bool {
    let moved = (at - from).abs();
    moved.x.max(moved.y) < within_m
}
