//! Parts that a model checker switches off to see that they are needed.

/// The parts of the protocol that hold it up when servers die. All are on, always: a test that switches
/// one off and finds two owners or a lost body is the proof that it is needed, and that the test
/// would notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Safeguards {
    /// Refuse what a fenced life of a server says.
    pub epochs: bool,
    /// Remember what was passed on, until the receiver says that it is safe.
    pub tombstones: bool,
    /// Keep each body with a second server.
    pub shadows: bool,
}

impl Default for Safeguards {
    fn default() -> Self {
        Self { epochs: true, tombstones: true, shadows: true }
    }
}
