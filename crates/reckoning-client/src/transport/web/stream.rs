//! Datagrams over WebTransport.

use js_sys::{Array, Object, Reflect, Uint8Array};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::Shared;
use super::js::{
    Datagrams, ReadableStreamDefaultReader, WebTransport, WritableStreamDefaultWriter,
};

/// The way out of a WebTransport session.
#[derive(Debug)]
pub(super) struct Stream {
    transport: WebTransport,
    writer: WritableStreamDefaultWriter,
    /// A write that fails is a lost datagram, not an error for the console.
    ignore: Closure<dyn FnMut(JsValue)>,
}

impl Stream {
    /// Connects.
    pub(super) async fn open(
        server: &str,
        sha256: Option<[u8; 32]>,
    ) -> Result<(Self, ReadableStreamDefaultReader), JsValue> {
        if !Reflect::has(&js_sys::global(), &"WebTransport".into())? {
            return Err(JsValue::NULL);
        }
        let transport = WebTransport::new(&format!("https://{server}/"), &options(sha256)?)?;
        JsFuture::from(transport.ready()).await?;
        let datagrams = transport.datagrams();
        let writer = writer_of(&datagrams)?;
        let reader = datagrams.readable().reader()?;
        Ok((Self { transport, writer, ignore: Closure::new(|_| {}) }, reader))
    }

    /// Sends, unless the browser is behind.
    pub(super) fn send(&self, datagram: &[u8]) {
        if self.writer.desired_size().is_some_and(|room| room > 0.0) {
            let _ = self.writer.write(&Uint8Array::from(datagram)).catch(&self.ignore);
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // It may be closed already.
        let _ = self.transport.close();
    }
}

fn writer_of(datagrams: &Datagrams) -> Result<WritableStreamDefaultWriter, JsValue> {
    match datagrams.writable() {
        Some(writable) => writable.writer(),
        None => datagrams.create_writable()?.writer(),
    }
}

fn options(sha256: Option<[u8; 32]>) -> Result<Object, JsValue> {
    let options = Object::new();
    Reflect::set(&options, &"congestionControl".into(), &"low-latency".into())?;
    if let Some(sha256) = sha256 {
        let hash = Object::new();
        Reflect::set(&hash, &"algorithm".into(), &"sha-256".into())?;
        Reflect::set(&hash, &"value".into(), &Uint8Array::from(&sha256[..]))?;
        Reflect::set(&options, &"serverCertificateHashes".into(), &Array::of1(&hash))?;
    }
    Ok(options)
}

/// Takes in what comes, until the session ends or the transport is dropped.
pub(super) async fn read(shared: &Shared, reader: &ReadableStreamDefaultReader) {
    while !shared.is_over() {
        let Ok(chunk) = JsFuture::from(reader.read()).await else { return };
        let value = Reflect::get(&chunk, &"value".into()).ok();
        let Some(bytes) = value.and_then(|value| value.dyn_into::<Uint8Array>().ok()) else {
            return;
        };
        shared.push_received(bytes.to_vec());
    }
}
