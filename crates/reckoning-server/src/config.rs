//! Host configuration from settings, and the server's public description.

use std::num::NonZeroU32;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use reckoning::fairness::{Budget, Leftover, Policy, Weights};
use reckoning::guard::{Envelope, GuardConfig, OwnerModels};
use reckoning::{Curve, CurveBasis, Model, Quantiser};
use reckoning_net::wire::{Format, MAX_MODELS, Registry, VERSION};
use reckoning_net::{HostConfig, Kinds, PlannerKind};
use serde_json::json;

use crate::certificate::CertificateStore;
use crate::settings::{FairnessPolicy, GuardedModels, Guarding, Replication, Settings};
use crate::token::to_hex;

/// Stamps of updates in a second: a millisecond is finer than any game's step.
const STAMP_HZ: u32 = 1_000;

/// A thirtieth and an eighth of a quarter of a metre, the usual threshold; turns to a third
/// of a degree.
const STEPS: Quantiser = Quantiser {
    position_m: 0.01,
    velocity_mps: 0.03,
    acceleration_mps2: 0.1,
    angular_velocity_radps: 0.02,
    orientation: 0.003,
};

/// A host to suit the settings: bodies in three dimensions to a centimetre, everyone sees
/// everyone. A game changes what it wants otherwise.
///
/// # Panics
/// Never: the constants it is made from are tested.
#[must_use]
pub fn host(settings: &Settings) -> HostConfig {
    // Kinds that make no sense are refused when the server starts.
    let kinds = settings.kinds().unwrap_or_default();
    let format = Format::new(false, STAMP_HZ, STEPS, &models(&kinds), Registry::default())
        .expect("constants that a test builds");
    let mut host = HostConfig::new(format);
    host.kinds = kinds;
    let replication = &settings.replication;
    // A rate of zero is refused when the server starts.
    host.tick = Duration::from_secs(1) / replication.rounds_hz.max(1);
    host.bytes_per_s = replication.budget_bytes_per_s;
    host.timeout = replication.peer_timeout;
    host.grace = replication.grace;
    host.max_entities = replication.entities;
    host.zones.nearest = NonZeroUsize::new(replication.nearest);
    host.clock_mode = replication.clock.mode();
    host.fairness = fairness(replication);
    let cost = replication.fairness_cost;
    host.fairness_cost = (cost > 0.0).then_some(cost.max(0.01));
    host.accounts = replication.accounts;
    host.guard = guard(&settings.guard);
    host.join_within = settings.limits.join_timeout;
    host.max_datagram_bytes = settings.limits.datagram_bytes;
    host.max_datagrams_per_s = settings.limits.datagrams_per_s;
    // Those who play, those who have not joined yet, and those who are being told that they may not.
    host.max_peers = settings.limits.peers + 2 * settings.limits.pending_handshakes;
    host
}

/// The models that updates name in a bit or two: the usual ones and those of the kinds.
fn models(kinds: &Kinds) -> Vec<Model> {
    let mut models = vec![Model::Linear, Model::Hold];
    for (_, _, kind) in kinds.iter() {
        let curve = Model::Curve(Curve::still(CurveBasis::FOUR));
        let planned = (kind.planner != PlannerKind::Model).then_some(curve);
        for model in planned.into_iter().chain([kind.publisher.model]) {
            if !models.contains(&model) && models.len() < MAX_MODELS {
                models.push(model);
            }
        }
    }
    models
}

/// A planned update comes at the latest with the next heartbeat of an ordinary publisher.
const HORIZON: Duration = Duration::from_millis(500);

fn fairness(it: &Replication) -> Policy {
    // What is out of range is refused when the server starts.
    let budget = Budget::per_listener(it.fairness_budget).unwrap_or(Budget::THIRD);
    let [error, recent, waiting] = it.fairness_weights;
    let weights = Weights::new(error, recent, waiting).unwrap_or_default();
    let scheduled = |leftover| Policy::Scheduled { leftover, horizon: HORIZON };
    match it.fairness {
        FairnessPolicy::Base => Policy::Base,
        FairnessPolicy::EveryKth => {
            Policy::EveryKth { k: NonZeroU32::new(it.fairness_k).unwrap_or(NonZeroU32::MIN) }
        }
        FairnessPolicy::ScheduledDropped => scheduled(Leftover::Dropped),
        FairnessPolicy::Scheduled => scheduled(Leftover::Flushed),
        FairnessPolicy::Probabilistic => Policy::Probabilistic { budget, weights },
        FairnessPolicy::Deterministic => Policy::Deterministic { budget, weights },
    }
}

