//! Adversarial search: can a shooter hit targets that its screen cannot show?
//!
//! A target peeks from behind a wall, now here and now there. A shooter claims hits: about old moments, with
//! acknowledgements withheld, selected, early or dated wrongly, after silence, in bursts, with forged
//! references. What it claims goes as bytes and calls through the `Host`; it aims as well as can be,
//! at wherever the host would rewind the target to. Counted are hits on a target that has been in
//! cover for longer than it ever is when an honest client hits it, and the longest of these times.
//! Known attacks begin; random ones and hill-climbing from the best go on.
//!
//! `testdata/hidden-hits.txt` has what was found, with what a rewind of one span for everybody gave that
//! believed acknowledgements (`before`). `HIDDEN_HITS_TRIALS=20000` searches longer;
//! `HIDDEN_HITS_PRINT=1` prints the rows.

mod api;
mod attacks;
mod scene;

use std::fmt::Write;
use std::path::Path;

use attacks::Attack;
use reckoning::random::SplitMix64;
use scene::{Gained, gained};

/// Trials of each search; a third of them at random.
const TRIALS: usize = 150;
/// In cover for this long, nobody is hit. An honest client far away hits somewhat earlier than that: what
/// it aims at is as old as the way there and back. The cap, and blends on top, are the rest.
const LATEST_S: f64 = 0.5;

fn trials() -> usize {
    std::env::var("HIDDEN_HITS_TRIALS").ok().and_then(|it| it.parse().ok()).unwrap_or(TRIALS)
}

/// The best attack that a search finds.
fn search(seed: u64, trials: usize) -> (Attack, Gained) {
    let mut dice = SplitMix64::new(seed);
    let begun = attacks::known().into_iter().map(|(_, attack)| attack);
    let at_random: Vec<Attack> = (0..trials / 3).map(|_| attacks::random(&mut dice)).collect();
    let mut found: Vec<(Attack, Gained)> =
        begun.chain(at_random).map(|attack| (attack, gained(&attack))).collect();
    for _ in 0..trials - trials / 3 {
        found.sort_by(|a, b| b.1.score().total_cmp(&a.1.score()));
        found.truncate(6);
        let parent = (dice.between(0.0, found.len() as f64) as usize).min(found.len() - 1);
        let child = attacks::changed(&found[parent].0, &mut dice);
        found.push((child, gained(&child)));
    }
    found.sort_by(|a, b| b.1.score().total_cmp(&a.1.score()));
    found.remove(0)
}

fn row(name: &str, it: &Gained) -> String {
    format!("{name:<46} {:>6} {:>6} {:>8.2}", it.shots, it.hidden, it.latest_s)
}

fn rows() -> Vec<(String, Gained)> {
    let known = attacks::known().into_iter();
    let mut rows: Vec<(String, Gained)> =
        known.map(|(name, attack)| (name.to_owned(), gained(&attack))).collect();
    for seed in 1..=3 {
        let (attack, gained) = search(seed, trials());
        if std::env::var_os("HIDDEN_HITS_PRINT").is_some() {
            println!("{attack:?}");
        }
        rows.push((format!("search {seed}"), gained));
    }
    rows
}

#[test]
fn nobody_hits_what_no_honest_screen_shows() {
    let rows = rows();
    let mut text = String::new();
    for (name, gained) in &rows {
        writeln!(text, "{}", row(name, gained)).unwrap();
    }
    if std::env::var_os("HIDDEN_HITS_PRINT").is_some() {
        println!("{text}");
        return;
    }
    let honest = rows[0].1;
    assert!(honest.hits > 10, "an honest client hits: {honest:?}");
    for (name, gained) in &rows {
        assert!(gained.latest_s <= LATEST_S, "{name}: {gained:?}\n{text}");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/hidden-hits.txt");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    for line in text.lines().filter(|_| trials() == TRIALS) {
        let there = committed.lines().any(|it| it.starts_with(line));
        assert!(there, "not in testdata/hidden-hits.txt: {line}\n{text}");
    }
}
