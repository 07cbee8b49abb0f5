//! TLS certificate of a server: read from files, or made here.
//!
//! For others' machines it comes from files. For local play it is made: an ECDSA P-256 one of at most
//! 14 days, which browsers accept when a page pins its hash. The one in use, and how it is replaced, is
//! in `CertificateStore`.

mod store;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rcgen::{
    CertificateParams, DistinguishedName, DnType, KeyPair, PKCS_ECDSA_P256_SHA256, date_time_ymd,
};
use reckoning_recording::read_file;
use ring::digest::{SHA256, digest};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::sign::CertifiedKey;

use crate::settings;

/// Longest file of certificates or a key.
const MAX_PEM_BYTES: u64 = 1 << 20;

pub(crate) use store::CertificateStore;

const HOUR: Duration = Duration::from_hours(1);
/// ALPN of browsers.
pub(crate) const ALPN_WEB: &[u8] = b"h3";
/// ALPN of programs: bare datagrams of this protocol's first version.
pub(crate) const ALPN_NATIVE: &[u8] = b"reckoning/1";

/// A certificate chain with its key, and the hash that clients pin.
#[derive(Debug)]
pub(crate) struct Identity {
    certified: Arc<CertifiedKey>,
    sha256: [u8; 32],
    /// When the next one is due, in seconds since 1970; `None` for one that came from files.
    renew_at: Option<u64>,
}

/// Why there is no certificate.
#[derive(Debug)]
#[non_exhaustive]
pub enum IdentityError {
    /// A file could not be read as PEM.
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: rustls::pki_types::pem::Error,
    },
    /// A chain without certificates.
    Empty {
        /// Which file.
        path: PathBuf,
    },
    /// One could not be made.
    Make(rcgen::Error),
    /// Chain and key cannot be used.
    Unusable(rustls::Error),
    /// The chain and the key in these files do not go together.
    Pair {
        /// The chain.
        chain: PathBuf,
        /// The key.
        key: PathBuf,
        /// Why.
        error: rustls::Error,
    },
}

impl fmt::Display for IdentityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, error } => {
                write!(f, "{}: {error}; give a file in PEM", path.display())
            }
            Self::Empty { path } => {
                write!(f, "{}: no certificate in it; give the chain in PEM", path.display())
            }
            Self::Make(error) => {
                write!(f, "no certificate could be made: {error}; check certificate.names")
            }
            Self::Unusable(error) => {
                write!(f, "certificate is not usable: {error}; chain and key must belong together")
            }
            Self::Pair { chain, key, error } => {
                let (chain, key) = (chain.display(), key.display());
                write!(f, "{chain} and {key}: {error}; chain and key must belong together")
            }
        }
    }
}

impl std::error::Error for IdentityError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { error, .. } => Some(error),
            Self::Make(error) => Some(error),
            Self::Unusable(error) | Self::Pair { error, .. } => Some(error),
            Self::Empty { .. } => None,
        }
    }
}

impl Identity {
    /// Reads a certificate, or makes one that begins `now` (seconds since 1970), as the settings say.
    ///
    /// # Errors
    /// When a file is not what it should be, or chain and key do not belong together.
    pub(crate) fn new(settings: &settings::Certificate, now: u64) -> Result<Self, IdentityError> {
        match (&settings.chain_file, &settings.key_file) {
            (Some(chain), Some(key)) => Self::read(chain, key),
            _ => Self::make(settings, now),
        }
    }

