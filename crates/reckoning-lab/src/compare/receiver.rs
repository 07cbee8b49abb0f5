//! A receiver behind a simulated link: what it shows, and the accounts of its error.
//!
//! ```text
//! update --link--> ghost: shown, its error parted at the arrivals (before, after)
//!                    |
//!   owner  <--link-- acknowledgement: confirmed (CEE) and estimated (EEE) error
//! ```

use std::time::Duration;

use reckoning::accounting::Split;
use reckoning::{
    Blend, ConfigError, DQuat, DVec3, FlightLog, Ghost, GhostConfig, ListenerAccount, SimTime,
    Update, update_error_between,
};
use reckoning_netsim::{Link, LinkConfig};

use super::CompareError;
use super::closed_loop::MeanSum;

/// What an acknowledgement weighs: a header and two moments.
const ACK_BYTES: u32 = 20;
/// Sets the dice of the way back apart from those of the way there.
const BACK: u64 = 0x5bd1_e995_0000_0000;

/// The link of the ghost that receives every update 100 ms late.
pub(crate) fn late_link() -> LinkConfig {
    LinkConfig { delay: Duration::from_millis(100), ..LinkConfig::default() }
}

/// A ghost behind a link.
pub(crate) struct LinkedViewer {
    link: Link<Update>,
    ghost: Ghost,
    last: [(SimTime, DVec3); 3],
}

impl LinkedViewer {
    pub(crate) fn new(
        mut config: LinkConfig,
        first: Update,
        salt: u64,
    ) -> Result<Self, CompareError> {
        config.seed ^= salt;
        let mut ghost = GhostConfig::default();
        ghost.blend = Blend::ProjectiveVelocity;
        ghost.max_extrapolation = Duration::from_mins(1);
        let now = first.at();
        let link = Link::new(config)?;
        let last = [(now, first.kinematics().position); 3];
        let ghost = Ghost::with_config(ghost, first, now).map_err(ConfigError::from)?;
        Ok(Self { link, ghost, last })
    }

    pub(crate) fn send(&mut self, update: Update, now: SimTime) {
        self.link.send(now, crate::plain_bytes(&update), update);
    }

    /// Where the body is shown. `arrived` is called for every update that came by now.
    pub(crate) fn shown(
        &mut self,
        now: SimTime,
        mut arrived: impl FnMut(SimTime, SimTime),
    ) -> DVec3 {
        while let Some((arrival, update)) = self.link.poll(now) {
            arrived(update.at(), arrival);
            self.ghost.accept(update, arrival);
        }
        self.ghost.position_at(now)
    }

    /// How the body is shown to stand, by what came by the last look.
    pub(crate) fn orientation(&self, now: SimTime) -> DQuat {
        self.ghost.orientation_at(now)
    }

    /// The third difference of what was shown over the last four samples.
    pub(crate) fn jerk(&mut self, now: SimTime, shown: DVec3) -> Option<f64> {
        let [a, b, c] = self.last;
        self.last = [b, c, (now, shown)];
        let step_s = now.secs_since(a.0) / 3.0;
        let third = shown - c.1 * 3.0 + b.1 * 3.0 - a.1;
        (a.0 != b.0 && b.0 != c.0 && c.0 != now)
            .then(|| third.length() / (step_s * step_s * step_s))
    }
}

/// What a receiver made of one or more segments. Errors are in units times seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Heard {
    pub(crate) shown: MeanSum,
    /// The error of what was shown, while updates were in flight and after.
    pub(crate) split: Split,
    /// What the owner knows of it, and what it has to guess on top of that, at the end.
    pub(crate) confirmed: f64,
    pub(crate) estimated: f64,
}

impl Heard {
    pub(crate) fn merge(&mut self, other: &Self) {
        self.shown.merge(other.shown);
        self.split += other.split;
        self.confirmed += other.confirmed;
        self.estimated += other.estimated;
    }
}

/// A viewer whose owner keeps an account of it.
pub(crate) struct AccountedReceiver {
    viewer: LinkedViewer,
    /// Acknowledgements: the moments of an export and of its arrival.
    back: Link<(SimTime, SimTime)>,
    flights: FlightLog,
    account: ListenerAccount<Update>,
    errors: Vec<(SimTime, f64)>,
}

