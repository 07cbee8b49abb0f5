//! Hours of play in virtual time: hundreds of bodies, bad links, wrong clocks, players who come and
//! go. At every check each player has what the host has, and memory stays flat.

use std::time::Duration;

use reckoning::random::SplitMix64;
use reckoning::{DVec3, SimTime};
use reckoning_net::EntityId;
use reckoning_netsim::LinkConfig;

use super::game::host_config;
use super::world::World;

const FRAME: Duration = Duration::from_millis(100);
const CHECK_EVERY: Duration = Duration::from_mins(1);
/// Once nothing drives. A link that loses a fifth of everything in bursts may lose a session as well.
const SETTLE: Duration = Duration::from_secs(15);
const BODIES: usize = 300;
const FIELD_M: f64 = 300.0;
/// Bodies that one player is given at most.
const OWNED: usize = 6;

/// Good, far, in bursts, shuffled, and bad.
const LINKS: [&str; 5] = [
    "delay=15,jitter=2,seed=1",
    "delay=120,jitter=30,loss=0.02,dup=0.02,seed=2",
    "delay=40,jitter=10,loss=0.08,burst=6,seed=3",
    "delay=60,jitter=10,reorder=0.1,hold=90,dup=0.1,loss=0.02,seed=4",
    "delay=90,jitter=50,loss=0.2,burst=3,dup=0.05,reorder=0.05,seed=5",
];

struct Soak {
    world: World,
    dice: SplitMix64,
    next_token: u32,
    checks: u32,
    worst_gap_s: f64,
}

impl Soak {
    fn new(seed: u64) -> Self {
        let links = LINKS.map(|spec| spec.parse::<LinkConfig>().unwrap());
        let mut config = host_config();
        config.tick = FRAME;
        let mut world = World::new(config, &links, FRAME);
        world.notices_idle = true;
        for (player, ppm) in world.players.iter_mut().zip([0, 200, -200, 60, -35]) {
            player.clock.set_drift(SimTime::ZERO, ppm);
        }
        let next_token = 1 + LINKS.len() as u32;
        let dice = SplitMix64::new(seed);
        let mut soak = Self { world, dice, next_token, checks: 0, worst_gap_s: 0.0 };
        soak.populate();
        soak
    }

    fn populate(&mut self) {
        while self.world.bodies.len() < BODIES {
            let place = self.place();
            self.world.spawn(place, None);
        }
    }

    fn place(&mut self) -> DVec3 {
        let mut part = || self.dice.between(-FIELD_M, FIELD_M);
        DVec3::new(part(), part(), 0.0)
    }

    fn body(&mut self) -> Option<EntityId> {
        let count = self.world.bodies.len();
        (count > 0).then(|| *self.world.bodies.keys().nth(self.dice.below(count)).unwrap())
    }

    /// Whether something that happens so often on average happens in this frame.
    fn every(&mut self, seconds: f64) -> bool {
        self.dice.chance(FRAME.as_secs_f64() / seconds)
    }

    fn step(&mut self) {
        if self.world.stopped_until <= self.world.now {
            self.play();
        }
        if self.every(45.0) {
            self.break_something();
        }
        if self.every(3_600.0) {
            let span = Duration::from_secs_f64(self.dice.between(1.0, 30.0));
            self.world.stop_host(span);
        }
        if self.every(6.0 * 3_600.0) {
            self.world.restart_host(Duration::from_secs(2));
            self.populate();
        }
        self.world.step();
        self.world.happened.clear();
    }

    fn play(&mut self) {
        if self.every(0.5) {
            self.drive();
        }
        if self.every(5.0)
            && let Some(id) = self.body()
        {
            let place = self.place();
            self.world.teleport(id, place);
        }
        if self.every(8.0)
            && let Some(id) = self.body()
        {
            self.world.despawn(id);
            self.populate();
        }
        if self.every(6.0) {
            self.change_owner();
        }
        if self.every(10.0) {
            let player = self.dice.below(LINKS.len());
            let (token, place) = (self.world.players[player].token, self.place());
            self.world.look(token, place);
        }
    }

