//! Rules that hold in every game, whoever plays it.

mod shared;

use reckoning::DVec3;
use reckoning::random::SplitMix64;
use reckoning_arena::{Event, Input, Level, Mode, Player, PlayerId, Shooter, Team, World, digest};

use shared::{LEVELS, play};

fn hash_of(level: &str, seed: u64) -> u64 {
    play(level, 10, 20, seed).fold(0, |hash, frame| digest(hash, &frame.players))
}

#[test]
fn the_same_seed_gives_the_same_game_everywhere() {
    // A change of any of these needs a line in CHANGELOG.md.
    let golden = [0x9e6d_edaf_6729_f6bb, 0x7b51_40f2_ade5_6c4d, 0xb6f9_6697_5c75_9697];
    for (level, golden) in LEVELS.into_iter().zip(golden) {
        let hash = hash_of(level, 7);
        assert_eq!(hash, golden, "{level}: got {hash:#018x}");
    }
}

#[test]
fn another_seed_gives_another_game() {
    for level in LEVELS {
        assert_ne!(hash_of(level, 1), hash_of(level, 2), "{level}");
    }
}

#[test]
fn a_copy_of_a_match_goes_the_same_way() {
    let mut game = play("corridors", 6, 30, 5);
    game.by_ref().take(900).for_each(drop);
    let mut copy = game.clone();
    for frame in game {
        assert_eq!(Some(&frame), copy.next().as_ref(), "tick {}", frame.tick);
    }
    assert!(copy.next().is_none());
}

fn assert_is_sound(player: &Player, level: &Level, tick: u64) {
    let (body, rules) = (&level.file().body, &level.file().rules);
    let who = format!("{} at {} in tick {tick}", player.id.0, player.position);
    assert!((0.0..=rules.health).contains(&player.health), "{who}: health {}", player.health);
    assert!(player.ammo <= rules.ammo_max, "{who}: ammo {}", player.ammo);
    assert!(player.velocity.length() <= body.speed_px_s * (1.0 + 1e-9), "{who}");
    assert!((player.aim.length() - 1.0).abs() < 1e-9, "{who}: aim {}", player.aim);
    assert_eq!(player.position.z, 0.0, "{who}");
    if player.is_alive {
        assert!(player.health > 0.0, "{who} lives without health");
        let room_px = level.walls().room_at(player.position);
        assert!(room_px >= body.radius_px - 1e-6, "{who} has {room_px} px of room");
    }
}

#[test]
fn bots_never_get_into_a_wall_and_stay_in_bounds() {
    for name in LEVELS {
        let level = Level::built_in(name).unwrap();
        for frame in play(name, 12, 60, 11) {
            frame.players.iter().for_each(|it| assert_is_sound(it, &level, frame.tick));
        }
    }
}

#[test]
fn no_input_however_wild_gets_a_body_into_a_wall() {
    for name in LEVELS {
        let mut world = World::new(Level::built_in(name).unwrap(), Mode::FreeForAll, 3);
        let ids: Vec<PlayerId> = (0..8).map(|_| world.join()).collect();
        let (mut random, mut acts) = (SplitMix64::new(5), vec![Input::default(); ids.len()]);
        for tick in 0..6_000 {
            for act in acts.iter_mut().filter(|_| tick % 20 == 0) {
                // Mostly one way for long, so that everyone ends up in corners.
                let go = DVec3::new(random.bell(), random.bell(), random.bell()) * 9.0;
                *act = Input { go, aim: go, fire: random.chance(0.2) };
            }
            let inputs: Vec<_> = ids.iter().copied().zip(acts.iter().copied()).collect();
            world.step(&inputs);
            world.players().iter().for_each(|it| assert_is_sound(it, world.level(), tick));
        }
    }
}

/// A room without walls, two spawn points 200 px apart, one shot kills.
fn duel() -> World {
    duel_with("")
}

/// The same room with something more in its file.
fn duel_with(more: &str) -> World {
    let text = r#"
        name = "duel"
        size_px = [400, 200]
        view_px = [400, 200]
        nav_cell_px = 10
        body = { kind = "walker", radius_px = 10, speed_px_s = 120, acceleration_px_s2 = 600, braking_px_s2 = 600 }
        gun = { speed_px_s = 600, range_px = 300, damage = 100, pause_s = 0.5 }
        rules = { health = 100, ammo = 3, ammo_max = 3, respawn_s = 2, points_to_win = 2, round_s = 60 }
        spawn = [{ at = [100, 100], team = 0 }, { at = [300, 100], team = 1 }]
        item = [{ kind = "ammo", at = [100, 160], amount = 2, respawn_s = 1 }]
    "#;
    let mut world = World::new(Level::parse(&format!("{text}{more}")).unwrap(), Mode::TwoTeams, 1);
    let _ = (world.join(), world.join());
    world.step(&[]);
    world
}

