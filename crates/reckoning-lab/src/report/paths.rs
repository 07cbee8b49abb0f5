//! The true path and the shown one, predictor by predictor, all to one scale.

use std::ops::Range;

use plotters::prelude::*;

use super::ReportError;
use super::plot::{Chart, DrawResult, INK, SeriesStyle, Sheet, about, font, picture, span, tick};
use crate::compare::PathSample;

const SIZE_PX: (u32, u32) = (250, 230);
const ROOM: f64 = 0.08;

/// What all panels span: every path, the same scale both ways.
pub(super) fn window(paths: &[&PathSample]) -> (Range<f64>, Range<f64>) {
    let points = || paths.iter().flat_map(|path| path.truth.iter().chain(&path.shown));
    let (x, y) = (span(points().map(|at| at[0])), span(points().map(|at| at[1])));
    let per_px = ((x.end - x.start) / f64::from(SIZE_PX.0))
        .max((y.end - y.start) / f64::from(SIZE_PX.1))
        * (1.0 + 2.0 * ROOM);
    (about(&x, per_px * f64::from(SIZE_PX.0)), about(&y, per_px * f64::from(SIZE_PX.1)))
}

/// One panel: the truth broad and pale, on it what is shown.
pub(super) fn panel(
    name: &str,
    path: &PathSample,
    shown: Option<SeriesStyle>,
    window: &(Range<f64>, Range<f64>),
) -> Result<String, ReportError> {
    picture(name, SIZE_PX, |sheet: &Sheet| {
        let mut chart =
            ChartBuilder::on(sheet).build_cartesian_2d(window.0.clone(), window.1.clone())?;
        let truth = INK.mix(0.25).stroke_width(6);
        chart.draw_series(LineSeries::new(points(&path.truth), truth))?;
        if let Some(start) = points(&path.truth).next() {
            chart.draw_series([Circle::new(start, 5, INK.filled())])?;
        }
        if let Some(look) = shown {
            look.draw_line(&mut chart, points(&path.shown).collect(), 2)?;
        } else {
            draw_scale(&mut chart, window)?;
        }
        Ok(())
    })
}

fn points(path: &[[f64; 2]]) -> impl Iterator<Item = (f64, f64)> {
    path.iter().filter(|at| at[0].is_finite() && at[1].is_finite()).map(|at| (at[0], at[1]))
}

/// A line of a round length in the lower left.
fn draw_scale(chart: &mut Chart, (x, y): &(Range<f64>, Range<f64>)) -> DrawResult {
    let length = round_below(0.4 * (x.end - x.start));
    let left = x.start + 0.04 * (x.end - x.start);
    let low = y.start + 0.05 * (y.end - y.start);
    let line = [(left, low), (left + length, low)];
    chart.draw_series([PathElement::new(line, INK.stroke_width(2))])?;
    let label = Text::new(tick(length), (0, -18), font());
    chart.draw_series([EmptyElement::at((left, low)) + label])?;
    Ok(())
}

/// The greatest of 1, 2 and 5 times a power of ten that is not above.
fn round_below(value: f64) -> f64 {
    let power = libm::pow(10.0, libm::floor(libm::log10(value)));
    let digit = [5.0, 2.0, 1.0].into_iter().find(|digit| digit * power <= value);
    digit.unwrap_or(1.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_round() {
        for (value, round) in [(0.7, 0.5), (1.0, 1.0), (3.9, 2.0), (730.0, 500.0)] {
            assert!((round_below(value) - round).abs() < 1e-9, "{value}");
        }
    }
}
