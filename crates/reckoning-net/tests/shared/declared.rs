//! Kinds, properties and values as a host sends them, with what they say.

use std::time::Duration;

use reckoning::ghost::Pace;
use reckoning::{
    AimConfig, Blend, BlendSpan, DVec3, GhostConfig, Kinematics, Model, Quantiser, SimTime,
    Threshold,
};
use reckoning_net::wire::{Message, PacketReader, Registry};
use reckoning_net::{
    ClampDetail, ClampMode, Facing, Footprint, Format, GroundClampConfig, Host, HostConfig,
    HostEvent, JointKind, Kind, LearnedKind, Owner, PeerId, PlaceThreshold, PlannerKind, Property,
    PropertyType, Seen, SentJoint, Session, SessionConfig, Show, Viewpoint, Writer, ZoneClass,
    ZoneConfig,
};
use serde_json::{Value, json};

const PEER: PeerId = PeerId(1);

/// The lines of the section: an object of lists, an entry a line.
pub fn declared() -> Vec<String> {
    let mut lines = Vec::new();
    let (mut kinds, mut properties, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for datagram in host_says() {
        let mut reader = PacketReader::new(&datagram).unwrap();
        while let Ok(Some(message)) = reader.next_message(Some(&format())) {
            match message {
                Message::Kind { bytes, .. } => kinds.push(crate::hex(bytes)),
                Message::Property { bytes, .. } => properties.push(crate::hex(bytes)),
                Message::Values { bytes, .. } => values.push(crate::hex(bytes)),
                _ => {}
            }
        }
    }
    let sections = [
        ("kinds", kinds, said_kinds(), ","),
        ("properties", properties, said_properties(), ","),
        ("values", values, vec![said_values()], ""),
    ];
    for (name, bytes, says, end) in sections {
        assert_eq!(bytes.len(), says.len(), "{name}");
        lines.push(format!("\"{name}\": ["));
        let last = bytes.len() - 1;
        for (place, (bytes, says)) in bytes.iter().zip(says).enumerate() {
            let comma = if place == last { "" } else { "," };
            lines.push(format!("{}{comma}", json!({ "bytes": bytes, "says": says })));
        }
        lines.push(format!("]{end}"));
    }
    lines
}

fn format() -> Format {
    let steps = Quantiser {
        position_m: 0.01,
        velocity_mps: 0.03,
        acceleration_mps2: 0.1,
        angular_velocity_radps: 0.01,
        orientation: 0.01,
    };
    let registry = Registry { customs: Vec::new(), paths: vec![crate::shared::path()] };
    Format::new(true, 1_000, steps, &[Model::Linear], registry).unwrap()
}

fn tank() -> Kind {
    let mut tank = Kind::default();
    tank.publisher.threshold = Threshold::metres(0.5).unwrap();
    tank.publisher.model = Model::Damped { fade: Duration::from_millis(700) };
    tank.publisher.seed = 300;
    tank.show = Show::delayed(Duration::from_millis(100), Duration::from_millis(250));
    let mut far = ZoneClass::default();
    (far.coarser_log2, far.show) = (2, Some(Show::reckoned(Blend::Hermite)));
    far.clamp = Some(ClampDetail::OnePoint);
    let mut near = ZoneClass::default();
    near.radius_m = 50.0;
    let mut zones = ZoneConfig::default();
    zones.classes = vec![near, far];
    tank.zones = Some(zones);
    let mut ground = GroundClampConfig::default();
    ground.mode = ClampMode::Always;
    ground.footprint = Footprint::Rectangle { half_length_m: 3.0, half_width_m: 1.5 };
    tank.ground = Some(ground);
    tank.joints = vec![JointKind::sent("turret", SentJoint::default())];
    tank.planner = PlannerKind::OaekbHybrid(reckoning_predict::PatternsConfig::default());
    tank.threshold_by_place = Some(PlaceThreshold { min_m: 0.25, max_m: 1.5 });
    tank.prevents = true;
    tank
}

fn train() -> Kind {
    let mut train = Kind::default();
    let ride =
        reckoning::model::PathRide { path: crate::shared::path(), progress_m: 0.0, rate_mps: 0.0 };
    train.publisher.model = Model::Path(ride);
    train.facing = Facing::TwoPoint { length_m: 12.0 };
    (train.show, train.dormant) = (Show::BySession, true);
    let mut learned = LearnedKind::default();
    learned.network = "rails".into();
    train.planner = PlannerKind::Learned(learned);
    train
}

/// Foreseen and shown as closely as can be.
fn runner() -> Kind {
    let mut runner = Kind::default();
    let mut ghost = GhostConfig::default();
    ghost.span = BlendSpan::close(0.25);
    ghost.pace = Some(Pace { max_speed_mps: 11.5, max_span: Duration::from_millis(450) });
    ghost.hedged = true;
    let mut aim = AimConfig::default();
    (aim.overhead_bytes, aim.line_bytes, aim.curve_bytes) = (6.5, 9.0, 20.0);
    (runner.aim, runner.publisher.judge_ahead) = (Some(aim), Some(Duration::from_millis(200)));
    runner.show = Show::Reckoned(ghost);
    runner
}

/// Everything that a host sends to one who joins, and a body with values of every sort.
fn host_says() -> Vec<Vec<u8>> {
    let mut config = HostConfig::new(format());
    config.kinds.add("tank", tank()).unwrap();
    config.kinds.add("train", train()).unwrap();
    config.kinds.add("runner", runner()).unwrap();
    let ids: Vec<_> = TYPES
        .iter()
        .map(|(name, value)| {
            let mut property = Property::new(*value, Seen::ByAll);
            if *name == "name" {
                (property.writer, property.min_interval) =
                    (Writer::Owner, Duration::from_millis(250));
            }
            config.kinds.add_property(name, property).unwrap()
        })
        .collect();
    let mut host = Host::new(config).unwrap();
    host.connect(SimTime::ZERO, PEER);
    let mut session = SessionConfig::default();
    session.registry = Registry { customs: Vec::new(), paths: vec![crate::shared::path()] };
    let mut session = Session::new(session).unwrap();
    let (mut said, mut buf) = (Vec::new(), [0; 1_000]);
    for ms in (0..1_000).step_by(10) {
        let now = SimTime::from_millis(ms);
        if ms == 500 {
            let rest = Kinematics::at_rest(now, DVec3::ZERO);
            let body = host.spawn(now, Owner::Host, b"", &rest).unwrap();
            host.set(body, ids[0], true).unwrap();
            host.set(body, ids[1], 200_u8).unwrap();
            host.set(body, ids[2], 60_000_u16).unwrap();
            host.set(body, ids[3], 4_000_000_000_u32).unwrap();
            host.set(body, ids[4], -5_i32).unwrap();
            host.set(body, ids[5], 0.75_f32).unwrap();
            host.set(body, ids[6], "Zoë").unwrap();
        }
        session.handle_timeout(now);
        while let Some(length) = session.poll_datagram(now, &mut buf) {
            host.handle_datagram(now, PEER, &buf[..length]);
        }
        host.handle_timeout(now);
        while let Some(event) = host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                host.admit(now, peer);
                host.set_viewpoint(peer, Viewpoint::Everywhere);
            }
        }
        while let Some((_, length)) = host.poll_datagram(now, &mut buf) {
            session.handle_datagram(now, &buf[..length]);
            said.push(buf[..length].to_vec());
        }
    }
    said
}

