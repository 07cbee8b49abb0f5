//! Which server should own which cell: rendezvous hashing, with tolerance for load.
//!
//! Each cell ranks all servers by a hash of both, and belongs to the first that lives. When a server
//! joins, only the cells that rank it first move, and all to it; when one leaves, only its own move. Load
//! bends this: a server with clearly more than the mean gives a cell to the next in that cell's rank that has
//! room, and the cell goes back only when there is room for it again. Cold parts of a split region rank
//! servers as their parent does, so that they end up together and merge.

use crate::grid::CellId;
use crate::ids::{Incarnation, ServerId};

/// A server that may own cells, and how many bodies it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Which life of it.
    pub server: Incarnation,
    /// Its bodies.
    pub load: u32,
}

/// A cell of ours, and how many bodies it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadedCell {
    /// Which cell.
    pub cell: CellId,
    /// Its bodies.
    pub load: u32,
    /// Whether it ranks servers as its parent does.
    pub is_cold: bool,
}

/// How much a server has to want a cell.
fn score(cell: CellId, server: ServerId) -> u64 {
    let place = u64::from(cell.depth) << 56 ^ u64::from(cell.x) << 28 ^ u64::from(cell.y);
    mix(mix(place) ^ u64::from(server.0).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// The finaliser of `SplitMix64`: each bit of the input moves half of the output's.
const fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Servers in the order in which the cell wants them. Only the number of a server counts, so one that
/// restarts gets its cells back.
pub fn rank(cell: CellId, servers: impl Iterator<Item = Incarnation>) -> Vec<Incarnation> {
    let mut servers: Vec<_> = servers.collect();
    servers.sort_by_key(|it| (std::cmp::Reverse(score(cell, it.server)), *it));
    servers
}

/// A cell of ours that somebody else should have, and who.
///
/// `me` may be absent from the candidates: then it is draining, and gives everything away. With `for_load`
/// false, only cells that rank another server first are moved.
pub fn next_move(
    me: Incarnation,
    cells: &[LoadedCell],
    candidates: &[Candidate],
    tolerance: f64,
    for_load: bool,
) -> Option<(CellId, Incarnation)> {
    let servers = || candidates.iter().map(|it| it.server);
    let Some(mine) = candidates.iter().find(|it| it.server == me) else {
        let cell = cells.first()?;
        return Some((cell.cell, *rank(ranked_as(cell), servers()).first()?));
    };
    let total: f64 = candidates.iter().map(|it| f64::from(it.load)).sum();
    let mean = total / candidates.len() as f64;
    let has_room = |server: Incarnation, cell: &LoadedCell| {
        let load = candidates.iter().find(|it| it.server == server).map_or(0, |it| it.load);
        let after = f64::from(load) + f64::from(cell.load);
        after <= (mean * (1.0 + tolerance / 2.0)).max(f64::from(mine.load))
    };
    for cell in cells {
        let first = *rank(ranked_as(cell), servers()).first()?;
        if first != me && has_room(first, cell) {
            return Some((cell.cell, first));
        }
    }
    let surplus = f64::from(mine.load) - mean;
    if !for_load || surplus <= mean * tolerance {
        return None;
    }
    // The largest cell that does not make its next owner the one with too much.
    let mut by_load: Vec<_> = cells.iter().filter(|it| it.load > 0).collect();
    by_load.sort_by_key(|it| (std::cmp::Reverse(it.load), it.cell));
    by_load.into_iter().find_map(|cell| {
        let next = rank(ranked_as(cell), servers()).into_iter();
        let next = next.filter(|it| *it != me).find(|it| has_room(*it, cell))?;
        Some((cell.cell, next))
    })
}

/// The cell by whose number servers are ranked.
fn ranked_as(cell: &LoadedCell) -> CellId {
    cell.cell.parent().filter(|_| cell.is_cold).unwrap_or(cell.cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Epoch;

    fn server(number: u16) -> Incarnation {
        Incarnation::new(ServerId(number), Epoch(1))
    }

    fn owners(servers: &[u16]) -> Vec<Incarnation> {
        let cells = (0..32).flat_map(|y| (0..32).map(move |x| CellId::region(x, y)));
        cells.map(|it| rank(it, servers.iter().map(|it| server(*it)))[0]).collect()
    }

    #[test]
    fn a_server_that_joins_takes_its_share_and_nothing_else_moves() {
        let (before, after) = (owners(&[1, 2, 3]), owners(&[1, 2, 3, 4]));
        let moved: Vec<_> = before.iter().zip(&after).filter(|(a, b)| a != b).collect();
        assert!(moved.iter().all(|(_, to)| **to == server(4)));
        let share = moved.len() as f64 / before.len() as f64;
        assert!((0.2..0.3).contains(&share), "a quarter is its share, not {share}");
    }

    #[test]
    fn a_server_that_leaves_takes_nothing_of_others_along() {
        let (before, after) = (owners(&[1, 2, 3, 4]), owners(&[1, 3, 4]));
        for (was, is) in before.iter().zip(&after) {
            assert!(was == is || *was == server(2));
        }
    }

    /// Cells of `me` among many, with equal loads.
    fn cells_of(me: u16, servers: &[u16], load: u32) -> Vec<LoadedCell> {
        let cells = (0..16).flat_map(|y| (0..16).map(move |x| CellId::region(x, y)));
        let first = |it: &CellId| rank(*it, servers.iter().map(|it| server(*it)))[0];
        cells
            .filter(|it| first(it) == server(me))
            .map(|cell| LoadedCell { cell, load, is_cold: false })
            .collect()
    }

    fn candidates(loads: &[(u16, u32)]) -> Vec<Candidate> {
        loads.iter().map(|(it, load)| Candidate { server: server(*it), load: *load }).collect()
    }

    #[test]
    fn an_overloaded_server_gives_a_cell_away_and_does_not_get_it_back_at_once() {
        let cells = cells_of(1, &[1, 2], 10);
        let loads = candidates(&[(1, 300), (2, 100)]);
        let (cell, to) = next_move(server(1), &cells, &loads, 0.25, true).unwrap();
        assert_eq!(to, server(2));
        assert_eq!(next_move(server(1), &cells, &loads, 0.25, false), None);

        // Just after the last move that was needed: nobody moves anything.
        let loads = candidates(&[(1, 245), (2, 155)]);
        assert_eq!(next_move(server(1), &cells, &loads, 0.25, true), None);
        let theirs = [LoadedCell { cell, load: 10, is_cold: false }];
        assert_eq!(next_move(server(2), &theirs, &loads, 0.25, true), None);

        // With room again, it goes where it belongs.
        let loads = candidates(&[(1, 200), (2, 200)]);
        assert_eq!(next_move(server(2), &theirs, &loads, 0.25, true), Some((cell, server(1))));
    }

    #[test]
    fn a_draining_server_gives_everything_away() {
        let cells = cells_of(1, &[1, 2, 3], 0);
        let others = candidates(&[(2, 0), (3, 0)]);
        for cell in &cells {
            let (moved, to) = next_move(server(1), &[*cell], &others, 0.25, false).unwrap();
            assert_eq!(moved, cell.cell);
            assert_ne!(to, server(1));
        }
        assert_eq!(next_move(server(1), &cells, &[], 0.25, true), None, "nobody is there");
    }

    #[test]
    fn cold_siblings_rank_alike() {
        let parent = CellId::region(3, 3);
        let first = |cell, is_cold| {
            let cell = LoadedCell { cell, load: 0, is_cold };
            rank(ranked_as(&cell), (1..9).map(server))[0]
        };
        let cold: Vec<_> = parent.children().iter().map(|it| first(*it, true)).collect();
        assert!(cold.iter().all(|it| *it == cold[0]));
        let hot: Vec<_> = parent.children().iter().map(|it| first(*it, false)).collect();
        assert!(hot.iter().any(|it| *it != hot[0]), "hot ones spread");
    }
}
