//! A long download that says how far it is.

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableStreamDefaultReader, Response};

use super::dom;

const MB: f64 = 1e6;

/// Fetches bytes and tells how many have come of how many; `None` unless the server has them all.
pub async fn fetch(url: &str, told: impl Fn(String)) -> Option<Vec<u8>> {
    let response = dom::fetch(url).await?;
    let whole = length(&response);
    let reader: ReadableStreamDefaultReader = response.body()?.get_reader().dyn_into().ok()?;
    let mut bytes = Vec::with_capacity(whole.unwrap_or(0));
    loop {
        told(progress(bytes.len(), whole));
        let step = JsFuture::from(reader.read()).await.ok()?;
        let get = |name: &str| js_sys::Reflect::get(&step, &name.into()).ok();
        if get("done")?.is_truthy() {
            return Some(bytes);
        }
        let piece: js_sys::Uint8Array = get("value")?.dyn_into().ok()?;
        let before = bytes.len();
        bytes.resize(before + piece.length() as usize, 0);
        piece.copy_to(&mut bytes[before..]);
    }
}

/// How long it is once unpacked, where that is known: of what is packed the length is another one.
fn length(response: &Response) -> Option<usize> {
    let headers = response.headers();
    let said = |name| headers.get(name).ok().flatten();
    said("content-length").filter(|_| said("content-encoding").is_none())?.parse().ok()
}

fn progress(got: usize, whole: Option<usize>) -> String {
    let megabytes = |bytes: usize| bytes as f64 / MB;
    match whole {
        Some(whole) => format!("{:.1} of {:.1} MB", megabytes(got), megabytes(whole)),
        None => format!("{:.1} MB", megabytes(got)),
    }
}
