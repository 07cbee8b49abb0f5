//! Prevention against the ground, of bodies of an owner and of the host.

use std::sync::Arc;
use std::time::Duration;

use reckoning::Terrain;
use reckoning::math::{cos, sin};
use reckoning::terrain::HeightField;
use reckoning_net::{
    DVec3, EntityId, HostEvent, Kind, Kinematics, Owner, PlannerNeed, PlanningAssets, SessionEvent,
    SharedTerrain, SimTime, Update, Viewpoint,
};

use crate::world::{PEER, World, format_of};

/// How steep both sides of the valley are.
const SLOPE: f64 = 0.4;
/// What a body may be published into the ground within a lookahead: what the format rounds.
const ROUNDING_M: f64 = 0.05;
const AHEAD: Duration = Duration::from_millis(450);

/// A valley along y, deepest at x = 0.
fn valley() -> Arc<HeightField> {
    let heights = (0..3).flat_map(|_| [40.0, 0.0, 40.0].map(|z| z * SLOPE)).collect();
    Arc::new(HeightField::new(DVec3::new(-40.0, -40.0, 0.0), 40.0, 3, 3, heights).unwrap())
}

/// Down one side and up the other, again and again.
fn across(now: SimTime) -> Kinematics {
    let t = now.as_secs_f64();
    let (x, speed) = (20.0 * sin(0.6 * t), 12.0 * cos(0.6 * t));
    let place = DVec3::new(x, 0.3, x.abs() * SLOPE);
    Kinematics::moving(now, place, DVec3::new(speed, 0.0, speed * SLOPE * x.signum()))
}

fn assets() -> PlanningAssets {
    let mut assets = PlanningAssets::default();
    assets.ground = Some(SharedTerrain::new(valley()));
    assets
}

fn driving(prevents: bool) -> Kind {
    let mut kind = Kind::default();
    kind.prevents = prevents;
    kind
}

/// How deep in the ground an update leads.
fn depth_m(update: &Update) -> f64 {
    let place = update.position_at(update.at() + AHEAD);
    valley().ground_below(place).map_or(0.0, |it| it.point.z - place.z)
}

/// How many moments of ten seconds what was published leads into the ground, and how deep at most.
#[derive(Debug, Default, PartialEq)]
struct Sunk {
    moments: u32,
    most_m: f64,
}

impl Sunk {
    fn count(&mut self, update: &Update) {
        let depth_m = depth_m(update);
        self.moments += u32::from(depth_m > ROUNDING_M);
        self.most_m = self.most_m.max(depth_m);
    }
}

fn of_an_owner(kind: Kind, assets: &PlanningAssets) -> (Sunk, bool) {
    let mut world = World::with_format(format_of(false), kind, assets);
    let body = world.spawn();
    let mut sunk = Sunk::default();
    for step in 0..400 {
        world.step();
        assert!(world.session.observe(body, &across(world.now)));
        // At first the host knows where it was born, which its owner did not publish.
        if step > 2 {
            sunk.count(&world.known(body));
        }
    }
    let missing = |it: &SessionEvent| {
        matches!(it, SessionEvent::PlannerMissing { needs: PlannerNeed::Walls, .. })
    };
    (sunk, world.events.iter().any(missing))
}

fn of_the_host(kind: Kind, assets: &PlanningAssets) -> (Sunk, bool) {
    let mut world = World::with_format(format_of(false), kind, assets);
    world.host.set_viewpoint(PEER, Viewpoint::Everywhere);
    let (now, kind) = (world.now, world.kind);
    let body = world.host.spawn_kind(now, kind, Owner::Host, b"", &across(now)).unwrap();
    let (mut sunk, mut missed) = (Sunk::default(), false);
    for _ in 0..400 {
        world.host.observe(body, &across(world.now + Duration::from_millis(25)));
        while let Some(event) = world.host.poll_event() {
            missed |= matches!(event, HostEvent::PlannerMissing { needs: PlannerNeed::Walls, .. });
        }
        world.step();
        if let Some(update) = heard(&world, body) {
            sunk.count(&update);
        }
    }
    (sunk, missed)
}

/// What the watcher was sent last.
fn heard(world: &World, body: EntityId) -> Option<Update> {
    let mut ghosts = world.session.ghosts();
    ghosts.find(|(id, _)| *id == body).map(|(_, remote)| *remote.ghost().update())
}

#[test]
fn no_body_that_prevents_is_published_into_the_ground() {
    for (whose, play) in
        [("owner", of_an_owner as fn(Kind, &PlanningAssets) -> (Sunk, bool)), ("host", of_the_host)]
    {
        let (without, _) = play(driving(false), &assets());
        let (with, missed) = play(driving(true), &assets());
        println!("{whose}: {without:?} without, {with:?} with");
        assert!(without.moments > 2 && without.most_m > 1.0, "{whose}: nothing to prevent");
        assert_eq!((with.moments, missed), (0, false), "{whose}: {with:?}");
        let (blind, missed) = play(driving(true), &PlanningAssets::default());
        assert_eq!((blind, missed), (without, true), "{whose}: no ground, and that is said");
    }
}
