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
    let text = read(&file)?;
    let fragment = errors(&text, &cores()).map_err(|it| it.in_file(&file))?;
    Ok(fragment)
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
    fragment(template, &read(file)?, &cores()).map_err(|it| it.in_file(file))
}

fn read(file: &Path) -> Result<String, Failure> {
    let unreadable = |error| Failure::Unreadable { path: file.to_owned(), error };
    fs::read_to_string(file).map_err(unreadable)
}

/// The links of the table, by the names that the tests give them.
const LINKS: [(&str, &str); 6] = [
    ("0", "0 ms"),
    ("50", "50 ms"),
    ("150", "150 ms, deviation 40 ms, 3 % lost"),
    ("350", "350 ms"),
    ("bursts", "350 ms, deviation 120 ms, 12 % lost in runs of 4"),
    ("half", "300 ms, 50 % lost"),
];

const HEAD: &str = "\
| link, one way | naive | interpolation, its buffer | at best | Reckoning | of naive | bytes/s, naive and interpolation | bytes/s, Reckoning |
| --- | --- | --- | --- | --- | --- | --- | --- |
";

/// Figures are `key digits`; `LINK` is one of the [`LINKS`].
const ROW: &str = "{link_LINK_naive_px 1} px | {link_LINK_interpolation_px 1} px, {link_LINK_buffer_ms 0} ms \
    | {link_LINK_best_px 1} px | {link_LINK_reckoning_px 1} px | {link_LINK_ratio 2} | \
    {link_LINK_plain_bytes_per_s 0} | {link_LINK_bytes_per_s 0} |\n";

const LEGEND: &str = "
Mean error on screen of twelve bots over six links, medians of three runs of 20 s. Naive shows the newest
position received, of twenty a second. Interpolation shows straight lines between two of them, behind an adaptive
buffer by which nineteen of twenty moments are there in time; the buffer is what positions wait beyond the usual
way. At best is its error if every datagram came as soon as the soonest and none were lost. Bytes are what is
received for all bots together, with 28 bytes of IP and UDP headers for each datagram and without the game's own
messages, such as shots. ";

const STEPS: &str = "\
Two browsers at 150 ms, deviation 40 ms, 3 % lost: Reckoning received {far_updates_share 2} times as many updates
as there were positions, and its largest step was {far_step_px_s 0} px/s, where top speed is {top_speed_px_s 0} px/s. ";

/// The fragment about errors over the arena's links.
fn errors(text: &str, cores: &str) -> Result<String, MissingFigure> {
    let row = |(link, name): &(&str, &str)| format!("| {name} | {}", ROW.replace("LINK", link));
    let rows: String = LINKS.iter().map(row).collect();
    let losses = losses(text)?;
    fragment(&format!("{HEAD}{rows}{LEGEND}{losses}{STEPS}"), text, cores)
}

/// Where Reckoning is not the closest or not the cheapest, in words.
fn losses(text: &str) -> Result<String, MissingFigure> {
    let (mut further, mut dearer) = (Vec::new(), Vec::new());
    for (link, name) in LINKS {
        let mean = |key: &str| mean(text, &format!("link_{link}_{key}"));
        if mean("reckoning_px")? >= mean("naive_px")?.min(mean("interpolation_px")?) {
            further.push(name);
        }
        if mean("bytes_per_s")? >= mean("plain_bytes_per_s")? {
            dearer.push(name);
        }
    }
    let told = |what: &str, links: &[&str]| match links {
        [] => format!("Reckoning {what} on every link. "),
        some => format!("Reckoning {what} on every link but: {}. ", some.join("; ")),
    };
    Ok(told("is the closest", &further) + &told("takes the fewest bytes", &dearer))
}

const FRAMES: &str = "\
With 64 bots, {crowd_late_frames 0} of {crowd_frames 0} frames took more than 16 ms of script and 99 of
100 less than {crowd_p99_ms 1} ms, while the host of the machine kept {crowd_stolen_percent 1} % of its
time. ";

