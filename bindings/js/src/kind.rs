//! Kinds: how a sort of body is published and shown, said once.

use std::time::Duration;

use js_sys::Array;
use reckoning::ghost::Pace;
use reckoning::joints::{JointPublisher, JointPublisherConfig};
use reckoning::model::{Ballistic, Landing};
use reckoning::{
    AngleThreshold, Blend, BlendSpan, DelayedConfig, DelayedGhost, Ghost, GhostConfig, Joint,
    Kinematics, Model, Publisher, PublisherConfig, SimTime, Threshold, Timing, Update, UpdateKind,
};
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsError, JsValue};

use crate::options::Options;
use crate::refused;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** How bodies are carried on between updates. */
export type Model = "hold" | "linear" | "accelerating" | "damped" | "decaying" | "arc" | "ballistic-stop" | "ballistic-run";

/** How a ghost sheds its error when an update arrives. */
export type Blend =
  | "snap" | "linear" | "fade" | "projective-velocity" | "projective-velocity-printed" | "bezier" | "hermite" | "catmull-rom";

/** What became of an update: it leads, it fills a gap of what is shown late, or it is not new. */
export type Accepted = "newest" | "filled" | "stale";

/** A part that turns on bodies of a kind. */
export interface JointOptions {
  /** Sends an update once the listeners' guess is off by more than this. Default: 3 degrees. */
  thresholdRad?: number;
  /** Sends an update at least this often. Default: 5. */
  heartbeatS?: number;
  /** Never sends more often than this. Default: 0.05. */
  minIntervalS?: number;
  /** How long listeners take to fade an error away; 0 jumps. Default: 0.2. */
  blendS?: number;
}

/** How bodies of a kind are published and shown. What is left out is as suits a person or a car in a game at 60 Hz. */
export interface KindOptions {
  /** Sends an update once the listeners' guess is off by more than this. Default: 0.25. Above 0. */
  thresholdM?: number;
  /** The threshold holds for each axis, as in DIS. Default: false, for the distance. */
  thresholdPerAxis?: boolean;
  /** Sends an update once the guess is turned by more than this; 0 leaves orientation alone. Default: 5 degrees. */
  angleThresholdRad?: number;
  /** Sends an update at least this often. Default: 0.5. At least minIntervalS. */
  heartbeatS?: number;
  /** Sends a full update at least this often; 0 makes every update full. Default: 10. */
  fullIntervalS?: number;
  /** Varies heartbeats by up to this share. Default: 0. At most 0.5. */
  heartbeatSpread?: number;
  /** Seeds that; give each body a kind of its own then. A whole number. Default: 0. */
  seed?: number;
  /** Never sends more often than this, except for stops and teleports. Default: 0. */
  minIntervalS?: number;
  /** Never sends for the sake of orientation more often than this. Default: 0. */
  angleMinIntervalS?: number;
  /** Sends an update at once when the body came to rest and listeners see it move. Default: true. */
  exportStops?: boolean;
  /** Repeats a stop once after this long; 0 does not. Default: 0.1. */
  stopRepeatS?: number;
  /** Sends less acceleration the less it agrees with the one sent last. Default: false. */
  dampAcceleration?: boolean;
  /** Judges positions this far ahead; 0 judges the error of now. Default: 0. */
  judgeAheadS?: number;
  /** How listeners carry bodies on. Default: "linear". */
  model?: Model;
  /** The time constant of the models accelerating, damped and decaying. Default: 1. */
  modelS?: number;
  /** The fall of the ballistic models. Default: 9.81. */
  gravityMps2?: number;
  /** The height at which that ends. Default: 0. */
  floorM?: number;
  /** As they must be now, or as they were a moment ago. Default: "reckoned". */
  show?: "reckoned" | "delayed";
  /** How to get from what is shown to what is believed. Default: "projective-velocity". */
  blend?: Blend;
  /** How long that takes. Default: 0.333; of a delayed kind 0.2. Above 0. */
  spanS?: number;
  /** Takes the span by the error instead, for bodies of this width: the closest to the truth. */
  closeWidthM?: number;
  /** How far past an update its model is followed. Default: 4; of a delayed kind 0.25. Above 0. */
  maxExtrapolationS?: number;
  /** Updates count from when they arrive, less this, for want of a common clock. Default: they do not. */
  onArrivalDelayS?: number;
  /** Slower than this a body keeps its heading. Default: 0.5. */
  minHeadingSpeedMps?: number;
  /** Lengthens blends, up to half a second, so that none is shown faster than this. Default: no bound. */
  maxSpeedMps?: number;
  /** Chooses between carrying on, damping and holding by what each would have shown. Default: false. */
  hedged?: boolean;
  /** The delay of a delayed kind to start with. Default: 0.1. */
  minDelayS?: number;
  /** The delay of a delayed kind never to exceed. Default: 0.5. */
  maxDelayS?: number;
  /** Parts that turn on them. Default: none. */
  joints?: JointOptions[];
}
"#;

