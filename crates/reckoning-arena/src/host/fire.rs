//! Lag compensation: shots of people fly through what the shooter saw first.
//!
//! A shot left the gun at the moment the shooter's screen showed, which is some time ago by
//! now. Until now it flies through the ghosts that this shooter was shown, which the host
//! remembers; from now on it flies among the bodies as they are, as all shots do.
//!
//! What a shooter saw cannot be rebuilt without a common clock, nor where bodies near it are shown
//! with a delay. Then there is no past to fly through: shots are judged in the present, and shooters
//! have to lead their targets. The page says so. The same goes for the shots of a naive game, which a
//! client may fire to feel the difference: they gain nothing, and the gun's pause holds for both.

use reckoning::rewind::{Defence, HitRefusal};
use reckoning::{DVec3, SimTime};
use reckoning_net::{ClockMode, EntityId, Host, PeerId};

use super::{ArenaHost, STEP};
use crate::protocol::Picture;
use crate::world::PlayerId;

/// A shot that a client asked for.
#[derive(Clone, Debug)]
pub(super) struct FireRequest {
    pub(super) peer: PeerId,
    pub(super) shown_at: SimTime,
    pub(super) aim: [f32; 2],
    pub(super) pictures: Vec<Picture>,
    /// It is to fly among the bodies as they are.
    pub(super) is_naive: bool,
}

/// Triggers of one step at most; far more than everyone together can pull.
const MAX_FIRE_REQUESTS: usize = 256;
/// What is shown is as old as a slow way, and a guess on top.
const SHOWN_AGE_S: f64 = 1.0;
/// A shown time is as exact as a client's clock.
const PAUSE_SHARE: f64 = 0.9;

impl ArenaHost {
    pub(super) fn queue(&mut self, request: FireRequest) {
        if self.fire_requests.len() < MAX_FIRE_REQUESTS {
            self.fire_requests.push(request);
        }
    }

    /// Fires what was requested since the last step.
    pub(super) fn fire_requested(&mut self, at: SimTime, host: &mut Host) {
        for request in std::mem::take(&mut self.fire_requests) {
            let fired = self.fire(at, &request, host).is_some();
            self.stats.shots += u64::from(fired);
            self.stats.refused_shots += u64::from(!fired);
        }
    }

    fn fire(&mut self, at: SimTime, request: &FireRequest, host: &mut Host) -> Option<u32> {
        let sees_past = self.judges_the_past(host) && !request.is_naive;
        let client = self.clients.get(&request.peer)?;
        let id = client.player?;
        let entity = self.actors.get(&id).and_then(|it| it.rides.or(it.entity))?;
        let along = DVec3::new(request.aim[0].into(), request.aim[1].into(), 0.0);
        let along = along.try_normalize()?;
        // Who is further behind than that has to lead its targets.
        let earliest = if sees_past { host.rewind()?.earliest_shown(request.peer, at) } else { at };
        let shown_at = request.shown_at.clamp(earliest, at);
        let pause_s = self.level.file().gun.pause_s * PAUSE_SHARE;
        if client.fired_at > SimTime::MIN && shown_at.secs_since(client.fired_at) < pause_s {
            return None;
        }
        let shooter = self.world.player(id).filter(|it| it.is_alive)?;
        let (stands, lives) = (shooter.position, self.world.tick() - shooter.since_tick);
        // What its screen showed before its birth was a dead player's.
        if at.secs_since(shown_at) > (lives + 1) as f64 * STEP.as_secs_f64() {
            return None;
        }
        if !is_believed(at, request, shown_at, sees_past, host) {
            return None;
        }
        let rewind = host.rewind();
        let stood = rewind.and_then(|it| it.truth_at(entity, shown_at)).unwrap_or(stands);
        // It may have been put right since.
        let is_open = self.level.walls().sees(stands, stood);
        let from = if is_open { stood } else { stands };
        let steps = (at.secs_since(shown_at) / STEP.as_secs_f64()) as u32;
        let mut near = self.in_the_way(from, along, at.secs_since(shown_at));
        let defence =
            Defence { walls: host.config().walls.as_ref().map(|it| it as _), safe_since: None };
        let actors = &self.actors;
        let seen_as = |who: PlayerId| actors.get(&who).and_then(|it| it.rides.or(it.entity));
        near.retain(|who| {
            let target = seen_as(*who);
            let covered =
                |target| rewind.is_some_and(|it| it.is_covered(entity, target, &defence, at));
            !target.is_some_and(covered)
        });
        let shot =
            self.world.fire_lag_compensated(id, (from, along), (shown_at, steps), |who, step| {
                let target = seen_as(who).filter(|_| near.contains(&who))?;
                let moment = shown_at + STEP * step;
                Some(rewind?.shown_at(request.peer, target, moment)?.position)
            });
        if shot.is_some() {
            self.clients.get_mut(&request.peer)?.fired_at = shown_at;
        }
        shot
    }

    /// Whether shots are judged by what their shooters saw.
    pub(super) fn judges_the_past(&self, host: &Host) -> bool {
        host.config().clock_mode == ClockMode::Synchronised && !self.tuning.near_delayed
    }

    /// Players that may have been in the way of a shot, because what was shown is costly to look
    /// up: within the age of the shot and of what was shown, a body was not far from where it is
    /// now.
    fn in_the_way(&self, from: DVec3, along: DVec3, age_s: f64) -> Vec<PlayerId> {
        let body = &self.level.file().body;
        let top_px_s = self.level.buggy().map_or(0.0, |it| it.speed_px_s).max(body.speed_px_s);
        let wide_px = 2.0 * body.radius_px + top_px_s * (age_s + SHOWN_AGE_S);
        let is_near = |at: DVec3| {
            let gap = at - from;
            (gap - along * gap.dot(along)).length() <= wide_px && gap.dot(along) >= -wide_px
        };
        let players = self.world.players().iter();
        players.filter(|it| it.is_alive && is_near(it.position)).map(|it| it.id).collect()
    }
}

/// Whether a shot keeps to the host's rules for shots, and what it says of its pictures is true.
/// In the present there are no pictures to say anything of.
fn is_believed(
    at: SimTime,
    request: &FireRequest,
    shown_at: SimTime,
    sees_past: bool,
    host: &mut Host,
) -> bool {
    let peer = request.peer;
    let is_true = |picture: &Picture, host: &mut Host| {
        let taken = host.handle_reference(at, peer, EntityId(picture.entity), &picture.shown);
        // A body that is too far away to be remembered cannot be hit either.
        picture.shown.shown_at == request.shown_at
            && matches!(taken, Some(Ok(()) | Err(HitRefusal::NotShown)))
    };
    let mut pictures = request.pictures.iter().filter(|_| sees_past);
    // A naive shot takes nothing from the past, so there is nothing to have saved up.
    pictures.all(|picture| is_true(picture, host))
        && (request.is_naive || matches!(host.admit_shot(at, peer, shown_at), Some(Ok(()))))
}
