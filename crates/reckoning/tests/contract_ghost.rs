//! Contract of a [`Ghost`].

mod common;

use std::time::Duration;

use common::ghosts::{changes, shown, told, told_and_watched, velocity_jump};
use common::{
    Delivery, after, cases, deliveries, deliveries_of, flows, kinematics, millis, motion,
    same_place, smooth_model, update,
};
use proptest::prelude::*;
use reckoning::ghost::{Accepted, Pace};
use reckoning::{
    Blend, BlendSpan, DVec3, Ghost, GhostConfig, Kinematics, Model, SimTime, Timing, Update,
    UpdateKind,
};

fn span() -> impl Strategy<Value = BlendSpan> {
    prop_oneof![
        millis(50..800).prop_map(BlendSpan::Fixed),
        (millis(50..200), millis(200..800))
            .prop_map(|(min, max)| BlendSpan::FromArrivals { min, max }),
        (millis(50..200), millis(200..800), millis(1..300))
            .prop_map(|(min, max, per_metre)| BlendSpan::ByError { min, max, per_metre }),
        (millis(50..200), millis(200..800), millis(1..300))
            .prop_map(|(min, max, at_metre)| BlendSpan::ByErrorRoot { min, max, at_metre }),
    ]
}

fn timing() -> impl Strategy<Value = Timing> {
    prop_oneof![
        Just(Timing::Synchronised),
        millis(0..300).prop_map(|delay| Timing::OnArrival { delay }),
    ]
}

fn pace() -> impl Strategy<Value = Option<Pace>> {
    prop::option::of(
        (0.5..50.0, millis(50..800))
            .prop_map(|(max_speed_mps, max_span)| Pace { max_speed_mps, max_span }),
    )
}

fn config(blends: &'static [Blend]) -> impl Strategy<Value = GhostConfig> {
    let shown = (span(), pace(), any::<bool>());
    (prop::sample::select(blends), shown, timing(), millis(200..4_000)).prop_map(
        |(blend, (span, pace, hedged), timing, max_extrapolation)| {
            let mut config = GhostConfig::default();
            (config.blend, config.span, config.timing) = (blend, span, timing);
            (config.pace, config.hedged) = (pace, hedged);
            config.max_extrapolation = max_extrapolation;
            config
        },
    )
}

/// Ghosts that follow the model, which a mean of experts does not.
fn plain(blends: &'static [Blend]) -> impl Strategy<Value = GhostConfig> {
    config(blends).prop_map(|mut config| {
        config.hedged = false;
        config
    })
}

const SMOOTH: [Blend; 7] = [
    Blend::Linear,
    Blend::Fade,
    Blend::ProjectiveVelocity,
    Blend::ProjectiveVelocityPrinted,
    Blend::Bezier,
    Blend::Hermite,
    Blend::CatmullRom,
];
const VELOCITY_KEEPING: [Blend; 3] = [Blend::ProjectiveVelocity, Blend::Bezier, Blend::Hermite];

/// The longest the current blend of a ghost can take.
fn longest_span_s(config: &GhostConfig) -> f64 {
    config.longest_blend().as_secs_f64()
}

