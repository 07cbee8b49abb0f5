//! The application: its state, and one frame after the other.

use reckoning::{DVec3, SimTime};
use reckoning_arena::Input;
use reckoning_arena::protocol::ModelChoice;
use reckoning_predict::TrendMap;
use web_sys::{CanvasRenderingContext2d as Pen, HtmlCanvasElement};

use super::address::Address;
use super::connection::Connection;
use super::dom;
use super::draw::{
    Backdrop, Comparison, Curve, Curves, DARK, DASHED, DOTTED, Ground, LIGHT, Palette, Picture,
    SpriteCache, WHOLE, draw_compare, draw_plot, draw_thumbs,
};
use super::everyone::EveryonesControls;
use super::hills::HillsGame;
use super::intro::{self, Player};
use super::live::Live;
use super::measure::{Meters, Totals};
use super::panel::{self, MostVitals};
use super::replayed::Replayed;
use crate::camera::Camera;
use crate::compared::whom_to_follow;
use crate::controls::{Change, ControlError, Controls, ViewMode, shown_name};
use crate::headline::Circumstances;
use crate::hills::choices::{self, HillsChoices, Switched};
use crate::hit_counts::{DrawnAs, HitCount};
use crate::input::HeldInput;
use crate::jitter_buffer::JitterBuffer;
use crate::plot::VALUES_PER_S;
use crate::replay::ReplayClock;
use crate::scene::{GameScene, SceneBody};
use crate::state::{
    AccountState, GhostState, PageState, PointState, ReplayState, TuningState, VehicleState,
    WorthState,
};
use crate::worth::{Worth, worth_of};

/// Silence of a server that sends sixty times a second: something is wrong.
const SILENT_MS: f64 = 700.0;
/// A spectator sees this much more than a player.
const WATCH_VIEW: f64 = 1.2;
/// The height of the scrubber, with the strip of bytes under it.
const SCRUBBER: f64 = 84.0;
/// The window is measured this often, in frames, besides when the browser says so.
const MEASURE_FRAMES: u32 = 30;

/// Where the picture comes from.
#[derive(Debug)]
pub enum Source {
    Loading,
    Live(Box<Live>),
    Replay(Box<Replayed>),
    Hills(Box<HillsGame>),
    Failed(String),
}

impl Source {
    /// The connection of a game, whichever it is.
    pub fn connection(&mut self) -> Option<&mut Connection> {
        match self {
            Self::Live(live) => Some(&mut live.connection),
            Self::Hills(game) => game.live_mut().map(|it| &mut it.connection),
            _ => None,
        }
    }

    /// The clock of a recording, whichever it is of.
    pub fn replay_clock(&mut self) -> Option<&mut ReplayClock> {
        match self {
            Self::Replay(replay) => Some(&mut replay.clock),
            Self::Hills(game) => game.replay_clock(),
            _ => None,
        }
    }
}

/// The page.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct App {
    canvas: HtmlCanvasElement,
    pen: Pen,
    plots: Vec<HtmlCanvasElement>,
    backdrop: Backdrop,
    sprites: SpriteCache,
    pub size: [f64; 2],
    dpr: f64,
    pub colours: &'static Palette,
    pub controls: Controls,
    pub choices: HillsChoices,
    pub held: HeldInput,
    camera: Camera,
    zoom: f64,
    pub ground: Option<Ground>,
    pub source: Source,
    pub meters: Meters,
    pub target: Option<u32>,
    pub trend: Option<TrendMap>,
    pub zones_px: Vec<f64>,
    pub show_board: bool,
    pub pending: Vec<Change>,
    pub everyone: EveryonesControls,
    pub address: Address,
    /// How much of a recording has come.
    pub progress: String,
    frame_ms: f64,
    slow_ms: f64,
    frames: u32,
    /// When the count of datagrams last grew, and what it was.
    heard: (f64, u64),
    was_joined: bool,
    /// Whoever opened the page was never here.
    pub is_newcomer: bool,
    /// Our body was moved by hand, or fired.
    has_acted: bool,
    /// The person asked for little motion.
    is_calm: bool,
    now: SimTime,
}

