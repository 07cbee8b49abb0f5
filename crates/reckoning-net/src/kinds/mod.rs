//! Kinds of bodies: how each sort of body is published, replicated and shown, declared once.
//!
//! A game declares its kinds ([`Kinds::add`]) and gives them to its host
//! ([`HostConfig::kinds`](crate::HostConfig::kinds)); the host sends them to everyone who joins. An
//! owner publishes, the host replicates, and a peer shows a body by what its kind says, so the three
//! cannot disagree.
//!
//! ```
//! use core::time::Duration;
//! use reckoning_net::{Kind, Kinds, Model, Threshold};
//!
//! let mut kinds = Kinds::default();
//! let mut shell = Kind::default();
//! shell.publisher.threshold = Threshold::metres(2.0)?;
//! shell.publisher.model = Model::Damped { fade: Duration::from_secs(1) };
//! let shell = kinds.add("shell", shell)?;
//! assert_eq!(kinds.named("shell"), Some(shell));
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! What else is known of bodies, their health or their names, are properties, declared with the
//! kinds ([`Kinds::property`]).
//!
//! An entity of no kind ([`KindId::NONE`]) is published and shown by its session's own settings and
//! replicated by the host's.

mod codec;
mod error;
mod facing;
mod joints;
mod obstacles;
mod planner;
mod planning;
mod properties;
mod show;
mod value;
mod visibility;

pub use error::KindError;
pub use facing::Facing;
pub(crate) use joints::Joints;
pub use joints::{JointKind, JointRef, JointSource, MAX_JOINTS, MAX_SENT_JOINTS, SentJoint};
pub use obstacles::SharedTerrain;
pub use planner::{LearnedKind, PlannerKind, PlannerNeed};
pub(crate) use planning::BodyPlanner;
pub use planning::PlanningAssets;
pub use properties::{MAX_PROPERTIES, Property, PropertyId, PropertyType, Seen, Writer};
pub use show::Show;
pub use value::{MAX_VALUE_BYTES, PropertyError, PropertyValue};
pub use visibility::Visibility;

use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use reckoning::error::SettingError;
use reckoning::ground::{ClampDetail, GroundClampConfig};
use reckoning::guard::GuardConfig;
use reckoning::{
    AimConfig, ConfigError, GroundClamp, Kinematics, Model, Publisher, PublisherConfig, Threshold,
};
use serde::{Deserialize, Serialize};

use crate::wire::{Codes, Format};
use crate::zones::{MAX_IMPORTANCE, MIN_IMPORTANCE, ZoneClass, ZoneConfig};

/// Kinds that a host can declare.
pub const MAX_KINDS: usize = 32;
/// The longest name of a kind in bytes.
pub const MAX_KIND_NAME_BYTES: usize = 32;
/// The longest description of a kind on the wire.
pub const MAX_KIND_BYTES: usize = 700;

/// No later than this are bodies shown that are sent as snapshots.
const SNAPSHOT_MAX_DELAY: Duration = Duration::from_millis(500);

/// A kind of bodies, by its place among those that were declared; the same on all ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KindId(pub(crate) u8);

impl KindId {
    /// No kind: the settings of session and host hold.
    pub const NONE: Self = Self(0);

    /// The kind of that number; `None` above [`MAX_KINDS`].
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        if number as usize <= MAX_KINDS { Some(Self(number)) } else { None }
    }

    /// The number that stands for it on the wire; 0 for none.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }
}