/// The moment the ghost takes its newest update to speak of.
fn believed_since(ghost: &Ghost, last: Delivery) -> SimTime {
    match ghost.config().timing {
        Timing::OnArrival { delay } => last.now - delay,
        _ => ghost.update().at(),
    }
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn no_update_makes_the_picture_jump(config in config(&SMOOTH), deliveries in deliveries()) {
        for (before, after, now) in changes::<Ghost>(config, &deliveries) {
            let (from, to) = (before.position_at(now), after.position_at(now));
            prop_assert!(same_place(from, to), "{from} to {to} at {now}");
            let (from, to) = (before.orientation_at(now), after.orientation_at(now));
            prop_assert!(reckoning::math::angle_between(from, to) < 1e-7, "{from} to {to} at {now}");
        }
    }

    #[test]
    fn other_settings_do_not_make_the_picture_jump(
        config in config(&SMOOTH),
        other in config(&SMOOTH),
        deliveries in deliveries(),
        wait in millis(0..900),
    ) {
        for (_, mut ghost, arrived) in changes::<Ghost>(config, &deliveries) {
            let now = arrived + wait;
            let from = ghost.position_at(now);
            ghost.set_config(other, now).unwrap();
            let to = ghost.position_at(now);
            prop_assert!(same_place(from, to), "{from} to {to} at {now}");
            prop_assert_eq!(ghost.config(), &other);
        }
    }

    #[test]
    fn blends_that_keep_velocity_keep_it(
        config in config(&VELOCITY_KEEPING),
        deliveries in deliveries(),
    ) {
        for (before, after, now) in changes::<Ghost>(config, &deliveries) {
            let (from, to) = (before.velocity_at(now), after.velocity_at(now));
            prop_assert!(same_place(from, to), "{from} to {to} at {now}");
        }
    }

    #[test]
    fn the_eye_sees_the_velocity_kept(
        config in config(&VELOCITY_KEEPING),
        deliveries in deliveries_of(smooth_model()),
    ) {
        prop_assert_eq!(velocity_jump::<Ghost>(config, &deliveries, 1e-3), None);
    }

    #[test]
    fn the_picture_flows_at_every_moment(config in config(&SMOOTH), deliveries in deliveries()) {
        let ghost: Ghost = told(config, &deliveries);
        let arrived = arrival_of(&ghost, &deliveries);
        let since = believed_since(&ghost, arrived);
        let cap_s = config.max_extrapolation.as_secs_f64();
        let seams = [0.5 * cap_s, cap_s, 1.5 * cap_s].map(|t_s| after(since, t_s));
        let ends = [longest_span_s(&config), 0.05, 0.2].map(|t_s| after(arrived.now, t_s));
        let frames = (1..40).map(|frame| after(arrived.now, f64::from(frame) * 0.0371));
        let moments = seams.into_iter().chain(ends).filter(|&t| t > arrived.now).chain(frames);
        for now in moments {
            let flows = flows(|t| ghost.position_at(t), |t| ghost.velocity_at(t), now, 1e-6);
            prop_assert!(flows, "jumps at {now}, arrived {}, believed {since}", arrived.now);
        }
    }

    #[test]
    fn a_teleport_is_shown_at_once(
        config in plain(&SMOOTH),
        deliveries in deliveries(),
        motion in motion(),
        late_ms in 0..300_i64,
    ) {
        let mut ghost: Ghost = told(config, &deliveries);
        let now = deliveries.last().unwrap().now.max(ghost.update().at()) + Duration::from_millis(5);
        let teleport = update(after(now, -1e-3 * late_ms as f64), motion, UpdateKind::Teleport);
        if ghost.accept(teleport, now) == Accepted::Newest {
            let fresh = Ghost::with_config(config, teleport, now).unwrap();
            prop_assert_eq!(shown(&ghost, now), shown(&fresh, now));
        }
    }

    #[test]
    fn one_span_after_the_last_update_the_ghost_is_on_the_model(
        config in plain(&Blend::ALL),
        deliveries in deliveries(),
        share in 0.0..1.0_f64,
    ) {
        let ghost: Ghost = told(config, &deliveries);
        let arrived = arrival_of(&ghost, &deliveries);
        let since = believed_since(&ghost, arrived);
        let from_s = arrived.now.secs_since(since) + longest_span_s(&config) + 1e-6;
        let until_s = 0.5 * config.max_extrapolation.as_secs_f64();
        if from_s < until_s {
            let t = Duration::from_secs_f64((from_s + share * (until_s - from_s)).max(0.0));
            let believed = ghost.update().position_at(ghost.update().at() + t);
            let got = ghost.position_at(since + t);
            prop_assert!(same_place(got, believed), "{got} not {believed} after {t:?}");
        }
    }

    #[test]
    fn a_silent_ghost_holds_still_for_ever(
        config in plain(&Blend::ALL),
        deliveries in deliveries(),
        later_us in 1..i64::MAX / 4,
    ) {
        let ghost: Ghost = told(config, &deliveries);
        let arrived = arrival_of(&ghost, &deliveries);
        let cap = config.max_extrapolation;
        let rest = (believed_since(&ghost, arrived) + cap.mul_f64(1.5))
            .max(after(arrived.now, longest_span_s(&config)))
            + Duration::from_micros(2);
        let at_the_cap = ghost.update().position_at(ghost.update().at() + cap);
        prop_assert!(same_place(ghost.position_at(rest), at_the_cap));
        let later = SimTime::from_micros(rest.as_micros() + later_us);
        for now in [rest, later, SimTime::MAX] {
            prop_assert_eq!(ghost.velocity_at(now), reckoning::DVec3::ZERO);
            prop_assert_eq!(ghost.position_at(now), ghost.position_at(rest));
            prop_assert_eq!(ghost.orientation_at(now), ghost.orientation_at(rest));
        }
    }

    #[test]
    fn a_linear_ghost_goes_no_further_than_the_cap(
        seen in kinematics(),
        cap in millis(1..5_000),
        later_us in 0..20_000_000_i64,
    ) {
        let mut config = GhostConfig::default();
        config.max_extrapolation = cap;
        let first = update(SimTime::ZERO, (seen, Model::Linear), UpdateKind::Full);
        let ghost = Ghost::with_config(config, first, SimTime::ZERO).unwrap();
        let way_m = (ghost.position_at(SimTime::from_micros(later_us)) - seen.position).length();
        let most_m = seen.velocity.length() * cap.as_secs_f64();
        prop_assert!(way_m <= most_m * (1.0 + 1e-12) + 1e-9, "{way_m} of {most_m}");
    }

    #[test]
    fn a_late_update_of_a_body_that_keeps_to_its_model_shows_the_truth(
        config in plain(&Blend::ALL),
        guess in motion(),
        truth in motion(),
        delay in millis(0..900),
        share in 0.0..1.0_f64,
    ) {
        let mut config = config;
        (config.timing, config.max_extrapolation) = (Timing::Synchronised, Duration::from_secs(4));
        let first = update(SimTime::ZERO, guess, UpdateKind::Full);
        let exported = update(SimTime::from_millis(1), truth, UpdateKind::Partial);
        let mut ghost = Ghost::with_config(config, first, SimTime::ZERO).unwrap();
        let arrives = exported.at() + delay;
        ghost.accept(exported, arrives);
        let blend_s = if config.blend == Blend::Snap { 0.0 } else { longest_span_s(&config) };
        let from_s = delay.as_secs_f64() + blend_s + 1e-6;
        let now = after(exported.at(), from_s + share * (2.0 - from_s));
        let kinds = (ghost.position_at(now), ghost.velocity_at(now), ghost.orientation_at(now));
        prop_assert_eq!(kinds.0, exported.position_at(now));
        prop_assert_eq!(kinds.1, exported.velocity_at(now));
        prop_assert_eq!(kinds.2, exported.orientation_at(now));
        if config.blend == Blend::Snap {
            prop_assert_eq!(ghost.position_at(arrives), exported.position_at(arrives));
        }
    }

    #[test]
    fn neither_the_order_nor_the_number_of_questions_matters(
        config in config(&Blend::ALL),
        deliveries in deliveries(),
        mut questions in prop::collection::vec(-2_000_000..9_000_000_i64, 1..40),
    ) {
        let ghost: Ghost = told(config, &deliveries);
        let ask = |us: i64| shown(&ghost, SimTime::from_micros(us));
        let first: Vec<_> = questions.iter().map(|&us| (us, ask(us))).collect();
        questions.sort_unstable();
        for us in questions.iter().flat_map(|&us| [us, us + 1, us]) {
            let before = first.iter().find(|(asked, _)| *asked == us);
            prop_assert!(before.is_none_or(|(_, answer)| *answer == ask(us)), "at {us} us");
        }
    }

    #[test]
    fn looking_in_between_changes_nothing_and_a_replay_is_the_same_to_the_bit(
        config in config(&Blend::ALL),
        deliveries in deliveries(),
        frame_us in 1_000..50_000_i64,
    ) {
        let unwatched: Ghost = told(config, &deliveries);
        let watched: Ghost = told_and_watched(config, &deliveries, frame_us);
        for tenth in 0..60 {
            let now = after(deliveries[0].now, f64::from(tenth) * 0.1);
            prop_assert_eq!(shown(&watched, now), shown(&unwatched, now));
        }
    }

    #[test]
    fn repeated_and_overtaken_updates_are_as_if_they_had_been_lost(
        config in config(&Blend::ALL),
        deliveries in deliveries(),
    ) {
        let everything: Ghost = told(config, &deliveries);
        let mut newest = deliveries[0].update.at();
        let mut useful = vec![deliveries[0]];
        for &delivery in &deliveries[1..] {
            if delivery.update.at() > newest {
                newest = delivery.update.at();
                useful.push(delivery);
            }
        }
        let only_useful: Ghost = told(config, &useful);
        prop_assert_eq!(everything.stats().stale as usize, deliveries.len() - useful.len());
        for tenth in -20..60 {
            let now = after(deliveries[0].now, f64::from(tenth) * 0.1);
            prop_assert_eq!(shown(&everything, now), shown(&only_useful, now));
        }
    }
}

