//! The lab's closed loop and a networked game publish the same: every planner of a kind, through
//! `Session` and `Host`, beside the chain that the lab measures.
//!
//! Rounding has to be equal in one place: the lab's publisher guesses from what the wire's format
//! makes of its update, as a session's does. The first update carries the model of the kind on
//! both sides, and all that follow are compared to the last bit.

use std::sync::Arc;
use std::time::Duration;

use reckoning::{AngleThreshold, CurveBasis, DVec3, Kinematics, Model, Quantiser, SimTime, Update};
use reckoning_net::wire::{Format, Registry};
use reckoning_net::{
    ClockMode, EntityId, Host, HostConfig, HostEvent, Kind, LearnedKind, Owner, PeerId,
    PlaceThreshold, PlannerKind, Session, SessionConfig,
};
use reckoning_predict::learned::{Framing, LearnedInput, LearnedModel, LearnedParts};
use reckoning_predict::{
    ChooserConfig, Interest, InterestConfig, InterestHybrid, Patterns, PatternsConfig,
    PatternsHybrid, Pheromone, PheromoneConfig, Surroundings, Trended, TrendedConfig,
};
use reckoning_recording::{LevelShape, Recording, Sample, Track};

use super::*;
use crate::predictor::{Learned, LearnedUse, Planned};

const PEER: PeerId = PeerId(1);
const STEP: Duration = Duration::from_millis(25);
const BOUND_M: f64 = 0.5;
/// Samples of a body; the first is at one second, when the session has joined.
const SAMPLES: i64 = 400;

/// Four players in two teams who wind about a block; `phase` makes another match of it.
fn recording(phase: f64) -> Recording {
    let mut recording = Recording { source: "made".into(), ..Recording::default() };
    recording.meta.body_width = 1.0;
    let corners = [(-1.0, 1.0), (3.0, 1.0), (3.0, 2.0), (-8.0, -4.0)];
    for (from, to) in corners.iter().zip(&corners[1..]) {
        let [from, to] = [from, to].map(|(x, y)| DVec3::new(*x, *y, -1.0));
        recording.level.shapes.push(LevelShape::Wall { from, to, top: 3.0 });
    }
    for id in 0..4_i32 {
        let mut track = Track::new(id, id % 2, &[]);
        for n in 0..SAMPLES {
            let at = SimTime::from_millis(1_000 + 25 * n);
            let t = at.as_secs_f64() + 2.0 * f64::from(id) + phase;
            let position =
                DVec3::new(6.0 * libm::sin(0.7 * t), 5.0 * libm::sin(1.1 * t + 1.0), 0.0);
            track.push(Sample { at, position, alive: true, ..Sample::default() }, &[]);
        }
        recording.tracks.push(track);
    }
    recording.tidy();
    recording
}

/// Coasts at half of the velocity.
fn network() -> LearnedModel {
    let input = |feature| LearnedInput { feature, mean: 0.0, scale: 1.0, low: -50.0, high: 50.0 };
    let mut skip = vec![0.0; 4 * 12];
    for axis in 0..3 {
        skip[(1 + axis) * 12 + axis * 4 + 3] = 0.5;
    }
    LearnedModel::new(LearnedParts {
        framing: Framing::Heading,
        basis: CurveBasis::FOUR,
        unit_m: 1.0,
        fade: Duration::from_secs(1),
        steps_mps: vec![0.0; 4],
        inputs: [0, 19, 20, 21].map(input).to_vec(),
        act_width: 0,
        acts: Vec::new(),
        hidden: [8, 8],
        weights: [vec![0.01; 32], vec![0.01; 64], vec![0.01; 96], skip],
        biases: [vec![0.0; 8], vec![0.0; 8], vec![0.0; 12]],
    })
    .unwrap()
}

fn avoiding(mut patterns: PatternsConfig) -> PatternsConfig {
    patterns.avoid_walls = true;
    patterns
}