    fn drive(&mut self) {
        let Some(id) = self.body() else { return };
        let now = self.world.now;
        let token = self.world.bodies[&id].token;
        let player = self.world.players.iter_mut().find(|it| Some(it.token) == token);
        let motion = match player {
            Some(player) => player.bodies.get_mut(&id).filter(|_| player.asleep.is_none()),
            None if token.is_none() => self.world.bodies.get_mut(&id).map(|it| &mut it.motion),
            None => None,
        };
        let Some(motion) = motion else { return };
        // Back to the middle, more or less.
        let way = DVec3::new(self.dice.normal(), self.dice.normal(), 0.0) * 4.0;
        let home = -motion.position(now) / FIELD_M * 4.0;
        let span = Duration::from_secs_f64(self.dice.between(0.5, 12.0));
        motion.drive(now, way + home, span);
    }

    fn change_owner(&mut self) {
        let Some(id) = self.body() else { return };
        let player = self.dice.below(LINKS.len());
        let token = self.world.players[player].token;
        let owned = self.world.bodies.values().filter(|it| it.token == Some(token)).count();
        if owned < OWNED && self.world.bodies[&id].token.is_none() {
            self.world.grant(id, token);
        } else {
            let theirs = self.world.bodies.iter().filter(|(_, it)| it.token == Some(token));
            let ids: Vec<_> = theirs.map(|(id, _)| *id).collect();
            if ids.len() > 1 {
                self.world.revoke(ids[self.dice.below(ids.len())]);
            }
        }
    }

    fn break_something(&mut self) {
        let now = self.world.now;
        let span = Duration::from_secs_f64(self.dice.between(0.2, 8.0));
        let long = Duration::from_secs_f64(self.dice.between(1.0, 60.0));
        let (place, kind) = (self.dice.below(LINKS.len()), self.dice.below(7));
        let player = &mut self.world.players[place];
        if !player.is_awake() {
            return;
        }
        match kind {
            0 => player.die(now + long),
            1 => {
                player.leave(now, now + span);
                player.token = self.next_token;
                self.next_token += 1;
            }
            2 => player.fall_asleep(now, long, self.dice.chance(0.3)),
            3 => player.cut_up = now + span,
            4 => player.cut_down = now + span,
            5 => (player.cut_up, player.cut_down) = (now + long, now + long),
            _ => player.clock.step(now, long.as_micros() as i64),
        }
    }

    /// Everything parks; after a moment all who can hear have the same.
    fn check(&mut self) {
        let now = self.world.now;
        let players = self.world.players.iter_mut().flat_map(|it| it.bodies.values_mut());
        let bodies = self.world.bodies.values_mut().map(|it| &mut it.motion);
        for motion in players.chain(bodies) {
            motion.park(now);
        }
        while self.world.stopped_until > self.world.now {
            self.world.step();
        }
        let settled = self.world.settle(SETTLE);
        let gap_s = settled.unwrap_or_else(|it| panic!("check {} at {now:?}: {it}", self.checks));
        self.worst_gap_s = self.worst_gap_s.max(gap_s);
        self.checks += 1;
    }

    fn report(&self, memory_kb: Option<&u64>) {
        let joins: u32 = self.world.players.iter().map(|it| it.joins).sum();
        let hours = self.world.now.as_secs_f64() / 3_600.0;
        let (datagrams, checks, gap_s) = (self.world.datagrams, self.checks, self.worst_gap_s);
        let memory = memory_kb.map_or("unknown".to_string(), |kb| format!("{kb} kB"));
        println!("{hours:5.2} {datagrams:10} {checks:7} {joins:6} {gap_s:8.1} s {memory:>10}");
    }

    fn run(&mut self, until: SimTime) {
        while self.world.now < until {
            let check_at = self.world.now + CHECK_EVERY;
            while self.world.now < check_at {
                self.step();
            }
            self.check();
        }
    }
}

/// How much to play: a quarter of an hour, or as much as `cargo xtask soak` says.
fn hours() -> f64 {
    std::env::var("RECKONING_SOAK_HOURS").ok().and_then(|it| it.parse().ok()).unwrap_or(0.25)
}

/// Memory of this process in kilobytes; `None` where the system does not tell.
fn memory_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

#[test]
fn hours_of_play_end_with_the_same_picture_and_flat_memory() {
    let hours = hours();
    let mut soak = Soak::new(24);
    let at = |share: f64| SimTime::from_secs_f64(share * hours * 3_600.0);
    println!("hours  datagrams  checks  joins  worst gap     memory");
    let mut memory = Vec::new();
    for quarter in 0..=4_u32 {
        soak.run(at(0.1 + 0.225 * f64::from(quarter)));
        memory.extend(memory_kb());
        soak.report(memory.last());
    }
    if let [first, .., last] = memory[..] {
        assert!(last < first + first / 4 + 4_096, "memory grew from {first} to {last} kB");
    }
}
