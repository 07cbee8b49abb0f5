//! Plays beside a program in another language: `beside PROGRAM [WORDS]` starts a relay on a free port of
//! this machine and a player in Rust, then the program with the server's address as its last word and the
//! SHA-256 of its certificate in `RECKONING_CERTIFICATE`. Fails
//! unless the program ends well and its body was seen to move here.

use std::process::Command;
use std::time::Duration;

use reckoning::{DVec3, Kinematics};
use reckoning_client::{Client, ClientConfig, SessionEvent};
use reckoning_server::{Relay, Server, Settings, settings};

/// The program must be done by then.
const PATIENCE_S: f64 = 30.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (program, words) = words.split_first().ok_or("which program?")?;
    let table = settings::parse("listen = '127.0.0.1:0'\nlog = 'error'")?;
    let server = Server::new(Settings::from_table(table)?).start(Relay::default())?;
    let address = server.address().to_string();
    let mut client = Client::connect(ClientConfig::new(&address))?;
    let certificate = hex(&server.certificate_sha256());
    let mut other = Command::new(program);
    // For browsers, which trust no server of this machine by itself.
    other.args(words).arg(&address).env("RECKONING_CERTIFICATE", certificate);
    let mut other = other.spawn()?;

    let (mut mine, mut seen) = (None, Vec::new());
    let ended = loop {
        let now = client.drive();
        while let Some(event) = client.poll_event() {
            if let SessionEvent::Granted(entity) = event {
                mine = Some(entity);
            }
        }
        if let Some(entity) = mine {
            let place = DVec3::Y * 2.0 * now.as_secs_f64();
            client.observe(entity, &Kinematics::moving(now, place, DVec3::Y * 2.0));
        }
        seen.extend(
            client.ghosts().filter_map(|(it, _)| client.shown(it, now)).map(|it| it.position),
        );
        if let Some(status) = other.try_wait()? {
            break status;
        }
        if now.as_secs_f64() > PATIENCE_S {
            other.kill()?;
            return Err(format!("{program} was not done after {PATIENCE_S} s").into());
        }
        std::thread::sleep(Duration::from_millis(8));
    };
    server.stop();
    let far_m = seen.iter().map(|it| it.x).fold(0.0, f64::max);
    println!(
        "beside: in Rust the other body was seen {} times, as far as {far_m:.2} m",
        seen.len()
    );
    if ended.success() && seen.len() > 20 && far_m > 1.0 {
        Ok(())
    } else {
        Err(format!("{program} ended with {ended}").into())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
