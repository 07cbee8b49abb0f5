//! Promises of the steps.

use super::*;

/// The figures of a step after so many seconds at these sliders.
fn after(step: Step, values: [f64; 2], seconds: i64) -> impl Fn(&str) -> f64 {
    let mut demo = demo(step, values);
    (0..seconds * 60).for_each(|_| demo.tick());
    let figures = demo.figures();
    move |name: &str| figures.iter().find(|it| it.0 == name).expect(name).1
}

fn demo(step: Step, values: [f64; 2]) -> Demo {
    let mut demo = Demo::new(step).unwrap();
    (0..2).for_each(|place| demo.set(place, values[place]).unwrap());
    demo
}

#[test]
fn the_guess_is_never_off_by_more_than_the_circle() {
    for (threshold_m, speed_mps) in [(0.2, 10.0), (1.2, 4.0), (3.0, 1.0)] {
        let mut demo = demo(Step::Guess, [threshold_m, speed_mps]);
        for tick in 0..1_800 {
            demo.tick();
            let off_m = demo.lines[0].errors.newest();
            assert!(off_m <= threshold_m, "{off_m} of {threshold_m} m at tick {tick}");
        }
    }
}

#[test]
fn a_hand_that_tears_the_ball_about_does_not_get_it_out_of_the_circle() {
    let mut demo = demo(Step::Guess, [1.0, 4.0]);
    for tick in 0..600 {
        let side = if tick / 20 % 2 == 0 { 1.0 } else { 15.0 };
        demo.drive(Driver::Pointer(DVec3::new(side, 5.0, 0.0)));
        demo.tick();
        let (middle, radius_m) = demo.circle().unwrap();
        assert!(middle.distance(demo.place()) <= radius_m, "tick {tick}");
    }
    assert!(demo.lines[0].lane.sent > 100, "{}", demo.lines[0].lane.sent);
}

#[test]
fn a_wider_circle_sends_less() {
    let sent = |threshold_m| after(Step::Guess, [threshold_m, 4.0], 60)("sent");
    let counts = [0.2, 0.6, 1.2, 3.0].map(sent);
    println!("{counts:?}");
    assert!(counts.windows(2).all(|it| it[1] < 0.9 * it[0]), "{counts:?}");
}

#[test]
fn the_better_the_guess_the_longer_the_silence() {
    let sent = |guess| after(Step::Silence, [0.5, guess], 60)("sent");
    let counts = [0.0, 1.0, 2.0, 3.0].map(sent);
    println!("{counts:?}");
    assert!(counts.windows(2).all(|it| it[1] < 0.85 * it[0]), "{counts:?}");
    assert!(counts[0] < 60.0 * Snapshots::PER_S);
}

#[test]
fn delay_leaves_the_newest_position_behind_and_the_guess_not_so_far() {
    for (delay_ms, jitter_ms) in [(100.0, 0.0), (250.0, 20.0), (500.0, 60.0)] {
        let figure = after(Step::Delay, [delay_ms, jitter_ms], 30);
        let (guess, naive) = (figure("mean_m"), figure("naive_mean_m"));
        println!("{delay_ms} ms: {guess:.2} m against {naive:.2} m");
        assert!(guess < 0.6 * naive, "{guess} against {naive}");
        // Its speed over the delay, but for bends, in which the way is longer than the distance.
        assert!(
            (naive - recipes::SPEED_MPS * delay_ms / 1e3).abs() < 0.4,
            "{naive} at {delay_ms} ms"
        );
    }
}

#[test]
fn blends_correct_without_a_leap() {
    let leap = |blend| after(Step::Blend, [1.5, blend], 20)("leap_m");
    let [jump, straight, close, calm] = [0.0, 1.0, 2.0, 3.0].map(leap);
    println!("{jump:.2} {straight:.2} {close:.2} {calm:.2}");
    assert!(jump > 1.4, "{jump}");
    assert!(straight < 0.25 && close < 0.25 && calm < 0.2, "{straight} {close} {calm}");
}

#[test]
fn a_change_of_sliders_does_not_make_the_picture_leap() {
    let mut demo = demo(Step::Blend, [1.5, 3.0]);
    (0..600).for_each(|_| demo.tick());
    let before = demo.lines[0].shown(demo.now());
    demo.set(1, 2.0).unwrap();
    demo.set(0, 0.5).unwrap();
    assert!(before.distance(demo.lines[0].shown(demo.now())) < 1e-9);
}

