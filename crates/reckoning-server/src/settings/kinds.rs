//! Kinds of bodies in a settings file: `[[kind]]`, and their properties: `[[property]]`.

use std::num::NonZeroUsize;
use std::time::Duration;

use reckoning::ghost::Pace;
use reckoning::guard::{Envelope, GuardConfig};
use reckoning::{
    AimConfig, AngleThreshold, Blend, BlendSpan, ConfigError, GhostConfig, Model, Threshold,
};
use reckoning_net::{
    ChooserConfig, ClampDetail, ClampMode, Codes, InterestConfig, Kind, KindError, Kinds,
    LearnedKind, PatternsConfig, PheromoneConfig, PlaceThreshold, PlannerKind, Property,
    PropertyType, Seen, Show, TrendedConfig, Visibility, Writer, ZoneClass, ZoneConfig,
};
use serde::de::IntoDeserializer;
use serde::{Deserialize, Deserializer};

use super::kind_parts::{FacingName, FootprintName, JointSettings};

/// Blends are lengthened at most to this: as long as hit checks go along with.
const MAX_PACED_SPAN: Duration = Duration::from_millis(500);

/// A kind of bodies, as a settings file declares it: see [`Kind`]. Spans are in milliseconds.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the documented file says it, line by line")]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
#[non_exhaustive]
pub struct KindSettings {
    pub name: String,
    pub threshold_m: f64,
    pub threshold_by_place_m: Vec<f64>,
    pub angle_threshold_deg: f64,
    pub heartbeat_ms: u32,
    pub min_interval_ms: u32,
    pub model: ModelName,
    pub fade_ms: u32,
    pub planner: PlannerName,
    pub planner_scale: f64,
    pub network: String,
    pub prevents: bool,
    pub lookahead_ms: u32,
    pub judge_ahead_ms: u32,
    pub aim: bool,
    pub aim_delay_ms: u32,
    pub aim_max_offset: f64,
    pub aim_overhead_bytes: f64,
    pub codes: Vec<u8>,
    pub blend: Blend,
    pub blend_ms: u32,
    pub close_width_m: f64,
    pub max_shown_speed_mps: f64,
    pub hedged: bool,
    pub max_extrapolation_ms: u32,
    pub delay_ms: u32,
    pub max_delay_ms: u32,
    pub top_speed_mps: f64,
    pub top_acceleration_mps2: f64,
    pub tolerance_m: f64,
    pub importance: f64,
    pub visibility: Visibility,
    pub dormant: bool,
    pub nearest: usize,
    pub facing: FacingName,
    pub facing_min_speed_mps: f64,
    pub facing_length_m: f64,
    pub ground: ClampMode,
    pub footprint: FootprintName,
    pub footprint_length_m: f64,
    pub footprint_width_m: f64,
    pub origin_height_m: f64,
    pub joint: Vec<JointSettings>,
    pub class: Vec<KindClassSettings>,
}

/// A distance class of a kind, as a settings file declares it: see [`ZoneClass`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the documented file says it, line by line")]
#[non_exhaustive]
pub struct KindClassSettings {
    pub radius_m: f64,
    pub threshold_m: f64,
    pub angle_threshold_deg: f64,
    pub heartbeat_ms: u32,
    pub min_interval_ms: u32,
    pub coarser_log2: u8,
    #[serde(deserialize_with = "named_or_none")]
    pub model: Option<ModelName>,
    pub fade_ms: u32,
    pub delay_ms: u32,
    pub max_delay_ms: u32,
    #[serde(deserialize_with = "named_or_none")]
    pub clamp: Option<ClampDetail>,
}

/// A property of bodies, as a settings file declares it: see [`Property`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the documented file says it, line by line")]
#[non_exhaustive]
pub struct PropertySettings {
    pub name: String,
    pub value: PropertyType,
    pub seen: Seen,
    pub writer: Writer,
    pub min_interval_ms: u32,
}

