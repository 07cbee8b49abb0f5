//! Sixteen ghosts side by side, and the pass that shows them.
//!
//! A block holds each number of its sixteen ghosts in one array, as wide as the widest
//! vector unit. The blocks follow each other in one slice, so a pass over a crowd reads a
//! single stream of memory; with an array per number over the whole crowd there would be
//! nineteen, more than processors fetch ahead well.

use glam::Vec3;

use super::ghost::{CrowdGhost, Moment};

/// Ghosts to a block.
pub(super) const LANES: usize = 16;

/// One number of each ghost.
pub(super) type Lanes = [f32; LANES];

/// Sixteen ghosts; see [`CrowdGhost`] for what the numbers are.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub(super) struct GhostBlock {
    seen_us: [i32; LANES],
    delay_us: [i32; LANES],
    per_span: Lanes,
    trust_s: Lanes,
    position: [Lanes; 3],
    velocity: [Lanes; 3],
    acceleration: [Lanes; 3],
    error: [Lanes; 3],
    slip: [Lanes; 3],
}

/// Where a pass writes: for each axis as many lanes as it has blocks.
#[derive(Debug)]
pub(super) struct Shown<'a> {
    pub(super) x: &'a mut [Lanes],
    pub(super) y: &'a mut [Lanes],
    pub(super) z: &'a mut [Lanes],
}

/// Shows all ghosts of all blocks.
#[expect(clippy::inline_always, reason = "must be compiled for the caller's vector unit")]
#[inline(always)]
pub(super) fn show(blocks: &[GhostBlock], moment: &Moment, shown: Shown<'_>) {
    let axes = shown.x.iter_mut().zip(shown.y).zip(shown.z);
    for (block, ((x, y), z)) in blocks.iter().zip(axes) {
        block.show(moment, [x, y, z]);
    }
}

impl GhostBlock {
    #[expect(clippy::inline_always, reason = "must be compiled for the caller's vector unit")]
    #[inline(always)]
    fn show(&self, moment: &Moment, [x, y, z]: [&mut Lanes; 3]) {
        for lane in 0..LANES {
            let weights = moment.weights(
                self.seen_us[lane],
                self.delay_us[lane],
                self.per_span[lane],
                self.trust_s[lane],
            );
            let sum = |axis: usize| {
                let vectors = [&self.velocity, &self.acceleration, &self.error, &self.slip];
                weights.sum(self.position[axis][lane], vectors.map(|v| v[axis][lane]))
            };
            (x[lane], y[lane], z[lane]) = (sum(0), sum(1), sum(2));
        }
    }

    pub(super) fn ghost(&self, lane: usize) -> CrowdGhost {
        let vector = |lanes: &[Lanes; 3]| Vec3::from(lanes.map(|axis| axis[lane]));
        CrowdGhost {
            seen_us: self.seen_us[lane],
            delay_us: self.delay_us[lane],
            per_span: self.per_span[lane],
            trust_s: self.trust_s[lane],
            position: vector(&self.position),
            velocity: vector(&self.velocity),
            acceleration: vector(&self.acceleration),
            error: vector(&self.error),
            slip: vector(&self.slip),
        }
    }

    pub(super) fn set_ghost(&mut self, lane: usize, ghost: &CrowdGhost) {
        self.seen_us[lane] = ghost.seen_us;
        self.delay_us[lane] = ghost.delay_us;
        self.per_span[lane] = ghost.per_span;
        self.trust_s[lane] = ghost.trust_s;
        for axis in 0..3 {
            self.position[axis][lane] = ghost.position[axis];
            self.velocity[axis][lane] = ghost.velocity[axis];
            self.acceleration[axis][lane] = ghost.acceleration[axis];
            self.error[axis][lane] = ghost.error[axis];
            self.slip[axis][lane] = ghost.slip[axis];
        }
    }
}
