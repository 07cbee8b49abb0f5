//! A `reckon serve` in a process of its own.
#![allow(dead_code, reason = "no test uses all of it")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A folder of this test's own.
pub fn scratch(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// A server that ends with the test.
pub struct Server {
    pub child: Child,
    /// What it logs, in a file that can be read while it runs.
    pub log: PathBuf,
    pub address: String,
    operator: String,
}

impl Server {
    pub fn start(folder: &Path, words: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reckon"));
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(words);
        Self::spawn(folder, &mut command)
    }

    pub fn spawn(folder: &Path, command: &mut Command) -> Self {
        let log = folder.join("log");
        let errors = fs::File::create(&log).unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(errors).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut line = || lines.next().map_or_else(String::new, Result::unwrap);
        let address = line().replace("listening on ", "");
        let operator = line().replace("health and metrics on http://", "").replace('/', "");
        Self { child, log, address, operator }
    }

    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    pub fn logged(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    pub fn wait_for(&self, what: &str, mut check: impl FnMut(&Self) -> bool) {
        for _ in 0..300 {
            if check(self) {
                return;
            }
            sleep(Duration::from_millis(50));
        }
        panic!("not within 15 s: {what}\n{}", self.logged());
    }

    pub fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.operator).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    pub fn metric(&self, name: &str) -> u64 {
        let answer = self.get("/metrics");
        let line = answer.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name} in {answer}")).parse().unwrap()
    }

    /// The exit code after SIGTERM, and everything it logged.
    pub fn stop(mut self) -> (Option<i32>, String) {
        self.signal("TERM");
        let code = self.child.wait().unwrap().code();
        (code, self.logged())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
