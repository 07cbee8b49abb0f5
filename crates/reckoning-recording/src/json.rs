//! Typed access to JSON objects; what is missing or of another kind is `None`.

use serde_json::{Map, Value};

use super::{Fault, MemoryBudget, RecordingError};

/// What an object and a list take with room for their first entries, and what each value takes
/// where it stands, with the room that growing lists leave free.
const OBJECT_BYTES: u64 = 640;
const LIST_BYTES: u64 = 128;
const VALUE_BYTES: u64 = 128;

/// Parses one object, within a budget.
pub(super) fn object(
    text: &[u8],
    what: &'static str,
    budget: &mut MemoryBudget,
) -> Result<Map<String, Value>, RecordingError> {
    budget.hold(weight(text))?;
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

/// At most so much memory does the parsed text take. Every value but the first follows a comma or
/// an opening bracket.
fn weight(text: &[u8]) -> u64 {
    let each = |byte: &u8| match byte {
        b'{' => OBJECT_BYTES + VALUE_BYTES,
        b'[' => LIST_BYTES + VALUE_BYTES,
        b',' => VALUE_BYTES,
        _ => 1,
    };
    text.iter().map(each).sum()
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
