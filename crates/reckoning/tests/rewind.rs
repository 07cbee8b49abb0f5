//! Contract of the host's memory of what shooters saw.

use std::time::Duration;

use proptest::prelude::*;
use reckoning::rewind::{Aim, HitRefusal, HitRequest, HitVerdict, RewindConfig, RewindView};
use reckoning::{
    Blend, DVec3, DelayedConfig, DelayedGhost, Ghost, GhostConfig, Kinematics, Model, Rewind,
    SimTime, Update, UpdateKind,
};

const SHOOTER: u32 = 7;
const BODY: u32 = 1;
const TARGET: u32 = 2;

fn ms(at: i64) -> SimTime {
    SimTime::from_millis(at)
}

fn update(at_ms: i64, y: f64) -> Update {
    let seen = Kinematics::moving(ms(at_ms), DVec3::new(20.0, y, 0.0), DVec3::Y * 8.0);
    Update::new(seen, Model::Linear, UpdateKind::Partial).unwrap()
}

fn rewind(view: RewindView) -> Rewind<u32, u32> {
    let mut config = RewindConfig::default();
    config.view = view;
    Rewind::new(config).unwrap()
}

/// A shooter at the origin that was shown a target running along y, 60 ms late.
fn scene() -> Rewind<u32, u32> {
    let mut rewind = rewind(RewindView::Now(GhostConfig::default()));
    for (key, t) in (0..).zip((0..3_000).step_by(200)) {
        rewind.observe(BODY, &Kinematics::at_rest(ms(t), DVec3::ZERO));
        rewind.remember(TARGET, key, update(t, t as f64 * 0.008));
        rewind.handle_shown(SHOOTER, TARGET, key, ms(t + 60));
    }
    rewind
}

fn shot(shown_ms: i64, at: DVec3) -> HitRequest<u32> {
    HitRequest {
        body: BODY,
        stood: DVec3::ZERO,
        target: TARGET,
        target_radius_m: 0.5,
        shown_at: ms(shown_ms),
        aim: Aim::Ray { from: DVec3::ZERO, direction: at, reach_m: 100.0 },
    }
}

#[test]
fn a_shot_at_what_was_shown_hits_and_one_aside_misses_by_as_much() {
    let mut rewind = scene();
    let seen = rewind.shown_at(SHOOTER, TARGET, ms(2_500)).unwrap().position;
    let HitVerdict::Hit { target, distance_m } =
        rewind.hit_check(SHOOTER, &shot(2_500, seen), ms(2_900))
    else {
        panic!("a shot at the ghost's middle missed");
    };
    assert_eq!(target, seen);
    assert!((distance_m - (seen.length() - 0.5)).abs() < 1e-9, "{distance_m}");
    let mut blast = shot(2_500, seen);
    blast.aim = Aim::Circle { center: seen + DVec3::Z * 3.0, radius_m: 2.0 };
    assert_eq!(rewind.hit_check(SHOOTER, &blast, ms(2_900)), HitVerdict::Miss { by_m: 0.5 });
    let behind = shot(2_500, -seen);
    assert!(matches!(rewind.hit_check(SHOOTER, &behind, ms(2_900)), HitVerdict::Miss { .. }));
    assert_eq!((rewind.stats().hits, rewind.stats().misses), (1, 2));
}

#[test]
fn abuse_is_refused_by_name() {
    let mut rewind = scene();
    let refused = |rewind: &mut Rewind<u32, u32>, request: &HitRequest<u32>, now_ms| match rewind
        .hit_check(SHOOTER, request, ms(now_ms))
    {
        HitVerdict::Refused(why) => Some(why),
        _ => None,
    };
    let good = shot(2_500, DVec3::X);
    assert_eq!(refused(&mut rewind, &good, 3_400), None);
    assert_eq!(refused(&mut rewind, &good, 3_501), Some(HitRefusal::TooOld));
    assert_eq!(refused(&mut rewind, &good, 2_399), Some(HitRefusal::Future));
    let mut elsewhere = good;
    elsewhere.stood = DVec3::Y * 1.1;
    assert_eq!(refused(&mut rewind, &elsewhere, 2_900), Some(HitRefusal::NotThere));
    let mut ghost = good;
    ghost.target = 99;
    assert_eq!(refused(&mut rewind, &ghost, 2_900), Some(HitRefusal::NotShown));
    let mut broken = good;
    broken.aim = Aim::Ray { from: DVec3::NAN, direction: DVec3::X, reach_m: 1.0 };
    assert_eq!(refused(&mut rewind, &broken, 4_000), Some(HitRefusal::NotFinite));
}

#[test]
fn shooting_more_often_than_one_can_is_refused_until_time_passes() {
    let mut rewind = scene();
    let good = shot(2_500, DVec3::X);
    let answered = (0..100).filter(|_| {
        let verdict = rewind.hit_check(SHOOTER, &good, ms(2_900));
        verdict != HitVerdict::Refused(HitRefusal::TooOften)
    });
    assert_eq!(answered.count(), 6);
    let later = rewind.hit_check(SHOOTER, &good, ms(3_000));
    assert_ne!(later, HitVerdict::Refused(HitRefusal::TooOften));
}

#[test]
fn the_truth_is_kept_for_the_span_however_often_it_is_told() {
    let mut rewind = rewind(RewindView::Now(GhostConfig::default()));
    for t in 0..20_000 {
        let seen = Kinematics::moving(ms(t), DVec3::X * t as f64, DVec3::X * 1_000.0);
        rewind.observe(BODY, &seen);
    }
    for t in 19_000..19_990 {
        let off = rewind.truth_at(BODY, ms(t)).unwrap().x - t as f64;
        assert!(off.abs() < 1e-6, "{t}: {off}");
    }
    assert_eq!(rewind.truth_at(BODY, ms(1_000)), None);
}

