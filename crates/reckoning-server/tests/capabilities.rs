//! What a networked game can use, each through real sockets of this machine: see
//! `docs/capabilities.md`.

mod support;

use std::sync::Arc;
use std::time::Duration;

use reckoning::follow::{FollowAction, FollowerConfig};
use reckoning::ghost::Pace;
use reckoning::model::{CustomModel, Path, PathRide};
use reckoning::sampler::SamplerConfig;
use reckoning::{
    AimConfig, Blend, BlendSpan, Curve, CurveBasis, DQuat, DVec3, Follower, GhostConfig,
    Kinematics, Model, Sampler, SimTime,
};
use reckoning_client::{Client, ClientConfig, SessionEvent, Status};
use reckoning_net::{
    ClockMode, Delivery, DisconnectReason, EntityId, Facing, Format, Host, HostConfig, HostEvent,
    Item, Kind, KindId, Kinds, KnownBody, LearnedKind, Owner, PeerId, PlaceThreshold, PlannerKind,
    PlanningAssets, PropertyId, PropertyType, Quantiser, Registry, Seen, Show, Surroundings,
    TrendMap, Viewpoint, Walls, ZoneClass, ZoneConfig,
};
use reckoning_predict::learned::{Framing, LearnedInput, LearnedModel, LearnedParts};
use reckoning_predict::{
    ChooserConfig, InterestConfig, Outline, PatternsConfig, PheromoneConfig, PheromoneMap,
    Restores, Routes, RoutesConfig, Scene, Sighting, TrendMapConfig, TrendedConfig, Wall,
};
use reckoning_server::{Game, Running, Server};

use support::{circle, settings, wait_for};

const STEPS: Quantiser = Quantiser {
    position_m: 0.01,
    velocity_mps: 0.03,
    acceleration_mps2: 0.1,
    angular_velocity_radps: 0.01,
    orientation: 0.01,
};

fn format(registry: Registry) -> Format {
    let curve = Model::Curve(Curve::still(CurveBasis::FOUR));
    Format::new(true, 1_000, STEPS, &[Model::Linear, curve], registry).unwrap()
}

/// What a test asks of the game, by a message.
const KICK: &[u8] = b"kick me";
const HAND_OVER: &[u8] = b"hand it over";
const WORDS: &str = "Feierabend: der Server schließt um zehn.";

/// The first who joins owns a body of each of these kinds; a message makes something of it.
#[derive(Default)]
struct Town {
    kinds: Vec<KindId>,
    /// Bodies of the host, a metre apart.
    crowd: u32,
    name: Option<PropertyId>,
    /// Players see from their own body instead of everything.
    own_view: bool,
    joined: Vec<PeerId>,
    bodies: Vec<EntityId>,
}

impl Game for Town {
    fn event(&mut self, now: SimTime, event: &HostEvent, host: &mut Host) {
        match event {
            HostEvent::Joined { peer, .. } => self.join(now, *peer, host),
            HostEvent::Message { peer, bytes } if bytes == KICK => {
                host.kick(now, *peer, DisconnectReason::Game(3), WORDS).unwrap();
            }
            HostEvent::Message { bytes, .. } if bytes == HAND_OVER => {
                assert!(host.grant(now, self.bodies[0], self.joined[1]));
            }
            _ => {}
        }
    }

    fn tick(&mut self, _: SimTime, _: &mut Host) {}
}

impl Town {
    fn join(&mut self, now: SimTime, peer: PeerId, host: &mut Host) {
        let viewpoint = if self.own_view { Viewpoint::Own } else { Viewpoint::Everywhere };
        host.set_viewpoint(peer, viewpoint);
        self.joined.push(peer);
        if self.joined.len() > 1 {
            return;
        }
        for kind in &self.kinds {
            let start = Kinematics::at_rest(now, DVec3::ZERO);
            let body = host.spawn_kind(now, *kind, Owner::Peer(peer), b"", &start).unwrap();
            self.bodies.push(body);
            if let Some(name) = self.name {
                host.set(body, name, "Ada").unwrap();
            }
        }
        for n in 0..self.crowd {
            let place = DVec3::new(f64::from(n % 40), f64::from(n / 40), 0.0);
            host.spawn(now, Owner::Host, b"", &Kinematics::at_rest(now, place)).unwrap();
        }
    }
}

