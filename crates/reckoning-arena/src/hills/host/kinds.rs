//! Kinds of the hills: how each sort of body is published, replicated and shown.
//!
//! The name of a kind begins with that of its [`Craft`] ([`Craft::of_kind`]); words behind it say
//! what a switch of [`HillsTuning`] changed:
//!
//! | kind | switch | joints |
//! |---|---|---|
//! | `tank`, `tank unprevented` | `prevents` | `turret`, `barrel`, sent |
//! | `tank jointless`, `tank jointless unprevented` | `joints` not `Sent`, `prevents` | none |
//! | `car`, `car unprevented` | `prevents` | `steering` and the wheels of its shape, derived |
//! | `train`, `train kinematic` | `train_on_path` | none |
//! | `merchant`, `merchant reckoned` | `merchant_delayed` | none |
//! | `shell`, `drone`, `bird` | | none |
//!
//! The tag of an entity is a [`Tag`](crate::protocol::Tag): the number of its body
//! ([`BodyId`](crate::hills::BodyId)), of a shell that of who lobbed it.

use std::time::Duration;

use reckoning::ground::{ClampMode, GroundClampConfig};
use reckoning::model::{Ballistic, Landing, PathRide};
use reckoning::{
    AngleThreshold, BlendSpan, ConfigError, GhostConfig, Kinematics, Model, PublisherConfig,
    Threshold,
};
use reckoning_net::{
    Facing, JointKind, JointSource, Kind, Kinds, SentJoint, Show, ZoneClass, ZoneConfig,
};

use super::config::{HEARTBEAT, OWN_M, guard_for};
use crate::hills::craft::Craft;
use crate::hills::drive::{GRAVITY_MPS2, rules_of};
use crate::hills::level::HillsLevel;
use crate::hills::protocol::{HillsTuning, JointsChoice};
use crate::host::ArenaHostError;
use crate::protocol::Properties;

/// The joint that a tank's turret turns by, on its hull; to the left is positive.
pub const TURRET: &str = "turret";
/// The joint that its barrel tilts by, in the turret; up is positive.
pub const BARREL: &str = "barrel";
/// The joint by which the front wheels of a car steer; to the left is positive.
pub const STEERING: &str = "steering";

/// An acceleration of a vehicle is believed for this long.
const TRUST: Duration = Duration::from_millis(400);
/// That of the drone, which flies smoothly.
const DRONE_TRUST: Duration = Duration::from_secs(1);
/// Errors that take longer to shed than [`BLEND`] take so long for each metre, up to
/// [`LONGEST_BLEND`].
const BLEND: Duration = Duration::from_millis(200);
const BLEND_PER_M: Duration = Duration::from_millis(100);
const LONGEST_BLEND: Duration = Duration::from_millis(500);
/// Where shells are taken to be down that left the level.
const ABYSS_M: f64 = -100.0;
/// Shells fly as they were fired; a heartbeat only heals.
const SHELL_HEARTBEAT: Duration = Duration::from_secs(2);
/// How far the watchers' turret may be off.
const TURRET_DEG: f64 = 3.0;
const BARREL_DEG: f64 = 1.5;
/// How long watchers take to fade the error of a turret: it turns fast, so that what it turned
/// meanwhile soon weighs more than a calm picture.
const TURRET_BLEND: Duration = Duration::from_millis(60);
/// The merchant is shown this long ago.
const MERCHANT_DELAYS: [Duration; 2] = [Duration::from_millis(150), Duration::from_millis(600)];
/// Everything in the level is asked for its ground under all points of its footprint.
const CLAMPED_M: f64 = 5_000.0;
/// Birds are far up, and nobody looks closely.
const BIRD_IMPORTANCE: f64 = 0.2;
const BIRD_M: f64 = 4.0;

