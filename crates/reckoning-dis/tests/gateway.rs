//! A gateway in virtual time: who is there, who is gone, what is sent, and what two of them do to each other.

mod support;

use reckoning::dis::{DisAlgorithm, DisFields, DisModel, euler_from_quat};
use reckoning::math::{cos, sin};
use reckoning::{DQuat, DVec3, Kinematics, Model, SimTime};
use reckoning_dis::gateway::{
    BodyState, Departure, Gateway, GatewayConfig, GatewayEvent, JointAngle,
};
use reckoning_dis::place::{Geodetic, TangentFrame};
use reckoning_dis::wire::{
    EntityId, EntityState, EntityType, Header, Marking, PartRecord, Pdu, PduBody, Request,
    Timestamp,
};
use reckoning_netsim::{Link, LinkConfig};
use support::one_of_each;

const TANK: EntityId = EntityId::new(11, 22, 1);

fn frame() -> TangentFrame {
    TangentFrame::new(Geodetic::degrees(52.5, 13.4, 40.0).unwrap())
}

fn gateway(application: u16) -> Gateway {
    Gateway::new(GatewayConfig::new(1, 7, application, frame())).unwrap()
}

fn ms(ms: i64) -> SimTime {
    SimTime::from_millis(ms)
}

/// An entity of a peer at that place of the local frame, going east at 10 m/s.
fn state(id: EntityId, x_m: f64) -> EntityState {
    let model = DisModel::new(DisAlgorithm::Fpw);
    let local = Kinematics::moving(SimTime::ZERO, DVec3::new(x_m, 0.0, 2.0), DVec3::X * 10.0);
    let fields = DisFields::from_kinematics(&frame().to_geocentric(&local), model);
    let (psi, theta, phi) = euler_from_quat(fields.orientation);
    let kind = EntityType { kind: 1, domain: 1, country: 78, category: 1, ..EntityType::default() };
    let mut state = EntityState { id, force: 2, kind, ..EntityState::default() };
    state.location = fields.position;
    state.velocity = fields.velocity.to_array().map(|it| it as f32);
    state.orientation = [psi, theta, phi].map(|it| it as f32);
    state.reckoning.algorithm = 2;
    state.marking = Marking::new("TIGER");
    state
}

fn datagram(at: SimTime, exercise: u8, body: PduBody) -> Vec<u8> {
    let header = Header {
        exercise,
        timestamp: Timestamp::new(at.as_secs_f64(), false),
        ..Header::default()
    };
    support::encoded(&Pdu { header, body })
}

fn hears(gateway: &mut Gateway, at: SimTime, state: EntityState) {
    gateway.handle_datagram(at, &datagram(at, 1, PduBody::EntityState(state)));
}

fn events(gateway: &mut Gateway) -> Vec<GatewayEvent> {
    std::iter::from_fn(|| gateway.poll_event()).collect()
}

fn body(at: SimTime) -> BodyState<'static> {
    let truth = Kinematics::moving(at, DVec3::X * (5.0 * at.as_secs_f64()), DVec3::X * 5.0);
    BodyState {
        kind: "tank",
        truth,
        model: Model::Linear,
        team: Some(0),
        marking: "ours",
        appearance: 0,
        joints: &[],
    }
}

fn sent(gateway: &mut Gateway) -> Vec<Pdu> {
    let datagrams = std::iter::from_fn(|| gateway.poll_datagram());
    datagrams.map(|bytes| Pdu::decode(&bytes).unwrap().0).collect()
}

fn states(pdus: &[Pdu]) -> Vec<&EntityState> {
    let states = pdus.iter().filter_map(|pdu| match &pdu.body {
        PduBody::EntityState(state) => Some(state),
        _ => None,
    });
    states.collect()
}