impl App {
    pub fn new() -> Option<Self> {
        use wasm_bindgen::JsCast;
        let canvas: HtmlCanvasElement = dom::element("arena")?.dyn_into().ok()?;
        let pen = dom::pen_of(&canvas)?;
        let plots = dom::all(".plot canvas").into_iter().filter_map(|it| it.dyn_into().ok());
        Some(Self {
            pen,
            canvas,
            plots: plots.collect(),
            backdrop: Backdrop::new()?,
            sprites: SpriteCache::default(),
            size: [1.0, 1.0],
            dpr: 1.0,
            colours: &DARK,
            controls: Controls::default(),
            choices: HillsChoices::default(),
            held: HeldInput::default(),
            camera: Camera { centre: DVec3::ZERO, zoom: 0.0, size: [1.0, 1.0] },
            zoom: 1.0,
            ground: None,
            source: Source::Loading,
            meters: Meters::default(),
            target: None,
            trend: None,
            zones_px: Vec::new(),
            show_board: false,
            pending: Vec::new(),
            everyone: EveryonesControls::default(),
            address: Address::default(),
            progress: String::new(),
            frame_ms: 0.0,
            slow_ms: 0.0,
            frames: 0,
            heard: (0.0, 0),
            was_joined: false,
            is_newcomer: false,
            has_acted: false,
            is_calm: false,
            now: SimTime::ZERO,
        })
    }

    /// The window or the theme changed.
    pub fn measure(&mut self) {
        self.dpr = dom::window().map_or(1.0, |it| it.device_pixel_ratio()).clamp(1.0, 3.0);
        let size = [self.canvas.client_width(), self.canvas.client_height()].map(f64::from);
        self.size = size.map(|it| it.max(1.0));
        let device = self.size.map(|it| (it * self.dpr).round() as u32);
        if self.canvas.width() != device[0] || self.canvas.height() != device[1] {
            self.canvas.set_width(device[0]);
            self.canvas.set_height(device[1]);
        }
        self.is_calm = dom::is_calm();
        self.colours = if panel::is_light() { &LIGHT } else { &DARK };
        if let Source::Hills(game) = &mut self.source {
            game.measure_canvas(self.size, self.dpr);
        }
    }

    /// One frame.
    pub fn frame(&mut self) {
        let begin_ms = dom::now_ms();
        let dt_s = ((begin_ms - self.frame_ms) / 1e3).clamp(0.0, 1.0);
        self.frame_ms = begin_ms;
        self.meters.intervals.note(dt_s * 1e3);
        if self.frames.is_multiple_of(MEASURE_FRAMES) {
            self.measure();
        }
        self.frames = self.frames.wrapping_add(1);
        self.meters.follow(self.now, self.circumstances());
        self.advance(begin_ms, dt_s);
        self.everyone.follow(&self.source, &mut self.controls, &mut self.choices, begin_ms);
        self.draw(dt_s);
        if begin_ms - self.slow_ms >= 1e3 / VALUES_PER_S - 4.0 {
            self.slow_ms = begin_ms;
            self.slow_tick();
        }
        self.chore();
        self.meters.frames.note(dom::now_ms() - begin_ms);
    }

    /// What the headline is about.
    fn circumstances(&self) -> Circumstances {
        let is_joined = matches!(self.standing().0, "joined" | "replay");
        Circumstances { is_joined, link: self.controls.link, target: None }
    }

    /// The buffer of interpolation.
    fn buffer(&self) -> Option<&JitterBuffer> {
        match &self.source {
            Source::Live(live) => Some(live.comparison.buffer()),
            Source::Replay(replay) => Some(replay.chain.comparison().buffer()),
            Source::Hills(game) => Some(game.buffer()),
            _ => None,
        }
    }

    fn advance_hills(&mut self, now_ms: f64, dt_s: f64) {
        let Source::Hills(game) = &mut self.source else { return };
        let settings = (&mut self.controls, &mut self.choices);
        self.now = game.advance((now_ms, dt_s), &self.held, settings, &mut self.meters);
        if let Some(live) = game.live_mut() {
            let heard = live.connection.heard();
            if heard != self.heard.1 {
                self.heard = (now_ms, heard);
            }
        }
    }

