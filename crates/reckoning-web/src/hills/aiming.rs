//! What a pointer points at, and what a barrel does.

use reckoning::DVec3;
use reckoning_arena::hills::{DriverInput, HillsLevel};

use super::stance::HillsBody;
use super::view::View;
use crate::input::HeldInput;

/// Further away everything is as far.
const FAR_M: f64 = 700.0;
/// An aiming thumb points at the ground so far away.
const THUMB_M: f64 = 60.0;
/// And at what stands on it.
const STANDING_M: f64 = 1.4;

/// The first place on a straight way that is the level's or a body's, but not our own; its end if
/// there is none. Bodies are taken for balls.
#[must_use]
pub fn first_seen<'a>(
    from: DVec3,
    along: DVec3,
    range_m: f64,
    bodies: impl Iterator<Item = &'a HillsBody>,
    level: &HillsLevel,
) -> DVec3 {
    let end = from + along * range_m;
    let ground_m = level.first_met(from, end).unwrap_or(1.0) * range_m;
    let others = bodies.filter(|it| !it.is_me && it.is_alive);
    let met_m = others.filter_map(|it| met_m(from, along, it)).fold(ground_m, f64::min);
    from + along * met_m
}

/// How far along a body is met.
fn met_m(from: DVec3, along: DVec3, body: &HillsBody) -> Option<f64> {
    let shape = body.craft.shape();
    let pose = body.shown.pose;
    let middle = pose.position + pose.orientation * shape.hull_centre;
    let far_m = (middle - from).dot(along);
    let aside_m = (from + along * far_m).distance(middle);
    (far_m > 0.0 && aside_m < shape.hull_half.y.max(shape.hull_half.z) + 0.4).then_some(far_m)
}

/// Where the driver wants the gun to point: at what is under the pointer, or where the thumb is
/// pushed. Zero without either. In a chase, what is between the eye and the vehicle does not count.
#[must_use]
pub fn aim_of<'a>(
    held: &HeldInput,
    (view, pivot, nearest_m): (&View, DVec3, f64),
    bodies: impl Iterator<Item = &'a HillsBody>,
    level: &HillsLevel,
) -> DVec3 {
    if let Some(push) = held.thumb_aim() {
        let ahead = view.ahead.with_z(0.0).normalize_or(view.up.with_z(0.0).normalize_or(DVec3::X));
        let way = (ahead * -push.y + view.right * push.x).normalize_or(ahead);
        let place = pivot + way * THUMB_M;
        return place.with_z(level.height_m(place.x, place.y) + STANDING_M) - pivot;
    }
    let Some(pointer) = held.pointer else { return DVec3::ZERO };
    let ray = view.ray(pointer);
    let from = view.eye + ray * nearest_m;
    first_seen(from, ray, FAR_M, bodies, level) - pivot
}

/// What the driver does, as far as keys and thumbs say it.
#[must_use]
pub fn input_of(held: &HeldInput, aim: DVec3) -> DriverInput {
    let (throttle, steer) = held.drive();
    DriverInput { throttle, steer, aim, fire: held.fires_gun(), lob: held.lobs() }
}

#[cfg(test)]
mod tests {
    use reckoning_arena::hills::Craft;

    use super::*;

    fn level() -> (HillsLevel, DVec3) {
        let level = HillsLevel::built_in();
        let [x, y] = level.file().spawns[0].at;
        let place = DVec3::new(x, y, level.height_m(x, y));
        (level, place)
    }

    #[test]
    fn a_pointer_on_the_ground_aims_at_that_place() {
        let (level, place) = level();
        let eye = place + DVec3::Z * 60.0;
        let view = View::looking(eye, 0.0, -1.2, [800.0, 500.0]);
        let mut held = HeldInput::default();
        let pivot = place + DVec3::Z * 2.0;
        let none = std::iter::empty;
        assert_eq!(aim_of(&held, (&view, pivot, 0.0), none(), &level), DVec3::ZERO);
        held.pointer = Some([400.0, 250.0]);
        let goal = pivot + aim_of(&held, (&view, pivot, 0.0), none(), &level);
        assert!((goal.z - level.height_m(goal.x, goal.y)).abs() < 0.2, "{goal}");
        let ([x, y], _) = view.to_page(goal).unwrap();
        assert!((x - 400.0).abs() < 0.5 && (y - 250.0).abs() < 0.5, "{x} {y}");
    }

    #[test]
    fn a_body_in_the_way_is_met_and_our_own_is_not() {
        let (level, place) = level();
        let from = place + DVec3::Z * 80.0;
        let mut body = HillsBody::new(3, Craft::Tank);
        body.shown.pose.position = from + DVec3::X * 30.0 - DVec3::Z * 0.8;
        let met = first_seen(from, DVec3::X, 100.0, [&body].into_iter(), &level);
        assert!((met.x - from.x - 30.0).abs() < 1e-9, "{met}");
        body.is_me = true;
        let met = first_seen(from, DVec3::X, 100.0, [&body].into_iter(), &level);
        assert!((met.x - from.x - 100.0).abs() < 1e-9, "{met}");
    }

    #[test]
    fn a_thumb_pushed_up_aims_ahead() {
        let (level, place) = level();
        let view = View::looking(place + DVec3::Z * 9.0, 1.0, -0.3, [390.0, 700.0]);
        let mut held = HeldInput::default();
        held.thumb_down(1, [300.0, 600.0], 390.0);
        held.thumb_moved(1, [300.0, 500.0]);
        let aim = aim_of(&held, (&view, place, 0.0), std::iter::empty(), &level);
        let turned = libm::atan2(aim.y, aim.x) - 1.0;
        assert!(turned.abs() < 1e-6, "{turned}");
        assert!(input_of(&held, aim).fire && !input_of(&held, aim).lob);
    }
}