/// How bodies of one kind are published, replicated and shown. The default suits a person or a car
/// in a 60 Hz game over the Internet.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Kind {
    /// When an owner exports updates, and by which model listeners predict. The host's format
    /// rounds, and the seed is mixed with entity and peer. A model that is a path or custom is
    /// known to both ends by the id in their registries. Default: [`PublisherConfig::default`] with
    /// a `heartbeat_spread` of a tenth.
    pub publisher: PublisherConfig,
    /// How peers show it; a distance class may say otherwise ([`ZoneClass::show`]). Default:
    /// reckoned, by [`Blend::default`](reckoning::Blend).
    pub show: Show,
    /// Which way peers draw it. Where that is derived no update is due because of an orientation:
    /// angle thresholds become `None`. Default: as its owner says.
    pub facing: Facing,
    /// How peers set it onto the ground of their game: see
    /// [`Session::shown_on`](crate::Session::shown_on). Default: `None`, not at all.
    pub ground: Option<GroundClampConfig>,
    /// Parts that turn on it, at most [`MAX_JOINTS`], of which [`MAX_SENT_JOINTS`] can be sent.
    /// Default: none.
    pub joints: Vec<JointKind>,
    /// Distance classes of its own: see [`HostConfig::zones`](crate::HostConfig::zones). Default:
    /// `None`, the host's.
    pub zones: Option<ZoneConfig>,
    /// How updates of its owners are judged. Default: `None`, by the host's guard.
    pub guard: Option<GuardConfig>,
    /// How it is foreseen where it is moved. Default: [`PlannerKind::Model`], the publisher's model.
    pub planner: PlannerKind,
    /// A threshold of position that varies with the place, instead of the publisher's. It needs a
    /// trend map where it is moved ([`PlanningAssets::trends`]); without one the publisher's holds,
    /// and the game is told. Bodies of the host go by the thresholds of distance classes, which are
    /// as much tighter as the place's is than `max_m`. Default: `None`.
    pub threshold_by_place: Option<PlaceThreshold>,
    /// No motion is published, by owners or by the host for its own bodies, that leads into
    /// [`PlanningAssets::walls`] or [`PlanningAssets::ground`] within the publisher's `lookahead`,
    /// where it goes by its model; planners keep out of walls themselves. Default: `false`.
    pub prevents: bool,
    /// How much bodies of this kind count: one is judged as if it were so many times nearer, when
    /// its distance class and the nearest few are chosen, and its updates weigh as much more when a
    /// peer's budget is short. A game may say otherwise of each body
    /// ([`Host::set_importance`](crate::Host::set_importance)). 0.01 to 100. Peers are not told.
    /// Default: 1.
    pub importance: f64,
    /// Who may know of a body of this kind; a game may say otherwise of each body
    /// ([`Host::set_visibility`](crate::Host::set_visibility)) and of each peer
    /// ([`Host::set_visible`](crate::Host::set_visible)). Peers are not told. Default: everyone.
    pub visibility: Visibility,
    /// Publishes what the planner, or the publisher's model, foresees as straight lines where that
    /// costs less: see [`AimedPlanner`](reckoning::AimedPlanner). Goes well with
    /// [`PublisherConfig::judge_ahead`]. Guards allow for it. Default: `None`, as it is foreseen.
    pub aim: Option<AimConfig>,
    /// Priors of its updates: how large their numbers usually are, as the lab finds them on
    /// recordings. The host tells them with its format, for the model that the kind's updates follow
    /// (a line where it is aimed, a curve where it is planned), if the format lists that. Of kinds
    /// with the same model the first that has some counts. Default: `None`, the format's.
    pub codes: Option<Codes>,
    /// An owner sends nothing of a body that stands still once the host has it: no heartbeats, no
    /// full updates, until it moves or turns. For doors, crates and parked cars. Default: `false`,
    /// heartbeats go on.
    pub dormant: bool,
}

/// A threshold that varies with the place (STEELE, equation 8): wide where a body follows the
/// level's trend or goes straight against it, tight where it goes across and where nothing is known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaceThreshold {
    /// The tightest. Above zero, and above what the host's format rounds.
    pub min_m: f64,
    /// The widest. At least `min_m`.
    pub max_m: f64,
}

impl PlaceThreshold {
    fn validate(&self) -> Result<(), ConfigError> {
        Threshold::metres(self.min_m)?;
        Threshold::metres(self.max_m)?;
        SettingError::in_range("threshold_by_place.max_m", self.max_m, self.min_m, f64::MAX)?;
        Ok(())
    }
}

