//! Processes that the system stops for a while (`SIGSTOP`) and lets go on: all is as before soon after.
//!
//! Stops of a minute are tried in virtual time (`reckoning-net`, `tests/endurance`); here the real
//! clocks, sockets and threads are, with time-outs so short that a stop of seconds outlasts them.

mod support;

use std::process::{Child, Command};
use std::thread::sleep;
use std::time::Duration;

use reckoning_client::{ClientConfig, EntityId};

use support::process::{Process, serve_as_child, signal};
use support::{Native, instant, wait_for};

/// Longer than every time-out below.
const STOP: Duration = Duration::from_millis(3_500);
/// How soon all is well again: two seconds, and what a busy machine makes of them.
const BACK_S: f64 = 4.0;
const FLAGS: [&str; 2] = ["replication.peer_timeout_s=1.0", "replication.grace_s=30.0"];
const SERVER: &str = "RECKONING_CLIENT_OF";

#[test]
#[ignore = "the server that the other tests start"]
fn server_process() {
    serve_as_child();
}

fn player(server: &str) -> Native {
    let mut config = ClientConfig::new(server);
    config.session.timeout = Duration::from_secs(1);
    Native::with(config)
}

#[test]
#[ignore = "the client that the other tests start"]
fn client_process() {
    let Ok(server) = std::env::var(SERVER) else { return };
    let mut player = player(&server);
    let begin = instant();
    while begin.elapsed() < Duration::from_mins(1) {
        player.frame();
        sleep(support::FRAME);
    }
}

/// A player in a process of its own.
struct Stranger(Child);

impl Stranger {
    fn new(server: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--ignored", "--exact", "client_process"]).env(SERVER, server);
        Self(child.spawn().unwrap())
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// How far a body that others move goes on our screen within a while.
fn goes_m(watcher: &mut Native, entity: EntityId) -> Option<f64> {
    let place = |it: &Native| Some(it.client.shown(entity, it.client.now())?.position);
    let before = place(watcher)?;
    for _ in 0..20 {
        watcher.frame();
        sleep(support::FRAME);
    }
    Some(place(watcher)?.distance(before))
}

#[test]
fn a_server_that_was_stopped_has_its_players_back() {
    let server = Process::start(&FLAGS);
    let mut players = [(); 2].map(|()| player(&server.address.to_string()));
    let all_well = |players: &mut [Native; 2]| {
        players.iter_mut().for_each(Native::frame);
        let [a, b] = &*players;
        let near = |error: Option<f64>| error.is_some_and(|error_m| error_m < 2.0);
        near(a.error_m(b)) && near(b.error_m(a))
    };
    wait_for("both see each other", 15.0, || all_well(&mut players));
    let own = players.each_ref().map(|it| it.mine);

    std::thread::scope(|scope| {
        let stop = scope.spawn(|| server.suspend(STOP));
        while !stop.is_finished() {
            players.iter_mut().for_each(Native::frame);
            sleep(support::FRAME);
        }
    });
    assert!(players.iter().all(|it| it.losses == 1), "the stop outlasted their patience");
    let back = wait_for("both are back", BACK_S, || all_well(&mut players));
    println!("back {back:.2?} after the server went on");
    assert_eq!(players.each_ref().map(|it| it.mine), own, "their bodies waited for them");

    // It goes on at its pace and does not make up for what it missed.
    let ticks = || server.metric("reckoning_tick_seconds_count");
    let (begin, before) = (instant(), ticks());
    sleep(Duration::from_secs(1));
    let hz = (ticks() - before) as f64 / begin.elapsed().as_secs_f64();
    assert!((20.0..90.0).contains(&hz), "{hz} steps a second");
}

#[test]
fn a_player_that_was_stopped_is_back() {
    let server = Process::start(&FLAGS);
    let stranger = Stranger::new(&server.address.to_string());
    let mut watcher = player(&server.address.to_string());
    let mut seen = None;
    wait_for("its body is seen", 15.0, || {
        watcher.frame();
        seen = watcher.client.ghosts().next().map(|(id, _)| id);
        seen.is_some()
    });
    let body = seen.unwrap();
    wait_for("it moves", 10.0, || goes_m(&mut watcher, body).is_some_and(|it| it > 0.5));

    signal(stranger.0.id(), "STOP");
    let begin = instant();
    while begin.elapsed() < STOP {
        watcher.frame();
        sleep(support::FRAME);
    }
    assert_eq!(server.metric("reckoning_peers"), 1, "the stop outlasted the server's patience");
    signal(stranger.0.id(), "CONT");
    let back = wait_for("it moves again", BACK_S, || {
        goes_m(&mut watcher, body).is_some_and(|it| it > 0.5)
    });
    println!("its body moved again {back:.2?} after it went on");
}
