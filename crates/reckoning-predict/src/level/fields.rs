//! Walking distances to a goal from everywhere, and a memory of those asked for last.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// The eight ways out of a cell, straight ones first, with their length in tenths of a cell.
pub(super) const WAYS: [(i32, i32, u16); 8] = [
    (1, 0, 10),
    (0, 1, 10),
    (-1, 0, 10),
    (0, -1, 10),
    (1, 1, 14),
    (-1, 1, 14),
    (-1, -1, 14),
    (1, -1, 14),
];

/// There is no way, or one of more than six thousand cells.
pub(super) const CUT_OFF: u16 = u16::MAX;

/// Which neighbours of a cell can be walked to, one bit per way.
#[derive(Clone, Debug)]
pub(super) struct WalkGraph {
    pub columns: usize,
    pub rows: usize,
    pub ways: Vec<u8>,
}

impl WalkGraph {
    /// The cells one can step to from `cell`, and how long each step is.
    pub fn neighbours(&self, cell: usize) -> impl Iterator<Item = (usize, u16)> {
        let open = self.ways[cell];
        let columns = self.columns.cast_signed();
        WAYS.iter().enumerate().filter(move |(way, _)| open >> way & 1 == 1).map(
            move |(_, &(x, y, length))| {
                let next = cell.cast_signed() + y as isize * columns + x as isize;
                (next as usize, length)
            },
        )
    }

    /// How far it is to `goal` from every cell, in tenths of a cell (Dijkstra).
    ///
    /// Whole numbers and the order of cells decide ties, so the answer is the same on every
    /// machine.
    fn lengths_to(&self, goal: usize) -> Vec<u16> {
        let mut lengths = alloc::vec![CUT_OFF; self.ways.len()];
        let mut front = BinaryHeap::new();
        lengths[goal] = 0;
        front.push(Reverse((0_u16, goal as u32)));
        while let Some(Reverse((length, cell))) = front.pop() {
            if length > lengths[cell as usize] {
                continue;
            }
            for (next, step) in self.neighbours(cell as usize) {
                let through = length.saturating_add(step);
                if through < lengths[next] {
                    lengths[next] = through;
                    front.push(Reverse((through, next as u32)));
                }
            }
        }
        lengths
    }
}

/// The distance fields of the goals asked for last.
#[derive(Clone, Debug)]
pub(super) struct DistanceFields {
    /// Slot of each goal cell, if it has one.
    slots: Vec<Option<u32>>,
    kept: Vec<DistanceField>,
    most: usize,
    asked: u64,
}

#[derive(Clone, Debug)]
struct DistanceField {
    goal: usize,
    last_asked: u64,
    lengths: Vec<u16>,
}

impl DistanceFields {
    pub fn new(cells: usize, most: usize) -> Self {
        Self { slots: alloc::vec![None; cells], kept: Vec::new(), most, asked: 0 }
    }

    /// Distances to `goal`; worked out if they are not remembered.
    pub fn to(&mut self, goal: usize, graph: &WalkGraph) -> &[u16] {
        self.asked += 1;
        let slot = match self.slots[goal] {
            Some(slot) => slot as usize,
            None => self.make(goal, graph),
        };
        self.kept[slot].last_asked = self.asked;
        &self.kept[slot].lengths
    }

    /// Works out a field, in a new slot or in that of the one longest unused.
    fn make(&mut self, goal: usize, graph: &WalkGraph) -> usize {
        let field = DistanceField { goal, last_asked: self.asked, lengths: graph.lengths_to(goal) };
        let slot = if self.kept.len() < self.most {
            self.kept.push(field);
            self.kept.len() - 1
        } else {
            let oldest = (0..self.kept.len()).min_by_key(|&slot| self.kept[slot].last_asked);
            let oldest = oldest.unwrap_or(0);
            self.slots[self.kept[oldest].goal] = None;
            self.kept[oldest] = field;
            oldest
        };
        self.slots[goal] = Some(slot as u32);
        slot
    }

    #[cfg(test)]
    pub fn remembered(&self) -> usize {
        self.kept.len()
    }
}
