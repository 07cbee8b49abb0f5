//! `kill -HUP` of a running `reckon serve` after its certificate was replaced.
#![cfg(unix)]

mod support;

use std::fs::{self, File};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use reckoning_client::{Client, ClientConfig, SessionEvent, Status, Trust};
use rustls::ClientConnection;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use support::{Server, scratch};

/// A certificate and its key in PEM.
fn made() -> [String; 2] {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_string()]).unwrap();
    [made.cert.pem(), made.signing_key.serialize_pem()]
}

/// Replaces a file by one of the same length and moment of change, so that the server cannot see
/// it from outside: only the signal makes it read.
fn replace_unseen(path: &Path, text: &str) {
    let before = fs::metadata(path).unwrap();
    assert_eq!(before.len(), text.len() as u64);
    fs::write(path, text).unwrap();
    File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_modified(before.modified().unwrap())
        .unwrap();
}

fn sha256(pem: &str) -> [u8; 32] {
    let der = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
    ring::digest::digest(&ring::digest::SHA256, &der).as_ref().try_into().unwrap()
}

/// The hash of the certificate that the TCP port shows to one who takes only that of `chain`.
fn over_tcp(server: &Server, chain: &str) -> Result<[u8; 32], String> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(chain.as_bytes()).unwrap()).unwrap();
    let provider = rustls::crypto::ring::default_provider().into();
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = "localhost".try_into().unwrap();
    let mut tls = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = TcpStream::connect(&server.address).unwrap();
    while tls.is_handshaking() {
        tls.complete_io(&mut stream).map_err(|error| error.to_string())?;
    }
    let shown = &tls.peer_certificates().unwrap()[0];
    Ok(ring::digest::digest(&ring::digest::SHA256, shown).as_ref().try_into().unwrap())
}

/// A program that plays over QUIC and takes only the certificate with this hash.
struct Player {
    client: Client,
    losses: u32,
}

impl Player {
    fn new(server: &Server, sha256: [u8; 32]) -> Self {
        let mut config = ClientConfig::new(&server.address);
        config.trust = Trust::Pinned(sha256);
        Self { client: Client::connect(config).unwrap(), losses: 0 }
    }

    /// Takes part until something is so, for fifteen seconds at most.
    fn play_until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        for _ in 0..1_000 {
            self.client.drive();
            while let Some(event) = self.client.poll_event() {
                self.losses += u32::from(matches!(event, SessionEvent::Lost));
            }
            if is_so(self) {
                return;
            }
            std::thread::sleep(Duration::from_millis(15));
        }
        panic!("not within 15 s: {what}, but {:?}", self.client.status());
    }

    fn is_in(&self) -> bool {
        *self.client.status() == Status::Joined
    }

    /// Plays for longer than a server needs to give somebody up who fell silent on the way.
    fn stays(&mut self) {
        let until = self.client.now() + Duration::from_secs(1);
        self.play_until("a second passes", |it| it.client.now() >= until);
        assert!(self.is_in() && self.losses == 0, "{:?}", self.client.status());
    }
}

/// Signals and waits for the answer to this signal in the log.
fn reload(server: &Server, answer: &str) -> String {
    let count = |log: &str| log.lines().filter(|line| line.contains(answer)).count();
    let before = count(&server.logged());
    server.signal("HUP");
    server.wait_for(answer, |it| count(&it.logged()) > before);
    let log = server.logged();
    log.lines().rfind(|line| line.contains(answer)).unwrap().to_owned()
}

#[test]
fn sighup_shows_newcomers_the_new_certificate_keeps_players_and_refuses_broken_files_by_name() {
    let folder = scratch("sighup-certificate");
    let paths = ["chain.pem", "key.pem"].map(|name| folder.join(name));
    let old = made();
    // Signatures differ in length.
    let same = |it: &[String; 2]| it[0].len() == old[0].len() && it[1].len() == old[1].len();
    let new = std::iter::repeat_with(made).find(same).unwrap();
    for (path, text) in paths.iter().zip(&old) {
        fs::write(path, text).unwrap();
    }
    let flags = [("chain_file", &paths[0]), ("key_file", &paths[1])]
        .map(|(name, path)| format!("certificate.{name}={:?}", path.to_str().unwrap()));
    let server = Server::start(&folder, &["--set", &flags[0], "--set", &flags[1]]);
    assert_eq!(over_tcp(&server, &old[0]), Ok(sha256(&old[0])));
    let mut player = Player::new(&server, sha256(&old[0]));
    player.play_until("in", Player::is_in);

    for (path, text) in paths.iter().zip(&new) {
        replace_unseen(path, text);
    }
    player.stays();
    assert_eq!(over_tcp(&server, &old[0]), Ok(sha256(&old[0])), "nobody said so yet");
    reload(&server, " reloaded");
    let in_use = |server: &Server| {
        assert_eq!(over_tcp(server, &new[0]), Ok(sha256(&new[0])));
        assert!(over_tcp(server, &old[0]).is_err(), "the old certificate is gone");
        Player::new(server, sha256(&new[0])).play_until("a newcomer is in", Player::is_in);
        let is_refused = |it: &Player| matches!(it.client.status(), Status::Reconnecting { .. });
        Player::new(server, sha256(&old[0])).play_until("the old one is refused", is_refused);
    };
    in_use(&server);
    player.stays();

    fs::write(&paths[0], "half a fi").unwrap();
    let line = reload(&server, "not reloaded");
    assert!(line.contains("chain.pem") && !line.contains("key.pem"), "{line}");
    fs::write(&paths[0], &new[0]).unwrap();
    fs::write(&paths[1], &old[1]).unwrap();
    let line = reload(&server, "not reloaded");
    assert!(line.contains("chain.pem") && line.contains("key.pem"), "{line}");
    fs::remove_file(&paths[1]).unwrap();
    let line = reload(&server, "not reloaded");
    assert!(line.contains("key.pem") && !line.contains("chain.pem"), "{line}");
    in_use(&server);
    player.stays();
    let (code, log) = server.stop();
    assert_eq!(code, Some(0), "{log}");
}
