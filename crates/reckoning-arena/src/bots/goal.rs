//! Goals of a bot: its options, their weights, and the draw between them.
//!
//! Options are weighed by plain circumstances (am I weak, out of shots, outnumbered, is
//! someone in view, how far is what I need) and by character, then one is drawn. The weights
//! were set by watching matches; they contain no formula of any predictor.

use reckoning::DVec3;
use reckoning::random::SplitMix64;

use super::places::{self, RecentPlaces};
use super::senses::Senses;
use super::style::Style;
use crate::level::{ItemKind, Level, place};
use crate::world::{Player, PlayerId, World};

/// What a bot is up to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Goal {
    /// Hunt and fight someone.
    Attack {
        /// Whom.
        target: PlayerId,
    },
    /// Get out of fire.
    Flee {
        /// The cover.
        to: DVec3,
    },
    /// Get an item.
    Fetch {
        /// Its place in the level file.
        item: usize,
    },
    /// Walk about.
    Patrol {
        /// Where to.
        to: DVec3,
    },
    /// Stay somewhere and look round.
    Hold {
        /// Where.
        at: DVec3,
    },
    /// Join a team-mate.
    Regroup {
        /// Whom.
        with: PlayerId,
    },
    /// Wait in hiding for someone to come.
    Ambush {
        /// Where.
        at: DVec3,
    },
}

impl Goal {
    /// Whether two goals are of the same kind.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        core::mem::discriminant(self) == core::mem::discriminant(other)
    }

    /// How long a bot sticks to it before it asks itself again, least and most.
    pub(crate) fn span_s(&self) -> (f64, f64) {
        match self {
            Self::Attack { .. } => (2.0, 6.0),
            Self::Flee { .. } | Self::Hold { .. } => (1.5, 5.0),
            Self::Fetch { .. } | Self::Patrol { .. } => (4.0, 12.0),
            Self::Regroup { .. } => (2.0, 7.0),
            Self::Ambush { .. } => (5.0, 14.0),
        }
    }
}

/// A bot in front of a choice.
pub struct Chooser<'a> {
    pub me: &'a Player,
    pub style: &'a Style,
    pub world: &'a World,
    pub senses: &'a Senses,
    pub trail: &'a RecentPlaces,
    pub current: Option<Goal>,
}