const TYPES: [(&str, PropertyType); 8] = [
    ("ready", PropertyType::Bool),
    ("health", PropertyType::U8),
    ("ammo", PropertyType::U16),
    ("score", PropertyType::U32),
    ("rank", PropertyType::I32),
    ("heat", PropertyType::F32),
    ("name", PropertyType::Text),
    ("orders", PropertyType::Bytes),
];

fn said_properties() -> Vec<Value> {
    let said = TYPES.iter().enumerate().map(|(value, (name, _))| {
        let (writer, interval_ns) = if *name == "name" { (1, 250_000_000) } else { (0, 0) };
        json!({
            "name": name, "value": value, "seen": 0, "writer": writer, "interval_ns": interval_ns,
        })
    });
    said.collect()
}

fn said_values() -> Value {
    json!({
        "ready": true, "health": 200, "ammo": 60_000, "score": 4_000_000_000_u32, "rank": -5,
        "heat": 0.75, "name": "Zoë",
    })
}

/// What stands in the kinds, the parts that differ from the default and some more.
fn said_kinds() -> Vec<Value> {
    let mut kinds = reckoning_net::Kinds::default();
    let settled = kinds.add("tank", tank()).unwrap();
    let tank = kinds.get(settled).unwrap();
    let nanos = |span: Duration| span.as_nanos() as u64;
    vec![
        json!({
            "name": "tank",
            "publisher": {
                "threshold_m": 0.5, "per_axis": false, "seed": 300,
                "heartbeat_ns": nanos(tank.publisher.heartbeat),
                "model": { "variant": 3, "span_ns": 700_000_000 },
                "quantiser": [0.0, 0.0, 0.0, 0.0, 0.0],
                "export_stops": true, "damp_acceleration": false,
                "lookahead_ns": nanos(tank.publisher.lookahead),
            },
            "by_id": null,
            "show": { "variant": 1, "min_delay_ns": 100_000_000, "max_delay_ns": 250_000_000 },
            "facing": { "variant": 0 },
            "ground": {
                "mode": 2,
                "footprint": { "variant": 0, "half_length_m": 3.0, "half_width_m": 1.5 },
            },
            "planner": { "variant": 6, "avoid_walls": false, "tick_hz": 60 },
            "by_place_m": [0.25, 1.5],
            "prevents": true,
            "dormant": false,
        }),
        json!({
            "name": "train",
            "publisher": { "threshold_m": 0.25, "model": { "variant": 0 } },
            "by_id": { "variant": 0, "id": 300 },
            "show": { "variant": 2 },
            "classes": null,
            "facing": { "variant": 3, "length_m": 12.0 },
            "ground": null,
            "joints": [],
            "planner": { "variant": 9, "network": "rails", "choose": true },
            "by_place_m": null,
            "prevents": false,
            "dormant": true,
        }),
        json!({
            "name": "runner",
            "publisher": { "judge_ahead_ns": 200_000_000 },
            "aim": {
                "from_ns": 200_000_000, "to_ns": 500_000_000, "max_offset": AimConfig::default().max_offset,
                "overhead_bytes": 6.5, "line_bytes": 9.0, "curve_bytes": 20.0,
            },
            "show": {
                "variant": 0,
                "blend": 3,
                "span": {
                    "variant": 3, "min_ns": 50_000_000, "max_ns": 333_000_000,
                    "at_metre_ns": 400_000_000,
                },
                "pace": { "max_speed_mps": 11.5, "max_span_ns": 450_000_000 },
                "hedged": true,
            },
        }),
    ]
}
