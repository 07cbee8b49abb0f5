//! Simulated links and out-of-band datagrams over real sockets of this machine.

mod support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use reckoning::SimTime;
use reckoning_net::{Delivery, Host, HostEvent, PeerId};
use reckoning_netsim::LinkConfig;
use reckoning_server::{Game, Relay, Running, Server, ServerRequest};

use support::{Native, wait_for};

/// What a test and its game exchange.
#[derive(Default)]
struct Board {
    requests: Vec<ServerRequest>,
    peer: Option<PeerId>,
    came: Vec<Vec<u8>>,
    /// Send an out-of-band datagram each step, with the moment in it.
    stamps: Option<bool>,
}

/// A relay that does what stands on the board.
struct Echo {
    relay: Relay,
    board: Arc<Mutex<Board>>,
}

impl Game for Echo {
    fn event(&mut self, now: SimTime, event: &HostEvent, host: &mut Host) {
        let mut board = self.board.lock().unwrap();
        match event {
            HostEvent::Joined { peer, .. } => board.peer = Some(*peer),
            // Answered past the link, so that only the way up counts.
            HostEvent::Message { peer, .. } => {
                board.requests.push(ServerRequest::OutOfBand {
                    to: *peer,
                    bytes: vec![0; 9],
                    shaped: false,
                });
            }
            _ => {}
        }
        drop(board);
        self.relay.event(now, event, host);
    }

    fn tick(&mut self, now: SimTime, _: &mut Host) {
        let mut board = self.board.lock().unwrap();
        if let (Some(shaped), Some(to)) = (board.stamps, board.peer) {
            let bytes = [&[0; 8][..], &now.as_micros().to_le_bytes()].concat();
            board.requests.push(ServerRequest::OutOfBand { to, bytes, shaped });
        }
    }

    fn out_of_band(&mut self, _: SimTime, _: PeerId, bytes: &[u8]) {
        self.board.lock().unwrap().came.push(bytes.to_vec());
    }

    fn poll_request(&mut self) -> Option<ServerRequest> {
        self.board.lock().unwrap().requests.pop()
    }
}

fn start() -> (Running, Native, Arc<Mutex<Board>>) {
    let board = Arc::new(Mutex::new(Board::default()));
    let game = Echo { relay: Relay::default(), board: board.clone() };
    let server = Server::new(support::settings(&[])).start(game).unwrap();
    let mut native = Native::new(server.address());
    wait_for("joined", 10.0, || {
        native.frame();
        native.mine.is_some()
    });
    (server, native, board)
}

fn shape(board: &Mutex<Board>, delay_ms: u64) {
    let mut config = LinkConfig::default();
    config.delay = Duration::from_millis(delay_ms);
    let mut board = board.lock().unwrap();
    let peer = board.peer.unwrap();
    board.requests.push(ServerRequest::SimulateLink { peer, link: Some(config) });
}

#[test]
fn asides_go_both_ways_and_past_the_session() {
    let (server, mut native, board) = start();
    assert!(!native.client.send_out_of_band(b"no zeros"));
    assert!(native.client.send_out_of_band(&[0, 0, 0, 0, 0, 0, 0, 3, 9]));
    board.lock().unwrap().stamps = Some(false);

    let mut came = None;
    wait_for("an out-of-band datagram each way", 5.0, || {
        native.frame();
        came = came.take().or_else(|| native.client.poll_out_of_band());
        came.is_some() && !board.lock().unwrap().came.is_empty()
    });
    assert_eq!(board.lock().unwrap().came[0], [0, 0, 0, 0, 0, 0, 0, 3, 9]);
    assert_eq!(came.unwrap().1.len(), 16);
    assert_eq!(native.client.session().unwrap().stats().malformed, 0);
    assert_eq!(server.metrics().peers.get(), 1);
    // Nobody polls: the client keeps the newest few.
    for _ in 0..400 {
        native.frame();
        std::thread::sleep(support::FRAME);
    }
    let kept = std::iter::from_fn(|| native.client.poll_out_of_band()).count();
    assert!((100..=256).contains(&kept), "{kept}");
    server.stop();
}

#[test]
fn what_a_shaped_client_sends_is_late_as_well() {
    let (server, mut native, board) = start();
    let answer = |native: &mut Native| {
        native.client.send(b"ping", Delivery::Reliable).unwrap();
        wait_for("an answer", 5.0, || {
            native.frame();
            native.client.poll_out_of_band().is_some()
        })
    };
    let plain = answer(&mut native);
    shape(&board, 200);
    std::thread::sleep(Duration::from_millis(100));
    let shaped = answer(&mut native);
    println!("answered after {plain:?}, with 200 ms on the way up after {shaped:?}");
    // How much longer both take on a busy machine is its affair.
    let longer = shaped.saturating_sub(plain);
    assert!(shaped.as_millis() >= 190 && longer.as_millis() >= 100, "{plain:?}, {shaped:?}");
    server.stop();
}

#[test]
fn a_shaped_datagram_is_late_by_the_delay_and_not_by_a_step() {
    let (server, mut native, board) = start();
    shape(&board, 105); // no multiple of a step
    board.lock().unwrap().stamps = Some(true);
    // On one machine all clocks are the same but for their zero, which cancels out of this.
    let mut ways_us: Vec<i64> = Vec::new();
    let begin = support::instant();
    while begin.elapsed().as_secs_f64() < 2.5 {
        native.frame();
        while let Some((at, bytes)) = native.client.poll_out_of_band() {
            let sent = i64::from_le_bytes(bytes[8..].try_into().unwrap());
            ways_us.push(at.as_micros() - sent);
        }
        if begin.elapsed().as_secs_f64() > 1.5 {
            board.lock().unwrap().stamps = Some(false); // past the link from now on
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let plain = *ways_us.iter().min().unwrap();
    let mut shaped: Vec<i64> = ways_us.iter().copied().filter(|us| us - plain > 60_000).collect();
    shaped.sort_unstable();
    let late_ms = (shaped[shaped.len() / 2] - plain) as f64 / 1e3;
    println!("{} shaped, median {late_ms:.2} ms later than the rest", shaped.len());
    assert!(shaped.len() > 40, "{}", shaped.len());
    assert!((104.0..112.0).contains(&late_ms), "{late_ms} ms");
    server.stop();
}
