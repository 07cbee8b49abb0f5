//! Where a newcomer is born: near somebody to watch, and where nobody shoots at it at once.
//!
//! Spawn points are at the rims of a level, and whoever comes in the middle of a round would walk
//! through an empty half of it first.

use reckoning::DVec3;

use super::{Mode, Player, World};

/// How far the nearest other body is from a newcomer: not in its way, and well inside its view.
const NEAR_PX: std::ops::RangeInclusive<f64> = 150.0..=400.0;
/// Where no friend is near, an enemy has to do, but not nearer than this.
const SAFE_PX: f64 = 350.0;

impl World {
    /// From now on, who comes to play and moves itself is born near others the first time. Births
    /// after a death are at spawn points all the same.
    pub(crate) fn bring_newcomers_near(&mut self) {
        self.newcomers_near = true;
    }

    /// A place for a newcomer of that number, if there is one; spawn points are for all others.
    pub(super) fn draw_company(&mut self, number: usize) -> Option<DVec3> {
        let newcomer = &self.players[number];
        let is_first = newcomer.moves_itself && newcomer.since_tick == 0;
        if !self.newcomers_near || !is_first {
            return None;
        }
        let near = self.places_in_company(number);
        let quiet: Vec<DVec3> =
            near.iter().copied().filter(|at| self.is_quiet(number, *at)).collect();
        let choice = if quiet.is_empty() {
            near.into_iter().filter(|at| self.nearest_enemy_px(number, *at) >= SAFE_PX).collect()
        } else {
            quiet
        };
        (!choice.is_empty()).then(|| choice[self.random.below(choice.len())])
    }

    /// Free places that nobody stands on, without turrets, where another body is near and in view.
    fn places_in_company(&self, number: usize) -> Vec<DVec3> {
        let (level, radius_px) = (&self.level, self.level.file().body.radius_px);
        let is_near = |at: &DVec3| {
            let apart = |other: &Player| other.position.distance(*at);
            let nearest = self.others(number).min_by(|a, b| apart(a).total_cmp(&apart(b)));
            nearest.is_some_and(|it| NEAR_PX.contains(&apart(it)) && level.shows(*at, it.position))
        };
        let is_open = |at: &DVec3| {
            level.paths().danger_at(*at) == 0 && level.walls().room_at(*at) > radius_px
        };
        level.paths().free_places().filter(is_near).filter(is_open).collect()
    }

    /// Whether no enemy can shoot at it.
    fn is_quiet(&self, number: usize, at: DVec3) -> bool {
        let range_px = self.level.file().gun.range_px;
        let reaches = |it: &Player| {
            it.position.distance(at) <= range_px && self.level.walls().sees(it.position, at)
        };
        !self.enemies(number).any(reaches)
    }

    fn nearest_enemy_px(&self, number: usize, at: DVec3) -> f64 {
        self.enemies(number).map(|it| it.position.distance(at)).fold(f64::INFINITY, f64::min)
    }

    fn others(&self, number: usize) -> impl Iterator<Item = &Player> {
        let id = self.players[number].id;
        self.players.iter().filter(move |it| it.is_alive && it.id != id)
    }

    fn enemies(&self, number: usize) -> impl Iterator<Item = &Player> {
        let (team, mode) = (self.players[number].team, self.mode);
        self.others(number).filter(move |it| mode == Mode::FreeForAll || it.team != team)
    }
}

#[cfg(test)]
mod tests {
    use crate::level::Level;
    use crate::world::{Event, Mode, PlayerId, World};
    use reckoning::DVec3;

    /// A game that has run for a while without anybody moving, so all are at their spawn points.
    fn game(seed: u64, is_near: bool) -> (World, PlayerId) {
        let level = Level::built_in("proving-grounds").unwrap();
        let mut world = World::new(level, Mode::TwoTeams, seed);
        if is_near {
            world.bring_newcomers_near();
        }
        for _ in 0..4 {
            world.join();
        }
        world.step(&[]);
        let newcomer = world.try_join_free().unwrap();
        world.step(&[]);
        (world, newcomer)
    }

    fn nearest_px(world: &World, id: PlayerId) -> f64 {
        let at = world.player(id).unwrap().position;
        let others = world.players().iter().filter(|it| it.id != id && it.is_alive);
        others.map(|it| it.position.distance(at)).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn a_newcomer_is_born_near_somebody_and_out_of_every_gun_that_is_not_of_its_team() {
        for seed in 0..60 {
            let (world, id) = game(seed, true);
            let me = *world.player(id).unwrap();
            let nearest_px = nearest_px(&world, id);
            assert!((150.0..=400.0).contains(&nearest_px), "seed {seed}: {nearest_px} px");
            let range_px = world.level().file().gun.range_px;
            for other in world.players().iter().filter(|it| it.team != me.team) {
                let apart_px = other.position.distance(me.position);
                let is_hidden = !world.level().walls().sees(other.position, me.position);
                assert!(apart_px > range_px || is_hidden, "seed {seed}: {apart_px} px");
            }
            assert!(world.level().walls().room_at(me.position) > 20.0, "seed {seed}");
            let (again, _) = game(seed, true);
            assert_eq!(again.player(id).unwrap().position, me.position, "seed {seed}");
        }
    }

    fn is_spawn_point(world: &World, at: DVec3) -> bool {
        world.level().file().spawns.iter().any(|it| DVec3::new(it.at[0], it.at[1], 0.0) == at)
    }

    #[test]
    fn who_comes_back_to_life_and_who_does_not_ask_is_born_at_a_spawn_point() {
        let (world, id) = game(1, false);
        assert!(is_spawn_point(&world, world.player(id).unwrap().position));
        let (mut world, id) = game(1, true);
        assert!(!is_spawn_point(&world, world.player(id).unwrap().position));
        let number = world.place_of(id).unwrap();
        world.die(number, crate::world::Shooter::Player(PlayerId(0)));
        let again = (0..600).find_map(|_| {
            world.step(&[]);
            world.events().iter().find_map(|it| match it {
                Event::Born { who, at } if *who == id => Some(*at),
                _ => None,
            })
        });
        assert!(is_spawn_point(&world, again.expect("it lives again")));
    }

    #[test]
    fn the_first_one_of_all_is_born_at_a_spawn_point() {
        let level = Level::built_in("proving-grounds").unwrap();
        let mut world = World::new(level, Mode::TwoTeams, 7);
        world.bring_newcomers_near();
        let id = world.try_join_free().unwrap();
        world.step(&[]);
        assert!(is_spawn_point(&world, world.player(id).unwrap().position));
    }
}
