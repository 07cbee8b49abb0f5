//! What a naive game does: positions twenty times a second, and the newest received is shown.

use reckoning::{DVec3, Kinematics, Model, SimTime, Update, UpdateKind};
use reckoning_arena::protocol::LinkChoice;

use super::{Lane, OVER_S, Recent};
use crate::replay::ReplayLink;

/// Every third truth is sent: twenty a second.
pub(super) const EVERY: i64 = 3;

/// Positions on their way and at their end.
#[derive(Clone, Debug)]
pub struct Snapshots {
    link: ReplayLink<Update>,
    newest: (SimTime, DVec3),
    /// What was sent.
    pub lane: Lane,
    /// How far off the picture was.
    pub errors: Recent,
}

impl Snapshots {
    /// How many a second.
    pub const PER_S: f64 = 20.0;

    /// Everyone knows this much.
    #[must_use]
    pub fn new(truth: &Kinematics) -> Self {
        Self {
            link: ReplayLink::default(),
            newest: (truth.at, truth.position),
            lane: Lane::new(),
            errors: Recent::over_s(OVER_S),
        }
    }

    /// The `tick`-th truth, and what arrives at its moment; while the network loses, nothing gets
    /// through.
    pub fn tick(&mut self, tick: i64, truth: &Kinematics, link: LinkChoice, is_losing: bool) {
        let now = truth.at;
        if tick % EVERY == 0 {
            let seen = Kinematics::at_rest(now, truth.position);
            let sent = Update::new(seen, Model::Hold, UpdateKind::Partial);
            self.lane.note(now, is_losing);
            if let Ok(sent) = sent
                && !is_losing
            {
                self.link.send(now, link, sent);
            }
        }
        while let Some(came) = self.link.arrive(now) {
            if came.at() > self.newest.0 {
                self.newest = (came.at(), came.kinematics().position);
            }
        }
        self.errors.note(self.shown().distance(truth.position));
    }

    /// The newest position received.
    #[must_use]
    pub const fn shown(&self) -> DVec3 {
        self.newest.1
    }

    /// Figures begin anew.
    pub fn reset(&mut self, now: SimTime) {
        self.lane.reset(now);
        self.errors.reset();
    }
}
