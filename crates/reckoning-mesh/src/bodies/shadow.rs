//! Shadows: copies of bodies that a second server keeps, in case their owner dies.

use super::{BodyTable, Release, ShadowCopy};
use crate::ids::{BodyId, Incarnation, Version};
use crate::message::{BodyState, Message};

impl BodyTable {
    /// Who keeps a copy of bodies that come to us, until [`set_holder`](Self::set_holder) says
    /// otherwise; `None` while no other server lives.
    pub fn set_default_holder(&mut self, holder: Option<Incarnation>) {
        self.default_holder = holder;
    }

    /// Who is to keep a copy of a body of ours. The former holder is released once the new one has it.
    pub fn set_holder(&mut self, body: BodyId, holder: Option<Incarnation>) {
        let Some(owned) = self.owned.get_mut(&body) else { return };
        if owned.holder == holder {
            return;
        }
        let former = std::mem::replace(&mut owned.holder, holder);
        owned.confirmed = None;
        // A holder that was released must not take the new copy for a late one.
        owned.state.stamp += 1;
        owned.held_since = owned.state.stamp;
        owned.former.extend(former);
        if let Some(holder) = holder {
            owned.former.remove(&holder);
            self.releases.remove(&(body, holder));
        } else {
            let (version, stamp) = (owned.version, owned.state.stamp);
            let former = std::mem::take(&mut owned.former);
            self.release(body, version, stamp, former);
        }
        self.send_shadow(body);
        self.acknowledge_if_safe(body);
    }

    /// Who is to keep a copy of the body.
    #[must_use]
    pub fn holder(&self, body: BodyId) -> Option<Incarnation> {
        self.owned.get(&body).and_then(|it| it.holder)
    }

    /// Sends copies of all bodies that changed since their holders' last.
    pub fn send_shadows(&mut self) {
        let bodies: Vec<_> = self.owned.keys().copied().collect();
        for body in bodies {
            self.send_shadow(body);
        }
    }

    /// Whether a crash of ours would not lose the body: its holder has a copy, or there is none to be
    /// had.
    #[must_use]
    pub fn is_safe(&self, body: BodyId) -> bool {
        let safe = |it: &super::Owned| it.holder.is_none() || it.confirmed.is_some();
        !self.safeguards.shadows || self.owned.get(&body).is_some_and(safe)
    }

    pub(super) fn send_shadow(&mut self, body: BodyId) {
        if !self.safeguards.shadows {
            return;
        }
        let Some(owned) = self.owned.get(&body) else { return };
        let Some(holder) = owned.holder else { return };
        if owned.confirmed == Some(owned.state.stamp) {
            return;
        }
        let (version, state) = (owned.version, owned.state.clone());
        self.send(holder, Message::Shadow { body, version, state });
    }

    pub(super) fn handle_shadow(
        &mut self,
        from: Incarnation,
        body: BodyId,
        version: Version,
        state: BodyState,
    ) {
        if self.seen.get(&body).is_some_and(|it| it.version > version) {
            return; // late: it has gone on since
        }
        let (stamp, key) = (state.stamp, (body, from));
        let is_late = |it: &ShadowCopy| {
            let released = it.payload.is_none();
            (it.version, it.stamp) > (version, stamp)
                || released && (it.version, it.stamp) == (version, stamp)
        };
        if self.shadows.get(&key).is_some_and(is_late) {
            return;
        }
        self.remember(body, version);
        let copy = ShadowCopy { version, stamp, payload: Some(state.payload), age: 0 };
        self.shadows.insert(key, copy);
        self.send(from, Message::ShadowAck { body, version, stamp });
    }

    pub(super) fn handle_shadow_ack(
        &mut self,
        from: Incarnation,
        body: BodyId,
        version: Version,
        stamp: u64,
    ) {
        let Some(owned) = self.owned.get_mut(&body) else { return };
        if owned.holder != Some(from) || owned.version != version || stamp < owned.held_since {
            return;
        }
        owned.confirmed = owned.confirmed.max(Some(stamp));
        let former = std::mem::take(&mut owned.former);
        let last = owned.state.stamp;
        self.release(body, version, last, former);
        self.acknowledge_if_safe(body);
    }

    /// Says to the previous owner of a body of ours that it may forget it, if it may.
    pub(super) fn acknowledge_if_safe(&mut self, body: BodyId) {
        if !self.is_safe(body) {
            return;
        }
        let owes_ack = self.owned.get_mut(&body).and_then(|it| it.owes_ack.take());
        if let Some((to, version)) = owes_ack {
            self.acknowledge(to, body, version);
        }
    }

    /// Tells those who may have copies to drop them, until they say that they did.
    pub(super) fn release(
        &mut self,
        body: BodyId,
        version: Version,
        stamp: u64,
        holders: impl IntoIterator<Item = Incarnation>,
    ) {
        for holder in holders {
            self.releases.insert((body, holder), Release { version, stamp });
            self.send(holder, Message::Release { body, version, stamp });
        }
    }

    pub(super) fn handle_release(
        &mut self,
        from: Incarnation,
        body: BodyId,
        version: Version,
        stamp: u64,
    ) {
        let released = ShadowCopy { version, stamp, payload: None, age: 0 };
        let copy = self.shadows.entry((body, from)).or_insert_with(|| released.clone());
        if (copy.version, copy.stamp) <= (version, stamp) {
            *copy = released;
        }
        self.send(from, Message::ReleaseAck { body, version });
    }

    pub(super) fn handle_release_ack(&mut self, from: Incarnation, body: BodyId, version: Version) {
        let key = (body, from);
        if self.releases.get(&key).is_some_and(|it| it.version == version) {
            self.releases.remove(&key);
        }
    }

    pub(super) fn resend_shadows(&mut self) {
        let unconfirmed = |it: &super::Owned| it.holder.is_some() && it.confirmed.is_none();
        let bodies: Vec<_> =
            self.owned.iter().filter(|it| unconfirmed(it.1)).map(|it| *it.0).collect();
        for body in bodies {
            self.send_shadow(body);
        }
        for (&(body, to), it) in &self.releases {
            let message = Message::Release { body, version: it.version, stamp: it.stamp };
            self.outbox.push_back(super::Envelope { from: self.me, to, message });
        }
    }
}
