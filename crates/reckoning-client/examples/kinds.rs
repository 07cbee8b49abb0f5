//! Two kinds of bodies, declared once: run `kinds serve`, then `kinds` as often as you like.
use reckoning_client::{Client, ClientConfig, DVec3, Kinematics, SessionEvent, SimTime};
use reckoning_net::{Host, HostEvent, Kind, Kinds, KnownBody, Owner, PatternsConfig};
use reckoning_net::{PlannerKind, Scene, Surroundings, Threshold};
use reckoning_server::{Game, Server, Settings, host_config};

fn kinds() -> Result<Kinds, Box<dyn std::error::Error>> {
    let (mut walker, mut balloon) = (Kind::default(), Kind::default());
    walker.planner = PlannerKind::Ekb(PatternsConfig::default().scaled(0.01));
    balloon.publisher.threshold = Threshold::metres(2.0)?;
    let mut kinds = Kinds::default();
    kinds.add("walker", walker)?;
    kinds.add("balloon", balloon)?;
    Ok(kinds)
}

struct OneOfEach; // everyone who joins owns a walker and a balloon
impl Game for OneOfEach {
    fn event(&mut self, now: SimTime, event: &HostEvent, host: &mut Host) {
        let HostEvent::Joined { peer, before: None } = event else { return };
        for kind in ["walker", "balloon"].map(|name| host.config().kinds.named(name)) {
            let (owner, rest) = (Owner::Peer(*peer), Kinematics::at_rest(now, DVec3::ZERO));
            let _ = host.spawn_kind(now, kind.unwrap_or_default(), owner, b"", &rest);
        }
    }
    fn tick(&mut self, _: SimTime, _: &mut Host) {}
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        let mut host = host_config(&Settings::default());
        host.kinds = kinds()?;
        let mut server = Server::new(Settings::default());
        server.set_host(host);
        return Ok(server.start(OneOfEach)?.run()?);
    }
    let mut client = Client::connect(ClientConfig::new("127.0.0.1:4433"))?;
    let mut mine = Vec::new();
    loop {
        let now = client.drive();
        while let Some(event) = client.poll_event() {
            if let SessionEvent::Granted(entity) = event {
                mine.push(entity);
            }
        }
        let truth = Kinematics::moving(now, DVec3::X * 3.0 * now.as_secs_f64(), DVec3::X * 3.0);
        let bodies = [KnownBody::new(0, 0, truth)]; // your game: all that the player knows of
        let scene = Scene::new(&bodies, &[]);
        let around = Surroundings { scene: Some(&scene), ..Surroundings::default() };
        for entity in &mine {
            client.observe_with(*entity, &truth, &around);
        }
        for (entity, remote) in client.ghosts() {
            let kind = client.kinds().and_then(|kinds| kinds.name(remote.kind()));
            println!("{kind:?} {entity:?} {:.2?}", client.shown(entity, now).map(|it| it.position));
        }
        std::thread::sleep(std::time::Duration::from_millis(16));
    }
}