#[test]
fn an_entity_is_reckoned_in_the_local_frame_with_its_turret() {
    let mut gateway = gateway(3);
    let mut tank = state(TANK, 100.0);
    let part = |parameter, attached_to, value| PartRecord::Articulated {
        change: 0,
        attached_to,
        parameter,
        value,
    };
    tank.parts = vec![part(4107, 0, 0.5), part(4108, 0, 0.25), part(4429, 1, 0.1)];
    hears(&mut gateway, ms(0), tank);
    assert_eq!(events(&mut gateway), [GatewayEvent::Entered(TANK)]);
    let entity = gateway.entity(TANK).unwrap();
    assert_eq!((entity.kind(), entity.team()), ("tank", Some(1)));
    let now = entity.kinematics_at(ms(2_000));
    assert!((now.position - DVec3::new(120.0, 0.0, 2.0)).length() < 1e-5, "{now:?}");
    assert!((now.velocity - DVec3::X * 10.0).length() < 1e-5);
    assert!(now.orientation.angle_between(DQuat::IDENTITY) < 1e-6, "nose east, level");
    let joints: Vec<JointAngle> = entity.joints_at(ms(2_000)).collect();
    assert_eq!((joints[0].name.as_str(), joints[1].name.as_str()), ("turret", "barrel"));
    assert!((joints[0].angle_rad + 1.0).abs() < 1e-6, "to the right is less");
    assert!((joints[1].angle_rad - 0.1).abs() < 1e-6);
}

#[test]
fn who_is_silent_for_twelve_seconds_is_gone_and_comes_back_once() {
    let mut gateway = gateway(3);
    for second in 0..3 {
        hears(&mut gateway, ms(second * 1_000), state(TANK, 0.0));
    }
    gateway.handle_timeout(ms(14_000));
    assert_eq!(events(&mut gateway), [GatewayEvent::Entered(TANK)]);
    gateway.handle_timeout(ms(14_001));
    gateway.handle_timeout(ms(15_000));
    assert_eq!(events(&mut gateway), [GatewayEvent::Left(TANK, Departure::Silent)]);
    hears(&mut gateway, ms(16_000), state(TANK, 0.0));
    hears(&mut gateway, ms(16_100), state(TANK, 1.0));
    assert_eq!(events(&mut gateway), [GatewayEvent::Entered(TANK)]);
    assert_eq!(gateway.entities().count(), 1);
}

#[test]
fn who_says_so_is_gone_at_once_but_nobody_removes_another() {
    let mut gateway = gateway(3);
    let remove = |from: EntityId| {
        datagram(ms(2_000), 1, PduBody::Remove(Request { from, to: TANK, request: 1 }))
    };
    hears(&mut gateway, ms(0), state(TANK, 0.0));
    gateway.handle_datagram(ms(2_000), &remove(EntityId::new(66, 6, 0)));
    assert_eq!(events(&mut gateway), [GatewayEvent::Entered(TANK)]);
    gateway.handle_datagram(ms(2_000), &remove(EntityId::new(11, 22, 0)));
    assert_eq!(events(&mut gateway), [GatewayEvent::Left(TANK, Departure::Removed)]);
    hears(&mut gateway, ms(3_000), state(TANK, 0.0));
    let gone = EntityState { appearance: 1 << 23, ..state(TANK, 0.0) };
    hears(&mut gateway, ms(4_000), gone);
    let told = events(&mut gateway);
    assert_eq!(told[1], GatewayEvent::Left(TANK, Departure::Removed), "{told:?}");
}

