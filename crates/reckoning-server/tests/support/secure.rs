//! A client's side of TLS on the TCP port.

use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConnection, StreamOwned};
use tungstenite::WebSocket;

pub type Stream = StreamOwned<ClientConnection, TcpStream>;

/// Connects to `localhost` at this address and trusts nothing but the certificate in the file.
pub fn connect(server: SocketAddr, chain: &Path) -> Stream {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(chain).unwrap()).unwrap();
    let provider = rustls::crypto::ring::default_provider().into();
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = "localhost".try_into().unwrap();
    let stream = TcpStream::connect(server).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    StreamOwned::new(ClientConnection::new(Arc::new(config), name).unwrap(), stream)
}

/// The body of the answer to a GET over TLS.
pub fn get(server: SocketAddr, chain: &Path, path: &str) -> String {
    super::get_over(connect(server, chain), server, path)
}

/// A WebSocket over TLS.
pub fn open_socket(server: SocketAddr, chain: &Path) -> WebSocket<Stream> {
    let stream = connect(server, chain);
    let (socket, _) = tungstenite::client(format!("wss://{server}/ws"), stream).unwrap();
    socket.get_ref().sock.set_nonblocking(true).unwrap();
    socket.get_ref().sock.set_nodelay(true).unwrap();
    socket
}
