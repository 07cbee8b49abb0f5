//! Cells of a row, and what stands in them.

use std::borrow::Cow;

use reckoning_recording::RecordingError;

/// What stands between cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    Comma,
    Semicolon,
    Tab,
}

impl Separator {
    /// The one that is there most often outside of quotes; of as many, not the comma.
    pub(super) fn of(header: &[u8]) -> Self {
        let count = |it: Self| {
            let mut quoted = false;
            let is = |byte: &&u8| {
                quoted ^= **byte == b'"';
                !quoted && **byte == it.byte()
            };
            header.iter().filter(is).count()
        };
        [Self::Comma, Self::Semicolon, Self::Tab]
            .into_iter()
            .max_by_key(|it| count(*it))
            .unwrap_or(Self::Comma)
    }

    const fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }
}

/// The cells of a row, without the quotes around them.
pub(super) fn cells(text: &[u8], separator: Separator) -> impl Iterator<Item = Cow<'_, str>> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = end_of_cell(text, separator.byte());
        rest = text.get(end + 1..);
        Some(unquoted(text.get(..end).unwrap_or(text)))
    })
}

fn end_of_cell(text: &[u8], separator: u8) -> usize {
    let mut quoted = false;
    let ends = |byte: &u8| {
        quoted ^= *byte == b'"';
        !quoted && *byte == separator
    };
    text.iter().position(ends).unwrap_or(text.len())
}

fn unquoted(text: &[u8]) -> Cow<'_, str> {
    let plain = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\""));
    match plain {
        None => String::from_utf8_lossy(text),
        Some(inside) => String::from_utf8_lossy(inside).replace("\"\"", "\"").into(),
    }
}

/// A number; `None` when the cell is empty or says that there is none. With other separators
/// than commas, numbers may have decimal commas.
pub(super) fn number(
    cell: &str,
    separator: Separator,
    name: &str,
    offset: u64,
) -> Result<Option<f64>, RecordingError> {
    let text = cell.trim();
    if is_nothing(text) {
        return Ok(None);
    }
    let refuse = |wanted| Err(RecordingError::value(offset, name, text, wanted));
    let found = match text.parse::<f64>() {
        Ok(number) => Some(number),
        Err(_) if text.matches(',').count() == 1 && !text.contains('.') => {
            if separator == Separator::Comma {
                return refuse("a number; decimal commas need semicolons or tabs between cells");
            }
            text.replace(',', ".").parse().ok()
        }
        Err(_) => None,
    };
    match found.filter(|number| number.is_finite()) {
        Some(number) => Ok(Some(number)),
        None => refuse("a number"),
    }
}

/// What programs write where there is no value.
pub(super) fn is_nothing(text: &str) -> bool {
    matches!(text, "" | "nan" | "NaN" | "NA" | "null" | "None" | "NULL" | "nil")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_may_be_quoted_and_parted_by_other_signs() {
        let of = |text: &str| -> Vec<String> {
            let separator = Separator::of(text.as_bytes());
            cells(text.as_bytes(), separator).map(Cow::into_owned).collect()
        };
        assert_eq!(of("a,\"b, \"\"c\"\"\",,d"), ["a", "b, \"c\"", "", "d"]);
        assert_eq!(of("1,5;2,5;3"), ["1,5", "2,5", "3"]);
        assert_eq!(of("a\tb"), ["a", "b"]);
    }

    #[test]
    fn decimal_commas_are_numbers_where_they_can_be_told() {
        let read = |text: &str, separator| number(text, separator, "x", 0);
        assert_eq!(read(" 1,5 ", Separator::Semicolon).unwrap(), Some(1.5));
        let said = read("1,5", Separator::Comma).unwrap_err().to_string();
        assert!(said.contains("decimal commas need semicolons"), "{said}");
        assert!(read("1.234,5", Separator::Tab).is_err());
        assert_eq!(read("NaN", Separator::Comma).unwrap(), None);
        assert!(read("inf", Separator::Comma).is_err());
    }
}