fn serve(host: HostConfig, town: Town) -> Running {
    let mut server = Server::new(settings(&[]));
    server.set_host(host);
    server.start(town).unwrap()
}

/// A player with what it was granted, and everything it heard.
struct Player {
    client: Client,
    mine: Vec<EntityId>,
    heard: Vec<SessionEvent>,
}

impl Player {
    fn new(server: &Running, set: impl FnOnce(&mut ClientConfig)) -> Self {
        let mut config = ClientConfig::new(&server.address().to_string());
        config.retry_longest = Duration::ZERO;
        set(&mut config);
        Self { client: Client::connect(config).unwrap(), mine: Vec::new(), heard: Vec::new() }
    }

    fn frame(&mut self) -> SimTime {
        let now = self.client.drive();
        while let Some(event) = self.client.poll_event() {
            if let SessionEvent::Granted(entity) = event {
                self.mine.push(entity);
            }
            self.heard.push(event);
        }
        now
    }

    /// Moves everything it owns along the circle.
    fn circles(&mut self) {
        let now = self.frame();
        for entity in self.mine.clone() {
            self.client.observe(entity, &circle(now));
        }
    }

    /// The model by which a body is shown here.
    fn model_of(&self, body: EntityId) -> Option<Model> {
        let (_, remote) = self.client.ghosts().find(|(id, _)| *id == body)?;
        Some(*remote.ghost().update().model())
    }

    fn joined(&self) -> bool {
        *self.client.status() == Status::Joined
    }
}

/// One who owns and one who watches, once the watcher sees all that was granted.
fn pair(server: &Running, set: impl Fn(&mut ClientConfig), bodies: usize) -> [Player; 2] {
    let mut owner = Player::new(server, &set);
    wait_for("the first joins", 20.0, || {
        owner.frame();
        owner.joined()
    });
    let mut watcher = Player::new(server, set);
    wait_for("bodies in sight", 20.0, || {
        owner.circles();
        watcher.frame();
        let sees = |body: &EntityId| watcher.model_of(*body).is_some();
        owner.mine.len() == bodies && owner.mine.iter().all(sees)
    });
    [owner, watcher]
}

#[test]
fn a_kicked_player_reads_why() {
    let kind = vec![KindId::NONE];
    let host = HostConfig::new(format(Registry::default()));
    let server = serve(host, Town { kinds: kind, ..Town::default() });
    let mut player = Player::new(&server, |_| {});
    wait_for("the join", 20.0, || {
        player.frame();
        player.joined()
    });
    player.client.send(KICK, Delivery::Reliable).unwrap();
    wait_for("the end", 20.0, || {
        player.frame();
        !player.joined()
    });
    let kicked = SessionEvent::Kicked { why: DisconnectReason::Game(3), words: WORDS.to_string() };
    assert!(player.heard.contains(&kicked), "{:?}", player.heard);
    assert_eq!(*player.client.status(), Status::Over { reason: WORDS.to_string() });
    server.stop();
}

fn track() -> &'static Path {
    static TRACK: std::sync::OnceLock<&'static Path> = std::sync::OnceLock::new();
    TRACK.get_or_init(|| {
        let corners = [DVec3::ZERO, DVec3::X * 40.0, DVec3::new(40.0, 30.0, 0.0)];
        Path::polyline(5, &corners, true).unwrap().leak()
    })
}

fn swings(seen: &Kinematics, t_s: f64) -> DVec3 {
    seen.position + seen.velocity * libm::sin(t_s)
}

const SWING: CustomModel = CustomModel { id: 9, position_after: swings };