const HILLS: &str = "\
| link | Reckoning | newest of 20 a second | interpolated | frame to frame | script, 99 of 100 |
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

/// All values of a key, as a span of so many digits: `key digits`.
fn written(text: &str, name: &str) -> Option<String> {
    let (key, digits) = name.split_once(' ')?;
    span(&values(text, key), digits.parse().ok()?)
}

/// All values of a key. Lines are `key | value`, a tab between.
fn values(text: &str, key: &str) -> Vec<f64> {
    let fields = text.lines().filter_map(|line| line.split_once('\t'));
    fields.filter(|(it, _)| *it == key).filter_map(|(_, value)| value.parse().ok()).collect()
}

fn mean(text: &str, key: &str) -> Result<f64, MissingFigure> {
    let values = values(text, key);
    let sum: f64 = values.iter().sum();
    let mean = sum / values.len() as f64;
    if values.is_empty() { Err(MissingFigure(key.to_owned())) } else { Ok(mean) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = "far_updates_share\t0.28\nfar_step_px_s\t520\ntop_speed_px_s\t440\n\
        crowd_late_frames\t0\ncrowd_late_frames\t2\ncrowd_frames\t600\ncrowd_p99_ms\t5.5\n\
        crowd_stolen_percent\t0.1\n";

    fn written() -> String {
        let keys = LINKS.into_iter().flat_map(|(link, _)| {
            [
                ("naive_px", "100"),
                ("interpolation_px", "120.25"),
                ("best_px", "90"),
                ("buffer_ms", "143.4"),
                ("reckoning_px", "40"),
                ("ratio", "0.4"),
                ("plain_bytes_per_s", "4280"),
                ("bytes_per_s", "3100"),
            ]
            .map(|(key, value)| format!("link_{link}_{key}\t{value}\n"))
        });
        WRITTEN.to_string() + &keys.collect::<String>()
    }

    #[test]
    fn every_key_finds_its_place() {
        let errors = errors(&written(), "two cores").unwrap();
        let frames = fragment(FRAMES, WRITTEN, "two cores").unwrap();

        let row =
            "| 350 ms | 100.0 px | 120.2 px, 143 ms | 90.0 px | 40.0 px | 0.40 | 4280 | 3100 |";
        assert!(errors.contains(row), "{errors}");
        assert!(errors.contains("0.28 times as many updates"), "{errors}");
        assert!(errors.contains("its largest step was 520 px/s"), "{errors}");
        assert!(frames.contains("0 to 2 of 600 frames took more than 16 ms"), "{frames}");
    }

    #[test]
    fn the_text_says_where_reckoning_does_not_win() {
        let all = losses(&written()).unwrap();
        assert!(all.contains("is the closest on every link."), "{all}");
        assert!(all.contains("takes the fewest bytes on every link."), "{all}");

        let text = written()
            .replace("link_0_naive_px\t100", "link_0_naive_px\t39")
            .replace("link_350_bytes_per_s\t3100", "link_350_bytes_per_s\t4300")
            .replace("link_bursts_bytes_per_s\t3100", "link_bursts_bytes_per_s\t4280");
        let some = losses(&text).unwrap();
        assert!(some.contains("is the closest on every link but: 0 ms. "), "{some}");
        let dearer =
            "the fewest bytes on every link but: 350 ms; 350 ms, deviation 120 ms, 12 % lost";
        assert!(some.contains(dearer), "{some}");
    }

    #[test]
    fn a_key_that_is_gone_is_named() {
        let text = written().replace("far_step_px_s", "step");
        assert_eq!(errors(&text, "").unwrap_err().0, "far_step_px_s 0");
        let text = written().replace("link_50_bytes", "bytes");
        assert_eq!(errors(&text, "").unwrap_err().0, "link_50_bytes_per_s");
    }
}
