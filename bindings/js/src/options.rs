//! Settings from an object of JavaScript: each is known by name, and none that is not is passed over.

use std::time::Duration;

use js_sys::{Array, Object, Reflect};
use wasm_bindgen::{JsCast, JsError, JsValue};

/// The settings that an object holds.
pub struct Options {
    object: JsValue,
    /// What the object is about, for messages.
    what: &'static str,
}

impl Options {
    /// Refuses what is no object, and settings of other names.
    pub fn new(object: JsValue, what: &'static str, known: &[&str]) -> Result<Self, JsError> {
        if object.is_undefined() || object.is_null() {
            return Ok(Self { object: Object::new().into(), what });
        }
        let Some(keys) = object.dyn_ref::<Object>().map(Object::keys) else {
            return Err(JsError::new(&format!("{what} must be an object of settings")));
        };
        for key in Array::iter(&keys).filter_map(|it| it.as_string()) {
            if !known.contains(&key.as_str()) {
                let known = known.join(", ");
                return Err(JsError::new(&format!("{what} has no setting {key}; it has {known}")));
            }
        }
        Ok(Self { object, what })
    }

    fn get(&self, name: &str) -> Option<JsValue> {
        let value = Reflect::get(&self.object, &name.into()).ok()?;
        (!value.is_undefined()).then_some(value)
    }

    fn wrong(&self, name: &str, needs: &str) -> JsError {
        JsError::new(&format!("{} of {} must be {needs}", name, self.what))
    }

    pub fn number(&self, name: &str) -> Result<Option<f64>, JsError> {
        let number = |it: JsValue| it.as_f64().ok_or_else(|| self.wrong(name, "a number"));
        self.get(name).map(number).transpose()
    }

    /// Seconds as a span.
    pub fn span(&self, name: &str) -> Result<Option<Duration>, JsError> {
        let Some(seconds) = self.number(name)? else { return Ok(None) };
        Duration::try_from_secs_f64(seconds).map(Some).map_err(|_| {
            JsError::new(&format!("{name} is {seconds}; it must be seconds, 0 or more"))
        })
    }

    pub fn flag(&self, name: &str) -> Result<Option<bool>, JsError> {
        let flag = |it: JsValue| it.as_bool().ok_or_else(|| self.wrong(name, "true or false"));
        self.get(name).map(flag).transpose()
    }

    pub fn word(&self, name: &str) -> Result<Option<String>, JsError> {
        let word = |it: JsValue| it.as_string().ok_or_else(|| self.wrong(name, "a string"));
        self.get(name).map(word).transpose()
    }

    pub fn value(&self, name: &str) -> Option<JsValue> {
        self.get(name)
    }
}
