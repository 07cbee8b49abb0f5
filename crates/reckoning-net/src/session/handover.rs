//! Changes of owner as a session sees them: what is on its screen stays continuous.
//!
//! A session that becomes the owner of an entity drew a ghost and then draws the game's truth: what
//! lies between fades over the span of the ghost's blend ([`Handover`]). One that is no longer the
//! owner drew the truth and then draws a ghost, which sets out from there ([`Ghost::from_shown`]).
//! Until the entity's entry arrives it goes on as its former owner last saw it.

use alloc::boxed::Box;
use core::time::Duration;

use reckoning::error::SettingError;
use reckoning::ground::Pose;
use reckoning::{Ghost, Handover, Kinematics, Model, SimTime, Timing, Update, UpdateKind};

use super::Session;
use super::entities::OwnedEntity;
use super::remote_ghost::RemoteGhost;
use crate::kinds::Show;
use crate::wire::EntityId;

/// An entity that was ours is shown this long without an entry; by then it was despawned, or is out
/// of sight.
const MAX_ENTRY_DELAY: Duration = Duration::from_secs(1);

/// How an entity of ours is drawn.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnPicture {
    /// What was shown before its first truth, if it no longer is among the ghosts.
    before: Option<Box<RemoteGhost>>,
    handover: Option<Handover>,
    /// What was drawn last, by our clock.
    drawn: Option<Kinematics>,
}

impl OwnPicture {
    /// The game observed a truth of it.
    fn draw(&mut self, truth: &Kinematics) {
        let drawn = self.handover.map_or(*truth, |handover| handover.shown(truth));
        self.handover = self.handover.filter(|handover| !handover.is_over(truth.at));
        self.drawn = Some(drawn);
    }
}

impl Session {
    /// Where to draw an entity of ours whose truth this is: there, and for a moment after it was
    /// granted on the way there from where it was shown until then. The way begins with the first
    /// [`observe`](Self::observe); ask after that. `None` when it is not ours.
    #[must_use]
    pub fn shown_owned(&self, entity: EntityId, truth: &Kinematics) -> Option<Pose> {
        let picture = &self.owned.get(&entity)?.picture;
        let shown = picture.handover.map_or(*truth, |handover| handover.shown(truth));
        Some(Pose { position: shown.position, orientation: shown.orientation })
    }

    /// The ghost of an entity between two owners, while it is not in the interest set.
    pub(super) fn ghost_between_owners(
        &self,
        entity: EntityId,
        at: SimTime,
    ) -> Option<&RemoteGhost> {
        let before = self.owned.get(&entity).and_then(|owned| owned.picture.before.as_deref());
        before.or_else(|| self.handed_over.get(&entity).filter(|ghost| is_awaited(ghost, at)))
    }

    /// An entity was granted: what is shown of it outlasts its exit.
    pub(super) fn keep_picture(&mut self, entity: EntityId, ghost: Option<RemoteGhost>) {
        let ghost = ghost.or_else(|| self.handed_over.remove(&entity));
        let left = self.just_left.remove(&entity).map(|(_, ghost)| ghost);
        let ghost = ghost.or(left);
        if let (Some(owned), Some(ghost)) = (self.owned.get_mut(&entity), ghost)
            && owned.picture.drawn.is_none()
        {
            owned.picture.before = Some(Box::new(ghost));
        }
    }

    /// An entity left the interest set. If it is granted next, and the grant comes late because it was
    /// lost, it is drawn on from here.
    pub(super) fn keep_left(&mut self, now: SimTime, entity: EntityId, ghost: RemoteGhost) {
        self.just_left.retain(|_, (left, _)| now.saturating_since(*left) < MAX_ENTRY_DELAY);
        if self.owned.contains_key(&entity) {
            self.keep_picture(entity, Some(ghost));
        } else if self.just_left.len() < self.config.max_ghosts {
            self.just_left.insert(entity, (now, ghost));
        }
    }

