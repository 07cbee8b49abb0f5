//! Line charts: error and hits against delay, error over time.

use plotters::prelude::*;

use super::ReportError;
use super::plot::{Axes, Chart, DrawResult, SeriesStyle, Sheet, chart, from_zero, picture, span};
use crate::compare::{OpenRow, PathSample};

const SIZE_PX: (u32, u32) = (530, 330);
const WIDE_PX: (u32, u32) = (1080, 280);

/// Rows of one predictor, and how it looks.
pub(super) type ChartLine<'a, T> = (SeriesStyle, Vec<&'a T>);

/// Mean error by delay, with 95 % intervals.
pub(super) fn error_by_delay(
    source: &str,
    units: &str,
    lines: &[ChartLine<OpenRow>],
) -> Result<String, ReportError> {
    let name = format!("{source}: mean error against delay");
    let rows = || lines.iter().flat_map(|(_, rows)| rows);
    let highest = rows().map(|row| row.aee.max(row.aee_high));
    let axes = delay_axes(lines, from_zero(highest), units);
    picture(&name, SIZE_PX, |sheet| {
        let mut chart = chart(sheet, &axes)?;
        for (look, rows) in lines {
            let bars = rows.iter().filter(|row| row.aee_low < row.aee_high).map(|row| {
                let style = look.line(1);
                ErrorBar::new_vertical(delay(row), row.aee_low, row.aee, row.aee_high, style, 6)
            });
            chart.draw_series(bars)?;
            let points = rows.iter().map(|row| (delay(row), row.aee)).collect();
            draw_marked(&mut chart, look, points)?;
        }
        Ok(())
    })
}

/// Share of hits by delay.
pub(super) fn hits_by_delay(
    source: &str,
    lines: &[ChartLine<OpenRow>],
) -> Result<String, ReportError> {
    let name = format!("{source}: share of hits against delay");
    let percent = |row: &OpenRow| 100.0 * row.hit_rate;
    let values = lines.iter().flat_map(|(_, rows)| rows).map(|row| percent(row));
    let axes = delay_axes(lines, from_zero(values), "hits, %");
    picture(&name, SIZE_PX, |sheet| {
        let mut chart = chart(sheet, &axes)?;
        for (look, rows) in lines {
            let points = rows.iter().map(|row| (delay(row), percent(row))).collect();
            draw_marked(&mut chart, look, points)?;
        }
        Ok(())
    })
}

fn delay_axes<'a>(
    lines: &[ChartLine<OpenRow>],
    y: std::ops::Range<f64>,
    y_title: &'a str,
) -> Axes<'a> {
    let delays = span(lines.iter().flat_map(|(_, rows)| rows).map(|row| delay(row)));
    let room = 0.04 * (delays.end - delays.start);
    Axes { x: delays.start - room..delays.end + room, y, x_title: "delay, ms", y_title }
}

fn delay(row: &OpenRow) -> f64 {
    row.delay_ms as f64
}

fn draw_marked(chart: &mut Chart, look: &SeriesStyle, points: Vec<(f64, f64)>) -> DrawResult {
    look.draw_markers(chart, &points)?;
    look.draw_line(chart, points, 2)
}

/// The error of what is shown, moment by moment.
pub(super) fn error_over_time(
    session: &str,
    units: &str,
    lines: &[(SeriesStyle, &PathSample)],
) -> Result<String, ReportError> {
    let name = format!("{session}: error over time");
    let points = || lines.iter().flat_map(|(_, path)| &path.error);
    let axes = Axes {
        x: span(points().map(|it| it.0)),
        y: from_zero(points().map(|it| it.1)),
        x_title: "time, s",
        y_title: units,
    };
    picture(&name, WIDE_PX, |sheet: &Sheet| {
        let mut chart = chart(sheet, &axes)?;
        for (look, path) in lines {
            look.draw_line(&mut chart, path.error.clone(), 2)?;
        }
        Ok(())
    })
}
