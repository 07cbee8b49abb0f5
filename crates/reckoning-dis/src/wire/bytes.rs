//! Numbers of a PDU, all big-endian.

use reckoning::DVec3;

use super::DecodeError;

/// What is left to read of a PDU.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    /// Bytes read so far, for errors.
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(pdu: &'a [u8]) -> Self {
        Self { rest: pdu, at: 0 }
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let Some((taken, rest)) = self.rest.split_first_chunk::<N>() else {
            return Err(DecodeError::CutOff { at: self.at, needed: N, left: self.rest.len() });
        };
        (self.rest, self.at) = (rest, self.at + N);
        Ok(*taken)
    }

    pub(super) fn u8(&mut self) -> Result<u8, DecodeError> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self) -> Result<u16, DecodeError> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_be_bytes)
    }

    pub(super) fn i32(&mut self) -> Result<i32, DecodeError> {
        self.array().map(i32::from_be_bytes)
    }

    pub(super) fn f32(&mut self) -> Result<f32, DecodeError> {
        self.array().map(f32::from_be_bytes)
    }

    pub(super) fn f64(&mut self) -> Result<f64, DecodeError> {
        self.array().map(f64::from_be_bytes)
    }

    pub(super) fn skip<const N: usize>(&mut self) -> Result<(), DecodeError> {
        self.array::<N>().map(|_| ())
    }

    pub(super) fn vector(&mut self) -> Result<[f32; 3], DecodeError> {
        Ok([self.f32()?, self.f32()?, self.f32()?])
    }

    pub(super) fn location(&mut self) -> Result<DVec3, DecodeError> {
        Ok(DVec3::new(self.f64()?, self.f64()?, self.f64()?))
    }
}

/// Appends numbers.
pub(super) trait Put {
    fn put_u8(&mut self, value: u8);
    fn put(&mut self, bytes: &[u8]);

    fn put_u16(&mut self, value: u16) {
        self.put(&value.to_be_bytes());
    }

    fn put_u32(&mut self, value: u32) {
        self.put(&value.to_be_bytes());
    }

    fn put_i32(&mut self, value: i32) {
        self.put(&value.to_be_bytes());
    }

    fn put_f32(&mut self, value: f32) {
        self.put(&value.to_be_bytes());
    }

    fn put_vector(&mut self, vector: [f32; 3]) {
        for number in vector {
            self.put_f32(number);
        }
    }

    fn put_location(&mut self, place: DVec3) {
        for number in place.to_array() {
            self.put(&number.to_be_bytes());
        }
    }
}

impl Put for Vec<u8> {
    fn put_u8(&mut self, value: u8) {
        self.push(value);
    }

    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}
