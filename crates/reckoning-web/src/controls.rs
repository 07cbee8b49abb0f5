//! Settings of the page by name, as the page and tests set them.

use std::collections::BTreeMap;
use std::fmt;

use reckoning::{Blend, GhostConfig, PublisherConfig};
use reckoning_arena::host::{BlendStyle, ghost_config, publisher_config};
use reckoning_arena::protocol::{
    LinkChoice, ModelChoice, PolicyChoice, ServerTuning, WeightsChoice,
};

/// The names of the controls, as the page writes them in `data-control`.
pub const NAMES: [&str; 23] = [
    "latency",
    "jitter",
    "loss",
    "burst",
    "preset",
    "model",
    "threshold",
    "policy",
    "budget",
    "weights",
    "near",
    "far",
    "blend",
    "motion",
    "truth",
    "naive",
    "ghost",
    "errors",
    "trend",
    "zones",
    "view",
    "name",
    "watch",
];

/// Those that need a server which is a demonstration: it takes no such wishes otherwise, and tells
/// no truth to compare with.
pub const DEMO_NAMES: [&str; 17] = [
    "latency",
    "jitter",
    "loss",
    "burst",
    "preset",
    "model",
    "threshold",
    "policy",
    "budget",
    "weights",
    "near",
    "far",
    "truth",
    "naive",
    "errors",
    "view",
    "watch",
];

/// Which picture is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ViewMode {
    /// The arena.
    #[default]
    Arena,
    /// One player four ways, side by side.
    Compare,
}

/// A link that people know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// As the page calls it.
    pub name: &'static str,
    /// What it means.
    pub link: LinkChoice,
}

const fn preset(
    name: &'static str,
    delay_ms: u16,
    jitter_ms: u16,
    loss_percent: u8,
    burst: u8,
) -> Preset {
    Preset { name, link: LinkChoice { delay_ms, jitter_ms, loss_percent, burst } }
}

/// The presets of the page.
pub const PRESETS: [Preset; 4] = [
    preset("lan", 0, 0, 0, 1),
    preset("wifi", 40, 10, 1, 1),
    preset("mobile", 150, 40, 3, 2),
    preset("awful", 350, 120, 12, 4),
];

/// The blends of the page.
pub const BLENDS: [(&str, Blend); 4] = [
    ("projective", Blend::ProjectiveVelocity),
    ("hermite", Blend::Hermite),
    ("linear", Blend::Linear),
    ("snap", Blend::Snap),
];

/// What is drawn over the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a check box")]
pub struct Overlays {
    /// Where bodies really are.
    pub truth: bool,
    /// Where a naive game shows them.
    pub naive: bool,
    /// The bodies as Reckoning shows them.
    pub ghost: bool,
    /// Lines from the shown to the true place.
    pub errors: bool,
    /// Which way bodies go.
    pub trend: bool,
    /// The distance within which bodies are sent finely.
    pub zones: bool,
}

/// What a change is about, so that it is passed on to the right place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The simulated link: sent to the server.
    Link,
    /// The server's prediction settings: sent to the server.
    Tuning,
    /// How ghosts are shown: applied to the client.
    Ghosts,
    /// Only the picture.
    Picture,
    /// The name, or whether to watch: sent to the server.
    Hello,
}

/// Why a control was not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlError {
    /// There is none of that name.
    Unknown {
        /// The name.
        name: String,
    },
    /// The server is no demonstration.
    NoDemo {
        /// The control.
        name: String,
    },
    /// The server cannot do that.
    Missing {
        /// The control.
        name: String,
        /// What it lacks.
        why: String,
    },
    /// It does not take this value.
    Value {
        /// The control.
        name: String,
        /// The value.
        got: String,
    },
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name } => {
                write!(f, "no control is called {name}; there are {}", NAMES.join(", "))
            }
            Self::NoDemo { name } => {
                write!(f, "{name} cannot be set: this server is no demonstration")
            }
            Self::Missing { name, why } => write!(f, "{name} cannot be set so: {why}"),
            Self::Value { name, got } => {
                write!(f, "{name} cannot be {got}; see its limits on the page")
            }
        }
    }
}

impl std::error::Error for ControlError {}

/// The state of all controls.
#[derive(Clone, Debug, PartialEq)]
pub struct Controls {
    /// The simulated link.
    pub link: LinkChoice,
    /// How the server reckons.
    pub tuning: ServerTuning,
    /// How ghosts shed their errors.
    pub blend: Blend,
    /// How soon they do.
    pub motion: BlendStyle,
    /// What is drawn over the arena.
    pub overlays: Overlays,
    /// Which picture is drawn.
    pub view: ViewMode,
    /// What others call us.
    pub name: String,
    /// We watch and do not play.
    pub watch: bool,
    /// The server is a demonstration, or there is none.
    pub demo: bool,
    /// Planners that cannot be chosen, and why.
    pub missing: BTreeMap<ModelChoice, String>,
}

