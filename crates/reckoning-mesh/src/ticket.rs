//! Tickets: signed permission for a player to follow its body to another server.
//!
//! The old owner signs one when the next owner has accepted the body, and gives it to the player, who
//! joins the new server before leaving the old.
//!
//! ```text
//!   1        16     8        8       8     4 + 4    2 + 4  32           1 + n    32
//!   version  nonce  expires  player  body  version  to     certificate  address  HMAC-SHA256
//! ```
//!
//! A ticket is good once, for one player, one body at one version, one life of one server, for
//! seconds. So a copied one gains nothing once it was used, one for a server that was fenced since is
//! worth nothing, and one for a hand-over that came to nothing is refused, as that version is burnt.

use std::collections::BTreeMap;
use std::fmt;

use ring::hmac;

use crate::ids::{BodyId, Epoch, Incarnation, ServerId, Version};

const TICKET_VERSION: u8 = 1;
const MAC_BYTES: usize = 32;
/// Fewer bytes than this can be guessed.
pub const MIN_TICKET_KEY_BYTES: usize = 32;
/// No address in a ticket is longer, in bytes.
pub const MAX_ADDRESS_BYTES: usize = 255;
/// For how long a ticket is good, in seconds.
pub const TICKET_LIFETIME_S: u64 = 10;

/// Contents of a ticket whose signature was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Tells two tickets apart; drawn by the shell.
    pub nonce: [u8; 16],
    /// Seconds since 1970 at which it ends.
    pub expires: u64,
    /// Whom it is for: the number of the player's session token, or another that is its own.
    pub player: u64,
    /// The player's body.
    pub body: BodyId,
    /// The version the body has there.
    pub version: Version,
    /// The life of the server that takes it.
    pub to: Incarnation,
    /// SHA-256 of that server's certificate.
    pub certificate: [u8; 32],
    /// Where that server is reached.
    pub address: String,
}

/// Why a ticket was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TicketError {
    /// It is not a ticket.
    Malformed {
        /// How long it is.
        bytes: usize,
    },
    /// It is a ticket of another version.
    Version {
        /// Which.
        got: u8,
    },
    /// It was not signed with the mesh's key, or altered since.
    Forged,
    /// Its time is over.
    Expired {
        /// When it ended, in seconds since 1970.
        expires: u64,
    },
    /// It is for another server, or for another life of this one.
    Elsewhere {
        /// Which.
        to: Incarnation,
    },
    /// The body is not expected at that version.
    NotExpected {
        /// Which body.
        body: BodyId,
        /// Which version.
        version: Version,
    },
    /// It was used before.
    Used,
    /// An address that no ticket holds.
    Address {
        /// How long it is, in bytes.
        bytes: usize,
    },
    /// A key that can be guessed.
    KeyTooShort {
        /// How long it is.
        bytes: usize,
    },
}

impl fmt::Display for TicketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { bytes } => write!(f, "ticket of {bytes} bytes is not one"),
            Self::Version { got } => {
                write!(f, "ticket of version {got}, not {TICKET_VERSION}; run one version on all")
            }
            Self::Forged => f.write_str("ticket was signed with another key than the mesh's"),
            Self::Expired { expires } => {
                write!(
                    f,
                    "ticket ended at {expires} s since 1970; ask the server that owns the body"
                )
            }
            Self::Elsewhere { to } => write!(f, "ticket is for {to}; take it there"),
            Self::NotExpected { body, version } => {
                write!(f, "body {body} is not expected at version {version}; stay where it is")
            }
            Self::Used => f.write_str("ticket was used before; each is good once"),
            Self::Address { bytes } => {
                write!(f, "address of {bytes} bytes; give 1 to {MAX_ADDRESS_BYTES}")
            }
            Self::KeyTooShort { bytes } => {
                write!(f, "key of {bytes} bytes is too short; give {MIN_TICKET_KEY_BYTES} or more")
            }
        }
    }
}

impl std::error::Error for TicketError {}

/// The secret all servers of a mesh share: it signs and checks tickets.
#[derive(Clone)]
pub struct TicketKey(hmac::Key);

impl fmt::Debug for TicketKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TicketKey")
    }
}

