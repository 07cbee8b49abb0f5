//! Random histories of faults against a simple model, with the shortest failing one shown.
//!
//! The model: a body belongs to a token or to the host. It is gone when the game despawns it, when
//! its owner leaves, when the host has not heard from its owner for the grace period, or with the
//! host's process; never before. When all faults are over, every player has joined, owns the bodies of its
//! token, and has the same picture as the host.

use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence, RngAlgorithm, TestRng, TestRunner};
use reckoning::{DVec3, SimTime};
use reckoning_net::EntityId;
use reckoning_netsim::LinkConfig;

use super::game::{Motion, host_config};
use super::player::Life;
use super::world::{Happened, World};

const FRAME: Duration = Duration::from_millis(50);
const PLAYERS: usize = 3;
/// Once all faults are over: a session that lost its host notices within three seconds, waits for
/// two at most, and joins.
const SETTLE: Duration = Duration::from_secs(8);
/// How long all have to have the same before it counts.
const STEADY: Duration = Duration::from_secs(1);

/// Something that happens; players, bodies and places are taken modulo what there is.
#[derive(Clone, Copy, Debug)]
enum Step {
    Wait { ms: u16 },
    Loss { player: u8, percent: u8 },
    Partition { player: u8, ms: u16, up: bool, down: bool },
    Kill { player: u8, away_ms: u16 },
    Leave { player: u8, away_ms: u16 },
    SwapTokens { player: u8, other: u8, away_ms: u16 },
    Suspend { player: u8, ms: u16, clock_stands: bool },
    SetClock { player: u8, ms: u16 },
    Drift { player: u8, ppm: i16 },
    StopHost { ms: u16 },
    RestartHost { down_ms: u16 },
    Spawn { place: u8 },
    Despawn { body: u8 },
    Drive { body: u8, heading: u8, ms: u16 },
    Teleport { body: u8, place: u8 },
    Grant { body: u8, player: u8 },
    Revoke { body: u8 },
    Look { player: u8, place: u8 },
}

fn step() -> impl Strategy<Value = Step> {
    let player = || 0..PLAYERS as u8;
    let long = || prop_oneof![3 => 0..4_000_u16, 1 => 4_000..60_000_u16];
    let faults =
        prop_oneof![
            (player(), 0..60_u8).prop_map(|(player, percent)| Step::Loss { player, percent }),
            (player(), long(), any::<bool>(), any::<bool>())
                .prop_map(|(player, ms, up, down)| Step::Partition { player, ms, up, down }),
            (player(), long()).prop_map(|(player, away_ms)| Step::Kill { player, away_ms }),
            (player(), long()).prop_map(|(player, away_ms)| Step::Leave { player, away_ms }),
            (player(), player(), 0..4_000_u16)
                .prop_map(|(player, other, away_ms)| Step::SwapTokens { player, other, away_ms }),
            (player(), long(), any::<bool>())
                .prop_map(|(player, ms, clock_stands)| Step::Suspend { player, ms, clock_stands }),
            (player(), 0..60_000_u16).prop_map(|(player, ms)| Step::SetClock { player, ms }),
            (player(), -300..300_i16).prop_map(|(player, ppm)| Step::Drift { player, ppm }),
            long().prop_map(|ms| Step::StopHost { ms }),
            (0..8_000_u16).prop_map(|down_ms| Step::RestartHost { down_ms }),
        ];
    let game = prop_oneof![
        (0..3_000_u16).prop_map(|ms| Step::Wait { ms }),
        any::<u8>().prop_map(|place| Step::Spawn { place }),
        any::<u8>().prop_map(|body| Step::Despawn { body }),
        (any::<u8>(), any::<u8>(), 0..4_000_u16).prop_map(|(body, heading, ms)| Step::Drive {
            body,
            heading,
            ms
        }),
        (any::<u8>(), any::<u8>()).prop_map(|(body, place)| Step::Teleport { body, place }),
        (any::<u8>(), player()).prop_map(|(body, player)| Step::Grant { body, player }),
        any::<u8>().prop_map(|body| Step::Revoke { body }),
        (player(), any::<u8>()).prop_map(|(player, place)| Step::Look { player, place }),
    ];
    prop_oneof![2 => faults, 3 => game]
}

