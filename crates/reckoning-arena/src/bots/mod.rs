//! Bots: characters that want something and play as people with a keyboard and a mouse do.
//!
//! How a bot decides:
//! 1. It **looks** round ten times a second and knows only what a player in its place could
//!    know ([`senses`]); it reacts after a fifth to two fifths of a second.
//! 2. Every few seconds, or when something happens (someone appears, it is hurt, a goal is
//!    reached or lost), it **chooses a goal**: attack, flee to cover, fetch an item, patrol,
//!    hold, regroup, ambush. Circumstances and its [`Style`] weigh the options, and a lot is
//!    drawn ([`goal`], [`places`]). So it changes its mind, and two bots in one place differ.
//! 3. It **travels** along a route that A* finds on the level's grid, notices when it is
//!    stuck, hesitates before it steps into a turret's sight ([`travel`]).
//! 4. With an opponent in its line of fire it **fights**: sidesteps drawn by lot, an aim that
//!    wanders, bursts ([`fight`]). A bot that flees or fetches shoots on the run.
//! 5. All of it passes through [`input_emulation`]: eight directions, keys held for a moment.
//!
//! The bots are the lab's test data, so none of this is taken from a predictor: no sum of
//! follow, align and bravery velocities (SHI), no attracting and repelling forces (LI), no
//! trend of the level (STEELE). What those find in the bots' motion is theirs to find.

mod fight;
mod goal;
mod input_emulation;
mod places;
mod senses;
mod style;
mod travel;

pub use goal::Goal;
pub use style::Style;

use reckoning::DVec3;
use reckoning::random::SplitMix64;

use crate::level::{Search, place};
use crate::ticks;
use crate::world::{Input, Player, PlayerId, World};
use fight::Fight;
use goal::Chooser;
use input_emulation::InputEmulator;
use places::RecentPlaces;
use senses::{SeenOpponent, Senses};
use travel::Travel;

/// How often a bot remembers where it is.
const TRAIL_TICKS: u64 = 240;

/// All players that the program controls.
#[derive(Clone, Debug)]
pub struct Bots {
    seed: u64,
    crew: Vec<Bot>,
    inputs: Vec<(PlayerId, Input)>,
    search: Search,
}

impl Bots {
    /// None yet. The seed decides their characters and all they do by chance.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let seed = forked_seed(seed, 0xB07);
        Self { seed, crew: Vec::new(), inputs: Vec::new(), search: Search::default() }
    }

    /// A bot with a character of its own plays this player from now on.
    pub fn add(&mut self, id: PlayerId) {
        let mut random = self.random_of(id);
        let style = Style::draw(&mut random);
        self.crew.push(Bot::new(id, style, random));
    }

    /// A bot of the given character plays this player from now on.
    pub fn add_with_style(&mut self, id: PlayerId, style: Style) {
        let random = self.random_of(id);
        self.crew.push(Bot::new(id, style, random));
    }

    /// Nobody is played by a bot from now on.
    pub fn clear(&mut self) {
        self.crew.clear();
    }

    fn random_of(&self, id: PlayerId) -> SplitMix64 {
        SplitMix64::new(forked_seed(self.seed, u64::from(id.0)))
    }

    /// What they do in the next step, given the world after the last one.
    pub fn decide(&mut self, world: &World) -> &[(PlayerId, Input)] {
        self.inputs.clear();
        for bot in &mut self.crew {
            if let Some(me) = world.player(bot.id) {
                self.inputs.push((bot.id, bot.decide(me, world, &mut self.search)));
            }
        }
        &self.inputs
    }

    /// What they did last.
    #[must_use]
    pub fn inputs(&self) -> &[(PlayerId, Input)] {
        &self.inputs
    }

    /// Everyone's character.
    pub fn styles(&self) -> impl Iterator<Item = (PlayerId, Style)> {
        self.crew.iter().map(|it| (it.id, it.style))
    }

    /// What everyone is up to; the dead want nothing.
    pub fn goals(&self) -> impl Iterator<Item = (PlayerId, Option<Goal>)> {
        self.crew.iter().map(|it| (it.id, it.goal))
    }
}

/// The seed of a sequence for one `purpose`, independent of `seed` and of other purposes. Not
/// [`SplitMix64::fork`], which mixes by another constant: recorded matches depend on this one.
const fn forked_seed(seed: u64, purpose: u64) -> u64 {
    SplitMix64::new(seed ^ purpose.wrapping_mul(0xD6E8_FEB8_6659_FD93)).next_u64()
}