#[wasm_bindgen]
extern "C" {
    /// Settings of a kind.
    #[wasm_bindgen(typescript_type = "KindOptions")]
    pub type KindOptions;
}

const SETTINGS: [&str; 29] = [
    "thresholdM",
    "thresholdPerAxis",
    "angleThresholdRad",
    "heartbeatS",
    "fullIntervalS",
    "heartbeatSpread",
    "seed",
    "minIntervalS",
    "angleMinIntervalS",
    "exportStops",
    "stopRepeatS",
    "dampAcceleration",
    "judgeAheadS",
    "model",
    "modelS",
    "gravityMps2",
    "floorM",
    "show",
    "blend",
    "spanS",
    "closeWidthM",
    "maxExtrapolationS",
    "onArrivalDelayS",
    "minHeadingSpeedMps",
    "maxSpeedMps",
    "hedged",
    "minDelayS",
    "maxDelayS",
    "joints",
];

const BLENDS: [&str; 8] = [
    "snap",
    "linear",
    "fade",
    "projective-velocity",
    "projective-velocity-printed",
    "bezier",
    "hermite",
    "catmull-rom",
];

/// How far a blend may be lengthened for the sake of a top speed.
const PACED: Duration = Duration::from_millis(500);

#[derive(Clone, Copy)]
pub enum ShowConfig {
    Reckoned(GhostConfig),
    Delayed(DelayedConfig),
}

/// How a sort of body is published and shown: say it once, for owners and onlookers.
#[wasm_bindgen]
#[derive(Clone)]
pub struct Kind {
    pub(crate) publisher: PublisherConfig,
    pub(crate) show: ShowConfig,
    pub(crate) joints: Vec<(JointPublisherConfig, Duration)>,
}

#[wasm_bindgen]
impl Kind {
    /// Checks all settings, each by itself and with the others; nothing is refused later.
    #[wasm_bindgen(constructor)]
    pub fn new(options: Option<KindOptions>) -> Result<Kind, JsError> {
        let options = options.map_or(JsValue::UNDEFINED, JsValue::from);
        let options = Options::new(options, "a kind", &SETTINGS)?;
        let kind = Self {
            publisher: publisher(&options)?,
            show: show(&options)?,
            joints: joints(&options)?,
        };
        kind.validate()?;
        Ok(kind)
    }
}

impl Kind {
    fn validate(&self) -> Result<(), JsError> {
        let rest = Kinematics::default();
        Publisher::start(self.publisher.clone(), &rest).map_err(refused)?;
        let first = Update::new(rest, Model::Hold, UpdateKind::Full).map_err(refused)?;
        match self.show {
            ShowConfig::Reckoned(it) => {
                Ghost::with_config(it, first, SimTime::ZERO).map_err(refused)?;
            }
            ShowConfig::Delayed(it) => {
                DelayedGhost::with_config(it, first, SimTime::ZERO).map_err(refused)?;
            }
        }
        for (config, _) in &self.joints {
            JointPublisher::start(config.clone(), Joint::default()).map_err(refused)?;
        }
        Ok(())
    }
}

fn publisher(options: &Options) -> Result<PublisherConfig, JsError> {
    let mut config = PublisherConfig::default();
    if let Some(metres) = options.number("thresholdM")? {
        config.threshold = Threshold::metres(metres).map_err(refused)?;
    }
    if options.flag("thresholdPerAxis")? == Some(true) {
        let metres = config.threshold.max_error_m();
        config.threshold = Threshold::metres_per_axis(metres).map_err(refused)?;
    }
    match options.number("angleThresholdRad")? {
        Some(0.0) => config.angle_threshold = None,
        Some(it) => config.angle_threshold = Some(AngleThreshold::radians(it).map_err(refused)?),
        None => {}
    }
    let spans = [
        ("heartbeatS", &mut config.heartbeat),
        ("fullIntervalS", &mut config.full_interval),
        ("minIntervalS", &mut config.min_interval),
        ("angleMinIntervalS", &mut config.angle_min_interval),
        ("stopRepeatS", &mut config.stop_repeat),
    ];
    for (name, setting) in spans {
        *setting = options.span(name)?.unwrap_or(*setting);
    }
    config.heartbeat_spread = options.number("heartbeatSpread")?.unwrap_or(0.0);
    config.seed = seed(options)?;
    config.export_stops = options.flag("exportStops")?.unwrap_or(true);
    config.damp_acceleration = options.flag("dampAcceleration")?.unwrap_or(false);
    config.judge_ahead = options.span("judgeAheadS")?.filter(|it| !it.is_zero());
    config.model = model(options)?;
    Ok(config)
}

