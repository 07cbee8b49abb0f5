//! A bad road between a client and a server: UDP through user space, held back on the way.
//!
//! ```text
//! client  <---->  front socket  [ queue by due time ]  back socket  <---->  server
//! ```
//!
//! It needs no privileges, so it works wherever tests run; QUIC passes through unchanged. How
//! late the queue really was is counted, because a busy machine adds to every delay.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reckoning::random::SplitMix64;
use tokio::net::UdpSocket;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

/// The longest datagram of QUIC on loopback.
const LONGEST_BYTES: usize = 65_536;

/// What one direction does to a datagram.
#[derive(Clone, Copy, Debug)]
pub struct Direction {
    pub delay: Duration,
    /// Each datagram's delay lies evenly within this of `delay`.
    pub jitter: Duration,
    /// The share that never arrives.
    pub loss: f64,
}

impl Direction {
    pub const fn new(delay_ms: u64) -> Self {
        Self { delay: Duration::from_millis(delay_ms), jitter: Duration::ZERO, loss: 0.0 }
    }

    /// How long the next datagram takes; `None` when it is lost.
    fn travel(&self, random: &mut SplitMix64) -> Option<Duration> {
        let (fate, off) = (random.unit(), random.between(-1.0, 1.0));
        let travel_s = self.delay.as_secs_f64() + off * self.jitter.as_secs_f64();
        (fate >= self.loss).then(|| Duration::from_secs_f64(travel_s.max(0.0)))
    }
}

/// Datagrams carried, and by how much they were late.
#[derive(Debug, Default)]
pub struct Lateness {
    carried: AtomicU64,
    late_us: AtomicU64,
}

impl Lateness {
    fn note(&self, late: Duration) {
        self.carried.fetch_add(1, Ordering::Relaxed);
        self.late_us.fetch_add(late.as_micros() as u64, Ordering::Relaxed);
    }

    /// How late the road was on average, beyond what was asked of it.
    pub fn mean_ms(&self) -> f64 {
        let carried = self.carried.load(Ordering::Relaxed).max(1);
        self.late_us.load(Ordering::Relaxed) as f64 / carried as f64 / 1e3
    }
}

/// All roads of a measurement, on one thread.
pub struct Roads {
    handle: Handle,
    pub lateness: Arc<Lateness>,
    _stop: oneshot::Sender<()>,
}

impl Roads {
    pub fn start() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        std::thread::spawn(move || runtime.block_on(stopped));
        Self { handle, lateness: Arc::default(), _stop: stop }
    }

    /// A road to `server` for one client; returns where the client must connect to.
    pub fn build(
        &self,
        server: SocketAddr,
        up: Direction,
        down: Direction,
        seed: u64,
    ) -> SocketAddr {
        let bind = || {
            let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
            socket.set_nonblocking(true).unwrap();
            socket
        };
        let (front, back) = (bind(), bind());
        back.connect(server).unwrap();
        let address = front.local_addr().unwrap();
        let lateness = self.lateness.clone();
        self.handle.spawn(async move {
            let (front, back) =
                (UdpSocket::from_std(front).unwrap(), UdpSocket::from_std(back).unwrap());
            let random = [SplitMix64::new(seed).fork(1), SplitMix64::new(seed).fork(2)];
            let road = Road { front, back, ways: [up, down], random, queue: BTreeMap::new() };
            road.carry(&lateness).await;
        });
        address
    }
}

const UP: usize = 0;
const DOWN: usize = 1;

struct Road {
    front: UdpSocket,
    back: UdpSocket,
    ways: [Direction; 2],
    random: [SplitMix64; 2],
    /// By due time and order of arrival.
    queue: BTreeMap<(Instant, u64), (usize, Vec<u8>)>,
}

impl Road {
    async fn carry(mut self, lateness: &Lateness) {
        let (mut client, mut order) = (None, 0);
        let (mut upward, mut downward) = (vec![0; LONGEST_BYTES], vec![0; LONGEST_BYTES]);
        loop {
            let due = self.queue.first_key_value().map(|((due, _), _)| *due);
            let far = Instant::now() + Duration::from_secs(1_000);
            let came = tokio::select! {
                biased;
                () = sleep_until(due.unwrap_or(far)) => None,
                Ok((length, from)) = self.front.recv_from(&mut upward) => {
                    client = Some(from);
                    Some((UP, upward[..length].to_vec()))
                }
                Ok(length) = self.back.recv(&mut downward) => {
                    Some((DOWN, downward[..length].to_vec()))
                }
                else => return,
            };
            if let Some((leg, bytes)) = came
                && let Some(travel) = self.ways[leg].travel(&mut self.random[leg])
            {
                order += 1;
                self.queue.insert((Instant::now() + travel, order), (leg, bytes));
            }
            self.let_go(client, lateness).await;
        }
    }

    async fn let_go(&mut self, client: Option<SocketAddr>, lateness: &Lateness) {
        let now = Instant::now();
        while let Some(first) = self.queue.first_entry().filter(|it| it.key().0 <= now) {
            let ((due, _), (leg, bytes)) = first.remove_entry();
            lateness.note(now - due);
            // An end that is gone loses its datagrams.
            let _ = match (leg, client) {
                (UP, _) => self.back.send(&bytes).await,
                (_, Some(client)) => self.front.send_to(&bytes, client).await,
                _ => Ok(0),
            };
        }
    }
}
