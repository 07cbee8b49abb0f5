//! Adaptive jitter buffer: which moment of a stream of positions is played out at which time.
//!
//! Interpolation shows bodies between two positions that are there already, so it shows the past. How
//! far back it has to go depends on how late the positions come, which only the stream itself tells:
//!
//! ```text
//! sent        a     b     c     d     e       every 50 ms, each with a stamp of the sender's clock
//! received      a     b         d c     e     c was overtaken: its moments were known with d
//! known up to   a-----b---------d-------e     the newest stamp received
//! played out  --------------------------      behind that, later than the sender by the delay
//! ```
//!
//! The delay is the least by which nineteen of twenty moments of the last ten seconds would have been
//! known in time, whatever was late, lost or overtaken, and never less than the usual way and one send
//! interval. Play-out then runs like a tape: a little faster or slower until it has that delay, still
//! where nothing more is known, and never backwards. So no body is drawn more than
//! [`FASTEST`] times as fast as it went between two positions.
//!
//! Stamps are by the sender's clock and arrivals by ours; what the two differ by is part of the delay
//! and cancels out. Time is an argument.

use std::time::Duration;

use reckoning::SimTime;

/// So much of the past tells what is to come.
const WINDOW_US: i64 = 10_000_000;
/// The share of moments that may come too late is a twentieth; what will come is a little worse than
/// what the delay was chosen by.
const LATE_SHARE: f64 = 0.04;
/// Play-out is never faster than this: so it catches up once less delay will do.
pub const FASTEST: f64 = 1.25;
/// Nor slower, while there is something to show: so it falls back where more delay is needed.
const SLOWEST: f64 = 0.5;
/// The send interval until two positions came.
const FIRST_INTERVAL_US: i64 = 50_000;
/// A stream that stood still for so long, or was set back by as much, begins anew.
const ANEW_US: i64 = 2_000_000;
/// If everything in this long came later than three quarters of what came before, the link is another
/// one, and what was before says nothing of it.
const WORSE_US: i64 = 700_000;
/// The same if everything came sooner; that takes longer to be believed.
const BETTER_US: i64 = 2_000_000;
/// Fewer arrivals than this show nothing of the kind.
const FEWEST: usize = 10;

/// An arrival that brought news.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_field_names, reason = "a number says its unit")]
struct News {
    arrived_us: i64,
    /// From the stamp to the arrival.
    way_us: i64,
    /// The moments before the stamp that nothing was known of until now.
    gap_us: i64,
}

impl News {
    /// The delay by which the first of its moments would have been known in time.
    const fn need_us(&self) -> i64 {
        self.way_us + self.gap_us
    }
}

/// Play-out since the newest arrival.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_field_names, reason = "a number says its unit")]
struct Course {
    from_us: i64,
    /// What was shown then.
    shown_us: i64,
    delay_us: i64,
    newest_us: i64,
}

impl Course {
    fn at_us(&self, now_us: i64) -> i64 {
        let passed_us = (now_us - self.from_us).max(0);
        let goal_us = self.from_us + passed_us - self.delay_us;
        let run = |rate: f64| self.shown_us + (passed_us as f64 * rate) as i64;
        let has_to_catch_up = self.shown_us + self.delay_us <= self.from_us;
        let shown_us =
            if has_to_catch_up { run(FASTEST).min(goal_us) } else { run(SLOWEST).max(goal_us) };
        shown_us.min(self.newest_us).max(self.shown_us)
    }
}

/// What the link is like of late.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_field_names, reason = "a number says its unit")]
struct Usual {
    way_us: i64,
    soonest_us: i64,
    /// From one stamp to the next.
    interval_us: i64,
}

/// The buffer of one stream.
#[derive(Clone, Debug, Default)]
pub struct JitterBuffer {
    window: Vec<News>,
    usual: Usual,
    course: Option<Course>,
}

impl JitterBuffer {
    /// A datagram with this stamp came at `arrived`.
    pub fn hear(&mut self, stamp: SimTime, arrived: SimTime) {
        self.hear_held(stamp, arrived, Duration::ZERO);
    }

    /// The same of a datagram that was `held` up at either end, and not by the link: that does not
    /// count for the delay, for it would lengthen the buffer of a link that is not to blame.
    pub fn hear_held(&mut self, stamp: SimTime, arrived: SimTime, held: Duration) {
        let (stamp_us, now_us) = (stamp.as_micros(), arrived.as_micros());
        let way_us = (arrived - held).as_micros() - stamp_us;
        let Some(course) = self.course else { return self.begin(stamp_us, now_us, way_us) };
        let gap_us = stamp_us - course.newest_us;
        let stood_still = now_us - course.from_us > ANEW_US || gap_us.abs() > ANEW_US;
        if stood_still {
            return self.begin(stamp_us, now_us, way_us);
        }
        if gap_us <= 0 {
            return; // its moments are known already
        }
        let now_us = now_us.max(course.from_us);
        self.window.push(News { arrived_us: now_us, way_us, gap_us });
        self.forget(now_us);
        let shown_us = course.at_us(now_us);
        self.go_on(Course { from_us: now_us, shown_us, delay_us: 0, newest_us: stamp_us });
    }