    fn advance(&mut self, now_ms: f64, dt_s: f64) {
        self.advance_hills(now_ms, dt_s);
        let Some(ground) = &self.ground else { return };
        match &mut self.source {
            Source::Live(live) => {
                let before = self.now;
                let now = live.take_in(&mut self.controls, ground);
                let is_naive = self.held.draws_naively && self.controls.demo;
                live.hit_counts.draw(now, DrawnAs::from_naive(is_naive));
                self.now = now;
                let place = live.own_place(now);
                let aim = match (self.held.thumb_aim(), self.held.pointer, place) {
                    (Some(push), ..) => push,
                    (None, Some([x, y]), Some(place)) => self.camera.to_level(x, y) - place,
                    _ => DVec3::ZERO,
                };
                let input = Input { go: self.held.go(), aim, fire: false };
                let acts = input.go != DVec3::ZERO || self.held.fires();
                self.has_acted |= place.is_some() && acts;
                if let Some(level) = &ground.level {
                    live.act(now, &input, self.held.fires(), level);
                }
                live.gather(now, now.secs_since(before), ground, &mut self.meters);
                let heard = live.connection.heard();
                if heard != self.heard.1 {
                    self.heard = (now_ms, heard);
                }
            }
            Source::Replay(replay) => {
                self.now = SimTime::from_secs_f64(now_ms / 1e3);
                replay.advance(self.now, dt_s, ground.leap_px(), &mut self.meters);
            }
            _ => {}
        }
    }

    /// Sets a control, as a person or a test does. Empty, or why not.
    pub fn set(&mut self, name: &str, value: &str) -> String {
        if let Some(clock) = self.source.replay_clock() {
            match (name, value.parse::<f64>(), value.parse::<bool>()) {
                ("at", Ok(at_s), _) => clock.seek(at_s),
                ("speed", Ok(speed), _) => clock.speed = speed,
                ("plays", _, Ok(plays)) => {
                    if plays != clock.plays {
                        clock.toggle();
                    }
                }
                _ => return self.set_control(name, value),
            }
            return String::new();
        }
        self.set_control(name, value)
    }

    fn set_control(&mut self, name: &str, value: &str) -> String {
        if name == "target" {
            self.target = value.parse().ok();
            if let Source::Hills(game) = &mut self.source {
                game.target = self.target;
            }
            return String::new();
        }
        if choices::NAMES.contains(&name) {
            return self.set_switch(name, value);
        }
        match self.controls.set(name, value) {
            Ok(change) => {
                if change == Change::Tuning {
                    self.everyone.ask(name, value);
                }
                self.change(change);
                String::new()
            }
            Err(error) => error.to_string(),
        }
    }

    /// A switch of the hills. Empty, or why not.
    fn set_switch(&mut self, name: &str, value: &str) -> String {
        let wrong = ControlError::Value { name: name.to_string(), got: value.to_string() };
        let Some(switched) = self.choices.set(name, value) else { return wrong.to_string() };
        match switched {
            Switched::Tuning => {
                self.everyone.ask(name, value);
                self.change(Change::Tuning);
            }
            Switched::Picture => self.change(Change::Picture),
        }
        String::new()
    }

    fn change(&mut self, change: Change) {
        if !self.pending.contains(&change) {
            self.pending.push(change);
        }
        panel::show_controls(&self.controls, &self.choices);
    }

    /// The next camera of the hills.
    pub fn next_camera(&mut self) {
        if matches!(self.source, Source::Hills(_)) {
            let next = self.choices.camera.next();
            self.set_switch("camera", next.name());
        }
    }

    /// Gets into a vehicle or out of it.
    pub fn use_vehicle(&mut self) {
        if let (Source::Live(live), Some(ground)) = (&mut self.source, &self.ground) {
            live.use_vehicle(self.now, ground);
        }
    }

    /// Zooms in or out; only for spectators.
    pub fn zoom_by(&mut self, factor: f64) {
        self.zoom = (self.zoom * factor).clamp(0.2, 6.0);
        if let Source::Hills(game) = &mut self.source {
            game.zoom_by(factor);
        }
    }

    /// Whether we move a body.
    fn plays(&self) -> bool {
        matches!(&self.source, Source::Live(live) if live.scene.me.is_some())
            && !self.controls.watch
    }

