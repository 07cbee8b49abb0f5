//! Settings shared by both ends of the arena, in pixels instead of metres.

use std::fmt;
use std::time::Duration;

use reckoning::guard::{Envelope, GuardConfig};
use reckoning::rewind::{RewindConfig, RewindView};
use reckoning::{
    AngleThreshold, ConfigError, Curve, CurveBasis, DelayedConfig, GhostConfig, Model,
    PublisherConfig, Quantiser, Threshold,
};
use reckoning_net::wire::FormatError;
use reckoning_net::{
    Format, HostConfig, Kind, KindError, Kinds, Registry, SessionConfig, Show, ZoneClass,
};
use reckoning_predict::learned::LearnedModel;

use super::style::MotionStyle;
use crate::level::{BodyKind, BodyRules, Level};
use crate::planning::walls;
use crate::protocol::{ModelChoice, Properties, ServerTuning};

/// How long after the trigger a client shows and sends its shot: less than anyone notices, and
/// that much less to rewind.
pub const GUN_LAG: Duration = Duration::from_millis(50);

/// The kind of vehicles.
pub const BUGGY: &str = "buggy";

/// Stamps of updates in a second.
const STAMP_HZ: u32 = 1_000;
/// Fine enough that nobody sees it; turns to a degree.
pub(super) const STEPS: Quantiser = Quantiser {
    position_m: 0.25,
    velocity_mps: 1.0,
    acceleration_mps2: 8.0,
    angular_velocity_radps: 0.05,
    orientation: 0.01,
};
/// People aim all the time; the others see it this exactly.
const ANGLE_DEG: f64 = 15.0;
/// Where no window shows them.
const FAR_ANGLE_DEG: f64 = 45.0;
/// An owner's threshold, whatever receivers are served with.
const MAX_OWN_PX: f32 = 6.0;
/// Between two rounds of sending.
const ROUND: Duration = Duration::from_millis(33);
pub(super) const HEARTBEAT: Duration = Duration::from_millis(500);
/// A client may be put right over the slowest link that can be simulated.
const OBEYS_WITHIN: Duration = Duration::from_secs(4);
const OLDEST: Duration = Duration::from_secs(3);
const LONGEST_SILENCE: Duration = Duration::from_secs(2);

/// Why the settings of a level make no host.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ArenaHostError {
    /// A setting is out of range.
    Config(ConfigError),
    /// The format cannot be described.
    Format(FormatError),
    /// The kinds cannot be declared.
    Kind(KindError),
}

impl fmt::Display for ArenaHostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::Format(error) => error.fmt(f),
            Self::Kind(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ArenaHostError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Config(error) => Some(error),
            Self::Format(error) => Some(error),
            Self::Kind(error) => Some(error),
        }
    }
}

impl From<ConfigError> for ArenaHostError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<FormatError> for ArenaHostError {
    fn from(error: FormatError) -> Self {
        Self::Format(error)
    }
}

impl From<KindError> for ArenaHostError {
    fn from(error: KindError) -> Self {
        Self::Kind(error)
    }
}

/// A host for a level. Limits, budgets and times are taken from `base`.
///
/// # Errors
/// When the level's numbers make no envelope or no walls.
pub fn host_config(base: HostConfig, level: &Level) -> Result<HostConfig, ArenaHostError> {
    host_config_styled(base, level, &MotionStyle::default())
}

/// As [`host_config`], with bodies published and shown so.
///
/// # Errors
/// As [`host_config`].
pub fn host_config_styled(
    base: HostConfig,
    level: &Level,
    style: &MotionStyle,
) -> Result<HostConfig, ArenaHostError> {
    let mut models = ModelChoice::PLAIN.map(ModelChoice::model).to_vec();
    models.push(Model::Curve(Curve::still(CurveBasis::FOUR))); // what planners publish
    let mut host = base;
    host.format = Format::new(true, STAMP_HZ, STEPS, &models, Registry::default())?;
    host.zones.classes = zone_classes(level)?;
    host.tick = ROUND;
    host.guard = Some(guard_config(level));
    host.walls = Some(walls(level.walls())?);
    host.kinds = kinds(level, style)?;
    let mut rewind = RewindConfig::default();
    rewind.view = RewindView::Now(style.ghost);
    // The gun's pause is held by the arena, by the moments that screens showed.
    rewind.requests_per_s = 2.0 / level.file().gun.pause_s.max(crate::TICK_S);
    host.rewind = Some(rewind);
    Ok(host)
}

/// The kinds of bodies of a level: for each planner that can be chosen one, named after the body of
/// the level ([`BodyKind`]), and the properties of players.
///
/// A kind has no distance classes and, vehicles apart, no guard of its own: the host's hold, and
/// [`Host::set_threshold`](reckoning_net::Host::set_threshold) with them. Blends are each player's
/// own choice, which its session tells the host; lines and how far ahead errors are judged are of
/// the `style`.
///
/// # Errors
/// Never, for levels that could be loaded; a setting that is out of range is named.
pub fn kinds(level: &Level, style: &MotionStyle) -> Result<Kinds, ArenaHostError> {
    let mut kinds = Kinds::default();
    let body = &level.file().body;
    for model in ModelChoice::ALL {
        let mut kind = Kind::default();
        kind.planner = model.planner(2.0 * body.radius_px, body.speed_px_s);
        kind.publisher = publisher_config(&ServerTuning { model, ..ServerTuning::default() });
        (kind.publisher.judge_ahead, kind.aim) = (style.judge_ahead, style.aim);
        kind.show = Show::BySession;
        kinds.add(&kind_name(body.kind, model), kind)?;
    }
    if let Some(rules) = level.buggy() {
        let mut buggy = Kind::default();
        buggy.publisher = publisher_config(&ServerTuning::default());
        (buggy.show, buggy.guard) = (Show::BySession, Some(guard_for(&rules)));
        kinds.add(BUGGY, buggy)?;
    }
    Properties::declare(&mut kinds)?;
    Ok(kinds)
}

