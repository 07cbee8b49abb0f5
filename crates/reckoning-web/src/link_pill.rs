//! What the pill says of the way to the server.
//!
//! The session exchanges stamps with the server once a second, and half of a round trip is the way. A
//! measurement from before a change of the simulated link says nothing of it, so from the wish for
//! another link until a question was answered over it the pill says that it measures.

use std::time::Duration;

use reckoning::SimTime;
use reckoning_arena::protocol::LinkChoice;

/// The link may have changed since an exchange that is older than this: there is one a second.
const MEASURED_S: f64 = 2.0;

/// The link as the server said that it simulates it, and since when we know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkInForce {
    known: Option<(LinkChoice, SimTime)>,
}

impl LinkInForce {
    /// The server said so, at `now`.
    pub fn hear(&mut self, link: LinkChoice, now: SimTime) {
        if self.known.is_none_or(|it| it.0 != link) {
            self.known = Some((link, now));
        }
    }

    /// The way to the server as the newest exchange measured it: when that came back, and half of its
    /// round trip. `None` while nothing is measured of the link that is `wanted`.
    #[must_use]
    pub fn one_way(
        &self,
        now: SimTime,
        wanted: LinkChoice,
        newest: Option<(SimTime, Duration)>,
    ) -> Option<Duration> {
        let (came, way) = newest.filter(|it| now.secs_since(it.0) <= MEASURED_S)?;
        let asked = came - 2 * way;
        let is_of_it = self.known.is_none_or(|(link, since)| link == wanted && asked >= since);
        is_of_it.then_some(way)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ms;

    const SLOW: LinkChoice = LinkChoice { delay_ms: 350, ..LinkChoice::NONE };
    const FOUR: Duration = Duration::from_millis(4);
    const SLOW_WAY: Duration = Duration::from_millis(352);

    #[test]
    fn without_a_word_of_the_server_the_newest_exchange_counts() {
        let link = LinkInForce::default();
        assert_eq!(link.one_way(ms(0), LinkChoice::NONE, None), None);
        assert_eq!(link.one_way(ms(900), LinkChoice::NONE, Some((ms(0), FOUR))), Some(FOUR));
        assert_eq!(link.one_way(ms(2_100), LinkChoice::NONE, Some((ms(0), FOUR))), None);
    }

    #[test]
    fn a_wish_for_another_link_is_measured_until_it_was_asked_over_that() {
        let mut link = LinkInForce::default();
        link.hear(LinkChoice::NONE, ms(0));
        let before = Some((ms(9_990), FOUR));
        assert_eq!(link.one_way(ms(10_000), LinkChoice::NONE, before), Some(FOUR));
        // The wish is on its way, then it is granted; both times what is known is of before.
        assert_eq!(link.one_way(ms(10_000), SLOW, before), None);
        link.hear(SLOW, ms(10_360));
        assert_eq!(link.one_way(ms(10_400), SLOW, before), None);
        let mixed = Some((ms(10_700), Duration::from_millis(180)));
        assert_eq!(link.one_way(ms(10_700), SLOW, mixed), None, "it was asked over the old link");
        let measured = Some((ms(11_700), SLOW_WAY));
        assert_eq!(link.one_way(ms(11_700), SLOW, measured), Some(SLOW_WAY));
        link.hear(SLOW, ms(11_800));
        assert_eq!(link.one_way(ms(11_900), SLOW, measured), Some(SLOW_WAY), "said again");
    }
}
