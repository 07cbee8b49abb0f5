//! The level: drawn once onto a canvas that is larger than the window, and copied from there
//! until the window leaves it.

use reckoning::DVec3;
use reckoning_arena::{BodyKind, ItemKind, Level};
use web_sys::{CanvasRenderingContext2d as Pen, HtmlCanvasElement};

use super::bodies::Brush;
use super::palette::Palette;
use super::sprite_cache::{SpriteCache, SpriteKey};
use crate::camera::Camera;
use crate::page::dom;

/// Where a level is too large for one canvas, it reaches this share of the window beyond each side.
const MARGIN: f64 = 0.3;
/// Lines of the floor, in pixels of the level; every fifth is strong.
const GRIDS_PX: [f64; 4] = [20.0, 40.0, 80.0, 160.0];
/// Lines of the grid are at least so far apart on the page.
const MIN_GRID: f64 = 22.0;

/// Where bodies are: a level, or only its extent for recordings from elsewhere.
#[derive(Debug)]
pub struct Ground {
    pub level: Option<Level>,
    pub size: DVec3,
    pub radius_px: f64,
}

impl Ground {
    pub fn from_level(level: Level) -> Self {
        let (size, radius_px) = (level.size_px(), level.file().body.radius_px);
        Self { level: Some(level), size, radius_px }
    }

    /// What a player sees around itself.
    pub fn view_px(&self) -> [f64; 2] {
        let level = self.level.as_ref();
        level.map_or([self.size.x, self.size.y], |it| it.file().view_px)
    }

    /// Whether its bodies turn before they go.
    pub fn is_tank(&self) -> bool {
        self.level.as_ref().is_some_and(|it| it.file().body.kind == BodyKind::Tank)
    }

    /// The most health there is.
    pub fn most_health(&self) -> f64 {
        self.level.as_ref().map_or(1.0, |it| it.file().rules.health)
    }

    /// The way a body cannot make between two pictures.
    pub fn leap_px(&self) -> f64 {
        self.radius_px * 8.0
    }
}

/// The drawn level.
#[derive(Debug)]
pub struct Backdrop {
    canvas: HtmlCanvasElement,
    pen: Pen,
    /// What it shows, and for which theme and screen.
    drawn: Option<(Camera, Palette, f64)>,
}

/// What phones allow a canvas to have.
const MAX_PIXELS: f64 = 16e6;

impl Backdrop {
    pub fn new() -> Option<Self> {
        let canvas = dom::new_canvas()?;
        let pen = dom::pen_of(&canvas)?;
        Some(Self { canvas, pen, drawn: None })
    }

    /// Copies what the camera sees to where the pen's origin is.
    pub fn copy(
        &mut self,
        to: &Pen,
        camera: &Camera,
        ground: &Ground,
        colours: &Palette,
        dpr: f64,
    ) {
        if !self.covers(camera, colours, dpr) {
            self.draw(camera, ground, colours, dpr);
        }
        let Some((drawn, ..)) = &self.drawn else { return };
        let [x, y] = drawn.to_page(camera.to_level(0.0, 0.0));
        let [width, height] = camera.size;
        // Whole device pixels, so that the copy is as sharp as the original.
        let snap = |value: f64| (value * dpr).round();
        let _ = to.draw_image_with_html_canvas_element_and_sw_and_sh_and_dx_and_dy_and_dw_and_dh(
            &self.canvas,
            snap(x),
            snap(y),
            snap(width),
            snap(height),
            0.0,
            0.0,
            width,
            height,
        );
    }

    fn covers(&self, camera: &Camera, colours: &Palette, dpr: f64) -> bool {
        let Some((drawn, theme, drawn_dpr)) = &self.drawn else { return false };
        let [left, top] = drawn.to_page(camera.to_level(0.0, 0.0));
        let [right, bottom] = drawn.to_page(camera.to_level(camera.size[0], camera.size[1]));
        theme == colours
            && *drawn_dpr == dpr
            && (drawn.zoom - camera.zoom).abs() < 1e-9
            && left >= 0.0
            && top >= 0.0
            && right <= drawn.size[0]
            && bottom <= drawn.size[1]
    }

