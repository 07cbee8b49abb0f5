//! A crowd shows what as many ghosts would, whatever the machine.

use std::time::Duration;

use proptest::prelude::*;
use reckoning::crowd::{CrowdConfig, CrowdError, CrowdView};
use reckoning::ghost::Accepted;
use reckoning::model::{Ballistic, Landing};
use reckoning::{
    Blend, BlendSpan, Crowd, DVec3, Ghost, GhostConfig, Kinematics, Model, SimTime, Update,
    UpdateKind,
};

/// Single precision: one part in 2^23, a few times over.
const ROUNDING: f64 = 8.0 / (1 << 23) as f64;

fn ms(ms: i64) -> SimTime {
    SimTime::from_millis(ms)
}

fn update(at: SimTime, position: DVec3, velocity: DVec3) -> Update {
    let seen = Kinematics { at, position, velocity, ..Kinematics::default() };
    Update::new(seen, Model::Linear, UpdateKind::Partial).unwrap()
}

fn vector(most: f64) -> impl Strategy<Value = DVec3> {
    [-most..most, -most..most, -most..most].prop_map(DVec3::from)
}

fn model() -> impl Strategy<Value = Model> {
    let trust = (0_u64..3_000).prop_map(Duration::from_millis);
    prop_oneof![
        Just(Model::Hold),
        Just(Model::Linear),
        trust.prop_map(|trust| Model::Accelerating { trust }),
    ]
}

/// An update, and how long after the one before it was seen and arrives.
#[derive(Clone, Debug)]
struct Arrival {
    gap_ms: i64,
    delay_ms: i64,
    update: Update,
}

impl Arrival {
    fn at(&self, seen_at: SimTime) -> Update {
        let seen = Kinematics { at: seen_at, ..*self.update.kinematics() };
        Update::new(seen, *self.update.model(), self.update.kind()).unwrap()
    }
}

fn kind() -> impl Strategy<Value = UpdateKind> {
    prop_oneof![9 => Just(UpdateKind::Partial), 1 => Just(UpdateKind::Teleport)]
}

fn arrival(kind: impl Strategy<Value = UpdateKind>) -> impl Strategy<Value = Arrival> {
    let motion = (vector(500.0), vector(50.0), vector(20.0));
    (1_i64..1_500, -50_i64..400, motion, model(), kind).prop_map(
        |(gap_ms, delay_ms, (position, velocity, acceleration), model, kind)| {
            let seen = Kinematics { position, velocity, acceleration, ..Kinematics::default() };
            Arrival { gap_ms, delay_ms, update: Update::new(seen, model, kind).unwrap() }
        },
    )
}

/// The same updates for a ghost and for a ghost of a crowd.
struct Pair {
    ghost: Ghost,
    crowd: Crowd,
    seen_at: SimTime,
    arrived: SimTime,
}

impl Pair {
    fn of(arrivals: &[Arrival], origin: DVec3, start: SimTime, span: Duration) -> Self {
        let mut config = GhostConfig::default();
        config.blend = Blend::ProjectiveVelocity;
        config.span = BlendSpan::Fixed(span);
        let mut crowd_config = CrowdConfig::default();
        crowd_config.span = span;
        let first = arrivals[0].at(start);
        let ghost = Ghost::with_config(config, first, start).unwrap();
        let mut crowd = Crowd::start(crowd_config, origin, SimTime::ZERO).unwrap();
        crowd.insert(&first, start).unwrap();
        let mut pair = Self { ghost, crowd, seen_at: start, arrived: start };
        for arrival in &arrivals[1..] {
            pair.accept(arrival);
        }
        pair
    }

    fn accept(&mut self, arrival: &Arrival) {
        self.seen_at += Duration::from_millis(arrival.gap_ms as u64);
        self.arrived = SimTime::from_micros(self.seen_at.as_micros() + arrival.delay_ms * 1_000);
        let update = arrival.at(self.seen_at);
        let id = self.crowd.ids()[0];
        let accepted = self.crowd.accept(id, &update, self.arrived).unwrap();
        assert_eq!(accepted, self.ghost.accept(update, self.arrived));
    }

    /// How far the two are apart, in units of what rounding may do.
    fn apart(&self, at: SimTime) -> f64 {
        let mut view = CrowdView::default();
        self.crowd.show(at, &mut view);
        let shown = DVec3::from(view.positions().next().unwrap().map(f64::from));
        let expected = self.ghost.position_at(at) - self.crowd.origin();
        // Errors of a few hundred metres and a few seconds at tens of metres a second are
        // rounded too, even where they cancel.
        let scale = expected.length().max(1_000.0);
        (shown - expected).length() / (scale * ROUNDING)
    }
}

