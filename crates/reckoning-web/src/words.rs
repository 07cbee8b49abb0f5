//! Values with their units: as they are read, and as they are heard.

/// The unit of losses that come together.
const IN_A_ROW: &str = "in a row";

/// A value with its unit, as the page shows it.
#[must_use]
pub fn shown(value: &str, unit: &str) -> String {
    if unit.trim() == IN_A_ROW && value == "1" {
        return "one by one".to_string();
    }
    format!("{value}{unit}")
}

/// The same for those who hear it: a screen reader makes letters of `ms`.
#[must_use]
pub fn spoken(value: &str, unit: &str) -> String {
    let word = match unit.trim() {
        "ms" => "milliseconds",
        "px" => "pixels",
        "m" => "metres",
        "%" => "percent",
        _ => return shown(value, unit),
    };
    format!("{value} {word}")
}

/// A moment of a recording, as a scrubber says it.
#[must_use]
pub fn spoken_moment(at_s: f64, seconds: f64) -> String {
    let of = |seconds: f64| {
        let seconds = seconds.max(0.0) as u64;
        match (seconds / 60, seconds % 60) {
            (0, seconds) => counted(seconds, "second"),
            (minutes, seconds) => {
                format!("{} {}", counted(minutes, "minute"), counted(seconds, "second"))
            }
        }
    };
    format!("{} of {}", of(at_s), of(seconds))
}

fn counted(number: u64, of: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {of}{end}")
}

/// How our own body is, for somebody who looks elsewhere meanwhile, and whether it is in need.
/// `health` is of `most`; `back_in_s` is how long the dead wait.
#[must_use]
pub fn own_note(
    compares: bool,
    is_alive: bool,
    [health, most]: [f64; 2],
    back_in_s: Option<f64>,
) -> (String, bool) {
    match (is_alive, back_in_s) {
        (false, Some(wait_s)) => {
            let wait_s = wait_s.max(0.0).ceil();
            (format!("You are out: back in {wait_s:.0} s"), true)
        }
        (true, _) if compares && health < most => {
            (format!("You were hit in the game: health {health:.0}"), true)
        }
        (true, _) if compares => (format!("You are still in the game: health {health:.0}"), false),
        _ => (String::new(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_with_its_unit_and_heard_in_words() {
        for (value, unit, read, heard) in [
            ("150", " ms", "150 ms", "150 milliseconds"),
            ("4", " px", "4 px", "4 pixels"),
            ("0.25", " m", "0.25 m", "0.25 metres"),
            ("3", " %", "3 %", "3 percent"),
            ("2", " in a row", "2 in a row", "2 in a row"),
            ("1", " in a row", "one by one", "one by one"),
        ] {
            assert_eq!((shown(value, unit), spoken(value, unit)), (read.into(), heard.into()));
        }
    }

    #[test]
    fn every_unit_of_the_page_is_known() {
        let page = include_str!("../page/index.html");
        for (at, mark) in page.match_indices("data-unit=\"") {
            let unit = page[at + mark.len()..].split('"').next().unwrap();
            let heard = spoken("7", unit);
            assert!(heard != shown("7", unit) || unit.trim() == IN_A_ROW, "{unit}");
        }
    }

    #[test]
    fn a_moment_is_heard_in_minutes_and_seconds() {
        assert_eq!(spoken_moment(5.9, 80.0), "5 seconds of 1 minute 20 seconds");
    }

    #[test]
    fn nobody_dies_unseen_while_the_comparison_is_looked_at() {
        let told = |compares, alive, health, wait| own_note(compares, alive, [health, 100.0], wait);
        assert!(told(true, true, 100.0, None).0.contains("health 100"));
        assert!(!told(true, true, 100.0, None).1);
        assert!(told(true, true, 40.0, None).1);
        for compares in [true, false] {
            let (text, in_need) = told(compares, false, 0.0, Some(1.2));
            assert!(text.contains("back in 2 s") && in_need, "{text}");
        }
        assert_eq!(
            told(false, true, 40.0, None),
            (String::new(), false),
            "there is a bar for that"
        );
    }
}