    fn draw(&mut self, camera: &Camera, ground: &Ground, colours: &Palette, dpr: f64) {
        let wide = camera.backdrop(ground.size, MARGIN, MAX_PIXELS / (dpr * dpr));
        let device = wide.size.map(|it| (it * dpr).ceil() as u32);
        if self.canvas.width() != device[0] || self.canvas.height() != device[1] {
            self.canvas.set_width(device[0]);
            self.canvas.set_height(device[1]);
        }
        let _ = self.pen.set_transform(dpr, 0.0, 0.0, dpr, 0.0, 0.0);
        draw_floor(&self.pen, &wide, ground, colours);
        if let Some(level) = &ground.level {
            draw_spawns(&self.pen, &wide, level, colours);
            draw_walls(&self.pen, &wide, level, colours);
        }
        self.drawn = Some((wide, *colours, dpr));
    }
}

fn draw_floor(pen: &Pen, camera: &Camera, ground: &Ground, colours: &Palette) {
    pen.set_fill_style_str(colours.outside);
    pen.fill_rect(0.0, 0.0, camera.size[0], camera.size[1]);
    let [left, top] = camera.to_page(DVec3::ZERO);
    let [right, bottom] = camera.to_page(ground.size);
    let (width, height) = (right - left, bottom - top);
    pen.set_shadow_color(colours.shadow);
    pen.set_shadow_blur(30.0);
    pen.set_fill_style_str(colours.floor);
    pen.fill_rect(left, top, width, height);
    pen.set_shadow_blur(0.0);
    pen.set_shadow_color("transparent");
    let glow = pen.create_radial_gradient(
        left + 0.5 * width,
        top + 0.5 * height,
        0.0,
        left + 0.5 * width,
        top + 0.5 * height,
        0.6 * width.max(height),
    );
    if let Ok(glow) = glow {
        let _ = glow.add_color_stop(0.0, colours.floor);
        let _ = glow.add_color_stop(1.0, colours.floor_far);
        pen.set_fill_style_canvas_gradient(&glow);
        pen.fill_rect(left, top, width, height);
    }
    draw_grid(pen, camera, ground, colours);
    pen.set_stroke_style_str(colours.wall);
    pen.set_line_width((6.0 * camera.zoom).max(2.0));
    pen.stroke_rect(left, top, width, height);
}

fn draw_grid(pen: &Pen, camera: &Camera, ground: &Ground, colours: &Palette) {
    let step = GRIDS_PX.into_iter().find(|it| it * camera.zoom >= MIN_GRID).unwrap_or(320.0);
    let first = camera.to_level(0.0, 0.0).max(DVec3::ZERO);
    let last = camera.to_level(camera.size[0], camera.size[1]).min(ground.size);
    pen.set_line_width(1.0);
    for strong in [false, true] {
        pen.set_stroke_style_str(if strong { colours.grid_strong } else { colours.grid });
        pen.begin_path();
        let lines = |from: f64, to: f64, line: &dyn Fn(f64)| {
            let mut number = (from / step).ceil() as i64;
            while number as f64 * step <= to {
                if (number % 5 == 0) == strong {
                    line(number as f64 * step);
                }
                number += 1;
            }
        };
        let half = |value: f64| value.round() + 0.5;
        lines(first.x, last.x, &|x| {
            let [x, top] = camera.to_page(DVec3::new(x, first.y, 0.0));
            pen.move_to(half(x), top);
            pen.line_to(half(x), camera.to_page(last)[1]);
        });
        lines(first.y, last.y, &|y| {
            let [left, y] = camera.to_page(DVec3::new(first.x, y, 0.0));
            pen.move_to(left, half(y));
            pen.line_to(camera.to_page(last)[0], half(y));
        });
        pen.stroke();
    }
}