fn registry() -> Registry {
    Registry { customs: vec![SWING], paths: vec![track()] }
}

#[test]
fn a_client_owns_a_train_and_a_body_with_a_model_of_the_games_own() {
    let mut host = HostConfig::new(format(registry()));
    let mut kinds = Kinds::default();
    let on_track = Model::Path(PathRide { path: track(), progress_m: 0.0, rate_mps: 0.0 });
    let mut ids = Vec::new();
    for (name, model) in [("train", on_track), ("swing", Model::Custom(SWING))] {
        let mut kind = Kind::default();
        kind.publisher.model = model;
        ids.push(kinds.add(name, kind).unwrap());
    }
    host.kinds = kinds;
    let server = serve(host, Town { kinds: ids, ..Town::default() });
    let known = |config: &mut ClientConfig| config.session.registry = registry();
    let [mut owner, mut watcher] = pair(&server, known, 2);
    let (train, swing) = (owner.mine[0], owner.mine[1]);
    let (mut seen, mut moving) = (0, 0);
    wait_for("both models for a while", 20.0, || {
        let now = owner.frame();
        let progress_m = 12.0 * now.as_secs_f64();
        let (place, direction) = track().place_at(progress_m);
        owner.client.observe(train, &Kinematics::moving(now, place, direction * 12.0));
        owner.client.observe(swing, &circle(now));
        let now = watcher.frame();
        if let (Some(Model::Path(ride)), Some(shown)) =
            (watcher.model_of(train), watcher.client.shown(train, now))
        {
            // It begins on the circle of the others and blends onto the track.
            if ride.rate_mps > 11.0 {
                moving += 1;
            }
            if moving > 100 {
                let on_track = track().place_at(track().nearest_m(shown.position)).0;
                let off_m = on_track.distance(shown.position);
                assert!(off_m < 1e-6, "{off_m} m off the track");
                seen += 1;
            }
        }
        let custom = matches!(watcher.model_of(swing), Some(Model::Custom(model)) if model.id == 9);
        custom && seen > 100
    });
    server.stop();
    let stranger = "a client without the track";
    let server = serve(
        HostConfig::new(Format::new(true, 1_000, STEPS, &[on_track], registry()).unwrap()),
        Town::default(),
    );
    let mut player = Player::new(&server, |_| {});
    wait_for(stranger, 20.0, || {
        player.frame();
        player.heard.contains(&SessionEvent::Disconnected(DisconnectReason::Format))
    });
    server.stop();
}

#[test]
fn velocities_come_from_positions_alone() {
    let host = HostConfig::new(format(Registry::default()));
    let server = serve(host, Town { kinds: vec![KindId::NONE], ..Town::default() });
    let [mut owner, mut watcher] = pair(&server, |_| {}, 1);
    let body = owner.mine[0];
    let mut sampler = Sampler::new(SamplerConfig::default()).unwrap();
    wait_for("the speed that was sampled", 20.0, || {
        let now = owner.frame();
        let truth = sampler.observe(now, circle(now).position, DQuat::IDENTITY);
        owner.client.observe(body, &truth);
        watcher.frame();
        let ghost = watcher.client.ghosts().find(|(id, _)| *id == body);
        let speed_mps = ghost.map(|(_, it)| it.ghost().update().kinematics().velocity.length());
        speed_mps.is_some_and(|speed_mps| (speed_mps - 10.0).abs() < 1.0)
    });
    server.stop();
}

#[test]
fn a_thousand_bodies_are_drawn_by_one_call() {
    let host = HostConfig::new(format(Registry::default()));
    let town = Town { kinds: vec![KindId::NONE], crowd: 1_000, ..Town::default() };
    let server = serve(host, town);
    let mut player = Player::new(&server, |_| {});
    let mut poses = Vec::new();
    wait_for("a thousand in sight", 40.0, || {
        let now = player.frame();
        player.client.poses_into(now, &mut poses);
        poses.len() == 1_000
    });
    assert!(poses.windows(2).all(|pair| pair[0].0 < pair[1].0), "in order");
    assert!(
        poses.iter().any(|(_, pose)| pose.position.distance(DVec3::new(39.0, 24.0, 0.0)) < 0.1)
    );
    server.stop();
}