/// The motion model of a kind: see [`Model`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the engine's models say it")]
pub enum ModelName {
    Hold,
    Linear,
    Accelerating,
    Damped,
    Decaying,
    Arc,
}

/// The planner of a kind: see [`PlannerKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the engine's planners say it")]
pub enum PlannerName {
    Model,
    Interest,
    InterestHybrid,
    Ekb,
    EkbHybrid,
    Oaekb,
    OaekbHybrid,
    Trend,
    Pheromone,
    Learned,
    Chooser,
}

impl ModelName {
    fn model(self, fade: Duration) -> Model {
        match self {
            Self::Hold => Model::Hold,
            Self::Linear => Model::Linear,
            Self::Accelerating => Model::Accelerating { trust: fade },
            Self::Damped => Model::Damped { fade },
            Self::Decaying => Model::Decaying { fade },
            Self::Arc => Model::Arc,
        }
    }
}

impl Default for KindSettings {
    fn default() -> Self {
        Self {
            name: String::new(),
            threshold_m: 0.25,
            threshold_by_place_m: Vec::new(),
            angle_threshold_deg: 5.0,
            heartbeat_ms: 500,
            min_interval_ms: 0,
            model: ModelName::Linear,
            fade_ms: 1_000,
            planner: PlannerName::Model,
            planner_scale: 0.01,
            network: "learned".to_string(),
            prevents: false,
            lookahead_ms: 500,
            judge_ahead_ms: 0,
            aim: false,
            aim_delay_ms: 0,
            aim_max_offset: 0.0,
            aim_overhead_bytes: 2.0,
            codes: Vec::new(),
            blend: Blend::ProjectiveVelocity,
            blend_ms: 333,
            close_width_m: 0.0,
            max_shown_speed_mps: 0.0,
            hedged: false,
            max_extrapolation_ms: 0,
            delay_ms: 0,
            max_delay_ms: 500,
            top_speed_mps: 0.0,
            top_acceleration_mps2: 50.0,
            tolerance_m: 0.5,
            importance: 1.0,
            visibility: Visibility::All,
            dormant: false,
            nearest: 0,
            facing: FacingName::Sent,
            facing_min_speed_mps: 0.5,
            facing_length_m: 4.0,
            ground: ClampMode::None,
            footprint: FootprintName::Rectangle,
            footprint_length_m: 4.0,
            footprint_width_m: 2.0,
            origin_height_m: 0.0,
            joint: Vec::new(),
            class: Vec::new(),
        }
    }
}

impl Default for KindClassSettings {
    fn default() -> Self {
        Self {
            radius_m: f64::INFINITY,
            threshold_m: 0.25,
            angle_threshold_deg: 5.0,
            heartbeat_ms: 1_000,
            min_interval_ms: 0,
            coarser_log2: 0,
            model: None,
            fade_ms: 1_000,
            delay_ms: 0,
            max_delay_ms: 500,
            clamp: None,
        }
    }
}

impl Default for PropertySettings {
    fn default() -> Self {
        Self {
            name: String::new(),
            value: PropertyType::Text,
            seen: Seen::ByAll,
            writer: Writer::Owner,
            min_interval_ms: 0,
        }
    }
}

/// The kinds and properties that settings declare.
pub(super) fn kinds(
    kinds_of: &[KindSettings],
    properties: &[PropertySettings],
) -> Result<Kinds, KindError> {
    let mut kinds = Kinds::default();
    for it in kinds_of {
        let refused = |error| KindError::Setting { name: it.name.clone(), error };
        kinds.add(&it.name, it.kind().map_err(refused)?)?;
    }
    for it in properties {
        let mut property = Property::new(it.value, it.seen);
        property.writer = it.writer;
        property.min_interval = millis(it.min_interval_ms);
        kinds.add_property(&it.name, property)?;
    }
    Ok(kinds)
}

