//! Checks of a level file: every number, and what stands where.

use reckoning::math::{atan2, sin, sqrt};
use reckoning::{DVec3, Terrain};

use super::drive::{BORDER_M, FORD_M, GRAVITY_MPS2, ROLLING_MPS2};
use super::file::{DriveRules, GunRules, HillsFile, HillsSpawn};
use super::level::{HillsError, HillsLevel};

/// The most bridges, tunnels, spawns and routes together with their points.
const MAX_LIST: usize = 256;
/// How far a deck may end over or under the ground.
const DECK_END_M: f64 = 1.5;
/// How far over the ground a track may run, on its embankment, and how deep in it, in a cutting.
const EMBANKMENT_M: f64 = 2.5;
const CUTTING_M: f64 = 0.6;
/// What a spawn point needs around it.
const SPAWN_ROOM_M: f64 = 4.0;

fn wrong<T>(message: String) -> Result<T, HillsError> {
    Err(HillsError::Value { message })
}

fn within(name: &str, got: f64, least: f64, most: f64) -> Result<(), HillsError> {
    if (least..=most).contains(&got) {
        return Ok(());
    }
    wrong(format!("{name} is {got}; give a number from {least} to {most}"))
}

/// Every number of a file by itself.
pub(super) fn numbers(file: &HillsFile, size_m: f64) -> Result<(), HillsError> {
    within("water_m", file.water_m, -1e4, 1e4)?;
    lists(file)?;
    drive("tank", &file.tank)?;
    drive("car", &file.car)?;
    gun("gun", &file.gun)?;
    gun("shell", &file.shell)?;
    within("rules.health", file.rules.health, 1.0, 1e4)?;
    within("rules.respawn_s", file.rules.respawn_s, 0.1, 120.0)?;
    within("rules.points_to_win", f64::from(file.rules.points_to_win), 1.0, 1e6)?;
    within("rules.round_s", file.rules.round_s, 1.0, 86_400.0)?;
    within("train.cars", f64::from(file.train.cars), 1.0, 12.0)?;
    within("train.spacing_m", file.train.spacing_m, 12.5, 40.0)?;
    within("train.speed_mps", file.train.speed_mps, 2.0, 60.0)?;
    places(file, size_m)
}

fn lists(file: &HillsFile) -> Result<(), HillsError> {
    for (name, got, least, most) in [
        ("bridge", file.bridges.len(), 0, 16),
        ("tunnel", file.tunnels.len(), 0, 16),
        ("obstacle", file.obstacles.len(), 0, 512),
        ("spawn", file.spawns.len(), 2, MAX_LIST),
        ("route", file.routes.len(), 2, 16),
        ("point of train.track", file.train.track.len(), 4, MAX_LIST),
    ] {
        if !(least..=most).contains(&got) {
            return wrong(format!("there are {got} of `{name}`; give from {least} to {most}"));
        }
    }
    for name in ["market", "flock"] {
        if !file.routes.iter().any(|it| it.name == name) {
            return wrong(format!(
                "there is no route called `{name}`; add one, it is always taken"
            ));
        }
    }
    for route in &file.routes {
        let got = route.points.len();
        if !(3..=MAX_LIST).contains(&got) {
            return wrong(format!(
                "route `{}` has {got} points; give from 3 to {MAX_LIST}",
                route.name
            ));
        }
    }
    Ok(())
}

fn drive(name: &str, rules: &DriveRules) -> Result<(), HillsError> {
    within(&format!("{name}.speed_mps"), rules.speed_mps, 1.0, 60.0)?;
    within(&format!("{name}.acceleration_mps2"), rules.acceleration_mps2, 0.6, 30.0)?;
    within(&format!("{name}.braking_mps2"), rules.braking_mps2, 0.5, 40.0)?;
    within(&format!("{name}.grip_mps2"), rules.grip_mps2, 0.5, 100.0)?;
    within(&format!("{name}.turn_deg"), rules.turn_deg, 1.0, 80.0)?;
    within(&format!("{name}.climb_deg"), rules.climb_deg, 5.0, 50.0)?;
    within(&format!("{name}.turret_deg_s"), rules.turret_deg_s, 0.0, 720.0)?;
    let needs = GRAVITY_MPS2 * sin(rules.climb_deg.to_radians()) + ROLLING_MPS2;
    if rules.acceleration_mps2 < needs {
        return wrong(format!(
            "{name}.acceleration_mps2 is {}, but a slope of {name}.climb_deg {} needs {needs:.1}; \
             raise the one or lower the other",
            rules.acceleration_mps2, rules.climb_deg
        ));
    }
    Ok(())
}