proptest! {
    #[test]
    fn a_crowd_shows_what_ghosts_show(
        arrivals in prop::collection::vec(arrival(kind()), 1..8),
        origin in vector(1e6),
        start_ms in 0_i64..100_000_000,
        span_ms in 1_u64..1_000,
        after_ms in prop::collection::vec(-500_i64..6_000, 20),
    ) {
        // The bodies stay near the origin, wherever that is.
        let mut arrivals = arrivals;
        for arrival in &mut arrivals {
            let seen = *arrival.update.kinematics();
            let seen = Kinematics { position: seen.position + origin, ..seen };
            arrival.update =
                Update::new(seen, *arrival.update.model(), arrival.update.kind()).unwrap();
        }
        let pair = Pair::of(&arrivals, origin, ms(start_ms), Duration::from_millis(span_ms));
        for after_ms in after_ms {
            let at = SimTime::from_micros(pair.arrived.as_micros() + after_ms * 1_000);
            prop_assert!(pair.apart(at) < 1.0, "{after_ms} ms after: {}", pair.apart(at));
        }
    }

    #[test]
    fn an_update_does_not_make_the_picture_jump(
        arrivals in prop::collection::vec(arrival(Just(UpdateKind::Partial)), 2..8),
    ) {
        let (last, before) = arrivals.split_last().unwrap();
        let mut pair = Pair::of(before, DVec3::ZERO, ms(0), Duration::from_millis(333));
        let old = pair.crowd.clone();
        pair.accept(last);
        let (mut was, mut is) = (CrowdView::default(), CrowdView::default());
        old.show(pair.arrived, &mut was);
        pair.crowd.show(pair.arrived, &mut is);
        let jump = DVec3::from(is.positions().next().unwrap().map(f64::from))
            - DVec3::from(was.positions().next().unwrap().map(f64::from));
        prop_assert!(jump.length() < 1_000.0 * ROUNDING, "jumped by {jump}");
    }
}

/// So many ghosts in the midst of their blends, three seconds in.
fn many(count: usize) -> (Crowd, SimTime) {
    let mut crowd = Crowd::new(DVec3::ZERO, SimTime::ZERO);
    for k in 0..count {
        let f = k as f64;
        let position = DVec3::new(f * 0.37 % 211.0, f * 1.7 % 97.0, f % 13.0);
        let velocity = DVec3::new(f % 7.0 - 3.0, f % 5.0 - 2.0, f % 3.0 - 1.0);
        let id = crowd.insert(&update(ms(2_000), position, velocity), ms(2_000)).unwrap();
        let seen = Kinematics {
            at: ms(2_500 + i64::try_from(k % 300).unwrap()),
            position: position + velocity,
            velocity: velocity.cross(DVec3::ONE),
            acceleration: velocity * 0.3,
            ..Kinematics::default()
        };
        let model = Model::Accelerating { trust: Duration::from_millis(k as u64 % 900) };
        let next = Update::new(seen, model, UpdateKind::Partial).unwrap();
        crowd.accept(id, &next, ms(2_850)).unwrap();
    }
    (crowd, ms(3_000))
}

fn bits(view: &CrowdView) -> Vec<u32> {
    [view.x(), view.y(), view.z()].concat().iter().map(|v| v.to_bits()).collect()
}

#[test]
fn the_vector_unit_does_not_change_a_bit() {
    let (crowd, now) = many(20_011);
    let (mut wide, mut baseline) = (CrowdView::default(), CrowdView::default());
    for after_ms in [0, 16, 100, 250, 1_500, 4_000] {
        let now = now + Duration::from_millis(after_ms);
        crowd.show(now, &mut wide);
        crowd.show_baseline(now, &mut baseline);
        assert_eq!(bits(&wide), bits(&baseline), "{after_ms} ms later");
        for place in [0, 17, 20_010] {
            let single = crowd.position_at(crowd.ids()[place], now).unwrap().as_vec3();
            let shown = baseline.positions().nth(place).unwrap();
            assert_eq!(single.to_array(), shown, "{after_ms} ms later at {place}");
        }
    }
}

#[cfg(feature = "rayon")]
#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let (crowd, now) = many(20_011);
    let (mut one, mut several) = (CrowdView::default(), CrowdView::default());
    crowd.show(now, &mut one);
    crowd.show_parallel(now, &mut several);
    assert_eq!(bits(&one), bits(&several));
}

