//! Truth and plain positions of the others, which Reckoning is compared with.
//!
//! A server sends the truth at once and plain positions over the simulated link, both beside the
//! protocol. From the plain ones come the two pictures that Reckoning is held against:
//!
//! ```text
//! naive           the newest position received, as it is
//! interpolation   on the straight line between two positions received, as far back as an adaptive
//!                 buffer of the link has to go: see JitterBuffer
//! ```
//!
//! Moments are the host's. What they are on our own clock is taken from the streams themselves: for
//! the truth the largest lead ever of a stamp over its arrival, which is that of the quickest
//! datagram.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use reckoning::{DVec3, SimTime};

use crate::jitter_buffer::JitterBuffer;

/// Two seconds of truths at 60 Hz.
const TRACK_PLACES: usize = 128;
/// Truths come every tick; one that stays away for longer is no truth.
pub const LONGEST_GUESS_S: f64 = 0.1;
/// A body without data for so long is removed.
const FORGET_S: f64 = 3.0;
/// The lead over our clock is the largest of so many seconds, so that drifting clocks are followed.
const LEAD_SECONDS: usize = 10;

/// The sender's clock, from when its datagrams say they were sent and when they came.
#[derive(Clone, Debug, Default)]
pub struct StreamClock {
    /// The second of our clock and the largest lead in it, in microseconds.
    leads: VecDeque<(i64, i64)>,
}

impl StreamClock {
    /// A datagram sent at `at` came when our clock showed `arrived`.
    pub fn hear(&mut self, at: SimTime, arrived: SimTime) {
        let second = arrived.as_micros().div_euclid(1_000_000);
        let lead = at.as_micros().saturating_sub(arrived.as_micros());
        match self.leads.back_mut() {
            Some(last) if last.0 == second => last.1 = last.1.max(lead),
            _ => self.leads.push_back((second, lead)),
        }
        while self.leads.len() > LEAD_SECONDS {
            self.leads.pop_front();
        }
    }

    /// How much later than the quickest one a datagram came that was sent at `at`.
    #[must_use]
    pub fn lateness(&self, at: SimTime, arrived: SimTime) -> Duration {
        self.at(arrived).map_or(Duration::ZERO, |it| it.saturating_since(at))
    }

    /// What the sender's clock shows, as far as can be known here, when ours shows `now`.
    #[must_use]
    pub fn at(&self, now: SimTime) -> Option<SimTime> {
        let lead = self.leads.iter().map(|it| it.1).max()?;
        Some(SimTime::from_micros(now.as_micros().saturating_add(lead)))
    }
}

/// A moment and a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedMotion {
    /// The host's time.
    pub at: SimTime,
    /// Where.
    pub position: DVec3,
    /// How fast; zero where only positions are sent.
    pub velocity: DVec3,
}

/// A body that is further than this from where it was, beyond what its speed explains, was born.
const LEAP_PX: f64 = 60.0;
/// No client can know of a birth before its message arrives; until then no method is scored.
pub const SETTLE_S: f64 = 1.0;
/// Truths are sent sixty times a second, past the simulated link. Where two are further apart than
/// this, by their stamps or by their arrivals, the game or the page stood still.
const STANDSTILL_S: f64 = 0.15;

/// Finds moments in which the game, or the page, stood still.
///
/// A world that stops for lack of time does not do what anybody foresaw, and then says so to all at
/// once: what is shown while that lasts, and shortly after, says nothing of any method.
#[derive(Clone, Copy, Debug, Default)]
pub struct StandstillWatch {
    /// Stamp and arrival of the newest truth.
    newest: Option<(SimTime, SimTime)>,
    stood: Option<SimTime>,
}

impl StandstillWatch {
    /// The truth of the moment `at` came.
    pub fn hear(&mut self, at: SimTime, arrived: SimTime) {
        let Some((newest, before)) = self.newest else {
            self.newest = Some((at, arrived));
            return;
        };
        if at <= newest {
            return;
        }
        let apart_s = at.secs_since(newest).max(arrived.secs_since(before));
        if apart_s > STANDSTILL_S {
            self.stood = Some(at);
        }
        self.newest = Some((at, arrived));
    }

    /// Whether it stood still a moment ago.
    #[must_use]
    pub fn is_recent(&self) -> bool {
        let since = |(newest, stood): (SimTime, SimTime)| newest.secs_since(stood) <= SETTLE_S;
        self.newest.map(|it| it.0).zip(self.stood).is_some_and(since)
    }
}

