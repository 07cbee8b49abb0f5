//! A server in a process of its own, four players who run in circles, and what is measured meanwhile.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Duration;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_client::{Client, ClientConfig, EntityId, SessionEvent, Status};

use crate::{instant, proxy};

/// Set in a process that has a network namespace of its own.
pub const NAMESPACE: &str = "RECKONING_SIEGE_NAMESPACE";

const PLAYERS: usize = 4;
const FRAME: Duration = Duration::from_millis(8);
/// Whoever waits for longer has given up.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether this process has a network namespace of its own.
pub fn is_in_namespace() -> bool {
    std::env::var_os(NAMESPACE).is_some()
}

/// What honest people had.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    pub quiet_m: f64,
    pub error_m: f64,
    /// Seconds until newcomers with a token were in; those who never were have none.
    pub joins_s: Vec<Option<f64>>,
    /// Seconds until the page, and health, answered.
    pub pages_s: Vec<Option<f64>>,
    pub health_s: Vec<Option<f64>>,
    pub memory_mib: f64,
}

/// The server and its players.
pub struct Field {
    server: Child,
    address: SocketAddr,
    /// Where pages are asked for, which may be a proxy.
    page: SocketAddr,
    health: SocketAddr,
    folder: PathBuf,
    reckon: PathBuf,
    players: Vec<Player>,
}

impl Field {
    pub fn new(reckon: &Path, name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("siege-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the key");
        let key = folder.join("key.hex");
        let new_key = output(Command::new(reckon).args(["token", "--new-key"]));
        std::fs::write(&key, new_key).expect("the key is written");
        owner_only(&key);
        let config = output(Command::new(reckon).args(["serve", "--print-config"]));
        let host = if is_in_namespace() { open_namespace() } else { "127.0.0.1" };
        let mut command = Command::new(reckon);
        command.args([
            "serve",
            "--listen",
            &format!("{host}:0"),
            "--set",
            "log=error",
            "--token-key",
        ]);
        command.arg(&key);
        if name == "proxy" && config.contains("[proxies]") {
            command.args(["--set", &format!("proxies.trusted=['{}']", proxy::ADDRESS)]);
        }
        let mut server = command.stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut lines = BufReader::new(server.stdout.take().expect("piped")).lines();
        let mut address = |before: &str| {
            let line = lines.next().expect("a line").expect("text");
            let text = line.strip_prefix(before).expect("where it listens").trim_end_matches('/');
            text.parse::<SocketAddr>().expect("an address")
        };
        let listens = address("listening on ");
        let apart = config.contains("operator_listen");
        let health = if apart { address("health and metrics on http://") } else { listens };
        // Read on, or a full pipe would stop the server.
        std::thread::spawn(move || lines.for_each(drop));
        let page = if name == "proxy" { proxy::start(listens) } else { listens };
        let reckon = reckon.to_path_buf();
        let players = Vec::new();
        let mut field = Self { server, address: listens, page, health, folder, reckon, players };
        field.gather();
        field
    }

    /// Lets the players in; returns once all see all.
    fn gather(&mut self) {
        self.players = (0..PLAYERS).map(|_| Player::new(self.address, &self.token())).collect();
        let begin = instant();
        while !self.players.iter().all(|it| it.sees(&self.players)) {
            assert!(begin.elapsed() < Duration::from_secs(20), "the players do not see each other");
            self.players.iter_mut().for_each(Player::frame);
            sleep(FRAME);
        }
        self.play(Duration::from_secs(1));
    }

    fn token(&self) -> Vec<u8> {
        let key = self.folder.join("key.hex");
        let mut command = Command::new(&self.reckon);
        let hex = output(command.args(["token", "--minutes", "60", "--key"]).arg(key));
        let digits = |at: usize| u8::from_str_radix(&hex.trim()[at..at + 2], 16).expect("digits");
        (0..hex.trim().len()).step_by(2).map(digits).collect()
    }

    /// Starts an attack, a process of its own.
    pub fn attack(&self, name: &str, seconds: f64) -> Child {
        let target = if name == "proxy" { self.page } else { self.address };
        Command::new(std::env::current_exe().expect("this program"))
            .args(["attack", name, &target.to_string(), &seconds.to_string()])
            .stderr(Stdio::null())
            .spawn()
            .expect("the attack starts")
    }

    /// Plays for a while, and measures.
    pub fn play(&mut self, span: Duration) -> Measured {
        let begin = instant();
        let probes = Probes::start(self);
        let (mut sum_m, mut samples) = (0.0, 0.0);
        let mut measured = Measured::default();
        while begin.elapsed() < span {
            self.players.iter_mut().for_each(Player::frame);
            for watcher in &self.players {
                for other in self.players.iter().filter(|other| other.mine != watcher.mine) {
                    // Who is out of sight is as wrong as can be: on the other side of the circle.
                    sum_m += watcher.error_m(other).unwrap_or(20.0);
                    samples += 1.0;
                }
            }
            measured.memory_mib = measured.memory_mib.max(self.memory_mib());
            sleep(FRAME);
        }
        measured.error_m = sum_m / samples;
        probes.over.store(true, Ordering::Relaxed);
        // Whoever stopped playing while the last newcomer waits would be put out.
        while !probes.threads.iter().all(std::thread::JoinHandle::is_finished) {
            self.players.iter_mut().for_each(Player::frame);
            sleep(FRAME);
        }
        probes.finish(&mut measured);
        measured
    }

