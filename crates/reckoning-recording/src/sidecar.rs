//! What people write into the json beside a csv, checked: a slip there must not pass for a value.

use serde_json::{Map, Value};

use crate::{Fault, RecordingError};

/// Every field that we read, and what belongs there.
const FIELDS: [(&str, Kind); 13] = [
    ("source", Kind::Text),
    ("session", Kind::Text),
    ("units", Kind::Text),
    ("map", Kind::Text),
    ("map_file", Kind::Text),
    ("body_width", Kind::Length),
    ("rate_hz", Kind::Length),
    ("duration_s", Kind::Number),
    ("dims", Kind::Dims),
    ("teams", Kind::Any),
    ("team_play", Kind::Any),
    ("bounds", Kind::Any),
    ("entities", Kind::Any),
];

/// Names that people give to fields of ours.
const OTHER_NAMES: [(&str, &str); 6] = [
    ("width", "body_width"),
    ("size", "body_width"),
    ("rate", "rate_hz"),
    ("hz", "rate_hz"),
    ("unit", "units"),
    ("name", "session"),
];

#[derive(Clone, Copy)]
enum Kind {
    Text,
    /// A number above zero.
    Length,
    Number,
    Dims,
    Any,
}

/// Refuses values that cannot be and names that are almost ours.
pub(crate) fn check(map: &Map<String, Value>) -> Result<(), RecordingError> {
    for (name, kind) in FIELDS {
        if let Some(value) = map.get(name).filter(|value| !value.is_null())
            && let Some(wanted) = kind.lacks(value)
        {
            let (field, got) = (name.to_string(), value.to_string());
            return Err(RecordingError::new(Fault::Value { field, got, wanted }));
        }
    }
    match map.keys().find_map(|key| Some((key, meant(key, map)?))) {
        Some((key, meant)) => {
            let fault = Fault::Misspelt { field: key.clone(), meant };
            Err(RecordingError::new(fault))
        }
        None => Ok(()),
    }
}

impl Kind {
    /// What belongs there instead of this, if it does not.
    fn lacks(self, value: &Value) -> Option<&'static str> {
        let number = value.as_f64().filter(|it| it.is_finite());
        let (fits, wanted) = match self {
            Self::Text => (value.is_string(), "a text"),
            Self::Length => (number.is_some_and(|it| it > 0.0), "a number above zero"),
            Self::Number => (number.is_some(), "a number"),
            Self::Dims => (number == Some(2.0) || number == Some(3.0), "2 or 3"),
            Self::Any => (true, ""),
        };
        (!fits).then_some(wanted)
    }
}

/// Which field of ours, that is not there, a name stands for.
fn meant(key: &str, map: &Map<String, Value>) -> Option<&'static str> {
    let names = FIELDS.iter().map(|(name, _)| *name);
    if names.clone().any(|name| name == key) {
        return None;
    }
    let lower = key.to_lowercase();
    let plain = lower.replace(['-', ' '], "_");
    let near = names.filter(|name| name.len() > 5).find(|name| distance(&plain, name) <= 2);
    let other = || OTHER_NAMES.iter().find(|(name, _)| *name == plain).map(|(_, ours)| *ours);
    near.or_else(other).filter(|name| !map.contains_key(*name))
}

/// How many letters must be added, left out or changed to make one word the other.
fn distance(a: &str, b: &str) -> usize {
    if a.len().abs_diff(b.len()) > 2 {
        return usize::MAX;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = change.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(json: &str) -> String {
        let Ok(Value::Object(map)) = serde_json::from_str(json) else { panic!("{json}") };
        check(&map).map_or_else(|error| error.to_string(), |()| "taken".to_string())
    }

    #[test]
    fn a_value_that_cannot_be_is_named() {
        assert_eq!(said(r#"{"body_width": -1}"#), "body_width is `-1`, not a number above zero");
        assert_eq!(
            said(r#"{"body_width": "2"}"#),
            "body_width is `\"2\"`, not a number above zero"
        );
        assert_eq!(said(r#"{"rate_hz": 0}"#), "rate_hz is `0`, not a number above zero");
        assert_eq!(said(r#"{"dims": 4}"#), "dims is `4`, not 2 or 3");
        assert_eq!(said(r#"{"units": 1}"#), "units is `1`, not a text");
    }

    #[test]
    fn a_misspelt_name_is_answered_with_the_right_one() {
        for name in ["body_widht", "bodywidth", "Body-Width", "width"] {
            let said = said(&format!(r#"{{"{name}": 1}}"#));
            assert!(said.contains("`body_width`"), "{name}: {said}");
        }
        assert!(said(r#"{"rate": 10}"#).contains("`rate_hz`"));
    }

    #[test]
    fn what_sources_add_is_their_own_affair() {
        let more =
            r#"{"body_width": 84, "body_length": 118, "width": 3, "rate_note": "", "human": 1}"#;
        assert_eq!(said(more), "taken");
        assert_eq!(said(r#"{"body_width": null}"#), "taken");
    }
}
