//! The short form of the siege: a few attacks of the example `siege`, one in a network namespace.
//!
//! The figures are in `testdata/siege.txt`; here it counts that honest players do not notice, and that
//! page, health and door stay open.

#[path = "../examples/siege/attack.rs"]
mod attack;
mod support;

use std::fs;
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use reckoning_server::unix_seconds;

use support::process::{Process, serve_as_child};
use support::{Native, get, key_file, wait_for};

const ATTACK: &str = "RECKONING_ATTACK";
const NAMESPACE: &str = "RECKONING_SIEGE_NAMESPACE";
const PLAYERS: usize = 3;
const WINDOW: Duration = Duration::from_secs(2);

fn instant() -> Instant {
    support::instant()
}

#[test]
#[ignore = "the server that the other tests start"]
fn server_process() {
    serve_as_child();
}

#[test]
#[ignore = "the attack that the other tests start"]
fn attack_process() {
    let Ok(words) = std::env::var(ATTACK) else { return };
    let (name, server) = words.split_once(' ').unwrap();
    attack::run(name, &server.parse().unwrap(), 20.0);
}

struct Attack(Child);

impl Attack {
    fn start(name: &str, server: SocketAddr) -> Self {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "attack_process"])
            .env(ATTACK, format!("{name} {server}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }
}

impl Drop for Attack {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn mean_error_m(players: &mut [Native]) -> f64 {
    let (begin, mut sum_m, mut samples) = (instant(), 0.0, 0.0);
    while begin.elapsed() < WINDOW {
        players.iter_mut().for_each(Native::frame);
        for watcher in players.iter() {
            for other in players.iter().filter(|other| other.mine != watcher.mine) {
                sum_m += watcher.error_m(other).expect("everyone stays in sight");
                samples += 1.0;
            }
        }
        std::thread::sleep(support::FRAME);
    }
    sum_m / samples
}

fn median(mut values: [f64; 3]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[1]
}

/// Two sieges at once would be judged by each other's load.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Besieges a server; how much larger errors were, by the medians of three windows each.
fn besiege(name: &str, host: &str) -> f64 {
    let _alone = ONE_AT_A_TIME.lock();
    let (secret, key_file, key) = key_file(&format!("siege-{name}"));
    let listen = format!("listen={host}:0");
    let server = Process::start(&["access=token", &key_file, &listen]);
    let join = || Native::with_token(server.address, &key.mint(&[], unix_seconds() + 600).unwrap());
    let mut players: Vec<Native> = (0..PLAYERS).map(|_| join()).collect();
    wait_for("all see all", 20.0, || {
        players.iter_mut().for_each(Native::frame);
        let sees = |it: &Native| players.iter().filter(|o| it.error_m(o).is_some()).count();
        players.iter().all(|it| sees(it) == PLAYERS - 1)
    });
    mean_error_m(&mut players);

    let quiet_m = [(); 3].map(|()| mean_error_m(&mut players));
    let attack = Attack::start(name, server.address);
    mean_error_m(&mut players);
    let besieged_m = [(); 3].map(|()| mean_error_m(&mut players));
    let mut newcomer = join();
    let took = wait_for("a holder of a token joins", 5.0, || {
        players.iter_mut().for_each(Native::frame);
        newcomer.frame();
        newcomer.mine.is_some()
    });
    assert!(get(server.address, "/reckoning.json").starts_with("HTTP/1.1 200"), "the page");
    assert!(get(server.operator, "/health").starts_with("HTTP/1.1 200"), "health");
    drop(attack);
    assert!(players.iter().all(|it| it.joins == 1 && it.losses == 0), "nobody was thrown out");
    println!("{name}: quiet {quiet_m:.3?} m, besieged {besieged_m:.3?} m, joined after {took:.2?}");
    fs::remove_file(secret).unwrap();
    median(besieged_m) / median(quiet_m)
}

/// A machine that compiles something meanwhile wavers by more than an attack does.
fn assert_unnoticed(name: &str, host: &str) {
    let ratio = (0..3).map(|_| besiege(name, host)).find(|ratio| *ratio <= 1.1);
    assert!(ratio.is_some(), "{name}: three times more than 10 % worse");
}

#[test]
fn handshakes_that_never_end_from_a_hundred_addresses_go_unnoticed() {
    assert_unnoticed("handshakes-100", "127.0.0.1");
}

#[test]
fn requests_that_never_end_from_a_hundred_addresses_go_unnoticed() {
    assert_unnoticed("slow-requests-100", "127.0.0.1");
}

/// In a namespace of this test's own, whose loopback has the whole /48.
#[test]
fn a_network_of_48_bits_goes_unnoticed() {
    if std::env::var_os(NAMESPACE).is_some() {
        return assert_unnoticed("ipv6-48", "[::1]");
    }
    let this = std::env::current_exe().unwrap();
    let setup = "ip link set lo up && ip -6 route add local 2001:db8:1::/48 dev lo && \
                 echo 1 > /proc/sys/net/ipv6/ip_nonlocal_bind || exit 77; exec \"$0\" \"$@\"";
    let inner = Command::new("unshare")
        .args(["-rn", "--", "sh", "-c", setup])
        .arg(this)
        .args(["--exact", "a_network_of_48_bits_goes_unnoticed", "--nocapture"])
        .env(NAMESPACE, "1")
        .output();
    // 77 is ours; 1 without a word of a test is unshare's.
    let ran = |it: &std::process::Output| String::from_utf8_lossy(&it.stdout).contains("running 1");
    let Some(output) = inner.ok().filter(ran) else {
        let reason = "no network namespace can be made here (unshare -rn, ip)";
        return reckoning_testing::skip("a_network_of_48_bits_goes_unnoticed", reason);
    };
    print!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
