//! Servers whose threads panic or hang: the health check fails and the process ends with an error.

mod support;

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use reckoning::SimTime;
use reckoning_server::axum::Router;
use reckoning_server::axum::routing::get as route;
use reckoning_server::{Game, HealthState, Host, HostEvent, Relay, Server, ThreadFailure, Worker};

use support::{get, instant, settings, wait_for};

const FAULT: &str = "RECKONING_FAULT";

/// Plays well for a second, then does what the test wants.
struct Faulty {
    fault: String,
    until: SimTime,
}

impl Game for Faulty {
    fn event(&mut self, _: SimTime, _: &HostEvent, _: &mut Host) {}

    fn tick(&mut self, now: SimTime, _: &mut Host) {
        if now < self.until {
            return;
        }
        match self.fault.as_str() {
            "panic" => panic!("the dice are gone"),
            "hang" => std::thread::sleep(Duration::from_hours(1)),
            _ => {}
        }
    }
}

fn faulty(fault: &str) -> Faulty {
    Faulty { fault: fault.to_string(), until: SimTime::from_millis(500) }
}

/// Whoever looks asks this page to hold the network thread.
fn page_that_hangs() -> Router {
    let hang = || async { std::thread::sleep(Duration::from_hours(1)) };
    Router::new().route("/hang", route(hang))
}

#[test]
#[ignore = "the server that the other tests start"]
fn server_process() {
    let Ok(fault) = std::env::var(FAULT) else { return };
    let mut server = Server::new(settings(&["watchdog.hang_s=2"]));
    server.set_page(page_that_hangs());
    let running = server.start(faulty(&fault)).unwrap();
    println!("\nlistening {} {}", running.address(), running.operator_address().unwrap());
    if let Err(error) = running.run() {
        eprintln!("ended: {error}");
        std::process::exit(3);
    }
}

/// A server in a process of its own.
struct Process {
    child: Child,
    address: SocketAddr,
    /// Of `/health`.
    operator: SocketAddr,
}

impl Process {
    fn start(fault: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "server_process", "--nocapture"])
            .env(FAULT, fault)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let said = lines.map_while(Result::ok).find(|line| line.starts_with("listening "));
        let said = said.expect("the server says where it listens");
        let mut addresses = said.split(' ').skip(1).map(|it| it.parse().unwrap());
        let mut next = || addresses.next().unwrap();
        Self { child, address: next(), operator: next() }
    }

    fn wait_for_failing_health(&self) {
        wait_for("the health check fails", 10.0, || {
            std::thread::sleep(Duration::from_millis(100));
            get(self.operator, "/health").starts_with("HTTP/1.1 503")
        });
    }

    /// The exit code and the last words.
    fn end(mut self) -> (Option<i32>, String) {
        wait_for("the process ends", 30.0, || self.child.try_wait().unwrap().is_some());
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_game_that_panics_ends_the_process_with_a_message() {
    let (code, said) = Process::start("panic").end();
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("the tick thread panicked: the dice are gone"), "{said}");
}

#[test]
fn a_game_that_hangs_fails_the_health_check_and_ends_the_process() {
    let server = Process::start("hang");
    server.wait_for_failing_health();
    let (code, said) = server.end();
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("the tick thread hangs"), "{said}");
}

#[test]
fn a_page_that_holds_the_network_thread_ends_the_process() {
    let server = Process::start("none");
    let address = server.address;
    assert!(get(server.operator, "/health").ends_with("ok\n"));
    let (asked, asking) = channel();
    let stuck = std::thread::spawn(move || {
        let stream = std::net::TcpStream::connect(address).unwrap();
        std::io::Write::write_all(&mut &stream, b"GET /hang HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
        asked.send(()).unwrap();
        // Until the process ends.
        let _ = (&stream).read(&mut [0]);
    });
    asking.recv().unwrap();
    server.wait_for_failing_health();
    let (code, said) = server.end();
    stuck.join().unwrap();
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("the network thread hangs"), "{said}");
}

#[test]
fn within_two_seconds_of_a_panic_or_a_hang_the_health_check_fails() {
    for fault in ["panic", "hang"] {
        let server = Server::new(settings(&[])).start(faulty(fault)).unwrap();
        assert_eq!(server.health(), HealthState::Ok);
        let begin = instant();
        wait_for("the health check fails", 10.0, || !server.health().is_serving());
        // The fault comes half a second after the start.
        let took_s = begin.elapsed().as_secs_f64() - 0.5;
        println!("{fault}: the health check failed after {took_s:.2} s");
        assert!(took_s < 2.0, "{fault}: {took_s:.2} s");
        let said = get(server.operator_address().unwrap(), "/health");
        assert!(said.starts_with("HTTP/1.1 503"), "{said}");
        assert!(said.contains("failed: the tick thread"), "{said}");
        let HealthState::Failed(failure) = server.health() else { panic!("{}", server.health()) };
        let (ThreadFailure::Panicked { thread, .. } | ThreadFailure::Hung { thread, .. }) = failure
        else {
            panic!("something else")
        };
        assert_eq!(thread, Worker::Tick);
        // A hung thread would be waited for.
        std::mem::forget(server);
    }
}

#[test]
fn a_server_that_drains_says_so_while_those_who_play_go_on() {
    let server = Server::new(settings(&[])).start(Relay::default()).unwrap();
    let mut player = support::Native::new(server.address());
    wait_for("joined", 10.0, || {
        player.frame();
        player.is_joined()
    });
    server.drain();
    let said = get(server.operator_address().unwrap(), "/health");
    assert!(said.starts_with("HTTP/1.1 503") && said.ends_with("draining\n"), "{said}");
    let mut late = support::Native::new(server.address());
    let begin = instant();
    while begin.elapsed() < Duration::from_secs(1) {
        player.frame();
        late.frame();
        std::thread::sleep(support::FRAME);
    }
    assert!(player.is_joined() && player.losses == 0);
    assert_eq!(late.joins, 0, "nobody new is let in");
    server.try_stop().unwrap();
}
