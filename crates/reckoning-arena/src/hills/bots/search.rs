//! The cheapest way over the roads (A*), pulled tight where the ground is open.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use reckoning::DVec3;

use super::roads::Roads;

/// Corners are left out over at most this many places.
const PULL: usize = 14;

/// What a search needs to remember; kept to spare allocations.
#[derive(Clone, Debug)]
pub(super) struct Search {
    cost: Vec<u32>,
    from: Vec<u32>,
    open: BinaryHeap<Reverse<(u32, u32)>>,
    chain: Vec<usize>,
}

impl Search {
    pub(super) const fn new() -> Self {
        Self { cost: Vec::new(), from: Vec::new(), open: BinaryHeap::new(), chain: Vec::new() }
    }

    /// Fills `way` with the corners from one place to another, the first one last. False when
    /// no way leads there.
    pub(super) fn plan(
        &mut self,
        roads: &Roads,
        (from, to): (DVec3, DVec3),
        way: &mut Vec<DVec3>,
    ) -> bool {
        let (Some(first), Some(last)) = (roads.near(from), roads.near(to)) else { return false };
        if !self.run(roads, first, last) {
            return false;
        }
        self.chain.clear();
        let mut here = last;
        self.chain.push(here);
        while here != first {
            here = self.from[here] as usize;
            self.chain.push(here);
        }
        way.clear();
        self.pull(roads, way);
        true
    }

    fn run(&mut self, roads: &Roads, first: usize, last: usize) -> bool {
        self.cost.clear();
        self.cost.resize(roads.len(), u32::MAX);
        self.from.resize(roads.len(), 0);
        self.open.clear();
        self.cost[first] = 0;
        self.open.push(Reverse((0, first as u32)));
        let end = roads.place(last);
        let at_least = |it: usize| (9.9 * (roads.place(it) - end).with_z(0.0).length()) as u32;
        while let Some(Reverse((guess, here))) = self.open.pop() {
            let here = here as usize;
            if here == last {
                return true;
            }
            let cost = self.cost[here];
            if guess > cost + at_least(here) {
                continue; // a better way here was found since
            }
            for link in roads.links(here) {
                let (next, reached) = (link.to as usize, cost + link.cost_dm);
                if reached < self.cost[next] {
                    (self.cost[next], self.from[next]) = (reached, here as u32);
                    self.open.push(Reverse((reached + at_least(next), link.to)));
                }
            }
        }
        false
    }

    /// Leaves out corners that open ground makes needless. The chain runs from the end back.
    fn pull(&self, roads: &Roads, way: &mut Vec<DVec3>) {
        let chain = &self.chain;
        let mut here = 0;
        way.push(roads.place(chain[0]));
        while here + 1 < chain.len() {
            let furthest = (here + PULL).min(chain.len() - 1);
            let next = (here + 2..=furthest)
                .rev()
                .find(|it| roads.is_open(chain[here], chain[*it]))
                .unwrap_or(here + 1);
            here = next;
            way.push(roads.place(chain[here]));
        }
        // The place under the driver is behind it as often as ahead.
        if way.len() > 1 {
            way.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use reckoning::Terrain;

    use super::super::super::level::HillsLevel;
    use super::super::rails::Rails;
    use super::*;

    #[test]
    fn ways_lead_from_every_spawn_to_every_crossing_and_stay_dry() {
        let level = HillsLevel::built_in();
        let roads = Roads::new(&level, &Rails::new(&level));
        let (mut search, mut way) = (Search::new(), Vec::new());
        assert_eq!(roads.crossings().len(), 3);
        for spawn in &level.file().spawns {
            let [x, y] = spawn.at;
            let from = DVec3::new(x, y, level.height_m(x, y));
            for crossing in roads.crossings() {
                for to in [crossing.ends[0], crossing.middle, crossing.ends[1]] {
                    assert!(search.plan(&roads, (from, to), &mut way), "{from} to {to}");
                    assert!(way[0].distance(to) < 12.0, "{} instead of {to}", way[0]);
                    for pair in way.windows(2) {
                        let middle = (pair[0] + pair[1]) * 0.5;
                        let ground = level.ground().ground_below(middle + DVec3::Z * 2.0).unwrap();
                        assert!(ground.point.z > level.file().water_m, "at {middle}");
                    }
                }
            }
        }
    }
}
