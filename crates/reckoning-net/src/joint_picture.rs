//! Picture of one joint that is sent: what a watcher shows of it, and what a host remembers of that.

use core::time::Duration;

use reckoning::joints::JointGhost;
use reckoning::{Joint, SimTime};

use crate::kinds::SentJoint;

/// A joint as it is shown from the codes that arrived.
#[derive(Clone, Debug)]
pub(crate) struct JointPicture {
    ghost: JointGhost,
    /// The moment that the newest code is about; [`SimTime::MIN`] before the first.
    heard: SimTime,
}

impl JointPicture {
    /// At rest at zero, or where its range is nearest to that, until a code arrives.
    pub(crate) fn new(kind: &SentJoint) -> Self {
        let rest = Joint { at: SimTime::MIN, angle_rad: 0.0, rate_radps: 0.0 };
        let rest = kind.possible(rest).unwrap_or(rest);
        Self { ghost: JointGhost::new(rest, kind.blend), heard: SimTime::MIN }
    }

    /// Takes a code that was sent then and arrives at that moment of the picture.
    pub(crate) fn accept(&mut self, kind: &SentJoint, code: u16, sent: SimTime, arrived: SimTime) {
        let is_first = self.heard == SimTime::MIN;
        // Two datagrams of one millisecond: the later one counts.
        self.heard = sent.max(self.heard + Duration::from_micros(1));
        let update = kind.decode(code, self.heard);
        if is_first {
            self.ghost = JointGhost::new(update, kind.blend);
        } else {
            self.ghost.accept(update, arrived);
        }
    }

    /// The angle that is drawn at a moment of the picture.
    pub(crate) fn angle_at(&self, kind: &SentJoint, moment: SimTime) -> f64 {
        let angle_rad = self.ghost.angle_at(moment.min(kind.rests_at(self.heard)));
        let seen = Joint { at: moment, angle_rad, rate_radps: 0.0 };
        kind.possible(seen).map_or(angle_rad, |seen| seen.angle_rad)
    }
}