    /// Follows whoever is nearest to a place of the page.
    pub fn pick(&mut self, x: f64, y: f64) {
        if let Source::Hills(game) = &mut self.source {
            if game.picks(&self.controls) {
                game.next_target();
            }
            return;
        }
        if self.plays() && self.controls.view == ViewMode::Arena {
            return;
        }
        if self.controls.view == ViewMode::Compare {
            self.target = self.after_target();
            return;
        }
        let place = self.camera.to_level(x, y);
        let near = |it: &&SceneBody| it.shown.distance(place) * self.camera.zoom < 40.0;
        let found = self.bodies().find(near).map(|it| it.entity);
        self.target = found;
    }

    /// The next one after the target, round and round.
    fn after_target(&self) -> Option<u32> {
        let others = || self.bodies().filter(|it| is_followable(it)).map(|it| it.entity);
        let next = self.target.and_then(|now| others().find(|it| *it > now));
        next.or_else(|| others().next())
    }

    fn bodies(&self) -> impl Iterator<Item = &SceneBody> {
        let bodies = match &self.source {
            Source::Live(live) => Some(&live.bodies),
            Source::Replay(replay) => Some(&replay.bodies),
            _ => None,
        };
        bodies.into_iter().flat_map(|it| it.values())
    }

    /// Whom the camera or the comparison follows.
    fn followed(&mut self) -> Option<u32> {
        let others = || self.bodies().filter(|it| is_followable(it));
        // The introduction is about a bot.
        let takes_any = !intro::is_open() || !others().any(|it| it.is_bot);
        let is_target = |it: &SceneBody| Some(it.entity) == self.target && !it.is_me;
        if !self.bodies().any(|it| is_target(it) && (it.is_bot || takes_any)) {
            let is_compared = self.controls.view == ViewMode::Compare;
            self.target = whom_to_follow(others(), self.camera.centre, is_compared);
        }
        self.target
    }

    fn camera_goal(&mut self) -> Option<Camera> {
        let is_replay = matches!(self.source, Source::Replay(_));
        let plays = self.plays();
        let followed = if plays { None } else { self.followed() };
        let ground = self.ground.as_ref()?;
        let view = ground.view_px();
        let mine = self.bodies().find(|it| it.is_me && plays);
        if let Some(mine) = mine {
            return Some(Camera::around(mine.shown, view, ground.size, self.size));
        }
        let followed = self.bodies().find(|it| Some(it.entity) == followed);
        let centre = followed.map_or(ground.size * 0.5, |it| it.shown);
        let whole = [ground.size.x, ground.size.y];
        if is_replay && self.zoom <= 1.0 {
            // The whole of it, over the scrubber.
            let [width, height] = self.size;
            let above = Camera::whole(ground.size, [width, (height - SCRUBBER).max(1.0)]);
            let centre = above.centre + DVec3::Y * (0.5 * SCRUBBER / above.zoom);
            return Some(Camera { centre, size: self.size, ..above });
        }
        let view = if is_replay { whole } else { view.map(|it| it * WATCH_VIEW) };
        let view = view.map(|it| it / self.zoom);
        Some(Camera::around(centre, view, ground.size, self.size))
    }

    fn draw_hills(&mut self, dt_s: f64) {
        let Source::Hills(game) = &mut self.source else { return };
        let _ = self.pen.set_transform(self.dpr, 0.0, 0.0, self.dpr, 0.0, 0.0);
        game.draw(&self.pen, self.colours, &self.controls, dt_s);
        draw_thumbs(&self.pen, &self.held, self.colours);
    }