#[test]
fn showing_allocates_nothing_once_the_view_is_large_enough() {
    let (crowd, now) = many(1_000);
    let mut view = CrowdView::with_capacity(1_000);
    crowd.show(now, &mut view);
    let arrays = [view.x().as_ptr(), view.y().as_ptr(), view.z().as_ptr()];
    for frame in 1..100 {
        crowd.show(now + Duration::from_millis(frame * 16), &mut view);
        assert_eq!(arrays, [view.x().as_ptr(), view.y().as_ptr(), view.z().as_ptr()]);
    }
    assert_eq!(view.len(), 1_000);
}

#[test]
fn a_removed_ghost_is_not_mistaken_for_its_successor() {
    let mut crowd = Crowd::new(DVec3::ZERO, SimTime::ZERO);
    let first = update(ms(0), DVec3::X, DVec3::ZERO);
    let gone = crowd.insert(&first, ms(0)).unwrap();
    assert!(crowd.remove(gone));
    let successor = crowd.insert(&first, ms(0)).unwrap();

    let next = update(ms(100), DVec3::Y, DVec3::ZERO);
    assert_ne!(gone, successor);
    assert!(!crowd.remove(gone));
    assert!(!crowd.set_span(gone, Duration::ZERO));
    assert_eq!(crowd.accept(gone, &next, ms(100)), Err(CrowdError::Removed));
    assert_eq!(crowd.position_at(gone, ms(100)), None);
    assert_eq!(crowd.accept(successor, &next, ms(100)), Ok(Accepted::Newest));
}

#[test]
fn removal_leaves_everyone_else_where_they_are() {
    let mut crowd = Crowd::new(DVec3::ZERO, SimTime::ZERO);
    let place_of = |k: i32| DVec3::splat(f64::from(k));
    let ids: Vec<_> = (0..50)
        .map(|k| crowd.insert(&update(ms(0), place_of(k), DVec3::ZERO), ms(0)).unwrap())
        .collect();
    for id in ids.iter().step_by(3) {
        assert!(crowd.remove(*id));
    }
    assert_eq!(crowd.len(), 33);
    let mut view = CrowdView::default();
    crowd.show(ms(0), &mut view);
    for (k, id) in (0..50).zip(&ids).filter(|(k, _)| k % 3 != 0) {
        assert_eq!(crowd.position_at(*id, ms(0)), Some(place_of(k)));
        assert_eq!(view.x()[crowd.place(*id).unwrap()], k as f32);
        assert_eq!(crowd.ids()[crowd.place(*id).unwrap()], *id);
    }
}

#[test]
fn the_passing_of_time_does_not_change_a_bit() {
    // Ten minutes: the base of all times has to follow at the last insertion.
    let (epoch, now) = (SimTime::ZERO, SimTime::from_secs_f64(600.0));
    let mut crowd = Crowd::new(DVec3::ZERO, epoch);
    let seen_at = SimTime::from_secs_f64(536.0);
    let moving = crowd.insert(&update(seen_at, DVec3::X, DVec3::Y * 3.3), seen_at).unwrap();
    let next_at = seen_at + Duration::from_micros(800_123);
    crowd.accept(moving, &update(next_at, DVec3::Z, DVec3::X * 7.7), next_at).unwrap();
    let silent = crowd.insert(&update(epoch, DVec3::X, DVec3::Y), epoch).unwrap();
    let shown_at = next_at + Duration::from_millis(100);
    let before = [moving, silent].map(|id| crowd.position_at(id, shown_at));

    crowd.insert(&update(now, DVec3::ZERO, DVec3::ZERO), now).unwrap();

    assert_eq!(before, [moving, silent].map(|id| crowd.position_at(id, shown_at)));
}

#[test]
fn a_silent_ghost_comes_to_rest_and_stays_there_for_ever() {
    let mut crowd = Crowd::new(DVec3::ZERO, SimTime::ZERO);
    let id = crowd.insert(&update(ms(0), DVec3::ZERO, DVec3::X), ms(0)).unwrap();
    for hour in 0..100 {
        let now = SimTime::from_secs_f64(6.0 + 3_600.0 * f64::from(hour));
        assert_eq!(crowd.position_at(id, now), Some(DVec3::X * 4.0), "hour {hour}");
        // Others live on, so the base of all times follows.
        let other = crowd.insert(&update(now, DVec3::ZERO, DVec3::ZERO), now).unwrap();
        assert_eq!(crowd.position_at(id, now), Some(DVec3::X * 4.0), "hour {hour}");
        crowd.remove(other);
    }
}

