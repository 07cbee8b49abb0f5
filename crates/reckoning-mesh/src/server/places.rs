//! Where our bodies are: who gets them next, who needs their updates, who keeps copies.

use std::collections::BTreeSet;

use reckoning::SimTime;

use super::{MeshEvent, MeshServer, Place};
use crate::grid::CellId;
use crate::ids::{BodyId, Incarnation};
use crate::message::Payload;

/// A watcher is let go this much farther away than one is taken in, so that a body along a line does not
/// come and go.
const LEAVE_FACTOR: f64 = 1.25;

impl MeshServer {
    /// A new body of ours; `None` while no lease holds. A crash before its first copy is with another
    /// server takes it along.
    pub fn spawn(&mut self, now: SimTime, at: [f64; 2], payload: Payload) -> Option<BodyId> {
        let life = self.life().filter(|_| self.is_unfenced(now))?;
        let bodies = self.bodies.as_mut()?;
        let body = BodyId::born(life, self.born);
        self.born += 1;
        bodies.spawn(body, payload.clone());
        self.observe_body(now, body, at, payload);
        Some(body)
    }

    /// Ends a body of ours.
    pub fn retire(&mut self, now: SimTime, body: BodyId) {
        if self.is_unfenced(now)
            && let Some(bodies) = &mut self.bodies
        {
            bodies.retire(body);
            self.places.remove(&body);
        }
    }

    /// Where a body of ours is now, and what goes along with it. Call it when what others guess strays,
    /// and for a body that [`BodyEvent::Owned`](crate::BodyEvent::Owned) brought.
    pub fn observe_body(&mut self, now: SimTime, body: BodyId, at: [f64; 2], payload: Payload) {
        let Some(bodies) = self.bodies.as_mut().filter(|it| it.owns(body)) else { return };
        bodies.update(body, payload);
        let place = self.places.entry(body).or_insert_with(|| Place {
            at,
            offered_at: None,
            not_before: now,
            watchers: BTreeSet::new(),
        });
        place.at = at;
        if self.is_unfenced(now) {
            self.place_body(now, body);
        }
    }

    /// Looks at all bodies, and sends copies of those that changed.
    pub(super) fn place_bodies(&mut self, now: SimTime) {
        let Some(me) = self.life() else { return };
        let holder = self.view.holder(CellId::region(0, 0), me);
        let Some(bodies) = &mut self.bodies else { return };
        bodies.set_default_holder(holder);
        let all: Vec<_> = self.places.keys().copied().collect();
        for body in all {
            self.place_body(now, body);
        }
        if let Some(bodies) = &mut self.bodies {
            bodies.send_shadows();
        }
    }

    fn place_body(&mut self, now: SimTime, body: BodyId) {
        let (Some(me), Some(place)) = (self.life(), self.places.get(&body)) else { return };
        let at = place.at;
        let Some(leaf) = self.view.leaf_at(&self.grid, at).copied() else { return };
        let holder = self.view.holder(leaf.cell, me);
        if let Some(bodies) = &mut self.bodies {
            bodies.set_holder(body, holder);
        }
        self.watch(body, at, me);
        let inside = self.view.owners_within(&self.grid, at, self.config.handover_depth_m);
        let stays = inside.contains(&me);
        let is_open = self.take_back_late_offer(now, body, leaf.owner == me);
        if !stays && !is_open && self.view.is_live(leaf.owner) {
            self.offer_to(now, body, leaf.owner, leaf.cell);
        }
    }

    /// Takes an offer back that was not answered, or that is not wanted any more; whether there was one
    /// that stands.
    fn take_back_late_offer(&mut self, now: SimTime, body: BodyId, is_unwanted: bool) -> bool {
        let (Some(bodies), Some(place)) = (&mut self.bodies, self.places.get_mut(&body)) else {
            return false;
        };
        if !bodies.is_on_offer(body) {
            place.offered_at = None;
            return false;
        }
        let is_late = place.offered_at.is_none_or(|it| now >= it + self.config.offer_timeout);
        if is_late || is_unwanted {
            bodies.cancel(body);
            place.offered_at = None;
            place.not_before = now + self.config.offer_timeout;
            return false;
        }
        true
    }

    fn offer_to(&mut self, now: SimTime, body: BodyId, to: Incarnation, cell: CellId) {
        let Some(epoch) = self.cell_epoch(cell) else { return };
        let (Some(bodies), Some(place)) = (&mut self.bodies, self.places.get_mut(&body)) else {
            return;
        };
        if now >= place.not_before && bodies.offer(body, to, cell, epoch) {
            place.offered_at = Some(now);
        }
    }

    /// Who needs the updates of a body: owners of cells within the range of ghosts.
    fn watch(&mut self, body: BodyId, at: [f64; 2], me: Incarnation) {
        let range_m = self.config.ghost_range_m;
        let near = self.view.owners_within(&self.grid, at, range_m);
        let still = self.view.owners_within(&self.grid, at, range_m * LEAVE_FACTOR);
        let Some(place) = self.places.get_mut(&body) else { return };
        let keeps = |it: &Incarnation| still.contains(it) && self.view.is_live(*it);
        for by in place.watchers.extract_if(.., |it| !keeps(it)) {
            self.events.push_back(MeshEvent::Unwatch { body, by });
        }
        for by in near.into_iter().filter(|it| *it != me && self.view.is_live(*it)) {
            if place.watchers.insert(by) {
                self.events.push_back(MeshEvent::Watch { body, by });
            }
        }
    }
}