    fn draw(&mut self, dt_s: f64) {
        self.draw_hills(dt_s);
        let Some(goal) = self.camera_goal() else { return };
        self.camera.follow(&goal, dt_s);
        let followed = match self.controls.view {
            ViewMode::Compare => self.followed(),
            ViewMode::Arena => None,
        };
        let around = self.circumstances();
        let facts = self.buffer().and_then(|it| self.meters.interpolation(it)).unwrap_or_default();
        let _ = self.pen.set_transform(self.dpr, 0.0, 0.0, self.dpr, 0.0, 0.0);
        let Some(ground) = &self.ground else { return };
        let (bodies, scene, host_now) = match &self.source {
            Source::Live(live) => {
                let session = live.connection.client.session();
                let host_now = session.and_then(|it| it.timeline_at(self.now));
                (&live.bodies, &live.scene, host_now.unwrap_or(self.now))
            }
            Source::Replay(replay) => (&replay.bodies, &replay.scene, self.now),
            _ => return,
        };
        let is_naive = matches!(&self.source, Source::Live(live)
            if live.hit_counts.drawn_as() == DrawnAs::Naive && followed.is_none());
        let naive: Vec<SceneBody> =
            bodies.values().filter(|_| is_naive).map(SceneBody::drawn_naively).collect();
        let bodies: Vec<&SceneBody> =
            if is_naive { naive.iter().collect() } else { bodies.values().collect() };
        let picture = Picture {
            pen: &self.pen,
            camera: &self.camera,
            colours: self.colours,
            ground,
            bodies: &bodies,
            scene,
            overlays: self.controls.overlays,
            trend: self.trend.as_ref(),
            zones_px: &self.zones_px,
            is_calm: self.is_calm,
            now: self.now,
            host_now,
        };
        let target = bodies.iter().find(|it| Some(it.entity) == followed);
        if let Some(target) = target {
            let replay = match &self.source {
                Source::Replay(replay) => Some(replay),
                _ => None,
            };
            let below = if replay.is_some() { SCRUBBER } else { 0.0 };
            if replay.is_none_or(|it| it.clock.plays) {
                self.meters.compared.look(self.now, target, around, ground.leap_px());
            }
            let comparison = Comparison { compared: &self.meters.compared, facts, below };
            draw_compare(&picture, target, &comparison, &mut self.backdrop, self.dpr);
        } else {
            self.backdrop.copy(&self.pen, &self.camera, ground, self.colours, self.dpr);
            picture.draw(&mut self.sprites, self.dpr);
        }
        draw_thumbs(&self.pen, &self.held, self.colours);
    }

    /// Ten times a second: wishes, and a value more for each curve.
    fn slow_tick(&mut self) {
        if matches!(self.source, Source::Loading) {
            return; // wishes wait for somebody to grant them
        }
        let now_ms = dom::now_ms();
        self.everyone.pass_on(&mut self.source, &self.controls, &self.choices, now_ms);
        self.address.keep(&self.source, (&self.controls, &self.choices), now_ms);
        let is_played = self.source.connection().is_some();
        for change in std::mem::take(&mut self.pending) {
            if is_played && change == Change::Tuning {
                continue; // passed on above
            }
            // Who joins as somebody else was not disconnected.
            self.was_joined &= change != Change::Hello;
            match &mut self.source {
                Source::Live(live) => live.apply(change, &self.controls),
                Source::Replay(replay) => replay.apply(&self.controls),
                Source::Hills(game) => game.apply(change, &self.controls, &self.choices),
                _ => {}
            }
        }
        self.meters.tick(self.now, self.totals());
        if let Source::Hills(game) = &mut self.source {
            game.slow_tick(&self.choices, &self.meters);
        }
    }

    /// What is around the arena, a part in each frame: all in one would make that frame late.
    fn chore(&mut self) {
        const FIGURES: usize = 3;
        const GAME: usize = 4;
        match self.frames as usize % (GAME + 1) {
            GAME => self.show_game(),
            FIGURES => {
                let state = self.state();
                panel::show_figures(&state);
                panel::show_headline(self.meters.settled.verdict(self.now));
                let facts = self.buffer().and_then(|it| self.meters.interpolation(it));
                panel::show_interpolation(facts, state.hills.is_some());
            }
            plot => self.draw_plot(plot),
        }
    }