fn seed(options: &Options) -> Result<u64, JsError> {
    match options.number("seed")? {
        None => Ok(0),
        Some(it) if (0.0..=9_007_199_254_740_991.0).contains(&it) && it.fract() == 0.0 => {
            Ok(it as u64)
        }
        Some(it) => {
            Err(JsError::new(&format!("seed is {it}; it must be a whole number, 0 or more")))
        }
    }
}

fn model(options: &Options) -> Result<Model, JsError> {
    let constant = options.span("modelS")?.unwrap_or(Duration::from_secs(1));
    let gravity = options.number("gravityMps2")?.unwrap_or(9.81);
    let floor = options.number("floorM")?.unwrap_or(0.0);
    let falling = |it| Ballistic::new(gravity, floor, it).map(Model::Ballistic).map_err(refused);
    Ok(match options.word("model")?.as_deref() {
        None | Some("linear") => Model::Linear,
        Some("hold") => Model::Hold,
        Some("accelerating") => Model::Accelerating { trust: constant },
        Some("damped") => Model::Damped { fade: constant },
        Some("decaying") => Model::Decaying { fade: constant },
        Some("arc") => Model::Arc,
        Some("ballistic-stop") => falling(Landing::Stop)?,
        Some("ballistic-run") => falling(Landing::Run)?,
        Some(other) => return Err(JsError::new(&format!("there is no model {other:?}"))),
    })
}

fn show(options: &Options) -> Result<ShowConfig, JsError> {
    match options.word("show")?.as_deref() {
        None | Some("reckoned") => Ok(ShowConfig::Reckoned(reckoned(options)?)),
        Some("delayed") => Ok(ShowConfig::Delayed(delayed(options)?)),
        Some(other) => Err(JsError::new(&format!("show is {other:?}, not reckoned or delayed"))),
    }
}

fn reckoned(options: &Options) -> Result<GhostConfig, JsError> {
    let mut config = GhostConfig::default();
    if let Some(word) = options.word("blend")? {
        let place = BLENDS.iter().position(|it| *it == word);
        let blend = place.and_then(|it| Blend::ALL.get(it));
        config.blend =
            *blend.ok_or_else(|| JsError::new(&format!("there is no blend {word:?}")))?;
    }
    if let Some(span) = options.span("spanS")? {
        config.span = BlendSpan::Fixed(span);
    }
    match options.number("closeWidthM")? {
        Some(it) if it > 0.0 && it.is_finite() => config.span = BlendSpan::close(it),
        Some(it) => {
            return Err(JsError::new(&format!(
                "closeWidthM is {it}; it must be above 0 and finite"
            )));
        }
        None => {}
    }
    let most = options.span("maxExtrapolationS")?;
    config.max_extrapolation = most.unwrap_or(config.max_extrapolation);
    if let Some(delay) = options.span("onArrivalDelayS")? {
        config.timing = Timing::OnArrival { delay };
    }
    let least = options.number("minHeadingSpeedMps")?;
    config.min_heading_speed_mps = least.unwrap_or(config.min_heading_speed_mps);
    config.pace =
        options.number("maxSpeedMps")?.map(|max_speed_mps| Pace { max_speed_mps, max_span: PACED });
    config.hedged = options.flag("hedged")?.unwrap_or(false);
    Ok(config)
}

fn delayed(options: &Options) -> Result<DelayedConfig, JsError> {
    let mut config = DelayedConfig::default();
    let spans = [
        ("minDelayS", &mut config.min_delay),
        ("maxDelayS", &mut config.max_delay),
        ("maxExtrapolationS", &mut config.max_extrapolation),
        ("spanS", &mut config.span),
    ];
    for (name, setting) in spans {
        *setting = options.span(name)?.unwrap_or(*setting);
    }
    let least = options.number("minHeadingSpeedMps")?;
    config.min_heading_speed_mps = least.unwrap_or(config.min_heading_speed_mps);
    Ok(config)
}

fn joints(options: &Options) -> Result<Vec<(JointPublisherConfig, Duration)>, JsError> {
    let Some(list) = options.value("joints") else { return Ok(Vec::new()) };
    if !Array::is_array(&list) {
        return Err(JsError::new("joints of a kind must be an array"));
    }
    Array::from(&list).iter().map(joint).collect()
}

fn joint(options: JsValue) -> Result<(JointPublisherConfig, Duration), JsError> {
    let known = ["thresholdRad", "heartbeatS", "minIntervalS", "blendS"];
    let options = Options::new(options, "a joint", &known)?;
    let mut config = JointPublisherConfig::default();
    config.threshold_rad = options.number("thresholdRad")?.unwrap_or(config.threshold_rad);
    config.heartbeat = options.span("heartbeatS")?.unwrap_or(config.heartbeat);
    config.min_interval = options.span("minIntervalS")?.unwrap_or(config.min_interval);
    Ok((config, options.span("blendS")?.unwrap_or(Duration::from_millis(200))))
}
