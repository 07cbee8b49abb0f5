//! Network captures: the UDP payloads in a `.pcap` or `.pcapng`.
//!
//! Only what a capture of DIS traffic holds: Ethernet (with VLAN tags), raw IP, loopback and
//! Linux "cooked" links; IPv4 and IPv6; UDP that is not fragmented. Everything else is passed
//! over. The wrapping is checked strictly, the packets inside leniently: a capture holds
//! whatever was on the wire.

use reckoning::SimTime;

use super::foreign;
use reckoning_recording::{Cursor, RecordingError};

/// A UDP payload and when it was captured.
pub(super) struct Datagram<'a> {
    pub(super) at: SimTime,
    pub(super) payload: Cursor<'a>,
}

/// All UDP payloads of a capture, in its order.
pub(super) fn datagrams(bytes: &[u8]) -> Result<Vec<Datagram<'_>>, RecordingError> {
    let mut cursor = Cursor::new(bytes);
    match cursor.array::<4>() {
        Ok([0xd4, 0xc3, 0xb2, 0xa1]) => classic(&mut cursor, Order::Little, 1),
        Ok([0xa1, 0xb2, 0xc3, 0xd4]) => classic(&mut cursor, Order::Big, 1),
        Ok([0x4d, 0x3c, 0xb2, 0xa1]) => classic(&mut cursor, Order::Little, 1_000),
        Ok([0xa1, 0xb2, 0x3c, 0x4d]) => classic(&mut cursor, Order::Big, 1_000),
        Ok([0x0a, 0x0d, 0x0d, 0x0a]) => blocks(Cursor::new(bytes)),
        _ => Err(foreign("a network capture (.pcap or .pcapng)")),
    }
}

#[derive(Clone, Copy)]
enum Order {
    Little,
    Big,
}

impl Order {
    fn u16(self, cursor: &mut Cursor<'_>) -> Result<u16, RecordingError> {
        match self {
            Self::Little => cursor.u16_le(),
            Self::Big => cursor.u16_be(),
        }
    }

    fn u32(self, cursor: &mut Cursor<'_>) -> Result<u32, RecordingError> {
        match self {
            Self::Little => cursor.u32_le(),
            Self::Big => cursor.u32_be(),
        }
    }
}

fn classic<'a>(
    cursor: &mut Cursor<'a>,
    order: Order,
    ticks_per_micro: u32,
) -> Result<Vec<Datagram<'a>>, RecordingError> {
    cursor.skip(16)?;
    let link = order.u32(cursor)? & 0xffff;
    let mut found = Vec::new();
    while cursor.left() > 0 {
        let (secs, part) = (order.u32(cursor)?, order.u32(cursor)?);
        let length = order.u32(cursor)? as usize;
        cursor.skip(4)?;
        let at = i64::from(secs) * 1_000_000 + i64::from(part / ticks_per_micro);
        let at = SimTime::from_micros(at);
        found.extend(udp(link, cursor.part(length)?).map(|payload| Datagram { at, payload }));
    }
    Ok(found)
}

/// One network card of a `.pcapng`.
#[derive(Clone, Copy)]
struct Card {
    link: u32,
    ticks_per_s: u64,
}

const SECTION: u32 = 0x0a0d_0d0a;
const CARD: u32 = 1;
const PACKET: u32 = 6;

