//! Join tokens: signed permission to join, as whom and until when.
//!
//! Whoever admits players, a lobby or a web site, shares a [`TokenKey`] with the server and
//! signs a [`Token`] for each player. The server checks it without asking anyone:
//!
//! ```text
//!   1       16      8         1       4 each     32
//!   version nonce   expires   count   entities   HMAC-SHA256 of all before it
//! ```
//!
//! A token is bound to the entities it names and ends at a moment. Its nonce lives in one
//! session at a time (see `LiveTokens`), so a copied token gains nothing while its owner
//! plays, and the owner can come back after a broken connection: once nothing was heard on the
//! old one for two seconds, in which a live client sends a lot, the new one takes its place.

use std::collections::BTreeMap;
use std::fmt;

use reckoning_net::PeerId;
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};

const VERSION: u8 = 1;
const NONCE_BYTES: usize = 16;
const MAC_BYTES: usize = 32;
const FIXED_BYTES: usize = 1 + NONCE_BYTES + 8 + 1;
/// No token names more entities.
pub const MAX_ENTITIES: usize = 32;
/// Fewer bytes than this can be guessed.
pub const MIN_KEY_BYTES: usize = 32;
/// The longest token there is, in bytes.
pub const MAX_TOKEN_BYTES: usize = FIXED_BYTES + 4 * MAX_ENTITIES + MAC_BYTES;

/// The number that tells two tokens apart.
pub type Nonce = [u8; NONCE_BYTES];

/// Contents of a token whose signature was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Tells two tokens apart; one session at a time.
    pub nonce: Nonce,
    /// Seconds since 1970 at which it ends.
    pub expires: u64,
    /// The seats it is good for: numbers that mean something to the game. Empty: the game decides.
    pub entities: Vec<u32>,
}

/// Why a token was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenError {
    /// It is not a token of this version.
    Malformed {
        /// How long it is.
        bytes: usize,
    },
    /// It was not signed with our key, or altered since.
    Forged,
    /// Its time is over.
    Expired {
        /// When it ended, in seconds since 1970.
        expires: u64,
    },
    /// Someone plays with it now.
    InUse,
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { bytes } => {
                write!(f, "token of {bytes} bytes is not one; mint one with `reckon token`")
            }
            Self::Forged => {
                f.write_str("token was signed with another key; mint it with this server's")
            }
            Self::Expired { expires } => {
                write!(f, "token ended at {expires} s since 1970; mint a new one")
            }
            Self::InUse => f.write_str("token is in use; leave the other session first"),
        }
    }
}

impl std::error::Error for TokenError {}

/// Why a key could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenKeyError {
    /// Too short to be safe.
    TooShort {
        /// How long it is.
        bytes: usize,
    },
    /// A character that is no hexadecimal digit, or half a byte.
    NotHex,
    /// The system gave no random numbers.
    NoRandomness,
}

impl fmt::Display for TokenKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort { bytes } => {
                write!(f, "key of {bytes} bytes is too short; give {MIN_KEY_BYTES} or more")
            }
            Self::NotHex => {
                f.write_str("key is not hexadecimal; make one with `reckon token --new-key`")
            }
            Self::NoRandomness => f.write_str("the system gives no random numbers; try again"),
        }
    }
}

impl std::error::Error for TokenKeyError {}

/// The secret that signs and checks tokens.
#[derive(Clone)]
pub struct TokenKey {
    key: hmac::Key,
}

impl fmt::Debug for TokenKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenKey")
    }
}

impl TokenKey {
    /// A key of these bytes, 32 or more.
    ///
    /// # Errors
    /// When there are fewer.
    pub fn new(secret: &[u8]) -> Result<Self, TokenKeyError> {
        if secret.len() < MIN_KEY_BYTES {
            return Err(TokenKeyError::TooShort { bytes: secret.len() });
        }
        Ok(Self { key: hmac::Key::new(hmac::HMAC_SHA256, secret) })
    }

    /// A key written in hexadecimal, as a key file holds it.
    ///
    /// # Errors
    /// When it is not hexadecimal, or too short.
    pub fn from_hex(text: &str) -> Result<Self, TokenKeyError> {
        Self::new(&from_hex(text.trim()).ok_or(TokenKeyError::NotHex)?)
    }

    /// Signs a new token for these entities, good until `expires` (seconds since 1970).
    /// Entities beyond [`MAX_ENTITIES`] are left out.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn mint(&self, entities: &[u32], expires: u64) -> Result<Vec<u8>, TokenKeyError> {
        let nonce = random::<NONCE_BYTES>()?;
        let entities = entities[..entities.len().min(MAX_ENTITIES)].to_vec();
        Ok(self.sign(&Token { nonce, expires, entities }))
    }

    fn sign(&self, token: &Token) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        bytes.extend(token.nonce);
        bytes.extend(token.expires.to_le_bytes());
        bytes.push(token.entities.len() as u8);
        bytes.extend(token.entities.iter().flat_map(|entity| entity.to_le_bytes()));
        let mac = hmac::sign(&self.key, &bytes);
        bytes.extend(mac.as_ref());
        bytes
    }

    /// Verifies a token at the moment `now` (seconds since 1970).
    ///
    /// # Errors
    /// When it is malformed, forged or past its end.
    pub fn verify(&self, bytes: &[u8], now: u64) -> Result<Token, TokenError> {
        let malformed = TokenError::Malformed { bytes: bytes.len() };
        let said = bytes.len().checked_sub(MAC_BYTES).ok_or(malformed)?;
        let (said, mac) = bytes.split_at(said);
        hmac::verify(&self.key, said, mac).map_err(|_| TokenError::Forged)?;
        let token = parse(said).ok_or(malformed)?;
        if token.expires <= now {
            return Err(TokenError::Expired { expires: token.expires });
        }
        Ok(token)
    }
}

