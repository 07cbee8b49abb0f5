//! The golden scenes of the bindings, as a script: what a body does, what its publisher makes of it,
//! what arrives when, and what its ghost shows, each number as the bits of an `f64`.

use std::fmt::Write as _;
use std::time::Duration;

use reckoning::joints::{JointGhost, JointPublisher, JointPublisherConfig};
use reckoning::math::{cos, sin};
use reckoning::{
    Blend, DQuat, DVec3, DelayedConfig, DelayedGhost, Ghost, GhostConfig, Joint, Kinematics, Model,
    Publisher, PublisherConfig, SimTime, Threshold, Update,
};
use reckoning_netsim::{Link, LinkConfig};

const HEADER: &str = "\
# Golden scenes of the bindings, by `cargo run -p reckoning-netsim --example bindings_golden`.
# Numbers are the bits of an f64 in hexadecimal, 0 is zero; moments are microseconds.
#   scene NAME
#   truth AT POSITION VELOCITY ACCELERATION ORIENTATION ANGULAR_VELOCITY UPDATE   (or - for none)
#   arrive NOW INDEX        the update of that index arrives; the first gives birth to the ghost
#   shown NOW POSITION ORIENTATION
#   aim AT ANGLE RATE SENT  the joint's truth, and whether its publisher sends it (1 or 0)
#   aimed NOW INDEX         the joint's update of that index arrives
#   angle NOW ANGLE         the joint as shown
# car: threshold 0.25 m; blend snap.
# walk: threshold 0.1 m, model damped with fade 0.8 s, heartbeat_spread 0.1, seed 7; ghost by default;
#   joint: threshold 0.05 rad, heartbeat 1 s, min_interval 0.05 s, blend 0.2 s.
# late: as walk with the linear model and seed 8; shown delayed, by default.
";

/// How bodies of a scene are shown.
enum Shown {
    Now(Box<Ghost>),
    Late(Box<DelayedGhost>),
}

/// A scene: how it is published and shown, and over which link.
struct Scene {
    name: &'static str,
    hz: u32,
    ticks: i64,
    config: PublisherConfig,
    truth: fn(SimTime) -> Kinematics,
    link: Option<&'static str>,
    joint: bool,
    late: bool,
    blend: Blend,
}

/// The whole script.
pub fn script() -> String {
    let mut text = HEADER.to_owned();
    for scene in scenes() {
        write_scene(&mut text, &scene);
    }
    text
}

fn scenes() -> [Scene; 3] {
    let metres = |it| Threshold::metres(it).expect("it is positive");
    let mut car = PublisherConfig::default();
    car.threshold = metres(0.25);
    let mut walk = PublisherConfig::default();
    walk.threshold = metres(0.1);
    walk.model = Model::Damped { fade: Duration::from_millis(800) };
    (walk.heartbeat_spread, walk.seed) = (0.1, 7);
    let mut late = walk.clone();
    (late.model, late.seed) = (Model::Linear, 8);
    let link = "delay=80,jitter=80,loss=0.12,reorder=0.2,hold=300,dup=0.05,seed=11";
    let walking = Scene {
        name: "walk",
        hz: 30,
        ticks: 300,
        config: walk,
        truth: walker_at,
        link: Some(link),
        joint: true,
        late: false,
        blend: Blend::ProjectiveVelocity,
    };
    [
        Scene {
            name: "car",
            hz: 60,
            ticks: 600,
            config: car,
            truth: car_at,
            link: None,
            joint: false,
            late: false,
            blend: Blend::Snap,
        },
        Scene { name: "late", config: late, joint: false, late: true, ..walking },
        walking,
    ]
}

/// The car of the README: 15 m/s round a bend of 50 m.
fn car_at(now: SimTime) -> Kinematics {
    let turn = 0.3 * now.as_secs_f64();
    let (sin, cos) = (sin(turn), cos(turn));
    Kinematics::moving(now, DVec3::new(cos, sin, 0.0) * 50.0, DVec3::new(-sin, cos, 0.0) * 15.0)
}

/// Somebody who strolls in a rosette, faster and slower, and looks where they go.
fn walker_at(now: SimTime) -> Kinematics {
    let t = now.as_secs_f64();
    let place = |t: f64| {
        let r = 6.0 + 2.0 * sin(1.7 * t);
        DVec3::new(r * cos(0.9 * t), r * sin(0.6 * t), 0.2 * sin(2.3 * t))
    };
    let h = 0.001;
    let velocity = (place(t + h) - place(t - h)) / (2.0 * h);
    let acceleration = (place(t + h) - place(t) * 2.0 + place(t - h)) / (h * h);
    let half = 0.45 * t;
    Kinematics {
        acceleration,
        orientation: DQuat::from_xyzw(0.0, 0.0, sin(half), cos(half)),
        angular_velocity: DVec3::Z * 0.9,
        ..Kinematics::moving(now, place(t), velocity)
    }
}

/// A head that turns from side to side, in steps.
fn head_at(now: SimTime) -> Joint {
    let t = now.as_secs_f64();
    Joint { at: now, angle_rad: 0.8 * sin(1.3 * t), rate_radps: 1.04 * cos(1.3 * t) }
}

fn write_scene(out: &mut String, scene: &Scene) {
    let _ = writeln!(out, "scene {}", scene.name);
    let mut bodies = Bodies::new(scene);
    let mut heads = Heads::new(scene);
    for tick in 0..scene.ticks {
        let now = SimTime::from_tick(tick, scene.hz);
        bodies.step(out, scene, now);
        if scene.joint {
            heads.step(out, now);
        }
    }
}

