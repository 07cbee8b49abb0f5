//! What the page draws is what the host's rewind judges shots by.

use std::time::Duration;

use reckoning::random::SplitMix64;
use reckoning::rewind::{RewindConfig, RewindView, Sent, ShownAs, ShownUpdate};
use reckoning::{DVec3, Ghost, Kinematics, Publisher, Rewind, SimTime, Update};
use reckoning_arena::host::{BlendStyle, ghost_config, publisher_config};
use reckoning_arena::protocol::ServerTuning;
use reckoning_web::scene::SceneBody;

const SHOOTER: u32 = 7;
const TARGET: u32 = 2;
const TOP_PX_S: f64 = 440.0;
const FRAME_S: f64 = 1.0 / 60.0;

/// A walker that turns about at once and at random, more often than any that plays.
struct Walker {
    body: Kinematics,
    publisher: Publisher,
    dice: SplitMix64,
}

impl Walker {
    fn new() -> (Self, Update) {
        let body = Kinematics::moving(SimTime::ZERO, DVec3::ZERO, DVec3::X * TOP_PX_S);
        let config = publisher_config(&ServerTuning::default());
        let (publisher, first) = Publisher::start(config, &body).unwrap();
        (Self { body, publisher, dice: SplitMix64::new(5) }, first)
    }

    fn walk(&mut self, now: SimTime) -> Option<Update> {
        if self.dice.between(0.0, 1.0) < 0.04 {
            let angle = self.dice.between(0.0, core::f64::consts::TAU);
            self.body.velocity = DVec3::new(libm::cos(angle), libm::sin(angle), 0.0) * TOP_PX_S;
        }
        self.body.position += self.body.velocity * FRAME_S;
        self.body.at = now;
        self.publisher.observe(&self.body)
    }
}

/// The host's memory of what a shooter so far away was shown.
fn rewind(delay: Duration) -> Rewind<u32, u32> {
    let mut config = RewindConfig::default();
    config.view = RewindView::Now(ghost_config(BlendStyle::default()));
    let mut rewind = Rewind::new(config).unwrap();
    rewind.set_round_trip(SHOOTER, 2 * delay, SimTime::ZERO);
    rewind
}

/// Distances between what is drawn and what is rewound, sorted, over two minutes of a link that
/// delays, jitters and reorders. What it would lose the host sends again: `reckoning-net` tests that.
fn apart_px(delay_ms: u64) -> Vec<f64> {
    let delay = Duration::from_millis(delay_ms);
    let (mut walker, first) = Walker::new();
    let mut rewind = rewind(delay);
    rewind.handle_sent(SHOOTER, TARGET, 0, Sent::Enter(first), SimTime::ZERO);
    let mut ghost =
        Ghost::with_config(ghost_config(BlendStyle::default()), first, SimTime::ZERO).unwrap();
    let mut accepted = vec![ShownUpdate { key: 0, arrived: SimTime::ZERO }];
    let (mut under_way, mut dice) = (Vec::new(), SplitMix64::new(9));
    let (mut body, mut before, mut apart) = (SceneBody::default(), SimTime::ZERO, Vec::new());
    for frame in 1..60 * 120 {
        let now = SimTime::from_tick(frame, 60);
        if let Some(update) = walker.walk(now) {
            let jitter = delay.mul_f64(dice.between(0.0, 0.2));
            rewind.handle_sent(SHOOTER, TARGET, frame as u64, Sent::Update(update), now);
            under_way.push((now + delay + jitter, frame as u64, update));
        }
        under_way.sort_by_key(|(at, ..)| *at);
        while under_way.first().is_some_and(|(at, ..)| *at <= now) {
            let (arrived, key, update) = under_way.remove(0);
            if ghost.accept(update, arrived) == reckoning::ghost::Accepted::Newest {
                accepted.push(ShownUpdate { key, arrived });
            }
        }
        body.show(&ghost, before, now);
        before = now;
        // A shot: the host hears half a round trip later of what it is about.
        let shown = ShownAs::new(now, &accepted[accepted.len().saturating_sub(8)..]);
        rewind.handle_reference(SHOOTER, TARGET, &shown, now + delay).unwrap();
        let judged = rewind.shown_at(SHOOTER, TARGET, now).unwrap();
        apart.push(judged.position.distance(body.shown));
    }
    apart.sort_by(f64::total_cmp);
    apart
}

#[test]
fn a_harsh_walker_is_drawn_where_shots_at_it_are_judged() {
    for delay_ms in [30, 80, 150] {
        let apart = apart_px(delay_ms);
        let beside = apart.iter().filter(|px| **px > 1.0).count();
        let share = beside as f64 / apart.len() as f64;
        println!(
            "{delay_ms} ms: {:.2} % of {} frames more than 1 px apart, most {:.1} px",
            100.0 * share,
            apart.len(),
            apart[apart.len() - 1]
        );
        assert!(share <= 0.01, "{delay_ms} ms: {share}");
    }
}
