//! Playing over real sockets of this machine.

mod support;

use reckoning_client::{ClientConfig, SessionConfig, Status, Trust};
use reckoning_net::DisconnectReason;
use reckoning_server::metrics::RejectReason;
use reckoning_server::token::TokenKey;

use support::{Native, Socket, get, key_file, serve, wait_for};

/// A frame, a step, a round of the server and a frame, on a machine that keeps up.
const ON_THE_WAY_S: f64 = 0.12;

/// How far a straight line strays from the circle until the owner exports, and while that export
/// is on its way: the server passes it on without a threshold of its own, so nothing adds up.
///
/// A machine that cannot make its frames delays everything else it does as much, so the time on the
/// way grows with the gaps between frames: a gap each for owner, sockets, server and onlooker.
fn tolerance_m(frame_gap_s: f64) -> f64 {
    let threshold_m = SessionConfig::default().publisher.threshold.max_error_m();
    let turn_mps2 = 10.0;
    let until_export_s = (2.0 * threshold_m / turn_mps2).sqrt();
    let on_the_way_s = ON_THE_WAY_S.max(0.06 + 4.0 * frame_gap_s);
    0.5 * turn_mps2 * (until_export_s + on_the_way_s).powi(2)
}

/// What 95 of 100 do not exceed; sorts them.
fn in_95_of_100(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() * 95 / 100]
}

#[test]
fn a_program_and_a_browser_see_each_other_move() {
    let server = serve(&[]);
    let (mut native, mut socket) = (Native::new(server.address()), Socket::new(server.address()));
    let frames = |native: &mut Native, socket: &mut Socket| {
        native.frame();
        socket.frame();
    };
    wait_for("both in sight of each other", 10.0, || {
        frames(&mut native, &mut socket);
        let (Some(a), Some(b)) = (native.mine, socket.mine) else { return false };
        socket.shown(a).is_some() && native.client.shown(b, native.client.now()).is_some()
    });
    // Both have just begun to move: give the clocks and the blends a second.
    let mut errors_m = [const { Vec::new() }; 2];
    let (mut gaps_s, mut last) = (Vec::new(), native.client.now());
    for frame in 0..375 {
        frames(&mut native, &mut socket);
        if frame >= 125 {
            let shown = native.client.shown(socket.mine.unwrap(), native.client.now()).unwrap();
            errors_m[0].push(shown.position.distance(socket.truth()));
            let shown = socket.shown(native.mine.unwrap()).unwrap();
            errors_m[1].push(shown.distance(native.truth()));
        }
        std::thread::sleep(support::FRAME);
        let now = native.client.now();
        gaps_s.push(now.secs_since(std::mem::replace(&mut last, now)));
    }
    let gap_s = in_95_of_100(&mut gaps_s);
    for errors_m in &mut errors_m {
        // Frames that this machine stopped between two clocks are not the server's.
        let most_m = in_95_of_100(errors_m);
        let (worst_m, limit_m) = (errors_m[errors_m.len() - 1], tolerance_m(gap_s));
        println!(
            "error in 2 s at 10 m/s: {most_m:.3} m in 95 of 100 frames (limit {limit_m:.3} m with \
             frames {gap_s:.3} s apart), at worst {worst_m:.3}"
        );
        assert!(most_m < limit_m && worst_m < 3.0 * limit_m, "{most_m} {worst_m} of {limit_m} m");
    }
    assert_eq!(server.metrics().peers.get(), 2);
    server.stop();
}

#[test]
fn who_leaves_is_gone_at_once() {
    for round in 0..5 {
        let server = serve(&[]);
        let mut native = Native::new(server.address());
        wait_for("a body", 10.0, || {
            native.frame();
            native.mine.is_some() && server.metrics().entities.get() == 1
        });
        native.client.leave();
        // The grace for those who are lost is ten seconds.
        let gone = || server.metrics().entities.get() == 0 && server.metrics().peers.get() == 0;
        wait_for(&format!("round {round}: nobody left"), 2.0, gone);
        server.stop();
    }
}

#[test]
fn the_server_tells_of_itself_over_http() {
    let server = serve(&[]);
    let address = server.address();

    let hash = reckoning_server::token::to_hex(&server.certificate_sha256());
    let about = get(address, "/reckoning.json");
    assert!(about.contains(&format!("\"certificate_sha256\": \"{hash}\"")), "{about}");
    assert!(about.contains(&format!("\"udp_port\": {}", address.port())), "{about}");
    assert!(get(address, "/").starts_with("HTTP/1.1 404"));
    server.stop();
}

