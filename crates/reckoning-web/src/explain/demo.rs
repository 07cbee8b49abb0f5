//! One step of the explainer, alive.

use std::fmt::Write as _;
use std::time::Duration;

use reckoning::fairness::Weights;
use reckoning::{Blend, BlendSpan, ConfigError, DVec3, Model, SimTime};
use reckoning_arena::protocol::LinkChoice;

use super::{
    Audience, Ball, Driver, Lane, Line, LineSetup, Snapshots, Step, TICK_S, TICKS_PER_S, Trail,
    Watcher, snapshots,
};
use crate::replay::ReplayLink;

/// Longer than this between two frames, and time was elsewhere.
const MAX_FRAME_S: f64 = 0.1;
/// How long an acceleration is believed: about as long as a bend lasts.
const TRUST: Duration = Duration::from_millis(400);
/// How fast the ball is where no slider says so.
const SPEED_MPS: f64 = 4.0;
/// The delay of the steps that are about something else.
const SOME_DELAY_MS: u16 = 150;

/// Eight seconds: more than is drawn of the past.
const RUN_UP_TICKS: i64 = 8 * TICKS_PER_S as i64;

/// How something is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownAs {
    /// By Reckoning.
    Guess,
    /// By Reckoning without the trick that the step is about.
    Plain,
    /// The newest position received.
    Naive,
}

/// Something that a watcher draws.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// How.
    pub shown_as: ShownAs,
    /// Where.
    pub place: DVec3,
    /// Where it was before; none where nothing is to be seen by it.
    pub trail: Option<&'a [DVec3]>,
}

