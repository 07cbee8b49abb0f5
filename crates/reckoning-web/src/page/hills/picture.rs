//! What is drawn of the hills in a frame: one picture, or four to compare.

use reckoning::ground::Pose;
use reckoning_arena::hills::HillsLevel;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d as Pen, HtmlCanvasElement};

use super::overlay::{self, Overlay};
use super::{HillsGame, HillsSource};
use crate::controls::{Controls, ViewMode};
use crate::headline::SettledErrors;
use crate::hills::aiming::first_seen;
use crate::hills::colours::{DARK, HillsColours, LIGHT};
use crate::hills::frame::{Frame, Layers};
use crate::hills::stance::{HillsBody, Stance};
use crate::hills::view::{CameraMode, HillsCamera};
use crate::hills_gl::HillsRenderer;
use crate::meter::DisplayMethod;
use crate::page::draw::Palette;
use crate::page::{dom, panel};

/// In the comparison, what is further away from its middle is not drawn.
const COMPARED_M: f64 = 220.0;
/// The space between two pictures of the comparison.
const GAP: f64 = 4.0;
/// The comparison looks from nearer.
const COMPARE_ZOOM: f64 = 1.25;

/// Canvas, renderer, and lists that are used again.
pub struct Painter {
    canvas: HtmlCanvasElement,
    renderer: HillsRenderer,
    frame: Frame,
    compare: HillsCamera,
    size: [f64; 2],
    ratio: f64,
    /// Pictures side by side in the last frame.
    pub panes: u8,
    /// Where the barrel points, on the page.
    pub crosshair: Option<[f64; 2]>,
    sights: overlay::Sights,
}

impl Painter {
    pub fn new(level: &HillsLevel) -> Result<Self, String> {
        let canvas: HtmlCanvasElement = dom::element("hills")
            .and_then(|it| it.dyn_into().ok())
            .ok_or("the page has no canvas for the hills")?;
        let renderer = HillsRenderer::new(&canvas, level)?;
        let mut compare = HillsCamera::default();
        (compare.is_calm, compare.zoom) = (dom::is_calm(), COMPARE_ZOOM);
        Ok(Self {
            canvas,
            renderer,
            frame: Frame::default(),
            compare,
            size: [1.0, 1.0],
            ratio: 1.0,
            panes: 0,
            crosshair: None,
            sights: overlay::Sights::default(),
        })
    }

    pub const fn size(&self) -> [f64; 2] {
        self.size
    }

    fn device(&self, [x, y, width, height]: [f64; 4]) -> [i32; 4] {
        [x, y, width, height].map(|it| (it * self.ratio).round() as i32)
    }
}

/// One way to show others.
struct Pane {
    title: &'static str,
    of: fn(&HillsBody) -> Option<Stance>,
}

const NOTHING: &str = "nothing received";

const PANES: [Pane; 4] = [
    Pane { title: "Truth", of: |it| it.truth },
    Pane { title: "Reckoning", of: |it| Some(it.shown) },
    Pane { title: "Naive: newest position", of: |it| it.naive },
    Pane { title: "Interpolation", of: |it| it.interpolated },
];

impl HillsGame {
    /// The window or the theme changed.
    pub fn measure_canvas(&mut self, size: [f64; 2], dpr: f64) {
        let painter = &mut self.painter;
        let ratio = painter.renderer.pixel_ratio(dpr);
        let device = size.map(|it| (it * ratio).round() as u32);
        if [painter.canvas.width(), painter.canvas.height()] != device {
            painter.renderer.resize(device[0], device[1]);
        }
        (painter.size, painter.ratio) = (size, ratio);
        self.camera.is_calm = dom::is_calm();
    }

    /// Draws the frame, and over it names and marks.
    pub fn draw(&mut self, pen: &Pen, colours: &Palette, controls: &Controls, dt_s: f64) {
        let [width, height] = self.painter.size;
        pen.clear_rect(0.0, 0.0, width, height);
        let theme = if panel::is_light() { &LIGHT } else { &DARK };
        let target = match controls.view {
            ViewMode::Compare => self.target(),
            ViewMode::Arena => None,
        };
        match target.and_then(|it| self.bodies().get(&it).cloned()) {
            Some(target) => self.draw_compare(pen, colours, theme, &target, dt_s),
            None => self.draw_one(pen, colours, theme, controls),
        }
    }

