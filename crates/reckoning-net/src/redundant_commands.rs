//! Redundant commands: each is carried by the next few datagrams instead of being retransmitted.
//!
//! What a player pressed must arrive in time or not at all, so waiting for a loss to be detected
//! is no help. Whichever datagram arrives first delivers the command; its duplicates are dropped
//! by their index. No order is kept.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::ack_window::{AckWindow, Arrival};
use crate::limits::MAX_REDUNDANT_COMMANDS;

#[derive(Clone, Debug)]
struct RedundantCommand {
    index: u16,
    bytes: Vec<u8>,
    /// How many more datagrams carry it.
    left: u8,
}

/// Commands to be carried by the next datagrams.
#[derive(Clone, Debug)]
pub(crate) struct RedundantCommands {
    queue: VecDeque<RedundantCommand>,
    next: u16,
    times: u8,
}

impl RedundantCommands {
    /// Has each command carried by this many datagrams.
    pub(crate) const fn new(times: u8) -> Self {
        Self { queue: VecDeque::new(), next: 0, times }
    }

    /// Queues a command. Returns whether an older one was dropped for it.
    pub(crate) fn push(&mut self, command: &[u8]) -> bool {
        let crowded = self.queue.len() >= MAX_REDUNDANT_COMMANDS;
        if crowded {
            self.queue.pop_front();
        }
        self.queue.push_back(RedundantCommand {
            index: self.next,
            bytes: command.to_vec(),
            left: self.times,
        });
        self.next = self.next.wrapping_add(1);
        crowded
    }

    /// The commands for the next datagram, oldest first.
    pub(crate) fn for_next_datagram(&self) -> impl Iterator<Item = (u16, &[u8])> {
        self.queue.iter().map(|command| (command.index, command.bytes.as_slice()))
    }

    /// The first `count` of [`for_next_datagram`](Self::for_next_datagram) were sent.
    pub(crate) fn sent(&mut self, count: usize) {
        for command in self.queue.iter_mut().take(count) {
            command.left = command.left.saturating_sub(1);
        }
        self.queue.retain(|command| command.left > 0);
    }

    /// Whether a command waits for its first or a further datagram.
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }
}

/// Tells the first arrival of a command from its duplicates.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DuplicateFilter(AckWindow);

impl DuplicateFilter {
    /// Whether this is the first arrival.
    pub(crate) fn is_new(&mut self, index: u16) -> bool {
        let first = self.0.classify(index) == Arrival::New;
        if first {
            self.0.record(index);
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_survives_the_loss_of_all_but_one_datagram() {
        let mut commands = RedundantCommands::new(3);
        let mut filter = DuplicateFilter::default();
        commands.push(b"jump");
        let mut heard = 0;
        for datagram in 0..10 {
            let for_next_datagram: Vec<u16> =
                commands.for_next_datagram().map(|(index, _)| index).collect();
            commands.sent(for_next_datagram.len());
            if datagram != 0 {
                heard +=
                    for_next_datagram.into_iter().filter(|&index| filter.is_new(index)).count();
            }
        }
        assert_eq!(heard, 1);
        assert!(commands.is_empty());
    }

    #[test]
    fn the_newest_commands_are_kept() {
        let mut commands = RedundantCommands::new(3);
        let crowded = (0..20).filter(|n| commands.push(&[*n])).count();
        assert_eq!(crowded, 4);
        assert_eq!(commands.for_next_datagram().next(), Some((4, [4].as_slice())));
    }
}