#[test]
fn late_pdus_change_nothing_even_across_the_hour() {
    let mut gateway = gateway(3);
    let hour = 3_600_000;
    let send = |gateway: &mut Gateway, at: i64, arrives: i64, x_m: f64| {
        let bytes = datagram(ms(at), 1, PduBody::EntityState(state(TANK, x_m)));
        gateway.handle_datagram(ms(arrives), &bytes);
    };
    send(&mut gateway, hour - 100, hour - 90, 0.0);
    send(&mut gateway, hour + 100, hour + 110, 2.0);
    send(&mut gateway, hour - 50, hour + 120, 99.0);
    send(&mut gateway, hour + 100, hour + 130, 2.0); // a copy
    assert_eq!(gateway.stats().late, 2);
    let x_m = gateway.entity(TANK).unwrap().kinematics_at(ms(hour + 110)).position.x;
    assert!((x_m - 2.0).abs() < 1e-3, "{x_m}");
    // A sender that was started anew, its clock minutes back.
    send(&mut gateway, hour - 600_000, hour + 5_000, 50.0);
    let x_m = gateway.entity(TANK).unwrap().kinematics_at(ms(hour + 5_000)).position.x;
    assert!((x_m - 50.0).abs() < 1e-3, "{x_m}");
}

#[test]
fn what_cannot_be_mapped_is_counted_by_name() {
    let mut gateway = gateway(3);
    let mut strange = state(TANK, 0.0);
    strange.kind = EntityType { kind: 9, ..EntityType::default() };
    hears(&mut gateway, ms(0), strange);
    let mut nowhere = state(TANK, 0.0);
    nowhere.location.x = f64::NAN;
    hears(&mut gateway, ms(0), nowhere);
    let mut tank = state(TANK, 0.0);
    tank.reckoning.algorithm = 77;
    let odd = PartRecord::Articulated { change: 0, attached_to: 0, parameter: 5, value: 0.0 };
    tank.parts = vec![odd, PartRecord::Other { kind: 1, bytes: [0; 15] }];
    hears(&mut gateway, ms(0), tank);
    gateway.handle_datagram(ms(0), b"no DIS");
    gateway.handle_datagram(ms(0), &datagram(ms(0), 1, one_of_each(7)[1].body.clone()));
    let other = PduBody::Other { kind: 26, family: 4, bytes: vec![0; 20] };
    gateway.handle_datagram(ms(0), &datagram(ms(0), 1, other));
    gateway.handle_datagram(ms(0), &datagram(ms(0), 2, PduBody::EntityState(state(TANK, 0.0))));
    let unmapped: Vec<(&str, u64)> = gateway.stats().unmapped().collect();
    let expected = [
        ("PDU type 26", 1),
        ("articulation parameter 5", 1),
        ("broken: no header", 1),
        ("dead-reckoning algorithm 77", 1),
        ("entity type 9.0.0.0.0.0.0", 1),
        ("motion that is no number", 1),
        ("part record 1", 1),
    ];
    // The update concerns an entity of our own site and application.
    assert_eq!((unmapped, gateway.stats().own), (expected.to_vec(), 1));
    assert_eq!(gateway.stats().other_exercises, 1);
}

#[test]
fn a_straight_body_sends_a_heartbeat_in_five_seconds_and_a_swerving_one_more() {
    let mut gateway = gateway(3);
    let (mut steady, mut swerving) = (0, 0);
    for frame in 0..60 * 60 {
        let at = SimTime::from_tick(frame, 60);
        assert!(gateway.publish(1, &body(at)));
        let turn = 0.8 * at.as_secs_f64();
        let mut truth = body(at);
        truth.truth.position = DVec3::new(sin(turn), -cos(turn), 0.0) * 12.0;
        truth.truth.velocity = DVec3::new(cos(turn), sin(turn), 0.0) * 9.6;
        truth.truth.orientation = DQuat::from_rotation_z(turn);
        truth.truth.angular_velocity = DVec3::Z * 0.8;
        gateway.publish(2, &truth);
        for pdu in sent(&mut gateway) {
            let PduBody::EntityState(state) = pdu.body else { panic!("{pdu:?}") };
            let which = if state.id.entity == 1 { &mut steady } else { &mut swerving };
            *which += 1;
        }
    }
    assert!((12..=15).contains(&steady), "{steady} PDUs in a minute");
    assert!(swerving > 40 && swerving < 300, "{swerving} PDUs in a minute, against 600 at 10 Hz");
    gateway.withdraw(ms(60_000), 1);
    let last = sent(&mut gateway);
    assert!(states(&last)[0].is_deactivated());
    assert!(matches!(last[1].body, PduBody::Remove(it) if it.to == EntityId::new(7, 3, 1)));
    assert_eq!(gateway.published().count(), 1);
}

