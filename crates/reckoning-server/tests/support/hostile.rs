//! Attackers: floods, garbage, spoofed updates and slow requests, from an address of their own.

use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use reckoning::{DVec3, Kinematics, Model, SimTime, Update, UpdateKind};
use reckoning_net::wire::{Header, Message, PacketWriter, UpdateBody, UpdateSeq, VERSION};
use reckoning_net::{EntityId, Format};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio::net::{TcpSocket, TcpStream};

/// Not the address of honest players.
pub const ADDRESS: &str = "127.0.0.2:0";

/// Makes a certificate for localhost in `folder`; the flags that name it.
pub fn certificate(folder: &Path) -> [String; 2] {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_string()]).unwrap();
    let (chain, key) = (folder.join("chain.pem"), folder.join("key.pem"));
    std::fs::write(&chain, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    [
        format!("certificate.chain_file={:?}", chain.to_str().unwrap()),
        format!("certificate.key_file={:?}", key.to_str().unwrap()),
    ]
}

/// Numbers that look like noise, the same each time.
pub struct Noise(pub u64);

impl Noise {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Noise that begins like a packet of a QUIC connection.
    pub fn letter(&mut self, most: u64) -> bytes::Bytes {
        let mut bytes = self.bytes(most);
        bytes.insert(0, 0x40 | (self.next() as u8 & 0x3f));
        bytes.into()
    }

    pub fn bytes(&mut self, most: u64) -> Vec<u8> {
        let length = self.next() % most;
        (0..length).map(|_| self.next() as u8).collect()
    }
}

/// Packets that are not even QUIC.
pub fn garbage_packets(server: SocketAddr, count: usize) {
    let socket = UdpSocket::bind(ADDRESS).unwrap();
    let mut noise = Noise(7);
    for _ in 0..count {
        let _ = socket.send_to(&noise.bytes(1_200), server);
    }
}

/// A program that speaks QUIC and says what it likes.
pub struct Attacker {
    endpoint: quinn::Endpoint,
    config: quinn::ClientConfig,
    server: SocketAddr,
}

impl Attacker {
    /// To be called within a runtime.
    pub fn new(server: SocketAddr, folder: &Path) -> Self {
        Self::speaking(b"reckoning/1", server, folder)
    }

    /// One that speaks WebTransport.
    pub fn browser(server: SocketAddr, folder: &Path) -> Self {
        Self::speaking(b"h3", server, folder)
    }

    fn speaking(protocol: &[u8], server: SocketAddr, folder: &Path) -> Self {
        let certificate = CertificateDer::from_pem_file(folder.join("chain.pem")).unwrap();
        let mut roots = rustls::RootCertStore::empty();
        roots.add(certificate).unwrap();
        let provider = rustls::crypto::ring::default_provider().into();
        let mut tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        tls.alpn_protocols = vec![protocol.to_vec()];
        let tls = quinn::crypto::rustls::QuicClientConfig::try_from(tls).unwrap();
        let config = quinn::ClientConfig::new(Arc::new(tls));
        let endpoint = quinn::Endpoint::client(ADDRESS.parse().unwrap()).unwrap();
        Self { endpoint, config, server }
    }

    pub async fn connect(&self) -> Option<quinn::Connection> {
        let connecting = self.endpoint.connect_with(self.config.clone(), self.server, "localhost");
        let connected = tokio::time::timeout(Duration::from_secs(2), connecting.unwrap()).await;
        connected.ok()?.ok()
    }

    /// Sends `count` datagrams of noise at `per_s`: over a connection while it has one, which begins
    /// with a request to join if there is a `token`, else bare packets that only look like those of
    /// one. Returns how many connections it got.
    pub async fn flood(&self, count: usize, per_s: f64, seed: u64, token: Option<&[u8]>) -> usize {
        const TRY_AGAIN_EVERY: usize = 2_000;
        let socket = UdpSocket::bind(ADDRESS).unwrap();
        let mut noise = Noise(99 + seed);
        let letters: Vec<bytes::Bytes> = (0..256).map(|_| noise.letter(900)).collect();
        let (begin, mut connections, mut connection) = (super::instant(), 0, None);
        for sent in 0..count {
            if sent % 64 == 0 {
                let due = begin + Duration::from_secs_f64(sent as f64 / per_s);
                tokio::time::sleep_until(due.into()).await;
            }
            if connection.is_none() && sent % TRY_AGAIN_EVERY == 0 {
                connection = self.connect().await;
                connections += usize::from(connection.is_some());
                if let (Some(open), Some(token)) = (&connection, token) {
                    let _ = open.send_datagram(join_request(token));
                }
            }
            let letter = &letters[sent % letters.len()];
            if let Some(open) = &connection {
                if open.send_datagram_wait(letter.clone()).await.is_err() {
                    connection = None;
                }
            } else {
                let _ = socket.send_to(letter, self.server);
            }
        }
        connections
    }

    /// Joins with a token, then claims to move bodies `0..bodies`, now and in the future.
    pub async fn spoof(&self, token: &[u8], format: &Format, bodies: u32, rounds: u32) -> bool {
        let Some(connection) = self.connect().await else { return false };
        let join = Message::Join { version: VERSION, token };
        let mut sequence = 0;
        let mut send = |message: &Message, at: SimTime| {
            let mut buffer = [0; 1_000];
            let sent_ms = at.as_micros() / 1_000;
            let mut out = PacketWriter::new(&mut buffer, &Header { sequence, sent_ms, ack: None });
            out.push(Some(format), message);
            let length = out.finish().unwrap();
            let _ = connection.send_datagram(buffer[..length].to_vec().into());
            sequence = sequence.wrapping_add(1);
        };
        send(&join, SimTime::ZERO);
        tokio::time::sleep(Duration::from_millis(300)).await;
        for round in 0..rounds {
            for entity in 0..bodies {
                // A minute, an hour, ... ahead of the server.
                let at = SimTime::from_millis(60_000 << (round % 16));
                let seen = Kinematics::at_rest(at, DVec3::splat(1e6));
                let update = Update::new(seen, Model::Linear, UpdateKind::Full).unwrap();
                let body = UpdateBody::new(format, None, &format.round(&update));
                let seq = UpdateSeq::Full(round as u16);
                let entity = EntityId(entity);
                send(&Message::Update { entity, seq, class: 0, body }, at);
            }
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        true
    }

    /// Connects and says nothing.
    pub async fn loiter(&self, count: usize) -> Vec<quinn::Connection> {
        let mut held = Vec::new();
        for _ in 0..count {
            held.extend(self.connect().await);
        }
        held
    }
}

/// A datagram that asks to join.
fn join_request(token: &[u8]) -> bytes::Bytes {
    let mut buffer = [0; 1_000];
    let header = Header { sequence: 0, sent_ms: 0, ack: None };
    let mut out = PacketWriter::new(&mut buffer, &header);
    out.push(None, &Message::Join { version: VERSION, token });
    let length = out.finish().unwrap();
    buffer[..length].to_vec().into()
}

/// Requests that never end, as many as the server lets in.
pub async fn slow_requests(server: SocketAddr, count: usize) -> Vec<TcpStream> {
    let mut held = Vec::new();
    for _ in 0..count {
        held.extend(slow_request(server).await.ok());
    }
    held
}

async fn slow_request(server: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(ADDRESS.parse().unwrap())?;
    let stream = socket.connect(server).await?;
    stream.writable().await?;
    stream.try_write(b"GET /ws HTTP/1.1\r\nhost: x\r\nx-slow: ")?;
    Ok(stream)
}
