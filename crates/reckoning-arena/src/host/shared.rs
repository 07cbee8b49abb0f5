//! Parts that every game of this crate has on its host: clients, wishes, steps.

use std::collections::VecDeque;
use std::time::Duration;

use reckoning::SimTime;

use super::powers::PowerAllowance;
use super::{ArenaEvent, ArenaRequest};
use crate::protocol::LinkChoice;

/// The length of a step; a third of a microsecond too long.
pub(crate) const STEP: Duration = Duration::from_micros(16_667);
/// Steps that a late tick makes up for; what is missing beyond them is left out.
const MAX_STEPS: u32 = 6;
/// Wishes and events that wait for nobody: the oldest go.
const MAX_WAITING: usize = 4_096;
/// What bots are called; further ones get a number.
const NAMES: [&str; 16] = [
    "Ada", "Bela", "Cato", "Dora", "Emil", "Fay", "Gus", "Hedy", "Ivo", "Juno", "Kit", "Lin",
    "Mia", "Nils", "Odo", "Pia",
];

/// What to call the bot of that number.
pub(crate) fn bot_name(number: usize) -> String {
    NAMES.get(number).map_or_else(|| format!("bot {number}"), ToString::to_string)
}

/// The moments of the steps that are due by `now`; `next` is when the first of them is, and when
/// the first one after them will be.
pub(crate) fn due_steps(next: &mut Option<SimTime>, now: SimTime) -> Vec<SimTime> {
    let mut at = next.unwrap_or(now);
    let mut due = Vec::new();
    while at <= now && due.len() < MAX_STEPS as usize {
        due.push(at);
        at += STEP;
    }
    *next = Some(if at <= now { now + STEP } else { at });
    due
}

/// One client: `Id` is how players are numbered, `Own` what a client says of its own body.
#[derive(Clone, Debug)]
pub(crate) struct ClientState<Id, Own> {
    pub(crate) player: Option<Id>,
    pub(crate) greeted: bool,
    pub(crate) wants_truth: bool,
    pub(crate) wants_snapshots: bool,
    pub(crate) link: LinkChoice,
    /// The shown time of its last shot.
    pub(crate) fired_at: SimTime,
    pub(crate) own_state: Option<Own>,
    pub(crate) powers: PowerAllowance,
}

impl<Id, Own> Default for ClientState<Id, Own> {
    fn default() -> Self {
        Self {
            player: None,
            greeted: false,
            wants_truth: false,
            wants_snapshots: false,
            link: LinkChoice::NONE,
            fired_at: SimTime::MIN,
            own_state: None,
            powers: PowerAllowance::default(),
        }
    }
}

/// What waits to be polled by the shell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outbox {
    requests: VecDeque<ArenaRequest>,
    events: VecDeque<ArenaEvent>,
}

impl Outbox {
    pub(crate) fn request(&mut self, request: ArenaRequest) {
        push(&mut self.requests, request);
    }

    pub(crate) fn poll_request(&mut self) -> Option<ArenaRequest> {
        self.requests.pop_front()
    }

    pub(crate) fn note(&mut self, event: ArenaEvent) {
        push(&mut self.events, event);
    }

    pub(crate) fn poll_event(&mut self) -> Option<ArenaEvent> {
        self.events.pop_front()
    }
}

fn push<T>(queue: &mut VecDeque<T>, item: T) {
    if queue.len() >= MAX_WAITING {
        queue.pop_front();
    }
    queue.push_back(item);
}
