//! Plot of four scenes on the bad link: what listeners see, and its error.
//!
//! Colours are those of Okabe and Ito, which people with any kind of colour vision can tell
//! apart; what they mean is also said by width and shape.

use std::error::Error;
use std::ops::Range;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use reckoning::{Blend, DVec3, Model};
use reckoning_netsim::LinkConfig;

use crate::report::plot::{Chart, DrawResult, Sheet, about};
use crate::scenes::{BAD, models, tally};
use crate::{Motion, Scenario, ScenarioReport, ScenarioRun, TICK_HZ};

const SIZE_PX: (u32, u32) = (1800, 1300);
const HEAD_PX: u32 = 120;
/// Width of the right part of each panel, where the bars are.
const BARS_PX: u32 = 330;
const LABELS_PX: u32 = 56;
const CAPTION_PX: u32 = 44;
const MARGIN_PX: u32 = 14;
/// Where the head begins.
const LEFT_PX: i32 = 14;

const ORANGE: RGBColor = RGBColor(230, 159, 0);
const SKY: RGBColor = RGBColor(86, 180, 233);
const BLUE: RGBColor = RGBColor(0, 114, 178);
const VERMILLION: RGBColor = RGBColor(213, 94, 0);
const PURPLE: RGBColor = RGBColor(204, 121, 167);

/// Drawn in this order and ever thinner, so that nothing hides what it agrees with.
const TRUTH: ShapeStyle = line(RGBColor(205, 205, 205), 12);
const BLENDS: [(&str, Blend, ShapeStyle); 3] = [
    ("projective velocity", Blend::ProjectiveVelocity, line(BLUE, 5)),
    ("bezier", Blend::Bezier, line(PURPLE, 2)),
    ("snap", Blend::Snap, line(ORANGE, 2)),
];

const fn line(color: RGBColor, stroke_width: u32) -> ShapeStyle {
    let color = RGBAColor(color.0, color.1, color.2, 1.0);
    ShapeStyle { color, filled: false, stroke_width }
}

/// One scene of the picture.
struct ScenePanel {
    title: &'static str,
    motion: Motion,
    /// Chosen so that something is lost while we look.
    seed: u64,
    /// The part of the run that is drawn.
    seconds: Range<u32>,
    /// Distance over time instead of a map: for motions along a line.
    over_time: bool,
}

const PANELS: [ScenePanel; 4] = [
    ScenePanel {
        title: "Hairpin: braking from 60 m/s into a turn",
        motion: Motion::Hairpin,
        seed: 13,
        seconds: 9..14,
        over_time: false,
    },
    ScenePanel {
        title: "Zigzag: a right angle every 1.25 s",
        motion: Motion::Zigzag,
        seed: 20,
        seconds: 5..10,
        over_time: false,
    },
    ScenePanel {
        title: "Stop-and-go: the stop itself is lost",
        motion: Motion::StopAndGo,
        seed: 22,
        seconds: 3..8,
        over_time: true,
    },
    ScenePanel {
        title: "Walk: a player on foot",
        motion: Motion::Walk { seed: 11 },
        seed: 12,
        seconds: 2..12,
        over_time: false,
    },
];

/// Draws four telling scenes on the bad link, as SVG text.
///
/// # Errors
/// None, unless a built-in scenario no longer suits the engine or a label no longer fits.
pub fn scene_picture() -> Result<String, Box<dyn Error>> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE_PX).into_drawing_area();
        root.fill(&WHITE)?;
        let (head, body) = root.split_vertically(HEAD_PX);
        draw_head(&head)?;
        for (sheet, panel) in body.split_evenly((2, 2)).iter().zip(&PANELS) {
            let (paths, bars) = sheet.split_horizontally(SIZE_PX.0 / 2 - BARS_PX);
            draw_paths(&paths, panel)?;
            draw_bars(&bars, panel)?;
        }
        root.present()?;
    }
    Ok(svg)
}

fn font(size_px: u32) -> TextStyle<'static> {
    ("sans-serif", size_px).into_text_style(&SIZE_PX).color(&BLACK)
}

fn draw_head(head: &Sheet) -> DrawResult {
    let title = "What listeners see on a bad network";
    head.draw(&Text::new(title, (LEFT_PX, 12), font(34)))?;
    let link = "150 ms \u{b1} 40 ms, 5 % lost in outages of 300 ms, some repeated or reordered; the model \
                is linear, the threshold 0.25 m";
    head.draw(&Text::new(link, (LEFT_PX, 54), font(20)))?;
    draw_legend(head)
}

