//! The arena over six links, as its page measures it: the table `testdata/arena-links.txt`.
//!
//! Twelve bots, one session that watches them, and the positions that a naive game would send over
//! the same link. What differs from row to row is how bodies are published and shown
//! ([`WAYS`]); the default of the arena is what this table says.

mod look;

use std::fmt::Write;

use reckoning_arena::TICKS_PER_S;
use reckoning_arena::host::{BlendStyle, MotionStyle};
use reckoning_arena::protocol::{LinkChoice, ModelChoice, ServerTuning};

use crate::arena_play::{ArenaPlay, ArenaPlayError, PlaySettings};
use look::{Looks, Onlooker};

const fn link(delay_ms: u16, jitter_ms: u16, loss_percent: u8, burst: u8) -> LinkChoice {
    LinkChoice { delay_ms, jitter_ms, loss_percent, burst }
}

/// The links, by what they delay and lose.
pub const LINKS: [(&str, LinkChoice); 6] = [
    ("0", LinkChoice::NONE),
    ("50", link(50, 0, 0, 1)),
    ("150+-40/3%", link(150, 40, 3, 1)),
    ("350", link(350, 0, 0, 1)),
    ("350+-120/12%x4", link(350, 120, 12, 4)),
    ("300/50%", link(300, 0, 50, 1)),
];

/// What is asked of the arena on each link: its mean error as a share of the naive game's.
pub const GOALS: [f64; 6] = [1.0, 0.30, 0.30, 0.50, 0.65, 1.0];

