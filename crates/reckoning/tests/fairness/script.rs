//! Random events: whatever happens, nothing panics and sends stay bounded.

use std::time::Duration;

use proptest::prelude::*;
use reckoning::fairness::ListenerId;
use reckoning::{DVec3, Fairness, Kinematics, ListenerAccount, Model, SimTime, Update, UpdateKind};

use crate::run::ms;
use crate::{every_policy, fairness};

/// Something that happens to a body and its listeners.
#[derive(Clone, Copy, Debug)]
enum Event {
    Export { velocity: DVec3, kind: UpdateKind },
    Wait(i64),
    Arrive { which: usize, delay_ms: i64 },
    Lose(usize),
    Join(u32),
    Leave(u32),
    Delay(u32, u64),
}

fn event() -> impl Strategy<Value = Event> {
    let velocity = (-30.0..30.0, -30.0..30.0).prop_map(|(x, y)| DVec3::new(x, y, 0.0));
    let kind = prop_oneof![
        20 => Just(UpdateKind::Partial), 2 => Just(UpdateKind::Full), 1 => Just(UpdateKind::Teleport)
    ];
    prop_oneof![
        6 => (velocity, kind).prop_map(|(velocity, kind)| Event::Export { velocity, kind }),
        6 => (0..700_i64).prop_map(Event::Wait),
        6 => (0..20_usize, -100..1500_i64)
            .prop_map(|(which, delay_ms)| Event::Arrive { which, delay_ms }),
        2 => (0..20_usize).prop_map(Event::Lose),
        1 => (0..6_u32).prop_map(Event::Join),
        1 => (0..6_u32).prop_map(Event::Leave),
        1 => (0..6_u32, 0..1500_u64).prop_map(|(id, delay_ms)| Event::Delay(id, delay_ms)),
    ]
}

/// Plays events, and checks after each what must hold at any time.
struct Script {
    fairness: Fairness,
    now: SimTime,
    exports: Vec<SimTime>,
    in_flight: Vec<(ListenerId, SimTime)>,
}

impl Script {
    fn play(&mut self, event: Event) -> Result<(), TestCaseError> {
        match event {
            Event::Export { velocity, kind } => {
                self.now += Duration::from_millis(1);
                let seen = Kinematics::moving(self.now, velocity, velocity);
                self.exports.push(self.now);
                let update = Update::new(seen, Model::Linear, kind).unwrap();
                self.fairness.handle_export(update, self.now);
                self.check_plan()?;
            }
            Event::Wait(span_ms) => self.now += Duration::from_millis(span_ms.unsigned_abs()),
            Event::Arrive { which, delay_ms } if which < self.in_flight.len() => {
                let (to, export) = self.in_flight.swap_remove(which);
                let arrival = SimTime::from_micros(export.as_micros() + 1_000 * delay_ms);
                self.fairness.handle_acknowledgement(to, export, arrival, self.now);
            }
            Event::Lose(which) if which < self.in_flight.len() => {
                let (to, export) = self.in_flight.swap_remove(which);
                self.fairness.handle_loss(to, export, self.now);
            }
            Event::Arrive { .. } | Event::Lose(_) => {}
            Event::Join(id) => drop(self.fairness.add_listener(ListenerId(id), self.now)),
            Event::Leave(id) => drop(self.fairness.remove_listener(ListenerId(id))),
            Event::Delay(id, delay_ms) => {
                self.fairness.handle_delay(ListenerId(id), Duration::from_millis(delay_ms));
            }
        }
        self.drain()
    }

    /// A send is planned for the moment at which some listener's error reaches a level, so
    /// it must be growing there.
    fn check_plan(&self) -> Result<(), TestCaseError> {
        let Some(due) = self.fairness.next_wakeup().filter(|due| *due > self.now) else {
            return Ok(());
        };
        let horizon = Duration::from_millis(500);
        prop_assert!(due <= self.now + horizon, "{due} is beyond the horizon");
        let before = due - Duration::from_micros(1);
        let grows = |(_, account): (_, &ListenerAccount<Update>)| {
            account.total_at(before) < account.total_at(due)
        };
        prop_assert!(self.fairness.accounts().any(grows), "nobody's error grows at {due}");
        Ok(())
    }

    fn drain(&mut self) -> Result<(), TestCaseError> {
        let mut sent = Vec::new();
        while let Some(delivery) = self.fairness.poll_delivery(self.now) {
            sent.push((delivery.to, delivery.update.at()));
            prop_assert!(sent.len() <= 12, "at most an old and a new update for each of six");
        }
        for (to, export) in &sent {
            let newest = self.exports.iter().rev().take(2);
            prop_assert!(newest.into_iter().any(|at| at == export), "{to:?} gets {export}");
        }
        prop_assert!(self.fairness.next_wakeup().is_none_or(|due| due > self.now));
        for (id, account) in self.fairness.accounts() {
            let total = account.total_at(self.now);
            prop_assert!(total.is_finite() && total >= 0.0, "{id:?}: {total}");
        }
        self.in_flight.extend(sent);
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_happens_sends_stay_bounded(
        policy in prop::sample::select(every_policy().to_vec()),
        events in prop::collection::vec(event(), 1..150),
    ) {
        let fairness = fairness(policy);
        let mut script =
            Script { fairness, now: ms(0), exports: Vec::new(), in_flight: Vec::new() };
        for event in [Event::Join(0), Event::Join(1)].into_iter().chain(events) {
            script.play(event)?;
        }
        let stats = script.fairness.stats();
        prop_assert_eq!(stats.triggers, script.exports.len() as u64);
        prop_assert_eq!(stats.refused, 0);
    }
}
