//! TLS on the TCP port, and certificates that change while people play.

mod support;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use reckoning_client::{ClientConfig, Trust};
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
