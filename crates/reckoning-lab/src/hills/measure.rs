//! How far from the truth each way of showing is, by craft.

use std::collections::BTreeMap;
use std::time::Duration;

use reckoning::ground::{ClampDetail, ClampMode, GroundClampConfig, Pose};
use reckoning::math::scaled_axis;
use reckoning::orientation::shortest_turn_rad;
use reckoning::{DVec3, GroundClamp, SimTime};
use reckoning_arena::TICKS_PER_S;
use reckoning_arena::hills::host::{HillsHostConfig, TURRET};
use reckoning_arena::hills::protocol::HillsTuning;
use reckoning_arena::hills::{Body, Craft, HillsLevel, depth_m};
use reckoning_arena::protocol::LinkChoice;
use reckoning_net::EntityId;

use super::chain::{HillsChain, HillsLabError, link_config};

const BOTS: u16 = 12;
/// Clocks and links settle first, and everybody gets going.
const SETTLES_S: u64 = 8;
/// Who was just born is not judged: nobody can know of it before its message arrives.
const BORN_S: u64 = 1;
/// Deeper than this is seen to be in the ground.
const SEEN_M: f64 = 0.05;
/// How long ago interpolation shows.
const BACK: Duration = Duration::from_millis(100);

/// A way of showing others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// Reckoned, as the kinds say.
    Reckoning,
    /// The newest snapshot of twenty a second.
    Naive,
    /// The past between two of them.
    Interpolation,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Reckoning, Self::Naive, Self::Interpolation];

    /// What it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reckoning => "reckoning",
            Self::Naive => "naive",
            Self::Interpolation => "interpolation",
        }
    }
}

/// How what is reckoned is set onto the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clamp {
    /// Not at all.
    None,
    /// Out of it, never down to it.
    Up,
    /// Onto it, as the kinds say.
    #[default]
    Always,
}

/// What was seen of one craft by one method.
#[derive(Clone, Debug, Default)]
pub struct CraftFigures {
    errors_m: Vec<f64>,
    turns_rad: Vec<f64>,
    turrets_rad: Vec<f64>,
    under: u64,
    deepest_m: f64,
}

impl CraftFigures {
    /// The mean distance between truth and picture.
    #[must_use]
    pub fn error_m(&self) -> f64 {
        mean(&self.errors_m)
    }

    /// The distance that 95 of 100 pictures are within.
    #[must_use]
    pub fn p95_m(&self) -> f64 {
        let mut sorted = self.errors_m.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() * 95 / 100).copied().unwrap_or(0.0)
    }

    /// The mean angle between how it is and how it is drawn.
    #[must_use]
    pub fn turn_deg(&self) -> f64 {
        mean(&self.turns_rad).to_degrees()
    }

    /// The mean error of the turret; `None` without one.
    #[must_use]
    pub fn turret_deg(&self) -> Option<f64> {
        (!self.turrets_rad.is_empty()).then(|| mean(&self.turrets_rad).to_degrees())
    }

    /// The share of pictures more than 5 cm in the ground.
    #[must_use]
    pub fn under_share(&self) -> f64 {
        self.under as f64 / self.errors_m.len().max(1) as f64
    }

    /// How deep the deepest was.
    #[must_use]
    pub const fn deepest_m(&self) -> f64 {
        self.deepest_m
    }

    fn note(&mut self, body: &Body, shown: Pose, turret_rad: Option<f64>, level: &HillsLevel) {
        self.errors_m.push(shown.position.distance(body.position));
        let turn = scaled_axis(body.orientation.conjugate() * shown.orientation);
        self.turns_rad.push(turn.length());
        if let Some(turret_rad) = turret_rad {
            self.turrets_rad.push(shortest_turn_rad(body.aim.turret_rad, turret_rad).abs());
        }
        if body.craft.is_grounded() {
            let deep_m = depth_m(body.craft, shown, level.ground());
            self.under += u64::from(deep_m > SEEN_M);
            self.deepest_m = self.deepest_m.max(deep_m);
        }
    }
}

fn mean(list: &[f64]) -> f64 {
    list.iter().sum::<f64>() / list.len().max(1) as f64
}

/// What a watcher saw and was sent.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// By method and craft.
    pub crafts: BTreeMap<(Method, Craft), CraftFigures>,
    /// Updates that arrived in a second.
    pub updates_per_s: f64,
    /// Bytes of the protocol that arrived in a second, without the game's own messages.
    pub bytes_per_s: f64,
    /// Bytes of snapshots that arrived in a second.
    pub snapshot_bytes_per_s: f64,
    seconds: f64,
}

