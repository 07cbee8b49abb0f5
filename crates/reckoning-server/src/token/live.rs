//! Tokens that are being played with.

use std::collections::BTreeMap;

use reckoning_net::PeerId;

use super::{Nonce, Token, TokenError};

/// Which tokens are being played with. Holds one entry for each peer, so peers bound it.
#[derive(Debug, Default)]
pub(crate) struct LiveTokens {
    by_nonce: BTreeMap<Nonce, Holder>,
}

#[derive(Clone, Copy, Debug)]
struct Holder {
    peer: PeerId,
    expires: u64,
}

impl LiveTokens {
    /// Takes a token for a session. Who holds it keeps it, unless `is_silent` says that nothing
    /// was heard of it for so long that its connection must be dead: then whoever shows the
    /// token is its owner, come back.
    ///
    /// # Errors
    /// When another session has it.
    pub(crate) fn take(
        &mut self,
        token: &Token,
        peer: PeerId,
        is_silent: impl FnOnce(PeerId) -> bool,
    ) -> Result<(), TokenError> {
        let new = Holder { peer, expires: token.expires };
        let holder = self.by_nonce.entry(token.nonce).or_insert(new);
        if holder.peer != peer && !is_silent(holder.peer) {
            return Err(TokenError::InUse);
        }
        *holder = new;
        Ok(())
    }

    /// The token that a session holds: its nonce and its end.
    pub(crate) fn held_by(&self, peer: PeerId) -> Option<(Nonce, u64)> {
        let mut held = self.by_nonce.iter();
        held.find_map(|(nonce, it)| (it.peer == peer).then_some((*nonce, it.expires)))
    }

    /// Gives back what a session held.
    pub(crate) fn release(&mut self, peer: PeerId) {
        self.by_nonce.retain(|_, holder| holder.peer != peer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::TokenScope;

    #[test]
    fn a_token_lives_in_one_session_at_a_time() {
        let (first, second) = (PeerId(1), PeerId(2));
        let scope = TokenScope::default();
        let token = Token { nonce: [1; 16], expires: 9, scope, entities: Vec::new() };
        let mut live = LiveTokens::default();

        let (lively, silent) = (|_| false, |_| true);
        assert_eq!(live.take(&token, first, lively), Ok(()));
        assert_eq!(live.take(&token, first, lively), Ok(())); // a repeated join of the same peer
        assert_eq!(live.take(&token, second, lively), Err(TokenError::InUse));
        assert_eq!((live.held_by(first), live.held_by(second)), (Some(([1; 16], 9)), None));
        live.release(first);
        assert_eq!(live.take(&token, second, lively), Ok(()));
        assert_eq!(live.take(&token, first, silent), Ok(()));
        live.release(second); // the dead connection ends at last, and takes nothing with it
        assert_eq!(live.take(&token, second, lively), Err(TokenError::InUse));
    }
}