fn gun(name: &str, rules: &GunRules) -> Result<(), HillsError> {
    within(&format!("{name}.speed_mps"), rules.speed_mps, 5.0, 2000.0)?;
    within(&format!("{name}.range_m"), rules.range_m, 5.0, 5000.0)?;
    within(&format!("{name}.damage"), rules.damage, 0.1, 1e4)?;
    within(&format!("{name}.blast_m"), rules.blast_m, 0.0, 100.0)?;
    within(&format!("{name}.pause_s"), rules.pause_s, 0.05, 60.0)
}

/// Everything lies inside the level and has a sensible size.
fn places(file: &HillsFile, size_m: f64) -> Result<(), HillsError> {
    let inside = |name: &str, at: [f64; 2]| -> Result<(), HillsError> {
        if at.iter().all(|it| (BORDER_M..=size_m - BORDER_M).contains(it)) {
            return Ok(());
        }
        wrong(format!(
            "{name} is at {at:?}; both numbers must be from {BORDER_M} to {}, inside the level",
            size_m - BORDER_M
        ))
    };
    let high = |name: &str, z: f64| within(&format!("the height of {name}"), z, -1e4, 1e4);
    let ends = file.bridges.iter().map(|it| (it.from, it.to, it.width_m, "bridge", &it.name));
    let more = file.tunnels.iter().map(|it| (it.from, it.to, it.width_m, "tunnel", &it.name));
    for (from, to, width_m, what, name) in ends.chain(more) {
        for [x, y, z] in [from, to] {
            inside(&format!("an end of {what} `{name}`"), [x, y])?;
            high(&format!("an end of {what} `{name}`"), z)?;
        }
        within(&format!("width_m of {what} `{name}`"), width_m, 3.0, 50.0)?;
        let long_m = (DVec3::from(to) - DVec3::from(from)).with_z(0.0).length();
        within(&format!("the length of {what} `{name}`"), long_m, 5.0, 1e4)?;
    }
    for it in &file.tunnels {
        within(&format!("height_m of tunnel `{}`", it.name), it.height_m, 4.0, 50.0)?;
    }
    for (number, it) in file.obstacles.iter().enumerate() {
        let name = format!("obstacle {} ({:?})", number + 1, it.kind);
        inside(&name, it.at)?;
        within(&format!("radius_m of {name}"), it.radius_m, 0.1, 40.0)?;
        within(&format!("height_m of {name}"), it.height_m, 0.1, 80.0)?;
    }
    for (number, it) in file.spawns.iter().enumerate() {
        inside(&format!("spawn {}", number + 1), it.at)?;
        within(&format!("heading_deg of spawn {}", number + 1), it.heading_deg, -360.0, 360.0)?;
        within(&format!("team of spawn {}", number + 1), f64::from(it.team), 0.0, 1.0)?;
    }
    for (number, [x, y, z]) in file.train.track.iter().enumerate() {
        inside(&format!("point {} of train.track", number + 1), [*x, *y])?;
        high(&format!("point {} of train.track", number + 1), *z)?;
    }
    for route in &file.routes {
        for (number, at) in route.points.iter().enumerate() {
            inside(&format!("point {} of route `{}`", number + 1, route.name), *at)?;
        }
    }
    Ok(())
}

/// What stands where, on ground that is there by now.
pub(super) fn standing(level: &HillsLevel) -> Result<(), HillsError> {
    let file = level.file();
    for team in 0..2 {
        if !file.spawns.iter().any(|it| it.team == team) {
            return wrong(format!("team {team} has no spawn; add one with `team = {team}`"));
        }
    }
    for (number, it) in file.spawns.iter().enumerate() {
        spawn(level, number + 1, it)?;
    }
    decks(level)?;
    market(level)?;
    track(level)
}