/// What is equal in all steps of a history.
#[derive(Clone, Copy, Debug)]
struct Setting {
    seed: u64,
    reuses_peers: bool,
    notices_idle: bool,
    tells_closed: bool,
}

fn setting() -> impl Strategy<Value = Setting> {
    let yes = any::<bool>;
    (0..1_000_u64, yes(), yes(), yes()).prop_map(
        |(seed, reuses_peers, notices_idle, tells_closed)| Setting {
            seed,
            reuses_peers,
            notices_idle,
            tells_closed,
        },
    )
}

fn place(n: u8) -> DVec3 {
    let (x, y) = (n % 16, n / 16);
    DVec3::new(f64::from(x) * 20.0 - 150.0, f64::from(y) * 20.0 - 150.0, 0.0)
}

fn millis(ms: u16) -> Duration {
    Duration::from_millis(ms.into())
}

/// A world, and who has left it.
struct Checker {
    world: World,
    /// By token.
    left: [bool; PLAYERS + 1],
}

impl Checker {
    fn new(setting: Setting) -> Self {
        let link: LinkConfig = "delay=30,jitter=10,reorder=0.02,dup=0.02".parse().unwrap();
        let links = [1, 2, 3].map(|n| LinkConfig { seed: setting.seed * 8 + n, ..link });
        let mut world = World::new(host_config(), &links, FRAME);
        (world.reuses_peers, world.notices_idle) = (setting.reuses_peers, setting.notices_idle);
        world.tells_closed = setting.tells_closed;
        for n in 0..6 {
            world.spawn(place(n * 43), None);
        }
        let mut checker = Self { world, left: [false; PLAYERS + 1] };
        checker.run(Duration::from_secs(1)).expect("nothing has happened");
        checker
    }

    fn run(&mut self, span: Duration) -> Result<(), String> {
        let end = self.world.now + span;
        while self.world.now < end {
            self.world.step();
            for (at, happened) in std::mem::take(&mut self.world.happened) {
                self.judge(at, happened)?;
            }
        }
        Ok(())
    }

    /// Whether that may happen now.
    fn judge(&mut self, at: SimTime, happened: Happened) -> Result<(), String> {
        match happened {
            Happened::Joined { token } => {
                self.left[token as usize] = false;
                Ok(())
            }
            Happened::Despawned { token: None } => Err("a body of the host is gone".to_string()),
            Happened::Despawned { token: Some(token) } => {
                let heard = self.world.heard.get(&token);
                let long = heard.is_some_and(|heard| at >= *heard + host_config().grace);
                let legal = long || self.left[token as usize];
                legal.then_some(()).ok_or_else(|| {
                    format!("a body of {token} is gone at {at:?}, heard at {heard:?}")
                })
            }
        }
    }

    fn body(&self, n: u8) -> Option<EntityId> {
        let ids: Vec<_> = self.world.bodies.keys().copied().collect();
        (!ids.is_empty()).then(|| ids[usize::from(n) % ids.len()])
    }

    fn take(&mut self, step: Step) -> Result<(), String> {
        match step {
            Step::Wait { ms } => return self.run(millis(ms)),
            Step::Spawn { .. }
            | Step::Despawn { .. }
            | Step::Drive { .. }
            | Step::Teleport { .. }
            | Step::Grant { .. }
            | Step::Revoke { .. }
            | Step::Look { .. } => self.play(step),
            _ => self.break_something(step),
        }
        self.run(millis(300))
    }

    fn play(&mut self, step: Step) {
        let now = self.world.now;
        if self.world.stopped_until > now {
            return; // a host that stands does nothing
        }
        match step {
            Step::Spawn { place: at } => drop(self.world.spawn(place(at), None)),
            Step::Look { player, place: at } => {
                self.world.look(self.world.players[usize::from(player)].token, place(at));
            }
            Step::Despawn { body } => {
                if let Some(id) = self.body(body) {
                    self.world.despawn(id);
                }
            }
            Step::Teleport { body, place: to } => {
                if let Some(id) = self.body(body) {
                    self.world.teleport(id, place(to));
                }
            }
            Step::Grant { body, player } => {
                if let Some(id) = self.body(body) {
                    let token = self.world.players[usize::from(player)].token;
                    self.world.grant(id, token);
                }
            }
            Step::Revoke { body } => {
                if let Some(id) = self.body(body) {
                    self.world.revoke(id);
                }
            }
            Step::Drive { body, heading, ms } => self.drive(body, heading, ms),
            _ => {}
        }
    }