impl Default for Kind {
    /// A person or a car in a 60 Hz game over the Internet.
    fn default() -> Self {
        let mut publisher = PublisherConfig::default();
        publisher.heartbeat_spread = 0.1;
        Self {
            publisher,
            show: Show::default(),
            facing: Facing::Sent,
            ground: None,
            joints: Vec::new(),
            zones: None,
            guard: None,
            planner: PlannerKind::Model,
            threshold_by_place: None,
            prevents: false,
            importance: 1.0,
            visibility: Visibility::All,
            aim: None,
            codes: None,
            dormant: false,
        }
    }
}

impl Kind {
    /// A body whose exact path matters more than the moment, as games with snapshots show it: sent
    /// once in `interval` while it moves, and shown a moment ago, between two that arrived. The
    /// moment is an interval behind what arrives, and adapts to the link up to half a second.
    /// `precision` is how far a host lets what it has differ before it counts as another place.
    ///
    /// # Errors
    /// With an interval of less than a millisecond, or above a quarter of a second.
    pub fn snapshots(interval: Duration, precision: Threshold) -> Result<Self, ConfigError> {
        let (least_s, most_s) = (0.001, 0.25);
        SettingError::in_range("interval", interval.as_secs_f64(), least_s, most_s)?;
        let mut kind = Self { dormant: true, ..Self::default() };
        let publisher = &mut kind.publisher;
        (publisher.threshold, publisher.min_interval) = (precision, interval);
        (publisher.heartbeat, publisher.heartbeat_spread) = (interval, 0.0);
        let mut zones = ZoneConfig::default();
        for class in &mut zones.classes {
            // Shorter, so that what an owner sent comes a little early and is passed on all the same.
            (class.threshold, class.min_interval) = (precision, interval.mul_f64(0.75));
            (class.heartbeat, class.heartbeat_spread) = (interval, 0.0);
        }
        kind.zones = Some(zones);
        kind.show = Show::delayed(interval, SNAPSHOT_MAX_DELAY);
        Ok(kind)
    }

