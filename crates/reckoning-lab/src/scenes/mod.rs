//! The scene table: how well the engine's own chain follows each built-in motion.
//!
//! ```text
//! Motion -> Publisher -> Link -> Ghost -> shown, 60 times a second
//!    \____________________________/
//!             compared with
//! ```
//!
//! Owner and listener share a clock. The first update reaches the listener at once, as a
//! join message would; all others take the link. A frame first accepts what has arrived and
//! then draws.
//!
//! [`scene_table`] is committed as `testdata/scenes.txt`, so a change of the engine shows as
//! a difference of numbers.

mod bytes;
mod measure;
mod table;

use std::fmt;

use reckoning::{
    Blend, ConfigError, DVec3, Ghost, GhostConfig, Kinematics, Model, Publisher, PublisherConfig,
    SimTime, Update,
};

use crate::{Motion, TICK_HZ};
use reckoning_netsim::{Link, LinkConfig, LinkError};

pub(crate) use bytes::{HEADER_BYTES, plain_bytes};
pub use measure::{ScenarioReport, ScenarioTally};
pub use table::scene_table;
pub(crate) use table::{BAD, blend_name, models, tally};

/// One experiment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scenario {
    /// How the body moves.
    pub motion: Motion,
    /// For how long.
    pub seconds: u32,
    /// The model that owner and listener share.
    pub model: Model,
    /// How the listener's ghost sheds its errors.
    pub blend: Blend,
    /// The network between them.
    pub link: LinkConfig,
}

impl Scenario {
    /// Plays it from the start.
    ///
    /// # Errors
    /// Refuses what the engine or the link refuse.
    pub fn run(&self) -> Result<ScenarioRun, ScenarioError> {
        self.run_along(self.motion.track(self.seconds * TICK_HZ))
    }

    /// Plays it along truths computed before, one per tick.
    pub(crate) fn run_along(&self, truths: Vec<Kinematics>) -> Result<ScenarioRun, ScenarioError> {
        let mut link = Link::new(self.link)?;
        let origin = truths.first().copied().unwrap_or_default();
        let (mut publisher, first) = Publisher::start(self.publisher(), &origin)?;
        let mut config = GhostConfig::default();
        config.blend = self.blend;
        let mut ghost = Ghost::with_config(config, first, first.at()).map_err(ConfigError::from)?;
        let bytes = u64::from(plain_bytes(&first));
        let arrived = vec![(first.at(), first)];
        let mut run = ScenarioRun { truths, shown: vec![], sent: vec![first], arrived, bytes };
        for truth in &run.truths {
            if let Some(update) = publisher.observe(truth).filter(|_| truth.at > origin.at) {
                let size_bytes = plain_bytes(&update);
                run.bytes += u64::from(size_bytes);
                run.sent.push(update);
                link.send(truth.at, size_bytes + HEADER_BYTES, update);
            }
            while let Some((arrival, update)) = link.poll(truth.at) {
                ghost.accept(update, truth.at);
                run.arrived.push((arrival, update));
            }
            run.shown.push(ghost.position_at(truth.at));
        }
        Ok(run)
    }

    fn publisher(&self) -> PublisherConfig {
        let mut config = PublisherConfig::default();
        config.model = self.model;
        if matches!(self.model, Model::Curve(_)) {
            // A byte reaches twice the top speed to either side.
            config.quantiser.velocity_mps = self.motion.top_speed_mps() / 64.0;
        }
        config
    }
}

/// What happened in a [`Scenario`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScenarioRun {
    /// The truth of every tick.
    pub truths: Vec<Kinematics>,
    /// Where the listener drew the body at the same ticks.
    pub shown: Vec<DVec3>,
    /// Every update exported, the first and the lost ones included.
    pub sent: Vec<Update>,
    /// Every update that arrived and when, copies included, in the order of arrival.
    pub arrived: Vec<(SimTime, Update)>,
    /// Payload exported, in a plain encoding: whole `f32` vectors, no deltas, no headers.
    pub bytes: u64,
}

impl ScenarioRun {
    /// How long it lasted.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        match (self.truths.first(), self.truths.last()) {
            (Some(first), Some(last)) => last.at.secs_since(first.at),
            _ => 0.0,
        }
    }
}

/// Why a [`Scenario`] cannot be played.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ScenarioError {
    /// The engine refused its settings.
    Config(ConfigError),
    /// The link refused its settings.
    Link(LinkError),
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::Link(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ScenarioError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Config(error) => Some(error),
            Self::Link(error) => Some(error),
        }
    }
}

impl From<ConfigError> for ScenarioError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<LinkError> for ScenarioError {
    fn from(error: LinkError) -> Self {
        Self::Link(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(motion: Motion, link: &str) -> Scenario {
        let link = link.parse().unwrap();
        Scenario { motion, seconds: 20, model: Model::Linear, blend: Blend::Snap, link }
    }

    #[test]
    fn without_a_network_the_error_stays_within_the_threshold() {
        for motion in Motion::ALL {
            for (name, model) in models(motion) {
                let mut tally = ScenarioTally::default();
                tally.add(&Scenario { model, ..on(motion, "") }.run().unwrap());
                let worst_m = tally.report().error_max_m;
                assert!(worst_m <= 0.25, "{motion:?}, {name}: {worst_m} m");
            }
        }
    }

    #[test]
    fn the_same_scenario_gives_the_same_run() {
        let scenario = on(Motion::Walk { seed: 3 }, "delay=100,jitter=50,loss=0.1,dup=0.1,seed=4");
        assert_eq!(scenario.run(), scenario.run());
    }

    #[test]
    fn a_worse_network_is_not_better() {
        let mean = |link| {
            let mut tally = ScenarioTally::default();
            tally.add(&on(Motion::Zigzag, link).run().unwrap());
            tally.report().error_mean_m
        };
        assert!(mean("") < mean("delay=50"));
        assert!(mean("delay=50") < mean("delay=150"));
        assert!(mean("delay=150") < mean("delay=150,loss=0.4"));
    }

    #[test]
    fn every_curve_fits_its_bytes() {
        for motion in Motion::ALL {
            let (_, model) = models(motion).into_iter().find(|(name, _)| *name == "curve").unwrap();
            let run = Scenario { model, ..on(motion, "") }.run().unwrap();
            let step_mps = motion.top_speed_mps() / 64.0;
            for update in run.sent {
                let Model::Curve(curve) = update.model() else { panic!("not a curve") };
                let most = curve.coefficients().iter().map(|c| c.abs().max_element());
                let steps = most.fold(0.0, f64::max) / step_mps;
                assert!(steps < 127.5, "{motion:?} at {}: {steps} steps", update.at());
            }
        }
    }

    #[test]
    fn what_is_refused_is_named() {
        let mut scenario = on(Motion::Circle, "");
        scenario.link.duplicate = 2.0;
        assert!(scenario.run().unwrap_err().to_string().starts_with("dup 2 is not a share"));
    }
}
