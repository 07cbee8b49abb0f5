//! Whether every player has what the host has: the same bodies, owners, tags and places.

use std::collections::BTreeMap;
use std::time::Duration;

use reckoning::Update;
use reckoning_net::{EntityId, Owner, PeerId};

use super::game::{FAR_THRESHOLD_M, NEAR_M, NEAR_THRESHOLD_M, REACH_M, STEP_M};
use super::player::Player;
use super::world::World;

/// A body stays in its class until it is this share beyond it.
const HYSTERESIS: f64 = 0.1;

type Bodies = BTreeMap<EntityId, (Owner, Update)>;

impl World {
    /// What differs between the host and a player, if anything does. Everything has to stand.
    pub fn difference(&self) -> Option<String> {
        let bodies: Bodies =
            self.host.entities().map(|(id, owner, known)| (id, (owner, *known))).collect();
        let model: Vec<_> = self.bodies.keys().collect();
        if model != bodies.keys().collect::<Vec<_>>() {
            return Some(format!("the host has {:?}, its game {model:?}", bodies.keys()));
        }
        let mut playing = self.players.iter().filter(|it| it.can_hear(self.now));
        playing.find_map(|player| {
            let differs = self.difference_of(player, &bodies)?;
            Some(format!("player {}: {differs}", player.token))
        })
    }

    fn difference_of(&self, player: &Player, bodies: &Bodies) -> Option<String> {
        let joined = player.session.peer().filter(|peer| self.host.peers().any(|it| it == *peer));
        let Some(peer) = joined else { return Some("has not joined".to_string()) };
        self.owned_differ(player, peer, bodies)
            .or_else(|| self.ghosts_differ(player, bodies))
            .or_else(|| self.interest_differs(player, bodies))
    }

    fn owned_differ(&self, player: &Player, peer: PeerId, bodies: &Bodies) -> Option<String> {
        let owned: Vec<_> = player.session.owned().collect();
        let by_token = |id: &EntityId| self.bodies[id].token == Some(player.token);
        let due: Vec<_> = bodies.keys().copied().filter(by_token).collect();
        let elsewhere =
            owned.iter().find(|id| bodies.get(id).is_none_or(|it| it.0 != Owner::Peer(peer)));
        if owned != due || elsewhere.is_some() {
            return Some(format!(
                "owns {owned:?}, game says {due:?}, not the host's {elsewhere:?}"
            ));
        }
        owned.iter().find_map(|id| {
            let Some(motion) = player.bodies.get(id) else {
                return Some(format!("was not told where its {id:?} is"));
            };
            let known = bodies[id].1.position_at(self.host_now());
            let off_m = motion.position(self.now).distance(known);
            (off_m > NEAR_THRESHOLD_M + STEP_M).then(|| format!("its {id:?} is {off_m} m off"))
        })
    }

    fn ghosts_differ(&self, player: &Player, bodies: &Bodies) -> Option<String> {
        let local = player.clock.at(self.now);
        let eye = self.eye(player.token);
        player.session.ghosts().find_map(|(id, ghost)| {
            let Some((owner, known)) = bodies.get(&id) else {
                return Some(format!("{id:?} is a zombie"));
            };
            if ghost.owner() != *owner || ghost.tag() != self.bodies[&id].tag {
                return Some(format!("{id:?} is {:?}'s, not {owner:?}'s", ghost.owner()));
            }
            let place = known.position_at(self.host_now());
            let Some(shown) = player.session.shown(id, local) else {
                return Some(format!("{id:?} is not shown"));
            };
            let off_m = shown.position.distance(place);
            let away_m = eye.distance(place);
            (off_m > bound_m(away_m)).then(|| {
                let has = ghost.ghost().update();
                format!("{id:?}, {away_m} m away, is shown {off_m} m off: {known:?}, not {has:?}")
            })
        })
    }

    fn interest_differs(&self, player: &Player, bodies: &Bodies) -> Option<String> {
        let (eye, at) = (self.eye(player.token), self.host_now());
        bodies.iter().find_map(|(id, (_, known))| {
            let off_m = known.position_at(at).distance(eye);
            let is_shown = player.session.ghosts().any(|(it, _)| it == *id);
            let own = self.bodies[id].token == Some(player.token);
            let may = !own && off_m <= REACH_M * (1.0 + HYSTERESIS);
            let must = !own && off_m <= REACH_M;
            (is_shown && !may || must && !is_shown)
                .then(|| format!("{id:?}, {off_m} m away: shown is {is_shown}"))
        })
    }

    /// Runs until nothing differs, for `most` at most from when the last player could hear again; how
    /// long that took, or what differs still.
    pub fn settle(&mut self, most: Duration) -> Result<f64, String> {
        let begin = self.now;
        loop {
            let since = begin.max(self.disturbed_at);
            let Some(differs) = self.difference() else { return Ok(self.now.secs_since(since)) };
            if self.now >= since + most {
                return Err(differs);
            }
            self.step();
        }
    }
}

fn bound_m(distance_m: f64) -> f64 {
    let threshold_m = if distance_m <= NEAR_M { NEAR_THRESHOLD_M } else { FAR_THRESHOLD_M };
    threshold_m + 4.0 * STEP_M
}
