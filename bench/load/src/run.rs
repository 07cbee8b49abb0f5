//! One run: starts a server and its clients, waits, collects what they say.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use reckoning_server::Clock;

use crate::figures::Figures;
use crate::usage::{kernel_drops, loopback_bytes, machine};
use crate::{Failure, Load, Side};

/// Between everyone being in and the measured time: joins cost more than play.
const SETTLE: Duration = Duration::from_secs(2);

/// Set once the program runs in a network of its own.
const ALONE: &str = "RECKONING_LOAD_ALONE";

/// Whether this process has a loopback to itself, or must do without. If it can have one it is
/// started again within it, and the answer is no: the work is done.
pub fn is_alone() -> Result<bool, Failure> {
    if std::env::var_os(ALONE).is_some() {
        return Ok(true);
    }
    let mut inside = Command::new("unshare");
    inside.args(["-rn", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"]);
    let may = inside.arg("true").stderr(Stdio::null()).status().is_ok_and(|it| it.success());
    if !may {
        println!("no network namespace to be had: bytes on the loopback are everyone's\n");
        return Ok(true);
    }
    let status = Command::new("unshare")
        .args(["-rn", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"])
        .arg(std::env::current_exe()?)
        .args(std::env::args_os().skip(1))
        .env(ALONE, "1")
        .status()?;
    if status.success() { Ok(false) } else { Err("the run within its own network failed".into()) }
}

/// A process of ours: told words, says figures. Ends with this value.
struct Worker {
    child: Child,
    says: BufReader<ChildStdout>,
}

impl Worker {
    fn start(side: Side, load: Load, port: Option<u16>) -> Result<Self, Failure> {
        let name = if side == Side::Ours { "ours" } else { "renet" };
        let mut command = Command::new(std::env::current_exe()?);
        command.args([if port.is_some() { "--play" } else { "--serve" }, name]);
        command.args(["--clients", &load.clients.to_string()]);
        command.args(["--tick-hz", &load.tick_hz.to_string()]);
        if let Some(port) = port {
            command.args(["--port", &port.to_string()]);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let says = BufReader::new(child.stdout.take().ok_or("a process without a voice")?);
        Ok(Self { child, says })
    }

    fn tell(&mut self, word: &str) -> Result<(), Failure> {
        let ears = self.child.stdin.as_mut().ok_or("a process without ears")?;
        Ok(writeln!(ears, "{word}")?)
    }

    fn hear(&mut self) -> Result<Figures, Failure> {
        let mut line = String::new();
        if self.says.read_line(&mut line)? == 0 {
            return Err("a process of the run ended early".into());
        }
        Ok(Figures::read(&line))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It is through, or of no use any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a load and says what came of it.
pub fn measure(side: Side, load: Load) -> Result<Figures, Failure> {
    let mut server = Worker::start(side, load, None)?;
    let mut figures = server.hear()?;
    let mut clients = Worker::start(side, load, Some(figures.of("port") as u16))?;
    clients.hear()?;
    sleep(SETTLE);
    let (clock, before) = (Clock::start(), outside());
    clients.tell("begin")?;
    server.tell("begin")?;
    sleep(Duration::from_secs_f64(load.seconds));
    let (seconds, mut after) = (clock.now().as_secs_f64(), outside().since(&before));
    server.tell("end")?;
    figures.take(server.hear()?);
    clients.tell("end")?;
    figures.take(clients.hear()?);
    after.set("seconds", seconds);
    after.set("clients", load.clients as f64);
    after.set("half_period_us", 0.5e6 / f64::from(load.tick_hz));
    figures.take(after);
    Ok(figures)
}

fn outside() -> Figures {
    let (all, idle) = machine();
    let mut figures = Figures::default();
    figures.set("loopback_bytes", loopback_bytes());
    figures.set("kernel_drops", kernel_drops());
    figures.set("machine_all", all);
    figures.set("machine_idle", idle);
    figures
}
