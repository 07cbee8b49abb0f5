//! Predictive prevention: do not publish a motion that leads into the ground or a wall.
//!
//! A body that is about to land or to be stopped by a wall knows it; its listeners do not,
//! and would show it sinking in until the next update. So the owner looks ahead along the
//! very path its listeners will show and, where that path hits something, publishes less of
//! the velocity and acceleration that lead there (MURPHY, 18.6).

use core::time::Duration;

use glam::DVec3;

use crate::terrain::Contact;
use crate::{Kinematics, Model, Terrain};

/// Straight pieces into which the path ahead is cut.
const PIECES: u32 = 8;
/// What stands on the ground is looked at from this far above it, so that rounding puts it on no
/// side.
const ABOVE_M: f64 = 1e-6;
/// Obstacles that a body slides along at most, and one more.
const SLIDES: usize = 6;
/// Halvings of the share that may be published: good to a four-thousandth.
const HALVINGS: u32 = 12;

/// The state nearest to `truth` whose projection by `model` stays clear of `terrain` for `lookahead`:
/// what [`Publisher::observe_on`](crate::Publisher::observe_on) publishes, for those who publish
/// otherwise.
///
/// First only what points into the obstacle is taken away, so that the body slides along it, and
/// along the next one that it meets then: up a slope that grows steeper, off a second wall. Where
/// that does not help, all of its motion is.
#[must_use]
pub fn kept_clear(
    truth: &Kinematics,
    model: Model,
    terrain: &(impl Terrain + ?Sized),
    lookahead: Duration,
) -> Kinematics {
    let hit = |seen: &Kinematics| first_hit_ahead(seen, model, terrain, lookahead);
    let mut normals = [DVec3::ZERO; SLIDES];
    for met in 0..SLIDES {
        match hit(&sliding(truth, &normals[..met], 0.0)) {
            Some(contact) => normals[met] = contact.normal,
            None if met == 0 => return *truth,
            None => {
                let along = |share: f64| sliding(truth, &normals[..met], share);
                return along(largest_share(|share| hit(&along(share)).is_none()));
            }
        }
    }
    let slowing = |share: f64| scaled(truth, |v| v * share);
    slowing(largest_share(|share| hit(&slowing(share)).is_none()))
}

/// A motion of which only a share of what points into each of these obstacles is left.
fn sliding(truth: &Kinematics, normals: &[DVec3], share: f64) -> Kinematics {
    scaled(truth, |v| {
        normals.iter().fold(v, |v, normal| v - normal * (v.dot(*normal).min(0.0) * (1.0 - share)))
    })
}

fn first_hit_ahead(
    seen: &Kinematics,
    model: Model,
    terrain: &(impl Terrain + ?Sized),
    lookahead: Duration,
) -> Option<Contact> {
    let model = model.fitted(seen);
    let piece_s = lookahead.as_secs_f64() / f64::from(PIECES);
    let lift = lift(seen.position, terrain);
    let mut from = seen.position + lift;
    (1..=PIECES).find_map(|piece| {
        let to = model.position_after(seen, f64::from(piece) * piece_s) + lift;
        let hit = terrain.first_hit(from, to);
        from = to;
        hit
    })
}

/// What takes a body that stands in the ground a little out of it: the middle of a vehicle that
/// straddles a ridge. It is in there already; what is prevented is that it goes deeper.
fn lift(position: DVec3, terrain: &(impl Terrain + ?Sized)) -> DVec3 {
    let ground_m = terrain.ground_below(position).map_or(f64::NEG_INFINITY, |it| it.point.z);
    let deep_m = ground_m + ABOVE_M - position.z;
    if deep_m > 0.0 && deep_m.is_finite() { DVec3::Z * deep_m } else { DVec3::ZERO }
}

fn scaled(truth: &Kinematics, scale: impl Fn(DVec3) -> DVec3) -> Kinematics {
    Kinematics {
        velocity: scale(truth.velocity),
        acceleration: scale(truth.acceleration),
        ..*truth
    }
}