#[test]
fn bodies_face_the_way_they_go_and_blend_by_their_error() {
    let mut host = HostConfig::new(format(Registry::default()));
    let mut boat = Kind::default();
    boat.facing = Facing::Heading { min_speed_mps: 0.5 };
    let mut ghost = GhostConfig::default();
    ghost.blend = Blend::ProjectiveVelocity;
    ghost.span = BlendSpan::ByError {
        min: Duration::from_millis(100),
        max: Duration::from_millis(500),
        per_metre: Duration::from_millis(300),
    };
    boat.show = Show::Reckoned(ghost);
    let boat = host.kinds.add("boat", boat).unwrap();
    let server = serve(host, Town { kinds: vec![boat], ..Town::default() });
    let [mut owner, mut watcher] = pair(&server, |_| {}, 1);
    let body = owner.mine[0];
    wait_for("a boat that faces ahead", 20.0, || {
        owner.circles(); // its orientation is never said
        let now = watcher.frame();
        let Some(pose) = watcher.client.shown(body, now) else { return false };
        let nose = pose.orientation * DVec3::X;
        let ahead = DVec3::Z.cross(pose.position.normalize_or_zero());
        nose.dot(ahead) > 0.95 && pose.position.length() > 8.0
    });
    server.stop();
}

/// Of a body on the circle, whose acceleration is known as well.
fn circle_with_acceleration(now: SimTime) -> Kinematics {
    let seen = circle(now);
    Kinematics { acceleration: -seen.position, ..seen }
}

/// A kind says all of it, to owners and to those who watch.
#[test]
fn lines_are_aimed_and_judged_ahead_and_shown_closely_by_trust_and_at_a_pace() {
    let mut host = HostConfig::new(format(Registry::default()));
    let mut skater = Kind::default();
    skater.publisher.model = Model::Accelerating { trust: Duration::from_secs(1) };
    skater.publisher.judge_ahead = Some(Duration::from_millis(200));
    skater.aim = Some(AimConfig::default());
    let mut ghost = GhostConfig::default();
    (ghost.span, ghost.hedged) = (BlendSpan::close(0.5), true);
    ghost.pace = Some(Pace { max_speed_mps: 15.0, max_span: Duration::from_millis(500) });
    skater.show = Show::Reckoned(ghost);
    let skater = host.kinds.add("skater", skater).unwrap();
    let server = serve(host, Town { kinds: vec![skater], ..Town::default() });
    let [mut owner, mut watcher] = pair(&server, |_| {}, 1);
    let body = owner.mine[0];
    let mut is_aimed = false;
    wait_for("a line that is aimed, and trust that was earned", 20.0, || {
        let now = owner.frame();
        owner.client.observe(body, &circle_with_acceleration(now));
        watcher.frame();
        let Some((_, remote)) = watcher.client.ghosts().find(|it| it.0 == body) else {
            return false;
        };
        let Some(shown) = remote.ghost().reckoned() else { return false };
        let config = shown.config();
        assert_eq!((config.span, config.pace, config.hedged), (ghost.span, ghost.pace, true));
        let seen = shown.update().kinematics();
        // The line turns inwards, where the body will be a moment later.
        let inwards = -seen.position.normalize_or_zero().dot(seen.velocity);
        is_aimed |= *shown.update().model() == Model::Linear && inwards > 1.0;
        is_aimed && shown.trust() != [0.8, 0.1, 0.1]
    });
    let owns = owner.client.session().unwrap().kinds();
    let told = owns.get(skater).unwrap();
    assert_eq!(told.publisher.judge_ahead, Some(Duration::from_millis(200)));
    server.stop();
}