#[derive(Clone, Debug)]
struct Bot {
    id: PlayerId,
    style: Style,
    random: SplitMix64,
    senses: Senses,
    trail: RecentPlaces,
    goal: Option<Goal>,
    /// When it asks itself again.
    think_tick: u64,
    /// Until then it stands and looks.
    pause_until: u64,
    /// The next tick it may hesitate in front of danger.
    peek_tick: u64,
    travel: Travel,
    fight: Fight,
    keys: InputEmulator,
}

impl Bot {
    fn new(id: PlayerId, style: Style, random: SplitMix64) -> Self {
        Self {
            id,
            style,
            random,
            senses: Senses::default(),
            trail: RecentPlaces::default(),
            goal: None,
            think_tick: 0,
            pause_until: 0,
            peek_tick: 0,
            travel: Travel::default(),
            fight: Fight::default(),
            keys: InputEmulator::default(),
        }
    }

    fn decide(&mut self, me: &Player, world: &World, search: &mut Search) -> Input {
        let tick = world.tick();
        if !me.is_alive {
            self.forget(tick);
            return Input::default();
        }
        let reaction_s = self.style.reaction_s;
        if self.senses.update(world, me, reaction_s, &mut self.random) {
            self.think_tick = self.think_tick.min(tick + ticks(0.5 * reaction_s));
        }
        if tick.is_multiple_of(TRAIL_TICKS) {
            self.trail.remember(me.position);
        }
        if self.goal.is_none() || tick >= self.think_tick || self.is_done(me, world) {
            self.think(me, world);
        }
        let foe = self.foe(me, tick);
        let wish = self.wish(me, world, foe.as_ref(), search);
        let go = self.keys.press(wish, tick, &mut self.random);
        let (aim, fire) = self.aim(me, world, foe.as_ref(), wish);
        Input { go, aim, fire }
    }

    /// A new life begins with a clear head, and not at once.
    fn forget(&mut self, tick: u64) {
        if self.goal.is_none() {
            return;
        }
        self.goal = None;
        self.senses = Senses::default();
        self.travel = Travel::default();
        self.keys = InputEmulator::default();
        self.think_tick = tick;
    }

    fn think(&mut self, me: &Player, world: &World) {
        let (tick, before) = (world.tick(), self.goal);
        let (style, senses, trail) = (&self.style, &self.senses, &self.trail);
        let chooser = Chooser { me, style, world, senses, trail, current: before };
        let goal = chooser.choose(&mut self.random);
        let changed = before.is_none_or(|it| !it.is_like(&goal));
        if changed && self.senses.noticed().next().is_none() {
            let slow = 0.15 + 0.35 * (1.0 - self.style.restlessness);
            if before.is_none() || self.random.chance(slow) {
                self.pause_until = tick + ticks(self.random.between(0.1, 0.8));
            }
        }
        if changed {
            self.fight.break_off();
        }
        let (least_s, most_s) = goal.span_s();
        let span_s = self.random.between(least_s, most_s) * (1.5 - 1.1 * self.style.restlessness);
        self.think_tick = tick + ticks(span_s);
        self.travel.stuck = 0;
        self.goal = Some(goal);
    }

    /// Whether the goal is reached, gone or out of reach.
    fn is_done(&mut self, me: &Player, world: &World) -> bool {
        let near_px = 1.5 * world.level().file().body.radius_px;
        if self.travel.stuck >= 3 {
            return true;
        }
        match self.goal {
            None => true,
            Some(Goal::Attack { target }) => me.ammo == 0 || self.senses.of(target).is_none(),
            Some(Goal::Fetch { item }) => {
                let at = place(world.level().file().items[item].at);
                let lies = world.items().nth(item).unwrap_or(false);
                !lies && world.level().shows(me.position, at)
            }
            Some(Goal::Patrol { .. }) => {
                let there = self.travel.has_arrived(me.position, near_px);
                let goes = world.tick() > self.pause_until;
                if there && goes && self.random.chance(0.3 + 0.4 * (1.0 - self.style.restlessness))
                {
                    self.pause_until = world.tick() + ticks(self.random.between(0.3, 1.8));
                }
                there && goes
            }
            Some(Goal::Regroup { with }) => world.player(with).is_none_or(|it| !it.is_alive),
            Some(Goal::Flee { .. } | Goal::Hold { .. } | Goal::Ambush { .. }) => false,
        }
    }