fn draw_legend(head: &Sheet) -> DrawResult {
    let y = 98;
    let mut x = LEFT_PX;
    let blends = BLENDS.map(|(name, _, style)| (name, style));
    for ((name, style), wide) in
        [("truth", TRUTH)].into_iter().chain(blends).zip([140, 270, 150, 150])
    {
        head.draw(&PathElement::new(vec![(x, y), (x + 46, y)], style))?;
        head.draw(&Text::new(name, (x + 56, y), font(19).pos(MIDDLE_LEFT)))?;
        x += wide;
    }
    head.draw(&Circle::new((x + 20, y), 6, BLACK.filled()))?;
    head.draw(&Text::new("update that arrives", (x + 34, y), font(19).pos(MIDDLE_LEFT)))?;
    x += 240;
    head.draw(&Cross::new((x + 20, y), 7, line(VERMILLION, 3)))?;
    head.draw(&Text::new("update that is lost", (x + 34, y), font(19).pos(MIDDLE_LEFT)))?;
    Ok(())
}

const MIDDLE_LEFT: Pos = Pos { h_pos: HPos::Left, v_pos: VPos::Center };
const MIDDLE_RIGHT: Pos = Pos { h_pos: HPos::Right, v_pos: VPos::Center };

impl ScenePanel {
    fn scenario(&self, model: Model, blend: Blend) -> Scenario {
        let link = BAD.parse().unwrap_or_default();
        let link = LinkConfig { seed: self.seed, ..link };
        Scenario { motion: self.motion, seconds: 25, model, blend, link }
    }

    /// A place on the sheet for a position at a tick.
    fn point(&self, at_s: f64, position: DVec3) -> (f64, f64) {
        if self.over_time { (at_s, position.length()) } else { (position.x, position.y) }
    }

    fn contains(&self, at_s: f64) -> bool {
        f64::from(self.seconds.start) <= at_s && at_s <= f64::from(self.seconds.end)
    }

    fn path(&self, positions: impl Iterator<Item = DVec3>) -> Vec<(f64, f64)> {
        positions
            .enumerate()
            .map(|(tick, position)| (tick as f64 / f64::from(TICK_HZ), position))
            .filter(|(at_s, _)| self.contains(*at_s))
            .map(|(at_s, position)| self.point(at_s, position))
            .collect()
    }

    /// Where updates were exported, those that arrive or those that are lost.
    fn updates(&self, run: &ScenarioRun, arrives: bool) -> Vec<(f64, f64)> {
        run.sent
            .iter()
            .filter(|sent| arrives == run.arrived.iter().any(|(_, got)| got.at() == sent.at()))
            .filter(|sent| self.contains(sent.at().as_secs_f64()))
            .map(|sent| self.point(sent.at().as_secs_f64(), sent.kinematics().position))
            .collect()
    }
}

fn draw_paths(sheet: &Sheet, panel: &ScenePanel) -> DrawResult {
    let runs = BLENDS
        .iter()
        .map(|(_, blend, style)| Ok((panel.scenario(Model::Linear, *blend).run()?, *style)))
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let (first, _) = &runs[0];
    let mut lines = vec![(panel.path(first.truths.iter().map(|k| k.position)), TRUTH)];
    lines.extend(runs.iter().map(|(run, style)| (panel.path(run.shown.iter().copied()), *style)));

    let mut chart = path_chart(sheet, panel, ranges(&lines, panel, sheet.dim_in_pixel()))?;
    for (points, style) in lines {
        chart.draw_series(LineSeries::new(points, style))?;
    }
    let dot = |at| Circle::new(at, 5, BLACK.filled());
    chart.draw_series(panel.updates(first, true).into_iter().map(dot))?;
    let cross = |at| Cross::new(at, 7, line(VERMILLION, 3));
    chart.draw_series(panel.updates(first, false).into_iter().map(cross))?;
    Ok(())
}

fn path_chart<'a, 'b>(
    sheet: &Sheet<'b>,
    panel: &ScenePanel,
    (x, y): (Range<f64>, Range<f64>),
) -> Result<Chart<'a, 'b>, Box<dyn Error>> {
    let mut chart = ChartBuilder::on(sheet)
        .caption(panel.title, font(24))
        .margin(MARGIN_PX)
        .x_label_area_size(LABELS_PX)
        .y_label_area_size(LABELS_PX + 10)
        .build_cartesian_2d(x, y)?;
    let (x_title, y_title) =
        if panel.over_time { ("time, s", "distance, m") } else { ("x, m", "y, m") };
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .label_style(font(17))
        .axis_desc_style(font(19))
        .x_desc(x_title)
        .y_desc(y_title)
        .draw()?;
    Ok(chart)
}

/// What the axes span: everything with some room, and on a map the same scale both ways.
fn ranges(
    lines: &[(Vec<(f64, f64)>, ShapeStyle)],
    panel: &ScenePanel,
    size_px: (u32, u32),
) -> (Range<f64>, Range<f64>) {
    let points = || lines.iter().flat_map(|(points, _)| points);
    let x = span(points().map(|p| p.0));
    let y = span(points().map(|p| p.1));
    if panel.over_time {
        return (x, y);
    }
    let wide_px = f64::from(size_px.0 - 2 * MARGIN_PX - LABELS_PX - 10);
    let high_px = f64::from(size_px.1 - 2 * MARGIN_PX - LABELS_PX - CAPTION_PX);
    let per_px = ((x.end - x.start) / wide_px).max((y.end - y.start) / high_px);
    (about(&x, per_px * wide_px), about(&y, per_px * high_px))
}