/// How interpolation is done here, for the page to say so.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InterpolationFacts {
    /// How much longer than the usual way positions wait for their turn.
    pub buffer_ms: f64,
    /// Its mean error if every datagram came as soon as the soonest, in units of the picture.
    pub best: Option<f64>,
}

impl InterpolationFacts {
    /// What it is called above its picture.
    #[must_use]
    pub fn title(&self) -> String {
        format!("Interpolation, buffer {:.0} ms, straight lines", self.buffer_ms)
    }

    /// The least error that there could be, beside the one that there is; `None` while it is measured.
    #[must_use]
    pub fn best_case(&self, unit: &str) -> Option<String> {
        let told = |best| format!("at best {best:.0} {unit}, if nothing were late or lost");
        self.best.map(told)
    }
}

/// Where one body was of late, oldest first.
#[derive(Clone, Debug, Default)]
pub struct RecentTrack {
    seen: VecDeque<TimedMotion>,
    leapt: Option<SimTime>,
}

impl RecentTrack {
    /// Takes in what may come late or twice.
    pub fn hear(&mut self, seen: TimedMotion) {
        let place = self.seen.partition_point(|it| it.at < seen.at);
        if self.seen.get(place).is_some_and(|it| it.at == seen.at) {
            return;
        }
        if let Some(before) = self.seen.back().filter(|it| it.at < seen.at) {
            let dt_s = seen.at.secs_since(before.at);
            let could_px = LEAP_PX + 3.0 * dt_s * before.velocity.length();
            if seen.position.distance(before.position) > could_px {
                self.leapt = Some(seen.at);
            }
        }
        self.seen.insert(place, seen);
        if self.seen.len() > TRACK_PLACES {
            self.seen.pop_front();
        }
    }

    /// The newest.
    #[must_use]
    pub fn newest(&self) -> Option<&TimedMotion> {
        self.seen.back()
    }

    /// Where it was at `at`: on the straight line between the neighbours, and a little beyond the
    /// newest. A leap of more than `leap_px` between two neighbours is none to be drawn.
    #[must_use]
    pub fn position_at(&self, at: SimTime, leap_px: f64) -> Option<DVec3> {
        let after = self.seen.partition_point(|it| it.at <= at);
        let Some(before) = after.checked_sub(1).and_then(|place| self.seen.get(place)) else {
            return self.seen.front().map(|it| it.position);
        };
        let past_s = at.secs_since(before.at);
        let Some(next) = self.seen.get(after) else {
            return (past_s <= LONGEST_GUESS_S || before.velocity == DVec3::ZERO)
                .then(|| before.position + before.velocity * past_s);
        };
        let way = next.position - before.position;
        if way.length_squared() > leap_px * leap_px {
            return Some(before.position);
        }
        Some(before.position + way * (past_s / next.at.secs_since(before.at)))
    }
}

/// Everything received beside the protocol.
#[derive(Clone, Debug, Default)]
pub struct ComparisonStreams {
    truth_clock: StreamClock,
    standstill: StandstillWatch,
    /// How late the newest truth was, which passes no simulated link: so much either end is behind.
    held: Duration,
    buffer: JitterBuffer,
    truths: BTreeMap<u32, RecentTrack>,
    snapshots: BTreeMap<u32, RecentTrack>,
}

impl ComparisonStreams {
    /// The truth of some bodies at `at` came.
    pub fn hear_truth(
        &mut self,
        at: SimTime,
        arrived: SimTime,
        bodies: impl IntoIterator<Item = (u32, DVec3, DVec3)>,
    ) {
        self.truth_clock.hear(at, arrived);
        self.standstill.hear(at, arrived);
        self.held = self.truth_clock.lateness(at, arrived);
        for (entity, position, velocity) in bodies {
            self.truths.entry(entity).or_default().hear(TimedMotion { at, position, velocity });
        }
        forget(&mut self.truths, at);
    }

    /// Plain positions of some bodies at `at` came.
    pub fn hear_snapshot(
        &mut self,
        at: SimTime,
        arrived: SimTime,
        bodies: impl IntoIterator<Item = (u32, DVec3)>,
    ) {
        self.buffer.hear_held(at, arrived, self.held);
        for (entity, position) in bodies {
            let seen = TimedMotion { at, position, velocity: DVec3::ZERO };
            self.snapshots.entry(entity).or_default().hear(seen);
        }
        forget(&mut self.snapshots, at);
    }

