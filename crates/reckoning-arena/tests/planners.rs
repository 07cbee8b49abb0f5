//! Every planner of the panel, run by the host for its bots.

use std::sync::Arc;
use std::time::Duration;

use reckoning::{Model, SimTime};
use reckoning_arena::Level;
use reckoning_arena::host::{
    ArenaHost, ArenaHostConfig, ArenaRequest, host_config, trained, with_learned,
};
use reckoning_arena::planning::trend_map;
use reckoning_arena::protocol::{
    ClientMessage, DebugDatagram, ErrorAccounts, LinkChoice, ModelChoice, PlannerFigures,
    ServerTuning,
};
use reckoning_net::{Delivery, Format, Host, HostConfig, HostEvent, PeerId, Registry, Session};
use reckoning_net::{Quantiser, SessionConfig};

const STEP: Duration = Duration::from_micros(16_667);
const PEER: PeerId = PeerId(1);

/// An arena with everything that planners want, and one watcher over a perfect link.
struct Game {
    host: Host,
    arena: ArenaHost,
    watcher: Session,
    now: SimTime,
    worth: Vec<Option<PlannerFigures>>,
    accounts: Option<ErrorAccounts>,
}

impl Game {
    fn new(tuning: ServerTuning, is_whole: bool) -> Self {
        let level = Level::built_in("proving-grounds").unwrap();
        let steps = Quantiser {
            position_m: 1.0,
            velocity_mps: 1.0,
            acceleration_mps2: 1.0,
            angular_velocity_radps: 1.0,
            orientation: 0.1,
        };
        let format = Format::new(true, 1_000, steps, &[], Registry::default()).unwrap();
        let mut config = host_config(HostConfig::new(format), &level).unwrap();
        let network = trained().unwrap();
        config = with_learned(config, &network).unwrap();
        config.accounts = true;
        let mut settings = ArenaHostConfig::default();
        (settings.demo, settings.tuning) = (true, tuning);
        if is_whole {
            settings.learned = Some(Arc::new(network));
            settings.trends = trend_map(&level).map(Arc::new);
        }
        let mut host = Host::new(config).unwrap();
        let arena = ArenaHost::new(level, &settings);
        arena.apply_tuning(SimTime::ZERO, &mut host);
        host.connect(SimTime::ZERO, PEER);
        let watcher = Session::new(SessionConfig::default()).unwrap();
        let (worth, accounts) = (Vec::new(), None);
        Self { host, arena, watcher, now: SimTime::ZERO, worth, accounts }
    }

    fn say(&mut self, message: &ClientMessage) {
        self.watcher.send(&message.encode(), Delivery::Reliable).unwrap();
    }

    fn step(&mut self) {
        self.now += STEP;
        let now = self.now;
        self.arena.tick(now, &mut self.host);
        self.host.handle_timeout(now);
        let mut buf = [0; 1_000];
        while let Some((_, length)) = self.host.poll_datagram(now, &mut buf) {
            self.watcher.handle_datagram(now, &buf[..length]);
        }
        self.watcher.handle_timeout(now);
        while let Some(length) = self.watcher.poll_datagram(now, &mut buf) {
            self.host.handle_datagram(now, PEER, &buf[..length]);
        }
        while let Some(event) = self.host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                self.host.admit(now, peer);
            }
            self.arena.handle_event(now, &event, &mut self.host);
        }
        while self.watcher.poll_event().is_some() {}
        while let Some(request) = self.arena.poll_request() {
            let ArenaRequest::OutOfBand { bytes, .. } = request else { continue };
            match DebugDatagram::decode(&bytes) {
                Ok(DebugDatagram::Worth(worth)) => self.worth = worth.planners,
                Ok(DebugDatagram::Accounts(accounts)) => self.accounts = Some(accounts),
                _ => {}
            }
        }
    }

    fn join(&mut self) {
        (0..60).for_each(|_| self.step());
        self.say(&ClientMessage::Hello { name: "eye".into(), watch: true });
        self.say(&ClientMessage::Subscribe { truth: true, snapshots: false });
        (0..60).for_each(|_| self.step());
    }

    /// Mean distance between what the watcher shows of living bots and where they are.
    fn error_px(&self) -> f64 {
        let players = self.arena.world().players().iter().filter(|it| it.is_alive);
        let errors = players.filter_map(|player| {
            let entity = self.arena.entity_of(player.id)?;
            Some(self.watcher.shown(entity, self.now)?.position.distance(player.position))
        });
        let errors: Vec<f64> = errors.collect();
        assert!(errors.len() >= 4 && errors.iter().all(|px| px.is_finite()), "{errors:?}");
        errors.iter().sum::<f64>() / errors.len() as f64
    }
}

