//! Cursor over untrusted bytes: every read is checked and knows its offset.

use super::{Fault, RecordingError};

/// A place in a slice of foreign bytes.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where `bytes` begins in the file, for error messages.
    base: u64,
}

impl<'a> Cursor<'a> {
    /// Starts at the beginning of a file.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self::within(bytes, 0)
    }

    /// Starts at the beginning of a part that lies at `base` of its file.
    #[must_use]
    pub const fn within(bytes: &'a [u8], base: u64) -> Self {
        Self { bytes, at: 0, base }
    }

    /// Offset in the file.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// Bytes that are left.
    #[must_use]
    pub const fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next `count` bytes.
    ///
    /// # Errors
    /// Names the byte when fewer are left.
    pub fn slice(&mut self, count: usize) -> Result<&'a [u8], RecordingError> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.bytes.len());
        let Some(end) = end else {
            let fault = Fault::CutOff { needed: count as u64, left: self.left() as u64 };
            return Err(RecordingError::at(self.offset(), fault));
        };
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    /// A part of the next `count` bytes as a cursor of its own.
    ///
    /// # Errors
    /// Names the byte when fewer are left.
    pub fn part(&mut self, count: usize) -> Result<Self, RecordingError> {
        let base = self.offset();
        Ok(Self::within(self.slice(count)?, base))
    }

    /// Leaves out `count` bytes.
    ///
    /// # Errors
    /// Names the byte when fewer are left.
    pub fn skip(&mut self, count: usize) -> Result<(), RecordingError> {
        self.slice(count).map(|_| ())
    }

    /// The next `N` bytes as an array, for `from_le_bytes` and `from_be_bytes`.
    ///
    /// # Errors
    /// Names the byte when fewer are left.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], RecordingError> {
        let mut array = [0; N];
        array.copy_from_slice(self.slice(N)?);
        Ok(array)
    }

    /// The next byte.
    ///
    /// # Errors
    /// Names the byte when fewer are left.
    pub fn u8(&mut self) -> Result<u8, RecordingError> {
        Ok(self.array::<1>()?[0])
    }

    /// UTF-8 text of `count` bytes; anything else in it is replaced.
    ///
    /// # Errors
    /// Names the byte when fewer are left.
    pub fn text(&mut self, count: usize) -> Result<String, RecordingError> {
        let text = self.slice(count)?;
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
        Ok(String::from_utf8_lossy(&text[..end]).trim_end().to_string())
    }

    /// A fault of the value that begins `back` bytes before here.
    #[must_use]
    pub fn fault(
        &self,
        back: u64,
        field: &'static str,
        got: impl std::fmt::Display,
        wanted: &'static str,
    ) -> RecordingError {
        RecordingError::value(self.offset().saturating_sub(back), field, got, wanted)
    }
}

macro_rules! numbers {
    ($($name:ident $convert:ident $type:ty),* $(,)?) => {
        impl Cursor<'_> {
            $(
                #[doc = concat!("The next `", stringify!($type), "`.")]
                ///
                /// # Errors
                /// Names the byte when fewer are left than it takes.
                pub fn $name(&mut self) -> Result<$type, RecordingError> {
                    Ok(<$type>::$convert(self.array()?))
                }
            )*
        }
    };
}

numbers! {
    u16_le from_le_bytes u16,
    u32_le from_le_bytes u32,
    i32_le from_le_bytes i32,
    i64_le from_le_bytes i64,
    f32_le from_le_bytes f32,
    f64_le from_le_bytes f64,
    u16_be from_be_bytes u16,
    u32_be from_be_bytes u32,
    u64_be from_be_bytes u64,
    i16_be from_be_bytes i16,
    i32_be from_be_bytes i32,
    f32_be from_be_bytes f32,
    f64_be from_be_bytes f64,
}
