//! The ball: it wanders by itself until somebody takes it.

use reckoning::random::SplitMix64;
use reckoning::{DVec3, Kinematics, SimTime};

use super::TICK_S;

/// Width and height of the field in metres; `y` points down, as on the page.
pub const FIELD_M: [f64; 2] = [16.0, 10.0];
const MIDDLE: DVec3 = DVec3::new(FIELD_M[0] * 0.5, FIELD_M[1] * 0.5, 0.0);
/// Radius of the ball.
pub const BALL_M: f64 = 0.45;
/// Radius of the bends that it takes by itself, and of those that keep it off the edge.
const TURN_M: f64 = 2.4;
/// See `TURN_M`.
const TIGHT_TURN_M: f64 = 0.9;
/// Goals lie this far inside the field.
const MARGIN_M: f64 = 2.4;
/// It looks so far ahead for the edge.
const EDGE_AHEAD_M: f64 = 3.0;
/// How hard it follows a pointer: time constants a second.
const PULL_PER_S: f64 = 16.0;
/// How fast it takes up the way that keys say, and stops.
const GRIP_PER_S: f64 = 8.0;
/// Slower than this it stands.
const REST_MPS: f64 = 0.05;
/// Left alone for so long, it goes on by itself.
const PATIENCE_S: f64 = 3.0;

/// Who moves the ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Driver {
    /// It wanders.
    Itself,
    /// A pointer draws it to this place.
    Pointer(DVec3),
    /// Keys hold it to this direction, of length one.
    Keys(DVec3),
    /// Nobody, since somebody let go of it.
    Nobody,
}

/// The body that everything is about.
#[derive(Clone, Debug)]
pub struct Ball {
    truth: Kinematics,
    driver: Driver,
    /// How fast it goes by itself and by keys, in metres a second.
    pub speed_mps: f64,
    left_for_s: f64,
    wander: Wander,
}

/// Where it is on its way by itself.
#[derive(Clone, Debug)]
struct Wander {
    random: SplitMix64,
    goal: DVec3,
    /// Its direction, of length one.
    way: DVec3,
    /// Bend of the path, in one over metres.
    bend: f64,
    speed_mps: f64,
}

impl Ball {
    /// A ball in the middle of the field, on a way that depends on the seed.
    #[must_use]
    pub fn new(seed: u64, speed_mps: f64) -> Self {
        let random = SplitMix64::new(seed);
        let mut wander = Wander { random, goal: MIDDLE, way: DVec3::X, bend: 0.0, speed_mps };
        wander.choose_goal(MIDDLE);
        let truth = Kinematics::moving(SimTime::ZERO, MIDDLE, wander.velocity());
        Self { truth, driver: Driver::Itself, speed_mps, left_for_s: 0.0, wander }
    }

    /// Where it is and how it moves.
    #[must_use]
    pub const fn truth(&self) -> &Kinematics {
        &self.truth
    }

    /// Who moves it.
    #[must_use]
    pub const fn driver(&self) -> Driver {
        self.driver
    }

    /// Somebody takes it, or lets go.
    pub fn drive(&mut self, driver: Driver) {
        self.driver = driver;
        self.left_for_s = 0.0;
    }

    /// Moves on by a tick, to `now`.
    pub fn tick(&mut self, now: SimTime) {
        let before = self.truth;
        let wanted = before.velocity + self.push() * TICK_S;
        let free = before.position + wanted * TICK_S;
        let position = within(free, BALL_M);
        let velocity = DVec3::select(position.cmpeq(free), wanted, DVec3::ZERO);
        let acceleration = (velocity - before.velocity) / TICK_S;
        self.truth = Kinematics { acceleration, ..Kinematics::moving(now, position, velocity) };
        self.truth.angular_velocity = turning(velocity, acceleration);
    }

    /// What changes its velocity, per second.
    fn push(&mut self) -> DVec3 {
        let Kinematics { position, velocity, .. } = self.truth;
        match self.driver {
            Driver::Itself => {
                (self.wander.next_velocity(position, self.speed_mps) - velocity) / TICK_S
            }
            Driver::Pointer(place) => {
                let way = within(place, BALL_M) - position;
                way * (PULL_PER_S * PULL_PER_S) - velocity * (2.0 * PULL_PER_S)
            }
            Driver::Keys(way) => (way * self.speed_mps - velocity) * GRIP_PER_S,
            Driver::Nobody => self.wait(velocity),
        }
    }

    fn wait(&mut self, velocity: DVec3) -> DVec3 {
        self.left_for_s += TICK_S;
        if self.left_for_s > PATIENCE_S {
            self.driver = Driver::Itself;
            self.wander.set_out(velocity);
        }
        if velocity.length() < REST_MPS { -velocity / TICK_S } else { velocity * -GRIP_PER_S }
    }
}

impl Wander {
    fn velocity(&self) -> DVec3 {
        self.way * self.speed_mps
    }