fn tuning(model: ModelChoice) -> ServerTuning {
    ServerTuning { model, ..ServerTuning::default() }
}

#[test]
fn every_planner_plans_for_the_bots_and_a_watcher_sees_them_where_they_are() {
    let mut game = Game::new(tuning(ModelChoice::Linear), true);
    game.join();
    for choice in ModelChoice::ALL {
        game.say(&ClientMessage::SetTuning(tuning(choice)));
        (0..120).for_each(|_| game.step());
        assert_eq!(game.arena.tuning().model, choice);
        let mut sum_px = 0.0;
        for _ in 0..120 {
            game.step();
            sum_px += game.error_px();
        }
        let is_curve = |model: &Model| matches!(model, Model::Curve(_));
        let curves = game.host.entities().filter(|it| is_curve(it.2.model())).count();
        println!("{}: {:.1} px, {curves} curves", choice.name(), sum_px / 120.0);
        let is_plain = ModelChoice::PLAIN.contains(&choice);
        assert_eq!(curves == 0, is_plain, "{} is of another sort", choice.name());
        // A body that is taken to stand still lags by its blend.
        let most_px = if choice == ModelChoice::Hold { 90.0 } else { 40.0 };
        assert!(sum_px / 120.0 < most_px, "{}: {} px", choice.name(), sum_px / 120.0);
    }
}

#[test]
fn a_planner_that_lacks_something_is_refused_with_a_reason_and_the_others_stay() {
    let mut game = Game::new(tuning(ModelChoice::Ekb), false);
    game.join();
    for choice in [ModelChoice::Learned, ModelChoice::Trend] {
        assert!(game.arena.missing(choice).is_some_and(|why| why.contains("this level")));
        game.say(&ClientMessage::SetTuning(ServerTuning { threshold_px: 9.0, ..tuning(choice) }));
        (0..30).for_each(|_| game.step());
        assert_eq!(game.arena.tuning().model, ModelChoice::Ekb);
        assert_eq!(game.arena.tuning().threshold_px, 9.0, "what it can do it does");
    }
    (0..420).for_each(|_| game.step());
    let measured = |choice: ModelChoice| game.worth[choice as usize].is_some();
    assert!(!measured(ModelChoice::Learned) && !measured(ModelChoice::Trend));
    assert!(measured(ModelChoice::Oaekb) && measured(ModelChoice::Linear));
}

#[test]
fn what_each_planner_is_worth_is_measured_over_the_same_truth() {
    let mut game = Game::new(tuning(ModelChoice::Linear), true);
    game.join();
    (0..180).for_each(|_| game.step());
    assert_eq!(game.worth, [], "five seconds are not over");
    (0..420).for_each(|_| game.step());
    let near: Vec<PlannerFigures> = game.worth.iter().map(|it| it.unwrap()).collect();
    assert_eq!(near.len(), ModelChoice::ALL.len());
    let link = LinkChoice { delay_ms: 200, ..LinkChoice::NONE };
    game.say(&ClientMessage::SetLink(link));
    (0..420).for_each(|_| game.step());
    let far: Vec<PlannerFigures> = game.worth.iter().map(|it| it.unwrap()).collect();
    for (choice, (near, far)) in ModelChoice::ALL.into_iter().zip(near.iter().zip(&far)) {
        println!(
            "{:16} {:5.1} px at once, {:5.1} px over 200 ms, {:4.1} updates/s",
            choice.name(),
            near.error_px,
            far.error_px,
            far.updates_per_s
        );
        // The guess of a publisher is never off by more than the threshold.
        assert!(near.error_px < 4.0, "{choice:?}");
        assert!(far.error_px > 2.0 * near.error_px, "{choice:?}");
        assert!((0.5..60.0).contains(&near.updates_per_s), "{choice:?}");
    }
    let updates = |choice: ModelChoice| near[choice as usize].updates_per_s;
    assert!(updates(ModelChoice::Hold) > 2.0 * updates(ModelChoice::Linear));
    assert!(updates(ModelChoice::Learned) < updates(ModelChoice::Linear));

    let accounts = game.accounts.expect("accounts are kept");
    let own = accounts.confirmed + accounts.estimated;
    assert_eq!(accounts.listeners, 1);
    assert!(own > 0.0 && accounts.spread.iter().all(|it| (it - own).abs() < 0.01 * own));

    game.say(&ClientMessage::Subscribe { truth: false, snapshots: false });
    game.worth.clear();
    (0..420).for_each(|_| game.step());
    assert_eq!(game.worth, [], "nobody asks");
}