/// A number of a step, under a name for tests and programs.
pub type Figure = (&'static str, f64);

/// One step: a ball, ways to tell of it, and what they come to.
#[derive(Clone, Debug)]
pub struct Demo {
    step: Step,
    values: [f64; 2],
    ball: Ball,
    tick: i64,
    /// Time that is no whole tick yet.
    rest_s: f64,
    /// Where the truth was.
    pub trail: Trail,
    lines: Vec<Line>,
    snapshots: Option<Snapshots>,
    audience: Option<Audience>,
    /// Says when the network loses: packet by packet of twenty a second, since bursts last a time
    /// and not a number of ours.
    weather: ReplayLink<()>,
    is_losing: bool,
}

impl Demo {
    /// The step as the page opens it.
    ///
    /// # Errors
    /// Refuses what the engine refuses, which no slider asks for.
    pub fn new(step: Step) -> Result<Self, ConfigError> {
        let [first, second] = step.sliders();
        let values = [first.start, second.start];
        let ball = Ball::new(1 + step as u64, speed_mps(step, values));
        let mut demo = Self {
            step,
            values,
            ball,
            tick: 0,
            rest_s: 0.0,
            trail: Trail::default(),
            lines: Vec::new(),
            snapshots: None,
            audience: None,
            weather: ReplayLink::default(),
            is_losing: false,
        };
        demo.set_up()?;
        Ok(demo)
    }

    fn set_up(&mut self) -> Result<(), ConfigError> {
        let truth = self.ball.truth();
        if self.step == Step::Fair {
            let (budget, weights) = self.policy();
            self.audience = Some(Audience::new(&fair_setup(), budget, weights, truth)?);
            return Ok(());
        }
        for setup in setups(self.step, self.values) {
            self.lines.push(Line::new(setup, truth)?);
        }
        if matches!(self.step, Step::Silence | Step::Delay | Step::Loss) {
            self.snapshots = Some(Snapshots::new(truth));
        }
        Ok(())
    }

    /// The step in the midst of it, as a page shows it first.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn running(step: Step) -> Result<Self, ConfigError> {
        let mut demo = Self::new(step)?;
        (0..RUN_UP_TICKS).for_each(|_| demo.tick());
        Ok(demo)
    }

    /// Which step it is.
    #[must_use]
    pub const fn step(&self) -> Step {
        self.step
    }

    /// Where its sliders stand.
    #[must_use]
    pub const fn values(&self) -> [f64; 2] {
        self.values
    }

    /// The ball.
    #[must_use]
    pub const fn ball(&self) -> &Ball {
        &self.ball
    }

    /// Somebody takes the ball, or lets go.
    pub fn drive(&mut self, driver: Driver) {
        self.ball.drive(driver);
    }

    /// Moves a slider; the figures begin anew.
    ///
    /// # Errors
    /// Refuses what the engine refuses, which no slider asks for.
    pub fn set(&mut self, place: usize, value: f64) -> Result<(), ConfigError> {
        let (Some(slot), Some(slider)) =
            (self.values.get_mut(place), self.step.sliders().get(place))
        else {
            return Ok(());
        };
        *slot = slider.within(value);
        self.ball.speed_mps = speed_mps(self.step, self.values);
        let truth = *self.ball.truth();
        for (line, setup) in self.lines.iter_mut().zip(setups(self.step, self.values)) {
            line.set_setup(setup, &truth)?;
            line.reset(truth.at);
        }
        if let Some(snapshots) = &mut self.snapshots {
            snapshots.reset(truth.at);
        }
        let (budget, weights) = self.policy();
        if let Some(audience) = &mut self.audience {
            audience.set_policy(budget, weights, truth.at)?;
            audience.reset(truth.at);
        }
        Ok(())
    }

    /// Time passes.
    pub fn pass(&mut self, dt_s: f64) {
        self.rest_s += dt_s.clamp(0.0, MAX_FRAME_S);
        while self.rest_s >= TICK_S {
            self.rest_s -= TICK_S;
            self.tick();
        }
    }

    fn tick(&mut self) {
        self.tick += 1;
        self.ball.tick(SimTime::from_tick(self.tick, TICKS_PER_S));
        let truth = self.ball.truth();
        self.trail.note(truth.position);
        let link = link(self.step, self.values);
        if self.tick % snapshots::EVERY == 0 {
            self.is_losing = self.weather.loses(link);
        }
        for line in &mut self.lines {
            line.tick(truth, self.is_losing);
        }
        if let Some(snapshots) = &mut self.snapshots {
            snapshots.tick(self.tick, truth, without_loss(link), self.is_losing);
        }
        if let Some(audience) = &mut self.audience {
            audience.tick(truth);
        }
    }

    /// The moment to draw: between two ticks.
    #[must_use]
    pub fn now(&self) -> SimTime {
        SimTime::from_micros(self.ball.truth().at.as_micros() + (self.rest_s * 1e6) as i64)
    }

    /// Where the ball is then.
    #[must_use]
    pub fn place(&self) -> DVec3 {
        let truth = self.ball.truth();
        truth.position + truth.velocity * self.rest_s
    }

    /// Middle and radius of the circle that the ball may move in without a word.
    #[must_use]
    pub fn circle(&self) -> Option<(DVec3, f64)> {
        let is_seen = matches!(self.step, Step::Guess | Step::Silence | Step::Blend);
        let line = self.lines.first().filter(|_| is_seen)?;
        Some((line.guess(self.now()), self.values[0]))
    }

    /// What watchers draw, the important last.
    #[must_use]
    pub fn shown(&self) -> Vec<Shown<'_>> {
        let now = self.now();
        let mut all = Vec::new();
        let mut draw = |shown_as, place, trail| all.push(Shown { shown_as, place, trail });
        if let Some(it) = self.snapshots.as_ref().filter(|_| self.step != Step::Silence) {
            draw(ShownAs::Naive, it.shown(), None);
        }
        for it in self.watchers().iter().rev() {
            draw(ShownAs::Guess, it.shown(now), None);
        }
        if let Some(it) = self.lines.get(1) {
            draw(ShownAs::Plain, it.shown(now), None);
        }
        if let Some(it) = self.lines.first() {
            let trail = (self.step == Step::Blend).then_some(it.trail.places());
            draw(ShownAs::Guess, it.shown(now), trail);
        }
        all
    }

    fn watchers(&self) -> &[Watcher] {
        self.audience.as_ref().map_or(&[], Audience::watchers)
    }

    /// Where guesses will go over the next moments, where the step is about that.
    #[must_use]
    pub fn courses(&self) -> Vec<(ShownAs, Vec<DVec3>)> {
        let now = self.now();
        match (self.step, self.lines.as_slice()) {
            (Step::Guess, [line]) => vec![(ShownAs::Guess, line.course(now, 0.6))],
            (Step::Ahead, [aimed, plain]) => vec![
                (ShownAs::Plain, plain.course(now, 0.6)),
                (ShownAs::Guess, aimed.course(now, 0.6)),
            ],
            _ => Vec::new(),
        }
    }

    /// What was sent, with names.
    #[must_use]
    pub fn lanes(&self) -> Vec<(ShownAs, String, &Lane)> {
        let mut lanes = Vec::new();
        let mut add = |shown_as, name: &str, lane| lanes.push((shown_as, name.to_string(), lane));
        if let Some(line) = self.lines.first() {
            add(
                ShownAs::Guess,
                if self.step == Step::Ahead { "aimed" } else { "updates" },
                &line.lane,
            );
        }
        if let Some(plain) = self.lines.get(1) {
            add(ShownAs::Plain, "straight on", &plain.lane);
        }
        if let Some(snapshots) = &self.snapshots {
            add(ShownAs::Naive, "20 a second", &snapshots.lane);
        }
        for it in self.watchers() {
            let name = format!("{} ms: {:.2} m", it.delay_ms, it.errors.mean());
            add(ShownAs::Guess, &name, &it.lane);
        }
        lanes
    }

    /// What it comes to, over the last ten seconds (watchers: twenty).
    #[must_use]
    pub fn figures(&self) -> Vec<Figure> {
        let at = self.ball.truth().at;
        let mut figures = Vec::new();
        if let Some(line) = self.lines.first() {
            figures.extend_from_slice(&[
                ("error_m", line.errors.newest()),
                ("mean_m", line.errors.mean()),
                ("leap_m", line.leaps.largest()),
                ("per_s", line.lane.per_s(at)),
                ("sent", line.lane.sent as f64),
                ("lost", line.lane.lost as f64),
            ]);
        }
        if let Some(plain) = self.lines.get(1) {
            let (mean_m, per_s) = (plain.errors.mean(), plain.lane.per_s(at));
            figures.extend_from_slice(&[("plain_mean_m", mean_m), ("plain_per_s", per_s)]);
        }
        if let Some(snapshots) = &self.snapshots {
            figures.extend_from_slice(&[
                ("naive_mean_m", snapshots.errors.mean()),
                ("naive_sent", snapshots.lane.sent as f64),
                ("naive_lost", snapshots.lane.lost as f64),
            ]);
        }
        if let Some(audience) = &self.audience {
            let (best_m, worst_m) = audience.extremes_m();
            let (sent, all) = audience.sent_of();
            figures.extend_from_slice(&[("best_m", best_m), ("worst_m", worst_m)]);
            figures.extend_from_slice(&[("sent", sent as f64), ("all", all as f64)]);
        }
        figures
    }

    /// For tests and programs: the figures, where the sliders stand, the time, and the ball.
    #[must_use]
    pub fn to_json(&self) -> String {
        let (place, [first, second]) = (self.place(), self.values);
        let at_s = self.now().as_secs_f64();
        let (x, y) = (place.x, place.y);
        let mut json =
            format!("{{\"at_s\":{at_s},\"ball\":[{x},{y}],\"values\":[{first},{second}]");
        for (name, value) in self.figures() {
            let _ = write!(json, ",\"{name}\":{value}");
        }
        json.push('}');
        json
    }

    /// The same in words.
    #[must_use]
    pub fn line(&self) -> String {
        let figures = self.figures();
        let of = |name| figures.iter().find(|it| it.0 == name).map_or(0.0, |it| it.1);
        match self.step {
            Step::Guess => format!(
                "The guess is off by {:.2} m. {:.1} updates a second.",
                of("error_m"),
                of("per_s")
            ),
            Step::Silence => format!(
                "{:.1} updates a second instead of 20{}. The guess is off by {:.2} m on average.",
                of("per_s"),
                fewer(of("per_s")),
                of("mean_m")
            ),
            Step::Delay => format!(
                "Off on average: the guess {:.2} m, the newest position {:.2} m.",
                of("mean_m"),
                of("naive_mean_m")
            ),
            Step::Blend => format!(
                "Largest leap between two pictures: {:.2} m. Off by {:.2} m on average.",
                of("leap_m"),
                of("mean_m")
            ),
            Step::Loss => format!(
                "Lost: {:.0} of {:.0} updates, {:.0} of {:.0} positions. \
                 Off on average: the guess {:.2} m, the newest position {:.2} m.",
                of("lost"),
                of("sent"),
                of("naive_lost"),
                of("naive_sent"),
                of("mean_m"),
                of("naive_mean_m")
            ),
            Step::Ahead => format!(
                "Aimed: off by {:.2} m, {:.1} updates a second. \
                 Straight on: {:.2} m, {:.1} a second.",
                of("mean_m"),
                of("per_s"),
                of("plain_mean_m"),
                of("plain_per_s")
            ),
            Step::Fair => format!(
                "Off on average: the luckiest {:.2} m, the unluckiest {:.2} m. \
                 {:.0} of {:.0} updates sent.",
                of("best_m"),
                of("worst_m"),
                of("sent"),
                of("all")
            ),
        }
    }

    fn policy(&self) -> (f64, Weights) {
        let rules = [Weights::WAITING, Weights::TEMPERED, Weights::ACCUMULATED];
        let rule = rules.get(self.values[1] as usize).copied().unwrap_or_default();
        (self.values[0] / 100.0, rule)
    }
}