impl Default for Controls {
    fn default() -> Self {
        Self {
            link: LinkChoice::NONE,
            tuning: ServerTuning::default(),
            blend: Blend::ProjectiveVelocity,
            motion: BlendStyle::default(),
            overlays: Overlays {
                truth: true,
                naive: true,
                ghost: true,
                errors: false,
                trend: false,
                zones: false,
            },
            view: ViewMode::Arena,
            name: String::new(),
            watch: false,
            demo: true,
            missing: BTreeMap::new(),
        }
    }
}

impl Controls {
    /// Sets a control as the page does: numbers in figures, boxes as `true` or `false`.
    ///
    /// # Errors
    /// When there is none of that name, the value is not one of its, or it needs a demonstration.
    pub fn set(&mut self, name: &str, value: &str) -> Result<Change, ControlError> {
        if !self.demo && DEMO_NAMES.contains(&name) {
            return Err(ControlError::NoDemo { name: name.to_string() });
        }
        if let Some(why) = self.lacks(name, value) {
            return Err(ControlError::Missing { name: name.to_string(), why: why.to_string() });
        }
        self.try_set(name, value).unwrap_or_else(|| {
            let (name, got) = (name.to_string(), value.to_string());
            Err(ControlError::Value { name, got })
        })
    }

    /// What is missing for a choice of planner.
    fn lacks(&self, name: &str, value: &str) -> Option<&str> {
        let number = value.parse::<usize>().ok().filter(|_| name == "model")?;
        self.missing.get(ModelChoice::ALL.get(number)?).map(String::as_str)
    }

    /// `None` when the value is wrong.
    fn try_set(&mut self, name: &str, value: &str) -> Option<Result<Change, ControlError>> {
        let change = match name {
            "latency" | "jitter" | "loss" | "burst" | "preset" => {
                self.set_link(name, value)?;
                Change::Link
            }
            "model" | "threshold" | "policy" | "budget" | "weights" | "near" | "far" => {
                self.set_tuning(name, value)?;
                Change::Tuning
            }
            "blend" => {
                self.blend = BLENDS.iter().find(|it| it.0 == value)?.1;
                Change::Ghosts
            }
            "motion" => {
                self.motion = BlendStyle::ALL.into_iter().find(|it| it.name() == value)?;
                Change::Ghosts
            }
            "view" => {
                self.view = match value {
                    "arena" => ViewMode::Arena,
                    "compare" => ViewMode::Compare,
                    _ => return None,
                };
                Change::Picture
            }
            "name" => {
                self.name = reckoning_arena::protocol::clean_name(value);
                Change::Hello
            }
            "watch" => {
                self.watch = value.parse().ok()?;
                Change::Hello
            }
            _ => {
                let Some(overlay) = self.overlay(name) else {
                    return Some(Err(ControlError::Unknown { name: name.to_string() }));
                };
                *overlay = value.parse().ok()?;
                Change::Picture
            }
        };
        Some(Ok(change))
    }

    fn set_link(&mut self, name: &str, value: &str) -> Option<()> {
        if name == "preset" {
            self.link = PRESETS.iter().find(|it| it.name == value)?.link;
            return Some(());
        }
        let number: u16 = value.parse().ok()?;
        let within = |most: u16| (number <= most).then_some(number);
        let small = |most: u8| within(u16::from(most)).map(|it| it as u8);
        match name {
            "latency" => self.link.delay_ms = within(LinkChoice::MAX_DELAY_MS)?,
            "jitter" => self.link.jitter_ms = within(LinkChoice::MAX_JITTER_MS)?,
            "loss" => self.link.loss_percent = small(LinkChoice::MAX_LOSS_PERCENT)?,
            _ => self.link.burst = small(LinkChoice::MAX_BURST).filter(|it| *it > 0)?,
        }
        Some(())
    }