/// The name of the kind that bodies of a sort have while that is chosen.
#[must_use]
pub fn kind_name(craft: Craft, tuning: &HillsTuning) -> String {
    let mut name = craft.name().to_string();
    let mut with = |word: &str| {
        name.push(' ');
        name.push_str(word);
    };
    if craft == Craft::Tank && tuning.joints != JointsChoice::Sent {
        with("jointless");
    }
    if craft.is_driven() && !tuning.prevents {
        with("unprevented");
    }
    if craft == Craft::Train && !tuning.train_on_path {
        with("kinematic");
    }
    if craft == Craft::Merchant && !tuning.merchant_delayed {
        with("reckoned");
    }
    name
}

/// The kinds of a level and the properties of players.
///
/// Vehicles and scenery go by the host's distance classes, and
/// [`Host::set_threshold`](reckoning_net::Host::set_threshold) holds for them; shells and birds have
/// classes of their own.
///
/// # Errors
/// When the level's numbers make no envelope; the setting is named.
pub fn kinds(level: &HillsLevel) -> Result<Kinds, ArenaHostError> {
    let mut kinds = Kinds::default();
    for tuning in variants() {
        for craft in Craft::ALL {
            let name = kind_name(craft, &tuning);
            if kinds.named(&name).is_none() {
                kinds.add(&name, kind(craft, tuning, level)?)?;
            }
        }
    }
    Properties::declare(&mut kinds)?;
    Ok(kinds)
}

/// Settings that between them name every kind.
fn variants() -> Vec<HillsTuning> {
    let mut all = Vec::new();
    for prevents in [true, false] {
        for joints in [JointsChoice::Sent, JointsChoice::Off] {
            all.push(HillsTuning { prevents, joints, ..HillsTuning::default() });
        }
    }
    let (train_on_path, merchant_delayed) = (false, false);
    all.push(HillsTuning { train_on_path, merchant_delayed, ..HillsTuning::default() });
    all
}

/// The models that updates carry, the most frequent first.
///
/// # Errors
/// Never: the numbers are constants.
pub(super) fn usual_models(level: &HillsLevel) -> Result<Vec<Model>, ConfigError> {
    let drone = Model::Accelerating { trust: DRONE_TRUST };
    Ok(vec![vehicle_model(), track_model(level), drone, shell_model()?, Model::Linear])
}

const fn vehicle_model() -> Model {
    Model::Accelerating { trust: TRUST }
}

fn track_model(level: &HillsLevel) -> Model {
    Model::Path(PathRide::new(level.lasting_track(), &Kinematics::default()))
}

fn shell_model() -> Result<Model, ConfigError> {
    Ok(Model::Ballistic(Ballistic::new(GRAVITY_MPS2, ABYSS_M, Landing::Stop)?))
}

fn kind(craft: Craft, tuning: HillsTuning, level: &HillsLevel) -> Result<Kind, ConfigError> {
    let mut kind = Kind::default();
    kind.publisher = publisher(vehicle_model())?;
    kind.show = Show::Reckoned(ghost_config());
    kind.ground = clamp(craft);
    match craft {
        Craft::Tank | Craft::Car => {
            kind.guard = Some(guard_for(rules_of(craft, level)));
            kind.prevents = tuning.prevents;
            kind.joints = joints(craft, tuning, level);
        }
        Craft::Train => {
            kind.facing = Facing::HeadingAndPitch { min_speed_mps: 0.1 };
            if tuning.train_on_path {
                kind.publisher.model = track_model(level);
            }
        }
        Craft::Shell => make_shell(&mut kind)?,
        Craft::Drone => kind.publisher.model = Model::Accelerating { trust: DRONE_TRUST },
        Craft::Merchant => {
            kind.facing = Facing::Heading { min_speed_mps: 0.5 };
            if tuning.merchant_delayed {
                kind.show = Show::delayed(MERCHANT_DELAYS[0], MERCHANT_DELAYS[1]);
            }
        }
        Craft::Bird => make_bird(&mut kind)?,
    }
    Ok(kind)
}

