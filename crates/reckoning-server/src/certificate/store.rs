//! The certificate in use. It is replaced while the server runs, and no connection notices: each keeps
//! what it shook hands with, the next gets the new one.
//!
//! A made certificate is renewed a day before it ends. Files are read again once they change, or when
//! somebody asks; what cannot be used is reported and the old one stays.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::SystemTime;

use quinn::crypto::rustls::QuicServerConfig;
use rustls::ServerConfig;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use super::{ALPN_NATIVE, ALPN_WEB, Identity, IdentityError};
use crate::local_pins::{Note, RENEW_EVERY};
use crate::settings;

/// What the TCP port speaks beneath TLS.
const ALPN_HTTP: &[u8] = b"http/1.1";

/// Length and time of change of both files; `None` for a file that is not there.
type Stamp = [Option<(u64, Option<SystemTime>)>; 2];

/// The certificate in use.
#[derive(Debug)]
pub(crate) struct CertificateStore {
    settings: settings::Certificate,
    current: RwLock<Arc<Identity>>,
    /// The files as they were when they were last read, whatever came of it.
    read: Mutex<Stamp>,
    /// What clients on this machine find of the current one, and when it was last renewed.
    note: Mutex<(Option<Note>, u64)>,
}

impl CertificateStore {
    /// Reads or makes the first certificate, at `now` in seconds since 1970.
    ///
    /// # Errors
    /// When a file is not what it should be.
    pub(crate) fn new(
        settings: &settings::Certificate,
        now: u64,
    ) -> Result<Arc<Self>, IdentityError> {
        let read = Mutex::new(stamp(settings));
        let identity = Identity::new(settings, now)?;
        let note = Mutex::new((Note::write(&identity.sha256()), now));
        let current = RwLock::new(Arc::new(identity));
        Ok(Arc::new(Self { settings: settings.clone(), current, read, note }))
    }

    /// The certificate that new connections get.
    #[must_use]
    pub(crate) fn current(&self) -> Arc<Identity> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the files again, or makes a new certificate. Connections that stand keep theirs.
    ///
    /// # Errors
    /// When a file is not what it should be; the old certificate stays.
    pub(crate) fn reload(&self, now: u64) -> Result<(), IdentityError> {
        // Held until the end, so that two reloads do not overtake each other.
        let mut read = self.read();
        *read = stamp(&self.settings);
        let new = Arc::new(Identity::new(&self.settings, now)?);
        let is_other = self.current().sha256() != new.sha256();
        let sha256 = new.sha256();
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = new;
        if is_other {
            *self.note() = (Note::write(&sha256), now);
        }
        Ok(())
    }

    /// Replaces a made certificate that is about to end, and one whose files changed; `None` when
    /// there was nothing to do.
    pub(crate) fn refresh(&self, now: u64) -> Option<Result<(), IdentityError>> {
        self.renew_note(now);
        let is_due = match self.current().renew_at {
            Some(renew_at) => now >= renew_at,
            None => *self.read() != stamp(&self.settings),
        };
        is_due.then(|| self.reload(now))
    }

    fn renew_note(&self, now: u64) {
        let mut note = self.note();
        if now.saturating_sub(note.1) >= RENEW_EVERY.as_secs() {
            note.1 = now;
            if let Some(note) = &note.0 {
                note.renew();
            }
        }
    }

    fn note(&self) -> MutexGuard<'_, (Option<Note>, u64)> {
        self.note.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) -> MutexGuard<'_, Stamp> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// TLS for the QUIC endpoint.
    pub(crate) fn quic(self: &Arc<Self>) -> Result<QuicServerConfig, IdentityError> {
        let tls = self.tls(&[ALPN_WEB, ALPN_NATIVE])?;
        let unusable = |_| IdentityError::Unusable(rustls::Error::General("no QUIC suite".into()));
        QuicServerConfig::try_from(tls).map_err(unusable)
    }

    /// TLS for the TCP port.
    pub(crate) fn tcp(self: &Arc<Self>) -> Result<Arc<ServerConfig>, IdentityError> {
        self.tls(&[ALPN_HTTP]).map(Arc::new)
    }

    fn tls(self: &Arc<Self>, alpn: &[&[u8]]) -> Result<ServerConfig, IdentityError> {
        let provider = rustls::crypto::ring::default_provider().into();
        let mut tls = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(IdentityError::Unusable)?
            .with_no_client_auth()
            .with_cert_resolver(self.clone());
        tls.alpn_protocols = alpn.iter().map(|it| it.to_vec()).collect();
        // Clients send nothing before the handshake is through, so nothing can be replayed.
        tls.max_early_data_size = 0;
        // Whoever comes back is shown the certificate that is in use then.
        tls.send_tls13_tickets = 0;
        Ok(tls)
    }
}

impl ResolvesServerCert for CertificateStore {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current().certified.clone())
    }
}

fn stamp(settings: &settings::Certificate) -> Stamp {
    let of = |path: &Path| {
        let file = fs::metadata(path).ok()?;
        Some((file.len(), file.modified().ok()))
    };
    [&settings.chain_file, &settings.key_file].map(|path| path.as_deref().and_then(of))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    const DAY: u64 = 24 * 3_600;

    #[test]
    fn a_made_certificate_is_renewed_a_day_before_it_ends() {
        let settings = Settings::default().certificate;
        let begin = 20_000 * DAY;
        let store = CertificateStore::new(&settings, begin).unwrap();
        let first = store.current().sha256();
        // It is dated an hour back, for clocks that are behind.
        let due = begin - 3_600 + u64::from(settings.days - 1) * DAY;

        assert!(store.refresh(due - 1).is_none());
        assert_eq!(store.current().sha256(), first);
        assert!(store.refresh(due).unwrap().is_ok());
        assert_ne!(store.current().sha256(), first);
        assert!(store.refresh(due + 1).is_none(), "the new one lasts");
    }

    fn write(folder: &Path, names: [&str; 2]) {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_string()]).unwrap();
        fs::write(folder.join(names[0]), made.cert.pem()).unwrap();
        fs::write(folder.join(names[1]), made.signing_key.serialize_pem()).unwrap();
    }

    #[test]
    fn changed_files_are_read_and_broken_ones_leave_the_old_certificate() {
        let folder = std::env::temp_dir().join(format!("reckoning-store-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut settings = Settings::default().certificate;
        settings.chain_file = Some(folder.join("chain.pem"));
        settings.key_file = Some(folder.join("key.pem"));
        write(&folder, ["chain.pem", "key.pem"]);
        let store = CertificateStore::new(&settings, 0).unwrap();
        let first = store.current().sha256();
        assert!(store.refresh(u64::MAX).is_none(), "nothing changed");

        // Half of a change: the key is still the old one.
        write(&folder, ["chain.pem", "new-key.pem"]);
        fs::write(folder.join("key.pem"), "not a key").unwrap();
        assert!(store.refresh(0).unwrap().is_err());
        assert!(store.refresh(0).is_none(), "it is reported once");
        assert_eq!(store.current().sha256(), first);

        fs::rename(folder.join("new-key.pem"), folder.join("key.pem")).unwrap();
        assert!(store.refresh(0).unwrap().is_ok());
        assert_ne!(store.current().sha256(), first);
        fs::remove_dir_all(folder).unwrap();
    }
}
