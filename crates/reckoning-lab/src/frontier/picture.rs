//! Picture of a frontier: a panel for each source and delay, both axes logarithmic.

use std::error::Error;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::method::Method;
use super::{Frontier, FrontierError, FrontierRow};

const PANEL_PX: (u32, u32) = (300, 230);
const HEAD_PX: u32 = 70;
const MARGIN_PX: i32 = 12;
const TEXT: RGBColor = RGBColor(40, 40, 40);
/// After Okabe and Ito; what is ours stands out.
const COLOURS: [(&str, RGBColor, u32); 6] = [
    ("default", RGBColor(213, 94, 0), 3),
    ("default-calm", RGBColor(230, 159, 0), 2),
    ("before", RGBColor(0, 114, 178), 2),
    ("codec", RGBColor(0, 158, 115), 2),
    ("interpolation", RGBColor(204, 121, 167), 2),
    ("naive", RGBColor(120, 120, 120), 2),
];
const OTHERS: [RGBColor; 3] =
    [RGBColor(86, 180, 233), RGBColor(90, 60, 150), RGBColor(150, 100, 40)];

type Sheet<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type DrawResult = Result<(), Box<dyn Error>>;

/// One curve: its family, and points of bytes and error.
struct Curve {
    family: String,
    points: Vec<(f64, f64)>,
}

/// The frontier as an SVG, with a row of panels for each source and a column for each delay.
///
/// # Errors
/// Says why it cannot be drawn.
pub fn frontier_picture(found: &Frontier) -> Result<String, FrontierError> {
    let (sources, delays) = (found.sources(), found.delays_ms());
    let size = (PANEL_PX.0 * delays.len() as u32, HEAD_PX + PANEL_PX.1 * sources.len() as u32);
    let mut svg = String::new();
    let drawn = {
        let sheet = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        draw(&sheet, found).and_then(|()| Ok(sheet.present()?))
    };
    drawn.map_err(|error| FrontierError::Picture(error.to_string()))?;
    // It scales to the page that shows it.
    let (width, height) = size;
    let fixed = format!("<svg width=\"{width}\" height=\"{height}\" ");
    Ok(svg.replacen(&fixed, "<svg ", 1))
}

fn draw(sheet: &Sheet<'_>, found: &Frontier) -> DrawResult {
    sheet.fill(&WHITE)?;
    let (head, body) = sheet.split_vertically(HEAD_PX);
    let families = families(found);
    draw_legend(&head, &families)?;
    let (sources, delays) = (found.sources(), found.delays_ms());
    let panels = body.split_evenly((sources.len(), delays.len()));
    for (number, panel) in panels.iter().enumerate() {
        let (source, delay_ms) = (sources[number / delays.len()], delays[number % delays.len()]);
        let own = |row: &&FrontierRow| row.source == source;
        let rows: Vec<&FrontierRow> = found.rows.iter().filter(own).collect();
        let axes = [
            around(rows.iter().map(|row| row.bytes_per_s_with_headers)),
            around(rows.iter().map(|row| row.error_widths)),
        ];
        let last = number / delays.len() + 1 == sources.len();
        let named = (number.is_multiple_of(delays.len()), last);
        let title = format!("{source}, {delay_ms} ms");
        let here = rows.into_iter().filter(|row| row.delay_ms == delay_ms);
        draw_panel(panel, &title, axes, named, &curves(here, &families), &families)?;
    }
    Ok(())
}

fn draw_legend(head: &Sheet<'_>, families: &[String]) -> DrawResult {
    let title = ("sans-serif", 17).into_text_style(head).color(&TEXT);
    let heading = "Mean error on screen (body widths) against bytes per second and body";
    head.draw(&Text::new(heading, (MARGIN_PX, 10), title))?;
    let small = ("sans-serif", 14).into_text_style(head).color(&TEXT);
    let mut x = MARGIN_PX;
    for family in families {
        let (colour, width) = look(family, families);
        let line = [(x, 50), (x + 26, 50)];
        head.draw(&PathElement::new(line.to_vec(), colour.stroke_width(width)))?;
        head.draw(&Circle::new((x + 13, 50), 4, colour.filled()))?;
        head.draw(&Text::new(family.clone(), (x + 32, 43), small.clone()))?;
        x += 32 + 9 * i32::try_from(family.len()).unwrap_or(0) + 24;
    }
    Ok(())
}

