//! What driving in the hills promises, for every driver.

use std::f64::consts::{FRAC_PI_2, PI};

use reckoning::math::{cos, rotation, sin};
use reckoning::random::SplitMix64;
use reckoning::{DVec3, Terrain};
use reckoning_arena::hills::{Body, BodyId, Craft, DriveRules, DriverInput, HillsLevel, drive};

const AHEAD: DriverInput =
    DriverInput { throttle: 1.0, steer: 0.0, aim: DVec3::ZERO, fire: false, lob: false };

/// A level without anything in it: flat as far as x is 500, then rising by this for each metre.
fn plain(rise: f64) -> HillsLevel {
    let mut file = HillsLevel::built_in().file().clone();
    let row: Vec<String> = (0..65)
        .map(|it| {
            let climb_m = (f64::from(it) * 16.0 - 500.0).max(0.0) * rise;
            ((10.0 + climb_m) * 10.0).round().to_string()
        })
        .collect();
    file.ground.heights = vec![row.join(" "); 65].join("\n");
    file.bridges.clear();
    file.tunnels.clear();
    file.obstacles.clear();
    file.water_m = -50.0;
    file.train.track = [[100.0, 800.0], [200.0, 800.0], [200.0, 900.0], [100.0, 900.0]]
        .map(|[x, y]| [x, y, 10.0])
        .to_vec();
    file.spawns.truncate(2);
    for (team, spawn) in (0_u8..).zip(&mut file.spawns) {
        (spawn.at, spawn.team) = ([100.0, 100.0 + 50.0 * f64::from(team)], team);
    }
    HillsLevel::from_file(file).unwrap()
}

fn standing(craft: Craft, at: DVec3, heading: f64, level: &HillsLevel) -> Body {
    let ground = level.ground().ground_below(at).unwrap().point;
    let mut body = Body::standing(BodyId(0), craft, 0, ground);
    body.orientation = rotation(DVec3::Z * heading);
    drive(&mut body, &DriverInput::default(), level);
    body
}

fn rules(craft: Craft, level: &HillsLevel) -> DriveRules {
    if craft == Craft::Car { level.file().car } else { level.file().tank }
}

fn drive_for(body: &mut Body, input: DriverInput, seconds: u32, level: &HillsLevel) {
    for _ in 0..seconds * 60 {
        drive(body, &input, level);
    }
}

fn slip_mps(body: &Body) -> f64 {
    body.velocity.dot(body.orientation * DVec3::Y).abs()
}

#[test]
fn top_speed_on_the_flat_is_reached_and_never_exceeded() {
    let level = plain(0.0);
    for craft in [Craft::Tank, Craft::Car] {
        let top_mps = rules(craft, &level).speed_mps;
        let mut body = standing(craft, DVec3::new(30.0, 500.0, 20.0), 0.0, &level);
        for tick in 0..30 * 60 {
            drive(&mut body, &AHEAD, &level);
            assert!(body.velocity.length() <= top_mps + 1e-6, "{craft:?} in tick {tick}");
        }
        assert!(body.velocity.length() > 0.98 * top_mps, "{craft:?}: {}", body.velocity);
    }
}

#[test]
fn a_slope_slows_a_climb_and_a_too_steep_one_is_not_climbed() {
    for craft in [Craft::Tank, Craft::Car] {
        let mut reached = Vec::new();
        for rise in [0.0, 0.25, 0.5, 0.72] {
            let level = plain(rise);
            let mut body = standing(craft, DVec3::new(440.0, 500.0, 20.0), 0.0, &level);
            drive_for(&mut body, AHEAD, 20, &level);
            reached.push((body.position.x, body.velocity.x));
        }
        for pair in reached[..3].windows(2) {
            assert!(pair[1].0 < pair[0].0 - 10.0, "{craft:?}: {reached:?}");
        }
        assert!(reached[2].1 > 0.5, "{craft:?} climbs half a metre for each: {reached:?}");
        let (end_m, speed_mps) = reached[3];
        assert!(end_m < 530.0 && speed_mps < 0.5, "{craft:?}: {reached:?}");
    }
}