impl Chooser<'_> {
    /// Draws one of the options.
    pub fn choose(&self, random: &mut SplitMix64) -> Goal {
        let mut options = Vec::with_capacity(12);
        self.add_attacks(&mut options);
        self.add_flight(&mut options, random);
        self.add_items(&mut options);
        self.add_waits(&mut options, random);
        self.add_regroup(&mut options);
        let to = places::patrol(self.me, self.style, self.level(), self.trail, random);
        let calm = if self.senses.noticed().next().is_some() { 0.3 } else { 1.0 };
        options.push((Goal::Patrol { to }, calm * (0.5 + 1.5 * self.style.curiosity)));
        let stay = 2.2 - 1.2 * self.style.restlessness;
        for (goal, weight) in &mut options {
            let same = self.current.is_some_and(|it| it.is_like(goal));
            *weight *= if same && !matches!(goal, Goal::Hold { .. }) { stay } else { 1.0 };
        }
        let weights: Vec<f64> = options.iter().map(|it| it.1).collect();
        random.weighted(&weights).map_or(Goal::Patrol { to }, |place| options[place].0)
    }

    fn level(&self) -> &Level {
        self.world.level()
    }

    /// Health as a share of the most there is.
    fn health(&self) -> f64 {
        self.me.health / self.level().file().rules.health
    }

    pub fn is_weak(&self) -> bool {
        self.health() < self.style.weak_below()
    }

    /// Counts heads in view; the bold wait for worse odds.
    fn is_outnumbered(&self) -> bool {
        let friends =
            self.friends().filter(|it| self.level().shows(self.me.position, it.position)).count();
        let bold = usize::from(self.style.aggression > 0.6);
        self.senses.noticed().count() > 1 + friends + bold
    }

    fn friends(&self) -> impl Iterator<Item = &Player> {
        let (id, team) = (self.me.id, self.me.team);
        self.world.players().iter().filter(move |it| it.team == team && it.id != id && it.is_alive)
    }

    fn add_attacks(&self, options: &mut Vec<(Goal, f64)>) {
        if self.me.ammo == 0 {
            return;
        }
        let mut keen = 0.6 + 3.0 * self.style.aggression;
        keen *= if self.is_weak() { 0.15 } else { 1.0 };
        keen *= if self.is_outnumbered() { 0.5 } else { 1.0 };
        let near_px = 0.5 * self.level().file().gun.range_px;
        let share = keen / self.senses.known.len().max(1) as f64;
        for foe in &self.senses.known {
            let away = foe.believed(self.world.tick()).distance(self.me.position);
            let appeal = share * 2.0 * near_px / (near_px + away);
            let seen = if foe.is_noticed { 1.5 } else { 0.7 };
            options.push((Goal::Attack { target: foe.id }, appeal * seen));
        }
    }

    fn add_flight(&self, options: &mut Vec<(Goal, f64)>, random: &mut SplitMix64) {
        let tick = self.world.tick();
        let foe = self.senses.nearest_open(self.me.position, tick).map(|it| it.believed(tick));
        let hurt = self.senses.was_hurt_within(1.5, tick).then_some(self.senses.hurt_from);
        let Some(from) = foe.or(hurt) else { return };
        let mut fear = if foe.is_none() { 0.8 * self.style.caution } else { 0.0 };
        fear += if self.is_weak() { 1.0 + 3.0 * self.style.caution } else { 0.0 };
        fear += if self.is_outnumbered() { 1.5 * self.style.caution } else { 0.0 };
        fear += if self.me.ammo == 0 { 2.0 } else { 0.0 };
        if fear > 0.0
            && let Some(to) = places::cover(self.me, from, self.level(), random)
        {
            options.push((Goal::Flee { to }, fear));
        }
    }

    fn add_items(&self, options: &mut Vec<(Goal, f64)>) {
        let rules = &self.level().file().rules;
        let thirst = 1.0 - f64::from(self.me.ammo) / f64::from(rules.ammo);
        let near_px = 0.2 * self.level().size_px().length();
        for (item, (spot, lies)) in
            self.level().file().items.iter().zip(self.world.items()).enumerate()
        {
            let at = place(spot.at);
            if !lies && self.level().shows(self.me.position, at) {
                continue; // it sees that there is nothing
            }
            let need = match spot.kind {
                ItemKind::Health => 1.0 - self.health(),
                ItemKind::Ammo => thirst.max(0.0),
            };
            let urgent = if need > 0.6 { 2.0 } else { 1.0 };
            let appeal = urgent * (2.0 * need * need + 0.12 * self.style.curiosity);
            let away = at.distance(self.me.position) / near_px;
            if need > 0.0 {
                options.push((Goal::Fetch { item }, appeal / (1.0 + away * away)));
            }
        }
    }

    fn add_waits(&self, options: &mut Vec<(Goal, f64)>, random: &mut SplitMix64) {
        let style = self.style;
        let calm = if self.senses.noticed().next().is_some() { 0.2 } else { 1.0 };
        let at = self.me.position;
        let patience = 1.0 - style.restlessness;
        options.push((Goal::Hold { at }, calm * (0.1 + 0.35 * patience)));
        let sly = style.caution * (1.0 - style.aggression);
        if self.me.ammo > 0
            && let Some(at) = places::ambush(self.me, self.level(), random)
        {
            options.push((Goal::Ambush { at }, calm * (0.05 + 0.6 * sly)));
        }
    }

    fn add_regroup(&self, options: &mut Vec<(Goal, f64)>) {
        let far_px = 8.0 * self.level().file().body.radius_px;
        let nearest = self.friends().min_by(|a, b| {
            let away = |it: &Player| it.position.distance_squared(self.me.position);
            away(a).total_cmp(&away(b))
        });
        if let Some(friend) = nearest
            && friend.position.distance(self.me.position) > far_px
        {
            let need = if self.is_weak() || self.is_outnumbered() { 1.8 } else { 1.0 };
            options.push((Goal::Regroup { with: friend.id }, 2.2 * self.style.loyalty * need));
        }
    }
}
