//! Join tokens: signed permission to join, where, as whom and until when.
//!
//! Whoever admits players, a lobby or a web site, shares a [`TokenKey`] with the server and
//! signs a [`Token`] for each player. The server checks it without asking anyone:
//!
//! ```text
//!   1       16     8        1 + n   1 + n     1 + 4 each  32
//!   version nonce  expires  server  audience  entities    HMAC-SHA256 of all before it
//! ```
//!
//! Numbers are little-endian; a name is preceded by its length, the entities by their count. A token
//! is good for one server and one audience ([`TokenScope`]), so that servers may share a key; it is
//! bound to the entities it names and ends at a moment. Its nonce lives in one session at a time (see
//! `LiveTokens`), so a copied token gains nothing while its owner plays, and the owner can come back
//! after a broken connection: once nothing was heard on the old one for two seconds, in which a live
//! client sends a lot, the new one takes its place. Whoever is put out for its conduct does not come
//! back with the same token (see `TokenPolicy`).

mod key_file;
mod live;
mod policy;

use std::fmt;

use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};

pub use key_file::{KeyFileError, write_new_key};
pub(crate) use live::LiveTokens;
pub(crate) use policy::TokenPolicy;

const VERSION: u8 = 2;
const NONCE_BYTES: usize = 16;
const MAC_BYTES: usize = 32;
/// No token names more entities.
pub const MAX_ENTITIES: usize = 32;
/// Fewer bytes than this can be guessed.
pub const MIN_KEY_BYTES: usize = 32;
/// The longest token there is, in bytes.
pub const MAX_TOKEN_BYTES: usize =
    1 + NONCE_BYTES + 8 + 2 * (1 + MAX_NAME_BYTES) + 1 + 4 * MAX_ENTITIES + MAC_BYTES;
/// No server and no audience has a longer name.
pub const MAX_NAME_BYTES: usize = 64;

/// The number that tells two tokens apart.
pub type Nonce = [u8; NONCE_BYTES];

/// Where a token is good. Both names are up to whoever mints and serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenScope {
    /// The server, such as `eu-1.example.org`. Default: `reckoning`.
    pub server: String,
    /// Whom the server lets in, such as a game or a league. Default: `players`.
    pub audience: String,
}

impl TokenScope {
    /// The server of tokens that name no other.
    pub const DEFAULT_SERVER: &'static str = "reckoning";
    /// The audience of tokens that name no other.
    pub const DEFAULT_AUDIENCE: &'static str = "players";
}

impl Default for TokenScope {
    fn default() -> Self {
        Self { server: Self::DEFAULT_SERVER.into(), audience: Self::DEFAULT_AUDIENCE.into() }
    }
}

/// Contents of a token whose signature was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Tells two tokens apart; one session at a time.
    pub nonce: Nonce,
    /// Seconds since 1970 at which it ends.
    pub expires: u64,
    /// Where it is good.
    pub scope: TokenScope,
    /// The seats it is good for: numbers that mean something to the game. Empty: the game decides.
    pub entities: Vec<u32>,
}

/// Why a token was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenError {
    /// It is not a token.
    Malformed {
        /// How long it is.
        bytes: usize,
    },
    /// It is a token of another version.
    Version {
        /// Which.
        got: u8,
    },
    /// It was not signed with our key, or altered since.
    Forged,
    /// Its time is over.
    Expired {
        /// When it ended, in seconds since 1970.
        expires: u64,
    },
    /// It is for another server.
    OtherServer {
        /// Which.
        got: String,
    },
    /// It is for another audience.
    OtherAudience {
        /// Which.
        got: String,
    },
    /// Its holder was put out for its conduct.
    Revoked,
    /// Someone plays with it now.
    InUse,
}

/// The label of each [`TokenError`], in its order.
pub(crate) const TOKEN_ERRORS: [&str; 8] =
    ["malformed", "version", "forged", "expired", "server", "audience", "revoked", "in_use"];

