//! Level files as text.

#[cfg(any(test, target_arch = "wasm32"))]
mod plain;

use serde::de::DeserializeOwned;

/// What a file says, or what is wrong with it and in which line.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error| error.to_string())
}

/// What a file says, or what is wrong with it. In a browser it comes from a server that has checked
/// it, and the reader that names lines would be a third of what the page weighs.
#[cfg(target_arch = "wasm32")]
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    plain::read(text)
}