#[test]
fn times_far_from_the_epoch_are_as_exact_as_near_it() {
    let far = SimTime::from_secs_f64(3e8);
    let mut crowd = Crowd::new(DVec3::ZERO, far);
    let id = crowd.insert(&update(far, DVec3::ZERO, DVec3::X * 1_000.0), far).unwrap();
    let shown = crowd.position_at(id, far + Duration::from_micros(12)).unwrap();
    assert!((shown.x - 0.012).abs() < 1e-9, "{}", shown.x);
}

#[test]
fn a_new_origin_does_not_move_anything() {
    let (mut crowd, now) = many(100);
    let before: Vec<_> = crowd.ids().iter().map(|id| crowd.position_at(*id, now)).collect();
    crowd.recentre(DVec3::new(80_000.0, -5_000.0, 12.0));
    crowd.recentre(DVec3::new(100.0, -50.0, 12.5));
    for (id, before) in crowd.ids().iter().zip(before) {
        let moved = (crowd.position_at(*id, now).unwrap() - before.unwrap()).length();
        assert!(moved < 500.0 * ROUNDING, "{moved}");
    }
}

#[test]
fn a_span_of_zero_jumps_at_once() {
    let mut crowd = Crowd::new(DVec3::ZERO, SimTime::ZERO);
    let id = crowd.insert(&update(ms(0), DVec3::ZERO, DVec3::ZERO), ms(0)).unwrap();
    assert!(crowd.set_span(id, Duration::ZERO));
    crowd.accept(id, &update(ms(100), DVec3::X, DVec3::ZERO), ms(100)).unwrap();
    assert_eq!(crowd.position_at(id, ms(100)), Some(DVec3::X));
}

#[test]
fn unknown_models_and_old_updates_change_nothing() {
    let mut crowd = Crowd::new(DVec3::ZERO, SimTime::ZERO);
    let first = update(ms(100), DVec3::X, DVec3::ZERO);
    let id = crowd.insert(&first, ms(100)).unwrap();
    let fall = Model::Ballistic(Ballistic::new(9.81, 0.0, Landing::Run).unwrap());
    let seen = Kinematics { at: ms(200), ..Kinematics::default() };
    let falling = Update::new(seen, fall, UpdateKind::Partial).unwrap();

    assert_eq!(crowd.insert(&falling, ms(200)), Err(CrowdError::UnknownModel));
    assert_eq!(crowd.accept(id, &falling, ms(200)), Err(CrowdError::UnknownModel));
    let old = update(ms(100), DVec3::Y, DVec3::Y);
    assert_eq!(crowd.accept(id, &old, ms(200)), Ok(Accepted::Stale));
    assert_eq!((crowd.len(), crowd.position_at(id, ms(300))), (1, Some(DVec3::X)));
}

#[test]
fn absurd_numbers_are_shown_at_finite_places() {
    let mut crowd = Crowd::new(DVec3::ZERO, SimTime::ZERO);
    let huge = |at_ms, sign: f64| {
        let most = DVec3::splat(sign * f64::MAX);
        let seen = Kinematics {
            at: ms(at_ms),
            position: most,
            velocity: most,
            acceleration: most,
            ..Kinematics::default()
        };
        let model = Model::Accelerating { trust: Duration::MAX };
        Update::new(seen, model, UpdateKind::Partial).unwrap()
    };
    let id = crowd.insert(&huge(0, 1.0), ms(0)).unwrap();
    for k in 1..10 {
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        crowd.accept(id, &huge(k * 1_000, sign), ms(k * 1_000 + 300)).unwrap();
        assert!(crowd.position_at(id, ms(k * 1_000 + 400)).unwrap().is_finite());
        assert!(crowd.position_at(id, SimTime::MAX).unwrap().is_finite());
        assert!(crowd.position_at(id, SimTime::MIN).unwrap().is_finite());
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    let mut config = CrowdConfig::default();
    config.max_extrapolation = Duration::ZERO;
    assert!(Crowd::start(config, DVec3::ZERO, SimTime::ZERO).is_err());
    config.max_extrapolation = Duration::from_secs(301);
    let error = Crowd::start(config, DVec3::ZERO, SimTime::ZERO).unwrap_err();
    assert_eq!(error.to_string(), "max_extrapolation 301s is longer than 300s");
}