/// The value of a series in the text of `/metrics`.
fn value(metrics: &str, series: &str) -> Option<f64> {
    metrics.lines().find_map(|line| line.strip_prefix(series)?.trim().parse().ok())
}

#[test]
fn export_errors_are_told_over_all_clients_and_singly_where_asked_for() {
    for (policy, singly) in [("deterministic", true), ("base", false)] {
        let fairness = format!("replication.fairness='{policy}'");
        let singly_told = format!("replication.client_errors={singly}");
        let server = serve(&[&fairness, "replication.accounts=true", &singly_told]);
        let mut players = [Native::new(server.address()), Native::new(server.address())];
        let family = "reckoning_export_error_metre_seconds";
        let told = |metrics: &str, part: &str, over: &str| {
            value(metrics, &format!("{family}{{part=\"{part}\",over=\"{over}\"}}")).unwrap()
        };
        let mut metrics = String::new();
        wait_for("errors of both", 20.0, || {
            players.iter_mut().for_each(Native::frame);
            metrics = get(server.operator_address().unwrap(), "/metrics");
            told(&metrics, "confirmed", "mean") > 0.0
                && told(&metrics, "accumulated", "worst") > told(&metrics, "confirmed", "worst")
        });
        let of = |over| told(&metrics, "accumulated", over);
        assert!(of("worst") >= of("mean"), "{metrics}");
        let clients = metrics.matches("reckoning_client_export_error_metre_seconds{").count();
        assert_eq!(clients, if singly { 2 * 3 } else { 0 }, "{metrics}");
        let scale = value(&metrics, "reckoning_fairness_threshold_scale").unwrap();
        assert!((0.06..=1.0).contains(&scale), "{scale}");
    }
}

fn assert_operators_are_answered(at: std::net::SocketAddr) {
    assert!(get(at, "/health").starts_with("HTTP/1.1 200 OK\r\n"));
    assert!(get(at, "/health").ends_with("\r\n\r\nok\n"));
    let metrics = get(at, "/metrics");
    assert!(metrics.contains("\r\ncontent-type: application/openmetrics-text; version=1.0.0;"));
    assert!(metrics.contains("reckoning_peers 0\n") && metrics.ends_with("# EOF\n"), "{metrics}");
}

fn assert_strangers_are_not(at: std::net::SocketAddr) {
    for path in ["/health", "/metrics"] {
        assert!(get(at, path).starts_with("HTTP/1.1 404"), "{path} is for operators");
    }
}

#[test]
fn health_and_metrics_are_told_to_operators_only() {
    let server = serve(&["listen=0.0.0.0:0", "http=plain"]);
    let players = ([127, 0, 0, 1], server.address().port()).into();
    let operators = server.operator_address().unwrap();
    assert!(operators.ip().is_loopback() && operators != players);
    assert_operators_are_answered(operators);
    assert_strangers_are_not(players);
    server.stop();

    let public = serve(&["operator_listen=public"]);
    assert_eq!(public.operator_address(), None);
    assert_operators_are_answered(public.address());
    public.stop();

    let silent = serve(&["operator_listen=''"]);
    assert_eq!(silent.operator_address(), None);
    assert_strangers_are_not(silent.address());
    silent.stop();

    let named = serve(&["operator_listen=127.0.0.2:0"]);
    assert_operators_are_answered(named.operator_address().unwrap());
    named.stop();
}

#[test]
fn only_the_pinned_certificate_is_taken() {
    let server = serve(&[]);
    let mut config = ClientConfig::new(&server.address().to_string());
    config.trust = Trust::Pinned(server.certificate_sha256());
    let mut right = Native::with(config.clone());
    config.trust = Trust::Pinned([7; 32]);
    let mut wrong = Native::with(config);

    wait_for("the right one joins", 10.0, || {
        right.frame();
        wrong.frame();
        right.is_joined() && matches!(wrong.client.status(), Status::Reconnecting { .. })
    });
    assert_eq!(wrong.joins, 0);
    server.stop();
}

