//! Kinds of bodies from a settings file, over real sockets.

mod support;

use std::sync::Arc;
use std::time::Duration;

use reckoning::Model;
use reckoning_client::{Client, ClientConfig, EntityId, SessionEvent};
use reckoning_net::{KnownBody, PlannerNeed, Scene, Surroundings, Walls};
use reckoning_server::{Relay, Running, Server, Settings};

use support::{circle, wait_for};

/// A friend on the same circle is so far ahead.
const FRIEND_AHEAD: Duration = Duration::from_millis(700);
const FILE: &str = "listen = '127.0.0.1:0'\nlog = 'error'\nrelay_kind = 'walker'\n\
    [[kind]]\nname = 'balloon'\n\
    [[kind]]\nname = 'walker'\nplanner = 'ekb'\nmodel = 'damped'\nfade_ms = 700\nblend = 'snap'\n";

fn serve(text: &str) -> Running {
    let settings = Settings::from_toml(text).unwrap();
    let relay = Relay::of_kind(&settings.relay_kind);
    Server::new(settings).start(relay).unwrap()
}

/// A player who tells what is around, or does not.
struct Walker {
    client: Client,
    mine: Option<EntityId>,
    missing: Vec<PlannerNeed>,
    looks: bool,
}

impl Walker {
    fn new(server: &Running, looks: bool) -> Self {
        let mut config = ClientConfig::new(&server.address().to_string());
        config.session.planning.walls = Walls::new([]).ok().map(Arc::new);
        let client = Client::connect(config).unwrap();
        Self { client, mine: None, missing: Vec::new(), looks }
    }

    fn frame(&mut self) {
        let now = self.client.drive();
        while let Some(event) = self.client.poll_event() {
            match event {
                SessionEvent::Granted(entity) => self.mine = Some(entity),
                SessionEvent::PlannerMissing { needs, .. } => self.missing.push(needs),
                _ => {}
            }
        }
        let Some(mine) = self.mine else { return };
        let truth = circle(now);
        let bodies =
            [KnownBody::new(1, 0, truth), KnownBody::new(2, 0, circle(now + FRIEND_AHEAD))];
        let scene = Scene::new(&bodies, &[]);
        let around = Surroundings { scene: Some(&scene), id: 1, ..Surroundings::default() };
        if self.looks {
            self.client.observe_with(mine, &truth, &around);
        } else {
            self.client.observe(mine, &truth);
        }
    }

    /// The kind's name and the model of somebody's body, as it is shown here.
    fn sees(&self, body: EntityId) -> Option<(String, Model)> {
        let (_, remote) = self.client.ghosts().find(|(id, _)| *id == body)?;
        let name = self.client.kinds()?.name(remote.kind())?.to_string();
        Some((name, *remote.ghost().update().model()))
    }
}

#[test]
fn bodies_are_of_the_kind_that_the_file_names_and_planned_by_who_tells_what_is_around() {
    let server = serve(FILE);
    let (mut looking, mut blind) = (Walker::new(&server, true), Walker::new(&server, false));
    wait_for("a plan of one and the kind's model of the other", 20.0, || {
        looking.frame();
        blind.frame();
        let (Some(a), Some(b)) = (looking.mine, blind.mine) else { return false };
        let planned = blind.sees(a).is_some_and(|(kind, model)| {
            assert_eq!(kind, "walker");
            matches!(model, Model::Curve(_))
        });
        let plain = looking.sees(b).is_some_and(|(kind, model)| {
            assert_eq!(kind, "walker");
            matches!(model, Model::Damped { fade } if fade.as_millis() == 700)
        });
        planned && plain && !blind.missing.is_empty()
    });
    assert_eq!((looking.missing, blind.missing), (vec![], vec![PlannerNeed::Scene]));
    server.stop();
}

#[test]
fn a_threshold_finer_than_the_format_rounds_is_refused_when_a_server_starts() {
    let fine =
        "listen = '127.0.0.1:0'\nlog = 'error'\n[[kind]]\nname = 'tank'\nthreshold_m = 0.001\n";
    let server = Server::new(Settings::from_toml(fine).unwrap());
    let message = server.start(Relay::default()).err().unwrap().to_string();
    assert!(message.contains("threshold_m"), "{message}");
}

#[test]
fn a_file_declares_what_owners_say_of_their_bodies() {
    let server = serve(
        "listen = '127.0.0.1:0'\nlog = 'error'\nrelay_kind = 'car'\n[[kind]]\nname = 'car'\n\
         [[kind.joint]]\nname = 'gun'\n[[property]]\nname = 'nickname'\n\
         [[property]]\nname = 'secret'\nvalue = 'u16'\nseen = 'by_owner'\n",
    );
    let (mut ada, mut bob) = (Walker::new(&server, false), Walker::new(&server, false));
    let mut said = false;
    wait_for("a nickname at the other's", 20.0, || {
        ada.frame();
        bob.frame();
        let Some((nickname, secret)) = ada.client.kinds().and_then(|kinds| {
            Some((kinds.property_named("nickname")?, kinds.property_named("secret")?))
        }) else {
            return false;
        };
        let Some(body) = ada.mine else { return false };
        if !said {
            ada.client.aim(body, "gun", 0.5, 0.0);
            said = ada.client.set(body, nickname, "Ada").is_ok();
            said &= ada.client.set(body, secret, 7_u16).is_ok();
        }
        assert_eq!(bob.client.property(body, secret), None, "its owner alone sees it");
        let aimed = bob.client.joint_at(body, "gun", bob.client.now());
        let seen = bob.client.property(body, nickname).cloned();
        seen == Some("Ada".into()) && aimed.is_some_and(|angle| (angle - 0.5).abs() < 0.02)
    });
    server.stop();
}