fn parse(said: &[u8]) -> Option<Token> {
    let (fixed, entities) = said.split_at_checked(FIXED_BYTES)?;
    let count = usize::from(fixed[FIXED_BYTES - 1]);
    if fixed[0] != VERSION || count > MAX_ENTITIES || entities.len() != 4 * count {
        return None;
    }
    let nonce = fixed[1..=NONCE_BYTES].try_into().ok()?;
    let expires = u64::from_le_bytes(fixed[1 + NONCE_BYTES..FIXED_BYTES - 1].try_into().ok()?);
    let (entities, _) = entities.as_chunks::<4>();
    Some(Token {
        nonce,
        expires,
        entities: entities.iter().map(|it| u32::from_le_bytes(*it)).collect(),
    })
}

/// Which tokens are being played with. Holds one entry for each peer, so peers bound it.
#[derive(Debug, Default)]
pub(crate) struct LiveTokens {
    by_nonce: BTreeMap<Nonce, PeerId>,
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
        nonce: Nonce,
        peer: PeerId,
        is_silent: impl FnOnce(PeerId) -> bool,
    ) -> Result<(), TokenError> {
        let holder = self.by_nonce.entry(nonce).or_insert(peer);
        if *holder != peer && !is_silent(*holder) {
            return Err(TokenError::InUse);
        }
        *holder = peer;
        Ok(())
    }

    /// Gives back what a session held.
    pub(crate) fn release(&mut self, peer: PeerId) {
        self.by_nonce.retain(|_, holder| *holder != peer);
    }
}

/// Bytes nobody can guess.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], TokenKeyError> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).map_err(|_| TokenKeyError::NoRandomness)?;
    Ok(bytes)
}

/// A new key, in hexadecimal.
///
/// # Errors
/// When the system gives no random numbers.
pub fn new_key_hex() -> Result<String, TokenKeyError> {
    random::<MIN_KEY_BYTES>().map(|bytes| to_hex(&bytes))
}

/// Bytes as hexadecimal digits.
#[must_use]
pub fn to_hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Bytes from hexadecimal digits.
#[must_use]
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let byte = |pair: &[u8; 2]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> TokenKey {
        TokenKey::new(&[7; 32]).unwrap()
    }

    #[test]
    fn a_token_comes_back_as_it_was_minted() {
        let bytes = key().mint(&[3, 70_000], 1_000).unwrap();

        let token = key().verify(&bytes, 999).unwrap();
        assert_eq!((token.entities, token.expires), (vec![3, 70_000], 1_000));
        let again = key().mint(&[3, 70_000], 1_000).unwrap();
        assert_ne!(key().verify(&again, 0).unwrap().nonce, token.nonce);
    }

    #[test]
    fn no_flipped_bit_and_no_cut_passes() {
        let bytes = key().mint(&[1], 1_000).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut forged = bytes.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(key().verify(&forged, 0), Err(TokenError::Forged), "bit {bit}");
        }
        for length in 0..bytes.len() {
            assert!(key().verify(&bytes[..length], 0).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn other_keys_and_late_hours_are_refused() {
        let bytes = TokenKey::new(&[8; 32]).unwrap().mint(&[], 1_000).unwrap();
        assert_eq!(key().verify(&bytes, 0), Err(TokenError::Forged));

        let bytes = key().mint(&[], 1_000).unwrap();
        assert_eq!(key().verify(&bytes, 1_000), Err(TokenError::Expired { expires: 1_000 }));
    }

    #[test]
    fn a_token_lives_in_one_session_at_a_time() {
        let (first, second) = (PeerId(1), PeerId(2));
        let mut live = LiveTokens::default();

        let (lively, silent) = (|_| false, |_| true);
        assert_eq!(live.take([1; 16], first, lively), Ok(()));
        assert_eq!(live.take([1; 16], first, lively), Ok(())); // a repeated join of the same peer
        assert_eq!(live.take([1; 16], second, lively), Err(TokenError::InUse));
        live.release(first);
        assert_eq!(live.take([1; 16], second, lively), Ok(()));
        assert_eq!(live.take([1; 16], first, silent), Ok(()));
        live.release(second); // the dead connection ends at last, and takes nothing with it
        assert_eq!(live.take([1; 16], second, lively), Err(TokenError::InUse));
    }

    #[test]
    fn keys_are_read_from_hexadecimal() {
        assert!(TokenKey::from_hex(&new_key_hex().unwrap()).is_ok());
        assert_eq!(TokenKey::from_hex("00ff").unwrap_err(), TokenKeyError::TooShort { bytes: 2 });
        assert_eq!(TokenKey::from_hex("zz").unwrap_err(), TokenKeyError::NotHex);
        assert_eq!(from_hex(&to_hex(&[0, 1, 0xab, 0xff])).unwrap(), [0, 1, 0xab, 0xff]);
        assert_eq!(from_hex("abc"), None);
    }
}