/// How much fewer than twenty that is, where it can be said.
fn fewer(per_s: f64) -> String {
    if per_s < 0.05 {
        return String::new();
    }
    let times = Snapshots::PER_S / per_s;
    if times < 1.05 { String::new() } else { format!(", {times:.1} times fewer") }
}

/// What is lost is lost before it sets out.
fn without_loss(link: LinkChoice) -> LinkChoice {
    LinkChoice { loss_percent: 0, ..link }
}

fn speed_mps(step: Step, values: [f64; 2]) -> f64 {
    if step == Step::Guess { values[1] } else { SPEED_MPS }
}

fn link(step: Step, values: [f64; 2]) -> LinkChoice {
    let [first, second] = values;
    match step {
        Step::Delay => {
            LinkChoice { delay_ms: first as u16, jitter_ms: second as u16, ..LinkChoice::NONE }
        }
        Step::Loss => LinkChoice {
            delay_ms: 80,
            loss_percent: first as u8,
            burst: second as u8,
            ..LinkChoice::NONE
        },
        Step::Ahead => LinkChoice { delay_ms: SOME_DELAY_MS, ..LinkChoice::NONE },
        _ => LinkChoice::NONE,
    }
}

/// What the lines of a step do: the one that it is about, and the one it is held against.
fn setups(step: Step, values: [f64; 2]) -> Vec<LineSetup> {
    let [first, second] = values;
    let link = without_loss(link(step, values));
    let close = |threshold_m| LineSetup {
        blend: LineSetup::close(),
        link,
        ..LineSetup::plain(threshold_m)
    };
    match step {
        Step::Guess => vec![LineSetup::plain(first)],
        Step::Silence => {
            let bends = Model::Accelerating { trust: TRUST };
            let models = [Model::Hold, Model::Linear, bends, Model::Arc];
            let model = models.get(second as usize).copied().unwrap_or(Model::Linear);
            vec![LineSetup { model, ..LineSetup::plain(first) }]
        }
        Step::Delay | Step::Loss => {
            let model = match std::env::var("MOD").as_deref() {
                Ok("arc") => Model::Arc,
                Ok("acc") => Model::Accelerating { trust: TRUST },
                Ok("damp") => Model::Damped { fade: Duration::from_millis(800) },
                _ => Model::Linear,
            };
            let th = std::env::var("TH").map_or(0.25, |it| it.parse().unwrap());
            vec![LineSetup { model, ..close(th) }]
        }
        Step::Blend => {
            let blends = [
                (Blend::Snap, BlendSpan::CALM),
                (Blend::Linear, BlendSpan::CALM),
                LineSetup::close(),
                (Blend::ProjectiveVelocity, BlendSpan::CALM),
            ];
            let blend = blends.get(second as usize).copied().unwrap_or(LineSetup::close());
            vec![LineSetup { blend, ..LineSetup::plain(first) }]
        }
        Step::Ahead => {
            let ahead = Duration::from_millis(second as u64);
            let ahead = (!ahead.is_zero()).then_some(ahead);
            let model = if ahead.is_some() { Model::Arc } else { Model::Linear };
            vec![LineSetup { model, ahead, ..close(first) }, close(first)]
        }
        Step::Fair => Vec::new(),
    }
}

