//! Properties that make the bots worth recording.

mod shared;

use std::collections::BTreeSet;
use std::sync::Arc;

use reckoning::DVec3;
use reckoning_arena::{Event, Goal, Level, Match, MatchConfig, MatchFrame, Style};

use shared::{LEVELS, plain, play};

/// Matches in which the bots of the second half have another character than the first.
/// Several, because one match is luck.
fn halves(level: &str, first: Style, second: Style) -> impl Iterator<Item = Match> {
    let level = Arc::new(Level::built_in(level).unwrap());
    (1..=5).map(move |seed| {
        let mut config = MatchConfig::default();
        (config.bots, config.seconds, config.seed) = (8, 240, seed);
        config.styles = [[first; 4], [second; 4]].concat();
        Match::start(Arc::clone(&level), &config)
    })
}

/// The means of `measure` over all living players of each half, all ticks and all matches.
fn means(
    games: impl Iterator<Item = Match>,
    measure: impl Fn(&MatchFrame, usize) -> Option<f64>,
) -> [f64; 2] {
    let mut sums = [(0.0, 0.0); 2];
    for frame in games.flatten() {
        for place in (0..frame.players.len()).filter(|it| frame.players[*it].is_alive) {
            if let Some(value) = measure(&frame, place) {
                sums[place / 4].0 += value;
                sums[place / 4].1 += 1.0;
            }
        }
    }
    sums.map(|(sum, count)| sum / count)
}

/// The number of ticks of each half in which `holds` for a bot's goal before and now.
fn ticks_when(
    games: impl Iterator<Item = Match>,
    holds: impl Fn(Option<Goal>, Option<Goal>) -> bool,
) -> [f64; 2] {
    let mut counts = [0.0; 2];
    for mut game in games {
        let mut before: Vec<Option<Goal>> = Vec::new();
        while game.next().is_some() {
            let now: Vec<_> = game.bots().goals().map(|it| it.1).collect();
            for (place, (old, new)) in before.iter().zip(&now).enumerate() {
                counts[place / 4] += f64::from(u8::from(holds(*old, *new)));
            }
            before = now;
        }
    }
    counts
}

/// The distance to the nearest living player that is a friend or not, as asked.
fn nearest(frame: &MatchFrame, place: usize, friends: bool) -> Option<f64> {
    let me = &frame.players[place];
    let others = frame.players.iter().filter(|it| it.is_alive && it.id != me.id);
    let distances = others
        .filter(|it| (it.team == me.team) == friends)
        .map(|it| it.position.distance(me.position));
    distances.min_by(f64::total_cmp)
}

#[test]
fn they_shoot_hit_die_and_fetch_on_every_level() {
    for level in LEVELS {
        let (mut shots, mut hits, mut deaths, mut pickups) = (0, 0, 0, 0);
        for event in play(level, 10, 180, 4).flat_map(|it| it.events) {
            match event {
                Event::Fired { .. } => shots += 1,
                Event::Hit { .. } => hits += 1,
                Event::Died { .. } => deaths += 1,
                Event::Took { .. } => pickups += 1,
                _ => {}
            }
        }
        let told = format!("{level}: {shots} shots, {hits} hits, {deaths} deaths, {pickups} items");
        assert!(deaths >= 15 && pickups >= 20, "{told}");
        let share = f64::from(hits) / f64::from(shots);
        assert!((0.08..0.6).contains(&share), "{told}");
    }
}

#[test]
fn they_use_most_of_the_level() {
    for name in LEVELS {
        let level = Level::built_in(name).unwrap();
        let coarse = level.size_px() / 24.0;
        let cell = |p: DVec3| ((p.x / coarse.x) as u32, (p.y / coarse.y) as u32);
        let free: BTreeSet<_> = level.paths().free_places().map(cell).collect();
        let used: BTreeSet<_> = play(name, 10, 600, 8)
            .flat_map(|frame| frame.players)
            .filter(|it| it.is_alive)
            .map(|it| cell(it.position))
            .collect();
        let share = used.intersection(&free).count() as f64 / free.len() as f64;
        assert!(share > 0.75, "{name}: {:.0} % of the level", 100.0 * share);
    }
}

#[test]
fn they_move_most_of_the_time_and_sometimes_pause() {
    for level in LEVELS {
        let speed = Level::built_in(level).unwrap().file().body.speed_px_s;
        let living = play(level, 10, 120, 4).flat_map(|it| it.players).filter(|it| it.is_alive);
        let (mut ticks, mut still, mut fast) = (0.0, 0.0, 0.0);
        for player in living {
            ticks += 1.0;
            still += f64::from(u8::from(player.velocity.length() < 0.01 * speed));
            fast += f64::from(u8::from(player.velocity.length() > 0.9 * speed));
        }
        let (still, fast) = (still / ticks, fast / ticks);
        assert!((0.03..0.35).contains(&still), "{level}: still {still:.2} of the time");
        assert!(fast > 0.4, "{level}: fast {fast:.2} of the time");
    }
}

