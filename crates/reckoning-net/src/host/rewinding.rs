//! Hit checks: what each peer was shown, and whether it hit that.
//!
//! The host tells its [`Rewind`] what it sends to whom, what is acknowledged and what is lost, so
//! a game only has to ask. All answers are `None` unless [`HostConfig::rewind`] is set.
//!
//! [`HostConfig::rewind`]: crate::HostConfig::rewind

use reckoning::error::SettingError;
use reckoning::rewind::{
    Defence, HitRefusal, HitRequest, HitVerdict, RewindView, ShownAs, ShownUpdate,
};
use reckoning::{Rewind, SimTime, Terrain};

use super::Host;
use crate::kinds::Show;
use crate::wire::{EntityId, PeerId};

impl Host {
    /// What each peer was shown.
    #[must_use]
    pub const fn rewind(&self) -> Option<&Rewind<EntityId, PeerId>> {
        self.rewind.as_ref()
    }

    /// Checks from the shooter's view whether it hit. Where the rule for defenders is on
    /// ([`RewindConfig::cover_after`](reckoning::rewind::RewindConfig::cover_after)), the walls of
    /// [`HostConfig::walls`](crate::HostConfig::walls) are cover. A target that its kind has the
    /// shooter show with a delay is judged by that picture, and the cap counts beyond the delay; where
    /// the kind's greatest delay is above
    /// [`RewindConfig::max_view_span`](reckoning::rewind::RewindConfig::max_view_span) it is refused:
    /// [`HitRefusal::Delayed`].
    pub fn hit_check(
        &mut self,
        now: SimTime,
        shooter: PeerId,
        request: &HitRequest<EntityId>,
    ) -> Option<HitVerdict> {
        self.hit_check_against(now, shooter, request, None)
    }

    /// As [`hit_check`](Self::hit_check); the target is safe by the rules of the game since that
    /// moment, as in a dash or behind a shield.
    pub fn hit_check_against(
        &mut self,
        now: SimTime,
        shooter: PeerId,
        request: &HitRequest<EntityId>,
        safe_since: Option<SimTime>,
    ) -> Option<HitVerdict> {
        if self.is_delayed_for_long(shooter, request.target) {
            return self.rewind.as_ref().map(|_| HitVerdict::Refused(HitRefusal::Delayed));
        }
        let walls = self.config.walls.as_ref().map(|walls| walls as &dyn Terrain);
        let defence = Defence { walls, safe_since };
        Some(self.rewind.as_mut()?.hit_check_against(shooter, request, &defence, now))
    }

    /// Whether a kind has a peer show an entity with a longer delay than hit checks go along with.
    fn is_delayed_for_long(&self, peer: PeerId, id: EntityId) -> bool {
        let Some(rewind) = &self.rewind else { return false };
        let most = rewind.config().max_view_span;
        let states = self.peers.get(&peer).map_or(&[][..], |peer| &peer.entity_states);
        let place = states.binary_search_by_key(&id, |state| state.entity);
        let state = place.ok().and_then(|place| states.get(place));
        let kind = state.and_then(|state| Some((state, self.config.kinds.get(state.header.kind)?)));
        kind.is_some_and(|(state, kind)| match kind.show_in(state.class) {
            Show::Delayed(config) => config.max_delay > most,
            Show::Reckoned(_) | Show::BySession => false,
        })
    }

    /// A shooter says of what its picture of an entity was made: what
    /// [`Session::shown_as`](crate::Session::shown_as) gave it. Do this before the hit check, which
    /// is exact then.
    ///
    /// # Errors
    /// Refuses a reference to what was never sent to this peer, to what cannot have arrived, and
    /// one that contradicts what the peer said before.
    pub fn handle_reference(
        &mut self,
        now: SimTime,
        shooter: PeerId,
        entity: EntityId,
        shown: &ShownAs,
    ) -> Option<Result<(), HitRefusal>> {
        let sent = &self.peers.get(&shooter)?.channel.sent_packets;
        // References travel with the lowest sixteen bits.
        let restored = |update: &ShownUpdate| {
            let number = u16::try_from(update.key).ok().and_then(|low| sent.number_of(low));
            ShownUpdate { key: number.unwrap_or(u64::MAX), ..*update }
        };
        let mut updates = [ShownUpdate::default(); ShownAs::MAX_UPDATES];
        for (place, update) in updates.iter_mut().zip(shown.updates()) {
            *place = restored(update);
        }
        let shown = ShownAs::new(shown.shown_at, &updates[..shown.updates().len()]);
        Some(self.rewind.as_mut()?.handle_reference(shooter, entity, &shown, now))
    }

    /// Admits a shot that the game follows itself, step by step, under the rules of hit checks:
    /// see [`Rewind::admit_shot`].
    ///
    /// # Errors
    /// Names the rule that refuses it.
    pub fn admit_shot(
        &mut self,
        now: SimTime,
        shooter: PeerId,
        shown_at: SimTime,
    ) -> Option<Result<(), HitRefusal>> {
        Some(self.rewind.as_mut()?.admit_shot(shooter, shown_at, now))
    }

    /// Sets how a peer shows others, where its session does not say so itself: see
    /// [`Rewind::state_view`].
    ///
    /// # Errors
    /// Refuses what ghosts refuse, and views that keep old pictures for long.
    pub fn state_view(
        &mut self,
        now: SimTime,
        peer: PeerId,
        view: RewindView,
    ) -> Option<Result<(), SettingError>> {
        Some(self.rewind.as_mut()?.state_view(peer, view, now, now))
    }
}
