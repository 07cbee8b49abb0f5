//! Authorisation of joins: open to all, or with a valid token that is not in use.

use reckoning_net::{DisconnectReason, PeerId};

use crate::game::Joiner;
use crate::settings::Access;
use crate::token::{LiveTokens, TokenKey};

/// Authorises those who ask to join.
#[derive(Debug)]
pub(crate) struct JoinAuth {
    /// `None` lets everyone in.
    key: Option<TokenKey>,
    /// Whether those without a valid token are refused.
    required: bool,
    live: LiveTokens,
}

impl JoinAuth {
    pub(crate) fn new(key: Option<TokenKey>, access: Access) -> Self {
        Self { key, required: access == Access::Token, live: LiveTokens::default() }
    }

    /// Whether a valid token is more than a name.
    pub(crate) const fn knows_tokens(&self) -> bool {
        self.key.is_some()
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
        if checked.is_err() && !self.required {
            return Ok(Joiner { peer, token: None });
        }
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