    /// The opponent to shoot at: the target if it is open, otherwise the nearest that is.
    fn foe(&self, me: &Player, tick: u64) -> Option<SeenOpponent> {
        let target = match self.goal {
            Some(Goal::Attack { target }) => self.senses.of(target).filter(|it| it.is_open),
            _ => None,
        };
        target.or_else(|| self.senses.nearest_open(me.position, tick)).copied()
    }

    /// Where to go now: a sidestep in a fight, the route otherwise.
    fn wish(
        &mut self,
        me: &Player,
        world: &World,
        foe: Option<&SeenOpponent>,
        search: &mut Search,
    ) -> DVec3 {
        let (tick, level) = (world.tick(), world.level());
        let runs = matches!(self.goal, Some(Goal::Flee { .. } | Goal::Fetch { .. }));
        let range_px = level.file().gun.range_px;
        if let Some(foe) = foe.filter(|_| !runs && me.ammo > 0)
            && foe.believed(tick).distance(me.position) < range_px
        {
            return self.fight.wish(me, foe, (&self.style, level), tick, &mut self.random);
        }
        if tick < self.pause_until {
            return DVec3::ZERO;
        }
        let Some(to) = self.destination(me, world) else { return DVec3::ZERO };
        let fear = if level.file().turrets.is_empty() { 0.0 } else { self.style.caution };
        if !self.travel.set(to, me, level, (fear, tick), search) {
            self.think_tick = tick;
            return DVec3::ZERO;
        }
        let wish = self.travel.wish(me, level, tick, &mut self.random);
        if self.hesitates(me, world, wish) { DVec3::ZERO } else { wish }
    }

    /// Where the goal leads; none when the bot is there and stays.
    fn destination(&self, me: &Player, world: &World) -> Option<DVec3> {
        let near_px = 6.0 * world.level().file().body.radius_px;
        match self.goal? {
            Goal::Attack { target } => self.senses.of(target).map(|it| it.believed(world.tick())),
            Goal::Fetch { item } => Some(place(world.level().file().items[item].at)),
            Goal::Flee { to } | Goal::Patrol { to } => Some(to),
            Goal::Hold { at } | Goal::Ambush { at } => Some(at),
            Goal::Regroup { with } => world
                .player(with)
                .map(|it| it.position)
                .filter(|it| it.distance(me.position) > near_px),
        }
    }

    /// The careful stop for a moment before they step into a turret's sight.
    fn hesitates(&mut self, me: &Player, world: &World, wish: DVec3) -> bool {
        let (tick, paths) = (world.tick(), world.level().paths());
        if world.level().file().turrets.is_empty() || tick < self.peek_tick {
            return false;
        }
        let step_px = 2.5 * world.level().file().body.radius_px;
        let ahead = me.position + wish.normalize_or_zero() * step_px;
        if paths.danger_at(ahead) <= paths.danger_at(me.position) {
            return false;
        }
        self.peek_tick = tick + ticks(3.0);
        if self.random.chance(0.2 + 0.7 * self.style.caution) {
            let most_s = 0.3 + self.style.caution;
            self.pause_until = tick + ticks(self.random.between(0.2, most_s));
        }
        tick < self.pause_until
    }

    /// Where to aim, and whether to shoot.
    fn aim(
        &mut self,
        me: &Player,
        world: &World,
        foe: Option<&SeenOpponent>,
        wish: DVec3,
    ) -> (DVec3, bool) {
        let (tick, level) = (world.tick(), world.level());
        let Some(foe) = foe else {
            let hurt = self.senses.was_hurt_within(1.0, tick);
            let look = if hurt { self.senses.hurt_from - me.position } else { wish };
            let mark = look.try_normalize().unwrap_or(me.aim);
            return (input_emulation::aim_towards(me.aim, mark), false);
        };
        let mark = self.fight.mark(me, foe, (&self.style, level), tick, &mut self.random);
        let fire = self.fight.fires(me, foe, mark, level, tick, &mut self.random);
        (input_emulation::aim_towards(me.aim, mark), fire)
    }
}
