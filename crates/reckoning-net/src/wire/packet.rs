//! Datagram writer and reader: a header, then messages to the end.

use reckoning::SimTime;

use crate::kinds::{KindId, MAX_KIND_BYTES, MAX_SENT_JOINTS, PropertyId};

use super::body::{read_gap, write_gap};
use super::exp_golomb::{Codes, read_signed, write_signed};
use super::ids::baseline_bits;
use super::{
    Ack, BitReader, BitWriter, DecodeError, DisconnectReason, EncodedBody, EntityId, ExitReason,
    Format, Header, MAX_BASELINE_AGE, MAX_CLASS, MAX_COMMAND_BYTES, MAX_FORMAT_BYTES,
    MAX_KICK_BYTES, MAX_PROPERTY_BYTES, MAX_RELIABLE_BYTES, MAX_TAG_BYTES, MAX_TOKEN_BYTES,
    MAX_VALUES_BYTES, MAX_VIEW_BYTES, Mark, Message, Owner, PeerId, UpdateBody, UpdateSeq,
    check_words,
};

const SENT_ORDER: u32 = 20;
const ENTITY_ORDER: u32 = 2;
/// Most baselines are one to six updates old, by the delay.
const AHEAD_ORDER: u32 = 1;
const MESSAGE_BITS: u32 = 5;
const BODY_KIND_BITS: u32 = 6;
const PROPERTY_BITS: u32 = 5;
const VALUES_ORDER: u32 = 3;

const END: u8 = 0;
const JOIN: u8 = 1;
const LEAVE: u8 = 2;
const PING: u8 = 3;
const WELCOME: u8 = 4;
const REFUSED: u8 = 5;
const BYE: u8 = 6;
const PONG: u8 = 7;
const ENTER: u8 = 8;
const EXIT: u8 = 9;
const CORRECT: u8 = 10;
const GRANT: u8 = 11;
const REVOKE: u8 = 12;
const RELIABLE: u8 = 13;
const RELIABLE_ACK: u8 = 14;
const COMMAND: u8 = 15;
const VIEW: u8 = 16;
const KIND: u8 = 17;
const PROPERTY: u8 = 18;
const JOINTS: u8 = 19;
const ASK: u8 = 20;
const VALUES: u8 = 21;
const KICK: u8 = 22;

/// Values that the messages of one datagram are coded relative to.
#[derive(Clone, Copy, Debug)]
struct CodingState {
    sent_ms: i64,
    entity: u32,
    class: u8,
    /// Joints count from each other, so that they cost the updates nothing.
    joints_of: u32,
    /// Updates of riders as well, so that they cost the same whatever comes before them.
    rides_of: u32,
}

impl CodingState {
    const fn new(sent_ms: i64) -> Self {
        // One before the first entity, so that entity 0 is the nearest.
        Self { sent_ms, entity: u32::MAX, class: 0, joints_of: u32::MAX, rides_of: u32::MAX }
    }

    fn near_tick(&self, format: &Format) -> i64 {
        format.tick_of(SimTime::from_millis(self.sent_ms))
    }

    /// How far an entity is from the one before; the next is counted from it.
    const fn gap_to(&mut self, EntityId(id): EntityId, rides: bool) -> u32 {
        let before = core::mem::replace(self.counted_from(rides), id);
        id.wrapping_sub(before).wrapping_sub(1)
    }

    /// What the entity of an update counts from.
    const fn counted_from(&mut self, rides: bool) -> &mut u32 {
        if rides { &mut self.rides_of } else { &mut self.entity }
    }
}

/// How far a datagram had come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriterMark {
    out: Mark,
    coding: CodingState,
}

/// Writes one datagram.
///
/// Entities cost least in rising order, and updates of one class side by side.
#[derive(Debug)]
pub struct PacketWriter<'a> {
    out: BitWriter<'a>,
    coding: CodingState,
}