    fn begin(&mut self, stamp_us: i64, now_us: i64, way_us: i64) {
        self.window.clear();
        let gap_us = FIRST_INTERVAL_US;
        self.window.push(News { arrived_us: now_us, way_us, gap_us });
        let shown_us = stamp_us - gap_us;
        self.go_on(Course { from_us: now_us, shown_us, delay_us: 0, newest_us: stamp_us });
    }

    /// Takes a course with the delay that the last seconds ask for.
    fn go_on(&mut self, course: Course) {
        let of = |which: fn(&News) -> i64| share_of(&self.window, 0.5, which);
        self.usual = Usual {
            way_us: of(|it| it.way_us),
            soonest_us: self.window.iter().map(|it| it.way_us).min().unwrap_or(0),
            interval_us: of(|it| it.gap_us),
        };
        let delay_us = self.wanted_us(of(News::need_us));
        self.course = Some(Course { delay_us, ..course });
    }

    /// The moment of the sender's clock that is shown when ours shows `now`.
    #[must_use]
    pub fn play_out(&self, now: SimTime) -> Option<SimTime> {
        Some(SimTime::from_micros(self.course?.at_us(now.as_micros())))
    }

    /// Whether there is nothing to go on with at `now`: play-out waits at the newest position.
    #[must_use]
    pub fn is_starved(&self, now: SimTime) -> bool {
        self.course.is_some_and(|it| it.at_us(now.as_micros()) >= it.newest_us)
    }

    /// How much longer than the usual way positions wait for their turn, at the delay in force.
    #[must_use]
    pub fn buffer(&self) -> Option<Duration> {
        let held_us = self.course?.delay_us - self.usual.way_us;
        Some(Duration::from_micros(held_us.max(0).unsigned_abs()))
    }

    /// What would be shown at `now` if every datagram came as soon as the soonest of the last
    /// seconds and none were lost: one send interval behind that. No interpolation of these
    /// positions can show less of the past.
    #[must_use]
    pub fn best_play_out(&self, now: SimTime) -> Option<SimTime> {
        self.course?;
        let behind_us = self.usual.soonest_us + self.usual.interval_us;
        Some(SimTime::from_micros(now.as_micros() - behind_us))
    }

    fn forget(&mut self, now_us: i64) {
        let until = |span_us: i64, window: &[News]| {
            window.partition_point(|it| now_us - it.arrived_us > span_us)
        };
        self.window.drain(..until(WINDOW_US, &self.window));
        for (span_us, is_worse) in [(WORSE_US, true), (BETTER_US, false)] {
            let before = until(span_us, &self.window);
            let (old, new) = self.window.split_at(before);
            if old.is_empty() || new.len() < FEWEST {
                continue;
            }
            let recent = new.iter().map(News::need_us);
            let is_other = if is_worse {
                recent.min() > Some(share_of(old, 0.75, News::need_us))
            } else {
                recent.max() < Some(share_of(old, 0.25, News::need_us))
            };
            if is_other {
                self.window.drain(..before);
            }
        }
    }

    /// The delay that the last seconds ask for, at least what most of them needed.
    fn wanted_us(&self, usual_us: i64) -> i64 {
        let known_us: i64 = self.window.iter().map(|it| it.gap_us).sum();
        let may_be_late_us = (known_us as f64 * LATE_SHARE) as i64;
        let late_us = |delay_us: i64| -> i64 {
            self.window.iter().map(|it| (it.need_us() - delay_us).clamp(0, it.gap_us)).sum()
        };
        // The more delay the less comes late, so halving the range finds where that is enough.
        let mut low_us = usual_us;
        let mut high_us = self.window.iter().map(News::need_us).max().unwrap_or(usual_us);
        while high_us - low_us > 100 {
            let middle_us = low_us + (high_us - low_us) / 2;
            if late_us(middle_us) > may_be_late_us {
                low_us = middle_us;
            } else {
                high_us = middle_us;
            }
        }
        high_us
    }
}

/// What this share of some news lies at or below. Halving the range takes no copy and no sorting.
fn share_of(news: &[News], share: f64, of: fn(&News) -> i64) -> i64 {
    let values = || news.iter().map(of);
    let wanted = (news.len() as f64 * share) as usize + 1;
    let (mut low_us, mut high_us) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
    while low_us < high_us {
        let middle_us = low_us + (high_us - low_us) / 2;
        if values().filter(|it| *it <= middle_us).count() < wanted {
            low_us = middle_us + 1;
        } else {
            high_us = middle_us;
        }
    }
    high_us
}

