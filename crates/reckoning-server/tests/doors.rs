//! Who is let in: pages of foreign origins, clients behind proxies, holders of tokens in a crowd.

mod support;

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use reckoning_net::DisconnectReason;
use reckoning_server::metrics::RejectReason;
use reckoning_server::token::{TokenKey, write_new_key};
use reckoning_server::{Running, unix_seconds};
use tokio::net::TcpSocket;
use web_transport_quinn::proto::ConnectRequest;

use support::hostile::{Attacker, certificate};
use support::process::folder;
use support::{Native, serve, wait_for};

/// The status of the answer to a request for a WebSocket with these headers.
fn upgrade(server: SocketAddr, headers: &str) -> (String, TcpStream) {
    let mut stream = TcpStream::connect(server).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    // A server that closed at once has said enough.
    let _ = write!(
        stream,
        "GET /ws HTTP/1.1\r\nhost: {server}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
    );
    let mut answer = [0; 12];
    let status = match stream.read_exact(&mut answer) {
        Ok(()) => String::from_utf8_lossy(&answer[9..]).into_owned(),
        Err(_) => "none".to_string(),
    };
    (status, stream)
}

fn status(server: SocketAddr, headers: &str) -> String {
    upgrade(server, headers).0
}

#[test]
fn a_page_of_a_foreign_origin_gets_no_websocket() {
    let server = serve(&[]);
    let address = server.address();
    assert_eq!(status(address, ""), "101", "a program");
    assert_eq!(status(address, &format!("origin: http://{address}\r\n")), "101");
    assert_eq!(status(address, "origin: http://localhost:8080\r\n"), "101");
    assert_eq!(status(address, "origin: https://evil.example\r\n"), "403");
    assert_eq!(status(address, "origin: null\r\n"), "403");
    let rebound = "origin: http://evil.example\r\nhost: evil.example\r\n";
    assert_ne!(status(address, rebound), "101");
    assert!(server.metrics().rejects(RejectReason::Origin) >= 2);
    server.stop();

    let server = serve(&["origins=['https://game.example']"]);
    assert_eq!(status(server.address(), "origin: https://game.example\r\n"), "101");
    assert_eq!(status(server.address(), "origin: http://localhost\r\n"), "403");
    server.stop();
}

#[test]
fn a_page_of_a_foreign_origin_gets_no_webtransport() {
    let folder = folder("origin");
    let [chain, private] = certificate(&folder);
    let server = serve(&[&chain, &private]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let opens = |origin: Option<&'static str>| {
        runtime.block_on(async {
            let browser = Attacker::browser(server.address(), &folder);
            let connection = browser.connect().await.unwrap();
            let url = format!("https://localhost:{}/", server.address().port());
            let mut request = ConnectRequest::new(url.parse::<url::Url>().unwrap());
            if let Some(origin) = origin {
                request = request.with_header("origin".parse().unwrap(), origin.parse().unwrap());
            }
            let opening = web_transport_quinn::Session::connect(connection, request);
            tokio::time::timeout(Duration::from_secs(5), opening).await.unwrap().is_ok()
        })
    };
    assert!(opens(None), "a program");
    assert!(opens(Some("http://127.0.0.1:8080")), "a page of this machine");
    assert!(!opens(Some("https://evil.example")));
    assert_eq!(server.metrics().rejects(RejectReason::Origin), 1);
    server.stop();
    std::fs::remove_dir_all(folder).unwrap();
}

const FEW: [&str; 2] =
    ["limits.connections_per_address=2", "limits.connects_per_s_per_address=100"];

/// The answers to so many requests that are all kept open.
fn held(server: SocketAddr, headers: &[String]) -> Vec<String> {
    let open: Vec<_> = headers.iter().map(|it| upgrade(server, it)).collect();
    open.into_iter().map(|(status, _)| status).collect()
}

#[test]
fn clients_of_a_trusted_proxy_count_by_themselves() {
    let clients: Vec<String> =
        (0..4).map(|n| format!("x-forwarded-for: 1.2.3.4, 203.0.113.{n}\r\n")).collect();
    let one = vec!["x-forwarded-for: 203.0.113.200\r\n".to_string(); 4];

    let server = serve(&[FEW[0], FEW[1], "proxies.trusted=['127.0.0.1']"]);
    assert_eq!(held(server.address(), &clients), ["101"; 4], "each has its own allowance");
    assert_eq!(held(server.address(), &one), ["101", "101", "429", "429"], "one has no more");
    server.stop();

    let server = serve(&FEW);
    assert_eq!(held(server.address(), &clients)[..2], ["101"; 2]);
    assert_eq!(held(server.address(), &clients)[3], "none", "nobody's word counts by default");
    server.stop();
}

