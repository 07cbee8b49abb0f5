//! State of the page as JSON, for tests and for the curious.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::hills::figures::HillsFigures;
use crate::hills::traffic::TrafficFigures;

/// Everything that `window.reckoning.state()` returns.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PageState {
    /// `loading`, `connecting`, `joined`, `lost`, `over` or `replay`.
    pub status: &'static str,
    /// What the server or the browser said when it was lost.
    pub said: String,
    /// `webtransport`, `websocket` or empty.
    pub transport: &'static str,
    /// Our player's number.
    pub player: Option<u16>,
    /// Our entity's.
    pub entity: Option<u32>,
    /// Where our own body is.
    pub me: Option<PointState>,
    /// Whether it takes part.
    pub alive: bool,
    /// From 0 to the level's most.
    pub health: f32,
    /// Shots left.
    pub ammo: u16,
    /// Of both teams.
    pub scores: [u16; 2],
    /// Everyone else in the picture.
    pub ghosts: Vec<GhostState>,
    /// The vehicles in the picture.
    pub vehicles: Vec<VehicleState>,
    /// The entity of what we drive.
    pub rides: Option<u32>,
    /// Mean errors over the last five seconds.
    pub error: PerMethod,
    /// What the headline says: see [`headline`](crate::headline).
    pub headline: String,
    /// How interpolation is done, once positions came.
    pub interpolation: Option<InterpolationState>,
    /// The way to the server, as the pill has it; `None` while it is measured.
    pub one_way_ms: Option<f64>,
    /// What 95 of 100 errors were below.
    pub error_p95: PerMethod,
    /// What each style of blends would show, by its name: see [`motion`](crate::motion).
    pub motion: BTreeMap<&'static str, MotionState>,
    /// How many looks the errors are of.
    pub error_count: u32,
    /// The largest step between two frames as drawn, in pixels per second, since the meters were
    /// cleared. What explains Reckoning's is in `paths`.
    pub step: PerMethod,
    /// The paths that ghosts follow, and how far off they were.
    pub paths: Paths,
    /// Updates used, per second.
    pub updates_per_s: f64,
    /// Positions a naive game received, per second.
    pub plain_updates_per_s: f64,
    /// Bytes received per second: with the headers of datagrams ([`HEADER_BYTES`]) and without the
    /// game's own messages.
    ///
    /// [`HEADER_BYTES`]: crate::meter::HEADER_BYTES
    pub bytes_per_s: f64,
    /// The same of plain positions, which a naive game and interpolation are made of.
    pub plain_bytes_per_s: f64,
    /// How long our frames took.
    pub frames: Frames,
    /// How the server reckons, as it said itself.
    pub tuning: Option<TuningState>,
    /// What somebody else chose for everyone and our controls do not show, in words.
    pub everyone: String,
    /// The planner of our own body, as it runs here.
    pub own_planner: String,
    /// What each planner is worth, by its name; those that are not measured are left out.
    pub worth: BTreeMap<&'static str, WorthState>,
    /// Planners that this server lacks something for, and what.
    pub missing: BTreeMap<&'static str, String>,
    /// Export errors as the server keeps account of them.
    pub account: Option<AccountState>,
    /// `common`, or `per-hop` without a common clock.
    pub clock: &'static str,
    /// By what shots are judged: `past`, what the shooter saw, or `present`.
    pub hits: &'static str,
    /// Bodies are drawn as a naive game draws them.
    pub draws_naively: bool,
    /// Our own shots and hits: with Reckoning, and drawn naively.
    pub hit_counts: [[u32; 2]; 2],
    /// Where a replay stands.
    pub replay: Option<ReplayState>,
    /// What there is besides in the hills; errors above are centimetres there.
    pub hills: Option<HillsState>,
}

/// The hills, beside what both games have.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HillsState {
    /// Where our own vehicle is.
    pub me: Option<[f64; 3]>,
    /// What it is; empty without one.
    pub craft: &'static str,
    /// How fast it goes.
    pub speed_mps: f64,
    /// Its turret on its hull.
    pub turret_deg: f64,
    /// Shots fired, and shells lobbed.
    pub fired: [u32; 2],
    /// `chase`, `free` or `top`.
    pub camera: &'static str,
    /// Where the picture is taken from.
    pub eye: [f64; 3],
    /// Where the barrel points, on the page.
    pub crosshair: Option<[f64; 2]>,
    /// Whether the line with the keys is shown.
    pub keys: bool,
    /// Pictures side by side.
    pub panes: u8,
    /// Whom the comparison follows.
    pub target: Option<u32>,
    /// Bodies in the picture.
    pub bodies: u32,
    /// The same by their sorts.
    pub counts: BTreeMap<&'static str, u32>,
    /// Where the first of each sort is shown.
    pub places: BTreeMap<&'static str, [f64; 3]>,
    /// Errors and what is under the ground, of the last seconds.
    pub figures: HillsFigures,
    /// What updates of the train take.
    pub train: TrafficFigures,
    /// Switches by their names.
    pub switches: BTreeMap<&'static str, String>,
    /// Half of the frames came sooner after the one before.
    pub frame_ms: f64,
}

