//! A `reckon` that runs beside the browsers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running `reckon play`, `reckon serve` or `reckon watch`.
pub struct Arena {
    child: Child,
    port: u16,
    is_https: bool,
}

impl Arena {
    /// `reckon play` on a free port with these further words.
    pub fn play(words: &[&str]) -> Self {
        Self::play_at(free_port(), words)
    }

    /// `reckon play` on this port.
    pub fn play_at(port: u16, words: &[&str]) -> Self {
        Self::start(port, false, &[&["play", "--port", &port.to_string()], words].concat())
    }

    /// `reckon serve` with the arena on a free port, over TLS with a certificate that it makes.
    pub fn serve_https() -> Self {
        let port = free_port();
        let listen = format!("127.0.0.1:{port}");
        let words =
            ["serve", "--listen", &listen, "--level", "proving-grounds", "--set", "http=tls"];
        Self::start(port, true, &words)
    }

    /// `reckon watch` on a free port.
    pub fn watch(file: &str) -> Self {
        let port = free_port();
        Self::start(port, false, &["watch", "--port", &port.to_string(), file])
    }

    fn start(port: u16, is_https: bool, words: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_reckon"))
            .args(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Read on, or a full pipe would stop the server.
        let errors = child.stderr.take().unwrap();
        let prints = child.stdout.take().unwrap();
        std::thread::spawn(move || pass_on(errors));
        std::thread::spawn(move || pass_on(prints));
        let arena = Self { child, port, is_https };
        arena.wait();
        arena
    }

    fn wait(&self) {
        let begin = Instant::now();
        while !self.is_well() {
            assert!(begin.elapsed() < Duration::from_secs(30), "no answer on port {}", self.port);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn is_well(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
        let request =
            b"GET /reckoning.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        let mut answer = String::new();
        // A port that speaks TLS answers a plain request, to say where to go instead.
        let wanted = if self.is_https { "HTTP/1.1 400" } else { "HTTP/1.1 200" };
        stream.write_all(request).is_ok()
            && stream.read_to_string(&mut answer).is_ok()
            && answer.starts_with(wanted)
    }

    /// The page.
    pub fn url(&self) -> String {
        let scheme = if self.is_https { "https" } else { "http" };
        format!("{scheme}://127.0.0.1:{}/", self.port)
    }

    /// Where it listens.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The head, in small letters, and the body of an answer to a request with these further lines.
    pub fn ask(&self, path: &str, lines: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{lines}\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|it| it == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(answer[..end].to_vec()).unwrap().to_lowercase();
        (head, answer[end + 4..].to_vec())
    }

    /// As if the machine had lost power.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn pass_on(output: impl Read) {
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        println!("    {line}");
    }
}

/// A port that nobody has now; the system hands out others next.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