fn draw_panel(
    panel: &Sheet<'_>,
    title: &str,
    [bytes, errors]: [Range<f64>; 2],
    (first, last): (bool, bool),
    curves: &[Curve],
    families: &[String],
) -> DrawResult {
    let mut chart = ChartBuilder::on(panel)
        .margin(6)
        .margin_right(14)
        .caption(title, ("sans-serif", 14).into_font().color(&TEXT))
        .x_label_area_size(34)
        .y_label_area_size(if first { 46 } else { 30 })
        .build_cartesian_2d(bytes.log_scale(), errors.log_scale())?;
    let label = ("sans-serif", 12).into_font().color(&TEXT);
    let mut mesh = chart.configure_mesh();
    mesh.light_line_style(BLACK.mix(0.05)).bold_line_style(BLACK.mix(0.16));
    mesh.axis_style(BLACK.mix(0.5)).label_style(label.clone()).axis_desc_style(label);
    mesh.x_label_formatter(&|value| tick(*value)).y_label_formatter(&|value| tick(*value));
    mesh.max_light_lines(1);
    mesh.x_desc(if last { "bytes/s with shared headers" } else { "" });
    mesh.y_desc(if first { "widths" } else { "" });
    mesh.draw()?;
    for curve in curves {
        let (colour, width) = look(&curve.family, families);
        let points = curve.points.iter().copied();
        chart.draw_series(LineSeries::new(points.clone(), colour.stroke_width(width)))?;
        chart.draw_series(points.map(|at| Circle::new(at, width + 1, colour.filled())))?;
    }
    Ok(())
}

/// Families in the order that they are drawn: what is ours on top.
fn families(found: &Frontier) -> Vec<String> {
    let mut families: Vec<String> = Vec::new();
    for method in found.methods() {
        let family = family_of(method);
        if !families.contains(&family) {
            families.push(family);
        }
    }
    let rank = |name: &String| COLOURS.iter().rev().position(|(known, ..)| known == name);
    families.sort_by_key(rank);
    families
}

fn family_of(method: &str) -> String {
    let parsed = method.parse::<Method>();
    parsed.map_or_else(|_| method.to_owned(), |method| method.family().to_owned())
}

fn look(family: &str, families: &[String]) -> (RGBColor, u32) {
    if let Some((_, colour, width)) = COLOURS.iter().find(|(known, ..)| *known == family) {
        return (*colour, *width);
    }
    let place = families.iter().position(|it| it == family).unwrap_or(0);
    (OTHERS[place % OTHERS.len()], 2)
}

/// The curves of a panel. Of snapshots that are rounded in several ways, those that show less
/// than all cheaper ones.
fn curves<'a>(rows: impl Iterator<Item = &'a FrontierRow>, families: &[String]) -> Vec<Curve> {
    let rows: Vec<&FrontierRow> = rows.collect();
    let curve = |family: &String| {
        let own = rows.iter().filter(|row| family_of(&row.method) == *family);
        let mut points: Vec<(f64, f64)> =
            own.map(|row| (row.bytes_per_s_with_headers, row.error_widths)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut least = f64::INFINITY;
        points.retain(|point| {
            let better = point.1 < least;
            least = least.min(point.1);
            better
        });
        Curve { family: family.clone(), points }
    };
    families.iter().map(curve).collect()
}

/// From a little below the least to a little above the greatest.
fn around(values: impl Iterator<Item = f64>) -> Range<f64> {
    let positive = values.filter(|value| *value > 0.0 && value.is_finite());
    let (low, high) =
        positive.fold((f64::INFINITY, 0.0), |(low, high), v| (f64::min(low, v), f64::max(high, v)));
    if low <= high { low / 1.2..high * 1.2 } else { 0.1..10.0 }
}

/// A number on an axis: one, two and five of each ten, so that no two overlap.
fn tick(value: f64) -> String {
    let ten = libm::floor(libm::log10(value) + 1e-9);
    let lead = libm::round(value / libm::exp10(ten));
    if ![1.0, 2.0, 5.0].contains(&lead) {
        return String::new();
    }
    if value >= 0.95 {
        format!("{value:.0}")
    } else {
        format!("{value:.2}").trim_end_matches('0').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_two_and_five_of_each_ten_are_on_the_axis() {
        let all = [0.1, 0.2, 0.3, 0.5, 0.9, 1.0, 4.0, 5.0, 20.0, 100.0, 300.0];
        let said: Vec<String> = all.into_iter().map(tick).filter(|it| !it.is_empty()).collect();
        assert_eq!(said, ["0.1", "0.2", "0.5", "1", "5", "20", "100"]);
    }
}