    fn drive(&mut self, body: u8, heading: u8, ms: u16) {
        let Some(id) = self.body(body) else { return };
        let now = self.world.now;
        let angle = f64::from(heading) / 40.0;
        let velocity = DVec3::new(libm::cos(angle), libm::sin(angle), 0.0) * 5.0;
        let token = self.world.bodies[&id].token;
        let motion: Option<&mut Motion> = match token {
            None => self.world.bodies.get_mut(&id).map(|body| &mut body.motion),
            Some(token) => {
                let owner = self.world.players.iter_mut().find(|it| it.token == token);
                owner.filter(|it| it.is_awake()).and_then(|it| it.bodies.get_mut(&id))
            }
        };
        if let Some(motion) = motion {
            motion.drive(now, velocity, millis(ms));
        }
    }

    fn break_something(&mut self, step: Step) {
        let now = self.world.now;
        match step {
            Step::Loss { player, percent } => {
                let player = &mut self.world.players[usize::from(player)];
                let share = f64::from(percent) / 100.0;
                let loss = reckoning_netsim::Loss::Independent { share };
                player.set_link(LinkConfig { loss, ..player.link });
            }
            Step::Partition { player, ms, up, down } => {
                let player = &mut self.world.players[usize::from(player)];
                let until = now + millis(ms);
                player.cut_up = if up { until } else { player.cut_up };
                player.cut_down = if down { until } else { player.cut_down };
            }
            Step::Kill { player, away_ms } => {
                self.world.players[usize::from(player)].die(now + millis(away_ms));
            }
            Step::Leave { player, away_ms } => self.leave(player.into(), millis(away_ms)),
            Step::SwapTokens { player, other, away_ms } if player != other => {
                let (one, two) = (usize::from(player), usize::from(other));
                let tokens = (self.world.players[one].token, self.world.players[two].token);
                self.world.players[one].die(now + millis(away_ms));
                self.world.players[two].die(now + millis(away_ms));
                (self.world.players[two].token, self.world.players[one].token) = tokens;
            }
            Step::Suspend { player, ms, clock_stands } => {
                let player = &mut self.world.players[usize::from(player)];
                if player.is_awake() {
                    player.fall_asleep(now, millis(ms), clock_stands);
                }
            }
            Step::SetClock { player, ms } => {
                let player = &mut self.world.players[usize::from(player)];
                player.clock.step(now, i64::from(ms) * 1_000);
            }
            Step::Drift { player, ppm } => {
                self.world.players[usize::from(player)].clock.set_drift(now, ppm.into());
            }
            Step::StopHost { ms } => {
                self.world.stop_host(millis(ms));
            }
            Step::RestartHost { down_ms } => {
                self.world.restart_host(millis(down_ms));
            }
            _ => {}
        }
    }

    fn leave(&mut self, player: usize, away: Duration) {
        let back_at = self.world.now + away;
        let now = self.world.now;
        let player = &mut self.world.players[player];
        if player.is_awake() {
            self.left[player.token as usize] = true;
            player.leave(now, back_at);
        }
    }

    /// When the last fault is over.
    fn all_over(&self) -> SimTime {
        let player_over = |it: &super::player::Player| {
            let back = if let Life::Away(back) = it.life { back } else { SimTime::MIN };
            let awake = it.asleep.map_or(SimTime::MIN, |(until, _)| until);
            let parked = it.bodies.values().map(Motion::parks_at).max().unwrap_or(SimTime::MIN);
            back.max(awake).max(it.cut_up).max(it.cut_down).max(parked)
        };
        let over = self.world.players.iter().map(player_over).max().unwrap_or(SimTime::MIN);
        let bodies = self.world.bodies.values().map(|it| it.motion.parks_at());
        over.max(self.world.stopped_until).max(bodies.max().unwrap_or(SimTime::MIN))
    }

