//! Who comes to play while others do: what its own client shows it at first.

use reckoning_arena::Level;
use reckoning_arena::host::ArenaHostConfig;
use reckoning_net::EntityId;

use super::play::{StagePlay, link};

/// Games that a newcomer comes to, each with bots of its own.
const SEEDS: u64 = 24;
const BOTS: u16 = 12;
/// Seconds until somebody has come to see another body.
const PATIENCE_S: u32 = 3;
/// As far from the middle as the page shows upwards and downwards.
const NEAR_PX: f64 = 500.0;

/// Whether a client behind a link shows a body near its own within three seconds of its coming, and
/// how near it was.
fn nearest_px(seed: u64, newcomers_near: bool) -> f64 {
    let mut settings = ArenaHostConfig::default();
    (settings.demo, settings.bots, settings.seed) = (true, BOTS, seed);
    settings.newcomers_near = newcomers_near;
    let mut play = StagePlay::with(Level::built_in("proving-grounds").unwrap(), &settings);
    for _ in 0..60 * (30 + 4 * seed) {
        play.frame(); // it comes in the middle of a round
    }
    play.come(1, b"newcomer", link(40, 10, 0.01, seed));
    let mut nearest = f64::INFINITY;
    for _ in 0..60 * PATIENCE_S {
        play.frame();
        nearest = nearest.min(shown_px(&play));
    }
    nearest
}

/// How far from its own body a client shows the nearest other one, empty vehicles left out.
fn shown_px(play: &StagePlay) -> f64 {
    let client = &play.clients[0];
    let Some(me) = client.mirror.body().map(|it| it.position) else { return f64::INFINITY };
    let is_other = |it: &EntityId| Some(it.0) != client.mirror.entity() && !client.is_vehicle(*it);
    let others = client.session.ghosts().filter(|it| is_other(&it.0));
    let shown = others.filter_map(|it| client.shown(it.0.0, play.now));
    shown.map(|it| it.0.distance(me)).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_newcomer_among_bots_is_shown_another_body_near_its_own_within_three_seconds() {
    let near: Vec<f64> = (0..SEEDS).map(|seed| nearest_px(seed, true)).collect();
    println!("{near:.0?} px");
    for (seed, px) in near.iter().enumerate() {
        assert!(*px <= NEAR_PX, "seed {seed}: {px} px");
    }
    let lonely: Vec<f64> = (0..SEEDS).map(|seed| nearest_px(seed, false)).collect();
    println!("{lonely:.0?} px at spawn points");
    let lonely = lonely.iter().filter(|px| **px > NEAR_PX).count();
    assert!(lonely > 0, "at spawn points everyone had company as well: nothing was shown");
}