    /// Validates every setting by itself and with the others.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let settled = self.clone().settled();
        settled.validate_told()?;
        settled.check_heartbeats(settled.zones.as_ref())
    }

    /// As [`validate`](Self::validate), but for what peers are not told.
    fn validate_told(&self) -> Result<(), ConfigError> {
        Publisher::start(self.publisher.clone(), &Kinematics::default())?;
        self.show.validate()?;
        self.facing.validate()?;
        if let Some(ground) = &self.ground {
            GroundClamp::new(ground.clone())?;
        }
        joints::validate(&self.joints)?;
        if let Some(zones) = &self.zones {
            zones.validate()?;
            zones.check_showing(Some(self))?;
            zones.classes.iter().filter_map(|class| class.show).try_for_each(|it| it.validate())?;
        }
        if let Some(guard) = &self.guard {
            guard.validate()?;
        }
        if let Some(by_place) = &self.threshold_by_place {
            by_place.validate()?;
        }
        if let Some(aim) = &self.aim {
            aim.validate()?;
        }
        for order in self.codes.iter().flat_map(Codes::orders) {
            let max = f64::from(Codes::MAX_ORDER);
            SettingError::in_range("codes", f64::from(order), 0.0, max)?;
        }
        SettingError::in_range("importance", self.importance, MIN_IMPORTANCE, MAX_IMPORTANCE)?;
        self.planner.validate()
    }

    /// Refuses pictures that stand still between two heartbeats of these zones.
    pub(crate) fn check_heartbeats(&self, zones: Option<&ZoneConfig>) -> Result<(), ConfigError> {
        let classes = zones.map_or(&[][..], |zones| &zones.classes);
        if classes.is_empty() {
            return self.show.check_heartbeat(self.publisher.heartbeat);
        }
        classes.iter().try_for_each(|class| {
            class.show.unwrap_or(self.show).check_heartbeat(self.slowest_heartbeat(class))
        })
    }

    /// How seldom at most a peer hears of a body in that class.
    fn slowest_heartbeat(&self, class: &ZoneClass) -> Duration {
        self.publisher.heartbeat.max(class.heartbeat)
    }

    /// With everything set that was left open.
    fn settled(mut self) -> Self {
        if self.facing.is_derived() {
            self.publisher.angle_threshold = None;
        }
        let publisher = self.publisher.heartbeat;
        let classes = self.zones.iter_mut().flat_map(|zones| &mut zones.classes);
        let mut slowest = publisher;
        for class in classes {
            let heartbeat = publisher.max(class.heartbeat);
            slowest = slowest.max(heartbeat);
            if self.facing.is_derived() {
                class.angle_threshold = None;
            }
            if let Some(show) = &mut class.show {
                show.settle(heartbeat);
            }
        }
        self.show.settle(slowest);
        self
    }

    /// How updates of owners are judged by `guard`, where its bodies are aimed: lines begin beside
    /// the truth, and their velocities are those of a moment later.
    pub(crate) fn judged_by(&self, mut guard: GuardConfig) -> GuardConfig {
        if let Some(aim) = &self.aim {
            // Both ends of a way may be off.
            guard.tolerance_m += 2.0 * aim.max_offset * self.publisher.threshold.max_error_m();
            guard.foresight = guard.foresight.max(aim.to);
        }
        guard
    }

    /// Whether its updates usually follow this model.
    fn usually_follows(&self, model: &Model) -> bool {
        if self.aim.is_some() {
            return *model == Model::Linear;
        }
        match (&self.planner, model) {
            (PlannerKind::Model, _) => *model == self.publisher.model,
            (_, Model::Curve(_)) => true,
            _ => false,
        }
    }

    /// How bodies of one of its distance classes are shown.
    pub(crate) fn show_in(&self, class: u8) -> Show {
        self.class(class).and_then(|class| class.show).unwrap_or(self.show)
    }

    /// How much of the ground is asked for bodies of one of its distance classes; `None` where
    /// their distance says it.
    pub(crate) fn clamp_in(&self, class: u8) -> Option<ClampDetail> {
        self.class(class)?.clamp
    }

    fn class(&self, class: u8) -> Option<&ZoneClass> {
        self.zones.as_ref()?.classes.get(usize::from(class))
    }

    /// Validates thresholds against what a format rounds.
    ///
    /// # Errors
    /// Names the first threshold that rounding alone would cross.
    pub(crate) fn check_thresholds(&self, format: &Format) -> Result<(), ConfigError> {
        format.check_thresholds(self.publisher.threshold, self.publisher.angle_threshold)?;
        if let Some(by_place) = &self.threshold_by_place {
            format.check_thresholds(Threshold::metres(by_place.min_m)?, None)?;
        }
        match &self.zones {
            Some(zones) => zones.check_thresholds(format),
            None => Ok(()),
        }
    }
}

/// The kinds of a game, in the order in which they were declared, and the properties that its
/// entities have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kinds {
    list: Vec<(String, Kind)>,
    pub(crate) schema: Schema,
}

impl Kinds {
    /// The format, with the priors of kinds for the models that it lists.
    pub(crate) fn coded(&self, format: &Format) -> Format {
        let of = |model: &Model| {
            let kinds = self.list.iter().map(|(_, kind)| kind);
            let own = kinds.filter(|kind| kind.usually_follows(model)).find_map(|kind| kind.codes);
            own.unwrap_or(*format.codes_of(model))
        };
        let listed: Vec<Codes> = format.models().iter().map(of).collect();
        let others = *format.codes_of_others();
        // Kinds were validated when they were declared.
        format.clone().with_codes(&listed, others).unwrap_or_else(|_| format.clone())
    }

    /// Declares a kind.
    ///
    /// # Errors
    /// When the name is empty, too long or taken, a setting is out of range, or there are
    /// [`MAX_KINDS`] already.
    pub fn add(&mut self, name: &str, kind: Kind) -> Result<KindId, KindError> {
        if name.is_empty() || name.len() > MAX_KIND_NAME_BYTES {
            return Err(KindError::Name { got_bytes: name.len() });
        }
        if self.named(name).is_some() {
            return Err(KindError::Taken { name: name.into() });
        }
        if self.list.len() >= MAX_KINDS {
            return Err(KindError::TooMany);
        }
        let refused = |error| KindError::Setting { name: name.into(), error };
        kind.validate().map_err(refused)?;
        self.push(name, kind.settled())
    }

