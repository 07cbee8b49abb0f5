//! View of a crowd: the positions its ghosts are shown at.

use alloc::vec::Vec;

use super::block::{LANES, Lanes, Shown};

/// Where each ghost of a [`Crowd`](super::Crowd) is shown, relative to the crowd's origin:
/// an array per axis, ready for a vertex buffer.
///
/// Made once and filled every frame; filling it allocates only when the crowd has outgrown
/// it.
#[derive(Clone, Debug, Default)]
pub struct CrowdView {
    len: usize,
    x: Vec<Lanes>,
    y: Vec<Lanes>,
    z: Vec<Lanes>,
}

impl CrowdView {
    /// A view with room for `ghosts`.
    #[must_use]
    pub fn with_capacity(ghosts: usize) -> Self {
        let axis = || Vec::with_capacity(ghosts.div_ceil(LANES));
        Self { len: 0, x: axis(), y: axis(), z: axis() }
    }

    /// How many ghosts are shown.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether none is.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first coordinate of each ghost.
    #[must_use]
    pub fn x(&self) -> &[f32] {
        &self.x.as_flattened()[..self.len]
    }

    /// The second coordinate of each ghost.
    #[must_use]
    pub fn y(&self) -> &[f32] {
        &self.y.as_flattened()[..self.len]
    }

    /// The third coordinate of each ghost.
    #[must_use]
    pub fn z(&self) -> &[f32] {
        &self.z.as_flattened()[..self.len]
    }

    /// The position of each ghost.
    #[must_use]
    pub fn positions(&self) -> impl ExactSizeIterator<Item = [f32; 3]> {
        (0..self.len).map(|place| [self.x()[place], self.y()[place], self.z()[place]])
    }

    /// Makes room for exactly so many ghosts, and for what fills up the last block.
    pub(super) fn fit(&mut self, ghosts: usize) -> Shown<'_> {
        self.len = ghosts;
        for axis in [&mut self.x, &mut self.y, &mut self.z] {
            axis.resize(ghosts.div_ceil(LANES), [0.0; LANES]);
        }
        Shown { x: &mut self.x, y: &mut self.y, z: &mut self.z }
    }
}