impl<'a> PacketWriter<'a> {
    /// Begins a datagram in `buffer`, which is its largest size.
    #[must_use]
    pub fn new(buffer: &'a mut [u8], header: &Header) -> Self {
        let mut out = BitWriter::new(buffer);
        out.write(u64::from(header.sequence), 16);
        write_signed(&mut out, clamp_ms(header.sent_ms), SENT_ORDER);
        out.write_bit(header.ack.is_some());
        if let Some(ack) = &header.ack {
            write_ack(&mut out, *ack);
        }
        Self { out, coding: CodingState::new(clamp_ms(header.sent_ms)) }
    }

    /// Adds a message; `false`, and nothing added, where it does not fit any more.
    ///
    /// Bytes longer than the protocol allows never fit, nor does a message that needs a
    /// `format` without one, nor a body whose number says otherwise about its baseline.
    pub fn push(&mut self, format: Option<&Format>, message: &Message) -> bool {
        let before = self.mark();
        let sound = self.write(format, message).is_some();
        if sound && self.out.fits() {
            return true;
        }
        self.rewind(before);
        false
    }

    /// How far it has come, so that what is added from here on can be taken back.
    pub(crate) const fn mark(&self) -> WriterMark {
        WriterMark { out: self.out.mark(), coding: self.coding }
    }

    /// Takes back what was added since.
    pub(crate) fn rewind(&mut self, to: WriterMark) {
        self.out.rewind(to.out);
        self.coding = to.coding;
    }

    /// Adds an update whose body is written already; `false`, and nothing added, where it does
    /// not fit any more. The bits are those of [`push`](Self::push).
    pub(crate) fn push_encoded(
        &mut self,
        entity: EntityId,
        seq: UpdateSeq,
        class: u8,
        encoded: &EncodedBody,
    ) -> bool {
        let before = self.mark();
        self.write_update_head(entity, encoded.rides(), seq, class);
        encoded.write(&mut self.out);
        if self.out.fits() {
            return true;
        }
        self.rewind(before);
        false
    }

    /// The tick that time stamps of bodies count from.
    pub(crate) fn near_tick(&self, format: &Format) -> i64 {
        self.coding.near_tick(format)
    }

    /// Bits written so far.
    #[must_use]
    pub const fn bits(&self) -> usize {
        self.out.bits()
    }

    /// Ends the datagram; its length in bytes, or `None` where not even the header fitted.
    #[must_use]
    pub fn finish(self) -> Option<usize> {
        self.out.finish()
    }

    fn write(&mut self, format: Option<&Format>, message: &Message) -> Option<()> {
        match message {
            Message::Update { entity, seq, class, body } => {
                let is_delta = matches!(seq, UpdateSeq::Delta { .. });
                if is_delta != body.has_baseline() || *class > MAX_CLASS {
                    return None;
                }
                self.write_update_head(*entity, body.rides(), *seq, *class);
                let format = format?;
                body.write(&mut self.out, format, self.coding.near_tick(format));
                return Some(());
            }
            Message::Enter { entity, owner, kind, number, class, tag, body } => {
                self.write_kind(ENTER);
                self.write_entity(*entity);
                self.write_owner(*owner);
                self.write_body_kind(*kind);
                self.out.write(u64::from(*number), 16);
                self.write_body(format?, *class, body)?;
                return self.write_bytes(tag, MAX_TAG_BYTES);
            }
            Message::Correct { entity, serial, class, body } => {
                self.write_kind(CORRECT);
                self.write_entity(*entity);
                self.out.write(u64::from(*serial), 16);
                return self.write_body(format?, *class, body);
            }
            Message::Exit { entity, why } => {
                self.write_about(EXIT, *entity);
                self.out.write_bit(*why == ExitReason::Despawned);
            }
            Message::Grant { entity, kind } => {
                self.write_about(GRANT, *entity);
                self.write_body_kind(*kind);
            }
            Message::Revoke { entity } => self.write_about(REVOKE, *entity),
            Message::Joints { entity, mask, codes } => {
                self.write_kind(JOINTS);
                self.write_joints(*entity, *mask, codes);
            }
            Message::Ask { entity } => self.write_about(ASK, *entity),
            Message::Values { entity, bytes } => {
                self.write_about(VALUES, *entity);
                return self.write_values(bytes);
            }
            other => return self.write_connection_message(other),
        }
        Some(())
    }

