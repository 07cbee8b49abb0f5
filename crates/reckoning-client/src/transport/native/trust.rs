//! Verification of the server's certificate.

use std::net::IpAddr;
use std::sync::Arc;

use quinn::crypto::rustls::QuicClientConfig;
use ring::digest::{SHA256, digest};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use rustls_platform_verifier::BuilderVerifierExt;

use crate::transport::Trust;

const ALPN: &[u8] = b"reckoning/1";

/// TLS towards the server at this address.
pub(super) fn tls(address: IpAddr, trust: &Trust) -> Result<QuicClientConfig, String> {
    let reason = |error: Error| error.to_string();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(reason)?;
    let pinned = match trust {
        Trust::Pinned(sha256) => Some(Some(*sha256)),
        Trust::SystemRoots if address.to_canonical().is_loopback() => Some(None),
        Trust::SystemRoots => None,
    };
    let mut config = match pinned {
        Some(sha256) => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(PinnedVerifier { sha256, provider }))
            .with_no_client_auth(),
        None => builder.with_platform_verifier().map_err(reason)?.with_no_client_auth(),
    };
    config.alpn_protocols = vec![ALPN.to_vec()];
    QuicClientConfig::try_from(config).map_err(|error| error.to_string())
}

/// Takes one certificate only, or any when nobody else can be at the address.
#[derive(Debug)]
struct PinnedVerifier {
    sha256: Option<[u8; 32]>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for PinnedVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let shown = digest(&SHA256, end_entity);
        if self.sha256.is_none_or(|pinned| shown.as_ref() == pinned) {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure))
        }
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
