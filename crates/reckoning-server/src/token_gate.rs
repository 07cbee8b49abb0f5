//! Tokens are looked at where connections arrive, before they get a place.
//!
//! Where tokens are wanted, whoever shows none, or a bad one, never reaches the tick loop: it waits in a
//! place for strangers, and is given no number, no queues and no state in the host. The tick loop checks
//! once more, and whether the token is in use, which only it knows.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message as Frame, WebSocket};
use bytes::Bytes;
use reckoning_net::DisconnectReason;
use reckoning_net::wire::{Header, Message, PacketReader, PacketWriter};
use tokio::time::{sleep, timeout};
use web_transport_quinn::Session;

use crate::admission::Admission;
use crate::clock::unix_seconds;
use crate::limits::Permit;
use crate::metrics::RejectReason;
use crate::places::Place;
use crate::token::{TokenError, TokenPolicy};

/// Datagrams in which a token must come: clients repeat the request to join until it is answered.
const MAX_DATAGRAMS: usize = 64;
/// How often a refusal is sent, since datagrams may be lost.
const REPEATS: u16 = 3;
const REPEAT_EVERY: Duration = Duration::from_millis(100);

/// What comes of a datagram of someone who has shown no token yet.
#[derive(Debug, PartialEq, Eq)]
enum Shown {
    /// No request to join is in it.
    Nothing,
    /// A token that is good.
    Good,
    Bad(TokenError),
}

/// Why someone is turned away before it has joined.
#[derive(Debug)]
enum Turned {
    /// The token is no good.
    Token(TokenError),
    /// So many datagrams and no request to join among them.
    Flood,
}

fn inspect(policy: &TokenPolicy, datagram: &[u8], now: u64) -> Shown {
    let Ok(mut reader) = PacketReader::new(datagram) else { return Shown::Nothing };
    while let Ok(Some(message)) = reader.next_message(None) {
        if let Message::Join { token, .. } = message {
            return policy.verify(token, now).map_or_else(Shown::Bad, |_| Shown::Good);
        }
    }
    Shown::Nothing
}

/// The datagram that says why.
fn refusal(admission: &Admission, sequence: u16) -> Bytes {
    let mut buffer = [0; 64];
    let sent_ms = admission.clock.now().as_micros() / 1_000;
    let mut out = PacketWriter::new(&mut buffer, &Header { sequence, sent_ms, ack: None });
    out.push(None, &Message::Refused(DisconnectReason::Token));
    let length = out.finish().unwrap_or(0);
    Bytes::copy_from_slice(buffer.get(..length).unwrap_or_default())
}

impl Admission {
    /// Waits for the token of a QUIC client. Returns the datagram that holds it, which is for the
    /// host; `None`, and the client knows why, when there is no good one. Returns at once, and
    /// nothing, where everyone may join.
    pub(crate) async fn await_quic_token(
        self: &Arc<Self>,
        session: &Session,
        permit: &Permit,
    ) -> Option<Vec<Bytes>> {
        let Some(policy) = self.tokens.clone() else { return Some(Vec::new()) };
        let first = async {
            for _ in 0..MAX_DATAGRAMS {
                let datagram = session.read_datagram().await.ok()?;
                match inspect(&policy, &datagram, unix_seconds()) {
                    Shown::Nothing => {}
                    Shown::Good => return Some(Ok(datagram)),
                    Shown::Bad(error) => return Some(Err(Turned::Token(error))),
                }
            }
            Some(Err(Turned::Flood))
        };
        match self.within_join_time(first).await? {
            Ok(datagram) => Some(vec![datagram]),
            Err(Turned::Flood) => {
                self.count_flood(permit);
                session.close(0, b"flood");
                None
            }
            Err(Turned::Token(error)) => {
                self.count_token(&error);
                for sequence in 0..REPEATS {
                    let _ = session.send_datagram(refusal(self, sequence));
                    sleep(REPEAT_EVERY).await;
                }
                session.close(0, error.to_string().as_bytes());
                None
            }
        }
    }

    /// The same for a WebSocket.
    pub(crate) async fn await_socket_token(
        &self,
        socket: &mut WebSocket,
        permit: &Permit,
    ) -> Option<Vec<Bytes>> {
        let Some(policy) = self.tokens.clone() else { return Some(Vec::new()) };
        let first = async {
            for _ in 0..MAX_DATAGRAMS {
                let Frame::Binary(datagram) = socket.recv().await?.ok()? else { continue };
                match inspect(&policy, &datagram, unix_seconds()) {
                    Shown::Nothing => {}
                    Shown::Good => return Some(Ok(datagram)),
                    Shown::Bad(error) => return Some(Err(Turned::Token(error))),
                }
            }
            Some(Err(Turned::Flood))
        };
        match self.within_join_time(first).await? {
            Ok(datagram) => Some(vec![datagram]),
            Err(Turned::Flood) => {
                self.count_flood(permit);
                None
            }
            Err(Turned::Token(error)) => {
                self.count_token(&error);
                let farewell = async {
                    socket.send(Frame::Binary(refusal(self, 0))).await?;
                    socket.send(Frame::Close(None)).await
                };
                let _ = timeout(REPEAT_EVERY, farewell).await;
                None
            }
        }
    }

    /// Waits until a place was given to someone else, and counts that.
    pub(crate) async fn displaced(&self, place: &Place) {
        place.displaced().notified().await;
        self.metrics.count_reject(RejectReason::Displaced);
    }

    async fn within_join_time<T>(&self, first: impl Future<Output = Option<T>>) -> Option<T> {
        let came = timeout(self.limits.join_timeout, first).await;
        came.unwrap_or_else(|_| {
            self.metrics.count_reject(RejectReason::JoinTimeout);
            None
        })
    }

    /// Whoever floods without a token is shut out as whoever floods with one.
    fn count_flood(&self, permit: &Permit) {
        permit.ban(self.clock.now());
        self.metrics.count_reject(RejectReason::Flood);
    }

    fn count_token(&self, error: &TokenError) {
        tracing::info!(%error, "join refused");
        self.metrics.count_reject(RejectReason::Token);
        self.metrics.count_token_error(error);
    }
}

#[cfg(test)]
mod tests {
    use reckoning_net::wire::VERSION;

    use super::*;
    use crate::token::TokenKey;

    fn join(token: &[u8]) -> Vec<u8> {
        let mut buffer = vec![0; 1_000];
        let header = Header { sequence: 0, sent_ms: 0, ack: None };
        let mut out = PacketWriter::new(&mut buffer, &header);
        out.push(None, &Message::Ping { sent_us: 7 });
        out.push(None, &Message::Join { version: VERSION, token });
        let length = out.finish().unwrap();
        buffer.truncate(length);
        buffer
    }

    #[test]
    fn a_token_is_found_in_the_first_datagram_and_judged() {
        let key = TokenKey::new(&[7; 32]).unwrap();
        let policy = TokenPolicy::new(key.clone(), None, 0).unwrap();
        let good = key.mint(&[], 1_000).unwrap();

        assert_eq!(inspect(&policy, &join(&good), 0), Shown::Good);
        let expired = Shown::Bad(TokenError::Expired { expires: 1_000 });
        assert_eq!(inspect(&policy, &join(&good), 1_000), expired);
        assert_eq!(
            inspect(&policy, &join(&[1; 16]), 0),
            Shown::Bad(TokenError::Malformed { bytes: 16 })
        );
        for length in 0..8 {
            assert_eq!(inspect(&policy, &vec![0; length], 0), Shown::Nothing);
        }
    }
}
