//! Contract of a clock that is synchronised over a bad network.

use std::time::Duration;

use proptest::prelude::*;
use reckoning::clock::{ClockConfig, Exchange, Exchanged};
use reckoning::random::SplitMix64;
use reckoning::{ClockSync, SimTime};

#[allow(clippy::disallowed_methods)] // the same on one machine is enough for a test
fn libm_ln(x: f64) -> f64 {
    x.ln()
}

fn exponential(random: &mut SplitMix64, mean: f64) -> f64 {
    -mean * libm_ln(1.0 - random.unit())
}

/// Two clocks and the ways between them. Real time is seconds.
struct World {
    random: SplitMix64,
    remote_ahead_s: f64,
    /// How much faster the remote clock runs.
    drift: f64,
    /// The local clock stood still for so long in all.
    slept_s: f64,
    there_s: f64,
    back_s: f64,
    jitter_there_s: f64,
    jitter_back_s: f64,
    loss: f64,
    /// Share of exchanges whose remote moments are made up.
    lies: f64,
    lie_s: Option<f64>,
    /// Deviation of what a normal distribution adds on each way.
    spread_s: f64,
    /// Every ten seconds, for so long, everything waits for the end of the burst.
    burst_s: f64,
}

impl Default for World {
    fn default() -> Self {
        Self {
            random: SplitMix64::new(1),
            remote_ahead_s: 5_000.0,
            drift: 0.0,
            slept_s: 0.0,
            there_s: 0.04,
            back_s: 0.04,
            jitter_there_s: 0.01,
            jitter_back_s: 0.01,
            loss: 0.0,
            lies: 0.0,
            lie_s: None,
            burst_s: 0.0,
            spread_s: 0.0,
        }
    }
}

impl World {
    fn local(&self, real_s: f64) -> SimTime {
        SimTime::from_secs_f64(real_s - self.slept_s)
    }

    fn remote(&self, real_s: f64) -> SimTime {
        SimTime::from_secs_f64(self.remote_ahead_s + real_s * (1.0 + self.drift))
    }

    /// When what leaves at `real_s` arrives.
    fn arrives(&mut self, real_s: f64, base_s: f64, jitter_s: f64) -> f64 {
        let into_s = real_s % 10.0;
        let held_s = if into_s < self.burst_s { self.burst_s - into_s } else { 0.0 };
        // Twelve evenly spread numbers make a normal one, as nearly as a link needs.
        let mut normal = || (0..12).map(|_| self.random.unit()).sum::<f64>() - 6.0;
        let spread_s = if self.spread_s > 0.0 { self.spread_s * normal() } else { 0.0 };
        let way_s = base_s + spread_s + exponential(&mut self.random, jitter_s);
        real_s + held_s + way_s.max(0.0)
    }

    /// An exchange that is begun at `real_s`, and when its answer is back.
    fn exchange(&mut self, real_s: f64) -> Option<(f64, Exchange)> {
        let there_s = self.arrives(real_s, self.there_s, self.jitter_there_s);
        let back_s = self.arrives(there_s + 0.001, self.back_s, self.jitter_back_s);
        let lost = self.random.unit() < self.loss || self.random.unit() < self.loss;
        let mut exchange = Exchange {
            sent: self.local(real_s),
            received: self.remote(there_s),
            answered: self.remote(there_s + 0.001),
            returned: self.local(back_s),
        };
        if self.random.unit() < self.lies {
            let lie_s = self.lie_s.unwrap_or((self.random.unit() - 0.5) * 20.0);
            let lie = |at: SimTime| SimTime::from_secs_f64(at.as_secs_f64() + lie_s);
            (exchange.received, exchange.answered) =
                (lie(exchange.received), lie(exchange.answered));
        }
        (!lost).then_some((back_s, exchange))
    }

    /// Lives from one moment to another, asking 100 times a second, and gives the largest
    /// error after `settled_s`. Answers must never go back.
    fn live(&mut self, clock: &mut ClockSync, from_s: f64, to_s: f64, settled_s: f64) -> f64 {
        let mut under_way: Vec<(f64, Exchange)> = Vec::new();
        let mut asked: Option<SimTime> = None;
        let (mut worst_s, mut last) = (0.0_f64, SimTime::MIN);
        for tick in (from_s * 100.0) as i64..(to_s * 100.0) as i64 {
            let real_s = tick as f64 / 100.0;
            under_way.sort_by(|a, b| a.0.total_cmp(&b.0));
            while under_way.first().is_some_and(|(back_s, _)| *back_s <= real_s) {
                clock.handle_exchange(&under_way.remove(0).1);
            }
            let now = self.local(real_s);
            if clock.next_exchange(asked) <= now {
                asked = Some(now);
                under_way.extend(self.exchange(real_s));
            }
            let Some(answer) = clock.remote_at(now) else { continue };
            assert!(answer > last, "{answer} after {last} at {real_s}");
            last = answer;
            let error_s = answer.secs_since(self.remote(real_s)).abs();
            if real_s >= settled_s {
                worst_s = worst_s.max(error_s);
            }
        }
        worst_s
    }
}

