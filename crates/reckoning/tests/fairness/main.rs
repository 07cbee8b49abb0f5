//! Contract of sharing updates among listeners.
#![allow(missing_docs)]

mod run;
mod script;

use std::num::NonZeroU32;
use std::time::Duration;

use proptest::prelude::*;
use reckoning::error::SettingError;
use reckoning::fairness::{Budget, FairnessConfig, Leftover, ListenerId, Policy, Weights};
use reckoning::{DVec3, Fairness, Kinematics, Model, Update, UpdateKind};
use run::{Run, ms, third_base, walk};

const NEAR: ListenerId = ListenerId(1);
const FAR: ListenerId = ListenerId(2);

fn fairness(policy: Policy) -> Fairness {
    let mut config = FairnessConfig::default();
    config.policy = policy;
    Fairness::new(config).unwrap()
}

fn scheduled(leftover: Leftover, horizon_ms: u64) -> Policy {
    Policy::Scheduled { leftover, horizon: Duration::from_millis(horizon_ms) }
}

fn deterministic(weights: Weights) -> Policy {
    Policy::Deterministic { budget: Budget::ONE, weights }
}

fn probabilistic(weights: Weights) -> Policy {
    Policy::Probabilistic { budget: Budget::ONE, weights }
}

fn every_policy() -> [Policy; 8] {
    [
        Policy::Base,
        third_base(),
        scheduled(Leftover::Dropped, 500),
        scheduled(Leftover::Flushed, 500),
        probabilistic(Weights::ACCUMULATED),
        probabilistic(Weights::THIRDS),
        deterministic(Weights::ACCUMULATED),
        deterministic(Weights::RECENT),
    ]
}

/// A body that runs along x and has sidestepped `step` metres when it exports at `at_ms`.
fn sidestep(at_ms: i64, step: f64, kind: UpdateKind) -> Update {
    let place = DVec3::new(at_ms as f64 * 0.003, step, 0.0);
    Update::new(Kinematics::moving(ms(at_ms), place, DVec3::X * 3.0), Model::Linear, kind).unwrap()
}

fn export(fairness: &mut Fairness, at_ms: i64, step: f64) {
    fairness.handle_export(sidestep(at_ms, step, UpdateKind::Partial), ms(at_ms));
}

/// Who gets what at `at_ms`: the listener and the millisecond of the export.
fn sends(fairness: &mut Fairness, at_ms: i64) -> Vec<(ListenerId, i64)> {
    std::iter::from_fn(|| fairness.poll_delivery(ms(at_ms)))
        .map(|delivery| (delivery.to, delivery.update.at().as_micros() / 1_000))
        .collect()
}

/// Two listeners that have had 0.1 and 0.6 metre-seconds of error when the body exports its
/// second sidestep at 2000 ms.
fn after_two_steps(policy: Policy) -> Fairness {
    let mut fairness = fairness(policy);
    fairness.add_listener(NEAR, ms(0));
    fairness.add_listener(FAR, ms(0));
    for (at_ms, near_ms, far_ms) in [(0, 0, 0), (1000, 1100, 1600)] {
        export(&mut fairness, at_ms, at_ms as f64 / 1000.0);
        assert_eq!(sends(&mut fairness, at_ms), [(NEAR, at_ms), (FAR, at_ms)]);
        assert!(fairness.handle_acknowledgement(NEAR, ms(at_ms), ms(near_ms), ms(near_ms)));
        assert!(fairness.handle_acknowledgement(FAR, ms(at_ms), ms(far_ms), ms(far_ms)));
    }
    export(&mut fairness, 2000, 2.0);
    fairness
}

#[test]
fn the_worst_is_served_at_once_and_the_others_when_they_are_level() {
    let mut fairness = after_two_steps(scheduled(Leftover::Dropped, 1000));
    assert_eq!(sends(&mut fairness, 2000), [(FAR, 2000)]);
    // The near one is one metre off, so half a metre-second behind is half a second.
    assert_eq!(fairness.next_wakeup(), Some(ms(2500)));
    assert_eq!(sends(&mut fairness, 2499), []);
    assert_eq!(sends(&mut fairness, 2500), [(NEAR, 2000)]);
    assert_eq!(fairness.next_wakeup(), None);
}

