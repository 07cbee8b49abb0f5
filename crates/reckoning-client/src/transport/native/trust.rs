//! Verification of the server's certificate.

use std::net::IpAddr;
use std::sync::Arc;

use quinn::crypto::rustls::QuicClientConfig;
use ring::digest::{SHA256, digest};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use rustls_platform_verifier::Verifier;

use super::pins;
use crate::transport::Trust;

const ALPN: &[u8] = b"reckoning/1";

/// TLS for QUIC towards the server at this address.
pub(super) fn quic(address: IpAddr, trust: &Trust) -> Result<QuicClientConfig, String> {
    QuicClientConfig::try_from(tls(address, trust, ALPN)?).map_err(|error| error.to_string())
}

/// TLS towards the server at this address.
pub(super) fn tls(address: IpAddr, trust: &Trust, alpn: &[u8]) -> Result<ClientConfig, String> {
    let reason = |error: Error| error.to_string();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(reason)?;
    let is_here = address.to_canonical().is_loopback();
    let verifier: Arc<dyn ServerCertVerifier> = match trust {
        Trust::Pinned(sha256) => Arc::new(HashVerifier::new(Taken::Pinned(*sha256), provider)),
        _ if is_here => Arc::new(HashVerifier::new(Taken::Noted, provider)),
        _ => Arc::new(Verifier::new(provider).map_err(reason)?),
    };
    let mut config =
        builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
    config.alpn_protocols = vec![alpn.to_vec()];
    Ok(config)
}

/// Knows certificates by their hash.
#[derive(Debug)]
struct HashVerifier {
    taken: Taken,
    provider: Arc<CryptoProvider>,
}

/// Which certificates are taken.
#[derive(Clone, Copy, Debug)]
enum Taken {
    /// One only.
    Pinned([u8; 32]),
    /// Those that servers of this user noted, and those that the system trusts.
    Noted,
}

/// What is said of a certificate that is neither noted nor trusted.
const STRANGER: &str = "no server of this user has this certificate, nor does the system trust it; \
                        if it is right, pin it";

impl HashVerifier {
    const fn new(taken: Taken, provider: Arc<CryptoProvider>) -> Self {
        Self { taken, provider }
    }
}

impl ServerCertVerifier for HashVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let shown = digest(&SHA256, end_entity);
        let is_known = match self.taken {
            Taken::Pinned(sha256) => shown.as_ref() == sha256,
            Taken::Noted => pins::is_noted(shown.as_ref()),
        };
        if is_known {
            return Ok(ServerCertVerified::assertion());
        }
        if let Taken::Noted = self.taken {
            let system = Verifier::new(self.provider.clone());
            let verdict = system
                .and_then(|it| it.verify_server_cert(end_entity, intermediates, name, ocsp, now));
            return verdict.map_err(|_| Error::General(STRANGER.to_string()));
        }
        Err(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