/// Lets bots play before a watcher behind a link, and compares what it is shown with the truth.
///
/// # Errors
/// When a setting is refused.
pub fn measure(
    level: &HillsLevel,
    tuning: HillsTuning,
    (link, clamp): (LinkChoice, Clamp),
    (seconds, seed): (u64, u64),
) -> Result<Figures, HillsLabError> {
    let mut config = HillsHostConfig::default();
    (config.bots, config.seed, config.demo, config.tuning) = (BOTS, seed, true, tuning);
    let mut chain = HillsChain::new(level.clone(), &config)?;
    chain.join(link_config(link, seed), true)?;
    for _ in 0..SETTLES_S * u64::from(TICKS_PER_S) {
        chain.frame(|_, _| {});
    }
    let mut watch = Watch { clamp, figures: Figures::default() };
    let (before, snapshots) =
        (*chain.clients[0].session.stats(), chain.clients[0].snapshots.received());
    for _ in 0..seconds * u64::from(TICKS_PER_S) {
        chain.frame(|_, _| {});
        watch.look(&mut chain);
    }
    let mut figures = watch.figures;
    let after = chain.clients[0].session.stats();
    let per_s = |count: u64| count as f64 / seconds as f64;
    figures.updates_per_s = per_s(after.updates_in - before.updates_in);
    let carried = after.carried_bytes_in - before.carried_bytes_in;
    figures.bytes_per_s = per_s(after.bytes_in - before.bytes_in - carried);
    figures.snapshot_bytes_per_s = per_s(chain.clients[0].snapshots.received().0 - snapshots.0);
    figures.seconds = seconds as f64;
    Ok(figures)
}

/// One watcher's eye.
struct Watch {
    clamp: Clamp,
    figures: Figures,
}

impl Watch {
    fn look(&mut self, chain: &mut HillsChain) {
        let now = chain.now;
        let level = chain.level().clone();
        let world = chain.hills.world().clone();
        let settled = BORN_S * u64::from(TICKS_PER_S);
        for body in world.bodies().iter().filter(|it| it.is_alive) {
            if body.craft.is_driven() && world.tick() < body.since_tick + settled {
                continue;
            }
            let Some(entity) = chain.hills.entity_of(body.id) else { continue };
            for method in Method::ALL {
                if let Some((pose, turret_rad)) = self.shown(chain, entity, body, method, now) {
                    let turret_rad = turret_rad.filter(|_| body.craft == Craft::Tank);
                    let figures = self.figures.crafts.entry((method, body.craft)).or_default();
                    figures.note(body, pose, turret_rad, &level);
                }
            }
        }
    }

    fn shown(
        &mut self,
        chain: &mut HillsChain,
        entity: EntityId,
        body: &Body,
        method: Method,
        now: SimTime,
    ) -> Option<(Pose, Option<f64>)> {
        let level = chain.level().clone();
        let client = chain.clients.first_mut()?;
        let at = client.session.timeline_at(now)?;
        let shot = match method {
            Method::Reckoning => {
                let turret_rad = client.session.joint_at(entity, TURRET, now);
                let pose = if self.clamp == Clamp::Always {
                    let eye = DVec3::ZERO;
                    client.session.shown_on(entity, now, &**level.ground(), eye)?
                } else {
                    let pose = client.session.shown(entity, now)?;
                    clamped(self.clamp, body.craft, pose, &level, at)
                };
                return Some((pose, turret_rad));
            }
            Method::Naive => client.snapshots.newest(entity.0)?,
            Method::Interpolation => client.snapshots.past(entity.0, at, BACK)?,
        };
        let pose = Pose { position: shot.position, orientation: shot.orientation };
        Some((pose, Some(shot.aim.turret_rad)))
    }
}

/// A pose set onto the ground by that clamp.
fn clamped(clamp: Clamp, craft: Craft, pose: Pose, level: &HillsLevel, at: SimTime) -> Pose {
    let Some(footprint) = craft.footprint().filter(|_| clamp == Clamp::Up) else { return pose };
    let mut config = GroundClampConfig::default();
    (config.mode, config.footprint) = (ClampMode::OnlyUp, footprint);
    // The footprint of a craft is never refused.
    let Ok(mut clamp) = GroundClamp::new(config) else { return pose };
    clamp.clamp_with(pose, &**level.ground(), ClampDetail::AllPoints, at)
}