#[test]
fn scheduling_1_drops_what_the_next_trigger_overtakes() {
    let mut fairness = after_two_steps(scheduled(Leftover::Dropped, 1000));
    assert_eq!(sends(&mut fairness, 2000), [(FAR, 2000)]);
    export(&mut fairness, 2300, 3.0);
    assert_eq!(sends(&mut fairness, 2300), [(FAR, 2300)]);
    // 0.4 so far, and two metres off now: 0.6 in a tenth of a second.
    assert_eq!(fairness.next_wakeup(), Some(ms(2400)));
    assert_eq!(fairness.stats().dropped, 1);
}

#[test]
fn scheduling_2_flushes_what_the_next_trigger_overtakes() {
    let mut fairness = after_two_steps(scheduled(Leftover::Flushed, 1000));
    assert_eq!(sends(&mut fairness, 2000), [(FAR, 2000)]);
    export(&mut fairness, 2300, 3.0);
    assert_eq!(fairness.next_wakeup(), Some(ms(2300)));
    assert_eq!(sends(&mut fairness, 2300), [(NEAR, 2000), (FAR, 2300)]);
    // 0.4 so far, and one metre off again: 0.6 in a fifth of a second.
    assert_eq!(fairness.next_wakeup(), Some(ms(2500)));
    assert_eq!(fairness.stats().dropped, 0);
}

#[test]
fn nothing_is_planned_beyond_the_horizon() {
    for (leftover, flushed) in [(Leftover::Dropped, 0), (Leftover::Flushed, 1)] {
        let mut fairness = after_two_steps(scheduled(leftover, 499));
        assert_eq!(sends(&mut fairness, 2000), [(FAR, 2000)]);
        assert_eq!(fairness.next_wakeup(), None);
        export(&mut fairness, 2300, 3.0);
        let late = sends(&mut fairness, 2300).iter().filter(|sent| **sent == (NEAR, 2000)).count();
        assert_eq!(late, flushed);
    }
}

#[test]
fn a_send_that_was_due_is_made_even_if_nobody_asked_in_time() {
    let mut fairness = after_two_steps(scheduled(Leftover::Dropped, 1000));
    assert_eq!(sends(&mut fairness, 2000), [(FAR, 2000)]);
    fairness.handle_acknowledgement(FAR, ms(2000), ms(2200), ms(2300));
    export(&mut fairness, 2550, 3.0);
    assert_eq!(sends(&mut fairness, 2550), [(NEAR, 2000), (FAR, 2550)]);
}

#[test]
fn every_kth_trigger_goes_to_everyone() {
    let mut fairness = fairness(third_base());
    fairness.add_listener(NEAR, ms(0));
    fairness.add_listener(FAR, ms(0));
    let mut served = Vec::new();
    for at_ms in 0..10 {
        export(&mut fairness, at_ms, 0.0);
        served.push(sends(&mut fairness, at_ms).len());
    }
    assert_eq!(served, [2, 0, 0, 2, 0, 0, 2, 0, 0, 2]);
}

#[test]
fn the_first_export_goes_to_everyone() {
    for policy in every_policy() {
        let mut fairness = fairness(policy);
        (0..20).for_each(|id| assert!(fairness.add_listener(ListenerId(id), ms(0))));
        export(&mut fairness, 0, 0.0);
        assert_eq!(sends(&mut fairness, 0).len(), 20, "{policy:?}");
    }
}

