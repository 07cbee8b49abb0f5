//! Two processes, one moving thing: run `hello serve`, then `hello` as often as you like.
use reckoning::{DVec3, Kinematics};
use reckoning_client::{Client, ClientConfig, SessionEvent};
use reckoning_server::{Relay, Server, Settings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        return Ok(Server::new(Settings::default()).start(Relay::default())?.run()?);
    }
    let mut client = Client::connect(ClientConfig::new("127.0.0.1:4433"))?;
    let mut mine = None;
    loop {
        let now = client.drive();
        while let Some(event) = client.poll_event() {
            match event {
                SessionEvent::Granted(entity) => mine = Some(entity),
                SessionEvent::Lost => println!("lost the server, trying again"),
                _ => {}
            }
        }
        if let Some(entity) = mine {
            let place = DVec3::X * 3.0 * now.as_secs_f64(); // your game: here straight on, 3 m/s
            client.observe(entity, &Kinematics::moving(now, place, DVec3::X * 3.0));
        }
        for (entity, _) in client.ghosts() {
            println!("{entity:?} is at {:.2?}", client.shown(entity, now).map(|it| it.position));
        }
        std::thread::sleep(std::time::Duration::from_millis(16));
    }
}
