//! `reckon serve` and `reckon bots` as an operator meets them: signals, systemd, logs, full disks.
#![cfg(unix)]

mod support;

use std::fs;
use std::io::Write;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use reckoning_recording::open_session;
use reckoning_testing::skip;
use serde_json::Value;
use support::{Server, scratch};

fn reckon(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_reckon")).args(words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn sighup_reloads_what_can_change_and_names_what_cannot() {
    let folder = scratch("sighup");
    let config = folder.join("server.toml");
    fs::write(&config, "log = 'warn'\n").unwrap();
    let sessions = folder.join("sessions");
    let words = ["--config", config.to_str().unwrap(), "--record", sessions.to_str().unwrap()];
    let server = Server::start(&folder, &words);
    server.wait_for("it records", |it| it.metric("reckoning_recorded_steps_total") > 0);

    fs::write(&config, "log = 'info'\ntick_hz = 30\n[shutdown]\ndrain_s = 3\n").unwrap();
    server.signal("HUP");
    server.wait_for("it reloads", |it| it.logged().contains("reloaded"));
    let log = server.logged();
    assert!(log.contains("log, shutdown.drain_s"), "{log}");
    assert!(log.contains("next start only") && log.contains("tick_hz"), "{log}");

    fs::write(&config, "tick_hz = 0\n").unwrap();
    server.signal("HUP");
    server.wait_for("it refuses", |it| it.logged().contains("not reloaded"));
    let recorded = server.metric("reckoning_recorded_steps_total");
    server.wait_for("it records on", |it| it.metric("reckoning_recorded_steps_total") > recorded);
    let (code, log) = server.stop();
    assert_eq!(code, Some(0), "{log}");
    let file = fs::read_dir(sessions).unwrap().next().unwrap().unwrap().path();
    assert_eq!(open_session(&fs::read(file).unwrap()).unwrap().truncated_at, None);
}

#[test]
fn systemd_hears_of_readiness_reload_life_and_stop() {
    let folder = scratch("systemd");
    let path = folder.join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    manager.set_read_timeout(Some(Duration::from_secs(15))).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_reckon"));
    command.args(["serve", "--listen", "127.0.0.1:0"]);
    command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "600000");
    let server = Server::spawn(&folder, &mut command);
    let next = |wanted: &str| loop {
        let mut buffer = [0; 512];
        let length = manager.recv(&mut buffer).unwrap_or_else(|error| panic!("{wanted}: {error}"));
        let said = text(&buffer[..length]);
        if said.lines().any(|line| line == wanted) {
            return;
        }
        assert!(!said.contains("READY") || wanted == "WATCHDOG=1", "{said} before {wanted}");
    };
    next("READY=1");
    next("WATCHDOG=1");
    next("WATCHDOG=1");
    server.signal("HUP");
    next("RELOADING=1");
    next("READY=1");
    server.signal("TERM");
    next("STOPPING=1");
    let (code, log) = server.stop();
    assert_eq!(code, Some(0), "{log}");
}

#[test]
fn the_unit_file_is_one() {
    let unit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reckon.service");
    let unit = fs::read_to_string(unit).unwrap();
    for line in ["Type=notify", "WatchdogSec=10s", "ExecReload=/bin/kill -HUP $MAINPID"] {
        assert!(unit.lines().any(|it| it == line), "{line}");
    }
    // It must name a program that is there.
    let here = unit.replace("/usr/local/bin/reckon", env!("CARGO_BIN_EXE_reckon"));
    let file = scratch("unit").join("reckon.service");
    fs::write(&file, here).unwrap();
    let verify = Command::new("systemd-analyze").args(["verify", file.to_str().unwrap()]).output();
    let Ok(verified) = verify else {
        return skip("the_unit_file_is_one", "no systemd-analyze");
    };
    let said = text(&verified.stderr);
    // Other units of the machine may be wrong.
    let ours: Vec<&str> = said.lines().filter(|line| line.contains("reckon.service")).collect();
    assert!(ours.is_empty(), "{said}");
}

#[test]
fn logs_are_json_when_asked_for() {
    let folder = scratch("json");
    let server = Server::start(&folder, &["--set", "log_format=json"]);
    server.wait_for("it is ready", |it| it.logged().contains("ready"));
    let (code, log) = server.stop();
    assert_eq!(code, Some(0), "{log}");
    let lines: Vec<Value> = log.lines().map(|it| serde_json::from_str(it).expect(it)).collect();
    assert!(lines.len() >= 3, "{log}");
    for line in &lines {
        assert_eq!(line["level"], "INFO", "{line}");
        assert!(line["time"].as_str().unwrap().ends_with('Z'), "{line}");
        assert!(line["message"].is_string(), "{line}");
    }
    assert!(lines[0]["address"].as_str().unwrap().starts_with("127.0.0.1:"), "{log}");
}

#[test]
fn bots_that_were_turned_away_are_counted_with_the_reason_on_both_sides() {
    let folder = scratch("bots");
    let limit = ["--set", "limits.connections_per_address=3", "--level", "tank-field"];
    let server = Server::start(&folder, &limit);
    let link = format!("http://{}/", server.address);
    let output = reckon(&["bots", "--join", &link, "--count", "5", "--seconds", "4"]);
    let (said, why) = (text(&output.stdout), text(&output.stderr));
    println!("{said}{why}");
    assert_eq!(output.status.code(), Some(1), "{said}{why}");
    assert!(said.starts_with("bots 5, joined 3, refused 2,"), "{said}");
    assert!(why.contains("2 of 5 programs never got in; turned away"), "{why}");
    assert!(why.contains("too many connections from this address"), "{why}");
    assert!(server.metric("reckoning_refused_total{cause=\"address_connections\"}") >= 2);
    server.wait_for("the log says so", |it| it.logged().contains("address_connections"));
}

