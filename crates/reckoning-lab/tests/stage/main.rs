//! The arena on a host, with clients behind simulated links.

mod driving;
mod newcomers;
mod play;

use std::collections::BTreeMap;
use std::sync::Arc;

use reckoning::{DVec3, SimTime};
use reckoning_arena::host::{ArenaHostConfig, MotionStyle, TRAINED_ON, class_shows, trained};
use reckoning_arena::protocol::{ModelChoice, Properties, ServerMessage};
use reckoning_arena::{Input, Level, PlayerId};
use reckoning_net::ClockMode;

use play::{StagePlay, link};

/// A room with two spawn points near each other. `gun` and `more` are TOML.
fn room(damage: u32, more: &str) -> Level {
    let text = format!(
        r#"
        name = "room"
        size_px = [400, 300]
        view_px = [400, 300]
        nav_cell_px = 10
        body = {{ kind = "walker", radius_px = 10, speed_px_s = 200, acceleration_px_s2 = 1500, braking_px_s2 = 1500 }}
        gun = {{ speed_px_s = 1200, range_px = 300, damage = {damage}, pause_s = 0.2 }}
        rules = {{ health = 100, ammo = 60, ammo_max = 60, respawn_s = 2, points_to_win = 50, round_s = 600 }}
        spawn = [{{ at = [100, 150], team = 0 }}, {{ at = [190, 150], team = 1 }}]
        {more}
    "#
    );
    Level::parse(&text).unwrap()
}

/// Two clients with this delay each way; the first shoots at the second, which strafes up and
/// down and turns every half second. Returns the play, what the shooter saw hit, and how many of
/// its shots would have hit where the target was by the server's knowledge.
fn duel(level: Level, delay_ms: u64, seconds: u32) -> (StagePlay, usize, usize) {
    duel_on(StagePlay::new(level, 0), delay_ms, seconds, |_| false)
}

/// In the frames that `is_naive` picks it fires as in a naive game.
fn duel_on(
    mut play: StagePlay,
    delay_ms: u64,
    seconds: u32,
    is_naive: fn(u32) -> bool,
) -> (StagePlay, usize, usize) {
    play.come(1, b"one", link(delay_ms, 0, 0.0, 5));
    play.come(2, b"two", link(delay_ms, 0, 0.0, 7));
    play.until_all_live();
    for client in &mut play.clients {
        let shows = class_shows(&play.stage.tuning(), MotionStyle::default().ghost);
        client.session.set_class_shows(&shows, play.now).unwrap();
    }
    // Clocks and ghosts settle.
    for _ in 0..120 {
        play.frame();
    }
    let mut target = *play.clients[1].mirror.body().unwrap();
    let from = play.clients[0].mirror.body().unwrap().position;
    let entity = play.clients[1].mirror.entity().unwrap();
    let (mut seen_hits, mut present_hits) = (0, 0);
    let mut flights: Vec<(DVec3, DVec3)> = Vec::new();
    for frame in 0..seconds * 60 {
        let now = play.now;
        let up = if (frame / 30) % 2 == 0 { DVec3::Y } else { DVec3::NEG_Y };
        let input = Input { go: up, ..Input::default() };
        play.clients[1].act(now, &mut target, &input);
        let (shown, velocity) = play.clients[0].shown(entity, now).unwrap();
        flights.retain_mut(|(at, way)| {
            let step = *way / 60.0;
            let along = ((shown - *at).dot(step) / step.length_squared()).clamp(0.0, 1.0);
            let hit = (*at + step * along).distance(shown) <= 10.0;
            *at += step;
            seen_hits += usize::from(hit);
            !hit && at.distance(from) < 250.0
        });
        if frame % 20 == 5 {
            let lead = velocity * (from.distance(shown) / 1200.0);
            let along = (shown + lead - from).normalize();
            flights.push((from, along * 1200.0));
            if is_naive(frame) {
                play.clients[0].fire_now(along);
            } else {
                play.clients[0].fire(now, along);
            }
            let meets = from + along * from.distance(target.position);
            present_hits += usize::from(meets.distance(target.position) <= 10.0);
        }
        play.frame();
    }
    for _ in 0..60 {
        play.frame();
    }
    (play, seen_hits, present_hits)
}

#[test]
fn a_hit_that_the_shooter_saw_counts_at_200_ms() {
    let (play, seen, present) = duel(room(1, ""), 100, 12);
    let shooter = &play.clients[0];
    let hits = shooter.count(|tell| matches!(tell, ServerMessage::Hit { .. }));
    let shots = shooter.count(|tell| matches!(tell, ServerMessage::Shot { .. }));
    println!("{shots} shots, {seen} seen to hit, {hits} counted; {present} aimed at the truth");
    assert!(shots >= 30 && seen >= 15, "{shots} shots, {seen} seen to hit");
    assert!(hits * 10 >= seen * 9 && hits <= shots, "{seen} seen to hit, {hits} counted");
    assert_eq!(play.stage.stats().corrected, 0);
}