#[test]
fn every_kind_of_goal_is_chosen() {
    let mut game = play("corridors", 12, 300, 2);
    let mut kinds = BTreeSet::new();
    while game.next().is_some() {
        kinds.extend(game.bots().goals().filter_map(|it| it.1).map(|goal| kind(&goal)));
    }
    let all = ["ambush", "attack", "fetch", "flee", "hold", "patrol", "regroup"];
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), all);
}

fn kind(goal: &Goal) -> &'static str {
    match goal {
        Goal::Attack { .. } => "attack",
        Goal::Flee { .. } => "flee",
        Goal::Fetch { .. } => "fetch",
        Goal::Patrol { .. } => "patrol",
        Goal::Hold { .. } => "hold",
        Goal::Regroup { .. } => "regroup",
        Goal::Ambush { .. } => "ambush",
        _ => "new",
    }
}

#[test]
fn the_aggressive_attack_more_and_come_nearer() {
    let calm = Style { aggression: 0.0, ..plain() };
    let wild = Style { aggression: 1.0, ..plain() };
    let attacks = ticks_when(halves("proving-grounds", calm, wild), |_, now| {
        matches!(now, Some(Goal::Attack { .. }))
    });
    assert!(attacks[1] > 2.0 * attacks[0], "attacking, calm and aggressive: {attacks:?}");
    let level = Level::built_in("proving-grounds").unwrap();
    let range_px = level.file().gun.range_px;
    // Meeting takes two; how near one comes then is one's own choice.
    let [calm_px, wild_px] = means(halves("proving-grounds", calm, wild), |frame, place| {
        nearest(frame, place, false).filter(|it| *it < range_px)
    });
    assert!(wild_px < 0.9 * calm_px, "aggressive {wild_px:.0} px, calm {calm_px:.0} px");
}

#[test]
fn the_loyal_are_nearer_to_their_friends() {
    let distance_px = |loyalty| {
        let style = Style { loyalty, ..plain() };
        let games = halves("proving-grounds", style, style);
        let [one, other] = means(games, |frame, place| nearest(frame, place, true));
        0.5 * (one + other)
    };
    let (loner_px, loyal_px) = (distance_px(0.0), distance_px(1.0));
    assert!(loyal_px < 0.85 * loner_px, "loyal {loyal_px:.0} px, loners {loner_px:.0} px");
}

#[test]
fn the_cautious_keep_out_of_the_sight_of_turrets() {
    let bold = Style { caution: 0.0, ..plain() };
    let careful = Style { caution: 1.0, ..plain() };
    let level = Level::built_in("corridors").unwrap();
    let [bold, careful] = means(halves("corridors", bold, careful), |frame, place| {
        let danger = level.paths().danger_at(frame.players[place].position);
        Some(f64::from(danger.min(1)))
    });
    assert!(careful < 0.85 * bold, "careful {careful:.3}, bold {bold:.3} of the time");
}

#[test]
fn the_restless_change_their_minds_more_often() {
    let slow = Style { restlessness: 0.0, ..plain() };
    let quick = Style { restlessness: 1.0, ..plain() };
    let changes =
        ticks_when(halves("corridors", slow, quick), |old, new| old.is_some() && old != new);
    assert!(changes[1] > 1.5 * changes[0], "{changes:?}");
}

#[test]
fn the_curious_see_more_of_the_level() {
    let dull = Style { curiosity: 0.0, ..plain() };
    let curious = Style { curiosity: 1.0, ..plain() };
    let mut seen = [0, 0];
    for game in halves("proving-grounds", dull, curious) {
        let mut cells = BTreeSet::new();
        for player in game.flat_map(|it| it.players).filter(|it| it.is_alive) {
            let [column, row] =
                [player.position.x, player.position.y].map(|it| (it / 160.0) as u32);
            cells.insert((player.id, column, row));
        }
        for (id, ..) in cells {
            seen[usize::from(id.0 / 4)] += 1;
        }
    }
    assert!(f64::from(seen[1]) > 1.1 * f64::from(seen[0]), "squares seen: {seen:?}");
}

#[test]
fn they_hesitate_now_and_then_on_their_way() {
    let mut game = play("corridors", 10, 300, 6);
    let (mut still, mut hesitations, mut alive_ticks) = (vec![0; 10], 0, 0);
    while let Some(frame) = game.next() {
        for ((place, player), (_, goal)) in
            frame.players.iter().enumerate().zip(game.bots().goals())
        {
            let travels = matches!(goal, Some(Goal::Patrol { .. } | Goal::Fetch { .. }));
            let keys = frame.inputs[place].1.go;
            let stands = player.is_alive && travels && keys == DVec3::ZERO;
            hesitations += u32::from(!stands && (6..120).contains(&still[place]));
            still[place] = if stands { still[place] + 1 } else { 0 };
            alive_ticks += u32::from(player.is_alive);
        }
    }
    let each_minute = f64::from(hesitations) / (f64::from(alive_ticks) / 3_600.0);
    assert!((4.0..12.0).contains(&each_minute), "{each_minute:.1} hesitations a minute");
}
