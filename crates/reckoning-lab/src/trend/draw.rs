//! A trend map over its level, as SVG.
//!
//! Written by hand rather than with plotters: a map has tens of thousands of pieces, and one
//! path for all of a kind is a tenth of the bytes.

use std::fmt::Write;

use glam::DVec2;
use reckoning_predict::TrendMap;
use reckoning_recording::{Level, LevelBlock, LevelShape};

use super::arrows::{Arrow, arrows};

/// Length of the longer side of the map.
const LONG_PX: f64 = 960.0;
/// Room around the map.
const EDGE_PX: f64 = 12.0;
/// Room for the words below it.
const WORDS_PX: f64 = 52.0;
const WORDS_WIDE_PX: f64 = 780.0;
/// Room around those who were seen, as a share of the longer side.
const RIM: f64 = 0.03;
/// This share of all sightings may lie outside, at each end.
const RARE: f64 = 0.004;
/// Arrows stand no closer than this.
const ARROW_PX: f64 = 15.0;
/// Steps of the shading.
const SHADES: usize = 6;
/// Below this share of the usual change of speed, a heading counts as steady.
const STEADY: f64 = 0.5;

/// One file for both: colours follow the reader's light or dark mode.
const STYLE: &str = ".trend{--ink:#1c1e21;--floor:#eceae4;--sea:#0072b2;color:var(--ink);\
    font-family:system-ui,sans-serif;font-size:14px}\
    @media(prefers-color-scheme:dark){.trend{--ink:#e4e4e2;--floor:#2a2c31;--sea:#56b4e9}}\
    .trend .floor{fill:var(--floor)}.trend .wall{fill:none;stroke:var(--ink);stroke-width:.8;\
    stroke-opacity:.4}.trend .seen{fill:var(--ink)}.trend .steady,.trend text{fill:var(--ink)}\
    .trend .gains{fill:var(--sea)}.trend .slows{fill:#e06a00}";

/// Draws which way bodies go, over the walls and floors of the level if one is given.
///
/// The picture is complete in itself and fits light and dark pages.
#[must_use]
pub fn draw_trend(map: &TrendMap, level: Option<&Level>) -> String {
    let shapes = level.map_or(&[][..], |level| &level.shapes);
    let sheet = MapSheet::around(map, shapes);
    let wide = sheet.size_px.x.max(WORDS_WIDE_PX);
    let high = sheet.size_px.y + WORDS_PX;
    let mut svg = format!(
        "<svg class=\"trend\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide:.0} {high:.0}\" \
         width=\"{wide:.0}\" height=\"{high:.0}\" role=\"img\"><title>Trend map</title>\
         <style>{STYLE}</style>\n"
    );
    // An inner picture cuts off what lies outside.
    let _ =
        writeln!(svg, "<svg width=\"{:.0}\" height=\"{:.0}\">", sheet.size_px.x, sheet.size_px.y);
    put_path(&mut svg, "floor", "", &floors(&sheet, shapes));
    put_cells(&mut svg, &sheet, map);
    put_path(&mut svg, "wall", "", &walls(&sheet, shapes));
    put_arrows(&mut svg, &sheet, &arrows(map, ARROW_PX / sheet.px_per_unit));
    svg.push_str("</svg>\n");
    put_words(&mut svg, &sheet);
    svg.push_str("</svg>\n");
    svg
}

/// How places become pixels; up is up.
struct MapSheet {
    low: DVec2,
    px_per_unit: f64,
    size_px: DVec2,
    /// Whether someone was seen outside.
    cut: bool,
}

