//! The setting of THESIS: one body on a random walk, listeners at fixed delays.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use reckoning::fairness::{FairnessConfig, ListenerId, Policy};
use reckoning::{DVec3, Fairness, Kinematics, Publisher, PublisherConfig, SimTime};

pub fn ms(millis: i64) -> SimTime {
    SimTime::from_millis(millis)
}

/// The 1/3 base case of THESIS.
pub fn third_base() -> Policy {
    Policy::EveryKth { k: NonZeroU32::new(3).unwrap() }
}

/// Five minutes of a tank that takes a new speed and turn rate once a second or so.
pub fn walk(seed: u64) -> Vec<Kinematics> {
    let mut seed = seed;
    let mut roll = || {
        seed = seed * 48_271 % 2_147_483_647; // the generator MINSTD
        seed as f64 / 2_147_483_647.0
    };
    let (mut place, mut heading, mut speed, mut turn) = (DVec3::ZERO, 0.0, 10.0, 0.0);
    let step = |tick| {
        if roll() < 1.0 / 60.0 {
            (speed, turn) = (25.0 * roll(), 3.0 * (roll() - 0.5));
        }
        heading += turn / 60.0;
        let velocity = DVec3::new(libm::cos(heading), libm::sin(heading), 0.0) * speed;
        place += velocity / 60.0;
        Kinematics::moving(SimTime::from_tick(tick, 60), place, velocity)
    };
    (0..18_000).map(step).collect()
}

/// A publisher, a policy and listeners that acknowledge everything after twice their delay.
pub struct Run {
    pub fairness: Fairness,
    pub now: SimTime,
    pub triggers: u64,
    /// Sends to each listener.
    pub sent: Vec<u64>,
    /// Every send: when, to whom, and of which export.
    pub log: Vec<(SimTime, ListenerId, SimTime)>,
    publisher: Option<Publisher>,
    delays: Vec<Duration>,
    acks: BTreeMap<(SimTime, ListenerId, SimTime), SimTime>,
}

impl Run {
    pub fn new(policy: Policy, delays_ms: &[u64]) -> Self {
        let mut config = FairnessConfig::default();
        config.policy = policy;
        let mut run = Self {
            fairness: Fairness::new(config).unwrap(),
            now: ms(0),
            triggers: 0,
            sent: Vec::new(),
            log: Vec::new(),
            publisher: None,
            delays: Vec::new(),
            acks: BTreeMap::new(),
        };
        for delay_ms in delays_ms {
            run.add(*delay_ms);
        }
        run
    }

    /// The three listeners of THESIS, and all of the walk.
    pub fn over(policy: Policy, walk: &[Kinematics]) -> Self {
        let mut run = Self::new(policy, &[200, 500, 800]);
        run.go(walk);
        run
    }

    pub fn add(&mut self, delay_ms: u64) {
        let id = ListenerId(u32::try_from(self.delays.len()).unwrap());
        self.delays.push(Duration::from_millis(delay_ms));
        self.sent.push(0);
        self.fairness.add_listener(id, self.now);
        self.fairness.handle_delay(id, self.delays[self.delays.len() - 1]);
    }

    pub fn go(&mut self, walk: &[Kinematics]) {
        for truth in walk {
            self.now = truth.at;
            while let Some(answer) = self.acks.first_entry().filter(|it| it.key().0 <= self.now) {
                let ((due, to, export), arrival) = answer.remove_entry();
                self.fairness.handle_acknowledgement(to, export, arrival, due);
            }
            self.observe(truth);
            self.deliver();
        }
    }

    fn observe(&mut self, truth: &Kinematics) {
        let update = if let Some(publisher) = &mut self.publisher {
            publisher.observe(truth)
        } else {
            let (publisher, first) = Publisher::start(PublisherConfig::default(), truth).unwrap();
            self.publisher = Some(publisher);
            Some(first)
        };
        if let Some(update) = update {
            self.triggers += 1;
            self.fairness.handle_export(update, truth.at);
        }
    }

    fn deliver(&mut self) {
        while let Some(delivery) = self.fairness.poll_delivery(self.now) {
            let (place, export) = (delivery.to.0 as usize, delivery.update.at());
            self.sent[place] += 1;
            self.log.push((self.now, delivery.to, export));
            let arrival = self.now + self.delays[place];
            self.acks.insert((arrival + self.delays[place], delivery.to, export), arrival);
        }
    }

    fn errors(&self) -> Vec<f64> {
        self.fairness.accounts().map(|(_, account)| account.total_at(self.now)).collect()
    }

    pub fn spent(&self) -> f64 {
        self.sent.iter().sum::<u64>() as f64
    }

    pub fn worst(&self) -> f64 {
        self.errors().into_iter().fold(0.0, f64::max)
    }

    pub fn mean(&self) -> f64 {
        self.errors().iter().sum::<f64>() / self.errors().len() as f64
    }

    pub fn deviation(&self) -> f64 {
        let mean = self.mean();
        let errors = self.errors();
        let variance = errors.iter().map(|e| (e - mean) * (e - mean)).sum::<f64>();
        (variance / errors.len() as f64).sqrt()
    }
}