    /// The messages that are not about an entity.
    fn write_connection_message(&mut self, message: &Message) -> Option<()> {
        match message {
            Message::Join { version, token } => {
                self.write_kind(JOIN);
                self.out.write(u64::from(*version), 16);
                return self.write_bytes(token, MAX_TOKEN_BYTES);
            }
            Message::Leave => self.write_kind(LEAVE),
            Message::Ping { sent_us } => {
                self.write_kind(PING);
                self.out.write(*sent_us, 64);
            }
            Message::Welcome { peer, format, config } => {
                self.write_kind(WELCOME);
                self.out.write(u64::from(peer.0), 32);
                self.write_bytes(format, MAX_FORMAT_BYTES)?;
                return self.write_bytes(config, MAX_TAG_BYTES);
            }
            Message::Refused(why) => self.write_reason(REFUSED, *why),
            Message::Bye(why) => self.write_reason(BYE, *why),
            Message::Kick { why, words } => return self.write_kick(*why, words),
            Message::Pong { sent_us, received_us, answered_us } => {
                self.write_kind(PONG);
                for time_us in [sent_us, received_us, answered_us] {
                    self.out.write(*time_us, 64);
                }
            }
            Message::Reliable { index, bytes } => {
                self.write_kind(RELIABLE);
                self.out.write(u64::from(*index), 16);
                return self.write_bytes(bytes, MAX_RELIABLE_BYTES);
            }
            Message::ReliableAck { next } => {
                self.write_kind(RELIABLE_ACK);
                self.out.write(u64::from(*next), 16);
            }
            Message::Command { index, bytes } => {
                self.write_kind(COMMAND);
                self.out.write(u64::from(*index), 16);
                return self.write_bytes(bytes, MAX_COMMAND_BYTES);
            }
            other => return self.write_declaration(other),
        }
        Some(())
    }

    /// The messages in which one end declares something to the other.
    fn write_declaration(&mut self, message: &Message) -> Option<()> {
        match message {
            Message::View { bytes } => {
                self.write_kind(VIEW);
                self.write_bytes(bytes, MAX_VIEW_BYTES)
            }
            Message::Kind { kind, bytes } => {
                self.write_kind(KIND);
                self.out.write(u64::from(kind.0), BODY_KIND_BITS);
                self.write_bytes(bytes, MAX_KIND_BYTES)
            }
            Message::Property { property, bytes } => {
                self.write_kind(PROPERTY);
                self.out.write(u64::from(property.0), PROPERTY_BITS);
                self.write_bytes(bytes, MAX_PROPERTY_BYTES)
            }
            _ => None,
        }
    }

    fn write_joints(&mut self, EntityId(id): EntityId, mask: u8, codes: &[u16; MAX_SENT_JOINTS]) {
        let gap = id.wrapping_sub(self.coding.joints_of).wrapping_sub(1);
        write_gap(&mut self.out, gap, ENTITY_ORDER);
        self.coding.joints_of = id;
        self.out.write(u64::from(mask), MAX_SENT_JOINTS as u32);
        for (place, code) in codes.iter().enumerate() {
            if mask & 1 << place != 0 {
                self.out.write(u64::from(*code), 16);
            }
        }
    }

    fn write_kind(&mut self, kind: u8) {
        self.out.write_bit(false);
        self.out.write(u64::from(kind), MESSAGE_BITS);
    }

    fn write_about(&mut self, kind: u8, entity: EntityId) {
        self.write_kind(kind);
        self.write_entity(entity);
    }