#[test]
fn a_newcomer_is_served_at_once_and_then_like_the_others() {
    for weights in [Weights::ACCUMULATED, Weights::THIRDS] {
        let mut run = Run::new(deterministic(weights), &[500, 500]);
        run.go(&walk(1)[..6_000]);
        let joined_at = run.now;
        run.add(500);
        let Some(delivery) = run.fairness.poll_delivery(joined_at) else { panic!("{weights:?}") };
        assert_eq!(delivery.to, ListenerId(2));
        run.fairness.handle_loss(delivery.to, delivery.update.at(), joined_at);
        run.sent.fill(0);
        run.go(&walk(1)[6_000..]);
        let [a, b, newcomer] = run.sent[..] else { panic!() };
        assert!(newcomer.abs_diff(a.midpoint(b)) * 10 < a, "{weights:?}: {:?}", run.sent);
    }
}

#[test]
fn who_lost_its_first_update_gets_another() {
    let mut fairness = fairness(scheduled(Leftover::Dropped, 500));
    fairness.add_listener(NEAR, ms(0));
    export(&mut fairness, 0, 0.0);
    assert_eq!(sends(&mut fairness, 0), [(NEAR, 0)]);
    fairness.handle_loss(NEAR, ms(0), ms(300));
    assert_eq!(fairness.next_wakeup(), Some(ms(300)));
    assert_eq!(sends(&mut fairness, 300), [(NEAR, 0)]);
    assert!(fairness.handle_acknowledgement(NEAR, ms(0), ms(400), ms(500)));
    fairness.handle_loss(NEAR, ms(0), ms(600));
    assert_eq!(fairness.next_wakeup(), None, "it has something to show");
}

#[test]
fn a_teleport_is_told_to_everyone_at_once() {
    for policy in every_policy() {
        let mut run = Run::new(policy, &[200, 500, 800]);
        run.go(&walk(1)[..600]);
        let now = run.now;
        let jump = sidestep(now.as_micros() / 1_000 + 1, 1e3, UpdateKind::Teleport);
        run.fairness.handle_export(jump, now);
        let told = sends(&mut run.fairness, now.as_micros() / 1_000 + 1).len();
        assert_eq!(told, 3, "{policy:?}");
    }
}

#[test]
fn a_still_body_causes_no_sends_but_its_heartbeats() {
    for policy in every_policy() {
        let mut fairness = fairness(policy);
        for (id, delay_ms) in [(NEAR, 200), (FAR, 800)] {
            fairness.add_listener(id, ms(0));
            fairness.handle_delay(id, Duration::from_millis(delay_ms));
        }
        export(&mut fairness, 0, 0.0);
        sends(&mut fairness, 0);
        for beat in 1..200 {
            export(&mut fairness, 500 * beat, 0.0);
            sends(&mut fairness, 500 * beat);
            assert_eq!(fairness.next_wakeup(), None, "{policy:?} at beat {beat}");
            assert_eq!(sends(&mut fairness, 500 * beat + 499), [], "{policy:?} at beat {beat}");
        }
        assert!(fairness.stats().sent <= 400, "{policy:?}");
    }
}

#[test]
fn whoever_is_never_wrong_is_not_forgotten() {
    let mut fairness = fairness(deterministic(Weights::ACCUMULATED));
    fairness.add_listener(NEAR, ms(0));
    fairness.add_listener(FAR, ms(0));
    // Both have a turn at every other trigger, at which the body sidesteps, until the far
    // one turns out to have all of the error.
    let mut served_near = Vec::new();
    for trigger in 0..80 {
        let at_ms = trigger * 1000;
        export(&mut fairness, at_ms, f64::from(i32::try_from(trigger / 2).unwrap().min(2)));
        for (to, export_ms) in sends(&mut fairness, at_ms) {
            let arrival = ms(at_ms + if to == FAR { 500 } else { 0 });
            fairness.handle_acknowledgement(to, ms(export_ms), arrival, arrival);
            served_near.extend((to == NEAR).then_some(trigger));
        }
    }
    // A claim of 1/32 beside one of 1: every 33rd trigger.
    assert_eq!(served_near, [0, 2, 4, 37, 70]);
}

