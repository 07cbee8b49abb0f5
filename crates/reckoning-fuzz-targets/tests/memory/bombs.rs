//! Short inputs that ask for much.

/// A Zstandard frame, put together block by block.
pub struct Frame(Vec<u8>);

impl Frame {
    pub fn new() -> Self {
        // No content size, a window of 128 KiB.
        Self(vec![0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3])
    }

    fn block(&mut self, kind: u32, size: usize, content: &[u8]) {
        let header = kind << 1 | (size as u32) << 3;
        self.0.extend(&header.to_le_bytes()[..3]);
        self.0.extend(content);
    }

    /// Bytes as they are.
    pub fn raw(mut self, bytes: &[u8]) -> Self {
        for part in bytes.chunks(128 << 10) {
            self.block(0, part.len(), part);
        }
        self
    }

    /// The same byte many times.
    pub fn repeated(mut self, byte: u8, mut count: usize) -> Self {
        while count > 0 {
            let part = count.min(128 << 10);
            self.block(1, part, &[byte]);
            count -= part;
        }
        self
    }

    /// What came `back` bytes before, over and over, in `count` blocks of 128 KiB.
    pub fn copied(mut self, back: u32, count: usize) -> Self {
        let value = back + 3;
        let code = value.ilog2();
        let bits = u64::from(value - (1 << code)) << 16 | (131_072 - 65_539);
        let bits = (bits | 1 << (16 + code)).to_le_bytes();
        let length = (17 + code as usize).div_ceil(8);
        let head = [0, 1, 0b0101_0100, 0, code as u8, 52];
        let content = [&head[..], &bits[..length]].concat();
        for _ in 0..count {
            self.block(2, content.len(), &content);
        }
        self
    }

    /// One block that claims `count` matches of 64 KiB each, which no encoder writes.
    pub fn swollen(mut self, count: u16) -> Self {
        self = self.raw(b"a");
        let mut content = vec![0, 128 + (count >> 8) as u8, count as u8, 0b0101_0100, 0, 2, 52];
        // Eighteen bits each, all zero, and the mark of the end.
        content.extend(vec![0; usize::from(count) * 18 / 8]);
        content.push(1);
        self.block(2, content.len(), &content);
        self
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.block(0, 0, &[]);
        let last = self.0.len() - 3;
        self.0[last] |= 1;
        self.0
    }
}

/// A session file of packed chunks: kind, packed payload, length that it unpacks to.
pub fn session(chunks: &[(u8, Vec<u8>, usize)]) -> Vec<u8> {
    let mut file = vec![0x89, b'R', b'E', b'C', b'K', 0x0d, 0x0a, 0x1a, 1, 0, 0, 0];
    file.extend(crc32fast::hash(&file).to_le_bytes());
    for (kind, payload, raw) in chunks {
        let offset = (file.len() as u64).to_le_bytes();
        let mut header = vec![*kind, 1, 0, 0];
        header.extend((payload.len() as u32).to_le_bytes());
        header.extend((*raw as u32).to_le_bytes());
        header.extend(crc32fast::hash(payload).to_le_bytes());
        let sum = crc32fast::hash(&[&header[..], &offset].concat());
        file.extend(header);
        file.extend(sum.to_le_bytes());
        file.extend(payload);
    }
    file
}

/// A chunk of samples: its head, then so many zeros.
pub fn samples(id: i32, count: u32, columns: u16, zeros: usize) -> (u8, Vec<u8>, usize) {
    let mut head = id.to_le_bytes().to_vec();
    head.extend([0; 4]);
    head.extend(count.to_le_bytes());
    head.extend(columns.to_le_bytes());
    let raw = head.len() + zeros;
    (4, Frame::new().raw(&head).repeated(0, zeros).finish(), raw)
}

/// Columns of many empty words each.
pub fn words(columns: u16) -> (u8, Vec<u8>, usize) {
    const WORDS: usize = 65_535;
    let mut head = vec![0; 8];
    head.extend(0_u32.to_le_bytes());
    head.extend(columns.to_le_bytes());
    // No samples: eight columns of numbers, of which each says its way and its planes.
    head.extend([0; 2 + 6 * 2]);
    let mut frame = Frame::new().raw(&head);
    let mut raw = head.len();
    for _ in 0..columns {
        frame = frame.raw(&[0, 0, 255, 255]).repeated(0, WORDS * 2).raw(&[0, 0]);
        raw += 4 + WORDS * 2 + 2;
    }
    (4, frame.finish(), raw)
}

/// Text over and over, about so many bytes of it.
pub fn many(head: &str, part: &str, bytes: usize, tail: &str) -> Vec<u8> {
    let mut text = head.to_string();
    text.push_str(&part.repeat(bytes / part.len()));
    text.push_str(tail);
    text.into_bytes()
}

/// A BZFlag recording of so many packets with this code and payload.
pub fn bzflag(code: [u8; 2], payload: &[u8], count: usize) -> Vec<u8> {
    let mut file = 0x7272_425a_u32.to_be_bytes().to_vec();
    file.extend(1_u32.to_be_bytes());
    file.extend(12_u32.to_be_bytes());
    for _ in 0..count {
        let next = (file.len() + 24 + payload.len()) as u32;
        file.extend([0, 0]);
        file.extend(code);
        file.extend((payload.len() as u32).to_be_bytes());
        file.extend(next.to_be_bytes());
        file.extend([0; 12]);
        file.extend(payload);
    }
    file
}