fn publisher(model: Model) -> Result<PublisherConfig, ConfigError> {
    let mut publisher = PublisherConfig::default();
    publisher.threshold = Threshold::metres(OWN_M)?;
    publisher.angle_threshold = AngleThreshold::degrees(4.0).ok();
    publisher.angle_min_interval = Duration::from_millis(100);
    publisher.heartbeat = Duration::from_millis(500);
    publisher.heartbeat_spread = 0.1;
    publisher.model = model;
    Ok(publisher)
}

/// How clients show others. The host's memory of what they saw takes it to be this.
fn ghost_config() -> GhostConfig {
    let mut ghost = GhostConfig::default();
    ghost.span = BlendSpan::ByError { min: BLEND, max: LONGEST_BLEND, per_metre: BLEND_PER_M };
    ghost.max_extrapolation = HEARTBEAT * 2;
    ghost
}

/// Set onto the ground by the points that the world sets it onto it by.
fn clamp(craft: Craft) -> Option<GroundClampConfig> {
    let mut clamp = GroundClampConfig::default();
    (clamp.mode, clamp.footprint) = (ClampMode::Always, craft.footprint()?);
    (clamp.near_m, clamp.far_m) = (CLAMPED_M, CLAMPED_M);
    Some(clamp)
}

fn joints(craft: Craft, tuning: HillsTuning, level: &HillsLevel) -> Vec<JointKind> {
    let shape = craft.shape();
    if let Some(turret) = shape.turret {
        if tuning.joints != JointsChoice::Sent {
            return Vec::new();
        }
        let max_rate_radps = level.file().tank.turret_deg_s.to_radians();
        let mut joint = SentJoint::default();
        (joint.max_rate_radps, joint.threshold_rad) = (max_rate_radps, TURRET_DEG.to_radians());
        joint.blend = TURRET_BLEND;
        let mut barrel = joint;
        barrel.range_rad = Some(turret.tilts_rad);
        barrel.threshold_rad = BARREL_DEG.to_radians();
        return vec![JointKind::sent(TURRET, joint), JointKind::sent(BARREL, barrel)];
    }
    let wheels = shape.wheels.iter().map(|wheel| {
        let source = JointSource::Wheel { hub: wheel.hub, radius_m: wheel.radius_m };
        JointKind::derived(wheel.name, source)
    });
    let max_rad = level.file().car.turn_deg.to_radians();
    let source =
        JointSource::Steering { wheelbase_m: shape.wheelbase_m, max_rad, min_speed_mps: 1.0 };
    wheels.chain([JointKind::derived(STEERING, source)]).collect()
}

/// One class for all: what it was fired like is all there is to know, and must be exact.
fn make_shell(kind: &mut Kind) -> Result<(), ConfigError> {
    let mut class = ZoneClass::default();
    class.heartbeat = SHELL_HEARTBEAT;
    kind.zones = Some(one_class(class));
    kind.facing = Facing::HeadingAndPitch { min_speed_mps: 0.1 };
    kind.publisher.model = shell_model()?;
    let mut ghost = ghost_config();
    ghost.max_extrapolation = SHELL_HEARTBEAT * 4;
    kind.show = Show::Reckoned(ghost);
    Ok(())
}

/// One coarse class, seldom.
fn make_bird(kind: &mut Kind) -> Result<(), ConfigError> {
    let mut class = ZoneClass::default();
    class.threshold = Threshold::metres(BIRD_M)?;
    (class.angle_threshold, class.coarser_log2) = (None, 6);
    class.heartbeat = HEARTBEAT * 2;
    class.min_interval = Duration::from_millis(500);
    kind.zones = Some(one_class(class));
    kind.importance = BIRD_IMPORTANCE;
    kind.facing = Facing::HeadingAndPitch { min_speed_mps: 0.5 };
    let mut ghost = ghost_config();
    ghost.max_extrapolation = HEARTBEAT * 8;
    kind.show = Show::Reckoned(ghost);
    Ok(())
}

fn one_class(class: ZoneClass) -> ZoneConfig {
    let mut zones = ZoneConfig::default();
    zones.classes = vec![class];
    zones
}
