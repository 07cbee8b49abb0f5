//! UDP datagrams of a network capture (`.pcap` or `.pcapng`).
//!
//! `pcap-parser` reads the container, from a slice and without copying; [`udp`] finds the
//! payload in each frame. The container is checked strictly, the frames leniently. Errors name
//! the byte at which the broken record begins.

use pcap_parser::nom::{Err, IResult, Needed};
use pcap_parser::pcapng::{
    Block, EnhancedPacketBlock, InterfaceDescriptionBlock, SHB_MAGIC, parse_block_be,
    parse_block_le, parse_unknownblock_be, parse_unknownblock_le,
};
use pcap_parser::{
    LegacyPcapBlock, PcapError, PcapHeader, parse_pcap_frame, parse_pcap_frame_be,
    parse_pcap_frame_modified, parse_pcap_header,
};
use reckoning::SimTime;
use reckoning_recording::{Cursor, Fault, RecordingError};

use super::{foreign, udp};

/// A UDP payload and when it was captured.
pub(super) struct Datagram<'a> {
    pub(super) at: SimTime,
    pub(super) payload: Cursor<'a>,
}

/// All UDP payloads of a capture, in its order.
pub(super) fn datagrams(bytes: &[u8]) -> Result<Vec<Datagram<'_>>, RecordingError> {
    if bytes.starts_with(&SHB_MAGIC.to_le_bytes()) {
        return pcapng(bytes);
    }
    match parse_pcap_header(bytes) {
        Ok((records, header)) => pcap(bytes, records, &header),
        Err(Err::Incomplete(needed)) if bytes.len() >= 4 => Err(cut_off(bytes, bytes, needed)),
        Err(_) => Err(foreign("a network capture (.pcap or .pcapng)")),
    }
}

type Parsed<'a, T> = IResult<&'a [u8], T, PcapError<&'a [u8]>>;

/// The records of a `.pcap`.
fn pcap<'a>(
    file: &'a [u8],
    mut rest: &'a [u8],
    header: &PcapHeader,
) -> Result<Vec<Datagram<'a>>, RecordingError> {
    let parse: fn(&'a [u8]) -> Parsed<'a, LegacyPcapBlock<'a>> = if header.is_modified_format() {
        parse_pcap_frame_modified
    } else if header.is_bigendian() {
        parse_pcap_frame_be
    } else {
        parse_pcap_frame
    };
    let ticks_per_micro = if header.is_nanosecond_precision() { 1_000 } else { 1 };
    // The upper half tells of checksums at the end of frames.
    let link = header.network.0.cast_unsigned() & 0xffff;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (after, record) = parse(rest).map_err(|error| match error {
            Err::Incomplete(needed) => cut_off(file, rest, needed),
            _ => broken(file, rest, "record"),
        })?;
        let part = i64::from(record.ts_usec / ticks_per_micro);
        let at = SimTime::from_micros(i64::from(record.ts_sec) * 1_000_000 + part);
        let frame = Cursor::within(record.data, offset(file, after) - record.data.len() as u64);
        found.extend(udp::payload(link, frame).map(|payload| Datagram { at, payload }));
        rest = after;
    }
    Ok(found)
}

/// The blocks of a `.pcapng`.
fn pcapng(file: &[u8]) -> Result<Vec<Datagram<'_>>, RecordingError> {
    let (mut big_endian, mut interfaces, mut found) = (false, Vec::new(), Vec::new());
    let mut rest = file;
    while !rest.is_empty() {
        let (after, block) = next_block(file, rest, big_endian)?;
        match block {
            Block::SectionHeader(section) => {
                // The crate compares the two lengths of every block but this.
                if section.block_len1 != section.block_len2 {
                    return Err(broken(file, rest, "block"));
                }
                big_endian = section.big_endian();
                interfaces.clear();
            }
            Block::InterfaceDescription(it) => interfaces.push(Interface::new(&it)),
            Block::EnhancedPacket(packet) => {
                let at = offset(file, rest);
                let Some(interface) = interfaces.get(packet.if_id as usize) else {
                    let wanted = "one described before";
                    return Err(RecordingError::value(at + 8, "interface", packet.if_id, wanted));
                };
                found.extend(interface.datagram(at, &packet));
            }
            _ => {}
        }
        rest = after;
    }
    Ok(found)
}

fn next_block<'a>(
    file: &[u8],
    rest: &'a [u8],
    big_endian: bool,
) -> Result<(&'a [u8], Block<'a>), RecordingError> {
    let parsed = if big_endian { parse_block_be(rest) } else { parse_block_le(rest) };
    parsed.map_err(|_| {
        // A block may be incomplete because the file ends, or by what it says of itself.
        let framed = if big_endian {
            parse_unknownblock_be(rest).map(|_| ())
        } else {
            parse_unknownblock_le(rest).map(|_| ())
        };
        match framed {
            Err(Err::Incomplete(needed)) => cut_off(file, rest, needed),
            _ => broken(file, rest, "block"),
        }
    })
}

/// A network interface of a `.pcapng` section.
struct Interface {
    link: u32,
    ticks_per_s: u64,
}

/// Offset of the frame in a packet block.
const FRAME_AT: u64 = 28;

impl Interface {
    fn new(block: &InterfaceDescriptionBlock<'_>) -> Self {
        // `ts_resolution` of pcap-parser 0.17 refuses every power of two.
        let ticks_per_s = match block.if_tsresol {
            power @ 0..=18 => 10_u64.pow(u32::from(power)),
            power @ 128..=191 => 1 << (power - 128),
            _ => 1_000_000,
        };
        Self { link: block.linktype.0.cast_unsigned(), ticks_per_s }
    }

    /// The datagram in a packet block that begins at `offset` of the file.
    fn datagram<'a>(&self, offset: u64, packet: &EnhancedPacketBlock<'a>) -> Option<Datagram<'a>> {
        let ticks = i128::from(u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low));
        let micros = ticks * 1_000_000 / i128::from(self.ticks_per_s);
        let at = SimTime::from_micros(i64::try_from(micros).unwrap_or(i64::MAX));
        let frame = packet.data.get(..packet.caplen as usize)?;
        let payload = udp::payload(self.link, Cursor::within(frame, offset + FRAME_AT))?;
        Some(Datagram { at, payload })
    }
}

/// Where the rest of the file begins.
const fn offset(file: &[u8], rest: &[u8]) -> u64 {
    (file.len() - rest.len()) as u64
}

fn cut_off(file: &[u8], rest: &[u8], needed: Needed) -> RecordingError {
    let left = rest.len() as u64;
    let more = match needed {
        Needed::Size(bytes) => bytes.get() as u64,
        Needed::Unknown => 1,
    };
    RecordingError::at(offset(file, rest), Fault::CutOff { needed: left + more, left })
}

fn broken(file: &[u8], rest: &[u8], field: &'static str) -> RecordingError {
    RecordingError::value(offset(file, rest), field, "broken", "one whose lengths agree")
}