fn blocks(mut cursor: Cursor<'_>) -> Result<Vec<Datagram<'_>>, RecordingError> {
    let (mut order, mut cards, mut found) = (Order::Little, Vec::new(), Vec::new());
    while cursor.left() > 0 {
        if let Some(new) = section_order(&cursor)? {
            order = new;
            cards.clear();
        }
        let (kind, length) = (order.u32(&mut cursor)?, order.u32(&mut cursor)? as usize);
        let Some(inside) = length.checked_sub(12).filter(|inside| inside % 4 == 0) else {
            return Err(cursor.fault(4, "block length", length, "at least 12, in steps of 4"));
        };
        let mut body = cursor.part(inside)?;
        if order.u32(&mut cursor)? as usize != length {
            return Err(cursor.fault(4, "block end", "another length", "the block's length"));
        }
        match kind {
            CARD => cards.push(card(&mut body, order)?),
            PACKET => found.extend(packet(&mut body, order, &cards)?),
            _ => {}
        }
    }
    Ok(found)
}

/// A section says in which order its numbers are, and only the magic tells.
fn section_order(cursor: &Cursor<'_>) -> Result<Option<Order>, RecordingError> {
    let mut peek = cursor.clone();
    if peek.u32_le()? != SECTION {
        return Ok(None);
    }
    peek.skip(4)?;
    match peek.u32_le()? {
        0x1a2b_3c4d => Ok(Some(Order::Little)),
        0x4d3c_2b1a => Ok(Some(Order::Big)),
        other => Err(peek.fault(4, "byte order", other, "the magic of a section")),
    }
}

fn card(body: &mut Cursor<'_>, order: Order) -> Result<Card, RecordingError> {
    let link = u32::from(order.u16(body)?);
    body.skip(6)?;
    let mut ticks_per_s = 1_000_000;
    while body.left() >= 4 {
        let (option, length) = (order.u16(body)?, usize::from(order.u16(body)?));
        let mut value = body.part(length)?;
        body.skip((4 - length % 4) % 4)?;
        match (option, value.u8()) {
            (0, _) => break,
            (9, Ok(power @ 0..=18)) => ticks_per_s = 10_u64.pow(u32::from(power)),
            (9, Ok(power @ 128..=191)) => ticks_per_s = 1 << (power - 128),
            _ => {}
        }
    }
    Ok(Card { link, ticks_per_s })
}

fn packet<'a>(
    body: &mut Cursor<'a>,
    order: Order,
    cards: &[Card],
) -> Result<Option<Datagram<'a>>, RecordingError> {
    let index = order.u32(body)?;
    let Some(card) = cards.get(index as usize) else {
        return Err(body.fault(4, "network card", index, "one described before"));
    };
    let (high, low) = (order.u32(body)?, order.u32(body)?);
    let ticks = i128::from(u64::from(high) << 32 | u64::from(low));
    let micros = ticks * 1_000_000 / i128::from(card.ticks_per_s);
    let at = SimTime::from_micros(i64::try_from(micros).unwrap_or(i64::MAX));
    let length = order.u32(body)? as usize;
    body.skip(4)?;
    Ok(udp(card.link, body.part(length)?).map(|payload| Datagram { at, payload }))
}

/// The UDP payload of one frame, if it has one.
fn udp(link: u32, mut frame: Cursor<'_>) -> Option<Cursor<'_>> {
    let frame = &mut frame;
    match link {
        0 => frame.skip(4).ok()?, // loopback
        1 => after_ethernet(frame)?,
        101 | 228 | 229 => {}        // IP at once
        113 => frame.skip(16).ok()?, // Linux cooked
        276 => frame.skip(20).ok()?, // Linux cooked, second version
        _ => return None,
    }
    let mut peek = frame.clone();
    match peek.u8().ok()? >> 4 {
        4 => after_ipv4(frame)?,
        6 => after_ipv6(frame)?,
        _ => return None,
    }
    frame.skip(4).ok()?;
    let length = usize::from(frame.u16_be().ok()?).checked_sub(8)?;
    frame.skip(2).ok()?;
    frame.part(length).ok()
}

fn after_ethernet(frame: &mut Cursor<'_>) -> Option<()> {
    frame.skip(12).ok()?;
    loop {
        match frame.u16_be().ok()? {
            0x8100 | 0x88a8 => frame.skip(2).ok()?,
            0x0800 | 0x86dd => return Some(()),
            _ => return None,
        }
    }
}

fn after_ipv4(frame: &mut Cursor<'_>) -> Option<()> {
    let words = frame.u8().ok()? & 15;
    frame.skip(5).ok()?;
    let fragment = frame.u16_be().ok()? & 0x3fff; // "more" bit and offset
    frame.skip(1).ok()?;
    let protocol = frame.u8().ok()?;
    frame.skip((usize::from(words) * 4).checked_sub(10)?).ok()?;
    (fragment == 0 && protocol == 17).then_some(())
}

fn after_ipv6(frame: &mut Cursor<'_>) -> Option<()> {
    frame.skip(6).ok()?;
    let next = frame.u8().ok()?;
    frame.skip(33).ok()?;
    (next == 17).then_some(())
}