    /// Counts from the entity before, going round, so that rising order is cheapest.
    fn write_entity(&mut self, entity: EntityId) {
        let gap = self.coding.gap_to(entity, false);
        write_gap(&mut self.out, gap, ENTITY_ORDER);
    }

    /// What goes before the body of an update.
    fn write_update_head(&mut self, entity: EntityId, rides: bool, seq: UpdateSeq, class: u8) {
        let mut out = Codes::new(&mut self.out);
        out.put(1, 1);
        out.put_count(u64::from(self.coding.gap_to(entity, rides)), ENTITY_ORDER);
        match seq {
            UpdateSeq::Full(number) => out.put(u64::from(number) << 1, 17),
            UpdateSeq::Delta { low, ahead } => {
                out.put(1, 1);
                out.put_count(u64::from(ahead).saturating_sub(1), AHEAD_ORDER);
                out.put(u64::from(low), baseline_bits(ahead));
            }
        }
        if class == self.coding.class {
            out.put(0, 1);
        } else {
            out.put(u64::from(class) << 1 | 1, 5);
            self.coding.class = class;
        }
        out.finish();
    }

    fn write_owner(&mut self, owner: Owner) {
        match owner {
            Owner::Host => self.out.write_bit(false),
            Owner::Peer(peer) => {
                self.out.write_bit(true);
                self.out.write(u64::from(peer.0), 32);
            }
        }
    }

    /// A bit for no kind.
    fn write_body_kind(&mut self, kind: KindId) {
        self.out.write_bit(kind != KindId::NONE);
        if kind != KindId::NONE {
            self.out.write(u64::from(kind.0), BODY_KIND_BITS);
        }
    }

    fn write_body(&mut self, format: &Format, class: u8, body: &UpdateBody) -> Option<()> {
        if class > MAX_CLASS {
            return None;
        }
        self.write_class(class);
        body.write(&mut self.out, format, self.coding.near_tick(format));
        Some(())
    }

    fn write_class(&mut self, class: u8) {
        let changed = class != self.coding.class;
        self.out.write_bit(changed);
        if changed {
            self.out.write(u64::from(class), 4);
            self.coding.class = class;
        }
    }

    fn write_reason(&mut self, kind: u8, why: DisconnectReason) {
        self.write_kind(kind);
        let (code, detail) = match why {
            DisconnectReason::Version(version) => (0, version),
            DisconnectReason::Token => (1, 0),
            DisconnectReason::Full => (2, 0),
            DisconnectReason::Silent => (3, 0),
            DisconnectReason::Conduct => (4, 0),
            DisconnectReason::Closing => (5, 0),
            DisconnectReason::Game(detail) => (6, detail),
            DisconnectReason::Format => (7, 0),
        };
        self.out.write(code, 4);
        self.out.write(u64::from(detail), 16);
    }

    fn write_kick(&mut self, why: DisconnectReason, words: &str) -> Option<()> {
        check_words(words).ok()?;
        self.write_reason(KICK, why);
        self.write_bytes(words.as_bytes(), MAX_KICK_BYTES)
    }

    /// Most are short, so their length is.
    fn write_values(&mut self, bytes: &[u8]) -> Option<()> {
        if bytes.len() > MAX_VALUES_BYTES {
            return None;
        }
        write_gap(&mut self.out, bytes.len() as u32, VALUES_ORDER);
        self.out.write_bytes(bytes);
        Some(())
    }

    fn write_bytes(&mut self, bytes: &[u8], max: usize) -> Option<()> {
        if bytes.len() > max {
            return None;
        }
        self.out.write(bytes.len() as u64, 10);
        self.out.write_bytes(bytes);
        Some(())
    }
}

/// Reads one datagram.
#[derive(Clone, Debug)]
pub struct PacketReader<'a> {
    from: BitReader<'a>,
    header: Header,
    coding: CodingState,
}