    /// Everything is mended, and after a while all have the same.
    fn heal(&mut self) -> Result<(), String> {
        let over = self.all_over();
        for player in &mut self.world.players {
            player.set_link(LinkConfig { loss: reckoning_netsim::Loss::NONE, ..player.link });
        }
        while self.world.now < over {
            self.run(FRAME)?;
        }
        let (begin, mut differed_at) = (self.world.now, self.world.now);
        while self.world.now < differed_at + STEADY {
            self.run(FRAME)?;
            if let Some(differs) = self.world.difference() {
                differed_at = self.world.now;
                if self.world.now >= begin + SETTLE {
                    return Err(differs);
                }
            }
        }
        Ok(())
    }
}

/// What the checker has found, each as short as it became.
const FOUND: [(&str, &[Step]); 6] = [
    ("a new owner has to be told to all", &[Step::Grant { body: 0, player: 0 }]),
    (
        "an id that is used again owns nothing of the one before",
        &[
            Step::Kill { player: 0, away_ms: 16_000 },
            Step::Wait { ms: 12_000 },
            Step::Kill { player: 1, away_ms: 0 },
        ],
    ),
    (
        "stamps of a clock that was set forwards do not count as the newest",
        &[
            Step::SetClock { player: 0, ms: 40_000 },
            Step::Drive { body: 6, heading: 0, ms: 100 },
            Step::Drive { body: 6, heading: 0, ms: 100 },
        ],
    ),
    (
        "ghosts come back from where a clock that was set forwards took them",
        &[Step::SetClock { player: 1, ms: 11_261 }, Step::Drive { body: 4, heading: 15, ms: 115 }],
    ),
    (
        "a teleport counts in the tick of an observation",
        &[Step::Drive { body: 4, heading: 0, ms: 301 }, Step::Teleport { body: 4, place: 0 }],
    ),
    (
        "a player that falls asleep as it is admitted is away from then on",
        &[
            Step::RestartHost { down_ms: 4_001 },
            Step::Leave { player: 1, away_ms: 1_601 },
            Step::Kill { player: 0, away_ms: 0 },
            Step::Leave { player: 0, away_ms: 0 },
            Step::Wait { ms: 2_301 },
            Step::Spawn { place: 0 },
            Step::Spawn { place: 0 },
            Step::SwapTokens { player: 2, other: 2, away_ms: 0 },
            Step::Suspend { player: 0, ms: 36_701, clock_stands: false },
            Step::Spawn { place: 0 },
        ],
    ),
];

#[test]
fn what_was_found_stays_mended() {
    for (what, steps) in FOUND {
        for bits in 0..32_u64 {
            let [reuses_peers, notices_idle, tells_closed] = [1, 2, 4].map(|bit| bits & bit != 0);
            let setting = Setting { seed: bits / 8, reuses_peers, notices_idle, tells_closed };
            check(setting, steps).unwrap_or_else(|it| panic!("{what}: {it}\n{setting:?}"));
        }
    }
}

fn check(setting: Setting, steps: &[Step]) -> Result<(), String> {
    let mut checker = Checker::new(setting);
    steps.iter().try_for_each(|step| checker.take(*step))?;
    checker.heal()
}

/// How many histories: a few hundred, or as many as `cargo xtask soak` says.
fn count() -> u32 {
    std::env::var("RECKONING_HISTORIES").ok().and_then(|it| it.parse().ok()).unwrap_or(200)
}

#[test]
fn random_histories_end_with_the_same_picture_everywhere() {
    let mut config = Config::with_cases(count());
    config.failure_persistence = Some(Box::new(FileFailurePersistence::Off));
    config.max_shrink_iters = 20_000;
    let histories = (setting(), prop::collection::vec(step(), 1..25));
    let dice = TestRng::from_seed(RngAlgorithm::ChaCha, &[13; 32]);
    let outcome = TestRunner::new_with_rng(config, dice)
        .run(&histories, |(setting, steps)| check(setting, &steps).map_err(TestCaseError::fail));
    if let Err(error) = outcome {
        panic!("{error}");
    }
}
