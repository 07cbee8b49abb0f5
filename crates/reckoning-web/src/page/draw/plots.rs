//! Plots under the arena.

use web_sys::HtmlCanvasElement;

use super::palette::Palette;
use crate::page::dom;
use crate::plot::{Series, axis_end, short};

/// Below this there is no room for a curve.
const MIN_HEIGHT: f64 = 20.0;

/// How curves are drawn, to be told apart without their colours: lengths of ink and gap.
pub const WHOLE: &[f64] = &[];
pub const DASHED: &[f64] = &[6.0, 4.0];
pub const DOTTED: &[f64] = &[2.0, 3.0];

/// A curve with its colour and its dashes.
pub type Curve<'a> = (&'a Series, &'a str, &'a [f64]);

/// What a plot shows: all its curves, the important one last.
pub struct Curves<'a> {
    pub series: &'a [Curve<'a>],
}

/// Draws a plot to fill its canvas.
pub fn draw_plot(canvas: &HtmlCanvasElement, curves: &Curves<'_>, colours: &Palette, dpr: f64) {
    let (width, height) = (f64::from(canvas.client_width()), f64::from(canvas.client_height()));
    if height < MIN_HEIGHT {
        return; // it is hidden
    }
    let device = [width, height].map(|it| (it * dpr).round() as u32);
    if canvas.width() != device[0] || canvas.height() != device[1] {
        canvas.set_width(device[0]);
        canvas.set_height(device[1]);
    }
    let Some(pen) = dom::pen_of(canvas) else { return };
    let _ = pen.set_transform(dpr, 0.0, 0.0, dpr, 0.0, 0.0);
    pen.clear_rect(0.0, 0.0, width, height);
    let end = axis_end(curves.series.iter().fold(1.0, |most, it| it.0.largest().max(most)));
    let (left, top, bottom) = (30.0, 4.0, height - 2.0);
    pen.set_font("10px system-ui, sans-serif");
    pen.set_text_align("right");
    pen.set_text_baseline("middle");
    pen.set_fill_style_str(colours.muted);
    pen.set_stroke_style_str(colours.line);
    pen.set_line_width(1.0);
    pen.begin_path();
    for share in [0.0, 0.5, 1.0] {
        let y = (bottom - share * (bottom - top)).round() - 0.5;
        pen.move_to(left, y);
        pen.line_to(width, y);
        let _ = pen.fill_text(&short_axis(share * end), left - 6.0, y.clamp(6.0, height - 6.0));
    }
    pen.stroke();
    // Round joins of hundreds of points would cost more than all else in a frame.
    pen.set_line_join("bevel");
    for (series, colour, dashes) in curves.series {
        let dashes: js_sys::Array = dashes.iter().map(|it| js_sys::Number::from(*it)).collect();
        let _ = pen.set_line_dash(&dashes);
        pen.set_stroke_style_str(colour);
        pen.set_line_width(1.8);
        pen.begin_path();
        let mut is_first = true;
        for (from_right, value) in series.points() {
            let x = width - from_right * (width - left);
            let y = bottom - (value / end).min(1.0) * (bottom - top);
            if is_first {
                pen.move_to(x, y);
            } else {
                pen.line_to(x, y);
            }
            is_first = false;
        }
        pen.stroke();
    }
    let _ = pen.set_line_dash(&js_sys::Array::new());
}

/// Without the `.0` of whole numbers.
fn short_axis(value: f64) -> String {
    short(value).replace(".0", "")
}
