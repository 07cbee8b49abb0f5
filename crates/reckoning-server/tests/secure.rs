//! TLS on the TCP port, and certificates that change while people play.

mod support;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use reckoning_client::{ClientConfig, Status, Trust};
use reckoning_server::Running;
use reckoning_server::token::to_hex;

use support::hostile::certificate;
use support::process::folder;
use support::{Native, Socket, get, secure, serve, wait_for};

/// A server with a certificate from files, and the folder they are in.
fn serve_with_files(name: &str) -> (Running, PathBuf) {
    let folder = folder(name);
    let [chain, key] = certificate(&folder);
    (serve(&[&chain, &key, "operator_listen=public"]), folder)
}

#[test]
fn with_a_certificate_page_metrics_and_websocket_are_over_tls() {
    let (server, folder) = serve_with_files("https");
    let (address, chain) = (server.address(), folder.join("chain.pem"));

    assert!(secure::get(address, &chain, "/health").ends_with("\r\n\r\nok\n"));
    assert!(secure::get(address, &chain, "/metrics").ends_with("# EOF\n"));
    let info = secure::get(address, &chain, "/reckoning.json");
    assert!(info.contains("\"certificate_sha256\": null"), "browsers know it by its roots: {info}");

    let mut browser = Socket::over(secure::open_socket(address, &chain));
    let mut native = Native::with(pinned(&server));
    wait_for("both in sight of each other", 10.0, || {
        browser.frame();
        native.frame();
        let (Some(a), Some(b)) = (native.mine, browser.mine) else { return false };
        browser.shown(a).is_some() && native.client.shown(b, native.client.now()).is_some()
    });

    let url = format!("https://{address}");
    let fetched = |trust| reckoning_client::fetch(&url, "/reckoning.json", &trust);
    assert!(fetched(Trust::SystemRoots).unwrap().contains("websocket"), "noted for this user");
    assert!(fetched(Trust::Pinned(server.certificate_sha256())).is_ok());
    assert!(fetched(Trust::Pinned([7; 32])).is_err());

    let plain = get(address, "/metrics");
    assert!(plain.starts_with("HTTP/1.1 400") && plain.contains("https://"), "{plain}");
    server.stop();
    std::fs::remove_dir_all(folder).unwrap();
}

fn pinned(server: &Running) -> ClientConfig {
    let mut config = ClientConfig::new(&server.address().to_string());
    config.trust = Trust::Pinned(server.certificate_sha256());
    config
}

#[test]
fn plain_http_is_for_loopback_or_told() {
    let path = "/reckoning.json";
    let made = serve(&[]);
    assert!(get(made.address(), path).starts_with("HTTP/1.1 200"));
    let told = serve(&["http=tls"]);
    assert!(get(told.address(), path).starts_with("HTTP/1.1 400"));
    let local = |it: SocketAddr| SocketAddr::from((Ipv4Addr::LOCALHOST, it.port()));
    let public = serve(&["listen=0.0.0.0:0", "operator_listen=0.0.0.0:0"]);
    assert!(get(local(public.address()), path).starts_with("HTTP/1.1 400"));
    let operators = local(public.operator_address().unwrap());
    assert!(get(operators, "/metrics").starts_with("HTTP/1.1 400"));
    let proxied = serve(&["listen=0.0.0.0:0", "http=plain"]);
    assert!(get(local(proxied.address()), path).starts_with("HTTP/1.1 200"));
}

/// Plays on; whether it is still in its first session.
fn stays(player: &mut Native) -> bool {
    player.frame();
    player.is_joined() && player.joins == 1 && player.losses == 0
}

#[test]
fn a_reloaded_certificate_drops_nobody_and_is_what_newcomers_get() {
    let server = serve(&[]);
    let old = server.certificate_sha256();
    let mut player = Native::with(pinned(&server));
    let mut socket = Socket::new(server.address());
    wait_for("both are in", 10.0, || {
        player.frame();
        socket.frame();
        player.mine.is_some() && socket.mine.is_some()
    });

    server.reload_certificates().unwrap();
    let new = server.certificate_sha256();
    assert_ne!(new, old);
    assert!(get(server.address(), "/reckoning.json").contains(&to_hex(&new)));
    let mut newcomer = Native::with(pinned(&server));
    wait_for("the newcomer sees the player", 10.0, || {
        assert!(stays(&mut player), "{:?}", player.client.status());
        socket.frame();
        newcomer.frame();
        newcomer.is_joined() && newcomer.error_m(&player).is_some_and(|it| it < 2.0)
    });
    assert!(stays(&mut player));
    server.stop();
}

#[test]
fn changed_files_are_taken_by_themselves_and_broken_ones_are_not() {
    let (server, folder) = serve_with_files("changed");
    let (address, chain) = (server.address(), folder.join("chain.pem"));
    let old = server.certificate_sha256();
    let mut player = Native::with(pinned(&server));
    wait_for("in", 10.0, || {
        player.frame();
        player.is_joined()
    });

    std::fs::write(&chain, "half a fi").unwrap();
    assert!(server.reload_certificates().is_err());
    assert_eq!(server.certificate_sha256(), old);
    certificate(&folder);
    wait_for("the new certificate", 10.0, || {
        assert!(stays(&mut player), "{:?}", player.client.status());
        server.certificate_sha256() != old
    });
    assert!(secure::get(address, &chain, "/health").starts_with("HTTP/1.1 200"));
    assert!(stays(&mut player));
    server.stop();
    std::fs::remove_dir_all(folder).unwrap();
}

/// A program of another user that waits on a port for clients: its certificate is noted nowhere.
fn impostor(address: SocketAddr) -> quinn::Endpoint {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".into(), "127.0.0.1".into()]);
    let made = made.unwrap();
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let provider = rustls::crypto::ring::default_provider().into();
    let mut tls = rustls::ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key.into())
        .unwrap();
    tls.alpn_protocols = vec![b"reckoning/1".to_vec()];
    let tls = quinn::crypto::rustls::QuicServerConfig::try_from(tls).unwrap();
    quinn::Endpoint::server(quinn::ServerConfig::with_crypto(Arc::new(tls)), address).unwrap()
}

#[test]
fn an_impostor_on_the_same_loopback_port_is_refused_and_the_server_is_taken_back() {
    let server = serve(&[]);
    let address = server.address();
    let mut player = Native::new(address);
    wait_for("in, without a word about certificates", 10.0, || {
        player.frame();
        player.is_joined()
    });
    server.stop();

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let fooled = Arc::new(AtomicUsize::new(0));
    let reason = runtime.block_on(async {
        let (endpoint, fooled) = (impostor(address), fooled.clone());
        tokio::spawn(async move {
            while let Some(incoming) = endpoint.accept().await {
                let is_taken = usize::from(incoming.await.is_ok());
                fooled.fetch_add(is_taken, Ordering::Relaxed);
            }
        });
        for _ in 0..1_000 {
            player.frame();
            tokio::time::sleep(support::FRAME).await;
            match player.client.status() {
                Status::Reconnecting { reason } if reason.contains("certificate") => {
                    return reason.clone();
                }
                _ => {}
            }
        }
        format!("{:?}", player.client.status())
    });
    assert!(reason.contains("no server of this user has this certificate"), "{reason}");
    assert_eq!(fooled.load(Ordering::Relaxed), 0, "the impostor got through no handshake");
    drop(runtime);

    let again = serve(&[&format!("listen={address}")]);
    wait_for("back at the real one", 15.0, || {
        player.frame();
        player.is_joined()
    });
    assert_eq!(player.joins, 2);
    again.stop();
}
