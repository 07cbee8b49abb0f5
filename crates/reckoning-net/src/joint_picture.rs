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
    /// The number of the newest datagram about this joint. Others may have brought other joints of
    /// the body since, which does not make one outdated that they overtook.
    newest: Option<u64>,
}

impl JointPicture {
    /// At rest at zero, or where its range is nearest to that, until a code arrives.
    pub(crate) fn new(kind: &SentJoint) -> Self {
        let rest = Joint { at: SimTime::MIN, angle_rad: 0.0, rate_radps: 0.0 };
        let rest = kind.possible(rest).unwrap_or(rest);
        Self { ghost: JointGhost::new(rest, kind.blend), heard: SimTime::MIN, newest: None }
    }

    /// Takes a code that was sent then, in the datagram of that number, and arrives at that moment of
    /// the picture. False for what was overtaken on the way.
    pub(crate) fn accept(
        &mut self,
        kind: &SentJoint,
        code: u16,
        (number, sent): (u64, SimTime),
        arrived: SimTime,
    ) -> bool {
        if self.newest.is_some_and(|newest| newest >= number) {
            return false;
        }
        self.newest = Some(number);
        let is_first = self.heard == SimTime::MIN;
        // Two datagrams of one millisecond: the later one counts.
        self.heard = sent.max(self.heard + Duration::from_micros(1));
        let update = kind.decode(code, self.heard);
        if is_first {
            self.ghost = JointGhost::new(update, kind.blend);
        } else {
            self.ghost.accept(update, arrived);
        }
        true
    }

    /// The angle that is drawn at a moment of the picture.
    pub(crate) fn angle_at(&self, kind: &SentJoint, moment: SimTime) -> f64 {
        let angle_rad = self.ghost.angle_at(moment.min(kind.rests_at(self.heard)));
        let seen = Joint { at: moment, angle_rad, rate_radps: 0.0 };
        kind.possible(seen).map_or(angle_rad, |seen| seen.angle_rad)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_older_about_the_same_joint_is_passed_over() {
        let (kind, ms) = (SentJoint::default(), SimTime::from_millis);
        let code = |angle_rad| kind.encode(&Joint { at: ms(0), angle_rad, rate_radps: 0.0 });
        let mut picture = JointPicture::new(&kind);
        assert!(picture.accept(&kind, code(1.0), (7, ms(70)), ms(100)));
        assert!(!picture.accept(&kind, code(2.0), (6, ms(60)), ms(110)), "overtaken");
        assert!(!picture.accept(&kind, code(2.0), (7, ms(70)), ms(110)), "twice");
        assert!((picture.angle_at(&kind, ms(900)) - 1.0).abs() < 0.01);
        assert!(picture.accept(&kind, code(2.0), (8, ms(80)), ms(120)));
        assert!((picture.angle_at(&kind, ms(900)) - 2.0).abs() < 0.01);
    }
}
