//! `reckon play`, `bots` and `watch`, from the outside.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::Duration;

use reckoning_predict::TrendMap;
use reckoning_recording::open_session;
use serde_json::Value;

fn reckon(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_reckon")).args(words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn scratch(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// A server that ends with the test, and its address.
struct Running {
    child: Child,
    out: BufReader<ChildStdout>,
    address: String,
}

impl Running {
    fn start(words: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_reckon"))
            .args(words)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut address = String::new();
        for _ in 0..10 {
            let mut line = String::new();
            out.read_line(&mut line).unwrap();
            if let Some(rest) = line.trim().strip_prefix("http://") {
                address = rest.trim_end_matches('/').to_string();
                break;
            }
        }
        assert!(!address.is_empty(), "no link was printed");
        Self { child, out, address }
    }

    fn get(&self, path: &str) -> (String, Vec<u8>) {
        self.ask(path, "")
    }

    /// The same with more lines in the request's head, each with its end.
    fn ask(&self, path: &str, lines: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let head = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{lines}\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|it| it == b"\r\n\r\n").unwrap();
        (text(&answer[..end]).to_lowercase(), answer[end + 4..].to_vec())
    }

    fn json(&self, path: &str) -> Value {
        serde_json::from_slice(&self.get(path).1).unwrap()
    }

    /// As ctrl-c would; waits for the end.
    fn stop(mut self) -> String {
        assert!(Command::new("kill").arg(self.child.id().to_string()).status().unwrap().success());
        assert!(self.child.wait().unwrap().success());
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        rest
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

#[test]
fn help_and_refusals_name_what_to_say() {
    for (command, words) in [
        (
            "play",
            &["--port", "--bots", "--level", "--record", "--learned", "proving-grounds", "hills"][..],
        ),
        ("bots", &["--join", "--count", "--seconds"]),
        ("watch", &["FILE", "--port"]),
    ] {
        let help = text(&reckon(&[command, "--help"]).stdout);
        for word in words {
            assert!(help.contains(word), "{command}: {word}");
        }
    }
    let said = |words: &[&str]| {
        let output = reckon(words);
        (output.status.code().unwrap(), text(&output.stderr))
    };
    let (code, why) = said(&["play", "--bots", "999"]);
    assert!(code == 2 && why.contains("'999' for '--bots <N>': 999 is not in 0..=200"), "{why}");
    let (code, why) = said(&["play", "--level", "no-such-place"]);
    assert!(code == 1 && why.contains("no-such-place"), "{why}");
    let (code, why) = said(&["play", "--port", "0", "--learned", "no-such-file"]);
    assert!(code == 1 && why.contains("no-such-file"), "{why}");
    let (code, why) = said(&["play", "--port", "0", "--learned", "Cargo.toml"]);
    let wanted = "Cargo.toml: byte 0: not a learned model; make one with `reckon lab train`";
    assert!(code == 1 && why.contains(wanted), "{why}");
    let (code, why) = said(&["serve", "--set", "replication.learned=game.reck-model"]);
    assert!(code == 1 && why.contains("give a --level"), "{why}");
    let (code, why) = said(&["bots"]);
    assert!(code == 2 && why.contains("not provided:\n  --join <URL>"), "{why}");
    let (code, why) = said(&["bots", "--join", "127.0.0.1:1"]);
    assert!(code == 1 && why.contains("no arena at 127.0.0.1:1"), "{why}");
    let (code, why) = said(&["watch"]);
    assert!(code == 2 && why.contains("not provided:\n  <FILE>"), "{why}");
}

/// The value of a line of an answer's head, which is in small letters.
fn line<'a>(head: &'a str, name: &str) -> &'a str {
    let found = head.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(": "));
    found.unwrap_or_else(|| panic!("no {name} in {head}"))
}

#[test]
fn a_file_that_a_browser_has_already_is_not_sent_again() {
    let server = Running::start(&["play", "--bots", "0"]);
    for path in ["/", "/index.html", "/level.bin", "/level.toml"] {
        let (head, bytes) = server.get(path);
        if head.starts_with("http/1.1 404") {
            continue; // the page was not built in, and there is only one that says so
        }
        assert!(head.starts_with("http/1.1 200") && !bytes.is_empty(), "{path}: {head}");
        assert_eq!(line(&head, "cache-control"), "no-cache", "{path}");
        assert_eq!(line(&head, "content-length"), bytes.len().to_string(), "{path}");
        let tag = line(&head, "etag");
        assert!(tag.starts_with('"'), "{path}: a strong tag, not {tag}");
        let (again, none) = server.ask(path, &format!("if-none-match: {tag}\r\n"));
        assert!(again.starts_with("http/1.1 304") && none.is_empty(), "{path}: {again}");
        assert_eq!(line(&again, "etag"), tag, "{path}");
        let (other, all) = server.ask(path, "if-none-match: \"0123456789abcdef\"\r\n");
        assert!(other.starts_with("http/1.1 200") && all == bytes, "{path}: {other}");
    }
}