#[test]
fn a_change_is_said_twice_and_a_heartbeat_once() {
    let pdus = |repeat_after| {
        let mut config = GatewayConfig::new(1, 7, 3, frame());
        config.repeat_after = repeat_after;
        let mut gateway = Gateway::new(config).unwrap();
        for frame in 0..60 * 12 {
            let at = SimTime::from_tick(frame, 60);
            let mut stop = body(at);
            if frame >= 120 {
                let there = DVec3::X * 10.0;
                stop.truth = Kinematics::at_rest(at, there); // it stops at once
            }
            gateway.publish(1, &stop);
        }
        sent(&mut gateway).len()
    };
    let once = pdus(None);
    assert_eq!(pdus(Some(std::time::Duration::from_millis(200))), once + 2, "the first, the stop");
}

#[test]
fn a_turret_that_turns_is_told_though_the_hull_stands() {
    let (mut gateway, mut other) = (gateway(3), gateway(4));
    let mut told = 0;
    for frame in 0..120 {
        let at = SimTime::from_tick(frame, 60);
        let joint = JointAngle {
            name: "turret".into(),
            angle_rad: 0.5 * at.as_secs_f64(),
            rate_radps: 0.0,
        };
        let joints = [joint];
        let still = Kinematics::at_rest(at, DVec3::Z);
        gateway.publish(1, &BodyState { truth: still, joints: &joints, ..body(at) });
        while let Some(bytes) = gateway.poll_datagram() {
            told += 1;
            other.handle_datagram(at, &bytes);
        }
    }
    assert!((8..=20).contains(&told), "{told}");
    let entity = other.entity(EntityId::new(7, 3, 1)).unwrap();
    let joint = entity.joints_at(ms(2_000)).next().unwrap();
    assert!((joint.angle_rad - 1.0).abs() < 0.15, "{joint:?}");
}

/// Two gateways to one server: each hears what the other sends, and its own as well.
#[test]
fn two_gateways_to_one_server_do_not_echo_each_other() {
    let (mut first, mut second) = (gateway(3), gateway(4));
    first.set_server(99);
    second.set_server(99);
    let mut in_exercise = 0;
    for frame in 0..20 * 60 {
        let at = SimTime::from_tick(frame, 60);
        first.publish(5, &body(at));
        second.publish(5, &body(at));
        let mut datagrams = Vec::new();
        for gateway in [&mut first, &mut second] {
            datagrams.extend(std::iter::from_fn(|| gateway.poll_datagram()));
        }
        for bytes in &datagrams {
            first.handle_datagram(at, bytes);
            second.handle_datagram(at, bytes);
        }
        in_exercise = first.published().count() + second.published().count();
    }
    assert_eq!((in_exercise, first.published().count()), (1, 1), "the lower one goes on");
    assert_eq!(first.entities().count() + second.entities().count(), 0);
    assert!(second.stats().echoes > 0 && first.stats().own > 0);
}

#[test]
fn a_gateway_takes_over_from_one_that_died_and_servers_do_not_mind_each_other() {
    let (mut first, mut second, mut elsewhere) = (gateway(3), gateway(4), gateway(5));
    first.set_server(99);
    second.set_server(99);
    elsewhere.set_server(100);
    first.publish(5, &body(ms(0)));
    let bytes = first.poll_datagram().unwrap();
    second.handle_datagram(ms(0), &bytes);
    elsewhere.handle_datagram(ms(0), &bytes);
    assert_eq!(events(&mut elsewhere).len(), 1, "it is an entity for others");
    assert!(!second.publish(5, &body(ms(10))));
    second.handle_timeout(ms(12_010));
    assert!(second.publish(5, &body(ms(12_010))));
    assert_eq!(second.published().count(), 1);
    elsewhere.set_server(99); // a gateway that learns of its server late drops what is of it
    assert_eq!(elsewhere.entities().count(), 0);
}