/// The delivery that brought the update the ghost holds.
fn arrival_of(ghost: &Ghost, deliveries: &[Delivery]) -> Delivery {
    *deliveries.iter().find(|delivery| delivery.update.at() == ghost.update().at()).unwrap()
}

#[test]
fn an_update_from_a_clock_that_is_ahead_is_shown_on_its_way_there() {
    let seen = Kinematics::moving(
        SimTime::from_millis(100),
        reckoning::DVec3::X,
        reckoning::DVec3::X * 10.0,
    );
    let ahead = Update::new(seen, Model::Linear, UpdateKind::Full).unwrap();
    let ghost = Ghost::with_config(GhostConfig::default(), ahead, SimTime::ZERO).unwrap();
    assert!(ghost.position_at(SimTime::ZERO).length() < 1e-12);
    assert!((ghost.delay_s() + 0.1).abs() < 1e-12);
}

/// A picture that is far off is shed over longer, so the speed that a blend adds has a bound; one
/// that is near is shed in the shortest span.
#[test]
fn spans_by_error_bound_the_speed_that_a_blend_adds() {
    let ms = SimTime::from_millis;
    let seen = |at, x| {
        let seen = Kinematics::moving(ms(at), DVec3::X * x, DVec3::X);
        Update::new(seen, Model::Linear, UpdateKind::Partial).unwrap()
    };
    let fastest_mps = |span, off_m| {
        let mut config = GhostConfig::default();
        (config.blend, config.span) = (Blend::ProjectiveVelocity, span);
        let mut ghost = Ghost::with_config(config, seen(0, 0.0), ms(0)).unwrap();
        ghost.accept(seen(1_000, 1.0 + off_m), ms(1_000));
        let speeds = (1_000..2_500).map(|at| ghost.velocity_at(ms(at)).length() - 1.0);
        speeds.fold(0.0, f64::max)
    };
    let [min, max, per_metre] = [100, 1_000, 200].map(Duration::from_millis);
    let by_error = BlendSpan::ByError { min, max, per_metre };
    for off_m in [0.1, 0.5, 1.0, 2.0, 5.0] {
        let added = fastest_mps(by_error, off_m);
        assert!(added <= 2.0 / per_metre.as_secs_f64(), "{added} m/s to shed {off_m} m");
    }
    assert_eq!(fastest_mps(by_error, 0.3), fastest_mps(BlendSpan::Fixed(min), 0.3));
    assert_eq!(fastest_mps(by_error, 50.0), fastest_mps(BlendSpan::Fixed(max), 50.0));
    let wrong = BlendSpan::ByError { min: max, max: min, per_metre };
    let mut config = GhostConfig::default();
    config.span = wrong;
    assert!(Ghost::with_config(config, seen(0, 0.0), ms(0)).is_err());
}