fn draw_spawns(pen: &Pen, camera: &Camera, level: &Level, colours: &Palette) {
    let radius = level.file().body.radius_px * 1.5 * camera.zoom;
    for spawn in &level.file().spawns {
        let [x, y] = camera.to_page(DVec3::new(spawn.at[0], spawn.at[1], 0.0));
        let colour = spawn.team.map_or(colours.muted, |it| colours.teams[usize::from(it % 2)].0);
        pen.set_global_alpha(0.22);
        pen.set_stroke_style_str(colour);
        pen.set_line_width(1.5);
        pen.begin_path();
        let _ = pen.arc(x, y, radius, 0.0, std::f64::consts::TAU);
        pen.stroke();
    }
    pen.set_global_alpha(1.0);
}

/// Walls as blocks lit from the upper left: a soft shadow, a top, a light and a dark rim.
fn draw_walls(pen: &Pen, camera: &Camera, level: &Level, colours: &Palette) {
    let height = (9.0 * camera.zoom).clamp(2.0, 10.0);
    pen.set_line_join("round");
    pen.set_line_cap("round");
    for solid in level.walls().solids() {
        let points: Vec<[f64; 2]> = solid.iter().map(|it| camera.to_page(*it)).collect();
        outline(pen, &points);
        pen.set_shadow_color(colours.shadow);
        pen.set_shadow_blur(height * 2.2);
        pen.set_shadow_offset_x(height * 0.7);
        pen.set_shadow_offset_y(height);
        let top = points.iter().fold(f64::INFINITY, |most, it| most.min(it[1]));
        let bottom = points.iter().fold(f64::NEG_INFINITY, |most, it| most.max(it[1]));
        let face = pen.create_linear_gradient(0.0, top, 0.0, bottom);
        let _ = face.add_color_stop(0.0, colours.wall);
        let _ = face.add_color_stop(1.0, colours.wall_low);
        pen.set_fill_style_canvas_gradient(&face);
        pen.fill();
        no_shadow(pen);
        draw_rims(pen, &points, height, colours);
    }
    for wall in &level.file().segments {
        let points = [wall.from, wall.to].map(|it| camera.to_page(DVec3::new(it[0], it[1], 0.0)));
        pen.set_shadow_color(colours.shadow);
        pen.set_shadow_blur(height * 1.5);
        pen.set_shadow_offset_y(height * 0.6);
        line(pen, points, (5.0 * camera.zoom).max(2.5), colours.wall);
        no_shadow(pen);
        let lit = points.map(|it| [it[0] - 0.5, it[1] - 0.5]);
        line(pen, lit, 1.0, colours.wall_light);
    }
}

/// Edges that face the light are bright, the others dark.
fn draw_rims(pen: &Pen, points: &[[f64; 2]], height: f64, colours: &Palette) {
    pen.save();
    outline(pen, points);
    pen.clip();
    let middle = points.iter().fold([0.0, 0.0], |sum, it| [sum[0] + it[0], sum[1] + it[1]]);
    let middle = middle.map(|it| it / points.len() as f64);
    for (at, from) in points.iter().enumerate() {
        let to = points[(at + 1) % points.len()];
        let outward = [0.5 * (from[0] + to[0]) - middle[0], 0.5 * (from[1] + to[1]) - middle[1]];
        let along = [to[0] - from[0], to[1] - from[1]];
        let mut normal = [along[1], -along[0]];
        if normal[0] * outward[0] + normal[1] * outward[1] < 0.0 {
            normal = normal.map(|it| -it);
        }
        let is_lit = normal[0] * 0.6 + normal[1] < 0.0;
        let colour = if is_lit { colours.wall_light } else { colours.wall_dark };
        line(pen, [*from, to], if is_lit { 2.0 } else { height * 0.7 }, colour);
    }
    pen.restore();
}

fn outline(pen: &Pen, points: &[[f64; 2]]) {
    pen.begin_path();
    for (at, [x, y]) in points.iter().enumerate() {
        if at == 0 { pen.move_to(*x, *y) } else { pen.line_to(*x, *y) }
    }
    pen.close_path();
}

