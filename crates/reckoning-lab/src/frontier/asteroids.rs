//! Scene of asteroids that drift, turn and bounce off each other: made for snapshots.
//!
//! After a vendor's public benchmark of codecs: 250 bodies, snapshots at 30 Hz, a centimetre. The
//! scene itself is our own: spheres of equal mass in a box, which bounce without loss and begin to
//! turn otherwise when they do.

use reckoning::random::SplitMix64;
use reckoning::{DQuat, DVec3, SimTime};
use reckoning_recording::{Meta, Recording, Sample, Track};

use crate::compare::Prepared;

/// The name of the source in rows.
pub(crate) const NAME: &str = "asteroids";
const BODIES: usize = 250;
const RATE_HZ: u32 = 60;
const SECONDS: u32 = 20;
/// A sixty-fourth of it is a centimetre.
const WIDTH_M: f64 = 0.64;
const BOX_M: f64 = 16.0;
const SPEED_MPS: f64 = 3.0;
const SPIN_RADPS: f64 = 1.5;
const SEED: u64 = 250;

#[derive(Clone, Copy, Debug)]
struct Asteroid {
    position: DVec3,
    velocity: DVec3,
    turn: DQuat,
    spin: DVec3,
}

/// The scene as a recording, and prepared with the motion that its owner knows.
pub(crate) fn scene() -> (Recording, Prepared) {
    let mut scene = Scene::new(SEED);
    let mut recording = Recording { source: NAME.into(), ..Recording::default() };
    recording.session = "drift".into();
    recording.meta =
        Meta { rate_hz: f64::from(RATE_HZ), body_width: WIDTH_M, dims: 3, ..Meta::default() };
    recording.tracks = (0_i32..).take(BODIES).map(|id| Track::new(id, 0, &[])).collect();
    let mut motions: Vec<Vec<Asteroid>> = vec![Vec::new(); BODIES];
    for tick in 0..i64::from(RATE_HZ * SECONDS) {
        let at = SimTime::from_tick(tick, RATE_HZ);
        for ((track, motion), body) in
            recording.tracks.iter_mut().zip(&mut motions).zip(&scene.bodies)
        {
            track.push(
                Sample { at, position: body.position, alive: true, ..Sample::default() },
                &[],
            );
            motion.push(*body);
        }
        scene.step();
    }
    recording.tidy();
    let mut prepared = Prepared::from_recording(&recording);
    for (course, motion) in prepared.courses.iter_mut().zip(&motions) {
        for (state, body) in course.states.iter_mut().zip(motion) {
            let kinematics = &mut state.kinematics;
            (kinematics.velocity, kinematics.acceleration) = (body.velocity, DVec3::ZERO);
            (kinematics.orientation, kinematics.angular_velocity) = (body.turn, body.spin);
        }
    }
    (recording, prepared)
}

struct Scene {
    random: SplitMix64,
    bodies: Vec<Asteroid>,
}

impl Scene {
    fn new(seed: u64) -> Self {
        let mut scene = Self { random: SplitMix64::new(seed), bodies: Vec::new() };
        while scene.bodies.len() < BODIES {
            let position = scene.vector(0.5 * (BOX_M - WIDTH_M));
            let free = |it: &Asteroid| it.position.distance_squared(position) > WIDTH_M * WIDTH_M;
            if scene.bodies.iter().all(free) {
                let velocity = scene.vector(SPEED_MPS);
                let spin = scene.vector(SPIN_RADPS);
                scene.bodies.push(Asteroid { position, velocity, turn: DQuat::IDENTITY, spin });
            }
        }
        scene
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|_| self.random.between(-size, size)))
    }

    fn step(&mut self) {
        let step_s = 1.0 / f64::from(RATE_HZ);
        for body in &mut self.bodies {
            body.position += body.velocity * step_s;
            body.turn = (rotated(body.spin * step_s) * body.turn).normalize();
            bounce_off_walls(body);
        }
        for first in 0..BODIES {
            for second in first + 1..BODIES {
                self.bounce(first, second);
            }
        }
    }

    /// Equal masses exchange what they have of speed along the line between them.
    fn bounce(&mut self, first: usize, second: usize) {
        let (a, b) = (self.bodies[first], self.bodies[second]);
        let between = b.position - a.position;
        let closing = (b.velocity - a.velocity).dot(between);
        let distance_squared = between.length_squared();
        if distance_squared > WIDTH_M * WIDTH_M || closing >= 0.0 {
            return;
        }
        let push = between * (closing / distance_squared);
        self.bodies[first].velocity += push;
        self.bodies[second].velocity -= push;
        for number in [first, second] {
            self.bodies[number].spin = self.vector(SPIN_RADPS);
        }
    }
}

fn bounce_off_walls(body: &mut Asteroid) {
    let wall = 0.5 * (BOX_M - WIDTH_M);
    for axis in 0..3 {
        let outside = body.position[axis].abs() > wall;
        if outside && body.position[axis] * body.velocity[axis] > 0.0 {
            body.velocity[axis] = -body.velocity[axis];
        }
    }
}

fn rotated(vector: DVec3) -> DQuat {
    let angle = libm::sqrt(vector.length_squared());
    if angle < 1e-12 {
        return DQuat::IDENTITY;
    }
    let (sin, cos) = libm::sincos(0.5 * angle);
    let axis = vector * (sin / angle);
    DQuat::from_xyzw(axis.x, axis.y, axis.z, cos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounces_keep_the_energy_and_the_box() {
        let mut scene = Scene::new(1);
        let energy = |scene: &Scene| -> f64 {
            scene.bodies.iter().map(|body| body.velocity.length_squared()).sum()
        };
        let (before, start) = (energy(&scene), scene.bodies.clone());
        (0..300).for_each(|_| scene.step());
        assert!((energy(&scene) / before - 1.0).abs() < 1e-9);
        assert!(scene.bodies.iter().all(|body| body.position.abs().max_element() < 0.55 * BOX_M));
        let bounced = |(a, b): (&Asteroid, &Asteroid)| a.velocity != b.velocity;
        let bounced = start.iter().zip(&scene.bodies).filter(|it| bounced(*it)).count();
        assert!((100..BODIES).contains(&bounced), "{bounced} of {BODIES} in five seconds");
    }
}