impl MapSheet {
    /// Around those who were seen, or around the level if nobody was. Levels hold things far
    /// out that no one reaches, and a few bodies fly far; neither may shrink the rest.
    fn around(map: &TrendMap, shapes: &[LevelShape]) -> Self {
        let cells: Vec<_> = map.cells().filter(|(_, _, seen)| *seen > 0).collect();
        let (low, high) = if cells.is_empty() {
            let ends = shapes.iter().flat_map(outline).filter(|at| at.is_finite());
            ends.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), at| {
                (low.min(at), high.max(at))
            })
        } else {
            let (left, right) = usual(cells.iter().map(|(at, side, n)| (at.x, at.x + side, *n)));
            let (bottom, top) = usual(cells.iter().map(|(at, side, n)| (at.y, at.y + side, *n)));
            (DVec2::new(left, bottom), DVec2::new(right, top))
        };
        let (low, high) = if low.is_finite() { (low, high) } else { (DVec2::ZERO, DVec2::ONE) };
        let span = (high - low).max(DVec2::splat(f64::MIN_POSITIVE));
        let (low, span) = (low - RIM * span.max_element(), span + 2.0 * RIM * span.max_element());
        let px_per_unit = LONG_PX / span.max_element();
        let cut = cells.iter().any(|(at, side, _)| {
            let (at, end) = (at.truncate(), at.truncate() + *side);
            at.cmplt(low).any() || end.cmpgt(low + span).any()
        });
        Self { low, px_per_unit, size_px: span * px_per_unit + 2.0 * EDGE_PX, cut }
    }

    fn px(&self, at: DVec2) -> DVec2 {
        let at = (at - self.low) * self.px_per_unit + EDGE_PX;
        DVec2::new(at.x, self.size_px.y - at.y)
    }

    /// A closed figure as path data.
    fn polygon(&self, data: &mut String, corners: &[DVec2]) {
        self.line(data, corners);
        data.push('z');
    }

    fn line(&self, data: &mut String, corners: &[DVec2]) {
        for (corner, letter) in corners.iter().zip("M".chars().chain("L".chars().cycle())) {
            let at = self.px(*corner);
            let _ = write!(data, "{letter}{:.1} {:.1}", at.x, at.y);
        }
    }
}

/// From where to where cells reach along an axis, without the rarest sightings at both ends.
fn usual(cells: impl Iterator<Item = (f64, f64, u32)>) -> (f64, f64) {
    let mut cells: Vec<(f64, f64, u32)> = cells.collect();
    let all: f64 = cells.iter().map(|(_, _, seen)| f64::from(*seen)).sum();
    let first = |cells: &[(f64, f64, u32)]| {
        let mut passed = 0.0;
        let reached = cells.iter().position(|(_, _, seen)| {
            passed += f64::from(*seen);
            passed > RARE * all
        });
        reached.unwrap_or(0)
    };
    cells.sort_by(|a, b| a.0.total_cmp(&b.0));
    let low = cells[first(&cells)].0;
    cells.sort_by(|a, b| b.1.total_cmp(&a.1));
    (low, cells[first(&cells)].1)
}

/// The corners of a shape from above.
fn outline(shape: &LevelShape) -> Vec<DVec2> {
    match shape {
        LevelShape::Wall { from, to, .. } | LevelShape::Ledge { from, to, .. } => {
            vec![from.truncate(), to.truncate()]
        }
        LevelShape::Triangle { corners } => corners.iter().map(|at| at.truncate()).collect(),
        LevelShape::Block(block) => block_outline(block),
    }
}

fn block_outline(block: &LevelBlock) -> Vec<DVec2> {
    let turn = DVec2::new(libm::cos(block.yaw_rad), libm::sin(block.yaw_rad));
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let place =
        |(x, y)| block.base.truncate() + (block.size.truncate() * DVec2::new(x, y)).rotate(turn);
    corners.map(place).to_vec()
}

fn floors(sheet: &MapSheet, shapes: &[LevelShape]) -> String {
    let mut data = String::new();
    for shape in shapes.iter().filter(|it| matches!(it, LevelShape::Triangle { .. })) {
        sheet.polygon(&mut data, &outline(shape));
    }
    data
}

fn walls(sheet: &MapSheet, shapes: &[LevelShape]) -> String {
    let mut data = String::new();
    for shape in shapes {
        match shape {
            LevelShape::Triangle { .. } => {}
            LevelShape::Block(block) => sheet.polygon(&mut data, &block_outline(block)),
            _ => sheet.line(&mut data, &outline(shape)),
        }
    }
    data
}

fn put_path(svg: &mut String, class: &str, more: &str, data: &str) {
    if !data.is_empty() {
        let _ = writeln!(svg, "<path class=\"{class}\"{more} d=\"{data}\"/>");
    }
}

/// Shades each cell by how often bodies were seen there per area, in steps of a logarithm.
fn put_cells(svg: &mut String, sheet: &MapSheet, map: &TrendMap) {
    let busy = || map.cells().filter(|(_, _, seen)| *seen > 0);
    let density = |side: f64, seen: u32| libm::log(f64::from(seen) / (side * side));
    let most = busy().map(|(_, side, seen)| density(side, seen)).fold(f64::MIN, f64::max);
    let mut shades = [const { String::new() }; SHADES];
    for (corner, side, seen) in busy() {
        let step = ((most - density(side, seen)) / 1.4) as usize;
        let (a, b) = (corner.truncate(), corner.truncate() + side);
        let shade = &mut shades[SHADES - 1 - step.min(SHADES - 1)];
        sheet.polygon(shade, &[a, DVec2::new(b.x, a.y), b, DVec2::new(a.x, b.y)]);
    }
    for (step, data) in (1..).zip(&shades) {
        let opacity = 0.045 * f64::from(step);
        put_path(svg, "seen", &format!(" fill-opacity=\"{opacity:.2}\""), data);
    }
}

