//! Level files as text.

use serde::de::DeserializeOwned;
use toml::de::Error;

/// What a file says; an error names the line.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    toml::from_str(text)
}

/// What a file says. In a browser it comes from a server that has checked it, and a reader that cannot
/// name lines in what is well-formed is smaller by more than the rest of the page's game.
#[cfg(target_arch = "wasm32")]
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    toml::from_str::<toml::Table>(text)?.try_into()
}
