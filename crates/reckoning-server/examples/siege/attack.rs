//! The attacks. They speak nothing but sockets and know nothing of the protocol.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, SignatureScheme};
use tokio::net::{TcpSocket, TcpStream, UdpSocket};

use crate::instant;

/// Addresses of an attack from many.
const MANY: u32 = 100;
/// Handshakes in a second, from all addresses together.
const HANDSHAKES_PER_S: u32 = 200;
const HALF_A_REQUEST: &[u8] = b"GET /ws HTTP/1.1\r\nhost: x\r\nx-slow: ";
const REQUEST: &str = "GET /reckoning.json HTTP/1.1\r\nhost: x\r\n\r\n";
const UPGRADE: &[u8] = b"GET /ws HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
                         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/// Attacks for so many seconds.
pub fn run(name: &str, server: &SocketAddr, seconds: f64) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("runs");
    let server = *server;
    let local = tokio::task::LocalSet::new();
    let attack = async move {
        match name {
            "handshakes" => handshakes(server, 1).await,
            "handshakes-100" => handshakes(server, MANY).await,
            "loiterers-100" => loiterers(server, of_many).await,
            "slow-requests-100" => hold(server, of_many, &[HALF_A_REQUEST]).await,
            "slow-readers-100" => {
                let page = REQUEST.repeat(64);
                hold(server, of_many, &[UPGRADE, page.as_bytes()]).await;
            }
            "requests-100" => requests(server).await,
            "ipv6-48" => {
                tokio::join!(loiterers(server, of_48), hold(server, of_48, &[HALF_A_REQUEST]));
            }
            "proxy" => hold(server, |_| of_many(0), &[UPGRADE]).await,
            other => panic!("no attack is called {other}"),
        }
    };
    let span = Duration::from_secs_f64(seconds);
    let _ = local.block_on(&runtime, async { tokio::time::timeout(span, attack).await });
    // Connections are not closed in order.
    std::process::exit(0);
}

const fn of_many(n: u32) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2 + (n % MANY) as u8))
}

/// Each from another network of 64 bits, all in one of 48.
const fn of_48(n: u32) -> IpAddr {
    let subnet = n.wrapping_mul(40_503) as u16;
    IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 1, subnet, 0, 0, 0, 1))
}

/// Keeps so many connections per address as make more than a server has places, and opens those anew
/// that it closed.
async fn hold(server: SocketAddr, from: impl Fn(u32) -> IpAddr, says: &[&[u8]]) {
    const HELD: u32 = 800;
    let mut open: Vec<Option<TcpStream>> = (0..HELD).map(|_| None).collect();
    let mut knocks = 0_u32;
    loop {
        let begin = instant();
        for (n, place) in open.iter_mut().enumerate() {
            if place.as_ref().is_some_and(is_open) {
                continue;
            }
            knocks = knocks.wrapping_add(1);
            let says = says[n % says.len()];
            *place = say(server, from(knocks), says).await;
        }
        // No more than some hundred a second.
        let pause = Duration::from_secs(1).saturating_sub(begin.elapsed());
        tokio::time::sleep(pause).await;
    }
}

fn is_open(stream: &TcpStream) -> bool {
    // Nothing is taken from what it sent: that would be reading.
    match socket2::SockRef::from(stream).peek(&mut [std::mem::MaybeUninit::uninit(); 1]) {
        Ok(length) => length > 0,
        Err(error) => error.kind() == std::io::ErrorKind::WouldBlock,
    }
}

async fn say(server: SocketAddr, from: IpAddr, says: &[u8]) -> Option<TcpStream> {
    let socket = if from.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }.ok()?;
    let _ = socket.set_recv_buffer_size(4096);
    socket.bind((from, 0).into()).ok()?;
    let connecting = tokio::time::timeout(Duration::from_millis(200), socket.connect(server));
    let stream = connecting.await.ok()?.ok()?;
    stream.writable().await.ok()?;
    stream.try_write(says).ok()?;
    Some(stream)
}

