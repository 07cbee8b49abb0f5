//! Contract of the command line: answers, exit codes, help, completions and manual pages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use reckoning::{DVec3, SimTime};
use reckoning_recording::{Recording, Sample, Track, load_file, write_session};

fn reckon(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_reckon")).args(words).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// An empty folder of this test's own.
fn scratch(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Two walkers, up and down a line.
fn walkers() -> Recording {
    let track = |id: i32| {
        let mut track = Track::new(id, id, &[]);
        for tick in 0..400_i32 {
            let at = SimTime::from_tick(i64::from(tick), 20);
            let along = f64::from((tick % 100 - 50).abs()) * 0.1;
            let position = DVec3::new(along, f64::from(id), 0.0);
            track.push(Sample { at, position, alive: true, ..Sample::default() }, &[]);
        }
        track
    };
    let mut recording = Recording {
        source: "made-up".to_string(),
        session: "walkers".to_string(),
        tracks: vec![track(1), track(2)],
        ..Recording::default()
    };
    recording.meta.rate_hz = 20.0;
    recording.meta.body_width = 0.6;
    recording.meta.units = "m".to_string();
    recording.tidy();
    recording
}

fn walkers_file(folder: &Path) -> PathBuf {
    let path = folder.join("walkers.reck");
    fs::write(&path, write_session(&walkers(), Vec::new()).unwrap()).unwrap();
    path
}

#[test]
fn every_command_explains_itself_with_an_example() {
    for words in [
        &["--help"][..],
        &["lab", "--help"],
        &["lab", "compare", "--help"],
        &["lab", "reproduce", "-h"],
        &["lab", "fit", "-h"],
        &["lab", "trend", "--help"],
        &["lab", "trend", "build", "--help"],
        &["lab", "trend", "draw", "--help"],
        &["lab", "import", "--help"],
        &["lab", "export", "--help"],
        &["lab", "info", "--help"],
        &["lab", "scoreboard", "--help"],
        &["lab", "bytes", "--help"],
    ] {
        let output = reckon(words);
        assert_eq!(output.status.code(), Some(0), "{words:?}");
        assert!(
            stdout(&output).contains("Example:\n  reckon lab") || words.len() == 1,
            "{words:?}"
        );
    }
    assert!(stdout(&reckon(&["lab", "compare", "--help"])).contains("keeps its velocity"));
}

#[test]
fn words_that_are_not_understood_are_named_with_what_would_be() {
    for (words, said) in [
        ("lba", "unrecognized subcommand 'lba'"),
        ("lab compare --delays 300,soon", "'soon' for '--delays <MS,MS,...>': not a whole number"),
        ("lab compare --bound -3", "'-3' for '--bound <U>': not a length above zero"),
        ("lab compare --link dealy=3", "'dealy=3' for '--link <SPEC>'"),
        (
            "lab compare --format xml",
            "'xml' for '--format <FORM>'\n  [possible values: table, json",
        ),
        ("lab compare --data", "a value is required for '--data <PATH>...'"),
        ("lab compare walkers.reck", "unexpected argument 'walkers.reck'"),
        ("lab reproduce", "not provided:\n  <DOCUMENT>"),
        ("lab reproduce smith", "'smith' for '<DOCUMENT>...'\n  [possible values: murphy, thesis"),
        ("lab reproduce li --format csv", "'--format <FORM>'\n  [possible values: table, json]"),
        ("lab trend paint", "unrecognized subcommand 'paint'"),
        ("lab trend build -o x", "not provided:\n  --data <PATH>..."),
        ("lab trend draw x.trend", "not provided:\n  --output <OUT.svg>"),
        ("lab train", "not provided:\n  --output <GAME.reck-model>"),
        ("lab train -o x --goal fame", "'fame' for '--goal <GOAL>'\n  [possible values: packets,"),
        ("lab train -o x --bounds 1,wide", "'wide' for '--bounds <U,U,...>': not a number"),
        ("lab fit", "not provided:\n  <PREDICTOR>"),
        (
            "lab fit linear",
            "'linear' for '<PREDICTOR>'\n  [possible values: interest, interest-hybrid",
        ),
        ("lab learned-table", "not provided:\n  --data <PATH>..."),
        ("lab import doom x -o y.reck", "'doom' for '<KIND>'\n  [possible values: bzflag, slp"),
        (
            "lab import slp x -o y.txt",
            "'y.txt' for '--output <OUT>': must end in .reck or .csv.zst",
        ),
        ("lab import slp -o y.reck", "not provided:\n  <FILE>"),
        ("lab export x.reck", "not provided:\n  --parquet <OUT>"),
        ("lab info x y", "unexpected argument 'y'"),
        ("man lab compere", "unrecognized subcommand 'compere'"),
    ] {
        let answer = refusal(&words.split(' ').collect::<Vec<_>>());
        assert!(answer.contains(said), "{words}: {answer}");
    }
}

/// What is said to words that are not understood.
fn refusal(words: &[&str]) -> String {
    let output = reckon(words);
    assert_eq!(output.status.code(), Some(2), "{words:?}");
    assert!(output.stdout.is_empty(), "{words:?}");
    let answer = stderr(&output);
    assert!(answer.contains("try '--help'"), "{answer}");
    answer
}

#[test]
fn a_misspelt_command_is_answered_with_the_right_one() {
    for (words, right) in [
        (&["labb"][..], "'lab'"),
        (&["plya"], "'play'"),
        (&["lab", "compre"], "'compare'"),
        (&["lab", "trend", "biuld"], "'build'"),
    ] {
        let answer = refusal(words);
        let tip = format!("a similar subcommand exists: {right}");
        assert!(answer.contains(&tip), "{words:?}: {answer}");
    }
}

#[test]
fn a_misspelt_option_or_value_is_answered_with_the_right_one() {
    for (words, tip) in [
        (&["play", "--potr", "1"][..], "a similar argument exists: '--port'"),
        (&["serve", "--lisen", "x"], "a similar argument exists: '--listen'"),
        (&["lab", "compare", "--predictor", "x"], "a similar argument exists: '--predictors'"),
        (&["lab", "reproduce", "murphey"], "a similar value exists: 'murphy'"),
    ] {
        let answer = refusal(words);
        assert!(answer.contains(tip), "{words:?}: {answer}");
    }
}

#[test]
fn commands_that_have_commands_explain_themselves_when_alone() {
    for words in [&[][..], &["lab"], &["lab", "trend"]] {
        let output = reckon(words);
        assert_eq!(output.status.code(), Some(0), "{words:?}");
        assert!(stdout(&output).contains("Example"), "{words:?}");
        assert_eq!(stderr(&output), "", "{words:?}");
    }
    let version = concat!("reckon ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(stdout(&reckon(&["--version"])), version);
    assert_eq!(stdout(&reckon(&["-V"])), version);
}

/// The commands that a help text lists.
fn commands_of(words: &[&str]) -> Vec<String> {
    let help = stdout(&reckon(words));
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names =
        list.take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(String::from).collect()
}

#[test]
fn completions_know_every_command() {
    let commands = [commands_of(&["--help"]), commands_of(&["lab", "--help"])].concat();
    assert!(commands.len() > 12, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = reckon(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{shell}");
        let script = stdout(&output);
        for command in &commands {
            assert!(script.contains(command), "{shell}: {command}");
        }
        assert!(script.contains("predictors"), "{shell}");
    }
    assert!(refusal(&["completions", "tcsh"]).contains("bash, elvish, fish, powershell, zsh"));
}

#[test]
fn manual_pages_name_every_command() {
    for words in [&[][..], &["lab"], &["lab", "trend"]] {
        let page = stdout(&reckon(&[&["man"], words].concat()));
        assert!(page.starts_with(".ie") && page.contains("\n.TH reckon"), "{words:?}: {page}");
        let commands = commands_of(&[words, &["--help"]].concat());
        assert!(commands.len() > 1, "{words:?}");
        for command in commands {
            let path = [&["reckon"], words, &[command.as_str()]].concat().join("-");
            let name = path.replace('-', "\\-");
            assert!(page.contains(&format!("{name}(1)")), "{words:?}: {name}");
        }
    }
    assert!(stdout(&reckon(&["man", "lab", "compare"])).contains("keeps its velocity"));
}

#[test]
fn all_manual_pages_go_into_a_folder() {
    let folder = scratch("man").join("man1");
    let output = reckon(&["man", "--all", text(&folder)]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for page in ["reckon.1", "reckon-play.1", "reckon-lab.1", "reckon-lab-trend-draw.1"] {
        assert!(folder.join(page).is_file(), "{page}");
    }
    assert!(refusal(&["man", "play", "--all", text(&folder)]).contains("cannot be used with"));
}

#[test]
fn an_unknown_predictor_is_named_and_the_known_are_listed() {
    let output = reckon(&["lab", "compare", "--predictors", "linear,crystal-ball"]);
    assert_eq!(output.status.code(), Some(2));
    let answer = stderr(&output);
    for word in ["crystal-ball", "hold", "linear", "accelerating", "damped"] {
        assert!(answer.contains(word), "no {word} in: {answer}");
    }
}

#[test]
fn a_missing_file_is_a_failure_that_names_it() {
    for words in [
        &["lab", "info", "nowhere.reck"][..],
        &["lab", "info", "nowhere.csv.zst"],
        &["lab", "compare", "--data", "nowhere"],
        &["lab", "trend", "draw", "nowhere.trend", "-o", "x.svg"],
        &["lab", "import", "bzflag", "nowhere.rec", "-o", "x.reck"],
        &["lab", "export", "nowhere.reck", "--parquet", "x.parquet"],
    ] {
        let output = reckon(words);
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        assert!(stderr(&output).contains("nowhere"), "{words:?}: {}", stderr(&output));
    }
}

#[test]
fn info_says_what_a_recording_holds() {
    let folder = scratch("info_says");
    let output = reckon(&["lab", "info", text(&walkers_file(&folder))]);
    let answer = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for part in ["whole", "made-up", "walkers", "20.0 Hz", "19.9 s", "800", "Bodies"] {
        assert!(answer.contains(part), "no {part} in:\n{answer}");
    }
}

/// One of the walkers becomes a tank that leans and turns its turret.
fn tank_file(folder: &Path) -> PathBuf {
    let mut recording = walkers();
    let track = &mut recording.tracks[0];
    let samples = std::mem::take(&mut track.samples);
    for (number, sample) in samples.into_iter().enumerate() {
        let half = 0.01 * number as f32;
        let turned = [("qw", half.cos()), ("qx", half.sin()), ("qy", 0.0), ("qz", 0.0)];
        let turned: Vec<_> = turned.into_iter().chain([("joint:turret", half)]).collect();
        track.push_named(sample, &turned);
        track.set_last_kind("tank");
    }
    let path = folder.join("tank.reck");
    fs::write(&path, write_session(&recording, Vec::new()).unwrap()).unwrap();
    path
}

#[test]
fn info_tells_of_orientation_kinds_and_joints_where_there_are_any() {
    let folder = scratch("info_poses");
    let answer = stdout(&reckon(&["lab", "info", text(&tank_file(&folder))]));
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = answer.lines().map(words).collect();
    for line in
        ["orientation of 1 of 2 bodies", "kinds 1 tank", "joints turret", "- 1 1 400 1 tank"]
    {
        assert!(lines.iter().any(|it| it == line), "no {line:?} in:\n{answer}");
    }
    let plain = stdout(&reckon(&["lab", "info", text(&walkers_file(&folder))]));
    for word in ["orientation", "kind", "joints"] {
        assert!(!plain.contains(word), "{word} in:\n{plain}");
    }
}

#[test]
fn a_comparison_tells_of_angles_where_they_are_recorded_and_only_there() {
    let folder = scratch("compare_angles");
    let compare = |file: &Path, more: &[&str]| {
        let words = ["lab", "compare", "--fresh", "--data", text(file), "--predictors", "hold"];
        let output = reckon(&[&words[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    let tables = compare(&tank_file(&folder), &["--angle-bound", "2"]);
    for part in ["orientation and joints, mean error by delay in degrees", "turret", "2.00"] {
        assert!(tables.contains(part), "no {part} in:\n{tables}");
    }
    for form in ["table", "json", "csv"] {
        let plain = compare(&walkers_file(&folder), &["--format", form]);
        assert!(!plain.contains("orientation") && !plain.contains("deg"), "{form}:\n{plain}");
    }
}

#[test]
fn info_tells_of_a_file_that_was_cut_off() {
    let folder = scratch("info_cut");
    let path = walkers_file(&folder);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
    let output = reckon(&["lab", "info", text(&path)]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("cut off after byte"), "{}", stdout(&output));
}

#[test]
fn a_trend_map_is_built_and_drawn() {
    let folder = scratch("trend");
    let (session, map, svg) =
        (walkers_file(&folder), folder.join("walk.trend"), folder.join("walk.svg"));
    let built = reckon(&["lab", "trend", "build", "--data", text(&session), "-o", text(&map)]);
    assert_eq!(built.status.code(), Some(0), "{}", stderr(&built));
    assert!(stdout(&built).contains("sightings"));
    let drawn = reckon(&["lab", "trend", "draw", text(&map), "-o", text(&svg)]);
    assert_eq!(drawn.status.code(), Some(0), "{}", stderr(&drawn));
    assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg"));

    let foreign = reckon(&["lab", "trend", "draw", text(&session), "-o", text(&svg)]);
    assert_eq!(foreign.status.code(), Some(1));
    assert!(stderr(&foreign).contains("reckon lab trend build"), "{}", stderr(&foreign));
}

#[test]
fn a_session_becomes_parquet() {
    let folder = scratch("parquet");
    let out = folder.join("walkers.parquet");
    let session = walkers_file(&folder);
    let output = reckon(&["lab", "export", text(&session), "--parquet", text(&out)]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(fs::read(&out).unwrap().starts_with(b"PAR1"));
}

#[test]
fn a_real_game_is_imported_in_both_forms() {
    let test = "a_real_game_is_imported_in_both_forms";
    let Some(data) = reckoning_testing::recordings(test) else { return };
    let file = data.join("bzflag/robots.rec");
    let folder = scratch("import");
    let mut counts = Vec::new();
    for name in ["robots.reck", "renamed.csv.zst"] {
        let out = folder.join(name);
        let output = reckon(&["lab", "import", "bzflag", text(&file), "-o", text(&out)]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        counts.push(load_file(&out).unwrap().sample_count());
    }
    assert!(counts[0] > 500 && counts[0] == counts[1], "{counts:?}");

    let wrong = reckon(&["lab", "import", "slp", text(&file), "-o", text(&folder.join("x.reck"))]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(stderr(&wrong).contains("byte 0: this is not a Slippi replay"), "{}", stderr(&wrong));
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_reckon"))
        .args(["lab", "compare", "--help"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_scoreboard_has_a_row_for_each_predictor_with_what_it_costs_and_needs() {
    let folder = scratch("scoreboard");
    let (data, page) = (walkers_file(&folder), folder.join("board.html"));
    let words = ["lab", "scoreboard", "--fresh", "--predictors", "hold,ekb,chooser", "--data"];
    let json = [&words[..], &[text(&data), "--format", "json", "--out", text(&page)]].concat();
    let output = reckon(&json);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let rows: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 4, "linear always takes part: {rows:#?}");
    for row in rows {
        let (plan_ns, look_ns) = (row["plan_ns"].as_f64(), row["look_ns"].as_f64());
        assert!(plan_ns.unwrap() >= 0.0 && look_ns.unwrap() >= 0.0, "{row}");
        assert!(row["needs"].as_str().is_some_and(|it| !it.is_empty()), "{row}");
    }
    let row = |name: &str| rows.iter().find(|row| row["predictor"] == name).unwrap();
    assert_eq!(row("linear")["packets_ratio"]["value"], 1.0);
    assert!(row("hold")["aee_ratio"]["value"].as_f64().unwrap() > 1.5, "{rows:#?}");
    let html = fs::read_to_string(page).unwrap();
    assert!(html.contains("<td>chooser</td>") && html.contains("plan ns"), "{html}");
    let table = [&words[..], &[text(&data)]].concat();
    assert!(stdout(&reckon(&table)).contains("Scoreboard over made-up, errors at 300 ms"));
}

#[test]
fn bytes_are_told_by_kind_field_and_receiver() {
    let folder = scratch("bytes");
    let (data, page) = (tank_file(&folder), folder.join("bytes.html"));
    let links = ["--link", "delay=40", "--link", "delay=200,loss=0.1"];
    let words = [&["lab", "bytes", text(&data), "--out", text(&page)][..], &links].concat();
    let output = reckon(&words);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let told = stdout(&output);
    for part in ["tank", "body", "position", "velocity", "UDP and IP", "To 40 ms", "10 % lost"] {
        assert!(told.contains(part), "no {part}:\n{told}");
    }
    let html = fs::read_to_string(page).unwrap();
    assert!(html.contains("Bandwidth profile of walkers") && html.contains("</svg>"));
    let json = stdout(&reckon(&["lab", "bytes", text(&data), "--format", "json"]));
    let profile: serde_json::Value = serde_json::from_str(&json).unwrap();
    let receiver = &profile["receivers"][0];
    let kinds = receiver["kinds"].as_array().unwrap();
    let sum: f64 = kinds.iter().map(|kind| kind["bytes"].as_f64().unwrap()).sum();
    assert!((sum - receiver["bytes"].as_f64().unwrap()).abs() < 1e-6, "{profile:#}");
    assert!(receiver["seconds"].as_array().unwrap().len() >= 19, "{profile:#}");
}

#[test]
fn kinds_of_a_servers_settings_change_what_a_recording_costs() {
    let folder = scratch("bytes-settings");
    let (data, settings) = (tank_file(&folder), folder.join("server.toml"));
    let tanks = |threshold_m: &str| -> f64 {
        let text_of = format!("[[kind]]\nname = 'tank'\nthreshold_m = {threshold_m}\n");
        fs::write(&settings, text_of).unwrap();
        let words =
            ["lab", "bytes", text(&data), "--format", "json", "--settings", text(&settings)];
        let output = reckon(&words);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let profile: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        let kinds = profile["receivers"][0]["kinds"].as_array().unwrap().clone();
        kinds.iter().find(|kind| kind["kind"] == "tank").unwrap()["bytes"].as_f64().unwrap()
    };
    let (tight, wide) = (tanks("0.05"), tanks("2.0"));
    assert!(tight > wide, "{tight} {wide}");
}
