//! The server's public description, read from `/reckoning.json`.

use js_sys::{Function, JSON, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::js;
use crate::transport::web_policy::TcpSecurity;

/// The part of a server's description that a browser needs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ServerInfo {
    /// The hash to pin; `None` when its certificate is one that browsers trust.
    pub(super) certificate_sha256: Option<[u8; 32]>,
}

impl ServerInfo {
    /// Asks the server. One that does not answer may still be reached.
    pub(super) async fn ask(server: &str, security: TcpSecurity) -> Self {
        let [scheme, _] = security.schemes();
        let url = format!("{scheme}://{server}/reckoning.json");
        let certificate_sha256 = hash_at(&url).await.ok().flatten();
        Self { certificate_sha256 }
    }
}

/// Whether our page came over TLS.
pub(super) fn page_is_secure() -> bool {
    let location = Reflect::get(&js_sys::global(), &"location".into());
    let protocol = location.and_then(|it| Reflect::get(&it, &"protocol".into()));
    protocol.is_ok_and(|it| it.as_string().as_deref() == Some("https:"))
}

async fn hash_at(url: &str) -> Result<Option<[u8; 32]>, JsValue> {
    let response = JsFuture::from(js::fetch(url)).await?;
    let text: Function = Reflect::get(&response, &"text".into())?.dyn_into()?;
    let text: Promise = text.call0(&response)?.dyn_into()?;
    let text = JsFuture::from(text).await?.as_string().unwrap_or_default();
    let info = JSON::parse(&text)?;
    let hash = Reflect::get(&info, &"certificate_sha256".into())?.as_string();
    Ok(hash.as_deref().and_then(from_hex))
}

fn from_hex(text: &str) -> Option<[u8; 32]> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let byte = |pair: &[u8; 2]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
    let bytes: Vec<u8> = pairs.iter().map(byte).collect::<Option<_>>()?;
    if rest.is_empty() { bytes.try_into().ok() } else { None }
}
