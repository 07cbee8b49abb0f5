//! Turrets point where they point, wheels roll.

use std::collections::{BTreeMap, VecDeque};

use reckoning::orientation::shortest_turn_rad;
use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_arena::hills::host::TURRET;
use reckoning_arena::hills::{Body, Craft, DriverInput, HillsLevel};
use reckoning_arena::protocol::LinkChoice;
use reckoning_lab::hills::{FRAME, HillsChain, HillsClient, link_config};
use reckoning_net::EntityId;

use super::{MOBILE, STEADY, frames, watched};

/// The joints' threshold, their rounding, and what they turn at their rate until the news is there:
/// the way of a datagram, the shortest time between two updates, and the rounds of owner and host.
/// Turrets are heavy, so that one that turns back stays within that as well.
fn most_rad(level: &HillsLevel, delay_s: f64) -> f64 {
    let rate_radps = level.file().tank.turret_deg_s.to_radians();
    let late_s = delay_s + 0.05 + 0.033 + 2.0 * FRAME.as_secs_f64();
    3.0_f64.to_radians() + 0.01 + rate_radps * late_s
}

#[test]
fn a_turret_is_off_by_its_threshold_and_what_it_turns_in_the_delay() {
    let mut chain = watched(9, 5, STEADY);
    frames(&mut chain, 480);
    let most_rad = most_rad(chain.level(), 0.165);
    let (mut sum_rad, mut worst_rad, mut count, mut turned) = (0.0, 0.0_f64, 0.0, 0);
    let mut ways: BTreeMap<EntityId, VecDeque<f64>> = BTreeMap::new();
    let mut beyond_rad = f64::NEG_INFINITY;
    for _ in 0..2_400 {
        chain.frame(super::idle);
        let now = chain.now;
        let tick = chain.hills.world().tick();
        for body in chain.hills.world().bodies().to_vec() {
            // Who was just born is not known to be.
            let settled = body.is_alive && tick > body.since_tick + 60;
            let Some(entity) = chain.hills.entity_of(body.id) else { continue };
            if body.craft != Craft::Tank || !settled {
                continue;
            }
            let joint = chain.clients[0].session.joint_at(entity, TURRET, now);
            let Some(shown_rad) = joint else { continue };
            let off_rad = shortest_turn_rad(body.aim.turret_rad, shown_rad).abs();
            let way = ways.entry(entity).or_default();
            way.push_back(body.aim.turret_radps.abs() * FRAME.as_secs_f64());
            if way.len() > 17 {
                way.pop_front();
            }
            beyond_rad = beyond_rad.max(off_rad - way.iter().sum::<f64>());
            assert!(off_rad <= most_rad, "{off_rad} of {most_rad} rad in tick {tick}");
            (sum_rad, count) = (sum_rad + off_rad, count + 1.0);
            worst_rad = worst_rad.max(off_rad);
            turned += u32::from(body.aim.turret_radps.abs() > 0.1);
        }
    }
    assert!(turned > 500, "{turned} turrets turned: the test sees nothing");
    let mean_rad: f64 = sum_rad / count;
    println!(
        "worst {worst_rad:.3} of {most_rad:.3} rad, mean {mean_rad:.3}; {beyond_rad:.3} more than it turned"
    );
    assert!(mean_rad < 3.0_f64.to_radians() * 1.5, "{mean_rad} rad on average");
}

/// Datagrams overtake each other on such a link, and one about the barrel may overtake one about the
/// turret.
#[test]
fn a_turret_is_shown_better_than_its_newest_snapshot_where_datagrams_overtake_each_other() {
    let choice = LinkChoice { loss_percent: 0, ..MOBILE };
    let mut chain = watched(9, 5, choice);
    frames(&mut chain, 480);
    let (mut shown_rad, mut old_rad) = (0.0, 0.0);
    let mut past: VecDeque<BTreeMap<EntityId, f64>> = VecDeque::new();
    for _ in 0..2_400 {
        chain.frame(super::idle);
        let tanks = chain.hills.world().bodies().iter();
        let tanks = tanks.filter(|it| it.craft == Craft::Tank && it.is_alive);
        let angle = |it: &Body| Some((chain.hills.entity_of(it.id)?, it.aim.turret_rad));
        let truths: BTreeMap<EntityId, f64> = tanks.filter_map(angle).collect();
        past.push_back(truths.clone());
        // Nine frames are 150 ms: a snapshot of every step that is never late.
        let Some(old) = (past.len() > 9).then(|| past.pop_front()).flatten() else { continue };
        for (entity, truth_rad) in truths {
            let joint = chain.clients[0].session.joint_at(entity, TURRET, chain.now);
            let (Some(shown), Some(old)) = (joint, old.get(&entity)) else { continue };
            shown_rad += shortest_turn_rad(shown, truth_rad).abs();
            old_rad += shortest_turn_rad(*old, truth_rad).abs();
        }
    }
    println!("{:.2} of the error of snapshots", shown_rad / old_rad);
    assert!(shown_rad < old_rad, "{shown_rad} rad in sum against {old_rad}");
}