#[test]
fn bots_with_a_key_mint_tokens_and_without_one_are_told_why_not() {
    let folder = scratch("bots-token");
    let key = folder.join("key.hex");
    fs::write(&key, reckon(&["token", "--new-key"]).stdout).unwrap();
    fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let key = key.to_str().unwrap();
    let server = Server::start(&folder, &["--token-key", key, "--level", "tank-field"]);
    let link = format!("http://{}/", server.address);
    let bots = |words: &[&str]| {
        let base = ["bots", "--join", &link, "--count", "2", "--seconds", "3"];
        let output = reckon(&[&base[..], words].concat());
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, said, why) = bots(&["--token-key", key]);
    assert_eq!(code, Some(0), "{said}{why}");
    assert!(said.starts_with("bots 2, joined 2, refused 0,"), "{said}");
    let (code, said, why) = bots(&[]);
    assert_eq!(code, Some(1), "{said}{why}");
    assert!(
        said.starts_with("bots 2, joined 0, refused 2,") && why.contains("Token"),
        "{said}{why}"
    );
    let (code, _, why) = bots(&["--token", "xyz"]);
    assert!(code == Some(1) && why.contains("not hexadecimal"), "{why}");
}

/// A server whose recordings go to a file system of 128 KiB, in a mount namespace of its own.
fn server_on_a_small_disk(folder: &Path) -> Option<Server> {
    let disk = folder.join("disk");
    fs::create_dir_all(&disk).unwrap();
    let mount = format!("mount -t tmpfs -o size=128k tmpfs {}", disk.display());
    let there = Command::new("unshare").args(["-m", "sh", "-c", &mount]).output();
    if !there.is_ok_and(|it| it.status.success()) {
        return None;
    }
    let serve = format!(
        "{mount} && exec {} serve --listen 127.0.0.1:0 --level tank-field --record {}",
        env!("CARGO_BIN_EXE_reckon"),
        disk.display()
    );
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &serve]);
    Some(Server::spawn(folder, &mut command))
}

#[test]
fn recording_goes_on_once_a_full_disk_has_space_again() {
    const TEST: &str = "recording_goes_on_once_a_full_disk_has_space_again";
    let folder = scratch("full-disk");
    let Some(server) = server_on_a_small_disk(&folder) else {
        return skip(TEST, "no mount namespace for a small file system");
    };
    // Its file system, as seen from here.
    let disk = folder.join("disk");
    let disk = format!("/proc/{}/root{}", server.child.id(), disk.display());
    let ballast = Path::new(&disk).join("ballast");
    server.wait_for("it records", |it| it.metric("reckoning_recorded_steps_total") > 0);
    assert!(server.get("/health").ends_with("\r\n\r\nok\n"));

    // Until nothing fits.
    let filled = fs::File::create(&ballast).and_then(|mut it| it.write_all(&vec![1; 128 * 1024]));
    assert!(filled.is_err());
    let link = format!("http://{}/", server.address);
    let bots = reckon(&["bots", "--join", &link, "--count", "8", "--seconds", "3"]);
    assert_eq!(bots.status.code(), Some(0), "{}", text(&bots.stderr));
    server.wait_for("it says so", |it| it.get("/health").contains("degraded: recording: "));
    assert!(server.get("/health").starts_with("HTTP/1.1 200"), "players are served all the same");
    assert!(server.metric("reckoning_recording_errors_total") > 0);
    let recorded = server.metric("reckoning_recorded_steps_total");

    fs::remove_file(&ballast).unwrap();
    server.wait_for("it goes on", |it| it.metric("reckoning_recorded_steps_total") > recorded);
    server.wait_for("it is well", |it| it.get("/health").ends_with("\r\n\r\nok\n"));
    let failed = server.metric("reckoning_recording_failed_total");
    let (code, log) = server.stop();
    println!("{failed} steps failed\n{log}");
    assert!(log.contains("recording goes on"), "{log}");
    // Whether something is missing depends on how long the disk was full: the code says so.
    assert_eq!(code, Some(i32::from(failed > 0)), "{log}");
    assert_eq!(log.contains("not complete"), failed > 0, "{log}");
}

#[test]
fn a_server_that_could_not_record_to_the_end_ends_with_an_error() {
    let folder = scratch("full-at-the-end");
    let Some(server) = server_on_a_small_disk(&folder) else {
        return skip("a_server_that_could_not_record", "no mount namespace");
    };
    let disk = folder.join("disk");
    let disk = format!("/proc/{}/root{}", server.child.id(), disk.display());
    server.wait_for("it records", |it| it.metric("reckoning_recorded_steps_total") > 0);
    let ballast = fs::File::create(Path::new(&disk).join("ballast"));
    let _ = ballast.and_then(|mut it| it.write_all(&vec![1; 128 * 1024]));
    let link = format!("http://{}/", server.address);
    reckon(&["bots", "--join", &link, "--count", "8", "--seconds", "4"]);
    server.wait_for("it says so", |it| it.get("/health").contains("degraded"));
    let (code, log) = server.stop();
    assert_eq!(code, Some(1), "{log}");
    assert!(log.contains("reckon: the recording is not complete: of "), "{log}");
}