/// Bodies that follow their ghosts, change their owner, and have a name.
#[test]
fn a_body_is_named_followed_and_handed_over() {
    let mut host = HostConfig::new(format(Registry::default()));
    let name = host.kinds.property("name", PropertyType::Text, Seen::ByAll).unwrap();
    let town = Town { kinds: vec![KindId::NONE], name: Some(name), ..Town::default() };
    let server = serve(host, town);
    let [mut owner, mut watcher] = pair(&server, |_| {}, 1);
    let body = owner.mine[0];
    wait_for("the name", 20.0, || {
        owner.circles();
        watcher.frame();
        watcher.client.property(body, name) == Some(&"Ada".into())
    });
    let follower = Follower::new(FollowerConfig::default()).unwrap();
    let (mut place, mut velocity, mut last) = (DVec3::ZERO, DVec3::ZERO, watcher.client.now());
    wait_for("a body of physics at the ghost", 20.0, || {
        owner.circles();
        let now = watcher.frame();
        let dt_s = now.secs_since(last);
        last = now;
        let session = watcher.client.session().unwrap();
        let at = session.timeline_at(now).unwrap();
        let Some((_, remote)) = session.ghosts().find(|(id, _)| *id == body) else { return false };
        let then = at - Duration::from_secs_f64(dt_s.max(0.0));
        let (from, to) = (remote.ghost().kinematics_at(then), remote.ghost().kinematics_at(at));
        match follower.steer(&Kinematics::moving(then, place, velocity), &from, &to) {
            FollowAction::Velocity { velocity: steered, .. } => {
                velocity = steered;
                place += velocity * dt_s;
            }
            FollowAction::Teleport(state) => (place, velocity) = (state.position, state.velocity),
        }
        place.distance(to.position) < 0.5
    });
    owner.client.send(HAND_OVER, Delivery::Reliable).unwrap();
    wait_for("another owner", 20.0, || {
        owner.circles();
        watcher.frame();
        watcher.mine == [body]
    });
    let now = watcher.client.now();
    let truth = Kinematics::moving(now, place, velocity);
    watcher.client.observe(body, &truth);
    wait_for("the former owner watches", 20.0, || {
        owner.frame();
        watcher.circles();
        owner.model_of(body).is_some() && owner.heard.contains(&SessionEvent::Revoked(body))
    });
    server.stop();
}

#[test]
fn classes_reach_the_client_and_clocks_may_differ() {
    let mut host = HostConfig::new(format(Registry::default()));
    host.clock_mode = ClockMode::PerHop;
    let (mut near, mut far) = (ZoneClass::default(), ZoneClass::default());
    (near.radius_m, far.coarser_log2) = (5.0, 2);
    let mut zones = ZoneConfig::default();
    zones.classes = vec![near, far];
    host.zones = zones;
    let kinds = vec![KindId::NONE];
    let server = serve(host, Town { kinds, crowd: 200, own_view: true, ..Town::default() });
    let mut player = Player::new(&server, |_| {});
    wait_for("bodies of both classes", 20.0, || {
        player.frame();
        let mut seen = [0; 2];
        for (_, remote) in player.client.ghosts() {
            seen[usize::from(remote.class())] += 1;
        }
        // Forty in a row, five rows: a quarter of a circle of five metres is near.
        seen[0] + seen[1] == 200 && (15..40).contains(&seen[0])
    });
    assert_eq!(player.client.session().unwrap().host_time(player.client.now()), None);
    server.stop();
}

/// What planners look at.
fn walls() -> Walls {
    let outline = Outline::Box {
        center: DVec3::new(30.0, 0.0, 0.0),
        half_x_m: 0.5,
        half_y_m: 20.0,
        yaw_rad: 0.0,
    };
    Walls::new([Wall { outline, bottom_m: -1.0, top_m: 3.0 }]).unwrap()
}

