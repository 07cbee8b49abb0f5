//! Contract of ground, joints and headings, whatever finite numbers come in.

use std::time::Duration;

use proptest::prelude::*;
use reckoning::ground::{ClampMode, Footprint, GroundClampConfig, Pose};
use reckoning::joints::{JointGhost, JointPublisher, JointPublisherConfig, Steering};
use reckoning::orientation::{heading_and_pitch_from_velocity, heading_rad, shortest_turn_rad};
use reckoning::terrain::{Contact, FlatGround, HeightField};
use reckoning::{
    DQuat, DVec3, GroundClamp, Joint, SimTime, Terrain, heading_from_velocity, two_point,
    wheel_spin_rad,
};

/// Everyday numbers, the ends of the range, and any finite number there is.
fn number() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    let ends = [f64::MAX, f64::MIN, 1e160, -1e160, 1e-160, f64::MIN_POSITIVE, 0.0];
    prop_oneof![
        -20.0..20.0,
        proptest::sample::select(ends.to_vec()),
        POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO
    ]
}

fn vector() -> impl Strategy<Value = DVec3> {
    (number(), number(), number()).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

fn near_vector() -> impl Strategy<Value = DVec3> {
    (-3.0..9.0, -3.0..9.0, -4.0..4.0).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

/// Over or beside the hills, at any height.
fn pole() -> impl Strategy<Value = DVec3> {
    (near_vector(), number()).prop_map(|(near, z)| near.with_z(z))
}

fn quaternion() -> impl Strategy<Value = DQuat> {
    (number(), number(), number(), number()).prop_map(|(x, y, z, w)| DQuat::from_xyzw(x, y, z, w))
}

fn rotation() -> impl Strategy<Value = DQuat> {
    (-1.0..1.0, -1.0..1.0, -1.0..1.0, 0.1..1.0)
        .prop_map(|(x, y, z, w)| DQuat::from_xyzw(x, y, z, w).normalize())
}

fn config() -> impl Strategy<Value = GroundClampConfig> {
    let mode = prop_oneof![Just(ClampMode::OnlyUp), Just(ClampMode::Always)];
    let footprint = prop_oneof![
        (1e-3..9.0, 1e-3..9.0).prop_map(|(half_length_m, half_width_m)| Footprint::Rectangle {
            half_length_m,
            half_width_m
        }),
        Just(Footprint::Leaning),
        Just(Footprint::Upright),
    ];
    (mode, footprint, -2.0..2.0).prop_map(|(mode, footprint, origin_height_m)| {
        let mut config = GroundClampConfig::default();
        config.mode = mode;
        config.footprint = footprint;
        config.origin_height_m = origin_height_m;
        config
    })
}

/// 6 by 6 m of ground with the given heights.
fn hills(heights: impl Strategy<Value = f64>) -> impl Strategy<Value = HeightField> {
    let heights = proptest::collection::vec(heights, 49);
    heights.prop_map(|heights| HeightField::new(DVec3::ZERO, 1.0, 7, 7, heights).unwrap())
}

/// A terrain that answers anything.
struct Liar(Contact);

impl Terrain for Liar {
    fn ground_below(&self, _: DVec3) -> Option<Contact> {
        Some(self.0)
    }

    fn first_hit(&self, _: DVec3, _: DVec3) -> Option<Contact> {
        Some(self.0)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn clamping_never_makes_a_finite_pose_infinite(
        config in config(),
        position in vector(),
        orientation in quaternion(),
        distance_m in number(),
        answer in (vector(), vector()),
        field in hills(number()),
    ) {
        let mut clamp = GroundClamp::new(config).unwrap();
        let pose = Pose { position, orientation };
        let liar = Liar(Contact { point: answer.0, normal: answer.1 });
        let flat = FlatGround { height_m: answer.0.z };
        for terrain in [&liar as &dyn Terrain, &field, &flat] {
            clamp.forget();
            let shown = clamp.clamp(pose, terrain, distance_m, SimTime::ZERO);
            prop_assert!(shown.is_finite(), "{shown:?}");
            let turned = (shown.orientation.length() - 1.0).abs() < 1e-9;
            prop_assert!(shown == pose || turned, "{shown:?}");
        }
    }

    #[test]
    fn clamping_moves_only_up_and_down_and_keeps_the_heading(
        config in config(),
        position in near_vector(),
        orientation in rotation(),
        distance_m in 0.0..400.0,
        field in hills(-2.0..2.0),
    ) {
        let only_up = config.mode == ClampMode::OnlyUp;
        let pose = Pose { position, orientation };
        let shown = GroundClamp::new(config).unwrap().clamp(pose, &field, distance_m, SimTime::ZERO);

        prop_assert_eq!(shown.position.truncate(), position.truncate());
        prop_assert!((shown.orientation.length() - 1.0).abs() < 1e-12);
        prop_assert!(!only_up || shown.position.z >= position.z);
        let level = |q: DQuat| (q * DVec3::X).truncate().length();
        // Of a nose that points up or down the heading is mostly rounding.
        if level(orientation) > 1e-3 && level(shown.orientation) > 1e-3 {
            let turned = shortest_turn_rad(heading_rad(orientation), heading_rad(shown.orientation));
            prop_assert!(turned.abs() < 1e-9, "turned by {turned} rad");
        }
    }

    #[test]
    fn where_there_is_no_ground_nothing_changes(
        config in config(),
        orientation in rotation(),
        distance_m in 0.0..400.0,
        field in hills(-2.0..2.0),
    ) {
        let pose = Pose { position: DVec3::new(90.0, -90.0, -5.0), orientation };
        let mut clamp = GroundClamp::new(config).unwrap();
        let shown = clamp.clamp(pose, &field, distance_m, SimTime::ZERO);
        prop_assert_eq!(shown, pose);

        let broken = Liar(Contact { point: DVec3::ZERO, normal: DVec3::NAN });
        let shown = clamp.clamp(pose, &broken, distance_m, SimTime::from_millis(9_000));
        prop_assert_eq!(shown, pose);
    }

    #[test]
    fn the_first_hit_is_where_a_fine_walk_finds_it(
        field in hills(-2.0..2.0),
        from in near_vector(),
        to in near_vector(),
    ) {
        const STEPS: u32 = 4_000;
        let point_at = |step: u32| from.lerp(to, f64::from(step) / f64::from(STEPS));
        let clearance = |step: u32| {
            let point = point_at(step);
            field.ground_below(point).map(|ground| point.z - ground.point.z)
        };
        let crossing = (1..=STEPS).find(|&step| {
            matches!((clearance(step - 1), clearance(step)), (Some(a), Some(b)) if a >= 0.0 && b < 0.0)
        });
        let hit = field.first_hit(from, to);
        if let Some(step) = crossing {
            let hit = hit.expect("the walk went below the ground");
            // The walk may miss a shallow dip between two steps, so the hit may come earlier.
            let ahead = (hit.point - from).dot((to - from).normalize());
            prop_assert!(ahead <= (point_at(step) - from).length() + 1e-9);
        }
        if let Some(hit) = hit {
            let ground = field.ground_below(hit.point).or_else(|| field.ground_below(
                hit.point.lerp(DVec3::new(3.0, 3.0, hit.point.z), 1e-12)));
            prop_assert!((ground.unwrap().point.z - hit.point.z).abs() < 1e-6, "{hit:?}");
            prop_assert!(hit.normal.z > 0.0 && hit.normal.is_normalized());
        }
    }

    #[test]
    fn terrain_answers_are_finite(
        field in hills(number()),
        from in prop_oneof![vector(), pole()],
        to in prop_oneof![vector(), pole()],
    ) {
        let flat = FlatGround { height_m: from.y };
        for terrain in [&field as &dyn Terrain, &flat] {
            for contact in [terrain.first_hit(from, to), terrain.ground_below(from)] {
                prop_assert!(contact.is_none_or(|contact| contact.is_finite()), "{contact:?}");
            }
        }
    }

    #[test]
    fn headings_are_rotations_whatever_the_velocity(
        velocity in vector(),
        back in vector(),
        previous in rotation(),
        min_speed_mps in number(),
    ) {
        for turned in [
            heading_from_velocity(velocity, previous, min_speed_mps),
            heading_and_pitch_from_velocity(velocity, previous, min_speed_mps),
            two_point(velocity, back, DVec3::Z).unwrap_or_default(),
            two_point(velocity, back, velocity).unwrap_or_default(),
        ] {
            prop_assert!((turned.length() - 1.0).abs() < 1e-9, "{turned}");
        }
    }

    #[test]
    fn joints_and_wheels_never_show_a_number_that_is_none(
        first in (number(), number()),
        second in (number(), number()),
        at in (any::<i64>(), any::<i64>(), any::<i64>()),
        blend_ms in 0..500_u64,
        way in (vector(), vector(), quaternion(), number()),
    ) {
        let joint = |(angle_rad, rate_radps), micros| {
            Joint { at: SimTime::from_micros(micros), angle_rad, rate_radps }
        };
        let (first, second) = (joint(first, at.0), joint(second, at.1));
        let mut ghost = JointGhost::new(first, Duration::from_millis(blend_ms));
        let now = SimTime::from_micros(at.2);
        ghost.accept(second, now);
        prop_assert!(ghost.angle_at(now).abs() <= core::f64::consts::PI);
        let (mut publisher, _) =
            JointPublisher::start(JointPublisherConfig::default(), first).unwrap();
        let _ = publisher.observe(second);

        let spin = wheel_spin_rad(way.3, way.0, way.1, way.2, way.3);
        prop_assert!(spin.is_finite(), "{spin}");
        prop_assert!(Steering::default().angle_rad(way.3, way.0.x).is_finite());
    }

    #[test]
    fn a_ghost_stays_within_the_threshold_on_a_perfect_network(
        turns in proptest::collection::vec(-3.0..3.0, 8),
    ) {
        let mut config = JointPublisherConfig::default();
        config.min_interval = Duration::ZERO;
        let threshold_rad = config.threshold_rad;
        let mut truth = Joint::default();
        let (mut publisher, first) = JointPublisher::start(config, truth).unwrap();
        let mut ghost = JointGhost::new(first, Duration::ZERO);
        for tick in 1..480 {
            let now = SimTime::from_tick(tick, 60);
            let rate_radps = turns[(tick / 60) as usize];
            truth = Joint { at: now, angle_rad: truth.angle_at(now), rate_radps };
            if let Some(update) = publisher.observe(truth) {
                ghost.accept(update, now);
            }
            let error = shortest_turn_rad(ghost.angle_at(now), truth.angle_rad).abs();
            prop_assert!(error <= threshold_rad, "{error} rad off at tick {tick}");
        }
    }
}