    /// The host's time when our clock shows `now`.
    #[must_use]
    pub fn host_time(&self, now: SimTime) -> Option<SimTime> {
        self.truth_clock.at(now)
    }

    /// Where a body really is.
    #[must_use]
    pub fn truth(&self, entity: u32, now: SimTime, leap_px: f64) -> Option<DVec3> {
        self.truths.get(&entity)?.position_at(self.truth_clock.at(now)?, leap_px)
    }

    /// Whether a body lives long enough that pictures of it can be judged, and nothing stood still.
    #[must_use]
    pub fn is_settled(&self, entity: u32) -> bool {
        if self.standstill.is_recent() {
            return false;
        }
        let Some(track) = self.truths.get(&entity) else { return false };
        let (Some(newest), Some(leapt)) = (track.newest(), track.leapt) else { return true };
        newest.at.secs_since(leapt) > SETTLE_S
    }

    /// Where a game shows it that draws the newest position received.
    #[must_use]
    pub fn naive(&self, entity: u32) -> Option<DVec3> {
        Some(self.snapshots.get(&entity)?.newest()?.position)
    }

    /// Where a game shows it that draws the past between two positions.
    #[must_use]
    pub fn interpolated(&self, entity: u32, now: SimTime, leap_px: f64) -> Option<DVec3> {
        self.snapshots.get(&entity)?.position_at(self.buffer.play_out(now)?, leap_px)
    }

    /// Where such a game would show it if every datagram came as soon as the soonest: where it truly
    /// was that long ago.
    #[must_use]
    pub fn interpolated_at_best(&self, entity: u32, now: SimTime, leap_px: f64) -> Option<DVec3> {
        self.truths.get(&entity)?.position_at(self.buffer.best_play_out(now)?, leap_px)
    }

    /// What decides how far back interpolation goes.
    #[must_use]
    pub const fn buffer(&self) -> &JitterBuffer {
        &self.buffer
    }
}

