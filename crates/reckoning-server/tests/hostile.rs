//! Hostile clients over real sockets, while honest ones play.

mod support;

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reckoning_net::Format;
use reckoning_server::{host_config, unix_seconds};

use support::hostile::{Attacker, certificate, garbage_packets, slow_requests};
use support::process::{Process, folder, serve_as_child};
use support::{Native, instant, key_file, settings, wait_for};

const PLAYERS: usize = 4;
const FLOOD_DATAGRAMS: usize = 440_000;
const FLOOD_PER_S: f64 = 125_000.0;
const FLOODERS: u64 = 4;

#[test]
#[ignore = "the server that the other tests start"]
fn server_process() {
    serve_as_child();
}

/// Plays for a while; the mean error of everybody on everybody's screen.
fn mean_error_m(players: &mut [Native], seconds: f64) -> f64 {
    let begin = instant();
    mean_error_while(players, || begin.elapsed().as_secs_f64() < seconds)
}

fn mean_error_while(players: &mut [Native], mut goes_on: impl FnMut() -> bool) -> f64 {
    let (mut sum_m, mut samples) = (0.0, 0);
    while goes_on() {
        players.iter_mut().for_each(Native::frame);
        for watcher in players.iter() {
            for other in players.iter().filter(|other| other.mine != watcher.mine) {
                sum_m += watcher.error_m(other).expect("everyone stays in sight");
                samples += 1;
            }
        }
        std::thread::sleep(support::FRAME);
    }
    sum_m / f64::from(samples)
}

fn all_in_sight(players: &mut [Native]) -> bool {
    players.iter_mut().for_each(Native::frame);
    let sees = |it: &Native| players.iter().filter(|other| it.error_m(other).is_some()).count();
    players.iter().all(|it| sees(it) == PLAYERS - 1)
}

/// Floods from a thread and a socket of its own, with a token or without. Returns how many
/// connections it took.
fn flooder(
    server: SocketAddr,
    folder: &Path,
    seed: u64,
    token: Option<Vec<u8>>,
) -> std::thread::JoinHandle<usize> {
    let folder = folder.to_path_buf();
    std::thread::spawn(move || {
        if token.is_none() {
            // It is cut off soon, and then nobody gets in from its address.
            std::thread::sleep(Duration::from_millis(500));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (count, per_s) =
                (FLOOD_DATAGRAMS / FLOODERS as usize, FLOOD_PER_S / FLOODERS as f64);
            Attacker::new(server, &folder).flood(count, per_s, seed, token.as_deref()).await
        })
    })
}

/// Everything at once, from one address; one of its floods is without a token.
fn attack(server: SocketAddr, folder: &Path, stolen: &[u8], own: &[Vec<u8>]) -> (usize, Duration) {
    let begin = instant();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let format: Format = host_config(&settings(&[])).format;
    runtime.block_on(async {
        let attacker = Attacker::new(server, folder);
        let slow = slow_requests(server, 40).await;
        let loiterers = attacker.loiter(10).await;
        garbage_packets(server, 5_000);
        let replay = attacker.spoof(stolen, &format, PLAYERS as u32, 10);
        let spoof = attacker.spoof(&own[0], &format, PLAYERS as u32 + 1, 30);
        let token = |seed: u64| own.get(seed as usize + 1).cloned();
        let flood = |seed| flooder(server, folder, seed, token(seed));
        let floods: Vec<_> = (0..FLOODERS).map(flood).collect();
        let (_, joined) = tokio::join!(replay, spoof);
        assert!(joined, "the spoofer got through the handshake");
        while !floods.iter().all(std::thread::JoinHandle::is_finished) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let floods = floods.into_iter().map(|it| it.join().unwrap());
        let connections = floods.sum();
        tokio::time::sleep(Duration::from_millis(500)).await;
        drop((slow, loiterers));
        (connections, begin.elapsed())
    })
}

/// Whoever moves its own body far into the future is not believed, and in the end put out; the
/// others see nothing of it.
#[test]
fn stamps_from_the_future_are_not_believed_with_the_guard_on() {
    assert_unnoticed(lies);
}

/// Lets a liar in among four players; how much larger their errors were meanwhile.
fn lies() -> f64 {
    let folder = folder("future");
    let [chain, private] = certificate(&folder);
    let server = Process::start(&["guard.top_speed_mps=30", &chain, &private]);
    let mut players: Vec<Native> = (0..PLAYERS).map(|_| Native::new(server.address)).collect();
    wait_for("all see all", 20.0, || all_in_sight(&mut players));
    mean_error_m(&mut players, 1.0);
    let quiet_m = mean_error_m(&mut players, 3.0);

    let (address, path) = (server.address, folder.clone());
    let liar = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let format: Format = host_config(&settings(&[])).format;
        let bodies = PLAYERS as u32 + 1;
        runtime.block_on(async {
            Attacker::new(address, &path).spoof(b"liar", &format, bodies, 100).await
        })
    });
    let attacked_m = mean_error_while(&mut players, || !liar.is_finished());
    assert!(liar.join().unwrap(), "the liar got through the handshake");
    let count =
        |verdict: &str| server.metric(&format!("reckoning_guard_total{{verdict=\"{verdict}\"}}"));
    let [reject, correct, out] = ["reject", "correct", "disconnect"].map(count);
    println!("mean error: quiet {quiet_m:.4} m, attacked {attacked_m:.4} m");
    println!("updates rejected {reject}, put right {correct}, put out {out}");
    assert!(reject + correct >= 1 && out == 1, "the liar was noticed and put out");
    assert!(players.iter().all(|it| it.joins == 1 && it.losses == 0), "nobody else was");
    fs::remove_dir_all(folder).unwrap();
    attacked_m / quiet_m
}

