//! Thrift's compact protocol, as far as Parquet's footers need it.

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A struct under construction; fields are added by rising number.
pub(super) struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

impl Struct {
    pub(super) const fn new() -> Self {
        Self { bytes: Vec::new(), last: 0 }
    }

    pub(super) fn integer(self, field: u8, value: u64) -> Self {
        self.number(field, I32, value)
    }

    pub(super) fn integer64(self, field: u8, value: u64) -> Self {
        self.number(field, I64, value)
    }

    pub(super) fn text(mut self, field: u8, value: &str) -> Self {
        self.field(field, BINARY);
        put_text(&mut self.bytes, value);
        self
    }

    pub(super) fn inner(mut self, field: u8, value: Self) -> Self {
        self.field(field, STRUCT);
        self.bytes.extend(value.finish());
        self
    }

    pub(super) fn list(mut self, field: u8, values: impl Iterator<Item = Self>) -> Self {
        let values: Vec<Self> = values.collect();
        self.list_header(field, STRUCT, values.len());
        for value in values {
            self.bytes.extend(value.finish());
        }
        self
    }

    pub(super) fn integers(mut self, field: u8, values: &[u64]) -> Self {
        self.list_header(field, I32, values.len());
        for &value in values {
            put_varint(&mut self.bytes, zigzag(value));
        }
        self
    }

    pub(super) fn texts(mut self, field: u8, values: &[&str]) -> Self {
        self.list_header(field, BINARY, values.len());
        for value in values {
            put_text(&mut self.bytes, value);
        }
        self
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }

    fn number(mut self, field: u8, kind: u8, value: u64) -> Self {
        self.field(field, kind);
        put_varint(&mut self.bytes, zigzag(value));
        self
    }

    fn list_header(&mut self, field: u8, kind: u8, count: usize) {
        self.field(field, LIST);
        if count < 15 {
            self.bytes.push((count as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            put_varint(&mut self.bytes, count as u64);
        }
    }

    /// Field numbers here are below 16 and rise, so their difference fits half a byte.
    fn field(&mut self, field: u8, kind: u8) {
        debug_assert!(field > self.last && field - self.last < 16, "field {field} out of order");
        self.bytes.push((field - self.last) << 4 | kind);
        self.last = field;
    }
}

/// Signed numbers alternate between both sides of zero; none of Parquet's is negative.
const fn zigzag(value: u64) -> u64 {
    value << 1
}

pub(super) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u64);
    out.extend(text.as_bytes());
}
