//! Contract of the host's memory of what shooters saw.

use std::time::Duration;

use proptest::prelude::*;
use reckoning::rewind::{
    Aim, Defence, HitRefusal, HitRequest, HitVerdict, RewindConfig, RewindView, Sent, ShownAs,
    ShownUpdate,
};
use reckoning::terrain::Contact;
use reckoning::{
    Blend, BlendSpan, DVec3, DelayedConfig, DelayedGhost, Ghost, GhostConfig, Kinematics, Model,
    Rewind, SimTime, Terrain, Update, UpdateKind,
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

/// A rewind that believes shooters as long as it remembers them.
fn rewind(view: RewindView) -> Rewind<u32, u32> {
    let mut config = RewindConfig::default();
    config.view = view;
    config.max_past = Duration::from_secs(1);
    Rewind::new(config).unwrap()
}

/// A shooter at the origin that was shown a target running along y, 60 ms late.
fn scene() -> Rewind<u32, u32> {
    let mut rewind = rewind(RewindView::Now(GhostConfig::default()));
    for (key, t) in (0..).zip((0..3_000).step_by(200)) {
        rewind.observe(BODY, &Kinematics::at_rest(ms(t), DVec3::ZERO));
        let sent = update(t, t as f64 * 0.008);
        let sent = if key == 0 { Sent::Enter(sent) } else { Sent::Update(sent) };
        rewind.handle_sent(SHOOTER, TARGET, key, sent, ms(t));
        rewind.handle_acknowledged(SHOOTER, TARGET, key, ms(t + 60), ms(t + 120));
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
    rewind.handle_acknowledged(SHOOTER, TARGET, 9_999, ms(3_000), ms(3_000));
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
fn arrivals(list: &[(i64, i64, f64)]) -> Vec<(u64, Update, SimTime)> {
    let mut t = 0;
    let mut arrivals: Vec<_> = (0..)
        .zip(list)
        .map(|(key, (gap, delay, y))| {
            t += gap;
            // No two at once: whoever reports them late could not know their order.
            (key, update(t, *y), ms(t + delay) + Duration::from_micros(key))
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
        list in proptest::collection::vec((0_u64..300, any::<i64>(), any::<i64>(), -1e300..1e300_f64), 1..200),
    ) {
        let mut rewind = rewind(RewindView::Now(GhostConfig::default()));
        for (key, at, arrived, y) in list {
            let seen = Kinematics::at_rest(SimTime::from_micros(at), DVec3::Y * y);
            rewind.observe(BODY, &seen);
            let update = Update::new(seen, Model::Linear, UpdateKind::Full).unwrap();
            let arrived = SimTime::from_micros(arrived);
            rewind.handle_sent(SHOOTER, TARGET, key, Sent::Enter(update), seen.at);
            rewind.handle_acknowledged(SHOOTER, TARGET, key, arrived, arrived);
            let shown = ShownAs::new(arrived, &[ShownUpdate { key, arrived }]);
            let _ = rewind.handle_reference(SHOOTER, TARGET, &shown, arrived);
            let stated = RewindView::Delayed(DelayedConfig::default());
            let _ = rewind.state_view(SHOOTER, stated, seen.at, arrived);
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
    let mut sent = arrivals.clone();
    sent.sort_by_key(|(key, ..)| *key);
    // Whatever arrives first is what the ghost is born from.
    let first = arrivals[0].0;
    let enters =
        |key, update| if key == first { Sent::Enter(update) } else { Sent::Update(update) };
    let mut told = arrivals.clone();
    if late > 0 && told.len() > late + 1 {
        for place in (1..told.len() - late).step_by(late + 1) {
            told.swap(place, place + late);
        }
    }
    // Each is told of once it was sent, and no earlier than what is told before it.
    let mut waiting = told.into_iter().peekable();
    for (at, key, update) in sent.iter().map(|(key, update, _)| (update.at(), *key, *update)) {
        while let Some((key, _, arrived)) =
            waiting.next_if(|(told, _, came)| *told < key && *came < at)
        {
            rewind.handle_acknowledged(SHOOTER, TARGET, key, arrived, at);
        }
        rewind.handle_sent(SHOOTER, TARGET, key, enters(key, update), at);
    }
    let end = arrivals[arrivals.len() - 1].2;
    for (key, _, arrived) in waiting {
        rewind.handle_acknowledged(SHOOTER, TARGET, key, arrived, end);
    }
    let remembered = arrivals.len() <= 40;
    for back_ms in asked {
        let at = end - Duration::from_millis(*back_ms as u64);
        if remembered && at >= arrivals[0].2 {
            let shown = rewind.shown_at(SHOOTER, TARGET, at).map(|pose| pose.position);
            prop_assert_eq!(shown, Some(shown_by_ghost(view, &arrivals, at)));
        }
    }
    Ok(())
}

fn shown_by_ghost(view: RewindView, arrivals: &[(u64, Update, SimTime)], at: SimTime) -> DVec3 {
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

/// Default bounds, and a shooter whose round trip is 60 ms.
fn bounded() -> Rewind<u32, u32> {
    let mut rewind = Rewind::new(RewindConfig::default()).unwrap();
    rewind.set_round_trip(SHOOTER, Duration::from_millis(60), ms(0));
    rewind
}

/// A target that stands at `y`, by an update sent at that moment.
fn standing(at_ms: i64, y: f64) -> Update {
    let seen = Kinematics::at_rest(ms(at_ms), DVec3::new(20.0, y, 0.0));
    Update::new(seen, Model::Linear, UpdateKind::Partial).unwrap()
}

#[test]
fn a_teleport_is_rewound_as_the_jump_it_was() {
    let mut rewind = bounded();
    rewind.handle_sent(SHOOTER, TARGET, 0, Sent::Enter(standing(0, 0.0)), ms(0));
    let leap = Kinematics::at_rest(ms(500), DVec3::new(20.0, 25.0, 0.0));
    let leap = Update::new(leap, Model::Linear, UpdateKind::Teleport).unwrap();
    rewind.handle_sent(SHOOTER, TARGET, 1, Sent::Update(leap), ms(500));
    rewind.handle_acknowledged(SHOOTER, TARGET, 1, ms(530), ms(560));
    let shown_y = |at| rewind.shown_at(SHOOTER, TARGET, ms(at)).unwrap().position.y;
    assert_eq!((shown_y(529), shown_y(530)), (0.0, 25.0));
}

#[test]
fn a_withheld_acknowledgement_does_not_keep_an_old_picture() {
    let mut rewind = bounded();
    rewind.handle_sent(SHOOTER, TARGET, 0, Sent::Enter(standing(0, 0.0)), ms(0));
    rewind.handle_acknowledged(SHOOTER, TARGET, 0, ms(30), ms(60));
    // It goes behind a wall, and the shooter never says that it heard so.
    rewind.handle_sent(SHOOTER, TARGET, 1, Sent::Update(standing(1_000, 9.0)), ms(1_000));
    rewind.handle_sent(SHOOTER, TARGET, 2, Sent::Update(standing(1_000, 9.0)), ms(1_000));
    rewind.handle_lost(SHOOTER, TARGET, 2);
    let shown_y = |at| rewind.shown_at(SHOOTER, TARGET, ms(at)).unwrap().position.y;
    // The round trip and the margin, then a blend of a third of a second.
    assert_eq!(shown_y(1_159), 0.0);
    assert!(shown_y(1_180) > 0.0);
    assert_eq!(shown_y(1_500), 9.0);
}

#[test]
fn what_is_reported_lost_counts_as_shown_by_the_cap() {
    let mut rewind = bounded();
    rewind.handle_sent(SHOOTER, TARGET, 0, Sent::Enter(standing(0, 0.0)), ms(0));
    for (key, at) in (1..).zip((1_000..2_000).step_by(33)) {
        rewind.handle_sent(SHOOTER, TARGET, key, Sent::Update(standing(at, 9.0)), ms(at));
        rewind.handle_lost(SHOOTER, TARGET, key);
    }
    let shown_y = |at| rewind.shown_at(SHOOTER, TARGET, ms(at)).unwrap().position.y;
    assert_eq!(shown_y(1_250), 0.0);
    // From there on it is blended as fast as a ghost that hears so often does it.
    assert!(shown_y(1_750) > 8.9, "{}", shown_y(1_750));
}

#[test]
fn how_far_back_is_bounded_by_the_round_trip_and_the_cap() {
    let refused = |rewind: &mut Rewind<u32, u32>, age_ms: i64, now_ms: i64| {
        let verdict = rewind.hit_check(SHOOTER, &shot(now_ms - age_ms, DVec3::X), ms(now_ms));
        verdict == HitVerdict::Refused(HitRefusal::TooOld)
    };
    let mut rewind = bounded();
    assert_eq!(rewind.earliest_shown(SHOOTER, ms(5_000)), ms(4_840));
    assert!(!refused(&mut rewind, 160, 5_000) && refused(&mut rewind, 161, 10_000));
    rewind.set_round_trip(SHOOTER, Duration::from_secs(2), ms(10_000));
    assert!(!refused(&mut rewind, 250, 20_000) && refused(&mut rewind, 251, 30_000));
}

#[test]
fn a_clock_that_is_ahead_shows_nothing_of_the_future() {
    let mut rewind = bounded();
    rewind.observe(BODY, &Kinematics::at_rest(ms(0), DVec3::ZERO));
    rewind.handle_sent(SHOOTER, TARGET, 0, Sent::Enter(update(0, 0.0)), ms(0));
    // In 90 ms the target will be 0.72 m further along y.
    let circle = |y: f64| Aim::Circle { center: DVec3::new(20.0, y, 0.0), radius_m: 0.0 };
    let ahead = |y| HitRequest { target_radius_m: 0.1, aim: circle(y), ..shot(590, DVec3::X) };
    let there = rewind.hit_check(SHOOTER, &ahead(8.0 * 0.59), ms(500));
    assert!(matches!(there, HitVerdict::Miss { .. }), "{there:?}");
    let here = rewind.hit_check(SHOOTER, &ahead(8.0 * 0.5), ms(500));
    assert!(matches!(here, HitVerdict::Hit { .. }), "{here:?}");
}

#[test]
fn a_delayed_view_counts_towards_the_cap() {
    let mut rewind = bounded();
    let mut delayed = DelayedConfig::default();
    delayed.max_delay = delayed.min_delay;
    rewind.state_view(SHOOTER, RewindView::Delayed(delayed), ms(0), ms(0)).unwrap();
    for t in 0..=60 {
        rewind.observe(BODY, &Kinematics::at_rest(ms(t * 100), DVec3::ZERO));
    }
    rewind.handle_sent(SHOOTER, TARGET, 0, Sent::Enter(standing(0, 0.0)), ms(0));
    let at = DVec3::X * 20.0;
    let verdict = |rewind: &mut Rewind<u32, u32>, age_ms: i64, now_ms: i64| {
        rewind.hit_check(SHOOTER, &shot(now_ms - age_ms, at), ms(now_ms))
    };
    assert!(matches!(verdict(&mut rewind, 150, 2_000), HitVerdict::Hit { .. }));
    assert_eq!(verdict(&mut rewind, 151, 5_000), HitVerdict::Refused(HitRefusal::TooOld));
}

#[test]
fn shots_cannot_be_saved_up() {
    let mut rewind = scene();
    let mut fired = |shown_ms: i64, now_ms: i64| {
        let verdict = rewind.hit_check(SHOOTER, &shot(shown_ms, DVec3::X), ms(now_ms));
        verdict != HitVerdict::Refused(HitRefusal::Banked)
    };
    // Four shots at four old pictures in one moment: the second makes up all it may.
    assert!(fired(2_100, 2_900) && fired(2_200, 2_900));
    assert!(!fired(2_300, 2_900) && !fired(2_400, 2_900));
    // Nor can it go back to the one that suited it best.
    assert!(!fired(2_100, 2_901));
    // A pause later it may again, because networks bunch.
    assert!(fired(2_300, 3_100));
}

#[test]
fn steady_fire_over_a_jittery_link_is_not_taken_for_saved_up() {
    let mut rewind = bounded();
    for n in 0..200_i64 {
        let (fired, late) = (1_000 + n * 100, 30 + n * 7_919 % 41);
        let verdict = rewind.hit_check(SHOOTER, &shot(fired, DVec3::X), ms(fired + late));
        assert_ne!(verdict, HitVerdict::Refused(HitRefusal::Banked), "shot {n}");
    }
}

#[test]
fn a_reference_names_only_what_was_sent_and_can_have_arrived() {
    let mut rewind = bounded();
    rewind.handle_sent(SHOOTER, TARGET, 3, Sent::Enter(standing(0, 0.0)), ms(1_000));
    rewind.handle_sent(SHOOTER, TARGET, 5, Sent::Update(standing(900, 1.0)), ms(1_100));
    let mut refer = |updates: &[(u64, i64)], now_ms: i64| {
        let named: Vec<_> =
            updates.iter().map(|(key, at)| ShownUpdate { key: *key, arrived: ms(*at) }).collect();
        rewind.handle_reference(SHOOTER, TARGET, &ShownAs::new(ms(now_ms), &named), ms(now_ms))
    };
    assert_eq!(refer(&[(3, 1_030), (4, 1_120)], 1_200), Err(HitRefusal::NotSent));
    assert_eq!(refer(&[(3, 1_030), (6, 1_120)], 1_200), Err(HitRefusal::NotSent));
    assert_eq!(refer(&[(5, 1_130), (3, 1_030)], 1_200), Err(HitRefusal::NotSent));
    assert_eq!(refer(&[], 1_200), Err(HitRefusal::NotSent));
    assert_eq!(refer(&[(3, 1_030), (5, 999)], 1_200), Err(HitRefusal::NotArrived));
    assert_eq!(refer(&[(3, 1_030), (5, 1_301)], 1_200), Err(HitRefusal::NotArrived));
    assert_eq!(refer(&[(3, 1_030)], 1_110), Ok(()));
    assert_eq!(refer(&[(3, 1_030), (5, 1_130)], 1_200), Ok(()));
    assert_eq!(refer(&[(3, 1_030), (5, 1_150)], 1_210), Err(HitRefusal::Contradicted));
    assert_eq!(refer(&[(3, 1_031)], 1_210), Err(HitRefusal::Contradicted));
}

/// A reference at `shown_ms` to updates that arrived then, which comes in 40 ms later.
fn refer_to(
    rewind: &mut Rewind<u32, u32>,
    shown_ms: i64,
    updates: &[(u64, i64)],
) -> Result<(), HitRefusal> {
    let named = |(key, at): &(u64, i64)| ShownUpdate { key: *key, arrived: ms(*at) };
    let named: Vec<_> = updates.iter().map(named).collect();
    let shown = ShownAs::new(ms(shown_ms), &named);
    rewind.handle_reference(SHOOTER, TARGET, &shown, ms(shown_ms + 40))
}

#[test]
fn a_shot_that_is_under_way_when_an_exit_is_acknowledged_is_judged_by_its_picture() {
    let mut rewind = bounded();
    rewind.handle_sent(SHOOTER, TARGET, 0, Sent::Enter(standing(0, 3.0)), ms(0));
    rewind.handle_acknowledged(SHOOTER, TARGET, 0, ms(30), ms(60));
    rewind.handle_sent(SHOOTER, TARGET, 1, Sent::Exit, ms(1_000));
    rewind.handle_acknowledged(SHOOTER, TARGET, 1, ms(1_030), ms(1_055));
    assert_eq!(refer_to(&mut rewind, 1_020, &[(0, 30)]), Ok(()));
    let shown_y = |at| rewind.shown_at(SHOOTER, TARGET, ms(at)).map(|pose| pose.position.y);
    assert_eq!((shown_y(1_020), shown_y(1_030)), (Some(3.0), None));
    // Once no shot may be about it any more, nothing is kept.
    rewind.handle_acknowledged(SHOOTER, BODY, 0, ms(1_300), ms(1_304));
    assert!(rewind.remembers(SHOOTER, TARGET));
    rewind.handle_acknowledged(SHOOTER, BODY, 0, ms(1_300), ms(1_305));
    assert!(!rewind.remembers(SHOOTER, TARGET));
}

#[test]
fn who_names_an_update_had_the_entry_before_it() {
    let mut rewind = bounded();
    rewind.handle_sent(SHOOTER, TARGET, 0, Sent::Enter(standing(0, 3.0)), ms(1_000));
    rewind.handle_sent(SHOOTER, TARGET, 1, Sent::Update(standing(1_010, 3.0)), ms(1_010));
    assert_eq!(refer_to(&mut rewind, 1_060, &[(1, 1_045)]), Ok(()));
    let shown_y = |at| rewind.shown_at(SHOOTER, TARGET, ms(at)).map(|pose| pose.position.y);
    assert_eq!((shown_y(1_044), shown_y(1_060)), (None, Some(3.0)));
}

#[test]
fn an_entry_that_was_overtaken_by_an_update_counts() {
    let mut rewind = bounded();
    rewind.handle_sent(SHOOTER, TARGET, 0, Sent::Enter(standing(0, 3.0)), ms(1_000));
    rewind.handle_sent(SHOOTER, TARGET, 1, Sent::Update(standing(1_010, 9.0)), ms(1_010));
    rewind.handle_acknowledged(SHOOTER, TARGET, 1, ms(1_045), ms(1_080));
    rewind.handle_acknowledged(SHOOTER, TARGET, 0, ms(1_070), ms(1_100));
    let shown_y = |at| rewind.shown_at(SHOOTER, TARGET, ms(at)).map(|pose| pose.position.y);
    assert_eq!((shown_y(1_069), shown_y(1_070)), (None, Some(3.0)));
}

#[test]
fn a_reference_may_name_what_is_past_while_something_older_is_missing() {
    let mut rewind = bounded();
    rewind.handle_sent(SHOOTER, TARGET, 0, Sent::Enter(standing(0, 0.0)), ms(0));
    for (key, at) in [(1, 1_000), (2, 1_100), (3, 1_110)] {
        rewind.handle_sent(SHOOTER, TARGET, key, Sent::Update(standing(at, 3.0)), ms(at));
    }
    rewind.handle_acknowledged(SHOOTER, TARGET, 3, ms(1_140), ms(1_170));
    rewind.handle_lost(SHOOTER, TARGET, 1);
    rewind.handle_lost(SHOOTER, TARGET, 2);
    rewind.handle_sent(SHOOTER, TARGET, 4, Sent::Update(standing(2_260, 4.0)), ms(2_260));
    assert_eq!(refer_to(&mut rewind, 2_300, &[(3, 1_140), (4, 2_290)]), Ok(()));
    assert_eq!(refer_to(&mut rewind, 2_310, &[(3, 1_140), (5, 2_290)]), Err(HitRefusal::NotSent));
}

#[test]
fn leaving_updates_out_of_a_reference_does_not_bring_an_old_picture_back() {
    let mut rewind = bounded();
    rewind.handle_sent(SHOOTER, TARGET, 0, Sent::Enter(standing(0, 0.0)), ms(0));
    for (key, at) in (1..).zip((1_000..2_000).step_by(100)) {
        rewind.handle_sent(SHOOTER, TARGET, key, Sent::Update(standing(at, 9.0)), ms(at));
    }
    // "Of all of that only the last one came, just now": so its ghost would still stand at 0.
    let named = [(0, 30), (10, 1_999)].map(|(key, at)| ShownUpdate { key, arrived: ms(at) });
    let shown = ShownAs::new(ms(2_000), &named);
    assert_eq!(rewind.handle_reference(SHOOTER, TARGET, &shown, ms(2_000)), Ok(()));
    let shown_y = rewind.shown_at(SHOOTER, TARGET, ms(2_000)).unwrap().position.y;
    assert!((shown_y - 9.0).abs() < 0.01, "{shown_y}");
}

#[test]
fn a_stated_view_is_what_is_rewound_and_has_bounds() {
    let mut rewind = bounded();
    let view = |span_ms| {
        let mut config = GhostConfig::default();
        config.span = BlendSpan::Fixed(Duration::from_millis(span_ms));
        RewindView::Now(config)
    };
    assert!(rewind.state_view(SHOOTER, view(501), ms(0), ms(0)).is_err());
    assert!(
        rewind
            .state_view(SHOOTER, RewindView::Delayed(DelayedConfig::default()), ms(0), ms(0))
            .is_err()
    );
    assert_eq!(rewind.stats().views_refused, 2);
    rewind.state_view(SHOOTER, view(100), ms(0), ms(0)).unwrap();
    rewind.handle_sent(SHOOTER, TARGET, 0, Sent::Enter(standing(0, 0.0)), ms(0));
    rewind.handle_sent(SHOOTER, TARGET, 1, Sent::Update(standing(1_000, 9.0)), ms(1_000));
    rewind.handle_acknowledged(SHOOTER, TARGET, 1, ms(1_030), ms(1_060));
    let shown_y = |rewind: &Rewind<u32, u32>, at| {
        rewind.shown_at(SHOOTER, TARGET, ms(at)).unwrap().position.y
    };
    assert!(shown_y(&rewind, 1_100) < 9.0 && shown_y(&rewind, 1_131) == 9.0);
    // Nobody chooses a blend for each shot.
    for n in 0..20 {
        rewind.state_view(SHOOTER, view(101 + n), ms(2_000), ms(2_000)).unwrap();
    }
    assert!(rewind.stats().views_refused >= 18);
}

/// A wall along y at 10 m, from 2 m on.
struct Wall;

impl Terrain for Wall {
    fn ground_below(&self, _: DVec3) -> Option<Contact> {
        None
    }

    fn first_hit(&self, from: DVec3, to: DVec3) -> Option<Contact> {
        let share = (10.0 - from.x) / (to.x - from.x);
        let point = from.lerp(to, share);
        (point.y > 2.0).then_some(Contact { point, normal: DVec3::X })
    }
}

#[test]
fn whoever_reached_cover_in_time_is_not_hit() {
    let verdict = |cover_after, hidden_for_ms: i64, safe_since: Option<SimTime>| {
        let mut config = RewindConfig::default();
        config.cover_after = cover_after;
        let mut rewind: Rewind<u32, u32> = Rewind::new(config).unwrap();
        rewind.handle_sent(SHOOTER, TARGET, 0, Sent::Enter(standing(0, 0.0)), ms(0));
        for t in 0..=100 {
            let y = if t * 10 >= 1_000 - hidden_for_ms { 9.0 } else { 0.0 };
            rewind.observe(BODY, &Kinematics::at_rest(ms(t * 10), DVec3::ZERO));
            rewind.observe(TARGET, &Kinematics::at_rest(ms(t * 10), DVec3::new(20.0, y, 0.0)));
        }
        let defence = Defence { walls: Some(&Wall), safe_since };
        rewind.hit_check_against(SHOOTER, &shot(900, DVec3::X), &defence, ms(1_000))
    };
    let (covered, after) =
        (HitVerdict::Refused(HitRefusal::Covered), Some(Duration::from_millis(60)));
    assert_eq!(verdict(after, 80, None), covered);
    assert!(matches!(verdict(after, 40, None), HitVerdict::Hit { .. }), "not long enough");
    assert!(matches!(verdict(None, 80, None), HitVerdict::Hit { .. }), "the rule is off");
    assert_eq!(verdict(after, 0, Some(ms(940))), covered, "a dash was begun");
    assert!(matches!(verdict(after, 0, Some(ms(941))), HitVerdict::Hit { .. }), "too late");
}

proptest! {
    #[test]
    fn with_a_reference_the_answer_is_the_ghost_to_the_last_bit(
        list in deliveries(), asked_ms in 0_i64..100, span_ms in 50_u64..450,
    ) {
        let mut config = GhostConfig::default();
        config.span = BlendSpan::Fixed(Duration::from_millis(span_ms));
        refer(config, &list, asked_ms)?;
    }

    /// How long a close blend takes follows from what was off when the update came, which the host
    /// rebuilds as well.
    #[test]
    fn close_blends_are_rewound_to_the_last_bit(
        list in deliveries(), asked_ms in 0_i64..100, width_m in 0.1..5.0,
    ) {
        let mut config = GhostConfig::default();
        config.span = BlendSpan::close(width_m);
        refer(config, &list, asked_ms)?;
    }
}

/// A shooter whose acknowledgements are dated badly refers to its picture, again and again.
fn refer(
    config: GhostConfig,
    list: &[(i64, i64, f64)],
    asked_ms: i64,
) -> Result<(), TestCaseError> {
    // A delay beyond the cap would be a deadline's case.
    let list: Vec<_> = list.iter().map(|(gap, delay, y)| (*gap, delay % 120, *y)).collect();
    let arrivals = arrivals(&list);
    let mut rewind = rewind(RewindView::Now(config));
    let mut accepted: Vec<(u64, Update, SimTime)> = Vec::new();
    for (key, update, arrived) in &arrivals {
        let is_first = accepted.is_empty();
        let sent = if is_first { Sent::Enter(*update) } else { Sent::Update(*update) };
        let stale = accepted.last().is_some_and(|(newest, ..)| newest > key);
        if stale {
            continue; // overtaken: never sent, as far as this test goes
        }
        rewind.handle_sent(SHOOTER, TARGET, *key, sent, update.at());
        accepted.push((*key, *update, *arrived));
        let off = Duration::from_millis(key * 13 % 30);
        let shown_at = *arrived + Duration::from_millis(asked_ms as u64);
        rewind.handle_acknowledged(SHOOTER, TARGET, *key, *arrived - off, shown_at);
        let named: Vec<_> = accepted
            .iter()
            .map(|(key, _, arrived)| ShownUpdate { key: *key, arrived: *arrived })
            .collect();
        let shown = ShownAs::new(shown_at, &named);
        prop_assert_eq!(rewind.handle_reference(SHOOTER, TARGET, &shown, shown_at), Ok(()));
        let answer = rewind.shown_at(SHOOTER, TARGET, shown_at).map(|pose| pose.position);
        prop_assert_eq!(answer, Some(shown_by_ghost(RewindView::Now(config), &accepted, shown_at)));
    }
    Ok(())
}