/// Close blends shed an error over a span that grows with its root: the acceleration that they add
/// is the same for small and for large errors, and no more than twelve over the square of the span
/// for a metre.
#[test]
fn close_blends_bound_the_acceleration_that_they_add() {
    let ms = SimTime::from_millis;
    let seen = |at, x| {
        let seen = Kinematics::moving(ms(at), DVec3::X * x, DVec3::X);
        Update::new(seen, Model::Linear, UpdateKind::Partial).unwrap()
    };
    let hardest_mps2 = |span, off_m| {
        let mut config = GhostConfig::default();
        config.span = span;
        let mut ghost = Ghost::with_config(config, seen(0, 0.0), ms(0)).unwrap();
        ghost.accept(seen(1_000, 1.0 + off_m), ms(1_000));
        let at = |us| SimTime::from_micros(us);
        let speeds: Vec<f64> =
            (1_000_000..1_400_000).step_by(500).map(|us| ghost.velocity_at(at(us)).x).collect();
        speeds.windows(2).map(|pair| (pair[1] - pair[0]).abs() / 5e-4).fold(0.0, f64::max)
    };
    let width_m = 0.8;
    let most_mps2 = 300.0 * width_m;
    for widths in [0.1, 0.4, 1.0, 2.5] {
        let added = hardest_mps2(BlendSpan::close(width_m), widths * width_m);
        assert!(added <= most_mps2 * 1.001, "{added} m/s^2 to shed {widths} widths");
        assert!(added > most_mps2 * 0.95, "{added} m/s^2 to shed {widths} widths");
    }
    // Near ones take the shortest span, far ones the longest.
    let fixed = |span_ms| BlendSpan::Fixed(Duration::from_millis(span_ms));
    let close = |off_m| hardest_mps2(BlendSpan::close(width_m), off_m);
    assert_eq!(close(0.001), hardest_mps2(fixed(50), 0.001));
    assert_eq!(close(50.0), hardest_mps2(fixed(333), 50.0));
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(BlendSpan::close(wrong), BlendSpan::close(1.0));
    }
}
