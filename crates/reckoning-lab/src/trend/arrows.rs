//! The headings of a trend map, thinned out until a picture can hold them.

use std::collections::BTreeMap;

use glam::DVec2;
use reckoning::DVec3;
use reckoning_predict::{Trend, TrendMap};

/// Headings are looked for in this many directions.
const PROBES: u32 = 32;
/// Those of small cells are merged within sectors of this many a turn.
const SECTORS: f64 = 8.0;

/// A usual way through a place.
pub(super) struct Arrow {
    /// The middle of its place.
    pub middle: DVec2,
    /// The side of that place.
    pub side: f64,
    /// Which way.
    pub direction: DVec2,
    /// How bodies speed up along it; negative where they slow down.
    pub gain: f64,
    /// The share of those seen there who went this way.
    pub share: f64,
}

#[derive(Default)]
struct HeadingSum {
    direction: DVec2,
    gain: f64,
    seen: f64,
}

/// A place as a key: its lower left corner and its side, in `least` units.
type CellKey = (i64, i64, i64);

/// The arrows of a map; cells with a side below `least` share those of their neighbourhood.
pub(super) fn arrows(map: &TrendMap, least: f64) -> Vec<Arrow> {
    let mut places = BTreeMap::<CellKey, BTreeMap<i64, HeadingSum>>::new();
    for (corner, side, seen) in map.cells() {
        if seen == 0 {
            continue;
        }
        let place = place(corner.truncate(), side, least);
        for trend in headings(map, corner + DVec3::new(0.5, 0.5, 0.0) * side) {
            let turn = libm::atan2(trend.direction.y, trend.direction.x) / std::f64::consts::TAU;
            let sector = libm::round(turn * SECTORS) as i64 & (SECTORS as i64 - 1);
            add(places.entry(place).or_default().entry(sector).or_default(), &trend);
        }
    }
    places.iter().flat_map(|(place, sums)| arrows_of(*place, sums, least)).collect()
}

/// Large cells keep their own corner; small ones fall into squares of `least`.
fn place(corner: DVec2, side: f64, least: f64) -> CellKey {
    // A quarter of a small cell inside, so that rounding cannot push it next door.
    let at = if side < least { ((corner + 0.25 * side) / least).floor() } else { corner / least };
    let fine = |value: f64| libm::round(value * 1024.0) as i64;
    (fine(at.x), fine(at.y), fine(side.max(least) / least))
}

fn add(sum: &mut HeadingSum, trend: &Trend) {
    let seen = f64::from(trend.sightings);
    sum.direction += trend.direction.truncate() * seen;
    sum.gain += trend.acceleration.dot(trend.direction) * seen;
    sum.seen += seen;
}

fn arrows_of(
    (x, y, side): CellKey,
    sums: &BTreeMap<i64, HeadingSum>,
    least: f64,
) -> impl Iterator<Item = Arrow> {
    let coarse = move |value: i64| value as f64 / 1024.0 * least;
    let all: f64 = sums.values().map(|sum| sum.seen).sum();
    let side = coarse(side);
    let middle = DVec2::new(coarse(x), coarse(y)) + 0.5 * side;
    sums.values().map(move |sum| Arrow {
        middle,
        side,
        direction: sum.direction.normalize_or_zero(),
        gain: sum.gain / sum.seen,
        share: sum.seen / all,
    })
}

/// Every heading of the cell around a place.
fn headings(map: &TrendMap, place: DVec3) -> Vec<Trend> {
    let mut found: Vec<Trend> = Vec::new();
    for probe in 0..PROBES {
        let angle = f64::from(probe) * (std::f64::consts::TAU / f64::from(PROBES));
        let towards = DVec3::new(libm::cos(angle), libm::sin(angle), 0.0);
        if let Some(trend) = map.trend_at(place, towards)
            && found.iter().all(|known| known.direction != trend.direction)
        {
            found.push(trend);
        }
    }
    found
}