#[test]
fn a_budget_is_kept() {
    for seed in 1..4 {
        let walk = walk(seed);
        let base = Run::over(third_base(), &walk).spent();
        for weights in [Weights::ACCUMULATED, Weights::WAITING, Weights::THIRDS, Weights::ERRORS] {
            // One in a thousand, and two rounds among three listeners.
            let spent = Run::over(deterministic(weights), &walk).spent();
            assert!((spent - base).abs() <= base / 1000.0 + 6.0, "{weights:?}: {spent} {base}");
            let run = Run::over(probabilistic(weights), &walk);
            // Each trigger adds a variance of at most 2/3; four deviations.
            let luck = 4.0 * (run.triggers as f64 * 2.0 / 3.0).sqrt();
            assert!((run.spent() - base).abs() <= luck, "{weights:?}: {} {base}", run.spent());
        }
    }
}

#[test]
fn equal_calls_and_seeds_give_equal_sends() {
    let walk = walk(1);
    for policy in every_policy() {
        assert_eq!(Run::over(policy, &walk).log, Run::over(policy, &walk).log, "{policy:?}");
    }
    let seeded = |seed| {
        let mut config = FairnessConfig::default();
        (config.policy, config.seed) = (probabilistic(Weights::ACCUMULATED), seed);
        let mut fairness = Fairness::new(config).unwrap();
        (0..3).for_each(|id| assert!(fairness.add_listener(ListenerId(id), ms(0))));
        let trigger = |at_ms| {
            export(&mut fairness, at_ms, 0.0);
            sends(&mut fairness, at_ms)
        };
        (0..200).map(trigger).collect::<Vec<_>>()
    };
    assert_eq!(seeded(7), seeded(7));
    assert_ne!(seeded(7), seeded(8));
}

/// Section 3.3 of THESIS: figures 3.2 to 3.13.
#[test]
fn scheduling_levels_the_errors_upwards() {
    for seed in 1..4 {
        let walk = walk(seed);
        let base = Run::over(Policy::Base, &walk);
        let dropping = Run::over(scheduled(Leftover::Dropped, 500), &walk);
        let flushing = Run::over(scheduled(Leftover::Flushed, 500), &walk);
        assert!(dropping.deviation() < 0.1 * base.deviation());
        assert!(dropping.mean() > 2.0 * base.mean());
        assert!(dropping.spent() < base.spent());
        assert!(flushing.deviation() < 0.9 * base.deviation());
        assert!(flushing.mean() > base.mean() && flushing.mean() < 0.5 * dropping.mean());
        assert!((flushing.worst() / base.worst() - 1.0).abs() < 0.01);
    }
}

/// Section 3.4 of THESIS: figures 3.15 to 3.21.
#[test]
fn budgets_level_the_errors_and_only_turns_lower_the_worst() {
    for seed in 1..4 {
        let walk = walk(seed);
        let base = Run::over(third_base(), &walk);
        for weights in [Weights::ACCUMULATED, Weights::RECENT, Weights::THIRDS, Weights::ERRORS] {
            let drawn = Run::over(probabilistic(weights), &walk);
            assert!(drawn.deviation() < base.deviation(), "{weights:?}");
            assert!(drawn.mean() > 1.2 * base.mean(), "{weights:?}");
        }
        let turns = Run::over(deterministic(Weights::ACCUMULATED), &walk);
        assert!(turns.deviation() < 0.7 * base.deviation());
        assert!(turns.mean() < 1.1 * base.mean());
        assert!(turns.worst() < 0.95 * base.worst());
    }
}

#[test]
fn settings_that_make_no_sense_are_refused_by_name() {
    let mut config = FairnessConfig::default();
    config.policy = scheduled(Leftover::Dropped, 0);
    let refusal = Fairness::new(config).unwrap_err();
    assert_eq!(refusal, SettingError::SpanZero { name: "horizon" }.into());
    let refusal = Budget::per_trigger(-2.0).unwrap_err();
    assert_eq!(refusal.to_string(), "budget of -2 updates per trigger is not positive and finite");
    let refusal = Weights::new(0.5, 0.25, 0.0).unwrap_err();
    assert_eq!(refusal.to_string(), "shares 0.5, 0.25 and 0 are not from 0 to 1 with the sum 1");
}

