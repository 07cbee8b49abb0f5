//! A policy's memory of one listener.

use core::time::Duration;

use crate::math::ceil;
use crate::{ListenerAccount, SimTime, Update, update_error_between};

/// Sums of rounded fractions that ought to be whole may lie this much above it, in triggers.
const ROUNDING: f64 = 1e-9;

#[derive(Clone, Debug)]
pub(super) struct Listener {
    pub account: ListenerAccount<Update>,
    /// The error it is taken to have had when it joined.
    handicap: f64,
    pub plan: SendPlan,
    /// An older update to be sent at once, ahead of what is planned.
    pub late: Option<Update>,
    served_at: SimTime,
    /// Something was sent to it and not reported lost.
    pub greeted: bool,
    /// It acknowledged something.
    pub heard: bool,
    pub turn: ServiceTurn,
}

/// When the latest update goes to a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SendPlan {
    /// It was sent, or is withheld.
    Nothing,
    At(SimTime),
    /// Not before the next trigger, whatever that means for it.
    BeyondHorizon,
}

impl Listener {
    pub(super) const fn new(handicap: f64, now: SimTime) -> Self {
        Self {
            account: ListenerAccount::new(update_error_between),
            handicap,
            plan: SendPlan::Nothing,
            late: None,
            served_at: now,
            greeted: false,
            heard: false,
            turn: ServiceTurn::FIRST,
        }
    }

    /// The error by which listeners are compared, in metre-seconds.
    pub(super) fn level_at(&self, now: SimTime) -> f64 {
        self.confirmed_level() + self.account.estimated_at(now)
    }

    /// The part of it that is no guess.
    pub(super) fn confirmed_level(&self) -> f64 {
        self.handicap + self.account.confirmed()
    }

    pub(super) fn waiting_s(&self, now: SimTime) -> f64 {
        now.secs_since(self.served_at)
    }

    /// Plans the latest update for now; an older one is then no longer needed.
    pub(super) fn serve(&mut self, now: SimTime) {
        self.plan = SendPlan::At(now);
        self.late = None;
    }

    /// Plans the latest update for the moment the level reaches `goal`.
    pub(super) fn serve_at_level(&mut self, goal: f64, now: SimTime, horizon: Duration) {
        if let Some(late) = self.late {
            self.account.sent(late.at(), now);
        }
        self.plan = self.reaches(goal, now, horizon).map_or(SendPlan::BeyondHorizon, SendPlan::At);
    }

    /// The first microsecond, up to `horizon` from now, in which the level is at least `goal`.
    /// It never falls while nothing happens, so halving finds it.
    fn reaches(&self, goal: f64, now: SimTime, horizon: Duration) -> Option<SimTime> {
        let (mut below, mut reached) = (now.as_micros(), (now + horizon).as_micros());
        let enough = |at: i64| self.level_at(SimTime::from_micros(at)) >= goal;
        if !enough(reached) {
            return None;
        }
        while reached - below > 1 {
            let middle = below + (reached - below) / 2;
            if enough(middle) {
                reached = middle;
            } else {
                below = middle;
            }
        }
        Some(SimTime::from_micros(reached))
    }

    /// A new update overtakes `old`. Returns whether a planned send is given up.
    pub(super) fn overtake(&mut self, old: Update, keep: bool, now: SimTime) -> bool {
        let plan = core::mem::replace(&mut self.plan, SendPlan::Nothing);
        let overdue = matches!(plan, SendPlan::At(due) if due <= now);
        if overdue || (keep && plan != SendPlan::Nothing) {
            self.late = Some(old);
        }
        plan != SendPlan::Nothing && !overdue && !keep
    }

    /// When something has to be sent, if that is known. What is late became so at
    /// `triggered_at`.
    pub(super) fn due(&self, triggered_at: SimTime) -> Option<SimTime> {
        match (self.late, self.plan) {
            (Some(_), _) => Some(triggered_at),
            (None, SendPlan::At(due)) => Some(due),
            (None, _) => None,
        }
    }

    /// Takes what has to be sent now.
    pub(super) fn take_due(&mut self, latest: Update, now: SimTime) -> Option<Update> {
        let update = match self.plan {
            _ if self.late.is_some() => self.late.take()?,
            SendPlan::At(due) if due <= now => {
                self.plan = SendPlan::Nothing;
                latest
            }
            _ => return None,
        };
        self.account.sent(update.at(), now);
        self.served_at = now;
        self.greeted = true;
        Some(update)
    }
}

/// The trigger at which a listener is served next, and the part of a trigger it waited too
/// long so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServiceTurn {
    next: u64,
    credit: f64,
}

impl ServiceTurn {
    /// At the first trigger.
    const FIRST: Self = Self { next: 0, credit: 0.0 };

    pub(super) const fn has_come(&self, trigger: u64) -> bool {
        self.next <= trigger
    }

    /// Served at `trigger`, and again when the frequency asks for it. Frequencies give broken
    /// numbers of triggers; these are rounded up and the difference is credited.
    pub(super) fn served(&mut self, trigger: u64, frequency: f64) {
        let wait = 1.0 / frequency - self.credit;
        let whole = ceil(wait - ROUNDING).max(1.0);
        self.credit = whole - wait;
        self.next = trigger.saturating_add(whole as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn turns(frequency: f64, triggers: u64) -> Vec<u64> {
        let mut turn = ServiceTurn::FIRST;
        let mut served = Vec::new();
        for trigger in 0..triggers {
            if turn.has_come(trigger) {
                turn.served(trigger, frequency);
                served.push(trigger);
            }
        }
        served
    }

    #[test]
    fn credit_makes_up_for_rounding() {
        assert_eq!(turns(0.4, 11), [0, 3, 5, 8, 10]);
        for n in 1..200 {
            let every_nth: Vec<u64> = (0..1000).step_by(n).collect();
            assert_eq!(turns(1.0 / n as f64, 1000), every_nth, "{n}");
        }
    }

    #[test]
    fn over_a_long_run_everyone_gets_its_frequency() {
        for step in 1..=1000 {
            let frequency = f64::from(step) / 1000.0;
            let served = turns(frequency, 10_000).len() as f64;
            assert!((served - 10_000.0 * frequency).abs() <= 1.0, "{frequency}: {served}");
        }
    }

    #[test]
    fn no_frequency_waits_for_ever_without_overflow() {
        assert_eq!(turns(0.0, 100), [0]);
        assert_eq!(turns(f64::MIN_POSITIVE, 100), [0]);
    }
}