fn assets() -> PlanningAssets {
    let sighting = |tick: i64| {
        let at = circle(SimTime::from_millis(tick * 20));
        Sighting { position: at.position, velocity: at.velocity, acceleration: at.velocity * 0.3 }
    };
    let sightings: Vec<Sighting> = (0..4_000).map(sighting).collect();
    let mut assets = PlanningAssets::default();
    assets.walls = Some(Arc::new(walls()));
    assets.trends = TrendMap::new(&sightings, &TrendMapConfig::default()).ok().map(Arc::new);
    assets.add_network("coasting", network());
    assets
}

/// Coasts on the longest term.
fn network() -> Arc<LearnedModel> {
    let input = |feature| LearnedInput { feature, mean: 0.0, scale: 1.0, low: -50.0, high: 50.0 };
    let mut skip = vec![0.0; 4 * 12];
    for axis in 0..3 {
        skip[(1 + axis) * 12 + axis * 4 + 3] = 0.9;
    }
    let parts = LearnedParts {
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
    };
    Arc::new(LearnedModel::new(parts).unwrap())
}

/// Every planner by its name, the two plain models among them.
fn planners() -> Vec<(&'static str, PlannerKind, Model)> {
    let (interest, patterns) =
        (InterestConfig::default().scaled(0.05), PatternsConfig::default().scaled(0.01));
    let mut learned = LearnedKind::default();
    (learned.network, learned.choose) = ("coasting".to_string(), false);
    let linear = |name, planner| (name, planner, Model::Linear);
    vec![
        linear("linear", PlannerKind::Model),
        ("damped", PlannerKind::Model, Model::Damped { fade: Duration::from_millis(700) }),
        linear("interest", PlannerKind::Interest(interest)),
        linear("interest-hybrid", PlannerKind::InterestHybrid(interest)),
        linear("ekb", PlannerKind::Ekb(patterns)),
        linear("ekb-hybrid", PlannerKind::EkbHybrid(patterns)),
        linear("oaekb", PlannerKind::Oaekb(patterns)),
        linear("oaekb-hybrid", PlannerKind::OaekbHybrid(patterns)),
        linear("trend", PlannerKind::Trend(TrendedConfig::default())),
        linear("pheromone", PlannerKind::Pheromone(PheromoneConfig::default())),
        linear("learned", PlannerKind::Learned(learned)),
        // A model that it never takes by itself, to tell its plans apart.
        ("chooser", PlannerKind::Chooser(ChooserConfig::default().scaled(0.01)), Model::Hold),
    ]
}

/// Two friends, an enemy and something to pick up, with trails of all.
struct Around {
    bodies: Vec<KnownBody>,
    items: Vec<Item>,
    trails: PheromoneMap,
    routes: Routes,
}

impl Around {
    fn new(now: SimTime) -> Self {
        let mut trails =
            PheromoneMap::new(DVec3::splat(-15.0), 0.5, 60, 60, Duration::from_secs(10)).unwrap();
        let mut bodies = vec![KnownBody::new(7, 0, circle(now))];
        for id in 1..=3_u32 {
            let ahead = circle(now + Duration::from_millis(700) * id);
            let at = Kinematics { at: now, ..ahead };
            bodies.push(KnownBody::new(id, i32::from(id == 3), at));
            trails.deposit(at.position, 3.0);
        }
        (bodies[0].health, bodies[0].steady) = (0.6, Duration::from_secs(1));
        let restores = Restores::Health;
        let items = vec![Item { position: DVec3::new(6.0, 2.0, 0.0), restores, worth: 0.5 }];
        let routes = Routes::new(walls(), RoutesConfig::default()).unwrap();
        Self { bodies, items, trails, routes }
    }

    fn scene(&self) -> Scene<'_> {
        let mut scene = Scene::new(&self.bodies, &self.items);
        (scene.pheromones, scene.routes) = (Some(&self.trails), Some(&self.routes));
        scene
    }
}