#[cfg(test)]
mod tests {
    use reckoning_netsim::{Jitter, Link, LinkConfig, Loss};

    use super::*;
    use crate::testing::ms;

    const TWENTIETH: f64 = 0.05;
    /// The sender's clock shows this when ours shows zero.
    const LEAD_US: i64 = 987_654_321;

    fn link(delay_ms: u64, jitter_ms: u64, loss: Loss, seed: u64) -> LinkConfig {
        let mut config = LinkConfig::default();
        config.delay = Duration::from_millis(delay_ms);
        config.jitter = Jitter::Normal { deviation: Duration::from_millis(jitter_ms) };
        (config.loss, config.seed) = (loss, seed);
        config
    }

    /// What was played out in one frame.
    #[derive(Clone, Copy, Debug)]
    struct Frame {
        now: SimTime,
        /// How long ago it was, the truth being shown without any delay.
        age_s: f64,
        /// How long ago it would be at best.
        best_age_s: f64,
        shown: SimTime,
        is_starved: bool,
    }

    /// About twenty positions a second over one link after the other, each for some seconds, seen in
    /// sixty frames a second that keep no step with them.
    fn played(links: &[(LinkConfig, f64)]) -> Vec<Frame> {
        let (mut buffer, mut frames) = (JitterBuffer::default(), Vec::new());
        let mut ways: Vec<Link<SimTime>> = Vec::new();
        let (mut tick, mut sent) = (0, SimTime::ZERO);
        for (config, seconds) in links {
            ways.push(Link::new(*config).unwrap());
            for _ in 0..(60.0 * seconds) as usize {
                let now = SimTime::from_tick(tick, 60);
                if sent <= now {
                    ways.last_mut().unwrap().send(sent, 200, sent);
                    sent += Duration::from_micros(50_300);
                }
                let mut came: Vec<_> = ways
                    .iter_mut()
                    .flat_map(|way| std::iter::from_fn(|| way.poll(now)).collect::<Vec<_>>())
                    .collect();
                came.sort_by_key(|it| it.0);
                for (arrived, sent) in came {
                    buffer.hear(SimTime::from_micros(sent.as_micros() + LEAD_US), arrived);
                }
                if let Some(shown) = buffer.play_out(now) {
                    let shown = SimTime::from_micros(shown.as_micros() - LEAD_US);
                    let is_starved = buffer.is_starved(now);
                    let best = buffer.best_play_out(now).unwrap();
                    let best_age_s = now.secs_since(best) + LEAD_US as f64 * 1e-6;
                    let age_s = now.secs_since(shown);
                    frames.push(Frame { now, age_s, best_age_s, shown, is_starved });
                }
                tick += 1;
            }
        }
        frames
    }

    fn starved_share(frames: &[Frame]) -> f64 {
        frames.iter().filter(|it| it.is_starved).count() as f64 / frames.len() as f64
    }

    fn mean_age_s(frames: &[Frame]) -> f64 {
        frames.iter().map(|it| it.age_s).sum::<f64>() / frames.len() as f64
    }

    fn between(frames: &[Frame], from_s: f64, to_s: f64) -> &[Frame] {
        let place = |at_s: f64| frames.partition_point(|it| it.now.as_secs_f64() < at_s);
        &frames[place(from_s)..place(to_s)]
    }

    /// Delay, jitter, and what is lost.
    fn links() -> Vec<(u64, u64, Loss)> {
        let mut links = Vec::new();
        for (delay_ms, jitter_ms) in [(0, 0), (40, 10), (150, 40), (350, 120), (600, 200)] {
            for loss in [Loss::NONE, Loss::Independent { share: 0.03 }, Loss::bursts(0.12, 4.0)] {
                links.push((delay_ms, jitter_ms, loss));
            }
        }
        links
    }

    #[test]
    fn nineteen_of_twenty_moments_lie_between_two_positions_whatever_the_link() {
        for (delay_ms, jitter_ms, loss) in links() {
            let shares = (1..=5).map(|seed| {
                let frames = played(&[(link(delay_ms, jitter_ms, loss, seed), 70.0)]);
                starved_share(between(&frames, 10.0, 70.0))
            });
            let share = shares.sum::<f64>() / 5.0;
            println!("{delay_ms} +- {jitter_ms}, {loss:?}: {share:.3}");
            assert!(share <= TWENTIETH, "{delay_ms} +- {jitter_ms}, {loss:?}: {share}");
        }
    }