impl KindSettings {
    /// The kind they declare.
    ///
    /// # Errors
    /// Names the first setting that is out of range by itself.
    pub fn kind(&self) -> Result<Kind, ConfigError> {
        let mut kind = Kind::default();
        kind.publisher.threshold = Threshold::metres(self.threshold_m)?;
        kind.publisher.angle_threshold = angle(self.angle_threshold_deg)?;
        kind.publisher.heartbeat = millis(self.heartbeat_ms);
        kind.publisher.min_interval = millis(self.min_interval_ms);
        kind.publisher.lookahead = millis(self.lookahead_ms);
        kind.publisher.judge_ahead = self.judged_ahead();
        kind.publisher.model = self.model.model(millis(self.fade_ms));
        kind.threshold_by_place = self.by_place()?;
        kind.planner = self.planner();
        kind.prevents = self.prevents;
        kind.show = self.show();
        kind.facing = self.facing();
        kind.ground = self.ground();
        kind.joints =
            self.joint.iter().map(JointSettings::joint).collect::<Result<_, ConfigError>>()?;
        let envelope = Envelope::of_speed(self.top_speed_mps, self.top_acceleration_mps2);
        // Not `>`: a speed below zero and NaN are refused by the guard, not taken for none.
        kind.guard =
            (self.top_speed_mps != 0.0).then(|| GuardConfig::new(envelope, self.tolerance_m));
        (kind.importance, kind.visibility) = (self.importance, self.visibility);
        kind.dormant = self.dormant;
        kind.aim = self.aimed();
        kind.codes = self.codes()?;
        kind.zones = self.zones()?;
        Ok(kind)
    }

    /// Zones of its own, if it has any.
    fn zones(&self) -> Result<Option<ZoneConfig>, ConfigError> {
        let nearest = NonZeroUsize::new(self.nearest);
        if self.class.is_empty() && nearest.is_none() {
            return Ok(None);
        }
        let mut zones = ZoneConfig::default();
        zones.nearest = nearest;
        if !self.class.is_empty() {
            let classes = self.class.iter().map(KindClassSettings::class);
            zones.classes = classes.collect::<Result<_, _>>()?;
        }
        Ok(Some(zones))
    }

    fn show(&self) -> Show {
        if self.delay_ms > 0 {
            return Show::delayed(millis(self.delay_ms), millis(self.max_delay_ms));
        }
        let mut config = GhostConfig::default();
        config.blend = self.blend;
        config.span = BlendSpan::Fixed(millis(self.blend_ms));
        if self.close_width_m > 0.0 {
            config.span = BlendSpan::close(self.close_width_m);
        }
        if self.max_shown_speed_mps > 0.0 {
            let max_span = MAX_PACED_SPAN;
            config.pace = Some(Pace { max_speed_mps: self.max_shown_speed_mps, max_span });
        }
        config.hedged = self.hedged;
        config.max_extrapolation = millis(self.max_extrapolation_ms);
        Show::Reckoned(config)
    }

    /// What listeners are behind, where lines are aimed for it.
    fn aimed_delay(&self) -> Option<Duration> {
        (self.aim && self.aim_delay_ms > 0).then(|| millis(self.aim_delay_ms))
    }

    /// How far ahead is judged: as said, or else as goes with the aim for a delay.
    fn judged_ahead(&self) -> Option<Duration> {
        match millis(self.judge_ahead_ms) {
            Duration::ZERO => self.aimed_delay().map(|it| AimConfig::for_delay(it).judge_ahead()),
            ahead => Some(ahead),
        }
    }

    /// Lines of what is foreseen, if it aims.
    fn aimed(&self) -> Option<AimConfig> {
        let behind = self.aimed_delay();
        let mut aim = behind.map_or_else(AimConfig::default, AimConfig::for_delay);
        (aim.max_offset, aim.overhead_bytes) = (self.aim_max_offset, self.aim_overhead_bytes);
        self.aim.then_some(aim)
    }