impl TicketKey {
    /// A key of these bytes, 32 or more.
    ///
    /// # Errors
    /// When there are fewer.
    pub fn new(secret: &[u8]) -> Result<Self, TicketError> {
        if secret.len() < MIN_TICKET_KEY_BYTES {
            return Err(TicketError::KeyTooShort { bytes: secret.len() });
        }
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, secret)))
    }

    /// Signs a ticket.
    ///
    /// # Errors
    /// When its address is empty or too long.
    pub fn sign(&self, ticket: &Ticket) -> Result<Vec<u8>, TicketError> {
        let bytes = ticket.address.len();
        if !(1..=MAX_ADDRESS_BYTES).contains(&bytes) {
            return Err(TicketError::Address { bytes });
        }
        let mut out = vec![TICKET_VERSION];
        out.extend(ticket.nonce);
        for number in [ticket.expires, ticket.player, ticket.body.0] {
            out.extend(number.to_le_bytes());
        }
        out.extend(ticket.version.term.to_le_bytes());
        out.extend(ticket.version.step.to_le_bytes());
        out.extend(ticket.to.server.0.to_le_bytes());
        out.extend(ticket.to.epoch.0.to_le_bytes());
        out.extend(ticket.certificate);
        out.push(bytes as u8);
        out.extend(ticket.address.as_bytes());
        let mac = hmac::sign(&self.0, &out);
        out.extend(mac.as_ref());
        Ok(out)
    }

    /// Verifies signature and time at the moment `now` (seconds since 1970). The signature is compared
    /// in constant time.
    ///
    /// # Errors
    /// When it is malformed, forged or past its end.
    pub fn verify(&self, bytes: &[u8], now: u64) -> Result<Ticket, TicketError> {
        let malformed = TicketError::Malformed { bytes: bytes.len() };
        let (said, mac) = bytes.split_last_chunk::<MAC_BYTES>().ok_or(malformed)?;
        hmac::verify(&self.0, said, mac).map_err(|_| TicketError::Forged)?;
        let (version, said) = said.split_first().ok_or(malformed)?;
        if *version != TICKET_VERSION {
            return Err(TicketError::Version { got: *version });
        }
        let ticket = parse(said).ok_or(malformed)?;
        if ticket.expires <= now {
            return Err(TicketError::Expired { expires: ticket.expires });
        }
        Ok(ticket)
    }
}

fn parse(said: &[u8]) -> Option<Ticket> {
    let (nonce, said) = said.split_first_chunk::<16>()?;
    let (numbers, said) = said.split_first_chunk::<24>()?;
    let ([expires, player, body], _) = numbers.as_chunks::<8>() else { return None };
    let (numbers, said) = said.split_first_chunk::<8>()?;
    let ([term, step], _) = numbers.as_chunks::<4>() else { return None };
    let (server, said) = said.split_first_chunk::<2>()?;
    let (epoch, said) = said.split_first_chunk::<4>()?;
    let (certificate, said) = said.split_first_chunk::<32>()?;
    let (length, address) = said.split_first()?;
    if usize::from(*length) != address.len() || address.is_empty() {
        return None;
    }
    Some(Ticket {
        nonce: *nonce,
        expires: u64::from_le_bytes(*expires),
        player: u64::from_le_bytes(*player),
        body: BodyId(u64::from_le_bytes(*body)),
        version: Version { term: u32::from_le_bytes(*term), step: u32::from_le_bytes(*step) },
        to: Incarnation::new(
            ServerId(u16::from_le_bytes(*server)),
            Epoch(u32::from_le_bytes(*epoch)),
        ),
        certificate: *certificate,
        address: std::str::from_utf8(address).ok()?.to_string(),
    })
}

/// The tickets that were used at one life of a server, until they end by themselves.
#[derive(Clone, Debug, Default)]
pub struct TicketGate {
    used: BTreeMap<[u8; 16], u64>,
}