#[test]
fn a_fast_car_drifts_in_a_hard_turn_and_a_slow_one_does_not() {
    let level = plain(0.0);
    let turn = DriverInput { steer: 1.0, ..AHEAD };
    let most_slip_mps = |seconds: u32, throttle: f64| {
        let mut car = standing(Craft::Car, DVec3::new(30.0, 500.0, 20.0), 0.0, &level);
        drive_for(&mut car, AHEAD, seconds, &level);
        let turn = DriverInput { throttle, ..turn };
        (0..60).fold(0.0, |most: f64, _| {
            drive(&mut car, &turn, &level);
            most.max(slip_mps(&car))
        })
    };
    let (fast, slow) = (most_slip_mps(10, 1.0), most_slip_mps(0, 0.2));
    assert!(fast > 1.0, "{fast} m/s");
    assert!(slow < 0.05, "{slow} m/s");
}

#[test]
fn brakes_stop_a_vehicle_within_the_way_that_they_promise() {
    let level = plain(0.0);
    for craft in [Craft::Tank, Craft::Car] {
        let rules = rules(craft, &level);
        let mut body = standing(craft, DVec3::new(30.0, 500.0, 20.0), 0.0, &level);
        drive_for(&mut body, AHEAD, 12, &level);
        let (from, speed_mps) = (body.position.x, body.velocity.x);
        let mut ticks = 0;
        while body.velocity.x > 0.2 {
            drive(&mut body, &DriverInput { throttle: -1.0, ..AHEAD }, &level);
            ticks += 1;
            assert!(ticks < 600, "{craft:?} does not stop");
        }
        let promised_m = speed_mps * speed_mps / (2.0 * rules.braking_mps2);
        let took_m = body.position.x - from;
        assert!((0.5 * promised_m..promised_m).contains(&took_m), "{craft:?}: {took_m} m");
    }
}

/// Someone who holds keys for a moment each, whatever comes of it.
fn reckless(random: &mut SplitMix64, tick: u32, input: &mut DriverInput) {
    if tick.is_multiple_of(25) {
        input.throttle = if random.chance(0.8) { 1.0 } else { -1.0 };
        input.steer = [0.0, 0.0, 1.0, -1.0][random.below(4)];
    }
}

#[test]
fn no_driving_whatsoever_leads_into_the_lake() {
    let level = HillsLevel::built_in();
    let dry_m = level.file().water_m - 0.31;
    let starts = [(130.0, 230.0), (370.0, 200.0), (160.0, 300.0), (340.0, 400.0), (250.0, 520.0)];
    let mut shores = 0;
    for seed in 0..40 {
        let mut random = SplitMix64::new(seed);
        let (x, y) = starts[seed as usize % starts.len()];
        let craft = if seed % 2 == 0 { Craft::Tank } else { Craft::Car };
        let heading = if y > 300.0 { -1.5 } else { 0.0 } + random.between(-1.0, 1.0);
        let mut body = standing(craft, DVec3::new(x, y, 20.0), heading, &level);
        let mut input = AHEAD;
        for tick in 0..60 * 60 {
            reckless(&mut random, tick, &mut input);
            drive(&mut body, &input, &level);
            let at = body.position;
            let ground_m = level.ground().ground_below(at).unwrap().point.z;
            assert!(ground_m >= dry_m, "seed {seed} tick {tick}: {at}");
            shores += u32::from(ground_m < level.file().water_m + 0.5);
        }
    }
    assert!(shores > 60, "somebody must have been at the shore, but that were {shores} steps");
}

#[test]
fn no_driving_whatsoever_leads_through_railings_and_walls() {
    let level = HillsLevel::built_in();
    let starts = [
        (250.0, 300.0, 11.2),
        (160.0, 306.5, 11.0),
        (178.0, 293.0, 9.8),
        (340.0, 400.0, 11.9),
        (800.0, 640.0, 12.2),
        (800.0, 700.0, 12.5),
    ];
    for seed in 0..60 {
        let mut random = SplitMix64::new(seed);
        let (x, y, z) = starts[seed as usize % starts.len()];
        let craft = if seed % 4 < 2 { Craft::Tank } else { Craft::Car };
        let heading = if x > 700.0 { FRAC_PI_2 } else { 0.0 } + random.between(-0.3, 0.3);
        let mut body = standing(craft, DVec3::new(x, y, z + 0.2), heading, &level);
        let mut input = AHEAD;
        for tick in 0..40 * 60 {
            reckless(&mut random, tick, &mut input);
            let was = body.position;
            drive(&mut body, &input, &level);
            let at = format!("seed {seed} tick {tick}: {craft:?} at {}", body.position);
            let rise_m = body.position.z - was.z;
            assert!(rise_m.abs() < 0.4, "{at} rose by {rise_m} m");
            let turn = body.angular_velocity.length();
            assert!(turn < 10.0, "{at} turned by {turn} rad/s");
        }
    }
}