/// A name, a planner, and what is done besides.
type Way = (&'static str, ModelChoice, fn() -> MotionStyle);

/// What the arena did before, each part of its style alone, its style as it is and as it would be
/// with more or with less.
pub const WAYS: [Way; 9] = [
    ("calm", ModelChoice::Learned, MotionStyle::calm),
    ("close", ModelChoice::Learned, close),
    ("aimed", ModelChoice::Learned, aimed),
    ("ahead", ModelChoice::Learned, ahead),
    ("hedged", ModelChoice::Learned, hedged),
    ("arena", ModelChoice::Learned, MotionStyle::default),
    ("arena, hedged", ModelChoice::Learned, arena_hedged),
    ("arena, accelerating", ModelChoice::Accelerating, MotionStyle::default),
    ("arena, linear", ModelChoice::Linear, MotionStyle::default),
];

fn calm_with(change: fn(&mut MotionStyle)) -> MotionStyle {
    let mut style = MotionStyle::calm();
    change(&mut style);
    style
}

fn close() -> MotionStyle {
    calm_with(|style| style.ghost.span = BlendStyle::Close.span())
}

fn aimed() -> MotionStyle {
    calm_with(|style| style.aim = MotionStyle::default().aim)
}

fn ahead() -> MotionStyle {
    calm_with(|style| style.judge_ahead = MotionStyle::default().judge_ahead)
}

fn hedged() -> MotionStyle {
    calm_with(|style| style.ghost.hedged = true)
}

fn arena_hedged() -> MotionStyle {
    let mut style = MotionStyle::default();
    style.ghost.hedged = true;
    style
}

const BOTS: u16 = 12;
const SEEDS: [u64; 3] = [1, 2, 3];
/// Everybody joins on a good link; then the link is chosen on the panel, and settles: what the
/// watcher learnt on the good link of the host's clock is forgotten after half a minute.
const JOINS_S: u32 = 3;
const SETTLES_S: u32 = 35;
const SECONDS: u32 = 20;

const HEAD: &str = "\
# The arena over six links. Made by `cargo xtask tables`; a test compares it. Do not edit.
#
# Twelve bots play on the proving grounds, and a session watches all of them over a simulated link, as
# the page does: it joins on a good link, the link is chosen, and after 35 seconds, when nothing that
# it learnt on the good one counts any more, twenty are measured. Three games each (seeds 1 to 3;
# settings were chosen by 11 to 15). Errors are of all frames and of all bodies that the session takes
# for alive and that were born more than a second ago.
#
# error, p95   distance between the truth and what is shown, in pixels; a body is 40 px wide and runs
#              440 px/s
# of naive     the mean error as a share of that of the newest position received, of twenty a second
#              over the same link: the median of the games
# believed     the same error if there were no blends
# jerk         root of the mean square of the third difference of what is shown, in 1000 px/s^3
# accel.       the same of the difference of the shown and the true acceleration, in 1000 px/s^2
# updates/s    those that arrived, for each bot
# bytes/s      of the protocol's datagrams that arrived, for all bots together; of naive and past: of the
#              positions alone
#
# calm is what planners foresee as it is, judged when it is wrong by 4 px, and blends of 0.2 s and more.
# close, aimed, ahead and hedged differ from it in one thing each: blends by the root of the error, lines
# instead of curves, errors judged 200 ms ahead, a choice of experts on the screen. arena is how the arena
# plays: close, aimed, ahead, with the trained network. naive shows the newest position received, past
# the way between two of them 100 ms ago.
#
# Links, one way each, by delay in ms, deviation and loss: x4 in runs of 4.

link            way                   error     p95   of naive   believed    jerk   accel.   updates/s   bytes/s
";

/// The table.
///
/// # Errors
/// When the arena lacks what should come with it, or a setting is refused.
pub fn arena_links_table() -> Result<String, ArenaPlayError> {
    let mut table = HEAD.to_string();
    for number in 0..LINKS.len() {
        table += &rows(number)?;
    }
    Ok(table)
}

/// The rows of one of the [`LINKS`].
///
/// # Errors
/// As [`arena_links_table`].
pub fn rows(number: usize) -> Result<String, ArenaPlayError> {
    let (name, link) = LINKS[number];
    let mut rows = String::new();
    for (way, model, style) in WAYS {
        let looks = games(model, style(), link)?;
        if rows.is_empty() {
            plain_row(&mut rows, (name, "naive"), &looks, |it| &it.naive);
            plain_row(&mut rows, (name, "past"), &looks, |it| &it.past);
        }
        let mean = |of: fn(&Looks) -> f64| mean_of(&looks, of);
        let ratio = median(&looks, |it| it.shown.mean_px() / it.naive.mean_px());
        let _ = writeln!(
            rows,
            "{name:<15} {way:<19} {:>7.1} {:>7.1} {ratio:>10.2} {:>10.1} {:>7.0} {:>8.1} {:>11.2} {:>9.0}",
            mean(|it| it.shown.mean_px()),
            mean(|it| it.shown.p95_px()),
            mean(|it| it.believed.mean_px()),
            mean(|it| it.jerk.root() / 1e3),
            mean(|it| it.acceleration.root() / 1e3),
            mean(|it| it.updates as f64) / f64::from(SECONDS) / f64::from(BOTS),
            mean(|it| it.bytes as f64) / f64::from(SECONDS),
        );
    }
    Ok(rows)
}

fn games(
    model: ModelChoice,
    style: MotionStyle,
    link: LinkChoice,
) -> Result<Vec<Looks>, ArenaPlayError> {
    SEEDS.into_iter().map(|seed| game(model, style, link, seed)).collect()
}

fn game(
    model: ModelChoice,
    style: MotionStyle,
    link: LinkChoice,
    seed: u64,
) -> Result<Looks, ArenaPlayError> {
    let settings = PlaySettings {
        bots: BOTS,
        seed,
        tuning: ServerTuning { model, ..ServerTuning::default() },
        style,
        link: LinkChoice::NONE,
        snapshots: true,
        trends: false,
    };
    let mut play = ArenaPlay::new(&settings)?;
    (0..JOINS_S * TICKS_PER_S).for_each(|_| play.frame());
    play.set_link(link, seed)?;
    let mut onlooker = Onlooker::default();
    for _ in 0..SETTLES_S * TICKS_PER_S {
        play.frame();
        onlooker.hear(&play);
    }
    onlooker.begin(&play);
    for _ in 0..SECONDS * TICKS_PER_S {
        play.frame();
        onlooker.hear(&play);
        onlooker.look(&play);
    }
    Ok(onlooker.end(&play))
}

fn plain_row(
    rows: &mut String,
    (name, way): (&str, &str),
    looks: &[Looks],
    of: fn(&Looks) -> &look::Errors,
) {
    let (error_px, p95_px) =
        (mean_of(looks, |it| of(it).mean_px()), mean_of(looks, |it| of(it).p95_px()));
    let ratio = median(looks, |it| of(it).mean_px() / it.naive.mean_px());
    let updates = mean_of(looks, |it| it.plain_updates as f64);
    let bytes = mean_of(looks, |it| it.plain_bytes as f64);
    let none = "-";
    let _ = writeln!(
        rows,
        "{name:<15} {way:<19} {error_px:>7.1} {p95_px:>7.1} {ratio:>10.2} {none:>10} {none:>7} {none:>8} \
         {:>11.2} {:>9.0}",
        updates / f64::from(SECONDS) / f64::from(BOTS),
        bytes / f64::from(SECONDS),
    );
}

fn mean_of(looks: &[Looks], of: impl Fn(&Looks) -> f64) -> f64 {
    looks.iter().map(of).sum::<f64>() / looks.len().max(1) as f64
}

fn median(looks: &[Looks], of: impl Fn(&Looks) -> f64) -> f64 {
    let mut values: Vec<f64> = looks.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