/// Drops those whose last word is long past.
fn forget(tracks: &mut BTreeMap<u32, RecentTrack>, now: SimTime) {
    tracks.retain(|_, track| {
        track.newest().is_some_and(|newest| now.secs_since(newest.at) < FORGET_S)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ms;

    const LEAP_PX: f64 = 100.0;

    fn x(px: f64) -> DVec3 {
        DVec3::X * px
    }

    #[test]
    fn the_clock_is_that_of_the_quickest_datagram() {
        let mut clock = StreamClock::default();
        assert_eq!(clock.at(ms(0)), None);
        for (sent, came) in [(1_000, 40), (1_020, 70), (1_040, 62), (1_060, 140)] {
            clock.hear(ms(sent), ms(came));
        }
        assert_eq!(clock.at(ms(200)), Some(ms(1_178)));
    }

    #[test]
    fn the_clock_follows_one_that_drifts_back() {
        let mut clock = StreamClock::default();
        for second in 0..30 {
            clock.hear(ms(second * 990), ms(second * 1_000));
        }
        let found = clock.at(ms(30_000)).unwrap();
        assert!(found <= ms(30_000 - 200), "{found:?}");
    }

    #[test]
    fn the_truth_lies_between_what_was_told_and_a_little_beyond() {
        let mut streams = ComparisonStreams::default();
        for tick in [0, 2, 1, 2] {
            let place = (7, x(10.0 * tick as f64), x(1_000.0));
            streams.hear_truth(ms(10 * tick), ms(10 * tick), [place]);
        }
        assert_eq!(streams.truth(7, ms(15), LEAP_PX), Some(x(15.0)));
        assert_eq!(streams.truth(7, ms(25), LEAP_PX), Some(x(25.0)));
        assert_eq!(streams.truth(7, ms(900), LEAP_PX), None);
        assert_eq!(streams.truth(8, ms(15), LEAP_PX), None);
    }

    #[test]
    fn naive_shows_the_newest_and_interpolation_the_past() {
        let mut streams = ComparisonStreams::default();
        // Each takes 150 ms; the third overtakes the second.
        for (sent, came) in [(0, 150), (100, 260), (50, 200), (150, 300)] {
            streams.hear_snapshot(ms(sent), ms(came), [(1, x(sent as f64))]);
        }
        assert_eq!(streams.naive(1), Some(x(150.0)));
        let past = |at| streams.interpolated(1, ms(at), LEAP_PX).unwrap().x;
        assert!(past(300) < 150.0 && (past(325) - past(300)) > 10.0, "{} {}", past(300), past(325));
        assert_eq!(past(900), 150.0, "nothing newer is known");
    }

    #[test]
    fn interpolation_at_best_shows_the_truth_of_the_soonest_datagram_and_one_interval_before() {
        let mut streams = ComparisonStreams::default();
        for tick in 0..100 {
            let (at, place) = (ms(10 * tick), x(10.0 * tick as f64));
            streams.hear_truth(at, at, [(1, place, x(1_000.0))]);
            if tick % 5 == 0 {
                let late = if tick % 10 == 0 { 80 } else { 110 };
                streams.hear_snapshot(at, ms(10 * tick + late), [(1, place)]);
            }
        }
        let shown = [
            streams.interpolated_at_best(1, ms(1_060), LEAP_PX).unwrap(),
            streams.interpolated(1, ms(1_060), LEAP_PX).unwrap(),
        ];
        // 80 ms and the 50 ms between two, at 1000 px/s.
        assert!((shown[0].x - 930.0).abs() < 1.0, "{shown:?}");
        assert!(shown[1].x < 915.0, "{shown:?}");
    }

    #[test]
    fn what_holds_up_an_end_is_no_lateness_of_the_link() {
        let mut streams = ComparisonStreams::default();
        // Twice a second everything waits for a tenth of a second and then comes at once.
        for tick in 0..1_000 {
            let at = 10 * tick;
            let waits = if at % 500 < 100 { 100 - at % 500 } else { 0 };
            streams.hear_truth(ms(at), ms(at + waits), [(1, x(at as f64), x(1_000.0))]);
            if tick % 5 == 0 {
                streams.hear_snapshot(ms(at), ms(at + waits), [(1, x(at as f64))]);
            }
        }
        let buffer = streams.buffer().buffer().unwrap();
        assert!(buffer <= Duration::from_millis(55), "{buffer:?}");
    }

    #[test]
    fn interpolation_says_how_it_is_done_and_what_could_be_had_at_best() {
        let mut facts = InterpolationFacts { buffer_ms: 143.2, best: None };
        assert_eq!(facts.title(), "Interpolation, buffer 143 ms, straight lines");
        assert_eq!(facts.best_case("px"), None);
        facts.best = Some(31.4);
        let told = "at best 31 px, if nothing were late or lost";
        assert_eq!(facts.best_case("px").as_deref(), Some(told));
    }

    #[test]
    fn nothing_is_judged_while_the_game_stands_still_and_a_second_after() {
        for (stamp_gap, arrival_gap) in [(20, 300), (300, 20)] {
            let mut streams = ComparisonStreams::default();
            let (mut at, mut arrived) = (0, 0);
            for tick in 0..200 {
                let stands = tick == 100;
                at += if stands { stamp_gap } else { 10 };
                arrived += if stands { arrival_gap } else { 10 };
                streams.hear_truth(ms(at), ms(arrived), [(1, x(0.0), x(0.0))]);
                assert_eq!(streams.is_settled(1), !(100..=200).contains(&tick), "{tick}");
            }
        }
    }

    #[test]
    fn a_leap_is_not_drawn_as_a_way() {
        let mut track = RecentTrack::default();
        for (at, px) in [(0, 0.0), (50, 900.0)] {
            track.hear(TimedMotion { at: ms(at), position: x(px), velocity: DVec3::ZERO });
        }
        assert_eq!(track.position_at(ms(25), LEAP_PX), Some(x(0.0)));
        assert_eq!(track.position_at(ms(50), LEAP_PX), Some(x(900.0)));
    }

    #[test]
    fn a_birth_settles_after_a_second() {
        let mut streams = ComparisonStreams::default();
        for tick in 0..200 {
            let here = if tick < 50 { 0.0 } else { 900.0 };
            let place = x(here + 4.0 * tick as f64);
            streams.hear_truth(ms(10 * tick), ms(10 * tick), [(1, place, x(400.0))]);
            assert_eq!(streams.is_settled(1), !(50..=150).contains(&tick), "{tick}");
        }
    }

    #[test]
    fn who_is_gone_is_forgotten() {
        let mut streams = ComparisonStreams::default();
        streams.hear_snapshot(ms(0), ms(0), [(1, x(0.0)), (2, x(0.0))]);
        streams.hear_snapshot(ms(4_000), ms(4_000), [(2, x(1.0))]);
        assert_eq!(streams.naive(1), None);
        assert_eq!(streams.naive(2), Some(x(1.0)));
    }
}