impl TokenError {
    /// The place of its label in [`TOKEN_ERRORS`].
    pub(crate) const fn index(&self) -> usize {
        match self {
            Self::Malformed { .. } => 0,
            Self::Version { .. } => 1,
            Self::Forged => 2,
            Self::Expired { .. } => 3,
            Self::OtherServer { .. } => 4,
            Self::OtherAudience { .. } => 5,
            Self::Revoked => 6,
            Self::InUse => 7,
        }
    }
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { bytes } => {
                write!(f, "token of {bytes} bytes is not one; mint one with `reckon token`")
            }
            Self::Version { got } => {
                write!(f, "token of version {got}, not {VERSION}; mint a new one")
            }
            Self::OtherServer { got } => {
                write!(f, "token is for the server {got:?}; mint it for this one's token_server")
            }
            Self::OtherAudience { got } => {
                write!(f, "token is for {got:?}; mint it for this server's token_audience")
            }
            Self::Revoked => {
                f.write_str("token is revoked: its holder was put out for its conduct")
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
    /// A server or an audience without a name, or with one that is too long.
    Name {
        /// How long it is.
        bytes: usize,
    },
    /// Others than its owner can read the file.
    Exposed {
        /// Its permissions.
        mode: u32,
    },
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
            Self::Name { bytes } => {
                write!(f, "name of {bytes} bytes; give 1 to {MAX_NAME_BYTES}")
            }
            Self::Exposed { mode } => {
                write!(f, "others can read the key (mode {mode:03o}); run `chmod 600` on the file")
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
    scope: TokenScope,
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
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        Ok(Self { key, scope: TokenScope::default() })
    }

    /// The same key for tokens of another scope than the default one.
    ///
    /// # Errors
    /// When a name is empty or longer than [`MAX_NAME_BYTES`].
    pub fn for_scope(self, scope: TokenScope) -> Result<Self, TokenKeyError> {
        for name in [&scope.server, &scope.audience] {
            if !(1..=MAX_NAME_BYTES).contains(&name.len()) {
                return Err(TokenKeyError::Name { bytes: name.len() });
            }
        }
        Ok(Self { scope, ..self })
    }

    /// A key written in hexadecimal, as a key file holds it.
    ///
    /// # Errors
    /// When it is not hexadecimal, or too short.
    pub fn from_hex(text: &str) -> Result<Self, TokenKeyError> {
        Self::new(&from_hex(text.trim()).ok_or(TokenKeyError::NotHex)?)
    }

    /// Signs a new token of its scope for these entities, good until `expires` (seconds since 1970).
    /// Entities beyond [`MAX_ENTITIES`] are left out.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn mint(&self, entities: &[u32], expires: u64) -> Result<Vec<u8>, TokenKeyError> {
        let nonce = random::<NONCE_BYTES>()?;
        let entities = entities[..entities.len().min(MAX_ENTITIES)].to_vec();
        Ok(self.sign(&Token { nonce, expires, scope: self.scope.clone(), entities }))
    }

    fn sign(&self, token: &Token) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        bytes.extend(token.nonce);
        bytes.extend(token.expires.to_le_bytes());
        for name in [&token.scope.server, &token.scope.audience] {
            bytes.push(name.len() as u8);
            bytes.extend(name.as_bytes());
        }
        bytes.push(token.entities.len() as u8);
        bytes.extend(token.entities.iter().flat_map(|entity| entity.to_le_bytes()));
        let mac = hmac::sign(&self.key, &bytes);
        bytes.extend(mac.as_ref());
        bytes
    }

    /// Verifies a token at the moment `now` (seconds since 1970). The signature is compared in
    /// constant time.
    ///
    /// # Errors
    /// When it is malformed, forged, of another scope or past its end.
    pub fn verify(&self, bytes: &[u8], now: u64) -> Result<Token, TokenError> {
        let malformed = TokenError::Malformed { bytes: bytes.len() };
        if bytes.len() > MAX_TOKEN_BYTES {
            return Err(malformed);
        }
        let Some((said, mac)) = bytes.split_last_chunk::<MAC_BYTES>() else {
            return Err(malformed);
        };
        hmac::verify(&self.key, said, mac).map_err(|_| TokenError::Forged)?;
        match said.first() {
            Some(&VERSION) => {}
            Some(&got) => return Err(TokenError::Version { got }),
            None => return Err(malformed),
        }
        let token = parse(said).ok_or(malformed)?;
        if token.scope.server != self.scope.server {
            return Err(TokenError::OtherServer { got: token.scope.server });
        }
        if token.scope.audience != self.scope.audience {
            return Err(TokenError::OtherAudience { got: token.scope.audience });
        }
        if token.expires <= now {
            return Err(TokenError::Expired { expires: token.expires });
        }
        Ok(token)
    }
}

