//! Pictures that are made once and then copied: names with their halos, bodies, rings, items.
//!
//! Curved outlines and stroked letters are the dearest things on a canvas that no graphics card
//! paints, and sixty bodies have five of them each. A copy costs a tenth, unless it is turned:
//! so a body has a stamp for each direction.

use std::collections::BTreeMap;

use web_sys::{CanvasRenderingContext2d as Pen, HtmlCanvasElement};

use super::palette::Palette;
use crate::page::dom;

/// Stamps kept at most; beyond, all are made anew. More than all bodies, turns and names of a game.
const MOST: usize = 2_048;

/// What a stamp shows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Motif {
    Name { text: String, is_faint: bool },
    Body { team: u8, is_tank: bool, look: Look, turn: u16 },
    Item { is_health: bool },
    Turret,
}

/// What of a body a stamp shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Look {
    Plain,
    /// It has just been hit.
    Struck,
    /// The ring where it really is.
    Truth,
    /// The dashes where a naive game shows it.
    Naive,
}

/// What all stamps depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ink {
    colours: Palette,
    /// Device pixels to a pixel of the page.
    dpr: f64,
    radius: f64,
}

/// A small picture.
#[derive(Debug)]
struct Stamp {
    canvas: HtmlCanvasElement,
    size: [f64; 2],
}

impl Stamp {
    /// `paint` finds the origin in the middle.
    fn new(size: [f64; 2], dpr: f64, paint: impl FnOnce(&Pen)) -> Option<Self> {
        let canvas = dom::new_canvas()?;
        let device = size.map(|it| (it * dpr).ceil());
        canvas.set_width(device[0] as u32);
        canvas.set_height(device[1] as u32);
        let pen = dom::pen_of(&canvas)?;
        let _ = pen.set_transform(dpr, 0.0, 0.0, dpr, 0.5 * device[0], 0.5 * device[1]);
        paint(&pen);
        Some(Self { canvas, size: device.map(|it| it / dpr) })
    }
}

/// All stamps made so far.
#[derive(Debug, Default)]
pub struct Stamps {
    made: BTreeMap<Motif, Stamp>,
    ink: Option<Ink>,
}

impl Stamps {
    /// Throws away what was made for another theme, screen or zoom.
    pub fn prepare(&mut self, colours: &Palette, dpr: f64, radius: f64) {
        let ink = Some(Ink { colours: *colours, dpr, radius });
        if self.ink != ink || self.made.len() > MOST {
            self.made.clear();
            self.ink = ink;
        }
    }

    /// Puts the middle of a stamp at a place of the page; one not made yet is made of the size
    /// given, with `paint` finding the origin in its middle.
    pub fn put(
        &mut self,
        pen: &Pen,
        motif: &Motif,
        [x, y]: [f64; 2],
        size: impl FnOnce() -> [f64; 2],
        paint: impl FnOnce(&Pen),
    ) {
        let dpr = self.ink.map_or(1.0, |it| it.dpr);
        let is_text = matches!(motif, Motif::Name { .. });
        if !self.made.contains_key(motif) {
            let Some(stamp) = Stamp::new(size(), dpr, paint) else { return };
            self.made.insert(motif.clone(), stamp);
        }
        let Some(Stamp { canvas, size: [width, height] }) = self.made.get(motif) else { return };
        let [mut left, mut top] = [x - 0.5 * width, y - 0.5 * height];
        if is_text {
            // Letters stay sharp on whole device pixels; bodies move on smoothly.
            [left, top] = [left, top].map(|it| (it * dpr).round() / dpr);
        }
        let _ = pen
            .draw_image_with_html_canvas_element_and_dw_and_dh(canvas, left, top, *width, *height);
    }
}
