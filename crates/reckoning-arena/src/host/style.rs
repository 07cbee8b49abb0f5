//! How bodies are published and shown, whatever planner foresees them.
//!
//! `testdata/arena-links.txt` has each part of it alone and all of them together, over six links,
//! and the default is what it says.

use std::time::Duration;

use reckoning::{AimConfig, BlendSpan, GhostConfig};

/// A body that a close blend is made for: those of the proving grounds.
const WIDTH_PX: f64 = 40.0;
/// Lines fit best from here on: what comes before has not arrived behind most links, and a later
/// beginning shows a third more error behind short ones.
const AIMED_FROM: Duration = Duration::from_millis(100);
/// As long as most updates are on their way.
const JUDGED_AHEAD: Duration = Duration::from_millis(200);
/// Bodies turn within a fifth of a second; a calm blend takes no less.
const CALM: Duration = Duration::from_millis(200);
/// Errors that take longer than [`CALM`] to shed are shed at about two thirds of the top speed on
/// average, so that corrections look like running and not like dashing.
const CALM_PER_PX: Duration = Duration::from_micros(3_400);
const LONGEST_CALM: Duration = Duration::from_millis(500);

/// How ghosts shed their errors; each player's own choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlendStyle {
    /// As soon as can be with a bounded acceleration: less error, livelier motion.
    #[default]
    Close,
    /// At about two thirds of the top speed.
    Calm,
}

impl BlendStyle {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Close, Self::Calm];

    /// As the page calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Close => "close",
            Self::Calm => "calm",
        }
    }

    /// How long blends take.
    #[must_use]
    pub fn span(self) -> BlendSpan {
        match self {
            Self::Close => BlendSpan::close(WIDTH_PX),
            Self::Calm => {
                BlendSpan::ByError { min: CALM, max: LONGEST_CALM, per_metre: CALM_PER_PX }
            }
        }
    }
}

/// How bodies are published and shown. The default is the arena's own.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MotionStyle {
    /// Whether foreseen paths go out as straight lines: [`Kind::aim`](reckoning_net::Kind::aim).
    pub aim: Option<AimConfig>,
    /// How far ahead errors are judged:
    /// [`PublisherConfig::judge_ahead`](reckoning::PublisherConfig::judge_ahead).
    pub judge_ahead: Option<Duration>,
    /// How clients show others, unless their players choose otherwise.
    pub ghost: GhostConfig,
}

impl Default for MotionStyle {
    /// Lines, judged ahead and closely blended. Ghosts do not hedge: with foreseen bots carrying on
    /// is the best of the three on all links, and trust in the others costs a few hundredths.
    fn default() -> Self {
        let mut aim = AimConfig::default();
        aim.from = AIMED_FROM;
        Self {
            aim: Some(aim),
            judge_ahead: Some(JUDGED_AHEAD),
            ghost: ghost_config(BlendStyle::Close),
        }
    }
}

impl MotionStyle {
    /// What planners foresee as it is, judged when it is wrong, and shown calmly.
    #[must_use]
    pub fn calm() -> Self {
        Self { aim: None, judge_ahead: None, ghost: ghost_config(BlendStyle::Calm) }
    }
}

/// How clients show others. The host's memory of what they saw takes it to be the default style,
/// until they say otherwise.
#[must_use]
pub fn ghost_config(style: BlendStyle) -> GhostConfig {
    let mut ghost = GhostConfig::default();
    ghost.span = style.span();
    ghost.max_extrapolation = Duration::from_millis(1_500);
    ghost
}
