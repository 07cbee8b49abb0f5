//! Typed access to JSON objects; what is missing or of another kind is `None`.

use serde_json::{Map, Value};

use super::{Fault, RecordingError};

/// Parses one object.
pub(super) fn object(
    text: &[u8],
    what: &'static str,
) -> Result<Map<String, Value>, RecordingError> {
    match serde_json::from_slice(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(RecordingError::at(0, Fault::Foreign { expected: what })),
        Err(error) => {
            let offset = offset_of(text, error.line(), error.column());
            let fault = Fault::Decoder { format: "json", reason: error.to_string() };
            Err(RecordingError::at(offset, fault).on_line(error.line() as u64))
        }
    }
}

fn offset_of(text: &[u8], line: usize, column: usize) -> u64 {
    let before: usize =
        text.split(|&byte| byte == b'\n').take(line.saturating_sub(1)).map(|l| l.len() + 1).sum();
    (before + column.saturating_sub(1)).min(text.len()) as u64
}

/// A finite number.
pub(super) fn number(map: &Map<String, Value>, key: &str) -> Option<f64> {
    map.get(key).and_then(Value::as_f64).filter(|number| number.is_finite())
}

/// A text.
pub(super) fn text(map: &Map<String, Value>, key: &str) -> String {
    map.get(key).and_then(Value::as_str).unwrap_or_default().to_string()
}

/// A list of numbers; anything else in it is left out.
pub(super) fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_f64).filter(|number| number.is_finite()).collect()
}

/// The objects of a list.
pub(super) fn objects<'a>(
    map: &'a Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = &'a Map<String, Value>> {
    list(map, key).iter().filter_map(Value::as_object)
}

/// A list; empty when there is none.
pub(super) fn list<'a>(map: &'a Map<String, Value>, key: &str) -> &'a [Value] {
    map.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Writes an object to be read by people too: sorted keys, indented.
pub(super) fn pretty(map: Map<String, Value>) -> Vec<u8> {
    format!("{:#}", Value::Object(map)).into_bytes()
}
