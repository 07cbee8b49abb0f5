//! STUB, replaced on merge: sessions that seeded bots play.

use crate::recording::Recording;

/// STUB: no sessions.
#[must_use]
pub fn sessions() -> Vec<Recording> {
    Vec::new()
}