/// Asks again and again, many requests at once, over connections that are opened anew when closed.
async fn requests(server: SocketAddr) {
    for n in 0..MANY {
        tokio::task::spawn_local(async move {
            loop {
                if let Some(stream) = say(server, of_many(n), b"").await {
                    ask(&stream).await;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        });
    }
    std::future::pending::<()>().await;
}

async fn ask(stream: &TcpStream) {
    let batch = REQUEST.repeat(32);
    let mut answers = vec![0; 1 << 16];
    loop {
        let wrote = stream.try_write(batch.as_bytes());
        let waits = |error: &std::io::Error| error.kind() == std::io::ErrorKind::WouldBlock;
        if wrote.is_err_and(|error| !waits(&error)) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        loop {
            match stream.try_read(&mut answers) {
                Ok(0) => return,
                Ok(_) => {}
                Err(error) if waits(&error) => break,
                Err(_) => return,
            }
        }
    }
}

/// Shakes hands again and again, and never says a word.
async fn loiterers(server: SocketAddr, from: impl Fn(u32) -> IpAddr) {
    let mut endpoints = Vec::new();
    for n in 0.. {
        if n < MANY || n % MANY == 0 {
            // From one address many come; a /48 has a new one each time.
            let fresh = quinn::Endpoint::client((from(n), 0).into());
            endpoints.extend(fresh.ok());
        }
        let Some(endpoint) = endpoints.get(n as usize % endpoints.len().max(1)) else { return };
        knock(endpoint, server);
        tokio::time::sleep(Duration::from_secs(1) / HANDSHAKES_PER_S).await;
    }
}

/// Begins a handshake and holds on to whatever comes of it.
fn knock(endpoint: &quinn::Endpoint, server: SocketAddr) {
    let Ok(connecting) = endpoint.connect_with(quic(), server, "localhost") else { return };
    tokio::task::spawn_local(async move {
        let held = connecting.await;
        tokio::time::sleep(Duration::from_mins(1)).await;
        drop(held);
    });
}

/// Handshakes whose first packets come from proven addresses, and nothing after them.
async fn handshakes(server: SocketAddr, addresses: u32) {
    let mut endpoints = Vec::new();
    for n in 0..addresses {
        let Ok(relay) = half_open(server, of_many(n)).await else { continue };
        let endpoint = quinn::Endpoint::client((Ipv4Addr::LOCALHOST, 0).into()).expect("a socket");
        endpoints.push((endpoint, relay));
    }
    for n in 0_usize.. {
        let (endpoint, relay) = &endpoints[n % endpoints.len()];
        knock(endpoint, *relay);
        tokio::time::sleep(Duration::from_secs(1) / HANDSHAKES_PER_S).await;
    }
}

/// A way to the server that carries first packets there and proofs of the address back, nothing else.
async fn half_open(server: SocketAddr, from: IpAddr) -> std::io::Result<SocketAddr> {
    let inner = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let outer = UdpSocket::bind((from, 0)).await?;
    let address = inner.local_addr()?;
    tokio::task::spawn_local(async move {
        let (mut out, mut back) = ([0; 2048], [0; 2048]);
        let mut client = None;
        loop {
            tokio::select! {
                Ok((length, peer)) = inner.recv_from(&mut out) => {
                    client = Some(peer);
                    if kind(&out[..length]) == Some(INITIAL) {
                        let _ = outer.send_to(&out[..length], server).await;
                    }
                }
                Ok((length, _)) = outer.recv_from(&mut back) => {
                    if let (Some(client), Some(RETRY)) = (client, kind(&back[..length])) {
                        let _ = inner.send_to(&back[..length], client).await;
                    }
                }
            }
        }
    });
    Ok(address)
}

const INITIAL: u8 = 0;
const RETRY: u8 = 3;

/// The kind of a QUIC packet with a long header.
fn kind(packet: &[u8]) -> Option<u8> {
    packet.first().filter(|first| **first & 0x80 != 0).map(|first| first >> 4 & 3)
}

fn quic() -> quinn::ClientConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("TLS 1.3")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anyone))
        .with_no_client_auth();
    tls.alpn_protocols = vec![b"reckoning/1".to_vec()];
    let tls = quinn::crypto::rustls::QuicClientConfig::try_from(tls).expect("TLS 1.3");
    quinn::ClientConfig::new(Arc::new(tls))
}

/// An attacker does not care whom it speaks to.
#[derive(Debug)]
struct Anyone;

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ECDSA_NISTP256_SHA256, SignatureScheme::ED25519]
    }
}
