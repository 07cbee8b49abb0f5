//! Rows of a frontier.

use super::intervals::BodyShare;
use super::{ErrorParts, IdealBytes};
use serde::{Deserialize, Serialize};

/// One method at one delay and one setting, over all measured bodies of a source. Bytes and
/// updates are those of one body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrontierRow {
    /// Which game or sport.
    pub source: String,
    /// Which method.
    pub method: String,
    /// What was swept: the bound or the rounding, in body widths.
    pub setting: String,
    /// One way.
    pub delay_ms: u64,
    /// Bytes of updates, without the headers of datagrams.
    pub bytes_per_s: f64,
    /// With its share of the headers of a batched downlink.
    pub bytes_per_s_with_headers: f64,
    /// With all headers, where each update is a datagram.
    pub bytes_per_s_uplink: f64,
    /// Updates or snapshots.
    pub updates_per_s: f64,
    /// Mean distance of what is shown and truth, in body widths.
    pub error_widths: f64,
    /// What 95 of 100 pictures stay below.
    pub p95_widths: f64,
    /// Root mean square of shown less true acceleration, in widths per second squared.
    pub acceleration_error: f64,
    /// What 95 of 100 pictures are at most faster than the body, in widths per second.
    pub extra_speed: f64,
    /// What each body added, in the same order for all methods.
    #[serde(skip)]
    pub(crate) bodies: Vec<BodyShare>,
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frontier {
    /// By source, method, setting and delay.
    pub rows: Vec<FrontierRow>,
    /// Where the error of methods that publish comes from, if that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<ErrorParts>,
    /// What updates would cost with static priors, likewise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ideal: Vec<IdealBytes>,
}

impl Frontier {
    /// The rows as JSON, for programs.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Sources in the order they were measured.
    pub(crate) fn sources(&self) -> Vec<&str> {
        unique(self.rows.iter().map(|row| row.source.as_str()))
    }

    /// Delays in order.
    pub(crate) fn delays_ms(&self) -> Vec<u64> {
        let mut delays = unique(self.rows.iter().map(|row| row.delay_ms));
        delays.sort_unstable();
        delays
    }

    /// Methods in the order they were measured.
    pub(crate) fn methods(&self) -> Vec<&str> {
        unique(self.rows.iter().map(|row| row.method.as_str()))
    }
}

fn unique<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for one in all {
        if !seen.contains(&one) {
            seen.push(one);
        }
    }
    seen
}
