//! One long replay through everything that two machines must agree on, hashed bit by bit.
//!
//! Bodies with every model and every blend publish over a link that loses, doubles, delays
//! and reorders; what every ghost shows on every frame goes into the hash, and so do a
//! crowd, ground clamping, joints, delayed ghosts, export errors and who is served when. Any platform or optimiser
//! that rounds once differently gives another number.

use std::time::Duration;

use reckoning::crowd::{CrowdId, CrowdView};
use reckoning::dis::{DisAlgorithm, DisModel};
use reckoning::fairness::{Budget, FairnessConfig, ListenerId, Policy, Weights};
use reckoning::ground::GroundClampConfig;
use reckoning::joints::{JointGhost, JointPublisher, JointPublisherConfig};
use reckoning::model::{Ballistic, Landing, Path, PathRide};
use reckoning::terrain::FlatGround;
use reckoning::{
    Blend, BlendSpan, Crowd, Curve, CurveBasis, DQuat, DVec3, DelayedConfig, DelayedGhost,
    Fairness, Ghost, GhostConfig, GroundClamp, Joint, Kinematics, Model, Publisher,
    PublisherConfig, Quantiser, Sampler, SamplerConfig, SimTime, Update, update_error_between,
};

const FRAMES_PER_S: u32 = 60;
const FRAMES: i64 = 120 * FRAMES_PER_S as i64;

/// The hash of the whole replay.
pub fn hash() -> u64 {
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    for (body, model) in models().into_iter().enumerate() {
        Replay::start(body as u64, model).run(&mut hash);
    }
    joints(&mut hash);
    hash.0
}

/// FNV-1a over the bits of every number shown.
struct Hash(u64);

impl Hash {
    fn number(&mut self, x: f64) {
        for byte in x.to_bits().to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn vector(&mut self, v: DVec3) {
        v.to_array().into_iter().for_each(|x| self.number(x));
    }

    fn turn(&mut self, q: DQuat) {
        q.to_array().into_iter().for_each(|x| self.number(x));
    }
}

fn models() -> Vec<Model> {
    let track: Vec<DVec3> = (0..8)
        .map(|k| {
            let (sin, cos) = libm::sincos(f64::from(k) * 0.785);
            DVec3::new(80.0 * cos, 50.0 * sin, f64::from(k % 3))
        })
        .collect();
    let path = Path::spline(3, &track, true).expect("eight different points").leak();
    let fall = Ballistic::new(9.81, 0.0, Landing::Run).expect("finite");
    let mut models = vec![
        Model::Hold,
        Model::Linear,
        Model::Accelerating { trust: Duration::from_millis(400) },
        Model::Damped { fade: Duration::from_millis(900) },
        Model::Decaying { fade: Duration::from_millis(300) },
        Model::Curve(Curve::still(CurveBasis::THREE)),
        Model::Curve(Curve::still(CurveBasis::FOUR)),
        Model::Arc,
        Model::Ballistic(fall),
        Model::Path(PathRide { path, progress_m: 0.0, rate_mps: 0.0 }),
    ];
    models.extend(DisAlgorithm::ALL.map(|algorithm| Model::Dis(DisModel::new(algorithm))));
    models
}

/// A body that wanders, turns, hops and now and then stands, from sines alone.
fn pose(body: u64, t_s: f64) -> (DVec3, DQuat) {
    let k = 1.0 + 0.13 * body as f64;
    let pause = if libm::sin(0.21 * k * t_s) > 0.9 { 0.0 } else { 1.0 };
    let (x, y) = (60.0 * libm::sin(0.11 * k * t_s), 45.0 * libm::cos(0.17 * t_s) * pause);
    let z = 3.0 * libm::fabs(libm::sin(0.7 * k * t_s));
    let yaw = 2.0 * libm::sin(0.3 * k * t_s);
    let (sin, cos) = libm::sincos(0.5 * yaw);
    (DVec3::new(x, y, z), DQuat::from_xyzw(0.0, 0.0, sin, cos))
}

struct Replay {
    body: u64,
    dice: u64,
    sampler: Sampler,
    publisher: Publisher,
    ghosts: Vec<Ghost>,
    delayed: DelayedGhost,
    /// Knows three of the models only.
    crowd: Crowd,
    member: Option<CrowdId>,
    view: CrowdView,
    fairness: Fairness,
    clamp: GroundClamp,
    /// What is on the way, with its arrival.
    flying: Vec<(SimTime, Update)>,
    last: Update,
}

impl Replay {
    fn start(body: u64, model: Model) -> Self {
        let mut sampler = Sampler::new(SamplerConfig::default()).expect("defaults are sound");
        let (position, orientation) = pose(body, 0.0);
        let truth = sampler.observe(SimTime::ZERO, position, orientation);
        let mut config = PublisherConfig::default();
        config.model = model;
        config.heartbeat_spread = 0.1;
        config.seed = body;
        config.damp_acceleration = body.is_multiple_of(2);
        config.quantiser = Quantiser {
            position_m: 0.01,
            velocity_mps: 0.02,
            acceleration_mps2: 0.05,
            angular_velocity_radps: 0.01,
            orientation: 1.0 / 1024.0,
        };
        let (publisher, first) = Publisher::start(config, &truth).expect("sound settings");
        let ghosts = Blend::ALL.map(|blend| ghost(blend, first)).to_vec();
        let delayed = DelayedGhost::with_config(DelayedConfig::default(), first, SimTime::ZERO)
            .expect("defaults are sound");
        let mut crowd = Crowd::new(DVec3::splat(7.0), SimTime::ZERO);
        let member = crowd.insert(&first, SimTime::ZERO).ok();
        let view = CrowdView::default();
        let fairness = shared_among_three(body);
        let clamp = GroundClamp::new(GroundClampConfig::default()).expect("defaults are sound");
        let (dice, flying) = (body, Vec::new());
        Self {
            body,
            dice,
            sampler,
            publisher,
            ghosts,
            delayed,
            crowd,
            member,
            view,
            fairness,
            clamp,
            flying,
            last: first,
        }
    }