    fn draw_one(
        &mut self,
        pen: &Pen,
        colours: &Palette,
        theme: &HillsColours,
        controls: &Controls,
    ) {
        let Self { from, painter, level, view, now, .. } = self;
        let (bodies, effects, scene) = match from {
            HillsSource::Live(live) => (live.bodies.all(), Some(&live.effects), Some(&live.scene)),
            HillsSource::Replay(replay) => (&replay.bodies, None, None),
        };
        let overlays = controls.overlays;
        let layers = Layers { ghost: overlays.ghost, truth: overlays.truth, naive: overlays.naive };
        let frame = &mut painter.frame;
        frame.clear();
        for body in bodies.values() {
            frame.add_body(body, layers, theme, level.ground().as_ref(), now.as_secs_f64());
        }
        if let Some(effects) = effects {
            effects.add_to(frame, *now, theme);
        }
        let [width, height] = painter.size;
        let viewport = painter.device([0.0, 0.0, width, height]);
        painter.renderer.draw(view, &painter.frame, theme, viewport);
        painter.panes = 1;
        let overlay = Overlay { pen, colours, view, now: *now };
        overlay.bodies(bodies, scene, &mut painter.sights, level, overlays.errors);
        self.painter.crosshair = self.barrel_on_page();
        overlay::crosshair(pen, colours, self.painter.crosshair);
    }

    /// Where the barrel really points, on the page.
    fn barrel_on_page(&self) -> Option<[f64; 2]> {
        let HillsSource::Live(live) = &self.from else { return None };
        let driver = live.own.driver.as_ref().filter(|_| live.scene.status.is_alive)?;
        if self.camera.mode == CameraMode::Free {
            return None;
        }
        let (from, along) = driver.body().muzzle()?;
        let range_m = self.level.file().gun.range_m;
        let others = live.bodies.all().values();
        let struck = first_seen(from, along, range_m, others, &self.level);
        self.view.to_page(struck).map(|it| it.0)
    }

    fn draw_compare(
        &mut self,
        pen: &Pen,
        colours: &Palette,
        theme: &HillsColours,
        target: &HillsBody,
        dt_s: f64,
    ) {
        let pose = target.truth.unwrap_or(target.shown).pose;
        let below = if matches!(self.from, HillsSource::Replay(_)) { 76.0 } else { 0.0 };
        let [width, height] = self.painter.size;
        let height = height - below;
        let columns = if width > height * 2.4 { 4.0 } else { 2.0 };
        let rows: f64 = 4.0 / columns;
        let size =
            [(width - GAP * (columns - 1.0)) / columns, (height - GAP * (rows - 1.0)) / rows];
        let ground = self.level.ground().as_ref();
        let view = self.painter.compare.view(&pose, ground, size, dt_s);
        for (number, pane) in PANES.iter().enumerate() {
            let column = number as f64 % columns;
            let row = (number as f64 / columns).floor();
            let at = [column * (size[0] + GAP), row * (size[1] + GAP), size[0], size[1]];
            self.fill_pane(pane, target, theme, &pose);
            let viewport = self.painter.device(at);
            self.painter.renderer.draw(&view, &self.painter.frame, theme, viewport);
            let is_known = (pane.of)(target).is_some();
            let said = if is_known { self.said(number, target) } else { NOTHING.to_string() };
            let title = if number == 3 { &self.facts.title() } else { pane.title };
            overlay::pane_title(pen, colours, number, at, [title, &said]);
        }
        self.painter.panes = 4;
        self.painter.crosshair = None;
    }

    /// The line under the title of a pane: the name, or how far off that way is.
    fn said(&self, pane: usize, target: &HillsBody) -> String {
        let Some(method) = pane.checked_sub(1).and_then(|it| DisplayMethod::ALL.get(it)) else {
            return target.name.clone();
        };
        let mean = |it: &SettledErrors| it.summary(self.now, *method).map(|it| it.mean_px);
        match self.compared.each_ref().map(mean) {
            [Some(apart_m), Some(turned_deg), Some(turret_deg)] => format!(
                "{apart_m:.2} m off, hull {turned_deg:.1}°, turret {turret_deg:.1}°, means of 5 s"
            ),
            _ => "measuring".to_string(),
        }
    }

    /// Everyone near, as one way shows them; the compared one also as it truly is.
    fn fill_pane(&mut self, pane: &Pane, target: &HillsBody, theme: &HillsColours, pose: &Pose) {
        let Self { from, painter, level, now, .. } = self;
        let bodies = match from {
            HillsSource::Live(live) => live.bodies.all(),
            HillsSource::Replay(replay) => &replay.bodies,
        };
        let frame = &mut painter.frame;
        frame.clear();
        let near = |it: &&HillsBody| {
            it.is_alive && it.shown.pose.position.distance(pose.position) < COMPARED_M
        };
        for body in bodies.values().filter(near) {
            let stance = if body.is_me { Some(body.shown) } else { (pane.of)(body) };
            let Some(stance) = stance else { continue };
            let team = theme.teams[usize::from(body.team.min(2))];
            frame.add_stance(body, &stance, team, 1.0, now.as_secs_f64());
            frame.add_shadow(body.craft, &stance, level.ground().as_ref());
        }
        if let Some(truth) = target.truth.filter(|_| pane.title != "Truth") {
            frame.add_wire(target.craft, &truth, theme.truth);
        }
    }
}
