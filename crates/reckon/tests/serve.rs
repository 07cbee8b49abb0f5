//! `reckon serve` and `reckon token`, from the outside.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use reckoning_recording::open_session;
use reckoning_server::token::{TokenKey, from_hex};
use reckoning_server::{Settings, unix_seconds};

fn reckon(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_reckon")).args(words).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn scratch(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn the_printed_configuration_is_the_default_one() {
    let output = reckon(&["serve", "--print-config"]);

    assert_eq!(output.status.code(), Some(0));
    assert_eq!(Settings::from_toml(&stdout(&output)).unwrap(), Settings::default());
}

#[test]
fn help_names_every_option_and_path() {
    let help = stdout(&reckon(&["serve", "--help"]));
    for word in ["--config", "--set", "--listen", "--record", "--token-key", "--print-config"] {
        assert!(help.contains(word), "{word}");
    }
    for path in ["/health", "/metrics", "/reckoning.json", "/ws"] {
        assert!(help.contains(path), "{path}");
    }
    assert!(stdout(&reckon(&["token", "--help"])).contains("--new-key"));
}

#[test]
fn a_wrong_setting_is_named_with_its_file_and_remedy() {
    let file = scratch("wrong_setting").join("server.toml");
    fs::write(&file, "tick_hz = 1000\n").unwrap();

    let output = reckon(&["serve", "--config", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let expected = "server.toml: setting tick_hz = 1000 is out of range; give 1 to 240\n";
    assert!(stderr(&output).ends_with(expected), "{}", stderr(&output));

    let output = reckon(&["serve", "--set", "limits.peer=3"]);
    assert!(stderr(&output).contains("no setting is called `limits.peer`"), "{}", stderr(&output));
    assert_eq!(reckon(&["serve", "--port", "3"]).status.code(), Some(2));
}

#[test]
fn a_token_is_minted_with_a_key_from_a_file() {
    let file = scratch("token").join("key.hex");
    let output = reckon(&["token", "--new-key", "--key", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output), "");

    let words = ["token", "--key", file.to_str().unwrap(), "--minutes", "5", "--entities", "7,9"];
    let output = reckon(&words);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let key = TokenKey::from_hex(&fs::read_to_string(&file).unwrap()).unwrap();
    let token = from_hex(stdout(&output).trim()).unwrap();
    let token = key.verify(&token, unix_seconds()).unwrap();
    assert_eq!(token.entities, [7, 9]);
    assert!((290..=300).contains(&(token.expires - unix_seconds())));
    let already_over = reckon(&["token", "--key", file.to_str().unwrap(), "--minutes", "0"]);
    assert_eq!(already_over.status.code(), Some(2), "a token that has ended is minted for nobody");
    let nothing_named = reckon(&["token"]);
    assert_eq!(nothing_named.status.code(), Some(2));
    assert!(
        stderr(&nothing_named).contains("<--new-key|--key <FILE>>"),
        "{}",
        stderr(&nothing_named)
    );
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let file = scratch("exposed").join("key.hex");
    fs::write(&file, stdout(&reckon(&["token", "--new-key"]))).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let path = file.to_str().unwrap();
    for words in [vec!["token", "--key", path], vec!["serve", "--token-key", path]] {
        let output = reckon(&words);
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        assert!(stderr(&output).contains("chmod 600"), "{}", stderr(&output));
    }
    assert_eq!(reckon(&["serve", "--set", "access=token"]).status.code(), Some(1));
}

#[cfg(unix)]
#[test]
fn a_server_told_to_stop_closes_its_recording() {
    let folder = scratch("stopped");
    let mut server = Command::new(env!("CARGO_BIN_EXE_reckon"))
        .args(["serve", "--listen", "127.0.0.1:0", "--record", folder.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("listening on 127.0.0.1:"), "{line}");
    // The line comes before the signal is caught; there is no other sign to wait for.
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(Command::new("kill").arg(server.id().to_string()).status().unwrap().success());
    let output = server.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("told to stop"), "{}", stderr(&output));
    let file = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    assert_eq!(open_session(&fs::read(file).unwrap()).unwrap().truncated_at, None);
}

#[test]
fn an_open_server_for_all_the_world_says_so_and_listens_by_name() {
    let said = |words: &[&str]| {
        let mut server = Command::new(env!("CARGO_BIN_EXE_reckon"))
            .arg("serve")
            .args(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        server.kill().unwrap();
        (line, stderr(&server.wait_with_output().unwrap()))
    };
    let (_, log) = said(&["--listen", "0.0.0.0:0"]);
    assert!(log.contains("everyone who reaches this server may join"), "{log}");
    let (_, log) = said(&["--listen", "0.0.0.0:0", "--set", "allow_open=true"]);
    assert!(!log.contains("everyone who reaches"), "{log}");
    let (line, log) = said(&["--listen", "localhost:0"]);
    assert!(line.starts_with("listening on 127.0.0.1:") || line.starts_with("listening on [::1]:"));
    assert!(!log.contains("everyone who reaches"), "{log}");
}