/// A link, or none: what is sent is there at once.
struct Way<T> {
    link: Link<(usize, T)>,
}

impl<T: Clone> Way<T> {
    fn new(scene: &Scene, seed: u64) -> Self {
        let mut config: LinkConfig = scene.link.unwrap_or("").parse().unwrap_or_default();
        config.seed += seed;
        Self { link: Link::new(config).expect("the settings are sound") }
    }
}

struct Bodies {
    publisher: Option<Publisher>,
    ghost: Option<Shown>,
    sent: usize,
    way: Way<Update>,
}

impl Bodies {
    fn new(scene: &Scene) -> Self {
        Self { publisher: None, ghost: None, sent: 0, way: Way::new(scene, 0) }
    }

    fn step(&mut self, out: &mut String, scene: &Scene, now: SimTime) {
        let truth = (scene.truth)(now);
        let update = match &mut self.publisher {
            Some(publisher) => publisher.observe(&truth),
            none => {
                let (publisher, first) =
                    Publisher::start(scene.config.clone(), &truth).expect("sound settings");
                *none = Some(publisher);
                Some(first)
            }
        };
        let bytes = update.map_or("-".to_owned(), |it| hex(&it.to_bytes()));
        let _ = writeln!(out, "truth {} {} {bytes}", now.as_micros(), state(&truth));
        if let Some(update) = update {
            self.way.link.send(now, 60, (self.sent, update));
            self.sent += 1;
        }
        while let Some((arrived, (index, update))) = self.way.link.poll(now) {
            let _ = writeln!(out, "arrive {} {index}", arrived.as_micros());
            self.accept(scene, update, arrived);
        }
        let Some((position, orientation)) = self.shown(now) else { return };
        let pose = bits(&[&position.to_array()[..], &orientation.to_array()].concat());
        let _ = writeln!(out, "shown {} {pose}", now.as_micros());
    }

    fn accept(&mut self, scene: &Scene, update: Update, now: SimTime) {
        match &mut self.ghost {
            Some(Shown::Now(ghost)) => drop(ghost.accept(update, now)),
            Some(Shown::Late(ghost)) => drop(ghost.accept(update, now)),
            none => *none = Some(born(scene, update, now)),
        }
    }

    fn shown(&self, now: SimTime) -> Option<(DVec3, DQuat)> {
        Some(match self.ghost.as_ref()? {
            Shown::Now(ghost) => (ghost.position_at(now), ghost.orientation_at(now)),
            Shown::Late(ghost) => (ghost.position_at(now), ghost.orientation_at(now)),
        })
    }
}

fn born(scene: &Scene, first: Update, now: SimTime) -> Shown {
    if scene.late {
        let config = DelayedConfig::default();
        let ghost = DelayedGhost::with_config(config, first, now).expect("sound");
        return Shown::Late(Box::new(ghost));
    }
    let mut config = GhostConfig::default();
    config.blend = scene.blend;
    Shown::Now(Box::new(Ghost::with_config(config, first, now).expect("sound")))
}

struct Heads {
    publisher: Option<JointPublisher>,
    ghost: Option<JointGhost>,
    sent: usize,
    way: Way<Joint>,
}

impl Heads {
    fn new(scene: &Scene) -> Self {
        Self { publisher: None, ghost: None, sent: 0, way: Way::new(scene, 1) }
    }

    fn step(&mut self, out: &mut String, now: SimTime) {
        let truth = head_at(now);
        let update = match &mut self.publisher {
            Some(publisher) => publisher.observe(truth),
            none => {
                let mut config = JointPublisherConfig::default();
                config.threshold_rad = 0.05;
                config.heartbeat = Duration::from_secs(1);
                let (publisher, first) = JointPublisher::start(config, truth).expect("sound");
                *none = Some(publisher);
                Some(first)
            }
        };
        let numbers = bits(&[truth.angle_rad, truth.rate_radps]);
        let _ = writeln!(out, "aim {} {numbers} {}", now.as_micros(), u8::from(update.is_some()));
        if let Some(update) = update {
            self.way.link.send(now, 20, (self.sent, update));
            self.sent += 1;
        }
        while let Some((arrived, (index, update))) = self.way.link.poll(now) {
            let _ = writeln!(out, "aimed {} {index}", arrived.as_micros());
            match &mut self.ghost {
                Some(ghost) => ghost.accept(update, arrived),
                none => *none = Some(JointGhost::new(update, Duration::from_millis(200))),
            }
        }
        if let Some(ghost) = &self.ghost {
            let _ = writeln!(out, "angle {} {}", now.as_micros(), bits(&[ghost.angle_at(now)]));
        }
    }
}

fn state(truth: &Kinematics) -> String {
    let numbers = [
        &truth.position.to_array()[..],
        &truth.velocity.to_array(),
        &truth.acceleration.to_array(),
        &truth.orientation.to_array(),
        &truth.angular_velocity.to_array(),
    ];
    bits(&numbers.concat())
}

fn bits(numbers: &[f64]) -> String {
    let words = numbers.iter().map(|it| match it.to_bits() {
        0 => "0".to_owned(),
        bits => format!("{bits:016x}"),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut all, byte| {
        let _ = write!(all, "{byte:02x}");
        all
    })
}
