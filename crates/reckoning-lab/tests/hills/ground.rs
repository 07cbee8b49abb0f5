//! Bodies stand on the ground, not in it.

use reckoning::DVec3;
use reckoning::ground::Pose;
use reckoning_arena::hills::depth_m;
use reckoning_lab::hills::HillsChain;

use super::{MOBILE, frames, watched};

/// The deepest that a living body is drawn in the ground, and how many of the pictures are in it by
/// more than 5 cm.
fn deepest(chain: &mut HillsChain, clamped: bool) -> (f64, u32, u32) {
    let (level, now) = (chain.level().clone(), chain.now);
    let (mut deepest, mut under, mut seen) = (0.0_f64, 0, 0);
    for body in chain.hills.world().bodies().to_vec() {
        let Some(entity) = chain.hills.entity_of(body.id) else { continue };
        let session = &mut chain.clients[0].session;
        let shown: Option<Pose> = if clamped {
            session.shown_on(entity, now, &**level.ground(), DVec3::ZERO)
        } else {
            session.shown(entity, now)
        };
        let Some(pose) = shown.filter(|_| body.is_alive && body.craft.is_grounded()) else {
            continue;
        };
        let deep_m = depth_m(body.craft, pose, level.ground());
        (deepest, seen) = (deepest.max(deep_m), seen + 1);
        under += u32::from(deep_m > 0.05);
    }
    (deepest, under, seen)
}

#[test]
fn with_the_clamp_nothing_is_drawn_in_the_ground_and_without_it_much_is() {
    let mut chain = watched(12, 3, MOBILE);
    frames(&mut chain, 480);
    let (mut seen, mut under) = (0, 0);
    for frame in 0..1_200 {
        chain.frame(super::idle);
        let (deep_m, _, _) = deepest(&mut chain, true);
        assert!(deep_m <= 0.05, "{deep_m} m in the ground in frame {frame}");
        let (_, deep, all) = deepest(&mut chain, false);
        (under, seen) = (under + deep, seen + all);
    }
    assert!(seen > 10_000, "{seen} pictures");
    assert!(under * 20 > seen, "{under} of {seen} without the clamp: the test sees nothing");
}
