//! Bodies are published, and so shown, about as fast as bodies can be.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use reckoning::{Quantiser, SimTime};
use reckoning_arena::Level;
use reckoning_arena::host::{
    ArenaHost, ArenaHostConfig, TRAINED_ON, host_config, session_config, trained, with_learned,
};
use reckoning_arena::protocol::{ClientMessage, ModelChoice};
use reckoning_net::{
    Delivery, Format, Host, HostConfig, HostEvent, PeerId, Registry, Session, SessionEvent,
};

const WATCHER: PeerId = PeerId(1);
const FRAME: Duration = Duration::from_micros(16_667);
/// Of bodies on the level.
const TOP_PX_S: f64 = 440.0;
/// Of velocities on the wire.
const ROUNDING: f64 = 1.01;

/// A host with bots and a watcher whose datagrams take a while each way.
struct Play {
    host: Host,
    arena: ArenaHost,
    watcher: Session,
    delay: Duration,
    ways: [VecDeque<(SimTime, Vec<u8>)>; 2],
    now: SimTime,
}

impl Play {
    fn new(model: ModelChoice, delay_ms: u64) -> Self {
        let level = Level::built_in(TRAINED_ON).unwrap();
        // The arena chooses its own; these are only there to begin with.
        let steps = Quantiser {
            position_m: 1.0,
            velocity_mps: 1.0,
            acceleration_mps2: 1.0,
            angular_velocity_radps: 1.0,
            orientation: 0.1,
        };
        let format = Format::new(true, 1_000, steps, &[], Registry::default());
        let config = host_config(HostConfig::new(format.unwrap()), &level).unwrap();
        let learned = trained().unwrap();
        let mut host = Host::new(with_learned(config, &learned).unwrap()).unwrap();
        let mut settings = ArenaHostConfig::default();
        (settings.demo, settings.bots, settings.learned) = (true, 12, Some(Arc::new(learned)));
        settings.tuning.model = model;
        let arena = ArenaHost::new(level, &settings);
        arena.apply_tuning(SimTime::ZERO, &mut host);
        host.connect(SimTime::ZERO, WATCHER);
        let watcher = Session::new(session_config()).unwrap();
        let delay = Duration::from_millis(delay_ms);
        Self { host, arena, watcher, delay, ways: Default::default(), now: SimTime::ZERO }
    }

    fn frame(&mut self) {
        let (now, [up, down]) = (self.now, &mut self.ways);
        let mut buffer = [0; 1_000];
        while let Some((at, bytes)) = down.pop_front_if(|(at, _)| *at <= now) {
            self.watcher.handle_datagram(at, &bytes);
        }
        self.watcher.handle_timeout(now);
        while let Some(event) = self.watcher.poll_event() {
            if matches!(event, SessionEvent::Joined { .. }) {
                let hello = ClientMessage::Hello { name: "Tess".into(), watch: true };
                self.watcher.send(&hello.encode(), Delivery::Reliable).unwrap();
            }
        }
        while let Some(length) = self.watcher.poll_datagram(now, &mut buffer) {
            up.push_back((now + self.delay, buffer[..length].to_vec()));
        }
        while let Some((at, bytes)) = up.pop_front_if(|(at, _)| *at <= now) {
            self.host.handle_datagram(at, WATCHER, &bytes);
        }
        self.tell();
        self.arena.tick(now, &mut self.host);
        self.host.handle_timeout(now);
        self.tell();
        while let Some((_, length)) = self.host.poll_datagram(now, &mut buffer) {
            self.ways[1].push_back((now + self.delay, buffer[..length].to_vec()));
        }
        self.now += FRAME;
    }

    fn tell(&mut self) {
        while let Some(event) = self.host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                self.host.admit(self.now, peer);
            } else {
                self.arena.handle_event(self.now, &event, &mut self.host);
            }
        }
    }
}

/// What a minute of bots looks like.
#[derive(Debug, Default)]
struct Shown {
    /// Speeds of the paths that updates describe, and of ghosts.
    paths: Vec<f64>,
    ghosts: Vec<f64>,
    errors: Vec<f64>,
}

fn shown(model: ModelChoice, delay_ms: u64) -> Shown {
    let mut play = Play::new(model, delay_ms);
    (0..300).for_each(|_| play.frame());
    let mut seen = Shown::default();
    for _ in 0..3_600 {
        play.frame();
        let at = play.watcher.timeline_at(play.now).unwrap();
        for player in play.arena.world().players().iter().filter(|it| it.is_alive) {
            let Some(entity) = play.arena.entity_of(player.id) else { continue };
            let Some((_, remote)) = play.watcher.ghosts().find(|it| it.0 == entity) else {
                continue;
            };
            let ghost = remote.ghost();
            seen.paths.push(ghost.update().velocity_at(at).length());
            seen.ghosts.push(ghost.velocity_at(at).length());
            let error_px = ghost.position_at(at).distance(player.position);
            // One that was just born is not on screen yet.
            if error_px < 600.0 {
                seen.errors.push(error_px);
            }
        }
    }
    for list in [&mut seen.paths, &mut seen.ghosts, &mut seen.errors] {
        list.sort_by(f64::total_cmp);
    }
    seen
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share) as usize]
}

#[test]
fn what_a_wall_takes_of_a_velocity_leads_no_ghost_away() {
    for model in [ModelChoice::Linear, ModelChoice::Accelerating, ModelChoice::Learned] {
        let seen = shown(model, 150);
        let [path, most_path] = [0.999, 1.0].map(|share| quantile(&seen.paths, share));
        let [ghost, most_ghost] = [0.99, 1.0].map(|share| quantile(&seen.ghosts, share));
        println!(
            "{model:?} at 150 ms: mean error {:.1} px; paths 99.9 % {path:.0}, most {most_path:.0} \
             px/s; ghosts 99 % {ghost:.0}, most {most_ghost:.0} px/s",
            seen.errors.iter().sum::<f64>() / seen.errors.len() as f64,
        );
        // Who is getting faster, or turns, is taken to go on so for a moment.
        assert!(path <= 1.5 * ROUNDING * TOP_PX_S, "{model:?}: {path}");
        assert!(most_path <= 2.2 * TOP_PX_S, "{model:?}: {most_path}");
        assert!(most_ghost <= 4.0 * TOP_PX_S, "{model:?}: {most_ghost}");
    }
}
