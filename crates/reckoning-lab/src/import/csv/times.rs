//! Moments, as numbers or as date and time.

use reckoning::SimTime;
use reckoning_recording::RecordingError;

use super::rows::{Separator, number};

/// What a number in the column of time counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Millis,
    /// Microseconds.
    Micros,
}

impl TimeUnit {
    const fn micros(self) -> f64 {
        match self {
            Self::Seconds => 1e6,
            Self::Millis => 1e3,
            Self::Micros => 1.0,
        }
    }
}

/// A moment in microseconds: a number, or `2024-05-01 12:30:00.5` with `T` or a space between, and
/// `Z` or nothing at the end.
pub(super) fn moment(
    cell: &str,
    unit: TimeUnit,
    separator: Separator,
    name: &str,
    offset: u64,
) -> Result<SimTime, RecordingError> {
    let text = cell.trim();
    if let Some(micros) = date_micros(text) {
        return Ok(SimTime::from_micros(micros));
    }
    let refuse = || {
        let wanted = "a number, or a date and time such as 2024-05-01 12:30:00.5";
        RecordingError::value(offset, name, text, wanted)
    };
    let found = number(text, separator, name, offset).map_err(|_| refuse())?.ok_or_else(refuse)?;
    let micros = (found * unit.micros()).round();
    if micros.abs() > 9e15 { Err(refuse()) } else { Ok(SimTime::from_micros(micros as i64)) }
}

fn date_micros(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', ' '])?;
    let time = time.strip_suffix('Z').unwrap_or(time);
    let days = days(&numbers::<3>(date, '-')?)?;
    let (clock, fraction) = time.split_once(['.', ',']).unwrap_or((time, ""));
    let [hours, minutes, seconds] = numbers::<3>(clock, ':')?;
    if hours > 23 || minutes > 59 || seconds > 60 {
        return None;
    }
    let micros = if fraction.is_empty() { 0 } else { fraction_micros(fraction)? };
    Some((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000_000 + micros)
}

fn fraction_micros(digits: &str) -> Option<i64> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    format!("{digits:0<6}").get(..6)?.parse().ok()
}

fn numbers<const N: usize>(text: &str, separator: char) -> Option<[i64; N]> {
    let is_plain = |part: &str| part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Option<Vec<i64>> = text
        .split(separator)
        .map(|part| if is_plain(part) { part.parse().ok() } else { None })
        .collect();
    parts?.try_into().ok()
}

/// Days since 1970 in the Gregorian calendar.
fn days(&[year, month, day]: &[i64; 3]) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years begin in March, so that the leap day is their last.
    let year = year - i64::from(month < 3);
    let month = (month + 9) % 12;
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(365 * year + leaps + (153 * month + 2) / 5 + day - 1 - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(text: &str, unit: TimeUnit) -> i64 {
        moment(text, unit, Separator::Comma, "t", 0).unwrap().as_micros()
    }

    #[test]
    fn dates_and_numbers_are_moments() {
        assert_eq!(micros("1970-01-01 00:00:00", TimeUnit::Seconds), 0);
        assert_eq!(micros("2000-03-01T00:00:00.5Z", TimeUnit::Seconds), 951_868_800_500_000);
        assert_eq!(micros("2008-02-02 15:36:08", TimeUnit::Millis), 1_201_966_568_000_000);
        assert_eq!(micros("1.5", TimeUnit::Seconds), 1_500_000);
        assert_eq!(micros("1201966568000", TimeUnit::Millis), 1_201_966_568_000_000);
        for wrong in ["", "soon", "2008-13-02 15:36:08", "15:36:08", "1e300"] {
            let said = moment(wrong, TimeUnit::Seconds, Separator::Comma, "t", 0).unwrap_err();
            assert!(said.to_string().contains("a date and time such as"), "{said}");
        }
    }
}