/// Contents of a token of our version; `None` where a length does not fit.
fn parse(said: &[u8]) -> Option<Token> {
    let (_, rest) = said.split_first()?;
    let (nonce, rest) = rest.split_first_chunk::<NONCE_BYTES>()?;
    let (expires, rest) = rest.split_first_chunk::<8>()?;
    let (server, rest) = parse_name(rest)?;
    let (audience, rest) = parse_name(rest)?;
    let (count, entities) = rest.split_first()?;
    let (entities, left) = entities.as_chunks::<4>();
    if usize::from(*count) != entities.len() || count > &(MAX_ENTITIES as u8) || !left.is_empty() {
        return None;
    }
    Some(Token {
        nonce: *nonce,
        expires: u64::from_le_bytes(*expires),
        scope: TokenScope { server, audience },
        entities: entities.iter().map(|it| u32::from_le_bytes(*it)).collect(),
    })
}

fn parse_name(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (length, rest) = bytes.split_first()?;
    let (name, rest) = rest.split_at_checked(usize::from(*length))?;
    let is_name = (1..=MAX_NAME_BYTES).contains(&name.len());
    is_name.then_some(())?;
    Some((std::str::from_utf8(name).ok()?.to_string(), rest))
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
    fn a_token_is_for_one_server_and_one_audience() {
        let scope = |server: &str, audience: &str| {
            let scope = TokenScope { server: server.into(), audience: audience.into() };
            key().for_scope(scope)
        };
        let ours = scope("eu-1", "ranked").unwrap();
        let token = |of: &TokenKey| of.mint(&[], 1_000).unwrap();

        assert!(ours.verify(&token(&ours), 0).is_ok());
        let refusal = ours.verify(&token(&scope("eu-2", "ranked").unwrap()), 0).unwrap_err();
        assert_eq!(refusal, TokenError::OtherServer { got: "eu-2".into() });
        let refusal = ours.verify(&token(&scope("eu-1", "casual").unwrap()), 0).unwrap_err();
        assert_eq!(refusal, TokenError::OtherAudience { got: "casual".into() });
        assert!(matches!(ours.verify(&token(&key()), 0), Err(TokenError::OtherServer { .. })));
        let long = "x".repeat(MAX_NAME_BYTES + 1);
        assert_eq!(scope("", "a").unwrap_err(), TokenKeyError::Name { bytes: 0 });
        assert_eq!(scope("a", &long).unwrap_err(), TokenKeyError::Name { bytes: 65 });
    }

    #[test]
    fn the_longest_token_is_as_long_as_said_and_none_is_longer() {
        let name = "n".repeat(MAX_NAME_BYTES);
        let key = key().for_scope(TokenScope { server: name.clone(), audience: name }).unwrap();
        let token = key.mint(&[7; MAX_ENTITIES + 1], 1_000).unwrap();
        assert_eq!(token.len(), MAX_TOKEN_BYTES);
        assert_eq!(key.verify(&token, 0).unwrap().entities.len(), MAX_ENTITIES);
        let longer = vec![0; MAX_TOKEN_BYTES + 1];
        assert_eq!(key.verify(&longer, 0), Err(TokenError::Malformed { bytes: longer.len() }));
    }

    #[test]
    fn a_signed_token_of_another_version_is_told_so() {
        let key = key();
        let mut said = vec![1];
        said.extend([0; 25]);
        said.extend(hmac::sign(&key.key, &said.clone()).as_ref());
        assert_eq!(key.verify(&said, 0), Err(TokenError::Version { got: 1 }));
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