fn spawn(level: &HillsLevel, number: usize, it: &HillsSpawn) -> Result<(), HillsError> {
    let (file, at) = (level.file(), DVec3::new(it.at[0], it.at[1], 0.0));
    let name = format!("spawn {number} at {:?}", it.at);
    let Some(ground) = level.ground().field().ground_below(at) else {
        return wrong(format!("{name} is outside of the ground; move it inside"));
    };
    if ground.point.z < file.water_m {
        return wrong(format!(
            "{name} is {:.1} m under water; move it to dry land or lower water_m {}",
            file.water_m - ground.point.z,
            file.water_m
        ));
    }
    let slope_deg = slope_deg(ground.normal);
    let most = file.tank.climb_deg.min(file.car.climb_deg);
    if slope_deg > most {
        return wrong(format!(
            "{name} is on a slope of {slope_deg:.0} degrees; vehicles climb {most}, so move it to \
             gentler ground"
        ));
    }
    for (other, obstacle) in file.obstacles.iter().enumerate() {
        let gap = DVec3::new(obstacle.at[0], obstacle.at[1], 0.0) - at;
        let room_m = gap.length() - obstacle.radius_m;
        if room_m < SPAWN_ROOM_M {
            return wrong(format!(
                "{name} has {room_m:.1} m to obstacle {} and needs {SPAWN_ROOM_M}; move one of them",
                other + 1
            ));
        }
    }
    Ok(())
}

/// The angle of ground that faces this way.
pub(super) fn slope_deg(normal: DVec3) -> f64 {
    atan2(sqrt(normal.x * normal.x + normal.y * normal.y), normal.z).to_degrees()
}

/// One can drive onto bridges.
fn decks(level: &HillsLevel) -> Result<(), HillsError> {
    for it in &level.file().bridges {
        for end in [it.from, it.to].map(DVec3::from) {
            let ground_m = level.ground().field().ground_below(end).map_or(0.0, |it| it.point.z);
            if (end.z - ground_m).abs() > DECK_END_M {
                return wrong(format!(
                    "bridge `{}` ends at height {} where the ground is at {ground_m:.1}; they must \
                     meet within {DECK_END_M} m",
                    it.name, end.z
                ));
            }
        }
    }
    Ok(())
}

/// The merchant stays dry.
fn market(level: &HillsLevel) -> Result<(), HillsError> {
    let dry_m = level.file().water_m - FORD_M;
    for route in level.file().routes.iter().filter(|it| it.name == "market") {
        for (number, [x, y]) in route.points.iter().enumerate() {
            let ground_m = level.height_m(*x, *y);
            if ground_m < dry_m {
                return wrong(format!(
                    "point {} of route `market` is {:.1} m under water; move it to dry land",
                    number + 1,
                    level.file().water_m - ground_m
                ));
            }
        }
    }
    Ok(())
}

/// The track lies on the ground but on bridges and in tunnels.
fn track(level: &HillsLevel) -> Result<(), HillsError> {
    let path = level.track();
    let length_m = path.length_m();
    let steps = (libm::ceil(length_m / 4.0) as usize).clamp(1, 20_000);
    for step in 0..steps {
        let (place, _) = path.place_at(length_m * step as f64 / steps as f64);
        let name = format!("the track at [{:.0}, {:.0}, {:.1}]", place.x, place.y, place.z);
        let below = level.ground().ground_below(place + DVec3::Z * 0.5);
        let Some(ground) = below else {
            return wrong(format!("{name} is outside of the level; move its points inside"));
        };
        let above_m = place.z - ground.point.z;
        if above_m < -CUTTING_M {
            return wrong(format!(
                "{name} is {:.1} m under the ground; raise it, lower the ground or add a tunnel",
                -above_m
            ));
        }
        if above_m > EMBANKMENT_M {
            return wrong(format!(
                "{name} is {above_m:.1} m over the ground; lower it, raise the ground or add a bridge"
            ));
        }
    }
    Ok(())
}
