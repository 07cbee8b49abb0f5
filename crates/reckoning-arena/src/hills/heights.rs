//! Heights of a level file: read row by row, and refined on a smooth curve.

use super::file::GroundGrid;
use super::level::HillsError;

/// The most numbers in a row and rows in a file.
const MAX_SIDE: usize = 257;
/// The most heights along a side after refining.
const MAX_FINE_SIDE: usize = 513;

/// A square grid of heights in metres, row by row.
pub(super) struct Grid {
    pub(super) side: usize,
    pub(super) spacing_m: f64,
    pub(super) heights_m: Vec<f64>,
}

fn wrong<T>(message: String) -> Result<T, HillsError> {
    Err(HillsError::Value { message })
}

/// The refined heights of a file.
pub(super) fn read(grid: &GroundGrid) -> Result<Grid, HillsError> {
    for (name, got, least, most) in [
        ("ground.spacing_m", grid.spacing_m, 0.5, 200.0),
        ("ground.unit_m", grid.unit_m, 0.001, 100.0),
        ("ground.detail", f64::from(grid.detail), 1.0, 8.0),
    ] {
        if !(least..=most).contains(&got) {
            return wrong(format!("{name} is {got}; give a number from {least} to {most}"));
        }
    }
    let rows = rows(&grid.heights)?;
    let side = rows.len();
    let detail = grid.detail as usize;
    if (side - 1) * detail + 1 > MAX_FINE_SIDE {
        return wrong(format!(
            "ground.detail {detail} makes {} heights along a side of {side}; at most \
             {MAX_FINE_SIDE} are allowed, so lower the detail",
            (side - 1) * detail + 1
        ));
    }
    let coarse: Vec<f64> = rows.iter().flatten().map(|it| f64::from(*it) * grid.unit_m).collect();
    let heights_m = refine(&coarse, side, detail);
    Ok(Grid { side: (side - 1) * detail + 1, spacing_m: grid.spacing_m / detail as f64, heights_m })
}

/// The whole numbers of a square.
fn rows(text: &str) -> Result<Vec<Vec<i32>>, HillsError> {
    let lines = text.lines().filter(|it| !it.trim().is_empty());
    let mut rows: Vec<Vec<i32>> = Vec::new();
    for (number, line) in lines.enumerate() {
        if number >= MAX_SIDE {
            return wrong(format!("ground.heights has more than {MAX_SIDE} rows; leave some out"));
        }
        let row = row(number + 1, line)?;
        if let Some(first) = rows.first()
            && first.len() != row.len()
        {
            return wrong(format!(
                "row {} of ground.heights has {} numbers where row 1 has {}; every row needs as many",
                number + 1,
                row.len(),
                first.len()
            ));
        }
        rows.push(row);
    }
    let columns = rows.first().map_or(0, Vec::len);
    if rows.len() != columns || columns < 4 {
        return wrong(format!(
            "ground.heights has {} rows of {columns} numbers; a level is square, so give as many rows \
             as there are numbers in each, at least 4",
            rows.len()
        ));
    }
    Ok(rows)
}

fn row(number: usize, line: &str) -> Result<Vec<i32>, HillsError> {
    let mut row = Vec::new();
    for word in line.split_whitespace() {
        let Some(height) = word.parse().ok().filter(|it: &i32| it.abs() <= 100_000) else {
            return wrong(format!(
                "row {number} of ground.heights has `{}` as its number {}; whole numbers from -100000 \
                 to 100000 stand there",
                word.chars().take(20).collect::<String>(),
                row.len() + 1
            ));
        };
        if row.len() >= MAX_SIDE {
            return wrong(format!(
                "row {number} of ground.heights has more than {MAX_SIDE} numbers; leave some out"
            ));
        }
        row.push(height);
    }
    Ok(row)
}

/// Cuts the way between two neighbours into `detail` pieces, along rows and then along columns, on a
/// Catmull-Rom curve, which passes through the given heights.
fn refine(coarse: &[f64], side: usize, detail: usize) -> Vec<f64> {
    let fine = (side - 1) * detail + 1;
    let mut wide = vec![0.0; side * fine];
    for row in 0..side {
        for x in 0..fine {
            wide[row * fine + x] = on_curve(x, side, detail, |it| coarse[row * side + it]);
        }
    }
    let mut all = vec![0.0; fine * fine];
    for y in 0..fine {
        for x in 0..fine {
            all[y * fine + x] = on_curve(y, side, detail, |it| wide[it * fine + x]);
        }
    }
    all
}

fn on_curve(place: usize, side: usize, detail: usize, height: impl Fn(usize) -> f64) -> f64 {
    let (first, s) = (place / detail, (place % detail) as f64 / detail as f64);
    if s == 0.0 {
        return height(first);
    }
    let (b, c) = (height(first), height(first + 1));
    // Beyond the rim the slope goes on.
    let a = if first == 0 { 2.0 * b - c } else { height(first - 1) };
    let d = if first + 2 < side { height(first + 2) } else { 2.0 * c - b };
    let (leave, arrive) = ((c - a) * 0.5, (d - b) * 0.5);
    let quadratic = (c - b) * 3.0 - leave * 2.0 - arrive;
    let cubic = (b - c) * 2.0 + leave + arrive;
    b + (leave + (quadratic + cubic * s) * s) * s
}