    fn set_tuning(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "threshold" => {
                let [least, most] = ServerTuning::THRESHOLDS_PX;
                let px: f32 = value.parse().ok()?;
                self.tuning.threshold_px = (least..=most).contains(&px).then_some(px)?;
            }
            "budget" => {
                let [least, most] = ServerTuning::BUDGETS_PERCENT;
                let percent: u8 = value.parse().ok()?;
                self.tuning.budget_percent =
                    (least..=most).contains(&percent).then_some(percent)?;
            }
            "near" => self.tuning.near_delayed = is_delayed(value)?,
            "far" => self.tuning.far_delayed = is_delayed(value)?,
            "model" => self.tuning.model = *ModelChoice::ALL.get(value.parse::<usize>().ok()?)?,
            "weights" => {
                self.tuning.weights = *WeightsChoice::ALL.get(value.parse::<usize>().ok()?)?;
            }
            _ => self.tuning.policy = *PolicyChoice::ALL.get(value.parse::<usize>().ok()?)?,
        }
        Some(())
    }

    fn overlay(&mut self, name: &str) -> Option<&mut bool> {
        let overlays = &mut self.overlays;
        match name {
            "truth" => Some(&mut overlays.truth),
            "naive" => Some(&mut overlays.naive),
            "ghost" => Some(&mut overlays.ghost),
            "errors" => Some(&mut overlays.errors),
            "trend" => Some(&mut overlays.trend),
            "zones" => Some(&mut overlays.zones),
            _ => None,
        }
    }

    /// What a control shows, in the words [`Controls::set`] takes; `None` for an unknown one and
    /// for a link that is no preset.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<String> {
        let mut copy = self.clone();
        Some(match name {
            "latency" => self.link.delay_ms.to_string(),
            "jitter" => self.link.jitter_ms.to_string(),
            "loss" => self.link.loss_percent.to_string(),
            "burst" => self.link.burst.to_string(),
            "preset" => PRESETS.iter().find(|it| it.link == self.link)?.name.to_string(),
            "model" => (self.tuning.model as u8).to_string(),
            "threshold" => self.tuning.threshold_px.to_string(),
            "policy" => (self.tuning.policy as u8).to_string(),
            "budget" => self.tuning.budget_percent.to_string(),
            "weights" => (self.tuning.weights as u8).to_string(),
            "near" => shown_name(self.tuning.near_delayed).to_string(),
            "far" => shown_name(self.tuning.far_delayed).to_string(),
            "blend" => BLENDS.iter().find(|it| it.1 == self.blend)?.0.to_string(),
            "motion" => self.motion.name().to_string(),
            "view" if self.view == ViewMode::Compare => "compare".to_string(),
            "view" => "arena".to_string(),
            "name" => self.name.clone(),
            "watch" => self.watch.to_string(),
            _ => copy.overlay(name)?.to_string(),
        })
    }

    /// How our own body is to be published.
    #[must_use]
    pub fn publishing(&self) -> PublisherConfig {
        publisher_config(&self.tuning)
    }

    /// How ghosts are to be shown.
    #[must_use]
    pub fn ghosts(&self) -> GhostConfig {
        let mut config = ghost_config(self.motion);
        config.blend = self.blend;
        config
    }
}

/// How bodies at some distance are shown, as the page calls it.
fn is_delayed(value: &str) -> Option<bool> {
    [false, true].into_iter().find(|it| shown_name(*it) == value)
}