impl AccountedReceiver {
    /// Both sides have the first update from the start.
    pub(crate) fn start(
        config: LinkConfig,
        first: Update,
        salt: u64,
    ) -> Result<Self, CompareError> {
        let at = first.at();
        let seed = config.seed ^ salt ^ BACK;
        let (mut flights, mut account) =
            (FlightLog::new(), ListenerAccount::new(update_error_between as _));
        flights.exported(at);
        flights.received(at, at);
        account.exported(at, first);
        account.sent(at, at);
        account.acknowledged(at, at, at);
        let (viewer, back) =
            (LinkedViewer::new(config, first, salt)?, Link::new(LinkConfig { seed, ..config })?);
        Ok(Self { viewer, back, flights, account, errors: vec![(at, 0.0)] })
    }

    pub(crate) fn send(&mut self, update: Update, now: SimTime) {
        self.viewer.send(update, now);
        self.flights.exported(update.at());
        self.account.exported(update.at(), update);
        self.account.sent(update.at(), now);
    }

    pub(crate) fn look(&mut self, now: SimTime, truth: DVec3) {
        let (flights, back) = (&mut self.flights, &mut self.back);
        let shown = self.viewer.shown(now, |export, arrival| {
            flights.received(export, arrival);
            back.send(arrival, ACK_BYTES, (export, arrival));
        });
        self.errors.push((now, shown.distance(truth)));
        while let Some((heard, (export, arrival))) = self.back.poll(now) {
            // The newest news is the best guess at the delay of what is in flight.
            if self.account.acknowledged(export, arrival, heard) {
                self.account.expect_delay(arrival.saturating_since(export));
            }
        }
    }

    /// What came of it by the moment of the last look.
    pub(crate) fn heard(&self) -> Heard {
        let mut shown = MeanSum::default();
        self.errors[1..].iter().for_each(|&(_, error)| shown.add(error));
        let end = self.errors.last().map_or(SimTime::ZERO, |last| last.0);
        Heard {
            shown,
            split: self.flights.split_samples(&self.errors),
            confirmed: self.account.confirmed(),
            estimated: self.account.estimated_at(end),
        }
    }
}

#[cfg(test)]
mod tests {
    use reckoning::{Kinematics, Model, UpdateKind};

    use super::*;

    fn ms(millis: i64) -> SimTime {
        SimTime::from_millis(millis)
    }

    fn update(at_ms: i64, x: f64) -> Update {
        let seen = Kinematics::at_rest(ms(at_ms), DVec3::X * x);
        Update::new(seen, Model::Hold, UpdateKind::Full).unwrap()
    }

    /// The body stands at 0, from second 1 on at 10, and the news takes 300 ms.
    #[test]
    fn a_late_step_costs_its_height_times_the_delay() {
        let delay = Duration::from_millis(300);
        let link = LinkConfig { delay, ..LinkConfig::default() };
        let mut receiver = AccountedReceiver::start(link, update(0, 0.0), 7).unwrap();
        for tick in 1..=400 {
            let (now, truth) = (tick * 10, if tick < 100 { 0.0 } else { 10.0 });
            if tick == 100 {
                receiver.send(update(now, truth), ms(now));
            }
            receiver.look(ms(now), DVec3::X * truth);
        }
        let heard = receiver.heard();
        // The owner counts what a listener without a blend shows, and it is exact.
        assert!((heard.confirmed - 3.0).abs() < 1e-9, "{heard:?}");
        assert_eq!(heard.estimated, 0.0, "all was acknowledged: {heard:?}");
        // Half a sample of doubt at the step; after the arrival only the blend is left.
        assert!((heard.split.before - 3.0).abs() < 0.06, "{heard:?}");
        assert!(heard.split.after > 0.0 && heard.split.after < 3.0, "{heard:?}");
    }

    #[test]
    fn what_is_not_acknowledged_yet_is_estimated() {
        let delay = Duration::from_millis(300);
        let link = LinkConfig { delay, ..LinkConfig::default() };
        let mut receiver = AccountedReceiver::start(link, update(0, 0.0), 7).unwrap();
        for tick in 1..=250 {
            let now = tick * 10;
            if tick == 100 || tick == 200 {
                receiver.send(update(now, now as f64 / 100.0), ms(now));
            }
            receiver.look(ms(now), DVec3::X * f64::from(now as i32 / 1000) * 10.0);
        }
        // The second news arrived at 2300 ms; that is heard at 2600 ms.
        let heard = receiver.heard();
        assert!((heard.confirmed - 3.0).abs() < 1e-9, "{heard:?}");
        assert!((heard.estimated - 3.0).abs() < 1e-9, "{heard:?}");
    }
}