fn token_server(name: &str, flags: &[&str]) -> (Running, TokenKey, std::path::PathBuf) {
    let folder = folder(name);
    let path = folder.join("key.hex");
    write_new_key(&path).unwrap();
    let key_file = format!("token_key_file={:?}", path.to_str().unwrap());
    let flags: Vec<&str> = flags.iter().copied().chain([key_file.as_str()]).collect();
    (serve(&flags), TokenKey::from_file(&path).unwrap(), folder)
}

#[test]
fn strangers_leave_room_for_holders_of_tokens() {
    let (server, key, folder) =
        token_server("seats", &["limits.peers=4", "limits.reserved_peers=2"]);
    let mut strangers: Vec<Native> = (0..3).map(|_| Native::new(server.address())).collect();
    wait_for("two are in, the third is not", 10.0, || {
        strangers.iter_mut().for_each(Native::frame);
        let refused = strangers.iter().filter(|it| !it.refusals.is_empty()).count();
        strangers.iter().filter(|it| it.is_joined()).count() == 2 && refused == 1
    });
    let refused = strangers.iter().find_map(|it| it.refusals.first());
    assert_eq!(refused, Some(&DisconnectReason::Full));

    let token = key.mint(&[], unix_seconds() + 60).unwrap();
    let mut holder = Native::with_token(server.address(), &token);
    wait_for("the holder is in", 10.0, || {
        holder.frame();
        strangers.iter_mut().for_each(Native::frame);
        holder.is_joined()
    });
    server.stop();
    std::fs::remove_dir_all(folder).unwrap();
}

/// Connections from a hundred addresses, each with a few.
async fn hold(server: SocketAddr, each: usize, says: &[u8]) -> Vec<tokio::net::TcpStream> {
    let mut open = Vec::new();
    for n in 0..100 * each {
        let from = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2 + (n % 100) as u8));
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((from, 0).into()).unwrap();
        let Ok(Ok(stream)) =
            tokio::time::timeout(Duration::from_secs(2), socket.connect(server)).await
        else {
            continue;
        };
        let _ = stream.writable().await;
        let _ = stream.try_write(says);
        open.push(stream);
    }
    open
}

/// The whole crowd has many more connections than there are places, and never lets go of one.
#[test]
fn a_hundred_addresses_keep_neither_pages_nor_holders_of_tokens_out() {
    let crowded = ["access=token", "limits.http_connections=128", "limits.pending_handshakes=128"];
    let (server, key, folder) = token_server("crowd", &crowded);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let half = b"GET /ws HTTP/1.1\r\nhost: x\r\nx-slow: ";
    let socket = b"GET /ws HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
                   sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    let slow = runtime.block_on(hold(server.address(), 3, half));
    let page = support::get(server.address(), "/reckoning.json");
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    drop(slow);

    let loiterers = runtime.block_on(hold(server.address(), 3, socket));
    let turned_away = || {
        let reasons = [RejectReason::Displaced, RejectReason::HttpConnections, RejectReason::Full];
        reasons.map(|it| server.metrics().rejects(it)).iter().sum::<u64>()
    };
    wait_for("they fill the room", 5.0, || turned_away() > 0);
    assert_eq!(server.metrics().connections.get(), 0, "without a token they are in no game");
    let token = key.mint(&[], unix_seconds() + 60).unwrap();
    let mut holder = Native::with_token(server.address(), &token);
    wait_for("the holder is in", 4.0, || {
        holder.frame();
        holder.is_joined()
    });
    assert_eq!(holder.refusals, []);
    assert!(server.metrics().rejects(RejectReason::Displaced) > 0);
    drop(loiterers);
    server.stop();
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn an_address_asks_for_so_many_pages_and_no_more() {
    let server = serve(&["limits.requests_per_s_per_address=5"]);
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let request = "GET /reckoning.json HTTP/1.1\r\nhost: x\r\n\r\n".repeat(200);
    let _ = stream.write_all(request.as_bytes());
    let mut answers = Vec::new();
    let _ = stream.read_to_end(&mut answers);
    let answers = String::from_utf8_lossy(&answers);
    assert!((20..30).contains(&answers.matches("HTTP/1.1 200").count()), "{answers}");
    assert_eq!(answers.matches("HTTP/1.1 429").count(), 1, "then the connection ends");
    assert_eq!(server.metrics().rejects(RejectReason::Requests), 1);
    server.stop();
}