/// A naive game judges a shot when it comes in: who aims at what it was shown misses who dodges. The
/// shots of both games may follow each other, on any link, and are all fired.
#[test]
fn naive_shots_are_judged_in_the_present_and_mix_with_others() {
    let duels: [fn(u32) -> bool; 2] = [|_| true, |frame| (frame / 120) % 2 == 0];
    let [naive, mixed] = duels.map(|is_naive| {
        let (play, seen, _) = duel_on(StagePlay::new(room(1, ""), 0), 250, 16, is_naive);
        let shooter = &play.clients[0];
        let hits = shooter.count(|tell| matches!(tell, ServerMessage::Hit { .. }));
        let shots = shooter.count(|tell| matches!(tell, ServerMessage::Shot { .. }));
        println!("{shots} shots, {seen} seen to hit, {hits} counted; {:?}", play.stage.stats());
        (shots, seen, hits, play.stage.stats().refused_shots)
    });
    let (shots, seen, hits, refused) = naive;
    assert!(shots >= 40 && refused == 0 && hits * 2 < seen, "{naive:?}");
    // After a change to Reckoning the gun still rests from a shot that was newer than the picture.
    assert!(mixed.0 + 10 >= shots && mixed.3 <= 10 && mixed.2 > hits, "{mixed:?} {naive:?}");
}

/// What the shooter saw is not known, so nothing is rebuilt: whoever aims at what is shown of a
/// target that dodges misses it, and every shot is fired all the same.
#[test]
fn without_a_common_clock_or_with_late_pictures_hits_are_judged_in_the_present() {
    let mut late = ArenaHostConfig::default();
    (late.demo, late.bots, late.tuning.near_delayed) = (true, 0, true);
    let mut plain = ArenaHostConfig::default();
    (plain.demo, plain.bots) = (true, 0);
    for (name, settings, clock) in
        [("late", &late, ClockMode::Synchronised), ("no clock", &plain, ClockMode::PerHop)]
    {
        let play = StagePlay::by_clock(room(1, ""), settings, clock);
        let (play, seen, _) = duel_on(play, 100, 12, |_| false);
        let shooter = &play.clients[0];
        let hits = shooter.count(|tell| matches!(tell, ServerMessage::Hit { .. }));
        let shots = shooter.count(|tell| matches!(tell, ServerMessage::Shot { .. }));
        let stats = play.stage.stats();
        println!("{name}: {shots} shots, {seen} seen to hit, {hits} counted; {stats:?}");
        assert!(shots >= 30 && seen >= 15, "{name}: {shots} shots, {seen} seen to hit");
        assert!(hits * 2 < seen, "{name}: {seen} seen to hit, {hits} counted");
        assert_eq!(stats.refused_shots, 0, "{name}");
    }
}

#[test]
fn a_shot_through_a_wall_never_hits() {
    let wall = "box = [{ at = [140, 40], size = [8, 220] }]";
    let (play, ..) = duel(room(1, wall), 100, 8);
    let shooter = &play.clients[0];
    assert!(shooter.count(|tell| matches!(tell, ServerMessage::Shot { .. })) >= 20);
    assert_eq!(shooter.count(|tell| matches!(tell, ServerMessage::Hit { .. })), 0);
}

#[test]
fn the_dead_cannot_fire() {
    let mut play = StagePlay::new(room(100, ""), 0);
    play.come(1, b"one", link(20, 0, 0.0, 5));
    play.come(2, b"two", link(20, 0, 0.0, 7));
    play.until_all_live();
    for _ in 0..60 {
        play.frame();
    }
    let (one, two) = (0, 1);
    let at = |play: &StagePlay, who: usize| play.clients[who].mirror.body().unwrap().position;
    let aim = at(&play, two) - at(&play, one);
    let now = play.now;
    play.clients[one].fire(now, aim);
    for _ in 0..30 {
        play.frame();
    }
    let died = |tell: &ServerMessage| matches!(tell, ServerMessage::Died { player: 1, by: 0 });
    assert_eq!(play.clients[two].count(died), 1);
    assert!(!play.clients[two].mirror.is_alive());
    let now = play.now;
    play.clients[two].fire(now, -aim);
    for _ in 0..30 {
        play.frame();
    }
    let by_two = |tell: &ServerMessage| matches!(tell, ServerMessage::Shot { shooter: 1, .. });
    assert_eq!(play.clients[one].count(by_two), 0);
    assert_eq!((play.stage.stats().shots, play.stage.stats().refused_shots), (1, 1));

    // It is born again two seconds after its death, where it belongs, and may fire.
    play.until_all_live();
    let waited = play.stage.world().player(PlayerId(1)).unwrap().since_tick;
    assert!(waited > 120, "{waited}");
    for _ in 0..30 {
        play.frame();
    }
    let now = play.now;
    play.clients[two].fire(now, -aim);
    for _ in 0..30 {
        play.frame();
    }
    assert_eq!(play.clients[one].count(by_two), 1);
}

