//! One datagram in the making, and the items whose delivery matters.

use alloc::vec::Vec;

use crate::channel::SentItem;
use crate::wire::{
    EncodedBody, EntityId, Format, Header, Message, PacketWriter, UpdateSeq, WriterMark,
};

/// One datagram in the making.
pub(in crate::host) struct PacketBuilder<'b> {
    writer: PacketWriter<'b>,
    /// What it carries that has to be known when it is acknowledged or lost.
    items: Vec<SentItem>,
    has_messages: bool,
}

/// How far a datagram had come.
#[derive(Clone, Copy, Debug)]
pub(super) struct PacketMark {
    writer: WriterMark,
    items: usize,
    has_messages: bool,
}

impl<'b> PacketBuilder<'b> {
    /// Begins a datagram in `buf`; `items` is an empty list.
    pub(super) fn new(buf: &'b mut [u8], header: &Header, items: Vec<SentItem>) -> Self {
        Self { writer: PacketWriter::new(buf, header), items, has_messages: false }
    }

    /// Adds a message. False, and nothing added, when it does not fit.
    pub(in crate::host) fn push(
        &mut self,
        format: &Format,
        message: &Message,
        item: Option<SentItem>,
    ) -> bool {
        let fits = self.writer.push(Some(format), message);
        if fits {
            self.has_messages = true;
            self.items.extend(item);
        }
        fits
    }

    /// Adds an update whose body is encoded already. False, and nothing added, when it does not
    /// fit.
    pub(super) fn push_encoded(
        &mut self,
        entity: EntityId,
        seq: UpdateSeq,
        class: u8,
        encoded: &EncodedBody,
        item: SentItem,
    ) -> bool {
        let fits = self.writer.push_encoded(entity, seq, class, encoded);
        if fits {
            self.has_messages = true;
            self.items.push(item);
        }
        fits
    }

    /// How far it has come, so that what is added from here on can be taken back.
    pub(super) fn mark(&self) -> PacketMark {
        let (items, has_messages) = (self.items.len(), self.has_messages);
        PacketMark { writer: self.writer.mark(), items, has_messages }
    }

    /// Takes back what was added since.
    pub(super) fn rewind(&mut self, to: PacketMark) {
        self.writer.rewind(to.writer);
        self.items.truncate(to.items);
        self.has_messages = to.has_messages;
    }

    /// Whether anything was added.
    pub(super) const fn has_messages(&self) -> bool {
        self.has_messages
    }

    /// Whether it was added.
    pub(super) fn carries(&self, item: SentItem) -> bool {
        self.items.contains(&item)
    }

    /// Bytes written so far.
    pub(super) const fn bytes(&self) -> usize {
        self.writer.bits() / 8
    }

    /// The tick that time stamps of bodies count from.
    pub(super) fn near_tick(&self, format: &Format) -> i64 {
        self.writer.near_tick(format)
    }

    /// Ends the datagram: its length, or `None` where not even the header fitted, and its items.
    pub(super) fn finish(self) -> (Option<usize>, Vec<SentItem>) {
        (self.writer.finish(), self.items)
    }
}
