//! A researcher's own data: the guide's page as it stands, and data that must not look perfect.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn reckon(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reckon"));
    command.args(words).current_dir(folder).env("RECKON_CACHE", folder.join("cache"));
    command.output().unwrap()
}

/// Stdout of what must succeed.
#[track_caller]
fn found(folder: &Path, words: &str) -> (String, String) {
    let output = reckon(folder, &words.split_whitespace().collect::<Vec<_>>());
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(0), "{words}\n{err}");
    (out, err)
}

/// Stderr of what must fail.
#[track_caller]
fn refused(folder: &Path, words: &str) -> String {
    let output = reckon(folder, &words.split_whitespace().collect::<Vec<_>>());
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(1), "{words}\n{out}\n{err}");
    err
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// An empty folder of this test's own.
fn scratch(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("own-data-{test}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

const PAGE: &str = include_str!("../../../docs/guide/11-your-own-data.md");

/// The first block of the guide's page in this language.
fn block(language: &str) -> &str {
    let begin = format!("```{language}\n");
    PAGE.split(&begin).nth(1).and_then(|rest| rest.split("```").next()).unwrap()
}

#[test]
fn the_commands_of_the_guide_do_what_it_says() {
    let test = "the_commands_of_the_guide_do_what_it_says";
    let folder = scratch("guide");
    let made = Command::new("python3").args(["-c", block("python")]).current_dir(&folder).status();
    if !made.is_ok_and(|status| status.success()) {
        return reckoning_testing::skip(test, "no python3");
    }
    let commands: Vec<&str> = block("sh").lines().collect();
    assert_eq!(commands.len(), 5);
    let answers: Vec<(String, String)> =
        commands.iter().map(|line| found(&folder, line.strip_prefix("reckon ").unwrap())).collect();
    let (imported, noted) = &answers[0];
    assert!(
        imported.contains("8 bodies, 3200 samples, 39.9 s at 10.0 Hz, 2 dimensions"),
        "{imported}"
    );
    assert!(noted.contains("8 ids are words"), "{noted}");
    assert!(answers[1].0.contains("b7"), "{}", answers[1].0);
    assert!(answers[2].0.contains("What the words mean"), "{}", answers[2].0);
    let report = fs::read_to_string(folder.join("flock.html")).unwrap();
    assert!(report.contains("<code>reckon lab compare --data flock.reck"), "the command line");
    assert!(answers[4].1.contains("was trained on flock / flock"), "{}", answers[4].1);
}

/// The csv and the json of the guide, with rows of one's own.
fn ours(folder: &Path, rows: &str, json: &str) {
    fs::write(folder.join("a.csv"), format!("t,id,x,y\n{rows}")).unwrap();
    fs::write(folder.join("a.json"), json).unwrap();
}

fn walk(ticks: i32) -> String {
    let row =
        |tick: i32| format!("{},1,{},0\n", f64::from(tick) * 0.1, f64::from(tick * tick) * 0.01);
    (0..ticks).map(row).collect()
}

#[test]
fn the_smallest_file_of_the_guide_is_read() {
    let folder = scratch("smallest");
    fs::write(folder.join("a.csv"), block("csv")).unwrap();
    fs::write(folder.join("a.json"), block("json")).unwrap();
    let (said, _) = found(&folder, "lab info a.csv");
    let words: Vec<String> =
        said.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for line in ["body width 0.4", "rate 10.0 Hz", "samples 4", "dimensions 2", "session morning"] {
        assert!(words.iter().any(|it| it == line), "no {line} in\n{said}");
    }
}

#[test]
fn a_sidecar_with_a_slip_is_refused_and_a_missing_one_is_explained() {
    let folder = scratch("sidecar");
    for (json, said) in [
        (r#"{"body_width": -1}"#, "a.json: body_width is `-1`, not a number above zero"),
        (
            r#"{"body_widht": 1}"#,
            "a.json: `body_widht` is not known here; the field is called `body_width`",
        ),
        (r#"{"body_width": 1, "rate": 10}"#, "the field is called `rate_hz`"),
    ] {
        ours(&folder, &walk(30), json);
        let answer = refused(&folder, "lab compare --data a.csv");
        assert!(answer.contains(said), "{answer}");
    }
    fs::remove_file(folder.join("a.json")).unwrap();
    let answer = refused(&folder, "lab info a.csv");
    assert!(answer.contains("reckon lab import csv"), "{answer}");
}

#[test]
fn data_that_lacks_something_is_warned_of_with_counts() {
    let folder = scratch("warned");
    let rows = walk(60) + "6.0,1,1,1\n6.0,1,1,1\n6.0,-9,1,1\n60,1,1,1\n60.1,1,1,1\n";
    ours(&folder, &rows, r#"{"rate_hz": 10}"#);
    let (out, err) =
        found(&folder, "lab compare --data a.csv --predictors hold,linear --delays 300");
    for part in [
        "warning: a.csv: 1 of 65 samples repeat a moment",
        "1 bodies have a negative id",
        "1 pauses of more than ten steps",
        "how wide a body is is not known, 1 is taken",
    ] {
        assert!(err.contains(part), "no {part} in {err}");
    }
    assert!(!out.contains("-0.00"), "{out}");
}

#[test]
fn where_nothing_usable_is_left_the_command_fails() {
    let folder = scratch("nothing");
    let json = r#"{"body_width": 1, "rate_hz": 10}"#;
    ours(&folder, "0,1,0,0\n0,2,0,0\n", json);
    for words in [
        "lab compare --data a.csv",
        "lab trend build --data a.csv -o a.trend",
        "lab train --data a.csv -o m",
    ] {
        let answer = refused(&folder, words);
        assert!(answer.contains("no usable sample: of 2 none"), "{words}: {answer}");
        assert!(answer.contains("nothing is left to work on"), "{words}: {answer}");
    }
    ours(&folder, &walk(5), json);
    let answer = refused(&folder, "lab compare --data a.csv --delays 900");
    assert!(answer.contains("nothing to judge at 900 ms"), "{answer}");
    assert!(answer.contains("no stretch of a body is longer than the shortest delay"), "{answer}");
}

#[test]
fn a_map_of_two_levels_is_warned_of() {
    let folder = scratch("levels");
    ours(
        &folder,
        &walk(60),
        r#"{"body_width": 1, "rate_hz": 10, "source": "birds", "session": "a"}"#,
    );
    fs::copy(folder.join("a.csv"), folder.join("b.csv")).unwrap();
    let taxis =
        r#"{"body_width": 1, "rate_hz": 10, "source": "taxis", "map": "town", "session": "b"}"#;
    fs::write(folder.join("b.json"), taxis).unwrap();
    let (_, err) = found(&folder, "lab trend build --data a.csv b.csv -o x.trend");
    assert!(err.contains("warning: b: is of taxis town, and the map begins with birds"), "{err}");
}

#[test]
fn a_foreign_csv_comes_out_as_it_went_in() {
    let folder = scratch("foreign");
    // Decimal commas, quotes, a byte order mark, lines as on Windows, rows out of order and twice.
    let rows = "\u{feff}\"when\";who;lon;lat;speed\r\n\
                2024-05-01 12:00:02;cab;13,4;52,5;7,5\r\n\
                2024-05-01 12:00:00;cab;13,4;52,5;\r\n\
                2024-05-01 12:00:00;cab;13,4;52,5;1\r\n\
                2024-05-01 12:00:01;cab;13,4;52,50001;2\r\n\
                2024-05-01 12:00:30;cab;13,5;52,5;3\r\n";
    fs::write(folder.join("cabs.csv"), rows).unwrap();
    for out in ["cabs.reck", "again.csv.zst"] {
        let words = format!(
            "lab import csv cabs.csv -o {out} --map t=when,id=who,x=lon,y=lat,v=speed --lonlat --width 2"
        );
        let (said, err) = found(&folder, &words);
        assert!(said.contains("1 bodies, 4 samples, 30.0 s at 1.0 Hz"), "{said}");
        for part in ["1 of 5 rows left out", "3 of 5 rows stood after", "1 gaps", "1 ids are words"]
        {
            assert!(err.contains(part) || part.starts_with('3'), "no {part} in {err}");
        }
        let recording = reckoning_recording::load_file(&folder.join(out)).unwrap();
        let track = &recording.tracks[0];
        let at = |row: usize| track.samples[row].position;
        assert!((at(1).y - at(0).y - 1.1119).abs() < 1e-3, "{:?}", at(1));
        assert_eq!(track.samples.iter().map(|it| it.segment).collect::<Vec<_>>(), [0, 0, 0, 1]);
        assert_eq!(track.column("v").unwrap().values[2], 7.5);
        assert_eq!(recording.players[0].name, "cab");
    }
}

#[test]
fn what_cannot_be_imported_is_named_with_a_remedy() {
    let folder = scratch("refused");
    fs::write(folder.join("a.csv"), "time,id,x,y\n0,1,0,0\n").unwrap();
    fs::write(folder.join("z.csv"), b"\x1f\x8b\x08").unwrap();
    fs::write(folder.join("c.csv"), "t,id,x,y\n0,1,1,5,2\n").unwrap();
    for (words, said) in [
        (
            "lab import csv a.csv -o a.reck --width 1",
            "say which one it is with --map t=NAME, of time, id, x, y",
        ),
        (
            "lab import csv a.csv -o a.reck --width 1 --map t=when",
            "there is no column `when` to be t; there are time",
        ),
        ("lab import csv z.csv -o a.reck --width 1", "packed by gzip; unpack it first"),
        (
            "lab import csv c.csv -o a.reck --width 1",
            "numbers with commas need quotes or other separators",
        ),
        ("lab import slp a.csv -o a.reck --rate 3", "--rate is for `reckon lab import csv`"),
    ] {
        let answer = refused(&folder, words);
        assert!(answer.contains(said), "{words}: {answer}");
    }
    let output = reckon(&folder, &["lab", "import", "csv", "a.csv", "-o", "a.reck"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(texts(&output).1.contains("--width"), "{}", texts(&output).1);
}
