//! Hits are judged by what the shooter saw, turrets and hulls apart.

use reckoning::math::rotation;
use reckoning::random::SplitMix64;
use reckoning::{DVec3, SimTime};
use reckoning_arena::hills::host::TURRET;
use reckoning_arena::hills::protocol::{HillsCommand, HillsTuning};
use reckoning_arena::hills::{
    Body, BodyId, Craft, DriverInput, HillsEvent, HillsLevel, HillsWorld, Part,
};
use reckoning_arena::protocol::{Picture, Properties, Tag};
use reckoning_lab::hills::{HillsChain, HillsClient, link_config};

use super::{STEADY, chain};

/// What a shot hits: which part of whom.
type Struck = Option<(BodyId, Part)>;

/// The enemies as a client's screen has them.
fn pictures(client: &mut HillsClient, level: &HillsLevel, now: SimTime) -> Vec<Body> {
    let Some(own) = client.driver.body().cloned() else { return Vec::new() };
    let Some(properties) = Properties::declared(client.session.kinds()) else { return Vec::new() };
    let others: Vec<_> = client
        .session
        .ghosts()
        .filter_map(|(entity, remote)| {
            let craft = Craft::of_kind(client.session.kinds().name(remote.kind())?)?;
            Some((entity, craft, Tag::decode(remote.tag()).ok()?))
        })
        .collect();
    let mut drawn = Vec::new();
    for (entity, craft, tag) in others.into_iter().filter(|it| it.1.is_driven()) {
        let state = properties.state(&client.session, entity);
        let shown = client.session.shown_on(entity, now, &**level.ground(), own.position);
        let Some(pose) = shown.filter(|_| state.is_alive) else { continue };
        let mut body = Body::standing(BodyId(tag.player), craft, state.team, pose.position);
        body.orientation = pose.orientation;
        body.aim.turret_rad = client.session.joint_at(entity, TURRET, now).unwrap_or(0.0);
        drawn.push(body);
    }
    drawn
}

/// A place in a body's turret or hull, somewhat beyond its edges at times.
fn somewhere_on(body: &Body, dice: &mut SplitMix64) -> DVec3 {
    let shape = body.craft.shape();
    let mut within = |half: DVec3| {
        let mut along = |half: f64| half * 1.2 * (2.0 * dice.unit() - 1.0);
        DVec3::new(along(half.x), along(half.y), along(half.z))
    };
    let in_hull = shape.hull_centre + within(shape.hull_half);
    let local = match shape.turret {
        Some(turret) if dice.chance(0.5) => {
            let turned = rotation(DVec3::Z * body.aim.turret_rad);
            turret.pivot + turned * (turret.half * (in_hull - shape.hull_centre) / shape.hull_half)
        }
        _ => in_hull,
    };
    body.position + body.orientation * local
}

/// A shooter that plays as its bot does, but shoots where the dice say on what it sees.
struct Shooter {
    dice: SplitMix64,
    waits: u32,
    /// What its screen said of the shots that are under way, in order.
    claims: std::collections::VecDeque<Struck>,
}

impl Shooter {
    fn act(&mut self, client: &mut HillsClient, level: &HillsLevel, now: SimTime) {
        let Some(at) = client.session.timeline_at(now) else { return };
        let session = &client.session;
        let shown = |entity: u32| {
            let ghost = session.ghosts().find(|it| it.0.0 == entity)?.1.ghost();
            Some(ghost.kinematics_at(at))
        };
        let Some(input) = client.driver.decide(shown) else { return };
        client.act(now, &DriverInput { fire: false, lob: false, ..input });
        self.waits = self.waits.saturating_sub(1);
        if self.waits == 0
            && let Some((claim, fire)) = self.shot(client, level, now)
        {
            client.ask(&fire);
            self.claims.push_back(claim);
            self.waits = 24;
        }
    }