/// As the page calls it.
#[must_use]
pub const fn shown_name(is_delayed: bool) -> &'static str {
    if is_delayed { "delayed" } else { "reckoned" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_says_what_it_was_set_to() {
        let sets = [
            ("latency", "150", Change::Link),
            ("jitter", "40", Change::Link),
            ("loss", "3", Change::Link),
            ("burst", "2", Change::Link),
            ("preset", "awful", Change::Link),
            ("model", "2", Change::Tuning),
            ("threshold", "7.5", Change::Tuning),
            ("policy", "4", Change::Tuning),
            ("budget", "50", Change::Tuning),
            ("weights", "3", Change::Tuning),
            ("near", "delayed", Change::Tuning),
            ("far", "delayed", Change::Tuning),
            ("blend", "snap", Change::Ghosts),
            ("motion", "calm", Change::Ghosts),
            ("truth", "false", Change::Picture),
            ("naive", "false", Change::Picture),
            ("ghost", "false", Change::Picture),
            ("errors", "true", Change::Picture),
            ("trend", "true", Change::Picture),
            ("zones", "true", Change::Picture),
            ("view", "compare", Change::Picture),
            ("name", "Ada", Change::Hello),
            ("watch", "true", Change::Hello),
        ];
        assert_eq!(sets.map(|it| it.0), NAMES);
        for (name, value, change) in sets {
            let mut controls = Controls::default();
            assert_eq!(controls.set(name, value), Ok(change), "{name}");
            assert_eq!(controls.value(name).as_deref(), Some(value), "{name}");
            assert_ne!(controls, Controls::default(), "{name}");
        }
    }

    #[test]
    fn wrong_values_change_nothing_and_are_named() {
        let mut controls = Controls::default();
        for (name, value) in [
            ("latency", "1001"),
            ("latency", "fast"),
            ("burst", "0"),
            ("loss", "51"),
            ("model", "13"),
            ("budget", "4"),
            ("weights", "6"),
            ("near", "late"),
            ("threshold", "0"),
            ("threshold", "NaN"),
            ("blend", "none"),
            ("motion", "wild"),
            ("truth", "1"),
            ("preset", "moon"),
        ] {
            let error = controls.set(name, value).unwrap_err().to_string();
            assert!(error.contains(&format!("{name} cannot be {value}")), "{error}");
        }
        assert_eq!(controls, Controls::default());
        assert!(controls.set("speed", "1").unwrap_err().to_string().contains("no control"));
    }

    #[test]
    fn a_planner_that_the_server_lacks_is_refused_with_its_reason() {
        let mut controls = Controls::default();
        controls.missing.insert(ModelChoice::Trend, "this level has no trend map".to_string());
        let error = controls.set("model", "11").unwrap_err().to_string();
        assert!(error.contains("no trend map"), "{error}");
        assert_eq!(controls.set("model", "12"), Ok(Change::Tuning));
    }

    #[test]
    fn the_page_offers_every_planner_policy_and_weight() {
        let page = include_str!("../page/index.html");
        let offered = |value: String| page.contains(&value);
        for choice in ModelChoice::ALL {
            let (number, name) = (choice as u8, choice.name());
            let button = format!("data-control=\"model\" data-value=\"{number}\"");
            assert!(offered(button), "{name}");
            assert!(offered(format!("id=\"worth-{number}\"")), "{name}");
        }
        for (name, count) in
            [("policy", PolicyChoice::ALL.len()), ("weights", WeightsChoice::ALL.len())]
        {
            let from = page.find(&format!("data-control=\"{name}\"")).unwrap();
            let select = &page[from..from + page[from..].find("</select>").unwrap()];
            assert_eq!(select.matches("<option").count(), count, "{name}");
        }
    }

    #[test]
    fn without_a_demonstration_its_controls_are_refused_and_hidden() {
        let mut controls = Controls { demo: false, ..Controls::default() };
        let before = controls.clone();
        for (name, value) in [("latency", "150"), ("threshold", "7.5"), ("watch", "true")] {
            let error = controls.set(name, value).unwrap_err().to_string();
            assert!(error.contains("no demonstration"), "{error}");
        }
        assert_eq!(controls, before);
        controls.set("name", "Ada").unwrap();
        controls.set("blend", "snap").unwrap();

        let style = include_str!("../page/style.css");
        assert!(style.contains("html[data-demo=\"false\"] .demo-only"), "nothing hides them");
        let page = include_str!("../page/index.html");
        for name in DEMO_NAMES {
            for (at, _) in page.match_indices(&format!("data-control=\"{name}\"")) {
                // The element that is hidden is still open where the control stands.
                let mark = page[..at].rfind("demo-only").expect("it is marked");
                let from = page[..mark].rfind('<').expect("a class is in a tag");
                let tag = page[from + 1..mark].split(' ').next().expect("a tag has a name");
                let opened = page[from..at].matches(&format!("<{tag}")).count();
                let closed = page[from..at].matches(&format!("</{tag}>")).count();
                assert!(opened > closed, "{name} stands outside of what is hidden");
            }
        }
    }

    #[test]
    fn a_link_that_was_changed_by_hand_is_no_preset() {
        let mut controls = Controls::default();
        controls.set("preset", "mobile").unwrap();
        assert_eq!(controls.value("preset").as_deref(), Some("mobile"));
        controls.set("latency", "151").unwrap();
        assert_eq!(controls.value("preset"), None);
    }

    #[test]
    fn the_page_has_every_control_with_its_explanation() {
        let page = include_str!("../page/index.html");
        for name in NAMES {
            let at = page.find(&format!("data-control=\"{name}\"")).unwrap_or_else(|| {
                panic!("page/index.html has no data-control=\"{name}\"");
            });
            // The line of explanation stands in the same block, before the next control.
            let block = &page[..at].rfind("<div class=\"control").map(|from| &page[from..]);
            let block = block.unwrap_or_else(|| panic!("{name} is in no control block"));
            let end = block.find("</div><!-- control -->").unwrap_or(block.len());
            assert!(block[..end].contains("class=\"why\""), "{name} has no explanation");
        }
    }
}
