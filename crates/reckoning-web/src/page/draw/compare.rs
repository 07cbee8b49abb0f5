//! The comparison view: one player four ways, side by side.

use web_sys::CanvasRenderingContext2d as Pen;

use super::ground::Backdrop;
use super::{Brush, Palette, Picture};
use crate::camera::Camera;
use crate::compared::{Compared, Trail, Window};
use crate::comparison::InterpolationFacts;
use crate::meter::DisplayMethod;
use crate::scene::SceneBody;

/// The space between two windows, and at the rim.
const GAP: f64 = 10.0;
/// What a window shows, in radii of a body.
const VIEW_RADII: f64 = 22.0;

/// What is compared besides where the target is shown.
pub struct Comparison<'a> {
    pub compared: &'a Compared,
    pub facts: InterpolationFacts,
    /// Room under the windows for what lies over the arena.
    pub below: f64,
}

/// Draws the four windows.
pub fn draw_compare(
    picture: &Picture<'_>,
    target: &SceneBody,
    comparison: &Comparison<'_>,
    backdrop: &mut Backdrop,
    dpr: f64,
) {
    let below = comparison.below;
    let [width, height] = picture.camera.size;
    let height = height - below;
    let centre = target.truth.unwrap_or(target.shown);
    let colours = picture.colours;
    let columns = if width > height * 2.4 { 4.0 } else { 2.0 };
    let rows: f64 = 4.0 / columns;
    let top = 56.0;
    let size = [
        ((width - GAP * (columns + 1.0)) / columns).floor(),
        ((height - top - GAP * rows) / rows).floor(),
    ];
    let zoom = size[0].min(size[1]) / (VIEW_RADII * picture.ground.radius_px);
    let camera = Camera { centre, zoom, size };
    picture.pen.set_fill_style_str(colours.outside);
    picture.pen.fill_rect(0.0, 0.0, width, height + below);
    for (number, window) in Window::ALL.into_iter().enumerate() {
        let column = number as f64 % columns;
        let row = (number as f64 / columns).floor();
        let left = GAP + column * (size[0] + GAP);
        let above = top + row * (size[1] + GAP);
        let pen = picture.pen;
        pen.save();
        let _ = pen.translate(left, above);
        pen.begin_path();
        pen.rect(0.0, 0.0, size[0], size[1]);
        pen.clip();
        backdrop.copy(pen, &camera, picture.ground, colours, dpr);
        draw_trail(picture, &camera, comparison.compared.trail(number), colour_of(window, colours));
        draw_window(picture, &camera, (target, window), comparison);
        pen.restore();
    }
}

const fn colour_of(window: Window, colours: &Palette) -> &str {
    match window {
        Window::Truth => colours.truth,
        Window::Shown(DisplayMethod::Reckoning) => colours.ghost,
        Window::Shown(DisplayMethod::Naive) => colours.naive,
        Window::Shown(DisplayMethod::Interpolation) => colours.interpolated,
    }
}

/// Where it was in the last second.
fn draw_trail(picture: &Picture<'_>, camera: &Camera, trail: &Trail, colour: &str) {
    let pen = picture.pen;
    pen.begin_path();
    for (number, place) in trail.places().enumerate() {
        let [x, y] = camera.to_page(place);
        if number == 0 { pen.move_to(x, y) } else { pen.line_to(x, y) }
    }
    pen.set_stroke_style_str(colour);
    pen.set_line_width(2.5);
    pen.set_line_join("round");
    pen.set_global_alpha(0.6);
    pen.stroke();
    pen.set_global_alpha(1.0);
}

fn draw_window(
    picture: &Picture<'_>,
    camera: &Camera,
    (target, window): (&SceneBody, Window),
    comparison: &Comparison<'_>,
) {
    let (pen, colours) = (picture.pen, picture.colours);
    let colour = colour_of(window, colours);
    let brush = Brush { pen, camera, colours, radius_px: picture.ground.radius_px };
    let place = window.place(target);
    if let Some(place) = place {
        brush.body(target, place, false);
        if let Some(truth) = target.truth.filter(|it| it.distance(place) > 0.5) {
            brush.truth(target, truth);
            brush.error_bars(std::iter::once((place, truth)), colour);
        }
    }
    pen.set_text_align("left");
    pen.set_text_baseline("alphabetic");
    pen.set_font("600 13px system-ui, sans-serif");
    pen.set_fill_style_str(colour);
    pen.fill_rect(0.0, 0.0, camera.size[0], 3.0);
    let room = camera.size[0] - 24.0;
    label(pen, fitting(pen, &title(window, comparison), room), 26.0, colours);
    pen.set_font("13px system-ui, sans-serif");
    pen.set_fill_style_str(colours.text);
    let said = match (window, place) {
        (_, None) => "nothing received".to_string(),
        (Window::Truth, _) => target.name.clone(),
        (Window::Shown(method), _) => comparison.compared.said(picture.now, method),
    };
    label(pen, fitting(pen, &said, room), 46.0, colours);
    if let Some(best) = best_case(window, picture, comparison) {
        label(pen, fitting(pen, &best, room), 66.0, colours);
    }
}

/// The text, or where that is too wide the part of it that says most.
fn fitting<'a>(pen: &Pen, text: &'a str, room: f64) -> &'a str {
    let wide = pen.measure_text(text).map_or(0.0, |it| it.width());
    if wide <= room { text } else { text.split([':', ',']).next().unwrap_or(text) }
}

/// A line with a halo, as walls may be under it.
fn label(pen: &Pen, text: &str, y: f64, colours: &Palette) {
    pen.set_stroke_style_str(colours.text_halo);
    pen.set_line_width(3.0);
    let _ = pen.stroke_text(text, 14.0, y);
    let _ = pen.fill_text(text, 14.0, y);
}

fn title(window: Window, comparison: &Comparison<'_>) -> String {
    match window {
        Window::Truth => "Truth".to_string(),
        Window::Shown(DisplayMethod::Reckoning) => "Reckoning".to_string(),
        Window::Shown(DisplayMethod::Naive) => "Naive: newest position".to_string(),
        Window::Shown(DisplayMethod::Interpolation) => comparison.facts.title(),
    }
}

/// How far off interpolation would be at best.
fn best_case(window: Window, picture: &Picture<'_>, comparison: &Comparison<'_>) -> Option<String> {
    let method = DisplayMethod::Interpolation;
    let compared = comparison.compared;
    compared.mean_px(picture.now, method).filter(|_| window == Window::Shown(method))?;
    let best = compared.best_px(picture.now);
    InterpolationFacts { best, ..comparison.facts }.best_case("px")
}
