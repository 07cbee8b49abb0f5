//! Sending of a session: joins, pings, updates of owned entities, messages.

use alloc::vec::Vec;

use reckoning::SimTime;
use reckoning::rewind::RewindView;

use super::{Session, SessionStage};
use crate::channel::{Channel, SentItem};
use crate::loss_detection::{PacketOutcome, SentPacket, SentPackets};
use crate::wire::{Header, Message, PacketWriter, UpdateBody, VERSION, encode_view};

impl Session {
    /// The length of the next datagram to be sent. Poll until `None` after every other call. `buf`
    /// should hold [`SessionConfig::max_datagram_bytes`](crate::SessionConfig).
    pub fn poll_datagram(&mut self, now: SimTime, buf: &mut [u8]) -> Option<usize> {
        self.begin(now);
        let due = match self.stage {
            SessionStage::Joining => now >= self.join_at,
            SessionStage::Joined(_) => self.has_pending(now),
            SessionStage::Ended(left) => left > 0,
        };
        if !due {
            return None;
        }
        let limit = buf.len().min(self.config.max_datagram_bytes);
        let host_now = self.timeline_at(now).unwrap_or(now);
        let header = Header {
            sequence: self.channel.sent_packets.next_sequence(),
            sent_ms: host_now.as_micros().div_euclid(1000),
            ack: self.channel.ack(),
        };
        let mut items = self.channel.sent_packets.item_list();
        let mut out = PacketWriter::new(&mut buf[..limit], &header);
        match self.stage {
            SessionStage::Joining => self.write_join(&mut out, now),
            SessionStage::Joined(_) => {
                self.write_pending(&mut out, &mut items, now);
                self.write_joints(&mut out, &mut items, header.sent_ms);
            }
            SessionStage::Ended(left) => {
                out.push(None, &Message::Leave);
                self.stage = SessionStage::Ended(left - 1);
            }
        }
        let length = out.finish();
        self.record_sent(now, items, length.unwrap_or(0));
        length
    }

    /// Whether a datagram is worth sending.
    fn has_pending(&self, now: SimTime) -> bool {
        let owed = self.channel.ack_owed_since();
        owed.is_some_and(|since| since + self.config.ack_delay <= now)
            || self.ping_at() <= now
            || self.channel.has_messages()
            || self.owned.values().any(|it| it.needs_sending() || it.joints.needs_sending())
            || self.values.due_at(&self.kinds.schema).is_some_and(|at| at <= now)
    }

    fn write_join(&mut self, out: &mut PacketWriter, now: SimTime) {
        self.join_at = now + self.config.join_retry;
        out.push(None, &Message::Join { version: VERSION, token: &self.config.token });
        self.write_ping(out, now);
    }

    fn write_ping(&mut self, out: &mut PacketWriter, now: SimTime) {
        if out.push(None, &Message::Ping { sent_us: now.as_micros().cast_unsigned() }) {
            self.pinged = Some(now);
        }
    }

    fn write_pending(&mut self, out: &mut PacketWriter, items: &mut Vec<SentItem>, now: SimTime) {
        if self.ping_at() <= now {
            self.write_ping(out, now);
        }
        let mut written = 0;
        for (index, bytes) in self.channel.redundant.for_next_datagram() {
            if !out.push(None, &Message::Command { index, bytes }) {
                break;
            }
            written += 1;
        }
        self.channel.redundant.sent(written);
        self.write_view(out, items);
        self.write_updates(out, items);
        self.write_values(out, items, now);
        while let Some((index, bytes)) = self.channel.outbox.next() {
            if !out.push(None, &Message::Reliable { index, bytes }) {
                break;
            }
            items.push(SentItem::Reliable { index });
            self.channel.outbox.sent(index);
        }
    }

    /// How we show others, for hit checks: with whatever datagram is sent next.
    fn write_view(&mut self, out: &mut PacketWriter, items: &mut Vec<SentItem>) {
        if !self.view_due {
            return;
        }
        let bytes = encode_view(&RewindView::Now(self.config.ghost), self.view_from);
        if out.push(None, &Message::View { bytes: &bytes }) {
            items.push(SentItem::View { serial: self.view_serial });
            self.view_due = false;
        }
    }

    fn write_updates(&mut self, out: &mut PacketWriter, items: &mut Vec<SentItem>) {
        let Some(format) = &self.format else { return };
        for (&entity, owned) in self.owned.iter_mut().filter(|(_, owned)| owned.needs_sending()) {
            let Some((seq, number, update, baseline)) = owned.next_update() else { continue };
            let body = UpdateBody::new(format, baseline, &update);
            if !out.push(Some(format), &Message::Update { entity, seq, class: 0, body }) {
                return;
            }
            owned.sent(number);
            self.stats.updates_out += 1;
            items.push(SentItem::Update { entity, number, class: 0, epoch: 0 });
        }
    }

    fn record_sent(&mut self, now: SimTime, items: Vec<SentItem>, bytes: usize) {
        self.stats.datagrams_out += 1;
        self.stats.bytes_out += bytes as u64;
        self.channel.ack_sent();
        let (sent_packets, apply) = self.delivery();
        sent_packets.sent(now, items, apply);
    }

    pub(super) fn detect_losses(&mut self, now: SimTime) {
        let (sent_packets, apply) = self.delivery();
        sent_packets.handle_timeout(now, apply);
    }

    /// The datagrams in flight, and what applies the outcome of one to everything it carried.
    pub(super) fn delivery(
        &mut self,
    ) -> (&mut SentPackets<SentItem>, impl FnMut(PacketOutcome, &SentPacket<SentItem>)) {
        let Channel { sent_packets, outbox, .. } = &mut self.channel;
        let (owned, lost) = (&mut self.owned, &mut self.stats.lost);
        let values = &mut self.values;
        let (view_due, view_serial) = (&mut self.view_due, self.view_serial);
        let apply = move |outcome: PacketOutcome, packet: &SentPacket<SentItem>| {
            if outcome == PacketOutcome::Missed {
                return;
            }
            let acknowledged = matches!(outcome, PacketOutcome::Acknowledged(_));
            *lost += u64::from(!acknowledged);
            for item in &packet.items {
                match *item {
                    SentItem::Update { entity, number, .. } => match owned.get_mut(&entity) {
                        Some(owned) if acknowledged => owned.acknowledged(number),
                        Some(owned) => owned.lost(number),
                        None => {}
                    },
                    SentItem::Joints { entity, mask, .. } => {
                        if let (false, Some(owned)) = (acknowledged, owned.get_mut(&entity)) {
                            owned.joints.lost(mask);
                        }
                    }
                    SentItem::Reliable { index } if acknowledged => outbox.acknowledged(index),
                    SentItem::Reliable { index } => outbox.lost(index),
                    SentItem::Values { entity, mask, version, epoch } => {
                        values.delivered(acknowledged, entity, mask, (version, epoch));
                    }
                    SentItem::Ask { entity } if !acknowledged => values.ask(entity),
                    SentItem::View { serial } => {
                        *view_due |= !acknowledged && serial == view_serial;
                    }
                    _ => {}
                }
            }
        };
        (sent_packets, apply)
    }
}