/// The largest share from 0 to 1 that is still clear, if 0 is and 1 is not.
fn largest_share(clear: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if clear(middle) { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimTime;
    use crate::terrain::FlatGround;

    const AHEAD: Duration = Duration::from_millis(500);

    /// A room that ends at `x = 3` and `y = 2`.
    struct Corner;

    impl Terrain for Corner {
        fn ground_below(&self, _: DVec3) -> Option<Contact> {
            None
        }

        fn first_hit(&self, _: DVec3, to: DVec3) -> Option<Contact> {
            let normal = if to.x > 3.0 {
                DVec3::NEG_X
            } else if to.y > 2.0 {
                DVec3::NEG_Y
            } else {
                return None;
            };
            Some(Contact { point: to, normal })
        }
    }

    fn kept(truth: &Kinematics, terrain: &impl Terrain) -> Kinematics {
        kept_clear(truth, Model::Linear, terrain, AHEAD)
    }

    #[test]
    fn a_falling_body_is_published_as_landing_not_as_sinking() {
        let falling = Kinematics::moving(SimTime::ZERO, DVec3::Z, DVec3::new(4.0, 0.0, -10.0));
        let published = kept(&falling, &FlatGround::default());
        let end = Model::Linear.position_after(&published, 0.5);
        assert!((0.0..0.01).contains(&end.z), "{end}");
        assert_eq!(published.velocity.x, 4.0);
    }

    #[test]
    fn a_runner_slides_along_a_wall() {
        let running = Kinematics::moving(SimTime::ZERO, DVec3::X * 2.0, DVec3::new(9.0, 1.0, 0.0));
        let published = kept(&running, &Corner);
        assert!(Model::Linear.position_after(&published, 0.5).x <= 3.0);
        assert_eq!(published.velocity.y, 1.0);
    }

    /// Ground that is level at first and then rises ever more steeply.
    struct Foothill;

    impl Terrain for Foothill {
        fn ground_below(&self, point: DVec3) -> Option<Contact> {
            let x = point.x.max(0.0);
            let normal = DVec3::new(-0.2 * x, 0.0, 1.0).normalize();
            Some(Contact { point: point.with_z(0.1 * x * x), normal })
        }

        fn first_hit(&self, from: DVec3, to: DVec3) -> Option<Contact> {
            let ground = self.ground_below(to)?;
            (to.z < ground.point.z && to.distance(from) > 0.0).then_some(ground)
        }
    }

    #[test]
    fn a_car_before_a_hill_is_published_as_climbing_not_as_stopping() {
        let driving = Kinematics::moving(SimTime::ZERO, DVec3::ZERO, DVec3::X * 10.0);
        let published = kept(&driving, &Foothill);
        assert!(published.velocity.x > 7.0, "{}", published.velocity);
        for ms in (0..=500).step_by(125) {
            let at = Model::Linear.position_after(&published, f64::from(ms) / 1000.0);
            assert!(Foothill.ground_below(at).unwrap().point.z <= at.z + 1e-9, "{at}");
        }
    }

    #[test]
    fn a_car_whose_middle_is_in_the_ground_goes_on() {
        let driving = Kinematics::moving(SimTime::ZERO, DVec3::Z * -0.1, DVec3::X * 10.0);
        let published = kept(&driving, &Foothill);
        assert!(published.velocity.x > 7.0, "{}", published.velocity);
        assert_eq!(kept(&driving, &FlatGround::default()), driving);
    }

    #[test]
    fn in_a_corner_a_runner_stops() {
        let running = Kinematics::moving(SimTime::ZERO, DVec3::splat(1.0), DVec3::splat(9.0));
        let end = Model::Linear.position_after(&kept(&running, &Corner), 0.5);
        assert!(end.x <= 3.0 && end.y <= 2.0, "{end}");
    }

    #[test]
    fn a_free_way_changes_nothing() {
        let rising = Kinematics::moving(SimTime::ZERO, DVec3::Z, DVec3::new(4.0, 0.0, 1.0));
        assert_eq!(kept(&rising, &FlatGround::default()), rising);
    }
}