fn clock() -> ClockSync {
    ClockSync::new(ClockConfig::default()).unwrap()
}

/// The worst error over 20 seeds, from `settled_s` to `to_s`.
fn worst_ms(world: impl Fn() -> World, to_s: f64, settled_s: f64) -> f64 {
    let worst_s = (0..20).map(|seed| {
        let mut world = World { random: SplitMix64::new(seed), ..world() };
        world.live(&mut clock(), 0.0, to_s, settled_s)
    });
    worst_s.fold(0.0, f64::max) * 1e3
}

#[track_caller]
fn stays_below(bound_ms: f64, got_ms: f64) {
    println!("worst error {got_ms:.2} ms, bound {bound_ms} ms");
    assert!(got_ms < bound_ms, "{got_ms} ms is not below {bound_ms} ms");
}

#[test]
fn a_quiet_link_is_known_to_four_milliseconds_after_ten_seconds() {
    stays_below(4.0, worst_ms(World::default, 120.0, 10.0));
}

#[test]
fn jitter_on_one_way_only_does_not_pull_the_clock_along() {
    // 40 ms of jitter on average there, 1 ms back: a mean of midpoints would be 20 ms off.
    let world = || World { jitter_there_s: 0.04, jitter_back_s: 0.001, ..World::default() };
    stays_below(8.0, worst_ms(world, 120.0, 20.0));
}

#[test]
fn delays_that_are_spread_about_their_mean_are_averaged() {
    // The shortest of thirty such ways is off by 60 ms one time as another, the middle between
    // two of them by 40; the mean of all by 16.
    let squares = (0..40).map(|seed| {
        let (there_s, back_s) = (0.35, 0.35);
        let jitters = World { jitter_there_s: 0.0, jitter_back_s: 0.0, ..World::default() };
        let random = SplitMix64::new(seed);
        let mut world = World { random, there_s, back_s, spread_s: 0.12, loss: 0.12, ..jitters };
        let mut clock = clock();
        world.live(&mut clock, 0.0, 90.0, 90.0);
        let off_s = clock.offset_s(world.local(90.0)).unwrap() - world.remote_ahead_s;
        off_s * off_s
    });
    let root_ms = (squares.sum::<f64>() / 40.0).sqrt() * 1e3;
    stays_below(25.0, root_ms);
}

#[test]
fn an_asymmetric_way_costs_half_its_difference_and_no_more() {
    let world = || World { there_s: 0.09, back_s: 0.03, ..World::default() };
    stays_below(34.0, worst_ms(world, 120.0, 10.0));
}

#[test]
fn bursts_that_hold_everything_for_a_second_do_no_harm() {
    stays_below(8.0, worst_ms(|| World { burst_s: 1.0, ..World::default() }, 120.0, 15.0));
}

#[test]
fn thirty_per_cent_of_loss_each_way_costs_little() {
    stays_below(7.0, worst_ms(|| World { loss: 0.3, ..World::default() }, 120.0, 15.0));
}

#[test]
fn drift_of_200_ppm_is_followed() {
    for drift in [2e-4, -2e-4] {
        let world = || World { drift, loss: 0.3, ..World::default() };
        stays_below(10.0, worst_ms(world, 400.0, 15.0));
    }
}

#[test]
fn the_rate_is_known_to_40_ppm_after_five_minutes() {
    for drift in [2e-4, -2e-4, 0.0] {
        for seed in 0..10 {
            let mut world = World { drift, random: SplitMix64::new(seed), ..World::default() };
            let mut clock = clock();
            world.live(&mut clock, 0.0, 300.0, 300.0);
            let off_ppm = (clock.rate() - 1.0 - drift) * 1e6;
            assert!(off_ppm.abs() < 40.0, "drift {drift} seed {seed}: {off_ppm} ppm off");
        }
    }
}

#[test]
fn a_quarter_of_lies_is_outvoted() {
    // If the very first one lies that the clock is 10 s ahead, 25 s are needed to wait for it.
    // A lie near the truth can push the estimate to the edge of what the honest ones allow,
    // half the shortest round trip of 81 ms and what slewing adds, and no further.
    stays_below(45.0, worst_ms(|| World { lies: 0.25, ..World::default() }, 120.0, 30.0));
    let agreed = || World { lies: 0.25, lie_s: Some(3.0), ..World::default() };
    stays_below(8.0, worst_ms(agreed, 120.0, 20.0));
}

#[test]
fn the_confidence_bounds_the_error_of_the_offset() {
    for seed in 0..20 {
        let mut world = World {
            random: SplitMix64::new(seed),
            drift: 2e-4,
            there_s: 0.08,
            loss: 0.3,
            ..World::default()
        };
        let mut clock = clock();
        for step in 0..60 {
            let (from_s, to_s) = (f64::from(step) * 2.0, f64::from(step) * 2.0 + 2.0);
            world.live(&mut clock, from_s, to_s, to_s);
            let now = world.local(to_s);
            let truth_s = world.remote(to_s).secs_since(now);
            let (Some(offset_s), Some(bound)) = (clock.offset_s(now), clock.confidence(now)) else {
                continue;
            };
            let off_s = (offset_s - truth_s).abs();
            assert!(off_s <= bound.as_secs_f64(), "{off_s} s, bound {bound:?}, at {to_s} s");
        }
    }
}

