//! `reckon dis` as its users see it: real processes, a real server, PDUs on loopback.

#![expect(clippy::disallowed_methods, reason = "real processes go by the real time")]

use std::fs;
use std::io::Read;
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use reckoning::dis::{DisAlgorithm, DisModel};
use reckoning::math::{cos, sin};
use reckoning::{DQuat, DVec3, Kinematics, Model, SimTime};
use reckoning_client::{Client, ClientConfig, SessionEvent};
use reckoning_dis::gateway::{BodyState, Entity, Gateway, GatewayConfig, JointAngle};
use reckoning_dis::place::{Geodetic, TangentFrame};
use reckoning_dis::wire::{Header, Pdu, PduBody, Request};
use reckoning_server::guests::Guests;
use reckoning_server::{Relay, Running, Server, Settings};
use serde_json::Value;

const ORIGIN: &str = "52.5,13.4,40";

fn reckon() -> Command {
    Command::new(env!("CARGO_BIN_EXE_reckon"))
}

/// A process that ends with the test.
struct Process(Child);

impl Process {
    fn start(words: &[&str]) -> Self {
        let process = reckon().args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        Self(process.unwrap())
    }

    /// What it says until it ends by itself.
    fn output(mut self) -> String {
        let (mut text, mut complaints) = (String::new(), String::new());
        self.0.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        self.0.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
        assert!(self.0.wait().unwrap().success(), "{text}{complaints}");
        text
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server with the kinds that the default mapping names.
fn server() -> Running {
    let text = "listen = '127.0.0.1:0'\noperator_listen = ''\nlimits.guest_bodies = 100\nrelay_kind = 'tank'\n\
        [[kind]]\nname = 'tank'\nangle_threshold_deg = 1.0\nthreshold_m = 0.1\n\
        [[kind.class]]\nthreshold_m = 0.1\nangle_threshold_deg = 1.0\n\
        [[kind.joint]]\nname = 'turret'\n[[kind.joint]]\nname = 'barrel'\n\
        [[property]]\nname = 'marking'\n[[property]]\nname = 'team'\nvalue = 'u8'\n";
    let settings = Settings::from_toml(text).unwrap();
    let game = Guests::new(Relay::of_kind("tank"), settings.limits.guest_bodies);
    Server::new(settings).start(game).unwrap()
}

/// A peer of an exercise: a gateway without a server, a socket, and a clock.
struct Peer {
    gateway: Gateway,
    socket: UdpSocket,
    to: SocketAddr,
    start: Instant,
}

impl Peer {
    /// Hears what is sent to it, and sends to a port of this machine.
    fn new(exercise: u8, to: u16, start: Instant) -> Self {
        let frame = TangentFrame::new(Geodetic::degrees(52.5, 13.4, 40.0).unwrap());
        let mut config = GatewayConfig::new(exercise, 1, u16::from(exercise), frame);
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
        config.utc_past_hour_s = Some((since - start.elapsed().as_secs_f64()) % 3_600.0);
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_nonblocking(true).unwrap();
        let to = SocketAddr::from(([127, 0, 0, 1], to));
        Self { gateway: Gateway::new(config).unwrap(), socket, to, start }
    }

    fn now(&self) -> SimTime {
        SimTime::ZERO + self.start.elapsed()
    }

    fn exchange(&mut self) {
        let (now, mut buffer) = (self.now(), [0; 2_000]);
        while let Ok((length, _)) = self.socket.recv_from(&mut buffer) {
            self.gateway.handle_datagram(now, &buffer[..length]);
        }
        self.gateway.handle_timeout(now);
        while let Some(bytes) = self.gateway.poll_datagram() {
            self.socket.send_to(&bytes, self.to).unwrap();
        }
    }

    /// Lets a bridge that answers whoever it heard of know that we are there.
    fn call(&self) {
        let body = PduBody::Create(Request::default());
        let mut bytes = Vec::new();
        Pdu { header: Header::default(), body }.encode(&mut bytes);
        let _ = self.socket.send_to(&bytes, self.to);
    }

    /// A tank on a circle, its turret turning.
    fn drive(&mut self) -> Kinematics {
        let now = self.now();
        let truth = circle(now);
        let joint = JointAngle { name: "turret".into(), angle_rad: 0.5, rate_radps: 0.0 };
        let joints = [joint];
        let body = BodyState {
            kind: "tank",
            truth,
            model: Model::Dis(DisModel::new(DisAlgorithm::Rvw)),
            team: Some(1),
            marking: "TIGER 1",
            appearance: 0,
            joints: &joints,
        };
        self.gateway.publish(1, &body);
        truth
    }
}

fn circle(at: SimTime) -> Kinematics {
    let turn = 0.25 * at.as_secs_f64();
    let (out, along) =
        (DVec3::new(cos(turn), sin(turn), 0.0), DVec3::new(-sin(turn), cos(turn), 0.0));
    Kinematics {
        at,
        position: out * 40.0 + DVec3::Z * 2.0,
        velocity: along * 10.0,
        acceleration: -out * 2.5,
        orientation: DQuat::from_rotation_z(turn + std::f64::consts::FRAC_PI_2),
        angular_velocity: DVec3::Z * 0.25,
    }
}

/// A port that is free now.
fn free_port() -> u16 {
    UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn bridge(exercise: u8, port: u16, server: &Running, further: &[&str]) -> Process {
    let (exercise, udp) = (exercise.to_string(), format!("127.0.0.1:{port}"));
    let (join, application) = (server.address().to_string(), exercise.clone());
    let mut words = vec!["dis", "bridge", "--exercise", &exercise, "--udp", &udp, "--join", &join];
    words.extend(["--origin", ORIGIN, "--site", "7", "--application", &application]);
    words.extend(further);
    Process::start(&words)
}

/// The entities that are called as the source's.
fn tigers(peer: &Peer) -> impl Iterator<Item = &Entity> {
    let all = peer.gateway.entities().map(|(_, entity)| entity);
    all.filter(|entity| entity.state().marking.text() == "TIGER 1")
}

const PACE: Duration = Duration::from_millis(10);
const PATIENCE: Duration = Duration::from_mins(1);

#[test]
fn an_exercise_crosses_a_server_into_another_within_the_threshold() {
    let server = server();
    let (one, two) = (free_port(), free_port());
    let _first = bridge(1, one, &server, &["--loss", "0.05"]);
    let _second = bridge(2, two, &server, &["--loss", "0.05"]);
    let start = Instant::now();
    let (mut source, mut listener) = (Peer::new(1, one, start), Peer::new(2, two, start));
    let (mut offs, mut angles, mut met, mut calls) = (Vec::new(), Vec::new(), None, 0);
    while start.elapsed() < PATIENCE {
        source.drive();
        source.exchange();
        if start.elapsed().as_millis() / 250 > calls {
            calls += 1;
            listener.call();
        }
        listener.exchange();
        let now = source.now();
        if let Some(entity) = tigers(&listener).next() {
            let first: SimTime = *met.get_or_insert(now);
            let (seen, truth) = (entity.kinematics_at(now), circle(now));
            if now.saturating_since(first) > Duration::from_secs(2) {
                offs.push((seen.position - truth.position).length());
                angles.push(seen.orientation.angle_between(truth.orientation).to_degrees());
            }
            if now.saturating_since(first) > Duration::from_secs(20) {
                break;
            }
        }
        std::thread::sleep(PACE);
    }
    assert!(offs.len() > 500, "{} moments; nothing came across", offs.len());
    assert_eq!(tigers(&listener).count(), 1, "no doubles");
    assert_eq!(tigers(&source).count(), 0, "nothing came back");
    let entity = tigers(&listener).next().unwrap();
    assert_eq!((entity.state().marking.text().as_str(), entity.team()), ("TIGER 1", Some(1)));
    let turret = entity.joints_at(source.now()).find(|it| it.name == "turret").unwrap();
    assert!((turret.angle_rad - 0.5).abs() < 0.06, "{turret:?}");
    let within = |values: &[f64], most: f64| {
        values.iter().filter(|it| **it <= most).count() as f64 / values.len() as f64
    };
    offs.sort_by(f64::total_cmp);
    angles.sort_by(f64::total_cmp);
    let at = |values: &[f64], share: f64| values[(share * (values.len() - 1) as f64) as usize];
    println!(
        "position m: median {:.3}, 95 % {:.3}, most {:.3}, within 1.01: {:.4}",
        at(&offs, 0.5),
        at(&offs, 0.95),
        at(&offs, 1.0),
        within(&offs, 1.01)
    );
    println!(
        "orientation deg: median {:.3}, 95 % {:.3}, most {:.3}, within 3: {:.4}",
        at(&angles, 0.5),
        at(&angles, 0.95),
        at(&angles, 1.0),
        within(&angles, 3.0)
    );
    assert!(within(&offs, 1.01) > 0.98 && within(&angles, 3.0) > 0.98);
    server.stop();
}

#[test]
fn a_peer_that_dies_is_gone_after_the_time_out_and_back_without_doubles() {
    let server = server();
    let (one, two) = (free_port(), free_port());
    let _first = bridge(1, one, &server, &[]);
    let _second = bridge(2, two, &server, &[]);
    let start = Instant::now();
    let (mut source, mut listener) = (Peer::new(1, one, start), Peer::new(2, two, start));
    // How many there are, while the source drives or not.
    let mut wait_for = |drives: bool, wanted: usize, source: &mut Peer| {
        let (since, mut most) = (Instant::now(), 0);
        while since.elapsed() < PATIENCE {
            if drives {
                source.drive();
                source.exchange();
            }
            listener.call();
            listener.exchange();
            let count = tigers(&listener).count();
            most = most.max(count);
            if count == wanted {
                break;
            }
            std::thread::sleep(PACE);
        }
        assert_eq!(tigers(&listener).count(), wanted, "drives: {drives}");
        (since.elapsed(), most)
    };
    wait_for(true, 1, &mut source);
    let (silent, _) = wait_for(false, 0, &mut source); // as after kill -9: not a word
    assert!((10.0..16.0).contains(&silent.as_secs_f64()), "gone after {silent:?}");
    let mut again = Peer::new(1, one, start);
    let (_, most) = wait_for(true, 1, &mut again);
    assert_eq!(most, 1);
    server.stop();
}

/// A socket that hears a broadcast port of loopback beside others.
fn broadcast(port: u16) -> UdpSocket {
    let kind = (socket2::Domain::IPV4, socket2::Type::DGRAM);
    let socket = socket2::Socket::new(kind.0, kind.1, None).unwrap();
    socket.set_reuse_address(true).unwrap();
    let everywhere = SocketAddr::from(([0, 0, 0, 0], port));
    socket.bind(&everywhere.into()).unwrap();
    let socket = UdpSocket::from(socket);
    socket.set_broadcast(true).unwrap();
    socket.set_nonblocking(true).unwrap();
    socket
}

#[test]
fn two_bridges_of_an_exercise_echo_nothing_and_one_takes_over_from_a_killed_one() {
    let server = server();
    let (one, two) = (free_port(), free_port());
    let udp = format!("127.255.255.255:{one}");
    let join = server.address().to_string();
    let start_bridge = |application: &str| {
        let common = ["dis", "bridge", "--udp", &udp, "--join", &join, "--origin", ORIGIN];
        Process::start(&[&common[..], &["--application", application]].concat())
    };
    let (first, _second) = (start_bridge("3"), start_bridge("4"));
    let _elsewhere = bridge(2, two, &server, &[]);
    let start = Instant::now();
    let (mut source, mut listener) = (Peer::new(1, one, start), Peer::new(2, two, start));
    (source.socket, source.to) = (broadcast(one), udp.parse().unwrap());
    // Somebody plays on the server, who is an entity for the exercise.
    let mut player = Client::connect(ClientConfig::new(&join)).unwrap();
    let mut body = None;
    let mut step = |source: &mut Peer, listener: &mut Peer| {
        let now = player.drive();
        while let Some(event) = player.poll_event() {
            if let SessionEvent::Granted(entity) = event {
                body = Some(entity);
            }
        }
        if let Some(body) = body {
            player.observe(body, &Kinematics::at_rest(now, DVec3::new(5.0, 6.0, 1.0)));
        }
        source.drive();
        source.exchange();
        listener.call();
        listener.exchange();
        std::thread::sleep(PACE);
    };
    let until = |source: &mut Peer,
                 listener: &mut Peer,
                 step: &mut dyn FnMut(&mut Peer, &mut Peer)| {
        let since = Instant::now();
        let is_so = |source: &Peer, listener: &Peer| {
            (source.gateway.entities().count(), listener.gateway.entities().count()) == (1, 2)
        };
        while !is_so(source, listener) && since.elapsed() < PATIENCE {
            step(source, listener);
        }
        // The source sees the player, the other exercise both; and so it stays.
        let later = Instant::now();
        while later.elapsed() < Duration::from_secs(3) {
            step(source, listener);
            assert!(
                source.gateway.entities().count() <= 1 && listener.gateway.entities().count() <= 2
            );
        }
        assert!(is_so(source, listener), "{:?}", listener.gateway.stats());
    };
    until(&mut source, &mut listener, &mut step);
    drop(first); // kill -9
    let since = Instant::now();
    while since.elapsed() < Duration::from_secs(13) {
        step(&mut source, &mut listener);
        let seen = (source.gateway.entities().count(), listener.gateway.entities().count());
        assert!(seen.0 <= 2 && seen.1 <= 2, "{seen:?}: at most what is not known to be gone yet");
    }
    until(&mut source, &mut listener, &mut step);
    server.stop();
}

fn run(words: &[&str]) -> Output {
    reckon().args(words).output().unwrap()
}

#[test]
fn listeners_get_a_table_or_json_and_recordings_are_sent_again() {
    let port = free_port();
    let udp = format!("127.255.255.255:{port}"); // broadcast, so that several listen
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exercise.reck");
    let _ = fs::remove_file(&file);
    let path = file.to_str().unwrap();
    let common = ["--udp", &udp, "--origin", ORIGIN, "--seconds"];
    let listens = |seconds: &'static str, further: &[&str]| {
        let words: Vec<&str> = ["dis", "listen"].iter().chain(&common).copied().collect();
        Process::start(&[&words[..], &[seconds], further].concat())
    };
    let table = listens("4", &[]);
    let json = listens("4", &["--format", "json"]);
    let record: Vec<&str> = ["dis", "record", path].iter().chain(&common).copied().collect();
    let record = Process::start(&[&record[..], &["4"]].concat());
    let start = Instant::now();
    let mut source = Peer::new(1, port, start);
    source.socket.set_broadcast(true).unwrap();
    source.to = udp.parse().unwrap();
    while start.elapsed() < Duration::from_millis(4_500) {
        source.drive();
        source.exchange();
        std::thread::sleep(PACE);
    }
    let table = table.output();
    assert!(table.contains("TIGER 1") && table.contains("1 entities;"), "{table}");
    let json = json.output();
    let last: Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    assert_eq!(last["entities"][0]["kind"], "tank");
    assert!((last["entities"][0]["latitude_deg"].as_f64().unwrap() - 52.5).abs() < 0.01);
    let told = record.output();
    assert!(told.contains(": 1 entities, "), "{told}");

    let words: Vec<&str> = ["dis", "replay", path].iter().chain(&common).copied().collect();
    let again = listens("4", &["--format", "json", "--application", "9"]);
    std::thread::sleep(Duration::from_millis(300));
    let sent = Process::start(&[&words[..], &["3"]].concat()).output();
    assert!(sent.contains("sent "), "{sent}");
    let again = again.output();
    let seen: Vec<Value> = again.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let entities = seen.iter().filter_map(|it| it["entities"].get(0));
    assert!(entities.into_iter().any(|it| it["marking"] == "TIGER 1"), "{again}");
}

#[test]
fn what_is_wrong_is_named_with_its_remedy() {
    let told = |words: &[&str]| {
        let output = run(words);
        assert_ne!(output.status.code(), Some(0), "{words:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(told(&["dis", "listen", "--exercise", "0"]).contains("--exercise"));
    assert!(told(&["dis", "listen", "--origin", "91,0,0"]).contains("latitude 91"));
    assert!(told(&["dis", "listen", "--origin", "1,2"]).contains("three numbers"));
    assert!(told(&["dis", "listen", "--site", "0", "--udp", "127.0.0.1:0"]).contains("site 0"));
    assert!(told(&["dis", "listen", "--udp", "192.0.2.1:3000"]).contains("--udp"));
    assert!(told(&["dis", "listen", "--mapping", "nowhere.toml"]).contains("nowhere.toml"));
    let mapping = run(&["dis", "mapping"]).stdout;
    assert!(
        reckoning_dis::mapping::Mapping::from_toml(std::str::from_utf8(&mapping).unwrap()).is_ok()
    );
    let help = String::from_utf8(run(&["dis", "bridge", "--help"]).stdout).unwrap();
    for word in ["--exercise", "--udp", "--join", "--origin", "--site", "guest_bodies"] {
        assert!(help.contains(word), "{word}: {help}");
    }
}