#[test]
fn nothing_passes_through_obstacles() {
    let level = HillsLevel::built_in();
    let mut touched = 0;
    for seed in 0..30 {
        let mut random = SplitMix64::new(seed);
        let craft = if seed % 2 == 0 { Craft::Tank } else { Craft::Car };
        let at = DVec3::new(600.0, 330.0 + 3.0 * seed as f64, 40.0);
        let mut body = standing(craft, at, random.between(-3.0, 3.0), &level);
        let mut input = AHEAD;
        for tick in 0..60 * 60 {
            reckless(&mut random, tick, &mut input);
            drive(&mut body, &input, &level);
            for it in &level.file().obstacles {
                let gap = DVec3::new(it.at[0], it.at[1], body.position.z) - body.position;
                let room_m = gap.length() - it.radius_m - craft.girth_m();
                assert!(room_m > -1e-6, "seed {seed} tick {tick}: {room_m} m at {}", body.position);
                touched += u32::from(room_m < 0.01);
            }
        }
    }
    assert!(touched > 60, "somebody must have touched one, but that were {touched} steps");
}

/// Drives straight on until it has come so far, and says how deep and how high it was on the way.
fn straight(level: &HillsLevel, from: DVec3, heading: f64, far_m: f64) -> (f64, f64, bool) {
    let mut body = standing(Craft::Tank, from, heading, level);
    let start = body.position;
    let (mut least_m, mut most_m, mut under_hill) = (f64::INFINITY, f64::NEG_INFINITY, false);
    for _ in 0..60 * 60 {
        drive(&mut body, &AHEAD, level);
        least_m = least_m.min(body.position.z);
        most_m = most_m.max(body.position.z);
        under_hill |= level.ground().in_tunnel(body.position + DVec3::Z);
        let way = DVec3::new(cos(heading), sin(heading), 0.0);
        if (body.position - start).dot(way) > far_m {
            return (least_m, most_m, under_hill);
        }
    }
    panic!("it only came to {} from {start}", body.position);
}

#[test]
fn bridges_lead_over_the_lake_from_both_sides() {
    let level = HillsLevel::built_in();
    for bridge in &level.file().bridges {
        let (from, to) = (DVec3::from(bridge.from), DVec3::from(bridge.to));
        for (start, heading) in [(from - DVec3::X * 15.0, 0.0), (to + DVec3::X * 15.0, PI)] {
            let far_m = from.distance(to) + 25.0;
            let (least_m, most_m, _) = straight(&level, start + DVec3::Z, heading, far_m);
            assert!(least_m > from.z - 1.5 && most_m < from.z + 1.5, "{least_m} to {most_m} m");
        }
    }
}

#[test]
fn where_the_lake_is_dry_one_drives_under_the_bridge_as_well() {
    let mut file = HillsLevel::built_in().file().clone();
    file.water_m = -10.0;
    let level = HillsLevel::from_file(file).unwrap();
    let (_, most_m, _) = straight(&level, DVec3::new(250.0, 250.0, 0.0), FRAC_PI_2, 100.0);
    assert!(most_m < 0.0, "it stays on the bed and is never lifted onto the deck: {most_m} m");
    let (least_m, ..) = straight(&level, DVec3::new(140.0, 300.0, 12.0), 0.0, 215.0);
    assert!(least_m > 10.0, "and on the deck it never falls: {least_m} m");
}

#[test]
fn the_tunnel_leads_through_the_hill_both_ways() {
    let level = HillsLevel::built_in();
    let tunnel = &level.file().tunnels[0];
    let (north, south) = (DVec3::from(tunnel.from), DVec3::from(tunnel.to));
    let far_m = north.distance(south) + 20.0;
    let out = DVec3::Y * 12.0;
    for (start, heading) in [(south - out, FRAC_PI_2), (north + out, -FRAC_PI_2)] {
        let (least_m, most_m, under_hill) = straight(&level, start + DVec3::Z, heading, far_m);
        assert!(under_hill && least_m > 11.0 && most_m < 15.0, "{least_m} to {most_m} m");
    }
}
