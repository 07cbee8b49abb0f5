//! Bindings to the browser, declared by hand: `web-sys` has WebTransport
//! only behind an unstable flag.

use js_sys::{Object, Promise, Uint8Array};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    pub fn performance_now() -> f64;

    #[wasm_bindgen(catch, js_namespace = crypto, js_name = getRandomValues)]
    pub fn fill_random(bytes: &Uint8Array) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(call: &js_sys::Function, ms: i32) -> JsValue;

    #[wasm_bindgen(js_name = fetch)]
    pub fn fetch(url: &str) -> Promise;

    #[derive(Clone, Debug)]
    pub type WebTransport;
    #[wasm_bindgen(catch, constructor)]
    pub fn new(url: &str, options: &Object) -> Result<WebTransport, JsValue>;
    #[wasm_bindgen(method, getter)]
    pub fn ready(this: &WebTransport) -> Promise;
    #[wasm_bindgen(method, getter)]
    pub fn datagrams(this: &WebTransport) -> Datagrams;
    #[wasm_bindgen(catch, method)]
    pub fn close(this: &WebTransport) -> Result<(), JsValue>;

    #[derive(Clone, Debug)]
    pub type Datagrams;
    #[wasm_bindgen(method, getter)]
    pub fn readable(this: &Datagrams) -> ReadableStream;
    /// Older browsers have this, newer ones [`Datagrams::create_writable`].
    #[wasm_bindgen(method, getter)]
    pub fn writable(this: &Datagrams) -> Option<WritableStream>;
    #[wasm_bindgen(catch, method, js_name = createWritable)]
    pub fn create_writable(this: &Datagrams) -> Result<WritableStream, JsValue>;

    #[derive(Clone, Debug)]
    pub type ReadableStream;
    #[wasm_bindgen(catch, method, js_name = getReader)]
    pub fn reader(this: &ReadableStream) -> Result<ReadableStreamDefaultReader, JsValue>;

    #[derive(Clone, Debug)]
    pub type ReadableStreamDefaultReader;
    #[wasm_bindgen(method)]
    pub fn read(this: &ReadableStreamDefaultReader) -> Promise;

    #[derive(Clone, Debug)]
    pub type WritableStream;
    #[wasm_bindgen(catch, method, js_name = getWriter)]
    pub fn writer(this: &WritableStream) -> Result<WritableStreamDefaultWriter, JsValue>;

    #[derive(Clone, Debug)]
    pub type WritableStreamDefaultWriter;
    #[wasm_bindgen(method, getter, js_name = desiredSize)]
    pub fn desired_size(this: &WritableStreamDefaultWriter) -> Option<f64>;
    #[wasm_bindgen(method)]
    pub fn write(this: &WritableStreamDefaultWriter, bytes: &Uint8Array) -> Promise;

    #[derive(Clone, Debug)]
    pub type WebSocket;
    #[wasm_bindgen(catch, constructor, js_class = "WebSocket")]
    pub fn new_socket(url: &str) -> Result<WebSocket, JsValue>;
    #[wasm_bindgen(method, setter, js_name = binaryType)]
    pub fn set_binary_type(this: &WebSocket, kind: &str);
    #[wasm_bindgen(method, getter, js_name = bufferedAmount)]
    pub fn buffered_amount(this: &WebSocket) -> f64;
    #[wasm_bindgen(catch, method, js_name = send)]
    pub fn send(this: &WebSocket, bytes: &Uint8Array) -> Result<(), JsValue>;
    #[wasm_bindgen(catch, method, js_name = close)]
    pub fn close_socket(this: &WebSocket) -> Result<(), JsValue>;
    #[wasm_bindgen(method, setter, js_name = onopen)]
    pub fn set_on_open(this: &WebSocket, call: Option<&js_sys::Function>);
    #[wasm_bindgen(method, setter, js_name = onmessage)]
    pub fn set_on_message(this: &WebSocket, call: Option<&js_sys::Function>);
    #[wasm_bindgen(method, setter, js_name = onclose)]
    pub fn set_on_close(this: &WebSocket, call: Option<&js_sys::Function>);
}

/// Waits.
pub async fn pause(ms: i32) {
    let promise = Promise::new(&mut |done, _| drop(set_timeout(&done, ms)));
    let _ = wasm_bindgen_futures::JsFuture::from(promise).await;
}
