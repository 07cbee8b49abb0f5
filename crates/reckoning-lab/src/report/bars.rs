//! Bar charts with their values beside the bars.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::ReportError;
use super::plot::{Chart, DrawResult, INK, SeriesStyle, font, picture};
use super::tables::number;

const WIDE_PX: u32 = 530;
const ROW_PX: u32 = 26;
/// Room for a character of a label.
const LETTER_PX: u32 = 7;
const LEFT: Pos = Pos { h_pos: HPos::Left, v_pos: VPos::Center };
const RIGHT: Pos = Pos { h_pos: HPos::Right, v_pos: VPos::Center };

/// One bar.
pub(super) struct Bar {
    pub label: String,
    pub value: f64,
    /// Its 95 % interval, if it has one.
    pub interval: Option<(f64, f64)>,
    pub look: SeriesStyle,
}

impl Bar {
    /// How far it reaches to the right.
    pub fn end(&self) -> f64 {
        let end = self.interval.map_or(self.value, |(_, high)| high.max(self.value));
        if end.is_finite() { end } else { 0.0 }
    }
}

/// Horizontal bars from zero to `reach`, so that several charts can share a scale.
pub(super) fn bars(name: &str, reach: f64, bars: &[Bar]) -> Result<String, ReportError> {
    let letters = bars.iter().map(|bar| bar.label.chars().count()).max().unwrap_or(0) as u32;
    let labels_px = (letters * LETTER_PX + 14).min(WIDE_PX / 2);
    let high_px = bars.len() as u32 * ROW_PX + 12;
    picture(name, (WIDE_PX, high_px), |sheet| {
        let reach = if reach > 0.0 { reach } else { 1.0 };
        let mut chart = ChartBuilder::on(sheet)
            .margin(6)
            .margin_right(64)
            .margin_left(labels_px)
            .build_cartesian_2d(0.0..reach, bars.len() as f64..0.0)?;
        for (row, bar) in bars.iter().enumerate() {
            draw_bar(&mut chart, row as f64, bar)?;
        }
        let foot = [(0.0, 0.0), (0.0, bars.len() as f64)];
        chart.draw_series([PathElement::new(foot, INK.mix(0.5))])?;
        Ok(())
    })
}

fn draw_bar(chart: &mut Chart, row: f64, bar: &Bar) -> DrawResult {
    if bar.value.is_finite() {
        let corners = [(0.0, row + 0.2), (bar.value, row + 0.8)];
        chart.draw_series([Rectangle::new(corners, bar.look.colour.filled())])?;
    }
    if let Some((low, high)) = bar.interval.filter(|(low, high)| low < high) {
        let line = [(low, row + 0.5), (high, row + 0.5)];
        chart.draw_series([PathElement::new(line, INK.stroke_width(2))])?;
    }
    let label = Text::new(bar.label.clone(), (-8, 0), font().pos(RIGHT));
    chart.draw_series([EmptyElement::at((0.0, row + 0.5)) + label])?;
    let value = Text::new(number(bar.value), (8, 0), font().pos(LEFT));
    chart.draw_series([EmptyElement::at((bar.end(), row + 0.5)) + value])?;
    Ok(())
}
