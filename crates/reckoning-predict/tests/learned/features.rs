//! Contract of the features of a learned predictor.

use reckoning::{DQuat, DVec3, Kinematics, SimTime};
use reckoning_predict::learned::{
    FEATURES, Features, Frame, Framing, GROUPS, History, feature_group, mirrored_feature,
};
use reckoning_predict::{Intent, Landmark, Surroundings};
use reckoning_predict::{
    Item, KnownBody, Outline, Restores, Scene, Sighting, TrendMap, TrendMapConfig, Wall, Walls,
};

/// A busy place, turned by so much, moved, or seen in a mirror along x.
struct World {
    turn_rad: f64,
    moved: DVec3,
    mirror: bool,
}

impl World {
    fn at(&self, x: f64, y: f64, z: f64) -> DVec3 {
        self.way(x, y, z) + self.moved
    }

    fn way(&self, x: f64, y: f64, z: f64) -> DVec3 {
        let y = if self.mirror { -y } else { y };
        DQuat::from_rotation_z(self.turn_rad) * DVec3::new(x, y, z)
    }

    fn walls(&self) -> Walls {
        let line = |a: DVec3, b: DVec3| Wall {
            outline: Outline::Line(a.with_z(0.0), b.with_z(0.0)),
            bottom_m: -5.0,
            top_m: 5.0,
        };
        let ahead = line(self.at(8.0, -9.0, 0.0), self.at(8.0, 2.0, 0.0));
        Walls::new([ahead, line(self.at(-3.0, 5.0, 0.0), self.at(7.0, 6.0, 0.0))]).unwrap()
    }

    fn features(&self) -> Features {
        let sign = if self.mirror { -1.0 } else { 1.0 };
        let mut history = History::new();
        for tick in 0..=60 {
            let t_s = f64::from(tick) / 60.0;
            let place = self.at(4.0 * t_s, t_s * t_s - 1.0, 0.3 * t_s);
            history.observe(SimTime::from_tick(tick.into(), 60), place);
        }
        let truth = Kinematics {
            at: SimTime::from_tick(60, 60),
            position: self.at(4.0, 0.0, 0.3),
            velocity: self.way(4.0, 2.0, 0.3),
            acceleration: self.way(-1.0, 2.0, 0.1),
            orientation: DQuat::from_rotation_z(self.turn_rad + sign * 0.4),
            angular_velocity: DVec3::Z * (0.6 * sign),
        };
        let known = |id, team, x, y| {
            let velocity = self.way(1.0, -2.0, 0.0);
            let mut known = KnownBody::new(
                id,
                team,
                Kinematics::moving(truth.at, self.at(x, y, 0.2), velocity),
            );
            known.health = 0.7;
            known
        };
        let mut own = known(0, 0, 4.0, 0.0);
        own.kinematics = truth;
        let bodies = [
            own,
            known(1, 0, 9.0, 3.0),
            known(2, 0, -5.0, 1.0),
            known(3, 1, 2.0, -7.0),
            known(4, 1, 20.0, 2.0),
        ];
        let item =
            |x, y| Item { position: self.at(x, y, 0.0), restores: Restores::Health, worth: 1.0 };
        let items = [item(6.0, 1.0), item(3.0, -4.0)];
        let walls = self.walls();
        let mut scene = Scene::new(&bodies, &items);
        scene.walls = Some(&walls);
        let mark = Landmark { position: self.at(1.0, 5.0, 0.0), velocity: self.way(0.0, 3.0, 1.0) };
        let around = Surroundings {
            scene: Some(&scene),
            facing_known: true,
            intent: Some(Intent {
                directions: [self.way(0.5, 0.8, 0.0); 2],
                amounts: [0.3; 8],
                act: 4,
            }),
            marks: [Some(mark), None],
            floor_m: Some(0.3),
            ..Surroundings::default()
        };
        let frame = Frame::new(Framing::Heading, &truth, true, &history, 0.5);
        Features::new(&frame, &truth, &history, &around, 1.0, 0.5)
    }
}

const PLAIN: World = World { turn_rad: 0.0, moved: DVec3::ZERO, mirror: false };

fn alike(a: f32, b: f32) -> bool {
    (a.is_nan() && b.is_nan()) || (a - b).abs() < 1e-4
}

#[test]
fn where_a_body_is_and_which_way_it_goes_does_not_matter() {
    let there = World { turn_rad: 2.1, moved: DVec3::new(100.0, -50.0, 0.0), mirror: false };
    let (here, there) = (PLAIN.features(), there.features());
    for feature in 0..FEATURES {
        let (a, b) = (here.values()[feature], there.values()[feature]);
        assert!(alike(a, b), "feature {feature}: {a} and {b}");
    }
}

#[test]
fn the_mirror_table_says_what_a_mirror_shows() {
    let (plain, mirrored) = (PLAIN.features(), World { mirror: true, ..PLAIN }.features());
    let mut turned_signs = 0;
    for feature in 0..FEATURES {
        let (there, turned) = mirrored_feature(Framing::Heading, feature);
        let told = plain.values()[there] * if turned { -1.0 } else { 1.0 };
        let got = mirrored.values()[feature];
        assert!(alike(told, got), "feature {feature}: told {told}, got {got}");
        turned_signs += usize::from(turned && told != 0.0 && !told.is_nan());
    }
    assert!(turned_signs > 10, "{turned_signs}");
}

#[test]
fn groups_cover_the_row_and_absent_ones_are_nan() {
    let history = History::new();
    let truth = Kinematics::moving(SimTime::ZERO, DVec3::ZERO, DVec3::X);
    let frame = Frame::new(Framing::Flat, &truth, false, &history, 0.5);
    let bare = Features::new(&frame, &truth, &history, &Surroundings::default(), 1.0, 1.0);
    for group in 0..GROUPS {
        let (range, flag) = feature_group(group);
        assert_eq!(bare.values()[flag], 0.0, "group {group}");
        assert!(bare.values()[range].iter().all(|x| x.is_nan()), "group {group}");
    }
    assert_eq!(feature_group(GROUPS - 1).0.end, FEATURES - GROUPS);
    assert!(bare.values()[..28].iter().all(|x| x.is_finite()));
}

#[test]
fn the_trend_of_a_place_is_told() {
    let sighting = |k: u32| Sighting {
        position: DVec3::new(f64::from(k % 10), f64::from(k / 10), 0.0),
        velocity: DVec3::X * 3.0,
        acceleration: DVec3::X,
    };
    let sightings: Vec<Sighting> = (0..100).map(sighting).collect();
    let trends = TrendMap::new(&sightings, &TrendMapConfig::default()).unwrap();
    let mut scene = Scene::new(&[], &[]);
    scene.trends = Some(&trends);
    let truth = Kinematics::moving(SimTime::ZERO, DVec3::new(5.0, 5.0, 0.0), DVec3::X);
    let history = History::new();
    let frame = Frame::new(Framing::Heading, &truth, false, &history, 0.5);
    let around = Surroundings { scene: Some(&scene), ..Surroundings::default() };
    let told = Features::new(&frame, &truth, &history, &around, 1.0, 1.0);
    let (range, flag) = feature_group(GROUPS - 1);
    assert_eq!(told.values()[flag], 1.0);
    assert!((told.values()[range.start] - 1.0).abs() < 0.01, "{:?}", &told.values()[range]);
}