/// What hits on turrets are judged by: the host asks later at which angle a peer drew one.
#[test]
fn the_host_knows_at_which_angle_a_peer_drew_a_turret() {
    let mut chain = watched(9, 5, STEADY);
    frames(&mut chain, 480);
    let peer = chain.clients[0].peer;
    let near_rad = 0.02;
    let mut drawn = VecDeque::new();
    let (mut known, mut present, mut asked) = (0, 0, 0);
    for _ in 0..1_200 {
        chain.frame(super::idle);
        let now = chain.now;
        let turns = |it: &&Body| it.craft == Craft::Tank && it.aim.turret_radps.abs() > 0.1;
        let tanks = chain.hills.world().bodies().iter().filter(turns);
        let tanks: Vec<EntityId> = tanks.filter_map(|it| chain.hills.entity_of(it.id)).collect();
        for entity in tanks {
            let Some(at) = chain.clients[0].session.timeline_at(now) else { continue };
            if let Some(rad) = chain.clients[0].session.joint_at(entity, TURRET, now) {
                drawn.push_back((now, at, entity, rad));
            }
        }
        // A shot arrives a way later, and the acknowledgement of what was drawn with it.
        while drawn.front().is_some_and(|it| now.secs_since(it.0) > 0.25) {
            let Some((_, at, entity, rad)) = drawn.pop_front() else { break };
            let is_near = |got: Option<f64>| {
                u32::from(got.is_some_and(|got| shortest_turn_rad(got, rad).abs() < near_rad))
            };
            known += is_near(chain.host.joint_shown_at(peer, entity, TURRET, at));
            present += is_near(chain.host.joint_at(entity, TURRET, now));
            asked += 1;
        }
    }
    println!("{known} of {asked} known to {near_rad} rad, {present} as they are now");
    assert!(asked > 500, "{asked} turrets turned: the test sees nothing");
    assert!(known * 100 >= asked * 90, "{known} of {asked} are known, {present} as they are now");
    assert!(present * 100 < asked * 20, "{present} of {asked} as they are now: nothing is seen");
}

/// Each wheel of a car that keeps its speed turns by the way that its hub goes.
#[test]
fn wheels_roll_without_slipping_at_constant_speed() {
    let mut chain = watched(9, 11, LinkChoice::NONE);
    frames(&mut chain, 600);
    let mut rolled = 0;
    for _ in 0..900 {
        let before = drawn_cars(&mut chain);
        chain.frame(super::idle);
        let after = drawn_cars(&mut chain);
        for (entity, after) in &after {
            rolled += before.get(entity).map_or(0, |before| u32::from(rolls(before, after)));
        }
    }
    assert!(rolled > 200, "{rolled} steps at constant speed: the test sees nothing");
}

/// A car as it is drawn: its motion, and how far its wheels have turned.
type DrawnCar = (Kinematics, Vec<f64>);

fn drawn_cars(chain: &mut HillsChain) -> BTreeMap<EntityId, DrawnCar> {
    let now = chain.now;
    let cars = chain.hills.world().bodies().iter().filter(|it| it.craft == Craft::Car);
    let cars: Vec<EntityId> = cars.filter_map(|it| chain.hills.entity_of(it.id)).collect();
    let client = &mut chain.clients[0];
    let mut drawn = |entity: EntityId| {
        let seen = client.shown(entity, now)?;
        let wheels = Craft::Car.shape().wheels.iter();
        let spins: Option<Vec<f64>> =
            wheels.map(|it| client.session.joint_at(entity, it.name, now)).collect();
        Some((entity, (seen, spins?)))
    };
    cars.into_iter().filter_map(&mut drawn).collect()
}

/// Whether a car was drawn at constant speed from one frame to the next; its wheels rolled then.
fn rolls(before: &DrawnCar, after: &DrawnCar) -> bool {
    let step_m = after.0.position.distance(before.0.position);
    let is_steady = (after.0.velocity - before.0.velocity).length() < 0.2
        && before.0.velocity.length() > 3.0
        && step_m < 1.0;
    let wheels = Craft::Car.shape().wheels.iter().zip(before.1.iter().zip(&after.1));
    for (wheel, (was_rad, is_rad)) in wheels.filter(|_| is_steady) {
        let hub = |seen: &Kinematics| seen.position + seen.orientation * wheel.hub;
        let along_m = (hub(&after.0) - hub(&before.0)).dot(after.0.orientation * DVec3::X);
        let slip_m = shortest_turn_rad(*was_rad, *is_rad) * wheel.radius_m - along_m;
        assert!(slip_m.abs() < 0.002, "{} slipped {slip_m} m over {along_m} m", wheel.name);
    }
    is_steady
}

/// What a person aims reaches others through the host.
#[test]
fn the_turret_of_a_person_turns_for_those_who_watch() {
    let mut chain = watched(0, 2, STEADY);
    let driver = chain.join(link_config(STEADY, 9), false).unwrap();
    let play = |client: &mut HillsClient, now: SimTime| {
        if client.driver.body().is_some() {
            let aim = DVec3::new(0.3, 1.0, 0.0);
            client.act(now, &DriverInput { aim, ..DriverInput::default() });
        }
    };
    (0..480).for_each(|_| chain.frame(play));
    let aim = chain.clients[driver].driver.body().unwrap().aim;
    let entity = EntityId(chain.clients[driver].driver.entity().unwrap());
    let now = chain.now;
    let shown_rad = chain.clients[0].session.joint_at(entity, TURRET, now).unwrap();
    assert!(aim.turret_rad.abs() > 0.2, "{} rad: it did not turn", aim.turret_rad);
    let off_rad = shortest_turn_rad(aim.turret_rad, shown_rad).abs();
    assert!(off_rad < 3.2_f64.to_radians(), "{shown_rad}, not {}", aim.turret_rad);
}
