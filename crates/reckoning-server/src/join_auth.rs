//! Authorisation of joins: open to all, or with a valid token that is not in use.

use std::sync::Arc;

use reckoning_net::PeerId;

use crate::game::Joiner;
use crate::settings::Access;
use crate::token::{LiveTokens, TokenError, TokenPolicy, to_hex};

/// Authorises those who ask to join.
#[derive(Debug)]
pub(crate) struct JoinAuth {
    /// `None` lets everyone in.
    policy: Option<Arc<TokenPolicy>>,
    /// Whether those without a valid token are refused.
    required: bool,
    live: LiveTokens,
}

impl JoinAuth {
    pub(crate) fn new(policy: Option<Arc<TokenPolicy>>, access: Access) -> Self {
        Self { policy, required: access == Access::Token, live: LiveTokens::default() }
    }

    /// Whether a valid token is more than a name.
    pub(crate) const fn knows_tokens(&self) -> bool {
        self.policy.is_some()
    }

    /// Checks what a joiner shows at `now`, in seconds since 1970. `is_silent` tells whether
    /// nothing was heard of a peer for long.
    pub(crate) fn authorize(
        &mut self,
        peer: PeerId,
        shown: &[u8],
        now: u64,
        is_silent: impl FnOnce(PeerId) -> bool,
    ) -> Result<Joiner, TokenError> {
        let Some(policy) = &self.policy else { return Ok(Joiner { peer, token: None }) };
        let checked = policy.verify(shown, now).and_then(|token| {
            self.live.take(&token, peer, is_silent)?;
            Ok(Joiner { peer, token: Some(token) })
        });
        match checked {
            Err(_) if !self.required => Ok(Joiner { peer, token: None }),
            checked => checked,
        }
    }

    /// The peer was put out for its conduct at `now`; its token is good no more.
    pub(crate) fn expel(&self, peer: PeerId, now: u64) {
        let Some(policy) = &self.policy else { return };
        let Some((nonce, expires)) = self.live.held_by(peer) else { return };
        tracing::warn!(peer = peer.0, token = %to_hex(&nonce), "put out, its token is revoked");
        policy.revoke(nonce, expires, now);
    }

    /// The peer is gone; its token may be used again.
    pub(crate) fn release(&mut self, peer: PeerId) {
        self.live.release(peer);
    }
}
