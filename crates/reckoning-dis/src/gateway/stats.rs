//! Counters of a gateway: what came, what was sent, and what could not be made use of, by name.

use std::collections::BTreeMap;

/// Names that are counted one by one; further ones are counted together.
const MAX_NAMES: usize = 64;
const OTHERS: &str = "others";

/// What a gateway counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GatewayStats {
    /// Datagrams that came.
    pub datagrams: u64,
    /// PDUs that were read from them.
    pub pdus: u64,
    /// PDUs of other exercises.
    pub other_exercises: u64,
    /// PDUs of our own that came back, as broadcasts do.
    pub own: u64,
    /// Entities of other gateways to the same server.
    pub echoes: u64,
    /// Late or repeated ones, by their timestamps.
    pub late: u64,
    /// Entities that were not taken in because there are too many.
    pub too_many: u64,
    /// PDUs sent, and their bytes.
    pub sent: u64,
    /// Bytes of those.
    pub sent_bytes: u64,
    unmapped: BTreeMap<String, u64>,
}

impl GatewayStats {
    /// What could not be made use of, and how often.
    pub fn unmapped(&self) -> impl Iterator<Item = (&str, u64)> {
        self.unmapped.iter().map(|(name, count)| (name.as_str(), *count))
    }

    /// Counts what could not be made use of.
    pub(super) fn miss(&mut self, name: &str) {
        if let Some(count) = self.unmapped.get_mut(name) {
            *count += 1;
        } else if self.unmapped.len() < MAX_NAMES {
            self.unmapped.insert(name.to_string(), 1);
        } else {
            *self.unmapped.entry(OTHERS.to_string()).or_default() += 1;
        }
    }
}
