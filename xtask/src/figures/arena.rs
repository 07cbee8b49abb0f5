//! Figures of the arena's page over bad links, which its browser tests measure.

use std::fs;
use std::path::Path;

use super::number::{cores, span};
use super::{MissingFigure, raw_file, raw_path, template};
use crate::failure::Failure;
use crate::page;
use crate::tools;
use crate::workspace::{self, Workspace};

/// The variable that names the file which the tests add lines to.
const VARIABLE: &str = "RECKONING_FIGURES";

/// Builds the page, lets the browser tests measure it, and makes the fragment of what they write.
pub fn measure(workspace: &Workspace) -> Result<String, Failure> {
    let Some(browser) = tools::find_chromium(workspace) else {
        return Err(Failure::Missing {
            what: "Chromium".to_owned(),
            remedy: "install it, for example the package `chromium`",
        });
    };
    page::build(workspace)?;
    let file = raw_file(workspace, "arena")?;
    let words = "test -p reckon --test browser figures:: -- --ignored --nocapture --test-threads=1";
    let mut tests = workspace.cargo(words);
    workspace::run(tests.env("RECKONING_BROWSER", browser).env(VARIABLE, &file))?;
    made(ERRORS, &file)
}

/// The fragment about frames, from what the tests wrote when they measured the arena last.
pub fn frames(workspace: &Workspace) -> Result<String, Failure> {
    made(FRAMES, &raw_path(workspace, "arena"))
}

/// The fragment about the page of the hills, from the same.
pub fn hills_frames(workspace: &Workspace) -> Result<String, Failure> {
    made(HILLS, &raw_path(workspace, "arena"))
}

fn made(template: &str, file: &Path) -> Result<String, Failure> {
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::Unreadable { path: file.to_owned(), error })?;
    fragment(template, &text, &cores()).map_err(|it| it.in_file(file))
}

/// Figures are `key digits`.
const ERRORS: &str = "\
| what is shown of others | mean error on screen | largest step |
| --- | --- | --- |
| the newest position received, 20 a second | {far_naive_px 0} px | |
| the past between two of them, 100 ms back | {far_interpolation_px 0} px | |
| Reckoning, {far_updates_share 2} times as many updates | {far_reckoning_px 0} px | {far_step_px_s 0} px/s; top speed is {top_speed_px_s 0} px/s |

One browser and twelve bots, medians of three runs of 20 s:

| link, one way | newest position | Reckoning | of it |
| --- | --- | --- | --- |
| 50 ms | {link_50_naive_px 0} px | {link_50_reckoning_px 0} px | {link_50_ratio 2} |
| 150 ms, deviation 40 ms, 3 % lost | {link_150_naive_px 0} px | {link_150_reckoning_px 0} px | {link_150_ratio 2} |
| 350 ms | {link_350_naive_px 0} px | {link_350_reckoning_px 0} px | {link_350_ratio 2} |
| 350 ms, deviation 120 ms, 12 % lost in runs of 4 | {link_bursts_naive_px 0} px | {link_bursts_reckoning_px 0} px | {link_bursts_ratio 2} |
| 300 ms, half lost | {link_half_naive_px 0} px | {link_half_reckoning_px 0} px | {link_half_ratio 2} |

";

const FRAMES: &str = "\
With 64 bots, {crowd_late_frames 0} of {crowd_frames 0} frames took more than 16 ms of script and 99 of
100 less than {crowd_p99_ms 1} ms, while the host of the machine kept {crowd_stolen_percent 1} % of its
time. ";

const HILLS: &str = "\
| link | Reckoning | newest of 20 a second | 100 ms back | frame to frame | script, 99 of 100 |
| --- | --- | --- | --- | --- | --- |
| LAN | {hills_lan_reckoning_m 2} m | {hills_lan_naive_m 2} m | {hills_lan_interpolation_m 2} m | {hills_lan_frame_ms 1} ms | {hills_lan_p99_ms 1} ms |
| wifi | {hills_wifi_reckoning_m 2} m | {hills_wifi_naive_m 2} m | {hills_wifi_interpolation_m 2} m | {hills_wifi_frame_ms 1} ms | {hills_wifi_p99_ms 1} ms |
| mobile | {hills_mobile_reckoning_m 2} m | {hills_mobile_naive_m 2} m | {hills_mobile_interpolation_m 2} m | {hills_mobile_frame_ms 1} ms | {hills_mobile_p99_ms 1} ms |
| far | {hills_far_reckoning_m 2} m | {hills_far_naive_m 2} m | {hills_far_interpolation_m 2} m | {hills_far_frame_ms 1} ms | {hills_far_p99_ms 1} ms |
| awful | {hills_awful_reckoning_m 2} m | {hills_awful_naive_m 2} m | {hills_awful_interpolation_m 2} m | {hills_awful_frame_ms 1} ms | {hills_awful_p99_ms 1} ms |

The page of the hills with 64 bodies and more, train, merchant and birds among them, 800 pixels wide
and 500 high; errors are of all that is drawn. ";

/// A template, filled from what the tests wrote.
fn fragment(template: &str, text: &str, cores: &str) -> Result<String, MissingFigure> {
    let filled = template::fill(template, |name| {
        written(text, name).ok_or_else(|| MissingFigure(name.to_owned()))
    })?;
    Ok(format!(
        "{filled}By `cargo xtask figures arena frames hills-frames`, in headless Chromium without a graphics card, \
         on {cores}.\n"
    ))
}

/// All values of a key. Lines are `key | value`, a tab between.
fn written(text: &str, name: &str) -> Option<String> {
    let (key, digits) = name.split_once(' ')?;
    let fields = text.lines().filter_map(|line| line.split_once('\t'));
    let values: Vec<f64> =
        fields.filter(|(it, _)| *it == key).filter_map(|(_, value)| value.parse().ok()).collect();
    span(&values, digits.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = "far_naive_px\t53\nfar_naive_px\t61\nfar_interpolation_px\t54\n\
        far_updates_share\t0.28\nfar_reckoning_px\t22\nfar_step_px_s\t520\n\
        top_speed_px_s\t440\n\
        crowd_late_frames\t0\ncrowd_late_frames\t2\ncrowd_frames\t600\ncrowd_p99_ms\t5.5\n\
        crowd_stolen_percent\t0.1\n";

    fn written() -> String {
        let links = ["50", "150", "350", "bursts", "half"].into_iter();
        let keys = links.flat_map(|link| {
            [("naive_px", "100"), ("reckoning_px", "40"), ("ratio", "0.4")]
                .map(|(key, value)| format!("link_{link}_{key}\t{value}\n"))
        });
        WRITTEN.to_string() + &keys.collect::<String>()
    }

    #[test]
    fn every_key_finds_its_place() {
        let errors = fragment(ERRORS, &written(), "two cores").unwrap();
        let frames = fragment(FRAMES, WRITTEN, "two cores").unwrap();

        assert!(errors.contains("20 a second | 53 to 61 px | |"), "{errors}");
        assert!(errors.contains("0.28 times as many updates | 22 px | 520 px/s; top"), "{errors}");
        assert!(errors.contains("| 300 ms, half lost | 100 px | 40 px | 0.40 |"), "{errors}");
        assert!(frames.contains("0 to 2 of 600 frames took more than 16 ms"), "{frames}");
    }

    #[test]
    fn a_key_that_is_gone_is_named() {
        let text = written().replace("far_step_px_s", "step");

        assert_eq!(fragment(ERRORS, &text, "").unwrap_err().0, "far_step_px_s 0");
    }
}
