//! A host, a session with one body of its own, and what is around that body.

use std::sync::Arc;
use std::time::Duration;

use reckoning::math::{cos, sin};
use reckoning::{Curve, CurveBasis};
use reckoning_net::{
    ClockMode, DVec3, EntityId, Format, Host, HostConfig, HostEvent, Item, Kind, KindId, Kinds,
    Kinematics, KnownBody, Model, Owner, PeerId, PlanningAssets, Quantiser, Registry, Session,
    SessionConfig, SessionEvent, SimTime, Surroundings, TrendMap, Update, Walls,
};
use reckoning_predict::learned::{Framing, LearnedInput, LearnedModel, LearnedParts};
use reckoning_predict::{
    Outline, PheromoneMap, Restores, Routes, RoutesConfig, Scene, Sighting, TrendMapConfig, Wall,
};

pub const PEER: PeerId = PeerId(1);
/// Our body in its scene.
pub const US: u32 = 7;

pub fn format() -> Format {
    format_of(true)
}

/// In two dimensions or in three.
pub fn format_of(is_flat: bool) -> Format {
    let steps = Quantiser {
        position_m: 0.01,
        velocity_mps: 0.03,
        acceleration_mps2: 0.1,
        angular_velocity_radps: 0.01,
        orientation: 0.01,
    };
    let curve = Model::Curve(Curve::still(CurveBasis::FOUR));
    Format::new(is_flat, 1_000, steps, &[Model::Linear, curve], Registry::default()).unwrap()
}

/// Steps of 25 ms on one clock, so that what is stamped is what was observed.
pub struct World {
    pub host: Host,
    pub session: Session,
    pub now: SimTime,
    pub events: Vec<SessionEvent>,
    pub kind: KindId,
    /// One that asks for nothing.
    pub plain: KindId,
}

impl World {
    /// A session that has joined, with these assets on both ends.
    pub fn new(kind: Kind, assets: &PlanningAssets) -> Self {
        Self::with_format(format(), kind, assets)
    }

    /// The same, with what travels in another format.
    pub fn with_format(format: Format, kind: Kind, assets: &PlanningAssets) -> Self {
        let mut config = HostConfig::new(format);
        config.clock_mode = ClockMode::PerHop;
        config.planning = assets.clone();
        let mut kinds = Kinds::default();
        let kind = kinds.add("walker", kind).unwrap();
        let plain = kinds.add("plain", Kind::default()).unwrap();
        config.kinds = kinds;
        let mut host = Host::new(config).unwrap();
        host.connect(SimTime::ZERO, PEER);
        let mut config = SessionConfig::default();
        config.planning = assets.clone();
        let session = Session::new(config).unwrap();
        let mut world = Self { host, session, now: SimTime::ZERO, events: Vec::new(), kind, plain };
        (0..10).for_each(|_| world.step());
        assert_eq!(world.session.peer(), Some(PEER));
        world
    }

    /// The kind as the session was told it.
    pub fn kind(&self) -> &Kind {
        self.session.kinds().get(self.kind).unwrap()
    }

    /// A body of the session, which is known there.
    pub fn spawn(&mut self) -> EntityId {
        let (now, owner) = (self.now, Owner::Peer(PEER));
        let body = self.host.spawn_kind(now, self.kind, owner, b"", &course(now)).unwrap();
        (0..4).for_each(|_| self.step());
        body
    }

    pub fn step(&mut self) {
        let mut buf = [0; 1000];
        self.now += Duration::from_millis(25);
        let now = self.now;
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
        self.events.extend(core::iter::from_fn(|| self.session.poll_event()));
    }

    /// What the host knows of a body.
    pub fn known(&self, body: EntityId) -> Update {
        *self.host.entities().find(|(id, ..)| *id == body).unwrap().2
    }
}

/// Winding about the middle of the level.
pub fn course(now: SimTime) -> Kinematics {
    let t = now.as_secs_f64();
    let place = DVec3::new(5.0 * sin(0.7 * t), 4.0 * sin(1.1 * t + 1.0), 0.0);
    let velocity = DVec3::new(3.5 * cos(0.7 * t), 4.4 * cos(1.1 * t + 1.0), 0.0);
    Kinematics::moving(now, place, velocity)
}

/// What is around at one moment, as a game would gather it.
pub struct Moment {
    pub bodies: Vec<KnownBody>,
    pub items: Vec<Item>,
    pub trails: PheromoneMap,
    pub routes: Routes,
}

impl Moment {
    pub fn new(now: SimTime) -> Self {
        let mut trails =
            PheromoneMap::new(DVec3::splat(-10.0), 0.5, 40, 40, Duration::from_secs(10)).unwrap();
        let mut bodies = vec![KnownBody::new(US, 0, course(now))];
        for id in 1..=3_u32 {
            let shifted = course(now + Duration::from_millis(900) * id);
            let at = Kinematics { at: now, ..shifted };
            let mut body = KnownBody::new(id, i32::from(id == 3), at);
            body.health = 0.4;
            bodies.push(body);
            trails.deposit(at.position, 3.0);
        }
        let item = |x: f64| Item {
            position: DVec3::new(x, 2.0, 0.0),
            restores: Restores::Health,
            worth: 0.5,
        };
        (bodies[0].health, bodies[0].steady) = (0.6, Duration::from_secs(1));
        let routes = Routes::new(walls(), RoutesConfig::default()).unwrap();
        Self { bodies, items: vec![item(-3.0), item(6.0)], trails, routes }
    }

    /// The scene, without the level.
    pub fn scene(&self) -> Scene<'_> {
        let mut scene = Scene::new(&self.bodies, &self.items);
        scene.pheromones = Some(&self.trails);
        scene.routes = Some(&self.routes);
        scene
    }

    pub fn around<'a>(scene: &'a Scene<'a>) -> Surroundings<'a> {
        Surroundings { scene: Some(scene), id: US, ..Surroundings::default() }
    }
}

pub fn walls() -> Walls {
    let block = |x: f64, y: f64, half_x_m: f64| Wall {
        outline: Outline::Box {
            center: DVec3::new(x, y, 0.0),
            half_x_m,
            half_y_m: 0.5,
            yaw_rad: 0.0,
        },
        bottom_m: -1.0,
        top_m: 3.0,
    };
    Walls::new([block(2.0, 1.0, 0.5), block(-1.0, -1.0, 2.5), block(0.0, 2.5, 2.0)]).unwrap()
}

/// Bodies go along the course of another moment, and speed up.
pub fn trends() -> TrendMap {
    let sighting = |tick: i64| {
        let at = course(SimTime::from_millis(tick * 20));
        Sighting { position: at.position, velocity: at.velocity, acceleration: at.velocity * 0.3 }
    };
    let sightings: Vec<Sighting> = (0..4_000).map(sighting).collect();
    TrendMap::new(&sightings, &TrendMapConfig::default()).unwrap()
}

pub fn assets() -> PlanningAssets {
    let mut assets = PlanningAssets::default();
    (assets.walls, assets.trends) = (Some(Arc::new(walls())), Some(Arc::new(trends())));
    assets.add_network("coasting", network());
    assets
}

/// Coasts on the longest term at half of the velocity, so that others do better now and then.
pub fn network() -> Arc<LearnedModel> {
    let input = |feature| LearnedInput { feature, mean: 0.0, scale: 1.0, low: -50.0, high: 50.0 };
    let mut skip = vec![0.0; 4 * 12];
    for axis in 0..3 {
        skip[(1 + axis) * 12 + axis * 4 + 3] = 0.5;
    }
    Arc::new(
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
        .unwrap(),
    )
}
