//! The comparison view: one player four ways, side by side.

use reckoning::DVec3;
use web_sys::CanvasRenderingContext2d as Pen;

use super::ground::Backdrop;
use super::palette::Palette;
use super::{Brush, Picture};
use crate::camera::Camera;
use crate::scene::SceneBody;

/// The space between two windows, and at the rim.
const GAP: f64 = 10.0;
/// What a window shows, in radii of a body.
const VIEW_RADII: f64 = 22.0;

/// A window: what it is called, what it shows, in which colour.
type Window<'a> = (&'static str, Option<DVec3>, &'a str);

/// Draws the four windows; `below` them is room for what lies over the arena.
pub fn draw_compare(
    picture: &Picture<'_>,
    target: &SceneBody,
    backdrop: &mut Backdrop,
    (below, dpr): (f64, f64),
) {
    let [width, height] = picture.camera.size;
    let height = height - below;
    let centre = target.truth.unwrap_or(target.shown);
    let colours = picture.colours;
    let windows: [Window<'_>; 4] = [
        ("Truth", target.truth, colours.truth),
        ("Reckoning", Some(target.shown), colours.ghost),
        ("Naive: newest position", target.naive, colours.naive),
        ("Interpolation, 100 ms back", target.interpolated, colours.interpolated),
    ];
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
    for (number, window) in windows.iter().enumerate() {
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
        draw_window(picture, &camera, target, window);
        pen.restore();
    }
}

fn draw_window(picture: &Picture<'_>, camera: &Camera, target: &SceneBody, window: &Window<'_>) {
    let (title, place, colour) = *window;
    let (pen, colours) = (picture.pen, picture.colours);
    let brush = Brush { pen, camera, colours, radius_px: picture.ground.radius_px };
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
    let wide = pen.measure_text(title).map_or(0.0, |it| it.width());
    let short = title.split([':', ',']).next().filter(|_| wide > camera.size[0] - 24.0);
    label(pen, short.unwrap_or(title), 26.0, colours);
    pen.set_font("13px system-ui, sans-serif");
    pen.set_fill_style_str(colours.text);
    let said = match (place, target.truth) {
        (Some(place), Some(truth)) if title != "Truth" => {
            format!("{:.0} px off", place.distance(truth))
        }
        (Some(_), _) => target.name.clone(),
        _ => "nothing received".to_string(),
    };
    label(pen, &said, 46.0, colours);
}

/// A line with a halo, as walls may be under it.
fn label(pen: &Pen, text: &str, y: f64, colours: &Palette) {
    pen.set_stroke_style_str(colours.text_halo);
    pen.set_line_width(3.0);
    let _ = pen.stroke_text(text, 14.0, y);
    let _ = pen.fill_text(text, 14.0, y);
}
