//! Feel it: shots and hits of our own, with bodies drawn by Reckoning and with naive ones.
//!
//! While a key is held, bodies are drawn where a naive game draws them, and shots are judged as such a
//! game judges them. What that is worth to a player shows in how many of its shots hit.

use reckoning::SimTime;

/// The rates are told after so long,
const LEAST_S: f64 = 60.0;
/// and from so many shots each way on.
const LEAST_SHOTS: u32 = 10;
/// Just after a change of the picture a shot is still aimed by the one before.
const SETTLES_S: f64 = 1.0;
/// The server's word about a shot comes within this, or never.
const CONFIRMED_S: f64 = 3.0;
/// Numbers of shots that are remembered: those in flight are far fewer.
const REMEMBERED: usize = 64;

/// How bodies are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrawnAs {
    /// As Reckoning shows them.
    #[default]
    Reckoning,
    /// At the newest position received.
    Naive,
}

impl DrawnAs {
    /// Naive, or not.
    #[must_use]
    pub const fn from_naive(is_naive: bool) -> Self {
        if is_naive { Self::Naive } else { Self::Reckoning }
    }
}

/// Shots of one way, and those of them that hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HitCount {
    /// Shots that the server let off.
    pub shots: u32,
    /// Of them, those that struck somebody.
    pub hits: u32,
}

impl HitCount {
    fn percent(self) -> f64 {
        100.0 * f64::from(self.hits) / f64::from(self.shots.max(1))
    }
}

/// Our own shots and hits, both ways.
#[derive(Clone, Debug, Default)]
pub struct HitCounts {
    drawn_as: DrawnAs,
    changed_at: Option<SimTime>,
    first_at: Option<SimTime>,
    /// Triggers that the server has not answered yet; `None` for those that do not count.
    pulled: Vec<(SimTime, Option<DrawnAs>)>,
    /// Which shots are ours, by the server's number.
    fired: Vec<(u32, Option<DrawnAs>)>,
    /// Hits whose shot is not known yet: messages overtake each other.
    struck: Vec<u32>,
    counts: [HitCount; 2],
}

impl HitCounts {
    /// Bodies are drawn like this in the frame at `now`.
    pub fn draw(&mut self, now: SimTime, drawn_as: DrawnAs) {
        if self.drawn_as != drawn_as {
            (self.drawn_as, self.changed_at) = (drawn_as, Some(now));
        }
    }

    /// How they are drawn.
    #[must_use]
    pub const fn drawn_as(&self) -> DrawnAs {
        self.drawn_as
    }

    /// We pulled the trigger at `now`.
    pub fn pull(&mut self, now: SimTime) {
        let is_settled = self.changed_at.is_none_or(|at| now.secs_since(at) >= SETTLES_S);
        self.first_at.get_or_insert(now);
        self.pulled.push((now, is_settled.then_some(self.drawn_as)));
        forget_oldest(&mut self.pulled);
    }

    /// The server let off a shot of ours. It answers in the order in which we fired; what it
    /// refused it does not answer.
    pub fn confirm(&mut self, now: SimTime, number: u32) {
        self.pulled.retain(|it| now.secs_since(it.0) <= CONFIRMED_S);
        if self.pulled.is_empty() {
            return;
        }
        let (_, drawn_as) = self.pulled.remove(0);
        if let Some(drawn_as) = drawn_as {
            self.counts[drawn_as as usize].shots += 1;
        }
        if let Some(place) = self.struck.iter().position(|it| *it == number) {
            self.struck.remove(place);
            return self.count_hit(drawn_as);
        }
        self.fired.push((number, drawn_as));
        forget_oldest(&mut self.fired);
    }

    /// A shot struck somebody, whoever fired it.
    pub fn strike(&mut self, number: u32) {
        if let Some(place) = self.fired.iter().position(|it| it.0 == number) {
            let (_, drawn_as) = self.fired.remove(place);
            return self.count_hit(drawn_as);
        }
        self.struck.push(number);
        forget_oldest(&mut self.struck);
    }

    const fn count_hit(&mut self, drawn_as: Option<DrawnAs>) {
        if let Some(drawn_as) = drawn_as {
            self.counts[drawn_as as usize].hits += 1;
        }
    }

    /// What the page says of it: what to do, or what was found.
    #[must_use]
    pub fn note(&self, now: SimTime) -> String {
        let [with, without] = self.counts.map(|it| it.shots);
        match (self.drawn_as, self.told(now)) {
            (DrawnAs::Naive, _) => {
                "Naive: the newest positions, and hits judged when your shot gets there."
                    .to_string()
            }
            (_, Some(told)) => told,
            (_, None) if without > 0 => {
                format!("Shots so far: {with} with Reckoning, {without} naive. Hold N for more.")
            }
            (_, None) => "Hold N to play as in a naive game.".to_string(),
        }
    }

