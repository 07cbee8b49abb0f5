//! Mark in entities that gateways put into an exercise: of which server and body they are.
//!
//! Two gateways between one exercise and one server would hand each other's bodies back. So each
//! entity of a gateway carries a mark in its dead-reckoning parameters, which the standard leaves
//! unused where their first byte is 0: another gateway to the same server sees whose it is.

use crate::wire::EntityState;

/// The parameters hold nothing of the standard's; then two letters, the server, the body.
const NOTHING: u8 = 0;
const LETTERS: [u8; 2] = *b"RK";

/// A body of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark {
    /// A number by which the server is told from others.
    pub(super) server: u64,
    /// The body there.
    pub(super) body: u32,
}

impl Mark {
    pub(super) fn encode(self) -> [u8; 15] {
        let mut bytes = [NOTHING; 15];
        bytes[1..3].copy_from_slice(&LETTERS);
        bytes[3..11].copy_from_slice(&self.server.to_be_bytes());
        bytes[11..].copy_from_slice(&self.body.to_be_bytes());
        bytes
    }

    pub(super) fn of(state: &EntityState) -> Option<Self> {
        let [NOTHING, b'R', b'K', rest @ ..] = &state.reckoning.parameters else { return None };
        let (server, body) = rest.split_first_chunk::<8>()?;
        let body = body.first_chunk::<4>()?;
        Some(Self { server: u64::from_be_bytes(*server), body: u32::from_be_bytes(*body) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_again_and_nothing_else_is_one() {
        let mark = Mark { server: 0x0123_4567_89ab_cdef, body: 77 };
        let mut state = EntityState::default();
        assert_eq!(Mark::of(&state), None);
        state.reckoning.parameters = mark.encode();
        assert_eq!(Mark::of(&state), Some(mark));
        state.reckoning.parameters[0] = 1; // the standard's Euler angles
        assert_eq!(Mark::of(&state), None);
    }
}
