//! Levels that the validation accepts, and its errors for the others.

use reckoning_arena::hills::{HillsError, HillsLevel};
use reckoning_arena::{BodyKind, Level, LevelError, LevelFile};

const LEVELS: [&str; 3] = ["proving-grounds", "tank-field", "corridors"];

fn file() -> LevelFile {
    Level::built_in("tank-field").unwrap().file().clone()
}

/// The message after `spoil` has changed a good level.
fn message(spoil: impl FnOnce(&mut LevelFile)) -> String {
    let mut file = file();
    spoil(&mut file);
    Level::from_file(file).expect_err("the level must be refused").to_string()
}

#[test]
fn the_built_in_levels_are_what_the_documents_describe() {
    assert_eq!(Level::built_in_names().collect::<Vec<_>>(), LEVELS);
    let levels = LEVELS.map(|name| Level::built_in(name).unwrap());
    for (level, name) in levels.iter().zip(LEVELS) {
        assert_eq!(level.name(), name);
    }
    let [grounds, field, corridors] = levels.map(|it| it.file().clone());
    assert_eq!(grounds.view_px, [1280.0, 960.0]); // SHI
    assert!(grounds.size_px[0] >= 3.0 * grounds.view_px[0]);
    assert_eq!((field.size_px, field.body.speed_px_s), ([400.0, 400.0], 40.0)); // LI
    assert_eq!(field.body.kind, BodyKind::Tank);
    assert!(corridors.walls_hide && !corridors.turrets.is_empty()); // STEELE
}

#[test]
fn a_typing_error_is_found_and_named() {
    let text = include_str!("../levels/tank-field.toml").replace("radius_px = 8", "radus_px = 8");
    let error = Level::parse(&text).unwrap_err().to_string();
    assert!(error.contains("radus_px") && error.contains("line 11"), "{error}");
}

#[test]
fn an_unknown_level_lists_the_known_ones() {
    let error = Level::built_in("moon").unwrap_err();
    assert_eq!(error, LevelError::NoSuchLevel { name: "moon".into() });
    assert_eq!(
        error.to_string(),
        "no built-in level is called moon; there are proving-grounds, tank-field, corridors"
    );
}

#[test]
fn a_number_out_of_range_is_named_with_its_key() {
    let said = message(|it| it.gun.pause_s = 0.0);
    assert_eq!(said, "gun.pause_s is 0; it must be above 0");
    let said = message(|it| it.body.turn_deg_s = f64::NAN);
    assert_eq!(said, "body.turn_deg_s is NaN; it must be above 0");
    let said = message(|it| it.rules.ammo = 21);
    assert_eq!(said, "rules.ammo is 21; it must be at most rules.ammo_max");
    let said = message(|it| it.nav_cell_px = 0.1);
    assert!(said.starts_with("nav_cell_px is 0.1; it must be"), "{said}");
    let said = message(|it| it.items[2].respawn_s = -1.0);
    assert_eq!(said, "respawn_s of item 3 is -1; it must be above 0");
}

#[test]
fn a_body_that_could_pass_through_walls_is_refused() {
    let said = message(|it| it.body.speed_px_s = 600.0);
    assert!(said.starts_with("a body goes 10.0 px in a tick, more than its radius of 8 px"));
    assert!(said.ends_with("lower body.speed_px_s or raise body.radius_px"), "{said}");
}

#[test]
fn what_lies_outside_is_named_with_its_place() {
    let said = message(|it| it.items[1].at = [500.0, 20.0]);
    assert!(said.starts_with("item 2 at [500, 20] is outside the level"), "{said}");
    let said = message(|it| it.boxes[0].size[1] = 400.0);
    assert!(said.starts_with("box 1 (north block) at [215, 460] is outside"), "{said}");
    let said = message(|it| it.spawns[0].at = [f64::NAN, 0.0]);
    assert!(said.starts_with("spawn 1 at [NaN, 0] is outside"), "{said}");
}

#[test]
fn a_wall_without_extent_is_refused() {
    let said = message(|it| it.segments[1].to = it.segments[1].from);
    assert!(said.starts_with("segment 2 (south-east fence) has no extent; give it"), "{said}");
    let said = message(|it| it.polygons[0].points.truncate(2));
    assert!(said.starts_with("polygon 1 (west wedge) has no extent"), "{said}");
    let said = message(|it| it.boxes[1].size[0] = 0.0);
    assert!(said.starts_with("box 2 (south block) has no extent"), "{said}");
}

#[test]
fn a_spawn_point_in_a_wall_is_refused() {
    let said = message(|it| it.spawns[3].at = [200.0, 300.0]);
    assert_eq!(
        said,
        "spawn 4 at [200, 300] has 0.0 px of room and needs 8.0 px; move it away from the wall"
    );
    let said = message(|it| it.items[0].at = [396.0, 200.0]);
    assert!(said.starts_with("item 1 at [396, 200] has 4.0 px of room"), "{said}");
}

#[test]
fn an_item_nobody_can_reach_is_refused() {
    let said = message(|it| {
        it.segments[0].from = [110.0, 0.0];
        it.segments[0].to = [110.0, 110.0];
        it.segments[1].from = [110.0, 110.0];
        it.segments[1].to = [0.0, 110.0];
        it.spawns.remove(0);
    });
    assert!(said.starts_with("no way leads from spawn 1 to item 2 at [85, 55]"), "{said}");
}

#[test]
fn both_teams_need_a_place_to_be_born() {
    let said = message(|it| it.spawns.iter_mut().for_each(|spawn| spawn.team = Some(0)));
    assert!(said.starts_with("team 1 has no spawn; add [[spawn]] with team = 1"), "{said}");
    let said = message(|it| it.spawns[4].team = Some(2));
    assert_eq!(said, "spawn 5 is for team 2; teams are 0 and 1");
    let said = message(|it| it.spawns.clear());
    assert!(said.starts_with("team 0 has no spawn"), "{said}");
}

#[test]
fn pages_get_the_same_level_as_bytes_and_refuse_others() {
    for name in LEVELS {
        let level = Level::built_in(name).unwrap();
        let bytes = level.to_bytes();
        let read = Level::from_bytes(&bytes).unwrap();
        assert_eq!(read.file(), level.file(), "{name}");
        // Nobody looked for them yet.
        assert!(read.paths().free_places().eq(level.paths().free_places()), "{name}");
        assert_eq!(Level::from_bytes(&bytes[1..]).err(), Some(LevelError::Bytes), "{name}");
    }
    let hills = HillsLevel::built_in();
    let bytes = hills.to_bytes();
    assert_eq!(HillsLevel::from_bytes(&bytes).unwrap().file(), hills.file());
    assert_eq!(HillsLevel::from_bytes(&bytes[..900]).err(), Some(HillsError::Bytes));
}
