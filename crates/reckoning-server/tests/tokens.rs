//! Who gets in with which token, over real sockets.

mod support;

use reckoning_client::{Delivery, DisconnectReason, Status};
use reckoning_server::metrics::RejectReason;
use reckoning_server::token::{TokenError, TokenKey, TokenScope};
use reckoning_server::{Game, Host, HostEvent, Relay, Running, Server, SimTime, unix_seconds};

use support::hostile::{Attacker, certificate};
use support::process::folder;
use support::{Native, Socket, key_file, serve, settings, wait_for};

fn mint(key: &TokenKey) -> Vec<u8> {
    key.mint(&[7], unix_seconds() + 600).unwrap()
}

/// Tries to join until it is in or refused.
fn try_token(server: &Running, token: &[u8]) -> Result<Native, DisconnectReason> {
    let mut player = Native::with_token(server.address(), token);
    wait_for("an answer", 10.0, || {
        player.frame();
        player.mine.is_some() || !player.refusals.is_empty()
    });
    let refusal = player.refusals.first().copied();
    refusal.map_or(Ok(player), Err)
}

fn refused(server: &Running, token: &[u8]) -> bool {
    try_token(server, token).is_err_and(|why| why == DisconnectReason::Token)
}

#[test]
fn every_refusal_is_counted_under_its_reason() {
    let (file, flag, key) = key_file("reasons");
    let names = ["token_server=eu-1", "token_audience=ranked"];
    let server = serve(&["access=token", &flag, names[0], names[1]]);
    let scoped = |server: &str, audience: &str| {
        let scope = TokenScope { server: server.into(), audience: audience.into() };
        key.clone().for_scope(scope).unwrap()
    };
    let ours = scoped("eu-1", "ranked");
    let late = ours.mint(&[], unix_seconds() - 1).unwrap();
    let forged = TokenKey::new(&[1; 32]).unwrap().mint(&[], u64::MAX).unwrap();
    let cases: [(Vec<u8>, TokenError); 5] = [
        (mint(&scoped("eu-2", "ranked")), TokenError::OtherServer { got: String::new() }),
        (mint(&scoped("eu-1", "casual")), TokenError::OtherAudience { got: String::new() }),
        (late, TokenError::Expired { expires: 0 }),
        (forged, TokenError::Forged),
        (vec![7; 16], TokenError::Malformed { bytes: 16 }),
    ];
    for (token, error) in &cases {
        assert!(refused(&server, token), "{error:?}");
        assert_eq!(server.metrics().token_errors(error), 1, "{error:?}");
    }
    assert_eq!(server.metrics().rejects(RejectReason::Token), 5);
    let text = server.metrics().openmetrics();
    assert!(text.contains("reckoning_tokens_refused_total{cause=\"expired\"} 1\n"), "{text}");
    assert!(try_token(&server, &mint(&ours)).is_ok());
    // Over a WebSocket the same gate stands; a bad token is told so.
    let mut socket = Socket::new(server.address());
    wait_for("the socket is refused", 10.0, || {
        socket.frame();
        server.metrics().rejects(RejectReason::Token) == 6
    });
    assert_eq!(socket.mine, None);
    server.stop();
    std::fs::remove_file(file).unwrap();
}

/// Puts out whoever sends a message.
#[derive(Default)]
struct Strict(Relay);

impl Game for Strict {
    fn event(&mut self, now: SimTime, event: &HostEvent, host: &mut Host) {
        if let HostEvent::Message { peer, .. } = event {
            host.refuse(now, *peer, DisconnectReason::Conduct);
        }
        self.0.event(now, event, host);
    }

    fn tick(&mut self, now: SimTime, host: &mut Host) {
        self.0.tick(now, host);
    }
}

#[test]
fn the_expelled_do_not_come_back_with_the_same_token_even_after_a_restart() {
    let (file, flag, key) = key_file("expelled");
    let list = file.with_extension("revoked");
    let _ = std::fs::remove_file(&list);
    let list_flag = format!("token_revoked_file={:?}", list.to_str().unwrap());
    let start = || {
        let settings = settings(&["access=token", &flag, &list_flag]);
        Server::new(settings).start(Strict::default()).unwrap()
    };
    let server = start();
    let (bad, good) = (mint(&key), mint(&key));
    let mut player = try_token(&server, &bad).unwrap();
    player.client.send(b"swearing", Delivery::Reliable).unwrap();
    wait_for("it is put out", 10.0, || {
        player.frame();
        player.refusals == [DisconnectReason::Conduct]
    });
    assert!(matches!(player.client.status(), Status::Over { .. }));

    assert!(refused(&server, &bad));
    assert_eq!(server.metrics().token_errors(&TokenError::Revoked), 1);
    assert!(try_token(&server, &good).is_ok(), "another token of the same key");
    wait_for("the list is written", 5.0, || {
        std::fs::read_to_string(&list).is_ok_and(|text| text.lines().count() == 1)
    });
    server.stop();

    let server = start();
    assert!(refused(&server, &bad), "the list outlives the server");
    assert!(try_token(&server, &good).is_ok());
    server.stop();
    std::fs::remove_file(file).unwrap();
    std::fs::remove_file(list).unwrap();
}

/// Places that strangers could take: two for players and four for those who have not joined.
#[test]
fn strangers_without_a_token_take_no_places() {
    let (file, flag, key) = key_file("places");
    let folder = folder("places");
    let [chain, private] = certificate(&folder);
    let flags = ["access=token", &flag, &chain, &private, "limits.peers=2"];
    let flags = [&flags[..], &["limits.pending_handshakes=4", "limits.join_timeout_s=1"]].concat();
    let server = serve(&flags);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let held = runtime.block_on(async {
        let attacker = Attacker::new(server.address(), &folder);
        let mut held = Vec::new();
        for _ in 0..2 {
            held.extend(attacker.loiter(4).await);
            // Some steps, in which they would be taken over if they had places.
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            assert_eq!(server.metrics().connections.get(), 0, "the game knows of nobody");
            tokio::time::sleep(std::time::Duration::from_millis(900)).await;
        }
        held
    });
    assert!(held.len() == 8, "{} got through the handshake", held.len());
    assert!(server.metrics().rejects(RejectReason::JoinTimeout) >= 8);
    assert_eq!(server.metrics().rejects(RejectReason::Full), 0);
    let trust = reckoning_client::Trust::Pinned(server.certificate_sha256());
    let mut config = reckoning_client::ClientConfig::new(&server.address().to_string());
    config.session.token = mint(&key);
    config.trust = trust;
    let mut player = Native::with(config);
    wait_for("a holder is in", 10.0, || {
        player.frame();
        player.is_joined()
    });
    drop(held);
    server.stop();
    std::fs::remove_file(file).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn strangers_who_flood_are_cut_off_and_shut_out_while_others_join() {
    let (file, flag, key) = key_file("stranger-flood");
    let folder = folder("stranger-flood");
    let [chain, private] = certificate(&folder);
    let server = serve(&["access=token", &flag, &chain, &private]);
    let (floods, banned) = (RejectReason::Flood, RejectReason::Banned);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let connections = runtime.block_on(async {
        Attacker::new(server.address(), &folder).flood(8_000, 2e4, 1, None).await
    });
    assert_eq!(connections, 1, "it came back");
    assert_eq!(server.metrics().rejects(floods), 1);
    assert!(server.metrics().rejects(banned) > 0);
    assert!(try_token(&server, &mint(&key)).is_ok());
    server.stop();
    std::fs::remove_file(file).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}
