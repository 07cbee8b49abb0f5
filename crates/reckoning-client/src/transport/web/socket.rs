//! Datagrams over a WebSocket, one message each.

use std::fmt;
use std::rc::Rc;

use js_sys::{ArrayBuffer, Reflect, Uint8Array};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};

use super::js::WebSocket;
use super::{Shared, TransportState};
use crate::transport::web_policy::TcpSecurity;

/// More waiting than this means that the network is behind; what is new then is dropped.
const BUFFERED_BYTES: f64 = 4_800.0;

/// A WebSocket and what it calls.
pub(super) struct Socket {
    socket: WebSocket,
    _calls: [Closure<dyn FnMut(JsValue)>; 3],
}

impl fmt::Debug for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.socket.fmt(f)
    }
}

impl Socket {
    /// Begins to connect; the state in `shared` tells when it is open.
    pub(super) fn open(
        server: &str,
        security: TcpSecurity,
        shared: &Rc<Shared>,
    ) -> Result<Self, JsValue> {
        let [_, scheme] = security.schemes();
        let socket = WebSocket::new_socket(&format!("{scheme}://{server}/ws"))?;
        socket.set_binary_type("arraybuffer");
        let calls = [opened(shared.clone()), came(shared.clone()), closed(shared.clone())];
        socket.set_on_open(Some(calls[0].as_ref().unchecked_ref()));
        socket.set_on_message(Some(calls[1].as_ref().unchecked_ref()));
        socket.set_on_close(Some(calls[2].as_ref().unchecked_ref()));
        Ok(Self { socket, _calls: calls })
    }

    /// Sends, unless the network is behind.
    pub(super) fn send(&self, datagram: &[u8]) {
        if self.socket.buffered_amount() <= BUFFERED_BYTES {
            // Before it is open this fails, and the datagram is lost, as any may be.
            let _ = self.socket.send(&Uint8Array::from(datagram));
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.socket.set_on_open(None);
        self.socket.set_on_message(None);
        self.socket.set_on_close(None);
        let _ = self.socket.close_socket();
    }
}

fn opened(shared: Rc<Shared>) -> Closure<dyn FnMut(JsValue)> {
    Closure::new(move |_| {
        if !shared.is_over() {
            shared.state.replace(TransportState::Open);
        }
    })
}

fn came(shared: Rc<Shared>) -> Closure<dyn FnMut(JsValue)> {
    Closure::new(move |event: JsValue| {
        let data = Reflect::get(&event, &"data".into()).ok();
        if let Some(buffer) = data.and_then(|data| data.dyn_into::<ArrayBuffer>().ok()) {
            shared.push_received(Uint8Array::new(&buffer).to_vec());
        }
    })
}

fn closed(shared: Rc<Shared>) -> Closure<dyn FnMut(JsValue)> {
    Closure::new(move |_| shared.end("the server closed the connection"))
}