#[test]
#[ignore = "what this machine can send to a socket that nobody reads, to judge a flood by"]
fn datagrams_to_nobody() {
    let nobody = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = nobody.local_addr().unwrap();
    let sender = move || {
        let socket = std::net::UdpSocket::bind("127.0.0.2:0").unwrap();
        let (begin, mut sent) = (instant(), 0_u32);
        while begin.elapsed() < Duration::from_secs(3) {
            sent += u32::from(socket.send_to(&[7; 450], address).is_ok());
        }
        f64::from(sent) / begin.elapsed().as_secs_f64()
    };
    let senders: Vec<_> = (0..FLOODERS).map(|_| std::thread::spawn(sender)).collect();
    let rate: f64 = senders.into_iter().map(|it| it.join().unwrap()).sum();
    println!("{rate:.0} datagrams of 450 bytes a second to nobody, from {FLOODERS} threads");
}

#[test]
fn honest_players_do_not_notice_hostile_ones() {
    assert_unnoticed(siege);
}

/// Two attacks at once would be judged by each other's load.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// An attack is over in some seconds, in which the mean error of four players wavers by some per
/// cent anyway: the median of three counts.
fn assert_unnoticed(attack: fn() -> f64) {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let mut ratios = [(); 3].map(|()| attack());
    ratios.sort_by(f64::total_cmp);
    println!("attacked to quiet: {ratios:.3?}");
    assert!(ratios[1] <= 1.1, "{:.1} % worse", 100.0 * (ratios[1] - 1.0));
}

/// Attacks a server while four play; how much larger their errors were meanwhile.
fn siege() -> f64 {
    let folder = folder("hostile");
    let (secret, key_file, key) = key_file("hostile-key");
    let [chain, private] = certificate(&folder);
    let mut server = Process::start(&["access=token", &key_file, &chain, &private]);
    let mint = || key.mint(&[], unix_seconds() + 600).unwrap();
    let tokens: Vec<Vec<u8>> = (0..PLAYERS).map(|_| mint()).collect();
    let own: Vec<Vec<u8>> = (0..FLOODERS).map(|_| mint()).collect();
    let join = |token: &Vec<u8>| Native::with_token(server.address, token);
    let mut players: Vec<Native> = tokens.iter().map(join).collect();
    wait_for("all see all", 20.0, || all_in_sight(&mut players));
    mean_error_m(&mut players, 1.0);

    let before_m = mean_error_m(&mut players, 4.0);
    let memory_before = server.memory();
    let (address, path, stolen) = (server.address, folder.clone(), tokens[0].clone());
    let attack = std::thread::spawn(move || attack(address, &path, &stolen, &own));
    let begin = instant();
    let attacked_m = mean_error_while(&mut players, || {
        assert!(begin.elapsed() < Duration::from_mins(1), "the attack does not end");
        !attack.is_finished()
    });
    let (connections, took) = attack.join().unwrap();
    let after_m = mean_error_m(&mut players, 4.0);
    let quiet_m = f64::midpoint(before_m, after_m);
    println!("mean error: quiet {before_m:.4} and {after_m:.4} m, attacked {attacked_m:.4} m");
    let flood_s = took.as_secs_f64();
    println!("the attack took {took:.2?}: {:.0} datagrams/s", FLOOD_DATAGRAMS as f64 / flood_s);

    assert!(server.is_alive());
    assert!(players.iter().all(|it| it.joins == 1 && it.losses == 0), "nobody was thrown out");
    assert_each_attack_was_felt(&server, connections);
    assert_memory_stays(memory_before, server.memory());
    fs::remove_file(secret).unwrap();
    fs::remove_dir_all(folder).unwrap();
    attacked_m / quiet_m
}

/// The server's counters name every kind of attack.
fn assert_each_attack_was_felt(server: &Process, connections: usize) {
    let count = |name: &str| server.metric(name);
    let token = count("reckoning_refused_total{cause=\"token\"}");
    let spoofed = count("reckoning_host_drops_total{cause=\"not_owner\"}");
    let slow = count("reckoning_refused_total{cause=\"join_timeout\"}");
    let rate = count("reckoning_drops_total{cause=\"peer_rate\"}");
    let came = count("reckoning_datagrams_in_total");
    let floods = count("reckoning_refused_total{cause=\"flood\"}");
    println!(
        "{came} datagrams in, refused tokens {token}, spoofed updates {spoofed}, loiterers {slow}, over the rate \
         {rate}, floods cut off {floods} of {connections} connections"
    );
    assert!(
        token >= 1 && spoofed >= 1 && slow >= 1 && rate >= 1_000 && floods >= 2,
        "each attack was felt"
    );
}

/// The attack left no more than 16 MiB behind, where the system says how much there is.
fn assert_memory_stays(before: Option<u64>, after: Option<u64>) {
    if let (Some(before), Some(after)) = (before, after) {
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        println!("memory {:.1} MiB before, {:.1} MiB after", mib(before), mib(after));
        assert!(after < before + (16 << 20), "memory grew");
    }
}
