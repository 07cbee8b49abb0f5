//! TLS certificate of a server: read from files, or made at start.
//!
//! For others' machines it comes from files. For local play it is made at start: an ECDSA P-256 one of
//! at most 14 days, which browsers accept when a page pins its hash.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use quinn::crypto::rustls::QuicServerConfig;
use rcgen::{
    CertificateParams, DistinguishedName, DnType, KeyPair, PKCS_ECDSA_P256_SHA256, date_time_ymd,
};
use ring::digest::{SHA256, digest};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::clock::unix_seconds;
use crate::settings;

const HOUR: Duration = Duration::from_hours(1);
/// ALPN of browsers.
pub(crate) const ALPN_WEB: &[u8] = b"h3";
/// ALPN of programs: bare datagrams of this protocol's first version.
pub(crate) const ALPN_NATIVE: &[u8] = b"reckoning/1";

/// A certificate chain, its key and the hash that clients pin.
#[derive(Debug)]
pub(crate) struct Identity {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    sha256: [u8; 32],
    made: bool,
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
    /// Chain and key do not go together.
    Unusable(rustls::Error),
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
        }
    }
}

impl std::error::Error for IdentityError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { error, .. } => Some(error),
            Self::Make(error) => Some(error),
            Self::Unusable(error) => Some(error),
            Self::Empty { .. } => None,
        }
    }
}

impl Identity {
    /// Reads a certificate, or makes one, as the settings say.
    ///
    /// # Errors
    /// When a file is not what it should be.
    pub(crate) fn new(settings: &settings::Certificate) -> Result<Self, IdentityError> {
        match (&settings.chain_file, &settings.key_file) {
            (Some(chain), Some(key)) => Self::read(chain, key),
            _ => Self::make(settings),
        }
    }

    fn read(chain: &Path, key: &Path) -> Result<Self, IdentityError> {
        let wrong = |path: &Path| {
            let path = path.to_path_buf();
            move |error| IdentityError::File { path, error }
        };
        let certificates = CertificateDer::pem_file_iter(chain).map_err(wrong(chain))?;
        let certificates: Vec<_> = certificates.collect::<Result<_, _>>().map_err(wrong(chain))?;
        let key = PrivateKeyDer::from_pem_file(key).map_err(wrong(key))?;
        let Some(first) = certificates.first() else {
            return Err(IdentityError::Empty { path: chain.to_path_buf() });
        };
        Ok(Self { sha256: sha256(first), chain: certificates, key, made: false })
    }

    fn make(settings: &settings::Certificate) -> Result<Self, IdentityError> {
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(IdentityError::Make)?;
        let mut params =
            CertificateParams::new(settings.names.clone()).map_err(IdentityError::Make)?;
        let mut name = DistinguishedName::new();
        name.push(DnType::CommonName, "reckoning");
        params.distinguished_name = name;
        // Clocks of clients may be behind; the whole span counts towards a browser's 14 days.
        let begin = Duration::from_secs(unix_seconds()).saturating_sub(HOUR);
        params.not_before = date_time_ymd(1970, 1, 1) + begin;
        params.not_after = params.not_before + HOUR * 24 * settings.days;
        let certificate = params.self_signed(&key).map_err(IdentityError::Make)?;
        let certificate = certificate.der().clone();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        Ok(Self { sha256: sha256(&certificate), chain: vec![certificate], key, made: true })
    }

    /// SHA-256 of the certificate, which clients may pin.
    #[must_use]
    pub(crate) const fn sha256(&self) -> [u8; 32] {
        self.sha256
    }

    /// Whether it was made here, so that clients must pin it.
    #[must_use]
    pub(crate) const fn is_made(&self) -> bool {
        self.made
    }

    /// TLS for the QUIC endpoint.
    pub(crate) fn quic(&self) -> Result<QuicServerConfig, IdentityError> {
        let provider = rustls::crypto::ring::default_provider().into();
        let mut tls = rustls::ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(IdentityError::Unusable)?
            .with_no_client_auth()
            .with_single_cert(self.chain.clone(), self.key.clone_key())
            .map_err(IdentityError::Unusable)?;
        tls.alpn_protocols = vec![ALPN_WEB.to_vec(), ALPN_NATIVE.to_vec()];
        // Clients send nothing before the handshake is through, so nothing can be replayed.
        tls.max_early_data_size = 0;
        let unusable = |_| IdentityError::Unusable(rustls::Error::General("no QUIC suite".into()));
        QuicServerConfig::try_from(tls).map_err(unusable)
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
    fn a_made_certificate_serves_quic_and_differs_each_time() {
        let settings = Settings::default().certificate;
        let identity = Identity::new(&settings).unwrap();

        assert!(identity.is_made());
        assert!(identity.quic().is_ok());
        assert_ne!(identity.sha256(), Identity::new(&settings).unwrap().sha256());
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let mut settings = Settings::default().certificate;
        settings.chain_file = Some("no/chain.pem".into());
        settings.key_file = Some("no/key.pem".into());

        let message = Identity::new(&settings).unwrap_err().to_string();
        assert!(message.starts_with("no/chain.pem: "), "{message}");
        assert!(Identity::new(&settings).unwrap_err().source().is_some());
    }
}