#[test]
fn programs_join_play_and_leave_a_recording_to_watch() {
    let folder = scratch("arena");
    let folder_text = folder.to_str().unwrap();
    let server = Running::start(&["play", "--port", "0", "--bots", "4", "--record", folder_text]);
    let (head, page) = server.get("/");
    assert!(head.contains("200 ok") && head.contains("content-type: text/html"), "{head}");
    assert!(head.contains("cross-origin-opener-policy: same-origin"), "{head}");
    assert!(text(&page).contains("<html"));
    let about = server.json("/arena.json");
    assert_eq!((&about["level"], &about["bots"]), (&"proving-grounds".into(), &4.into()));
    assert!(text(&server.get("/level.toml").1).contains("name = \"proving-grounds\""));
    assert_eq!(about["trend"], true);
    let trend = TrendMap::from_bytes(&server.get("/trend.bin").1).unwrap();
    assert!(trend.cells().filter(|it| it.2 > 0).count() > 100, "bots went to many places");

    let link = format!("http://{}/", server.address);
    let output = reckon(&["bots", "--join", &link, "--count", "3", "--seconds", "8"]);
    let said = text(&output.stdout);
    println!("{said}");
    let clean = "bots 3, joined 3, refused 0, lost 0, corrected 0, still in 3\n";
    assert!(said.starts_with(clean), "{said}{}", text(&output.stderr));
    server.stop();

    let file = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let opened = open_session(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(opened.truncated_at, None);
    let recording = opened.recording;
    let (players, vehicles): (Vec<_>, Vec<_>) =
        recording.tracks.iter().partition(|it| it.team >= 0);
    assert_eq!((players.len(), vehicles.len()), (7, 2));
    assert!(recording.players.iter().any(|it| it.name == "Ada" && it.team == 0));
    assert!(recording.meta.units == "px" && recording.level.shapes.len() > 4);
    for sample in players.iter().flat_map(|it| &it.samples) {
        assert!(sample.health.is_some() && sample.ammo.is_some(), "{sample:?}");
    }

    let watch = Running::start(&["watch", file.to_str().unwrap()]);
    assert_eq!(watch.json("/arena.json")["recording"], true);
    #[cfg(feature = "lab")]
    {
        assert_eq!(watch.json("/arena.json")["profile"], true);
        assert!(watch.get("/profile.svg").1.starts_with(b"<svg"));
        assert!(watch.get("/profile").1.starts_with(b"<!DOCTYPE html>"));
    }
    let header = watch.json("/recording.json");
    let bodies = header["bodies"].as_array().unwrap().len();
    let frames = header["seconds"].as_f64().unwrap() * header["rate_hz"].as_f64().unwrap();
    assert_eq!(header["level"], "proving-grounds");
    assert_eq!(watch.get("/recording.bin").1.len(), frames.round() as usize * bodies * 20);
    assert!(header["most_health"].as_f64().unwrap() > 0.0);
    watch.stop();
}

/// LI's interest scheme looks at health, shots and items; where a recording has none of them, it
/// goes straight on.
#[test]
fn programs_drive_in_the_hills_and_leave_a_recording() {
    let folder = scratch("hills");
    let record = ["--record", folder.to_str().unwrap()];
    let hills = ["play", "--level", "hills", "--port", "0", "--bots", "4"];
    let server = Running::start(&[&hills[..], &record].concat());
    let about = server.json("/arena.json");
    assert_eq!((&about["game"], &about["level"]), (&"hills".into(), &"hills".into()));
    assert_eq!(about["world"]["joints"], serde_json::json!(["sent", "derived", "off"]));
    assert!(text(&server.get("/level.toml").1).contains("[ground]"));

    let link = format!("http://{}/", server.address);
    let output = reckon(&["bots", "--join", &link, "--count", "2", "--seconds", "8"]);
    let said = text(&output.stdout);
    let clean = "bots 2, joined 2, refused 0, lost 0, corrected 0, still in 2\nborn 2,";
    assert!(said.starts_with(clean), "{said}{}", text(&output.stderr));
    server.stop();

    let file = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let recording = open_session(&fs::read(&file).unwrap()).unwrap().recording;
    assert_eq!((recording.meta.dims, recording.meta.map.as_str()), (3, "hills"));
    let drivers = recording.tracks.iter().filter(|it| it.team >= 0).count();
    assert_eq!(drivers, 6);
    assert!(recording.players.iter().any(|it| it.name == "train 0" && it.team < 0));
}

#[test]
fn interest_is_another_prediction_than_linear_on_a_recording_of_ours() {
    let folder = scratch("interest");
    let level = ["--level", "tank-field", "--bots", "8", "--record", folder.to_str().unwrap()];
    let server = Running::start(&[&["play", "--port", "0"][..], &level].concat());
    let link = format!("http://{}/", server.address);
    reckon(&["bots", "--join", &link, "--count", "1", "--seconds", "10"]);
    server.stop();

    let file = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let words = ["--predictors", "linear,interest", "--delays", "600,1200,2400"];
    let data = ["lab", "compare", "--fresh", "--data", file.to_str().unwrap()];
    let output = reckon(&[&data[..], &words, &["--format", "json"]].concat());
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    let errors_px = |name: &str| -> Vec<f64> {
        let rows = rows.as_array().unwrap().iter();
        let own = rows.filter(|row| row["kind"] == "open" && row["predictor"] == name);
        own.map(|row| row["aee"].as_f64().unwrap()).collect()
    };
    let (linear, interest) = (errors_px("linear"), errors_px("interest"));
    println!("600, 1200 and 2400 ms ahead: linear {linear:.2?} px off, interest {interest:.2?} px");
    // Which is better depends on where the bots went; where nothing draws them it is linear's.
    assert_eq!((linear.len(), interest.len()), (3, 3));
    let differs = |(a, b): (&f64, &f64)| (a - b).abs() > 0.005 * a;
    assert!(linear.iter().zip(&interest).any(differs), "{linear:?} and {interest:?}");
}

#[test]
fn a_server_with_a_level_is_an_arena_without_bots() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_reckon"))
        .args(["serve", "--listen", "127.0.0.1:0", "--level", "tank-field"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on ").unwrap().to_string();
    let server = Running { child, out, address };
    let about = server.json("/arena.json");
    assert_eq!((&about["level"], &about["bots"]), (&"tank-field".into(), &0.into()));
}