#[test]
fn losses_come_as_asked_for_are_made_up_for_and_the_guess_stays_ahead() {
    let mut sent_before = 0;
    for (percent, burst) in [(0.0, 1.0), (5.0, 1.0), (20.0, 1.0), (20.0, 3.0), (50.0, 10.0)] {
        let mut demo = demo(Step::Loss, [percent, burst]);
        let (mut guess_m, mut naive_m) = (0.0, 0.0);
        for _ in 0..18_000 {
            demo.tick();
            guess_m += demo.lines[0].errors.newest() / 18_000.0;
            naive_m += demo.snapshots.as_ref().unwrap().errors.newest() / 18_000.0;
        }
        let (line, naive) = (&demo.lines[0].lane, &demo.snapshots.as_ref().unwrap().lane);
        println!(
            "{percent} %, {burst} in a row: {} of {} updates, {} of {} positions lost, \
             {guess_m:.2} against {naive_m:.2} m",
            line.lost, line.sent, naive.lost, naive.sent
        );
        let share = naive.lost as f64 / naive.sent as f64;
        assert!((share - percent / 100.0).abs() < 0.05, "{share}");
        assert!((line.lost as f64) >= 0.8 * share * line.sent as f64, "{}", line.lost);
        // With half of everything lost in long runs nothing helps much.
        let most_m = if percent < 50.0 { 0.7 * naive_m } else { naive_m };
        assert!(guess_m < most_m, "{guess_m} against {naive_m}");
        if burst == 1.0 {
            assert!(line.sent > sent_before, "what was lost is sent again");
            sent_before = line.sent + line.lost / 20;
        }
    }
}

#[test]
fn looking_ahead_is_closer_also_for_the_same_number_of_updates() {
    let run = |threshold_m| {
        let mut demo = demo(Step::Ahead, [threshold_m, 300.0]);
        let mut means = [0.0; 2];
        for _ in 0..3_600 {
            demo.tick();
            for (mean, line) in means.iter_mut().zip(&demo.lines) {
                *mean += line.errors.newest() / 3_600.0;
            }
        }
        let sent = [0, 1].map(|at| demo.lines[at].lane.sent as f64);
        println!("{threshold_m} m: {means:.3?} m, {sent:?} updates");
        (means, sent)
    };
    let (fine, coarse) = (run(0.2), run(0.4));
    for ([aimed, plain], sent) in [fine, coarse] {
        assert!(aimed < 0.4 * plain, "{aimed} against {plain}");
        assert!(sent[0] < 1.6 * sent[1], "{sent:?}");
    }
    assert!(coarse.1[0] <= fine.1[1] && coarse.0[0] < 0.5 * fine.0[1], "{coarse:?} {fine:?}");
}

#[test]
fn not_looking_ahead_is_going_straight_on() {
    let figure = after(Step::Ahead, [0.4, 0.0], 20);
    assert_eq!(figure("mean_m"), figure("plain_mean_m"));
}

#[test]
fn the_budget_is_kept_and_errors_are_levelled_by_it() {
    let mut spreads = Vec::new();
    for rule in [0.0, 1.0, 2.0] {
        for budget in [20.0, 40.0, 60.0, 100.0] {
            let figure = after(Step::Fair, [budget, rule], 120);
            let allowed = figure("all") * budget / 100.0 + 15.0; // and a round or two
            let (sent, best, worst) = (figure("sent"), figure("best_m"), figure("worst_m"));
            println!("{rule} {budget} %: {sent} of {allowed}, {best:.2} to {worst:.2} m");
            assert!(sent <= allowed, "{sent} of {allowed}");
            assert!(sent > 0.85 * figure("all") * budget / 100.0, "{sent} of {allowed}");
            if budget == 60.0 {
                spreads.push(worst - best);
            }
        }
    }
    assert!(spreads[2] < 0.7 * spreads[0] && spreads[1] < 0.9 * spreads[0], "{spreads:?}");
}

#[test]
fn equal_calls_give_equal_pictures() {
    for step in Step::ALL {
        let mut twins = [Demo::new(step).unwrap(), Demo::new(step).unwrap()];
        for demo in &mut twins {
            (0..300).for_each(|_| demo.pass(0.021));
        }
        assert_eq!(twins[0].figures(), twins[1].figures(), "{step:?}");
        assert_eq!(twins[0].place(), twins[1].place());
        let json: serde_json::Value = serde_json::from_str(&twins[0].to_json()).unwrap();
        assert_eq!(json["at_s"], twins[0].now().as_secs_f64());
        assert!(twins[0].line().len() > 20 && !twins[0].lanes().is_empty());
    }
}
