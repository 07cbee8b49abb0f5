//! How far from the truth each way of showing is, by craft.

use std::collections::BTreeMap;
use std::sync::Arc;
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
use reckoning_net::{EntityId, TrafficStats};

use super::chain::{HillsChain, HillsLabError, link_config};
use super::costs::UpdateCost;

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
    /// Reckoned and set onto the ground, as the kinds say.
    Reckoning,
    /// Reckoned, and lifted out of the ground but never set down to it.
    ClampedUp,
    /// Reckoned, whatever the ground.
    Unclamped,
    /// The newest snapshot of twenty a second.
    Naive,
    /// The past between two of them.
    Interpolation,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Reckoning, Self::ClampedUp, Self::Unclamped, Self::Naive, Self::Interpolation];

    /// What it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reckoning => "reckoning",
            Self::ClampedUp => "clamped up",
            Self::Unclamped => "unclamped",
            Self::Naive => "naive",
            Self::Interpolation => "interpolation",
        }
    }
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
    /// What updates took, by craft.
    pub costs: BTreeMap<Craft, UpdateCost>,
    updates: u64,
    bytes: u64,
    snapshot_bytes: u64,
    seconds: f64,
}

impl Figures {
    /// A count in a second.
    fn per_s(&self, count: u64) -> f64 {
        count as f64 / self.seconds.max(1e-9)
    }

    /// Updates that arrived in a second.
    #[must_use]
    pub fn updates_per_s(&self) -> f64 {
        self.per_s(self.updates)
    }

    /// Bytes of the protocol that arrived in a second, without the game's own messages.
    #[must_use]
    pub fn bytes_per_s(&self) -> f64 {
        self.per_s(self.bytes)
    }

    /// Bytes of snapshots that arrived in a second.
    #[must_use]
    pub fn snapshot_bytes_per_s(&self) -> f64 {
        self.per_s(self.snapshot_bytes)
    }

    /// Updates of a craft that were sent in a second.
    #[must_use]
    pub fn craft_updates_per_s(&self, craft: Craft) -> f64 {
        self.per_s(self.costs.get(&craft).map_or(0, |it| it.updates))
    }

    fn look(&mut self, chain: &mut HillsChain) {
        let world = chain.hills.world().clone();
        let settled = BORN_S * u64::from(TICKS_PER_S);
        for body in world.bodies().iter().filter(|it| it.is_alive) {
            if body.craft.is_driven() && world.tick() < body.since_tick + settled {
                continue;
            }
            let Some(entity) = chain.hills.entity_of(body.id) else { continue };
            for method in Method::ALL {
                if let Some((pose, turret_rad)) = shown(chain, entity, body.craft, method) {
                    let turret_rad = turret_rad.filter(|_| body.craft == Craft::Tank);
                    let figures = self.crafts.entry((method, body.craft)).or_default();
                    figures.note(body, pose, turret_rad, chain.level());
                }
            }
        }
    }

    fn count(&mut self, chain: &HillsChain, before: (TrafficStats, u64), seconds: u64) {
        let (stats, snapshot_bytes) = counted(chain);
        let (old, old_snapshot_bytes) = before;
        self.updates += stats.updates_in - old.updates_in;
        let carried = stats.carried_bytes_in - old.carried_bytes_in;
        self.bytes += stats.bytes_in - old.bytes_in - carried;
        self.snapshot_bytes += snapshot_bytes - old_snapshot_bytes;
        self.seconds += seconds as f64;
        for body in chain.hills.world().bodies() {
            let entity = chain.hills.entity_of(body.id);
            if let Some(cost) = entity.and_then(|it| chain.costs.get(&it)) {
                let sum = self.costs.entry(body.craft).or_default();
                *sum = sum.plus(*cost);
            }
        }
    }
}

fn counted(chain: &HillsChain) -> (TrafficStats, u64) {
    let client = chain.clients.first();
    client.map(|it| (*it.session.stats(), it.snapshots.received().0)).unwrap_or_default()
}

/// Lets bots play before a watcher behind a link, a game for each seed, and compares what it is shown
/// with the truth.
///
/// # Errors
/// When a setting is refused.
pub fn measure(
    level: &HillsLevel,
    tuning: HillsTuning,
    link: LinkChoice,
    (seconds, seeds): (u64, &[u64]),
) -> Result<Figures, HillsLabError> {
    let mut figures = Figures::default();
    for &seed in seeds {
        let mut config = HillsHostConfig::default();
        (config.bots, config.seed, config.demo, config.tuning) = (BOTS, seed, true, tuning);
        let mut chain = HillsChain::new(level.clone(), &config)?;
        chain.join(link_config(link, seed), true)?;
        for _ in 0..SETTLES_S * u64::from(TICKS_PER_S) {
            chain.frame(|_, _| {});
        }
        let before = counted(&chain);
        chain.costs.clear();
        for _ in 0..seconds * u64::from(TICKS_PER_S) {
            chain.frame(|_, _| {});
            figures.look(&mut chain);
        }
        figures.count(&chain, before, seconds);
    }
    Ok(figures)
}

/// How the watcher draws an entity by a method, and its turret.
fn shown(
    chain: &mut HillsChain,
    entity: EntityId,
    craft: Craft,
    method: Method,
) -> Option<(Pose, Option<f64>)> {
    let (level, now) = (Arc::clone(chain.level()), chain.now);
    let client = chain.clients.first_mut()?;
    let at = client.session.timeline_at(now)?;
    let snapshot = match method {
        Method::Reckoning => {
            let pose = client.session.shown_on(entity, now, &**level.ground(), DVec3::ZERO)?;
            return Some((pose, client.session.joint_at(entity, TURRET, now)));
        }
        Method::ClampedUp | Method::Unclamped => {
            let pose = client.session.shown(entity, now)?;
            let lifted = method == Method::ClampedUp;
            return Some((if lifted { clamped_up(craft, pose, &level, at) } else { pose }, None));
        }
        Method::Naive => client.snapshots.newest(entity.0)?,
        Method::Interpolation => client.snapshots.past(entity.0, at, BACK)?,
    };
    let pose = Pose { position: snapshot.position, orientation: snapshot.orientation };
    Some((pose, Some(snapshot.aim.turret_rad)))
}

/// A pose lifted out of the ground.
fn clamped_up(craft: Craft, pose: Pose, level: &HillsLevel, at: SimTime) -> Pose {
    let Some(footprint) = craft.footprint() else { return pose };
    let mut config = GroundClampConfig::default();
    (config.mode, config.footprint) = (ClampMode::OnlyUp, footprint);
    // The footprint of a craft is never refused.
    let Ok(mut clamp) = GroundClamp::new(config) else { return pose };
    clamp.clamp_with(pose, &**level.ground(), ClampDetail::AllPoints, at)
}