    /// Declares a kind that a host declared.
    pub(crate) fn add_told(&mut self, name: &str, kind: Kind) -> Result<KindId, KindError> {
        if self.named(name).is_some() {
            return Err(KindError::Taken { name: name.into() });
        }
        self.push(name, kind)
    }

    fn push(&mut self, name: &str, kind: Kind) -> Result<KindId, KindError> {
        let got_bytes = codec::encode(name, &kind).len();
        if got_bytes > MAX_KIND_BYTES {
            return Err(KindError::TooLong { name: name.into(), got_bytes });
        }
        self.list.push((name.into(), kind));
        Ok(KindId(self.list.len() as u8))
    }

    /// The kind of that name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<KindId> {
        let place = self.list.iter().position(|(known, _)| known == name)?;
        Some(KindId(place as u8 + 1))
    }

    /// A kind's settings; `None` for [`KindId::NONE`] and for what was not declared.
    #[must_use]
    pub fn get(&self, id: KindId) -> Option<&Kind> {
        self.list.get(usize::from(id.0).checked_sub(1)?).map(|(_, kind)| kind)
    }

    /// A kind's joints; none for what was not declared.
    pub(crate) fn joints(&self, id: KindId) -> &[JointKind] {
        self.get(id).map_or(&[], |kind| &kind.joints)
    }

    /// A kind's name.
    #[must_use]
    pub fn name(&self, id: KindId) -> Option<&str> {
        self.list.get(usize::from(id.0).checked_sub(1)?).map(|(name, _)| name.as_str())
    }

    /// All kinds with their names, in order.
    pub fn iter(&self) -> impl Iterator<Item = (KindId, &str, &Kind)> {
        let numbered = (1..).zip(&self.list);
        numbered.map(|(number, (name, kind))| (KindId(number), name.as_str(), kind))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether none was declared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether an entity can be of that kind.
    pub(crate) fn has(&self, id: KindId) -> bool {
        usize::from(id.0) <= self.list.len()
    }

    /// A kind as the wire carries it.
    pub(crate) fn encoded(&self, id: KindId) -> Option<Vec<u8>> {
        self.iter()
            .find(|(known, ..)| *known == id)
            .map(|(_, name, kind)| codec::encode(name, kind))
    }
}

pub(crate) use codec::decode;
pub(crate) use properties::{Schema, decode_property};
pub(crate) use value::{MAX_VALUES_BYTES, decode_values, encode_values};

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use alloc::format;

    use super::*;

    #[test]
    fn kinds_are_found_by_name_and_by_id() {
        let mut kinds = Kinds::default();
        let mut slow = Kind::default();
        slow.publisher.heartbeat = Duration::from_secs(3);
        let walker = kinds.add("walker", Kind::default()).unwrap();
        let train = kinds.add("train", slow.clone()).unwrap();
        assert_eq!([kinds.named("train"), kinds.named("tram")], [Some(train), None]);
        let settled = slow.settled();
        assert_eq!((kinds.get(train), kinds.name(walker)), (Some(&settled), Some("walker")));
        assert_eq!((kinds.get(KindId::NONE), kinds.name(KindId(3))), (None, None));
        assert_eq!(kinds.iter().map(|(id, ..)| id).collect::<Vec<_>>(), [walker, train]);
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        let mut kinds = Kinds::default();
        kinds.add("car", Kind::default()).unwrap();
        let refused = |kinds: &mut Kinds, name: &str, kind: Kind| {
            format!("{}", kinds.add(name, kind).unwrap_err())
        };
        assert!(refused(&mut kinds, "car", Kind::default()).contains("car"));
        assert!(refused(&mut kinds, "", Kind::default()).contains('0'));
        assert!(refused(&mut kinds, &"x".repeat(33), Kind::default()).contains("33"));
        let mut silent = Kind::default();
        silent.publisher.heartbeat = Duration::ZERO;
        let message = refused(&mut kinds, "silent", silent);
        assert!(message.contains("silent") && message.contains("heartbeat"), "{message}");
        for number in 1..MAX_KINDS {
            kinds.add(&format!("kind {number}"), Kind::default()).unwrap();
        }
        assert!(refused(&mut kinds, "one more", Kind::default()).contains("32"));
    }
}
