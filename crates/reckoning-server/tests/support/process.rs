//! A server in a process of its own, which can be killed and measured.
//!
//! The process is this very test program, told to run its ignored test `server_process`.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use super::{get, serve};

const FLAGS: &str = "RECKONING_SERVER_FLAGS";

/// Body of the ignored test `server_process`; without flags there is nothing to do.
pub fn serve_as_child() {
    let Ok(flags) = std::env::var(FLAGS) else { return };
    let flags: Vec<&str> = flags.lines().collect();
    let running = serve(&flags);
    println!("\nlistening {} {}", running.address(), running.operator_address().unwrap());
    running.run().unwrap();
}

pub struct Process {
    child: Child,
    pub address: SocketAddr,
    /// Of `/health` and `/metrics`.
    pub operator: SocketAddr,
}

impl Process {
    pub fn start(flags: &[&str]) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "server_process", "--nocapture"])
            // Its tests speak plain HTTP, whatever the certificate.
            .env(FLAGS, format!("http=plain\n{}", flags.join("\n")))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let said = lines.map_while(Result::ok).find(|line| line.starts_with("listening "));
        let said = said.expect("the server says where it listens");
        let mut addresses = said.split(' ').skip(1).map(|it| it.parse().unwrap());
        let mut next = || addresses.next().unwrap();
        Self { child, address: next(), operator: next() }
    }

    /// SIGKILL: nothing is flushed, nobody is told.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// SIGSTOP for that long, then SIGCONT: to itself the process has done nothing.
    pub fn suspend(&self, span: std::time::Duration) {
        signal(self.child.id(), "STOP");
        std::thread::sleep(span);
        signal(self.child.id(), "CONT");
    }

    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Memory in use, in bytes; `None` where the system does not tell.
    pub fn memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kb| kb * 1024)
    }

    /// A number of `/metrics`.
    pub fn metric(&self, name: &str) -> u64 {
        let text = get(self.operator, "/metrics");
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name} in {text}")).parse().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder of this test's own.
pub fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("reckoning-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Sends a process a signal by its name, such as `STOP` and `CONT`.
pub fn signal(process: u32, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status();
    assert!(status.unwrap().success(), "kill -{name} {process}");
}