    fn draw_plot(&self, number: usize) {
        let Some(canvas) = self.plots.get(number) else { return };
        let colours = self.colours;
        let [ghost, naive, past] = &self.meters.error_series;
        let ours = |it| -> Curve<'_> { (it, colours.ghost, WHOLE) };
        let theirs = |it| -> Curve<'_> { (it, colours.naive, DASHED) };
        let errors = [(past, colours.interpolated, DOTTED), theirs(naive), ours(ghost)];
        let pairs = [&self.meters.update_series, &self.meters.byte_series];
        let pairs = pairs.map(|[ghost, naive]| [theirs(naive), ours(ghost)]);
        let curves = [&errors[..], &pairs[0][..], &pairs[1][..]];
        draw_plot(canvas, &Curves { series: curves[number] }, colours, self.dpr);
    }

    fn totals(&self) -> Totals {
        match &self.source {
            Source::Live(live) => live.connection.totals(),
            Source::Hills(game) => game.totals(),
            Source::Replay(replay) => Totals {
                updates: replay.chain.updates(),
                snapshot_updates: replay.chain.snapshots(),
                ..Totals::default()
            },
            _ => Totals::default(),
        }
    }

    /// Hints for whoever plays.
    fn player(&self) -> Player {
        let plays = match &self.source {
            Source::Hills(game) => game.plays(),
            _ => self.plays(),
        };
        let plays = plays && self.controls.view == ViewMode::Arena;
        let has_driven = matches!(&self.source, Source::Hills(game) if game.has_driven());
        Player { plays, has_acted: self.has_acted || has_driven }
    }

    fn show_game(&mut self) {
        panel::show_message(&self.standing());
        self.everyone.show(&self.controls, &self.choices);
        intro::show_hints(self.player());
        match &self.source {
            Source::Live(live) => {
                self.was_joined |= live.connection.standing().0 == "joined";
                panel::show_controls(&self.controls, &self.choices);
                let most = self.ground.as_ref().and_then(MostVitals::of);
                panel::show_scene(&live.scene, self.now, most, self.show_board);
                show_way(&live.connection, &self.controls);
                panel::show_planners(&self.controls, live.worth.as_ref(), &live.own_planner());
                panel::show_accounts(live.accounts.as_ref());
                panel::show_hits(&live.hit_counts, self.now);
                panel::show_judging(live.is_per_hop, live.judges_the_past());
            }
            Source::Replay(replay) => panel::show_replay(&replay.clock),
            Source::Hills(game) => {
                panel::show_controls(&self.controls, &self.choices);
                game.show_panel(&self.meters);
                if let Some(live) = game.live() {
                    self.was_joined |= live.connection.standing().0 == "joined";
                    let most = Some(MostVitals { health: game.most_health(), ammo: 1.0 });
                    panel::show_scene(&live.scene, self.now, most, self.show_board);
                    show_way(&live.connection, &self.controls);
                }
                game.replay().into_iter().for_each(|it| panel::show_replay(&it.clock));
            }
            _ => {}
        }
    }

    /// Status and the reason given.
    fn standing(&self) -> (&'static str, String) {
        match &self.source {
            Source::Loading => ("loading", self.progress.clone()),
            Source::Replay(_) => ("replay", String::new()),
            Source::Failed(said) => ("over", said.clone()),
            Source::Live(live) => self.standing_of(&live.connection),
            Source::Hills(game) => match game.live() {
                Some(live) => self.standing_of(&live.connection),
                None => ("replay", String::new()),
            },
        }
    }

    fn standing_of(&self, connection: &Connection) -> (&'static str, String) {
        let (status, said) = connection.standing();
        let is_silent = dom::now_ms() - self.heard.0 > SILENT_MS;
        match status {
            "joined" if is_silent => ("lost", "no word from the server".to_string()),
            "connecting" if self.was_joined => ("lost", String::new()),
            _ => (status, said),
        }
    }