fn guard(it: &Guarding) -> Option<GuardConfig> {
    let envelope = Envelope::of_speed(it.top_speed_mps, it.top_acceleration_mps2);
    let mut guard = GuardConfig::new(envelope, it.tolerance_m);
    guard.max_trail = it.max_trail;
    guard.models = match it.models {
        GuardedModels::Plain => OwnerModels::PLAIN,
        GuardedModels::All => OwnerModels::ALL,
    };
    (it.top_speed_mps > 0.0).then_some(guard)
}

/// The server's public description, for browsers that want to connect.
#[derive(Debug)]
pub(crate) struct ServerInfo {
    certificates: Arc<CertificateStore>,
    port: u16,
    datagram_bytes: usize,
}

impl ServerInfo {
    pub(crate) fn new(settings: &Settings, certificates: Arc<CertificateStore>, port: u16) -> Self {
        Self { certificates, port, datagram_bytes: settings.limits.datagram_bytes }
    }

    /// The text of `/reckoning.json`, with the certificate of this moment.
    pub(crate) fn text(&self) -> String {
        let identity = self.certificates.current();
        let hash = identity.is_made().then(|| to_hex(&identity.sha256()));
        let info = json!({
            "protocol": VERSION,
            "udp_port": self.port,
            "tcp_port": self.port,
            "certificate_sha256": hash,
            "websocket": "/ws",
            "datagram_bytes": self.datagram_bytes,
        });
        format!("{info:#}\n")
    }
}

#[cfg(test)]
mod tests {
    use reckoning_net::Host;

    use super::*;

    #[test]
    fn the_default_settings_make_a_host() {
        assert!(Host::new(host(&Settings::default())).is_ok());
        assert!(host(&Settings::default()).guard.is_none());
    }

    #[test]
    fn every_policy_has_a_name() {
        let named = |name: &str, more: &str| {
            let text = format!("[replication]\nfairness = '{name}'\n{more}\n");
            host(&Settings::from_toml(&text).unwrap()).fairness
        };
        let horizon = HORIZON;
        let (budget, weights) = (Budget::per_listener(0.5).unwrap(), Weights::THIRDS);
        let more = "fairness_budget = 0.5\nfairness_weights = [0.333333333333, 0.333333333333, \
                    0.333333333334]";
        let near = |policy: Policy| format!("{policy:.6?}");
        for (name, policy) in [
            ("base", Policy::Base),
            ("every-kth", Policy::EveryKth { k: NonZeroU32::new(3).unwrap() }),
            ("scheduled-dropped", Policy::Scheduled { leftover: Leftover::Dropped, horizon }),
            ("scheduled", Policy::Scheduled { leftover: Leftover::Flushed, horizon }),
            ("probabilistic", Policy::Probabilistic { budget, weights }),
            ("deterministic", Policy::Deterministic { budget, weights }),
        ] {
            assert_eq!(near(named(name, more)), near(policy));
        }
        let weights = Weights::default();
        assert!(
            matches!(named("deterministic", ""), Policy::Deterministic { weights: it, .. } if it == weights)
        );
    }

    #[test]
    fn policy_and_guard_are_as_the_settings_say() {
        let text = "[replication]\nfairness = \"every-kth\"\nfairness_k = 4\n\
                    [guard]\ntop_speed_mps = 7.5\nmax_trail_s = 0.5\nmodels = \"all\"\n";
        let made = host(&Settings::from_toml(text).unwrap());

        assert!(matches!(made.fairness, Policy::EveryKth { k } if k.get() == 4));
        let guard = made.guard.unwrap();
        assert_eq!(guard.envelope.speed_mps, 7.5);
        assert_eq!(guard.max_trail, Duration::from_millis(500));
        assert_eq!(guard.models, OwnerModels::ALL);
    }
}
