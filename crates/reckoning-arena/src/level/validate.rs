//! Validation of levels: whatever passes here can be played.

use super::error::{LevelError, Thing};
use super::file::{BodyKind, FilePoint, LevelFile};
use super::paths::Paths;
use super::place;
use super::walls::Walls;
use crate::TICKS_PER_S;

/// A grid finer than this would take longer to build than a round to play.
const MAX_SQUARES: f64 = 250_000.0;
/// Squares times walls: each square is held against each wall, some twenty times.
const MAX_SQUARE_WALLS: f64 = 5e7;
const POSITIVE: &str = "above 0";

/// Every setting is in its range, and they fit each other.
pub fn numbers(file: &LevelFile) -> Result<(), LevelError> {
    positive_settings(file)?;
    let [width_px, height_px] = file.size_px;
    let cells = (width_px / file.nav_cell_px) * (height_px / file.nav_cell_px);
    if !(1.0..=MAX_SQUARES).contains(&cells) {
        let must = "small enough for 1 square and large enough for at most 250000";
        return Err(LevelError::Setting {
            thing: None,
            key: "nav_cell_px",
            got: file.nav_cell_px,
            must,
        });
    }
    if file.body.kind == BodyKind::Tank {
        setting("body.turn_deg_s", file.body.turn_deg_s, POSITIVE, is_positive)?;
    }
    if file.rules.ammo > file.rules.ammo_max {
        let must = "at most rules.ammo_max";
        return Err(LevelError::Setting {
            thing: None,
            key: "rules.ammo",
            got: file.rules.ammo.into(),
            must,
        });
    }
    let top_px_s = file.body.speed_px_s.max(file.buggy.as_ref().map_or(0.0, |it| it.speed_px_s));
    let (step_px, radius_px) = (top_px_s / f64::from(TICKS_PER_S), file.body.radius_px);
    if step_px >= radius_px { Err(LevelError::TooFast { step_px, radius_px }) } else { Ok(()) }
}

fn positive_settings(file: &LevelFile) -> Result<(), LevelError> {
    let (body, gun, rules) = (&file.body, &file.gun, &file.rules);
    let all = [
        ("size_px[0]", file.size_px[0]),
        ("size_px[1]", file.size_px[1]),
        ("view_px[0]", file.view_px[0]),
        ("view_px[1]", file.view_px[1]),
        ("nav_cell_px", file.nav_cell_px),
        ("body.radius_px", body.radius_px),
        ("body.speed_px_s", body.speed_px_s),
        ("body.acceleration_px_s2", body.acceleration_px_s2),
        ("body.braking_px_s2", body.braking_px_s2),
        ("gun.speed_px_s", gun.speed_px_s),
        ("gun.range_px", gun.range_px),
        ("gun.damage", gun.damage),
        ("gun.pause_s", gun.pause_s),
        ("rules.health", rules.health),
        ("rules.ammo_max", rules.ammo_max.into()),
        ("rules.points_to_win", rules.points_to_win.into()),
        ("rules.respawn_s", rules.respawn_s),
        ("rules.round_s", rules.round_s),
    ];
    all.into_iter().try_for_each(|(key, got)| setting(key, got, POSITIVE, is_positive))?;
    things_settings(file)
}

fn things_settings(file: &LevelFile) -> Result<(), LevelError> {
    for (number, it) in (1..).zip(&file.items) {
        let thing = Thing::Item(number);
        of_thing(&thing, setting("amount", it.amount.into(), POSITIVE, is_positive))?;
        of_thing(&thing, setting("respawn_s", it.respawn_s, POSITIVE, is_positive))?;
    }
    if let Some(buggy) = &file.buggy {
        setting("buggy.speed_px_s", buggy.speed_px_s, POSITIVE, is_positive)?;
        setting("buggy.acceleration_px_s2", buggy.acceleration_px_s2, POSITIVE, is_positive)?;
        setting("buggy.braking_px_s2", buggy.braking_px_s2, POSITIVE, is_positive)?;
        setting("buggy.turn_deg_s", buggy.turn_deg_s, POSITIVE, is_positive)?;
    }
    for (number, it) in (1..).zip(&file.turrets) {
        let thing = Thing::Turret(number);
        of_thing(&thing, setting("range_px", it.range_px, POSITIVE, is_positive))?;
        of_thing(&thing, setting("damage", it.damage, POSITIVE, is_positive))?;
        of_thing(&thing, setting("pause_s", it.pause_s, POSITIVE, is_positive))?;
        of_thing(&thing, setting("warm_up_s", it.warm_up_s, "at least 0", |it| it >= 0.0))?;
    }
    Ok(())
}

/// Says which thing's setting is wrong.
fn of_thing(thing: &Thing, checked: Result<(), LevelError>) -> Result<(), LevelError> {
    checked.map_err(|error| match error {
        LevelError::Setting { key, got, must, .. } => {
            LevelError::Setting { thing: Some(thing.clone()), key, got, must }
        }
        other => other,
    })
}

fn is_positive(value: f64) -> bool {
    value > 0.0
}