    /// The planner, with the constants of its source at the scale of this game.
    fn planner(&self) -> PlannerKind {
        let interest = InterestConfig::default().scaled(self.planner_scale);
        let patterns = PatternsConfig::default().scaled(self.planner_scale);
        match self.planner {
            PlannerName::Model => PlannerKind::Model,
            PlannerName::Interest => PlannerKind::Interest(interest),
            PlannerName::InterestHybrid => PlannerKind::InterestHybrid(interest),
            PlannerName::Ekb => PlannerKind::Ekb(patterns),
            PlannerName::EkbHybrid => PlannerKind::EkbHybrid(patterns),
            PlannerName::Oaekb => PlannerKind::Oaekb(patterns),
            PlannerName::OaekbHybrid => PlannerKind::OaekbHybrid(patterns),
            PlannerName::Trend => PlannerKind::Trend(TrendedConfig::default()),
            PlannerName::Pheromone => PlannerKind::Pheromone(PheromoneConfig::default()),
            PlannerName::Learned => {
                let mut learned = LearnedKind::default();
                learned.network.clone_from(&self.network);
                PlannerKind::Learned(learned)
            }
            PlannerName::Chooser => {
                let mut chooser = ChooserConfig::default().scaled(self.planner_scale);
                chooser.fade = millis(self.fade_ms);
                PlannerKind::Chooser(chooser)
            }
        }
    }

    fn codes(&self) -> Result<Option<Codes>, ConfigError> {
        if self.codes.is_empty() {
            return Ok(None);
        }
        let count = Codes::NUMBERS as f64;
        let numbers: [u8; Codes::NUMBERS] = self.codes.as_slice().try_into().map_err(|_| {
            let (name, got) = ("numbers of codes", self.codes.len() as f64);
            reckoning::error::SettingError::OutOfRange { name, got, min: count, max: count }
        })?;
        Ok(Some(Codes::from_numbers(numbers)))
    }

    fn by_place(&self) -> Result<Option<PlaceThreshold>, ConfigError> {
        match *self.threshold_by_place_m.as_slice() {
            [] => Ok(None),
            [min_m, max_m] => Ok(Some(PlaceThreshold { min_m, max_m })),
            ref more => {
                let got = more.len() as f64;
                let name = "numbers of threshold_by_place_m";
                Err(reckoning::error::SettingError::OutOfRange { name, got, min: 2.0, max: 2.0 })?
            }
        }
    }
}

impl KindClassSettings {
    fn class(&self) -> Result<ZoneClass, ConfigError> {
        let mut class = ZoneClass::default();
        class.radius_m = self.radius_m;
        class.threshold = Threshold::metres(self.threshold_m)?;
        class.angle_threshold = angle(self.angle_threshold_deg)?;
        class.heartbeat = millis(self.heartbeat_ms);
        class.min_interval = millis(self.min_interval_ms);
        class.coarser_log2 = self.coarser_log2;
        class.model = self.model.map(|it| it.model(millis(self.fade_ms)));
        let delays = (millis(self.delay_ms), millis(self.max_delay_ms));
        class.show = (self.delay_ms > 0).then(|| Show::delayed(delays.0, delays.1));
        class.clamp = self.clamp;
        Ok(class)
    }
}

/// A name, none if it is empty.
fn named_or_none<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let name = String::deserialize(deserializer)?;
    if name.is_empty() { Ok(None) } else { T::deserialize(name.into_deserializer()).map(Some) }
}

/// A threshold of orientation; none for zero.
fn angle(degrees: f64) -> Result<Option<AngleThreshold>, ConfigError> {
    if degrees == 0.0 { Ok(None) } else { Ok(Some(AngleThreshold::degrees(degrees)?)) }
}

pub(super) const fn millis(span: u32) -> Duration {
    Duration::from_millis(span as u64)
}