    fn memory_mib(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.id()));
        let kib = status.ok().and_then(|text| {
            let line =
                text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.trim().to_string();
            line.strip_suffix(" kB")?.trim().parse::<f64>().ok()
        });
        kib.unwrap_or(0.0) / 1024.0
    }
}

impl Drop for Field {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Threads that ask for the page and for health, and let newcomers join.
struct Probes {
    over: Arc<AtomicBool>,
    threads: [std::thread::JoinHandle<Vec<Option<f64>>>; 3],
}

impl Probes {
    fn start(field: &Field) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let (page, health, address) = (field.page, field.health, field.address);
        let tokens = Mutex::new((0..3).map(|_| field.token()).collect::<Vec<_>>());
        let repeat = |what: Box<dyn Fn() -> Option<f64> + Send>, every: Duration| {
            let over = over.clone();
            std::thread::spawn(move || {
                let mut took_s = Vec::new();
                while !over.load(Ordering::Relaxed) {
                    took_s.push(what());
                    sleep(every);
                }
                took_s
            })
        };
        let often = Duration::from_millis(300);
        let threads = [
            repeat(Box::new(move || seconds_to_get(page, "/reckoning.json")), often),
            repeat(Box::new(move || seconds_to_get(health, "/health")), often),
            repeat(
                Box::new(move || {
                    let mut tokens = tokens.lock().ok()?;
                    tokens.rotate_left(1);
                    seconds_to_join(address, &tokens[0])
                }),
                Duration::from_secs(1),
            ),
        ];
        Self { over, threads }
    }

    fn finish(self, measured: &mut Measured) {
        let [pages_s, health_s, joins_s] = self.threads.map(|it| it.join().expect("it measures"));
        (measured.pages_s, measured.health_s, measured.joins_s) = (pages_s, health_s, joins_s);
    }
}

/// How long a page took; `None` when it did not come.
fn seconds_to_get(server: SocketAddr, path: &str) -> Option<f64> {
    let begin = instant();
    let mut stream = TcpStream::connect_timeout(&server, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {server}\r\nconnection: close\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer.starts_with("HTTP/1.1 200").then(|| begin.elapsed().as_secs_f64())
}

/// How long a newcomer needed to join; `None` when it did not.
fn seconds_to_join(server: SocketAddr, token: &[u8]) -> Option<f64> {
    let begin = instant();
    let mut player = Player::new(server, token);
    while player.mine.is_none() {
        if begin.elapsed() > PATIENCE {
            return None;
        }
        player.frame();
        sleep(Duration::from_millis(2));
    }
    let took_s = begin.elapsed().as_secs_f64();
    player.client.leave();
    Some(took_s)
}

/// A player over QUIC.
struct Player {
    client: Client,
    mine: Option<EntityId>,
}

impl Player {
    fn new(server: SocketAddr, token: &[u8]) -> Self {
        let mut config = ClientConfig::new(&server.to_string());
        config.session.token = token.to_vec();
        Self { client: Client::connect(config).expect("a client"), mine: None }
    }

    fn frame(&mut self) {
        let now = self.client.drive();
        while let Some(event) = self.client.poll_event() {
            match event {
                SessionEvent::Granted(entity) => self.mine = Some(entity),
                SessionEvent::Lost => self.mine = None,
                _ => {}
            }
        }
        if let Some(entity) = self.mine {
            self.client.observe(entity, &circle(now));
        }
    }

    fn error_m(&self, other: &Self) -> Option<f64> {
        let shown = self.client.shown(other.mine?, self.client.now())?;
        let shown = (*self.client.status() == Status::Joined).then_some(shown)?;
        Some(shown.position.distance(circle(other.client.now()).position))
    }

    fn sees(&self, all: &[Self]) -> bool {
        all.iter().filter(|other| self.error_m(other).is_some()).count() == all.len() - 1
    }
}

/// Where a body that runs round a circle of 10 m at 10 m/s is.
fn circle(at: SimTime) -> Kinematics {
    let t = at.as_secs_f64();
    let (sin, cos) = (libm::sin(t), libm::cos(t));
    Kinematics::moving(at, DVec3::new(cos, sin, 0.0) * 10.0, DVec3::new(-sin, cos, 0.0) * 10.0)
}

fn output(command: &mut Command) -> String {
    let output = command.output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Keys that others can read are refused.
fn owner_only(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600));
    }
}

/// Gives the namespace a loopback with a whole /48; the host that the server is to listen on.
fn open_namespace() -> &'static str {
    output(Command::new("ip").args(["link", "set", "lo", "up"]));
    output(Command::new("ip").args([
        "-6",
        "route",
        "add",
        "local",
        "2001:db8:1::/48",
        "dev",
        "lo",
    ]));
    std::fs::write("/proc/sys/net/ipv6/ip_nonlocal_bind", "1").expect("a namespace of our own");
    "[::1]"
}