impl<'a> PacketReader<'a> {
    /// Reads the header.
    ///
    /// # Errors
    /// Where there is none.
    pub fn new(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let mut from = BitReader::new(bytes);
        let sequence = from.read(16)? as u16;
        let sent_ms = clamp_ms(read_signed(&mut from, SENT_ORDER)?);
        let ack = if from.read_bit()? { Some(read_ack(&mut from)?) } else { None };
        let header = Header { sequence, sent_ms, ack };
        Ok(Self { from, header, coding: CodingState::new(sent_ms) })
    }

    /// The datagram's header.
    #[must_use]
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The tick that stamps of updates count from.
    pub(super) fn near_tick(&self, format: &Format) -> i64 {
        self.coding.near_tick(format)
    }

    /// Bits that are not read yet: between two messages, the difference is what the message takes.
    #[must_use]
    pub const fn bits_left(&self) -> usize {
        self.from.bits_left()
    }

    /// The next message; `None` at the end.
    ///
    /// # Errors
    /// Names what is wrong with the bits. Nothing after it can be read.
    pub fn next_message(
        &mut self,
        format: Option<&Format>,
    ) -> Result<Option<Message<'a>>, DecodeError> {
        if self.at_end()? {
            return Ok(None);
        }
        let message = if self.from.read_bit()? {
            self.read_update(format.ok_or(DecodeError::NoFormat)?)?
        } else {
            let kind = self.from.read(MESSAGE_BITS)? as u8;
            self.read_kind(kind, format)?
        };
        Ok(Some(message))
    }

    /// A datagram ends in fewer than eight zeros.
    fn at_end(&self) -> Result<bool, DecodeError> {
        let left = self.from.bits_left();
        let low = self.from.peek();
        if left < 8 && low == 0 {
            return Ok(true);
        }
        let starts_with_end = low & ((1 << (MESSAGE_BITS + 1)) - 1) == u64::from(END);
        if starts_with_end { Err(DecodeError::Padding) } else { Ok(false) }
    }

    fn read_update(&mut self, format: &Format) -> Result<Message<'a>, DecodeError> {
        // What it counts from is known once the model is.
        let gap = read_gap(&mut self.from, ENTITY_ORDER, "entity")?;
        let seq = self.read_seq()?;
        let is_delta = matches!(seq, UpdateSeq::Delta { .. });
        let (class, body) = self.read_body(format, is_delta)?;
        let entity = self.entity_after(gap, body.rides());
        Ok(Message::Update { entity, seq, class, body })
    }

    fn read_kind(&mut self, kind: u8, format: Option<&Format>) -> Result<Message<'a>, DecodeError> {
        Ok(match kind {
            ENTER => self.read_enter(format.ok_or(DecodeError::NoFormat)?)?,
            EXIT => Message::Exit { entity: self.read_entity()?, why: self.read_exit_reason()? },
            CORRECT => {
                let entity = self.read_entity()?;
                let serial = self.from.read(16)? as u16;
                let format = format.ok_or(DecodeError::NoFormat)?;
                let (class, body) = self.read_body(format, false)?;
                Message::Correct { entity, serial, class, body }
            }
            GRANT => Message::Grant { entity: self.read_entity()?, kind: self.read_body_kind()? },
            REVOKE => Message::Revoke { entity: self.read_entity()? },
            JOINTS => self.read_joints()?,
            ASK => Message::Ask { entity: self.read_entity()? },
            VALUES => Message::Values { entity: self.read_entity()?, bytes: self.read_values()? },
            other => self.read_connection_message(other)?,
        })
    }

    fn read_exit_reason(&mut self) -> Result<ExitReason, DecodeError> {
        Ok(if self.from.read_bit()? { ExitReason::Despawned } else { ExitReason::Left })
    }

    fn read_joints(&mut self) -> Result<Message<'a>, DecodeError> {
        let gap = read_gap(&mut self.from, ENTITY_ORDER, "entity")?;
        self.coding.joints_of = self.coding.joints_of.wrapping_add(1).wrapping_add(gap);
        let entity = EntityId(self.coding.joints_of);
        let mask = self.from.read(MAX_SENT_JOINTS as u32)? as u8;
        let mut codes = [0; MAX_SENT_JOINTS];
        for (place, code) in codes.iter_mut().enumerate() {
            if mask & 1 << place != 0 {
                *code = self.from.read(16)? as u16;
            }
        }
        Ok(Message::Joints { entity, mask, codes })
    }

    fn read_enter(&mut self, format: &Format) -> Result<Message<'a>, DecodeError> {
        let entity = self.read_entity()?;
        let owner = self.read_owner()?;
        let kind = self.read_body_kind()?;
        let number = self.from.read(16)? as u16;
        let (class, body) = self.read_body(format, false)?;
        let tag = self.read_bytes("tag", MAX_TAG_BYTES)?;
        Ok(Message::Enter { entity, owner, kind, number, class, tag, body })
    }

    fn read_connection_message(&mut self, kind: u8) -> Result<Message<'a>, DecodeError> {
        Ok(match kind {
            JOIN => Message::Join {
                version: self.from.read(16)? as u16,
                token: self.read_bytes("token", MAX_TOKEN_BYTES)?,
            },
            LEAVE => Message::Leave,
            PING => Message::Ping { sent_us: self.from.read(64)? },
            WELCOME => Message::Welcome {
                peer: PeerId(self.from.read(32)? as u32),
                format: self.read_bytes("format", MAX_FORMAT_BYTES)?,
                config: self.read_bytes("config", MAX_TAG_BYTES)?,
            },
            REFUSED => Message::Refused(self.read_reason()?),
            BYE => Message::Bye(self.read_reason()?),
            KICK => Message::Kick { why: self.read_reason()?, words: self.read_words()? },
            PONG => Message::Pong {
                sent_us: self.from.read(64)?,
                received_us: self.from.read(64)?,
                answered_us: self.from.read(64)?,
            },
            RELIABLE => Message::Reliable {
                index: self.from.read(16)? as u16,
                bytes: self.read_bytes("reliable", MAX_RELIABLE_BYTES)?,
            },
            RELIABLE_ACK => Message::ReliableAck { next: self.from.read(16)? as u16 },
            COMMAND => Message::Command {
                index: self.from.read(16)? as u16,
                bytes: self.read_bytes("command", MAX_COMMAND_BYTES)?,
            },
            KIND => Message::Kind {
                kind: self.read_some_kind()?,
                bytes: self.read_bytes("kind", MAX_KIND_BYTES)?,
            },
            PROPERTY => Message::Property {
                property: PropertyId(self.from.read(PROPERTY_BITS)? as u8),
                bytes: self.read_bytes("property", MAX_PROPERTY_BYTES)?,
            },
            VIEW => Message::View { bytes: self.read_bytes("view", MAX_VIEW_BYTES)? },
            got => return Err(DecodeError::UnknownMessage { got }),
        })
    }

    fn read_entity(&mut self) -> Result<EntityId, DecodeError> {
        let gap = read_gap(&mut self.from, ENTITY_ORDER, "entity")?;
        Ok(self.entity_after(gap, false))
    }

    const fn entity_after(&mut self, gap: u32, rides: bool) -> EntityId {
        let last = self.coding.counted_from(rides);
        *last = last.wrapping_add(1).wrapping_add(gap);
        EntityId(*last)
    }

    fn read_seq(&mut self) -> Result<UpdateSeq, DecodeError> {
        if !self.from.read_bit()? {
            return Ok(UpdateSeq::Full(self.from.read(16)? as u16));
        }
        let ahead = u64::from(read_gap(&mut self.from, AHEAD_ORDER, "baseline age")?) + 1;
        if ahead > u64::from(MAX_BASELINE_AGE) {
            return Err(DecodeError::UnknownValue { name: "baseline age", got: ahead });
        }
        let low = self.from.read(baseline_bits(ahead as u8))? as u8;
        Ok(UpdateSeq::Delta { low, ahead: ahead as u8 })
    }

    fn read_owner(&mut self) -> Result<Owner, DecodeError> {
        if self.from.read_bit()? {
            return Ok(Owner::Peer(PeerId(self.from.read(32)? as u32)));
        }
        Ok(Owner::Host)
    }

    fn read_body_kind(&mut self) -> Result<KindId, DecodeError> {
        if !self.from.read_bit()? {
            return Ok(KindId::NONE);
        }
        self.read_some_kind()
    }

    fn read_some_kind(&mut self) -> Result<KindId, DecodeError> {
        let got = self.from.read(BODY_KIND_BITS)?;
        let kind = KindId::from_number(got as u8).filter(|kind| *kind != KindId::NONE);
        kind.ok_or(DecodeError::UnknownValue { name: "kind", got })
    }

    fn read_body(
        &mut self,
        format: &Format,
        is_delta: bool,
    ) -> Result<(u8, UpdateBody), DecodeError> {
        if self.from.read_bit()? {
            self.coding.class = self.from.read(4)? as u8;
        }
        let near_tick = self.coding.near_tick(format);
        let body = UpdateBody::read(&mut self.from, format, near_tick, is_delta)?;
        Ok((self.coding.class, body))
    }

    fn read_reason(&mut self) -> Result<DisconnectReason, DecodeError> {
        let code = self.from.read(4)?;
        let detail = self.from.read(16)? as u16;
        Ok(match code {
            0 => DisconnectReason::Version(detail),
            1 => DisconnectReason::Token,
            2 => DisconnectReason::Full,
            3 => DisconnectReason::Silent,
            4 => DisconnectReason::Conduct,
            5 => DisconnectReason::Closing,
            6 => DisconnectReason::Game(detail),
            7 => DisconnectReason::Format,
            got => return Err(DecodeError::UnknownValue { name: "refusal", got }),
        })
    }

    fn read_words(&mut self) -> Result<&'a str, DecodeError> {
        let bytes = self.read_bytes("words", MAX_KICK_BYTES)?;
        let words = core::str::from_utf8(bytes).ok().filter(|words| check_words(words).is_ok());
        words.ok_or(DecodeError::Text { name: "words" })
    }

    fn read_values(&mut self) -> Result<&'a [u8], DecodeError> {
        let got_bytes = read_gap(&mut self.from, VALUES_ORDER, "values")? as usize;
        let max_bytes = MAX_VALUES_BYTES;
        if got_bytes > max_bytes {
            return Err(DecodeError::TooLong { name: "values", got_bytes, max_bytes });
        }
        self.from.read_bytes(got_bytes)
    }

    fn read_bytes(&mut self, name: &'static str, max: usize) -> Result<&'a [u8], DecodeError> {
        let count = self.from.read(10)? as usize;
        if count > max {
            return Err(DecodeError::TooLong { name, got_bytes: count, max_bytes: max });
        }
        self.from.read_bytes(count)
    }
}

/// Both ends count from the same moment, however odd the one given is.
fn clamp_ms(sent_ms: i64) -> i64 {
    sent_ms.clamp(-(1 << 42), 1 << 42)
}

fn write_ack(out: &mut BitWriter, ack: Ack) {
    out.write(u64::from(ack.newest), 16);
    out.write(u64::from(ack.received_ms), 16);
    // Nothing lost lately: the usual case.
    out.write_bit(ack.before == u32::MAX);
    if ack.before != u32::MAX {
        out.write(u64::from(ack.before), 32);
    }
}

fn read_ack(from: &mut BitReader) -> Result<Ack, DecodeError> {
    let newest = from.read(16)? as u16;
    let received_ms = from.read(16)? as u16;
    let before = if from.read_bit()? { u32::MAX } else { from.read(32)? as u32 };
    Ok(Ack { newest, before, received_ms })
}