    #[test]
    fn play_out_never_runs_backwards_nor_faster_than_it_says() {
        for (delay_ms, jitter_ms, loss) in links() {
            let worse = link(delay_ms, jitter_ms, loss, 7);
            let frames = played(&[
                (LinkConfig::default(), 6.0),
                (worse, 12.0),
                (link(30, 0, loss, 3), 12.0),
            ]);
            for pair in frames.windows(2) {
                let dt_s = pair[1].now.secs_since(pair[0].now);
                let step_s = pair[1].shown.secs_since(pair[0].shown);
                let most_s = FASTEST * dt_s + 2e-6;
                assert!((0.0..=most_s).contains(&step_s), "{pair:?}, {delay_ms} +- {jitter_ms}");
            }
        }
    }

    #[test]
    fn without_jitter_it_is_one_send_interval_behind_what_arrives() {
        let frames = played(&[(link(150, 0, Loss::NONE, 1), 10.0)]);
        let age_s = mean_age_s(between(&frames, 3.0, 10.0));
        assert!((age_s - 0.2).abs() < 0.002, "{age_s}");
    }

    #[test]
    fn a_buffer_is_no_longer_than_it_has_to_be() {
        // What would do with every arrival known beforehand, and a third more at most.
        for (delay_ms, jitter_ms) in [(150, 40), (350, 120)] {
            let frames = played(&[(link(delay_ms, jitter_ms, Loss::NONE, 2), 70.0)]);
            let frames = between(&frames, 10.0, 70.0);
            let least_s = delay_ms as f64 / 1e3;
            let age_s = mean_age_s(frames);
            println!("{delay_ms} +- {jitter_ms}: {age_s}");
            assert!(age_s < least_s + 0.05 + 1.7 * jitter_ms as f64 / 1e3, "{age_s}");
        }
    }

    #[test]
    fn a_link_that_becomes_slow_is_followed_within_two_seconds() {
        let slow = link(350, 60, Loss::NONE, 4);
        let frames = played(&[(LinkConfig::default(), 20.0), (slow, 20.0)]);
        assert!(starved_share(between(&frames, 22.0, 40.0)) <= TWENTIETH);
        assert!(mean_age_s(between(&frames, 22.0, 40.0)) > 0.4);
    }

    #[test]
    fn a_link_that_becomes_slow_just_after_the_start_is_followed_as_well() {
        let slow = link(350, 60, Loss::NONE, 4);
        let frames = played(&[(LinkConfig::default(), 0.4), (slow, 10.0)]);
        for frame in between(&frames, 3.0, 10.0) {
            assert!(frame.best_age_s > 0.2, "{frame:?}");
        }
    }

    #[test]
    fn a_link_that_becomes_quick_is_followed_within_five_seconds() {
        let slow = link(350, 60, Loss::NONE, 4);
        let frames = played(&[(slow, 20.0), (LinkConfig::default(), 10.0)]);
        let age_s = mean_age_s(between(&frames, 25.0, 30.0));
        assert!(age_s < 0.06, "{age_s}");
        assert!(starved_share(between(&frames, 22.0, 30.0)) <= TWENTIETH);
    }

    #[test]
    fn the_best_case_is_the_soonest_datagram_and_one_interval() {
        let mut buffer = JitterBuffer::default();
        assert_eq!((buffer.play_out(ms(0)), buffer.best_play_out(ms(0))), (None, None));
        for (sent, came) in [(0, 90), (50, 100), (100, 190), (150, 240)] {
            buffer.hear(ms(sent), ms(came));
        }
        assert_eq!(buffer.best_play_out(ms(300)), Some(ms(200)));
        assert!(buffer.play_out(ms(300)) < Some(ms(200)));
    }

    #[test]
    fn at_best_it_would_show_less_of_the_past_and_no_less_than_the_link_allows() {
        for (delay_ms, jitter_ms, loss) in links() {
            let frames =
                played(&[(LinkConfig::default(), 5.0), (link(delay_ms, jitter_ms, loss, 3), 25.0)]);
            for frame in between(&frames, 16.0, 30.0) {
                let least_s = (delay_ms as f64 - 4.0 * jitter_ms as f64).max(0.0) / 1e3 + 0.05;
                let (best_s, age_s) = (frame.best_age_s, frame.age_s);
                assert!(best_s > least_s && best_s < age_s + 0.002, "{delay_ms}: {frame:?}");
            }
        }
    }

    #[test]
    fn a_stream_that_stood_still_begins_anew() {
        let mut buffer = JitterBuffer::default();
        for sent in 0..100 {
            buffer.hear(ms(50 * sent), ms(50 * sent + 400));
        }
        buffer.hear(ms(60_000), ms(60_010));
        assert_eq!(buffer.play_out(ms(60_010)), Some(ms(59_950)));
        assert_eq!(buffer.buffer(), Some(Duration::from_millis(50)));
    }
}