    /// Shots and hits so far.
    #[must_use]
    pub const fn count(&self, drawn_as: DrawnAs) -> HitCount {
        self.counts[drawn_as as usize]
    }

    /// What it is worth, once enough was shot both ways.
    #[must_use]
    pub fn told(&self, now: SimTime) -> Option<String> {
        let [with, without] = self.counts;
        let is_enough = with.shots.min(without.shots) >= LEAST_SHOTS
            && self.first_at.is_some_and(|at| now.secs_since(at) >= LEAST_S);
        is_enough.then(|| {
            format!(
                "You hit {:.0} % with Reckoning and {:.0} % naive, {} and {} shots.",
                with.percent(),
                without.percent(),
                with.shots,
                without.shots
            )
        })
    }
}

fn forget_oldest<T>(all: &mut Vec<T>) {
    if all.len() > REMEMBERED {
        all.remove(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ms;

    /// A shot every 300 ms from `from_ms` on, each confirmed 200 ms later; the first `hits` strike.
    fn shoot(counts: &mut HitCounts, from_ms: i64, shots: u32, hits: u32) {
        for number in 0..shots {
            let at = from_ms + 300 * i64::from(number);
            counts.pull(ms(at));
            counts.confirm(ms(at + 200), at as u32);
            if number < hits {
                counts.strike(at as u32);
            }
        }
    }

    #[test]
    fn both_rates_are_told_after_a_minute_and_ten_shots_each() {
        let mut counts = HitCounts::default();
        shoot(&mut counts, 0, 40, 12);
        counts.draw(ms(20_000), DrawnAs::Naive);
        shoot(&mut counts, 22_000, 9, 3);
        assert_eq!(counts.told(ms(70_000)), None, "nine are few");
        shoot(&mut counts, 30_000, 16, 0);
        assert_eq!(counts.told(ms(59_000)), None);
        let told = counts.told(ms(60_000)).unwrap();
        assert_eq!(told, "You hit 30 % with Reckoning and 12 % naive, 40 and 25 shots.");
    }

    #[test]
    fn the_note_leads_from_the_key_to_what_was_found() {
        let mut counts = HitCounts::default();
        assert!(counts.note(ms(0)).starts_with("Hold N"));
        shoot(&mut counts, 0, 12, 6);
        counts.draw(ms(10_000), DrawnAs::Naive);
        assert!(counts.note(ms(10_000)).starts_with("Naive: "));
        shoot(&mut counts, 20_000, 10, 1);
        counts.draw(ms(30_000), DrawnAs::Reckoning);
        let few = counts.note(ms(30_000));
        assert_eq!(few, "Shots so far: 12 with Reckoning, 10 naive. Hold N for more.");
        assert!(counts.note(ms(61_000)).starts_with("You hit 50 % with Reckoning and 10 % naive"));
    }

    #[test]
    fn what_is_fired_just_after_a_change_does_not_count() {
        let mut counts = HitCounts::default();
        counts.draw(ms(1_000), DrawnAs::Naive);
        shoot(&mut counts, 1_000, 4, 4); // the last 900 ms later
        assert_eq!(counts.count(DrawnAs::Naive), HitCount::default());
        shoot(&mut counts, 2_000, 2, 1);
        assert_eq!(counts.count(DrawnAs::Naive), HitCount { shots: 2, hits: 1 });
        assert_eq!(counts.count(DrawnAs::Reckoning), HitCount::default());
    }

    #[test]
    fn a_hit_may_overtake_the_word_about_its_shot_and_those_of_others_do_not_count() {
        let mut counts = HitCounts::default();
        counts.pull(ms(0));
        counts.strike(7);
        counts.strike(99);
        counts.confirm(ms(100), 7);
        assert_eq!(counts.count(DrawnAs::Reckoning), HitCount { shots: 1, hits: 1 });
        counts.confirm(ms(200), 99);
        assert_eq!(counts.count(DrawnAs::Reckoning), HitCount { shots: 1, hits: 1 });
    }

    #[test]
    fn a_shot_counts_as_it_was_aimed_and_refused_ones_not_at_all() {
        let mut counts = HitCounts::default();
        counts.pull(ms(0)); // never answered
        counts.pull(ms(4_000));
        counts.draw(ms(4_100), DrawnAs::Naive);
        counts.confirm(ms(4_300), 1);
        counts.strike(1);
        assert_eq!(counts.count(DrawnAs::Reckoning), HitCount { shots: 1, hits: 1 });
        assert_eq!(counts.count(DrawnAs::Naive), HitCount::default());
    }

    #[test]
    fn shots_of_a_long_war_are_forgotten() {
        let mut counts = HitCounts::default();
        for number in 0..10_000 {
            counts.strike(number);
            counts.pull(ms(i64::from(number)));
            counts.confirm(ms(i64::from(number)), number + 100_000);
        }
        assert!(counts.struck.len() <= REMEMBERED && counts.fired.len() <= REMEMBERED);
    }
}