#[test]
fn a_flood_is_bounded() {
    let mut config = GatewayConfig::new(1, 7, 3, frame());
    config.max_entities = 50;
    let mut gateway = Gateway::new(config).unwrap();
    for number in 1..20_000 {
        let id = EntityId::new(number / 7, number % 7 + 9, number);
        let mut strange = state(id, 0.0);
        strange.kind.extra = number as u8;
        strange.reckoning.algorithm = number as u8;
        hears(&mut gateway, ms(0), strange);
    }
    assert_eq!(gateway.entities().count(), 50);
    assert!(gateway.stats().too_many > 10_000);
    assert!(gateway.stats().unmapped().count() <= 65);
}

#[test]
fn settings_that_make_no_sense_are_named() {
    let refuse = |change: fn(&mut GatewayConfig)| {
        let mut config = GatewayConfig::new(1, 7, 3, frame());
        change(&mut config);
        Gateway::new(config).unwrap_err().to_string()
    };
    assert_eq!(refuse(|it| it.exercise = 0), "exercise 0 is out of range; give 1 to 255");
    assert_eq!(refuse(|it| it.site = 0xffff), "site 65535 is out of range; give 1 to 65534");
    assert_eq!(refuse(|it| it.version = 4), "version 4 is out of range; give 5 to 7");
    assert!(refuse(|it| it.timeout_heartbeats = f64::NAN).contains("heartbeats"));
}

/// From one gateway to another over a link that loses a twentieth: the exercise's guess is that of the
/// sender, within the threshold, but for what a lost PDU leaves until the next one.
#[test]
fn five_percent_loss_leaves_few_moments_beyond_the_threshold() {
    let (mut sender, mut receiver) = (gateway(3), gateway(4));
    let config: LinkConfig = "delay=20,jitter=5,loss=0.05,seed=7".parse().unwrap();
    let mut link = Link::new(config).unwrap();
    let (mut offs, mut angles) = (Vec::new(), Vec::new());
    for frame in 0..120 * 60 {
        let at = SimTime::from_tick(frame, 60);
        let turn = 0.25 * at.as_secs_f64();
        let orientation = DQuat::from_rotation_z(turn + std::f64::consts::FRAC_PI_2);
        let velocity = DVec3::new(-sin(turn), cos(turn), 0.0) * 10.0;
        let acceleration = DVec3::new(-cos(turn), -sin(turn), 0.0) * 2.5;
        let truth = Kinematics {
            at,
            position: DVec3::new(cos(turn), sin(turn), 0.0) * 40.0,
            velocity,
            acceleration,
            orientation,
            angular_velocity: DVec3::Z * 0.25,
        };
        let model = Model::Dis(DisModel::new(DisAlgorithm::Rvw));
        sender.publish(1, &BodyState { truth, model, ..body(at) });
        while let Some(bytes) = sender.poll_datagram() {
            link.send(at, bytes.len() as u32, bytes);
        }
        while let Some((arrived, bytes)) = link.poll(at) {
            receiver.handle_datagram(arrived, &bytes);
        }
        let Some(entity) = receiver.entity(EntityId::new(7, 3, 1)) else { continue };
        let seen = entity.kinematics_at(at);
        // A relative clock cannot know the least delay, 15 ms at 10 m/s.
        offs.push((seen.position - truth.position).length());
        angles.push(seen.orientation.angle_between(orientation).to_degrees());
    }
    let beyond = |values: &[f64], most: f64| {
        values.iter().filter(|it| **it > most).count() as f64 / values.len() as f64
    };
    let (far, turned) = (beyond(&offs, 1.01), beyond(&angles, 3.0));
    assert!(far < 0.01 && turned < 0.01, "{far} {turned}");
}