#[test]
fn what_is_forgotten_is_not_answered() {
    let mut rewind = scene();
    rewind.handle_shown(SHOOTER, TARGET, 9_999, ms(3_000));
    assert_eq!(rewind.stats().unknown, 1);
    assert_eq!(rewind.shown_at(SHOOTER, TARGET, ms(10)), None);
    rewind.handle_hidden(SHOOTER, TARGET);
    assert_eq!(rewind.shown_at(SHOOTER, TARGET, ms(2_500)), None);
    rewind.forget_entity(BODY);
    assert_eq!(rewind.truth_at(BODY, ms(2_500)), None);
}

/// Gaps between updates, delays, sideways places.
fn deliveries() -> impl Strategy<Value = Vec<(i64, i64, f64)>> {
    proptest::collection::vec((20_i64..400, 1_i64..300, -5.0..5.0), 3..120)
}

/// What arrived when: key, update, arrival; in order of arrival.
fn arrivals(list: &[(i64, i64, f64)]) -> Vec<(u32, Update, SimTime)> {
    let mut t = 0;
    let mut arrivals: Vec<_> = (0..)
        .zip(list)
        .map(|(key, (gap, delay, y))| {
            t += gap;
            // No two at once: whoever reports them late could not know their order.
            (key, update(t, *y), ms(t + delay) + Duration::from_micros(u64::from(key)))
        })
        .collect();
    arrivals.sort_by_key(|(key, _, arrived)| (*arrived, *key));
    arrivals
}

proptest! {
    #[test]
    fn the_answer_is_exactly_what_the_ghost_showed(
        list in deliveries(), asked in proptest::collection::vec(0_i64..900, 5), late in 0_usize..4,
    ) {
        let mut config = GhostConfig::default();
        config.blend = Blend::ProjectiveVelocity;
        check(RewindView::Now(config), &list, &asked, late)?;
    }

    #[test]
    fn the_answer_is_exactly_what_the_delayed_ghost_showed(
        list in deliveries(), asked in proptest::collection::vec(0_i64..900, 5), late in 0_usize..4,
    ) {
        check(RewindView::Delayed(DelayedConfig::default()), &list, &asked, late)?;
    }

    #[test]
    fn nothing_it_is_told_grows_without_bound_or_breaks_it(
        list in proptest::collection::vec((0_u32..300, any::<i64>(), any::<i64>(), -1e300..1e300_f64), 1..200),
    ) {
        let mut rewind = rewind(RewindView::Now(GhostConfig::default()));
        for (key, at, arrived, y) in list {
            let seen = Kinematics::at_rest(SimTime::from_micros(at), DVec3::Y * y);
            rewind.observe(BODY, &seen);
            rewind.remember(TARGET, key, Update::new(seen, Model::Linear, UpdateKind::Full).unwrap());
            let arrived = SimTime::from_micros(arrived);
            rewind.handle_shown(SHOOTER, TARGET, key, arrived);
            let mut request = shot(0, DVec3::Y * y);
            request.shown_at = arrived;
            rewind.hit_check(SHOOTER, &request, arrived + Duration::from_millis(5));
        }
    }
}

/// Plays all arrivals to a ghost and to a rewind that hears of them `late` arrivals later,
/// and asks both about the last second.
fn check(
    view: RewindView,
    list: &[(i64, i64, f64)],
    asked: &[i64],
    late: usize,
) -> Result<(), TestCaseError> {
    let arrivals = arrivals(list);
    let mut rewind = rewind(view);
    for (key, update, _) in &arrivals {
        rewind.remember(TARGET, *key, *update);
    }
    let mut told = arrivals.clone();
    if late > 0 && told.len() > late + 1 {
        // The first one is what the view is born from; some of the rest are told late.
        for place in (1..told.len() - late).step_by(late + 1) {
            told.swap(place, place + late);
        }
    }
    for (key, _, arrived) in &told {
        rewind.handle_shown(SHOOTER, TARGET, *key, *arrived);
    }
    let remembered = arrivals.len() <= 96;
    let end = arrivals[arrivals.len() - 1].2;
    for back_ms in asked {
        let at = end - Duration::from_millis(*back_ms as u64);
        if remembered && at >= arrivals[0].2 {
            let shown = rewind.shown_at(SHOOTER, TARGET, at).map(|pose| pose.position);
            prop_assert_eq!(shown, Some(shown_by_ghost(view, &arrivals, at)));
        }
    }
    Ok(())
}

fn shown_by_ghost(view: RewindView, arrivals: &[(u32, Update, SimTime)], at: SimTime) -> DVec3 {
    let (_, first, born) = arrivals[0];
    let heard = || arrivals[1..].iter().take_while(|(_, _, arrived)| *arrived <= at);
    match view {
        RewindView::Now(config) => {
            let mut ghost = Ghost::with_config(config, first, born).unwrap();
            for (_, update, arrived) in heard() {
                ghost.accept(*update, *arrived);
            }
            ghost.position_at(at)
        }
        RewindView::Delayed(config) => {
            let mut ghost = DelayedGhost::with_config(config, first, born).unwrap();
            for (_, update, arrived) in heard() {
                ghost.accept(*update, *arrived);
            }
            ghost.position_at(at)
        }
        _ => unreachable!("there are two views"),
    }
}
