//! Speed of the engine and of the learned predictor: two benchmarks, three runs each.

use std::fs;

use super::number::{cores, span};
use super::{MissingFigure, raw_file, template};
use crate::failure::Failure;
use crate::say;
use crate::workspace::{self, Workspace};

/// A machine has moods; the table shows the least and the greatest.
const RUNS: usize = 3;
const BENCHES: [&str; 2] = [
    "bench -p reckoning --bench speed --features std",
    "bench -p reckoning-predict --bench speed --features std",
];

/// Runs the benchmarks and makes the fragment of what they write.
pub fn measure(workspace: &Workspace) -> Result<String, Failure> {
    let file = raw_file(workspace, "speed")?;
    for run in 1..=RUNS {
        say::note(&format!("speed: run {run} of {RUNS}"));
        for bench in BENCHES {
            let mut command = workspace.cargo(bench);
            workspace::run(command.args(["--", "--figures"]).arg(&file))?;
        }
    }
    let text = fs::read_to_string(&file)
        .map_err(|error| Failure::Unreadable { path: file.clone(), error })?;
    fragment(&text, &cores()).map_err(|it| it.in_file(&file))
}

/// Figures are `group / subject / form`; a group is named by its beginning.
const TABLE: &str = "\
| what | here | beside |
| --- | --- | --- |
| a million ghosts shown, one core | {crowd of 1000000 / Crowd::show / ratio} of the opponent's time | a loop that only reads and writes the same bytes |
| the same without the feature `std` | {crowd of 1000000 / Crowd::show_baseline / ratio} of the opponent's time | the same; the feature picks the widest vector unit at run time |
| ten thousand ghosts shown, in cache | {crowd of 10000, / Crowd::show / ratio} of the opponent's time | the same |
| one ghost's position, blending | {a single Ghost / position_at, linear, blending / ns} (linear), {a single Ghost / position_at, accelerating, blending / ns} (accelerating) | 281 ns published by airbus/sen |
| one ghost's position, settled | {a single Ghost / position_at, linear, settled / ns} (linear), {a single Ghost / position_at, accelerating, settled / ns} (accelerating) | 82.9 ns published by airbus/sen |
| a publisher's silent tick | {a Publisher / observe, straight / ns}, {a Publisher / observe, turning / ns} when the body turns | |
| a curve's position | {a model's position / curve of four terms / ns} | {a model's position / curve of four terms / ratio} times a straight line's |
| a learned plan, when something is published | {a learned plan / all of it / us} | eight bodies, forty items, 200 walls to look at |
| the same, shared out over a body's frames at 60 Hz | {a planner, per body and frame / inference alone / ns}; {a planner, per body and frame / learned, with fallbacks / ns} with history, fallbacks and the published curve | {a planner, per body and frame / linear / ns} for constant velocity |

";

/// The table, from what the benchmarks wrote.
fn fragment(text: &str, cores: &str) -> Result<String, MissingFigure> {
    let table = template::fill(TABLE, |name| {
        let missing = || MissingFigure(name.to_owned());
        let [group, subject, form] = name.split(" / ").collect::<Vec<_>>()[..] else {
            return Err(missing());
        };
        written(text, group, subject, form).ok_or_else(missing)
    })?;
    Ok(format!(
        "{table}Medians of {RUNS} runs, the least and the greatest, by `cargo xtask figures speed` \
         on {cores}.\n"
    ))
}

/// What all runs say of a subject. Lines are `group | subject | best ns | median ns | ratio`, tabs
/// between.
fn written(text: &str, group: &str, subject: &str, form: &str) -> Option<String> {
    let (mut median_ns, mut ratio) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [its_group, its_name, _, its_median_ns, its_ratio] = fields[..] else { continue };
        if its_group.starts_with(group) && its_name == subject {
            median_ns.extend(its_median_ns.parse::<f64>());
            ratio.extend(its_ratio.parse::<f64>());
        }
    }
    let is_small = median_ns.iter().any(|it| *it < 10.0);
    let us: Vec<f64> = median_ns.iter().map(|it| it / 1e3).collect();
    match form {
        "ns" => Some(format!("{} ns", span(&median_ns, usize::from(is_small))?)),
        "us" => Some(format!("{} µs", span(&us, 1)?)),
        "ratio" => span(&ratio, 2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(scale: f64) -> String {
        let subjects = [
            ("crowd of 1000000, per ghost", "Crowd::show"),
            ("crowd of 1000000, per ghost", "Crowd::show_baseline"),
            ("crowd of 10000, per ghost", "Crowd::show"),
            ("a single Ghost (1 bytes), per call", "position_at, linear, blending"),
            ("a single Ghost (1 bytes), per call", "position_at, accelerating, blending"),
            ("a single Ghost (1 bytes), per call", "position_at, linear, settled"),
            ("a single Ghost (1 bytes), per call", "position_at, accelerating, settled"),
            ("a Publisher (1 bytes), per silent tick", "observe, straight"),
            ("a Publisher (1 bytes), per silent tick", "observe, turning"),
            ("a model's position, per call", "curve of four terms"),
            ("a learned plan, per publish", "all of it"),
            ("a planner, per body and frame at 60 Hz", "inference alone"),
            ("a planner, per body and frame at 60 Hz", "learned, with fallbacks"),
            ("a planner, per body and frame at 60 Hz", "linear"),
        ];
        let line = |(k, (group, name)): (usize, (&str, &str))| {
            format!("{group}\t{name}\t0\t{}\t{}\n", scale * (k as f64 + 10.0), scale)
        };
        subjects.into_iter().enumerate().map(line).collect()
    }

    #[test]
    fn every_subject_finds_its_row() {
        let text = lines(1.0) + &lines(1.5);
        let table = fragment(&text, "two cores").unwrap();

        assert!(table.contains("shown, one core | 1.00 to 1.50 of the opp"), "{table}");
        assert!(table.contains("blending | 13 to 20 ns (linear), 14 to 21 ns (acc"), "{table}");
        assert!(table.contains("published | 0.0 µs |"), "{table}");
        assert!(table.ends_with("`cargo xtask figures speed` on two cores.\n"), "{table}");
    }

    #[test]
    fn a_subject_that_is_gone_is_named() {
        let text = lines(1.0).replace("observe, turning", "observe, spinning");

        assert_eq!(fragment(&text, "").unwrap_err().0, "a Publisher / observe, turning / ns");
    }
}