fn claims() -> impl Strategy<Value = Vec<f64>> {
    let claim = prop_oneof![4 => 0.0..100.0, 1 => Just(0.0), 1 => 1e-12..1e12];
    prop::collection::vec(claim, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn frequencies_spend_the_budget_and_share_the_surplus_equally(claims in claims(), budget in 0.01..50.0) {
        let budget_of = Budget::per_trigger(budget).unwrap();
        let frequencies = budget_of.frequencies(&claims);
        let spent: f64 = frequencies.iter().sum();
        let allowed = budget.min(claims.len() as f64);
        prop_assert!((spent - allowed).abs() < 1e-9, "{spent} of {allowed}");
        prop_assert!(frequencies.iter().all(|f| (0.0..=1.0).contains(f)));

        // Whoever is below one has its part of the budget and the same addition as the others.
        let sum: f64 = claims.iter().sum();
        let part = |claim: f64| if sum > 0.0 { claim / sum } else { 1.0 / claims.len() as f64 };
        let added = claims.iter().zip(&frequencies).filter(|(_, f)| **f < 1.0);
        let added: Vec<f64> = added.map(|(claim, f)| f - part(*claim) * allowed).collect();
        for pair in added.windows(2) {
            prop_assert!(pair[0] >= -1e-9 && (pair[0] - pair[1]).abs() < 1e-9, "{frequencies:?}");
        }
    }

    #[test]
    fn larger_claims_are_served_no_less_often(claims in claims(), budget in 0.01..50.0) {
        let frequencies = Budget::per_trigger(budget).unwrap().frequencies(&claims);
        for (a, fa) in claims.iter().zip(&frequencies) {
            for (b, fb) in claims.iter().zip(&frequencies) {
                prop_assert!(a < b || *fa >= fb - 1e-12, "{a} {b}: {fa} {fb}");
            }
        }
    }
}

#[test]
fn an_export_that_is_not_newer_is_refused() {
    let mut fairness = fairness(Policy::EveryKth { k: NonZeroU32::MIN });
    fairness.add_listener(NEAR, ms(0));
    assert!(!fairness.add_listener(NEAR, ms(0)), "it is there already");
    export(&mut fairness, 10, 0.0);
    export(&mut fairness, 10, 1.0);
    export(&mut fairness, 5, 1.0);
    assert_eq!((fairness.stats().triggers, fairness.stats().refused), (1, 2));
    assert_eq!(sends(&mut fairness, 20), [(NEAR, 10)]);
    assert!(fairness.remove_listener(NEAR) && !fairness.remove_listener(NEAR));
}

#[test]
fn policies_that_do_not_ask_for_errors_choose_the_same_without_accounts() {
    for policy in [Policy::Base, third_base()] {
        let chosen = [true, false].map(|accounts| {
            let mut config = FairnessConfig::default();
            (config.policy, config.accounts) = (policy, accounts);
            let mut fairness = Fairness::new(config).unwrap();
            fairness.add_listener(NEAR, ms(0));
            fairness.add_listener(FAR, ms(0));
            let mut sent = Vec::new();
            for at_ms in (0..20_000).step_by(1000) {
                export(&mut fairness, at_ms, at_ms as f64 / 1000.0);
                let now = sends(&mut fairness, at_ms);
                for (to, export) in &now {
                    let heard = *to == NEAR || at_ms > 8_000;
                    if heard {
                        fairness.handle_acknowledgement(*to, ms(*export), ms(at_ms), ms(at_ms));
                    } else {
                        fairness.handle_loss(*to, ms(*export), ms(at_ms));
                    }
                }
                sent.push(now);
            }
            let known = fairness.accounts().filter(|(_, it)| it.confirmed_until().is_some());
            (sent, known.count())
        });
        assert_eq!(chosen[0].0, chosen[1].0, "{policy:?}");
        assert_eq!((chosen[0].1, chosen[1].1), (2, 0), "{policy:?}");
    }
}