    /// What tests look at.
    pub fn state(&self) -> PageState {
        let (status, said) = self.standing();
        let mut state = PageState { status, said, ..PageState::default() };
        state.everyone = self.everyone.told(&self.controls, &self.choices).unwrap_or_default();
        self.meters.report(self.now, self.buffer(), &mut state);
        if let Source::Live(live) = &self.source {
            state.transport = live.connection.client.transport().unwrap_or_default();
            state.one_way_ms = live.connection.one_way_ms(self.controls.link);
            state.player = live.scene.me.map(|it| it.0);
            state.entity = live.scene.me.map(|it| it.1);
            state.me = live.own_place(self.now).map(|it| PointState { x: it.x, y: it.y });
            state.rides = live.ride.as_ref().map(|it| it.entity.0);
            report_scene(&live.scene, &mut state);
            report_server(live, &mut state);
        }
        if let Source::Replay(replay) = &self.source {
            state.replay = Some(replay_state(&replay.clock));
        }
        if let Source::Hills(game) = &self.source {
            self.report_hills(game, &mut state);
            return state;
        }
        let missing = self.controls.missing.iter();
        state.missing = missing.map(|(choice, why)| (choice.name(), why.clone())).collect();
        let others = self.bodies().filter(|it| !it.is_me && !it.is_vehicle);
        state.ghosts = others.map(ghost_state).collect();
        state.vehicles = self.bodies().filter(|it| it.is_vehicle).map(vehicle_state).collect();
        state
    }

    fn report_hills(&self, game: &HillsGame, state: &mut PageState) {
        state.hills = Some(game.state(&self.choices, &self.meters));
        state.ghosts = game.ghosts();
        state.replay = game.replay().map(|it| replay_state(&it.clock));
        let Some(live) = game.live() else { return };
        state.transport = live.connection.client.transport().unwrap_or_default();
        state.one_way_ms = live.connection.one_way_ms(self.controls.link);
        state.player = live.scene.me.map(|it| it.0);
        state.entity = live.scene.me.map(|it| it.1);
        state.me = game.own_point();
        report_scene(&live.scene, state);
    }
}

fn replay_state(clock: &ReplayClock) -> ReplayState {
    ReplayState { at_s: clock.at_s(), seconds: clock.seconds(), plays: clock.plays }
}

/// How the server is reached.
fn show_way(connection: &Connection, controls: &Controls) {
    let way_ms = connection.one_way_ms(controls.link);
    panel::show_link(connection.client.transport(), way_ms);
}

/// Whether a camera may follow it.
const fn is_followable(body: &SceneBody) -> bool {
    !body.is_me && body.is_alive && !body.is_vehicle
}

fn report_scene(scene: &GameScene, state: &mut PageState) {
    state.alive = scene.status.is_alive;
    state.health = scene.status.health;
    state.ammo = scene.status.ammo;
    state.scores = scene.scores;
}

fn report_server(live: &Live, state: &mut PageState) {
    state.draws_naively = live.hit_counts.drawn_as() == DrawnAs::Naive;
    state.hit_counts = [DrawnAs::Reckoning, DrawnAs::Naive].map(|it| {
        let HitCount { shots, hits } = live.hit_counts.count(it);
        [shots, hits]
    });
    state.tuning = live.tuning.map(|it| TuningState {
        planner: it.model.name(),
        threshold_px: it.threshold_px,
        policy: it.policy as u8,
        budget_percent: it.budget_percent,
        weights: it.weights as u8,
        near: shown_name(it.near_delayed),
        far: shown_name(it.far_delayed),
    });
    state.own_planner = live.own_planner();
    state.clock = if live.is_per_hop { "per-hop" } else { "common" };
    state.hits = if live.judges_the_past() { "past" } else { "present" };
    let worth = live.worth.as_ref();
    let of = |choice: ModelChoice| {
        let Worth { error, updates } = worth_of(worth?, choice)?;
        Some((choice.name(), WorthState { error, updates }))
    };
    state.worth = ModelChoice::ALL.into_iter().filter_map(of).collect();
    state.account = live.accounts.map(|it| AccountState {
        confirmed: it.confirmed,
        estimated: it.estimated,
        listeners: it.listeners,
        least: it.spread[0],
        mean: it.spread[1],
        most: it.spread[2],
    });
}

fn vehicle_state(body: &SceneBody) -> VehicleState {
    let (x, y, driven) = (body.shown.x, body.shown.y, body.has_driver);
    VehicleState { entity: body.entity, x, y, driven }
}

fn ghost_state(body: &SceneBody) -> GhostState {
    GhostState {
        entity: body.entity,
        player: body.player,
        x: body.shown.x,
        y: body.shown.y,
        name: body.name.clone(),
        team: body.team,
        bot: body.is_bot,
        delayed: body.is_delayed,
    }
}