#[test]
fn a_suspended_tab_is_back_in_step_within_a_second_of_new_exchanges() {
    for (slept_s, loss) in [(0.6, 0.0), (60.0, 0.0), (3_600.0, 0.1)] {
        for seed in 0..20 {
            let mut world = World { random: SplitMix64::new(seed), loss, ..World::default() };
            let mut clock = clock();
            world.live(&mut clock, 0.0, 30.0, 30.0);
            world.slept_s = slept_s;
            let from_s = 30.0 + slept_s;
            // The first exchange after the sleep may fall due up to a second later; from then
            // on there is one second.
            let worst_s = world.live(&mut clock, from_s, from_s + 30.0, from_s + 2.0);
            assert!(worst_s < 0.02, "slept {slept_s} s, seed {seed}: {worst_s} s off");
            assert_eq!(clock.stats().restarts, 1);
        }
    }
}

#[test]
fn a_clock_that_was_set_back_does_not_take_time_back() {
    let mut world = World::default();
    let mut clock = clock();
    world.live(&mut clock, 0.0, 30.0, 30.0);
    let before = clock.remote_at(world.local(30.0)).unwrap();
    world.slept_s = 1_000.0; // the local clock is set back by as much
    let worst_s = world.live(&mut clock, 30.0, 60.0, 33.0);
    let after = clock.remote_at(world.local(60.0)).unwrap();
    assert!(after > before && worst_s < 0.02, "{before} {after} {worst_s}");
}

fn moment() -> impl Strategy<Value = SimTime> {
    prop_oneof![
        8 => (-5_000_000_i64..5_000_000).prop_map(SimTime::from_micros),
        1 => any::<i64>().prop_map(SimTime::from_micros),
        1 => Just(SimTime::MAX),
        1 => Just(SimTime::MIN),
    ]
}

fn exchanges() -> impl Strategy<Value = Vec<(u32, u32, SimTime, u32)>> {
    proptest::collection::vec((0_u32..3_000_000, 0_u32..2_000_000, moment(), 0_u32..500_000), 1..80)
}

proptest! {
    #[test]
    fn time_never_goes_back_whatever_the_exchanges_say(list in exchanges()) {
        let mut clock = clock();
        let (mut now, mut last) = (SimTime::ZERO, None);
        for (passed_us, way_us, received, held_us) in list {
            for _ in 0..3 {
                now += Duration::from_micros(u64::from(passed_us / 3) + 2);
                let answer = clock.remote_at(now);
                // At the end of time there is no later moment.
                let ended = answer == Some(SimTime::MAX);
                prop_assert!(ended || answer.is_none() || answer > last, "{answer:?} after {last:?}");
                last = answer;
            }
            let answered = received + Duration::from_micros(u64::from(held_us));
            let sent = now - Duration::from_micros(u64::from(way_us));
            clock.handle_exchange(&Exchange { sent, received, answered, returned: now });
        }
    }

    #[test]
    fn later_moments_never_get_earlier_answers(list in exchanges(), a in moment(), b in moment()) {
        let mut clock = clock();
        for (at, way_us, received, held_us) in list {
            let returned = SimTime::from_micros(i64::from(at));
            let sent = returned - Duration::from_micros(u64::from(way_us));
            let answered = received + Duration::from_micros(u64::from(held_us));
            clock.handle_exchange(&Exchange { sent, received, answered, returned });
        }
        prop_assert!(clock.remote_at(a.min(b)) <= clock.remote_at(a.max(b)));
    }

    #[test]
    fn moments_that_make_no_sense_change_nothing(
        sent in moment(), received in moment(), answered in moment(), returned in moment(),
    ) {
        let mut clock = clock();
        let exchange = Exchange { sent, received, answered, returned };
        let done = clock.handle_exchange(&exchange);
        prop_assert_eq!(done == Exchanged::Refused, clock.remote_at(returned).is_none());
        if returned < sent || answered < received {
            prop_assert_eq!(done, Exchanged::Refused);
        }
    }
}

/// The median of all remembers the old link for as long as the exchanges that were made on it.
#[test]
fn the_newest_delay_follows_a_change_of_the_link_with_the_next_exchange() {
    let mut clock = ClockSync::new(ClockConfig::default()).unwrap();
    assert_eq!(clock.newest_delay(), None);
    let exchange = |sent_ms: i64, way_ms: i64| {
        let ms = SimTime::from_millis;
        let (received, returned) = (ms(sent_ms + way_ms), ms(sent_ms + 2 * way_ms));
        Exchange { sent: ms(sent_ms), received, answered: received, returned }
    };
    for second in 0..20 {
        clock.handle_exchange(&exchange(second * 1_000, 4));
    }
    clock.handle_exchange(&exchange(20_000, 350));
    let newest = Some((SimTime::from_millis(20_700), Duration::from_millis(350)));
    assert_eq!(clock.newest_delay(), newest);
    assert_eq!(clock.delay(), Some(Duration::from_millis(4)), "the usual one");
}
