//! The arena's stage as a game of the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use reckoning::SimTime;
use reckoning_arena::hills::host::HillsHost;
use reckoning_arena::host::{ArenaEvent, ArenaHost, ArenaRequest, PlayerIdentity};
use reckoning_arena::protocol::LinkChoice;
use reckoning_net::{EntityId, Host, HostEvent, PeerId};
use reckoning_netsim::{Jitter, LinkConfig, Loss};
use reckoning_server::{Game, RecordedEvent, RecordedIdentity, ServerRequest};

/// A game of this crate on a host, whichever it is.
pub trait Stage {
    fn handle_event(&mut self, now: SimTime, event: &HostEvent, host: &mut Host);
    fn tick(&mut self, now: SimTime, host: &mut Host);
    fn apply_tuning(&self, now: SimTime, host: &mut Host);
    fn handle_out_of_band(&mut self, now: SimTime, peer: PeerId, bytes: &[u8]);
    fn poll_request(&mut self) -> Option<ArenaRequest>;
    fn poll_event(&mut self) -> Option<ArenaEvent>;
    fn identity(&self, entity: EntityId) -> Option<PlayerIdentity<'_>>;
    /// How many people play.
    fn people(&self) -> usize;
}

/// Both hosts have these calls; only where people are listed differs.
macro_rules! stage {
    ($host:ty, $people:expr) => {
        impl Stage for $host {
            fn handle_event(&mut self, now: SimTime, event: &HostEvent, host: &mut Host) {
                self.handle_event(now, event, host);
            }

            fn tick(&mut self, now: SimTime, host: &mut Host) {
                self.tick(now, host);
            }

            fn apply_tuning(&self, now: SimTime, host: &mut Host) {
                self.apply_tuning(now, host);
            }

            fn handle_out_of_band(&mut self, now: SimTime, peer: PeerId, bytes: &[u8]) {
                self.handle_out_of_band(now, peer, bytes);
            }

            fn poll_request(&mut self) -> Option<ArenaRequest> {
                self.poll_request()
            }

            fn poll_event(&mut self) -> Option<ArenaEvent> {
                self.poll_event()
            }

            fn identity(&self, entity: EntityId) -> Option<PlayerIdentity<'_>> {
                self.identity(entity)
            }

            fn people(&self) -> usize {
                $people(self)
            }
        }
    };
}

stage!(ArenaHost, |it: &ArenaHost| {
    it.world().players().iter().filter(|it| it.moves_itself).count()
});
stage!(HillsHost, |it: &HillsHost| {
    it.world().bodies().iter().filter(|it| it.moves_itself).count()
});

/// A stage that a server runs.
pub struct Arena<S> {
    stage: S,
    players: Arc<AtomicUsize>,
    is_set: bool,
}

impl<S: Stage> Arena<S> {
    pub const fn new(stage: S, players: Arc<AtomicUsize>) -> Self {
        Self { stage, players, is_set: false }
    }
}

impl<S: Stage + Send + 'static> Game for Arena<S> {
    fn event(&mut self, now: SimTime, event: &HostEvent, host: &mut Host) {
        self.stage.handle_event(now, event, host);
    }

    fn tick(&mut self, now: SimTime, host: &mut Host) {
        if !std::mem::replace(&mut self.is_set, true) {
            self.stage.apply_tuning(now, host);
        }
        self.stage.tick(now, host);
        self.players.store(self.stage.people(), Ordering::Relaxed);
    }

    fn out_of_band(&mut self, now: SimTime, peer: PeerId, bytes: &[u8]) {
        self.stage.handle_out_of_band(now, peer, bytes);
    }

    fn poll_request(&mut self) -> Option<ServerRequest> {
        match self.stage.poll_request()? {
            ArenaRequest::OutOfBand { to, bytes, shaped } => {
                Some(ServerRequest::OutOfBand { to, bytes, shaped })
            }
            ArenaRequest::Link { peer, link } => {
                Some(ServerRequest::SimulateLink { peer, link: config(peer, link) })
            }
            _ => None,
        }
    }

    fn recorded_identity(&self, entity: EntityId) -> Option<RecordedIdentity<'_>> {
        let role = self.stage.identity(entity)?;
        let is_neutral = role.team == PlayerIdentity::NEUTRAL;
        let team = if is_neutral { -1 } else { role.team.into() };
        let (name, segment, alive) = (role.name, role.segment, role.alive);
        let (health, ammo) = (Some(role.health), Some(role.ammo as f32));
        Some(RecordedIdentity { team, name, segment, alive, health, ammo })
    }

    fn poll_recorded_event(&mut self) -> Option<RecordedEvent> {
        match self.stage.poll_event()? {
            ArenaEvent::Killed { entity, by } => Some(RecordedEvent::Killed { entity, by }),
            ArenaEvent::ItemTaken { item, by } => Some(RecordedEvent::ItemTaken { item, by }),
            ArenaEvent::ItemReturned { item } => Some(RecordedEvent::ItemReturned { item }),
            _ => None,
        }
    }
}

/// The link of the lab that does what was chosen; none when nothing was.
fn config(peer: PeerId, choice: LinkChoice) -> Option<LinkConfig> {
    if (LinkChoice { burst: 1, ..choice }) == LinkChoice::NONE {
        return None;
    }
    let mut link = LinkConfig::default();
    link.delay = Duration::from_millis(choice.delay_ms.into());
    if choice.jitter_ms > 0 {
        link.jitter = Jitter::Normal { deviation: Duration::from_millis(choice.jitter_ms.into()) };
    }
    let share = f64::from(choice.loss_percent) / 100.0;
    link.loss = if choice.burst > 1 && share > 0.0 {
        Loss::bursts(share, choice.burst.into())
    } else {
        Loss::Independent { share }
    };
    link.seed = u64::from(peer.0);
    Some(link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_is_a_link() {
        let (most_delay, most_jitter) = (LinkChoice::MAX_DELAY_MS, LinkChoice::MAX_JITTER_MS);
        for (delay_ms, jitter_ms) in [(0, 0), (1, 0), (most_delay, most_jitter)] {
            for loss_percent in [0, 1, LinkChoice::MAX_LOSS_PERCENT] {
                for burst in [1, 2, LinkChoice::MAX_BURST] {
                    let choice = LinkChoice { delay_ms, jitter_ms, loss_percent, burst };
                    let made = config(PeerId(1), choice);
                    let nothing = delay_ms == 0 && loss_percent == 0;
                    assert_eq!(made.is_none(), nothing, "{choice:?}");
                    if let Some(link) = made {
                        link.validate().unwrap();
                        let share = f64::from(loss_percent) / 100.0;
                        assert!((link.loss.share() - share).abs() < 1e-9, "{choice:?}");
                    }
                }
            }
        }
    }
}
