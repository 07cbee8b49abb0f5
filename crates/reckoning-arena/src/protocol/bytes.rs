//! Little-endian reading and writing.

use reckoning::SimTime;

use super::{MAX_NAME_BYTES, ProtocolError, clean_name};

/// Bytes that are read from the front.
pub(crate) struct ByteReader<'a> {
    rest: &'a [u8],
}

impl<'a> ByteReader<'a> {
    pub(crate) const fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], ProtocolError> {
        let (first, rest) = self.rest.split_first_chunk().ok_or(ProtocolError::Short)?;
        self.rest = rest;
        Ok(*first)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, ProtocolError> {
        self.take().map(u8::from_le_bytes)
    }

    pub(crate) fn flag(&mut self, name: &'static str) -> Result<bool, ProtocolError> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(ProtocolError::Value { name }),
        }
    }

    pub(crate) fn u16(&mut self) -> Result<u16, ProtocolError> {
        self.take().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, ProtocolError> {
        self.take().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, ProtocolError> {
        self.take().map(u64::from_le_bytes)
    }

    pub(crate) fn time(&mut self) -> Result<SimTime, ProtocolError> {
        self.take().map(i64::from_le_bytes).map(SimTime::from_micros)
    }

    pub(crate) fn f32(&mut self, name: &'static str) -> Result<f32, ProtocolError> {
        let value = self.take().map(f32::from_le_bytes)?;
        if value.is_finite() { Ok(value) } else { Err(ProtocolError::Value { name }) }
    }

    pub(crate) fn pair(&mut self, name: &'static str) -> Result<[f32; 2], ProtocolError> {
        Ok([self.f32(name)?, self.f32(name)?])
    }

    /// What another reader makes of the front, and how many bytes that took.
    pub(crate) fn with<T>(&mut self, read: impl Fn(&[u8]) -> Option<(T, usize)>) -> Option<T> {
        let (value, taken) = read(self.rest)?;
        self.rest = self.rest.get(taken..)?;
        Some(value)
    }

    /// A name that fills all that is left.
    pub(crate) fn name(&mut self) -> Result<String, ProtocolError> {
        let wrong = ProtocolError::Value { name: "name" };
        if self.rest.len() > MAX_NAME_BYTES {
            return Err(wrong);
        }
        let text = str::from_utf8(self.rest).map_err(|_| wrong)?;
        self.rest = &[];
        Ok(clean_name(text))
    }

    /// Nothing may be left.
    pub(crate) const fn end<T: Copy>(&self, value: T) -> Result<T, ProtocolError> {
        match self.rest.len() {
            0 => Ok(value),
            left_bytes => Err(ProtocolError::Long { left_bytes }),
        }
    }
}

/// Appends numbers.
pub(crate) trait Put {
    fn put(&mut self, bytes: &[u8]) -> &mut Self;

    fn put_u8(&mut self, value: u8) -> &mut Self {
        self.put(&[value])
    }

    fn put_u16(&mut self, value: u16) -> &mut Self {
        self.put(&value.to_le_bytes())
    }

    fn put_u32(&mut self, value: u32) -> &mut Self {
        self.put(&value.to_le_bytes())
    }

    fn put_u64(&mut self, value: u64) -> &mut Self {
        self.put(&value.to_le_bytes())
    }

    fn put_time(&mut self, at: SimTime) -> &mut Self {
        self.put(&at.as_micros().to_le_bytes())
    }

    fn put_f32(&mut self, value: f32) -> &mut Self {
        self.put(&value.to_le_bytes())
    }

    fn put_pair(&mut self, pair: [f32; 2]) -> &mut Self {
        self.put_f32(pair[0]).put_f32(pair[1])
    }
}

impl Put for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) -> &mut Self {
        self.extend_from_slice(bytes);
        self
    }
}
