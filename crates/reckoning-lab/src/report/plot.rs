//! Shared parts of all charts: colours, markers, axes, and embedding in the page.
//!
//! plotters knows no style sheets, so text and axes are drawn in [`INK`], a colour nobody
//! else uses, which is then replaced by `currentColor`: the page decides, light or dark.

use std::error::Error;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::ReportError;
use super::html::escape;

/// Stands for the colour of the page's text.
pub(super) const INK: RGBColor = RGBColor(1, 2, 3);
const LABEL_PX: u32 = 13;
/// After Okabe and Ito, without the two that vanish on white or on black.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    INK,
];

/// A part of a drawing.
pub(crate) type Sheet<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(crate) type Chart<'a, 'b> =
    ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
pub(crate) type DrawResult = Result<(), Box<dyn Error>>;

/// How one predictor looks everywhere on the page: its colour, its marker and its dashes
/// together are its own for the first 42.
#[derive(Clone, Copy)]
pub(super) struct SeriesStyle {
    pub colour: RGBColor,
    marker: usize,
    dashed: bool,
}

impl SeriesStyle {
    pub fn from_index(index: usize) -> Self {
        let colour = COLOURS[index % COLOURS.len()];
        Self { colour, marker: index % 3, dashed: (index / COLOURS.len()) % 2 == 1 }
    }

    pub fn line(&self, width_px: u32) -> ShapeStyle {
        self.colour.stroke_width(width_px)
    }

    /// Draws a line in this look, without markers.
    pub fn draw_line(
        &self,
        chart: &mut Chart,
        points: Vec<(f64, f64)>,
        width_px: u32,
    ) -> DrawResult {
        if self.dashed {
            let style = self.line(width_px);
            chart.draw_series(DashedLineSeries::new(points, 5, 4, style))?;
        } else {
            chart.draw_series(LineSeries::new(points, self.line(width_px)))?;
        }
        Ok(())
    }

    /// Draws the markers of a line.
    pub fn draw_markers(&self, chart: &mut Chart, points: &[(f64, f64)]) -> DrawResult {
        let filled = self.colour.filled();
        let at = points.iter().copied();
        match self.marker {
            0 => drop(chart.draw_series(at.map(|at| Circle::new(at, 4, filled)))?),
            1 => drop(chart.draw_series(at.map(|at| TriangleMarker::new(at, 6, filled)))?),
            _ => drop(chart.draw_series(
                at.map(|at| EmptyElement::at(at) + Rectangle::new([(-4, -4), (4, 4)], filled)),
            )?),
        }
        Ok(())
    }

    /// A small picture of the look, for the legend.
    pub fn swatch(&self) -> String {
        let dash = if self.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        let marker = match self.marker {
            0 => "<circle cx=\"16\" cy=\"7\" r=\"4\"/>",
            1 => "<path d=\"M16 1l5.2 9h-10.4z\"/>",
            _ => "<path d=\"M12 3h8v8h-8z\"/>",
        };
        let RGBColor(red, green, blue) = self.colour;
        let svg = format!(
            "<svg width=\"32\" height=\"14\" viewBox=\"0 0 32 14\" aria-hidden=\"true\" \
             fill=\"#{red:02X}{green:02X}{blue:02X}\"><path d=\"M0 7h32\" fill=\"none\" \
             stroke=\"#{red:02X}{green:02X}{blue:02X}\" stroke-width=\"2\"{dash}/>{marker}</svg>"
        );
        inked(&svg)
    }
}

/// Draws one chart and fits it to the page. `name` is its label for screen readers.
pub(super) fn picture(
    name: &str,
    size_px: (u32, u32),
    draw: impl FnOnce(&Sheet) -> DrawResult,
) -> Result<String, ReportError> {
    let mut svg = String::new();
    let outcome = {
        let sheet = SVGBackend::with_string(&mut svg, size_px).into_drawing_area();
        draw(&sheet).and_then(|()| Ok(sheet.present()?))
    };
    outcome.map_err(|error| ReportError { chart: name.to_string(), reason: error.to_string() })?;
    let labelled = format!("<svg role=\"img\" aria-label=\"{}\" ", escape(name));
    let svg = svg.replacen("<svg ", &labelled, 1);
    Ok(inked(&svg.replace(" xmlns=\"http://www.w3.org/2000/svg\"", "")))
}

fn inked(svg: &str) -> String {
    svg.replace("\"#010203\"", "\"currentColor\"")
}

pub(super) fn font() -> TextStyle<'static> {
    // The family is the page's: its style sheet overrules this.
    ("sans-serif", LABEL_PX).into_text_style(&(100, 100)).color(&INK)
}

/// What the axes of a chart say and span.
pub(super) struct Axes<'a> {
    pub x: Range<f64>,
    pub y: Range<f64>,
    pub x_title: &'a str,
    pub y_title: &'a str,
}

pub(super) fn chart<'a, 'b>(
    sheet: &Sheet<'b>,
    axes: &Axes,
) -> Result<Chart<'a, 'b>, Box<dyn Error>> {
    let mut chart = ChartBuilder::on(sheet)
        .margin(6)
        .margin_right(14)
        .x_label_area_size(40)
        .y_label_area_size(58)
        .build_cartesian_2d(axes.x.clone(), axes.y.clone())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(INK.mix(0.12))
        .axis_style(INK.mix(0.5))
        .label_style(font())
        .axis_desc_style(font())
        .x_label_formatter(&|value| tick(*value))
        .y_label_formatter(&|value| tick(*value))
        .x_labels(8)
        .y_labels(6)
        .x_desc(axes.x_title)
        .y_desc(axes.y_title)
        .draw()?;
    Ok(chart)
}

/// A number on an axis, without zeros that say nothing.
pub(super) fn tick(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_string() } else { text.to_string() }
}

/// A range of the given length with the same middle.
pub(crate) fn about(range: &Range<f64>, length: f64) -> Range<f64> {
    let middle = 0.5 * (range.start + range.end);
    middle - 0.5 * length..middle + 0.5 * length
}

/// From zero to a little above the greatest.
pub(super) fn from_zero(values: impl Iterator<Item = f64>) -> Range<f64> {
    let most = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
    0.0..if most > 0.0 { most * 1.06 } else { 1.0 }
}

/// From the least to the greatest; never empty.
pub(super) fn span(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low < high {
        low..high
    } else if low == high {
        low - 0.5..high + 0.5
    } else {
        0.0..1.0
    }
}
