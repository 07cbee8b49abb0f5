//! Cells of a row, and the numbers in them.

use reckoning::SimTime;

use crate::{Fault, RecordingError};

/// The rest of a row.
#[derive(Clone, Copy)]
pub(super) struct CsvCells<'a> {
    pub(super) rest: Option<&'a [u8]>,
    pub(super) offset: u64,
}

impl<'a> CsvCells<'a> {
    pub(super) fn take(&mut self, name: &str) -> Result<CsvCell<'a>, RecordingError> {
        let Some(rest) = self.rest else {
            let fault = Fault::NoField { field: name.to_string() };
            return Err(RecordingError::at(self.offset, fault));
        };
        let offset = self.offset;
        let end = rest.iter().position(|&byte| byte == b',');
        let text = end.and_then(|end| rest.get(..end)).unwrap_or(rest);
        self.rest = end.and_then(|end| rest.get(end + 1..));
        self.offset += text.len() as u64 + u64::from(end.is_some());
        Ok(CsvCell { text, offset })
    }
}

pub(super) struct CsvCell<'a> {
    pub(super) text: &'a [u8],
    offset: u64,
}

impl CsvCell<'_> {
    /// The number in the cell; `None` when it is empty.
    pub(super) fn number(&self, name: &str) -> Result<Option<f64>, RecordingError> {
        if self.text.is_empty() {
            return Ok(None);
        }
        let slow = || std::str::from_utf8(self.text).ok()?.parse::<f64>().ok();
        match short_decimal(self.text).or_else(slow).filter(|number| number.is_finite()) {
            Some(number) => Ok(Some(number)),
            None => Err(self.refuse(name, "a number")),
        }
    }

    /// A number that an `f32` can hold; `None` when the cell is empty.
    pub(super) fn single(&self, name: &str) -> Result<Option<f64>, RecordingError> {
        match self.number(name)? {
            Some(number) if number.abs() > f64::from(f32::MAX) => {
                Err(self.refuse(name, "a number below 3.4e38"))
            }
            number => Ok(number),
        }
    }

    /// A whole number; `None` when the cell is empty.
    pub(super) fn optional_integer(&self, name: &str) -> Result<Option<i32>, RecordingError> {
        if self.text.is_empty() { Ok(None) } else { self.integer(name).map(Some) }
    }

    pub(super) fn integer(&self, name: &str) -> Result<i32, RecordingError> {
        let number = std::str::from_utf8(self.text).ok().and_then(|text| text.parse().ok());
        number.ok_or_else(|| self.refuse(name, "a whole number"))
    }

    pub(super) fn refuse(&self, name: &str, wanted: &'static str) -> RecordingError {
        RecordingError::value(self.offset, name, String::from_utf8_lossy(self.text), wanted)
    }
}

pub(super) fn micros(cell: &CsvCell<'_>) -> Result<SimTime, RecordingError> {
    match cell.number("t")? {
        Some(secs) => Ok(SimTime::from_secs_f64(secs)),
        None => Err(cell.refuse("t", "a number")),
    }
}

/// A decimal of at most 15 digits, rounded exactly: both its digits and its power of ten are
/// whole numbers that an `f64` holds, and one division rounds once.
fn short_decimal(text: &[u8]) -> Option<f64> {
    let (negative, digits) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    let (mut whole, mut scale, mut point) = (0_u64, 1_u64, false);
    for &byte in digits {
        match byte {
            b'0'..=b'9' => {
                whole = whole * 10 + u64::from(byte - b'0');
                scale *= if point { 10 } else { 1 };
            }
            b'.' if !point => point = true,
            _ => return None,
        }
    }
    if digits.len() - usize::from(point) > 15 || (point && digits.len() == 1) {
        return None;
    }
    let value = whole as f64 / scale as f64;
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_way_reads_the_same_number_as_the_long_one() {
        for text in ["0", "-0", "1.5", "-928.125", "0.0001", ".5", "5.", "123456789012345"] {
            let long: f64 = text.parse().unwrap();
            assert_eq!(short_decimal(text.as_bytes()).map(f64::to_bits), Some(long.to_bits()));
        }
        for text in ["", "-", ".", "1e5", "1.2.3", "nan", "1234567890123456"] {
            assert_eq!(short_decimal(text.as_bytes()), None, "{text}");
        }
    }
}