    /// A shot at an enemy before the barrel that the screen says will hit it.
    fn shot(
        &mut self,
        client: &mut HillsClient,
        level: &HillsLevel,
        now: SimTime,
    ) -> Option<(Struck, HillsCommand)> {
        let own = client.driver.body().filter(|it| it.is_alive)?.clone();
        let drawn = pictures(client, level, now);
        let (from, along) = own.gun(DVec3::ZERO);
        let ahead = |it: &&Body| {
            let way = (it.position - from).normalize_or(DVec3::Z);
            // Tanks shoot along their barrels: twenty degrees leave room for turrets that turn.
            it.team != own.team && way.dot(along) > 0.93
        };
        let near = |it: &&Body| (it.position.distance(from) * 1e3) as i64;
        let target = drawn.iter().filter(ahead).min_by_key(near)?;
        let aim = (somewhere_on(target, &mut self.dice) - from).normalize_or(along);
        let range_m = level.file().gun.range_m;
        let met = HillsWorld::first_met(level, from, aim, range_m, drawn.iter()).1?;
        let is_enemy = drawn.iter().any(|it| it.id == met.0 && it.team != own.team);
        let shown_at = client.session.host_time(now).filter(|_| is_enemy)?;
        let pictures = Picture::along(&client.session, now, from, aim);
        Some((Some(met), HillsCommand::Fire { shown_at, from, aim, pictures }))
    }
}

/// Whom the shooter's gun hit in the last step.
fn judged(chain: &HillsChain, shooter: BodyId) -> Struck {
    chain.hills.world().events().iter().find_map(|event| match *event {
        HillsEvent::Hit { who, by, part, .. } if by == shooter => Some((who, part)),
        _ => None,
    })
}

#[test]
fn hits_on_turrets_and_hulls_are_judged_as_the_shooter_saw_them() {
    for seed in 21..25 {
        let (agreed, parts) = shots_of(seed, 100);
        println!("game {seed}: {agreed} of 100 agree, {parts:?} on hulls and turrets");
        assert!(parts.iter().all(|it| *it >= 15), "game {seed}: {parts:?} on hulls and turrets");
        assert!(agreed >= 95, "game {seed}: {agreed} of 100 agree, {parts:?} on hulls and turrets");
    }
}

/// How many of the first shots of a game are judged as the screen had them, and how many were on
/// hulls and on turrets.
fn shots_of(seed: u64, count: u32) -> (u32, [u32; 2]) {
    let mut chain = chain(16, seed, HillsTuning::default());
    chain.join(link_config(STEADY, 5), false).unwrap();
    let level = chain.level().clone();
    let claims = std::collections::VecDeque::new();
    let mut shooter = Shooter { dice: SplitMix64::new(77), waits: 300, claims };
    let (mut agreed, mut shots, mut parts) = (0, 0, [0, 0]);
    let mut before = chain.hills.stats();
    for _ in 0..60 * 600 {
        chain.frame(|client, now| shooter.act(client, &level, now));
        let stats = chain.hills.stats();
        let fired = stats.shots - before.shots;
        let refused = stats.refused_shots - before.refused_shots;
        before = stats;
        assert!(fired + refused <= 1, "two shots in a step cannot be told apart");
        if fired + refused == 0 {
            continue;
        }
        let claim = shooter.claims.pop_front().unwrap();
        let id = chain.hills.body_of(chain.clients[0].peer).unwrap();
        // Who is dead by now can neither shoot nor be hit.
        let is_alive = |id: BodyId| {
            let body = chain.hills.world().body(id);
            body.is_some_and(|it| it.is_alive || it.since_tick == chain.hills.world().tick())
        };
        if !is_alive(id) || !claim.is_some_and(|it| is_alive(it.0)) {
            continue;
        }
        shots += 1;
        agreed += u32::from(fired == 1 && judged(&chain, id) == claim);
        parts[usize::from(claim.is_some_and(|it| it.1 == Part::Turret))] += 1;
        if shots == count {
            return (agreed, parts);
        }
    }
    panic!("{shots} shots in game {seed}: the test shoots too little");
}
