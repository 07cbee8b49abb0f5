//! The hills on a graphics card, by WebGL2.
//!
//! ```text
//! context    the card, its programs, and what to say when there is none
//! buffers    all meshes in one buffer, instances of a frame in another
//! passes     what is drawn in which order
//! ```
//!
//! What is drawn is prepared as plain Rust in [`crate::hills`]. Here it is handed over: meshes once
//! and again with another theme, instances with every picture.

mod buffers;
mod context;
mod passes;

use reckoning_arena::hills::HillsLevel;
use web_sys::HtmlCanvasElement;

use self::buffers::Buffers;
use self::context::Context;
use crate::hills::colours::{DARK, HillsColours};
use crate::hills::frame::Frame;
use crate::hills::view::View;

/// Sharper screens are drawn at this many pixels for one of the page: more is not seen in motion.
const MAX_PIXEL_RATIO: f64 = 2.0;

/// Draws the hills on a canvas.
pub struct HillsRenderer {
    context: Context,
    buffers: Buffers,
    level: HillsLevel,
    colours: HillsColours,
}

impl HillsRenderer {
    /// A renderer for a canvas on which nothing else draws.
    ///
    /// # Errors
    /// For people: what is missing for pictures in three dimensions, and what to do.
    pub fn new(canvas: &HtmlCanvasElement, level: &HillsLevel) -> Result<Self, String> {
        let context = Context::new(canvas)?;
        let buffers = Buffers::new(&context, level, &DARK)?;
        Ok(Self { context, buffers, level: level.clone(), colours: DARK })
    }

    /// How many pixels to draw for one of the page on a screen that has `device_ratio`: fewer when
    /// there is no graphics card.
    #[must_use]
    pub fn pixel_ratio(&self, device_ratio: f64) -> f64 {
        let most = if self.context.is_software { 1.0 } else { MAX_PIXEL_RATIO };
        device_ratio.clamp(0.5, most)
    }

    /// Gives the canvas this many pixels.
    pub fn resize(&mut self, width: u32, height: u32) {
        self.context.resize(width.max(1), height.max(1));
    }

    /// Takes over the colours of a theme; meshes are made anew only if they differ.
    pub fn set_colours(&mut self, colours: &HillsColours) {
        if self.colours == *colours {
            return;
        }
        self.colours = *colours;
        self.buffers.upload(&self.context, &self.level, colours);
    }

    /// Draws a picture into a part of the canvas: x, y from its upper left corner, width and height,
    /// in pixels of the canvas. Nothing happens while the browser has taken the card away.
    pub fn draw(&mut self, view: &View, frame: &Frame, colours: &HillsColours, viewport: [i32; 4]) {
        self.set_colours(colours);
        if !self.is_ready() {
            return;
        }
        self.buffers.stream(&self.context, frame, view);
        passes::draw(&self.context, &self.buffers, view, colours, viewport);
    }

    /// Whether there is a card; after a loss, everything is put onto the new one first.
    fn is_ready(&mut self) -> bool {
        match self.context.revive() {
            context::Revival::Gone => false,
            context::Revival::Here => true,
            context::Revival::Back => {
                let buffers = Buffers::new(&self.context, &self.level, &self.colours);
                buffers.map(|it| self.buffers = it).is_ok()
            }
        }
    }
}