    fn run(&mut self, hash: &mut Hash) {
        for frame in 1..=FRAMES {
            let now = SimTime::from_tick(frame, FRAMES_PER_S);
            let (position, orientation) = pose(self.body, now.as_secs_f64());
            let truth = self.sampler.observe(now, position, orientation);
            if let Some(update) = self.observe(&truth) {
                let earlier = std::mem::replace(&mut self.last, update);
                hash.number(update_error_between(&update, &earlier, earlier.at(), now));
                self.fairness.handle_export(update, now);
                self.send(update, now);
            }
            while let Some(delivery) = self.fairness.poll_delivery(now) {
                hash.number(f64::from(delivery.to.0));
                hash.vector(delivery.update.position_at(now));
                let export = delivery.update.at();
                self.fairness.handle_acknowledgement(delivery.to, export, now, now);
            }
            self.deliver(now);
            self.show(now, hash);
        }
    }

    fn observe(&mut self, truth: &Kinematics) -> Option<Update> {
        if self.body.is_multiple_of(3) {
            self.publisher.observe_on(truth, &FlatGround::default())
        } else {
            self.publisher.observe(truth)
        }
    }

    /// Loses one in ten, doubles one in sixteen, delays by 20 to 275 ms.
    fn send(&mut self, update: Update, now: SimTime) {
        for _copy in 0..if self.roll().is_multiple_of(16) { 2 } else { 1 } {
            if self.roll().is_multiple_of(10) {
                continue;
            }
            let delay = Duration::from_millis(20 + self.roll() % 256);
            self.flying.push((now + delay, update));
        }
    }

    fn deliver(&mut self, now: SimTime) {
        let (due, flying) = self.flying.drain(..).partition(|(arrival, _)| *arrival <= now);
        self.flying = flying;
        let due: Vec<(SimTime, Update)> = due;
        for (arrival, update) in due {
            for ghost in &mut self.ghosts {
                ghost.accept(update, arrival);
            }
            self.delayed.accept(update, arrival);
            if let Some(member) = self.member {
                let accepted = self.crowd.accept(member, &update, arrival);
                accepted.expect("the model stays the same and nobody is removed");
            }
        }
    }

    fn show(&mut self, now: SimTime, hash: &mut Hash) {
        for ghost in &self.ghosts {
            hash.vector(ghost.position_at(now));
            hash.vector(ghost.velocity_at(now));
            hash.turn(ghost.orientation_at(now));
        }
        hash.vector(self.delayed.position_at(now));
        self.crowd.show(now, &mut self.view);
        for position in self.view.positions() {
            hash.vector(DVec3::from(position.map(f64::from)));
        }
        let distance_m = 10.0 * (self.body as f64);
        let ground = FlatGround { height_m: 0.5 };
        let pose = self.clamp.clamp(self.ghosts[3].pose_at(now), &ground, distance_m, now);
        hash.vector(pose.position);
        hash.turn(pose.orientation);
    }

    /// A plain congruential sequence; its upper bits are random enough for a link.
    fn roll(&mut self) -> u64 {
        self.dice =
            self.dice.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        self.dice >> 33
    }
}

fn ghost(blend: Blend, first: Update) -> Ghost {
    let mut config = GhostConfig::default();
    config.blend = blend;
    config.span =
        BlendSpan::FromArrivals { min: Duration::from_millis(50), max: Duration::from_millis(500) };
    Ghost::with_config(config, first, SimTime::ZERO).expect("sound settings")
}

fn shared_among_three(body: u64) -> Fairness {
    let budget = Budget::per_trigger(1.5).expect("above zero");
    let weights = Weights::ACCUMULATED;
    let policy = if body.is_multiple_of(2) {
        Policy::Deterministic { budget, weights }
    } else {
        Policy::Probabilistic { budget, weights }
    };
    let mut config = FairnessConfig::default();
    config.policy = policy;
    config.seed = body;
    let mut fairness = Fairness::new(config).expect("sound settings");
    for (listener, delay_ms) in [(1, 200), (2, 500), (3, 800)] {
        fairness.add_listener(ListenerId(listener), SimTime::ZERO);
        fairness.handle_delay(ListenerId(listener), Duration::from_millis(delay_ms));
    }
    fairness
}

fn joints(hash: &mut Hash) {
    let joint = |at: SimTime| {
        let t_s = at.as_secs_f64();
        Joint { at, angle_rad: 3.0 * libm::sin(0.4 * t_s), rate_radps: 1.2 * libm::cos(0.4 * t_s) }
    };
    let (mut publisher, first) =
        JointPublisher::start(JointPublisherConfig::default(), joint(SimTime::ZERO))
            .expect("defaults are sound");
    let mut ghost = JointGhost::new(first, Duration::from_millis(300));
    for frame in 1..=FRAMES {
        let now = SimTime::from_tick(frame, FRAMES_PER_S);
        if let Some(update) = publisher.observe(joint(now)) {
            ghost.accept(update, now);
        }
        hash.number(ghost.angle_at(now));
    }
}