/// A Slippi replay of so many frames of one fighter.
pub fn slippi(count: i32) -> Vec<u8> {
    let mut events = vec![0x35, 7, 0x36, 1, 0x40, 0x38, 0, 0x40];
    events.extend([0x36]);
    events.extend([0; 0x140]);
    for frame in 0..count {
        events.push(0x38);
        let mut payload = [0; 0x40];
        payload[..4].copy_from_slice(&frame.to_be_bytes());
        events.extend(payload);
    }
    let length = (events.len() as u32).to_be_bytes();
    [&b"{U\x03raw[$U#l"[..], &length, &events].concat()
}

/// A capture of so many DIS entities that are seen once.
pub fn dis(count: u32) -> Vec<u8> {
    let mut file = 0xa1b2_c3d4_u32.to_le_bytes().to_vec();
    file.extend([2, 0, 4, 0]);
    file.extend([0; 8]);
    file.extend(65_535_u32.to_le_bytes());
    file.extend(101_u32.to_le_bytes());
    for entity in 0..count {
        let mut pdu = vec![7, 0, 1, 1, 0, 0, 0, 0, 0, 144, 0, 0];
        pdu.extend([0, 1]);
        pdu.extend(entity.to_be_bytes());
        pdu.resize(144, 0);
        let udp = [&[0, 1, 0, 2, 0, 152, 0, 0], &pdu[..]].concat();
        let mut ip = vec![0x45, 0, 0, 180, 0, 0, 0, 0, 64, 17];
        ip.extend([0; 10]);
        ip.extend(udp);
        file.extend([0; 8]);
        file.extend((ip.len() as u32).to_le_bytes());
        file.extend((ip.len() as u32).to_le_bytes());
        file.extend(ip);
    }
    file
}

/// A Rocket League replay: its tables of objects and of classes with the attributes they have, each
/// a number and an object, and its bits.
pub fn replay(objects: &[String], classes: &[(u32, Vec<(u32, u32)>)], bits: &[u8]) -> Vec<u8> {
    let text =
        |word: &str| [&(word.len() as u32 + 1).to_le_bytes()[..], word.as_bytes(), b"\0"].concat();
    let mut header = [868_u32, 12].map(u32::to_le_bytes).concat();
    header.extend(text("TAGame.Replay_Soccar_TA"));
    header.extend([text("NumFrames"), text("IntProperty")].concat());
    header.extend([4_u32, 0, 16].map(u32::to_le_bytes).concat());
    header.extend(text("None"));
    let mut body = [0_u32, 0].map(u32::to_le_bytes).concat();
    body.extend((bits.len() as u32).to_le_bytes());
    body.extend(bits);
    body.extend([0; 12]);
    body.extend((objects.len() as u32).to_le_bytes());
    for name in objects {
        body.extend(text(name));
    }
    body.extend([0; 8]);
    body.extend((classes.len() as u32).to_le_bytes());
    for (object, attributes) in classes {
        body.extend([*object, 0, 0, attributes.len() as u32].map(u32::to_le_bytes).concat());
        for (stream, attribute) in attributes {
            body.extend([*attribute, *stream].map(u32::to_le_bytes).concat());
        }
    }
    [section(&header), section(&body)].concat()
}

fn section(bytes: &[u8]) -> Vec<u8> {
    let mut section = (bytes.len() as u32).to_le_bytes().to_vec();
    section.extend(replay_sum(bytes).to_le_bytes());
    section.extend(bytes);
    section
}

fn replay_sum(bytes: &[u8]) -> u32 {
    let mut sum = !0xefcb_f201_u32;
    for byte in bytes {
        sum ^= u32::from(*byte) << 24;
        for _ in 0..8 {
            sum = if sum >> 31 == 1 { sum << 1 ^ 0x04c1_1db7 } else { sum << 1 };
        }
    }
    !sum
}

/// One frame with one actor of object `kind`, which is updated with truth values to the end.
pub fn updates(kind: u32, bytes: usize) -> Vec<u8> {
    let mut bits = Vec::new();
    let mut put = |value: u32, count: u32| bits.extend((0..count).map(|bit| value >> bit & 1 == 1));
    put(1_f32.to_bits(), 32);
    put(1_f32.to_bits(), 32);
    // There is one; actor 0 lives and is new, of this kind.
    put(1, 1 + 10);
    put(0b011, 3);
    put(kind, 32);
    // There is another; actor 0 lives and is not new, and from here on all bits are set.
    put(1, 1 + 10);
    put(0b01, 2);
    bits.resize(bits.len().next_multiple_of(8), true);
    let (bytes_of, _) = bits.as_chunks::<8>();
    let whole = |bits: &[bool; 8]| (0..8).fold(0, |byte, k| byte | u8::from(bits[k]) << k);
    let mut all: Vec<u8> = bytes_of.iter().map(whole).collect();
    all.resize(bytes, 0xff);
    all
}