/// What bodies of players are called as a kind while they are predicted like this.
pub(super) fn kind_name(body: BodyKind, model: ModelChoice) -> String {
    let body = match body {
        BodyKind::Walker => "walker",
        BodyKind::Tank => "tank",
    };
    format!("{body} {}", model.name())
}

/// Whatever a window may show is near. The rest of a large level is sent as well, but in
/// coarser steps, and where a body there looks matters less.
fn zone_classes(level: &Level) -> Result<Vec<ZoneClass>, ConfigError> {
    let mut near = ZoneClass::default();
    near.threshold = Threshold::metres(f64::from(ServerTuning::default().threshold_px))?;
    near.angle_threshold = AngleThreshold::degrees(ANGLE_DEG).ok();
    near.heartbeat = HEARTBEAT;
    if near_px(level) >= level.size_px().length() {
        return Ok(vec![near]);
    }
    let mut far = near;
    near.radius_m = near_px(level);
    far.angle_threshold = AngleThreshold::degrees(FAR_ANGLE_DEG).ok();
    far.coarser_log2 = 1;
    Ok(vec![near, far])
}

/// The borders between the distance classes of a level, in pixels from a player.
#[must_use]
pub fn zones_px(level: &Level) -> Vec<f64> {
    let classes = zone_classes(level).unwrap_or_default();
    classes.iter().map(|class| class.radius_m).filter(|radius| radius.is_finite()).collect()
}

/// To the corner of a player's window and a second's way further.
fn near_px(level: &Level) -> f64 {
    let [width, height] = level.file().view_px;
    0.5 * libm::hypot(width, height) + level.file().body.speed_px_s
}

/// The same host, for an arena whose bots a trained predictor plans: its curves go by a short
/// name.
///
/// # Errors
/// When the format cannot be described with them.
pub fn with_learned(
    mut host: HostConfig,
    model: &LearnedModel,
) -> Result<HostConfig, ArenaHostError> {
    let curve = Model::Curve(Curve::still(model.basis()));
    let damped = Model::Damped { fade: model.fade() };
    let mut models = vec![curve];
    models.extend(ModelChoice::PLAIN.map(ModelChoice::model));
    models.push(damped);
    if model.basis() != CurveBasis::FOUR {
        models.push(Model::Curve(Curve::still(CurveBasis::FOUR)));
    }
    host.format = Format::new(true, STAMP_HZ, STEPS, &models, Registry::default())?;
    Ok(host)
}

/// What an honest body of the level can do.
#[must_use]
pub fn guard_config(level: &Level) -> GuardConfig {
    guard_for(&level.file().body)
}

fn guard_for(body: &BodyRules) -> GuardConfig {
    let most_px_s2 = body.acceleration_px_s2.max(body.braking_px_s2);
    let envelope = Envelope::of_speed(body.speed_px_s * 1.05, most_px_s2 * 2.0);
    // The owner's threshold, rounding, and a step either way.
    let tolerance_px = f64::from(MAX_OWN_PX) * 2.0 + body.speed_px_s * 2.0 * crate::TICK_S;
    let mut guard = GuardConfig::new(envelope, tolerance_px);
    guard.obey_within = OBEYS_WITHIN;
    guard.max_age = OLDEST;
    guard.max_silence = LONGEST_SILENCE;
    guard
}

/// How clients show others by their distance, where the server has some shown with a delay; none
/// where all are reckoned. `ghost` is how those are.
#[must_use]
pub fn class_shows(tuning: &ServerTuning, ghost: GhostConfig) -> Vec<Show> {
    if !tuning.near_delayed && !tuning.far_delayed {
        return Vec::new();
    }
    let mut late = DelayedConfig::default();
    late.max_extrapolation = ghost.max_extrapolation;
    let show = |is_late| if is_late { Show::Delayed(late) } else { Show::Reckoned(ghost) };
    vec![show(tuning.near_delayed), show(tuning.far_delayed)]
}

/// How clients publish their own bodies.
#[must_use]
pub fn publisher_config(tuning: &ServerTuning) -> PublisherConfig {
    let mut publisher = PublisherConfig::default();
    let own_px = f64::from(tuning.threshold_px.min(MAX_OWN_PX));
    publisher.threshold = Threshold::metres(own_px).unwrap_or(Threshold::METRE_PER_AXIS);
    publisher.angle_threshold = AngleThreshold::degrees(ANGLE_DEG).ok();
    publisher.angle_min_interval = Duration::from_millis(100);
    publisher.heartbeat = HEARTBEAT;
    publisher.model = tuning.model.model();
    publisher
}

/// How clients join and show; how they publish their kind says.
#[must_use]
pub fn session_config() -> SessionConfig {
    let mut session = SessionConfig::default();
    session.ghost = MotionStyle::default().ghost;
    session
}
