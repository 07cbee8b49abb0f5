//! MURPHY's circle: how much closer than a Bezier curve projective velocity blending is.

use super::MissingFigure;
use super::number::span;
use crate::failure::Failure;
use crate::workspace::{self, Workspace};

/// Prints both tables that are read here.
const TEST: &str = "test -p reckoning --test circle -- --nocapture";

/// Runs the test, which gives the same figures on every machine, and makes the fragment.
pub fn measure(workspace: &Workspace) -> Result<String, Failure> {
    let printed = workspace::run_for_output(&mut workspace.cargo(TEST))?;
    fragment(&printed).map_err(|it| it.in_file("crates/reckoning/tests/circle.rs".as_ref()))
}

/// A row for each rate of updates that was published.
fn fragment(printed: &str) -> Result<String, MissingFigure> {
    let lines: Vec<Vec<&str>> =
        printed.lines().map(|line| line.split_whitespace().collect()).collect();
    let mut rates: Vec<&str> = Vec::new();
    for line in &lines {
        if let [rate, _, _, "%", _, "%", _, "%", _, "%"] = line[..]
            && !rates.contains(&rate)
        {
            rates.push(rate);
        }
    }
    let mut rows =
        super::row(&["updates a second", "published", "as printed, gentle turns", "ours"])
            + &super::row(&["---"; 4]);
    for rate in rates {
        let [mut published, mut gentle, mut ours] = [const { Vec::new() }; 3];
        for line in &lines {
            match line[..] {
                [it, _, a, "%", b, "%", _, "%", _, "%"] if it == rate => {
                    published.extend(a.parse::<f64>());
                    gentle.extend(b.parse::<f64>());
                }
                [it, _, _, _, _, _, closer, "%"] if it == rate => {
                    ours.extend(closer.parse::<f64>());
                }
                _ => {}
            }
        }
        let missing = || MissingFigure(format!("{rate} updates/s"));
        let percent = |values: &[f64], digits| {
            span(values, digits).map(|it| format!("{it} %")).ok_or_else(missing)
        };
        let [published, gentle, ours] =
            [percent(&published, 2)?, percent(&gentle, 1)?, percent(&ours, 1)?];
        rows += &super::row(&[rate, &published, &gentle, &ours]);
    }
    let circles = lines.iter().filter(|it| matches!(it[..], [.., "%"] if it.len() == 8)).count();
    if circles == 0 {
        return Err(MissingFigure("any circle".to_owned()));
    }
    Ok(format!(
        "{rows}\nHow much closer to the true path than a cubic Bezier curve projective velocity \
         blending is on a circle, with and without published acceleration: as MURPHY has it, the \
         same formula where the body turns up to half a radian between updates, and ours on all \
         {circles} circles. By `cargo xtask figures circle`, the same on every machine.\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "updates/s accel  speed\n\
        1 false 5 20 0.25 0.5000 4.70 %\n1 true 5 20 0.25 0.5000 20.04 %\n\
        3 true 5 20 0.25 0.5000 9.00 %\ntest x ... ok\n\
        1 false 7.24 % 7.70 % 1.00 % -1.00 %\n1 true 7.24 % 7.90 % 1.00 % -1.00 %\n\
        3 true 6.38 % 5.40 % 1.00 % -1.00 %\n";

    #[test]
    fn rates_have_a_row_each() {
        let text = fragment(PRINTED).unwrap();

        assert!(text.contains("| 1 | 7.24 % | 7.7 to 7.9 % | 4.7 to 20.0 % |\n"), "{text}");
        assert!(text.contains("| 3 | 6.38 % | 5.4 % | 9.0 % |\n"), "{text}");
        assert!(text.contains("on all 3 circles"), "{text}");
    }

    #[test]
    fn a_test_that_prints_something_else_is_noticed() {
        assert_eq!(fragment("ok").unwrap_err().0, "any circle");
        assert!(fragment("3 true 6.38 % 5.40 % 1.00 % -1.00 %").is_err());
    }
}
