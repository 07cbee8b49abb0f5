//! Bodies stand on the ground, not in it.

use reckoning::ground::{ClampDetail, ClampMode, GroundClampConfig, Pose};
use reckoning::{DVec3, GroundClamp};
use reckoning_arena::hills::{depth_m, within_walls};
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

/// Pictures more than 5 cm in the ground in so many frames of a full game, set onto the ground as the
/// page does it, and the deepest of them with its moment.
fn sunk(seed: u64, within: bool) -> (u32, String) {
    let mut chain = watched(44, seed, MOBILE);
    frames(&mut chain, 300);
    let level = chain.level().clone();
    let (mut count, mut deepest, mut what) = (0, 0.0, String::new());
    for frame in 0..1_800 {
        chain.frame(super::idle);
        for body in chain.hills.world().bodies().iter().filter(|it| it.is_alive) {
            let (Some(entity), Some(footprint)) =
                (chain.hills.entity_of(body.id), body.craft.footprint())
            else {
                continue;
            };
            let Some(pose) = chain.clients[0].session.shown(entity, chain.now) else { continue };
            let pose = if within { within_walls(body.craft, pose, &level) } else { pose };
            let mut config = GroundClampConfig::default();
            (config.mode, config.footprint) = (ClampMode::Always, footprint);
            let mut clamp = GroundClamp::new(config).unwrap();
            let pose = clamp.clamp_with(pose, &**level.ground(), ClampDetail::AllPoints, chain.now);
            let deep_m = depth_m(body.craft, pose, level.ground());
            count += u32::from(deep_m > 0.05);
            if deep_m > deepest {
                deepest = deep_m;
                what = format!("{deep_m} m: {:?} in frame {frame} at {pose:?}", body.craft);
            }
        }
    }
    (count, what)
}

#[test]
fn pictures_that_stray_into_a_wall_stand_on_one_level() {
    // In this game a tank strays into the wall of the tunnel.
    let (without, deepest) = sunk(5, false);
    println!("{without} pictures without walls, {deepest}");
    assert!(without > 0, "the test sees nothing");
    let (count, deepest) = sunk(5, true);
    assert_eq!(count, 0, "{deepest}");
}