/// From the least to the greatest, and a twentieth more on either side.
fn span(values: impl Iterator<Item = f64> + Clone) -> Range<f64> {
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(f64::NEG_INFINITY, f64::max);
    let room = 0.05 * (high - low).max(1e-3);
    low - room..high + room
}

/// Mean error as a bar per model, with a stroke at the 95th percentile.
fn draw_bars(sheet: &Sheet, panel: &ScenePanel) -> DrawResult {
    let rows = models(panel.motion)
        .into_iter()
        .map(|(name, model)| Ok((name, tally(&panel.scenario(model, Blend::ProjectiveVelocity))?)))
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    // Holding still is off the scale wherever things move; it is cut and labelled.
    let others = rows.iter().filter(|(name, _)| *name != "hold");
    let reach_m = 1.6 * others.map(|(_, report)| report.error_p95_m).fold(0.0, f64::max);

    let mut chart = bar_chart(sheet, reach_m, rows.len() as f64)?;
    for (index, (name, report)) in rows.iter().enumerate() {
        draw_bar(&mut chart, index as f64, name, report, reach_m)?;
    }
    Ok(())
}

fn bar_chart<'a, 'b>(
    sheet: &Sheet<'b>,
    reach_m: f64,
    rows: f64,
) -> Result<Chart<'a, 'b>, Box<dyn Error>> {
    let mut chart = ChartBuilder::on(sheet)
        .caption("error by model", font(20))
        .margin(MARGIN_PX)
        .margin_right(3 * MARGIN_PX)
        .x_label_area_size(LABELS_PX)
        .y_label_area_size(110)
        .build_cartesian_2d(0.0..reach_m, rows..0.0)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .light_line_style(TRANSPARENT)
        .y_labels(0)
        .x_labels(4)
        .label_style(font(17))
        .axis_desc_style(font(18))
        .x_desc("mean (bar), 95 % (stroke), m")
        .draw()?;
    Ok(chart)
}

fn draw_bar(
    chart: &mut Chart,
    row: f64,
    name: &str,
    report: &ScenarioReport,
    reach_m: f64,
) -> DrawResult {
    let mean_m = report.error_mean_m.min(reach_m);
    let bar = [(0.0, row + 0.2), (mean_m, row + 0.8)];
    chart.draw_series([Rectangle::new(bar, SKY.filled())])?;
    let p95_m = report.error_p95_m.min(reach_m);
    let stroke = [(p95_m, row + 0.15), (p95_m, row + 0.85)];
    chart.draw_series([PathElement::new(stroke, line(VERMILLION, 4))])?;

    let label = Text::new(name.to_owned(), (-8, 0), font(17).pos(MIDDLE_RIGHT));
    chart.draw_series([EmptyElement::at((0.0, row + 0.5)) + label])?;
    let (value_m, text) = bar_value(report, reach_m);
    let value = Text::new(text, (7, 0), font(17).pos(MIDDLE_LEFT));
    chart.draw_series([EmptyElement::at((value_m, row + 0.5)) + value])?;
    Ok(())
}

/// What a bar says, and where: right of all, or inside the bar when that is cut.
fn bar_value(report: &ScenarioReport, reach_m: f64) -> (f64, String) {
    if report.error_mean_m > reach_m {
        return (0.0, format!("{:.2} (cut)", report.error_mean_m));
    }
    let inside_m = report.error_mean_m.max(report.error_p95_m);
    let place_m = if inside_m > 0.8 * reach_m { 0.0 } else { inside_m };
    (place_m, format!("{:.2}", report.error_mean_m))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_drawn_with_all_its_parts() {
        let svg = scene_picture().unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        for text in ["Hairpin", "Zigzag", "Stop-and-go", "Walk", "bezier", "accelerating"] {
            assert!(svg.contains(text), "no {text}");
        }
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn maps_have_one_scale() {
        let lines = [(vec![(0.0, 0.0), (50.0, 10.0)], TRUTH)];
        let (x, y) = ranges(&lines, &PANELS[0], (600, 500));
        let per_px = |range: Range<f64>, px: f64| (range.end - range.start) / px;
        let wide = per_px(x, f64::from(600 - 2 * MARGIN_PX - LABELS_PX - 10));
        let high = per_px(y, f64::from(500 - 2 * MARGIN_PX - LABELS_PX - CAPTION_PX));
        assert!((wide - high).abs() < 1e-12);
    }
}
