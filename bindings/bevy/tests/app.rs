//! Headless: what the plugin promises, with numbers.

use std::time::Duration;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{DVec3, Vec3};
use bevy_reckoning::reckoning::{Blend, Threshold};
use bevy_reckoning::{
    Ghost, Kind, Motion, Published, ReckoningPlugin, Teleported, UpAxis, UpdateReceived,
    UpdateToSend,
};
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use bevy_transform::prelude::*;

/// An app whose frames take this long, with fixed steps at 60 Hz.
fn app(frame: Duration, up: UpAxis) -> App {
    let mut app = App::new();
    app.add_plugins((TimePlugin, TransformPlugin, ReckoningPlugin { up }))
        .insert_resource(TimeUpdateStrategy::ManualDuration(frame))
        .insert_resource(Time::<Fixed>::from_hz(60.0))
        .init_resource::<Sent>()
        .add_systems(Last, keep);
    app
}

#[derive(Default, Resource)]
struct Sent(Vec<UpdateToSend>);

fn keep(mut updates: MessageReader<UpdateToSend>, mut sent: ResMut<Sent>) {
    sent.0.extend(updates.read().copied());
}

const FRAME: Duration = Duration::from_micros(16_667);

/// An owner and an onlooker, each an app, and the network between them: what is sent in a frame arrives
/// `late` frames later, unless `lost` says otherwise.
struct Pair {
    owner: App,
    onlooker: App,
    body: Entity,
    ghost: Entity,
    way: Vec<(usize, UpdateToSend)>,
    frame: usize,
    sent: usize,
    lost: fn(usize) -> bool,
}

impl Pair {
    fn new(up: UpAxis, motion: Motion) -> Self {
        let (mut owner, mut onlooker) = (app(FRAME, up), app(FRAME, up));
        let body = owner.world_mut().spawn((Published::default(), motion)).id();
        let ghost = onlooker.world_mut().spawn_empty().id();
        let (way, lost) = (Vec::new(), (|_| false) as fn(usize) -> bool);
        Self { owner, onlooker, body, ghost, way, frame: 0, sent: 0, lost }
    }

    fn step(&mut self, late: usize) {
        self.frame += 1;
        self.owner.update();
        for update in std::mem::take(&mut self.owner.world_mut().resource_mut::<Sent>().0) {
            if !(self.lost)(self.sent) {
                self.way.push((self.frame + late, update));
            }
            self.sent += 1;
        }
        let (arrived, rest) = self.way.iter().partition(|(due, _)| *due <= self.frame);
        self.way = rest;
        let arrived: Vec<(usize, UpdateToSend)> = arrived;
        for (_, UpdateToSend { update, .. }) in arrived {
            self.onlooker.world_mut().write_message(UpdateReceived { entity: self.ghost, update });
        }
        self.onlooker.update();
    }

    fn set(&mut self, motion: Motion) {
        *self.owner.world_mut().get_mut::<Motion>(self.body).unwrap() = motion;
    }

    fn shown(&self) -> Option<Vec3> {
        self.onlooker.world().get::<Transform>(self.ghost).map(|it| it.translation)
    }
}

fn going(x: f64, speed: f64) -> Motion {
    Motion {
        position: Some(DVec3::new(x, 2.0, 7.0)),
        velocity: DVec3::X * speed,
        ..Motion::default()
    }
}

#[test]
fn a_newborn_never_stands_at_the_origin() {
    let mut pair = Pair::new(UpAxis::Y, going(40.0, 0.0));
    let mut first = None;
    for _ in 0..10 {
        pair.step(2);
        first = first.or(pair.shown());
    }
    assert_eq!(first, Some(Vec3::new(40.0, 2.0, 7.0)));
}

#[test]
fn a_body_on_course_costs_heartbeats_only_and_is_shown_where_it_is() {
    for up in [UpAxis::Y, UpAxis::Z] {
        let mut pair = Pair::new(up, going(0.0, 3.0));
        for frame in 0..600 {
            pair.set(going(3.0 * f64::from(frame) / 60.0, 3.0));
            pair.step(3);
        }
        assert!((18..=24).contains(&pair.sent), "{up:?}: {} updates in ten seconds", pair.sent);
        let off = pair.shown().unwrap() - Vec3::new(599.0 / 20.0, 2.0, 7.0);
        assert!(off.length() < 0.15, "{up:?}: {off}");
    }
}

/// How far beyond its stop a body at 6 m/s is shown, whose updates are three frames under way.
fn overshot_m(blend: Blend) -> f32 {
    let mut pair = Pair::new(UpAxis::Y, going(0.0, 6.0));
    let mut kind = Kind::default();
    kind.ghost.blend = blend;
    pair.onlooker.world_mut().entity_mut(pair.ghost).insert(kind);
    let (mut x, mut farthest) = (0.0, 0.0_f32);
    for frame in 0..240 {
        let speed = if frame < 120 { 6.0 } else { 0.0 };
        x += speed / 60.0;
        pair.set(going(x, speed));
        pair.step(3);
        farthest = farthest.max(pair.shown().map_or(0.0, |it| it.x));
    }
    assert!((pair.shown().unwrap().x - x as f32).abs() < 0.01, "{blend:?} does not come to rest");
    farthest - x as f32
}