#[test]
fn nobody_fires_faster_than_the_gun_or_without_shots() {
    let mut play = StagePlay::new(room(1, ""), 0);
    play.come(1, b"one", link(40, 15, 0.0, 5));
    play.until_all_live();
    for frame in 0..60 * 20 {
        let now = play.now;
        if play.clients[0].session.host_time(now).is_some() {
            play.clients[0].fire(now, DVec3::X);
        }
        play.frame();
        if frame == 300 {
            let shots = play.stage.stats().shots;
            assert!((20..=29).contains(&shots), "{shots} shots in 5 s, one every 0.2 s");
        }
    }
    let left = play.stage.world().players()[0].ammo;
    assert_eq!((play.stage.stats().shots, left), (60, 0));
    assert!(play.stage.stats().refused_shots > 500);
}

#[test]
fn who_comes_back_keeps_its_player() {
    let mut play = StagePlay::new(room(1, ""), 0);
    let one = play.come(1, b"one", link(20, 0, 0.0, 5));
    play.until_all_live();
    let entity = play.clients[one].mirror.entity();
    let player = play.stage.player_of(play.clients[one].peer);
    play.host.disconnect(play.now, play.clients[one].peer);
    play.clients.clear();
    for _ in 0..60 {
        play.frame();
    }
    assert_eq!(play.stage.world().players().len(), 1);

    let again = play.come(9, b"one", link(20, 0, 0.0, 6));
    play.until_all_live();
    assert_eq!(play.clients[again].mirror.entity(), entity);
    assert_eq!(play.stage.player_of(play.clients[again].peer), player);
    assert_eq!(play.stage.world().players().len(), 1);

    // Somebody else is somebody else, and who stays away is gone after the grace period.
    play.come(10, b"two", link(20, 0, 0.0, 8));
    play.until_all_live();
    assert_eq!(play.stage.world().players().len(), 2);
    let gone = play.clients.remove(again);
    play.host.disconnect(play.now, gone.peer);
    for _ in 0..60 * 32 {
        play.frame();
    }
    assert_eq!(play.stage.world().players().len(), 1);
    assert!(play.host.entities().all(|it| Some(it.0.0) != entity));
}

#[test]
fn a_watcher_has_no_body_and_sees_all() {
    let mut play = StagePlay::new(room(1, ""), 3);
    let watcher = play.come(1, b"", link(20, 0, 0.0, 5));
    play.clients[watcher].watch = true;
    for _ in 0..180 {
        play.frame();
    }
    assert_eq!(play.stage.world().players().len(), 3);
    assert_eq!(play.clients[watcher].session.ghosts().count(), 3);
    let session = &play.clients[watcher].session;
    let properties = Properties::declared(session.kinds()).unwrap();
    for (entity, _) in session.ghosts() {
        let state = properties.state(session, entity);
        assert!(state.is_alive && state.lives == 1 && !state.name.is_empty(), "{state:?}");
        assert!(state.health > 50.0, "{state:?}");
        assert_eq!(session.property(entity, properties.ammo), None, "that is its owner's affair");
    }
}

/// Plays for some seconds with programs behind these links; returns the play.
fn honest(level: &str, bots: u16, seconds: u32) -> StagePlay {
    let mut play = StagePlay::new(Level::built_in(level).unwrap(), bots);
    for number in 1..=3 {
        let token = [b'a' + number as u8];
        play.come(number, &token, link(150, 40, 0.03, u64::from(number) * 10));
    }
    let mut fired = [SimTime::ZERO; 3];
    for _ in 0..seconds * 60 {
        let now = play.now;
        for (client, fired) in play.clients.iter_mut().zip(&mut fired) {
            let shown: Vec<_> = client
                .session
                .ghosts()
                .map(|it| it.0.0)
                .filter_map(|entity| Some((entity, client.shown(entity, now)?)))
                .collect();
            let of = |entity: u32| shown.iter().find(|it| it.0 == entity).map(|it| it.1);
            let input = client.mirror.step(of);
            if let Some(truth) = client.mirror.kinematics(now) {
                client.publish(&truth);
            }
            if let Some(input) = input.filter(|it| it.fire)
                && now.secs_since(*fired) >= 0.2
            {
                *fired = now;
                client.fire(now, input.aim);
            }
        }
        play.frame();
    }
    play
}

