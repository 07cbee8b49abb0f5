//! Powers of the demonstration: the server's settings, the truth, watching without a body, a
//! simulated link.
//!
//! Whoever has them sees through walls and changes the game of all others, so a server grants them
//! only if its operator calls it a demonstration ([`ArenaHostConfig::demo`]), and to each client
//! only so often.
//!
//! [`ArenaHostConfig::demo`]: super::ArenaHostConfig::demo

use reckoning::SimTime;
use reckoning_net::{Host, PeerId};

use super::ArenaHost;
use crate::protocol::{Refusal, ServerMessage};

/// Uses at once, and in a second: a slider that is dragged fits in.
const USES_AT_ONCE: f64 = 90.0;
const USES_PER_S: f64 = 30.0;
/// Between two refusals to the same client.
const TELL_AGAIN_S: f64 = 1.0;

/// What a client may still ask for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PowerAllowance {
    left: f64,
    counted_at: Option<SimTime>,
    told_at: Option<SimTime>,
}

impl Default for PowerAllowance {
    fn default() -> Self {
        Self { left: USES_AT_ONCE, counted_at: None, told_at: None }
    }
}

impl PowerAllowance {
    /// Whether one more use fits.
    fn take(&mut self, now: SimTime) -> bool {
        let since_s = self.counted_at.replace(now).map_or(0.0, |at| now.secs_since(at).max(0.0));
        self.left = (self.left + since_s * USES_PER_S).min(USES_AT_ONCE);
        let fits = self.left >= 1.0;
        self.left -= f64::from(u8::from(fits));
        fits
    }

    /// Whether a client may use a power now; if not, why, and whether it is due to be told.
    pub(crate) fn ask(&mut self, demo: bool, now: SimTime) -> Result<(), (Refusal, bool)> {
        let refusal = match (demo, self.take(now)) {
            (true, true) => return Ok(()),
            (true, false) => Refusal::TooOften,
            (false, _) => Refusal::NoDemo,
        };
        Err((refusal, self.tell(now)))
    }

    /// Whether a refusal is due to be told.
    pub(super) fn tell(&mut self, now: SimTime) -> bool {
        let due = self.told_at.is_none_or(|at| now.secs_since(at) >= TELL_AGAIN_S);
        if due {
            self.told_at = Some(now);
        }
        due
    }
}

impl ArenaHost {
    /// Whether a client may use a power now. If not it is told why, once a second at most.
    pub(super) fn grants(&mut self, now: SimTime, peer: PeerId, host: &mut Host) -> bool {
        let Some(client) = self.clients.get_mut(&peer) else { return false };
        let Err((refusal, is_told)) = client.powers.ask(self.demo, now) else { return true };
        self.stats.refused_powers += 1;
        if is_told {
            self.send(host, peer, &ServerMessage::Refused(refusal));
        }
        false
    }
}