#[test]
fn a_body_that_stops_is_overshot_by_no_more_than_delay_and_blend_make_it() {
    // Nobody knows of the stop for three frames, and a fourth may be shown before it is.
    let unknown_m = 6.0 * 4.0 / 60.0;
    let faded = overshot_m(Blend::Fade);
    assert!(faded <= unknown_m + 0.01, "{faded}");
    // A blend that keeps the shown velocity from jumping carries it on: at most by 27/256 of its span.
    let carried_m = 6.0 * 0.333 * 27.0 / 256.0;
    let smooth = overshot_m(Blend::ProjectiveVelocity);
    assert!(smooth <= unknown_m + carried_m + 0.01, "{smooth}");
}

#[test]
fn a_ghost_converges_after_a_long_silence() {
    let mut pair = Pair::new(UpAxis::Y, going(0.0, 3.0));
    pair.lost = |sent| (4..40).contains(&sent);
    let mut x = 0.0;
    for frame in 0..1500 {
        let speed = if frame % 100 < 50 { 3.0 } else { -1.0 };
        x += speed / 60.0;
        pair.set(going(x, speed));
        pair.step(3);
    }
    assert!(pair.sent > 50, "{} were sent: too few after the silence", pair.sent);
    assert!((pair.shown().unwrap().x - x as f32).abs() < 0.4, "{:?} for {x}", pair.shown());
}

#[test]
fn a_teleport_is_shown_at_once_and_its_marker_is_taken_away() {
    let mut pair = Pair::new(UpAxis::Y, going(0.0, 0.0));
    (0..30).for_each(|_| pair.step(0));
    pair.set(going(500.0, 0.0));
    pair.owner.world_mut().entity_mut(pair.body).insert(Teleported);
    let mut between = 0;
    for _ in 0..10 {
        pair.step(0);
        between += usize::from(pair.shown().is_some_and(|it| it.x > 0.1 && it.x < 499.9));
    }
    assert_eq!((pair.shown().unwrap().x, between), (500.0, 0));
    assert!(!pair.owner.world().entity(pair.body).contains::<Teleported>());
}

#[test]
fn the_transform_of_a_ghost_at_rest_does_not_count_as_changed() {
    let mut pair = Pair::new(UpAxis::Y, going(5.0, 0.0));
    (0..120).for_each(|_| pair.step(0));
    let before =
        pair.onlooker.world().entity(pair.ghost).get_ref::<Transform>().unwrap().last_changed();
    (0..120).for_each(|_| pair.step(0));
    let after =
        pair.onlooker.world().entity(pair.ghost).get_ref::<Transform>().unwrap().last_changed();
    assert_eq!(before, after);
}

#[test]
fn an_entity_has_one_interpolator_and_keeps_its_scale() {
    let mut pair = Pair::new(UpAxis::Y, going(0.0, 3.0));
    pair.onlooker
        .world_mut()
        .entity_mut(pair.ghost)
        .insert(Transform::from_scale(Vec3::splat(2.0)));
    for frame in 0..120 {
        pair.set(going(f64::from(frame), 3.0));
        pair.step(frame as usize % 3); // overtaking
    }
    let mut ghosts = pair.onlooker.world_mut().query::<&Ghost>();
    assert_eq!(ghosts.iter(pair.onlooker.world()).count(), 1);
    assert_eq!(pair.onlooker.world().get::<Transform>(pair.ghost).unwrap().scale, Vec3::splat(2.0));
}

#[test]
fn each_entity_goes_by_its_own_kind_and_a_wrong_one_is_told() {
    let mut app = app(FRAME, UpAxis::Z);
    let mut coarse = Kind::default();
    coarse.publisher.threshold = Threshold::metres(50.0).unwrap();
    let mut wrong = Kind::default();
    wrong.publisher.heartbeat = Duration::ZERO;
    let world = app.world_mut();
    let fine = world.spawn((Published::default(), Motion::default(), Kind::default())).id();
    let coarse = world.spawn((Published::default(), Motion::default(), coarse)).id();
    let wrong = world.spawn((Published::default(), Motion::default(), wrong)).id();
    for frame in 0..120 {
        for entity in [fine, coarse, wrong] {
            let x = f64::from(frame % 30);
            app.world_mut().get_mut::<Motion>(entity).unwrap().position = Some(DVec3::X * x);
        }
        app.update();
    }
    let sent = &app.world().resource::<Sent>().0;
    let of = |entity| sent.iter().filter(|it| it.entity == entity).count();
    assert!(of(fine) > 10 * of(coarse) && of(coarse) > 2, "{} and {}", of(fine), of(coarse));
    assert_eq!(of(wrong), 0);
    let told = app.world().get::<Published>(wrong).unwrap().refused().unwrap().to_string();
    assert!(told.contains("heartbeat"), "{told}");
}

#[test]
fn motion_is_measured_where_only_a_transform_is_known() {
    let mut app = app(FRAME, UpAxis::Y);
    let body = app.world_mut().spawn(Published::default()).id();
    for frame in 0..300 {
        let x = 4.0 * frame as f32 / 60.0;
        app.world_mut().get_mut::<Transform>(body).unwrap().translation.x = x;
        app.update();
    }
    let sent = &app.world().resource::<Sent>().0;
    let speed = sent.last().unwrap().update.kinematics().velocity.x;
    assert!((speed - 4.0).abs() < 0.3, "{speed}");
    assert!(sent.len() < 30, "{} updates in five seconds", sent.len());
}