#[test]
fn every_planner_plans_at_its_owner_and_its_curve_reaches_the_others() {
    let mut host = HostConfig::new(format(Registry::default()));
    let mut kinds = Vec::new();
    for (name, planner, model) in planners() {
        let mut kind = Kind::default();
        (kind.planner, kind.publisher.model) = (planner, model);
        // These two hold at owners whatever the planner is.
        kind.prevents = true;
        kind.threshold_by_place = Some(PlaceThreshold { min_m: 0.1, max_m: 0.5 });
        kinds.push(host.kinds.add(name, kind).unwrap());
    }
    let server = serve(host, Town { kinds, ..Town::default() });
    let set = |config: &mut ClientConfig| config.session.planning = assets();
    let [mut owner, mut watcher] = pair(&server, set, planners().len());
    let mut planned = vec![false; planners().len()];
    let mut mine = owner.mine.clone();
    mine.sort(); // as they were spawned; grants may overtake each other
    wait_for("a plan of each", 40.0, || {
        let now = owner.frame();
        let around = Around::new(now);
        let scene = around.scene();
        let looking = Surroundings { scene: Some(&scene), id: 7, ..Surroundings::default() };
        for entity in &mine {
            owner.client.observe_with(*entity, &circle(now), &looking);
        }
        watcher.frame();
        for (entity, (is_planned, (_, planner, model))) in
            mine.iter().zip(planned.iter_mut().zip(planners()))
        {
            let shown = watcher.model_of(*entity);
            *is_planned |= match planner {
                PlannerKind::Model => shown == Some(model),
                PlannerKind::Chooser(_) => shown.is_some_and(|shown| shown != model),
                _ => matches!(shown, Some(Model::Curve(_))),
            };
        }
        planned.iter().all(|is_planned| *is_planned)
    });
    let missing = |it: &&SessionEvent| {
        matches!(it, SessionEvent::PlannerMissing { needs, .. }
        if *needs != reckoning_net::PlannerNeed::Scene)
    };
    assert_eq!(owner.heard.iter().find(missing), None);
    server.stop();
}

/// Runs at the wall and stops in front of it, again and again.
fn at_the_wall(now: SimTime) -> Kinematics {
    let t_s = now.as_secs_f64().rem_euclid(1.0);
    let (x, speed) = if t_s < 0.25 { (28.0 + 4.0 * t_s, 4.0) } else { (29.0, 0.0) };
    Kinematics::moving(now, DVec3::new(x, 0.0, 0.0), DVec3::X * speed)
}

#[test]
fn nobody_is_shown_on_the_way_into_a_wall_where_its_kind_prevents_that() {
    let mut host = HostConfig::new(format(Registry::default()));
    let mut careful = Kind::default();
    careful.prevents = true;
    let careful = host.kinds.add("careful", careful).unwrap();
    let careless = host.kinds.add("careless", Kind::default()).unwrap();
    let server = serve(host, Town { kinds: vec![careful, careless], ..Town::default() });
    let set = |config: &mut ClientConfig| config.session.planning = assets();
    let [mut owner, mut watcher] = pair(&server, set, 2);
    let (bodies, walls) = (owner.mine.clone(), walls());
    let (mut inside, mut frames) = ([0; 2], 0);
    wait_for("a while at the wall", 40.0, || {
        let now = owner.frame();
        for body in &bodies {
            owner.client.observe(*body, &at_the_wall(now));
        }
        watcher.frame();
        for (body, inside) in bodies.iter().zip(&mut inside) {
            let ghost = watcher.client.ghosts().find(|(id, _)| id == body);
            let update = ghost.map(|(_, remote)| *remote.ghost().update());
            // What was sent before the run began lies on the circle of the others.
            let near = update.filter(|it| it.kinematics().position.x > 20.0);
            let ahead = near.map(|it| it.position_at(it.at() + Duration::from_millis(450)));
            *inside += u32::from(ahead.is_some_and(|place| walls.inside(place)));
        }
        frames += 1;
        frames > 500 && inside[1] > 5
    });
    assert_eq!(inside[0], 0, "{inside:?} updates that lead into the wall");
    server.stop();
}