fn setting(
    key: &'static str,
    got: f64,
    must: &'static str,
    holds: impl Fn(f64) -> bool,
) -> Result<(), LevelError> {
    let right = got.is_finite() && holds(got);
    if right { Ok(()) } else { Err(LevelError::Setting { thing: None, key, got, must }) }
}

/// Everything lies inside the level, walls have an extent, both teams can be born.
pub fn places(file: &LevelFile) -> Result<(), LevelError> {
    for (number, it) in (1..).zip(&file.boxes) {
        let thing = wall("box", number, &it.name);
        inside(file, &thing, it.at)?;
        inside(file, &thing, [it.at[0] + it.size[0], it.at[1] + it.size[1]])?;
        extended(thing, it.size[0] > 0.0 && it.size[1] > 0.0)?;
    }
    for (number, it) in (1..).zip(&file.segments) {
        let thing = wall("segment", number, &it.name);
        inside(file, &thing, it.from)?;
        inside(file, &thing, it.to)?;
        extended(thing, it.from != it.to)?;
    }
    for (number, it) in (1..).zip(&file.polygons) {
        let thing = wall("polygon", number, &it.name);
        it.points.iter().try_for_each(|point| inside(file, &thing, *point))?;
        let repeats = (0..it.points.len())
            .any(|place| it.points[place] == it.points[(place + 1) % it.points.len()]);
        extended(thing, it.points.len() >= 3 && !repeats)?;
    }
    for (thing, at) in standing(file) {
        inside(file, &thing, at)?;
    }
    teams(file)
}

fn wall(shape: &'static str, number: usize, name: &str) -> Thing {
    Thing::Wall { shape, number, name: name.to_owned() }
}

fn inside(file: &LevelFile, thing: &Thing, at: FilePoint) -> Result<(), LevelError> {
    let size_px = file.size_px;
    let is_inside = (0..2).all(|axis| (0.0..=size_px[axis]).contains(&at[axis]));
    if is_inside { Ok(()) } else { Err(LevelError::Outside { thing: thing.clone(), at, size_px }) }
}

fn extended(thing: Thing, is_extended: bool) -> Result<(), LevelError> {
    if is_extended { Ok(()) } else { Err(LevelError::Flat { thing }) }
}

/// Spawn points, items, turrets and vehicles, with their places.
fn standing(file: &LevelFile) -> impl Iterator<Item = (Thing, FilePoint)> {
    let spawns = (1..).zip(&file.spawns).map(|(number, it)| (Thing::Spawn(number), it.at));
    let items = (1..).zip(&file.items).map(|(number, it)| (Thing::Item(number), it.at));
    let turrets = (1..).zip(&file.turrets).map(|(number, it)| (Thing::Turret(number), it.at));
    let buggies = file.buggy.iter().flat_map(|it| (1..).zip(&it.at));
    let buggies = buggies.map(|(number, at)| (Thing::Buggy(number), *at));
    spawns.chain(items).chain(turrets).chain(buggies)
}

fn teams(file: &LevelFile) -> Result<(), LevelError> {
    for (number, spawn) in (1..).zip(&file.spawns) {
        if let Some(team) = spawn.team.filter(|team| *team > 1) {
            return Err(LevelError::NoSuchTeam { thing: Thing::Spawn(number), team });
        }
    }
    for team in 0..2 {
        if !file.spawns.iter().any(|it| it.team.is_none_or(|of| of == team)) {
            return Err(LevelError::NoSpawn { team });
        }
    }
    Ok(())
}

/// The grid can be built while someone waits.
pub fn work(file: &LevelFile, walls: &Walls) -> Result<(), LevelError> {
    let [width_px, height_px] = file.size_px;
    let squares = (width_px / file.nav_cell_px) * (height_px / file.nav_cell_px);
    let walls = walls.edges().len();
    let looks = 1.0 + file.turrets.len() as f64 / 20.0;
    if squares * walls as f64 * looks <= MAX_SQUARE_WALLS {
        return Ok(());
    }
    Err(LevelError::TooManyWalls { squares: squares as usize, walls })
}

/// Whoever has to stand somewhere fits there. Turrets hang on walls and need no room.
pub fn room(file: &LevelFile, walls: &Walls) -> Result<(), LevelError> {
    let need_px = file.body.radius_px;
    for (thing, at) in standing(file) {
        let room_px = walls.room_at(place(at));
        let need_px = if matches!(thing, Thing::Turret(_)) { 1.0 } else { need_px };
        if room_px < need_px {
            return Err(LevelError::NoRoom { thing, at, room_px, need_px });
        }
    }
    Ok(())
}

/// A way leads from the first spawn point to every other and to every item.
pub fn ways(file: &LevelFile, walls: &Walls, paths: &Paths) -> Result<(), LevelError> {
    let mut goals = standing(file).filter(|(thing, _)| !matches!(thing, Thing::Turret(_)));
    match goals.find(|(_, at)| !paths.reaches(place(*at), walls)) {
        Some((thing, at)) => Err(LevelError::Unreachable { thing, at }),
        None => Ok(()),
    }
}