/// Guesses that lose their speed, since some watchers hear little.
fn fair_setup() -> LineSetup {
    let model = Model::Damped { fade: Duration::from_millis(800) };
    LineSetup { blend: LineSetup::close(), model, ..LineSetup::plain(0.3) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures of a step after so many seconds at these sliders.
    fn after(step: Step, values: [f64; 2], seconds: i64) -> impl Fn(&str) -> f64 {
        let mut demo = demo(step, values);
        (0..seconds * 60).for_each(|_| demo.tick());
        let figures = demo.figures();
        move |name: &str| figures.iter().find(|it| it.0 == name).expect(name).1
    }

    fn demo(step: Step, values: [f64; 2]) -> Demo {
        let mut demo = Demo::new(step).unwrap();
        (0..2).for_each(|place| demo.set(place, values[place]).unwrap());
        demo
    }

    #[test]
    fn the_guess_is_never_off_by_more_than_the_circle() {
        for (threshold_m, speed_mps) in [(0.2, 10.0), (1.2, 4.0), (3.0, 1.0)] {
            let mut demo = demo(Step::Guess, [threshold_m, speed_mps]);
            for tick in 0..1_800 {
                demo.tick();
                let off_m = demo.lines[0].errors.newest();
                assert!(off_m <= threshold_m, "{off_m} of {threshold_m} m at tick {tick}");
            }
        }
    }

    #[test]
    fn a_hand_that_tears_the_ball_about_does_not_get_it_out_of_the_circle() {
        let mut demo = demo(Step::Guess, [1.0, 4.0]);
        for tick in 0..600 {
            let side = if tick / 20 % 2 == 0 { 1.0 } else { 15.0 };
            demo.drive(Driver::Pointer(DVec3::new(side, 5.0, 0.0)));
            demo.tick();
            let (middle, radius_m) = demo.circle().unwrap();
            assert!(middle.distance(demo.place()) <= radius_m, "tick {tick}");
        }
        assert!(demo.lines[0].lane.sent > 100, "{}", demo.lines[0].lane.sent);
    }

    #[test]
    fn a_wider_circle_sends_less() {
        let sent = |threshold_m| after(Step::Guess, [threshold_m, 4.0], 60)("sent");
        let counts = [0.2, 0.6, 1.2, 3.0].map(sent);
        println!("{counts:?}");
        assert!(counts.windows(2).all(|it| it[1] < 0.9 * it[0]), "{counts:?}");
    }

    #[test]
    fn the_better_the_guess_the_longer_the_silence() {
        let sent = |guess| after(Step::Silence, [0.5, guess], 60)("sent");
        let counts = [0.0, 1.0, 2.0, 3.0].map(sent);
        println!("{counts:?}");
        assert!(counts.windows(2).all(|it| it[1] < 0.85 * it[0]), "{counts:?}");
        assert!(counts[0] < 60.0 * Snapshots::PER_S);
    }

    #[test]
    fn delay_leaves_the_newest_position_behind_and_the_guess_not_so_far() {
        for (delay_ms, jitter_ms) in [(100.0, 0.0), (250.0, 20.0), (500.0, 60.0)] {
            let figure = after(Step::Delay, [delay_ms, jitter_ms], 30);
            let (guess, naive) = (figure("mean_m"), figure("naive_mean_m"));
            println!("{delay_ms} ms: {guess:.2} m against {naive:.2} m");
            assert!(guess < 0.6 * naive, "{guess} against {naive}");
            // Its speed over the delay, but for bends, in which the way is longer than the distance.
            assert!((naive - SPEED_MPS * delay_ms / 1e3).abs() < 0.4, "{naive} at {delay_ms} ms");
        }
    }

    #[test]
    fn blends_correct_without_a_leap() {
        let leap = |blend| after(Step::Blend, [1.5, blend], 20)("leap_m");
        let [jump, straight, close, calm] = [0.0, 1.0, 2.0, 3.0].map(leap);
        println!("{jump:.2} {straight:.2} {close:.2} {calm:.2}");
        assert!(jump > 1.4, "{jump}");
        assert!(straight < 0.25 && close < 0.25 && calm < 0.2, "{straight} {close} {calm}");
    }

    #[test]
    fn a_change_of_sliders_does_not_make_the_picture_leap() {
        let mut demo = demo(Step::Blend, [1.5, 3.0]);
        (0..600).for_each(|_| demo.tick());
        let before = demo.lines[0].shown(demo.now());
        demo.set(1, 2.0).unwrap();
        demo.set(0, 0.5).unwrap();
        assert!(before.distance(demo.lines[0].shown(demo.now())) < 1e-9);
    }

    #[test]
    fn losses_come_as_asked_for_are_made_up_for_and_the_guess_stays_ahead() {
        let mut sent_before = 0;
        for (percent, burst) in [(0.0, 1.0), (5.0, 1.0), (20.0, 1.0), (20.0, 3.0), (50.0, 10.0)] {
            let mut demo = demo(Step::Loss, [percent, burst]);
            let (mut guess_m, mut naive_m) = (0.0, 0.0);
            for _ in 0..18_000 {
                demo.tick();
                guess_m += demo.lines[0].errors.newest() / 18_000.0;
                naive_m += demo.snapshots.as_ref().unwrap().errors.newest() / 18_000.0;
            }
            let (line, naive) = (&demo.lines[0].lane, &demo.snapshots.as_ref().unwrap().lane);
            println!(
                "{percent} %, {burst} in a row: {} of {} updates, {} of {} positions lost, \
                 {guess_m:.2} against {naive_m:.2} m",
                line.lost, line.sent, naive.lost, naive.sent
            );
            let share = naive.lost as f64 / naive.sent as f64;
            assert!((share - percent / 100.0).abs() < 0.05, "{share}");
            assert!((line.lost as f64) >= 0.8 * share * line.sent as f64, "{}", line.lost);

            if burst == 1.0 {
                assert!(line.sent > sent_before, "what was lost is sent again");
                sent_before = line.sent + line.lost / 20;
            }
        }
    }

    #[test]
    fn looking_ahead_is_closer_also_for_the_same_number_of_updates() {
        let run = |threshold_m| {
            let mut demo = demo(Step::Ahead, [threshold_m, 300.0]);
            let mut means = [0.0; 2];
            for _ in 0..3_600 {
                demo.tick();
                for (mean, line) in means.iter_mut().zip(&demo.lines) {
                    *mean += line.errors.newest() / 3_600.0;
                }
            }
            let sent = [0, 1].map(|at| demo.lines[at].lane.sent as f64);
            println!("{threshold_m} m: {means:.3?} m, {sent:?} updates");
            (means, sent)
        };
        let (fine, coarse) = (run(0.2), run(0.4));
        for ([aimed, plain], sent) in [fine, coarse] {
            assert!(aimed < 0.4 * plain, "{aimed} against {plain}");
            assert!(sent[0] < 1.6 * sent[1], "{sent:?}");
        }
        assert!(coarse.1[0] <= fine.1[1] && coarse.0[0] < 0.5 * fine.0[1], "{coarse:?} {fine:?}");
    }

    #[test]
    fn not_looking_ahead_is_going_straight_on() {
        let figure = after(Step::Ahead, [0.4, 0.0], 20);
        assert_eq!(figure("mean_m"), figure("plain_mean_m"));
    }

    #[test]
    fn the_budget_is_kept_and_errors_are_levelled_by_it() {
        let mut spreads = Vec::new();
        for rule in [0.0, 1.0, 2.0] {
            for budget in [20.0, 40.0, 60.0, 100.0] {
                let figure = after(Step::Fair, [budget, rule], 120);
                let allowed = figure("all") * budget / 100.0 + 15.0; // and a round or two
                let (sent, best, worst) = (figure("sent"), figure("best_m"), figure("worst_m"));
                println!("{rule} {budget} %: {sent} of {allowed}, {best:.2} to {worst:.2} m");
                assert!(sent <= allowed, "{sent} of {allowed}");
                assert!(sent > 0.85 * figure("all") * budget / 100.0, "{sent} of {allowed}");
                if budget == 60.0 {
                    spreads.push(worst - best);
                }
            }
        }
        assert!(spreads[2] < 0.7 * spreads[0] && spreads[1] < 0.9 * spreads[0], "{spreads:?}");
    }

    #[test]
    fn equal_calls_give_equal_pictures() {
        for step in Step::ALL {
            let mut twins = [Demo::new(step).unwrap(), Demo::new(step).unwrap()];
            for demo in &mut twins {
                (0..300).for_each(|_| demo.pass(0.021));
            }
            assert_eq!(twins[0].figures(), twins[1].figures(), "{step:?}");
            assert_eq!(twins[0].place(), twins[1].place());
            let json: serde_json::Value = serde_json::from_str(&twins[0].to_json()).unwrap();
            assert_eq!(json["at_s"], twins[0].now().as_secs_f64());
            assert!(twins[0].line().len() > 20 && !twins[0].lanes().is_empty());
        }
    }
}