/// One dart for each heading; its colour says whether bodies speed up or slow down.
fn put_arrows(svg: &mut String, sheet: &MapSheet, arrows: &[Arrow]) {
    let usual = arrows.iter().map(|it| it.gain.abs()).sum::<f64>() / arrows.len().max(1) as f64;
    let mut kinds = [("steady", String::new()), ("gains", String::new()), ("slows", String::new())];
    for arrow in arrows {
        let steady = arrow.gain.abs() <= STEADY * usual;
        let kind = if steady { 0 } else { 1 + usize::from(arrow.gain < 0.0) };
        dart(sheet, &mut kinds[kind].1, arrow);
    }
    for (class, data) in &kinds {
        put_path(svg, class, " fill-opacity=\"0.95\"", data);
    }
}

fn dart(sheet: &MapSheet, data: &mut String, arrow: &Arrow) {
    let longest = arrow.side.min(3.0 * ARROW_PX / sheet.px_per_unit);
    let length = 0.6 * longest * arrow.share.sqrt();
    let half = arrow.direction.perp() * (0.16 * length);
    let from = arrow.middle;
    sheet.polygon(data, &[from + half, from + arrow.direction * length, from - half]);
}

fn put_words(svg: &mut String, sheet: &MapSheet) {
    let y = sheet.size_px.y + 14.0;
    let cut = if sheet.cut { " A few were also seen outside this picture." } else { "" };
    let _ = write!(
        svg,
        "<text x=\"{EDGE_PX}\" y=\"{y:.0}\">A dart is a usual heading, longer where more went that way. \
         More shaded places were visited more.</text>\n<text x=\"{EDGE_PX}\" y=\"{:.0}\">There, bodies \
         <tspan class=\"gains\">\u{25b6} speed up</tspan>, \
         <tspan class=\"slows\">\u{25b6} slow down</tspan>, or keep their speed.{cut}</text>\n",
        y + 22.0
    );
}

#[cfg(test)]
mod tests {
    use reckoning::DVec3;
    use reckoning_predict::{Sighting, TrendMapConfig};

    use super::*;

    fn corridor() -> TrendMap {
        let seen: Vec<Sighting> = (0..400)
            .map(|step| Sighting {
                position: DVec3::new(f64::from(step % 20), f64::from(step % 2), 0.0),
                velocity: DVec3::new(if step % 3 == 0 { -1.0 } else { 1.0 }, 0.0, 0.0),
                acceleration: DVec3::ZERO,
            })
            .collect();
        TrendMap::new(&seen, &TrendMapConfig::default()).unwrap()
    }

    #[test]
    fn a_corridor_walked_both_ways_has_arrows_both_ways() {
        let arrows = arrows(&corridor(), 0.5);
        assert!(arrows.iter().any(|it| it.direction.x > 0.9));
        assert!(arrows.iter().any(|it| it.direction.x < -0.9));
    }

    #[test]
    fn merging_small_cells_keeps_the_shares() {
        let merged = arrows(&corridor(), 100.0);
        assert_eq!(merged.len(), 2);
        assert!((merged.iter().map(|it| it.share).sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn walls_floors_and_headings_are_drawn() {
        let corners = [DVec3::ZERO, DVec3::X * 20.0, DVec3::Y * 9.0];
        let wall = LevelShape::Wall { from: DVec3::ZERO, to: DVec3::X * 20.0, top: 3.0 };
        let shapes = vec![LevelShape::Triangle { corners }, wall];
        let level = Level { shapes, ..Level::default() };
        let svg = draw_trend(&corridor(), Some(&level));
        for part in ["class=\"floor\"", "class=\"wall\"", "class=\"seen\"", "class=\"steady\""] {
            assert!(svg.contains(part), "no {part}");
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn an_empty_map_is_an_empty_picture() {
        let map = TrendMap::new(&[], &TrendMapConfig::default()).unwrap();
        let svg = draw_trend(&map, None);
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"));
    }
}
