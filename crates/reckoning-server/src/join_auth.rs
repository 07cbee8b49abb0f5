//! Authorisation of joins: open to all, or with a valid token that is not in use.

use reckoning_net::{DisconnectReason, PeerId};

use crate::game::Joiner;
use crate::token::{LiveTokens, TokenKey};

/// Authorises those who ask to join.
#[derive(Debug)]
pub(crate) struct JoinAuth {
    /// `None` lets everyone in.
    key: Option<TokenKey>,
    live: LiveTokens,
}

impl JoinAuth {
    pub(crate) fn new(key: Option<TokenKey>) -> Self {
        Self { key, live: LiveTokens::default() }
    }

    /// Checks what a joiner shows at `now`, in seconds since 1970. `is_silent` tells whether
    /// nothing was heard of a peer for long.
    pub(crate) fn authorize(
        &mut self,
        peer: PeerId,
        shown: &[u8],
        now: u64,
        is_silent: impl FnOnce(PeerId) -> bool,
    ) -> Result<Joiner, DisconnectReason> {
        let Some(key) = &self.key else { return Ok(Joiner { peer, token: None }) };
        let checked = key.verify(shown, now).and_then(|token| {
            self.live.take(token.nonce, peer, is_silent)?;
            Ok(Joiner { peer, token: Some(token) })
        });
        checked.map_err(|error| {
            tracing::info!(peer = peer.0, %error, "join refused");
            DisconnectReason::Token
        })
    }

    /// The peer is gone; its token may be used again.
    pub(crate) fn release(&mut self, peer: PeerId) {
        self.live.release(peer);
    }
}