    fn read(chain: &Path, key: &Path) -> Result<Self, IdentityError> {
        let wrong = |path: &Path| {
            let path = path.to_path_buf();
            move |error| IdentityError::File { path, error }
        };
        let read = |path| read_file(path, MAX_PEM_BYTES).map_err(pem::Error::Io);
        let (chain_pem, key_pem) =
            (read(chain).map_err(wrong(chain))?, read(key).map_err(wrong(key))?);
        let certificates = CertificateDer::pem_slice_iter(&chain_pem);
        let certificates: Vec<_> = certificates.collect::<Result<_, _>>().map_err(wrong(chain))?;
        let private = PrivateKeyDer::from_pem_slice(&key_pem).map_err(wrong(key))?;
        if certificates.is_empty() {
            return Err(IdentityError::Empty { path: chain.to_path_buf() });
        }
        Self::certified(certificates, private, None).map_err(|error| match error {
            IdentityError::Unusable(error) => {
                IdentityError::Pair { chain: chain.to_path_buf(), key: key.to_path_buf(), error }
            }
            other => other,
        })
    }

    fn make(settings: &settings::Certificate, now: u64) -> Result<Self, IdentityError> {
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(IdentityError::Make)?;
        let mut params =
            CertificateParams::new(settings.names.clone()).map_err(IdentityError::Make)?;
        let mut name = DistinguishedName::new();
        name.push(DnType::CommonName, "reckoning");
        params.distinguished_name = name;
        // Clocks of clients may be behind; the whole span counts towards a browser's 14 days.
        let begin = Duration::from_secs(now).saturating_sub(HOUR);
        let life = HOUR * 24 * settings.days;
        params.not_before = date_time_ymd(1970, 1, 1) + begin;
        params.not_after = params.not_before + life;
        let certificate = params.self_signed(&key).map_err(IdentityError::Make)?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        // Whoever takes the hash now must have time to use it.
        let renew_at = begin + life.saturating_sub((HOUR * 24).min(life / 2));
        Self::certified(vec![certificate.der().clone()], key, Some(renew_at.as_secs()))
    }

    fn certified(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
        renew_at: Option<u64>,
    ) -> Result<Self, IdentityError> {
        let sha256 = chain.first().map_or([0; 32], sha256);
        let provider = rustls::crypto::ring::default_provider();
        let certified = CertifiedKey::from_der(chain, key, &provider);
        let certified = certified.map_err(IdentityError::Unusable)?.into();
        Ok(Self { certified, sha256, renew_at })
    }

    /// SHA-256 of the certificate, which clients may pin.
    #[must_use]
    pub(crate) const fn sha256(&self) -> [u8; 32] {
        self.sha256
    }

    /// Whether it was made here, so that clients must pin it.
    #[must_use]
    pub(crate) const fn is_made(&self) -> bool {
        self.renew_at.is_some()
    }
}

fn sha256(certificate: &CertificateDer<'_>) -> [u8; 32] {
    let mut sum = [0; 32];
    sum.copy_from_slice(digest(&SHA256, certificate).as_ref());
    sum
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;
    use crate::settings::Settings;

    #[test]
    fn a_made_certificate_differs_each_time() {
        let settings = Settings::default().certificate;
        let identity = Identity::new(&settings, 0).unwrap();

        assert!(identity.is_made());
        assert_ne!(identity.sha256(), Identity::new(&settings, 0).unwrap().sha256());
    }

    #[test]
    fn a_chain_and_a_key_that_do_not_belong_together_are_refused() {
        let made = || rcgen::generate_simple_self_signed(vec!["localhost".to_string()]).unwrap();
        let (one, other) = (made(), made());
        let key = PrivatePkcs8KeyDer::from(other.signing_key.serialize_der());
        let refusal = Identity::certified(vec![one.cert.der().clone()], key.into(), None);
        assert!(matches!(refusal, Err(IdentityError::Unusable(_))), "{refusal:?}");
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let mut settings = Settings::default().certificate;
        settings.chain_file = Some("no/chain.pem".into());
        settings.key_file = Some("no/key.pem".into());

        let message = Identity::new(&settings, 0).unwrap_err().to_string();
        assert!(message.starts_with("no/chain.pem: "), "{message}");
        assert!(Identity::new(&settings, 0).unwrap_err().source().is_some());
    }
}