impl TicketGate {
    /// Lets a player in, once. `expects` says whether the body is here at that version, or about to be
    /// ([`MeshServer::expects`](crate::MeshServer::expects)).
    ///
    /// # Errors
    /// When the ticket does not verify, is for somewhere else, for a body that is not expected so, or
    /// was used before.
    pub fn redeem(
        &mut self,
        key: &TicketKey,
        bytes: &[u8],
        now: u64,
        me: Incarnation,
        expects: impl FnOnce(BodyId, Version) -> bool,
    ) -> Result<Ticket, TicketError> {
        let ticket = key.verify(bytes, now)?;
        if ticket.to != me {
            return Err(TicketError::Elsewhere { to: ticket.to });
        }
        self.used.retain(|_, expires| *expires > now);
        if self.used.contains_key(&ticket.nonce) {
            return Err(TicketError::Used);
        }
        if !expects(ticket.body, ticket.version) {
            let (body, version) = (ticket.body, ticket.version);
            return Err(TicketError::NotExpected { body, version });
        }
        self.used.insert(ticket.nonce, ticket.expires);
        Ok(ticket)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ME: Incarnation = Incarnation::new(ServerId(3), Epoch(2));

    fn key() -> TicketKey {
        TicketKey::new(&[7; 32]).unwrap()
    }

    fn ticket() -> Ticket {
        Ticket {
            nonce: [1; 16],
            expires: 1_010,
            player: 77,
            body: BodyId(5),
            version: Version { term: 0, step: 4 },
            to: ME,
            certificate: [9; 32],
            address: "10.0.0.3:4433".into(),
        }
    }

    fn redeem(gate: &mut TicketGate, bytes: &[u8], now: u64) -> Result<Ticket, TicketError> {
        let expects = |body, version| (body, version) == (BodyId(5), Version { term: 0, step: 4 });
        gate.redeem(&key(), bytes, now, ME, expects)
    }

    #[test]
    fn a_ticket_is_good_once() {
        let (mut gate, bytes) = (TicketGate::default(), key().sign(&ticket()).unwrap());
        assert_eq!(redeem(&mut gate, &bytes, 1_000), Ok(ticket()));
        assert_eq!(redeem(&mut gate, &bytes, 1_001), Err(TicketError::Used));
        assert_eq!(redeem(&mut gate, &bytes, 1_010), Err(TicketError::Expired { expires: 1_010 }));
    }

    #[test]
    fn a_ticket_for_elsewhere_or_another_life_or_a_burnt_version_is_refused() {
        let mut gate = TicketGate::default();
        let mut refused =
            |ticket: &Ticket| redeem(&mut gate, &key().sign(ticket).unwrap(), 1_000).unwrap_err();
        for to in [
            Incarnation::new(ServerId(4), Epoch(2)),
            Incarnation::new(ServerId(3), Epoch(1)),
            Incarnation::new(ServerId(3), Epoch(3)),
        ] {
            assert_eq!(refused(&Ticket { to, ..ticket() }), TicketError::Elsewhere { to });
        }
        let version = Version { term: 0, step: 3 };
        let burnt = TicketError::NotExpected { body: BodyId(5), version };
        assert_eq!(refused(&Ticket { version, ..ticket() }), burnt);
    }

    #[test]
    fn a_ticket_that_came_too_early_is_not_used_up() {
        let (mut gate, bytes) = (TicketGate::default(), key().sign(&ticket()).unwrap());
        let early = gate.redeem(&key(), &bytes, 1_000, ME, |_, _| false);
        assert!(matches!(early, Err(TicketError::NotExpected { .. })));
        assert_eq!(redeem(&mut gate, &bytes, 1_000), Ok(ticket()));
    }

    #[test]
    fn no_flipped_bit_and_no_cut_passes() {
        let bytes = key().sign(&ticket()).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut forged = bytes.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(key().verify(&forged, 0), Err(TicketError::Forged), "bit {bit}");
        }
        for length in 0..bytes.len() {
            assert!(key().verify(&bytes[..length], 0).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn short_keys_and_addresses_that_do_not_fit_are_refused() {
        assert_eq!(TicketKey::new(&[0; 31]).unwrap_err(), TicketError::KeyTooShort { bytes: 31 });
        for address in [String::new(), "a".repeat(256)] {
            let bytes = address.len();
            let told = key().sign(&Ticket { address, ..ticket() });
            assert_eq!(told, Err(TicketError::Address { bytes }));
        }
    }
}