/// Every planner by its name: as the lab runs it, and as a kind declares it.
fn planners() -> Vec<(&'static str, Ready, PlannerKind)> {
    let (interest, patterns) =
        (InterestConfig::default().scaled(0.05), PatternsConfig::default().scaled(0.01));
    let avoiding = avoiding(patterns);
    let drawn = Interest::new(interest).unwrap();
    let plays = |config| Patterns::new(config).unwrap();
    let hybrid = |config| Behaviour::PatternsHybrid(PatternsHybrid::new(plays(config)));
    let damped = Model::Damped { fade: Duration::from_millis(700) };
    let (trend, trails) = (TrendedConfig::default(), PheromoneConfig::default());
    let behaviour = Ready::Behaviour;
    let model: &'static LearnedModel = Box::leak(Box::new(network()));
    let mut chooser = ChooserConfig::default();
    (chooser.interest, chooser.patterns) = (interest, patterns);
    let mut learned = LearnedKind::default();
    learned.network = "coasting".into();
    vec![
        ("linear", Ready::Model(Model::Linear), PlannerKind::Model),
        ("damped", Ready::Model(damped), PlannerKind::Model),
        ("interest", behaviour(Behaviour::Interest(drawn)), PlannerKind::Interest(interest)),
        (
            "interest-hybrid",
            behaviour(Behaviour::InterestHybrid(InterestHybrid::new(drawn))),
            PlannerKind::InterestHybrid(interest),
        ),
        ("ekb", behaviour(Behaviour::Patterns(plays(patterns))), PlannerKind::Ekb(patterns)),
        ("ekb-hybrid", behaviour(hybrid(patterns)), PlannerKind::EkbHybrid(patterns)),
        ("oaekb", behaviour(Behaviour::Patterns(plays(avoiding))), PlannerKind::Oaekb(patterns)),
        ("oaekb-hybrid", behaviour(hybrid(avoiding)), PlannerKind::OaekbHybrid(patterns)),
        (
            "trend",
            behaviour(Behaviour::Trended(Trended::new(trend).unwrap())),
            PlannerKind::Trend(trend),
        ),
        (
            "pheromone",
            behaviour(Behaviour::Pheromone(Pheromone::new(trails).unwrap())),
            PlannerKind::Pheromone(trails),
        ),
        (
            "learned",
            Ready::Learned(Learned { model, usage: LearnedUse::Chosen }),
            PlannerKind::Learned(learned),
        ),
        ("chooser", Ready::Chooser(chooser), PlannerKind::Chooser(chooser)),
    ]
}

fn format() -> Format {
    let steps = Quantiser {
        position_m: 0.01,
        velocity_mps: 0.03,
        acceleration_mps2: 0.1,
        angular_velocity_radps: 0.01,
        orientation: 0.01,
    };
    Format::new(false, 1_000, steps, &[Model::Linear], Registry::default()).unwrap()
}

/// A host and a session on one clock, without delay.
struct Network {
    host: Host,
    session: Session,
    body: Option<EntityId>,
    now: SimTime,
}

impl Network {
    fn new(kind: Kind, setting: &ChainSetting<'_>) -> Self {
        let mut config = HostConfig::new(format());
        config.clock_mode = ClockMode::PerHop; // what is stamped is what was observed
        let kind = config.kinds.add("walker", kind).unwrap();
        let mut host = Host::new(config).unwrap();
        host.connect(SimTime::ZERO, PEER);
        let mut config = SessionConfig::default();
        config.planning.trends = setting.surroundings.trends().cloned().map(Arc::new);
        config.planning.add_network("coasting", Arc::new(network()));
        let session = Session::new(config).unwrap();
        let mut made = Self { host, session, body: None, now: SimTime::ZERO };
        while made.now < SimTime::from_millis(900) {
            made.step();
        }
        let start = setting.prepared.courses[0].states[0].kinematics;
        let start = Kinematics { at: made.now, ..start };
        made.body = made.host.spawn_kind(made.now, kind, Owner::Peer(PEER), b"", &start).ok();
        while made.now < SimTime::from_millis(975) {
            made.step();
        }
        made
    }

    fn step(&mut self) {
        self.now += STEP;
        let (now, mut buf) = (self.now, [0; 1_000]);
        self.session.handle_timeout(now);
        while let Some(length) = self.session.poll_datagram(now, &mut buf) {
            self.host.handle_datagram(now, PEER, &buf[..length]);
        }
        self.host.handle_timeout(now);
        while let Some(event) = self.host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                self.host.admit(now, peer);
            }
        }
        while let Some((_, length)) = self.host.poll_datagram(now, &mut buf) {
            self.session.handle_datagram(now, &buf[..length]);
        }
        while self.session.poll_event().is_some() {}
    }

    /// What the host has of the body, but for its stamp.
    fn host_has(&self) -> Option<(DVec3, DVec3, Model)> {
        let (_, _, update) = self.host.entities().next()?;
        Some((update.kinematics().position, update.kinematics().velocity, *update.model()))
    }
}

