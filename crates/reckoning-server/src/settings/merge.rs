//! Merge of a user's values over the defaults.

use toml::{Table, Value};

use super::SettingsError;

/// Puts each of the user's values in place of the default of the same name and kind.
pub(super) fn merge(defaults: &mut Table, user: Table, section: &str) -> Result<(), SettingsError> {
    for (key, value) in user {
        let name = if section.is_empty() { key.clone() } else { format!("{section}.{key}") };
        let known = || defaults.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        let Some(default) = defaults.get(&key) else {
            return Err(SettingsError::Unknown { known: known(), name });
        };
        let merged = match (default.clone(), value) {
            (Value::Table(mut inner), Value::Table(value)) => {
                merge(&mut inner, value, &name)?;
                Value::Table(inner)
            }
            (default, value) => same_kind(&default, value, name)?,
        };
        defaults.insert(key, merged);
    }
    Ok(())
}

/// The value, if it is of the default's kind; whole numbers pass as fractions.
fn same_kind(default: &Value, value: Value, name: String) -> Result<Value, SettingsError> {
    match (default, value) {
        (Value::Float(_), Value::Integer(whole)) => Ok(Value::Float(whole as f64)),
        (default, value) if default.same_type(&value) => Ok(value),
        (default, value) => {
            Err(SettingsError::Kind { name, got: shown(&value), default: shown(default) })
        }
    }
}

/// A value as a message names it.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text:?}"),
        Value::Integer(whole) => whole.to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::Boolean(truth) => truth.to_string(),
        Value::Datetime(_) => "a date".to_string(),
        Value::Array(_) => "a list".to_string(),
        Value::Table(_) => "a section".to_string(),
    }
}

/// Notes `section.name=value`; a value that is no TOML counts as text.
pub(super) fn set(table: &mut Table, assignment: &str) -> Result<(), SettingsError> {
    let malformed = || SettingsError::Assignment { got: assignment.to_string() };
    let (name, value) = assignment.split_once('=').ok_or_else(malformed)?;
    let value = value.trim();
    let parsed = format!("value = {value}").parse::<Table>().ok();
    let parsed = parsed.and_then(|mut table| table.remove("value"));
    let value = parsed.unwrap_or_else(|| Value::String(value.to_string()));
    let mut path: Vec<&str> = name.trim().split('.').collect();
    let last = path.pop().filter(|last| !last.is_empty()).ok_or_else(malformed)?;
    let mut at = table;
    for section in path {
        let inner = at.entry(section).or_insert_with(|| Value::Table(Table::new()));
        at = inner.as_table_mut().ok_or_else(malformed)?;
    }
    at.insert(last.to_string(), value);
    Ok(())
}
