//! The reference: a publisher by itself that rounds as the format does.

use reckoning::random::SplitMix64;
use reckoning::{Planner, Publisher};
use reckoning_net::{EntityId, Format, Kind, Kinematics, Surroundings, Update};

use crate::world::{PEER, format};

pub struct Bare {
    pub publisher: Publisher,
    format: Format,
}

/// The seed of a body of our session, as its publisher mixes it.
pub fn seed_of(kind: &Kind, body: EntityId) -> u64 {
    kind.publisher.seed ^ (u64::from(PEER.0) << 32 | u64::from(body.0))
}

impl Bare {
    /// A publisher with the settings of a kind, on its first truth.
    pub fn start(kind: &Kind, body: EntityId, truth: &Kinematics) -> Self {
        let mut config = kind.publisher.clone();
        config.seed = seed_of(kind, body);
        let heartbeat = SplitMix64::new(!config.seed).unit();
        let (mut publisher, first) = Publisher::start(config, &format().sayable(truth)).unwrap();
        publisher.shorten_heartbeat(heartbeat);
        let mut bare = Self { publisher, format: format() };
        bare.sent(Some(first));
        bare
    }

    pub fn observe_planned(
        &mut self,
        truth: &Kinematics,
        planner: &mut impl for<'a> Planner<Surroundings<'a>>,
        around: &Surroundings<'_>,
    ) -> bool {
        let update = self.publisher.observe_planned(&self.format.sayable(truth), planner, around);
        self.sent(update)
    }

    /// Whether there was one.
    pub fn sent(&mut self, update: Option<Update>) -> bool {
        if let Some(update) = &update {
            self.publisher.handle_sent(self.format.round(update));
        }
        update.is_some()
    }
}