    /// Steers towards the goal: bends, and straights between them.
    fn next_velocity(&mut self, position: DVec3, speed_mps: f64) -> DVec3 {
        if position.distance(self.goal) < TURN_M {
            self.choose_goal(position);
        }
        let ahead = position + self.way * EDGE_AHEAD_M;
        let is_clear = ahead == within(ahead, BALL_M);
        let (goal, turn_m) = if is_clear { (self.goal, TURN_M) } else { (MIDDLE, TIGHT_TURN_M) };
        let (way, to) = (self.way, (goal - position).normalize_or_zero());
        let off = way.x * to.y - way.y * to.x; // the sine of the angle
        let lock = if way.dot(to) < 0.0 { off.signum() } else { (3.0 * off).clamp(-1.0, 1.0) };
        let wanted = lock / turn_m;
        // It takes 40 cm of the way to turn the wheel.
        self.bend += (wanted - self.bend) * (self.speed_mps * TICK_S / 0.4).min(1.0);
        self.speed_mps += (speed_mps - self.speed_mps).clamp(-8.0 * TICK_S, 8.0 * TICK_S);
        let turned = DVec3::new(-way.y, way.x, 0.0) * (self.bend * self.speed_mps * TICK_S);
        self.way = (way + turned).normalize();
        self.velocity()
    }

    fn choose_goal(&mut self, position: DVec3) {
        for _ in 0..8 {
            let x = self.random.between(MARGIN_M, FIELD_M[0] - MARGIN_M);
            let y = self.random.between(MARGIN_M, FIELD_M[1] - MARGIN_M);
            self.goal = DVec3::new(x, y, 0.0);
            if self.goal.distance(position) > 4.0 {
                return;
            }
        }
    }

    /// Goes on from where somebody left it.
    fn set_out(&mut self, velocity: DVec3) {
        (self.bend, self.speed_mps) = (0.0, velocity.length());
        if self.speed_mps > REST_MPS {
            self.way = velocity.normalize();
        }
    }
}

/// The nearest place that is so far inside the field.
fn within(place: DVec3, margin_m: f64) -> DVec3 {
    let least = DVec3::new(margin_m, margin_m, 0.0);
    let most = DVec3::new(FIELD_M[0] - margin_m, FIELD_M[1] - margin_m, 0.0);
    place.clamp(least, most)
}

/// How fast the direction turns, as far as a motion that slow has one.
fn turning(velocity: DVec3, acceleration: DVec3) -> DVec3 {
    let squared = velocity.length_squared();
    if squared < 0.25 {
        return DVec3::ZERO;
    }
    (velocity.cross(acceleration) / squared).clamp_length_max(8.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::TICKS_PER_S;

    fn run(ball: &mut Ball, from: i64, ticks: i64) -> Vec<Kinematics> {
        let at = |tick| SimTime::from_tick(from + tick, TICKS_PER_S);
        (1..=ticks).map(|tick| (ball.tick(at(tick)), *ball.truth()).1).collect()
    }

    #[test]
    fn by_itself_it_stays_inside_at_its_speed_and_goes_all_over_the_field() {
        for (seed, speed_mps) in [(1, 1.0), (2, 4.0), (3, 4.0), (4, 4.0), (5, 4.0), (6, 10.0)] {
            let way = run(&mut Ball::new(seed, speed_mps), 0, 3_600);
            for truth in &way {
                assert!((truth.velocity.length() - speed_mps).abs() < 1e-9, "{truth:?}");
            }
            let least = way.iter().fold(f64::MAX, |least, it| it.position.x.min(least));
            let most = way.iter().fold(0.0, |most: f64, it| it.position.x.max(most));
            assert!(most - least > 6.0, "{least} to {most} at {speed_mps} m/s");
        }
    }

    #[test]
    fn a_pointer_draws_it_there_without_a_jump_and_not_out_of_the_field() {
        let mut ball = Ball::new(1, 4.0);
        ball.drive(Driver::Pointer(DVec3::new(99.0, 2.0, 0.0)));
        let way = run(&mut ball, 0, 60);
        let steps = way.windows(2).map(|it| it[1].position.distance(it[0].position));
        assert!(steps.fold(0.0, f64::max) < 1.2, "a tick's way");
        let end = way.last().unwrap().position;
        assert!(
            (end.x - (FIELD_M[0] - BALL_M)).abs() < 0.01 && (end.y - 2.0).abs() < 0.01,
            "{end}"
        );
    }

    #[test]
    fn keys_drive_it_and_left_alone_it_stops_waits_and_goes_on() {
        let mut ball = Ball::new(1, 4.0);
        ball.drive(Driver::Keys(-DVec3::X));
        assert!((run(&mut ball, 0, 60).last().unwrap().velocity.x + 4.0).abs() < 0.01);
        let edge = *run(&mut ball, 60, 120).last().unwrap();
        assert_eq!((edge.position.x, edge.velocity.x), (BALL_M, 0.0), "not out of the field");
        ball.drive(Driver::Nobody);
        let way = run(&mut ball, 180, 150);
        assert_eq!(way.last().unwrap().velocity, DVec3::ZERO);
        let way = run(&mut ball, 330, 90);
        assert!((way.last().unwrap().velocity.length() - 4.0).abs() < 0.01);
        assert_eq!(ball.driver(), Driver::Itself);
    }
}