fn kind_of(name: &str, planner: PlannerKind, setting: &ChainSetting<'_>) -> Kind {
    let mut kind = Kind::default();
    kind.publisher = setting.publishing().unwrap();
    // A session mixes peer and entity in, the lab takes the player's number, which is zero.
    kind.publisher.seed = u64::from(PEER.0) << 32;
    if name == "trend" {
        let (min_m, max_m) = (0.5 * BOUND_M, BOUND_M); // as the lab's threshold by place
        kind.threshold_by_place = Some(PlaceThreshold { min_m, max_m });
    }
    kind.planner = planner;
    kind
}

/// Plays the first player through both; what was published, and by how many curves.
fn play(name: &str, planner: PlannerKind, setting: &ChainSetting<'_>) -> (usize, usize) {
    let mut network = Network::new(kind_of(name, planner, setting), setting);
    let body = network.body.unwrap();
    let states = &setting.prepared.courses[0].states;
    let mut learned = setting.planner(0);
    let mut publisher: Option<Publisher> = None;
    let (mut published, mut curves) = (0, 0);
    for (place, state) in states.iter().enumerate() {
        network.step();
        let truth = state.kinematics;
        assert_eq!(truth.at, network.now, "one clock");
        let mut moment = setting.surroundings.before(setting.prepared, truth.at, 10);
        setting.surroundings.look_around(setting.prepared, truth.at, &mut moment);
        let scene = setting.surroundings.scene(&moment);
        let around = if learned.is_some() {
            setting.context.senses(0, place, &scene)
        } else {
            Surroundings { scene: Some(&scene), id: 0, ..Surroundings::default() }
        };
        assert!(network.session.observe_with(body, &truth, &around), "{name}: sample {place}");
        let update = match &mut publisher {
            None => {
                let (begun, first) = setting.start(&truth, 0, place, None).unwrap();
                publisher = Some(begun);
                Some(first)
            }
            Some(publisher) => {
                if let Some(planner) = &mut learned {
                    setting.tell(planner, 0, place);
                }
                setting.export(publisher, &truth, 0, place, learned.as_mut())
            }
        };
        let lab = publisher.as_mut().unwrap();
        if let Some(update) = update {
            lab.handle_sent(format().round(&update));
            published += 1;
            curves += usize::from(matches!(update.model(), Model::Curve(_)));
        }
        let last: &Update = lab.last_update();
        assert_eq!(network.session.published(body), Some(last), "{name}: sample {place}");
    }
    network.step();
    let seen = publisher.as_ref().unwrap().last_update();
    let lab = (seen.kinematics().position, seen.kinematics().velocity, *seen.model());
    assert_eq!(network.host_has(), Some(lab), "{name}: the host has other bits");
    (published, curves)
}

#[test]
fn a_networked_game_publishes_what_the_closed_loop_does_with_every_planner() {
    let (own, other) = (recording(0.0), recording(3.0));
    let (prepared, others) = (Prepared::from_recording(&own), Prepared::from_recording(&other));
    let patterns =
        Planned::Ekb { config: avoiding(PatternsConfig::default()), hybrid: true, px: None };
    let planned = [patterns, Planned::Trend, Planned::Ant { points: 2.0, reach_widths: 12.0 }];
    let surroundings = RecordedSurroundings::new(&own, &prepared, &planned, &[&others]).unwrap();
    let context = SenderContext::new(&own, &prepared);
    for (name, predictor, kind) in planners() {
        let setting = ChainSetting {
            prepared: &prepared,
            surroundings: &surroundings,
            context: &context,
            predictor,
            bound: BOUND_M,
            angle_bound: AngleThreshold::degrees(3.0).unwrap(),
            receivers: &[],
        };
        let (published, curves) = play(name, kind.clone(), &setting);
        println!("{name}: {published} updates, {curves} of them planned, the same on both sides");
        assert!(published > 10, "{name}: {published} updates");
        let plans = kind != PlannerKind::Model;
        assert!(!plans || curves > published / 4, "{name}: {curves} curves of {published}");
    }
}