#[test]
fn a_token_opens_the_door_once_at_a_time() {
    let (key_file, flag, key) = key_file("key");
    let server = serve(&["access=token", &flag]);
    let good = key.mint(&[7, 9], reckoning_server::unix_seconds() + 60).unwrap();
    let late = key.mint(&[7], reckoning_server::unix_seconds() - 1).unwrap();
    let forged = TokenKey::new(&[1; 32]).unwrap().mint(&[7], u64::MAX).unwrap();

    let mut holder = Native::with_token(server.address(), &good);
    wait_for("the holder is in", 10.0, || {
        holder.frame();
        holder.mine.is_some()
    });
    for (name, token) in [("copied", &good), ("late", &late), ("forged", &forged)] {
        let mut thief = Native::with_token(server.address(), token);
        wait_for(name, 10.0, || {
            holder.frame();
            thief.frame();
            !thief.refusals.is_empty()
        });
        assert_eq!((thief.refusals[0], thief.joins), (DisconnectReason::Token, 0), "{name}");
    }
    assert_eq!(server.metrics().rejects(RejectReason::Token), 3);
    wait_for("two bodies, as the token says", 5.0, || server.metrics().entities.get() == 2);

    holder.client.leave();
    let mut again = Native::with_token(server.address(), &good);
    wait_for("the owner comes back", 10.0, || {
        again.frame();
        again.is_joined() || again.client.status() != &Status::Connecting
    });
    assert!(again.is_joined(), "{:?} {:?}", again.client.status(), again.refusals);
    server.stop();
    std::fs::remove_file(key_file).unwrap();
}

/// The old connection is not closed, and would be believed in for half a minute.
#[test]
fn a_connection_that_fell_silent_gives_way_to_its_token() {
    let (key_file, flag, key) = key_file("silent");
    let server = serve(&["access=token", &flag, "replication.peer_timeout_s=30"]);
    let token = key.mint(&[7], reckoning_server::unix_seconds() + 60);
    let token = token.unwrap();
    let mut old = Native::with_token(server.address(), &token);
    wait_for("the owner is in", 10.0, || {
        old.frame();
        old.mine.is_some()
    });

    std::thread::sleep(std::time::Duration::from_millis(2_300));
    let mut new = Native::with_token(server.address(), &token);
    let took = wait_for("the owner is back", 5.0, || {
        new.frame();
        new.mine.is_some()
    });
    println!("back after {took:?}");
    assert_eq!((new.mine, new.refusals.len()), (old.mine, 0));
    assert_eq!(server.metrics().rejects(RejectReason::Token), 0);
    wait_for("one of them is in", 5.0, || {
        new.frame();
        server.metrics().peers.get() == 1
    });
    server.stop();
    std::fs::remove_file(key_file).unwrap();
}

#[test]
fn a_server_that_goes_says_so() {
    let server = serve(&["shutdown.farewell_s=0.3"]);
    let mut player = Native::new(server.address());
    wait_for("joined", 10.0, || {
        player.frame();
        player.is_joined()
    });
    let stopping = std::thread::spawn(move || server.stop());
    let took = wait_for("the client knows", 3.0, || {
        player.frame();
        player.losses == 1
    });
    stopping.join().unwrap();
    let Status::Reconnecting { reason } = player.client.status() else { panic!("not waiting") };
    assert!(reason.contains("Closing"), "{reason}");
    println!("known after {took:?}");
}

#[test]
fn a_full_server_takes_nobody_until_someone_leaves() {
    let server = serve(&["limits.peers=1"]);
    let mut first = Native::new(server.address());
    wait_for("the first is in", 10.0, || {
        first.frame();
        first.is_joined()
    });
    let mut second = Native::new(server.address());
    wait_for("the second is refused", 10.0, || {
        first.frame();
        second.frame();
        !second.refusals.is_empty()
    });
    assert_eq!((second.refusals[0], second.joins), (DisconnectReason::Full, 0));
    assert!(first.is_joined());

    first.client.leave();
    wait_for("the place is free", 10.0, || server.metrics().peers.get() == 0);
    let mut third = Native::new(server.address());
    wait_for("the third is in", 10.0, || {
        third.frame();
        third.is_joined() || !third.refusals.is_empty()
    });
    assert!(third.is_joined(), "{:?}", third.refusals);
    assert_eq!(server.metrics().rejects(RejectReason::Full), 1);
    server.stop();
}