    /// The game observed the truth of an entity of ours; the first one begins the way there, unless
    /// it `leaps`. Before its state was received there is no truth to go on from.
    pub(super) fn draw_owned(&mut self, entity: EntityId, truth: &Kinematics, leaps: bool) {
        let Some(at) = self.timeline_at(truth.at) else { return };
        let owned = self.owned.get_mut(&entity).filter(|owned| owned.teleports.is_some());
        let Some(owned) = owned else { return };
        let before = owned.picture.before.take().map(|ghost| *ghost);
        if owned.picture.drawn.is_none() {
            let ghost = self.ghosts.get(&entity).map(|remote| remote.ghost.clone()).or(before);
            // What teleported with its grant is there at once.
            let ghost = ghost.filter(|it| Some(it.update().teleports()) == owned.teleports);
            owned.picture.handover = ghost.map(|ghost| {
                let span = blend_span(&ghost.show());
                Handover::start(&ghost.kinematics_at(at), truth, span)
            });
        }
        if leaps {
            owned.picture.handover = None;
        }
        owned.picture.draw(truth);
    }

    /// An entity is no longer ours: it goes on as it was drawn.
    pub(super) fn hand_over(&mut self, now: SimTime, entity: EntityId, owned: &OwnedEntity) {
        let (Some(ghost), Some(at)) = (self.ghost_of_truth(owned), self.timeline_at(now)) else {
            return;
        };
        if let Some(remote) = self.ghosts.get_mut(&entity) {
            let (show, update) = (remote.ghost.show(), *remote.ghost.update());
            let born = RemoteGhost::from_shown(show, update, &ghost.kinematics_at(at), at);
            if let Ok(born) = born {
                remote.ghost = born;
                remote.accepted.glide(at);
            }
            return;
        }
        self.handed_over.retain(|_, ghost| is_awaited(ghost, at));
        if self.handed_over.len() < self.config.max_ghosts {
            self.handed_over.insert(entity, ghost);
        }
    }

    /// A ghost that goes on from what was last drawn of an entity of ours.
    fn ghost_of_truth(&self, owned: &OwnedEntity) -> Option<RemoteGhost> {
        let drawn = owned.picture.drawn?;
        let seen = Kinematics { at: self.timeline_at(drawn.at)?, ..drawn };
        let update = Update::new(seen, Model::Linear, UpdateKind::Full).ok()?;
        let mut config = match self.show_in(owned.kind, 0) {
            Show::Reckoned(config) => config,
            Show::Delayed(_) | Show::BySession => self.config.ghost,
        };
        config.timing = Timing::Synchronised; // the truth is of our own clock
        let update = update.with_teleports(owned.teleports?);
        Ghost::with_config(config, update, seen.at).ok().map(RemoteGhost::from)
    }

    /// The ghost of an entity that enters the interest set, and whether it glides there from where
    /// the entity was drawn when it was ours.
    pub(super) fn entering_ghost(
        &mut self,
        entity: EntityId,
        show: Show,
        update: Update,
        at: SimTime,
    ) -> Result<(RemoteGhost, bool), SettingError> {
        let was_ours = self.handed_over.remove(&entity).filter(|ghost| {
            is_awaited(ghost, at) && update.teleports() == ghost.update().teleports()
        });
        match was_ours {
            Some(ghost) => {
                let shown = ghost.kinematics_at(at);
                Ok((RemoteGhost::from_shown(show, update, &shown, at)?, true))
            }
            None => Ok((RemoteGhost::born(show, update, at)?, false)),
        }
    }
}

fn is_awaited(ghost: &RemoteGhost, at: SimTime) -> bool {
    at.saturating_since(ghost.update().at()) < MAX_ENTRY_DELAY
}

/// How long what is off takes to fade.
fn blend_span(show: &Show) -> Duration {
    match show {
        Show::Reckoned(config) => config.longest_blend(),
        Show::Delayed(config) => config.span,
        Show::BySession => Duration::ZERO,
    }
}