/// How the server reckons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TuningState {
    /// The planner's name.
    pub planner: &'static str,
    /// Error of a guess that triggers an update.
    pub threshold_px: f32,
    /// The number of the fairness policy.
    pub policy: u8,
    /// Its budget, in hundredths.
    pub budget_percent: u8,
    /// The number of its weights.
    pub weights: u8,
    /// `reckoned` or `delayed`.
    pub near: &'static str,
    /// `reckoned` or `delayed`.
    pub far: &'static str,
}

/// What a planner is worth: shares of what constant velocity needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct WorthState {
    /// Of its error.
    pub error: f64,
    /// Of its updates.
    pub updates: f64,
}

/// What a style of blends is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MotionState {
    /// Its mean error.
    pub error: f64,
    /// The acceleration that it shows and that is not true, in pixels per second squared.
    pub restless: f64,
}

/// Export errors in pixel-seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct AccountState {
    /// Ours, as far as we acknowledged (CEE).
    pub confirmed: f32,
    /// Ours since then (EEE).
    pub estimated: f32,
    /// How many players have one.
    pub listeners: u16,
    /// The least of all (AEE).
    pub least: f32,
    /// Their mean.
    pub mean: f32,
    /// The largest.
    pub most: f32,
}

/// A place in the level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PointState {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// A vehicle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct VehicleState {
    /// Its entity.
    pub entity: u32,
    /// Where it is shown.
    pub x: f64,
    /// Where it is shown.
    pub y: f64,
    /// Somebody drives it.
    pub driven: bool,
}

/// Somebody else.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GhostState {
    /// Its entity.
    pub entity: u32,
    /// Its player's number.
    pub player: u16,
    /// Where it is shown.
    pub x: f64,
    /// Where it is shown.
    pub y: f64,
    /// Its name.
    pub name: String,
    /// Its side.
    pub team: u8,
    /// Nobody sits behind it.
    pub bot: bool,
    /// It is shown as it was a moment ago.
    pub delayed: bool,
}

/// A number for each way to show others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PerMethod {
    /// Reckoning's.
    pub reckoning: f64,
    /// The newest position received.
    pub naive: f64,
    /// The past between two.
    pub interpolation: f64,
}

/// The paths that ghosts follow, since the meters were cleared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Paths {
    /// The largest speed of the path that an update describes, in pixels per second.
    pub speed_px_s: f64,
    /// The largest distance between a ghost and the path of its newest update, in pixels: the
    /// largest error that a blend had to shed.
    pub offset_px: f64,
}

/// How long our frames took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Frames {
    /// Frames since the meters were cleared.
    pub count: u32,
    /// Those that took more than 16 ms.
    pub late: u32,
    /// The longest.
    pub worst_ms: f64,
    /// 99 of 100 took less.
    pub p99_ms: f64,
}

/// How interpolation is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct InterpolationState {
    /// How much longer than the usual way positions wait for their turn.
    pub buffer_ms: f64,
    /// Its mean error, were no datagram late or lost.
    pub best: Option<f64>,
}

/// Where a replay stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ReplayState {
    /// The moment shown.
    pub at_s: f64,
    /// The length of the recording.
    pub seconds: f64,
    /// Whether it runs.
    pub plays: bool,
}

impl PageState {
    /// As JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|_| "{}".to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_has_the_names_that_tests_rely_on() {
        let mut state = PageState {
            status: "joined",
            me: Some(PointState { x: 1.5, y: 2.0 }),
            ..PageState::default()
        };
        state.ghosts.push(GhostState { entity: 7, name: "Ada".into(), ..GhostState::default() });
        state.replay = Some(ReplayState { at_s: 1.0, seconds: 9.0, plays: true });
        state.hills = Some(HillsState { me: Some([1.0, 2.0, 3.0]), ..HillsState::default() });
        let said: serde_json::Value = serde_json::from_str(&state.to_json()).unwrap();
        assert_eq!(said["me"]["x"], 1.5);
        assert_eq!(said["ghosts"][0]["name"], "Ada");
        assert_eq!(said["replay"]["at_s"], 1.0);
        for name in ["status", "transport", "player", "entity", "updates_per_s", "bytes_per_s"] {
            assert!(said.get(name).is_some(), "{name}");
        }
        for name in ["headline", "interpolation", "one_way_ms"] {
            assert!(said.get(name).is_some(), "{name}");
        }
        for name in ["tuning", "own_planner", "worth", "missing", "account", "clock", "hits"] {
            assert!(said.get(name).is_some(), "{name}");
        }
        for name in ["reckoning", "naive", "interpolation"] {
            assert!(said["error"].get(name).is_some() && said["step"].get(name).is_some());
        }
        for name in ["speed_px_s", "offset_px"] {
            assert!(said["paths"].get(name).is_some(), "{name}");
        }
        assert_eq!(said["hills"]["me"][2], 3.0);
        for name in ["turret_deg", "camera", "counts", "figures", "switches", "frame_ms", "panes"] {
            assert!(said["hills"].get(name).is_some(), "{name}");
        }
        for name in ["count", "late", "worst_ms", "p99_ms"] {
            assert!(said["frames"].get(name).is_some(), "{name}");
        }
    }
}