fn events_of(world: &mut World, ticks: u32, input: Input) -> Vec<(u64, Event)> {
    let mut events = Vec::new();
    for _ in 0..ticks {
        world.step(&[(PlayerId(0), input), (PlayerId(99), input)]);
        events.extend(world.events().iter().map(|it| (world.tick(), *it)));
    }
    events
}

#[test]
fn a_shot_flies_kills_and_counts_and_the_dead_return() {
    let mut world = duel();
    assert_eq!(world.events().len(), 2, "both are born in the first tick");
    let fire = Input { aim: DVec3::X, fire: true, ..Input::default() };
    let events = events_of(&mut world, 25, fire);
    let (one, other) = (PlayerId(0), PlayerId(1));
    let by = Shooter::Player(one);
    assert!(matches!(events[0], (2, Event::Fired { by: of, .. }) if of == by), "{events:?}");
    // 190 px to the other's rim at 600 px/s: 19 ticks of flight.
    assert_eq!(events[1], (20, Event::Hit { who: other, by, damage: 100.0, shot: 0 }));
    assert!(matches!(events[2], (20, Event::Died { who, .. }) if who == other));
    assert_eq!(world.points()[&Team(0)], 1);
    assert!(!world.player(other).unwrap().is_alive);

    let later = events_of(&mut world, 120, Input::default());
    assert!(matches!(later[..], [(140, Event::Born { who, .. })] if who == other), "{later:?}");
}

#[test]
fn enough_points_end_the_round_and_begin_the_next() {
    let mut world = duel();
    let fire = Input { aim: DVec3::X, fire: true, ..Input::default() };
    let mut events = events_of(&mut world, 25, fire);
    events.extend(events_of(&mut world, 125, Input::default()));
    events.extend(events_of(&mut world, 25, fire));
    let (tick, _) = events
        .iter()
        .find(|it| it.1 == Event::RoundOver { winner: Some(Team(0)) })
        .expect("two kills end the round");
    let born = events.iter().filter(|it| it.0 == tick + 1 && matches!(it.1, Event::Born { .. }));
    assert_eq!(born.count(), 2);
    assert!(world.points().is_empty());
    let counted = world.players().iter().all(|it| (it.kills, it.deaths) == (0, 0));
    assert!(counted, "kills add up to points in every round");
}

#[test]
fn an_item_helps_once_and_returns() {
    let mut world = duel();
    let fire = Input { aim: DVec3::NEG_X, fire: true, ..Input::default() };
    events_of(&mut world, 2, fire);
    assert_eq!(world.player(PlayerId(0)).unwrap().ammo, 2);
    let down = Input { go: DVec3::Y, ..Input::default() };
    let events: Vec<_> = events_of(&mut world, 40, down).into_iter().map(|it| it.1).collect();
    assert_eq!(events, [Event::Took { who: PlayerId(0), item: 0 }]);
    assert_eq!(world.player(PlayerId(0)).unwrap().ammo, 3, "not beyond the most");
    assert!(!world.items().next().unwrap());
    let later = events_of(&mut world, 60, Input::default());
    assert!(matches!(later[..], [(_, Event::Returned { item: 0 })]), "{later:?}");
}

#[test]
fn even_a_thin_wall_stops_shots() {
    // Half a pixel in front of the target: the shot would reach both in one tick.
    let mut world = duel_with("segment = [{ from = [289.5, 50], to = [289.5, 150] }]");
    let fire = Input { aim: DVec3::X, fire: true, ..Input::default() };
    let events = events_of(&mut world, 120, fire);
    let shots = events.iter().filter(|it| matches!(it.1, Event::Fired { .. })).count();
    assert_eq!(shots, events.len(), "only shots, nobody struck: {events:?}");
    assert_eq!((shots, world.shots().len()), (3, 0));
}

#[test]
fn shots_pass_friends() {
    let mut world = duel();
    let friend = world.join();
    world.step(&[]);
    assert_eq!(world.player(friend).unwrap().team, Team(0));
    let fire = Input { aim: DVec3::Y, fire: true, ..Input::default() };
    let events = events_of(&mut world, 60, fire);
    assert!(events.iter().all(|it| !matches!(it.1, Event::Hit { .. })), "{events:?}");
    assert!(world.shots().is_empty(), "spent or in a wall: {:?}", world.shots());
    assert!(world.leave(friend) && !world.leave(friend));
}

#[test]
fn turrets_shoot_at_whoever_stays_in_their_sight() {
    let level = Level::built_in("corridors").unwrap();
    let mut world = World::new(level, Mode::FreeForAll, 1);
    let ids: Vec<_> = (0..12).map(|_| world.join()).collect();
    assert_eq!(ids[11], PlayerId(11));
    let mut struck = 0;
    for _ in 0..600 {
        world.step(&[]);
        struck += world.events().iter().filter(|it| is_turret_hit(it)).count();
    }
    assert!(struck > 10, "{struck} hits on people who stand in the open");
}

fn is_turret_hit(event: &Event) -> bool {
    matches!(event, Event::Hit { by: Shooter::Turret(_), .. })
}