fn line(pen: &Pen, points: [[f64; 2]; 2], width: f64, colour: &str) {
    pen.set_stroke_style_str(colour);
    pen.set_line_width(width);
    pen.begin_path();
    pen.move_to(points[0][0], points[0][1]);
    pen.line_to(points[1][0], points[1][1]);
    pen.stroke();
}

fn no_shadow(pen: &Pen) {
    pen.set_shadow_color("transparent");
    pen.set_shadow_blur(0.0);
    pen.set_shadow_offset_x(0.0);
    pen.set_shadow_offset_y(0.0);
}

/// Items that lie there and turrets, which may change from frame to frame.
pub fn draw_things(
    brush: &Brush<'_>,
    level: &Level,
    items: u64,
    time_s: f64,
    sprites: &mut SpriteCache,
) {
    let Brush { pen, camera, colours, radius_px } = *brush;
    let radius = (radius_px * 0.62 * camera.zoom).max(4.5);
    for (number, item) in level.file().items.iter().enumerate().take(64) {
        let place = DVec3::new(item.at[0], item.at[1], 0.0);
        if !camera.shows(place, 40.0) {
            continue;
        }
        let is_there = items >> number & 1 == 1;
        let glow = 0.88 + 0.12 * libm::sin(time_s * 3.0 + number as f64);
        pen.set_global_alpha(if is_there { glow } else { 0.18 });
        let is_health = item.kind == ItemKind::Health;
        let colour = if is_health { colours.health } else { colours.ammo };
        let size = || [2.0 * radius + 4.0; 2];
        sprites.put(pen, &SpriteKey::Item { is_health }, camera.to_page(place), size, |pen| {
            draw_item(pen, [0.0; 2], radius, item.kind, colour);
        });
    }
    pen.set_global_alpha(1.0);
    let radius = (14.0 * camera.zoom).max(4.0);
    for turret in &level.file().turrets {
        let place = DVec3::new(turret.at[0], turret.at[1], 0.0);
        if camera.shows(place, 40.0) {
            let size = || [2.0 * radius + 4.0; 2];
            sprites.put(pen, &SpriteKey::Turret, camera.to_page(place), size, |pen| {
                draw_turret(pen, [0.0; 2], radius, colours);
            });
        }
    }
}

fn draw_item(pen: &Pen, [x, y]: [f64; 2], radius: f64, kind: ItemKind, colour: &str) {
    pen.set_stroke_style_str(colour);
    pen.set_fill_style_str(colour);
    pen.set_line_width(1.5);
    pen.begin_path();
    let _ = pen.arc(x, y, radius, 0.0, std::f64::consts::TAU);
    pen.stroke();
    let (long, thick) = (radius * 1.1, radius * 0.36);
    match kind {
        ItemKind::Health => {
            pen.fill_rect(x - 0.5 * long, y - 0.5 * thick, long, thick);
            pen.fill_rect(x - 0.5 * thick, y - 0.5 * long, thick, long);
        }
        ItemKind::Ammo => {
            for shift in [-0.42, 0.0, 0.42] {
                let left = x + shift * radius - 0.5 * thick * 0.8;
                pen.fill_rect(left, y - 0.45 * radius, thick * 0.8, radius * 0.9);
            }
        }
    }
}

fn draw_turret(pen: &Pen, [x, y]: [f64; 2], radius: f64, colours: &Palette) {
    pen.set_fill_style_str(colours.wall);
    pen.set_stroke_style_str(colours.hurt);
    pen.set_line_width(2.0);
    pen.begin_path();
    let _ = pen.arc(x, y, radius, 0.0, std::f64::consts::TAU);
    pen.fill();
    pen.stroke();
    pen.set_fill_style_str(colours.hurt);
    pen.begin_path();
    let _ = pen.arc(x, y, radius * 0.4, 0.0, std::f64::consts::TAU);
    pen.fill();
}