#[test]
fn honest_players_on_bad_links_are_never_put_right() {
    for level in ["proving-grounds", "corridors", "tank-field"] {
        let play = honest(level, 5, 60);
        let stats = play.stage.stats();
        println!("{level}: {stats:?}");
        assert_eq!((stats.corrected, stats.expelled), (0, 0), "{level}");
        assert_eq!(stats.malformed, 0);
        let rejected: u64 = play.host.stats().traffic.rejected;
        println!("{level}: {rejected} updates not believed, {:?}", play.host.stats().traffic);
        for client in &play.clients {
            assert!(client.session.peer().is_some() && client.mirror.body().is_some());
            assert!(client.mirror.lives() > 0, "{level}");
        }
        assert!(stats.shots > 0, "{level}: nobody fired");
    }
}

#[test]
fn all_know_the_same_of_everyone_whatever_was_lost_but_not_of_their_guns() {
    let mut play = honest("tank-field", 5, 30);
    (0..120).for_each(|_| play.rest());
    let players = play.stage.world().players();
    assert!(players.iter().any(|it| it.deaths > 0 && it.kills > 0), "nobody fought");
    for client in &play.clients {
        let session = &client.session;
        let properties = Properties::declared(session.kinds()).unwrap();
        for player in players {
            let entity = play.stage.entity_of(player.id).unwrap();
            let state = properties.state(session, entity);
            let known = (state.health, u32::from(state.kills), u32::from(state.deaths));
            let truth = (player.health as f32, player.kills, player.deaths);
            assert_eq!(known, truth, "{:?} of {:?}", client.peer, player.id);
            assert_eq!(u16::from(state.team), player.team.0);
            assert_eq!(state.is_alive, player.is_alive);
            let is_own = client.mirror.entity() == Some(entity.0);
            let ammo = session.property(entity, properties.ammo);
            assert_eq!(ammo.is_some(), is_own, "{:?} of {:?}", client.peer, player.id);
            assert_eq!(u32::from(state.ammo), if is_own { player.ammo } else { 0 });
        }
    }
}

/// What a watcher is shown of twelve bots in a minute over a bad link: the mean error in pixels,
/// and updates a second.
fn shown_px(settings: &ArenaHostConfig) -> (f64, f64) {
    let mut play = StagePlay::with(Level::built_in(TRAINED_ON).unwrap(), settings);
    let watcher = play.come(1, b"", link(150, 40, 0.03, 5));
    play.clients[watcher].watch = true;
    (0..300).for_each(|_| play.frame());
    let before = play.clients[watcher].session.stats().updates_in;
    let (mut sum_px, mut count, mut born) = (0.0, 0, BTreeMap::new());
    for _ in 0..3_600 {
        play.frame();
        let now = play.now;
        for (entity, place, player, lives) in bodies(&play) {
            let since = born.entry(player).or_insert(now);
            if !lives {
                *since = now;
            }
            let shown = play.clients[watcher].shown(entity, now);
            if let Some((shown, _)) = shown.filter(|_| now.secs_since(*since) > 1.0) {
                sum_px += shown.distance(place);
                count += 1;
            }
        }
    }
    let updates = play.clients[watcher].session.stats().updates_in - before;
    (sum_px / f64::from(count), updates as f64 / 60.0)
}

fn bodies(play: &StagePlay) -> Vec<(u32, DVec3, PlayerId, bool)> {
    let players = play.stage.world().players().iter();
    players
        .filter_map(|it| {
            let entity = play.stage.entity_of(it.id)?;
            Some((entity.0, it.position, it.id, it.is_alive))
        })
        .collect()
}

#[test]
fn foreseen_bots_are_shown_more_exactly_in_fewer_updates() {
    let mut settings = ArenaHostConfig::default();
    settings.demo = true;
    settings.bots = 12;
    settings.learned = Some(Arc::new(trained().unwrap()));
    let mut sums = [(0.0, 0.0); 2];
    // Matches that it was not trained on; many, since a lost birth weighs more than a plan.
    for seed in 71..91 {
        settings.seed = seed;
        let choices = [ModelChoice::Linear, ModelChoice::Accelerating, ModelChoice::Learned];
        let [linear, plain, learned] = choices.map(|model| {
            settings.tuning.model = model;
            shown_px(&settings)
        });
        println!(
            "px, updates/s: linear {linear:.1?}, accelerating {plain:.1?}, learned {learned:.1?}"
        );
        for (sum, found) in sums.iter_mut().zip([plain, learned]) {
            *sum = (sum.0 + found.0, sum.1 + found.1);
        }
    }
    let [plain, learned] = sums;
    assert!(learned.0 < 0.95 * plain.0 && learned.1 < 0.95 * plain.1, "{sums:?}");
}
